"""Scalar bodies that take as many terms as an element needs: Bessel functions, incomplete gamma and beta functions, zeta.

They are Python functions of float64, which numba compiles to bodies as it does with users' functions (`custom.py`), so
that they run and are tested in Python too; float32 goes through them. Other bodies take a fixed number of terms, in
vectors; here some elements need five, others thousands. What they ask `math` for are our own bodies.

Sources: Abramowitz & Stegun (A&S); Press et al., Numerical Recipes (NR); Temme, J. Comput. Phys. 19 (1975).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

from anfora.core.records import Record
from anfora.kernel.custom import Compiled, numba_version
from anfora.kernel.emit import Value

__all__ = [
    "bessel_j0", "bessel_j1", "bessel_k0", "bessel_k0e", "bessel_k1", "bessel_k1e", "bessel_y0", "bessel_y1", "betainc",
    "body", "igamma", "igamma_by_end", "igamma_by_shape", "igammac", "zeta",
]  # fmt: skip

_EULER = 0.5772156649015329
_EPSILON = 1.1e-16
_TINY = 1e-300
_ROOM = 2.0**500  #: numerators and denominators of continued fractions are made smaller beyond it


class _Wide(Record):
    """A function of float64 as a body for elements of any floating type."""

    compiled: Compiled

    is_partial = True  #: numbers that are no elements would take their time too

    def __call__(self, *values: Value) -> Value:
        (result,) = self.compiled(*(value.to("f64") for value in values))
        return result.to(values[0].type.elem)


@functools.cache
def body(function: Callable[..., float]) -> _Wide:
    """The body that one of the functions below becomes."""
    return _Wide(Compiled(function, ("f64",) * function.__code__.co_argcount, ("f64",), numba_version()))


# -- Bessel functions ---------------------------------------------------------------------------------------------


def _jy(x: float) -> tuple[float, float, float, float]:
    """J0, J1, Y0, Y1 of x > 0 [some 1e-15 of the greatest of them].

    Power series below 2 (A&S 9.1.10 to 13); up to 25 Miller's recurrence downwards, and Neumann's series (9.1.88); the
    asymptotic series beyond (9.2.5).
    """
    if x > 25.0:
        return _jy_far(x)
    log = math.log(x * 0.5)
    if x < 2.0:
        h = x * x * 0.25
        term, harmonic = 1.0, 0.0
        j0, j1, y0, y1 = 1.0, 1.0, 0.0, 1.0 - 2.0 * _EULER
        for k in range(1, 20):
            term *= -h / (k * k)
            harmonic += 1.0 / k
            j0 += term
            y0 -= term * harmonic
            j1 += term / (k + 1)
            y1 += term / (k + 1) * (2.0 * harmonic + 1.0 / (k + 1) - 2.0 * _EULER)
        j1 *= x * 0.5
        y0 = ((log + _EULER) * j0 + y0) * (2.0 / math.pi)
        return j0, j1, y0, (2.0 * log * j1 - 2.0 / x - y1 * x * 0.5) / math.pi
    above, here = 0.0, 1.0  # of orders n + 1 and n, times a number that the sum tells: J0 + 2 J2 + 2 J4 + … = 1
    total, y0, y1 = 0.0, 0.0, 0.0
    for n in range(90, 0, -1):
        if n % 2 == 0:
            k = n // 2
            total += 2.0 * here
            y0 += (here if k % 2 else -here) * (4.0 / (k * math.pi))
        elif n > 1:
            k = n // 2
            y1 += (here if k % 2 else -here) * (2.0 * n / (k * (k + 1) * math.pi))
        above, here = here, 2.0 * n / x * here - above
    scale = 1.0 / (total + here)
    j0, j1 = here * scale, above * scale
    y0 = y0 * scale + (2.0 / math.pi) * (log + _EULER) * j0
    y1 = y1 * scale + (2.0 / math.pi) * ((log + _EULER - 1.0) * j1 - j0 / x)
    return j0, j1, y0, y1


def _jy_far(x: float) -> tuple[float, float, float, float]:
    if x == math.inf:
        return 0.0, 0.0, 0.0, 0.0
    root = 1.0 / math.sqrt(math.pi * x)
    plus, minus = math.cos(x) + math.sin(x), math.sin(x) - math.cos(x)  # √2 cos(x - π / 4), √2 sin(x - π / 4)
    p0, q0 = _phases(x, 0.0)
    p1, q1 = _phases(x, 4.0)
    j0, y0 = root * (p0 * plus - q0 * minus), root * (p0 * minus + q0 * plus)
    j1, y1 = root * (p1 * minus + q1 * plus), root * (q1 * minus - p1 * plus)
    return j0, j1, y0, y1


def _phases(x: float, mu: float) -> tuple[float, float]:
    """P and Q of the asymptotic series, for an order whose square is mu / 4."""
    term, p, q = 1.0, 1.0, 0.0
    for k in range(1, 50):
        term *= (mu - (2.0 * k - 1.0) ** 2) / (8.0 * k * x)
        signed = -term if k & 2 else term
        if k & 1:
            q += signed
        else:
            p += signed
        if abs(term) < 1e-18:
            break
    return p, q


def bessel_j0(x: float) -> float:
    """The Bessel function of the first kind, of order 0."""
    x = abs(x)
    return _jy(x)[0] if x > 0.0 else x + 1.0


def bessel_j1(x: float) -> float:
    """The Bessel function of the first kind, of order 1."""
    if not abs(x) > 0.0:
        return x
    return math.copysign(1.0, x) * _jy(abs(x))[1]


def bessel_y0(x: float) -> float:
    """The Bessel function of the second kind, of order 0; NaN below 0."""
    if x > 0.0:
        return _jy(x)[2]
    return -math.inf if x == 0.0 else math.nan


def bessel_y1(x: float) -> float:
    """The Bessel function of the second kind, of order 1; NaN below 0."""
    if x > 0.0:
        return _jy(x)[3]
    return -math.inf if x == 0.0 else math.nan


def _k(x: float) -> tuple[float, float]:
    """K0 and K1 of x > 0, times e ** x: power series up to 2 (A&S 9.6.11, 13), then Steed's continued fraction (NR 6.6)."""
    if x == math.inf:
        return 0.0, 0.0
    if x <= 2.0:
        h, log = x * x * 0.25, math.log(x * 0.5)
        term, harmonic = 1.0, 0.0
        i0, i1, k0, k1 = 1.0, 1.0, 0.0, 1.0 - 2.0 * _EULER
        for k in range(1, 20):
            term *= h / (k * k)
            harmonic += 1.0 / k
            i0 += term
            k0 += term * harmonic
            i1 += term / (k + 1)
            k1 += term / (k + 1) * (2.0 * harmonic + 1.0 / (k + 1) - 2.0 * _EULER)
        scale = math.exp(x)
        return (k0 - (log + _EULER) * i0) * scale, (1.0 / x + (log * i1 - k1 * 0.5) * x * 0.5) * scale
    b = 2.0 * (1.0 + x)
    d = 1.0 / b
    h = step = d
    before, here = 0.0, 1.0
    a, c, q = -0.25, 0.25, 0.25
    total = 1.0 + q * step
    for i in range(2, 500):
        a -= 2.0 * (i - 1)
        c = -a * c / i
        before, here = here, (before - b * here) / a
        q += c * here
        b += 2.0
        d = 1.0 / (b + a * d)
        step *= b * d - 1.0
        h += step
        total += q * step
        if abs(q * step) < _EPSILON * abs(total):
            break
    k0 = math.sqrt(math.pi / (2.0 * x)) / total
    return k0, k0 * (x + 0.5 - 0.25 * h) / x


