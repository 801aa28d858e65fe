"""Who computes the rows of a run: this thread, several threads, or several processes.

All give the same rows in the same order; see `node.py` on why. Functions of the program run in this thread, or in
processes if the program asks for several workers; in threads if they are marked pure. Transforms of this package run in
this thread, or in processes where workers are asked for, be it one, and it pays.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from anfora.dataset.blocks import Block
from anfora.dataset.gathering import Batch, Buckets
from anfora.dataset.node import Node, Run, descendants

if TYPE_CHECKING:
    from anfora.dataset.mapping import Map

__all__ = ["Ahead", "Executor", "has_functions", "piece"]

#: How many rows are computed in one go where nobody waits for each of them.
_ROWS = 32


def has_functions(node: Node) -> bool:
    """Whether a tree has functions of the program that are not marked pure."""
    return any(part.functions() for part in descendants(node))


def piece(node: Node, alone: bool) -> int:
    """How many rows of an indexed node are computed in one go.

    A program's functions run row by row, as rows are asked for.
    """
    if any(isinstance(part, (Batch, Buckets)) for part in descendants(node)) or (alone and has_functions(node)):
        return 1
    return _ROWS


class Executor:
    """Rows computed by this thread when they are asked for."""

    def indexed(self, run: Run, node: Node, epoch: int, start: int, chunk: int | None = None) -> Iterator[Block]:
        """The rows of an indexed node from row `start` on."""
        size = node.size(run)
        assert size is not None
        step = chunk or piece(node, alone=True)
        for begin in range(start, size, step):
            yield node.rows(run, epoch, np.arange(begin, min(begin + step, size)))

    def mapped(self, run: Run, node: Map, epoch: int, start: int, blocks: Iterator[Block]) -> Iterator[Block]:
        """What a `map` makes of the rows of a stream, the first of which has number `start`."""
        for block in blocks:
            yield node.apply(run, epoch, np.arange(start, start + block.count), block)
            start += block.count

    def alone(self) -> Executor:
        """One that works in this thread."""
        return self

    def close(self) -> None:
        """End what works for it."""


class Ahead(Executor):
    """Base of executors that have several pieces of work done ahead, at the end of an epoch those of the next one too.

    Args:
        ahead: how many.
        unasked: whether work may be done that it is not sure anybody asks for.
    """

    def __init__(self, ahead: int, unasked: bool) -> None:
        self.ahead, self.unasked = ahead, unasked
        self._begun: tuple[Any, Iterator[tuple], deque[Any]] | None = None

    def jobs(self, run: Run, node: Node, epoch: int, start: int, chunk: int | None) -> Iterator[tuple]:
        """The pieces of work that the rows of an indexed node are made of."""
        raise NotImplementedError

    def submit(self, job: tuple) -> Any:
        """Have a piece of work done; gives what `results` and `give_up` take."""
        raise NotImplementedError

    def results(self, ticket: Any) -> Iterator[Block]:
        """The rows of a piece of work, when they are there."""
        raise NotImplementedError

    def give_up(self, ticket: Any) -> None:
        """Nobody waits for a piece of work any more."""
        raise NotImplementedError

    def indexed(self, run: Run, node: Node, epoch: int, start: int, chunk: int | None = None) -> Iterator[Block]:
        begun, self._begun = self._begun, None
        if begun is not None and begun[0] == (node, epoch, start):
            jobs, waiting = begun[1:]
        else:
            jobs, waiting = self.jobs(run, node, epoch, start, chunk), deque()
        goes_on = self.unasked if run.last is None else epoch + 1 < run.last
        following = self.jobs(run, node, epoch + 1, 0, chunk) if goes_on and node is run.root else None
        return self._in_order(jobs, waiting, following, (node, epoch + 1, 0))

    def _in_order(
        self, jobs: Iterator[tuple], waiting: deque[Any], following: Iterator[tuple] | None = None, place: Any = None
    ) -> Iterator[Block]:
        later: deque[Any] = deque()  # of the next epoch
        more = True
        try:
            while True:
                while more and len(waiting) + len(later) < self.ahead:
                    job = next(jobs, None) if not later else None
                    if job is not None:
                        waiting.append(self.submit(job))
                        continue
                    job = next(following, None) if following is not None else None
                    if job is None:
                        more = False
                    else:
                        later.append(self.submit(job))
                if not waiting:
                    break
                yield from self.results(waiting.popleft())
            if following is not None:
                self._begun = place, following, later
                later = deque()
        finally:
            for ticket in (*waiting, *later):
                self.give_up(ticket)
