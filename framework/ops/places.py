"""Operators on the places that indices name in a tensor; all indexing, gathering and scattering is made of them.

    take_at(x, indices)             what lies there; `pick` is the same for one index tensor
    last_at(x, indices)             the same, but zero for an index that a later one repeats
    sum_at(values, indices)         zeros of a shape, with the values added there
    set_at(x, indices, values)      x with the values put there; add_at, sub_at, mul_at, div_at, max_at, min_at alike
    set_at_(x, indices, values)     the same in the memory of x

`form` says what the indices mean, see `kernel.indexing.places`. Seen as linear maps, take and sum are transposes of each
other, and so are last and set: that gives their gradients.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anfora.core.abstract import TensorType
from anfora.core.dtype import DType
from anfora.core.errors import OpIndexError, OpTypeError, OpValueError
from anfora.core.op import Op, op, pass_gradient, registry
from anfora.core.tensor import Tensor, Tensors
from anfora.kernel.indexing import plan_put, plan_take, plan_take_last
from anfora.kernel.loops import plan_copy, plan_fill
from anfora.kernel.plan import Buffer, Planner
from anfora.ops.copying import cast, copy, copy_to
from anfora.ops.creation import arange, zeros_of
from anfora.ops.families import aligned, later, linear, spread
from anfora.ops.shape import broadcast_to, moveaxis, reshape

__all__ = [
    "add_at", "add_at_", "div_at", "div_at_", "last_at", "max_at", "max_at_", "min_at", "min_at_", "mul_at", "mul_at_",
    "out_of_range", "pick", "result_shape", "set_at", "set_at_", "sub_at", "sub_at_", "sum_at", "take_at",
]  # fmt: skip


def result_shape(name: str, shape: tuple[int, ...], indices: Any, form: tuple) -> tuple[int, ...]:
    """The shape of what indices take from a tensor of a shape."""
    for index in indices:
        if not index.dtype.is_integer:
            raise OpTypeError(
                f"{name} needs integers as indices, but got {index!r}",
                arg="indices",
                help="convert them first, e.g. index.astype(int64).",
            )
    if form[0] == "along":
        along = indices[0].shape
        if len(along) != len(shape) or any(n > m for a, (n, m) in enumerate(zip(along, shape)) if a != form[1]):
            raise OpValueError(
                f"{name}: indices of shape {list(along)} along axis {form[1]} do not fit a tensor of shape {list(shape)}",
                arg="indices",
            )
        return along
    if form[0] == "points":
        *batch, depth = indices[0].shape
        if depth > len(shape):
            raise OpValueError(
                f"{name}: the indices have {depth} coordinates, but the tensor has {len(shape)} axes", arg="indices"
            )
        return (*batch, *shape[depth:])
    _, axes, position, _ = form
    try:
        batch = np.broadcast_shapes(*(index.shape for index in indices))
    except ValueError:
        shapes = " ".join(str(list(index.shape)) for index in indices)
        raise OpIndexError(f"{name}: the indices cannot be broadcast to one shape: {shapes}", arg="indices") from None
    rest = [n for a, n in enumerate(shape) if a not in axes]
    return (*rest[:position], *batch, *rest[position:])


def out_of_range(position: int, shape: tuple[int, ...], indices: list, form: tuple) -> OpIndexError:
    """The error for a kernel's failure."""
    if form[0] == "arrays":
        place, which = divmod(position, len(indices))
        index, axis, name = indices[which], form[1][which], form[3][which]
        index = np.broadcast_to(index, np.broadcast_shapes(*(i.shape for i in indices)))
    else:
        index, place = indices[0], position
        axis = name = form[1] if form[0] == "along" else position % index.shape[-1]
    value = index.reshape(-1)[place]
    where = [int(i) for i in np.unravel_index(place, index.shape)]
    at = f", at {where} of the indices" if index.ndim else ""
    length = shape[axis] if shape else 1
    return OpIndexError(f"index {value} is out of bounds for axis {name} with length {length}{at}", arg="indices")


# -- take -------------------------------------------------------------------------------------------------------------


@op
def take_at(input: Tensor, indices: Tensors, form):
    """What lies at the places of indices."""


@take_at.infer
def _(input, indices, *, form):
    return TensorType(input.dtype, result_shape("take_at", input.shape, indices, form))


