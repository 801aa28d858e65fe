"""Elements added around the last axes, or around all."""

from __future__ import annotations

from typing import Any

from anfora import ops
from anfora.core.cell import Cell
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.tensor import Tensor
from anfora.nn.checks import choice, integers, number

__all__ = [
    "ConstantPad1d", "ConstantPad2d", "ConstantPad3d", "Pad", "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d",
    "ReplicationPad1d", "ReplicationPad2d", "ReplicationPad3d", "ZeroPad2d",
]  # fmt: skip


class Pad(Cell):
    """Elements added in front of and behind every axis.

    Args:
        paddings: a pair (in front, behind) of numbers, not negative, for each axis.
        mode: what the new elements are: "CONSTANT": zeros; "REFLECT": the tensor mirrored at its first and last elements,
            c b | a b c | b a; "SYMMETRIC": mirrored with these repeated, b a | a b c | c b.

    Example:
        >>> Pad(((0, 0), (1, 2)), "SYMMETRIC")(Tensor([[1, 2, 3]])).tolist()
        [[1, 1, 2, 3, 3, 2]]
    """

    def __init__(self, paddings: Any, mode: str = "CONSTANT") -> None:
        super().__init__()
        self.mode = choice("Pad", "mode", mode, ("CONSTANT", "REFLECT", "SYMMETRIC"))
        if not isinstance(paddings, (tuple, list)) or any(not isinstance(pair, (tuple, list)) for pair in paddings):
            raise OpTypeError(f"Pad needs pairs of integers for `paddings`, but got {paddings!r}", arg="paddings")
        self.paddings = tuple(integers("Pad", "paddings", pair, 2, least=0) for pair in paddings)

    def construct(self, x: Tensor) -> Tensor:
        if len(self.paddings) != x.ndim:
            raise OpValueError(f"Pad has pairs for {len(self.paddings)} axes, but got a tensor of {x.ndim}")
        if self.mode == "SYMMETRIC":
            for axis, (before, after) in enumerate(self.paddings):
                x = _mirrored(x, axis, before, after)
            return x
        flat = [n for pair in reversed(self.paddings) for n in pair]
        return ops.pad(x, flat, "constant" if self.mode == "CONSTANT" else "reflect")

    def extend_repr(self) -> str:
        return f"paddings={self.paddings}, mode={self.mode}"


def _mirrored(x: Tensor, axis: int, before: int, after: int) -> Tensor:
    """The tensor with its first and last elements again, in reverse order, in front and behind."""
    length = x.shape[axis]
    if before > length or after > length:
        raise OpValueError(f"Pad: axis {axis} has {length} elements, which cannot be mirrored by {max(before, after)}")
    front = ops.flip(ops.narrow(x, axis, 0, before), (axis,))
    back = ops.flip(ops.narrow(x, axis, length - after, after), (axis,))
    return ops.concat((front, x, back), axis) if before or after else x


class _LastAxes(Cell):
    """What the forms for the last axes share: pairs (in front, behind) for the last axis, the one before it, …"""

    axes = 0
    mode = "constant"

    def __init__(self, padding: Any, value: Any = None, least: int | None = 0) -> None:
        super().__init__()
        self.padding = integers(type(self).__name__, "padding", padding, 2 * self.axes, least=least)
        self.value = value

    def construct(self, x: Tensor) -> Tensor:
        if not self.axes <= x.ndim:
            raise OpValueError(f"{type(self).__name__} pads {self.axes} axes, but got a tensor of {x.ndim}")
        return ops.pad(x, self.padding, self.mode, self.value)

    def extend_repr(self) -> str:
        return f"padding={self.padding}" + ("" if self.value is None else f", value={self.value}")


class _Constant(_LastAxes):
    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding, number(type(self).__name__, "value", value), least=None)


