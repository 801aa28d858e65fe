"""Random numbers that take a varying number of draws, or depend on each other: permutations, choices, gamma, Poisson.

They start from 64 random bits an element, made by `philox.py`. What needs more goes on with SplitMix64 (Steele, Lea &
Flood, OOPSLA 2014) from there: each element has a stream of its own, so the order of work does not matter.
"""

from __future__ import annotations

import math

import numpy as np

from anfora.core.dtype import DType, float64, int64, uint64
from anfora.core.exact import LN_TAU
from anfora.kernel.irregular import irregular
from anfora.kernel.loops import contiguous, plan_copy
from anfora.kernel.philox import Draw, plan_draw, uniform64
from anfora.kernel.plan import Buffer, Planner, split

__all__ = ["plan_choose", "plan_gamma", "plan_poisson", "plan_shuffle"]


def _bits(draw: Draw, inputs: list) -> list:
    return [draw.pairs]


def _fractions(draw: Draw, inputs: list) -> list:
    return [[uniform64(pair) for pair in draw.pairs]]


def _random_bits(p: Planner, seed: Buffer, offset: Buffer, *shape: int) -> Buffer:
    out = p.workspace(uint64, *shape)
    plan_draw(p, _bits, seed, offset, [], [(out, "u64")], True, 0.8)
    return out


def plan_shuffle(p: Planner, seed: Buffer, offset: Buffer, out: Buffer) -> None:
    """Add the steps that fill a 1-d buffer with a random permutation of 0 … n - 1 (Fisher & Yates); n < 2 ** 32."""
    bits = _random_bits(p, seed, offset, out.size)
    p.step(shuffle.address(T=out.code), bits, out, units=out.size, grain=None)


@irregular
def shuffle(lo, hi, scratch, bits: "u64*", out: "T*"):
    for i in range(lo, hi):
        out[i] = i
    for i in range(hi - 1, lo, -1):
        # floor(word * (i + 1) / 2 ** 64); numba makes floats of signed and unsigned integers that meet
        word, bound, half = bits[i], np.uint64(i + 1), np.uint64(32)
        low = ((word & np.uint64(0xFFFFFFFF)) * bound) >> half
        j = np.int64(((word >> half) * bound + low) >> half)
        out[i], out[j] = out[j], out[i]
    return 0


def plan_choose(p: Planner, weights: Buffer, seed: Buffer, offset: Buffer, out: Buffer, replacement: bool) -> None:
    """Add the steps that draw columns of each row of `weights` (rows, n) with probabilities proportional to the weights,
    into `out` (rows, count), with or without replacement.

    Fails at the position of a weight that is negative or not finite, and at that of the first weight of a row from which
    too few can be drawn.
    """
    rows, n = weights.shape
    count = out.shape[1]
    wide = p.workspace(float64, rows, n)
    plan_copy(p, contiguous(p, weights), wide)
    draws = count if replacement else n
    fractions = p.workspace(float64, rows, draws)
    plan_draw(p, _fractions, seed, offset, [], [(fractions, "f64")], True, 0.8)
    if replacement:
        p.step(
            choose.address(T=out.code), wide, fractions, out, n, count,
            units=rows, grain=split(rows, n * 2.0 + count * 10.0),
        )  # fmt: skip
        return
    order = p.workspace(int64, rows, n)
    p.step(
        choose_without.address(T=out.code), wide, fractions, order, out, n, count,
        units=rows, grain=split(rows, n * 15.0 + count * 20.0),
    )  # fmt: skip


@irregular
def choose(lo, hi, scratch, weights: "f64*", fractions: "f64*", out: "T*", n, count):
    for row in range(lo, hi):
        total = 0.0
        last = -1
        for i in range(n):
            weight = weights[row * n + i]
            if not (weight >= 0.0 and weight < math.inf):
                return row * n + i + 1
            if weight > 0.0:
                last = i
            total += weight
            weights[row * n + i] = total
        if last < 0 and count > 0:
            return row * n + 1
        for j in range(count):
            wanted = fractions[row * count + j] * total
            low, high = 0, last  # the first whose sum is larger than `wanted`
            while low < high:
                middle = (low + high) >> 1
                if weights[row * n + middle] > wanted:
                    high = middle
                else:
                    low = middle + 1
            out[row * count + j] = low
    return 0


@irregular
def choose_without(lo, hi, scratch, weights: "f64*", fractions: "f64*", order: "i64*", out: "T*", n, count):
    """The columns with the smallest of the exponential times -log(u) / weight, in this order (Efraimidis & Spirakis,
    2006): a heap of them gives up its smallest `count` times."""
    for row in range(lo, hi):
        base = row * n
        positive = 0
        for i in range(n):
            weight = weights[base + i]
            if not (weight >= 0.0 and weight < math.inf):
                return base + i + 1
            if weight > 0.0:
                positive += 1
                weights[base + i] = -math.log(1.0 - fractions[base + i]) / weight
            else:
                weights[base + i] = math.inf
            order[base + i] = i
        if positive < count:
            return base + 1
        size = n
        start = n >> 1
        taken = 0
        while taken < count:
            if start > 0:  # make the heap
                start -= 1
                root = start
            else:
                out[row * count + taken] = order[base]
                taken += 1
                size -= 1
                order[base] = order[base + size]
                root = 0
            item = order[base + root]
            time = weights[base + item]
            while True:
                child = 2 * root + 1
                if child >= size:
                    break
                at = order[base + child]
                if child + 1 < size and weights[base + order[base + child + 1]] < weights[base + at]:
                    child += 1
                    at = order[base + child]
                if weights[base + at] >= time:
                    break
                order[base + root] = at
                root = child
            order[base + root] = item
    return 0


