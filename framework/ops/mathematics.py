"""Mathematics of elements: powers, exponentials, logarithms, trigonometry and their kin."""

from __future__ import annotations

import math

from anfora.core.dtype import complex128, float64
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.exact import LN2, LN10, LN_PI
from anfora.core.tensor import Tensor
from anfora.kernel import bodies, complexes, special
from anfora.kernel.bodies import select
from anfora.kernel.emit import Value
from anfora.ops.arithmetic import abs, mul, sign, sub
from anfora.ops.comparison import equal, greater_equal, isnan, less, less_equal, logical_and, signbit, where
from anfora.ops.composite import composite
from anfora.ops.families import ByAttributes, elementwise, place_of_fault

__all__ = [
    "acos", "acosh", "angle", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "asin", "asinh",
    "atan", "atan2", "atanh", "bessel_i0", "bessel_i0e", "bessel_i1", "bessel_i1e", "cos", "cosh", "deg2rad", "digamma",
    "erf", "erfc", "erfinv", "exp", "exp2", "expm1", "float_power", "hypot", "i0", "ldexp", "lgamma", "log", "log10",
    "log1p", "log2", "logaddexp", "logaddexp2", "logit", "mvlgamma", "polygamma", "pow", "rad2deg", "rsqrt", "sin",
    "sinc", "sinh", "sqrt", "tan", "tensor_exp", "tensor_pow", "xdivy", "xlogy",
]  # fmt: skip


# -- powers -----------------------------------------------------------------------------------------------------------


@elementwise(bodies.sqrt, takes="f", lift=True, cost=0.3, complex=complexes.sqrt)
def sqrt(input: Tensor):
    """Square root, element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape; NaN for negative elements.
    Gradient:
        g / (2 sqrt(input)), which is infinite at 0.
    Example:
        >>> sqrt(Tensor([4., 9.])).tolist()
        [2.0, 3.0]
    """


@sqrt.vjp("input")
def _(out, *, g):
    return g * 0.5 / out


@elementwise(lambda x: 1.0 / bodies.sqrt(x), takes="f", lift=True, cost=0.5, complex=complexes.rsqrt)
def rsqrt(input: Tensor):
    """1 / sqrt(input), element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape; infinite for 0, NaN for negative elements.
    Gradient:
        -g · rsqrt(input)³ / 2.
    Example:
        >>> rsqrt(Tensor([4., 0.25])).tolist()
        [0.5, 2.0]
    """


rsqrt.mixed = "single"


@rsqrt.vjp("input")
def _(out, *, g):
    return g * -0.5 * (out * out * out)


def _integer_pow(x: Value, y: Value) -> Value:
    if not y.type.is_unsigned:
        x.fn.fault(y < 0)
    return bodies.integer_pow(x, y)


@elementwise({"f": bodies.pow, "iu": _integer_pow}, takes="iuf", cost=2.0, pairs=True, complex=complexes.power)
def pow(input: Tensor, exponent: Tensor):
    """input to the power of `exponent`, element by element: Python's `**`.

    Args:
        input, exponent: tensors or numbers whose shapes broadcast, but no bools.
    Returns:
        tensor of the broadcast shape and the promoted type; a negative floating number to a power that is not whole is NaN,
        integers wrap around.
    Raises:
        OpValueError: an integer to a negative integer power.
    Gradient:
        g · exponent · input ** (exponent - 1) to the input, 0 where the exponent is 0; g · out · log(input) to the
        exponent, 0 where the input is 0 and the exponent is not negative.
    Example:
        >>> pow(Tensor([2., 3.]), 3).tolist()
        [8.0, 27.0]
        >>> pow(2, Tensor([-1., 0.5])).tolist()
        [0.5, 1.4142135381698608]
    """


pow.mixed = "single"
pow.faults_are_of_integers = True


@pow.fault
def _(position, input, exponent):
    return OpValueError(
        "pow: an integer to a negative integer power is no integer, "
        f"at {list(place_of_fault(position, input, exponent))}",
        arg="exponent",
        help="convert the base first, e.g. x.astype(float32).",
    )


@pow.vjp("input")
def _(input, exponent, *, g):
    if g.dtype.is_complex:
        return g * where(equal(exponent, 0), 0, pow(input, exponent - 1) * exponent)
    return g * power_slope(input, exponent)


