"""What convolution and pooling have in common: numbers for each spatial axis, padding, lengths of results."""

from __future__ import annotations

from typing import Any

from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.tensor import Tensor
from anfora.kernel.plan import Buffer

__all__ = ["as_images", "check_images", "each_axis", "length", "padding_of", "same_padding"]


def each_axis(name: str, arg: str, given: Any, axes: int = 2, least: int = 1) -> tuple[int, ...]:
    """A number for each spatial axis: an int stands for all. A tensor of one axis counts as the list of its numbers."""
    if isinstance(given, Tensor) and given.ndim == 1:
        given = given.tolist()
    items = tuple(given) if isinstance(given, (tuple, list)) else (given,)
    for item in items:
        if isinstance(item, bool) or not hasattr(item, "__index__"):
            raise OpTypeError(f"{name} needs integers for `{arg}`, but got {given!r}", arg=arg)
    items = tuple(item.__index__() for item in items)
    if len(items) == 1:
        items *= axes
    if len(items) != axes:
        raise OpValueError(f"{name} needs one integer or {axes} for `{arg}`, but got {given!r}", arg=arg)
    if min(items) < least:
        raise OpValueError(f"{name}: `{arg}` must be at least {least}, but got {given!r}", arg=arg)
    return items


def padding_of(name: str, given: Any, axes: int = 2, arg: str = "padding") -> tuple[int, ...]:
    """Padding in front of and behind each axis, (top, bottom, left, right), from one number, one an axis, or all."""
    if isinstance(given, (tuple, list)) and len(given) == 2 * axes and axes > 1:
        return each_axis(name, arg, given, 2 * axes, 0)
    return tuple(n for n in each_axis(name, arg, given, axes, 0) for _ in range(2))


def same_padding(n: int, window: int, stride: int, dilation: int) -> tuple[int, int]:
    """The padding of one axis with which a window gives ceil(n / stride) positions; the larger half is behind."""
    total = max((-(-n // stride) - 1) * stride + (window - 1) * dilation + 1 - n, 0)
    return total // 2, total - total // 2


def length(n: int, window: int, stride: int, dilation: int, before: int, behind: int, ceil_mode: bool = False) -> int:
    """How many positions a window has; may be negative. With `ceil_mode` the last may hang over the end, if it begins
    in the array or in front of it."""
    room = n + before + behind - (window - 1) * dilation - 1
    if not ceil_mode:
        return room // stride + 1
    count = -(-room // stride) + 1
    return count - 1 if count > 1 and (count - 1) * stride >= n + before else count


def check_images(name: str, arg: str, x: Any, ranks: tuple[int, ...] = (4,), floating: bool = True) -> None:
    """Refuse what is no batch of images."""
    if floating and not x.dtype.is_float:
        raise OpTypeError(
            f"{name} needs a floating-point tensor for `{arg}`, but got {x!r}",
            arg=arg,
            help="convert it first, e.g. x.astype(float32).",
        )
    if x.ndim not in ranks:
        form = " or ".join({3: "(C, H, W)", 4: "(N, C, H, W)"}[rank] for rank in sorted(ranks, reverse=True))
        raise OpValueError(f"{name} needs {form} for `{arg}`, but got {x!r}", arg=arg)


def as_images(x: Buffer) -> Buffer:
    """(C, H, W) as a batch of one."""
    return x if x.ndim == 4 else Buffer(x.index, x.dtype, (1, *x.shape), (0, *x.strides), x.offset)
