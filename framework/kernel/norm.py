"""Normalisation of images: mean and variance of channels or groups of channels, and their gradient.

An array (N, C, S) consists of N C *runs* of S neighbours. A *group* is what shares a mean and a variance: the runs of one
channel in all images (batch norm), or the runs of some neighbouring channels in one image (group norm, instance norm).

    y = (x - mean) · weight[c] / sqrt(variance + eps) + bias[c]

**The order.** A group is cut into blocks: whole runs, as many as fit into `BLOCK` elements, or pieces of a run of at most
that length. In a block element j of a run goes to lane j mod `LANES`; lanes become one as in `reduce.py`. From each block
come its mean and its sum of squared deviations from it, which are joined block by block in float64 (Chan, Golub &
LeVeque, 1979). A block is read twice, the second time from the first-level cache, so nothing is lost where the mean is
large beside the deviations, and memory is read once.

**Who computes what.** With `_FEWEST` groups or more a unit is a group, which is then normalised while it is in the cache.
With fewer the blocks are dealt to threads, then what came out is joined, then the runs are dealt.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from anfora.core.dtype import float64
from anfora.core.records import Record
from anfora.kernel import bodies, memory
from anfora.kernel.build import recipe
from anfora.kernel.emit import F64, Function, Module, Type, Value
from anfora.kernel.loops import HEADER
from anfora.kernel.plan import Buffer, Planner, split
from anfora.kernel.reduce import LANES

__all__ = ["BLOCK", "plan_norm", "plan_norm_apply", "plan_norm_gradient"]

BLOCK = 4096
_WIDTH = 16
_FEWEST = 8
_SHARED = 1 << 15  # elements: below, everything stays on one thread anyway


class Groups(Record):
    """How the runs of an array (N, C, S) form groups."""

    images: int
    channels: int
    length: int  #: of a run
    of_batch: bool  #: a group is a channel of all images
    each: int  #: channels of a group

    @classmethod
    def of(cls, shape: tuple[int, ...], groups: int) -> Groups:
        """`groups` of channels in each image; 0 for the channels of the batch."""
        images, channels, length = shape
        return cls(images, channels, length, groups == 0, channels // groups if groups else 1)

    @property
    def count(self) -> int:
        return self.channels if self.of_batch else self.images * self.channels // self.each

    @property
    def runs(self) -> int:
        """Of a group."""
        return self.images if self.of_batch else self.each

    def shared(self, by_run: bool) -> int:
        """How many runs are in a block."""
        return 1 if by_run else max(1, min(self.runs, BLOCK // max(self.length, 1)))

    @property
    def pieces(self) -> int:
        """Of a run, where it is longer than a block."""
        return -(-self.length // BLOCK)

    def blocks(self, by_run: bool) -> int:
        """Of a group."""
        return -(-self.runs // self.shared(by_run)) * self.pieces

    @property
    def is_split(self) -> bool:
        return self.count < _FEWEST and self.count * self.runs * self.length > _SHARED

    def words(self, by_run: bool = False) -> list[int]:
        between = self.channels * self.length if self.of_batch else self.length
        period = self.channels // self.each
        return [
            self.runs, self.length, self.each * self.length, between, period, self.each, 0 if self.of_batch else 1,
            self.shared(by_run), self.pieces, self.blocks(by_run), self.channels,
        ]  # fmt: skip


_WORDS = 11  # of the above


class Types(Record):
    """Codes of the buffers (None for an absent weight or bias), and the machine type of the computation."""

    x: str
    out: str
    weight: str | None
    bias: str | None
    moments: str  #: of mean and variance
    elem: str


class _Kernel:
    """A kernel under construction. words: the pointers named | the words of `Groups` | eps"""

    def __init__(self, types: Types, *names: str) -> None:
        self.types = types
        self.fn = fn = Function("kernel", [("ptr", "words")])
        self.pointers = {name: fn.word(HEADER + i).pointer() for i, name in enumerate(names)}
        at = HEADER + len(names)
        (
            self.runs, self.length, self.group_step, self.run_step, self.period, self.each_word, self.weight_step,
            self.share, self.pieces, self.blocks, self.channels,
        ) = (fn.word(at + i) for i in range(_WORDS))  # fmt: skip
        self.eps = fn.load(fn.args[0], F64, at + _WORDS)
        self.ahead = fn.select(self.pieces > 1, BLOCK, self.share * self.run_step)  # from a block to the next one
        self.vector = Type(types.elem, _WIDTH)

    def element(self, name: str, code: str, index: Value) -> Value:
        """An element of a buffer, in the type of computation."""
        return memory.load(self.fn, self.pointers[name], code, self.types.elem, 0, index)

    def weight(self, channel: Value) -> Value:
        if self.types.weight is None:
            return self.fn.const(1.0, Type(self.types.elem))
        return self.element("weight", self.types.weight, channel)

    def bias(self, channel: Value) -> Value:
        if self.types.bias is None:
            return self.fn.const(0.0, Type(self.types.elem))
        return self.element("bias", self.types.bias, channel)

    def channel(self, group: Value, run: Value) -> Value:
        return (group % self.period) * self.each_word + run * self.weight_step

    def start(self, group: Value, run: Value) -> Value:
        """The number of the first element of a run of a group."""
        return group * self.group_step + run * self.run_step

    def deviation(self, variance: Value) -> Value:
        """1 / sqrt(variance + eps), in float64."""
        return 1.0 / bodies.sqrt(variance + self.eps)

    # -- sums over a block --------------------------------------------------------------------------------------------

    def block(self, group: Value, block: Value) -> tuple[Value, Value, Value]:
        """A block of a group: its first element, how many runs, and how long (the piece of) each is."""
        fn = self.fn
        first = (block // self.pieces) * self.share
        offset = (block % self.pieces) * BLOCK
        runs, length = self.runs - first, self.length - offset
        runs = fn.select(runs > self.share, self.share, runs)
        return self.start(group, first) + offset, runs, fn.select(length > BLOCK, BLOCK, length)

    def sums(
        self, start: Value, runs: Value, length: Value, count: int,
        terms: Callable[[Value, Value | None], tuple[Value, ...]],
    ) -> list[Value]:  # fmt: skip
        """The sums of terms over a block, as float64. `terms` gets the number of an element and a mask."""
        fn = self.fn
        zero = fn.const(-0.0, self.vector)
        lanes = [[fn.var(zero) for _ in range(count)] for _ in range(LANES // _WIDTH)]
        whole = length & -LANES
        with fn.loop(0, runs) as run:
            here = start + run * self.run_step
            with fn.loop(0, whole, LANES) as i:
                for k, lane in enumerate(lanes):
                    for total, value in zip(lane, terms(here + i + k * _WIDTH, None)):
                        total.set(total.value + value)
            for k, lane in enumerate(lanes):
                rest = length - whole - k * _WIDTH
                with fn.when(rest > 0):
                    mask = fn.mask(rest, _WIDTH)
                    for total, value in zip(lane, terms(here + whole + k * _WIDTH, mask)):
                        total.set(total.value + fn.select(mask, value, -0.0))
        return [self._tree([lane[i].value for lane in lanes]).to("f64") for i in range(count)]

    def _tree(self, vectors: list[Value]) -> Value:
        while len(vectors) > 1:
            half = len(vectors) // 2
            vectors = [vectors[i] + vectors[i + half] for i in range(half)]
        result = vectors[0]
        while result.type.lanes > 1:
            low, high = self.fn.halves(result)
            result = low + high
        return self.fn.lane(result, 0)

    def load(self, name: str, index: Value, mask: Value | None) -> Value:
        """A vector of x or of the gradient."""
        pointer, code, elem = self.pointers[name], self.types.x, self.types.elem
        if mask is None:
            return memory.load(self.fn, pointer, code, elem, _WIDTH, index)
        return memory.load_masked(self.fn, pointer, code, elem, mask, index)

    def fetch(self, name: str, index: Value) -> None:
        """Ask for an element that is needed soon: the machine does not foresee the jump to the next run."""
        self.fn.prefetch(self.pointers[name] + index * memory.code_bytes(self.types.x))

    def moments(self, start: Value, runs: Value, length: Value) -> tuple[Value, Value, Value]:
        """Count, mean and sum of squared deviations of a block, in float64."""
        count = (runs * length).to("f64")
        [total] = self.sums(start, runs, length, 1, lambda i, mask: (self.load("x", i, mask),))
        near = (total / count).to(self.types.elem)

        def terms(i: Value, mask: Value | None) -> tuple[Value, ...]:
            d = self.load("x", i, mask) - near
            self.fetch("x", i + self.ahead)
            return d, d * d

        total, squares = self.sums(start, runs, length, 2, terms)
        excess = total / count
        return count, near.to("f64") + excess, bodies.maximum(squares - total * excess, self.fn.const(0.0, F64))

    def products(self, mean: Value) -> Callable[[Value, Value | None], tuple[Value, ...]]:
        """The terms of the gradient: g, and g (x - mean)."""

        def terms(i: Value, mask: Value | None) -> tuple[Value, ...]:
            g = self.load("gradient", i, mask)
            for name in ("gradient", "x"):
                self.fetch(name, i + self.ahead)
            return g, g * (self.load("x", i, mask) - mean)

        return terms

    # -- writing ------------------------------------------------------------------------------------------------------

    def write(self, start: Value, length: Value, value: Callable[[Value, Value | None], Value]) -> None:
        """Store the values of neighbouring elements."""
        fn, out, code = self.fn, self.pointers["out"], self.types.out
        whole = length & -_WIDTH
        with fn.loop(0, whole, _WIDTH) as i:
            memory.store(fn, value(start + i, None), out, code, start + i)
        with fn.when(whole < length):
            mask = fn.mask(length - whole, _WIDTH)
            memory.store_masked(fn, value(start + whole, mask), out, code, mask, start + whole)

    def normalise(self, start: Value, length: Value, mean: Value, rstd: Value, channel: Value) -> None:
        scale = (self.weight(channel).to("f64") * rstd).to(self.types.elem)
        shift = self.bias(channel)
        fn = self.fn
        scale, shift = fn.splat(scale, _WIDTH), fn.splat(shift, _WIDTH)
        self.write(start, length, lambda i, mask: bodies.fma(self.load("x", i, mask) - mean, scale, shift))

    def slope(self, start: Value, length: Value, mean: Value, rstd: Value, channel: Value, flat: Value, tilt: Value):
        """dx = weight rstd g - flat - tilt (x - mean)"""
        fn = self.fn
        scale = fn.splat((self.weight(channel).to("f64") * rstd).to(self.types.elem), _WIDTH)
        flat, tilt = (fn.splat((-v).to(self.types.elem), _WIDTH) for v in (flat, tilt))

        def value(i: Value, mask: Value | None) -> Value:
            d = self.load("x", i, mask) - mean
            return bodies.fma(d, tilt, bodies.fma(self.load("gradient", i, mask), scale, flat))

        self.write(start, length, value)

    def set(self, name: str, code: str, index: Value, value: Value) -> None:
        memory.store(self.fn, value.to(self.types.elem), self.pointers[name], code, index)

    def done(self) -> Module:
        self.fn.ret(0)
        return self.fn.module


# -- mean and variance ------------------------------------------------------------------------------------------------


class _Moments:
    """Count, mean and sum of squared deviations, of what was joined so far."""

    def __init__(self, fn: Function) -> None:
        self.fn = fn
        self.count, self.mean, self.squares = (fn.var(fn.const(0.0, F64)) for _ in range(3))

    def join(self, count: Value, mean: Value, squares: Value) -> None:
        both = self.count.value + count
        step = mean - self.mean.value
        share = count / both
        self.squares.set(self.squares.value + squares + step * step * (self.count.value * share))
        self.mean.set(self.mean.value + step * share)
        self.count.set(both)

    @property
    def variance(self) -> Value:
        return self.squares.value / self.count.value


def _forward_names(types: Types) -> list[str]:
    return ["x", *(name for name in ("weight", "bias") if getattr(types, name)), "out", "mean", "variance"]


@recipe
def norm_groups(types: Types) -> Module:
    """A unit is a group: its moments, then the normalised values."""
    k = _Kernel(types, *_forward_names(types))
    fn = k.fn
    with fn.loop(fn.word(0), fn.word(1)) as group:
        moments = _Moments(fn)
        with fn.loop(0, k.blocks) as block:
            moments.join(*k.moments(*k.block(group, block)))
        variance = moments.variance
        mean = moments.mean.value.to(types.elem)
        k.set("mean", types.moments, group, mean)
        k.set("variance", types.moments, group, variance)
        rstd = k.deviation(variance)
        with fn.loop(0, k.runs) as run:
            k.normalise(k.start(group, run), k.length, mean, rstd, k.channel(group, run))
    return k.done()


@recipe
def moment_blocks(types: Types) -> Module:
    """A unit is a block of a group; gives count, mean and squares of each, float64."""
    k = _Kernel(types, "x", "parts")
    fn = k.fn
    with fn.loop(fn.word(0), fn.word(1)) as unit:
        group = unit // k.blocks
        for i, value in enumerate(k.moments(*k.block(group, unit - group * k.blocks))):
            fn.store(value, k.pointers["parts"], unit * 3 + i)
    return k.done()


@recipe
def join_moments(types: Types) -> Module:
    """A unit is a group: from its blocks to mean and variance."""
    k = _Kernel(types, "parts", "mean", "variance")
    fn = k.fn
    with fn.loop(fn.word(0), fn.word(1)) as group:
        moments = _Moments(fn)
        with fn.loop(0, k.blocks) as block:
            at = (group * k.blocks + block) * 3
            moments.join(*(fn.load(k.pointers["parts"], F64, at + i) for i in range(3)))
        k.set("mean", types.moments, group, moments.mean.value)
        k.set("variance", types.moments, group, moments.variance)
    return k.done()


@recipe
def norm_apply(types: Types) -> Module:
    """A unit is a piece of a run: normalised with given moments."""
    k = _Kernel(types, *_forward_names(types))
    fn = k.fn
    with fn.loop(fn.word(0), fn.word(1)) as unit:
        start, length, group, channel = _piece(k, unit)
        mean = k.element("mean", types.moments, group)
        variance = memory.load(fn, k.pointers["variance"], types.moments, "f64", 0, group)
        k.normalise(start, length, mean, k.deviation(variance), channel)
    return k.done()


def _piece(k: _Kernel, unit: Value) -> tuple[Value, Value, Value, Value]:
    """Piece `unit` of all runs in the order of memory: first element, length, group, channel."""
    run = unit // k.pieces
    offset = (unit - run * k.pieces) * BLOCK
    length = k.length - offset
    channel = run % k.channels
    group = k.fn.select(k.weight_step == 0, channel, run // k.each_word)
    return run * k.length + offset, k.fn.select(length > BLOCK, BLOCK, length), group, channel


# -- gradient ---------------------------------------------------------------------------------------------------------


def _gradient_names(types: Types) -> list[str]:
    return ["x", "mean", "variance", *(["weight"] if types.weight else []), "gradient", "out"]


class _Slope:
    """Collects, over the runs of a group, the sums of w g and of w g (x - mean)."""

    def __init__(self, k: _Kernel) -> None:
        self.k = k
        self.totals = [k.fn.var(k.fn.const(0.0, F64)) for _ in range(2)]

    def add(self, weight: Value, sums: list[Value]) -> None:
        for total, value in zip(self.totals, sums):
            total.set(total.value + weight.to("f64") * value)

    def finish(self, rstd: Value) -> tuple[Value, Value]:
        """`flat` and `tilt` of `_Kernel.slope`."""
        count = (self.k.runs * self.k.length).to("f64")
        first, second = (total.value / count for total in self.totals)
        return rstd * first, rstd * rstd * rstd * second


@recipe
def gradient_groups(types: Types, of_batch: bool) -> Module:
    """A unit is a group: its sums, then the gradient."""
    k = _Kernel(types, *_gradient_names(types), "d_weight", "d_bias")
    fn = k.fn
    with fn.loop(fn.word(0), fn.word(1)) as group:
        mean = k.element("mean", types.moments, group)
        rstd = k.deviation(memory.load(fn, k.pointers["variance"], types.moments, "f64", 0, group))
        slope = _Slope(k)
        segments = fn.const(1) if of_batch else k.runs  # what has a weight of its own
        blocks = k.blocks if of_batch else k.pieces
        with fn.loop(0, segments) as segment:
            sums = [fn.var(fn.const(0.0, F64)) for _ in range(2)]
            with fn.loop(segment * blocks, (segment + 1) * blocks) as block:
                for total, value in zip(sums, k.sums(*k.block(group, block), 2, k.products(mean))):
                    total.set(total.value + value)
            _finish_segment(k, slope, group, segment, segments, rstd, [total.value for total in sums])
        flat, tilt = slope.finish(rstd)
        with fn.loop(0, k.runs) as run:
            k.slope(k.start(group, run), k.length, mean, rstd, k.channel(group, run), flat, tilt)
    return k.done()


def _finish_segment(
    k: _Kernel, slope: _Slope, group: Value, segment: Value, segments: Value, rstd: Value, sums: list[Value]
) -> None:
    """Store the gradients of weight and bias of a segment, and add it to the group's sums."""
    index = group * segments + segment
    k.set("d_bias", k.types.moments, index, sums[0])
    k.set("d_weight", k.types.moments, index, sums[1] * rstd)
    slope.add(k.weight(k.channel(group, segment)), sums)


