"""What one call of a convolution kernel works on, and what it copies before it starts.

A unit is a band of output rows of one image, or some whole small images, of one group, for some blocks of output
channels. `Units` is chosen by shape when a step is planned and becomes the first words of the step; `place`, `copy_band`
and `phase_lines` are the parts of the kernels that read these words.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace

from anfora.core.records import Record
from anfora.kernel.conv_geometry import Sum
from anfora.kernel.conv_layout import least, odd_lines, padded_copy
from anfora.kernel.emit import Function, Value
from anfora.kernel.plan import Word

__all__ = ["WORDS", "Pieces", "Units", "copy_band", "phase_lines", "place"]

WORDS = (
    # the source: bytes from group to group, …, sizes, and the window that a band needs
    "source", "source_group", "source_image", "source_channel", "source_row", "height", "width", "channels",
    "first_row", "first_column", "row_span", "extent", "row_stride",
    # where the tiles read it, in place or in scratch: bytes from image to image, …; and from run to run of a row
    "image_pitch", "channel_pitch", "row_pitch", "run_pitch",
    "out", "out_rows", "out_columns", "row_step", "column_step", "outputs", "groups", "blocks",
    "images", "set_images", "sets", "bands", "band_rows", "parts", "part_blocks", "phases", "stretch",
)  # fmt: skip
_PHASE = ("first_row", "first_column", "columns", "row_taps", "column_taps", "offset", "ascent", "taps")


class Units(Record):
    """How the work of a sum is cut, and where its source is read."""

    sum: Sum
    copies: bool  #: whether the source rows of a unit are copied into scratch
    runs: int  #: to how many runs the columns of a copied row are dealt
    run_pitch: int
    set_images: int
    band_rows: int
    blocks: int
    part_blocks: int

    @classmethod
    def choose(
        cls, s: Sum, copies: bool, blocks: int, *, set_images: int, band_outputs: int, runs: int = 1, lanes: int = 1
    ) -> Units:
        """Sets of `set_images` images in bands of about `band_outputs` outputs an image, fewer where the copied rows
        would not stay in the second-level cache. The blocks of channels are one part."""
        run_pitch = -(-s.columns.extent // (runs * lanes)) * lanes * s.compute.itemsize
        rows = s.rows.out
        bands = -(-rows * s.columns.out // band_outputs)
        if copies:
            bands = max(bands, -(-s.channels * s.rows.source * runs * run_pitch // 262_144))
        return cls(s, copies, runs, run_pitch, set_images, _band_rows(s, bands), blocks, blocks)

    def shared(self) -> Units:
        """The same with more bands, or with the blocks in parts, where there would be too few units to share. Bands cost
        halos and reading the weights again, parts cost copying the source again; a single image with many blocks is
        best left whole, since each block of weights then belongs to one unit."""
        s, wanted = self.sum, 12
        whole = s.groups * self.sets
        most = s.rows.out * s.columns.out // 96
        if whole * self.bands == 1 and self.blocks >= wanted // 2:
            most = 1
        options = []
        for bands in range(self.bands, max(self.bands, min(most, -(-wanted // whole))) + 1):
            part_blocks = -(-self.blocks // min(self.blocks, -(-wanted // (whole * bands))))
            option = replace(self, band_rows=_band_rows(s, bands), part_blocks=part_blocks)
            copied = option.parts * (s.rows.out * s.rows.stride // s.rows.step + option.bands * s.rows.span)
            options.append((-min(option.count, wanted), copied, bands, option))
        return min(options, key=lambda option: option[:3])[3]

    @property
    def sets(self) -> int:
        return -(-self.sum.images // self.set_images)

    @property
    def bands(self) -> int:
        return -(-self.sum.rows.out // self.band_rows)

    @property
    def parts(self) -> int:
        return -(-self.blocks // self.part_blocks)

    @property
    def count(self) -> int:
        return self.sum.groups * self.sets * self.bands * self.parts

    @property
    def pitches(self) -> tuple[int, int, int]:
        """Bytes from image to image, channel to channel and row to row, as the tiles read them."""
        s = self.sum
        if not self.copies:
            return s.source.strides[:3]  # type: ignore[return-value]
        rows = (self.band_rows - 1) // s.rows.step * s.rows.stride + s.rows.span + 1
        row_pitch = self.runs * self.run_pitch
        channel_pitch = odd_lines(rows * row_pitch)
        return s.channels * channel_pitch, channel_pitch, row_pitch

    @property
    def copied_bytes(self) -> int:
        """Scratch for the copy; vectors may overrun it by two."""
        return self.set_images * self.pitches[0] + 128 if self.copies else 0

    @property
    def nanoseconds(self) -> float:
        """About how long a unit takes."""
        return self.sum.images * self.sum.groups * self.sum.products / self.count / 50

    @property
    def skips(self) -> bool:
        """Whether some outputs have tap rows that lie wholly in the padding."""
        return not self.sum.rows.is_inside

    def words(self, stretch: int) -> tuple[Word, ...]:
        """The words; tiles are formed within stretches of `stretch` lines."""
        s = self.sum
        return (
            s.source, s.channels * s.source.strides[1], *s.source.strides[:3], *s.source.shape[2:], s.channels,
            s.rows.first, s.columns.first, s.rows.span, s.columns.extent, s.rows.stride,
            *self.pitches, self.run_pitch,
            s.out, *s.out.shape[2:], s.rows.step, s.columns.step, s.outputs, s.groups, self.blocks,
            s.images, self.set_images, self.sets, self.bands, self.band_rows, self.parts, self.part_blocks,
            len(s.rows.phases) * len(s.columns.phases), stretch,
        )  # fmt: skip

    def phase_words(self, first: int, tap_bytes: int) -> tuple[int, ...]:
        """The words of the phases, of which the first stands at word `first`, and then for each tap its distance in the
        source and in the weights, whose taps are `tap_bytes` apart."""
        s, size = self.sum, self.sum.compute.itemsize
        phases: list[int] = []
        taps: list[int] = []
        taps_at = first + len(_PHASE) * len(s.rows.phases) * len(s.columns.phases)
        for rows in s.rows.phases:
            for columns in s.columns.phases:
                offsets = [offset for _, offset in rows.taps] or [0]
                ascent = offsets[1] - offsets[0] if len(offsets) > 1 else 1
                sizes = columns.count, len(rows.taps), len(columns.taps)
                phases += [rows.first, columns.first, *sizes, offsets[0], ascent, taps_at + len(taps)]
                for row, row_offset in rows.taps:
                    for column, column_offset in columns.taps:
                        at, run = divmod(column_offset - s.columns.first, self.runs)
                        taps.append((row_offset - s.rows.first) * self.pitches[2] + run * self.run_pitch + at * size)
                        taps.append((row * s.window[1] + column) * tap_bytes)
        return (*phases, *taps)


def _band_rows(s: Sum, bands: int) -> int:
    """The rows of the output in each of about so many bands; bands begin where the phases do."""
    rows = -(-s.rows.out // bands)
    return -(-rows // s.rows.step) * s.rows.step


class Pieces(Record):
    """How the pixels of a weight gradient are cut into pieces, and pieces into portions (`conv_weights`): a function of
    the shape alone, because the order of the sums follows from it."""

    units: Units
    portion_pieces: int

    @classmethod
    def choose(cls, s: Sum, copies: bool, blocks: int, *, runs: int = 1, lanes: int = 1) -> Pieces:
        pixels = s.rows.out * s.columns.out
        images = max(1, min(s.images // 16, 1024 // pixels))
        images = 1 << (images.bit_length() - 1)
        units = Units.choose(s, copies, blocks, set_images=images, band_outputs=1024, runs=runs, lanes=lanes)
        pieces = units.sets * units.bands
        portions = min(pieces, 16, max(1, s.images * pixels // 256))
        portion_pieces = -(-pieces // portions)
        portions = -(-pieces // portion_pieces)
        part_blocks = -(-blocks // min(blocks, -(-32 // (s.groups * portions))))
        return cls(replace(units, part_blocks=part_blocks), portion_pieces)

    @property
    def count(self) -> int:
        return self.units.sets * self.units.bands

    @property
    def portions(self) -> int:
        return -(-self.count // self.portion_pieces)

    @property
    def words(self) -> tuple[int, int, int]:
        return self.count, self.portion_pieces, self.portions


def place(fn: Function, w: SimpleNamespace, unit: Value) -> SimpleNamespace:
    """What a unit is about: group, images, rows of the output, blocks of channels, and the source rows it needs.

    Units count parts of the blocks fastest, then bands of rows, sets of images, groups."""
    rest = unit // w.parts
    first_block = (unit - rest * w.parts) * w.part_blocks
    whole = rest // w.bands
    first_row = (rest - whole * w.bands) * w.band_rows
    group = whole // w.sets
    first_image = (whole - group * w.sets) * w.set_images
    rows = least(fn, w.band_rows, w.out_rows - first_row)
    return SimpleNamespace(
        group=group,
        first_image=first_image,
        images=least(fn, w.set_images, w.images - first_image),
        first_row=first_row,
        rows=rows,
        first_block=first_block,
        end_block=least(fn, first_block + w.part_blocks, w.blocks),
        source=w.source.pointer() + (group * w.source_group + first_image * w.source_image),
        source_row=first_row // w.row_step * w.row_stride + w.first_row,
        source_rows=(rows - 1) // w.row_step * w.row_stride + w.row_span + 1,
    )


def copy_band(
    fn: Function, w: SimpleNamespace, at: SimpleNamespace, to: Value, code: str, elem: str, runs: int
) -> None:
    """The padded copy of the source rows that a unit needs, image after image."""
    with fn.loop(0, at.images) as image:
        padded_copy(
            fn, at.source + image * w.source_image, to + image * w.image_pitch, code=code, elem=elem, runs=runs,
            channels=w.channels, channel_stride=w.source_channel, row_stride=w.source_row, height=w.height,
            width=w.width, first_row=at.source_row, rows=at.source_rows, first_column=w.first_column,
            columns=w.extent, channel_pitch=w.channel_pitch, row_pitch=w.row_pitch, run_pitch=w.run_pitch,
        )  # fmt: skip


@contextmanager
def phase_lines(
    fn: Function, w: SimpleNamespace, at: SimpleNamespace, first_word: int, finite: Value
) -> Iterator[SimpleNamespace]:
    """The loops over the phases of the output, and over stretches of lines (output rows of a phase).

    Where all weights are finite, tap rows that lie in the padding for all lines of the stretch are left out. The bits
    stay those of products with zero: a product ±0 changes no sum but -0, which can only come from a sum too small for
    a denormal number and is stored as +0 in any case.

    Yields the phase's words, the stretch `first_line`, `lines`, and its taps `first_tap`, `end_tap`."""
    with fn.loop(0, w.phases) as phase:
        words = phase * len(_PHASE) + first_word
        now = SimpleNamespace(**{name: fn.word(words + i) for i, name in enumerate(_PHASE)})
        lines = (at.rows - now.first_row + w.row_step - 1) // w.row_step
        with fn.loop(0, lines, w.stretch) as line:
            now.first_line, now.lines = line, least(fn, w.stretch, lines - line)
            row = (at.first_row // w.row_step + line) * w.row_stride + now.offset  # in the source, of the first tap
            last_row = row + (now.lines - 1) * w.row_stride
            before, behind = -last_row, w.height - 1 - row
            first = fn.select(before > 0, (before + now.ascent - 1) // now.ascent, 0)
            end = fn.select(behind >= 0, behind // now.ascent + 1, 0)
            now.first_tap = fn.select(finite, first, 0) * now.column_taps
            now.end_tap = fn.select(finite, least(fn, end, now.row_taps), now.row_taps) * now.column_taps
            yield now
