"""Other axes for the same elements: views, and what is a sentence in them.

A view shares the memory of its argument. Its gradient puts the incoming gradient back where the elements came from.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from typing import Any

from anfora.core.abstract import Layout, TensorType
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.op import op
from anfora.core.tensor import Tensor
from anfora.kernel.loops import plan_copy
from anfora.kernel.plan import Buffer, Planner
from anfora.ops import layouts
from anfora.ops.composite import composite
from anfora.ops.copying import cast, copy, copy_to, place, stop_gradient  # noqa: F401  (found here too)
from anfora.ops.creation import full, integer, integers, zeros_of  # noqa: F401
from anfora.ops.families import along, later, linear, normalize_axes, normalize_axis, type_of

__all__ = [
    "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_to", "diagonal", "dtype", "expand", "expand_as", "expand_dims",
    "flatten", "index_view", "moveaxis", "movedim", "narrow", "numel", "permute", "rank", "ravel", "reshape",
    "reshape_as", "shape", "size", "slice", "squeeze", "strided_slice", "sum_to", "swapaxes", "swapdims", "transpose",
    "unflatten", "unsqueeze", "view_as",
]  # fmt: skip


# -- reshape ----------------------------------------------------------------------------------------------------------


@op
def reshape(input: Tensor, shape):
    """The same elements, in row-major order, with other axes.

    Args:
        input: tensor of any shape.
        shape: the lengths of the new axes; one may be -1 and is worked out.
    Returns:
        tensor of that shape: a view where strides allow it, else a copy.
    Raises:
        OpTypeError: the lengths are no integers.
        OpValueError: the numbers of elements differ.
    Gradient:
        g, reshaped back.
    Example:
        >>> reshape(Tensor([[1, 2], [3, 4]]), (4,)).tolist()
        [1, 2, 3, 4]
    """


@reshape.normalize
def _(input, *, shape):
    shape = integers("reshape", shape, "shape")
    size = type_of(input).size
    if shape.count(-1) > 1 or any(n < -1 for n in shape):
        raise OpValueError(f"reshape: at most one length may be -1, and none less, but got {shape}", arg="shape")
    if -1 in shape:
        rest = math.prod(n for n in shape if n != -1)
        if rest == 0 or size % rest:
            raise OpValueError(
                f"reshape: {type_of(input)} has {size} elements, which {shape} does not divide", arg="shape"
            )
        shape = tuple(size // rest if n == -1 else n for n in shape)
    if math.prod(shape) != size:
        raise OpValueError(
            f"reshape: {type_of(input)} has {size} elements, but {shape} has {math.prod(shape)}", arg="shape"
        )
    return {"shape": shape}


@reshape.infer
def _(input, *, shape):
    return TensorType(input.dtype, shape)


@reshape.view
def _(layout, *, shape):
    view = layouts.reshape(layout, shape)
    return None if view is None else (view, 0)


@reshape.kernel
def _(p: Planner, input: Buffer, out: Buffer, *, shape):
    plan_copy(p, input, out.reshaped(*input.shape))


@reshape.vjp("input")
def _(input_type, *, g):
    return reshape(g, input_type.shape)


linear(reshape, "input")


@reshape.batch
def _(batched, input, *, shape):
    return reshape(input, (input.shape[0], *shape))


@composite
def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """`input` reshaped to the shape of `other`.

    Example:
        >>> reshape_as(Tensor([1, 2]), Tensor([[3], [4]])).tolist()
        [[1], [2]]
    """
    return reshape(input, other.shape)


view_as = reshape_as


@composite
def ravel(input: Tensor) -> Tensor:
    """All elements in one axis.

    Example:
        >>> ravel(Tensor([[1, 2], [3, 4]])).tolist()
        [1, 2, 3, 4]
    """
    return reshape(input, (-1,)) if input.size else reshape(input, (0,))


@composite
def flatten(input: Tensor, order="C", *, start_dim=1, end_dim=-1) -> Tensor:
    """Make one axis of the axes from `start_dim` to `end_dim`.

    Args:
        input: tensor; one of fewer than two axes comes out with one axis.
        order: "C" takes the elements in row-major order, "F" in column-major order.
        start_dim, end_dim: first and last of the axes that become one.
    Raises:
        OpValueError: the axes are out of range or in the wrong order, or `order` is another.
    Example:
        >>> flatten(zeros((2, 3, 4))).shape
        (2, 12)
    """
    if not isinstance(order, str):
        raise OpTypeError(f"flatten: `order` must be a string, but got {type(order).__name__}", arg="order")
    if order not in ("C", "F"):
        raise OpValueError(f'flatten: `order` must be "C" or "F", but got {order!r}', arg="order")
    if order == "F":
        input = transpose(input, tuple(reversed(range(input.ndim))))
    if input.ndim < 2:
        return ravel(input)
    first, last = normalize_axes_pair("flatten", start_dim, end_dim, input.ndim)
    lengths = input.shape
    return reshape(input, (*lengths[:first], math.prod(lengths[first : last + 1]), *lengths[last + 1 :]))


def normalize_axes_pair(name: str, start: Any, end: Any, ndim: int) -> tuple[int, int]:
    """The axes from `start_dim` to `end_dim`, counted from the front."""
    first = normalize_axis(name, start, ndim, "start_dim")
    last = normalize_axis(name, end, ndim, "end_dim")
    if first > last:
        raise OpValueError(f"{name}: `start_dim` {start} stands behind `end_dim` {end}", arg="start_dim")
    return first, last


@composite
def unflatten(input: Tensor, dim, sizes) -> Tensor:
    """Make several axes of one.

    Args:
        input: tensor.
        dim: the axis.
        sizes: the lengths of the new axes; one may be -1 and is worked out.
    Example:
        >>> unflatten(zeros((2, 12)), 1, (3, 4)).shape
        (2, 3, 4)
    """
    axis = normalize_axis("unflatten", dim, input.ndim, "dim")
    sizes = integers("unflatten", sizes, "sizes")
    if sizes.count(-1) == 1:
        rest = math.prod(n for n in sizes if n != -1)
        sizes = tuple(input.shape[axis] // max(rest, 1) if n == -1 else n for n in sizes)
    if math.prod(sizes) != input.shape[axis] or any(n < 0 for n in sizes):
        raise OpValueError(f"unflatten: axis {axis} has length {input.shape[axis]}, which is not {sizes}", arg="sizes")
    return reshape(input, (*input.shape[:axis], *sizes, *input.shape[axis + 1 :]))


# -- the order of axes ------------------------------------------------------------------------------------------------


@op
def transpose(input: Tensor, input_perm):
    """The axes in another order.

    Args:
        input: tensor.
        input_perm: axis i of the result is axis `input_perm[i]` of the input; each axis is named once.
    Returns:
        tensor with permuted axes, a view.
    Raises:
        OpTypeError: the axes are no integers.
        OpValueError: an axis is out of range, missing, or named twice.
    Gradient:
        g, with the axes put back.
    Example:
        >>> transpose(zeros((2, 3, 4)), (2, 0, 1)).shape
        (4, 2, 3)
    """


@transpose.normalize
def _(input, *, input_perm):
    axes = integers("transpose", input_perm, "input_perm")
    axes = tuple(normalize_axis("transpose", axis, input.ndim, "input_perm") for axis in axes)
    if sorted(axes) != list(range(input.ndim)):
        raise OpValueError(
            f"transpose: `input_perm` must name each of the {input.ndim} axes once, but got {axes}", arg="input_perm"
        )
    return {"input_perm": axes}


@transpose.infer
def _(input, *, input_perm):
    return TensorType(input.dtype, tuple(input.shape[a] for a in input_perm))


@transpose.view
def _(layout, *, input_perm):
    return layouts.permute(layout, input_perm), 0


@transpose.vjp("input")
def _(*, input_perm, g):
    return transpose(g, tuple(sorted(range(len(input_perm)), key=input_perm.__getitem__)))


linear(transpose, "input")


@transpose.batch
def _(batched, input, *, input_perm):
    return transpose(input, (0, *later(input_perm)))


def permute(input: Tensor, axis) -> Tensor:
    """The axes in another order, as `transpose`.

    Example:
        >>> permute(zeros((2, 3)), (1, 0)).shape
        (3, 2)
    """
    return transpose(input, axis)


@composite
def swapaxes(input: Tensor, axis0, axis1) -> Tensor:
    """Two axes exchanged. A view.

    Example:
        >>> swapaxes(zeros((2, 3, 4)), 0, -1).shape
        (4, 3, 2)
    """
    first, second = (
        normalize_axis("swapaxes", axis, input.ndim, name) for axis, name in ((axis0, "axis0"), (axis1, "axis1"))
    )
    order = list(range(input.ndim))
    if order:
        order[first], order[second] = order[second], order[first]
    return transpose(input, tuple(order))


def swapdims(input: Tensor, dim0, dim1) -> Tensor:
    """Two axes exchanged, as `swapaxes`.

    Example:
        >>> swapdims(zeros((2, 3)), 0, 1).shape
        (3, 2)
    """
    return swapaxes(input, dim0, dim1)


@composite
def moveaxis(x: Tensor, source, destination) -> Tensor:
    """Axes moved to other places, the others kept in order. A view.

    Args:
        x: tensor.
        source: an axis or several.
        destination: where they stand in the result.
    Raises:
        OpValueError: an axis is out of range or named twice, or the numbers of axes differ.
    Example:
        >>> moveaxis(zeros((2, 3, 4)), 0, -1).shape
        (3, 4, 2)
    """
    sources, targets = integers("moveaxis", source, "source"), integers("moveaxis", destination, "destination")
    normalize_axes("moveaxis", sources, x.ndim, "source")  # each once
    normalize_axes("moveaxis", targets, x.ndim, "destination")
    if len(sources) != len(targets):
        raise OpValueError(f"moveaxis: {len(sources)} axes cannot move to {len(targets)} places", arg="destination")
    moved = {t % x.ndim: s % x.ndim for s, t in zip(sources, targets)}
    rest = iter([axis for axis in range(x.ndim) if axis not in moved.values()])
    return transpose(x, tuple(moved[axis] if axis in moved else next(rest) for axis in range(x.ndim)))


def movedim(x: Tensor, source, destination) -> Tensor:
    """Axes moved to other places, as `moveaxis`.

    Example:
        >>> movedim(zeros((2, 3)), 0, 1).shape
        (3, 2)
    """
    return moveaxis(x, source, destination)


# -- axes of length 1 -------------------------------------------------------------------------------------------------


@op
def broadcast_to(input: Tensor, shape):
    """Repeat along axes of length 1, and along new axes in front, to get a shape.

    Args:
        input: tensor.
        shape: the lengths to get; -1 keeps a length.
    Returns:
        tensor of that shape: a view in which all repetitions are one memory, so it cannot be written to.
    Raises:
        OpTypeError: the lengths are no integers.
        OpValueError: an axis of another length than 1 would have to change.
    Gradient:
        g, summed over the repetitions.
    Example:
        >>> broadcast_to(Tensor([1, 2]), (2, 2)).tolist()
        [[1, 2], [1, 2]]
    """


@broadcast_to.normalize
def _(input, *, shape):
    shape = integers("broadcast_to", shape, "shape")
    lead = len(shape) - input.ndim
    lengths = tuple(input.shape[i - lead] if n == -1 and i >= lead else n for i, n in enumerate(shape))
    fits = lead >= 0 and all(n >= 0 for n in lengths)
    if not fits or any(have not in (1, lengths[lead + i]) for i, have in enumerate(input.shape)):
        raise OpValueError(f"broadcast_to: {type_of(input)} cannot be stretched to {shape}", arg="shape")
    return {"shape": lengths}


@broadcast_to.infer
def _(input, *, shape):
    return TensorType(input.dtype, shape)


@broadcast_to.view
def _(layout, *, shape):
    return layouts.broadcast(layout, shape), 0


@broadcast_to.vjp("input")
def _(input_type, *, g):
    return sum_to(g, shape=input_type.shape)


linear(broadcast_to, "input")


@broadcast_to.batch
def _(batched, input, *, shape):
    lead = (1,) * (len(shape) + 1 - input.ndim)
    return broadcast_to(reshape(input, (input.shape[0], *lead, *input.shape[1:])), (input.shape[0], *shape))


@composite
def sum_to(input: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Undo a broadcast: sum over the axes that were added or stretched.

    Example:
        >>> sum_to(Tensor([[1, 2], [3, 4]]), (1, 2)).tolist()
        [[4, 6]]
    """
    from anfora.ops.reduction import reduce_sum

    lead = input.ndim - len(shape)
    axes = (*range(lead), *(i + lead for i, n in enumerate(shape) if n == 1 and input.shape[i + lead] != 1))
    result = reduce_sum(input, axes) if axes else input
    return result if result.shape == shape else reshape(result, shape)


