"""Complex numbers in kernels, and the bodies of functions on them.

In memory a complex number is two floats side by side, the real part in front. In a body it is a `Complex`: two `Value`s,
scalars or vectors, with the same operators; so a body that adds and multiplies serves real and complex numbers alike.
Loops read vectors of both parts and take these apart.

Products and quotients are computed as written, each operation rounded: (a + bi)(c + di) = (ac - bd) + (ad + bc) i, and
quotients with the larger part of the divisor taken out (Smith 1962), so that no square overflows. Functions of complex64
are computed in double precision and rounded once, which makes each part right to about an ulp wherever the formula loses
fewer than 29 bits. Branch cuts are C99's, along the negative real axis for `log` and `sqrt`, and the sign of a zero says
on which side of it a number lies (Kahan, Branch cuts for complex elementary functions, 1987).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from anfora.kernel import bodies, special
from anfora.kernel.bodies import absolute, copysign, is_nan, select
from anfora.kernel.emit import Function, Type, Value

__all__ = [
    "PARTS", "Complex", "acos", "acosh", "angle", "asin", "asinh", "atan", "atanh", "choose", "conj", "cos", "cosh",
    "div", "exp", "expm1", "is_finite", "is_infinite", "is_not_a_number", "log", "log10", "log1p", "log2", "modulus",
    "of_parts", "power", "rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt", "tan", "tanh",
]  # fmt: skip

PARTS = {"c64": "f32", "c128": "f64"}  #: the machine type of the parts, by that of the whole


class Complex:
    """A complex number under construction: behaves as a `Value` does."""

    __slots__ = ("im", "re")

    def __init__(self, re: Value, im: Value) -> None:
        self.re, self.im = re, im

    @property
    def fn(self) -> Function:
        return self.re.fn

    @property
    def type(self) -> Type:
        """The type of the whole, which only this package knows."""
        return Type("c64" if self.re.type.elem == "f32" else "c128", self.re.type.lanes)

    def _peer(self, other: Any) -> Complex:
        if isinstance(other, Complex):
            return other
        zero = self.fn.const(0.0, self.re.type)
        if isinstance(other, Value):
            return Complex(other, zero)
        return Complex(self.fn.const(other.real, self.re.type), self.fn.const(other.imag, self.re.type))

    def __add__(self, other: Any) -> Complex:
        other = self._peer(other)
        return Complex(self.re + other.re, self.im + other.im)

    def __sub__(self, other: Any) -> Complex:
        other = self._peer(other)
        return Complex(self.re - other.re, self.im - other.im)

    def __mul__(self, other: Any) -> Complex:
        other = self._peer(other)
        return Complex(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)

    def __truediv__(self, other: Any) -> Complex:
        return div(self, self._peer(other))

    def __radd__(self, other: Any) -> Complex:
        return self._peer(other) + self

    def __rsub__(self, other: Any) -> Complex:
        return self._peer(other) - self

    def __rmul__(self, other: Any) -> Complex:
        return self._peer(other) * self

    def __rtruediv__(self, other: Any) -> Complex:
        return self._peer(other) / self

    def __neg__(self) -> Complex:
        return Complex(-self.re, -self.im)

    def __eq__(self, other: object) -> Value:  # type: ignore[override]
        other = self._peer(other)
        return (self.re == other.re) & (self.im == other.im)

    def __ne__(self, other: object) -> Value:  # type: ignore[override]
        other = self._peer(other)
        return (self.re != other.re) | (self.im != other.im)

    __hash__ = object.__hash__

    def to(self, elem: str) -> Complex:
        """The number with parts of another precision."""
        part = PARTS.get(elem, elem)
        return Complex(self.re.to(part), self.im.to(part))

    def times(self, factor: Value | float) -> Complex:
        """The product with a real number."""
        return Complex(self.re * factor, self.im * factor)

    def turned(self) -> Complex:
        """The product with i."""
        return Complex(-self.im, self.re)

    def turned_back(self) -> Complex:
        """The product with -i."""
        return Complex(self.im, -self.re)


# -- parts ------------------------------------------------------------------------------------------------------------


def of_parts(re: Value, im: Value) -> Complex:
    return Complex(re, im)


def conj(z: Complex) -> Complex:
    return Complex(z.re, -z.im)


def modulus(z: Complex) -> Value:
    """|z|, without overflow on the way."""
    return special.hypot(z.re, z.im)


def angle(z: Complex) -> Value:
    """The angle of z, from -pi to pi."""
    return special.atan2(z.im, z.re)


def choose(condition: Value, yes: Complex, no: Complex) -> Complex:
    """`yes` where the condition holds, else `no`."""
    return Complex(select(condition, yes.re, no.re), select(condition, yes.im, no.im))


# -- questions --------------------------------------------------------------------------------------------------------


def is_not_a_number(z: Complex) -> Value:
    return is_nan(z.re) | is_nan(z.im)


def is_infinite(z: Complex) -> Value:
    return (absolute(z.re) == math.inf) | (absolute(z.im) == math.inf)


def is_finite(z: Complex) -> Value:
    return (absolute(z.re) < math.inf) & (absolute(z.im) < math.inf)


# -- quotients --------------------------------------------------------------------------------------------------------


def div(x: Complex, y: Complex) -> Complex:
    """x / y; each part of x by 0 where y is 0."""
    steep = absolute(y.im) > absolute(y.re)
    large, small = select(steep, y.im, y.re), select(steep, y.re, y.im)
    ratio = small / large
    below = large + small * ratio
    first, second = select(steep, x.im, x.re), select(steep, x.re, x.im)
    re = (first + second * ratio) / below
    im = (second - first * ratio) / below
    im = select(steep, -im, im)
    by_zero = (y.re == 0.0) & (y.im == 0.0)
    zero = absolute(y.re)
    return choose(by_zero, Complex(x.re / zero, x.im / zero), Complex(re, im))


def sign(z: Complex) -> Complex:
    """z / |z|, 0 at 0."""
    size = modulus(z)
    below = select(size == 0.0, 1.0, size)
    return Complex(z.re / below, z.im / below)


# -- functions --------------------------------------------------------------------------------------------------------


def _widened(body: Callable) -> Callable:
    """The body of a function on double precision, for complex64 too."""

    @functools.wraps(body)
    def chosen(*args: Complex) -> Complex:
        if args[0].re.type.elem == "f64":
            return body(*args)
        return body(*(z.to("f64") for z in args)).to("f32")

    return chosen


def _zero_of(x: Value) -> Value:
    return x.fn.const(0.0, x.type)


def _root(z: Complex) -> Complex:
    """sqrt(z), its real part not negative."""
    size = bodies.sqrt((absolute(z.re) + modulus(z)) * 0.5)
    other = absolute(z.im) / (size + size)
    is_zero = (z.re == 0.0) & (z.im == 0.0)
    right = z.re >= 0.0
    re = select(is_zero, 0.0, select(right, size, other))
    im = select(is_zero, z.im, copysign(select(right, other, size), z.im))
    infinite = absolute(z.im) == math.inf
    return Complex(select(infinite, math.inf, re), select(infinite, z.im, im))


def _log_of_size(z: Complex) -> Value:
    """log |z|; near the unit circle by the distance from it."""
    a, b = absolute(z.re), absolute(z.im)
    large, small = select(a > b, a, b), select(a > b, b, a)
    near = (large > 0.5) & (large < 1.5)
    close = select(near, (large - 1.0) * (large + 1.0) + small * small, 0.0)
    return select(near, bodies.log1p(close) * 0.5, bodies.log(modulus(z)))


def _log(z: Complex) -> Complex:
    return Complex(_log_of_size(z), angle(z))


def _exp(z: Complex) -> Complex:
    size = bodies.exp(z.re)
    straight = z.im == 0.0
    return Complex(select(straight, size, size * bodies.cos(z.im)), select(straight, z.im, size * bodies.sin(z.im)))


sqrt, log, exp = _widened(_root), _widened(_log), _widened(_exp)


@_widened
def rsqrt(z: Complex) -> Complex:
    return 1.0 / _root(z)


@_widened
def expm1(z: Complex) -> Complex:
    half = bodies.sin(z.im * 0.5)
    more = bodies.expm1(z.re)
    straight = z.im == 0.0
    re = more * bodies.cos(z.im) - half * half * 2.0
    return Complex(select(straight, more, re), select(straight, z.im, (more + 1.0) * bodies.sin(z.im)))


@_widened
def log1p(z: Complex) -> Complex:
    outer = z + 1.0
    near = (absolute(z.re) < 0.5) & (absolute(z.im) < 0.5)
    close = select(near, z.re * (z.re + 2.0) + z.im * z.im, 0.0)
    return Complex(select(near, bodies.log1p(close) * 0.5, _log_of_size(outer)), angle(outer))


@_widened
def log2(z: Complex) -> Complex:
    return _log(z).times(1.4426950408889634)


@_widened
def log10(z: Complex) -> Complex:
    return _log(z).times(0.43429448190325182765)


@_widened
def sigmoid(z: Complex) -> Complex:
    """1 / (1 + e ** -z), as e ** z / (1 + e ** z) where that does not overflow."""
    left = z.re < 0.0
    e = _exp(choose(left, z, -z))
    one = Complex(z.fn.const(1.0, z.re.type), _zero_of(z.re))
    return choose(left, e, one) / (e + 1.0)


@_widened
def power(x: Complex, y: Complex) -> Complex:
    """x ** y = e ** (y log x); 0 where x is 0 and y is not. Powers of 0, 1, 2 and 3 are products."""
    result = _exp(y * _log(x))
    zero, one = _zero_of(x.re), x.fn.const(1.0, x.re.type)
    result = choose(x != 0, result, choose(y.re > 0.0, Complex(zero, zero), result))
    square = x * x
    is_real = y.im == 0.0
    for number, product in ((3.0, square * x), (2.0, square), (1.0, x), (0.0, Complex(one, zero))):
        result = choose(is_real & (y.re == number), product, result)
    return result


def _sinh(z: Complex) -> Complex:
    return Complex(special.sinh(z.re) * bodies.cos(z.im), special.cosh(z.re) * bodies.sin(z.im))


def _cosh(z: Complex) -> Complex:
    return Complex(special.cosh(z.re) * bodies.cos(z.im), special.sinh(z.re) * bodies.sin(z.im))


def _tanh(z: Complex) -> Complex:
    """As Kahan's, with cos² cleared from both sides; far out the sine's square is all of it."""
    far = absolute(z.re) > 20.0
    sine, cosine = bodies.sin(z.im), bodies.cos(z.im)
    s = special.sinh(select(far, 0.0, z.re))
    below = cosine * cosine + s * s
    re = s * bodies.sqrt(s * s + 1.0) / below
    im = sine * cosine / below
    tail = bodies.exp(absolute(z.re) * -2.0) * 4.0
    one = copysign(z.fn.const(1.0, z.re.type), z.re)
    return Complex(select(far, one, re), select(far, sine * cosine * tail, im))


def _asin(z: Complex) -> Complex:
    below, above = _root(1.0 - z), _root(1.0 + z)
    return Complex(special.atan2(z.re, (below * above).re), special.asinh((conj(below) * above).im))


def _atanh(z: Complex) -> Complex:
    x, y = z.re, z.im
    gap = 1.0 - x
    re = bodies.log1p(x * 4.0 / (gap * gap + y * y)) * 0.25
    left = 1.0 + x
    other = bodies.log1p(x * -4.0 / (left * left + y * y)) * -0.25
    return Complex(select(x < 0.0, other, re), special.atan2(y + y, gap * left - y * y) * 0.5)


sinh, cosh, tanh, asin, atanh = map(_widened, (_sinh, _cosh, _tanh, _asin, _atanh))


@_widened
def sin(z: Complex) -> Complex:
    return _sinh(z.turned()).turned_back()


@_widened
def cos(z: Complex) -> Complex:
    return _cosh(z.turned())


@_widened
def tan(z: Complex) -> Complex:
    return _tanh(z.turned()).turned_back()


@_widened
def asinh(z: Complex) -> Complex:
    return _asin(z.turned()).turned_back()


@_widened
def atan(z: Complex) -> Complex:
    return _atanh(z.turned()).turned_back()


@_widened
def acos(z: Complex) -> Complex:
    below, above = _root(1.0 - z), _root(1.0 + z)
    turn = special.atan2(below.re, above.re)
    return Complex(turn + turn, special.asinh((conj(above) * below).im))


@_widened
def acosh(z: Complex) -> Complex:
    below, above = _root(z - 1.0), _root(z + 1.0)
    turn = special.atan2(below.im, above.re)
    return Complex(special.asinh((conj(below) * above).re), turn + turn)
