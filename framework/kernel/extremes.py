"""Largest and smallest elements with their positions: the first of several equal ones; NaN counts as larger than every
number (as smaller, when the smallest is looked for), as numpy has it.

Rows are cut into blocks of `BLOCK` elements, columns into blocks of `DEPTH`. A block of a row is walked twice while it is
in the cache: once for its largest value, once for where that stands, and the second time only if it beats those before.
"""

from __future__ import annotations

from anfora.core.dtype import int64
from anfora.kernel import bodies, memory
from anfora.kernel.build import recipe
from anfora.kernel.emit import I64, Function, Module, Type, Value
from anfora.kernel.loops import HEADER, plan_copy, plan_fill
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
    Reducer,
    RowTile,
    Types,
    across,
    axis_words,
    smaller,
    walk,
)

__all__ = ["plan_extreme"]

_TILE = 64  #: columns that are walked together
_FEW = 128  #: outputs: with fewer, blocks are dealt to threads


def plan_extreme(
    p: Planner, name: str, x: Buffer, values: Buffer | None, positions: Buffer, axes: tuple[int, ...]
) -> None:
    """Add the steps that find the largest (`name` is `max`) or smallest (`min`) elements over one axis or all.

    Args:
        x: any shape and strides; not empty along the axes.
        values, positions: contiguous, of the shape of the other axes; values of the type of `x`, or left out; positions of
            an integer type: along the axis, or in row-major order over all.
    """
    if positions.size == 0:
        return
    x, geometry = prepare(p, x, axes, folds=False)
    count, outputs = geometry.count, geometry.outputs
    if count == 1:
        plan_fill(p, positions, 0)
        if values is not None:
            plan_copy(p, x, values.reshaped(*x.shape))
        return
    types = Types.of(name, x.dtype, x.dtype)
    elem = memory.compute_elem(x.code)
    [(length, stride)] = geometry.reduced
    results = [positions] if values is None else [positions, values]
    end = (positions.code, None if values is None else values.code)
    if geometry.along:
        kernel, cost = rows, count * 0.08 + 15
        blocks = Blocks.of(length, 1, BLOCK, LANES)
        tile, units = min(outputs, WIDTH), -(-outputs // WIDTH)
        words = [outputs, *blocks.words, *axis_words(geometry.kept), 0]
    else:
        kernel, cost = columns, count * 0.2 + 5
        blocks = Blocks.of(length, 1, DEPTH)
        width = geometry.kept[-1][0]
        tile, tiles, outer = min(width, _TILE), -(-width // _TILE), outputs // width
        units = tiles * outer
        words = [width, tiles, outer, stride, *blocks.words, *axis_words(geometry.kept[:-1])]
    number = blocks.number
    if number == 1 or outputs >= _FEW or count * outputs < 4 * BLOCK:
        p.step(
            kernel.address(name, types, end, False), x, *results, *words, units=units, grain=split(units, tile * cost)
        )
        return
    found = p.workspace(int64, number, outputs)
    best = p.workspace(x.dtype, number, outputs)
    units *= number
    p.step(
        kernel.address(name, types, ("i64", x.code), True), x, found, best, *words,
        units=units, grain=split(units, tile * cost / number),
    )  # fmt: skip
    units = -(-outputs // WIDTH)
    p.step(
        join.address(name, x.code, elem, end), found, best, *results, outputs, number,
        units=units, grain=split(units, number * 5),
    )  # fmt: skip


Ends = tuple[str, str | None]  #: types of positions and values (None: left out)


def _beats(name: str, new: Value, old: Value) -> Value:
    """Whether a later element takes the place of an earlier one."""
    better = new > old if name == "max" else new < old
    return better | (bodies.is_nan(new) & ~bodies.is_nan(old)) if new.type.is_float else better


class _Results:
    """Pointers of the results: positions [values]."""

    def __init__(self, fn: Function, at: int, end: Ends) -> None:
        self.fn, self.end = fn, end
        self.positions = fn.word(at).pointer()
        self.values = fn.word(at + 1).pointer() if end[1] is not None else None
        self.next = at + 1 + (end[1] is not None)

    def store(self, position: Value, value: Value, index: Value, mask: Value | None = None) -> None:
        pairs = [(position, self.positions, self.end[0])]
        if self.values is not None and self.end[1] is not None:
            pairs.append((value, self.values, self.end[1]))
        for item, pointer, code in pairs:
            if mask is None:
                memory.store(self.fn, item, pointer, code, index)
            else:
                memory.store_masked(self.fn, item, pointer, code, mask, index)


@recipe
def rows(name: str, types: Types, end: Ends, parted: bool) -> Module:
    """A unit is a tile of outputs, or a block of it if parted.
    words: x positions [values] | outputs | blocks | kept axes | 0"""
    fn = Function("kernel", [("ptr", "words")])
    x = fn.word(HEADER).pointer()
    results = _Results(fn, HEADER + 1, end)
    outputs = fn.word(results.next)
    blocks = BlockWords(fn, results.next + 1)
    kept = Axes(fn, blocks.end)
    reducer = Reducer(fn, name, types)
    lanes = Lanes(fn, reducer.lane, reducer.combine, reducer.identity(reducer.lane))
    tile = RowTile(fn, x, kept, outputs)
    none = Axes(fn, kept.end)  # there are no outer reduced axes

    def largest(start: Value, block: Value) -> Value:
        lanes.clear()

        def visit(part: int, pointer: Value, index: Value, mask: Value | None) -> None:
            value = reducer.load(pointer, index, mask)
            lanes.add(part, value if mask is None else fn.select(mask, value, lanes.identity))

        walk(fn, start, none, blocks.place(block), reducer.bytes, visit)
        return across(fn, reducer.combine, lanes.value())

    def find(start: Value, block: Value, value: Value) -> Value:
        """The first place of a value in a block where it certainly is."""
        _, _, first, length = blocks.place(block)
        pointer = start + first * reducer.bytes
        wanted = fn.splat(value, WIDTH)
        at = fn.var(0)
        at.set(0)
        with fn.forever() as exit:
            mask = fn.mask(length - at.value, WIDTH)
            here = reducer.load(pointer, at.value, mask)
            hit = here == wanted
            if here.type.is_float:
                hit = hit | bodies.is_nan(here)
            hit = hit & mask
            place.set(first + at.value + fn.first_lane(hit))
            exit.when(fn.any_lane(hit))
            at.add(WIDTH)
        return place.value

    place = fn.var(0)
    best = fn.var(0, Type(types.lane))
    position = fn.var(0)
    with fn.loop(fn.word(0), fn.word(1)) as unit:
        if parted:
            block = unit // tile.number
            tile.start(unit - block * tile.number)
            with tile.rows() as (row, start):
                value = largest(start, block)
                results.store(find(start, block, value), value, block * outputs + tile.base + row)
        else:
            tile.start(unit)
            with tile.rows() as (row, start), fn.loop(0, blocks.number) as block:
                value = largest(start, block)
                with fn.when((block == 0) | _beats(name, value, best.value)):
                    position.set(find(start, block, value))
                    best.set(value)
                with fn.when(block == blocks.number - 1):
                    results.store(position.value, best.value, tile.base + row)
    fn.ret(0)
    return fn.module


@recipe
def columns(name: str, types: Types, end: Ends, parted: bool) -> Module:
    """A unit is a tile of columns, or a block of it if parted.
    words: x positions [values] | columns tiles outer stride | blocks | outer kept axes"""
    fn = Function("kernel", [("ptr", "words")])
    x = fn.word(HEADER).pointer()
    results = _Results(fn, HEADER + 1, end)
    width, tiles, outer, stride = (fn.word(results.next + i) for i in range(4))
    blocks = BlockWords(fn, results.next + 4)
    kept = Axes(fn, blocks.end)
    reducer = Reducer(fn, name, types)
    best = [fn.var(0, reducer.lane) for _ in range(_TILE // WIDTH)]
    position = [fn.var(0, I64.vector(WIDTH)) for _ in range(_TILE // WIDTH)]

    def search(vectors: int, start: Value, masks: list[Value], first: Value, end_row: Value) -> None:
        """Leave the extremes of rows first … end of some columns in the variables."""
        for i in range(vectors):
            best[i].set(reducer.load(start + first * stride, i * WIDTH, masks[i]))
            position[i].set(fn.splat(first, WIDTH))
        with fn.loop(first + 1, end_row) as row:
            at = start + row * stride
            here = fn.splat(row, WIDTH)
            for i in range(vectors):
                value = reducer.load(at, i * WIDTH, masks[i])
                better = _beats(name, value, best[i].value)
                best[i].set(fn.select(better, value, best[i].value))
                position[i].set(fn.select(better, here, position[i].value))

    with fn.loop(fn.word(0), fn.word(1)) as unit:
        line = unit // tiles
        column = (unit - line * tiles) * _TILE
        left = width - column
        if parted:
            block = line // outer
            start = x + kept.offset(line - block * outer) + column * reducer.bytes
            _, _, first, length = blocks.place(block)
            last = first + length
        else:
            start = x + kept.offset(line) + column * reducer.bytes
            first, last = fn.const(0), blocks.length
        masks = [fn.mask(left - i * WIDTH, WIDTH) for i in range(_TILE // WIDTH)]
        many = left > WIDTH
        for vectors, condition in ((_TILE // WIDTH, many), (1, ~many)):
            with fn.when(condition):
                search(vectors, start, masks, first, last)
                for i in range(vectors):
                    place = line * width + column + i * WIDTH
                    results.store(position[i].value, best[i].value, place, masks[i])
    fn.ret(0)
    return fn.module


@recipe
def join(name: str, code: str, elem: str, end: Ends) -> Module:
    """The best of blocks, the first of equal ones. A unit is WIDTH outputs.
    words: positions, values: (block, output) | positions [values] | outputs, blocks"""
    fn = Function("kernel", [("ptr", "words")])
    found, best = (fn.word(HEADER + i).pointer() for i in range(2))
    results = _Results(fn, HEADER + 2, end)
    outputs, number = (fn.word(results.next + i) for i in range(2))
    top, position = fn.var(0, Type(elem, WIDTH)), fn.var(0, I64.vector(WIDTH))
    with fn.loop(fn.word(0), fn.word(1)) as unit:
        base = unit * WIDTH
        mask = fn.mask(smaller(fn, outputs - base, WIDTH), WIDTH)
        with fn.loop(0, number) as block:
            index = block * outputs + base
            value = memory.load_masked(fn, best, code, elem, mask, index)
            place = fn.masked_load(found, I64.vector(WIDTH), mask, index)
            better = fn.splat(block == 0, WIDTH) | _beats(name, value, top.value)
            top.set(fn.select(better, value, top.value))
            position.set(fn.select(better, place, position.value))
        results.store(position.value, top.value, base, mask)
    fn.ret(0)
    return fn.module
