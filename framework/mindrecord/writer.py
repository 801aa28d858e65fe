"""Writing MindRecord files."""

from __future__ import annotations

import contextlib
import os
import re
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from anfora.core.arguments import answers
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.mindrecord.format import (
    ARRAYS,
    NO_SCALARS,
    SCALARS,
    VERSION,
    blob_fields,
    encoded_blob,
    indexed_fields,
    read_header,
    to_message,
    written_header,
)

__all__ = ["FileWriter", "as_written", "schema_of"]

_RAW, _BLOB = "RAW_DATA", "BLOB_DATA"
_PENDING = 1 << 22  # bytes that are kept before they are written
_PLACES = (
    "ROW_ID", "PAGE_ID_RAW", "PAGE_OFFSET_RAW", "PAGE_OFFSET_RAW_END", "ROW_GROUP_ID", "PAGE_ID_BLOB",
    "PAGE_OFFSET_BLOB", "PAGE_OFFSET_BLOB_END",
)  # fmt: skip
_SQL_TYPES = {"string": "TEXT", "int32": "INTEGER", "int64": "INTEGER", "float32": "REAL", "float64": "REAL"}


class _Page:
    """A page as the header describes it, and what is not yet written of it."""

    def __init__(self, entry: dict[str, Any]) -> None:
        self.entry, self.pending = entry, bytearray()

    @property
    def number(self) -> int:
        return self.entry["page_id"]

    @property
    def size(self) -> int:
        return self.entry["page_size"]

    def add(self, data: bytes) -> None:
        self.pending += struct.pack("<Q", len(data)) + data
        self.entry["page_size"] += 8 + len(data)


