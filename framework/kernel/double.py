"""float64's elementary functions, of our own: so they are the same bits on every machine, whatever its C library.

Each is one written sequence of operations that are rounded once, additions, products, quotients, roots and fused products;
none is left to a compiler's choice. Where one float64 is too little, numbers are *pairs*, a sum of two floats of which
the second is what the first has lost (Dekker, Numerische Mathematik 18, 1971). Polynomials are Taylor's or were fitted by
Chebyshev's interpolation with 60 digits. The largest error that was seen against 60 digits stands behind each function.
"""

from __future__ import annotations

import math

from anfora.kernel.bodies import _log_parts, absolute, clip, copysign, fma, horner, is_nan, ldexp, rint, select, sqrt
from anfora.kernel.emit import F64, I64, PTR, Function, Value

__all__ = [
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cos", "cosh", "erf", "erfc", "exp2", "hypot", "lgamma",
    "log10", "log2", "pow", "sin", "sinh", "tan",
]  # fmt: skip

Pair = tuple[Value, Value]

# -- pairs --------------------------------------------------------------------------------------------------------------


def two_sum(a: Value, b: Value) -> Pair:
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def quick_sum(a: Value, b: Value) -> Pair:
    """For |a| >= |b|, or a = 0."""
    s = a + b
    return s, b - (s - a)


def two_product(a: Value, b: Value) -> Pair:
    p = a * b
    return p, fma(a, b, -p)


def add(x: Pair, y: Pair) -> Pair:
    s, e = two_sum(x[0], y[0])
    return quick_sum(s, e + (x[1] + y[1]))


def mul(x: Pair, y: Pair) -> Pair:
    p, e = two_product(x[0], y[0])
    return quick_sum(p, fma(x[0], y[1], fma(x[1], y[0], e)))


def div(x: Pair, y: Pair) -> Pair:
    q = x[0] / y[0]
    rest = fma(-q, y[1], fma(-q, y[0], x[0]) + x[1])
    return quick_sum(q, rest / y[0])


def root(x: Pair) -> Pair:
    """Of 0 it is 0."""
    s = sqrt(x[0])
    rest = fma(-s, s, x[0]) + x[1]
    return quick_sum(s, select(s > 0.0, rest / (s + s), 0.0))


def choose(condition: Value, yes: Pair, no: Pair) -> Pair:
    return select(condition, yes[0], no[0]), select(condition, yes[1], no[1])


def constant(x: Value, high: float, low: float) -> Pair:
    return x.fn.const(high, x.type), x.fn.const(low, x.type)


def _zero(x: Value) -> Value:
    return x.fn.const(0.0, x.type)


# -- exponential and logarithm ------------------------------------------------------------------------------------------

_LN2 = (0.6931471803691238, 1.9082149292705877e-10)  #: the first has 32 bits: times an exponent it is exact
_LOG2E = (1.4426950408889634, 2.0355273740931033e-17)
_LOG10E = (0.4342944819032518, 1.098319650216765e-17)
_THIRD, _FIFTH = (0.3333333333333333, 1.850371707708594e-17), (0.2, -1.1102230246251566e-17)
_LOG_TAIL = [
    0.049180620381154914, 0.0472966754022035, 0.052641289011772105, 0.05882335978012747, 0.06666666840309429,
    0.07692307691310711, 0.09090909090911956, 0.11111111111111108, 0.14285714285714285,
]  # fmt: skip
_EXP_TAIL = [
    1.608432375977149e-10, 2.0914680780540263e-09, 2.505207801223787e-08, 2.7557273657975953e-07, 2.7557319239949287e-06,
    2.4801587325536023e-05, 0.00019841269841266418, 0.0013888888888883752, 0.008333333333333333, 0.04166666666666667,
    0.16666666666666666,
]  # fmt: skip


