"""The node of `map`: functions and transforms on the fields of each row."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from anfora.core.errors import OpRuntimeError
from anfora.core.tensor import Tensor
from anfora.dataset.blocks import Block, as_array, memory
from anfora.dataset.functions import SampleError, Transform, failed, is_pure, named, plain, progress, takes_tensors
from anfora.dataset.node import Node, Run, Through
from anfora.dataset.seeds import draws, keys_of, mix, seed_globals

__all__ = ["Map", "WithoutFailed", "flatten", "stacked", "with_outputs"]

#: Rows that are alike go through the transforms together, as many as stay in a core's cache.
_PIECE_BYTES = 1 << 18
_GOOD = "whether it did not fail"


def with_outputs(columns: list[str], inputs: list[str], outputs: list[str]) -> list[str]:
    """The columns after some have been replaced: in their places where there are as many, in front otherwise."""
    if len(inputs) == len(outputs):
        new = dict(zip(inputs, outputs))
        return [new.get(name, name) for name in columns]
    return [*outputs, *(name for name in columns if name not in inputs)]


def placed(columns: list[str], inputs: list[str], outputs: list[str], block: Block, made: list[Any]) -> list[Any]:
    """The fields that belong to `with_outputs`."""
    given = dict(zip(columns, block.columns))
    if len(inputs) == len(outputs):
        given |= dict(zip(inputs, made))
        return [given[name] for name in columns]
    return [*made, *(given[name] for name in columns if name not in inputs)]


def _is(array: np.ndarray, place: Any) -> bool:
    """Whether an array, of the same shape and type, is the very memory of another."""
    return array.strides == place.strides and array.ctypes.data == place.ctypes.data


def flatten(operations: Sequence[Any]) -> list[Any]:
    """Operations with those inside of Compose in their places."""
    found: list[Any] = []
    for operation in operations:
        inner = getattr(operation, "composed", None)
        found += flatten(inner) if inner is not None else [operation]
    return found


def stacked(rows: list[Any]) -> Any:
    """Arrays of one shape and element type as one array; others as they are."""
    first = rows[0]
    if not isinstance(first, np.ndarray) or first.dtype.kind in "USO":
        return rows
    if any(not isinstance(r, np.ndarray) or r.shape != first.shape or r.dtype != first.dtype for r in rows):
        return rows
    out = np.empty((len(rows), *first.shape), first.dtype)
    for number, row in enumerate(rows):
        out[number] = row
    return out


class Map(Through):
    """Operations on the given columns of each row, one after the other.

    Args:
        operations: callables; each gets what the one before gave.
        inputs: names of columns; None for the first one.
        outputs: the columns that take their place; None for the same.
        workers: how many the program asked for.
        in_process: whether workers must not be processes.
        tolerant: a row that fails is no error: a further column says of each whether it did not, for `WithoutFailed`.
    """

    def __init__(
        self, child: Node, operations: Sequence[Callable[..., Any]], inputs: list[str] | None, outputs: list[str] | None,
        workers: int | None = None, in_process: bool = False, tolerant: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(child)
        self.operations = flatten(operations)
        self.inputs = inputs if inputs is not None else child.columns[:1]
        self.outputs = outputs if outputs is not None else self.inputs
        self.columns = with_outputs(child.columns, self.inputs, self.outputs) + [_GOOD] * tolerant
        self.workers, self.in_process, self.tolerant = workers, in_process, tolerant
        self._together = (
            not tolerant
            and len(self.inputs) == len(self.outputs) == 1
            and all(isinstance(op, Transform) and op.one_to_one for op in self.operations)
            and not self.functions()
        )

    def check(self) -> None:
        self.child.has_columns(self.inputs, "map")

    def functions(self) -> Sequence[Any]:
        return [op for op in self.operations if not is_pure(op)]

    def marked_pure(self) -> bool:
        return any(is_pure(op) and not isinstance(op, Transform) for op in self.operations)

    def rows(self, run: Run, epoch: int, positions: np.ndarray) -> Block:
        block = self.child.rows(run, epoch, positions)
        return self.apply(run, *self.child.origins(run, epoch, positions), block)

    def stream(self, run: Run, epoch: int, start: int) -> Iterator[Block]:
        assert run.executor is not None
        return run.executor.mapped(run, self, epoch, start, run.stream(self.child, epoch, start))

    def apply(self, run: Run, epochs: Any, samples: np.ndarray, block: Block) -> Block:
        """The operations on the rows of a block that come from these samples."""
        chosen = [block.columns[self.child.columns.index(name)] for name in self.inputs]
        keys = keys_of(run.key(self), epochs, samples).tolist()
        all_epochs = np.broadcast_to(epochs, samples.shape)
        good: list[bool] = []
        if self._together:
            made = [self._column(chosen[0], keys, all_epochs, samples)]
        else:
            made = self._rows(chosen, block, keys, all_epochs, samples, good)
        draws.begin(None)
        borrowed = block.borrowed and bool(len(block.columns) > len(chosen) or not self._together)
        columns = placed(self.child.columns, self.inputs, self.outputs, block, made)
        return Block([*columns, np.array(good, bool)] if self.tolerant else columns, block.count, borrowed)

    # --- rows together --------------------------------------------------------------------------------------------

    def _column(self, column: Any, keys: list[int], epochs: np.ndarray, samples: np.ndarray) -> Any:
        step = len(column)
        if isinstance(column, np.ndarray) and column.nbytes:
            step = min(step, max(1, _PIECE_BYTES // (column.nbytes // len(column) or 1)))
        elif len(column) and isinstance(column[0], np.ndarray) and column[0].nbytes > 1024:
            step = min(step, 2)
        out: Any = None
        for start in range(0, len(column), step):
            stop = min(start + step, len(column))
            place = out[start:stop] if isinstance(out, np.ndarray) else None
            try:
                part = self._piece(column[start:stop], keys[start:stop], place)
            except Exception:
                self._find_failure(column, keys, epochs, samples, start, stop)
                raise
            if stop - start == len(column):
                return (
                    np.ascontiguousarray(part) if isinstance(part, np.ndarray) else self._arrays(part, epochs, samples)
                )
            alike = isinstance(part, np.ndarray)
            if start == 0:
                out = memory.made(self, (len(column), *part.shape[1:]), part.dtype) if alike else []
            if isinstance(out, np.ndarray):
                if alike and part.shape[1:] == out.shape[1:] and part.dtype == out.dtype:
                    if place is None or not _is(part, place):
                        out[start:stop] = part
                    continue
                out = list(out[:start])
            out += list(part)
        return out if isinstance(out, np.ndarray) else self._arrays(out, epochs, samples)

    def _piece(self, part: Any, keys: list[int], place: np.ndarray | None = None) -> Any:
        """Some rows after all operations, in `place` if the last that computes can write there."""
        last = len(self.operations) - 1
        while place is not None and last >= 0 and (seen := self.operations[last].place_before(place)) is not None:
            last, place = last - 1, seen
        for number, operation in enumerate(self.operations):
            if place is not None and number == last and operation.write_into(part, place):
                part = place
            elif operation.random:
                made = []
                for row, key in zip(part, keys):
                    draws.begin(mix(key, number))
                    made.append(operation(row))
                # The next one takes them row by row, too.
                alone = number < last and self.operations[number + 1].random
                part = made if alone else stacked(made)
            else:
                part = operation.many(part)
                if isinstance(part, list):
                    part = stacked(part)
        return part

    def _arrays(self, rows: Any, epochs: np.ndarray, samples: np.ndarray) -> Any:
        return [as_array(row, f"map: {named(self.operations[-1])}") for row in rows]

    def _find_failure(
        self, column: Any, keys: list[int], epochs: np.ndarray, samples: np.ndarray, start: int, stop: int
    ) -> None:
        """Do the rows of a piece that failed one by one, to tell which it is."""
        for number in range(start, stop):
            part = column[number : number + 1]
            for place, operation in enumerate(self.operations):
                draws.begin(mix(keys[number], place))
                try:
                    part = stacked([operation(part[0])]) if operation.random else operation.many(part)
                except Exception as error:
                    error.__context__ = None  # it is the same, of the piece
                    what = f"map: {named(operation)}"
                    raise failed(what, int(epochs[number]), int(samples[number]), error) from error

    # --- row by row -----------------------------------------------------------------------------------------------

    def _rows(
        self,
        chosen: list[Any],
        block: Block,
        keys: list[int],
        epochs: np.ndarray,
        samples: np.ndarray,
        good: list[bool],
    ) -> list[list[Any]]:
        """The new fields of the rows; `good` gets of each whether it did not fail."""
        made: list[list[Any]] = [[] for _ in self.outputs]
        tensors = [takes_tensors(operation) for operation in self.operations]
        own = bool(self.functions())
        for number in range(block.count):
            values = [c[number, ...] if isinstance(c, np.ndarray) else c[number] for c in chosen]
            if own:
                seed_globals(keys[number])
                if block.borrowed:
                    values = [value.copy() for value in values]
            try:
                values = self._row(values, keys[number], tensors, int(epochs[number]), int(samples[number]))
                good.append(True)
            except SampleError:
                if not self.tolerant:
                    raise
                values = [_NOTHING for _ in self.outputs]
                good.append(False)
            for column, value in zip(made, values):
                column.append(value)
        return made

    def _row(self, values: list[Any], key: int, tensors: list[bool], epoch: int, sample: int) -> list[Any]:
        """The new fields of one row."""
        progress.note(epoch, sample)
        for place, operation in enumerate(self.operations):
            draws.begin(mix(key, place))
            try:
                given = operation(*map(Tensor, values) if tensors[place] else values)
            except Exception as error:
                raise failed(f"map: {named(operation)}", epoch, sample, error) from error
            values = [plain(value) for value in given] if isinstance(given, tuple) else [plain(given)]
        if len(values) != len(self.outputs):
            raise OpRuntimeError(
                "Invalid columns, the number of columns returned in 'map' operations should match the number of"
                f" 'output_columns', but got the number of columns returned in 'map' operations: {len(values)},"
                f" the number of 'output_columns': {len(self.outputs)}, {self.outputs}, at sample {sample}"
            )
        what = f"map: {named(self.operations[-1])}"
        try:
            return [as_array(value, what) for value in values]
        except Exception as error:
            raise failed(what, epoch, sample, error) from error


_NOTHING = np.empty(0, bool)  #: a field of a row that failed


class WithoutFailed(Through):
    """The rows of a tolerant `map` that did not fail.

    Args:
        child: the map.
        replaced: whether others stand in for them at the end of the epoch: the first ones that did not fail, from epoch to
            epoch the next ones.
    """

    def __init__(self, child: Map, replaced: bool) -> None:
        super().__init__(child)
        self.columns = child.columns[:-1]
        self.replaced, self.indexed = replaced, False

    def stream(self, run: Run, epoch: int, start: int) -> Iterator[Block]:
        given = 0
        for block in self._blocks(run, epoch):
            given += block.count
            if given > start:
                yield block.part(max(block.count - (given - start), 0), block.count)

    def _blocks(self, run: Run, epoch: int) -> Iterator[Block]:
        kept: list[Block] = []
        failures = 0
        for block in run.stream(self.child, epoch):
            good = np.flatnonzero(block.columns[-1])
            failures += block.count - len(good)
            if not len(good):
                continue
            rows = Block(block.columns[:-1], block.count, block.borrowed).pick(good)
            for number in range(min(rows.count, _KEPT - len(kept)) if self.replaced else 0):
                kept.append(Block.of_rows([[copy.copy(field) for field in rows.row(number)]], borrowed=True))
            yield rows
        if self.replaced and failures:
            if not kept:
                raise OpRuntimeError(f"map: all samples of epoch {epoch} failed, so that none can stand in for others")
            for number in range(epoch * failures, (epoch + 1) * failures):
                yield kept[number % len(kept)]


_KEPT = 64  #: how many rows are kept to stand in
