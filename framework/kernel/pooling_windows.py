"""Pooling with any window: vectors over output columns.

A unit copies a plane, or the rows of it that a band of outputs needs, into scratch, with the padding written out and the
columns dealt to as many runs as the window moves by (`conv_layout.padded_copy`). After that a tap is a constant distance
for all outputs of a row, whatever the stride, the dilation, or how far the last window hangs over the end.

The gradient of the maximum looks for it again, and adds to the plane element by element. The gradient of the average adds
each incoming element, divided, to a plane of sums that is laid out like the copy: windows row by row, and the taps of a
row from right to left. So both form each sum in the order of the windows.
"""

from __future__ import annotations

import math
from types import SimpleNamespace

from anfora.core.records import Record
from anfora.kernel import memory
from anfora.kernel.build import recipe
from anfora.kernel.conv_layout import kernel_function, least, named_words, padded_copy
from anfora.kernel.emit import Function, Module, Type, Value
from anfora.kernel.loops import HEADER
from anfora.kernel.plan import Buffer, Planner, Word, split
from anfora.kernel.pooling_pairs import first_of
from anfora.kernel.target import target

__all__ = ["Window", "plan_average", "plan_average_gradient", "plan_maximum", "plan_maximum_gradient"]


class Window(Record):
    """The attributes of a pooling: pairs of rows and columns; padding is top, bottom, left, right."""

    kernel: tuple[int, int]
    stride: tuple[int, int]
    padding: tuple[int, int, int, int]
    dilation: tuple[int, int] = (1, 1)


_COPY = (
    "x", "image", "channel", "row", "channels", "height", "width", "rows", "columns", "bands", "band_rows",
    "row_stride", "column_stride", "row_span", "extent", "first_row", "first_column", "row_pitch", "run_pitch", "taps",
)  # fmt: skip
MAXIMUM = (*_COPY, "out", "indices", "gradient", "sums_at")
AVERAGE = (
    *_COPY, "out", "gradient", "low_row", "high_row", "low_column", "high_column", "divisor", "kernel_rows",
    "kernel_columns",
)  # fmt: skip


