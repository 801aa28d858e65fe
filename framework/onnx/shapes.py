"""Axes: reshaped, moved, joined, cut, padded; tensors that are made."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from anfora import ops
from anfora.core import dtype as dt
from anfora.core.errors import OpValueError
from anfora.core.op import registry
from anfora.core.tensor import Tensor
from anfora.onnx.program import Length
from anfora.onnx.table import Int, Ints, dtype_of, reads, writes
from anfora.onnx.writer import Value, Writer

# -- to ONNX ----------------------------------------------------------------------------------------------------------


@writes("reshape")
def _(w: Writer, input, shape):
    return w.reshape(w.value(input, w.dtype), shape)


@writes("transpose")
def _(w: Writer, input, input_perm):
    return w.node("Transpose", input, perm=list(input_perm))


@writes("broadcast_to")
def _(w: Writer, input, shape):
    return w.expand(w.value(input, w.dtype), w.out.shape)


@writes("expand_dims")
def _(w: Writer, input_x, axis):
    return w.node("Unsqueeze", w.value(input_x, w.dtype), w.ints((axis,)))


@writes("squeeze")
def _(w: Writer, input, axis):
    axes = [a for a, n in enumerate(input.shape) if n == 1] if axis is None else axis
    axes = [a for a in ((axes,) if isinstance(axes, int) else axes) if input.shape[a] == 1]
    return w.node("Squeeze", input, w.ints(axes)) if axes else w.node("Identity", input)


@writes("index_view")
def _(w: Writer, input, items):
    w.refuse_varying(items)
    parts, dropped, added = {}, [], []
    axis = at = 0
    for item in items:
        if item is None:
            added.append(at)
            at += 1
            continue
        if isinstance(item, tuple):
            start, length, step = item
            if not (start == 0 and step == 1 and length == input.shape[axis]):
                end = start + length * step
                if step < 0 and isinstance(end, int) and end < 0:
                    end = np.iinfo(np.int64).min
                parts[axis] = (start, end, step)
            at += 1
        else:
            last = isinstance(item, int) and item == -1
            parts[axis] = (item, np.iinfo(np.int64).max if last else item + 1, 1)
            dropped.append(axis)
        axis += 1
    if len(dropped) == 1 and len(parts) == 1:  # one element of one axis
        [axis] = dropped
        x = w.node("Gather", input, w.squeeze(w.ints((parts[axis][0],)), (0,)), axis=axis)
    else:
        x = w.squeeze(w.slice(input, parts), dropped)
    x = w.unsqueeze(x, added)
    return w.node("Identity", x) if x is input else x


@writes("diagonal")
def _(w: Writer, input, offset, dim1, dim2):
    n, m = input.shape[dim1], input.shape[dim2]
    rest = [axis for axis in range(input.ndim) if axis not in (dim1, dim2)]
    if not (isinstance(n, int) and isinstance(m, int)):
        w.refuse("the diagonal of a matrix whose size is free")
    count = max(min(n + min(offset, 0), m - max(offset, 0)), 0)
    rows = np.arange(count) + max(-offset, 0)
    x = w.transpose(input, [dim1, dim2, *rest])
    places = np.stack([rows, np.arange(count) + max(offset, 0)], 1)
    found = w.node("GatherND", x, w.constant(places))
    return w.transpose(found, [*range(1, len(rest) + 1), 0])


@writes("concat")
def _(w: Writer, tensors, axis):
    return w.node("Concat", *(w.value(x, w.dtype) for x in tensors), axis=axis)


@writes("stack")
def _(w: Writer, tensors, axis):
    return stacked(w, [w.value(x, w.dtype) for x in tensors], axis)


@writes("unroll")
def _(w: Writer, input):
    return unstacked(w, input, len(w.out))


def unstacked(w: Writer, x: Value, count: int) -> tuple[Value, ...]:
    """The parts along the first axis, which has so many."""
    if count == 1:
        return (w.squeeze(x, (0,)),)
    parts = w.node("Split", x, count=count, axis=0, num_outputs=count if w.opset >= 18 else None)
    return tuple(w.squeeze(part, (0,)) for part in parts)


def stacked(w: Writer, parts: Sequence[Value], axis: int = 0) -> Value:
    """Parts along a new axis."""
    return w.node("Concat", *(w.unsqueeze(part, (axis,)) for part in parts), axis=axis)


@writes("pad_constant")
def _(w: Writer, input, value, before, after):
    value = w.value(value, w.dtype)
    if value.ndim:
        value = w.reshape(value, ())
    return w.node("Pad", input, w.ints((*before, *after)), value)


@writes("tril")
def _(w: Writer, input, diagonal):
    return w.node("Trilu", input, w.constant(diagonal), upper=0)


@writes("triu")
def _(w: Writer, input, diagonal):
    return w.node("Trilu", input, w.constant(diagonal), upper=1)


@writes("full")
def _(w: Writer, size, fill_value, dtype):
    return w.expand(w.value(fill_value, w.dtype), w.out.shape)


@writes("arange")
def _(w: Writer, start, end, step, dtype):
    first, last = (0, start) if end is None else (start, end)
    count = w.out.shape[0]
    if isinstance(count, int) and all(isinstance(x, (int, float)) for x in (first, step)):
        steps: Any = np.arange(count, dtype=np.float64 if w.dtype.is_float else np.int64)
        return w.constant(first + steps * step, w.dtype)
    kind = w.dtype if w.dtype in (dt.int32, dt.int64, dt.float32) else dt.int64
    return w.cast(w.node("Range", *(w.value(x, kind) for x in (first, last, step)), dtype=kind), w.dtype)


@writes("linspace")
def _(w: Writer, start, end, steps):
    if isinstance(steps, Length):
        w.refuse("as many steps as a free length says")
    share = w.constant(np.arange(steps) / max(steps - 1, 1), w.dtype)
    first, last = w.value(start, w.dtype), w.value(end, w.dtype)
    return w.node("Add", first, w.node("Mul", share, w.node("Sub", last, first)))


@writes("eye")
def _(w: Writer, n, m, dtype):
    if not all(isinstance(length, int) for length in w.out.shape):
        w.refuse("an identity matrix whose size is free")
    return w.constant(np.eye(*w.out.shape), w.dtype)


@writes("_one_hot")
def _(w: Writer, indices, on_value, off_value, depth, axis):
    on, off = (w.reshape(w.value(x, w.dtype), (1,)) for x in (on_value, off_value))
    # Out of range is no class here, and counts from the end there.
    size = w.constant(depth)
    index = w.cast(indices, dt.int64)
    inside = w.node("Less", index, w.constant(0), dtype=dt.bool_)
    index = w.node("Where", inside, size, index, dtype=dt.int64)
    return w.node("OneHot", index, w.constant([depth]), w.node("Concat", off, on, axis=0), dtype=w.dtype, axis=axis)


# -- from ONNX --------------------------------------------------------------------------------------------------------


@reads("Identity")
def identity(input):
    return input


@reads("Shape")
def shape_of(data, *, start=0, end=None):
    return Tensor(data.shape[start:end], dt.int64)


@reads("Size")
def size_of(data):
    return Tensor(data.size, dt.int64)


@reads("Reshape")
def reshape(data, shape: Ints, *, allowzero=0):
    if not allowzero:
        shape = tuple([data.shape[a] if n == 0 else n for a, n in enumerate(shape)])
    return ops.reshape(data, shape)


@reads("Flatten")
def flatten(input, *, axis=1):
    rows = 1
    for n in input.shape[: axis + input.ndim if axis < 0 else axis]:
        rows *= n
    columns = 1
    for n in input.shape[axis + input.ndim if axis < 0 else axis :]:
        columns *= n
    return ops.reshape(input, (rows, columns))


@reads("Transpose")
def transpose(data, *, perm=None):
    return ops.transpose(data, tuple(range(data.ndim))[::-1] if perm is None else perm)


@reads("Expand")
def expand(input, shape: Ints):
    rank = max(input.ndim, len(shape))
    own = (1,) * (rank - input.ndim) + input.shape
    wanted = (1,) * (rank - len(shape)) + shape
    return ops.broadcast_to(input, tuple([m if n == 1 else n for n, m in zip(own, wanted)]))


@reads("Squeeze")
def squeeze(data, axes: Ints = None):
    if axes is None:
        axes = tuple([a for a, n in enumerate(data.shape) if n == 1])
    return ops.squeeze(data, axes) if axes else data


@reads("Unsqueeze")
def unsqueeze(data, axes: Ints):
    rank = data.ndim + len(axes)
    for axis in sorted([a % rank for a in axes]):
        data = ops.expand_dims(data, axis)
    return data


@reads("Concat")
def concat(*inputs, axis=1):
    return ops.concat(inputs, axis)


@reads("Split")
def split(input, split: Ints = None, *, axis=0, num_outputs=None, outputs):
    n = input.shape[axis]
    if split is None:
        count = outputs if num_outputs is None else num_outputs
        part = -(-n // count)
        split = tuple([max(min(part, n - part * i), 0) for i in range(count)])
    parts, start = [], 0
    for length in split:
        parts.append(ops.narrow(input, axis, start, length))
        start += length
    if start != n:
        raise OpValueError(f"Split: parts of {list(split)} of an axis of length {n}")
    return tuple(parts) if outputs > 1 else parts[0]


@reads("Slice")
def slice_(data, starts: Ints, ends: Ints, axes: Ints = None, steps: Ints = None):
    items = [slice(None)] * data.ndim
    turned = []
    for i, axis in enumerate(range(len(starts)) if axes is None else axes):
        start, stop, step = slice(starts[i], ends[i], steps[i] if steps else 1).indices(data.shape[axis])
        if step < 0:  # the same elements in the other order, then turned
            count = max(-(-(start - stop) // -step), 0)
            start, stop, step = start + (count - 1) * step, start + 1, -step
            if count == 0:
                start = stop = 0
            turned.append(axis % data.ndim)
        items[axis] = slice(start, max(stop, start), step)
    x = data[tuple(items)] if items else data
    return ops.flip(x, tuple(turned)) if turned else x


@reads("Pad")
def pad(data, pads: Ints, constant_value=None, axes: Ints = None, *, mode="constant", value=0.0):
    axes = tuple(range(data.ndim)) if axes is None else tuple([a % data.ndim for a in axes])
    before, after = [0] * data.ndim, [0] * data.ndim
    for i, axis in enumerate(axes):
        before[axis], after[axis] = pads[i], pads[i + len(axes)]
    for axis in range(data.ndim):  # negative ones cut
        cut = max(-before[axis], 0), max(-after[axis], 0)
        if any(cut):
            data = ops.narrow(data, axis, cut[0], data.shape[axis] - sum(cut))
    before, after = [max(b, 0) for b in before], [max(a, 0) for a in after]
    if mode == "constant":
        filled = Tensor(value, data.dtype) if constant_value is None else ops.reshape(constant_value, ())
        filled = ops.cast(filled, data.dtype)
        return registry["pad_constant"](data, filled, before=tuple(before), after=tuple(after))
    for axis, (b, a) in enumerate(zip(before, after)):
        if b or a:
            n = data.shape[axis]
            places = np.arange(-b, n + a)
            if mode == "edge":
                places = places.clip(0, n - 1)
            elif mode == "wrap":
                places = places % n
            else:  # reflect
                places = places % max(2 * (n - 1), 1)
                places = np.minimum(places, 2 * (n - 1) - places)
            data = ops.gather(data, Tensor(places.astype(np.int64)), axis)
    return data


@reads("Tile")
def tile(input, repeats: Ints):
    return ops.tile(input, repeats)


@reads("DepthToSpace")
def depth_to_space(input, *, blocksize, mode="DCR"):
    n, c, h, w = input.shape
    b = blocksize
    if mode == "DCR":
        x = ops.transpose(ops.reshape(input, (n, b, b, c // b**2, h, w)), (0, 3, 4, 1, 5, 2))
    else:
        x = ops.transpose(ops.reshape(input, (n, c // b**2, b, b, h, w)), (0, 1, 4, 2, 5, 3))
    return ops.reshape(x, (n, c // b**2, h * b, w * b))


@reads("SpaceToDepth")
def space_to_depth(input, *, blocksize, mode="DCR"):
    n, c, h, w = input.shape
    b = blocksize
    x = ops.reshape(input, (n, c, h // b, b, w // b, b))
    x = ops.transpose(x, (0, 3, 5, 1, 2, 4) if mode == "DCR" else (0, 1, 3, 5, 2, 4))
    return ops.reshape(x, (n, c * b * b, h // b, w // b))


@reads("ConstantOfShape")
def constant_of_shape(input: Ints, *, value=None):
    if value is None:
        return ops.zeros(input, dt.float32)
    return ops.broadcast_to(ops.reshape(value, (1,) * len(input)), input) if input else ops.reshape(value, ())


@reads("EyeLike")
def eye_like(input, *, dtype=None, k=0):
    rows, columns = input.shape
    kind = input.dtype if dtype is None else dtype_of(dtype)
    return ops.cast(ops.expand_dims(ops.arange(rows), 1) + k == ops.arange(columns), kind)


@reads("Range")
def range_(start, limit, delta):
    dtype = start.dtype
    first, last, step = (x.item() for x in (start, limit, delta))
    if step == 0:
        raise OpValueError("Range with a delta of 0")
    count = max(math.ceil((last - first) / step), 0)
    counted = ops.arange(count)
    if dtype.is_float:
        return ops.cast(ops.cast(counted, dt.float64) * step + first, dtype)
    return ops.cast(counted * step + first, dtype)


@reads("OneHot")
def one_hot(indices, depth: Int, values, *, axis=-1):
    depth = int(depth)
    rank = indices.ndim + 1
    axis = axis % rank
    line = [1] * rank
    line[axis] = depth
    index = ops.expand_dims(ops.cast(indices, dt.int64), axis)
    index = ops.where(index < 0, index + depth, index)
    here = index == ops.reshape(ops.arange(depth), tuple(line))
    return ops.where(here, values[1], values[0])


@reads("Trilu")
def trilu(input, k: Int = 0, *, upper=1):
    return ops.triu(input, int(k)) if upper else ops.tril(input, int(k))


@reads("CenterCropPad")
def center_crop_pad(input_data, shape: Ints, *, axes=None):
    x = input_data
    axes = tuple(range(x.ndim)) if axes is None else axes
    pads = [0] * (2 * x.ndim)
    for axis, wanted in zip(axes, shape):
        axis, n = axis % x.ndim, x.shape[axis]
        if wanted < n:
            x = ops.narrow(x, axis, (n - wanted) // 2, wanted)
        else:
            pads[axis], pads[axis + x.ndim] = (wanted - n) // 2, wanted - n - (wanted - n) // 2
    return pad(x, tuple(pads)) if any(pads) else x


@reads("ReverseSequence")
def reverse_sequence(input, sequence_lens, *, batch_axis=1, time_axis=0):
    steps = ops.arange(input.shape[time_axis])
    lengths = ops.expand_dims(sequence_lens, 1)
    places = ops.where(steps < lengths, lengths - 1 - steps, steps)  # (batch, time)
    if batch_axis > time_axis:
        places = ops.transpose(places, (1, 0))
    line = [1] * input.ndim
    line[batch_axis], line[time_axis] = input.shape[batch_axis], input.shape[time_axis]
    places = ops.broadcast_to(ops.reshape(places, tuple(line)), input.shape)
    return ops.gather_elements(input, time_axis, places)
