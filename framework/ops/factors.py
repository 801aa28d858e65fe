"""Equations by factors: LU factors found, taken apart and solved with, least squares, eigenvalues of symmetric matrices,
Householder reflections. All have gradients."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from anfora.core.abstract import TensorType
from anfora.core.dtype import complex64, complex128, float32, float64, int32, int64
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.op import op
from anfora.core.tensor import Tensor
from anfora.ops.comparison import equal
from anfora.ops.complexes import conj
from anfora.ops.composite import composite
from anfora.ops.creation import arange, eye
from anfora.ops.diagonals import tril, triu
from anfora.ops.families import leading, type_of
from anfora.ops.linalg import _algebra, _constant, _plus, _refuse_infinite, _square, adjoint, matrix_solve, pinv
from anfora.ops.linear import matmul
from anfora.ops.shape import expand_dims, reshape

#: The type of a complex number's parts.
_REAL = {complex64: float32, complex128: float64}

__all__ = ["geqrf", "lstsq", "lu_solve", "lu_unpack", "orgqr", "ormqr"]


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
    if data.ndim < 2 or not data.dtype.is_inexact:
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


@op
def lu_factor(input: Tensor) -> tuple[Tensor, Tensor]:
    """The factors of matrices A = P L U, found by elimination with exchanges of rows, in the form of LAPACK.

    Args:
        input: float tensor (…, M, N).
    Returns:
        float tensor (…, M, N), below the diagonal L, whose diagonal is ones, else U; and int32 (…, min(M, N)), counted
        from 1: with which row each row was exchanged. They are what `lu_unpack` and `lu_solve` take.
    Raises:
        OpTypeError: `input` is no tensor of real floating-point numbers.
        OpValueError: it has less than two axes, or holds NaN or infinity.
    Gradient:
        P L⁻ᵀ (lower(Lᵀ g_L) + upper(g_U Uᵀ)) U⁻ᵀ, lower without the diagonal, of square matrices; others are refused.
    Source:
        Murray, arXiv:1602.07527, section 4.
    Example:
        >>> data, pivots = lu_factor(Tensor([[2., 2.], [4., 2.]]))
        >>> data.tolist(), pivots.tolist()
        ([[4.0, 2.0], [0.5, 1.0]], [2, 2])
    """


@lu_factor.infer
def _(input):
    if not input.dtype.is_float:
        raise OpTypeError(f"lu_factor needs real floating-point matrices, but got {type_of(input)!r}", arg="input")
    if input.ndim < 2:
        raise OpValueError(f"lu_factor needs matrices, but got {type_of(input)!r}", arg="input")
    return input, TensorType(int32, (*input.shape[:-2], min(input.shape[-2:])))


@lu_factor.python
def _(input):
    _refuse_infinite("lu_factor", "input", input)
    return _algebra("lu_factor", "input", _eliminated, input)


def _eliminated(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Elimination, one column after the other, in all matrices at once; the first of the largest elements is the pivot."""
    steps = min(x.shape[-2:])
    batch = x.shape[:-2]
    x = x.reshape(math.prod(batch), *x.shape[-2:]).copy()
    pivots = np.empty((len(x), steps), np.int32)
    each = np.arange(len(x))
    for k in range(steps):
        chosen = k + np.argmax(np.abs(x[:, k:, k]), axis=1)
        pivots[:, k] = chosen + 1
        row = x[each, chosen]
        x[each, chosen] = x[:, k]
        x[:, k] = row
        pivot = row[:, k, None]
        x[:, k + 1 :, k] /= np.where(pivot == 0, 1.0, pivot)  # a column of zeros stays one
        x[:, k + 1 :, k + 1 :] -= x[:, k + 1 :, k, None] * row[:, None, k + 1 :]
    return x.reshape(*batch, *x.shape[-2:]), pivots.reshape(*batch, steps)