class _Scratch:
    """How a plane is cut into bands and laid out in scratch, and where the taps lie there."""

    def __init__(self, x: tuple[int, ...], out: tuple[int, ...], window: Window, elem: str, in_bands: bool) -> None:
        (height, width), (rows, columns) = x[2:], out[2:]
        size, lanes = Type(elem).bytes, target().lanes(elem)
        step, dilation = window.stride, window.dilation
        spans = [(window.kernel[i] - 1) * dilation[i] for i in (0, 1)]
        first = -window.padding[0], -window.padding[2]
        extent = (columns - 1) * step[1] + spans[1] + 1
        # The last vector of a row reads beyond its outputs; the plane of a gradient reaches as far as the input.
        reach = max(spans[1] // step[1] + -(-columns // lanes) * lanes, -(-(width - first[1]) // step[1])) + 1
        run_pitch = -(-reach // lanes) * lanes * size
        self.row_pitch = run_pitch * step[1]
        band_rows = rows
        if in_bands:
            band_rows = max(1, min(rows, (131_072 // self.row_pitch - spans[0]) // step[0]))
        self.bands = -(-rows // band_rows)
        self.rows = (band_rows - 1) * step[0] + spans[0] + 1
        self.bytes = max(self.rows, 0 if in_bands else height - first[0]) * self.row_pitch + 2 * lanes * size
        self.words = (
            rows, columns, self.bands, band_rows, *step, spans[0], extent, *first, self.row_pitch, run_pitch,
            window.kernel[0] * window.kernel[1],
        )  # fmt: skip
        self.places = []
        for r in range(window.kernel[0]):
            for s in range(window.kernel[1]):
                at, run = divmod(s * dilation[1], step[1])
                self.places.append(r * dilation[0] * self.row_pitch + run * run_pitch + at * size)

    @property
    def outputs(self) -> int:
        return self.words[0] * self.words[1]


def plan_maximum(p: Planner, x: Buffer, out: Buffer, indices: Buffer | None, window: Window) -> None:
    """Add the step of the forward maximum, and of its indices."""
    scratch = _Scratch(x.shape, out.shape, window, memory.compute_elem(x.code), True)
    _maximum_step(p, "value" if indices is None else "indices", x, out, indices or 0, 0, scratch, window)


def plan_maximum_gradient(p: Planner, x: Buffer, g: Buffer, out: Buffer, window: Window) -> None:
    """Add the step of the gradient `out` of x from g."""
    scratch = _Scratch(x.shape, g.shape, window, memory.compute_elem(x.code), True)
    _maximum_step(p, "gradient", x, out, 0, g, scratch, window)


def _maximum_step(
    p: Planner, mode: str, x: Buffer, out: Buffer, indices: Word, gradient: Word, scratch: _Scratch, window: Window
) -> None:
    planes, (height, width) = x.shape[0] * x.shape[1], x.shape[2:]
    elem, is_gradient = memory.compute_elem(x.code), mode == "gradient"
    # The bands of a plane may hit the same elements of its gradient, so they are left to one unit.
    units = planes * (1 if is_gradient else scratch.bands)
    sums = height * width * Type(elem).bytes if is_gradient else 0
    rows, columns = window.dilation
    steps = [(r * rows, s * columns) for r in range(window.kernel[0]) for s in range(window.kernel[1])]
    cost = height * width * 0.2 + scratch.outputs * (len(steps) * 0.1 + 2 * is_gradient)
    p.step(
        maximum.address(x.code, mode, window.stride[1]),
        x, *x.strides[:3], x.shape[1], height, width, *scratch.words, out, indices, gradient, scratch.bytes,
        *(word for place, step in zip(scratch.places, steps) for word in (place, *step)),
        units=units, grain=split(units, planes * cost / units + 20), scratch=scratch.bytes + sums,
    )  # fmt: skip


def plan_average(p: Planner, x: Buffer, out: Buffer, window: Window, include_pad: bool, divisor: int | None) -> None:
    """Add the step of the forward average."""
    scratch = _Scratch(x.shape, out.shape, window, memory.compute_elem(x.code), True)
    units = x.shape[0] * x.shape[1] * scratch.bands
    cost = (x.shape[2] * x.shape[3] * 0.2 + scratch.outputs * len(scratch.places) * 0.1) / scratch.bands + 20
    p.step(
        average.address(x.code, window.stride[1]),
        x, *x.strides[:3], x.shape[1], *x.shape[2:], *scratch.words, out, 0,
        *_limits(x.shape, window, include_pad), divisor or 0, *window.kernel, *scratch.places,
        units=units, grain=split(units, cost), scratch=scratch.bytes,
    )  # fmt: skip


def plan_average_gradient(
    p: Planner, g: Buffer, out: Buffer, window: Window, include_pad: bool, divisor: int | None
) -> None:
    """Add the step of the gradient `out` of the input from g."""
    scratch = _Scratch(out.shape, g.shape, window, memory.compute_elem(g.code), False)
    columns = window.kernel[1]
    places = [place for r in range(window.kernel[0]) for place in scratch.places[r * columns : (r + 1) * columns][::-1]]
    units = out.shape[0] * out.shape[1]
    cost = out.shape[2] * out.shape[3] * 0.4 + scratch.outputs * len(places) * 0.15 + 20
    p.step(
        average_gradient.address(g.code, window.stride[1]),
        0, 0, 0, 0, out.shape[1], *out.shape[2:], *scratch.words, out, g,
        *_limits(out.shape, window, include_pad), divisor or 0, *window.kernel, *places,
        units=units, grain=split(units, cost), scratch=scratch.bytes,
    )  # fmt: skip


def _limits(x: tuple[int, ...], window: Window, include_pad: bool) -> tuple[int, int, int, int]:
    """Which positions count as elements of a window: rows from, to; columns from, to."""
    top, bottom, left, right = window.padding if include_pad else (0, 0, 0, 0)
    return -top, x[2] + bottom, -left, x[3] + right


# -- parts of the kernels --------------------------------------------------------------------------------------------


class _Copy:
    """Writes the copy of a band, and tells where windows begin in it."""

    def __init__(self, fn: Function, w: SimpleNamespace, code: str, runs: int, fill: float) -> None:
        self.fn, self.w, self.code, self.runs, self.fill = fn, w, code, runs, fill
        self.kind = Type(memory.compute_elem(code), target().lanes(memory.compute_elem(code)))

    def band(self, plane: Value, band: Value) -> tuple[Value, Value]:
        """Copy what a band of outputs needs; gives its first row and its end."""
        fn, w = self.fn, self.w
        first = band * w.band_rows
        end = least(fn, first + w.band_rows, w.rows)
        image = plane // w.channels
        padded_copy(
            fn, w.x.pointer() + (image * w.image + (plane - image * w.channels) * w.channel), fn.word(2).pointer(),
            code=self.code, elem=self.kind.elem, runs=self.runs, channels=fn.const(1), channel_stride=w.channel,
            row_stride=w.row, height=w.height, width=w.width, first_row=first * w.row_stride + w.first_row,
            rows=(end - first - 1) * w.row_stride + w.row_span + 1, first_column=w.first_column, columns=w.extent,
            channel_pitch=0, row_pitch=w.row_pitch, run_pitch=w.run_pitch, fill=self.fill,
        )  # fmt: skip
        return first, end

    def windows(self, line: Value, column: Value) -> Value:
        """Where the first tap lies of the windows of outputs `column` … in the band's row `line`."""
        return self.fn.word(2).pointer() + (line * self.w.row_stride * self.w.row_pitch + column * self.kind.bytes)


# -- maximum ---------------------------------------------------------------------------------------------------------


@recipe
def maximum(code: str, mode: str, runs: int) -> Module:
    """The kernel for `value` and `indices` (units are bands of planes) or `gradient` (units are planes)."""
    fn = kernel_function()
    w = named_words(fn, MAXIMUM)
    copy = _Copy(fn, w, code, runs, _lowest(memory.compute_elem(code)))
    with fn.loop(fn.word(0), fn.word(1)) as unit:
        if mode == "gradient":
            _add_to_maxima(fn, w, copy, unit)
        else:
            plane = unit // w.bands
            first, end = copy.band(plane, unit - plane * w.bands)
            with fn.loop(first, end) as row, fn.loop(0, w.columns, copy.kind.lanes) as column:
                best, place = _first_maximum(fn, w, copy, row - first, row, column, mode == "indices")
                mask = fn.mask(w.columns - column, copy.kind.lanes)
                number = (plane * w.rows + row) * w.columns + column
                memory.store_masked(fn, best, w.out.pointer(), code, mask, number)
                if place is not None:
                    fn.masked_store(place.to("i64"), w.indices.pointer(), mask, number)
    fn.ret(0)
    return fn.module


def _lowest(elem: str) -> float:
    """What padding counts as: no element is smaller."""
    if elem[0] == "f":
        return -math.inf
    return 0 if elem[0] == "u" else -(2 ** (int(elem[1:]) - 1))


def _first_maximum(
    fn: Function, w: SimpleNamespace, copy: _Copy, line: Value, row: Value, column: Value, with_place: bool
) -> tuple[Value, Value | None]:
    """The maxima of a vector of windows of output row `row`, which is row `line` of the band, and on demand their places
    h · width + w in the plane; -1 where a window holds nothing but padding."""
    kind = copy.kind
    windows = copy.windows(line, column)
    top = row * w.row_stride + w.first_row
    lane = fn.constants(list(range(kind.lanes)), "i32")
    left = (lane + column.to("i32")) * w.column_stride.to("i32") + w.first_column.to("i32")
    width = w.width.to("i32")
    best, place = fn.var(fn.const(copy.fill, kind)), fn.var(fn.const(-1, left.type))

    def tap_words(tap: Value) -> tuple[Value, Value, Value]:
        word = tap * 3 + (HEADER + len(MAXIMUM))
        return fn.word(word), fn.word(word + 1), fn.word(word + 2)

    with fn.loop(0, w.taps) as tap:
        distance, down, right = tap_words(tap)
        element = fn.load(windows + distance, kind)
        wins = first_of(best.value, element)
        best.set(fn.select(wins, element, best.value))
        if with_place:
            here = left + ((top + down) * w.width + right).to("i32")
            place.set(fn.select(wins, here, place.value))
    if not with_place:
        return best.value, None
    # Where nothing was larger than what padding counts as, the first element in the plane is the maximum.
    open_ = place.value < 0
    with fn.when(fn.any_lane(open_ & fn.mask(w.columns - column, kind.lanes))), fn.loop(0, w.taps) as back:
        _, down, right = tap_words(w.taps - 1 - back)
        y, x = top + down, left + right.to("i32")
        inside = (x >= 0) & (x < width) & fn.splat((y >= 0) & (y < w.height), kind.lanes)
        place.set(fn.select(open_ & inside, x + (y * w.width).to("i32"), place.value))
    return best.value, place.value


def _add_to_maxima(fn: Function, w: SimpleNamespace, copy: _Copy, plane: Value) -> None:
    """The gradient of a plane. Sums are formed in the type of computing: in place, or in scratch and then rounded."""
    code, kind = copy.code, copy.kind
    size, count = memory.code_bytes(code), w.height * w.width
    out = w.out.pointer() + plane * count * size
    in_place = memory.storage(code) == kind.elem
    sums = out if in_place else fn.word(2).pointer() + w.sums_at
    fn.fill_bytes(sums, 0, count * kind.bytes)
    places = fn.buffer(kind.lanes * 4)
    with fn.loop(0, w.bands) as band:
        first, end = copy.band(plane, band)
        with fn.loop(first, end) as row, fn.loop(0, w.columns, kind.lanes) as column:
            _, place = _first_maximum(fn, w, copy, row - first, row, column, True)
            assert place is not None
            fn.store(place, places)
            number = (plane * w.rows + row) * w.columns + column
            with fn.loop(0, least(fn, kind.lanes, w.columns - column)) as lane:
                at = fn.load(places, Type("i32"), lane).to("i64")
                with fn.when(at >= 0):
                    g = memory.load(fn, w.gradient.pointer(), code, kind.elem, 0, number + lane)
                    fn.store(fn.load(sums, kind.scalar, at) + g, sums, at)
    if not in_place:
        with fn.loop(0, count, kind.lanes) as i:
            mask = fn.mask(count - i, kind.lanes)
            memory.store_masked(fn, fn.masked_load(sums, kind, mask, i), out, code, mask, i)


# -- average ---------------------------------------------------------------------------------------------------------


def _counts(fn: Function, w: SimpleNamespace, row: Value, column: Value, kind: Type) -> Value:
    """By how much the windows of outputs `column` … of a row are divided."""
    top = row * w.row_stride + w.first_row
    low, high = fn.select(top > w.low_row, top, w.low_row), least(fn, top + w.kernel_rows, w.high_row)
    lane = fn.constants(list(range(kind.lanes)), "i32")
    left = (lane + column.to("i32")) * w.column_stride.to("i32") + w.first_column.to("i32")
    begin, end = left, left + w.kernel_columns.to("i32")
    begin = fn.select(begin > w.low_column.to("i32"), begin, w.low_column.to("i32"))
    end = fn.select(end < w.high_column.to("i32"), end, w.high_column.to("i32"))
    count = (end - begin) * (high - low).to("i32")
    return fn.select(w.divisor != 0, fn.splat(w.divisor.to("i32"), kind.lanes), count).to(kind.elem)


@recipe
def average(code: str, runs: int) -> Module:
    """The forward kernel. Units are bands of planes; sums run over the taps row by row, from +0."""
    fn = kernel_function()
    w = named_words(fn, AVERAGE)
    copy = _Copy(fn, w, code, runs, 0.0)
    kind = copy.kind
    with fn.loop(fn.word(0), fn.word(1)) as unit:
        plane = unit // w.bands
        first, end = copy.band(plane, unit - plane * w.bands)
        with fn.loop(first, end) as row, fn.loop(0, w.columns, kind.lanes) as column:
            windows = copy.windows(row - first, column)
            total = fn.var(fn.const(0.0, kind))
            with fn.loop(0, w.taps) as tap:
                total.set(total.value + fn.load(windows + fn.word(tap + (HEADER + len(AVERAGE))), kind))
            mean = total.value / _counts(fn, w, row, column, kind)
            mask = fn.mask(w.columns - column, kind.lanes)
            memory.store_masked(fn, mean, w.out.pointer(), code, mask, (plane * w.rows + row) * w.columns + column)
    fn.ret(0)
    return fn.module


@recipe
def average_gradient(code: str, runs: int) -> Module:
    """The kernel of the gradient. Units are planes."""
    fn = kernel_function()
    w = named_words(fn, AVERAGE)
    copy = _Copy(fn, w, code, runs, 0.0)
    kind, scratch = copy.kind, fn.word(2).pointer()
    needed, plane_rows = (w.rows - 1) * w.row_stride + w.row_span + 1, w.height - w.first_row
    with fn.loop(fn.word(0), fn.word(1)) as plane:
        last = fn.select(needed > plane_rows, needed, plane_rows)
        fn.fill_bytes(scratch, 0, last * w.row_pitch)
        with fn.loop(0, w.rows) as row, fn.loop(0, w.columns, kind.lanes) as column:
            number = (plane * w.rows + row) * w.columns + column
            mask = fn.mask(w.columns - column, kind.lanes)
            g = memory.load_masked(fn, w.gradient.pointer(), code, kind.elem, mask, number)
            share = fn.select(mask, g / _counts(fn, w, row, column, kind), fn.const(0.0, kind))
            windows = copy.windows(row, column)
            with fn.loop(0, w.taps) as tap:
                to = windows + fn.word(tap + (HEADER + len(AVERAGE)))
                fn.store(fn.load(to, kind) + share, to)
        out = w.out.pointer() + plane * w.height * w.width * memory.code_bytes(code)
        with fn.loop(0, w.height) as h:
            _undeal(fn, w, scratch + (h - w.first_row) * w.row_pitch, out, h * w.width, code, kind, runs)
    fn.ret(0)
    return fn.module


def _undeal(
    fn: Function, w: SimpleNamespace, line: Value, out: Value, number: Value, code: str, kind: Type, runs: int
) -> None:
    """Store a row of sums, whose columns are dealt to runs, from element `number` of a plane on."""
    lanes = kind.lanes
    if runs > 2:
        with fn.loop(0, w.width) as column:
            at = (column - w.first_column) // runs
            run = (column - w.first_column) - at * runs
            memory.store(fn, fn.load(line + run * w.run_pitch, kind.scalar, at), out, code, number + column)
        return
    with fn.loop(0, w.width, lanes * runs) as column:
        parts = []
        for i in range(runs):
            j = column - w.first_column + i
            run = j % runs
            parts.append(fn.load(line + run * w.run_pitch, kind, j // runs))
        for i in range(runs):
            value = parts[0]
            if runs == 2:
                lane_numbers = [k // 2 + lanes * (k % 2) for k in range(i * lanes, (i + 1) * lanes)]
                value = fn.shuffle(parts[0], parts[1], lane_numbers)
            mask = fn.mask(w.width - column - i * lanes, lanes)
            memory.store_masked(fn, value, out, code, mask, number + column + i * lanes)
