"""Loops that run natively from the first iteration to the last: a program again and again, or a scalar loop.

`repeat(program, table, …)` runs a program on a table of addresses, looks at a condition that the program has computed, and
ends, or moves addresses within the table and goes on: what one iteration has made is what the next one reads, and nobody
copies or overwrites it. Moves are done at once: all are read before one is written.

`scalar_loop` is a kernel of its own for values of one element each: they stay in registers, and memory is read before the
first iteration and written after the last. It calls the bodies that the operators' loops call, and rounds what goes from
one to the next as memory would (compose.py): the bits are those of the program.

Both come back after some milliseconds at the latest, whether the loop has ended or not, so that the interpreter can look
after signals; and both run without the interpreter lock.
"""

from __future__ import annotations

import ctypes
import functools
import time
from array import array
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from anfora.kernel import glue, memory
from anfora.kernel.build import Recipe, recipe
from anfora.kernel.compose import Composed
from anfora.kernel.emit import I32, I64, PTR, Function, Module, Type, Value
from anfora.kernel.executor import Program, ready_addresses
from anfora.kernel.fields import Fields, StructuresDiffer

__all__ = [
    "COLUMN", "FIXED", "GOES_ON", "MOST_ITERATIONS", "ScalarLoop", "Source", "Truth", "caller", "is_true", "limited",
    "nanoseconds", "repeat", "run_scalar_loop", "scalar_loop", "specification",
]  # fmt: skip

GOES_ON = -1  #: the code of a loop that has not ended yet
MOST_ITERATIONS = 1 << 16  #: in one call
FIXED, COLUMN = -1, -2  #: operands of scalar loops that are no cells
_MOST_NANOSECONDS = 20_000_000  #: in one call, about
_PERIOD = 16  #: iterations of a program that is not shared, between looks at the clock


class Truth(NamedTuple):
    """How to see whether an element is true: which of its bytes' bits may be set."""

    nbytes: int
    mask: int

    @classmethod
    def of(cls, code: str) -> Truth:
        """For a type of buffers: all bits count, but for the sign of a floating-point zero."""
        nbytes = memory.code_bytes(code)
        bits = 8 * nbytes - (code in ("f16", "bf16", "f32", "f64"))
        return cls(nbytes, (1 << bits) - 1 if bits < 64 else -1)


# -- programs again and again ----------------------------------------------------------------------------------------

_MOST, _CLOCK, _TIME, _WHERE, _OFFSET, _BYTES, _MASK, _WANTED, _MOVES, _ADVANCES = range(10)
_HEAD = 10
_IS_SHARED = 5  #: the word of a program that says whether it has a step for several threads


def specification(
    condition: tuple[int, int] | None, truth: Truth, wanted: bool, moves: Sequence[tuple[int, int]],
    advances: Sequence[tuple[int, int]] = (),
) -> array:  # fmt: skip
    """The words that tell `repeat` what to do.

    Args:
        condition: where it lies: the number of a cell of the table, and bytes from there; None for a loop that is only
            counted.
        wanted: the loop goes on while the condition is this.
        moves: (target, source), numbers of cells.
        advances: (cell, bytes): so far an address moves from one iteration to the next.
    """
    words = [0] * _HEAD
    words[_MOST] = MOST_ITERATIONS
    words[_CLOCK] = time.CLOCK_MONOTONIC
    words[_TIME] = _MOST_NANOSECONDS
    if condition is not None:
        words[_WHERE], words[_OFFSET] = condition
        words[_BYTES], words[_MASK] = truth
        words[_WANTED] = int(wanted)
    words[_MOVES], words[_ADVANCES] = len(moves), len(advances)
    return array("q", [*words, *(number for pair in (*moves, *advances) for number in pair)])


def limited(words: array, most: int) -> array:
    """The same for so many iterations at most."""
    words = words[:]
    words[_MOST] = min(words[_MOST], most)
    return words


