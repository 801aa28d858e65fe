"""Handlers of signals: called between two instructions of the program, wherever the signal falls, and raising there."""

from __future__ import annotations

import contextlib
import gc
import signal
import threading
import time
import traceback

import numpy as np
import pytest
from bell import SignalAt

import anfora as ms
from anfora import Tensor, ops
from anfora.eager.tape import transforms
from anfora.graph.machine import signals


class Late(Exception):
    pass


def late(*_):
    raise Late


@pytest.fixture(autouse=True)
def _handler():
    before = signal.signal(signal.SIGUSR1, late), signal.signal(signal.SIGALRM, late)
    gc.disable()  # what is raised in a callback of the collector, as hypothesis has one, is dropped by Python
    yield
    gc.enable()
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGUSR1, before[0])
    signal.signal(signal.SIGALRM, before[1])


class Store:
    """What the programs change: each step does four things, in order."""

    def __init__(self):
        self.a, self.b = Tensor([0.0]), Tensor([0.0])
        self.steps, self.log = 0, []

    def state(self):
        return self.a.item(), self.b.item(), self.steps, len(self.log)


def plain_loop(s, x):
    try:
        for i in range(4):
            s.a.add_(1)
            s.b.add_(1)
            s.steps += 1
            s.log.append(i)
    except Late:
        return "caught"
    finally:
        s.log.append("finally")
    return "ended"


def loop_on_data(s, x):
    try:
        while s.a.sum() < 4:
            s.a.add_(1)
            s.b.add_(1)
            s.steps += 1
            s.log.append(0)
    except Late:
        return "caught"
    finally:
        s.log.append("finally")
    return "ended"


def with_hops(s, x):
    try:
        for i in range(4):
            s.a.add_(1)
            s.b.add_(1)
            s.steps += 1
            s.log.append(hop(i))
    except Late:
        return "caught"
    finally:
        s.log.append("finally")
    return "ended"


def hop(i):
    return eval("i + 1")


def by_a_generator(s, x):
    def steps():
        for i in range(4):
            s.a.add_(1)
            s.b.add_(1)
            s.steps += 1
            yield i

    try:
        for i in steps():
            s.log.append(i)
    except Late:
        return "caught"
    finally:
        s.log.append("finally")
    return "ended"


def recursive(s, x, n=4):
    if n == 4:
        try:
            return recursive(s, x, 3)
        except Late:
            return "caught"
        finally:
            s.log.append("finally")
    s.a.add_(1)
    s.b.add_(1)
    s.steps += 1
    s.log.append(n)
    if n:
        return recursive(s, x, n - 1)
    return "ended"


PROGRAMS = [plain_loop, loop_on_data, with_hops, by_a_generator, recursive]


def check(store, outcome):
    """Python's meaning of a program that an exception ends between any two of its instructions."""
    a, b, steps, logged = store.state()
    if outcome == "escaped":  # in front of the `try`, at the start of the `finally`, or behind the end
        if "finally" not in store.log:
            assert (a, b, steps, logged) in ((0, 0, 0, 0), (4, 4, 4, 4))
            return
        outcome = "ended" if steps == 4 else "caught"
    assert store.log.count("finally") == 1 and store.log[-1] == "finally"
    done = logged - 1
    assert a >= b >= steps >= done >= a - 1
    if outcome == "ended":
        assert a == b == steps == done == 4


@pytest.mark.parametrize("calls", [0, 3])
@pytest.mark.parametrize("program", PROGRAMS)
def test_wherever_a_signal_falls_the_state_is_whole(program, calls):
    moments = 0
    outcomes = set()
    step = 397 if not calls else 7  # a recording has many moments
    while True:
        moments += step
        compiled = ms.jit(program)
        for _ in range(calls):
            compiled(Store(), Tensor([1.0]))
        store, interrupt = Store(), SignalAt(moments)
        try:
            with interrupt:
                outcome = compiled(store, Tensor([1.0]))
        except Late:
            outcome = "escaped"
        if interrupt.left > 0:
            break  # the call has fewer moments
        check(store, outcome)
        outcomes.add(outcome)
        again = Store()
        assert compiled(again, Tensor([1.0])) == "ended"
        check(again, "ended")
    assert "caught" in outcomes or calls  # a later call may be one piece


def numbers(x, n, r):
    m = n - 1
    m = (m * n) % 7 + n // 2
    return x * (r * 0.5 + m), f"{m}"


def operands(x, n, r):
    y = ops.clip(ops.maximum(x, r) + r * n, r, n + 4.0)
    return y.add_(x, alpha=r)


def examples(x, n, r):
    return ms.vmap(lambda a: a * r + n)(x)


