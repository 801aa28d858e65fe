"""Arithmetic on elements, with broadcasting: what Python's operators do, rounding, and choosing the larger or smaller."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from anfora.core.dtype import bfloat16
from anfora.core.errors import OpTypeError, OpValueError, OpZeroDivisionError
from anfora.core.op import Op, pass_gradient
from anfora.core.tensor import Tensor
from anfora.kernel import bodies, complexes
from anfora.kernel.bodies import select
from anfora.kernel.emit import Value
from anfora.ops.comparison import greater, isfinite, less, less_equal, where
from anfora.ops.composite import composite
from anfora.ops.families import ByAttributes, elementwise, place_of_fault

__all__ = [
    "abs", "absolute", "add", "addcdiv", "addcmul", "addn", "ceil", "clamp", "clip", "clip_by_value", "copysign", "div",
    "div_no_nan", "divide", "fix", "floor", "floor_div", "floor_divide", "floor_mod", "fmax", "fmin", "fmod", "frac",
    "gcd", "inv", "lcm", "lerp", "maximum", "minimum", "mod", "mul", "mul_no_nan", "multiply", "nan_to_num", "neg",
    "negative", "nextafter", "positive", "real_div", "reciprocal", "remainder", "rint", "round", "sgn", "sign",
    "square", "squared_difference", "sub", "subtract", "tensor_add", "tensor_div", "tensor_floordiv", "tensor_mod",
    "tensor_mul", "tensor_sub", "true_divide", "trunc", "truncate_div", "truncate_mod",
]  # fmt: skip


# -- the four operations ----------------------------------------------------------------------------------------------


@elementwise({"iuf": lambda x, y: x + y, "b": lambda x, y: x | y}, complex=lambda x, y: x + y)
def add(input: Tensor, other: Tensor):
    """input + other, element by element; of bools, whether either is true.

    Args:
        input, other: tensors or numbers whose shapes broadcast.
    Returns:
        tensor of the broadcast shape and the promoted type.
    Gradient:
        g to both, summed over the axes that were broadcast.
    Example:
        >>> add(Tensor([1., 2.]), 10)
        Tensor(shape=[2], dtype=Float32, value= [ 1.10000000e+01,  1.20000000e+01])
    """


add.vjp("input")(pass_gradient)
add.vjp("other")(pass_gradient)


@elementwise(lambda x, y: x - y, takes="iuf", complex=True)
def sub(input: Tensor, other: Tensor):
    """input - other, element by element.

    Args:
        input, other: tensors or numbers whose shapes broadcast, but no bools.
    Returns:
        tensor of the broadcast shape and the promoted type.
    Gradient:
        g to the input, -g to `other`.
    Example:
        >>> sub(Tensor([1., 2.]), 0.5).tolist()
        [0.5, 1.5]
    """


sub.vjp("input")(pass_gradient)


@sub.vjp("other")
def _(*, g):
    return -g


@elementwise({"iuf": lambda x, y: x * y, "b": lambda x, y: x & y}, complex=lambda x, y: x * y)
def mul(input: Tensor, other: Tensor):
    """input · other, element by element; of bools, whether both are true.

    Args:
        input, other: tensors or numbers whose shapes broadcast.
    Returns:
        tensor of the broadcast shape and the promoted type.
    Gradient:
        g · other to the input, g · input to `other`.
    Example:
        >>> mul(Tensor([1., 2.]), Tensor([[2.], [3.]])).tolist()
        [[2.0, 4.0], [3.0, 6.0]]
    """


@mul.vjp("input")
def _(other, *, g):
    return g * other


@mul.vjp("other")
def _(input, *, g):
    return g * input


@elementwise(lambda x, y: x / y, lift=True, cost=0.3, complex=True)
def real_div(input: Tensor, other: Tensor):
    """input / other, element by element: Python's `/`.

    Args:
        input, other: tensors or numbers whose shapes broadcast; integers are computed as float32.
    Returns:
        floating tensor of the broadcast shape; x / 0 is infinite, 0 / 0 NaN.
    Gradient:
        g / other to the input, -g · input / other² to `other`.
    Example:
        >>> real_div(Tensor([1, 2]), 4).tolist()
        [0.25, 0.5]
    """


@real_div.vjp("input")
def _(other, *, g):
    return g / other


@real_div.vjp("other")
def _(other, out, *, g):
    return -(g * out / other)


@elementwise(lambda x: -x, takes="iuf", complex=True)
def neg(input: Tensor):
    """-input, element by element.

    Args:
        input: tensor of any shape, but no bools; unsigned integers wrap around.
    Returns:
        tensor of the input's shape and type.
    Gradient:
        -g.
    Example:
        >>> neg(Tensor([1., -2.])).tolist()
        [-1.0, 2.0]
    """


@neg.vjp("input")
def _(*, g):
    return -g


# -- division that rounds ---------------------------------------------------------------------------------------------


def _guarded(body: Callable[[Value, Value], Value]) -> Callable[[Value, Value], Value]:
    """The body for integers: a divisor of 0 ends the kernel."""

    def guarded(x: Value, y: Value) -> Value:
        x.fn.fault(y == 0)
        return body(x, y)

    return guarded


def _refuses_zero(made: Op) -> None:
    made.faults_are_of_integers = True

    @made.fault
    def _(position, input, other):
        return OpZeroDivisionError(
            f"{made.name}: an integer is divided by zero, at {list(place_of_fault(position, input, other))}",
            arg="other",
            help="divide floating-point tensors for inf and NaN, or use where() to put another divisor in.",
        )


@elementwise({"f": bodies.floor_divide, "iu": _guarded(bodies.integer_floor_divide)}, takes="iuf", cost=2.0, pairs=True)
def floor_div(input: Tensor, other: Tensor):
    """floor(input / other), element by element: Python's `//`.

    Args:
        input, other: tensors or numbers whose shapes broadcast, but no bools.
    Returns:
        tensor of the broadcast shape and the promoted type.
    Raises:
        OpZeroDivisionError: an integer is divided by zero.
    Gradient:
        none: the result is constant between its steps.
    Example:
        >>> floor_div(Tensor([7, -7]), 2).tolist()
        [3, -4]
    """


def _truncated(x: Value, y: Value) -> Value:
    return bodies.trunc(x / y)


@elementwise({"f": _truncated, "iu": _guarded(bodies.integer_trunc_divide)}, takes="iuf", cost=1.0)
def truncate_div(input: Tensor, other: Tensor):
    """input / other, rounded towards zero, element by element.

    Args:
        input, other: tensors or numbers whose shapes broadcast, but no bools.
    Returns:
        tensor of the broadcast shape and the promoted type.
    Raises:
        OpZeroDivisionError: an integer is divided by zero.
    Gradient:
        none: the result is constant between its steps.
    Example:
        >>> truncate_div(Tensor([7, -7]), 2).tolist()
        [3, -3]
    """


@elementwise({"f": bodies.remainder, "iu": _guarded(bodies.integer_remainder)}, takes="iuf", cost=2.0, pairs=True)
def remainder(input: Tensor, other: Tensor):
    """input - floor(input / other) · other, which has the sign of `other`, element by element: Python's `%`.

    Args:
        input, other: tensors or numbers whose shapes broadcast, but no bools.
    Returns:
        tensor of the broadcast shape and the promoted type; x % 0.0 is NaN.
    Raises:
        OpZeroDivisionError: an integer is divided by zero.
    Gradient:
        g to the input, -g · floor(input / other) to `other`.
    Example:
        >>> remainder(Tensor([7, -7]), 3).tolist()
        [1, 2]
    """


remainder.vjp("input")(pass_gradient)


@remainder.vjp("other")
def _(input, other, *, g):
    return -(g * floor_div(input, other))


@elementwise({"f": bodies.fmod, "iu": _guarded(bodies.integer_fmod)}, takes="iuf", cost=2.0, pairs=True)
def fmod(input: Tensor, other: Tensor):
    """input - trunc(input / other) · other, which has the sign of the input, element by element: C's `fmod`.

    Args:
        input, other: tensors or numbers whose shapes broadcast, but no bools.
    Returns:
        tensor of the broadcast shape and the promoted type; fmod(x, 0.0) is NaN.
    Raises:
        OpZeroDivisionError: an integer is divided by zero.
    Gradient:
        g to the input, -g · trunc(input / other) to `other`.
    Example:
        >>> fmod(Tensor([7, -7]), 3).tolist()
        [1, -1]
    """


fmod.vjp("input")(pass_gradient)


@fmod.vjp("other")
def _(input, other, *, g):
    return -(g * truncate_div(input, other))


for _made in (floor_div, truncate_div, remainder, fmod):
    _refuses_zero(_made)


@composite
def div(input: Tensor, other: Tensor, *, rounding_mode=None) -> Tensor:
    """input / other, element by element, rounded where asked.

    Args:
        input, other: tensors or numbers whose shapes broadcast.
        rounding_mode: None for the quotient itself (`real_div`), "floor" (`floor_div`) or "trunc" (`truncate_div`).
    Returns:
        tensor of the broadcast shape; of integers float32 when not rounded, else the promoted type.
    Gradient:
        as `real_div`; none when rounded.
    Example:
        >>> div(Tensor([7., -7.]), 2).tolist()
        [3.5, -3.5]
        >>> div(Tensor([7., -7.]), 2, rounding_mode="floor").tolist()
        [3.0, -4.0]
    """
    rounded = {None: real_div, "floor": floor_div, "trunc": truncate_div}.get(rounding_mode)
    if rounded is None:
        raise OpValueError(
            f'div needs None, "floor" or "trunc" for `rounding_mode`, but got {rounding_mode!r}', arg="rounding_mode"
        )
    return rounded(input, other)


div.plainly = real_div  # type: ignore[attr-defined]  # what it is of two tensors, and nothing else (forms.py)


@elementwise(lambda x, y: select(y == 0.0, 0.0, x / y), lift=True, cost=0.3)
def div_no_nan(input: Tensor, other: Tensor):
    """input / other, and 0 where `other` is 0, element by element.

    Args:
        input, other: tensors or numbers whose shapes broadcast; integers are computed as float32.
    Returns:
        floating tensor of the broadcast shape.
    Gradient:
        as `real_div`, and 0 where `other` is 0.
    Example:
        >>> div_no_nan(Tensor([1., 2.]), Tensor([0., 4.])).tolist()
        [0.0, 0.5]
    """


@div_no_nan.vjp("input")
def _(other, *, g):
    return div_no_nan(g, other)


@div_no_nan.vjp("other")
def _(other, out, *, g):
    return -div_no_nan(g * out, other)


@elementwise({"f": lambda x, y: select(y == 0.0, 0.0, x * y), "iu": lambda x, y: x * y}, takes="iuf")
def mul_no_nan(input: Tensor, other: Tensor):
    """input · other, and 0 where `other` is 0, be the input infinite or NaN.

    Args:
        input, other: tensors or numbers whose shapes broadcast, but no bools.
    Returns:
        tensor of the broadcast shape and the promoted type.
    Gradient:
        g · other to the input, input · g to `other`, each 0 where its second factor is 0.
    Example:
        >>> mul_no_nan(Tensor([2., float("inf")]), Tensor([3., 0.])).tolist()
        [6.0, 0.0]
    """


@mul_no_nan.vjp("input")
def _(other, *, g):
    return mul_no_nan(g, other)


@mul_no_nan.vjp("other")
def _(input, *, g):
    return mul_no_nan(input, g)


# -- divisors ---------------------------------------------------------------------------------------------------------


@elementwise(bodies.gcd, takes="iu", cost=20.0)
def gcd(input: Tensor, other: Tensor):
    """The greatest common divisor, element by element; of 0 and 0 it is 0.

    Args:
        input, other: integer tensors or numbers whose shapes broadcast.
    Returns:
        integer tensor of the broadcast shape and the promoted type; not negative.
    Raises:
        OpTypeError: an argument is no integer.
    Example:
        >>> gcd(Tensor([12, -18]), 8).tolist()
        [4, 2]
    """


@elementwise(bodies.lcm, takes="iu", cost=20.0)
def lcm(input: Tensor, other: Tensor):
    """The least common multiple, element by element; 0 where either is 0.

    Args:
        input, other: integer tensors or numbers whose shapes broadcast.
    Returns:
        integer tensor of the broadcast shape and the promoted type; not negative unless it is too large.
    Raises:
        OpTypeError: an argument is no integer.
    Example:
        >>> lcm(Tensor([4, -6]), 10).tolist()
        [20, 30]
    """


# -- powers that are products -----------------------------------------------------------------------------------------


@elementwise(lambda x: x * x, takes="iuf", complex=True)
def square(input: Tensor):
    """input², element by element.

    Args:
        input: tensor of any shape, but no bools.
    Returns:
        tensor of the input's shape and type.
    Gradient:
        2 g · input.
    Example:
        >>> square(Tensor([1., -3.])).tolist()
        [1.0, 9.0]
    """


@square.vjp("input")
def _(input, *, g):
    return g * (input + input)


@elementwise(lambda x: 1.0 / x, takes="f", lift=True, cost=0.3, complex=True)
def reciprocal(input: Tensor):
    """1 / input, element by element.

    Args:
        input: tensor of any shape; integers are computed as float32.
    Returns:
        floating tensor of the input's shape; infinite for 0.
    Gradient:
        -g / input².
    Example:
        >>> reciprocal(Tensor([1., -4.])).tolist()
        [1.0, -0.25]
    """


reciprocal.mixed = "single"


@reciprocal.vjp("input")
def _(out, *, g):
    return -(g * square(out))


# -- size and sign ----------------------------------------------------------------------------------------------------


@elementwise({"iuf": bodies.absolute, "b": lambda x: x}, complex=complexes.modulus, result="part")
def abs(input: Tensor):
    """|input|, element by element.

    Args:
        input: tensor of any shape and type; the smallest signed integer stays what it is.
    Returns:
        tensor of the input's shape and type.
    Gradient:
        g · sign(input), which is 0 at 0.
    Example:
        >>> abs(Tensor([-1.5, 0., 2.])).tolist()
        [1.5, 0.0, 2.0]
    """


@abs.vjp("input")
def _(input, out, *, g):
    if not input.dtype.is_complex:
        return g * sign(input)
    from anfora.ops.reduction import quotient_or_zero

    return input * quotient_or_zero(g, out)


def _sign(x: Value) -> Value:
    one = x.fn.const(1, x.type)
    positive = select(x > 0, one, 0)
    if x.type.is_unsigned:
        return positive
    sign = select(x < 0, -one, positive)
    return select(bodies.is_nan(x), x, sign) if x.type.is_float else sign


@elementwise(_sign, takes="iuf")
def sign(input: Tensor):
    """-1, 0 or 1 for negative, zero and positive elements; NaN for NaN. Of complex numbers input / |input|, 0 at 0.

    Args:
        input: tensor of any shape, but no bools.
    Returns:
        tensor of the input's shape and type.
    Gradient:
        of complex numbers what of g is at right angles to the result, by |input|; 0 at 0. Of real ones none: the result
        is constant between its steps.
    Example:
        >>> sign(Tensor([-1.5, 0., 2.])).tolist()
        [-1.0, 0.0, 1.0]
    """


@elementwise(bodies.copysign, takes="f", lift=True)
def copysign(input: Tensor, other: Tensor):
    """|input| with the sign of `other`, element by element; -0.0 has a sign too.

    Args:
        input, other: tensors or numbers whose shapes broadcast; integers are computed as float32.
    Returns:
        floating tensor of the broadcast shape.
    Gradient:
        g to the input, -g where the sign was changed, 0 where the input is 0; none to `other`.
    Example:
        >>> copysign(Tensor([1., -2.]), Tensor([-0.0, 3.])).tolist()
        [-1.0, 2.0]
    """


@copysign.vjp("input")
def _(input, out, *, g):
    return g * (sign(input) * sign(out))


@elementwise(bodies.nextafter, takes="f")
def nextafter(input: Tensor, other: Tensor):
    """The next floating-point number from the input in the direction of `other`, element by element.

    Args:
        input, other: float32 or float64 tensors or numbers whose shapes broadcast.
    Returns:
        tensor of the broadcast shape and the promoted type.
    Raises:
        OpTypeError: the arguments promote to float16 or bfloat16.
    Example:
        >>> nextafter(Tensor([0., 1.]), 2).tolist()
        [1.401298464324817e-45, 1.0000001192092896]
    """


_infer_next = nextafter.infer_rule


@nextafter.infer
def _(input, other):
    assert _infer_next is not None
    kind = _infer_next(input, other)
    if kind.dtype.bits == 16:
        raise OpTypeError(
            f"nextafter needs float32 or float64 for `input`, but got {kind!r}", arg="input",
            help="convert it first, e.g. x.astype(float32).",
        )  # fmt: skip
    return kind


# -- the larger and the smaller ---------------------------------------------------------------------------------------


def _share(g: Value, x: Value, y: Value) -> Value:
    return select(x > y, g, select(x == y, g * 0.5, 0.0))


@elementwise(_share, takes="f")
def larger_share(gradient: Tensor, input: Tensor, other: Tensor):
    """The gradient where input > other, half of it where they are equal, else 0."""


@larger_share.vjp("gradient")
def _(input, other, *, g):
    return larger_share(g, input, other)


@elementwise({"iuf": bodies.maximum, "b": lambda x, y: x | y})
def maximum(input: Tensor, other: Tensor):
    """The larger of two elements; NaN where either is NaN.

    Args:
        input, other: tensors or numbers whose shapes broadcast.
    Returns:
        tensor of the broadcast shape and the promoted type.
    Gradient:
        g to the larger, half to each where they are equal.
    Example:
        >>> maximum(Tensor([1., 5.]), 3).tolist()
        [3.0, 5.0]
    """


@maximum.vjp("input")
def _(input, other, *, g):
    return larger_share(g, input, other)


@maximum.vjp("other")
def _(input, other, *, g):
    return larger_share(g, other, input)


@elementwise({"iuf": bodies.minimum, "b": lambda x, y: x & y})
def minimum(input: Tensor, other: Tensor):
    """The smaller of two elements; NaN where either is NaN.

    Args:
        input, other: tensors or numbers whose shapes broadcast.
    Returns:
        tensor of the broadcast shape and the promoted type.
    Gradient:
        g to the smaller, half to each where they are equal.
    Example:
        >>> minimum(Tensor([1., 5.]), 3).tolist()
        [1.0, 3.0]
    """


@minimum.vjp("input")
def _(input, other, *, g):
    return larger_share(g, other, input)


@minimum.vjp("other")
def _(input, other, *, g):
    return larger_share(g, input, other)


def _clamp(x: Value, low: Value | None, high: Value | None) -> Value:
    if low is not None:
        x = bodies.maximum(low, x) if not x.type.is_float else select((x < low) | bodies.is_nan(low), low, x)
    if high is not None:
        x = bodies.minimum(high, x) if not x.type.is_float else select((x > high) | bodies.is_nan(high), high, x)
    return x


@elementwise(_clamp, takes="iuf")
def clamp(input: Tensor, min: Tensor | None = None, max: Tensor | None = None):
    """The input, brought into the range from `min` to `max`, element by element.

    Args:
        input: tensor of any shape, but no bools.
        min, max: tensors or numbers whose shapes broadcast with the input's, or None for no bound; where min > max the
            result is max.
    Returns:
        tensor of the broadcast shape and the promoted type; NaN stays.
    Gradient:
        g to the input where it is in the range, the ends included; elsewhere to the bound that is taken.
    Example:
        >>> clamp(Tensor([-1., 0.5, 3.]), 0, 1).tolist()
        [0.0, 0.5, 1.0]
        >>> clamp(Tensor([-1., 0.5, 3.]), max=2).tolist()
        [-1.0, 0.5, 2.0]
    """


_NO_BOUNDS = "clamp needs `min` or `max`, or both, but got neither"
_infer_clamp = clamp.infer_rule


@clamp.infer
def _(input, min, max):
    if min is None and max is None:
        raise OpTypeError(_NO_BOUNDS, arg="min")
    assert _infer_clamp is not None
    return _infer_clamp(input, min, max)


def _not_outside(g: Value, x: Value, low: Value | None, high: Value | None) -> Value:
    if low is not None:
        g = select(x < low, 0.0, g)
    if high is not None:
        g = select(x > high, 0.0, g)
    if low is not None and high is not None:
        g = select(low > high, 0.0, g)
    return g


@elementwise(_not_outside, takes="f")
def inside_share(gradient: Tensor, input: Tensor, min: Tensor | None = None, max: Tensor | None = None):
    """The gradient where the input lies in the range, else 0."""


@inside_share.vjp("gradient")
def _(input, min, max, *, g):
    return inside_share(g, input, min, max)


@clamp.vjp("input")
def _(input, min, max, *, g):
    return inside_share(g, input, min, max)


@clamp.vjp("min")
def _(input, min, max, *, g):
    below = less(input, min)
    return where(below if max is None else below & less_equal(min, max), g, 0)


@clamp.vjp("max")
def _(input, min, max, *, g):
    above = greater(input, max)
    return where(above if min is None else above | greater(min, max), g, 0)


@composite
def clip_by_value(x, clip_value_min=None, clip_value_max=None) -> Any:
    """The input, or each of several, brought into a range, element by element.

    Args:
        x: tensor, or list or tuple of tensors.
        clip_value_min, clip_value_max: tensors or numbers, or None for no bound.
    Returns:
        tensor, or list or tuple of them.
    Gradient:
        as `clamp`.
    Example:
        >>> clip_by_value(Tensor([-1., 0.5, 3.]), 0, 1).tolist()
        [0.0, 0.5, 1.0]
    """
    if clip_value_min is None and clip_value_max is None:
        raise OpTypeError(
            "clip_by_value needs `clip_value_min` or `clip_value_max`, or both, but got neither", arg="clip_value_min"
        )
    if isinstance(x, (tuple, list)):
        return type(x)(clamp(one, clip_value_min, clip_value_max) for one in x)
    return clamp(x, clip_value_min, clip_value_max)


def _fmax(x: Value, y: Value) -> Value:
    return select((x > y) | bodies.is_nan(y), x, y) if x.type.is_float else bodies.maximum(x, y)


def _fmin(x: Value, y: Value) -> Value:
    return select((x < y) | bodies.is_nan(y), x, y) if x.type.is_float else bodies.minimum(x, y)


@elementwise({"iuf": _fmax, "b": lambda x, y: x | y})
def fmax(input: Tensor, other: Tensor):
    """The larger of two elements; where one is NaN, the other.

    Args:
        input, other: tensors or numbers whose shapes broadcast.
    Returns:
        tensor of the broadcast shape and the promoted type.
    Gradient:
        g to the element that is taken, half to each where they are equal.
    Example:
        >>> fmax(Tensor([1., float("nan")]), 0.5).tolist()
        [1.0, 0.5]
    """


@elementwise({"iuf": _fmin, "b": lambda x, y: x & y})
def fmin(input: Tensor, other: Tensor):
    """The smaller of two elements; where one is NaN, the other.

    Args:
        input, other: tensors or numbers whose shapes broadcast.
    Returns:
        tensor of the broadcast shape and the promoted type.
    Gradient:
        g to the element that is taken, half to each where they are equal.
    Example:
        >>> fmin(Tensor([1., float("nan")]), 0.5).tolist()
        [0.5, 0.5]
    """


def _matching_share(g: Value, out: Value, x: Value, y: Value) -> Value:
    return select(x == out, select(y == out, g * 0.5, g), 0.0)


@elementwise(_matching_share, takes="f")
def taken_share(gradient: Tensor, out: Tensor, input: Tensor, other: Tensor):
    """The gradient where the input is what was taken, half of it where `other` is too, else 0."""


@taken_share.vjp("gradient")
def _(out, input, other, *, g):
    return taken_share(g, out, input, other)


for _made in (fmax, fmin):

    @_made.vjp("input")
    def _(input, other, out, *, g):
        return taken_share(g, out, input, other)

    @_made.vjp("other")
    def _(input, other, out, *, g):
        return taken_share(g, out, other, input)


# -- rounding ---------------------------------------------------------------------------------------------------------


@elementwise(bodies.floor, takes="iuf")
def floor(input: Tensor):
    """The largest whole number that is not above the element.

    Args:
        input: tensor of any shape, but no bools; integers stay as they are.
    Returns:
        tensor of the input's shape and type.
    Gradient:
        none: the result is constant between its steps.
    Example:
        >>> floor(Tensor([1.5, -1.5])).tolist()
        [1.0, -2.0]
    """


@elementwise(bodies.ceil, takes="iuf")
def ceil(input: Tensor):
    """The smallest whole number that is not below the element.

    Args:
        input: tensor of any shape, but no bools; integers stay as they are.
    Returns:
        tensor of the input's shape and type.
    Gradient:
        none: the result is constant between its steps.
    Example:
        >>> ceil(Tensor([1.5, -1.5])).tolist()
        [2.0, -1.0]
    """


@elementwise(bodies.trunc, takes="iuf")
def trunc(input: Tensor):
    """The element without what stands behind its point.

    Args:
        input: tensor of any shape, but no bools; integers stay as they are.
    Returns:
        tensor of the input's shape and type.
    Gradient:
        none: the result is constant between its steps.
    Example:
        >>> trunc(Tensor([1.5, -1.5])).tolist()
        [1.0, -1.0]
    """


@elementwise(bodies.rint, takes="iuf")
def rint(input: Tensor):
    """The nearest whole number; halves go to the even one.

    Args:
        input: tensor of any shape, but no bools; integers stay as they are.
    Returns:
        tensor of the input's shape and type.
    Gradient:
        none: the result is constant between its steps.
    Example:
        >>> rint(Tensor([0.5, 1.5, -1.7])).tolist()
        [0.0, 2.0, -2.0]
    """


@functools.cache
def _rounding(decimals: int, kind: str) -> Callable[[Value], Value]:
    """The body of `round`, as numpy's: scaled, rounded, scaled back."""

    def floating(x: Value) -> Value:
        scale = float(f"1e{abs(decimals)}")
        if decimals < 0:
            return bodies.rint(x / scale) * scale
        scaled = x * scale
        return select(bodies.absolute(scaled) < math.inf, bodies.rint(scaled) / scale, x)

    def whole(x: Value) -> Value:
        scale = x.fn.const(10**-decimals, x.type)
        rest = bodies.integer_remainder(x, scale)
        low = x - rest
        gap = scale - rest
        odd = (bodies.integer_trunc_divide(low, scale) & 1) != 0
        return select((rest > gap) | ((rest == gap) & odd), low + scale, low)

    if decimals == 0 or (kind != "f" and decimals > 0):
        return bodies.rint
    return floating if kind == "f" else whole


