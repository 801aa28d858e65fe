"""Writing to places that indices name: scatter, index_add, index_fill, assign and their kin.

Names follow MindSpore: `tensor_scatter_…` gives a new tensor; `scatter_…`, `scatter_nd_…` and `assign…` change a Parameter
in place, as an effect that the tape does not see (a tensor that is no Parameter is changed with its history).

What they give lies in the Parameter's memory and has two gradients: one to the Parameter, a leaf that stands for what it
holds now, and, but for `assign`, one to the values that were written. So neither is lost, whichever the program uses.

Where several values come to one place they are combined in the order of the indices: the last one stays where values are
put, and sums do not depend on the number of threads.
"""

from __future__ import annotations

import builtins
import functools
import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from anfora.core import slots
from anfora.core.dtype import DType, bfloat16, int64
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.op import Op
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.kernel.change import UNTAPED_TO_PARAMETERS
from anfora.kernel.glue import is_recording, set_recording
from anfora.ops import places
from anfora.ops.arithmetic import add, sub
from anfora.ops.comparison import where
from anfora.ops.composite import composite
from anfora.ops.copying import converted, copy_to, standing_for, stop_gradient, write_back
from anfora.ops.creation import full, integer, integers, lengths
from anfora.ops.families import normalize_axis
from anfora.ops.places import add_at, add_at_, set_at, sum_at
from anfora.ops.shape import diagonal, index_view, reshape, whole

__all__ = [
    "assign", "assign_add", "assign_sub", "diagonal_scatter", "index_add", "index_fill", "index_put", "inplace_add",
    "inplace_index_add", "inplace_sub", "inplace_update", "scatter", "scatter_add", "scatter_div", "scatter_max",
    "scatter_min", "scatter_mul", "scatter_nd", "scatter_nd_add", "scatter_nd_div", "scatter_nd_max",
    "scatter_nd_min", "scatter_nd_mul", "scatter_nd_sub", "scatter_nd_update", "scatter_sub", "scatter_update",
    "select_scatter", "slice_scatter", "tensor_scatter_add", "tensor_scatter_div", "tensor_scatter_elements",
    "tensor_scatter_max", "tensor_scatter_min", "tensor_scatter_mul", "tensor_scatter_sub", "tensor_scatter_update",
    "unsorted_segment_max", "unsorted_segment_min", "unsorted_segment_prod", "unsorted_segment_sum",
]  # fmt: skip


def _along(axis: int) -> tuple:
    """The form of indices along one axis, each of which names a whole part."""
    return ("arrays", (axis,), axis, (axis,))


# -- one index an element ---------------------------------------------------------------------------------------------

_REDUCTIONS = {"none": "set", "add": "add", "sub": "sub", "mul": "mul", "multiply": "mul", "max": "max", "min": "min"}


@composite
def tensor_scatter_elements(input_x: Tensor, indices: Tensor, updates: Tensor, axis=0, reduction="none") -> Tensor:
    """A copy in which elements are changed: for axis 0, `out[indices[i, j], j]` is combined with `updates[i, j]`.

    Args:
        input_x: tensor.
        indices: integer tensor of indices in [-n, n) along `axis`, of as many axes as `input_x` and, along the others, not
            longer.
        updates: tensor of the shape of `indices`, or a number.
        axis: the axis of length n.
        reduction: "none" puts the updates; "add", "sub", "mul", "max", "min" combine them with what is there.
    Raises:
        OpTypeError: the indices are no integers.
        OpValueError: the shapes do not fit, `axis` is out of range, or `reduction` is unknown.
        OpIndexError: an index is out of range.
    Gradient:
        see `places`.
    Example:
        >>> tensor_scatter_elements(zeros((2, 2)), Tensor([[1, 0]]), Tensor([[3., 4.]])).tolist()
        [[0.0, 4.0], [3.0, 0.0]]
    """
    if reduction not in _REDUCTIONS:
        raise OpValueError(
            f"tensor_scatter_elements: `reduction` must be one of {', '.join(_REDUCTIONS)}, but got {reduction!r}",
            arg="reduction",
        )
    axis = normalize_axis("tensor_scatter_elements", axis, input_x.ndim)
    change: Op = getattr(places, f"{_REDUCTIONS[reduction]}_at")
    return change(input_x, (indices,), _cut(updates, indices), form=("along", axis))


