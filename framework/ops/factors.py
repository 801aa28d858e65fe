"""Equations by factors: LU factors taken apart and solved with, least squares. In operators, so they have gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from anfora.core.abstract import TensorType
from anfora.core.dtype import int64
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.op import op
from anfora.core.tensor import Tensor
from anfora.ops.comparison import equal
from anfora.ops.composite import composite
from anfora.ops.creation import arange, eye
from anfora.ops.diagonals import tril, triu
from anfora.ops.families import type_of
from anfora.ops.linalg import matrix_solve, pinv
from anfora.ops.linear import matmul
from anfora.ops.shape import expand_dims, reshape

__all__ = ["lstsq", "lu_solve", "lu_unpack"]


@op
def order_of_rows(pivots: Tensor, rows):
    """The order into which exchanges bring rows.

    Args:
        pivots: integers (…, K) in [1, rows]: row i is exchanged with row pivots[i] - 1, one after the other.
        rows: how many there are.
    Returns:
        int64 (…, rows): which row comes to stand at each place.
    Raises:
        OpTypeError: `pivots` is no integer tensor.   OpValueError: a pivot is out of range.
    """


@order_of_rows.normalize
def _(pivots, *, rows):
    return {"rows": int(rows)}


@order_of_rows.infer
def _(pivots, *, rows):
    if not pivots.dtype.is_integer or not pivots.ndim:
        raise OpTypeError(
            f"lu_solve and lu_unpack need integers (…, K) for pivots, but got {type_of(pivots)!r}", arg="pivots"
        )
    return TensorType(int64, (*pivots.shape[:-1], rows))


@order_of_rows.python
def _(pivots, *, rows):
    if pivots.size and (pivots.min() < 1 or pivots.max() > rows):
        raise OpValueError(
            f"pivots must be in [1, {rows}], but are from {pivots.min()} to {pivots.max()}", arg="pivots"
        )
    order = np.tile(np.arange(rows), (*pivots.shape[:-1], 1))
    for place in np.ndindex(pivots.shape[:-1]):
        for i, other in enumerate(pivots[place] - 1):
            order[place][[i, other]] = order[place][[other, i]]
    return order


def _checked(name: str, data: Tensor, pivots: Tensor) -> None:
    if data.ndim < 2 or not data.dtype.is_float:
        raise OpTypeError(
            f"{name} needs floating-point matrices for `LU_data`, but got {type_of(data)!r}", arg="LU_data"
        )
    if pivots.shape != (*data.shape[:-2], min(data.shape[-2:])):
        raise OpValueError(
            f"{name}: pivots of shape {list(pivots.shape)} do not fit factors of shape {list(data.shape)}",
            arg="LU_pivots",
        )


def _parts(data: Tensor) -> tuple[Tensor, Tensor]:
    """The lower factor, with ones on its diagonal, and the upper one."""
    rows, columns = data.shape[-2:]
    k = min(rows, columns)
    return tril(data[..., :, :k], -1) + eye(rows, k, data.dtype), triu(data[..., :k, :])


def _permutation(data: Tensor, pivots: Tensor) -> Tensor:
    order = order_of_rows(pivots, data.shape[-2])
    return equal(expand_dims(arange(data.shape[-2]), 1), expand_dims(order, -2)).astype(data.dtype)


@composite
def lu_unpack(LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:
    """The matrices P, L and U of a factorisation A = P L U, from the form in which LAPACK gives it.

    Args:
        LU_data: float tensor (…, M, N): below the diagonal L, whose diagonal is ones, else U.
        LU_pivots: integers (…, min(M, N)), counted from 1: which rows were exchanged.
        unpack_data, unpack_pivots: whether L and U, and P, are wanted.
    Returns:
        P (…, M, M), L (…, M, K), U (…, K, N) with K = min(M, N); None for what is not wanted.
    Raises:
        OpTypeError: a tensor has another type.   OpValueError: shapes do not fit, or a pivot is out of range.
    Gradient:
        that of each element where it stands in `LU_data`.
    Example:
        >>> p, l, u = lu_unpack(Tensor([[4., 2.], [0.5, 1.]]), Tensor([2, 2]))
        >>> (p @ l @ u).tolist()
        [[2.0, 2.0], [4.0, 2.0]]
    """
    _checked("lu_unpack", LU_data, LU_pivots)
    lower, upper = _parts(LU_data) if unpack_data else (None, None)
    return _permutation(LU_data, LU_pivots) if unpack_pivots else None, lower, upper


@composite
def lu_solve(b: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """Solve linear equations by the factors of their matrix: x with A x = b.

    Args:
        b: float tensor (…, N, K).
        LU_data, LU_pivots: the factors of A, (…, N, N) and (…, N); see `lu_unpack`.
    Returns:
        tensor of the type and shape of `b`.
    Raises:
        OpTypeError: a tensor has another type.   OpValueError: shapes do not fit, or the matrix is singular.
    Gradient:
        those of the two triangular systems; see `matrix_solve`.
    Example:
        >>> lu_solve(Tensor([[4.], [6.]]), Tensor([[4., 2.], [0.5, 1.]]), Tensor([2, 2])).tolist()
        [[1.0], [1.0]]
    """
    _checked("lu_solve", LU_data, LU_pivots)
    if LU_data.shape[-1] != LU_data.shape[-2] or b.ndim != LU_data.ndim or b.shape[:-1] != LU_data.shape[:-1]:
        raise OpValueError(
            f"lu_solve: right sides of shape {list(b.shape)} do not fit factors of shape {list(LU_data.shape)}", arg="b"
        )
    lower, upper = _parts(LU_data)
    turned = matmul(_permutation(LU_data, LU_pivots), b, transpose_a=True)
    return matrix_solve(upper, matrix_solve(lower, turned))


@composite
def lstsq(input: Tensor, A: Tensor) -> Tensor:
    """The solution x of least squares, which makes the norm of input @ x - A smallest; of several, the smallest.

    Args:
        input: float tensor (M, N).
        A: float tensor (M, K), or (M,) for one right side.
    Returns:
        (N, K), with K = 1 for one right side.
    Raises:
        OpTypeError: a tensor is not floating point.   OpValueError: the shapes do not fit.
    Gradient:
        by the pseudo-inverse, see `pinv`.
    Example:
        >>> lstsq(Tensor([[1., 0.], [1., 1.], [1., 2.]]), Tensor([1., 3., 5.])).asnumpy().round(4).tolist()
        [[1.0], [2.0]]
    """
    if input.ndim != 2 or A.ndim not in (1, 2) or A.shape[0] != input.shape[0]:
        raise OpValueError(
            f"lstsq needs (M, N) and (M, K) or (M,), but got {list(input.shape)} and {list(A.shape)}", arg="A"
        )
    return matmul(pinv(input), A if A.ndim == 2 else reshape(A, (-1, 1)))
