"""Random numbers by Philox 4x32-10 (Salmon, Moraes, Dror & Shaw, SC 2011).

A counter of 128 bits and a key of 64 bits give four words of 32 random bits. The key is the seed; the low 64 bits of the
counter count, the high ones are zero. Sixteen counters are worked on at once, so that their words fill vectors:

    block b, from `offset` on, uses the counters offset + 16 b … offset + 16 b + 15
    32-bit numbers:  element 64 b + 16 w + l  is word w of the counter number l of the block: 64 elements a block
    64-bit numbers:  element 32 b + 16 h + l  is made of the words 2 h (low) and 2 h + 1 (high): 32 elements a block

This order is part of what a seed means; it does not depend on the machine's vectors, on threads or on chunks. A draw of n
numbers uses up all counters of its blocks.

What becomes of the words is said by a body:

    body(draw, inputs) -> outputs

`draw.words` are the 4 vectors of 16 u32; `inputs` and outputs are lists with a value for each part of 16 elements, 4 or
2 of them.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from anfora.kernel import bodies, memory
from anfora.kernel.build import recipe
from anfora.kernel.emit import I64, Function, Module, Type, Value
from anfora.kernel.loops import HEADER, contiguous
from anfora.kernel.plan import Buffer, Planner, split

__all__ = [
    "COUNTERS", "Draw", "counters", "elements", "normals", "philox", "plan_draw", "scaled", "turn", "uniform", "uniform64",
]  # fmt: skip

COUNTERS = 16  #: a block
_MULTIPLY = (0xD2511F53, 0xCD9E8D57)
_WEYL = (0x9E3779B9, 0xBB67AE85)
_ROUNDS = 10


def elements(wide: bool) -> int:
    """Numbers of a block: 32-bit ones, or 64-bit ones."""
    return 2 * COUNTERS if wide else 4 * COUNTERS


def counters(count: int, wide: bool) -> int:
    """Counters that a draw of so many numbers uses up."""
    return -(-count // elements(wide)) * COUNTERS


def philox(counter: tuple[Value, Value, Value, Value], key: tuple[Value, Value]) -> list[Value]:
    """The four words of counters, all u32, vectors or scalars."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for number in range(_ROUNDS):
        if number:
            k0, k1 = k0 + _WEYL[0], k1 + _WEYL[1]
        high0, low0 = _wide_product(c0, _MULTIPLY[0])
        high1, low1 = _wide_product(c2, _MULTIPLY[1])
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
    return [c0, c1, c2, c3]


def _wide_product(x: Value, factor: int) -> tuple[Value, Value]:
    product = x.to("u64") * factor
    return (product >> 32).to("u32"), product.to("u32")


@dataclass
class Draw:
    """The random bits of a block."""

    fn: Function
    words: list[Value]  #: 4 vectors of 16 u32
    first: Value  #: number of the first element of the block
    numbers: tuple[Value, ...]  #: the parameters of the step, as words: i64, or the bits of a float64

    def real(self, number: int) -> Value:
        """A parameter that is a float64."""
        return self.numbers[number].bitcast("f64")

    @property
    def pairs(self) -> list[Value]:
        """2 vectors of 16 u64."""
        return [self.words[h].to("u64") | (self.words[h + 1].to("u64") << 32) for h in (0, 2)]


Body = Callable[[Draw, list[list[Value]]], list[list[Value]]]


