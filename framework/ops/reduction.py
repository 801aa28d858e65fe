"""Reductions over axes. How sums are ordered, and why that is the same everywhere, stands in `kernel/reduce.py`.

`axis` is an integer, several of them, or None or () for all axes; negative ones count from the end. A gradient of a
reduction is stretched over the axes that were reduced.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import Any

from anfora.core.abstract import TensorType
from anfora.core.dtype import DType, as_dtype, bool_, int32, int64
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.op import Op, op
from anfora.core.tensor import Tensor
from anfora.kernel import bodies
from anfora.kernel.emit import Value
from anfora.kernel.extremes import plan_extreme
from anfora.kernel.loops import plan_copy, plan_fill
from anfora.kernel.moments import plan_mean_var
from anfora.kernel.plan import Buffer, Planner
from anfora.kernel.reduce import plan_reduce
from anfora.kernel.rows import Row, plan_rows
from anfora.ops.arithmetic import maximum, minimum
from anfora.ops.comparison import isnan
from anfora.ops.comparison import where as select
from anfora.ops.composite import composite
from anfora.ops.families import along, elementwise, linear, normalize_axes, normalize_axis, type_of
from anfora.ops.places import pick, sum_at
from anfora.ops.shape import broadcast_to, expand_dims, reshape, squeeze

__all__ = [
    "all", "amax", "amin", "aminmax", "any", "argmax", "argmax_with_value", "argmin", "argmin_with_value", "count_nonzero",
    "euclidean_norm", "logsumexp", "max", "mean", "min", "nanmean", "nansum", "prod", "reduce_max", "reduce_mean",
    "reduce_min", "reduce_sum", "std", "std_mean", "sum", "var", "var_mean",
]  # fmt: skip


# -- what all share ---------------------------------------------------------------------------------------------------


def _kept(shape: tuple[int, ...], axes: tuple[int, ...], keep_dims: bool) -> tuple[int, ...]:
    """The shape of the result."""
    return tuple(1 if i in axes else n for i, n in enumerate(shape) if keep_dims or i not in axes)


def stretch(g: Tensor, kind: TensorType, axes: tuple[int, ...]) -> Tensor:
    """A tensor of the kept axes, seen with the reduced ones again."""
    shape = _kept(kind.shape, axes, True)
    return broadcast_to(reshape(g, shape) if g.shape != shape else g, kind.shape)


def _count(kind: TensorType, axes: tuple[int, ...]) -> int:
    return math.prod(kind.shape[i] for i in axes)


def _refuse_empty(made: Op, input: Any, axes: tuple[int, ...]) -> None:
    shape: tuple[int, ...] = type_of(input).shape
    if 0 in (shape[i] for i in axes) and 0 not in _kept(shape, axes, False):
        raise OpValueError(f"{made.name}: there is no element to choose in {type_of(input)!r} along {axes}", arg="axis")


def _float_type(made: Op, input: Any) -> DType:
    """The element type of a reduction that computes in floating point."""
    return input.dtype.lifted


def _reduction(
    kind: str, result: Callable[[Op, Any, DType | None], DType], refuses_empty: bool = False
) -> Callable[[Callable], Op]:
    """Make an operator of a reduction of `kernel/reduce.py`, from a function (x, axis, keep_dims[, dtype])."""

    def make(function: Callable) -> Op:
        made = op(function)
        axis_name, keep_name = list(made.attributes)[:2]

        @made.normalize
        def normalize(input: Any, **given: Any) -> dict:
            axes = normalize_axes(made, given[axis_name], input.ndim, axis_name)
            if refuses_empty:
                _refuse_empty(made, input, axes)
            full = {axis_name: axes, keep_name: bool(given[keep_name])}
            if "dtype" in given:
                dtype = None if given["dtype"] is None else as_dtype(given["dtype"])
                if dtype is bool_:
                    raise OpTypeError(f"{made.name}: `dtype` must be a number type, but got {dtype}", arg="dtype")
                full["dtype"] = dtype
            return full

        @made.infer
        def infer(input: Any, **given: Any) -> TensorType:
            shape = _kept(input.shape, given[axis_name], given[keep_name])
            return TensorType(result(made, input, given.get("dtype")), shape)

        @made.kernel
        def kernel(p: Planner, input: Buffer, out: Buffer, **given: Any) -> None:
            plan_reduce(p, kind, input, out, given[axis_name])

        along(made, axis_name)
        return made

    return make


def _as_asked(made: Op, input: Any, dtype: DType | None) -> DType:
    """The type that is asked for; else that of the elements, and int64 for bools."""
    return dtype or (int64 if input.dtype.is_bool else input.dtype)


def _widest(made: Op, input: Any, dtype: DType | None) -> DType:
    """The type that is asked for; else that of floating-point elements, and int64 for all others."""
    return dtype or (input.dtype if input.dtype.is_float else int64)


def _same(made: Op, input: Any, dtype: DType | None) -> DType:
    return input.dtype


def _truth(made: Op, input: Any, dtype: DType | None) -> DType:
    return bool_


def _number(made: Op, input: Any, dtype: DType | None) -> DType:
    return dtype or int32


# -- sums -------------------------------------------------------------------------------------------------------------


@_reduction("sum", _as_asked)
def reduce_sum(x: Tensor, axis=(), keep_dims=False, dtype=None):
    """The sum over axes. float32 and half precision are added with a float64 total and rounded once.

    Args:
        x: tensor of any shape.
        axis: what to sum over.
        keep_dims: keep the summed axes, with length 1.
        dtype: element type of the sum, in which it is computed; that of `x` when not given, int64 for bools.
    Returns:
        tensor of the kept axes; 0 where there was nothing to add.
    Raises:
        OpValueError: `axis` is out of range or names an axis twice.
    Gradient:
        g, stretched.
    Example:
        >>> reduce_sum(Tensor([[1, 2], [3, 4]]), 0)
        Tensor(shape=[2], dtype=Int64, value= [4, 6])
    """


reduce_sum.mixed = "single"


@reduce_sum.vjp("x")
def _(x_type, *, axis, g):
    return stretch(g, x_type, axis)


linear(reduce_sum, "x")


@composite
def sum(input: Tensor, dim=None, keepdim=False, *, dtype=None) -> Tensor:
    """The sum over axes; integers and bools are added as int64. See `reduce_sum`.

    Example:
        >>> sum(Tensor([[1., 2.], [3., 4.]]), dim=1)
        Tensor(shape=[2], dtype=Float32, value= [ 3.00000000e+00,  7.00000000e+00])
    """
    if isinstance(input, Tensor):
        dim = normalize_axes("sum", dim, input.ndim, "dim")
        if dtype is None and not input.dtype.is_inexact:
            dtype = int64
    return reduce_sum(input, dim, keepdim, dtype)


@_reduction("nansum", _as_asked)
def sum_of_numbers(input: Tensor, axis=None, keepdims=False, *, dtype=None):
    """The sum over axes with NaN counted as zero, in a floating-point type if the input is of one."""


@sum_of_numbers.vjp("input")
def _(input, input_type, *, axis, g):
    return stretch(g, input_type, axis) * equals(input, input)


@composite
def nansum(input: Tensor, axis=None, keepdims=False, *, dtype=None) -> Tensor:
    """The sum over axes with NaN counted as zero; integers and bools are added as int64.

    Args:
        input: tensor of any shape.
        axis, keepdims, dtype: see `reduce_sum`.
    Returns:
        tensor of the kept axes.
    Gradient:
        g, stretched; zero where the element is NaN.
    Example:
        >>> nansum(Tensor([1., float("nan"), 2.])).item()
        3.0
    """
    if dtype is None and not input.dtype.is_float:
        dtype = int64
    if dtype is not None and input.dtype.is_float and not as_dtype(dtype).is_float:  # NaN goes before the conversion
        return reduce_sum(select(isnan(input), 0, input), axis, keepdims, dtype)
    return sum_of_numbers(input, axis, keepdims, dtype=dtype)


@composite
def nanmean(input: Tensor, axis=None, keepdims=False, *, dtype=None) -> Tensor:
    """The mean over axes of what is not NaN; NaN where nothing is left.

    Example:
        >>> nanmean(Tensor([1., float("nan"), 2.])).item()
        1.5
    """
    total = nansum(input, axis, keepdims, dtype=dtype or input.dtype.lifted)
    return total / reduce_sum(equals(input, input), axis, keepdims, total.dtype)


@_reduction("mean", lambda made, input, dtype: _float_type(made, input))
def mean(x: Tensor, axis=None, keep_dims=False):
    """The mean over axes: sum / count. Integers and bools are averaged in float64 and give float32.

    Args:
        x: tensor of any shape.
        axis: what to average over.
        keep_dims: keep the averaged axes, with length 1.
    Returns:
        float tensor of the kept axes; NaN where there was nothing to average.
    Raises:
        OpValueError: `axis` is out of range or names an axis twice.
    Gradient:
        g / count, stretched.
    Example:
        >>> mean(Tensor([[1, 2], [3, 4]]), 0)
        Tensor(shape=[2], dtype=Float32, value= [ 2.00000000e+00,  3.00000000e+00])
    """


@mean.vjp("x")
def _(x_type, *, axis, g):
    return stretch(g / builtins.max(_count(x_type, axis), 1), x_type, axis)


linear(mean, "x")


reduce_mean = mean


@_reduction("prod", _widest)
def prod(input: Tensor, axis=None, keep_dims=False, dtype=None):
    """The product over axes; that of floating-point elements is computed in float64 and rounded once.

    Args:
        input: tensor of any shape.
        axis: what to multiply over.
        keep_dims: keep the multiplied axes, with length 1.
        dtype: element type of the product; that of a floating-point `input` when not given, int64 for others.
    Returns:
        tensor of the kept axes; 1 where there was nothing to multiply.
    Raises:
        OpValueError: `axis` is out of range or names an axis twice.
    Gradient:
        g · the product of all other elements, which needs no division: right where elements are zero.
    Example:
        >>> prod(Tensor([[1., 2.], [3., 4.]]), 0)
        Tensor(shape=[2], dtype=Float32, value= [ 3.00000000e+00,  8.00000000e+00])
    """


prod.mixed = "single"


# The gradient of `prod` is made of running products: see scan.py.


@_reduction("norm", lambda made, input, dtype: _float_type(made, input))
def euclidean_norm(x: Tensor, axis=(), keep_dims=False):
    """The square root of the sum of squares over axes, computed in float64.

    Args:
        x: tensor of any shape; integers are computed as float32.
        axis: the axes of the vectors.
        keep_dims: keep these axes, with length 1.
    Returns:
        float tensor of the kept axes.
    Raises:
        OpValueError: `axis` is out of range or names an axis twice.
    Gradient:
        g · x / norm; zero at zero.
    Example:
        >>> euclidean_norm(Tensor([[3., 4.], [0., 2.]]), 1)
        Tensor(shape=[2], dtype=Float32, value= [ 5.00000000e+00,  2.00000000e+00])
    """


euclidean_norm.mixed = "single"


@euclidean_norm.vjp("x")
def _(x, x_type, out, *, axis, g):
    return stretch(quotient_or_zero(g, out), x_type, axis) * x


@euclidean_norm.jvp
def _(t_x, x, out, out_type, *, axis, keep_dims):
    return quotient_or_zero(reduce_sum(t_x * x, axis, keep_dims), out)


@_reduction("count_nonzero", _number)
def count_nonzero(x: Tensor, axis=(), keep_dims=False, dtype=int32):
    """How many elements are not zero; NaN is not, -0.0 is.

    Args:
        x: tensor of any shape.
        axis, keep_dims: see `reduce_sum`.
        dtype: element type of the result.
    Returns:
        tensor of the kept axes.
    Example:
        >>> count_nonzero(Tensor([[0., 1.], [2., 3.]]), 0)
        Tensor(shape=[2], dtype=Int32, value= [1, 2])
    """


@_reduction("all", _truth)
def all(input: Tensor, axis=None, keep_dims=False):
    """Whether all elements over axes are true (not zero); true where there is none.

    Example:
        >>> all(Tensor([[True, False], [True, True]]), 1)
        Tensor(shape=[2], dtype=Bool, value= [False,  True])
    """


@_reduction("any", _truth)
def any(input: Tensor, axis=None, keep_dims=False):
    """Whether some element over axes is true (not zero); false where there is none.

    Example:
        >>> any(Tensor([[True, False], [False, False]]), 1)
        Tensor(shape=[2], dtype=Bool, value= [ True, False])
    """


# -- largest and smallest ---------------------------------------------------------------------------------------------


def _equal(x: Value, y: Value) -> Value:
    one = x.fn.const(1, x.type)
    return bodies.select(x == y, one, 0)


def _equal_or_nan(x: Value, y: Value) -> Value:
    equal = x == y
    if x.type.is_float:
        equal = equal | (bodies.is_nan(x) & bodies.is_nan(y))
    return bodies.select(equal, x.fn.const(1, x.type), 0)


def _quotient_or_zero(x: Value, y: Value) -> Value:
    return bodies.select(y == 0.0, 0.0, x / y)


@elementwise(_equal)
def equals(input: Tensor, other: Tensor):
    """1 where two elements are equal, else 0, as numbers of their type; no gradient flows."""


@elementwise(_equal_or_nan)
def matches(input: Tensor, other: Tensor):
    """1 where two elements are equal or both NaN, else 0, as numbers of their type; no gradient flows."""


@elementwise(_quotient_or_zero, lift=True)
def quotient_or_zero(input: Tensor, other: Tensor):
    """input / other, and zero where `other` is zero."""


@quotient_or_zero.vjp("input")
def _(other, *, g):
    return quotient_or_zero(g, other)


@quotient_or_zero.vjp("other")
def _(other, out, *, g):
    return -quotient_or_zero(g * out, other)


@_reduction("max", _same, refuses_empty=True)
def reduce_max(x: Tensor, axis=(), keep_dims=False):
    """The largest element over axes; NaN if one is NaN.

    Args:
        x: tensor of any shape.
        axis, keep_dims: see `reduce_sum`.
    Returns:
        tensor of the kept axes, of the element type of `x`.
    Raises:
        OpValueError: there is no element to choose; `axis` is out of range or names an axis twice.
    Gradient:
        g, shared evenly by all elements that are largest.
    Example:
        >>> reduce_max(Tensor([[1, 4], [3, 2]]), 0)
        Tensor(shape=[2], dtype=Int64, value= [3, 4])
    """


@_reduction("min", _same, refuses_empty=True)
def reduce_min(x: Tensor, axis=(), keep_dims=False):
    """The smallest element over axes; NaN if one is NaN. Its gradient is shared evenly by all that are smallest.

    Example:
        >>> reduce_min(Tensor([[1, 4], [3, 2]]), 0)
        Tensor(shape=[2], dtype=Int64, value= [1, 2])
    """


def _shared(x, x_type, out, *, axis, g):
    chosen = matches(x, stretch(out, x_type, axis))
    return stretch(g, x_type, axis) * (chosen / reduce_sum(chosen, axis, True))


reduce_max.vjp("x")(_shared)
reduce_min.vjp("x")(_shared)


def _shared_tangent(t_x, x, x_type, out, *, axis, keep_dims):
    """The mean of the tangents of those that are equal to the extreme."""
    chosen = matches(x, stretch(out, x_type, axis))
    return reduce_sum(t_x * chosen, axis, keep_dims) / reduce_sum(chosen, axis, keep_dims)


reduce_max.jvp(_shared_tangent)
reduce_min.jvp(_shared_tangent)


def _extreme(kind: str) -> Callable[[Callable], Op]:
    """Make an operator (input, axis, keep_dims) that gives the extreme elements and their positions."""

    def make(function: Callable) -> Op:
        made = op(function)

        @made.normalize
        def normalize(input: Any, *, axis: Any, keep_dims: Any) -> dict:
            axis = normalize_axis(made, axis, input.ndim)
            _refuse_empty(made, input, (axis,) if input.ndim else ())
            return {"axis": axis, "keep_dims": bool(keep_dims)}

        @made.infer
        def infer(input: Any, *, axis: int, keep_dims: bool) -> tuple:
            shape = _kept(input.shape, (axis,), keep_dims)
            return TensorType(input.dtype, shape), TensorType(int64, shape)

        @made.kernel
        def kernel(p: Planner, input: Buffer, values: Buffer, positions: Buffer, *, axis: int, keep_dims: bool) -> None:
            plan_extreme(p, kind, input, values, positions, (axis,) if input.ndim else ())

        @made.vjp("input")
        def gradient(input_type, out1, *, axis, keep_dims, g):
            if g[0] is None:
                return None
            values = g[0]
            if not keep_dims and input_type.ndim:
                values, out1 = expand_dims(values, axis), expand_dims(out1, axis)
            return sum_at(values, [out1], form=("along", axis), shape=input_type.shape) if input_type.ndim else values

        @made.jvp
        def tangent(t_input, out1, *, axis, keep_dims):
            if not t_input.ndim:
                return t_input, None
            positions = out1 if keep_dims else expand_dims(out1, axis)
            moved = pick(t_input, positions, "along", axis)
            return moved if keep_dims else squeeze(moved, axis), None

        along(made, "axis")
        return made

    return make


@_extreme("max")
def argmax_with_value(input: Tensor, axis=0, keep_dims=False) -> tuple[Tensor, Tensor]:
    """The largest elements along an axis and their positions, the first of equal ones; NaN counts as largest.

    Args:
        input: tensor (..., n, ...), n at least 1.
        axis: the axis to look along.
        keep_dims: keep it, with length 1.
    Returns:
        values, of the element type of `input`, and positions, int64, both of the shape of the other axes.
    Raises:
        OpValueError: `axis` is out of range or has length 0.
    Gradient:
        g to the elements that were chosen.
    Example:
        >>> argmax_with_value(Tensor([[1, 4], [3, 2]]), 0)
        (Tensor(shape=[2], dtype=Int64, value= [3, 4]), Tensor(shape=[2], dtype=Int64, value= [1, 0]))
    """


@_extreme("min")
def argmin_with_value(input: Tensor, axis=0, keep_dims=False) -> tuple[Tensor, Tensor]:
    """The smallest elements along an axis and their positions, the first of equal ones; NaN counts as smallest. See
    `argmax_with_value`.

    Example:
        >>> argmin_with_value(Tensor([[1, 4], [3, 2]]), 0)
        (Tensor(shape=[2], dtype=Int64, value= [1, 2]), Tensor(shape=[2], dtype=Int64, value= [0, 1]))
    """


def _position(kind: str, result: DType) -> Callable[[Callable], Op]:
    """Make an operator (input, axis, keep_dims) that gives the positions of extreme elements."""

    def make(function: Callable) -> Op:
        made = op(function)
        axis_name, keep_name = made.attributes

        @made.normalize
        def normalize(input: Any, **given: Any) -> dict:
            axis = given[axis_name]
            if axis is not None:
                axis = normalize_axis(made, axis, input.ndim, axis_name)
            _refuse_empty(made, input, tuple(range(input.ndim)) if axis is None or not input.ndim else (axis,))
            return {axis_name: axis, keep_name: bool(given[keep_name])}

        @made.infer
        def infer(input: Any, **given: Any) -> TensorType:
            axis = given[axis_name]
            axes = tuple(range(input.ndim)) if axis is None else (axis,)
            return TensorType(result, _kept(input.shape, axes, given[keep_name]))

        @made.kernel
        def kernel(p: Planner, input: Buffer, out: Buffer, **given: Any) -> None:
            axis = given[axis_name]
            plan_extreme(
                p, kind, input, None, out, tuple(range(input.ndim)) if axis is None or not input.ndim else (axis,)
            )

        along(made, axis_name)
        return made

    return make


@_position("max", int64)
def argmax(input: Tensor, dim=None, keepdim=False):
    """The position of the largest element along an axis, the first of equal ones; NaN counts as largest.

    Args:
        input: tensor (..., n, ...), n at least 1.
        dim: the axis to look along; None looks at all elements, in row-major order.
        keepdim: keep the axis (all axes for None), with length 1.
    Returns:
        int64 tensor of the shape of the other axes.
    Raises:
        OpValueError: `dim` is out of range or has length 0.
    Example:
        >>> argmax(Tensor([[1, 4], [3, 2]]), 1)
        Tensor(shape=[2], dtype=Int64, value= [1, 0])
    """


@_position("min", int32)
def argmin(input: Tensor, axis=None, keepdims=False):
    """The position, int32, of the smallest element along an axis, the first of equal ones; NaN counts as smallest. See
    `argmax`.

    Example:
        >>> argmin(Tensor([[1, 4], [3, 2]]), 1)
        Tensor(shape=[2], dtype=Int32, value= [0, 1])
    """


def _chosen(name: str, input: Tensor, initial: Any, where: Any) -> Tensor:
    """The input with `initial` where the mask is false."""
    if where is None or where is True:
        return input
    if initial is None:
        raise OpValueError(f"{name} needs `initial` beside `where`: it stands for the elements left out", arg="where")
    return select(where, input, initial)


def _with_initial(values: Tensor, initial: Any, join: Callable) -> Tensor:
    return values if initial is None else join(values, initial)


@composite
def amax(input: Tensor, axis=None, keepdims=False, *, initial=None, where=None) -> Tensor:
    """The largest element over axes; see `reduce_max`, also for its gradient.

    Args:
        input: tensor of any shape.
        axis: what to reduce.
        keepdims: keep these axes, with length 1.
        initial: a number that takes part beside the elements.
        where: bool tensor that broadcasts to `input`: only elements where it is true take part (needs `initial`).
    Example:
        >>> amax(Tensor([[1, 4], [3, 2]]), 1)
        Tensor(shape=[2], dtype=Int64, value= [4, 3])
    """
    return _with_initial(reduce_max(_chosen("amax", input, initial, where), axis, keepdims), initial, maximum)


@composite
def amin(input: Tensor, axis=None, keepdims=False, *, initial=None, where=None) -> Tensor:
    """The smallest element over axes; see `amax`.

    Example:
        >>> amin(Tensor([[1, 4], [3, 2]]), 1)
        Tensor(shape=[2], dtype=Int64, value= [1, 2])
    """
    return _with_initial(reduce_min(_chosen("amin", input, initial, where), axis, keepdims), initial, minimum)


@composite
def aminmax(input: Tensor, *, axis=0, keepdims=False) -> tuple[Tensor, Tensor]:
    """The smallest and the largest elements along an axis (over all for None).

    Example:
        >>> aminmax(Tensor([[1, 4], [3, 2]]))
        (Tensor(shape=[2], dtype=Int64, value= [1, 2]), Tensor(shape=[2], dtype=Int64, value= [3, 4]))
    """
    return reduce_min(input, axis, keepdims), reduce_max(input, axis, keepdims)


@composite
def max(input: Tensor, axis=None, keepdims=False, *, initial=None, where=None) -> tuple[Tensor, Tensor]:
    """The largest elements along an axis and their positions; see `argmax_with_value` and `amax`.

    Without an axis the result is the largest of all elements, 0-d, and the position 0, as MindSpore has it.

    Example:
        >>> max(Tensor([[1, 4], [3, 2]]), 1)
        (Tensor(shape=[2], dtype=Int64, value= [4, 3]), Tensor(shape=[2], dtype=Int64, value= [1, 0]))
    """
    if axis is None:
        return amax(input, initial=initial, where=where), Tensor(0)
    values, positions = argmax_with_value(_chosen("max", input, initial, where), axis, keepdims)
    return _with_initial(values, initial, maximum), positions


@composite
def min(input: Tensor, axis=None, keepdims=False, *, initial=None, where=None) -> tuple[Tensor, Tensor]:
    """The smallest elements along an axis and their positions; see `max`.

    Example:
        >>> min(Tensor([[1, 4], [3, 2]]), 1)
        (Tensor(shape=[2], dtype=Int64, value= [1, 2]), Tensor(shape=[2], dtype=Int64, value= [0, 1]))
    """
    if axis is None:
        return amin(input, initial=initial, where=where), Tensor(0)
    values, positions = argmin_with_value(_chosen("min", input, initial, where), axis, keepdims)
    return _with_initial(values, initial, minimum), positions


# -- mean and variance ------------------------------------------------------------------------------------------------


def _degrees(name: str, ddof: Any) -> int:
    if isinstance(ddof, float) and ddof.is_integer():
        ddof = int(ddof)
    if not isinstance(ddof, int):
        raise OpTypeError(f"{name} needs an integer or bool for `ddof`, but got {ddof!r}", arg="ddof")
    return int(ddof)


@op
def moments(input: Tensor, axis, ddof, keep_dims, root):
    """Variance (standard deviation with `root`) and mean over axes; see `var_mean` and `kernel/moments.py`."""


moments.mixed = "single"


@moments.normalize
def _(input, *, axis, ddof, keep_dims, root):
    axis = normalize_axes("std" if root else "var", axis, input.ndim)
    return {"axis": axis, "ddof": _degrees("std" if root else "var", ddof), "keep_dims": bool(keep_dims), "root": root}


@moments.infer
def _(input, *, axis, ddof, keep_dims, root):
    kind = TensorType(_float_type(moments, input), _kept(input.shape, axis, keep_dims))
    return kind, kind


@moments.kernel
def _(p: Planner, input: Buffer, var: Buffer, mean: Buffer, *, axis, ddof, keep_dims, root):
    if not input.dtype.is_float:
        numbers = p.workspace(var.dtype, *input.shape)
        plan_copy(p, input, numbers)
        input = numbers
    plan_mean_var(p, input, mean, var, axis, ddof, root)


@moments.vjp("input")
def _(input, input_type, out0, out1, *, axis, ddof, root, g):
    to_spread, to_mean = g
    count = _count(input_type, axis)
    total = None
    if to_spread is not None:
        if root:
            to_spread = quotient_or_zero(to_spread, out0) * 0.5
        gap = input - stretch(out1, input_type, axis)
        total = stretch(to_spread * (2.0 / builtins.max(count - ddof, 1)), input_type, axis) * gap
    if to_mean is not None:
        part = stretch(to_mean / builtins.max(count, 1), input_type, axis)
        total = part if total is None else total + part
    return total


@moments.jvp
def _(t_input, input, input_type, out0, out1, *, axis, ddof, keep_dims, root):
    products = (input - stretch(out1, input_type, axis)) * t_input
    of_spread = reduce_sum(products, axis, keep_dims) * (2.0 / builtins.max(_count(input_type, axis) - ddof, 1))
    return quotient_or_zero(of_spread, out0) * 0.5 if root else of_spread, mean(t_input, axis, keep_dims)


along(moments, "axis")


@composite
def var(input: Tensor, axis=None, ddof=0, keepdims=False) -> Tensor:
    """The variance over axes: Σ(x - mean)² / (count - ddof).

    Args:
        input: tensor of any shape; integers are computed as float32.
        axis: what to take the variance over.
        ddof: what the divisor is less than the number of elements; True is 1 (the unbiased estimate).
        keepdims: keep these axes, with length 1.
    Returns:
        float tensor of the kept axes; NaN or infinity where the divisor is zero.
    Raises:
        OpValueError: `axis` is out of range or names an axis twice.
        OpTypeError: `ddof` is no integer.
    Gradient:
        g · 2 (x - mean) / (count - ddof).
    Example:
        >>> var(Tensor([[1., 3.], [2., 6.]]), 1)
        Tensor(shape=[2], dtype=Float32, value= [ 1.00000000e+00,  4.00000000e+00])
    """
    return moments(input, axis, ddof, keepdims, False)[0]


@composite
def std(input: Tensor, axis=None, ddof=0, keepdims=False) -> Tensor:
    """The standard deviation over axes, the square root of `var`. Where it is zero its gradient is zero.

    Example:
        >>> std(Tensor([[1., 3.], [2., 6.]]), 1)
        Tensor(shape=[2], dtype=Float32, value= [ 1.00000000e+00,  2.00000000e+00])
    """
    return moments(input, axis, ddof, keepdims, True)[0]


@composite
def var_mean(input: Tensor, axis=None, ddof=0, keepdims=False) -> tuple[Tensor, Tensor]:
    """Variance and mean over axes, in one pass over memory; see `var`.

    Example:
        >>> [x.item() for x in var_mean(Tensor([1., 3.]))]
        [1.0, 2.0]
    """
    return moments(input, axis, ddof, keepdims, False)


@composite
def std_mean(input: Tensor, axis=None, ddof=0, keepdims=False) -> tuple[Tensor, Tensor]:
    """Standard deviation and mean over axes, in one pass over memory; see `std`.

    Example:
        >>> [x.item() for x in std_mean(Tensor([1., 5.]))]
        [2.0, 3.0]
    """
    return moments(input, axis, ddof, keepdims, True)


# -- logarithm of a sum of exponentials -------------------------------------------------------------------------------


def _exp_decay(x: Value, y: Value) -> Value:
    gap = x - y
    return bodies.select(x == -math.inf, 0.0, bodies.exp(bodies.select(gap > 0.0, 0.0, gap)))


@elementwise(_exp_decay, takes="f", lift=True)
def exp_decay(input: Tensor, other: Tensor):
    """exp(input - other) for an input that is not larger (where it is, 1); zero where it is -inf, whatever `other` is."""


@exp_decay.vjp("input")
def _(out, *, g):
    return g * out


@exp_decay.vjp("other")
def _(out, *, g):
    return -(g * out)


def _logsumexp_row(row: Row) -> None:
    x, out = row.input(0), row.output(0)
    top = row.max(lambda at: x[at])
    shift = bodies.select(bodies.absolute(top) == math.inf, 0.0, top)
    total = row.sum(lambda at: bodies.exp(x[at] - shift))
    out.set(bodies.log(total).to(row.elem) + shift)


@op
def logsumexp(input: Tensor, dim, keepdim=False):
    """log(sum(exp(x))) over axes, the largest element taken out first so that nothing overflows.

    Args:
        input: tensor of any shape; integers are computed as float32.
        dim: what to sum over.
        keepdim: keep these axes, with length 1.
    Returns:
        float tensor of the kept axes; -inf where there was nothing to sum.
    Raises:
        OpValueError: `dim` is out of range or names an axis twice.
    Gradient:
        g · exp(x - y).
    Source:
        Blanchard, Higham & Higham, IMA J. Numer. Anal. 41 (2021).
    Example:
        >>> logsumexp(Tensor([1000., -1000.]), 0).item()
        1000.0
    """


logsumexp.mixed = "single"


@logsumexp.normalize
def _(input, *, dim, keepdim):
    return {"dim": normalize_axes("logsumexp", dim, input.ndim, "dim"), "keepdim": bool(keepdim)}


@logsumexp.infer
def _(input, *, dim, keepdim):
    return TensorType(_float_type(logsumexp, input), _kept(input.shape, dim, keepdim))


@logsumexp.kernel
def _(p: Planner, input: Buffer, out: Buffer, *, dim, keepdim):
    if input.size == 0:
        plan_fill(p, out, -math.inf)
        return
    order = tuple(i for i in range(input.ndim) if i not in dim) + dim
    moved = input.permuted(order)
    if not moved.is_contiguous or not input.dtype.is_float:
        copy = p.workspace(out.dtype, *moved.shape)
        plan_copy(p, moved, copy)
        moved = copy
    rows = moved.reshaped(out.size, input.size // out.size)
    plan_rows(p, _logsumexp_row, [(rows, "row")], [(out.reshaped(out.size), "one")], 1, nanoseconds=0.6)


@logsumexp.vjp("input")
def _(input, input_type, out, *, dim, g):
    return stretch(g, input_type, dim) * exp_decay(input, stretch(out, input_type, dim))


@logsumexp.jvp
def _(t_input, input, input_type, out, *, dim, keepdim):
    return reduce_sum(exp_decay(input, stretch(out, input_type, dim)) * t_input, dim, keepdim)


along(logsumexp, "dim")
