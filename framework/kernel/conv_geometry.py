"""Which source positions an output position of a convolution sums, along one axis and along two.

The forward convolution and its input gradient are the same sum with other numbers. Output position `first + step · i`
reads, for each of its taps, source position `stride · i + offset`:

    forward           one phase:    step 1, stride = the stride of the layer, offset = tap · dilation - padding
    input gradient    a phase for each remainder h mod stride: step = the stride of the layer, stride 1, and only the
                      taps that hit an output of the layer:  offset = (h + padding - tap · dilation) / stride

so that no product with a zero between two elements is ever formed. Positions outside the source count as zeros.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import field, replace
from typing import NamedTuple

from anfora.core.dtype import DType
from anfora.core.records import Record
from anfora.kernel.plan import Buffer

__all__ = ["Axis", "Phase", "Sum", "adjoint_axis", "forward_axis"]


class Phase(NamedTuple):
    """The outputs `first + step · i`, i < count, and their taps (index in the window, offset in the source), from one
    end of the source to the other."""

    first: int
    count: int  # type: ignore[assignment]  # it hides the method of tuples
    taps: tuple[tuple[int, int], ...]


class Axis(Record):
    """One spatial axis: lengths of source and output, and the phases that the output falls into."""

    source: int
    out: int
    step: int
    stride: int
    phases: tuple[Phase, ...]

    @functools.cached_property
    def first(self) -> int:
        """The smallest offset of a tap: where a padded copy begins."""
        return min((offset for phase in self.phases for _, offset in phase.taps), default=0)

    @functools.cached_property
    def span(self) -> int:
        """The largest offset less the smallest."""
        return max((offset for phase in self.phases for _, offset in phase.taps), default=0) - self.first

    @functools.cached_property
    def extent(self) -> int:
        """How many source positions, from `first` on, the whole axis touches."""
        return (max(phase.count for phase in self.phases) - 1) * self.stride + self.span + 1

    @functools.cached_property
    def dilation(self) -> int:
        """The distance of the taps of the first phase in the source."""
        offsets = [offset for _, offset in self.phases[0].taps]
        return offsets[1] - offsets[0] if len(offsets) > 1 else 1

    @functools.cached_property
    def products(self) -> int:
        """How many products of a source position and a tap the axis forms."""
        return sum(phase.count * len(phase.taps) for phase in self.phases)

    @functools.lru_cache(512)  # noqa: B019 (axes are small values)
    def kept(self, stretch: int) -> float:
        """The part of the taps that is left if those outside the source for `stretch` outputs together are skipped."""
        kept = formed = 0
        for phase in self.phases:
            for first in range(0, phase.count, stretch):
                last = min(first + stretch, phase.count) - 1
                formed += (last - first + 1) * len(phase.taps)
                for _, offset in phase.taps:
                    if last * self.stride + offset >= 0 and first * self.stride + offset < self.source:
                        kept += last - first + 1
        return kept / max(formed, 1)

    @functools.cached_property
    def is_inside(self) -> bool:
        """Whether every position that is read lies in the source."""
        return self.first >= 0 and self.first + self.extent <= self.source


def forward_axis(source: int, out: int, taps: int, stride: int, padding: int, dilation: int) -> Axis:
    phase = Phase(0, out, tuple((tap, tap * dilation - padding) for tap in range(taps)))
    return Axis(source, out, 1, stride, (phase,))


def adjoint_axis(source: int, out: int, taps: int, stride: int, padding: int, dilation: int) -> Axis:
    """The axis of the input gradient: `source` is the length of the layer's output, `out` that of its input."""
    phases = []
    for first in range(min(stride, out)):
        hits = [(tap, first + padding - tap * dilation) for tap in reversed(range(taps))]
        kept = tuple((tap, distance // stride) for tap, distance in hits if distance % stride == 0)
        phases.append(Phase(first, -(-(out - first) // stride), kept))
    return Axis(source, out, stride, 1, tuple(phases))


class Sum(Record):
    """A convolution or its input gradient, as the kernels see it: each output element of a group is a sum over the
    group's source channels and the taps of its phase."""

    source: Buffer  #: (images, groups x channels, rows, columns); columns side by side
    weights: Buffer  #: contiguous, in the type in which sums are computed
    out: Buffer  #: contiguous
    groups: int
    channels: int  #: of the source, in a group
    outputs: int  #: channels of the output, in a group
    output_stride: int  #: elements from one output's weights to the next one's
    channel_stride: int  #: elements from one source channel's weights to the next one's
    window: tuple[int, int]
    rows: Axis
    columns: Axis
    compute: DType
    epilogue: Callable | None = None
    operands: tuple[tuple[Buffer, str], ...] = field(default=())

    @property
    def images(self) -> int:
        return self.out.shape[0]

    @property
    def taps(self) -> int:
        return self.window[0] * self.window[1]

    @property
    def is_inside(self) -> bool:
        """Whether the source can be read where it lies."""
        return self.rows.is_inside and self.columns.is_inside and self.source.dtype is self.compute

    @property
    def products(self) -> int:
        """Multiplications for one image and group."""
        return self.channels * self.outputs * self.rows.products * self.columns.products

    def simplified(self) -> Sum:
        """With the rows of a plane joined into one, if the window is a single tap that moves by one and planes have no
        gaps; tiles fit a long row better than short ones."""
        shape, strides = self.source.shape, self.source.strides
        rows, columns = shape[2:]
        plain = forward_axis(rows, rows, 1, 1, 0, 1), forward_axis(columns, columns, 1, 1, 0, 1)
        size, length = self.source.dtype.itemsize, rows * columns
        if (self.rows, self.columns) != plain or length > 1024 or strides[2] != columns * size:
            return self
        one = forward_axis(1, 1, 1, 1, 0, 1)
        source = replace(self.source, shape=(*shape[:2], 1, length), strides=(*strides[:2], length * size, size))
        out = self.out.reshaped(*self.out.shape[:2], 1, length)
        return replace(self, source=source, out=out, rows=one, columns=forward_axis(length, length, 1, 1, 0, 1))

    @property
    def operand_kinds(self) -> tuple[tuple[str, str], ...]:
        """Kind and type of the epilogue's operands."""
        return tuple((kind, buffer.code) for buffer, kind in self.operands)
