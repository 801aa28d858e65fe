"""Rows of the op table: norms, distances, and the algebra of square matrices."""

import math

import numpy as np
from row import Bad, Row, S, integers, spread, values
from scipy.linalg import expm, lu_factor
from scipy.spatial.distance import cdist

from anfora import Tensor, ops
from anfora.ops import factors, linalg

inf, nan = np.inf, np.nan
TOL = {"float16": 4e-3, "bfloat16": 3e-2, "float32": 2e-5, "float64": 1e-10}
NOT_FINITE = r"needs finite numbers for `\w+`, but got -?(inf|nan) at \[0, [01]\]"


_random = np.random.default_rng(11)


def normal(*shape):
    """Numbers from the standard normal distribution, from a generator of its own: singular values stay apart."""
    return _random.standard_normal(shape)


def regular(*shape):
    """Matrices far from singular."""
    return normal(*shape) + 3 * np.eye(shape[-1])


def gram(x):
    """Symmetric positive definite matrices from any square ones."""
    turned = ops.swapaxes(x, -1, -2) if isinstance(x, Tensor) else np.swapaxes(x, -1, -2)
    eye = np.eye(x.shape[-1])
    return x @ turned + eye if isinstance(x, np.ndarray) else ops.matmul(x, turned) + Tensor(eye, x.dtype)


def factored_cholesky(x, upper=False):
    return ops.cholesky(gram(x), upper)


def ref_cholesky(x, upper=False):
    lower = np.linalg.cholesky(gram(x))
    return np.swapaxes(lower, -1, -2) if upper else lower


def ref_lu_unpack(data, pivots):
    """By exchanging rows one after the other, as LAPACK does."""
    rows, columns = data.shape[-2:]
    k = min(rows, columns)
    turned = np.broadcast_to(np.eye(rows), (*data.shape[:-2], rows, rows)).copy()
    for place in np.ndindex(data.shape[:-2]):
        for i, other in enumerate(pivots[place]):
            turned[place][[i, other - 1]] = turned[place][[other - 1, i]]
    lower = np.tril(data[..., :k], -1) + np.eye(rows, k)
    return np.swapaxes(turned, -1, -2), lower, np.triu(data[..., :k, :])


def ref_lu_solve(b, data, pivots):
    p, lower, upper = ref_lu_unpack(data, pivots)
    return np.linalg.solve(p @ lower @ upper, b)


def projections(x):
    """What the vectors of a singular value decomposition say, whatever their signs."""
    s, u, v = ops.svd(x)
    return (
        s,
        ops.matmul(u * ops.expand_dims(s * s, -2), u, transpose_b=True),
        ops.matmul(v * ops.expand_dims(s * s * s, -2), v, transpose_b=True),
    )


def ref_projections(x):
    u, s, vt = np.linalg.svd(x, False)
    return s, u @ (s[..., None] ** 2 * np.swapaxes(u, -1, -2)), np.swapaxes(vt, -1, -2) @ (s[..., None] ** 3 * vt)


def full_product(x):
    """The matrix again, from all of its vectors."""
    s, u, v = ops.svd(x, full_matrices=True)
    k = s.shape[-1]
    assert u.shape[-2:] == (x.shape[-2],) * 2 and v.shape[-2:] == (x.shape[-1],) * 2
    return ops.matmul(u[..., :k] * ops.expand_dims(s, -2), v[..., :k], transpose_b=True)


def complete_product(x):
    q, r = ops.qr(x, "complete")
    assert q.shape[-2:] == (x.shape[-2],) * 2
    return ops.matmul(q, r)


def squares_of_eigenvectors(x, lower=True):
    """The signs of the vectors are free: their squares are not."""
    w, v = factors.eigh(x, lower)
    return w, v * v


def symmetric_squares_of_eigenvectors(x):
    return squares_of_eigenvectors(x + ops.swapaxes(x, -1, -2))