@elementwise(ByAttributes(lambda kind, decimals: _rounding(decimals, kind)), takes="iuf")
def round(input: Tensor, decimals=0):
    """The nearest number with so many decimals; halves go to the even one.

    Args:
        input: tensor of any shape, but no bools.
        decimals: how many digits to keep behind the point; negative ones round to tens, hundreds, …
    Returns:
        tensor of the input's shape and type.
    Gradient:
        none: the result is constant between its steps.
    Example:
        >>> round(Tensor([0.5, 1.5, -1.7])).tolist()
        [0.0, 2.0, -2.0]
        >>> round(Tensor([1234, 1250]), decimals=-2).tolist()
        [1200, 1200]
    """


@round.normalize
def _(input, *, decimals):
    if isinstance(decimals, bool) or not hasattr(decimals, "__index__"):
        raise OpTypeError(f"round needs an integer for `decimals`, but got {decimals!r}", arg="decimals")
    decimals = decimals.__index__()
    limit = 30 if input.dtype.is_float else 2 if input.dtype.bits == 8 else 4 if input.dtype.bits == 16 else 9
    if decimals < -limit:
        raise OpValueError(
            f"round: `decimals` must be {-limit} or more for {input!r}, but got {decimals}", arg="decimals"
        )
    if decimals > 30:
        raise OpValueError(f"round: `decimals` must be 30 or less, but got {decimals}", arg="decimals")
    return {"decimals": decimals}


