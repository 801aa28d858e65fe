"""Which executor a run gets: this thread, threads for the program's functions that are marked pure, processes otherwise."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterator
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

__all__ = ["Spared", "Threads", "executor_for", "workers_of"]


def workers_of(node: Node) -> int:
    """How many workers a tree asks for: the most that a part of it names; else what `config` was told, else none. A source
    that names one asks for none: that is what some say by default."""
    named = [
        part.workers for part in descendants(node) if part.workers is not None and (part.children or part.workers > 1)
    ]
    most = max(named, default=0)
    return most if most > 1 else max(most, config.chosen_workers() or 0)


def executor_for(run: Run) -> Executor:
    workers = workers_of(run.root)
    if not workers or config.get_debug_mode() or any(part.in_order for part in run.nodes):
        return Executor()
    if workers == 1 and (has_functions(run.root) or any(part.marked_pure() for part in run.nodes)):
        return Executor()
    if any(part.in_process for part in run.nodes):
        return Executor() if has_functions(run.root) else Threads(workers)
    if has_functions(run.root):
        return Processes(run, workers)
    if not hasattr(os, "fork") or any(part.marked_pure() for part in run.nodes):
        return Threads(workers)
    return Spared(run, workers)


class Spared(Executor):
    """Rows of transforms of this package: by this thread, until it has done work that would have paid for starting
    workers, and by processes from then on: as many as were asked for, one too, which works beside the program then.

    So a pipeline that is cheap, or of which few rows are asked for, starts none. Threads would hinder each other: what
    such transforms do outside of Python takes a tenth of a millisecond, and then all of them want to go on.
    """

    _TO_START = 0.02  #: seconds, for each worker
    #: Seconds that a piece of work takes on its way, and each byte of its rows. Batches of MNIST take 0.3 ms; computed by
    #: workers beside a training, which needs the cores itself, they would make it slower.
    _TO_SEND, _TO_SEND_BYTE = 5e-4, 1e-9

    def __init__(self, run: Run, workers: int) -> None:
        self._run, self._workers = run, workers
        self._processes: Processes | None = None
        self._gain = 0.0
        self._pieces = 0

    def _measured(self, work: Callable[[], Block], sent: int = 0) -> Block:
        began = time.perf_counter()
        block = work()
        seconds = time.perf_counter() - began
        self._pieces += 1
        if self._pieces > 1:  # the first one has libraries to load
            self._gain += max(0.0, seconds - self._TO_SEND - sent * self._TO_SEND_BYTE)
        return block

    def _started(self) -> Processes | None:
        if self._processes is None and self._gain > self._TO_START * self._workers:
            self._processes = Processes(self._run, self._workers, unasked=True, helps=True)
        return self._processes

    def indexed(self, run: Run, node: Node, epoch: int, start: int, chunk: int | None = None) -> Iterator[Block]:
        size = node.size(run)
        assert size is not None
        step = chunk or piece(node, alone=True)
        while (processes := self._started()) is None:
            if start >= size:
                return
            positions = np.arange(start, min(start + step, size))
            yield self._measured(lambda positions=positions: node.rows(run, epoch, positions))  # type: ignore[misc]
            start += step
        yield from processes.indexed(run, node, epoch, start, chunk)

    def mapped(self, run: Run, node: Map, epoch: int, start: int, blocks: Iterator[Block]) -> Iterator[Block]:
        while (processes := self._started()) is None:
            block = next(blocks, None)
            if block is None:
                return
            samples = np.arange(start, start + block.count)
            sent = sum(array.nbytes for column in block.columns for array in column if isinstance(array, np.ndarray))
            yield self._measured(lambda b=block, s=samples: node.apply(run, epoch, s, b), sent)  # type: ignore[misc]
            start += block.count
        yield from processes.mapped(run, node, epoch, start, blocks)

    def alone(self) -> Executor:
        return Executor()

    def close(self) -> None:
        if self._processes is not None:
            self._processes.close()


class Threads(Ahead):
    """Rows computed ahead by threads, for functions that are marked pure: they may share what they have in memory."""

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
