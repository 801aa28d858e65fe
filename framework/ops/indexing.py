"""Indexing, `x[…]` and `x[…] = v`, and the functions that gather.

An index expression is taken apart into a basic part (integers, slices, None, ...), which is a view, and index arrays along
some axes of that view, which `places.take_at` and `set_at_` follow. Where the axes of the result stand is numpy's rule:
in place of the arrays if these (and integers, beside arrays) stand side by side, else in front.

A mask stands for the coordinates of its true elements. How many there are depends on data, so a mask is read when it is
used; only writing one value for each masked element, or one row, goes without.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from anfora.core import slots
from anfora.core.abstract import Layout, TensorType
from anfora.core.dtype import bfloat16, bool_, int64
from anfora.core.errors import OpIndexError, OpRuntimeError, OpTypeError, OpValueError
from anfora.core.op import op
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor, current, wrap
from anfora.kernel import bodies
from anfora.kernel.emit import Value
from anfora.kernel.glue import is_recording, state
from anfora.kernel.indexing import plan_put, plan_take
from anfora.kernel.loops import plan_copy, plan_elementwise, raw
from anfora.kernel.nonzero import plan_count, plan_positions, plan_put_set, plan_take_set
from anfora.kernel.plan import Buffer, Plan, Planner
from anfora.ops import layouts
from anfora.ops.composite import composite
from anfora.ops.copying import cast, copy, copy_to, stop_gradient
from anfora.ops.creation import arange, full, zeros_of
from anfora.ops.families import broadcast_shapes, elementwise, normalize_axis, type_of
from anfora.ops.places import out_of_range, pick, result_shape, set_at, set_at_, sum_at, take_at
from anfora.ops.scatter import as_effect
from anfora.ops.shape import broadcast_to, expand_dims, index_view, reshape, transpose, whole

__all__ = [
    "argwhere", "embedding", "gather", "gather_d", "gather_elements", "gather_nd", "index_select", "masked_select",
    "nonzero", "take",
]  # fmt: skip


# -- index expressions ------------------------------------------------------------------------------------------------


class Selection(NamedTuple):
    """An index expression, taken apart."""

    items: tuple  #: of `index_view`, for every axis
    arrays: tuple[Tensor, ...]  #: integer tensors that index axes of the view
    axes: tuple[int, ...]  #: those axes
    names: tuple[int, ...]  #: their numbers in the tensor, for messages
    position: int  #: how many other axes stand before those of the arrays

    @property
    def form(self) -> tuple:
        """What the arrays mean, for the operators of `places`."""
        return ("arrays", self.axes, self.position, self.names)

    def is_everything(self, shape: tuple[int, ...]) -> bool:
        """Whether the basic part takes the whole tensor."""
        return len(self.items) == len(shape) and all(item == whole(n) for item, n in zip(self.items, shape))


def select(shape: tuple[int, ...], key: Any, coordinates: Callable[[Tensor], Sequence[Tensor]]) -> Selection:
    """Take an index expression for a tensor of a shape apart.

    Args:
        shape: of the tensor.
        key: what stands between the brackets.
        coordinates: gives the coordinates of the true elements of a mask, one tensor for each axis.
    """
    entries = [_entry(item) for item in (key if isinstance(key, tuple) else (key,))]
    _spread_ellipsis(entries, shape)
    items: list[Any] = []
    arrays: list[Tensor] = []
    axes: list[int] = []
    names: list[int] = []
    axis = 0  # of the tensor
    others = 0  # axes of the view that no array indexes
    position, gap, follows = None, False, False
    has_arrays = any(isinstance(entry, Tensor) for entry in entries)
    for entry in entries:
        is_advanced = isinstance(entry, Tensor) or (has_arrays and isinstance(entry, int))
        if is_advanced:
            if position is None:
                position = others
            elif not follows:
                gap = True
        follows = is_advanced
        if entry is None:
            items.append(None)
            others += 1
        elif entry is ...:
            continue
        elif isinstance(entry, int):
            items.append(_single(entry, axis, shape[axis]))
            axis += 1
        elif isinstance(entry, slice):
            items.append(_part(entry, shape[axis]))
            axis += 1
            others += 1
        else:
            view_axis = others + len(axes)
            if entry.dtype is not bool_:
                found, width = [entry], 1
            else:
                _check_mask(entry, shape, axis)
                width = entry.ndim
                found = coordinates(entry) if width else [full((int(entry),), 0, int64)]
            items += [whole(n) for n in shape[axis : axis + width]] or [None]
            arrays += found
            axes += range(view_axis, view_axis + len(found))
            names += range(axis, axis + len(found))
            axis += width
    return Selection(tuple(items), tuple(arrays), tuple(axes), tuple(names), 0 if gap or position is None else position)


def _entry(item: Any) -> Any:
    """An item of an index expression as None, ..., an int, a slice, or an integer or bool tensor."""
    if item is None or item is ... or isinstance(item, slice):
        return item
    if isinstance(item, (bool, np.bool_)):
        return Tensor(bool(item))
    if isinstance(item, int):
        return int(item)
    if isinstance(item, Tensor):
        found = item
    elif isinstance(item, (list, tuple, range, np.ndarray)):
        found = Tensor(list(item) if isinstance(item, range) else item)
        if not found.size and not isinstance(item, np.ndarray):
            found = cast(found, int64)  # an empty list
    elif hasattr(item, "__index__"):
        return item.__index__()
    else:
        raise OpIndexError(
            f"a tensor is indexed by integers, slices, None, ..., and integer or bool tensors, but got {item!r:.60}",
            arg="key",
        )
    if not (found.dtype.is_integer or found.dtype.is_bool):
        raise OpIndexError(
            f"tensors that index must be of integers or bool, but got {found.dtype}",
            arg="key",
            help="convert it first, e.g. index.astype(int64).",
        )
    return found


def _spread_ellipsis(entries: list, shape: tuple[int, ...]) -> None:
    """Put full slices after the ellipsis, or at the end, so that every axis has an item."""

    def taken(entry: Any) -> int:
        if entry is None or entry is ...:
            return 0
        return entry.ndim if isinstance(entry, Tensor) and entry.dtype is bool_ else 1

    used = sum(map(taken, entries))
    if used > len(shape):
        raise OpIndexError(f"too many indices: the tensor has {len(shape)} axes, but {used} were indexed", arg="key")
    dots = [i for i, entry in enumerate(entries) if entry is ...]
    if len(dots) > 1:
        raise OpIndexError("an index can have one ellipsis ('...') only", arg="key")
    at = dots[0] + 1 if dots else len(entries)
    entries[at:at] = [slice(None)] * (len(shape) - used)


def _single(index: int, axis: int, length: int) -> int:
    if not -length <= index < length:
        raise OpIndexError(f"index {index} is out of bounds for axis {axis} with length {length}", arg="key")
    return index % length


def _part(item: slice, length: int) -> tuple[int, int, int]:
    try:
        start, stop, step = item.indices(length)
    except (TypeError, ValueError) as error:
        raise (OpTypeError if isinstance(error, TypeError) else OpValueError)(str(error), arg="key") from None
    return start, len(range(start, stop, step)), step


def _check_mask(mask: Tensor, shape: tuple[int, ...], axis: int) -> None:
    for i, n in enumerate(mask.shape):
        if shape[axis + i] != n:
            raise OpIndexError(
                f"a mask must have the lengths of the axes that it indexes: axis {axis + i} has length "
                f"{shape[axis + i]}, but the mask has {n}",
                arg="key",
            )


# -- reading ----------------------------------------------------------------------------------------------------------


def getitem(x: Tensor, key: Any) -> Tensor:
    """`x[key]`: numpy's indexing.

    Integers, slices, None and ... give a view. Integer tensors (arrays, lists) and masks give a copy.

    Raises:
        OpIndexError: an index is out of range, there are too many, or one is of a type that cannot index.
    Gradient:
        zeros, with g added where the elements came from.
    Example:
        >>> x = Tensor([[1, 2, 3], [4, 5, 6]])
        >>> x[1, ::-1].tolist(), x[:, [0, 2]].tolist(), x[x > 4].tolist()
        ([6, 5, 4], [[1, 3], [4, 6]], [5, 6])
    """
    quick = _quick_key(key)
    if quick is not None:
        shape = x._layout.shape
        function = _views.get((shape, quick))
        if function is not None:
            return function(x)
        if key.__class__ is int and not -_FEW <= key < _FEW and shape and -shape[0] <= key < shape[0]:
            found = _row(x, key)
            if found is not None:
                return found
    elif key.__class__ is Tensor and x._layout.shape:
        if key._layout.dtype.is_integer:
            return pick(x, key, "parts")
        found = _masked(x, key)
        if found is not None:
            return found
    return _getitem(x, key, quick)


@composite
def _getitem(x: Tensor, key: Any, quick: Any) -> Tensor:
    x, key = _flattened(x, key)
    selection = select(x.shape, key, true_coordinates)
    if selection.arrays:
        view = x if selection.is_everything(x.shape) else index_view(x, selection.items)
        return take_at(view, selection.arrays, form=selection.form)
    if quick is None:
        return index_view(x, selection.items)
    return _learn((x.shape, quick), selection.items)(x)


def _flattened(x: Tensor, key: Any) -> tuple[Tensor, Any]:
    """The tensor and a mask for its first axes with these as one axis, where memory allows: then one index does for an
    element instead of one for each axis."""
    if not isinstance(key, Tensor) or key.dtype is not bool_ or not 1 < key.ndim <= x.ndim:
        return x, key
    if key.shape != x.shape[: key.ndim] or not x.is_contiguous() or not key.is_contiguous():
        return x, key
    return reshape(x, (key.size, *x.shape[key.ndim :])), reshape(key, (key.size,))


def _row(x: Tensor, index: int) -> Tensor | None:
    """`x[index]` of a tensor that nobody records, without planning: loops over rows come here with ever new numbers."""
    if state[1] or x.__class__ not in _PLAIN or (x._node is not None and is_recording()):
        return None
    base = x._base
    if base is None:
        base = x
    elif x._epoch is not base._epoch:
        current(x)
    layout = x._layout
    found = _rows.get(layout)
    if found is None:
        if len(_rows) >= _MOST_VIEWS:
            _rows.clear()
        rest = tuple(map(whole, layout.shape[1:]))
        found = _rows[layout] = layouts.index(layout, (0, *rest))[0], rest
    row, rest = found
    view = wrap(x._array[index, ...], row)
    view._base, view._epoch = base, base._epoch
    view._path = (*x._path, (index_view, {"items": (index % layout.shape[0], *rest)}))
    return view


def _masked(x: Tensor, mask: Tensor) -> Tensor | None:
    """`x[mask]` of a small tensor that nobody records, by numpy: how many elements are taken is known when they are, and
    for each number there would be other operators."""
    layout = mask._layout
    shape = layout.shape
    if state[1] or x.__class__ not in _PLAIN or (x._node is not None and is_recording()):
        return None
    if layout.dtype is not bool_ or not 0 < layout.size <= _SMALL or current(x)._layout.shape[: len(shape)] != shape:
        return None
    found = np.ascontiguousarray(x._array[current(mask)._array])
    return wrap(found, TensorType(x._layout.dtype, found.shape).contiguous)


def some_of(x: Tensor, places: Tensor, count: int, axis: int) -> Tensor:
    """What lies along an axis at the first `count` of places that are in range; as `_masked` where the tensor is small."""
    is_followed = x._node is not None and is_recording()
    if state[1] or x.__class__ not in _PLAIN or is_followed or not 0 < x._layout.size <= _SMALL:
        return pick(x, index_view(places, ((0, count, 1),)), "parts", axis)
    found = np.ascontiguousarray(current(x)._array.take(places._array[:count], axis))
    return wrap(found, TensorType(x._layout.dtype, found.shape).contiguous)


_SMALL = 4096  #: elements of a mask, or of what is taken from


def neighbours(x: Tensor, lead: tuple, items: Sequence[Any]) -> tuple[Tensor, ...] | None:
    """The views that items of `index_view`, behind those of `lead`, name along an axis, without planning: for many, of a
    tensor that nobody records. An item is an index, or (start, count, 1)."""
    if state[1] or x.__class__ not in _PLAIN or (x._node is not None and is_recording()):
        return None
    current(x)
    base = x if x._base is None else x._base
    known: dict[int, Layout] = {}
    before = (slice(None),) * len(lead)
    array, layout, epoch, path, views = x._array, x._layout, base._epoch, x._path, []
    for item in items:
        count = 0 if item.__class__ is int else item[1]
        found = known.get(count)
        if found is None:
            found = known[count] = layouts.index(layout, (*lead, item))[0]
        part = slice(item[0], item[0] + count) if count else item
        if part.__class__ is tuple:  # of no element
            return None
        view = wrap(array[(*before, part, ...)], found)
        view._base, view._epoch = base, epoch
        view._path = (*path, (index_view, {"items": (*lead, item)}))
        views.append(view)
    return tuple(views)


_FEW = 64  #: integers below are taken natively when they come again
_PLAIN = (Tensor, Parameter)
_rows: dict[Layout, tuple[Layout, tuple]] = {}  #: by layout, that of a row, and the items for its axes
_views: dict[tuple, Any] = {}
_seen: set[tuple] = set()
_MOST_VIEWS = 1024


def _learn(key: tuple, items: tuple) -> Callable[[Tensor], Tensor]:
    """A function that takes the view. One that comes a second time is made native, and kept."""
    if key in _seen:
        if len(_views) >= _MOST_VIEWS:
            _views.clear()
        function = _views[key] = slots.bound(index_view, items=items)
        return function
    if len(_seen) >= 16 * _MOST_VIEWS:
        _seen.clear()
    _seen.add(key)
    return lambda x: index_view(x, items)


def _quick_key(key: Any) -> Any:
    """A basic index of integers and slices as something that can be looked up; None for others."""
    kind = type(key)  # not its `__class__`: numbers that say where they come from are no keys
    if kind is int:
        return key
    if kind is slice:
        return _quick_slice(key)
    if kind is tuple:
        parts: list[Any] = [tuple]
        for item in key:
            kind = type(item)
            if kind is int or item is None or item is ...:
                parts.append(item)
            elif kind is slice:
                part = _quick_slice(item)
                if part is None:
                    return None
                parts.append(part)
            else:
                return None
        return tuple(parts)
    return None


def _quick_slice(item: slice) -> tuple | None:
    start, stop, step = item.start, item.stop, item.step
    for bound in (start, stop, step):
        if bound is not None and type(bound) is not int:
            return None
    return start, stop, step


# -- writing ----------------------------------------------------------------------------------------------------------


@composite
def setitem(x: Tensor, key: Any, value: Any) -> None:
    """`x[key] = value`: write into the memory of x, where every view of it sees the change.

    The value is broadcast to the shape of `x[key]` and converted to the type of x. Where indices repeat, the last of
    their values stays. Nothing is written when an index is out of range.

    Raises:
        OpIndexError: as for reading.
        OpValueError: the value does not fit, or x cannot be written to.
        OpRuntimeError: x is a leaf that requires a gradient, and no Parameter.
    Gradient:
        to the old values of x zero where they are overwritten, to the value its part of g. Writing to a Parameter is an
        effect that the tape does not see, as `assign` is.
    Example:
        >>> x = Tensor([[1, 2, 3], [4, 5, 6]])
        >>> x[:, 0] = 0
        >>> x[x == 5] = Tensor(9)
        >>> x.tolist()
        [[0, 2, 3], [0, 9, 6]]
    """
    if not isinstance(value, (Tensor, int, float)):
        value = Tensor(value)
    if x.__class__ is Tensor and x._base is None and not state[1]:
        _write(x, key, value)
    else:  # perhaps a Parameter, or a view of one, or one in a later call
        with as_effect(x):
            _write(x, key, value)


def _write(x: Tensor, key: Any, value: Any) -> None:
    if _writes_where(x, key, value):
        mask = key if isinstance(key, Tensor) else Tensor(key)
        _check_mask(mask, x.shape, 0)
        write_where(
            x, mask if mask.ndim == x.ndim else reshape(mask, (*mask.shape, *[1] * (x.ndim - mask.ndim))), value
        )
        return
    quick = _quick_key(key)
    if quick is not None:
        view = getitem(x, key)
        copy_to(view, _fitted(value, view.shape))
        return
    x, key = _flattened(x, key)
    selection = select(x.shape, key, true_coordinates)
    view = x if selection.is_everything(x.shape) else index_view(x, selection.items)
    if not selection.arrays:
        copy_to(view, _fitted(value, view.shape))
        return
    shape = result_shape("x[…] = v", view.shape, selection.arrays, selection.form)
    set_at_(view, selection.arrays, _fitted(value, shape), form=selection.form)


def plan_set_item(
    layout: Layout, items: tuple, value: Layout, arrays: Sequence[Layout]
) -> tuple[Plan, tuple[Layout, int], tuple[tuple[int, int], ...]] | None:
    """What `x[items] = value` writes, in one program of x, the value, the tensors of the key and the part of x that is
    written: the plan, the part (with whole numbers 0) and its first byte, and for each whole number length and stride of
    its axis. None for a mask with a value for each of its elements.

    Args:
        items: the key, one that has been written through: of whole numbers, slices, None, ... and tensors.
    """
    entries = list(items)
    if any(x.dtype is bool_ for x in arrays):
        [mask], shape = arrays, layout.shape
        if len(items) > 1 or not 0 < mask.ndim <= len(shape) or value.ndim > len(shape) - mask.ndim:
            return None
        found = layouts.reshape(mask, (*mask.shape, *[1] * (len(shape) - mask.ndim)))
        if found is None:
            return None
        p = Planner((layout, value, mask), (layout,))
        given, out = Buffer.of(1, value), Buffer.of(3, layout)
        _plan_where(p, Buffer.of(2, found), given, out)
        return p.finish(), (layout, 0), ()
    if arrays and any(isinstance(item, int) for item in items):  # which are indices like the tensors
        return None
    _spread_ellipsis(entries, layout.shape)
    axes, axis = [], 0
    for place, entry in enumerate(entries):
        if isinstance(entry, int):
            axes.append((layout.shape[axis], layout.strides[axis]))
            entries[place] = 0
        axis += entry is not None and entry is not ...
    selection = select(layout.shape, tuple(entries), true_coordinates)
    part, offset = layouts.index(layout, selection.items)
    p = Planner((layout, value, *arrays), (part,))
    given, out = Buffer.of(1, value), Buffer.of(2 + len(arrays), part)
    shape = part.shape
    if arrays:
        shape = result_shape("x[…] = v", part.shape, arrays, selection.form)
    if given.ndim > len(shape):
        extra = given.ndim - len(shape)
        given = Buffer(1, given.dtype, given.shape[extra:], given.strides[extra:])
    if arrays:
        indices = [Buffer.of(2 + i, array) for i, array in enumerate(arrays)]
        plan_put(p, "set", selection.form, indices, given.broadcast(shape), out)
    else:
        plan_copy(p, given, out)
    return p.finish(), (part, offset), tuple(axes)


def _fitted(value: Any, shape: tuple[int, ...]) -> Any:
    """A value without the axes of length 1 that it has too many in front."""
    if not isinstance(value, Tensor) or value.ndim <= len(shape):
        return value
    extra = value.ndim - len(shape)
    return reshape(value, value.shape[extra:]) if value.shape[:extra] == (1,) * extra else value


def _writes_where(x: Tensor, key: Any, value: Any) -> bool:
    """Whether the key is a mask and the value does not depend on how many elements it takes."""
    if isinstance(key, Tensor):
        is_mask = key.dtype is bool_
    else:
        is_mask = isinstance(key, np.ndarray) and key.dtype == np.bool_
    if not is_mask or not 0 < key.ndim <= x.ndim:
        return False
    return not isinstance(value, Tensor) or value.ndim <= x.ndim - key.ndim


@op
def write_where(input: Tensor, mask: Tensor, value: Tensor):
    """Write `value`, broadcast and converted, where `mask`, of the shape of `input` or with axes of length 1, is true."""


write_where.writes = "input"


@write_where.infer
def _(input, mask, value):
    if broadcast_shapes(write_where, (input, mask, value)) != input.shape:
        raise OpValueError(f"a value of shape {list(value.shape)} does not fit into {input!r}", arg="value")
    return input


@write_where.scalars
def _(input, mask, value):
    return input.dtype


def _choose(mask: Value, new: Value, old: Value) -> Value:
    return bodies.select(mask, new, old)


@write_where.kernel
def _(p: Planner, input: Buffer, mask: Buffer, value: Buffer, out: Buffer):
    _plan_where(p, mask, value, out)


def _plan_where(p: Planner, mask: Buffer, value: Buffer, out: Buffer) -> None:
    if value.dtype is not out.dtype:
        converted = p.workspace(out.dtype, *value.shape)
        plan_copy(p, value, converted)
        value = converted
    value, out = raw(value), raw(out)
    plan_elementwise(p, _choose, [(mask, "i1"), (value, out.code), (out, out.code)], [(out, out.code)])


@write_where.vjp("input")
def _(mask, *, g):
    return drop_where(g, mask)


@write_where.vjp("value")
def _(mask, *, g):
    return keep_where(g, mask)


def _keep(x: Value, mask: Value) -> Value:
    return bodies.select(mask != 0, x, 0)


def _drop(x: Value, mask: Value) -> Value:
    return bodies.select(mask != 0, 0, x)


@elementwise(_keep, same=("input",))
def keep_where(input: Tensor, mask: Tensor):
    """The input where a mask is true, else zero."""


@keep_where.vjp("input")
def _(mask, *, g):
    return keep_where(g, mask)


@elementwise(_drop, same=("input",))
def drop_where(input: Tensor, mask: Tensor):
    """Zero where a mask is true, else the input."""


@drop_where.vjp("input")
def _(mask, *, g):
    return drop_where(g, mask)


def _need_whole_mask(name: str, input: Any, mask: Any) -> None:
    """Refuse a mask that does not say something of each element, which a kernel would read beyond its end."""
    if type_of(mask).shape != type_of(input).shape:
        raise OpValueError(
            f"{name}: a mask of shape {list(mask.shape)} does not fit a tensor of shape {list(input.shape)}",
            arg="mask",
            help="broadcast it first: broadcast_to(mask, input.shape).",
        )


@op
def put_where(input: Tensor, mask: Tensor, values: Tensor):
    """The input with the first of `values`, one axis, where a mask of its shape is not zero, in row-major order."""


@put_where.infer
def _(input, mask, values):
    _need_whole_mask("put_where", input, mask)
    if values.ndim != 1 or values.dtype is not input.dtype:
        raise OpValueError(
            f"put_where needs one axis of {input.dtype} for `values`, but got {values!r}",
            arg="values",
            help="reshape and convert them first.",
        )
    return type_of(input)


@put_where.kernel
def _(p: Planner, input: Buffer, mask: Buffer, values: Buffer, out: Buffer):
    plan_put_set(p, input, mask, values, out)


@put_where.fault
def _(count, input, mask, values):
    return OpValueError(f"masked_scatter needs {count} elements, but got {values.size}", arg="tensor")


@put_where.vjp("input")
def _(mask, *, g):
    return drop_where(g, mask)


@put_where.vjp("values")
def _(mask, values_type, *, g):
    return take_where(g, mask, values_type.size)


@op
def take_where(input: Tensor, mask: Tensor, size):
    """The elements where a mask of the same shape is not zero, in row-major order, filled up with zeros to `size` of
    them, beyond which there are none."""


@take_where.infer
def _(input, mask, *, size):
    _need_whole_mask("take_where", input, mask)
    return TensorType(input.dtype, (size,))


@take_where.kernel
def _(p: Planner, input: Buffer, mask: Buffer, out: Buffer, *, size):
    plan_take_set(p, input, mask, out)


@take_where.fault
def _(count, input, mask, *, size):
    return OpRuntimeError("a tensor was written to by another thread while its true elements were looked for")


@take_where.vjp("input")
def _(input_type, mask, *, g):
    return put_where(zeros_of(input_type), mask, g)


# -- masks ------------------------------------------------------------------------------------------------------------


@op
def count_set(input: Tensor):
    """How many elements are not zero."""


@count_set.infer
def _(input):
    return TensorType(int64, ())


@count_set.kernel
def _(p: Planner, input: Buffer, out: Buffer):
    plan_count(p, input, out)


@op
def positions_set(input: Tensor, count):
    """The coordinates of the `count` elements that are not zero, in row-major order, as a tensor (rank, count)."""


@positions_set.infer
def _(input, *, count):
    return TensorType(int64, (input.ndim, count))


@positions_set.kernel
def _(p: Planner, input: Buffer, out: Buffer, *, count):
    plan_positions(p, input, out)


@positions_set.fault
def _(position, input, *, count):
    return OpRuntimeError("a tensor was written to by another thread while its true elements were looked for")


def true_coordinates(mask: Tensor) -> list[Tensor]:
    """For each axis, the coordinates of the elements that are not zero."""
    quick = _coordinates(mask)
    if quick is not None:
        kind = TensorType(int64, quick[0].shape).contiguous
        return [wrap(column.copy(), kind) for column in quick]
    found = positions_set(mask, int(count_set(mask)))
    return [index_view(found, (axis, whole(found.shape[1]))) for axis in range(mask.ndim)]


def _coordinates(x: Tensor) -> tuple[np.ndarray, ...] | None:
    """Those of the elements of a small tensor that are not zero, by numpy, while nobody watches: see `_masked`."""
    layout = x._layout
    if state[1] or x.__class__ not in _PLAIN or layout.dtype is bfloat16:  # which numpy does not know
        return None
    return current(x)._array.nonzero() if layout.shape and 0 < layout.size <= _SMALL else None


@composite
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Tensor | tuple[Tensor, ...]:
    """The coordinates of the elements that are not zero, in row-major order.

    Args:
        input: tensor.
        as_tuple: one tensor for each axis instead of one for all.
    Returns:
        int64 tensor (count, ndim), or a tuple of `ndim` tensors (count,).
    Example:
        >>> nonzero(Tensor([[0, 3], [4, 0]])).tolist()
        [[0, 1], [1, 0]]
    """
    return tuple(true_coordinates(input)) if as_tuple else argwhere(input)


@composite
def argwhere(input: Tensor) -> Tensor:
    """The coordinates of the elements that are not zero, as `nonzero`.

    Example:
        >>> argwhere(Tensor([0, 3, 4])).tolist()
        [[1], [2]]
    """
    quick = _coordinates(input)
    if quick is not None:
        rows = np.array(quick).T.copy()
        return wrap(rows, TensorType(int64, rows.shape).contiguous)
    return copy(transpose(positions_set(input, int(count_set(input))), (1, 0)))


@composite
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements where a mask is true, in row-major order.

    Args:
        input, mask: tensors whose shapes broadcast; the mask is of type bool.
    Returns:
        1-d tensor.
    Raises:
        OpTypeError: the mask is not of type bool.
        OpValueError: the shapes cannot be broadcast.
    Example:
        >>> masked_select(Tensor([1, 2, 3]), Tensor([True, False, True])).tolist()
        [1, 3]
    """
    if input.shape == mask.shape and input.ndim:
        found = _masked(input, mask)
        if found is not None:
            return found
    if mask.dtype is not bool_:
        raise OpTypeError(f"masked_select needs a mask of type bool, but got {mask.dtype}", arg="mask")
    try:
        shape = np.broadcast_shapes(input.shape, mask.shape)
    except ValueError:
        raise OpValueError(
            f"masked_select: the shapes {input.shape} and {mask.shape} cannot be broadcast", arg="mask"
        ) from None
    return getitem(broadcast_to(input, shape), broadcast_to(mask, shape))


