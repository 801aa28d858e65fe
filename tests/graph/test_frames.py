"""Functions that look at the stack find the program's frames, without a gap, each with its variables."""

from __future__ import annotations

import inspect
import sys
import traceback
import warnings

import pytest

import anfora as ms
from anfora import Tensor
from anfora.graph.state.moments import OVERDRAWN


def name_at(depth):
    return sys._getframe(depth).f_code.co_name


def local_at(depth, name):
    return sys._getframe(depth).f_locals[name]


def names():
    return [entry.function for entry in inspect.stack()[1:5]]


def through_another():
    return names()


def variables():
    return sorted(sys._getframe(1).f_locals), dict(sys._getframe(1).f_locals)["k"]


def caller_of_caller(x, k):
    return name_at(2), name_at(3), x


def variable(x, k):
    return local_at(1, "k"), x


def variable_that_changes(x, k):
    k = k + 1
    first = local_at(1, "k")
    k = k * 2
    return first, local_at(1, "k"), local_at(2, "given"), x


def all_variables(x, k):
    return variables()


def stack(x, k):
    return names(), x


def stack_of_another(x, k):
    y = x * 2
    return through_another(), y


def of_a_closure(x, k):
    def inner(j):
        return names(), local_at(1, "j"), local_at(2, "k")

    return inner(k + 1)


def of_a_method(x, k):
    class Thing:
        def method(self):
            return names()

    return Thing().method()


def of_a_generator(x, k):
    def steps():
        yield names()

    return next(steps())


def a_warning(x, k):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for level in (1, 2, 3):
            warns(level)
    return [(warning.filename, warning.lineno) for warning in caught], x


def warns(level):
    warnings.warn("old", stacklevel=level)


def extracted(x, k):
    return [entry.name for entry in traceback.extract_stack()[-2:]], x


def of_an_exception(x, k):
    try:
        fails(k)
    except ValueError as error:
        return [entry.name for entry in traceback.extract_tb(error.__traceback__)], x


def fails(k):
    raises(k)


def raises(k):
    int(f"no number {k}")


def a_long_loop(x, k):
    found = []
    for i in range(100 + k):
        if i % 40 == 0:
            found.append((inspect.stack()[1].function, name_at(3)))
    return found, x


def a_warning_in_a_long_loop(x, k):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for i in range(100):
            if i == k:
                warnings.warn("old", stacklevel=2)
    return [(each.filename, each.lineno) for each in caught], x


def a_function_that_calls_itself(x, k):
    def down(n):
        return names() if n == 0 else down(n - 1)

    return down(k), down(9), x


@ms.jit
def compiled_too(x):
    return names(), x * 2


def of_another_compiled_one(x, k):
    return compiled_too(x), k


PROGRAMS = [
    caller_of_caller, variable, variable_that_changes, all_variables, stack, stack_of_another, of_a_closure, of_a_method,
    of_a_generator, a_warning, extracted, of_an_exception, a_long_loop, a_warning_in_a_long_loop,
    a_function_that_calls_itself, of_another_compiled_one,
]  # fmt: skip


def the_caller(function, x, given):
    return function(x, given)


def plain(value):
    if isinstance(value, Tensor):
        return value.tolist()
    return type(value)(map(plain, value)) if isinstance(value, (list, tuple)) else value


@pytest.mark.parametrize("program", PROGRAMS)
def test_frames(program):
    compiled = ms.jit(program)
    for given in (1, 2, 3, 3, 4):
        x = Tensor([float(given)])
        assert plain(the_caller(compiled, x, given)) == plain(the_caller(program, x, given))


@pytest.mark.parametrize("program", PROGRAMS)
def test_frames_of_what_is_given_back_to_python(program):
    """Its first call has been recorded."""
    compiled = ms.jit(program)
    for given in (1, 2, 3, 3, 4):
        x = Tensor([float(given)])
        assert plain(the_caller(compiled, x, given)) == plain(the_caller(program, x, given))
        compiled.program.native = OVERDRAWN
        compiled_too.program.native = OVERDRAWN if given % 2 else None
