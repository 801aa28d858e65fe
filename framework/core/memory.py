"""Who else sees a buffer: a tape, or the outside.

Two facts about memory decide whether a gradient may trust what the tape has kept:

- *Saved.* A tensor whose memory a tape has kept is marked. Before such memory is written to, or handed out (`asnumpy`,
  DLPack), the tensor moves to a copy, and the tape keeps the original for itself: see `tensor.leave_to_tape`. The mark is
  only a reason to look. Whether a node holds the memory still is told by the number of references to it, so a mark ends
  with the walk back, or when the nodes die.
- *Exported.* Memory that the outside can see is marked as long as somebody there holds it; a tape that saves it saves a
  copy.
"""

from __future__ import annotations

import sys
import weakref
from array import array
from typing import Any

import numpy as np

from anfora.core import slots
from anfora.core.abstract import Layout

__all__ = ["NEVER_MOVED", "SAVED", "Epoch", "Export", "Window", "clock", "is_shared", "root", "tick", "twin"]

clock = array("q", [0])  #: recorded operators are counted here; one cell, native code counts in it too


def tick() -> int:
    """The next moment."""
    clock[0] += 1
    return clock[0]


def root(buffer: np.ndarray) -> np.ndarray:
    """The array that owns the memory of a view."""
    while True:
        base = buffer.base
        if isinstance(base, np.ndarray):
            buffer = base
        elif isinstance(base, Window):
            buffer = base.owner
        else:
            return buffer


def twin(buffer: np.ndarray) -> np.ndarray:
    """A copy whose elements lie at the same distances, for kernels that were made for them."""
    if slots.watcher.recorder is not None:
        slots.watcher.recorder.note_foreign("a copy of memory that the outside sees")
    if buffer.flags.c_contiguous or not buffer.size:
        return buffer.copy()
    steps = [(n - 1) * step for n, step in zip(buffer.shape, buffer.strides)]
    start = -sum(step for step in steps if step < 0)
    room = np.empty(start + sum(step for step in steps if step > 0) + buffer.itemsize, np.uint8)
    copy = np.ndarray(buffer.shape, buffer.dtype, room, start, buffer.strides)
    copy[...] = buffer
    return copy


class Window:
    """Makes `np.asarray` give any part of the memory of an array, where numpy's constructor would refuse."""

    __slots__ = ("__array_interface__", "owner")

    def __init__(self, owner: np.ndarray, address: int, layout: Layout) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "version": 3,
            "data": (address, not owner.flags.writeable),
            "shape": layout.shape,
            "strides": layout.strides,
            "typestr": layout.dtype.storage.str,
        }


class Epoch:
    """The time between two changes of a tensor's memory or history; its views see that there was one.

    Args:
        before: the epoch of the tensor until now, if its history goes on and only the memory is another one.
    """

    __slots__ = ("history",)

    def __init__(self, before: Epoch | None = None) -> None:
        #: Equal for epochs of one history.
        self.history: Any = self if before is None else before.history


#: The history of a tensor that has no epoch yet.
NEVER_MOVED = Epoch()


class _Saved:
    """The mark of memory that a tape has kept."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "saved"


SAVED = _Saved()


class _Slot:
    """What a tensor is to its buffer."""

    __slots__ = ("_array",)

    _array: np.ndarray


def _references() -> tuple[int, int]:
    """What is counted of a buffer that one tensor has: of its array, and of the owner of the memory, if that is another."""
    slot = _Slot()
    slot._array = np.empty(1)
    own = sys.getrefcount(slot._array)
    slot._array = slot._array[:]
    owner = root(slot._array)
    return own, sys.getrefcount(owner)


_OWN, _OWNER = _references()


def is_shared(tensor: Any) -> bool:
    """Whether anybody but a tensor holds its memory: a node of the tape, another tensor, somebody who is reading it."""
    if sys.getrefcount(tensor._array) > _OWN:
        return True
    owner = root(tensor._array)
    return owner is not tensor._array and sys.getrefcount(owner) > _OWNER


class Export:
    """The mark of memory that the outside can see, for as long as it looks."""

    __slots__ = ("_holders",)

    def __init__(self) -> None:
        self._holders: list[weakref.ref] = []

    def hand_out(self, buffer: np.ndarray) -> np.ndarray:
        """The same memory as a new array; the mark lasts while that array or a view of it lives."""
        holder = buffer.view(_Holder).view(_Holder)
        self.watch(holder)
        return holder.view(np.ndarray)

    def watch(self, holder: Any) -> None:
        self._holders = [ref for ref in self._holders if ref() is not None]
        self._holders.append(weakref.ref(holder))

    @property
    def is_alive(self) -> bool:
        return any(ref() is not None for ref in self._holders)


class _Holder(np.ndarray):
    """Stands between an exported array and the buffer, so that the death of the last view can be seen: numpy makes what
    lies behind an intermediate array the base of a view, if that is of the type of the view. So it must not be such
    an array that lies behind a holder: there are two, one behind the other."""

    __slots__ = ()
