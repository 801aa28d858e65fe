"""Signals: a handler never runs, and never raises, in the middle of what graph mode does itself.

Python calls the handler of a signal between any two instructions of the main thread; these may be the program's, or those
of this package, half way through a guard, a write or a recording. An exception that was raised there would leave a program
whose state is nowhere in Python's meaning of it. So a handler that comes while this package works is *held*, and called
between two instructions of the program, in front of a piece, or behind an iteration of a native loop; what it raises is
raised there, into the program's own `try`. A handler that comes while the program's own frames run (a function that Python
does for it, say) is called at once, as ever.

How it is done: each handler that is set is kept in a `_Waiting`. Python calls that, which looks at the frames and is the
handler itself, or what holds it. Its `__call__` is a property, so that no frame of this package stands in a traceback where
the handler is called at once. `signal.signal` and `signal.getsignal` take and give the program's handlers, as ever.

    held                    the handlers that wait; empty nearly always, so a look at it costs next to nothing
    calls                   how many were called at once
    delivered()             calls them; the first exception that one raises, which `deliver()` raises
    @holds                  marks functions in which handlers wait; @releases, those that run the program's code, and
    @leaves                 those that leave a whole call or loop to Python
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
import threading
import types
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import numpy as np

from anfora.core.own_builtins import undisturbed

__all__ = ["deliver", "delivered", "held", "holds", "leaves", "releases", "watch"]

#: The handlers that wait, each with the number of its signal, in the order in which they came.
held: list[tuple[Callable, int]] = []

#: Handlers that were called at once: where this has changed, an exception of the program may be theirs.
calls = 0

_holding: set[types.CodeType] = set()
_releasing: set[types.CodeType] = set()
_leaving: set[types.CodeType] = set()
#: the folder of this library, whose operators are not cut short either
_HERE = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "")
#: That, and numpy, by whose functions in Python it makes arrays.
_OPERATING = _HERE, os.path.join(os.path.dirname(np.__file__), "")

_Function = TypeVar("_Function", bound="_Coded")


class _Coded(Protocol):
    """A function in Python."""

    @property
    def __code__(self) -> types.CodeType: ...


def holds(function: _Function) -> _Function:
    """A function in which handlers wait, as far as it does not call a function that `releases`."""
    _holding.add(function.__code__)
    return function


def releases(function: _Function) -> _Function:
    """A function that runs code of the program, in which handlers are called at once."""
    _releasing.add(function.__code__)
    return function


def leaves(function: _Function) -> _Function:
    """A function that leaves more than a single operation to Python, an endless loop maybe: handlers are called at once
    behind it, in the middle of operators too, as without graph mode."""
    _leaving.add(function.__code__)
    return function


class _Waiting:
    """What Python calls in the place of a handler."""

    __slots__ = ("handler",)

    def __init__(self, handler: Callable) -> None:
        self.handler = handler

    @property
    def __call__(self) -> Callable:
        if _is_busy(sys._getframe(1)):
            return self._hold
        global calls
        calls += 1
        return self.handler

    def _hold(self, number: int, frame: types.FrameType | None) -> None:
        held[:] = [waiting for waiting in held if waiting[1] != number]  # one of each number waits, as in Python itself
        held.append((self.handler, number))


def _is_busy(frame: types.FrameType | None) -> bool:
    """Whether a frame is at work for this package, not for the program."""
    inner: list[str] = []
    while frame is not None:
        code = frame.f_code
        if code in _holding:
            return True
        if code in _leaving:
            return False
        if code in _releasing:
            # The innermost frames of an operator of this library are no place to stop; the one that calls it seems to
            # stand in the program.
            is_operator = len(inner) > 1 and inner[-2].startswith(_HERE)
            return not inner or (is_operator and all(file.startswith(_OPERATING) for file in inner[:-1]))
        if not str(frame.f_globals.get("__name__")).startswith("namedtuple_"):  # which makes a tuple, without a file
            inner.append(code.co_filename)
        frame = frame.f_back
    return False


@releases
def _call(handler: Callable, number: int, frame: types.FrameType | None) -> None:
    handler(number, frame)


def delivered() -> BaseException | None:
    """Call the handlers that wait, up to one that raises an exception, which is given; in the main thread alone."""
    if threading.current_thread() is not threading.main_thread():
        return None
    while held:
        handler, number = held.pop(0)
        try:
            _call(handler, number, _outside(sys._getframe()))
        except BaseException as error:
            traceback = error.__traceback__
            for _ in range(2):  # of this function, and the one that calls
                traceback = traceback.tb_next if traceback is not None else None
            return error.with_traceback(traceback)
    return None


def deliver() -> None:
    """Call the handlers that wait, and raise what the first of them does."""
    error = delivered()
    if error is not None:
        try:
            raise error
        finally:
            del error  # which holds this frame


def _outside(frame: types.FrameType | None) -> types.FrameType | None:
    """The innermost frame outside of this library."""
    while frame is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
    return frame


# -- the handlers that are set -----------------------------------------------------------------------------------------

#: what the functions of the module `signal` call
_signal: Any = importlib.import_module("_signal")
_set, _get = _signal.signal, _signal.getsignal


def _behind(handler: Any) -> Any:
    return handler.handler if type(handler) is _Waiting else handler


def _set_waiting(signalnum: int, handler: Any, /) -> Any:
    waits = callable(handler) and type(handler) is not _Waiting
    return _behind(_set(signalnum, _Waiting(handler) if waits else handler))


def _get_behind(signalnum: int, /) -> Any:
    return _behind(_get(signalnum))


@undisturbed
def watch() -> None:
    """Let handlers wait from now on, those that are set already too. In the main thread; does nothing elsewhere."""
    if _signal.signal is _set_waiting or threading.current_thread() is not threading.main_thread():
        return
    for number in signal.valid_signals():
        handler = _get(number)
        if callable(handler):
            _set(number, _Waiting(handler))
    _signal.signal, _signal.getsignal = _set_waiting, _get_behind
