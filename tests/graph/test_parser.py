"""Parsed functions beside the same functions run by Python; the programs of the specification; what is refused."""

from __future__ import annotations

import ast
import calendar
import colorsys
import contextlib
import difflib
import fnmatch
import functools
import heapq
import importlib
import inspect
import linecache
import pprint
import shlex
import statistics
import sys
import textwrap
import types

import graph_programs
import pytest
from graph_difference import difference
from hypothesis import given, settings
from hypothesis import strategies as st

import anfora as ms
from anfora import Tensor, ops
from anfora.graph.ir.evaluate import evaluate, function
from anfora.graph.ir.parser import parse
from anfora.graph.ir.primitives import PRIMITIVES
from anfora.graph.ir.reading import read
from anfora.graph.ir.structure import Structure
from anfora.graph.ir.text import complete
from anfora.graph.ir.verify import verify

LOG: list = []
FACTOR = 3


def func(x, y):
    return x / y


def test_f(x, y):
    a = x - 1
    b = a + y
    c = b * func(a, b)
    return c


test_f.__test__ = False  # type: ignore[attr-defined]


def hof(x):
    def f(x):
        return x + 3

    def g(function, x):
        return function(x) * function(x)

    res = g(f, x)
    return res


def fibonacci(n):
    if n < 1:
        return 0
    elif n == 1:
        return 1
    else:
        return fibonacci(n - 1) + fibonacci(n - 2)


def func_outer(a, b):
    def func_inner(c):
        return a + b + c

    return func_inner


def ms_closure():
    closure = func_outer(1, 2)
    out1 = closure(1)
    out2 = closure(2)
    return out1, out2


@pytest.mark.parametrize("source", [test_f, hof, fibonacci, func_outer, ms_closure])
def test_the_programs_of_the_specification(source):
    graph = parse(source)
    verify(graph)
    assert difference(graph, getattr(graph_programs, source.__name__)()) is None
    names = [g.name for g in Structure(graph).graphs]
    assert names == [g.name for g in Structure(getattr(graph_programs, source.__name__)()).graphs]


def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def primes(n):
    found = []
    for i in range(2, n):
        for j in range(2, i):
            if i % j == 0:
                break
        else:
            found += [i]
    return found


def skip(n):
    total = i = 0
    for i in range(n, 0, -1):
        if i == 3:
            continue
        if i == 1:
            break
        total += i * 10
    return total, i


def ranges(n):
    total = 0
    i = -1
    for i in range(n):
        total = total + i
    else:
        total = total - 1
    while total > 100:
        total -= 7
    return i, total


def chains(x):
    low = 0 <= x < 3 != x
    word = (x > 5 and "big") or (x < 0 and "negative") or "small"
    return low, word, x if not x else -x, None is None, x not in (1, 2), +x, ~x


def unpacking(x):
    a, (b, c) = x, (x + 1, x + 2)
    d = e = [a, b, c, 9]
    return {"d": d[1:3], "same": d is e, "last": e[-1]}, d[::2], "text"[x % 4]


def effects(x):
    LOG.append(x)
    if x > 2:
        LOG.append("big")
        LOG.append(x * 2)
    unused = x + 1  # noqa: F841
    for i in range(x):
        LOG.append(i)
    return x


def closures(x):
    def scale(y):
        return y * x

    def power(y, n):
        if n == 0:
            return 1
        return scale(y) * power(y, n - 1)

    return power(2, 3), (lambda z: z - x)(10)


def early(x):
    if x < 0:
        return "negative"
    y = x * 2
    if y > 6:
        y = y - 1
    while True:
        y = y + 1
        if y % 5 == 0:
            return y


def methods(x):
    return str(x).zfill(4).upper(), abs(x), len(range(x * x)), x.real


PROGRAMS = [collatz, primes, skip, ranges, chains, unpacking, closures, early, methods, fibonacci]


