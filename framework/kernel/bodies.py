"""Scalar bodies: the mathematics of the element, written once.

A body takes and gives `Value`s (`emit.py`), scalars or vectors of any lanes, of the type in which the kernel computes
(float16 and bfloat16 arrive here as float32). It is free of branches, so that a lane never waits for another, and right
for infinities, NaN, signed zeros and denormal numbers. A loop around one body is an eager kernel, a loop around several
is a fused one; both inline the same instructions and give the same bits.

Accuracy is tested against the correctly rounded result; the largest error stands behind each float32 body in ulp.
Those of float64 that need more than its precision on the way are in `double.py`.
"""

from __future__ import annotations

import math

from anfora.core.exact import LN2
from anfora.kernel.emit import Value
from anfora.kernel.target import target

# -- building blocks ----------------------------------------------------------------------------------------------


def select(condition: Value, yes: Value | float, no: Value | float) -> Value:
    """`yes` where the condition holds, else `no`; both are computed."""
    return condition.fn.select(condition, yes, no)


def fma(a: Value, b: Value | float, c: Value | float) -> Value:
    """a · b + c, rounded once."""
    b = b if isinstance(b, Value) else a.fn.const(b, a.type)
    c = c if isinstance(c, Value) else a.fn.const(c, a.type)
    return a.fn.intrinsic("fma", a, b, c)


def horner(x: Value, coefficients: list[float]) -> Value:
    """The polynomial with the given coefficients, highest power first."""
    result = x.fn.const(coefficients[0], x.type)
    for coefficient in coefficients[1:]:
        result = fma(result, x, coefficient)
    return result


def absolute(x: Value) -> Value:
    if x.type.is_float:
        return x.fn.intrinsic("fabs", x)
    return x if x.type.is_unsigned else select(x < 0, -x, x)


def copysign(x: Value, sign: Value) -> Value:
    return x.fn.intrinsic("copysign", x, sign)


def rint(x: Value) -> Value:
    """The nearest integer; halves go to the even one."""
    return x.fn.intrinsic("rint", x) if x.type.is_float else x


def floor(x: Value) -> Value:
    return x.fn.intrinsic("floor", x) if x.type.is_float else x


def ceil(x: Value) -> Value:
    return x.fn.intrinsic("ceil", x) if x.type.is_float else x


def trunc(x: Value) -> Value:
    return x.fn.intrinsic("trunc", x) if x.type.is_float else x


def sqrt(x: Value) -> Value:
    return x.fn.intrinsic("sqrt", x)


def _double(name: str, *args: Value) -> Value:
    """A body of float64's own."""
    from anfora.kernel import double  # which is made of these bodies

    return getattr(double, name)(*args)


def is_nan(x: Value) -> Value:
    return x != x


def maximum(x: Value, y: Value | float) -> Value:
    """The larger; NaN if either is NaN; of -0 and +0 the second."""
    if not x.type.is_float:
        return select(x > y, x, y)
    return select((x > y) | is_nan(x), x, y)


def minimum(x: Value, y: Value | float) -> Value:
    """The smaller; NaN if either is NaN; of -0 and +0 the second."""
    if not x.type.is_float:
        return select(x < y, x, y)
    return select((x < y) | is_nan(x), x, y)


def relu(x: Value) -> Value:
    """max(x, 0): NaN stays, -0 becomes +0."""
    if not x.type.is_float:
        return select(x > 0, x, 0)
    return select((x > 0) | is_nan(x), x, 0)