@pow.vjp("exponent")
def _(input, exponent, out, *, g):
    if g.dtype.is_complex:
        is_zero = equal(input, 0)
        return where(is_zero, 0, g * out * log(where(is_zero, 1, input)))
    return times_log(g * out, input, _stays_zero(input, exponent))


def _stays_zero(input, exponent):
    """Where a power is 0 for all exponents near this one, so that its derivative, 0 · log 0, is 0."""
    return logical_and(equal(input, 0), greater_equal(exponent, 0))


@elementwise(lambda x, y: select(y == 0.0, 0.0, y * bodies.pow(x, y - 1.0)), takes="f", cost=2.0, pairs=True)
def power_slope(input: Tensor, exponent: Tensor):
    """The derivative of a power with respect to its base: exponent · input ** (exponent - 1), 0 where that is 0 · inf."""


@power_slope.vjp("input")
def _(input, exponent, *, g):
    return g * (power_slope(input, exponent - 1) * exponent)


@power_slope.vjp("exponent")
def _(input, exponent, out, *, g):
    return g * pow(input, exponent - 1) + times_log(g * out, input, _stays_zero(input, exponent - 1))


@elementwise(
    lambda factor, x, unless: select(unless != 0, 0.0, factor * bodies.log(x)),
    takes="f", same=("factor", "input"), cost=0.2,
)  # fmt: skip
def times_log(factor: Tensor, input: Tensor, unless: Tensor):
    """factor · log(input), and 0 where `unless` holds."""


@times_log.vjp("factor")
def _(input, unless, *, g):
    return times_log(g, input, unless)


@times_log.vjp("input")
def _(factor, input, unless, *, g):
    return where(unless, 0, g * factor / input)


@composite
def float_power(input, exponent) -> Tensor:
    """input to the power of `exponent`, in double precision: float64, or complex128 if either is complex.

    Args:
        input, exponent: tensors or numbers whose shapes broadcast, of any types.
    Returns:
        float64 or complex128 tensor of the broadcast shape.
    Gradient:
        as `pow`.
    Example:
        >>> float_power(Tensor([1, 2]), 0.5).tolist()
        [1.0, 1.4142135623730951]
    """
    from anfora.ops.copying import cast

    if not isinstance(input, Tensor) and not isinstance(exponent, Tensor):
        input = Tensor(input, float64)
    kinds = [isinstance(x, complex) or (isinstance(x, Tensor) and x.dtype.is_complex) for x in (input, exponent)]
    dtype, number = (complex128, complex) if any(kinds) else (float64, float)
    return pow(*(cast(x, dtype) if isinstance(x, Tensor) else number(x) for x in (input, exponent)))


# -- exponentials -----------------------------------------------------------------------------------------------------


@elementwise(bodies.exp, takes="f", lift=True, complex=complexes.exp)
def exp(input: Tensor):
    """e to the power of the element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape.
    Gradient:
        g · exp(input).
    Example:
        >>> exp(Tensor([0., 1.])).tolist()
        [1.0, 2.7182817459106445]
    """


exp.mixed = "single"


@exp.vjp("input")
def _(out, *, g):
    return g * out


@elementwise(bodies.exp2, takes="f", lift=True, pairs=True)
def exp2(input: Tensor):
    """2 to the power of the element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape.
    Gradient:
        g · exp2(input) · ln 2.
    Example:
        >>> exp2(Tensor([0., 3., -1.])).tolist()
        [1.0, 8.0, 0.5]
    """


exp2.mixed = "single"


@exp2.vjp("input")
def _(out, *, g):
    return g * (out * LN2)


@elementwise(bodies.expm1, takes="f", lift=True, cost=0.2, complex=complexes.expm1)
def expm1(input: Tensor):
    """e to the power of the element, minus 1, accurate near 0.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape.
    Gradient:
        g · exp(input).
    Example:
        >>> expm1(Tensor([0., 1e-8])).tolist()
        [0.0, 9.99999993922529e-09]
    """


expm1.mixed = "single"


@expm1.vjp("input")
def _(input, *, g):
    return g * exp(input)


@elementwise(lambda x, y: x * bodies.exp2(y), takes="f", lift=True, pairs=True)
def ldexp(x: Tensor, other: Tensor):
    """x · 2 ** other, element by element.

    Args:
        x, other: tensors or numbers whose shapes broadcast; integers are computed as float32.
    Returns:
        floating tensor of the broadcast shape.
    Gradient:
        g · 2 ** other to x, g · out · ln 2 to `other`.
    Example:
        >>> ldexp(Tensor([1., 3.]), Tensor([2, -1])).tolist()
        [4.0, 1.5]
    """