# -- gather -----------------------------------------------------------------------------------------------------------


@composite
def gather(input_params: Tensor, input_indices: Tensor, axis, batch_dims=0) -> Tensor:
    """The parts along an axis that indices name: result[p, i…, q] = params[p, indices[i…], q].

    Args:
        input_params: tensor (p…, n, q…).
        input_indices: integer tensor (i…) of indices in [-n, n).
        axis: the axis of length n.
        batch_dims: the first so many axes of both go together: result[b, p, i, q] = params[b, p, indices[b, i], q].
    Returns:
        tensor of shape params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis + 1:].
    Raises:
        OpTypeError: the indices are no integers.
        OpValueError: `axis` or `batch_dims` is out of range, or the batches differ.
        OpIndexError: an index is out of range.
    Gradient:
        zeros, with g added where the parts came from, in the order of the indices.
    Example:
        >>> gather(Tensor([[1, 2, 3], [4, 5, 6]]), Tensor([2, 0]), 1).tolist()
        [[3, 1], [6, 4]]
    """
    axis = normalize_axis("gather", axis, input_params.ndim)
    if not input_params.ndim:
        raise OpValueError("gather needs a tensor of at least one axis, but got a 0-d one", arg="input_params")
    if not isinstance(input_indices, Tensor):
        input_indices = Tensor(input_indices)
    if batch_dims == 0:
        return pick(input_params, input_indices, "parts", axis)
    return _gather_batch(input_params, input_indices, axis, batch_dims)


