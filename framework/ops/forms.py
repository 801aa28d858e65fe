"""Methods of Tensor on shapes, types and places whose form differs from that of the function.

Methods take lengths and axes as single arguments, `x.reshape(2, 3)`, and know both spellings of an axis, `axis` and `dim`.
Those that give views keep, for each shape, the native function that takes them.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

import anfora.ops.scatter as scatters
import anfora.ops.shape as shapes
from anfora.core import slots
from anfora.core.dtype import (
    ALL,
    DType,
    as_dtype,
    bfloat16,
    bool_,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.op import Op, in_own_words
from anfora.core.tensor import Tensor, is_operand
from anfora.kernel.glue import is_recording
from anfora.ops import arithmetic, indexing, joining, places, reduction
from anfora.ops.comparison import where
from anfora.ops.complexes import conj
from anfora.ops.composite import composite, is_door
from anfora.ops.copying import cast, converted, copy, copy_to, stop_gradient
from anfora.ops.creation import full, integer, integers
from anfora.ops.families import normalize_axis
from anfora.ops.places import add_at
from anfora.ops.scan import cumsum
from anfora.ops.scatter import add_parts, tensor_scatter_add, tensor_scatter_elements
from anfora.ops.shape import broadcast_to, diagonal, flatten, index_view, reshape, swapaxes, transpose, whole
from anfora.ops.sorting import searchsorted

__all__ = ["DIRECT", "FORMS", "SYNONYMS", "TURNED", "as_change", "in_place", "named", "spelled"]

_KEPT = 512  #: native functions that a method keeps


#: Names that mean one argument: methods take whichever the user knows.
SYNONYMS = ({"axis", "dim"}, {"keepdims", "keepdim", "keep_dims"})


def spelled(function: Callable, **names: str) -> Callable:
    """A function as a method of Tensor that knows other names for its arguments: `dim` beside `axis`, `keepdim` beside
    `keepdims`, and those that are given: `spelled(split, split_size="split_size_or_sections")`."""
    order = _taken(function)
    if order is None:
        return function  # it sorts names out for itself
    known = {other: name for group in SYNONYMS for name in order if name in group for other in group - {name}}
    known = {other: name for other, name in {**known, **names}.items() if other not in order}
    name = function.__name__
    if not known:
        if not isinstance(function, Op):
            return function
        return _told_as(standing_for(lambda *args, **kw: function(*args, **kw), function), function)

    def method(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            kwargs = in_own_words(name, known, kwargs)
        return function(*args, **kwargs)

    signature = _signature_of(function)
    own_names = {own: other for other, own in names.items()}
    parameters = [p.replace(name=own_names.get(p.name, p.name)) for p in signature.parameters.values()]
    told: Any = _told_as(named(method, function), function)
    told.__signature__ = signature.replace(parameters=parameters)
    told.other_names = {*known, *known.values()} - {p.name for p in parameters}  # for type checkers (stubs/make.py)
    return told


def _taken(function: Any) -> tuple[str, ...] | None:
    """The names of what a function takes; None if it takes any. As its signature says, which takes long to make."""
    plain = inspect.unwrap(function, stop=lambda each: isinstance(each, Op) or "__signature__" in vars(each))
    if isinstance(plain, Op):
        return plain.order
    if "__signature__" in vars(plain):
        parameters = plain.__signature__.parameters.values()
        return None if any(p.kind is p.VAR_KEYWORD for p in parameters) else tuple(p.name for p in parameters)
    code = plain.__code__
    if code.co_flags & inspect.CO_VARKEYWORDS:
        return None
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & inspect.CO_VARARGS)
    return code.co_varnames[:count]


def _told_as(method: Any, function: Any) -> Callable:
    """A function that hands all on to another, and so refuses what that refuses."""
    method.is_door = is_door(function)
    return method


def _signature_of(function: Any) -> inspect.Signature:
    return function.signature if isinstance(function, Op) else inspect.signature(function)


def named(method: Any, function: Any, name: str | None = None) -> Callable:
    """A method with the name and the documentation of the function behind it."""
    method.__name__ = name or function.__name__
    method.__qualname__ = f"Tensor.{method.__name__}"
    method.__doc__ = function.__doc__
    return method


def standing_for(method: Any, function: Any, name: str | None = None) -> Callable:
    """The same for one that hands its arguments on as they are; `help` and editors find the function's signature."""
    named(method, function, name).__wrapped__ = function  # type: ignore[attr-defined]
    return method


def in_place(name: str, function: Callable) -> Callable:
    """The method that computes a function of the tensor, and writes the result into the tensor."""

    @composite
    def method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        result = function(*_old_values(self, args, kwargs), **kwargs)
        if _RANKS[result.dtype.kind] > _RANKS[self.dtype.kind]:
            raise OpTypeError(
                f"{name} cannot write {result.dtype} into a tensor of {self.dtype}",
                arg="self",
                help=f"convert the tensor first, e.g. x = x.astype({result.dtype.name}).",
            )
        return copy_to(self, result)

    method.__doc__ = f"As `{name[:-1]}`, in place: the tensor takes the values of the result, and is given back."
    method.__signature__ = _signature_of(function)  # type: ignore[attr-defined]
    return as_change(named(method, method, name), getattr(function, "plainly", function))


def _old_values(x: Tensor, args: tuple, kwargs: dict) -> tuple:
    """A tensor that is about to be written to, and arguments, in which it may be too: what new values are computed of."""
    source = x
    if is_recording() and slots.is_trained(x):
        source = stop_gradient(x)  # a leaf, which has no gradient by what it was
    elif any(isinstance(each, Tensor) and each.requires_grad for each in (x, *args, *kwargs.values())):
        source = copy(x)  # the gradient may need the old values
    return source, *(source if each is x else each for each in args)


def as_change(method: Callable, op: Any) -> Callable:
    """A method that computes an operator and writes the result into the tensor: said of calls with all tensors of the
    operator by position, and nothing else. None stands for one that writes zeros, "item" for `x[key] = value`."""
    if op is None or op == "item" or isinstance(op, Op):
        method.change = op  # type: ignore[attr-defined]
    return method


_RANKS = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}


def _listed(given: tuple) -> tuple | list | Any:
    """The numbers of `f(2, 3)`, `f((2, 3))` or `f(tensor)`."""
    return given[0] if len(given) == 1 and given[0].__class__ is not int else given


