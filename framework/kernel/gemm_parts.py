"""What goes into a matrix product and what comes out of it: packing before, finishing after.

Sums are formed in the *accumulator* type. Operands of another type, or that do not lie as the micro-kernel reads them,
are *packed*: copied to panels in which the elements that are used together are neighbours. Sums that are not the result
yet (a type to round to, an epilogue to apply, partial sums to add) are *finished*.

The functions here are called through pointers in the words of the kernels around them (`panels`, `finish_all` and those
of gemm_tiles.py), so each is compiled once, when it is first used, and not once for each combination.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from anfora.kernel import memory
from anfora.kernel.build import recipe
from anfora.kernel.emit import I64, Function, Module, Type, Value
from anfora.kernel.loops import HEADER
from anfora.kernel.target import target
from anfora.kernel.transpose import transposed

__all__ = [
    "FINISH", "PANELS", "Words", "accumulator", "each_unit", "finish", "finish_all", "has_masks", "pack", "panel_bytes",
    "panels", "place_operands", "smaller", "walk_batch",
]  # fmt: skip


def accumulator(code: str) -> str:
    """The machine type in which products of a type are summed. Integers wrap: their sign does not matter, and 8 bits
    may be carried in 16."""
    if code[0] in "fb":
        return memory.compute_elem(code)
    return f"i{max(16, Type(code).bits)}"


def has_masks(elem: str) -> bool:
    """Whether the machine loads and stores vectors of a type under a mask without a branch for each lane."""
    return target().vector_bytes == 64 or (target().vector_bytes == 32 and Type(elem).bytes >= 4)


# -- words --------------------------------------------------------------------------------------------------------


class Words:
    """The words of a kernel by name."""

    def __init__(self, fn: Function, names: tuple[str, ...]) -> None:
        self._fn, self._names = fn, names
        self.end = HEADER + len(names)  #: the first word behind them

    def __getattr__(self, name: str) -> Value:
        return self._fn.word(HEADER + self._names.index(name))


@contextmanager
def each_unit(fn: Function) -> Iterator[Value]:
    with fn.loop(fn.word(0), fn.word(1)) as unit:
        yield unit


def walk_batch(fn: Function, item: Value, first_word: int, count: int) -> list[Value]:
    """Byte offsets of an item of the batch in `count` arrays. From `first_word` on stand the rank of the batch and, for
    each axis from the last to the first, its length and a stride for each array."""
    offsets = [fn.var(0) for _ in range(count)]
    rest = fn.var(item)
    with fn.loop(0, fn.word(first_word)) as axis:
        at = axis * (count + 1) + (first_word + 1)
        length = fn.word(at)
        left = rest.value // length
        index = rest.value - left * length
        for i, offset in enumerate(offsets):
            offset.add(index * fn.word(at + (i + 1)))
        rest.set(left)
    return [offset.value for offset in offsets]


def smaller(fn: Function, a: Value, b: Value) -> Value:
    return fn.select(a < b, a, b)


# -- packing ------------------------------------------------------------------------------------------------------


def panel_bytes(elem: str, depth: int, width: int) -> int:
    """The room of a panel: whole cache lines."""
    return -(-depth * width * Type(elem).bytes // 64) * 64


@recipe
def pack(code: str, direction: str, width: int) -> Module:
    """panels (depth, width) = source (depth, count), cut into panels `distance` bytes apart and converted.

    `direction` tells what is contiguous in the source: `across` its rows, `along` its columns (the source is transposed
    on the way), or `any`. What the last panel holds beside the `count` columns is not specified.
    """
    fn = Function(
        "kernel",
        [("ptr", "panel"), ("i64", "distance"), ("ptr", "source"), ("i64", "k_stride"), ("i64", "stride"),
         ("i64", "depth"), ("i64", "count")],
        returns="void",
    )  # fmt: skip
    packer = _Packer(fn, code, width)
    if direction == "across":
        packer.copy_rows()
    else:
        with packer.each_panel() as (panel, source, count):
            if direction == "along":
                with fn.when(packer.depth >= packer.block):
                    packer.transpose(panel, source, count)
                with fn.when(packer.depth < packer.block):
                    packer.copy_elements(panel, source, count)
            else:
                packer.copy_elements(panel, source, count)
    fn.ret()
    return fn.module


class _Packer:
    """The ways to fill panels."""

    def __init__(self, fn: Function, code: str, width: int) -> None:
        self.fn, self.code, self.width = fn, code, width
        self.elem = accumulator(code)
        self.raw = Type(memory.storage(code))
        self.lanes = target().lanes(self.elem)
        self.block = min(8, self.lanes)  #: side of the squares that are transposed in registers
        self.panel, self.distance, self.source, self.k_stride, self.stride, self.depth, self.count = fn.args

    def _wide(self, raw: Value) -> Value:
        return memory.widen(raw, self.code, self.elem)

    @contextmanager
    def each_panel(self) -> Iterator[tuple[Value, Value, Value]]:
        fn = self.fn
        panel = fn.var(self.panel)
        with fn.loop(0, self.count, self.width) as first:
            yield panel.value, self.source + first * self.stride, smaller(fn, self.count - first, fn.const(self.width))
            panel.set(panel.value + self.distance)

    def copy_rows(self) -> None:
        """Rows of the source go to rows of the panels; all panels together, because a line of the source may belong to
        two of them."""
        fn = self.fn
        row_bytes = self.width * Type(self.elem).bytes
        whole = self.count - self.count % self.width
        with fn.loop(0, self.depth) as k:
            row, into = self.source + k * self.k_stride, fn.var(self.panel + k * row_bytes)
            with fn.loop(0, whole, self.width) as j:
                for first in range(0, self.width, self.lanes):
                    kind = self.raw.vector(min(self.lanes, self.width - first))
                    fn.store(self._wide(fn.load(row, kind, j + first)), into.value, first)
                into.set(into.value + self.distance)
            with fn.when(whole < self.count):
                for first in range(0, self.width, self.lanes):
                    kind = self.raw.vector(min(self.lanes, self.width - first))
                    mask = fn.mask(self.count - whole - first, kind.lanes)
                    fn.store(self._wide(fn.masked_load(row, kind, mask, whole + first)), into.value, first)

    def copy_elements(self, panel: Value, source: Value, count: Value) -> None:
        fn = self.fn
        with fn.loop(0, self.depth) as k, fn.loop(0, count) as j:
            raw = fn.load(source + k * self.k_stride + j * self.stride, self.raw)
            fn.store(self._wide(raw), panel, k * self.width + j)

    def transpose(self, panel: Value, source: Value, count: Value) -> None:
        """Square after square is transposed in registers. Where squares do not fill the depth, the last overlaps the
        one before; columns beyond `count` repeat the last one."""
        fn, block = self.fn, self.block
        whole, rest = self.width - self.width % block, self.width % block
        columns = fn.buffer(8 * (whole + block))
        for j in range(whole + (block if rest else 0)):
            inside = smaller(fn, count - 1, fn.const(j))
            fn.store((source + inside * self.stride).address(), columns, j)

        def square(k: Value, first: Value, width: int) -> None:
            rows = [
                self._wide(fn.load(fn.load(columns, I64, first + j).pointer(), self.raw.vector(block), k))
                for j in range(block)
            ]
            for i, row in enumerate(transposed(fn, rows)):
                row = row if width == block else fn.shuffle(row, row, list(range(width)))
                fn.store(row, panel, (k + i) * self.width + first)

        with fn.loop(0, self.depth, 2 * block) as at:  # two squares are what a line of the source holds

            def two_squares(first: Value, width: int) -> None:
                with fn.loop(at, at + 2 * block, block) as k:
                    square(smaller(fn, k, self.depth - block), first, width)

            if whole:
                with fn.loop(0, whole, block) as first:
                    two_squares(first, block)
            if rest:
                two_squares(fn.const(whole), rest)


#: The words of `panels`; then the rank of the batch and, for each axis from the last to the first: length, stride.
PANELS = ("pack", "panel", "distance", "source", "stride", "k_stride", "count", "width", "group", "groups", "depth")


@recipe
def panels() -> Module:
    """Units: for each item of the batch, groups of `group` panels, which cover `count` rows (or columns) of a matrix."""
    fn = Function("kernel", [("ptr", "words")])
    w = Words(fn, PANELS)
    with each_unit(fn) as unit:
        item, first = unit // w.groups, unit % w.groups * w.group
        in_group, width = w.group * w.width, w.width
        [offset] = walk_batch(fn, item, w.end, 1)
        source = (w.source + offset + first * width * w.stride).pointer()
        all_panels = (w.count + width - 1) // width
        panel = (w.panel + (item * all_panels + first) * w.distance).pointer()
        count = smaller(fn, w.count - first * width, in_group)
        fn.call_pointer(None, w.pack.pointer(), panel, w.distance, source, w.k_stride, w.stride, w.depth, count)
    fn.ret(0)
    return fn.module


# -- finishing ----------------------------------------------------------------------------------------------------


@recipe
def finish(code: str, elem: str, epilogue: Callable | None, operands: tuple[tuple[str, str], ...], move: str) -> Module:
    """out (rows, columns) = epilogue(sum, operand …) rounded to the type of the output, for each element.

    The sum is that of `parts` partial sums, `part` bytes apart, added in order. The operands come as triples of words:
    address, row stride, column stride. Known here are their types and how they move along a row, `v` to the neighbour,
    `s` not at all, `g` by some stride, and how the output moves. Where something moves by `g`, rows are walked element by
    element, else by vectors.
    """
    fn = Function(
        "kernel",
        [("ptr", "sums"), ("i64", "sums_row"), ("i64", "parts"), ("i64", "part"), ("ptr", "out"), ("i64", "out_row"),
         ("i64", "out_column"), ("i64", "rows"), ("i64", "columns"), ("ptr", "operands")],
        returns="void",
    )  # fmt: skip
    sums, sums_row, parts, part, out, out_row, out_column, rows, columns, triples = fn.args
    places = [[fn.load(triples, I64, 3 * i + j) for j in range(3)] for i in range(len(operands))]
    compute = memory.compute_elem
    widest = max(Type(elem).bytes, *(Type(compute(c)).bytes for c in (code, *(c for c, _ in operands))))
    by_vectors = "g" not in (move, *(m for _, m in operands))
    lanes = target().vector_bytes // widest

    def elements(r: Value, j: Value, lanes: int, mask: Value | None = None) -> None:
        """A vector (or an element: lanes 0) of row r from column j on."""

        def load(pointer: Value, code: str, elem: str) -> Value:
            if mask is not None:
                return memory.load_masked(fn, pointer, code, elem, mask, j)
            return memory.load(fn, pointer, code, elem, lanes, j)

        row = sums + r * sums_row
        total = fn.var(load(row, elem, elem))
        with fn.loop(1, parts) as i:
            total.set(total.value + load(row + i * part, elem, elem))
        result = memory.convert(total.value, compute(code))
        if epilogue is not None:
            others = []
            for (kind, moves), (address, row_stride, column_stride) in zip(operands, places):
                at = (address + r * row_stride).pointer()
                if moves == "v":
                    others.append(load(at, kind, compute(kind)))
                else:
                    single = memory.load(fn, at + j * column_stride, kind, compute(kind), 0)
                    others.append(fn.splat(single, lanes) if lanes else single)
            result = epilogue(result, *others)
        into = out + r * out_row
        if move == "g":
            memory.store(fn, result, into + j * out_column, code)
        elif mask is None:
            memory.store(fn, result, into, code, j)
        else:
            memory.store_masked(fn, result, into, code, mask, j)

    with fn.loop(0, rows) as r:
        if by_vectors:
            whole = columns - columns % lanes
            with fn.loop(0, whole, lanes) as j:
                elements(r, j, lanes)
            with fn.when(whole < columns):
                elements(r, whole, lanes, fn.mask(columns - whole, lanes))
        else:
            with fn.loop(0, columns) as j:
                elements(r, j, 0)
    fn.ret()
    return fn.module


def place_operands(fn: Function, first_word: int, count: int, offsets: list[Value], row: Value, column: Value) -> Value:
    """The triples for `finish`, on the stack: those in the words, moved to an item of the batch, a row and a column."""
    triples = fn.buffer(24 * max(count, 1))
    for i, offset in enumerate(offsets):
        address, row_stride, column_stride = (fn.word(first_word + 3 * i + j) for j in range(3))
        here = address + offset + row * row_stride + column * column_stride
        for j, value in enumerate((here, row_stride, column_stride)):
            fn.store(value, triples, 3 * i + j)
    return triples


#: The words of `finish_all`; then for each operand address, row stride, column stride; then the rank of the batch and,
#: for each axis from the last to the first: length, strides (sums, out, operands).
FINISH = (
    "finish",
    "sums",
    "sums_row",
    "parts",
    "part",
    "out",
    "out_row",
    "out_column",
    "columns",
    "rows",
    "block_rows",
    "blocks",
)


@recipe
def finish_all(operands: int) -> Module:
    """Units: for each item of the batch, blocks of rows of sums to finish."""
    fn = Function("kernel", [("ptr", "words")])
    w = Words(fn, FINISH)
    with each_unit(fn) as unit:
        item, row = unit // w.blocks, unit % w.blocks * w.block_rows
        offsets = walk_batch(fn, item, w.end + 3 * operands, 2 + operands)
        triples = place_operands(fn, w.end, operands, offsets[2:], row, fn.const(0))
        sums = (w.sums + offsets[0] + row * w.sums_row).pointer()
        out = (w.out + offsets[1] + row * w.out_row).pointer()
        rows = smaller(fn, w.rows - row, w.block_rows)
        fn.call_pointer(
            None, w.finish.pointer(), sums, w.sums_row, w.parts, w.part, out, w.out_row, w.out_column, rows, w.columns,
            triples,
        )  # fmt: skip
    fn.ret(0)
    return fn.module