def ldexp(y: Value, n: Value) -> Value:
    """y · 2 ** n for a float n that is whole (or NaN with y), rounded once: denormal and infinite results come out
    right. |n| is at most twice what an exponent can be."""
    fn, lanes = y.fn, y.type.lanes
    size = lanes * y.type.bytes
    if target().vector_bytes == 64 and size == 128:
        low, high = (ldexp(a, b) for a, b in zip(fn.halves(y), fn.halves(n)))
        return fn.shuffle(low, high, list(range(lanes)))
    if target().vector_bytes == 64 and size == 64:  # AVX-512 has an instruction for it
        suffix, mask, kind = "ps" if lanes == 16 else "pd", f"i{lanes}", str(y.type)
        name = f"llvm.x86.avx512.mask.scalef.{suffix}.512"
        fn.module.declare(name, f"declare {kind} @{name}({kind}, {kind}, {kind}, {mask}, i32)")
        return fn.emit(y.type, f"call {kind} @{name}({y.typed()}, {n.typed()}, {y.typed()}, {mask} -1, i32 4)")
    whole = select(is_nan(n), 0.0, n).to("i64" if y.type.bytes == 8 else "i32")
    half = whole >> 1
    return y * _power_of_two(half) * _power_of_two(whole - half)


def _power_of_two(exponent: Value) -> Value:
    """2 ** exponent for an integer in the range of normal numbers; the exponent has the float's width."""
    if exponent.type.bits == 64:
        return ((exponent + 1023) << 52).bitcast("f64")
    return ((exponent + 127) << 23).bitcast("f32")


# -- exponential and logarithm ------------------------------------------------------------------------------------

_LOG2E = 1.4426950408889634
_EXP32 = [1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1]
_EXP64 = [1 / math.factorial(k) for k in range(13, 1, -1)]


def exp_parts(x: Value, low: Value | None = None, coefficients: list[float] | None = None) -> tuple[Value, Value]:
    """(v, n) with e ** (x + low) = (1 + v) 2 ** n, where x = n ln 2 + r with |r| <= ln 2 / 2 and v is a polynomial for
    e ** r - 1 (Cody & Waite 1980). `low` is a small correction; x is in the range where the result is finite."""
    wide = x.type.elem == "f64"
    ln2_high, ln2_low = (0.693147180369123816490, 1.90821492927058770002e-10) if wide else (0.693359375, -2.12194440e-4)
    n = rint(x * _LOG2E)
    r = fma(n, -ln2_high, x)
    r = fma(n, -ln2_low, r)
    if low is not None:
        r = r + low
    return fma(horner(r, coefficients or (_EXP64 if wide else _EXP32)), r * r, r), n


def clip(x: Value, low: float, high: float) -> Value:
    """x brought into [low, high]; NaN stays."""
    x = select(x > high, high, x)
    return select(x < low, low, x)


def exp(x: Value) -> Value:
    """e ** x [1.0 ulp]; see `exp_parts`. Multiplying by 2 ** n comes last, so denormal results are rounded once."""
    v, n = exp_parts(clip(x, -746.0, 710.0) if x.type.elem == "f64" else clip(x, -104.0, 89.0))
    return ldexp(v + 1.0, n)


def exp_negative(x: Value) -> Value:
    """e ** x for x <= 0 [1.0 ulp]."""
    lowest = -746.0 if x.type.elem == "f64" else -104.0
    v, n = exp_parts(select(x < lowest, lowest, x))
    return ldexp(v + 1.0, n)


_EXPM1_32 = [
    1.3869957765564322e-3, 8.366253226995468e-3, 4.166744276881218e-2, 1.666654646396637e-1, 4.999999701976776e-1,
]  # fmt: skip


def expm1(x: Value) -> Value:
    """e ** x - 1, accurate near zero [1.5 ulp]: as 2 (v 2 ** m + (2 ** m - 1/2)) with m = n - 1, since 2 ** n itself may
    be too large."""
    wide = x.type.elem == "f64"
    v, n = exp_parts(clip(x, -38.0, 710.0) if wide else clip(x, -18.0, 89.0), None, None if wide else _EXPM1_32)
    scale = ldexp(x.fn.const(0.5, x.type), n)
    y = fma(v, scale, scale - 0.5)
    return copysign(select(n == 0.0, v, y + y), x)


_EXP2_32 = [
    1.532926398795098e-4, 1.3390969252213836e-3, 9.61849931627512e-3, 5.550359562039375e-2, 2.4022647738456726e-1,
    6.931471824645996e-1,
]  # fmt: skip