def bessel_k0e(x: float) -> float:
    """The modified Bessel function of the second kind, of order 0, times e ** x; NaN below 0."""
    if x > 0.0:
        return _k(x)[0]
    return math.inf if x == 0.0 else math.nan


def bessel_k1e(x: float) -> float:
    """The modified Bessel function of the second kind, of order 1, times e ** x; NaN below 0."""
    if x > 0.0:
        return _k(x)[1]
    return math.inf if x == 0.0 else math.nan


def bessel_k0(x: float) -> float:
    """The modified Bessel function of the second kind, of order 0; NaN below 0."""
    return bessel_k0e(x) * math.exp(-x) if x > 0.0 else bessel_k0e(x)


def bessel_k1(x: float) -> float:
    """The modified Bessel function of the second kind, of order 1; NaN below 0."""
    return bessel_k1e(x) * math.exp(-x) if x > 0.0 else bessel_k1e(x)


# -- gamma functions ----------------------------------------------------------------------------------------------


def _stirling(a: float) -> float:
    """What Stirling's formula for log gamma leaves, for a >= 10 (A&S 6.1.41)."""
    r = 1.0 / (a * a)
    return (
        ((((-691.0 / 360360 * r + 1.0 / 1188) * r - 1.0 / 1680) * r + 1.0 / 1260) * r - 1.0 / 360) * r + 1.0 / 12
    ) / a


