"""Sorting along an axis, the k best of a row, and binary search.

Elements are sorted by *keys*: unsigned integers that compare as the elements do. Of a float with the bits b the key is ~b
where the sign is set and b with the sign set where it is not; -0 gets the key of +0, NaN the largest. The complement of a
key sorts downwards. Equal keys keep their order, so the result is one certain permutation, whatever algorithm finds it.

*Rows* of up to `_LONG` elements of at most 32 bits are packed as (key, position) into 64 bits and sorted by radix, digit
by digit from the last, one row a unit. Longer rows, and rows of 64-bit elements, become pairs of a key and a position:
pieces of them are sorted, and merged pairwise in passes. *The k best*, for small k, are kept in a list that is compared
with whole vectors of elements: after a while hardly any gets in.
"""

from __future__ import annotations

import numpy as np

from anfora.core.dtype import int32, uint64
from anfora.kernel import bodies, memory
from anfora.kernel.build import recipe
from anfora.kernel.emit import I64, Function, Module, Type, Value
from anfora.kernel.irregular import irregular
from anfora.kernel.loops import HEADER, contiguous, plan_copy
from anfora.kernel.plan import Buffer, Planner, split
from anfora.kernel.reduce_parts import WIDTH

__all__ = ["plan_pick", "plan_search", "plan_sort"]

_LONG = 1 << 16  #: elements of a row that is sorted in one go
_PIECE = 1 << 15  #: elements that are sorted, or merged, by one unit
_FEW = 64  #: of at most so many best a list is kept

_RAW = {1: "u8", 2: "u16", 4: "u32", 8: "u64"}


def _key_words(x: Buffer, descending: bool) -> list[int]:
    """Sign bit, bits of infinity (0 where there are no floats), bits that are flipped at last."""
    bits = 8 * x.dtype.itemsize
    sign = 1 << (bits - 1) if x.dtype.kind in "if" else 0
    infinity = {"f16": 0x7C00, "bf16": 0x7F80, "f32": 0x7F800000, "f64": 0x7FF0 << 48}.get(x.code, 0)
    flip = (1 << bits) - 1 if descending else 0
    return [_word(sign), infinity, _word(flip)]


def _word(bits: int) -> int:
    """64 bits as a signed word."""
    return bits - (1 << 64) if bits >> 63 else bits


def plan_sort(
    p: Planner, x: Buffer, values: Buffer, positions: Buffer, axis: int, descending: bool = False, best: bool = False
) -> None:
    """Add the steps that sort along an axis, or with `best` only find what comes first.

    Args:
        x: any shape and strides.
        values, positions: contiguous; of the shape of `x`, but for the axis: as many elements as are wanted. Positions are
            int32.
        axis: the axis to sort along.
        descending: largest first.
    """
    if values.size == 0:
        return
    if not x.ndim:
        x, values, positions, axis = x.reshaped(1), values.reshaped(1), positions.reshaped(1), 0
    if axis != x.ndim - 1:
        order = (*(i for i in range(x.ndim) if i != axis), axis)
        x, real_values, real_positions = (b.permuted(order) for b in (x, values, positions))
        values, positions = (p.workspace(b.dtype, *b.shape) for b in (real_values, real_positions))
        _plan_rows(p, contiguous(p, x), values, positions, descending, best)
        plan_copy(p, values, real_values)
        plan_copy(p, positions, real_positions)
        return
    _plan_rows(p, contiguous(p, x), values, positions, descending, best)