@elementwise({"f": lambda x: x - bodies.trunc(x), "iu": lambda x: x - x}, takes="iuf")
def frac(input: Tensor):
    """What stands behind the point of an element, with its sign.

    Args:
        input: tensor of any shape, but no bools.
    Returns:
        tensor of the input's shape and type.
    Gradient:
        g.
    Example:
        >>> frac(Tensor([1.5, -2.25])).tolist()
        [0.5, -0.25]
    """


frac.vjp("input")(pass_gradient)


# -- several operations in one ----------------------------------------------------------------------------------------


@elementwise(lambda x, a, b, value: x + value * a * b, takes="iuf", complex=True)
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, value: Tensor = 1):
    """input + value · tensor1 · tensor2, element by element.

    Args:
        input, tensor1, tensor2: tensors or numbers whose shapes broadcast, but no bools.
        value: number or tensor.
    Returns:
        tensor of the broadcast shape and the promoted type.
    Gradient:
        g to the input; g times the other factors to each factor.
    Example:
        >>> addcmul(Tensor([1., 1.]), Tensor([2., 3.]), Tensor([4., 5.]), 0.5).tolist()
        [5.0, 8.5]
    """


addcmul.vjp("input")(pass_gradient)


@addcmul.vjp("tensor1")
def _(tensor2, value, *, g):
    return g * tensor2 * value