@lu_factor.vjp("input")
def _(out0, out1, *, g):
    if out0.shape[-1] != out0.shape[-2]:
        raise OpValueError(f"lu_factor of {type_of(out0)!r} has no gradient here: it is that of square matrices")
    lower, upper = _parts(out0)
    inner = tril(matmul(adjoint(lower), tril(g[0], -1)), -1) + triu(matmul(triu(g[0]), adjoint(upper)))
    left = matrix_solve(lower, inner, True)
    return matmul(_permutation(out0, out1), adjoint(matrix_solve(upper, adjoint(left))))


leading(lu_factor)


@op
def eigh(input: Tensor, lower=True) -> tuple[Tensor, Tensor]:
    """The eigenvalues of symmetric (complex: Hermitian) matrices, in ascending order, and their vectors: A = v diag(w) vᴴ.

    Args:
        input: floating-point or complex tensor (…, N, N), of which one triangle is read.
        lower: whether that is the lower one.
    Returns:
        w (…, N), real, and v (…, N, N), of the type of `input`, the vectors of length 1 as columns.
    Raises:
        OpTypeError: `input` is not floating point.
        OpValueError: the matrices are not square, or hold NaN or infinity.
    Gradient:
        the Hermitian part of v (diag(g_w) + (vᴴ g_v) / (w_j - w_i) off the diagonal) vᴴ; where no two eigenvalues are
        equal, for what does not depend on the free choice of the vectors' signs.
    Source:
        Boeddeker et al., arXiv:1701.00392.
    Example:
        >>> eigh(Tensor([[3., 0.], [0., 2.]]))[0].tolist()
        [2.0, 3.0]
    """


eigh.is_holomorphic = False
eigh.complex_rule = True


@eigh.normalize
def _(input, *, lower):
    return {"lower": bool(lower)}


@eigh.infer
def _(input, *, lower):
    _square("eigh", input, "input")
    return TensorType(_REAL.get(input.dtype, input.dtype), input.shape[:-1]), input


@eigh.python
def _(input, *, lower):
    _refuse_infinite("eigh", "input", input)
    return tuple(_algebra("eigh", "input", lambda a: np.linalg.eigh(a, "L" if lower else "U"), input))


@eigh.vjp("input")
def _(out0, out1, *, g):
    diagonal = _constant(np.eye(out0.shape[-1]), out1)
    total = None if g[0] is None else diagonal * expand_dims(g[0], -2)
    if g[1] is not None:
        gaps = expand_dims(out0, -2) - expand_dims(out0, -1) + eye(out0.shape[-1], dtype=out0.dtype)
        total = _plus(total, matmul(adjoint(out1), g[1]) / gaps * (1 - diagonal))
    s = matmul(matmul(out1, total), adjoint(out1))
    return (s + adjoint(s)) * 0.5


leading(eigh)


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


# -- Householder reflections ------------------------------------------------------------------------------------------


@op
def geqrf(input: Tensor) -> tuple[Tensor, Tensor]:
    """The QR factors of matrices in the form in which LAPACK gives them, for `orgqr` and `ormqr`.

    Args:
        input: floating-point or complex tensor (…, M, N).
    Returns:
        a tensor (…, M, N), r on and above the diagonal, below it the vectors of the reflections I - τ v vᴴ, each 1 on the
        diagonal; and the numbers τ (…, min(M, N)).
    Raises:
        OpTypeError: `input` is not floating point.   OpValueError: it has fewer than two axes.
    Gradient:
        there is none, and one that is asked for is an error; `qr` has it.
    Example:
        >>> y, tau = geqrf(Tensor([[2., 1.], [0., 3.]]))
        >>> y.tolist(), tau.tolist()
        ([[2.0, 1.0], [0.0, 3.0]], [0.0, 0.0])
    """


geqrf.complex_rule = True


@geqrf.infer
def _(input):
    _matrices("geqrf", "input", input)
    return input, TensorType(input.dtype, (*input.shape[:-2], min(input.shape[-2:])))


@geqrf.python
def _(input):
    wide = input.astype(np.complex128 if np.iscomplexobj(input) else np.float64)
    turned, tau = np.linalg.qr(wide, "raw")
    return np.swapaxes(turned, -1, -2), tau


