"""Run a plan through ctypes: the plain route, for interpreters whose structs the native glue does not recognise.

It is also the readable statement of what a plan means, and the tests' way to deal chunks in any order.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable, Sequence

from anfora.kernel.plan import Buffer, Plan, Step

__all__ = ["run"]

_prototype = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)


def run(plan: Plan, addresses: Sequence[int], order: Callable[[int], Sequence[int]] = range) -> int:
    """Run the steps on the buffers at `addresses` (inputs, outputs); 0, or the smallest failure code of a step.

    `order` gives, for a number of chunks, the order in which they are run.
    """
    memory = [ctypes.create_string_buffer(size + 64) for size in plan.workspaces]
    data = [*addresses, *(_aligned(block) for block in memory)]
    for step in plan.steps:
        codes = [_run_chunk(step, data, chunk) for chunk in order(step.chunks)]
        failures = [code for code in codes if code]
        if failures:
            return min(failures)
    return 0


def _run_chunk(step: Step, data: list[int], chunk: int) -> int:
    scratch = ctypes.create_string_buffer(step.scratch + 64)
    first = chunk * step.grain
    words = array("q", [first, min(first + step.grain, step.units), _aligned(scratch)])
    words.extend(data[w.index] + w.offset if isinstance(w, Buffer) else w for w in step.words)
    return _prototype(step.kernel)(words.buffer_info()[0])


def _aligned(block: ctypes.Array) -> int:
    return (ctypes.addressof(block) + 63) & ~63
