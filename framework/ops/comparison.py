"""Comparisons, logic, bits, and choosing between two values: what masks are made of and used for."""

from __future__ import annotations

import functools
from collections.abc import Callable

from anfora.core.abstract import TensorType
from anfora.core.dtype import float64, int64, uint64
from anfora.core.errors import OpTypeError
from anfora.core.op import Op, Weak, common_dtype, leaves
from anfora.core.tensor import Tensor
from anfora.kernel import bodies, complexes
from anfora.kernel.bodies import absolute
from anfora.kernel.emit import Value
from anfora.ops.composite import composite
from anfora.ops.families import ByAttributes, broadcast_shapes, elementwise, own_type

__all__ = [
    "approximate_equal", "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift",
    "bitwise_xor", "eq", "equal", "ge", "greater", "greater_equal", "gt", "heaviside", "invert", "isclose", "isfinite",
    "isinf", "isnan", "isneginf", "isposinf", "isreal", "le", "less", "less_equal", "logical_and", "logical_not",
    "logical_or", "logical_xor", "lt", "masked_fill", "ne", "not_equal", "select", "signbit", "tensor_ge", "tensor_gt",
    "tensor_le", "tensor_lt", "where",
]  # fmt: skip


# -- comparisons ------------------------------------------------------------------------------------------------------


def _wide_numbers(made: Op) -> None:
    """Let Python integers be compared as int64, so that a uint8 tensor may be compared with 300."""

    @made.scalars
    def _(*abstracts):
        dtype = common_dtype(*abstracts)
        is_wide = dtype.is_integer and dtype is not uint64
        return int64 if is_wide and any(isinstance(a, Weak) for a in leaves(abstracts)) else dtype


@elementwise(lambda x, y: x == y, result="bool", complex=True)
def equal(input: Tensor, other: Tensor):
    """Whether input == other, element by element. NaN equals nothing.

    Args:
        input, other: tensors or numbers whose shapes broadcast.
    Returns:
        bool tensor of the broadcast shape.
    Example:
        >>> equal(Tensor([1, 2, 3]), 2).tolist()
        [False, True, False]
    """


@elementwise(lambda x, y: x != y, result="bool", complex=True)
def not_equal(input: Tensor, other: Tensor):
    """Whether input != other, element by element. NaN differs from everything, itself included.

    Args:
        input, other: tensors or numbers whose shapes broadcast.
    Returns:
        bool tensor of the broadcast shape.
    Example:
        >>> not_equal(Tensor([1, 2, 3]), 2).tolist()
        [True, False, True]
    """


@elementwise(lambda x, y: x > y, result="bool")
def greater(input: Tensor, other: Tensor):
    """Whether input > other, element by element; false where either is NaN.

    Args:
        input, other: tensors or numbers whose shapes broadcast.
    Returns:
        bool tensor of the broadcast shape.
    Example:
        >>> greater(Tensor([1, 2, 3]), 2).tolist()
        [False, False, True]
    """


@elementwise(lambda x, y: x >= y, result="bool")
def greater_equal(input: Tensor, other: Tensor):
    """Whether input >= other, element by element; false where either is NaN.

    Args:
        input, other: tensors or numbers whose shapes broadcast.
    Returns:
        bool tensor of the broadcast shape.
    Example:
        >>> greater_equal(Tensor([1, 2, 3]), 2).tolist()
        [False, True, True]
    """


@elementwise(lambda x, y: x < y, result="bool")
def less(input: Tensor, other: Tensor):
    """Whether input < other, element by element; false where either is NaN.

    Args:
        input, other: tensors or numbers whose shapes broadcast.
    Returns:
        bool tensor of the broadcast shape.
    Example:
        >>> less(Tensor([1, 2, 3]), 2).tolist()
        [True, False, False]
    """


