"""Threads of data and forks keep out of each other's way.

A forked process has the memory of all threads, but none of them: what one of them held in the moment of the fork, a lock
of a library that decodes images say, stays held for ever. So whoever forks waits until no thread is at work, and those
that have work to do wait meanwhile.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["closed", "through"]

_change = threading.Condition()
_inside = 0
_forking = 0
_mine = threading.local()  # whether this thread is at work itself, in which case it may fork


def through(function: Callable[..., Any], *arguments: Any) -> Any:
    """function(*arguments), while nobody forks."""
    global _inside
    with _change:
        while _forking:
            _change.wait()
        _inside += 1
    _mine.inside = 1
    try:
        return function(*arguments)
    finally:
        _mine.inside = 0
        with _change:
            _inside -= 1
            _change.notify_all()


@contextlib.contextmanager
def closed() -> Iterator[None]:
    """No other thread is at work in here."""
    global _forking
    with _change:
        _forking += 1
        while _inside > getattr(_mine, "inside", 0):
            _change.wait()
    try:
        yield
    finally:
        with _change:
            _forking -= 1
            _change.notify_all()


def _reset() -> None:
    """A child has none of the threads."""
    global _change, _inside, _forking
    _change, _inside, _forking = threading.Condition(), 0, 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset)
