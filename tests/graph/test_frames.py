"""Functions that look at the stack find the program's frames, without a gap, each with its variables."""

from __future__ import annotations

import functools
import inspect
import operator
import sys
import traceback
import warnings

import pytest
from outcomes import bits

import anfora as ms
from anfora import Tensor, jit
from anfora.graph.run.keeper import Keeper
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
    found = [name for name in sys._getframe(1).f_locals if not name.startswith(".")]  # those of the program
    return sorted(found), dict(sys._getframe(1).f_locals)["k"]


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


@ms.no_grad()
def decorated(x, k):
    if k == 3:
        raise ValueError(k)
    return names(), stands(), x * k


def of_a_decorated_function(x, k):
    """What the decorator of this library has made stands between the two, and is seen as with Python."""
    try:
        return decorated(x, k)
    except ValueError as error:
        return [(each.name, each.lineno) for each in traceback.extract_tb(error.__traceback__)]


def lines():
    frame = sys._getframe(1)
    return (
        frame.f_lineno - frame.f_code.co_firstlineno,
        inspect.getsource(frame).splitlines()[0],
        inspect.getlineno(frame),
    )


def lines_of_a_function(x, k):
    def inner(v):
        y = v + k
        return lines(), y

    first = lines()
    return first, inner(x), (lambda: lines())(), [lines() for _ in range(2)]


def in_comprehensions(x, k):
    one = [names() for i in range(2)]
    two = {name_at(i): {(j, name_at(1), name_at(2)) for j in range(k)} for i in range(4)}
    three = [[variables() for k in range(k, k + 2) if k] for j in range(2)]
    four = [name_at(2) for i in [name_at(1)] for j in [name_at(1), i]]
    return one, two, three, four, x


def a_warning_in_a_comprehension(x, k):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        done = [
            warnings.warn("old", stacklevel=i)
            for i in range(1, k + 4)
        ]  # fmt: skip
    return [each.lineno for each in caught], done, x


def stands():
    """In which functions and lines the program stands."""
    frame, found = sys._getframe(1), []
    while frame.f_code.co_name != "the_caller":
        found.append((frame.f_code.co_name, frame.f_lineno))
        frame = frame.f_back
    return found


def lines_of_comprehensions(x, k):
    one = [
        stands()
        for i in range(k)
        for j in (stands(), i)
        if j is not None
    ]  # fmt: skip
    two = {
        i: {(j, *stands()) for j in range(k)} for i in range(4)
    }  # fmt: skip
    three = [
        [
            [stands() for _ in (stands(), 1) for _ in (stands(), 2)]
            for j in range(2)
        ]
        for i in range(2)
    ]  # fmt: skip
    for _ in range(3):
        one += stands()
    return one, [*two.items()], three, x


def test_frames_where_a_recording_is_left(monkeypatch):
    """Loops that have begun are Python's then, from their next iteration on."""
    program = lines_of_comprehensions
    expected, left = the_caller(program, Tensor([1.0]), 2)[:-1], 0

    def is_overdrawn(_):
        nonlocal left
        left -= 1
        return left < 0

    monkeypatch.setattr(Keeper, "_is_overdrawn", is_overdrawn)
    for pieces in range(1, 70, 2):
        left = pieces
        assert the_caller(ms.jit(program), Tensor([1.0]), 2)[:-1] == expected, pieces
        if left >= 0:
            break
    assert pieces > 20


PROGRAMS = [
    lines_of_comprehensions, lines_of_a_function, in_comprehensions, a_warning_in_a_comprehension, caller_of_caller,
    variable, variable_that_changes, all_variables, stack, stack_of_another, of_a_closure, of_a_method, of_a_generator,
    a_warning, extracted, of_an_exception, a_long_loop, a_warning_in_a_long_loop, a_function_that_calls_itself,
    of_another_compiled_one, of_a_decorated_function,
]  # fmt: skip


def the_caller(function, x, given):
    return function(x, given)


def plain(value):
    if isinstance(value, Tensor):
        return value.tolist()
    if isinstance(value, dict):
        return {key: plain(held) for key, held in value.items() if not key.startswith(".")}
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


