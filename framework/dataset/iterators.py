"""Iterators over the rows of a dataset, and where they stand."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from anfora.core.dtype import as_dtype
from anfora.core.errors import OpRuntimeError
from anfora.core.tensor import from_buffer
from anfora.dataset import config
from anfora.dataset.blocks import Block
from anfora.dataset.executor import Executor, has_functions
from anfora.dataset.node import Node, Run
from anfora.dataset.seeds import Guard

if TYPE_CHECKING:
    from anfora.dataset.datasets import Dataset

__all__ = ["DictIterator", "RowIterator", "TupleIterator", "begin"]


#: Columns that begin so, what is told of a row beside its fields, are given when they have been renamed; so in MindSpore.
_HIDDEN = "_meta-"


def begin(node: Node, seed: int | None = None) -> Run:
    """A run from the seed that is set, or from one of the system's."""
    chosen = config.effective_seed() if seed is None else seed
    shared = config.DEFAULT_SEED if chosen is None else chosen
    if chosen is None:
        chosen = int.from_bytes(os.urandom(8), "little") >> 1
    return Run(node, chosen, shared)


def _tensor(array: Any) -> Any:
    """A tensor that owns an array which nobody else has; words stay what they are."""
    if not isinstance(array, np.ndarray):
        return _inside(array, _tensor)
    if array.dtype.kind in "USO":
        return array
    if not (array.flags.aligned and array.dtype.isnative and array.flags.writeable):
        array = np.array(array, array.dtype.newbyteorder("="))
    return from_buffer(array, as_dtype(array.dtype))


def _array(array: Any) -> Any:
    return array if isinstance(array, np.ndarray) else _inside(array, _array)


def _inside(value: Any, made: Callable[[Any], Any]) -> Any:
    """A dictionary that is one field: its numbers, words and arrays as fields are given, all else as it is."""
    if isinstance(value, dict):
        return {key: _inside(inner, made) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        inner = [_inside(each, made) for each in value]
        return inner if isinstance(value, list) else tuple(inner)
    if isinstance(value, (bool, int, float, str, np.generic, np.ndarray)):
        array = np.array(value)  # a copy: the dictionary may be the program's own
        return array if array.dtype.kind == "O" else made(array)
    return value


class RowIterator:
    """Rows, epoch after epoch. Each epoch ends like an iterator, and goes on with the next one when it is asked again.

    Args:
        dataset: what to go through.
        node: its tree.
        num_epochs: how many epochs; -1 for any number.
        output_numpy: whether fields are numpy arrays instead of tensors.
    """

    def __init__(
        self, dataset: Dataset, node: Node, num_epochs: int, output_numpy: bool, do_copy: bool = False
    ) -> None:
        from anfora.dataset.arranging import Project
        from anfora.dataset.parallel import executor_for

        shown = [name for name in node.columns if not name.startswith(_HIDDEN)]
        if len(shown) not in (0, len(node.columns)):
            node = Project(node, shown)
        self._dataset, self._columns = dataset, node.columns
        if not output_numpy:
            import anfora.eager
            import anfora.ops  # noqa: F401  (both give tensors their methods)
        self._made: Callable[[Any], Any] = _array if output_numpy else _tensor
        place = dataset._take_place()
        self._run = begin(node, place["seed"] if place else None)
        self._epoch: int = place["epoch"] if place else 0
        self._row: int = place["row"] if place else 0
        self._last = None if num_epochs == -1 else self._epoch + num_epochs
        self._run.last = self._last
        self._guarded = has_functions(node)
        self._executor: Executor = executor_for(self._run)
        self._run.executor = self._executor
        self._blocks: Iterator[Block] | None = None
        self._block: Block | None = None
        self._at = 0
        dataset._follow(self)

    def __iter__(self) -> RowIterator:
        return self

    def __next__(self) -> Any:
        return self._shaped([self._made(array) for array in self._next_row()])

    def get_next(self) -> Any:
        """The next row."""
        return self.__next__()

    def _shaped(self, row: list[Any]) -> Any:
        return row

    def _next_row(self) -> list[Any]:
        while self._block is None or self._at >= self._block.count:
            if self._last is not None and self._epoch >= self._last:
                self.stop()
                raise OpRuntimeError(
                    "EOF buffer encountered. User tries to fetch data beyond the specified number of epochs."
                )
            if self._blocks is None:
                self._blocks = self._run.stream(self._run.root, self._epoch, self._row)
            try:
                if self._guarded:
                    with Guard():
                        self._block = next(self._blocks)
                else:
                    self._block = next(self._blocks)
                self._at = 0
            except StopIteration:
                self._blocks = self._block = None
                self._epoch, self._row = self._epoch + 1, 0
                if self._epoch == self._last:
                    self._executor.close()
                raise
            except BaseException:
                self.stop()
                raise
        row = self._block.row(self._at)
        if self._block.borrowed:
            row = [array.copy() for array in row]
        self._at += 1
        self._row += 1
        return row

    def state(self) -> dict[str, Any]:
        """Where the next row stands."""
        return {"version": 1, "seed": self._run.seed, "epoch": self._epoch, "row": self._row}

    def stop(self) -> None:
        """End the workers; no more rows come."""
        self._blocks = self._block = None
        self._last = self._epoch
        self._executor.close()

    release = stop

    def __del__(self) -> None:
        executor = getattr(self, "_executor", None)
        if executor is not None:
            self._blocks = self._block = None
            executor.close()


class TupleIterator(RowIterator):
    """Rows as lists of fields, in the order of the columns."""


class DictIterator(RowIterator):
    """Rows as dictionaries from columns to fields."""

    def _shaped(self, row: list[Any]) -> Any:
        return dict(zip(self._columns, row))
