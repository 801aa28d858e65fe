"""Nodes without children: where rows come from.

`Indexed` sources answer for any sample by its number; a `Sampled` node on top brings them into an order. `Stream` sources
can only be read from the front.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.core.tensor import Tensor
from anfora.dataset import checks
from anfora.dataset.blocks import Block, as_array, collate
from anfora.dataset.functions import failed, named, progress
from anfora.dataset.node import Node, Run, Through
from anfora.dataset.samplers import BuiltinSampler
from anfora.dataset.seeds import keys_of, mix, seed_globals

__all__ = ["Arrays", "Indexed", "Items", "Sampled", "Stream", "as_fields"]

_log = logging.getLogger("anfora.dataset")


class Indexed(Node):
    """A source with random access; `fetch` gives the samples with the given numbers."""

    total: int

    def size(self, run: Run) -> int:
        return self.total

    @property
    def sample_count(self) -> int | None:
        return self.total

    def samples(self, run: Run, epoch: int, positions: np.ndarray) -> np.ndarray:
        return positions

    def fetch(self, numbers: np.ndarray) -> Block:
        raise NotImplementedError

    def rows(self, run: Run, epoch: int, positions: np.ndarray) -> Block:
        return self.fetch(positions)


class Sampled(Through):
    """Rows in the order of a sampler."""

    def __init__(self, child: Node, sampler: BuiltinSampler) -> None:
        super().__init__(child)
        self.sampler = sampler

    def _order(self, run: Run, epoch: int) -> np.ndarray:
        def make() -> np.ndarray:
            total = self.child.size(run)
            assert total is not None
            key = run.shared_key(self, epoch) if self.sampler.shared else run.key(self, epoch)
            return self.sampler.order(total, key, self.child.labels)

        return run.keep(self, "order", epoch, make)

    def size(self, run: Run) -> int:
        return run.keep(self, "size", 0, lambda: len(self._order(run, 0)))

    def places(self, run: Run, epoch: int, positions: np.ndarray) -> np.ndarray:
        order = self._order(run, epoch)
        if len(positions) and positions[-1] >= len(order):
            raise OpRuntimeError(
                f"{type(self.sampler).__name__} gave {len(order)} samples in epoch {epoch}, fewer than before"
            )
        return order[positions]

    def origins(self, run: Run, epoch: int, positions: np.ndarray) -> tuple[Any, np.ndarray]:
        if self.sampler.repeats:
            return epoch, positions
        return super().origins(run, epoch, positions)


class Arrays(Indexed):
    """Slices of arrays along their first axes.

    Args:
        arrays: equally long; of words too.
        columns: their names.
    """

    def __init__(self, arrays: Sequence[np.ndarray], columns: list[str]) -> None:
        self.arrays, self.columns = list(arrays), columns
        self.total = len(self.arrays[0])

    def fetch(self, numbers: np.ndarray) -> Block:
        columns: list[Any] = []
        for array in self.arrays:
            if array.dtype.kind in "USO":
                columns.append([np.array(array[n]) for n in numbers.tolist()])
            else:
                columns.append(array[numbers])
        return Block(columns, len(numbers))

    def labels(self, column: str) -> Any:  # type: ignore[override]
        return self.arrays[self.columns.index(column) if column in self.columns else -1]


def as_fields(row: Any, columns: Sequence[str], types: Sequence[Any] | None, what: str) -> list[Any]:
    """The fields of one sample that a program gave: a tuple or list of them, one alone, or a dictionary."""
    if isinstance(row, dict) and all(name in row for name in columns):
        fields: list[Any] = [row[name] for name in columns]
    elif isinstance(row, (tuple, list)):
        fields = list(row)
    else:
        fields = [row]
    if len(fields) != len(columns):
        raise OpRuntimeError(
            f"Invalid Python function, the 'source' of '{what}' should return same number of NumPy arrays as specified in"
            f" column_names, the size of column_names is:{len(columns)} and number of returned NumPy array is:{len(fields)}"
        )
    arrays = [as_array(field, f"the source of {what}") for field in fields]
    for name, array, wanted in zip(columns, arrays, types or ()):
        if wanted is not None and array.dtype != wanted:
            raise OpRuntimeError(
                f"Invalid Python function, type of returned data in '{what}' should be same with specified column_types,"
                f" but column '{name}' has {array.dtype}, specified column type: {wanted}"
            )
    return arrays


class Items(Indexed):
    """A program's own object with `__getitem__` and `__len__`.

    Args:
        source: the object: a list, a torch `Dataset`, a Hugging Face dataset, an instance of a class of the program.
        columns: names of the fields of a sample.
        types: their element types, where they are to be checked.
        workers: how many the program asked for.
        in_process: whether workers must not be processes.
    """

    def __init__(
        self, source: Any, columns: list[str], types: Sequence[Any] | None, workers: int | None, in_process: bool
    ) -> None:
        self.source, self.columns, self.types = source, columns, types
        self.workers, self.in_process = workers, in_process
        self.total = len(source)

    def functions(self) -> Sequence[Any]:
        return () if isinstance(self.source, (list, tuple, np.ndarray)) else (self.source,)

    def fetch(self, numbers: np.ndarray) -> Block:
        raise NotImplementedError  # samples of a program's source need their seeds

    def rows(self, run: Run, epoch: int, positions: np.ndarray) -> Block:
        seeded = bool(self.functions())
        keys = keys_of(run.key(self), epoch, positions).tolist() if seeded else []
        what = "GeneratorDataset: the source's __getitem__"
        found = []
        for place, number in enumerate(positions.tolist()):
            if seeded:
                seed_globals(keys[place])
            progress.note(epoch, number)
            try:
                found.append(as_fields(self.source[number], self.columns, self.types, "GeneratorDataset"))
            except Exception as error:
                raise failed(what, epoch, number, error) from error
        return Block.of_rows(found, borrowed=True)


class Grouped(Items):
    """Batches that a program's batch sampler and collating function make of its source's samples."""

    def __init__(self, items: Items, groups: Any, collate: Callable[[list[Any]], Any] | None) -> None:
        self.source, self.columns, self.types = items.source, items.columns, items.types
        self.workers, self.in_process = items.workers, items.in_process
        self.groups, self.collate_rows = groups, collate

    @property
    def sample_count(self) -> None:
        return None

    def size(self, run: Run) -> int:
        return len(self._batches(run, 0))

    @property
    def batch_size(self) -> int:
        return 1

    def _batches(self, run: Run, epoch: int) -> list[list[int]]:
        return run.keep(self, "groups", epoch, lambda: [[int(n) for n in group] for group in self.groups])

    def functions(self) -> Sequence[Any]:
        return (self.source,)

    def rows(self, run: Run, epoch: int, positions: np.ndarray) -> Block:
        made = []
        for number in positions.tolist():
            members = self._batches(run, epoch)[number]
            seed_globals(run.key(self, epoch, number))
            try:
                samples = [self.source[n] for n in members]
                if self.collate_rows is not None:
                    fields = as_fields(self.collate_rows(samples), self.columns, self.types, "GeneratorDataset")
                else:
                    rows = [as_fields(sample, self.columns, self.types, "GeneratorDataset") for sample in samples]
                    fields = [collate(list(c), name, "GeneratorDataset") for c, name in zip(zip(*rows), self.columns)]
            except Exception as error:
                raise failed("GeneratorDataset: the source's batch", epoch, number, error) from error
            made.append(fields)
        return Block.of_rows(made, borrowed=True)


class Stream(Node):
    """A source that is read from the front, each epoch anew.

    Args:
        begin: gives an iterator over the rows of an epoch; a row is fields as `as_fields` takes them.
        columns: names of the fields.
        types: their element types, where they are to be checked.
        limit: at most so many rows.
        own: what the program gave, for messages; None where rows are read by this package.
    """

    indexed = False

    def __init__(
        self, begin: Callable[[], Iterator[Any]], columns: list[str], types: Sequence[Any] | None = None,
        limit: int | None = None, own: Any = None,
    ) -> None:  # fmt: skip
        self.begin, self.columns, self.types, self.limit, self.own = begin, columns, types, limit, own

    def functions(self) -> Sequence[Any]:
        return () if self.own is None else (self.own,)

    def stream(self, run: Run, epoch: int, start: int) -> Iterator[Block]:
        if start:
            _log.warning(
                "the source of %s cannot be entered in the middle: its first %d rows are read and thrown away",
                named(self.own) if self.own is not None else type(self).__name__,
                start,
            )
        seeded = bool(self.functions())
        base = run.key(self)
        if seeded:
            seed_globals(mix(base, epoch, -1))
        what = f"GeneratorDataset: the source {named(self.own) if self.own is not None else ''}"
        rows: Iterator[Any] = iter(())
        for number in itertools.count():
            if number == self.limit:
                return
            if seeded:
                seed_globals(mix(base, epoch, number))
            try:
                if number == 0:
                    rows = self.begin()
                row = next(rows)
                fields = as_fields(row, self.columns, self.types, "GeneratorDataset") if number >= start else None
            except StopIteration:
                if number == 0 and hasattr(self.own, "__next__"):
                    _log.warning(
                        "%s gave no rows: it is an iterator, which can be gone through once only; give a generator"
                        " function, or an object with __iter__",
                        what,
                    )
                return
            except Exception as error:
                raise failed(what, epoch, number, error) from error
            if fields is not None:
                yield Block.of_rows([fields], borrowed=self.own is not None)


def iterable(source: Any) -> Callable[[], Iterator[Any]]:
    """How an epoch over a program's iterable, iterator or generator function begins."""
    if hasattr(source, "__iter__") or hasattr(source, "__next__"):
        return lambda: iter(source) if hasattr(source, "__iter__") else source
    if callable(source):

        def begin() -> Iterator[Any]:
            made = source()
            if not hasattr(made, "__iter__") and not hasattr(made, "__next__"):
                raise OpTypeError(
                    f"the source {named(source)} should give rows, by `yield` or an iterable, but gave {made!r}"
                )
            return iter(made)

        return begin
    try:
        iter(source)
    except TypeError:
        raise OpTypeError(
            "Input `source` function of GeneratorDataset should be callable, iterable or random accessible, commonly it"
            " should implement one of the method like yield, __getitem__ or __next__(__iter__).",
            arg="source",
        ) from None
    return lambda: iter(source)