_INT = {int}


def _are_ints(numbers: Any) -> bool:
    return numbers.__class__ in (tuple, list) and {*map(type, numbers)} <= _INT


# -- views ------------------------------------------------------------------------------------------------------------


@functools.lru_cache(_KEPT)
def _reshaper(*shape: int) -> Callable[[Tensor], Tensor]:
    return slots.bound(reshape, shape=shape)


def reshape_method(self: Tensor, *shape: Any) -> Tensor:
    """The same elements, in row-major order, with other axes: `x.reshape(2, 3)` or `x.reshape((2, 3))`.

    A view where strides allow it, else a copy; see `ops.reshape`.

    Example:
        >>> Tensor([1, 2, 3, 4]).reshape(2, -1).tolist()
        [[1, 2], [3, 4]]
    """
    lengths = _listed(shape)
    return _reshaper(*lengths)(self) if _are_ints(lengths) else reshape(self, lengths)


def view_method(self: Tensor, *shape: Any) -> Tensor:
    """The same elements with other axes, as `reshape`.

    Raises:
        NotImplementedError: an element type is given; memory cannot be seen as another type yet.
    Example:
        >>> Tensor([1, 2, 3, 4]).view(2, 2).tolist()
        [[1, 2], [3, 4]]
    """
    if len(shape) == 1 and isinstance(shape[0], DType):
        raise NotImplementedError("x.view(dtype), the same bits as another element type; x.astype(dtype) converts")
    return reshape_method(self, *shape)


@functools.lru_cache(_KEPT)
def _transposer(*dims: int) -> Callable[[Tensor], Tensor]:
    return slots.bound(transpose, input_perm=dims)


def permute_method(self: Tensor, *axis: Any) -> Tensor:
    """The axes in another order: `x.permute(2, 0, 1)` or `x.permute((2, 0, 1))`. A view.

    Example:
        >>> zeros((2, 3, 4)).permute(2, 0, 1).shape
        (4, 2, 3)
    """
    axes = _listed(axis)
    return _transposer(*axes)(self) if _are_ints(axes) else transpose(self, axes)


def transpose_method(self: Tensor, *axes: Any, **names: Any) -> Tensor:
    """The axes in another order, a view: `x.transpose(0, 2, 1)` or `x.transpose((0, 2, 1))` names all of them,
    `x.transpose(dim0, dim1)` exchanges two, `x.transpose()` reverses them.

    Example:
        >>> x = zeros((2, 3, 4))
        >>> x.transpose(0, 2, 1).shape, x.transpose(0, 1).shape, x.transpose().shape
        ((2, 4, 3), (3, 2, 4), (4, 3, 2))
    """
    if names:
        axes = (names.pop("dim0", 0), names.pop("dim1", 1), *axes)
        if names:
            raise OpTypeError(f"transpose has no argument `{next(iter(names))}`; it takes axes, or dim0 and dim1")
    if len(axes) == 2:
        return swapaxes(self, *axes)
    if not axes or axes == (None,):
        return turned(self)
    return permute_method(self, *axes)


@functools.cache
def _reverser(ndim: int) -> Callable[[Tensor], Tensor]:
    return slots.bound(transpose, input_perm=tuple(reversed(range(ndim))))


def turned(self: Tensor) -> Tensor:
    """The axes in reverse order. A view."""
    return _reverser(len(self.shape))(self)


@functools.cache
def _swapper(ndim: int) -> Callable[[Tensor], Tensor]:
    return slots.bound(transpose, input_perm=(*range(ndim - 2), ndim - 1, ndim - 2))


@composite
def matrix_turned(self: Tensor) -> Tensor:
    """The last two axes exchanged. A view."""
    if self.ndim < 2:
        raise OpValueError(f"mT needs a tensor of at least two axes, but got the shape {self.shape}", arg="self")
    return _swapper(self.ndim)(self)


def crossed(self: Tensor) -> Tensor:
    """The axes in reverse order, complex elements conjugated. Of real ones a view."""
    return conj(turned(self))


def matrix_crossed(self: Tensor) -> Tensor:
    """The last two axes exchanged, complex elements conjugated. Of real ones a view."""
    return conj(matrix_turned(self))


@composite
def t_method(self: Tensor) -> Tensor:
    """A tensor of at most two axes with its axes in reverse order. A view.

    Example:
        >>> zeros((2, 3)).t().shape
        (3, 2)
    """
    if self.ndim > 2:
        raise OpValueError(f"t() needs a tensor of at most two axes, but got the shape {self.shape}", arg="self")
    return turned(self)


def flatten_method(self: Tensor, *args: Any, order: str = "C", start_dim: Any = 0, end_dim: Any = -1) -> Tensor:
    """Make one axis of the axes from `start_dim` to `end_dim`: of all, without arguments.

    Example:
        >>> zeros((2, 3, 4)).flatten().shape, zeros((2, 3, 4)).flatten(1).shape
        ((24,), (2, 12))
    """
    if args and isinstance(args[0], str):
        order, *args = args  # type: ignore[assignment]
    if len(args) > 2:
        raise OpTypeError(f"flatten takes start_dim and end_dim, but got {len(args)} numbers")
    start_dim, end_dim = (*args, *(start_dim, end_dim)[len(args) :])
    return flatten(self, order, start_dim=start_dim, end_dim=end_dim)


def broadcast_method(self: Tensor, *shape: Any) -> Tensor:
    """Repeat along axes of length 1, and along new axes in front: `x.expand(3, 4)`; -1 keeps a length. A view.

    Example:
        >>> Tensor([1, 2]).expand(3, -1).shape
        (3, 2)
    """
    return broadcast_to(self, _listed(shape))


def tile_method(self: Tensor, *dims: Any) -> Tensor:
    """The tensor several times along each axis: `x.tile((2, 1))`; the last number is for the last axis.

    Example:
        >>> Tensor([1, 2]).tile(2).tolist()
        [1, 2, 1, 2]
    """
    return joining.tile(self, _listed(dims))