def gradient(x, n, r):
    return ms.grad(lambda a: (a * r).sum() * n)(x)


def arrays(x, n, r):
    return Tensor(np.arange(3.0) * n * 0.5) + r


def functions(x, n, r):
    return sorted([n, n - 1, 3], key=lambda v: -v), max(n, 2), sum(v * r for v in (x, x)), hasattr(n, "real"), x[n % 2]


@pytest.mark.parametrize("compile", [ms.jit, lambda function: function], ids=["graph", "pynative"])
@pytest.mark.parametrize("program", [numbers, operands, examples, gradient, arrays, functions])
def test_what_a_handler_raises_is_never_taken_for_a_failure_of_what_it_ends(program, compile):
    signals.watch()
    for calls in (0, 1, 2):
        moment = 0
        while True:
            moment += (1999, 499, 31)[calls]
            function, interrupt = compile(program), SignalAt(moment)
            for i in range(calls):
                function(Tensor([1.0, 2.0]), i + 2, i + 0.5)  # numbers that vary
            with contextlib.suppress(Late), interrupt:
                function(Tensor([1.0, 2.0]), calls + 2, calls + 0.5)
                assert interrupt.left > 0
            if interrupt.left > 0:
                break  # the call has fewer moments


def test_a_native_loop_ends_between_two_iterations():
    a, b = Tensor([0.0]), Tensor([0.0])

    @ms.jit
    def f():
        while True:
            a.add_(1)
            b.add_(1)
            if a.sum() < 0:
                break

    for _ in range(5):
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(Late):
            f()
        assert a.item() - b.item() in (0, 1)


def test_the_program_catches_what_ends_a_native_loop():
    log = []

    @ms.jit
    def f(x):
        try:
            while x.sum() > -1:
                x = x * 0.5 + 1
        except Late:
            log.append("caught")
        finally:
            log.append("finally")

    for _ in range(3):
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        f(Tensor([1.0]))
        assert log == ["caught", "finally"]
        log.clear()


def test_what_python_does_for_the_program_is_cut_short():
    @ms.jit
    def f(x):
        try:
            time.sleep(30)
        except Late:
            return x + 1
        return x

    for _ in range(3):
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        assert f(Tensor(1.0)).item() == 2


def test_a_call_that_is_pythons_is_cut_short_in_its_operators_too():
    """It may be endless, and hardly ever stands anywhere else."""
    seen = [0]

    @ms.jit
    def f(x, n):
        for i in range(n):
            seen[0] = i
            if x % 3 == 1:  # numbers take a longer way than tensors
                x = x + 2

    f(Tensor(1), 3)  # handlers wait from the first recording on
    f.program.native = "a test wants it so"
    for _ in range(3):
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(Late):
            f(Tensor(1), 100_000)
        assert 0 < seen[0] < 90_000


def test_a_handler_that_raises_nothing_is_called_and_the_program_goes_on():
    seen = []
    signal.signal(signal.SIGUSR1, lambda number, frame: seen.append((number, frame.f_code.co_filename)))

    @ms.jit
    def f(x):
        return x + 1

    x = Tensor(1.0)
    f(x)
    for moment in range(1, 40):
        with SignalAt(moment):
            y = f(x)
        assert y.item() == 2
    assert seen.count((signal.SIGUSR1, __file__)) > 10  # the others fell between the program and the compiled call


def test_handlers_are_the_programs_own():
    ms.jit(lambda x: x + 1)(Tensor(1.0))
    assert signal.getsignal(signal.SIGUSR1) is late
    assert signal.signal(signal.SIGUSR1, signal.SIG_IGN) is late
    assert signal.signal(signal.SIGUSR1, signal.SIG_DFL) is signal.SIG_IGN
    assert signal.signal(signal.SIGUSR1, late) is signal.SIG_DFL
    with pytest.raises(TypeError, match="signal handler must be"):
        signal.signal(signal.SIGUSR1, "late")
    assert signal.getsignal(signal.SIGUSR1) is late


def test_no_frame_of_ours_stands_between_a_program_and_its_handler():
    ms.jit(lambda x: x + 1)(Tensor(1.0))
    with pytest.raises(Late) as caught:
        signal.raise_signal(signal.SIGUSR1)
    assert {entry.filename for entry in traceback.extract_tb(caught.value.__traceback__)} == {__file__}


def test_of_signals_with_one_number_that_wait_one_is_delivered():
    """Python itself knows of each number only that it has come: who is busy for long is told once."""
    ms.jit(lambda x: x + 1)(Tensor(1.0))  # from the first call on handlers wait
    calls = []
    signal.signal(signal.SIGUSR1, lambda number, frame: calls.append(number))

    @signals.holds
    def busy():
        for _ in range(5):
            signal.raise_signal(signal.SIGUSR1)
            signal.raise_signal(signal.SIGALRM)
        assert not calls

    busy()
    with pytest.raises(Late):
        signals.deliver()
    assert calls == [signal.SIGUSR1] and not signals.held


