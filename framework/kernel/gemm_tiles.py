"""The inner loops of matrix products: the micro-kernel and the loop that deals tiles to it.

    C (M, N) = A (M, K) B (K, N)

is cut into *tiles* of C that stay in vector registers while k runs: for each k a row of B is loaded as vectors, a column
of A element by element, and each product goes to its accumulator with fma (the scheme of Goto & van de Geijn, ACM TOMS
34 (2008)). The tiles of a column of tiles share a *strip* of B.

The micro-kernel takes any strides of A, because single elements cost the same wherever they lie (as long as the cache
keeps them, see gemm.py), and a strip of B with any distance between its rows, because a packed strip is no more than
that. So most products need no packing at all. A strip that has to be packed (B transposed, another type) is packed into
the thread's scratch when its turn comes; A, or strips that several blocks of rows need, by a step before.
"""

from __future__ import annotations

from typing import NamedTuple

from anfora.kernel import bodies
from anfora.kernel.build import recipe
from anfora.kernel.emit import Function, Module, Type, Value
from anfora.kernel.gemm_parts import Words, each_unit, place_operands, smaller, walk_batch
from anfora.kernel.target import target

__all__ = ["MULTIPLY", "Shape", "multiply", "multiply_add", "tile", "tile_shape"]


class Shape(NamedTuple):
    """The size of a tile."""

    rows: int
    vectors: int
    lanes: int

    @property
    def columns(self) -> int:
        return self.vectors * self.lanes


def tile_shape(elem: str) -> Shape:
    """As many accumulators as fit the registers beside a row of B and an element of A."""
    return Shape(14 if target().registers == 32 else 6, 2, target().lanes(elem))


@recipe
def tile(elem: str, rows: int, vectors: int, edge: bool) -> Module:
    """C (rows, columns) = or += A (rows, depth) B (depth, columns), k ascending; strides in bytes.

    `fresh` starts from zero instead of C. At the `edge` of the matrix the last vector is cut to `columns`.
    """
    fn = Function(
        "kernel",
        [("ptr", "a"), ("i64", "a_row"), ("i64", "a_k"), ("ptr", "b"), ("i64", "b_k"), ("ptr", "c"), ("i64", "c_row"),
         ("i64", "depth"), ("i64", "fresh"), ("i64", "columns")],
        returns="void",
    )  # fmt: skip
    a, a_row, a_k, b, b_k, c, c_row, depth, fresh, columns = fn.args
    lanes = target().lanes(elem)
    vector = Type(elem, lanes)
    cut = fn.mask(columns - (vectors - 1) * lanes, lanes) if edge else None

    def load(row: Value, v: int) -> Value:
        if cut is not None and v == vectors - 1:
            return fn.masked_load(row, vector, cut, v * lanes)
        return fn.load(row, vector, v * lanes)

    sums = [[fn.var(0, vector) for _ in range(vectors)] for _ in range(rows)]
    with fn.when(fresh == 0):
        for r in range(rows):
            for v in range(vectors):
                sums[r][v].set(load(c + c_row * r, v))
    a_at, b_at = fn.var(a), fn.var(b)
    with fn.loop(0, depth):
        a_now, b_now = a_at.value, b_at.value
        b_row = [load(b_now, v) for v in range(vectors)]
        for r in range(rows):
            # A base for every four rows: x86 adds a register times 1, 2, 4 to an address for free but has few of them.
            base = a_now + a_row * (r - r % 4) if r >= 4 else a_now
            factor = fn.splat(fn.load(base + a_row * (r % 4) if r % 4 else base, vector.scalar), lanes)
            for v in range(vectors):
                sums[r][v].set(multiply_add(factor, b_row[v], sums[r][v].value))
        a_at.set(a_now + a_k)
        b_at.set(b_now + b_k)
    for r in range(rows):
        row = c + c_row * r
        for v in range(vectors):
            if cut is not None and v == vectors - 1:
                fn.masked_store(sums[r][v].value, row, cut, v * lanes)
            else:
                fn.store(sums[r][v].value, row, v * lanes)
    fn.ret()
    return fn.module


def multiply_add(a: Value, b: Value, c: Value) -> Value:
    """a · b + c, rounded once."""
    return bodies.fma(a, b, c) if a.type.is_float else a * b + c


