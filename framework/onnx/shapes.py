"""Axes: reshaped, moved, joined, cut, padded; tensors that are made."""

from __future__ import annotations

from typing import Any

import numpy as np

from anfora.core import dtype as dt
from anfora.onnx.table import writes
from anfora.onnx.writer import Length, Writer

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
    axes = (axes,) if isinstance(axes, int) else tuple(axes)
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
    parts = [w.node("Unsqueeze", w.value(x, w.dtype), w.ints((axis,))) for x in tensors]
    return w.node("Concat", *parts, axis=axis)


@writes("unroll")
def _(w: Writer, input):
    count = len(w.out)
    if count == 1:
        return (w.node("Squeeze", input, w.ints((0,))),)
    if w.opset >= 18:
        parts = w.node("Split", input, count=count, axis=0, num_outputs=count)
    else:
        parts = w.node("Split", input, count=count, axis=0)
    return tuple(w.node("Squeeze", part, w.ints((0,))) for part in parts)


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