@take_at.kernel
def _(p: Planner, input: Buffer, indices: list[Buffer], out: Buffer, *, form):
    plan_take(p, form, indices, input, out)


@take_at.fault
def _(position, input, indices, *, form):
    return out_of_range(position, input.shape, indices, form)


@take_at.vjp("input")
def _(indices, input_type, *, form, g):
    return sum_at(g, indices, form=form, shape=input_type.shape)


linear(take_at, "input")


@take_at.batch
def _(batched, input, indices, *, form):
    if any(batched[1]):
        return _taken(take_at, batched, input, indices, form)
    if form[0] == "along":
        [index] = spread((False,), indices, input.shape[0])
        return take_at(input, (index,), form=("along", form[1] + 1))
    if form[0] == "points":
        return moveaxis(take_at(moveaxis(input, 0, -1), indices, form=form), -1, 0)
    _, axes, position, names = form
    return take_at(input, indices, form=("arrays", later(axes), position + 1, names))


def _taken(take: Op, batched: Any, input: Tensor, indices: Any, form: tuple) -> Tensor:
    """`take` for all examples, whose indices may differ."""
    count = _count((batched[0], *batched[1]), (input, *indices))
    [input] = spread(batched[:1], (input,), count)
    indices, form, move = _numbered(count, batched[1], indices, form)
    found = take(input, indices, form=form)
    return found if move is None else moveaxis(found, *reversed(move))


def _count(batched: Any, arguments: Any) -> int:
    return next(x.shape[0] for x, is_batched in zip(arguments, batched) if is_batched)


def _numbered(count: int, batched: Any, indices: Any, form: tuple) -> tuple[tuple, tuple, tuple | None]:
    """Indices into tensors that all have the batch axis: the number of an example becomes a coordinate.

    Returns:
        the indices, their form, and the move of axes, (from, to), that brings values from where an example has them to
        where the form has them: there the axes of the indices come first.
    """
    if form[0] == "along":
        return tuple(spread(batched, indices, count)), ("along", form[1] + 1), None
    if form[0] == "points":
        [points] = spread(batched, indices, count)
        numbers = reshape(arange(count), (count, *(1,) * (points.ndim - 1)))
        numbers = broadcast_to(numbers, (*points.shape[:-1], 1))
        return (registry["concat"]((numbers, cast(points, numbers.dtype)), -1),), form, None
    _, axes, position, names = form
    rank = max(x.ndim - is_batched for x, is_batched in zip(indices, batched))
    numbers = reshape(arange(count), (count, *(1,) * rank))
    move = tuple(range(1, 1 + position)), tuple(range(1 + rank, 1 + rank + position))
    form = ("arrays", (0, *later(axes)), 0, (0, *names))
    return (numbers, *aligned(batched, indices)), form, move if position and rank else None


@op
def pick(input: Tensor, index: Tensor, kind, axis=0):
    """What lies at the places of one index tensor; its arguments are plain, so that calls are native.

    `kind` is "parts" (whole parts along an axis), "along" (element by element along an axis) or "points".
    """


def form_of(kind: str, axis: int) -> tuple:
    """The form that `pick` means."""
    return ("arrays", (axis,), axis, (axis,)) if kind == "parts" else (kind, axis) if kind == "along" else (kind,)


#: What the program has called, or something that is made of it.
_PUBLIC = {"parts": "gather", "along": "gather_elements", "points": "gather_nd"}


@pick.infer
def _(input, index, *, kind, axis):
    name = _PUBLIC[kind]
    return TensorType(input.dtype, result_shape(name, input.shape, (index,), form_of(kind, axis)))


@pick.kernel
def _(p: Planner, input: Buffer, index: Buffer, out: Buffer, *, kind, axis):
    plan_take(p, form_of(kind, axis), [index], input, out)


@pick.fault
def _(position, input, index, *, kind, axis):
    return out_of_range(position, input.shape, [index], form_of(kind, axis))


@pick.vjp("input")
def _(index, input_type, *, kind, axis, g):
    return sum_at(g, (index,), form=form_of(kind, axis), shape=input_type.shape)


linear(pick, "input")


