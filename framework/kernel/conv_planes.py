"""Convolution of single planes, one source channel an output (depthwise): vectors over output columns, and rows that share
what they read.

A tile is some output rows (of a phase, see `conv_geometry`) times some vectors of neighbouring columns. Its source rows
are walked from the top; each vector that is read from a row, once for each tap column, is multiplied into the sums of all
output rows of the tile that see the row. So the sum of an output takes its taps row by row, column by column, as `conv`
demands, and a source element is read far less than once for each product. The taps are unrolled: the size of the window,
the stride and dilation of the rows are in the machine code.

The input gradient of a layer that moves by two columns has two phases of columns, the even and the odd ones. Both are
summed for the same tile and shuffled together before they are stored.

The last tile of a row overlaps the one before it, and so does the last row of tiles. An epilogue may therefore see an
output twice: its operands must not share memory with the output. Where a row is shorter than a vector, the source is copied
and the output stored under a mask.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace

from anfora.kernel import conv_units
from anfora.kernel.bodies import fma
from anfora.kernel.build import recipe
from anfora.kernel.conv_geometry import Axis, Phase, Sum
from anfora.kernel.conv_layout import finish, kernel_function, least, named_words, operand_pointers
from anfora.kernel.conv_units import Units, copy_band
from anfora.kernel.emit import Function, Module, Type, Value
from anfora.kernel.loops import HEADER
from anfora.kernel.plan import Planner, split
from anfora.kernel.target import target

__all__ = ["cycles", "plan_plane_tiles"]

WORDS = (*conv_units.WORDS, "weights", "weight_group")
_MOST = 49  # taps that are unrolled


def cycles(s: Sum) -> float:
    """About how many cycles an image and group take; infinite where the sum is none of single planes."""
    phases = len(s.rows.phases), len(s.columns.phases)
    if s.channels > 1 or s.outputs > 1 or s.taps > _MOST or phases != (s.rows.step, s.columns.step) or phases[1] > 2:
        return math.inf
    lanes = target().lanes(s.compute.code)
    dealing = 6 * s.rows.source * -(-s.columns.source // lanes) if s.columns.stride > 1 else 0
    taps = s.rows.products * s.columns.products / (s.rows.out * s.columns.out)  # of an output
    across = phases[1] * -(-s.columns.phases[0].count // lanes)
    return s.rows.out * across * (0.8 * taps + 5) + dealing


def plan_plane_tiles(p: Planner, s: Sum) -> None:
    """Add the step of `s`."""
    size, lanes, runs = s.compute.itemsize, target().lanes(s.compute.code), s.columns.stride
    is_paired, is_narrow = len(s.columns.phases) > 1, s.columns.out < lanes
    copies = is_paired or is_narrow or runs > 1 or not s.is_inside
    units = Units.choose(
        s, copies, 1, set_images=1, band_outputs=s.rows.out * s.columns.out, runs=runs, lanes=lanes if runs > 1 else 1
    ).shared()
    last_band = s.rows.out - (units.bands - 1) * units.band_rows
    lines = [
        -(-(rows - phase.first) // s.rows.step) for rows in (units.band_rows, last_band) for phase in s.rows.phases
    ]
    height, vectors = _tile(min(n for n in lines if n > 0), s.columns)
    columns = tuple(tuple(tap for tap, _ in phase.taps) for phase in s.columns.phases)
    kernel = plane_tiles.address(
        s.compute.code, s.source.code, s.out.code, height, vectors, runs if copies else 0, is_narrow,
        tuple(map(_taps_of_rows, s.rows.phases)), columns, s.window[1], s.rows.stride, s.epilogue, s.operand_kinds,
    )  # fmt: skip
    tops = [phase.taps[0][1] - s.rows.first if phase.taps else 0 for phase in s.rows.phases]
    distances = []
    for phase in s.columns.phases:
        for _, offset in phase.taps:
            at, run = divmod(offset - s.columns.first, units.runs)
            distances.append(run * units.run_pitch + at * size)
    p.step(
        kernel, *units.words(1), s.weights, s.taps * size, *(buffer for buffer, _ in s.operands), *tops, *distances,
        units=units.count, grain=split(units.count, units.nanoseconds * 2 + 60), scratch=units.copied_bytes,
    )  # fmt: skip


def _taps_of_rows(phase: Phase) -> tuple[tuple[int, ...], int]:
    """The tap rows of a phase, and how many source rows they are apart."""
    ascent = phase.taps[1][1] - phase.taps[0][1] if len(phase.taps) > 1 else 1
    return tuple(tap for tap, _ in phase.taps), ascent


def _tile(rows: int, columns: Axis) -> tuple[int, int]:
    """Rows and vectors of a tile: eight sums or so, which hide the latency of an addition."""
    lines = (8 if target().registers >= 32 else 4) // len(columns.phases)
    vectors = 1 if columns.phases[0].count <= target().vector_bytes // 4 else 2
    heights = range(1, max(1, min(rows, lines // vectors)) + 1)
    return min(heights, key=lambda height: (-(-rows // height) * (height * 9 + 14), -height)), vectors


@recipe
def plane_tiles(
    elem: str, source_code: str, out_code: str, height: int, vectors: int, runs: int, is_narrow: bool,
    rows: tuple[tuple[tuple[int, ...], int], ...], columns: tuple[tuple[int, ...], ...], window: int, stride: int,
    epilogue: Callable | None, operands: tuple[tuple[str, str], ...],
) -> Module:  # fmt: skip
    """The kernel for tiles of `height` rows and `vectors` vectors.

    `runs` is 0 where the source is read in place, else how many runs the columns are dealt to. `rows` has for each phase
    the tap rows, from the top of the source on, and their distance in it; `columns` the tap columns of each phase. A
    window is `window` columns wide; neighbouring rows of a phase see the source `stride` rows apart."""
    fn = kernel_function()
    w = named_words(fn, WORDS)
    first = len(WORDS) + len(operands)
    numbers = iter(range(HEADER + first, 1 << 20))
    tops = [fn.word(next(numbers)) for _ in rows]
    distances = [[fn.word(next(numbers)) for _ in taps] for taps in columns]
    kind = Type(elem, target().lanes(elem))
    lanes, size = kind.lanes, kind.bytes
    finishing = out_code, epilogue, operands, operand_pointers(fn, len(WORDS), operands)
    plane = w.out_rows * w.out_columns
    across = (w.out_columns + (len(columns) - 1)) // len(columns)  # columns of the first phase
    with fn.loop(fn.word(0), fn.word(1)) as unit:
        at = _place(fn, w, unit)
        if runs:
            source = fn.word(2).pointer()
            copy_band(fn, w, at, source, source_code, elem, runs)
        else:
            source = at.source + (at.source_row * w.source_row + w.first_column * size)
        start_number = (at.first_image * w.groups + at.group) * plane + at.first_row * w.out_columns
        taps = w.weights.pointer() + at.group * w.weight_group

        def tile(
            tap_rows: tuple[int, ...], ascent: int, tap_columns: tuple[int, ...], distance: list[Value], top: Value,
            starts: list[Value],
        ) -> list[list[Value]]:  # fmt: skip
            """The sums of one phase by row and vector."""
            sums = [[fn.const(0.0, kind) for _ in starts] for _ in range(height)]
            reach = (len(tap_rows) - 1) * ascent
            for line in range((height - 1) * stride + reach + 1):
                places = [(i, line - i * stride) for i in range(height)]
                seen = [(i, here // ascent) for i, here in places if 0 <= here <= reach and here % ascent == 0]
                for column, to_column in zip(tap_columns, distance if seen else ()):
                    for v, start in enumerate(starts):
                        element = fn.load(top + w.row_pitch * line + (start * size + to_column), kind)
                        for i, row in seen:
                            weight = fn.load(taps, kind.scalar, tap_rows[row] * window + column)
                            sums[i][v] = fma(element, fn.splat(weight, lanes), sums[i][v])
            return sums

        last = fn.select(across > lanes, across - lanes, 0)
        for number, (tap_rows, ascent) in enumerate(rows):
            lines = (at.rows - number + (len(rows) - 1)) // len(rows)
            with fn.loop(0, lines, height) as tile_line, fn.loop(0, across, vectors * lanes) as tile_column:
                line = least(fn, tile_line, lines - height)
                starts = [least(fn, tile_column + v * lanes, last) for v in range(vectors)]
                top = source + (line * w.row_stride + tops[number]) * w.row_pitch
                found = [tile(tap_rows, ascent, *of_phase, top, starts) for of_phase in zip(columns, distances)]
                for i in range(height):
                    row_number = start_number + ((line + i) * len(rows) + number) * w.out_columns
                    for v, start in enumerate(starts):
                        for value, column, mask in _side_by_side(
                            fn, [sums[i][v] for sums in found], start, w.out_columns, is_narrow
                        ):
                            finish(fn, value, w.out.pointer(), row_number + column, at.group, mask, *finishing)
    fn.ret(0)
    return fn.module


def _place(fn: Function, w: SimpleNamespace, unit: Value) -> SimpleNamespace:
    """What a unit is about, as `conv_units.place` tells it, but units follow the memory: bands, groups, images."""
    plane = unit // w.bands
    image = plane // w.groups
    group = plane - image * w.groups
    first_row = (unit - plane * w.bands) * w.band_rows
    rows = least(fn, w.band_rows, w.out_rows - first_row)
    return SimpleNamespace(
        group=group,
        first_image=image,
        images=fn.const(1),
        first_row=first_row,
        rows=rows,
        source=w.source.pointer() + (group * w.source_group + image * w.source_image),
        source_row=first_row // w.row_step * w.row_stride + w.first_row,
        source_rows=(rows - 1) // w.row_step * w.row_stride + w.row_span + 1,
    )


def _side_by_side(
    fn: Function, parts: list[Value], start: Value, columns: Value, is_narrow: bool
) -> list[tuple[Value, Value, Value | None]]:
    """Vectors of one or two phases as vectors of neighbours, each with its first column and the mask of its lanes."""
    lanes = parts[0].type.lanes
    if len(parts) == 1:
        return [(parts[0], start, fn.mask(columns, lanes) if is_narrow else None)]
    even, odd = parts
    order = [half + i for i in range(lanes) for half in (0, lanes)]
    vectors = [fn.shuffle(even, odd, order[:lanes]), fn.shuffle(even, odd, order[lanes:])]
    first = start * 2
    return [
        (vector, first + i * lanes, fn.mask(columns - first - i * lanes, lanes)) for i, vector in enumerate(vectors)
    ]
