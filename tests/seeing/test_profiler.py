"""Profiler: the steps that ran, what they belong to, and the file of the trace.

How many steps there are, their operators, lines and Cells follow from the program; of times only the order is known.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading

import numpy as np
import pytest

import anfora as ms
from anfora import Profiler, Tensor, nn, ops
from anfora.core.errors import OpRuntimeError, OpValueError


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Dense(6, 5)
        self.second = nn.Dense(5, 3)

    def construct(self, x):
        hidden = ops.tanh(self.first(x))
        return self.second(hidden)


FIRST, SECOND = "Net.first", "Net.second"
LINE = Net.construct.__code__.co_firstlineno + 1
HERE = "test_profiler.py"


@pytest.fixture
def step():
    net = Net()
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    gradients = ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())

    def step(x):
        loss, found = gradients(x)
        optimizer(found)
        return loss

    return step


X = Tensor(np.linspace(-1, 1, 24, dtype=np.float32).reshape(4, 6))


def measured(call, *args, times=3):
    call(*args)
    call(*args)
    with Profiler() as profile:
        for _ in range(times):
            call(*args)
    return profile


@pytest.mark.parametrize("is_compiled", [False, True], ids=["PyNative", "graph"])
def test_a_step_is_told_by_operator_line_and_cell(step, is_compiled):
    profile = measured(ms.jit(step) if is_compiled else step, X)
    took = [(part, each) for each in profile.took for part in each.operator.split("+")]  # of one kernel
    ways = {(operator, each.is_back) for operator, each in took}
    assert {("dense", False), ("tanh", False), ("matmul", True), ("update_parameters", False)} <= ways
    found = {(operator, each.is_back, each.line, each.cell) for operator, each in took}
    assert ("dense", False, f"{HERE}:{LINE}", FIRST) in found
    assert ("dense", False, f"{HERE}:{LINE + 1}", SECOND) in found
    assert ("matmul", True, f"{HERE}:{LINE}", FIRST) in found  # the way back of the first layer, told by the way there
    assert ("matmul", True, f"{HERE}:{LINE + 1}", SECOND) in found
    assert all(each.line for each in profile.took if each.operator != "copies and checks")


@pytest.mark.parametrize("is_compiled", [False, True], ids=["PyNative", "graph"])
def test_each_call_counts(step, is_compiled):
    call = ms.jit(step) if is_compiled else step
    once, thrice = measured(call, X, times=1), measured(call, X, times=3)
    assert len(thrice.took) == 3 * len(once.took) > 0


def test_a_compiled_net_in_an_eager_step_is_walked_back_with_its_lines():
    net = Net()
    ms.jit(net)
    gradients = ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())
    found = {(each.operator, each.is_back, each.cell) for each in measured(gradients, X).took}
    assert ("dense", False, FIRST) in found and ("matmul", True, FIRST) in found


def test_fused_operators_stand_in_one_step():
    f = ms.jit(lambda x: ops.tanh(x * 2 + 1))
    names = [each.operator for each in measured(f, Tensor(np.ones((64, 64), np.float32)), times=1).took]
    assert names == ["mul+add+tanh"]


def test_times_lie_in_the_time_that_was_measured(step):
    profile = measured(step, X)
    assert all(each.began >= 0 and each.began + each.seconds <= profile.seconds for each in profile.took)
    assert all(each.busy >= 0 for each in profile.took)
    for key in ("operator", "kernel", "line", "cell"):
        costs = profile.by(key)
        assert sum(cost.steps for cost in costs) == len(profile.took)
        assert np.isclose(sum(cost.share for cost in costs), 1)
        assert [cost.seconds for cost in costs] == sorted((cost.seconds for cost in costs), reverse=True)


def test_results_are_the_same_bits_while_one_measures(step):
    f = ms.value_and_grad(lambda x: (ops.softmax(x) * x).sum())
    value, gradient = f(X)
    with Profiler():
        again = f(X)
    assert np.array_equal(value.asnumpy(), again[0].asnumpy())
    assert np.array_equal(gradient.asnumpy(), again[1].asnumpy())


def test_parts_of_threads_are_one_step():
    x = Tensor(np.ones((512, 512), np.float32))
    threads = ms.get_num_threads()
    ms.set_num_threads(3)
    try:
        profile = measured(ops.matmul, x, x, times=4)
    finally:
        ms.set_num_threads(threads)
    alone = measured(ops.matmul, Tensor(np.ones((2, 2), np.float32)), Tensor(np.ones((2, 2), np.float32)), times=4)
    kernels = {each.kernel for each in profile.took}
    assert len(profile.took) == 4 * len(kernels)
    assert all(len(each.parts) == 1 for each in alone.took)


def test_the_trace_is_chromes(step, tmp_path):
    ms.jit(step)
    with Profiler(tmp_path / "out") as profile:
        step(X)
        profile.step("first")
    events = json.loads((tmp_path / "out" / "trace.json").read_text())["traceEvents"]
    kinds = {event["ph"] for event in events}
    assert kinds == {"M", "X", "i", "C"}
    kernels = [event for event in events if event.get("cat") == "kernel"]
    operators = [event for event in events if event.get("cat") == "operator"]
    assert len(kernels) >= len(profile.took) > 0
    for kernel in kernels:  # each lies in an operator of the same name
        around = [
            event for event in operators
            if event["name"].removesuffix(" (back)") == kernel["args"]["operator"]
            and event["ts"] <= kernel["ts"] and kernel["ts"] + kernel["dur"] <= event["ts"] + event["dur"] + 1e-3
        ]  # fmt: skip
        assert around
    assert [event["name"] for event in events if event["ph"] == "i"] == ["first"]


def test_memory_is_looked_at():
    """In a process of its own: what others give back meanwhile hides what is taken."""
    program = """
