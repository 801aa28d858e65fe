"""Which executor a run gets: this thread, threads for what is pure, processes for the program's functions."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from anfora.dataset import config, gate
from anfora.dataset.blocks import Block
from anfora.dataset.executor import Ahead, Executor, has_functions, piece
from anfora.dataset.node import Node, Run, descendants
from anfora.dataset.processes import Processes

if TYPE_CHECKING:
    from anfora.dataset.mapping import Map

__all__ = ["Threads", "executor_for", "workers_of"]


def workers_of(node: Node) -> int:
    """How many workers a tree asks for: the most that a part of it names; else what `config` was told, else one."""
    named = [part.workers for part in descendants(node) if part.workers is not None]
    most = max(named, default=1)
    return most if most > 1 else max(most, config.chosen_workers() or 1)


def executor_for(run: Run) -> Executor:
    workers = workers_of(run.root)
    if workers == 1 or config.get_debug_mode():
        return Executor()
    if not has_functions(run.root):
        return Threads(workers)
    if any(part.in_process and part.functions() for part in run.nodes):
        return Executor()
    return Processes(run, workers)


class Threads(Ahead):
    """Rows computed ahead by threads, for pipelines that are pure."""

    def __init__(self, workers: int) -> None:
        super().__init__(max(workers + 1, min(2 * workers, config.get_prefetch_size())), unasked=True)
        self.workers = workers
        self._pool: ThreadPoolExecutor | None = None

    def submit(self, job: tuple) -> Future[Block]:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.workers, "anfora-data")
        return self._pool.submit(gate.through, *job)

    def results(self, ticket: Future[Block]) -> Iterator[Block]:
        yield ticket.result()

    def give_up(self, ticket: Future[Block]) -> None:
        ticket.cancel()

    def jobs(self, run: Run, node: Node, epoch: int, start: int, chunk: int | None) -> Iterator[tuple]:
        size = node.size(run)
        assert size is not None
        step = chunk or piece(node, alone=False)
        for begin in range(start, size, step):
            yield node.rows, run, epoch, np.arange(begin, min(begin + step, size))

    def mapped(self, run: Run, node: Map, epoch: int, start: int, blocks: Iterator[Block]) -> Iterator[Block]:
        def calls() -> Iterator[tuple]:
            number = start
            for block in blocks:
                yield node.apply, run, epoch, np.arange(number, number + block.count), block
                number += block.count

        return self._in_order(calls(), deque())

    def alone(self) -> Executor:
        return Executor()

    def close(self) -> None:
        pool, self._pool, self._begun = self._pool, None, None
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)