@pytest.mark.parametrize("source", PROGRAMS)
def test_parsed_as_python_runs_it(source):
    graph = parse(source)
    verify(graph)
    for n in (1, 2, 3, 4, 7, 12):
        got, expected = evaluate(graph, n), source(n)
        assert got == expected and type(got) is type(expected)
    assert graph.anf() and str(graph) and graph.dot()


#: What has no graph form, around some lines.
PARTS = {
    "try": "try:\n{}\nfinally:\n    note('end')",
    "except": "try:\n{}\nexcept ValueError:\n    break",
    "with": "with suppress(KeyError):\n{}",
    "match": "match x:\n    case 100:\n        break\n    case _:\n{}",
}


@pytest.mark.parametrize("before", ["", "note('in front')\n"])
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("loops", [["while True"], ["while x > -7"], ["for _ in range(9)"], ["while True"] * 3])
def test_a_part_that_python_runs_is_left_from_any_place_of_loops(loops, part, before):
    """It may be the first that an iteration does, so that the next one begins where it stands."""
    leaves = "x -= 1\nnote(x)\nif x % 5 == 0: break\nif x % 3 == 0: continue\nif x < -6: return 'left'"
    lines = before + PARTS[part].format(textwrap.indent(leaves, " " * 8)) + "\nnote('behind')"
    for loop in loops:
        lines = f"{loop}:\n{textwrap.indent(lines, ' ')}\nnote(x, 'over')\nif x < -3: return 'over'"
    notes: list = []
    names = parsed_names(f"def program(x):\n{textwrap.indent(lines, ' ')}\n", note=lambda *what: notes.append(what))
    names["suppress"] = contextlib.suppress
    graph = parse(names["program"])
    verify(graph)
    for x in range(9):
        results = []
        for run in (names["program"], functools.partial(evaluate, graph)):
            notes.clear()
            results.append((run(x), *notes))
        assert results[0] == results[1]


def parsed_names(source, **names):
    """The names of a module that has this source."""
    file = f"<{hash(source)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    names["__name__"] = "program"
    exec(compile(source, file, "exec"), names)
    return names


@pytest.mark.parametrize(
    "loop",
    [
        "for i in range(2): x = x + i",
        "while x < 0: x = x + 1",
        "for i in range(2):\n        if x > 5: break\n        x = x + 1",
        "while x < 9:\n        x = x + 1\n        if x == 3: continue\n        x = x * 2\n    else: x = x - 1",
        "if x > 3 and x < 9: x = x + 1",
    ],
)
def test_names_do_not_grow_with_what_stands_in_front(loop):
    def longest(count):
        program = parsed_names("def program(x):\n" + f"    {loop}\n" * count + "    return x\n")["program"]
        graph = parse(program)
        assert evaluate(graph, 1) == program(1)
        return max(len(str(each.name)) for each in Structure(graph).graphs)

    assert longest(40) <= longest(2) + 4  # a number or two


def test_effects_come_in_order():
    graph = parse(effects)
    for n in (0, 2, 5):
        assert seen_of(function(graph), n) == seen_of(effects, n)


def test_what_nothing_uses_may_fail():
    def divide(x):
        1 / x
        return x

    graph = parse(divide)
    assert evaluate(graph, 2) == 2
    with pytest.raises(ZeroDivisionError):
        evaluate(graph, 0)
    with pytest.raises(TypeError, match="unhashable type: 'list'"):
        evaluate(parse(makes_a_set), [1])


def makes_a_set(x):
    {x}  # noqa: B018
    return x


def test_an_unused_call_leaves_the_tail():
    assert evaluate(parse(count_down), 5000) == "done"


def count_down(n):
    if n == 0:
        return "done"
    n + 1
    return count_down(n - 1)