@composite
def repeat_method(self: Tensor, *repeats: Any, axis: Any = ...) -> Tensor:
    """The tensor several times along each axis, with a number for every axis: `x.repeat(2, 1)`.

    With `axis`, as in older versions of MindSpore and in numpy, each part along it several times in a row; None for
    each element.

    Raises:
        OpValueError: there are fewer numbers than axes.
        OpTypeError: with `axis` there are several numbers.
    Example:
        >>> Tensor([1, 2]).repeat(2, 2).tolist()
        [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    if axis is not ...:
        if len(repeats) != 1:
            raise OpTypeError(
                f"repeat with `axis` takes one number, or a list of them, but got {len(repeats)}", arg="axis"
            )
        return joining.repeat_interleave(self, repeats[0], axis)
    times = integers("repeat", _listed(repeats), "repeats")
    if len(times) < self.ndim:
        raise OpValueError(
            f"repeat needs a number for each of the {self.ndim} axes, but got {times}",
            arg="repeats",
            help="x.repeat_interleave(n, axis) repeats along one axis.",
        )
    return joining.tile(self, times)


def flip_method(self: Tensor, *dims: Any) -> Tensor:
    """The elements in reverse order along axes: `x.flip((0, 1))`. A copy.

    Example:
        >>> Tensor([1, 2, 3]).flip((0,)).tolist()
        [3, 2, 1]
    """
    return joining.flip(self, _listed(dims))


@composite
def select_method(self: Tensor, *args: Any, **names: Any) -> Tensor:
    """`x.select(dim, index)`: what stands at an index of an axis, a view. `x.select(condition, y)`: x where a condition
    holds, else y.

    Raises:
        OpIndexError: the index is out of range.
    Example:
        >>> Tensor([[1, 2], [3, 4]]).select(1, 0).tolist()
        [1, 3]
    """
    first = args[0] if args else names.get("condition", names.get("dim", names.get("axis")))
    second = args[1] if len(args) > 1 else names.get("y", names.get("index"))
    if isinstance(first, Tensor) and first.dtype is bool_:
        from anfora.ops import where

        return where(first, self, second)
    axis = normalize_axis("select", first, self.ndim, "dim")
    index = integer("select", second, "index")
    return indexing.getitem(self, (*[slice(None)] * axis, index))


def _repeat_interleave(self: Tensor, repeats: Any, axis: Any = None, *, output_size: Any = None) -> Tensor:
    """Each element, or each part along an axis, several times in a row; see `ops.repeat_interleave`.

    `output_size` is accepted for MindSpore programs; it is worked out.
    """
    return joining.repeat_interleave(self, repeats, axis)


@composite
def _to_size(self: Tensor, *size: Any) -> Tensor:
    """Undo a broadcast: sum over axes until the tensor has a shape.

    Example:
        >>> Tensor([[1, 2], [3, 4]]).sum_to_size((1, 2)).tolist()
        [[4, 6]]
    """
    lengths = integers("sum_to_size", _listed(size), "size")
    kept = self.shape[self.ndim - len(lengths) :] if len(lengths) <= self.ndim else None
    if kept is None or any(want not in (1, n) for want, n in zip(lengths, kept)):
        raise OpValueError(f"sum_to_size: the shape {self.shape} is no broadcast of {lengths}", arg="size")
    return shapes.sum_to(self, lengths)


# -- types and copies -------------------------------------------------------------------------------------------------


def astype_method(self: Tensor, dtype: Any, copy: bool = True) -> Tensor:
    """The values in another element type; a copy, unless `copy` is false and the type is the same.

    Example:
        >>> Tensor([1.7]).astype(int32).tolist()
        [1]
    """
    dtype = as_dtype(dtype)
    return self if not copy and dtype is self.dtype else _caster(dtype)(self)


@functools.cache
def _caster(dtype: DType) -> Callable[[Tensor], Tensor]:
    return slots.bound(cast, dtype=dtype)


@composite
def to_method(self: Tensor, *args: Any, **names: Any) -> Tensor:
    """The tensor in another element type, or as it is where the type is the same: `x.to(float32)`.

    A device ("CPU") is accepted too, and so are `non_blocking` and `copy`; MindSpore's "Ascend" and "GPU" mean the CPU.

    Example:
        >>> Tensor([1]).to(float32).tolist()
        [1.0]
    """
    wanted = [*args, *(names[name] for name in ("device", "dtype", "other") if name in names)]
    dtype, copies = self.dtype, bool(names.get("copy", False))
    for item in wanted:
        if isinstance(item, Tensor):
            dtype = item.dtype
        elif isinstance(item, str) and item.split(":")[0].lower() in ("cpu", "ascend", "gpu"):
            continue
        elif isinstance(item, str) and item.split(":")[0].lower() in ("cuda", "mps", "xpu"):
            raise OpTypeError(
                f"to: there is no device {item!r}", help="leave it out: everything is computed on the CPU."
            )
        elif item is not None and not isinstance(item, bool):
            dtype = as_dtype(item)
    return _caster(dtype)(self) if copies or dtype is not self.dtype else self


def type_method(self: Tensor, dtype: Any = None) -> Any:
    """The name of the element type, or the values in another one.

    Example:
        >>> Tensor([1]).type(), Tensor([1]).type(float32).tolist()
        ('Int64', [1.0])
    """
    return str(self.dtype) if dtype is None else to_method(self, dtype)


def _converter(dtype: DType, name: str) -> Callable[[Tensor], Tensor]:
    def convert(self: Tensor) -> Tensor:
        return self if self.dtype is dtype else _caster(dtype)(self)

    convert.__name__ = convert.__qualname__ = name
    convert.__doc__ = f"The values as {dtype}; the tensor itself where it is of that type."
    return convert


def type_as_method(self: Tensor, other: Tensor) -> Tensor:
    """The values in the element type of another tensor.

    Example:
        >>> Tensor([1]).type_as(Tensor([2.5])).tolist()
        [1.0]
    """
    dtype = other.dtype
    return self if dtype is self.dtype else _caster(dtype)(self)


def contiguous_method(self: Tensor) -> Tensor:
    """The tensor itself if its elements lie in row-major order without gaps, else a copy of which that is true.

    Example:
        >>> zeros((2, 3)).T.contiguous().is_contiguous()
        True
    """
    return self if self.is_contiguous() else copy(self)


def value_method(self: Tensor) -> Tensor:
    """The values of a tensor or a Parameter, a view; gradients go through it.

    Example:
        >>> Tensor(3).value().item()
        3
    """
    return reshape(self, self.shape)


def is_floating_point(self: Tensor) -> bool:
    """Whether the element type is floating point."""
    return self.dtype.is_float


def is_signed(self: Tensor) -> bool:
    """Whether the element type has negative numbers."""
    return self.dtype.kind in "if"


# -- new tensors ------------------------------------------------------------------------------------------------------


def new_zeros(self: Tensor, *size: Any, dtype: Any = None) -> Tensor:
    """Zeros of a shape, of the element type of the tensor unless another is given.

    Example:
        >>> Tensor([1, 2]).new_zeros((2, 2)).tolist()
        [[0, 0], [0, 0]]
    """
    return _new(self, size, 0, dtype)


def new_ones(self: Tensor, *size: Any, dtype: Any = None) -> Tensor:
    """Ones of a shape, of the element type of the tensor unless another is given.

    Example:
        >>> Tensor([1, 2]).new_ones(2).tolist()
        [1, 1]
    """
    return _new(self, size, 1, dtype)


def _new(self: Tensor, size: tuple, value: Any, dtype: Any) -> Tensor:
    if len(size) == 2 and (size[1] is None or isinstance(size[1], (DType, type, str, np.dtype))):
        shape, dtype = size  # new_zeros((2, 3), float32)
        size = (shape,)
    return full(_listed(size), value, self.dtype if dtype is None else dtype)


def new_full(self: Tensor, size: Any, fill_value: Any, *, dtype: Any = None) -> Tensor:
    """A constant tensor of a shape, of the element type of the tensor unless another is given.

    Example:
        >>> Tensor([1, 2]).new_full((2,), 7).tolist()
        [7, 7]
    """
    return full(size, fill_value, self.dtype if dtype is None else dtype)


def new_tensor(self: Tensor, data: Any, *, dtype: Any = None) -> Tensor:
    """A tensor made of data, of the element type of the tensor unless another is given.

    Example:
        >>> Tensor([1., 2.]).new_tensor([3]).tolist()
        [3.0]
    """
    return Tensor(data, self.dtype if dtype is None else dtype)


def fill_method(self: Tensor, value: Any) -> Tensor:
    """A tensor of the same shape and type whose elements are all `value`.

    Example:
        >>> Tensor([1, 2]).fill(7).tolist()
        [7, 7]
    """
    return full(self.shape, value, self.dtype)


@composite
def resize_method(self: Tensor, *new_shape: Any) -> Tensor:
    """A copy with another number of elements: the first ones in row-major order, and zeros behind them.

    Example:
        >>> Tensor([1, 2, 3]).resize(2, 2).tolist()
        [[1, 2], [3, 0]]
    """
    shape = integers("resize", _listed(new_shape), "new_shape")
    count = int(np.prod(shape, dtype=np.int64))
    flat = reshape(self, (self.size,))
    flat = (
        index_view(flat, ((0, count, 1),))
        if count <= self.size
        else joining.concat((flat, full((count - self.size,), 0, self.dtype)))
    )
    return copy(reshape(flat, shape))


# -- in place ---------------------------------------------------------------------------------------------------------


def fill_in_place(self: Tensor, value: Any) -> Tensor:
    """Set every element to a value, in place.

    Example:
        >>> Tensor([1, 2]).fill_(7).tolist()
        [7, 7]
    """
    return copy_to(self, value)


def zero_in_place(self: Tensor) -> Tensor:
    """Set every element to zero, in place.

    Example:
        >>> Tensor([1, 2]).zero_().tolist()
        [0, 0]
    """
    return copy_to(self, 0)


def copy_in_place(self: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    """Write a tensor or number, broadcast and converted, into the memory of this one.

    Example:
        >>> Tensor([1, 2]).copy_(Tensor(3)).tolist()
        [3, 3]
    """
    return copy_to(self, src)


def assign_value(self: Tensor, value: Any) -> Tensor:
    """Write a tensor of the same shape and element type into the memory of this one, and give this one.

    Raises:
        OpTypeError: the value is no tensor, or of another element type: a tensor keeps its type.
        OpValueError: the shapes differ.
    Gradient:
        that of `copy_`.
    Example:
        >>> Tensor([1, 2]).assign_value(Tensor([3, 4])).tolist()
        [3, 4]
    """
    if not isinstance(value, Tensor) or value.dtype is not self.dtype:
        found = f"a tensor of {value.dtype}" if isinstance(value, Tensor) else type(value).__name__
        raise OpTypeError(f"assign_value needs a tensor of {self.dtype}, but got {found}", arg="value")
    if value.shape != self.shape:
        raise OpValueError(
            f"assign_value needs a tensor of the shape {self.shape}, but got {value.shape}",
            arg="value",
            help="x = value makes it another tensor.",
        )
    return copy_to(self, value)


def index_method(self: Tensor, indices: Any) -> Tensor:
    """The elements at places that index tensors name: `self[tuple(indices)]`.

    Args:
        indices: tuple or list of tensors of integers or bools, one for each of the first axes; None lets an axis stand.
    Raises:
        OpTypeError: `indices` is no tuple or list of tensors.
        OpIndexError: there are more than axes, or an index is out of range.
    Gradient:
        g, added up at these places.
    Example:
        >>> Tensor([[1, 2], [3, 4]]).index((Tensor([1, 0]), Tensor([0, 0]))).tolist()
        [3, 1]
    """
    if not isinstance(indices, (tuple, list)) or not all(each is None or isinstance(each, Tensor) for each in indices):
        raise OpTypeError(
            f"index needs a tuple of tensors for `indices`, but got {type(indices).__name__}",
            arg="indices",
            help="x[key] takes any key.",
        )
    return self[tuple(slice(None) if each is None else each for each in indices)]


def fill_diagonal(self: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """A copy whose main diagonal holds a value.

    Args:
        fill_value: a number.
        wrap: of a tall matrix, begin a new diagonal below each one, with a row between.
    Raises:
        OpValueError: there are fewer than two axes, or more than two of different lengths.
    Example:
        >>> zeros((2, 2)).fill_diagonal(5).tolist()
        [[5.0, 0.0], [0.0, 5.0]]
    """
    return fill_diagonal_in_place(copy(self), fill_value, wrap)


@composite
def fill_diagonal_in_place(self: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Set the main diagonal to a value, in place; see `fill_diagonal`.

    Example:
        >>> zeros((2, 2)).fill_diagonal_(5).tolist()
        [[5.0, 0.0], [0.0, 5.0]]
    """
    if self.ndim < 2 or (self.ndim > 2 and len(set(self.shape)) > 1):
        raise OpValueError(
            f"fill_diagonal needs two axes, or more of equal lengths, but got the shape {self.shape}", arg="self"
        )
    if self.ndim > 2:
        n = self.shape[0]
        places = Tensor(np.arange(n), int64)
        places_of = ("arrays", tuple(range(self.ndim)), 0, tuple(range(self.ndim)))
        return _set_in_place(self, (places,) * self.ndim, fill_value, places_of)
    rows, columns = self.shape
    for start in range(0, rows if wrap else 1, columns + 1):
        part = index_view(self, ((start, rows - start, 1), whole(columns)))
        copy_to(diagonal(part), fill_value)
    return self