@ldexp.vjp("x")
def _(other, *, g):
    return ldexp(g, other)


@ldexp.vjp("other")
def _(out, *, g):
    return g * (out * LN2)


# -- logarithms -------------------------------------------------------------------------------------------------------


@elementwise(bodies.log, takes="f", lift=True, complex=complexes.log)
def log(input: Tensor):
    """Natural logarithm, element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape; -inf for 0, NaN for negative elements.
    Gradient:
        g / input.
    Example:
        >>> log(Tensor([1., 10.])).tolist()
        [0.0, 2.3025851249694824]
    """


log.mixed = "single"


@log.vjp("input")
def _(input, *, g):
    return g / input


@elementwise(bodies.log1p, takes="f", lift=True, cost=0.3, complex=complexes.log1p)
def log1p(input: Tensor):
    """log(1 + input), accurate near 0, element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape; -inf for -1, NaN below.
    Gradient:
        g / (1 + input).
    Example:
        >>> log1p(Tensor([0., 1.])).tolist()
        [0.0, 0.6931471824645996]
    """


log1p.mixed = "single"


@log1p.vjp("input")
def _(input, *, g):
    return g / (input + 1)


@elementwise(bodies.log2, takes="f", lift=True, cost=0.3, pairs=True, complex=complexes.log2)
def log2(input: Tensor):
    """Logarithm to the base 2, element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape; -inf for 0, NaN for negative elements.
    Gradient:
        g / (input · ln 2).
    Example:
        >>> log2(Tensor([1., 8.])).tolist()
        [0.0, 3.0]
    """


log2.mixed = "single"


@log2.vjp("input")
def _(input, *, g):
    return g / (input * LN2)


@elementwise(bodies.log10, takes="f", lift=True, cost=0.3, pairs=True, complex=complexes.log10)
def log10(input: Tensor):
    """Logarithm to the base 10, element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape; -inf for 0, NaN for negative elements.
    Gradient:
        g / (input · ln 10).
    Example:
        >>> log10(Tensor([1., 1000.])).tolist()
        [0.0, 3.0]
    """


log10.mixed = "single"


@log10.vjp("input")
def _(input, *, g):
    return g / (input * LN10)


def _logaddexp(x: Value, y: Value) -> Value:
    gap = select(x == y, 0.0, x - y)  # of equal infinities too
    return bodies.maximum(x, y) + bodies.log1p_unit(bodies.exp_negative(-bodies.absolute(gap)))


@elementwise(_logaddexp, takes="f", lift=True, cost=0.5)
def logaddexp(input: Tensor, other: Tensor):
    """log(exp(input) + exp(other)) without overflow, element by element.

    Args:
        input, other: tensors or numbers whose shapes broadcast; integers are computed as float32.
    Returns:
        floating tensor of the broadcast shape.
    Gradient:
        g · sigmoid(input - other) to the input, the rest of g to `other`.
    Example:
        >>> logaddexp(Tensor([0., 1000.]), 0).tolist()
        [0.6931471824645996, 1000.0]
    """


@logaddexp.vjp("input")
def _(input, other, *, g):
    return g * _share(input, other)


@logaddexp.vjp("other")
def _(input, other, *, g):
    return g * _share(other, input)


def _share(input, other, rate=1.0):
    """What part of exp(rate · input) + exp(rate · other) the first is."""
    from anfora.ops.activation import sigmoid

    return sigmoid(mul(where(equal(input, other), 0.0, sub(input, other)), rate))


def _logaddexp2(x: Value, y: Value) -> Value:
    gap = select(x == y, 0.0, x - y)
    more = bodies.log1p_unit(bodies.exp_negative(bodies.absolute(gap) * -LN2))
    return bodies.fma(more, 1 / LN2, bodies.maximum(x, y))


@elementwise(_logaddexp2, takes="f", lift=True, cost=0.5)
def logaddexp2(input: Tensor, other: Tensor):
    """log2(2 ** input + 2 ** other) without overflow, element by element.

    Args:
        input, other: tensors or numbers whose shapes broadcast; integers are computed as float32.
    Returns:
        floating tensor of the broadcast shape.
    Gradient:
        g · 2 ** input / (2 ** input + 2 ** other) to the input, the rest of g to `other`.
    Example:
        >>> logaddexp2(Tensor([0., 1000.]), 0).tolist()
        [1.0, 1000.0]
    """


