"""The weight gradient of a convolution, with vectors over output channels: for layers with many of them.

    dw[k, c, r, s] = sum over n, p, q of  g[n, k, p, q] · x[n, c, p·stride + r·dilation - padding, q·stride + …]

The order of this sum follows from the shape alone. Pixels (n, p, q) are cut into *pieces*, some small images or a band
of rows of one image, about a thousand pixels at most. Within a piece each weight is a chain of fused multiply-adds from
+0 over its pixels in order; the pieces of a *portion* are added in order, and so are the portions, at the end.

A tile is some tap rows (pairs of source channel and tap row), all taps of each, times a block of channels. For each pixel
a vector of g, from a panel [pixel][channel in block] in scratch, is multiplied with the broadcast source elements that
the taps see there. A unit makes the sums of a portion for some blocks of channels; the last step adds the portions and
turns panels [tap][channel in block] into the gradient.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

from anfora.kernel import conv_units, memory
from anfora.kernel.bodies import fma
from anfora.kernel.build import recipe
from anfora.kernel.conv_geometry import Sum
from anfora.kernel.conv_layout import (
    block_bytes,
    finish,
    kernel_function,
    least,
    named_words,
    pack_block,
    planes_from_panel,
)
from anfora.kernel.conv_units import Pieces, copy_band, place
from anfora.kernel.emit import Function, Module, Type, Value
from anfora.kernel.plan import Buffer, Planner, split
from anfora.kernel.target import target

__all__ = ["plan_channel_weights"]

WORDS = (
    *conv_units.WORDS,
    "pieces", "portion_pieces", "portions", "partial", "partial_bytes", "gradient", "taps",
    "window_rows", "column_splits", "tap_rows", "row_dilation", "column_dilation", "panel_at", "partial_at",
)  # fmt: skip
SUM_WORDS = ("partial", "partial_bytes", "portions", "gradient", "outputs", "blocks", "taps")


def plan_channel_weights(p: Planner, s: Sum, out: Buffer) -> None:
    """Add the steps of the weight gradient `out` of the forward convolution `s`, whose `out` is the gradient g."""
    code, size, lanes = s.compute.code, s.compute.itemsize, target().lanes(s.compute.code)
    vectors = 2 if -(-s.outputs // lanes) % 2 == 0 else 1
    width = vectors * lanes
    blocks = -(-s.outputs // width)
    cut = Pieces.choose(s, not s.is_inside, blocks)
    units = cut.units
    rows, columns = s.window
    splits = 1 if columns <= 14 else columns  # a tile holds whole tap rows, if they fit into the registers
    tap_rows = s.channels * rows * splits
    tile = _tile(tap_rows, columns // splits, vectors)
    taps = s.channels * s.taps
    partial_bytes = block_bytes(taps, width, code)
    finishes = cut.portions == 1  # then the sums of a unit are the gradient
    partial_at = units.copied_bytes + (units.set_images * units.band_rows * s.columns.out + lanes) * width * size + 64
    partial: Buffer | int = 0
    if not finishes:
        partial = p.workspace(s.compute, s.groups * cut.portions * blocks, partial_bytes // size)
    kernel = channel_weights.address(
        code, s.source.code, s.out.code, vectors, tile, columns // splits, s.columns.stride,
        s.columns.dilation if splits == 1 else 1, units.copies, out.code if finishes else "",
    )  # fmt: skip
    count = s.groups * cut.portions * units.parts
    p.step(
        kernel, *units.words(1), *cut.words, partial, partial_bytes, out, taps,
        rows, splits, tap_rows, s.rows.dilation, s.columns.dilation, units.copied_bytes, partial_at,
        units=count, grain=split(count, s.images * s.groups * s.products / count / 50),
        scratch=partial_at + (units.part_blocks * partial_bytes if finishes else 0),
    )  # fmt: skip
    if not finishes:
        count = s.groups * blocks * -(-taps // lanes)
        p.step(
            sum_portions.address(code, out.code, vectors),
            partial, partial_bytes, cut.portions, out, s.outputs, blocks, taps,
            units=count, grain=split(count, cut.portions * lanes * vectors + 50),
        )  # fmt: skip


def _tile(tap_rows: int, columns: int, vectors: int) -> int:
    """How many tap rows a tile holds: the fewest cycles; at least eight sums hide the latency of an addition."""
    registers = target().registers
    best, least_cost = 1, float("inf")
    for rows in range(1, 10):
        sums = rows * columns
        if rows > 1 and vectors * sums + vectors + (vectors > 1) >= registers - (registers == 16):
            break
        cost = -(-tap_rows // rows) * max(vectors * sums + 0.1 * (sums + vectors), 8)
        if cost < least_cost:
            best, least_cost = rows, cost
    return best


@recipe
def channel_weights(
    elem: str, source_code: str, gradient_code: str, vectors: int, tile: int, columns: int, spacing: int, dilation: int,
    copies: bool, finishes: str,
) -> Module:  # fmt: skip
    """The kernel for blocks of `vectors` vectors of channels and tiles of `tile` tap rows of `columns` taps, `dilation`
    elements apart. The source elements of neighbouring pixels are `spacing` apart. `finishes` is the type of the
    gradient if there is one portion, else empty."""
    fn = kernel_function()
    w = named_words(fn, WORDS)
    kind = Type(elem, target().lanes(elem))
    width = vectors * kind.lanes
    tiles = _Tiles(fn, w, kind, vectors, tile, columns, spacing * kind.bytes, dilation * kind.bytes)
    scratch = fn.word(2).pointer()
    panel = scratch + w.panel_at
    plane = w.out_rows * w.out_columns
    size = memory.code_bytes(gradient_code)
    with fn.loop(fn.word(0), fn.word(1)) as unit:
        rest = unit // w.parts
        part = unit - rest * w.parts
        group = rest // w.portions
        first_piece = (rest - group * w.portions) * w.portion_pieces
        first_block = part * w.part_blocks
        if finishes:
            partials = scratch + (w.partial_at - first_block * w.partial_bytes)
        else:
            partials = w.partial.pointer() + rest * w.blocks * w.partial_bytes
        with fn.loop(first_piece, least(fn, first_piece + w.portion_pieces, w.pieces)) as piece:
            at = place(fn, w, (group * w.pieces + piece) * w.parts + part)
            if copies:
                copy_band(fn, w, at, scratch, source_code, elem, 1)
                source = scratch
            else:
                source = at.source + (at.source_row * w.source_row + w.first_column * kind.bytes)
            with fn.loop(first_block, at.end_block) as block:
                channel = at.first_image * (w.outputs * w.groups) + group * w.outputs + block * width
                pack_block(
                    fn, w.out.pointer() + (channel * plane + at.first_row * w.out_columns) * size, panel,
                    code=gradient_code, elem=elem, width=width, rows=w.outputs - block * width,
                    row_stride=plane * size, outer=at.images,
                    outer_stride=plane * (w.outputs * w.groups * size), run=at.rows * w.out_columns,
                )  # fmt: skip
                tiles.piece(at, source, panel, partials + block * w.partial_bytes, piece == first_piece)
        if finishes:
            with fn.loop(first_block, least(fn, first_block + w.part_blocks, w.blocks)) as block:
                sums = partials + block * w.partial_bytes
                gradient_from_panel(fn, w, group, block, w.taps, 0, sums, vectors, kind, finishes)
    fn.ret(0)
    return fn.module


def gradient_from_panel(
    fn: Function, w: SimpleNamespace, group: Value, block: Value, taps: Value, first_tap: Value | int, panel: Value,
    vectors: int, kind: Type, code: str,
) -> None:  # fmt: skip
    """Store `taps` taps, from `first_tap` on, of a block of channels from the panel of their sums."""
    width = vectors * kind.lanes
    first = block * width
    number = (group * w.outputs + first) * w.taps + first_tap
    planes_from_panel(
        fn,
        lambda i, j: fn.load(panel, kind, i * width + j),
        taps,
        least(fn, width, w.outputs - first),
        kind,
        lambda j, i, total, mask: finish(
            fn, total, w.gradient.pointer(), number + j * w.taps + i, j, mask, code, None, (), []
        ),
    )


@dataclass
class _Tiles:
    """Writes the loops over the tiles of a piece, and the tile."""

    fn: Function
    w: SimpleNamespace
    kind: Type
    vectors: int
    rows: int
    columns: int
    spacing: int  #: bytes from a pixel's source element to the next one's
    dilation: int  #: bytes from tap to tap

    def piece(self, at: SimpleNamespace, source: Value, panel: Value, partial: Value, is_first: Value) -> None:
        """Add the sums over a piece to `partial`, or store them there if it is the first."""
        fn, w, kind = self.fn, self.w, self.kind
        per_channel = w.window_rows * w.column_splits
        later = fn.splat(~is_first, kind.lanes)
        with fn.loop(0, w.tap_rows, self.rows) as first_row:
            sources = []
            for i in range(self.rows):
                row = least(fn, first_row + i, w.tap_rows - 1)
                channel = row // per_channel
                rest = row - channel * per_channel
                tap_row = rest // w.column_splits
                column = (rest - tap_row * w.column_splits) * w.column_dilation
                sources.append(
                    source + (channel * w.channel_pitch + tap_row * w.row_dilation * w.row_pitch + column * kind.bytes)
                )
            for i, row_sums in enumerate(self.sums(at, sources, panel)):
                with fn.when(first_row + i < w.tap_rows):
                    to = partial + (first_row + i) * (self.columns * self.vectors * kind.lanes * kind.bytes)
                    for j, total in enumerate(row_sums):
                        before = fn.masked_load(to, kind, later, j * kind.lanes)
                        fn.store(before + total, to, j * kind.lanes)

    def sums(self, at: SimpleNamespace, sources: list[Value], panel: Value) -> list[list[Value]]:
        """The sums of a tile over a piece, by row, then by tap and vector: chains of fused multiply-adds from +0."""
        fn, w, kind = self.fn, self.w, self.kind
        zero = fn.const(0.0, kind)
        chains = [[fn.var(zero) for _ in range(self.columns * self.vectors)] for _ in sources]
        gradient = fn.var(panel)
        with fn.loop(0, at.images) as image, fn.loop(0, at.rows) as row:
            line = image * w.image_pitch + row * w.row_stride * w.row_pitch
            with fn.loop(line, line + w.out_columns * self.spacing, self.spacing) as pixel:
                factors = [fn.load(gradient.value, kind, v * kind.lanes) for v in range(self.vectors)]
                for source, row_chains in zip(sources, chains):
                    here = source + pixel
                    for tap in range(self.columns):
                        element = fn.splat(fn.load(here + tap * self.dilation, kind.scalar), kind.lanes)
                        for v, factor in enumerate(factors):
                            chain = row_chains[tap * self.vectors + v]
                            chain.set(fma(element, factor, chain.value))
                gradient.set(gradient.value + self.vectors * kind.lanes * kind.bytes)
        return [[chain.value for chain in row_chains] for row_chains in chains]


@recipe
def sum_portions(elem: str, out_code: str, vectors: int) -> Module:
    """Add the portions in order and transpose the panel. Units are runs of taps, a vector long, of all blocks."""
    fn = kernel_function()
    w = named_words(fn, SUM_WORDS)
    kind = Type(elem, target().lanes(elem))
    width = vectors * kind.lanes
    runs = (w.taps + (kind.lanes - 1)) // kind.lanes
    panel = fn.buffer(kind.lanes * width * kind.bytes)
    with fn.loop(fn.word(0), fn.word(1)) as unit:
        whole = unit // runs
        first = (unit - whole * runs) * kind.lanes
        group = whole // w.blocks
        block = whole - group * w.blocks
        start = w.partial.pointer() + (group * w.portions * w.blocks + block) * w.partial_bytes
        with fn.loop(0, kind.lanes * width, kind.lanes) as i:
            at = start + (first * width + i) * kind.bytes
            total = fn.var(fn.load(at, kind))
            with fn.loop(1, w.portions) as portion:
                total.set(total.value + fn.load(at + portion * w.blocks * w.partial_bytes, kind))
            fn.store(total.value, panel, i)
        taps = least(fn, kind.lanes, w.taps - first)
        gradient_from_panel(fn, w, group, block, taps, first, panel, vectors, kind, out_code)
    fn.ret(0)
    return fn.module
