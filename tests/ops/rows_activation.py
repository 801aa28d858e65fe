"""Rows of the op table: activation functions."""

import numpy as np
from row import Bad, Row, S, integers, normal, spread, uniform, values
from scipy import special

from anfora import ops

INF, NAN = np.inf, np.nan
HALVES = ("float32", "float64", "float16", "bfloat16")
TEXT = Bad("text", error=TypeError, match="needs a tensor")


def _samples(*extremes, kinks=False):
    """Numbers of several shapes, and special ones: those where a function is at its limits."""
    around = spread if kinks else normal
    return [
        S(around(3, 5)),
        S(2.5 * around(2, 1, 3)),
        S(normal(0, 2)),
        S(np.array(0.75)),
        S(values(0.0, -0.0, 1e-6, -1e-6, INF, NAN, *extremes), smooth=False),
    ]


def _row(op, ref, *, extremes=(-INF, 1e4, -1e4, 30.0, -30.0, 7.0, -7.0, 3.0, -3.0), kinks=False, more=(), **rest):
    samples = [*_samples(*extremes, kinks=kinks), *more]
    return Row(op, ref=ref, samples=samples, errors=[TEXT, *rest.pop("errors", ())], dtypes=HALVES, **rest)


def _at_infinity(function, left):
    """A function whose formula is not a number at -infinity."""
    return lambda x, *rest, **more: np.where(x == -INF, left, function(x, *rest, **more))


def _expm1(x):
    return np.expm1(np.minimum(x, 0))


def _elu(x, alpha=1.0):
    return np.where(x > 0, x, alpha * _expm1(x))


def _celu(x, alpha=1.0):
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x / alpha, 0)))


def _selu(x):
    return 1.0507009873554805 * _elu(x, 1.6732632423543772)


def _softplus(x, beta=1, threshold=20):
    return np.where(x * beta > threshold, x, np.logaddexp(0, x * beta) / beta)


def _sigmoid(x):
    return special.expit(x)


def _gelu(x, approximate="none"):
    x = np.asarray(x, np.float64)
    if approximate == "tanh":
        near = np.clip(x, -1e3, 1e3)  # 1 + tanh(a) is 2 sigmoid(2 a)
        return x * special.expit(2 * np.sqrt(2 / np.pi) * (near + 0.044715 * near**3))
    return x * special.ndtr(x)


def _tanhshrink(x):
    return np.where(np.abs(x) < 1e-2, x**3 / 3 - 2 * x**5 / 15, x - np.tanh(x))


def _mish(x):
    return x * np.tanh(np.logaddexp(0, x))


def _softsign(x):
    return np.where(np.isinf(x), np.sign(x), x / (1 + np.abs(x)))


def _prelu(x, w):
    w = w.reshape(-1, *(1,) * (x.ndim - 2)) if x.ndim > 1 else w[0]
    return np.where(x > 0, x, x * w)


def _glu(x, axis=-1):
    a, b = np.split(x, 2, axis)
    return a * special.expit(b)


NUMBER = Bad(normal(2), np.array(0.5), error=TypeError, match="needs a number for")

