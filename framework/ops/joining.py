"""Tensors from parts, and parts of tensors: join, split, repeat, turn around, pad."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from anfora.core import slots
from anfora.core.abstract import TensorType
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.op import common_dtype, op
from anfora.core.tensor import Tensor, Tensors
from anfora.kernel.loops import plan_copy
from anfora.kernel.plan import Buffer, Planner
from anfora.ops.comparison import where
from anfora.ops.composite import composite
from anfora.ops.copying import copy
from anfora.ops.creation import arange, integer, integers, meshgrid
from anfora.ops.families import linear, normalize_axis, spread, type_of
from anfora.ops.indexing import neighbours
from anfora.ops.places import pick
from anfora.ops.shape import broadcast_to, expand_dims, index_view, reshape, transpose, whole

__all__ = [
    "cartesian_prod", "cat", "chunk", "column_stack", "combinations", "concat", "dsplit", "dstack", "flip", "fliplr",
    "flipud", "hsplit", "hstack", "repeat_elements", "repeat_interleave", "reverse", "reverse_sequence", "roll",
    "rot90", "row_stack", "split", "stack", "tensor_split", "tile", "unbind", "unstack", "vsplit", "vstack",
]  # fmt: skip

_MOST_PARTS = 1 << 20


# -- join -------------------------------------------------------------------------------------------------------------


@op
def concat(tensors: Tensors, axis=0):
    """Tensors one behind the other along an axis.

    Args:
        tensors: tensors of one number of axes, whose lengths are equal but for `axis`.
        axis: the axis along which they follow each other.
    Returns:
        tensor of the promoted type.
    Raises:
        OpTypeError: `tensors` is no tuple or list.
        OpValueError: there are none, they are 0-d, or their shapes do not fit; `axis` is out of range.
    Gradient:
        to each tensor its part of g.
    Example:
        >>> concat([Tensor([1, 2]), Tensor([3])]).tolist()
        [1, 2, 3]
    """


@concat.normalize
def _(tensors, *, axis):
    if not tensors:
        raise OpValueError("concat needs at least one tensor", arg="tensors")
    if not type_of(tensors[0]).ndim:
        raise OpValueError("concat needs tensors with axes, but got a 0-d one", arg="tensors", help="use stack().")
    return {"axis": normalize_axis("concat", axis, tensors[0].ndim)}


@concat.infer
def _(tensors, *, axis):
    first, total = tensors[0].shape, 0
    for i, item in enumerate(tensors):
        lengths = item.shape
        if len(lengths) != len(first) or any(a != axis and n != m for a, (n, m) in enumerate(zip(lengths, first))):
            raise OpValueError(
                f"concat along axis {axis}: tensor {i} has shape {list(lengths)}, the first {list(first)}",
                arg="tensors",
            )
        total += lengths[axis]
    return TensorType(common_dtype(*tensors), (*first[:axis], total, *first[axis + 1 :]))


@concat.kernel
def _(p: Planner, tensors: list[Buffer], out: Buffer, *, axis):
    start = 0
    for item in tensors:
        target = replace(out, shape=item.shape).moved(start * out.strides[axis])
        if item.size:
            plan_copy(p, item, target)
        start += item.shape[axis]


@concat.vjp("tensors")
def _(tensors_type, *, axis, g):
    parts, start = [], 0
    for kind in tensors_type:
        parts.append(index_view(g, (*map(whole, g.shape[:axis]), (start, kind.shape[axis], 1))))
        start += kind.shape[axis]
    return parts


linear(concat, "tensors")


@concat.batch
def _(batched, tensors, *, axis):
    return concat(spread(batched[0], tensors), axis + 1)


def cat(tensors: Tensors, axis=0) -> Tensor:
    """Tensors one behind the other along an axis, as `concat`.

    Example:
        >>> cat([Tensor([1, 2]), Tensor([3])]).tolist()
        [1, 2, 3]
    """
    return concat(tensors, axis)


@op
def stack(tensors: Tensors, axis=0):
    """Tensors of one shape, side by side along a new axis.

    Args:
        tensors: tensors of one shape.
        axis: where the new axis stands in the result.
    Returns:
        tensor of the promoted type.
    Raises:
        OpTypeError: `tensors` is no tuple or list.
        OpValueError: there are none, or their shapes differ; `axis` is out of range.
    Gradient:
        to each tensor its part of g.
    Example:
        >>> stack([Tensor([1, 2]), Tensor([3, 4])], 1).tolist()
        [[1, 3], [2, 4]]
    """


@stack.normalize
def _(tensors, *, axis):
    if not tensors:
        raise OpValueError("stack needs at least one tensor", arg="tensors")
    return {"axis": normalize_axis("stack", axis, tensors[0].ndim + 1)}


@stack.infer
def _(tensors, *, axis):
    first = tensors[0].shape
    for i, item in enumerate(tensors):
        if item.shape != first:
            raise OpValueError(
                f"stack: tensor {i} has shape {list(item.shape)}, the first {list(first)}", arg="tensors"
            )
    return TensorType(common_dtype(*tensors), (*first[:axis], len(tensors), *first[axis:]))


@stack.kernel
def _(p: Planner, tensors: list[Buffer], out: Buffer, *, axis):
    lengths, strides = list(out.shape), list(out.strides)
    del lengths[axis], strides[axis]
    for i, item in enumerate(tensors):
        if item.size:
            target = replace(out, shape=tuple(lengths), strides=tuple(strides)).moved(i * out.strides[axis])
            plan_copy(p, item, target)


@stack.vjp("tensors")
def _(tensors_type, *, axis, g):
    return [index_view(g, (*map(whole, g.shape[:axis]), i)) for i in range(len(tensors_type))]


linear(stack, "tensors")


@stack.batch
def _(batched, tensors, *, axis):
    return stack(spread(batched[0], tensors), axis + 1)


def _listed(name: str, tensors: Any) -> list[Tensor]:
    """The tensors of a sequence, or along the first axis of a tensor."""
    if isinstance(tensors, Tensor) and tensors.ndim:
        return list(tensors)
    if not isinstance(tensors, (tuple, list)):
        raise OpTypeError(f"{name} needs a tuple or list of tensors, but got {type(tensors).__name__}", arg="tensors")
    return [item if isinstance(item, Tensor) else Tensor(item) for item in tensors]


@composite
def hstack(tensors: Tensors) -> Tensor:
    """Tensors side by side: along the second axis, or the first if they have one.

    Example:
        >>> hstack([Tensor([1, 2]), Tensor([3])]).tolist()
        [1, 2, 3]
    """
    items = [x.reshape(1) if not x.ndim else x for x in _listed("hstack", tensors)]
    return concat(items, 0 if items and items[0].ndim == 1 else 1)


@composite
def vstack(inputs: Tensors) -> Tensor:
    """Tensors below each other: along the first axis; 1-d tensors are rows.

    Example:
        >>> vstack([Tensor([1, 2]), Tensor([3, 4])]).tolist()
        [[1, 2], [3, 4]]
    """
    return concat([reshape(x, (1, -1)) if x.ndim < 2 else x for x in _listed("vstack", inputs)], 0)


def row_stack(tensors: Tensors) -> Tensor:
    """Tensors below each other, as `vstack`.

    Example:
        >>> row_stack([Tensor([1, 2]), Tensor([3, 4])]).tolist()
        [[1, 2], [3, 4]]
    """
    return vstack(tensors)


@composite
def dstack(tensors: Tensors) -> Tensor:
    """Tensors behind each other: along the third axis; tensors of fewer axes get axes of length 1.

    Example:
        >>> dstack([Tensor([1, 2]), Tensor([3, 4])]).tolist()
        [[[1, 3], [2, 4]]]
    """

    def deep(x: Tensor) -> Tensor:
        return x if x.ndim > 2 else reshape(x, (1, x.size, 1)) if x.ndim < 2 else expand_dims(x, 2)

    return concat([deep(x) for x in _listed("dstack", tensors)], 2)


@composite
def column_stack(tensors: Tensors) -> Tensor:
    """Tensors side by side, where 1-d and 0-d tensors are columns.

    Example:
        >>> column_stack([Tensor([1, 2]), Tensor([3, 4])]).tolist()
        [[1, 3], [2, 4]]
    """
    return concat([reshape(x, (-1, 1)) if x.ndim < 2 else x for x in _listed("column_stack", tensors)], 1)


@composite
def cartesian_prod(*inputs: Tensor) -> Tensor:
    """All tuples with one element of each tensor, the last changing fastest.

    Args:
        inputs: 1-d tensors.
    Returns:
        tensor (n1 n2 …, number of tensors); of a single one that one.
    Raises:
        OpValueError: a tensor has not one axis.
    Example:
        >>> cartesian_prod(Tensor([1, 2]), Tensor([3, 4])).tolist()
        [[1, 3], [1, 4], [2, 3], [2, 4]]
    """
    inputs = tuple(x if isinstance(x, Tensor) else Tensor(x) for x in inputs)
    for x in inputs:
        if x.ndim != 1:
            raise OpValueError(f"cartesian_prod needs tensors of one axis, but got {x.shape}", arg="inputs")
    if len(inputs) == 1:
        return inputs[0]
    columns = [reshape(x, (x.size,)) for x in meshgrid(*inputs, indexing="ij")]
    return stack(columns, 1)


@composite
def combinations(input: Tensor, r=2, with_replacement=False) -> Tensor:
    """All choices of `r` elements of a vector, in the order of their places.

    Args:
        input: 1-d tensor.
        r: how many are chosen.
        with_replacement: whether an element may be chosen again.
    Returns:
        tensor (count, r).
    Raises:
        OpValueError: the tensor has not one axis, or r is negative.
    Example:
        >>> combinations(Tensor([1, 2, 3])).tolist()
        [[1, 2], [1, 3], [2, 3]]
    """
    if input.ndim != 1:
        raise OpValueError(f"combinations needs a tensor of one axis, but got the shape {input.shape}", arg="input")
    count = integer("combinations", r, "r")
    if count < 0:
        raise OpValueError(f"combinations needs r >= 0, but got {count}", arg="r")
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    places = np.array(list(choose(range(input.size), count)), np.int64)
    return input[Tensor(places.reshape(len(places), count))]


# -- split ------------------------------------------------------------------------------------------------------------


def _parts(input: Tensor, axis: int, counts: Sequence[int]) -> tuple[Tensor, ...]:
    """Views of neighbouring parts along an axis."""
    starts = itertools.accumulate((0, *counts[:-1]))
    return _views_along(input, axis, tuple((start, count, 1) for start, count in zip(starts, counts)))


def _views_along(input: Tensor, axis: int, items: tuple) -> tuple[Tensor, ...]:
    """The views that items of `index_view` name along an axis. Few of them are kept as functions."""
    key = input.shape, axis, items
    functions = _views.get(key)
    if functions is None:
        lead = tuple(map(whole, input.shape[:axis]))
        if len(items) > _MOST_KEPT or key not in _seen:
            if len(_seen) >= 16 * _MOST_KEPT:
                _seen.clear()
            _seen.add(key)
            views = neighbours(input, lead, items) if len(items) > _MOST_KEPT else None
            if views is not None:
                return views
            return tuple([index_view(input, (*lead, item)) for item in items])
        if len(_views) >= _MOST_KEPT:
            _views.clear()
        functions = _views[key] = [slots.bound(index_view, items=(*lead, item)) for item in items]
    return tuple([function(input) for function in functions])


_views: dict[tuple, list] = {}
_seen: set[tuple] = set()
_MOST_KEPT = 64


@composite
def split(tensor: Tensor, split_size_or_sections, axis=0) -> tuple[Tensor, ...]:
    """Neighbouring parts along an axis.

    Args:
        tensor: tensor.
        split_size_or_sections: the length of every part, of which the last may be shorter; or the lengths of all parts.
        axis: the axis.
    Returns:
        tuple of views.
    Raises:
        OpTypeError: the lengths are no integers.
        OpValueError: `axis` is out of range; a length is not positive (negative, in a list); the lengths do not add up to
            the length of the axis.
    Example:
        >>> [x.tolist() for x in split(Tensor([1, 2, 3, 4, 5]), 2)]
        [[1, 2], [3, 4], [5]]
    """
    axis = normalize_axis("split", axis, tensor.ndim)
    n = tensor.shape[axis] if tensor.ndim else 0
    given = split_size_or_sections
    counts = integers("split", given, "split_size_or_sections")
    if not isinstance(given, (tuple, list)) and not getattr(given, "ndim", 0):
        [step] = counts
        if step <= 0:
            raise OpValueError(f"split needs a positive length, but got {step}", arg="split_size_or_sections")
        counts = tuple(min(step, n - i) for i in range(0, n, step)) or (0,)
    if any(count < 0 for count in counts) or sum(counts) != n:
        raise OpValueError(
            f"split: the lengths {list(counts)} do not add up to {n}, the length of axis {axis}",
            arg="split_size_or_sections",
        )
    return _parts(tensor, axis, counts)


@composite
def chunk(input: Tensor, chunks, axis=0) -> tuple[Tensor, ...]:
    """At most `chunks` neighbouring parts along an axis, all of one length but for the last.

    Args:
        input: tensor.
        chunks: how many parts, if the length of the axis allows it; their length is rounded up.
        axis: the axis.
    Raises:
        OpTypeError, OpValueError: `chunks` is no positive integer, or `axis` is out of range.
    Example:
        >>> [x.tolist() for x in chunk(Tensor([1, 2, 3, 4, 5]), 3)]
        [[1, 2], [3, 4], [5]]
    """
    axis = normalize_axis("chunk", axis, input.ndim)
    count = integer("chunk", chunks, "chunks")
    if count <= 0 or (count > _MOST_PARTS and 0 in input.shape):
        raise OpValueError(f"chunk needs a positive number of parts, but got {count}", arg="chunks")
    n = input.shape[axis] if input.ndim else 0
    step = max(-(-n // count), 1)
    return _parts(input, axis, [min(step, n - i) for i in range(0, n, step)] or [0] * count)


@composite
def tensor_split(input: Tensor, indices_or_sections, axis=0) -> tuple[Tensor, ...]:
    """Neighbouring parts along an axis, cut at given places or into parts as equal as can be.

    Args:
        input: tensor.
        indices_or_sections: the number of parts, up to 2^20, of which the first are longer by one where they are not
            equal; or the places to cut at, also as a 1-d tensor.
        axis: the axis.
    Example:
        >>> [x.tolist() for x in tensor_split(Tensor([1, 2, 3, 4, 5]), 3)]
        [[1, 2], [3, 4], [5]]
        >>> [x.tolist() for x in tensor_split(Tensor([1, 2, 3, 4, 5]), (1, 3))]
        [[1], [2, 3], [4, 5]]
    """
    axis = normalize_axis("tensor_split", axis, input.ndim)
    n = input.shape[axis] if input.ndim else 0
    cuts = integers("tensor_split", indices_or_sections, "indices_or_sections")
    if not isinstance(indices_or_sections, (tuple, list)) and not getattr(indices_or_sections, "ndim", 0):
        [count] = cuts
        if not 0 < count <= _MOST_PARTS:
            raise OpValueError(
                f"tensor_split needs a positive number of parts, at most {_MOST_PARTS}, but got {count}",
                arg="indices_or_sections",
            )
        return _parts(input, axis, [n // count + (i < n % count) for i in range(count)])
    ends = [max(0, min(n, cut + n if cut < 0 else cut)) for cut in cuts] + [n]
    starts = [0, *ends[:-1]]
    lead = tuple(map(whole, input.shape[:axis]))
    return tuple(index_view(input, (*lead, (a, max(b - a, 0), 1))) for a, b in zip(starts, ends))


@composite
def vsplit(input: Tensor, indices_or_sections) -> tuple[Tensor, ...]:
    """Parts along the first axis; see `tensor_split`.

    Example:
        >>> [x.tolist() for x in vsplit(Tensor([[1], [2]]), 2)]
        [[[1]], [[2]]]
    """
    _check_axes("vsplit", input, 2)
    return tensor_split(input, indices_or_sections, 0)


@composite
def hsplit(input: Tensor, indices_or_sections) -> tuple[Tensor, ...]:
    """Parts along the second axis, or the first if it is the only one; see `tensor_split`.

    Example:
        >>> [x.tolist() for x in hsplit(Tensor([1, 2]), 2)]
        [[1], [2]]
    """
    _check_axes("hsplit", input, 1)
    return tensor_split(input, indices_or_sections, 0 if input.ndim == 1 else 1)


@composite
def dsplit(input: Tensor, indices_or_sections) -> tuple[Tensor, ...]:
    """Parts along the third axis; see `tensor_split`.

    Example:
        >>> [x.tolist() for x in dsplit(Tensor([[[1, 2]]]), 2)]
        [[[[1]]], [[[2]]]]
    """
    _check_axes("dsplit", input, 3)
    return tensor_split(input, indices_or_sections, 2)


def _check_axes(name: str, input: Tensor, least: int) -> None:
    if input.ndim < least:
        raise OpValueError(f"{name} needs at least {least} axes, but got the shape {input.shape}", arg="input")


@composite
def unbind(input: Tensor, dim=0) -> tuple[Tensor, ...]:
    """The parts along an axis, without it.

    Args:
        input: tensor of at least one axis.
        dim: the axis.
    Returns:
        tuple of views, one for each index.
    Example:
        >>> [x.tolist() for x in unbind(Tensor([[1, 2], [3, 4]]), 1)]
        [[1, 3], [2, 4]]
    """
    if not input.ndim:
        raise OpValueError("unbind needs a tensor of at least one axis, but got a 0-d one", arg="input")
    axis = normalize_axis("unbind", dim, input.ndim, "dim")
    return _views_along(input, axis, tuple(range(input.shape[axis])))


def unstack(input_x: Tensor, axis=0) -> tuple[Tensor, ...]:
    """The parts along an axis, without it, as `unbind`.

    Example:
        >>> [x.tolist() for x in unstack(Tensor([[1, 2], [3, 4]]))]
        [[1, 2], [3, 4]]
    """
    return unbind(input_x, axis)


# -- repeat -----------------------------------------------------------------------------------------------------------


@composite
def tile(input: Tensor, dims) -> Tensor:
    """The tensor several times along each axis.

    Args:
        input: tensor.
        dims: how often, for each axis; the last number is for the last axis. Missing numbers are 1, and further ones add
            axes in front.
    Raises:
        OpTypeError: `dims` is not made of integers.
        OpValueError: a number is negative.
    Example:
        >>> tile(Tensor([1, 2]), (2, 2)).tolist()
        [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    times = integers("tile", dims, "dims")
    if any(n < 0 for n in times):
        raise OpValueError(f"tile: `dims` must not be negative, but got {times}", arg="dims")
    ndim = max(len(times), input.ndim)
    times = (*[1] * (ndim - len(times)), *times)
    lengths = (*[1] * (ndim - input.ndim), *input.shape)
    if all(t == 1 for t in times):
        return copy(reshape(input, lengths))
    apart = reshape(input, tuple(n for length in lengths for n in (1, length)))
    spread = broadcast_to(apart, tuple(n for pair in zip(times, lengths) for n in pair))
    result = tuple(t * n for t, n in zip(times, lengths))
    return reshape(spread, result) if math.prod(result) else copy(reshape(spread, result))


@composite
def repeat_interleave(input: Tensor, repeats, axis=None) -> Tensor:
    """Each element, or each part along an axis, several times in a row.

    Args:
        input: tensor.
        repeats: how often: a number for all, or one for each part; a tensor of them is read.
        axis: the axis; without it the elements are taken in row-major order.
    Raises:
        OpTypeError: `repeats` is not made of integers.
        OpValueError: a number is negative, or there are not as many as parts; `axis` is out of range.
    Example:
        >>> repeat_interleave(Tensor([1, 2]), 2).tolist(), repeat_interleave(Tensor([1, 2]), (2, 1)).tolist()
        ([1, 1, 2, 2], [1, 1, 2])
    """
    if axis is None:
        input, axis = reshape(input, (input.size,)), 0
    axis = normalize_axis("repeat_interleave", axis, input.ndim)
    if not input.ndim:
        input = reshape(input, (1,))
    times = integers("repeat_interleave", repeats, "repeats")
    if any(n < 0 for n in times):
        raise OpValueError(f"repeat_interleave: `repeats` must not be negative, but got {times}", arg="repeats")
    n = input.shape[axis]
    lengths = list(input.shape)
    if len(times) == 1:
        spread = expand_dims(input, axis + 1)
        lengths.insert(axis + 1, times[0])
        spread = broadcast_to(spread, lengths)
        lengths[axis : axis + 2] = [n * times[0]]
        return copy(reshape(spread, lengths)) if times[0] == 1 or not spread.size else reshape(spread, lengths)
    if len(times) != n:
        raise OpValueError(
            f"repeat_interleave: {len(times)} numbers came for the {n} parts along axis {axis}", arg="repeats"
        )
    places = [i for i, count in enumerate(times) for _ in range(count)]
    return input[(*[slice(None)] * axis, Tensor(places, "int64"))]


def repeat_elements(x: Tensor, rep, axis=0) -> Tensor:
    """Each part along an axis `rep` times in a row, as `repeat_interleave`.

    Example:
        >>> repeat_elements(Tensor([1, 2]), 2).tolist()
        [1, 1, 2, 2]
    """
    return repeat_interleave(x, rep, axis)


# -- turn around ------------------------------------------------------------------------------------------------------


@composite
def flip(input: Tensor, dims) -> Tensor:
    """The elements in reverse order along axes.

    Args:
        input: tensor.
        dims: an axis or several, each named once.
    Returns:
        tensor in memory of its own.
    Raises:
        OpValueError: an axis is out of range or named twice.
    Example:
        >>> flip(Tensor([[1, 2], [3, 4]]), (1,)).tolist()
        [[2, 1], [4, 3]]
    """
    axes = [normalize_axis("flip", axis, input.ndim, "dims") for axis in integers("flip", dims, "dims")]
    if len(set(axes)) != len(axes):
        raise OpValueError(f"flip: `dims` names an axis twice: {dims}", arg="dims")
    items = [(n - 1, n, -1) if i in axes and n else (0, n, 1) for i, n in enumerate(input.shape)]
    return copy(index_view(input, tuple(items)))


def reverse(x: Tensor, axis) -> Tensor:
    """The elements in reverse order along axes, as `flip`.

    Example:
        >>> reverse(Tensor([1, 2, 3]), (0,)).tolist()
        [3, 2, 1]
    """
    return flip(x, axis)


@composite
def reverse_sequence(x: Tensor, seq_lengths: Tensor, seq_dim=0, batch_dim=0) -> Tensor:
    """The first elements along an axis in reverse order, as many as lengths say; the others stay.

    Args:
        x: tensor.
        seq_lengths: integer tensor (n,): how many are reversed for each index of the axis `batch_dim`, of length n.
        seq_dim: the axis of the elements.
        batch_dim: the axis of the lengths.
    Raises:
        OpTypeError: the lengths are no integers.
        OpValueError: an axis is out of range, both are the same, or the lengths do not fit.
    Example:
        >>> reverse_sequence(Tensor([[1, 2, 3], [4, 5, 6]]), Tensor([2, 3]), 1).tolist()
        [[2, 1, 3], [6, 5, 4]]
    """
    along = normalize_axis("reverse_sequence", seq_dim, x.ndim, "seq_dim")
    batch = normalize_axis("reverse_sequence", batch_dim, x.ndim, "batch_dim")
    if along == batch or seq_lengths.shape != x.shape[batch : batch + 1]:
        raise OpValueError(
            f"reverse_sequence needs two different axes and a length for each of the {x.shape[batch : batch + 1]} indices "
            f"of the second, but got {along}, {batch} and the shape {seq_lengths.shape}",
            arg="seq_lengths",
        )
    n = x.shape[along]
    numbers = reshape(arange(n), (n, *[1] * (x.ndim - along - 1)))
    counts = reshape(seq_lengths, (-1, *[1] * (x.ndim - batch - 1)))
    turned = where(numbers < counts, counts - 1 - numbers, numbers)
    return pick(x, broadcast_to(turned, x.shape), "along", along)


@composite
def fliplr(input: Tensor) -> Tensor:
    """The columns (second axis) in reverse order.

    Example:
        >>> fliplr(Tensor([[1, 2], [3, 4]])).tolist()
        [[2, 1], [4, 3]]
    """
    if input.ndim < 2:
        raise OpValueError(f"fliplr needs at least two axes, but got the shape {input.shape}", arg="input")
    return flip(input, (1,))


@composite
def flipud(input: Tensor) -> Tensor:
    """The rows (first axis) in reverse order.

    Example:
        >>> flipud(Tensor([[1, 2], [3, 4]])).tolist()
        [[3, 4], [1, 2]]
    """
    if input.ndim < 1:
        raise OpValueError("flipud needs at least one axis, but got a 0-d tensor", arg="input")
    return flip(input, (0,))


@composite
def roll(input: Tensor, shifts, dims=None) -> Tensor:
    """The elements moved along axes; what leaves at one end comes in at the other.

    Args:
        input: tensor.
        shifts: how far, towards higher indices; a number, or one for each axis.
        dims: the axis or axes; without them the elements are moved in row-major order.
    Raises:
        OpValueError: an axis is out of range, or there are not as many shifts as axes.
    Example:
        >>> roll(Tensor([1, 2, 3]), 1).tolist()
        [3, 1, 2]
    """
    steps = integers("roll", shifts, "shifts")
    if dims is None:
        if len(steps) != 1:
            raise OpValueError("roll: several `shifts` need as many `dims`", arg="shifts")
        return reshape(roll(reshape(input, (input.size,)), steps, 0), input.shape)
    axes = [normalize_axis("roll", axis, input.ndim, "dims") for axis in integers("roll", dims, "dims")]
    if len(steps) != len(axes):
        raise OpValueError(f"roll: {len(steps)} `shifts` came for {len(axes)} `dims`", arg="shifts")
    result = input
    for step, axis in zip(steps, axes):
        n = input.shape[axis] if input.ndim else 0
        if n and step % n:
            head, tail = _parts(result, axis, (n - step % n, step % n))
            result = concat((tail, head), axis)
    return copy(input) if result is input else result


@composite
def rot90(input: Tensor, k=1, dims=(0, 1)) -> Tensor:
    """Turned by 90 degrees in the plane of two axes, `k` times, from the first towards the second.

    Args:
        input: tensor of at least two axes.
        k: how often; negative turns the other way.
        dims: the two axes.
    Raises:
        OpValueError: there are not two different axes, or one is out of range.
    Example:
        >>> rot90(Tensor([[1, 2], [3, 4]]), 1, (0, 1)).tolist()
        [[2, 4], [1, 3]]
    """
    axes = [normalize_axis("rot90", axis, input.ndim, "dims") for axis in integers("rot90", dims, "dims")]
    if len(axes) != 2 or axes[0] == axes[1] or input.ndim < 2:
        raise OpValueError(f"rot90 needs two different axes, but got {tuple(axes)}", arg="dims")
    turns = integer("rot90", k, "k")
    a, b = axes
    order = list(range(input.ndim))
    order[a], order[b] = b, a
    turns %= 4
    if turns == 0:
        return copy(input)
    if turns == 2:
        return flip(input, axes)
    return flip(transpose(input, order), (a if turns == 1 else b,))
