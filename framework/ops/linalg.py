"""Norms and distances, and the algebra of square matrices: inverses, determinants, factors.

Factors are computed by numpy (LAPACK) in float64, one matrix of a batch after the other, and rounded once. Their gradients
are written in operators, so they can be differentiated as often as one likes.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from anfora.core import exact
from anfora.core.abstract import TensorType
from anfora.core.dtype import as_dtype, complex64, float32, int64, promote
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.op import op
from anfora.core.tensor import Tensor
from anfora.kernel import bodies
from anfora.kernel.emit import Value
from anfora.ops.arithmetic import abs, clamp, maximum
from anfora.ops.complexes import conj, imaginary_part, joined, real
from anfora.ops.composite import composite
from anfora.ops.copying import cast
from anfora.ops.families import ByAttributes, elementwise, leading, normalize_axes, normalize_axis, type_of
from anfora.ops.indexing import gather
from anfora.ops.joining import concat
from anfora.ops.linear import matmul
from anfora.ops.mathematics import log, pow
from anfora.ops.reduction import (
    count_nonzero,
    euclidean_norm,
    mean,
    quotient_or_zero,
    reduce_max,
    reduce_min,
    reduce_sum,
)
from anfora.ops.shape import expand_dims, reshape, swapaxes, transpose

__all__ = [
    "adjoint", "cdist", "cholesky", "cholesky_inverse", "cholesky_solve", "cond", "cov", "det", "dist", "eig", "eigvals",
    "inverse", "log_matrix_determinant", "logdet", "matrix_determinant", "matrix_exp", "matrix_logarithm", "matrix_norm",
    "matrix_power",
    "matrix_solve", "norm", "pdist", "pinv", "qr", "renorm", "slogdet", "svd", "vander", "vector_norm",
]  # fmt: skip


def _numbers(name: str, arg: str, x: Any, dtype: Any = None) -> Tensor:
    """A tensor in the floating-point type that is asked for; integers become float32."""
    if not isinstance(x, Tensor):
        raise OpTypeError(f"{name} needs a tensor for `{arg}`, but got {x!r}", arg=arg)
    kind = x.dtype.lifted if dtype is None else as_dtype(dtype)
    if not kind.is_inexact:
        raise OpTypeError(f"{name} needs a floating-point `dtype`, but got {kind}", arg="dtype")
    return x if x.dtype is kind else cast(x, kind)


def _sizes(x: Tensor) -> Tensor:
    """The tensor, or of complex numbers how large they are."""
    return abs(x) if x.dtype.is_complex else x


# -- norms ------------------------------------------------------------------------------------------------------------


@functools.cache
def _abs_power(exponent: str, signed: bool) -> Callable:
    power = float.fromhex(exponent)

    def body(x: Value) -> Value:
        size = bodies.absolute(x)
        result = bodies.pow(size, x.fn.const(power, x.type))
        if not signed:
            return result
        return bodies.select(x == 0.0, 0.0, bodies.select(bodies.is_nan(x), x, bodies.copysign(result, x)))

    return body


@elementwise(
    ByAttributes(lambda kind, exponent, signed: _abs_power(exponent.hex(), signed)), takes="f", cost=5.0, pairs=True
)
def abs_power(input: Tensor, exponent, signed):
    """|input| to a power; if `signed`, with the sign of the input, and zero at zero whatever the exponent."""


@abs_power.normalize
def _(input, *, exponent, signed):
    return {"exponent": float(exponent), "signed": bool(signed)}


@abs_power.vjp("input")
def _(input, *, exponent, signed, g):
    return g * (exponent * abs_power(input, exponent - 1.0, not signed))


@composite
def vector_norm(x: Tensor, ord=2, axis=None, keepdims=False, *, dtype=None) -> Tensor:
    """The norm of vectors: (sum of |x|ᵖ)^(1/p) over axes.

    Args:
        x: tensor of any shape; integers are computed as float32.
        ord: p, any number; inf (-inf) gives the largest (smallest) magnitude, 0 the number of elements that are not zero.
        axis: the axes of the vectors; all when not given.
        keepdims: keep these axes, with length 1.
        dtype: floating-point type in which it is computed.
    Returns:
        float tensor of the other axes.
    Raises:
        OpTypeError: `ord` is no number.
        OpValueError: `axis` is out of range or names an axis twice.
    Gradient:
        g · sign(x) (|x| / norm)^(p - 1); zero where x is, for p of at least 1.
    Example:
        >>> vector_norm(Tensor([[3., 4.], [0., 2.]]), axis=1).tolist()
        [5.0, 2.0]
    """
    x = _sizes(_numbers("vector_norm", "x", x, dtype))
    if isinstance(ord, bool) or not isinstance(ord, (int, float)):
        raise OpTypeError(f"vector_norm needs a number for `ord`, but got {ord!r}", arg="ord")
    axes = normalize_axes("vector_norm", axis, x.ndim)
    if ord == 2:
        return euclidean_norm(x, axes, keepdims)
    if ord == 1:
        return reduce_sum(abs(x), axes, keepdims)
    if ord == 0:
        return cast(count_nonzero(x, axes, keepdims), x.dtype)
    if math.isinf(ord):
        return (reduce_max if ord > 0 else reduce_min)(abs(x), axes, keepdims)
    wide = cast(x, float32) if x.dtype.bits == 16 else x  # powers of halves overflow
    return cast(abs_power(reduce_sum(abs_power(wide, ord, False), axes, keepdims), 1.0 / ord, False), x.dtype)


@composite
def matrix_norm(A: Tensor, ord="fro", axis=(-2, -1), keepdims=False, *, dtype=None) -> Tensor:
    """The norm of matrices.

    Args:
        A: tensor of at least two axes; integers are computed as float32.
        ord: "fro": the square root of the sum of squares; "nuc": the sum of the singular values; 2 (-2): the largest
            (smallest) of them; 1 (-1): the largest (smallest) sum of magnitudes of a column; inf (-inf): of a row.
        axis: the axes of rows and columns.
        keepdims: keep these axes, with length 1.
        dtype: floating-point type in which it is computed.
    Returns:
        float tensor of the other axes.
    Raises:
        OpValueError: `ord` is something else; `axis` are not two axes.
    Example:
        >>> matrix_norm(Tensor([[1., -2.], [3., 4.]]), 1).item()
        6.0
    """
    A = _numbers("matrix_norm", "A", A, dtype)
    if not isinstance(axis, (tuple, list)) or len(axis) != 2:
        raise OpValueError(f"matrix_norm needs two axes for `axis`, but got {axis!r}", arg="axis")
    rows, columns = (normalize_axis("matrix_norm", i, A.ndim) for i in axis)
    if rows == columns or A.ndim < 2:
        raise OpValueError(f"matrix_norm: `axis` names an axis twice: {tuple(axis)}", arg="axis")
    known = ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf)
    if isinstance(ord, bool) or ord not in known:
        raise OpValueError(
            f"matrix_norm: `ord` must be one of {', '.join(map(str, known))}, but got {ord!r}", arg="ord"
        )
    A = A if ord in ("nuc", 2, -2) else _sizes(A)
    if ord == "fro":
        return euclidean_norm(A, (rows, columns), keepdims)
    if ord in (1, -1, math.inf, -math.inf):
        first, second = (rows, columns) if ord in (1, -1) else (columns, rows)
        pick = reduce_max if ord > 0 else reduce_min
        norm = pick(reduce_sum(abs(A), first, True), second, True)
    else:
        others = tuple(i for i in range(A.ndim) if i not in (rows, columns))
        values = svd(transpose(A, (*others, rows, columns)), False, False)
        norm = reduce_sum(values, -1) if ord == "nuc" else (reduce_max if ord > 0 else reduce_min)(values, -1)
    kept = tuple(1 if i in (rows, columns) else n for i, n in enumerate(A.shape))
    return reshape(norm, kept if keepdims else tuple(n for i, n in enumerate(A.shape) if i not in (rows, columns)))


@composite
def norm(A: Tensor, ord=None, dim=None, keepdim=False, *, dtype=None) -> Tensor:
    """The norm of vectors or matrices.

    Args:
        A: tensor of any shape; integers are computed as float32.
        ord: which norm, see `vector_norm` and `matrix_norm`; the square root of the sum of squares when not given.
        dim: one axis for vectors, two for matrices, without `ord` any number; when not given all of `A`, which must have
            one or two axes where there is an `ord`.
        keepdim: keep these axes, with length 1.
        dtype: floating-point type in which it is computed.
    Returns:
        float tensor of the other axes.
    Raises:
        OpValueError: `ord` does not fit the number of axes, or an axis is out of range.
    Gradient:
        For the Euclidean norm g · A / norm, zero where the norm is zero; for others see `vector_norm`.
    Example:
        >>> norm(Tensor([[3., 4.], [0., 0.]])).item()
        5.0
    """
    A = _numbers("norm", "A", A, dtype)
    if ord is None:
        return euclidean_norm(A, normalize_axes("norm", dim, A.ndim, "dim"), keepdim)
    if dim is None:
        if A.ndim not in (1, 2):
            raise OpValueError(
                f"norm with `ord` but without `dim` needs one or two axes, but got {type_of(A)!r}",
                arg="dim",
                help="name the axis of the vectors or the two of the matrices in `dim`.",
            )
        dim = tuple(range(A.ndim))
    axes = tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)
    if len(axes) == 2:
        return matrix_norm(A, ord, axes, keepdim)
    if len(axes) != 1 or isinstance(ord, str):
        raise OpValueError(f"norm: the order {ord!r} does not fit {len(axes)} axes", arg="ord")
    return vector_norm(A, ord, axes, keepdim)


@composite
def dist(input: Tensor, other: Tensor, p=2) -> Tensor:
    """The norm of the difference of two tensors that broadcast; see `vector_norm`.

    Example:
        >>> dist(Tensor([1., 2.]), Tensor([4., 6.])).item()
        5.0
    """
    return vector_norm(input - other, p)


@composite
def cdist(x1: Tensor, x2: Tensor, p=2.0) -> Tensor:
    """The distances between all rows of two matrices: y[…, i, j] = norm of x1[…, i] - x2[…, j].

    Args:
        x1: tensor (…, P, M); leading axes broadcast.
        x2: tensor (…, R, M).
        p: the order of the norm, not negative; see `vector_norm`.
    Returns:
        tensor (…, P, R).
    Raises:
        OpValueError: there are fewer than two axes, lengths do not fit, or `p` is negative.
    Gradient:
        that of `vector_norm`; zero where a distance is zero.
    Example:
        >>> cdist(Tensor([[0., 0.]]), Tensor([[3., 4.], [0., 1.]])).tolist()
        [[5.0, 1.0]]
    """
    x1, x2 = _numbers("cdist", "x1", x1), _numbers("cdist", "x2", x2)
    if x1.ndim < 2 or x2.ndim < 2 or x1.shape[-1] != x2.shape[-1]:
        raise OpValueError(
            f"cdist needs rows of equal length in at least two axes, but got {list(x1.shape)} and {list(x2.shape)}",
            arg="x2",
        )
    if isinstance(p, bool) or not isinstance(p, (int, float)) or not p >= 0:
        raise OpValueError(f"cdist needs a number that is not negative for `p`, but got {p!r}", arg="p")
    return vector_norm(expand_dims(x1, -2) - expand_dims(x2, -3), p, -1)


@composite
def pdist(input: Tensor, p=2.0) -> Tensor:
    """The distances between all pairs of rows, each pair once: those above the diagonal of `cdist(input, input, p)`.

    Args:
        input: tensor (…, N, M).
        p: the order of the norm, not negative; see `vector_norm`.
    Returns:
        tensor (…, N (N - 1) / 2): of rows 0 and 1, 0 and 2, … 1 and 2, …
    Raises:
        OpValueError: there are fewer than two axes, or `p` is negative.
    Gradient:
        that of `vector_norm`; zero where a distance is zero.
    Example:
        >>> pdist(Tensor([[0., 0.], [3., 4.], [0., 1.]])).tolist()
        [5.0, 1.0, 4.242640495300293]
    """
    input = _numbers("pdist", "input", input)
    if input.ndim < 2:
        raise OpValueError(f"pdist needs a tensor of at least two axes, but got {input!r}", arg="input")
    if isinstance(p, bool) or not isinstance(p, (int, float)) or not p >= 0:
        raise OpValueError(f"pdist needs a number that is not negative for `p`, but got {p!r}", arg="p")
    one, other = (Tensor(i.astype(np.int64)) for i in np.triu_indices(input.shape[-2], 1))
    return vector_norm(gather(input, one, -2) - gather(input, other, -2), p, -1)


# -- square matrices --------------------------------------------------------------------------------------------------


def _square(name: str, x: Any, arg: str) -> None:
    """Refuse what is no floating-point or complex tensor of square matrices."""
    if not x.dtype.is_inexact:
        raise OpTypeError(
            f"{name} needs a floating-point tensor for `{arg}`, but got {type_of(x)!r}",
            arg=arg,
            help="convert it first, e.g. x.astype(float32).",
        )
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise OpValueError(f"{name} needs square matrices for `{arg}`, but got {type_of(x)!r}", arg=arg)


def _algebra(name: str, arg: str, function: Callable, *arrays: np.ndarray) -> Any:
    """What a function of numpy gives in double precision; its failure as an error for users."""
    try:
        return function(*(a.astype(np.complex128 if np.iscomplexobj(a) else np.float64) for a in arrays))
    except np.linalg.LinAlgError as error:
        raise OpValueError(f"{name}: {error}", arg=arg) from None


def _refuse_infinite(name: str, arg: str, x: np.ndarray) -> None:
    if not np.isfinite(x).all():
        place = tuple(map(int, np.argwhere(~np.isfinite(x))[0]))
        raise OpValueError(f"{name} needs finite numbers for `{arg}`, but got {x[place]} at {list(place)}", arg=arg)


def _svd(name: str, arg: str, x: np.ndarray, full: bool) -> Any:
    """The singular value decomposition by numpy. It is found by iteration, which for infinite numbers never ends."""
    _refuse_infinite(name, arg, x)
    return _algebra(name, arg, lambda a: np.linalg.svd(a, full), x)


def _turned(x: Tensor) -> Tensor:
    return swapaxes(x, -1, -2)


def _crossed(x: np.ndarray) -> np.ndarray:
    """The conjugate transpose of numpy's arrays; `adjoint` is that of tensors."""
    return np.conj(np.swapaxes(x, -1, -2))


