"""Sums, means, largest elements over axes."""

from __future__ import annotations

from anfora import ops
from anfora.core import dtype as dt
from anfora.onnx.table import Ints, reads, writes
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


def _how_many(w: Writer, x: Value, axis, keep) -> Value:
    """How many elements are set."""
    return w.reduce("ReduceSum", w.cast(x, dt.int32), _axes(x, axis), keep)


@writes("all")
def _(w: Writer, input, axis, keep_dims):
    others = w.node("Not", w.cast(input, dt.bool_))
    others._shape = input.shape
    return w.node("Equal", _how_many(w, others, axis, keep_dims), w.constant(0, dt.int32), dtype=dt.bool_)


@writes("any")
def _(w: Writer, input, axis, keep_dims):
    return w.node(
        "Greater", _how_many(w, w.cast(input, dt.bool_), axis, keep_dims), w.constant(0, dt.int32), dtype=dt.bool_
    )


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


# -- from ONNX --------------------------------------------------------------------------------------------------------


def _reads(kind: str, function) -> None:
    @reads(kind)
    def reduce(data, axes: Ints = None, *, keepdims=1, noop_with_empty_axes=0):
        if not axes:
            if noop_with_empty_axes:
                return function(data, (), True) if kind in _OF_EACH else data
            axes = tuple(range(data.ndim))
        return function(data, axes, bool(keepdims))


#: Reductions that do something with each element, also where nothing is reduced.
_OF_EACH = ("ReduceSumSquare", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp")


def _sum(x, axes, keep):
    return ops.reduce_sum(x, axes, keep, dtype=x.dtype) if axes else x


def _mean(x, axes, keep):
    return ops.cast(ops.mean(x, axes, keep), x.dtype)


def _product(x, axes, keep):
    return ops.prod(x, axes, keep, dtype=x.dtype)


def _extreme(x, axes, keep, largest):
    """The largest or smallest; of nothing the smallest or largest that there is."""
    if any(x.shape[a] == 0 for a in axes):
        shape = tuple([1 if a in axes or a - x.ndim in axes else n for a, n in enumerate(x.shape)])
        shape = shape if keep else tuple([n for a, n in enumerate(x.shape) if a not in axes and a - x.ndim not in axes])
        return ops.full(shape, least(x.dtype, largest), dtype=x.dtype)
    if x.dtype.is_bool:
        return ops.cast(_extreme(ops.cast(x, dt.uint8), axes, keep, largest), dt.bool_)
    return (ops.reduce_max if largest else ops.reduce_min)(x, axes, keep)


def least(dtype, is_least):
    if dtype.is_float:
        return float("-inf") if is_least else float("inf")
    if dtype.is_bool:
        return not is_least
    bits = dtype.bits - (dtype.kind == "i")
    return (-(2**bits) if dtype.kind == "i" else 0) if is_least else 2**bits - 1


def _log_of_sum(x, axes, keep):
    return ops.log(_sum(x, axes, keep))


def _root_of_squares(x, axes, keep):
    return ops.cast(ops.sqrt(_sum(ops.square(x), axes, keep)), x.dtype)


for _kind, _function in {
    "ReduceSum": _sum,
    "ReduceMean": _mean,
    "ReduceProd": _product,
    "ReduceMax": lambda x, axes, keep: _extreme(x, axes, keep, True),
    "ReduceMin": lambda x, axes, keep: _extreme(x, axes, keep, False),
    "ReduceL1": lambda x, axes, keep: _sum(ops.abs(x), axes, keep),
    "ReduceL2": _root_of_squares,
    "ReduceSumSquare": lambda x, axes, keep: _sum(ops.square(x), axes, keep),
    "ReduceLogSum": _log_of_sum,
    "ReduceLogSumExp": lambda x, axes, keep: ops.cast(ops.logsumexp(x, axes, keep), x.dtype) if axes else x,
}.items():
    _reads(_kind, _function)
