"""Fusion: elementwise operators that follow from each other share one loop, and what they hand on stays in registers.

A *group* is a set of elementwise tasks over one shape. It runs where its last member stood, so it may only grow while
nobody else has touched what its members made, nor written what they read; then moving them changes nothing. Each value is
rounded as memory would round it (kernel/compose.py): the bits are those of the single loops.

What follows from a product or a convolution may be a group with that as its *head*: its kernel does the rest with each sum
(kernel/ends.py), if nobody else wants what lies between. Else the head runs by itself, and the loop behind it.

Not fused: operators that can fail, since the loop could not say which of them did; operands without neighbours along the
last axis, which would take the vectors from all members; and loops over short rows, which are mostly masked, but behind a
head.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from anfora.core.own_builtins import undisturbed
from anfora.graph.ir.planned import OperatorCall
from anfora.graph.lower.arena import Kind, Place, Root, Task
from anfora.graph.passes.pipeline import is_on
from anfora.kernel.compose import Composed, Given, Made, Member
from anfora.kernel.ends import follows
from anfora.kernel.loops import identity, merge_axes, plan_elementwise
from anfora.kernel.memory import compute_elem
from anfora.kernel.plan import Buffer, Elements, Plan, Planner

__all__ = ["Scalars", "can_be_scalar", "can_fail", "fuse", "scalars"]

_MOST_MEMBERS = 24
_MOST_OPERANDS = 12  #: that a loop reads from memory: they and what is handed on share the vector registers
_DEAR = 0.3  #: nanoseconds an element, above which a body does better in a loop that has several vectors at work
_SHORTEST_ROW = 64  #: elements of the innermost axis, where not all operands are contiguous

#: The elements of an array, in the order of the loop: where it starts, its strides for the shape of the group.
Key = tuple[Root, int, tuple[int, ...]]
_ANYHOW: Any = object()  #: a key for what is read in another order


class _Pattern(NamedTuple):
    """How an elementwise plan walks its operands."""

    elements: Elements
    shape: tuple[int, ...]
    walks: list[tuple[int, int, tuple[int, ...]]]  #: for each operand of the body: buffer, offset, strides
    is_long: bool  #: whether its rows are worth a loop that is shared


class _Candidate(NamedTuple):
    """A task that can be a member of a group."""

    task: Task
    elements: Elements
    shape: tuple[int, ...]
    reads: list[Key]
    writes: list[Key]
    is_long: bool


class _Head(NamedTuple):
    """A task whose kernel can do more with each element of its output."""

    task: Task
    output: Buffer
    axis: int  #: along which operands of that may vary alone

    @property
    def key(self) -> Key:
        [place] = self.task.outputs
        return place.root, place.offset, _walk(self.output.strides, self.output.shape)

    def takes(self, candidate: _Candidate) -> bool:
        """Whether its kernel can compute a candidate, from what it has computed so far and from memory."""
        elements, elem = candidate.elements, compute_elem(self.output.code)
        if candidate.shape != self.output.shape or getattr(elements.body, "is_partial", False):
            return False
        if elements.nanoseconds > _DEAR:
            return False
        [*others, (result, kind)] = (*elements.inputs, *elements.outputs)
        if len(elements.outputs) > 1 or (result.code, kind) != (self.output.code, elem):
            return False
        return all(kind == compute_elem(buffer.code) == elem for buffer, kind in others) and all(
            follows(self.output, strides, self.axis) for _, _, strides in (*candidate.reads, *candidate.writes)
        )


@dataclass(eq=False)
class _Group:
    """Members of one loop."""

    shape: tuple[int, ...]
    members: list[int] = field(default_factory=list)  #: positions among the tasks
    reads: dict[Root, set[Key]] = field(default_factory=dict)
    writes: dict[Root, Key] = field(default_factory=dict)
    operands: int = 0  #: how many arrays it reads that it has not made
    is_open: bool = True
    head: int | None = None  #: the position of the task whose sums the members go on with

    def agrees(self, candidate: _Candidate) -> bool:
        """Whether all who write a piece of memory, and those who read it, walk it in the same way."""
        for key in candidate.reads:
            if self.writes.get(key[0], key) != key:
                return False
        for key in candidate.writes:
            keys = self.reads.get(key[0])
            if self.writes.get(key[0], key) != key or (keys is not None and keys != {key}):
                return False
        return True


@undisturbed
def fuse(tasks: Sequence[Task]) -> list[Task]:
    """The tasks with groups of elementwise ones made one; the order of all others stays."""
    grouping = _Grouping(tasks)
    grouping.run()
    groups, candidates, heads = grouping.groups, grouping.candidates, grouping.heads
    uses = _uses(tasks)
    fused: list[Task] = []
    for position, task in enumerate(tasks):
        group = groups.get(position)
        if group is None or len(group.members) == 1:
            fused.append(task)
        elif group.members[-1] == position:
            members = [candidates[i] for i in group.members if i != group.head]
            if group.head is None:
                fused += _joined(members, uses)
            else:
                fused += _behind(heads[group.head], members, uses)
    return fused


class _Grouping:
    """The walk over the tasks that forms groups."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self.tasks = tasks
        self.patterns: dict[int, _Pattern | None] = {}  #: of plans, which many operators share
        self.groups: dict[int, _Group] = {}
        self.candidates: dict[int, _Candidate] = {}
        self.heads: dict[int, _Head] = {}
        self._has_heads = is_on("fuse_ends")
        self.readers: dict[Root, list[_Group]] = {}  #: groups that read a piece of memory; some are closed
        self.writers: dict[Root, _Group] = {}  #: the last group that wrote one
        self.in_place: list[_Group] = []  #: open groups that change memory which was there before

    def run(self) -> None:
        """Fill `groups`, and `candidates` and `heads`, by the positions of tasks."""
        for position, task in enumerate(self.tasks):
            candidate = self._candidate(task)
            may_fail = can_fail(task)
            if may_fail:  # a failure must find all that was written before it, and nothing else
                for group in self.in_place:
                    group.is_open = False
                self.in_place.clear()
            if candidate is None or may_fail:
                self._close(task, None)
                if self._has_heads and not may_fail:
                    self._begin_behind(position, task)
            else:
                self._place(position, candidate)

    def _begin_behind(self, position: int, task: Task) -> None:
        """Begin a group whose head is a task, if it can be one."""
        entry = None if task.call is None else task.call.entry
        if entry is None or entry.program is None or task.plan is not entry.program.plan:
            return
        axis = entry.end_axis
        if axis is None:
            return
        head = self.heads[position] = _Head(task, Buffer.of(0, task.outputs[0].layout), axis)
        group = _Group(head.output.shape, [position], head=position)
        self.groups[position] = group
        for place in task.inputs:
            if place is not None and place.root not in group.reads:
                group.reads[place.root] = {_ANYHOW}
                self.readers.setdefault(place.root, []).append(group)
        group.writes[head.key[0]] = head.key
        self.writers[head.key[0]] = group

    def _candidate(self, task: Task) -> _Candidate | None:
        if id(task.plan) not in self.patterns:
            self.patterns[id(task.plan)] = _pattern(task)
        pattern = self.patterns[id(task.plan)]
        if pattern is None:
            return None
        elements, shape, walks, is_long = pattern
        count = len(elements.inputs)
        return _Candidate(task, elements, shape, _keys(task, walks[:count]), _keys(task, walks[count:]), is_long)

    def _place(self, position: int, candidate: _Candidate) -> None:
        """Add a candidate to the groups it follows from, which become one, or to a new one."""
        self.candidates[position] = candidate
        group = None
        for key in candidate.reads:
            other = self.writers.get(key[0])
            if other is None or not other.is_open or other is group or other.shape != candidate.shape:
                continue
            if other.head is not None and not self.heads[other.head].takes(candidate):
                continue
            if other.agrees(candidate) and (group is None or self._fit(group, other)):
                group = other if group is None else self._merge(group, other)
        if group is not None and not _fits(group, candidate):
            group = None
        if not candidate.is_long and (group is None or group.head is None):
            self._close(candidate.task, None)
            return
        if group is None:
            group = _Group(candidate.shape)
        self._close(candidate.task, group)
        self.groups[position] = group
        group.members.append(position)
        for key in candidate.reads:
            keys = group.reads.get(key[0])
            if keys is None:
                keys = group.reads[key[0]] = set()
                self.readers.setdefault(key[0], []).append(group)
            if key not in keys and key[0] not in group.writes:
                group.operands += 1
            keys.add(key)
        for key in candidate.writes:
            group.writes[key[0]] = key
            self.writers[key[0]] = group
        if any(place.root.is_written for place in candidate.task.outputs):
            self.in_place.append(group)

    def _fit(self, group: _Group, other: _Group) -> bool:
        """Whether two groups can be one."""
        if len(group.members) + len(other.members) >= _MOST_MEMBERS or group.operands + other.operands > _MOST_OPERANDS:
            return False
        if group.head is None:
            group, other = other, group
        if group.head is None:
            return True
        head = self.heads[group.head]
        return other.head is None and all(head.takes(self.candidates[i]) for i in other.members)

    def _merge(self, group: _Group, other: _Group) -> _Group:
        """Both groups as one."""
        group.members = sorted([*group.members, *other.members])
        group.head = other.head if group.head is None else group.head
        group.operands += other.operands
        for position in other.members:
            self.groups[position] = group
        for root, keys in other.reads.items():
            group.reads.setdefault(root, set()).update(keys)
            self.readers[root].append(group)
        for root, key in other.writes.items():
            group.writes[root] = key
            self.writers[root] = group
        if other in self.in_place:
            self.in_place.append(group)
        other.is_open = False
        return group

    def _close(self, task: Task, own: _Group | None) -> None:
        """Close the groups, but its own, that a task conflicts with: those that made what it uses, or use what it
        writes."""
        for place in (*task.inputs, *task.outputs):
            if place is not None:
                writer = self.writers.get(place.root)
                if writer is not None and writer is not own:
                    writer.is_open = False
        for place in task.outputs:
            for reader in self.readers.get(place.root, ()):
                if reader is not own:
                    reader.is_open = False