def _each(g: Tensor) -> Tensor:
    """A number for each matrix, to be multiplied with matrices."""
    return expand_dims(expand_dims(g, -1), -1)


def _constant(values: np.ndarray, like: Tensor) -> Tensor:
    return Tensor(values, like.dtype)


@composite
def adjoint(x: Tensor) -> Tensor:
    """Matrices with rows and columns exchanged, and complex elements conjugated.

    Args:
        x: tensor of at least two axes.
    Example:
        >>> adjoint(Tensor([[1, 2]])).tolist()
        [[1], [2]]
    """
    return conj(_turned(x))


@composite
def cond(A: Tensor, p: Any = None) -> Tensor:
    """The condition number of matrices: the norm of a matrix times the norm of its inverse.

    Args:
        A: tensor (…, N, N); (…, M, N) where `p` is None, 2 or -2. Integers are computed as float32.
        p: the norm, see `matrix_norm`; None and 2 (-2) give the largest by the smallest singular value (the smallest by
            the largest).
    Returns:
        float tensor (…); infinite for singular matrices, where `p` is None or 2.
    Raises:
        OpValueError: matrices are not square, or singular, where their inverse is asked for.
    Example:
        >>> cond(Tensor([[2., 0.], [0., 0.5]])).item()
        4.0
    """
    A = _numbers("cond", "A", A)
    if p in (None, 2, -2):
        if A.ndim < 2:
            raise OpValueError(f"cond needs a tensor of at least two axes, but got {A!r}", arg="A")
        largest, smallest = matrix_norm(A, 2), matrix_norm(A, -2)
        return smallest / largest if p == -2 else largest / smallest
    _square("cond", A, "A")
    return matrix_norm(A, p) * matrix_norm(inverse(A), p)


