"""Scalar bodies of activation functions and of their gradients.

Each is written so that neither large nor small results are lost: what decays like e ** x is multiplied by 2 ** n at the
very end, and 1 + erf, or 1 + tanh, which would cancel, never comes up.
"""

from __future__ import annotations

import math
import struct

from anfora.kernel import bodies, double
from anfora.kernel.bodies import (
    absolute,
    clip,
    copysign,
    exp_negative,
    exp_parts,
    expm1,
    fma,
    horner,
    is_nan,
    ldexp,
    log1p_unit,
    relu,
    select,
)  # fmt: skip
from anfora.kernel.emit import Value

__all__ = [
    "elu", "elu_gradient", "fast_gelu", "gelu", "gelu_gradient", "gelu_tanh", "gelu_tanh_gradient", "hardsigmoid",
    "hardswish", "hardswish_gradient", "logsigmoid", "mish", "mish_gradient", "sigmoid_gradient", "silu", "silu_gradient",
    "softplus", "softplus_gradient", "tanh_gradient", "tanhshrink",
]  # fmt: skip


def sigmoid_gradient(g: Value, y: Value) -> Value:
    """g y (1 - y), for y = sigmoid(x)."""
    return g * (y * (1.0 - y))


def tanh_gradient(g: Value, y: Value) -> Value:
    """g (1 - y²), for y = tanh(x)."""
    return g * fma(-y, y, 1.0)


def tanhshrink(x: Value) -> Value:
    """x - tanh(x); by the series of tanh where that is short, as the difference would cancel."""
    z = x * x
    small = horner(z, [-1382 / 155925, 62 / 2835, -17 / 315, 2 / 15, -1 / 3]) * z * -x
    return select(absolute(x) < (0.1 if x.type.elem == "f64" else 0.4), small, x - bodies.tanh(x))


# -- x times a distribution function ------------------------------------------------------------------------------


def _logistic(x: Value, low: Value | None = None) -> tuple[Value, Value, Value, Value]:
    """(v, n, e, 1 + e) where e = (1 + v) 2 ** n is e ** -|x + low|; -|x| is clipped where nothing of it is left."""
    lowest = -790.0 if x.type.elem == "f64" else -112.0
    near = -absolute(x)
    near = select(near < lowest, lowest, near)
    v, n = exp_parts(near, None if low is None else select(x > 0.0, -low, low))
    e = ldexp(v + 1.0, n)
    return v, n, e, e + 1.0


def _times_exp(a: Value, v: Value, n: Value) -> Value:
    """a (1 + v) 2 ** n, rounded once where it is denormal."""
    return ldexp(fma(a, v, a), n)


def silu(x: Value) -> Value:
    """x sigmoid(x) [2.5 ulp]."""
    v, n, _, total = _logistic(x)
    falling = _times_exp(select(x < -1e3, -1e3, x), v, n)
    return select(x < 0.0, falling, x) / total


def silu_gradient(g: Value, x: Value) -> Value:
    """g s (1 + x (1 - s)), for s = sigmoid(x)."""
    _, _, e, total = _logistic(x)
    left = x < 0.0
    s, rest = select(left, e, 1.0) / total, select(left, 1.0, e) / total
    near = clip(x, -1e3, 1e3)
    return g * (s * fma(near, rest, 1.0))


_TAIL_P = [4.07060794532299e-3, 4.034306854009628e-2, 1.8240055441856384e-1, 4.3720918893814087e-1, 0.5]
_TAIL_Q = [
    1.0203375481069088e-2, 1.0113177448511124e-1, 4.672594368457794e-1, 1.1991022825241089, 1.6723031997680664, 1.0,
]  # fmt: skip
_DENSITY = 1 / math.sqrt(2 * math.pi)  # of the standard normal distribution at 0


