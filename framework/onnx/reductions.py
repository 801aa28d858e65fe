"""Sums, means, largest elements over axes."""

from __future__ import annotations

from anfora.core import dtype as dt
from anfora.onnx.table import writes
from anfora.onnx.writer import Value, Writer

# -- to ONNX ----------------------------------------------------------------------------------------------------------


def _axes(x: Value, axis) -> tuple[int, ...]:
    if axis is None or axis == ():
        return tuple(range(x.ndim))
    return (axis,) if isinstance(axis, int) else tuple(axis)


def _reduction(name: str, kind: str) -> None:
    @writes(name)
    def _(w: Writer, dtype=None, **arguments):
        x, axis, keep = arguments.values()
        return w.reduce(kind, w.cast(x, w.dtype), _axes(x, axis), keep)


for _name, _kind in {
    "reduce_sum": "ReduceSum", "mean": "ReduceMean", "prod": "ReduceProd", "reduce_max": "ReduceMax",
    "reduce_min": "ReduceMin", "euclidean_norm": "ReduceL2", "logsumexp": "ReduceLogSumExp",
}.items():  # fmt: skip
    _reduction(_name, _kind)


@writes("sum_of_numbers")
def _(w: Writer, input, axis, keepdims, dtype):
    x = w.node("Where", w.node("IsNaN", input, dtype=dt.bool_), w.constant(0, input.dtype), input, dtype=input.dtype)
    return w.reduce("ReduceSum", w.cast(x, w.dtype), _axes(input, axis), keepdims)


@writes("count_nonzero")
def _(w: Writer, x, axis, keep_dims, dtype):
    return w.reduce("ReduceSum", w.cast(w.cast(x, dt.bool_), w.dtype), _axes(x, axis), keep_dims)


@writes("all")
def _(w: Writer, input, axis, keep_dims):
    number = w.cast(w.cast(input, dt.bool_), dt.int32)
    return w.cast(w.reduce("ReduceMin", number, _axes(input, axis), keep_dims), dt.bool_)


@writes("any")
def _(w: Writer, input, axis, keep_dims):
    number = w.cast(w.cast(input, dt.bool_), dt.int32)
    return w.cast(w.reduce("ReduceMax", number, _axes(input, axis), keep_dims), dt.bool_)


@writes("moments")
def _(w: Writer, input, axis, ddof, keep_dims, root):
    x = w.cast(input, w.out[0].dtype)
    axes = _axes(x, axis)
    mean = w.reduce("ReduceMean", x, axes, True)
    apart = w.node("Sub", x, mean)
    squares = w.reduce("ReduceSum", w.node("Mul", apart, apart), axes, keep_dims)
    count = 1
    for a in axes:
        count = count * x.shape[a]
    variance = w.node("Div", squares, w.value(count - ddof, x.dtype))
    if root:
        variance = w.node("Sqrt", variance)
    return variance, mean if keep_dims else w.squeeze(mean, axes)
