"""A kernel that finds out whether buffers share memory: a program that writes to one must know before it starts."""

from __future__ import annotations

from collections.abc import Sequence

from anfora.kernel.build import recipe
from anfora.kernel.emit import Function, Module
from anfora.kernel.plan import Buffer, Planner

__all__ = ["plan_overlap"]

_HEADER = 3


@recipe
def _overlap() -> Module:
    """1 if one of the first `written` of `count` pieces of memory overlaps a later one, else 0.
    words: written | count | for each piece its start and end"""
    fn = Function("kernel", [("ptr", "words")])
    [words] = fn.args
    written, count = fn.word(_HEADER), fn.word(_HEADER + 1)
    pieces = words + 8 * (_HEADER + 2)
    with fn.loop(0, written) as i:
        start, end = (fn.load(pieces, fn.word(0).type, i * 2 + side) for side in (0, 1))
        with fn.loop(i + 1, count) as j:
            other_start, other_end = (fn.load(pieces, start.type, j * 2 + side) for side in (0, 1))
            with fn.when((start < other_end) & (other_start < end)):
                fn.ret(1)
    fn.ret(0)
    return fn.module


def plan_overlap(p: Planner, written: Sequence[Buffer], others: Sequence[Buffer]) -> None:
    """Add the step that fails if a buffer of `written` overlaps another of them or of `others`. None is empty."""
    ends = [end for buffer in (*written, *others) for end in _ends(buffer)]
    p.step(_overlap.address(), len(written), len(written) + len(others), *ends, units=1, grain=None)


def _ends(buffer: Buffer) -> tuple[Buffer, Buffer]:
    steps = [(n - 1) * step for n, step in zip(buffer.shape, buffer.strides)]
    low = sum(step for step in steps if step < 0)
    high = sum(step for step in steps if step > 0) + buffer.dtype.itemsize
    return buffer.moved(low), buffer.moved(high)