@logaddexp2.vjp("input")
def _(input, other, *, g):
    return g * _share(input, other, LN2)


@logaddexp2.vjp("other")
def _(input, other, *, g):
    return g * _share(other, input, LN2)


def _xlogy(x: Value, y: Value) -> Value:
    return select((x == 0.0) & ~bodies.is_nan(y), 0.0, x * bodies.log(y))


@elementwise(_xlogy, takes="f", lift=True, cost=0.2)
def xlogy(input: Tensor, other: Tensor):
    """input · log(other), and 0 where the input is 0, element by element.

    Args:
        input, other: tensors or numbers whose shapes broadcast; integers are computed as float32.
    Returns:
        floating tensor of the broadcast shape; NaN where `other` is NaN.
    Gradient:
        g · log(other) to the input, 0 where the result is 0 because the input is; g · input / other to `other`.
    Example:
        >>> xlogy(Tensor([0., 2.]), Tensor([0., 1.])).tolist()
        [0.0, 0.0]
    """


@xlogy.vjp("input")
def _(input, other, *, g):
    return times_log(g, other, logical_and(equal(input, 0), less_equal(other, 0)))


@xlogy.vjp("other")
def _(input, other, *, g):
    return g * xdivy(input, other)


def _xdivy(x: Value, y: Value) -> Value:
    return select((x == 0.0) & ~bodies.is_nan(y), 0.0, x / y)


@elementwise(_xdivy, takes="f", lift=True, cost=0.3)
def xdivy(x: Tensor, y: Tensor):
    """x / y, and 0 where x is 0, element by element.

    Args:
        x, y: tensors or numbers whose shapes broadcast; integers are computed as float32.
    Returns:
        floating tensor of the broadcast shape; NaN where y is NaN.
    Gradient:
        g / y to x, 0 where both are 0; -g · x / y² to y.
    Example:
        >>> xdivy(Tensor([0., 2.]), Tensor([0., 4.])).tolist()
        [0.0, 0.5]
    """


@xdivy.vjp("x")
def _(x, y, *, g):
    return xdivy(where(logical_and(equal(x, 0), equal(y, 0)), 0, g), y)


@xdivy.vjp("y")
def _(y, out, *, g):
    return -xdivy(g * out, y)


@composite
def logit(input: Tensor, eps=None) -> Tensor:
    """log(input / (1 - input)), the inverse of sigmoid, element by element.

    Args:
        input: tensor of any shape with elements from 0 to 1; integers are computed as float32.
        eps: when given, the input is first brought into [eps, 1 - eps].
    Returns:
        floating tensor of the input's shape; NaN outside [0, 1].
    Gradient:
        g / (input · (1 - input)), 0 where the input was brought in.
    Example:
        >>> logit(Tensor([0.5, 0.75])).tolist()
        [0.0, 1.0986123085021973]
    """
    from anfora.ops.arithmetic import clamp

    input = input.astype(input.dtype.lifted)  # 1 - x has no place in unsigned integers
    if eps is not None:
        input = clamp(input, eps, 1 - eps)
    return sub(log(input), log1p(-input))


# -- angles -----------------------------------------------------------------------------------------------------------


@elementwise(bodies.sin, takes="f", lift=True, cost=0.6, pairs=True, complex=complexes.sin)
def sin(input: Tensor):
    """Sine, element by element.

    Args:
        input: tensor of angles in radians; integers are computed as float32.
    Returns:
        floating tensor of the input's shape; NaN for infinite elements.
    Gradient:
        g · cos(input).
    Example:
        >>> sin(Tensor([0., 1.])).tolist()
        [0.0, 0.8414709568023682]
    """


@sin.vjp("input")
def _(input, *, g):
    return g * cos(input)


@elementwise(bodies.cos, takes="f", lift=True, cost=0.6, pairs=True, complex=complexes.cos)
def cos(input: Tensor):
    """Cosine, element by element.

    Args:
        input: tensor of angles in radians; integers are computed as float32.
    Returns:
        floating tensor of the input's shape; NaN for infinite elements.
    Gradient:
        -g · sin(input).
    Example:
        >>> cos(Tensor([0., 1.])).tolist()
        [1.0, 0.5403022766113281]
    """