def _cut(values: Any, index: Tensor) -> Any:
    """The part of values that indices have a place for."""
    if not isinstance(values, Tensor) or not values.ndim or values.shape == index.shape:
        return values
    if values.ndim == index.ndim and all(n <= m for n, m in zip(index.shape, values.shape)):
        return values[tuple(builtins.slice(0, n) for n in index.shape)]
    return values


def scatter(input: Tensor, axis, index: Tensor, src: Any) -> Tensor:
    """A copy in which elements are replaced: for axis 0, `out[index[i, j], j] = src[i, j]`.

    Args:
        input: tensor.
        axis: the axis.
        index: integer tensor, as `indices` of `tensor_scatter_elements`.
        src: tensor at least as long as `index` along every axis, or a number.
    Example:
        >>> scatter(zeros((2, 2)), 1, Tensor([[1], [0]]), 5).tolist()
        [[0.0, 5.0], [5.0, 0.0]]
    """
    return tensor_scatter_elements(input, index, src, axis)


# -- places by their coordinates --------------------------------------------------------------------------------------

_POINTS = ("points",)


@composite
def scatter_nd(indices: Tensor, updates: Tensor, shape) -> Tensor:
    """Zeros with updates added at the places whose coordinates stand along the last axis of the indices.

    Args:
        indices: integer tensor (i…, k).
        updates: tensor of shape i… + shape[k:].
        shape: of the result.
    Raises:
        OpTypeError: the indices are no integers.
        OpValueError: the shapes do not fit.
        OpIndexError: an index is out of range.
    Gradient:
        to `updates`, what g holds at the places.
    Example:
        >>> scatter_nd(Tensor([[0], [2], [0]]), Tensor([1., 2., 3.]), (3,)).tolist()
        [4.0, 0.0, 2.0]
    """
    return sum_at(updates, (indices,), form=_POINTS, shape=integers("scatter_nd", shape, "shape"))


def _tensor_scatter(how: str, verb: str, example: str) -> Callable[[Tensor, Tensor, Any], Tensor]:
    """The function that changes a copy at places given by coordinates."""
    change: Op = getattr(places, f"{how}_at")
    name = "update" if how == "set" else how

    @composite
    def function(input_x: Tensor, indices: Tensor, updates: Any) -> Tensor:
        _check_updates(function.__name__, updates, indices.shape[:-1], input_x.shape[indices.shape[-1] :])
        return change(input_x, (indices,), updates, form=_POINTS)

    function.__name__ = function.__qualname__ = f"tensor_scatter_{name}"
    function.__doc__ = f"""A copy in which updates {verb} what is at places given by their coordinates.

    Args:
        input_x: tensor.
        indices: integer tensor (i…, k) whose last axis holds coordinates along the first k axes.
        updates: tensor of shape i… + input_x.shape[k:], or a number.
    Raises:
        OpTypeError: the indices are no integers.
        OpValueError: the shapes do not fit.
        OpIndexError: an index is out of range.
    Example:
        >>> tensor_scatter_{name}(Tensor([6., 6.]), Tensor([[1], [1]]), Tensor([2., 3.])).tolist()
        {example}
    """
    return function


def _check_updates(name: str, updates: Any, batch: tuple[int, ...], rest: tuple[int, ...]) -> None:
    """Updates come one for each place: they are not broadcast, but for a single number."""
    if isinstance(updates, Tensor) and updates.ndim and updates.shape != (*batch, *rest):
        raise OpValueError(
            f"{name} needs updates of the shape {(*batch, *rest)} for these indices, but got {updates.shape}",
            arg="updates",
        )