def log_parts(x: Value, low: Value | None = None, exact: bool = False) -> tuple[Pair, Value]:
    """(log m, e) with x + low = m 2 ** e and sqrt(1/2) <= m < sqrt(2), to 59 bits, if `exact` to 68, for x > 0 and finite:
    the series of 2 artanh s, with s = (m - 1) / (m + 1)."""
    tiny = x < 2.0**-1022
    f, e = _log_parts(select(tiny, x * 2.0**54, x))
    if low is None:
        top, bottom = (f, _zero(x)), two_sum(x.fn.const(2.0, x.type), f)
    else:
        low = ldexp(select(tiny, low * 2.0**54, low), -e)
        top = two_sum(f, low)
        high, rest = two_sum(x.fn.const(2.0, x.type), f)
        bottom = quick_sum(high, rest + low)
    s = div(top, bottom)
    twice = s[0] + s[0], s[1] + s[1]
    e = select(tiny, e - 54.0, e)
    if not exact:
        square = s[0] * s[0]
        return quick_sum(twice[0], fma(twice[0] * square, horner(square, [*_LOG_TAIL, 1 / 5, 1 / 3]), twice[1])), e
    z = mul(s, s)
    p, lost = two_product(z[0], horner(z[0], _LOG_TAIL))
    inner = add(constant(x, *_FIFTH), (p, lost))
    inner = add(constant(x, *_THIRD), mul(z, inner))
    return add(twice, mul(twice, mul(z, inner))), e


def log_pair(x: Value, low: Value | None = None, exact: bool = False) -> Pair:
    """The natural logarithm."""
    part, e = log_parts(x, low, exact)
    return add(two_sum(e * _LN2[0], e * _LN2[1]), part)


def exp_parts(x: Value, low: Value) -> tuple[Pair, Value]:
    """(v, n) with e ** (x + low) = v 2 ** n, to 58 bits, for |x| < 2000."""
    n = rint(x * _LOG2E[0])
    high, lost = two_sum(fma(n, -_LN2[0], x), n * -_LN2[1])
    return _exp_of(*quick_sum(high, lost + low)), n


def _exp_of(r: Value, low: Value) -> Pair:
    """e ** (r + low) for |r| <= ln 2 / 2: 1 + r + r² / 2 as pairs, and a polynomial for the rest."""
    square, lost = two_product(r, r)
    cube = r * square * horner(r, _EXP_TAIL)
    total, a = quick_sum(r.fn.const(1.0, r.type), r)
    total, b = quick_sum(total, square * 0.5)
    total, c = quick_sum(total, cube)
    return quick_sum(total, a + (b + (c + (low + fma(r, low, lost * 0.5)))))


def exp_pair(x: Pair) -> Value:
    """e ** x, rounded."""
    over, under = x[0] > 710.0, x[0] < -746.0
    bounded = clip(x[0], -746.0, 710.0)
    v, n = exp_parts(bounded, select(over | under | is_nan(x[1]), 0.0, x[1]))
    return ldexp(v[0], n)


def exp2(x: Value) -> Value:
    """2 ** x [0.52 ulp]."""
    x = clip(x, -1076.0, 1025.0)
    n = rint(x)
    r = x - n
    p, e = two_product(r, x.fn.const(0.6931471805599453, x.type))
    return ldexp(_exp_of(*quick_sum(p, fma(r, 2.3190468138462996e-17, e)))[0], n)


def _at_ends(x: Value, y: Value) -> Value:
    """A logarithm with its values at 0, infinity, and where it has none."""
    y = select(x == math.inf, math.inf, y)
    y = select(x == 0.0, -math.inf, y)
    return select((x < 0.0) | is_nan(x), math.nan, y)


def log2(x: Value) -> Value:
    """Logarithm to base 2 [0.54 ulp]."""
    part, e = log_parts(_positive(x))
    scaled = mul(part, constant(x, *_LOG2E))
    return _at_ends(x, add((e, _zero(x)), scaled)[0])


def log10(x: Value) -> Value:
    """Logarithm to base 10 [0.54 ulp]."""
    return _at_ends(x, mul(log_pair(_positive(x)), constant(x, *_LOG10E))[0])


def _positive(x: Value) -> Value:
    return select((x > 0.0) & (x < math.inf), x, 1.0)


