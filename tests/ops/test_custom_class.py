"""`ops.Custom`: MindSpore's spelling of own operators."""

from __future__ import annotations

import numpy as np
import pytest

import anfora
from anfora import Tensor, ops
from anfora.ops import Custom, kernel

RNG = np.random.default_rng(3)


@kernel
def outer(a, b):
    c = output_tensor((a.shape[0], b.shape[0]), a.dtype)  # noqa: F821
    for i in range(a.shape[0]):
        for j in parallel(b.shape[0]):  # noqa: F821
            c[i, j] = a[i] * b[j]
    return c


@kernel()
def norms(a):
    rows = output_tensor((a.shape[0],), a.dtype)  # noqa: F821
    total = output_tensor((1,), a.dtype)  # noqa: F821
    squares = allocate((a.shape[1],), a.dtype)  # noqa: F821
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            squares[j] = a[i, j] * a[i, j]
        for j in range(a.shape[1]):
            rows[i] += squares[j]
        total[0] += rows[i]
        rows[i] = sqrt(rows[i])  # noqa: F821
    return rows, total


def cumulated(x):
    return np.cumsum(x, 0)


def outer_gradient(a, b, out, dout):
    return ops.matmul(dout, b), ops.matmul(a, dout)


def test_hybrid():
    a, b = RNG.standard_normal(5), RNG.standard_normal(3)
    for dtype in (np.float32, np.float64, np.int32):
        x, y = (a * 9).astype(dtype), (b * 9).astype(dtype)
        found = Custom(outer)(Tensor(x), Tensor(y))
        assert found.dtype == Tensor(x).dtype and found.asnumpy().tobytes() == np.outer(x, y).astype(dtype).tobytes()
    x = RNG.standard_normal((4, 6))
    rows, total = Custom(norms, func_type="hybrid")(Tensor(x)[:, ::2])
    np.testing.assert_allclose(rows.asnumpy(), np.linalg.norm(x[:, ::2], axis=1), rtol=1e-14)
    np.testing.assert_allclose(total.asnumpy(), [(x[:, ::2] ** 2).sum()], rtol=1e-14)


def test_pyfunc():
    x = RNG.standard_normal((4, 3))
    made = Custom(
        cumulated,
        lambda s: s,
        lambda t: t,
        "pyfunc",
        bprop=lambda x, out, dout: ops.flip(ops.cumsum(ops.flip(dout, (0,)), 0), (0,)),
    )
    np.testing.assert_array_equal(made(Tensor(x)).asnumpy(), np.cumsum(x, 0))
    weight = Tensor(RNG.standard_normal((4, 3)))
    found = anfora.grad(lambda x: (made(x) * weight).sum())(Tensor(x))
    np.testing.assert_allclose(found.asnumpy(), np.cumsum(weight.asnumpy()[::-1], 0)[::-1], rtol=1e-14)
    two = Custom(lambda x: (x + 1, x.sum(0)), ((2,), ()), (anfora.float64, anfora.float32), "pyfunc")
    assert [r.tolist() for r in two(Tensor([1.0, 2.0], anfora.float64))] == [[2.0, 3.0], 3.0]


def test_gradient_and_both_modes():
    made = Custom(outer, bprop=outer_gradient)
    a, b = Tensor(RNG.standard_normal(5)), Tensor(RNG.standard_normal(3))
    step = anfora.value_and_grad(lambda a, b: (made(a, b) ** 2).sum(), (0, 1))
    value, (da, db) = step(a, b)
    np.testing.assert_allclose(da.asnumpy(), 2 * a.asnumpy() * (b.asnumpy() ** 2).sum(), rtol=1e-12)
    np.testing.assert_allclose(db.asnumpy(), 2 * b.asnumpy() * (a.asnumpy() ** 2).sum(), rtol=1e-12)
    compiled = anfora.jit(lambda a, b: step(a, b))
    for _ in range(2):
        again = compiled(a, b)
        assert [t.asnumpy().tobytes() for t in (again[0], *again[1])] == [
            t.asnumpy().tobytes() for t in (value, da, db)
        ]
    with pytest.raises(RuntimeError, match="norms has no gradient"):
        anfora.grad(lambda x: Custom(norms)(x)[0].sum())(ops.ones((2, 2)))


@kernel
def wrong(a):
    c = output_tensor(a.shape, a.dtype)  # noqa: F821
    for i in range(a.shape[0]):
        c[i] = a[i].foo
    return c


def returns_nothing(a):
    c = output_tensor(a.shape, a.dtype)  # noqa: F821, F841


def one_argument(a):
    c = output_tensor(a.shape)  # noqa: F821
    return c


REFUSED = [
    (lambda: Custom(outer, func_type="aot"), ValueError, "'hybrid' or 'pyfunc'"),
    (lambda: Custom("file.so:f"), TypeError, "needs a Python function"),
    (lambda: Custom(cumulated, func_type="pyfunc"), ValueError, "`out_shape` and `out_dtype`"),
    (lambda: Custom(returns_nothing), TypeError, "what `output_tensor` gave"),
    (lambda: Custom(one_argument), TypeError, r"a shape and a type(.|\n)*c = output_tensor\(a.shape\)"),
    (lambda: Custom(wrong)(Tensor([1.0])), TypeError, r"Unknown attribute 'foo'(.|\n)*c\[i\] = a\[i\].foo"),
    (lambda: Custom(outer)(ops.ones(2, anfora.float16), ops.ones(2, anfora.float16)), TypeError, "takes no f16"),
]


@pytest.mark.parametrize(("make", "kind", "words"), REFUSED, ids=[str(i) for i in range(len(REFUSED))])
def test_refused(make, kind, words):
    with pytest.raises(kind, match=words):
        make()
