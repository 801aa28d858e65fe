"""Equations and factors of matrices, by scipy's names and arguments. All are operators or sentences in them: they have
gradients, and take stacks of matrices (…, M, N). Integers are computed as float64.

Options that in scipy allow to write over arguments (`overwrite_a`) or leave out checks (`check_finite`) change nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anfora import ops
from anfora.core.dtype import float64, int64
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.nearest import missing_in
from anfora.core.tensor import Tensor
from anfora.ops import factors
from anfora.ops.linalg import zero_below

__all__ = [
    "block_diag", "cho_factor", "cho_solve", "cholesky", "det", "eigh", "inv", "lstsq", "lu", "lu_factor", "lu_solve",
    "solve_triangular",
]  # fmt: skip

_TRANSPOSED = {0: "N", 1: "T", 2: "C", "N": "N", "T": "T", "C": "C"}


def _matrices(name: str, arg: str, a: Any, square: bool = True) -> Tensor:
    """A tensor of matrices of floating-point numbers."""
    if not isinstance(a, Tensor):
        raise OpTypeError(f"{name} needs a tensor for `{arg}`, but got {a!r}", arg=arg)
    if a.ndim < 2 or (square and a.shape[-1] != a.shape[-2]):
        need = "square matrices" if square else "matrices"
        raise OpValueError(f"{name} needs {need} for `{arg}`, but got the shape {list(a.shape)}", arg=arg)
    return a if a.dtype.is_inexact else a.astype(float64)


def _right_side(name: str, a: Tensor, b: Any) -> Tensor:
    """The right side of equations as matrices: a vector for each matrix becomes a column."""
    if not isinstance(b, Tensor):
        raise OpTypeError(f"{name} needs a tensor for `b`, but got {b!r}", arg="b")
    b = b if b.dtype.is_inexact else b.astype(float64)
    if a.dtype is not b.dtype:
        raise OpTypeError(f"{name} needs one element type, but got {a.dtype} and {b.dtype}", arg="b")
    column = ops.expand_dims(b, -1) if b.ndim == a.ndim - 1 else b
    if column.ndim != a.ndim or column.shape[:-1] != a.shape[:-1]:
        raise OpValueError(
            f"{name}: right sides of shape {list(b.shape)} do not fit matrices of shape {list(a.shape)}", arg="b"
        )
    return column


def _pair(name: str, arg: str, value: Any, of: str) -> tuple[Any, Any]:
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise OpTypeError(f"{name} needs {of} for `{arg}`, but got {value!r}", arg=arg)
    return value[0], value[1]


def _system(name: str, trans: Any) -> str:
    if not isinstance(trans, (int, str)) or trans not in _TRANSPOSED:
        raise OpValueError(f"{name} needs 0, 1, 2, 'N', 'T' or 'C' for `trans`, but got {trans!r}", arg="trans")
    return _TRANSPOSED[trans]


def solve_triangular(
    a: Tensor,
    b: Tensor,
    trans: Any = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    overwrite_b: bool = False,
    debug: Any = None,
    check_finite: bool = True,
) -> Tensor:
    """Solve equations whose matrices are triangular: x with a x = b.

    Args:
        a: tensor (…, M, M), of which one triangle is read.
        b: tensor (…, M) or (…, M, N) of the same type.
        trans: 0 or "N" for a x = b, 1 or "T" for aᵀ x = b, 2 or "C" for aᴴ x = b.
        lower: whether the lower triangle is meant.
        unit_diagonal: whether the diagonal counts as ones.
    Returns:
        tensor of the shape of `b`.
    Raises:
        OpTypeError: no tensors, or of two types.
        OpValueError: shapes do not fit, `trans` is another one, or the matrix is singular.
    Gradient:
        that of `ops.matrix_solve`.
    Example:
        >>> solve_triangular(Tensor([[2., 1.], [0., 4.]]), Tensor([4., 8.])).tolist()
        [1.0, 2.0]
    """
    kind = _system("solve_triangular", trans)
    a = _matrices("solve_triangular", "a", a)
    column = _right_side("solve_triangular", a, b)
    triangle = ops.tril(a, -1 if unit_diagonal else 0) if lower else ops.triu(a, 1 if unit_diagonal else 0)
    if unit_diagonal:
        triangle = triangle + ops.eye(a.shape[-1], dtype=a.dtype)
    return ops.reshape(_solved(triangle, column, kind), b.shape)


def _solved(a: Tensor, b: Tensor, kind: str) -> Tensor:
    if kind == "N":
        return factors.matrix_solve(a, b)
    return factors.matrix_solve(ops.swapaxes(a, -1, -2), b) if kind == "T" else factors.matrix_solve(a, b, True)


def block_diag(*arrs: Tensor) -> Tensor:
    """Matrices along the diagonal of a matrix of zeros; numbers and vectors count as matrices of one row.

    Raises:
        OpValueError: a tensor has more than two axes.
    Example:
        >>> block_diag(Tensor([[1., 2.]]), Tensor(3.)).tolist()
        [[1.0, 2.0, 0.0], [0.0, 0.0, 3.0]]
    """
    return ops.block_diag(*arrs) if arrs else ops.zeros((1, 0))


def inv(a: Tensor, overwrite_a: bool = False, check_finite: bool = True) -> Tensor:
    """The inverses of matrices; see `ops.inverse`.

    Raises:
        OpValueError: the matrices are not square, or one is singular.
    Example:
        >>> inv(Tensor([[2., 0.], [0., 4.]])).tolist()
        [[0.5, 0.0], [0.0, 0.25]]
    """
    return ops.inverse(_matrices("inv", "a", a))


def det(a: Tensor, overwrite_a: bool = False, check_finite: bool = True) -> Tensor:
    """The determinants of matrices; see `ops.det`.

    Raises:
        OpValueError: the matrices are not square.
    Example:
        >>> det(Tensor([[2., 0.], [0., 4.]])).item()
        8.0
    """
    return ops.det(_matrices("det", "a", a))


def cholesky(a: Tensor, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> Tensor:
    """The Cholesky factors of symmetric positive definite matrices: u with uᵀ u = a, or l with l lᵀ = a.

    Args:
        a: tensor (…, M, M), of which the lower triangles are read.
        lower: whether l is wanted.
    Raises:
        OpValueError: the matrices are not square, or one is not positive definite.
    Gradient:
        that of `ops.cholesky`.
    Example:
        >>> cholesky(Tensor([[4., 2.], [2., 2.]])).tolist()
        [[2.0, 1.0], [0.0, 1.0]]
    """
    return ops.cholesky(_matrices("cholesky", "a", a), not lower)


def cho_factor(
    a: Tensor, lower: bool = False, overwrite_a: bool = False, check_finite: bool = True
) -> tuple[Tensor, bool]:
    """What `cho_solve` takes: the factor that `cholesky` gives, and whether it is the lower one.

    Example:
        >>> c, lower = cho_factor(Tensor([[4., 2.], [2., 2.]]))
        >>> cho_solve((c, lower), Tensor([8., 6.])).tolist()
        [1.0, 2.0]
    """
    return cholesky(a, lower), bool(lower)


def cho_solve(
    c_and_lower: tuple[Tensor, bool], b: Tensor, overwrite_b: bool = False, check_finite: bool = True
) -> Tensor:
    """Solve equations by the Cholesky factors of their matrices: x with a x = b.

    Args:
        c_and_lower: what `cho_factor` gives for a (…, M, M).
        b: tensor (…, M) or (…, M, N).
    Returns:
        tensor of the shape of `b`.
    Raises:
        OpTypeError, OpValueError: as `solve_triangular`.
    Example:
        >>> cho_solve((Tensor([[2., 1.], [0., 1.]]), False), Tensor([8., 6.])).tolist()
        [1.0, 2.0]
    """
    c, lower = _pair("cho_solve", "c_and_lower", c_and_lower, "the two results of `cho_factor`")
    half = solve_triangular(c, b, "N" if lower else "C", lower)
    return solve_triangular(c, half, "C" if lower else "N", lower)


def eigh(
    a: Tensor,
    b: Tensor | None = None,
    lower: bool = True,
    eigvals_only: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    turbo: bool = True,
    eigvals: tuple[int, int] | None = None,
    type: int = 1,
    check_finite: bool = True,
) -> Any:
    """The eigenvalues of symmetric (complex: Hermitian) matrices, and their vectors.

    Args:
        a: tensor (…, M, M).
        b: for the generalised problem a v = w b v: symmetric and positive definite, of the shape of `a`.
        lower: which triangle of the matrices is read.
        eigvals_only: leave out the vectors.
        eigvals: from which to which the eigenvalues are wanted, both included.
        type: 1 for a v = w b v, 2 for a b v = w v, 3 for b a v = w v.
    Returns:
        w (…, N), ascending, and unless `eigvals_only` v (…, M, N), whose columns are the vectors.
    Raises:
        OpTypeError: no tensors.   OpValueError: the matrices are not square, `b` is not positive definite, or `eigvals`
        or `type` is out of range.
    Gradient:
        to both matrices, where no two eigenvalues are equal, for what does not depend on the vectors' signs.
    Example:
        >>> eigh(Tensor([[3., 0.], [0., 2.]]), eigvals_only=True).tolist()
        [2.0, 3.0]
    """
    a = _matrices("eigh", "a", a)
    if type not in (1, 2, 3):
        raise OpValueError(f"eigh needs 1, 2 or 3 for `type`, but got {type!r}", arg="type")
    if b is None:
        w, v = factors.eigh(a, lower)
    else:
        b = _matrices("eigh", "b", b)
        if (b.dtype, b.shape) != (a.dtype, a.shape):
            raise OpValueError(
                f"eigh needs `b` of the type and shape of `a`, but got {a.dtype}{list(a.shape)} and "
                f"{b.dtype}{list(b.shape)}",
                arg="b",
            )
        if not lower:  # `ops.cholesky` reads the lower triangles
            a, b = ops.adjoint(a), ops.adjoint(b)
        root = ops.cholesky(b)  # b = root rootᴴ
        a = ops.tril(a) + ops.adjoint(ops.tril(a, -1))
        if type == 1:
            left = factors.matrix_solve(root, a)
            w, v = factors.eigh(ops.adjoint(factors.matrix_solve(root, ops.adjoint(left))))
        else:
            w, v = factors.eigh(ops.matmul(ops.matmul(ops.adjoint(root), a), root))
        v = ops.matmul(root, v) if type == 3 else factors.matrix_solve(root, v, True)
    if eigvals is not None:
        low, high = _pair("eigh", "eigvals", eigvals, "two integers")
        if not 0 <= low <= high < a.shape[-1]:
            raise OpValueError(
                f"eigh: `eigvals` {eigvals} is out of range for {a.shape[-1]} eigenvalues", arg="eigvals"
            )
        w, v = w[..., low : high + 1], v[..., low : high + 1]
    return w if eigvals_only else (w, v)


def lu_factor(a: Tensor, overwrite_a: bool = False, check_finite: bool = True) -> tuple[Tensor, Tensor]:
    """The factors of square matrices a = p l u in one matrix each, for `lu_solve`.

    Args:
        a: real tensor (…, M, M).
    Returns:
        tensor (…, M, M), below the diagonal l, whose diagonal is ones, else u; and int32 (…, M), counted from 0: with which
        row each row was exchanged.
    Raises:
        OpTypeError: complex numbers.   OpValueError: the matrices are not square, or hold NaN or infinity.
    Gradient:
        that of the factors.
    Example:
        >>> data, pivots = lu_factor(Tensor([[2., 2.], [4., 2.]]))
        >>> data.tolist(), pivots.tolist()
        ([[4.0, 2.0], [0.5, 1.0]], [1, 1])
    """
    data, pivots = factors.lu_factor(_matrices("lu_factor", "a", a))
    return data, pivots - 1


def lu(a: Tensor, permute_l: bool = False, overwrite_a: bool = False, check_finite: bool = True) -> tuple[Tensor, ...]:
    """The factors of matrices a = p l u: a permutation, a lower triangle whose diagonal is ones, and an upper triangle.

    Args:
        a: real tensor (…, M, N).
        permute_l: give p l as one.
    Returns:
        p (…, M, M), l (…, M, K) and u (…, K, N) with K = min(M, N); p l and u with `permute_l`.
    Raises:
        OpTypeError: complex numbers.   OpValueError: no matrices, or NaN or infinity in them.
    Gradient:
        of square matrices; of others it is refused.
    Example:
        >>> p, l, u = lu(Tensor([[2., 2.], [4., 2.]]))
        >>> (p @ l @ u).tolist()
        [[2.0, 2.0], [4.0, 2.0]]
    """
    data, pivots = factors.lu_factor(_matrices("lu", "a", a, square=False))
    p, lower, upper = ops.lu_unpack(data, pivots)
    return (ops.matmul(p, lower), upper) if permute_l else (p, lower, upper)


def lu_solve(
    lu_and_piv: tuple[Tensor, Tensor], b: Tensor, trans: int = 0, overwrite_b: bool = False, check_finite: bool = True
) -> Tensor:
    """Solve equations by the factors of their matrices: x with a x = b.

    Args:
        lu_and_piv: what `lu_factor` gives for a (…, M, M).
        b: tensor (…, M) or (…, M, N).
        trans: 0 for a x = b, 1 or 2 for aᵀ x = b.
    Returns:
        tensor of the shape of `b`.
    Raises:
        OpTypeError, OpValueError: as `solve_triangular`.
    Example:
        >>> lu_solve(lu_factor(Tensor([[2., 2.], [4., 2.]])), Tensor([4., 6.])).tolist()
        [1.0, 1.0]
    """
    data, pivots = _pair("lu_solve", "lu_and_piv", lu_and_piv, "the two results of `lu_factor`")
    kind = _system("lu_solve", trans)
    data = _matrices("lu_solve", "lu_and_piv", data)
    column = _right_side("lu_solve", data, b)
    p, lower, upper = ops.lu_unpack(data, pivots + 1)
    if kind == "N":
        found = factors.matrix_solve(upper, factors.matrix_solve(lower, ops.matmul(p, column, transpose_a=True)))
    else:
        found = ops.matmul(p, factors.matrix_solve(lower, factors.matrix_solve(upper, column, True), True))
    return ops.reshape(found, b.shape)


def lstsq(A: Tensor, B: Tensor, rcond: Any = None, driver: str | None = None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The least-squares solution of a x = b, the shortest one where there are several.

    Args:
        A: tensor (…, M, N).
        B: tensor (…, M, K) of the same type.
        rcond: singular values below that part of the largest count as zero; by default ε · max(M, N).
        driver: "gels", "gelsy" (the default), "gelss" or "gelsd"; all compute the same way, but give what is said below.
    Returns:
        solution (…, N, K); residuals (…, K), the sums of squares, empty unless M > N and not with "gelsy"; rank (…), empty
        with "gels"; singular values (…, min(M, N)), with "gelss" and "gelsd", else empty.
    Raises:
        OpTypeError: two element types.   OpValueError: shapes do not fit, or another `driver`.
    Gradient:
        to `A` and `B`, that of `ops.pinv`; see there.
    Example:
        >>> lstsq(Tensor([[1., 0.], [1., 1.], [1., 2.]]), Tensor([[1.], [3.], [5.]]))[0].round(decimals=4).tolist()
        [[1.0], [2.0]]
    """
    if driver not in (None, "gels", "gelsy", "gelss", "gelsd"):
        names = "'gels', 'gelsy', 'gelss' or 'gelsd'"
        raise OpValueError(f"lstsq needs {names} for `driver`, but got {driver!r}", arg="driver")
    driver = driver or "gelsy"
    A, B = _matrices("lstsq", "A", A, square=False), _matrices("lstsq", "B", B, square=False)
    if A.dtype is not B.dtype:
        raise OpTypeError(f"lstsq needs one element type, but got {A.dtype} and {B.dtype}", arg="B")
    if A.shape[-2] != B.shape[-2]:
        raise OpValueError(f"lstsq: {list(B.shape)} does not fit matrices of shape {list(A.shape)}", arg="B")
    solution = ops.matmul(ops.pinv(A, rtol=rcond), B)
    values = ops.svd(A, compute_uv=False)
    small = (zero_below(A) if rcond is None else rcond) * values[..., :1]
    off = ops.matmul(A, solution) - B
    empty, given = ops.zeros((0,), values.dtype), driver != "gelsy" and A.shape[-2] > A.shape[-1]
    return (
        solution,
        ops.reduce_sum(ops.real(off * ops.conj(off)), -2) if given else empty,
        ops.reduce_sum((values > small).astype(int64), -1) if driver != "gels" else ops.zeros((0,), int64),
        values if driver in ("gelss", "gelsd") else empty,
    )


if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)