def exp2(x: Value) -> Value:
    """2 ** x [0.8 ulp]: x = n + r, and a polynomial for 2 ** r."""
    if x.type.elem == "f64":
        return _double("exp2", x)
    x = clip(x, -151.0, 129.0)
    n = rint(x)
    r = x - n
    return ldexp(fma(horner(r, _EXP2_32), r, 1.0), n)


_LOG32 = [
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
    -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
]  # fmt: skip
_LOG64_ODD = [1.479819860511658591e-1, 1.818357216161805012e-1, 2.857142874366239149e-1, 6.666666666666735130e-1]
_LOG64_EVEN = [1.531383769920937332e-1, 2.222219843214978396e-1, 3.999999999940941908e-1]


def _log_parts(x: Value) -> tuple[Value, Value]:
    """(f, e) with x = (1 + f) 2 ** e and sqrt(1/2) <= 1 + f < sqrt(2), for a positive normal number."""
    if x.type.elem == "f64":
        bits = x.bitcast("i64")
        e = (bits - 0x3FE6A09E667F3BCD) >> 52
        return (bits - (e << 52)).bitcast("f64") - 1.0, e.to("f64")
    bits = x.bitcast("i32")
    e = (bits - 0x3F3504F3) >> 23
    return (bits - (e << 23)).bitcast("f32") - 1.0, e.to("f32")


def _log_sum(f: Value, e: Value) -> Value:
    """log(1 + f) + e ln 2, for f as `_log_parts` gives it (float32 after Moshier's Cephes, float64 after Sun's
    FDLIBM)."""
    if f.type.elem == "f64":
        s = f / (f + 2.0)
        z = s * s
        w = z * z
        tail = z * horner(w, _LOG64_ODD) + w * horner(w, _LOG64_EVEN)
        half = 0.5 * f * f
        return e * 6.93147180369123816490e-1 - ((half - (s * (half + tail) + e * 1.90821492927058770002e-10)) - f)
    z = f * f
    y = fma(e, -2.12194440e-4, horner(f, _LOG32) * f * z)
    y = f + fma(z, -0.5, y)
    return fma(e, 0.693359375, y)


def log(x: Value) -> Value:
    """Natural logarithm [0.8 ulp]: x = m 2 ** e with sqrt(1/2) <= m < sqrt(2), and a polynomial for log m."""
    tiny, scale, shift = (2.0**-1022, 2.0**54, 54.0) if x.type.elem == "f64" else (2.0**-126, 2.0**23, 23.0)
    denormal = x < tiny
    f, e = _log_parts(select(denormal, x * scale, x))
    y = _log_sum(f, select(denormal, e - shift, e))
    y = select(x == math.inf, math.inf, y)
    y = select(x == 0.0, -math.inf, y)
    return select(x < 0.0, math.nan, select(is_nan(x), x, y))


def log1p_unit(x: Value) -> Value:
    """log(1 + x) for x from 0 to 1 [1.4 ulp]; other x give nonsense."""
    f, e, lost = _log1p_parts(x)
    return _log_sum(f + lost, e)


def _log1p_parts(x: Value) -> tuple[Value, Value, Value]:
    """(f, e, lost): `_log_parts` of 1 + x rounded, and what that lost, in units of 2 ** e."""
    u = x + 1.0
    rounded = u - 1.0
    lost = (1.0 - (u - rounded)) + (x - rounded)
    f, e = _log_parts(u)
    return f, e, lost * _power_of_two((-e).to("i64" if x.type.bytes == 8 else "i32"))


def log1p(x: Value) -> Value:
    """log(1 + x), accurate near zero [1.4 ulp]."""
    f, e, lost = _log1p_parts(select((x > -1.0) & (x < math.inf), x, 0.0))
    y = copysign(_log_sum(f + select(x > 2.0**60, 0.0, lost), e), x)
    y = select(x == math.inf, math.inf, y)
    y = select(x == -1.0, -math.inf, y)
    return select((x < -1.0) | is_nan(x), math.nan, y)


