"""Datasets of records in files: MindRecord and TFRecord."""

from __future__ import annotations

import os
import tempfile
import weakref
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.dataset import checks
from anfora.dataset.blocks import Block
from anfora.dataset.cache import with_cache
from anfora.dataset.datasets import Dataset
from anfora.dataset.lines import FileOrder, Shuffle, files_of, in_files, shuffle_of
from anfora.dataset.samplers import BuiltinSampler, select
from anfora.dataset.schema import Schema
from anfora.dataset.sources import Indexed, Sampled
from anfora.dataset.tfrecord import frames, record_at
from anfora.mindrecord.reader import Files

__all__ = ["MindDataset", "TFRecordDataset"]


class _MindRows(Indexed):
    """Rows of MindRecord files, and after them some that fill up.

    Args:
        files: the files.
        columns: the fields that are read.
        padded: the row that fills up.
        count: how often it is there.
    """

    def __init__(self, files: Files, columns: list[str], padded: dict[str, Any], count: int) -> None:
        self.files, self.columns, self.padded, self.count = files, columns, padded, count
        self.total = len(files) + count

    def fetch(self, numbers: np.ndarray) -> Block:
        real = np.flatnonzero(numbers < len(self.files))
        found: list[dict[str, Any]] = [self.padded] * len(numbers)
        for place, row in zip(real.tolist(), self.files.rows(numbers[real], self.columns)):
            found[place] = row
        return Block([[self._array(name, row[name]) for row in found] for name in self.columns], len(numbers))

    def _array(self, name: str, value: Any) -> np.ndarray:
        if isinstance(value, np.ndarray):
            return value
        kind = self.files.schema[name]["type"]
        if kind == "bytes":  # one word of bytes, which `Decode` takes
            return np.frombuffer(value, f"S{len(value)}").copy() if value else np.zeros(1, "S1")
        return np.array(value, None if kind == "string" else kind)

    def labels(self, column: str) -> np.ndarray:
        if column not in self.files.schema:
            raise OpRuntimeError(f"column: {column} does not exist; the fields are {sorted(self.files.schema)}")
        rows = self.files.rows(np.arange(len(self.files)), [column]) + [self.padded] * self.count
        return np.array([row[column] for row in rows])


class MindDataset(Dataset):
    """Rows of MindRecord files, as `mindrecord.FileWriter` writes them.

    Args:
        dataset_files: a path, which stands for all files that were written together with it, or a list of paths.
        columns_list: the fields that are read, in this order; all, by their names, by default.
        num_parallel_workers: see `Dataset.map`.
        shuffle: True, None or Shuffle.GLOBAL for all rows; Shuffle.FILES; Shuffle.INFILE; False for none.
        num_shards, shard_id: take part `shard_id` of so many, all equally long.
        sampler: instead of shuffle: a sampler.
        padded_sample: {field: value}, a row that comes after the others.
        num_padded: how often it does.
        num_samples: at most so many rows.
        cache: a `DatasetCache` for the rows.
    Columns: numbers without axes, words, arrays, and bytes as one word of bytes (1,).
    """

    def __init__(
        self, dataset_files: Any, columns_list: Any = None, num_parallel_workers: int | None = None, shuffle: Any = None,
        num_shards: int | None = None, shard_id: int | None = None, sampler: Any = None,
        padded_sample: dict[str, Any] | None = None, num_padded: int | None = None, num_samples: int | None = None,
        cache: Any = None,
    ) -> None:  # fmt: skip
        order = shuffle_of(shuffle)
        if sampler is not None and shuffle is not None:
            raise OpRuntimeError("sampler and shuffle cannot be specified at the same time.")
        if sampler is not None and not isinstance(sampler, BuiltinSampler):
            raise OpTypeError(f"sampler should be a sampler of anfora.dataset, but got {sampler!r}", arg="sampler")
        if (num_padded is None) != (padded_sample is None):
            raise OpRuntimeError(
                "padded_sample is specified and requires num_padded as well."
                if num_padded is None
                else "num_padded is specified but padded_sample is not."
            )
        files = Files(dataset_files)
        names = sorted(files.schema) if columns_list is None else checks.column_names("columns_list", columns_list)
        for name in names:
            if name not in files.schema:
                raise OpValueError(
                    f"columns_list: {name!r} is not a field of {files.paths[0]}; the fields are {sorted(files.schema)}",
                    arg="columns_list",
                )
        node = _MindRows(files, names, *_padding(padded_sample, num_padded, names))
        node.workers = None if num_parallel_workers is None else checks.integer_in(
            "num_parallel_workers", num_parallel_workers, 1
        )  # fmt: skip
        if sampler is None and order in (Shuffle.FILES, Shuffle.INFILE):
            if num_samples:
                raise OpValueError(
                    "'Shuffle.FILES' or 'Shuffle.INFILE' and 'num_samples' cannot be specified at the same time."
                )
            starts = [*files.starts.tolist()[:-1], node.total]
            chosen: BuiltinSampler = FileOrder(starts, order, checks.shards(num_shards, shard_id), None, dealt="turns")
        else:
            shuffled = None if sampler is not None else order is not None
            chosen = select(num_samples, sampler, shuffled, num_shards, shard_id)
        self._begin(Sampled(with_cache(node, cache), chosen))