def expand(input_x: Tensor, size) -> Tensor:
    """Repeat along axes of length 1, as `broadcast_to`.

    Example:
        >>> expand(zeros((2, 1)), (3, -1, 4)).shape
        (3, 2, 4)
    """
    return broadcast_to(input_x, size)


@composite
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """`input` broadcast to the shape of `other`.

    Example:
        >>> expand_as(Tensor([1, 2]), zeros((3, 2))).shape
        (3, 2)
    """
    return broadcast_to(input, other.shape)


@op
def expand_dims(input_x: Tensor, axis):
    """Add an axis of length 1 so that it is axis `axis` of the result. A view.

    Raises:
        OpValueError: `axis` is not in [-ndim - 1, ndim].
    Gradient:
        g, without the axis.
    Example:
        >>> expand_dims(zeros((2, 3)), 1).shape
        (2, 1, 3)
    """


@expand_dims.normalize
def _(input_x, *, axis):
    return {"axis": normalize_axis("expand_dims", axis, input_x.ndim + 1)}


@expand_dims.infer
def _(input_x, *, axis):
    return TensorType(input_x.dtype, (*input_x.shape[:axis], 1, *input_x.shape[axis:]))


@expand_dims.view
def _(layout, *, axis):
    lengths = (*layout.shape[:axis], 1, *layout.shape[axis:])
    return Layout(TensorType(layout.dtype, lengths), (*layout.strides[:axis], 0, *layout.strides[axis:])), 0


