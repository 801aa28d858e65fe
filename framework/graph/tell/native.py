"""How a piece is run natively, as it can be seen: its calls behind all passes, and where its values lie."""

from __future__ import annotations

from typing import Any

from anfora.graph.ir.nodes import AnfNode
from anfora.graph.ir.planned import OperatorCall, call_behind
from anfora.graph.lower import lower
from anfora.graph.lower.arena import Kind, arrange
from anfora.graph.lower.fusion import fuse, grouped
from anfora.graph.run.points import Variant

__all__ = ["NativePlan", "lowered"]


class NativePlan:
    """How a piece is run natively: its calls behind all passes (graph/passes).

    Attributes:
        calls: of operators.
        passes: what each did to them, in words.
        groups: those that share a loop, in their order; those in no group have loops of their own.
        alive: those that are run at all: views cost nothing.
        tasks: how many loops and kernels there are.
        arena: bytes for what lies between.
        places: where values lie, in words.
        results: for values of the piece that are wanted, what gives them.
    """

    def __init__(self, variant: Variant) -> None:
        piece = variant.piece
        segment, wanted = variant.runner.segment()
        self.calls = segment.calls
        self.passes = variant.runner.passes()
        self._values: dict[AnfNode, AnfNode] = dict(zip(segment.graph.parameters, (*piece.inputs, *piece.numbers)))
        self.results = {value: self.recorded(node) for value, node in zip(wanted, segment.outputs)}
        lowering = lower.Lowering(segment.inputs, segment.calls, segment.outputs)
        # Tasks of no operator copy constants that are written; some operators have two tasks.
        position = {call: index for index, call in enumerate(self.calls)}
        groups = [{task.call for i in group if (task := lowering.tasks[i]).call} for group in grouped(lowering.tasks)]
        self.groups = [sorted(group, key=position.__getitem__) for group in groups if len(group) > 1]
        self.alive = {task.call for task in lowering.tasks}
        tasks = fuse(lowering.tasks)
        used = {place.root for task in tasks for place in (*task.inputs, *task.outputs) if place is not None}
        self.tasks = len(tasks)
        self.arena, _ = arrange(tasks)
        self.places = {
            self.recorded(value): _place_text(place, place.root in used) for value, place in lowering.values.items()
        }

    def recorded(self, node: AnfNode) -> AnfNode:
        """The value of the piece that a node stands for; the node itself if it is of a pass."""
        call = call_behind(node)
        if isinstance(call, OperatorCall):
            return call.recorded if call is node else call.recorded.results[call.results.index(node)]  # type: ignore[arg-type]
        return self._values.get(node, node)


def lowered(variant: Variant) -> NativePlan | None:
    """How a variant is run natively; None where it is run one by one, because the tape follows it."""
    return None if variant.runner.is_one_by_one or not variant.piece.calls else NativePlan(variant)


def _place_text(place: Any, is_used: bool) -> str:
    root, offset, layout = place
    nbytes = layout.size * layout.dtype.itemsize
    if root.kind is Kind.ARENA:
        if not is_used:
            return "registers"
        return f"arena {root.at + root.origin + offset} … {root.at + root.origin + offset + nbytes}"
    where = _WHERE[root.kind]
    return f"{where}, from byte {offset}" if offset else where


_WHERE = {Kind.INPUT: "input", Kind.CONSTANT: "constant", Kind.FRESH: "new array", Kind.PYTHON: "array of Python"}
