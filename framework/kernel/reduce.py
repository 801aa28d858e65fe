"""Reductions over axes: sum, mean, product, norm, largest, smallest, any, all, count.

**The order** in which elements are combined depends on the element types, the logical shape and the reduced axes alone.
Axes of length 1 do not count, and neighbours that are both kept or both reduced count as one axis.

*Rows*, where the last axis is reduced. Each run along it is cut into blocks of `BLOCK` elements; short runs share a block,
as many whole ones as fit when each takes a multiple of `LANES`. In a block, element j of a run goes to lane j mod `LANES`,
and at the end the upper half of the lanes is combined with the lower until one is left. Block results are combined one
after the other in the wide type (float64 for floating point).

*Columns*, where the last axis is kept. If it is narrow, `fold` neighbours along the last reduced axis are seen as one
row of it, so that a row has some `_NARROW` elements. The rows are cut into blocks of `DEPTH`, or short runs share one,
as above. In a block each column combines its elements one after the other in the wide type; block results are combined
one after the other; at last the columns that were folded together are combined, upper half with lower.

The result is rounded once. What a short block does not fill counts as the identity, which changes no bit (-0.0 for sums),
so it may be left out. Where an axis is neither contiguous nor to be merged with its neighbour, a copy is reduced.

**Who computes what.** With many outputs, a unit is a tile of them. With few, the blocks of all outputs are combined
first, each on its own, and then what came out. Both ways give the same bits.
"""

from __future__ import annotations

import math
from dataclasses import replace

from anfora.core.dtype import DType, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64
from anfora.kernel import memory
from anfora.kernel.build import recipe
from anfora.kernel.emit import I64, Function, Module, Type, Value
from anfora.kernel.loops import HEADER, contiguous, plan_elementwise, plan_fill
from anfora.kernel.plan import Buffer, Planner, split
from anfora.kernel.reduce_parts import (
    BLOCK,
    DEPTH,
    KINDS,
    LANES,
    WIDTH,
    Axes,
    Blocks,
    BlockWords,
    Geometry,
    Lanes,
    Reducer,
    RowBuffer,
    RowTile,
    Types,
    axis_words,
    between,
    fold_rows,
    identity_of,
    rounded,
    smaller,
    walk,
)

__all__ = ["BLOCK", "DEPTH", "KINDS", "LANES", "fold", "plan_reduce"]

_BY_ELEM: dict[str, DType] = {
    "f32": float32, "f64": float64, "i8": int8, "i16": int16, "i32": int32, "i64": int64, "u8": uint8, "u16": uint16,
    "u32": uint32, "u64": uint64,
}  # fmt: skip
_NARROW = 64  # columns narrower than half of it are folded
_TILE = 1024  # columns that are walked together
_ROWS = 8  # rows that are read together
_FEW = 128  # outputs: with fewer, blocks are dealt to threads


def plan_reduce(p: Planner, name: str, x: Buffer, out: Buffer, axes: tuple[int, ...]) -> None:
    """Add the steps that reduce `x` over `axes` into `out`, contiguous, whose shape is that of the kept axes (axes of
    length 1 may stand between them).

    Over no elements the result is the identity of the reduction, and NaN for a mean.
    """
    types = Types.of(name, x.dtype, out.dtype)
    if out.size == 0:
        return
    if x.size == 0:
        plan_fill(p, out, _of_nothing(name, out))
        return
    x, geometry = prepare(p, x, axes)
    if geometry.count == 1:
        _plan_single(p, name, types, x, out)
    elif geometry.along:
        _plan_rows(p, name, types, x, out, geometry)
    else:
        _plan_columns(p, name, types, x, out, geometry)


def prepare(p: Planner, x: Buffer, axes: tuple[int, ...], folds: bool = True) -> tuple[Buffer, Geometry]:
    """A buffer that kernels can walk, and its axes. With `folds`, narrow columns can be folded."""
    geometry = Geometry.of(x, axes)
    if folds and geometry is not None and not geometry.along and geometry.reduced:
        (width, _), (length, stride) = geometry.kept[-1], geometry.reduced[-1]
        if fold(length, width) > 1 and stride != width * x.dtype.itemsize:
            geometry = None
    if geometry is None:
        x = contiguous(p, x)
        geometry = Geometry.of(x, axes)
        assert geometry is not None
    return x, geometry


def fold(length: int, width: int) -> int:
    """How many neighbours along a reduced axis of that length are seen as one row of `width` columns."""
    factor = 1
    while 2 * factor * width <= _NARROW and 2 * factor <= length:
        factor *= 2
    return factor


def _of_nothing(name: str, out: Buffer) -> float:
    """The result of a reduction over no elements."""
    if name == "mean":
        return math.nan
    identity = identity_of(KINDS[name], Type(memory.compute_elem(out.code)))
    return identity if identity else 0  # a sum is +0


