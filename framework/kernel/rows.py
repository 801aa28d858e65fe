"""Kernels that work on rows: softmax, norms, losses along one axis.

A row body is a Python function that says what to do with one row, pass by pass; a pass walks the row once:

    def softmax(row):
        x, out = row.input(0), row.output(0)
        draft = row.draft(out)
        top = row.max(lambda at: x[at])
        total = row.sum(lambda at: draft.put(at, exp(x[at] - top)))
        scale = (1.0 / total).to(row.elem)
        row.each(lambda at: out.put(at, draft[at] * scale))

One body makes two kernels:

*along*   the axis is the last one. A vector holds neighbours of one row; `top` and `total` are scalars.
*across*  it is not. A vector holds one element each of neighbouring rows; `top` and `total` are vectors, a row a lane.
          The array is read where it lies.

Bodies need not know which one they are in: what belongs to a row is a scalar in one and a vector in the other.

**The order** depends on the element type, the shape and the axis alone. Along a row sums and maxima follow the rows of
`reduce.py` (lanes within blocks, blocks in float64). Across rows an element is added after the other, in float64.

Operands come in several kinds. Each row has its own run of elements in a `row`, and a single element in a `one` (a label,
a mean). All rows have in common the run `shared` (a weight) and the element `single`. An output of kind `total` has the
length of a row and holds the sum over all rows of what the body adds to it (the gradient of a weight): the rows are dealt
in blocks of `ROWS`; each block is added up in the type of computation, one row after the other, and the blocks as columns
of `reduce.py`.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import replace

from anfora.core.dtype import DType, float32, float64
from anfora.core.records import Record
from anfora.kernel import bodies, memory
from anfora.kernel.build import recipe
from anfora.kernel.emit import F64, Function, Module, Type, Value
from anfora.kernel.loops import HEADER, contiguous, plan_copy, plan_fill
from anfora.kernel.plan import Buffer, Planner, split
from anfora.kernel.reduce import BLOCK, LANES, plan_reduce

__all__ = ["ROWS", "At", "Operand", "Row", "RowOperand", "plan_rows"]

ROWS = 32  #: rows of a block, where outputs are summed over rows
_WIDTH = 16  # neighbours in a vector along a row
_ACROSS = 16  # rows in a vector across rows
_FEWEST = 8  # with fewer rows side by side a row is copied together instead


class RowOperand(Record):
    """An operand as a row body sees it: type of its buffer, machine type of its values, and its kind."""

    code: str
    elem: str
    kind: str

    @property
    def bytes(self) -> int:
        return memory.code_bytes(self.code)


class At:
    """A place in a row: where a vector starts, and which of its lanes count (None for all)."""

    __slots__ = ("index", "mask")

    def __init__(self, index: Value, mask: Value | None) -> None:
        self.index, self.mask = index, mask


class Operand:
    """An operand of the current row."""

    def __init__(self, row: Row, operand: RowOperand, pointer: Value, step: Value | None = None) -> None:
        self.row, self.operand, self.pointer = row, operand, pointer
        self.step = step  #: bytes from an element of a row to the next one, where these are no neighbours

    def _address(self, index: Value) -> Value:
        return self.pointer + index * (self.operand.bytes if self.step is None else self.step)

    def __getitem__(self, at: At) -> Value:
        """The elements at a place, as a vector; 0 where lanes do not count."""
        fn, op = self.row.fn, self.operand
        pointer = self._address(at.index)
        if op.kind == "shared" and self.row.is_across:
            return fn.splat(memory.load(fn, pointer, op.code, op.elem, 0), self.row.lanes)
        if at.mask is None:
            return memory.load(fn, pointer, op.code, op.elem, self.row.lanes)
        return memory.load_masked(fn, pointer, op.code, op.elem, at.mask)

    def put(self, at: At, value: Value) -> Value:
        """Store a vector at a place; gives the value."""
        fn, op = self.row.fn, self.operand
        if at.mask is None:
            memory.store(fn, value, self._address(at.index), op.code)
        else:
            memory.store_masked(fn, value, self._address(at.index), op.code, at.mask)
        return value

    def add(self, at: At, value: Value) -> None:
        """Add to the elements at a place (kind `total`)."""
        self.put(at, self[at] + value)

    @property
    def value(self) -> Value:
        """The element of this row (kinds `one` and `single`)."""
        fn, op, row = self.row.fn, self.operand, self.row
        if op.kind == "one" and row.mask is not None:
            return memory.load_masked(fn, self.pointer, op.code, op.elem, row.mask)
        return row.of_row(memory.load(fn, self.pointer, op.code, op.elem, 0))

    def set(self, value: Value) -> None:
        """Store the element of this row (kind `one`)."""
        fn, op, row = self.row.fn, self.operand, self.row
        if row.mask is None:
            memory.store(fn, value, self.pointer, op.code)
        else:
            memory.store_masked(fn, value, self.pointer, op.code, row.mask)

    def element(self, index: Value) -> Value:
        """Element `index` of the row; the index must be inside. Across rows each lane has its own."""
        fn, op, row = self.row.fn, self.operand, self.row
        if row.mask is None:
            return memory.load(fn, self._address(index), op.code, op.elem, 0)
        lanes = row.lanes
        places = index * (op.bytes if self.step is None else self.step) + self.pointer.address()
        if op.kind == "row":
            places = places + fn.constants([i * op.bytes for i in range(lanes)], "i64")
        pointers, raw = Type("ptr", lanes), Type(memory.storage(op.code), lanes)
        pointer = fn.emit(pointers, f"inttoptr {places.typed()} to {pointers}")
        name = f"llvm.masked.gather.{raw.suffix}.v{lanes}p0"
        fn.module.declare(name, f"declare {raw} @{name}({pointers}, i32, <{lanes} x i1>, {raw})")
        call = (
            f"call {raw} @{name}({pointer.typed()}, i32 {raw.scalar.bytes}, {row.mask.typed()}, {raw} zeroinitializer)"
        )
        return memory.widen(fn.emit(raw, call), op.code, op.elem)


class Row:
    """What a row body works with: the operands of a row, and passes over it."""

    is_across = False
    lanes = _WIDTH  #: of a vector of elements
    mask: Value | None = None  #: which lanes are rows, across rows

    def __init__(self, fn: Function, elem: str, number: Value, length: Value, numbers: int) -> None:
        self.fn, self.elem = fn, elem
        self.number = number  #: which row it is, in row-major order of the other axes
        self.length = length  #: of the row, an i64
        self._numbers = numbers
        self._inputs: list[Operand] = []
        self._outputs: list[Operand] = []

    @property
    def vector(self) -> Type:
        return Type(self.elem, self.lanes)

    def input(self, number: int) -> Operand:
        return self._inputs[number]

    def output(self, number: int) -> Operand:
        return self._outputs[number]

    def draft(self, output: Operand) -> Operand:
        """A place for unfinished values of an output: itself, or scratch where it is stored in a narrower type."""
        if output.operand.code == self.elem:
            return output
        return Operand(self, replace(output.operand, code=self.elem), self.fn.word(2).pointer())

    def of_row(self, value: Value) -> Value:
        """A scalar as what belongs to a row: itself, or across rows a vector of it."""
        return value

    def constant(self, value: float, elem: str = "f64") -> Value:
        """A number, as what belongs to a row."""
        return self.of_row(self.fn.const(value, Type(elem)))

    def parameter(self, number: int) -> Value:
        """A number given to `plan_rows`, as float64."""
        return self.of_row(self.fn.load(self.fn.args[0], F64, self._numbers + number))

    @property
    def count(self) -> Value:
        """The length of the row, as float64."""
        return self.of_row(self.length.to("f64"))

    def refuse(self, condition: Value) -> None:
        """End the kernel with the number of this row where the condition holds."""
        fn = self.fn
        if self.mask is not None:
            condition = condition & self.mask
        with fn.when(fn.any_lane(condition)):
            number = fn.lane(self.number, 0) if self.number.type.lanes else self.number
            fn.ret(number + fn.first_lane(condition) + 1)

    # -- passes along the row -----------------------------------------------------------------------------------------

    def columns(self, at: At) -> Value:
        """The numbers (i32) of the elements at a place."""
        return self.fn.splat(at.index.to("i32"), _WIDTH) + self.fn.constants(list(range(_WIDTH)), "i32")

    def each(self, act: Callable[[At], object]) -> None:
        """Do something at every place of the row."""
        fn = self.fn
        whole = self.length & -_WIDTH
        with fn.loop(0, whole, _WIDTH) as i:
            self._fetch_next(i)
            act(At(i, None))
        with fn.when(whole < self.length):
            act(At(whole, fn.mask(self.length - whole, _WIDTH)))

    def _fetch_next(self, index: Value) -> None:
        """Ask for the next row: while passes over this one meet the cache alone, the machine does not look ahead."""
        for operand in (*self._inputs, *self._outputs):
            if operand.operand.kind == "row":
                is_output = operand in self._outputs
                self.fn.prefetch(operand._address(self.length + index), write=is_output)

    def sum(self, term: Callable[[At], Value]) -> Value:
        """The sum of a term over the row, as float64; float32 terms are added in float32 within a block."""
        return self.sums(1, lambda at: (term(at),))[0]

    def sums(self, count: int, terms: Callable[[At], tuple[Value, ...]]) -> list[Value]:
        """The sums of several terms that are found in one pass."""
        fn = self.fn
        totals = [fn.var(fn.const(-0.0, F64)) for _ in range(count)]
        with fn.loop(0, self.length, BLOCK) as first:
            rest = self.length - first
            block = self._combine(terms, count, _plus, -0.0, first, fn.select(rest > BLOCK, BLOCK, rest))
            for total, part in zip(totals, block):
                total.set(total.value + part.to("f64"))
        return [total.value for total in totals]

    def max(self, term: Callable[[At], Value]) -> Value:
        """The largest of a term over the row; NaN if one is NaN; -inf for an empty row."""
        return self._combine(lambda at: (term(at),), 1, bodies.maximum, -math.inf, self.fn.const(0), self.length)[0]

    def _combine(
        self,
        terms: Callable[[At], tuple[Value, ...]],
        count: int,
        combine: Callable[[Value, Value], Value],
        identity: float,
        first: Value,
        length: Value,
    ) -> list[Value]:
        """Combine neighbours from `first` on, in LANES lanes that become one as a tree."""
        fn = self.fn
        start = fn.const(identity, self.vector)
        lanes = [[fn.var(start) for _ in range(count)] for _ in range(LANES // _WIDTH)]
        whole = length & -LANES
        with fn.loop(0, whole, LANES) as i:
            for k, lane in enumerate(lanes):
                for total, value in zip(lane, terms(At(first + i + k * _WIDTH, None))):
                    total.set(combine(total.value, value))
        for k, lane in enumerate(lanes):
            rest = length - whole - k * _WIDTH
            with fn.when(rest > 0):
                mask = fn.mask(rest, _WIDTH)
                for total, value in zip(lane, terms(At(first + whole + k * _WIDTH, mask))):
                    total.set(combine(total.value, fn.select(mask, value, identity)))
        return [self._tree([lane[i].value for lane in lanes], combine) for i in range(count)]

    def _tree(self, vectors: list[Value], combine: Callable[[Value, Value], Value]) -> Value:
        while len(vectors) > 1:
            half = len(vectors) // 2
            vectors = [combine(vectors[i], vectors[i + half]) for i in range(half)]
        result = vectors[0]
        while result.type.lanes > 1:
            result = combine(*self.fn.halves(result))
        return self.fn.lane(result, 0)


class _Across(Row):
    """Neighbouring rows, one in each lane."""

    is_across = True
    lanes = _ACROSS

    def of_row(self, value: Value) -> Value:
        return self.fn.splat(value, self.lanes)

    def draft(self, output: Operand) -> Operand:
        # Elements of a row may lie at a power of two from each other and push each other out of the cache.
        step = self.fn.const(self.lanes * Type(self.elem).bytes)
        return Operand(self, replace(output.operand, code=self.elem), self.fn.word(2).pointer(), step)

    def columns(self, at: At) -> Value:
        return self.fn.splat(at.index.to("i32"), self.lanes)

    def each(self, act: Callable[[At], object]) -> None:
        with self.fn.loop(0, self.length) as i:
            act(At(i, self.mask))

    def sums(self, count: int, terms: Callable[[At], tuple[Value, ...]]) -> list[Value]:
        return self._fold(count, lambda at: tuple(v.to("f64") for v in terms(at)), _plus, self.fn.const(-0.0, F64))

    def max(self, term: Callable[[At], Value]) -> Value:
        return self._fold(1, lambda at: (term(at),), bodies.maximum, self.fn.const(-math.inf, Type(self.elem)))[0]

    def _fold(
        self, count: int, terms: Callable[[At], tuple[Value, ...]], combine: Callable, identity: Value
    ) -> list[Value]:
        start = self.fn.splat(identity, self.lanes)
        totals = [self.fn.var(start) for _ in range(count)]
        with self.fn.loop(0, self.length) as i:
            for total, value in zip(totals, terms(At(i, self.mask))):
                total.set(combine(total.value, value))
        return [total.value for total in totals]


def _plus(a: Value, b: Value) -> Value:
    return a + b


# -- kernels ----------------------------------------------------------------------------------------------------------

Body = Callable[[Row], None]
Operands = tuple[RowOperand, ...]


@recipe
def rows(body: Body, inputs: Operands, outputs: Operands, elem: str) -> Module:
    """A unit is a row. words: pointers of inputs, outputs | length of a row | numbers"""
    fn, pointers, length, numbers = _head(inputs, outputs)
    with fn.loop(fn.word(0), fn.word(1)) as unit:
        _along(fn, body, inputs, outputs, elem, pointers, length, numbers, unit, fn.const(0))
    fn.ret(0)
    return fn.module


@recipe
def row_blocks(body: Body, inputs: Operands, outputs: Operands, elem: str) -> Module:
    """A unit is a block of ROWS rows. words: pointers of inputs, outputs | length of a row | count of rows | numbers"""
    fn, pointers, length, numbers = _head(inputs, outputs)
    count = fn.word(numbers)
    with fn.loop(fn.word(0), fn.word(1)) as unit:
        for operand, pointer in zip((*inputs, *outputs), pointers):
            if operand.kind == "total":
                size = length * operand.bytes
                fn.fill_bytes(pointer + unit * size, 0, size)
        first = unit * ROWS
        stop = first + ROWS
        with fn.loop(first, fn.select(stop > count, count, stop)) as row:
            _along(fn, body, inputs, outputs, elem, pointers, length, numbers + 1, row, unit)
    fn.ret(0)
    return fn.module


def _head(inputs: Operands, outputs: Operands) -> tuple[Function, list[Value], Value, int]:
    fn = Function("kernel", [("ptr", "words")])
    count = len(inputs) + len(outputs)
    return fn, [fn.word(HEADER + i).pointer() for i in range(count)], fn.word(HEADER + count), HEADER + count + 1


def _along(
    fn: Function, body: Body, inputs: Operands, outputs: Operands, elem: str, pointers: list[Value], length: Value,
    numbers: int, number: Value, block: Value,
) -> None:  # fmt: skip
    row = Row(fn, elem, number, length, numbers)
    row_of = {"row": number * length, "one": number, "total": block * length, "shared": None, "single": None}
    for i, (operand, pointer) in enumerate(zip((*inputs, *outputs), pointers)):
        start = row_of[operand.kind]
        here = Operand(row, operand, pointer if start is None else pointer + start * operand.bytes)
        (row._inputs if i < len(inputs) else row._outputs).append(here)
    body(row)


@recipe
def rows_across(body: Body, inputs: Operands, outputs: Operands, elem: str) -> Module:
    """A unit is a vector of neighbouring rows.
    words: pointers of inputs, outputs | length of a row | rows side by side | vectors of these | numbers"""
    fn, pointers, length, numbers = _head(inputs, outputs)
    inner, tiles = fn.word(numbers), fn.word(numbers + 1)
    with fn.loop(fn.word(0), fn.word(1)) as unit:
        outer = unit // tiles
        column = (unit - outer * tiles) * _ACROSS
        number = outer * inner + column
        row = _Across(
            fn, elem, fn.splat(number, _ACROSS) + fn.constants(list(range(_ACROSS)), "i64"), length, numbers + 2
        )
        row.mask = fn.mask(inner - column, _ACROSS)
        start_of = {"row": outer * length * inner + column, "one": number}
        for i, (operand, pointer) in enumerate(zip((*inputs, *outputs), pointers)):
            start = start_of.get(operand.kind)
            step = inner * operand.bytes if operand.kind == "row" else None
            here = Operand(row, operand, pointer if start is None else pointer + start * operand.bytes, step)
            (row._inputs if i < len(inputs) else row._outputs).append(here)
        body(row)
    fn.ret(0)
    return fn.module


# -- planning ---------------------------------------------------------------------------------------------------------

_MACHINE = {"f32": float32, "f64": float64}


def _drafted(across: bool, outputs: tuple[RowOperand, ...], elem: str) -> int:
    """The bytes of an element of rows that a thread works on before it stores them, in another order or type; 0 if it
    stores them as they come."""
    is_converted = any(x.code != elem and x.kind == "row" for x in outputs)
    return Type(elem).bytes if across or is_converted else 0


def plan_rows(
    p: Planner,
    body: Body,
    inputs: Sequence[tuple[Buffer, str]],
    outputs: Sequence[tuple[Buffer, str]],
    axis: int,
    nanoseconds: float = 0.5,
    integers: tuple[int, ...] = (),
    numbers: tuple[float, ...] = (),
    dtype: DType | None = None,
) -> None:
    """Add the steps that apply a row body along an axis.

    Args:
        body: see the head of this file.
        inputs, outputs: buffers with their kinds; all of kind `row` have one shape, those of kind `one` the shape of the
            other axes, those of kind `shared` and `total` the length of the axis. Outputs are contiguous.
        axis: of the operands of kind `row`.
        nanoseconds: what an element costs, about.
        integers: inputs whose values are integers (labels), passed as i64.
        numbers: what the body gets as `row.parameter(…)`.
        dtype: what is computed in; the type of the first operand of kind `row` when not given.
    """
    first = next(buffer for buffer, kind in (*inputs, *outputs) if kind == "row")
    shape, length = first.shape, first.shape[axis]
    outer, inner = math.prod(shape[:axis]), math.prod(shape[axis + 1 :])
    totals = [buffer for buffer, kind in outputs if kind == "total"]
    if outer * inner == 0:
        for buffer in totals:
            plan_fill(p, buffer, 0)
        return
    elem = memory.compute_elem((dtype or first.dtype).code)
    across = inner >= _FEWEST and not totals
    turned = ("row",) if inner > 1 and not across else ()  # rows are copied together, worked on, and copied back
    order = (*(i for i in range(len(shape)) if i != axis), axis)

    sources = [contiguous(p, x.permuted(order) if kind in turned else x) for x, kind in inputs]
    targets = []
    for buffer, kind in outputs:
        if kind in turned:
            buffer = p.workspace(buffer.dtype, *(shape[i] for i in order))
        elif kind == "total":
            buffer = p.workspace(_MACHINE[elem], -(-outer // ROWS), length)
        targets.append(buffer)
    typed_in = tuple(
        RowOperand(x.code, "i64" if i in integers else elem, kind)
        for i, (x, (_, kind)) in enumerate(zip(sources, inputs))
    )
    typed_out = tuple(RowOperand(x.code, elem, kind) for x, (_, kind) in zip(targets, outputs))
    drafted = _drafted(across, typed_out, elem)
    bits = [struct.unpack("<q", struct.pack("<d", number))[0] for number in numbers]
    made_for = (body, typed_in, typed_out, elem)
    cost = length * nanoseconds + 20
    counts: tuple[int, ...]
    if across:
        tiles = -(-inner // _ACROSS)
        kernel, counts, units, many = rows_across, (length, inner, tiles), outer * tiles, _ACROSS
        drafted *= _ACROSS
    elif totals:
        blocks = -(-outer // ROWS)
        kernel, counts, units, many = row_blocks, (length, outer), blocks, ROWS
    else:
        kernel, counts, units, many = rows, (length,), outer * inner, 1
    p.step(
        kernel.address(*made_for), *sources, *targets, *counts, *bits,
        units=units, grain=split(units, many * cost), scratch=drafted * length,
    )  # fmt: skip
    for target, (buffer, kind) in zip(targets, outputs):
        if kind in turned:
            plan_copy(p, target, buffer.permuted(order))
        elif kind == "total":
            plan_reduce(p, "sum", target, buffer, (0,))
