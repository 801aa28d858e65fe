"""Rows of the op table: comparisons, logic, bits, choosing."""

import numpy as np
from row import Bad, Row, S, bools, integers, normal, spread, values

from anfora import ops

inf, nan = np.inf, np.nan
HALVES = ("float16", "bfloat16", "float32", "float64")
SPECIAL = values(0.0, -0.0, 1.0, -1.5, inf, -inf, nan, 1e-30)
ROW, COLUMN = SPECIAL.reshape(1, -1), SPECIAL.reshape(-1, 1)
BYTES = np.array([0, 1, 7, 127, 128, 255], np.uint8)
INT8 = np.array([-128, -7, -1, 0, 1, 5, 127], np.int8)
BITS = [
    S(INT8, INT8[::-1].copy()),
    S(INT8.reshape(-1, 1), np.int16([3, 1000])),
    S(BYTES, 6),
    S(bools(5), bools(5)),
    S(integers(-99, 99, 3, 70), integers(-99, 99, 70)),
    S(np.zeros((0, 2), np.int32), 1),
]
NO_GRADIENT = "bools have no gradient"
SHAPES = Bad(normal(2, 3), normal(4), error=ValueError, match="cannot be broadcast: 3 != 4")
FLOATS = Bad(normal(2), 1, error=TypeError, match="needs bool or signed integers or unsigned integers for `input`")
SHIFTS = [
    S(INT8.reshape(-1, 1), np.int8([0, 1, 6, 7])),
    S(INT8.reshape(-1, 1), np.int8([8, 100, -1])),
    S(BYTES, 3),
    S(BYTES.reshape(-1, 1), np.uint8([7, 8, 200])),
    S(np.int64([1, -5]), np.int64([[63], [64]])),
]


def compared(function, ref):
    calls = [
        S(np.round(normal(3, 4)), np.round(normal(4))),
        S(normal(2, 67), 0.5),
        S(-0.5, normal(3)),
        S(ROW, COLUMN),
        S(INT8, INT8[::-1].copy()),
        S(BYTES, 300),
        S(BYTES, -1),
        S(np.zeros((0, 2)), 1.0),
        S(bools(4), bools(4)),
        S(normal(), 1.0),
    ]
    return Row(function, ref, calls, errors=[SHAPES], grad=False, why=NO_GRADIENT)


def tested(function, ref):
    calls = [S(SPECIAL), S(normal(2, 35)), S(np.zeros((0, 2))), S(INT8), S(BYTES), S(bools(3)), S(normal())]
    return Row(function, ref, calls, grad=False, why=NO_GRADIENT)


def combined(function, ref):
    calls = [
        S(bools(3, 4), bools(4)),
        S(SPECIAL, bools(8)),
        S(INT8, INT8[::-1].copy()),
        S(bools(3), True),
        S(bools(0, 2), bools(2)),
        S(bools(2, 70), normal(70)),
    ]
    errors = [Bad(bools(2), bools(3), error=ValueError, match="broadcast")]
    return Row(function, ref, calls, errors, grad=False, why=NO_GRADIENT)


def shifted(shift, x, y):
    """numpy's shift; a shift by a negative number counts as one by too many."""
    kind = np.result_type(x, y)
    return shift(x, np.where(y < 0, 100, y).astype(kind), dtype=kind)


def chosen(condition, x, y):
    return np.where(condition != 0, x, y)


def step(x, at_zero):
    return np.heaviside(x, at_zero) if np.result_type(x, at_zero).kind == "f" else np.where(x == 0, at_zero, x > 0)


def close(x, y, rtol=1e-05, atol=1e-08, equal_nan=False):
    return np.isclose(x, y, rtol, atol, equal_nan)


NEAR = values(1.0, 1.0001, 0.0, inf, -inf, nan, 1e5)