def plan_draw(
    p: Planner,
    body: Body,
    seed: Buffer,
    offset: Buffer,
    inputs: Sequence[tuple[Buffer, str]],
    outputs: Sequence[tuple[Buffer, str]],
    wide: bool,
    nanoseconds: float,
    numbers: Sequence[float] = (),
) -> None:
    """Add the step that applies a body to random bits, and inputs, for each element of the outputs.

    Args:
        body: see the head of this file.
        seed, offset: 0-d int64 buffers.
        inputs: buffers whose shapes broadcast to that of the outputs, with the machine types of their values.
        outputs: contiguous buffers, with the machine types of their values.
        wide: whether an element takes 64 bits.
        nanoseconds: what an element costs, about.
        numbers: parameters, for `draw.numbers`: ints, or floats.
    """
    size = outputs[0][0].size
    prepared = []
    for buffer, elem in inputs:
        single = buffer.size == 1 and size != 1
        buffer = buffer if single else contiguous(p, buffer.broadcast(outputs[0][0].shape))
        prepared.append((buffer, elem, single))
    blocks = -(-size // elements(wide))
    p.step(
        block.address(
            body, tuple((b.code, elem, single) for b, elem, single in prepared),
            tuple((b.code, elem) for b, elem in outputs), wide, len(numbers),
        ),
        seed, offset, *(b for b, _, _ in prepared), *(b for b, _ in outputs), size, *map(_word, numbers),
        units=blocks, grain=split(blocks, elements(wide) * nanoseconds),
    )  # fmt: skip


def _word(number: float) -> int:
    return number if isinstance(number, int) else struct.unpack("<q", struct.pack("<d", number))[0]


@recipe
def block(
    body: Body,
    inputs: tuple[tuple[str, str, bool], ...],
    outputs: tuple[tuple[str, str], ...],
    wide: bool,
    numbers: int,
) -> Module:
    """A unit is a block. words: seed offset inputs outputs | elements | numbers"""
    fn = Function("kernel", [("ptr", "words")])
    seed, offset = (fn.load(fn.word(HEADER + i).pointer(), I64) for i in range(2))
    pointers = [fn.word(HEADER + 2 + i).pointer() for i in range(len(inputs) + len(outputs))]
    size = fn.word(HEADER + 2 + len(pointers))
    given = tuple(fn.word(HEADER + 3 + len(pointers) + i) for i in range(numbers))
    lanes, parts = COUNTERS, elements(wide) // COUNTERS
    key = fn.splat(seed.to("u32"), lanes), fn.splat((seed.to("u64") >> 32).to("u32"), lanes)
    zero = fn.const(0, Type("u32", lanes))
    steps = fn.constants(list(range(lanes)), "u64")
    with fn.loop(fn.word(0), fn.word(1)) as unit:
        counter = fn.splat((offset + unit * lanes).to("u64"), lanes) + steps
        words = philox((counter.to("u32"), (counter >> 32).to("u32"), zero, zero), key)
        first = unit * elements(wide)
        draw = Draw(fn, words, first, given)

        def run(masks: list[Value] | None, draw: Draw = draw, first: Value = first) -> None:
            values = []
            for (code, elem, single), pointer in zip(inputs, pointers):
                if single:
                    one = fn.splat(memory.load(fn, pointer, code, elem, 0), lanes)
                    values.append([one] * parts)
                elif masks is None:
                    values.append(
                        [memory.load(fn, pointer, code, elem, lanes, first + i * lanes) for i in range(parts)]
                    )
                else:
                    values.append(
                        [memory.load_masked(fn, pointer, code, elem, m, first + i * lanes) for i, m in enumerate(masks)]
                    )
            results = body(draw, values)
            for (code, _), pointer, vectors in zip(outputs, pointers[len(inputs) :], results):
                for i, value in enumerate(vectors):
                    if masks is None:
                        memory.store(fn, value, pointer, code, first + i * lanes)
                    else:
                        memory.store_masked(fn, value, pointer, code, masks[i], first + i * lanes)

        left = size - first
        whole = left >= elements(wide)
        with fn.when(whole):
            run(None)
        with fn.unless(whole):
            run([fn.mask(left - i * lanes, lanes) for i in range(parts)])
    fn.ret(0)
    return fn.module


# -- from bits to numbers ---------------------------------------------------------------------------------------------


def uniform(word: Value, bits: int = 24) -> Value:
    """A float32 in [0, 1) from the upper `bits` bits of a word: a multiple of 2 ** -bits."""
    return (word >> (32 - bits)).to("i32").to("f32") * 2.0**-bits


def uniform64(pair: Value) -> Value:
    """A float64 in [0, 1) from the upper 53 bits of 64."""
    return (pair >> 11).to("i64").to("f64") * 2.0**-53


def turn(u: Value) -> tuple[Value, Value]:
    """cos and sin of 2 π u, for u in [0, 1): u is split exactly into quarter turns and a rest of at most an eighth."""
    quarters = bodies.rint(u * 4.0)
    rest = bodies.fma(quarters, -0.25, u) * (2.0 * math.pi)
    wide = u.type.elem == "f64"
    z = rest * rest
    sin_rest, cos_rest = (bodies.SIN64, bodies.COS64) if wide else (_SIN32, _COS32)
    sin = bodies.fma(bodies.horner(z, sin_rest) * z, rest, rest)
    cos = bodies.fma(bodies.horner(z, cos_rest), z * z, bodies.fma(z, -0.5, 1.0))
    quarter = quarters.to("i64" if wide else "i32")
    odd = (quarter & 1) != 0
    c, s = bodies.select(odd, sin, cos), bodies.select(odd, cos, sin)
    return bodies.select(((quarter + 1) & 2) != 0, -c, c), bodies.select((quarter & 2) != 0, -s, s)


_SIN32 = [-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1]
_COS32 = [2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2]


def normals(draw: Draw, wide: bool) -> list[Value]:
    """Numbers from the standard normal distribution (Box & Muller 1958): a pair of words, or of pairs, gives the radius
    sqrt(-2 log u) and the angle, and so two numbers: parts 0 and 1, and 2 and 3, belong together."""
    results = []
    if wide:
        couples = [draw.pairs]
    else:
        couples = [draw.words[:2], draw.words[2:]]
    for first, second in couples:
        if wide:
            u = ((first >> 11).to("i64").to("f64") + 0.5) * 2.0**-53
            angle = uniform64(second)
        else:
            u = (first.to("f32") + 0.5) * 2.0**-32  # in (0, 1]: the radius reaches 6.7
            angle = uniform(second)
        radius = bodies.sqrt(bodies.log(u) * -2.0)
        cos, sin = turn(angle)
        results += [radius * cos, radius * sin]
    return results


def scaled(pair: Value, bound: Value) -> Value:
    """floor(pair · bound / 2 ** 64) for 64 random bits and a bound, both u64: an integer in [0, bound) whose bias is below
    bound / 2 ** 64 (Lemire, ACM TOMACS 29 (2019), without rejection)."""
    a0, a1 = pair & 0xFFFFFFFF, pair >> 32
    b0, b1 = bound & 0xFFFFFFFF, bound >> 32
    low, middle1, middle2 = a0 * b0, a1 * b0, a0 * b1
    carry = ((low >> 32) + (middle1 & 0xFFFFFFFF) + (middle2 & 0xFFFFFFFF)) >> 32
    return a1 * b1 + (middle1 >> 32) + (middle2 >> 32) + carry
