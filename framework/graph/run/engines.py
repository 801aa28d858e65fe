"""Automata of a program, and how they are run: from a point to the first moment that needs Python.

control.py finds the pieces, and what is known of their slots (`Found`); kernel/control.py makes the kernel. An `Engine`
checks what must hold, hands the kernel what it starts with, and builds from what it leaves behind the objects that the
program has there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from anfora.core.abstract import Layout
from anfora.core.tensor import Tensor, view_array
from anfora.eager import dispatch
from anfora.eager.entry import tensor_maker
from anfora.graph.facts.origins import Emitter, Origin
from anfora.graph.lower.arithmetic import ELEMS
from anfora.graph.lower.lower import Door
from anfora.graph.machine.signals import held
from anfora.graph.run.guards import write_guards
from anfora.kernel import control, repeat
from anfora.kernel.control import Automaton, Item, Places, Source, leads_to
from anfora.kernel.executor import LINE

__all__ = ["MOST_BYTES", "Data", "Engine", "Found", "Moment", "Varying", "moves", "numbered"]

MOST_BYTES = 1 << 16  #: of a tensor that changes on the way
_MOST_STACK = 1 << 26  #: bytes for pending calls
_SHORT = 3  #: pieces; an engine that takes Python through fewer, on average, is not worth its start
_FRESH = 1 << 32  #: the first number of an object that is made on the way


class Data(NamedTuple):
    """What is known of a tensor that changes."""

    kind: type
    layout: Layout
    history: bool | None

    @property
    def item(self) -> Item:
        layout = self.layout
        return Item(layout.dtype.code, layout.size * layout.dtype.itemsize)

    @property
    def can_be_copied(self) -> bool:
        return self.kind is Tensor and self.layout.is_contiguous and self.item.nbytes <= MOST_BYTES


class Varying(NamedTuple):
    """What is known of a number that varies."""

    kind: type

    @property
    def item(self) -> Item:
        return Item(ELEMS[self.kind], 8)


def moves(fact: Any) -> bool:
    """Whether what is known of a slot is that it changes."""
    return isinstance(fact, (Data, Varying))


@dataclass
class Found:
    """An automaton, and what belongs to it in Python.

    Attributes:
        nodes: by state.
        programs: of the executor.
        fixed: for each fixed array, how it is found: "origin" or "number"; the origin; type and operator of a number;
            layout and offset of a view.
        guards: that must hold when the kernel starts.
    """

    automaton: Automaton
    nodes: list[Any]
    programs: list[Any]
    fixed: list[tuple]
    guards: list[tuple]
    doors: list[Door]  #: kept, with their constants


def numbered(live: Sequence[tuple[Any, Source | None]]) -> dict[Source, int]:
    """The data that is alive at a call, each value once, and its number in the frame."""
    found: dict[Source, int] = {}
    for _, source in live:
        if source is not None:
            found.setdefault(source, len(found))
    return found


class Moment(NamedTuple):
    """Where an engine has come to: in front of a piece, or behind it.

    Attributes:
        calls: the hops of pending calls and what was alive there, the outermost first.
        point: of the piece.
        values: the slots in front of it; None behind it.
        behind: the piece, and what is alive behind it; None in front of it.
    """

    calls: list[tuple[Any, list[Any]]]
    point: Any
    values: list[Any] | None
    behind: tuple[Any, list[Any]] | None


# -- running ---------------------------------------------------------------------------------------------------------


class _Place(NamedTuple):
    """Where something that is alive is found when the kernel has ended: the number of what is fixed, or the bytes of a
    value and of its number, and what it is."""

    fixed: int
    at: int = 0
    number: int = 0
    fact: Data | Varying | None = None


class Engine:
    """An automaton that can be run.

    Args:
        found: what it is made of.
    """

    def __init__(self, found: Found) -> None:
        self.found = found
        self.variants = [node.variant for node in found.nodes]  #: the pieces that it goes through
        states = found.automaton.states
        #: those that it may go through again and again
        self.repeated = [piece for i, piece in enumerate(self.variants) if leads_to(states, i, i)]
        self.head = self.variants[0]  #: the one that it starts with
        self.runs = self.steps = 0
        self._points = [node.point for node in found.nodes]
        self._address = control.kernel.address(found.automaton)
        self._places = Places(found.automaton)
        self._origins: dict[int, int] = {}  #: by identity of an origin, its number among what is read at the start
        self._read: list[Origin] = []
        for node in found.nodes:
            for fact in (*node.facts, *(fact for fact, _ in node.live)):
                self._note(fact)
        for _, base, *_ in found.fixed:
            self._note(base)
        self._before = [self._slots_of(node) for node in found.nodes]
        self._behind = [self._live_of(node) for node in found.nodes]
        self._waiting = [self._frame_of(node) for node in found.nodes]
        self._given = list(found.nodes[0].slots)
        self._start = self._starter()
        self._frame_bytes = max(self._places.frames.values(), default=0)
        head = control.control_words([program.address for program in found.programs], _FRESH)
        self._arena = self._arenas(head, -(-self._places.nbytes // 8), bool(found.programs))
        self._call = repeat.caller()
        self._make = tensor_maker()

    def _note(self, fact: Any) -> None:
        if isinstance(fact, Origin) and id(fact) not in self._origins:
            self._origins[id(fact)] = len(self._read)
            self._read.append(fact)

    def _starter(self) -> Callable[[Sequence[Any]], tuple[list[Any], list[np.ndarray]] | None]:
        """A function of the slots: what the origins give, and the arrays that the kernel takes; None where a guard does
        not hold, or a number is too large for a register."""
        emit = Emitter()
        emit.constants.update(view=view_array, number=dispatch.number_array, array=np.array)
        write_guards(emit, self.found.guards)
        names = ", ".join([emit.name(origin) for origin in self._read])
        arrays = [self._array(emit, *what) for what in self.found.fixed]
        for slot in self._given:
            fact = self.found.nodes[0].facts[slot]
            arrays.append(f"current(slots[{slot}])._array" if isinstance(fact, Data) else _as_array(f"slots[{slot}]"))
        return emit.function(f"[{names}], [{', '.join(arrays)}]")

    def _array(self, emit: Emitter, kind: str, base: Any, more: Any, layout: Layout | None, at: int) -> str:
        """The text that makes a fixed array."""
        name = emit.name(base)
        if kind == "python":
            return _as_array(name)
        if kind == "number":
            dtype, op = more
            return f"number({name}, {emit.constant(dtype)}, {emit.constant(op)})"
        if layout is None:
            return f"current({name})._array"
        return f"view(current({name})._array, {emit.constant(layout)}, {at})"

    def _slots_of(self, node: Any) -> list[_Place]:
        slots, places, ids = node.slots, self._places.slots[node.number], self._places.slot_ids[node.number]
        return [
            _Place(-1, places[slots[slot]], ids + 8 * slots[slot], fact)
            if moves(fact) else _Place(self._origins[id(fact)])
            for slot, fact in enumerate(node.facts)
        ]  # fmt: skip

    def _live_of(self, node: Any) -> list[_Place]:
        places, number = self._places, node.number
        found = []
        for fact, source in node.live:
            if source is None:
                found.append(_Place(self._origins[id(fact)]))
            elif source.kind == "step":
                found.append(_Place(-1, places.steps[number][source.number], 0, fact))
            else:
                is_slot = source.kind == "slot"
                at = (places.slots if is_slot else places.made)[number][source.number]
                ids = (places.slot_ids if is_slot else places.made_ids)[number]
                found.append(_Place(-1, at, ids + 8 * source.number, fact))
        return found

    def _frame_of(self, node: Any) -> list[_Place]:
        """Where in a frame lies what is alive at a call."""
        places = self._places.saved.get(node.number)
        if places is None:
            return []
        numbers, ids = numbered(node.live), self._places.frames[node.number] - 8 - 8 * len(places)
        return [
            _Place(self._origins[id(fact)]) if source is None
            else _Place(-1, places[numbers[source]], ids + 8 * numbers[source], fact)
            for fact, source in node.live
        ]  # fmt: skip

    @property
    def is_worth_it(self) -> bool:
        """Whether it has taken Python further than its start costs."""
        return self.runs < 100 or self.steps >= _SHORT * self.runs

    def run(self, values: Sequence[Any], room: int) -> Moment | None:
        """Go on from the head as far as possible.

        Args:
            values: what stands in the slots of the head.
            room: so many calls may be pending.
        Returns:
            where it has come to; None if a guard does not hold.
        """
        started = self._start(values)
        if started is None:
            return None
        got, arrays = started
        arena, stack = self._arena(), _NOTHING
        if self._frame_bytes:
            nbytes = min(self._frame_bytes * max(room, 0), _MOST_STACK)
            stack = np.empty(max(nbytes >> 3, 1), np.int64)
            arena[control.STACK], arena[control.DEEPEST] = nbytes, room
        while True:
            self._call(self._address, arena, stack, *arrays)
            self.steps += arena.item(control.STEPS)
            if arena.item(control.HOW) != control.GOES_ON or held:
                break
            again = self._start(values)
            if again is None or any(new is not old for new, old in zip(again[0], got)):
                break
        self.runs += 1
        return self._moment(values, got, arena, stack)

    def _moment(self, values: Sequence[Any], got: list[Any], arena: np.ndarray, stack: np.ndarray) -> Moment:
        objects = _Objects(self, values, got)
        calls: list[tuple[Any, list[Any]]] = []
        top, state = arena.item(control.TOP), arena.item(control.STATE)
        while top:
            state_of_call = stack.item((top >> 3) - 1)
            top -= self._places.frames[state_of_call]
            waiting = objects.at(self._waiting[state_of_call], stack, top)
            calls.append((self.variants[state_of_call].end, waiting))
        calls.reverse()
        point = self._points[state]
        if arena.item(control.HOW) == control.ENDED:
            return Moment(calls, point, None, (self.variants[state], objects.at(self._behind[state], arena, 0)))
        return Moment(calls, point, objects.at(self._before[state], arena, 0), None)

    @staticmethod
    def _arenas(head: np.ndarray, count: int, is_aligned: bool) -> Callable[[], np.ndarray]:
        """A function that gives an arena of so many words, with these at its start."""
        if not is_aligned and count < _SMALL:
            first = np.zeros(count, np.int64)
            first[: len(head)] = head
            return first.copy

        def make() -> np.ndarray:
            arena = _aligned(count)
            arena[: len(head)] = head
            return arena

        return make


class _Objects:
    """The objects of the program, where an engine has ended.

    Args:
        values: what stood in the slots at the start.
        got: what the origins gave.
    """

    __slots__ = ("engine", "fresh", "got", "values")

    def __init__(self, engine: Engine, values: Sequence[Any], got: list[Any]) -> None:
        self.engine, self.values, self.got = engine, values, got
        self.fresh: dict[int, Tensor] = {}

    def at(self, places: Sequence[_Place], memory: np.ndarray, base: int) -> list[Any]:
        """What lies at some places of an arena, or of a frame that starts at byte `base`."""
        found: list[Any] = []
        for number, at, word, fact in places:
            if fact is None:
                found.append(self.got[number])
            elif isinstance(fact, Varying):
                found.append(np.ndarray((), _STORAGE[fact.kind], memory, base + at).item())
            else:
                name = memory.item((base + word) >> 3)
                thing = self.fresh.get(name) if name >= _FRESH else self._known(name)
                if thing is None:
                    layout = fact.layout
                    array = np.ndarray(layout.shape, layout.dtype.storage, memory, base + at).copy()
                    thing = self.fresh[name] = self.engine._make(array, layout, None)
                found.append(thing)
        return found

    def _known(self, name: int) -> Any:
        """An object that was there at the start."""
        engine = self.engine
        fixed = engine.found.fixed
        if name < len(fixed):
            return self.got[engine._origins[id(fixed[name][1])]]
        return self.values[engine._given[name - len(fixed)]]


_STORAGE = {int: np.dtype(np.int64), float: np.dtype(np.float64)}  #: of Python's numbers
_NOTHING = np.empty(1, np.int64)
_SMALL = 512  #: words that are copied sooner than two arrays are made


def _as_array(name: str) -> str:
    """The text of a Python number as an array; an int that is too large is an OverflowError."""
    return f"array({name}, 'd' if {name}.__class__ is float else 'q')"


def _aligned(count: int) -> np.ndarray:
    """So many words from the start of a cache line."""
    array = np.empty(count + LINE // 8, np.int64)
    start = -array.__array_interface__["data"][0] % LINE >> 3
    return array[start : start + count]
