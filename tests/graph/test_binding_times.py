"""What follows from the text of a program alone: questions that MindSpore's compiler answers."""

from __future__ import annotations

import contextlib

import pytest

import anfora as ms
from anfora import Parameter, Tensor, explain, jit, mutable, nn, ops
from anfora.core.errors import OpTypeError

WEIGHT = Parameter(Tensor([1.0]), name="weight")
NUMBER = 3

VALUE, LENGTH = ops.is_sequence_value_unknown, ops.is_sequence_shape_unknown
isconstant = ops.isconstant


def scalars(x):
    n, m = mutable(2), mutable(3.0)
    return (
        isconstant(n), isconstant(n & 1), isconstant(n % 2), isconstant(m / 2), isconstant(-n), isconstant(n == 2),
        isconstant((n, 1)), isconstant((n, 1)[1]), isconstant(2 + 3), isconstant(NUMBER), isconstant("a"),
        isconstant(len((n, n))), isconstant(isinstance(n, int)),
    )  # fmt: skip


def tensors(x):
    y = x + 1
    return (
        isconstant(x), isconstant(y), isconstant(x.shape), isconstant(y.shape[0] + 1), isconstant(y.dtype),
        isconstant(Tensor([1.0])), isconstant(WEIGHT), isconstant(float(y.sum())), isconstant(x.asnumpy()),
    )  # fmt: skip


def sequences(x):
    a, n = mutable([1, 2, 3, 4], True), mutable(2)
    b, c, d = [x, x + 1] * 5, (1, 2, 3), [1]
    return (
        VALUE(a), LENGTH(a), LENGTH(a + d), LENGTH(d + a), LENGTH(a[0:2]), LENGTH(tuple(a)), LENGTH(a * 2),
        VALUE(b), LENGTH(b), VALUE(c), LENGTH(c[:n]), LENGTH(c[:2]), LENGTH(c * n), LENGTH(range(n)), LENGTH(range(3)),
        LENGTH([-i for i in a]), LENGTH([i for i in c if i > n]), VALUE([i * 2 for i in c]), LENGTH([n for i in c]),
        isconstant(a.index(1)), isconstant(a.count(3)), isconstant(len(a)), isconstant(c.index(2)), isconstant(c[n]),
    )  # fmt: skip


def writes(x):
    a, b, c, d = [1, 2], [1, 2], [1, 2, 3], [1]
    n = mutable(0)
    a[n] = 10
    b[0] = x
    c[n:2] = [1, 2, 3]
    alias = d
    alias.append(n)
    e = mutable([1, 2], True)
    e[0:2] = [5, 6, 7]
    e.append(4)
    return (
        isconstant(a[0]), isconstant(a[1]), isconstant(b[0]), isconstant(b[1]), LENGTH(c), LENGTH(b),
        isconstant(d[0]), isconstant(d[1]), VALUE(d), LENGTH(d), LENGTH(e),
    )  # fmt: skip


def branches(x):
    a = b = c = 1
    if x.sum() > 0:
        a = 2
    if NUMBER > 2:
        b = 2
    for i in range(3):
        c = c + i
    d = e = 1
    while d < mutable(3):
        d = d + 1
    e += d
    first, (second, *third) = x, (1, 2, 3)
    return (
        isconstant(a), isconstant(b), isconstant(c), isconstant(d), isconstant(e), isconstant(first), isconstant(second),
        isconstant(third), isconstant(1 if x.sum() > 0 else 2), isconstant([v := 1, v][1]),
    )  # fmt: skip


def callee(a, b, *, c=0):
    return isconstant(a), isconstant(b), isconstant(a + c)


def calls(x):
    n = mutable(1)
    return callee(1, n), callee(n, b=1), callee(1, 2, c=n), callee(1, 2)


