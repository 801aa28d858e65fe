"""Elementary functions of Python's numbers, rounded correctly, and so the same on every system.

The C library's differ by its version and by what the CPU has. Learning rates, bounds of initializers and their like go
through these instead: the true value to 40 digits, by whole numbers (`decimal`), then the nearest float. Most take 10 to
25 µs, `whole_power` 0.1. `math.sqrt` is exact everywhere, and so is what has nothing to round.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from decimal import Decimal

__all__ = ["LN2", "LN10", "LN_PI", "LN_TAU", "cos", "erf", "exp", "log", "power", "sin", "tan", "whole_power"]

#: The logarithms of 2, 10, pi and 2 pi.
LN2, LN10, LN_PI, LN_TAU = 0.6931471805599453, 2.302585092994046, 1.1447298858494002, 1.8378770664093453

#: 100 digits behind the point.
_PI = "3.1415926535897932384626433832795028841971693993751058209749445923078164062862089986280348253421170679"


@functools.cache
def _tools() -> tuple[Any, Any, Decimal]:
    """Decimal numbers, a context to compute in, and pi: made when first needed."""
    from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal

    return Decimal, Context(prec=40, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[]), Decimal(_PI)


def exp(x: float) -> float:
    """e ** x.

    Example:
        >>> from anfora.core import exact
        >>> exact.exp(1.0), exact.exp(1000.0), exact.exp(-1000.0)
        (2.718281828459045, inf, 0.0)
    """
    if not -746.0 < x < 710.0:
        return math.nan if math.isnan(x) else math.inf if x > 0 else 0.0
    decimal, context, _ = _tools()
    return float(context.exp(decimal(x)))


@functools.lru_cache(256)
def log(x: float) -> float:
    """The natural logarithm; -inf at 0, NaN below.

    Example:
        >>> from anfora.core import exact
        >>> exact.log(10.0), exact.log(0.0)
        (2.302585092994046, -inf)
    """
    decimal, context, _ = _tools()
    return float(context.ln(decimal(x))) if x >= 0.0 else math.nan


@functools.lru_cache(256)
def power(x: float, y: float) -> float:
    """x ** y, with Python's errors.

    Example:
        >>> from anfora.core import exact
        >>> exact.power(2.0, 0.5), exact.power(0.0, 0.5), exact.power(-2.0, 3)
        (1.4142135623730951, 0.0, -8.0)
    """
    given = math.isfinite(x) and math.isfinite(y)
    if not given or x in (0.0, 1.0) or y == 0 or (x < 0.0 and y != int(y)):
        return x**y  # has nothing to round, or is refused
    decimal, context, _ = _tools()
    result = float(context.power(decimal(x), decimal(y)))
    if math.isinf(result):
        raise OverflowError(34, "Numerical result out of range")
    return result


#: For each x its powers up to 63, the number of a run of 64 exponents, and the power that this one begins with.
_powers: dict[float, tuple[list[float], int, float]] = {}


def whole_power(x: float, n: int) -> float:
    """x ** n for -1 <= x <= 1 and a whole n >= 0, to 1.5 ulp, and fast: the product of two that are rounded correctly.

    A step of Adam takes four of them.

    Example:
        >>> from anfora.core import exact
        >>> exact.whole_power(0.5, 70) == 0.5 ** 70
        True
    """
    known = _powers.get(x)
    if known is None or known[1] != n >> 6:
        if len(_powers) > 256:
            _powers.clear()
        small = [power(x, k) for k in range(64)] if known is None else known[0]
        known = _powers[x] = small, n >> 6, power(x, n & ~63)
    return known[0][n & 63] * known[2]


def sin(x: float) -> float:
    """The sine of an angle in radians; NaN if it is not finite.

    Example:
        >>> from anfora.core import exact
        >>> exact.sin(1.0), exact.cos(1.0), exact.tan(1.0)
        (0.8414709848078965, 0.5403023058681398, 1.5574077246549023)
    """
    if abs(x) < _SMALL:
        return x
    return _turned(x)[0] / _ONE if math.isfinite(x) else math.nan


def cos(x: float) -> float:
    """The cosine of an angle in radians; NaN if it is not finite."""
    return _turned(x)[1] / _ONE if math.isfinite(x) else math.nan


def tan(x: float) -> float:
    """The tangent of an angle in radians; NaN if it is not finite."""
    if abs(x) < _SMALL:
        return x
    if not math.isfinite(x):
        return math.nan
    sine, cosine = _turned(x)
    return sine / cosine


_BITS, _MORE = 160, 130  #: behind the point of what is computed with, and further ones of the angle
_ONE = 1 << _BITS
_HALF_PI = (int(_PI.replace(".", "")) << (_BITS + _MORE)) // (2 * 10**100)
_SMALL = 2.0**-60  #: sine and tangent of smaller angles round to the angle


@functools.lru_cache(64)
def _turned(x: float) -> tuple[int, int]:
    """Sine and cosine, times `_ONE`, of an angle of up to 2¹⁰⁰: their series at what is left within half a right angle of
    the axes."""
    numerator, denominator = x.as_integer_ratio()
    angle = (numerator << (_BITS + _MORE)) // denominator
    quarter = (2 * angle + _HALF_PI) // (2 * _HALF_PI)
    rest = (angle - quarter * _HALF_PI) >> _MORE
    square = (rest * rest) >> _BITS
    term, sine, cosine, k = _ONE, _ONE, _ONE, 0
    while term:
        k += 2
        term = (term * square >> _BITS) // (k * (k - 1))
        if k % 4:
            cosine, sine = cosine - term, sine - term // (k + 1)
        else:
            cosine, sine = cosine + term, sine + term // (k + 1)
    sine = sine * rest >> _BITS
    return ((sine, cosine), (cosine, -sine), (-sine, -cosine), (-cosine, sine))[quarter % 4]


def erf(x: float) -> float:
    """The error function.

    Example:
        >>> from anfora.core import exact
        >>> exact.erf(0.5), exact.erf(-7.0)
        (0.5204998778130465, -1.0)
    """
    if not abs(x) < 6.0:
        return math.nan if math.isnan(x) else math.copysign(1.0, x)
    from decimal import localcontext

    decimal, context, pi = _tools()
    with localcontext(context):
        square, term, total, n = decimal(x) ** 2, decimal(x), decimal(x), 0
        while abs(term) > decimal("1e-40"):
            n += 1
            term = -term * square / n
            total += term / (2 * n + 1)
        return float(2 * total / pi.sqrt())
