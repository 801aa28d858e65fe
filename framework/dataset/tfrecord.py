"""How TFRecord files hold rows: frames with checksums, in each a `tf.train.Example`.

A frame is the length of its data (8 bytes), the checksum of the length (4), the data, and their checksum (4): CRC-32C,
turned by 15 bits and a constant added. An Example is a protocol buffer: a map from names to lists of bytes, of
float32 or of int64. Of that language only what these need is read here.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import Any

import numpy as np

from anfora.core.errors import OpRuntimeError
from anfora.kernel.checksum import crc32c

__all__ = ["frames", "masked_crc", "record_at"]


# --- checksums --------------------------------------------------------------------------------------------------------


def masked_crc(data: bytes) -> int:
    """The checksum of data as it stands in a frame.

    Example:
        >>> hex(masked_crc(b"123456789"))
        '0xc78ab0e5'
    """
    word = crc32c(data)
    return (((word >> 15) | (word << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def frames(file: Any, size: int, path: str) -> np.ndarray:
    """Where the data of each frame of a file begin and end, (n, 2); the checksums of the lengths are verified."""
    places = []
    at = 0
    while at < size:
        file.seek(at)
        head = file.read(12)
        if len(head) == 12:
            length, crc = struct.unpack("<QI", head)
            if crc != masked_crc(head[:8]):
                raise OpRuntimeError(
                    f"Invalid file, {path} is not a TFRecord file, or is damaged, at byte {at}",
                    help="a file that was compressed is read with compression_type='GZIP' or 'ZLIB'."
                    if head[:2] == b"\x1f\x8b" or head[:1] == b"\x78"
                    else None,
                )
        if len(head) < 12 or at + length + 16 > size:
            raise OpRuntimeError(f"Invalid file, {path} ends in the middle of the record at byte {at}")
        places.append((at + 12, at + 12 + length))
        at += length + 16
    return np.array(places, np.int64).reshape(-1, 2)


# --- protocol buffers -------------------------------------------------------------------------------------------------


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number, and where the next thing begins."""
    word = shift = 0
    while True:
        byte = data[at]
        at += 1
        word |= (byte & 127) << shift
        if byte < 128:
            return word, at
        shift += 7


def _fields(data: bytes, start: int, stop: int) -> Iterator[tuple[int, int, int, int]]:
    """The fields of a message: number, kind, and where its contents begin and end."""
    at = start
    while at < stop:
        tag, at = _varint(data, at)
        kind = tag & 7
        if kind == 2:
            length, at = _varint(data, at)
            end = at + length
        elif kind == 0:
            _, end = _varint(data, at)
        elif kind in (1, 5):
            end = at + (8 if kind == 1 else 4)
        else:
            raise ValueError(f"a field of kind {kind}")
        if end > stop:
            raise ValueError("a field is longer than its message")
        yield tag >> 3, kind, at, end
        at = end


def _varints(data: bytes) -> np.ndarray:
    """Numbers one after the other."""
    found = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(found < 128)
    if not len(found) or ends.size == 0 or ends[-1] != len(found) - 1:
        if len(found):
            raise ValueError("numbers end in the middle of one")
        return np.empty(0, np.int64)
    begins = np.concatenate([[0], ends[:-1] + 1])
    within = np.arange(len(found)) - np.repeat(begins, ends - begins + 1)
    if within.max(initial=0) > 9:
        raise ValueError("a number of more than 64 bits")
    parts = (found & np.uint8(127)).astype(np.uint64) << (within.astype(np.uint64) * np.uint64(7))
    return np.bitwise_or.reduceat(parts, begins).view(np.int64)


def _feature(data: bytes, start: int, stop: int) -> list[bytes] | np.ndarray:
    """The values of a feature: bytes, or an array of float32 or int64."""
    for number, _, begin, end in _fields(data, start, stop):
        values = list(_fields(data, begin, end))
        if number == 1:
            return [data[a:b] for _, _, a, b in values]
        if number == 2:  # packed, or one by one
            return np.frombuffer(b"".join(data[a:b] for _, _, a, b in values), "<f4").astype(np.float32)
        if number == 3:
            return _varints(b"".join(data[a:b] for _, _, a, b in values))
    return []


def example_of(data: bytes) -> dict[str, list[bytes] | np.ndarray]:
    """The features of an Example by their names.

    Raises:
        OpRuntimeError: the data are not one.
    """
    found: dict[str, list[bytes] | np.ndarray] = {}
    try:
        for number, _, begin, end in _fields(data, 0, len(data)):
            if number != 1:
                continue
            for _, _, entry, entry_end in _fields(data, begin, end):
                name, feature = "", (0, 0)
                for part, _, a, b in _fields(data, entry, entry_end):
                    if part == 1:
                        name = data[a:b].decode()
                    elif part == 2:
                        feature = a, b
                found[name] = _feature(data, *feature)
    except (IndexError, ValueError) as error:
        raise OpRuntimeError(f"Invalid data, a record is not a tf.train.Example ({error})") from error
    return found


def record_at(handle: int, begin: int, end: int, damaged: str) -> dict[str, list[bytes] | np.ndarray]:
    """The features of a record by its place in a file.

    Args:
        handle: of the file.
        damaged: what is said of a file whose record has another checksum.
    """
    data = os.pread(handle, end - begin + 4, begin)
    if len(data) != end - begin + 4 or masked_crc(data[:-4]) != int.from_bytes(data[-4:], "little"):
        raise OpRuntimeError(f"Invalid file, {damaged}, at byte {begin}")
    return example_of(data[:-4])