_WIDE_EXP = [
    2.4708271250589147e-5, 1.9908952426759568e-4, 1.3889197250314166e-3, 8.333281787556216e-3, 4.16666644037478e-2,
    1.6666666784512252e-1, 5.00000000042715e-1,
]  # fmt: skip
_WIDE_LOG = [
    1.9583874037605334e-1, 2.217620860851046e-1, 2.857210865884523e-1, 3.9999995626820933e-1, 6.666666667578595e-1,
]  # fmt: skip


def wide_exp(x: Value) -> Value:
    """e ** x of a float64 to 39 bits, for results that become float32."""
    v, n = exp_parts(clip(x, -700.0, 700.0), None, _WIDE_EXP)
    return ldexp(v + 1.0, n)


def wide_log(x: Value) -> Value:
    """Natural logarithm of a float64 that was a float32, or is at least in its range, to 44 bits."""
    f, e = _log_parts(x)
    s = f / (f + 2.0)
    z = s * s
    y = fma(e, LN2, fma(s * z, horner(z, _WIDE_LOG), s + s))
    y = select(x == math.inf, math.inf, y)
    y = select(x == 0.0, -math.inf, y)
    return select((x < 0.0) | is_nan(x), math.nan, y)


def log2(x: Value) -> Value:
    """Logarithm to base 2 [0.5 ulp]."""
    if x.type.elem == "f64":
        return _double("log2", x)
    return (wide_log(x.to("f64")) * _LOG2E).to("f32")


def log10(x: Value) -> Value:
    """Logarithm to base 10 [0.5 ulp]."""
    if x.type.elem == "f64":
        return _double("log10", x)
    return (wide_log(x.to("f64")) * 0.43429448190325182765).to("f32")


def pow(x: Value, y: Value) -> Value:
    """x ** y for floating point, with the special values of C99 [0.5 ulp]. Powers of 1, 2 and 3 are products, and those of
    a half are square roots."""
    a, b = (x, y) if x.type.elem == "f64" else (x.to("f64"), y.to("f64"))
    square = a * a
    product = select(b == 1.0, a, select(b == 2.0, square, square * a))
    slot = x.fn.var(product)
    simple, half = (b == 1.0) | (b == 2.0) | (b == 3.0), b == 0.5
    with x.fn.when(x.fn.any_lane(half)):
        root = select(absolute(a) == math.inf, math.inf, sqrt(a) + 0.0)  # not -0
        slot.set(select(half, root, slot.value))
    simple = simple | half
    with x.fn.when(x.fn.any_lane(~simple)):
        power = _double("pow", a, b) if x.type.elem == "f64" else _pow_wide(a, b)
        slot.set(select(simple, slot.value, power))
    return slot.value.to(x.type.elem)


def _pow_wide(a: Value, b: Value) -> Value:
    """a ** b in double precision, to 39 bits, of numbers that were float32."""
    size = absolute(a)
    result = wide_exp(b * wide_log(size))
    whole = rint(b) == b
    half = b * 0.5
    odd = whole & (rint(half) != half)
    result = select((a < 0.0) & (size < math.inf) & ~whole, math.nan, result)
    result = select((size == 0.0) & ~is_nan(b), select(b < 0.0, math.inf, 0.0 * size), result)
    result = select((size == 1.0) & (absolute(b) == math.inf), 1.0, result)
    result = select(odd, copysign(result, a), result)
    return select((a == 1.0) | (b == 0.0), 1.0, result)


def integer_pow(x: Value, y: Value) -> Value:
    """x ** y of integers, modulo 2 ** bits; y is not negative."""
    result = x.fn.const(1, x.type)
    for _ in range(x.type.bits):
        result = select((y & 1) != 0, result * x, result)
        x, y = x * x, (y >> 1)
    return result


# -- hyperbolic functions, error function -------------------------------------------------------------------------

_TANH32 = [-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1]
_TANH64_P = [-9.64399179425052238628e-1, -9.92877231001918586564e1, -1.61468768441708447952e3]
_TANH64_Q = [1.0, 1.12811678491632931402e2, 2.23548839060100448583e3, 4.84406305325125486048e3]


