"""The array API standard, as far as its names are not those of numpy's dialect next door.

`Tensor.__array_namespace__()` gives `anfora.numpy`, whose functions take the standard's arguments beside MindSpore's. Its
version is 2024.12. What the standard leaves to a library: numbers of Python become int32, float32 and complex64, places are
int64, the one device is "CPU".
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy

from anfora import ops
from anfora.core import dtype as dt
from anfora.core.dtype import DType, as_dtype, complex64, complex128, int32, int64, promote
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.tensor import Tensor
from anfora.core.tensor import from_dlpack as shared
from anfora.numpy.arrays import asarray, concatenate, here
from anfora.numpy.calculations import summed_type
from anfora.ops.composite import with_doors

__all__ = [
    "__array_api_version__", "__array_namespace_info__", "all", "any", "argmax", "argmin", "argsort", "astype", "bool",
    "broadcast_shapes", "can_cast", "complex128", "complex64", "concat", "conj", "cumulative_prod", "cumulative_sum",
    "e", "finfo", "from_dlpack", "iinfo", "imag", "isdtype", "matrix_transpose", "newaxis", "nonzero",
    "permute_dims", "prod", "real", "reshape", "sort", "std", "unique_all", "unique_counts", "unique_inverse",
    "unique_values", "unstack", "var", "vecdot",
]  # fmt: skip

__array_api_version__ = "2024.12"
e, newaxis = numpy.e, None
bool = dt.bool_


# -- what there is ----------------------------------------------------------------------------------------------------


class __array_namespace_info__:
    """What the standard leaves to a library.

    Example:
        >>> from anfora.numpy import __array_namespace_info__
        >>> __array_namespace_info__().default_dtypes()["integral"]
        anfora.int32
    """

    def capabilities(self) -> dict[str, Any]:
        """Indices may be masks, shapes may follow from data, and there is a most of axes."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": _MOST_AXES}

    def default_device(self) -> str:
        """Where tensors are made."""
        return "CPU"

    def devices(self) -> list[str]:
        """Where tensors can be."""
        return ["CPU"]

    def default_dtypes(self, *, device: Any = None) -> dict[str, DType]:
        """The element types of Python's numbers, and of places."""
        here(device)
        floating = {"real floating": dt.float32, "complex floating": complex64}
        return {**floating, "integral": int32, "indexing": int64}

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, DType]:
        """The element types of one kind, of several, or all."""
        here(device)
        named = {dtype.name.rstrip("_"): dtype for dtype in _STANDARD}
        return named if kind is None else {name: dtype for name, dtype in named.items() if isdtype(dtype, kind)}


_MOST_AXES = 64 if int(numpy.__version__.split(".")[0]) > 1 else 32
_STANDARD = tuple(dtype for dtype in dt.ALL if dtype not in (dt.float16, dt.bfloat16))


# -- types ------------------------------------------------------------------------------------------------------------

_KINDS = {
    "bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu", "real floating": "f",
    "complex floating": "c", "numeric": "iufc",
}  # fmt: skip


def isdtype(dtype: Any, kind: Any) -> builtins.bool:
    """Whether an element type is another one, or of a kind, or of one of several.

    Args:
        kind: a type, the name of a kind ("bool", "signed integer", "unsigned integer", "integral", "real floating",
            "complex floating", "numeric"), or a tuple of these.
    Raises:
        OpValueError: there is no such kind.
    Example:
        >>> isdtype(float32, "real floating"), isdtype(int8, ("bool", int16))
        (True, False)
    """
    if isinstance(kind, tuple):
        return builtins.any(isdtype(dtype, one) for one in kind)
    own = as_dtype(dtype)
    if not isinstance(kind, str):
        return own is as_dtype(kind)
    if kind not in _KINDS:
        raise OpValueError(f"isdtype: {kind!r} is no kind of element types; they are {', '.join(_KINDS)}", arg="kind")
    return own.kind in _KINDS[kind]


