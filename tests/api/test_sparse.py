"""Sparse tensors against the dense ones that they stand for."""

from __future__ import annotations

import numpy as np
import pytest

import anfora
from anfora import COOTensor, CSRTensor, RowTensor, Tensor, grad
from anfora.core.errors import OpTypeError, OpValueError

RNG = np.random.default_rng(3)


def sparse(shape: tuple[int, int], seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.normal(size=shape) * (rng.random(shape) < 0.4)).astype(np.float32)


def coo(array: np.ndarray) -> COOTensor:
    places = np.argwhere(array)[::-1].copy()  # in no order
    return COOTensor(Tensor(places), Tensor(array[tuple(places.T)]), array.shape)


def csr(array: np.ndarray) -> CSRTensor:
    starts = np.concatenate(([0], np.cumsum((array != 0).sum(1))))
    return CSRTensor(Tensor(starts), Tensor(np.argwhere(array)[:, 1]), Tensor(array[array != 0]), array.shape)


A, B = sparse((4, 5), 1), sparse((4, 5), 2)
DENSE = RNG.normal(size=(4, 5)).astype(np.float32) + 3
MATRIX = RNG.normal(size=(5, 3)).astype(np.float32)


@pytest.mark.parametrize("make", [coo, csr])
@pytest.mark.parametrize(
    "compute, expected",
    [
        (lambda a, b, d: a, A), (lambda a, b, d: -a, -A), (lambda a, b, d: a + b, A + B), (lambda a, b, d: a - b, A - B),
        (lambda a, b, d: a + d, A + DENSE), (lambda a, b, d: d + a, A + DENSE), (lambda a, b, d: a - d, A - DENSE),
        (lambda a, b, d: a * d, A * DENSE), (lambda a, b, d: a / d, A / DENSE), (lambda a, b, d: 2 * a, 2 * A),
        (lambda a, b, d: a / 4, A / 4), (lambda a, b, d: a * d[:1], A * DENSE[:1]), (lambda a, b, d: a.abs(), abs(A)),
    ],
)  # fmt: skip
def test_arithmetic_is_that_of_dense_matrices(make, compute, expected):
    result = compute(make(A), make(B), Tensor(DENSE))
    result = result if isinstance(result, Tensor) else result.to_dense()
    np.testing.assert_allclose(result.asnumpy(), expected, rtol=1e-6, atol=1e-6)


def test_one_kind_becomes_the_other():
    assert np.array_equal(coo(A).to_csr().to_dense().asnumpy(), A)
    x = coo(A).to_csr()
    assert np.array_equal(x.indptr.asnumpy(), csr(A).indptr.asnumpy())
    assert np.array_equal(x.indices.asnumpy(), csr(A).indices.asnumpy())
    assert np.array_equal(x.to_coo().to_dense().asnumpy(), A)
    assert x.astype(anfora.float16).dtype is anfora.float16 and COOTensor(coo_tensor=coo(A)).shape == (4, 5)
    assert CSRTensor(csr_tensor=x).size == np.count_nonzero(A) and (x.ndim, x.itemsize) == (2, 4)