@cos.vjp("input")
def _(input, *, g):
    return -(g * sin(input))


@elementwise(special.tan, takes="f", lift=True, cost=1.0, pairs=True, complex=complexes.tan)
def tan(input: Tensor):
    """Tangent, element by element.

    Args:
        input: tensor of angles in radians; integers are computed as float32.
    Returns:
        floating tensor of the input's shape; NaN for infinite elements.
    Gradient:
        g · (1 + tan(input)²).
    Example:
        >>> tan(Tensor([0., 1.])).tolist()
        [0.0, 1.5574077367782593]
    """


tan.mixed = "single"


@tan.vjp("input")
def _(out, *, g):
    return g * (out * out + 1)


@elementwise(special.asin, takes="f", lift=True, cost=1.0, pairs=True, complex=complexes.asin)
def asin(input: Tensor):
    """Arc sine, from -pi/2 to pi/2, element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape; NaN outside [-1, 1].
    Gradient:
        g / sqrt(1 - input²).
    Example:
        >>> asin(Tensor([0., 1.])).tolist()
        [0.0, 1.5707963705062866]
    """


asin.mixed = "single"


@asin.vjp("input")
def _(input, *, g):
    return g * rsqrt((1 - input) * (1 + input))


@elementwise(special.acos, takes="f", lift=True, cost=1.0, pairs=True, complex=complexes.acos)
def acos(input: Tensor):
    """Arc cosine, from 0 to pi, element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape; NaN outside [-1, 1].
    Gradient:
        -g / sqrt(1 - input²).
    Example:
        >>> acos(Tensor([1., 0.])).tolist()
        [0.0, 1.5707963705062866]
    """


acos.mixed = "single"


@acos.vjp("input")
def _(input, *, g):
    return -(g * rsqrt((1 - input) * (1 + input)))


@elementwise(special.atan, takes="f", lift=True, cost=1.0, pairs=True, complex=complexes.atan)
def atan(input: Tensor):
    """Arc tangent, from -pi/2 to pi/2, element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape.
    Gradient:
        g / (1 + input²).
    Example:
        >>> atan(Tensor([0., 1.])).tolist()
        [0.0, 0.7853981852531433]
    """


@atan.vjp("input")
def _(input, *, g):
    return g / (input * input + 1)


@elementwise(special.atan2, takes="f", lift=True, cost=1.0, pairs=True)
def atan2(input: Tensor, other: Tensor):
    """The angle of the point (other, input), from -pi to pi, element by element.

    Args:
        input, other: tensors or numbers whose shapes broadcast, the ordinate y and the abscissa x; integers are computed as
            float32.
    Returns:
        floating tensor of the broadcast shape.
    Gradient:
        g · x / (x² + y²) to y, -g · y / (x² + y²) to x; 0 at the origin.
    Example:
        >>> atan2(Tensor([1., 1.]), Tensor([1., 0.])).tolist()
        [0.7853981852531433, 1.5707963705062866]
    """


@atan2.vjp("input")
def _(input, other, *, g):
    radius = hypot(input, other)
    return g * xdivy(xdivy(other, radius), radius)


@atan2.vjp("other")
def _(input, other, *, g):
    radius = hypot(input, other)
    return -(g * xdivy(xdivy(input, radius), radius))


@elementwise(special.hypot, takes="f", lift=True, cost=0.6, pairs=True)
def hypot(input: Tensor, other: Tensor):
    """sqrt(input² + other²) without overflow on the way, element by element.

    Args:
        input, other: tensors or numbers whose shapes broadcast; integers are computed as float32.
    Returns:
        floating tensor of the broadcast shape; infinite where either is, be the other NaN.
    Gradient:
        g · input / out to the input, g · other / out to `other`; 0 at the origin.
    Example:
        >>> hypot(Tensor([3., 5.]), Tensor([4., 12.])).tolist()
        [5.0, 13.0]
    """


@hypot.vjp("input")
def _(input, out, *, g):
    return g * xdivy(input, out)


@hypot.vjp("other")
def _(other, out, *, g):
    return g * xdivy(other, out)


