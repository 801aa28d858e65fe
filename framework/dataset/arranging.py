"""Nodes that arrange rows and leave them as they are: take, skip, shuffle, repeat, concat, zip, project, rename, filter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from anfora.core.errors import OpRuntimeError
from anfora.dataset.blocks import Block, join
from anfora.dataset.functions import call, is_pure, named
from anfora.dataset.node import Node, Run, Through
from anfora.dataset.seeds import keys_of, permutation, seed_globals, words

__all__ = ["Chosen", "Concat", "Filter", "FlatMap", "Project", "Rename", "Repeat", "Shuffle", "Skip", "Take", "Zip"]


class Take(Through):
    """The first rows."""

    follows = False

    def __init__(self, child: Node, count: int) -> None:
        super().__init__(child)
        self.count = count

    def size_from(self, *below: int) -> int:
        return min(self.count, below[0])

    def stream(self, run: Run, epoch: int, start: int) -> Iterator[Block]:
        left = self.count - start
        if left <= 0:
            return
        for block in run.stream(self.child, epoch, start):
            yield block.part(0, left)
            left -= block.count
            if left <= 0:
                return


class Skip(Through):
    """All rows but the first."""

    def __init__(self, child: Node, count: int) -> None:
        super().__init__(child)
        self.count = count

    def size_from(self, *below: int) -> int:
        return max(0, below[0] - self.count)

    def places(self, run: Run, epoch: int, positions: np.ndarray) -> np.ndarray:
        return positions + self.count

    def stream(self, run: Run, epoch: int, start: int) -> Iterator[Block]:
        return run.stream(self.child, epoch, start + self.count)


class Chosen(Through):
    """Some rows in a written order: a part of a split.

    Args:
        child: indexed.
        order: positions in the child.
    """

    def __init__(self, child: Node, order: np.ndarray) -> None:
        super().__init__(child)
        self.order = order

    def size(self, run: Run) -> int:
        return len(self.order)

    def places(self, run: Run, epoch: int, positions: np.ndarray) -> np.ndarray:
        return self.order[positions]


class Shuffle(Through):
    """Rows in the order in which a buffer gives them away: it takes in rows, and gives a random one of those it holds.

    The order does not depend on what the rows are. So with random access it is computed ahead, and each row is read where
    it stands; the buffer itself is only filled with rows of a stream.
    """

    def __init__(self, child: Node, buffer_size: int) -> None:
        super().__init__(child)
        self.buffer_size = buffer_size

    def places(self, run: Run, epoch: int, positions: np.ndarray) -> np.ndarray:
        return run.keep(self, "order", epoch, lambda: self._order(run, epoch))[positions]

    def _order(self, run: Run, epoch: int) -> np.ndarray:
        count = self.child.size(run)
        assert count is not None
        key = run.key(self, epoch)
        if self.buffer_size >= count:
            return permutation(key, count)
        buffer = list(range(self.buffer_size))
        slots = (words(key, count) % np.uint64(self.buffer_size)).tolist()
        order = []
        for coming in range(self.buffer_size, count):
            slot = slots[coming]
            order.append(buffer[slot])
            buffer[slot] = coming
        rest = permutation(key ^ 1, len(buffer))
        return np.array([*order, *(buffer[i] for i in rest)], np.int64)

    def stream(self, run: Run, epoch: int, start: int) -> Iterator[Block]:
        key = run.key(self, epoch)
        buffer: list[list[Any]] = []
        given, slots, borrowed = 0, np.empty(0, np.int64), False
        for block in run.stream(self.child, epoch):
            borrowed |= block.borrowed
            for number in range(block.count):
                row = block.row(number)
                if len(buffer) < self.buffer_size:
                    buffer.append(row)
                    continue
                if given % 4096 == 0:
                    slots = (words(key ^ given, 4096) % np.uint64(self.buffer_size)).astype(np.int64)
                slot = slots[given % 4096]
                if given >= start:
                    yield Block.of_rows([buffer[slot]], borrowed)
                buffer[slot] = row
                given += 1
        for slot in permutation(key ^ 1, len(buffer)):
            if given >= start:
                yield Block.of_rows([buffer[slot]], borrowed)
            given += 1


class Repeat(Through):
    """The rows several times; each time is an epoch of the child.

    Args:
        count: None for endlessly.
    """

    def __init__(self, child: Node, count: int | None) -> None:
        super().__init__(child)
        self.count = count
        self.indexed = child.indexed and count is not None

    @property
    def repeat_count(self) -> int:
        return -1 if self.count is None else self.count

    def size(self, run: Run) -> int | None:
        return None if self.count is None else super().size(run)

    def size_from(self, *below: int) -> int:
        return below[0] * (1 if self.count is None else self.count)

    def rows(self, run: Run, epoch: int, positions: np.ndarray) -> Block:
        size = self.child.size(run)
        assert size and self.count is not None
        rounds = positions // size
        parts = []
        start = 0
        while start < len(positions):  # runs of positions of one round, in their order
            stop = start + 1
            while stop < len(positions) and rounds[stop] == rounds[start]:
                stop += 1
            inside = positions[start:stop] - rounds[start] * size
            parts.append(self.child.rows(run, epoch * self.count + int(rounds[start]), inside))
            start = stop
        return join(parts)

    def origins(self, run: Run, epoch: int, positions: np.ndarray) -> tuple[Any, np.ndarray]:
        if not self.indexed:
            return epoch, positions
        size = self.child.size(run)
        assert size and self.count is not None
        rounds = positions // size
        epochs, numbers = np.empty(len(positions), np.int64), np.empty(len(positions), np.int64)
        for number in np.unique(rounds):
            here = rounds == number
            epochs[here], numbers[here] = self.child.origins(
                run, epoch * self.count + int(number), positions[here] - number * size
            )
        return epochs, numbers

    def samples(self, run: Run, epoch: int, positions: np.ndarray) -> np.ndarray:
        size = self.child.size(run)
        assert size and self.count is not None
        rounds = positions // size
        numbers = np.empty(len(positions), np.int64)
        for number in np.unique(rounds):
            here = rounds == number
            inner = epoch * self.count + int(number)
            numbers[here] = self.child.samples(run, inner, positions[here] - number * size)
        return numbers

    def stream(self, run: Run, epoch: int, start: int) -> Iterator[Block]:
        done = number = 0
        while self.count is None or number < self.count:
            inner = number if self.count is None else epoch * self.count + number
            size = self.child.size(run)
            if size is not None and done + size <= start:
                done += size
            else:
                before = done
                for block in run.stream(self.child, inner, max(0, start - before) if size is not None else 0):
                    if size is None and done + block.count <= start:
                        done += block.count
                        continue
                    cut = max(0, start - done) if size is None else 0
                    done += block.count
                    yield block.part(cut, block.count) if cut else block
                done = before + size if size is not None else done
                if done == before:
                    return  # without rows, endlessly
            number += 1


class Concat(Node):
    """The rows of one after those of the other."""

    follows = True

    def __init__(self, children: Sequence[Node]) -> None:
        self.children = tuple(children)
        self.columns = children[0].columns
        self.indexed = all(child.indexed for child in children)

    def check(self) -> None:
        for child in self.children[1:]:
            if child.columns != self.columns:
                raise OpRuntimeError(
                    "Invalid columns, 'column name' or 'column order' of concat datasets should be the same, but got"
                    f" {self.columns} and {child.columns}"
                )

    def size_from(self, *below: int) -> int:
        return sum(below)

    @property
    def sample_count(self) -> int | None:
        counts = [child.sample_count for child in self.children]
        return None if None in counts else sum(counts)  # type: ignore[arg-type]

    def samples(self, run: Run, epoch: int, positions: np.ndarray) -> np.ndarray:
        numbers = np.empty(len(positions), np.int64)
        end = count = 0
        for child in self.children:
            begin, end = end, end + (child.size(run) or 0)
            here = (positions >= begin) & (positions < end)
            numbers[here] = count + child.samples(run, epoch, positions[here] - begin)
            count += child.sample_count or 0
        return numbers

    def rows(self, run: Run, epoch: int, positions: np.ndarray) -> Block:
        ends = np.cumsum([child.size(run) for child in self.children])
        which = np.searchsorted(ends, positions, side="right")
        parts, start = [], 0
        while start < len(positions):
            stop = start + 1
            while stop < len(positions) and which[stop] == which[start]:
                stop += 1
            number = int(which[start])
            before = int(ends[number - 1]) if number else 0
            parts.append(self.children[number].rows(run, epoch, positions[start:stop] - before))
            start = stop
        return join(parts)

    def stream(self, run: Run, epoch: int, start: int) -> Iterator[Block]:
        for child in self.children:
            size = child.size(run)
            if size is not None and size <= start:
                start -= size
                continue
            if size is not None:
                yield from run.stream(child, epoch, start)
                start = 0
                continue
            for block in run.stream(child, epoch):
                if block.count <= start:
                    start -= block.count
                    continue
                yield block.part(start, block.count) if start else block
                start = 0


class Zip(Node):
    """The columns of several side by side, as many rows as the shortest has."""

    def __init__(self, children: Sequence[Node]) -> None:
        self.children = tuple(children)
        self.columns = [name for child in children for name in child.columns]
        self.indexed = all(child.indexed for child in children)

    def check(self) -> None:
        for name in self.columns:
            if self.columns.count(name) > 1:
                raise OpRuntimeError(f"Invalid data, duplicate column {name} already exists when zipping datasets.")

    def size_from(self, *below: int) -> int:
        return min(below)

    def rows(self, run: Run, epoch: int, positions: np.ndarray) -> Block:
        parts = [child.rows(run, epoch, positions) for child in self.children]
        return Block([c for part in parts for c in part.columns], len(positions), any(p.borrowed for p in parts))

    def stream(self, run: Run, epoch: int, start: int) -> Iterator[Block]:
        for parts in zip(*(_singly(run.stream(child, epoch, start)) for child in self.children)):
            yield Block([c for part in parts for c in part.columns], 1, any(part.borrowed for part in parts))


def _singly(blocks: Iterator[Block]) -> Iterator[Block]:
    for block in blocks:
        for number in range(block.count):
            yield block.part(number, number + 1)


class Project(Through):
    """Some columns, in a given order."""

    def __init__(self, child: Node, names: list[str]) -> None:
        super().__init__(child)
        self.columns = names

    def check(self) -> None:
        self.child.has_columns(self.columns, "project")

    def _chosen(self, block: Block) -> Block:
        columns = [block.columns[self.child.columns.index(name)] for name in self.columns]
        return Block(columns, block.count, block.borrowed)

    def rows(self, run: Run, epoch: int, positions: np.ndarray) -> Block:
        return self._chosen(self.child.rows(run, epoch, positions))

    def stream(self, run: Run, epoch: int, start: int) -> Iterator[Block]:
        return map(self._chosen, run.stream(self.child, epoch, start))


class Rename(Through):
    """Columns under other names."""

    def __init__(self, child: Node, old: list[str], new: list[str]) -> None:
        super().__init__(child)
        self.old, self.new = old, new
        names = dict(zip(old, new))
        self.columns = [names.get(name, name) for name in child.columns]

    def check(self) -> None:
        self.child.has_columns(self.old, "rename")
        for name in self.new:
            if self.columns.count(name) > 1:
                raise OpRuntimeError(
                    "Invalid column, rename operation does not support rename one column name into another already"
                    f" exist column name, existing column name is: {name}."
                )

    def rows(self, run: Run, epoch: int, positions: np.ndarray) -> Block:
        return self.child.rows(run, epoch, positions)

    def stream(self, run: Run, epoch: int, start: int) -> Iterator[Block]:
        return run.stream(self.child, epoch, start)


class Filter(Through):
    """The rows for which a function holds."""

    follows = False

    def __init__(
        self, child: Node, predicate: Callable[..., Any], names: list[str] | None, workers: int | None
    ) -> None:
        super().__init__(child)
        self.predicate, self.names, self.workers = predicate, names, workers
        self.indexed = False

    def size_from(self, *below: int) -> None:
        return None

    def check(self) -> None:
        self.child.has_columns(self.names or (), "filter")

    def functions(self) -> Sequence[Any]:
        return () if is_pure(self.predicate) else (self.predicate,)

    def stream(self, run: Run, epoch: int, start: int) -> Iterator[Block]:
        names = self.names or self.child.columns
        chosen = [self.child.columns.index(name) for name in names]
        seen = kept = 0
        seeded = bool(self.functions())
        for block in run.stream(self.child, epoch):
            holds = []
            keys = keys_of(run.key(self), epoch, np.arange(seen, seen + block.count)) if seeded else None
            for number in range(block.count):
                if keys is not None:
                    seed_globals(int(keys[number]))
                row = block.row(number)
                holds.append(self._holds([row[c] for c in chosen], epoch, seen))
                seen += 1
            numbers = [n for n, good in enumerate(holds) if good]
            kept += len(numbers)
            if kept > start and numbers:
                yield block.pick(numbers[-(kept - start) :])

    def _holds(self, values: list[Any], epoch: int, number: int) -> bool:
        answer = call(self.predicate, values, f"filter: {named(self.predicate)}", epoch, number)
        try:
            return bool(np.asarray(answer))
        except ValueError as error:
            raise OpRuntimeError(
                f"filter: {named(self.predicate)} should give True or False for a row, but gave {answer!r}"
            ) from error


class FlatMap(Node):
    """For each row the rows of a dataset that a function makes of it."""

    indexed = False

    def __init__(self, child: Node, make: Callable[[list[Any], int, int], Node], columns: list[str]) -> None:
        self.children = (child,)
        self.make, self.columns = make, columns

    def stream(self, run: Run, epoch: int, start: int) -> Iterator[Block]:
        number = 0
        for block in run.stream(self.children[0], epoch):
            for row in _singly(iter([block])):
                made = self.make(row.row(0), epoch, number)
                number += 1
                inner = Run(made, run.key(self, epoch, number), run.shared_seed)
                inner.executor = run.executor.alone() if run.executor else None
                for part in inner.stream(made, 0):
                    if part.count <= start:
                        start -= part.count
                        continue
                    yield part.part(start, part.count) if start else part
                    start = 0