def test_products_and_sums_of_rows():
    np.testing.assert_allclose(csr(A).mm(Tensor(MATRIX)).asnumpy(), A @ MATRIX, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(csr(A).mv(Tensor(MATRIX[:, :1])).asnumpy(), A @ MATRIX[:, :1], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(csr(A).sum(1).asnumpy(), A.sum(1, keepdims=True), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(csr(A).add(csr(B), 2, -1).to_dense().asnumpy(), 2 * A - B, rtol=1e-6, atol=1e-6)


def test_equal_coordinates_are_added():
    x = COOTensor(Tensor([[1, 2], [0, 1], [1, 2]]), Tensor([1.0, 5.0, 4.0]), (3, 3))
    once = x.coalesce()
    assert once.indices.tolist() == [[0, 1], [1, 2]] and once.values.tolist() == [5, 5]
    assert x.to_dense().tolist() == [[0, 5, 0], [0, 0, 5], [0, 0, 0]]
    near = COOTensor(Tensor([[0, 1]]), Tensor([-4.5]), (3, 3))
    assert x.add(near, Tensor(1.0)).to_tuple()[0].tolist() == [[1, 2]]  # 0.5 is left out


def test_gradients_go_to_the_values():
    places = Tensor([[0, 1], [1, 2], [0, 1]])

    def loss(values):
        return (COOTensor(places, values, (2, 3)) * Tensor([[1.0, 2, 3], [4, 5, 6]])).to_dense().sum()

    assert grad(loss)(Tensor([1.0, 1, 1])).tolist() == [2, 6, 2]
    x = csr(A)
    by_values = grad(lambda values: x.with_values(values).mm(Tensor(MATRIX)).sum())(x.values)
    np.testing.assert_allclose(by_values.asnumpy(), MATRIX.sum(1)[x.indices.asnumpy()], rtol=1e-5)


def test_rows_of_a_larger_tensor():
    x = RowTensor(Tensor([2, 0]), Tensor([[1.0, 2], [3, 4]]), (3, 2))
    assert x.to_dense().tolist() == [[3, 4], [0, 0], [1, 2]] and x.dense_shape == (3, 2)


@pytest.mark.parametrize(
    "make, error, match",
    [
        (lambda: COOTensor([[0, 1]], Tensor([1.0]), (2, 2)), OpTypeError, "integer tensor"),
        (lambda: COOTensor(Tensor([[0.0, 1]]), Tensor([1.0]), (2, 2)), OpTypeError, "integer tensor"),
        (lambda: COOTensor(Tensor([[0, 1]]), [1.0], (2, 2)), OpTypeError, "tensor for `values`"),
        (lambda: COOTensor(Tensor([[0, 1]]), Tensor([1.0]), 4), OpTypeError, "tuple of integers"),
        (lambda: COOTensor(Tensor([[0, 1]]), Tensor([1.0]), (2, 0)), OpValueError, "positive"),
        (lambda: COOTensor(Tensor([0, 1]), Tensor([1.0, 2]), (2, 2)), OpValueError, "2 axes"),
        (lambda: COOTensor(Tensor([[0, 1]]), Tensor([1.0, 2]), (2, 2)), OpValueError, "1 places"),
        (lambda: COOTensor(Tensor([[0, 1]]), Tensor([1.0]), (2, 2, 2)), OpValueError, "3 axes"),
        (lambda: COOTensor(Tensor([[0, 2]]), Tensor([1.0]), (2, 2)), OpValueError, "outside"),
        (lambda: CSRTensor(Tensor([0, 1]), Tensor([0]), Tensor([1.0]), (2, 2)), OpValueError, "indptr"),
        (lambda: CSRTensor(Tensor([0, 2, 1]), Tensor([0]), Tensor([1.0]), (2, 2)), OpValueError, "rise"),
        (lambda: CSRTensor(Tensor([0, 1, 1]), Tensor([5]), Tensor([1.0]), (2, 2)), OpValueError, "outside"),
        (lambda: coo(A) + coo(A.T.copy()), OpValueError, "shapes differ"),
        (lambda: coo(A) + 1, TypeError, "unsupported"),
        (lambda: csr(A).mm(Tensor(MATRIX.T.copy())), OpValueError, "multiplied"),
        (lambda: csr(A).mm(csr(A)), NotImplementedError, "two sparse"),
        (lambda: RowTensor(Tensor([0]), Tensor([[1.0]]), (2, 2)), OpValueError, "rows of"),
        (lambda: RowTensor(Tensor([0]), Tensor(1.0), (2,)), OpValueError, "1 places"),
    ],
)
def test_what_does_not_fit_is_refused(make, error, match):
    with pytest.raises(error, match=match):
        make()


@pytest.mark.parametrize("compiled", [False, True])
def test_tensors_as_sparse_ones(compiled):
    x = Tensor(A)
    for made, kind in ((lambda x: x.to_coo(), COOTensor), (lambda x: x.to_csr(), CSRTensor)):
        found = (anfora.jit(made) if compiled else made)(x)
        assert isinstance(found, kind) and found.values.size == np.count_nonzero(A)
        assert np.array_equal(found.to_dense().asnumpy(), A)
        gradient = grad(lambda x: (made(x).values ** 2).sum())(x)  # noqa: B023
        assert np.array_equal(gradient.asnumpy(), 2 * A)
    with pytest.raises(ValueError, match="a matrix is needed"):
        Tensor([1.0]).to_csr()