@elementwise(special.sinc, takes="f", lift=True, cost=1.0, pairs=True)
def sinc(input: Tensor):
    """sin(pi · input) / (pi · input), and 1 at 0, element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape; NaN for infinite elements.
    Gradient:
        g · (cos(pi · input) - out) / input, and near 0 its series.
    Example:
        >>> sinc(Tensor([0., 0.5, 1.])).tolist()
        [1.0, 0.6366197466850281, 0.0]
    """


#: The series of the derivative of sin(t) / t is t times this polynomial of t², highest power first.
_SINC_SLOPE = [(-1) ** k * 2 * k / math.factorial(2 * k + 1) for k in range(9, 0, -1)]


@sinc.vjp("input")
def _(input, *, g):
    is_near = less(abs(input), 0.35)
    apart = where(is_near, 1, input)
    far = (cos(apart * math.pi) - sinc(apart)) / apart
    t = where(is_near, input, 0) * math.pi
    series = t * t * _SINC_SLOPE[0] + _SINC_SLOPE[1]
    for coefficient in _SINC_SLOPE[2:]:
        series = series * (t * t) + coefficient
    return g * where(is_near, series * t * math.pi, far)


@composite
def angle(input: Tensor) -> Tensor:
    """The angle of a number in the complex plane, from -pi to pi: of a real one pi for negative elements, -0.0 among them,
    else 0; NaN for NaN.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape.
    Gradient:
        of complex numbers g · i · input / |input|², 0 at 0; of real ones none: the result is constant between its steps.
    Example:
        >>> angle(Tensor([1., -2.])).tolist()
        [0.0, 3.1415927410125732]
    """
    if not isinstance(input, Tensor):
        raise OpTypeError(f"angle needs a tensor for `input`, but got {input!r}", arg="input")
    if input.dtype.is_complex:
        from anfora.ops.complexes import argument

        return argument(input)
    return where(isnan(input), input, signbit(input).astype(input.dtype.lifted) * math.pi)


@composite
def deg2rad(x: Tensor) -> Tensor:
    """Angles in degrees as radians: x · pi / 180.

    Args:
        x: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape.
    Gradient:
        g · pi / 180.
    Example:
        >>> deg2rad(Tensor([0., 90.])).tolist()
        [0.0, 1.5707963705062866]
    """
    return mul(x, math.pi / 180)


@composite
def rad2deg(x: Tensor) -> Tensor:
    """Angles in radians as degrees: x · 180 / pi.

    Args:
        x: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape.
    Gradient:
        g · 180 / pi.
    Example:
        >>> rad2deg(Tensor([0., 1.5707964])).tolist()
        [0.0, 90.0]
    """
    return mul(x, 180 / math.pi)


# -- hyperbolic functions ---------------------------------------------------------------------------------------------


@elementwise(special.sinh, takes="f", lift=True, cost=0.6, pairs=True, complex=complexes.sinh)
def sinh(input: Tensor):
    """Hyperbolic sine, element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape.
    Gradient:
        g · cosh(input).
    Example:
        >>> sinh(Tensor([0., 1.])).tolist()
        [0.0, 1.175201177597046]
    """


sinh.mixed = "single"


@sinh.vjp("input")
def _(input, *, g):
    return g * cosh(input)


@elementwise(special.cosh, takes="f", lift=True, cost=0.6, pairs=True, complex=complexes.cosh)
def cosh(input: Tensor):
    """Hyperbolic cosine, element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape.
    Gradient:
        g · sinh(input).
    Example:
        >>> cosh(Tensor([0., 1.])).tolist()
        [1.0, 1.5430806875228882]
    """


cosh.mixed = "single"


@cosh.vjp("input")
def _(input, *, g):
    return g * sinh(input)


@elementwise(special.asinh, takes="f", lift=True, cost=0.6, pairs=True, complex=complexes.asinh)
def asinh(input: Tensor):
    """Inverse hyperbolic sine, element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape.
    Gradient:
        g / sqrt(input² + 1).
    Example:
        >>> asinh(Tensor([0., 1.])).tolist()
        [0.0, 0.8813735842704773]
    """


@asinh.vjp("input")
def _(input, *, g):
    return g * rsqrt(input * input + 1) if input.dtype.is_complex else g / hypot(input, 1)


@elementwise(special.acosh, takes="f", lift=True, cost=0.6, pairs=True, complex=complexes.acosh)
def acosh(input: Tensor):
    """Inverse hyperbolic cosine, element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape; NaN below 1.
    Gradient:
        g / sqrt(input² - 1).
    Example:
        >>> acosh(Tensor([1., 2.])).tolist()
        [0.0, 1.316957950592041]
    """