def _set_in_place(self: Tensor, indices: tuple[Tensor, ...], value: Any, form: tuple) -> Tensor:
    return places.set_at_(self, indices, value, form=form)


# -- places that indices name -----------------------------------------------------------------------------------------


@composite
def gather_method(self: Tensor, *args: Any, **names: Any) -> Tensor:
    """`x.gather(input_indices, axis, batch_dims=0)`: the parts that indices name along an axis, see `ops.gather`.
    `x.gather(dim, index)`: the elements that they name, each in its own place, see `ops.gather_elements`.

    Example:
        >>> x = Tensor([[1, 2], [3, 4]])
        >>> x.gather(Tensor([1]), 0).tolist(), x.gather(1, Tensor([[1], [0]])).tolist()
        ([[3, 4]], [[2], [3]])
    """
    if "dim" in names or "index" in names or (args and not isinstance(args[0], Tensor)):
        return indexing.gather_elements(self, *args, **names)
    return indexing.gather(self, *args, **names)


@composite
def take_method(self: Tensor, indices: Any, axis: Any = None, mode: str = "clip") -> Tensor:
    """The parts that indices name along an axis; without an axis, elements in row-major order.

    Args:
        indices: integer tensor.
        axis: the axis.
        mode: what becomes of indices out of range: "raise" an error, "wrap" around, "clip" to the first or last (then
            negative indices mean the first).
    Raises:
        OpIndexError: an index is out of range, in mode "raise".
        OpValueError: another mode; `axis` is out of range.
    Example:
        >>> Tensor([1, 2, 3]).take(Tensor([0, 7])).tolist()
        [1, 3]
    """
    if not isinstance(indices, Tensor):
        indices = Tensor(indices)
    if mode not in ("raise", "wrap", "clip"):
        raise OpValueError(f'take: `mode` must be "raise", "wrap" or "clip", but got {mode!r}', arg="mode")
    source, at = (reshape(self, (self.size,)), 0) if axis is None else (self, normalize_axis("take", axis, self.ndim))
    n = source.shape[at]
    if n and mode == "clip":
        indices = indices.clip(0, n - 1)
    elif n and mode == "wrap":
        indices = indices % n
    return indexing.gather(source, indices, at)


