"""Rows of the op table: recurrent cells."""

import numpy as np
from row import Bad, Row, S, integers, normal, values

from anfora import ops
from anfora.ops.recurrent_layers import gru_layer, lstm_layer, rnn_layer

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


def _steps(cell, gates):
    """A layer as a loop over a cell that gives (new states, what the gradient starts from)."""

    def run(shares, weight, bias, *states, backwards=False, **kwargs):
        kept = [None] * len(shares)
        for t in reversed(range(len(shares))) if backwards else range(len(shares)):
            product = states[0] @ weight.T + (0.0 if bias is None else bias)
            states, *extra = cell(shares[t], product, *states, **kwargs)
            kept[t] = (states[0], *extra)
        output, *extra = (np.stack(parts) for parts in zip(*kept))
        return (output, *states, *extra)

    return run


def _lstm_step(a, b, h, c):
    new = _lstm(a, b, c)
    i, f, g, o = np.split(a + b, 4, 1)
    return new, np.concatenate([_sigmoid(i), _sigmoid(f), np.tanh(g), _sigmoid(o)], 1), new[1]


def _gru_step(a, b, h):
    (ar, az, an), (br, bz, bn) = np.split(a, 3, 1), np.split(b, 3, 1)
    r, z = _sigmoid(ar + br), _sigmoid(az + bz)
    return (_gru(a, b, h),), np.concatenate([r, z, np.tanh(an + r * bn), bn], 1)


def _rnn_step(a, b, h, nonlinearity="tanh"):
    return (((np.tanh(a + b) if nonlinearity == "tanh" else np.maximum(a + b, 0.0)),),)


def _layer(steps, examples, units, gates, states, **kwargs):
    """Operands of a layer, whose products are of the size of its input."""
    weight = normal(gates * units, units) / max(units, 1) ** 0.5
    start = [normal(examples, units) for _ in range(states)]
    return S(normal(steps, examples, gates * units), weight, normal(gates * units), *start, **kwargs)


def _misfits(gates, states):
    """What every layer refuses; of 2 examples and 3 units."""
    shares, weight, bias = normal(2, 2, 3 * gates), normal(3 * gates, 3), normal(3 * gates)
    start = [normal(2, 3) for _ in range(states)]
    whole = integers(0, 3, 2, 2, 3 * gates)
    return [
        Bad(whole, weight, bias, *start, error=TypeError, match="floating-point tensor for `shares`"),
        Bad(shares[0], weight, bias, *start, error=ValueError, match="at least one step"),
        Bad(shares[:0], weight, bias, *start, error=ValueError, match="at least one step"),
        Bad(shares, weight[:, 1:], bias, *start, error=ValueError, match="`weight` of shape"),
        Bad(shares, weight, bias[1:], *start, error=ValueError, match="`bias` of shape"),
        Bad(shares, weight, bias, *start[1:], normal(3, 3), error=ValueError, match=r"of shape \[2, 3\]"),
    ]


ROWS = [
    Row(
        lstm_layer,
        ref=_steps(_lstm_step, 4),
        samples=[
            _layer(3, 2, 3, 4, 2),
            _layer(2, 2, 2, 4, 2, backwards=True),
            _layer(1, 1, 2, 4, 2),
            S(normal(2, 2, 8), normal(8, 2), None, normal(2, 2), normal(2, 2)),
            _layer(4, 33, 17, 4, 2, smooth=False),
            _layer(2, 0, 3, 4, 2),
            S(
                values(INF, -INF, 1.0, NAN)[None, None],
                values(0.0, 1.0, 0.0, 0.0)[:, None],
                None,
                values(1.0)[None],
                values(2.0)[None],
                smooth=False,
            ),
        ],
        errors=_misfits(4, 2),
        dtypes=("float16", "bfloat16", "float32", "float64"),
        covers=("lstm_layer_gradient",),
        tol={"float16": 6e-3, "bfloat16": 5e-2},
    ),
    Row(
        gru_layer,
        ref=_steps(_gru_step, 3),
        samples=[
            _layer(3, 2, 3, 3, 1),
            _layer(2, 2, 2, 3, 1, backwards=True),
            S(normal(2, 2, 6), normal(6, 2), None, normal(2, 2)),
            _layer(4, 33, 17, 3, 1, smooth=False),
            _layer(2, 2, 0, 3, 1),
            S(
                values(INF, -INF, 1.0)[None, None],
                values(0.0, 1.0, 0.0)[:, None],
                None,
                values(1.0)[None],
                smooth=False,
            ),
        ],
        errors=_misfits(3, 1),
        dtypes=("float16", "bfloat16", "float32", "float64"),
        covers=("gru_layer_gradient",),
        tol={"float16": 6e-3, "bfloat16": 5e-2},
    ),
    Row(
        rnn_layer,
        ref=_steps(_rnn_step, 1),
        samples=[
            _layer(3, 2, 3, 1, 1),
            _layer(2, 2, 2, 1, 1, backwards=True),
            S(normal(2, 2, 2), normal(2, 2), None, normal(2, 2), nonlinearity="relu"),
            _layer(3, 2, 3, 1, 1, nonlinearity="relu", backwards=True),
            _layer(4, 33, 17, 1, 1, smooth=False),
            _layer(2, 0, 3, 1, 1),
            S(values(INF, NAN)[None, None], np.eye(2), None, values(1.0, 1.0)[None], nonlinearity="relu", smooth=False),
        ],
        errors=[
            *_misfits(1, 1),
            Bad(
                normal(2, 2, 2),
                normal(2, 2),
                None,
                normal(2, 2),
                nonlinearity="sin",
                error=ValueError,
                match="'tanh' or",
            ),
        ],
        dtypes=("float16", "bfloat16", "float32", "float64"),
        covers=("rnn_layer_gradient",),
        tol={"float16": 6e-3, "bfloat16": 5e-2},
    ),
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
