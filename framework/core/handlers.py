"""Exceptions that the handlers of signals raise: a timeout, say, which must not be taken for a failure of what it ends."""

from __future__ import annotations

import signal
import types
from collections.abc import Iterator
from typing import Any

__all__ = ["is_of_handler"]


def is_of_handler(error: BaseException) -> bool:
    """Whether the handler of a signal has raised an exception, as far as its traceback tells.

    Example:
        >>> is_of_handler(ValueError())
        False
    """
    handlers = {_code_of(signal.getsignal(number)) for number in signal.valid_signals()}
    return any(code in handlers for code in _passed(error.__traceback__))


def _passed(entry: types.TracebackType | None) -> Iterator[types.CodeType]:
    while entry is not None:
        yield entry.tb_frame.f_code
        entry = entry.tb_next


def _code_of(handler: Any) -> types.CodeType | None:
    """The code that a handler begins with; None for one that is written in C."""
    while not isinstance(handler, (types.FunctionType, types.MethodType)):
        handler = getattr(handler, "func", None) or (type(handler).__call__ if callable(handler) else None)
        if handler is None or isinstance(handler, types.WrapperDescriptorType):
            return None
    return handler.__code__