tensor_scatter_update = _tensor_scatter("set", "replace", "[6.0, 3.0]")
tensor_scatter_add = _tensor_scatter("add", "are added to", "[6.0, 11.0]")
tensor_scatter_sub = _tensor_scatter("sub", "are subtracted from", "[6.0, 1.0]")
tensor_scatter_mul = _tensor_scatter("mul", "multiply", "[6.0, 36.0]")
tensor_scatter_div = _tensor_scatter("div", "divide", "[6.0, 1.0]")
tensor_scatter_max = _tensor_scatter("max", "that are larger replace", "[6.0, 6.0]")
tensor_scatter_min = _tensor_scatter("min", "that are smaller replace", "[6.0, 2.0]")


# -- Parameters, in place ---------------------------------------------------------------------------------------------


@contextmanager
def as_effect(x: Any) -> Iterator[None]:
    """Change a Parameter, or a view of one, without a record."""
    before = is_recording()
    if _is_of_parameter(x):
        set_recording(False)
    try:
        yield
    finally:
        set_recording(before)


def _is_of_parameter(x: Any) -> bool:
    """Whether a tensor is a Parameter, or a view of one that is not followed by itself: what is written there is an effect
    that no tape follows."""
    if slots.watcher.recorder is not None:
        slots.watcher.recorder.note_base(x)
    if isinstance(x, Parameter):
        return True
    return isinstance(getattr(x, "_base", None), Parameter) and not slots.is_followed_by_itself(x)


def _change_places(x: Tensor, how: str, indices: Tensor, updates: Any, form: tuple) -> Tensor:
    """Change places of a tensor: of a Parameter as an effect, of any other with its history."""
    if _has_gradient(updates) and _is_of_parameter(x):
        return _changed(x, getattr(places, f"{how}_at")(stop_gradient(x), (indices,), updates, form=form))
    with as_effect(x):
        return getattr(places, f"{how}_at_")(x, (indices,), updates, form=form)


def _has_gradient(value: Any) -> bool:
    return is_recording() and isinstance(value, Tensor) and value.requires_grad


def _changed(x: Tensor, new: Tensor) -> Tensor:
    """Write into a Parameter as an effect; gives a tensor in its memory, with the gradients of both."""
    new = converted(new, x.dtype)
    slots.assign(x, new)
    return standing_for(x, new)


def _check_target(name: str, x: Any, arg: str) -> None:
    if not isinstance(x, Tensor):
        raise OpTypeError(f"{name} needs a Parameter or tensor to change, but got {type(x).__name__}", arg=arg)


def _scatter_rows(how: str, verb: str, example: str) -> Callable[[Any, Tensor, Any], Tensor]:
    """The function that changes whole parts along the first axis, in place."""
    name = "update" if how == "set" else how

    @composite
    def function(input_x: Any, indices: Tensor, updates: Any) -> Tensor:
        _check_target(function.__name__, input_x, "input_x")
        _check_updates(function.__name__, updates, indices.shape, input_x.shape[1:])
        return _change_places(input_x, how, indices, updates, _along(0))

    function.__name__ = function.__qualname__ = f"scatter_{name}"
    function.__doc__ = f"""Updates {verb} the parts of a Parameter along its first axis that indices name, in place.

    Args:
        input_x: Parameter (n, p…).
        indices: integer tensor (i…) of indices in [-n, n).
        updates: tensor (i…, p…), or a number.
    Returns:
        what `input_x` holds now, in its memory.
    Gradient:
        of a Parameter: g to `input_x`, and to the updates what their part in the new values gives, of which the Parameter
        itself knows nothing. A tensor that is no Parameter has the history of the change.
    Raises:
        OpTypeError: the indices are no integers, or `input_x` is no tensor.
        OpValueError: the shapes do not fit.
        OpIndexError: an index is out of range; nothing was changed.
    Example:
        >>> scatter_{name}(Parameter(Tensor([6., 6.])), Tensor([1, 1]), Tensor([2., 3.])).tolist()
        {example}
    """
    return function