class _File:
    """One of the files that are written together.

    Args:
        path: of the file.
        number: which of the files it is.
        header: header_size, page_size and schema.
        fields: of the index.
        pages: those that are there already.
    """

    def __init__(
        self, path: str, number: int, header: dict[str, Any], fields: list[str], pages: list[dict[str, Any]]
    ) -> None:
        self.path, self.number, self.header = path, number, header
        self.schema = header["schema"][0]["schema"]
        self.fields = fields
        self.pages = [_Page(entry) for entry in pages]
        self.blob = self._last(_BLOB)
        self.raw = self._last(_RAW)
        self.rows = sum(page.entry["end_row_id"] - page.entry["start_row_id"] for page in self.pages)
        self.file = open(path, "r+b" if pages else "w+b")  # noqa: SIM115  (until `close`)
        if not pages:
            self.file.truncate(header["header_size"])
        import sqlite3  # only who writes such files needs it

        self.index = sqlite3.connect(path + ".db", isolation_level=None)
        self.index.execute("BEGIN")
        self._tables()

    def _last(self, kind: str) -> _Page | None:
        return next((page for page in reversed(self.pages) if page.entry["page_type"] == kind), None)

    def _tables(self) -> None:
        columns = [f"{place} INT NOT NULL" for place in _PLACES]
        for number, name in enumerate(self.fields):
            columns += [f"INC_{number} INT", f"{name}_0 {_SQL_TYPES[self.schema[name]['type']]}"]
        key = ", ".join(["ROW_ID", *(f"INC_{number}" for number in range(len(self.fields)))])
        self.index.execute(f"CREATE TABLE IF NOT EXISTS INDEXES({', '.join(columns)}, PRIMARY KEY({key}))")
        self.index.execute("DROP TABLE IF EXISTS SHARD_NAME")
        self.index.execute("CREATE TABLE SHARD_NAME(NAME TEXT NOT NULL)")
        self.index.execute("INSERT INTO SHARD_NAME VALUES (?)", [os.path.basename(self.path)])
        marks = ", ".join("?" * (len(_PLACES) + 2 * len(self.fields)))
        names = [*_PLACES, *(n for i, name in enumerate(self.fields) for n in (f"INC_{i}", f"{name}_0"))]
        self.insert = f"INSERT INTO INDEXES ({', '.join(names)}) VALUES ({marks})"

    def _new_page(self, kind: str) -> _Page:
        number = sum(page.entry["page_type"] == kind for page in self.pages)
        page = _Page(
            {
                "end_row_id": self.rows if kind == _BLOB else 0, "page_id": len(self.pages), "page_size": 0,
                "page_type": kind, "page_type_id": number, "row_group_ids": [], "shard_id": self.number,
                "start_row_id": self.rows if kind == _BLOB else 0,
            }
        )  # fmt: skip
        self.pages.append(page)
        return page

    def _flush(self, *pages: _Page | None) -> None:
        for page in pages:
            if page is not None and page.pending:
                end = self.header["header_size"] + self.header["page_size"] * page.number + page.size
                self.file.seek(end - len(page.pending))
                self.file.write(page.pending)
                page.pending.clear()

    def write(self, rows: Sequence[tuple[dict[str, Any], bytes, bytes]]) -> None:
        """Add rows: their scalars, and what goes into raw and blob pages."""
        limit = self.header["page_size"]
        entries = []
        for scalars, raw, blob in rows:
            full = self.raw is not None and self.raw.size + len(raw) + 8 > limit
            if self.blob is None or self.blob.size + len(blob) + 8 > limit or full:
                # A row group has one blob page and lies in one raw page: with either full, both begin anew.
                self._flush(self.blob, self.raw if full else None)
                self.blob = self._new_page(_BLOB)
                if self.raw is None or full:
                    self.raw = self._new_page(_RAW)
                group = self.blob.entry["page_type_id"]
                self.blob.entry["row_group_ids"] = [{"id": group, "offset": 0}] if group == 0 else []
                self.raw.entry["row_group_ids"].append({"id": group, "offset": self.raw.size})
            assert self.raw is not None
            begin_raw, begin_blob = self.raw.size, self.blob.size
            self.raw.add(raw)
            self.blob.add(blob)
            place = [
                self.rows, self.raw.number, begin_raw, self.raw.size, self.blob.entry["page_type_id"], self.blob.number,
                begin_blob, self.blob.size,
            ]  # fmt: skip
            entries.append([*place, *(value for name in self.fields for value in (0, scalars[name]))])
            self.rows += 1
            self.blob.entry["end_row_id"] = self.rows
            if len(self.raw.pending) + len(self.blob.pending) > _PENDING:
                self._flush(self.raw, self.blob)
        self.index.executemany(self.insert, entries)

    def commit(self, names: list[str]) -> None:
        self._flush(self.raw, self.blob)
        header = self.header
        data = written_header(
            {
                "header_size": header["header_size"],
                "index_fields": [{"index_field": name, "schema_id": 0} for name in self.fields] or None,
                "page": [page.entry for page in self.pages] or None,
                "page_size": header["page_size"],
                "compression_size": header.get("compression_size", 0),
                "schema": header["schema"],
                "shard_addresses": names,
                "shard_id": self.number,
                "statistics": None,
                "version": VERSION,
            }
        )
        self.file.seek(0)
        self.file.write(data)
        self.file.flush()
        self.index.execute("COMMIT")

    def close(self) -> None:
        self.file.close()
        self.index.close()