@recipe
def gradient_blocks(types: Types) -> Module:
    """A unit is a block of a group; gives its two sums, float64."""
    k = _Kernel(types, "x", "mean", "gradient", "parts")
    fn = k.fn
    with fn.loop(fn.word(0), fn.word(1)) as unit:
        group = unit // k.blocks
        mean = k.element("mean", types.moments, group)
        for i, value in enumerate(k.sums(*k.block(group, unit - group * k.blocks), 2, k.products(mean))):
            fn.store(value, k.pointers["parts"], unit * 2 + i)
    return k.done()


@recipe
def join_gradient(types: Types, of_batch: bool) -> Module:
    """A unit is a group: from its blocks to the gradients of weight and bias, and to `flat` and `tilt`, float64."""
    names = ["parts", "variance", *(["weight"] if types.weight else []), "d_weight", "d_bias", "slopes"]
    k = _Kernel(types, *names)
    fn = k.fn
    with fn.loop(fn.word(0), fn.word(1)) as group:
        rstd = k.deviation(memory.load(fn, k.pointers["variance"], types.moments, "f64", 0, group))
        slope = _Slope(k)
        segments = fn.const(1) if of_batch else k.runs
        blocks = k.blocks if of_batch else k.pieces
        with fn.loop(0, segments) as segment:
            sums = [fn.var(fn.const(0.0, F64)) for _ in range(2)]
            with fn.loop(segment * blocks, (segment + 1) * blocks) as block:
                at = (group * k.blocks + block) * 2
                for i, total in enumerate(sums):
                    total.set(total.value + fn.load(k.pointers["parts"], F64, at + i))
            _finish_segment(k, slope, group, segment, segments, rstd, [total.value for total in sums])
        for i, value in enumerate(slope.finish(rstd)):
            fn.store(value, k.pointers["slopes"], group * 2 + i)
    return k.done()


