"""Sorting, choosing by rank, searching in sorted rows, counting equal elements.

Sorting is stable: equal elements keep their order, upwards and downwards. NaN counts as the largest of all numbers, so it
comes last upwards and first downwards; -0.0 and 0.0 are equal.
"""

from __future__ import annotations

import builtins
import math
from typing import Any

import numpy as np

from anfora.core.abstract import TensorType
from anfora.core.dtype import DType, bool_, float32, float64, int32, int64, uint8
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.op import common_dtype, op
from anfora.core.tensor import Tensor
from anfora.kernel.counting import plan_count, plan_histogram, plan_runs
from anfora.kernel.loops import plan_copy
from anfora.kernel.plan import Buffer, Planner
from anfora.kernel.sort import plan_pick, plan_search, plan_sort
from anfora.ops.arithmetic import ceil, clamp, floor
from anfora.ops.comparison import where
from anfora.ops.composite import composite
from anfora.ops.copying import cast
from anfora.ops.creation import full
from anfora.ops.families import along, normalize_axis, type_of
from anfora.ops.indexing import some_of
from anfora.ops.joining import concat
from anfora.ops.places import pick, sum_at
from anfora.ops.reduction import equals, reduce_max, reduce_min, reduce_sum
from anfora.ops.shape import expand_dims, moveaxis, reshape, squeeze

__all__ = [
    "argsort", "bincount", "bucketize", "histc", "kthvalue", "median", "msort", "nanmedian", "nanquantile", "quantile",
    "searchsorted", "sort", "topk", "unique", "unique_consecutive", "unique_with_pad",
]  # fmt: skip


def _scattered(g: tuple, positions: Tensor, kind: TensorType, axis: int) -> Tensor | None:
    """The gradient of elements that were chosen along an axis."""
    if g[0] is None or not kind.ndim:
        return g[0]
    return sum_at(g[0], [positions], form=("along", axis), shape=kind.shape)


def _chosen(tangent: Tensor, positions: Tensor, axis: int) -> Tensor:
    """The tangent of elements that were chosen along an axis."""
    return pick(tangent, positions, "along", axis) if tangent.ndim else tangent


# -- sort -------------------------------------------------------------------------------------------------------------


@op
def sort(input_x: Tensor, axis=-1, descending=False) -> tuple[Tensor, Tensor]:
    """The elements in order along an axis, and where each was.

    Args:
        input_x: tensor of any shape.
        axis: the axis to sort along.
        descending: largest first.
    Returns:
        values, of the type of `input_x`, and positions, int32, of its shape.
    Raises:
        OpValueError: `axis` is out of range.
    Gradient:
        g, put back where the elements came from.
    Example:
        >>> sort(Tensor([3, 1, 2]))
        (Tensor(shape=[3], dtype=Int64, value= [1, 2, 3]), Tensor(shape=[3], dtype=Int32, value= [1, 2, 0]))
    """


@sort.normalize
def _(input_x, *, axis, descending):
    return {"axis": normalize_axis("sort", axis, input_x.ndim), "descending": bool(descending)}


@sort.infer
def _(input_x, *, axis, descending):
    return type_of(input_x), TensorType(int32, input_x.shape)


@sort.kernel
def _(p: Planner, input_x: Buffer, values: Buffer, positions: Buffer, *, axis, descending):
    plan_sort(p, input_x, values, positions, axis, descending)


@sort.vjp("input_x")
def _(input_x_type, out1, *, axis, g):
    return _scattered(g, out1, input_x_type, axis)


@sort.jvp
def _(t_input_x, out1, *, axis):
    return _chosen(t_input_x, out1, axis), None


along(sort, "axis")


@op
def argsort(input: Tensor, axis=-1, descending=False):
    """The positions, int32, of the elements in order along an axis; see `sort`.

    Example:
        >>> argsort(Tensor([3, 1, 2]))
        Tensor(shape=[3], dtype=Int32, value= [1, 2, 0])
    """


@argsort.normalize
def _(input, *, axis, descending):
    return {"axis": normalize_axis("argsort", axis, input.ndim), "descending": bool(descending)}


@argsort.infer
def _(input, *, axis, descending):
    return TensorType(int32, input.shape)


@argsort.kernel
def _(p: Planner, input: Buffer, out: Buffer, *, axis, descending):
    plan_sort(p, input, p.workspace(input.dtype, *input.shape), out, axis, descending)


