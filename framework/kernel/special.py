"""Scalar bodies, continued: inverse and hyperbolic functions, the error function, the gamma function.

What is seldom the bottleneck is computed in double precision with series of 39 bits or more and rounded once, which
makes it right to half an ulp of float32 without any care for its intermediate steps. For float64 it is another body, in
`double.py`.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

from anfora.kernel import bodies, double
from anfora.kernel.bodies import absolute, clip, copysign, fma, horner, is_nan, select, sqrt, wide_exp, wide_log
from anfora.kernel.emit import Value

__all__ = [
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "bessel_i", "cosh", "digamma", "erfc", "erfinv", "hypot",
    "lgamma", "polygamma", "sinc", "sinh", "tan",
]  # fmt: skip


def _widened(name: str) -> Callable[[Callable], Callable]:
    """For a body in double precision: float32 goes through it, float64 to its own."""

    def make(body: Callable) -> Callable:
        @functools.wraps(body)
        def chosen(*args: Value) -> Value:
            if args[0].type.elem == "f64":
                return getattr(double, name)(*args)
            return body(*(a.to("f64") for a in args)).to("f32")

        return chosen

    return make


# -- angles -------------------------------------------------------------------------------------------------------

_ATAN = [
    -3.79571155752361e-2, 6.993167166079667e-2, -8.997293226232721e-2, 1.1104055659319192e-1, -1.428542661411157e-1,
    1.999999440581376e-1, -3.3333333296429e-1,
]  # fmt: skip


def _angle(y: Value, x: Value) -> Value:
    """atan(y / x) for x, y >= 0, infinities included; 0 where both are 0. One division: of y by x, or of what the
    addition theorem leaves after an angle of pi / 4 or pi / 2 has been taken off, so that the quotient is small."""
    y, x = clip(y, 0.0, 1e200), clip(x, 0.0, 1e200)
    steep, middle = y > x * 2.414213562373095, y > x * 0.4142135623730950
    above = select(steep, -x, select(middle, y - x, y))
    below = select(steep, y, select(middle, y + x, x))
    t = select(y == x, 0.0, above / below)
    base = select(steep, math.pi / 2, select(middle, y.fn.const(math.pi / 4, y.type), 0.0))
    z = t * t
    angle = base + fma(t * z, horner(z, _ATAN), t)
    return select(is_nan(y) | is_nan(x), math.nan, angle)


@_widened("atan")
def atan(x: Value) -> Value:
    """Arc tangent [0.5 ulp]."""
    return copysign(_angle(absolute(x), x.fn.const(1.0, x.type)), x)


@_widened("atan2")
def atan2(y: Value, x: Value) -> Value:
    """The angle of the point (x, y), from -pi to pi, with the signed zeros of C99 [0.5 ulp]."""
    angle = _angle(absolute(y), absolute(x))
    return copysign(select(copysign(x.fn.const(1.0, x.type), x) < 0.0, math.pi - angle, angle), y)


@_widened("asin")
def asin(x: Value) -> Value:
    """Arc sine [0.5 ulp]."""
    return copysign(_angle(absolute(x), sqrt((1.0 - x) * (x + 1.0))), x)


@_widened("acos")
def acos(x: Value) -> Value:
    """Arc cosine [0.5 ulp]."""
    angle = _angle(sqrt((1.0 - x) * (x + 1.0)), absolute(x))
    return select(x < 0.0, math.pi - angle, angle)


def tan(x: Value) -> Value:
    """Tangent of an angle in radians [0.5 ulp]."""
    if x.type.elem == "f64":
        return double.tan(x)
    sine, cosine = bodies.sine_and_cosine(x)
    wide = x.to("f64")
    return select(x == 0.0, x, bodies.far_angles(wide, sine / cosine, "tan").to("f32"))


#: (-1)ᵏ π²ᵏ / (2 k + 1)! for k from 7 down.
_SINC = [
    -6.975873661656377e-6, 1.4842879303107092e-4, -2.3460810354558226e-3, 2.614784781765479e-2, -1.907518241220842e-1,
    8.117424252833535e-1, -1.6449340668482264, 1.0,
]  # fmt: skip


def sinc(x: Value) -> Value:
    """sin(pi x) / (pi x), 1 at 0 [0.5 ulp]. The angle is reduced before it is multiplied by pi: whole x give 0."""
    elem, x = x.type.elem, x.to("f64")
    n = bodies.rint(x)
    rest = x - n
    if elem == "f64":
        sine = double.sin(rest * math.pi) / math.pi
    else:
        sine = rest * horner(rest * rest, _SINC)
    half = n * 0.5
    sine = select(bodies.rint(half) != half, -sine, sine)
    return select(x == 0.0, 1.0, sine / x + 0.0).to(elem)


# -- hyperbolic functions -----------------------------------------------------------------------------------------


@_widened("sinh")
def sinh(x: Value) -> Value:
    """Hyperbolic sine [0.5 ulp]."""
    a = absolute(x)
    e = wide_exp(a)
    z = a * a
    small = fma(a * z, horner(z, [1 / 5040, 1 / 120, 1 / 6]), a)
    return copysign(select(a < 0.125, small, 0.5 * (e - 1.0 / e)), x)


@_widened("cosh")
def cosh(x: Value) -> Value:
    """Hyperbolic cosine [0.5 ulp]."""
    e = wide_exp(absolute(x))
    return 0.5 * (e + 1.0 / e)


@_widened("asinh")
def asinh(x: Value) -> Value:
    """Inverse hyperbolic sine [0.5 ulp]."""
    a = absolute(x)
    z = a * a
    small = fma(a * z, horner(z, [3 / 40, -1 / 6]), a)
    return copysign(select(a < 1e-3, small, wide_log(a + sqrt(z + 1.0))), x)


@_widened("acosh")
def acosh(x: Value) -> Value:
    """Inverse hyperbolic cosine [0.5 ulp]; NaN below 1."""
    return select(x < 1.0, math.nan, wide_log(x + sqrt((x - 1.0) * (x + 1.0))))


@_widened("atanh")
def atanh(x: Value) -> Value:
    """Inverse hyperbolic tangent [0.5 ulp]; infinite at -1 and 1, NaN beyond."""
    a = absolute(x)
    z = a * a
    small = fma(a * z, horner(z, [1 / 5, 1 / 3]), a)
    return copysign(select(a < 1e-3, small, 0.5 * wide_log((a + 1.0) / (1.0 - a))), x)


@_widened("hypot")
def hypot(x: Value, y: Value) -> Value:
    """sqrt(x² + y²) without overflow on the way [0.5 ulp]; infinite if either is, be the other NaN."""
    infinite = (absolute(x) == math.inf) | (absolute(y) == math.inf)
    return select(infinite, math.inf, sqrt(fma(x, x, y * y)))


# -- the error function -------------------------------------------------------------------------------------------

_ERFC_P = [
    2.803720288029709e-3, 3.2975879392596746e-2, 1.840088962651388e-1, 6.129617741399906e-1, 1.2827966146111778,
    1.6157053204834706, 1.0000000000010987,
]  # fmt: skip
_ERFC_Q = [
    4.969464122384863e-3, 5.844826440620718e-2, 3.286309682590207e-1, 1.115687024464617, 2.4341088099869013,
    3.379164377973926, 2.744084487770338, 1.0,
]  # fmt: skip


@_widened("erfc")
def erfc(x: Value) -> Value:
    """1 - erf(x), accurate where it is small [0.5 ulp]: e ** (-x²) p(x) / q(x) for positive x."""
    a = clip(absolute(x), 0.0, 10.3)
    tail = wide_exp(-a * a) * horner(a, _ERFC_P) / horner(a, _ERFC_Q)
    return select(x < 0.0, 2.0 - tail, tail)


_NEAR_A = [
    2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4, 4.5921953931549871457e4,
    1.3731693765509461125e4, 1.9715909503065514427e3, 1.3314166789178437745e2, 3.3871328727963666080,
]  # fmt: skip
_NEAR_B = [
    5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4, 2.1213794301586595867e4,
    5.3941960214247511077e3, 6.8718700749205790830e2, 4.2313330701600911252e1, 1.0,
]  # fmt: skip
_MIDDLE_C = [
    7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1, 1.27045825245236838258,
    3.64784832476320460504, 5.76949722146069140550, 4.63033784615654529590, 1.42343711074968357734,
]  # fmt: skip
_MIDDLE_D = [
    1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1,
    6.89767334985100004550e-1, 1.67638483018380384940, 2.05319162663775882187, 1.0,
]  # fmt: skip
_FAR_E = [
    2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3, 2.65321895265761230930e-2,
    2.96560571828504891230e-1, 1.78482653991729133580, 5.46378491116411436990, 6.65790464350110377720,
]  # fmt: skip
_FAR_F = [
    2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5, 7.86869131145613259100e-4,
    1.48753612908506148525e-2, 1.36929880922735805310e-1, 5.99832206555887937690e-1, 1.0,
]  # fmt: skip


def erfinv(x: Value) -> Value:
    """The inverse of erf [0.5 ulp]: the normal quantile of (1 + x) / 2 over sqrt(2), by algorithm AS 241 (Wichura,
    Applied Statistics 37, 1988); infinite at -1 and 1, NaN beyond."""
    elem, x = x.type.elem, x.to("f64")
    a = absolute(x)
    q = 0.5 * a
    z = 0.180625 - q * q
    r = sqrt(-(bodies.log if elem == "f64" else wide_log)(0.5 * (1.0 - a)))
    above, below = horner(r - 1.6, _MIDDLE_C), horner(r - 1.6, _MIDDLE_D)
    if elem == "f64":  # no smaller type has numbers so near to 1
        is_far = r > 5.0
        above = select(is_far, horner(r - 5.0, _FAR_E), above)
        below = select(is_far, horner(r - 5.0, _FAR_F), below)
    is_near = q <= 0.425
    above, below = select(is_near, q * horner(z, _NEAR_A), above), select(is_near, horner(z, _NEAR_B), below)
    y = above / below * math.sqrt(0.5)
    y = select(a == 1.0, math.inf, y)
    return copysign(select(a > 1.0, math.nan, y), x).to(elem)


# -- the gamma function -------------------------------------------------------------------------------------------


def lgamma(x: Value) -> Value:
    """log |gamma(x)| [0.5 ulp]; infinite at 0, -1, -2 …"""
    return double.lgamma(x.to("f64")).to(x.type.elem)


_BERNOULLI = [1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6]


@functools.cache
def polygamma(order: int) -> Callable[[Value], Value]:
    """The body of the derivative number `order` of digamma, in double precision [0.5 ulp in float32].

    Recurrence up to an argument of 10, then the asymptotic series; negative arguments are reflected:
    psi_n(x) = (-1)ⁿ psi_n(1 - x) - d ⁿ(pi cot(pi x)) / dxⁿ (Abramowitz & Stegun 6.4).
    """
    factorial = float(math.factorial(order))

    def power(x: Value, exponent: int) -> Value:
        result = None
        while exponent:
            if exponent & 1:
                result = x if result is None else result * x
            x, exponent = x * x, exponent >> 1
        return result if result is not None else x.fn.const(1.0, x.type)

    def positive(x: Value) -> Value:
        """(-1) ** (order + 1) psi_order(x) for x >= 1/2, up to the factorial."""
        total = x.fn.const(0.0, x.type)
        for _ in range(10):
            small = x < 10.0
            total = select(small, total + power(1.0 / x, order + 1), total)
            x = select(small, x + 1.0, x)
        y = 1.0 / x
        z = y * y
        if order == 0:
            series = -bodies.log(x) + 0.5 * y
            terms = [b / (2 * k) for k, b in enumerate(_BERNOULLI, 1)]
            return total + series + z * horner(z, terms[::-1])
        # Euler and Maclaurin's sum of (x + k) ** -(order + 1)
        rising = [
            b / math.factorial(2 * k) * math.prod(range(order + 1, order + 2 * k)) for k, b in enumerate(_BERNOULLI, 1)
        ]
        series = (1.0 / order) + y * 0.5 + z * horner(z, rising[::-1])
        return total + series * power(y, order)

    sign = -1.0 if order % 2 == 0 else 1.0
    reflection = _cotangent_derivative(order)

    def body(x: Value) -> Value:
        elem, x = x.type.elem, x.to("f64")
        left = x < 0.5
        result = positive(select(left, 1.0 - x, x)) * (sign * factorial)
        slot = x.fn.var(result)
        with x.fn.when(x.fn.any_lane(left)):
            cotangent = 1.0 / double.tan((x - bodies.rint(x)) * math.pi)
            mirrored = result * (1.0 if order % 2 == 0 else -1.0) - horner(cotangent, reflection)
            slot.set(select(left, mirrored, result))
        result = slot.value
        if order == 0:
            pole = (x < 0.0) & (x == bodies.floor(x))
            result = select(pole, math.nan, select(x == 0.0, copysign(x.fn.const(-math.inf, x.type), -x), result))
        return result.to(elem)

    body.__qualname__ = f"polygamma.{order}"
    return body


def _cotangent_derivative(order: int) -> list[float]:
    """The derivative number `order` of pi cot(pi x) as a polynomial in the cotangent, highest power first."""
    coefficients = [0.0, math.pi]  # lowest first
    for _ in range(order):
        slope = [k * c for k, c in enumerate(coefficients)][1:]
        coefficients = [-math.pi * (a + b) for a, b in zip([*slope, 0.0, 0.0], [0.0, 0.0, *slope])]
    return coefficients[::-1]


digamma = polygamma(0)


# -- Bessel functions ---------------------------------------------------------------------------------------------


@functools.cache
def bessel_i(order: int, is_scaled: bool) -> Callable[[Value], Value]:
    """The body of the modified Bessel function of the first kind, of a whole order from 0 to 8, in double precision
    [0.5 ulp in float32]; scaled, it is multiplied by e ** -|x|.

    The power series up to |x| = 20, all of whose terms are positive; beyond, the asymptotic series (Abramowitz & Stegun
    9.6.10 and 9.7.1).
    """
    terms = [1 / (math.factorial(k) * math.factorial(k + order)) for k in range(50, -1, -1)]
    tail = [1.0]
    for k in range(1, 31):
        tail.append(-tail[-1] * (4 * order**2 - (2 * k - 1) ** 2) / (8 * k))

    def body(x: Value) -> Value:
        elem, x = x.type.elem, x.to("f64")
        a = absolute(x)
        is_far = a > 20.0
        near = select(is_far, 1.0, a)
        h = near * 0.5
        small = horner(h * h, terms)
        for _ in range(order):
            small = small * h
        far = select(is_far, a, 20.0)
        large = horner(1.0 / far, tail[::-1]) / sqrt(far * (2 * math.pi))
        if is_scaled:
            result = select(is_far, large, small * bodies.exp(-near))
        else:  # the exponential in two factors: it may be too large where the result is not
            root = bodies.exp(far * 0.5)
            result = select(is_far, large * root * root, small)
        result = select(a == math.inf, 0.0 if is_scaled else math.inf, result)
        return select(is_nan(x), x, copysign(result, x) if order % 2 else result).to(elem)

    body.__qualname__ = f"bessel_i.{order}.{is_scaled}"
    return body
