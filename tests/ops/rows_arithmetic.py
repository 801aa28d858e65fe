"""Rows of the op table: arithmetic, rounding, the larger and the smaller."""

import numpy as np
from row import Bad, Row, S, bools, integers, normal, positive, spread, uniform, values

from anfora import ops
from anfora.ops import arithmetic

inf, nan = np.inf, np.nan
HALVES = ("float16", "bfloat16", "float32", "float64")
SPECIAL = values(0.0, -0.0, 1.0, -1.5, inf, -inf, nan, 1e-30)
ROW, COLUMN = SPECIAL.reshape(1, -1), SPECIAL.reshape(-1, 1)
STEPS = values(0.5, 1.5, 2.5, -0.5, -1.5, 0.49, -1.51, 0.0, -0.0, 8388609.0, inf, -inf, nan)
INT8 = np.arange(-128, 128, 5, dtype=np.int8)
SMALL = np.array([-128, -7, -1, 0, 1, 5, 127], np.int8)


def binary(make=normal, special=True):
    """Calls that every operator of two arguments must take: broadcasting, numbers on either side, 0-d, empty, long."""
    calls = [
        S(make(3, 4), make(3, 4)),
        S(make(2, 1, 3), make(4, 1)),
        S(make(4), 2.5),
        S(-1.5, make(4)),
        S(make(), make(2)),
        S(make(0, 3), make(3)),
        S(make(3, 70), make(3, 1), smooth=False),
    ]
    return calls + ([S(ROW, COLUMN, smooth=False)] if special else [])


def unary(make=normal, special=SPECIAL):
    return [S(make(3, 5)), S(make()), S(make(0, 2)), S(make(2, 67), smooth=False), S(special, smooth=False)]


def signed(*shape):
    """Numbers of either sign between 0.5 and 3 in size; their ratios are no whole numbers."""
    return positive(*shape) * np.where(bools(*shape), 1, -1)


def whole(dtype=np.int32):
    return integers(-50, 50, 3, 4, dtype=dtype), integers(1, 9, 4, dtype=dtype)


BOOL = Bad(bools(3), error=TypeError, match="needs signed integers or unsigned integers or floating point")
BOOLS = Bad(bools(3), bools(3), error=TypeError, match="needs signed integers")
SHAPES = Bad(normal(2, 3), normal(4), error=ValueError, match="cannot be broadcast: 3 != 4")
ZERO = Bad(integers(1, 5, 2, 3), np.array([2, 0, 1]), error=ZeroDivisionError, match=r"divided by zero, at \[0, 1\]")
ZERO_NUMBER = Bad(integers(1, 5, 3, dtype=np.uint8), 0, error=ZeroDivisionError, match=r"at \[0\]")


def share_of(g, x, y):
    return np.where(x > y, g, np.where(x == y, g / 2, 0.0))


def inside(g, x, min=None, max=None):
    return np.where((x >= (-inf if min is None else min)) & (x <= (inf if max is None else max)), g, 0.0)


def clip(x, min=None, max=None):
    return np.clip(x, -inf if min is None else min, inf if max is None else max).astype(np.result_type(x))


def rounded(x, decimals=0):
    return np.round(x, decimals)


def quotient(x, y, rounding_mode=None):
    return {None: np.divide, "floor": np.floor_divide, "trunc": lambda x, y: np.trunc(x / y)}[rounding_mode](x, y)


def c_divide(x, y):
    return np.trunc(x / y) if np.result_type(x, y).kind == "f" else (x - np.fmod(x, y)) // y


FLAT = "constant between its steps"