import numpy as np
from anfora import Profiler, Tensor, ops
with Profiler() as profile:
    kept = np.ones(128 << 20, np.uint8)
    ops.exp(Tensor([1.0]))
times = [seconds for seconds, _ in profile.memory]
assert times == sorted(times) and len(times) >= 2
assert profile.peak_memory - profile.memory[0][1] > len(kept) // 2
assert profile.peak_memory >= profile.memory[-1][1]
with Profiler(profile_memory=False) as profile:
    ops.exp(Tensor([1.0]))
assert profile.memory == [] and profile.peak_memory == 0
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_the_text_fits_a_terminal(step):
    profile = measured(step, X)
    text = f"{profile}\n{profile.table('kernel', 'cell')}"
    assert max(map(len, text.splitlines())) <= 120
    for word in ("by operator", "by line", "by kernel", "by cell", "matmul (back)", "Net.first", "kernels"):
        assert word in text


def test_operators_of_other_threads_are_seen():
    def work() -> None:
        ops.exp(X)

    with Profiler() as profile:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    [took] = profile.took
    assert took.operator == "exp" and took.parts[0][0] == thread.ident and took.line.startswith(HERE)


def test_one_at_a_time_and_an_end_before_a_look():
    profile = Profiler()
    try:
        with pytest.raises(OpRuntimeError, match="one profile at a time"):
            Profiler()
        with pytest.raises(OpRuntimeError, match="call stop"):
            profile.by("line")
        assert str(profile) == "Profiler: measuring"
    finally:
        profile.stop()
    profile.stop()
    assert profile.by("line") == [] and "by operator" in str(profile)
    with pytest.raises(OpValueError, match="operator, kernel, line, cell"):
        profile.by("lines")


def test_it_ends_when_the_program_fails():
    with pytest.raises(ZeroDivisionError), Profiler():
        ops.exp(X)
        1 / 0  # noqa: B018
    with Profiler(start_profile=False) as profile:
        ops.exp(X)
    assert [each.operator for each in profile.took] == ["exp"]
