"""What Python warns of when graph mode asks it is not for the program: it has heard it, or will not."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable
from typing import Any

__all__ = ["quietly"]


def quietly(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Let Python parse or compile without the warnings that it gave when the file was loaded, or ask an iterator of
    `itertools` what it is made of without being told that it will not say so one day.

    One thread at a time: the filters of warnings are those of all threads, and so is Python 3.11's count of how deep it is
    in a tree.

    Example:
        >>> eval(quietly(compile, "1 is 1", "", "eval"))
        True
    """
    with _alone:
        before = warnings.filters
        warnings.filters = _SILENT  # `catch_warnings` would make all modules forget what they have warned of
        try:
            return function(*arguments, **options)
        finally:
            warnings.filters = before


_SILENT: list[Any] = [("ignore", None, Warning, None, 0)]
_alone = threading.RLock()
if hasattr(os, "register_at_fork"):  # a child in which nobody would ever give it back could not parse
    os.register_at_fork(before=_alone.acquire, after_in_parent=_alone.release, after_in_child=_alone.release)