@expand_dims.vjp("input_x")
def _(input_x_type, *, g):
    return reshape(g, input_x_type.shape)


linear(expand_dims, "input_x")


@expand_dims.batch
def _(batched, input_x, *, axis):
    return expand_dims(input_x, axis + 1)


def unsqueeze(input: Tensor, dim) -> Tensor:
    """Add an axis of length 1, as `expand_dims`.

    Example:
        >>> unsqueeze(zeros((2, 3)), -1).shape
        (2, 3, 1)
    """
    return expand_dims(input, dim)


@op
def squeeze(input: Tensor, axis=None):
    """Drop axes of length 1: all, or those among the named that have it. A view.

    Raises:
        OpTypeError: `axis` is no integer and no sequence of them.
        OpValueError: `axis` is out of range.
    Gradient:
        g, with the axes.
    Example:
        >>> squeeze(zeros((1, 2, 1))).shape, squeeze(zeros((1, 2, 1)), 0).shape
        ((2,), (2, 1))
    """


@squeeze.normalize
def _(input, *, axis):
    if axis is None or (isinstance(axis, (tuple, list)) and not axis):
        return {"axis": tuple(i for i, n in enumerate(input.shape) if n == 1)}
    axes = tuple(normalize_axis("squeeze", a, input.ndim) for a in integers("squeeze", axis, "axis"))
    return {"axis": tuple(sorted(set(axes)))}


