"""What to say where a wrong argument has gone so deep that Python's own error came of it.

Rules check what can be mistaken reasonably. What nobody has thought of (a text as an axis, a number as a picture) ends in a
KeyError or AttributeError of some inner function. There the argument that is to blame is looked for by its kind: calls
that succeed pay nothing for it.
"""

from __future__ import annotations

import inspect
import struct
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from anfora.core.errors import AnforaError, OpIndexError, OpTypeError, OpValueError, OpZeroDivisionError
from anfora.core.span import is_internal
from anfora.core.tensor import Tensor
from anfora.core.tracebacks import last_frame

__all__ = ["INNER", "is_ours", "refusal"]

#: What inner functions raise at arguments of a wrong kind.
INNER = (
    AssertionError, AttributeError, IndexError, KeyError, OverflowError, RuntimeError, TypeError, ValueError,
    ZeroDivisionError, struct.error,
)  # fmt: skip

#: The errors of this package for those of Python's; for others it is an OpValueError.
_OURS: dict[type[Exception], type[AnforaError]] = {
    IndexError: OpIndexError, KeyError: OpTypeError, TypeError: OpTypeError, ZeroDivisionError: OpZeroDivisionError,
}  # fmt: skip
_KINDS = {bool: "True or False", int: "an integer", float: "a number", str: "a text", tuple: "integers"}
#: What parameters are that say so: the types, and the words for them.
_ANNOTATED: dict[str, tuple[tuple[type, ...], str]] = {
    "bool": ((bool, np.bool_), _KINDS[bool]),
    "int": ((int, np.integer), _KINDS[int]),
    "float": ((int, float, np.number), _KINDS[float]),
    "str": ((str,), _KINDS[str]),
    "Callable": ((Callable,), "a function"),  # type: ignore[dict-item]
    "Sequence[int]": ((tuple, list), "integers"),
}
_LARGE = 1 << 31  #: integers beyond this are no lengths, axes or counts


def refusal(
    name: str,
    given: Iterable[tuple[str, Any]],
    tensors: Collection[str],
    optional: Collection[str],
    signature: Callable[[], inspect.Signature],
    error: Exception,
) -> AnforaError | None:
    """The error that tells which argument of a function of this package has caused an error of Python's.

    Args:
        given: the arguments by name.
        tensors: parameters that are tensors;  optional: those that may be None.
        signature: gives the signature of the function.
        error: what was raised.
    Returns:
        None where the error comes from code of the program, or can only be a mistake of this package.
    """
    if isinstance(error, AnforaError) or not is_ours(error):
        return None
    parameters = signature().parameters
    given = list(given)
    for argument, value in given:
        if argument in tensors and not isinstance(value, Tensor) and not (value is None and argument in optional):
            return OpTypeError(f"{name} needs a tensor for `{argument}`, but got {value!r:.60}", arg=argument)
    for argument, value in given:
        if argument not in tensors:
            found = _wrong_attribute(name, argument, value, parameters)
            if found is not None:
                return found
    for argument, value in given:
        if argument in tensors and isinstance(value, Tensor) and not value.ndim:
            return OpValueError(
                f"{name} needs a tensor with at least one axis for `{argument}`, but got {value._layout.type!r}",
                arg=argument,
            )
    return _unfit(name, given, tensors, error)


def _unfit(
    name: str, given: Sequence[tuple[str, Any]], tensors: Collection[str], error: Exception
) -> AnforaError | None:
    """The error where no argument looks wrong by its kind: that of the one that lacks what it was asked for, or of all. It
    says what was raised, since that may tell more. A tensor, or an object of this package's, that lacks something, and
    what is asserted, are mistakes of this package."""
    if isinstance(error, AttributeError):
        for argument, value in given:
            parts = (value, *(value if isinstance(value, (tuple, list)) else ()))
            if not (argument in tensors and isinstance(value, Tensor)) and any(part is error.obj for part in parts):
                return OpTypeError(f"{name} cannot take {_shown(error.obj)} for `{argument}`", arg=argument)
    if isinstance(error, (AttributeError, AssertionError, RuntimeError)):
        return None
    kind = next((ours for theirs, ours in _OURS.items() if isinstance(error, theirs)), OpValueError)
    shown = ", ".join(f"{argument} = {_shown(value)}" for argument, value in given)
    found = kind(f"{name} cannot take these arguments: {shown} ({type(error).__name__}: {error})")
    found.__cause__ = error
    return found


def _wrong_attribute(
    name: str, argument: str, value: Any, parameters: Mapping[str, inspect.Parameter]
) -> AnforaError | None:
    if argument not in parameters:
        return None
    for number in value if isinstance(value, (tuple, list)) else (value,):
        if isinstance(number, int) and abs(number) >= _LARGE:
            return OpValueError(f"{name}: {number} is too large for `{argument}`", arg=argument)
    annotated = parameters[argument].annotation
    kinds = _ANNOTATED.get(str(annotated).removesuffix(" | None"))
    if kinds is not None:
        if isinstance(value, kinds[0]) or (value is None and str(annotated).endswith("None")):
            return None
        return OpTypeError(f"{name} needs {kinds[1]} for `{argument}`, but got {_shown(value)}", arg=argument)
    default = parameters[argument].default
    if annotated == "Any" and (
        default is inspect.Parameter.empty or isinstance(value, (Tensor, np.ndarray, np.generic))
    ):
        return None
    if isinstance(value, (bool, int, tuple, list, type(None), type(default))) or callable(value):
        return None
    wanted = _KINDS.get(type(default), "a value of another kind")
    return OpTypeError(f"{name} needs {wanted} for `{argument}`, but got {_shown(value)}", arg=argument)


def _shown(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"the tensor {value._layout.type!r}"
    if isinstance(value, np.ndarray):
        return f"an array of shape {list(value.shape)}"
    return f"{value!r:.60}"


def is_ours(error: Exception) -> bool:
    """Whether it was raised by this package, or by what it has called in C."""
    frame = last_frame(error)
    if frame is None:
        return True
    return is_internal(frame.f_code) or any(f"/{name}/" in frame.f_code.co_filename for name in _LIBRARIES)


_LIBRARIES = ("numpy", "llvmlite", "numba")
