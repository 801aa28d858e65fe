"""Where tracebacks say that an error was raised: function, lines and columns, for each thing that an instruction may ask.

In each program all is asked of objects that count it; in run k the k-th thing that is asked raises. What Python says of its
place is what the compiled program says, in each version of Python its own."""

from __future__ import annotations

import linecache
import sys
import traceback

import pytest

from anfora import Tensor, jit

ASKED: list[str] = []
RAISING = [0]


class Refused(Exception):
    """What the k-th raises."""


def asking(name, give):
    def method(self, *args, **names):
        ASKED.append(name)
        if len(ASKED) == RAISING[0]:
            raise Refused(name)
        return give(self)

    return method


class Three:
    """Gives two items and ends."""

    def __init__(self):
        self.left = 2

    def __iter__(self):
        return self

    def give(self):
        if not self.left:
            raise StopIteration
        self.left -= 1
        return Asked()

    __next__ = asking("next", give)


class Asked:
    """Answers all, with itself where that can be."""


for _name in [
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "matmul",
    "lshift",
    "rshift",
    "and",
    "or",
    "xor",
]:
    for _kind in ("", "i"):
        setattr(Asked, f"__{_kind}{_name}__", asking(_kind + _name, lambda self: self))
for _name in ("neg", "pos", "invert", "getitem", "call", "enter"):
    setattr(Asked, f"__{_name}__", asking(_name, lambda self: self))
for _name in ("lt", "le", "gt", "ge", "eq", "ne", "contains", "bool"):
    setattr(Asked, f"__{_name}__", asking(_name, lambda self: True))
for _name in ("exit", "setitem", "delitem"):
    setattr(Asked, f"__{_name}__", asking(_name, lambda self: None))
Asked.__hash__ = asking("hash", lambda self: 1)  # type: ignore[method-assign]
Asked.__iter__ = asking("iter", lambda self: Three())  # type: ignore[attr-defined]
Asked.__format__ = asking("format", lambda self: "f")  # type: ignore[method-assign]
Asked.__str__ = asking("str", lambda self: "s")  # type: ignore[method-assign]
Asked.__repr__ = asking("repr", lambda self: "r")  # type: ignore[method-assign]
Asked.__setattr__ = asking("setattr", lambda self: None)  # type: ignore[method-assign]
Asked.__delattr__ = asking("delattr", lambda self: None)  # type: ignore[method-assign]


def get(self, name):
    if name.startswith("__"):
        raise AttributeError(name)
    return asking(f"get {name}", lambda self: self)(self)


Asked.__getattr__ = get  # type: ignore[attr-defined]

PROGRAMS = {
    "operators": """
        c = a + b * -a // (b @ a) ** ~b << (
            a | b) & +a
        c += a; c @= b
        return not a, a if b else a, a and b or a, a < b > a, a == b, a in b, b not in a
    """,
    "places": """
        a[b] = a; a[b:a] = b; a[b, a][b]; del a[b]; a.q = b; del a.q; a[b] += a; a.q += b
        (a
            .q).r = b.q.z[
                a].s
        a.x.y \\
            .z += b
        c, *d = a
        (e, f), g = a, (
            b)
    """,
    "assertions": """
        assert a
        assert a < b, a
        assert a and b > a, f"{a}"
        assert not a != b if a > b else b
    """,
    "assertions that fail": """
        assert a.z and not a == b or (
            a != b) is False, (
            a + b)
    """,
    "a comparison that fails": "assert a.q is b < a",
    "an assertion without one": "assert not a, b.z",
    "calls": """
        a(b, k=a.q)(a)(*[a, b])(*a, **{"k": b})
        a(a)(
            b).more(b,
               a).last(k=b)
        (a(b)
            .first(1, k=a.q)
            .second(*[b])
            .third())
        return [a.q, *a, b], {a: b, **{}}, {a, b}, f"{a}{b!r:>{a}}{a.q:x}"
    """,
    "comprehensions": """
        c = [i + b for i in a if i]
        d = {i for i in a}, {i:
            j.z for i, j in [(a, b)]}
        return [[i + j for i in a] for j in b], c, d
    """,
    "branches": """
        if a: pass
        if a < b or not a: pass
        while a < b:
            if b: break
        for a.z in b: pass
        for i, j in [(a, b)]: i * j
        with a as b.q, a: a + b
        if (n := a.z) > b: return n + b
    """,
    "handlers": """
        try:
            a + b
            try: b.z
            finally: a.w
        except KeyError: pass
        except (ValueError, 5) as error:
            a.q
        else:
            a - b
        finally:
            a / b
    """,
    "an error from an error": """
        try:
            raise ValueError(a + b)
        except ValueError as e:
            try: b.q
            except KeyError: pass
            raise KeyError(a) from (
                b)
    """,
    "definitions": """
        def g(p=a + b, *, k=b.z): return p + k
        class C:
            z = a * b
            def m(self, y=b.x): return y + a
        return g(), g(a, k=a), C().m(), (lambda q, r=a.z: q + r)(b)
    """,
    "a generator": """
        def g(y):
            z = yield y + a
            yield from y
            return y.z
        for v in g(b): v + a
        return [*g(b)]
    """,
}


def loaded(name):
    lines = [line[8:] or line for line in PROGRAMS[name].strip("\n").rstrip().split("\n")]
    if len(lines) == 1:
        lines = [PROGRAMS[name]]
    text = "def program(x, a, b):\n" + "\n".join("    " + line for line in lines) + "\n"
    file = f"<places of {name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict = {}
    exec(compile(text, file, "exec"), names)
    return names["program"], file


def outcome(function, number, file):
    """The errors of run `number`, each with its lines and columns; None if there are none."""
    ASKED.clear()
    RAISING[0] = number
    try:
        function(Tensor([1.0]), Asked(), Asked())
        return None
    except Exception as raised:
        RAISING[0] = 0
        error: BaseException | None = raised
        found = []
        while error is not None:
            entries = [e for e in traceback.extract_tb(error.__traceback__) if e.filename == file]
            columns = ("colno", "end_colno", "end_lineno") if sys.version_info >= (3, 11) else ()
            found.append((type(error), [(e.name, e.lineno, *(getattr(e, c) for c in columns)) for e in entries]))
            error = error.__context__
        return found
    finally:
        RAISING[0] = 0


@pytest.mark.parametrize("name", PROGRAMS)
def test_errors_stand_where_python_says(name):
    program, file = loaded(name)
    number, right = 0, []
    while right is not None and number < 200:
        number += 1
        right = outcome(program, number, file)
        asked = list(ASKED)
        assert outcome(jit(program), number, file) == right, (number, asked[-1:])
        assert asked == ASKED, number
        if right and right[0][0] is not Refused and right[-1][0] is not Refused:
            break  # it ends with another error