@answers
class FileWriter:
    """Writes rows into MindRecord files.

    Args:
        file_name: the file. With several, it is followed by their numbers.
        shard_num: how many files, in [1, 1000]; rows are dealt out evenly.
        overwrite: whether files that are there are replaced.
    Raises:
        OpTypeError, OpValueError: an argument has another type or is out of range, or the folder does not exist.
        OpRuntimeError, when the first rows are written: a file is there, and is not to be replaced.
    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     writer = FileWriter(folder + "/a.mindrecord")
        ...     writer.add_schema({"label": {"type": "int32"}, "data": {"type": "float32", "shape": [2]}})
        ...     writer.write_raw_data([{"label": 1, "data": np.ones(2, np.float32)}])
        ...     writer.commit()
        ...     import anfora.dataset as ds
        ...     ds.MindDataset(folder + "/a.mindrecord").get_col_names()
        ['data', 'label']
    """

    def __init__(self, file_name: str, shard_num: int = 1, overwrite: bool = False) -> None:
        path = _path(file_name)
        if not isinstance(shard_num, int) or isinstance(shard_num, bool):
            raise OpTypeError(f"shard_num should be an int, but got {shard_num!r}", arg="shard_num")
        if not 1 <= shard_num <= 1000:
            raise OpValueError(f"shard_num should be between 1 and 1000, but got {shard_num}", arg="shard_num")
        if not isinstance(overwrite, bool):
            raise OpTypeError(f"overwrite should be a bool, but got {overwrite!r}", arg="overwrite")
        digits = len(str(shard_num - 1))
        self._paths = [path] if shard_num == 1 else [f"{path}{number:0{digits}}" for number in range(shard_num)]
        self._overwrite = overwrite
        self._header: dict[str, Any] = {"header_size": 1 << 24, "page_size": 1 << 25}
        self._schema: dict[str, Any] = {}
        self._fields: list[str] | None = None
        self._files: list[_File] = []
        self._done = False

    @classmethod
    def open_for_append(cls, file_name: str) -> FileWriter:
        """A writer that adds rows to a file, and to those that were written with it.

        Raises:
            OpTypeError: the name is no path.   OpValueError: there is no such file.
            OpRuntimeError: it is not a MindRecord file.
        """
        path = _path(file_name)
        if not os.path.isfile(path):
            raise OpValueError(f"The file {path} does not exist or permission denied!", arg="file_name")
        header = read_header(path)
        folder = os.path.dirname(path)
        self = cls(path)
        self._paths = [os.path.join(folder, name) for name in header["shard_addresses"]]
        self._header, self._schema = header, header["schema"][0]["schema"]
        self._fields = [entry["index_field"] for entry in header["index_fields"] or ()]
        for number, name in enumerate(self._paths):
            pages = read_header(name)["page"] or []
            self._files.append(_File(name, number, header, self._fields, pages))
        return self

    def add_schema(self, content: dict[str, Any], desc: str | None = None) -> None:
        """Say what fields rows have.

        Args:
            content: {field: {"type": one of int32, int64, float32, float64, string, bytes}}, or for arrays
                {field: {"type": one of int32, int64, float32, float64, "shape": lengths, of which one may be -1}}.
            desc: a description.
        Raises:
            OpTypeError, OpValueError: an argument or a field is none of these.   OpRuntimeError: there is a schema already.
        """
        if self._schema:
            raise OpRuntimeError("add_schema: a file has one schema, and it was given before")
        if not isinstance(content, dict):
            raise OpTypeError(f"content should be a dict, but got {type(content)}", arg="content")
        if not content:
            raise OpValueError("content should not be empty: it has an entry for each field", arg="content")
        for name, field in content.items():
            if not isinstance(name, str) or not re.fullmatch(r"[0-9a-zA-Z_]+", name):
                raise OpValueError(
                    f"field {name!r} should be composed of '0-9' or 'a-z' or 'A-Z' or '_'", arg="content"
                )
            if not isinstance(field, dict) or not {"type"} <= set(field) <= {"type", "shape"}:
                raise OpValueError(
                    f'field {name!r} should be {{"type": …}}, with "shape" for arrays, but got {field!r}'
                )
            known = ARRAYS if "shape" in field else SCALARS
            if field["type"] not in known:
                raise OpValueError(f"field {name!r} has type {field['type']!r}, which is not one of {list(known)}")
            shape = field.get("shape", [])
            if not isinstance(shape, list) or not all(isinstance(n, int) and n >= -1 for n in shape) or (
                shape.count(-1) > 1
            ):  # fmt: skip
                raise OpValueError(
                    f"field {name!r} has shape {shape!r}; it should be a list of lengths, of which one may be -1"
                )
            if "shape" in field and not shape:
                raise OpValueError(f"field {name!r} has an empty shape; a number has none")
        if desc is not None and not isinstance(desc, str):
            raise OpTypeError(f"desc should be a str, but got {desc!r}", arg="desc")
        self._schema = {name: dict(content[name]) for name in sorted(content)}
        self._header["schema"] = [
            {"blob_fields": blob_fields(self._schema), "desc": desc or "", "schema": self._schema}
        ]  # fmt: skip

    def add_index(self, index_fields: list[str]) -> None:
        """Say which fields the index has; by default all that are neither bytes nor arrays.

        Raises:
            OpTypeError: it is no list of names.   OpValueError: a field is bytes, an array, or not there.
            OpRuntimeError: rows have been written.
        """
        if not isinstance(index_fields, list) or not index_fields:
            raise OpTypeError(f"index_fields should be a list of str that is not empty, but got {index_fields!r}")
        possible = indexed_fields(self._schema)
        for name in index_fields:
            if name not in possible:
                raise OpValueError(
                    f"index_fields: {name!r} is not one of {possible}, the fields that are neither bytes nor arrays"
                )
        if self._files:
            raise OpRuntimeError("add_index: rows have been written; it should come before")
        self._fields = list(dict.fromkeys([*(self._fields or ()), *index_fields]))

    def set_header_size(self, header_size: int) -> None:
        """How many bytes there are for the header, a multiple of 4 in [16 KB, 128 MB]; 16 MB by default."""
        self._header["header_size"] = self._size("header_size", header_size, 1 << 14, 1 << 27)

    def set_page_size(self, page_size: int) -> None:
        """How many bytes a page has, a multiple of 4 in [32 KB, 256 MB], 32 MB by default; a row fits into one."""
        self._header["page_size"] = self._size("page_size", page_size, 1 << 15, 1 << 28)

    def _size(self, name: str, value: int, low: int, high: int) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            raise OpTypeError(f"{name} should be an int, but got {value!r}", arg=name)
        if not low <= value <= high or value % 4:
            raise OpValueError(f"{name} should be a multiple of 4 in [{low}, {high}], but got {value}", arg=name)
        if self._files:
            raise OpRuntimeError(f"set_{name}: rows have been written; it should come before")
        return value

    def write_raw_data(self, raw_data: list[dict[str, Any]], parallel_writer: bool = False) -> None:
        """Write rows.

        Args:
            raw_data: a list of dictionaries with a value for each field of the schema: int, float, str, bytes, a numpy
                number, or for arrays an array of the field's type, whose shape fits. Other keys are left out.
            parallel_writer: without effect.
        Raises:
            OpTypeError: it is no list of dictionaries.   OpValueError: a row does not fit the schema; none is written then.
            OpRuntimeError: there is no schema, `commit` has been called, or a file is there and is not to be replaced.
        """
        if not isinstance(parallel_writer, bool):
            raise OpTypeError(f"parallel_writer should be a bool, but got {parallel_writer!r}", arg="parallel_writer")
        if not isinstance(raw_data, list) or not all(isinstance(row, dict) for row in raw_data):
            raise OpTypeError("raw_data should be a list of dictionaries", arg="raw_data")
        if self._done:
            raise OpRuntimeError(
                "write_raw_data: commit has been called", help="FileWriter.open_for_append(file_name) adds rows."
            )
        if not self._schema:
            raise OpRuntimeError("write_raw_data: there is no schema; add_schema should come before")
        made = [self._row(row, number) for number, row in enumerate(raw_data)]
        self._open()
        if len(self._files) == 1:
            self._files[0].write(made)
            return
        # Each file gets a run of rows; those that have fewer get one more.
        each, rest = divmod(len(made), len(self._files))
        fewest = sorted(self._files, key=lambda file: file.rows)[:rest]
        start = 0
        for file in self._files:
            stop = start + each + (file in fewest)
            file.write(made[start:stop])
            start = stop

    def _row(self, row: dict[str, Any], number: int) -> tuple[dict[str, Any], bytes, bytes]:
        fields = {}
        for name, field in self._schema.items():
            if name not in row:
                raise OpValueError(f"raw_data: row {number} has no field {name!r}", arg="raw_data")
            fields[name] = _fitting(row[name], field, f"raw_data: field {name!r} of row {number}")
        blobs = blob_fields(self._schema)
        scalars = {name: value for name, value in fields.items() if name not in blobs}
        raw, blob = to_message(scalars or NO_SCALARS), encoded_blob(self._schema, blobs, fields)
        if max(len(raw), len(blob)) + 8 > self._header["page_size"]:
            raise OpValueError(
                f"raw_data: row {number} needs {max(len(raw), len(blob)) + 8} bytes, more than a page of"
                f" {self._header['page_size']}",
                help="FileWriter.set_page_size makes pages larger.",
            )
        return scalars, raw, blob

    def _open(self) -> None:
        if self._files:
            return
        taken = [path for path in self._paths for name in (path, path + ".db") if os.path.exists(name)]
        if taken and not self._overwrite:
            raise OpRuntimeError(
                f"Invalid file, mindrecord files already exist: {sorted(set(taken))}",
                help="FileWriter(file_name, overwrite=True) replaces them.",
            )
        for path in self._paths:
            for name in (path, path + ".db"):
                with contextlib.suppress(FileNotFoundError):
                    os.remove(name)
        fields = self._fields if self._fields is not None else indexed_fields(self._schema)
        for number, path in enumerate(self._paths):
            self._files.append(_File(path, number, self._header, fields, []))

    def commit(self) -> None:
        """Write the headers, and the index of each file; no more rows can be written.

        Raises:
            OpRuntimeError: there is no schema, or the header has no room for what it must hold.
        """
        if self._done:
            return
        if not self._schema:
            raise OpRuntimeError("commit: there is no schema; add_schema should come before")
        self._open()
        names = [os.path.basename(path) for path in self._paths]
        for file in self._files:
            file.commit(names)
        self._close()
        self._done = True

    def _close(self) -> None:
        for file in self._files:
            file.close()

    def __del__(self) -> None:
        if getattr(self, "_files", None) and not self._done:
            self._close()