@composite
def scatter_method(self: Tensor, *args: Any, **names: Any) -> Tensor:
    """A copy in which elements are replaced: `x.scatter(axis, index, src)`; see `ops.scatter`.

    Example:
        >>> zeros((2, 2)).scatter(1, Tensor([[1], [0]]), 5).tolist()
        [[0.0, 5.0], [5.0, 0.0]]
    """
    axis, index, src, reduce = _scatter_arguments("scatter", args, names)
    return tensor_scatter_elements(self, index, src, axis, reduce or "none")


def _scatter_arguments(name: str, args: tuple, names: dict) -> tuple[Any, Any, Any, Any]:
    """axis (or dim), index, src (or value), reduce."""
    given: list[Any] = list(args)
    for choices in (("axis", "dim"), ("index",), ("src", "value"), ("reduce",))[len(args) :]:
        given.append(next((names.pop(choice) for choice in choices if choice in names), None))
    if names or len(given) > 4 or given[1] is None or given[2] is None:
        raise OpTypeError(f"{name} takes axis, index and src, but got {len(args)} arguments and {sorted(names)}")
    return tuple(given)  # type: ignore[return-value]


@composite
def scatter_add_method(self: Tensor, *args: Any, **names: Any) -> Tensor:
    """A copy in which values are added: `x.scatter_add(dim, index, src)` element by element along an axis,
    `x.scatter_add(indices, updates)` at places given by their coordinates.

    Example:
        >>> zeros((2, 2)).scatter_add(1, Tensor([[1], [0]]), Tensor([[5.], [6.]])).tolist()
        [[0.0, 5.0], [6.0, 0.0]]
    """
    if "indices" in names or "updates" in names or (len(args) == 2 and not names):
        return tensor_scatter_add(self, *args, **names)
    axis, index, src, _ = _scatter_arguments("scatter_add", args, names)
    return tensor_scatter_elements(self, index, src, axis, "add")


def _in_place_along(name: str, how: str) -> Callable[..., Tensor]:
    """A method that changes elements along an axis, in place."""
    change = getattr(places, f"{how}_at_")

    @composite
    def method(self: Tensor, *args: Any, **names: Any) -> Tensor:
        axis, index, src, _ = _scatter_arguments(name, args, names)
        axis = normalize_axis(name, axis, self.ndim)
        if isinstance(src, Tensor) and src.ndim and src.shape != index.shape:
            src = src[tuple(slice(0, n) for n in index.shape)]
        return change(self, (index,), src, form=("along", axis))

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"""`x.{name}(dim, index, src)`: {
        "replace" if how == "set" else "add to"
    } the elements that indices name along an axis, in place.

    Example:
        >>> zeros((1, 2)).{name}(1, Tensor([[1]]), Tensor([[5.]])).tolist()
        [[0.0, 5.0]]
    """
    return method


@composite
def index_add_method(self: Tensor, *args: Any, **names: Any) -> Tensor:
    """A copy in which parts are added along an axis: `x.index_add(dim, index, source, alpha=1)` or
    `x.index_add(indices, y, axis)`; see `ops.index_add`.

    Example:
        >>> zeros(2).index_add(0, Tensor([1, 1]), Tensor([1., 2.])).tolist()
        [0.0, 3.0]
    """
    axis, index, source = _index_add_arguments(args, names)
    return add_parts(add_at, self, index, source, axis)


