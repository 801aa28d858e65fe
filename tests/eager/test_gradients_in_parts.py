"""Gradients of views that are parts of a tensor: put together once, to the bits of the sum."""

from __future__ import annotations

import numpy as np
import pytest

import anfora as ms
from anfora import Tensor, ops

X = np.arange(24, dtype=np.float32).reshape(6, 4) - 11.0
#: Factors with both zeros among them, whose signs tell how a gradient was added up.
W = np.where(np.arange(24) % 3 == 0, np.float32(-0.0), np.arange(24, dtype=np.float32) - 7).reshape(6, 4)


def weighted(parts, weights):
    total = None
    for part, w in zip(parts, weights):
        term = (part * w).sum()
        total = term if total is None else total + term
    return total


#: The views, by a function of a tensor or of an array.
VIEWS = {
    "split": (lambda x: ops.split(x, 2), lambda x: np.split(x, 3)),
    "split by columns": (lambda x: ops.split(x, [1, 3], 1), lambda x: (x[:, :1], x[:, 1:])),
    "chunk": (lambda x: ops.chunk(x, 4), lambda x: (x[:2], x[2:4], x[4:])),
    "unbind": (lambda x: ops.unbind(x, 1), lambda x: tuple(x.T)),
    "rows": (lambda x: [x[i] for i in range(6)], list),
    "some rows": (lambda x: [x[4], x[1], x[-1]], lambda x: [x[4], x[1], x[-1]]),
    "two parts": (lambda x: (x[:3], x[3:]), lambda x: (x[:3], x[3:])),
    "overlapping": (lambda x: (x[:4], x[2:], x[1:3]), lambda x: (x[:4], x[2:], x[1:3])),
    "one twice": (lambda x: (x[1], x[1], x[2]), lambda x: (x[1], x[1], x[2])),
    "steps": (lambda x: (x[::2], x[1::2]), lambda x: (x[::2], x[1::2])),
    "backwards": (lambda x: (x[2::-1], x[:2:-1]), lambda x: (x[2::-1], x[:2:-1])),
    "one part": (lambda x: (x[1:3],), lambda x: (x[1:3],)),
    "new axes": (lambda x: (x[:, None], x[None, ..., None]), lambda x: (x[:, None], x[None, ..., None])),
    "all and a part": (lambda x: (x[1:3], x, x[3:], x[0]), lambda x: (x[1:3], x, x[3:], x[0])),
    "different axes": (lambda x: (x[0], x[:, 0], x[5]), lambda x: (x[0], x[:, 0], x[5])),
}


def expected(view) -> np.ndarray:
    """The sum, in the order of the walk back: the last that was computed comes first."""
    total = None
    for part in reversed(view(np.arange(24).reshape(6, 4))):
        placed = np.zeros(24, np.float32)
        placed[part.reshape(-1)] = W.reshape(-1)[part.reshape(-1)]
        total = placed if total is None else total + placed
    return total.reshape(6, 4)


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("way", ["grad", "backward", "compiled", "twice"])
def test_parts_add_up_to_the_bits_of_the_sum(name, way):
    view, model = VIEWS[name]
    x = Tensor(X)

    def f(x):
        return weighted(view(x), weights)

    weights = [Tensor(np.ascontiguousarray(w)) for w in model(W)]
    if way == "backward":
        x.requires_grad = True
        f(x).backward()
        got = x.grad
    elif way == "twice":
        got = ms.grad(lambda x: (ms.grad(f)(x) * x).sum() + f(x) * 0.0)(x)
        assert np.isfinite(got.asnumpy()).all()
        return
    else:
        got = (ms.jit(ms.grad(f)) if way == "compiled" else ms.grad(f))(x)
    np.testing.assert_array_equal(got.asnumpy().view(np.int32), expected(model).view(np.int32))


def test_parts_of_what_was_computed():
    w = np.linspace(-1, 1, 24, dtype=np.float32).reshape(6, 4)

    def f(x):
        y = x * Tensor(w)
        a, b, c = ops.split(y, 2)
        return (a * 2.0).sum() + (b * 3.0).sum() + c.sum() + (y[0] * 5.0).sum()

    factors = np.repeat(np.float32([2, 3, 1]), 2)[:, None] * np.ones((6, 4), np.float32)
    factors[0] += 5
    np.testing.assert_array_equal(ms.grad(f)(Tensor(X)).asnumpy(), factors * w)


def test_a_gradient_that_the_user_gave_is_his_own():
    x, g = Tensor(X).requires_grad_(), Tensor(W)
    for view in (lambda x: x.reshape(4, 6).reshape(6, 4), lambda x: x[None].squeeze(0), lambda x: x[...]):
        x.grad = None
        view(x).backward(g)
        x.grad.add_(1.0)
        np.testing.assert_array_equal(g.asnumpy(), W)
        np.testing.assert_array_equal(x.grad.asnumpy(), W + 1)
        x.grad = None
        view(x).backward(g)
        g.add_(1.0)
        np.testing.assert_array_equal(x.grad.asnumpy(), W)
        g.sub_(1.0)
        g = Tensor(W)
        x.grad = None
        view(x).backward(g)
        g.asnumpy()[0, 0] = 99.0
        np.testing.assert_array_equal(x.grad.asnumpy(), W)
        g = Tensor(W)


def test_two_leaves_do_not_share_a_gradient():
    a, b = Tensor(X).requires_grad_(), Tensor(X).requires_grad_()
    (a + b).backward(Tensor(W))
    a.grad.zero_()
    np.testing.assert_array_equal(b.grad.asnumpy(), W)
    da, db = ms.grad(lambda a, b: (a.reshape(24) + b.reshape(24)).sum(), (0, 1))(Tensor(X), Tensor(X))
    da[0, 0] = 7.0
    assert db.asnumpy()[0, 0] == 1.0
