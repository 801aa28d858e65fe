"""How the operands of a convolution are laid out for its kernels.

Padded copy    planes [channel][row][column] in a thread's scratch, with the zeros of the padding written out, so that
               a tap is a constant distance for every output. Where a kernel wants vectors over output columns and the
               window moves by s > 1, the columns of a row are dealt to s runs: column j to place j // s of run j % s.
Packed weights [block of outputs][channel][tap][output in block]: the weights of a tap are a vector.
Panel          [pixel or tap][channel in block]: the transposed form that vectors over channels read and leave.

All but `pack_weights` are parts of kernels, to be called while one is written.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

from anfora.kernel import bodies, memory
from anfora.kernel.build import recipe
from anfora.kernel.emit import I64, Function, Module, Type, Value
from anfora.kernel.loops import HEADER, contiguous
from anfora.kernel.plan import Buffer, Planner
from anfora.kernel.target import target

__all__ = [
    "PACK_WORDS", "block_bytes", "block_is_finite", "columns_together", "finish", "kernel_function", "least",
    "named_words", "odd_lines", "operand_pointers", "pack_block", "pack_weights", "padded_copy", "planes_from_panel",
    "rows_are_finite", "transpose",
]  # fmt: skip


def kernel_function() -> Function:
    """A kernel to be written. `optsize` keeps the optimiser from cloning whole nests of loops for every condition that
    does not change in them: with it these kernels compile in half the time and run as fast."""
    return Function("kernel", [("ptr", "words")], attributes='"min-legal-vector-width"="512" optsize')


def named_words(fn: Function, names: tuple[str, ...]) -> SimpleNamespace:
    """The words of a step behind the header, by name."""
    return SimpleNamespace(**{name: fn.word(HEADER + i) for i, name in enumerate(names)})


def least(fn: Function, a: Value | int, b: Value) -> Value:
    return fn.select(b > a, a, b)


def odd_lines(nbytes: int) -> int:
    """The size rounded up to an odd number of cache lines, so that planes do not fall onto the same sets of a cache."""
    lines = -(-nbytes // 64)
    return 64 * (lines + 1 - lines % 2)


# -- transposition ---------------------------------------------------------------------------------------------------


def transpose(fn: Function, kind: Type, read: Callable[[Value], Value], write: Callable[[Value, Value], None]) -> None:
    """Transpose the square of vectors `read(i)`: `write(j, column)` is called for every j.

    First the squares inside 128-bit quarters, then the square of the quarters: so every shuffle is one instruction on
    x86. Both are loops around a few shuffles, because LLVM takes longer to combine sixty of them than the loops ever
    cost."""
    n = kind.lanes
    quarter = min(16 // kind.bytes, n)
    strips = n // quarter
    strip = fn.buffer(n * n * kind.bytes)
    with fn.loop(0, strips) as g:
        for r, vector in enumerate(_square(fn, [read(g * quarter + r) for r in range(quarter)], quarter, 1)):
            fn.store(vector, strip, (g + r * strips) * n)
    with fn.loop(0, quarter) as i:
        rows = [fn.load(strip, kind, (i * strips + s) * n) for s in range(strips)]
        for q, column in enumerate(_square(fn, rows, n, quarter)):
            write(i + q * quarter, column)


def _square(fn: Function, rows: list[Value], segment: int, size: int) -> list[Value]:
    """Transpose the square of `len(rows)` units of `size` lanes inside each segment of the vectors. A round takes the
    even units of each pair of rows, then the odd ones; after log2 rounds whole columns stand together."""
    for _ in range(len(rows).bit_length() - 1):
        pairs = list(zip(rows[::2], rows[1::2]))
        rows = [fn.shuffle(a, b, _every_second(a.type.lanes, segment, size, odd)) for odd in (0, 1) for a, b in pairs]
    return rows


def _every_second(lanes: int, segment: int, size: int, odd: int) -> list[int]:
    return [
        start + vector + unit * size + e
        for start in range(0, lanes, segment)
        for vector in (0, lanes)
        for unit in range(odd, segment // size, 2)
        for e in range(size)
    ]


# -- operands --------------------------------------------------------------------------------------------------------


def columns_together(p: Planner, buffer: Buffer) -> Buffer:
    """The buffer, or a copy of it, in which the elements of a row lie side by side; kernels take any other strides."""
    if buffer.shape[3] == 1 or buffer.strides[3] == buffer.dtype.itemsize:
        return buffer
    return contiguous(p, buffer)


# -- padded copy -----------------------------------------------------------------------------------------------------


def padded_copy(
    fn: Function, source: Value, to: Value, *, code: str, elem: str, runs: int, channels: Value, channel_stride: Value,
    row_stride: Value, height: Value, width: Value, first_row: Value, rows: Value, first_column: Value, columns: Value,
    channel_pitch: Value | int, row_pitch: Value, run_pitch: Value, fill: float = 0.0,
) -> None:  # fmt: skip
    """Copy a window of an image, rows `first_row` … and columns `first_column` …, `fill` where it leaves the image.

    `source` is the image's first element (strides in bytes, columns side by side), `to` is scratch with pitches in
    bytes, into which a whole vector may overrun at the end. Nothing outside the image is read.
    """
    size, kind = memory.code_bytes(code), Type(elem, target().lanes(elem))
    below = least(fn, rows, fn.select(first_row < 0, -first_row, 0))  # rows above the image
    inside = fn.select(first_row + rows > height, height - first_row, rows)
    inside = fn.select(inside > below, inside, below)  # end of the rows inside
    begin, end = -first_column, width - first_column  # of the columns inside
    step = kind.lanes * runs
    last = (columns - 1) // step * step
    vector_runs = runs if runs <= 2 else 0

    def put(parts: list[Value], line: Value, column: Value) -> None:
        if vector_runs == 1:
            fn.store(parts[0], line, column)
        elif vector_runs == 2:
            for odd in (0, 1):
                dealt = fn.shuffle(parts[0], parts[1], list(range(odd, 2 * kind.lanes, 2)))
                fn.store(dealt, line + run_pitch * odd, column >> 1)
        else:
            at = column // runs
            fn.store(parts[0], line + (column - at * runs) * run_pitch, at)

    with fn.loop(0, channels) as channel:
        plane = source + (channel * channel_stride + first_row * row_stride + first_column * size)
        to_plane = to + channel * channel_pitch
        if vector_runs:
            # Vectors from right to left, so that what the last of a row overruns is written after it, row by row.
            with fn.loop(0, last + 1, step) as distance:
                column = last - distance
                masks = [
                    _between(fn, begin - (column + i), end - (column + i), kind.lanes)
                    for i in range(0, step, kind.lanes)
                ]
                blank = fn.const(fill, kind)
                with fn.loop(0, below) as row:
                    put([blank] * runs, to_plane + row * row_pitch, column)
                with fn.loop(below, inside) as row:
                    line = plane + row * row_stride
                    fn.prefetch(line + (channel_stride * 2 + column * size))
                    parts = [
                        memory.load_masked(fn, line, code, elem, mask, column + i * kind.lanes)
                        for i, mask in enumerate(masks)
                    ]
                    if fill:
                        parts = [fn.select(mask, part, blank) for mask, part in zip(masks, parts)]
                    put(parts, to_plane + row * row_pitch, column)
                with fn.loop(inside, rows) as row:
                    put([blank] * runs, to_plane + row * row_pitch, column)
        else:
            with fn.loop(0, rows) as row, fn.loop(0, columns) as column:
                value = fn.var(fill, kind.scalar)
                with fn.when((row >= below) & (row < inside) & (column >= begin) & (column < end)):
                    value.set(memory.load(fn, plane + row * row_stride, code, elem, 0, column))
                put([value.value], to_plane + row * row_pitch, column)


def _between(fn: Function, low: Value, high: Value, lanes: int) -> Value:
    """Lanes low <= i < high; the bounds may lie anywhere within 32 bits."""
    numbers = fn.constants(list(range(lanes)), "i32")
    return (numbers >= low.to("i32")) & (numbers < high.to("i32"))


# -- packed weights --------------------------------------------------------------------------------------------------


def pack_block(
    fn: Function, weights: Value, to: Value, *, code: str, elem: str, width: int, rows: Value, row_stride: Value,
    outer: Value, outer_stride: Value, run: Value,
) -> None:  # fmt: skip
    """Write `to[o][t][j] = weights[j · row_stride + o · outer_stride + t]` for o < outer, t < run, j < width.

    Rows from `rows` on repeat the last one: they are computed with and thrown away. Strides in bytes. The last
    vectors may overrun the block by as many taps as a vector has lanes; behind them a word tells whether all weights
    are finite. `block_bytes` has room for both.
    """
    size, out_size, lanes = memory.code_bytes(code), Type(elem).bytes, target().lanes(elem)
    kind = Type(elem, lanes)
    probe = fn.var(fn.const(0.0, kind))
    with fn.loop(0, width, lanes) as first, fn.loop(0, outer) as o, fn.loop(0, run, lanes) as t:
        source = weights + (o * outer_stride + t * size)
        mask = fn.mask(run - t, lanes)
        block = to + ((o * run + t) * width + first) * out_size

        def read(j: Value) -> Value:
            row = source + least(fn, first + j, rows - 1) * row_stride
            vector = memory.load_masked(fn, row, code, elem, mask)
            probe.set(bodies.fma(vector, 0.0, probe.value))
            return vector

        transpose(fn, kind, read, lambda i, column: fn.store(column, block, i * width))
    finite = ~fn.any_lane(bodies.is_nan(probe.value))
    fn.store(finite.to("i64"), to + (outer * run + lanes) * (width * out_size))


def block_bytes(taps: int, width: int, elem: str) -> int:
    """The size of a packed block: `taps` taps, a vector's worth of overrun, the word about finite weights."""
    return (taps + target().lanes(elem)) * width * Type(elem).bytes + 64