@op
def inverse(input: Tensor):
    """The inverses of matrices.

    Args:
        input: float tensor (…, N, N).
    Returns:
        tensor of the same type and shape.
    Raises:
        OpTypeError: `input` is not floating point.
        OpValueError: the matrices are not square, or one is singular.
    Gradient:
        -yᵀ g yᵀ.
    Example:
        >>> inverse(Tensor([[2., 0.], [0., 4.]])).tolist()
        [[0.5, 0.0], [0.0, 0.25]]
    """


@inverse.infer
def _(input):
    _square("inverse", input, "input")
    return input


@inverse.python
def _(input):
    return _algebra("inverse", "input", np.linalg.inv, input)


@inverse.vjp("input")
def _(out, *, g):
    return -matmul(matmul(out, g, transpose_a=True), out, transpose_b=True)


leading(inverse)


@inverse.jvp
def _(t_input, out):
    return -matmul(matmul(out, t_input), out)


@op
def det(input: Tensor):
    """The determinants of matrices.

    Args:
        input: float tensor (…, N, N).
    Returns:
        tensor (…).
    Raises:
        OpTypeError: `input` is not floating point.
        OpValueError: the matrices are not square.
    Gradient:
        g · the matrix of cofactors, for singular matrices too.
    Example:
        >>> det(Tensor([[2., 1.], [0., 4.]])).item()
        8.0
    """


@det.infer
def _(input):
    _square("det", input, "input")
    return TensorType(input.dtype, input.shape[:-2])


@det.python
def _(input):
    return _algebra("det", "input", np.linalg.det, input)


@det.vjp("input")
def _(input, *, g):
    return _each(g) * cofactors(input)


leading(det)


@op
def cofactors(input: Tensor):
    """The cofactors of matrices: det(x) x⁻ᵀ, and what this tends to where x is singular."""


@cofactors.infer
def _(input):
    _square("det", input, "input")
    return input


@cofactors.python
def _(input):
    u, s, vt = _svd("det", "input", input, True)
    n = s.shape[-1]
    others = np.where(np.eye(n, dtype=bool), 1.0, s[..., None, :]).prod(-1)
    size = (np.linalg.det(u) * np.linalg.det(vt))[..., None, None]
    return size * ((np.conj(u) * others[..., None, :]) @ np.conj(vt))


@cofactors.vjp("input")
def _(input, out, *, g):
    y = inverse(input)
    both = reduce_sum(g * _turned(y), (-2, -1))
    return _each(both) * out - matmul(matmul(out, g, transpose_b=True), y, transpose_b=True)


leading(cofactors)


@op
def slogdet(input: Tensor) -> tuple[Tensor, Tensor]:
    """The signs of the determinants of matrices and the logarithms of their magnitudes.

    Args:
        input: float tensor (…, N, N).
    Returns:
        signs (…), which are 0 for singular matrices (of complex ones det / |det|), and logarithms (…), which are -inf for
        them, and real.
    Raises:
        OpTypeError: `input` is not floating point.
        OpValueError: the matrices are not square.
    Gradient:
        g · x⁻ᵀ from the logarithm (of complex matrices g · x⁻ᴴ), none from the sign of real matrices.
    Example:
        >>> [x.item() for x in slogdet(Tensor([[-1., 0.], [0., 1.]]))]
        [-1.0, 0.0]
    """


@slogdet.infer
def _(input):
    _square("slogdet", input, "input")
    return TensorType(input.dtype, input.shape[:-2]), TensorType(input.dtype.part, input.shape[:-2])