scatter_update = _scatter_rows("set", "replace", "[6.0, 3.0]")
scatter_add = _scatter_rows("add", "are added to", "[6.0, 11.0]")
scatter_sub = _scatter_rows("sub", "are subtracted from", "[6.0, 1.0]")
scatter_mul = _scatter_rows("mul", "multiply", "[6.0, 36.0]")
scatter_div = _scatter_rows("div", "divide", "[6.0, 1.0]")
scatter_max = _scatter_rows("max", "that are larger replace", "[6.0, 6.0]")
scatter_min = _scatter_rows("min", "that are smaller replace", "[6.0, 2.0]")


def _copy_of_rows(how: str, verb: str, example: str) -> Callable[..., Tensor]:
    """The function that gives a copy in which parts along the first axis are changed."""
    change: Callable = getattr(places, f"{how}_at")
    name = "update" if how == "set" else how

    @composite
    def function(x: Tensor, v: Any, indices: Any) -> Tensor:
        if not isinstance(indices, Tensor):
            indices = Tensor(list(integers(function.__name__, indices, "indices")), int64)
        _check_updates(function.__name__, v, indices.shape, x.shape[1:])
        return change(x, (indices,), v, form=_along(0))

    function.__name__ = function.__qualname__ = f"inplace_{name}"
    function.__doc__ = f"""A copy in which values {verb} the parts along the first axis that indices name.

    The name is MindSpore's; nothing is written in place.

    Args:
        x: tensor (n, p…).
        v: tensor (m, p…), or a number.
        indices: integer, tuple of m integers or integer tensor (m,), in [-n, n).
    Raises:
        OpTypeError: the indices are no integers.
        OpValueError: the shapes do not fit.
        OpIndexError: an index is out of range.
    Gradient:
        to `x` and `v`, as that of `tensor_scatter_{name}`.
    Example:
        >>> inplace_{name}(Tensor([6., 6.]), Tensor([2.]), 1).tolist()
        {example}
    """
    return function


inplace_update = _copy_of_rows("set", "replace", "[6.0, 2.0]")
inplace_add = _copy_of_rows("add", "are added to", "[6.0, 8.0]")
inplace_sub = _copy_of_rows("sub", "are subtracted from", "[6.0, 4.0]")


def _scatter_points(how: str, verb: str, example: str) -> Callable[..., Tensor]:
    """The function that changes places given by coordinates, in place."""
    name = "update" if how == "set" else how

    @composite
    def function(input_x: Any, indices: Tensor, updates: Any, use_locking: bool = False) -> Tensor:
        _check_target(function.__name__, input_x, "input_x")
        _check_updates(function.__name__, updates, indices.shape[:-1], input_x.shape[indices.shape[-1] :])
        return _change_places(input_x, how, indices, updates, _POINTS)

    function.__name__ = function.__qualname__ = f"scatter_nd_{name}"
    function.__doc__ = f"""Updates {verb} what a Parameter holds at places given by their coordinates, in place.

    Args:
        input_x: Parameter.
        indices: integer tensor (i…, k) whose last axis holds coordinates along the first k axes.
        updates: tensor of shape i… + input_x.shape[k:], or a number.
        use_locking: accepted for MindSpore programs; has no effect here.
    Returns:
        what `input_x` holds now, in its memory.
    Gradient:
        of a Parameter: g to `input_x`, and to the updates what their part in the new values gives, of which the Parameter
        itself knows nothing. A tensor that is no Parameter has the history of the change.
    Raises:
        OpTypeError: the indices are no integers, or `input_x` is no tensor.
        OpValueError: the shapes do not fit.
        OpIndexError: an index is out of range; nothing was changed.
    Example:
        >>> scatter_nd_{name}(Parameter(Tensor([6., 6.])), Tensor([[1], [1]]), Tensor([2., 3.])).tolist()
        {example}
    """
    return function