along(argsort, "axis")


def msort(input: Tensor) -> Tensor:
    """The elements in order along the first axis.

    Example:
        >>> msort(Tensor([[2, 1], [0, 3]])).tolist()
        [[0, 1], [2, 3]]
    """
    return sort(input, 0)[0]


@op
def topk(input: Tensor, k, dim=None, largest=True, sorted=True) -> tuple[Tensor, Tensor]:
    """The k largest elements along an axis, and where each stands; of equal ones the first.

    Args:
        input: tensor (..., n, ...).
        k: how many, from 0 to n.
        dim: the axis; the last when not given.
        largest: find the largest; else the smallest.
        sorted: accepted; they are always in order.
    Returns:
        values, of the type of `input`, and positions, int32, of its shape with k for n.
    Raises:
        OpValueError: `dim` or `k` is out of range.
    Gradient:
        g, put back where the elements came from.
    Example:
        >>> topk(Tensor([3, 1, 2]), 2)
        (Tensor(shape=[2], dtype=Int64, value= [3, 2]), Tensor(shape=[2], dtype=Int32, value= [0, 2]))
    """


@topk.normalize
def _(input, *, k, dim, largest, sorted):
    axis = normalize_axis("topk", -1 if dim is None else dim, input.ndim, "dim")
    _check_rank("topk", k, *((input.shape[axis], 0) if input.ndim else (1, 1)))
    return {"k": int(k), "dim": axis, "largest": bool(largest), "sorted": True}


def _check_rank(name: str, k: Any, length: int, least: int) -> None:
    if isinstance(k, bool) or not hasattr(k, "__index__"):
        raise OpTypeError(f"{name} needs an integer for `k`, but got {k!r}", arg="k")
    if not least <= k.__index__() <= length:
        raise OpValueError(f"{name}: `k` must be in [{least}, {length}], the length of the axis, but got {k}", arg="k")


@topk.infer
def _(input, *, k, dim, largest, sorted):
    shape = (*input.shape[:dim], k, *input.shape[dim + 1 :]) if input.ndim else ()
    return TensorType(input.dtype, shape), TensorType(int32, shape)


@topk.kernel
def _(p: Planner, input: Buffer, values: Buffer, positions: Buffer, *, k, dim, largest, sorted):
    plan_sort(p, input, values, positions, dim, largest, best=True)


@topk.vjp("input")
def _(input_type, out1, *, dim, g):
    return _scattered(g, out1, input_type, dim)


@topk.jvp
def _(t_input, out1, *, dim):
    return _chosen(t_input, out1, dim), None


along(topk, "dim")


# -- one element by its rank ------------------------------------------------------------------------------------------


@op
def ranked(input: Tensor, axis, keep_dims, rule, rank):
    """One element along an axis by its rank, and where it stands; see `plan_pick` for the rules."""


@ranked.normalize
def _(input, *, axis, keep_dims, rule, rank):
    name = "kthvalue" if rule == "rank" else rule
    axis = normalize_axis(name, axis, input.ndim)
    length = input.shape[axis] if input.ndim else 1
    if rule == "rank":
        _check_rank(name, rank + 1, length, 1)
    if length == 0:
        raise OpValueError(f"{name}: axis {axis} of {type_of(input)!r} has length 0", arg="axis")
    return {"axis": axis, "keep_dims": bool(keep_dims), "rule": rule, "rank": rank}


@ranked.infer
def _(input, *, axis, keep_dims, rule, rank):
    shape = tuple(1 if i == axis else n for i, n in enumerate(input.shape) if keep_dims or i != axis)
    return TensorType(input.dtype, shape), TensorType(int64, shape)


@ranked.kernel
def _(p: Planner, input: Buffer, value: Buffer, position: Buffer, *, axis, keep_dims, rule, rank):
    plan_pick(p, input, value, position, axis, rule, rank)


@ranked.vjp("input")
def _(input_type, out1, *, axis, keep_dims, g):
    if g[0] is None:
        return None
    if not keep_dims and input_type.ndim:
        g, out1 = (expand_dims(g[0], axis),), expand_dims(out1, axis)
    return _scattered(g, out1, input_type, axis)


@ranked.jvp
def _(t_input, out1, *, axis, keep_dims):
    if keep_dims or not t_input.ndim:
        return _chosen(t_input, out1, axis), None
    return squeeze(_chosen(t_input, expand_dims(out1, axis), axis), axis), None