def _gather_batch(params: Tensor, indices: Tensor, axis: int, batch_dims: int) -> Tensor:
    depth = normalize_axis("gather", batch_dims, indices.ndim + 1, "batch_dims")
    if depth > axis or params.shape[:depth] != indices.shape[:depth]:
        raise OpValueError(
            f"gather: the first {depth} axes must come before `axis` {axis} and have equal lengths, but the shapes are "
            f"{params.shape} and {indices.shape}",
            arg="batch_dims",
        )
    batch = [reshape(arange(n), (n, *[1] * (indices.ndim - i - 1))) for i, n in enumerate(params.shape[:depth])]
    axes = (*range(depth), axis)
    taken = take_at(params, (*batch, indices), form=("arrays", axes, 0, axes))
    # The axes are now: batch, indices, those before `axis`, those behind.
    inner, between = indices.ndim - depth, axis - depth
    order = [*range(depth), *range(depth + inner, depth + inner + between), *range(depth, depth + inner)]
    return transpose(taken, (*order, *range(len(order), taken.ndim))) if between and inner else taken


@composite
def gather_elements(input: Tensor, dim, index: Tensor) -> Tensor:
    """The elements that indices name along an axis, each in its own place: result[i, j] = input[index[i, j], j] for axis 0.

    Args:
        input: tensor.
        dim: the axis of length n.
        index: integer tensor of indices in [-n, n), of as many axes as `input`, which along other axes than `dim` are not
            longer than those of `input`.
    Returns:
        tensor of the shape of `index`.
    Raises:
        OpTypeError: the indices are no integers.
        OpValueError: `dim` is out of range, or the shapes do not fit.
        OpIndexError: an index is out of range.
    Gradient:
        zeros, with g added where the elements came from, in the order of the indices.
    Example:
        >>> gather_elements(Tensor([[1, 2], [3, 4]]), 1, Tensor([[0, 0], [1, 0]])).tolist()
        [[1, 1], [4, 3]]
    """
    return pick(input, index, "along", normalize_axis("gather_elements", dim, input.ndim, "dim"))