@squeeze.infer
def _(input, *, axis):
    return TensorType(input.dtype, tuple(n for i, n in enumerate(input.shape) if i not in axis or n != 1))


@squeeze.view
def _(layout, *, axis):
    kept = [i for i, n in enumerate(layout.shape) if i not in axis or n != 1]
    lengths = tuple(layout.shape[i] for i in kept)
    return Layout(TensorType(layout.dtype, lengths), tuple(layout.strides[i] for i in kept)), 0


@squeeze.vjp("input")
def _(input_type, *, g):
    return reshape(g, input_type.shape)


linear(squeeze, "input")


@squeeze.batch
def _(batched, input, *, axis):
    return squeeze(input, later(axis)) if axis else input


def _with_axes(shape: Callable[[tuple[int, ...]], tuple[int, ...]], least: int, how: str, example: str) -> Callable:
    """The function that gives tensors at least so many axes."""

    @composite
    def function(inputs: Any) -> Any:
        if isinstance(inputs, (tuple, list)):
            return tuple(function(x) for x in inputs)
        inputs = inputs if isinstance(inputs, Tensor) else Tensor(inputs)
        return inputs if inputs.ndim >= least else reshape(inputs, shape(inputs.shape))

    function.__name__ = function.__qualname__ = f"atleast_{least}d"
    function.__doc__ = f"""Tensors with at least {least} axes; axes of length 1 are added {how}.

    Args:
        inputs: tensor or number, or a sequence of them.
    Returns:
        tensor (a view, or the input itself), or a tuple of them.
    Example:
        >>> atleast_{least}d(Tensor([1, 2])).shape
        {example}
    """
    return function