@addcmul.vjp("tensor2")
def _(tensor1, value, *, g):
    return g * tensor1 * value


@addcmul.vjp("value")
def _(tensor1, tensor2, *, g):
    return g * tensor1 * tensor2


@elementwise(bodies.fma, takes="f")
def multiply_add(input: Tensor, factor: Tensor, other: Tensor):
    """input · factor + other, element by element, rounded once."""


multiply_add.vjp("other")(pass_gradient)


@multiply_add.vjp("input")
def _(factor, *, g):
    return g * factor


@multiply_add.vjp("factor")
def _(input, *, g):
    return g * input


@elementwise(lambda x, a, b, value: x + value * a / b, lift=True, cost=0.3, complex=True)
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, value: Tensor = 1):
    """input + value · tensor1 / tensor2, element by element.

    Args:
        input, tensor1, tensor2: tensors or numbers whose shapes broadcast; integers are computed as float32.
        value: number or tensor.
    Returns:
        floating tensor of the broadcast shape.
    Gradient:
        g to the input, g · value / tensor2 to tensor1, -g · value · tensor1 / tensor2² to tensor2, g · tensor1 / tensor2
        to `value`.
    Example:
        >>> addcdiv(Tensor([1., 1.]), Tensor([2., 3.]), Tensor([4., 6.]), 10).tolist()
        [6.0, 6.0]
    """