def gather_d(x: Tensor, dim, index: Tensor) -> Tensor:
    """The elements that indices name along an axis, as `gather_elements`.

    Example:
        >>> gather_d(Tensor([[1, 2], [3, 4]]), 1, Tensor([[0, 0], [1, 0]])).tolist()
        [[1, 1], [4, 3]]
    """
    return gather_elements(x, dim, index)


@composite
def gather_nd(input_x: Tensor, indices: Tensor) -> Tensor:
    """The parts at places whose coordinates stand side by side along the last axis of the indices.

    Args:
        input_x: tensor.
        indices: integer tensor (i…, k) with k at most the number of axes of `input_x`.
    Returns:
        tensor of shape i… + input_x.shape[k:].
    Raises:
        OpTypeError: the indices are no integers.
        OpValueError: k is too large.
        OpIndexError: an index is out of range.
    Example:
        >>> gather_nd(Tensor([[1, 2], [3, 4]]), Tensor([[0, 1], [1, 0]])).tolist()
        [2, 3]
    """
    return pick(input_x, indices, "points")


@composite
def take(input: Tensor, index: Tensor) -> Tensor:
    """The elements that indices name in row-major order.

    Args:
        input: tensor of n elements.
        index: integer tensor of indices in [-n, n).
    Returns:
        tensor of the shape of `index`.
    Example:
        >>> take(Tensor([[1, 2], [3, 4]]), Tensor([3, 0])).tolist()
        [4, 1]
    """
    return pick(reshape(input, (input.size,)), index, "parts")


