"""Class forms of operators that programs use less: values against numpy, or against the function with its own tests."""

from __future__ import annotations

import numpy as np
import pytest

import anfora
from anfora import Tensor, ops
from anfora.core.errors import OpValueError
from anfora.ops.more_primitives import MORE, MORE_PLAIN

random = np.random.default_rng(5)
X = np.array([[3.0, -1.0, 2.0], [0.5, 4.0, -2.5]], np.float32)
N = np.array([[6, 1, 2], [3, 4, 6]], np.int64)
IMAGE = random.standard_normal((2, 4, 6, 6)).astype(np.float32)
VOLUME = random.standard_normal((1, 2, 4, 4, 4)).astype(np.float32)
SPD = np.array([[4.0, 1.0], [1.0, 3.0]], np.float32)


def windows(x, size):
    """(…, windows of the last axes, their elements) of windows that touch."""
    n, c, d, h, w = x.shape
    a, b, e = size
    return (
        x.reshape(n, c, d // a, a, h // b, b, w // e, e)
        .transpose(0, 1, 2, 4, 6, 3, 5, 7)
        .reshape(n, c, d // a, h // b, w // e, -1)
    )


def to_batch(x, b):
    n, c, h, w = x.shape
    return x.reshape(n, c, h // b, b, w // b, b).transpose(3, 5, 0, 1, 2, 4).reshape(-1, c, h // b, w // b)


#: class: (arguments of the class, arguments of the call, result)
FORMS = {
    "ReduceStd": ({"axis": (1,)}, (X,), (X.std(1, ddof=1), X.mean(1))),
    "EuclideanNorm": ({"keep_dims": True}, (X, (1,)), np.linalg.norm(X, axis=1, keepdims=True)),
    "CountNonZero": ({"dims": (1,)}, (N - 6,), np.array([2, 2], np.int32)),
    "Median": ({"axis": 1}, (X,), (np.array([2.0, 0.5], np.float32), np.array([2, 0]))),
    "Quantile": ({"dim": 1}, (X, 0.5), np.median(X, 1)),
    "NthElement": ({"reverse": True}, (X, 1), np.array([2.0, 0.5], np.float32)),
    "ListDiff": ({}, (np.arange(1, 6), np.array([2, 4])), (np.array([1, 3, 5]), np.array([0, 2, 4], np.int32))),
    "LpNorm": ({"axis": (0, 1), "p": 3}, (X,), (abs(X) ** 3).sum() ** (1 / 3)),
    "ReverseSequence": ({"seq_dim": 1}, (X, np.array([1, 2])), np.array([[3, -1, 2], [4, 0.5, -2.5]], np.float32)),
    "Roll": ({"shifts": 1, "dims": 1}, (X,), np.roll(X, 1, 1)),
    "SearchSorted": ({"right": True}, (np.array([1, 2, 3]), np.array([2, 9])), np.array([2, 3])),
    "LowerBound": ({}, (np.array([[1, 2, 3]]), np.array([[2, 9]])), np.array([[1, 3]], np.int32)),
    "UpperBound": ({}, (np.array([[1, 2, 3]]), np.array([[2, 9]])), np.array([[2, 3]], np.int32)),
    "InTopK": ({"k": 1}, (X, np.array([0, 2])), np.array([True, False])),
    "Shift": ({"periods": -2, "axis": 1}, (X, 7.0), np.array([[2, 7, 7], [-2.5, 7, 7]], np.float32)),
    "Inv": ({}, (N,), 1 // N),
    "EqualCount": ({}, (N, N * (N > 2)), np.array([4])),
    "SquareSumAll": ({}, (X, 2 * X), ((X**2).sum(), 4 * (X**2).sum())),
    "Bucketize": ({"boundaries": [0.0, 2.5]}, (X,), np.digitize(X, [0.0, 2.5]).astype(np.int32)),
    "NanToNum": ({"nan": 5.0}, (np.array([np.nan, 1], np.float32),), np.array([5, 1], np.float32)),
    "Einsum": ({"equation": "ij,kj->ik"}, ((X, X),), X @ X.T),
    "Cholesky": ({}, (SPD,), np.linalg.cholesky(SPD)),
    "MatrixSolve": ({}, (SPD, X[:, :1]), np.linalg.solve(SPD, X[:, :1])),
    "Pdist": ({"p": 1}, (X,), abs(X[0] - X[1]).sum(keepdims=True)),
    "MatrixBandPart": ({}, (X, 0, 0), X * np.eye(2, 3, dtype=np.float32)),
    "TrilIndices": ({"row": 2, "col": 2}, (), np.array([[0, 1, 1], [0, 0, 1]], np.int32)),
    "EmbeddingLookup": ({}, (X, np.array([4, 3]), 3), X[[1, 0]]),
    "SparseToDense": ({}, (np.array([[0, 1]]), np.array([5.0], np.float32), (2, 2)), np.array([[0, 5], [0, 0]], "f4")),
    "MaxPool3D": ({"kernel_size": 2, "strides": 2}, (VOLUME,), windows(VOLUME, (2, 2, 2)).max(-1)),
    "AvgPool3D": ({"kernel_size": (4, 2, 1), "strides": (4, 2, 1)}, (VOLUME,), windows(VOLUME, (4, 2, 1)).mean(-1)),
    "DepthToSpace": (
        {"block_size": 2},
        (IMAGE,),
        IMAGE.reshape(2, 2, 2, 1, 6, 6).transpose(0, 3, 4, 1, 5, 2).reshape(2, 1, 12, 12),
    ),
    "SpaceToBatch": ({"block_size": 2, "paddings": ((0, 0), (0, 0))}, (IMAGE,), to_batch(IMAGE, 2)),
    "SpaceToBatchND": (
        {"block_shape": (2, 2), "paddings": ((1, 1), (0, 2))},
        (IMAGE,),
        to_batch(np.pad(IMAGE, ((0, 0), (0, 0), (1, 1), (0, 2))), 2),
    ),
    "BatchToSpaceND": ({"block_shape": (2, 2), "crops": ((0, 0), (0, 0))}, (to_batch(IMAGE, 2),), IMAGE),
    "BatchToSpace": (
        {"block_size": 2, "crops": ((1, 1), (0, 2))},
        (to_batch(np.pad(IMAGE, ((0, 0), (0, 0), (1, 1), (0, 2))), 2),),
        IMAGE,
    ),
    "InplaceAdd": ({"indices": (1, 0)}, (X, N.astype(np.float32)), X + N[::-1].astype(np.float32)),
    "InplaceSub": ({"indices": (1,)}, (X, X[:1]), np.stack([X[0], X[1] - X[0]])),
    "InplaceUpdate": ({"indices": 0}, (X, X[1:]), X[[1, 1]]),
    "InplaceUpdateV2": ({}, (X, (0,), X[1:]), X[[1, 1]]),
    "SequenceAddN": ({}, ((X, X, X),), 3 * X),
    "NLLLoss": (
        {"reduction": "sum"},
        (X, np.array([0, 2]), np.array([1.0, 2.0, 4.0], np.float32)),
        (np.float32(-3.0 + 10.0), np.float32(5.0)),
    ),
}  # fmt: skip


def results(tree):
    return [x for item in tree for x in results(item)] if isinstance(tree, (tuple, list)) else [tree]


def tensors(tree):
    if isinstance(tree, np.ndarray):
        return Tensor(tree)
    return type(tree)(map(tensors, tree)) if isinstance(tree, tuple) else tree


@pytest.mark.parametrize("name", FORMS)
def test_value(name):
    given, args, wanted = FORMS[name]
    found = results(getattr(ops, name)(**given)(*tensors(args)))
    assert len(found) == len(results(wanted))
    for one, other in zip(found, results(wanted)):
        assert one.shape == np.shape(other)
        assert one.dtype.is_float or one.asnumpy().dtype == np.asarray(other).dtype
        np.testing.assert_allclose(one.asnumpy(), other, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("name", sorted(MORE_PLAIN))
def test_plain_classes_are_functions(name):
    assert getattr(ops, name)().name == name and callable(getattr(ops, MORE_PLAIN[name]))


def test_transposed_convolutions_are_gradients():
    x, w = ops.randn(2, 3, 7, 8), ops.randn(4, 3, 3, 2)
    forward = ops.Conv2D(4, (3, 2), pad_mode="pad", pad=(1, 0, 2, 1), stride=(2, 1))
    out, pull = anfora.vjp(lambda x: forward(x, w), x)
    g = ops.randn(*out.shape)
    back = ops.Conv2DBackpropInput(4, (3, 2), pad_mode="pad", pad=(1, 0, 2, 1), stride=(2, 1))(g, w, x.shape)
    np.testing.assert_array_equal(back.asnumpy(), pull(g)[0].asnumpy())


@pytest.mark.parametrize(
    "given, size",
    [({}, 5), ({"stride": 2}, 7), ({"pad_mode": "pad", "pad": 1}, 3), ({"stride": 2, "output_padding": 1}, 8)],
)
def test_transposed_convolution_of_volumes(given, size):
    x, w = random.standard_normal((1, 2, 3, 3, 3)), random.standard_normal((2, 1, 3, 3, 3))
    step, pad = given.get("stride", 1), given.get("pad", 0)
    full = np.zeros((1, 1, *[2 * step + 3] * 3))
    for place in np.ndindex(3, 3, 3):
        at = tuple(slice(i * step, i * step + 3) for i in place)
        full[(0, 0, *at)] += np.tensordot(x[(0, slice(None), *place)], w[:, 0], 1)
    wanted = np.zeros((1, 1, size, size, size))
    part = full[:, :, pad : pad + size, pad : pad + size, pad : pad + size]
    wanted[:, :, : part.shape[2], : part.shape[3], : part.shape[4]] = part
    found = ops.Conv3DTranspose(2, 1, 3, **given)(Tensor(x), Tensor(w))
    np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-12, atol=1e-12)


def test_classes_that_write_into_their_first_argument():
    x = Tensor(X)
    assert ops.InplaceAddExt()(x, Tensor(X), alpha=2) is x
    np.testing.assert_array_equal(x.asnumpy(), 3 * X)
    ops.InplaceSubExt()(x, 1)
    np.testing.assert_array_equal(x.asnumpy(), 3 * X - 1)


def test_tuples_of_numbers_as_tensors():
    made = ops.TupleToTensor()((1, 2, 3), anfora.float32)
    assert made.dtype is anfora.float32 and made.tolist() == [1.0, 2.0, 3.0]


def test_loops():
    assert ops.WhileLoop()(lambda v: v < 100, lambda v: v * 3, 1) == 243
    assert ops.ForiLoop()(2, 5, lambda i, v: v + i, 0) == 9
    last, given = ops.Scan()(lambda total, x: (total + x, total * x), Tensor(1.0), [Tensor(2.0), Tensor(3.0)])
    assert last.item() == 6 and [x.item() for x in given] == [2, 9]
    gradient = anfora.grad(lambda x: ops.ForiLoop()(0, 3, lambda i, v: v * x, Tensor(1.0)))(Tensor(2.0))
    assert gradient.item() == 12
    with pytest.raises(OpValueError, match="has 2 elements"):
        ops.Scan()(lambda c, x: (c, x), 0, [1, 2], length=3)


def test_dropout_tells_what_it_kept():
    anfora.set_seed(3)
    out, kept = ops.Dropout(keep_prob=0.25)(ops.ones((50, 8)))
    np.testing.assert_array_equal(out.asnumpy(), np.where(kept.asnumpy(), 4.0, 0.0))
    assert 60 < kept.sum().item() < 140


def test_what_other_devices_have_says_so():
    with pytest.raises(NotImplementedError, match="FloatStatus"):
        ops.NPUGetFloatStatus()(Tensor([1.0]))


def test_no_name_stands_twice():
    from anfora.ops import primitives

    assert not set(MORE) & set(MORE_PLAIN)
    assert all(primitives.CLASSES.get(name) is make for name, make in MORE.items())