@pick.batch
def _(batched, input, index, *, kind, axis):
    return take_at.batch_rule((batched[0], (batched[1],)), input, (index,), form=form_of(kind, axis))


@op
def last_at(input: Tensor, indices: Tensors, form):
    """What lies at the places of indices, but zero for an index that a later one repeats."""


@last_at.infer
def _(input, indices, *, form):
    return TensorType(input.dtype, result_shape("last_at", input.shape, indices, form))


@last_at.kernel
def _(p: Planner, input: Buffer, indices: list[Buffer], out: Buffer, *, form):
    plan_take_last(p, form, indices, input, out)


@last_at.fault
def _(position, input, indices, *, form):
    return out_of_range(position, input.shape, indices, form)


@last_at.vjp("input")
def _(indices, input_type, *, form, g):
    return set_at(zeros_of(input_type), indices, g, form=form)


linear(last_at, "input")


@last_at.batch
def _(batched, input, indices, *, form):
    return _taken(last_at, batched, input, indices, form)


# -- put --------------------------------------------------------------------------------------------------------------


@op
def sum_at(values: Tensor, indices: Tensors, form, shape):
    """Zeros of a shape with the values added at the places of indices, in the order in which the indices stand."""


@sum_at.infer
def _(values, indices, *, form, shape):
    if values.shape != result_shape("sum_at", shape, indices, form):
        raise OpValueError(f"sum_at: {values!r} does not fit the indices into a tensor of shape {shape}", arg="values")
    return TensorType(values.dtype, shape)


@sum_at.kernel
def _(p: Planner, values: Buffer, indices: list[Buffer], out: Buffer, *, form, shape):
    plan_fill(p, out, 0)
    plan_put(p, "add", form, indices, values, out)


@sum_at.fault
def _(position, values, indices, *, form, shape):
    return out_of_range(position, shape, indices, form)


@sum_at.vjp("values")
def _(indices, *, form, g):
    return take_at(g, indices, form=form)


linear(sum_at, "values")


@sum_at.batch
def _(batched, values, indices, *, form, shape):
    count = _count((batched[0], *batched[1]), (values, *indices))
    [values] = spread(batched[:1], (values,), count)
    indices, form, move = _numbered(count, batched[1], indices, form)
    return sum_at(values if move is None else moveaxis(values, *move), indices, form=form, shape=(count, *shape))


def _combination(how: str, in_place: bool) -> Op:
    """The operator that combines values with what lies at the places, in a copy of the input or in its memory."""

    def function(input: Tensor, indices: Tensors, values: Tensor, form): ...

    function.__name__ = f"{how}_at_" if in_place else f"{how}_at"
    function.__doc__ = f"""The input in which the values are combined (`{how}`) with what lies at the places of indices{
        ", in place" if in_place else ""
    }. Several values for one place are combined in the order in which the indices stand."""
    made = op(function)

    @made.infer
    def infer(input: Any, indices: Any, values: Any, *, form: tuple) -> TensorType:
        target = result_shape(made.name, input.shape, indices, form)
        have = values.shape
        if len(have) > len(target) or any(n not in (1, want) for n, want in zip(have[::-1], target[::-1])):
            raise OpValueError(
                f"values of shape {list(have)} cannot be broadcast to the shape {list(target)} that the indices give",
                arg="values",
            )
        return input

    @made.scalars
    def scalars(input: Any, indices: Any, values: Any, *, form: tuple) -> DType:
        return input.dtype

    @made.kernel
    def kernel(p: Planner, input: Buffer, indices: list[Buffer], values: Buffer, out: Buffer, *, form: tuple) -> None:
        if not in_place:
            plan_copy(p, input, out)
        shape = result_shape(made.name, input.shape, indices, form)
        plan_put(p, how, form, indices, values.broadcast(shape), out)

    @made.fault
    def fault(position: int, input: Any, indices: list, values: Any, *, form: tuple) -> OpIndexError:
        return out_of_range(position, input.shape, indices, form)

    def batch(batched: Any, input: Tensor, indices: Any, values: Any, *, form: tuple) -> Tensor:
        count = _count((batched[0], *batched[1], batched[2]), (input, *indices, values))
        [input] = spread(batched[:1], (input,), count)
        if isinstance(values, Tensor):
            kinds = [TensorType(x.dtype, x.shape[is_batched:]) for x, is_batched in zip(indices, batched[1])]
            target = result_shape(made.name, input.shape[1:], kinds, form)
            if batched[2]:
                values = reshape(values, (count, *(1,) * (len(target) + 1 - values.ndim), *values.shape[1:]))
            values = broadcast_to(values, (count, *target))
        indices, form, move = _numbered(count, batched[1], indices, form)
        if move is not None and isinstance(values, Tensor):
            values = moveaxis(values, *move)
        return made(input, indices, values, form=form)

    if in_place:
        made.writes = "input"
    else:
        made.batch(batch)
    return made