along(ranked, "axis")


@composite
def median(input: Tensor, axis=-1, keepdims=False) -> tuple[Tensor, Tensor]:
    """The median along an axis, the lower of the two in the middle where there are two, and where it stands (int64).

    NaN is the median where there is one.

    Args:
        input: tensor (..., n, ...), n at least 1.
        axis: the axis to look along.
        keepdims: keep it, with length 1.
    Returns:
        values and positions, of the shape of the other axes.
    Raises:
        OpValueError: `axis` is out of range or has length 0.
    Gradient:
        g to the elements that were chosen.
    Example:
        >>> median(Tensor([4, 1, 3, 2]))
        (Tensor(shape=[], dtype=Int64, value= 2), Tensor(shape=[], dtype=Int64, value= 3))
    """
    return ranked(input, axis, keepdims, "median", 0)


@composite
def nanmedian(input: Tensor, axis=-1, keepdims=False) -> tuple[Tensor, Tensor]:
    """The median along an axis of what is not NaN, and where it stands; see `median`.

    Example:
        >>> nanmedian(Tensor([4., float("nan"), 3.]))[0].item()
        3.0
    """
    return ranked(input, axis, keepdims, "nanmedian", 0)


@composite
def kthvalue(input: Tensor, k, dim=-1, keepdim=False) -> tuple[Tensor, Tensor]:
    """The k-th smallest element along an axis, counted from 1, and where it stands (int64); see `median`.

    Raises:
        OpValueError: `dim` is out of range; `k` is not in [1, n].
    Example:
        >>> kthvalue(Tensor([4, 1, 3, 2]), 2)[0]
        Tensor(shape=[], dtype=Int64, value= 2)
    """
    if isinstance(k, bool) or not hasattr(k, "__index__"):
        raise OpTypeError(f"kthvalue needs an integer for `k`, but got {k!r}", arg="k")
    return ranked(input, dim, keepdim, "rank", k.__index__() - 1)


# -- search -----------------------------------------------------------------------------------------------------------


@op
def search_rows(sorted_sequence: Tensor, values: Tensor, out_int32, right):
    """How many elements of sorted rows stand before each value; see `searchsorted`."""


@search_rows.infer
def _(sorted_sequence, values, *, out_int32, right):
    _searched(sorted_sequence, values)
    rows = sorted_sequence.shape[:-1]
    if not sorted_sequence.shape or (rows and rows != values.shape[:-1]):
        raise OpValueError(
            f"searchsorted needs one sorted row, or one for each row of values, but got {sorted_sequence!r} and {values!r}",
            arg="sorted_sequence",
        )
    return TensorType(int32 if out_int32 else int64, values.shape)


def _searched(edges: Any, values: Any) -> DType:
    """The element type in which values are compared."""
    dtype = common_dtype(edges, values)
    return uint8 if dtype is bool_ else float32 if dtype.is_float and dtype.bits == 16 else dtype


@search_rows.kernel
def _(p: Planner, sorted_sequence: Buffer, values: Buffer, out: Buffer, *, out_int32, right):
    dtype = _searched(sorted_sequence, values)
    plan_search(p, as_type(p, sorted_sequence, dtype), as_type(p, values, dtype), out, right)


def as_type(p: Planner, x: Buffer, dtype: DType) -> Buffer:
    """The buffer itself, or a converted copy."""
    if x.dtype is dtype:
        return x
    converted = p.workspace(dtype, *x.shape)
    plan_copy(p, x, converted)
    return converted


@composite
def searchsorted(
    sorted_sequence: Tensor, values: Any, *, out_int32=False, right=False, side=None, sorter: Tensor | None = None
) -> Tensor:
    """Where values belong in sorted rows: how many elements of the row are less (`right`: not greater).

    Args:
        sorted_sequence: (n,), or (*rows, n), each row ascending along the last axis.
        values: number or tensor of any shape; (*rows, m) where there are several rows.
        out_int32: give int32 instead of int64.
        right: count equal elements too.
        side: "left" or "right", another way to say `right`.
        sorter: positions, from `argsort`, that bring `sorted_sequence` into order.
    Returns:
        integer tensor of the shape of `values`. NaN is the largest of all numbers.
    Raises:
        OpValueError: the shapes do not fit; `side` contradicts `right` or is something else.
    Example:
        >>> searchsorted(Tensor([1, 3, 5]), Tensor([3, 4]))
        Tensor(shape=[2], dtype=Int64, value= [1, 2])
    """
    if side not in (None, "left", "right") or (side == "left" and right):
        raise OpValueError(
            f"searchsorted: `side` must be 'left' or 'right' and agree with `right`, but got {side!r}", arg="side"
        )
    if sorter is not None:
        sorted_sequence = pick(sorted_sequence, sorter, "along", sorted_sequence.ndim - 1)
    return search_rows(sorted_sequence, values, bool(out_int32), bool(right) or side == "right")


