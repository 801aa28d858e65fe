"""Rows on their way through a pipeline: some at a time, column by column.

A column of a block is one array whose first axis counts the rows, where they are alike and came so, or a list with an array
for each row. Transforms that can do many rows in one go get them stacked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from anfora.core.errors import OpRuntimeError, OpTypeError
from anfora.core.tensor import Tensor

__all__ = ["Block", "Column", "as_array", "collate", "each", "join", "memory", "row_count"]

Column = Any  # np.ndarray or list[np.ndarray]


class _Memory:
    """Where the large arrays of rows are made: a worker process makes what it sends where it is sent from.

    Not what functions of the program get, which may keep it.
    """

    def __init__(self) -> None:
        self._room: Callable[[tuple[int, ...], Any], np.ndarray] = np.empty
        self._only: Any = None

    def send(self, room: Callable[[tuple[int, ...], Any], np.ndarray], only: Any = None) -> None:
        """Make arrays by `room` from now on, those of all nodes or of one."""
        self._room, self._only = room, only

    def made(self, node: Any, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        """An array of a node, not initialised."""
        return (self._room if self._only in (None, node) else np.empty)(shape, dtype)


memory = _Memory()


class Block:
    """Some rows of a dataset.

    Args:
        columns: one for each name; all have `count` rows.
        count: how many rows.
        borrowed: the arrays may be the program's own; who hands them out or changes them copies them first.
    """

    __slots__ = ("columns", "count", "borrowed")

    def __init__(self, columns: list[Column], count: int, borrowed: bool = False) -> None:
        self.columns, self.count, self.borrowed = columns, count, borrowed

    @classmethod
    def of_rows(cls, rows: Sequence[Sequence[Any]], borrowed: bool = False) -> Block:
        return cls([list(column) for column in zip(*rows)], len(rows), borrowed)

    def row(self, number: int) -> list[Any]:
        """The arrays of one row, those of stacked columns as views."""
        return [c[number, ...] if isinstance(c, np.ndarray) else c[number] for c in self.columns]

    def part(self, start: int, stop: int) -> Block:
        return Block([column[start:stop] for column in self.columns], min(stop, self.count) - start, self.borrowed)

    def pick(self, numbers: Iterable[int]) -> Block:
        chosen = [int(n) for n in numbers]
        columns = [c[chosen] if isinstance(c, np.ndarray) else [c[n] for n in chosen] for c in self.columns]
        return Block(columns, len(chosen), self.borrowed)


def row_count(column: Column) -> int:
    return len(column)


def each(column: Column) -> list[Any]:
    """The rows of a column, also those without an axis as arrays: iterating over an array would give numpy's numbers."""
    return [column[i, ...] for i in range(len(column))] if isinstance(column, np.ndarray) else list(column)


def join(blocks: Sequence[Block]) -> Block:
    """One block with the rows of several."""
    if len(blocks) == 1:
        return blocks[0]
    columns: list[Column] = []
    for parts in zip(*(block.columns for block in blocks)):
        first = parts[0]
        if isinstance(first, np.ndarray) and all(
            isinstance(p, np.ndarray) and p.dtype == first.dtype and p.shape[1:] == first.shape[1:] for p in parts
        ):
            columns.append(np.concatenate(parts))
        else:
            columns.append([row for part in parts for row in each(part)])
    return Block(columns, sum(block.count for block in blocks), any(block.borrowed for block in blocks))


def as_array(value: Any, where: str) -> Any:
    """What a program gave for one field of a row, as an array: an int as int64, a float as float64, a word as `<U`.

    A dictionary stays as it is: it goes through a pipeline as one field.
    """
    if isinstance(value, np.ndarray):
        array = value
    elif isinstance(value, Tensor):
        array = value.asnumpy()
    elif isinstance(value, dict):
        return value
    elif value is None:
        raise OpTypeError(f"{where} gave None where an array, a number or a word is expected")
    else:
        try:
            array = np.asarray(value)
        except (ValueError, TypeError) as error:
            raise OpTypeError(f"{where} gave {_shown(value)}, of which no array can be made ({error})") from error
    if array.dtype.kind not in "biufUSc":
        raise OpTypeError(
            f"{where} gave {_shown(value)}, which makes an array of type {array.dtype}",
            help="int, float, bool and str, and arrays and lists of them, can be fields of a row.",
        )
    return array


def _shown(value: Any) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text}" if len(text) <= 60 else f"an object of type {type(value).__name__}"


def collate(column: Column, name: str, where: str, node: Any = None) -> np.ndarray:
    """The rows of a column as one array, made for a node; all must have one shape and one element type.

    Raises:
        OpRuntimeError: they have not; the message says which rows differ.
    """
    if isinstance(column, np.ndarray):
        return column
    first = column[0]
    if isinstance(first, dict):
        raise OpRuntimeError(f"{where}: column '{name}' holds dictionaries, which cannot be put into one array")
    for number, row in enumerate(column):
        if row.shape != first.shape:
            raise OpRuntimeError(
                f"{where}: inconsistent batch shapes: rows of one batch have different shapes in column '{name}': the first"
                f" has {_shape(first)}, number {number} has {_shape(row)}",
                help="padded_batch fills them up; map, per_batch_map and Resize make them equal.",
            )
        if row.dtype != first.dtype and (row.dtype.kind != first.dtype.kind or row.dtype.kind not in "US"):
            raise OpRuntimeError(
                f"{where}: rows of one batch have different types in column '{name}': the first has {first.dtype},"
                f" number {number} has {row.dtype}"
            )
    if first.dtype.kind in "US":
        return np.stack(column)
    out = memory.made(node, (len(column), *first.shape), first.dtype)
    for number, row in enumerate(column):
        out[number] = row
    return out


def _shape(array: np.ndarray) -> str:
    return "<" + ",".join(map(str, array.shape)) + ">"