@composite
def index_select(input: Tensor, axis, index: Tensor) -> Tensor:
    """The parts along an axis that a 1-d tensor of indices names.

    Args:
        input: tensor.
        axis: the axis, of length n.
        index: integer tensor (m,) of indices in [-n, n).
    Returns:
        tensor whose axis has the length m.
    Raises:
        OpTypeError, OpValueError, OpIndexError: as `gather`; `index` is not 1-d.
    Example:
        >>> index_select(Tensor([[1, 2], [3, 4]]), 1, Tensor([1])).tolist()
        [[2], [4]]
    """
    if index.ndim != 1:
        raise OpValueError(f"index_select needs a 1-d tensor of indices, but got the shape {index.shape}", arg="index")
    return gather(input, index, axis)


# -- embedding --------------------------------------------------------------------------------------------------------

_ROWS = ("arrays", (0,), 0, (0,))


@op
def lookup(input: Tensor, weight: Tensor, padding_idx=None, scale_grad_by_freq=False):
    """Rows of a table; see `embedding`."""


@lookup.normalize
def _(input, weight, *, padding_idx, scale_grad_by_freq):
    if weight.ndim != 2:
        raise OpValueError(f"embedding needs a table of two axes for `weight`, but got {weight!r}", arg="weight")
    if padding_idx is not None:
        rows = weight.shape[0]
        if isinstance(padding_idx, bool) or not hasattr(padding_idx, "__index__"):
            raise OpTypeError(
                f"embedding needs an integer for `padding_idx`, but got {padding_idx!r}", arg="padding_idx"
            )
        if not -rows <= padding_idx < rows:
            raise OpValueError(
                f"embedding: `padding_idx` must be in [{-rows}, {rows - 1}], but got {padding_idx}", arg="padding_idx"
            )
        padding_idx = padding_idx.__index__() % rows
    return {"padding_idx": padding_idx, "scale_grad_by_freq": bool(scale_grad_by_freq)}