def has_random_access(source: Any) -> bool:
    """Whether samples can be asked for by number: there is `__getitem__`, and a length.

    Raises:
        OpTypeError: the source is a dictionary whose keys are no numbers of samples, one of several parts or columns.
    """
    if not hasattr(source, "__getitem__") or isinstance(source, (str, bytes)):
        return False
    if isinstance(source, Mapping) and any(number not in source for number in range(len(source))):
        raise OpTypeError(
            f"source is a dictionary with the keys {', '.join(map(repr, list(source)[:5]))}, where samples are"
            " expected, or 0, 1, …: their numbers",
            arg="source",
            help="source['train'], say, is one of several parts; NumpySlicesDataset takes a dictionary of columns.",
        )
    try:
        return len(source) >= 0
    except (TypeError, NotImplementedError):
        return False


def _of_words(array: np.ndarray) -> np.ndarray:
    """An array of objects that are all words as one of words."""
    return array.astype(str) if array.dtype == object and all(isinstance(word, str) for word in array.flat) else array


def slices_of(data: Any, column_names: list[str] | None) -> Arrays:
    """The node of NumpySlicesDataset."""
    if type(data).__name__ == "DataFrame" and hasattr(data, "columns") and hasattr(data, "to_dict"):
        data = {str(name): data[name].to_numpy() for name in data.columns}
    if not isinstance(data, (list, tuple, dict, np.ndarray)):
        raise checks.wrong_type("data", data, list, tuple, dict, np.ndarray)
    if len(data) == 0:
        raise OpValueError("Argument data cannot be empty", arg="data")
    names = None
    if isinstance(data, dict):
        names, parts = [str(name) for name in data], list(data.values())
    elif isinstance(data, tuple):
        parts = list(data)
    else:
        parts = [data]
    arrays = [
        as_array(part if isinstance(part, Tensor) else _of_words(np.asarray(part)), "NumpySlicesDataset")
        for part in parts
    ]
    if any(array.ndim == 0 for array in arrays) or len({len(array) for array in arrays}) != 1:
        raise OpValueError("Data length in each column is not equal.", arg="data")
    if column_names is not None and len(column_names) != len(arrays):
        raise OpValueError(f"Num of input column names is {len(column_names)}, but required is {len(arrays)}.")
    return Arrays(arrays, column_names or names or [f"column_{i}" for i in range(len(arrays))])