def tanh(x: Value) -> Value:
    """Hyperbolic tangent [1.3 ulp]: a polynomial below 0.625, 1 - 2 / (e ** 2|x| + 1) above (Moshier's Cephes)."""
    a = absolute(x)
    z = a * a
    if x.type.elem == "f64":
        small = fma(a * z, horner(z, _TANH64_P) / horner(z, _TANH64_Q), a)
    else:
        small = fma(horner(z, _TANH32) * z, a, a)
    large = 1.0 - 2.0 / (exp(a + a) + 1.0)
    return copysign(select(a < 0.625, small, large), x)


def sigmoid(x: Value) -> Value:
    """1 / (1 + e ** -x) [2.4 ulp], as e ** x / (1 + e ** x) for negative x, which neither overflows nor loses small
    results."""
    e = exp_negative(-absolute(x))
    return select(x < 0.0, e, 1.0) / (e + 1.0)


_ERF_LARGE = [
    -1.72853470e-5, 3.83197126e-4, -3.88396438e-3, 2.42546219e-2, -1.06777877e-1, -6.34846687e-1, -1.28717512e-1,
]  # fmt: skip
_ERF_SMALL = [-5.96761703e-4, 4.99119423e-3, -2.67681349e-2, 1.12819925e-1, -3.76125336e-1, 1.28379166e-1]


def erf(x: Value) -> Value:
    """The error function [1.0 ulp]: a polynomial below 0.93, 1 - e ** p(|x|) above."""
    if x.type.elem == "f64":
        return _double("erf", x)
    a = absolute(x)
    t = select(a > 4.0, 4.0, a)  # erf(4) rounds to one
    large = 1.0 - exp(fma(horner(t, _ERF_LARGE), t, -t))
    small = fma(horner(a * a, _ERF_SMALL), a, a)
    return copysign(select(a > 0.927734375, large, small), x)


# -- trigonometry -------------------------------------------------------------------------------------------------

#: Minimax polynomials on [-pi/4, pi/4] in r²: (sin r - r) / r³, and (cos r - 1 + r²/2) / r⁴.
SIN64 = [
    1.58962301576546568060e-10, -2.50507477628578072866e-8, 2.75573136213857245213e-6,
    -1.98412698295895385996e-4, 8.33333333332211858878e-3, -1.66666666666666307295e-1,
]  # fmt: skip
COS64 = [
    -1.13585365213876817300e-11, 2.08757008419747316778e-9, -2.75573141792967388112e-7,
    2.48015872888517045348e-5, -1.38888888888730564116e-3, 4.16666666666665929218e-2,
]  # fmt: skip


def _quadrant(x: Value) -> tuple[Value, Value]:
    """x modulo pi/2 in [-pi/4, pi/4], and the quadrant; good for |x| < 2 ** 20 or so at float32's precision."""
    n = rint(x * (2 / math.pi))
    r = fma(n, -1.57079632673412561417, x)
    r = fma(n, -6.07710050630396597660e-11, r)
    r = fma(n, -2.02226624879595063154e-21, r)
    return r, select(absolute(n) < 2.0**52, n, 0.0).to("i64")


def sine_and_cosine(x: Value) -> tuple[Value, Value]:
    """sin x and cos x in double precision, for a float32 x that is not `far_angles`' business."""
    r, quadrant = _quadrant(x.to("f64"))
    z = r * r
    sin = fma(horner(z, SIN64) * z, r, r)
    cos = fma(horner(z, COS64), z * z, fma(z, -0.5, 1.0))
    swap = (quadrant & 1) != 0
    sin, cos = select(swap, cos, sin), select(swap, -sin, cos)
    turned = (quadrant & 2) != 0
    return select(turned, -sin, sin), select(turned, -cos, cos)


def far_angles(x: Value, result: Value, name: str) -> Value:
    """The result, but for angles that are too large for the reduction, which are reduced as float64's; both are float64."""
    slot = x.fn.var(result)
    far = absolute(x) > 1e6
    with x.fn.when(x.fn.any_lane(far)):
        slot.set(select(far, _double(name, select(far, x, 1e9)), result))
    return slot.value


