"""Products of a matrix and a vector.

    y[i] = sum over k of A[i, k] x[k]

Nothing but x is used twice, so what counts is to read A once and at full speed, in whichever order it lies: `along` its
rows or `across` them. Both form the sum in one order, which does not depend on the width of the machine's vectors:
element k belongs to *lane* k mod `sum_lanes`; each lane is summed with fma, k ascending, starting from +0; then the
upper half of the lanes is added to the lower half until one is left.

The sums are written in the accumulator type, one beside the other. x lies so too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from anfora.kernel import memory
from anfora.kernel.build import recipe
from anfora.kernel.emit import Function, Module, Type, Value
from anfora.kernel.gemm_parts import Words, accumulator, each_unit, smaller, walk_batch
from anfora.kernel.gemm_tiles import multiply_add
from anfora.kernel.target import target

__all__ = ["VECTOR", "across", "across_scratch", "along", "sum_lanes"]

#: The words of `along` and `across`; then the rank of the batch and, for each axis from the last to the first: length,
#: strides (a, x, sums). A unit is a segment of the outputs of an item of the batch.
VECTOR = ("a", "a_row", "a_k", "x", "sums", "rows", "depth", "segment", "segments")


def sum_lanes(elem: str) -> int:
    """In how many lanes a product with a vector is summed: 64 bytes of them, on every machine."""
    return 64 // Type(elem).bytes


@contextmanager
def _segments(fn: Function, w: Words, size: int) -> Iterator[tuple[Value, Value, Value, Value]]:
    """For each unit: A and the sums from its first row on, x, and the number of rows."""
    with each_unit(fn) as unit:
        item, first = unit // w.segments, unit % w.segments * w.segment
        offsets = walk_batch(fn, item, w.end, 3)
        a = (w.a + offsets[0] + first * w.a_row).pointer()
        x = (w.x + offsets[1]).pointer()
        sums = (w.sums + offsets[2] + first * size).pointer()
        yield a, x, sums, smaller(fn, w.rows - first, w.segment)


def _fold(values: list[Value]) -> Value:
    """Add the upper half to the lower half until one is left."""
    while len(values) > 1:
        half = len(values) // 2
        values = [low + high for low, high in zip(values[:half], values[half:])]
    return values[0]


@recipe
def along(code: str) -> Module:
    """The rows of A are contiguous: vectors run along k, and a few rows are summed together."""
    fn = Function("kernel", [("ptr", "words")])
    w = Words(fn, VECTOR)
    elem = accumulator(code)
    lanes = min(target().lanes(elem), sum_lanes(elem))
    vectors = sum_lanes(elem) // lanes
    size, code_size = Type(elem).bytes, memory.code_bytes(code)

    def sum_rows(a: Value, x: Value, sums: Value, count: int) -> None:
        depth, a_row = w.depth, w.a_row
        parts = [[fn.var(0, Type(elem, lanes)) for _ in range(vectors)] for _ in range(count)]
        whole = depth - depth % sum_lanes(elem)
        with fn.loop(0, whole, sum_lanes(elem)) as k:
            for v in range(vectors):
                factor = fn.load(x + (k + v * lanes) * size, Type(elem, lanes))
                for r in range(count):
                    row = memory.load(fn, a + a_row * r + (k + v * lanes) * code_size, code, elem, lanes)
                    parts[r][v].set(multiply_add(row, factor, parts[r][v].value))
        with fn.when(whole < depth):
            for v in range(vectors):
                at = whole + v * lanes
                mask = fn.mask(depth - at, lanes)
                factor = fn.masked_load(x + at * size, Type(elem, lanes), mask)
                for r in range(count):
                    row = memory.load_masked(fn, a + a_row * r + at * code_size, code, elem, mask)
                    part = parts[r][v].value
                    parts[r][v].set(fn.select(mask, multiply_add(row, factor, part), part))
        for r in range(count):
            total = _fold([part.value for part in parts[r]])
            while total.type.lanes > 1:
                low, high = fn.halves(total)
                total = low + high
            fn.store(fn.lane(total, 0), sums, r)

    with _segments(fn, w, size) as (a, x, sums, rows):
        whole = rows - rows % _ROWS
        with fn.loop(0, whole, _ROWS) as i:
            sum_rows(a + i * w.a_row, x, sums + i * size, _ROWS)
        with fn.loop(whole, rows) as i:
            sum_rows(a + i * w.a_row, x, sums + i * size, 1)
    fn.ret(0)
    return fn.module


_ROWS = 4  #: rows summed together by `along`: hides the latency of fma


_RUN_BYTES = 4096  #: sums of a lane that `across` has under way at once: long runs are what memory is good at


def across_scratch(elem: str, rows: int) -> int:
    """The scratch bytes that `across` needs for segments of so many rows: the lanes of a run."""
    return sum_lanes(elem) * (min(_RUN_BYTES, -(-rows * Type(elem).bytes // 64) * 64) + 64)


@recipe
def across(code: str) -> Module:
    """The columns of A are contiguous: vectors run across the rows.

    The sums of all lanes for a run of rows are kept in the scratch. A sweep adds to those of one lane what several of its
    columns contribute, so that they are loaded and stored once for all of them.
    """
    fn = Function("kernel", [("ptr", "words")])
    w = Words(fn, VECTOR)
    elem = accumulator(code)
    vector = Type(elem, target().lanes(elem))
    size, code_size = Type(elem).bytes, memory.code_bytes(code)
    all_lanes = sum_lanes(elem)
    scratch = fn.word(2).pointer()
    a_k, depth = w.a_k, w.depth

    def sum_run(a: Value, x: Value, sums: Value, count: Value) -> None:
        whole = count - count % vector.lanes
        cut = fn.mask(count - whole, vector.lanes)
        lane_bytes = (count * size + 63) // 64 * 64 + 64  # one line more: lanes must not meet in one set of the cache
        with fn.when(depth < all_lanes):
            fn.fill_bytes(scratch, 0, lane_bytes * all_lanes)

        def sweep(first: Value, columns: int) -> None:
            """Columns `first`, `first` + all_lanes, …, which belong to one lane."""
            factors, starts = [], []
            for c in range(columns):
                k = first + c * all_lanes
                factors.append(fn.splat(fn.load(x + k * size, vector.scalar), vector.lanes))
                starts.append(a + k * a_k)
            lane = scratch + first % all_lanes * lane_bytes
            fresh = first < all_lanes
            with fn.loop(0, whole, vector.lanes) as i:
                part = fn.select(fresh, 0, fn.load(lane, vector, i))
                for factor, start in zip(factors, starts):
                    part = multiply_add(memory.load(fn, start, code, elem, vector.lanes, i), factor, part)
                fn.store(part, lane, i)
            with fn.when(whole < count):
                part = fn.select(fresh, 0, fn.load(lane, vector, whole))
                for factor, start in zip(factors, starts):
                    part = multiply_add(memory.load_masked(fn, start, code, elem, cut, whole), factor, part)
                fn.store(part, lane, whole)

        done = fn.const(0)
        for columns in (8, 2) if code == elem else (2,):  # conversions are long
            end = depth - (depth - done) % (columns * all_lanes)
            with fn.loop(done, end, columns * all_lanes) as k, fn.loop(k, k + all_lanes) as first:
                sweep(first, columns)
            done = end
        with fn.loop(done, depth) as k:
            sweep(k, 1)
        with fn.loop(0, count, vector.lanes) as i:
            total = _fold([fn.load(scratch + lane_bytes * lane, vector, i) for lane in range(all_lanes)])
            with fn.when(i < whole):
                fn.store(total, sums, i)
            with fn.when(i >= whole):
                fn.masked_store(total, sums, cut, i)

    with _segments(fn, w, size) as (a, x, sums, rows):
        run = _RUN_BYTES // size
        with fn.loop(0, rows, run) as first:
            sum_run(a + first * code_size, x, sums + first * size, smaller(fn, rows - first, fn.const(run)))
    fn.ret(0)
    return fn.module
