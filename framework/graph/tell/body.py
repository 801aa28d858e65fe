"""What one variant does, as the nodes of a graph: its calls of operators, and what they take from outside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from anfora.core.op import Weak
from anfora.core.tensor import Tensor
from anfora.graph.facts.origins import Origin
from anfora.graph.ir import PRIMITIVES, Abstract, AnfNode, CNode, FuncGraph, ValueNode
from anfora.graph.ir.planned import OperatorCall, is_scalar, recorded
from anfora.graph.ir.primitives import U, primitive_of
from anfora.graph.ir.structure import needed_by
from anfora.graph.lower.lower import Segment
from anfora.graph.lower.ranges import Jump
from anfora.graph.passes.extract import extract_functions
from anfora.graph.run.guards import told_apart_at_once
from anfora.graph.run.points import Hop, Point, Variant
from anfora.graph.state.moments import Piece
from anfora.graph.tell.ends import Ends
from anfora.graph.tell.outside import found_outside
from anfora.graph.tell.wording import Names, guard_text, variables_of
from anfora.ops import stop_gradient

if TYPE_CHECKING:
    from anfora.graph.tell.typed import Builder

__all__ = ["Body", "types_told"]


def types_told(piece: Piece) -> dict[Origin, Abstract]:
    """What the guards of a piece say of the types of values."""
    found: dict[Origin, Abstract] = {}
    for kind, origin, payload in piece.guards:
        if kind == "layout":
            found[origin] = payload.type
            continue
        python = type(payload) if kind == "equal" else payload
        if kind in ("type", "number", "equal") and python in (bool, int, float):
            found[origin] = Weak(python)
    return found


class Body:
    """Fills the graph of one variant."""

    def __init__(self, builder: Builder, graph: FuncGraph, point: Point, variant: Variant) -> None:
        self.builder, self.graph, self.point, self.variant = builder, graph, point, variant
        self.names = Names.at(builder.program, point)
        self.piece = variant.piece
        self.values: dict[AnfNode, AnfNode] = {}  #: by node of the piece
        self.outside: dict[Origin, AnfNode] = {}  #: what comes from there
        self.types = types_told(variant.piece)
        self.built: dict[int, AnfNode] = {}
        self.kept: dict[int, AnfNode] = {}  #: what writes have put somewhere
        self.effects: list[AnfNode] = []
        self.called = self._names_of_values()
        #: What runs natively, where that is shown, and its parameters as values of the piece.
        self.segment: Segment | None = None
        self.given: dict[AnfNode, AnfNode] = {}
        self.calls: dict[OperatorCall, OperatorCall] = {}  #: what stands here for those of the piece, or of its segment
        #: Values with a history for who evaluates the graph; and those among them that have none in the program.
        self.followed: set[AnfNode] = set()
        self.cut: set[AnfNode] = set()
        self.stopped: dict[AnfNode, AnfNode] = {}  #: behind `stop_gradient`

    def build(self) -> None:
        builder, graph, piece = self.builder, self.graph, self.piece
        graph.guards = list(dict.fromkeys(guard_text(guard, self.names) for guard in told_apart_at_once(piece.guards)))
        builder.recorded.add(graph)
        for draw in piece.draws:
            place = graph.apply(PRIMITIVES["draw"], draw.counters)
            self.effects.append(place)
            for i, origin in enumerate((draw.seed, draw.offset)):
                self.outside[origin] = graph.apply(PRIMITIVES["getitem"], place, i, name=origin.key, abstract=Weak(int))
        without_history = {origin for kind, origin, has in piece.guards if kind == "history" and not has}
        for value in (*piece.inputs.values(), *piece.numbers.values()):
            self.values[value] = self.origin(value.origin)
            if value in piece.inputs and value.origin not in without_history:
                self.followed.add(value)
        is_written = any(call.entry.op.writes is not None for call in piece.calls)
        for node, known in piece.constants.items():
            tensor: Any = ValueNode(known)
            if is_written or node in self.variant.runner.wanted:  # it stays as it is: the program has a copy
                tensor = graph.apply(PRIMITIVES["load"], tensor, U, abstract=known._layout.type)
            self.values[node] = tensor
        ends = Ends(self)
        self._operators()
        self._start_leaves(None)
        if piece.cuts:
            self.effects.append(graph.apply(PRIMITIVES["leave_nodes"], len(piece.cuts)))
        for origin in self.variant.runner.origins:  # before anything outside changes
            if not _is_made_late(origin):
                self.origin(origin)
        ends.writes()
        output = ends.end()
        used = needed_by(output)
        unused = [effect for effect in self.effects if effect not in used]
        graph.output = graph.apply(PRIMITIVES["depend"], output, *unused) if unused else output
        if self.segment is not None:
            self._share_loops(self.segment)

    def _names_of_values(self) -> dict[AnfNode, str]:
        """The variables of the program that hold values of the piece when it ends."""
        found: dict[AnfNode, str] = {}
        end = self.variant.end
        if isinstance(end, (Hop, Jump)):
            for slot, name in variables_of(end.frames).items():
                origin = self.variant.runner.origins[slot]
                if origin.kind == "made":
                    found[origin.key[0]] = name
        return found

    # -- operators ---------------------------------------------------------------------------------------------------------

    def _operators(self) -> None:
        piece, runner = self.piece, self.variant.runner
        results: list[tuple[AnfNode, AnfNode]] = []
        if self.builder.fused and piece.calls and not runner.is_one_by_one:
            segment, wanted = runner.segment()
            self.segment, results = segment, list(zip(wanted, segment.outputs))
            self.given = dict(zip(segment.graph.parameters, (*piece.inputs, *piece.numbers)))
        for call in piece.calls if self.segment is None else self.segment.calls:
            self._start_leaves(call.recorded)
            self._operator(call)
        for value, node in results:
            if value not in self.values:
                self.values[value] = self._value(self._recorded(node))

    def _recorded(self, node: AnfNode) -> AnfNode:
        """The value of the piece that a node stands for, behind the passes; the node itself if it is of a pass."""
        return self.given.get(node) or recorded(node)

    def _value(self, x: AnfNode) -> AnfNode:
        """The node of a value here; what a pass has computed is a constant."""
        return self.values[x] if x in self.values or not isinstance(x, ValueNode) else x

    def _operator(self, call: OperatorCall) -> None:
        entry = call.entry
        leaves_node = call.recorded.is_taped
        args = list(map(self._recorded, call.operands))
        results = [self._recorded(x) for x in call.results]
        if not self.followed.isdisjoint(args):
            self.followed.update(results)
            if not leaves_node:
                self.cut.update(results)
        of: dict[AnfNode, AnfNode] = {}
        for x, own in zip(call.operands, args):
            if not is_scalar(own):
                node = self._value(own)
                of[x] = self._without_history(own, node) if leaves_node and own in self.cut else node
        made = self.calls[call] = call.taken_over(self.graph, of)
        made.write_out()
        if entry.op.writes is not None and not leaves_node and self.builder.entry.switch.tape:
            made.call_through(PRIMITIVES["untaped"])
        elif self.piece.is_tried and entry.may_fail:
            made.call_through(PRIMITIVES["attempted"])
        if made.acts:
            self.effects.append(made)
        for value, result in zip(results, made.results):
            self.values[value], result.name = result, self.called.get(value)

    def _start_leaves(self, call: OperatorCall | None) -> None:
        """What requires a gradient in front of an operator of the piece, or of its end."""
        if call is not None and call.graph is not self.piece:  # a pass has made it
            return
        for value, (after, _) in self.piece.leaves.items():
            node = self.values.get(value)
            is_due = call is None or after is None or after.order < call.order
            if is_due and node is not None and value not in self.followed:
                self.values[value] = self.graph.apply(PRIMITIVES["leaf"], node, abstract=node.abstract)
                self.effects.append(self.values[value])
                self.followed.add(value)

    def _without_history(self, value: AnfNode, node: AnfNode) -> AnfNode:
        found = self.stopped.get(value)
        if found is None:
            found = self.stopped[value] = self.graph.apply(stop_gradient, node, abstract=node.abstract)
        return found

    def _share_loops(self, segment: Segment) -> None:
        """Operators that share a loop become functions; and where values lie is told."""
        graph, loops = self.graph, segment.loops
        groups = [
            (f"fused_{len(calls)}", [node for call in calls for node in _nodes(self.calls[call])])
            for calls in loops
            if len(calls) > 1
        ]
        stands_for = extract_functions(graph, groups)
        graph.notes = [(None, f"pass {each}") for each in self.variant.runner.passes()]
        graph.notes.append((None, f"{len(loops)} kernels and loops, {segment.arena} bytes of arena"))
        for value, place in segment.places().items():
            node = self.values.get(self._recorded(value))
            node = stands_for.get(node, node) if node is not None else None
            if node is not None and node.graph in (graph, None):
                graph.notes.append((node, str(place)))

    # -- what comes from outside --------------------------------------------------------------------------------------

    def origin(self, origin: Origin) -> AnfNode:
        found = self.outside.get(origin)
        if found is None:
            found = self.outside[origin] = self._origin(origin)
        return found

    def _origin(self, origin: Origin) -> AnfNode:
        kind, key, base = origin.kind, origin.key, origin.base
        graph = self.graph
        if self.builder.lifted or self.builder.fixed:
            found = found_outside(origin, self.builder.known_at(self.point), self.builder.changed)
            if self.builder.lifted and isinstance(found, Tensor):
                return self.builder.input(found, getattr(found, "name", None) or self.names.path(origin))
            if self.builder.fixed and type(found) in (bool, int, float, str):
                return ValueNode(found)
        if kind == "slot":
            return self.builder.slot(graph, self.point, key)
        if kind == "known":
            return ValueNode(key)
        if kind == "made":
            value = key[0]
            node = self.values[value]
            return self._without_history(value, node) if value in self.cut else node
        if kind == "built":
            return self.built[key]
        if kind == "kept":
            return self.kept[key]
        function, *parts = origin.call
        nodes = [self.origin(part) if isinstance(part, Origin) else part for part in parts]
        if kind == "item" and base.kind == "known" and type(base.key) is dict:
            nodes[0] = self.builder.scope(base.key)
        return graph.apply(primitive_of(function, len(nodes)), *nodes, abstract=self.types.get(origin))


def _is_made_late(origin: Origin) -> bool:
    """Whether a value comes from what is made for a hop or a write."""
    late = (isinstance(part, Origin) and _is_made_late(part) for part in origin.parts)
    return origin.kind in ("built", "kept") or any(late)


def _nodes(call: OperatorCall) -> Iterator[CNode]:
    """A call, with the nodes of sequences that it takes, and of what it makes."""
    yield call
    yield from call.results
    for node in call.args:
        if isinstance(node, CNode) and node.calls(PRIMITIVES["make_tuple"]):
            yield node
