"""How rows lie in a MindRecord file, version 3.0.

    0              length of the header (8 bytes), then the header, JSON: schema, sizes, pages, the names of all files
    header_size    pages of page_size bytes each, of two kinds; where each row lies stands in an index, file + ".db"

    RAW_DATA       for each row its length (8 bytes), then its scalars and words as a map in MessagePack
    BLOB_DATA      for each row its length (8 bytes), then its bytes and arrays, one after the other; with several of them
                   each after its length (8 bytes, the highest first)

Rows of one blob page are a row group; the raw page that has their scalars lists where each group begins. Arrays of int32
and int64 are kept with as few bytes for each number as it needs: how many numbers (4 bytes, the highest first), two bits
for the size of each, then the numbers. The index is a table of SQLite.
"""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np

from anfora.core.errors import OpRuntimeError
from anfora.core.files import DAMAGE

__all__ = [
    "ARRAYS", "SCALARS", "blob_fields", "decoded_row", "encoded_blob", "from_message", "indexed_fields", "read_header",
    "to_message", "written_header",
]  # fmt: skip

VERSION = "3.0"
_READABLE = ("2.0", VERSION)
#: Types of a field without a shape, and with one.
SCALARS = ("int32", "int64", "float32", "float64", "string", "bytes")
ARRAYS = ("int32", "int64", "float32", "float64")
#: What stands where all fields of a row are arrays, or none is.
NO_SCALARS, NO_BLOB = {"id": 0}, bytes(4)


# --- header -----------------------------------------------------------------------------------------------------------


def read_header(path: str) -> dict[str, Any]:
    """The header of a file.

    Raises:
        OpRuntimeError: it is not a MindRecord file.
    """
    try:
        with open(path, "rb") as file:
            [length] = struct.unpack("<Q", file.read(8))
            if not 2 <= length <= 1 << 27:
                raise ValueError(f"a header of {length} bytes")
            header: dict[str, Any] = json.loads(file.read(length))
        if header["version"] not in _READABLE:
            raise ValueError(f"version {header['version']}")
        header["page"]
        _check(header)
    except OSError as error:
        raise OpRuntimeError(f"Invalid file, {path} cannot be read ({error})") from error
    except DAMAGE as error:
        raise OpRuntimeError(
            f"Invalid file, {path} is not a MindRecord file ({error})",
            help="encrypted files are to be decrypted first."
            if not path.endswith(".db")
            else "name the file without .db.",
        ) from error
    return header


def _check(header: dict[str, Any]) -> None:
    """Raise a ValueError or LookupError for a header that does not say what is needed to read rows."""
    for name in ("header_size", "page_size"):
        if type(header[name]) is not int or not 0 <= header[name] < 1 << 31:
            raise ValueError(f"{name} {header[name]!r}")
    if not header["shard_addresses"] or not all(isinstance(name, str) for name in header["shard_addresses"]):
        raise ValueError(f"shard_addresses {header['shard_addresses']!r}")
    described = header["schema"][0]
    for name, field in described["schema"].items():
        if field["type"] not in (ARRAYS if "shape" in field else SCALARS):
            raise ValueError(f"the field {name!r} of type {field['type']!r}")
    if not set(described["blob_fields"] or ()) <= set(described["schema"]):
        raise ValueError(f"blob_fields {described['blob_fields']!r}")


def written_header(header: dict[str, Any]) -> bytes:
    data = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    if len(data) + 8 > header["header_size"]:
        raise OpRuntimeError(
            f"the header needs {len(data) + 8} bytes, more than {header['header_size']}",
            help="FileWriter.set_header_size makes room for it.",
        )
    return struct.pack("<Q", len(data)) + data


def blob_fields(schema: dict[str, Any]) -> list[str]:
    """The fields that lie in blob pages: bytes and arrays."""
    return sorted(name for name, field in schema.items() if field["type"] == "bytes" or "shape" in field)


def indexed_fields(schema: dict[str, Any]) -> list[str]:
    """The fields that an index can have."""
    blobs = blob_fields(schema)
    return sorted(name for name in schema if name not in blobs)


# --- rows -------------------------------------------------------------------------------------------------------------


def encoded_blob(schema: dict[str, Any], names: list[str], row: dict[str, Any]) -> bytes:
    """The bytes and arrays of a row as they lie in a blob page."""
    if not names:
        return NO_BLOB
    parts = []
    for name in names:
        value = row[name]
        if isinstance(value, np.ndarray):
            value = np.ascontiguousarray(value, schema[name]["type"])
            value = _packed(value.ravel()) if value.dtype.kind == "i" else value.tobytes()
        parts.append(bytes(value))
    if len(parts) == 1:
        return parts[0]
    return b"".join(struct.pack(">Q", len(part)) + part for part in parts)


def decoded_row(schema: dict[str, Any], names: list[str], wanted: list[str], raw: bytes, blob: bytes) -> dict[str, Any]:
    """Fields of a row: int, float, str, bytes, or an array. Where the row is damaged, one of `DAMAGE` is raised.

    Args:
        schema: of all fields.
        names: the fields in the blob.
        wanted: the fields that are to be had.
        raw, blob: as they lie in their pages, without their lengths.
    """
    found: dict[str, Any] = {}
    if any(name not in names for name in wanted):
        message = from_message(raw)
        for name in wanted:
            if name not in names:
                kind = schema[name]["type"]
                value = message[name]
                found[name] = str(value) if kind == "string" else (int if kind.startswith("int") else float)(value)
    start = 0
    for name in names:
        stop = len(blob)
        if len(names) > 1:
            [length] = struct.unpack_from(">Q", blob, start)
            start += 8
            stop = start + length
        if name in wanted:
            found[name] = _array(schema[name], blob[start:stop])
        start = stop
    return found


