"""The weight gradient of a convolution, with vectors over output columns: for layers with few output channels a group.

Pixels are cut into pieces and portions as in `conv_weights`. Within a piece each weight has `LANES` chains of fused
multiply-adds from +0: chain l takes the pixels of columns l, l + LANES, … in order. The chains are then added as a tree:
l with l + LANES/2, and so on. The number of chains belongs to the order of the sum, so it is the same on every machine;
where registers are narrower, a chain vector is several of them.

A tile is some output channels times some taps of any source channels. For each vector of pixels of a row, vectors of g
and of the source elements that a tap sees there are multiplied and added. In the last vector of a row, lanes beyond the
row are zero on both sides, so that what lies there cannot leak into a sum.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

from anfora.kernel import conv_units, memory
from anfora.kernel.bodies import fma
from anfora.kernel.build import recipe
from anfora.kernel.conv_geometry import Sum
from anfora.kernel.conv_layout import kernel_function, least, named_words
from anfora.kernel.conv_units import Pieces, copy_band, place
from anfora.kernel.emit import Function, Module, Type, Value
from anfora.kernel.loops import HEADER
from anfora.kernel.plan import Buffer, Planner, split
from anfora.kernel.target import target

__all__ = ["add_portions", "plan_pixel_weights", "tree"]

WORDS = (*conv_units.WORDS, "pieces", "portion_pieces", "portions", "partial", "taps", "window")
SUM_WORDS = ("partial", "gradient", "portions", "group_weights")


def plan_pixel_weights(p: Planner, s: Sum, out: Buffer) -> None:
    """Add the steps of the weight gradient `out` of the forward convolution `s`, whose `out` is the gradient g."""
    code, size = s.compute.code, s.compute.itemsize
    lanes, runs = 64 // size, s.columns.stride
    copies = runs > 1 or not s.is_inside
    taps = s.channels * s.taps
    outputs, tile_taps = _tile(s.outputs, taps, lanes * size // target().vector_bytes)
    cut = Pieces.choose(s, copies, -(-s.outputs // outputs), runs=runs, lanes=lanes if runs > 1 else 1)
    units = cut.units
    partial = p.workspace(s.compute, s.groups * cut.portions, s.outputs * taps)
    count = s.groups * cut.portions * units.parts
    offsets = units.phase_words(0, 0)[8::2]
    p.step(
        pixel_weights.address(code, s.source.code, s.out.code, outputs, tile_taps, runs if copies else 0),
        *units.words(1), *cut.words, partial, taps, s.taps, *offsets,
        units=count, grain=split(count, s.images * s.groups * s.products / count / 40), scratch=units.copied_bytes,
    )  # fmt: skip
    p.step(
        add_portions.address(code, out.code), partial, out, cut.portions, s.outputs * taps,
        units=s.groups, grain=split(s.groups, s.outputs * taps * cut.portions / 8 + 10),
    )  # fmt: skip


def _tile(outputs: int, taps: int, registers_a_chain: int) -> tuple[int, int]:
    """Output channels and taps of a tile: the fewest cycles, counting a multiplication as one and a load, which mostly
    lies across two cache lines, as two."""
    best, least_cost = (1, 1), float("inf")
    for m in range(1, 9):
        for t in range(1, 13):
            if (m * t + m + t) * registers_a_chain >= target().registers or m + t > 11:
                continue
            cost = -(-outputs // m) * -(-taps // t) * max(m * t, 2 * (m + t), 8)
            if cost < least_cost:
                best, least_cost = (m, t), cost
    return best


@recipe
def pixel_weights(elem: str, source_code: str, gradient_code: str, outputs: int, taps: int, runs: int) -> Module:
    """The kernel for tiles of `outputs` channels and `taps` taps. `runs` is 0 where the source is read in place, else
    how many runs its columns are dealt to in scratch."""
    fn = kernel_function()
    w = named_words(fn, WORDS)
    kind = Type(elem, 64 // Type(elem).bytes)
    tiles = _Tiles(fn, w, kind, gradient_code, outputs, taps)
    with fn.loop(fn.word(0), fn.word(1)) as unit:
        rest = unit // w.parts
        part = unit - rest * w.parts
        group = rest // w.portions
        first_piece = (rest - group * w.portions) * w.portion_pieces
        partial = w.partial.pointer() + rest * (w.outputs * w.taps * kind.bytes)
        with fn.loop(first_piece, least(fn, first_piece + w.portion_pieces, w.pieces)) as piece:
            at = place(fn, w, (group * w.pieces + piece) * w.parts + part)
            if runs:
                source = fn.word(2).pointer()
                copy_band(fn, w, at, source, source_code, elem, runs)
            else:
                source = at.source + (at.source_row * w.source_row + w.first_column * kind.bytes)
            with fn.loop(at.first_block, at.end_block) as block:
                tiles.piece(at, source, block * outputs, partial, piece == first_piece)
    fn.ret(0)
    return fn.module


@dataclass
class _Tiles:
    """Writes the loops over the tiles of a piece, and the tile."""

    fn: Function
    w: SimpleNamespace
    kind: Type
    gradient_code: str
    outputs: int
    taps: int

    def piece(self, at: SimpleNamespace, source: Value, first_output: Value, partial: Value, is_first: Value) -> None:
        """Add the sums over a piece to `partial`, or store them there if it is the first."""
        fn, w, kind = self.fn, self.w, self.kind
        size = memory.code_bytes(self.gradient_code)
        plane = w.out_rows * w.out_columns
        channel = at.first_image * (w.outputs * w.groups) + at.group * w.outputs
        gradient = w.out.pointer() + (channel * plane + at.first_row * w.out_columns) * size
        gradients = [
            gradient + least(fn, first_output + m, w.outputs - 1) * (plane * size) for m in range(self.outputs)
        ]
        with fn.loop(0, w.taps, self.taps) as first_tap:
            sources = []
            for t in range(self.taps):
                tap = least(fn, first_tap + t, w.taps - 1)
                channel = tap // w.window
                offset = fn.word(tap - channel * w.window + (HEADER + len(WORDS)))
                sources.append(source + (channel * w.channel_pitch + offset))
            sums = self.sums(at, sources, gradients)
            for m in range(self.outputs):
                for t in range(self.taps):
                    with fn.when((first_output + m < w.outputs) & (first_tap + t < w.taps)):
                        number = (first_output + m) * w.taps + (first_tap + t)
                        before = fn.select(is_first, fn.const(0.0, kind.scalar), fn.load(partial, kind.scalar, number))
                        fn.store(before + tree(fn, sums[m][t]), partial, number)

    def sums(self, at: SimpleNamespace, sources: list[Value], gradients: list[Value]) -> list[list[Value]]:
        """The chains of a tile over a piece, by output channel and tap."""
        fn, w, kind = self.fn, self.w, self.kind
        lanes, size = kind.lanes, memory.code_bytes(self.gradient_code)
        zero = fn.const(0.0, kind)
        chains = [[fn.var(zero) for _ in sources] for _ in gradients]
        plane = w.out_rows * w.out_columns
        whole = w.out_columns // lanes * lanes
        rest = fn.mask(w.out_columns - whole, lanes)

        def add(line: Value, number: Value, column: Value, mask: Value | None) -> None:
            place = line + column * kind.bytes
            at_gradient = (number + column) * size
            if mask is None:
                elements = [fn.load(source + place, kind) for source in sources]
                factors = [memory.load(fn, g + at_gradient, self.gradient_code, kind.elem, lanes) for g in gradients]
            else:
                elements = [fn.masked_load(source + place, kind, mask) for source in sources]
                factors = [
                    memory.load_masked(fn, g + at_gradient, self.gradient_code, kind.elem, mask) for g in gradients
                ]
            for factor, row in zip(factors, chains):
                for element, chain in zip(elements, row):
                    chain.set(fma(element, factor, chain.value))

        with fn.loop(0, at.images) as image, fn.loop(0, at.rows) as row:
            line = image * w.image_pitch + row * w.row_stride * w.row_pitch
            number = image * (w.outputs * w.groups) * plane + row * w.out_columns
            with fn.loop(0, whole, lanes) as column:
                add(line, number, column, None)
            with fn.when(whole < w.out_columns):
                add(line, number, whole, rest)
        return [[chain.value for chain in row] for row in chains]


def tree(fn: Function, chains: Value) -> Value:
    """The chains of a weight added up: l with l + half of them, and so on."""
    while chains.type.lanes > 1:
        low, high = fn.halves(chains)
        chains = low + high
    return fn.lane(chains, 0)


@recipe
def add_portions(elem: str, out_code: str) -> Module:
    """Add the portions in order and round. Units are groups."""
    fn = kernel_function()
    w = named_words(fn, SUM_WORDS)
    kind = Type(elem, target().lanes(elem))
    with fn.loop(fn.word(0), fn.word(1)) as group:
        start = w.partial.pointer() + group * w.portions * w.group_weights * kind.bytes
        to = w.gradient.pointer() + group * w.group_weights * memory.code_bytes(out_code)
        with fn.loop(0, w.group_weights, kind.lanes) as i:
            mask = fn.mask(w.group_weights - i, kind.lanes)
            total = fn.var(fn.masked_load(start, kind, mask, i))
            with fn.loop(1, w.portions) as portion:
                total.set(total.value + fn.masked_load(start, kind, mask, portion * w.group_weights + i))
            memory.store_masked(fn, total.value + 0.0, to, out_code, mask, i)
    fn.ret(0)
    return fn.module