@geqrf.vjp("input")
def _(*, g):
    raise NotImplementedError("the gradient of geqrf; qr has one")


leading(geqrf)


def _matrices(name: str, arg: str, x: Any) -> None:
    if not x.dtype.is_inexact:
        raise OpTypeError(f"{name} needs a floating-point tensor for `{arg}`, but got {type_of(x)!r}", arg=arg)
    if x.ndim < 2:
        raise OpValueError(f"{name} needs matrices for `{arg}`, but got {type_of(x)!r}", arg=arg)


def _reflections(name: str, data: Tensor, tau: Tensor) -> list[tuple[Tensor, Tensor]]:
    """The numbers τ (…, 1, 1) and vectors v (…, M, 1) of reflections."""
    _matrices(name, "input", data)
    rows, columns = data.shape[-2:]
    count = tau.shape[-1] if tau.ndim else -1
    if tau.shape[:-1] != data.shape[:-2] or not 0 <= count <= min(rows, columns):
        raise OpValueError(
            f"{name}: numbers of shape {list(tau.shape)} do not fit reflections of shape {list(data.shape)}", arg="tau"
        )
    vectors = tril(data[..., :count], -1) + eye(rows, count, data.dtype)
    return [(reshape(tau[..., i], (*tau.shape[:-1], 1, 1)), vectors[..., i : i + 1]) for i in range(count)]


@composite
def orgqr(input: Tensor, input2: Tensor) -> Tensor:
    """The first columns of a product of reflections, as `geqrf` gives them: q of the QR factors.

    Args:
        input: the vectors, tensor (…, M, N) with M >= N.
        input2: the numbers τ, (…, K) with K <= N.
    Returns:
        tensor (…, M, N).
    Raises:
        OpTypeError: a tensor is not floating point.   OpValueError: shapes do not fit.
    Gradient:
        to the vectors and the numbers.
    Example:
        >>> y, tau = geqrf(Tensor([[0., 2.], [1., 3.]]))
        >>> orgqr(y, tau).tolist()
        [[0.0, -1.0], [-1.0, 0.0]]
    """
    reflections = _reflections("orgqr", input, input2)
    rows, columns = input.shape[-2:]
    if rows < columns:
        raise OpValueError(f"orgqr needs no more columns than rows, but got {type_of(input)!r}", arg="input")
    found = eye(rows, columns, input.dtype)
    for tau, v in reversed(reflections):
        found = found - tau * matmul(v, matmul(adjoint(v), found))
    return found


@composite
def ormqr(input: Tensor, tau: Tensor, other: Tensor, left: bool = True, transpose: bool = False) -> Tensor:
    """A product of reflections, as `geqrf` gives them, times matrices: q @ other.

    Args:
        input: the vectors, tensor (…, M, K').
        tau: the numbers τ, (…, K) with K <= K'.
        other: tensor (…, M, N), or (…, N, M) if not `left`.
        left: whether q stands on the left, else on the right.
        transpose: take qᵀ, of complex numbers qᴴ, for q.
    Returns:
        tensor of the shape of `other`.
    Raises:
        OpTypeError: a tensor is not floating point.   OpValueError: shapes do not fit.
    Gradient:
        to all three.
    Example:
        >>> y, tau = geqrf(Tensor([[0., 2.], [1., 3.]]))
        >>> ormqr(y, tau, Tensor([[1.], [0.]]), transpose=True).tolist()
        [[0.0], [-1.0]]
    """
    _matrices("ormqr", "other", other)
    if other.shape[-2 if left else -1] != input.shape[-2]:
        raise OpValueError(f"ormqr: {type_of(other)!r} does not fit reflections of {input.shape[-2]} rows", arg="other")
    reflections = _reflections("ormqr", input, tau)
    for factor, v in reflections if bool(left) is bool(transpose) else reversed(reflections):
        factor = conj(factor) if transpose else factor
        if left:
            other = other - factor * matmul(v, matmul(adjoint(v), other))
        else:
            other = other - factor * matmul(matmul(other, v), adjoint(v))
    return other