def _index_add_arguments(args: tuple, names: dict) -> tuple[Any, Any, Any]:
    if (args and isinstance(args[0], Tensor)) or "indices" in names or "y" in names:
        order: tuple = ("indices", "y", "axis")
    else:
        order = ("dim", "index", "source")
    given = {**dict(zip(order, args)), **names}
    alpha = given.pop("alpha", 1)
    given.pop("use_lock", None)
    given.pop("check_index_bound", None)
    if set(given) != set(order):
        raise OpTypeError(f"index_add takes {', '.join(order)}, but got {', '.join(given)}")
    first, second, third = (given[name] for name in order)
    axis, index, source = (third, first, second) if order[0] == "indices" else (first, second, third)
    return axis, index, source if alpha == 1 else source * alpha


@composite
def index_add_in_place(self: Tensor, *args: Any, **names: Any) -> Tensor:
    """Add parts along an axis, in place: `x.index_add_(dim, index, source, alpha=1)`.

    Example:
        >>> zeros(2).index_add_(0, Tensor([1, 1]), Tensor([1., 2.])).tolist()
        [0.0, 3.0]
    """
    axis, index, source = _index_add_arguments(args, names)
    return add_parts(places.add_at_, self, index, source, axis)


@composite
def index_fill_in_place(self: Tensor, dim: Any, index: Tensor, value: Any) -> Tensor:
    """Set parts along an axis to one value, in place.

    Example:
        >>> zeros(3).index_fill_(0, Tensor([0, 2]), 5).tolist()
        [5.0, 0.0, 5.0]
    """
    axis = normalize_axis("index_fill_", dim, self.ndim)
    return places.set_at_(self, (reshape(index, (index.size,)),), value, form=("arrays", (axis,), axis, (axis,)))


@composite
def index_copy_in_place(self: Tensor, dim: Any, index: Tensor, tensor: Any) -> Tensor:
    """Replace parts along an axis, in place.

    Example:
        >>> zeros(3).index_copy_(0, Tensor([0, 2]), Tensor([1., 2.])).tolist()
        [1.0, 0.0, 2.0]
    """
    axis = normalize_axis("index_copy_", dim, self.ndim)
    return places.set_at_(self, (index,), tensor, form=("arrays", (axis,), axis, (axis,)))


@composite
def index_put_in_place(self: Tensor, indices: Any, values: Any, accumulate: bool = False) -> Tensor:
    """Set, or with `accumulate` add, values at the places `x[indices]`, in place.

    Example:
        >>> zeros(3).index_put_((Tensor([0, 0]),), Tensor([1., 2.]), True).tolist()
        [3.0, 0.0, 0.0]
    """
    indices = tuple(i if isinstance(i, Tensor) else Tensor(i) for i in indices)
    axes = tuple(range(len(indices)))
    change = places.add_at_ if accumulate else places.set_at_
    return change(self, indices, values, form=("arrays", axes, 0, axes))


@composite
def put_in_place(self: Tensor, index: Tensor, source: Any, accumulate: bool = False) -> Tensor:
    """Set, or with `accumulate` add, values at indices in row-major order, in place.

    Example:
        >>> zeros((2, 2)).put_(Tensor([3, 0]), Tensor([1., 2.])).tolist()
        [[2.0, 0.0], [0.0, 1.0]]
    """
    if not self.ndim:
        raise OpValueError("put_ needs a tensor of at least one axis, but got a 0-d one", arg="self")
    coordinates = []
    for length in reversed(self.shape[1:]):
        coordinates.append(index % length)
        index = index // length
    coordinates.append(index)  # negative, or out of range, where the whole index is
    axes = tuple(range(self.ndim))
    change = places.add_at_ if accumulate else places.set_at_
    return change(self, tuple(reversed(coordinates)), source, form=("arrays", axes, 0, axes))


@composite
def masked_scatter(self: Tensor, mask: Tensor, tensor: Tensor) -> Tensor:
    """A copy whose masked elements are the first elements of `tensor`, in row-major order.

    Args:
        mask: bool tensor whose shape broadcasts to that of x.
        tensor: with at least as many elements as are masked.
    Raises:
        OpValueError: there are too few.
    Example:
        >>> zeros(3).masked_scatter(Tensor([True, False, True]), Tensor([1., 2., 3.])).tolist()
        [1.0, 0.0, 2.0]
    """
    values = reshape(tensor, (tensor.size,))
    return indexing.put_where(self, broadcast_to(mask, self.shape), converted(values, self.dtype))


@composite
def where_method(self: Tensor, condition: Tensor, y: Any) -> Tensor:
    """The elements where a condition holds, and those of `y` elsewhere.

    Args:
        condition: bool tensor.
        y: tensor or number; all shapes broadcast.
    Example:
        >>> Tensor([1., 2.]).where(Tensor([True, False]), 0).tolist()
        [1.0, 0.0]
    """
    return where(condition, self, y)


@composite
def searchsorted_method(
    self: Tensor, v: Any, side: str | None = None, sorter: Any = None, *, out_int32: bool = True, right: bool = False
) -> Tensor:
    """Where values belong in the sorted rows of this tensor; see `ops.searchsorted`.

    Args:
        v: number or tensor.
        side, sorter, right: as there.
        out_int32: give int32, not int64.
    Example:
        >>> Tensor([1, 2, 2]).searchsorted(2, "right").item()
        3
    """
    return searchsorted(self, v, out_int32=out_int32, right=right, side=side, sorter=sorter)


@composite
def cumsum_method(
    self: Tensor, axis: Any = None, dtype: Any = None, *, exclusive: bool = False, reverse: bool = False
) -> Tensor:
    """The running sum along an axis, of the flat tensor without one; see `ops.cumsum`.

    Example:
        >>> Tensor([[1, 2], [3, 4]]).cumsum().tolist(), Tensor([[1, 2], [3, 4]]).cumsum(0).tolist()
        ([1, 3, 6, 10], [[1, 2], [4, 6]])
    """
    if axis is None:
        self, axis = reshape(self, (self.size,)), 0
    return cumsum(self, axis, dtype, exclusive=exclusive, reverse=reverse)


# -- reductions -------------------------------------------------------------------------------------------------------


@functools.lru_cache(_KEPT)
def _summer(axis: Any, keepdims: bool) -> Callable[[Tensor], Tensor]:
    return slots.bound(reduction.reduce_sum, axis=axis, keep_dims=keepdims)


