"""What lies at places that indices name, and puts there; orders."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from anfora import ops
from anfora.core import dtype as dt
from anfora.core.abstract import TensorType
from anfora.core.errors import OpValueError
from anfora.core.op import registry
from anfora.core.tensor import Tensor
from anfora.onnx.program import lengths_in
from anfora.onnx.table import WRITES, Float, Int, reads, writes
from anfora.onnx.writer import Value, Writer
from anfora.ops.layouts import through

# -- to ONNX ----------------------------------------------------------------------------------------------------------


def _whole(w: Writer, index: Value) -> Value:
    return index if index.dtype in (dt.int32, dt.int64) else w.cast(index, dt.int64)


@writes("pick")
def _(w: Writer, input, index, kind, axis):
    if kind == "parts":
        return w.node("Gather", input, _whole(w, index), axis=axis)
    if kind == "along":
        return w.node("GatherElements", input, _whole(w, index), axis=axis)
    return w.node("GatherND", input, w.cast(index, dt.int64))


@writes("lookup")
def _(w: Writer, input, weight, padding_idx, scale_grad_by_freq):
    return w.node("Gather", weight, _whole(w, input), axis=0)


def _points(w: Writer, indices: Any) -> tuple[Value, list]:
    """The places that indices name as coordinates along the first axes, and the shape to which they are broadcast."""
    rank = max(index.ndim for index in indices)
    shapes = [index.shape for index in indices]
    shape = [
        next((n for s in shapes for n in [s[a - rank + len(s)]] if len(s) >= rank - a and n != 1), 1)
        for a in range(rank)
    ]
    parts = []
    for index in indices:
        x = w.cast(index, dt.int64)
        if list(index.shape) != shape:
            x = w.expand(x, shape)
        parts.append(w.unsqueeze(x, (rank,)))
    return (parts[0] if len(parts) == 1 else w.node("Concat", *parts, axis=rank)), shape


@writes("take_at")
def _(w: Writer, input, indices, form):
    if form[0] == "along":
        return w.node("GatherElements", input, _whole(w, indices[0]), axis=form[1])
    if form[0] == "points":
        return w.node("GatherND", input, w.cast(indices[0], dt.int64))
    _, axes, position, _ = form
    if len(indices) == 1 and position == axes[0]:
        return w.node("Gather", input, _whole(w, indices[0]), axis=axes[0])
    rest = [a for a in range(input.ndim) if a not in axes]
    places, batch = _points(w, indices)
    found = w.node("GatherND", w.transpose(input, [*axes, *rest]), places)
    rank = len(batch)
    return w.transpose(found, [*range(rank, rank + position), *range(rank), *range(rank + position, rank + len(rest))])


def _put(name: str, reduction: str) -> None:
    @writes(name)
    def _(w: Writer, input, indices, values, form):
        if reduction in ("max", "min") and w.opset < 18:
            w.refuse(f"ONNX has `{reduction}` at places from version 18 on")
        values = w.value(values, w.dtype)
        if form[0] == "along":
            index = w.cast(indices[0], dt.int64)
            if tuple(values.shape) != tuple(index.shape):
                values = w.expand(values, index.shape)
            return w.node("ScatterElements", input, index, values, axis=form[1], reduction=reduction)
        if form[0] == "points":
            places = w.cast(indices[0], dt.int64)
            shape = (*indices[0].shape[:-1], *input.shape[indices[0].shape[-1] :])
            if tuple(values.shape) != tuple(shape):
                values = w.expand(values, shape)
            return w.node("ScatterND", input, places, values, reduction=reduction)
        _, axes, position, _ = form
        rest = [a for a in range(input.ndim) if a not in axes]
        places, batch = _points(w, indices)
        rank = len(batch)
        lengths = [input.shape[a] for a in rest]
        whole = (*lengths[:position], *batch, *lengths[position:])
        if tuple(values.shape) != tuple(whole):
            values = w.expand(values, whole)
        values = w.transpose(
            values, [*range(position, position + rank), *range(position), *range(position + rank, len(whole))]
        )
        order = [*axes, *rest]
        made = w.node("ScatterND", w.transpose(input, order), places, values, reduction=reduction)
        return w.transpose(made, [order.index(a) for a in range(input.ndim)])


for _name, _reduction in {
    "set_at": "none", "add_at": "add", "mul_at": "mul", "max_at": "max", "min_at": "min",
}.items():  # fmt: skip
    _put(_name, _reduction)


@writes("sub_at")
def _(w: Writer, input, indices, values, form):
    taken = w.value(values, w.dtype)
    minus = w.node("Neg", taken)
    minus._shape = taken.shape
    return WRITES["add_at"](w, input, indices, minus, form)


@writes("sum_at")
def _(w: Writer, values, indices, form, shape):
    zeros = w.expand(w.constant(0, w.dtype), shape)
    zeros._shape = shape
    return WRITES["add_at"](w, zeros, indices, values, form)


def positions(w: Writer, shape: Any, path: tuple) -> np.ndarray:
    """Where the elements lie that views, one after the other, show of a tensor: places in it from the first one on."""
    if not all(isinstance(length, int) for length in shape) or list(lengths_in(path)):
        w.refuse("a place in a tensor of a free length")
    whole = TensorType(dt.int8, tuple(shape)).contiguous
    found = through(whole, path)
    if found is None:
        w.refuse("a view of a view that is a copy")
    layout, start = found
    places = np.full(layout.shape, start, np.int64)
    for axis, (n, step) in enumerate(zip(layout.shape, layout.strides)):
        places += (np.arange(n) * step).reshape([-1 if a == axis else 1 for a in range(len(layout.shape))])
    return places


@writes("write_back")
def _(w: Writer, input, value, path):
    if isinstance(value, Value) and list(lengths_in(value.shape)):
        w.refuse("a place in a tensor of a free length")
    places = positions(w, input.shape, path).reshape(-1)
    flat = w.reshape(input, (-1,))
    values = w.reshape(w.value(value, w.dtype), (-1,))
    made = w.node("ScatterElements", flat, w.constant(places), values, axis=0)
    return w.reshape(made, input.shape)


@writes("place")
def _(w: Writer, input, shape, path):
    if list(lengths_in(input.shape)):
        w.refuse("a place in a tensor of a free length")
    places = positions(w, shape, path).reshape(-1)
    zeros = w.expand(w.constant(0, w.dtype), (math.prod(shape),))
    made = w.node("ScatterElements", zeros, w.constant(places), w.reshape(input, (-1,)), axis=0)
    return w.reshape(made, shape)


@writes("assemble")
def _(w: Writer, parts, shape, paths):
    if any(list(lengths_in(part.shape)) for part in parts):
        w.refuse("a place in a tensor of a free length")
    made = w.expand(w.constant(0, w.dtype), (math.prod(shape),))
    for part, path in zip(parts, paths):
        places = w.constant(positions(w, shape, path).reshape(-1))
        made = w.node("ScatterElements", made, places, w.reshape(part, (-1,)), axis=0)
    return w.reshape(w.node("Add", made, w.constant(0, w.dtype)), shape)


@writes("topk")
def _(w: Writer, input, k, dim, largest, sorted):
    values, places = w.node(
        "TopK", input, w.ints((k,)), dtypes=(input.dtype, dt.int64), count=2, axis=dim, largest=int(largest), sorted=1
    )
    return values, w.cast(places, w.out[1].dtype)


def _ordered(w: Writer, x: Value, axis: int, descending: bool) -> tuple[Value, Value]:
    return w.node("TopK", x, w.ints((x.shape[axis],)), dtypes=(x.dtype, dt.int64), count=2, axis=axis,
                  largest=int(descending), sorted=1)  # fmt: skip


@writes("sort")
def _(w: Writer, input_x, axis, descending):
    values, places = _ordered(w, input_x, axis, descending)
    return values, w.cast(places, w.out[1].dtype)


@writes("argsort")
def _(w: Writer, input, axis, descending):
    return w.cast(_ordered(w, input, axis, descending)[1], w.dtype)


def _extreme(name: str, kind: str) -> None:
    @writes(name)
    def _(w: Writer, **arguments):
        x, axis, keep = arguments.values()
        if axis is None:
            x = w.reshape(x, (-1,))
            found = w.node(kind, x, dtype=dt.int64, axis=0, keepdims=0)
            return w.cast(w.reshape(found, w.out.shape), w.dtype)
        return w.cast(w.node(kind, x, dtype=dt.int64, axis=axis, keepdims=int(keep)), w.dtype)

    @writes(f"{name}_with_value")
    def _(w: Writer, input, axis, keep_dims):
        kept = "ReduceMax" if kind == "ArgMax" else "ReduceMin"
        places = w.node(kind, input, dtype=dt.int64, axis=axis, keepdims=int(keep_dims))
        return w.reduce(kept, input, (axis,), keep_dims), w.cast(places, w.out[1].dtype)


_extreme("argmax", "ArgMax")
_extreme("argmin", "ArgMin")


@writes("cumsum")
def _(w: Writer, x, axis, dtype, exclusive, reverse):
    return w.node("CumSum", w.cast(x, w.dtype), w.constant(axis), exclusive=int(exclusive), reverse=int(reverse))


@writes("cumprod")
def _(w: Writer, input, dim, dtype, exclusive, reverse):
    if w.opset < 26:
        w.refuse("ONNX has running products from version 26 on")
    x = w.cast(input, w.dtype)
    return w.node("CumProd", x, w.constant(dim), exclusive=int(exclusive), reverse=int(reverse))


def _counted(w: Writer, mask: Value) -> tuple[Value, Value]:
    """A mask as one axis of truth values, and for each of them how many true ones there are up to it."""
    flat = w.cast(w.reshape(mask, (-1,)), dt.bool_)
    return flat, w.node("CumSum", w.cast(flat, dt.int64), w.constant(0), dtype=dt.int64)


@writes("put_where")
def _(w: Writer, input, mask, values):
    if values.shape[0] == 0:
        return w.node("Identity", input)
    flat, counts = _counted(w, mask)
    last = w.constant(values.shape[0] - 1)
    places = w.node("Max", w.node("Min", w.node("Sub", counts, w.constant(1)), last), w.constant(0))
    made = w.node("Where", flat, w.node("Gather", values, places, axis=0), w.reshape(input, (-1,)), dtype=w.dtype)
    return w.reshape(made, input.shape)


@writes("take_where")
def _(w: Writer, input, mask, size):
    flat, counts = _counted(w, mask)
    behind = w.constant(size)  # where what is not asked for goes
    places = w.node("Where", flat, w.node("Sub", counts, w.constant(1)), behind, dtype=dt.int64)
    zeros = w.expand(w.constant(0, w.dtype), (size + 1,))
    made = w.node("ScatterElements", zeros, places, w.reshape(input, (-1,)), axis=0)
    return w.slice(made, {0: (0, size, 1)})


# -- from ONNX --------------------------------------------------------------------------------------------------------


@reads("Gather")
def gather(data, indices, *, axis=0):
    return ops.gather(data, _positive(indices, data.shape[axis]), axis)


def _positive(indices, n):
    """Places counted from the front."""
    return ops.where(indices < 0, indices + n, indices)


@reads("GatherElements")
def gather_elements(data, indices, *, axis=0):
    return ops.gather_elements(data, axis, indices)


@reads("GatherND")
def gather_nd(data, indices, *, batch_dims=0):
    if not batch_dims:
        return ops.gather_nd(data, indices)
    lead = indices.shape[:batch_dims]
    parts = []
    for a, n in enumerate(lead):  # the places in the batch are coordinates too
        line = [1] * indices.ndim
        line[a] = n
        parts.append(ops.broadcast_to(ops.reshape(ops.arange(n), tuple(line)), (*indices.shape[:-1], 1)))
    return ops.gather_nd(data, ops.concat((*parts, ops.cast(indices, dt.int64)), -1))


@reads("ScatterElements", "Scatter")
def scatter_elements(data, indices, updates, *, axis=0, reduction="none"):
    index = _positive(ops.cast(indices, dt.int64), data.shape[axis])
    return _PUT[reduction](data, (index,), updates, form=("along", axis % data.ndim))


@reads("ScatterND")
def scatter_nd(data, indices, updates, *, reduction="none"):
    return _PUT[reduction](data, (ops.cast(indices, dt.int64),), updates, form=("points",))


_PUT = {
    name: registry[op]
    for name, op in {"none": "set_at", "add": "add_at", "mul": "mul_at", "max": "max_at", "min": "min_at"}.items()
}


@reads("TensorScatter")
def tensor_scatter(past_cache, update, write_indices=None, *, axis=-2, mode="linear"):
    axis = axis % past_cache.ndim
    length, count = past_cache.shape[axis], update.shape[axis]
    places = ops.expand_dims(ops.arange(count), 0)
    if write_indices is not None:
        places = places + ops.expand_dims(write_indices, 1)
    if mode == "circular":
        places = ops.remainder(places, length)
    line = [1] * past_cache.ndim
    line[0], line[axis] = places.shape
    index = ops.broadcast_to(ops.reshape(places, tuple(line)), update.shape)
    return _PUT["none"](past_cache, (index,), update, form=("along", axis))


@reads("NonZero")
def non_zero(X):
    if not X.ndim:
        return Tensor(np.zeros((0, int(bool(X.item()))), np.int64))
    return ops.transpose(ops.nonzero(X), (1, 0))


@reads("Compress")
def compress(input, condition, *, axis=None):
    if axis is None:
        input, axis = ops.reshape(input, (-1,)), 0
    places = ops.reshape(ops.nonzero(condition), (-1,))
    return ops.gather(input, places, axis)


def _extreme_place(kind, find):
    @reads(kind)
    def place(data, *, axis=0, keepdims=1, select_last_index=0):
        if not select_last_index:
            return ops.cast(find(data, axis, bool(keepdims)), dt.int64)
        last = data.shape[axis] - 1
        return last - ops.cast(find(ops.flip(data, (axis % data.ndim,)), axis, bool(keepdims)), dt.int64)


_extreme_place("ArgMax", ops.argmax)
_extreme_place("ArgMin", ops.argmin)


@reads("TopK")
def top_k(X, k: Int, *, axis=-1, largest=1, sorted=1):
    if X.dtype.is_integer and X.dtype.bits < 64:
        values, places = ops.topk(ops.cast(X, dt.int64), int(k), axis, bool(largest), True)
        return ops.cast(values, X.dtype), ops.cast(places, dt.int64)
    values, places = ops.topk(X, int(k), axis, bool(largest), True)
    return values, ops.cast(places, dt.int64)


def _running(name, function, start):
    @reads(name)
    def run(x, axis: Int, *, exclusive=0, reverse=0):
        axis = int(axis) % x.ndim
        if reverse:
            x = ops.flip(x, (axis,))
        if exclusive:
            first = list(x.shape)
            first[axis] = 1
            x = ops.concat(
                (ops.full(tuple(first), start, dtype=x.dtype), ops.narrow(x, axis, 0, x.shape[axis] - 1)), axis
            )
        x = ops.cast(function(x, axis), x.dtype)
        return ops.flip(x, (axis,)) if reverse else x


_running("CumSum", lambda x, axis: ops.cumsum(x, axis), 0)
_running("CumProd", lambda x, axis: ops.cumprod(x, axis), 1)


@reads("Unique")
def unique(X, *, axis=None, sorted=1, outputs):
    x = X.asnumpy()
    values, first, inverse, counts = np.unique(x, True, True, True, axis=axis)
    order = np.arange(len(first)) if sorted else np.argsort(first, kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    along = 0 if axis is None else axis
    found = (np.take(values, order, along), first[order], rank[inverse.reshape(-1)], counts[order])
    made = tuple(Tensor(part if i == 0 else part.astype(np.int64)) for i, part in enumerate(found))
    made = (ops.cast(made[0], X.dtype), *made[1:])
    return made[:outputs] if outputs > 1 else made[0]


@reads("NonMaxSuppression")
def non_max_suppression(
    boxes, scores, max_output_boxes_per_class: Int = 0, iou_threshold: Float = 0.0, score_threshold: Float = None,
    *, center_point_box=0,
):  # fmt: skip
    """For each image and class the boxes that no better one overlaps; a plain search, in Python."""
    corners, points = boxes.asnumpy().astype(np.float32), scores.asnumpy()
    if center_point_box:
        x, y, w, h = (corners[..., i] for i in range(4))
        corners = np.stack([y - h / 2, x - w / 2, y + h / 2, x + w / 2], -1)
    low, high = np.minimum(corners[..., :2], corners[..., 2:]), np.maximum(corners[..., :2], corners[..., 2:])
    areas = (high - low).prod(-1)
    found = []
    for image in range(points.shape[0]):
        for kind in range(points.shape[1]):
            kept: list[int] = []
            for i in np.argsort(-points[image, kind], kind="stable"):
                if len(kept) == max_output_boxes_per_class:
                    break
                if score_threshold is not None and not points[image, kind, i] > score_threshold:
                    continue
                shared = (
                    np.minimum(high[image, i], high[image, kept]) - np.maximum(low[image, i], low[image, kept])
                ).clip(0)
                common = shared.prod(-1)
                union = areas[image, i] + areas[image, kept] - common
                if not np.any(common > iou_threshold * union):
                    kept.append(int(i))
                    found.append([image, kind, int(i)])
    return Tensor(np.array(found, np.int64).reshape(-1, 3))


@reads("TfIdfVectorizer")
def tf_idf(
    X, *, max_gram_length, max_skip_count, min_gram_length, mode, ngram_counts, ngram_indexes, pool_int64s=None,
    pool_strings=None, weights=None,
):  # fmt: skip
    """How often sequences of tokens come, with up to so many left out between their elements."""
    if pool_int64s is None:
        raise OpValueError("TfIdfVectorizer: anfora has no tensors of texts")
    grams = {}
    ends = (*ngram_counts[1:], len(pool_int64s))
    for length, (start, end) in enumerate(zip(ngram_counts, ends), 1):
        for at in range(start, end, length):
            grams[pool_int64s[at : at + length]] = len(grams)
    rows = X.asnumpy()
    batch = rows.reshape(-1, rows.shape[-1]) if rows.ndim > 1 else rows.reshape(1, -1)
    found = np.zeros((len(batch), max(ngram_indexes) + 1), np.float32)
    for row, tokens in zip(found, batch.tolist()):
        for length in range(min_gram_length, max_gram_length + 1):
            for skip in range(1, (max_skip_count if length > 1 else 0) + 2):
                for start in range(len(tokens) - (length - 1) * skip):
                    gram = tuple(tokens[start : start + (length - 1) * skip + 1 : skip])
                    if gram in grams:
                        row[ngram_indexes[grams[gram]]] += 1
    scale = np.ones(found.shape[1], np.float32)
    if weights is not None:
        scale[list(ngram_indexes)] = weights
    if mode in ("IDF", "TFIDF"):
        found = ((found > 0) if mode == "IDF" else found) * scale
    return Tensor(np.asarray(found if rows.ndim > 1 else found[0], np.float32))
