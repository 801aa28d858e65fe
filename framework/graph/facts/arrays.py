"""Arrays of numpy's that the program makes of known values: masks, tables of positions, constants.

    table = np.zeros((n, d))            what is in them follows from what is known, so Python does this once, while it is
    table[:, ::2] = np.sin(...)         recorded; `Tensor(table)` is a constant of the piece, and an array that lives on
    y = x + Tensor(table)               is part of images, with its bytes

Which functions follow from their arguments alone is said in rows/arrays.py. Left to the interpreter is what numpy does with
arrays from elsewhere, with numbers that vary and with the data of tensors; what warns; and texts, which follow numpy's
options.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from anfora.core.dtype import DType
from anfora.core.tensor import Tensor, tensor
from anfora.graph.facts import known
from anfora.graph.facts.kinds import is_a
from anfora.graph.facts.origins import Number
from anfora.graph.facts.rows.arrays import ATTRIBUTES
from anfora.graph.facts.table import DRAINED, LOOKS, WALKED, Fact, fact_of, method_fact, resolved
from anfora.graph.machine import operations

__all__ = [
    "adopt", "array_image", "built_array", "follows", "gives_tensors", "holds_array", "is_array", "is_read_plainly",
    "iterates", "may_be_done",
]  # fmt: skip

_KINDS = "biufc"  #: of element types
_LARGEST = 1 << 26  #: bytes of an array that is kept in a recording

#: What does something with tensors, and takes arrays in their place.
_OF_TENSORS = frozenset({
    operator.getitem, operator.setitem, *operations.IN_PLACE.values(),
    *(each for name, each in operations.OPERATIONS.items() if name not in ("is", "is_not", "in", "not_in")),
})  # fmt: skip


def is_array(value: Any) -> bool:
    """Whether it is an array of numpy's, or a number of one."""
    return is_a(value, (np.ndarray, np.generic))


def holds_array(recorder: Any, operation: Any, args: tuple, kwargs: dict) -> bool:
    """Whether something makes an array, or is done with one that the program has made."""
    if _is_numpys(fact_of(operation)) or (known.is_bound(operation) and recorder.owns_array(operation.__self__)):
        return True
    return any(map(recorder.owns_array, args)) or any(map(recorder.owns_array, kwargs.values()))


def follows(recorder: Any, operation: Any, args: tuple, kwargs: dict) -> bool:
    """Whether what it gives follows from known values, and nothing but arrays of the program is changed."""
    values = (*args, *kwargs.values())
    fact = fact_of(operation)
    changes = fact is not None and fact.of_arrays and fact.writes
    if gives_tensors(operation, args):
        is_of_tensor = is_a(args[0], Tensor) or not changes
        return is_of_tensor and all(is_a(v, Tensor) or _is_known(recorder, v) for v in values)
    is_own = bool(args) and (is_array(args[0]) or (operation is operations.extend and not recorder.is_outside(args[0])))
    if (changes and not is_own) or not all(_is_known(recorder, value) for value in values):
        return False
    if known.is_bound(operation):
        kind = np.ndarray if is_a(operation.__self__, np.ndarray) else np.generic
        return recorder.owns_array(operation.__self__) and method_fact(kind, operation.__name__) is not None
    return fact is not None and fact.of_arrays


def _is_numpys(fact: Fact | None) -> bool:
    return fact is not None and fact.of_arrays and fact.is_of_own


def gives_tensors(operation: Any, args: tuple) -> bool:
    """Whether it makes a tensor, or does something with one that it takes arrays for, too."""
    if operation is Tensor or operation is tensor:
        return True
    return known.is_among(operation, _OF_TENSORS) and any(is_a(value, Tensor) for value in args)


def iterates(operation: Any, args: tuple) -> bool:
    """Whether something may look into an array that it is given: it does not just put it somewhere, or ask for its type."""
    if not any(is_a(value, np.ndarray) for value in args):
        return False
    fact, given = resolved(operation, args)
    if fact is None or (operation is operator.setitem and is_a(args[0], np.ndarray)):
        return True
    return any(use & (LOOKS | WALKED | DRAINED) and is_a(v, np.ndarray) for use, v in fact.uses(given))


def _is_known(recorder: Any, value: Any, depth: int = 0) -> bool:
    if is_a(value, (tuple, list)):
        return depth < 20 and all(_is_known(recorder, item, depth + 1) for item in value)
    if is_a(value, slice):
        return all(_is_known(recorder, part, depth + 1) for part in (value.start, value.stop, value.step))
    if is_array(value):
        return recorder.owns_array(value)
    return type(value) is not Number and (type(value) in _VALUES or is_a(value, (DType, np.dtype, type)))


_VALUES = frozenset({type(None), bool, int, float, complex, str, range, type(...)})


def may_be_done(operation: Callable, args: tuple, kwargs: dict) -> bool:
    """Try it on copies: whether numpy has nothing to say about it, and gives what can be kept."""
    warned: list[str] = []
    owner: Any = operation.__self__ if known.is_bound(operation) else None
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
    if is_a(value, (tuple, list)):
        return all(map(_can_be_kept, value))
    if is_a(value, np.generic):
        return value.dtype.kind in _KINDS
    if type(value) is np.ndarray:
        base = _root(value)
        is_plain = value.dtype.kind in _KINDS and value.dtype.isnative
        return is_plain and type(base) is np.ndarray and base.flags.c_contiguous and base.nbytes <= _LARGEST
    return type(value) in _VALUES or is_a(value, (np.dtype, type(NotImplemented)))


def _root(array: np.ndarray) -> Any:
    while type(array) is np.ndarray and array.base is not None:
        array = array.base
    return array


def adopt(recorder: Any, value: Any) -> None:
    """Know a value that follows from known ones."""
    if is_a(value, (tuple, list)):
        for item in value:
            adopt(recorder, item)
    elif is_array(value) and id(value) not in recorder.own:
        recorder.own[id(value)] = value
        if is_a(value, np.ndarray) and value.base is not None:
            adopt(recorder, value.base)


def is_read_plainly(name: str) -> bool:
    """Whether an attribute of an array is known as the array is: data about it, views, and methods."""
    return name in ATTRIBUTES or method_fact(np.ndarray, name) is not None


# -- images -----------------------------------------------------------------------------------------------------------


def array_image(value: Any, image: Callable[[Any], tuple]) -> tuple:
    """The image of an array: its elements, or what part it is of another one; or of a number of one."""
    form = ("is", value.dtype), ("is", value.shape)
    if is_a(value, np.generic):
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
