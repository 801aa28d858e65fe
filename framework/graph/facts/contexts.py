"""Context managers of Python's `contextlib`: they are Python's own programs, so the machine goes into them.

`@contextmanager` makes them of generators. One that waits inside of a `try` or `with` does something when it is dropped,
and when that is only Python knows; so the machine goes into such a generator only where its end is certain: the call that
makes it stands in a `with` statement, which ends it before it is left, whatever happens in its block. (In Python 3.10 that
does not hold for a generator which goes on behind an exception that was thrown into it: there all of this is Python's.)
"""

from __future__ import annotations

import contextlib
import functools
import types
from collections.abc import Sequence
from typing import Any

__all__ = ["ends_here", "enters", "is_left_to_python", "may_be_made", "place_of"]


def _codes(*owners: Any) -> frozenset[types.CodeType]:
    """The code of functions, and of the methods of classes."""
    found = []
    for owner in owners:
        held = vars(owner).values() if isinstance(owner, type) else (owner,)
        found += [each.__code__ for each in held if isinstance(each, types.FunctionType)]
    return frozenset(found)


def place_of(code: types.CodeType) -> tuple[str, int, str]:
    """What tells code, whoever has compiled it: the machine makes the functions inside of those that it goes into anew."""
    return code.co_filename, code.co_firstlineno, code.co_name


_Manager: Any = contextlib._GeneratorContextManager
#: What `@contextmanager` makes of a generator function: a function that gives a manager for each call.
_MAKER = place_of(
    next(each for each in contextlib.contextmanager.__code__.co_consts if isinstance(each, types.CodeType))
)
_INIT = place_of(_Manager.__init__.__code__)
_METHODS = frozenset(map(place_of, _codes(_Manager, *_Manager.__mro__[1:2])))
_ENDS_IT = "close" in _Manager.__exit__.__code__.co_names
_PROGRAMS = {_MAKER, *map(place_of, _codes(
    contextlib.contextmanager, _Manager, *_Manager.__mro__[1:2], contextlib.AbstractContextManager, contextlib.suppress,
    contextlib.nullcontext, contextlib.closing, functools.wraps, functools.update_wrapper,
    *(function for found in vars(functools)["_convert"].values() for _, function in found),
))}  # fmt: skip


def enters(function: types.FunctionType) -> bool:
    """Whether a function is one of those that are gone into."""
    return place_of(function.__code__) in _PROGRAMS


def is_left_to_python(function: types.FunctionType, frame: Any, owner_is_outside: bool) -> bool:
    """Whether the machine does not go into a call of one of them: it makes a manager that may be dropped at any time, or
    takes one that Python has made.

    Args:
        frame: that calls.
        owner_is_outside: whether the first argument comes from outside.
    """
    place = place_of(function.__code__)
    return (place == _MAKER and not _stands_in_a_with(frame)) or (place in _METHODS and owner_is_outside)


def _stands_in_a_with(frame: Any) -> bool:
    """Whether what a frame calls now is what a `with` statement enters."""
    code, following = frame.code, frame.pc
    is_with = code.opcodes[following : following + 2] == ["COPY", "SPECIAL"]
    return _ENDS_IT and is_with and code.arguments[following + 1] == "__enter__"


def may_be_made(kind: type, frames: Sequence[Any]) -> bool:
    """Whether the machine makes a manager of a class: those of generators only for a `with`."""
    return kind is not _Manager or place_of(frames[-1].code.python) == _MAKER


def ends_here(frames: Sequence[Any]) -> bool:
    """Whether the generator that is called now is that of a manager in a `with` statement."""
    return len(frames) > 1 and place_of(frames[-1].code.python) == _INIT and may_be_made(_Manager, frames[:-1])