def ref_cdist(x, y, p=2.0):
    kind = {0: "hamming", 1: "cityblock", 2: "euclidean", inf: "chebyshev"}.get(p, "minkowski")
    batch = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    x, y = np.broadcast_to(x, (*batch, *x.shape[-2:])), np.broadcast_to(y, (*batch, *y.shape[-2:]))
    out = np.zeros((*batch, x.shape[-2], y.shape[-2]))
    for i in np.ndindex(batch):
        out[i] = cdist(x[i], y[i], kind, **({"p": p} if kind == "minkowski" else {}))
    return out * x.shape[-1] if p == 0 else out


def ref_renorm(x, p, axis, maxnorm):
    others = tuple(i for i in range(x.ndim) if i != axis % x.ndim)
    size = np.sum(np.abs(x) ** p, others, keepdims=True) ** (1 / p)
    return x * np.where(size > maxnorm, maxnorm / size, 1)


def ref_exp(x):
    if not x.size or np.isnan(x).any():
        return x * nan
    return np.stack([expm(a) for a in x.reshape(-1, *x.shape[-2:])]).reshape(x.shape)


def ref_vector_norm(x, ord=2, axis=None, keepdims=False):
    axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis % x.ndim,)
    size = np.abs(x)
    if ord == 0:
        return np.sum(size != 0, axes, keepdims=keepdims).astype(float)
    if math.isinf(ord):
        return (np.max if ord > 0 else np.min)(size, axes, keepdims=keepdims)
    return np.sum(size**ord, axes, keepdims=keepdims) ** (1 / ord)


