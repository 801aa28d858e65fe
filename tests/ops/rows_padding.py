"""Rows of the op table: elements around a tensor."""

import numpy as np
from row import Bad, Row, S, integers, normal

from anfora import ops
from anfora.ops.padding import pad_constant

MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def padded(x, padding, mode="constant", value=None):
    pairs = [(0, 0)] * (x.ndim - len(padding) // 2) + [
        tuple(padding[i : i + 2]) for i in range(len(padding) - 2, -1, -2)
    ]
    x = x[tuple(slice(max(-b, 0), n - max(-a, 0)) for n, (b, a) in zip(x.shape, pairs))]
    pairs = [(max(b, 0), max(a, 0)) for b, a in pairs]
    if mode == "constant":
        return np.pad(x, pairs, constant_values=0 if value is None else value)
    return np.pad(x, pairs, MODES[mode])


X = normal(2, 3, 4)

ROWS = [
    Row(
        ops.pad,
        ref=padded,
        samples=[
            S(X, (1, 2)),
            S(X, (0, 1, 2, 0), value=1.5),
            S(X, (1, 1, 1, 1, 1, 1)),
            S(X, [0, 0]),
            S(X, ()),
            S(X, (-1, 1, 2, -2)),
            S(X, (-1, -1)),
            S(normal(0, 2), (1, 0, 1, 1)),
            S(normal(2, 0), (1, 1)),
            S(integers(0, 9, 3), (1, 1), value=7),
            S(X, (1, 2), "reflect"),
            S(X, (3, 0, 2, 1), "reflect"),
            S(X, (1, 3, 0, 2), "replicate"),
            S(X, (4, 1, 1, 3), "circular"),
            S(X, (-1, 2), "reflect"),
            S(normal(1, 1), (3, 2), "replicate"),
        ],
        errors=[
            Bad(X, (1,), error=ValueError, match="pairs"),
            Bad(X, (1, 1) * 4, error=ValueError, match="at most 3 axes"),
            Bad(X, (0.5, 1), error=TypeError, match="integers"),
            Bad(X, ((1, 1), (0, 0)), error=ValueError, match="a pair of numbers for each of 3 axes"),
            Bad(X, (1, 1), "mirror", error=ValueError, match="mode"),
            Bad(X, (4, 0), "reflect", error=ValueError, match="at most 3"),
            Bad(X, (0, 5), "circular", error=ValueError, match="at most 4"),
            Bad(normal(2, 0), (1, 1), "replicate", error=ValueError, match="at most 0"),
            Bad(X, (1, 1), "reflect", 1.0, error=ValueError, match="value"),
            Bad(X, (-3, -2), error=ValueError, match="takes more"),
            Bad(X, (1, 1), value=normal(2), error=ValueError, match="one element"),
        ],
    ),
    Row(
        pad_constant,
        ref=lambda x, v, before, after: np.pad(
            x, list(zip(before, after)), constant_values=v.item() if hasattr(v, "item") else v
        ),
        samples=[
            S(X, normal(), (1, 0, 2), (0, 2, 1)),
            S(X, 3.0, (0, 1, 0), (0, 0, 0)),
            S(X, normal(1, 1), (0, 0, 1), (1, 0, 0)),
        ],
        dtypes=("float16", "bfloat16", "float32", "float64"),
    ),
]