def _path(value: Any) -> str:
    if not isinstance(value, (str, os.PathLike)):
        raise OpTypeError(f"file_name should be a str, but got {value!r}", arg="file_name")
    path = os.path.expanduser(os.fspath(value))
    if not os.path.basename(path):
        raise OpValueError(f"file_name should name a file, but got {value!r}", arg="file_name")
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise OpValueError(f"The folder {folder} of file_name does not exist", arg="file_name")
    return path


def _fitting(value: Any, field: dict[str, Any], where: str) -> Any:
    """A value as it is written, if it is one of the field's type."""
    kind = field["type"]
    wrong = OpValueError(f"{where} should be {_told(field)}, but got {_got(value)}", arg="raw_data")
    if "shape" in field:
        if not isinstance(value, np.ndarray) or value.dtype != np.dtype(kind):
            raise wrong
        try:
            value.reshape(field["shape"])
        except ValueError:
            raise wrong from None
        return value
    if kind in ("string", "bytes"):
        if kind == "bytes" and isinstance(value, (bytearray, memoryview)):
            value = bytes(value)
        if not isinstance(value, str if kind == "string" else bytes):
            raise wrong
        return value
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, int if kind.startswith("int") else (int, float)):
        raise wrong
    if kind.startswith("int"):
        if not -(2 ** (int(kind[3:]) - 1)) <= value < 2 ** (int(kind[3:]) - 1):
            raise wrong
        return value
    return float(value)