@elementwise(lambda x, y: x <= y, result="bool")
def less_equal(input: Tensor, other: Tensor):
    """Whether input <= other, element by element; false where either is NaN.

    Args:
        input, other: tensors or numbers whose shapes broadcast.
    Returns:
        bool tensor of the broadcast shape.
    Example:
        >>> less_equal(Tensor([1, 2, 3]), 2).tolist()
        [True, True, False]
    """


for _made in (equal, not_equal, greater, greater_equal, less, less_equal):
    _wide_numbers(_made)

eq, ne, gt, ge, lt, le = equal, not_equal, greater, greater_equal, less, less_equal
tensor_gt, tensor_ge, tensor_lt, tensor_le = greater, greater_equal, less, less_equal


@functools.cache
def _is_close(rtol: str, atol: str, equal_nan: bool) -> Callable:
    relative, margin = float.fromhex(rtol), float.fromhex(atol)

    def body(x: Value, y: Value) -> Value:
        finite = absolute(y) < float("inf")
        near = (absolute(x - y) <= absolute(y) * relative + margin) & finite
        near = near | (x == y)
        return near | (bodies.is_nan(x) & bodies.is_nan(y)) if equal_nan else near

    return body


@elementwise(
    ByAttributes(lambda kind, rtol, atol, equal_nan: _is_close(float(rtol).hex(), float(atol).hex(), bool(equal_nan))),
    result="bool",
    lift=float64,
)
def isclose(input: Tensor, other: Tensor, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether |input - other| <= atol + rtol · |other|, element by element. Equal infinities are close.

    Args:
        input, other: tensors or numbers whose shapes broadcast; integers are compared in double precision.
        rtol: tolerance relative to `other`, not negative.
        atol: absolute tolerance, not negative.
        equal_nan: whether two NaN are close.
    Returns:
        bool tensor of the broadcast shape.
    Example:
        >>> isclose(Tensor([1., 2.]), Tensor([1.000001, 2.1])).tolist()
        [True, False]
    """


@composite
def approximate_equal(x, y, tolerance=1e-05) -> Tensor:
    """Whether |x - y| < tolerance, element by element.

    Args:
        x, y: tensors or numbers whose shapes broadcast.
        tolerance: what the difference must stay below.
    Returns:
        bool tensor of the broadcast shape.
    Example:
        >>> approximate_equal(Tensor([1., 2.]), Tensor([1.25, 2.75]), 0.5).tolist()
        [True, False]
    """
    from anfora.ops.arithmetic import abs, sub

    return less(abs(sub(x, y)), tolerance)


# -- kinds of numbers -------------------------------------------------------------------------------------------------


def _never(x: Value) -> Value:
    return x != x


def _always(x: Value) -> Value:
    return x == x


@elementwise({"f": bodies.is_nan, "biu": _never}, result="bool", complex=complexes.is_not_a_number)
def isnan(input: Tensor):
    """Whether an element is not a number.

    Args:
        input: tensor of any shape and type; no integer is NaN.
    Returns:
        bool tensor of the input's shape.
    Example:
        >>> isnan(Tensor([1., float("nan")])).tolist()
        [False, True]
    """


@elementwise({"f": lambda x: absolute(x) == float("inf"), "biu": _never}, result="bool", complex=complexes.is_infinite)
def isinf(input: Tensor):
    """Whether an element is infinite, of either sign.

    Args:
        input: tensor of any shape and type; no integer is infinite.
    Returns:
        bool tensor of the input's shape.
    Example:
        >>> isinf(Tensor([1., float("-inf")])).tolist()
        [False, True]
    """


@elementwise({"f": lambda x: x == float("inf"), "biu": _never}, result="bool")
def isposinf(input: Tensor):
    """Whether an element is +infinity.

    Args:
        input: tensor of any shape and type.
    Returns:
        bool tensor of the input's shape.
    Example:
        >>> isposinf(Tensor([float("inf"), float("-inf")])).tolist()
        [True, False]
    """


@elementwise({"f": lambda x: x == float("-inf"), "biu": _never}, result="bool")
def isneginf(input: Tensor):
    """Whether an element is -infinity.

    Args:
        input: tensor of any shape and type.
    Returns:
        bool tensor of the input's shape.
    Example:
        >>> isneginf(Tensor([float("inf"), float("-inf")])).tolist()
        [False, True]
    """


@elementwise({"f": lambda x: absolute(x) < float("inf"), "biu": _always}, result="bool", complex=complexes.is_finite)
def isfinite(input: Tensor):
    """Whether an element is neither infinite nor NaN.

    Args:
        input: tensor of any shape and type; every integer is finite.
    Returns:
        bool tensor of the input's shape.
    Example:
        >>> isfinite(Tensor([1., float("inf"), float("nan")])).tolist()
        [True, False, False]
    """


@elementwise({"f": lambda x: x.bitcast(f"i{x.type.bits}") < 0, "i": lambda x: x < 0, "bu": _never}, result="bool")
def signbit(input: Tensor):
    """Whether the sign of an element is minus: true of -0.0 too.

    Args:
        input: tensor of any shape and type.
    Returns:
        bool tensor of the input's shape.
    Example:
        >>> signbit(Tensor([-1., -0., 0.])).tolist()
        [True, True, False]
    """


@composite
def isreal(input) -> Tensor:
    """Whether an element is a real number: those of real tensors are, NaN too, and complex ones without an imaginary part.

    Args:
        input: tensor of any shape and type.
    Returns:
        bool tensor of the input's shape.
    Example:
        >>> isreal(Tensor([1., 2.])).tolist()
        [True, True]
    """
    if isinstance(input, Tensor) and input.dtype.is_complex:
        from anfora.ops.complexes import imaginary_part

        return equal(imaginary_part(input), 0)
    return logical_or(isnan(input), True)


# -- logic ------------------------------------------------------------------------------------------------------------


@elementwise(lambda x, y: (x != 0) & (y != 0), result="bool", complex=True)
def logical_and(input: Tensor, other: Tensor):
    """Whether both elements are true, that is, not zero.

    Args:
        input, other: tensors or numbers whose shapes broadcast, of any types.
    Returns:
        bool tensor of the broadcast shape.
    Example:
        >>> logical_and(Tensor([True, True, False]), Tensor([1., 0., 1.])).tolist()
        [True, False, False]
    """


@elementwise(lambda x, y: (x != 0) | (y != 0), result="bool", complex=True)
def logical_or(input: Tensor, other: Tensor):
    """Whether either element is true, that is, not zero.

    Args:
        input, other: tensors or numbers whose shapes broadcast, of any types.
    Returns:
        bool tensor of the broadcast shape.
    Example:
        >>> logical_or(Tensor([True, False]), Tensor([0, 0])).tolist()
        [True, False]
    """


@elementwise(lambda x, y: (x != 0) ^ (y != 0), result="bool", complex=True)
def logical_xor(input: Tensor, other: Tensor):
    """Whether exactly one of the elements is true, that is, not zero.

    Args:
        input, other: tensors or numbers whose shapes broadcast, of any types.
    Returns:
        bool tensor of the broadcast shape.
    Example:
        >>> logical_xor(Tensor([True, True]), Tensor([True, False])).tolist()
        [False, True]
    """


@elementwise(lambda x: x == 0, result="bool", complex=True)
def logical_not(input: Tensor):
    """Whether an element is false, that is, zero.

    Args:
        input: tensor of any shape and type.
    Returns:
        bool tensor of the input's shape.
    Example:
        >>> logical_not(Tensor([0., 2.])).tolist()
        [True, False]
    """


# -- bits -------------------------------------------------------------------------------------------------------------


@elementwise(lambda x, y: x & y, takes="biu")
def bitwise_and(input: Tensor, other: Tensor):
    """The bits that both integers have; of bools, whether both are true.

    Args:
        input, other: integer or bool tensors or numbers whose shapes broadcast.
    Returns:
        tensor of the broadcast shape and the promoted type.
    Raises:
        OpTypeError: an argument is floating point.
    Example:
        >>> bitwise_and(Tensor([6, 3]), 5).tolist()
        [4, 1]
    """


@elementwise(lambda x, y: x | y, takes="biu")
def bitwise_or(input: Tensor, other: Tensor):
    """The bits that either integer has; of bools, whether either is true.

    Args:
        input, other: integer or bool tensors or numbers whose shapes broadcast.
    Returns:
        tensor of the broadcast shape and the promoted type.
    Raises:
        OpTypeError: an argument is floating point.
    Example:
        >>> bitwise_or(Tensor([6, 3]), 5).tolist()
        [7, 7]
    """


@elementwise(lambda x, y: x ^ y, takes="biu")
def bitwise_xor(input: Tensor, other: Tensor):
    """The bits that exactly one of the integers has; of bools, whether exactly one is true.

    Args:
        input, other: integer or bool tensors or numbers whose shapes broadcast.
    Returns:
        tensor of the broadcast shape and the promoted type.
    Raises:
        OpTypeError: an argument is floating point.
    Example:
        >>> bitwise_xor(Tensor([6, 3]), 5).tolist()
        [3, 6]
    """


@elementwise({"iu": lambda x: ~x, "b": lambda x: x == 0}, takes="biu")
def bitwise_not(input: Tensor):
    """The other bits: -input - 1 for signed integers; of bools, the opposite.

    Args:
        input: integer or bool tensor of any shape.
    Returns:
        tensor of the input's shape and type.
    Raises:
        OpTypeError: the input is floating point; `logical_not` says whether it is zero.
    Example:
        >>> bitwise_not(Tensor([0, 5])).tolist()
        [-1, -6]
    """


invert = bitwise_not


def _shift(x: Value, y: Value, shifted: Callable[[Value, Value], Value], beyond: Value | int) -> Value:
    """A shift by y where 0 <= y < bits, which is all that the hardware defines; else `beyond`."""
    bits = x.type.bits
    fits = y < bits
    if not y.type.is_unsigned:
        fits = fits & (y >= 0)
    return bodies.select(fits, shifted(x, bodies.select(fits, y, 0)), beyond)


def _left_shift(x: Value, y: Value) -> Value:
    return _shift(x, y, lambda x, y: x << y, 0)


def _right_shift(x: Value, y: Value) -> Value:
    return _shift(x, y, lambda x, y: x >> y, 0 if x.type.is_unsigned else x >> (x.type.bits - 1))


@elementwise(_left_shift, takes="iu")
def bitwise_left_shift(input: Tensor, other: Tensor):
    """input · 2 ** other, modulo 2 ** bits, for integers.

    Args:
        input, other: integer tensors or numbers whose shapes broadcast. A shift by the number of bits or more, or by a
            negative number, gives 0, as numpy's.
    Returns:
        integer tensor of the broadcast shape and the promoted type.
    Raises:
        OpTypeError: an argument is no integer.
    Example:
        >>> bitwise_left_shift(Tensor([1, 3]), 2).tolist()
        [4, 12]
    """


@elementwise(_right_shift, takes="iu")
def bitwise_right_shift(input: Tensor, other: Tensor):
    """floor(input / 2 ** other) for integers.

    Args:
        input, other: integer tensors or numbers whose shapes broadcast. A shift by the number of bits or more, or by a
            negative number, gives 0, or -1 for negative inputs, as numpy's.
    Returns:
        integer tensor of the broadcast shape and the promoted type.
    Raises:
        OpTypeError: an argument is no integer.
    Example:
        >>> bitwise_right_shift(Tensor([8, -8]), 2).tolist()
        [2, -2]
    """


# -- choosing ---------------------------------------------------------------------------------------------------------


@elementwise(
    lambda c, x, y: bodies.select(c != 0, x, y),
    same=("input", "other"),
    complex=lambda c, x, y: complexes.choose(c != 0, x, y),
)
def where(condition: Tensor, input: Tensor, other: Tensor):
    """`input` where the condition holds, else `other`.

    Args:
        condition: bool tensor; numbers hold where they are not zero.
        input, other: tensors or numbers; all three shapes broadcast.
    Returns:
        tensor of the broadcast shape and the type to which `input` and `other` promote.
    Gradient:
        g to `input` where the condition holds, and exactly 0 elsewhere, be g infinite or NaN; the rest to `other`.
    Example:
        >>> where(Tensor([True, False]), Tensor([1., 2.]), -1).tolist()
        [1.0, -1.0]
    """


@where.vjp("input")
def _(condition, *, g):
    return where(condition, g, 0)


@where.vjp("other")
def _(condition, *, g):
    return where(condition, 0, g)


def select(condition, input, other) -> Tensor:
    """`input` where the condition holds, else `other`: `where` under MindSpore's older name.

    Args:
        condition: bool tensor.
        input, other: tensors or numbers; all three shapes broadcast.
    Returns:
        tensor of the broadcast shape and the promoted type.
    Gradient:
        as `where`.
    Example:
        >>> select(Tensor([True, False]), Tensor([1., 2.]), -1).tolist()
        [1.0, -1.0]
    """
    return where(condition, input, other)


@elementwise(
    lambda x, mask, value: bodies.select(mask != 0, value.to(x.type.elem), x),
    same=("input_x",),
)
def masked_fill(input_x: Tensor, mask: Tensor, value: Tensor):
    """The input with `value` where the mask holds.

    Args:
        input_x: tensor of any type.
        mask: bool tensor.
        value: number, or tensor of a type no higher than the input's; all shapes broadcast.
    Returns:
        tensor of the broadcast shape and the input's type.
    Raises:
        OpTypeError: the value is floating point and the input is not, or an integer and the input is bool.
    Gradient:
        g to the input where the mask does not hold, to `value` where it does.
    Example:
        >>> masked_fill(Tensor([1., 2., 3.]), Tensor([False, True, True]), 0).tolist()
        [1.0, 0.0, 0.0]
    """


@masked_fill.infer
def _(input_x, mask, value):
    ranks = "bifc"
    if ranks.index(input_x.dtype.kind.replace("u", "i")) < ranks.index(value.dtype.kind.replace("u", "i")):
        raise OpTypeError(
            f"masked_fill: {value!r} does not fit into {input_x!r}", arg="value",
            help="convert the input first, e.g. x.astype(float32).",
        )  # fmt: skip
    return TensorType(input_x.dtype, broadcast_shapes(masked_fill, (input_x, mask, value)))


@masked_fill.scalars
def _(input_x, mask, value):
    return input_x.dtype, own_type(mask), input_x.dtype


@masked_fill.vjp("input_x")
def _(mask, *, g):
    return where(mask, 0, g)


@masked_fill.vjp("value")
def _(mask, *, g):
    return where(mask, g, 0)


def _heaviside(x: Value, at_zero: Value) -> Value:
    step = bodies.select(x > 0, x.fn.const(1, x.type), 0)
    step = bodies.select(x == 0, at_zero, step)
    return bodies.select(bodies.is_nan(x), x, step) if x.type.is_float else step


@elementwise(_heaviside, takes="iuf")
def heaviside(input: Tensor, values: Tensor):
    """The step function: 0 for negative, 1 for positive elements, `values` at zero, NaN at NaN.

    Args:
        input, values: tensors or numbers whose shapes broadcast.
    Returns:
        tensor of the broadcast shape and the promoted type.
    Example:
        >>> heaviside(Tensor([-2., 0., 3.]), 0.5).tolist()
        [0.0, 0.5, 1.0]
    """