def _padding(sample: Any, count: Any, names: list[str]) -> tuple[dict[str, Any], int]:
    if sample is None:
        return {}, 0
    if not isinstance(sample, dict):
        raise checks.wrong_type("padded_sample", sample, dict)
    missing = [name for name in names if name not in sample]
    if missing:
        raise OpRuntimeError(f"padded_sample has no {missing}; it has a value for each of the columns {names}")
    return sample, checks.integer_in("num_padded", count, 0)


class _Examples(Indexed):
    """Records of TFRecord files.

    Args:
        files: their paths.
        compression: "", "GZIP" or "ZLIB".
        schema: types and shapes, if they are to be others than those in the records.
        columns: the features that are read; all of the first record, by their names, if None.
    """

    def __init__(self, files: list[str], compression: str, schema: Schema | None, columns: list[str] | None) -> None:
        self.files = files
        self.expanded = [self._expanded(path, compression) for path in files] if compression else None
        places = []
        for number, path in enumerate(files):
            with self._opened(number) as file:
                places.append(frames(file, os.fstat(file.fileno()).st_size, path))
        self.starts = np.cumsum([0, *map(len, places)])
        self.places = np.concatenate(places)
        self.total = len(self.places)
        self.entries = None if schema is None else {entry["name"]: entry for entry in schema.columns}
        if columns is None and self.entries is not None:
            columns = list(self.entries)
        if columns is None:
            columns = sorted(self._records(np.arange(1))[0]) if self.total else []
        for name in columns:
            if self.entries is not None and name not in self.entries:
                raise OpRuntimeError(f"columns_list: {name!r} is not in the schema, which has {list(self.entries)}")
        self.columns = columns

    def _expanded(self, path: str, compression: str) -> int:
        """A file without a name with the contents of a compressed one; it is there as long as this object."""
        handle, name = tempfile.mkstemp()
        os.unlink(name)
        weakref.finalize(self, os.close, handle)
        bits = 47 if compression == "GZIP" else 15
        stream = zlib.decompressobj(bits)
        try:
            with open(path, "rb") as packed, open(handle, "wb", closefd=False) as file:
                while piece := packed.read(1 << 20):
                    while piece:  # a gzip file may be several, one after the other
                        file.write(stream.decompress(piece))
                        piece = stream.unused_data
                        if piece:
                            stream = zlib.decompressobj(bits)
        except zlib.error as error:
            raise OpRuntimeError(f"Invalid file, {path} is not compressed by {compression} ({error})") from error
        if not stream.eof:
            raise OpRuntimeError(f"Invalid file, {path} ends in the middle of what {compression} compressed")
        return handle

    def _opened(self, number: int) -> Any:
        if self.expanded is None:
            return open(self.files[number], "rb")
        return open(os.dup(self.expanded[number]), "rb")

    def _records(self, numbers: np.ndarray) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = [{} for _ in numbers]
        which = np.searchsorted(self.starts, numbers, side="right") - 1
        for number in np.unique(which).tolist():
            with self._opened(number) as file:
                handle = file.fileno()
                for place in np.flatnonzero(which == number).tolist():
                    begin, end = self.places[numbers[place]].tolist()
                    row = numbers[place] - self.starts[number]
                    damaged = f"{self.files[number]} is damaged in record {row}"
                    found[place] = record_at(handle, begin, end, damaged)
        return found

    def fetch(self, numbers: np.ndarray) -> Block:
        rows = self._records(numbers)
        columns: list[Any] = []
        for name in self.columns:
            column = []
            for row, number in zip(rows, numbers.tolist()):
                if name not in row:
                    raise OpRuntimeError(f"record {number} has no feature {name!r}; it has {sorted(row)}")
                column.append(self._array(name, row[name], number))
            columns.append(column)
        return Block(columns, len(numbers))

    def _array(self, name: str, values: Any, number: int) -> np.ndarray:
        entry = None if self.entries is None else self.entries[name]
        if entry is None:
            return values if isinstance(values, np.ndarray) else _joined(values)
        kind, shape = entry["type"], entry.get("shape", [-1])
        what = f"record {number}: feature {name!r}"
        if kind == "string":
            if isinstance(values, np.ndarray):
                raise OpRuntimeError(f"{what} has numbers, but the schema says string")
            try:
                array = np.array([value.decode() for value in values], np.str_)
            except UnicodeDecodeError as error:
                raise OpRuntimeError(
                    f"{what} is not UTF-8 text ({error})", help="the type uint8 takes any bytes."
                ) from error
        elif isinstance(values, np.ndarray):
            array = values.astype(kind)
        elif kind in ("uint8", "int8") or not values:
            array = np.frombuffer(b"".join(values), np.uint8).astype(kind)
        else:
            raise OpRuntimeError(f"{what} has bytes, but the schema says {kind}", help="uint8 and string take bytes.")
        try:
            return array.reshape(shape)
        except ValueError:
            raise OpRuntimeError(
                f"{what} has {array.size} values, which do not fit the shape {shape} of the schema"
            ) from None


