"""Matrix products of every size and type: the one GEMM of the framework.

**The order of summation** of an element of C (M, N) = A (M, K) B (K, N) follows from the type and from M, N, K alone. It
knows nothing of strides, tiles, the batch, the width of vectors or the number of threads.

    chain    in general: s = +0; for k ascending: s = fma(A[m, k], B[k, n], s)
    lanes    M = 1 or N = 1: element k goes to lane k mod L, L = 64 bytes / bytes of an accumulator; each lane is a chain;
             then the upper half of the lanes is added to the lower half until one is left
    blocks   lanes with K > 4096, and chains with K >= 4096 and M N <= 16384: K is cut into blocks (of 4096; of 2048), each
             is summed as above, and the sums of the blocks are added, first to last

A chain serves every way to cut M, N and K (a sum may rest in memory and be taken up again), but it is slow where one
element is all there is to do: hence lanes. Blocks give work to all threads where the result is small and K is long, as in
the gradient of a weight; they also keep rounding errors small.

float16 and bfloat16 are summed in float32 and rounded once, at the end. Integers wrap modulo 2 ** bits. Where several
NaNs meet, it is open which of them remains.

**Files.** gemm_parts.py packs operands and finishes sums, gemm_tiles.py is the chain, gemm_vector.py the lanes. Here it is
decided which steps a product takes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from anfora.core import dtype as dt
from anfora.core.records import Record
from anfora.kernel import memory
from anfora.kernel.emit import Type
from anfora.kernel.gemm_parts import (
    FINISH,
    PANELS,
    accumulator,
    finish,
    finish_all,
    has_masks,
    pack,
    panel_bytes,
    panels,
)
from anfora.kernel.gemm_tiles import MULTIPLY, multiply, tile, tile_shape
from anfora.kernel.gemm_vector import VECTOR, across, across_scratch, along
from anfora.kernel.loops import merge_axes, plan_copy
from anfora.kernel.plan import Buffer, Planner, split

__all__ = ["Repeated", "plan_matmul", "rows_in_one_order", "sum_block"]

_LONG = 4096  # a sum of so many terms is cut into blocks where there is not much else to share among threads:
_FEW = 16384  # up to so many elements of C


def sum_block(m: int, n: int, k: int) -> int:
    """The length of the blocks in which K is summed; K itself if it is not cut."""
    if m == 1 or n == 1:
        return min(k, _LONG)
    return 2048 if k >= _LONG and m * n <= _FEW else k


def rows_in_one_order(n: int, k: int) -> int:
    """From how many rows M on the order of a sum, for given N and K, no longer depends on M."""
    if n == 1:
        return 1
    return _FEW // n + 1 if k >= _LONG and n <= _FEW // 2 else 2


class Repeated:
    """The right operand (K, N) of several products of a plan: what they pack of it is packed once."""

    def __init__(self, buffer: Buffer) -> None:
        self.buffer = buffer
        self.packed: tuple[_Matrix, int] | None = None


def plan_matmul(
    p: Planner,
    a: Buffer,
    b: Buffer | Repeated,
    out: Buffer,
    *,
    epilogue: Callable | None = None,
    operands: tuple[tuple[Buffer, str], ...] = (),
) -> None:
    """Add the steps of out = epilogue(a @ b, operand …).

    Args:
        a, b: (*batch, M, K) and (*batch, K, N), any strides; `b` may be (K, N) for several products.
        out: (*batch, M, N), rows contiguous; overlaps no other buffer. All of one type, not bool.
        epilogue: a scalar body that gets each finished sum, and an element of each operand, in the type in which these
            compute, before the sum is rounded to the type of `out`.
        operands: each with what it varies along: `n` (N,), `m` (M,) or `mn` (*batch, M, N).
    """
    *batch, m, k = a.shape
    n = out.shape[-1]
    if out.size == 0:
        return
    repeated, b = (b, b.buffer.broadcast((*batch, k, n))) if isinstance(b, Repeated) else (None, b)
    end = _End(out.code, epilogue, tuple(_operand(buffer, along, len(batch)) for buffer, along in operands))
    product = _Product(a.code, tuple(batch), m, n, k, _Matrix.of(a), _Matrix.of(b), _Matrix.of(out), end, repeated)
    block = sum_block(m, n, k)
    if block < k:
        _plan_blocks(p, product, block)
    else:
        _plan_whole(p, product)


# -- what a product is ------------------------------------------------------------------------------------------------


class _Matrix(Record):
    """Where the elements of a batch of matrices lie: strides in bytes, for the batch's axes, rows and columns."""

    buffer: Buffer
    batch: tuple[int, ...]
    row: int
    column: int

    @classmethod
    def of(cls, buffer: Buffer) -> _Matrix:
        return cls(buffer, buffer.strides[:-2], *buffer.strides[-2:])

    @property
    def move(self) -> str:
        """How one moves along a row: `v` to the neighbour, `s` not at all, `g` by some stride."""
        return "v" if self.column == self.buffer.dtype.itemsize else "g" if self.column else "s"

    @property
    def transposed(self) -> _Matrix:
        return replace(self, row=self.column, column=self.row)