@composite
def bucketize(input: Tensor, boundaries: Any, *, right=False) -> Tensor:
    """Which of the buckets between ascending boundaries each element falls into, int32; see `searchsorted`.

    Args:
        input: tensor of any shape.
        boundaries: numbers, ascending: bucket i ends at boundaries[i].
        right: the buckets hold their lower boundaries instead of their upper ones.
    Example:
        >>> bucketize(Tensor([1, 4, 9]), [3, 5]).tolist()
        [0, 1, 2]
    """
    edges = boundaries if isinstance(boundaries, Tensor) else Tensor(boundaries)
    return searchsorted(edges, input, out_int32=True, right=right)


# -- count ------------------------------------------------------------------------------------------------------------


@op
def count_equal(input: Tensor, weights: Tensor | None, bins):
    """How often 0, 1, … bins - 1 occur, or the sums of the weights of those that are equal; see `bincount`."""


@count_equal.infer
def _(input, weights, *, bins):
    if not input.dtype.is_integer and not input.dtype.is_bool:
        raise OpTypeError(f"bincount needs integers for `input`, but got {input!r}", arg="input")
    if input.ndim != 1:
        raise OpValueError(f"bincount needs one axis for `input`, but got {input!r}", arg="input")
    if weights is None:
        return TensorType(int64, (bins,))
    if weights.shape != input.shape:
        raise OpValueError(f"bincount: there are {weights.size} weights for {input.size} elements", arg="weights")
    return TensorType(weights.dtype if weights.dtype.is_float else float64, (bins,))


@count_equal.kernel
def _(p: Planner, input: Buffer, weights: Buffer | None, out: Buffer, *, bins):
    plan_count(p, input, weights, out)


@count_equal.fault
def _(position, input, weights, *, bins):
    return OpValueError(
        f"bincount needs elements that are not negative, but got {input[position]} at {position}", arg="input"
    )


@count_equal.vjp("weights")
def _(input, *, g):
    return pick(g, input, "parts", 0)


@composite
def bincount(input: Tensor, weights: Tensor | None = None, minlength=0) -> Tensor:
    """How often 0, 1, 2, … occur; with weights, the sum of those of equal elements.

    Args:
        input: (n,) integers, not negative.
        weights: (n,) numbers.
        minlength: the least length of the result.
    Returns:
        int64 tensor of length max(minlength, largest element + 1); with weights of their floating type, float64 if they
        are integers.
    Raises:
        OpValueError: an element or `minlength` is negative; there are more or fewer weights than elements.
        OpTypeError: `input` is not of integers.
    Gradient:
        g of its bin to each weight.
    Example:
        >>> bincount(Tensor([1, 3, 1]))
        Tensor(shape=[4], dtype=Int64, value= [0, 2, 0, 1])
    """
    if isinstance(minlength, bool) or not hasattr(minlength, "__index__") or minlength.__index__() < 0:
        raise OpValueError(f"bincount: `minlength` must be a whole number, but got {minlength!r}", arg="minlength")
    known = isinstance(input, Tensor) and input.size and not input.dtype.is_float
    largest = int(reduce_max(input)) if known else -1
    return count_equal(input, weights, builtins.max(minlength.__index__(), largest + 1, 0))


@op
def count_between(input: Tensor, limits: Tensor, bins):
    """How many elements fall into bins of equal width between two limits (float64); see `histc`."""


@count_between.infer
def _(input, limits, *, bins):
    return TensorType(input.dtype if not input.dtype.is_bool else int64, (bins,))


@count_between.kernel
def _(p: Planner, input: Buffer, limits: Buffer, out: Buffer, *, bins):
    plan_histogram(p, input, limits, out)


