"""Arrays that come back from worker processes in memory that both sides see, without a copy.

A worker writes the arrays of an answer into a slot, a file without a name that lives in memory; the other side maps it, and
the program's arrays lie in it. When the last of them is gone, the slot is the worker's again. So memory is as large as the
program holds batches, and is given back by the system when worker and arrays are gone, however they end.
"""

from __future__ import annotations

import math
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
_SENT = "biufc"  # kinds of elements that need no pickle


def _aligned(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED


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


def _in_a_row(arrays: dict[int, np.ndarray], begin: int) -> tuple[dict[int, int], int]:
    """Places for arrays one behind the other, and where the last one ends."""
    places = {}
    for key, array in arrays.items():
        places[key] = begin
        begin += _aligned(array.nbytes)
    return places, begin


class Outgoing:
    """The worker's side: puts the arrays of an answer into a slot that is free.

    While an answer is made, `room` gives out memory of the slot that it will be in, so that large arrays are written where
    they are sent. What is handed out and not sent is lost until the slot comes back.
    """

    def __init__(self, files: socket.socket) -> None:
        self._files = files
        self._slots: list[mmap.mmap] = []
        self._free: list[int] = []
        self._open: int | None = None  # the slot of the answer that is made
        self._used = 0  # of its bytes
        self._usual = 0  # how many an answer used at most

    def freed(self, slots: list[int]) -> None:
        self._free += slots

    def begin(self) -> None:
        """An answer is made from here on."""
        self._used = 0

    def room(self, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        """An array, not initialised, in the slot of the next answer if it is large."""
        dtype = np.dtype(dtype)
        size = dtype.itemsize * math.prod(shape)
        if size < _LEAST or dtype.kind not in _SENT:
            return np.empty(shape, dtype)
        if self._open is None:
            self._open = self._slot(max(size, self._usual))
        start, end = self._used, self._used + _aligned(size)
        self._usual = max(self._usual, end)
        if end > len(self._slots[self._open]):
            return np.empty(shape, dtype)
        self._used = end
        return np.frombuffer(self._slots[self._open], np.uint8, size, start).view(dtype).reshape(shape)

    def pack(self, columns: list[Any]) -> tuple[list[Any], int | None]:
        """Columns whose large arrays are replaced by their places, and the slot where they are."""
        arrays = {
            id(array): array
            for column in columns
            for array in ([column] if isinstance(column, np.ndarray) else column)
            if isinstance(array, np.ndarray) and array.nbytes >= _LEAST and array.dtype.kind in _SENT
        }
        opened, self._open = self._open, None
        slot, places, there = self._laid(opened, arrays)
        if opened is not None and opened != slot:
            self._free.append(opened)
        if slot is None:
            return columns, None
        memory = np.frombuffer(self._slots[slot], np.uint8)
        for key, array in arrays.items():
            if key not in there:
                place = memory[places[key] : places[key] + array.nbytes]
                place.view(array.dtype).reshape(array.shape)[...] = array

        def packed(array: Any) -> Any:
            return _Placed(array.dtype.str, array.shape, places[id(array)]) if id(array) in places else array

        return [packed(c) if isinstance(c, np.ndarray) else [packed(row) for row in c] for c in columns], slot

    def _laid(
        self, opened: int | None, arrays: dict[int, np.ndarray]
    ) -> tuple[int | None, dict[int, int], dict[int, int]]:
        """The slot that arrays are sent in, their places, and the places of those that are written already.

        That is the slot of the answer, where some were made: the others come behind them. Without it, or if that has not
        the room, it is another one, with all of them.
        """
        if not arrays:
            return None, {}, {}
        if opened is not None:
            there = self._places(opened, arrays)
            places, end = _in_a_row({key: array for key, array in arrays.items() if key not in there}, self._used)
            if end <= len(self._slots[opened]):
                return opened, {**there, **places}, there
        places, end = _in_a_row(arrays, 0)
        return self._slot(end), places, {}

    def _places(self, slot: int, arrays: dict[int, np.ndarray]) -> dict[int, int]:
        """Those of the arrays that lie in a slot as they are sent, and where."""
        start = np.frombuffer(self._slots[slot], np.uint8).ctypes.data
        return {
            key: array.ctypes.data - start
            for key, array in arrays.items()
            if array.flags.c_contiguous and start <= array.ctypes.data < start + self._used
        }

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