addcdiv.vjp("input")(pass_gradient)


@addcdiv.vjp("tensor1")
def _(tensor2, value, *, g):
    return g * value / tensor2


@addcdiv.vjp("tensor2")
def _(tensor1, tensor2, value, *, g):
    return -(g * value * tensor1 / tensor2 / tensor2)


@addcdiv.vjp("value")
def _(tensor1, tensor2, *, g):
    return g * tensor1 / tensor2


def _lerp(start: Value, end: Value, weight: Value) -> Value:
    gap = end - start
    return select(bodies.absolute(weight) < 0.5, bodies.fma(weight, gap, start), bodies.fma(weight - 1.0, gap, end))


@elementwise(_lerp, takes="f", lift=True, complex=lambda start, end, weight: start + weight * (end - start))
def lerp(input: Tensor, end: Tensor, weight: Tensor):
    """input + weight · (end - input), element by element; exactly the ends at the weights 0 and 1.

    Args:
        input, end, weight: tensors or numbers whose shapes broadcast; integers are computed as float32.
    Returns:
        floating tensor of the broadcast shape.
    Gradient:
        g · (1 - weight) to the input, g · weight to `end`, g · (end - input) to `weight`.
    Example:
        >>> lerp(Tensor([1., 2.]), Tensor([3., 6.]), 0.25).tolist()
        [1.5, 3.0]
    """


