"""Parsed functions beside the same functions run by Python; the programs of the specification; what is refused."""

from __future__ import annotations

import functools
import inspect
import linecache

import graph_programs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anfora as ms
from anfora import Tensor, ops
from anfora.graph.compare import difference
from anfora.graph.evaluate import evaluate, function
from anfora.graph.parser import parse
from anfora.graph.reading import read
from anfora.graph.structure import Structure
from anfora.graph.text import complete
from anfora.graph.verify import verify

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


def test_effects_come_in_order():
    graph = parse_with_log(effects)
    for n in (0, 2, 5):
        LOG.clear()
        effects(n)
        expected = list(LOG)
        LOG.clear()
        assert evaluate(graph, n) == n
        assert expected == LOG


def parse_with_log(source):
    """A list from outside is refused: it could be another one later. A class is not."""
    return parse(type(source)(source.__code__, {**source.__globals__, "LOG": _Log}))


class _Log:
    append = LOG.append


def test_what_nothing_uses_may_fail():
    def divide(x):
        1 / x
        return x

    graph = parse(divide)
    assert evaluate(graph, 2) == 2
    with pytest.raises(ZeroDivisionError):
        evaluate(graph, 0)


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


def decorated_by_other():
    @functools.wraps(fibonacci)
    def wrapper(*args):
        return -fibonacci(*args)

    return wrapper


def global_number(x):
    return x * FACTOR


def global_list(x):
    return LOG


def rebound(x):
    def inner():
        return x

    x = x + 1
    return inner()


def maybe_unbound(x):
    if x:
        y = 1
    return y


def with_try(x):
    try:
        return x
    finally:
        pass


def with_for(x):
    for _ in x:
        pass


def with_star(x):
    a, *b = x
    return a, b


def with_keywords(x):
    return sorted(x, reverse=True)


def with_default(x=1):
    return x


def with_store(x):
    x[0] = 1


def with_walrus(x):
    return (y := x) + y


def with_locals(x):
    return locals()


def with_missing(x):
    return no_such_name  # noqa: F821


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
        objects: list = []
        again = read(complete(graph, objects), objects)
        assert difference(graph, again, complete=True) is None
        notes.clear()
        assert (evaluate(again, a, b), notes) == expected
        assert graph.anf()
    finally:
        del linecache.cache[file]


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        (decorated_by_other(), NotImplementedError, "defaults, *args, **kwargs"),
        (global_number, NotImplementedError, "`FACTOR` is a int from outside, which may change"),
        (global_list, NotImplementedError, "`LOG` is a list from outside"),
        (
            rebound,
            NotImplementedError,
            "the variable `x` of rebound is used by an inner function and bound more than once",
        ),
        (maybe_unbound, NotImplementedError, "the variable `y` of maybe_unbound may be unbound where it is used"),
        (with_try, NotImplementedError, "the statement Try is not parsed yet"),
        (with_for, NotImplementedError, "a loop over something else than range(…) is not parsed yet"),
        (with_star, NotImplementedError, "an assignment to Tuple is not parsed yet"),
        (with_keywords, NotImplementedError, "a call with keywords, *args or **kwargs is not parsed yet"),
        (with_default, NotImplementedError, "defaults, *args, **kwargs"),
        (with_store, NotImplementedError, "an assignment to Subscript is not parsed yet"),
        (with_walrus, NotImplementedError, "the expression NamedExpr is not parsed yet"),
        (with_locals, NotImplementedError, "locals() is not parsed yet"),
        (with_missing, NameError, "name 'no_such_name' is not defined"),
        (len, NotImplementedError, "only functions made by `def` are parsed yet, and not <built-in function len>"),
        (eval("lambda x: x"), NotImplementedError, "<lambda>"),  # its source is found from Python 3.13 on
        (lambda x: x, NotImplementedError, "only functions made by `def` are parsed yet"),
    ],
)
def test_refusals(source, error, message):
    with pytest.raises(error) as caught:
        parse(source)
    assert message in str(caught.value)