atleast_1d = _with_axes(lambda shape: (1,), 1, "to numbers", "(2,)")
atleast_2d = _with_axes(lambda shape: (1,) * (2 - len(shape)) + shape, 2, "in front", "(1, 2)")
atleast_3d = _with_axes(
    lambda shape: ((1, 1, 1), (1, *shape, 1), (*shape, 1))[len(shape)],
    3,
    "behind and, where that is not enough, in front",
    "(1, 2, 1)",
)


# -- parts ------------------------------------------------------------------------------------------------------------


@op
def index_view(input: Tensor, items):
    """Basic indexing, with one item an axis, from the first on: an integer takes one element and drops the axis,
    (start, length, step) takes some, None adds an axis of length 1. A view.

    The items are in range: whoever makes them checks them.
    Example:
        >>> index_view(Tensor([[1, 2, 3], [4, 5, 6]]), (1, (0, 2, 2))).tolist()
        [4, 6]
    """


@index_view.infer
def _(input, *, items):
    return layouts.index(input.contiguous, items)[0].type


@index_view.view
def _(layout, *, items):
    return layouts.index(layout, items)


@index_view.vjp("input")
def _(input_type, *, items, g):
    if _is_everything(items, input_type.shape):
        return reshape(g, input_type.shape)
    return place(g, shape=input_type.shape, path=(("index_view", (("items", items),)),))


@index_view.part
def _(layout, *, items):
    return None if _is_everything(items, layout.shape) else (layout.shape, items)


def _is_everything(items: tuple, shape: tuple[int, ...]) -> bool:
    """Whether items take all elements in order: new axes may stand between them."""
    return [item for item in items if item is not None] == [whole(n) for n in shape]


linear(index_view, "input")


@index_view.batch
def _(batched, input, *, items):
    return index_view(input, (whole(input.shape[0]), *items))


