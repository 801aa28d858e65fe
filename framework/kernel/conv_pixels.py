"""Convolution with vectors over output columns: for layers with few output channels or few products a sum, depthwise
ones included.

A tile is M output channels times V vectors; each vector is a run of neighbouring outputs of a phase (see
`conv_geometry`) in one row. For each source channel and tap, in this order, the V source vectors (a distance from the
first tap's, the same for all) are multiplied with the M broadcast weights and added by fused multiply-adds.

The last vector of a row overlaps the one before it, so that no byte beyond a row is touched; where a row is shorter than
a vector, the source is copied into scratch and the output stored under a mask. The source is read in place where nothing
is padded, the window moves by one column and rows are long enough. An epilogue may therefore see an output twice: its
operands must not share memory with the output.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace

from anfora.kernel import conv_units
from anfora.kernel.bodies import fma
from anfora.kernel.build import recipe
from anfora.kernel.conv_geometry import Sum
from anfora.kernel.conv_layout import finish, kernel_function, least, named_words, operand_pointers, rows_are_finite
from anfora.kernel.conv_units import Units, copy_band, phase_lines, place
from anfora.kernel.emit import I1, Function, Module, Type, Value
from anfora.kernel.loops import HEADER
from anfora.kernel.plan import Planner, split
from anfora.kernel.target import target

__all__ = ["cycles", "plan_pixel_tiles"]

WORDS = (*conv_units.WORDS, "weights", "weight_group", "weight_row", "weight_channel", "weight_taps", "skips")


def cycles(s: Sum) -> float:
    """About how many cycles an image and group take."""
    lanes = target().lanes(s.compute.code)
    *_, a_tap = _tile(s, lanes)
    across = sum(-(-phase.count // lanes) for phase in s.columns.phases)
    products = s.products / (s.outputs * s.rows.out * s.columns.out)  # a sum
    storing = 3 if s.columns.step == 1 else 3 * lanes  # a vector
    dealing = 6 * s.channels * s.rows.source * -(-s.columns.source // lanes) if s.columns.stride > 1 else 0
    return s.rows.out * across * (1.06 * a_tap * products + s.outputs * storing) + dealing


def plan_pixel_tiles(p: Planner, s: Sum) -> None:
    """Add the step of `s`."""
    size, lanes, runs = s.compute.itemsize, target().lanes(s.compute.code), s.columns.stride
    narrow = min(phase.count for phase in s.columns.phases) < lanes
    copies = narrow or runs > 1 or not s.is_inside
    outputs, vectors, images, stretch, _ = _tile(s, lanes)
    units = Units.choose(
        s, copies, -(-s.outputs // outputs), set_images=images, band_outputs=s.rows.out * s.columns.out, runs=runs,
        lanes=lanes if runs > 1 else 1,
    ).shared()  # fmt: skip
    kernel = pixel_tiles.address(
        s.compute.code, s.source.code, s.out.code, outputs, vectors, runs if copies else 0, s.columns.step > 1,
        s.epilogue, s.operand_kinds,
    )  # fmt: skip
    weight_group = s.weights.shape[0] // s.groups * s.weights.strides[0]
    p.step(
        kernel, *units.words(min(stretch, units.band_rows)), s.weights, weight_group, s.output_stride * size,
        s.channel_stride * size, s.taps, units.skips,
        *(buffer for buffer, _ in s.operands), *units.phase_words(_phases_at(len(s.operands)), size),
        units=units.count, grain=split(units.count, units.nanoseconds), scratch=units.copied_bytes,
    )  # fmt: skip


def _tile(s: Sum, lanes: int) -> tuple[int, int, int, int, float]:
    """Output channels and vectors of a tile, images of a unit, lines of a stretch, and cycles for a tap of a vector of
    all outputs: the fewest, counting a multiplication as one, a load of a source vector (which mostly lies across two
    cache lines) as two and a broadcast as a half."""
    best = 1, 1, 1, 1, float("inf")
    across = max(-(-phase.count // lanes) for phase in s.columns.phases)
    for outputs in range(1, 9):
        for vectors in range(1, 9):
            if outputs * vectors + outputs + vectors >= target().registers or outputs + vectors > 11:
                continue  # the compiler keeps all that one tap needs in registers
            cycles = max(outputs * vectors, 2 * vectors + outputs / 2, 10) + 0.01 * vectors
            for images in (1, 2, 3, 4):
                if images > 1 and images * 8 > s.images:
                    continue
                stretch = s.rows.out if s.rows.is_inside else -(-vectors // (images * across))
                tiles = -(-stretch * images * across // vectors) / (stretch * images)
                cost = tiles * -(-s.outputs // outputs) * (cycles + 0.01 * images) * s.rows.kept(stretch) / across
                if cost < best[-1]:
                    best = outputs, vectors, images, stretch, cost
    return best


def _phases_at(operands: int) -> int:
    """The word with which the phases begin."""
    return HEADER + len(WORDS) + operands


@recipe
def pixel_tiles(
    elem: str, source_code: str, out_code: str, outputs: int, vectors: int, runs: int, scatters: bool,
    epilogue: Callable | None, operands: tuple[tuple[str, str], ...],
) -> Module:  # fmt: skip
    """The kernel for tiles of `outputs` channels and `vectors` vectors. `runs` is 0 where the source is read in place,
    else how many runs the columns are dealt to; `scatters` tells that neighbours of a phase are no neighbours in the
    output."""
    fn = kernel_function()
    w = named_words(fn, WORDS)
    kind = Type(elem, target().lanes(elem))
    finishing = out_code, epilogue, operands, operand_pointers(fn, len(WORDS), operands)
    tiles = _Tiles(fn, w, kind, outputs, vectors, scatters, finishing)
    with fn.loop(fn.word(0), fn.word(1)) as unit:
        at = place(fn, w, unit)
        if runs:
            source = fn.word(2).pointer()
            copy_band(fn, w, at, source, source_code, elem, runs)
        else:
            source = at.source + (at.source_row * w.source_row + w.first_column * kind.bytes)
        with fn.loop(at.first_block, at.end_block) as block:
            rows = tiles.weight_rows(at, block * outputs)
            finite = fn.var(False, I1)
            with fn.when(w.skips != 0):
                finite.set(rows_are_finite(fn, rows, elem, w.channels, w.weight_channel, w.weight_taps))
            with phase_lines(fn, w, at, _phases_at(len(operands)), finite.value) as phase:
                tiles.stretch(at, phase, source, rows, block * outputs)
    fn.ret(0)
    return fn.module


@dataclass
class _Tiles:
    """Writes the loops over the tiles of a stretch of lines, and the tile."""

    fn: Function
    w: SimpleNamespace
    kind: Type
    outputs: int
    vectors: int
    scatters: bool
    finishing: tuple  #: the last arguments of `finish`

    def weight_rows(self, at: SimpleNamespace, first_output: Value) -> list[Value]:
        """Where the weights of the outputs of a block begin; those behind the last repeat it."""
        fn, w = self.fn, self.w
        weights = w.weights.pointer() + at.group * w.weight_group
        return [weights + least(fn, first_output + m, w.outputs - 1) * w.weight_row for m in range(self.outputs)]

    def stretch(
        self, at: SimpleNamespace, phase: SimpleNamespace, source: Value, rows: list[Value], first_output: Value
    ) -> None:
        """All outputs of the stretch, in all images of the unit, for a block of channels."""
        fn, w, lanes = self.fn, self.w, self.kind.lanes
        plane = w.out_rows * w.out_columns
        channel = at.group * w.outputs + first_output
        last = fn.select(phase.columns > lanes, phase.columns - lanes, 0)
        across = (phase.columns + (lanes - 1)) // lanes
        total = phase.lines * at.images * across
        square = fn.buffer(self.outputs * self.vectors * lanes * self.kind.bytes)
        line, image, vector = fn.var(phase.first_line), fn.var(0), fn.var(0)
        with fn.loop(0, total, self.vectors) as start:
            sources, numbers = [], []
            for i in range(self.vectors):
                column = least(fn, vector.value * lanes, last)
                in_source = image.value * w.image_pitch + line.value * w.row_stride * w.row_pitch
                sources.append(source + (in_source + column * self.kind.bytes))
                out_row = at.first_row + phase.first_row + line.value * w.row_step
                first_number = ((at.first_image + image.value) * (w.outputs * w.groups) + channel) * plane
                numbers.append(first_number + out_row * w.out_columns + phase.first_column + column * w.column_step)
                # The next vector; behind the last one that one again.
                more = start + (i + 1) < total
                next_vector = vector.value + fn.select(more, 1, 0)
                next_image = image.value + fn.select(next_vector == across, 1, 0)
                vector.set(fn.select(next_vector == across, 0, next_vector))
                line.add(fn.select(next_image == at.images, 1, 0))
                image.set(fn.select(next_image == at.images, 0, next_image))
            for output, row in enumerate(self.sums(sources, rows, phase)):
                for v, total_sum in enumerate(row):
                    fn.store(total_sum, square, (output * self.vectors + v) * lanes)
            count = least(fn, self.outputs, w.outputs - first_output)
            for mask in (None, fn.mask(phase.columns, lanes)):
                fits = phase.columns >= lanes
                with fn.when(fits if mask is None else ~fits), fn.loop(0, count) as m:
                    for v, number in enumerate(numbers):
                        sums = square + (m * self.vectors + v) * (lanes * self.kind.bytes)
                        self.store(sums, number + m * plane, channel + m, mask, phase.columns)

    def store(self, sums: Value, number: Value, channel: Value, mask: Value | None, columns: Value) -> None:
        fn, kind, out = self.fn, self.kind, self.w.out.pointer()
        if not self.scatters:
            finish(fn, fn.load(sums, kind), out, number, channel, mask, *self.finishing)
            return
        with fn.loop(0, kind.lanes if mask is None else columns) as i:
            one = fn.load(sums, kind.scalar, i)
            finish(fn, one, out, number + i * self.w.column_step, channel, None, *self.finishing)

    def sums(self, sources: list[Value], rows: list[Value], phase: SimpleNamespace) -> list[list[Value]]:
        """The sums of one tile by channel and vector: a chain of fused multiply-adds from +0 each."""
        fn, w, kind = self.fn, self.w, self.kind
        zero = fn.const(0.0, kind)
        chains = [[fn.var(zero) for _ in sources] for _ in rows]
        with fn.loop(0, w.channels) as channel, fn.loop(phase.first_tap, phase.end_tap) as tap:
            words = tap * 2 + phase.taps
            source_at = channel * w.channel_pitch + fn.word(words)
            weight_at = channel * w.weight_channel + fn.word(words + 1)
            elements = [fn.load(source + source_at, kind) for source in sources]
            for row, line in zip(rows, chains):
                factor = fn.splat(fn.load(row + weight_at, kind.scalar), kind.lanes)
                for element, chain in zip(elements, line):
                    chain.set(fma(element, factor, chain.value))
        return [[chain.value for chain in line] for line in chains]
