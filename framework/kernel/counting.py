"""Counting: how often integers occur, numbers that fall into the bins of a range, runs of equal parts.

One thread counts from the first element to the last, so that sums of weights have one order. Weights are added in float64.
"""

from __future__ import annotations

from anfora.core.dtype import float32, float64, int64, uint8
from anfora.kernel.irregular import irregular
from anfora.kernel.loops import plan_copy, plan_fill
from anfora.kernel.plan import Buffer, Planner

__all__ = ["plan_count", "plan_histogram", "plan_runs"]


def plan_count(p: Planner, x: Buffer, weights: Buffer | None, out: Buffer) -> None:
    """Add the steps that count, or add the weights of, the elements equal to 0, 1, 2 … A negative element fails, and so
    does one that `out` has no place for."""
    totals = p.workspace(int64 if weights is None else float64, *out.shape)
    plan_fill(p, totals, 0)
    numbers = p.workspace(int64, x.size)
    plan_copy(p, x, numbers.reshaped(*x.shape))
    if weights is None:
        p.step(count.address(), numbers, totals, x.size, out.size, units=min(x.size, 1))
    else:
        wide = p.workspace(float64, weights.size)
        plan_copy(p, weights, wide.reshaped(*weights.shape))
        p.step(add_weights.address(), numbers, wide, totals, x.size, out.size, units=min(x.size, 1))
    plan_copy(p, totals, out)


@irregular
def count(lo, hi, scratch, x: "i64*", totals: "i64*", length, bins):
    for i in range(length):
        place = x[i]
        if place < 0 or place >= bins:
            return i + 1
        totals[place] += 1
    return 0


@irregular
def add_weights(lo, hi, scratch, x: "i64*", weights: "f64*", totals: "f64*", length, bins):
    for i in range(length):
        place = x[i]
        if place < 0 or place >= bins:
            return i + 1
        totals[place] += weights[i]
    return 0


def plan_histogram(p: Planner, x: Buffer, limits: Buffer, out: Buffer) -> None:
    """Add the steps that count the numbers in bins of equal width from limits[0] to limits[1] (float64).

    A bin holds its lower edge, the last one both; what lies outside, and NaN, is not counted.
    """
    wide = float64 if x.dtype is float64 or x.dtype.is_integer else float32 if x.dtype.is_float else uint8
    numbers = p.workspace(wide, x.size)
    plan_copy(p, x, numbers.reshaped(*x.shape))
    totals = p.workspace(int64, *out.shape)
    plan_fill(p, totals, 0)
    p.step(histogram.address(T=wide.code), numbers, limits, totals, x.size, out.size, units=min(x.size, 1))
    plan_copy(p, totals, out)


@irregular
def histogram(lo, hi, scratch, x: "T*", limits: "f64*", totals: "i64*", length, bins):
    low, high = limits[0], limits[1]
    step = (high - low) / bins
    for i in range(length):
        value = float(x[i])
        if not (low <= value <= high):
            continue
        place = min(int((value - low) / (high - low) * bins), bins - 1)
        if place > 0 and value < low + place * step:  # rounding has moved it
            place -= 1
        elif place < bins - 1 and value >= low + (place + 1) * step:
            place += 1
        totals[place] += 1
    return 0


def plan_runs(p: Planner, x: Buffer, firsts: Buffer, runs: Buffer, number: Buffer) -> None:
    """Add the steps that number the runs of equal parts along the first axis: where each begins, filled up with zeros; the
    number of its run for each part; how many there are."""
    kind = uint8 if x.dtype.is_bool else float32 if x.dtype.itemsize == 2 and x.dtype.is_float else x.dtype
    length = x.shape[0]
    if kind is not x.dtype or not x.is_contiguous:
        parts = p.workspace(kind, *x.shape)
        plan_copy(p, x, parts)
        x = parts
    if length:
        kernel = number_runs if x.size == length else number_wide_runs
        p.step(kernel.address(T=kind.code), x, firsts, runs, number, length, x.size // length, units=1)
    else:
        plan_fill(p, number, 0)


@irregular
def number_runs(lo, hi, scratch, x: "T*", firsts: "i64*", runs: "i64*", number: "i64*", length, width):
    found = 1
    firsts[0] = runs[0] = 0
    for i in range(1, length):
        firsts[min(found, length - 1)] = i  # stays where a run begins; a branch would be guessed wrong
        found += x[i] != x[i - 1]
        runs[i] = found - 1
    for i in range(found, length):
        firsts[i] = 0
    number[0] = found
    return 0


@irregular
def number_wide_runs(lo, hi, scratch, x: "T*", firsts: "i64*", runs: "i64*", number: "i64*", length, width):
    found = 0
    for i in range(length):
        is_new = i == 0
        for j in range(width * (i > 0)):
            is_new |= x[i * width + j] != x[(i - 1) * width + j]
        if is_new:
            firsts[found] = i
            found += 1
        runs[i] = found - 1
    for i in range(found, length):
        firsts[i] = 0
    number[0] = found
    return 0
