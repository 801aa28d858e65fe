"""Kernels that resample along an axis, and those that take windows out of images and put them back.

Resampling is a table: each place of the result has some places of the input, its taps, with a weight each. A tap of weight
zero is not read, so that an infinity stays where it is. Both directions add in the order of the table. Along the last axis,
where no neighbours go the same way, a place is done at once.
"""

from __future__ import annotations

import math

from anfora.kernel.irregular import irregular
from anfora.kernel.loops import contiguous, raw
from anfora.kernel.plan import Buffer, Planner, split

__all__ = ["plan_fold", "plan_resample", "plan_resample_back", "plan_unfold"]


def plan_resample(p: Planner, x: Buffer, places: Buffer, weights: Buffer, out: Buffer, *, axis: int) -> None:
    """Add the step that fills `out` (…, m, …) from x (…, n, …), with tables of shape (m, taps)."""
    rows, inner = math.prod(out.shape[: axis + 1]), math.prod(out.shape[axis + 1 :])
    taps = places.shape[1]
    if inner == 1:
        units = rows // out.shape[axis]
        p.step(
            resample_last.address(T=x.code), contiguous(p, x), contiguous(p, places), contiguous(p, weights), out,
            x.shape[axis], out.shape[axis], taps, units=units, grain=split(units, out.shape[axis] * (taps + 1)),
        )  # fmt: skip
        return
    p.step(
        resample.address(T=x.code), contiguous(p, x), contiguous(p, places), contiguous(p, weights), out, x.shape[axis],
        out.shape[axis], taps, inner, units=rows if inner else 0, grain=split(rows, inner * taps * 0.5 + 5),
    )  # fmt: skip


@irregular
def resample(
    lo, hi, scratch, x: "T*", places: "i64*", weights: "T*", out: "T*", length, count, taps, inner
):  # fmt: skip
    for unit in range(lo, hi):
        first, j = unit // count * length, unit % count
        target = unit * inner
        started = False
        for k in range(j * taps, (j + 1) * taps):
            weight = weights[k]
            if weight != 0:
                source = (first + places[k]) * inner
                if started:
                    for i in range(inner):
                        out[target + i] += weight * x[source + i]
                else:
                    for i in range(inner):
                        out[target + i] = weight * x[source + i]
                started = True
        if not started:
            for i in range(inner):
                out[target + i] = 0
    return 0


@irregular
def resample_last(lo, hi, scratch, x: "T*", places: "i64*", weights: "T*", out: "T*", length, count, taps):
    for row in range(lo, hi):
        first = row * length
        for j in range(count):
            k, end = j * taps, (j + 1) * taps
            while k < end and weights[k] == 0:
                k += 1
            if k == end:
                out[row * count + j] = 0
                continue
            total = weights[k] * x[first + places[k]]
            for more in range(k + 1, end):
                if weights[more] != 0:
                    total += weights[more] * x[first + places[more]]
            out[row * count + j] = total
    return 0


def plan_resample_back(p: Planner, g: Buffer, places: Buffer, weights: Buffer, out: Buffer, *, axis: int) -> None:
    """Add the step that fills `out` (…, n, …) with what g (…, m, …) has for each place: the transpose of `resample`."""
    lead, inner = math.prod(out.shape[:axis]), math.prod(out.shape[axis + 1 :])
    count, length, taps = g.shape[axis], out.shape[axis], places.shape[1]
    if inner == 1:
        p.step(
            resample_back_last.address(T=g.code), contiguous(p, g), contiguous(p, places), contiguous(p, weights), out,
            length, count, taps, units=lead, grain=split(lead, length + taps * count * 1.5),
        )  # fmt: skip
        return
    p.step(
        resample_back.address(T=g.code), contiguous(p, g), contiguous(p, places), contiguous(p, weights), out, length,
        count, taps, inner, units=lead, grain=split(lead, inner * (length + taps * count) * 0.5 + 5),
    )  # fmt: skip


@irregular
def resample_back(
    lo, hi, scratch, g: "T*", places: "i64*", weights: "T*", out: "T*", length, count, taps, inner
):  # fmt: skip
    for unit in range(lo, hi):
        for i in range(unit * length * inner, (unit + 1) * length * inner):
            out[i] = 0
        for j in range(count):
            source = (unit * count + j) * inner
            for k in range(j * taps, (j + 1) * taps):
                weight = weights[k]
                if weight != 0:
                    target = (unit * length + places[k]) * inner
                    for i in range(inner):
                        out[target + i] += weight * g[source + i]
    return 0


@irregular
def resample_back_last(lo, hi, scratch, g: "T*", places: "i64*", weights: "T*", out: "T*", length, count, taps):
    for row in range(lo, hi):
        first = row * length
        for i in range(first, first + length):
            out[i] = 0
        for j in range(count):
            value = g[row * count + j]
            for k in range(j * taps, (j + 1) * taps):
                weight = weights[k]
                if weight != 0:
                    out[first + places[k]] += weight * value
    return 0


def plan_unfold(p: Planner, x: Buffer, out: Buffer, *, window: tuple, counts: tuple, steps: tuple) -> None:
    """Add the step that fills `out` (planes · rows of the window · columns, windows) from x (planes, H, W).

    `window`, `counts` and `steps` are (rows, columns) of a window, how many windows there are (down, across), and
    (stride down, across, dilation down, across, padding above, on the left).
    """
    units = x.shape[0] * window[0] * window[1]
    p.step(
        unfold.address(T=raw(x).code), raw(contiguous(p, x)), raw(out), *x.shape[1:], *counts, *window, *steps,
        units=units, grain=split(units, counts[0] * counts[1] * 0.7 + 5),
    )  # fmt: skip


@irregular
def unfold(
    lo, hi, scratch, x: "T*", out: "T*", height, width, rows, columns, high, wide, down, across, spread_down,
    spread_across, top, left,
):  # fmt: skip
    for unit in range(lo, hi):
        s, r, plane = unit % wide, unit // wide % high, unit // wide // high
        for p in range(rows):
            y = p * down + r * spread_down - top
            for q in range(columns):
                z = q * across + s * spread_across - left
                at = (unit * rows + p) * columns + q
                if 0 <= y < height and 0 <= z < width:
                    out[at] = x[(plane * height + y) * width + z]
                else:
                    out[at] = 0
    return 0


def plan_fold(p: Planner, x: Buffer, out: Buffer, *, window: tuple, counts: tuple, steps: tuple) -> None:
    """Add the step that fills `out` (planes, H, W) with the sums of the windows that cover each place: the transpose of
    `unfold`."""
    planes, work = out.shape[0], math.prod((*window, *counts))
    p.step(
        fold.address(T=x.code), contiguous(p, x), out, *out.shape[1:], *counts, *window, *steps,
        units=planes, grain=split(planes, work * 0.7 + 5),
    )  # fmt: skip


@irregular
def fold(
    lo, hi, scratch, x: "T*", out: "T*", height, width, rows, columns, high, wide, down, across, spread_down,
    spread_across, top, left,
):  # fmt: skip
    for plane in range(lo, hi):
        for i in range(plane * height * width, (plane + 1) * height * width):
            out[i] = 0
        for r in range(high):
            for s in range(wide):
                unit = (plane * high + r) * wide + s
                for p in range(rows):
                    y = p * down + r * spread_down - top
                    if 0 <= y < height:
                        for q in range(columns):
                            z = q * across + s * spread_across - left
                            if 0 <= z < width:
                                out[(plane * height + y) * width + z] += x[(unit * rows + p) * columns + q]
    return 0
