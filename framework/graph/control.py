"""Branches, loops and recursion that run natively: the points of a program, and the ways between them, as an automaton.

    while n > 1:                     each piece is a state: its rows compute the next values, and the condition
        if n % 2 == 0: n = n // 2    its hop asks for the truth of a tensor, or calls the program itself, and decides
        else: n = 3 * n + 1          which piece comes next

`engine(head, values)` follows the ways that have been recorded from a point on, as far as they need nothing but rows, and
makes one kernel of them (kernel/control.py). `Engine.run` goes from the point to the first moment that needs Python: a way
that has not been seen, a return to who called, an error. It gives that moment exactly, with all calls that are pending, and
Python goes on as if it had come there by itself.

**Facts.** At the start of each piece stands in each slot either *data*, a tensor that changes on the way, or something
*fixed*: what an origin gives that starts from the slots of the head. Where two ways bring different things to a slot it is
data, if both are tensors of one layout. So a matrix that is only handed on stays where it is, and is never copied.

**Why the guards need no second look.** Of data a guard may ask for type, layout and history, and each way brings data of
which these are known. All other guards look at what is fixed, and nothing runs meanwhile that could change it: they are
checked when the kernel starts, and again when it comes back after some milliseconds, since other threads may have written.

**Objects.** Beside each value goes a number of the object that it is. So a program gives back the very argument where it
would in PyNative mode, and two variables with one tensor keep it.

Data is copied from piece to piece; tensors of more than `MOST_BYTES` that change are left to Python and to loops.py.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from anfora.core.abstract import Layout, TensorType
from anfora.core.tensor import Tensor, current, view_array
from anfora.eager import dispatch
from anfora.eager.entry import tensor_maker
from anfora.graph.arena import Kind
from anfora.graph.fusion import scalars
from anfora.graph.images import SIMPLE
from anfora.graph.lower import Door
from anfora.graph.moments import Outcome, key_of
from anfora.graph.origins import Emitter, Origin, value_of
from anfora.graph.pieces import _GUARDS
from anfora.graph.ranges import Jump
from anfora.kernel import control
from anfora.kernel.control import Automaton, Branch, Call, Edge, Elements, Item, Operand, Places, Return, Rows, Source
from anfora.kernel.control import State as NativeState
from anfora.kernel.executor import LINE
from anfora.kernel.repeat import Truth

__all__ = ["MOST_BYTES", "NATIVE_AFTER", "Engine", "Moment", "engine"]

#: Times that Python comes by a point before it gets an engine: to make one takes as long as some ten thousand steps.
NATIVE_AFTER = 1000
MOST_BYTES = 1 << 16  #: of a tensor that changes on the way
_MOST_STATES = 64
_MOST_STACK = 1 << 26  #: bytes for pending calls
_SHORT = 4  #: an engine that takes Python no further than this, on average, is not worth its start


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


def engine(head: Any, values: Sequence[Any]) -> Engine | None:
    """An engine that starts at a point, for values like these; None where there is nothing to gain."""
    found = _Search(head, values).run()
    return None if found is None else Engine(found)


# -- following the ways ----------------------------------------------------------------------------------------------


class _Unfit(Exception):
    """Something that cannot be part of an automaton."""


@dataclass(eq=False)
class _Node:
    """A piece that may become a state.

    Attributes:
        facts: what stands in its slots.
        made: for each value that it makes and somebody wants, its number among those of the state.
    """

    point: Any
    variant: Any
    facts: list[Any]
    number: int = -1
    made: dict[int, int] = field(default_factory=dict)
    told: dict[tuple[str, int], Any] = field(default_factory=dict)
    live: list[tuple[Any, Source | None]] = field(default_factory=list)  #: behind it: facts, and where data is

    def __post_init__(self) -> None:
        for kind, origin, payload in self.variant.piece.guards:
            if origin.kind == "slot":
                self.told[kind, origin.key] = payload

    def data(self, slot: int) -> Data | None:
        """What the guards say of a tensor in a slot."""
        kind, layout = self.told.get(("type", slot)), self.told.get(("layout", slot))
        if kind is None or layout is None:
            return None
        found = Data(kind, layout, self.told.get(("history", slot)))
        return found if found.can_be_copied else None

    @property
    def slots(self) -> dict[int, int]:
        """The slots that hold data, and their numbers in the state."""
        return {slot: i for i, slot in enumerate(s for s, fact in enumerate(self.facts) if isinstance(fact, Data))}


class _Way(NamedTuple):
    """How a node goes on: the point behind, and where each of its slots comes from."""

    key: Any  #: the outcome; for a return, the node that is returned to
    point: Any
    sources: list[tuple[Any, Source | None]]  #: fact, and where the value is, for data


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
    nodes: list[_Node]
    programs: list[Any]
    fixed: list[tuple]
    guards: list[tuple]
    doors: list[Door]  #: kept, with their constants


class _Search:
    """Finds the pieces that can be reached from a point, and what is known of their slots."""

    def __init__(self, head: Any, values: Sequence[Any]) -> None:
        self.head, self.values = head, values
        self.nodes: dict[int, _Node] = {}  #: by the identity of the variant
        self.origins: dict[tuple, Origin] = {}  #: over the slots of the head, one object for each
        self.holding: dict[tuple, bool] = {}  #: guards on what is fixed that were looked at
        self.guards: dict[tuple, tuple] = {}
        self.fixed: list[tuple] = []
        self.places: dict[tuple, int] = {}
        self.programs: list[Any] = []
        self.doors: list[Door] = []
        self.workspace = 0

    def run(self) -> Found | None:
        facts: list[Any] = [self._slot(i) for i in range(len(self.values))]
        start = self._choose(self.head, facts)
        if start is None or not self._fits(self.head, start):
            return None
        self.nodes[id(start)] = _Node(self.head, start, facts)
        changed = True
        while changed:
            changed = False
            for node in list(self.nodes.values()):
                for way in self._ways(node):
                    changed |= self._reach(way)
        self._drop_unfit()
        if id(start) not in self.nodes:
            return None
        return self._assemble(start)

    # -- what is fixed ------------------------------------------------------------------------------------------------

    def _slot(self, number: int) -> Origin:
        return self._origin("slot", number, None)

    def _origin(self, kind: str, key: Any, base: Any) -> Origin:
        parts = base if isinstance(base, tuple) else (base,)
        name = (
            kind,
            (type(key), key) if type(key) in (int, str) else id(key),
            *(id(x) if isinstance(x, Origin) or type(x) not in SIMPLE else (type(x), repr(x)) for x in parts),
        )
        found = self.origins.get(name)
        if found is None:
            found = self.origins[name] = Origin(kind, key, base)
        return found

    def _over_head(self, node_facts: Sequence[Any], origin: Any) -> Any:
        """An origin of a piece as one over the slots of the head; None where it goes through data."""
        if not isinstance(origin, Origin):
            return origin
        kind = origin.kind
        if kind == "slot":
            fact = node_facts[origin.key]
            return None if isinstance(fact, Data) else fact
        if kind == "known":
            return self._origin("known", origin.key, None)
        if kind == "number":
            parts = tuple(self._over_head(node_facts, part) for part in origin.base)
            is_lost = any(new is None and old is not None for new, old in zip(parts, origin.base))
            return None if is_lost else self._origin("number", origin.key, parts)
        if kind in ("attr", "item", "method"):
            base = self._over_head(node_facts, origin.base)
            return None if base is None else self._origin(kind, origin.key, base)
        return None

    def _holds(self, guard: tuple) -> bool:
        """Whether a guard on what is fixed holds now."""
        kind, origin, payload = guard
        name = kind, id(origin), id(payload)  # who live as long as pieces, and this search
        found = self.holding.get(name)
        if found is None:
            found = self.holding[name] = _checker([guard], [])(self.values) is not None
        return found

    # -- which variant is taken ---------------------------------------------------------------------------------------

    def _choose(self, point: Any, facts: Sequence[Any]) -> Any:
        """The variant of a point that Python would take; None where that depends on data."""
        for variant in point.variants:
            verdict = self._verdict(variant, facts)
            if verdict is not False:
                return variant if verdict else None
        return None

    def _verdict(self, variant: Any, facts: Sequence[Any]) -> bool | None:
        """Whether the guards of a variant hold; None if that depends on data."""
        if len(facts) <= max(
            (origin.key for _, origin, _ in variant.piece.guards if origin.kind == "slot"), default=-1
        ):
            return None
        result: bool | None = True
        for kind, origin, payload in variant.piece.guards:
            fact = facts[origin.key] if origin.kind == "slot" else None
            if isinstance(fact, Data):
                told = {"type": fact.kind, "layout": fact.layout, "history": fact.history}.get(kind)
                if told is None:
                    result = None
                elif told is not payload:
                    return False
                continue
            guard = self._guard_over_head(facts, kind, origin, payload)
            if guard is None:
                result = None
            elif not self._holds(guard):
                return False
        return result

    def _guard_over_head(self, facts: Sequence[Any], kind: str, origin: Origin, payload: Any) -> tuple | None:
        over = self._over_head(facts, origin)
        told = self._over_head(facts, payload)
        if over is None or (told is None and payload is not None):
            return None
        return kind, over, told

    # -- the ways -----------------------------------------------------------------------------------------------------

    def _fits(self, point: Any, variant: Any) -> bool:
        """Whether a piece needs nothing but rows."""
        piece, end = variant.piece, variant.end
        if piece.is_taped or piece.draws or piece.handles or isinstance(end, Jump):
            return False
        if point.switch is not self.head.switch:
            return False
        is_hop = hasattr(end, "edges")
        if is_hop and (end.built or end.switch is not point.switch or (end.is_own_call and end.catches)):
            return False
        made = [origin for origin in variant.runner.origins if origin.kind == "made"]
        values = [origin.key[0] for origin in made]
        if any(origin.base is not None for origin in made) or len(set(values)) < len(values):
            return False
        if any(origin.kind in ("built", "result") for origin in variant.runner.origins):
            return False
        return variant.runner.does_nothing or variant.runner.door() is not None

    def _live(self, node: _Node) -> list[tuple[Any, Source | None]]:
        """What is alive behind a piece: facts, and where data is."""
        slots = node.slots
        found: list[tuple[Any, Source | None]] = []
        for origin in node.variant.runner.origins:
            if origin.kind == "made":
                value, layout = origin.key
                fact = Data(Tensor, layout, False)
                if not fact.can_be_copied:
                    return []
                number = node.made.setdefault(value, len(node.made))
                found.append((fact, Source("made", number)))
            elif origin.kind == "slot" and isinstance(node.facts[origin.key], Data):
                found.append((node.facts[origin.key], Source("slot", slots[origin.key])))
            else:
                fact = self._over_head(node.facts, origin)
                if fact is None:
                    return []
                found.append((fact, None))
        return found

    def _ways(self, node: _Node) -> Iterator[_Way]:
        end = node.variant.end
        live = self._live(node)
        if len(live) < len(node.variant.runner.origins):
            return
        if hasattr(end, "edges"):
            if end.callee is not None:
                given = _arguments(end.call, live)
                if given is not None:
                    yield _Way("call", end.callee, [self._constant(x) for x in given])
            else:
                for truth in (False, True):
                    edge = end.edges.get((bool, truth))
                    if edge is not None and _asked(end) is not None and all(type(p) is int for p in edge[1]):
                        yield _Way(truth, edge[0], [live[place] for place in edge[1]])
            return
        for caller in list(self.nodes.values()):
            if getattr(caller.variant.end, "callee", None) is not None:
                way = self._way_back(node, live, caller)
                if way is not None:
                    yield way

    def _constant(self, given: Any) -> tuple[Any, Source | None]:
        return (self._origin("known", given.value, None), None) if isinstance(given, _Constant) else given

    def _way_back(self, node: _Node, live: list, caller: _Node) -> _Way | None:
        """From the return of a piece to behind a call."""
        saved = self._live(caller)
        if len(saved) < len(caller.variant.runner.origins):
            return None
        found = self._returned(node.variant.end.image, live)
        if found is None:
            return None
        outcome, leaves = found
        edge = caller.variant.end.edges.get(key_of(Outcome(outcome)))
        if edge is None:
            return None
        numbers = _numbered(saved)
        sources: list[tuple[Any, Source | None]] = []
        for place in edge[1]:
            if type(place) is int:
                fact, source = saved[place]
                sources.append((fact, None if source is None else Source("saved", numbers[source])))
            elif place in leaves:
                sources.append(leaves[place])
            else:
                return None
        return _Way(caller, edge[0], sources)

    def _returned(self, image: tuple, live: Sequence) -> tuple[Any, dict[tuple, tuple]] | None:
        """What a return gives, with some tensor in place of each, and by path the facts of its parts; None where more
        than tensors and constants is given."""
        leaves: dict[tuple, tuple] = {}

        def walk(image: tuple, path: tuple) -> Any:
            kind = image[0]
            if kind == "tuple":
                return tuple(walk(part, (*path, i)) for i, part in enumerate(image[1]))
            if kind == "is" and type(image[1]) in SIMPLE:
                return image[1]
            if kind != "slot":
                raise _Unfit
            leaves[path] = live[image[1]]
            fact, _ = leaves[path]
            if not isinstance(fact, Data) and type(value_of(fact, self.values)) is not Tensor:
                raise _Unfit
            return _SOME

        try:
            return walk(image, ()), leaves
        except _Unfit:
            return None

    def _reach(self, way: _Way) -> bool:
        """Note that a way leads to a point; whether that was news."""
        facts = [fact for fact, _ in way.sources]
        variant = self._choose(way.point, facts)
        if variant is None:
            return False
        node = self.nodes.get(id(variant))
        if node is None:
            if len(self.nodes) >= _MOST_STATES or not self._fits(way.point, variant):
                return False
            node = _Node(way.point, variant, facts)
            for slot, fact in enumerate(facts):
                if isinstance(fact, Data):
                    told = node.data(slot)
                    if told is None:
                        return False
                    node.facts[slot] = told
            self.nodes[id(variant)] = node
            return True
        merged = [old if old is new else node.data(slot) for slot, (old, new) in enumerate(zip(node.facts, facts))]
        if len(facts) != len(node.facts) or any(fact is None for fact in merged) or merged == node.facts:
            return False
        node.facts = merged
        return True

    # -- the automaton ------------------------------------------------------------------------------------------------

    def _drop_unfit(self) -> None:
        """Leave out pieces whose guards, or rows, look at data in a way that is not allowed."""
        for name, node in list(self.nodes.items()):
            if self._verdict(node.variant, node.facts) is not True:
                del self.nodes[name]

    def _assemble(self, start: Any) -> Found | None:
        """Write the states; a node that cannot be one is left out, and with it the ways to it."""
        slots = [self._slot(i) for i in range(len(self.values))]
        while id(start) in self.nodes:
            nodes = sorted(self.nodes.values(), key=lambda node: node.variant is not start)
            for number, node in enumerate(nodes):
                node.number = number
            self.guards.clear()
            self.fixed, self.places, self.programs = [], {}, []
            self.doors, self.workspace = [], 0
            for guard in start.piece.guards:  # of what it starts with all is asked, of data too
                self._need(self._guard_over_head(slots, *guard))
            states: list[NativeState] = []
            try:
                for node in nodes:
                    states.append(self._state(node))
            except _Unfit:
                del self.nodes[id(node.variant)]
                continue
            if not _goes_round(states):
                return None
            automaton = Automaton(tuple(states), self.workspace)
            return Found(automaton, nodes, self.programs, self.fixed, list(self.guards.values()), self.doors)
        return None

    def _state(self, node: _Node) -> NativeState:
        for kind, origin, payload in node.variant.piece.guards:
            if origin.kind != "slot" or not isinstance(node.facts[origin.key], Data):
                self._need(self._guard_over_head(node.facts, kind, origin, payload))
        live = node.live = self._live(node)
        if len(live) < len(node.variant.runner.origins):
            raise _Unfit
        slots = tuple(fact.item for fact in node.facts if isinstance(fact, Data))
        made = {source.number: fact.item for fact, source in live if source is not None and source.kind == "made"}
        body, items = self._body(node, [made[i] for i in range(len(made))])
        return NativeState(slots, items, body, self._end(node, live))

    def _need(self, guard: tuple | None) -> None:
        if guard is None:
            raise _Unfit
        kind, origin, payload = guard
        self.guards.setdefault((kind, id(origin), id(payload)), guard)

    def _body(self, node: _Node, items: list[Item]) -> tuple[Elements | Rows | None, tuple[Item, ...]]:
        runner = node.variant.runner
        if runner.does_nothing:
            return None, ()
        wanted, native = runner.wanted, runner.door()
        assert native is not None
        arguments: list[int] = []  #: of the program, for what the state makes
        for value in sorted(node.made, key=node.made.__getitem__):
            argument, layout, at = native.handed[wanted[value]]
            if layout is not None or at or argument < native.inputs or argument in arguments:
                raise _Unfit  # it shares memory
            arguments.append(argument)
        self.doors.append(native)
        body = self._elements(node, native, arguments, items)
        if body is not None:
            return body, tuple(items)
        inputs = []
        piece = node.variant.piece
        for origin, layout in piece.inputs.values():
            inputs.append(self._input(node, origin, layout))
        for origin, layout, op in piece.numbers.values():
            inputs.append(self._number(node, origin, layout, op))
        others: list[int] = []
        items = list(items)
        for number, (shape, dtype) in enumerate(native.fresh, native.inputs):
            nbytes = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
            if number in arguments:
                others.append(arguments.index(number))
            elif number in native.made:  # an output of the rows that nobody here asks for
                raise _Unfit
            else:
                others.append(-1)
                self.workspace = max(self.workspace, nbytes)
        self.programs.append(native.program)
        return Rows(len(self.programs) - 1, tuple(inputs), tuple(others), native.program.is_shared), tuple(items)

    def _elements(self, node: _Node, door: Door, arguments: list[int], items: list[Item]) -> Elements | None:
        """The rows as a body of single elements; None where they are more."""
        if door.singles is None or not all(item.is_single for item in items):
            return None
        found = scalars(door.singles, [(door.made[argument], 0) for argument in arguments])
        if found is None or found.stored != [item.code for item in items]:
            return None
        piece = node.variant.piece
        sources = [origin for origin, *_ in (*piece.inputs.values(), *piece.numbers.values())]
        slots = node.slots
        operands = []
        for place, code, elem in found.given:
            root, layout = place.root, TensorType(place.layout.dtype, ()).contiguous
            offset = 0
            if root.kind is Kind.CONSTANT:
                element = view_array(door.kept[root.number], layout, place.offset)
                source = Source("bits", int.from_bytes(element.tobytes(), sys.byteorder))
            elif root.kind is not Kind.INPUT:
                return None
            elif root.number >= len(piece.inputs):
                origin, like, op = list(piece.numbers.values())[root.number - len(piece.inputs)]
                source = self._number(node, origin, like, op)
            else:
                origin = sources[root.number]
                if origin.kind == "slot" and origin.key in slots:
                    source, offset = Source("slot", slots[origin.key]), place.offset
                    if offset and node.facts[origin.key].item.is_single:
                        return None
                else:
                    source = self._fixed(("origin", self._found(node, origin), None, layout, place.offset))
            operands.append(Operand(source, offset, code, elem))
        return Elements(found.body, tuple(operands))

    def _found(self, node: _Node, origin: Origin) -> Origin:
        over = self._over_head(node.facts, origin)
        if over is None:
            raise _Unfit
        return over

    def _input(self, node: _Node, origin: Origin, layout: Layout) -> Source:
        if origin.kind == "slot" and isinstance(node.facts[origin.key], Data):
            return Source("slot", node.slots[origin.key])
        return self._fixed(("origin", self._found(node, origin), None, None, 0))

    def _number(self, node: _Node, origin: Origin, layout: Layout, op: Any) -> Source:
        return self._fixed(("number", self._found(node, origin), (layout.dtype, op), None, 0))

    def _fixed(self, what: tuple) -> Source:
        kind, base, more, layout, offset = what
        name = (kind, id(base), None if more is None else (id(more[0]), id(more[1])), id(layout), offset)
        if name not in self.places:
            self.places[name] = len(self.fixed)
            self.fixed.append(what)
        return Source("fixed", self.places[name])

    # ends

    def _end(self, node: _Node, live: list) -> Branch | Call | Return | None:
        end = node.variant.end
        ways = {way.key: self._edge(way) for way in self._ways(node)}
        if not hasattr(end, "edges"):
            edges = tuple((caller.number, edge) for caller, edge in ways.items() if edge is not None)
            return Return(edges) if edges else None
        if end.callee is not None:
            return Call(tuple(_numbered(live)), ways.get("call"))
        asked = _asked(end)
        if asked is None:
            return None
        slot, is_negated = asked
        fact, source = live[slot]
        if isinstance(fact, Origin):
            source, layout = self._tensor(fact), current(value_of(fact, self.values))._layout
        else:
            layout = fact.layout
        if layout.size != 1 or source is None:
            return None
        if source.kind != "fixed" and not Item(layout.dtype.code, layout.dtype.itemsize).is_single:
            return None
        return Branch(source, Truth.of(layout.dtype.code), ways.get(not is_negated), ways.get(is_negated))

    def _edge(self, way: _Way) -> Edge | None:
        """The way as an edge; None where it leads out of the automaton."""
        facts = [fact for fact, _ in way.sources]
        variant = self._choose(way.point, facts)
        target = None if variant is None else self.nodes.get(id(variant))
        if target is None or len(facts) != len(target.facts):
            return None
        sources = []
        for slot, ((fact, source), wanted) in enumerate(zip(way.sources, target.facts)):
            if isinstance(wanted, Origin):
                if fact is not wanted:
                    return None
                continue
            if isinstance(fact, Origin):
                for kind in ("type", "layout", "history"):
                    if (kind, slot) in target.told:
                        self._need((kind, fact, target.told[kind, slot]))
                sources.append(self._tensor(fact))
            else:
                assert source is not None
                sources.append(source)
        return Edge(target.number, tuple(sources))

    def _tensor(self, origin: Origin) -> Source:
        """A fixed tensor as an object: its number is that of its array."""
        value = value_of(origin, self.values)
        if not isinstance(value, Tensor):
            raise _Unfit
        self._need(("type", origin, type(value)))
        self._need(("layout", origin, current(value)._layout))
        return self._fixed(("origin", origin, None, None, 0))


def _goes_round(states: Sequence[NativeState]) -> bool:
    """Whether there are calls, or loops through several states; those of one state loops.py does without copies."""
    if any(isinstance(state.end, Call) and state.end.edge is not None for state in states):
        return True
    ways = {i: {edge.target for edge in _edges(state)} for i, state in enumerate(states)}
    for first in ways:
        seen: set[int] = set()
        pending = list(ways[first] - {first})
        while pending:
            at = pending.pop()
            if at not in seen:
                seen.add(at)
                pending += ways[at]
        if first in seen:
            return True
    return False


def _edges(state: NativeState) -> list[Edge]:
    """The ways that a state has by itself."""
    end = state.end
    return [edge for edge in (end.yes, end.no) if edge is not None] if isinstance(end, Branch) else []


def _numbered(live: Sequence[tuple[Any, Source | None]]) -> dict[Source, int]:
    """The data that is alive at a call, each value once, and its number in the frame."""
    found: dict[Source, int] = {}
    for _, source in live:
        if source is not None:
            found.setdefault(source, len(found))
    return found


def _asked(end: Any) -> tuple[int, bool] | None:
    """The slot of a tensor whose truth is all that a hop asks for, and whether it is for `not`."""
    match end.call:
        case ("tuple", (("is", asks), ("tuple", (("slot", slot),)), ("dict", ()), ("is", None))):
            if asks is bool or asks is operator.not_:
                return slot, asks is operator.not_
    return None


class _Constant(NamedTuple):
    value: Any


def _arguments(call: tuple, live: Sequence) -> list[Any] | None:
    """What a call gives to each parameter: facts with sources, or constants."""
    _, args, kwargs, _ = call[1]
    if args[0] == "is":
        found = [_Constant(value) for value in args[1]]
    else:
        found = [_argument(image, live) for image in args[1]]
    found += [_argument(image, live) for _, image in kwargs[1]]
    return None if any(x is None for x in found) else found


def _argument(image: tuple, live: Sequence) -> Any:
    if image[0] in ("slot", "number"):
        return live[image[1]]
    return _Constant(image[1]) if image[0] == "is" else None


_SOME = Tensor(0)


def _checker(guards: Sequence[tuple], origins: Sequence[Origin]) -> Callable[[Sequence[Any]], list[Any] | None]:
    """A function of the slots: what the origins give, or None where a guard does not hold."""
    emit = Emitter()
    for kind, origin, payload in guards:
        _GUARDS[kind](emit, origin, payload)
    names = ", ".join([emit.name(origin) for origin in origins])
    lines = [*emit.lines, f"return [{names}]"]
    text = ["def check(slots):", "    try:", *(f"        {line}" for line in lines)]
    text += ["    except Exception:", "        return None"]
    scope = dict(emit.constants)
    exec(compile("\n".join(text), __file__, "exec"), scope)
    return scope["check"]


# -- running ---------------------------------------------------------------------------------------------------------


class _Place(NamedTuple):
    """Where something that is alive is found when the kernel has ended: the number of what is fixed, or the bytes of a
    value and of its number, and its layout."""

    fixed: int
    at: int = 0
    number: int = 0
    layout: Layout | None = None


class Engine:
    """An automaton that can be run.

    Args:
        found: what it is made of.
    """

    def __init__(self, found: Found) -> None:
        self.found = found
        self.runs = self.steps = 0
        self._address = control.kernel.address(found.automaton)
        self._places = Places(found.automaton)
        self._origins: dict[int, int] = {}  #: by identity of an origin, its number among what is read at the start
        origins: list[Origin] = []
        for node in found.nodes:
            for fact in (*node.facts, *(fact for fact, _ in node.live)):
                self._note(fact, origins)
        for _, base, *_ in found.fixed:
            self._note(base, origins)
        self._check = _checker(found.guards, origins)
        self._readers = [self._reader(*what) for what in found.fixed]
        self._before = [self._slots_of(node) for node in found.nodes]
        self._behind = [self._live_of(node) for node in found.nodes]
        self._waiting = [self._frame_of(node) for node in found.nodes]
        self._entry = [(slot, place) for slot, place in enumerate(self._before[0]) if place.layout is not None]
        self._frame_bytes = max(self._places.frames.values(), default=0)
        self._words = control.control_words([program.address for program in found.programs], _FRESH)
        self._make = tensor_maker()

    def _note(self, fact: Any, origins: list[Origin]) -> None:
        if isinstance(fact, Origin) and id(fact) not in self._origins:
            self._origins[id(fact)] = len(origins)
            origins.append(fact)

    def _reader(self, kind: str, base: Any, more: Any, layout: Layout | None, at: int) -> Callable[[list], np.ndarray]:
        """How a fixed array is found from what is read at the start."""
        number = self._origins[id(base)]
        if kind == "number":
            dtype, op = more
            return lambda got: dispatch.number_array(got[number], dtype, op)
        if layout is None:
            return lambda got: current(got[number])._array
        whole: Layout = layout
        return lambda got: view_array(current(got[number])._array, whole, at)

    def _slots_of(self, node: Any) -> list[_Place]:
        slots, places, ids = node.slots, self._places.slots[node.number], self._places.slot_ids[node.number]
        return [
            _Place(-1, places[slots[slot]], ids + 8 * slots[slot], fact.layout)
            if isinstance(fact, Data) else _Place(self._origins[id(fact)])
            for slot, fact in enumerate(node.facts)
        ]  # fmt: skip

    def _live_of(self, node: Any) -> list[_Place]:
        found = []
        for fact, source in node.live:
            if source is None:
                found.append(_Place(self._origins[id(fact)]))
                continue
            is_slot = source.kind == "slot"
            places = (self._places.slots if is_slot else self._places.made)[node.number]
            ids = (self._places.slot_ids if is_slot else self._places.made_ids)[node.number]
            found.append(_Place(-1, places[source.number], ids + 8 * source.number, fact.layout))
        return found

    def _frame_of(self, node: Any) -> list[_Place]:
        """Where in a frame lies what is alive at a call."""
        places = self._places.saved.get(node.number)
        if places is None:
            return []
        numbers, ids = _numbered(node.live), self._places.frames[node.number] - 8 - 8 * len(places)
        return [
            _Place(self._origins[id(fact)]) if source is None
            else _Place(-1, places[numbers[source]], ids + 8 * numbers[source], fact.layout)
            for fact, source in node.live
        ]  # fmt: skip

    @property
    def head(self) -> Any:
        """The piece that it starts with."""
        return self.found.nodes[0].variant

    @property
    def variants(self) -> list[Any]:
        """The pieces that it goes through."""
        return [node.variant for node in self.found.nodes]

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
        got = self._check(values)
        if got is None:
            return None
        found = self.found
        fixed = [read(got) for read in self._readers]
        objects: list[Any] = [
            got[self._origins[id(base)]] if kind == "origin" else None for kind, base, *_ in found.fixed
        ]
        arena = _aligned(self._places.nbytes)
        words = arena[: len(arena) & -8].view(np.int64)
        for slot, (_, at, number, layout) in self._entry:
            assert layout is not None
            np.ndarray(layout.shape, layout.dtype.storage, arena, at)[...] = current(values[slot])._array
            words[number >> 3] = len(objects)
            objects.append(values[slot])
        stack_bytes = min(self._frame_bytes * max(room, 0), _MOST_STACK)
        stack = np.empty(max(stack_bytes >> 3, 1), np.int64)
        report = self._words.copy()
        report[control.STACK], report[control.DEEPEST] = stack_bytes, room
        while True:
            control.run(self._address, report, arena, stack, fixed)
            self.steps += int(report[control.STEPS])
            if report[control.HOW] != control.GOES_ON:
                break
            again = self._check(values)
            if again is None or any(new is not old for new, old in zip(again, got)):
                break
        self.runs += 1
        return self._moment(report, got, objects, arena, stack.view(np.uint8))

    def _moment(
        self, report: np.ndarray, got: list[Any], objects: list[Any], arena: np.ndarray, stack: np.ndarray
    ) -> Moment:
        fresh: dict[int, Tensor] = {}

        def thing(place: _Place, memory: np.ndarray, base: int) -> Any:
            fixed, at, number, layout = place
            if layout is None:
                return got[fixed]
            name = int.from_bytes(memory[base + number : base + number + 8].tobytes(), sys.byteorder)
            if name < _FRESH:
                return objects[name]
            if name not in fresh:
                array = np.ndarray(layout.shape, layout.dtype.storage, memory, base + at).copy()
                fresh[name] = self._make(array, layout, None)
            return fresh[name]

        nodes = self.found.nodes
        calls: list[tuple[Any, list[Any]]] = []
        top = int(report[control.TOP])
        while top:
            state = int.from_bytes(stack[top - 8 : top].tobytes(), sys.byteorder)
            top -= self._places.frames[state]
            calls.append((nodes[state].variant.end, [thing(place, stack, top) for place in self._waiting[state]]))
        calls.reverse()
        node = nodes[report[control.STATE]]
        if report[control.HOW] == control.ENDED:
            live = [thing(place, arena, 0) for place in self._behind[node.number]]
            return Moment(calls, node.point, None, (node.variant, live))
        return Moment(calls, node.point, [thing(place, arena, 0) for place in self._before[node.number]], None)


def _aligned(nbytes: int) -> np.ndarray:
    """Bytes that start at a cache line."""
    array = np.empty(nbytes + LINE, np.uint8)
    start = -array.__array_interface__["data"][0] % LINE
    return array[start : start + nbytes]


_FRESH = 1 << 32  #: the first number of an object that is made on the way