@lookup.infer
def _(input, weight, *, padding_idx, scale_grad_by_freq):
    return TensorType(weight.dtype, result_shape("embedding", weight.shape, (input,), _ROWS))


@lookup.kernel
def _(p: Planner, input: Buffer, weight: Buffer, out: Buffer, *, padding_idx, scale_grad_by_freq):
    plan_take(p, _ROWS, [input], weight, out)


@lookup.fault
def _(position, input, weight, *, padding_idx, scale_grad_by_freq):
    return out_of_range(position, weight.shape, [input], _ROWS)


@lookup.vjp("weight")
def _(input, weight_type, *, padding_idx, scale_grad_by_freq, g):
    if padding_idx is not None:
        g = drop_where(g, expand_dims(input == padding_idx, -1))
    if scale_grad_by_freq:
        counts = sum_at(full(input.shape, 1, g.dtype), (input,), form=_ROWS, shape=weight_type.shape[:1])
        g = g / expand_dims(pick(counts, input, "parts"), -1)
    return sum_at(g, (input,), form=_ROWS, shape=weight_type.shape)


@lookup.jvp
def _(t_weight, input):
    return lookup(input, t_weight)


@lookup.batch
def _(batched, input, weight, *, padding_idx, scale_grad_by_freq):
    return NotImplemented if batched[1] else lookup(input, weight, padding_idx, scale_grad_by_freq)


