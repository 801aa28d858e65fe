"""Rows of the op table: powers, exponentials, logarithms, angles, the error function, the gamma function."""

import numpy as np
from row import Bad, Row, S, bools, integers, normal, positive, uniform, values
from scipy import special

from anfora import ops
from anfora.ops import mathematics
from anfora.ops import special as series

inf, nan = np.inf, np.nan
HALVES = ("float16", "bfloat16", "float32", "float64")
SPECIAL = values(0.0, -0.0, 1.0, -1.0, 0.5, -2.0, inf, -inf, nan)
ROW, COLUMN = SPECIAL.reshape(1, -1), SPECIAL.reshape(-1, 1)
POWERS = values(0.0, -0.0, 1.0, 2.0, 3.0, -1.0, -2.0, -3.0, 0.5, -0.5, inf, -inf, nan).reshape(-1, 1)
BESSEL = values(0.0, 19.5, -20.5, 60.0, nan)
FAR = values(0.0, 1e-8, 1.99, 2.0, 10.0, 24.9, 25.1, 60.0, 1e3, nan)
SHAPE_OF_GAMMA = values(0.1, 1.0, 9.9, 10.1, 300.0, 2e5, 3e8, 0.0, inf, -1.0, nan).reshape(-1, 1)
ENDS_OF_ZETA = values(0.0, -1.0, -0.5, 0.25, 100.0, 1e9, nan, inf)
END_OF_GAMMA = values(0.0, 0.5, 9.0, 12.0, 310.0, 2.002e5, 3e8, inf, -1.0, nan)
INTEGERS = np.array([1, 2, 3], np.int32)
SHAPES = Bad(normal(2, 3), normal(4), error=ValueError, match="cannot be broadcast: 3 != 4")
TEXT = Bad("text", error=TypeError, match="needs a tensor")


def unary(function, ref, make=normal, special=SPECIAL, lifted=INTEGERS, **options):
    """The row of a function of one element: several shapes, empty, special values, integers."""
    calls = [S(make(3, 5)), S(make()), S(make(0, 2)), S(make(2, 67), smooth=False), S(special, smooth=False)]
    if lifted is not None:
        calls.append(S(lifted))
    return Row(function, ref, calls, errors=[TEXT], **options)


def binary(make=normal, other=None, special=True):
    other = other or make
    calls = [
        S(make(3, 4), other(3, 4)),
        S(make(2, 1, 3), other(4, 1)),
        S(make(3), 2.25),
        S(0.75, other(3)),
        S(make(0, 3), other(3)),
        S(make(3, 70), other(3, 1), smooth=False),
    ]
    return calls + ([S(ROW, COLUMN, smooth=False)] if special else [])


def within(*shape):
    """Numbers between -1 and 1, away from these."""
    return uniform(-0.95, 0.95, *shape)


def above_one(*shape):
    return uniform(1.2, 4.0, *shape)


def off_the_poles(*shape):
    """Numbers between -3 and 4, a quarter away from whole ones at least."""
    return np.floor(uniform(-3.0, 4.0, *shape)) + uniform(0.25, 0.75, *shape)


def log_of(x, base):
    return np.log(x) / np.log(base)


def logit(x, eps=None):
    return special.logit(x if eps is None else np.clip(x, eps, 1 - eps))


def xdivy(x, y):
    return np.where((x == 0) & ~np.isnan(y), 0.0, x / np.where((x == 0) & (y == 0), 1.0, y))


def slope(x, y):
    return np.where(y == 0, 0.0, y * np.float64(x) ** (y - 1))


def integer_power(x, y):
    return np.power(x, y, dtype=np.result_type(x, y))


def power(x, y):
    kind = np.result_type(x, y).kind
    return integer_power(x, y) if kind in "iu" else np.float_power(x, y)


LOOSE = {"float32": 5e-6}  # results are large


def igamma_by_end(shape, x):
    return series.igamma_by_end(shape, x)


def betainc_of_tensors(x, a, b):
    return ops.betainc(a, b, x)


def zeta_of_tensors(q, s):
    return ops.zeta(s, q)