class ConstantPad1d(_Constant):
    """`value` around the last axis.

    Args:
        padding: (left, right), or one number for both; negative numbers take elements away.
        value: a number.

    Example:
        >>> ConstantPad1d((1, 2), 5)(Tensor([[1, 2]])).tolist()
        [[5, 1, 2, 5, 5]]
    """

    axes = 1


class ConstantPad2d(_Constant):
    """`value` around the last two axes.

    Args:
        padding: (left, right, top, bottom), or one number for all; negative numbers take elements away.
        value: a number.

    Example:
        >>> ConstantPad2d((1, 0, 0, 1), 5)(Tensor([[[1, 2]]])).tolist()
        [[[5, 1, 2], [5, 5, 5]]]
    """

    axes = 2


class ConstantPad3d(_Constant):
    """`value` around the last three axes.

    Args:
        padding: (left, right, top, bottom, front, back), or one number for all; negative numbers take elements away.
        value: a number.

    Example:
        >>> ConstantPad3d(1, 5)(ops.ones((1, 2, 3, 4))).shape
        (1, 4, 5, 6)
    """

    axes = 3


class ZeroPad2d(_LastAxes):
    """Zeros around the last two axes.

    Args:
        padding: (left, right, top, bottom), or one number for all; negative numbers take elements away.

    Example:
        >>> ZeroPad2d((1, 0, 0, 1))(Tensor([[[1, 2]]])).tolist()
        [[[0, 1, 2], [0, 0, 0]]]
    """

    axes = 2

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, least=None)


class _Extension(_LastAxes):
    def __init__(self, padding: Any) -> None:
        super().__init__(padding)


class ReflectionPad1d(_Extension):
    """The last axis mirrored at its first and last elements: c b | a b c | b a.

    Args:
        padding: (left, right), or one number for both; less than the length.

    Example:
        >>> ReflectionPad1d(2)(Tensor([[1, 2, 3]])).tolist()
        [[3, 2, 1, 2, 3, 2, 1]]
    """

    axes, mode = 1, "reflect"


class ReflectionPad2d(_Extension):
    """The last two axes mirrored at their first and last elements.

    Args:
        padding: (left, right, top, bottom), or one number for all; less than the lengths.

    Example:
        >>> ReflectionPad2d((1, 0, 1, 0))(Tensor([[[1, 2], [3, 4]]])).tolist()
        [[[4, 3, 4], [2, 1, 2], [4, 3, 4]]]
    """

    axes, mode = 2, "reflect"


class ReflectionPad3d(_Extension):
    """The last three axes mirrored at their first and last elements.

    Args:
        padding: (left, right, top, bottom, front, back), or one number for all; less than the lengths.

    Example:
        >>> ReflectionPad3d(1)(ops.ones((1, 2, 3, 4))).shape
        (1, 4, 5, 6)
    """

    axes, mode = 3, "reflect"


class ReplicationPad1d(_Extension):
    """The first and last elements of the last axis again: a a | a b c | c c.

    Args:
        padding: (left, right), or one number for both.

    Example:
        >>> ReplicationPad1d(2)(Tensor([[1, 2, 3]])).tolist()
        [[1, 1, 1, 2, 3, 3, 3]]
    """

    axes, mode = 1, "replicate"


class ReplicationPad2d(_Extension):
    """The first and last elements of the last two axes again.

    Args:
        padding: (left, right, top, bottom), or one number for all.

    Example:
        >>> ReplicationPad2d((1, 0, 1, 0))(Tensor([[[1, 2], [3, 4]]])).tolist()
        [[[1, 1, 2], [1, 1, 2], [3, 3, 4]]]
    """

    axes, mode = 2, "replicate"


class ReplicationPad3d(_Extension):
    """The first and last elements of the last three axes again.

    Args:
        padding: (left, right, top, bottom, front, back), or one number for all.

    Example:
        >>> ReplicationPad3d(1)(ops.ones((1, 2, 3, 4))).shape
        (1, 4, 5, 6)
    """

    axes, mode = 3, "replicate"