ROWS = [
    Row(
        ops.relu,
        ref=lambda x: np.maximum(x, 0),
        samples=[*_samples(-INF, kinks=True), S(integers(-5, 6, 4, dtype=np.int8))],
        errors=[TEXT, Bad(np.array([True]), error=TypeError, match="floating point")],
        dtypes=HALVES,
        covers=["relu_gradient"],
    ),
    _row(ops.relu6, lambda x: np.clip(x, 0, 6), kinks=True),
    _row(
        ops.hardtanh,
        lambda x, min_val=-1, max_val=1: np.clip(x, min_val, max_val),
        kinks=True,
        more=[S(2 * spread(3, 4), -0.4, 0.8), S(2 * spread(5), max_val=2)],
        errors=[Bad(normal(2), max_val=np.array(0.5), error=TypeError, match="needs a number for `max_val`")],
        covers=["hardtanh_gradient"],
    ),
    _row(ops.hardsigmoid, lambda x: np.clip(x / 6 + 0.5, 0, 1), kinks=True),
    _row(
        ops.hardswish,
        _at_infinity(lambda x: x * np.clip(x / 6 + 0.5, 0, 1), 0.0),
        kinks=True,
        more=[S(3 * spread(3, 4))],
        covers=["hardswish_gradient"],
    ),
    _row(
        ops.leaky_relu,
        lambda x, alpha=0.2: np.where(x > 0, x, x * alpha),
        kinks=True,
        more=[
            S(spread(3, 4), 0.5),
            S(spread(5), alpha=2),
            S(spread(3, 4), uniform(0, 1, 4)),
            S(spread(3, 2), np.array(0.3)),
        ],
        errors=[Bad(normal(2), normal(3), error=ValueError, match="cannot be broadcast")],
        covers=["leaky_relu_gradient"],
    ),
    Row(
        ops.prelu,
        ref=_prelu,
        samples=[
            S(spread(3, 4), uniform(0, 1, 4)),
            S(spread(2, 3, 2), uniform(0, 1, 3)),
            S(spread(2, 3, 2), uniform(0, 1, 1)),
            S(spread(4), uniform(0, 1, 1)),
            S(np.array(-2.0), uniform(0, 1, 1)),
            S(normal(0, 3), uniform(0, 1, 3)),
        ],
        errors=[
            Bad(normal(2, 3), normal(2), error=ValueError, match=r"`weight` of shape \[3\] or \[1\]"),
            Bad(normal(3), normal(3), error=ValueError, match="`weight` of shape"),
        ],
        dtypes=HALVES,
    ),
    _row(
        ops.hardshrink,
        lambda x, lambd=0.5: np.where(np.abs(x) <= lambd, 0, x),
        extremes=(0.5, -0.5, -INF),
        kinks=True,
        more=[S(spread(3, 4), 0.31), S(spread(4), lambd=0)],
        errors=[NUMBER],
        covers=["shrink_gradient"],
    ),
    _row(
        ops.softshrink,
        lambda x, lambd=0.5: np.where(np.abs(x) <= lambd, 0, x - np.sign(x) * lambd),
        extremes=(0.5, -0.5, -INF),
        kinks=True,
        more=[S(spread(3, 4), 0.31), S(spread(4), lambd=0)],
        errors=[NUMBER],
    ),
    Row(
        ops.threshold,
        ref=lambda x, thr, value: np.where(x <= thr, value, x),
        samples=[
            S(spread(3, 4), 0.2, -7.0),
            S(spread(5), thr=0, value=1),
            S(normal(0, 2), 0.0, 0.0),
            S(values(0.0, -0.0, INF, -INF, NAN, 0.5), 0.5, 2.0, smooth=False),
            S(integers(-5, 6, 9), 0, 3),
        ],
        errors=[Bad(normal(2), normal(1), 0.0, error=TypeError, match="needs a number for `thr`")],
        dtypes=HALVES,
        covers=["threshold_gradient"],
    ),
    _row(ops.sigmoid, _sigmoid, covers=["sigmoid_gradient"]),
    _row(ops.tanh, np.tanh, covers=["tanh_gradient"]),
    _row(ops.logsigmoid, lambda x: -np.logaddexp(0, -x)),
    _row(
        ops.softplus,
        _softplus,
        more=[S(normal(3, 4), 0.5, 3), S(normal(3, 4), beta=2.0), S(5 * normal(3, 4), 3, 1.5)],
        errors=[NUMBER],
        covers=["softplus_gradient"],
    ),
    _row(ops.softsign, _softsign, kinks=True),
    _row(ops.tanhshrink, _tanhshrink, more=[S(0.2 * normal(3, 4))]),
    _row(ops.silu, _at_infinity(lambda x: x * _sigmoid(x), 0.0), covers=["silu_gradient"]),
    _row(
        ops.gelu,
        _at_infinity(_gelu, 0.0),
        more=[
            S(normal(3, 4), "tanh"),
            S(values(-INF, INF, NAN, 1e4, -1e4, -12.0, -3.0), approximate="tanh", smooth=False),
        ],
        errors=[Bad(normal(2), "erf", error=ValueError, match="'none' or 'tanh'")],
        covers=["gelu_gradient"],
    ),
    _row(ops.fast_gelu, _at_infinity(lambda x: x * _sigmoid(1.702 * x), 0.0)),
    _row(ops.mish, _at_infinity(_mish, 0.0), covers=["mish_gradient"]),
    _row(ops.elu, _elu, kinks=True, more=[S(spread(3, 4), 0.3)], errors=[NUMBER], covers=["elu_gradient"]),
    _row(ops.celu, _celu, kinks=True, more=[S(spread(3, 4), 0.3)], errors=[NUMBER]),
    _row(ops.selu, _selu, kinks=True),
    Row(
        ops.glu,
        ref=_glu,
        samples=[S(normal(3, 4)), S(normal(2, 4, 3), 1), S(normal(6), axis=0), S(normal(0, 2)), S(normal(2, 0))],
        errors=[
            Bad(normal(3, 3), error=ValueError, match="even length"),
            Bad(normal(2, 4), 2, error=ValueError, match="must be in"),
            Bad(np.array(1.0), error=ValueError, match="even length"),
        ],
        dtypes=HALVES,
        tol={"float16": 4e-3, "bfloat16": 3e-2},
    ),
]
