"""What is asked of a class, again in each later call, at the price of one look.

CPython gives a class a tag, a number that no class had before, when something is looked up in it, and takes it away when an
attribute of the class, or of one of its bases, is set or deleted. So what was found out about a class holds as long as
its tag stands; where it is another one all is asked again.

Where the tag lies in a class is found by trying. Where it is not found, everything is asked in each call.
"""

from __future__ import annotations

import abc
import ctypes
import enum
import functools
import itertools
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from anfora.graph.machine.operations import is_of_python

__all__ = [
    "DESCRIBING", "Facts", "class_attribute", "comes_first", "has_tag", "is_set_through", "never_changes",
    "of_version", "version_of",
]  # fmt: skip


class Facts:
    """Questions to a class with their answers.

    Args:
        kind: the class.
        questions: each a function, its arguments, and what it gives: the very object.
    """

    __slots__ = ("_kind", "_questions", "seen", "tag")

    def __init__(self, kind: type, questions: Sequence[tuple[Callable, tuple, Any]]) -> None:
        self._kind, self._questions = kind, tuple(questions)
        self.tag = _tag(kind)  #: has a `value`
        self.seen = _NEVER  #: the value of the tag with which the answers were right last

    def hold(self) -> bool:
        """Whether the answers are the same."""
        now = version_of(self._kind)
        if not all(function(*args) is answer for function, args, answer in self._questions):
            return False
        self.seen = now
        return True


def has_tag(kind: Any) -> bool:
    """Whether it is a class whose tag tells of all changes: one that Python code has made, and that no other class may give
    attributes to."""
    return isinstance(kind, type) and type(kind) in _ORDINARY and is_of_python(kind)


def never_changes(kind: Any) -> bool:
    """Whether it is a class that nothing can be set in, nor in its bases, nor in its own class: one of Python's, say."""
    return type(kind) is type and all(base.__flags__ & _IS_IMMUTABLE for base in kind.__mro__)


def version_of(kind: type) -> int:
    """The tag of a class; a number that is never one where it has none."""
    hasattr(kind, "_")  # which gives it one
    return _tag(kind).value or _NEVER


def of_version(function: Callable[[type], Any]) -> Callable[[type], Any]:
    """A function of a class that is computed anew when the class has changed."""
    known: weakref.WeakKeyDictionary[type, tuple[int, Any]] = weakref.WeakKeyDictionary()

    @functools.wraps(function)
    def kept(kind: type) -> Any:
        if not has_tag(kind):
            return function(kind)
        now = version_of(kind)
        found = known.get(kind)
        if found is None or found[0] != now or now == _NEVER:
            found = known[kind] = now, function(kind)
        return found[1]

    return kept


def class_attribute(kind: type, name: str) -> Any:
    """What a class has under a name, as it stands there, unbound."""
    for base in kind.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return None


def is_set_through(static: Any) -> bool:
    """Whether what a class has under a name is asked where that attribute of an object is set or deleted. One of the two
    methods is enough: the other is an AttributeError then."""
    return any(class_attribute(type(static), name) is not None for name in DESCRIBING[1:])


def comes_first(static: Any) -> bool:
    """Whether what a class has under a name is read before what lies in the object."""
    return is_set_through(static) and class_attribute(type(static), "__get__") is not None


class _NoTag:
    value = 0


#: What makes an object in a class decide what its name means in the objects of that class.
DESCRIBING = ("__get__", "__set__", "__delete__")
_NEVER = -1
_ORDINARY = (type, abc.ABCMeta, enum.EnumMeta)
_IS_IMMUTABLE = 1 << 8  #: of those in which no attribute can be set or deleted


def _tag(kind: type) -> Any:
    place = _place_of_tag()
    return _NoTag if place is None else ctypes.c_uint.from_address(id(kind) + place)


@functools.cache
def _place_of_tag() -> int | None:
    """How many bytes behind the start of a class its tag lies."""

    class Tried:
        pass

    size = int(vars(type)["__basicsize__"].__get__(type))  # of a class, which is an object of `type`
    words = (ctypes.c_uint * (size // ctypes.sizeof(ctypes.c_uint))).from_address(id(Tried))
    rounds = []
    for turn in range(4):
        setattr(Tried, f"name{turn % 2}", turn)
        hasattr(Tried, "_")
        first = list(words)
        hasattr(Tried, "_")
        rounds.append((first, list(words)))
    places = [
        place
        for place in range(len(words))
        if all(first[place] == again[place] > 0 for first, again in rounds)
        and all(later[place] > earlier[place] for (earlier, _), (later, _) in itertools.pairwise(rounds))
    ]
    return places[0] * ctypes.sizeof(ctypes.c_uint) if len(places) == 1 else None