def pow(x: Value, y: Value) -> Value:
    """x ** y with the special values of C99 [0.52 ulp]."""
    size = absolute(x)
    b = clip(y, -(2.0**65), 2.0**65)
    b = select(is_nan(b), 0.0, b)
    logarithm = log_pair(_positive(size), exact=True)
    product, lost = two_product(logarithm[0], b)
    result = exp_pair((product, fma(logarithm[1], b, lost)))
    whole = rint(y) == y
    half = y * 0.5
    odd = whole & (rint(half) != half)
    grows = (size > 1.0) ^ (y < 0.0)
    result = select(absolute(y) == math.inf, select(grows, x.fn.const(math.inf, x.type), 0.0), result)
    result = select((x < 0.0) & (size < math.inf) & ~whole, math.nan, result)
    result = select(size == 0.0, select(y < 0.0, x.fn.const(math.inf, x.type), 0.0), result)
    result = select(size == math.inf, select(y < 0.0, _zero(x), math.inf), result)
    result = select((size == 1.0) & (absolute(y) == math.inf), 1.0, result)
    result = select(odd, copysign(result, x), result)
    result = select(is_nan(x) | is_nan(y), math.nan, result)
    return select((x == 1.0) | (y == 0.0), 1.0, result)


# -- trigonometry -------------------------------------------------------------------------------------------------------

_PI_2 = (1.5707963267948966, 6.123233995736766e-17)
#: pi / 2; the first two have 33 bits
_PARTS = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21, 1.0085854035872483e-37)
_SIN = [
    1.58962301576546568060e-10, -2.50507477628578072866e-8, 2.75573136213857245213e-6, -1.98412698295895385996e-4,
    8.33333333332211858878e-3, -1.66666666666666307295e-1,
]  # fmt: skip
_COS = [
    -1.13585365213876817300e-11, 2.08757008419747316778e-9, -2.75573141792967388112e-7, 2.48015872888517045348e-5,
    -1.38888888888730564116e-3, 4.16666666666665929218e-2,
]  # fmt: skip
#: 2 / pi, its first 1280 bits.
_TWO_OVER_PI = 0xA2F9836E4E441529FC2757D1F534DDC0DB6295993C439041FE5163ABDEBBC561B7246E3A424DD2E006492EEA09D1921CFE1DEB1CB129A73EE88235F52EBB4484E99C7026B45F7E413991D639835339F49C845F8BBDF9283B1FF897FFDE05980FEF2F118B5A0A6D1F6D367ECF27CB09B74F463F669E5FEA2D7527BAC7EBE5F17B3D0739F78A5292EA6BFB5FB11F8D5D0856033046FC7B6BABF0CFBC209AF4361D  # noqa: E501


def _reduced(x: Value) -> tuple[Pair, Value]:
    """x modulo pi / 2 in [-pi/4, pi/4] to 70 bits and more, and the quadrant (i64), for finite x."""
    n = rint(x * (2 / math.pi))
    exact = fma(n, -_PARTS[0], x)
    p, e = two_product(n, x.fn.const(_PARTS[1], x.type))
    high, lost = two_sum(exact, -p)
    p2, e2 = two_product(n, x.fn.const(_PARTS[2], x.type))
    high, lost2 = two_sum(high, lost - e)
    high, lost3 = two_sum(high, -p2)
    r = quick_sum(high, lost2 + (lost3 - fma(n, _PARTS[3], e2)))
    far = absolute(x) >= 2.0**20
    quadrant = select(far, 0.0, n).to("i64")
    slots = [x.fn.var(v) for v in (*r, quadrant)]
    with x.fn.when(x.fn.any_lane(far)):
        distant = _far(select(far, x, 2.0**30))
        for slot, value, near in zip(slots, distant, (*r, quadrant)):
            slot.set(select(far, value, near))
    return (slots[0].value, slots[1].value), slots[2].value


def _far(x: Value) -> tuple[Value, Value, Value]:
    """`_reduced` for |x| >= 2 ** 20, element by element: x times as many bits of 2 / pi as matter (Payne & Hanek, ACM
    SIGNUM 18, 1983)."""
    fn = x.fn
    _write_far(fn)
    place = fn.buffer(24, 8)
    if not x.type.lanes:
        return _called_far(x, place)
    found = [Value(fn, kind, "poison") for kind in (x.type, x.type, x.type.like("i64"))]
    for lane in range(x.type.lanes):
        for i, value in enumerate(_called_far(fn.lane(x, lane), place)):
            found[i] = fn.insert(found[i], value, lane)
    return found[0], found[1], found[2]


def _called_far(x: Value, place: Value) -> tuple[Value, Value, Value]:
    fn = x.fn
    fn.call(None, "anfora_far_angle", x, place)
    return fn.load(place, F64), fn.load(place, F64, 1), fn.load(place, I64, 2)