def looks_it_up(x, k):
    y, numbers, more = x * k, [k, k + 1], {"k": (k, k * 2)}
    told = (lambda: k)()
    return numbers[told + 10], y, more


def raises_further_in(x, k):
    total = 0
    for i in range(2):
        total += k + i
    return looks_it_up(x + total, total)


def raises_in_a_comprehension(x, k):
    return [looks_it_up(x, each) for each in (k, k + 1)]


def raises_by_itself(x, k):
    y = x + k
    number = k * 2
    return y, [number][number]


def raises_between_items(x, k):
    def items(first):
        yield first
        yield looks_it_up(x, first)

    return list(items(k + 1))


def raises_in_comprehensions_that_are_looked_at(x, k):
    found = []
    for made in (
        lambda: [[looks_it_up(x, each) for each in (k,)] for _ in (1, 2)],
        lambda: {key: value for key, value in [(1, 2), 3]},  # noqa: C416
        lambda: {each[k] for each in ([1], [2])},
        lambda: [each.missing for each in [x]],
    ):
        try:
            made()
        except Exception as error:
            found.append([(e.name, e.lineno, e.line) for e in traceback.extract_tb(error.__traceback__)])
    raise IndexError(found)


RAISING = [
    raises_in_comprehensions_that_are_looked_at,
    raises_further_in,
    raises_in_a_comprehension,
    raises_by_itself,
    raises_between_items,
]


@pytest.mark.parametrize("program", RAISING)
def test_variables_in_tracebacks(program):
    """They are asked for when the call is over."""

    def shown(value):
        if isinstance(value, (list, tuple)):
            return type(value), [shown(item) for item in value]
        if isinstance(value, dict):
            return {key: shown(item) for key, item in value.items()}
        return type(value), value.tolist() if isinstance(value, Tensor) else str(value).partition(" at 0x")[0]

    def seen(function, given):
        with pytest.raises(IndexError) as caught:
            function(Tensor([1.0]), given)
        found = []
        for frame, line in traceback.walk_tb(caught.value.__traceback__):
            if frame.f_code.co_filename == __file__ and frame.f_code.co_name != "seen":
                held = {name: value for name, value in frame.f_locals.items() if not name.startswith(".")}
                found.append((frame.f_code.co_name, line, shown(dict(sorted(held.items())))))
        return found, str(caught.value)

    compiled = ms.jit(program)
    for given in (1, 2, 3, 3, 4):
        assert seen(compiled, given) == seen(program, given)


#: Expressions of `value`, which is NotImplemented, and of `flag`, a bool, of which some versions of Python warn.
WARNED_OF = [
    "bool(value)", "not value", "1 if value else 2", "value and flag", "value or flag", "operator.truth(value)",
    "operator.not_(value)", "any([value])", "all((value, value))", "any(each for each in [value])",
    "[*filter(None, [value])]", "[*map(bool, [value])]", "[each for each in [value] if each]",
    "functools.partial(bool, value)()", "(1).__eq__('a') or flag", "sorted([2, 1], reverse=bool(value))",
    "~flag", "operator.invert(flag)", "~(not flag)",
]  # fmt: skip


@pytest.mark.parametrize("expression", WARNED_OF)
@pytest.mark.parametrize("what", ["always", "error"])
def test_python_warns_in_each_call(expression, what, tmp_path):
    text = f"def program(x, value, flag):\n    try:\n        return {expression}, x + 1\n"
    text += "    except Exception as error:\n        return str(error)\n"
    file = tmp_path / "program.py"
    file.write_text(text)
    scope = {"functools": functools, "operator": operator}
    exec(compile(text, file, "exec"), scope)

    def heard(function):
        told = []
        for flag in (True, True, False, True):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter(what)
                result = bits(function(Tensor([1.0]), NotImplemented, flag))
            told.append((result, [(str(each.message), each.category, each.filename, each.lineno) for each in caught]))
        return told

    assert heard(jit(scope["program"])) == heard(scope["program"])