ROWS = [
    compared(ops.equal, np.equal),
    compared(ops.not_equal, np.not_equal),
    compared(ops.less, np.less),
    compared(ops.less_equal, np.less_equal),
    compared(ops.greater, np.greater),
    compared(ops.greater_equal, np.greater_equal),
    Row(
        ops.isclose,
        close,
        [
            S(NEAR, NEAR.reshape(-1, 1)),
            S(NEAR, NEAR.reshape(-1, 1), equal_nan=True),
            S(NEAR, 1.0, 0.001, 0.0),
            S(NEAR, NEAR + 0.25, atol=0.5),
            S(INT8, INT8 + 1, atol=1.0),
            S(np.zeros((0, 2)), 1.0),
        ],
        errors=[SHAPES],
        grad=False,
        why=NO_GRADIENT,
    ),
    Row(
        ops.approximate_equal,
        lambda x, y, tolerance=1e-5: abs(x - y) < tolerance,
        [S(normal(3, 4), normal(4), 0.5), S(values(1.0, 2.0), values(1.0, 2.5))],
        grad=False,
        why=NO_GRADIENT,
    ),
    tested(ops.isnan, np.isnan),
    tested(ops.isinf, np.isinf),
    tested(ops.isposinf, lambda x: x == inf),
    tested(ops.isneginf, lambda x: x == -inf),
    tested(ops.isfinite, np.isfinite),
    tested(ops.signbit, lambda x: np.signbit(x) if x.dtype.kind == "f" else x < 0),
    tested(ops.isreal, lambda x: np.ones(x.shape, bool)),
    combined(ops.logical_and, np.logical_and),
    combined(ops.logical_or, np.logical_or),
    combined(ops.logical_xor, np.logical_xor),
    tested(ops.logical_not, np.logical_not),
    Row(ops.bitwise_and, np.bitwise_and, BITS, errors=[FLOATS]),
    Row(ops.bitwise_or, np.bitwise_or, BITS, errors=[FLOATS]),
    Row(ops.bitwise_xor, np.bitwise_xor, BITS, errors=[FLOATS]),
    Row(
        ops.bitwise_not,
        np.bitwise_not,
        [S(INT8), S(BYTES), S(bools(5)), S(np.zeros((0, 2), np.int64))],
        errors=[Bad(normal(2), error=TypeError, match="for `input`")],
    ),
    Row(
        ops.bitwise_left_shift,
        lambda x, y: shifted(np.left_shift, x, y),
        SHIFTS,
        errors=[
            Bad(normal(2), 1, error=TypeError, match="needs signed integers"),
            Bad(bools(2), bools(2), error=TypeError, match="bool"),
        ],
    ),
    Row(
        ops.bitwise_right_shift,
        lambda x, y: shifted(np.right_shift, x, y),
        SHIFTS,
        errors=[Bad(normal(2), 1, error=TypeError, match="needs signed integers")],
    ),
    Row(
        ops.where,
        chosen,
        [
            S(bools(3, 4), normal(3, 4), normal(4)),
            S(bools(4), normal(3, 1), -1.0),
            S(bools(5), 1.0, normal(5)),
            S(bools(2, 67), normal(67), normal(2, 1), smooth=False),
            S(values(0.0, 2.0, nan), normal(3), normal(3), smooth=False),
            S(bools(4), INT8[:4], np.int32([1])),
            S(bools(8), SPECIAL, 0.0, smooth=False),
            S(bools(0), normal(0), 1.0),
            S(bools(4), 1, 0),
        ],
        errors=[Bad(bools(2), normal(3), 0.0, error=ValueError, match="broadcast")],
        dtypes=HALVES,
    ),
    Row(ops.select, chosen, [S(bools(3, 4), normal(3, 4), normal(4)), S(bools(3), normal(3), -1.0)]),
    Row(
        ops.masked_fill,
        lambda x, mask, value: np.where(mask != 0, np.asarray(value).astype(x.dtype), x),
        [
            S(normal(3, 4), bools(4), 0.5),
            S(normal(3, 4), bools(3, 1), normal()),
            S(INT8, bools(7), 3),
            S(bools(3), bools(3), True),
            S(SPECIAL, bools(8), inf, smooth=False),
            S(normal(0, 2), bools(2), 1),
        ],
        errors=[
            Bad(INT8, bools(7), 0.5, error=TypeError, match="does not fit into"),
            Bad(bools(3), bools(3), 2, error=TypeError, match="does not fit into"),
            Bad(normal(3), bools(4), 0.0, error=ValueError, match="broadcast"),
        ],
        dtypes=HALVES,
    ),
    Row(
        ops.heaviside,
        step,
        [S(spread(3, 4), 0.5), S(SPECIAL, values(0.25)), S(INT8, 3), S(BYTES, 1), S(np.zeros((0, 2)), 1.0)],
        errors=[SHAPES],
        grad=False,
        why="constant between its steps",
    ),
]