def _write_repeat(module: Module) -> None:
    """repeat(program, words, report, table) -> 0, GOES_ON or a failure code; the report is the number of the last
    iteration, counted from 0."""
    fn = Function("repeat", [("ptr", n) for n in ("program", "words", "report", "table")], module=module)
    program, words, report, table = fn.args
    head = [fn.load(words, I64, i) for i in range(_HEAD)]
    most, clock, limit, where, offset, nbytes, mask, wanted, moves, advances = head
    every = fn.select(fn.load(program, I64, _IS_SHARED) != 0, 1, fn.const(_PERIOD))
    held = fn.array(moves)
    moment, truth = fn.buffer(16), fn.buffer(8)
    end = nanoseconds(fn, clock, moment) + limit
    count, code, left, is_late, bits = fn.var(0), fn.var(0), fn.var(every), fn.var(0), fn.var(0)
    with fn.forever() as exit:
        code.set(fn.call(I64, "run", program, table))
        exit.when(code.value != 0)
        element = (fn.load(table, I64, where) + offset).pointer()
        with fn.when(nbytes == 1):
            bits.set(fn.load(element, Type("u8")).to("i64"))
        with fn.when(nbytes > 1):
            fn.store(fn.const(0), truth)
            fn.copy_bytes(truth, element, nbytes)
            bits.set(fn.load(truth, I64))
        exit.when(((bits.value & mask) != 0).to("i64") != wanted)
        code.set(GOES_ON)
        exit.when(count.value + 1 >= most)
        left.add(-1)
        is_late.set(0)
        with fn.when(left.value == 0):
            left.set(every)
            is_late.set((nanoseconds(fn, clock, moment) > end).to("i64"))
        exit.when(is_late.value != 0)
        pairs = words + 8 * _HEAD
        with fn.loop(0, moves) as i:
            fn.store(fn.load(table, I64, fn.load(pairs, I64, i * 2 + 1)), held, i)
        with fn.loop(0, moves) as i:
            fn.store(fn.load(held, I64, i), table, fn.load(pairs, I64, i * 2))
        steps = pairs + 16 * moves
        with fn.loop(0, advances) as i:
            cell = fn.load(steps, I64, i * 2)
            fn.store(fn.load(table, I64, cell) + fn.load(steps, I64, i * 2 + 1), table, cell)
        count.add(1)
    fn.store(count.value, report)
    fn.ret(code.value)


def nanoseconds(fn: Function, clock: Value, moment: Value) -> Value:
    """Nanoseconds by a clock of the system."""
    fn.call(I32, "clock_gettime", clock.to("i32"), moment)
    return fn.load(moment, I64) * 1_000_000_000 + fn.load(moment, I64, 1)


def _write(data_offset: int) -> Module:
    """`repeat`, and two builtin functions. `kernel`(address of a program, of its words, *arrays): the first array is the
    report, the others make the table. `call`(address of a function, *arrays): calls it with their addresses."""
    module = Module()
    _write_repeat(module)
    parameters = [("ptr", "self"), ("ptr", "args"), ("i64", "count")]

    def table_of(fn: Function, first: int) -> Value:
        _, args, count = fn.args
        table = fn.array(count)
        with fn.loop(first, count) as i:
            fn.store(fn.load(fn.load(args, PTR, i) + data_offset, I64), table, i - first)
        return table

    def number(fn: Function, i: int) -> Value:
        return fn.call(I64, "PyLong_AsLongLong", fn.load(fn.args[1], PTR, i)).pointer()

    fn = Function("kernel", parameters, "ptr", module)
    program, words, table = number(fn, 0), number(fn, 1), table_of(fn, 2)
    thread = fn.call(PTR, "PyEval_SaveThread")
    code = fn.call(I64, "repeat", program, words, fn.load(table, PTR), table + 8)
    fn.call(None, "PyEval_RestoreThread", thread)
    fn.ret(fn.call(PTR, "PyLong_FromLongLong", code))

    fn = Function("call", parameters, "ptr", module)
    function, table = number(fn, 0), table_of(fn, 1)
    thread = fn.call(PTR, "PyEval_SaveThread")
    code = fn.call_pointer(I64, function, table)
    fn.call(None, "PyEval_RestoreThread", thread)
    fn.ret(fn.call(PTR, "PyLong_FromLongLong", code))
    return module


_native = Recipe(_write, lambda: {"run": ready_addresses()["run"]}, vectorize=False, is_planned=False)
_NAMES = ("kernel", "call", "repeat")


@functools.cache
def _functions() -> tuple[Callable, Callable]:
    """`kernel` and `call` of `_write`, as functions of Python."""
    try:
        where = Fields.find(glue._bound["tensor"], glue._bound["node"], glue._bound["output"])
    except StructuresDiffer:
        return _plain_functions()
    made = _native.addresses(where.array_data, names=_NAMES)
    run, call = (glue.builtin(made[name], repeat, None, glue._FASTCALL) for name in ("kernel", "call"))
    return run, call


def _plain_functions() -> tuple[Callable, Callable]:
    """The same through ctypes, without a look into numpy's objects."""
    made = _native.addresses(0, names=_NAMES)
    pointer = ctypes.c_void_p
    entry = ctypes.CFUNCTYPE(ctypes.c_int64, pointer, pointer, pointer, pointer)(made["repeat"])

    def table_of(arrays: tuple) -> array:
        return array("q", [a.__array_interface__["data"][0] for a in arrays])

    def run(program: int, words: int, report: np.ndarray, *arrays: np.ndarray) -> int:
        table = table_of(arrays)
        return entry(program, words, report.__array_interface__["data"][0], table.buffer_info()[0])

    def call(function: int, *arrays: np.ndarray) -> int:
        table = table_of(arrays)
        return ctypes.CFUNCTYPE(ctypes.c_int64, pointer)(function)(table.buffer_info()[0])

    return run, call


