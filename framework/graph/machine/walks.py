"""Iterators over dicts, their views and deques that can say where they are, and so be part of a state."""

from __future__ import annotations

import collections
import operator
from typing import Any, NoReturn

from anfora.graph.machine import operations

__all__ = ["Walk", "name_of", "raise_missing"]


def name_of(kind: type) -> str:
    """What Python calls a type written in C, in messages."""
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def raise_missing(value: Any, name: str) -> NoReturn:
    """An iterator of the machine's is asked for an attribute that Python's own does not have."""
    raise AttributeError(f"'{name_of(value.kind)}' object has no attribute '{name}'", name=name, obj=value)


class Walk:
    """An iterator over a dict, a view of one, or a deque, which, unlike Python's, tells where it is.

    Args:
        base: what is walked over.
        index: how far it has come; -1 where the deque has changed since.
        is_reversed: whether it goes from the end.
    """

    __slots__ = ("base", "is_reversed", "_index", "_is_lent", "_items", "_rest")

    def __init__(self, base: Any, index: int = 0, is_reversed: bool = False) -> None:
        self.base, self.is_reversed = base, is_reversed
        self._index, self._is_lent = 0, False
        self._items: tuple | None = self._present()
        self._rest = reversed(base) if is_reversed else iter(base)
        if index < 0:
            other = collections.deque((None,))
            self._items, self._rest = None, reversed(other) if is_reversed else iter(other)
            other.append(None)
        while self._index < index:
            next(self, None)

    @property
    def kind(self) -> type:
        """The type of Python's iterator."""
        return type(self._rest)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """What `isinstance` is told."""
        return self.kind

    @property
    def index(self) -> int:
        """How many items it was asked for."""
        if not self._is_lent:
            return self._index
        count, left = len(self._items or ()), operator.length_hint(self._rest)
        return count - left if left else count + 1

    def __repr__(self) -> str:
        return f"<{name_of(self.kind)} object at {id(self):#x}>"

    def python(self, for_good: bool = False) -> Any:
        """Python's iterator, which this one goes on with."""
        self._is_lent = True
        return self._rest

    def of_its_kind(self) -> Any:
        """An iterator of Python's of the same class, for a message about that."""
        return self._rest

    def _present(self) -> tuple:
        """What it goes over now; of a view the keys, as they lie in its dict."""
        if type(self.base) not in operations.VIEWS:
            return tuple(self.base)
        table = operations.viewed(self.base)
        keys = collections.OrderedDict.__iter__ if isinstance(table, collections.OrderedDict) else dict.__iter__
        return tuple(keys(table))

    def __iter__(self) -> Walk:
        return self

    def __next__(self) -> Any:
        self._index += 1
        return next(self._rest)

    def __length_hint__(self) -> int:
        return operator.length_hint(self._rest)

    def __reduce__(self) -> tuple:
        now, items = self._present(), self._items
        if items is not None and len(now) == len(items) and all(a is b for a, b in zip(now, items)):
            return Walk, (self.base, self.index, self.is_reversed)
        if isinstance(self.base, collections.deque):
            return Walk, (self.base, -1, self.is_reversed)
        raise TypeError("where an iterator over a dict is whose keys have changed, only Python knows")
