"""Who computes the rows of a run: this thread, several threads, or several processes.

All give the same rows in the same order; see `node.py` on why. A pipeline whose functions are all pure may run in threads,
which help where the work is done outside of Python (decoding, resizing). One with functions of the program runs in this
thread, or in processes if the program asks for several workers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from anfora.dataset.blocks import Block
from anfora.dataset.gathering import Batch, Buckets
from anfora.dataset.node import Node, Run, descendants

if TYPE_CHECKING:
    from anfora.dataset.mapping import Map

__all__ = ["Executor", "has_functions", "piece"]

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