#: The words of `multiply`; then for each operand of the epilogue address, row stride, column stride; then the rank of
#: the batch and, for each axis from the last to the first: length, strides (a, b, c, operands). Strides are in bytes.
MULTIPLY = (
    "tile", "tile_rest", "edge", "edge_rest",  # the micro-kernels for whole tiles and the rows left over: in a strip
                                               # that is not the last, and in the last
    "pack",  # packs a strip of B; 0 if B is read where it lies
    "finish",  # from the sums in the scratch to the output; 0 if they are formed in the output
    "a", "a_row", "a_k", "a_tile",
    "b", "b_column", "b_k", "b_strip",
    "c", "c_row", "c_column",
    "rows", "columns", "depth",
    "tile_rows", "block_rows", "blocks",
    "strip_columns", "strips", "strip_row",  # bytes of a row of a packed strip
    "depth_step",  # how much of the depth is packed at once
    "sums",  # where in the scratch the sums begin, behind the strip
)  # fmt: skip


@recipe
def multiply(operands: int) -> Module:
    """Units: for each item of the batch, blocks of rows; in each block, strips."""
    fn = Function("kernel", [("ptr", "words")])
    w = Words(fn, MULTIPLY)
    scratch = fn.word(2).pointer()
    with each_unit(fn) as unit:
        strips, blocks = w.strips, w.blocks
        strip, rest = unit % strips, unit // strips
        block, item = rest % blocks, rest // blocks
        row, column = block * w.block_rows, strip * w.strip_columns
        rows, columns = smaller(fn, w.rows - row, w.block_rows), smaller(fn, w.columns - column, w.strip_columns)
        offsets = walk_batch(fn, item, w.end + 3 * operands, 3 + operands)
        a = (w.a + offsets[0] + block * (w.block_rows // w.tile_rows) * w.a_tile).pointer()
        b = (w.b + offsets[1] + strip * w.b_strip).pointer()
        c = (w.c + offsets[2] + row * w.c_row + column * w.c_column).pointer()
        finishes = w.finish != 0
        sums = fn.select(finishes, scratch + w.sums, c)
        sums_row = fn.select(finishes, w.strip_row, w.c_row)
        last = strip == strips - 1
        whole_tile = fn.select(last, w.edge, w.tile).pointer()
        rest_tile = fn.select(last, w.edge_rest, w.tile_rest).pointer()
        tile_rows, depth = w.tile_rows, w.depth
        whole = rows - rows % tile_rows
        start = fn.var(0)
        with fn.forever() as exit:  # once even if the depth is 0: the sums are zeros then
            k = start.value
            step = smaller(fn, depth - k, w.depth_step)
            fresh = fn.select(k == 0, 1, 0)
            strip_at, strip_row = fn.var(b + k * w.b_k), fn.var(w.b_k)
            with fn.when(w.pack != 0):
                none = fn.const(0)
                fn.call_pointer(None, w.pack.pointer(), scratch, none, strip_at.value, w.b_k, w.b_column, step, columns)
                strip_at.set(scratch)
                strip_row.set(w.strip_row)
            a_at, c_at = fn.var(a + k * w.a_k), fn.var(sums)

            def call(micro_kernel: Value) -> None:
                fn.call_pointer(
                    None, micro_kernel, a_at.value, w.a_row, w.a_k, strip_at.value, strip_row.value,
                    c_at.value, sums_row, step, fresh, columns,
                )  # fmt: skip

            with fn.loop(0, whole, tile_rows):
                call(whole_tile)
                a_at.set(a_at.value + w.a_tile)
                c_at.set(c_at.value + tile_rows * sums_row)
            with fn.when(whole < rows):
                call(rest_tile)
            start.set(k + step)
            exit.when(start.value >= depth)
        with fn.when(finishes):
            triples = place_operands(fn, w.end, operands, offsets[3:], row, column)
            one, none = fn.const(1), fn.const(0)
            fn.call_pointer(
                None, w.finish.pointer(), sums, sums_row, one, none, c, w.c_row, w.c_column, rows, columns, triples
            )
    fn.ret(0)
    return fn.module
