"""Nodes that put rows together: batch, padded_batch, bucket_batch_by_length."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.dataset.blocks import Block, as_array, collate, each, join
from anfora.dataset.functions import call, failed, is_pure, named, plain
from anfora.dataset.mapping import placed, with_outputs
from anfora.dataset.node import Node, Run, Through
from anfora.dataset.seeds import draws, seed_globals

__all__ = ["Batch", "BatchInfo", "Buckets", "Padding", "pad_to"]


class BatchInfo:
    """What functions of `batch` get to know.

    Example:
        >>> BatchInfo(3, 1).get_batch_num()
        3
    """

    def __init__(self, batch: int = 0, epoch: int = 0) -> None:
        self._batch, self._epoch = batch, epoch

    def get_batch_num(self) -> int:
        """The number of the batch in its epoch, from 0."""
        return self._batch

    def get_epoch_num(self) -> int:
        """The number of the epoch, from 0."""
        return self._epoch


def pad_to(array: np.ndarray, shape: Sequence[int], value: Any) -> np.ndarray:
    """An array filled up at its ends with a value, and cut off, to a shape."""
    if array.dtype.kind in "US":
        fill = value if value is not None else ("" if array.dtype.kind == "U" else b"")
        if isinstance(fill, bytes) != (array.dtype.kind == "S"):
            raise OpRuntimeError(
                f"words and bytes do not go together: the rows are {array.dtype}, the filling is {fill!r}"
            )
        width = max(array.dtype.itemsize // (4 if array.dtype.kind == "U" else 1), len(fill), 1)
        out = np.full(shape, fill, f"{array.dtype.kind}{width}")
    else:
        out = np.full(shape, 0 if value is None else value, array.dtype)
    inside = tuple(slice(0, min(have, want)) for have, want in zip(array.shape, shape))
    out[inside] = array[inside]
    return out


class Padding:
    """How the rows of a batch are made equally long.

    Args:
        info: {column: (shape, value)}: the shape may be None, or have None in it, for the longest of the batch; an empty
            dictionary pads all columns with zeros.
    """

    def __init__(self, info: dict[str, Any]) -> None:
        self.info = info

    @classmethod
    def checked(cls, info: Any) -> Padding | None:
        if info is None:
            return None
        if not isinstance(info, dict):
            raise OpTypeError(f"Argument pad_info with value {info} is not of type [{dict}], but got {type(info)}.")
        for name, entry in info.items():
            if not isinstance(name, str):
                raise OpTypeError(f"key in pad_info should be a column name, but got {name!r}", arg="pad_info")
            if entry is None:  # as far as the longest, with zeros
                continue
            if not isinstance(entry, tuple) or len(entry) != 2:
                raise OpTypeError(
                    f"pad_info['{name}'] should be a tuple (shape, value), but got {entry!r}", arg="pad_info"
                )
            shape = entry[0]
            if shape is not None and not isinstance(shape, (list, tuple)):
                raise OpTypeError(
                    f"the shape in pad_info['{name}'] should be a list, but got {shape!r}", arg="pad_info"
                )
            for length in shape or ():
                if length is not None and (not isinstance(length, int) or length <= 0):
                    raise OpValueError(
                        f"lengths in pad_info['{name}'] should be None or positive, but got {shape}", arg="pad_info"
                    )
        return cls(info)

    def check(self, columns: list[str]) -> None:
        for name in self.info:
            if name not in columns:
                raise OpRuntimeError(f"Invalid pad_info, column name: {name} does not exist; the columns are {columns}")

    def apply(self, column: Any, name: str) -> Any:
        if self.info and name not in self.info:
            return column
        shape, value = self.info.get(name) or (None, None)
        rows = each(column)
        rank = rows[0].ndim
        if shape is not None and len(shape) != rank:
            raise OpRuntimeError(
                "Invalid pad_info, rank of pad_shape must be equal to rank of specified column. pad_shapes"
                f" rank:{len(shape)}, column rank: {rank}"
            )
        if any(row.ndim != rank for row in rows):
            raise OpRuntimeError(
                f"rows of one batch have different numbers of axes in column '{name}', which no padding mends"
            )
        wanted = [
            (shape[axis] if shape is not None else None) or max(row.shape[axis] for row in rows) for axis in range(rank)
        ]
        return [row if list(row.shape) == wanted else pad_to(row, wanted, value) for row in rows]


class Batch(Through):
    """Rows put together.

    Args:
        count: how many, or a function of a BatchInfo that tells.
        drop_remainder: whether a last batch that is not full is left out.
        per_batch_map: a function of lists of arrays, one list for each input column, and a BatchInfo; gives new columns.
        inputs, outputs: its columns.
        padding: how rows are made equally long.
    """

    def __init__(
        self, child: Node, count: int | Callable[[BatchInfo], int], drop_remainder: bool = False,
        per_batch_map: Callable[..., Any] | None = None, inputs: list[str] | None = None, outputs: list[str] | None = None,
        padding: Padding | None = None, workers: int | None = None, in_process: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(child)
        self.count, self.drop_remainder, self.function, self.padding = count, drop_remainder, per_batch_map, padding
        self.inputs = inputs or child.columns
        self.outputs = outputs or self.inputs
        if per_batch_map is not None:
            self.columns = with_outputs(child.columns, self.inputs, self.outputs)
        self.workers, self.in_process = workers, in_process
        self.indexed = child.indexed and not callable(count)

    @property
    def batch_size(self) -> int:
        return 1 if callable(self.count) else self.count

    @property
    def sample_count(self) -> None:
        return None

    def functions(self) -> Sequence[Any]:
        found = (self.function, self.count if callable(self.count) else None)
        return [function for function in found if function is not None and not is_pure(function)]

    def marked_pure(self) -> bool:
        return self.function is not None and is_pure(self.function)

    @property
    def follows(self) -> bool:  # type: ignore[override]
        return not callable(self.count)

    def size_from(self, *below: int) -> int | None:
        if callable(self.count):
            return None
        return below[0] // self.count if self.drop_remainder else -(-below[0] // self.count)

    def check(self) -> None:
        if self.function is not None:
            self.child.has_columns(self.inputs, "batch")
        if self.padding is not None:
            self.padding.check(self.child.columns)

    def rows(self, run: Run, epoch: int, positions: np.ndarray) -> Block:
        assert not callable(self.count)
        total = self.child.size(run)
        assert total is not None
        made = []
        for number in positions.tolist():
            inside = np.arange(number * self.count, min((number + 1) * self.count, total))
            made.append(self.gathered(run, epoch, number, self.child.rows(run, epoch, inside)))
        return join(made)

    def origins(self, run: Run, epoch: int, positions: np.ndarray) -> tuple[Any, np.ndarray]:
        return epoch, positions

    def stream(self, run: Run, epoch: int, start: int) -> Iterator[Block]:
        number = start
        waiting: list[Block] = []
        have = 0
        if callable(self.count):
            number, begin = 0, 0
        else:
            begin = start * self.count
        wanted = self._wanted(run, epoch, number)
        for block in run.stream(self.child, epoch, begin):
            while block.count:
                taken = min(wanted - have, block.count)
                waiting.append(block.part(0, taken))
                block, have = block.part(taken, block.count), have + taken
                if have == wanted:
                    if number >= start:
                        yield self.gathered(run, epoch, number, join(waiting))
                    waiting, have, number = [], 0, number + 1
                    wanted = self._wanted(run, epoch, number)
        if have and not self.drop_remainder and number >= start:
            yield self.gathered(run, epoch, number, join(waiting))

    def _wanted(self, run: Run, epoch: int, number: int) -> int:
        if not callable(self.count):
            return self.count
        what = f"batch: {named(self.count)}"
        wanted = call(self.count, [BatchInfo(number, epoch)], what, epoch, number)
        if not isinstance(wanted, (int, np.integer)) or wanted < 1:
            raise OpRuntimeError(
                f"{what} should give a positive number of rows, but gave {wanted!r} for batch {number}"
            )
        return int(wanted)

    def gathered(self, run: Run, epoch: int, number: int, block: Block) -> Block:
        """One batch of the rows of a block."""
        columns = block.columns
        if self.function is not None:
            key = run.key(self, epoch, number)
            if not is_pure(self.function):
                seed_globals(key)
            draws.begin(key)
            try:
                columns = self._mapped(block, epoch, number)
            finally:
                draws.begin(None)
        if self.padding is not None:
            columns = [self.padding.apply(column, name) for column, name in zip(columns, self.columns)]
        return Block([[collate(c, name, f"batch {number}", self)] for c, name in zip(columns, self.columns)], 1)

    def _mapped(self, block: Block, epoch: int, number: int) -> list[Any]:
        what = f"batch: {named(self.function)}"
        given = []
        for name in self.inputs:
            column = block.columns[self.child.columns.index(name)]
            rows = each(column)
            given.append([row.copy() for row in rows] if block.borrowed else rows)
        assert self.function is not None
        made = call(self.function, [*given, BatchInfo(number, epoch)], what, epoch, number)
        made = list(made) if isinstance(made, tuple) else [made]
        if len(made) != len(self.outputs):
            raise OpRuntimeError(
                f"{what} should give {len(self.outputs)} columns, {self.outputs}, but gave {len(made)} for batch {number}"
            )
        columns = []
        for name, column in zip(self.outputs, made):
            column = plain(column)
            if not isinstance(column, (list, tuple, np.ndarray)):
                raise OpRuntimeError(f"{what} should give a list of arrays for column '{name}', but gave {column!r}")
            if len(column) != block.count and len(self.outputs) == len(self.inputs):
                raise OpRuntimeError(
                    f"Invalid data, column: {name} expects: {block.count} rows returned from 'per_batch_map', got:"
                    f" {len(column)}"
                )
            try:
                columns.append([as_array(row, what) for row in column])
            except Exception as error:
                raise failed(what, epoch, number, error) from error
        return placed(self.child.columns, self.inputs, self.outputs, block, columns)


class Buckets(Through):
    """Rows of about equal length put together.

    Args:
        names: columns that `length` gets; without a function there is one, and the length of its first axis counts.
        boundaries: row lengths at which the next bucket begins.
        counts: how many rows a batch has, for each bucket; one more than boundaries.
    """

    follows = False

    def __init__(
        self, child: Node, names: list[str], boundaries: list[int], counts: list[int],
        length: Callable[..., int] | None, padding: Padding, to_boundary: bool, drop_remainder: bool,
    ) -> None:  # fmt: skip
        super().__init__(child)
        self.names, self.boundaries, self.counts, self.length = names, boundaries, counts, length
        self.padding, self.to_boundary, self.drop_remainder = padding, to_boundary, drop_remainder
        self.indexed = False

    def size_from(self, *below: int) -> None:
        return None

    def check(self) -> None:
        self.child.has_columns(self.names, "bucket_batch_by_length")
        self.padding.check(self.child.columns)

    def functions(self) -> Sequence[Any]:
        return () if self.length is None or is_pure(self.length) else (self.length,)

    def stream(self, run: Run, epoch: int, start: int) -> Iterator[Block]:
        chosen = [self.child.columns.index(name) for name in self.names]
        held: list[list[list[Any]]] = [[] for _ in self.counts]
        given = sample = 0
        for block in run.stream(self.child, epoch):
            for number in range(block.count):
                row = block.row(number)
                values = [row[c] for c in chosen]
                if self.length is None:
                    length = len(values[0])
                else:
                    what = f"bucket_batch_by_length: {named(self.length)}"
                    length = int(np.asarray(call(self.length, values, what, epoch, sample)))
                sample += 1
                bucket = int(np.searchsorted(self.boundaries, length, side="right"))
                held[bucket].append(row)
                if len(held[bucket]) == self.counts[bucket]:
                    if given >= start:
                        yield self._gathered(held[bucket], bucket, given)
                    held[bucket] = []
                    given += 1
        for bucket, rows in enumerate(held):
            if rows and not self.drop_remainder:
                if given >= start:
                    yield self._gathered(rows, bucket, given)
                given += 1

    def _gathered(self, rows: list[list[Any]], bucket: int, number: int) -> Block:
        columns = []
        for name, column in zip(self.columns, zip(*rows)):
            padding = self.padding
            if self.to_boundary and name in self.names and bucket < len(self.boundaries):
                value = padding.info.get(name, (None, None))[1]
                shape = [self.boundaries[bucket] - 1, *[None] * (column[0].ndim - 1)]
                padding = Padding({**padding.info, name: (shape, value)})
            columns.append([collate(padding.apply(list(column), name), name, f"batch {number}")])
        return Block(columns, 1)