def test_many_blocks():
    """A variable is found through a thousand of them."""
    source = "def program(x, y):\n" + "    if x > 5: x = x - 1\n    x = x + 0\n" * 1000 + "    return x + y\n"
    file = "<many blocks>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    names: dict = {"__name__": "program"}
    exec(compile(source, file, "exec"), names)
    assert evaluate(parse(names["program"]), 700, 1) == names["program"](700, 1) == 6


def rows(x, n):
    total = x * 0
    for i in range(n):
        if ops.sum(x[i]) > 0:
            total = total + ops.relu(x[i]) @ x
        else:
            total = total - ops.exp(x)[i]
    return ops.sum(total * total)


def test_tensors_and_gradients():
    x = Tensor([[1.0, -2.0, 0.5], [0.25, 3.0, -1.0], [-2.0, 1.0, 0.5]])
    run = function(parse(rows))
    assert run(x, 3).tolist() == rows(x, 3).tolist()
    assert ms.grad(run)(x, 3).tolist() == ms.grad(rows)(x, 3).tolist()


def test_jit_is_seen_through():
    assert difference(parse(ms.jit(fibonacci)), parse(fibonacci)) is None


def test_spans():
    graph = parse(test_f)
    call = graph.output
    _, start = inspect.getsourcelines(test_f)
    assert (call.span.line, call.span.text.strip()) == (start + 3, "c = b * func(a, b)")
    assert call.span.text[call.span.column : call.span.end_column] == "b * func(a, b)"
    assert call.name == "c"


# -- what the plain part of the language does not have ----------------------------------------------------------------


def with_globals(x):
    LOG.append(x * FACTOR)
    return LOG[-1], len(LOG) > 0


def global_statement(x):
    global COUNT
    COUNT = x
    COUNT += 1
    return COUNT, [COUNT for _ in range(2)]


def rebound(x):
    def inner():
        return x

    before = inner()
    x = x + 1
    return before, inner(), (lambda: x)()


def counter(x):
    total = 0

    def add(n=x):
        nonlocal total
        total += n
        return total

    add()
    return add(2), add(), total


def late_binding(x):
    late = [lambda: k + x for k in range(3)]  # noqa: B023
    return [f() for f in late], [f(1) for f in [lambda a, k=k: k * a for k in range(3)]]


def defined_later(x):
    def first():
        return second() * x

    def second():
        return 3

    return first()


def maybe_unbound(x):
    if x % 2:
        y = 1
    return y


def unbound_inside(x):
    def use():
        return later

    if x > 3:
        later = x
    return use()


def deleted(x):
    y = [x, x + 1, x + 2]
    del y[0]
    z = y
    del y
    return z, y if x == 12 else None  # noqa: F821