def sin(x: Value) -> Value:
    """Sine of an angle in radians [0.5 ulp]."""
    if x.type.elem == "f64":
        return _double("sin", x)
    return select(x == 0.0, x, far_angles(x.to("f64"), sine_and_cosine(x)[0], "sin").to("f32"))


def cos(x: Value) -> Value:
    """Cosine of an angle in radians [0.5 ulp]."""
    if x.type.elem == "f64":
        return _double("cos", x)
    return far_angles(x.to("f64"), sine_and_cosine(x)[1], "cos").to("f32")


# -- integers -----------------------------------------------------------------------------------------------------


def _safe_divisor(x: Value, y: Value) -> Value:
    """A divisor with which the hardware does not trap: 0 and (smallest, -1) are replaced."""
    y = select(y == 0, 1, y)
    if x.type.is_unsigned:
        return y
    smallest = -(1 << (x.type.bits - 1))
    return select((x == smallest) & (y == -1), 1, y)


def _shift_of(y: Value) -> int | None:
    """The exponent, if it is known that a divisor is a positive power of two: then a shift rounds down, and a mask gives
    what is left."""
    known = y.known
    if known is None or known & (known - 1) or not 0 < known < 1 << (y.type.bits - 1):
        return None
    return known.bit_length() - 1


def integer_floor_divide(x: Value, y: Value) -> Value:
    """floor(x / y) of integers; y is not zero. The smallest number over -1 wraps to itself."""
    shift = _shift_of(y)
    if shift is not None:
        return x >> shift
    y = _safe_divisor(x, y)
    quotient = x // y
    if x.type.is_unsigned:
        return quotient
    rest = x - quotient * y
    return select((rest != 0) & ((rest ^ y) < 0), quotient - 1, quotient)


def integer_trunc_divide(x: Value, y: Value) -> Value:
    return x // _safe_divisor(x, y)


def integer_remainder(x: Value, y: Value) -> Value:
    """x - floor(x / y) y: the sign of y, as Python's %."""
    shift = _shift_of(y)
    if shift is not None:
        return x & ((1 << shift) - 1)
    return x - integer_floor_divide(x, y) * y


def integer_fmod(x: Value, y: Value) -> Value:
    """x - trunc(x / y) y: the sign of x, as C's %."""
    return x - integer_trunc_divide(x, y) * y


def gcd(x: Value, y: Value) -> Value:
    """The greatest common divisor of integers, by Euclid's algorithm; gcd(0, 0) is 0."""
    large, small = x.fn.var(absolute(x)), x.fn.var(absolute(y))
    with x.fn.forever() as leave:
        a, b = large.value, small.value
        going = b != 0
        leave.when(~x.fn.any_lane(going))
        rest = absolute(a - integer_trunc_divide(a, b) * b)
        large.set(select(going, b, a))
        small.set(select(going, rest, 0))
    return large.value


def lcm(x: Value, y: Value) -> Value:
    """The least common multiple of integers, modulo 2 ** bits; 0 where either is 0."""
    return absolute(integer_trunc_divide(x, gcd(x, y)) * y)


def nextafter(x: Value, y: Value) -> Value:
    """The next number from x in the direction of y: the neighbour in the order of the bits."""
    kind = f"i{x.type.bits}"
    bits = x.bitcast(kind)
    bits = bits + select((bits < 0) ^ (x < y), bits.fn.const(1, bits.type), -1)
    least = copysign(x.fn.const(1, x.type.like(kind)).bitcast(x.type.elem), y)
    moved = select(x == 0.0, least, bits.bitcast(x.type.elem))
    return select(is_nan(x) | is_nan(y), x + y, select(x == y, y, moved))


