"""Branches, loops and recursion that run natively: the points of a program, and the ways between them, as an automaton.

    while n > 1:                     each piece is a state: its rows compute the next values, and the condition
        if n % 2 == 0: n = n // 2    its hop asks for the truth of a tensor, or calls the program itself, and decides
        else: n = 3 * n + 1          which piece comes next; or a jump leads there

`engine(head, values)` follows the ways that have been recorded from a point on, as far as they need nothing but rows, and
makes one kernel of them (kernel/control.py). `Engine.run` goes from the point to the first moment that needs Python: a way
that has not been seen, a return to who called, an error. It gives that moment exactly, with all calls that are pending, and
Python goes on as if it had come there by itself.

**Facts.** At the start of each piece stands in each slot either *data*, a tensor that changes on the way, or something
*fixed*: what an origin gives that starts from the slots of the head. Where two ways bring different things to a slot it
is data, if both are tensors of one layout, or a *number that varies*, if both are numbers of one type. So a matrix that is
only handed on stays where it is, and is never copied.

**Why the guards need no second look.** Of data a guard may ask for type, layout and history, and each way brings data of
which these are known. Guards on numbers that vary are looked at by the state itself, each time (arithmetic.py): where one
does not hold the next variant of the point is tried, as Python does. All other guards look at what is fixed, and nothing
runs meanwhile that could change it: they are checked when the kernel starts, and again when it comes back after some
milliseconds, since other threads may have written.

**Objects.** Beside each value goes a number of the object that it is. So a program gives back the very argument where it
would in PyNative mode, and two variables with one tensor keep it.

Data is copied from piece to piece; tensors of more than `MOST_BYTES` that change are left to Python and to loops.py.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from anfora.core.abstract import Layout, TensorType
from anfora.core.tensor import Tensor, current, view_array
from anfora.graph.facts.known import SIMPLE
from anfora.graph.facts.origins import Emitter, Origin, value_of
from anfora.graph.facts.values import exact
from anfora.graph.ir.nodes import AnfNode
from anfora.graph.lower.arena import Kind
from anfora.graph.lower.arithmetic import ELEMS, Arithmetic, NotNative, constant
from anfora.graph.lower.fusion import scalars
from anfora.graph.lower.lower import Door
from anfora.graph.lower.ranges import Jump
from anfora.graph.passes.pipeline import is_on, tell
from anfora.graph.run.engines import Data, Engine, Found, Varying, moves, numbered
from anfora.graph.run.guards import write_guards
from anfora.graph.state.moments import Outcome, key_of
from anfora.kernel.control import (
    Automaton,
    Branch,
    Call,
    Edge,
    Elements,
    Goto,
    Item,
    Operand,
    Return,
    Rows,
    Source,
    Term,
    leads_to,
)  # fmt: skip
from anfora.kernel.control import State as NativeState
from anfora.kernel.repeat import Truth

__all__ = ["NATIVE_AFTER", "engine"]

#: Times that Python comes by a point before it gets an engine: to make one takes as long as some ten thousand steps.
NATIVE_AFTER = 1000
_MOST_STATES = 64
_MOST_COPIED = 1 << 12  #: bytes that a loop of one state copies in each iteration; loops.py copies none


def engine(head: Any, values: Sequence[Any]) -> Engine | None:
    """An engine that starts at a point, for values like these; None where there is nothing to gain."""
    found = _Search(head, values).run() if is_on("native_control") else None
    if found is None:
        return None
    tell("native_control", head.name, f"an automaton of {len(found.automaton.states):,} states")
    return Engine(found)


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
    numbers: _Numbers | None = None

    def __post_init__(self) -> None:
        for kind, origin, payload in self.variant.piece.guards:
            if origin.kind == "slot":
                self.told[kind, origin.key] = payload

    def data(self, slot: int) -> Data | Varying | None:
        """What the guards say of a tensor, or a number, in a slot."""
        kind, layout = self.told.get(("type", slot)), self.told.get(("layout", slot))
        if kind is int or kind is float:
            return Varying(kind)
        if kind is None or layout is None:
            return None
        found = Data(kind, layout, self.told.get(("history", slot)))
        return found if found.can_be_copied else None

    @property
    def slots(self) -> dict[int, int]:
        """The slots that hold what changes, and their numbers in the state."""
        return {slot: i for i, slot in enumerate(s for s, fact in enumerate(self.facts) if moves(fact))}


class _Way(NamedTuple):
    """How a node goes on: the point behind, and where each of its slots comes from."""

    key: Any  #: the outcome; for a return, the node that is returned to
    point: Any
    sources: list[tuple[Any, Source | None]]  #: fact, and where the value is, for what changes
    behind: Any = None  #: of the point's variants only those behind this one are left


class _Numbers(NamedTuple):
    """The numbers of a node.

    Attributes:
        steps: how they are computed and checked.
        alive: by identity of an origin that is alive behind the piece, or of its operands: what it is, and where.
        operands: by value of the piece, what operators take.
    """

    steps: tuple
    alive: dict[int, tuple[Varying, Source]]
    operands: dict[AnfNode, Source]


#: Whether a variant is the one that is taken: it depends on numbers that vary, so its state finds out.
_PERHAPS = object()


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
            *(id(x) if isinstance(x, Origin) else exact(x) for x in parts),
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
            return None if moves(fact) else fact
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

    def _choose(self, point: Any, facts: Sequence[Any], behind: Any = None) -> Any:
        """The variant of a point that Python would take, or the first of those that it may take; None where that depends
        on data.

        Args:
            behind: only variants behind this one are left.
        """
        is_left = behind is None
        for variant in point.variants:
            if is_left:
                verdict = self._verdict(variant, facts)
                if verdict is not False:
                    return variant if verdict else None
            is_left = is_left or variant is behind
        return None

    def _verdict(self, variant: Any, facts: Sequence[Any]) -> Any:
        """Whether the guards of a variant hold; None if that depends on data, `_PERHAPS` on numbers only."""
        if len(facts) <= max(
            (origin.key for _, origin, _ in variant.piece.guards if origin.kind == "slot"), default=-1
        ):
            return None
        result: Any = True
        arithmetic = Arithmetic(lambda origin: self._leaf(facts, origin, is_trial=True))
        for kind, origin, payload in variant.piece.guards:
            fact = facts[origin.key] if origin.kind == "slot" else None
            if isinstance(fact, Data):
                if kind == "not own":
                    continue  # a tensor that a row has made has nothing; the start is asked in `_assemble`
                told = {"type": fact.kind, "layout": fact.layout, "history": fact.history}.get(kind)
                if told is None:
                    result = None
                elif told is not payload:
                    return False
                continue
            if isinstance(fact, Varying) and kind == "type":
                if payload is not fact.kind:
                    return False
                continue
            guard = self._guard_over_head(facts, kind, origin, payload)
            if guard is None:
                try:
                    arithmetic.check(kind, origin, payload)
                except NotNative:
                    result = None
                result = _PERHAPS if result is not None else None
            elif not self._holds(guard):
                return False
        return result

    # -- numbers ------------------------------------------------------------------------------------------------------

    def _leaf(self, facts: Sequence[Any], origin: Origin, is_trial: bool = False) -> Term:
        """Where a number is that is no arithmetic, or does not change."""
        fact = facts[origin.key] if origin.kind == "slot" else None
        if isinstance(fact, Varying):
            return Term(Source("slot", sum(map(moves, facts[: origin.key]))), ELEMS[fact.kind])
        over = self._over_head(facts, origin)
        if over is None:
            raise NotNative
        return self._fixed_number(over, is_trial)

    def _fixed_number(self, origin: Origin, is_trial: bool = False) -> Term:
        """A number that does not change."""
        if origin.kind == "known":
            return constant(origin.key)
        kind = type(value_of(origin, self.values))
        if kind is not int and kind is not float:
            raise NotNative
        if is_trial:
            return Term(Source("fixed", 0), ELEMS[kind])
        self._need(("type", origin, kind))
        return Term(self._fixed(("python", origin, None, None, 0)), ELEMS[kind])

    def _numbers(self, node: _Node) -> _Numbers:
        """What follows from numbers that vary in a node; see arithmetic.py."""
        facts, piece = node.facts, node.variant.piece
        arithmetic = Arithmetic(lambda origin: self._leaf(facts, origin))
        for kind, origin, payload in piece.guards:
            if self._is_checked(facts, kind, origin, payload):
                arithmetic.check(kind, origin, payload)
        operands = {
            value: arithmetic.converted(origin, layout.dtype.code)
            for value, (origin, layout, _) in piece.numbers.items()
            if self._over_head(facts, origin) is None
        }
        alive = {}
        for origin in node.variant.runner.origins:
            if origin.kind == "number" and self._over_head(facts, origin) is None:
                term = arithmetic.term(origin)
                alive[id(origin)] = Varying(int if term.elem == "i64" else float), term.source
        return _Numbers(tuple(arithmetic.steps), alive, operands)

    def _is_checked(self, facts: Sequence[Any], kind: str, origin: Origin, payload: Any) -> bool:
        """Whether a guard is on numbers that vary, and not only on their type."""
        fact = facts[origin.key] if origin.kind == "slot" else None
        if isinstance(fact, Data) or (isinstance(fact, Varying) and kind == "type"):
            return False
        return self._guard_over_head(facts, kind, origin, payload) is None

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
        if piece.is_taped or piece.draws or piece.writes or piece.is_making or piece.handles or piece.leaves:
            return False
        if point.switch is not self.head.switch:
            return False
        is_hop = hasattr(end, "edges") and not isinstance(end, Jump)
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
        """What is alive behind a piece: facts, and where data is; empty if it cannot all be had."""
        slots = node.slots
        try:
            alive = self._numbers(node).alive
        except NotNative:
            return []
        found: list[tuple[Any, Source | None]] = []
        for origin in node.variant.runner.origins:
            if origin.kind == "made":
                value, layout = origin.key
                fact = Data(Tensor, layout, False)
                if not fact.can_be_copied:
                    return []
                number = node.made.setdefault(value, len(node.made))
                found.append((fact, Source("made", number)))
            elif origin.kind == "slot" and moves(node.facts[origin.key]):
                found.append((node.facts[origin.key], Source("slot", slots[origin.key])))
            elif id(origin) in alive:
                found.append(alive[id(origin)])
            else:
                fact = self._over_head(node.facts, origin)
                if fact is None:
                    return []
                found.append((fact, None))
        return found

    def _ways(self, node: _Node) -> Iterator[_Way]:
        end = node.variant.end
        if self._verdict(node.variant, node.facts) is _PERHAPS:
            yield _Way("otherwise", node.point, self._as_they_are(node), node.variant)
        live = self._live(node)
        if len(live) < len(node.variant.runner.origins):
            return
        if isinstance(end, Jump):
            yield _Way("jump", end.point, live)
        elif hasattr(end, "edges"):
            if end.callee is not None:
                given = _arguments(end.call, live)
                if given is not None:
                    yield _Way("call", end.callee, [self._constant(x) for x in given])
            else:
                for truth in (False, True):
                    edge = end.edges.get((bool, truth))
                    if edge is not None and _asked(end) is not None and all(type(p) is int for p in edge[1]):
                        yield _Way(truth, edge[0], [live[place] for place in edge[1]])
        else:
            yield from self._ways_back(node, live)

    def _ways_back(self, node: _Node, live: list) -> Iterator[_Way]:
        for caller in list(self.nodes.values()):
            if getattr(caller.variant.end, "callee", None) is not None:
                way = self._way_back(node, live, caller)
                if way is not None:
                    yield way

    def _as_they_are(self, node: _Node) -> list[tuple[Any, Source | None]]:
        """The slots of a node."""
        slots = node.slots
        return [(fact, Source("slot", slots[slot]) if slot in slots else None) for slot, fact in enumerate(node.facts)]

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
        numbers = numbered(saved)
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
            if not moves(fact) and type(value_of(fact, self.values)) is not Tensor:
                raise _Unfit
            return _SOME

        try:
            return walk(image, ()), leaves
        except _Unfit:
            return None

    def _reach(self, way: _Way) -> bool:
        """Note that a way leads to a point; whether that was news."""
        facts = [fact for fact, _ in way.sources]
        variant = self._choose(way.point, facts, way.behind)
        if variant is None:
            return False
        node = self.nodes.get(id(variant))
        if node is None:
            if len(self.nodes) >= _MOST_STATES or not self._fits(way.point, variant):
                return False
            node = _Node(way.point, variant, facts)
            for slot, fact in enumerate(facts):
                if moves(fact):
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
            if not self._verdict(node.variant, node.facts):
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
            for name in self._hiding(nodes):
                for slot, value in zip(slots, self.values):
                    if isinstance(value, Tensor):
                        self._need(("not own", slot, name))
            states: list[NativeState] = []
            try:
                for node in nodes:
                    states.append(self._state(node))
            except (_Unfit, NotNative):
                del self.nodes[id(node.variant)]
                continue
            small = _left_to_loops(states)
            if small is not None:
                del self.nodes[id(nodes[small].variant)]
                continue
            if not _is_worth_a_kernel(states):
                return None
            automaton = Automaton(tuple(states), self.workspace, len(self.fixed))
            return Found(automaton, nodes, self.programs, self.fixed, list(self.guards.values()), self.doors)
        return None

    @staticmethod
    def _hiding(nodes: Iterable[_Node]) -> set[str]:
        """The attributes that tensors must not have of their own, since methods are asked for under these names."""
        return {
            payload
            for node in nodes
            for kind, origin, payload in node.variant.piece.guards
            if kind == "not own" and origin.kind == "slot" and isinstance(node.facts[origin.key], Data)
        }

    def _state(self, node: _Node) -> NativeState:
        for kind, origin, payload in node.variant.piece.guards:
            guard = self._guard_over_head(node.facts, kind, origin, payload)
            if guard is not None:
                self._need(guard)
        found = node.numbers = self._numbers(node)
        live = node.live = self._live(node)
        if len(live) < len(node.variant.runner.origins):
            raise _Unfit
        slots = tuple(fact.item for fact in node.facts if moves(fact))
        made = {source.number: fact.item for fact, source in live if source is not None and source.kind == "made"}
        body, items = self._body(node, [made[i] for i in range(len(made))])
        kept = {source.number for _, source in live if source is not None and source.kind == "step"}
        ways = {way.key: self._edge(way) for way in self._ways(node)}
        return NativeState(
            slots, found.steps, tuple(sorted(kept)), ways.get("otherwise"), items, body, self._end(node, live, ways)
        )

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
        inputs += [self._number(node, value) for value in piece.numbers]
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
        if found is None:
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
                source = self._number(node, list(piece.numbers)[root.number - len(piece.inputs)])
            else:
                origin = sources[root.number]
                if origin.kind == "slot" and origin.key in slots:
                    source, offset = Source("slot", slots[origin.key]), place.offset
                    if offset and node.facts[origin.key].item.is_single:
                        return None
                else:
                    source = self._fixed(("origin", self._found(node, origin), None, layout, place.offset))
            operands.append(Operand(source, offset, code, elem))
        return Elements(found.body, tuple(operands), tuple(found.stored))

    def _found(self, node: _Node, origin: Origin) -> Origin:
        over = self._over_head(node.facts, origin)
        if over is None:
            raise _Unfit
        return over

    def _input(self, node: _Node, origin: Origin, layout: Layout) -> Source:
        if origin.kind == "slot" and moves(node.facts[origin.key]):
            return Source("slot", node.slots[origin.key])
        return self._fixed(("origin", self._found(node, origin), None, None, 0))

    def _number(self, node: _Node, value: AnfNode) -> Source:
        """A number that an operator takes."""
        assert node.numbers is not None
        if value in node.numbers.operands:
            return node.numbers.operands[value]
        origin, layout, op = node.variant.piece.numbers[value]
        return self._fixed(("number", self._found(node, origin), (layout.dtype, op), None, 0))

    def _fixed(self, what: tuple) -> Source:
        kind, base, more, layout, offset = what
        name = (kind, id(base), None if more is None else (id(more[0]), id(more[1])), id(layout), offset)
        if name not in self.places:
            self.places[name] = len(self.fixed)
            self.fixed.append(what)
        return Source("fixed", self.places[name])

    # ends

    def _end(self, node: _Node, live: list, ways: dict[Any, Edge | None]) -> Branch | Goto | Call | Return | None:
        end = node.variant.end
        if isinstance(end, Jump):
            onward = ways.get("jump")
            return None if onward is None else Goto(onward)
        if not hasattr(end, "edges"):
            edges = tuple(
                (caller.number, edge) for caller, edge in ways.items() if edge is not None and isinstance(caller, _Node)
            )
            return Return(edges) if edges else None
        if end.callee is not None:
            return Call(tuple(numbered(live)), ways.get("call"))
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
        variant = self._choose(way.point, facts, way.behind)
        target = None if variant is None else self.nodes.get(id(variant))
        if target is None or len(facts) != len(target.facts):
            return None
        sources = []
        for slot, ((fact, source), wanted) in enumerate(zip(way.sources, target.facts)):
            if isinstance(wanted, Origin):
                if fact is not wanted:
                    return None
                continue
            if isinstance(fact, Origin) and isinstance(wanted, Varying):
                try:
                    term = self._fixed_number(fact)
                except NotNative:
                    return None
                if term.elem != ELEMS[wanted.kind]:
                    return None
                sources.append(term.source)
            elif isinstance(fact, Origin):
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


def _is_worth_a_kernel(states: Sequence[NativeState]) -> bool:
    """Whether there is more than one state to go through, or one again and again."""
    return len(states[0].targets) > 0


def _left_to_loops(states: Sequence[NativeState]) -> int | None:
    """A state that goes round by itself, and for that copies much: loops.py does without copies."""
    for number, state in enumerate(states):
        copied = sum(item.nbytes for item in state.made if not item.is_single)
        is_loop = number in state.targets and not leads_to(states, number, number, without=number)
        if is_loop and copied > _MOST_COPIED:
            return number
    return None


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
    write_guards(emit, guards)
    names = ", ".join([emit.name(origin) for origin in origins])
    return emit.function(f"[{names}]")
