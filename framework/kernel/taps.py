"""Kernels of sums over taps, where each element of the result has places and weights of its own.

All are parts of one sum, over n, c, t and p, of input[n, c, places[n, t, p]] · weights[n, t, p] · gradient[n, c, p]: its
derivatives by the gradient (`plan_tap_sums`), the input (`plan_tap_sums_back`) and the weights (`plan_tap_products`). Each
adds in the order of the axes. A place outside of the input has a zero, and takes nothing.
"""

from __future__ import annotations

from anfora.kernel.irregular import irregular
from anfora.kernel.loops import contiguous
from anfora.kernel.plan import Buffer, Planner, split

__all__ = ["plan_tap_products", "plan_tap_sums", "plan_tap_sums_back"]


def plan_tap_sums(p: Planner, x: Buffer, weights: Buffer, places: Buffer, out: Buffer) -> None:
    """Add the step that fills `out` (N, C, P) from x (N, C, A), and weights and places (N, T, P)."""
    n, c, area = x.shape
    _, taps, count = places.shape
    units = n * c * count  # one place in one channel each: there may be many in a single one
    p.step(
        tap_sums.address(T=x.code), contiguous(p, x), contiguous(p, weights), contiguous(p, places), out, c, area, taps,
        count, units=units, grain=split(units, taps * 1.2),
    )  # fmt: skip


@irregular
def tap_sums(lo, hi, scratch, x: "T*", weights: "T*", places: "i64*", out: "T*", channels, area, taps, count):
    for plane in range(lo // count, (hi - 1) // count + 1):
        first = plane // channels * taps * count
        for i in range(max(lo - plane * count, 0), min(hi - plane * count, count)):
            total = tap(x, plane * area, area, places[first + i], weights[first + i])
            for at in range(first + count + i, first + taps * count + i, count):
                total += tap(x, plane * area, area, places[at], weights[at])
            out[plane * count + i] = total
    return 0


def tap(x, first, area, place, factor):
    """What lies at a place times a factor; outside zero times the factor, which is not a number for an infinite one."""
    if 0 <= place < area:
        return x[first + place] * factor
    return factor - factor


def plan_tap_sums_back(p: Planner, g: Buffer, weights: Buffer, places: Buffer, out: Buffer) -> None:
    """Add the step that fills `out` (N, C, A) with what g (N, C, P) has for each place."""
    n, c, area = out.shape
    _, taps, count = places.shape
    p.step(
        tap_sums_back.address(T=g.code), contiguous(p, g), contiguous(p, weights), contiguous(p, places), out, c, area,
        taps, count, units=n * c, grain=split(n * c, count * taps * 1.5 + area * 0.1 + 5),
    )  # fmt: skip


@irregular
def tap_sums_back(lo, hi, scratch, g: "T*", weights: "T*", places: "i64*", out: "T*", channels, area, taps, count):
    for plane in range(lo, hi):
        for i in range(plane * area, (plane + 1) * area):
            out[i] = 0
        for k in range(taps):
            first = (plane // channels * taps + k) * count
            for i in range(count):
                place = places[first + i]
                if 0 <= place < area:
                    out[plane * area + place] += weights[first + i] * g[plane * count + i]
    return 0


def plan_tap_products(p: Planner, x: Buffer, g: Buffer, places: Buffer, out: Buffer) -> None:
    """Add the step that fills `out` (N, T, P) with the sums over channels of what lies at the places times g (N, C, P)."""
    n, c, area = x.shape
    _, taps, count = places.shape
    p.step(
        tap_products.address(T=x.code), contiguous(p, x), contiguous(p, g), contiguous(p, places), out, c, area, taps,
        count, units=n * taps, grain=split(n * taps, count * c * 1.2 + 5),
    )  # fmt: skip


@irregular
def tap_products(lo, hi, scratch, x: "T*", g: "T*", places: "i64*", out: "T*", channels, area, taps, count):
    for unit in range(lo, hi):
        n = unit // taps
        for i in range(unit * count, (unit + 1) * count):
            out[i] = 0
        for c in range(n * channels, (n + 1) * channels):
            for i in range(count):
                out[unit * count + i] += tap(x, c * area, area, places[unit * count + i], g[c * count + i])
    return 0