def fmod(x: Value, y: Value) -> Value:
    """The exact remainder with the sign of x, as C's fmod. Of float32 the quotient is found in double precision; lanes
    where it is too large for that go to the C library."""
    if x.type.elem == "f64":
        return x.fn.libm("fmod", x, y)
    a, b = absolute(x).to("f64"), absolute(y).to("f64")
    whole = trunc(a / b)
    rest = fma(whole, -b, a)  # exact; the quotient is off by one at most
    rest = select(rest < 0.0, rest + b, select(rest >= b, rest - b, rest))
    slot = x.fn.var(copysign(select((b == math.inf) & (a < math.inf), a, rest).to("f32"), x))
    far = whole >= 2.0**29
    with x.fn.when(x.fn.any_lane(far)):
        slot.set(select(far, x.fn.libm("fmod", x, y), slot.value))
    return slot.value


def remainder(x: Value, y: Value) -> Value:
    """The exact remainder with the sign of y, as Python's %; a zero takes the sign of y."""
    rest = fmod(x, y)
    wrong_side = (rest != 0.0) & ((rest < 0.0) ^ (y < 0.0))
    return select(rest == 0.0, copysign(rest, y), select(wrong_side, rest + y, rest))


def floor_divide(x: Value, y: Value) -> Value:
    """floor(x / y) with the exact quotient [0.5 ulp in float32], as Python's //; NaN for infinite x, x / y for y = 0."""
    if x.type.elem == "f64":
        return _floor_divide_wide(x, y)
    a, b = x.to("f64"), y.to("f64")
    quotient = a / b  # rounding carries it to a whole number only where float32 could not tell
    infinite = absolute(a) == math.inf
    near = select((absolute(b) == math.inf) & (a * b < 0.0), -1.0, floor(quotient))
    return select(b == 0.0, quotient, select(infinite, math.nan, near)).to("f32")


def _floor_divide_wide(x: Value, y: Value) -> Value:
    rest = fmod(x, y)
    quotient = (x - rest) / y
    quotient = select((rest != 0.0) & ((rest < 0.0) ^ (y < 0.0)), quotient - 1.0, quotient)
    near = floor(quotient)
    near = select(quotient - near > 0.5, near + 1.0, near)
    near = select(quotient == 0.0, copysign(quotient, x / y), near)
    return select(y == 0.0, x / y, near)


# -- half precision -----------------------------------------------------------------------------------------------


def f16_to_f32(x: Value) -> Value:
    """float16, as its bits in a u16, to float32: exact. NaN keeps its payload."""
    bits = x.to("u32")
    sign = (bits & 0x8000) << 16
    magnitude = (bits & 0x7FFF) << 13
    normal = magnitude + (112 << 23)
    special = magnitude + (224 << 23)  # infinity and NaN: the exponent is all ones
    denormal = ((magnitude + (113 << 23)).bitcast("f32") - 2.0**-14).bitcast("u32")
    result = select(magnitude >= (31 << 23), special, select(magnitude < (1 << 23), denormal, normal))
    return (result | sign).bitcast("f32")


def f32_to_f16(x: Value) -> Value:
    """float32 to float16, nearest even, as its bits in a u16; NaN stays NaN."""
    bits = x.bitcast("u32")
    sign = (bits >> 16) & 0x8000
    magnitude = bits & 0x7FFFFFFF
    rounded = magnitude + 0xFFF + ((magnitude >> 13) & 1)
    normal = (rounded - (112 << 23)) >> 13
    # Adding 0.5 aligns the bits of a number below 2 ** -14 so that the adder does the rounding.
    denormal = (magnitude.bitcast("f32") + 0.5).bitcast("u32") - (126 << 23)
    result = select(magnitude < (113 << 23), denormal, normal)
    result = select(magnitude >= 0x477FF000, 0x7C00, result)  # rounds to infinity
    result = select(magnitude > 0x7F800000, 0x7E00, result)
    return (result | sign).to("u16")


def bf16_to_f32(x: Value) -> Value:
    """bfloat16, as its bits in a u16, to float32: exact."""
    return (x.to("u32") << 16).bitcast("f32")


def f32_to_bf16(x: Value) -> Value:
    """float32 to bfloat16, nearest even, as its bits in a u16; NaN stays NaN."""
    bits = x.bitcast("u32")
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return select((bits & 0x7FFFFFFF) > 0x7F800000, ((bits >> 16) & 0x8000) | 0x7FC0, rounded).to("u16")
