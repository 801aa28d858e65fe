"""Arrays that come back from worker processes in memory that both sides see, without a copy.

A worker writes the arrays of an answer into a slot, a file without a name that lives in memory; the other side maps it, and
the program's arrays lie in it. When the last of them is gone, the slot is the worker's again. So memory is as large as the
program holds batches, and is given back by the system when worker and arrays are gone, however they end.
"""

from __future__ import annotations

import mmap
import os
import pickle
import socket
import struct
import weakref
from collections import deque
from typing import Any

import numpy as np

__all__ = ["Incoming", "Outgoing", "receive", "send"]

_HEAD = struct.Struct("<Q")
_LEAST = 16384  # smaller arrays travel with the answer
_ALIGNED = 64


def send(channel: socket.socket, message: Any) -> None:
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    channel.sendall(_HEAD.pack(len(data)) + data)


def _exactly(channel: socket.socket, count: int) -> bytes:
    parts = bytearray()
    while len(parts) < count:
        part = channel.recv(min(count - len(parts), 1 << 20))
        if not part:
            raise EOFError
        parts += part
    return bytes(parts)


def receive(channel: socket.socket) -> Any:
    """The next message.

    Raises:
        EOFError: the other side is gone.
    """
    try:
        [size] = _HEAD.unpack(_exactly(channel, _HEAD.size))
        return pickle.loads(_exactly(channel, size))
    except ConnectionError as error:
        raise EOFError from error


class _Placed:
    """Stands in a message for an array that is in the slot."""

    __slots__ = ("dtype", "shape", "offset")

    def __init__(self, dtype: str, shape: tuple[int, ...], offset: int) -> None:
        self.dtype, self.shape, self.offset = dtype, shape, offset

    def __reduce__(self) -> tuple:
        return _Placed, (self.dtype, self.shape, self.offset)


class Outgoing:
    """The worker's side: puts the arrays of an answer into a slot that is free."""

    def __init__(self, files: socket.socket) -> None:
        self._files = files
        self._slots: list[mmap.mmap] = []
        self._free: list[int] = []

    def freed(self, slots: list[int]) -> None:
        self._free += slots

    def pack(self, columns: list[Any]) -> tuple[list[Any], int | None]:
        """Columns whose large arrays are replaced by their places, and the slot where they are."""
        arrays: list[np.ndarray] = []
        total = 0
        packed: list[Any] = []
        for column in columns:
            if isinstance(column, np.ndarray):
                found, total = self._placed(column, arrays, total)
                packed.append(found)
            else:
                rows = []
                for row in column:
                    found, total = self._placed(row, arrays, total)
                    rows.append(found)
                packed.append(rows)
        if not arrays:
            return packed, None
        slot = self._slot(total)
        memory = np.frombuffer(self._slots[slot], np.uint8)
        offset = 0
        for array in arrays:
            memory[offset : offset + array.nbytes].view(array.dtype).reshape(array.shape)[...] = array
            offset += -(-array.nbytes // _ALIGNED) * _ALIGNED
        return packed, slot

    @staticmethod
    def _placed(array: Any, arrays: list[np.ndarray], total: int) -> tuple[Any, int]:
        if not isinstance(array, np.ndarray) or array.nbytes < _LEAST or array.dtype.kind not in "biufc":
            return array, total
        arrays.append(array)
        return _Placed(array.dtype.str, array.shape, total), total + -(-array.nbytes // _ALIGNED) * _ALIGNED

    def _slot(self, size: int) -> int:
        for number in self._free:
            if len(self._slots[number]) >= size:
                self._free.remove(number)
                return number
        size = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
        file = os.memfd_create("anfora-data")
        os.ftruncate(file, size)
        self._slots.append(mmap.mmap(file, size))
        socket.send_fds(self._files, [b"s"], [file])
        os.close(file)
        return len(self._slots) - 1


class Incoming:
    """The other side: arrays that lie in the worker's slots."""

    def __init__(self, files: socket.socket) -> None:
        self._files = files
        self._slots: list[mmap.mmap] = []
        self._freed: deque[int] = deque()
        self._watched: dict[int, Any] = {}

    def take_freed(self) -> list[int]:
        """The slots that nothing of the program lies in any more, since it was last asked."""
        found = []
        while self._freed:
            found.append(self._freed.popleft())
        return found

    def unpack(self, packed: list[Any], slot: int | None) -> list[Any]:
        if slot is None:
            return packed
        while slot >= len(self._slots):
            _, [file], _, _ = socket.recv_fds(self._files, 1, 1)
            self._slots.append(mmap.mmap(file, os.fstat(file).st_size))
            os.close(file)
        whole = np.frombuffer(self._slots[slot], np.uint8)  # the base of all arrays in the slot
        freed, watched = self._freed, self._watched

        def gone(_: Any) -> None:
            watched.pop(slot, None)
            freed.append(slot)

        watched[slot] = weakref.ref(whole, gone)

        def array(found: Any) -> Any:
            if not isinstance(found, _Placed):
                return found
            dtype = np.dtype(found.dtype)
            size = dtype.itemsize * int(np.prod(found.shape, dtype=np.int64))
            return whole[found.offset : found.offset + size].view(dtype).reshape(found.shape)

        return [[array(row) for row in c] if isinstance(c, list) else array(c) for c in packed]
