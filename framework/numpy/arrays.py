"""Tensors by numpy's names: making them, their types and shapes, and places in them."""

from __future__ import annotations

import builtins
import functools
import inspect
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from anfora import ops
from anfora.core.dtype import (
    as_dtype,
    bool_,
    complex64,
    complex128,
    float32,
    float64,
    int32,
    int64,
    promote,
    promote_scalar,
)
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.tensor import Tensor
from anfora.ops.composite import with_doors
from anfora.ops.tapers import WEIGHTS, taper

__all__ = [
    "append", "arange", "array", "array_split", "array_str", "asarray", "asfarray", "atleast_1d", "atleast_2d",
    "atleast_3d", "bartlett", "blackman", "broadcast_arrays", "choose", "concatenate", "copy", "diag", "diag_indices",
    "diagflat", "digitize", "empty", "empty_like", "eye", "flip", "full", "full_like", "geomspace", "hamming",
    "hanning", "identity", "indices", "isscalar", "ix_", "linspace", "logspace", "meshgrid", "mgrid", "ogrid", "ones",
    "ones_like", "pad", "piecewise", "promote_types", "rand", "randint", "randn", "ravel_multi_index", "repeat",
    "result_type", "rollaxis", "searchsorted", "select", "size", "split", "squeeze", "stack", "take", "take_along_axis",
    "transpose", "tri", "tril_indices", "tril_indices_from", "triu_indices", "triu_indices_from", "unravel_index",
    "where", "zeros", "zeros_like",
]  # fmt: skip


def here(device: Any) -> None:
    """Refuse a device that is not the one there is."""
    if device is not None and str(device).upper() != "CPU":
        raise OpValueError(f'there is the device "CPU" alone, but got {device!r}', arg="device")