@acosh.vjp("input")
def _(input, *, g):
    return g * (rsqrt(input - 1) * rsqrt(input + 1))


@elementwise(special.atanh, takes="f", lift=True, cost=0.8, pairs=True, complex=complexes.atanh)
def atanh(input: Tensor):
    """Inverse hyperbolic tangent, element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape; infinite at -1 and 1, NaN beyond.
    Gradient:
        g / (1 - input²).
    Example:
        >>> atanh(Tensor([0., 0.5])).tolist()
        [0.0, 0.5493061542510986]
    """


@atanh.vjp("input")
def _(input, *, g):
    return g / ((1 - input) * (1 + input))


# -- the error function and the gamma function ------------------------------------------------------------------------


@elementwise(bodies.erf, takes="f", lift=True, cost=0.3, pairs=True)
def erf(input: Tensor):
    """The error function: 2 / sqrt(pi) times the integral of exp(-t²) from 0 to the element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape.
    Gradient:
        g · 2 / sqrt(pi) · exp(-input²).
    Example:
        >>> erf(Tensor([0., 1.])).tolist()
        [0.0, 0.8427008390426636]
    """


@erf.vjp("input")
def _(input, *, g):
    return g * (exp(-(input * input)) * (2 / math.sqrt(math.pi)))


@elementwise(special.erfc, takes="f", lift=True, cost=1.0, pairs=True)
def erfc(input: Tensor):
    """1 - erf(input), accurate where that is small, element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape.
    Gradient:
        -g · 2 / sqrt(pi) · exp(-input²).
    Example:
        >>> erfc(Tensor([0., 1.])).tolist()
        [1.0, 0.15729920566082]
    """


@erfc.vjp("input")
def _(input, *, g):
    return g * (exp(-(input * input)) * (-2 / math.sqrt(math.pi)))


@elementwise(special.erfinv, takes="f", lift=True, cost=3.0)
def erfinv(input: Tensor):
    """The inverse of the error function, element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape; infinite at -1 and 1, NaN beyond.
    Gradient:
        g · sqrt(pi) / 2 · exp(out²).
    Source:
        Wichura, algorithm AS 241, Applied Statistics 37, 1988.
    Example:
        >>> erfinv(Tensor([0., 0.5])).tolist()
        [0.0, 0.4769362807273865]
    """


erfinv.mixed = "single"


@erfinv.vjp("input")
def _(out, *, g):
    return g * (exp(out * out) * (math.sqrt(math.pi) / 2))


@elementwise(special.lgamma, takes="f", lift=True, cost=12.0, pairs=True)
def lgamma(input: Tensor):
    """log |gamma(input)|, element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape; infinite at 0, -1, -2, …
    Gradient:
        g · digamma(input).
    Example:
        >>> lgamma(Tensor([1., 5.])).tolist()
        [0.0, 3.178053855895996]
    """


@lgamma.vjp("input")
def _(input, *, g):
    return g * digamma(input)


@elementwise(special.digamma, takes="f", lift=True, cost=10.0)
def digamma(input: Tensor):
    """The derivative of log(gamma(input)), element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape; infinite at 0, NaN at -1, -2, …
    Gradient:
        g · polygamma(1, input).
    Example:
        >>> digamma(Tensor([1., 2.])).tolist()
        [-0.5772156715393066, 0.42278432846069336]
    """


@digamma.vjp("input")
def _(input, *, g):
    return g * derivative_of_digamma(input, order=1)


@elementwise(ByAttributes(lambda kind, order: special.polygamma(order)), takes="f", lift=True, cost=15.0)
def derivative_of_digamma(input: Tensor, order):
    """The derivative of that order of digamma."""


@derivative_of_digamma.vjp("input")
def _(input, *, order, g):
    return g * derivative_of_digamma(input, order=order + 1)


