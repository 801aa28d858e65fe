"""Maxima of squares of two by two, the commonest pooling: no copy, no index in memory.

Two rows are loaded a vector and a half-turn at a time, even columns are parted from odd ones by shuffles, and the four
candidates are compared in scan order: a later one wins if it is larger, or if it is NaN and the winner so far is not. The
gradient compares again, which is cheaper than reading an index, and shuffles the incoming gradient back between zeros.

Units are planes. The last column of an odd width and the last row of an odd height belong to no window.
"""

from __future__ import annotations

from types import SimpleNamespace

from anfora.kernel import bodies, memory
from anfora.kernel.build import recipe
from anfora.kernel.conv_layout import kernel_function, named_words
from anfora.kernel.emit import Function, Module, Type, Value
from anfora.kernel.plan import Buffer, Planner, split
from anfora.kernel.target import target

__all__ = ["first_of", "plan_pairs", "plan_pairs_gradient"]

WORDS = ("x", "image", "channel", "row", "channels", "height", "width", "out", "rows", "columns", "indices", "gradient")


def plan_pairs(p: Planner, x: Buffer, out: Buffer, indices: Buffer | None) -> None:
    """Add the step of the forward pooling."""
    kernel = pairs.address(x.code, indices is not None)
    _step(p, kernel, x, out, indices or 0, 0)


def plan_pairs_gradient(p: Planner, x: Buffer, g: Buffer, out: Buffer) -> None:
    """Add the step of the gradient `out` of x from g."""
    _step(p, pairs_gradient.address(x.code), x, out, 0, g)


def _step(p: Planner, kernel: int, x: Buffer, out: Buffer, indices: Buffer | int, g: Buffer | int) -> None:
    planes, (height, width) = x.shape[0] * x.shape[1], x.shape[2:]
    p.step(
        kernel, x, *x.strides[:3], x.shape[1], height, width, out, height // 2, width // 2, indices, g,
        units=planes, grain=split(planes, height * width * 0.1 + 10),
    )  # fmt: skip


def first_of(first: Value, second: Value) -> Value:
    """Whether the second of two candidates wins: it is larger, or NaN where the first is not."""
    if not first.type.is_float:
        return second > first
    return ~(second <= first) & ~bodies.is_nan(first)