def can_cast(from_: Any, to: Any) -> builtins.bool:
    """Whether all values of an element type, or of a tensor's, can be those of another.

    Example:
        >>> can_cast(int8, int16), can_cast(int16, uint16)
        (True, False)
    """
    one, other = as_dtype(from_.dtype if isinstance(from_, Tensor) else from_), as_dtype(to)
    if one.kind != other.kind:
        return numpy.can_cast(one.numpy, other.numpy) and other is not dt.bfloat16
    try:
        return promote(one, other) is other
    except OpTypeError:
        return False


class finfo:
    """What a floating-point type can hold; of a type or of a tensor.

    Attributes:
        bits, eps, max, min, smallest_normal: Python numbers;  dtype: the type.
    Example:
        >>> finfo(float32).eps == 2**-23
        True
    """

    __slots__ = ("bits", "dtype", "eps", "max", "min", "smallest_normal")

    def __init__(self, type: Any) -> None:
        self.dtype = dtype = as_dtype(type.dtype if isinstance(type, Tensor) else type)
        if not dtype.is_inexact:
            raise OpTypeError(f"finfo needs a floating-point type, but got {dtype}", arg="type")
        dtype = self.dtype = dtype.part
        self.bits = dtype.bits
        known: Any = numpy.finfo(dtype.numpy)
        self.max, self.eps = float(known.max), float(known.eps)
        self.smallest_normal = float(known.smallest_normal)
        if dtype is dt.bfloat16:  # the range of float32, with eight bits
            self.max, self.eps = (2 - 2.0**-7) * 2.0**127, 2.0**-7
        self.min = -self.max

    def __repr__(self) -> str:
        return f"finfo({self.dtype.name}: from {self.min} to {self.max}, eps {self.eps})"


class iinfo:
    """What an integer type can hold; of a type or of a tensor.

    Attributes:
        bits, max, min: Python numbers;  dtype: the type.
    Example:
        >>> iinfo(uint8).max
        255
    """

    __slots__ = ("bits", "dtype", "max", "min")

    def __init__(self, type: Any) -> None:
        self.dtype = dtype = as_dtype(type.dtype if isinstance(type, Tensor) else type)
        if not dtype.is_integer:
            raise OpTypeError(f"iinfo needs an integer type, but got {dtype}", arg="type")
        known = numpy.iinfo(dtype.numpy)
        self.bits, self.max, self.min = dtype.bits, int(known.max), int(known.min)

    def __repr__(self) -> str:
        return f"iinfo({self.dtype.name}: from {self.min} to {self.max})"


def astype(x: Any, dtype: Any, *, copy: builtins.bool = True, device: Any = None) -> Tensor:
    """A tensor with another element type; with `copy`, always a new one."""
    here(device)
    x, dtype = asarray(x), as_dtype(dtype)
    return x.astype(dtype) if x.dtype is not dtype else ops.copy(x) if copy else x


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that shapes are stretched to.

    Example:
        >>> broadcast_shapes((2, 1), (3,))
        (2, 3)
    """
    return numpy.broadcast_shapes(*shapes)


def from_dlpack(x: Any, /, *, device: Any = None, copy: builtins.bool | None = None) -> Tensor:
    """A tensor on the memory of another library's array; see `anfora.from_dlpack`."""
    here(device)
    return shared(x, copy=copy)


# -- elements ---------------------------------------------------------------------------------------------------------


def conj(x: Any) -> Tensor:
    """The complex conjugate; of real numbers the tensor."""
    return ops.conj(asarray(x))


def real(x: Any) -> Tensor:
    """The real part; of real numbers the tensor."""
    return ops.real(asarray(x))


def imag(x: Any) -> Tensor:
    """The imaginary part; of real numbers zeros."""
    return ops.imag(asarray(x))


# -- along axes -------------------------------------------------------------------------------------------------------


def all(x: Any, *, axis: Any = None, keepdims: builtins.bool = False) -> Tensor:
    """Whether all elements along axes, all without any, are true."""
    return ops.all(asarray(x), axis, keepdims)


def any(x: Any, *, axis: Any = None, keepdims: builtins.bool = False) -> Tensor:
    """Whether any element along axes, of all without any, is true."""
    return ops.any(asarray(x), axis, keepdims)