ROWS = [
    Row(
        ops.add,
        np.add,
        [*binary(), S(integers(-9, 9, 3), 2), S(SMALL, SMALL), S(bools(4), bools(4)), S(integers(0, 9, 3), normal(3))],
        errors=[SHAPES, Bad(integers(0, 9, 3, dtype=np.uint8), -1, error=ValueError, match="does not fit")],
        dtypes=HALVES,
    ),
    Row(ops.sub, np.subtract, [*binary(), S(SMALL, SMALL[::-1].copy())], errors=[SHAPES, BOOLS]),
    Row(ops.mul, np.multiply, [*binary(), S(SMALL, SMALL), S(bools(4), bools(4))], errors=[SHAPES], dtypes=HALVES),
    Row(
        ops.real_div,
        np.divide,
        [*binary(positive, special=False), S(ROW, COLUMN, smooth=False), S(*(x.astype(float) for x in whole()))],
        errors=[SHAPES],
    ),
    Row(ops.neg, np.negative, [*unary(), S(INT8), S(np.arange(3, dtype=np.uint8))], errors=[BOOL]),
    Row(
        ops.floor_div,
        np.floor_divide,
        [
            *binary(signed),
            S(*whole()),
            S(*whole(np.uint8)),
            S(INT8, np.int8([-1])),
            S(INT8, np.int8([-7])),
            S(7, INT8[:2]),
        ],
        errors=[SHAPES, BOOLS, ZERO, ZERO_NUMBER],
        grad=False,
        why=FLAT,
    ),
    Row(
        ops.truncate_div,
        c_divide,
        [*binary(signed), S(*whole()), S(*whole(np.uint8)), S(INT8, np.int8([-7]))],
        errors=[SHAPES, BOOLS, ZERO, ZERO_NUMBER],
        grad=False,
        why=FLAT,
    ),
    Row(
        ops.remainder,
        np.remainder,
        [
            *binary(signed),
            S(*whole()),
            S(*whole(np.uint8)),
            S(INT8, np.int8([-7])),
            S(values(1e30, -5e20, 7.0), 0.75, smooth=False),
        ],
        errors=[SHAPES, BOOLS, ZERO, ZERO_NUMBER],
    ),
    Row(
        ops.fmod,
        np.fmod,
        [
            *binary(signed),
            S(*whole()),
            S(*whole(np.uint8)),
            S(INT8, np.int8([-7])),
            S(values(1e30, -5e20, 7.0), 0.75, smooth=False),
        ],
        errors=[SHAPES, BOOLS, ZERO, ZERO_NUMBER],
    ),
    Row(
        ops.div,
        quotient,
        [
            S(positive(3, 4), positive(4)),
            S(signed(3, 4), signed(4), rounding_mode="floor", smooth=False),
            S(signed(3, 4), signed(4), rounding_mode="trunc", smooth=False),
        ],
        errors=[Bad(normal(2), 2.0, rounding_mode="up", error=ValueError, match="rounding_mode")],
    ),
    Row(
        ops.div_no_nan,
        lambda x, y: np.where(y == 0, 0.0, x / np.where(y == 0, 1, y)),
        [*binary(positive, special=False), S(ROW, COLUMN, smooth=False)],
        errors=[SHAPES],
    ),
    Row(ops.square, np.square, [*unary(), S(INT8)], errors=[BOOL]),
    Row(ops.reciprocal, np.reciprocal, unary(positive)),
    Row(ops.abs, np.abs, [*unary(spread), S(INT8), S(np.arange(3, dtype=np.uint16)), S(bools(3))], dtypes=HALVES),
    Row(ops.sign, np.sign, [*unary(spread), S(INT8), S(np.arange(3, dtype=np.uint16))], errors=[BOOL]),
    Row(ops.copysign, np.copysign, binary(), errors=[SHAPES]),
    Row(
        ops.maximum,
        np.maximum,
        [*binary(), S(SMALL, np.int8(1)), S(bools(9), bools(9))],
        errors=[SHAPES],
        dtypes=HALVES,
        covers=("larger_share",),
    ),
    Row(
        ops.minimum,
        np.minimum,
        [*binary(), S(SMALL, np.int8(1)), S(bools(9), bools(9))],
        errors=[SHAPES],
    ),
    Row(ops.fmax, np.fmax, [*binary(), S(SMALL, np.int8(1))], errors=[SHAPES], covers=("taken_share",)),
    Row(ops.fmin, np.fmin, [*binary(), S(SMALL, np.int8(1))], errors=[SHAPES]),
    Row(
        arithmetic.larger_share,
        share_of,
        [S(normal(4), values(1.0, 2.0, 3.0, nan), values(2.0, 2.0, 1.0, 1.0), smooth=False)],
    ),
    Row(
        ops.clamp,
        clip,
        [
            S(spread(3, 5), -0.41, 0.39),
            S(spread(3, 5), max=0.39),
            S(spread(3, 5), -0.41),
            S(spread(4), spread(4) - 0.52, spread(4) + 0.53),
            S(spread(2, 3), spread(3) * 0.7),
            S(spread(2, 3), None, spread(3) * 0.7),
            S(spread(6), 0.21, -0.19),
            S(SPECIAL, -1.0, 1.0, smooth=False),
            S(INT8, -5, 9),
            S(np.zeros((0, 3)), 0.0, 1.0),
        ],
        errors=[
            Bad(normal(3), error=TypeError, match="needs `min` or `max`"),
            Bad(bools(3), bools(3), error=TypeError, match="needs signed integers"),
        ],
        dtypes=HALVES,
    ),
    Row(
        arithmetic.inside_share,
        inside,
        [
            S(normal(5), values(-2.0, -1.0, 0.0, 1.0, 2.0), -1.0, 1.0, smooth=False),
            S(normal(5), values(-2.0, -1.0, 0.0, 1.0, 2.0), max=1.0, smooth=False),
        ],
    ),
    Row(
        ops.clip_by_value,
        lambda x, low, high: (
            type(x)(clip(one, low, high) for one in x) if isinstance(x, (list, tuple)) else clip(x, low, high)
        ),
        [S(spread(3, 5), -0.41, 0.39), S([spread(3), spread(2, 2)], -0.11, None), S((spread(3),), None, 0.11)],
        errors=[Bad(normal(3), error=TypeError, match="needs `clip_value_min`")],
    ),
    Row(ops.floor, np.floor, [*unary(signed, STEPS), S(INT8)], errors=[BOOL], dtypes=HALVES, grad=False, why=FLAT),
    Row(ops.ceil, np.ceil, [*unary(signed, STEPS), S(INT8)], errors=[BOOL], grad=False, why=FLAT),
    Row(ops.trunc, np.trunc, [*unary(signed, STEPS), S(INT8)], errors=[BOOL], grad=False, why=FLAT),
    Row(ops.rint, np.rint, [*unary(signed, STEPS), S(INT8)], errors=[BOOL], grad=False, why=FLAT),
    Row(
        ops.round,
        rounded,
        [
            *unary(signed, STEPS),
            S(uniform(-9, 9, 20), 2),
            S(uniform(-999, 999, 20), decimals=-2),
            S(values(1e38, inf, nan, 0.125), 2),
            S(integers(-5000, 5000, 40), decimals=-2),
            S(np.array([1250, 1350, -1250, -1350, 1251], np.int32), decimals=-2),
            S(np.array([25, 35, 250], np.uint8), decimals=-1),
            S(INT8, decimals=3),
        ],
        errors=[
            BOOL,
            Bad(normal(3), 1.5, error=TypeError, match="integer for `decimals`"),
            Bad(INT8, -3, error=ValueError, match="must be -2 or more"),
            Bad(normal(3), 31, error=ValueError, match="must be 30 or less"),
        ],
        grad=False,
        why=FLAT,
    ),
    Row(ops.frac, lambda x: x - np.trunc(x), [*unary(signed, STEPS), S(INT8)], errors=[BOOL]),
    Row(
        ops.addcmul,
        lambda x, a, b, value=1: x + value * a * b,
        [
            S(normal(3, 4), normal(4), normal(3, 1)),
            S(normal(4), normal(4), normal(4), 0.5),
            S(normal(2), normal(2), 3.0, normal(2)),
            S(integers(0, 9, 3), integers(0, 9, 3), integers(0, 9, 3), value=2),
            S(normal(0, 2), normal(2), normal(2)),
        ],
        errors=[Bad(normal(2), normal(3), normal(3), error=ValueError, match="broadcast")],
    ),
    Row(
        ops.addcdiv,
        lambda x, a, b, value=1: x + value * a / b,
        [
            S(normal(3, 4), normal(4), positive(3, 1)),
            S(normal(4), normal(4), positive(4), 0.5),
            S(normal(2), 3.0, positive(2), normal(2)),
            S(normal(0, 2), normal(2), normal(2)),
        ],
        errors=[Bad(normal(2), normal(3), normal(3), error=ValueError, match="broadcast")],
    ),
    Row(
        arithmetic.multiply_add,
        lambda x, factor, other: x * factor + other,
        [
            S(normal(3, 4), normal(4), normal(3, 1)),
            S(normal(4), 2.0, normal(4)),
            S(normal(0, 2), normal(2), normal(2)),
        ],
        errors=[
            Bad(normal(2), normal(3), normal(3), error=ValueError, match="broadcast"),
            Bad(INT8, INT8, INT8, error=TypeError, match="floating"),
        ],
    ),
    Row(
        ops.lerp,
        lambda start, end, weight: start + weight * (end - start),
        [
            S(normal(3, 4), normal(4), uniform(-1, 2, 3, 1)),
            S(normal(4), normal(4), 0.3),
            S(1.0, 2.0, normal(3)),
            S(normal(5), normal(5), values(0.0, 1.0, 0.5, -0.5, 2.0), smooth=False),
        ],
        errors=[Bad(normal(2), normal(3), 0.5, error=ValueError, match="broadcast")],
    ),
    Row(
        ops.nan_to_num,
        lambda x, nan=0.0, posinf=None, neginf=None: np.nan_to_num(x, True, nan, posinf, neginf),
        [S(normal(3)), S(SPECIAL, 2.0, 9.0, -7.0, smooth=False), S(values(nan, 1.0), smooth=False), S(INT8)],
        errors=[Bad(2.0, error=TypeError, match="needs a tensor for `input`")],
        covers=("replace_special",),
    ),
    Row(ops.positive, np.positive, [*unary(), S(INT8)], errors=[BOOL]),
    Row(
        ops.subtract,
        lambda x, y, alpha=1: x - alpha * y,
        [S(normal(3), normal(3)), S(normal(2, 3), normal(3), alpha=0.5), S(integers(0, 9, 3), 2, alpha=3)],
    ),
    Row(
        ops.mul_no_nan,
        lambda x, y: np.where(y == 0, 0.0, x * np.where(y == 0, 1, y)) if np.result_type(x, y).kind == "f" else x * y,
        [*binary(positive), S(SMALL, SMALL)],
        errors=[SHAPES],
    ),
    Row(
        ops.gcd,
        np.gcd,
        [
            S(integers(-50, 50, 3, 7), integers(-50, 50, 7)),
            S(SMALL, np.int8([[0], [6]])),
            S(np.uint8([0, 8, 250]), 100),
            S(INT8[:0], 3),
        ],
        errors=[Bad(normal(2), 3, error=TypeError, match="needs signed integers")],
    ),
    Row(
        ops.lcm,
        np.lcm,
        [S(integers(-50, 50, 3, 7), integers(-50, 50, 7)), S(np.int8([0, -3, 8]), np.int8([[0], [6]])), S(INT8[:0], 3)],
        errors=[Bad(normal(2), 3, error=TypeError, match="needs signed integers")],
    ),
    Row(
        ops.squared_difference,
        lambda x, y: (x - y) ** 2,
        [S(normal(2, 3), normal(3)), S(integers(0, 9, 3), 2)],
        errors=[Bad(bools(2), bools(2), error=TypeError, match="needs signed integers")],
    ),
    Row(
        ops.addn,
        lambda x: x if isinstance(x, np.ndarray) else sum(x),
        [S([normal(2, 3), normal(3), normal(2, 1)]), S((normal(3),)), S(normal(3)), S([INT8, INT8])],
        errors=[
            Bad([], error=TypeError, match="needs a list or tuple"),
            Bad(3, error=TypeError, match="needs a list or tuple"),
        ],
    ),
    Row(
        ops.nextafter,
        lambda x, y: x,  # which number is next depends on the type: see tests/kernel/test_bodies.py
        [S(normal(3, 4), normal(4)), S(normal(3), 1.0), S(normal(0, 2), 1.0)],
        errors=[SHAPES, Bad(3, 4, error=TypeError, match="floating point")],
        grad=False,
        why="a step between numbers",
    ),
]
