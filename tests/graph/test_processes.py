"""Compiled programs among threads, processes, copies and interruptions: nothing breaks, nothing leaks."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest
from outcomes import bits, in_threads

import anfora as ms
from anfora import Parameter, Tensor, jit, nn, ops
from anfora.graph.run import compiled
from anfora.graph.run.points import Return, Variant
from anfora.graph.state.moments import Live, Piece


def program(x, steps):
    total = x * 0
    for k in range(steps):
        total = ops.tanh(total + x * k)
        if total.sum() > 1:
            total = total * 0.5
    return total


def countdown(n):
    return n if n < 1 else countdown(n - 1) + 1


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.CellList([nn.Dense(3, 3) for _ in range(2)])
        self.scale = Parameter(Tensor(np.ones(3, np.float32)), name="scale")

    def construct(self, x):
        for layer in self.layers:
            x = ops.relu(layer(x))
        return self.scaled(x)

    @jit
    def scaled(self, x):
        return x * self.scale if x.sum() > 0 else x - self.scale


@pytest.mark.parametrize("function", [program, lambda x, steps: countdown(x.sum())], ids=["branches", "recursion"])
def test_another_thread_goes_on_from_a_point_while_it_is_recorded(function, monkeypatch):
    """What was recorded last is not always what this thread has recorded."""
    original = compiled.RecordedProgram.end_with_hop

    def end_with_hop(self, recorder, *args):
        original(self, recorder, *args)
        recorder.point.variants.append(Variant(Piece(), Live(recorder), Return(("is", None), recorder.point.switch)))

    x = Tensor([3.0, 4.0])
    expected = bits(function(x, 4))
    monkeypatch.setattr(compiled.RecordedProgram, "end_with_hop", end_with_hop)
    assert bits(jit(function)(x, 4)) == expected


def test_the_first_calls_come_from_eight_threads_at_once():
    compiled, barrier, wrong = jit(program), threading.Barrier(8), []

    def work(number):
        x = Tensor(np.linspace(-1, number, 2 + number % 3, dtype=np.float32))
        expected = bits(program(x, 4))
        barrier.wait()
        wrong.extend(number for _ in range(5) if bits(compiled(x, 4)) != expected)

    in_threads(work)
    assert wrong == []


FORKS = """
import os, sys
import numpy as np
from anfora import Tensor, jit, ops

@jit
def heavy(x):
    return ops.matmul(x, x) * 0.5 + 1

@jit
def other(x):
    return ops.tanh(x).sum()

x = Tensor(np.ones((300, 300), np.float32))
expected = heavy(x).asnumpy().copy()
child = os.fork()
same = np.array_equal(heavy(x).asnumpy(), expected) and other(x).item() == other.__wrapped__(x).item()
if not child:
    os._exit(0 if same else 1)
assert same and os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
print("both")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_process_is_forked_after_compiling():
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", FORKS], capture_output=True, text=True, timeout=120)
    assert done.stdout == "both\n", done.stderr


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda net: pickle.loads(pickle.dumps(net))])
def test_compiled_cells_are_copied(copied):
    net, x = Net(), Tensor(np.linspace(0, 1, 3, dtype=np.float32).reshape(1, 3))
    with ms.context(mode=ms.GRAPH_MODE):
        expected = bits(net(x))
        twin = copied(net)
        assert bits(twin(x)) == expected
        twin.scale.set_data(Tensor(np.full(3, 2, np.float32)))
        assert bits(net(x)) == expected
    assert bits(twin(x)) == bits(twin.scaled(ops.relu(twin.layers[1](ops.relu(twin.layers[0](x))))))


class _Stop(Exception):
    """What the alarm raises: like Ctrl-C, but no test runner takes it for its own."""


def stopping(seconds, function, *args):
    """Call a function, with an exception flying in after some time; whether it was hit."""
    armed = [True]

    def stop(*_):
        if armed:
            raise _Stop

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        function(*args)
        armed.clear()
        return False
    except _Stop:
        return True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


# Where Python is in a callback of the garbage collector just then, it prints the exception and goes on.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timer")
def test_compiling_and_running_may_be_interrupted_anywhere():
    x = Tensor(np.linspace(-1, 2, 5, dtype=np.float32))
    expected, hits = bits(program(x, 6)), 0
    for moment in range(1, 60):
        compiled = jit(program.__class__(program.__code__, globals(), "again"))
        hits += stopping(moment * 3e-4, compiled, x, 6)
        assert all(bits(compiled(x, 6)) == expected for _ in range(3))
        assert ms.grad(lambda x, f=compiled: f(x, 6).sum())(x).shape == x.shape  # the tape is as it was
    assert hits > 0


def test_a_compiled_function_that_is_dropped_is_gone():
    def made():
        weight = Tensor(np.ones(1000, np.float32))

        @jit
        def function(x):
            return x * weight + weight.sum()

        x = Tensor(np.ones(1000, np.float32))
        for _ in range(3):
            function(x)
        return weakref.ref(function.program), weakref.ref(weight)

    held = [made() for _ in range(5)]
    gc.collect()
    assert [ref() for pair in held for ref in pair] == [None] * 10


@pytest.mark.parametrize("what", ["cell", "gradient"])
def test_what_graph_mode_has_compiled_goes_with_it(what):
    """Programs were kept beside the Cell, and held it."""

    def used():
        net = Net()
        called = net if what == "cell" else ms.value_and_grad(net, 0, net.trainable_params())
        for _ in range(3):
            called(Tensor(np.ones((2, 3), np.float32)))
        for twin in (copy.deepcopy(net), copy.copy(net), pickle.loads(pickle.dumps(net))):
            assert bits(twin(Tensor(np.ones((2, 3), np.float32)))) == bits(net(Tensor(np.ones((2, 3), np.float32))))
        return weakref.ref(net), weakref.ref(net.scale)

    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        references = used()
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    gc.collect()
    assert [reference() for reference in references] == [None, None]
