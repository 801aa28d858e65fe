"""Functions that are a sentence in other operators."""

from __future__ import annotations

import numpy as np
from row import Bad, Row, S, integers, normal, spread, values

from anfora import ops


def _clipped(x, limit):
    norm = np.sqrt(sum((v * v).sum() for v in x))
    return tuple(v * limit / max(norm, limit) for v in x)


def _to_depth(x, b):
    return np.concatenate([x[:, :, i::b, j::b] for i in range(b) for j in range(b)], 1)


ROWS = [
    Row(ops.accumulate_n, ref=sum, samples=[S([normal(2), normal(2)])]),
    Row(
        ops.clip_by_global_norm,
        ref=_clipped,
        samples=[S((normal(3, 2), normal(4)), 1.0), S((values(0.1, 0.2),), 5.0)],
        errors=[
            Bad((values(1),), 0.0, error=ValueError, match="positive"),
            Bad((values(1),), 1.0, 2.0, error=ValueError, match="use_norm"),
            Bad((), error=TypeError, match="tuple or list of tensors"),
        ],
    ),
    Row(
        ops.clip_by_norm,
        ref=lambda x, limit, order=2.0, error_if_nonfinite=False: (
            x * min(limit / (np.linalg.norm(x.ravel(), order) + 1e-6), 1)
        ),
        samples=[S(normal(3, 2), 0.5), S(normal(4), 100.0), S(normal(4), 0.5, float("inf")), S(normal(4), 0.5, 1)],
        errors=[Bad(values(np.inf), 1.0, error_if_nonfinite=True, error=ValueError, match="norm is inf")],
    ),
    Row(
        ops.allclose,
        ref=np.allclose,
        samples=[
            S(values(1, 2), values(1, 2.0000001)),
            S(values(1, 2), values(1, 2.1)),
            S(values(1, np.nan), values(1, np.nan)),
            S(values(1, np.nan), values(1, np.nan), equal_nan=True),
            S(values(1), values(1.5), 0, 1),
        ],
        grad=False,
        why="a bool",
    ),
    Row(
        ops.isin,
        ref=lambda x, y, invert=False: np.isin(x, y, invert=invert),
        samples=[
            S(integers(0, 5, 3, 4), integers(0, 5, 3)),
            S(values(1, 2, np.nan), values(2, np.nan)),
            S(integers(0, 5, 4), 3, invert=True),
            S(integers(0, 5, 4), integers(0, 5, 0)),
        ],
        grad=False,
        why="bools have no gradient",
    ),
    Row(
        ops.in_top_k,
        ref=lambda x, t, k: np.array([t[i] in np.argsort(-row, kind="stable")[:k] for i, row in enumerate(x)]),
        samples=[S(normal(5, 4), integers(0, 4, 5), 2), S(normal(5, 4), integers(0, 4, 5, dtype=np.int32), 1)],
        errors=[Bad(normal(5), integers(0, 4, 5), 1, error=ValueError, match=r"\(N, C\)")],
        grad=False,
        why="bools have no gradient",
    ),
    Row(
        ops.space_to_depth,
        ref=_to_depth,
        samples=[S(normal(2, 2, 4, 6), 2), S(normal(1, 1, 3, 3), 3)],
        errors=[
            Bad(normal(1, 1, 3, 3), 2, error=ValueError, match="do not fit"),
            Bad(normal(4, 4), 2, error=ValueError, match="N, C, H, W"),
        ],
    ),
    Row(
        ops.depth_to_space,
        ref=lambda x, b: (
            x.reshape(x.shape[0], b, b, -1, *x.shape[2:])
            .transpose(0, 3, 4, 1, 5, 2)
            .reshape(x.shape[0], -1, x.shape[2] * b, x.shape[3] * b)
        ),
        samples=[S(normal(2, 8, 2, 3), 2)],
        errors=[
            Bad(normal(1, 3, 2, 2), 2, error=ValueError, match="no blocks"),
            Bad(normal(1, 4, 2, 2), 1, error=ValueError, match="at least 2"),
        ],
    ),
    Row(
        ops.top_k,
        ref=lambda x, k: (np.sort(x, -1)[..., : -k - 1 : -1], np.argsort(x, -1)[..., : -k - 1 : -1]),
        samples=[S(spread(3, 5), 2)],
    ),
    Row(
        ops.padding,
        ref=lambda x, n=8: np.pad(x, ((0, 0), (0, n - 1))),
        samples=[S(normal(3, 1), 4), S(integers(0, 9, 2, 1)), S(normal(2, 1), 1)],
        errors=[
            Bad(normal(3), 4, error=ValueError, match="last of length 1"),
            Bad(normal(3, 1), 0, error=ValueError, match="positive"),
        ],
    ),
]