@slogdet.python
def _(input):
    return tuple(_algebra("slogdet", "input", np.linalg.slogdet, input))


@slogdet.vjp("input")
def _(input, out0, *, g):
    size = g[1]
    if out0.dtype.is_complex and g[0] is not None:
        turn = joined(0.0, -imaginary_part(conj(g[0]) * out0))
        size = turn if size is None else turn + size
    return None if size is None else _each(size) * adjoint(inverse(input))


slogdet.is_holomorphic = False


leading(slogdet)


def logdet(input: Tensor) -> Tensor:
    """The logarithms of the determinants of matrices (…, N, N); NaN where one is negative, -inf where it is zero.

    Example:
        >>> logdet(Tensor([[1., 2.], [0., 1.]])).item()
        0.0
    """
    sign, logarithm = slogdet(input)
    return log(sign) + logarithm


def matrix_determinant(input: Tensor) -> Tensor:
    """The determinants of matrices; see `det`.

    Example:
        >>> matrix_determinant(Tensor([[2., 1.], [0., 4.]])).item()
        8.0
    """
    return det(input)


def log_matrix_determinant(input: Tensor) -> tuple[Tensor, Tensor]:
    """The signs of determinants and the logarithms of their magnitudes; see `slogdet`.

    Example:
        >>> [x.item() for x in log_matrix_determinant(Tensor([[-1., 0.], [0., 1.]]))]
        [-1.0, 0.0]
    """
    return slogdet(input)


@op
def matrix_solve(matrix: Tensor, rhs: Tensor, adjoint=False):
    """Solve linear equations: x with matrix @ x = rhs.

    Args:
        matrix: float tensor (…, N, N).
        rhs: tensor (…, N, K) of the same type, with the same leading axes.
        adjoint: solve with the transposed matrices, complex ones conjugated.
    Returns:
        tensor of the type and shape of `rhs`.
    Raises:
        OpTypeError: `matrix` is not floating point, or the types differ.
        OpValueError: shapes do not fit, or a matrix is singular.
    Gradient:
        h = matrix⁻ᵀ g to rhs, -h xᵀ to the matrix.
    Example:
        >>> matrix_solve(Tensor([[2., 0.], [0., 4.]]), Tensor([[1.], [2.]])).tolist()
        [[0.5], [0.5]]
    """


@matrix_solve.normalize
def _(matrix, rhs, *, adjoint):
    return {"adjoint": bool(adjoint)}


@matrix_solve.infer
def _(matrix, rhs, *, adjoint):
    _square("matrix_solve", matrix, "matrix")
    if rhs.dtype is not matrix.dtype:
        raise OpTypeError(f"matrix_solve needs `rhs` of the type {matrix.dtype}, but got {type_of(rhs)!r}", arg="rhs")
    if rhs.ndim < 2 or rhs.shape[:-1] != matrix.shape[:-1]:
        raise OpValueError(
            f"matrix_solve: right sides of shape {list(rhs.shape)} do not fit matrices of shape {list(matrix.shape)}",
            arg="rhs",
        )
    return rhs


@matrix_solve.python
def _(matrix, rhs, *, adjoint):
    turned = _crossed(matrix) if adjoint else matrix
    return _algebra("matrix_solve", "matrix", np.linalg.solve, turned, rhs)


@matrix_solve.vjp("matrix", "rhs")
def _(matrix, out, *, adjoint, g):
    h = matrix_solve(matrix, g, not adjoint)
    return -(matmul(out, conj(h), transpose_b=True) if adjoint else matmul(h, conj(out), transpose_b=True)), h


matrix_solve.is_holomorphic = False
leading(matrix_solve, 2)


@composite
def matrix_power(input: Tensor, n) -> Tensor:
    """Square matrices to an integer power, by repeated squaring; a negative one is a power of the inverse.

    Args:
        input: tensor (…, N, N).
        n: the exponent.
    Returns:
        tensor of the same shape.
    Raises:
        OpTypeError: `n` is no integer.
        OpValueError: the matrices are not square, or singular where `n` is negative.
    Example:
        >>> matrix_power(Tensor([[1., 1.], [0., 1.]]), 5).tolist()
        [[1.0, 5.0], [0.0, 1.0]]
    """
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise OpTypeError(f"matrix_power needs an integer for `n`, but got {n!r}", arg="n")
    if not isinstance(input, Tensor) or input.ndim < 2 or input.shape[-1] != input.shape[-2]:
        what = type_of(input) if isinstance(input, Tensor) else input
        raise OpValueError(f"matrix_power needs square matrices for `input`, but got {what!r}", arg="input")
    n = n.__index__()
    if n < 0:
        input, n = inverse(input), -n
    result = None
    while n:
        if n & 1:
            result = input if result is None else matmul(result, input)
        n >>= 1
        if n:
            input = matmul(input, input)
    return input * 0 + _constant(np.eye(input.shape[-1]), input) if result is None else result


@op
def matrix_exp(input: Tensor):
    """The exponentials of matrices: the sum of xᵏ / k!.

    Args:
        input: float tensor (…, N, N).
    Returns:
        tensor of the same type and shape.
    Raises:
        OpTypeError: `input` is not floating point.
        OpValueError: the matrices are not square.
    Gradient:
        the upper right block of the exponential of [[xᵀ, g], [0, xᵀ]].
    Source:
        Scaling, squaring and the Padé approximant of degree 13: Higham, SIAM J. Matrix Anal. Appl. 26 (2005).
    Example:
        >>> matrix_exp(Tensor([[0., 1.], [0., 0.]])).tolist()
        [[1.0, 1.0], [0.0, 1.0]]
    """


@matrix_exp.infer
def _(input):
    _square("matrix_exp", input, "input")
    return input


