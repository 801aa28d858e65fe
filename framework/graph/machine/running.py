"""What a thread is in the middle of: compiled calls, calls that are waited for, gradients whose pieces are on a tape."""

from __future__ import annotations

import threading
from typing import Any

__all__ = ["running"]


class _Running(threading.local):
    """What this thread is doing."""

    depth = 0  #: compiled calls that are running
    is_plain = False  #: whether Python does what is compiled, in all threads of a forked process: see tell/twins.py
    pending = 0  #: calls of functions by themselves that are waited for

    def __init__(self) -> None:
        self.gradients: list[Any] = []  #: the open runs of gradients in pieces (gradients.py), the innermost last


running = _Running()
