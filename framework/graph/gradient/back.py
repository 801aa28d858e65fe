"""The way back over calls of operators, where it is known which tensors are the same: gradients are nodes then.

    walk(steps, sums, add)     the tape's order: the last call first, and each sum added to as its parts come
    PieceBack                  the same written as a piece, for calls that are planned already

A *step* is a call to go back over. The *sums* are the gradients that have come so far, by what they belong to; what nothing
has come to is not among them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, MutableMapping, Sequence
from typing import Any, NamedTuple

from anfora.core.abstract import Layout
from anfora.core.tensor import Tensor, current
from anfora.eager.dispatch import here
from anfora.eager.entry import entry_for
from anfora.graph.facts.origins import Guard, Origin, value_of
from anfora.graph.facts.values import exact
from anfora.graph.gradient.rules import known_of, rule_of
from anfora.graph.ir.nodes import AnfNode, ValueNode
from anfora.graph.ir.planned import OperatorCall
from anfora.graph.passes.planning import layout_of
from anfora.graph.state.moments import Incoming, IncomingNumber, Piece
from anfora.ops import add

__all__ = ["PieceBack", "Step", "give", "walk"]


class Step(NamedTuple):
    """A call that is gone back over."""

    results: Sequence[Any]  #: what gradients come to
    operands: Sequence[Any]  #: what they go to
    #: Writes the rule of the call, for what has come to its results: pairs of an operand, and what is to be added.
    write: Callable[[list[AnfNode | None]], list[tuple[int, AnfNode]]]


Add = Callable[[AnfNode, AnfNode], AnfNode]


def give(sums: MutableMapping[Any, AnfNode], to: Any, gradient: AnfNode, add: Add) -> None:
    """Add to a sum; the first to come is taken as it is."""
    before = sums.get(to)
    sums[to] = gradient if before is None else add(before, gradient)


def walk(steps: Iterable[Step], sums: MutableMapping[Any, AnfNode], add: Add) -> None:
    """Go back over calls, the last first; where nothing has come to a call, there is nothing to do."""
    for step in steps:
        came = [sums.pop(result, None) for result in step.results]
        if any(came):
            for i, gradient in step.write(came):
                give(sums, step.operands[i], gradient, add)


class PieceBack:
    """The way back over planned calls, as a piece that starts from slots.

    Args:
        values: what stands in the slots: tensors and numbers.
        count: how many of them, from the first, are gradients; the layouts of these are guarded, those of the others are
            always the same.
    Attributes:
        piece: what is written.
        slots: the nodes of the tensors, and the origins of the numbers.
    """

    def __init__(self, values: Sequence[Any], count: int) -> None:
        self.piece = Piece()
        self._values, self._count, self._place = values, count, here()
        self._layouts: dict[AnfNode, Layout] = {}
        self._derived: dict[tuple, Origin] = {}
        self._told: set[tuple] = set()
        self._made: dict[AnfNode, Origin] = {}
        self._back: Any = None  #: of which call the gradient is, as calls keep it
        self.slots = [self._slot(i, value) for i, value in enumerate(values)]

    def _slot(self, index: int, value: Any) -> Any:
        origin = Origin("slot", index)
        if not isinstance(value, Tensor):
            return origin
        layout = current(value)._layout
        node = self.piece.input(origin, layout)
        self._layouts[node] = layout
        if index < self._count:
            self._guard("layout", origin, layout)
        return node

    # -- writing ------------------------------------------------------------------------------------------------------

    def over(self, call: OperatorCall, mask: int, values: Sequence[Any]) -> Step:
        """The step over a call.

        Args:
            mask: which operands are followed.
            values: its operands and results: a node; the origin of a number that varies; None for what no rule asks for.
        """

        def write(came: list[AnfNode | None]) -> list[tuple[int, AnfNode]]:
            known = known_of(call.operands)
            layouts = tuple([None if node is None else layout_of(node, self._layouts) for node in came])
            self._back = call.place, call.cells
            rule = rule_of(call.entry, mask, known, layouts)
            for kind, origin, payload in rule.guards:
                self._guard(kind, self._substituted(origin, values), payload)
            return rule.write(self, values, came)

        return Step(call.results, call.operands, write)

    def call(self, entry: Any, operands: Sequence[AnfNode]) -> Sequence[AnfNode]:
        piece = self.piece
        call = OperatorCall(piece, entry, tuple(operands), self._place, back=self._back)
        piece.calls.append(call)
        for node in operands:
            if type(node) is ValueNode and isinstance(node.value, Tensor):
                piece.constants[node] = node.value
        return call.results

    def number(self, number: IncomingNumber, values: Sequence[Any]) -> AnfNode:
        origin = self._substituted(number.origin, values)
        return self.piece.number(type(value_of(origin, self._values)), origin, number.layout, number.op)

    def add(self, before: AnfNode, gradient: AnfNode) -> AnfNode:
        """The sum of two gradients."""
        keys = tuple([layout_of(node, self._layouts) for node in (before, gradient)])
        return self.call(entry_for(add, keys, ()), (before, gradient))[0]

    def _guard(self, kind: str, origin: Origin, payload: Any) -> None:
        name = kind, id(origin), id(payload)
        if name not in self._told:
            self._told.add(name)
            self.piece.guards.append(Guard(kind, origin, payload))

    def _substituted(self, origin: Any, values: Sequence[Any]) -> Any:
        """Where a number comes from, told from the slots of the piece, in place of the operands of a call. One object for
        each, so that it is computed once."""
        if not isinstance(origin, Origin):
            return origin
        if origin.kind == "slot":
            return values[origin.key]
        if origin.kind != "number":
            return self._derived.setdefault((origin.kind, id(origin.key), id(origin.base)), origin)
        parts = tuple([self._substituted(part, values) for part in origin.base])
        name = origin.key, *(id(part) if isinstance(part, Origin) else exact(part) for part in parts)
        return self._derived.setdefault(name, Origin("number", origin.key, parts))

    # -- what is given ------------------------------------------------------------------------------------------------

    def origin_of(self, node: AnfNode) -> Origin:
        """The origin of a tensor, one object for each: a slot, or what the piece makes, a view of another one perhaps."""
        if isinstance(node, Incoming) and node.origin.key < self._count:
            return node.origin
        found = self._made.get(node)
        if found is None:
            base = None
            if isinstance(node, OperatorCall) and node.entry.view is not None:
                base = self.origin_of(node.operands[0]), ((node.entry.op, node.entry.attributes),)
            found = self._made[node] = Origin("made", (node, layout_of(node, self._layouts)), base)
            if isinstance(node, Incoming):  # a second handle on what is saved
                self.piece.handles.add(found)
        return found

    def finish(self, results: Iterable[AnfNode]) -> list[Origin]:
        """End the piece: the origins of its results."""
        results = list(results)
        used = {*results, *(node for call in self.piece.calls for node in call.operands)}
        self.piece.inputs = {node: node for node in self.piece.inputs.values() if node in used}
        return [self.origin_of(node) for node in results]