@composite
def histc(input: Tensor, bins=100, min=0.0, max=0.0) -> Tensor:
    """How many elements fall into each of `bins` ranges of equal width from `min` to `max`.

    Args:
        input: tensor of any shape.
        bins: the number of ranges; each holds its lower end, the last one both.
        min, max: the ends; where they are equal, the least and the largest element.
    Returns:
        tensor of shape (bins,), of the type of `input`. What is outside is not counted.
    Raises:
        OpValueError: `bins` is not positive, `min` is larger than `max`, or an end is not finite.
    Example:
        >>> histc(Tensor([1., 2., 1.]), 4, 0., 3.)
        Tensor(shape=[4], dtype=Float32, value= [ 0.00000000e+00,  2.00000000e+00,  1.00000000e+00,  0.00000000e+00])
    """
    if isinstance(bins, bool) or not isinstance(bins, int) or bins < 1:
        raise OpValueError(f"histc: `bins` must be a positive integer, but got {bins!r}", arg="bins")
    low, high = float(min), float(max)
    if low == high and input.size:
        low, high = float(reduce_min(input)), float(reduce_max(input))
    if low == high:
        low, high = low - 1, high + 1
    if not low < high or math.isinf(low) or math.isinf(high):
        raise OpValueError(f"histc needs finite ends with min <= max, but got {low} and {high}", arg="min")
    return count_between(input, Tensor(np.array([low, high])), bins)


# -- different elements -----------------------------------------------------------------------------------------------


@op
def number_kinds(input: Tensor):
    """For the elements of a tensor in row-major order: where each kind occurs first, in the order in which they do, filled
    up with zeros; the number of its kind for each element; how many kinds there are. Equal elements are of one kind, and
    so are all NaN."""


@number_kinds.infer
def _(input):
    size = type_of(input).size
    return TensorType(int64, (size,)), TensorType(int64, (size,)), TensorType(int64, ())


