"""Running sums, products, maxima and minima along an axis (`kernel/scan.py`), the gradients that they make possible, and
differences of neighbours.

The gradient of a running product needs no division, so it is right where elements are zero. With y_k = Π_{i<=k} x_i,

    dx_i = L_i R_i        L_i = Π_{j<i} x_j        R_i = Σ_{k>=i} g_k Π_{i<j<=k} x_j = g_i + x_{i+1} R_{i+1}

L is an exclusive running product and R a linear recurrence, which is an operator here and has gradients of its own kind.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anfora.core.abstract import TensorType
from anfora.core.dtype import DType, as_dtype, bool_, int32, int64
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.op import Op, op
from anfora.core.tensor import Tensor
from anfora.kernel.loops import plan_copy, plan_fill
from anfora.kernel.plan import Buffer, Planner
from anfora.kernel.scan import plan_scan
from anfora.ops.comparison import not_equal
from anfora.ops.composite import composite
from anfora.ops.copying import cast
from anfora.ops.families import along, like, linear, normalize_axis, type_of
from anfora.ops.joining import concat
from anfora.ops.places import pick, sum_at
from anfora.ops.reduction import exp_decay, prod, reduce_sum, stretch
from anfora.ops.shape import narrow, reshape, transpose

__all__ = ["cummax", "cummin", "cumprod", "cumsum", "diff", "logcumsumexp", "trapz"]


def _running(kind: str, result: Callable[[Any], DType]) -> Callable[[Callable], Op]:
    """Make an operator (x, axis, dtype, exclusive, reverse) of a scan of one input."""

    def make(function: Callable) -> Op:
        made = op(function)
        axis_name = next(iter(made.attributes))

        @made.normalize
        def normalize(x: Any, **given: Any) -> dict:
            dtype = None if given["dtype"] is None else as_dtype(given["dtype"])
            if dtype is bool_:
                raise OpTypeError(f"{made.name}: `dtype` must be a number type, but got {dtype}", arg="dtype")
            return {
                axis_name: normalize_axis(made, given[axis_name], x.ndim, axis_name),
                "dtype": dtype,
                "exclusive": bool(given["exclusive"]),
                "reverse": bool(given["reverse"]),
            }

        @made.infer
        def infer(x: Any, **given: Any) -> TensorType:
            return TensorType(given["dtype"] or result(x), x.shape)

        @made.kernel
        def kernel(p: Planner, x: Buffer, out: Buffer, *, exclusive: bool, reverse: bool, **given: Any) -> None:
            plan_scan(p, kind, [x], [out], given[axis_name], exclusive, reverse)

        return made

    return make


@_running("sum", lambda x: int64 if x.dtype.is_bool else x.dtype)
def cumsum(x: Tensor, axis, dtype=None, *, exclusive=False, reverse=False):
    """The running sum along an axis: y_k = Σ_{i<=k} x_i, carried in float64 and rounded for each k.

    Args:
        x: tensor of any shape.
        axis: the axis to run along.
        dtype: element type of the result, in which it is computed; that of `x` when not given, int64 for bools.
        exclusive: leave out element k itself.
        reverse: run from the last element to the first.
    Returns:
        tensor of the shape of `x`.
    Raises:
        OpValueError: `axis` is out of range.
    Gradient:
        the running sum of g in the other direction.
    Example:
        >>> cumsum(Tensor([1, 2, 3]), 0)
        Tensor(shape=[3], dtype=Int64, value= [1, 3, 6])
    """


cumsum.mixed = "single"


@cumsum.vjp("x")
def _(*, axis, exclusive, reverse, g):
    return cumsum(g, axis, exclusive=exclusive, reverse=not reverse)


linear(cumsum, "x")
along(cumsum, "axis")


@_running("prod", lambda x: x.dtype if x.dtype.is_float else int64)
def cumprod(input: Tensor, dim, dtype=None, *, exclusive=False, reverse=False):
    """The running product along an axis: y_k = Π_{i<=k} x_i, carried in float64 and rounded for each k.

    Args:
        input: tensor of any shape.
        dim: the axis to run along.
        dtype: element type of the result; that of a floating-point `input` when not given, int64 for others.
        exclusive: leave out element k itself.
        reverse: run from the last element to the first.
    Returns:
        tensor of the shape of `input`.
    Raises:
        OpValueError: `dim` is out of range.
    Gradient:
        see the head of this file; right where elements are zero.
    Example:
        >>> cumprod(Tensor([1., 2., 3.]), 0)
        Tensor(shape=[3], dtype=Float32, value= [ 1.00000000e+00,  2.00000000e+00,  6.00000000e+00])
    """


cumprod.mixed = "single"


@cumprod.vjp("input")
def _(input, *, dim, exclusive, reverse, g):
    before = cumprod(input, dim, g.dtype, exclusive=True, reverse=reverse)
    if exclusive:
        g = shift(g, dim, not reverse)
    return before * recurrence(shift(input, dim, not reverse), g, dim, not reverse)


along(cumprod, "dim")


@prod.vjp("input")
def _(input, input_type, out_type, *, axis, g):
    order = (*(i for i in range(input_type.ndim) if i not in axis), *axis)
    moved = transpose(input, order)
    kept = moved.shape[: len(order) - len(axis)]
    flat = reshape(moved, (*kept, -1 if moved.size else 0)) if axis else reshape(moved, (*kept, 1))
    others = cumprod(flat, -1, out_type.dtype, exclusive=True) * cumprod(
        flat, -1, out_type.dtype, exclusive=True, reverse=True
    )
    others = transpose(reshape(others, moved.shape), tuple(sorted(range(len(order)), key=order.__getitem__)))
    return stretch(g, input_type, axis) * others


@op
def shift(input: Tensor, axis, back):
    """The elements moved by one place along an axis, to higher positions or `back`; what comes in is zero."""


shift.infer(like())


@shift.normalize
def _(input, *, axis, back):
    return {"axis": normalize_axis("shift", axis, input.ndim), "back": back}


@shift.kernel
def _(p: Planner, input: Buffer, out: Buffer, *, axis, back):
    plan_fill(p, out, 0)
    length = input.shape[axis] if input.ndim else 1
    if length > 1:
        shape = (*input.shape[:axis], length - 1, *input.shape[axis + 1 :])
        source, target = (Buffer(b.index, b.dtype, shape, b.strides, b.offset) for b in (input, out))
        if back:
            source = source.moved(input.strides[axis])
        else:
            target = target.moved(out.strides[axis])
        plan_copy(p, source, target)


@shift.vjp("input")
def _(*, axis, back, g):
    return shift(g, axis, not back)


linear(shift, "input")
along(shift, "axis")


@op
def recurrence(input: Tensor, other: Tensor, axis, reverse):
    """y_k = a_k y_{k-1} + b_k along an axis, from y = 0; a is `input`, b is `other`, both of one shape and type."""


@recurrence.normalize
def _(input, other, *, axis, reverse):
    return {"axis": normalize_axis("recurrence", axis, input.ndim), "reverse": reverse}


@recurrence.infer
def _(input, other, *, axis, reverse):
    return other


@recurrence.kernel
def _(p: Planner, input: Buffer, other: Buffer, out: Buffer, *, axis, reverse):
    plan_scan(p, "recurrence", [input, other], [out], axis, reverse=reverse)


@recurrence.vjp("input", "other")
def _(input, out, *, axis, reverse, g):
    to_b = recurrence(shift(input, axis, not reverse), g, axis, not reverse)
    return to_b * shift(out, axis, reverse), to_b


along(recurrence, "axis", count=2)


def _record(kind: str, positions: DType) -> Callable[[Callable], Op]:
    """Make an operator (input, axis) that gives running extremes and their positions."""

    def make(function: Callable) -> Op:
        made = op(function)

        @made.normalize
        def normalize(input: Any, *, axis: Any) -> dict:
            return {"axis": normalize_axis(made, axis, input.ndim)}

        @made.infer
        def infer(input: Any, *, axis: int) -> tuple:
            return type_of(input), TensorType(positions, input.shape)

        @made.kernel
        def kernel(p: Planner, input: Buffer, values: Buffer, places: Buffer, *, axis: int) -> None:
            plan_scan(p, kind, [input], [values, places], axis)

        @made.vjp("input")
        def gradient(input_type, out1, *, axis, g):
            if g[0] is None or not input_type.ndim:
                return g[0]
            return sum_at(g[0], [out1], form=("along", axis), shape=input_type.shape)

        @made.jvp
        def tangent(t_input, out1, *, axis):
            return (pick(t_input, out1, "along", axis) if t_input.ndim else t_input), None

        along(made, "axis")
        return made

    return make


@_record("max", int64)
def cummax(input: Tensor, axis) -> tuple[Tensor, Tensor]:
    """The largest element so far along an axis and its position; of equal ones the last; NaN stays.

    Args:
        input: tensor of any shape.
        axis: the axis to run along.
    Returns:
        values, of the element type of `input`, and positions, int64, both of its shape.
    Raises:
        OpValueError: `axis` is out of range.
    Gradient:
        g to the elements that were chosen.
    Example:
        >>> cummax(Tensor([1, 3, 2, 3]), 0)
        (Tensor(shape=[4], dtype=Int64, value= [1, 3, 3, 3]), Tensor(shape=[4], dtype=Int64, value= [0, 1, 1, 3]))
    """


@_record("min", int32)
def cummin(input: Tensor, axis) -> tuple[Tensor, Tensor]:
    """The smallest element so far along an axis and its position, int32; see `cummax`.

    Example:
        >>> cummin(Tensor([3, 1, 2, 1]), 0)
        (Tensor(shape=[4], dtype=Int64, value= [3, 1, 1, 1]), Tensor(shape=[4], dtype=Int32, value= [0, 1, 1, 3]))
    """


@op
def logcumsumexp(input: Tensor, axis):
    """y_k = log(Σ_{i<=k} exp(x_i)) along an axis, without overflow.

    Args:
        input: tensor of any shape; integers are computed as float32.
        axis: the axis to run along.
    Returns:
        float tensor of the shape of `input`.
    Raises:
        OpValueError: `axis` is out of range.
    Gradient:
        exp(x_i - y_i) R_i with R_i = Σ_{k>=i} g_k exp(y_i - y_k) = g_i + exp(y_i - y_{i+1}) R_{i+1}: no exponent is
        above zero.
    Example:
        >>> logcumsumexp(Tensor([0., 0., 1000.]), 0)
        Tensor(shape=[3], dtype=Float32, value= [ 0.00000000e+00,  6.93147182e-01,  1.00000000e+03])
    """


logcumsumexp.mixed = "single"


@logcumsumexp.normalize
def _(input, *, axis):
    return {"axis": normalize_axis("logcumsumexp", axis, input.ndim)}


@logcumsumexp.infer
def _(input, *, axis):
    return TensorType(input.dtype.lifted, input.shape)


@logcumsumexp.kernel
def _(p: Planner, input: Buffer, out: Buffer, *, axis):
    plan_scan(p, "logsumexp", [input], [out], axis)


@logcumsumexp.vjp("input")
def _(input, out, *, axis, g):
    decay = shift(exp_decay(shift(out, axis, False), out), axis, True)
    return exp_decay(input, out) * recurrence(decay, g, axis, True)


along(logcumsumexp, "axis")


# -- differences ------------------------------------------------------------------------------------------------------


@composite
def diff(x: Tensor, n=1, axis=-1, prepend: Tensor | None = None, append: Tensor | None = None) -> Tensor:
    """The differences of neighbours along an axis, y_k = x_{k+1} - x_k, taken n times; of bools, whether they differ.

    Args:
        x: tensor of at least one axis.
        n: how often; 0 gives `x`.
        axis: the axis.
        prepend, append: tensors that are put in front of `x` and behind it first.
    Returns:
        tensor of the shape of `x`, but n shorter along the axis (empty where nothing is left).
    Raises:
        OpTypeError: `n` is no integer.
        OpValueError: `n` is negative, `x` has no axis, or `axis` is out of range.
    Example:
        >>> diff(Tensor([1, 4, 9, 16])).tolist()
        [3, 5, 7]
    """
    if not isinstance(x, Tensor):
        raise OpTypeError(f"diff needs a tensor for `x`, but got {x!r}", arg="x")
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise OpTypeError(f"diff needs an integer for `n`, but got {n!r}", arg="n")
    if n.__index__() < 0 or x.ndim == 0:
        raise OpValueError(
            f"diff: a tensor of {x.ndim} axes has no differences of order {n}", arg="n" if x.ndim else "x"
        )
    axis = normalize_axis("diff", axis, x.ndim)
    parts = [part for part in (prepend, x, append) if part is not None]
    x = concat(parts, axis) if len(parts) > 1 else x
    for _ in range(min(n.__index__(), max(x.shape[axis], 1))):  # then there is nothing left
        length = max(x.shape[axis] - 1, 0)
        upper, lower = narrow(x, axis, x.shape[axis] - length, length), narrow(x, axis, 0, length)
        x = not_equal(upper, lower) if x.dtype.is_bool else upper - lower
    return x


@composite
def trapz(y: Tensor, x: Tensor | None = None, *, dx=1.0, dim=-1) -> Tensor:
    """The integral along an axis by the trapezoidal rule: Σ (x_{k+1} - x_k) (y_k + y_{k+1}) / 2.

    Args:
        y: tensor of the values; integers are computed as float32.
        x: where they are taken, a tensor of one axis or of the shape of `y`.
        dx: the distance of neighbours where there is no `x`.
        dim: the axis.
    Returns:
        tensor of the other axes.
    Raises:
        OpValueError: `dim` is out of range, or `x` does not fit.
    Example:
        >>> trapz(Tensor([1., 2., 4.])).item()
        4.5
    """
    if not isinstance(y, Tensor):
        raise OpTypeError(f"trapz needs a tensor for `y`, but got {y!r}", arg="y")
    axis = normalize_axis("trapz", dim, y.ndim, "dim")
    if y.ndim == 0:
        raise OpValueError("trapz needs at least one axis for `y`, but got a number", arg="y")
    y = cast(y, y.dtype.lifted)
    length = max(y.shape[axis] - 1, 0)
    means = (narrow(y, axis, y.shape[axis] - length, length) + narrow(y, axis, 0, length)) * 0.5
    if x is None:
        return reduce_sum(means, axis) * dx
    if x.shape != y.shape and (x.ndim != 1 or x.shape[0] != y.shape[axis]):
        raise OpValueError(
            f"trapz: places of shape {list(x.shape)} do not fit values of shape {list(y.shape)}", arg="x"
        )
    if x.ndim == 1:
        x = reshape(x, (-1 if x.size else 0, *(1,) * (y.ndim - 1 - axis)))
    steps = diff(x, 1, axis if x.ndim == y.ndim else 0)
    return reduce_sum(means * steps, axis)