def _plan_rows(p: Planner, x: Buffer, values: Buffer, positions: Buffer, descending: bool, best: bool) -> None:
    length, wanted = x.shape[-1], values.shape[-1]
    count = x.size // length
    raw = _RAW[x.dtype.itemsize]
    words = [length, wanted, *_key_words(x, descending)]
    if best and wanted <= _FEW and wanted * 4 <= length:
        cost = length * 0.25 + wanted * wanted * 6
        kernel = keep_best.address(x.code, descending)
        p.step(kernel, x, values, positions, length, wanted, units=count, grain=split(count, cost), scratch=16 * _FEW)
    elif length <= _LONG and raw != "u64":
        kernel = sort_packed.address(T=raw)
        scratch = 16 * length + 4 * 256 * 8
        digits = x.dtype.itemsize
        p.step(
            kernel, x, values, positions, *words, digits,
            units=count, grain=split(count, length * (4 + 3 * digits)), scratch=scratch,
        )  # fmt: skip
    else:
        places = _plan_pairs(p, x, words, count, length, raw)
        kernel = take_sorted.address(T=raw)
        p.step(kernel, x, places, values, positions, length, wanted, units=count, grain=split(count, wanted * 2))


def _plan_pairs(p: Planner, x: Buffer, words: list[int], count: int, length: int, raw: str) -> Buffer:
    """Add the steps that sort rows as pairs; gives their positions."""
    keys, places = p.workspace(uint64, count, length), p.workspace(int32, count, length)
    size = min(_PIECE, length)
    pieces = -(-length // size)
    digits = x.dtype.itemsize
    p.step(
        sort_pieces.address(T=raw), x, keys, places, length, pieces, size, *words[2:], digits,
        units=count * pieces, grain=split(count * pieces, size * (4 + 5 * digits)),
        scratch=16 * size + 8 * 256 * 8,
    )  # fmt: skip
    if pieces > 1:
        others = p.workspace(uint64, count, length), p.workspace(int32, count, length)
        run = _PIECE
        while run < length:
            p.step(merge.address(), keys, places, *others, length, pieces, size, run, units=count * pieces, grain=1)
            (keys, places), others = others, (keys, places)
            run *= 2
    return places


def _ordered(bits, sign_bit, largest, top):
    """The unsigned integer in whose order elements are sorted: the key of the head of this file, upwards."""
    rest = sign_bit - np.uint64(1)
    key = bits ^ sign_bit
    if largest != 0:
        size = bits & rest
        if size > largest:
            key = top
        elif size == 0:
            key = sign_bit
        elif bits > rest:
            key = top ^ bits
    return key


@irregular
def sort_packed(
    lo, hi, scratch: "u64*", x: "T*", values: "T*", positions: "i32*", length, wanted, sign, infinity, flip, digits
):
    """A unit is a row, of elements of `digits` bytes."""
    low = np.uint64(0xFFFFFFFF)
    sign_bit = np.uint64(sign)
    largest = np.uint64(infinity)
    flipped = np.uint64(flip)
    top = np.uint64((1 << (8 * digits)) - 1)
    for row in range(lo, hi):
        start = row * length
        for i in range(length):
            key = _ordered(np.uint64(x[start + i]), sign_bit, largest, top)
            scratch[i] = ((key ^ flipped) << np.uint64(32)) | np.uint64(i)
        here = 0
        if length <= 48:
            for i in range(1, length):
                item = scratch[i]
                j = i - 1
                while j >= 0 and scratch[j] > item:
                    scratch[j + 1] = scratch[j]
                    j -= 1
                scratch[j + 1] = item
        else:
            counts = 2 * length
            for i in range(256 * digits):
                scratch[counts + i] = 0
            for i in range(length):
                key = scratch[i] >> np.uint64(32)
                for digit in range(digits):
                    place = counts + 256 * digit + np.int64((key >> np.uint64(8 * digit)) & np.uint64(255))
                    scratch[place] += np.uint64(1)
            there = length
            for digit in range(digits):
                shift = np.uint64(32 + 8 * digit)
                table = counts + 256 * digit
                first = table + np.int64((scratch[here] >> shift) & np.uint64(255))
                if scratch[first] == np.uint64(length):
                    continue  # one digit for all
                total = np.uint64(0)
                for i in range(256):
                    number = scratch[table + i]
                    scratch[table + i] = total
                    total += number
                for i in range(length):
                    item = scratch[here + i]
                    slot = table + np.int64((item >> shift) & np.uint64(255))
                    scratch[there + np.int64(scratch[slot])] = item
                    scratch[slot] += np.uint64(1)
                here, there = there, here
        for i in range(wanted):
            place = np.int64(scratch[here + i] & low)
            positions[row * wanted + i] = place
            values[row * wanted + i] = x[start + place]
    return 0


@irregular
def sort_pieces(
    lo, hi, scratch: "u64*", x: "T*", keys: "u64*", places: "i32*", length, pieces, size, sign, infinity, flip, digits
):
    """A unit is a piece of a row: its keys and their positions in the row, sorted."""
    sign_bit = np.uint64(sign)
    largest = np.uint64(infinity)
    flipped = np.uint64(flip)
    top = np.uint64(0xFFFFFFFFFFFFFFFF) >> np.uint64(64 - 8 * digits)
    for unit in range(lo, hi):
        row = unit // pieces
        begin = (unit - row * pieces) * size
        count = min(size, length - begin)
        start = row * length + begin
        counts = 2 * size  # in the scratch: keys, positions, counts
        for i in range(256 * digits):
            scratch[counts + i] = 0
        for i in range(count):
            key = _ordered(np.uint64(x[start + i]), sign_bit, largest, top) ^ flipped
            keys[start + i] = key
            places[start + i] = begin + i
            for digit in range(digits):
                slot = counts + 256 * digit + np.int64((key >> np.uint64(8 * digit)) & np.uint64(255))
                scratch[slot] += np.uint64(1)
        inside = False  # whether the items are in the scratch
        for digit in range(digits):
            shift = np.uint64(8 * digit)
            table = counts + 256 * digit
            first = scratch[0] if inside else keys[start]
            if scratch[table + np.int64((first >> shift) & np.uint64(255))] == np.uint64(count):
                continue  # one digit for all
            total = np.uint64(0)
            for i in range(256):
                number = scratch[table + i]
                scratch[table + i] = total
                total += number
            if inside:
                for i in range(count):
                    key = scratch[i]
                    slot = table + np.int64((key >> shift) & np.uint64(255))
                    place = np.int64(scratch[slot])
                    scratch[slot] += np.uint64(1)
                    keys[start + place] = key
                    places[start + place] = np.int64(scratch[size + i])
            else:
                for i in range(count):
                    key = keys[start + i]
                    slot = table + np.int64((key >> shift) & np.uint64(255))
                    place = np.int64(scratch[slot])
                    scratch[slot] += np.uint64(1)
                    scratch[place] = key
                    scratch[size + place] = np.uint64(places[start + i])
            inside = not inside
        if inside:
            for i in range(count):
                keys[start + i] = scratch[i]
                places[start + i] = np.int64(scratch[size + i])
    return 0


@irregular
def merge(
    lo, hi, scratch, keys: "u64*", places: "i32*", new_keys: "u64*", new_places: "i32*", length, pieces, size, run
):
    """A unit is a piece of a row: its part of the merge of two neighbouring runs."""
    for unit in range(lo, hi):
        row = unit // pieces
        begin = (unit - row * pieces) * size
        end = min(begin + size, length)
        base = row * length
        first = begin // (2 * run) * (2 * run)
        middle = min(first + run, length)
        last = min(first + 2 * run, length)
        skip = begin - first  # elements of both runs that other units merge: how many of the left run?
        low, high = max(0, skip - (last - middle)), min(skip, middle - first)
        while low < high:
            half = (low + high) // 2
            if keys[base + first + half] <= keys[base + middle + skip - 1 - half]:
                low = half + 1
            else:
                high = half
        i, j = base + first + low, base + middle + skip - low
        left_end, right_end = base + middle, base + last
        for k in range(base + begin, base + end):
            if j >= right_end or (i < left_end and keys[i] <= keys[j]):
                new_keys[k] = keys[i]
                new_places[k] = places[i]
                i += 1
            else:
                new_keys[k] = keys[j]
                new_places[k] = places[j]
                j += 1
    return 0


@irregular
def take_sorted(lo, hi, scratch, x: "T*", places: "i32*", values: "T*", positions: "i32*", length, wanted):
    """A unit is a row: what stands at its first positions."""
    for row in range(lo, hi):
        for i in range(wanted):
            place = places[row * length + i]
            positions[row * wanted + i] = place
            values[row * wanted + i] = x[row * length + place]
    return 0


# -- the best of a row ------------------------------------------------------------------------------------------------


def _key(value: Value, descending: bool) -> Value:
    """What is compared, as signed integers of 32 or 64 bits: smallest first."""
    fn = value.fn
    if value.type.is_float:
        integer, bits = ("i64", 64) if value.type.elem == "f64" else ("i32", 32)
        plain = (value + 0.0).bitcast(integer)  # -0 becomes +0
        key = plain ^ ((plain >> (bits - 1)) & ((1 << (bits - 1)) - 1))
        key = bodies.select(bodies.is_nan(value), fn.const((1 << (bits - 1)) - 1, key.type), key)
    elif value.type.bits == 64:
        key = value.bitcast("i64") ^ -(1 << 63) if value.type.is_unsigned else value
    elif value.type.elem == "u32":
        key = value.bitcast("i32") ^ -(1 << 31)
    else:
        key = value.to("i32")
    return ~key if descending else key


@recipe
def keep_best(code: str, descending: bool) -> Module:
    """A unit is a row. words: x values positions | length wanted"""
    fn = Function("kernel", [("ptr", "words")])
    x, values, positions = (fn.word(HEADER + i).pointer() for i in range(3))
    length, wanted = (fn.word(HEADER + 3 + i) for i in range(2))
    keys = fn.word(2).pointer()
    places = keys + _FEW * 8
    elem, raw = memory.compute_elem(code), Type(memory.storage(code))
    size = raw.bytes
    position = fn.var(0)

    def insert(key: Value, place: Value, last: Value) -> None:
        """Put an item into the list before `last`; equal keys stay in front of it."""
        position.set(last)
        with fn.forever() as exit:
            exit.when(position.value == 0)
            before = fn.load(keys, I64, position.value - 1)
            exit.when(before <= key)
            fn.store(before, keys, position.value)
            fn.store(fn.load(places, I64, position.value - 1), places, position.value)
            position.add(-1)
        fn.store(key, keys, position.value)
        fn.store(place, places, position.value)

    with fn.loop(fn.word(0), fn.word(1)) as row:
        start = x + row * length * size
        with fn.loop(0, wanted) as i:
            insert(_key(memory.load(fn, start, code, elem, 0, i), descending).to("i64"), i, i)
        limit = fn.var(fn.load(keys, I64, wanted - 1))
        limit.set(fn.load(keys, I64, wanted - 1))
        with fn.loop(wanted, length, WIDTH) as i:
            mask = fn.mask(length - i, WIDTH)
            key = _key(memory.load_masked(fn, start, code, elem, mask, i), descending)
            better = (key < fn.splat(limit.value.to(key.type.elem), WIDTH)) & mask
            with fn.when(fn.any_lane(better)):
                bits = fn.var(fn.emit(Type(f"i{WIDTH}"), f"bitcast {better.typed()} to i{WIDTH}"))
                bits.set(fn.emit(Type(f"i{WIDTH}"), f"bitcast {better.typed()} to i{WIDTH}"))
                with fn.forever() as exit:
                    exit.when(bits.value == 0)
                    place = i + _first_bit(fn, bits.value)
                    bits.set(bits.value & (bits.value - 1))
                    new = _key(memory.load(fn, start, code, elem, 0, place), descending).to("i64")
                    with fn.when(new < limit.value):
                        insert(new, place, wanted - 1)
                        limit.set(fn.load(keys, I64, wanted - 1))
        with fn.loop(0, wanted) as i:
            place = fn.load(places, I64, i)
            fn.store(place.to("i32"), positions, row * wanted + i)
            fn.store(fn.load(start, raw, place), values, row * wanted + i)
    fn.ret(0)
    return fn.module


def _first_bit(fn: Function, bits: Value) -> Value:
    name = f"llvm.cttz.{bits.type}"
    fn.module.declare(name, f"declare {bits.type} @{name}({bits.type}, i1)")
    return fn.emit(bits.type, f"call {bits.type} @{name}({bits.typed()}, i1 false)").to("i64")


# -- one of a row -----------------------------------------------------------------------------------------------------


def plan_pick(p: Planner, x: Buffer, value: Buffer, position: Buffer, axis: int, rule: str, rank: int = 0) -> None:
    """Add the steps that find one element along an axis by its rank.

    Args:
        x: any shape and strides.
        value, position: contiguous, of the shape of the other axes; positions are int64.
        rule: `rank` takes number `rank` of the sorted elements; `median` the lower of those in the middle, or the first
            NaN; `nanmedian` the lower of those in the middle that are not NaN.
    """
    if value.size == 0:
        return
    if not x.ndim:
        x, axis = x.reshaped(1), 0
    order = (*(i for i in range(x.ndim) if i != axis), axis)
    x = contiguous(p, x.permuted(order))
    length = x.shape[-1]
    wanted = min(length, (rank if rule == "rank" else (length - 1) // 2) + 1) if rule == "rank" else length
    ranked, places = p.workspace(x.dtype, *x.shape[:-1], wanted), p.workspace(int32, *x.shape[:-1], wanted)
    _plan_rows(p, x, ranked, places, False, rule == "rank")
    infinity = _key_words(x, False)[1]
    kernel = pick.address(T=_RAW[x.dtype.itemsize])
    rules = {"rank": 0, "median": 1, "nanmedian": 2}
    count = value.size
    p.step(
        kernel, ranked, places, value, position, wanted, rules[rule], rank, infinity, 8 * x.dtype.itemsize,
        units=count, grain=split(count, 10),
    )  # fmt: skip


@irregular
def pick(
    lo, hi, scratch, ranked: "T*", places: "i32*", value: "T*", position: "i64*", length, rule, rank, infinity, width
):
    """A unit is a sorted row. NaN stand at its end."""
    rest = np.uint64((1 << (width - 1)) - 1)
    largest = np.uint64(infinity)
    for row in range(lo, hi):
        numbers = length
        if largest != 0 and rule > 0:
            while numbers > 0 and (np.uint64(ranked[row * length + numbers - 1]) & rest) > largest:
                numbers -= 1
        at = rank
        if rule == 1:
            at = (length - 1) // 2 if numbers == length else numbers
        elif rule == 2:
            at = max(numbers - 1, 0) // 2
        value[row] = ranked[row * length + at]
        position[row] = places[row * length + at]
    return 0


# -- search -----------------------------------------------------------------------------------------------------------


def plan_search(p: Planner, edges: Buffer, x: Buffer, out: Buffer, right: bool) -> None:
    """Add the step that finds where values belong in sorted rows.

    Args:
        edges: (n,), or (*rows, n), each row ascending.
        x: of the element type of `edges`; any shape, or (*rows, m).
        out: contiguous, of the shape of `x`, int32 or int64: how many of `edges` are less than the value (or, `right`, not
            greater). NaN counts as the largest.
    """
    if out.size == 0:
        return
    length = edges.shape[-1]
    many = x.shape[-1] if edges.ndim > 1 else x.size
    edges, x = contiguous(p, edges), contiguous(p, x)
    kernel = search.address(T=edges.code, I=out.code)
    p.step(
        kernel,
        edges,
        x,
        out,
        length,
        many,
        int(right),
        units=out.size,
        grain=split(out.size, 5 + 4 * length.bit_length()),
    )


@irregular
def search(lo, hi, scratch, edges: "T*", x: "T*", out: "I*", length, many, right):
    """A unit is a value; `many` of them share a row of edges."""
    for unit in range(lo, hi):
        base = unit // many * length
        value = x[unit]
        low, high = 0, length
        while low < high:
            half = (low + high) // 2
            edge = edges[base + half]
            if right == 1:
                goes_on = edge <= value or value != value
            else:
                goes_on = edge < value or (value != value and edge == edge)
            if goes_on:
                low = half + 1
            else:
                high = half
        out[unit] = low
    return 0
