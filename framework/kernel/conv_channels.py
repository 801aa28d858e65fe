"""Convolution with vectors over output channels: for layers with many of them.

A tile is TR x TC outputs (rows x columns of a phase, see `conv_geometry`) times a block of channels, a few vectors wide.
For each source channel and tap, in this order, the packed vectors of weights are multiplied with the broadcast source
element of each output of the tile and added by a fused multiply-add. No lane is ever idle but in the last block of
channels, whatever the width of the image, and a stride costs nothing.

The thread of a unit copies the source rows with their padding into scratch (or reads them in place where nothing is
padded), lets the tiles write panels [output][channel in block] into scratch, and turns these into planes of the output,
which is where the epilogue is applied and the result rounded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace

from anfora.kernel import conv_units
from anfora.kernel.bodies import fma
from anfora.kernel.build import recipe
from anfora.kernel.conv_geometry import Sum
from anfora.kernel.conv_layout import (
    block_bytes,
    block_is_finite,
    finish,
    kernel_function,
    least,
    named_words,
    operand_pointers,
    pack_block,
    pack_weights,
    planes_from_panel,
)  # fmt: skip
from anfora.kernel.conv_units import Units, copy_band, phase_lines, place
from anfora.kernel.emit import Function, Module, Type, Value
from anfora.kernel.loops import HEADER
from anfora.kernel.plan import Planner, split
from anfora.kernel.target import target

__all__ = ["cycles", "plan_channel_tiles"]

WORDS = (
    *conv_units.WORDS,
    # packed weights, or the weights to be packed
    "weights", "weight_group", "weight_row", "outer", "outer_stride", "run", "taps", "block_bytes",
    # where panels and packed weights lie in scratch
    "panel_at", "packed_at",
)  # fmt: skip


def cycles(s: Sum) -> float:
    """About how many cycles an image and group take."""
    lanes = target().lanes(s.compute.code)
    pixels = s.rows.out * s.columns.out
    vectors = -(-s.outputs // lanes)
    transposing = 8  # a vector of sums
    return vectors * (s.products / s.outputs * 1.05 + pixels * transposing)


def plan_channel_tiles(p: Planner, s: Sum) -> None:
    """Add the steps of `s`: packing the weights, and the tiles."""
    code, size, lanes = s.compute.code, s.compute.itemsize, target().lanes(s.compute.code)
    vectors = 2 if -(-s.outputs // lanes) % 2 == 0 else 1
    width = vectors * lanes
    blocks = -(-s.outputs // width)
    pixels = s.rows.out * s.columns.out
    images = 1 if pixels >= 48 else min(-(-48 // pixels), max(1, s.images // 8))
    units = Units.choose(s, not s.is_inside, blocks, set_images=images, band_outputs=512).shared()

    # Where the taps of a channel follow those of the one before, all are packed as one run.
    outer, run = (1, s.channels * s.taps) if s.channel_stride == s.taps else (s.channels, s.taps)
    weight_group = s.weights.shape[0] // s.groups * s.weights.strides[0]
    strides = weight_group, s.output_stride * size, outer, s.channel_stride * size, run
    block = block_bytes(s.channels * s.taps, width, code)
    packs = units.count == units.parts  # each block of weights is used by a single unit
    weights = s.weights
    if not packs:
        weights = p.workspace(s.compute, s.groups, blocks, block // size)
        p.step(
            pack_weights.address(code, code, width), s.weights, weights, s.outputs, blocks, *strides, block,
            units=s.groups * blocks, grain=split(s.groups * blocks, block / 16),
        )  # fmt: skip

    panel_at = units.copied_bytes
    packed_at = panel_at + (units.set_images * units.band_rows * s.columns.out + lanes) * width * size
    tile, stretch = _tile(units, vectors)
    edges = _edges(s) if tile[1] == s.columns.out and tile[0] * vectors * tile[1] * s.window[1] <= 160 else ()
    kernel = channel_tiles.address(
        code, s.source.code, s.out.code, vectors, tile, s.columns.stride, edges, units.copies, packs, s.epilogue,
        s.operand_kinds,
    )  # fmt: skip
    p.step(
        kernel, *units.words(stretch), weights, *strides, s.taps, block, panel_at, packed_at,
        *(buffer for buffer, _ in s.operands), *units.phase_words(_phases_at(len(s.operands)), width * size),
        units=units.count, grain=split(units.count, units.nanoseconds),
        scratch=packed_at + (block if packs else 0),
    )  # fmt: skip


def _tile(units: Units, vectors: int) -> tuple[tuple[int, int], int]:
    """Rows and columns of a tile, and lines of a stretch: the fewest cycles over all phases. A tile wants some eight
    sums to hide the latency of an addition, few loads for a multiplication, and no more than the registers hold."""
    s, registers = units.sum, target().registers
    most = (registers - vectors - 2) // vectors
    widest = min(phase.count for phase in s.columns.phases)
    best, least_cost = ((1, 1), 1), float("inf")
    for rows in range(1, 7):
        stretch = -(-rows // units.set_images) if units.skips else units.band_rows
        lines = units.set_images * stretch
        for columns in range(1, min(widest, most // rows) + 1):
            sums = rows * columns
            cycles = max(vectors * sums + 0.1 * (sums + vectors + rows), 8)
            per_line = sum(-(-phase.count // columns) for phase in s.columns.phases)
            cost = cycles * per_line * -(-lines // rows) / lines
            if columns == s.columns.out and (edges := _edges(s)):
                cost *= sum(end - begin for begin, end in edges) / (columns * len(edges))
            if cost < least_cost:
                best, least_cost = ((rows, columns), stretch), cost
    return best


Edge = tuple[int, int]


def _edges(s: Sum) -> tuple[Edge, ...]:
    """For rows that are one tile: for each tap of a row the outputs (begin, end) for which it lies in the source. Empty
    if that is always the case."""
    if len(s.columns.phases) > 1:
        return ()
    [phase] = s.columns.phases
    edges = []
    for _, offset in phase.taps:
        begin = min(max(0, -(offset // s.columns.stride)), phase.count)
        end = min(phase.count, (s.columns.source - 1 - offset) // s.columns.stride + 1)
        edges.append((begin, max(begin, end)))
    return () if all(edge == (0, phase.count) for edge in edges) else tuple(edges)


def _phases_at(operands: int) -> int:
    """The word with which the phases begin."""
    return HEADER + len(WORDS) + operands


@recipe
def channel_tiles(
    elem: str, source_code: str, out_code: str, vectors: int, tile: tuple[int, int], spacing: int,
    edges: tuple[Edge, ...], copies: bool, packs: bool, epilogue: Callable | None, operands: tuple[tuple[str, str], ...],
) -> Module:  # fmt: skip
    """The kernel for blocks of `vectors` vectors of channels and tiles of `tile` outputs, whose source elements are
    `spacing` apart; if a tile is a whole row, `edges` spares it products with padding columns. `copies` and `packs` say
    whether a unit copies its source rows and packs its weights."""
    fn = kernel_function()
    w = named_words(fn, WORDS)
    pointers = operand_pointers(fn, len(WORDS), operands)
    kind = Type(elem, target().lanes(elem))
    width = vectors * kind.lanes
    tiles = _Tiles(fn, w, kind, vectors, *tile, spacing * kind.bytes, edges)
    scratch, out = fn.word(2).pointer(), w.out.pointer()
    panel = scratch + w.panel_at
    plane = w.out_rows * w.out_columns
    with fn.loop(fn.word(0), fn.word(1)) as unit:
        at = place(fn, w, unit)
        if copies:
            copy_band(fn, w, at, scratch, source_code, elem, 1)
            source = scratch
        else:
            source = at.source + (at.source_row * w.source_row + w.first_column * kind.bytes)
        with fn.loop(at.first_block, at.end_block) as block:
            first = block * width
            if packs:
                weights = scratch + w.packed_at
                start = w.weights.pointer() + (at.group * w.weight_group + first * w.weight_row)
                pack_block(
                    fn, start, weights, code=elem, elem=elem, width=width, rows=w.outputs - first,
                    row_stride=w.weight_row, outer=w.outer, outer_stride=w.outer_stride, run=w.run,
                )  # fmt: skip
            else:
                weights = w.weights.pointer() + (at.group * w.blocks + block) * w.block_bytes
            finite = block_is_finite(fn, weights, w.channels * w.taps, width, elem)
            with phase_lines(fn, w, at, _phases_at(len(operands)), finite) as phase:
                tiles.stretch(at, phase, source, weights, finite, panel)
            with fn.loop(0, at.images) as image:
                channel = at.group * w.outputs + first
                number = ((at.first_image + image) * (w.outputs * w.groups) + channel) * plane
                number = number + at.first_row * w.out_columns
                start = panel + image * w.band_rows * w.out_columns * (width * kind.bytes)
                planes_from_panel(
                    fn,
                    lambda i, j: fn.load(start, kind, i * width + j),
                    at.rows * w.out_columns,
                    least(fn, width, w.outputs - first),
                    kind,
                    lambda j, i, total, mask: finish(
                        fn,
                        total,
                        out,
                        number + j * plane + i,
                        channel + j,
                        mask,
                        out_code,
                        epilogue,
                        operands,
                        pointers,
                    ),
                )
    fn.ret(0)
    return fn.module


@dataclass
class _Tiles:
    """Writes the loops over the tiles of a stretch of lines, and the tile."""

    fn: Function
    w: SimpleNamespace
    kind: Type
    vectors: int
    rows: int
    columns: int
    spacing: int  #: bytes
    edges: tuple[Edge, ...]

    def stretch(
        self, at: SimpleNamespace, phase: SimpleNamespace, source: Value, weights: Value, finite: Value, panel: Value
    ) -> None:
        """All outputs of the stretch, in all images of the unit, into the panels."""
        fn, w = self.fn, self.w
        pixel = self.vectors * self.kind.lanes * self.kind.bytes
        gap = w.column_step * pixel
        total = at.images * phase.lines
        with fn.loop(0, total, self.rows) as row:
            sources, panels = [], []
            for i in range(self.rows):
                number = least(fn, row + i, total - 1)
                stretch_line = number // at.images
                image = number - stretch_line * at.images
                line = stretch_line + phase.first_line
                sources.append(source + (image * w.image_pitch + line * w.row_stride * w.row_pitch))
                out_row = image * w.band_rows + line * w.row_step + phase.first_row
                panels.append(panel + (out_row * w.out_columns + phase.first_column) * pixel)
            with fn.loop(0, phase.columns, self.columns) as step:
                column = least(fn, step, phase.columns - self.columns)  # the last tile overlaps the one before
                sums = self.sums([s + column * self.spacing for s in sources], weights, finite, phase)
                for i, pointer in enumerate(panels):
                    pointer = pointer + column * gap
                    for j in range(self.columns):
                        for v in range(self.vectors):
                            fn.store(sums[i][j][v], pointer, v * self.kind.lanes)
                        pointer = pointer + gap

    def sums(
        self, sources: list[Value], weights: Value, finite: Value, phase: SimpleNamespace
    ) -> list[list[list[Value]]]:
        """The sums of one tile by row, column and vector: a chain of fused multiply-adds from +0 each."""
        fn, w, kind = self.fn, self.w, self.kind
        zero = fn.const(0.0, kind)
        chains = [[[fn.var(zero) for _ in range(self.vectors)] for _ in range(self.columns)] for _ in sources]
        tap_bytes = self.vectors * kind.lanes * kind.bytes

        def add(channel: Value, tap: Value, begin: int, end: int) -> None:
            words = tap * 2 + phase.taps
            source_at = channel * w.channel_pitch + fn.word(words)
            weight = weights + (channel * w.taps * tap_bytes + fn.word(words + 1))
            vectors = [fn.load(weight, kind, v * kind.lanes) for v in range(self.vectors)]
            for source, row in zip(sources, chains):
                here = source + source_at
                for j in range(begin, end):
                    element = fn.splat(fn.load(here + j * self.spacing, kind.scalar), kind.lanes)
                    for vector, chain in zip(vectors, row[j]):
                        chain.set(fma(element, vector, chain.value))

        def walk(edges: tuple[Edge, ...]) -> None:
            with fn.loop(0, w.channels) as channel, fn.loop(phase.first_tap, phase.end_tap, len(edges)) as first:
                add(channel, first, *edges[0])
                for number, edge in enumerate(edges[1:], 1):
                    # A block of its own for each tap, or the compiler mixes them until registers run out.
                    with fn.when(first + number < phase.end_tap):
                        add(channel, first + number, *edge)

        any_tap = ((0, self.columns),)
        if self.edges:
            with fn.when(finite):
                walk(self.edges)
            with fn.unless(finite):
                walk(any_tap)
        else:
            walk(any_tap)
        return [[[chain.value for chain in column] for column in row] for row in chains]
