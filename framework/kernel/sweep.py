"""Sweeps: one scalar body over many contiguous arrays, in place.

A *row* is a list of arrays of one length (a parameter, its gradient, its states). All rows of a sweep are dealt to the
threads together, so that many small arrays cost one step; a row may have *singles*, arrays of one element that go with
each of its elements. Numbers that are the same for all rows come from one float64 array and are read once.

    words: lo hi scratch | numbers | rows | for each row: first unit, elements, pointers of arrays, of singles

A unit is a block of `BLOCK` elements of a row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anfora.core.records import Record
from anfora.kernel import memory
from anfora.kernel.build import recipe
from anfora.kernel.emit import F64, Function, Module, Type, Value
from anfora.kernel.loops import HEADER
from anfora.kernel.plan import Buffer, Planner, split
from anfora.kernel.target import target

__all__ = ["BLOCK", "Row", "plan_sweep"]

BLOCK = 2048  #: elements of a unit
_FIXED = HEADER + 2  # words in front of the rows
_SHARED_NS = 25_000.0  # a sweep that takes less is done by one thread: waking others would cost as much as it saves


class Row(Record):
    """Contiguous arrays of one length.

    Attributes:
        reads: what the body gets, in order.
        writes: where its results go; may be among `reads`.
        singles: one element each; the body gets them after `reads`.
        elem: the machine type that the body computes in.
    """

    reads: tuple[Buffer, ...]
    writes: tuple[Buffer, ...]
    elem: str
    singles: tuple[Buffer, ...] = ()

    @property
    def size(self) -> int:
        return self.writes[0].size

    @property
    def kind(self) -> tuple:
        """What the machine code depends on."""
        codes = tuple(tuple(b.code for b in part) for part in (self.reads, self.writes, self.singles))
        return (*codes, self.elem)


def plan_sweep(
    p: Planner, body: Callable, rows: Sequence[Row], numbers: Sequence[Buffer] = (), nanoseconds: float = 0.3
) -> None:
    """Add the steps that apply `body(*reads, *singles, *numbers) -> writes` to every element of every row.

    Args:
        numbers: elements of one float64 buffer, next to each other; the body gets them in its own machine type.
        nanoseconds: what an element costs, about; decides how the work is dealt.
    """
    kinds: dict[tuple, list[Row]] = {}
    for row in rows:
        assert all(b.is_contiguous and b.size == row.size for b in (*row.reads, *row.writes)), "sweep: rows differ"
        if row.size:
            kinds.setdefault(row.kind, []).append(row)
    for kind, alike in kinds.items():
        words: list[int | Buffer] = []
        units = elements = 0
        for row in alike:
            words += [units, row.size, *row.reads, *row.writes, *row.singles]
            units += -(-row.size // BLOCK)
            elements += row.size
        kernel = sweep.address(body, *kind, len(numbers))
        first = numbers[0] if numbers else 0
        is_short = elements * nanoseconds < _SHARED_NS
        grain = units if is_short else split(units, BLOCK * nanoseconds)
        p.step(kernel, first, len(alike), *words, units=units, grain=grain)


@recipe
def sweep(
    body: Callable, reads: tuple[str, ...], writes: tuple[str, ...], singles: tuple[str, ...], elem: str, numbers: int
) -> Module:
    """The kernel of rows whose arrays have these codes."""
    fn = Function("kernel", [("ptr", "words")])
    table = fn.word(HEADER).pointer()
    rows = fn.word(HEADER + 1)
    codes = reads + writes
    width = 2 + len(codes) + len(singles)
    lanes = target().vector_bytes // max(Type(elem).bytes, *(memory.code_bytes(code) for code in codes))
    given = [fn.splat(fn.load(table, F64, i).to(elem), lanes) for i in range(numbers)]
    row = fn.var(0)
    with fn.loop(fn.word(0), fn.word(1)) as unit:
        with fn.forever() as found:
            following = row.value + 1
            found.when(following >= rows)
            found.when(fn.word(following * width + _FIXED) > unit)
            row.set(following)
        at = row.value * width + _FIXED
        start = (unit - fn.word(at)) * BLOCK
        left = fn.word(at + 1) - start
        size = fn.select(left > BLOCK, BLOCK, left)
        pointers = [fn.word(at + (2 + k)).pointer() + start * memory.code_bytes(code) for k, code in enumerate(codes)]
        alone = [
            fn.splat(memory.load(fn, fn.word(at + (2 + len(codes) + k)).pointer(), code, elem, 0), lanes)
            for k, code in enumerate(singles)
        ]
        sources = list(zip(reads, pointers))
        targets = list(zip(writes, pointers[len(reads) :]))
        whole = size - size % lanes
        with fn.loop(0, whole, lanes) as i:
            values = [memory.load(fn, pointer, code, elem, lanes, i) for code, pointer in sources]
            for (code, pointer), value in zip(targets, _tuple(body(*values, *alone, *given))):
                memory.store(fn, value, pointer, code, i)
        with fn.when(whole < size):
            mask = fn.mask(size - whole, lanes)
            values = [memory.load_masked(fn, pointer, code, elem, mask, whole) for code, pointer in sources]
            for (code, pointer), value in zip(targets, _tuple(body(*values, *alone, *given))):
                memory.store_masked(fn, value, pointer, code, mask, whole)
    fn.ret(0)
    return fn.module


def _tuple(results: Value | tuple[Value, ...]) -> tuple[Value, ...]:
    return results if isinstance(results, tuple) else (results,)