def test_a_signal_that_comes_while_another_thread_computes():
    """Python calls handlers in the main thread; what is held there is delivered there."""
    done = []
    f = ms.jit(lambda x: ops.exp(x).sum())

    def work():
        while not done:
            f(Tensor([1.0, 2.0]))

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(20):
            with pytest.raises(Late):
                signal.raise_signal(signal.SIGUSR1)
    finally:
        done.append(1)
        thread.join()


def test_a_gradient_that_a_signal_ends_leaves_no_tape_open():
    """Also where it falls between the steps of the gradient, which are this library's."""

    def program(x):
        def loss(a):
            if a.sum() > 100:
                return a.sum()
            return hop(0) * (a * a).sum()

        try:
            return ms.grad(loss)(x)
        except Late:
            return x

    for calls in (0, 2):
        compiled = ms.jit(program)
        for _ in range(calls):
            compiled(Tensor([1.0]))
        moment = 0
        while True:
            moment += 397 if not calls else 3
            interrupt = SignalAt(moment)
            with contextlib.suppress(Late), interrupt:
                (compiled if calls else ms.jit(program))(Tensor([1.0]))
            assert not transforms.depth
            if interrupt.left > 0:
                break


class Neither:
    """No truth value, and no index, which Python before 3.12 asks for."""

    __bool__ = None


def sorts(seen, items, reverse):
    try:
        items.sort(key=lambda v: float(v[0]), reverse=reverse)
    except Late:
        seen.append("caught")
    finally:
        seen.append("finally")


def test_a_signal_while_another_exception_goes_on_has_it_as_its_context():
    compiled = ms.jit(sorts)
    for _ in range(3):
        with pytest.raises(TypeError):
            compiled([], [Tensor([1.0]), Tensor([2.0])], Neither())
    found = []
    for moment in range(1, 300, 7):
        seen = []
        given = seen, [Tensor([1.0]), Tensor([2.0])], Neither()
        try:
            with SignalAt(moment):
                compiled(*given)
        except (Late, TypeError) as error:
            if "finally" in seen:
                found.append((type(error), type(error.__context__)))
    assert (Late, TypeError) in found and (Late, type(None)) not in found


class Door:
    """A context that counts how often it was entered and left."""

    def __init__(self):
        self.inside = self.left = 0

    def __enter__(self):
        self.inside += 1
        return self

    def __exit__(self, *_):
        self.left += 1


@pytest.mark.parametrize("calls", [0, 1, 3])
def test_nothing_is_changed_behind_a_handler_but_by_contexts_that_are_left(calls):
    """And none is left in which the body had come to its end: Python looks for no signals there. A signal that comes while
    C code does the last operation of the body is raised behind that, in its line; Python would look for it in `__exit__`.
    """

    def program(door, box, x):
        for i in range(3):
            with door:
                box["steps"] = i + 1
            x = x * 2
        return x * door.inside

    body = program.__code__.co_firstlineno + 3

    def handler(_, frame):
        is_last = frame.f_code.co_name == "program" and frame.f_lineno == body
        seen.append((door.inside, door.left, dict(box), is_last))
        raise Late

    signal.signal(signal.SIGUSR1, handler)
    moment, ended = 0, []
    while True:
        moment += 211 if not calls else 3
        compiled = ms.jit(program)
        for _ in range(calls):
            compiled(Door(), {}, Tensor([1.0]))
        door, box, seen, interrupt = Door(), {}, [], SignalAt(moment)
        with contextlib.suppress(Late), interrupt:
            compiled(door, box, Tensor([1.0]))
        if interrupt.left > 0:
            break
        ((inside, left, there, is_last),) = seen
        assert (door.inside, box) == (inside, there)
        is_in_the_body = inside > left and (is_last or there.get("steps", 0) < inside)
        assert door.left == left or (is_in_the_body and door.left == inside)
        ended.append(inside)
    assert len(set(ended)) > 1


def test_a_gradient_of_pynative_mode_that_a_signal_ends_leaves_no_tape_open():
    def run():
        return ms.grad(lambda a: (a * a).sum())(Tensor([1.0, 2.0]))

    run()  # what it needs is loaded, and no import is cut short
    moment = 0
    while True:
        moment += 1
        interrupt = SignalAt(moment)
        with contextlib.suppress(Late), interrupt:
            run()
        if interrupt.left > 0:
            break
        assert not transforms.depth and not transforms.running, moment
    assert moment > 30
