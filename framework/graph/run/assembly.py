"""The pieces that a search has found, as the states of an automaton: see control.py."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from anfora.core.abstract import Layout, TensorType
from anfora.core.tensor import Tensor, current, view_array
from anfora.graph.facts.origins import Origin, value_of
from anfora.graph.ir.nodes import AnfNode
from anfora.graph.lower.arena import Kind
from anfora.graph.lower.arithmetic import ELEMS, NotNative
from anfora.graph.lower.fusion import scalars
from anfora.graph.lower.loops import truth_asked
from anfora.graph.lower.lower import Door
from anfora.graph.lower.ranges import Jump
from anfora.graph.run.engines import Data, Found, Varying, moves, numbered
from anfora.graph.run.reach import Node, Search, Unfit, Way
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
    State,
    leads_to,
)
from anfora.kernel.repeat import Truth

__all__ = ["Assembly"]

_MOST_COPIED = 1 << 12  #: bytes that a loop of one state copies in each iteration; loops.py copies none


class Assembly:
    """Writes the states; a node that cannot be one is left out, and with it the ways to it.

    Args:
        search: has found the nodes.
    """

    def __init__(self, search: Search) -> None:
        self.search, self.fixed = search, search.fixed
        self.nodes, self.values = search.nodes, search.values
        self._begin()

    def _begin(self) -> None:
        self.fixed.clear()
        self.programs: list[Any] = []
        self.doors: list[Door] = []
        self.workspace = 0

    def run(self, start: Any) -> Found | None:
        """The automaton that starts with a variant; None where it is not worth a kernel."""
        slots = self.search.slots()
        while id(start) in self.nodes:
            nodes = sorted(self.nodes.values(), key=lambda node: node.variant is not start)
            for number, node in enumerate(nodes):
                node.number = number
            self._begin()
            for guard in start.piece.guards:  # of what it starts with all is asked, of data too
                self.fixed.need(self.search.guard_over_head(slots, *guard))
            for name in self._hiding(nodes):
                for slot, value in zip(slots, self.values):
                    if isinstance(value, Tensor):
                        self.fixed.need(("not own", slot, name))
            states: list[State] = []
            try:
                for node in nodes:
                    states.append(self._state(node))
            except (Unfit, NotNative):
                del self.nodes[id(node.variant)]
                continue
            small = _left_to_loops(states)
            if small is not None:
                del self.nodes[id(nodes[small].variant)]
                continue
            if not _is_worth_a_kernel(states):
                return None
            automaton = Automaton(tuple(states), self.workspace, len(self.fixed.values))
            return Found(
                automaton, nodes, self.programs, self.fixed.values, list(self.fixed.guards.values()), self.doors
            )
        return None

    @staticmethod
    def _hiding(nodes: Iterable[Node]) -> set[str]:
        """The attributes that tensors must not have of their own, since methods are asked for under these names."""
        return {
            payload
            for node in nodes
            for kind, origin, payload in node.variant.piece.guards
            if kind == "not own" and origin.kind == "slot" and isinstance(node.facts[origin.key], Data)
        }

    def _state(self, node: Node) -> State:
        for kind, origin, payload in node.variant.piece.guards:
            guard = self.search.guard_over_head(node.facts, kind, origin, payload)
            if guard is not None:
                self.fixed.need(guard)
        found = node.numbers = self.search.numbers(node)
        live = node.live = self.search.live(node)
        if len(live) < len(node.variant.runner.origins):
            raise Unfit
        slots = tuple(fact.item for fact in node.facts if moves(fact))
        made = {source.number: fact.item for fact, source in live if source is not None and source.kind == "made"}
        body, items = self._body(node, [made[i] for i in range(len(made))])
        kept = {source.number for _, source in live if source is not None and source.kind == "step"}
        ways = {way.key: self._edge(way) for way in self.search.ways(node)}
        return State(
            slots, found.steps, tuple(sorted(kept)), ways.get("otherwise"), items, body, self._end(node, live, ways)
        )

    def _body(self, node: Node, items: list[Item]) -> tuple[Elements | Rows | None, tuple[Item, ...]]:
        runner = node.variant.runner
        if runner.does_nothing:
            return None, ()
        wanted, native = runner.wanted, runner.door()
        assert native is not None
        arguments: list[int] = []  #: of the program, for what the state makes
        for value in sorted(node.made, key=node.made.__getitem__):
            argument, layout, at = native.handed[wanted[value]]
            if layout is not None or at or argument < native.inputs or argument in arguments:
                raise Unfit  # it shares memory
            arguments.append(argument)
        self.doors.append(native)
        body = self._elements(node, native, arguments, items)
        if body is not None:
            return body, tuple(items)
        inputs = []
        piece = node.variant.piece
        for each in piece.inputs.values():
            inputs.append(self._input(node, each.origin, each.layout))
        inputs += [self._number(node, value) for value in piece.numbers]
        others: list[int] = []
        items = list(items)
        for number, (shape, dtype) in enumerate(native.fresh, native.inputs):
            nbytes = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
            if number in arguments:
                others.append(arguments.index(number))
            elif number in native.made:  # an output of the operators that nobody here asks for
                raise Unfit
            else:
                others.append(-1)
                self.workspace = max(self.workspace, nbytes)
        self.programs.append(native.program)
        return Rows(len(self.programs) - 1, tuple(inputs), tuple(others), native.program.is_shared), tuple(items)

    def _elements(self, node: Node, door: Door, arguments: list[int], items: list[Item]) -> Elements | None:
        """The operators as a body of single elements; None where they are more."""
        if door.singles is None or not all(item.is_single for item in items):
            return None
        found = scalars(door.singles, [(door.made[argument], 0) for argument in arguments])
        if found is None:
            return None
        piece = node.variant.piece
        sources = [each.origin for each in (*piece.inputs.values(), *piece.numbers.values())]
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
                    source = self.fixed.source(("origin", self._found(node, origin), None, layout, place.offset))
            operands.append(Operand(source, offset, code, elem))
        return Elements(found.body, tuple(operands), tuple(found.stored))

    def _found(self, node: Node, origin: Origin) -> Origin:
        over = self.search.over_head(node.facts, origin)
        if over is None:
            raise Unfit
        return over

    def _input(self, node: Node, origin: Origin, layout: Layout) -> Source:
        if origin.kind == "slot" and moves(node.facts[origin.key]):
            return Source("slot", node.slots[origin.key])
        return self.fixed.source(("origin", self._found(node, origin), None, None, 0))

    def _number(self, node: Node, value: AnfNode) -> Source:
        """A number that an operator takes."""
        assert node.numbers is not None
        if value in node.numbers.operands:
            return node.numbers.operands[value]
        number = node.variant.piece.numbers[value]
        found = self._found(node, number.origin)
        return self.fixed.source(("number", found, (number.layout.dtype, number.op), None, 0))

    def _end(self, node: Node, live: list, ways: dict[Any, Edge | None]) -> Branch | Goto | Call | Return | None:
        end = node.variant.end
        if isinstance(end, Jump):
            onward = ways.get("jump")
            return None if onward is None else Goto(onward)
        if not hasattr(end, "edges"):
            edges = tuple(
                (caller.number, edge) for caller, edge in ways.items() if edge is not None and isinstance(caller, Node)
            )
            return Return(edges) if edges else None
        if end.callee is not None:
            return Call(tuple(numbered(live)), ways.get("call"))
        asked = truth_asked(end)
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

    def _edge(self, way: Way) -> Edge | None:
        """The way as an edge; None where it leads out of the automaton."""
        facts = [fact for fact, _ in way.sources]
        variant = self.search.choose(way.point, facts, way.behind)
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
                    term = self.search.fixed_number(fact)
                except NotNative:
                    return None
                if term.elem != ELEMS[wanted.kind]:
                    return None
                sources.append(term.source)
            elif isinstance(fact, Origin):
                for kind in ("type", "layout", "history"):
                    if (kind, slot) in target.told:
                        self.fixed.need((kind, fact, target.told[kind, slot]))
                sources.append(self._tensor(fact))
            else:
                assert source is not None
                sources.append(source)
        return Edge(target.number, tuple(sources))

    def _tensor(self, origin: Origin) -> Source:
        """A fixed tensor as an object: its number is that of its array."""
        value = value_of(origin, self.values)
        if not isinstance(value, Tensor):
            raise Unfit
        self.fixed.need(("type", origin, type(value)))
        self.fixed.need(("layout", origin, current(value)._layout))
        return self.fixed.source(("origin", origin, None, None, 0))


def _is_worth_a_kernel(states: Sequence[State]) -> bool:
    """Whether there is more than one state to go through, or one again and again."""
    return len(states[0].targets) > 0


def _left_to_loops(states: Sequence[State]) -> int | None:
    """A state that goes round by itself, and for that copies much: loops.py does without copies."""
    for number, state in enumerate(states):
        copied = sum(item.nbytes for item in state.made if not item.is_single)
        is_loop = number in state.targets and not leads_to(states, number, number, without=number)
        if is_loop and copied > _MOST_COPIED:
            return number
    return None
