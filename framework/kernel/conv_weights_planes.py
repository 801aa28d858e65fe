"""The weight gradient of a convolution of single planes (depthwise), all taps of a window at once.

Pixels are cut into pieces and portions as in `conv_weights`. As in `conv_weights_pixels` each weight has `LANES` chains of
fused multiply-adds from +0, chain l for columns l, l + LANES, …, which are added as a tree at last. Here a chain walks the
image in tiles of `HEIGHT` rows: vector by vector along the tile, row by row within it. Thus a vector of g meets all taps
while it is in a register, and a source vector all rows of the tile that see it. Chains go on through `flush` pieces, so
that small images do not pay for a tree each.
"""

from __future__ import annotations

from anfora.kernel import conv_units, memory
from anfora.kernel.bodies import fma
from anfora.kernel.build import recipe
from anfora.kernel.conv_geometry import Sum
from anfora.kernel.conv_layout import kernel_function, least, named_words
from anfora.kernel.conv_units import Pieces, copy_band, place
from anfora.kernel.conv_weights_pixels import add_portions, tree
from anfora.kernel.emit import Module, Type, Value
from anfora.kernel.loops import HEADER
from anfora.kernel.plan import Buffer, Planner, split

__all__ = ["is_of_planes", "plan_plane_weights"]

WORDS = (*conv_units.WORDS, "pieces", "portion_pieces", "portions", "partial", "flush")
HEIGHT = 4
_MOST = 25  # taps that registers hold
_FLUSH = 2048  # pixels, about, after which chains are added up


def is_of_planes(s: Sum) -> bool:
    """Whether this way is taken: by the shape alone, because the order of the sums follows from it."""
    return s.channels == 1 and s.outputs == 1 and s.taps <= _MOST


def plan_plane_weights(p: Planner, s: Sum, out: Buffer) -> None:
    """Add the steps of the weight gradient `out` of the forward convolution `s`, whose `out` is the gradient g."""
    code, size = s.compute.code, s.compute.itemsize
    lanes, runs = 64 // size, s.columns.stride
    copies = runs > 1 or not s.is_inside
    cut = Pieces.choose(s, copies, 1, runs=runs, lanes=lanes if runs > 1 else 1)
    units = cut.units
    partial = p.workspace(s.compute, s.groups * cut.portions, s.taps)
    count = s.groups * cut.portions
    distances = []
    for _, offset in s.columns.phases[0].taps:
        at, run = divmod(offset - s.columns.first, units.runs)
        distances.append(run * units.run_pitch + at * size)
    flush = max(1, _FLUSH // (units.set_images * units.band_rows * s.columns.out))
    p.step(
        plane_weights.address(
            code, s.source.code, s.out.code, s.window, s.rows.stride, s.rows.dilation, runs if copies else 0
        ),
        *units.words(1), *cut.words, partial, flush, *distances,
        units=count, grain=split(count, s.images * s.products / cut.portions / 25 + 40), scratch=units.copied_bytes,
    )  # fmt: skip
    p.step(
        add_portions.address(code, out.code), partial, out, cut.portions, s.taps,
        units=s.groups, grain=split(s.groups, s.taps * cut.portions / 8 + 10),
    )  # fmt: skip


@recipe
def plane_weights(
    elem: str, source_code: str, gradient_code: str, window: tuple[int, int], stride: int, ascent: int, runs: int
) -> Module:
    """The kernel for windows of this size, whose rows are `ascent` source rows apart and move by `stride` rows. `runs` is
    0 where the source is read in place, else how many runs its columns are dealt to in scratch."""
    fn = kernel_function()
    w = named_words(fn, WORDS)
    kind = Type(elem, 64 // Type(elem).bytes)
    lanes, size = kind.lanes, memory.code_bytes(gradient_code)
    distances = [fn.word(HEADER + len(WORDS) + i) for i in range(window[1])]
    plane = w.out_rows * w.out_columns
    zero = fn.const(0.0, kind)
    with fn.loop(fn.word(0), fn.word(1)) as unit:  # groups count fastest: so units follow the memory
        portion = unit // w.groups
        group = unit - portion * w.groups
        first_piece = portion * w.portion_pieces
        end_piece = least(fn, first_piece + w.portion_pieces, w.pieces)
        partial = w.partial.pointer() + (group * w.portions + portion) * (window[0] * window[1] * kind.scalar.bytes)
        with fn.loop(first_piece, end_piece, w.flush) as first:
            chains = [[fn.var(zero) for _ in range(window[1])] for _ in range(window[0])]

            def tile(height: int, top: Value, gradient: Value, column: Value, chains: list = chains) -> None:
                mask = fn.mask(w.out_columns - column, lanes)
                rows = [gradient + (w.out_columns * i + column) * size for i in range(height)]
                for row in rows:
                    fn.prefetch(row + plane * size)  # the next group's
                factors = [memory.load_masked(fn, row, gradient_code, elem, mask) for row in rows]
                for line in range((height - 1) * stride + (window[0] - 1) * ascent + 1):
                    places = [(i, line - i * stride) for i in range(height)]
                    seen = [
                        (i, at // ascent)
                        for i, at in places
                        if 0 <= at <= (window[0] - 1) * ascent and at % ascent == 0
                    ]
                    for s, distance in enumerate(distances if seen else ()):
                        here = top + w.row_pitch * line + (column * kind.scalar.bytes + distance)
                        element = fn.masked_load(here, kind, mask)
                        for i, r in seen:
                            chains[r][s].set(fma(element, factors[i], chains[r][s].value))

            with fn.loop(first, least(fn, first + w.flush, end_piece)) as piece:
                at = place(fn, w, group * w.pieces + piece)
                if runs:
                    source = fn.word(2).pointer()
                    copy_band(fn, w, at, source, source_code, elem, runs)
                else:
                    source = at.source + (at.source_row * w.source_row + w.first_column * kind.scalar.bytes)
                number = (at.first_image * w.groups + group) * plane + at.first_row * w.out_columns
                gradient = w.out.pointer() + number * size
                whole = at.rows // HEIGHT * HEIGHT
                with fn.loop(0, at.images) as image:
                    for height, begin, end in ((HEIGHT, 0, whole), (1, whole, at.rows)):
                        with fn.loop(begin, end, height) as row, fn.loop(0, w.out_columns, lanes) as column:
                            tile(
                                height,
                                source + (image * w.image_pitch + row * w.row_stride * w.row_pitch),
                                gradient + (image * w.groups * plane + row * w.out_columns) * size,
                                column,
                            )
            is_first = first == first_piece
            for number, chain in enumerate(chain for row in chains for chain in row):
                before = fn.select(is_first, fn.const(0.0, kind.scalar), fn.load(partial, kind.scalar, number))
                fn.store(before + tree(fn, chain.value), partial, number)
    fn.ret(0)
    return fn.module