def _write_far(caller: Function) -> None:
    """The function of a float64 that writes the remainder, as a pair, and the quadrant."""
    module = caller.module
    if module.defines("anfora_far_angle"):
        return
    limbs = [0, *(_TWO_OVER_PI >> (1280 - 64 * (i + 1)) & (2**64 - 1) for i in range(20))]
    table = ", ".join(f"i64 {limb}" for limb in limbs)
    module.declare("anfora_two_over_pi", f"@anfora_two_over_pi = internal constant [21 x i64] [{table}]")
    fn = Function("anfora_far_angle", [("double", "x"), ("ptr", "out")], "void", module, attributes="noinline")
    x, out = Value(fn, F64, "%x"), Value(fn, PTR, "%out")
    bits = x.bitcast("i64")
    exponent = (bits.bitcast("u64") >> 52).bitcast("i64") & 0x7FF
    finite = exponent < 0x7FF
    e = select(finite, exponent, 1075) - 1075  # x = m 2 ** e
    factor = ((bits & (2**52 - 1)) | 2**52).bitcast("u64").to("u128")
    # Bit i of 2 / pi, from 1, weighs 2 ** -i; those with e - i >= 2 add multiples of 4. A window of 192 bits behind them:
    # m times it, modulo 2 ** 192, is x 2 / pi modulo 4, times 2 ** 190. The table begins with 64 zeros.
    start = e + 62
    limb, shift = (start.bitcast("u64") >> 6).bitcast("i64"), (start & 63).bitcast("u64")
    back = ((64 - shift.bitcast("i64")) & 63).bitcast("u64")
    none = fn.const(0, shift.type)
    words = [
        fn.load(fn.element(Value(fn, PTR, "@anfora_two_over_pi"), I64, limb + i), I64).bitcast("u64") for i in range(4)
    ]
    wide = [((words[i] << shift) | select(shift == 0, none, words[i + 1] >> back)).to("u128") for i in range(3)]
    low = factor * wide[2]
    middle = factor * wide[1] + (low >> 64)
    top = factor * wide[0] + (middle >> 64)
    a, b, c = top.to("u64"), middle.to("u64"), low.to("u64")
    quadrant = (a >> 62).bitcast("i64")
    a, b, c = (a << 2) | (b >> 62), (b << 2) | (c >> 62), c << 2
    negative = a.bitcast("i64") < 0
    quadrant = quadrant + select(negative, fn.const(1), 0)
    a, b, c = (select(negative, ~v, v) for v in (a, b, c))  # but for one unit in the last of 190 bits
    zeros = _leading_zeros(fn, a)
    deep = zeros == 64
    a, b, c = select(deep, b, a), select(deep, c, b), select(deep, fn.const(0, c.type), c)
    more_zeros = _leading_zeros(fn, a)
    s = (select(more_zeros < 63, more_zeros, 63)).bitcast("u64")
    t = ((64 - s.bitcast("i64")) & 63).bitcast("u64")
    a, b = (
        (a << s) | select(s == 0, fn.const(0, a.type), b >> t),
        (b << s) | select(s == 0, fn.const(0, a.type), c >> t),
    )
    scale = select(deep, fn.const(64), 0) + s.bitcast("i64")
    high = (a >> 11).bitcast("i64").to("f64") * 2.0**-53
    rest = (((a & 0x7FF) << 42) | (b >> 22)).bitcast("i64").to("f64") * 2.0**-106
    power = ((1023 - scale) << 52).bitcast("f64")
    r = mul(quick_sum(high, rest), constant(x, *_PI_2))
    sign = select((bits < 0) ^ negative, x.fn.const(-1.0, F64), 1.0) * power
    fn.store(select(finite, r[0] * sign, math.nan), out)
    fn.store(select(finite, r[1] * sign, 0.0), out, 1)
    fn.store(select(bits < 0, -quadrant, quadrant), out, 2)
    fn.ret()


def _leading_zeros(fn: Function, x: Value) -> Value:
    fn.module.declare("llvm.ctlz.i64", "declare i64 @llvm.ctlz.i64(i64, i1)")
    return fn.emit(I64, f"call i64 @llvm.ctlz.i64(i64 {x.text}, i1 false)")


def _sine(r: Pair) -> Pair:
    """sin r for |r| <= pi / 4, as two floats to be added."""
    z = r[0] * r[0]
    return r[0], fma(horner(z, _SIN), z * r[0], fma(z * -0.5, r[1], r[1]))