def _array(field: dict[str, Any], data: bytes) -> Any:
    if "shape" not in field:
        return data
    kind = np.dtype(field["type"])
    array = _unpacked(data, kind) if kind.kind == "i" else np.frombuffer(data, kind).copy()
    return array.reshape(field["shape"])


def _packed(numbers: np.ndarray) -> bytes:
    """Integers with as few bytes for each as it needs."""
    sizes = np.zeros(len(numbers), np.uint8)
    for power, bits in ((1, 7), (2, 15), (3, 31)):
        sizes[(numbers < -(1 << bits)) | (numbers >= 1 << bits)] = power
    codes = np.zeros(-(-len(numbers) // 4) * 4, np.uint8)
    codes[: len(numbers)] = sizes
    table = (codes.reshape(-1, 4) << np.array([6, 4, 2, 0], np.uint8)).sum(1, dtype=np.uint8)
    lengths = 1 << sizes.astype(np.int64)
    begins = np.cumsum(lengths) - lengths
    data = np.empty(int(lengths.sum()), np.uint8)
    for power in range(4):
        chosen = np.flatnonzero(sizes == power)
        if len(chosen):
            few = numbers[chosen].astype(f"<i{1 << power}").view(np.uint8).reshape(len(chosen), -1)
            data[begins[chosen][:, None] + np.arange(1 << power)] = few
    return struct.pack(">I", len(numbers)) + table.tobytes() + data.tobytes()


def _unpacked(data: bytes, kind: np.dtype) -> np.ndarray:
    [count] = struct.unpack_from(">I", data)
    table = np.frombuffer(data, np.uint8, -(-count // 4), 4)
    sizes = ((table[:, None] >> np.array([6, 4, 2, 0], np.uint8)) & 3).ravel()[:count]
    lengths = 1 << sizes.astype(np.int64)
    begins = np.cumsum(lengths) - lengths
    rest = np.frombuffer(data, np.uint8, offset=4 + len(table))
    numbers = np.empty(count, kind)
    for power in range(4):
        chosen = np.flatnonzero(sizes == power)
        if len(chosen):
            few = rest[begins[chosen][:, None] + np.arange(1 << power)]
            numbers[chosen] = np.ascontiguousarray(few).view(f"<i{1 << power}")[:, 0]
    return numbers


# --- MessagePack, of which a map of scalars and words needs a part ------------------------------------------------------


def to_message(row: dict[str, Any]) -> bytes:
    """A map from names to int, float and str."""
    parts = [bytes([0x80 | len(row)]) if len(row) < 16 else struct.pack(">BH", 0xDE, len(row))]
    for name in sorted(row):
        parts += [_word(name), _value(row[name])]
    return b"".join(parts)


def _word(text: str) -> bytes:
    data = text.encode()
    if len(data) < 32:
        return bytes([0xA0 | len(data)]) + data
    if len(data) < 1 << 8:
        return struct.pack(">BB", 0xD9, len(data)) + data
    if len(data) < 1 << 16:
        return struct.pack(">BH", 0xDA, len(data)) + data
    return struct.pack(">BI", 0xDB, len(data)) + data


def _value(value: Any) -> bytes:
    if isinstance(value, str):
        return _word(value)
    if isinstance(value, float):
        return struct.pack(">Bd", 0xCB, value)
    if 0 <= value < 128:
        return bytes([value])
    return struct.pack(">Bq", 0xD3, value)


_NUMBERS = {
    0xCA: ">f", 0xCB: ">d", 0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q", 0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q",
}  # fmt: skip
_WORDS = {0xD9: ">B", 0xDA: ">H", 0xDB: ">I"}
_MAPS = {0xDE: ">H", 0xDF: ">I"}


def from_message(data: bytes) -> dict[str, Any]:
    """The map that a message holds; one of `DAMAGE` is raised where it holds none."""
    found, _ = _read(data, 0)
    if not isinstance(found, dict):
        raise ValueError("a row that is no map")
    return found


def _read(data: bytes, at: int) -> tuple[Any, int]:
    """A value, and where the next one begins."""
    head = data[at]
    at += 1
    if head < 0x80:
        return head, at
    if head >= 0xE0:
        return head - 256, at
    if head in _NUMBERS:
        layout = _NUMBERS[head]
        return struct.unpack_from(layout, data, at)[0], at + struct.calcsize(layout)
    if head in (0xC0, 0xC2, 0xC3):
        return {0xC0: None, 0xC2: False, 0xC3: True}[head], at
    if 0xA0 <= head < 0xC0 or head in _WORDS:
        length = head & 31
        if head in _WORDS:
            [length] = struct.unpack_from(_WORDS[head], data, at)
            at += struct.calcsize(_WORDS[head])
        return data[at : at + length].decode(), at + length
    if head < 0x90 or head in _MAPS:
        count = head & 15
        if head in _MAPS:
            [count] = struct.unpack_from(_MAPS[head], data, at)
            at += struct.calcsize(_MAPS[head])
        found = {}
        for _ in range(count):
            name, at = _read(data, at)
            found[name], at = _read(data, at)
        return found, at
    raise IndexError(f"byte {head:#x}")
