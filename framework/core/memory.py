"""Who else sees a buffer, and when it was written.

Three facts about memory decide whether a gradient may trust what the tape has kept:

- *Writes.* Each in-place write is noted with its tick. A saved value whose memory was written after it was saved is an
  error that names both lines.
- *Saved.* A tensor whose memory a tape has kept is marked. When such memory is handed out (`asnumpy`, DLPack), the tensor
  moves to a copy, which it shares with the outside, and the tape keeps the original for itself.
- *Exported.* Memory that the outside can see is marked as long as somebody there holds it; a tape that saves it saves a
  copy.

The clock counts recorded operators and writes, so that "later" has one meaning.
"""

from __future__ import annotations

import functools
import weakref
from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np

from anfora.core import slots
from anfora.core.abstract import Layout

__all__ = [
    "SAVED", "Export", "Window", "Write", "clock", "last_write", "note_write", "note_writes", "root", "tick", "twin",
]  # fmt: skip

clock = array("q", [0])  #: one cell; native code counts in it too


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


class Write:
    """The last in-place write to a piece of memory."""

    __slots__ = ("owner", "place", "tick")

    def __init__(self, owner: Any) -> None:
        self.owner = owner
        self.tick = 0
        self.place: Any = None


writes: dict[int, Write] = {}  #: by id of the owning array, while that lives


def note_write(buffer: np.ndarray, place: Any) -> None:
    """Remember that memory was written just now, by the program at `place`."""
    note_writes((buffer,), place)


def note_writes(buffers: Sequence[np.ndarray], place: Any) -> None:
    """The same for several pieces of memory, which were written at one moment."""
    clock[0] += 1
    now = clock[0]
    for buffer in buffers:
        owner = buffer if buffer.base is None else root(buffer)
        write = writes.get(id(owner))
        if write is None:
            write = writes[id(owner)] = _watched(owner)
        write.tick, write.place = now, place


def _watched(owner: np.ndarray) -> Write:
    """A record that goes when the memory goes."""
    # The reference is what `pop` gives where nothing is: no code of Python runs, in which a signal would be lost.
    return Write(weakref.ref(owner, functools.partial(writes.pop, id(owner))))


def last_write(buffer: np.ndarray) -> Write | None:
    """The last in-place write to the memory of an array."""
    return writes.get(id(root(buffer)))


class _Saved:
    """The mark of memory that a tape has kept."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "saved"


SAVED = _Saved()


class Export:
    """The mark of memory that the outside can see, for as long as it looks."""

    __slots__ = ("_holders",)

    def __init__(self) -> None:
        self._holders: list[weakref.ref] = []

    def hand_out(self, buffer: np.ndarray) -> np.ndarray:
        """The same memory as a new array; the mark lasts while that array or a view of it lives."""
        holder = _Holder(buffer)
        self.watch(holder)
        return np.asarray(holder)

    def watch(self, holder: Any) -> None:
        self._holders = [ref for ref in self._holders if ref() is not None]
        self._holders.append(weakref.ref(holder))

    @property
    def is_alive(self) -> bool:
        return any(ref() is not None for ref in self._holders)


class _Holder:
    """Stands between an exported array and the buffer, so that the death of the last view can be seen: numpy makes the
    owner of the memory, not the intermediate array, the base of a view, unless that is another type of object."""

    __slots__ = ("__array_interface__", "__weakref__", "_buffer")

    def __init__(self, buffer: np.ndarray) -> None:
        self._buffer = buffer
        self.__array_interface__ = buffer.__array_interface__