def asarray(a: Any, dtype: Any = None, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor of numbers, lists, numpy arrays or tensors.

    Args:
        copy: True: a tensor of its own, of a tensor too; False: no copy, so that only a tensor is taken.
    Raises:
        OpValueError: with `copy=False`, what is given is no tensor of this type.
    Example:
        >>> asarray([1, 2]).dtype, asarray([1., 2.]).dtype
        (anfora.int32, anfora.float32)
    """
    here(device)
    if isinstance(a, Tensor):
        if dtype is None or as_dtype(dtype) is a.dtype:
            return ops.copy(a) if copy else a
        if copy is False:
            raise OpValueError(f"asarray: a tensor of {a.dtype} is one of {as_dtype(dtype)} only by a copy", arg="copy")
        return a.astype(as_dtype(dtype))
    if copy is False:
        raise OpValueError(f"asarray makes a tensor of {type(a).__name__} by a copy", arg="copy")
    if isinstance(a, (list, tuple)) and builtins.any(isinstance(x, Tensor) for x in a):
        made = stack([asarray(x) for x in a])
        return made if dtype is None else made.astype(as_dtype(dtype))
    made = Tensor(a)
    if dtype is None and isinstance(a, (bool, int, float, complex, list, tuple)):
        dtype = {int64: int32, float64: float32, complex128: complex64}.get(made.dtype)
    return made if dtype is None else made.astype(as_dtype(dtype))


def array(obj: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> Tensor:
    """A tensor of numbers, lists, numpy arrays or tensors, with axes of length 1 in front up to `ndmin` of them.

    Example:
        >>> array([1, 2], ndmin=2).tolist()
        [[1, 2]]
    """
    made = asarray(obj, dtype)
    made = ops.copy(made) if copy and made is obj else made
    return made.reshape((1,) * builtins.max(ndmin - made.ndim, 0) + made.shape)


def asfarray(a: Any, dtype: Any = float32) -> Tensor:
    """`asarray` of a floating-point type.

    Example:
        >>> asfarray([1, 2]).dtype
        anfora.float32
    """
    return asarray(a, dtype)


def tensors(values: Any) -> Any:
    """Numbers and lists among arguments as tensors."""
    return asarray(values) if isinstance(values, (int, float, list, tuple, numpy.ndarray)) else values


def of_type(result: Any, dtype: Any) -> Any:
    return result if dtype is None else result.astype(as_dtype(dtype))


# -- making tensors ---------------------------------------------------------------------------------------------------


def ones(shape: Any, dtype: Any = float32, *, device: Any = None) -> Tensor:
    """A tensor of ones."""
    here(device)
    return ops.ones(shape, float32 if dtype is None else as_dtype(dtype))


def zeros(shape: Any, dtype: Any = float32, *, device: Any = None) -> Tensor:
    """A tensor of zeros."""
    here(device)
    return ops.zeros(shape, float32 if dtype is None else as_dtype(dtype))


empty = zeros


def full(shape: Any, fill_value: Any, dtype: Any = None, *, device: Any = None) -> Tensor:
    """A tensor of one value, or of values that are broadcast.

    Example:
        >>> full((2, 2), [1, 2]).tolist()
        [[1, 2], [1, 2]]
    """
    here(device)
    return ops.copy(ops.broadcast_to(asarray(fill_value, dtype), (shape,) if isinstance(shape, int) else tuple(shape)))


def _alike(value: Any) -> Callable:
    def function(a: Any, dtype: Any = None, shape: Any = None, *, device: Any = None) -> Tensor:
        here(device)
        a = asarray(a)
        return full(a.shape if shape is None else shape, value, a.dtype if dtype is None else dtype)

    function.__doc__ = f"A tensor of {value} in the shape and type of another, or of those that are given."
    return function


ones_like, zeros_like, empty_like = _alike(1), _alike(0), _alike(0)


def full_like(a: Any, fill_value: Any, dtype: Any = None, shape: Any = None, *, device: Any = None) -> Tensor:
    """A tensor of one value in the shape and type of another, or of those that are given."""
    here(device)
    a = asarray(a)
    return full(a.shape if shape is None else shape, fill_value, a.dtype if dtype is None else dtype)


def arange(start: Any, stop: Any = None, step: Any = None, dtype: Any = None, *, device: Any = None) -> Tensor:
    """Numbers from `start`, or 0, to `stop`, which is not among them.

    Example:
        >>> arange(3).tolist(), arange(0, 1, 0.5).dtype
        ([0, 1, 2], anfora.float32)
    """
    here(device)
    return asarray(numpy.arange(start, stop, step), dtype or _default(start, stop, step))


def _default(*numbers: Any) -> Any:
    return float32 if builtins.any(isinstance(n, float) for n in numbers) else int32


def _ends(*ends: Any) -> list[numpy.ndarray]:
    """Numbers, arrays or tensors in double precision, complex where one is."""
    arrays = [numpy.asarray(x.asnumpy() if isinstance(x, Tensor) else x) for x in ends]
    return [x.astype(numpy.result_type(numpy.float64, *arrays)) for x in arrays]


def _count(name: str, num: Any) -> int:
    """How many numbers are asked for."""
    if not hasattr(num, "__index__") or isinstance(num, builtins.bool):
        raise OpTypeError(f"{name} needs an integer for `num`, but got {num!r}", arg="num")
    if operator.index(num) < 0:
        raise OpValueError(f"{name} needs `num` of at least 0, but got {num}", arg="num")
    return operator.index(num)


def _shown(made: Any, dtype: Any) -> Tensor:
    """Numbers of double precision in the type that is asked for; else float32, of complex ones complex64."""
    return asarray(made, dtype or (complex64 if numpy.iscomplexobj(numpy.asarray(made)) else float32))


def linspace(
    start: Any, stop: Any, num: int = 50, endpoint: builtins.bool = True, retstep: builtins.bool = False,
    dtype: Any = None, axis: int = 0, *, device: Any = None,
) -> Any:  # fmt: skip
    """Numbers at equal distances; if asked for, their distance too. float32, of complex ends complex64, without `dtype`;
    of an integer `dtype` the next ones below.

    Example:
        >>> linspace(0, 1, 3).tolist(), linspace(0, 1j, 2).tolist()
        ([0.0, 0.5, 1.0], [0j, 1j])
    """
    here(device)
    first, last = _ends(start, stop)
    made, step = numpy.linspace(first, last, _count("linspace", num), endpoint, retstep=True, axis=axis)
    if dtype is not None and as_dtype(dtype).kind in "iu" and not numpy.iscomplexobj(made):
        made = numpy.floor(made)
    return (_shown(made, dtype), _shown(step, None)) if retstep else _shown(made, dtype)


def logspace(
    start: Any, stop: Any, num: int = 50, endpoint: builtins.bool = True, base: Any = 10.0, dtype: Any = None,
    axis: int = 0,
) -> Tensor:  # fmt: skip
    """`base` to the powers that `linspace` gives, in numbers of double precision.

    Example:
        >>> logspace(0, 2, 3).tolist()
        [1.0, 10.0, 100.0]
    """
    start, stop, base = _ends(start, stop, base)
    if base.ndim:
        start, stop, base = numpy.broadcast_arrays(start, stop, base)
        base = numpy.expand_dims(base, axis)
    powers = numpy.linspace(start, stop, _count("logspace", num), endpoint, axis=axis)
    return _shown(ops.pow(Tensor(base), Tensor(powers)).asnumpy(), dtype)


def geomspace(
    start: Any, stop: Any, num: int = 50, endpoint: builtins.bool = True, dtype: Any = None, axis: int = 0
) -> Tensor:
    """Numbers each of which is a factor times the one before; the ends are exact.

    Raises:
        ValueError: an end is 0.
    Example:
        >>> geomspace(1, 8, 4).tolist()
        [1.0, 2.0, 4.0, 8.0]
    """
    first, last = numpy.broadcast_arrays(*_ends(start, stop))
    if not (first.all() and last.all()):
        raise OpValueError("geomspace cannot begin or end with 0", arg="start" if not first.all() else "stop")
    num, sign = _count("geomspace", num), ops.sign(Tensor(first))
    low, high = (ops.log10(Tensor(x) / sign).asnumpy() for x in (first, last))
    powers = numpy.linspace(low, high, num, endpoint)
    made = (ops.pow(Tensor(numpy.asarray(10.0)), Tensor(powers)) * sign).asnumpy()
    made[:1] = first
    if endpoint and num > 1:
        made[-1:] = numpy.where(numpy.isnan(first), first, last)
    return _shown(numpy.moveaxis(made, 0, axis), dtype)


def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = float32, *, device: Any = None) -> Tensor:
    """Ones on a diagonal, zeros elsewhere."""
    here(device)
    return asarray(numpy.eye(N, M, k), float32 if dtype is None else dtype)


def identity(n: int, dtype: Any = float32) -> Tensor:
    """Ones on the main diagonal of a square matrix, zeros elsewhere."""
    return eye(n, dtype=dtype)


def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = float32) -> Tensor:
    """Ones on and below a diagonal, zeros elsewhere."""
    return asarray(numpy.tri(N, M, k), dtype)


def _of_integers(name: str) -> Callable:
    def function(*args: Any, **kwargs: Any) -> tuple[Tensor, ...]:
        return tuple(asarray(x, int32) for x in getattr(numpy, name)(*args, **kwargs))

    function.__doc__ = f"numpy's `{name}`, int32."
    function.__signature__ = inspect.signature(getattr(numpy, name))  # type: ignore[attr-defined]
    return function


diag_indices, tril_indices, triu_indices = map(_of_integers, ("diag_indices", "tril_indices", "triu_indices"))


def tril_indices_from(arr: Any, k: int = 0) -> tuple[Tensor, ...]:
    """The places of the lower triangle of a matrix."""
    return tril_indices(*arr.shape[:1], k, arr.shape[-1])


def triu_indices_from(arr: Any, k: int = 0) -> tuple[Tensor, ...]:
    """The places of the upper triangle of a matrix."""
    return triu_indices(*arr.shape[:1], k, arr.shape[-1])


def indices(dimensions: Sequence[int], dtype: Any = int32, sparse: bool = False) -> list[Tensor]:
    """The coordinates of a grid, one tensor for each axis."""
    make: Any = numpy.indices
    dtype = None if dtype is None else as_dtype(dtype)  # before a grid is made, which may be large
    return [asarray(x, dtype) for x in make(tuple(dimensions), sparse=sparse)]


def ix_(*args: Any) -> tuple[Tensor, ...]:
    """Vectors along axes of their own, so that together they name all combinations."""
    vectors = [asarray(x) for x in args]
    return tuple(x.reshape(*(-1 if i == j else 1 for j in range(len(vectors)))) for i, x in enumerate(vectors))


def meshgrid(*xi: Any, sparse: bool = False, indexing: str = "xy") -> list[Tensor]:
    """The coordinates of a grid whose axes have given values."""
    if not sparse:
        return list(ops.meshgrid(*(asarray(x).reshape(-1) for x in xi), indexing=indexing))
    parts = list(ix_(*xi))
    if indexing == "xy" and len(parts) > 1:
        parts[:2] = [parts[0].swapaxes(0, 1), parts[1].swapaxes(0, 1)]
    return parts


class _Grid:
    """`mgrid[0:3, 0:2]`: coordinates of a grid, as numpy makes them."""

    def __init__(self, maker: Any) -> None:
        self.maker = maker

    def __getitem__(self, key: Any) -> Any:
        made = self.maker[key]
        if isinstance(made, (tuple, list)):
            return [asarray(x, _default_of(x)) for x in made]
        return asarray(made, _default_of(made))


def _default_of(x: numpy.ndarray) -> Any:
    return float32 if x.dtype.kind == "f" else int32


mgrid, ogrid = _Grid(numpy.mgrid), _Grid(numpy.ogrid)


def _window(name: str) -> Callable:
    def function(M: int) -> Tensor:
        if isinstance(M, bool) or not isinstance(M, int):
            raise OpTypeError(f"{name} needs an integer for `M`, but got {M!r}", arg="M")
        return asarray(taper(WEIGHTS[name], max(M, 0)), float32)

    function.__doc__ = f"numpy's `{name}`: a window of M weights, float32."
    return function


bartlett, blackman, hamming, hanning = map(_window, ("bartlett", "blackman", "hamming", "hanning"))


def rand(*shape: int, dtype: Any = float32) -> Tensor:
    """Random numbers from 0 to 1."""
    return ops.rand(*shape, dtype=_floating("rand", dtype))


def randn(*shape: int, dtype: Any = float32) -> Tensor:
    """Random numbers of the standard normal distribution."""
    return ops.randn(*shape, dtype=_floating("randn", dtype))


def _floating(name: str, dtype: Any) -> Any:
    if not as_dtype(dtype).is_float:
        raise OpValueError(f"{name} needs a floating-point `dtype`, but got {dtype}", arg="dtype")
    return as_dtype(dtype)


def randint(minval: int, maxval: int | None = None, shape: Any = None, dtype: Any = int32) -> Tensor:
    """Random integers from `minval` to below `maxval`; from 0 to below `minval` without it.

    Raises:
        OpTypeError: a bound that is no integer.
        OpValueError: there is no integer between the bounds, or `dtype` is no type of integers.
    Example:
        >>> randint(7, 8, (2, 2)).tolist()
        [[7, 7], [7, 7]]
    """
    if not as_dtype(dtype).is_integer:
        raise OpValueError(f"randint gives integers, so `dtype` cannot be {as_dtype(dtype)!r}", arg="dtype")
    low, high = (0, minval) if maxval is None else (minval, maxval)
    for value in (low, high):
        if isinstance(value, bool) or not isinstance(value, int):
            raise OpTypeError(f"randint needs integers, but got {value!r}", arg="minval")
    if low >= high:
        raise OpValueError(f"randint: there is no integer from {low} to below {high}", arg="maxval")
    size = (1,) if shape is None else (shape,) if isinstance(shape, int) else tuple(shape)
    return ops.randint(low, high, size).astype(as_dtype(dtype))


# -- types ------------------------------------------------------------------------------------------------------------


def promote_types(type1: Any, type2: Any) -> Any:
    """The element type in which two meet."""
    return promote(as_dtype(type1), as_dtype(type2))


def result_type(*arrays_and_dtypes: Any) -> Any:
    """The element type in which tensors, numbers and types meet. Numbers of Python only lift the kind of the others.

    Example:
        >>> result_type(int8, 1), result_type(int8, 1.5), result_type(1, 2)
        (anfora.int8, anfora.float32, anfora.int32)
    """
    numbers = [x for x in arrays_and_dtypes if isinstance(x, (int, float, complex))]
    others = [x for x in arrays_and_dtypes if not isinstance(x, (int, float, complex))]
    if not others:
        return functools.reduce(promote, [asarray(x).dtype for x in numbers])
    found = functools.reduce(promote, [_kind(x) for x in others])
    return functools.reduce(lambda dtype, x: promote_scalar(dtype, type(x)), numbers, found)


def _kind(x: Any) -> Any:
    return asarray(x).dtype if isinstance(x, (Tensor, list, tuple)) else as_dtype(x)


def isscalar(element: Any) -> bool:
    """Whether something is a Python number or string."""
    return isinstance(element, (int, float, complex, bool, str))


def array_str(a: Any) -> str:
    """A tensor as text."""
    return numpy.array_str(asarray(a).asnumpy())


# -- shapes -----------------------------------------------------------------------------------------------------------


def transpose(a: Any, axes: Any = None) -> Tensor:
    """The axes in another order, the opposite one when not given."""
    a = asarray(a)
    return ops.transpose(a, tuple(range(a.ndim))[::-1] if axes is None else tuple(axes))


def rollaxis(x: Any, axis: int, start: int = 0) -> Tensor:
    """An axis moved to stand before the axis `start`."""
    x = asarray(x)
    axis, start = axis % x.ndim, start + x.ndim if start < 0 else start
    order = [i for i in range(x.ndim) if i != axis]
    order.insert(start - (start > axis), axis)
    return ops.transpose(x, tuple(order))


def _at_least(name: str) -> Callable:
    widen = getattr(ops, name)

    def function(*arys: Any) -> Any:
        made = [widen(asarray(x)) for x in arys]
        return made[0] if len(made) == 1 else made

    function.__doc__ = f"numpy's `{name}`: tensors with at least so many axes; a list, of several."
    return function


atleast_1d, atleast_2d, atleast_3d = map(_at_least, ("atleast_1d", "atleast_2d", "atleast_3d"))


def flip(m: Any, axis: Any = None) -> Tensor:
    """The elements along axes, along all without any, in reverse order."""
    m = asarray(m)
    axes = tuple(range(m.ndim)) if axis is None else axis
    return ops.flip(m, (axes,) if isinstance(axes, int) else tuple(axes))


def broadcast_arrays(*args: Any) -> list[Tensor]:
    """Tensors, stretched to one shape."""
    tensors = [asarray(x) for x in args]
    shape = numpy.broadcast_shapes(*(x.shape for x in tensors))
    return [ops.broadcast_to(x, shape) for x in tensors]


def _joined(arrays: Any) -> list[Tensor]:
    tensors = [asarray(x) for x in arrays]
    kind = functools.reduce(promote, (x.dtype for x in tensors))
    return [x if x.dtype is kind else x.astype(kind) for x in tensors]


def copy(a: Any) -> Tensor:
    """A tensor of its own with the same elements; what `asarray` takes is taken."""
    return ops.copy(asarray(a))


def concatenate(arrays: Any, axis: int | None = 0) -> Tensor:
    """Tensors behind one another along an axis; flat ones without an axis."""
    if axis is None:
        return ops.concat([x.reshape(-1) for x in _joined(arrays)], 0)
    return ops.concat(_joined(arrays), axis)


def stack(arrays: Any, axis: int = 0) -> Tensor:
    """Tensors along a new axis."""
    return ops.stack(_joined(arrays), axis)


def append(arr: Any, values: Any, axis: int | None = None) -> Tensor:
    """Values behind a tensor along an axis; both flat without an axis."""
    return concatenate((arr, values), axis)


def split(x: Any, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    """As many equal parts as are told, or parts that end at given indices."""
    if isinstance(indices_or_sections, int) and x.shape[axis] % indices_or_sections:
        raise OpValueError(
            f"split: {indices_or_sections} equal parts cannot be made of a length of {x.shape[axis]}",
            arg="indices_or_sections",
        )
    return array_split(x, indices_or_sections, axis)


def array_split(x: Any, indices_or_sections: Any, axis: int = 0) -> list[Tensor]:
    """As many parts of about equal length as are told, or parts that end at given indices."""
    cut = indices_or_sections if isinstance(indices_or_sections, int) else tuple(indices_or_sections)
    return list(ops.tensor_split(asarray(x), cut, axis))


def repeat(a: Any, repeats: Any, axis: int | None = None) -> Tensor:
    """Each element, or each part along an axis, several times in a row."""
    a = asarray(a)
    a, axis = (a.reshape(-1), 0) if axis is None else (a, axis)
    if isinstance(repeats, (list, tuple)):
        repeats = repeats[0] if len(repeats) == 1 else Tensor(repeats, int64)
    return ops.repeat_interleave(a, repeats, axis)


def pad(
    arr: Any,
    pad_width: Any,
    mode: str = "constant",
    stat_length: Any = None,
    constant_values: Any = 0,
    end_values: Any = 0,
    reflect_type: str = "even",
) -> Tensor:
    """Elements around a tensor: mode "constant" (and `constant_values`), "edge", "reflect", "symmetric" or "wrap"."""
    given = {"stat_length": (stat_length, None), "end_values": (end_values, 0), "reflect_type": (reflect_type, "even")}
    odd = [name for name, (value, usual) in given.items() if value != usual]
    if odd:
        raise NotImplementedError(f"pad with {odd}")
    arr = asarray(arr)
    names = {"constant": "constant", "edge": "replicate", "reflect": "reflect", "wrap": "circular"}
    width = numpy.broadcast_to(pad_width, (arr.ndim, 2)).tolist()
    if mode in ("constant", "symmetric"):
        flat = [n for pair in reversed(width) for n in pair]
        if not isinstance(constant_values, (int, float)):
            raise NotImplementedError("pad with constant_values for each side")
        return ops.pad(arr, flat, mode, constant_values) if mode == "constant" else ops.pad(arr, flat, mode)
    if mode not in names:
        raise NotImplementedError(f"pad with mode={mode!r}")
    for axis, (before, after) in enumerate(width):
        moved = ops.moveaxis(arr, axis, -1)
        flat_rows = moved.reshape(-1, 1, moved.shape[-1])
        wider = ops.pad(flat_rows, (before, after), names[mode])
        arr = ops.moveaxis(wider.reshape(*moved.shape[:-1], -1), -1, axis)
    return arr


def size(a: Any, axis: int | None = None) -> int:
    """How many elements there are, in all or along an axis."""
    a = asarray(a)
    return a.size if axis is None else a.shape[axis]


def squeeze(a: Any, axis: Any = None) -> Tensor:
    """Without axes of length 1: all, or those named, which must have it."""
    a = asarray(a)
    for i in () if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,):
        if -a.ndim <= i < a.ndim and a.shape[i] != 1:
            raise OpValueError(f"squeeze: axis {i} of the shape {a.shape} has length {a.shape[i]}, not 1", arg="axis")
    return ops.squeeze(a, axis)


# -- places -----------------------------------------------------------------------------------------------------------


def diag(v: Any, k: int = 0) -> Tensor:
    """The matrix with a vector on a diagonal, or a diagonal of a matrix."""
    v = asarray(v)
    return ops.diag_embed(v, k) if v.ndim == 1 else ops.diagonal(v, k)


def diagflat(v: Any, k: int = 0) -> Tensor:
    """The matrix with all elements on a diagonal."""
    return ops.diagflat(asarray(v), k)


def take(a: Any, indices: Any, axis: int | None = None, mode: str | None = None) -> Tensor:
    """The parts that indices name along an axis; see `Tensor.take`.

    Args:
        mode: "clip", "wrap" or "raise" as numpy has them; without it negative indices count from the end, and what is
            out of range is clipped.
    """
    a, indices = asarray(a), asarray(indices)
    if mode is None:
        indices = ops.where(indices < 0, indices + (a.size if axis is None else a.shape[axis]), indices)
    return a.take(indices, axis, "clip" if mode is None else mode)


def take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> Tensor:
    """The elements that indices name along an axis, each in its own place."""
    arr, indices = asarray(arr), asarray(indices)
    arr, axis = (arr.reshape(-1), 0) if axis is None else (arr, axis)
    axis %= arr.ndim
    shape = numpy.broadcast_shapes(*((*x.shape[:axis], 1, *x.shape[axis + 1 :]) for x in (arr, indices)))
    arr, indices = (ops.broadcast_to(x, (*shape[:axis], x.shape[axis], *shape[axis + 1 :])) for x in (arr, indices))
    return ops.gather_elements(arr, axis, indices)


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """x where a condition holds, else y; the places where it holds without both."""
    condition = asarray(condition)
    if x is None and y is None:
        return tuple(ops.argwhere(condition).swapaxes(0, 1))
    return ops.where(condition.astype(bool_), tensors(x), tensors(y))


def choose(a: Any, choices: Any, mode: str = "clip") -> Tensor:
    """Of each place, the element of the tensor that an index names."""
    a, *options = broadcast_arrays(a, *choices)
    a = a.clip(0, len(options) - 1) if mode == "clip" else a % len(options) if mode == "wrap" else a
    return ops.gather_elements(stack(options), 0, a.astype(int64).reshape(1, *a.shape)).reshape(a.shape)


def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Tensor:
    """Of each place, the element of the first tensor whose condition holds."""
    result = default
    for condition, choice in reversed(list(zip(condlist, choicelist))):
        result = where(condition, asarray(choice), result)
    return result


def piecewise(x: Any, condlist: Any, funclist: Sequence[Any], *args: Any, **kw: Any) -> Tensor:
    """Functions of the elements, of which conditions choose; one more than conditions is for the rest."""
    x = asarray(x)
    conditions = condlist if isinstance(condlist, (list, tuple)) else [condlist]
    values = [f(x, *args, **kw) if callable(f) else full_like(x, f) for f in funclist]
    rest = values[-1] if len(values) > len(conditions) else zeros_like(x)
    for condition, value in zip(conditions, values):
        rest = where(condition, value, rest)
    return rest


def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Tensor:
    """Where elements would be put into a sorted tensor, int64."""
    a, v = asarray(a), asarray(v)
    kind = promote(a.dtype, v.dtype)
    return ops.searchsorted(a.astype(kind), v.astype(kind), side=side, sorter=sorter).astype(int64)


def digitize(x: Any, bins: Any, right: bool = False) -> Tensor:
    """The number of the bin in which each element lies; bins rise or fall."""
    bins, x = asarray(bins), asarray(x)
    side = "left" if right else "right"
    if bins.size and bool((bins[0] > bins[-1]).item()):
        other = "right" if right else "left"
        return bins.size - searchsorted(flip(bins), x, other)
    return searchsorted(bins, x, side)


def ravel_multi_index(multi_index: Any, dims: Any, mode: str = "clip", order: str = "C") -> Tensor:
    """The place in row-major order (in column-major for "F") of coordinates."""
    parts = [asarray(x).astype(int64) for x in multi_index]
    if mode == "wrap":
        parts = [x % n for x, n in zip(parts, dims)]
    elif mode == "clip":
        parts = [x.clip(0, n - 1) for x, n in zip(parts, dims)]
    sizes = list(zip(parts, dims))
    total: Any = 0
    for x, n in sizes if order == "C" else reversed(sizes):
        total = total * n + x
    return total


def unravel_index(indices: Any, shape: Any, order: str = "C") -> tuple[Tensor, ...]:
    """The coordinates of places in row-major order (in column-major for "F")."""
    rest, parts = asarray(indices), []
    for n in reversed(tuple(shape)) if order == "C" else tuple(shape):
        parts.append(rest % n)
        rest = rest // n
    return tuple(reversed(parts)) if order == "C" else tuple(parts)


globals().update(with_doors(globals(), __all__))
