"""Arrays of numpy's that the program makes of known values: masks, tables of positions, constants.

    table = np.zeros((n, d))            what is in them follows from what is known, so Python does this once, while it is
    table[:, ::2] = np.sin(...)         recorded; `Tensor(table)` is a constant of the piece, and an array that lives on
    y = x + Tensor(table)               is part of images, with its bytes

Which functions follow from their arguments alone is listed here. Left to the interpreter is what numpy does with arrays
from elsewhere, with numbers that vary and with the data of tensors; what warns; and texts, which follow numpy's options.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from anfora.core.dtype import DType
from anfora.core.tensor import Tensor, tensor
from anfora.graph.facts import known
from anfora.graph.facts.origins import Number
from anfora.graph.machine import operations

__all__ = [
    "adopt", "array_image", "built_array", "follows", "gives_tensors", "holds_array", "is_array", "is_read_plainly",
    "iterates", "may_be_done",
]  # fmt: skip

_KINDS = "biufc"  #: of element types
_LARGEST = 1 << 26  #: bytes of an array that is kept in a recording

_NAMES = """
    abs absolute add all allclose amax amin any append arange arccos arccosh arcsin arcsinh arctan arctan2 arctanh
    argmax argmin argsort argwhere around array array_equal array_split asarray ascontiguousarray atleast_1d
    atleast_2d atleast_3d average bincount broadcast_to ceil clip column_stack concatenate conj copysign cos cosh
    count_nonzero cross cumprod cumsum deg2rad degrees delete diag diag_indices diagflat diagonal diff digitize
    divide divmod dsplit dstack dtype equal exp exp2 expand_dims expm1 eye fabs flatnonzero flip fliplr flipud
    float_power floor floor_divide fmax fmin fmod full full_like geomspace gradient greater greater_equal heaviside
    hsplit hstack hypot identity indices insert interp intersect1d invert isclose isfinite isin isinf isnan
    left_shift less less_equal linspace log log10 log1p log2 logaddexp logical_and logical_not logical_or
    logical_xor logspace maximum mean median meshgrid min minimum mod moveaxis multiply nan_to_num nanmax nanmean
    nanmin nansum ndim negative nonzero not_equal ones ones_like outer pad percentile positive power prod ptp
    quantile rad2deg radians ravel reciprocal remainder repeat reshape right_shift rint roll rollaxis rot90 round
    searchsorted select setdiff1d shape sign sin sinc sinh size sort split sqrt square squeeze stack std subtract
    sum swapaxes take take_along_axis tan tanh tile trace transpose tri tril tril_indices triu triu_indices
    true_divide trunc union1d unique unravel_index var vsplit vstack where zeros zeros_like bool_ int8 int16 int32
    int64 uint8 uint16 uint32 uint64 float16 float32 float64 intp
"""
_FUNCTIONS = frozenset(getattr(np, name) for name in _NAMES.split() if hasattr(np, name))
_METHODS = frozenset([
    "all", "any", "argmax", "argmin", "argsort", "astype", "clip", "copy", "cumprod", "cumsum", "diagonal", "fill",
    "flatten", "item", "max", "mean", "min", "nonzero", "prod", "ravel", "repeat", "reshape", "round",
    "searchsorted", "sort", "squeeze", "std", "sum", "swapaxes", "take", "tolist", "trace", "transpose", "var",
    "__getitem__", "__setitem__", "__len__",
])  # fmt: skip
_ATTRIBUTES = frozenset(["T", "dtype", "imag", "itemsize", "nbytes", "ndim", "real", "shape", "size", "strides"])
_OPERATORS = frozenset(
    each for name, each in operations.OPERATIONS.items() if name not in ("is", "is_not", "in", "not_in")
)
_IN_PLACE = frozenset(operations.IN_PLACE.values())
_BUILTINS = frozenset({
    *_OPERATORS, *_IN_PLACE, operations.OPERATIONS["in"], operations.OPERATIONS["not_in"], operator.getitem,
    operator.setitem, operator.index, len, bool, int, float, complex, abs, round, min, max, sum, sorted, list, tuple, range,
    divmod, pow, operations.unpack, operations.unpack_rest, operations.extend, operations.spread,
})  # fmt: skip
_CHANGING = frozenset({operator.setitem, operations.extend, *_IN_PLACE})  #: their first argument
#: What does something with tensors, and takes arrays in their place.
_OF_TENSORS = frozenset({operator.getitem, operator.setitem, *_OPERATORS, *_IN_PLACE})
#: What does not look into arrays.
_BLIND = frozenset({
    isinstance, issubclass, type, callable, id, setattr, operator.is_, operator.is_not, operator.setitem,
    dict.__setitem__, operations.make_dict, operations.merge_keywords, operations.fill_cell, operations.set_global,
    iter,
})  # fmt: skip


def is_array(value: Any) -> bool:
    """Whether it is an array of numpy's, or a number of one."""
    return isinstance(value, (np.ndarray, np.generic))


def holds_array(recorder: Any, operation: Any, args: tuple, kwargs: dict) -> bool:
    """Whether something makes an array, or is done with one that the program has made."""
    if known.is_among(operation, _FUNCTIONS) or (known.is_bound(operation) and recorder.owns_array(operation.__self__)):
        return True
    return any(map(recorder.owns_array, args)) or any(map(recorder.owns_array, kwargs.values()))


