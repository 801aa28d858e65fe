"""Rows of the op table: recurrent cells."""

import numpy as np
from row import Bad, Row, S, integers, normal, values

from anfora import ops

INF, NAN = np.inf, np.nan


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _lstm(a, b, c):
    i, f, g, o = np.split(a + b, 4, 1)
    new = _sigmoid(f) * c + _sigmoid(i) * np.tanh(g)
    return _sigmoid(o) * np.tanh(new), new


def _gru(a, b, h):
    (ar, az, an), (br, bz, bn) = np.split(a, 3, 1), np.split(b, 3, 1)
    r, z = _sigmoid(ar + br), _sigmoid(az + bz)
    n = np.tanh(an + r * bn)
    return (1 - z) * n + z * h


ROWS = [
    Row(
        ops.lstm_cell,
        ref=_lstm,
        samples=[
            S(normal(2, 12), normal(2, 12), normal(2, 3)),
            S(normal(1, 4), normal(1, 4), normal(1, 1)),
            S(normal(3, 68), normal(3, 68), normal(3, 17), smooth=False),
            S(normal(0, 8), normal(0, 8), normal(0, 2)),
            S(values(INF, -INF, 1.0, NAN)[None], values(0.0, 0.0, 0.0, 0.0)[None], values(2.0)[None], smooth=False),
        ],
        errors=[
            Bad(integers(0, 3, 2, 12), normal(2, 12), normal(2, 3), error=TypeError, match="floating-point"),
            Bad(normal(2, 12), normal(2, 9), normal(2, 3), error=ValueError, match="4 gates of 3 units"),
            Bad(normal(12), normal(2, 12), normal(2, 3), error=ValueError, match="two axes"),
        ],
        dtypes=("float16", "bfloat16", "float32", "float64"),
        covers=("lstm_cell_gradient",),
    ),
    Row(
        ops.gru_cell,
        ref=_gru,
        samples=[
            S(normal(2, 9), normal(2, 9), normal(2, 3)),
            S(normal(3, 51), normal(3, 51), normal(3, 17), smooth=False),
            S(normal(2, 0), normal(2, 0), normal(2, 0)),
            S(values(-INF, INF, 1.0)[None], values(0.0, 0.0, 3.0)[None], values(2.0)[None], smooth=False),
        ],
        errors=[
            Bad(normal(2, 9), normal(2, 9), integers(0, 3, 2, 3), error=TypeError, match="floating-point"),
            Bad(normal(2, 9), normal(3, 9), normal(2, 3), error=ValueError, match="3 gates of 3 units"),
        ],
        dtypes=("float16", "bfloat16", "float32", "float64"),
        covers=("gru_cell_gradient",),
    ),
    Row(
        ops.unroll,
        ref=lambda x: tuple(x),
        samples=[
            S(normal(3, 2)),
            S(normal(1, 2)),
            S(normal(2, 3, 2)),
            S(normal(3)),
            S(normal(2, 0)),
            S(integers(0, 9, 2, 2)),
        ],
        errors=[
            Bad(np.array(1.0), error=ValueError, match="at least one part"),
            Bad(normal(0, 3), error=ValueError, match="at least one part"),
        ],
        dtypes=("float16", "float32"),
        exact=True,
    ),
]