def block_is_finite(fn: Function, block: Value, taps: Value, width: int, elem: str) -> Value:
    """Whether all weights of a packed block are finite."""
    return fn.load(block + (taps + target().lanes(elem)) * (width * Type(elem).bytes), I64) != 0


def rows_are_finite(fn: Function, rows: list[Value], elem: str, outer: Value, outer_stride: Value, run: Value) -> Value:
    """Whether the weights `row[o · outer_stride + t]`, o < outer, t < run, of all rows are finite."""
    kind = Type(elem, target().lanes(elem))
    probe = fn.var(fn.const(0.0, kind))
    with fn.loop(0, outer) as o, fn.loop(0, run, kind.lanes) as t:
        mask = fn.mask(run - t, kind.lanes)
        for row in rows:
            probe.set(bodies.fma(fn.masked_load(row + o * outer_stride, kind, mask, t), 0.0, probe.value))
    return ~fn.any_lane(bodies.is_nan(probe.value))


PACK_WORDS = (
    "weights", "packed", "rows", "blocks", "group_stride", "row_stride", "outer", "outer_stride", "run", "block_bytes",
)  # fmt: skip


@recipe
def pack_weights(code: str, elem: str, width: int) -> Module:
    """Pack the weights of each group (`rows` outputs in `blocks` blocks). Units are blocks of all groups."""
    fn = kernel_function()
    w = named_words(fn, PACK_WORDS)
    with fn.loop(fn.word(0), fn.word(1)) as unit:
        group = unit // w.blocks
        first = (unit - group * w.blocks) * width
        start = w.weights.pointer() + (group * w.group_stride + first * w.row_stride)
        pack_block(
            fn, start, w.packed.pointer() + unit * w.block_bytes, code=code, elem=elem, width=width,
            rows=w.rows - first, row_stride=w.row_stride, outer=w.outer, outer_stride=w.outer_stride, run=w.run,
        )  # fmt: skip
    fn.ret(0)
    return fn.module


