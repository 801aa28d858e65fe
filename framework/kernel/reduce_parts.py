"""What the kernels of reductions are made of: axes as words, blocks, lanes that become one, kinds of reductions.

The order in which elements are combined is written down in `reduce.py`; it is made here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from anfora.core.dtype import DType, float64
from anfora.core.records import Record
from anfora.kernel import bodies, memory
from anfora.kernel.emit import I64, Function, Type, Value, Var
from anfora.kernel.plan import Buffer

__all__ = [
    "BLOCK", "DEPTH", "KINDS", "LANES", "WIDTH", "Axes", "Blocks", "BlockWords", "Geometry", "Kind", "Lanes", "Place",
    "Reducer", "Types",
    "RowBuffer", "RowTile", "across", "axis_words", "between", "fold_rows", "identity_of", "rounded", "smaller", "walk",
]  # fmt: skip

BLOCK = 8192  #: elements that are combined in lanes before they go to the wide type
LANES = 64
DEPTH = 256  #: elements of a column that are combined one after the other
WIDTH = 16  #: lanes of a vector; the machine may hold it in several registers

# -- kinds -----------------------------------------------------------------------------------------------------------


class Kind(Record):
    """A reduction: how two values become one, what changes nothing, and what happens before and after.

    Both `before` (on each element) and `after` (on the combined value and the count) are scalar bodies.
    """

    combine: Callable[[Value, Value], Value]
    identity: float  #: for floating point; see `identity_of` for integers
    before: Callable[[Value], Value] | None = None
    after: Callable[[Value, Value], Value] | None = None
    truth: bool = False  #: elements count as 0 or 1
    wide: bool = False  #: the lanes have the wide type too: no intermediate result overflows


def _add(a: Value, b: Value) -> Value:
    return a + b


def _multiply(a: Value, b: Value) -> Value:
    return a * b


def _either(a: Value, b: Value) -> Value:
    return a | b


def _both(a: Value, b: Value) -> Value:
    return a & b


def _average(total: Value, count: Value) -> Value:
    return total / count.to(total.type.elem)


def _square(x: Value) -> Value:
    return x * x


def _root(total: Value, count: Value) -> Value:
    return bodies.sqrt(total)


def _number(x: Value) -> Value:
    return bodies.select(bodies.is_nan(x), 0.0, x) if x.type.is_float else x


KINDS = {
    "sum": Kind(_add, -0.0),
    "nansum": Kind(_add, -0.0, before=_number),
    "mean": Kind(_add, -0.0, after=_average),
    "sum_of_squares": Kind(_add, -0.0, before=_square),
    "norm": Kind(_add, -0.0, before=_square, after=_root, wide=True),
    "prod": Kind(_multiply, 1.0, wide=True),
    "max": Kind(bodies.maximum, -math.inf),
    "min": Kind(bodies.minimum, math.inf),
    "any": Kind(_either, 0, truth=True),
    "all": Kind(_both, 1, truth=True),
    "count_nonzero": Kind(_add, 0, truth=True),
}


def identity_of(kind: Kind, elem: Type) -> float:
    """What changes no value of a machine type."""
    if elem.is_float:
        return kind.identity
    if math.isinf(kind.identity):
        bits = elem.bits
        low, high = (0, (1 << bits) - 1) if elem.is_unsigned else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        return low if kind.identity < 0 else high
    return int(kind.identity)


class Types(Record):
    """Codes of the buffers, and machine types of the lanes and of what blocks are combined in."""

    source: str
    result: str
    lane: str
    wide: str

    @classmethod
    def of(cls, name: str, source: DType, result: DType) -> Types:
        kind = KINDS[name]
        if kind.truth:
            elem = "u8" if result.is_bool else memory.compute_elem(result.code)
            return cls(source.code, result.code, elem, elem)
        if name in ("max", "min"):
            elem = memory.compute_elem(source.code)
            return cls(source.code, result.code, elem, elem)
        if result.is_float:
            wide = kind.wide or result is float64 or source is float64 or (source.is_integer and source.bits > 16)
            return cls(source.code, result.code, "f64" if wide else "f32", "f64")
        elem = memory.compute_elem(result.code)
        return cls(source.code, result.code, elem, elem)


# -- geometry --------------------------------------------------------------------------------------------------------


class Geometry(Record):
    """Kept and reduced axes of a buffer as (length, stride in bytes), neighbours of one sort merged."""

    kept: tuple[tuple[int, int], ...]
    reduced: tuple[tuple[int, int], ...]
    along: bool  #: whether the last axis is reduced: rows, else columns

    @classmethod
    def of(cls, x: Buffer, axes: tuple[int, ...]) -> Geometry | None:
        """None where strides do not allow to merge axes, or the last axis has no neighbours: a copy is needed."""
        groups: list[tuple[bool, int, int]] = []
        for axis, (length, stride) in enumerate(zip(x.shape, x.strides)):
            if length == 1:
                continue
            is_reduced = axis in axes
            if groups and groups[-1][0] == is_reduced:
                if groups[-1][2] != length * stride:
                    return None
                groups[-1] = (is_reduced, groups[-1][1] * length, stride)
            else:
                groups.append((is_reduced, length, stride))
        if groups and groups[-1][2] != x.dtype.itemsize:
            return None
        kept, reduced = (tuple((n, s) for sort, n, s in groups if sort is which) for which in (False, True))
        return cls(kept, reduced, not groups or groups[-1][0])

    @property
    def outputs(self) -> int:
        return math.prod(n for n, _ in self.kept)

    @property
    def count(self) -> int:
        """How many elements become one."""
        return math.prod(n for n, _ in self.reduced)


class Blocks(Record):
    """How the elements of an output are cut into blocks: runs along the last reduced axis are cut into `parts`, or, if
    they are short, `group` whole runs make a block."""

    length: int  #: of a run
    runs: int
    group: int
    parts: int
    size: int  #: of a part

    @classmethod
    def of(cls, length: int, runs: int, size: int, step: int = 1) -> Blocks:
        """Blocks of at most `size` elements, where a run that is not cut takes a multiple of `step`."""
        group = max(1, size // max(-(-length // step) * step, 1))
        return cls(length, runs, min(group, runs), max(1, -(-length // size)), size)

    @property
    def number(self) -> int:
        return -(-self.runs // self.group) * self.parts

    @property
    def words(self) -> list[int]:
        return [self.length, self.runs, self.group, self.parts, self.size]


class BlockWords:
    """`Blocks` as a kernel reads them."""

    def __init__(self, fn: Function, at: int) -> None:
        self.fn = fn
        self.length, self.runs, self.group, self.parts, self.size = (fn.word(at + i) for i in range(5))
        self.end = at + 5
        self.number = (self.runs + self.group - 1) // self.group * self.parts

    def place(self, block: Value) -> Place:
        """First run, end, first element in each run, number of elements in each run."""
        fn = self.fn
        turn = block // self.parts
        first = turn * self.group
        end = smaller(fn, first + self.group, self.runs)
        start = (block - turn * self.parts) * self.size
        return first, end, start, smaller(fn, self.length - start, self.size)


def smaller(fn: Function, a: Value, b: Value | int) -> Value:
    return fn.select(a < b, a, b)


def between(fn: Function, value: Value, low: int, high: Value) -> Value:
    return fn.select(value < low, low, smaller(fn, value, high))


def axis_words(axes: tuple[tuple[int, int], ...]) -> list[int]:
    """Rank, then length and stride of each axis, the last axis first."""
    return [len(axes), *(word for axis in reversed(axes) for word in axis)]


class Axes:
    """Axes as a kernel reads them: rank, then (length, stride) with the last axis first."""

    def __init__(self, fn: Function, at: int | Value) -> None:
        self.fn, self.at = fn, at
        self.rank = fn.word(at)
        self.end = self.rank * 2 + 1 + at

    def offset(self, index: Value) -> Value:
        """Bytes to combination `index` of the axes, in row-major order."""
        fn = self.fn
        rest, total = fn.var(index), fn.var(0)
        rest.set(index)
        total.set(0)
        last = self.rank - 1
        with fn.loop(0, last) as axis:
            word = axis * 2 + 1 + self.at
            length = fn.word(word)
            left = rest.value // length
            total.add((rest.value - left * length) * fn.word(word + 1))
            rest.set(left)
        with fn.when(last >= 0):  # of the first axis nothing is left: no division
            total.add(rest.value * fn.word(last * 2 + 2 + self.at))
        return total.value


# -- lanes -----------------------------------------------------------------------------------------------------------


class Reducer:
    """The scalar side of a reduction: loads elements as lanes, stores results."""

    def __init__(self, fn: Function, name: str, types: Types, again: bool = False) -> None:
        """`again`: the elements are results of blocks, to be combined further."""
        self.fn, self.types, self.kind = fn, types, KINDS[name]
        if again:
            self.kind = replace(self.kind, before=None, truth=False)
        self.lane, self.wide = Type(types.lane, WIDTH), Type(types.wide, WIDTH)
        self.bytes = memory.code_bytes(types.source)

    @property
    def combine(self) -> Callable[[Value, Value], Value]:
        return self.kind.combine

    def identity(self, kind: Type) -> Value:
        return self.fn.const(identity_of(self.kind, kind), kind)

    def load(self, pointer: Value, index: Value | int, mask: Value | None = None) -> Value:
        """Neighbours as lanes; lanes outside the mask hold anything."""
        code, elem = self.types.source, "i1" if self.kind.truth else self.types.lane
        if mask is None:
            value = memory.load(self.fn, pointer, code, elem, WIDTH, index)
        else:
            value = memory.load_masked(self.fn, pointer, code, elem, mask, index)
        if self.kind.truth:
            return value.to("u8").to(self.types.lane)
        return self.kind.before(value) if self.kind.before else value

    def result(self, total: Value, count: Value) -> Value:
        """What becomes of the combined values; half precision is rounded by way of float32, as everywhere."""
        if self.kind.after:
            total = self.kind.after(total, self.fn.splat(count, WIDTH))
        return rounded(total, self.types.result)


def rounded(value: Value, code: str) -> Value:
    return value.to("f32") if code in ("f16", "bf16") and value.type.elem == "f64" else value


class Lanes:
    """Accumulators for runs of neighbours: element j of a run goes to lane j mod LANES."""

    def __init__(self, fn: Function, kind: Type, combine: Callable[[Value, Value], Value], identity: Value) -> None:
        self.combine, self.identity = combine, identity
        self.parts: list[Var] = [fn.var(identity, kind) for _ in range(LANES // WIDTH)]

    def clear(self) -> None:
        for part in self.parts:
            part.set(self.identity)

    def add(self, part: int, value: Value) -> None:
        self.parts[part].set(self.combine(self.parts[part].value, value))

    def value(self) -> Value:
        """The upper half of the lanes combined with the lower, until WIDTH are left."""
        values = [part.value for part in self.parts]
        while len(values) > 1:
            half = len(values) // 2
            values = [self.combine(values[i], values[i + half]) for i in range(half)]
        return values[0]


Place = tuple[Value, Value, Value, Value]


def walk(
    fn: Function,
    start: Value,
    outer: Axes,
    place: Place,
    nbytes: int,
    visit: Callable[[int, Value, Value, Value | None], None],
) -> None:
    """Visit the elements of a block in vectors: `visit(part, pointer, index, mask)`, `part` counting those of LANES."""
    first, end, at, length = place
    with fn.loop(first, end) as run:
        pointer = start + outer.offset(run) + at * nbytes
        whole = length & -LANES
        with fn.loop(0, whole, LANES) as i:
            for part in range(LANES // WIDTH):
                visit(part, pointer, i + part * WIDTH, None)
        rest = length - whole
        with fn.when(rest > 0):
            for part in range(LANES // WIDTH):
                left = rest - part * WIDTH
                with fn.when(left > 0):
                    visit(part, pointer, whole + part * WIDTH, fn.mask(left, WIDTH))


class RowTile:
    """Up to WIDTH neighbouring outputs, whose rows a kernel takes together."""

    def __init__(self, fn: Function, x: Value, kept: Axes, outputs: Value) -> None:
        self.fn, self.x, self.kept, self.outputs = fn, x, kept, outputs
        self.number = (outputs + (WIDTH - 1)) // WIDTH
        self._starts = fn.buffer(8 * WIDTH)

    def start(self, index: Value) -> None:
        """Go to a tile."""
        fn = self.fn
        self.base = index * WIDTH
        self.left = smaller(fn, self.outputs - self.base, WIDTH)
        self.mask = fn.mask(self.left, WIDTH)
        with fn.loop(0, self.left) as row:
            fn.store((self.x + self.kept.offset(self.base + row)).address(), self._starts, row)

    @contextmanager
    def rows(self) -> Iterator[tuple[Value, Value]]:
        """Loop over the rows: number in the tile, and where the elements begin."""
        with self.fn.loop(0, self.left) as row:
            yield row, self.fn.load(self._starts, I64, row).pointer()


def across(fn: Function, combine: Callable[[Value, Value], Value], vector: Value) -> Value:
    """The lanes of one vector combined, upper half with lower, to a scalar."""
    while vector.type.lanes > 1:
        vector = combine(*fn.halves(vector))
    return fn.lane(vector, 0)


def fold_rows(fn: Function, combine: Callable[[Value, Value], Value], rows: list[Value]) -> Value:
    """The lanes of each of WIDTH vectors combined, upper half with lower; vector i gives lane i of the result.

    Two vectors become one that holds the half-combined lanes of both, and so on: a tree for all at once.
    """
    group = WIDTH
    while len(rows) > 1:
        half = group // 2
        lower = [start + i for start in range(0, 2 * WIDTH, group) for i in range(half)]
        upper = [lane + half for lane in lower]
        rows = [combine(fn.shuffle(a, b, lower), fn.shuffle(a, b, upper)) for a, b in zip(rows[::2], rows[1::2])]
        group = half
    return rows[0]


class RowBuffer:
    """Stack space for WIDTH vectors, one for each row of a tile."""

    def __init__(self, fn: Function, kind: Type, identity: Value) -> None:
        self.fn, self.kind = fn, kind
        self.step = kind.bytes * WIDTH
        self.pointer: Value = fn.buffer(self.step * WIDTH)
        for row in range(WIDTH):  # rows that are missing in the last tile hold no number that could disturb
            fn.store(identity, self.pointer + row * self.step, align=min(self.step, 64))

    def put(self, row: Value, value: Value) -> None:
        self.fn.store(value, self.pointer + row * self.step, align=min(self.step, 64))

    def all(self) -> list[Value]:
        return [
            self.fn.load(self.pointer + row * self.step, self.kind, align=min(self.step, 64)) for row in range(WIDTH)
        ]
