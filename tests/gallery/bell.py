"""Signals that come at a chosen moment."""

from __future__ import annotations

import ctypes
import functools
import signal
import sys
from typing import Any

__all__ = ["BELL", "SignalAt"]

BELL = signal.SIGUSR1


class _Bell:
    """`~bell` brings the signal. Python looks for signals behind calls, but not behind operators, so the handler is called
    in the frame that goes on."""

    __invert__ = staticmethod(functools.partial(ctypes.PyDLL(None)["raise"], int(BELL)))


class SignalAt:
    """Brings a signal at the nth event that a profiler sees: calls, of this package's own functions too."""

    bell = _Bell()

    def __init__(self, n: int) -> None:
        self.left = n

    def __call__(self, frame: Any, event: str, arg: Any) -> None:
        if event == "return":  # behind it Python does not look for signals: this function would be the next place
            return
        self.left -= 1
        if not self.left:
            sys.setprofile(None)  # whose next call would be the next place
            self.rung = ~self.bell  # type: ignore[operator]

    def __enter__(self) -> SignalAt:
        sys.setprofile(self)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
