"""Rows of the op table: diagonals and triangles of matrices."""

import numpy as np
import scipy.linalg
from row import Bad, Row, S, bools, integers, normal

from anfora import ops

TRIANGLES = [
    S(normal(3, 4)),
    S(normal(4, 3), 1),
    S(normal(4, 3), -1),
    S(normal(2, 3, 3), diagonal=2),
    S(normal(3, 3), 9),
    S(normal(3, 3), -9),
    S(normal(0, 3)),
    S(normal(3, 0)),
    S(integers(-9, 9, 4, 4, dtype=np.int8)),
    S(bools(3, 3), 1),
    S(np.array([[np.nan, np.inf], [1.0, -0.0]]), smooth=False),
]
REFUSED = [
    Bad(normal(3), error=ValueError, match="two axes"),
    Bad(normal(3, 3), 0.5, error=TypeError, match="an integer for `diagonal`, but got 0.5"),
    Bad(normal(3, 3), [1, 1], error=TypeError, match=r"an integer for `diagonal`, but got \(1, 1\)"),
]
HALVES = ("float16", "bfloat16", "float32", "float64")


def embedded(x, offset=0, dim1=-2, dim2=-1):
    n = x.shape[-1] + abs(offset)
    out = np.zeros((*x.shape[:-1], n, n), x.dtype)
    i = np.arange(x.shape[-1])
    out[..., i + max(-offset, 0), i + max(offset, 0)] = x
    return np.moveaxis(out, (-2, -1), (dim1, dim2))


def band(x, lower, upper):
    rows, columns = np.indices(x.shape[-2:])
    lower, upper = (np.asarray(n)[..., None, None] for n in (lower, upper))
    kept = ((lower < 0) | (rows - columns <= lower)) & ((upper < 0) | (columns - rows <= upper))
    return np.where(kept, x, np.zeros_like(x))


ROWS = [
    Row(
        ops.matrix_band_part,
        ref=band,
        samples=[
            S(normal(3, 4), 1, 0),
            S(normal(4, 3), -1, 1),
            S(normal(3, 3), 0, -1),
            S(normal(2, 3, 3), np.array([0, 2]), np.array([[1], [-1]])),
            S(normal(0, 3), 1, 1),
            S(integers(-9, 9, 4, 4, dtype=np.int8), 2, 1),
            S(np.array([[np.nan, np.inf], [1.0, -0.0]]), 0, 0, smooth=False),
        ],
        errors=[
            Bad(normal(3), 0, 0, error=ValueError, match="two axes"),
            Bad(normal(3, 3), 0.5, 0, error=TypeError, match="an integer for `lower`"),
            Bad(normal(3, 3), 0, np.array(0.5), error=TypeError, match="integers for `upper`"),
        ],
        dtypes=HALVES,
        exact=True,
    ),
    Row(
        ops.tril,
        ref=lambda x, diagonal=0: np.tril(x, diagonal),
        samples=TRIANGLES,
        errors=REFUSED,
        dtypes=HALVES,
        exact=True,
    ),
    Row(
        ops.triu,
        ref=lambda x, diagonal=0: np.triu(x, diagonal),
        samples=TRIANGLES,
        errors=REFUSED,
        dtypes=HALVES,
        exact=True,
    ),
    Row(
        ops.tril_indices,
        ref=lambda n, m, k=0: np.stack(np.tril_indices(n, k, m)),
        samples=[S(3, 3), S(2, 4, 1), S(4, 2, -1), S(0, 2)],
        errors=[Bad(-1, 2, error=ValueError, match="negative")],
    ),
    Row(
        ops.triu_indices,
        ref=lambda n, m, k=0: np.stack(np.triu_indices(n, k, m)),
        samples=[S(3, 3), S(2, 4, 1), S(4, 2, -1)],
    ),
    Row(
        ops.diag_embed,
        ref=embedded,
        samples=[
            S(normal(3)),
            S(normal(2, 3), 1),
            S(normal(2, 3), -2, 0, 2),
            S(normal(2, 3), 0, -1, 0),
            S(normal(0)),
            S(normal(2, 0), 1),
        ],
        errors=[
            Bad(normal(), error=ValueError, match="one axis"),
            Bad(normal(2), 0, 1, 1, error=ValueError, match="same axis"),
            Bad(normal(2), 0, 2, 1, error=ValueError, match="dim1"),
        ],
    ),
    Row(
        ops.diag,
        ref=lambda x: np.diagflat(x).reshape(x.shape * 2),
        samples=[S(normal(3)), S(normal(2, 3)), S(integers(0, 9, 2)), S(normal(0))],
        errors=[Bad(normal(), error=ValueError, match="one axis")],
    ),
    Row(ops.diagflat, ref=np.diagflat, samples=[S(normal(3)), S(normal(2, 2), 1), S(normal(2), -2), S(normal())]),
    Row(
        ops.block_diag,
        ref=scipy.linalg.block_diag,
        samples=[S(normal(2, 3), normal(1, 1)), S(normal(2), normal(), normal(3, 1)), S(normal(2, 2))],
        errors=[Bad(error=TypeError, match="tensors"), Bad(normal(1, 1, 1), error=ValueError, match="two axes")],
    ),
]