def _joined(values: Sequence[bytes]) -> np.ndarray:
    """Bytes one after the other, filled up with blanks to equal lengths, as MindSpore gives them."""
    longest = max(map(len, values), default=0)
    return np.frombuffer(b"".join(value.ljust(longest) for value in values), np.uint8).copy()


class TFRecordDataset(Dataset):
    """Records of TFRecord files, each a `tf.train.Example`; TensorFlow is not needed.

    Args:
        dataset_files: a path, a pattern such as "data/*.tfrecord", or a list of them. Files are read in the order of
            their names.
        schema: a Schema, or the path of a JSON file with one: names, types and shapes of the columns.
        columns_list: the features that are read, in this order; those of the schema, or of the first record, by default.
        num_samples: at most so many records; by default as many as the schema says, or all.
        num_parallel_workers: see `Dataset.map`.
        shuffle: True or Shuffle.GLOBAL, the default, for all records; Shuffle.FILES; Shuffle.INFILE; False for none.
        num_shards, shard_id: take part `shard_id` of so many: every so-manieth file.
        shard_equal_rows: whether parts are equally long instead, wherever their records stand.
        cache: a `DatasetCache` for the rows.
        compression_type: None or "", "GZIP" or "ZLIB".
    Columns: without a schema lists of numbers (n,) float32 or int64, and bytes (n,) uint8.
    Raises:
        OpRuntimeError: a file is damaged; the checksums of all records are verified.
    """

    def __init__(
        self, dataset_files: Any, schema: Any = None, columns_list: Any = None, num_samples: int | None = None,
        num_parallel_workers: int | None = None, shuffle: Any = Shuffle.GLOBAL, num_shards: int | None = None,
        shard_id: int | None = None, shard_equal_rows: bool = False, cache: Any = None, compression_type: Any = None,
    ) -> None:  # fmt: skip
        if compression_type not in (None, "", "GZIP", "ZLIB"):
            raise OpValueError(
                "Input compression_type can only be either '' (no compression), 'ZLIB', or 'GZIP', but got"
                f" {compression_type!r}.",
                arg="compression_type",
            )
        checks.boolean("shard_equal_rows", shard_equal_rows)
        part = checks.shards(num_shards, shard_id)
        shuffle_of(shuffle)
        files = files_of(dataset_files)
        if part[0] is not None and not shard_equal_rows and len(files) < part[0]:
            raise OpRuntimeError(
                f"Invalid data, {len(files)} files cannot be dealt out to {part[0]} shards",
                help="shard_equal_rows=True deals out records instead.",
            )
        if schema is not None and not isinstance(schema, Schema):
            schema = Schema(schema)
        names = None if columns_list is None else checks.column_names("columns_list", columns_list, empty=True) or None
        node = _Examples(files, compression_type or "", schema, names)
        if not num_samples and schema is not None:
            checks.count_of("num_samples", num_samples)
            num_samples = schema.num_rows
        dealt = "rows" if shard_equal_rows else "files"
        starts = node.starts.tolist()
        self._begin(in_files(node, starts, shuffle, part, num_samples, num_parallel_workers, cache, dealt))
