"""Mean and variance over axes in one pass over memory.

Blocks and lanes are those of `reduce.py`. A block is small enough to stay in the cache and is walked twice: once for its
mean m, once for the sums of d = x - m and of d². With n elements, mean and sum of squared deviations of the block are

    m + Σd / n        Σd² - (Σd)² / n

(the correction takes away what rounding did to m: Chan, Golub & LeVeque, The American Statistician 37, 1983). Blocks are
joined one after the other in float64 by the formula of the same authors:

    M ← M + M_b + (m_b - S/N)² N n / (N + n)        S ← S + n m_b        N ← N + n

Columns are not folded.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from anfora.core.dtype import float64
from anfora.kernel import bodies, memory
from anfora.kernel.build import recipe
from anfora.kernel.emit import F64, Function, Module, Type, Value
from anfora.kernel.loops import HEADER, plan_fill
from anfora.kernel.plan import Buffer, Planner, split
from anfora.kernel.reduce import prepare
from anfora.kernel.reduce_parts import (
    BLOCK,
    DEPTH,
    LANES,
    WIDTH,
    Axes,
    Blocks,
    BlockWords,
    Lanes,
    Place,
    Reducer,
    RowBuffer,
    RowTile,
    Types,
    across,
    axis_words,
    fold_rows,
    rounded,
    smaller,
    walk,
)

__all__ = ["plan_mean_var"]

_TILE = 64  # columns that are walked together
_FEW = 128  # outputs: with fewer, blocks are dealt to threads
_WIDE = Type("f64", WIDTH)


def plan_mean_var(
    p: Planner,
    x: Buffer,
    mean: Buffer | None,
    var: Buffer,
    axes: tuple[int, ...],
    ddof: int = 0,
    root: bool = False,
) -> None:
    """Add the steps that compute mean and variance of `x`, of floating point, over `axes`.

    Args:
        x: any shape and strides.
        mean, var: contiguous, of the shape of the kept axes and of any floating types; the mean may be left out.
        ddof: the sum of squared deviations is divided by the number of elements less this (0 gives the biased variance);
            what is not above zero counts as zero, which gives NaN or infinity.
        root: give the standard deviation, the square root of the variance, instead of it.
    """
    if var.size == 0:
        return
    if x.size == 0:
        for out in (mean, var):
            if out is not None:
                plan_fill(p, out, math.nan)
        return
    x, geometry = prepare(p, x, axes, folds=False)
    types = Types.of("sum", x.dtype, var.dtype)
    count, outputs = geometry.count, geometry.outputs
    results = [var] if mean is None else [var, mean]
    end = (None if mean is None else mean.code, var.code, root)
    length, stride = geometry.reduced[-1] if geometry.reduced else (1, 0)
    if geometry.along:
        kernel, cost = rows, count * 0.08 + count // length * 5 + 10  # of an output
        blocks = Blocks.of(length, count // length, BLOCK, LANES)
        tile, units = min(outputs, WIDTH), -(-outputs // WIDTH)
        words = [outputs, *blocks.words, *axis_words(geometry.kept), *axis_words(geometry.reduced[:-1])]
    else:
        kernel, cost = columns, count * 0.2 + 10
        blocks = Blocks.of(length, count // length, DEPTH)
        width = geometry.kept[-1][0]
        tile, tiles, outer = min(width, _TILE), -(-width // _TILE), outputs // width
        units = tiles * outer
        words = [width, tiles, outer, stride, *blocks.words]
        words += [*axis_words(geometry.kept[:-1]), *axis_words(geometry.reduced[:-1])]
    number, divisor = blocks.number, max(count - ddof, 0)
    if number == 1 or outputs >= _FEW or count * outputs < 4 * BLOCK:
        grain = split(units, tile * cost)
        p.step(kernel.address(types, end), x, *results, divisor, *words, units=units, grain=grain)
        return
    squares, sums = (p.workspace(float64, number, outputs) for _ in range(2))
    units *= number
    grain = split(units, tile * cost / number)
    p.step(kernel.address(types, None), x, squares, sums, divisor, *words, units=units, grain=grain)
    units = -(-outputs // WIDTH)
    grain = split(units, number * 20)
    p.step(join.address(end), squares, sums, *results, divisor, outputs, *blocks.words, units=units, grain=grain)


# -- kernels ---------------------------------------------------------------------------------------------------------

End = tuple[str | None, str, bool]  #: types of mean (None: left out) and variance, and whether a root is taken of it


class _Joined:
    """Sum and squared deviations of the blocks so far, for WIDTH outputs."""

    def __init__(self, fn: Function) -> None:
        self.fn = fn
        self.sum, self.squares = fn.var(0.0, _WIDE), fn.var(0.0, _WIDE)
        self.number = fn.var(0.0, F64)

    def clear(self) -> None:
        for var in (self.sum, self.squares, self.number):
            var.set(0.0)

    def add(self, total: Value, squares: Value, number: Value) -> None:
        """Join a block of `number` elements (i64)."""
        fn = self.fn
        old, new = self.number.value, number.to("f64")
        both = old + new
        gap = total / fn.splat(new, WIDTH) - self.sum.value / fn.splat(old, WIDTH)
        joined = self.squares.value + squares + gap * gap * fn.splat(old * new / both, WIDTH)
        first = fn.splat(old == 0.0, WIDTH)
        self.squares.set(fn.select(first, squares, joined))
        self.sum.set(fn.select(first, total, self.sum.value + total))
        self.number.set(both)

    def store(self, end: End, outs: _Outs, mask: Value, at: Value) -> None:
        fn, (mean, var, root) = self.fn, end
        value = self.squares.value / fn.splat(outs.divisor.to("f64"), WIDTH)
        value = bodies.sqrt(value) if root else value
        memory.store_masked(fn, rounded(value, var), outs.var, var, mask, at)
        if mean is not None:
            value = self.sum.value / fn.splat(self.number.value, WIDTH)
            memory.store_masked(fn, rounded(value, mean), outs.mean, mean, mask, at)


class _Outs:
    """The results among the words: var, mean (if it is wanted) | divisor."""

    def __init__(self, fn: Function, at: int, end: End | None) -> None:
        has_mean = end is None or end[0] is not None
        self.var = fn.word(at).pointer()
        self.mean = fn.word(at + 1).pointer() if has_mean else self.var
        self.divisor = fn.word(at + 1 + has_mean)
        self.end = at + 2 + has_mean

    def store_block(self, fn: Function, total: Value, squares: Value, mask: Value, at: Value) -> None:
        fn.masked_store(total, self.mean, mask, at)
        fn.masked_store(squares, self.var, mask, at)


def _number_of(place: Place) -> Value:
    first, end, _, length = place
    return (end - first) * length


def _corrected(fn: Function, middle: Value, off: Value, squares: Value, number: Value) -> tuple[Value, Value]:
    """Sum and squared deviations of a block, in float64, from an approximate mean, Σd and Σd²."""
    n = fn.splat(number.to("f64"), WIDTH)
    middle, off, squares = middle.to("f64"), off.to("f64"), squares.to("f64")
    total = middle * n
    total = fn.select(bodies.is_nan(off), total, total + off)  # where the mean is infinite, d is NaN
    squares = squares - off * off / n
    return total, fn.select(squares < 0.0, 0.0, squares)


@recipe
def rows(types: Types, end: End | None) -> Module:
    """A unit is a tile of outputs, or a block of it if there is no end.
    words: x var [mean] | divisor outputs | blocks | kept axes | outer reduced axes"""
    fn = Function("kernel", [("ptr", "words")])
    x = fn.word(HEADER).pointer()
    outs = _Outs(fn, HEADER + 1, end)
    outputs = fn.word(outs.end)
    blocks = BlockWords(fn, outs.end + 1)
    kept = Axes(fn, blocks.end)
    outer = Axes(fn, kept.end)
    reducer = Reducer(fn, "sum", types)
    zero = reducer.identity(reducer.lane)
    sums, squares = (Lanes(fn, reducer.lane, reducer.combine, zero) for _ in range(2))
    tile = RowTile(fn, x, kept, outputs)
    middles = fn.buffer(8 * WIDTH)
    all_sums, all_squares = (RowBuffer(fn, reducer.lane, zero) for _ in range(2))

    def reduce_block(block: Value) -> tuple[Value, Value, Value]:
        """Sum, squared deviations and number of elements of a block, for each row of the tile."""
        place = blocks.place(block)
        number = _number_of(place)
        with tile.rows() as (row, start):
            sums.clear()

            def add(part: int, pointer: Value, index: Value, mask: Value | None) -> None:
                value = reducer.load(pointer, index, mask)
                sums.add(part, value if mask is None else fn.select(mask, value, zero))

            walk(fn, start, outer, place, reducer.bytes, add)
            middle = across(fn, reducer.combine, sums.value()) / number.to(types.lane)
            fn.store(middle, middles, row)
            middle = fn.splat(middle, WIDTH)
            sums.clear()
            squares.clear()

            def deviate(part: int, pointer: Value, index: Value, mask: Value | None) -> None:
                off = reducer.load(pointer, index, mask) - middle
                off = off if mask is None else fn.select(mask, off, zero)
                sums.add(part, off)
                squares.parts[part].set(bodies.fma(off, off, squares.parts[part].value))

            walk(fn, start, outer, place, reducer.bytes, deviate)
            all_sums.put(row, sums.value())
            all_squares.put(row, squares.value())
        off, square = (fold_rows(fn, reducer.combine, buffer.all()) for buffer in (all_sums, all_squares))
        return (*_corrected(fn, fn.load(middles, reducer.lane), off, square, number), number)

    joined = _Joined(fn)
    with fn.loop(fn.word(0), fn.word(1)) as unit:
        if end is None:
            block = unit // tile.number
            tile.start(unit - block * tile.number)
            total, square, _ = reduce_block(block)
            outs.store_block(fn, total, square, tile.mask, block * outputs + tile.base)
        else:
            tile.start(unit)
            joined.clear()
            with fn.loop(0, blocks.number) as block:
                joined.add(*reduce_block(block))
            joined.store(end, outs, tile.mask, tile.base)
    fn.ret(0)
    return fn.module


@recipe
def columns(types: Types, end: End | None) -> Module:
    """A unit is a tile of columns, or a block of it if there is no end.
    words: x var [mean] | divisor | columns tiles outer stride | blocks | outer kept axes | outer reduced axes"""
    fn = Function("kernel", [("ptr", "words")])
    x = fn.word(HEADER).pointer()
    outs = _Outs(fn, HEADER + 1, end)
    width, tiles, outer, stride = (fn.word(outs.end + i) for i in range(4))
    blocks = BlockWords(fn, outs.end + 4)
    kept = Axes(fn, blocks.end)
    runs = Axes(fn, kept.end)
    reducer = Reducer(fn, "sum", types)

    def reduce_block(start: Value, mask: Value, block: Value) -> tuple[Value, Value, Value]:
        """Sum, squared deviations and number of elements of a block of WIDTH columns."""
        first, last, place, length = blocks.place(block)
        number = (last - first) * length
        total, off, square = (fn.var(0.0, _WIDE) for _ in range(3))

        def each(visit: Callable[[Value], None]) -> None:
            with fn.loop(first, last) as run:
                at = start + runs.offset(run) + place * stride
                with fn.loop(0, length) as row:
                    visit(reducer.load(at + row * stride, 0, mask).to("f64"))

        total.set(-0.0)
        each(lambda value: total.set(total.value + value))
        middle = total.value / fn.splat(number.to("f64"), WIDTH)
        off.set(-0.0)
        square.set(-0.0)

        def deviate(value: Value) -> None:
            gap = value - middle
            off.set(off.value + gap)
            square.set(bodies.fma(gap, gap, square.value))

        each(deviate)
        return (*_corrected(fn, middle, off.value, square.value, number), number)

    joined = _Joined(fn)
    with fn.loop(fn.word(0), fn.word(1)) as unit:
        line = unit // tiles
        block = line // outer
        kept_line = line - block * outer if end is None else line
        from_column = (unit - line * tiles) * _TILE
        base = x + kept.offset(kept_line)
        with fn.loop(from_column, smaller(fn, width, from_column + _TILE), WIDTH) as column:
            mask = fn.mask(width - column, WIDTH)
            start = base + column * reducer.bytes
            if end is None:
                total, square, _ = reduce_block(start, mask, block)
                outs.store_block(fn, total, square, mask, line * width + column)
            else:
                joined.clear()
                with fn.loop(0, blocks.number) as number:
                    joined.add(*reduce_block(start, mask, number))
                joined.store(end, outs, mask, line * width + column)
    fn.ret(0)
    return fn.module


@recipe
def join(end: End) -> Module:
    """Join blocks one after the other. A unit is WIDTH outputs.
    words: squares, sums: (block, output) | var [mean] | divisor outputs | blocks"""
    fn = Function("kernel", [("ptr", "words")])
    squares, sums = (fn.word(HEADER + i).pointer() for i in range(2))
    outs = _Outs(fn, HEADER + 2, end)
    outputs = fn.word(outs.end)
    blocks = BlockWords(fn, outs.end + 1)
    joined = _Joined(fn)
    with fn.loop(fn.word(0), fn.word(1)) as unit:
        base = unit * WIDTH
        mask = fn.mask(outputs - base, WIDTH)
        joined.clear()
        with fn.loop(0, blocks.number) as block:
            total, square = (fn.masked_load(v, _WIDE, mask, block * outputs + base) for v in (sums, squares))
            joined.add(total, square, _number_of(blocks.place(block)))
        joined.store(end, outs, mask, base)
    fn.ret(0)
    return fn.module
