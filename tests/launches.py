"""Every kernel that a program launches, run again under conditions that a wrong kernel does not survive.

Inside `with checked() as seen:` each launch is also done on copies of its buffers that end, or begin, at a page that may
not be touched, workspaces and scratch memory too; in chunks of a few units, dealt backwards; from memory full of other
garbage; and by 3 and 8 threads in these small chunks. All must give the bits, or the failure, of the plain launch; inputs,
and what lies between the elements of a strided output, must stay as they were.
"""

from __future__ import annotations

import ctypes
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
from guarded import Region

import anfora
from anfora.kernel import executor, glue
from anfora.kernel.executor import Program
from anfora.kernel.plan import Buffer, Plan

_prototype = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)


@contextmanager
def checked() -> Iterator[Counter]:
    """Check every launch of a block; gives the number of launches, and of those that were cut into several chunks."""
    plain_launch, python_path, threads = glue.launch, glue.state[1], anfora.get_num_threads()
    seen: Counter = Counter()

    def launch(program: Program, *arrays: np.ndarray | None) -> int:
        return _launch(plain_launch, seen, program, arrays)

    glue.launch, glue.state[1] = launch, 1
    try:
        yield seen
    finally:
        glue.launch, glue.state[1] = plain_launch, python_path
        anfora.set_num_threads(threads)


def _launch(plain_launch: Callable, seen: Counter, program: Program, arrays: Sequence[np.ndarray | None]) -> int:
    plan = program.plan
    trials = []
    for at_end, poison, chunks in ((True, 0xFF, 97), (False, 0x41, 3)):
        copies = Copies(plan, arrays, at_end, poison)
        trials.append((copies, run(finer(plan, chunks), copies.addresses, at_end, poison)))
    for threads in (3, 8):
        anfora.set_num_threads(threads)
        copies = Copies(plan, arrays, True, 0x17)
        trials.append((copies, executor.run(Program(finer(plan, 97)), copies.addresses)))
    anfora.set_num_threads(1)
    code = plain_launch(program, *arrays)
    for copies, found in trials:
        assert found == code
        copies.check(arrays, failed=bool(code))
    seen["launches"] += 1
    seen["cut"] += any(step.chunks > 1 for step in finer(plan, 97).steps)
    return code


def finer(plan: Plan, chunks: int) -> Plan:
    """The plan with every step cut into about so many chunks, or single units."""
    steps = tuple(s if s.is_whole else replace(s, grain=max(1, -(-s.units // chunks))) for s in plan.steps)
    return replace(plan, steps=steps)


class Copies:
    """The buffers of a launch, each alone between protected pages. Buffers that were one stay one."""

    def __init__(self, plan: Plan, arrays: Sequence[np.ndarray | None], at_end: bool, poison: int) -> None:
        self.copies: list[np.ndarray | None] = []
        self.regions: list[Region | None] = []
        self.poison = poison
        self.inputs = len(plan.inputs)
        known: dict[tuple, int] = {}
        for number, given in enumerate(arrays):
            if given is None:
                self.copies.append(None)
                self.regions.append(None)
                continue
            key = (given.__array_interface__["data"][0], given.shape, given.strides)
            if given.size and key in known:
                self.copies.append(self.copies[known[key]])
                self.regions.append(self.regions[known[key]])
                continue
            known[key] = number
            region, copy = _copy(given, at_end, poison, number < self.inputs)
            self.copies.append(copy)
            self.regions.append(region)
        self.addresses = [0 if c is None else c.__array_interface__["data"][0] for c in self.copies]

    def check(self, arrays: Sequence[np.ndarray | None], failed: bool) -> None:
        for copy, region, given in zip(self.copies, self.regions, arrays):
            if copy is None or region is None or given is None:
                continue
            if not failed:
                np.testing.assert_array_equal(_bits(copy), _bits(given))
            gaps, _ = _copy(copy, region.at_end, self.poison, True)
            assert gaps.bytes.tobytes() == region.bytes.tobytes(), "bytes between the elements have changed"


def _copy(given: np.ndarray, at_end: bool, poison: int, filled: bool) -> tuple[Region, np.ndarray]:
    steps = [(n - 1) * step for n, step in zip(given.shape, given.strides)] if given.size else []
    before = -sum(step for step in steps if step < 0)
    room = before + sum(step for step in steps if step > 0) + given.itemsize if given.size else 0
    region = Region(room, at_end, poison)
    copy = np.ndarray(given.shape, given.dtype, region.bytes, before, given.strides)
    if filled:
        copy[...] = given
    return region, copy


def _bits(values: np.ndarray) -> np.ndarray:
    values = np.ascontiguousarray(values)
    return values.reshape(-1).view(np.uint8) if values.size else values


def run(plan: Plan, addresses: Sequence[int], at_end: bool, poison: int) -> int:
    """`kernel.plain.run` with workspaces and scratch memory between protected pages, the last chunk first."""
    spaces = [Region(size, at_end, poison, align=64) for size in plan.workspaces]
    data = [*addresses, *(space.address for space in spaces)]
    for step in plan.steps:
        scratch = Region(step.scratch, at_end, poison, align=64)
        codes = []
        for chunk in reversed(range(step.chunks)):
            scratch.bytes[:] = poison
            first = chunk * step.grain
            words = array("q", [first, min(first + step.grain, step.units), scratch.address])
            words.extend(data[w.index] + w.offset if isinstance(w, Buffer) else w for w in step.words)
            codes.append(_prototype(step.kernel)(words.buffer_info()[0]))
        failures = [code for code in codes if code]
        if failures:
            return min(failures)
    return 0