_WIDENED = frozenset(
    kind for kind in ALL if not kind.is_inexact and kind is not int64
)  #: types that are summed as int64


def sum_method(
    self: Tensor, axis: Any = None, dtype: Any = None, keepdims: Any = False, initial: Any = None, **names: Any
) -> Tensor:
    """The sum along axes, of all elements without one: `x.sum(axis=1, keepdims=True)`, `x.sum(1, True)`.

    Args:
        axis: an axis, a tuple of them, or None for all; `dim` means the same.
        dtype: the element type of the result; when not given int64 for integers and bools.
        keepdims: keep summed axes, with length 1; `keepdim` means the same.
        initial: a number that is added.
    Example:
        >>> Tensor([[1, 2], [3, 4]]).sum(0).tolist()
        [4, 6]
    """
    if dtype.__class__ is bool:  # x.sum(dim, keepdim)
        dtype, keepdims = None, dtype
    if names:
        axis, keepdims = _axis_and_keep("sum", names, axis, keepdims)
    if dtype is None and self._layout.dtype in _WIDENED:
        dtype = int64
    if dtype is None and keepdims.__class__ is bool and (axis is None or axis.__class__ is int or _are_ints(axis)):
        total = _summer(tuple(axis) if isinstance(axis, list) else axis, keepdims)(self)
    else:
        total = reduction.reduce_sum(self, axis, keepdims, dtype)
    return total if initial is None else arithmetic.add(total, initial)


def _axis_and_keep(name: str, names: dict, axis: Any, keep: Any) -> tuple[Any, Any]:
    """Values of `axis` and `keepdims` under their other names."""
    for other in names:
        if other in ("dim",):
            axis = names[other]
        elif other in ("keepdim", "keep_dims"):
            keep = names[other]
        else:
            raise OpTypeError(f"{name} has no argument `{other}`; it takes axis and keepdims, or dim and keepdim")
    return axis, keep


def _extreme_method(name: str, word: str) -> Callable:
    pair, alone = getattr(reduction, name), getattr(reduction, f"a{name}")

    @composite
    def method(
        self: Tensor,
        axis: Any = None,
        keepdims: Any = False,
        *,
        initial: Any = None,
        where: Any = None,
        return_indices: bool = False,
        **names: Any,
    ) -> Any:
        if isinstance(axis, Tensor):  # torch's x.max(other)
            from anfora import ops

            return getattr(ops, f"{name}imum")(self, axis)
        axis, keepdims = _axis_and_keep(name, names, axis, keepdims)
        if where is True:
            where = None
        if return_indices or "dim" in names or ("keepdim" in names and axis is not None):
            return pair(self, axis, keepdims, initial=initial, where=where)
        return alone(self, axis, keepdims, initial=initial, where=where)

    method.__doc__ = f"""The {word} elements along axes, of all elements without one: `x.{name}(axis=1)`.

    With `dim`, or with `return_indices`, the positions too: `values, indices = x.{name}(dim=1)`.

    Args:
        axis: an axis, a tuple of them, or None for all.
        keepdims: keep these axes, with length 1.
        initial: a number that takes part.
        where: bool tensor: which elements take part; needs `initial`.
        return_indices: give positions too; then there is one axis.
    Example:
        >>> x = Tensor([[1, 4], [3, 2]])
        >>> x.{name}().item(), x.{name}(axis=0).tolist(), x.{name}(dim=0)[1].tolist()
        {"(4, [3, 4], [1, 0])" if name == "max" else "(1, [1, 2], [0, 1])"}
    """
    return named(method, method, name)


def spread_of_values(self: Tensor, axis: Any = None, keepdims: bool = False) -> Tensor:
    """The largest less the smallest element along axes, of all elements without one: numpy's "peak to peak".

    Example:
        >>> Tensor([[1, 5], [4, 2]]).ptp(0).tolist()
        [3, 3]
    """
    return reduction.amax(self, axis, keepdims) - reduction.amin(self, axis, keepdims)


def _spread_method(name: str) -> Callable:
    function = getattr(reduction, name)

    @composite
    def method(self: Tensor, axis: Any = None, ddof: Any = 0, keepdims: Any = False, **names: Any) -> Tensor:
        if "correction" in names or "unbiased" in names:
            ddof = names.pop("correction", None) if "correction" in names else int(names.pop("unbiased"))
        elif "dim" in names or "keepdim" in names:
            ddof = 1
        axis, keepdims = _axis_and_keep(name, names, axis, keepdims)
        return function(self, axis, ddof, keepdims)

    what = "standard deviation" if name == "std" else "variance"
    method.__doc__ = f"""The {what} along axes, of all elements without one; see `ops.{name}`.

    Args:
        axis: an axis, a tuple of them, or None for all.
        ddof: what is subtracted from the number of elements before the division. In the form
            `x.{name}(dim, correction=1, keepdim=False)` it is 1 when not given.
        keepdims: keep these axes, with length 1.
    Example:
        >>> Tensor([1., 3.]).{name}().item(), Tensor([1., 3.]).{name}(ddof=1).item() > 1
        (1.0, True)
    """
    return named(method, method, name)


# -- arithmetic -------------------------------------------------------------------------------------------------------