@composite
def narrow(input: Tensor, axis, start, length) -> Tensor:
    """`length` elements along an axis, from `start` on. A view.

    Args:
        input: tensor.
        axis: the axis.
        start: the first element; negative counts from the end.
        length: how many.
    Raises:
        OpValueError: `axis` is out of range, or the part is not inside the axis.
    Example:
        >>> narrow(Tensor([1, 2, 3, 4]), 0, 1, 2).tolist()
        [2, 3]
    """
    axis = normalize_axis("narrow", axis, input.ndim)
    start, length = integer("narrow", start, "start"), integer("narrow", length, "length")
    n = input.shape[axis] if input.shape else 0
    first = start + n if start < 0 else start
    if not 0 <= first <= n or not 0 <= length <= n - first:
        raise OpValueError(
            f"narrow: {length} elements from {start} on do not fit into axis {axis} of length {n}",
            arg="start" if not 0 <= first <= n else "length",
        )
    return index_view(input, (*(whole(m) for m in input.shape[:axis]), (first, length, 1)))


def whole(n: int) -> tuple[int, int, int]:
    """The item of `index_view` for all of an axis."""
    return 0, n, 1


@composite
def slice(input_x: Tensor, begin, size) -> Tensor:
    """A box: `size[i]` elements along axis i, from `begin[i]` on. A view.

    Args:
        input_x: tensor.
        begin: the first element along each axis.
        size: how many along each axis; -1 takes all that follow.
    Raises:
        OpValueError: not one number an axis is given, or the box is not inside the tensor.
    Example:
        >>> slice(Tensor([[1, 2, 3], [4, 5, 6]]), (0, 1), (2, -1)).tolist()
        [[2, 3], [5, 6]]
    """
    starts, counts = integers("slice", begin, "begin"), integers("slice", size, "size")
    for name, given in (("begin", starts), ("size", counts)):
        if len(given) != input_x.ndim:
            raise OpValueError(f"slice needs {input_x.ndim} numbers for `{name}`, but got {given}", arg=name)
    counts = tuple(n - b if c == -1 else c for n, b, c in zip(input_x.shape, starts, counts))
    for n, b, c in zip(input_x.shape, starts, counts):
        if b < 0 or c < 0 or b + c > n:
            raise OpValueError(
                f"slice: the box {counts} at {starts} is not inside the shape {input_x.shape}", arg="size"
            )
    return index_view(input_x, tuple((b, c, 1) for b, c in zip(starts, counts)))


@composite
def strided_slice(
    input_x: Tensor,
    begin,
    end,
    strides,
    begin_mask=0,
    end_mask=0,
    ellipsis_mask=0,
    new_axis_mask=0,
    shrink_axis_mask=0,
) -> Tensor:
    """Python's slicing, `input_x[begin[0]:end[0]:strides[0], …]`, in numbers. A view.

    Bit i of a mask changes what the numbers at i mean.

    Args:
        input_x: tensor.
        begin, end, strides: tuples of integers of one length.
        begin_mask, end_mask: the slice begins, ends at the end of the axis.
        ellipsis_mask: an ellipsis, one at most.
        new_axis_mask: a new axis of length 1.
        shrink_axis_mask: the single index `begin[i]`, which drops the axis.
    Raises:
        OpValueError: the tuples differ in length, a stride is zero, or there are several ellipses.
        OpIndexError: a single index is out of range.
    Example:
        >>> strided_slice(Tensor([[1, 2, 3], [4, 5, 6]]), (0, 0), (2, 3), (1, 2)).tolist()
        [[1, 3], [4, 6]]
    """
    starts, ends, steps = (
        integers("strided_slice", given, name) for given, name in ((begin, "begin"), (end, "end"), (strides, "strides"))
    )
    if not len(starts) == len(ends) == len(steps):
        raise OpValueError(
            f"strided_slice: `begin`, `end` and `strides` must have one length, but have {len(starts)}, {len(ends)} and "
            f"{len(steps)}",
            arg="begin",
        )
    if 0 in steps:
        raise OpValueError("strided_slice: no stride may be zero", arg="strides")
    if bin(ellipsis_mask & ((1 << len(starts)) - 1)).count("1") > 1:
        raise OpValueError("strided_slice: there may be one ellipsis", arg="ellipsis_mask")
    key: list[Any] = []
    for i, (b, e, s) in enumerate(zip(starts, ends, steps)):
        if ellipsis_mask >> i & 1:
            key.append(...)
        elif new_axis_mask >> i & 1:
            key.append(None)
        elif shrink_axis_mask >> i & 1:
            key.append(b)
        else:
            key.append(builtins.slice(None if begin_mask >> i & 1 else b, None if end_mask >> i & 1 else e, s))
    return input_x[tuple(key)]


