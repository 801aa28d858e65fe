"""What is asked of a class, again in each later call, at the price of one look.

What was found out about a class holds as long as its version stands (`core/class_versions.py`); where it is another one all
is asked again. Where there are no versions, everything is asked in each call.
"""

from __future__ import annotations

import abc
import enum
import functools
import types
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from anfora.core.class_versions import NEVER, tag_of, version_of
from anfora.graph.machine.operations import flags_of, is_of_python, mro_of, table_of

__all__ = [
    "DESCRIBING", "Facts", "class_attribute", "comes_first", "defines", "has_tag", "is_set_through", "never_changes",
    "of_version", "slots_of",
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
        self.tag = tag_of(kind)  #: has a `value`
        self.seen = NEVER  #: the value of the tag with which the answers were right last

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
    return type(kind) is type and all(flags_of(base) & _IS_IMMUTABLE for base in mro_of(kind))


def of_version(function: Callable[[type], Any]) -> Callable[[type], Any]:
    """A function of a class that is computed anew when the class has changed."""
    known: weakref.WeakKeyDictionary[type, tuple[int, Any]] = weakref.WeakKeyDictionary()

    @functools.wraps(function)
    def kept(kind: type) -> Any:
        if not has_tag(kind):
            return function(kind)
        now = version_of(kind)
        found = known.get(kind)
        if found is None or found[0] != now or now == NEVER:
            found = known[kind] = now, function(kind)
        return found[1]

    return kept


def class_attribute(kind: type, name: str) -> Any:
    """What a class has under a name, as it stands there, unbound."""
    for base in mro_of(kind):
        if name in table_of(base):
            return table_of(base)[name]
    return None


def defines(kind: type, name: str) -> bool:
    """Whether a class has something under a name for its objects. Its own class, which may have a `__getattr__` of the
    program's, is not asked: Python does not either, where it looks for a special method."""
    for base in mro_of(kind):  # noqa: SIM110  (it is asked often, and a generator would take twice as long)
        if name in table_of(base):
            return True
    return False


@of_version
def slots_of(kind: type) -> tuple[types.MemberDescriptorType, ...]:
    """The places that a class of the program has for attributes of its objects, beside their dict."""
    found = [table_of(base).values() for base in mro_of(kind)[:-1] if is_of_python(base)]
    return tuple([place for places in found for place in places if type(place) is types.MemberDescriptorType])


def is_set_through(static: Any) -> bool:
    """Whether what a class has under a name is asked where that attribute of an object is set or deleted. One of the two
    methods is enough: the other is an AttributeError then."""
    return any(class_attribute(type(static), name) is not None for name in DESCRIBING[1:])


def comes_first(static: Any) -> bool:
    """Whether what a class has under a name is read before what lies in the object."""
    return is_set_through(static) and class_attribute(type(static), "__get__") is not None


#: What makes an object in a class decide what its name means in the objects of that class.
DESCRIBING = ("__get__", "__set__", "__delete__")
_ORDINARY = (type, abc.ABCMeta, enum.EnumMeta)
_IS_IMMUTABLE = 1 << 8  #: of those in which no attribute can be set or deleted
