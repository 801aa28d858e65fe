"""Which pieces can be reached from a point, and what is known of their slots: see control.py.

Search   follows the ways that have been recorded, until nothing new is found
Node     a piece that was found;  Way, how it goes on
Fixed    what does not change while the automaton runs, and the guards that see to it
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from anfora.core.tensor import Tensor
from anfora.graph.facts.known import SIMPLE
from anfora.graph.facts.origins import Emitter, Origin, value_of
from anfora.graph.facts.values import exact
from anfora.graph.ir.nodes import AnfNode
from anfora.graph.lower.arithmetic import ELEMS, Arithmetic, NotNative, constant
from anfora.graph.lower.loops import truth_asked
from anfora.graph.lower.ranges import Jump
from anfora.graph.run.engines import Data, Varying, moves, numbered
from anfora.graph.run.guards import write_guards
from anfora.graph.state.moments import Outcome, key_of
from anfora.kernel.control import Source, Term

__all__ = ["Node", "Search", "Unfit", "Way"]

_MOST_STATES = 64


class Unfit(Exception):
    """Something that cannot be part of an automaton."""


@dataclass(eq=False)
class Node:
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


class Way(NamedTuple):
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


class Fixed:
    """What does not change while an automaton runs.

    Attributes:
        guards: what must hold of it when the automaton starts, and when it comes back.
        values: what is handed to the kernel.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Start anew."""
        self.guards: dict[tuple, tuple] = {}
        self.values: list[tuple] = []
        self._places: dict[tuple, int] = {}

    def need(self, guard: tuple | None) -> None:
        """A guard must hold; Unfit if there is none that says so."""
        if guard is None:
            raise Unfit
        kind, origin, payload = guard
        self.guards.setdefault((kind, id(origin), id(payload)), guard)

    def source(self, what: tuple) -> Source:
        """Where the kernel finds a value; equal ones have one place."""
        kind, base, more, layout, offset = what
        name = (kind, id(base), None if more is None else (id(more[0]), id(more[1])), id(layout), offset)
        if name not in self._places:
            self._places[name] = len(self.values)
            self.values.append(what)
        return Source("fixed", self._places[name])


class Search:
    """Finds the pieces that can be reached from a point, and what is known of their slots.

    Args:
        head: the point.
        values: what stands in its slots.
    """

    def __init__(self, head: Any, values: Sequence[Any]) -> None:
        self.head, self.values = head, values
        self.nodes: dict[int, Node] = {}  #: by the identity of the variant
        self.fixed = Fixed()
        self._origins: dict[tuple, Origin] = {}  #: over the slots of the head, one object for each
        self._holding: dict[tuple, bool] = {}  #: guards on what is fixed that were looked at

    def run(self) -> Any:
        """Find them; the variant that the automaton starts with, None where there is nothing to run."""
        facts: list[Any] = self.slots()
        start = self.choose(self.head, facts)
        if start is None or not self._fits(self.head, start):
            return None
        self.nodes[id(start)] = Node(self.head, start, facts)
        changed = True
        while changed:
            changed = False
            for node in list(self.nodes.values()):
                for way in self.ways(node):
                    changed |= self._reach(way)
        for name, node in list(
            self.nodes.items()
        ):  # their guards, or operators, look at data in a way that is not allowed
            if not self._verdict(node.variant, node.facts):
                del self.nodes[name]
        return start if id(start) in self.nodes else None

    def slots(self) -> list[Origin]:
        """What stands in the slots of the head."""
        return [self._origin("slot", number, None) for number in range(len(self.values))]

    # -- what is fixed ----------------------------------------------------------------------------------------------------

    def _origin(self, kind: str, key: Any, base: Any) -> Origin:
        parts = base if isinstance(base, tuple) else (base,)
        name = (
            kind,
            (type(key), key) if type(key) in (int, str) else id(key),
            *(id(x) if isinstance(x, Origin) else exact(x) for x in parts),
        )
        found = self._origins.get(name)
        if found is None:
            found = self._origins[name] = Origin(kind, key, base)
        return found

    def over_head(self, node_facts: Sequence[Any], origin: Any) -> Any:
        """An origin of a piece as one over the slots of the head; None where it goes through data."""
        if not isinstance(origin, Origin):
            return origin
        kind = origin.kind
        if kind == "slot":
            fact = node_facts[origin.key]
            return None if moves(fact) else fact
        if kind == "known":
            return self._origin("known", origin.key, None)
        if kind not in ("number", "attr", "item", "method"):
            return None
        parts = tuple(self.over_head(node_facts, part) for part in origin.parts)
        if any(new is None and old is not None for new, old in zip(parts, origin.parts)):
            return None
        return self._origin(kind, origin.key, parts if kind == "number" else parts[0])

    def _holds(self, guard: tuple) -> bool:
        """Whether a guard on what is fixed holds now."""
        kind, origin, payload = guard
        name = kind, id(origin), id(payload)  # who live as long as pieces, and this search
        found = self._holding.get(name)
        if found is None:
            found = self._holding[name] = _checker([guard], [])(self.values) is not None
        return found

    # -- which variant is taken -------------------------------------------------------------------------------------------

    def choose(self, point: Any, facts: Sequence[Any], behind: Any = None) -> Any:
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
                    continue  # a tensor that an operator has made has nothing; the start is asked in `Assembly.run`
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
            guard = self.guard_over_head(facts, kind, origin, payload)
            if guard is None:
                try:
                    arithmetic.check(kind, origin, payload)
                except NotNative:
                    result = None
                result = _PERHAPS if result is not None else None
            elif not self._holds(guard):
                return False
        return result

    # -- numbers ----------------------------------------------------------------------------------------------------------

    def _leaf(self, facts: Sequence[Any], origin: Origin, is_trial: bool = False) -> Term:
        """Where a number is that is no arithmetic, or does not change."""
        fact = facts[origin.key] if origin.kind == "slot" else None
        if isinstance(fact, Varying):
            return Term(Source("slot", sum(map(moves, facts[: origin.key]))), ELEMS[fact.kind])
        over = self.over_head(facts, origin)
        if over is None:
            raise NotNative
        return self.fixed_number(over, is_trial)

    def fixed_number(self, origin: Origin, is_trial: bool = False) -> Term:
        """A number that does not change."""
        if origin.kind == "known":
            return constant(origin.key)
        kind = type(value_of(origin, self.values))
        if kind is not int and kind is not float:
            raise NotNative
        if is_trial:
            return Term(Source("fixed", 0), ELEMS[kind])
        self.fixed.need(("type", origin, kind))
        return Term(self.fixed.source(("python", origin, None, None, 0)), ELEMS[kind])

    def numbers(self, node: Node) -> _Numbers:
        """What follows from numbers that vary in a node; see arithmetic.py."""
        facts, piece = node.facts, node.variant.piece
        arithmetic = Arithmetic(lambda origin: self._leaf(facts, origin))
        for kind, origin, payload in piece.guards:
            if self._is_checked(facts, kind, origin, payload):
                arithmetic.check(kind, origin, payload)
        operands = {
            value: arithmetic.converted(value.origin, value.layout.dtype.code)
            for value in piece.numbers.values()
            if self.over_head(facts, value.origin) is None
        }
        alive = {}
        for origin in node.variant.runner.origins:
            if origin.kind == "number" and self.over_head(facts, origin) is None:
                term = arithmetic.term(origin)
                alive[id(origin)] = Varying(int if term.elem == "i64" else float), term.source
        return _Numbers(tuple(arithmetic.steps), alive, operands)

    def _is_checked(self, facts: Sequence[Any], kind: str, origin: Origin, payload: Any) -> bool:
        """Whether a guard is on numbers that vary, and not only on their type."""
        fact = facts[origin.key] if origin.kind == "slot" else None
        if isinstance(fact, Data) or (isinstance(fact, Varying) and kind == "type"):
            return False
        return self.guard_over_head(facts, kind, origin, payload) is None

    def guard_over_head(self, facts: Sequence[Any], kind: str, origin: Origin, payload: Any) -> tuple | None:
        over = self.over_head(facts, origin)
        told = self.over_head(facts, payload)
        if over is None or (told is None and payload is not None):
            return None
        return kind, over, told

    # -- the ways ---------------------------------------------------------------------------------------------------------

    def _fits(self, point: Any, variant: Any) -> bool:
        """Whether a piece needs nothing but operators."""
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

    def live(self, node: Node) -> list[tuple[Any, Source | None]]:
        """What is alive behind a piece: facts, and where data is; empty if it cannot all be had."""
        slots = node.slots
        try:
            alive = self.numbers(node).alive
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
                fact = self.over_head(node.facts, origin)
                if fact is None:
                    return []
                found.append((fact, None))
        return found

    def ways(self, node: Node) -> Iterator[Way]:
        end = node.variant.end
        if self._verdict(node.variant, node.facts) is _PERHAPS:
            yield Way("otherwise", node.point, self._as_they_are(node), node.variant)
        live = self.live(node)
        if len(live) < len(node.variant.runner.origins):
            return
        if isinstance(end, Jump):
            yield Way("jump", end.point, live)
        elif hasattr(end, "edges"):
            if end.callee is not None:
                given = _arguments(end.call, live)
                if given is not None:
                    yield Way("call", end.callee, [self._constant(x) for x in given])
            else:
                for truth in (False, True):
                    edge = end.edges.get((bool, truth))
                    if edge is not None and truth_asked(end) is not None and all(type(p) is int for p in edge[1]):
                        yield Way(truth, edge[0], [live[place] for place in edge[1]])
        else:
            callers = [each for each in self.nodes.values() if getattr(each.variant.end, "callee", None) is not None]
            ways = (self._way_back(node, live, caller) for caller in callers)
            yield from (way for way in ways if way is not None)

    def _as_they_are(self, node: Node) -> list[tuple[Any, Source | None]]:
        """The slots of a node."""
        slots = node.slots
        return [(fact, Source("slot", slots[slot]) if slot in slots else None) for slot, fact in enumerate(node.facts)]

    def _constant(self, given: Any) -> tuple[Any, Source | None]:
        return (self._origin("known", given.value, None), None) if isinstance(given, _Constant) else given

    def _way_back(self, node: Node, live: list, caller: Node) -> Way | None:
        """From the return of a piece to behind a call."""
        saved = self.live(caller)
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
        return Way(caller, edge[0], sources)

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
                raise Unfit
            leaves[path] = live[image[1]]
            fact, _ = leaves[path]
            if not moves(fact) and type(value_of(fact, self.values)) is not Tensor:
                raise Unfit
            return _SOME

        try:
            return walk(image, ()), leaves
        except Unfit:
            return None

    def _reach(self, way: Way) -> bool:
        """Note that a way leads to a point; whether that was news."""
        facts = [fact for fact, _ in way.sources]
        variant = self.choose(way.point, facts, way.behind)
        if variant is None:
            return False
        node = self.nodes.get(id(variant))
        if node is None:
            if len(self.nodes) >= _MOST_STATES or not self._fits(way.point, variant):
                return False
            node = Node(way.point, variant, facts)
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