#: The coefficients of the numerator of the Padé approximant of degree 13 to the exponential, from x⁰ on.
_PADE = [math.comb(13, k) * math.factorial(26 - k) // math.factorial(13) for k in range(14)]


@matrix_exp.python
def _(input):
    return _algebra("matrix_exp", "input", _exponential, input)


def _exponential(x: np.ndarray) -> np.ndarray:
    if x.size == 0:
        return x
    size = np.abs(x).sum(-2).max(-1)
    share, exponent = np.frexp(size / 5.37)
    halvings = np.where(np.isfinite(size), np.maximum(exponent - (share == 0.5), 0), 0)
    x = x * np.ldexp(1.0, -halvings)[..., None, None]
    square = x @ x
    power = np.broadcast_to(np.eye(x.shape[-1]), x.shape)
    even, odd = np.zeros_like(x), np.zeros_like(x)
    for k in range(0, 14, 2):
        even = even + float(_PADE[k]) * power
        odd = odd + float(_PADE[k + 1]) * power
        power = power @ square
    odd = x @ odd
    bad = ~np.isfinite(odd).all((-2, -1))
    y = np.linalg.solve(np.where(bad[..., None, None], np.eye(x.shape[-1]), even - odd), even + odd)
    for step in range(int(halvings.max())):
        y = np.where((step < halvings)[..., None, None], y @ y, y)
    return np.where(bad[..., None, None], np.nan, y)


@matrix_exp.vjp("input")
def _(input, *, g):
    return _off_diagonal(matrix_exp, _turned(input), g)


def _off_diagonal(function: Callable[[Tensor], Tensor], x: Tensor, g: Tensor) -> Tensor:
    """The upper right block of a function of [[x, g], [0, x]]: its derivative at x along g."""
    n = x.shape[-1]
    blocks = concat([concat([x, g], -1), concat([g * 0, x], -1)], -2)
    return function(blocks)[..., :n, n:]


leading(matrix_exp)


@op
def matrix_logarithm(input: Tensor):
    """The principal logarithms of complex matrices: those of which `matrix_exp` is the input, and whose eigenvalues have
    imaginary parts in (-π, π].

    Args:
        input: complex tensor (…, N, N) of invertible matrices.
    Returns:
        tensor of the same type and shape.
    Raises:
        OpTypeError: `input` is not complex.
        OpValueError: the matrices are not square, hold NaN or infinity, or have an eigenvalue of zero.
    Gradient:
        the upper right block of the logarithm of [[xᵀ, g], [0, xᵀ]], where no eigenvalue is a negative number.
    Source:
        Inverse scaling by square roots (Denman and Beavers' iteration, scaled by determinants) and Gauss's quadrature of
        log(1 + x): Higham, Functions of Matrices, chapters 6 and 11 (2008).
    Example:
        >>> matrix_logarithm(Tensor([[0j, 1 + 0j], [-1 + 0j, 0j]])).real().round(decimals=4).tolist()
        [[0.0, 1.5708], [-1.5708, 0.0]]
    """


@matrix_logarithm.infer
def _(input):
    if not input.dtype.is_complex:
        raise OpTypeError(f"matrix_logarithm needs a complex tensor, but got {input!r}", arg="input")
    _square("matrix_logarithm", input, "input")
    return input


@matrix_logarithm.python
def _(input):
    _refuse_infinite("matrix_logarithm", "input", input)

    def every(x: np.ndarray) -> np.ndarray:
        flat = [_logarithm(each) for each in x.reshape(-1, *x.shape[-2:])] if x.size else []
        return np.stack(flat).reshape(x.shape) if flat else x

    return _algebra("matrix_logarithm", "input", every, input)


def _logarithm(x: np.ndarray) -> np.ndarray:
    """The logarithm of a matrix, turned first by a number of known angle, so that no eigenvalue is near the cut."""
    one = np.eye(len(x))
    values = np.linalg.eigvals(x)
    is_on_the_cut = (values.real < 0) & (np.abs(values.imag) <= 1e-14 * len(x) * np.abs(values).max(initial=0))
    values = np.where(is_on_the_cut, values.real, values)  # what is beside it is rounding
    if not values.all():
        raise np.linalg.LinAlgError("the logarithm of a matrix with an eigenvalue of zero is not finite")
    turn, angle = max(_turns(values), key=lambda found: float(np.min((values * found[0]).real / np.abs(values))))
    root, halvings = x * turn, 0
    while np.abs(root - one).sum(0).max() > 0.25 and halvings < _MOST_ROOTS:
        root, halvings = _square_root(root), halvings + 1
    places, weights = np.polynomial.legendre.leggauss(12)
    rest = root - one
    total = sum(w / 2 * np.linalg.solve(one + (1 + t) / 2 * rest, rest) for t, w in zip(places, weights))
    return total * 2.0**halvings + 1j * angle * one


_MOST_ROOTS = 100  #: more than any matrix of finite numbers needs


def _turns(values: np.ndarray) -> Iterator[tuple[complex, float]]:
    """Numbers by which eigenvalues may be multiplied such that none crosses the negative half of the real axis, and what
    is to be added to the angles for that."""
    is_above = (values.imag > 0) | ((values.imag == 0) & (values.real < 0))
    yield 1, 0.0
    for halvings in range(16):
        for angle in (math.ldexp(2.0, -halvings), math.ldexp(3.0, -halvings)):
            number = complex(exact.cos(angle), exact.sin(angle))
            down, up = values * number.conjugate(), values * number
            if not ((values.imag < 0) & (down.imag >= 0)).any():
                yield number.conjugate(), angle
            if not (is_above & (up.imag <= 0)).any():
                yield number, -angle


def _square_root(x: np.ndarray) -> np.ndarray:
    """The principal square root of a matrix."""
    one, square, root = np.eye(len(x)), x, x
    for _ in range(_MOST_ROOTS):
        inverse = np.linalg.inv(square)
        size = abs(np.linalg.det(inverse)) if np.abs(square - one).max() > 0.01 else 1.0
        step = math.ldexp(1.0, round(math.frexp(size)[1] / (2 * len(x)))) if 0 < size < math.inf else 1.0
        root = root @ (one * step + inverse / step) / 2
        before, square = square, (one + (square * step**2 + inverse / step**2) / 2) / 2
        if np.abs(square - one).max() < 1e-15 * len(x) or np.abs(square - before).max() < 1e-16:
            break
    return root


@matrix_logarithm.vjp("input")
def _(input, *, g):
    return _off_diagonal(matrix_logarithm, _turned(input), g)


leading(matrix_logarithm)


# -- factors ----------------------------------------------------------------------------------------------------------


@op
def cholesky(input_x: Tensor, upper=False):
    """The Cholesky factors of symmetric (complex: Hermitian) positive definite matrices: x = l lᵀ (l lᴴ).

    Args:
        input_x: float tensor (…, N, N), of which the lower triangles are read.
        upper: give lᵀ.
    Returns:
        tensor of the same type and shape, zero above the diagonal (below it with `upper`).
    Raises:
        OpTypeError: `input_x` is not floating point.
        OpValueError: the matrices are not square, or one is not positive definite.
    Gradient:
        (s + sᵀ) / 2 with s = l⁻ᵀ φ(lᵀ g) l⁻¹, where φ takes the lower triangle and half of the diagonal.
    Source:
        Murray, arXiv:1602.07527.
    Example:
        >>> cholesky(Tensor([[4., 2.], [2., 2.]])).tolist()
        [[2.0, 0.0], [1.0, 1.0]]
    """


@cholesky.normalize
def _(input_x, *, upper):
    return {"upper": bool(upper)}


@cholesky.infer
def _(input_x, *, upper):
    _square("cholesky", input_x, "input_x")
    return input_x


@cholesky.python
def _(input_x, *, upper):
    lower = _algebra("cholesky", "input_x", np.linalg.cholesky, input_x)
    return _crossed(lower) if upper else lower


@cholesky.vjp("input_x")
def _(out, *, upper, g):
    lower, g = (adjoint(out), adjoint(g)) if upper else (out, g)
    n = out.shape[-1]
    half = _constant(np.tri(n) - 0.5 * np.eye(n), out)
    y = inverse(lower)
    s = matmul(matmul(adjoint(y), half * matmul(adjoint(lower), g)), y)
    return (s + adjoint(s)) * 0.5


cholesky.is_holomorphic = False
leading(cholesky)


@composite
def cholesky_inverse(input_x: Tensor, upper=False) -> Tensor:
    """The inverses of the matrices of which these are the Cholesky factors: (l lᵀ)⁻¹; with `upper`, (lᵀ l)⁻¹.

    Example:
        >>> cholesky_inverse(Tensor([[2., 0.], [0., 1.]])).tolist()
        [[0.25, 0.0], [0.0, 1.0]]
    """
    y = inverse(input_x)
    return matmul(y, adjoint(y)) if upper else matmul(adjoint(y), y)


@composite
def cholesky_solve(input: Tensor, input2: Tensor, upper=False) -> Tensor:
    """Solve linear equations whose matrices have the Cholesky factors `input2`: x with l lᵀ x = input.

    Args:
        input: the right sides (…, N, K).
        input2: the factors (…, N, N), lower triangles, or upper ones with `upper`.
        upper: the factors are lᵀ.
    Raises:
        OpValueError: shapes do not fit, or a factor is singular.
    Example:
        >>> cholesky_solve(Tensor([[4.], [3.]]), Tensor([[2., 0.], [0., 1.]])).tolist()
        [[1.0], [3.0]]
    """
    half = matrix_solve(input2, input, bool(upper))
    return matrix_solve(input2, half, not upper)


@op
def singular_parts(input: Tensor, full_matrices):
    """The singular values s and vectors u and v of matrices; see `svd`."""


@singular_parts.infer
def _(input, *, full_matrices):
    if not input.dtype.is_inexact:
        raise OpTypeError(f"svd needs a floating-point tensor for `input`, but got {type_of(input)!r}", arg="input")
    if input.ndim < 2:
        raise OpValueError(f"svd needs matrices for `input`, but got {type_of(input)!r}", arg="input")
    *batch, m, n = input.shape
    k = min(m, n)
    shapes = (k,), (m, m if full_matrices else k), (n, n if full_matrices else k)
    types = (input.dtype.part, input.dtype, input.dtype)
    return tuple(TensorType(dtype, (*batch, *shape)) for dtype, shape in zip(types, shapes))


@singular_parts.python
def _(input, *, full_matrices):
    u, s, vt = _svd("svd", "input", input, full_matrices)
    return s, u, _crossed(vt)


@singular_parts.vjp("input")
def _(input_type, out0, out1, out2, *, full_matrices, g):
    *_, m, n = input_type.shape
    if full_matrices and m != n and (g[1] is not None or g[2] is not None):
        raise NotImplementedError("the gradient of the vectors of svd with full_matrices=True")
    k = min(m, n)
    s, u, v = out0, out1[..., :k], out2[..., :k]
    if input_type.dtype.is_complex:
        if g[1] is not None or g[2] is not None:
            raise NotImplementedError("the gradient of the vectors of svd of complex matrices")
        return matmul(u * expand_dims(g[0], -2), adjoint(v))
    size = expand_dims(s, -2)
    squares = size * size
    gap = squares - _turned(squares) + _constant(np.eye(k), s)
    inside = None if g[0] is None else expand_dims(g[0], -2) * _constant(np.eye(k), s)
    outside = None
    if g[1] is not None:
        across = matmul(u, g[1], transpose_a=True)
        inside = _plus(inside, (across - _turned(across)) / gap * size)
        if m > k:
            outside = matmul((g[1] - matmul(u, across)) / size, v, transpose_b=True)
    if g[2] is not None:
        across = matmul(v, g[2], transpose_a=True)
        inside = _plus(inside, _turned(size) * ((across - _turned(across)) / gap))
        if n > k:
            outside = _plus(outside, matmul(u, (g[2] - matmul(v, across)) / size, transpose_b=True))
    return _plus(outside, matmul(matmul(u, inside), v, transpose_b=True))


singular_parts.is_holomorphic = False
leading(singular_parts)


def _plus(one: Tensor | None, other: Tensor) -> Tensor:
    return other if one is None else one + other


@composite
def svd(input: Tensor, full_matrices=False, compute_uv=True) -> Any:
    """The singular values of matrices, largest first, and their vectors: input = u diag(s) vᵀ (of complex ones vᴴ).

    Args:
        input: float tensor (…, M, N).
        full_matrices: give M vectors u and N vectors v, not min(M, N) of each.
        compute_uv: give the vectors.
    Returns:
        s (…, K), u (…, M, K), v (…, N, K) with K = min(M, N); or s alone.
    Raises:
        OpTypeError: `input` is not floating point.
        OpValueError: `input` has fewer than two axes, or holds NaN or infinity.
    Gradient:
        of the values u diag(g) vᵀ; that of the vectors, which those of complex matrices lack, is defined where no two
        values are equal and, up to the free choice of their signs, for what does not depend on it.
    Example:
        >>> svd(Tensor([[3., 0.], [0., 4.]]), compute_uv=False).tolist()
        [4.0, 3.0]
    """
    s, u, v = singular_parts(input, bool(full_matrices))
    return (s, u, v) if compute_uv else s


@op
def qr(input: Tensor, mode="reduced") -> tuple[Tensor, Tensor]:
    """Matrices as products of one with orthonormal columns and an upper triangle: input = q r.

    Args:
        input: float tensor (…, M, N).
        mode: "reduced": q (…, M, K) and r (…, K, N) with K = min(M, N); "complete": K = M.
    Returns:
        q and r.
    Raises:
        OpTypeError: `input` is not floating point.
        OpValueError: `input` has fewer than two axes, or `mode` is something else.
    Gradient:
        defined for the reduced form of matrices with M >= N of full rank.
    Source:
        Walter & Lehmann, arXiv:1009.6112.
    Example:
        >>> q, r = qr(Tensor([[0., 2.], [1., 3.]]))
        >>> matmul(q, r).tolist()
        [[0.0, 2.0], [1.0, 3.0]]
    """


@qr.normalize
def _(input, *, mode):
    if mode not in ("reduced", "complete"):
        raise OpValueError(f"qr: `mode` must be 'reduced' or 'complete', but got {mode!r}", arg="mode")
    return {"mode": mode}


@qr.infer
def _(input, *, mode):
    if not input.dtype.is_inexact:
        raise OpTypeError(f"qr needs a floating-point tensor for `input`, but got {type_of(input)!r}", arg="input")
    if input.ndim < 2:
        raise OpValueError(f"qr needs matrices for `input`, but got {type_of(input)!r}", arg="input")
    *batch, m, n = input.shape
    k = m if mode == "complete" else min(m, n)
    return TensorType(input.dtype, (*batch, m, k)), TensorType(input.dtype, (*batch, k, n))


@qr.python
def _(input, *, mode):
    return tuple(_algebra("qr", "input", lambda x: np.linalg.qr(x, mode), input))


@qr.vjp("input")
def _(input_type, out0, out1, *, mode, g):
    m, n = input_type.shape[-2:]
    if m < n or (mode == "complete" and m > n):
        raise NotImplementedError(
            "the gradient of qr for matrices with more columns than rows, or with mode='complete'"
        )
    inside = None if g[1] is None else matmul(out1, adjoint(g[1]))
    if g[0] is not None:
        inside = _plus(inside, -matmul(adjoint(g[0]), out0))
    lower = inside * _constant(np.tri(n, k=-1), out0)
    both = lower + adjoint(lower) + real(inside) * _constant(np.eye(n), out0)
    total = matmul(out0, both) if g[0] is None else g[0] + matmul(out0, both)
    return adjoint(matrix_solve(out1, adjoint(total)))


qr.is_holomorphic = False
leading(qr)


@composite
def pinv(x: Tensor, *, atol=None, rtol=None, hermitian=False) -> Tensor:
    """The pseudoinverses of matrices (Moore-Penrose): singular values that are small count as zero.

    Args:
        x: float tensor (…, M, N).
        atol: a value is small if it is not above atol, or rtol · the largest; 0 when not given.
        rtol: max(M, N) · the spacing of numbers at 1 when neither is given; 0 if only `atol` is.
        hermitian: accepted; symmetric matrices need no other treatment.
    Returns:
        tensor (…, N, M).
    Raises:
        OpTypeError: `x` is not floating point.
        OpValueError: `x` has fewer than two axes.
    Source:
        Golub & Pereyra, SIAM J. Numer. Anal. 10 (1973), for the gradient.
    Example:
        >>> pinv(Tensor([[2., 0.], [0., 0.]])).tolist()
        [[0.5, 0.0], [0.0, 0.0]]
    """
    return pseudoinverse(x, atol, rtol)


def zero_below(x: Tensor) -> float:
    """Which part of the largest singular value counts as zero, where nobody says."""
    return max(x.shape[-2:]) * {16: 2.0**-10, 32: 2.0**-23, 64: 2.0**-52}[x.dtype.part.bits]


@op
def pseudoinverse(x: Tensor, atol, rtol):
    """See `pinv`."""


@pseudoinverse.normalize
def _(x, *, atol, rtol):
    for arg, value in (("atol", atol), ("rtol", rtol)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= 0):
            raise OpTypeError(f"pinv needs a number that is not negative for `{arg}`, but got {value!r}", arg=arg)
    if rtol is None and x.dtype.is_inexact:
        rtol = 0.0 if atol is not None or x.ndim < 2 else zero_below(x)
    return {"atol": float(atol or 0.0), "rtol": float(rtol or 0.0)}


@pseudoinverse.infer
def _(x, *, atol, rtol):
    if not x.dtype.is_inexact:
        raise OpTypeError(f"pinv needs a floating-point tensor for `x`, but got {type_of(x)!r}", arg="x")
    if x.ndim < 2:
        raise OpValueError(f"pinv needs matrices for `x`, but got {type_of(x)!r}", arg="x")
    return TensorType(x.dtype, (*x.shape[:-2], x.shape[-1], x.shape[-2]))


@pseudoinverse.python
def _(x, *, atol, rtol):
    if x.size == 0:
        return np.zeros((*x.shape[:-2], x.shape[-1], x.shape[-2]))
    u, s, vt = _svd("pinv", "x", x, False)
    large = s > np.maximum(atol, rtol * s.max(-1, keepdims=True))
    inverse = np.divide(1.0, s, out=np.zeros_like(s), where=large)
    return _crossed(vt) @ (inverse[..., None] * _crossed(u))


@pseudoinverse.vjp("x")
def _(x, out, *, g):
    left, right = matmul(x, out), matmul(out, x)  # projections
    turned, back = adjoint(g), adjoint(out)
    straight = -matmul(matmul(back, g), back)
    past_rows = matmul(matmul(turned, out), back)
    past_columns = matmul(matmul(back, out), turned)
    return straight + (past_rows - matmul(left, past_rows)) + (past_columns - matmul(past_columns, right))


pseudoinverse.is_holomorphic = False
leading(pseudoinverse)


# -- eigenvalues ------------------------------------------------------------------------------------------------------


@op
def eig(A: Tensor) -> tuple[Tensor, Tensor]:
    """The eigenvalues of matrices, in no order, and their vectors: A v = v diag(w).

    Args:
        A: floating-point or complex tensor (…, N, N).
    Returns:
        w (…, N) and v (…, N, N), complex, the vectors of length 1 as columns.
    Raises:
        OpTypeError: `A` is not floating point.
        OpValueError: the matrices are not square, or hold NaN or infinity.
    Gradient:
        v⁻ᴴ (diag(g_w) + h) vᴴ with h = (vᴴ g_v - vᴴ v diag(Re vᴴ g_v)) / conj(w_j - w_i) off the diagonal; where no two
        eigenvalues are equal, for what does not depend on the free choice of the vectors' phases.
    Source:
        Boeddeker et al., arXiv:1701.00392.
    Example:
        >>> w, v = eig(Tensor([[2., 0.], [0., 3.]]))
        >>> w.tolist()
        [(2+0j), (3+0j)]
    """


eig.is_holomorphic = False


@eig.infer
def _(A):
    _square("eig", A, "A")
    dtype = promote(complex64, A.dtype)
    return TensorType(dtype, A.shape[:-1]), TensorType(dtype, A.shape)


@eig.python
def _(A):
    _refuse_infinite("eig", "A", A)
    return tuple(_algebra("eig", "A", np.linalg.eig, A))


@eig.vjp("A")
def _(out0, out1, *, g):
    n = out0.shape[-1]
    diagonal = _constant(np.eye(n), out0)
    back = adjoint(out1)
    total = None if g[0] is None else diagonal * expand_dims(g[0], -2)
    if g[1] is not None:
        across = matmul(back, g[1])
        along = expand_dims(reduce_sum(real(across) * real(diagonal), -2), -2)
        gaps = expand_dims(out0, -2) - expand_dims(out0, -1) + diagonal
        total = _plus(total, (across - matmul(back, out1) * along) / conj(gaps) * (1 - diagonal))
    return matrix_solve(out1, matmul(total, back), True)


leading(eig)


@composite
def eigvals(A: Tensor) -> Tensor:
    """The eigenvalues of matrices, in no order; see `eig`.

    Args:
        A: floating-point or complex tensor (…, N, N).
    Returns:
        complex tensor (…, N).
    Raises, Gradient:
        as there.
    Example:
        >>> eigvals(Tensor([[2., 0.], [0., 3.]])).tolist()
        [(2+0j), (3+0j)]
    """
    return eig(A)[0]


# -- statistics -------------------------------------------------------------------------------------------------------


@composite
def renorm(input: Tensor, p, axis, maxnorm) -> Tensor:
    """Scale the parts of a tensor along an axis down to a norm of at most `maxnorm`.

    Args:
        input: float tensor.
        p: the order of the norm; see `vector_norm`.
        axis: the axis; each of its indices is a part.
        maxnorm: the largest norm that is left as it is.
    Returns:
        tensor of the shape of `input`.
    Raises:
        OpValueError: `axis` is out of range, or `maxnorm` is negative.
    Example:
        >>> renorm(Tensor([[3., 4.], [0., 1.]]), 2, 0, 1.).tolist()
        [[0.6000000238418579, 0.800000011920929], [0.0, 1.0]]
    """
    input = _numbers("renorm", "input", input)
    axis = normalize_axis("renorm", axis, input.ndim)
    if isinstance(maxnorm, bool) or not isinstance(maxnorm, (int, float)) or not maxnorm >= 0:
        raise OpValueError(
            f"renorm needs a number that is not negative for `maxnorm`, but got {maxnorm!r}", arg="maxnorm"
        )
    others = tuple(i for i in range(input.ndim) if i != axis)
    if not others:
        input_2d = reshape(input, (input.size, 1))
        return reshape(renorm(input_2d, p, 0, maxnorm), input.shape)
    size = vector_norm(input, p, others, True)
    return input * quotient_or_zero(float(maxnorm), maximum(size, float(maxnorm)))


@composite
def cov(input: Tensor, *, correction=1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Tensor:
    """The covariances of variables.

    Args:
        input: tensor (V, N): V variables, N observations of each; or (N,). Integers are computed as float32. Of complex
            numbers the second factor of each product is conjugated.
        correction: what the divisor is less than the number of observations.
        fweights: (N,) integers: how often each observation counts.
        aweights: (N,) numbers, not negative: how much it weighs.
    Returns:
        tensor (V, V), or 0-d for one variable.
    Raises:
        OpValueError: `input` has more than two axes, or the weights do not fit.
        OpTypeError: `correction` or `fweights` is not of integers.
    Example:
        >>> cov(Tensor([[0., 2.], [2., 0.]])).tolist()
        [[2.0, -2.0], [-2.0, 2.0]]
    """
    x = _numbers("cov", "input", input)
    if x.ndim > 2:
        raise OpValueError(f"cov needs at most two axes for `input`, but got {list(x.shape)}", arg="input")
    if isinstance(correction, bool) or not isinstance(correction, int):
        raise OpTypeError(f"cov needs an integer for `correction`, but got {correction!r}", arg="correction")
    rows = reshape(x, (1, x.size)) if x.ndim < 2 else x
    count = rows.shape[1]
    for arg, weights in (("fweights", fweights), ("aweights", aweights)):
        if weights is not None and weights.shape != (count,):
            raise OpValueError(f"cov: weights of shape {list(weights.shape)} do not fit {count} observations", arg=arg)
    if fweights is not None and not fweights.dtype.is_integer:
        raise OpTypeError(f"cov needs integers for `fweights`, but got {type_of(fweights)!r}", arg="fweights")
    given = [cast(weights, x.dtype.part) for weights in (fweights, aweights) if weights is not None]
    if given:
        weights = given[0] if len(given) == 1 else given[0] * given[1]
        total = reduce_sum(weights)
        center = reduce_sum(rows * weights, 1, True) / total
        lost = correction if aweights is None else reduce_sum(weights * given[-1]) / total * correction
        divisor: Any = clamp(total - lost, 0.0)
    else:
        weights = None
        center = mean(rows, 1, True)
        divisor = max(float(count - correction), 0.0)
    gaps = rows - center
    products = matmul(gaps if weights is None else gaps * weights, adjoint(gaps))
    result = products / divisor
    return result if x.ndim == 2 and x.shape[0] != 1 else reshape(result, ())


@composite
def vander(x: Tensor, N=None) -> Tensor:
    """Powers of the elements of a vector, the highest first: y[i, j] = x[i]^(N - 1 - j).

    Args:
        x: tensor (M,).
        N: how many powers; M when not given.
    Returns:
        tensor (M, N).
    Raises:
        OpTypeError: `N` is no integer.
        OpValueError: `x` is no vector, or `N` is negative.
    Example:
        >>> vander(Tensor([2., 3.]), 3).tolist()
        [[4.0, 2.0, 1.0], [9.0, 3.0, 1.0]]
    """
    if not isinstance(x, Tensor) or x.ndim != 1:
        raise OpValueError(f"vander needs a vector for `x`, but got {x!r}", arg="x")
    count = x.shape[0] if N is None else N
    if isinstance(count, bool) or not hasattr(count, "__index__"):
        raise OpTypeError(f"vander needs an integer for `N`, but got {N!r}", arg="N")
    if count.__index__() < 0:
        raise OpValueError(f"vander: `N` must not be negative, but is {N}", arg="N")
    dtype = int64 if x.dtype.is_bool else x.dtype
    return pow(expand_dims(cast(x, dtype), 1), Tensor(np.arange(count.__index__())[::-1].copy(), dtype))


for _made in (
    inverse, det, cofactors, slogdet, matrix_solve, matrix_exp, matrix_logarithm, cholesky, singular_parts, qr,
    pseudoinverse, eig,
):  # fmt: skip
    _made.complex_rule = True