def _normal_tail(x: Value) -> tuple[Value, Value, Value, Value, Value]:
    """(t, t², q, v, n) for float32: Phi(-t) = p / q · e ** (-t²/2) where t = |x|, e ** (-t²/2) = (1 + v) 2 ** n.

    p / q is Mills' ratio, as a quotient of polynomials with positive coefficients; t² is kept in two parts. t is clipped
    where nothing is left.
    """
    t = absolute(x)
    t = select(t > 15.0, 15.0, t)
    square = t * t
    v, n = exp_parts(-0.5 * square, fma(t, t, -square) * -0.5)
    return t, square, horner(t, _TAIL_Q), v, n


def gelu(x: Value) -> Value:
    """x Phi(x), with the standard normal distribution function Phi, as max(x, 0) - |x| Phi(-|x|) [1.1 ulp for x > 1,
    3 ulp for |x| < 1, 5 ulp far on the left]."""
    if x.type.elem == "f64":
        result = x * 0.5 * double.erfc(x * -math.sqrt(0.5))
        return select(x < -40.0, copysign(x.fn.const(0.0, x.type), x), result)
    t, square, q, v, n = _normal_tail(x)
    weighted = fma(square, horner(t, _TAIL_P[:-1]), t * _TAIL_P[-1])  # t p
    tail = ldexp(fma(weighted, v, weighted) / q, n)
    return copysign(relu(x) - tail, x)


def gelu_gradient(g: Value, x: Value) -> Value:
    """g (Phi(x) + x phi(x)), with the standard normal density phi."""
    if x.type.elem == "f64":
        near = clip(x, -40.0, 40.0)
        return g * (0.5 * double.erfc(near * -math.sqrt(0.5)) + near * (bodies.exp(-0.5 * near * near) * _DENSITY))
    t, _, q, v, n = _normal_tail(x)
    a = fma(t, -_DENSITY, horner(t, _TAIL_P) / q)
    left = ldexp(fma(a, v, a), n)
    return g * select(x < 0.0, left, 1.0 - left)


_GELU_SLOPE = 2 * math.sqrt(2 / math.pi)
_GELU_CUBE = 0.044715 * _GELU_SLOPE
_GELU_FAR = 23.0


def _gelu_argument(x: Value) -> tuple[Value, Value]:
    """(high, low): 2 sqrt(2 / pi) (x + 0.044715 x³) in two parts, |x| clipped where sigmoid of it is 0 or 1.

    The argument's rounding error would be the relative error of a small sigmoid, so every step keeps what it loses.
    """
    x = clip(x, -_GELU_FAR, _GELU_FAR)
    if x.type.elem == "f64":
        return x * fma(x * x, _GELU_CUBE, _GELU_SLOPE), x.fn.const(0.0, x.type)
    slope, cube = x.fn.const(_GELU_SLOPE, x.type), x.fn.const(_GELU_CUBE, x.type)
    square = x * x
    product = square * cube
    factor = product + slope
    lost = select(product > slope, slope - (factor - product), product - (factor - slope)) + _single_error(_GELU_SLOPE)
    lost = lost + fma(square, cube, -product)
    lost = fma(square, _single_error(_GELU_CUBE), fma(fma(x, x, -square), cube, lost))
    high = x * factor
    return high, fma(x, lost, fma(x, factor, -high))


def _single_error(value: float) -> float:
    """What is lost when a number becomes float32."""
    return value - struct.unpack("<f", struct.pack("<f", value))[0]


def gelu_tanh(x: Value) -> Value:
    """x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x³))), as x sigmoid of twice that [2.5 ulp]."""
    v, n, _, total = _logistic(*_gelu_argument(x))
    falling = _times_exp(select(x < -1e3, -1e3, x), v, n)
    return select(x < 0.0, falling, x) / total


def gelu_tanh_gradient(g: Value, x: Value) -> Value:
    """g s (1 + x (1 - s) a') for s = sigmoid(a(x)), a = 2 sqrt(2 / pi) (x + 0.044715 x³)."""
    _, _, e, total = _logistic(*_gelu_argument(x))
    left = x < 0.0
    s, rest = select(left, e, 1.0) / total, select(left, 1.0, e) / total
    near = clip(x, -_GELU_FAR, _GELU_FAR)
    slope = fma(near * near, 3 * _GELU_CUBE, _GELU_SLOPE)
    return g * (s * fma(near * slope, rest, 1.0))