@recipe
def gradient_apply(types: Types) -> Module:
    """A unit is a piece of a run."""
    k = _Kernel(types, *_gradient_names(types), "slopes")
    fn = k.fn
    with fn.loop(fn.word(0), fn.word(1)) as unit:
        start, length, group, channel = _piece(k, unit)
        mean = k.element("mean", types.moments, group)
        rstd = k.deviation(memory.load(fn, k.pointers["variance"], types.moments, "f64", 0, group))
        flat, tilt = (fn.load(k.pointers["slopes"], F64, group * 2 + i) for i in range(2))
        k.slope(start, length, mean, rstd, channel, flat, tilt)
    return k.done()


# -- planning ---------------------------------------------------------------------------------------------------------


def _types(x: Buffer, out: Buffer, weight: Buffer | None, bias: Buffer | None, moments: Buffer) -> Types:
    of_weight, of_bias = (None if b is None else b.code for b in (weight, bias))
    return Types(x.code, out.code, of_weight, of_bias, moments.code, memory.compute_elem(x.code))


def _bits(number: float) -> int:
    return struct.unpack("<q", struct.pack("<d", number))[0]


def plan_norm(
    p: Planner, x: Buffer, weight: Buffer | None, bias: Buffer | None, out: Buffer, mean: Buffer, variance: Buffer,
    groups: int, eps: float,
) -> None:  # fmt: skip
    """Add the steps that normalise `x` (N, C, S) with its own moments, which are written too.

    Args:
        x, out: contiguous, not empty.
        weight, bias: (C,), or None for ones and zeros.
        mean, variance: of each group; of a type that is computed in.
        groups: of channels in each image, or 0 where a group is a channel of all images.
        eps: is added to the variance.
    """
    g = Groups.of(x.shape, groups)
    types = _types(x, out, weight, bias, mean)
    end = [*g.words(), _bits(eps)]
    cost = g.runs * g.length * 0.5 + 100
    if not g.is_split:
        given = [b for b in (x, weight, bias, out, mean, variance) if b is not None]
        p.step(norm_groups.address(types), *given, *end, units=g.count, grain=split(g.count, cost))
        return
    units = g.count * g.blocks(False)
    parts = p.workspace(float64, units, 3)
    p.step(moment_blocks.address(types), x, parts, *end, units=units, grain=split(units, BLOCK * 0.3 + 40))
    p.step(join_moments.address(types), parts, mean, variance, *end, units=g.count, grain=g.count)
    plan_norm_apply(p, x, weight, bias, out, mean, variance, groups, eps)


