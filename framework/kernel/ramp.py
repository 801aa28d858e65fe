"""Numbers at equal distances, or all the same: start + i · step / parts."""

from __future__ import annotations

import struct

from anfora.kernel import memory
from anfora.kernel.build import recipe
from anfora.kernel.emit import Function, Module, Value
from anfora.kernel.loops import HEADER
from anfora.kernel.plan import Buffer, Planner, split

__all__ = ["plan_ramp"]

_LANES = 8


def plan_ramp(p: Planner, out: Buffer, start: float, step: float, parts: int = 1) -> None:
    """Add the step that fills a 1-d buffer (any stride) with start + i · step / parts.

    Integers are computed modulo 2 ** 64, everything else in float64; the result is rounded once.
    """
    whole = False
    if isinstance(start, int) and isinstance(step, int) and parts == 1:
        whole = True
        words = [_signed(start), _signed(step)]
    else:
        words = list(struct.unpack("<2q", struct.pack("<2d", start, step)))
    adjacent = out.is_contiguous
    p.step(
        ramp.address(out.code, whole, adjacent), out, *words, parts, out.strides[0],
        units=out.size, grain=split(out.size, 0.3 if adjacent else 1.5),
    )  # fmt: skip


def _signed(value: int) -> int:
    return (value + 2**63) % 2**64 - 2**63


@recipe
def ramp(code: str, whole: bool, adjacent: bool) -> Module:
    """words: out | start, step (bits), parts | stride"""
    fn = Function("kernel", [("ptr", "words")])
    out, parts, stride = fn.word(HEADER).pointer(), fn.word(HEADER + 3), fn.word(HEADER + 4)
    elem = "i64" if whole else "f64"
    start, step = fn.word(HEADER + 1).bitcast(elem), fn.word(HEADER + 2).bitcast(elem)
    lo, hi = fn.word(0), fn.word(1)
    numbers = fn.constants(list(range(_LANES)), "i64")
    count = fn.splat(parts.to(elem), _LANES)

    def values(i: Value) -> Value:
        at = (fn.splat(i, _LANES) + numbers).to(elem)
        distance = at * step if whole else at * step / count
        value = distance + start
        return value.to("f32") if code in ("f16", "bf16") else value

    if adjacent:
        whole_end = hi - (hi - lo) % _LANES
        with fn.loop(lo, whole_end, _LANES) as i:
            memory.store(fn, values(i), out, code, i)
        with fn.when(whole_end < hi):
            memory.store_masked(fn, values(whole_end), out, code, fn.mask(hi - whole_end, _LANES), whole_end)
    else:
        with fn.loop(lo, hi) as i:
            memory.store(fn, fn.lane(values(i), 0), out + i * stride, code)
    fn.ret(0)
    return fn.module
