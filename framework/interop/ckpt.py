"""The bytes of MindSpore's `.ckpt` files, without protobuf.

    message Checkpoint  { repeated Value value = 1; }
    message Value       { required string tag = 1; oneof value { TensorProto tensor = 2; … } }
    message TensorProto { repeated int64 dims = 1; required string tensor_type = 2; required bytes tensor_content = 3; }

Strings are UTF-32, little endian. A file is the concatenated `Value` fields. A tensor over 512 MiB is several Values of
one tag whose bytes are joined. A file may end in `crc_num` and ten bytes: the CRC-32 of what stands before. Numbers are
varints: seven bits a byte, lowest first.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator

from anfora.core.errors import OpValueError

__all__ = ["Entry", "read", "write"]

_SLICE = 512 << 20
_CRC_MARK = b"crc_num"

#: (name, label of the element type, shape, bytes in row-major order)
Entry = tuple[str, str, tuple[int, ...], bytes]


def write(entries: Iterable[Entry], crc_check: bool = False) -> bytes:
    """The file of some tensors."""
    out = bytearray()
    for name, label, shape, content in entries:
        for start in range(0, max(len(content), 1), _SLICE):
            dims = b"".join(b"\x08" + _varint(n) for n in shape)
            part = content[start : start + _SLICE]
            tensor = dims + _field(2, label.encode()) + _field(3, part)
            out += _field(1, _field(1, name.encode()) + _field(2, tensor))
    if crc_check:
        out += _CRC_MARK + zlib.crc32(out).to_bytes(10, "big")
    return bytes(out)


def read(data: bytes, crc_check: bool = False) -> list[Entry]:
    """The tensors of a file.

    Raises:
        OpValueError: the bytes are no checkpoint, are cut off, or do not have the sum they say.
    """
    body = data
    if data[-17:-10] == _CRC_MARK:
        body = data[:-17]
        if crc_check and zlib.crc32(body) != int.from_bytes(data[-10:], "big"):
            raise OpValueError("the checkpoint is damaged: its CRC does not fit")
    found: dict[str, Entry] = {}
    try:
        for number, value in _fields(body):
            if number != 1 or not isinstance(value, memoryview):
                raise ValueError("no Value")
            name, label, shape, content = _value(value)
            if name in found:
                content = found[name][3] + content
            found[name] = (name, label, shape, content)
    except (ValueError, IndexError, UnicodeDecodeError, struct.error) as error:
        raise OpValueError(f"the file is no checkpoint, or a damaged one ({error})") from error
    return list(found.values())


def _value(data: memoryview) -> Entry:
    parts = dict(_fields(data))
    name = str(bytes(parts[1]), "utf-8")  # type: ignore[arg-type]
    if 2 not in parts:
        raise ValueError(f"{name} is a hash table, which cannot be read")
    dims: list[int] = []
    label, content = "", b""
    for number, value in _fields(parts[2]):  # type: ignore[arg-type]
        if number == 1:
            dims += [value] if isinstance(value, int) else _varints(value)
        elif number == 2:
            label = str(bytes(value), "utf-8")  # type: ignore[arg-type]
        elif number == 3:
            content = bytes(value)  # type: ignore[arg-type]
    return name, label, tuple(_signed(n) for n in dims), content


def _varint(number: int) -> bytes:
    number &= (1 << 64) - 1
    out = bytearray()
    while True:
        number, low = number >> 7, number & 0x7F
        out.append(low | (0x80 if number else 0))
        if not number:
            return bytes(out)


def _signed(number: int) -> int:
    return number - (1 << 64) if number >> 63 else number


def _field(number: int, content: bytes) -> bytes:
    return bytes([number << 3 | 2]) + _varint(len(content)) + content


def _read_varint(data: memoryview, at: int) -> tuple[int, int]:
    result = shift = 0
    while True:
        byte = data[at]
        at += 1
        result |= (byte & 0x7F) << shift
        if not byte & 0x80:
            return result, at
        shift += 7
        if shift > 63:
            raise ValueError("a number is too long")


def _varints(data: memoryview) -> list[int]:
    at, found = 0, []
    while at < len(data):
        number, at = _read_varint(data, at)
        found.append(number)
    return found


def _fields(data: bytes | memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """The fields of a message: number and content."""
    view = memoryview(data)
    at = 0
    while at < len(view):
        key, at = _read_varint(view, at)
        kind = key & 7
        if kind == 0:
            value, at = _read_varint(view, at)
            yield key >> 3, value
        elif kind == 2:
            length, at = _read_varint(view, at)
            if at + length > len(view):
                raise ValueError("it is cut off")
            yield key >> 3, view[at : at + length]
            at += length
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
            yield key >> 3, int.from_bytes(view[at : at + size], "little")
            at += size
        else:
            raise ValueError(f"unknown wire type {kind}")