def _cosine(r: Pair) -> Pair:
    square, lost = two_product(r[0], r[0])
    half = square * 0.5
    top, rest = quick_sum(r[0].fn.const(1.0, r[0].type), -half)
    return top, rest + fma(horner(square, _COS), square * square, -fma(lost, 0.5, r[0] * r[1]))


def _turned(x: Value) -> tuple[Pair, Pair, Value]:
    r, quadrant = _reduced(select(absolute(x) < math.inf, x, 0.0))
    return _sine(r), _cosine(r), quadrant


def sin(x: Value) -> Value:
    """Sine of an angle in radians [0.7 ulp]."""
    sine, cosine, quadrant = _turned(x)
    high, low = choose((quadrant & 1) != 0, cosine, sine)
    y = high + low
    y = select((quadrant & 2) != 0, -y, y)
    return select(absolute(x) < 2.0**-27, x, select(absolute(x) < math.inf, y, math.nan))


def cos(x: Value) -> Value:
    """Cosine of an angle in radians [0.7 ulp]."""
    sine, cosine, quadrant = _turned(x)
    high, low = choose((quadrant & 1) != 0, sine, cosine)
    y = high + low
    y = select(((quadrant + 1) & 2) != 0, -y, y)
    return select(absolute(x) < math.inf, y, math.nan)


def tan(x: Value) -> Value:
    """Tangent of an angle in radians [0.8 ulp]."""
    sine, cosine, quadrant = _turned(x)
    sine, cosine = quick_sum(*sine), quick_sum(*cosine)
    swap = (quadrant & 1) != 0
    y = div(choose(swap, (-cosine[0], -cosine[1]), sine), choose(swap, sine, cosine))[0]
    return select(absolute(x) < 2.0**-27, x, select(absolute(x) < math.inf, y, math.nan))


_ATAN = [
    -0.01916331625142668, 0.03922057201327129, -0.050850658155181166, 0.05858075513346089, -0.06664502994185385,
    0.0769218259043826, -0.09090904552268228, 0.11111111014619733, -0.14285714284658624, 0.19999999999995483,
    -0.3333333333333333,
]  # fmt: skip


def _angle(y: Pair, x: Pair) -> Pair:
    """atan(y / x) for finite x, y >= 0 that are neither large nor small together; 0 where both are 0."""
    steep, middle = y[0] > x[0] * 2.414213562373095, y[0] > x[0] * 0.4142135623730950
    minus, plus = add(y, (-x[0], -x[1])), add(y, x)
    above = choose(steep, (-x[0], -x[1]), choose(middle, minus, y))
    below = choose(steep, y, choose(middle, plus, x))
    zero = below[0] == 0.0
    below = select(zero, 1.0, below[0]), below[1]
    t = div(above, below)
    z = t[0] * t[0]
    one = y[0].fn.const(1.0, y[0].type)
    base = choose(
        steep, constant(one, *_PI_2), choose(middle, constant(one, _PI_2[0] / 2, _PI_2[1] / 2), constant(one, 0.0, 0.0))
    )
    bent = fma(t[0] * z, horner(z, _ATAN), fma(-z, t[1], t[1]) + base[1])
    high, lost = quick_sum(base[0], t[0])
    return quick_sum(high, lost + bent)


def _scaled(y: Value, x: Value) -> tuple[Value, Value]:
    """Both times the same power of two, if they are very large or very small; of infinities as of ones."""
    most = select(y > x, y, x)
    scale = select(
        most > 2.0**500, x.fn.const(2.0**-600, x.type), select(most < 2.0**-400, x.fn.const(2.0**600, x.type), 1.0)
    )
    infinite = most == math.inf
    top = select(infinite, select(y == math.inf, x.fn.const(1.0, x.type), 0.0), y * scale)
    return top, select(infinite, select(x == math.inf, x.fn.const(1.0, x.type), 0.0), x * scale)


def atan2(y: Value, x: Value) -> Value:
    """The angle of the point (x, y), from -pi to pi, with the signed zeros of C99 [0.6 ulp]."""
    b, a = _scaled(absolute(y), absolute(x))
    zero = _zero(x)
    angle = _angle((b, zero), (a, zero))
    other = add(constant(x, 2 * _PI_2[0], 2 * _PI_2[1]), (-angle[0], -angle[1]))
    flat = absolute(y) < absolute(x) * 2.0**-100  # the angle is the quotient, which scaling might have made denormal
    near = select(flat & (absolute(x) < math.inf), absolute(y) / absolute(x), angle[0])
    result = select(copysign(x.fn.const(1.0, x.type), x) < 0.0, other[0], near)
    return select(is_nan(x) | is_nan(y), math.nan, copysign(result, y))


