"""The executor: any number of threads, any order of chunks, the same bits; failures; forks."""

from __future__ import annotations

import os
import pathlib
import runpy
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import anfora
from anfora.core import dtype as dt
from anfora.core.abstract import TensorType
from anfora.kernel import bodies, executor, glue, loops, plain
from anfora.kernel.executor import Program
from anfora.kernel.loops import Operand, plan_elementwise
from anfora.kernel.plan import Planner


@pytest.fixture(autouse=True)
def threads_as_before():
    before = anfora.get_num_threads()
    yield
    anfora.set_num_threads(before)


def _chain(size, grain=None):
    """exp(x) into a workspace, then tanh of it into the output."""
    layout = TensorType(dt.float32, (size,)).contiguous
    p = Planner((layout,), (layout,))
    x, out = p.operands
    middle = p.workspace(dt.float32, size)
    for body, source, target in ((bodies.exp, x, middle), (bodies.tanh, middle, out)):
        if grain is None:
            plan_elementwise(p, body, [(source, "f32")], [(target, "f32")])
        else:
            operand = (Operand("f32", "f32", "v"),)
            kernel = loops.elementwise.address(body, operand, operand, False)
            p.step(kernel, source, target, units=size, grain=grain)
    return p.finish()


def _run(plan, x):
    out = np.full_like(x, np.nan)
    assert executor.run(Program(plan), [x.ctypes.data, out.ctypes.data]) == 0
    return out


@pytest.mark.parametrize("size, grain", [(1, None), (1000, None), (300_000, None), (300_001, 64), (5_000, 17)])
def test_threads_and_chunks_change_no_bit(size, grain):
    x = np.random.default_rng(0).uniform(-4, 1, size).astype(np.float32)
    plan = _chain(size, grain)
    expected = np.full_like(x, np.nan)
    assert plain.run(plan, [x.ctypes.data, expected.ctypes.data], lambda n: list(reversed(range(n)))) == 0
    np.testing.assert_allclose(expected, np.tanh(np.exp(x.astype(np.float64))), rtol=1e-6)
    for threads in (1, 2, 3, 8):
        anfora.set_num_threads(threads)
        for _ in range(5):
            np.testing.assert_array_equal(_run(plan, x), expected)


def _checked(x):
    x.fn.fault(x < 0.0)
    return x


def test_the_first_failure_is_reported_by_any_number_of_threads():
    size = 200_000
    layout = TensorType(dt.float32, (size,)).contiguous
    p = Planner((layout,), (layout,))
    operand = (Operand("f32", "f32", "v"),)
    p.step(loops.elementwise.address(_checked, operand, operand, False), *p.operands, units=size, grain=1000)
    program = Program(p.finish())
    for bad in ([7], [150_003, 12_345, 199_999], [0, 1]):
        x = np.ones(size, np.float32)
        x[bad] = -1
        out = np.empty_like(x)
        for threads in (1, 2, 3, 8):
            anfora.set_num_threads(threads)
            assert executor.run(program, [x.ctypes.data, out.ctypes.data]) == min(bad) + 1


def test_callers_in_many_python_threads_do_not_disturb_each_other():
    anfora.set_num_threads(2)
    plan = _chain(100_000)
    inputs = [np.random.default_rng(i).uniform(-4, 1, 100_000).astype(np.float32) for i in range(6)]
    expected = [_run(plan, x) for x in inputs]
    wrong = []

    def work(number):
        for _ in range(20):
            if not np.array_equal(_run(plan, inputs[number]), expected[number]):
                wrong.append(number)

    workers = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_has_its_own_threads():
    program = """
        import os, warnings
        warnings.simplefilter("ignore")  # Python warns of forks among threads
        import numpy as np, anfora
        from anfora import Tensor
        anfora.set_num_threads(2)
        x = Tensor(np.ones(500_000, np.float32))
        (x * 2.0).sum()
        child = os.fork()
        answer = (x * 3.0).sum().item()
        if child == 0:
            os._exit(0 if answer == 1_500_000 else 1)
        assert os.waitpid(child, 0)[1] == 0 and answer == 1_500_000
        print("ok")
    """
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=120
    )
    assert result.stdout == "ok\n", result.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_in_the_middle_of_work():
    """Other Python threads are inside kernels, the pool is busy: the child computes, and so does its child."""
    program = """
        import os, threading, warnings
        warnings.simplefilter("ignore")  # Python warns of forks among threads
        import numpy as np, anfora
        from anfora import Tensor, grad
        anfora.set_num_threads(3)
        x = Tensor(np.ones(300_000, np.float32))
        stop = threading.Event()
        def work():
            while not stop.is_set():
                assert (x * 2.0).sum().item() == 600_000
        workers = [threading.Thread(target=work) for _ in range(2)]
        for worker in workers:
            worker.start()
        def right():
            return (x * 3.0).sum().item() == 900_000 and grad(lambda x: (x * x).sum())(x)[0].item() == 2
        for _ in range(10):
            child = os.fork()
            if child == 0:
                grandchild = os.fork()
                if grandchild == 0:
                    os._exit(0 if right() else 1)
                os._exit(0 if os.waitpid(grandchild, 0)[1] == 0 and right() else 1)
            assert os.waitpid(child, 0)[1] == 0
        stop.set()
        for worker in workers:
            worker.join()
        assert right()
        print("ok")
    """
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=120
    )
    assert result.stdout == "ok\n", result.stderr