scatter_nd_update = _scatter_points("set", "replace", "[6.0, 3.0]")
scatter_nd_add = _scatter_points("add", "are added to", "[6.0, 11.0]")
scatter_nd_sub = _scatter_points("sub", "are subtracted from", "[6.0, 1.0]")
scatter_nd_mul = _scatter_points("mul", "multiply", "[6.0, 36.0]")
scatter_nd_div = _scatter_points("div", "divide", "[6.0, 1.0]")
scatter_nd_max = _scatter_points("max", "that are larger replace", "[6.0, 6.0]")
scatter_nd_min = _scatter_points("min", "that are smaller replace", "[6.0, 2.0]")


@composite
def assign(variable: Any, value: Any) -> Any:
    """Write a value, broadcast and converted, into a Parameter or tensor; gives what was written to.

    Raises:
        OpTypeError: `variable` is no tensor, or of a type that does not hold the value.
        OpValueError: the value does not fit.
    Gradient:
        a Parameter stays a leaf: none to the value. Of another tensor that of `copy_`.
    Example:
        >>> assign(Parameter(Tensor([1., 2.])), Tensor([3., 4.])).tolist()
        [3.0, 4.0]
    """
    _check_target("assign", variable, "variable")
    if not _is_of_parameter(variable):
        return copy_to(variable, value)
    slots.assign(variable, value)
    return variable


def _computed_into(op: Op, in_python: Callable) -> Callable[[], Callable]:
    """Gives the function that computes an operator of a Parameter or tensor and a value, and writes it there."""

    def function(variable: Tensor, value: Any) -> Tensor:
        if not _is_of_parameter(variable):
            return copy_to(variable, in_python(variable, value))
        new = in_python(stop_gradient(variable), value)
        if _has_gradient(value):
            return _changed(variable, new)
        slots.assign(variable, new)
        return variable

    return functools.cache(lambda: slots.native_change(op, function, untaped=UNTAPED_TO_PARAMETERS))


_add_to, _sub_to = _computed_into(add, operator.add), _computed_into(sub, operator.sub)


@composite
def assign_add(variable: Any, value: Any) -> Any:
    """Add a value to a Parameter or tensor, in place.

    Returns:
        the sum, in the memory of `variable`: that itself, but where a value with a gradient is added to a Parameter.
    Raises:
        OpTypeError: `variable` is no tensor, or of a type that does not hold the sum.
        OpValueError: the value does not fit.
    Gradient:
        of the sum, g to `variable` and g to `value`. A Parameter is a leaf: it knows nothing of the value. What is written
        to it later changes what the sum shows, and not its gradient.
    Example:
        >>> assign_add(Parameter(Tensor([1., 2.])), 1).tolist()
        [2.0, 3.0]
    """
    _check_target("assign_add", variable, "variable")
    return _add_to()(variable, value)


@composite
def assign_sub(variable: Any, value: Any) -> Any:
    """Subtract a value from a Parameter or tensor, in place.

    Returns:
        the difference, in the memory of `variable`: that itself, but where a value with a gradient is subtracted from a
        Parameter.
    Raises:
        OpTypeError: `variable` is no tensor, or of a type that does not hold the difference.
        OpValueError: the value does not fit.
    Gradient:
        of the difference, g to `variable` and -g to `value`. A Parameter is a leaf: it knows nothing of the value. What is
        written to it later changes what the difference shows, and not its gradient.
    Example:
        >>> assign_sub(Parameter(Tensor([1., 2.])), 1).tolist()
        [0.0, 1.0]
    """
    _check_target("assign_sub", variable, "variable")
    return _sub_to()(variable, value)