def prod(x: Any, *, axis: Any = None, dtype: Any = None, keepdims: builtins.bool = False) -> Tensor:
    """The product along axes, of all elements without any; of integers as `sum`."""
    x = asarray(x)
    return ops.prod(x, axis, keepdims, summed_type(x.dtype) if dtype is None else as_dtype(dtype))


def var(
    x: Any, axis: Any = None, ddof: float = 0, keepdims: builtins.bool = False, *, correction: float | None = None
) -> Tensor:
    """The mean of the squares of what elements differ by from their mean, along axes, of all elements without any.

    Args:
        ddof, correction: how much less than the number of elements is divided by; not only an integer.
    """
    x = asarray(x)
    less = ddof if correction is None else correction
    if less == int(less):
        return ops.var(x, axis, int(less), keepdims)
    whole = ops.var(x, axis, 0, keepdims)
    count = x.size // builtins.max(whole.size, 1)
    return whole * (count / (count - less))


def std(
    x: Any, axis: Any = None, ddof: float = 0, keepdims: builtins.bool = False, *, correction: float | None = None
) -> Tensor:
    """The square root of `var`."""
    x = asarray(x)
    less = ddof if correction is None else correction
    if less == int(less):
        return ops.std(x, axis, int(less), keepdims)
    return ops.sqrt(var(x, axis, less, keepdims))


def argmax(a: Any, axis: int | None = None, keepdims: builtins.bool = False) -> Tensor:
    """Where the largest element along an axis stands, int64; in the flat tensor without an axis."""
    return _place(ops.argmax, a, axis, keepdims)


def argmin(a: Any, axis: int | None = None, keepdims: builtins.bool = False) -> Tensor:
    """Where the smallest element along an axis stands, int64; in the flat tensor without an axis."""
    return _place(ops.argmin, a, axis, keepdims)


def _place(find: Callable, a: Any, axis: int | None, keepdims: builtins.bool) -> Tensor:
    a = asarray(a)
    found = find(a.reshape(-1), 0) if axis is None else find(a, axis, keepdims)
    return found.reshape((1,) * a.ndim).astype(int64) if axis is None and keepdims else found.astype(int64)


def _running(name: str, scan: Callable, start: Callable) -> Callable:
    def function(
        x: Any, *, axis: int | None = None, dtype: Any = None, include_initial: builtins.bool = False
    ) -> Tensor:
        x = asarray(x)
        if axis is None:
            if x.ndim > 1:
                raise OpValueError(f"{name} of {x.ndim} axes needs to be told the axis", arg="axis")
            axis = 0
        found = scan(x, axis, summed_type(x.dtype) if dtype is None else as_dtype(dtype))
        if not include_initial:
            return found
        shape = (*x.shape[: axis % x.ndim], 1, *x.shape[axis % x.ndim + 1 :])
        return ops.concat([start(shape, found.dtype), found], axis)

    function.__doc__ = f"""The {"sums" if name.endswith("sum") else "products"} of the elements up to each, along an axis.

    Args:
        axis: may be left out where there is one.
        include_initial: begin with that of no elements.
    """
    return function


cumulative_sum = _running("cumulative_sum", ops.cumsum, ops.zeros)
cumulative_prod = _running("cumulative_prod", ops.cumprod, ops.ones)


def sort(x: Any, *, axis: int = -1, descending: builtins.bool = False, stable: builtins.bool = True) -> Tensor:
    """The elements along an axis in order; of equal ones the first stands first, always."""
    return ops.sort(asarray(x), axis, descending)[0]


def argsort(x: Any, *, axis: int = -1, descending: builtins.bool = False, stable: builtins.bool = True) -> Tensor:
    """Where the elements along an axis stand, in their order, int64."""
    return ops.sort(asarray(x), axis, descending)[1].astype(int64)