_LOG_ROOT = 0.5 * LN_TAU


def _log_factorial(k):
    """log(k!) of a whole k >= 0: Stirling's series from 10 on (Abramowitz & Stegun 6.1.41)."""
    if k < 10.0:
        product = 1.0
        while k > 1.0:
            product *= k
            k -= 1.0
        return math.log(product)
    n = k + 1.0
    z = 1.0 / (n * n)
    series = (1.0 / 12.0 - z * (1.0 / 360.0 - z * (1.0 / 1260.0 - z * (1.0 / 1680.0 - z / 1188.0)))) / n
    return (n - 0.5) * math.log(n) - n + _LOG_ROOT + series


def plan_gamma(p: Planner, alpha: Buffer, seed: Buffer, offset: Buffer, out: Buffer, kept: DType) -> None:
    """Add the steps that draw from the gamma distribution with shape `alpha` (broadcast) and scale 1, into float64; `kept`
    is the type that they are wanted in."""
    shapes = p.workspace(float64, *out.shape)
    plan_copy(p, alpha, shapes)
    bits = _random_bits(p, seed, offset, *out.shape)
    p.step(gamma.address(), shapes, bits, out, units=out.size, grain=split(out.size, 60.0))


_TRIES = 1000  #: no loop takes more
_STEP = np.uint64(0x9E3779B97F4A7C15)  #: from one state of SplitMix64 to the next


def _mixed(state):
    """The 64 random bits of a state of SplitMix64."""
    z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _below_one(state):
    """The number of a state in [0, 1)."""
    return (_mixed(state) >> np.uint64(11)) * 2.0**-53


def _above_zero(state):
    """The number of a state in (0, 1], whose logarithm is finite."""
    return ((_mixed(state) >> np.uint64(11)) + 1) * 2.0**-53


@irregular
def gamma(lo, hi, scratch, alpha: "f64*", bits: "u64*", out: "f64*"):
    """Marsaglia & Tsang, ACM TOMS 26 (2000): about one try in twenty is refused. Where all are, which no seed is known to
    do, it is the value that is likeliest."""
    for i in range(lo, hi):
        state = bits[i]
        a = alpha[i]
        if not (a > 0.0 and a < math.inf):
            return i + 1
        boost = 1.0
        if a < 1.0:
            state += _STEP
            u = _above_zero(state)
            boost = math.exp(math.log(u) / a)
            a += 1.0
        d = a - 1.0 / 3.0
        c = 1.0 / math.sqrt(9.0 * d)
        out[i] = d * boost
        for _ in range(_TRIES):
            state += _STEP
            u1 = _above_zero(state)
            state += _STEP
            u2 = _below_one(state)
            x = math.sqrt(-2.0 * math.log(u1)) * math.cos(2.0 * math.pi * u2)
            v = 1.0 + c * x
            if v <= 0.0:
                continue
            v = v * v * v
            state += _STEP
            u = _above_zero(state)
            if math.log(u) < 0.5 * x * x + d - d * v + d * math.log(v):
                out[i] = d * v * boost
                break
    return 0


def plan_poisson(p: Planner, mean: Buffer, seed: Buffer, offset: Buffer, out: Buffer, kept: DType) -> None:
    """Add the steps that draw from the Poisson distribution of a mean (broadcast), into float64. Fails at a mean that is
    negative, not finite, or more than half of what the type has that they are wanted in."""
    means = p.workspace(float64, *out.shape)
    plan_copy(p, mean, means)
    bits = _random_bits(p, seed, offset, *out.shape)
    most = kept.bits - 2 if kept.is_integer else 1023
    p.step(poisson.address(), means, bits, out, most, units=out.size, grain=split(out.size, 80.0))


@irregular
def poisson(lo, hi, scratch, mean: "f64*", bits: "u64*", out: "f64*", most):
    """Small means: count uniform factors until their product falls below e ** -mean (Knuth). Large ones: transformed
    rejection with squeeze, PTRS (Hörmann, Insurance: Mathematics and Economics 12 (1993)). Where all tries are refused,
    which no seed is known to do, it is the mean."""
    limit_of_type = 1.0
    for _ in range(most):
        limit_of_type *= 2.0
    for i in range(lo, hi):
        state = bits[i]
        m = mean[i]
        if not (m >= 0.0 and m < math.inf and m <= limit_of_type):
            return i + 1
        if m < 10.0:
            limit = math.exp(-m)
            product = 1.0
            count = -1.0
            while (product > limit or count < 0.0) and count < _TRIES:
                state += _STEP
                product *= _above_zero(state)
                count += 1.0
            out[i] = count
            continue
        root = math.sqrt(m)
        b = 0.931 + 2.53 * root
        a = -0.059 + 0.02483 * b
        inverse = 1.1239 + 1.1328 / (b - 3.4)
        edge = 0.9277 - 3.6224 / (b - 2.0)
        out[i] = np.floor(m)
        for _ in range(_TRIES):
            state += _STEP
            u = _below_one(state) - 0.5
            state += _STEP
            v = _above_zero(state)
            us = 0.5 - abs(u)
            k = np.floor((2.0 * a / us + b) * u + m + 0.43) if us > 0.0 else -1.0
            if us >= 0.07 and v <= edge:
                out[i] = k
                break
            if k < 0.0 or (us < 0.013 and v > us):
                continue
            if math.log(v * inverse / (a / (us * us) + b)) <= k * math.log(m) - m - _log_factorial(k):
                out[i] = k
                break
    return 0