def fast_gelu(x: Value) -> Value:
    """x sigmoid(1.702 x)."""
    return silu(x * 1.702) / 1.702


def mish(x: Value) -> Value:
    """x tanh(softplus(x)) [2.5 ulp]: with e = e ** -|x|, x (1 + 2e) / (1 + 2e + 2e²) on the right and
    x e (e + 2) / (e (e + 2) + 2) on the left."""
    v, n, e, _ = _logistic(x)
    left = x < 0.0
    falling = _times_exp(select(x < -1e3, -1e3, x), v, n) * (e + 2.0)
    rising = fma(e, 2.0, 1.0)
    below = select(left, fma(e, e + 2.0, 2.0), fma(e + e, e, rising))
    return select(left, falling, x * rising) / below


def mish_gradient(g: Value, x: Value) -> Value:
    """g (t + x (1 - t²) sigmoid(x)), for t = tanh(softplus(x))."""
    _, _, e, total = _logistic(x)
    left = x < 0.0
    s = select(left, e, 1.0) / total
    above = select(left, e * (e + 2.0), fma(e, 2.0, 1.0))
    gap = select(left, 2.0, 2.0 * e * e)
    below = above + gap
    t, rest = above / below, gap / below  # t and 1 - t
    near = clip(x, -1e3, 1e3)
    return g * fma(near * s, rest * (t + 1.0), t)


# -- softplus and the exponential unit ----------------------------------------------------------------------------


def softplus(x: Value, beta: Value, threshold: Value) -> Value:
    """log(1 + e ** (beta x)) / beta, x itself where beta x is above the threshold [1.6 ulp for beta 1]."""
    scaled = x * beta
    return select(scaled > threshold, x, (relu(scaled) + log1p_unit(exp_negative(-absolute(scaled)))) / beta)


def softplus_gradient(g: Value, x: Value, beta: Value, threshold: Value) -> Value:
    """g sigmoid(beta x), g itself where beta x is above the threshold."""
    scaled = x * beta
    return select(scaled > threshold, g, g * bodies.sigmoid(scaled))


def logsigmoid(x: Value) -> Value:
    """log(sigmoid(x)) = min(x, 0) - log(1 + e ** -|x|) [1.6 ulp]. LLVM gives a negated sum that is NaN either sign, and
    not the same in all loops; so NaN is passed on as it is."""
    return select(is_nan(x), x, -(relu(-x) + log1p_unit(exp_negative(-absolute(x)))))


def elu(x: Value, alpha: Value | float, rate: Value | float) -> Value:
    """x, or alpha (e ** (rate x) - 1) where it is negative [2 ulp]."""
    return select(x > 0.0, x, expm1(x * rate) * alpha)


def elu_gradient(g: Value, x: Value, alpha: Value, rate: Value) -> Value:
    """g, or g alpha rate e ** (rate x) where x is not positive."""
    return select(x > 0.0, g, g * (alpha * rate * bodies.exp(x * rate)))


# -- piecewise polynomials ----------------------------------------------------------------------------------------


def hardsigmoid(x: Value) -> Value:
    """(x + 3) / 6 brought into [0, 1]."""
    return clip(x + 3.0, 0.0, 6.0) / 6.0


def hardswish(x: Value) -> Value:
    """x hardsigmoid(x)."""
    return select(x <= -3.0, 0.0, x * (clip(x + 3.0, 0.0, 6.0) / 6.0))


def hardswish_gradient(g: Value, x: Value) -> Value:
    """g x / 3 + g / 2 between -3 and 3, 0 on the left and g on the right."""
    slope = fma(x, 1 / 3, 0.5)
    return g * select(x <= -3.0, 0.0, select((x < 3.0) | is_nan(x), slope, 1.0))
