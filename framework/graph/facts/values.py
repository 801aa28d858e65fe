"""What a program can see of a value: `exact(value)` is a key, and values with one key are told apart by nothing but `is`.

`==` says less: 1, 1.0 and True are equal, and so are 0.0 and -0.0; equal sets come out in different orders, equal ranges
have different ends; and a nan is equal to nothing, but found where the very object is looked for.
"""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["exact", "has_identity", "is_told_by_equality"]


class _Itself:
    """An object that is the same as itself alone; alive as long as the key that it is part of."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return type(other) is _Itself and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)

    def __repr__(self) -> str:
        return f"<{type(self.value).__name__} at {id(self.value):#x}>"


def exact(value: Any) -> Any:
    """The key of a value. Of containers of Python's all is looked at, of objects which they are; nothing of the program is
    called."""
    kind = type(value)
    if kind in _EQUAL_MEANS_SAME:
        return kind, value
    if kind is float:
        return (kind, repr(value)) if value == value else _Itself(value)
    if kind is complex:
        return (kind, repr(value)) if value == value else _Itself(value)
    if kind is range or kind is slice:
        return kind, exact(value.start), exact(value.stop), exact(value.step)
    if kind is tuple:
        return kind, tuple(map(exact, value))
    if kind is set or kind is frozenset:  # the size of its table decides about the order of what is made of it
        return kind, sys.getsizeof(value), tuple(map(exact, value))
    return _Itself(value)


def has_identity(value: Any) -> bool:
    """Whether there may be two objects of a value. CPython has one of each small int, and of each text of one letter."""
    kind = type(value)
    if kind is int:
        return not -5 <= value <= 256
    return kind in (float, complex, range) or (kind in (str, bytes) and len(value) > 1)


def is_told_by_equality(value: Any) -> bool:
    """Whether what is of the same type, and equal to a value, has its key."""
    kind = type(value)
    if kind is float:
        return value == value and value != 0.0
    return kind in _EQUAL_MEANS_SAME or (kind is tuple and all(type(item) is str for item in value))


_EQUAL_MEANS_SAME = frozenset({int, bool, str, bytes, type(None), type(...), type(NotImplemented)})
