"""Where Python says that an error comes from, lines and columns of each frame of the program: a compiled function says the
same, in its traceback and in the words of errors of tensors."""

from __future__ import annotations

import linecache
import sys
import traceback
import types
import warnings

import pytest

import anfora as ms
from anfora import Tensor


class Refusing:
    """Fails in whatever it is asked for."""

    def _fail(self, *args: object) -> None:
        raise KeyError("refused")

    __iter__ = __bool__ = __enter__ = __exit__ = __add__ = __neg__ = __getitem__ = __setitem__ = __call__ = _fail
    __lt__ = __format__ = __contains__ = __delitem__ = __iadd__ = __hash__ = _fail  # type: ignore[assignment]


class Entered(Refusing):
    """Fails where it is left."""

    def __enter__(self) -> Entered:
        return self


class Ending:
    """Fails at the first item."""

    def __iter__(self) -> Ending:
        return self

    def __next__(self) -> None:
        raise KeyError("refused")

    keys = __next__


class Compared:
    """Fails in the truth of what a comparison gives."""

    def __lt__(self, other: object) -> Refusing:
        return Refusing()

    __gt__ = __lt__


#: Statements that fail, some of them over several lines.
SOURCES = """\
[v for v in b]
[v
 for v in e]
[v for v in [1] for w in b]
[v for v in [1]
 for w in e]
{v for v in b}
{v: 1 for v in e}
[v for v in b + 1]
list(v for v in b)
list(v for v in e)
list(v for w in [1]
     for v in e)
[v for v in [1] if b]
[v for v in [1] if v and
 b]
[v for v in [1] if not b]
[v for v in [1] if 0 < c < 2]
[(lambda: v)() for v in [1] if b]
list(v for v in [1] if b)
[*b]
[1, 2,
 *e, 3]
(1, *e)
{*e}
{1: 2, **e}
f(*b)
f(1,
  *e)
if b: pass
if (x.ndim and
    b): pass
if 1 and (0 or b): pass
if not (1 and b): pass
if c < 1: pass
if 1 < c < 2: pass
if (b if x.ndim else 1): pass
if (1 if b else 0): pass
if 0: pass
elif b: pass
while b: pass
while not b:
    pass
b and 1
(b and 1) or 2
(1 and b) or 2
(b or 1) or 2
1 + (b and 2)
1 if b else 2
y = 1 if (
    b) else 2
assert b
assert not b, 1
1 + (not b)
c < 1 < 2
1 + (c < 1 < 2)
with b: pass
with n: pass
with n:
    y = 1
with n as y: 1 / 0
with n, b:
    y = 2
with n as y, n as z:
    y = 3
for v in b: pass
for v in e:
    y = v
for v in [1]:
    for w in e:
        y = w
else: y = 2
v, w = b
v, *w = b
(v, w), y = b, 1
v, w = ()
v, w = 1, 2, 3
match 1:
    case v if b: pass
match [1, 2]:
    case [v, w] if b: pass
b + 1
y = (1 +
     -b)
b[0]
b[0] = 1
b[0] += 1
del b[0]
b += 1
b(1)
(x +
 b(1))
f"{b}"
{b: 1}
1 in b
unknown + 1
x.y.z
raise b
def g():
    yield from b
list(g())
def g(y):
    if y: yield
    return 1
list(g(b))
if x: pass
if x > 1 and x < 2: pass
x and 1
x > 1 or 2
[v for v in [1] if x]
for v in x[0, 0]: pass
[v for v in x[0, 0]]
v, w = x[0, 0]
x @ x
y = x * 2 + (
    x @ x)
x[0, 9] + 1
x.sum(
    axis=5)
while x @ x: pass
[v @ x for v in [x]]
"""


def cases() -> list[str]:
    found: list[str] = []
    for line in SOURCES.splitlines():
        goes_on = line.startswith((" ", "elif", "else", "list(g"))
        if goes_on and found:
            found[-1] += "\n" + line
        else:
            found.append(line)
    if sys.version_info >= (3, 12):
        found = [source for source in found if source not in OF_A_FRAME]
    return found


#: A comprehension whose variables a function keeps is a function here, with a frame of its own, as in Python before 3.12.
OF_A_FRAME = ("[(lambda: v)() for v in [1] if b]",)


def defined(source: str, number: int) -> types.FunctionType:
    body = "\n".join("    " + line for line in source.splitlines())
    text = f"def f(x, b, e, n, c):\n    z = x.ndim\n{body}\n    return x\n"
    file = f"<place {number}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(text, file, "exec"), scope)
    return scope["f"]


def told(function: object) -> object:
    x = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    try:
        function(x, Refusing(), Ending(), Entered(), Compared())  # type: ignore[operator]
    except Exception as error:
        shown = traceback.TracebackException.from_exception(error)
        columns = [
            (entry.name, entry.lineno, getattr(entry, "colno", 0), getattr(entry, "end_colno", 0),
             getattr(entry, "end_lineno", 0))
            for entry in shown.stack if entry.filename.startswith("<place")
        ]  # fmt: skip
        return type(error), str(error), columns
    raise AssertionError("nothing was refused")


@pytest.mark.parametrize("source", cases())
def test_an_error_stands_where_python_says(source: str) -> None:
    function = defined(source, cases().index(source))
    compiled = ms.jit(function)
    expected = told(function)
    for _ in range(3):
        assert told(compiled) == expected
