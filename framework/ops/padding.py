"""Padding: elements around a tensor."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from anfora.core.abstract import TensorType
from anfora.core.errors import OpValueError
from anfora.core.op import op
from anfora.core.tensor import Tensor
from anfora.kernel.loops import plan_copy
from anfora.kernel.plan import Buffer, Planner
from anfora.ops.composite import composite
from anfora.ops.copying import copy
from anfora.ops.creation import integers
from anfora.ops.families import linear
from anfora.ops.joining import concat
from anfora.ops.shape import index_view, reshape, whole

__all__ = ["pad"]


@op
def pad_constant(input: Tensor, value: Tensor, before, after):
    """`before[i]` elements in front of axis i and `after[i]` behind it, all equal to a value of one element."""


@pad_constant.infer
def _(input, value, *, before, after):
    if value.size != 1:
        raise OpValueError(f"pad needs one element for `value`, but got {value!r}", arg="value")
    return TensorType(input.dtype, tuple(b + n + a for b, n, a in zip(before, input.shape, after)))


@pad_constant.scalars
def _(input, value, *, before, after):
    return input.dtype


def _window(out: Buffer, start: tuple[int, ...], shape: tuple[int, ...]) -> Buffer:
    offset = sum(i * step for i, step in zip(start, out.strides))
    return replace(out, shape=shape).moved(offset)


@pad_constant.kernel
def _(p: Planner, input: Buffer, value: Buffer, out: Buffer, *, before, after):
    value = value.reshaped() if value.ndim else value
    plan_copy(p, input, _window(out, before, input.shape))
    # Slabs in front and behind, each as wide as the axes that are done.
    start, shape = list(before), list(input.shape)
    for axis in reversed(range(out.ndim)):
        for first, count in ((0, before[axis]), (before[axis] + input.shape[axis], after[axis])):
            slab = (*shape[:axis], count, *shape[axis + 1 :])
            if 0 not in slab:
                plan_copy(p, value, _window(out, (*start[:axis], first, *start[axis + 1 :]), slab))
        start[axis], shape[axis] = 0, out.shape[axis]


@pad_constant.vjp("input")
def _(input_type, *, before, g):
    return _inner(g, before, input_type.shape)


@pad_constant.vjp("value")
def _(input_type, value_type, *, before, g):
    return reshape(g.sum() - _inner(g, before, input_type.shape).sum(), value_type.shape)


linear(pad_constant, ("input", "value"))


@pad_constant.batch
def _(batched, input, value, *, before, after):
    return NotImplemented if batched[1] else pad_constant(input, value, (0, *before), (0, *after))


def _inner(g: Tensor, before: tuple[int, ...], shape: tuple[int, ...]) -> Tensor:
    return index_view(g, tuple((b, n, 1) for b, n in zip(before, shape)))


_MODES = ("constant", "reflect", "replicate", "circular")


@composite
def pad(input_x: Tensor, padding, mode="constant", value=None) -> Tensor:
    """Elements added in front of and behind axes.

    Args:
        input_x: tensor.
        padding: pairs (in front, behind), of which the first is for the last axis, the second for the last but one, …
            Negative numbers take elements away. In the form of MindSpore 1 (`paddings=`), a pair of its own for every axis,
            the first axis first.
        mode: what the new elements are:
            "constant": `value`;
            "reflect": the tensor mirrored at its first and last elements, which are not repeated: c b | a b c | b a;
            "replicate": the first and the last element: a a | a b c | c c;
            "circular": the tensor again: b c | a b c | a b.
        value: a number, or a tensor of one element; 0 when not given.
    Returns:
        tensor of the element type of `input_x`.
    Raises:
        OpTypeError: `padding` is not made of integers.
        OpValueError: there are too many or an odd number of them; `mode` is unknown; more elements are asked for than the
            mode can give ("reflect": fewer than the length, "circular": at most the length); more are taken away than
            there are.
    Example:
        >>> pad(Tensor([1, 2, 3]), (1, 2)).tolist(), pad(Tensor([1, 2, 3]), (1, 2), "reflect").tolist()
        ([0, 1, 2, 3, 0, 0], [2, 1, 2, 3, 2, 1])
    """
    numbers = integers("pad", _of_every_axis(padding, input_x.ndim), "padding")
    if len(numbers) % 2 or len(numbers) > 2 * input_x.ndim:
        raise OpValueError(
            f"pad needs pairs of numbers for at most {input_x.ndim} axes, but got {numbers}", arg="padding"
        )
    if mode not in _MODES:
        raise OpValueError(f"pad: `mode` must be one of {', '.join(_MODES)}, but got {mode!r}", arg="mode")
    pairs = [(0, 0)] * (input_x.ndim - len(numbers) // 2) + list(zip(numbers[-2::-2], numbers[::-2]))
    result = _cropped(input_x, pairs)
    pairs = [(max(b, 0), max(a, 0)) for b, a in pairs]
    if not any(b or a for b, a in pairs):
        return copy(result) if result is input_x else result
    if mode == "constant":
        before, after = (tuple(pair[i] for pair in pairs) for i in (0, 1))
        return pad_constant(result, 0 if value is None else value, before, after)
    if value is not None:
        raise OpValueError(f'pad takes a `value` in mode "constant" only, but got {value!r} with {mode!r}', arg="value")
    for axis, (b, a) in enumerate(pairs):
        if b or a:
            result = _extended(result, axis, b, a, mode)
    return result


def _of_every_axis(padding: Any, ndim: int) -> Any:
    """Numbers for the last axes in front, of a pair for every axis."""
    if not isinstance(padding, (tuple, list)) or not padding or not all(isinstance(p, (tuple, list)) for p in padding):
        return padding
    if len(padding) != ndim or any(len(pair) != 2 for pair in padding):
        raise OpValueError(f"pad needs a pair of numbers for each of {ndim} axes, but got {padding}", arg="padding")
    return [n for pair in reversed(padding) for n in pair]


def _cropped(x: Tensor, pairs: list[tuple[int, int]]) -> Tensor:
    """Without what negative numbers take away."""
    if all(b >= 0 and a >= 0 for b, a in pairs):
        return x
    items = []
    for n, (b, a) in zip(x.shape, pairs):
        start, count = max(-b, 0), n - max(-b, 0) - max(-a, 0)
        if count < 0:
            raise OpValueError(f"pad: ({b}, {a}) takes more than the {n} elements of an axis", arg="padding")
        items.append((start, count, 1))
    return index_view(x, tuple(items))


def _extended(x: Tensor, axis: int, before: int, after: int, mode: str) -> Tensor:
    """More elements along one axis."""
    n = x.shape[axis]
    most = {"reflect": n - 1, "replicate": before + after if n else 0, "circular": n}[mode]
    if max(before, after) > most:
        raise OpValueError(
            f"pad: {mode} gives at most {max(most, 0)} elements for an axis of length {n}, not {max(before, after)}",
            arg="padding",
        )

    def part(*item: int) -> Tensor:
        return index_view(x, (*map(whole, x.shape[:axis]), item))

    def ends() -> tuple[Any, Any]:
        if mode == "reflect":
            return part(before, before, -1), part(n - 2, after, -1)
        if mode == "circular":
            return part(n - before, before, 1), part(0, after, 1)
        first, last = part(0, 1, 1), part(n - 1, 1, 1)
        lengths = x.shape
        return (
            first.broadcast_to((*lengths[:axis], before, *lengths[axis + 1 :])),
            last.broadcast_to((*lengths[:axis], after, *lengths[axis + 1 :])),
        )

    front, back = ends()
    return concat([piece for piece in (front, x, back) if piece.shape[axis]], axis)
