"""`anfora.multiprocessing` is Python's; processes that it starts compute, however they begin."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys

import pytest

import anfora as ms

PROGRAM = """
import sys
import mindspore as ms
import mindspore.multiprocessing as mp
from mindspore import Tensor, nn, ops
from mindspore.multiprocessing import Process, Queue


def work(queue, x):
    weight = Tensor([[1.0, 2.0], [3.0, 4.0]])
    gradient = ms.grad(lambda x: ops.tanh(ops.matmul(x, weight)).sum())(x)
    queue.put((gradient.tolist(), ops.ones((300, 300)).sum().item(), ms.jit(lambda x: x * 2 + 1)(x)))


if __name__ == "__main__":
    mp.set_start_method(sys.argv[1], force=True)
    x = Tensor([0.25, -0.5])
    queue = Queue()
    work(queue, x)
    here = queue.get()
    process = Process(target=work, args=(queue, x))
    process.start()
    there = queue.get()
    process.join()
    assert process.exitcode == 0 and there[:2] == here[:2] and there[2].tolist() == here[2].tolist() == [1.5, 0.0]
    assert here[1] == 90000.0
    with mp.Pool(2) as pool:
        assert pool.map(abs, [-1, 2]) == [1, 2]
    print("done")
"""


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_processes_compute(method, tmp_path):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    command = [sys.executable, "-m", "anfora", "run", str(file), method]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout, done.returncode) == ("done\n", 0), done.stderr


def test_it_has_all_that_python_has():
    assert ms.multiprocessing.Process is multiprocessing.Process
    assert {name for name in multiprocessing.__all__ if not hasattr(ms.multiprocessing, name)} == set()
