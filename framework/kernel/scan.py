"""Running reductions along an axis: cumulative sums, products, maxima and minima, and linear recurrences.

**The order.** Elements are combined one after the other, first to last (last to first when reversed), in the wide type
(float64 for sums and products of floating point); each result is rounded from it. So a running sum of float32 is exact to
the last bit or so however long it is, and the order leaves nothing to choose.

One axis is scanned for all places of the others. These are taken as vectors where they are neighbours in memory, else
`_CHAINS` at a time as scalars, since a single chain of additions leaves the processor waiting.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from anfora.core.records import Record
from anfora.kernel import bodies, memory
from anfora.kernel.build import recipe
from anfora.kernel.emit import Function, Module, Type, Value, Var
from anfora.kernel.loops import HEADER, merge_axes
from anfora.kernel.plan import Buffer, Planner, split
from anfora.kernel.reduce_parts import WIDTH, Axes, axis_words, rounded, smaller

__all__ = ["SCANS", "plan_scan"]

_CHAINS = 4
_TILE = 64  # places that are walked together as vectors


class Scan(Record):
    """What is carried from element to element.

    A body gets what is carried and the element (a value for each input) and gives what is carried next. The first
    `results` of it are stored.
    """

    body: Callable[[tuple[Value, ...], tuple[Value, ...]], tuple[Value, ...]]
    start: tuple[float, ...]
    wide: bool = True  #: floating point is carried in float64
    counts: int = 0  #: how many of the last carried values are positions (int64)
    results: int = 1
    cost: float = 1.2  #: nanoseconds an element, about


def _sum(carried, given):
    return (carried[0] + given[0],)


def _product(carried, given):
    return (carried[0] * given[0],)


def _largest(carried, given):
    """Value, its position, the position of the next element. Of equal ones the last counts; NaN stays."""
    (best, place, here), (x,) = carried, given
    better = (x >= best) | bodies.is_nan(x) | (here == 0) if x.type.is_float else (x >= best) | (here == 0)
    return bodies.select(better, x, best), bodies.select(better, here, place), here + 1


def _smallest(carried, given):
    (best, place, here), (x,) = carried, given
    better = (x <= best) | bodies.is_nan(x) | (here == 0) if x.type.is_float else (x <= best) | (here == 0)
    return bodies.select(better, x, best), bodies.select(better, here, place), here + 1


def _log_sum(carried, given):
    """log(e ** a + e ** x), the larger taken out."""
    (a,), (x,) = carried, given
    top = bodies.maximum(a, x)
    low = bodies.minimum(a, x)
    gap = bodies.select(low == -math.inf, -math.inf, low - top)
    return (bodies.select(bodies.absolute(top) == math.inf, top, top + bodies.log(1.0 + bodies.exp(gap))),)


def _recur(carried, given):
    """y = a y + b"""
    (y,), (a, b) = carried, given
    return (a * y + b,)


SCANS = {
    "sum": Scan(_sum, (0.0,)),
    "prod": Scan(_product, (1.0,)),
    "max": Scan(_largest, (0.0, 0, 0), wide=False, counts=2, results=2),
    "min": Scan(_smallest, (0.0, 0, 0), wide=False, counts=2, results=2),
    "logsumexp": Scan(_log_sum, (-math.inf,), cost=10.0),
    "recurrence": Scan(_recur, (0.0,)),
}


def plan_scan(
    p: Planner,
    name: str,
    inputs: Sequence[Buffer],
    outputs: Sequence[Buffer],
    axis: int,
    exclusive: bool = False,
    reverse: bool = False,
) -> None:
    """Add the step that scans along an axis.

    Args:
        name: a key of SCANS.
        inputs: of one shape, any strides.
        outputs: of that shape, contiguous; positions are integers.
        exclusive: store what was carried before an element instead of after it.
        reverse: from the last element to the first.
    """
    shape = outputs[0].shape
    if outputs[0].size == 0:
        return
    scan = SCANS[name]
    if not shape:
        inputs, outputs, shape, axis = [_row(x) for x in inputs], [_row(x) for x in outputs], (1,), 0
    operands = (*inputs, *outputs)
    length = shape[axis]
    steps = [x.strides[axis] for x in operands]
    if reverse:
        operands = tuple(x.moved((length - 1) * step) for x, step in zip(operands, steps))
        steps = [-step for step in steps]
    kept, rows, width = _lanes(operands, axis)
    vector = width > 0
    width = max(width, 1)
    code = outputs[0].code
    elem = "f64" if scan.wide and outputs[0].dtype.is_float else memory.compute_elem(code)
    places = math.prod(kept)
    chains = 1 if places < _CHAINS else _CHAINS
    units = places * -(-width // _TILE) if vector else -(-places // chains)
    axes = [axis_words(tuple((n, step[i]) for n, step in zip(kept, rows))) for i in range(len(operands))]
    cost = length * (min(width, _TILE) / WIDTH if vector else chains) * scan.cost
    p.step(
        scans.address(name, tuple(x.code for x in inputs), tuple(x.code for x in outputs), elem, vector, chains, exclusive),
        *operands, length, places, width, *steps, *(word for words in axes for word in words),
        units=units, grain=split(units, cost),
    )  # fmt: skip


def _lanes(operands: Sequence[Buffer], axis: int) -> tuple[list[int], list[tuple[int, ...]], int]:
    """The axes beside the one that is scanned.

    Returns:
        lengths and strides of those that are gone over place by place, and how many places are done side by side, in
        vectors; 0 if none are.
    """
    shape = operands[0].shape
    others = [i for i in range(len(shape)) if i != axis]
    lengths, strides = merge_axes(
        tuple(shape[i] for i in others), [tuple(x.strides[i] for i in others) for x in operands]
    )
    width = lengths[-1]
    is_dense = width > 1 and all(step == x.dtype.itemsize for step, x in zip(strides[-1], operands))
    if not is_dense or width < _CHAINS:
        return lengths, strides, 0
    return lengths[:-1], strides[:-1], width


def _row(buffer: Buffer) -> Buffer:
    """A 0-d buffer as a row of one element."""
    return buffer.reshaped(1)


@recipe
def scans(
    name: str, inputs: tuple[str, ...], outputs: tuple[str, ...], elem: str, vector: bool, chains: int, exclusive: bool
) -> Module:
    """A unit is a tile of neighbouring places, or a few places.
    words: pointers | length places width | a step for each | axes of the places for each"""
    fn = Function("kernel", [("ptr", "words")])
    codes = inputs + outputs
    count = len(codes)
    pointers = [fn.word(HEADER + i).pointer() for i in range(count)]
    length, places, width = (fn.word(HEADER + count + i) for i in range(3))
    steps = [fn.word(HEADER + count + 3 + i) for i in range(count)]
    axes = []
    at: int | Value = HEADER + 2 * count + 3
    for _ in codes:
        axes.append(Axes(fn, at))
        at = axes[-1].end
    scan = SCANS[name]
    lanes = WIDTH if vector else 0
    kinds = [Type("i64" if i >= len(scan.start) - scan.counts else elem, lanes) for i in range(len(scan.start))]
    carriers = [[fn.var(0, kind) for kind in kinds] for _ in range(_TILE // WIDTH if vector else chains)]

    def run(chain: list[Var], starts: list[Value], index: Value, mask: Value | None) -> None:
        """One element of one chain."""
        at = [start + index * step for start, step in zip(starts, steps)]
        carried = tuple(var.value for var in chain)
        given = tuple(
            memory.load(fn, pointer, code, elem, 0)
            if mask is None
            else memory.load_masked(fn, pointer, code, elem, mask)
            for pointer, code in zip(at, inputs)
        )
        after = scan.body(carried, given)
        for var, value in zip(chain, after):
            var.set(value)
        results = (carried if exclusive else after)[: scan.results]
        for pointer, code, value in zip(at[len(inputs) :], outputs, results):
            if mask is None:
                memory.store(fn, rounded(value, code), pointer, code)
            else:
                memory.store_masked(fn, rounded(value, code), pointer, code, mask)

    def walk(several: list[list[Value]], masks: Sequence[Value | None]) -> None:
        """The whole axis for some chains, each with its starts."""
        for chain in carriers[: len(several)]:
            for var, value in zip(chain, scan.start):
                var.set(value)
        with fn.loop(0, length) as index:
            for chain, starts, mask in zip(carriers, several, masks):
                run(chain, starts, index, mask)

    with fn.loop(fn.word(0), fn.word(1)) as unit:
        if vector:
            tiles = (width + (_TILE - 1)) // _TILE
            place = unit // tiles
            first = (unit - place * tiles) * _TILE
            rows = [pointer + a.offset(place) for pointer, a in zip(pointers, axes)]
            parts = [first + i * WIDTH for i in range(_TILE // WIDTH)]
            masks = [fn.mask(width - part, WIDTH) for part in parts]
            several = [[row + part * memory.code_bytes(code) for row, code in zip(rows, codes)] for part in parts]
            many = width - first > WIDTH
            for number, condition in ((len(parts), many), (1, ~many)):
                with fn.when(condition):
                    walk(several[:number], masks)
        else:
            several = []
            for i in range(chains):  # the last place is done several times where there are no more
                place = smaller(fn, unit * chains + i, places - 1)
                several.append([pointer + a.offset(place) for pointer, a in zip(pointers, axes)])
            walk(several, [None] * chains)
    fn.ret(0)
    return fn.module
