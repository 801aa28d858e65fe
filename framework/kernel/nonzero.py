"""Which elements are not zero: how many, their coordinates, and what lies there.

The elements are cut into blocks. The set ones of each block are counted, the counts added up, and then every block knows
where to write.
"""

from __future__ import annotations

from anfora.core.dtype import bool_, int64
from anfora.kernel import memory
from anfora.kernel.build import recipe
from anfora.kernel.emit import I64, Function, Module, Type, Value
from anfora.kernel.irregular import irregular
from anfora.kernel.loops import HEADER, contiguous, plan_copy, plan_fill, raw
from anfora.kernel.plan import Buffer, Planner, split

__all__ = ["plan_count", "plan_positions", "plan_put_set", "plan_take_set"]

_BLOCK = 4096


def plan_count(p: Planner, x: Buffer, out: Buffer) -> None:
    """Add the steps that count the elements that are not zero."""
    counts = _plan_counts(p, x)
    p.step(add_up.address(), counts, counts, out, counts.size, units=1)


def plan_positions(p: Planner, x: Buffer, out: Buffer) -> None:
    """Add the steps that list the coordinates of the elements that are not zero, in order: `out` is (rank, count).

    Fails if there are not `count` of them, as when another thread writes to `x` meanwhile.
    """
    x = contiguous(p, x)
    rank, count = out.shape
    counts = _plan_counts(p, x)
    total = p.workspace(int64, 1)
    starts = p.workspace(int64, counts.size)
    p.step(add_up.address(), counts, starts, total, counts.size, units=1)
    blocks = counts.size
    if rank:
        p.step(
            positions.address(x.code, x.size < 2**32), x, starts, total, out, x.size, count, rank, *reversed(x.shape),
            units=blocks, grain=split(blocks, _BLOCK * 2.0), scratch=8 * _BLOCK,
        )  # fmt: skip