def atan(x: Value) -> Value:
    """Arc tangent [0.6 ulp]."""
    return select(absolute(x) < 2.0**-27, x, atan2(x, x.fn.const(1.0, x.type)))


def _circle(x: Value) -> Pair:
    """sqrt(1 - x²) for |x| <= 1."""
    p, e = two_product(x, x)
    return root(add(two_sum(x.fn.const(1.0, x.type), -p), (-e, _zero(x))))


def asin(x: Value) -> Value:
    """Arc sine [0.7 ulp]."""
    a = absolute(x)
    inside = select(a <= 1.0, a, 0.0)
    y = _angle((inside, _zero(x)), _circle(inside))[0]
    return select(a < 2.0**-27, x, select(a <= 1.0, copysign(y, x), math.nan))


def acos(x: Value) -> Value:
    """Arc cosine [0.7 ulp]."""
    a = absolute(x)
    inside = select(a <= 1.0, a, 0.0)
    angle = _angle(_circle(inside), (inside, _zero(x)))
    other = add(constant(x, 2 * _PI_2[0], 2 * _PI_2[1]), (-angle[0], -angle[1]))
    return select(a <= 1.0, select(x < 0.0, other[0], angle[0]), math.nan)


# -- hyperbolic functions, roots ----------------------------------------------------------------------------------------

_SINH = [1 / math.factorial(k) for k in range(15, 2, -2)]


def _halves(a: Value) -> tuple[Pair, Pair, Value]:
    """e ** a / 2 and e ** -a / 2, as pairs to be scaled by 2 ** 1 and 2 ** -1 ..., for 0 <= a <= 711."""
    v, n = exp_parts(a, _zero(a))
    back = div(constant(a, 1.0, 0.0), v)
    small = ldexp(a.fn.const(1.0, a.type), clip(-n - n, -200.0, 0.0))
    return v, (back[0] * small, back[1] * small), n


def sinh(x: Value) -> Value:
    """Hyperbolic sine [0.6 ulp]."""
    a = absolute(x)
    z = a * a
    near = fma(a * z, horner(z, _SINH), a)
    up, down, n = _halves(select(a < 711.0, a, 711.0))
    far = ldexp(add(up, (-down[0], -down[1]))[0], n - 1.0)
    return select(is_nan(x), x, copysign(select(a < 0.3, near, far), x))


def cosh(x: Value) -> Value:
    """Hyperbolic cosine [0.52 ulp]."""
    a = absolute(x)
    up, down, n = _halves(select(a < 711.0, a, 711.0))
    return select(is_nan(x), x, ldexp(add(up, down)[0], n - 1.0))


def asinh(x: Value) -> Value:
    """Inverse hyperbolic sine [0.52 ulp]."""
    a = absolute(x)
    z = a * a
    near = fma(a * z, horner(z, [-5 / 112, 3 / 40, -1 / 6]), a)
    large = a > 2.0**500
    b = select(large | (a == math.inf) | is_nan(a), 1.0, a)
    square = two_product(b, b)
    one = x.fn.const(1.0, x.type)
    total = add(root(add(square, (one, _zero(x)))), (b, _zero(x)))
    total = select(large, select(a < math.inf, a, 1.0), total[0]), select(large, 0.0, total[1])
    y = log_pair(*total)
    y = add(y, choose(large, constant(x, 0.6931471805599453, 2.3190468138462996e-17), constant(x, 0.0, 0.0)))
    y0 = select(a == math.inf, math.inf, select(a < 2.0**-8, near, y[0]))
    return select(is_nan(x), x, copysign(y0, x))