def _told(field: dict[str, Any]) -> str:
    return f"an array of {field['type']} with shape {field['shape']}" if "shape" in field else field["type"]


def _got(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} with shape {list(value.shape)}"
    text = repr(value)
    return f"{type(value).__name__} {text}" if len(text) < 60 else f"an object of type {type(value).__name__}"


#: What kinds of numpy types become.
_WRITTEN = {
    "bool": "int32", "int8": "int32", "int16": "int32", "int32": "int32", "uint8": "int32", "uint16": "int32",
    "int64": "int64", "uint32": "int64", "uint64": "int64", "float16": "float32", "float32": "float32",
    "float64": "float64",
}  # fmt: skip


def schema_of(row: dict[str, np.ndarray]) -> dict[str, Any]:
    """The schema in which rows like this one are written."""
    schema: dict[str, Any] = {}
    for name, array in row.items():
        if not isinstance(array, np.ndarray) or (array.dtype.kind in "US" and array.size != 1):
            raise OpTypeError(f"save: column {name!r} should hold numbers, or one word each, but holds {_got(array)}")
        if array.dtype.kind in "US":
            schema[name] = {"type": "string" if array.dtype.kind == "U" else "bytes"}
            continue
        if array.dtype.name not in _WRITTEN:
            raise OpTypeError(f"save: column {name!r} has type {array.dtype}, which a MindRecord file cannot hold")
        kind = _WRITTEN[array.dtype.name]
        schema[name] = {"type": kind, "shape": [-1, *array.shape[1:]]} if array.ndim else {"type": kind}
    return schema


def as_written(row: dict[str, np.ndarray], schema: dict[str, Any]) -> dict[str, Any]:
    """The fields of a row as `write_raw_data` takes them."""
    made: dict[str, Any] = {}
    for name, array in row.items():
        kind = schema[name]["type"]
        if kind == "string":
            made[name] = str(array.reshape(-1)[0])
        elif kind == "bytes":
            made[name] = array.tobytes()
        else:
            made[name] = array.astype(kind) if "shape" in schema[name] else array.astype(kind).item()
    return made
