"""Which values of a piece nobody can ask for any more: their memory is free, as it is in PyNative mode.

The recorder finds the value of a tensor by its identity, by that of its array, or by the place in memory, so it holds both.
A network's intermediate results would thus live until the piece ends: three times the memory that a step takes. So what
lies in large memory is looked at now and then, and forgotten where the recorder alone holds it: it cannot come again.
"""

from __future__ import annotations

import sys
import weakref
from typing import Any

import numpy as np

from anfora.core import memory
from anfora.graph.ir.nodes import AnfNode

__all__ = ["Large", "place_in_memory"]

_LARGE = 64 << 10  #: bytes of memory from which on it is worth a look whether it is free
_FIRST = 4 << 20  #: bytes that come in before the first look
_SHARE = 16  #: the part of what is alive that comes in before the next one

_Entry = tuple[Any, np.ndarray, AnfNode]  #: a tensor, its array, and the value of the piece that it holds


class Large:
    """The tensors of a piece that lie in large memory, in the order in which they came."""

    def __init__(self) -> None:
        self.entries: list[_Entry] = []
        self._coming = _FIRST  #: bytes that may come in before the next look

    def take(self, tensor: Any, array: np.ndarray, value: AnfNode) -> bool:
        """Take a tensor in, if it lies in large memory."""
        owner = array if array.base is None else memory.root(array)
        if owner.nbytes < _LARGE:
            return False
        self.entries.append((tensor, array, value))
        if owner is array:
            self._coming -= array.nbytes
        return True

    @property
    def is_due(self) -> bool:
        return self._coming < 0

    def sweep(self, tensors: dict, arrays: dict, places: dict, views: dict) -> None:
        """Forget what the recorder alone holds.

        Args:
            tensors, arrays, places: values by the identity of a tensor, by that of its array, and by where that lies, each
                behind the tensor or array.
            views: by the identity of a tensor, itself and what it was taken from as a view.
        """
        groups: dict[int, list[_Entry]] = {}
        for entry in self.entries:
            groups.setdefault(id(entry[1]), []).append(entry)
        self.entries.clear()
        kept, alive = [], 0
        while groups:  # from the last on: a view holds what it is a view of
            _, group = groups.popitem()
            standing = _standing(group, tensors, arrays, places, views)
            if _is_free(group, len(standing)):
                for known, key in standing:
                    del known[key]
            else:
                kept.append(group)
                alive += _own_bytes(group)
        self.entries += [entry for group in reversed(kept) for entry in group]
        self._coming = max(_FIRST, alive // _SHARE)


def place_in_memory(array: np.ndarray) -> tuple:
    """Where an array lies, and how."""
    return array.__array_interface__["data"][0], array.shape, array.strides, array.dtype.char


def _standing(group: list[_Entry], tensors: dict, arrays: dict, places: dict, views: dict) -> list[tuple[dict, Any]]:
    """Where an array and its tensors stand, beside their entries: the array once or twice, and each tensor."""
    array = group[0][1]
    found = [
        (known, key)
        for known, key in ((arrays, id(array)), (places, place_in_memory(array)))
        if key in known and known[key][0] is array
    ]
    for tensor, _, _ in group:
        found += [
            (known, id(tensor)) for known in (tensors, views) if id(tensor) in known and known[id(tensor)][0] is tensor
        ]
    return found


def _own_bytes(group: list[_Entry]) -> int:
    return group[0][1].nbytes if group[0][1].base is None else 0


def _references(group: list[_Entry]) -> int:
    """How many references there are to an array and its tensors together."""
    return sys.getrefcount(group[0][1]) + sum([sys.getrefcount(tensor) for tensor, _, _ in group])


class _Slot:
    """What a tensor is to its array."""

    __slots__ = ("_array",)

    def __init__(self, array: np.ndarray) -> None:
        self._array = array


def _made(count: int) -> list[_Entry]:
    array = np.empty(1)
    return [(_Slot(array), array, None) for _ in range(count)]  # type: ignore[misc]


#: What is counted where nobody else holds anything: of one tensor, and of each further one on the same array.
_OF_ONE = _references(_made(1))
_OF_FURTHER = _references(_made(2)) - _OF_ONE


def _is_free(group: list[_Entry], standing: int) -> bool:
    """Whether nobody holds an array and its tensors but their entries and so many places, nor notices how they go."""
    if _references(group) > _OF_ONE + (len(group) - 1) * _OF_FURTHER + standing:
        return False
    return not any(weakref.getweakrefcount(tensor) or hasattr(tensor, "__del__") for tensor, _, _ in group)