class _End(Record):
    """What is done with a finished sum."""

    code: str  #: type of the result
    epilogue: Callable | None = None
    operands: tuple[_Matrix, ...] = ()

    def follows(self, elem: str) -> bool:
        """Whether anything is left to do with a sum of this type."""
        return self.epilogue is not None or _signless(memory.storage(self.code)) != elem

    @property
    def transposed(self) -> _End:
        return replace(self, operands=tuple(x.transposed for x in self.operands))


def _operand(buffer: Buffer, along: str, axes: int) -> _Matrix:
    if along == "mn":
        return _Matrix.of(buffer)
    row, column = (buffer.strides[-1], 0) if along == "m" else (0, buffer.strides[-1])
    return _Matrix(buffer, (0,) * axes, row, column)


class _Product(Record):
    code: str
    batch: tuple[int, ...]
    m: int
    n: int
    k: int
    a: _Matrix
    b: _Matrix
    c: _Matrix
    end: _End
    repeated: Repeated | None = None  #: what `b` is for other products as well

    @property
    def elem(self) -> str:
        return accumulator(self.code)

    @property
    def items(self) -> int:
        return math.prod(self.batch)

    @property
    def converts(self) -> bool:
        """Whether operands are stored in another type than they are summed in."""
        return _signless(memory.storage(self.code)) != self.elem

    @property
    def nanoseconds(self) -> float:
        """What it costs one thread, about."""
        lanes = tile_shape(self.elem).lanes
        vectors = self.items * self.m * -(-self.n // lanes) * self.k
        return vectors * _VECTOR_NS[self.elem]

    @property
    def transposed(self) -> _Product:
        """The same sums as the product of the transposed matrices."""
        return replace(
            self, m=self.n, n=self.m, a=self.b.transposed, b=self.a.transposed, c=self.c.transposed,
            end=self.end.transposed, repeated=None,
        )  # fmt: skip

    def with_few_axes(self) -> _Product:
        """The same with as few axes of the batch as can be."""
        matrices = [self.a, self.b, self.c, *self.end.operands]
        lengths, strides = merge_axes(self.batch, [x.batch for x in matrices])
        a, b, c, *operands = (replace(x, batch=tuple(s)) for x, s in zip(matrices, zip(*strides)))
        return replace(self, batch=tuple(lengths), a=a, b=b, c=c, end=replace(self.end, operands=tuple(operands)))

    def with_more_rows(self) -> _Product:
        """If the last axis of the batch repeats B, and what it moves over the others are rows, they are made rows."""
        others = (self.a, self.c, *self.end.operands)
        if self.b.batch[-1] or any(x.batch[-1] != self.m * x.row for x in others):
            return self
        a, b, c, *operands = (replace(x, batch=x.batch[:-1]) for x in (self.a, self.b, self.c, *self.end.operands))
        return replace(
            self, batch=self.batch[:-1], m=self.m * self.batch[-1], a=a, b=b, c=c,
            end=replace(self.end, operands=tuple(operands)),
        )  # fmt: skip


#: Nanoseconds for a vector of products, by accumulator.
_VECTOR_NS = {"f32": 0.28, "f64": 0.28, "i16": 0.6, "i32": 0.8, "i64": 1.5}


def _signless(code: str) -> str:
    """Signed and unsigned integers share kernels: only their low bits matter."""
    return "i" + code[1:] if code[0] == "u" else code


def _batch_words(lengths: tuple[int, ...], *matrices: _Matrix) -> list[int]:
    """How kernels are told of a batch (`walk_batch`)."""
    words = [len(lengths)]
    for axis in reversed(range(len(lengths))):
        words += [lengths[axis], *(x.batch[axis] for x in matrices)]
    return words


def _row_major(lengths: tuple[int, ...], step: int) -> tuple[int, ...]:
    strides = []
    for length in reversed(lengths):
        strides.append(step)
        step *= length
    return tuple(reversed(strides))


_DTYPES = {x.code: x for x in dt.ALL}


def _room(p: Planner, elem: str, *shape: int) -> _Matrix:
    """A workspace for a batch of contiguous matrices of accumulators."""
    buffer = p.workspace(_DTYPES[elem], *shape)
    return _Matrix.of(buffer)


# -- blocks -----------------------------------------------------------------------------------------------------------


def _plan_blocks(p: Planner, product: _Product, block: int) -> None:
    """The blocks are one more axis of the batch: their sums go to a workspace and are added when all are there."""
    whole, rest = divmod(product.k, block)
    parts = whole + (rest > 0)
    m, n, a, b, elem = product.m, product.n, product.a, product.b, product.elem
    sums = _room(p, elem, parts, *product.batch, m, n)
    of_block = replace(
        product,
        batch=(whole, *product.batch),
        k=block,
        a=replace(a, batch=(block * a.column, *a.batch)),
        b=replace(b, batch=(block * b.row, *b.batch)),
        c=sums,
        end=_End(elem),
        repeated=None,
    )
    _plan_whole(p, of_block)
    if rest:
        of_rest = replace(
            product,
            k=rest,
            a=replace(a, buffer=a.buffer.moved(whole * block * a.column)),
            b=replace(b, buffer=b.buffer.moved(whole * block * b.row)),
            c=replace(sums, buffer=sums.buffer.moved(whole * sums.batch[0]), batch=sums.batch[1:]),
            end=_End(elem),
            repeated=None,
        )
        _plan_whole(p, of_rest)
    _plan_finish(p, product, replace(sums, batch=sums.batch[1:]), parts, sums.batch[0])


def _plan_finish(p: Planner, product: _Product, sums: _Matrix, parts: int, part: int) -> None:
    """From sums in a workspace to the result."""
    if product.n == 1:  # a column goes as a row
        product, sums = product.transposed, sums.transposed
    m, n, c, end = product.m, product.n, product.c, product.end
    block = max(1, min(m, 16384 // n))
    blocks = -(-m // block)
    kernel, operands = _finish_kernel(product)
    words: dict[str, int | Buffer] = {
        "finish": kernel, "sums": sums.buffer, "sums_row": sums.row, "parts": parts, "part": part,
        "out": c.buffer, "out_row": c.row, "out_column": c.column,
        "columns": n, "rows": m, "block_rows": block, "blocks": blocks,
    }  # fmt: skip
    units = product.items * blocks
    p.step(
        finish_all.address(len(end.operands)), *(words[name] for name in FINISH), *operands,
        *_batch_words(product.batch, sums, c, *end.operands),
        units=units, grain=split(units, block * n * (0.2 + 0.1 * parts) + 20),
    )  # fmt: skip


def _finish_kernel(product: _Product) -> tuple[int, list]:
    """The function that finishes sums, and the triples of words for the operands of the epilogue."""
    end = product.end
    kinds = tuple((x.buffer.code, x.move) for x in end.operands)
    words = [word for x in end.operands for word in (x.buffer, x.row, x.column)]
    return finish.address(end.code, product.elem, end.epilogue, kinds, product.c.move), words


def _plan_whole(p: Planner, product: _Product) -> None:
    if product.m == 1 or product.n == 1:
        _plan_lanes(p, product)
    else:
        _plan_chain(p, product.with_few_axes().with_more_rows())


# -- packing ----------------------------------------------------------------------------------------------------------


def _direction(code: str, across: int, along: int) -> str:
    """How a panel is copied, from the strides across and along it."""
    size = _DTYPES[code].itemsize
    return "across" if across == size else "along" if along == size else "any"


def _plan_panels(p: Planner, product: _Product, matrix: _Matrix, count: int, width: int) -> tuple[_Matrix, int]:
    """Pack the rows of a matrix of depth k, `width` a panel; gives the first panel and the distance between panels."""
    code, elem, k = product.code, product.elem, product.k
    size = Type(elem).bytes
    number = -(-count // width)
    group = max(1, 256 // (width * size))  # what is contiguous across is read four lines at a time
    groups = -(-number // group)
    distance = panel_bytes(elem, k, width)
    lengths = tuple(1 if stride == 0 else length for length, stride in zip(product.batch, matrix.batch))
    room = p.workspace(dt.uint8, math.prod(lengths) * number * distance)
    words = {
        "pack": pack.address(_signless(code), _direction(code, matrix.row, matrix.column), width),
        "panel": room, "distance": distance,
        "source": matrix.buffer, "stride": matrix.row, "k_stride": matrix.column, "count": count,
        "width": width, "group": group, "groups": groups, "depth": k,
    }  # fmt: skip
    units = math.prod(lengths) * groups
    p.step(
        panels.address(), *(words[name] for name in PANELS), *_batch_words(lengths, matrix),
        units=units, grain=split(units, 0.15 * k * width * group + 20),
    )  # fmt: skip
    strides = _row_major(lengths, number * distance)
    batch = tuple(0 if old == 0 else new for old, new in zip(matrix.batch, strides))
    return _Matrix(room, batch, size, width * size), distance


def _packed_once(p: Planner, product: _Product, repeated: Repeated, width: int) -> tuple[_Matrix, int]:
    """What is packed of a right operand: by the first product that it is one of."""
    if repeated.packed is None:
        repeated.packed = _plan_panels(p, product, product.b.transposed, product.n, width)
    columns, distance = repeated.packed
    return columns.transposed, distance


# -- chains -----------------------------------------------------------------------------------------------------------

_CHUNK_NS = 3_000.0  #: chunks of products are dealt this small, for they are few and uneven
_SHARED_NS = 5_000.0  #: below this a product stays on one thread
_BLOCK_ROWS = 518  #: rows that pass a strip, at most: their part of A stays in the second-level cache
_FEW_TILES = 4  #: of so many tiles the rows are shared out evenly
_DEPTH = 1024  #: rows of a strip, at most: so does the strip
_AGAIN_NS = 500_000.0  #: below this B is not packed by a step of its own: each unit packs for itself, and units …
_AGAIN_CHUNK_NS = 30_000.0  #: … are larger


def _plan_chain(p: Planner, product: _Product) -> None:
    """Tiles: pack what must be packed, multiply."""
    if _is_better_turned(product):
        product = product.transposed
    elem, m, n, k, a, b, c = (getattr(product, name) for name in ("elem", "m", "n", "k", "a", "b", "c"))
    size, shape = Type(elem).bytes, tile_shape(elem)
    width, rows = shape.columns, _tile_rows(m, shape.rows)
    strips, tiles = -(-n // width), -(-m // rows)
    last = n - (strips - 1) * width  # columns of the last strip
    ragged = last % shape.lanes != 0
    edge = ragged and has_masks(elem)
    finishes = product.end.follows(elem) or c.move != "v" or (ragged and not edge)
    packs_b = product.repeated is None and (_must_pack_b(product) or (ragged and not edge))
    again = packs_b and product.nanoseconds < _AGAIN_NS

    chunks = _chunks(product.nanoseconds)
    wanted = min(chunks, max(4, round(product.nanoseconds / _AGAIN_CHUNK_NS))) if again else chunks
    blocks = max(-(-tiles * rows // _BLOCK_ROWS), -(-wanted // (strips * product.items)))
    block_tiles = -(-tiles // min(tiles, blocks))
    blocks = -(-tiles // block_tiles)

    a_tile, b_strip, pack_strip = rows * a.row, width * b.column, 0
    if _must_pack_a(product):
        a, a_tile = _plan_panels(p, product, a, m, rows)
    if product.repeated is not None:
        b, b_strip = _packed_once(p, product, product.repeated, width)
    elif packs_b and (again or blocks == 1):
        pack_strip = pack.address(_signless(product.code), _direction(product.code, b.column, b.row), width)
    elif packs_b:
        columns, b_strip = _plan_panels(p, product, b.transposed, n, width)
        b = columns.transposed
    kernel, operands = _finish_kernel(product) if finishes else (0, [])
    depth_step = -(-k // (-(-k // _DEPTH) or 1))
    strip_bytes = panel_bytes(elem, depth_step, width) if pack_strip else 0
    sums_bytes = panel_bytes(elem, min(m, block_tiles * rows), width) if finishes else 0
    words = {
        **_micro_kernels(elem, m, rows, strips, last, edge),
        "pack": pack_strip, "finish": kernel,
        "a": a.buffer, "a_row": a.row, "a_k": a.column, "a_tile": a_tile,
        "b": b.buffer, "b_column": b.column, "b_k": b.row, "b_strip": b_strip,
        "c": c.buffer, "c_row": c.row, "c_column": c.column,
        "rows": m, "columns": n, "depth": k,
        "tile_rows": rows, "block_rows": block_tiles * rows, "blocks": blocks,
        "strip_columns": width, "strips": strips, "strip_row": width * size,
        "depth_step": depth_step, "sums": strip_bytes,
    }  # fmt: skip
    units = product.items * strips * blocks
    p.step(
        multiply.address(len(product.end.operands)), *(words[name] for name in MULTIPLY), *operands,
        *_batch_words(product.batch, a, b, c, *product.end.operands),
        units=units, grain=-(-units // chunks), scratch=strip_bytes + sums_bytes,
    )  # fmt: skip


def _chunks(nanoseconds: float) -> int:
    return 1 if nanoseconds < _SHARED_NS else min(64, round(nanoseconds / _CHUNK_NS))


def _tile_rows(rows: int, most: int) -> int:
    """The rows of a tile: of a few tiles all have about the same, since one of four rows takes as long as one of seven."""
    return -(-rows // -(-rows // most)) if most < rows <= _FEW_TILES * most else most


def _micro_kernels(elem: str, m: int, rows: int, strips: int, last: int, edge: bool) -> dict[str, int]:
    """Those that are called: for whole tiles and for the rows left over, in the last strip and in those before it."""
    shape = tile_shape(elem)
    rest, vectors = m % rows, -(-last // shape.lanes)
    inside, whole = strips > 1, m >= rows
    return {
        "tile": tile.address(elem, rows, shape.vectors, False) if inside and whole else 0,
        "tile_rest": tile.address(elem, rest, shape.vectors, False) if inside and rest else 0,
        "edge": tile.address(elem, rows, vectors, edge) if whole else 0,
        "edge_rest": tile.address(elem, rest, vectors, edge) if rest else 0,
    }


def _must_pack_a(product: _Product) -> bool:
    """A is read where it lies, unless it has another type or what the tiles read of it does not stay near."""
    a, used_again = product.a, product.m > 8 and product.n > tile_shape(product.elem).columns
    one_set = a.row != 0 and a.row % 4096 == 0  # the rows of a tile share a set of the first-level cache
    return product.converts or (used_again and one_set) or (product.n >= 128 and _scattered(a.column, product.k))


def _must_pack_b(product: _Product) -> bool:
    """B is read where it lies if its rows are contiguous and stay near while many rows of A pass them."""
    b = product.b
    return product.converts or b.move != "v" or (product.m >= 128 and _scattered(b.row, product.k))


def _scattered(stride: int, count: int) -> bool:
    """Whether so many lines at this distance lie on more pages than can be looked up at once; at the distances that are
    powers of two they would also share few sets of the caches."""
    return abs(stride) >= 2048 and count >= 256


def _is_better_turned(product: _Product) -> bool:
    """Whether vectors should run along the rows of C because its columns fill none: C transposed is computed then, and
    its elements are stored one by one. All that counts, in cycles."""
    lanes, m, n, k = tile_shape(product.elem).lanes, product.m, product.n, product.k
    straight = m * -(-n // lanes) * k + (0 if product.b.move == "v" else n * k / 4)
    turned = n * -(-m // lanes) * k + (0 if product.a.transposed.move == "v" else m * k / 4) + 4 * m * n
    return 1.2 * turned < straight


# -- lanes ------------------------------------------------------------------------------------------------------------


_RUN = 512  #: elements of a column that are read in one go, at least, where there are so many


def _plan_lanes(p: Planner, product: _Product) -> None:
    """A matrix and a vector; a row times a matrix is the transposed matrix times a column."""
    product = (product if product.n == 1 else product.transposed).with_few_axes()
    code, elem, m, k, end = product.code, product.elem, product.m, product.k, product.end
    size, itemsize = Type(elem).bytes, _DTYPES[code].itemsize
    a, x, c = product.a, product.b, product.c
    if product.converts or (x.row != size and k > 1):
        x = _copied(p, product.batch, x, (k, 1), _DTYPES[elem])
    if k == 1 and a.row == itemsize:
        kernel = across
    elif k == 1 or a.column == itemsize:
        kernel = along
    elif m == 1 or a.row == itemsize:
        kernel = across
    else:
        kernel = along
        a = _copied(p, product.batch, a, (m, k), _DTYPES[code])
    finishes = end.follows(elem) or (c.row != size and m > 1)
    sums = _room(p, elem, *product.batch, m, 1) if finishes else c

    nanoseconds = product.items * m * (0.04 * k * itemsize + 2)
    chunks = _chunks(nanoseconds)
    segment = -(-m // -(-chunks // product.items))
    if kernel is across:
        segment = max(segment, _RUN)
    segments = -(-m // segment)
    words: dict[str, int | Buffer] = {
        "a": a.buffer, "a_row": a.row, "a_k": a.column, "x": x.buffer, "sums": sums.buffer, "rows": m, "depth": k,
        "segment": segment, "segments": segments,
    }  # fmt: skip
    units = product.items * segments
    p.step(
        kernel.address(_signless(code)), *(words[name] for name in VECTOR), *_batch_words(product.batch, a, x, sums),
        units=units, grain=-(-units // chunks), scratch=across_scratch(elem, segment) if kernel is across else 0,
    )  # fmt: skip
    if finishes:
        _plan_finish(p, product, sums, 1, 0)


def _copied(p: Planner, batch: tuple[int, ...], matrix: _Matrix, shape: tuple[int, int], dtype: dt.DType) -> _Matrix:
    """A copy without gaps, in another type; what the batch repeats is copied once."""
    lengths = tuple(1 if stride == 0 else length for length, stride in zip(batch, matrix.batch))
    source = replace(matrix.buffer, shape=(*lengths, *shape), strides=(*matrix.batch, matrix.row, matrix.column))
    copy = p.workspace(dtype, *lengths, *shape)
    plan_copy(p, source, copy)
    strides = tuple(0 if s == 0 else t for s, t in zip(matrix.batch, copy.strides))
    return _Matrix(copy, strides, *copy.strides[-2:])
