"""Which values of a piece nobody can ask for any more: their memory is free, as it is in PyNative mode.

The recorder finds the value of a tensor by its identity, by that of its array, or by the place in memory, so it holds both.
A network's intermediate results would thus live until the piece ends: three times the memory that a step takes. So what
lies in large memory is looked at now and then, and forgotten where the recorder alone holds it: it cannot come again.
What came last goes first as a rule, on the way back of a gradient too, so most looks end where much in a row is alive.

The same count tells whether anybody but the recorder holds memory that is to be written to.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from anfora.core import memory
from anfora.graph.ir.nodes import AnfNode

__all__ = ["Entry", "Holders", "Tables", "forget_alone", "place_in_memory"]

_LARGE = 64 << 10  #: bytes of memory from which on it is worth a look whether it is free
_FIRST = 1 << 20  #: bytes that come in before the first look
_SHARE = 64  #: the part of what is alive that comes in before the next one
_WHOLE = 8  #: how many looks at what came last stand between two at everything
_ROW = 32  #: how much in a row is alive where a look at what came last ends

Entry = tuple[Any, np.ndarray, AnfNode]  #: a tensor, its array, and the value of the piece that it holds


class Tables(NamedTuple):
    """Where else the recorder holds tensors and arrays.

    Attributes:
        tensors, arrays, places: values by the identity of a tensor, by that of its array, and by where that lies, each
            behind the tensor or array.
        views: by the identity of a tensor, itself and what it was taken from as a view.
    """

    tensors: dict
    arrays: dict
    places: dict
    views: dict


class Holders:
    """The tensors that hold values of a piece, in the order in which they came, and the memory in which they lie."""

    def __init__(self) -> None:
        self._of_array: dict[int, list[Entry]] = {}  #: by the identity of an array
        self._in_memory: dict[int, dict[int, None]] = {}  #: the arrays in some memory, by that of the one that owns it
        self._large: dict[int, int] = {}  #: how many bytes are in memory that is large
        self._alive = 0  #: in all of them
        self._coming = _FIRST  #: bytes that may come in before the next look
        self._looks = 0

    def add(self, tensor: Any, array: np.ndarray, value: AnfNode) -> None:
        """A tensor holds a value."""
        known = self._of_array.get(id(array))
        if known is not None:
            known.append((tensor, array, value))
            return
        owner = array if array.base is None else memory.root(array)
        self._of_array[id(array)] = [(tensor, array, value)]
        self._in_memory.setdefault(id(owner), {})[id(array)] = None
        if owner.nbytes >= _LARGE and id(owner) not in self._large:
            self._large[id(owner)] = owner.nbytes
            self._alive += owner.nbytes
            self._coming -= owner.nbytes

    def in_memory(self, owner: np.ndarray) -> list[Entry]:
        """What lies in the memory of an array."""
        return [entry for key in self._in_memory.get(id(owner), ()) for entry in self._of_array[key]]

    def replace(self, owner: np.ndarray, entries: list[Entry]) -> None:
        """Say anew what lies in the memory of an array."""
        for key in [*self._in_memory.get(id(owner), ())]:
            self._remove(key, id(owner))
        for entry in entries:
            self.add(*entry)

    @property
    def is_due(self) -> bool:
        return self._coming < 0

    def look_soon(self) -> None:
        """A gradient has been taken: look at everything before the next operator. A small result holds by its history what
        the whole tape has saved."""
        self._coming, self._looks = -1, -1

    def forget_what_is_free(self, tables: Tables) -> None:
        """Forget what the recorder alone holds."""
        self._looks += 1
        self._forget(reversed([*self._of_array]), tables, len(self._of_array) if self._looks % _WHOLE == 0 else _ROW)
        self._coming = max(_FIRST, self._alive // _SHARE)

    def is_held_elsewhere(self, tensor: Any, noted: int, tables: Tables) -> bool:
        """Whether anybody but a tensor and the recorder holds its memory.

        Args:
            noted: how often the recorder holds its array beside the entries and the tables.
        """
        array = tensor._array
        owner = memory.root(array)
        self._forget(reversed([*self._in_memory.get(id(owner), ())]), tables)
        own, owning = self._held(array, tables) + noted, self._held(owner, tables)
        is_view = owner is not array
        del array, owner
        found, found_of_owner = _counts(tensor)
        if not is_view:
            return found > _OF_OWN + own
        return found > _OF_VIEW[0] + own or found_of_owner > _OF_VIEW[1] + owning

    def _held(self, array: np.ndarray, tables: Tables) -> int:
        """How often an array is held by entries and tables."""
        return len(self._of_array.get(id(array), ())) + len(_places_of(array, tables))

    def _forget(self, keys: Iterable[int], tables: Tables, most: int = sys.maxsize) -> None:
        """Forget what the recorder alone holds of some arrays, the last of them first: a view holds what it is a view of,
        and a tensor by its history what it follows from. Ends where so many in a row are held by others."""
        row = 0
        for key in keys:
            group = self._of_array[key]
            standing = _standing_with_tensors(group, tables)
            if _is_free(group, len(standing)):
                row = 0
                owner = id(memory.root(group[0][1]))
                for known, identity in standing:
                    del known[identity]
                del group
                self._remove(key, owner)
            else:
                row += 1
                _forget_histories(group, standing)
                if row == most:
                    break

    def _remove(self, key: int, owner: int) -> None:
        """Forget an array that lies in some memory."""
        group = self._of_array.pop(key)
        rest = self._in_memory[owner]
        del rest[key]
        if not rest:
            del self._in_memory[owner]
            self._alive -= self._large.pop(owner, 0)
        del group


def forget_alone(table: dict[int, Any]) -> None:
    """Forget what a table alone holds, the last first: the variables of functions that have returned, say.

    Args:
        table: objects by their identities.
    """
    for key in [*reversed(table)]:
        if sys.getrefcount(table[key]) <= _IN_A_TABLE and not weakref.getweakrefcount(table[key]):
            del table[key]


def _references_in_a_table(table: dict[int, Any]) -> int:
    return next(sys.getrefcount(table[key]) for key in table)


_IN_A_TABLE = _references_in_a_table({0: np.empty(1)})


def place_in_memory(array: np.ndarray) -> tuple:
    """Where an array lies, and how."""
    return array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.char


def _places_of(array: np.ndarray, tables: Tables) -> list[tuple[dict, Any]]:
    """Where an array stands beside its entries: at most twice."""
    found = ((tables.arrays, id(array)), (tables.places, place_in_memory(array)))
    return [(known, key) for known, key in found if key in known and known[key][0] is array]


def _standing_with_tensors(group: list[Entry], tables: Tables) -> list[tuple[dict, Any]]:
    """Where an array and its tensors stand, beside their entries."""
    found = _places_of(group[0][1], tables)
    for tensor, _, _ in group:
        both = (tables.tensors, tables.views)
        found += [(known, id(tensor)) for known in both if id(tensor) in known and known[id(tensor)][0] is tensor]
    return found


def _references(group: list[Entry]) -> int:
    """How many references there are to an array and its tensors together."""
    return sys.getrefcount(group[0][1]) + sum([sys.getrefcount(tensor) for tensor, _, _ in group])


class _Slot:
    """What a tensor is to its array."""

    __slots__ = ("_array",)

    def __init__(self, array: np.ndarray) -> None:
        self._array = array


def _made(count: int) -> list[Entry]:
    array = np.empty(1)
    return [(_Slot(array), array, None) for _ in range(count)]  # type: ignore[misc]


#: What is counted where nobody else holds anything: of one tensor, and of each further one on the same array.
_OF_ONE = _references(_made(1))
_OF_FURTHER = _references(_made(2)) - _OF_ONE


def _references_to_tensors(group: list[Entry]) -> list[tuple[Any, int]]:
    return [(tensor, sys.getrefcount(tensor)) for tensor, _, _ in group]


#: What is counted of a tensor that nobody else holds.
_OF_TENSOR = _references_to_tensors(_made(1))[0][1]


def _counts(tensor: Any) -> tuple[int, int]:
    """How many references there are to the array of a tensor, and to the one that owns its memory."""
    array = tensor._array
    return sys.getrefcount(array), sys.getrefcount(memory.root(array))


#: What is counted where a tensor alone holds its array, be it one of its own or a view.
_OF_OWN = _counts(_Slot(np.empty(1)))[0]
_OF_VIEW = _counts(_Slot(np.empty(2)[:1]))


def _is_free(group: list[Entry], standing: int) -> bool:
    """Whether nobody holds an array and its tensors but their entries and so many places, nor notices how they go."""
    if _references(group) > _OF_ONE + (len(group) - 1) * _OF_FURTHER + standing:
        return False
    return all(_goes_unnoticed(tensor) for tensor, _, _ in group)


def _forget_histories(group: list[Entry], standing: list[tuple[dict, Any]]) -> None:
    """Let go of the tape behind tensors that the recorder alone holds, though others hold their array: as behind a loss, of
    which the program gets another handle without a history."""
    for tensor, count in _references_to_tensors(group):
        if tensor._node is None or tensor.is_leaf or not _goes_unnoticed(tensor):
            continue
        held = [entry[0] is tensor for entry in group].count(True) + [key == id(tensor) for _, key in standing].count(
            True
        )
        if count < _OF_TENSOR + held:
            tensor._node = None


def _goes_unnoticed(tensor: Any) -> bool:
    return not weakref.getweakrefcount(tensor) and not hasattr(tensor, "__del__")