# -- along an axis ----------------------------------------------------------------------------------------------------


@composite
def index_add(x: Any, indices: Tensor, y: Any, axis, use_lock: bool = True, check_index_bound: bool = True) -> Tensor:
    """Add parts of `y` to the parts of `x` along an axis that indices name.

    Gives a changed copy. A Parameter takes the values of the copy as well, as an effect that the tape does not see.

    Args:
        x: Parameter or tensor.
        indices: integer tensor (m,) of indices in [-n, n).
        y: tensor of the shape of `x`, but with the length m along `axis`.
        axis: the axis of length n.
        use_lock, check_index_bound: accepted for MindSpore programs; indices are always checked.
    Raises:
        OpTypeError: the indices are no integers.
        OpValueError: the shapes do not fit, or `axis` is out of range.
        OpIndexError: an index is out of range; nothing was changed.
    Gradient:
        g to `x`; to `y`, what g holds at the places.
    Example:
        >>> index_add(zeros((2, 2)), Tensor([1, 1]), ones((2, 2)), 0).tolist()
        [[0.0, 0.0], [2.0, 2.0]]
    """
    result = add_parts(add_at, x, indices, y, axis)
    if isinstance(x, Parameter):
        with as_effect(x):
            copy_to(x, result)
    return result


@composite
def inplace_index_add(var: Tensor, indices: Tensor, updates: Any, axis) -> Tensor:
    """Add parts of `updates` to the parts of a tensor along an axis that indices name, in place.

    Args:
        var: Parameter or tensor, which is given back.
        indices: integer tensor (m,) of indices in [-n, n).
        updates: tensor of the shape of `var`, but with the length m along `axis`.
        axis: the axis of length n.
    Raises:
        OpTypeError: the indices are no integers.
        OpValueError: the shapes do not fit, or `axis` is out of range.
        OpIndexError: an index is out of range; nothing was changed.
    Gradient:
        g to `var`; to `updates`, what g holds at the places.
    Example:
        >>> inplace_index_add(zeros((2, 2)), Tensor([1, 1]), ones((2, 2)), 0).tolist()
        [[0.0, 0.0], [2.0, 2.0]]
    """
    return add_parts(add_at_, var, indices, updates, axis)


def add_parts(add: Op, x: Tensor, indices: Tensor, y: Any, axis: Any) -> Tensor:
    """Add parts along an axis with `add_at` or `add_at_`."""
    axis = normalize_axis("index_add", axis, x.ndim)
    wanted = (*x.shape[:axis], indices.size, *x.shape[axis + 1 :])
    if indices.ndim != 1 or (isinstance(y, Tensor) and y.shape != wanted):
        raise OpValueError(
            f"index_add: `y` must have the shape {wanted} for {indices.shape} indices along axis {axis}, but has "
            f"{getattr(y, 'shape', ())}",
            arg="y",
        )
    return add(x, (indices,), y, form=_along(axis))


@composite
def index_fill(x: Tensor, axis, index: Tensor, value: Any) -> Tensor:
    """A copy in which the parts along an axis that indices name hold one value.

    Args:
        x: tensor.
        axis: the axis of length n.
        index: integer tensor, 0-d or 1-d, of indices in [-n, n).
        value: a number, or a 0-d tensor.
    Raises:
        OpTypeError: the indices are no integers.
        OpValueError: `axis` is out of range, `index` has several axes, or `value` several elements.
        OpIndexError: an index is out of range.
    Example:
        >>> index_fill(zeros((2, 3)), 1, Tensor([0, 2]), 5).tolist()
        [[5.0, 0.0, 5.0], [5.0, 0.0, 5.0]]
    """
    axis = normalize_axis("index_fill", axis, x.ndim)
    if not isinstance(index, Tensor):
        index = Tensor(index)
    if index.ndim > 1:
        raise OpValueError(f"index_fill needs a 1-d tensor of indices, but got the shape {index.shape}", arg="index")
    if isinstance(value, Tensor):
        if value.size != 1:
            raise OpValueError(f"index_fill needs one element for `value`, but got {value.shape}", arg="value")
        value = reshape(value, ())
    return set_at(x, (reshape(index, (index.size,)),), value, form=_along(axis))


