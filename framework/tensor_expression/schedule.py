"""How a nest is run: which variable fills the lanes of vectors, which make a tile of registers, what threads share.

Loops are as the nest says; a schedule changes neither what is added nor in which order, with one exception: where the
lanes lie along a summed variable, each of 16 lanes sums every 16th point, and the 16 sums are then added in halves (8 and
8, 4 and 4, …). Whether that is so follows from shapes and text alone. So results depend neither on the machine's vectors
nor on the number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from anfora.tensor_expression.affine import Affine, Condition
from anfora.tensor_expression.ir import (
    Access,
    Index,
    Kernel,
    Local,
    LoopNest,
    Move,
    Mutator,
    Value,
    is_gather,
    reads,
    target_of,
    terms_of,
)  # fmt: skip

__all__ = ["LANES", "Part", "Schedule", "Work", "schedule", "work_of"]

LANES = 16  #: of every vector, whatever the machine has
_LANE = "(lane)"  #: the variable of a vector where no other can be: of one iteration


@dataclass(frozen=True)
class Part:
    """A term with positions in memory for indices: each access has one index, the position of the element."""

    value: Value
    loops: tuple[tuple[str, int], ...]  #: the summed variables, outermost first
    guards: tuple[Condition, ...]

    @property
    def points(self) -> int:
        return math.prod(extent for _, extent in self.loops)


@dataclass(frozen=True)
class Work:
    """A nest, as code is written for it."""

    elem: str  #: f32, f64 or i32
    target: str
    place: Affine  #: the position of the element that is written
    spatial: tuple[tuple[str, int], ...]
    parts: tuple[Part, ...]
    form: str  #: `sum` of the parts into an element, `direct`: one value, `add` to elements

    def accesses(self) -> Iterable[tuple[int, Affine]]:
        """How often, and where, for every access."""
        for part in self.parts:
            for access in reads(part.value):
                yield part.points, access.indices[0]

    @property
    def names(self) -> tuple[str, ...]:
        """The tensors it touches; the target first."""
        return tuple(dict.fromkeys([self.target, *(a.name for part in self.parts for a in reads(part.value))]))


@dataclass(frozen=True)
class Schedule:
    """The plan of a nest.

    A unit is one tile of elements in all variables of `outer` and `tile`, and `blocks` blocks along the lanes.
    """

    work: Work
    lane: tuple[str, int]
    is_partial: bool  #: the lanes lie along a summed variable
    unroll: int  #: vectors side by side
    tile: tuple[tuple[str, int, int], ...]  #: variables with their extents and how many are taken at once
    outer: tuple[tuple[str, int], ...]
    blocks: int  #: along the lanes, in a unit
    nanoseconds: float  #: of a unit, about

    @property
    def groups(self) -> int:
        """How many units lie along the lanes."""
        if self.is_partial or self.work.form == "add":
            return 1
        return -(-self.all_blocks // self.blocks)

    @property
    def all_blocks(self) -> int:
        return -(-self.lane[1] // (LANES * self.unroll))

    @property
    def units(self) -> int:
        outer = math.prod(extent for _, extent in self.outer)
        return outer * math.prod(extent // count for _, extent, count in self.tile) * self.groups


class _Flatten(Mutator):
    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def mutate_Access(self, node: Access) -> Access:
        return Access(node.name, (self.kernel.variables[node.name].flat(node.indices),))


def work_of(kernel: Kernel, nest: LoopNest) -> Work:
    """What a nest does, in positions."""
    elem = {"float32": "f32", "float64": "f64", "int32": "i32"}[kernel.dtype]
    target = target_of(nest)
    place = kernel.variables[target.name].flat(target.indices)
    flatten = _Flatten(kernel)
    terms = terms_of(nest)
    if not is_gather(nest):
        [term] = terms
        spatial = _pairs(loop for loop in term.loops if loop.kind == "spatial")
        part = Part(flatten.mutate(term.value), _pairs(term.loops[len(spatial) :]), term.guards)
        return Work(elem, target.name, place, spatial, (part,), "add")
    spatial = _pairs(nest.indices)
    parts = tuple(Part(flatten.mutate(t.value), _pairs(t.loops[len(spatial) :]), t.guards) for t in terms)
    is_direct = not any(isinstance(m, Move) and isinstance(m.target, Local) for m in nest.body)
    return _merged(Work(elem, target.name, place, spatial, parts, "direct" if is_direct else "sum"))


def _pairs(loops: Iterable[Index]) -> tuple[tuple[str, int], ...]:
    return tuple((loop.name, loop.extent) for loop in loops)


def _merged(work: Work) -> Work:
    """Neighbouring spatial variables that walk all tensors like one become one."""
    guarded = {name for part in work.parts for guard in part.guards for name in guard.names()}
    at = len(work.spatial) - 1
    while at > 0:
        (a, n), (b, m) = work.spatial[at - 1 : at + 1]
        places = [work.place, *(place for _, place in work.accesses())]
        steps = [(place.coefficient(a), place.coefficient(b)) for place in places]
        if a not in guarded and b not in guarded and all(
            x is not None and y is not None and x == y * m for x, y in steps
        ):  # fmt: skip
            without = _Without(a)
            parts = tuple(replace(part, value=without.mutate(part.value)) for part in work.parts)
            spatial = (*work.spatial[: at - 1], (b, n * m), *work.spatial[at + 1 :])
            work = replace(work, parts=parts, spatial=spatial, place=work.place.substitute({a: Affine()}))
        at -= 1
    return work


class _Without(Mutator):
    """Leaves a variable out of positions."""

    def __init__(self, name: str) -> None:
        self.values = {name: Affine()}

    def mutate_Access(self, node: Access) -> Access:
        return Access(node.name, (node.indices[0].substitute(self.values),))


def schedule(work: Work, vector_bytes: int, registers: int) -> Schedule:
    """The plan of a nest on a machine with vector registers of so many bytes."""
    candidates = []
    for name, extent in work.spatial:
        if work.form != "add" or work.place.coefficient(name):
            candidates.append((_spatial_cost(work, name, extent), name, extent, False))
    if len(work.parts) == 1:
        for name, extent in work.parts[0].loops:
            if work.form == "sum":
                candidates.append((_partial_cost(work, name, extent), name, extent, True))
            elif work.place.coefficient(name):
                candidates.append((_spatial_cost(work, name, extent), name, extent, False))
    if not candidates:  # a variable of one iteration, so that there is one
        work = replace(work, place=work.place + Affine.variable(_LANE))
        candidates = [(0.0, _LANE, 1, False)]
    _, lane, extent, is_partial = min(candidates, key=lambda c: c[0])
    outer = [pair for pair in work.spatial if pair[0] != lane]
    bytes_each = 8 if work.elem == "f64" else 4
    budget = max(1, registers * 5 // 8 // -(-LANES * bytes_each // vector_bytes))
    vectors = -(-extent // LANES)
    unroll = 1
    if not is_partial and work.form != "add":
        unroll = -(-vectors // -(-vectors // min(4, budget)))
    tile: list[tuple[str, int, int]] = []
    if work.form == "sum":
        tile = _tile(work, outer, budget // unroll, math.isqrt(budget) if is_partial else budget // unroll)
        outer = [pair for pair in outer if pair[0] not in {name for name, _, _ in tile}]
    elements = math.prod(count for _, _, count in tile)
    points = sum(part.points * (len(reads(part.value)) + 1) for part in work.parts) or 1
    if is_partial or work.form == "add":
        blocks = vectors
        nanoseconds = 0.1 * points * elements / (min(extent, LANES) if is_partial else 1) + 5
    else:
        each = 0.3 * points * elements * unroll + 1
        blocks = max(1, min(-(-vectors // unroll), round(2000 / each)))
        nanoseconds = each * blocks + 5
    return Schedule(work, (lane, extent), is_partial, unroll, tuple(tile), tuple(outer), blocks, nanoseconds)


def _weight(place: Affine, name: str) -> float:
    """What reading 16 lanes along a variable costs, about."""
    step = place.coefficient(name)
    return 0.5 if step == 0 else 1.0 if step == 1 else 24.0 if step is None else 16.0


def _body_cost(work: Work, name: str) -> float:
    """Of all points of 16 lanes along a variable."""
    total = 0.0
    for part in work.parts:
        masks = sum(name in guard.names() for guard in part.guards)
        total += part.points * (1 + masks + sum(_weight(a.indices[0], name) for a in reads(part.value)))
    return total


def _spatial_cost(work: Work, name: str, extent: int) -> float:
    """Nanoseconds for an element, about."""
    use = extent / (-(-extent // LANES) * LANES)
    times = 1 / work.parts[0].points if work.form == "add" and name in dict(work.parts[0].loops) else 1
    stores = work.parts[0].points if work.form == "add" else 1
    return times * (_body_cost(work, name) + stores * _weight(work.place, name)) / use / LANES


def _partial_cost(work: Work, name: str, extent: int) -> float:
    use = extent / (-(-extent // LANES) * LANES)
    return _body_cost(work, name) / use / LANES + 40


def _tile(work: Work, outer: list[tuple[str, int]], budget: int, most: int) -> list[tuple[str, int, int]]:
    """Up to two variables whose neighbours use the same loads, and how many at once; their extents are multiples."""
    guarded = {name for part in work.parts for guard in part.guards for name in guard.names()}
    if all(part.points == 1 for part in work.parts):
        return []
    found = []
    for name, extent in outer:
        shared = sum(points for points, place in work.accesses() if place.coefficient(name) == 0)
        if name not in guarded and shared and extent > 1:
            found.append((shared, extent, name))
    tile: list[tuple[str, int, int]] = []
    for _, extent, name in sorted(found, reverse=True)[:2]:
        count = max(c for c in range(1, max(1, min(budget, most)) + 1) if extent % c == 0)
        if count > 1:
            tile.append((name, extent, count))
            budget //= count
    return tile