def _fits(group: _Group, candidate: _Candidate) -> bool:
    return len(group.members) < _MOST_MEMBERS and group.operands + len(candidate.reads) <= _MOST_OPERANDS


def _pattern(task: Task) -> _Pattern | None:
    """How a task walks its operands, if it can be a member of a group; it follows from the plan."""
    if task.plan is None or len(task.plan.steps) != 1:
        return None
    elements = task.plan.steps[0].elements
    if elements is None:
        return None
    count = len(task.inputs) + len(task.outputs)
    if any(buffer.index >= count for buffer, _ in (*elements.inputs, *elements.outputs)):
        return None
    if _is_of_pairs(elements):
        return None
    shape = elements.outputs[0][0].shape
    buffers = [buffer.broadcast(shape) for buffer, _ in (*elements.inputs, *elements.outputs)]
    lengths, strides = merge_axes(shape, [buffer.strides for buffer in buffers])
    if any(step not in (0, buffer.dtype.itemsize) for step, buffer in zip(strides[-1], buffers)):
        return None
    walks = [(buffer.index, buffer.offset, _walk(buffer.strides, shape)) for buffer in buffers]
    return _Pattern(elements, shape, walks, len(lengths) == 1 or lengths[-1] >= _SHORTEST_ROW)


def _walk(strides: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(step if length > 1 else 0 for step, length in zip(strides, shape))


def _keys(task: Task, walks: Sequence[tuple[int, int, tuple[int, ...]]]) -> list[Key]:
    places = (*task.inputs, *task.outputs)
    keys = []
    for index, offset, strides in walks:
        place = places[index]
        assert place is not None
        keys.append((place.root, place.offset + offset, strides))
    return keys


def _uses(tasks: Iterable[Task]) -> dict[Root, int]:
    """How often each piece of memory is an operand."""
    uses: dict[Root, int] = {}
    for task in tasks:
        for place in (*task.inputs, *task.outputs):
            if place is not None:
                uses[place.root] = uses.get(place.root, 0) + 1
    return uses


class _Joint:
    """What members compute, as one body."""

    def __init__(self, members: Sequence[_Candidate], uses: dict[Root, int], head: _Head | None = None) -> None:
        self.members = members
        own = _uses([*([head.task] if head is not None else ()), *(member.task for member in members)])
        made: dict[Key, tuple[int, int, str]] = {}  #: by which member, which of its results, stored as which type
        given: dict[tuple[Key, str, str], int] = {}
        composed = []
        first = 0
        if head is not None:  # its sum is the first operand, and is narrowed as it would be stored
            composed.append(Member(identity, (Given(0),)))
            made[head.key] = (0, 0, head.output.code)
            first = 1
        self.inputs: list[tuple[Place, Buffer, str]] = []
        self.outputs: list[tuple[tuple[int, int], Place, Buffer, str]] = []  #: which result of which member, and where
        stored: dict[Key, tuple[tuple[int, int], Place, Buffer, str]] = {}
        for number, member in enumerate(members, first):
            places = (*member.task.inputs, *member.task.outputs)
            operands: list[Given | Made] = []
            for key, (buffer, elem) in zip(member.reads, member.elements.inputs):
                if key in made:
                    operands.append(Made(*made[key], buffer.code, elem))
                    continue
                index = given.setdefault((key, buffer.code, elem), first + len(self.inputs))
                if index == first + len(self.inputs):
                    place = places[buffer.index]
                    assert place is not None
                    self.inputs.append((place, buffer, elem))
                operands.append(Given(index))
            composed.append(Member(member.elements.body, tuple(operands)))
            for result, (key, (buffer, elem)) in enumerate(zip(member.writes, member.elements.outputs)):
                made[key] = (number, result, buffer.code)
                root = key[0]
                if root.kind is not Kind.ARENA or own[root] < uses[root]:
                    place = places[buffer.index]
                    assert place is not None
                    stored[key] = ((number, result), place, buffer, elem)
        self.outputs = list(stored.values())
        self.body = Composed(tuple(composed), tuple(result for result, *_ in self.outputs))

    def task(self, plan: Plan, inputs: Sequence[Place | None], *before: OperatorCall) -> Task:
        """The one task for all members, and what was computed before them."""
        calls = [*before, *(call for member in self.members for call in member.task.calls)]
        inputs = [*inputs, *(place for place, _, _ in self.inputs)]
        return Task(plan, inputs, [place for _, place, _, _ in self.outputs], self.members[-1].task.call, calls)


def _joined(members: Sequence[_Candidate], uses: dict[Root, int]) -> Iterable[Task]:
    """One task for all members; none if nothing of it is wanted."""
    joint = _Joint(members, uses)
    if not joint.outputs:
        return
    inputs, outputs = joint.inputs, joint.outputs
    planner = Planner(tuple(p.layout for p, _, _ in inputs), tuple(p.layout for _, p, _, _ in outputs))
    plan_elementwise(
        planner,
        joint.body,
        [(buffer.at(i), elem) for i, (_, buffer, elem) in enumerate(inputs)],
        [(buffer.at(i), elem) for i, (_, _, buffer, elem) in enumerate(outputs, len(inputs))],
        sum(member.elements.nanoseconds for member in members),
    )
    yield joint.task(planner.finish(), ())


def _behind(head: _Head, members: Sequence[_Candidate], uses: dict[Root, int]) -> Iterable[Task]:
    """The head with its members; where more than their last value is wanted, the head and a loop."""
    joint, task = _Joint(members, uses, head), head.task
    root = task.outputs[0].root
    wanted = uses[root] - sum(
        place is not None and place.root is root for each in members for place in each.task.inputs
    )
    if len(joint.outputs) == 1 and wanted == 1 and root.kind is Kind.ARENA:
        [(_, place, buffer, _)] = joint.outputs
        read = [*task.inputs, *(each for each, _, _ in joint.inputs)]
        is_apart = all(each is None or each.root is not place.root for each in read)
        if is_apart and not buffer.offset and place.layout is task.outputs[0].layout:
            assert task.call is not None
            shape = head.output.shape
            operands = [(each.layout, operand.broadcast(shape)) for each, operand, _ in joint.inputs]
            yield joint.task(task.call.entry.plan_with_end(joint.body, operands), task.inputs, *task.calls)
            return
    yield task
    yield from _joined(members, uses) if len(members) > 1 else (members[0].task,)


# -- single elements --------------------------------------------------------------------------------------------------

_MOST_SINGLES = 48  #: operators of a scalar loop: LLVM takes about a millisecond for each

Spot = tuple[Root, int]  #: where a single element lies: a piece of memory, and an offset in it


class Scalars(NamedTuple):
    """Tasks on single elements as one body."""

    body: Composed
    given: list[tuple[Place, str, str]]  #: for each operand: where it lies, as which code it is loaded, machine type
    stored: list[str]  #: for each result: the code of its buffer


def can_be_scalar(tasks: Sequence[Task]) -> bool:
    """Whether all tasks are elementwise, on single elements."""
    return 0 < len(tasks) <= _MOST_SINGLES and all(map(_is_single, tasks))


def can_fail(task: Task) -> bool:
    """Whether the data may be such that the task fails."""
    return task.plan is None or (task.call is not None and task.call.entry.may_fail)


def _is_single(task: Task) -> bool:
    if task.plan is None or len(task.plan.steps) != 1:
        return False
    elements = task.plan.steps[0].elements
    if elements is None or _is_of_pairs(elements):
        return False
    return all(buffer.size == 1 for buffer, _ in (*elements.inputs, *elements.outputs))


def _is_of_pairs(elements: Elements) -> bool:
    """Whether some numbers are complex: the parts of these may be views, so what lies at a place has no one type."""
    return any(buffer.dtype.is_complex for buffer, _ in (*elements.inputs, *elements.outputs))


def scalars(tasks: Sequence[Task], wanted: Sequence[Spot]) -> Scalars | None:
    """The tasks as one body that gives what lies at these spots in the end; None if a spot is not of their making."""
    made: dict[Spot, tuple[int, int, str]] = {}  #: by which member, which of its results, stored as which type
    given: dict[tuple[Spot, str, str], int] = {}
    operands_of_all: list[tuple[Place, str, str]] = []
    members = []
    for number, task in enumerate(tasks):
        assert task.plan is not None
        elements = task.plan.steps[0].elements
        assert elements is not None
        places = (*task.inputs, *task.outputs)

        def spot_of(buffer: Buffer, places: Sequence[Place | None] = places) -> tuple[Place, Spot]:
            place = places[buffer.index]
            assert place is not None
            place = place._replace(offset=place.offset + buffer.offset)
            return place, (place.root, place.offset)

        operands: list[Given | Made] = []
        for buffer, elem in elements.inputs:
            place, spot = spot_of(buffer)
            if spot in made:
                operands.append(Made(*made[spot], buffer.code, elem))
                continue
            index = given.setdefault((spot, buffer.code, elem), len(operands_of_all))
            if index == len(operands_of_all):
                operands_of_all.append((place, buffer.code, elem))
            operands.append(Given(index))
        members.append(Member(elements.body, tuple(operands)))
        for result, (buffer, _) in enumerate(elements.outputs):
            made[spot_of(buffer)[1]] = (number, result, buffer.code)
    if not all(spot in made for spot in wanted):
        return None
    results = [made[spot] for spot in wanted]
    body = Composed(tuple(members), tuple((member, result) for member, result, _ in results))
    return Scalars(body, operands_of_all, [code for _, _, code in results])