@composite
def index_put(input: Tensor, indices: Any, values: Any, accumulate: bool = False) -> Tensor:
    """A copy in which the places `input[indices]` hold values.

    Args:
        input: tensor.
        indices: integer tensors for the first axes, whose shapes broadcast.
        values: tensor or number, broadcast to the shape of `input[indices]`.
        accumulate: add the values instead.
    Example:
        >>> index_put(zeros(3), (Tensor([0, 0]),), Tensor([1., 2.]), True).tolist()
        [3.0, 0.0, 0.0]
    """
    return _index_put(set_at, add_at, input, indices, values, accumulate)


def _index_put(put: Op, add: Op, input: Tensor, indices: Any, values: Any, accumulate: bool) -> Tensor:
    indices = tuple(i if isinstance(i, Tensor) else Tensor(i) for i in indices)
    if not 0 < len(indices) <= input.ndim:
        raise OpValueError(
            f"index_put needs indices for one to {input.ndim} axes, but got {len(indices)}", arg="indices"
        )
    axes = tuple(range(len(indices)))
    return (add if accumulate else put)(input, indices, values, form=("arrays", axes, 0, axes))


# -- segments ---------------------------------------------------------------------------------------------------------


def _segments(how: str, verb: str, empty: str, example: str) -> Callable[[Tensor, Tensor, Any], Tensor]:
    """The function that combines all parts of a tensor which have the same number."""
    change: Op = getattr(places, f"{how}_at")
    name = {"add": "sum", "mul": "prod"}.get(how, how)

    @composite
    def function(input_x: Tensor, segment_ids: Tensor, num_segments: Any) -> Tensor:
        [count] = lengths(function.__name__, num_segments, "num_segments")
        lead = segment_ids.ndim
        if segment_ids.shape != input_x.shape[:lead] or not lead:
            raise OpValueError(
                f"{function.__name__}: `segment_ids` of shape {segment_ids.shape} do not number the first axes of a tensor "
                f"of shape {input_x.shape}",
                arg="segment_ids",
            )
        # Negative numbers mean no segment: what they name goes to one more, which is cut off.
        numbers = where(segment_ids < 0, count, segment_ids)
        shape = (count + 1, *input_x.shape[lead:])
        if how == "add":
            found = sum_at(input_x, (numbers,), form=_along(0), shape=shape)
        else:
            found = change(
                full(shape, _neutral(how, input_x.dtype), input_x.dtype), (numbers,), input_x, form=_along(0)
            )
        return index_view(found, ((0, count, 1), *map(whole, shape[1:])))

    function.__name__ = function.__qualname__ = f"unsorted_segment_{name}"
    function.__doc__ = f"""For each number, {verb} of the parts of a tensor that have it.

    Args:
        input_x: tensor (i…, p…).
        segment_ids: integer tensor (i…) of numbers below `num_segments`; parts with negative numbers are left out.
        num_segments: how many numbers there are.
    Returns:
        tensor (num_segments, p…); {empty} for a number that no part has.
    Raises:
        OpTypeError: the numbers are no integers.
        OpValueError: the shapes do not fit.
        OpIndexError: a number is too large.
    Example:
        >>> unsorted_segment_{name}(Tensor([1., 2., 3.]), Tensor([0, 1, 0]), 2).tolist()
        {example}
    """
    return function


def _neutral(how: str, dtype: DType) -> float:
    """What changes nothing when it is combined."""
    if how == "mul":
        return 1
    if dtype.is_float:
        largest = float(np.finfo(np.float32).max) if dtype is bfloat16 else float(np.finfo(dtype.numpy).max)
        return -largest if how == "max" else largest
    bounds = np.iinfo(dtype.numpy)
    return int(bounds.min if how == "max" else bounds.max)


