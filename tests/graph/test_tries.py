"""Operators in a `try` that may fail, as data has it: compiled as if they did not, and done by Python in a call where they
do, from the start of the piece on."""

from __future__ import annotations

import numpy as np
import pytest
from outcomes import bits, outcome
from test_transforms_inside import data, hops

import anfora as ms
from anfora import Tensor, jit, ops

TABLE = data(1, 4, 2)


def i(*numbers):
    return Tensor(np.array(numbers, np.int32))


def looked_up(k, x):
    try:
        y = ops.gather(TABLE, k, 0) * x
    except IndexError as error:
        return str(error), x * 2
    return y + 1


def raised_on(k, x):
    try:
        return ops.gather(TABLE, k, 0) * x
    except IndexError as error:
        raise ValueError("there is no such row") from error


def with_a_finally(k, x):
    told = []
    try:
        x = x + ops.gather(TABLE, k, 0).sum()
        told.append("found")
    finally:
        told.append("done")
    return x, told


def written_after_it(k, x):
    y = x * 2
    try:
        z = ops.gather(TABLE, k, 0).sum()
        y[0] = 7.0
        y = y + ops.gather(TABLE, k + 1, 0).sum()
    except IndexError:
        return x, y
    return y, z


def written_before_it(k, x):
    y = x * 2
    try:
        y[0] = 7.0
        y = y + ops.gather(TABLE, k, 0).sum()
    except IndexError:
        return x, y
    return y


def argument_is_written(k, x):
    try:
        x.add_(1)
        return ops.gather(TABLE, k, 0).sum() + x
    except IndexError:
        x.mul_(2)
        return x


def drawn_in_it(k, x):
    try:
        a = ops.randn(2)
        b = ops.gather(TABLE, k, 0).sum()
        return a + b + ops.randn(2)
    except IndexError:
        return ops.randn(2)


SEEN = []


def noted_in_it(k, x):
    try:
        SEEN.append("before")
        y = ops.gather(TABLE, k, 0).sum()
        SEEN.append("behind")
        return y
    except IndexError:
        SEEN.append("caught")
        return x


def in_a_loop(k, x):
    for n in range(3):
        try:
            x = x + ops.gather(TABLE, k + n, 0).sum()
        except IndexError:
            x = x * 0.5
    return x


def in_a_loop_on_data(k, x):
    while x.sum() < 30:
        try:
            x = ops.abs(x) * 2 + ops.gather(TABLE, k, 0).sum() ** 2 + 1
        except IndexError:
            x = x + 9
    return x


def behind_a_hop(k, x):
    n = float(x.sum())
    try:
        y = ops.gather(TABLE, k, 0).sum() * n
    except IndexError as error:
        y = x * n
        SEEN.append(type(error).__name__)
    return y + 1


def in_a_gradient(k, x):
    def f(v):
        try:
            return (ops.gather(TABLE, k, 0).sum() * v).sum()
        except IndexError:
            return (v * v).sum()

    return ms.grad(f)(x), ms.jvp(f, x, x)


def in_a_helper_that_passes_it_on(k, x):
    def helper(k):
        try:
            return ops.gather(TABLE, k, 0).sum()
        except ValueError:
            return x

    try:
        return helper(k) + x
    except IndexError:
        return x - 1


def not_caught(k, x):
    try:
        return ops.gather(TABLE, k, 0).sum()
    except ValueError:
        return x


def divided(k, x):
    try:
        return 7 // k, k**k
    except (ZeroDivisionError, ValueError) as error:
        return str(error)


def observed(function, k, x):
    """What a call gives, or its error with those that led to it, and what it has done."""
    try:
        result = bits(function(k, x))
    except Exception as raised:
        result, error = [], raised
        while error is not None:
            result.append((type(error), str(error), type(error.__cause__)))
            error = error.__context__
    return result, bits(x), list(SEEN), ms.get_rng_state().tolist()


PROGRAMS = [
    looked_up, raised_on, with_a_finally, written_after_it, written_before_it, argument_is_written, drawn_in_it,
    noted_in_it, in_a_loop, in_a_loop_on_data, behind_a_hop, in_a_gradient, in_a_helper_that_passes_it_on,
    not_caught, divided,
]  # fmt: skip


@pytest.mark.parametrize("failing", [1, 5])
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_what_fails_is_caught(function, failing):
    """In a later call, in several of them, and in the first one."""
    good, bad = (i(0), i(1), i(-1)), (i(9), i(-9))
    if function is divided:
        good, bad = (i(2), i(3), i(1)), (i(0), i(-1))
    for calls in (good + bad * failing + good, bad[:1] + good + bad * failing + good):
        compiled = jit(function)
        for number, k in enumerate(calls):
            found = []
            for each in (compiled, function):
                SEEN.clear()
                ms.set_seed(number)
                found.append(observed(each, k, data(number, 2)))
            assert found[0] == found[1]
        assert compiled.program.native is None


@pytest.mark.parametrize("function", [looked_up, in_a_loop, in_a_helper_that_passes_it_on])
def test_nothing_is_left_to_the_interpreter_where_nothing_fails(function):
    compiled = jit(function)
    for n in (0, 1, 0, 1):
        assert outcome(compiled, i(n), data(n, 2)) == outcome(function, i(n), data(n, 2))
    assert not hops(compiled) and compiled.program.recordings == 1


def test_what_often_fails_is_compiled_with_what_follows():
    compiled = jit(looked_up)
    for n in (0, 9, 1, 9, 0, 9, 1, 9, 9, 0, 9):
        assert outcome(compiled, i(n), data(n, 2)) == outcome(looked_up, i(n), data(n, 2))
    assert compiled.program.leaves_tries
    assert hops(compiled) == ["an error of pick would be caught", "str of a value that the compiler does not know"]
    before = compiled.program.recordings
    for n in (0, 9) * 3:
        assert outcome(compiled, i(n), data(n, 2)) == outcome(looked_up, i(n), data(n, 2))
    assert compiled.program.recordings == before


def test_a_tape_outside_follows():
    compiled = jit(looked_up)

    def total(f):
        def run(x):
            found = f(i(k), x)
            return (found[1] if isinstance(found, tuple) else found).sum()

        return ms.value_and_grad(run)

    for k in (0, 1, 9, 0, -9, 2):
        assert outcome(total(compiled), data(k + 9, 2)) == outcome(total(looked_up), data(k + 9, 2))
