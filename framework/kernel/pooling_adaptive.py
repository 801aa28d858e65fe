"""Adaptive pooling: output p takes rows floor(p · H / P) … ceil((p + 1) · H / P) of the plane, and columns likewise.

**The order of an average.** A window has 64 bytes / bytes of an element sums: the elements of each row go to the sums in
turn, from the first one on, row after row; then the upper half of the sums is added to the lower until one is left,
which is divided by the number of elements. Where one window spans whole rows (Q = 1), its elements are a single row.
The number of sums is the same on every machine.

The maximum is the first one in scan order. Gradients add window after window, in scan order, to +0.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

from anfora.kernel import memory
from anfora.kernel.build import recipe
from anfora.kernel.conv_layout import kernel_function, named_words
from anfora.kernel.emit import Module, Type, Value
from anfora.kernel.plan import Buffer, Planner, Word, split
from anfora.kernel.pooling_pairs import first_of

__all__ = [
    "plan_adaptive_average", "plan_adaptive_average_gradient", "plan_adaptive_maximum", "plan_adaptive_maximum_gradient",
]  # fmt: skip

WORDS = (
    "x", "image", "channel", "row", "channels", "height", "width", "out", "rows", "columns", "indices", "gradient",
    "divisor",
)  # fmt: skip


def plan_adaptive_average(p: Planner, x: Buffer, out: Buffer, divisor: int = 0) -> None:
    """Add the step of the forward average; a `divisor` takes the place of the number of elements."""
    assert out.shape[3] > 1 or x.strides[2] == x.shape[3] * x.dtype.itemsize or x.shape[2] == 1
    _step(p, average.address(x.code), x.shape, out.shape, out, x=x, divisor=divisor)


def plan_adaptive_average_gradient(p: Planner, g: Buffer, out: Buffer, divisor: int = 0) -> None:
    """Add the step of the gradient `out` of the input from g."""
    _step(p, average_gradient.address(g.code), out.shape, g.shape, out, gradient=g, divisor=divisor)


def plan_adaptive_maximum(p: Planner, x: Buffer, out: Buffer, indices: Buffer | None) -> None:
    """Add the step of the forward maximum, and of its indices."""
    _step(p, maximum.address(x.code, indices is not None), x.shape, out.shape, out, x=x, indices=indices or 0)


def plan_adaptive_maximum_gradient(p: Planner, x: Buffer, g: Buffer, out: Buffer) -> None:
    """Add the step of the gradient `out` of x from g."""
    _step(p, maximum_gradient.address(x.code), x.shape, g.shape, out, x=x, gradient=g)


def _step(
    p: Planner, kernel: int, planes: tuple[int, ...], windows: tuple[int, ...], out: Buffer, x: Buffer | None = None,
    indices: Word = 0, gradient: Word = 0, divisor: int = 0,
) -> None:  # fmt: skip
    """Add the step for input `planes` and `windows`, both (N, C, rows, columns)."""
    (height, width), count = planes[2:], planes[0] * planes[1]
    source: tuple[Word, ...] = (x, *x.strides[:3]) if x is not None else (0, 0, 0, 0)
    p.step(
        kernel, *source, planes[1], height, width, out, *windows[2:], indices, gradient, divisor,
        units=count, grain=split(count, height * width * 0.5 + windows[2] * windows[3] * 10),
        scratch=height * width * Type(memory.compute_elem(out.code)).bytes,
    )  # fmt: skip


class _Windows:
    """Writes the loops over the planes and their windows."""

    def __init__(self, code: str) -> None:
        self.fn = kernel_function()
        self.w = named_words(self.fn, WORDS)
        self.code, self.elem = code, memory.compute_elem(code)

    @contextmanager
    def planes(self) -> Iterator[SimpleNamespace]:
        """The number of each plane, and where it begins in x."""
        fn, w = self.fn, self.w
        with fn.loop(fn.word(0), fn.word(1)) as unit:
            image = unit // w.channels
            x = w.x.pointer() + (image * w.image + (unit - image * w.channels) * w.channel)
            yield SimpleNamespace(unit=unit, x=x)
        fn.ret(0)

    @contextmanager
    def windows(self, plane: SimpleNamespace) -> Iterator[SimpleNamespace]:
        """The windows of a plane: number among all outputs, first row and column, lines and their length."""
        fn, w = self.fn, self.w
        with fn.loop(0, w.rows) as p, fn.loop(0, w.columns) as q:
            top, bottom = p * w.height // w.rows, ((p + 1) * w.height + w.rows - 1) // w.rows
            left, right = q * w.width // w.columns, ((q + 1) * w.width + w.columns - 1) // w.columns
            number = (plane.unit * w.rows + p) * w.columns + q
            yield SimpleNamespace(number=number, top=top, left=left, lines=bottom - top, length=right - left)

    @contextmanager
    def vectors(self, window: SimpleNamespace) -> Iterator[tuple[Value, Value, Value]]:
        """The elements of a window by vectors: row, column, mask. Lines that span whole rows are walked as one."""
        fn, w = self.fn, self.w
        lanes = 64 // Type(self.elem).bytes
        single = w.columns == 1
        lines = fn.select(single, 1, window.lines)
        length = fn.select(single, window.lines * window.length, window.length)
        with fn.loop(0, lines) as line, fn.loop(0, length, lanes) as i:
            yield window.top + line, window.left + i, fn.mask(length - i, lanes)

    def divisor(self, window: SimpleNamespace) -> Value:
        return self.fn.select(self.w.divisor != 0, self.w.divisor, window.lines * window.length).to(self.elem)

    @contextmanager
    def sums(self, plane: SimpleNamespace) -> Iterator[Value]:
        """A plane of zeros in the type of computing, which becomes the plane of the output."""
        fn, w, kind = self.fn, self.w, Type(self.elem, 64 // Type(self.elem).bytes)
        count = w.height * w.width
        out = w.out.pointer() + plane.unit * count * memory.code_bytes(self.code)
        in_place = memory.storage(self.code) == self.elem
        sums = out if in_place else fn.word(2).pointer()
        fn.fill_bytes(sums, 0, count * kind.bytes)
        yield sums
        if not in_place:
            with fn.loop(0, count, kind.lanes) as i:
                mask = fn.mask(count - i, kind.lanes)
                memory.store_masked(fn, fn.masked_load(sums, kind, mask, i), out, self.code, mask, i)


@recipe
def average(code: str) -> Module:
    """The forward average. Units are planes."""
    at = _Windows(code)
    fn, w, elem = at.fn, at.w, at.elem
    with at.planes() as plane, at.windows(plane) as window:
        sums = fn.var(fn.const(0.0, Type(elem, 64 // Type(elem).bytes)))
        with at.vectors(window) as (row, column, mask):
            sums.set(sums.value + memory.load_masked(fn, plane.x + row * w.row, code, elem, mask, column))
        total = sums.value
        while total.type.lanes > 1:
            low, high = fn.halves(total)
            total = low + high
        mean = fn.lane(total, 0) / at.divisor(window)
        memory.store(fn, mean, w.out.pointer(), code, window.number)
    return fn.module


@recipe
def average_gradient(code: str) -> Module:
    """The gradient of the average. Units are planes."""
    at = _Windows(code)
    fn, w, elem = at.fn, at.w, at.elem
    kind = Type(elem, 64 // Type(elem).bytes)
    with at.planes() as plane, at.sums(plane) as sums, at.windows(plane) as window:
        g = memory.load(fn, w.gradient.pointer(), code, elem, 0, window.number)
        share = fn.splat(g / at.divisor(window), kind.lanes)
        with at.vectors(window) as (row, column, mask):
            number = row * w.width + column
            fn.masked_store(fn.masked_load(sums, kind, mask, number) + share, sums, mask, number)
    return fn.module


def _first_maximum(at: _Windows, plane: SimpleNamespace, window: SimpleNamespace) -> tuple[Value, Value]:
    """The maximum of a window, and its place in the plane."""
    fn, w = at.fn, at.w

    def element(row: Value, column: Value) -> Value:
        return memory.load(fn, plane.x + row * w.row, at.code, at.elem, 0, column)

    best = fn.var(element(window.top, window.left))
    place = fn.var(window.top * w.width + window.left)
    ends = window.top + window.lines, window.left + window.length
    with fn.loop(window.top, ends[0]) as row, fn.loop(window.left, ends[1]) as column:
        value = element(row, column)
        wins = first_of(best.value, value)
        best.set(fn.select(wins, value, best.value))
        place.set(fn.select(wins, row * w.width + column, place.value))
    return best.value, place.value


@recipe
def maximum(code: str, with_indices: bool) -> Module:
    """The forward maximum. Units are planes."""
    at = _Windows(code)
    with at.planes() as plane, at.windows(plane) as window:
        best, place = _first_maximum(at, plane, window)
        memory.store(at.fn, best, at.w.out.pointer(), code, window.number)
        if with_indices:
            at.fn.store(place, at.w.indices.pointer(), window.number)
    return at.fn.module


@recipe
def maximum_gradient(code: str) -> Module:
    """The gradient of the maximum. Units are planes."""
    at = _Windows(code)
    fn, w = at.fn, at.w
    with at.planes() as plane, at.sums(plane) as sums, at.windows(plane) as window:
        _, place = _first_maximum(at, plane, window)
        g = memory.load(fn, w.gradient.pointer(), code, at.elem, 0, window.number)
        fn.store(fn.load(sums, g.type, place) + g, sums, place)
    return fn.module