def control(x):
    """Whatever leads to a question, `with`, `try`, `match` and loops in loops, values of before come along."""
    with contextlib.nullcontext(mutable(2)) as n:
        inside = isconstant(n), isconstant(3)
    k, total, items = 1, 0, [0, 0, 0]
    try:
        m = mutable(2)
        inside += (isconstant(m),)
    except ValueError:
        k = 2
    finally:
        inside += (isconstant(m),)
    match n:
        case 2 as y:
            z = 1
        case y:
            z = 2
    for i in range(3):
        for j in range(i):
            total = total + j
            items[n] = 1
    count = 0
    for _ in range(n):
        count += 1
    return (
        inside, isconstant(m), isconstant(k), isconstant(y), isconstant(z), isconstant(total), isconstant(i),
        isconstant(items[0]), isconstant(count),
    )  # fmt: skip


def captured(x):
    n = mutable(2)
    return isconstant(sum(n for _ in range(2))), isconstant(sum(i for i in range(3))), isconstant((lambda: n)())


def in_itself(x):
    items = [1]
    items.append(items)
    before = VALUE(items)
    while len(items) < 4:
        items.append(x)
    return before, VALUE(items)


Y, N = True, False
ANSWERS = [
    (scalars, (N, N, N, N, N, N, N, Y, Y, Y, Y, Y, Y)),
    (tensors, (N, N, Y, Y, Y, Y, N, N, N)),
    (sequences, (Y, Y, Y, Y, Y, Y, Y, Y, N, N, Y, N, Y, Y, N, Y, Y, N, N, N, N, N, Y, N)),
    (writes, (N, N, N, Y, Y, N, Y, N, Y, N, Y)),
    (branches, (N, Y, Y, N, N, N, Y, Y, N, Y)),
    (calls, ((Y, N, Y), (N, Y, N), (Y, Y, N), (Y, Y, Y))),
    (control, ((N, Y, N, N), N, Y, N, N, Y, Y, N, N)),
    (captured, (N, Y, N)),
    (in_itself, (N, Y)),
]


@pytest.mark.parametrize("function, answers", ANSWERS, ids=[function.__name__ for function, _ in ANSWERS])
def test_answers_in_a_compiled_function(function, answers):
    compiled = jit(function)
    for x in (Tensor([1.0]), Tensor([-1.0]), Tensor([1.0])):
        assert compiled(x) == answers


def test_arguments_are_told_by_what_they_hold():
    compiled = jit(lambda x: (isconstant(x), VALUE(x), LENGTH(x)))
    for _ in range(2):
        assert compiled((1, 2)) == (True, False, False)
        assert compiled([Tensor(1), 2]) == (False, True, False)
        assert compiled((3, (Tensor(1),))) == (False, True, False)


def test_attributes_of_cells():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.size, self.w = 3, Parameter(Tensor([1.0]))

        def construct(self, x):
            return isconstant(self.size), self.inner(self.size), self.inner(x)

        def inner(self, v):
            return isconstant(v), isconstant(v * 2)

    with ms.context(mode=ms.GRAPH_MODE):
        assert Net()(Tensor([1.0])) == (True, (True, True), (False, False))


def test_all_is_known_in_pynative_mode():
    n = mutable(2)
    assert isconstant(n) and isconstant(Tensor([1.0]))
    assert not VALUE([Tensor(1)]) and not LENGTH(mutable([1], True))
    for ask in (VALUE, LENGTH, jit(lambda x: VALUE(x)), jit(lambda x: LENGTH(x))):
        with pytest.raises(OpTypeError, match="needs a tuple or list, but got int"):
            ask(3)


def test_mutable_needs_no_interpreter():
    def f(x, n):
        n = mutable(n)
        pair = mutable((x, x))
        return pair[0] * n

    compiled, strict = jit(f), jit(f, fullgraph=True)
    for n in (2, 3, 4, 5):
        assert compiled(Tensor([1.0]), n).item() == strict(Tensor([1.0]), n).item() == n
    assert explain(compiled)(Tensor([1.0]), 9).recorded == 0
    assert jit(lambda: mutable([1, 2], True))() == [1, 2]
    for bad in (("text",), (3, True), ([1], 2)):
        with pytest.raises(OpTypeError, match="mutable"):
            jit(lambda args: mutable(*args))(bad)