@number_kinds.python
def _(input):
    _, first, kind = np.unique(input.reshape(-1), return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    firsts = np.zeros(input.size, np.int64)
    firsts[: order.size] = first[order]
    return firsts, rank[kind.reshape(-1)], np.array(order.size)


@composite
def unique(input: Tensor) -> tuple[Tensor, Tensor]:
    """The different elements in the order in which they first occur, and for each element the number of its kind.

    All NaN count as one element.

    Args:
        input: tensor of any shape.
    Returns:
        values (k,), and their numbers in a tensor of the shape of `input`: int64 where `input` is int64, else int32.
    Gradient:
        g of a value to the first element of its kind.
    Example:
        >>> unique(Tensor([3, 1, 3]))
        (Tensor(shape=[2], dtype=Int64, value= [3, 1]), Tensor(shape=[3], dtype=Int64, value= [0, 1, 0]))
    """
    firsts, kinds, number = number_kinds(input)
    values = some_of(reshape(input, (input.size,)), firsts, int(number), 0)
    return values, cast(reshape(kinds, input.shape), int64 if input.dtype is int64 else int32)


@composite
def unique_with_pad(x: Tensor, pad_num) -> tuple[Tensor, Tensor]:
    """As `unique`, with the values filled up to the number of elements of `x`.

    Args:
        x: tensor of any shape.
        pad_num: the number to fill up with.
    Returns:
        values, one axis, and their numbers in a tensor of the shape of `x`.
    Example:
        >>> unique_with_pad(Tensor([3, 1, 3]), 0)[0].tolist()
        [3, 1, 0]
    """
    values, numbers = unique(x)
    return concat([values, full((x.size - values.size,), pad_num, dtype=x.dtype)]), numbers


@op
def number_runs(input: Tensor, axis):
    """Along an axis: where each run of equal parts begins, filled up with zeros; the number of its run for each part; how
    many runs there are."""


@number_runs.infer
def _(input, *, axis):
    kind = TensorType(int64, (input.shape[axis],))
    return kind, kind, TensorType(int64, ())


@number_runs.kernel
def _(p: Planner, input: Buffer, firsts: Buffer, runs: Buffer, number: Buffer, *, axis):
    plan_runs(p, input.permuted((axis, *(a for a in range(input.ndim) if a != axis))), firsts, runs, number)


@composite
def unique_consecutive(input: Tensor, return_inverse=False, return_counts=False, dim=None) -> Any:
    """The elements without those that equal their predecessor.

    Args:
        input: tensor of any shape.
        return_inverse: give the number of its run for each element too.
        return_counts: give the lengths of the runs too.
        dim: compare whole parts along this axis; None looks at all elements in row-major order.
    Returns:
        the values (k, or k parts along `dim`), and int64 tensors with the numbers and the lengths as asked.
    Raises:
        OpValueError: `dim` is out of range.
    Example:
        >>> unique_consecutive(Tensor([1, 1, 2, 1]), return_counts=True)
        (Tensor(shape=[3], dtype=Int64, value= [1, 2, 1]), Tensor(shape=[3], dtype=Int64, value= [2, 1, 1]))
    """
    shape = input.shape
    if dim is None:
        input, axis = reshape(input, (input.size,)), 0
    else:
        axis = normalize_axis("unique_consecutive", dim, input.ndim, "dim")
        shape = (shape[axis],)
    firsts, runs, number = number_runs(input, axis)
    count = int(number)
    results = [some_of(input, firsts, count, axis)]
    if return_inverse:
        results.append(reshape(runs, shape))
    if return_counts:
        results.append(bincount(runs, minlength=count))
    return results[0] if len(results) == 1 else tuple(results)


# -- quantiles --------------------------------------------------------------------------------------------------------


@composite
def quantile(input: Tensor, q: Any, axis=None, keepdims=False) -> Tensor:
    """The quantiles along an axis: of n elements in order, what lies at the place q (n - 1), linearly between neighbours.

    Args:
        input: float tensor.
        q: number or tensor of at most one axis, between 0 and 1.
        axis: the axis; all elements when not given.
        keepdims: keep the axis (all axes), with length 1.
    Returns:
        tensor of the other axes, with the axis of `q` in front if it has one. NaN where an element is NaN.
    Raises:
        OpTypeError: `input` is not floating point.
        OpValueError: there is no element, `q` is outside [0, 1] or has several axes, or `axis` is out of range.
    Gradient:
        g to the two neighbours, by their shares.
    Example:
        >>> quantile(Tensor([4., 1., 3., 2.]), 0.5).item()
        2.5
    """
    return _quantile("quantile", input, q, axis, keepdims)


@composite
def nanquantile(input: Tensor, q: Any, axis=None, keepdims=False) -> Tensor:
    """The quantiles along an axis of what is not NaN; NaN where nothing is left. See `quantile`.

    Example:
        >>> nanquantile(Tensor([4., float("nan"), 2.]), 0.5).item()
        3.0
    """
    return _quantile("nanquantile", input, q, axis, keepdims)


def _quantile(name: str, input: Tensor, q: Any, axis: Any, keepdims: Any) -> Tensor:
    if not isinstance(input, Tensor) or not input.dtype.is_float:
        what = type_of(input) if isinstance(input, Tensor) else input
        raise OpTypeError(f"{name} needs a floating-point tensor for `input`, but got {what!r}", arg="input")
    shape = input.shape
    if axis is None:
        x, kept = reshape(input, (input.size,)), (1,) * len(shape)
    else:
        axis = normalize_axis(name, axis, input.ndim)
        x = moveaxis(input, axis, -1) if input.ndim else reshape(input, (1,))
        kept = (*shape[:axis], 1, *shape[axis + 1 :]) if input.ndim else ()
    count = x.shape[-1]
    if count == 0:
        raise OpValueError(f"{name}: there is no element in {type_of(input)!r}", arg="input")
    shares = cast(q, float64) if isinstance(q, Tensor) else Tensor(q, float64)
    if shares.ndim > 1 or (shares.size and not (float(reduce_min(shares)) >= 0 and float(reduce_max(shares)) <= 1)):
        raise OpValueError(f"{name} needs numbers in [0, 1] for `q`, in at most one axis, but got {q!r}", arg="q")
    ordered = sort(x)[0]
    numbers = reduce_sum(equals(x, x), -1, True, float64)  # how many are not NaN; those that are come last
    if name == "quantile":
        places = where(numbers < count, count - 1.0, reshape(shares, (shares.size,)) * (count - 1.0))
    else:
        places = clamp(numbers - 1.0, 0.0) * reshape(shares, (shares.size,))
    below = floor(places)
    share = cast(places - below, input.dtype)
    low, high = (pick(ordered, cast(at, int64), "along", ordered.ndim - 1) for at in (below, ceil(places)))
    values = moveaxis(low + where(low == high, 0.0, (high - low) * share), -1, 0)
    rest = kept if keepdims else values.shape[1:]
    return reshape(values, (*shares.shape, *rest))