def vecdot(x1: Any, x2: Any, *, axis: int = -1) -> Tensor:
    """The sums of products along an axis, the others being broadcast; of complex numbers `x1` is conjugated."""
    x1, x2 = ops.conj(asarray(x1)), asarray(x2)
    one, other = ops.moveaxis(x1, axis, -1), ops.moveaxis(x2, axis, -1)
    if one.shape[-1] != other.shape[-1]:
        raise OpValueError(
            f"vecdot: the axis {axis} has {one.shape[-1]} elements in one tensor, and {other.shape[-1]} in the other",
            arg="axis",
        )
    kind = promote(one.dtype, other.dtype)
    return ops.sum(one * other, -1).astype(kind)


# -- shapes -----------------------------------------------------------------------------------------------------------


def concat(arrays: Any, *, axis: int | None = 0) -> Tensor:
    """Tensors behind one another along an axis; flat ones without an axis."""
    return concatenate(arrays, axis)


def permute_dims(x: Any, axes: tuple[int, ...]) -> Tensor:
    """The axes in another order."""
    return ops.transpose(asarray(x), tuple(axes))


def reshape(x: Any, new_shape: Any = None, *, shape: Any = None, copy: builtins.bool | None = None) -> Tensor:
    """The elements, in row-major order, in another shape, in which one length may be -1.

    Args:
        new_shape, shape: by either name.
        copy: True: the tensor has memory of its own. False: no copy; that is for tensors without gaps.
    Raises:
        OpTypeError: no shape is given, or two.
        OpValueError: the elements do not fit, or `copy=False` cannot be held to.
    """
    if (new_shape is None) == (shape is None):
        raise OpTypeError("reshape needs one shape", arg="new_shape")
    x = asarray(x)
    if copy is False and not x.is_contiguous():
        raise OpValueError(
            "reshape: the tensor has gaps, so that its elements take another shape by a copy", arg="copy"
        )
    found = ops.reshape(x, shape if new_shape is None else new_shape)
    return ops.copy(found) if copy else found


def matrix_transpose(x: Any) -> Tensor:
    """Matrices with rows and columns exchanged."""
    return asarray(x).mT


def unstack(x: Any, *, axis: int = 0) -> tuple[Tensor, ...]:
    """The parts of a tensor along an axis, which falls away."""
    return tuple(ops.unbind(asarray(x), axis))


def nonzero(x: Any) -> tuple[Tensor, ...]:
    """Where elements are not zero, int64: one tensor for each axis."""
    x = asarray(x)
    if not x.ndim:
        raise OpValueError("nonzero needs a tensor with an axis, but got a number", arg="x")
    return tuple([place.astype(int64) for place in ops.unbind(ops.argwhere(x), 1)])


# -- sets -------------------------------------------------------------------------------------------------------------


class _All(NamedTuple):
    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class _Counts(NamedTuple):
    values: Tensor
    counts: Tensor


class _Inverse(NamedTuple):
    values: Tensor
    inverse_indices: Tensor


def unique_all(x: Any) -> _All:
    """The different elements in order, where each stands first, which of them each element is, and how many are equal.

    NaN are different from each other.

    Returns:
        `values`, `indices`, `inverse_indices`, `counts`, by name too; places are int64.
    Example:
        >>> unique_all([3, 1, 3]).counts.tolist()
        [1, 2]
    """
    x = asarray(x)
    values, order = ops.sort(x.reshape(-1))
    different, numbers, counts = ops.unique_consecutive(values, True, True)
    numbers, counts = numbers.astype(int64), counts.astype(int64)
    starts = ops.cumsum(counts, 0) - counts
    inverse = ops.tensor_scatter_elements(ops.zeros_like(numbers), order, numbers)
    return _All(different, order.astype(int64)[starts], inverse.reshape(x.shape), counts)


def unique_counts(x: Any) -> _Counts:
    """The different elements in order, and how many are equal to each; see `unique_all`."""
    found = unique_all(x)
    return _Counts(found.values, found.counts)


def unique_inverse(x: Any) -> _Inverse:
    """The different elements in order, and which of them each element is; see `unique_all`."""
    found = unique_all(x)
    return _Inverse(found.values, found.inverse_indices)


def unique_values(x: Any) -> Tensor:
    """The different elements in order; see `unique_all`."""
    return unique_all(x).values


globals().update(with_doors(globals(), __all__))
