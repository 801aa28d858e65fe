"""Run plans natively, on one thread or several.

A `Program` is a plan as a block of words that the native loop walks:

    steps | arguments | workspaces | scratch bytes | most words of a step | is shared | arena
    | sizes of the workspaces …
    and for each step: kernel | units | grain | chunks | words | relocations | tag | words of the step …
                       | (which word, which buffer) …

`run(program, data)` takes the addresses of the arguments (inputs, outputs); the workspaces are taken from malloc for the
time of the call, before the first step. The result is 0; or the smallest failure code of the first step that failed, plus
the step's tag; or `NO_MEMORY`, and nothing has been done.

The program of a single operator has neither tags nor an arena. One that graph mode joins from many (`joined`) tags each
step with the row it belongs to, and keeps what lies between them in an arena: an argument whose address is rounded up to
a cache line; the word `arena` is 1 + its number, or 0. The caller owns it, and so can still look at the operands of a row
that failed.

**Threads.** All threads walk the steps of the same program. A step of one chunk is the caller's. In the others thread t
takes the chunks of its own share, which are the ones it is likely to have in its cache, then helps with those of the
others; an atomic counter a share says which chunks are taken, another when the step is done. Nobody waits for a thread
that has not arrived: a worker that sleeps, or that the system has put aside, costs its help and no more. Workers spin
for some tens of microseconds after a job, then sleep. There is one pool; a call that finds it busy runs on its own
thread, to the same bits. How many share a job is written down with the job, so the number may be changed at any time. The
threads are the system's, without a part in Python; one that finds no memory for its scratch leaves the job to the others.

**Traces.** While somebody measures (`Trace`), each thread notes when it began and ended its part of a step. A program knows
what its steps compute (`computes`). Otherwise a step costs one comparison more.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import functools
import os
import sys
import threading
import time
import warnings
import weakref
from array import array
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from anfora.core.errors import AnforaWarning, OpRuntimeError, OpTypeError, OpValueError
from anfora.core.own_builtins import undisturbed
from anfora.kernel.build import Recipe
from anfora.kernel.emit import I32, I64, PTR, Function, Module, Value
from anfora.kernel.heap import keep_freed_memory
from anfora.kernel.plan import Buffer, Plan, Step

__all__ = [
    "ENTRIES", "LINE", "NO_MEMORY", "OUT_OF_MEMORY", "TAG", "Part", "Program", "Ran", "Trace", "get_num_threads",
    "joined_words", "native", "run", "run_at", "set_num_threads",
]  # fmt: skip

# -- programs --------------------------------------------------------------------------------------------------------

_HEAD = 7
_STEP_HEAD = 7
SCRATCH = 3  #: which word says how many bytes each thread needs
TAG = 40  #: a failure code is (tag << TAG) + 1 + the position of bad data
NO_MEMORY = -2  #: the code of a program that found no memory for what it needs beside its arguments
OUT_OF_MEMORY = "there is no memory for the workspaces of the operators that are to run"
LINE = 64  #: bytes of a cache line, to which arenas and workspaces are aligned


class Program:
    """A plan in the form that the native loop reads. Immutable; keep it alive while it may run."""

    __slots__ = ("address", "plan", "computes", "_words", "__weakref__")

    plan: Plan | None  #: None if it was joined from several
    #: So many steps, and what they compute together: an operator, or `Part.computes`.
    computes: tuple[tuple[int, Any], ...]

    def __init__(self, plan: Plan, order: Sequence[int] | None = None, computes: Any = None) -> None:
        """`order` says which argument of the caller is buffer i of the plan, for the first buffers."""
        self.plan = plan
        self.computes = ((len(plan.steps), computes),)
        order = (*(order or ()), *range(len(order or ()), len(plan.inputs) + len(plan.outputs) + len(plan.workspaces)))
        words = _head(plan.steps, len(plan.inputs) + len(plan.outputs), plan.workspaces, -1)
        for step in plan.steps:
            _add_step(words, step, [(index, 0) for index in order], 0)
        self._keep(words)

    @classmethod
    def joined(cls, parts: Sequence[Part], arguments: int, arena: int) -> Program:
        """The steps of many plans, one after the other, on so many arguments; `arena` is the number of one, or -1."""
        self = object.__new__(cls)
        self.plan = None
        self.computes = tuple((len(part.plan.steps), part.computes) for part in parts)
        self._keep(joined_words(parts, arguments, arena))
        return self

    @property
    def is_shared(self) -> bool:
        """Whether some step of it is worth several threads."""
        return bool(self._words[5])

    def _keep(self, words: list[int]) -> None:
        self._words = array("q", words)
        self.address = self._words.buffer_info()[0]
        _programs[self.address] = self
        if _trace is not None:
            _trace.programs.append(self)

    def steps(self) -> list[tuple[int, int]]:
        """Of each step, the address of its kernel and its chunks."""
        words = self._words
        found, at = [], _HEAD + words[2]
        for _ in range(words[0]):
            found.append((words[at], words[at + 3]))
            at += _STEP_HEAD + words[at + 4] + 2 * words[at + 5]
        return found


#: Programs that may run, by address.
_programs: weakref.WeakValueDictionary[int, Program] = weakref.WeakValueDictionary()


class Part(NamedTuple):
    """A plan within a joined program."""

    plan: Plan
    places: Sequence[tuple[int, int]]  #: for each of its buffers an argument and an offset in it, or -1 and an address
    tag: int
    computes: Any = None  #: for who measures: the rows of graph mode that the plan stands for


def joined_words(parts: Sequence[Part], arguments: int, arena: int) -> list[int]:
    """The words of a program that is joined from many plans; see `Program.joined`."""
    words = _head([step for part in parts for step in part.plan.steps], arguments, (), arena)
    for part in parts:
        for step in part.plan.steps:
            _add_step(words, step, part.places, part.tag << TAG)
    return words


def _head(steps: Sequence[Step], arguments: int, workspaces: Sequence[int], arena: int) -> list[int]:
    return [
        len(steps),
        arguments,
        len(workspaces),
        max((step.scratch for step in steps), default=0),
        max((len(step.words) for step in steps), default=0) + 3,
        int(any(step.units > step.grain for step in steps)),
        arena + 1,
        *workspaces,
    ]


def _add_step(words: list[int], step: Step, places: Sequence[tuple[int, int]], tag: int) -> None:
    """Append the words of a step whose buffers lie at `places`."""
    plain: list[int] = []
    relocations: list[int] = []
    for number, word in enumerate(step.words, 3):
        if isinstance(word, Buffer):
            argument, offset = places[word.index]
            if argument >= 0:
                relocations += (number, argument)
            word = word.offset + offset
        plain.append(word)
    words += (step.kernel, step.units, step.grain, step.chunks, len(plain), len(relocations) // 2, tag)
    words += plain
    words += relocations


def run(program: Program, addresses: Sequence[int]) -> int:
    """Run on the buffers at `addresses`; releases the interpreter lock."""
    return run_at(program.address, addresses)


def run_at(program: int, addresses: Sequence[int]) -> int:
    """Run the program at an address, which somebody keeps alive.

    Raises:
        MemoryError: there is no memory for its workspaces.
    """
    data = array("q", addresses)
    code = _entry()(program, data.buffer_info()[0])
    if code == NO_MEMORY:
        raise MemoryError(OUT_OF_MEMORY)
    return code


# -- the pool's memory: one cache line for each kind of traffic ------------------------------------------------------

GENERATION = 0  # i32, counts jobs; workers wait for it to change
_SLEEPERS = 64  # workers in the kernel's hands
BUSY = 128  # 1 while a caller owns the pool
_OPEN = 192  # the generation whose job may be joined, else 0
_INSIDE = 256  # workers that may be reading the job
STOP = 320
THREADS = 384  # how many threads share the next job
_JOB_PROGRAM, _JOB_DATA, _JOB_COUNTERS, _JOB_FAILURE, _JOB_THREADS = 448, 456, 464, 472, 480
ALIVE = 512  # workers that have not ended
_TRACE = 576  # the address of a trace, or 0
POOL_BYTES = 640

_WAIT, WAKE = 128, 129  # FUTEX_WAIT_PRIVATE, FUTEX_WAKE_PRIVATE
_SPINS = 2000  #: pauses before a thread that waits inside a job yields
_IDLE_SPINS = 1000  #: pauses (about 50 µs) before an idle worker sleeps
_NO_FAILURE = -1  # as unsigned, larger than any code


def _write(linux: bool) -> Module:
    module = Module()
    _write_step(module)
    _write_serial(module)
    _write_participate(module)
    _write_shared(module)
    _write_worker(module, linux)
    return module


def _fields(fn: Function, pointer: Value, *names: int) -> list[Value]:
    return [fn.load(pointer, I64, index) for index in names]


def _write_step(module: Module) -> None:
    """chunk(step, data, words, scratch, lo, hi) -> code: fill in the words of a step and call its kernel."""
    fn = Function("chunk", [("ptr", n) for n in ("step", "data", "words", "scratch")] + [("i64", "lo"), ("i64", "hi")],
                  module=module, linkage="internal")  # fmt: skip
    step, data, words, scratch, lo, hi = fn.args
    kernel, count, places, tag = _fields(fn, step, 0, 4, 5, 6)
    fn.store(lo, words, 0)
    fn.store(hi, words, 1)
    fn.store(scratch.address(), words, 2)
    plain = step + 8 * _STEP_HEAD
    with fn.loop(0, count) as i:
        fn.store(fn.load(plain, I64, i), words, i + 3)
    table = plain + count * 8
    with fn.loop(0, places) as i:
        where, buffer = fn.load(table, I64, i * 2), fn.load(table, I64, i * 2 + 1)
        fn.store(fn.load(words, I64, where) + fn.load(data, I64, buffer), words, where)
    code = fn.call_pointer(I64, kernel.pointer(), words)
    fn.ret(fn.select(code == 0, code, code + tag))


def _next_step(fn: Function, step: Value) -> Value:
    count, places = _fields(fn, step, 4, 5)
    return step + (count + places * 2 + _STEP_HEAD) * 8


def _take(fn: Function, nbytes: Value) -> tuple[Value, Value, Value]:
    """Memory aligned to a cache line, from malloc: what to free, where it starts, and whether there was none. Null where
    nothing is needed."""
    block = fn.var(fn.const(0, PTR))
    with fn.when(nbytes > 0):
        block.set(fn.call(PTR, "malloc", nbytes + 64))
    start = ((block.value.address() + 63) & -64).pointer()
    return block.value, start, (nbytes > 0) & (block.value.address() == 0)


def _free(fn: Function, *blocks: Value) -> None:
    for block in blocks:
        fn.call(None, "free", block)


def _with_workspaces(fn: Function, program: Value, arguments: Value) -> tuple[Value, Value, Value]:
    """The addresses of all buffers, workspaces at the end: what to free, the table, and whether there was no memory."""
    count, spaces = _fields(fn, program, 1, 2)
    data = fn.array(count + spaces)
    with fn.loop(0, count) as i:
        fn.store(fn.load(arguments, I64, i), data, i)
    arena = fn.load(program, I64, 6)
    with fn.when(arena != 0):
        fn.store((fn.load(data, I64, arena - 1) + (LINE - 1)) & -LINE, data, arena - 1)
    total = fn.var(0)
    with fn.loop(0, spaces) as i:
        total.add((fn.load(program, I64, i + _HEAD) + 63) & -64)
    block, start, is_missing = _take(fn, total.value)
    at = fn.var(start.address())
    with fn.loop(0, spaces) as i:
        fn.store(at.value, data, count + i)
        at.add((fn.load(program, I64, i + _HEAD) + 63) & -64)
    return block, data, is_missing


def _first_step(fn: Function, program: Value) -> Value:
    return program + (fn.load(program, I64, 2) + _HEAD) * 8


_TRACE_HEAD = 2  # words of a trace: how many steps were noted, how many have room; then the steps
_TRACE_STEP = 6  # program | step | job | thread | began | ended


def _now(fn: Function, is_traced: Value, room: Value) -> Value:
    """The monotonic clock in nanoseconds where somebody measures, else 0; `room` is for what the clock says."""
    now = fn.var(0)
    with fn.when(is_traced):
        fn.call(I32, "clock_gettime", fn.const(time.CLOCK_MONOTONIC, I32), room)
        now.set(fn.load(room, I64, 0) * 1_000_000_000 + fn.load(room, I64, 1))
    return now.value


def _note(fn: Function, trace: Value, program: Value, index: Value, job: Value, began: Value, room: Value) -> None:
    """Write down a step that this thread has done, if there is a trace with room."""
    with fn.when(trace != 0):
        number = fn.atomic_add(trace.pointer(), 1)
        with fn.when(number < fn.load(trace.pointer(), I64, 1)):
            at = (trace + (number * _TRACE_STEP + _TRACE_HEAD) * 8).pointer()
            thread = fn.call(I64, "pthread_self")
            for i, word in enumerate((program.address(), index, job, thread, began, _now(fn, trace != 0, room))):
                fn.store(word, at, i)


def _write_serial(module: Module) -> None:
    """serial(program, data) -> code: every step whole, on this thread."""
    fn = Function("serial", [("ptr", "program"), ("ptr", "arguments")], module=module)
    program, arguments = fn.args
    steps, scratch_bytes, most = _fields(fn, program, 0, 3, 4)
    block, data, is_missing = _with_workspaces(fn, program, arguments)
    scratch_block, scratch, is_missing_too = _take(fn, scratch_bytes)
    with fn.when(is_missing | is_missing_too):
        _free(fn, scratch_block, block)
        fn.ret(NO_MEMORY)
    words = fn.array(most)
    step = fn.var(_first_step(fn, program))
    code = fn.var(0)
    index = fn.var(0)
    trace, room = fn.load(fn.symbol("anfora_pool") + _TRACE, I64), fn.buffer(16)
    with fn.forever() as exit:
        exit.when(index.value >= steps)
        here = step.value
        units = fn.load(here, I64, 1)
        began = _now(fn, trace != 0, room)
        code.set(fn.call(I64, "chunk", here, data, words, scratch, fn.const(0), units))
        _note(fn, trace, program, index.value, fn.const(0), began, room)
        exit.when(code.value != 0)
        step.set(_next_step(fn, here))
        index.add(1)
    _free(fn, scratch_block, block)
    fn.ret(code.value)


def _write_participate(module: Module) -> None:
    """participate(pool, thread, scratch): walk the steps of the open job as thread number `thread`.

    A step of one chunk is the caller's: the others go on to the next that is shared, and wait there until he has come so
    far, or has failed.
    """
    fn = Function("participate", [("ptr", "pool"), ("i64", "thread"), ("ptr", "scratch")], "void", module=module,
                  linkage="internal")  # fmt: skip
    pool, thread, scratch = fn.args
    threads = fn.load(pool + _JOB_THREADS, I64)
    program, data, counters = (fn.load(pool + at, PTR) for at in (_JOB_PROGRAM, _JOB_DATA, _JOB_COUNTERS))
    steps, most = _fields(fn, program, 0, 4)
    words = fn.array(most)
    step = fn.var(_first_step(fn, program))
    line = _counter_bytes(threads)
    index = fn.var(0)
    awaited = fn.var(0)  # the counter of the caller's last step before this one, or 0
    trace, job, room = fn.load(pool + _TRACE, I64), fn.atomic_load(pool + _OPEN), fn.buffer(16)

    def has_failed() -> Value:
        return fn.atomic_load(pool + _JOB_FAILURE) != _NO_FAILURE

    def run(here: Value, lo: Value, hi: Value) -> None:
        code = fn.call(I64, "chunk", here, data, words, scratch, lo, hi)
        with fn.when(code != 0):
            fn.atomic_min(pool + _JOB_FAILURE, code)

    with fn.forever() as exit:
        exit.when(index.value >= steps)
        here = step.value
        units, grain, chunks = _fields(fn, here, 1, 2, 3)
        began = _now(fn, trace != 0, room)
        done = counters + index.value * line  # then one counter for each share
        with fn.when(chunks <= 1):
            with fn.when(thread == 0):
                run(here, fn.const(0), units)
                _note(fn, trace, program, index.value, job, began, room)
                fn.atomic_store(1, done)
            awaited.set(done.address())
        with fn.unless(chunks <= 1):
            with fn.when((thread != 0) & (awaited.value != 0)):
                _wait(fn, lambda: (fn.atomic_load(awaited.value.pointer()) != 0) | has_failed())
            awaited.set(0)
            exit.when(has_failed())
            ran = fn.var(0)
            with fn.loop(0, threads) as turn:
                share = (thread + turn) % threads
                first, end = share * chunks // threads, (share + 1) * chunks // threads
                taken = done + (share + 1) * 8
                with fn.forever() as no_more:
                    chunk = first + fn.atomic_add(taken, 1)
                    no_more.when(chunk >= end)
                    lo = chunk * grain
                    hi = lo + grain
                    run(here, lo, fn.select(hi > units, units, hi))
                    ran.add(1)
            with fn.when(ran.value > 0):
                _note(fn, trace, program, index.value, job, began, room)
                fn.atomic_add(done, ran.value)
            _wait(fn, lambda: fn.atomic_load(done) == chunks)
        exit.when(has_failed())
        step.set(_next_step(fn, here))
        index.add(1)
    fn.ret()


def _counter_bytes(threads: Value) -> Value:
    """Bytes of counters for a step: whole cache lines."""
    return ((threads + 1) * 8 + 63) & -64


def _wait(fn: Function, ready) -> None:
    """Spin until `ready()`, then let others run in between."""
    spins = fn.var(0)
    with fn.forever() as exit:
        exit.when(ready())
        fn.pause()
        spins.add(1)
        with fn.when(spins.value > _SPINS):
            fn.call(I32, "sched_yield")


def _write_shared(module: Module) -> None:
    """run(program, data) -> code: share the work if the program is worth it and the pool is free."""
    fn = Function("run", [("ptr", "program"), ("ptr", "arguments")], module=module)
    program, arguments = fn.args
    pool = fn.symbol("anfora_pool")
    threads = fn.load(pool + THREADS, I64)
    alone = fn.var((fn.load(program, I64, 5) == 0) | (threads < 2))
    with fn.unless(alone.value):
        alone.set(fn.atomic_swap(pool + BUSY, 1) != 0)
    with fn.when(alone.value):
        fn.ret(fn.call(I64, "serial", program, arguments))
    block, data, no_workspaces = _with_workspaces(fn, program, arguments)
    counter_bytes = _counter_bytes(threads) * fn.load(program, I64, 0)
    counter_block, counters, no_counters = _take(fn, counter_bytes)
    scratch_block, scratch, no_scratch = _take(fn, fn.load(program, I64, 3))
    with fn.when(no_workspaces | no_counters | no_scratch):  # before anybody has begun
        fn.atomic_store(0, pool + BUSY)
        _free(fn, scratch_block, counter_block, block)
        fn.ret(NO_MEMORY)
    fn.fill_bytes(counters, 0, counter_bytes)
    for at, value in (
        (_JOB_PROGRAM, program), (_JOB_DATA, data), (_JOB_COUNTERS, counters), (_JOB_THREADS, threads),
    ):  # fmt: skip
        fn.store(value, pool + at)
    fn.atomic_store(_NO_FAILURE, pool + _JOB_FAILURE)
    generation = fn.atomic_load(pool + GENERATION, I32) + 1
    generation = fn.select(generation == 0, fn.const(1, I32), generation)
    fn.atomic_store(generation.to("i64"), pool + _OPEN)
    fn.atomic_store(generation, pool + GENERATION, I32)
    with fn.when(fn.atomic_load(pool + _SLEEPERS) > 0):
        fn.call(None, "wake", pool)
    fn.call(None, "participate", pool, fn.const(0), scratch)
    fn.atomic_store(0, pool + _OPEN)
    _wait(fn, lambda: fn.atomic_load(pool + _INSIDE) == 0)
    failure = fn.atomic_load(pool + _JOB_FAILURE)
    fn.atomic_store(0, pool + BUSY)
    _free(fn, scratch_block, counter_block, block)
    fn.ret(fn.select(failure == _NO_FAILURE, 0, failure))


def _write_worker(module: Module, linux: bool) -> None:
    """worker(thread): wait for jobs and take part in them, until told to stop; and `wake(pool)`."""
    wake = Function("wake", [("ptr", "pool")], "void", module=module, linkage="internal")
    if linux:
        futex(wake, wake.args[0] + GENERATION, WAKE, wake.const(1 << 30))
    wake.ret()

    fn = Function("worker", [("i64", "thread")], "ptr", module=module)
    [thread] = fn.args
    pool = fn.symbol("anfora_pool")
    seen = fn.var(fn.const(0, I32))
    with fn.forever() as stopped:
        spins = fn.var(0)
        spins.set(0)
        with fn.forever() as job:
            job.when(fn.atomic_load(pool + GENERATION, I32) != seen.value)
            fn.pause()
            spins.add(1)
            with fn.when(spins.value > _IDLE_SPINS):
                fn.atomic_add(pool + _SLEEPERS, 1)
                if linux:
                    futex(fn, pool + GENERATION, _WAIT, seen.value.to("i64"))
                else:
                    fn.call(I32, "usleep", fn.const(100, I32))
                fn.atomic_add(pool + _SLEEPERS, -1)
        seen.set(fn.atomic_load(pool + GENERATION, I32))
        stopped.when(fn.atomic_load(pool + STOP) != 0)
        fn.atomic_add(pool + _INSIDE, 1)
        is_open = fn.atomic_load(pool + _OPEN) == seen.value.to("i64")
        with fn.when(is_open), fn.when(thread < fn.load(pool + _JOB_THREADS, I64)):
            scratch_block, scratch, is_missing = _take(fn, fn.load(fn.load(pool + _JOB_PROGRAM, PTR), I64, 3))
            with fn.unless(is_missing):
                fn.call(None, "participate", pool, thread, scratch)
            _free(fn, scratch_block)
        fn.atomic_add(pool + _INSIDE, -1)
    fn.atomic_add(pool + ALIVE, -1)
    fn.ret(fn.const(0, PTR))


def futex(fn: Function, address: Value, operation: int, value: Value) -> None:
    """Ask Linux to let this thread sleep until an address has another value, or to wake those that sleep there."""
    number = {"x86_64": 202, "aarch64": 98}[os.uname().machine]
    zero = fn.const(0)
    fn.call(I64, "syscall", fn.const(number), address, fn.const(operation), value, zero, zero, zero)


# -- the pool --------------------------------------------------------------------------------------------------------


class _Pool:
    """The memory that threads share, and the threads."""

    def __init__(self) -> None:
        self._block = ctypes.create_string_buffer(POOL_BYTES + 64)
        self.address = (ctypes.addressof(self._block) + 63) & ~63
        self._workers: list[int] = []  #: as the system names threads
        self._lock = threading.Lock()  # of who changes their number
        self._is_registered = False
        self._word(THREADS).value = 1

    def _word(self, at: int, kind: Any = ctypes.c_int64) -> Any:
        return kind.from_address(self.address + at)

    @property
    def threads(self) -> int:
        return self._word(THREADS).value

    def resize(self, threads: int) -> int:
        """Let `threads` threads, the caller included, share a job; how many there could be, if that is less."""
        worker = addresses()["worker"]
        with self._lock:
            self._register()
            while len(self._workers) + 1 < threads:
                thread = _start_thread(worker, len(self._workers) + 1)
                if thread is None:
                    return len(self._workers) + 1
                self._word(ALIVE).value += 1
                self._workers.append(thread)
            self._word(THREADS).value = threads
            return threads

    def _register(self) -> None:
        if not self._is_registered:
            self._is_registered = True
            atexit.register(self.stop)
            if hasattr(os, "register_at_fork"):
                os.register_at_fork(after_in_child=self.forget)

    def stop(self) -> None:
        """End the workers; the next `resize` starts new ones."""
        with self._lock:
            self._word(THREADS).value = 1
            self._word(STOP).value = 1
            while self._word(ALIVE).value > 0:
                self._word(GENERATION, ctypes.c_int32).value += 1
                _wake_sleepers(self.address)
                time.sleep(0.0002)
            for worker in self._workers:
                _threads().pthread_join(worker, None)
            self._workers.clear()
            self._word(STOP).value = 0

    def trace(self, address: int) -> None:
        """Let programs that begin from now on be noted there; 0: nowhere."""
        self._word(_TRACE).value = address

    def forget(self) -> None:
        """After a fork the child has the memory but not the threads."""
        threads = self.threads
        ctypes.memset(self.address, 0, POOL_BYTES)
        self._word(THREADS).value = 1
        self._workers, self._lock = [], threading.Lock()
        if threads > 1:
            possible = self.resize(threads)
            self._word(THREADS).value = possible


@functools.cache
def _threads() -> ctypes.CDLL:
    """The system's threads."""
    library = ctypes.CDLL(None)
    pointer = ctypes.c_void_p
    library.pthread_create.argtypes = [ctypes.POINTER(ctypes.c_ulong), pointer, pointer, pointer]
    library.pthread_join.argtypes = [ctypes.c_ulong, pointer]
    return library