def _slope_of_log_gamma(a: float) -> float:
    """digamma(a) for a > 0: upwards to 10, then the asymptotic series (A&S 6.3.18)."""
    total = 0.0
    while a < 10.0:
        total -= 1.0 / a
        a += 1.0
    r = 1.0 / (a * a)
    series = (((((691.0 / 32760 * r - 1.0 / 132) * r + 1.0 / 240) * r - 1.0 / 252) * r + 1.0 / 120) * r - 1.0 / 12) * r
    return total + math.log(a) - 0.5 / a + series


def _density(a: float, x: float) -> float:
    """x ** a · e ** -x / gamma(a), for x > 0; the large logarithms of it are taken off each other before they are large."""
    if a < 10.0:
        return math.exp(a * math.log(x) - x - math.lgamma(a))
    u = (x - a) / a
    near = math.log1p(u) - u if abs(u) < 0.5 else math.log(x / a) - u
    return math.exp(a * near - _stirling(a)) * math.sqrt(a / (2.0 * math.pi))


def _lower(a: float, x: float) -> tuple[float, float]:
    """Σ xᵏ / ((a + 1) … (a + k)), and its derivative by a (A&S 6.5.29)."""
    term, slope, total, slopes = 1.0, 0.0, 1.0, 0.0
    r = a
    for _ in range(200_000):
        r += 1.0
        slope = (slope - term / r) * (x / r)
        term *= x / r
        total += term
        slopes += slope
        if term <= _EPSILON * total and abs(slope) <= _EPSILON * abs(slopes):
            break
    return total, slopes


def _upper(a: float, x: float) -> tuple[float, float]:
    """Legendre's continued fraction 1 / (x + 1 - a - …), and its derivative by a (A&S 6.5.31)."""
    y, z = 1.0 - a, x + 2.0 - a
    p0, q0, p1, q1 = 1.0, x, x + 1.0, z * x
    dp0, dq0, dp1, dq1 = 0.0, 0.0, 0.0, -x
    value = p1 / q1
    slope = (dp1 - value * dq1) / q1
    for i in range(1, 200_000):
        y += 1.0
        z += 2.0
        t = y * i
        p, q = p1 * z - p0 * t, q1 * z - q0 * t
        dp, dq = dp1 * z - p1 - dp0 * t + p0 * i, dq1 * z - q1 - dq0 * t + q0 * i
        is_done = False
        if q != 0.0:
            last, last_slope = value, slope
            value = p / q
            slope = (dp - value * dq) / q
            is_done = abs(value - last) <= _EPSILON * abs(value) and abs(slope - last_slope) <= 1e-15 * abs(slope)
        p0, q0, p1, q1, dp0, dq0, dp1, dq1 = p1, q1, p, q, dp1, dq1, dp, dq
        if is_done:
            break
        if abs(p1) > _ROOM or abs(q1) > _ROOM:
            p0, q0, p1, q1 = p0 / _ROOM, q0 / _ROOM, p1 / _ROOM, q1 / _ROOM
            dp0, dq0, dp1, dq1 = dp0 / _ROOM, dq0 / _ROOM, dp1 / _ROOM, dq1 / _ROOM
    return value, slope


def _middle(a: float, x: float) -> float:
    """The upper function for a > 1e8, where sums are long: the first two terms of Temme's expansion."""
    u = (x - a) / a
    half = u - math.log1p(u)  # η² / 2
    eta = math.copysign(math.sqrt(2.0 * max(half, 0.0)), u)
    first = 1.0 / u - 1.0 / eta if abs(u) > 1e-5 else -1.0 / 3.0 + u / 12.0
    return 0.5 * math.erfc(eta * math.sqrt(0.5 * a)) + math.exp(-a * half) / math.sqrt(2.0 * math.pi * a) * first


def _gamma_parts(a: float, x: float) -> tuple[float, bool]:
    """The lower function and True, or the upper one and False: the one that is small enough to be told exactly."""
    if not (a >= 0.0 and x >= 0.0) or (a == 0.0 and x == 0.0) or (a == math.inf and x == math.inf):
        return math.nan, True
    if a == 0.0 or x == math.inf:
        return 0.0, False
    if x == 0.0 or a == math.inf:
        return 0.0, True
    if a > 1e8:
        return (_middle(a, x), False) if x > 0.5 * a else (0.0, True)
    if x > 1.0 and x > a:
        return _upper(a, x)[0] * _density(a, x), False
    return _lower(a, x)[0] * _density(a, x) / a, True