class _Rows:
    """Writes the loop over the windows of two rows."""

    def __init__(self, fn: Function, w: SimpleNamespace, code: str) -> None:
        self.fn, self.w, self.code = fn, w, code
        self.elem = memory.compute_elem(code)
        self.lanes = target().lanes(self.elem)
        self.size = memory.code_bytes(code)

    def windows(self, top: Value, bottom: Value, finish) -> None:
        """Call `finish(candidates, column, lanes, count)` for vectors of windows; `count` is None where all lanes hold
        one. A rest of at most half a vector is done on half vectors."""
        fn, lanes = self.fn, self.lanes
        whole = self.w.columns // lanes * lanes
        with fn.loop(0, whole, lanes) as column:
            finish(self.candidates(top, bottom, column, lanes, None), column, lanes, None)
        rest = self.w.columns - whole
        small = rest <= lanes // 2
        for part, condition in ((lanes, ~small), (lanes // 2, small & (rest > 0))):
            with fn.when(condition):
                finish(self.candidates(top, bottom, whole, part, rest), whole, part, rest)

    def candidates(self, top: Value, bottom: Value, column: Value, lanes: int, count: Value | None) -> list[Value]:
        """The four elements of `lanes` windows, in scan order."""
        found = []
        for line in (top, bottom):
            halves = []
            for part in range(0, 2 * lanes, self.lanes):
                at = column * 2 + part
                if count is None:
                    halves.append(memory.load(self.fn, line, self.code, self.elem, self.lanes, at))
                else:
                    mask = self.fn.mask(count * 2 - part, self.lanes)
                    halves.append(memory.load_masked(self.fn, line, self.code, self.elem, mask, at))
            for odd in (0, 1):
                found.append(self.fn.shuffle(halves[0], halves[-1], list(range(odd, 2 * lanes, 2))))
        return found

    def store(self, value: Value, to: Value, index: Value, count: Value | None) -> None:
        if count is None:
            memory.store(self.fn, value, to, self.code, index)
        else:
            memory.store_masked(self.fn, value, to, self.code, self.fn.mask(count, value.type.lanes), index)


def _plane(w: SimpleNamespace, unit: Value) -> Value:
    image = unit // w.channels
    return w.x.pointer() + (image * w.image + (unit - image * w.channels) * w.channel)


@recipe
def pairs(code: str, with_indices: bool) -> Module:
    """The forward kernel."""
    fn = kernel_function()
    w = named_words(fn, WORDS)
    rows = _Rows(fn, w, code)
    with fn.loop(fn.word(0), fn.word(1)) as unit, fn.loop(0, w.rows) as row:
        top = _plane(w, unit) + row * 2 * w.row
        number = (unit * w.rows + row) * w.columns

        def finish(candidates: list[Value], column: Value, lanes: int, count: Value | None) -> None:
            a, b, c, d = candidates
            later, later_below = first_of(a, b), first_of(c, d)
            upper, lower = fn.select(later, b, a), fn.select(later_below, d, c)
            below = first_of(upper, lower)
            rows.store(fn.select(below, lower, upper), w.out.pointer(), number + column, count)
            if with_indices:
                lane = fn.constants(list(range(0, 2 * lanes, 2)), "i64")
                upper_place, lower_place = fn.select(later, lane + 1, lane), fn.select(later_below, lane + 1, lane)
                place = fn.select(below, lower_place + w.width, upper_place) + (row * 2 * w.width + column * 2)
                if count is None:
                    fn.store(place, w.indices.pointer(), number + column)
                else:
                    fn.masked_store(place, w.indices.pointer(), fn.mask(count, lanes), number + column)

        rows.windows(top, top + w.row, finish)
    fn.ret(0)
    return fn.module


@recipe
def pairs_gradient(code: str) -> Module:
    """The kernel of the gradient."""
    fn = kernel_function()
    w = named_words(fn, WORDS)
    rows = _Rows(fn, w, code)
    with fn.loop(fn.word(0), fn.word(1)) as unit:
        out = w.out.pointer() + unit * (w.height * w.width * rows.size)
        with fn.loop(0, w.rows) as row:
            top = _plane(w, unit) + row * 2 * w.row
            number = (unit * w.rows + row) * w.columns
            to = out + row * 2 * w.width * rows.size

            def finish(candidates: list[Value], column: Value, lanes: int, count: Value | None) -> None:
                gradient = w.gradient.pointer()
                if count is None:
                    g = memory.load(fn, gradient, code, rows.elem, lanes, number + column)
                else:
                    mask = fn.mask(count, lanes)
                    g = memory.load_masked(fn, gradient, code, rows.elem, mask, number + column)
                g = g + fn.const(0, g.type)  # -0 becomes +0, as in a sum
                a, b, c, d = candidates
                later, later_below = first_of(a, b), first_of(c, d)
                below = first_of(fn.select(later, b, a), fn.select(later_below, d, c))
                zero = fn.const(0, g.type)
                for line, here, odd in ((to, ~below, later), (to + w.width * rows.size, below, later_below)):
                    even_part, odd_part = fn.select(here & ~odd, g, zero), fn.select(here & odd, g, zero)
                    for part in range(0, 2 * lanes, rows.lanes):
                        lane = [i // 2 + lanes * (i % 2) for i in range(part, part + rows.lanes)]
                        left = None if count is None else count * 2 - part
                        rows.store(fn.shuffle(even_part, odd_part, lane), line, column * 2 + part, left)

            rows.windows(top, top + w.row, finish)
            with fn.loop(w.columns * 2, w.width) as column:
                zero = fn.const(0, Type(memory.storage(code)))
                fn.store(zero, to, column)
                fn.store(zero, to, w.width + column)
        done = w.rows * 2 * w.width
        fn.fill_bytes(out + done * rows.size, 0, (w.height * w.width - done) * rows.size)
    fn.ret(0)
    return fn.module