set_at, set_at_ = (_combination("set", in_place) for in_place in (False, True))
add_at, add_at_ = (_combination("add", in_place) for in_place in (False, True))
sub_at, sub_at_ = (_combination("sub", in_place) for in_place in (False, True))
mul_at, div_at, max_at, min_at = (_combination(how, False) for how in ("mul", "div", "max", "min"))


def _written_back(change: Op) -> Callable[..., Tensor]:
    """The in-place form of an operator whose gradient needs what was there before: the tape keeps a copy of that, and the
    result is written back."""

    def function(input: Tensor, indices: Any, values: Any, form: tuple) -> Tensor:
        return copy_to(input, change(copy(input), indices, values, form=form))

    function.__name__ = function.__qualname__ = f"{change.name}_"
    function.__doc__ = f"`{change.name}` in the memory of the input, which is given back."
    return function


mul_at_, div_at_, max_at_, min_at_ = map(_written_back, (mul_at, div_at, max_at, min_at))


linear(set_at, ("input", "values"))
set_at_.jvp_rule = set_at.jvp_rule  # others may hold a tangent: it is not written to


for _op in (set_at, set_at_):

    @_op.vjp("input")
    def _(indices, *, form, g):
        return set_at(g, indices, 0, form=form)

    @_op.vjp("values")
    def _(indices, *, form, g):
        return last_at(g, indices, form=form)


for _op in (add_at, add_at_):
    _op.vjp("input")(pass_gradient)

    @_op.vjp("values")
    def _(indices, *, form, g):
        return take_at(g, indices, form=form)

    @_op.jvp
    def _(t_input, t_values, input_type, indices, *, form):
        if t_values is None:
            return t_input
        return add_at(zeros_of(input_type) if t_input is None else t_input, indices, t_values, form=form)


for _op in (sub_at, sub_at_):
    _op.vjp("input")(pass_gradient)

    @_op.vjp("values")
    def _(indices, *, form, g):
        return -take_at(g, indices, form=form)

    @_op.jvp
    def _(t_input, t_values, input_type, indices, *, form):
        if t_values is None:
            return t_input
        return sub_at(zeros_of(input_type) if t_input is None else t_input, indices, t_values, form=form)


@mul_at.vjp("input")
def _(indices, values, *, form, g):
    return mul_at(g, indices, values, form=form)


@mul_at.vjp("values")
def _(input, indices, values, *, form, g):
    """g · input · the product of the other values that came to the same place: zeros are counted, not divided by."""
    taken = take_at(g, indices, form=form)
    values = broadcast_to(values, taken.shape)
    is_zero = cast(values == 0, values.dtype)
    rest = values + is_zero
    zeros = take_at(sum_at(is_zero, indices, form=form, shape=input.shape), indices, form=form)
    product = take_at(mul_at(input, indices, rest, form=form), indices, form=form)
    return taken * product / rest * cast(zeros == is_zero, values.dtype)


@div_at.vjp("input")
def _(indices, values, *, form, g):
    return div_at(g, indices, values, form=form)


@div_at.vjp("values")
def _(indices, values, out, *, form, g):
    return -take_at(g * out, indices, form=form) / values


for _op in (max_at, min_at):

    @_op.vjp("input", "values")
    def _(input, indices, values, out, *, form, g):
        """Those that are equal to the result share its gradient."""
        won = take_at(out, indices, form=form)
        values_won = cast(won == values, g.dtype)
        input_won = cast(input == out, g.dtype)
        share = g / add_at(input_won, indices, values_won, form=form)
        return input_won * share, values_won * take_at(share, indices, form=form)
