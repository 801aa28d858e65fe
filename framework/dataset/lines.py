"""Datasets of lines of text in files: plain, and with fields between commas."""

from __future__ import annotations

import csv
import glob
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.core.files import reading
from anfora.dataset import checks
from anfora.dataset.blocks import Block
from anfora.dataset.cache import with_cache
from anfora.dataset.datasets import Dataset
from anfora.dataset.node import Node
from anfora.dataset.samplers import BuiltinSampler, RandomSampler, SequentialSampler, Shuffle
from anfora.dataset.seeds import permutation
from anfora.dataset.sources import Arrays, Indexed, Sampled

__all__ = ["CSVDataset", "FileOrder", "Shuffle", "TextFileDataset", "files_of", "shuffle_of"]


class FileOrder(BuiltinSampler):
    """Rows of files in the order that a `Shuffle` says, and the part of them that a shard takes.

    Args:
        starts: the number of each file's first row, and the number of all rows.
        shuffle: None for the order of the files.
        part: (number of shards, shard).
        num_samples: at most so many.
        dealt: what the shards take: a run of "rows" each, rows by "turns", or "files" by turns. Parts of rows are equally
            long: what is missing is filled up from the front.
    """

    shared = True

    def __init__(
        self,
        starts: Sequence[int],
        shuffle: Shuffle | None,
        part: tuple[int | None, int | None],
        num_samples: int | None,
        dealt: str = "rows",
    ) -> None:
        super().__init__(num_samples)
        self.starts, self.shuffle, self.part, self.dealt = list(starts), shuffle, part, dealt
        self.shared = part[0] is not None

    def is_shuffled(self) -> bool:
        return self.shuffle is not None

    def is_sharded(self) -> bool:
        return (self.part[0] or 1) > 1

    def chosen(self, total: int, key: int, labels: Any) -> Any:
        order = np.arange(total)
        pieces = [order[a:b] for a, b in zip(self.starts, self.starts[1:])]
        shards, shard = self.part
        if shards is not None and self.dealt == "files":
            pieces = pieces[shard::shards]
        if self.shuffle is Shuffle.INFILE:
            pieces = [piece[permutation(key ^ (n + 1), len(piece))] for n, piece in enumerate(pieces)]
        elif self.shuffle is Shuffle.FILES:
            pieces = [pieces[n] for n in permutation(key, len(pieces))]
        elif self.shuffle is not None:
            joined = np.concatenate([order[:0], *pieces])
            pieces = [joined[permutation(key, len(joined))]]
        order = np.concatenate([order[:0], *pieces])
        if shards is not None and shard is not None and self.dealt != "files":
            each = -(-total // shards)
            places = np.arange(each) * shards + shard if self.dealt == "turns" else np.arange(each) + shard * each
            order = order[places % max(1, total)]
        return order


def files_of(value: Any, name: str = "dataset_files") -> list[str]:
    """The files that a path, a pattern or a list of them names, sorted."""
    given = [value] if isinstance(value, (str, os.PathLike)) else value
    if not isinstance(given, (list, tuple)):
        raise checks.wrong_type(name, value, str, list)
    found: list[str] = []
    missing = []
    for pattern in given:
        if not isinstance(pattern, (str, os.PathLike)):
            raise checks.wrong_type(name, pattern, str)
        path = os.path.expanduser(os.fspath(pattern))
        matches = [path] if os.path.isfile(path) else [m for m in glob.glob(path) if os.path.isfile(m)]
        found += matches
        if not matches:
            missing.append(os.fspath(pattern))
    if missing or not found:
        raise OpValueError(f"The following patterns did not match any files: {missing or list(given)}.", arg=name)
    return sorted(found)


def shuffle_of(value: Any) -> Shuffle | None:
    if value is None or value is True:
        return Shuffle.GLOBAL
    if value is False:
        return None
    if isinstance(value, Shuffle):
        return value
    raise OpTypeError(
        "shuffle must be of boolean or enum of 'Shuffle' values like 'Shuffle.ADAPTIVE' or 'Shuffle.GLOBAL' or"
        " 'Shuffle.PARTIAL' or 'Shuffle.FILES' or 'Shuffle.INFILE'.",
        arg="shuffle",
    )


class _Lines(Indexed):
    """The lines of files that are not empty; read when they are asked for, by where they begin."""

    columns = ["text"]  # noqa: RUF012

    def __init__(self, files: list[str]) -> None:
        self.files = files
        places = [self._begins(file) for file in files]
        self.starts = np.cumsum([0, *(len(place) for place in places)])
        self.places = np.concatenate(places) if places else np.empty((0, 2), np.int64)
        self.total = len(self.places)

    @staticmethod
    def _begins(file: str) -> np.ndarray:
        """Where each line that is not empty begins and ends, (n, 2)."""
        with reading(file):
            data = np.fromfile(file, np.uint8)
        ends = np.flatnonzero(data == 10)
        if len(data) and (not len(ends) or ends[-1] != len(data) - 1):
            ends = np.append(ends, len(data))
        begins = np.concatenate([[0], ends[:-1] + 1]) if len(ends) else ends
        kept = ends > begins
        return np.stack([begins[kept], ends[kept]], axis=1).astype(np.int64)

    def fetch(self, numbers: np.ndarray) -> Block:
        words: list[Any] = [None] * len(numbers)
        which = np.searchsorted(self.starts, numbers, side="right") - 1
        for number in np.unique(which):
            with open(self.files[number], "rb") as file:
                for place in np.flatnonzero(which == number).tolist():
                    begin, end = self.places[numbers[place]]
                    file.seek(begin)
                    line = file.read(end - begin)
                    try:
                        words[place] = np.array(line.decode().removesuffix("\r"))
                    except UnicodeDecodeError as error:
                        raise OpRuntimeError(
                            f"Invalid file, {self.files[number]} is not UTF-8 text ({error})"
                        ) from error
        return Block([words], len(numbers))


def in_files(
    node: Node, starts: Sequence[int], shuffle: Any, part: Any, num_samples: Any, workers: Any, cache: Any = None,
    dealt: str = "rows",
) -> Node:  # fmt: skip
    """A source of files under the order that its arguments ask for."""
    order = shuffle_of(shuffle)
    count = checks.count_of("num_samples", num_samples)
    shards = checks.shards(*part)
    node.workers = None if workers is None else checks.integer_in("num_parallel_workers", workers, 1)
    node = with_cache(node, cache, in_memory=isinstance(node, Arrays))
    if shards[0] is None and order in (None, Shuffle.GLOBAL, Shuffle.ADAPTIVE, Shuffle.PARTIAL):
        return Sampled(
            node, SequentialSampler(num_samples=count) if order is None else RandomSampler(num_samples=count)
        )
    return Sampled(node, FileOrder(starts, order, shards, count, dealt))


class TextFileDataset(Dataset):
    """Lines of text files, in UTF-8; empty lines are left out.

    Args:
        dataset_files: a path, a pattern such as "texts/*.txt", or a list of them. Files are read in the order of their
            names.
        num_samples: at most so many lines.
        num_parallel_workers: see `Dataset.map`.
        shuffle: True or Shuffle.GLOBAL, the default, for all lines; Shuffle.FILES; Shuffle.INFILE; False for none.
        num_shards, shard_id: take part `shard_id` of so many, all equally long.
        cache: a `DatasetCache` for what is read from the files; what is read as a whole is in memory in any case.
    Column: "text", a word.
    """

    def __init__(
        self, dataset_files: Any, num_samples: int | None = None, num_parallel_workers: int | None = None,
        shuffle: Any = Shuffle.GLOBAL, num_shards: int | None = None, shard_id: int | None = None, cache: Any = None,
    ) -> None:  # fmt: skip
        node = _Lines(files_of(dataset_files))
        part = num_shards, shard_id
        self._begin(in_files(node, node.starts.tolist(), shuffle, part, num_samples, num_parallel_workers, cache))


class CSVDataset(Dataset):
    """Rows of files with fields between commas.

    Args:
        dataset_files: as for `TextFileDataset`.
        field_delim: the sign between fields.
        column_defaults: one value for each column, whose type is the column's: int (int32), float (float32) or str; an
            empty field of words is that value. All columns are words by default.
        column_names: names; by default the first line has them.
        num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache: as for `TextFileDataset`.
    """

    def __init__(
        self, dataset_files: Any, field_delim: str = ",", column_defaults: Any = None, column_names: Any = None,
        num_samples: int | None = None, num_parallel_workers: int | None = None, shuffle: Any = Shuffle.GLOBAL,
        num_shards: int | None = None, shard_id: int | None = None, cache: Any = None,
    ) -> None:  # fmt: skip
        if not isinstance(field_delim, str) or len(field_delim) != 1 or field_delim in '"\r\n':
            raise OpValueError("field_delim is invalid.", arg="field_delim")
        if column_defaults is not None and not isinstance(column_defaults, list):
            raise OpTypeError("column_defaults should be a list.", arg="column_defaults")
        for value in column_defaults or ():
            if not isinstance(value, (str, int, float)) or isinstance(value, bool):
                raise OpTypeError("column type in column_defaults is invalid.", arg="column_defaults")
        names = None if column_names is None else checks.column_names("column_names", column_names)
        rows: list[list[str]] = []
        starts = [0]
        for path in files_of(dataset_files):
            with reading(path):
                found, names = _fields(path, field_delim, names, column_names is None)
            rows += found
            starts.append(len(rows))
        assert names is not None
        defaults = [*(column_defaults or ()), *[""] * len(names)][: len(names)]
        arrays = [
            _column([row[place] for row in rows], default, name)
            for place, (name, default) in enumerate(zip(names, defaults))
        ]
        node = Arrays(arrays, names)
        part = num_shards, shard_id
        self._begin(in_files(node, starts, shuffle, part, num_samples, num_parallel_workers, cache))


def _fields(
    path: str, delimiter: str, names: list[str] | None, is_headed: bool
) -> tuple[list[list[str]], list[str] | None]:
    """The rows of a file, and the names of its columns.

    Args:
        names: those of the files before, or that were given.
        is_headed: whether the first line has them.
    """
    rows = []
    with open(path, newline="", encoding="utf-8") as file:
        lines = csv.reader(file, delimiter=delimiter)
        if is_headed:
            found = next(lines, [])
            if not found:
                raise OpRuntimeError(
                    f"Invalid csv, csv file: {path} is empty, so it does not name the columns",
                    help="column_names names them.",
                )
            names = checks.column_names("column_names", found) if names is None else names
            if found != names:
                raise OpRuntimeError(
                    f"Invalid csv, csv file: {path} has the columns {found}, the first file has {names}"
                )
        for row in lines:
            if len(row) != len(names or ()) and row:
                raise OpRuntimeError(
                    f"Invalid csv, csv file: {path} parse failed at line {lines.line_num}: {len(row)} fields where"
                    f" there are {len(names or ())} columns"
                )
            if row:
                rows.append(row)
    return rows, names


def _column(words: list[str], default: Any, name: str) -> np.ndarray:
    """Fields of a column as an array of the type of its default."""
    if isinstance(default, str):
        return np.array([word or default for word in words], object)
    kind = np.int32 if isinstance(default, int) else np.float32
    try:
        return np.array([kind(word) for word in words], kind)
    except (ValueError, OverflowError) as error:
        raise OpRuntimeError(f"Invalid csv, a field of column '{name}': type does not match ({error})") from error