def acosh(x: Value) -> Value:
    """Inverse hyperbolic cosine [0.52 ulp]; NaN below 1."""
    large = x > 2.0**500
    b = select(large | ~(x >= 1.0), 1.0, x)
    one = x.fn.const(1.0, x.type)
    square = mul(two_sum(b, -one), two_sum(b, one))
    total = add(root(square), (b, _zero(x)))
    total = select(large, select(x < math.inf, x, 1.0), total[0]), select(large, 0.0, total[1])
    y = log_pair(*total)
    y = add(y, choose(large, constant(x, 0.6931471805599453, 2.3190468138462996e-17), constant(x, 0.0, 0.0)))
    return select(x >= 1.0, select(x == math.inf, math.inf, y[0]), math.nan)


def atanh(x: Value) -> Value:
    """Inverse hyperbolic tangent [0.52 ulp]; infinite at -1 and 1, NaN beyond."""
    a = absolute(x)
    z = a * a
    near = fma(a * z, horner(z, [1 / 9, 1 / 7, 1 / 5, 1 / 3]), a)
    b = select(a < 1.0, a, 0.0)
    one = x.fn.const(1.0, x.type)
    y = log_pair(*div(two_sum(one, b), two_sum(one, -b)))
    y0 = select(a == 1.0, math.inf, select(a < 2.0**-8, near, y[0] * 0.5))
    return select(a <= 1.0, copysign(y0, x), math.nan)


def hypot(x: Value, y: Value) -> Value:
    """sqrt(x² + y²) without overflow on the way [0.51 ulp]; infinite if either is, be the other NaN."""
    infinite = (absolute(x) == math.inf) | (absolute(y) == math.inf)
    a, b = absolute(x), absolute(y)
    large, small = select(a > b, a, b), select(a > b, b, a)
    up = large > 2.0**500
    down = large < 2.0**-400
    scale = select(up, x.fn.const(2.0**-600, x.type), select(down, x.fn.const(2.0**600, x.type), 1.0))
    back = select(up, x.fn.const(2.0**600, x.type), select(down, x.fn.const(2.0**-600, x.type), 1.0))
    large, small = large * scale, small * scale
    result = root(add(two_product(large, large), two_product(small, small)))[0] * back
    return select(infinite, math.inf, select(is_nan(x) | is_nan(y), math.nan, result))


# -- the error function, the gamma function -----------------------------------------------------------------------------

_ERF = [
    6.767239169266634e-11, -1.1772229805028107e-09, 1.4746528519518266e-08, -1.6361210355405762e-07, 1.6461873982005918e-06,
    -1.4925641771437514e-05, 0.00012055332771446647, -0.0008548327019994109, 0.005223977625405694, -0.02686617064512896,
    0.11283791670955118, -0.37612638903183754, 0.1283791670955126,
]  # fmt: skip
#: (1 + 2x) e ** x² erfc(x), of (x - 3.75) / (x + 3.75)
_ERFCX = [
    1.3644024033145443e-11, 1.8240025042773818e-12, -1.689091555613108e-10, -4.9844152844245993e-11, 1.2007166392684951e-09,
    5.826552475656065e-10, -7.094844440843675e-09, -4.454188309154417e-09, 4.163213221156018e-08, 2.4363842659574258e-08,
    -2.616930395796968e-07, -5.832039466992171e-08, 1.7537598965322038e-06, -9.728185029677076e-07, -1.1445178311518049e-05,
    2.238390038090339e-05, 5.164944451696205e-05, -0.0002901539762990061, 0.00029371358771431225, 0.0017556258319139934,
    -0.009746579546733069, 0.028362277421569364, -0.058693398590614, 0.09230432116019513, -0.10880393014170486,
    0.08227673849015112, 0.00358541548546365, -0.14024059858554702, 1.2375126308378275,
]  # fmt: skip


def _tail(a: Value) -> Value:
    """erfc for a >= 0."""
    a = select(a < 28.0, a, 28.0)
    t = div((a - 3.75, _zero(a)), two_sum(a, a.fn.const(3.75, a.type)))
    inner = horner(t[0], _ERFCX[:-1])
    product, lost = two_product(t[0], inner)
    p = add(constant(a, _ERFCX[-1], _ERFCX_LOW), (product, fma(t[1], inner, lost)))
    square, lost = two_product(a, a)
    v, n = exp_parts(-square, -lost)
    return ldexp(div(mul(v, p), two_sum(a + a, a.fn.const(1.0, a.type)))[0], n)


def erf(x: Value) -> Value:
    """The error function [0.8 ulp]."""
    a = absolute(x)
    z = a * a
    near = fma(a, horner(select(a < 0.84375, z, 0.0), _ERF), a)
    return select(is_nan(x), x, copysign(select(a < 0.84375, near, 1.0 - _tail(a)), x))