@op
def diagonal(input: Tensor, offset=0, dim1=0, dim2=1):
    """The elements whose coordinates along two axes differ by `offset`: x[i, i + offset]. A view.

    Args:
        input: tensor of at least two axes.
        offset: how far the diagonal lies above (below, if negative) the main one.
        dim1, dim2: the axes of rows and columns.
    Returns:
        tensor without the two axes and with a last one for the diagonal.
    Raises:
        OpValueError: an axis is out of range, or both are the same.
    Gradient:
        zeros, with g on the diagonal.
    Example:
        >>> diagonal(Tensor([[1, 2], [3, 4]])).tolist(), diagonal(Tensor([[1, 2], [3, 4]]), 1).tolist()
        ([1, 4], [2])
    """


@diagonal.normalize
def _(input, *, offset, dim1, dim2):
    if input.ndim < 2:
        raise OpValueError(f"diagonal needs at least two axes, but got {input!r}", arg="input")
    rows = normalize_axis("diagonal", dim1, input.ndim, "dim1")
    columns = normalize_axis("diagonal", dim2, input.ndim, "dim2")
    if rows == columns:
        raise OpValueError(f"diagonal: `dim1` and `dim2` are the same axis {rows}", arg="dim2")
    offset = integer("diagonal", offset, "offset")
    return {"offset": offset, "dim1": rows, "dim2": columns}


@diagonal.infer
def _(input, *, offset, dim1, dim2):
    return layouts.diagonal(input.contiguous, offset, dim1, dim2)[0].type


@diagonal.view
def _(layout, *, offset, dim1, dim2):
    return layouts.diagonal(layout, offset, dim1, dim2)


@diagonal.vjp("input")
def _(input_type, *, offset, dim1, dim2, g):
    path = (("diagonal", (("offset", offset), ("dim1", dim1), ("dim2", dim2))),)
    return place(g, shape=input_type.shape, path=path)


linear(diagonal, "input")
along(diagonal, "dim1", "dim2")


# -- what a tensor is -------------------------------------------------------------------------------------------------


def shape(input_x: Any) -> tuple[int, ...]:
    """The lengths of the axes.

    Raises:
        OpTypeError: it is no tensor.
    Example:
        >>> shape(zeros((2, 3)))
        (2, 3)
    """
    if not isinstance(input_x, Tensor):
        raise OpTypeError(f"shape needs a tensor for `input_x`, but got {type(input_x).__name__}", arg="input_x")
    return input_x.shape


@composite
def rank(input_x: Tensor) -> int:
    """The number of axes.

    Example:
        >>> rank(zeros((2, 3)))
        2
    """
    return input_x.ndim


@composite
def size(input_x: Tensor) -> int:
    """The number of elements.

    Example:
        >>> size(zeros((2, 3)))
        6
    """
    return input_x.size


@composite
def numel(input: Tensor) -> int:
    """The number of elements.

    Example:
        >>> numel(zeros((2, 3)))
        6
    """
    return input.size


def dtype(input_x: Any) -> Any:
    """The element type.

    Raises:
        OpTypeError: it is no tensor.
    Example:
        >>> dtype(zeros((2, 3)))
        anfora.float32
    """
    if not isinstance(input_x, Tensor):
        raise OpTypeError(f"dtype needs a tensor for `input_x`, but got {type(input_x).__name__}", arg="input_x")
    return input_x.dtype