ROWS = [
    Row(
        linalg.abs_power,
        ref=lambda x, p, signed: np.where((x == 0) & signed, 0.0, np.abs(x) ** p * (np.sign(x) if signed else 1)),
        samples=[
            S(spread(7), 2.5, False),
            S(spread(7), 1.5, True),
            S(spread(7), -1.0, True),
            S(values(0.0, inf, -inf, nan, 2.0), -1.0, False, smooth=False),
            S(values(0.0, -0.0, inf, -inf, nan), 0.5, True, smooth=False),
        ],
    ),
    Row(
        ops.vector_norm,
        ref=ref_vector_norm,
        samples=[
            S(normal(3, 4)),
            S(normal(3, 4), 1, 0),
            S(normal(3, 4), 3, 1, True),
            S(normal(3, 4), 2.5, (0, 1)),
            S(normal(2, 3, 2), 0.5, (0, 2)),
            S(normal(3, 4), -1.0, 1),
            S(normal(3, 4), inf, 0),
            S(normal(3, 4), -inf, -1),
            S(normal(3, 4), 0, 1),
            S(values(0.0, 0.0), 3.0, smooth=False),
            S(values(0.0, 1.0, -2.0), 3.0),
            S(values(nan, 1.0), 3, smooth=False),
            S(normal(3, 0), 3, 1),
            S(integers(-9, 9, 3, 4), 3, 1),
        ],
        errors=[
            Bad(normal(3), "fro", error=TypeError, match="a number for `ord`"),
            Bad(normal(3), 2, 1, error=ValueError, match="must be in"),
            Bad(2.0, error=TypeError, match="needs a tensor"),
            Bad(normal(3), dtype="int32", error=TypeError, match="floating-point `dtype`"),
        ],
        tol=TOL,
    ),
    Row(
        ops.matrix_norm,
        ref=lambda x, ord="fro", axis=(-2, -1), keepdims=False: np.linalg.norm(x, ord, axis, keepdims),
        samples=[
            S(normal(3, 4)),
            *(S(normal(3, 4), ord) for ord in ("nuc", 1, -1, 2, -2, inf, -inf)),
            S(normal(2, 3, 4), 1, (2, 0)),
            S(normal(2, 3, 4), 2, (0, 1), True),
            S(normal(2, 3, 4), "nuc", (-1, 0)),
            S(normal(2, 3, 4), -inf, (1, 2), True),
            S(integers(-9, 9, 3, 4), 2),
        ],
        errors=[
            Bad(normal(3, 3), 3, error=ValueError, match="`ord` must be one of"),
            Bad(normal(3, 3), axis=(0, -2), error=ValueError, match="twice"),
            Bad(normal(3, 3), axis=0, error=ValueError, match="two axes"),
        ],
        tol=TOL,
    ),
    Row(
        ops.norm,
        ref=lambda x, ord=None, dim=None, keepdim=False: (
            np.sqrt(np.sum(x * x, dim, keepdims=keepdim)) if ord is None else np.linalg.norm(x, ord, dim, keepdim)
        ),
        samples=[
            S(normal(3, 4)),
            S(normal(2, 3, 4), keepdim=True),
            S(normal(2, 3, 4), None, (0, 1, 2)),
            S(normal(3, 4), dim=1),
            S(normal(3, 4), 1),
            S(normal(5), 3),
            S(normal(3, 4), "nuc"),
            S(normal(2, 3, 4), inf, (0, 2)),
            S(normal(3, 4), 1, 0, True),
            S(values(0.0, 0.0), smooth=False),
            S(normal(0, 3), dim=0),
            S(integers(-9, 9, 3, 4), None, 1),
        ],
        errors=[
            Bad(normal(2, 2, 2), 1, error=ValueError, match="one or two axes"),
            Bad(normal(2, 2), "nuc", 0, error=ValueError, match="does not fit 1 axes"),
            Bad(normal(2, 2), 1, 5, error=ValueError, match="must be in"),
        ],
        tol=TOL,
    ),
    Row(
        ops.dist,
        ref=lambda x, y, p=2: ref_vector_norm(x - y, p),
        samples=[
            S(normal(3, 4), normal(4) * 0.01),
            S(normal(3), normal(3) * 0.01, 1),
            S(normal(3), normal() * 0.01, 3.0),
        ],
        errors=[Bad(normal(3), normal(2), error=ValueError, match="broadcast")],
    ),
    Row(
        ops.cdist,
        ref=ref_cdist,
        samples=[
            S(normal(3, 2), normal(4, 2)),
            S(normal(2, 3, 2), normal(4, 2), 1.0),
            S(normal(2, 3, 2), normal(1, 4, 2), 3.0),
            S(normal(3, 2), normal(4, 2), inf),
            S(values(0.0, 1.0, 2.0).reshape(3, 1), values(0.0, 1.0).reshape(2, 1), 0, smooth=False),
            S(values(1.0, 2.0).reshape(1, 2), values(1.0, 2.0).reshape(1, 2), smooth=False),
            S(normal(0, 2), normal(3, 2)),
        ],
        errors=[
            Bad(normal(3, 2), normal(3, 3), error=ValueError, match="equal length"),
            Bad(normal(3, 2), normal(3, 2), -1.0, error=ValueError, match="not negative for `p`"),
        ],
        tol=TOL,
    ),
    Row(
        ops.inverse,
        ref=np.linalg.inv,
        samples=[S(regular(3, 3)), S(regular(2, 2, 2)), S(regular(0, 2, 2)), S(normal(0, 0))],
        errors=[
            Bad(normal(2, 3), error=ValueError, match="square matrices"),
            Bad(np.zeros((2, 2)), error=ValueError, match="inverse: Singular matrix"),
            Bad(integers(0, 3, 2, 2), error=TypeError, match="floating-point"),
        ],
        dtypes=("float16", "bfloat16", "float32", "float64"),
        tol=TOL,
    ),
    *(
        Row(
            op,
            ref=np.linalg.det,
            samples=[S(regular(3, 3)), S(normal(2, 2, 2)), S(normal(1, 1)), S(np.diag([1.0, 2.0, 0.0]), smooth=False)],
            errors=[Bad(normal(2, 3), error=ValueError, match="square matrices")],
            tol=TOL,
        )
        for op in (ops.det, ops.matrix_determinant)
    ),
    Row(
        linalg.cofactors,
        ref=lambda x: np.linalg.det(x)[..., None, None] * np.swapaxes(np.linalg.inv(x), -1, -2),
        samples=[S(regular(3, 3)), S(normal(2, 2, 2))],
        tol=TOL,
    ),
    Row(
        linalg.cofactors,
        ref=lambda x: np.diag([0.0, 0.0, 2.0]),
        samples=[S(np.diag([1.0, 2.0, 0.0]), smooth=False)],
        tol=TOL,
    ),
    *(
        Row(
            op,
            ref=lambda x: tuple(np.linalg.slogdet(x)),
            samples=[
                S(regular(3, 3)),
                S(-regular(2, 3, 3)),
                S(np.diag([1.0, 0.0]), smooth=False),
            ],
            errors=[Bad(normal(3), error=ValueError, match="square matrices")],
            tol=TOL,
        )
        for op in (ops.slogdet, ops.log_matrix_determinant)
    ),
    Row(
        ops.logdet,
        ref=lambda x: np.log(np.linalg.det(x)),
        samples=[
            S(regular(2, 2) + 3 * np.eye(2)),
            S(np.diag([-1.0, 1.0]), smooth=False),
            S(np.zeros((2, 2)), smooth=False),
        ],
        tol=TOL,
    ),
    Row(
        ops.matrix_solve,
        ref=lambda a, b, adjoint=False: np.linalg.solve(np.swapaxes(a, -1, -2) if adjoint else a, b),
        samples=[
            S(regular(3, 3), normal(3, 2)),
            S(regular(2, 3, 3), normal(2, 3, 1), True),
            S(regular(3, 3), normal(3, 2), adjoint=True),
        ],
        errors=[
            Bad(normal(2, 2), normal(3, 1), error=ValueError, match="do not fit"),
            Bad(np.ones((2, 2)), normal(2, 1), error=ValueError, match="Singular"),
            Bad(normal(2, 2), integers(0, 3, 2, 1), error=TypeError, match="of the type"),
        ],
        tol=TOL,
    ),
    Row(
        ops.matrix_power,
        ref=np.linalg.matrix_power,
        samples=[
            S(normal(3, 3), 3),
            S(normal(2, 2, 2), 1),
            S(normal(2, 2), 0),
            S(regular(2, 2), -2),
            S(normal(2, 2), 6),
            S(integers(-3, 3, 2, 2), 3),
        ],
        errors=[
            Bad(normal(2, 3), 2, error=ValueError, match="square matrices"),
            Bad(normal(2, 2), 0.5, error=TypeError, match="integer for `n`"),
        ],
        tol={"float32": 1e-4, "float64": 1e-10},
    ),
    Row(
        ops.matrix_exp,
        ref=ref_exp,
        samples=[
            S(normal(3, 3)),
            S(normal(2, 2, 2)),
            S(normal(2, 2, 2) * np.array([1.0, 9.0]).reshape(2, 1, 1), smooth=False),
            S(np.zeros((2, 2))),
            S(normal(0, 0)),
            S(np.array([[nan, 0.0], [0.0, 1.0]]) * np.ones((2, 2)), smooth=False),
        ],
        errors=[Bad(normal(2, 3), error=ValueError, match="square matrices")],
        tol={"float32": 1e-5, "float64": 1e-9},
    ),
    Row(
        factored_cholesky,
        ref=ref_cholesky,
        samples=[S(normal(3, 3)), S(normal(2, 2, 2), True)],
        covers=["cholesky"],
        tol=TOL,
    ),
    Row(
        ops.cholesky,
        ref=np.linalg.cholesky,
        samples=[S(np.array([[4.0, 7.0], [2.0, 2.0]]), smooth=False), S(normal(0, 0))],
        errors=[
            Bad(-np.eye(2), error=ValueError, match="not positive definite"),
            Bad(normal(2, 3), error=ValueError, match="square matrices"),
        ],
    ),
    Row(
        ops.cholesky_inverse,
        ref=lambda x, upper=False: np.linalg.inv(x.T @ x if upper else x @ x.T),
        samples=[S(regular(3, 3)), S(regular(2, 2), True)],
        tol=TOL,
    ),
    Row(
        ops.cholesky_solve,
        ref=lambda b, x, upper=False: np.linalg.solve(x.T @ x if upper else x @ x.T, b),
        samples=[S(normal(3, 2), regular(3, 3)), S(normal(2, 1), regular(2, 2), True)],
        errors=[Bad(normal(3, 1), regular(2, 2), error=ValueError, match="do not fit")],
        tol=TOL,
    ),
    Row(
        projections,
        ref=ref_projections,
        samples=[S(normal(3, 3)), S(normal(4, 2)), S(normal(2, 2, 3))],
        covers=["singular_parts"],
        tol={"float32": 1e-4, "float64": 1e-10},
    ),
    Row(
        full_product,
        ref=lambda x: x,
        samples=[S(normal(3, 2)), S(normal(2, 3))],
        grad=False,
        why="there is no gradient of the further vectors",
        tol=TOL,
    ),
    Row(
        ops.svd,
        ref=lambda x, **_: np.linalg.svd(x, compute_uv=False),
        samples=[S(normal(3, 2), compute_uv=False), S(normal(2, 2, 3), compute_uv=False)],
        errors=[
            Bad(normal(3), error=ValueError, match="needs matrices"),
            Bad(integers(0, 2, 2, 2), error=TypeError, match="floating-point"),
            *(Bad(np.array([[1.0, x]]), error=ValueError, match=NOT_FINITE) for x in (np.inf, -np.inf, np.nan)),
        ],
        tol=TOL,
    ),
    Row(
        factors.lu_factor,
        ref=lambda x: tuple(part + (i == 1) for i, part in enumerate(lu_factor(x))),
        samples=[S(regular(3, 3)), S(normal(2, 4, 4)), S(normal(1, 1))],
        errors=[
            Bad(normal(3), error=ValueError, match="needs matrices"),
            Bad(integers(0, 3, 2, 2), error=TypeError, match="real floating-point"),
            Bad(values(1, nan, 1, 1).reshape(2, 2), error=ValueError, match=NOT_FINITE),
        ],
        tol=TOL,
    ),
    Row(
        factors.lu_factor,
        ref=lambda x: tuple(part + (i == 1) for i, part in enumerate(lu_factor(x))),
        samples=[S(normal(4, 3)), S(normal(3, 4))],
        grad=False,
        strided=False,
        why="the gradient is that of square matrices",
        tol=TOL,
    ),
    Row(
        squares_of_eigenvectors,
        ref=lambda x, lower=True: (lambda w, v: (w, v * v))(*np.linalg.eigh(x, "L" if lower else "U")),
        samples=[S(normal(3, 3) + np.diag([0, 3, 6])), S(normal(2, 2, 2) + np.diag([0, 4]), lower=False)],
        covers=["eigh"],
        grad=False,
        strided=False,
        why="one triangle is read, both get a gradient",
        tol=TOL,
    ),
    Row(
        symmetric_squares_of_eigenvectors,
        ref=lambda x: (lambda w, v: (w, v * v))(*np.linalg.eigh(x + np.swapaxes(x, -1, -2))),
        samples=[S(normal(3, 3) + np.diag([0, 2, 4])), S(normal(2, 2, 2) + np.diag([0, 3]))],
        covers=["eigh"],
        tol=TOL,
    ),
    Row(
        factors.eigh,
        ref=lambda x: (np.array([2.0, 3.0]), np.eye(2)),
        samples=[S(np.diag([2.0, 3.0]))],
        grad=False,
        strided=False,
        why="other rows have it",
        errors=[
            Bad(normal(2, 3), error=ValueError, match="square"),
            Bad(integers(0, 3, 2, 2), error=TypeError, match="eigh needs a floating-point tensor"),
            Bad(values(1, nan, 1, 1).reshape(2, 2), error=ValueError, match=NOT_FINITE),
        ],
    ),
    Row(
        ops.qr,
        ref=lambda x, mode="reduced": tuple(np.linalg.qr(x, mode)),
        samples=[S(normal(3, 2)), S(regular(3, 3)), S(normal(2, 3, 2)), S(normal(2, 3), smooth=False)],
        errors=[
            Bad(normal(3, 2), "raw", error=ValueError, match="`mode` must be"),
            Bad(normal(3), error=ValueError, match="needs matrices"),
        ],
        tol=TOL,
    ),
    Row(
        complete_product,
        ref=lambda x: x,
        samples=[S(normal(3, 2)), S(normal(2, 3))],
        grad=False,
        why="there is no gradient of the further columns",
        tol=TOL,
    ),
    Row(
        ops.pinv,
        ref=lambda x, rtol=None, **_: np.linalg.pinv(x) if rtol is None else np.linalg.pinv(x, rtol),
        samples=[
            S(normal(3, 2)),
            S(normal(2, 3)),
            S(normal(2, 3, 2)),
            S(np.diag([1.0, 0.0]), smooth=False),
            S(np.diag([1.0, 1e-3]), rtol=1e-2, smooth=False),
            S(normal(0, 2)),
        ],
        errors=[
            Bad(normal(3), error=ValueError, match="needs matrices"),
            Bad(normal(2, 2), rtol=-1.0, error=TypeError, match="not negative for `rtol`"),
            Bad(integers(0, 2, 2, 2), error=TypeError, match="floating-point"),
            Bad(np.array([[np.inf, 1.0]]), error=ValueError, match=NOT_FINITE),
        ],
        covers=["pseudoinverse"],
        tol=TOL,
    ),
    Row(
        ops.lstsq,
        ref=lambda x, a: np.linalg.lstsq(x, a.reshape(len(a), -1), rcond=None)[0],
        samples=[S(normal(4, 2), normal(4, 3)), S(normal(4, 2), normal(4)), S(normal(2, 3), normal(2, 1))],
        errors=[
            Bad(normal(4, 2), normal(3, 2), error=ValueError, match="M, N"),
            Bad(normal(2, 4, 2), normal(4, 2), error=ValueError, match="M, N"),
        ],
        tol=TOL,
    ),
    Row(
        ops.lu_solve,
        ref=ref_lu_solve,
        samples=[
            S(normal(3, 2), regular(3, 3), np.array([2, 3, 3])),
            S(normal(2, 3, 1), regular(2, 3, 3), np.array([[1, 2, 3], [3, 3, 3]])),
        ],
        errors=[
            Bad(normal(2, 1), normal(3, 3), np.array([1, 2, 3]), error=ValueError, match="do not fit"),
            Bad(normal(3, 1), normal(3, 3), np.array([1, 2]), error=ValueError, match="do not fit"),
            Bad(normal(2, 1), regular(2, 2), np.array([0, 2]), error=ValueError, match="in .1, 2."),
            Bad(normal(2, 1), regular(2, 2), np.array([1.0, 2.0]), error=TypeError, match="integers"),
        ],
        tol=TOL,
    ),
    Row(
        ops.lu_unpack,
        ref=ref_lu_unpack,
        samples=[
            S(normal(3, 3), np.array([3, 3, 3])),
            S(normal(2, 2, 4), np.array([[1, 2], [2, 2]])),
            S(normal(4, 2), np.array([4, 3])),
        ],
        errors=[Bad(normal(3), np.array([1]), error=TypeError, match="matrices")],
        covers=["order_of_rows"],
        tol=TOL,
    ),
    Row(
        ops.renorm,
        ref=ref_renorm,
        samples=[
            S(normal(3, 4), 2, 0, 1.0),
            S(normal(2, 3, 2), 1, 1, 2.5),
            S(normal(2, 3, 2), 3.0, -1, 1),
            S(normal(4), 2, 0, 0.5),
            S(np.zeros((2, 2)), 2, 0, 0.0, smooth=False),
        ],
        errors=[
            Bad(normal(2, 2), 2, 2, 1.0, error=ValueError, match="must be in"),
            Bad(normal(2, 2), 2, 0, -1.0, error=ValueError, match="not negative for `maxnorm`"),
        ],
        tol=TOL,
    ),
    Row(
        ops.cov,
        ref=lambda x, correction=1, fweights=None, aweights=None: np.cov(
            x, ddof=correction, fweights=fweights, aweights=aweights
        ),
        samples=[
            S(normal(3, 5)),
            S(normal(5)),
            S(normal(3, 5), correction=0),
            S(normal(3, 5), fweights=integers(1, 4, 5)),
            S(normal(2, 4), fweights=integers(1, 4, 4), aweights=np.abs(normal(4)) + 0.5),
            S(normal(2, 4), correction=2, aweights=np.abs(normal(4)) + 0.5),
            S(integers(0, 9, 3, 5)),
        ],
        errors=[
            Bad(normal(2, 2, 2), error=ValueError, match="at most two axes"),
            Bad(normal(2, 3), aweights=normal(2), error=ValueError, match="do not fit 3"),
            Bad(normal(2, 3), fweights=normal(3), error=TypeError, match="integers for `fweights`"),
            Bad(normal(2, 3), correction=0.5, error=TypeError, match="integer for `correction`"),
        ],
        tol=TOL,
    ),
    Row(
        ops.pdist,
        ref=lambda x, p=2.0: np.stack(
            [
                np.linalg.norm(x[..., i, :] - x[..., j, :], p, -1)
                for i in range(x.shape[-2])
                for j in range(i + 1, x.shape[-2])
            ],
            -1,
        ),
        samples=[S(normal(4, 3)), S(normal(2, 3, 2), 1.0), S(normal(3, 3), 3.0), S(normal(3, 2), np.inf)],
        errors=[
            Bad(normal(3), error=ValueError, match="two axes"),
            Bad(normal(3, 3), -1.0, error=ValueError, match="not negative"),
        ],
        tol=TOL,
    ),
    Row(
        ops.adjoint,
        ref=lambda x: np.swapaxes(x, -1, -2),
        samples=[S(normal(2, 3)), S(normal(2, 3, 1)), S(integers(0, 9, 2, 2))],
        errors=[Bad(normal(3), error=ValueError, match="axis")],
    ),
    Row(
        ops.cond,
        ref=np.linalg.cond,
        samples=[
            S(normal(3, 3)),
            S(normal(2, 3, 2), 2),
            S(normal(2, 3, 3), -2),
            S(normal(3, 3), "fro"),
            S(normal(2, 2), 1),
            S(normal(2, 2), np.inf),
            S(np.diag([1.0, 0.0]), -2, smooth=False),
        ],
        errors=[
            Bad(normal(3), error=ValueError, match="two axes"),
            Bad(normal(2, 3), "fro", error=ValueError, match="square"),
            Bad(np.zeros((2, 2)), 1, error=ValueError, match="ingular"),
        ],
        tol={"float32": 1e-3, "float64": 1e-9},
        second=False,
        why="the slopes of singular values are too steep for differences of differences",
    ),
    Row(
        ops.vander,
        ref=np.vander,
        samples=[S(normal(3)), S(normal(3), 5), S(normal(3), 0), S(integers(-3, 4, 3), 3)],
        errors=[
            Bad(normal(2, 2), error=ValueError, match="a vector"),
            Bad(normal(2), -1, error=ValueError, match="negative"),
            Bad(normal(2), 0.5, error=TypeError, match="integer"),
        ],
        tol=TOL,
    ),
]