def _start_thread(function: int, argument: int) -> int | None:
    """A new thread that runs the function at an address; None where the system makes no more."""
    thread = ctypes.c_ulong()
    return None if _threads().pthread_create(ctypes.byref(thread), None, function, argument) else thread.value


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """No worker threads of the pool as long as it holds: for who forks."""
    threads = _pool.threads
    _pool.stop()
    try:
        yield
    finally:
        if threads > 1:
            _pool.resize(threads)


@undisturbed
def _wake_sleepers(address: int) -> None:
    if sys.platform == "linux":
        number = {"x86_64": 202, "aarch64": 98}[os.uname().machine]
        ctypes.CDLL(None).syscall(number, ctypes.c_void_p(address + GENERATION), WAKE, 1 << 30, None, None, 0)


class Ran(NamedTuple):
    """A step of a program, or a thread's part of one."""

    computes: Any  #: see `Part.computes`
    kernel: int  #: the address of its code
    chunks: int  #: parts that threads can share
    job: int  #: what the parts of one step have in common; 0 for a step that one thread ran by itself
    thread: int  #: as `threading.get_ident()` gives it
    began: int  #: nanoseconds of `time.monotonic_ns()`
    ended: int


class Trace:
    """What this process runs from `start()` on until `stop()`, which gives it in the order in which the steps ended, and
    how many more there was no room for. One at a time."""

    MOST = 1 << 20  #: steps; memory is used as they come, 40 bytes each

    def __init__(self) -> None:
        self.programs: list[Program] = []  #: those that may run meanwhile stay: no address becomes another's

    def start(self) -> None:
        global _trace
        if _trace is not None:
            raise OpRuntimeError("somebody measures already: one profile at a time")
        ready_addresses()
        self.programs += _programs.values()
        _room_for_traces()[:_TRACE_HEAD] = 0, self.MOST
        _trace = self
        _pool.trace(_room_for_traces().ctypes.data)

    def stop(self) -> tuple[list[Ran], int]:
        global _trace
        _pool.trace(0)
        _trace = None
        words = _room_for_traces()
        count = min(int(words[0]), self.MOST)
        steps: dict[int, list[tuple[Any, int, int]]] = {}
        for program in self.programs:
            computes = [each for count, each in program.computes for _ in range(count)]
            steps[program.address] = [(each, *step) for each, step in zip(computes, program.steps())]
        notes = words[_TRACE_HEAD : _TRACE_HEAD + count * _TRACE_STEP].reshape(-1, _TRACE_STEP).tolist()
        self.programs.clear()
        found = [Ran(*steps[program][index], *rest) for program, index, *rest in notes]
        return sorted(found, key=lambda ran: ran.ended), max(int(words[0]) - self.MOST, 0)


