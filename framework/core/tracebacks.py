"""Tracebacks as consoles and notebooks show them: the program's lines, without the frames of this package between them.

Only what is *shown* changes: while a hook prints an exception, it and those that it is chained to have shorter tracebacks;
before and after, for `except` blocks, debuggers and loggers, all frames are there. `ANFORA_TRACEBACK=full` shows all. Of an
error that comes out of this package and is none of its own, perhaps a bug of it, the frames at the end are shown. Below
an error of Python's that a function of this package does not take an argument stands what it takes (arguments.py).
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any

__all__ = ["install", "last_frame", "shown"]

_NOTE = "(anfora's own frames are not shown; ANFORA_TRACEBACK=full shows them)"
_has_told = False

#: Functions that only call the program: an error that was raised in them is one of the arguments that the program gave.
_DOORS = {"__call__", "call", "call_cell", "call_compiled", "call_plainly"}


def last_frame(error: BaseException) -> FrameType | None:
    """The frame in which an error was raised; None where that is not known."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return None if last is None else last.tb_frame


def install() -> None:
    """Let the hooks that print exceptions, of Python, of its threads and of IPython, leave frames out."""
    hook, thread_hook = sys.excepthook, threading.excepthook

    def tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        with _shortened(error, trace) as (shorter, is_shorter):
            hook(kind, error, shorter)
        _tell_more(error, is_shorter)

    def tell_of_thread(args: Any) -> None:
        with _shortened(args.exc_value, args.exc_traceback) as (shorter, is_shorter):
            thread_hook(threading.ExceptHookArgs((args.exc_type, args.exc_value, shorter, args.thread)))
        _tell_more(args.exc_value, is_shorter)

    sys.excepthook, threading.excepthook = tell, tell_of_thread
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
    if shell is not None and not shell.custom_exceptions:
        shell.set_custom_exc((Exception,), _tell_in_ipython)


def _tell_in_ipython(
    shell: Any,
    kind: type[BaseException],
    error: BaseException,
    trace: TracebackType | None,
    tb_offset: int | None = None,
) -> None:
    with _shortened(error, trace) as (shorter, is_shorter):
        shell.showtraceback((kind, error, shorter), tb_offset=tb_offset)
    _tell_more(error, is_shorter)


def _tell_more(error: BaseException | None, is_shorter: bool) -> None:
    """What stands below a traceback."""
    global _has_told
    told_of = getattr(sys.modules.get("anfora.core.arguments"), "told_of", None)  # nothing is loaded: see `shown`
    told = told_of(error) if error is not None and told_of is not None else None
    if told and sys.stderr is not None:
        print(told, file=sys.stderr)
    if is_shorter and not _has_told and sys.stderr is not None:
        _has_told = True
        print(_NOTE, file=sys.stderr)


@contextmanager
def _shortened(error: BaseException | None, trace: TracebackType | None) -> Iterator[tuple[TracebackType | None, bool]]:
    """The part of a traceback that is shown, and whether it is shorter. As long as it lasts, those of the error, and of
    what it is chained to, are short too."""
    if error is None or os.environ.get("ANFORA_TRACEBACK") == "full":
        yield trace, False
        return
    before = [(each, each.__traceback__) for each in _chained(error)]
    try:
        is_shorter = False
        for each, whole in before:
            each.__traceback__ = shown(each, whole)
            is_shorter |= each.__traceback__ is not whole
        shorter = shown(error, trace)
        yield shorter, is_shorter or shorter is not trace
    finally:
        for each, whole in before:
            each.__traceback__ = whole


def _chained(error: BaseException) -> list[BaseException]:
    """An error and those that are shown with it."""
    found: dict[int, BaseException] = {}
    pending: list[BaseException | None] = [error]
    while pending:
        each = pending.pop()
        if each is not None and id(each) not in found:
            found[id(each)] = each
            pending += (each.__cause__, each.__context__, *getattr(each, "exceptions", ()))
    return list(found.values())


def shown(error: BaseException, trace: TracebackType | None) -> TracebackType | None:
    """The frames of a traceback that are the program's; the same traceback where none is left out.

    Kept are the frames of this package that the traceback ends with, if the error is none of this package's and none of a
    call; and all, if no other frame would be left. That something is not there, NotImplementedError with words, is no bug.
    """
    # Nothing is loaded for it: the process may be ending, and Python takes an interrupt that ends it back when numpy is
    # loaded while it is told.
    errors, span = sys.modules.get("anfora.core.errors"), sys.modules.get("anfora.core.span")
    if not hasattr(errors, "AnforaError") or not hasattr(span, "is_internal"):
        return trace
    AnforaError, is_internal = errors.AnforaError, span.is_internal  # type: ignore[union-attr]
    parts: list[TracebackType] = []
    while trace is not None:
        parts.append(trace)
        trace = trace.tb_next
    own = [is_internal(part.tb_frame.f_code) for part in parts]
    count = len(parts)
    is_told = isinstance(error, NotImplementedError) and bool(error.args) and own[-1:] == [True]
    if not (is_told or isinstance(error, AnforaError)):
        while count and own[count - 1]:
            count -= 1
        if all(part.tb_frame.f_code.co_name in _DOORS for part in parts[count:]):
            count = len(parts)
    kept = [part for i, part in enumerate(parts) if i >= count or not own[i]]
    if not kept or len(kept) == len(parts) or all(own[parts.index(part)] for part in kept):
        return parts[0] if parts else None
    shorter: TracebackType | None = None
    for part in reversed(kept):
        shorter = TracebackType(shorter, part.tb_frame, part.tb_lasti, part.tb_lineno)
    return shorter
