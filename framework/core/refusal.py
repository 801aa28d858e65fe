"""What to say where a wrong argument has gone so deep that Python's own error came of it.

Rules check what can be mistaken reasonably. What nobody has thought of (a text as an axis, a number as a picture) ends in a
KeyError or AttributeError of some inner function. There the argument that is to blame is looked for by its kind: calls
that succeed pay nothing for it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

import numpy as np

from anfora.core.errors import AnforaError, OpTypeError, OpValueError
from anfora.core.span import is_internal
from anfora.core.tensor import Tensor

__all__ = ["INNER", "refusal"]

#: What inner functions raise at arguments of a wrong kind.
INNER = (
    AssertionError, AttributeError, IndexError, KeyError, OverflowError, RuntimeError, TypeError, ValueError,
    ZeroDivisionError,
)  # fmt: skip

_KINDS = {bool: "True or False", int: "an integer", float: "a number", str: "a text", tuple: "integers"}
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
        None where no argument looks wrong, or where the error comes from code of the program.
    """
    if isinstance(error, AnforaError) or not _is_ours(error):
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
    return None


def _wrong_attribute(
    name: str, argument: str, value: Any, parameters: Mapping[str, inspect.Parameter]
) -> AnforaError | None:
    if argument not in parameters:
        return None
    for number in value if isinstance(value, (tuple, list)) else (value,):
        if isinstance(number, int) and abs(number) >= _LARGE:
            return OpValueError(f"{name}: {number} is too large for `{argument}`", arg=argument)
    default = parameters[argument].default
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


def _is_ours(error: Exception) -> bool:
    """Whether it was raised by this package, or by what it has called in C."""
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if traceback is None:
        return True
    file = traceback.tb_frame.f_code.co_filename
    return is_internal(traceback.tb_frame.f_code) or any(f"/{name}/" in file for name in _LIBRARIES)


_LIBRARIES = ("numpy", "llvmlite", "numba")