_trace: Trace | None = None


@functools.cache
def _room_for_traces() -> np.ndarray:
    """Never given back: a thread that has begun a program may still write to it when the trace has stopped."""
    return np.empty(_TRACE_HEAD + Trace.MOST * _TRACE_STEP, np.int64)


_pool = _Pool()
native = Recipe(_write, lambda: {"anfora_pool": _pool.address}, vectorize=False, is_planned=False)
ENTRIES = ("run", "serial", "worker")  #: what `native` defines, given whether the system is Linux


def addresses() -> dict[str, int]:
    """The native entry points: `run` and `serial` (program, data) -> code, `worker`."""
    return native.addresses(sys.platform == "linux", names=ENTRIES)


def ready_addresses() -> dict[str, int]:
    """The entry points, with the pool set up."""
    global _wanted
    keep_freed_memory()
    if _wanted is None:
        wanted = available_threads()
        _wanted = _pool.resize(wanted)
        if _wanted < wanted:
            _pool.resize(_wanted)
            warnings.warn(
                f"the system makes no more than {_wanted} of {wanted} threads; large operators use these",
                AnforaWarning,
                stacklevel=2,
            )
    return addresses()


@functools.cache
def _entry():
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p)(ready_addresses()["run"])


_wanted: int | None = None


def available_threads() -> int:
    """The cores that this process may use, or `ANFORA_NUM_THREADS`."""
    named = os.environ.get("ANFORA_NUM_THREADS", "")
    if named.isdecimal() and int(named) > 0:
        return int(named)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def set_num_threads(threads: int) -> None:
    """Use so many threads for large operators. Results do not depend on it, and it may be called while others compute.

    Raises:
        OpTypeError, OpValueError: `threads` is no int, or less than 1.
        OpRuntimeError: the system makes no more threads.
    The number is what it was then.

    Example:
        >>> threads = get_num_threads()
        >>> set_num_threads(1)
        >>> get_num_threads()
        1
        >>> set_num_threads(threads)
    """
    global _wanted
    if isinstance(threads, bool) or not isinstance(threads, int):
        raise OpTypeError(f"set_num_threads needs an int, but got {threads!r}")
    if threads < 1:
        raise OpValueError(f"set_num_threads needs a positive number, but got {threads}")
    possible = _pool.resize(threads)
    if possible < threads:
        raise OpRuntimeError(f"set_num_threads({threads}): the system makes no more than {possible} threads")
    _wanted = threads


def get_num_threads() -> int:
    """How many threads large operators use.

    Example:
        >>> get_num_threads() >= 1
        True
    """
    return _wanted if _wanted is not None else available_threads()