def erfc(x: Value) -> Value:
    """1 - erf(x), accurate where it is small [0.7 ulp]."""
    a = absolute(x)
    z = a * a
    high, low = two_sum(x.fn.const(1.0, x.type), -x)
    near = high + (low - x * horner(select(a < 0.5, z, 0.0), _ERF))
    tail = _tail(a)
    return select(is_nan(x), x, select(a < 0.5, near, select(x < 0.0, 2.0 - tail, tail)))


_ERFCX_LOW = 1.0546160249725448e-16  #: what the last of them loses as a float
_LGAMMA = [
    1.0669069443730467e-10, -2.1929033871615188e-10, -3.757748036671072e-10, 7.708683039254055e-10, 1.311580769368583e-09,
    -2.6977201552657587e-09, -4.928665205470492e-10, 9.849156305952999e-10, 6.4340474171170495e-09, -1.3356469556165446e-08,
    1.9598224545887634e-08, -4.1039410908133404e-08, 9.184727299586606e-08, -1.9294644382653655e-07, 4.034779932322155e-07,
    -8.524724847142307e-07, 1.8081707112591225e-06, -3.847454638539412e-06, 8.222176284085957e-06, -1.7661651717757542e-05,
    3.81688910777123e-05, -8.30951294385275e-05, 0.00018255263893318132, -0.000405707397257618, 0.0009153769222580459,
    -0.0021081308339671347, 0.004998641164697176, -0.012384192193371038, 0.03296500062115583, -0.10031730167435392,
    0.42278433509846713,
]  # fmt: skip
_STIRLING = [43867 / 244188, -3617 / 122400, 1 / 156, -691 / 360360, 1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12]


def _lgamma_positive(x: Value) -> Value:
    """For x > 0, finite: a polynomial times (x - 1) (x - 2) from 1 to 3, to which neighbours come by the recurrence;
    Stirling's series from 12 on."""
    one = x.fn.const(1.0, x.type)
    small = x < 1.0
    near = select(x < 12.0, select(small, x + 1.0, x), 2.0)
    product = one
    for _ in range(9):
        above = near > 3.0
        near = select(above, near - 1.0, near)
        product = select(above, product * near, product)
    u = near - 2.0
    u = select(small, x - 1.0, u)  # x + 1 may have been rounded
    middle = u * (u + 1.0) * horner(u, _LGAMMA)
    middle = select(small, x * u * horner(u, _LGAMMA), middle)
    extra = log_pair(select(small, x, product))
    sign = select(small, -one, one)
    middle = add((middle, _zero(x)), (extra[0] * sign, extra[1] * sign))[0]
    large = select(x < 12.0, 12.0, x)
    huge = large > 2.0**1000  # the product may be too large where the result is not
    log = log_pair(large)
    main = mul(add(log, (-one, _zero(x))), (large, _zero(x)))
    main = add(main, (log[0] * -0.5, log[1] * -0.5))
    y = 1.0 / large
    series = y * horner(y * y, _STIRLING)
    main = add(main, add(constant(x, 0.9189385332046728, -3.8782941580672414e-17), (series, _zero(x))))
    far = select(huge, large * (log[0] - 1.0), main[0])
    return select(x < 12.0, middle, far)


def lgamma(x: Value) -> Value:
    """log |gamma(x)| [2 ulp for positive x]; of negative ones by reflection, where near its zeros 1e-15 is lost."""
    a = absolute(x)
    proper = select((a > 0.0) & (a < math.inf), a, 1.0)
    y = _lgamma_positive(proper)
    y = select(a < 2.0**-60, -log_pair(proper)[0], y)
    slot = x.fn.var(y)
    left = x < 0.0
    with x.fn.when(x.fn.any_lane(left)):
        n = rint(a)
        sine = sin(absolute(a - n) * math.pi)
        mirrored = log_pair(_positive(math.pi / (proper * _positive(sine))))
        other = add(mirrored, (-y, _zero(x)))[0]
        slot.set(select(left & (a >= 2.0**-60), other, y))
    result = slot.value
    pole = (a == 0.0) | (left & (rint(x) == x))
    result = select(pole | (a == math.inf), math.inf, result)
    return select(is_nan(x), x, result)
