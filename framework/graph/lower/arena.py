"""Where the values of a segment lie: pieces of memory, places in them, and the arena for what lies between.

A *root* is a piece of memory: an input, a constant, an array that is made for an output, or a part of the arena. A value
lies at a *place*: a root, an offset in it and a layout; so a view is a place and costs nothing. A *task* is a plan with
the places of its operands. The arena is one block a call; roots whose lives do not overlap share its bytes.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from enum import Enum
from heapq import heappop, heappush
from typing import NamedTuple

from anfora.core.abstract import Layout
from anfora.graph.ir.planned import OperatorCall
from anfora.graph.passes.pipeline import is_on, tell
from anfora.kernel.executor import LINE
from anfora.kernel.plan import Plan

__all__ = ["Kind", "Place", "Root", "Task", "arrange", "extent"]


class Kind(Enum):
    """Who gives the memory of a root."""

    INPUT = 0  #: the caller, with each call
    CONSTANT = 1  #: known since the segment was made
    FRESH = 2  #: an array made for a call: an output
    PYTHON = 3  #: an array that an operator in Python gives
    ARENA = 4

    @property
    def words(self) -> str:
        return ("input", "constant", "new array", "array of Python", "arena")[self.value]


class Root:
    """A piece of memory."""

    __slots__ = ("at", "is_stored", "is_written", "kind", "layout", "nbytes", "number", "origin")

    def __init__(self, kind: Kind, layout: Layout | None, nbytes: int, at: int = 0) -> None:
        self.kind = kind
        self.layout = layout  #: of its array; None for bare bytes
        self.nbytes = nbytes
        self.at = at  #: the offset in the arena, the address of a constant, else 0
        self.origin = 0  #: bytes from the start of the memory to the first element
        self.number = -1  #: which argument of the native programs holds it
        self.is_written = False  #: by an operator that writes in place
        self.is_stored = False  #: of the arena: whether a task keeps something there; else it is in registers


class Place(NamedTuple):
    """Where a value lies."""

    root: Root
    offset: int  #: bytes from the first element of the root
    layout: Layout

    def __str__(self) -> str:
        """In words, for dumps."""
        root, offset, layout = self
        if root.kind is not Kind.ARENA:
            return f"{root.kind.words}, from byte {offset}" if offset else root.kind.words
        start = root.at + root.origin + offset
        return f"arena {start} … {start + layout.size * layout.dtype.itemsize}" if root.is_stored else "registers"


class Task:
    """A plan, or an operator that runs in Python, and where its operands lie."""

    __slots__ = ("call", "calls", "inputs", "outputs", "plan")

    def __init__(
        self,
        plan: Plan | None,
        inputs: Sequence[Place | None],
        outputs: Sequence[Place],
        call: OperatorCall | None,
        calls: Sequence[OperatorCall] = (),
    ) -> None:
        self.plan = plan  #: None for an operator that runs in Python
        self.inputs = inputs
        self.outputs = outputs
        self.call = call  #: what it computes, or the last of that; None where it copies a constant
        #: All of it.
        self.calls = tuple(calls) if calls or call is None else (call,)


def extent(layout: Layout) -> tuple[int, int]:
    """The first byte of an array, counted from its first element, and the one after its last."""
    low = high = 0
    if not layout.size:
        return 0, 0
    for length, step in zip(layout.shape, layout.strides):
        if step < 0:
            low += (length - 1) * step
        else:
            high += (length - 1) * step
    return low, high + layout.dtype.itemsize


class _Life:
    """A piece of the arena: how long it is wanted, and where it lies."""

    __slots__ = ("at", "first", "last", "nbytes")

    def __init__(self, nbytes: int, first: int) -> None:
        self.nbytes = -(-nbytes // LINE) * LINE
        self.first = self.last = first  #: tasks between which its contents matter
        self.at = 0


def arrange(tasks: Sequence[Task], name: str = "") -> tuple[int, list[list[int]]]:
    """Give each root of the arena its offset: the bytes it takes, and for each task the offsets of its workspaces.

    Args:
        tasks: in their order.
        name: of the graph they are of, for the log.

    The largest are placed first, each at the lowest offset that is free as long as it lives: what is small and lives long,
    such as the gradients in front of a step, then leaves no large hole of others divided. Where there are very many, the
    small ones lie behind, in the order of time.
    """
    lives: dict[Root, _Life] = {}
    workspaces: list[list[_Life]] = []
    for time, task in enumerate(tasks):
        for place in (*task.inputs, *task.outputs):
            if place is not None and place.root.kind is Kind.ARENA:
                if place.root not in lives:
                    lives[place.root] = _Life(place.root.nbytes, time)
                lives[place.root].last = time
        workspaces.append([_Life(size, time) for size in (task.plan.workspaces if task.plan is not None else ())])
    if not is_on("share_memory"):  # all live as long as the call
        for life in (*lives.values(), *(own for spaces in workspaces for own in spaces)):
            life.first, life.last = 0, len(tasks)
    every = sorted([*lives.values(), *(own for spaces in workspaces for own in spaces)], key=lambda life: -life.nbytes)
    end = _place_in_order(every[_MOST_BY_SIZE:], _place_by_size(every[:_MOST_BY_SIZE]))
    for root, life in lives.items():
        root.at, root.is_stored = life.at, True
    if every:
        tell("share_memory", name, f"{sum(life.nbytes for life in every):,} bytes → {end:,}")
    return end, [[own.at for own in spaces] for spaces in workspaces]


_MOST_BY_SIZE = 256  #: each is compared with each other


def _place_by_size(lives: Sequence[_Life]) -> int:
    """Place the largest first; gives where they end."""
    placed: list[_Life] = []  # by their offsets
    for life in lives:
        for other in placed:
            if other.first <= life.last and life.first <= other.last:
                if life.at + life.nbytes <= other.at:
                    break
                life.at = max(life.at, other.at + other.nbytes)
        insort(placed, life, key=lambda other: other.at)
    return max((life.at + life.nbytes for life in placed), default=0)


def _place_in_order(lives: Sequence[_Life], start: int) -> int:
    """Place the earliest first, from an offset on; gives where they end."""
    free = _Free()
    alive: list[tuple[int, int, _Life]] = []  # a heap, by their ends
    for number, life in enumerate(sorted(lives, key=lambda life: life.first)):
        while alive and alive[0][0] < life.first:
            _, _, other = heappop(alive)
            free.give_back(other.at - start, other.nbytes)
        life.at = start + free.take(life.nbytes)
        heappush(alive, (life.last, number, life))
    return start + free.end


class _Free:
    """The bytes of the arena that nothing occupies: holes, in order, and all that lies behind the end."""

    def __init__(self) -> None:
        self.end = 0
        self._starts: list[int] = []
        self._stops: list[int] = []

    def take(self, nbytes: int) -> int:
        """The smallest hole that holds so many bytes, or a piece behind the end."""
        nbytes = -(-nbytes // LINE) * LINE
        best = -1
        for i, (start, stop) in enumerate(zip(self._starts, self._stops)):
            size = stop - start
            if size >= nbytes and (best < 0 or size < self._stops[best] - self._starts[best]):
                best = i
        if best < 0:
            if self._stops and self._stops[-1] == self.end:  # the last hole grows
                start = self._starts.pop()
                self._stops.pop()
            else:
                start = self.end
            self.end = start + nbytes
            return start
        start = self._starts[best]
        self._starts[best] += nbytes
        if self._starts[best] == self._stops[best]:
            del self._starts[best], self._stops[best]
        return start

    def give_back(self, start: int, nbytes: int) -> None:
        stop = start + -(-nbytes // LINE) * LINE
        if start == stop:
            return
        i = bisect_left(self._starts, start)
        joins_next = i < len(self._starts) and self._starts[i] == stop
        joins_last = i > 0 and self._stops[i - 1] == start
        if joins_last and joins_next:
            self._stops[i - 1] = self._stops[i]
            del self._starts[i], self._stops[i]
        elif joins_last:
            self._stops[i - 1] = stop
        elif joins_next:
            self._starts[i] = start
        else:
            self._starts.insert(i, start)
            self._stops.insert(i, stop)
