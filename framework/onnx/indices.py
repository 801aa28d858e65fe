"""What lies at places that indices name, and puts there; orders."""

from __future__ import annotations

from typing import Any

from anfora.core import dtype as dt
from anfora.onnx.table import writes
from anfora.onnx.writer import Value, Writer

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
