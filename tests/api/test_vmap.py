"""`vmap` against a loop over numpy arrays."""

from __future__ import annotations

import numpy as np
import pytest

import anfora as ms
from anfora import Tensor, nn, ops

rng = np.random.default_rng(5)
A, B = rng.standard_normal((4, 3)), rng.standard_normal((3, 4))


@pytest.mark.parametrize(
    "fn, in_axes, out_axes, wanted",
    [
        (lambda x, y: x * y, (0, 1), 0, A * B.T),
        (lambda x, y: x * y, (0, 1), 1, (A * B.T).T),
        (lambda x, y: x * y, (0, 1), -1, (A * B.T).T),
        (lambda x, y: x @ y, (0, None), 0, A @ B),
        (lambda x, y: y.sum(), (None, 1), 0, B.sum(0)),
        (lambda x, y: x.max() if x.sum() > 0 else x.min(), (0, None), 0, np.where(A.sum(1) > 0, A.max(1), A.min(1))),
    ],
)
def test_values(fn, in_axes, out_axes, wanted):
    np.testing.assert_allclose(ms.vmap(fn, in_axes, out_axes)(Tensor(A), Tensor(B)).asnumpy(), wanted, rtol=1e-12)


def test_several_results_and_nested_arguments():
    def f(pair, scale):
        return pair[0] * scale, (pair[0] + pair[1], 7)

    product, (total, sevens) = ops.vmap(f, ((0, 1), None), (0, (1, 0)))((Tensor(A), Tensor(B)), 2.0)
    np.testing.assert_array_equal(product.asnumpy(), A * 2)
    np.testing.assert_array_equal(total.asnumpy(), (A + B.T).T)
    assert sevens.tolist() == [7] * 4


def test_gradients_go_through():
    gradient = ms.grad(lambda x: ms.vmap(lambda row: (row * row).sum() ** 2)(x).sum())(Tensor(A))
    np.testing.assert_allclose(gradient.asnumpy(), 4 * (A**2).sum(1, keepdims=True) * A, rtol=1e-12)
    per_example = ms.vmap(ms.grad(lambda row: (row**3).sum()))(Tensor(A))
    np.testing.assert_allclose(per_example.asnumpy(), 3 * A**2, rtol=1e-12)


def test_nesting():
    outer = ms.vmap(ms.vmap(lambda x, y: x * y, (None, 0)), (0, None))(Tensor(A[:, 0]), Tensor(B[0]))
    np.testing.assert_array_equal(outer.asnumpy(), np.outer(A[:, 0], B[0]))


def test_a_list_of_cells_gets_one_example_each():
    cells = nn.CellList([nn.Dense(3, 2) for _ in range(4)])
    wanted = [cell(Tensor(row, ms.float32)).tolist() for cell, row in zip(cells, A)]
    assert ms.vmap(cells)(Tensor(A, ms.float32)).tolist() == wanted


def test_a_result_that_is_shared():
    assert ms.vmap(lambda x: Tensor(3), out_axes=None)(Tensor(A)).item() == 3
    with pytest.raises(ValueError, match="not the same for all"):
        ms.vmap(lambda x: x.sum(), out_axes=None)(Tensor(A))


@pytest.mark.parametrize(
    "in_axes, args, error, match",
    [
        (None, (A,), ValueError, "no argument has an axis"),
        ((0, 0), (A, B), ValueError, "different numbers"),
        ((0,), (A, B), ValueError, "1 entries for 2 arguments"),
        (2, (A,), ValueError, "out of range"),
        ("x", (A,), TypeError, "must be an integer"),
        (0, (A[:0],), ValueError, "at least one example"),
        (0, (np.array(1.0),), ValueError, "out of range"),
    ],
)
def test_bad_axes_are_refused(in_axes, args, error, match):
    with pytest.raises(error, match=match):
        ms.vmap(lambda *xs: xs[0], in_axes)(*map(Tensor, args))


@pytest.mark.parametrize("op, of_numpy", [(ops.mul, np.multiply), (ops.maximum, np.maximum), (ops.greater, np.greater)])
@pytest.mark.parametrize("in_axes", [(0, 1), (1, 0), (-1, 0), (None, 1), (0, None)])
@pytest.mark.parametrize("out_axes", [0, -1])
def test_an_operator_with_a_batching_rule(op, of_numpy, in_axes, out_axes):
    """One call for all examples gives what a loop over them gives; shapes of examples are broadcast from the right."""
    x, y = rng.standard_normal((4, 4, 4)), rng.standard_normal((4, 4))
    assert op.batch_rule is not None
    take = [lambda i, a=a, axis=axis: a if axis is None else a.take(i, axis) for a, axis in zip((x, y), in_axes)]
    count = next(a.shape[axis] for a, axis in zip((x, y), in_axes) if axis is not None)
    wanted = np.stack([of_numpy(take[0](i), take[1](i)) for i in range(count)], out_axes)
    np.testing.assert_array_equal(ms.vmap(op, in_axes, out_axes)(Tensor(x), Tensor(y)).asnumpy(), wanted)
