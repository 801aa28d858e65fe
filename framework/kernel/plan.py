"""Plans: which kernels run, on which buffers, in what order, to compute one operator.

An operator's kernel rule is a Python function that is called once for each combination of layouts and attributes. It
gets a `Planner` and a `Buffer` for each input and output, and adds steps:

    def plan(p: Planner, x: Buffer, out: Buffer, *, axis: int) -> None:
        p.step(softmax_rows.address(...), x, out, rows, length, units=rows, grain=16)

A step runs one kernel over its units (rows, blocks, tiles: the kernel's choice). Units are dealt to threads in chunks of
`grain`; the chunks follow from the shape alone, and a kernel gives the same bits however its units are dealt. Steps run
one after the other: each may read what earlier ones wrote, into outputs or into a `workspace`.

The words of a kernel are: first unit, end, address of this thread's scratch, then the words of the step, where a `Buffer`
stands for the address of its data.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Union

from anfora.core.abstract import Layout, TensorType, contiguous_strides
from anfora.core.dtype import DType
from anfora.core.records import Record

__all__ = ["Buffer", "Elements", "Plan", "Planner", "Step", "split"]


class Buffer(Record):
    """The data of an operand as a kernel rule sees it: which buffer of the call, and how its elements lie."""

    index: int  #: among the buffers of the call: inputs, outputs, workspaces
    dtype: DType
    shape: tuple[int, ...]
    strides: tuple[int, ...]  #: bytes
    offset: int = 0  #: bytes from the start of the data

    @classmethod
    def of(cls, index: int, layout: Layout) -> Buffer:
        return cls(index, layout.dtype, layout.shape, layout.strides)

    def at(self, index: int) -> Buffer:
        """The same under another number."""
        return Buffer(index, self.dtype, self.shape, self.strides, self.offset)

    @property
    def code(self) -> str:
        return self.dtype.code

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def is_contiguous(self) -> bool:
        normal = contiguous_strides(self.shape, self.dtype.itemsize)
        return self.size == 0 or all(n == 1 or s == t for n, s, t in zip(self.shape, self.strides, normal))

    @property
    def layout(self) -> Layout:
        return Layout(TensorType(self.dtype, self.shape), self.strides)

    def backwards(self, *axes: int) -> Buffer:
        """The same elements, with axes in reverse order."""
        steps = list(self.strides)
        offset = self.offset
        for axis in axes:
            offset += (self.shape[axis] - 1) * steps[axis]
            steps[axis] = -steps[axis]
        return replace(self, strides=tuple(steps), offset=offset)

    def reshaped(self, *shape: int) -> Buffer:
        """A contiguous buffer with other axes."""
        assert self.is_contiguous and math.prod(shape) == self.size, (self, shape)
        return Buffer(self.index, self.dtype, shape, contiguous_strides(shape, self.dtype.itemsize), self.offset)

    @property
    def as_parts(self) -> Buffer:
        """Complex numbers as their parts, along one more axis."""
        kind = self.dtype.part
        return Buffer(self.index, kind, (*self.shape, 2), (*self.strides, kind.itemsize), self.offset)

    def permuted(self, axes: tuple[int, ...]) -> Buffer:
        shape, strides = tuple(self.shape[a] for a in axes), tuple(self.strides[a] for a in axes)
        return Buffer(self.index, self.dtype, shape, strides, self.offset)

    def broadcast(self, shape: tuple[int, ...]) -> Buffer:
        """The buffer seen with a larger shape; repeated axes get stride 0."""
        lead = len(shape) - self.ndim
        strides = tuple(
            0 if i < lead or self.shape[i - lead] != n else self.strides[i - lead] for i, n in enumerate(shape)
        )
        return Buffer(self.index, self.dtype, shape, strides, self.offset)

    def moved(self, nbytes: int) -> Buffer:
        """The buffer from another start."""
        return Buffer(self.index, self.dtype, self.shape, self.strides, self.offset + nbytes)


Word = Union[int, Buffer]


class Elements(Record):
    """What an elementwise step computes, for graph mode, which puts several into one loop."""

    body: Callable  #: the scalar body
    inputs: tuple[tuple[Buffer, str], ...]  #: with the machine type that their values have in the body
    outputs: tuple[tuple[Buffer, str], ...]
    nanoseconds: float  #: an element, about


class Step(Record):
    """One kernel over its units."""

    kernel: int  #: address
    words: tuple[Word, ...]
    units: int
    grain: int  #: units in a chunk
    scratch: int = 0  #: bytes that each thread needs for itself
    is_whole: bool = False  #: whether the kernel must get all units at once
    elements: Elements | None = None  #: of an elementwise step

    @property
    def chunks(self) -> int:
        return -(-self.units // self.grain)


class Plan(Record):
    """The steps of one operator on given layouts, and the sizes (bytes) of the workspaces they share."""

    inputs: tuple[Layout | None, ...]  #: None where an optional operand is absent
    outputs: tuple[Layout, ...]
    steps: tuple[Step, ...]
    workspaces: tuple[int, ...]

    @property
    def is_serial(self) -> bool:
        """Whether no step is large enough to share."""
        return all(step.chunks <= 1 for step in self.steps)


@dataclass
class Planner:
    """Collects the steps of a plan."""

    inputs: tuple[Layout | None, ...]
    outputs: tuple[Layout, ...]
    steps: list[Step] = field(default_factory=list)
    workspaces: list[int] = field(default_factory=list)

    @property
    def operands(self) -> list[Buffer | None]:
        """The buffers of the inputs and outputs, in order."""
        return [None if a is None else Buffer.of(i, a) for i, a in enumerate((*self.inputs, *self.outputs))]

    def step(
        self, kernel: int, *words: Word, units: int, grain: int | None = 1, scratch: int = 0,
        elements: Elements | None = None,
    ) -> None:  # fmt: skip
        """Run `kernel` over `units`; nothing is added when there are none.

        `grain` is None for a kernel whose units depend on each other: it gets them all at once, in order.
        """
        if units > 0:
            self.steps.append(
                Step(kernel, words, units, max(1, units if grain is None else grain), scratch, grain is None, elements)
            )

    def workspace(self, dtype: DType, *shape: int) -> Buffer:
        """Memory for the time of the call, uninitialised."""
        index = len(self.inputs) + len(self.outputs) + len(self.workspaces)
        self.workspaces.append(math.prod(shape) * dtype.itemsize)
        return Buffer(index, dtype, shape, contiguous_strides(shape, dtype.itemsize))

    def finish(self) -> Plan:
        return Plan(self.inputs, self.outputs, tuple(self.steps), tuple(self.workspaces))


#: Work below this many nanoseconds is not worth sharing.
_CHUNK_NS = 8_000.0


def split(units: int, nanoseconds: float) -> int:
    """The grain for `units` that take about so long each on one thread: chunks of some microseconds, at most 64."""
    grain = max(1, round(_CHUNK_NS / max(nanoseconds, 1e-6)))
    return max(grain, -(-units // 64))
