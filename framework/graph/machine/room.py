"""Room on CPython's stack for what calls much.

Since Python 3.11 frames lie in chunks of 16 KB. One is taken from the system where a call does not fit into the last, and
given back when that call returns. Where a loop stands just in front of the end of a chunk, each of its calls does both,
which takes microseconds: to record a program took up to four times longer, by how deep the program stood.
"""

from __future__ import annotations

import sys
import types
from typing import Any

__all__ = ["is_short", "roomy"]

_FRAMES = 200  #: of Python's, that a recording may need

#: More than a chunk holds. CPython then takes one of 32 KB, the rest of which are 2,000 words for the calls that follow.
_WORDS = 2048


def roomy(function: Any) -> Any:
    """A function of Python's whose calls begin a chunk of their own, which takes them some 20 µs."""
    made = types.FunctionType(
        function.__code__.replace(co_stacksize=_WORDS),
        function.__globals__, function.__name__, function.__defaults__, function.__closure__,
    )  # fmt: skip
    made.__doc__, made.__qualname__ = function.__doc__, function.__qualname__
    made.__annotations__, made.__kwdefaults__ = function.__annotations__, function.__kwdefaults__
    return made


def is_short() -> bool:
    """Whether the limit of recursion leaves no room to record: Python has room for some more calls then."""
    left = sys.getrecursionlimit() - _FRAMES
    if left <= 0:
        return True
    try:
        sys._getframe(left)
    except ValueError:  # the stack is not so deep
        return False
    return True
