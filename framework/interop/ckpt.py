"""The bytes of MindSpore's `.ckpt` files, without protobuf.

    message Checkpoint  { repeated Value value = 1; }
    message Value       { required string tag = 1; oneof value { TensorProto tensor = 2; … } }
    message TensorProto { repeated int64 dims = 1; required string tensor_type = 2; required bytes tensor_content = 3; }

Strings are UTF-32, little endian. A file is the concatenated `Value` fields. A tensor over 512 MiB is several Values of
one tag whose bytes are joined. A file may end in `crc_num` and ten bytes: the CRC-32 of what stands before. Numbers are
varints: seven bits a byte, lowest first.

What a training needs to be resumed stands in a field of its own, number 1001, which other readers pass by.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

from anfora.core.errors import OpValueError

__all__ = ["Entry", "read", "state_of", "write"]

_SLICE = 512 << 20
_CRC_MARK = b"crc_num"
_STATE = 1001

#: (name, label of the element type, shape, bytes in row-major order)
Entry = tuple[str, str, tuple[int, ...], bytes]


def write(entries: Iterable[Entry], crc_check: bool = False, state: bytes | None = None) -> bytes:
    """The file of some tensors, and of the state of a training."""
    out = bytearray()
    for name, label, shape, content in entries:
        for start in range(0, max(len(content), 1), _SLICE):
            dims = b"".join(b"\x08" + _varint(n) for n in shape)
            part = content[start : start + _SLICE]
            tensor = dims + _field(2, label.encode()) + _field(3, part)
            out += _field(1, _field(1, name.encode()) + _field(2, tensor))
    if state is not None:
        out += _field(_STATE, state)
    if crc_check:
        out += _CRC_MARK + zlib.crc32(out).to_bytes(10, "big")
    return bytes(out)


def read(data: bytes, crc_check: bool = False) -> list[Entry]:
    """The tensors of a file. What is read takes no more memory than the file.

    Raises:
        OpValueError: the bytes are no checkpoint, are cut off, or do not have the sum they say; with the byte where.
    """
    end = len(data)
    if data[-17:-10] == _CRC_MARK:
        end -= 17
        if crc_check and zlib.crc32(memoryview(data)[:end]) != int.from_bytes(data[-10:], "big"):
            raise OpValueError("the checkpoint is damaged: its CRC does not fit")
    found: dict[str, tuple[str, tuple[int, ...], list[memoryview]]] = {}
    for value in _Message(data, 0, end, "a checkpoint").fields(1, _STATE):
        if value.number == _STATE:
            continue
        name, label, shape, content = _value(_Message(data, value.start, value.stop, "a value"))
        first = found.setdefault(name, (label, shape, []))
        if first[:2] != (label, shape):
            raise _damaged(
                value.start, f"another piece of {name!r}, {first[0]}{list(first[1])}", f"{label}{list(shape)}"
            )
        first[2].append(content)
    return [(name, label, shape, b"".join(pieces)) for name, (label, shape, pieces) in found.items()]


def state_of(data: bytes) -> bytes | None:
    """The state of a training in a file, or None.

    Raises:
        OpValueError: the bytes are no checkpoint, or are cut off.
    """
    end = len(data) - (17 if data[-17:-10] == _CRC_MARK else 0)
    for field in _Message(data, 0, end, "a checkpoint").fields(1, _STATE):
        if field.number == _STATE:
            return bytes(field.content())
    return None


def _value(message: _Message) -> tuple[str, str, tuple[int, ...], memoryview]:
    name, tensor = None, None
    for field in message.fields(1, 2):
        if field.number == 1:
            name = field.text()
        else:
            tensor = field
    if name is None or tensor is None:
        raise _damaged(
            message.start, "a name and a tensor", "neither" if name is None else f"{name!r} without a tensor"
        )
    label, content = "", memoryview(b"")
    dims: list[int] = []
    for field in _Message(message.data, tensor.start, tensor.stop, "a tensor").fields(1, 2, 3):
        if field.number == 1:
            dims += field.numbers()
        elif field.number == 2:
            label = field.text()
        else:
            content = field.content()
    if any(length < 0 for length in dims):
        raise _damaged(tensor.start, "a shape", str(dims))
    return name, label, tuple(dims), content


class _Message:
    """The bytes of a message, and where they lie in the file."""

    def __init__(self, data: bytes, start: int, stop: int, what: str) -> None:
        self.data, self.start, self.stop, self.what = data, start, stop, what

    def fields(self, *known: int) -> Iterator[_Field]:
        """Its fields; those that are not `known` have another meaning, or none."""
        at = self.start
        while at < self.stop:
            begin = at
            key, at = self.varint(at)
            number, kind = key >> 3, key & 7
            if number not in known:
                raise _damaged(begin, f"a field of {self.what}", f"field {number}")
            if kind == 0:
                value, at = self.varint(at)
                yield _Field(self, number, value, begin, at)
            elif kind == 2:
                length, at = self.varint(at)
                if length > self.stop - at:
                    raise _damaged(begin, f"{length} bytes in field {number} of {self.what}", f"{self.stop - at}")
                yield _Field(self, number, None, at, at + length)
                at += length
            else:
                raise _damaged(begin, f"numbers and bytes in {self.what}", f"wire type {kind}")

    def varint(self, at: int) -> tuple[int, int]:
        """The number at a place, and where it ends."""
        result = shift = 0
        for here in range(at, min(at + 10, self.stop)):
            byte = self.data[here]
            result |= (byte & 0x7F) << shift
            if not byte & 0x80:
                return result & (1 << 64) - 1, here + 1
            shift += 7
        raise _damaged(at, "a number", "none that ends")


class _Field:
    """One field of a message: a number, or bytes from `start` to `stop`."""

    def __init__(self, message: _Message, number: int, value: int | None, start: int, stop: int) -> None:
        self.message, self.number, self.value, self.start, self.stop = message, number, value, start, stop

    def content(self) -> memoryview:
        if self.value is not None:
            raise _damaged(self.start, f"bytes in field {self.number} of {self.message.what}", "a number")
        return memoryview(self.message.data)[self.start : self.stop]

    def text(self) -> str:
        try:
            return str(self.content(), "utf-8")
        except UnicodeDecodeError as error:
            raise _damaged(
                self.start + error.start, "text in UTF-8", f"the byte {error.object[error.start]:#x}"
            ) from None

    def numbers(self) -> list[int]:
        """One number, or several that are packed."""
        if self.value is not None:
            return [_signed(self.value)]
        at, found = self.start, []
        while at < self.stop:
            number, at = _Message(self.message.data, at, self.stop, self.message.what).varint(at)
            found.append(_signed(number))
        return found


def _damaged(at: int, expected: str, got: str) -> OpValueError:
    return OpValueError(f"the file is no checkpoint, or a damaged one: at byte {at} expected {expected}, but got {got}")


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
    return _varint(number << 3 | 2) + _varint(len(content)) + content