def test_the_number_of_threads_must_be_positive():
    with pytest.raises(ValueError, match="positive"):
        anfora.set_num_threads(0)


@pytest.mark.parametrize("threads", ["many", 2.0, True, 0])
def test_a_wrong_number_of_threads_changes_nothing(threads):
    before = anfora.get_num_threads()
    with pytest.raises((TypeError, ValueError), match="set_num_threads needs"):
        anfora.set_num_threads(threads)
    assert anfora.get_num_threads() == before


def test_the_number_of_threads_may_change_while_others_compute():
    plan = _chain(200_000, grain=64)
    x = np.random.default_rng(0).uniform(-4, 1, 200_000).astype(np.float32)
    expected, wrong = _run(plan, x), []
    stop = threading.Event()

    def work():
        while not stop.is_set():
            if not np.array_equal(_run(plan, x), expected):
                wrong.append(1)

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    for turn in range(600):
        anfora.set_num_threads((1, 8, 2, 12, 3)[turn % 5])
    stop.set()
    for worker in workers:
        worker.join()
    assert not wrong


def test_threads_that_the_system_does_not_make(monkeypatch):
    anfora.set_num_threads(2)
    made, start = [], executor._start_thread

    def at_most_three(function, argument):
        made.append(argument)
        return start(function, argument) if len(made) <= 3 else None

    monkeypatch.setattr(executor, "_start_thread", at_most_three)
    alive = len(executor._pool._workers)
    with pytest.raises(RuntimeError, match=f"no more than {alive + 4} threads"):
        anfora.set_num_threads(alive + 50)
    assert anfora.get_num_threads() == executor._pool.threads == 2
    anfora.set_num_threads(alive + 4)
    assert executor._pool.threads == alive + 4

    made[:] = [0] * 3
    monkeypatch.setattr(executor, "_wanted", None)
    monkeypatch.setenv("ANFORA_NUM_THREADS", str(alive + 50))
    with pytest.warns(anfora.AnforaWarning, match=f"no more than {alive + 4} of {alive + 50} threads"):
        executor.ready_addresses()
    assert anfora.get_num_threads() == executor._pool.threads == alive + 4


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("what", ["workspace", "scratch"])
def test_where_no_memory_is_left_nothing_is_done(what, threads):
    size = 100_000
    layout = TensorType(dt.float32, (size,)).contiguous
    p = Planner((layout,), (layout,))
    x, out = p.operands
    operand = (Operand("f32", "f32", "v"),)
    kernel = loops.elementwise.address(bodies.tanh, operand, operand, False)
    if what == "workspace":
        p.workspace(dt.float32, 1 << 58)
    p.step(kernel, x, out, units=size, grain=1000, **({"scratch": 1 << 60} if what == "scratch" else {}))
    program = Program(p.finish())
    given, result = np.ones(size, np.float32), np.zeros(size, np.float32)
    anfora.set_num_threads(threads)
    for _ in range(2):
        with pytest.raises(MemoryError, match="workspaces"):
            executor.run(program, [given.ctypes.data, result.ctypes.data])
        with pytest.raises(MemoryError, match="workspaces"):
            glue.launch(program, given, result)
    assert not result.any()
    np.testing.assert_allclose(_run(_chain(size), given), np.tanh(np.exp(given)), rtol=1e-6)


@pytest.mark.skipif(sys.platform != "linux", reason="needs limits of memory")
@pytest.mark.parametrize("start, left", [("warm", 3), ("warm", 24), ("cold", 64)])
def test_a_process_that_is_left_without_memory_gets_errors(start, left):
    """MiB that are left before anything was compiled, or afterwards. LLVM, numba and their parts would abort, or wait."""
    program = runpy.run_path(str(pathlib.Path(__file__).parents[2] / "benchmarks" / "faults.py"))["HUNGRY"]
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), str(left), start],
        capture_output=True, text=True, timeout=300, env={**os.environ, "ANFORA_CACHE": ""} if start == "cold" else None,
    )  # fmt: skip
    assert result.returncode == 0 and "MemoryError" in result.stdout, result.stderr
    assert set(result.stdout.split()) <= {"ok", "MemoryError"}