# -- from sums to the output -----------------------------------------------------------------------------------------


def planes_from_panel(
    fn: Function, read: Callable[[Value, Value], Value], count: Value, channels: Value, kind: Type,
    store: Callable[[Value, Value, Value, Value | None], None],
) -> None:  # fmt: skip
    """Transpose a panel of `count` elements. `read(i, j)` gives the vector of channels j … of element i;
    `store(j, i, value, mask)` takes elements i … of channel j. Elements past `count` are read, up to a whole vector, but
    never stored."""
    lanes = kind.lanes
    square = fn.buffer(lanes * lanes * kind.bytes)
    with fn.loop(0, count, lanes) as i, fn.loop(0, channels, lanes) as first:
        transpose(fn, kind, lambda e: read(i + e, first), lambda j, column: fn.store(column, square, j * lanes))
        whole = i + lanes <= count
        for mask in (None, fn.mask(count - i, lanes)):
            with fn.when(whole if mask is None else ~whole), fn.loop(first, least(fn, first + lanes, channels)) as j:
                store(j, i, fn.load(square, kind, (j - first) * lanes), mask)


def operand_pointers(fn: Function, first: int, operands: tuple[tuple[str, str], ...]) -> list[Value]:
    """The operands of an epilogue, from the words behind `first` named ones."""
    return [fn.word(HEADER + first + i).pointer() for i in range(len(operands))]


def finish(
    fn: Function, total: Value, out: Value, number: Value, channel: Value, mask: Value | None, out_code: str,
    epilogue: Callable | None, operands: tuple[tuple[str, str], ...], pointers: list[Value],
) -> None:  # fmt: skip
    """Apply the epilogue to finished sums, round, and store them from element `number` of the output on. A sum that is
    zero is +0, so that it cannot tell whether products of padding were formed (`conv_units.phase_lines`)."""
    elem, lanes = total.type.elem, total.type.lanes
    total = total + 0.0
    if epilogue is not None:
        values = []
        for (kind, code), pointer in zip(operands, pointers):
            if kind == "k":
                value = memory.load(fn, pointer, code, elem, 0, channel)
                values.append(fn.splat(value, lanes) if lanes else value)
            elif mask is None:
                values.append(memory.load(fn, pointer, code, elem, lanes, number))
            else:
                values.append(memory.load_masked(fn, pointer, code, elem, mask, number))
        total = epilogue(total, *values)
    if mask is None:
        memory.store(fn, total, out, out_code, number)
    else:
        memory.store_masked(fn, total, out, out_code, mask, number)