def with_try(x):
    told = []
    for k in range(3):
        try:
            told.append(12 // (x - k))
            if x == 4:
                continue
            if x == 7:
                break
            if x == 12:
                return "twelve", k
        except ZeroDivisionError as error:
            told.append(str(error))
        else:
            told.append("fine")
        finally:
            told.append(k)
    else:
        told.append("to the end")
    return told


def caught(x):
    try:
        raise KeyError(x)
    except (ValueError, KeyError) as error:
        found = error.args
    return found, error if x == 12 else "gone"  # noqa: F821


def raised(x):
    if x > 7:
        raise IndexError
    if x == 3:
        raise ValueError("three") from KeyError(x)
    return x


class Manager:
    def __init__(self, told):
        self.told = told

    def __enter__(self):
        self.told.append("in")
        return self.told

    def __exit__(self, kind, error, trace):
        self.told.append(kind and kind.__name__)
        return kind is KeyError


def with_with(x):
    told = []
    with Manager(told) as same, Manager(told):
        if x == 2:
            return told
        y = {4: x}[x] if x > 3 else x
        same.append(y)
    return told, y


def with_for(x):
    pairs = {"a": x, "b": 2}
    total = 0
    for k, (name, value) in enumerate(pairs.items()):
        if name == "b" and x > 4:
            break
        total += k * value
    else:
        total = -total
    return total, k, [c for c in "text" if c != "t"], list(zip("ab", range(x)))


def comprehensions(x):
    table = {k: v * 2 for k, v in zip("abc", range(x))}
    pairs = [(a, b) for a in range(x) if a % 2 for b in range(a) if b]
    return (
        table,
        pairs,
        {a % 3 for a in range(x)},
        sum(a * x for a in range(3)),
        [[x for _ in range(2)] for x in range(2)],
    )


def with_star(x):
    a, *b = range(x + 1)
    *c, d = "text"
    [e, *_], named = [a, *b, *c], {"x": x}
    return a, b, c, d, e, (*b, 0), {*b}, {"n": 1, **named}


def with_keywords(x):
    def f(a, /, b, *rest, key=3, **more):
        return a, b, rest, key, more

    items, named = [1, x], {"key": x, "z": 0}
    return f(1, 2), f(*items, 5, **named), f(0, b=x), sorted(items, reverse=True), helper(x, scale=3), helper(*[x])


def helper(x, scale=2, *, offset=1):
    return x * scale + offset


def wrong_arguments(x):
    return helper(x, 1, 2) if x > 4 else helper() if x > 2 else helper(x, size=2)


def with_store(x):
    box = type("Box", (), {})()
    box.items = [1, 2, 3]
    box.items[x % 3] += 10
    box.n = box.items[0] = x
    box.n -= 1
    box.items[1:] = []
    return vars(box)


def with_walrus(x):
    if (y := x + 1) > 3 and (z := y * 2) < 12:
        return y, z
    return y, [last := k for k in range(x)][-1], last


def with_strings(x):
    return f"{x:>4}|{x!r:s}|{x / 3:.{x}f}|{{}}", f"{x=}"


def with_match(x):
    match [x, {"a": x}]:
        case [1, _]:
            return "one"
        case [n, {"a": m, **rest}] if n > 6:
            return n, m, rest
        case [_, {}]:
            pass
    return "other"


def with_class(x):
    class Box:
        size = x

        def __init__(self, n):
            self.__n = n

        def total(self):
            return self.__n + self.size + x

    return Box(2).total(), Box.__qualname__, helper(Box.size)


def with_import(x):
    import math as m
    from operator import neg

    return m.floor(x / 2), neg(x)


def generator(x):
    for k in range(x):
        yield k * 2


def with_generator(x):
    return list(generator(x)), sum(k for k in generator(x) if k > 2)


def with_locals(x):
    y = x
    return locals(), y


def with_missing(x):
    return no_such_name if x > 3 else x  # noqa: F821


def decorated(x):
    def twice(function):
        return lambda *args: function(*args) * 2

    @twice
    @functools.lru_cache
    def f(n):
        return n if n < 1 else f(n - 1) + 1

    return f(x)


def function_with_attributes(x):
    def f():
        f.calls += 1
        return f.calls

    f.calls = x
    return f(), f(), f is f, f.calls


class Private:
    __scale = 3

    def scaled(self, x):
        self.__kept = x
        with Manager([]):
            self.__kept += self.__scale
        return self.__kept * self.__scale

    def summed(self, __start, /):
        """Variables have such names too."""
        __total = __start
        for __k in range(3):
            __total += __k
        with Manager([]):
            __total += __start
        return __total, [__k * __total for __k in range(2)], (lambda: __total)()


def of_a_class(x):
    return Private().scaled(x)


def who_calls(x):
    names = [sys._getframe(0).f_code.co_name]
    names.append(inspect.currentframe().f_code.co_name)
    return names, (lambda: sys._getframe(1).f_locals["x"])() == x


def with_inner_generator(x):
    def pairs(n):
        for k in range(n):
            yield k, x

    class Box:
        def __init__(self):
            super().__init__()
            self.found = list(pairs(x))

    return Box().found, sum(a * b for a, b in pairs(x) if a)


def captured_before_bound(x):
    with Manager([]):
        late = lambda: y  # noqa: E731
    y = x + 1
    try:
        z = late()
        again = lambda: z  # noqa: E731
    finally:
        z = again() * 2
    return late(), z, again()


def walrus_on_the_way(x):
    items, named = [1, 2], {"scale": x}
    made = [*items, (a := x) if x > 2 else -1, *[b := k for k in items]]
    while (left := len(made)) > 3 and (last := made.pop()) != 1:
        pass
    return made, a if x > 2 else None, b, helper(*items[:1], **(named if (c := x % 2) else {})), c, left, (last,)


def nested_choices(x):
    word = [("a" if k % 2 else "b" if k else "c") * (k or 1) for k in range(x) if not (k == 2 or 3 < k <= 5)]
    return word, 0 < (y := x) < 3 < x or y, (x and [x]) or ({} if x else (1,)), not ((x > 1 and x < 5) or x == 7)


COUNT = 0
ODD = [
    with_inner_generator, captured_before_bound, walrus_on_the_way, nested_choices,
    with_globals, global_statement, rebound, counter, late_binding, defined_later, maybe_unbound, unbound_inside, deleted,
    with_try, caught, raised, with_with, with_for, comprehensions, with_star, with_keywords, wrong_arguments, with_store,
    with_walrus, with_strings, with_match, with_class, with_import, with_generator, with_locals, with_missing, decorated,
    function_with_attributes, of_a_class, who_calls, lambda x: [x, (lambda y, z=2: y * z)(x)],
]  # fmt: skip


def seen_of(run, n):
    """What a call gives, or raises, and what it leaves outside."""
    global COUNT
    LOG.clear()
    COUNT = 0
    try:
        outcome = repr(run(n))
    except Exception as error:
        outcome = type(error), str(error), type(error.__cause__)
    return outcome, list(LOG), COUNT


@pytest.mark.parametrize("source", ODD)
def test_all_of_the_language(source):
    graph = parse(source)
    verify(graph)
    objects: dict = {}
    again = read(complete(graph, objects), objects)
    assert difference(graph, again, complete=True) is None
    for n in (1, 2, 3, 4, 7, 12):
        expected = seen_of(source, n)
        assert seen_of(function(graph), n) == expected
        assert seen_of(function(again), n) == expected
    assert graph.anf() and str(graph) and graph.dot()


def test_variables_of_a_method_may_have_private_names():
    assert evaluate(parse(Private.summed), Private(), 3) == Private().summed(3) == (9, [0, 9], 9)


def test_variables_from_outside_are_read_when_the_program_reads_them(monkeypatch):
    graph = parse(with_globals)
    monkeypatch.setitem(globals(), "FACTOR", 10)
    monkeypatch.setitem(globals(), "LOG", [0])
    assert evaluate(graph, 2) == (20, True) and LOG == [0, 20]


def interpreted_in(graph):
    structure = Structure(graph)
    calls = [call for each in structure.graphs for call in structure.schedules[each]]
    return [call for call in calls if call.calls(PRIMITIVES["interpret"])]


def test_what_has_no_graph_form_is_an_interpret_node():
    [call] = interpreted_in(parse(with_with))
    text, reason = (node.value for node in call.args[:2])
    assert text == "with Manager(told) as same, Manager(told): if x == 2: retur…"
    assert call.args[2].value == ("told", "same", "x", "y")
    assert reason == "`with` has no graph form"
    _, start = inspect.getsourcelines(with_with)
    assert call.span.line == start + 2 and call.span.text.strip() == "with Manager(told) as same, Manager(told):"
    [whole] = interpreted_in(parse(with_locals))
    assert [node.value for node in whole.args[:2]] == [
        "with_locals(…)", "locals() looks at the frame it is called from",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "source",
    [
        with_for, comprehensions, with_star, with_keywords, with_store, counter, rebound, decorated, with_walrus,
        walrus_on_the_way, nested_choices, late_binding, deleted, function_with_attributes,
    ],
)  # fmt: skip
def test_what_has_one_needs_no_interpreter(source):
    generators = [call for call in interpreted_in(parse(source)) if "generator" in call.args[1].value]
    assert len(interpreted_in(parse(source))) == len(generators) == (source is comprehensions)


def test_only_the_statement_that_has_no_graph_form_is_left_to_python():
    told = [tuple(node.value for node in call.args[:2]) for call in interpreted_in(parse(with_inner_generator))]
    assert sorted(told) == [
        (ast.unparse(ast.parse("(a * b for a, b in pairs(x) if a)")), "a generator goes on where it has stopped"),
        ("class Box: def __init__(self): super().__init__() self.foun…", "a class has no graph form"),
        ("def pairs(n): for k in range(n): yield (k, x)", "a generator goes on where it has stopped"),
    ]


def test_errors_in_interpret_nodes_name_the_line_of_the_program():
    def f(x):
        with Manager([]):
            return x.reshape(7)

    _, start = inspect.getsourcelines(f)
    with pytest.raises(ValueError, match=rf"test_parser\.py:{start + 2}, in .*f\n +return x\.reshape\(7\)"):
        evaluate(parse(f), Tensor([1.0, 2.0]))


LIBRARY = [
    "calendar", "colorsys", "configparser", "copy", "csv", "difflib", "fnmatch", "fractions", "heapq", "json.decoder",
    "json.encoder", "pprint", "shlex", "statistics", "string", "textwrap", "unittest.case",
]  # fmt: skip


@pytest.mark.parametrize("name", LIBRARY)
def test_pythons_library_is_parsed(name):
    module = importlib.import_module(name)
    held = [vars(each) for each in vars(module).values() if isinstance(each, type) and each.__module__ == name]
    functions = [
        each for scope in (vars(module), *held) for each in scope.values() if isinstance(each, types.FunctionType)
    ]
    assert functions
    for each in functions:
        if each.__module__ == name and each.__code__.co_filename == module.__file__:
            try:
                verify(parse(each))
            except NotImplementedError as reason:
                assert "`async def " in str(reason)


@pytest.mark.parametrize(
    ("source", "arguments"),
    [
        (textwrap.wrap, ("The quick brown fox jumps over the lazy dog.", 16)),
        (textwrap.dedent, ("    one\n      two\n    three",)),
        (difflib.get_close_matches, ("appel", ["ape", "apple", "peach"], 3, 0.6)),
        (difflib.context_diff, (["a\n", "b\n"], ["a\n", "c\n"], "one", "two", "", "", 3, "\n")),
        (statistics.median, ([3, 1, 2, 5],)),
        (statistics.quantiles, ([3, 1, 2, 5, 8],)),
        (calendar.monthrange, (2024, 2)),
        (calendar.weekday, (1900, 1, 1)),
        (colorsys.rgb_to_hls, (0.2, 0.4, 0.6)),
        (fnmatch.translate, ("a*[!b-d]?",)),
        (heapq.merge, ([1, 4], [2, 3])),
        (shlex.split, ("a 'b c' d",)),
        (pprint.pformat, ({"a": [1, 2], "b": (3,)},)),
    ],
)
def test_pythons_library_runs_from_its_graphs(source, arguments):
    signature = inspect.signature(source)
    bound = signature.bind(*arguments)
    bound.apply_defaults()
    got, expected = evaluate(parse(source), *bound.arguments.values()), source(*arguments)
    is_iterator = hasattr(expected, "__next__")
    assert (list(got) if is_iterator else got) == (list(expected) if is_iterator else expected)


class _Source:
    """A random function of loops, branches and effects on four variables. Every loop ends: it counts down a range."""

    def __init__(self, draw) -> None:
        self.draw = draw
        self.lines: list[str] = []
        self.left = 20

    def value(self) -> str:
        variable, other = (self.draw(st.sampled_from("abcd")) for _ in range(2))
        return self.draw(st.sampled_from([
            variable, f"{variable} + {other}", f"{variable} - {self.draw(st.integers(-3, 9))}", f"note({variable})",
            f"({variable} if {other} > 2 else -{variable})", f"({variable} and {other})", f"({variable} or note({other}))",
            f"(1 < {variable} <= {other})", f"({variable}, {other})[{variable} % 2]",
        ]))  # fmt: skip

    def body(self, depth: int, in_loop: bool) -> None:
        """Some statements; what follows a jump is never reached."""
        indent = "    " * depth
        for _ in range(self.draw(st.integers(1, 4))):
            self.left -= 1
            kinds = ["assign", "assign", "add", "call"] + (["break", "continue"] if in_loop else [])
            kinds += ["if", "if", "for", "while"] if depth < 4 and self.left > 0 else []
            kind = self.draw(st.sampled_from([*kinds, "return"] if self.draw(st.integers(0, 5)) == 0 else kinds))
            target = self.draw(st.sampled_from("abcd"))
            if kind == "assign":
                self.lines.append(f"{indent}{target} = {self.value()}")
            elif kind == "add":
                self.lines.append(f"{indent}{target} += {self.value()}")
            elif kind == "call":
                self.lines.append(f"{indent}note({self.value()})")
            elif kind == "return":
                self.lines.append(f"{indent}return {self.value()}, {target}")
            elif kind in ("break", "continue"):
                self.lines.append(f"{indent}if {self.value()} > 1:\n{indent}    {kind}")
            elif kind == "if":
                self.lines.append(f"{indent}if {self.value()} > {self.draw(st.integers(-2, 5))}:")
                self.body(depth + 1, in_loop)
                if self.draw(st.booleans()):
                    self.lines.append(f"{indent}else:")
                    self.body(depth + 1, in_loop)
            else:
                if kind == "for":
                    self.lines.append(f"{indent}for {target} in range({self.draw(st.integers(0, 3))}):")
                else:
                    rest = f"rest{len(self.lines)}"
                    self.lines.append(f"{indent}{rest} = {self.draw(st.integers(0, 3))}")
                    self.lines.append(f"{indent}while note({rest}) > 0:\n{indent}    {rest} -= 1")
                self.body(depth + 1, True)
                if self.draw(st.booleans()):
                    self.lines.append(f"{indent}else:")
                    self.body(depth + 1, in_loop)


@st.composite
def random_sources(draw) -> str:
    maker = _Source(draw)
    maker.lines.append("def program(a, b):\n    c = d = 1")
    maker.body(1, False)
    maker.lines.append("    return a, b, c, d\n")
    return "\n".join(maker.lines)


@settings(deadline=None, max_examples=100)
@given(random_sources(), st.integers(-3, 6), st.integers(-3, 6))
def test_random_sources(source, a, b):
    notes: list = []

    def note(value):
        notes.append(value)
        return value

    note.__module__ = "elsewhere"  # called as it is, not parsed
    names = {"note": note, "__name__": "program"}
    file = f"<random {hash(source)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    try:
        exec(compile(source, file, "exec"), names)
        graph = parse(names["program"])
        verify(graph)
        expected = names["program"](a, b), list(notes)
        notes.clear()
        assert (evaluate(graph, a, b), notes) == expected
        objects: dict = {}
        again = read(complete(graph, objects), objects)
        assert difference(graph, again, complete=True) is None
        notes.clear()
        assert (evaluate(again, a, b), notes) == expected
        assert graph.anf()
    finally:
        del linecache.cache[file]


async def waits(x):
    return x


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (len, "only functions that Python has made are parsed, and not <built-in function len>"),
        (waits, "`async def waits` has no graph"),
        (eval("lambda x: x", {}), "the source of <lambda>"),
    ],
)
def test_refusals(source, message):
    with pytest.raises(NotImplementedError, match=message):
        parse(source)
