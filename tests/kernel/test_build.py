"""Compilation in several threads at once: each object once, with the bytes of a single thread."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest

from anfora import Parameter, Tensor, ops, value_and_grad
from anfora.core.op import registry
from anfora.kernel import apart as apart_module
from anfora.kernel import build
from anfora.kernel.cache import Cache
from anfora.kernel.emit import F64, Function


def polynomial(number):
    """kernel(x) = x (x + 1) … (x + n) of a float, and a loop."""
    fn = Function("kernel", [("double", "x"), ("i64", "count")], "double")
    x, count = fn.args
    total = fn.var(fn.const(float(number), F64))
    with fn.loop(0, count) as i:
        total.set(total.value * (x + i.to("f64")))
    fn.ret(total.value)
    return fn.module


def test_a_thousand_compilations_in_eight_threads_give_the_bytes_of_one():
    recipe = build.Recipe(polynomial, dict, vectorize=False)

    def compiled(number):
        return build._emitted(recipe.optimised((number,), ("kernel",)))

    alone = [compiled(number) for number in range(50)]
    assert len(set(alone)) == 50
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(compiled, [number % 50 for number in range(1000)]))
    assert all(image == alone[number % 50] for number, image in enumerate(found))


@pytest.fixture
def compilations(monkeypatch):
    """The keys that are compiled, with nothing on disk, and in which threads."""
    seen = []
    image_of = build.Recipe._image

    def noted(self, key, params, names):
        seen.append((key, threading.get_ident()))
        return image_of(self, key, params, names)

    nothing = Cache(None)
    monkeypatch.setattr(build, "disk", lambda: nothing)
    monkeypatch.setattr(build.Recipe, "_image", noted)
    return seen


def test_many_that_want_an_object_compile_it_once(compilations):
    recipe = build.Recipe(polynomial, dict, vectorize=False)
    with ThreadPoolExecutor(8) as pool:
        addresses = list(pool.map(recipe.address, [number % 4 for number in range(32)]))
    assert [addresses[:4] * 8] == [addresses] and len(set(addresses)) == 4
    assert len(compilations) == 4


def test_plans_are_compiled_together(compilations):
    recipe = build.Recipe(polynomial, dict, vectorize=False)
    planned = []
    build.compile_ahead(lambda: planned.extend(recipe.address(number) for number in range(100, 104)))
    assert all(type(each) is build.Asked for each in planned)  # nobody may keep them
    assert len(compilations) == 4 and threading.get_ident() not in dict(compilations).values()
    assert all(recipe.address(number) for number in range(100, 104)) and len(compilations) == 4


def test_an_error_is_left_to_who_needs_the_kernel(compilations):
    def broken(number):
        raise ValueError(f"no kernel {number}")

    recipe = build.Recipe(broken, dict, vectorize=False)
    build.compile_ahead(lambda: [recipe.address(1), recipe.address(2)])
    with pytest.raises(ValueError, match="no kernel 1"):
        recipe.address(1)


def test_a_walk_back_over_what_was_never_compiled(monkeypatch):
    """The walk is gone through once before: that changes nothing that the program has."""
    x, w = Tensor([[1.0, 2.0], [3.0, -4.0]]), Parameter(Tensor([[0.5, -1.0], [2.0, 0.25]]), name="w")

    def loss(x):
        y = ops.tanh(x @ w)
        return (y[:, 0] * y.sum(1)).mean() + ops.softmax(y).max()

    plain = value_and_grad(loss, 0, [w])(x)
    for entries in (op.caches for op in (ops.matmul, ops.tanh, ops.mul, ops.softmax)):
        entries.clear()
    monkeypatch.setattr("anfora.eager.tape.is_cold", lambda: True)
    for _ in range(3):
        again = value_and_grad(loss, 0, [w])(x)
        assert plain[0].item() == again[0].item()
        assert plain[1][0].tolist() == again[1][0].tolist()
        assert plain[1][1][0].tolist() == again[1][1][0].tolist()


def test_threads_take_turns_where_memory_is_short(monkeypatch):
    """There is room for one of them at a time."""
    at_work, most = [0], [0]

    def require(nbytes, purpose, **options):
        if nbytes > 20 << 20:
            raise MemoryError(purpose)

    def image_of(self, key, params, names):
        with build._room.of(16 << 20, "compiling"):
            at_work[0] += 1
            most[0] = max(most[0], at_work[0])
            with build._room.of(16 << 20, "what this needs itself"):
                made = original(self, key, params, names)
            at_work[0] -= 1
        return made

    original = build.Recipe._image
    nothing = Cache(None)
    monkeypatch.setattr(build, "disk", lambda: nothing)
    monkeypatch.setattr(build, "require", require)
    monkeypatch.setattr(build.Recipe, "_image", image_of)
    recipe = build.Recipe(polynomial, dict, vectorize=False)
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(recipe.address, range(200, 216)))
    assert most[0] == 1
    build.compile_ahead(lambda: [recipe.address(number) for number in (300, 301)])
    assert (300,) not in recipe._made  # no room for threads
    monkeypatch.setattr(build, "require", lambda nbytes, purpose, **options: require(nbytes + (1 << 30), purpose))
    with pytest.raises(MemoryError):
        recipe.address(300)


def test_operators_that_run_while_something_is_planned_are_real(monkeypatch):
    """A length that is a tensor is compared while `place` is planned, which asks for kernels that nobody has compiled."""
    for name in ("place", "less", "greater", "equal", "mul"):
        registry[name].caches.clear()
    monkeypatch.setattr("anfora.eager.entry.is_cold", lambda: True)
    path = (("index_view", (("items", (1,)),)),)
    for length in (2, 3):
        found = registry["place"](Tensor([7, 8]), (Tensor(length), Tensor(2)), path)
        assert found.tolist() == [[0, 0], [7, 8], [0, 0]][:length]


class Interrupted(Exception):
    """What a handler of a signal raises."""


def test_the_main_thread_takes_no_lock_of_llvm(compilations):
    """An exception of a handler that came while it held one would leave it taken, and all others waiting."""
    import llvmlite.binding as llvm

    threads = set()
    taken, given = (lambda: threads.add(threading.get_ident())), (lambda: None)
    llvm.ffi.register_lock_callback(taken, given)
    try:
        assert build.Recipe(polynomial, dict, vectorize=False).address(400)
        build.compile_ahead(lambda: [build.Recipe(polynomial, dict, vectorize=False).address(n) for n in (401, 402)])
    finally:
        llvm.ffi.unregister_lock_callback(taken, given)
    assert threads and threading.get_ident() not in threads


@pytest.mark.parametrize("delay", [0.0005, 0.002, 0.004, 0.008, 0.016, 0.03])
def test_handlers_of_signals_may_raise_while_something_is_compiled(compilations, delay):
    """What was begun is done to its end, once, and others need not wait for ever."""

    def raise_it(*_):
        raise Interrupted

    recipe = build.Recipe(polynomial, dict, vectorize=False)
    before = signal.signal(signal.SIGALRM, raise_it)
    try:
        for number in range(3):
            signal.setitimer(signal.ITIMER_REAL, delay * (1 + number / 3))
            with contextlib.suppress(Interrupted):
                recipe.address(number)
                signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    with ThreadPoolExecutor(1) as pool:
        found = [pool.submit(recipe.address, number).result(60) for number in range(3)]
    assert found == [recipe.address(number) for number in range(3)]
    assert len(compilations) == 3


def test_who_forks_waits_until_nobody_compiles(compilations):
    """The child may compile: no lock is held there by a thread that it has not."""
    begun, is_over = threading.Event(), []

    def slow(number):
        begun.set()
        time.sleep(0.05)
        is_over.append(number)
        return polynomial(number)

    recipe = build.Recipe(slow, dict, vectorize=False)
    thread = threading.Thread(target=recipe.address, args=(-1,))
    thread.start()
    assert begun.wait(60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that there are threads
        process = os.fork()
    if not process:
        os._exit(0 if is_over and recipe.address(-2) else 1)
    assert os.waitpid(process, 0)[1] == 0
    thread.join()


def test_the_thread_that_works_apart_stays_for_a_moment(monkeypatch):
    """One piece of work after the other is done by one thread, two at once by two; and they end."""
    monkeypatch.setattr(apart_module, "_PATIENCE", 0.2)

    def all_end():
        deadline = time.monotonic() + 30
        while apart_module._idle and time.monotonic() < deadline:
            time.sleep(0.05)
        return not apart_module._idle

    assert all_end()  # those of other tests
    first, *others = [apart_module.apart(threading.get_ident) for _ in range(20)]
    assert set(others) == {first} and first != threading.get_ident()
    assert len(apart_module._idle) == 1
    both, seen = threading.Barrier(2), []

    def work():
        both.wait(10)
        seen.append(threading.get_ident())

    apart_module.apart_together(work, 2)
    assert len(set(seen)) == 2
    assert len(apart_module._idle) == 2
    with pytest.raises(ZeroDivisionError):
        apart_module.apart(lambda: 1 // 0)
    assert all_end()
    assert apart_module.apart(lambda: 7) == 7