@composite
def polygamma(n, input: Tensor) -> Tensor:
    """The derivative number n of digamma, element by element.

    Args:
        n: integer, or integer tensor of one element, not negative; 0 is `digamma` itself.
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape.
    Gradient:
        g · polygamma(n + 1, input).
    Example:
        >>> polygamma(1, Tensor([1., 2.])).tolist()
        [1.644934058189392, 0.6449340581893921]
    """
    if isinstance(n, Tensor) and n.size == 1 and n.dtype.is_integer:
        n = int(n)
    if isinstance(n, bool) or not hasattr(n, "__index__") or isinstance(n, Tensor):
        raise OpTypeError(f"polygamma needs an integer for `n`, but got {n!r}", arg="n")
    if not 0 <= n.__index__() <= 100:
        raise OpValueError(f"polygamma: `n` must be from 0 to 100, but got {n}", arg="n")
    return derivative_of_digamma(input, order=n.__index__()) if n else digamma(input)


@composite
def mvlgamma(input: Tensor, p) -> Tensor:
    """Logarithm of the multivariate gamma function of p dimensions, element by element:
    log(pi) p (p - 1) / 4 + the sum of lgamma(input - j / 2) for j from 0 to p - 1.

    Args:
        input: tensor of any shape with elements above (p - 1) / 2; integers are computed as float32.
        p: number of dimensions, from 1 to 4096: there is a term for each.
    Returns:
        floating tensor of the input's shape.
    Gradient:
        g times the sum of digamma(input - j / 2).
    Example:
        >>> mvlgamma(Tensor([3., 4.]), 2).tolist()
        [1.5501949787139893, 3.5650978088378906]
    """
    if isinstance(p, bool) or not hasattr(p, "__index__") or isinstance(p, Tensor):
        raise OpTypeError(f"mvlgamma needs an integer for `p`, but got {p!r}", arg="p")
    if not 1 <= p <= 4096:
        raise OpValueError(f"mvlgamma: `p` must be 1 or more, and at most 4096, but got {p}", arg="p")
    total = lgamma(input)
    for j in range(1, p):
        total = total + lgamma(sub(input, j / 2))
    return total + LN_PI * p * (p - 1) / 4


# -- Bessel functions -------------------------------------------------------------------------------------------------


@elementwise(
    ByAttributes(lambda kind, order, is_scaled: special.bessel_i(order, is_scaled)), takes="f", lift=True, cost=40.0
)
def bessel_i(input: Tensor, order, is_scaled):
    """The modified Bessel function of the first kind of that order; scaled, it is multiplied by exp(-|input|)."""


@bessel_i.vjp("input")
def _(input, out, *, order, is_scaled, g):
    slope = bessel_i(input, order + 1, is_scaled)
    if order:
        slope = (slope + bessel_i(input, order - 1, is_scaled)) * 0.5
    return g * (slope - sign(input) * out) if is_scaled else g * slope


@composite
def bessel_i0(input: Tensor) -> Tensor:
    """The modified Bessel function of the first kind of order 0, element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape.
    Gradient:
        g · bessel_i1(input).
    Example:
        >>> bessel_i0(Tensor([0., 1.])).tolist()
        [1.0, 1.2660658359527588]
    """
    return bessel_i(input, 0, False)


@composite
def bessel_i0e(input: Tensor) -> Tensor:
    """The modified Bessel function of the first kind of order 0, times exp(-|input|), element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape.
    Gradient:
        g · (bessel_i1e(input) - sign(input) · out).
    Example:
        >>> bessel_i0e(Tensor([0., 1.])).tolist()
        [1.0, 0.46575960516929626]
    """
    return bessel_i(input, 0, True)


@composite
def bessel_i1(input: Tensor) -> Tensor:
    """The modified Bessel function of the first kind of order 1, element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape.
    Gradient:
        g times half the sum of the functions of the orders 0 and 2.
    Example:
        >>> bessel_i1(Tensor([0., 1.])).tolist()
        [0.0, 0.5651590824127197]
    """
    return bessel_i(input, 1, False)


@composite
def bessel_i1e(input: Tensor) -> Tensor:
    """The modified Bessel function of the first kind of order 1, times exp(-|input|), element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape.
    Gradient:
        g times half the sum of the scaled functions of the orders 0 and 2, less g · sign(input) · out.
    Example:
        >>> bessel_i1e(Tensor([0., 1.])).tolist()
        [0.0, 0.207910418510437]
    """
    return bessel_i(input, 1, True)


# -- further names ----------------------------------------------------------------------------------------------------

arccos, arcsin, arctan, arctan2 = acos, asin, atan, atan2
arccosh, arcsinh, arctanh = acosh, asinh, atanh
tensor_exp, tensor_pow = exp, pow
i0 = bessel_i0
