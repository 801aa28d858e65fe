"""Rows computed by processes, several at a time.

Workers are forked when the first row is asked for, so they have the program's functions, lambdas and closures as they are;
threads of this package are stopped before, so that none is in the middle of something. They get which rows to compute, or
rows of a stream to map, and answer in shared memory. Answers are given on in order, so the rows are those of one process.
Where there is a core more than workers, and no function of the program that has to run apart, this process computes rows
too, instead of waiting for an answer.

A worker that fails answers with its error; one that dies or does not answer in time leaves what it was at, its sample
and its stack, in memory that this side reads. Whatever ends an iterator ends its workers at once.
"""

from __future__ import annotations

import contextlib
import faulthandler
import mmap
import os
import pickle
import re
import select
import signal
import socket
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from anfora.core.errors import OpRuntimeError
from anfora.core.span import internal_files
from anfora.dataset import config, functions, gate
from anfora.dataset.blocks import Block, join, memory
from anfora.dataset.executor import Ahead, Executor, has_functions, piece
from anfora.dataset.gathering import Batch
from anfora.dataset.node import Node, Run
from anfora.dataset.shared import Incoming, Outgoing, receive, send

if TYPE_CHECKING:
    from anfora.dataset.mapping import Map

__all__ = ["Processes", "cores"]

_STACK_SIGNAL = signal.SIGUSR1


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Worker:
    """What this side knows of a worker."""

    def __init__(self, pid: int, channel: socket.socket, files: socket.socket, page: mmap.mmap, stack: int) -> None:
        self.pid, self.channel, self.files, self.page, self.stack = pid, channel, files, page, stack
        self.arrays = Incoming(files)
        self.jobs: deque[int] = deque()
        self.since = time.monotonic()
        self.holds_rows = False  # it was sent rows, which it may not have read yet

    def at(self) -> tuple[int, int]:
        """The epoch and sample that its function was last called for."""
        epoch, sample = np.frombuffer(self.page, np.int64, 2).tolist()
        return epoch, sample

    def told(self) -> str:
        """Its stack, as it wrote it."""
        lines = []
        for line in os.pread(self.stack, 1 << 16, 0).decode(errors="replace").splitlines():
            frame = re.match(r'  File "(.*)", line \d+ in ', line)
            if frame is not None and internal_files[frame[1]]:
                break  # from here on it is this package that calls, and the iterator that forked
            lines.append(line)
        return "\n".join(lines)

    def close(self) -> None:
        self.channel.close()
        self.files.close()
        os.close(self.stack)


