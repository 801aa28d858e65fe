"""Rows of the op table: softmax and its logarithm."""

import numpy as np
from row import Bad, Row, S, integers, normal, values

from anfora import ops

INF, NAN = np.inf, np.nan


def _softmax(x, axis=-1, dtype=None):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def _log_softmax(x, axis=-1):
    shifted = x - x.max(axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))


SHAPES = [
    S(normal(3, 5)),
    S(normal(4, 3, 2), axis=1),  # rows that are copied together
    S(normal(2, 3, 9), axis=-2),  # rows side by side
    S(normal(5, 17), axis=0),
    S(normal(2, 200)),
    S(normal(1)),
    S(normal(3, 1)),
    S(normal(0, 4)),
    S(np.array(0.5)),
    S(values(1e4, -1e4), smooth=False),
    S(values(-INF, 0.0, -INF, 1.0), smooth=False),
    S(np.array([[NAN, 1.0], [INF, 1.0], [-INF, -INF], [0.0, -0.0]]), smooth=False),
]
ERRORS = [
    Bad(integers(0, 5, 3), error=TypeError, match="floating-point"),
    Bad(normal(3), axis=1, error=ValueError, match="axis"),
    Bad(normal(3, 0), error=ValueError, match="length 0"),
    Bad(normal(3), axis=0.5, error=TypeError, match="integer"),
]

ROWS = [
    Row(
        ops.softmax,
        ref=_softmax,
        samples=[*SHAPES, S(normal(3, 5), (1,)), S(normal(3, 5), dtype="float64", smooth=False)],
        errors=[*ERRORS, Bad(normal(3), dtype="int32", error=TypeError, match="floating-point `dtype`")],
        dtypes=("float32", "float64", "float16", "bfloat16"),
        covers=["softmax_gradient"],
    ),
    Row(
        ops.log_softmax,
        ref=_log_softmax,
        samples=SHAPES,
        errors=ERRORS,
        dtypes=("float32", "float64", "float16", "bfloat16"),
        covers=["log_softmax_gradient"],
    ),
    Row(ops.softmin, ref=lambda x, axis=-1: _softmax(-x, axis), samples=[S(normal(3, 5)), S(normal(3, 5), axis=0)]),
]