ROWS = [
    unary(ops.sqrt, np.sqrt, positive),
    unary(ops.rsqrt, lambda x: 1 / np.sqrt(x), positive),
    Row(
        ops.pow,
        power,
        [
            *binary(positive, normal, special=False),
            *(S(normal(3, 4), exponent) for exponent in (0, 1, 2, 3, 4, -1, -2)),
            S(positive(3), 2.5),
            S(positive(3), -0.5),
            S(ROW, POWERS, smooth=False),
            S(integers(-9, 9, 5), 3),
            S(INTEGERS, np.int32([[0], [5], [40]])),
            S(2, np.uint8([0, 3, 9])),
            S(INTEGERS, 0.5),
        ],
        errors=[
            SHAPES,
            Bad(
                INTEGERS,
                np.int32([1, 2, -1]),
                error=ValueError,
                match=r"negative integer power is no integer, at \[2\]",
            ),
            Bad(bools(2), bools(2), error=TypeError, match="needs signed integers"),
        ],
        dtypes=HALVES,
        covers=("times_log",),
        tol=LOOSE,
    ),
    Row(
        mathematics.power_slope,
        slope,
        [
            *binary(positive, normal, special=False),
            S(normal(4), 3),
            S(values(0.0, 2.0), values(0.0, 0.0), smooth=False),
        ],
        errors=[SHAPES],
        tol=LOOSE,
    ),
    Row(ops.float_power, np.float_power, [S(positive(3), normal(3)), S(INTEGERS, 0.5), S(2, normal(2)), S(2, -1)]),
    unary(ops.exp, np.exp, dtypes=HALVES, tol=LOOSE),
    unary(ops.exp2, np.exp2, tol=LOOSE),
    unary(ops.expm1, np.expm1, tol=LOOSE),
    Row(
        ops.ldexp,
        lambda x, y: x * 2.0**y,
        [*binary(special=False), S(normal(3), np.int32([-1, 0, 5]))],
        errors=[SHAPES],
        tol=LOOSE,
    ),
    unary(ops.log, np.log, positive, dtypes=HALVES),
    unary(ops.log1p, np.log1p, positive),
    unary(ops.log2, np.log2, positive),
    unary(ops.log10, np.log10, positive),
    Row(ops.logaddexp, np.logaddexp, [*binary(), S(normal(2, 3), normal(3) + 40)], errors=[SHAPES]),
    Row(ops.logaddexp2, np.logaddexp2, binary(), errors=[SHAPES]),
    Row(
        ops.xlogy,
        special.xlogy,
        [*binary(normal, positive), S(values(0.0, 0.0), values(2.0, 3.0))],
        errors=[SHAPES],
        covers=("times_log",),
    ),
    Row(
        mathematics.times_log,
        lambda f, x, unless: np.where(unless, 0.0, f * np.log(np.abs(x))),
        [S(normal(4), positive(4), bools(4)), S(normal(3), 0.0, np.ones(3, bool), smooth=False)],
    ),
    Row(ops.xdivy, xdivy, binary(normal, positive), errors=[SHAPES]),
    Row(
        ops.logit,
        logit,
        [
            S(uniform(0.05, 0.95, 3, 4)),
            S(values(0.0, 1.0, 0.5, 2.0, nan), smooth=False),
            S(values(0.02, 0.3, 0.5, 0.99), eps=0.125),
        ],
    ),
    unary(ops.sin, np.sin),
    unary(ops.cos, np.cos),
    unary(ops.tan, np.tan, within),
    unary(ops.asin, np.arcsin, within, lifted=np.int32([-1, 0, 1])),
    unary(ops.acos, np.arccos, within, lifted=np.int32([-1, 0, 1])),
    unary(ops.atan, np.arctan),
    Row(ops.atan2, np.arctan2, binary(), errors=[SHAPES]),
    Row(ops.hypot, np.hypot, binary(), errors=[SHAPES]),
    unary(ops.deg2rad, np.deg2rad),
    unary(ops.rad2deg, np.rad2deg),
    unary(ops.sinh, np.sinh, tol=LOOSE),
    unary(ops.cosh, np.cosh, tol=LOOSE),
    unary(ops.asinh, np.arcsinh),
    unary(ops.acosh, np.arccosh, above_one),
    unary(ops.atanh, np.arctanh, within, lifted=np.int32([0])),
    unary(ops.erf, special.erf),
    unary(ops.erfc, special.erfc),
    unary(ops.erfinv, special.erfinv, within, lifted=np.int32([0, 1])),
    unary(ops.lgamma, special.gammaln, off_the_poles, values(1.0, 2.0, 0.0, -1.0, -2.0, inf, nan, 1e10, -0.25)),
    unary(ops.digamma, special.digamma, off_the_poles, values(1.0, 0.0, -0.0, -1.0, -2.0, inf, nan, 1e10), tol=LOOSE),
    Row(
        ops.polygamma,
        special.polygamma,
        [S(0, positive(3)), S(1, positive(3, 2)), S(2, positive(3)), S(5, positive(3)), S(np.array(1), positive(2))],
        errors=[
            Bad(-1, positive(2), error=ValueError, match="from 0 to 100"),
            Bad(1.5, positive(2), error=TypeError, match="integer for `n`"),
        ],
        covers=("derivative_of_digamma",),
        tol={"float64": 1e-11},
    ),
    unary(ops.sinc, np.sinc),
    unary(ops.angle, np.angle, grad=False, why="constant between its steps"),
    Row(
        ops.mvlgamma,
        special.multigammaln,
        [S(above_one(3, 2), 1), S(above_one(4) + 1.0, 3)],
        errors=[
            Bad(positive(2), 0, error=ValueError, match="1 or more"),
            Bad(positive(2), 2**70, error=ValueError, match="at most 4096"),
            Bad(positive(2), 1.5, error=TypeError, match="integer for `p`"),
        ],
    ),
    unary(ops.bessel_i0, special.i0, special=BESSEL, covers=("bessel_i",)),
    unary(ops.bessel_i0e, special.i0e, special=BESSEL),
    unary(ops.bessel_i1, special.i1, special=BESSEL),
    unary(ops.bessel_i1e, special.i1e, special=BESSEL),
    unary(ops.bessel_j0, special.j0, special=FAR),
    unary(ops.bessel_j1, special.j1, special=FAR),
    unary(ops.bessel_y0, special.y0, positive, special=FAR),
    unary(ops.bessel_y1, special.y1, positive, special=FAR),
    unary(ops.bessel_k0, special.k0, positive, special=FAR),
    unary(ops.bessel_k0e, special.k0e, positive, special=FAR),
    unary(ops.bessel_k1, special.k1, positive, special=FAR),
    unary(ops.bessel_k1e, special.k1e, positive, special=FAR),
    Row(
        ops.igamma,
        special.gammainc,
        [*binary(positive, special=False), S(SHAPE_OF_GAMMA, END_OF_GAMMA, smooth=False)],
        second=False,
        why="the second derivative by the shape is refused",
        errors=[SHAPES],
        tol=LOOSE,
        covers=("igamma_by_shape",),
    ),
    Row(
        ops.igammac,
        special.gammaincc,
        [*binary(positive, special=False), S(SHAPE_OF_GAMMA, END_OF_GAMMA, smooth=False)],
        second=False,
        why="the second derivative by the shape is refused",
        errors=[SHAPES],
        tol=LOOSE,
    ),
    Row(
        igamma_by_end,
        lambda shape, x: np.exp(special.xlogy(shape - 1, x) - x - special.gammaln(shape)),
        [*binary(positive, special=False), S(SHAPE_OF_GAMMA[:5], values(0.5, 2.0, 7.0, 11.0), smooth=False)],
        covers=("igamma_by_end",),
        tol=LOOSE,
    ),
    Row(
        betainc_of_tensors,
        lambda x, a, b: special.betainc(a, b, x),
        [
            S(uniform(0.1, 0.9, 3, 4), 2.5, 1.5),
            S(uniform(0.1, 0.9, 3, 1), 0.5, 3.0),
            S(values(0.0, 0.25, 1.0, -0.5, 1.5, nan), 2.0, 0.75, smooth=False),
            S(0.3, positive(4, 1), positive(3), smooth=False),
            S(0.97, values(200.0, 1e-3, 40.0), values(3.0, 2.0, 300.0), smooth=False),
        ],
        covers=("betainc",),
        tol=LOOSE,
    ),
    Row(
        zeta_of_tensors,
        lambda q, s: special.zeta(s, q),
        [
            S(positive(3, 4), 2.5),
            S(positive(2, 1), 1.25),
            S(positive(3), 9.0),
            S(
                values(0.0, -1.0, -0.5, 0.25, 100.0, 1e9, nan, inf),
                values(1.0, 2.0, 3.0, 1.5, 0.5).reshape(-1, 1),
                smooth=False,
            ),
        ],
        covers=("zeta",),
        tol=LOOSE,
    ),
]