class Processes(Ahead):
    """Rows computed by forked workers.

    Args:
        run: what they work for.
        workers: how many.
        unasked: whether they may begin an epoch that it is not sure anybody asks for.
        helps: whether this process may compute rows while it waits.
    """

    def __init__(self, run: Run, workers: int, unasked: bool = False, helps: bool = False) -> None:
        self.helps = helps and workers < cores()
        super().__init__(max(workers + 1, min(2 * workers, config.get_prefetch_size())) + 2 * self.helps, unasked)
        self.run, self.count = run, workers
        self._owner = os.getpid()
        self._workers: list[_Worker] = []
        self._queue: deque[tuple[int, tuple]] = deque()  # jobs that no worker has yet
        self._done: dict[int, Any] = {}
        self._given_up: set[int] = set()
        self._jobs = 0

    def alone(self) -> Executor:
        return Executor()

    # --- jobs -----------------------------------------------------------------------------------------------------

    def jobs(self, run: Run, node: Node, epoch: int, start: int, chunk: int | None) -> Iterator[tuple]:
        size = node.size(run)
        assert size is not None
        step = chunk or min(piece(node, alone=False), max(1, -(-(size - start) // (4 * self.count))))
        number = run.numbers[id(node)]
        for begin in range(start, size, step):
            yield "rows", number, epoch, begin, min(begin + step, size)

    def mapped(self, run: Run, node: Map, epoch: int, start: int, blocks: Iterator[Block]) -> Iterator[Block]:
        def jobs() -> Iterator[tuple]:
            at = start
            for block in blocks:
                yield "map", run.numbers[id(node)], epoch, at, (block.columns, block.count)
                at += block.count

        return self._in_order(jobs(), deque())

    def submit(self, job: tuple) -> int:
        self._jobs += 1
        self._queue.append((self._jobs, job))
        return self._jobs

    def results(self, ticket: int) -> Iterator[Block]:
        block, error = self._answer(ticket)
        if block is not None:
            yield block
        if error is not None:
            raise error

    def give_up(self, ticket: int) -> None:
        if self._done.pop(ticket, None) is None:
            self._given_up.add(ticket)

    def _answer(self, number: int) -> tuple[Block | None, BaseException | None]:
        if not self._workers:
            self._start()
        while number not in self._done:
            self._hand_out()
            if not self.helps or not self._queue:
                self._listen()
            elif not self._listen(0.0):
                number_of_job, job = self._queue.popleft()
                if number_of_job in self._given_up:
                    self._given_up.discard(number_of_job)
                else:
                    self._done[number_of_job] = _done(self.run, *job)
        self._hand_out()
        return self._done.pop(number)

    def _hand_out(self) -> None:
        """Give jobs to workers: two each, so that none waits; rows of a stream only to one that reads, or both sides might
        wait for the other to take what it sends."""
        for depth in (0, 1):
            for worker in self._workers:
                if not self._queue:
                    return
                sends_rows = self._queue[0][1][0] == "map"
                if len(worker.jobs) != depth or (depth and (sends_rows or worker.holds_rows)):
                    continue
                number, job = self._queue.popleft()
                if number in self._given_up:
                    self._given_up.discard(number)
                    continue
                if not worker.jobs:
                    worker.since = time.monotonic()
                worker.jobs.append(number)
                worker.holds_rows = sends_rows
                try:
                    send(worker.channel, (job, worker.arrays.take_freed()))
                except OSError:
                    raise self._death(worker) from None

    def _listen(self, seconds: float = 0.2) -> bool:
        """Take answers; wait for one so long if there is none. Gives whether there was one."""
        limit = config.get_multiprocessing_timeout_interval()
        busy = [worker for worker in self._workers if worker.jobs]
        now = time.monotonic()
        left = min(worker.since + limit - now for worker in busy)
        poller = select.poll()
        by_file = {}
        for worker in self._workers:
            poller.register(worker.channel, select.POLLIN)
            by_file[worker.channel.fileno()] = worker
        # Not longer: Python sees a signal that comes just before it begins to wait only when it has waited.
        ready = poller.poll(min(max(0.0, left), seconds) * 1000)
        for file, _ in ready:
            self._take(by_file[file])
        if not ready:
            for worker in busy:
                if time.monotonic() >= worker.since + limit:
                    raise self._hang(worker, limit)
        return bool(ready)

    def _take(self, worker: _Worker) -> None:
        try:
            packed, slot, count, error = receive(worker.channel)
        except EOFError:
            raise self._death(worker) from None
        number = worker.jobs.popleft()
        worker.since = time.monotonic()
        worker.holds_rows = False
        block = None if packed is None else Block(worker.arrays.unpack(packed, slot), count)
        if number in self._given_up:
            self._given_up.discard(number)
        else:
            self._done[number] = block, None if error is None else pickle.loads(error)

    # --- ends -----------------------------------------------------------------------------------------------------

    def _death(self, worker: _Worker) -> OpRuntimeError:
        status = os.waitstatus_to_exitcode(os.waitpid(worker.pid, 0)[1])
        how = f"by signal {signal.Signals(-status).name}" if status < 0 else f"with exit code {status}"
        hint = "the system may have been short of memory" if status == -signal.SIGKILL else None
        return self._lost(worker, f"A worker process ended {how}", hint, dead=worker.pid)

    def _hang(self, worker: _Worker, limit: int) -> OpRuntimeError:
        os.kill(worker.pid, _STACK_SIGNAL)
        for _ in range(50):
            time.sleep(0.01)
            if os.fstat(worker.stack).st_size:
                time.sleep(0.01)
                break
        what = f"A worker process has not answered for {limit} seconds"
        hint = "dataset.config.set_multiprocessing_timeout_interval sets how long a piece of work may take."
        return self._lost(worker, what, hint)

    def _lost(self, worker: _Worker, what: str, hint: str | None, dead: int = 0) -> OpRuntimeError:
        epoch, sample = worker.at()
        where = f" at sample {sample} of epoch {epoch}" if sample >= 0 else ""
        told = worker.told()
        if worker.pid == dead:
            self._workers.remove(worker)
            worker.close()
        self.close()
        return functions.SampleError(f"{what}{where}" + (f"\n{told}" if told else ""), help=hint)

    def close(self) -> None:
        if os.getpid() != self._owner:
            return  # a forked copy
        workers, self._workers = self._workers, []
        for worker in workers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker.pid, signal.SIGKILL)
        for worker in workers:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(worker.pid, 0)
            worker.close()
        self._queue.clear()
        self._done.clear()
        self._given_up.clear()
        self._begun = None

    # --- workers --------------------------------------------------------------------------------------------------

    def _start(self) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        with gate.closed(), _no_threads():
            for _ in range(self.count):
                self._fork()

    def _fork(self) -> None:
        ours, theirs = socket.socketpair()
        files, their_files = socket.socketpair()
        page = mmap.mmap(-1, mmap.PAGESIZE)
        np.frombuffer(page, np.int64)[:2] = -1
        stack = os.memfd_create("anfora-stack")
        parent = os.getpid()
        with warnings.catch_warnings():
            # Of threads of the program nothing is known; those of this package are stopped, and numpy stops its own.
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
        if pid == 0:
            status = 1
            try:
                ours.close()
                files.close()
                for other in self._workers:
                    other.channel.close()
                    other.files.close()
                _work(self.run, theirs, their_files, page, stack, parent)
                status = 0
            finally:
                os._exit(status)
        theirs.close()
        their_files.close()
        self._workers.append(_Worker(pid, ours, files, page, stack))


@contextlib.contextmanager
def _no_threads() -> Iterator[None]:
    """No threads of the kernels while workers are forked, of which the workers would only have the memory."""
    kernels = sys.modules.get("anfora.kernel.executor")
    if kernels is None:
        yield
    else:
        with kernels.quiet():
            yield


def _dies_with(parent: int) -> None:
    """Ask the system to end this process when the one that forked it is gone."""
    if sys.platform == "linux" and threading.current_thread() is threading.main_thread():
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG; it goes by the thread that forked
        if os.getppid() != parent:
            os._exit(1)


def _work(run: Run, channel: socket.socket, files: socket.socket, page: mmap.mmap, stack: int, parent: int) -> None:
    """A worker's life."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who iterates gets it, and ends the workers
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.set_wakeup_fd(-1)
    _dies_with(parent)
    faulthandler.enable(file=stack, all_threads=False)
    faulthandler.register(_STACK_SIGNAL, file=stack, all_threads=False)
    functions.progress.page = np.frombuffer(page, np.int64)
    os.environ["ANFORA_NUM_THREADS"] = "1"  # the workers are as many as the program wants
    kernels = sys.modules.get("anfora.kernel.executor")
    if kernels is not None:
        kernels.set_num_threads(1)
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)  # it would wait for threads that are not in this process
    run.executor = Executor()
    outgoing = Outgoing(files)
    sends: Node | None = None
    if has_functions(run.root):  # what it sends is what the last node gives after which there are none
        sends = run.root
        while not isinstance(sends, Batch) and len(sends.children) == 1 and not sends.functions():
            [sends] = sends.children
    memory.send(outgoing.room, sends)
    while True:
        try:
            job, freed = receive(channel)
        except EOFError:
            return
        outgoing.freed(freed)
        outgoing.begin()
        try:
            block, error = _done(run, *job)
        except BaseException as left:  # of the program's function: it is told where the rows are asked for
            block, error = None, functions.failed("a worker process", *functions.progress.at(), left)
        packed, slot, count = None, None, 0
        if block is not None:
            packed, slot = outgoing.pack(block.columns)
            count = block.count
        try:
            send(channel, (packed, slot, count, None if error is None else _pickled(error)))
        except OSError:
            return
        sys.stdout.flush()
        sys.stderr.flush()


def _done(
    run: Run, kind: str, number: int, epoch: int, start: int, rest: Any
) -> tuple[Block | None, BaseException | None]:
    """The rows of a job, up to one that failed, and its error."""
    node = run.nodes[number]
    made: list[Block] = []
    try:
        if kind == "map":
            columns, count = rest
            made.append(node.apply(run, epoch, np.arange(start, start + count), Block(columns, count)))  # type: ignore[attr-defined]
        else:
            for position in range(start, rest):
                made.append(node.rows(run, epoch, np.array([position])))
    except Exception as error:
        return join(made) if made else None, error
    return join(made), None


def _pickled(error: BaseException) -> bytes:
    try:
        data = pickle.dumps(error)
        pickle.loads(data)
    except Exception:
        return pickle.dumps(OpRuntimeError(f"{type(error).__name__}: {error}"))
    return data