def _scaled_method(name: str) -> Callable:
    function = getattr(arithmetic, name)

    def method(self: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
        return function(self, other if alpha == 1 else other * alpha)

    method.plainly = function  # type: ignore[attr-defined]
    sign = "+" if name == "add" else "-"
    method.__doc__ = f"""x {sign} alpha · other, element by element; see `ops.{name}`.

    Example:
        >>> Tensor([1., 2.]).{name}(Tensor([1., 1.]), alpha=2).tolist()
        {"[3.0, 4.0]" if name == "add" else "[-1.0, 0.0]"}
    """
    return named(method, method, name)


def rounded(self: Tensor, digits: int | None = None) -> Tensor:
    """The nearest numbers with so many digits behind the point, as a tensor; halves go to the even one."""
    return arithmetic.round(self, 0 if digits is None else digits)


def divmod_of(self: Tensor, other: Any) -> Any:
    """The pair x // other, x % other."""
    return (self // other, self % other) if is_operand(other) else NotImplemented


def divmod_turned(self: Tensor, other: Any) -> Any:
    """The pair other // x, other % x."""
    return (other // self, other % self) if is_operand(other) else NotImplemented


#: Methods by name.
def to_coo(self: Tensor) -> Any:
    """What is not zero, by coordinates (a `COOTensor`)."""
    from anfora.sparse_functions import FUNCTIONS

    return FUNCTIONS["dense_to_sparse_coo"](self)


def to_csr(self: Tensor) -> Any:
    """What is not zero of a matrix, row by row (a `CSRTensor`)."""
    from anfora.sparse_functions import FUNCTIONS

    return FUNCTIONS["dense_to_sparse_csr"](self)


FORMS: dict[str, Callable] = {
    "__getitem__": indexing.getitem,
    "__setitem__": as_change(indexing.setitem, "item"),
    # shape
    "reshape": reshape_method,
    "view": view_method,
    "reshape_as": shapes.reshape_as,
    "view_as": shapes.view_as,
    "ravel": shapes.ravel,
    "flatten": flatten_method,
    "unflatten": shapes.unflatten,
    "transpose": transpose_method,
    "permute": permute_method,
    "t": t_method,
    "adjoint": matrix_crossed,
    "swapaxes": shapes.swapaxes,
    "swapdims": shapes.swapdims,
    "moveaxis": shapes.moveaxis,
    "movedim": shapes.movedim,
    "expand_dims": shapes.expand_dims,
    "unsqueeze": shapes.unsqueeze,
    "squeeze": spelled(shapes.squeeze),
    "broadcast_to": broadcast_method,
    "expand": broadcast_method,
    "expand_as": shapes.expand_as,
    "sum_to_size": _to_size,
    "diagonal": spelled(shapes.diagonal, axis1="dim1", axis2="dim2"),
    "narrow": spelled(shapes.narrow),
    "select": select_method,
    "tile": tile_method,
    "repeat": repeat_method,
    "repeat_interleave": spelled(_repeat_interleave),
    "flip": flip_method,
    "fliplr": joining.fliplr,
    "flipud": joining.flipud,
    "reverse": joining.reverse,
    "roll": joining.roll,
    "rot90": joining.rot90,
    "split": spelled(joining.split, split_size="split_size_or_sections"),
    "tensor_split": joining.tensor_split,
    "hsplit": joining.hsplit,
    "vsplit": joining.vsplit,
    "dsplit": joining.dsplit,
    "chunk": spelled(joining.chunk),
    "unbind": joining.unbind,
    "resize": resize_method,
    # types and copies
    "astype": astype_method,
    "to": to_method,
    "type": type_method,
    "type_as": type_as_method,
    "bool": _converter(bool_, "bool"),
    "byte": _converter(uint8, "byte"),
    "char": _converter(int8, "char"),
    "short": _converter(int16, "short"),
    "int": _converter(int32, "int"),
    "long": _converter(int64, "long"),
    "half": _converter(float16, "half"),
    "bfloat16": _converter(bfloat16, "bfloat16"),
    "float": _converter(float32, "float"),
    "double": _converter(float64, "double"),
    "is_floating_point": is_floating_point,
    "is_signed": is_signed,
    "copy": copy,
    "clone": copy,
    "contiguous": contiguous_method,
    "detach": stop_gradient,
    "value": value_method,
    "ndimension": shapes.rank,
    # new tensors
    "new_zeros": new_zeros,
    "new_ones": new_ones,
    "new_empty": new_zeros,
    "new_full": new_full,
    "new_tensor": new_tensor,
    "fill": fill_method,
    # in place
    "fill_": as_change(fill_in_place, copy_to),
    "zero_": as_change(zero_in_place, None),
    "copy_": as_change(copy_in_place, copy_to),
    "assign_value": assign_value,
    "index": index_method,
    "fill_diagonal": fill_diagonal,
    "fill_diagonal_": fill_diagonal_in_place,
    # reductions
    "ptp": spread_of_values,
    "sum": sum_method,
    "max": _extreme_method("max", "largest"),
    "min": _extreme_method("min", "smallest"),
    "std": _spread_method("std"),
    "var": _spread_method("var"),
    # arithmetic
    "add": _scaled_method("add"),
    "sub": _scaled_method("sub"),
    "subtract": _scaled_method("sub"),
    "__round__": rounded,
    "__divmod__": divmod_of,
    "__rdivmod__": divmod_turned,
    # places that indices name
    "gather": gather_method,
    "gather_elements": indexing.gather_elements,
    "gather_nd": indexing.gather_nd,
    "take": take_method,
    "index_select": spelled(indexing.index_select),
    "masked_select": indexing.masked_select,
    "nonzero": indexing.nonzero,
    "argwhere": indexing.argwhere,
    "scatter": scatter_method,
    "scatter_": _in_place_along("scatter_", "set"),
    "scatter_add": scatter_add_method,
    "scatter_add_": _in_place_along("scatter_add_", "add"),
    "scatter_sub": scatters.tensor_scatter_sub,
    "scatter_mul": scatters.tensor_scatter_mul,
    "scatter_div": scatters.tensor_scatter_div,
    "scatter_max": scatters.tensor_scatter_max,
    "scatter_min": scatters.tensor_scatter_min,
    "index_add": index_add_method,
    "index_add_": index_add_in_place,
    "index_fill": spelled(scatters.index_fill),
    "index_fill_": index_fill_in_place,
    "index_copy_": index_copy_in_place,
    "index_put": scatters.index_put,
    "index_put_": index_put_in_place,
    "put_": put_in_place,
    "masked_scatter": masked_scatter,
    "where": where_method,
    "cumsum": spelled(cumsum_method),
    "searchsorted": spelled(searchsorted_method, values="v"),
    "inplace_update": spelled(scatters.inplace_update),
    "select_scatter": scatters.select_scatter,
    "slice_scatter": scatters.slice_scatter,
    "diagonal_scatter": scatters.diagonal_scatter,
    "to_coo": to_coo,
    "to_csr": to_csr,
}

#: Those that hand everything on to operators at once, which say what is wrong with it: a door of their own would take half
#: as long as they do.
_DIRECT = """
    __getitem__ __setitem__ reshape view permute transpose astype bool byte char short int long half bfloat16 float double
    contiguous copy_ sum add sub subtract
"""
DIRECT = frozenset(_DIRECT.split())

#: Properties by name.
TURNED: dict[str, Callable] = {
    "T": turned,
    "H": crossed,
    "mT": matrix_turned,
    "mH": matrix_crossed,
    "data": stop_gradient,
}