@composite
def embedding(
    input: Tensor, weight: Tensor, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False
) -> Tensor:
    """The rows of a table that indices name.

    Args:
        input: integer tensor (i…) of indices in [-n, n).
        weight: table (n, d).
        padding_idx: a row that gets no gradient.
        max_norm: rows that are looked up and whose norm is larger are first scaled to it, in the table itself.
        norm_type: which norm: (Σ |w|ᵖ)¹ᐟᵖ.
        scale_grad_by_freq: the gradient of a row is divided by the number of times that it was looked up.
    Returns:
        tensor (i…, d).
    Raises:
        OpTypeError: the indices, or `padding_idx`, are no integers.
        OpValueError: the table has not two axes, or `padding_idx` is out of range.
        OpIndexError: an index is out of range.
    Gradient:
        zeros, with g added to the rows that were looked up, in the order of the indices.
    Example:
        >>> embedding(Tensor([1, 0]), Tensor([[1., 2.], [3., 4.]])).tolist()
        [[3.0, 4.0], [1.0, 2.0]]
    """
    if max_norm is not None:
        rows = stop_gradient(lookup(input, weight))
        norm = expand_dims((abs(rows) ** norm_type).sum(-1) ** (1.0 / norm_type), -1)
        # Rows within the norm are divided by exactly one.
        scaled = rows / (norm / max_norm).clip(1.0, None)
        slots.assign(weight, set_at(stop_gradient(weight), (input,), scaled, form=_ROWS))
    return lookup(input, weight, padding_idx, scale_grad_by_freq)