def follows(recorder: Any, operation: Any, args: tuple, kwargs: dict) -> bool:
    """Whether what it gives follows from known values, and nothing but arrays of the program is changed."""
    values = (*args, *kwargs.values())
    changes = known.is_among(operation, _CHANGING)
    if gives_tensors(operation, args):
        is_of_tensor = isinstance(args[0], Tensor) or not changes
        return is_of_tensor and all(isinstance(v, Tensor) or _is_known(recorder, v) for v in values)
    is_own = bool(args) and (is_array(args[0]) or (operation is operations.extend and not recorder.is_outside(args[0])))
    if (changes and not is_own) or not all(_is_known(recorder, value) for value in values):
        return False
    if known.is_bound(operation):
        return recorder.owns_array(operation.__self__) and operation.__name__ in _METHODS
    return known.is_among(operation, _FUNCTIONS) or known.is_among(operation, _BUILTINS)


def gives_tensors(operation: Any, args: tuple) -> bool:
    """Whether it makes a tensor, or does something with one that it takes arrays for, too."""
    if operation is Tensor or operation is tensor:
        return True
    return known.is_among(operation, _OF_TENSORS) and any(isinstance(value, Tensor) for value in args)


def iterates(operation: Any, args: tuple) -> bool:
    """Whether something may look into an array that it is given: it does not just put it somewhere, or ask for its type."""
    if not any(isinstance(value, np.ndarray) for value in args):
        return False
    if operation is operator.setitem and isinstance(args[0], np.ndarray):
        return True
    if known.is_bound(operation) and type(operation.__self__) in (list, dict):
        return operation.__name__ not in ("append", "insert", "setdefault", "get", "pop", "__setitem__")
    return not known.is_among(operation, _BLIND)


def _is_known(recorder: Any, value: Any, depth: int = 0) -> bool:
    if isinstance(value, (tuple, list)):
        return depth < 20 and all(_is_known(recorder, item, depth + 1) for item in value)
    if isinstance(value, slice):
        return all(_is_known(recorder, part, depth + 1) for part in (value.start, value.stop, value.step))
    if is_array(value):
        return recorder.owns_array(value)
    return type(value) is not Number and (type(value) in _VALUES or isinstance(value, (DType, np.dtype, type)))


_VALUES = frozenset({type(None), bool, int, float, complex, str, range, type(...)})


def may_be_done(operation: Callable, args: tuple, kwargs: dict) -> bool:
    """Try it on copies: whether numpy has nothing to say about it, and gives what can be kept."""
    warned: list[str] = []
    owner = operation.__self__ if known.is_bound(operation) else None  # type: ignore[attr-defined]
    if owner is not None and is_array(owner):
        operation = getattr(owner.copy(), operation.__name__)
    try:
        with np.errstate(all="call", call=lambda what, _: warned.append(what)):
            result = operation(*map(_copied, args), **{name: _copied(value) for name, value in kwargs.items()})
    except Exception:
        return True  # it fails when it is done, too
    return not warned and _can_be_kept(result)


def _copied(value: Any) -> Any:
    if type(value) is np.ndarray:
        return value.copy()
    return type(value)(map(_copied, value)) if type(value) in (tuple, list) else value


def _can_be_kept(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return all(map(_can_be_kept, value))
    if isinstance(value, np.generic):
        return value.dtype.kind in _KINDS
    if type(value) is np.ndarray:
        base = _root(value)
        is_plain = value.dtype.kind in _KINDS and value.dtype.isnative
        return is_plain and type(base) is np.ndarray and base.flags.c_contiguous and base.nbytes <= _LARGEST
    return type(value) in _VALUES or isinstance(value, (np.dtype, type(NotImplemented)))


def _root(array: np.ndarray) -> Any:
    while type(array) is np.ndarray and array.base is not None:
        array = array.base
    return array


def adopt(recorder: Any, value: Any) -> None:
    """Know a value that follows from known ones."""
    if isinstance(value, (tuple, list)):
        for item in value:
            adopt(recorder, item)
    elif is_array(value) and id(value) not in recorder.own:
        recorder.own[id(value)] = value
        if isinstance(value, np.ndarray) and value.base is not None:
            adopt(recorder, value.base)


def is_read_plainly(name: str) -> bool:
    """Whether an attribute of an array is known as the array is: data about it, views, and methods."""
    return name in _ATTRIBUTES or name in _METHODS


# -- images -----------------------------------------------------------------------------------------------------------


def array_image(value: Any, image: Callable[[Any], tuple]) -> tuple:
    """The image of an array: its elements, or what part it is of another one; or of a number of one."""
    form = ("is", value.dtype), ("is", value.shape)
    if isinstance(value, np.generic):
        return "number of an array", *form, ("is", value.tobytes())
    base = _root(value)
    if base is value:
        return "array", *form, ("is", value.tobytes()), value.flags.writeable
    place = value.__array_interface__["data"][0] - base.__array_interface__["data"][0], value.strides
    return "part of an array", *form, ("is", place), value.flags.writeable, image(base)


def built_array(image: tuple, build: Callable[[tuple], Any]) -> Any:
    """The array, or the number of one, of an image."""
    dtype, shape, content = image[1][1], image[2][1], image[3][1]
    if image[0] == "number of an array":
        return np.frombuffer(content, dtype)[0]
    if image[0] == "array":
        array = np.frombuffer(content, dtype).reshape(shape).copy()
    else:
        offset, strides = content
        array = np.ndarray(shape, dtype, build(image[5]), offset, strides)
    if not image[4]:
        array.flags.writeable = False
    return array
