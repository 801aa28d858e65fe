"""Elementwise kernels: the loops around scalar bodies.

A body takes one value for each input and gives one value, or a tuple, for the outputs. Two loops serve all shapes:

*flat*    every operand is contiguous or a single element. Units are elements.
          words: lo hi scratch | pointers of inputs, outputs

*nested*  any strides, negative and zero included, any number of axes.
          The last axis is walked in blocks of `BLOCK` elements; units are blocks.
          words: lo hi scratch | pointers | n, blocks in n, rank | strides of the last axis | for each outer axis,
          from the last to the first: length, strides       (strides in bytes, one for each operand)

The *pattern* tells how an operand moves along the last axis: `v` to the neighbour (vectors), `r` to the one before
(vectors that are turned around; inputs alone), `s` not at all, `g` by some stride (element by element).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from anfora.core import dtype as dt
from anfora.core.records import Record
from anfora.core.tensor import numpy_to_bfloat16
from anfora.kernel import memory
from anfora.kernel.build import recipe
from anfora.kernel.complexes import Complex
from anfora.kernel.compose import Composed
from anfora.kernel.emit import Function, Module, Type, Value
from anfora.kernel.plan import Buffer, Elements, Planner, split
from anfora.kernel.target import target
from anfora.kernel.transpose import plan_transpose

__all__ = [
    "BLOCK", "HEADER", "Operand", "contiguous", "elementwise", "identity", "merge_axes", "of_type", "plan_copy",
    "plan_elementwise", "plan_fill", "raw",
]  # fmt: skip

HEADER = 3  #: words in front of a kernel's own: first unit, end, scratch
BLOCK = 4096  #: elements of the last axis in a unit of the nested loop


class Operand(Record):
    """A buffer as a loop sees it: the type it holds, the machine type its values have in the body, how it moves."""

    code: str
    elem: str
    move: str  #: v, r, s or g

    @property
    def bytes(self) -> int:
        return memory.code_bytes(self.code)


@recipe
def elementwise(body: Callable, inputs: tuple[Operand, ...], outputs: tuple[Operand, ...], nested: bool) -> Module:
    """The kernel that applies `body`; returns 0, or 1 + the position of the first element that the body refused."""
    fn = Function("kernel", [("ptr", "words")])
    loop = _Loop(fn, body, inputs, outputs)
    pointers = [fn.word(HEADER + i).pointer() for i in range(len(inputs) + len(outputs))]
    if nested:
        _nested(fn, loop, pointers)
    else:
        lo, hi = fn.word(0), fn.word(1)
        loop.row([p + lo * b for p, b in zip(pointers, loop.steps)], hi - lo, lo)
    fn.ret(0)
    return fn.module


def _nested(fn: Function, loop: _Loop, pointers: list[Value]) -> None:
    count = len(pointers)
    base = HEADER + count
    n, blocks, rank = (fn.word(base + i) for i in range(3))
    inner = [fn.word(base + 3 + i) for i in range(count)]
    first_axis = base + 3 + count
    with fn.loop(fn.word(0), fn.word(1)) as unit:
        row = unit // blocks
        start = (unit - row * blocks) * BLOCK
        addresses = [fn.var(p.address() + start * s) for p, s in zip(pointers, inner)]
        rest = fn.var(row)
        with fn.loop(0, rank) as axis:
            at = axis * (count + 1) + first_axis
            length = fn.word(at)
            left = rest.value // length
            index = rest.value - left * length
            for i, address in enumerate(addresses):
                address.add(index * fn.word(at + (i + 1)))
            rest.set(left)
        size = n - start
        size = fn.select(size > BLOCK, BLOCK, size)
        loop.row([a.value.pointer() for a in addresses], size, row * n + start, inner)


class _Loop:
    """Writes the innermost loop: whole vectors, then the rest under a mask; or one element at a time."""

    def __init__(self, fn: Function, body: Callable, inputs: tuple[Operand, ...], outputs: tuple[Operand, ...]):
        self.fn, self.body, self.inputs, self.outputs = fn, body, inputs, outputs
        self.operands = inputs + outputs
        self.steps = [_SIGNS.get(op.move, 0) * op.bytes for op in self.operands]
        widest = max(max(Type(op.elem).bytes, op.bytes) for op in self.operands)
        if isinstance(body, Composed):
            widest = max(widest, body.widest)
        self.lanes = target().vector_bytes // widest

    def row(self, pointers: list[Value], n: Value, position: Value, strides: list[Value] | None = None) -> None:
        """Apply the body to `n` elements; `position` is the number of the first in the whole output."""
        fn = self.fn
        if any(op.move == "g" for op in self.operands):
            assert strides is not None
            with fn.loop(0, n) as i:
                self._step([p + i * s for p, s in zip(pointers, strides)], None, position + i, 0)
            return
        whole = n - n % self.lanes
        with fn.loop(0, whole, self.lanes) as i:
            self._step([p + i * b if b else p for p, b in zip(pointers, self.steps)], None, position + i, self.lanes)
        with fn.when(whole < n):
            mask = fn.mask(n - whole, self.lanes)
            at = [p + whole * b if b else p for p, b in zip(pointers, self.steps)]
            self._step(at, mask, position + whole, self.lanes)

    def _step(self, pointers: list[Value], mask: Value | None, position: Value, lanes: int) -> None:
        fn, count = self.fn, len(self.inputs)
        values = []
        for op, pointer in zip(self.inputs, pointers):
            if op.move == "s" and lanes:
                values.append(memory.splat(fn, memory.load(fn, pointer, op.code, op.elem, 0), lanes))
                continue
            is_turned = op.move == "r" and lanes
            if is_turned:  # they lie before it
                pointer = pointer + (1 - lanes) * op.bytes
            if mask is None:
                value = memory.load(fn, pointer, op.code, op.elem, lanes)
            else:
                there = memory.turned(fn, mask) if is_turned else mask
                value = memory.load_masked(fn, pointer, op.code, op.elem, there)
            values.append(memory.turned(fn, value) if is_turned else value)
        if mask is not None and getattr(self.body, "is_partial", False):
            values = [fn.select(mask, value, fn.splat(fn.lane(value, 0), lanes)) for value in values]
        fn.faults = []
        results = self.body(*values)
        for fault in fn.faults:
            self._refuse(fault if mask is None else fault & mask, position)
        for op, pointer, value in zip(self.outputs, pointers[count:], _tuple(results)):
            if mask is None:
                memory.store(fn, value, pointer, op.code)
            else:
                memory.store_masked(fn, value, pointer, op.code, mask)

    def _refuse(self, fault: Value, position: Value) -> None:
        fn = self.fn
        with fn.when(fn.any_lane(fault)):
            fn.ret(position + fn.first_lane(fault) + 1)


def _tuple(results: Value | tuple[Value, ...]) -> tuple[Value, ...]:
    return results if isinstance(results, tuple) else (results,)


# -- planning --------------------------------------------------------------------------------------------------------


def plan_elementwise(
    p: Planner,
    body: Callable,
    inputs: Sequence[tuple[Buffer, str]],
    outputs: Sequence[tuple[Buffer, str]],
    nanoseconds: float = 0.15,
) -> None:
    """Add the step that applies `body` to inputs, broadcast to the shape of the outputs.

    Args:
        body: a scalar body.
        inputs, outputs: buffers, each with the machine type that its values have in the body.
        nanoseconds: what an element costs, about; decides how the work is dealt.
    """
    shape = outputs[0][0].shape
    buffers = [buffer.broadcast(shape) for buffer, _ in inputs] + [buffer for buffer, _ in outputs]
    elems = [elem for _, elem in (*inputs, *outputs)]
    size = outputs[0][0].size
    if size == 0:
        return
    lengths, strides = merge_axes(shape, [buffer.strides for buffer in buffers])
    inner = strides[-1]
    flat = len(lengths) == 1
    count = len(inputs)
    operands = tuple(
        Operand(buffer.code, elem, _move(step, buffer.dtype.itemsize, is_input=i < count))
        for i, (buffer, elem, step) in enumerate(zip(buffers, elems, inner))
    )
    flat = flat and all(op.move != "g" for op in operands)
    kernel = elementwise.address(body, operands[:count], operands[count:], not flat)
    elements = Elements(body, tuple(inputs), tuple(outputs), nanoseconds)
    if flat:
        p.step(kernel, *buffers, units=size, grain=max(split(size, nanoseconds), 64), elements=elements)
        return
    n = lengths[-1]
    blocks = -(-n // BLOCK)
    axes = [word for length, step in zip(lengths[-2::-1], strides[-2::-1]) for word in (length, *step)]
    p.step(
        kernel, *buffers, n, blocks, len(lengths) - 1, *inner, *axes,
        units=size // n * blocks,
        grain=split(size // n * blocks, min(n, BLOCK) * nanoseconds + 10),
        elements=elements,
    )  # fmt: skip


def _move(step: int, itemsize: int, is_input: bool) -> str:
    if step == -itemsize and is_input:
        return "r"
    return "v" if step == itemsize else "s" if step == 0 else "g"


_SIGNS = {"v": 1, "r": -1}


def merge_axes(shape: tuple[int, ...], strides: list[tuple[int, ...]]) -> tuple[list[int], list[tuple[int, ...]]]:
    """The fewest axes that walk several arrays of one shape in order: lengths, and for each axis the stride of each
    array. Never empty: a single element is one axis whose strides are those of neighbours."""
    lengths: list[int] = []
    steps: list[tuple[int, ...]] = []
    for axis, length in enumerate(shape):
        if length == 1:
            continue
        step = tuple(s[axis] for s in strides)
        if lengths and all(outer == inner * length for outer, inner in zip(steps[-1], step)):
            lengths[-1] *= length
            steps[-1] = step
        else:
            lengths.append(length)
            steps.append(step)
    if not lengths:
        return [1], [tuple(0 for _ in strides)]
    return lengths, steps


def identity(x: Value) -> Value:
    """The body of a copy or a conversion."""
    return x


def plan_copy(p: Planner, source: Buffer, target: Buffer) -> None:
    """Add the step that copies `source`, broadcast and converted, to `target`."""
    elem = "i1" if target.code == "b1" else memory.compute_elem(target.code)  # 0.5 and 256 are true
    if source.dtype is target.dtype:
        source, target = _forwards(raw(source.broadcast(target.shape)), raw(target))
        elem = target.code
        if (
            source.size
            and target.dtype.itemsize <= 8
            and plan_transpose(p, source, target, *merge_axes(target.shape, [source.strides, target.strides]))
        ):
            return
    if source.dtype.is_complex and not (target.dtype.is_complex or target.dtype.is_bool):
        plan_elementwise(p, _real_part, [(source, source.code)], [(target, elem)])
        return
    plan_elementwise(p, identity, [(source, elem)], [(target, elem)])


def _real_part(z: Complex) -> Value:
    """The body of a conversion that loses imaginary parts: `eager/entry.py` says which operators may."""
    return z.re


def _forwards(source: Buffer, target: Buffer) -> tuple[Buffer, Buffer]:
    """The same pairs of elements, those of the target from the lowest address on: axes that go backwards are reversed."""
    if not target.size:
        return source, target
    backwards = [axis for axis, step in enumerate(target.strides) if step < 0]
    return source.backwards(*backwards), target.backwards(*backwards)


@recipe
def fill(elem: str) -> Module:
    """Set elements lo … hi of a contiguous buffer to the bits of a word. words: out | bits"""
    fn = Function("kernel", [("ptr", "words")])
    out, value = fn.word(HEADER).pointer(), fn.word(HEADER + 1).to(elem)
    lanes = target().lanes(elem)
    lo, hi = fn.word(0), fn.word(1)
    vector = fn.splat(value, lanes)
    whole = hi - (hi - lo) % lanes
    with fn.loop(lo, whole, lanes) as i:
        fn.store(vector, out, i)
    with fn.loop(whole, hi) as i:
        fn.store(value, out, i)
    fn.ret(0)
    return fn.module


def plan_fill(p: Planner, out: Buffer, value: float) -> None:
    """Add the step that sets every element of a contiguous buffer; of complex numbers to zero."""
    assert out.is_contiguous
    if out.dtype.is_complex:
        assert value == 0
        out = out.as_parts
    if out.dtype is dt.bfloat16:
        bits = int(numpy_to_bfloat16(np.array(value)).item())
    else:
        with np.errstate(all="ignore"):
            number = np.array(value).astype(out.dtype.storage)
        bits = int(number.view(f"u{out.dtype.itemsize}").item())
    bits -= (bits >> 63) << 64  # as a signed word
    p.step(fill.address(_UNSIGNED[out.dtype.itemsize].code), out, bits, units=out.size, grain=split(out.size, 0.05))


def of_type(p: Planner, buffer: Buffer, dtype: dt.DType) -> Buffer:
    """The buffer itself, or a copy in a workspace with its elements converted."""
    if buffer.dtype is dtype:
        return buffer
    copy = p.workspace(dtype, *buffer.shape)
    plan_copy(p, buffer, copy)
    return copy


def contiguous(p: Planner, buffer: Buffer) -> Buffer:
    """The buffer itself, or a contiguous copy in a workspace."""
    if buffer.is_contiguous:
        return buffer
    copy = p.workspace(buffer.dtype, *buffer.shape)
    plan_copy(p, buffer, copy)
    return copy


def raw(buffer: Buffer) -> Buffer:
    """The buffer seen as unsigned integers of the same size: for moving bits."""
    return replace(buffer, dtype=_PAIRS.get(buffer.dtype) or _UNSIGNED[buffer.dtype.itemsize])


_UNSIGNED = {1: dt.uint8, 2: dt.uint16, 4: dt.uint32, 8: dt.uint64}
#: Complex numbers that are only moved. They are told from integers, since their parts may be views.
_PAIRS = {
    dt.complex64: dt.DType("Bits64", "u64", "complex64", "c"),
    dt.complex128: dt.DType("Bits128", "u128", "complex128", "c"),
}