@lerp.vjp("input")
def _(weight, *, g):
    return g - g * weight


@lerp.vjp("end")
def _(weight, *, g):
    return g * weight


@lerp.vjp("weight")
def _(input, end, *, g):
    return g * (end - input)


def _replaced(x: Value, nan: Value, posinf: Value, neginf: Value) -> Value:
    replaced = select(x == -math.inf, neginf, select(x == math.inf, posinf, x))
    return select(bodies.is_nan(x), nan, replaced)


@elementwise(_replaced, takes="f")
def replace_special(input: Tensor, nan: Tensor, posinf: Tensor, neginf: Tensor):
    """The input with other numbers for NaN, infinity and -infinity."""


@replace_special.vjp("input")
def _(input, *, g):
    return where(isfinite(input), g, 0)


@composite
def nan_to_num(input: Tensor, nan=None, posinf=None, neginf=None) -> Tensor:
    """The input with finite numbers for what is not finite.

    Args:
        input: tensor of any shape; integers stay as they are.
        nan: what stands for NaN; 0 when not given.
        posinf, neginf: what stands for the infinities; the largest and the lowest finite number of the input's type when
            not given.
    Returns:
        tensor of the input's shape and type.
    Gradient:
        g where the input is finite, else 0.
    Example:
        >>> nan_to_num(Tensor([1., float("nan"), float("inf")]), posinf=9.0).tolist()
        [1.0, 0.0, 9.0]
    """
    if not isinstance(input, Tensor):
        raise OpTypeError(f"nan_to_num needs a tensor for `input`, but got {input!r}", arg="input")
    if input.dtype.is_complex:
        from anfora.ops.complexes import complex, imag, real

        return complex(*(nan_to_num(part(input), nan, posinf, neginf) for part in (real, imag)))
    if not input.dtype.is_float:
        return positive(input)
    largest = _LARGEST_BFLOAT16 if input.dtype is bfloat16 else float(np.finfo(input.dtype.storage).max)
    return replace_special(
        input,
        0.0 if nan is None else nan,
        largest if posinf is None else posinf,
        -largest if neginf is None else neginf,
    )