def _plan_single(p: Planner, name: str, types: Types, x: Buffer, out: Buffer) -> None:
    """Nothing is combined with anything: each element goes through what comes before and after."""
    kind = KINDS[name]

    def body(value: Value) -> Value:
        if kind.truth:
            return (value != 0).to("u8").to(types.wide)
        if kind.before:
            value = kind.before(value)
        value = value.to(types.wide)
        if kind.after:
            value = kind.after(value, value.fn.const(1, I64.vector(value.type.lanes)))
        return rounded(value, types.result)

    elem = memory.compute_elem(x.code) if kind.truth else types.lane
    plan_elementwise(p, body, [(x, elem)], [(out.reshaped(*x.shape), types.wide)])


# -- rows ------------------------------------------------------------------------------------------------------------


def _plan_rows(p: Planner, name: str, types: Types, x: Buffer, out: Buffer, geometry: Geometry) -> None:
    outputs, count = geometry.outputs, geometry.count
    length, _ = geometry.reduced[-1]
    blocks = Blocks.of(length, count // length, BLOCK, LANES)
    number = blocks.number
    words = [outputs, count, *blocks.words, *axis_words(geometry.kept), *axis_words(geometry.reduced[:-1])]
    cost = count * 0.04 + count // length * 3 + 3  # of an output
    if number == 1 or outputs >= _FEW or outputs * count < 4 * BLOCK:
        units = -(-outputs // WIDTH)
        p.step(
            rows.address(name, types, False),
            x,
            out,
            *words,
            units=units,
            grain=split(units, min(outputs, WIDTH) * cost),
        )
        return
    partial = p.workspace(_BY_ELEM[types.lane], number, 1, outputs)
    units = number * -(-outputs // WIDTH)
    grain = split(units, min(outputs, WIDTH) * cost / number)
    p.step(rows.address(name, types, True), x, partial, *words, units=units, grain=grain)
    _plan_total(p, name, types, partial, out, count, 1, outputs)


@recipe
def rows(name: str, types: Types, parted: bool) -> Module:
    """A unit is a tile of outputs, or a block of it if parted.
    words: x out | outputs count | blocks | kept axes | outer reduced axes"""
    fn = Function("kernel", [("ptr", "words")])
    x, out = (fn.word(HEADER + i).pointer() for i in range(2))
    outputs, count = (fn.word(HEADER + 2 + i) for i in range(2))
    blocks = BlockWords(fn, HEADER + 4)
    kept = Axes(fn, blocks.end)
    outer = Axes(fn, kept.end)
    reducer = Reducer(fn, name, types)
    lanes = Lanes(fn, reducer.lane, reducer.combine, reducer.identity(reducer.lane))
    tile = RowTile(fn, x, kept, outputs)
    buffer = RowBuffer(fn, reducer.lane, lanes.identity)

    def combine_block(block: Value) -> Value:
        """What a block comes to, for each row of the tile."""
        place = blocks.place(block)
        with tile.rows() as (row, start):
            lanes.clear()

            def visit(part: int, pointer: Value, index: Value, mask: Value | None) -> None:
                value = reducer.load(pointer, index, mask)
                lanes.add(part, value if mask is None else fn.select(mask, value, lanes.identity))

            walk(fn, start, outer, place, reducer.bytes, visit)
            buffer.put(row, lanes.value())
        return fold_rows(fn, reducer.combine, buffer.all())

    with fn.loop(fn.word(0), fn.word(1)) as unit:
        if parted:
            block = unit // tile.number
            tile.start(unit - block * tile.number)
            target = block * outputs + tile.base
            memory.store_masked(fn, combine_block(block), out, types.lane, tile.mask, target)
        else:
            tile.start(unit)
            total = fn.var(reducer.identity(reducer.wide))
            total.set(reducer.identity(reducer.wide))
            with fn.loop(0, blocks.number) as block:
                total.set(reducer.combine(total.value, combine_block(block).to(types.wide)))
            memory.store_masked(fn, reducer.result(total.value, count), out, types.result, tile.mask, tile.base)
    fn.ret(0)
    return fn.module


# -- columns ---------------------------------------------------------------------------------------------------------


def _plan_columns(p: Planner, name: str, types: Types, x: Buffer, out: Buffer, geometry: Geometry) -> None:
    (width, _), (length, stride), count = geometry.kept[-1], geometry.reduced[-1], geometry.count
    factor = fold(length, width)
    wide = width * factor
    blocks = Blocks.of(-(-length // factor), count // length, DEPTH)
    outer = geometry.outputs // width
    tiles = -(-wide // _TILE)
    whole, rest = length // factor, length % factor * width
    axes = (*axis_words(geometry.kept[:-1]), *axis_words(geometry.reduced[:-1]))
    cost = count / factor * min(wide, _TILE) * 0.06 + 10
    if blocks.number == 1:
        p.step(
            columns.address(name, types, "all"), x, out, wide, tiles, outer, stride * factor, whole, rest, factor, count,
            *blocks.words, *axes, units=tiles * outer, grain=split(tiles * outer, cost), scratch=_TILE * 8,
        )  # fmt: skip
        return
    number = blocks.number
    partial = p.workspace(_BY_ELEM[types.wide], number, outer, -(-wide // WIDTH) * WIDTH)
    units = number * outer * tiles
    p.step(
        columns.address(name, types, "block"), x, partial, wide, tiles, outer, stride * factor, whole, rest, factor, count,
        *blocks.words, *axes, units=units, grain=split(units, cost / number),
    )  # fmt: skip
    _plan_total(p, name, types, partial, out, count, factor, wide)


def _plan_total(
    p: Planner, name: str, types: Types, partial: Buffer, out: Buffer, count: int, factor: int, wide: int
) -> None:
    """Combine results of blocks (number, outer, wide with gaps) one after the other, and finish."""
    number, outer, pitch = partial.shape
    step = partial.dtype.itemsize
    tiles = -(-wide // _TILE)
    blocks = Blocks(number, 1, 1, 1, number)
    p.step(
        columns.address(name, replace(types, source=partial.code, lane=types.wide), "total"), partial, out, wide, tiles,
        outer, outer * pitch * step, number, 0, factor, count, *blocks.words, *axis_words(((outer, pitch * step),)), 0,
        units=tiles * outer, grain=split(tiles * outer, number * min(wide, _TILE) * 0.06 + 10), scratch=_TILE * 8,
    )  # fmt: skip


@recipe
def columns(name: str, types: Types, what: str) -> Module:
    """A unit is a tile of columns (`all`: all their elements; `total`: these are results of blocks), or a block of it
    (`block`).
    words: x out | columns tiles outer | stride, number of whole rows, elements of the last | fold count | blocks
           | outer kept axes | outer reduced axes"""
    fn = Function("kernel", [("ptr", "words")])
    x, out = (fn.word(HEADER + i).pointer() for i in range(2))
    wide, tiles, outer, stride, whole, rest, factor, count = (fn.word(HEADER + 2 + i) for i in range(8))
    blocks = BlockWords(fn, HEADER + 10)
    kept = Axes(fn, blocks.end)
    runs = Axes(fn, kept.end)
    reducer = Reducer(fn, name, types, again=what == "total")
    combine, kind = reducer.combine, reducer.wide

    def add_row(at: Value, length: Value, sums: Value) -> None:
        with fn.loop(0, length, WIDTH) as column:
            mask = fn.mask(length - column, WIDTH)
            old = fn.load(sums, kind, column)
            new = combine(old, reducer.load(at, column, mask).to(types.wide))
            fn.store(fn.select(mask, new, old), sums, column)

    def add_rows(at: list[Value], length: Value, sums: Value) -> None:
        """Several rows at once: the sums are loaded and stored once."""

        def step(column: Value, mask: Value | None) -> None:
            value = fn.load(sums, kind, column)
            for pointer in at:
                value = combine(value, reducer.load(pointer, column, mask).to(types.wide))
            fn.store(value, sums, column)

        end = length & -WIDTH
        with fn.loop(0, end, WIDTH) as column:
            step(column, None)
        with fn.when(end < length):
            step(end, fn.mask(length - end, WIDTH))

    def add_block(start: Value, first: Value, length: Value, block: Value, sums: Value) -> None:
        with fn.loop(0, length, WIDTH) as column:
            fn.store(reducer.identity(kind), sums, column)
        first_run, end_run, place, number = blocks.place(block)
        full = between(fn, whole - place, 0, number)
        fours = full & -_ROWS
        with fn.loop(first_run, end_run) as run:
            at = start + runs.offset(run) + place * stride
            with fn.loop(0, fours, _ROWS) as row:
                add_rows([at + (row + i) * stride for i in range(_ROWS)], length, sums)
            with fn.loop(fours, number) as row:
                valid = fn.select(row < full, length, between(fn, rest - first, 0, length))
                add_row(at + row * stride, valid, sums)

    def finish(sums: Value, first: Value, length: Value, place: Value) -> None:
        half = fn.var(factor >> 1)
        half.set(factor >> 1)
        width = wide // factor
        with fn.forever() as exit:
            exit.when(half.value == 0)
            size = half.value * width
            with fn.loop(0, size, WIDTH) as column:
                fn.store(combine(fn.load(sums, kind, column), fn.load(sums, kind, column + size)), sums, column)
            half.set(half.value >> 1)
        length = fn.select(factor > 1, width, length)
        with fn.loop(0, length, WIDTH) as column:
            value = reducer.result(fn.load(sums, kind, column), count)
            mask = fn.mask(length - column, WIDTH)
            memory.store_masked(fn, value, out, types.result, mask, place * width + first + column)

    with fn.loop(fn.word(0), fn.word(1)) as unit:
        line = unit // tiles
        first = (unit - line * tiles) * _TILE
        length = smaller(fn, wide - first, _TILE)
        if what == "block":
            block = line // outer
            start = x + kept.offset(line - block * outer) + first * reducer.bytes
            pitch = (wide + (WIDTH - 1)) & -WIDTH
            add_block(start, first, length, block, fn.element(out, kind, line * pitch + first))
        else:
            sums = fn.word(2).pointer()
            add_block(x + kept.offset(line) + first * reducer.bytes, first, length, fn.const(0), sums)
            finish(sums, first, length, line)
    fn.ret(0)
    return fn.module