def repeat(program: Program, words: array, report: np.ndarray, arrays: Sequence[np.ndarray]) -> int:
    """Run a program on a table of arrays until its condition changes.

    Returns:
        0, GOES_ON after many iterations, or the failure code of the program. The first number of `report` (int64) tells
        which iteration was the last, counted from 0.
    """
    return _functions()[0](program.address, words.buffer_info()[0], report, *arrays)


def caller() -> Callable[..., int]:
    """A function of a kernel's address and of arrays: calls the kernel with their addresses, without the interpreter
    lock."""
    return _functions()[1]


# -- scalar loops ----------------------------------------------------------------------------------------------------


class Source(NamedTuple):
    """What a cell holds in the next iteration: result `number` of the body, or what cell `number` holds in this one."""

    is_result: bool
    number: int


class ScalarLoop(NamedTuple):
    """What a scalar loop computes.

    Attributes:
        body: the whole of an iteration.
        operands: for each operand of the body: a cell, FIXED for one that stays as it is, COLUMN for one that lies in an
            array, iteration by iteration; the code as which it is loaded; the machine type in which the body wants it.
        results: the codes as which the results of the body are stored.
        cells: what changes from one iteration to the next: the code of its buffer, and its source.
        looked: the cells whose contents at the start of the last iteration are wanted.
        condition: the result that is looked at, and the bits of it that make it true; see `Truth`. None for a loop that is
            only counted.
        wanted: the loop goes on while it is true, or false.
    """

    body: Composed
    operands: tuple[tuple[int, str, str], ...]
    results: tuple[str, ...]
    cells: tuple[tuple[str, Source], ...]
    looked: tuple[int, ...]
    condition: tuple[int, int] | None
    wanted: bool


@recipe
def scalar_loop(loop: ScalarLoop) -> Module:
    """words: most iterations | the last iteration, counted from 0, goes here | operands | cells | results | cells looked
    at, as they were at the start of the last iteration. All are addresses, the first one too. Gives 0 or GOES_ON."""
    fn = Function("kernel", [("ptr", "words")])
    most = fn.load(fn.word(0).pointer(), I64)
    first_operand = 2
    first_cell = first_operand + len(loop.operands)
    first_result = first_cell + len(loop.cells)
    first_last = first_result + len(loop.results)

    def raw(word: int, code: str) -> Value:
        return fn.load(fn.word(word).pointer(), Type(memory.storage(code)))

    fixed = [
        memory.widen(raw(first_operand + i, code), code, elem) if cell == FIXED else None
        for i, (cell, code, elem) in enumerate(loop.operands)
    ]
    cells = [fn.var(raw(first_cell + i, code)) for i, (code, _) in enumerate(loop.cells)]
    made = [fn.var(fn.const(0, Type(memory.storage(code)))) for code in loop.results]
    count, code = fn.var(0), fn.var(0)
    with fn.forever() as exit:
        now = [cell.value for cell in cells]
        given = []
        for i, (value, (cell, code_, elem)) in enumerate(zip(fixed, loop.operands)):
            if value is None:
                if cell == COLUMN:
                    held = fn.load(fn.word(first_operand + i).pointer(), Type(memory.storage(code_)), count.value)
                else:
                    held = now[cell].bitcast(memory.storage(code_))
                value = memory.widen(held, code_, elem)
            given.append(value)
        results = [memory.narrow(value, code_) for value, code_ in zip(loop.body(*given), loop.results)]
        for var, value in zip(made, results):
            var.set(value)
        code.set(0)
        if loop.condition is not None:
            exit.when(is_true(results[loop.condition[0]], loop.condition[1]) != loop.wanted)
        code.set(GOES_ON)
        exit.when(count.value + 1 >= most)
        for var, (code_, source) in zip(cells, loop.cells):
            value = results[source.number] if source.is_result else now[source.number]
            var.set(value.bitcast(memory.storage(code_)))
        count.add(1)
    fn.store(count.value, fn.word(1).pointer())
    for i, var in enumerate(made):
        fn.store(var.value, fn.word(first_result + i).pointer())
    for i, number in enumerate(loop.looked):
        fn.store(cells[number].value, fn.word(first_last + i).pointer())
    fn.ret(code.value)
    return fn.module


def is_true(raw: Value, mask: int) -> Value:
    """Whether an element, as it lies in memory, is true; see `Truth`."""
    bits = raw.bitcast(f"u{raw.type.bits}")
    return (bits if mask == -1 else bits & mask) != 0


_most = np.array([MOST_ITERATIONS], np.int64)


def run_scalar_loop(
    address: int, report: np.ndarray, operands: Sequence[np.ndarray], cells: Sequence[np.ndarray],
    results: Sequence[np.ndarray], looked: Sequence[np.ndarray], most: int = MOST_ITERATIONS,
) -> int:  # fmt: skip
    """Run a scalar loop on arrays of one element; see `scalar_loop`. Gives 0 or GOES_ON."""
    limit = _most if most >= MOST_ITERATIONS else np.array([most], np.int64)
    return caller()(address, limit, report, *operands, *cells, *results, *looked)