_LARGEST_BFLOAT16 = (2.0 - 2.0**-7) * 2.0**127


@elementwise(lambda x: x, takes="iuf", complex=True)
def positive(input: Tensor):
    """A copy of the input: Python's unary `+`.

    Args:
        input: tensor of any shape, but no bools.
    Returns:
        tensor of the input's shape and type.
    Gradient:
        g.
    Example:
        >>> positive(Tensor([1., -2.])).tolist()
        [1.0, -2.0]
    """


positive.vjp("input")(pass_gradient)


# -- further names ----------------------------------------------------------------------------------------------------


@composite
def subtract(input: Tensor, other: Tensor, *, alpha=1) -> Tensor:
    """input - alpha · other, element by element.

    Args:
        input, other: tensors or numbers whose shapes broadcast, but no bools.
        alpha: number.
    Returns:
        tensor of the broadcast shape and the promoted type.
    Gradient:
        g to the input, -alpha · g to `other`.
    Example:
        >>> subtract(Tensor([5., 6.]), Tensor([1., 2.]), alpha=2).tolist()
        [3.0, 2.0]
    """
    return sub(input, other) if alpha == 1 else sub(input, mul(other, alpha))


@composite
def squared_difference(input, other) -> Tensor:
    """(input - other)², element by element.

    Args:
        input, other: tensors or numbers whose shapes broadcast, but no bools.
    Returns:
        tensor of the broadcast shape and the promoted type.
    Gradient:
        2 g · (input - other) to the input, the opposite to `other`.
    Example:
        >>> squared_difference(Tensor([1., 5.]), 3).tolist()
        [4.0, 4.0]
    """
    return square(sub(input, other))


@composite
def addn(x) -> Tensor:
    """The sum of several tensors, element by element, from the first to the last.

    Args:
        x: list or tuple of tensors, or one tensor.
    Returns:
        tensor of the broadcast shape and the promoted type.
    Gradient:
        g to each.
    Example:
        >>> addn([Tensor([1., 2.]), Tensor([3., 4.]), Tensor([5., 6.])]).tolist()
        [9.0, 12.0]
    """
    if isinstance(x, Tensor):
        return positive(x)
    if not isinstance(x, (list, tuple)) or not x:
        raise OpTypeError(f"addn needs a list or tuple of tensors for `x`, but got {x!r}", arg="x")
    total = add(x[0], x[1]) if len(x) > 1 else positive(x[0])
    for term in x[2:]:
        total = add(total, term)
    return total


absolute, negative, multiply, inv, sgn, clip = abs, neg, mul, reciprocal, sign, clamp
divide, true_divide, floor_divide = div, real_div, floor_div
mod = floor_mod = remainder
truncate_mod, fix = fmod, trunc
tensor_add, tensor_sub, tensor_mul, tensor_div = add, sub, mul, real_div
tensor_floordiv, tensor_mod = floor_div, remainder
