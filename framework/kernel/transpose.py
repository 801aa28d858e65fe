"""Copies whose source is permuted: what lies side by side in the source is spread in the target, and the reverse.

A loop that follows one of the two reads or writes single elements far apart. Here squares of L × L elements are loaded as
L vectors along the source's axis `i`, transposed in registers, and stored as L vectors along the target's axis `j`
(L fills a vector: 16 float32 with AVX-512). Both sides then move whole pieces of cache lines.

    registers     row r of the square holds source[j + r, i : i + L]; for d = L/2 … 1, rows r and r + d exchange the lanes
                  whose number has another bit d than the row: log2(L) steps of L shuffles (Eklundh, IEEE ToC 1972)
    blocks        a unit is a block of `_BLOCK` × `_BLOCK` elements of one combination of the other axes, so that the
                  pages in use are few
    edges         see `_Square`
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from anfora.kernel.build import recipe
from anfora.kernel.emit import Function, Module, Type, Value
from anfora.kernel.plan import Buffer, Planner, split
from anfora.kernel.target import target

__all__ = ["plan_transpose", "transposed"]

_HEADER = 3
_BLOCK = 128
_AHEAD = 128  #: bytes along i; the source is walked across too many pages for the hardware to foresee


def plan_transpose(
    p: Planner, source: Buffer, out: Buffer, lengths: Sequence[int], strides: Sequence[tuple[int, ...]]
) -> bool:
    """Add the step that copies by squares, if that pays; says whether it did.

    Args:
        source, out: buffers of one unsigned type.
        lengths, strides: their merged axes (see `loops.merge_axes`); of each axis the strides of source and target.
    """
    itemsize = out.dtype.itemsize
    inner = len(lengths) - 1
    if strides[inner][1] != itemsize or strides[inner][0] in (0, itemsize):
        return False
    across = next((a for a in range(inner) if abs(strides[a][0]) == itemsize and strides[a][1] != 0), None)
    if across is None or min(lengths[across], lengths[inner]) < 2 or max(lengths[across], lengths[inner]) < 16:
        return False
    source_step, out_step = strides[inner][0], strides[across][1]
    if strides[across][0] < 0:  # read forwards, and written from the last row of the target on
        last = lengths[across] - 1
        source = replace(source, offset=source.offset - last * itemsize)
        out = replace(out, offset=out.offset + last * out_step)
        out_step = -out_step
    rest = [a for a in range(inner - 1, -1, -1) if a != across]
    n, m = lengths[inner], lengths[across]
    columns, rows = -(-n // _BLOCK), -(-m // _BLOCK)
    units = columns * rows
    for a in rest:
        units *= lengths[a]
    axes = [word for a in rest for word in (lengths[a], *strides[a])]
    p.step(
        squares.address(out.code), source, out, n, m, source_step, out_step, columns, rows, len(rest),
        *axes, units=units, grain=split(units, min(n, _BLOCK) * min(m, _BLOCK) * (0.1 + 0.1 * itemsize)),
    )  # fmt: skip
    return True


@recipe
def squares(elem: str) -> Module:
    """words: source out | n m | stride of j in the source, of i in the target | blocks along j, along i | rank |
    length, stride in the source, stride in the target of each other axis, the last axis first"""
    fn = Function("kernel", [("ptr", "words")])
    source, out = (fn.word(_HEADER + i).pointer() for i in range(2))
    n, m, source_step, out_step, columns, rows, rank = (fn.word(_HEADER + 2 + i) for i in range(7))
    kind = Type(elem)
    lanes = min(16, target().vector_bytes // kind.bytes)
    with fn.loop(fn.word(0), fn.word(1)) as unit:
        # Neighbouring units lie along j: they continue each other's rows of the target.
        rest = fn.var(unit // columns)
        j0 = (unit % columns) * _BLOCK
        i0 = (rest.value % rows) * _BLOCK
        rest.set(rest.value // rows)
        start = fn.var(source.address() + j0 * source_step + i0 * kind.bytes)
        end = fn.var(out.address() + i0 * out_step + j0 * kind.bytes)
        with fn.loop(0, rank) as axis:
            at = axis * 3 + (_HEADER + 9)
            length = fn.word(at)
            left = rest.value // length
            index = rest.value - left * length
            start.add(index * fn.word(at + 1))
            end.add(index * fn.word(at + 2))
            rest.set(left)
        width, height = _at_most(fn, n - j0, _BLOCK), _at_most(fn, m - i0, _BLOCK)
        with fn.loop(0, height, lanes) as i, fn.loop(0, width, lanes) as j:
            square = _Square(fn, kind, lanes, source_step, out_step)
            square.here = (start.value + j * source_step + i * kind.bytes).pointer()
            square.there = (end.value + i * out_step + j * kind.bytes).pointer()
            square.right, square.down = width - j, height - i
            square.below = n - j0 - j
            square.is_whole_row = n <= lanes
            square.copy()
    fn.ret(0)
    return fn.module


class _Square:
    """One square: `right` × `down` of its elements are there. Masked stores that overlap are very slow on some machines,
    so there are none."""

    here: Value  #: its first element in the source
    there: Value  #: … and in the target
    right: Value  #: elements along j that are left in the block
    down: Value  #: elements along i that are left in the block
    below: Value  #: rows of the source from its first to the last that there is
    is_whole_row: Value  #: whether it spans all of j

    def __init__(self, fn: Function, kind: Type, lanes: int, source_step: Value, out_step: Value) -> None:
        self.fn, self.kind, self.lanes = fn, kind, lanes
        self.vector = kind.vector(lanes)
        self.source_step, self.out_step = source_step, out_step

    def copy(self) -> None:
        fn, lanes = self.fn, self.lanes
        # A vector that begins in a short row of the source may end in later rows, if there are enough.
        reach = lanes * self.kind.bytes
        may_overread = (self.source_step > 0) & ((self.below - lanes) * self.source_step >= reach)
        full_right, full_down = self.right >= lanes, self.down >= lanes
        with fn.when(full_right & full_down):
            self._full()
        with fn.when(full_right & ~full_down & may_overread):
            self._few_rows()
        with fn.when(~full_right & full_down):
            self._few_columns()
        with fn.when(~full_down & ~(full_right & may_overread)):
            self._one_by_one()

    def _full(self) -> None:
        fn = self.fn
        square = []
        for r in range(self.lanes):
            row = self.here + self.source_step * r
            square.append(fn.load(row, self.vector))
            fn.prefetch(row + _AHEAD)
        for r, row in enumerate(transposed(fn, square)):
            fn.store(row, self.there + self.out_step * r)

    def _few_rows(self) -> None:
        """Fewer than L rows of the target: the others are not stored."""
        fn = self.fn
        square = [fn.load(self.here + self.source_step * r, self.vector) for r in range(self.lanes)]
        for r, row in enumerate(transposed(fn, square)):
            with fn.when(self.down > r):
                fn.store(row, self.there + self.out_step * r)

    def _few_columns(self) -> None:
        """Rows of the target that are shorter than a vector. Where they follow each other without a gap, what one stores
        too much the next ones overwrite; the last ones of a block are stored exactly."""
        fn, size = self.fn, self.kind.bytes
        square = []
        for r in range(self.lanes):
            row = fn.select(self.right > r, self.source_step * r, 0)
            square.append(fn.load(self.here + row, self.vector))
        rows = transposed(fn, square)
        nbytes = self.right * size
        follow = self.is_whole_row & (self.out_step == nbytes)
        after = (self.down - self.lanes) * nbytes >= self.lanes * size
        with fn.when(follow & after):
            for r, row in enumerate(rows):
                fn.store(row, self.there + self.out_step * r)
        with fn.unless(follow & after):
            spill = fn.buffer(self.lanes * size)
            for r, row in enumerate(rows):
                fn.store(row, spill)
                fn.copy_bytes(self.there + self.out_step * r, spill, nbytes)

    def _one_by_one(self) -> None:
        fn, size = self.fn, self.kind.bytes
        right, down = (fn.select(v > self.lanes, self.lanes, v) for v in (self.right, self.down))
        with fn.loop(0, down) as i, fn.loop(0, right) as j:
            value = fn.load(self.here + j * self.source_step + i * size, self.kind)
            fn.store(value, self.there + i * self.out_step + j * size)


def transposed(fn: Function, rows: list[Value]) -> list[Value]:
    """Transpose a square of vectors, lane c of row r to lane r of row c: exchange halves between rows half a square apart,
    then quarters, and so on."""
    rows, n = list(rows), len(rows)
    distance = n // 2
    while distance:
        near = [lane if not lane & distance else n + lane - distance for lane in range(n)]
        far = [lane + distance if not lane & distance else n + lane for lane in range(n)]
        for i in range(n):
            if not i & distance:
                upper, lower = rows[i], rows[i + distance]
                rows[i], rows[i + distance] = fn.shuffle(upper, lower, near), fn.shuffle(upper, lower, far)
        distance //= 2
    return rows


def _at_most(fn: Function, value: Value, limit: int) -> Value:
    return fn.select(value > limit, limit, value)