unsorted_segment_sum = _segments("add", "the sum", "zero", "[4.0, 2.0]")
unsorted_segment_prod = _segments("mul", "the product", "one", "[3.0, 2.0]")
unsorted_segment_max = _segments("max", "the largest", "the smallest finite number", "[3.0, 2.0]")
unsorted_segment_min = _segments("min", "the smallest", "the largest finite number", "[1.0, 2.0]")


# -- parts ------------------------------------------------------------------------------------------------------------


def _with_part(input: Tensor, src: Any, items: tuple) -> Tensor:
    """A copy in which a part, given by items of `index_view`, holds other values."""
    if not isinstance(src, Tensor):
        src = Tensor(src, input.dtype)
    return write_back(input, converted(src, input.dtype), (("index_view", (("items", items),)),))


@composite
def select_scatter(input: Tensor, src: Tensor, axis, index) -> Tensor:
    """A copy in which `src` stands at an index of an axis.

    Example:
        >>> select_scatter(zeros((2, 2)), Tensor([1., 2.]), 0, 1).tolist()
        [[0.0, 0.0], [1.0, 2.0]]
    """
    axis = normalize_axis("select_scatter", axis, input.ndim)
    n = input.shape[axis] if input.ndim else 0
    index = integer("select_scatter", index, "index")
    if not -n <= index < n:
        raise OpValueError(f"select_scatter: index {index} is out of range for axis {axis} of length {n}", arg="index")
    wanted = (*input.shape[:axis], *input.shape[axis + 1 :])
    if src.shape != wanted:
        raise OpValueError(f"select_scatter needs the shape {wanted} for `src`, but got {src.shape}", arg="src")
    return _with_part(input, src, (*map(whole, input.shape[:axis]), index % n))


@composite
def slice_scatter(input: Tensor, src: Tensor, axis=0, start=None, end=None, step=1) -> Tensor:
    """A copy in which `src` stands at a slice of an axis.

    Example:
        >>> slice_scatter(zeros(4), Tensor([1., 2.]), 0, 0, 4, 2).tolist()
        [1.0, 0.0, 2.0, 0.0]
    """
    axis = normalize_axis("slice_scatter", axis, input.ndim)
    n = input.shape[axis] if input.ndim else 0
    if step is None:
        step = 1
    if step < 1:
        raise OpValueError(f"slice_scatter: `step` must be positive, but got {step}", arg="step")
    first, last, step = builtins.slice(start, end, step).indices(n)
    count = len(range(first, last, step))
    wanted = (*input.shape[:axis], count, *input.shape[axis + 1 :])
    if src.shape != wanted:
        raise OpValueError(f"slice_scatter needs the shape {wanted} for `src`, but got {src.shape}", arg="src")
    return _with_part(input, src, (*map(whole, input.shape[:axis]), (first, count, step)))


@composite
def diagonal_scatter(input: Tensor, src: Tensor, offset=0, dim1=0, dim2=1) -> Tensor:
    """A copy in which `src` stands on a diagonal, see `diagonal`.

    Example:
        >>> diagonal_scatter(zeros((2, 2)), Tensor([1., 2.])).tolist()
        [[1.0, 0.0], [0.0, 2.0]]
    """

    wanted = diagonal(stop_gradient(input), offset, dim1, dim2).shape
    if src.shape != wanted:
        raise OpValueError(f"diagonal_scatter needs the shape {wanted} for `src`, but got {src.shape}", arg="src")
    axes = (normalize_axis("diagonal_scatter", dim, input.ndim) for dim in (dim1, dim2))
    rows, columns = axes
    path = (("diagonal", (("offset", offset), ("dim1", rows), ("dim2", columns))),)
    return write_back(input, converted(src, input.dtype), path)