def plan_norm_apply(
    p: Planner, x: Buffer, weight: Buffer | None, bias: Buffer | None, out: Buffer, mean: Buffer, variance: Buffer,
    groups: int, eps: float,
) -> None:  # fmt: skip
    """Add the step that normalises `x` (N, C, S) with given moments. Arguments as those of `plan_norm`."""
    g = Groups.of(x.shape, groups)
    types = _types(x, out, weight, bias, mean)
    given = [b for b in (x, weight, bias, out, mean, variance) if b is not None]
    units = g.images * g.channels * g.pieces
    p.step(
        norm_apply.address(types), *given, *g.words(), _bits(eps),
        units=units, grain=split(units, min(BLOCK, g.length) * 0.2 + 20),
    )  # fmt: skip


def plan_norm_gradient(
    p: Planner, x: Buffer, mean: Buffer, variance: Buffer, weight: Buffer | None, gradient: Buffer, out: Buffer,
    d_weight: Buffer, d_bias: Buffer, groups: int, eps: float,
) -> None:  # fmt: skip
    """Add the steps of the gradient of `plan_norm`.

    `d_weight` and `d_bias` hold a sum for each channel, or with `groups` > 0 for each run, (N, C); like `mean` they are of
    a type that is computed in.
    """
    g = Groups.of(x.shape, groups)
    by_run = not g.of_batch
    types = _types(x, out, weight, None, mean)
    given = [b for b in (x, mean, variance, weight, gradient, out) if b is not None]
    end = [*g.words(by_run), _bits(eps)]
    if not g.is_split:
        p.step(
            gradient_groups.address(types, g.of_batch), *given, d_weight, d_bias, *end,
            units=g.count, grain=split(g.count, g.runs * g.length * 0.6 + 100),
        )  # fmt: skip
        return
    units = g.count * g.blocks(by_run)
    parts, slopes = p.workspace(float64, units, 2), p.workspace(float64, g.count, 2)
    p.step(
        gradient_blocks.address(types), x, mean, gradient, parts, *end,
        units=units, grain=split(units, BLOCK * 0.3 + 40),
    )  # fmt: skip
    own = [b for b in (parts, variance, weight, d_weight, d_bias, slopes) if b is not None]
    p.step(join_gradient.address(types, g.of_batch), *own, *end, units=g.count, grain=g.count)
    units = g.images * g.channels * g.pieces
    p.step(
        gradient_apply.address(types), *given, slopes, *end,
        units=units, grain=split(units, min(BLOCK, g.length) * 0.3 + 20),
    )  # fmt: skip