def igamma(a: float, x: float) -> float:
    """The regularised lower incomplete gamma function of shape a at x; NaN where either is negative."""
    value, is_lower = _gamma_parts(a, x)
    return value if is_lower else 1.0 - value


def igammac(a: float, x: float) -> float:
    """The regularised upper incomplete gamma function, 1 - igamma(a, x)."""
    value, is_lower = _gamma_parts(a, x)
    return 1.0 - value if is_lower else value


def igamma_by_shape(a: float, x: float) -> float:
    """The derivative of igamma by a."""
    if not (a > 0.0 and x >= 0.0) or a == math.inf:
        return math.nan
    if x == 0.0 or x == math.inf:
        return 0.0
    if a > 1e8:  # a normal distribution of mean and variance a
        return -_density(a, x) / x
    along = math.log(x) - _slope_of_log_gamma(a)
    if x > 1.0 and x > a:
        value, slope = _upper(a, x)
        return -_density(a, x) * (slope + value * along)
    value, slope = _lower(a, x)
    return _density(a, x) / a * (slope + value * (along - 1.0 / a))


def igamma_by_end(a: float, x: float) -> float:
    """The derivative of igamma by x."""
    if not (a > 0.0 and x >= 0.0) or a == math.inf:
        return math.nan
    if x == 0.0:
        return math.inf if a < 1.0 else 1.0 if a == 1.0 else 0.0
    return 0.0 if x == math.inf else _density(a, x) / x


def betainc(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function at x of 0 … 1, for a, b > 0; else NaN. Lentz's way through the continued
    fraction (NR 6.4)."""
    if not (a > 0.0 and b > 0.0 and 0.0 <= x <= 1.0) or a == math.inf or b == math.inf:
        return math.nan
    if x == 0.0 or x == 1.0:
        return x
    is_upper = x * (a + b + 2.0) > a + 1.0
    log, rest = math.log(x), math.log1p(-x)
    if is_upper:
        a, b, x, log, rest = b, a, 1.0 - x, rest, log
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * log + b * rest) / a
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > _TINY else _TINY)
    value = d
    for m in range(1, 50_000):
        step = 1.0
        for factor in (
            m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)),
        ):
            d = 1.0 + factor * d
            d = 1.0 / (d if abs(d) > _TINY else _TINY)
            c = 1.0 + factor / c
            c = c if abs(c) > _TINY else _TINY
            step = c * d
            value *= step
        if abs(step - 1.0) <= 2.0 * _EPSILON:
            break
    return 1.0 - front * value if is_upper else front * value


#: Bernoulli's numbers B₂ₖ for k from 1 (A&S 23.2), and what they are divided by.
_BERNOULLI = (
    (1, 6), (-1, 30), (1, 42), (-1, 30), (5, 66), (-691, 2730), (7, 6), (-3617, 510), (43867, 798), (-174611, 330),
    (854513, 138), (-236364091, 2730),
)  # fmt: skip
_WEIGHTS = tuple(n / (d * math.factorial(2 * k)) for k, (n, d) in enumerate(_BERNOULLI, 1))


def zeta(x: float, q: float) -> float:
    """Hurwitz's zeta function, the sum of (q + k) ** -x for k from 0, of x > 1, by Euler's and Maclaurin's formula
    (A&S 23.1.30); infinite at x = 1 and at q = 0, -1, …; NaN for other negative q unless x is whole."""
    if x == 1.0:
        return math.inf
    if not (x > 1.0) or q != q:
        return math.nan
    if q <= 0.0:
        if q % 1.0 == 0.0:
            return math.inf
        if x % 1.0 != 0.0 or q == -math.inf:
            return math.nan
    if q > 1e8:  # also where powers would be lost
        return (1.0 / (x - 1.0) + 0.5 / q) * q ** (1.0 - x)
    total, term, i = 0.0, 0.0, 0
    while i < 9 or q + i <= 9.0:
        term = (q + i) ** -x
        total += term
        i += 1
        if abs(term) <= _EPSILON * abs(total) and q + i > 0.0:
            return total
    w = q + i - 1.0
    total += term * w / (x - 1.0) - 0.5 * term
    a = 1.0
    for k, weight in enumerate(_WEIGHTS):
        a *= x + 2 * k
        term /= w
        total += a * term * weight
        if abs(a * term * weight) <= _EPSILON * abs(total):
            break
        a *= x + 2 * k + 1
        term /= w
    return total
