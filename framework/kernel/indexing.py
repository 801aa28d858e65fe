"""Kernels that follow indices: take elements from, put elements to, places that a tensor names.

All work in two steps. *Locate* turns indices into offsets, in bytes, from the first element of the tensor; it wraps
negative ones and refuses those out of range, so that nothing is written where one is bad. *Take* and *put* then move
elements, or runs of neighbours, between these places and an array without gaps.

The axes of the tensor that are not indexed are those before the indices in the result (`pre`) and those after (`post`):

    array[pre, b, post]  <->  tensor at  offset(pre) + offsets[b] + offset(post)

**Order.** Whatever comes to one place comes in the order of b: the last writer wins, sums are added in this order. Threads
share a put by columns of `post`; by runs of b that cannot meet in one place, where the first coordinates are those of the
index itself; or by ranges of offsets, each of which one thread walks from the first b to the last.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from anfora.core.abstract import contiguous_strides
from anfora.core.dtype import float32, int64
from anfora.core.records import Record
from anfora.kernel import bodies, memory
from anfora.kernel.build import recipe
from anfora.kernel.emit import I64, Function, Module, Type, Value
from anfora.kernel.loops import HEADER, contiguous, merge_axes, plan_copy, raw
from anfora.kernel.plan import Buffer, Planner, split
from anfora.kernel.target import target

__all__ = ["COMBINE", "plan_put", "plan_take", "plan_take_last"]

_SHORT = 64  #: runs of at most so many bytes are copied element by element
_COLUMNS = 256  #: bytes of a run that a unit of a put keeps to itself, where runs are long


# -- locate -----------------------------------------------------------------------------------------------------------


class Places(Record):
    """The places that indices name in a tensor: their offsets, which axes are indexed, how many others stand before."""

    offsets: Buffer
    indexed: tuple[int, ...]
    position: int
    runs: int = 1  #: the offsets are so many runs of one length, of which no two name the same place


def places(p: Planner, form: tuple, indices: Sequence[Buffer], tensor: Buffer) -> Places:
    """Add the steps that work out the places of indices. `form` tells what the indices mean, one of

        ("arrays", axes, position, names)
            `indices[i]` holds indices along axis `axes[i]`; all are broadcast to one shape, whose axes stand before axis
            `position` of the others in the result. `names` are the numbers of the axes for messages.
        ("points",)
            the last axis of the only array holds the coordinates of a place along the first axes
        ("along", axis)
            element [i, j, k] of the only array means the place (i, index, k), for axis 1

    An index that is out of range fails, for arrays at its position · the number of arrays + the number of its array, else
    at its position.
    """
    if form[0] == "along":
        offsets = _along(p, indices[0], form[1], tensor.shape, tensor.strides)
        return Places(offsets, tuple(range(tensor.ndim)), 0, math.prod(indices[0].shape[: form[1]]))
    if form[0] == "points":
        indexed: tuple[int, ...] = tuple(range(indices[0].shape[-1]))
        position, apart = 0, len(indexed)
        arrays = [contiguous(p, indices[0])] * len(indexed)
        arrays = [array.moved(i * array.dtype.itemsize) for i, array in enumerate(arrays)]
        size = math.prod(indices[0].shape[:-1])
    else:
        _, indexed, position, _ = form
        shape = np.broadcast_shapes(*(index.shape for index in indices))
        arrays = [contiguous(p, index.broadcast(shape)) for index in indices]
        apart, size = 1, math.prod(shape)
    out = p.workspace(int64, size)
    if not indexed:  # every place is the whole tensor
        p.step(zero.address(), out, units=size, grain=size)
    for i, (array, axis) in enumerate(zip(arrays, indexed)):
        p.step(
            locate.address(array.code, i > 0), array, out, tensor.shape[axis], tensor.strides[axis], apart,
            len(arrays), i, units=size, grain=split(size, 0.8),
        )  # fmt: skip
    return Places(out, indexed, position)


@recipe
def zero() -> Module:
    """words: out"""
    fn = Function("kernel", [("ptr", "words")])
    lo, hi = fn.word(0), fn.word(1)
    fn.fill_bytes(fn.word(HEADER).pointer() + lo * 8, 0, (hi - lo) * 8)
    fn.ret(0)
    return fn.module


@recipe
def locate(code: str, adds: bool) -> Module:
    """words: index out | length, step | elements from an index to the next | arrays, number of this one"""
    fn = Function("kernel", [("ptr", "words")])
    index, out = (fn.word(HEADER + i).pointer() for i in range(2))
    length, step, apart, arrays, number = (fn.word(HEADER + 2 + i) for i in range(5))
    lanes = 8
    lo, hi = fn.word(0), fn.word(1)

    def place(i: Value, lanes: int) -> None:
        if lanes:
            raw = fn.load(index, Type(memory.storage(code), lanes), i)
        else:
            raw = fn.load(index, Type(memory.storage(code)), i * apart)
        place, bad = _wrapped(raw, length)
        with fn.when(fn.any_lane(bad)):
            fn.ret((i + fn.first_lane(bad)) * arrays + number + 1)
        offset = place * step
        if adds:
            offset = offset + fn.load(out, Type("i64", lanes), i)
        fn.store(offset, out, i)

    whole = fn.select(apart == 1, hi - (hi - lo) % lanes, lo)
    with fn.loop(lo, whole, lanes) as i:
        place(i, lanes)
    with fn.loop(whole, hi) as i:
        place(i, 0)
    fn.ret(0)
    return fn.module


def _wrapped(raw: Value, length: Value) -> tuple[Value, Value]:
    """Indices (any integer type) counted from the front, as i64, and which are out of range."""
    index = raw.to("i64")
    if not raw.type.is_unsigned:
        index = bodies.select(index < 0, index + length, index)
    limit = length.to("u64") if not index.type.lanes else raw.fn.splat(length, index.type.lanes).to("u64")
    return index, index.to("u64") >= limit


def _along(p: Planner, index: Buffer, axis: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> Buffer:
    """The offsets for indices along one axis, where the other coordinates are those of the index itself."""
    index = contiguous(p, index)
    out = p.workspace(int64, index.size)
    if index.size == 0:
        return out
    last = index.ndim - 1
    if last < 0:  # a single index into a single element
        index, last, axis, shape, strides = replace(index, shape=(1,), strides=(8,)), 0, 0, (1,), (0,)
    lengths, outer = _merged(index.shape[:-1], [0 if a == axis else strides[a] for a in range(last)])
    n = index.shape[-1]
    axes = [word for pair in zip(lengths[::-1], outer[::-1]) for word in pair]
    p.step(
        locate_along.address(index.code), index, out, n, shape[axis], strides[axis],
        0 if axis == last else strides[last], len(lengths), *axes,
        units=index.size // n, grain=split(index.size // n, n * 1.0 + 5),
    )  # fmt: skip
    return out


@recipe
def locate_along(code: str) -> Module:
    """A unit is a run along the last axis. words: index out | n | length, step | step of the last axis | rank | length,
    step of each other axis, the last one first"""
    fn = Function("kernel", [("ptr", "words")])
    index, out = (fn.word(HEADER + i).pointer() for i in range(2))
    n, length, step, along = (fn.word(HEADER + 2 + i) for i in range(4))
    lanes = 8
    numbers = fn.constants(list(range(lanes)), "i64")
    with fn.loop(fn.word(0), fn.word(1)) as unit:
        base = _offset(fn, unit, HEADER + 6)
        first = unit * n

        def place(j: Value, lanes: int, base: Value = base, first: Value = first) -> None:
            raw = fn.load(index, Type(memory.storage(code), lanes), first + j)
            place, bad = _wrapped(raw, length)
            with fn.when(fn.any_lane(bad)):
                fn.ret(first + j + fn.first_lane(bad) + 1)
            column = fn.splat(j, lanes) + numbers if lanes else j
            fn.store(place * step + column * along + base, out, first + j)

        whole = n - n % lanes
        with fn.loop(0, whole, lanes) as j:
            place(j, lanes)
        with fn.loop(whole, n) as j:
            place(j, 0)
    fn.ret(0)
    return fn.module


def _offset(fn: Function, number: Value, at: int | Value) -> Value:
    """The offset of combination `number` of axes that are described by words: rank, then length and stride of each,
    the last one first."""
    rest, total = fn.var(number), fn.var(0)
    with fn.loop(0, fn.word(at)) as axis:
        word = axis * 2 + 1 + at
        length = fn.word(word)
        left = rest.value // length
        total.add((rest.value - left * length) * fn.word(word + 1))
        rest.set(left)
    return total.value


def _merged(shape: Sequence[int], strides: Sequence[int]) -> tuple[list[int], list[int]]:
    """The fewest axes that walk one array in order; none for a single element."""
    lengths, steps = merge_axes(tuple(shape), [tuple(strides)])
    if math.prod(shape) == 1:
        return [], []
    return lengths, [step for (step,) in steps]


# -- where a tensor is taken from or put to ---------------------------------------------------------------------------


class Ground(Record):
    """The axes of a tensor that are not indexed, as words for the kernels."""

    buffer: Buffer
    pre: tuple[list[int], list[int]]  #: lengths and strides
    outer: tuple[list[int], list[int]]  #: of post without its last axis
    n: int  #: length of the last axis of post
    stride: int  #: its stride

    @classmethod
    def of(cls, buffer: Buffer, at: Places) -> Ground:
        buffer = raw(buffer)
        rest = [a for a in range(buffer.ndim) if a not in at.indexed]
        pre, post = rest[: at.position], rest[at.position :]
        outer, strides = _merged([buffer.shape[a] for a in post], [buffer.strides[a] for a in post])
        n, stride = (outer.pop(), strides.pop()) if outer else (1, buffer.dtype.itemsize)
        before = _merged([buffer.shape[a] for a in pre], [buffer.strides[a] for a in pre])
        return cls(buffer, before, (outer, strides), n, stride)

    @property
    def count(self) -> int:
        """Combinations of `pre`."""
        return math.prod(self.pre[0])

    @property
    def block(self) -> int:
        """Elements of `post`."""
        return math.prod(self.outer[0]) * self.n

    @property
    def kind(self) -> str:
        """How the elements of `post` lie: one, short or long runs without gaps, anyhow."""
        if self.outer[0] or self.stride != self.buffer.dtype.itemsize:
            return "any"
        return "one" if self.n == 1 else "short" if self.n * self.stride <= _SHORT else "long"

    def words(self) -> list[int]:
        words = []
        for lengths, strides in (self.pre, self.outer):
            pairs = zip(lengths[::-1], strides[::-1])
            words += [len(lengths), *(word for pair in pairs for word in pair)]
        return words


class _Runs:
    """Writes loops over the elements of `post` at a place."""

    def __init__(self, fn: Function, at: Value, n: Value, stride: Value, itemsize: int, kind: str) -> None:
        self.fn, self.at, self.n, self.stride, self.itemsize, self.kind = fn, at, n, stride, itemsize, kind

    def each(self, place: Value, array: Value, act: Callable[[Value, Value, Value, Value], None]) -> None:
        """Call `act(place, array, n, stride)` for each run; `place` and `array` are addresses (i64)."""
        fn = self.fn
        if self.kind != "any":
            act(place, array, self.n, fn.const(self.itemsize))
            return
        count = fn.var(1)
        with fn.loop(0, fn.word(self.at)) as axis:
            count.set(count.value * fn.word(axis * 2 + 1 + self.at))
        with fn.loop(0, count.value) as run:
            start = array + run * self.n * self.itemsize
            act(place + _offset(fn, run, self.at), start, self.n, self.stride)


# -- take -------------------------------------------------------------------------------------------------------------


def plan_take(p: Planner, form: tuple, indices: Sequence[Buffer], source: Buffer, out: Buffer) -> None:
    """Add the steps that take what lies at the places of indices; `out` has no gaps and the shape [pre, b, post]."""
    at = places(p, form, indices, source)
    ground, offsets = Ground.of(source, at), at.offsets
    nbytes = ground.block * source.dtype.itemsize
    units = ground.count * offsets.size
    if nbytes == 0:
        return
    p.step(
        take.address(ground.buffer.code, ground.kind), ground.buffer, offsets, out, offsets.size, nbytes, ground.n,
        ground.stride, *ground.words(), units=units, grain=split(units, 1.0 + 0.08 * nbytes),
    )  # fmt: skip


@recipe
def take(elem: str, kind: str) -> Module:
    """A unit is a place for one combination of pre. words: source offsets out | places | bytes of post | length and
    stride of a run | pre axes | outer post axes"""
    fn = Function("kernel", [("ptr", "words")])
    source, offsets, out = (fn.word(HEADER + i).pointer() for i in range(3))
    places, nbytes, n, stride = (fn.word(HEADER + 3 + i) for i in range(4))
    pre = HEADER + 7
    post = fn.word(pre) * 2 + 1 + pre
    item = Type(elem)
    unit, hi = fn.var(fn.word(0)), fn.word(1)
    runs = _Runs(fn, post, n, stride, item.bytes, kind)

    def copy(place: Value, array: Value, n: Value, stride: Value) -> None:
        there, here = array.pointer(), place.pointer()
        if kind == "one":
            fn.store(fn.load(here, item), there)
        elif kind == "long":
            fn.copy_bytes(there, here, n * item.bytes)
        else:
            with fn.loop(0, n) as j:
                fn.store(fn.load(here + j * stride, item), there, j)

    with fn.forever() as done:
        done.when(unit.value >= hi)
        before = unit.value // places
        base = source.address() + _offset(fn, before, pre)
        end = (before + 1) * places
        end = fn.select(end < hi, end, hi)
        first = before * places
        with fn.loop(unit.value, end) as u:
            place = base + fn.load(offsets, I64, u - first)
            if kind == "long":
                ahead = fn.select(u + 8 < end, u + 8, u)
                fn.prefetch((base + fn.load(offsets, I64, ahead - first)).pointer())
            runs.each(place, out.address() + u * nbytes, copy)
        unit.set(end)
    fn.ret(0)
    return fn.module


# -- put --------------------------------------------------------------------------------------------------------------


def _set(old: Value, new: Value) -> Value:
    return new


def _add(old: Value, new: Value) -> Value:
    return old | new if old.type.elem == "i1" else old + new


def _sub(old: Value, new: Value) -> Value:
    return old - new


def _mul(old: Value, new: Value) -> Value:
    return old * new


def _div(old: Value, new: Value) -> Value:
    return old / new if old.type.is_float else bodies.integer_trunc_divide(old, new)


#: What becomes of the old element of a place and the new one that comes to it.
COMBINE: dict[str, Callable[[Value, Value], Value]] = {
    "set": _set,
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "div": _div,
    "max": bodies.maximum,
    "min": bodies.minimum,
}


def plan_put(p: Planner, how: str, form: tuple, indices: Sequence[Buffer], values: Buffer, out: Buffer) -> None:
    """Add the steps that combine `values`, of the shape [pre, b, post] and converted, with what lies at the places.

    Half-precision sums and products are formed in float32 and rounded once.
    """
    if out.code in ("f16", "bf16") and how in ("add", "sub", "mul", "div"):
        wide = p.workspace(float32, *out.shape)
        plan_copy(p, out, wide)
        plan_put(p, how, form, indices, values, wide)
        plan_copy(p, wide, out)
        return
    at = places(p, form, indices, out)
    ground, offsets = Ground.of(out, at), at.offsets
    if ground.block * ground.count * offsets.size == 0:
        return
    if values.dtype is not out.dtype or not values.is_contiguous:
        array = p.workspace(out.dtype, *values.shape)
        plan_copy(p, values, array)
        values = array
    itemsize = out.dtype.itemsize
    count, nbytes = offsets.size, ground.block * itemsize
    columns, parts, runs = 1, 1, at.runs
    if runs > 1:
        pass
    elif ground.kind == "long" and nbytes >= 2 * _COLUMNS:
        columns = -(-nbytes // _COLUMNS)
    elif ground.count < 8:
        work = count * (1.5 + 0.1 * nbytes)
        parts = max(1, min(8, int(work / (count * 0.7)), int(work / 10_000)))
    reach = [s * (n - 1) for a, (n, s) in enumerate(zip(out.shape, out.strides)) if a in at.indexed]
    low, high = sum(min(r, 0) for r in reach), sum(max(r, 0) for r in reach)
    width = -(-(high - low + 1) // parts)
    units = ground.count * parts * columns * runs
    code = ground.buffer.code if how == "set" else out.code
    p.step(
        put.address(how, code, ground.kind), values, offsets, out, count, nbytes,
        ground.n, ground.stride, parts, width, low, columns, _COLUMNS // itemsize, runs, count // runs,
        *ground.words(),
        units=units, grain=split(units, count / runs * (1.0 + 0.1 * nbytes / columns / parts)),
    )  # fmt: skip


@recipe
def put(how: str, code: str, kind: str) -> Module:
    """A unit is a combination of pre, a run of offsets, a range of these and a block of columns. words: values offsets
    out | places | bytes of post | length and stride of a run of post | ranges, width of one, start of the first | blocks of
    columns, columns of one | runs of offsets, length of one | pre axes | outer post axes"""
    fn = Function("kernel", [("ptr", "words")])
    values, offsets, out = (fn.word(HEADER + i).pointer() for i in range(3))
    words = [fn.word(HEADER + 3 + i) for i in range(11)]
    places, nbytes, n, stride, parts, width, low, columns, column, apart, length = words
    pre = HEADER + 14
    post = fn.word(pre) * 2 + 1 + pre
    elem = memory.compute_elem(code)
    size = memory.code_bytes(code)
    combine = COMBINE[how]
    runs = _Runs(fn, post, n, stride, size, kind)

    def put_one(here: Value, there: Value, lanes: int = 0) -> None:
        new = memory.load(fn, here, code, elem, lanes)
        old = new if how == "set" else memory.load(fn, there, code, elem, lanes)
        memory.store(fn, combine(old, new), there, code)

    def put_run(place: Value, array: Value, n: Value, stride: Value) -> None:
        there, here = place.pointer(), array.pointer()
        if kind == "one":
            put_one(here, there)
        elif kind == "long" and how == "set":
            fn.copy_bytes(there, here, n * size)
        elif kind == "any":
            with fn.loop(0, n) as j:
                put_one(here + j * size, there + j * stride)
        else:
            lanes = target().vector_bytes // max(size, Type(elem).bytes)
            whole = n - n % lanes
            with fn.loop(0, whole, lanes) as j:
                put_one(here + j * size, there + j * size, lanes)
            with fn.loop(whole, n) as j:
                put_one(here + j * size, there + j * size)

    with fn.loop(fn.word(0), fn.word(1)) as unit:
        block = unit % columns
        rest = unit // columns
        start = low + (rest % parts) * width
        rest = rest // parts
        before, begin = rest // apart, rest % apart * length
        base = out.address() + _offset(fn, before, pre)
        array = values.address() + before * places * nbytes
        if kind == "long":
            first = block * column
            left = n - first
            runs.n = fn.select(left > column, column, left)
            runs.n = fn.select(columns == 1, n, runs.n)
            base, array = base + first * size, array + first * size
        with fn.loop(begin, begin + length) as b:
            offset = fn.load(offsets, I64, b)
            with fn.when((offset - start).to("u64") < width.to("u64")):
                runs.each(base + offset, array + b * nbytes, put_run)
    fn.ret(0)
    return fn.module


# -- the last writer --------------------------------------------------------------------------------------------------


def plan_take_last(p: Planner, form: tuple, indices: Sequence[Buffer], source: Buffer, out: Buffer) -> None:
    """Take as `plan_take`, but give zero for every b that is not the last to name its place."""
    plan_take(p, form, indices, source, out)
    at = places(p, form, indices, source)
    ground, count = Ground.of(source, at), at.offsets.size
    nbytes = ground.block * source.dtype.itemsize
    if nbytes == 0 or count == 0:
        return
    # The indexed axes alone, counted without gaps: place -> the b that was there last.
    lengths = tuple(source.shape[a] for a in at.indexed)
    steps = contiguous_strides(lengths, 1)
    counted = [steps[at.indexed.index(a)] if a in at.indexed else 0 for a in range(source.ndim)]
    numbers = places(p, form, indices, replace(source, strides=tuple(counted))).offsets
    owner = p.workspace(int64, max(math.prod(lengths), 1))
    p.step(own.address(), numbers, owner, units=count, grain=None)
    units = ground.count * count
    p.step(drop.address(), numbers, owner, out, count, nbytes, units=units, grain=split(units, 2.0))


@recipe
def own() -> Module:
    """words: numbers owner. All units in one chunk."""
    fn = Function("kernel", [("ptr", "words")])
    numbers, owner = (fn.word(HEADER + i).pointer() for i in range(2))
    with fn.loop(fn.word(0), fn.word(1)) as b:
        fn.store(b, owner, fn.load(numbers, I64, b))
    fn.ret(0)
    return fn.module


@recipe
def drop() -> Module:
    """words: numbers owner out | places, bytes of post"""
    fn = Function("kernel", [("ptr", "words")])
    numbers, owner, out = (fn.word(HEADER + i).pointer() for i in range(3))
    places, nbytes = fn.word(HEADER + 3), fn.word(HEADER + 4)
    with fn.loop(fn.word(0), fn.word(1)) as unit:
        b = unit % places
        with fn.when(fn.load(owner, I64, fn.load(numbers, I64, b)) != b):
            fn.fill_bytes(out + unit * nbytes, 0, nbytes)
    fn.ret(0)
    return fn.module