def _plan_counts(p: Planner, x: Buffer) -> Buffer:
    x = contiguous(p, x)
    blocks = -(-x.size // _BLOCK)
    counts = p.workspace(int64, max(blocks, 1))
    p.step(count_block.address(x.code), x, counts, x.size, units=max(blocks, 1), grain=split(blocks, _BLOCK * 0.2))
    return counts


def _is_set(raw: Value, code: str) -> Value:
    """Whether an element is not zero; NaN is not, -0 is."""
    if code in ("f16", "bf16"):
        return (raw & 0x7FFF) != 0
    return raw != 0


@recipe
def count_block(code: str) -> Module:
    """words: x counts | elements"""
    fn = Function("kernel", [("ptr", "words")])
    x, counts = (fn.word(HEADER + i).pointer() for i in range(2))
    size = fn.word(HEADER + 2)
    lanes = 16
    kind = Type(memory.storage(code))
    with fn.loop(fn.word(0), fn.word(1)) as unit:
        first = unit * _BLOCK
        end = first + _BLOCK
        end = fn.select(end > size, size, end)
        total = fn.var(fn.const(0, Type("i32", lanes)))
        whole = end - (end - first) % lanes
        with fn.loop(first, whole, lanes) as i:
            total.add(_is_set(fn.load(x, kind.vector(lanes), i), code).to("i32"))
        vector = total.value
        while vector.type.lanes > 1:
            low, high = fn.halves(vector)
            vector = low + high
        count = fn.var(fn.lane(vector, 0).to("i64"))
        with fn.loop(whole, end) as i:
            count.add(_is_set(fn.load(x, kind, i), code).to("i64"))
        fn.store(count.value, counts, unit)
    fn.ret(0)
    return fn.module


@recipe
def add_up() -> Module:
    """words: counts starts total | blocks. One unit."""
    fn = Function("kernel", [("ptr", "words")])
    counts, starts, total = (fn.word(HEADER + i).pointer() for i in range(3))
    so_far = fn.var(0)
    with fn.loop(0, fn.word(HEADER + 3)) as block:
        count = fn.load(counts, I64, block)
        fn.store(so_far.value, starts, block)
        so_far.add(count)
    fn.store(so_far.value, total)
    fn.ret(0)
    return fn.module


@recipe
def positions(code: str, narrow: bool) -> Module:
    """Each block lists the numbers of its set elements in the scratch, without a branch, and then takes them apart.
    words: x starts total out | elements, count, rank | lengths, the last one first"""
    fn = Function("kernel", [("ptr", "words")])
    x, starts, total, out = (fn.word(HEADER + i).pointer() for i in range(4))
    size, count, rank = (fn.word(HEADER + 4 + i) for i in range(3))
    with fn.when(fn.load(total, I64) != count):
        fn.ret(1)
    kind, list_ = Type(memory.storage(code)), fn.word(2).pointer()
    elem = "u32" if narrow else "i64"  # division of 32 bits is faster
    with fn.loop(fn.word(0), fn.word(1)) as unit:
        first = unit * _BLOCK
        end = first + _BLOCK
        end = fn.select(end > size, size, end)
        found = fn.var(0)
        with fn.loop(first, end) as i:
            fn.store(i, list_, found.value)
            found.add(_is_set(fn.load(x, kind, i), code).to("i64"))
        start = fn.load(starts, I64, unit)
        room = count - start  # the elements may be written meanwhile
        with fn.loop(0, fn.select(found.value < room, found.value, room)) as j:
            rest = fn.var(fn.load(list_, I64, j).to(elem))
            with fn.loop(0, rank - 1) as axis:
                length = fn.word(axis + (HEADER + 7)).to(elem)
                left = rest.value // length
                fn.store((rest.value - left * length).to("i64"), out, (rank - 1 - axis) * count + start + j)
                rest.set(left)
            fn.store(rest.value.to("i64"), out, start + j)
    fn.ret(0)
    return fn.module


# -- what lies there --------------------------------------------------------------------------------------------------


def plan_put_set(p: Planner, x: Buffer, mask: Buffer, values: Buffer, out: Buffer) -> None:
    """Add the step that writes x with the first of `values` where a mask is not zero. Where there are too few of them, it
    fails at the number that is needed."""
    parts = [raw_parts(contiguous(p, each)) for each in (x, values if values.size else x, out)]
    width, code = parts[0].size // max(x.size, 1), parts[0].code
    mask = _as_bytes(p, mask)
    p.step(
        put_set.address(T=code), parts[0], mask, parts[1], parts[2], x.size, values.size, width, units=min(x.size, 1)
    )


def plan_take_set(p: Planner, x: Buffer, mask: Buffer, out: Buffer) -> None:
    """Add the steps that list what lies where a mask is not zero, and zeros behind it. Where there is more than `out`
    holds, the steps fail at the number of all."""
    plan_fill(p, out, 0)
    parts = [raw_parts(contiguous(p, each)) for each in (x, out)]
    width = parts[0].size // max(x.size, 1)
    mask = _as_bytes(p, mask)
    p.step(take_set.address(T=parts[0].code), parts[0], mask, parts[1], x.size, out.size, width, units=min(x.size, 1))


def raw_parts(x: Buffer) -> Buffer:
    """A contiguous buffer as integers: complex numbers as pairs of these."""
    return raw(x.as_parts if x.dtype.is_complex else x)


def _as_bytes(p: Planner, mask: Buffer) -> Buffer:
    """A mask as 0 and 1, one byte each."""
    if mask.dtype is bool_ and mask.is_contiguous:
        return raw(mask)
    truths = p.workspace(bool_, *mask.shape)
    plan_copy(p, mask, truths)
    return raw(truths)


@irregular
def put_set(lo, hi, scratch, x: "T*", mask: "u8*", values: "T*", out: "T*", length, given, width):
    used, last = 0, max(given - 1, 0)
    for i in range(length):
        for j in range(width):
            new, old = values[min(used, last) * width + j], x[i * width + j]  # both read: a branch costs more
            out[i * width + j] = new if mask[i] else old
        used += mask[i]
    return used + 1 if used > given else 0


@irregular
def take_set(lo, hi, scratch, x: "T*", mask: "u8*", out: "T*", length, room, width):
    found = 0
    for i in range(length):
        if mask[i]:
            if found < room:
                for j in range(width):
                    out[found * width + j] = x[i * width + j]
            found += 1
    return found + 1 if found > room else 0
