"""What passes ask of the graph of a piece, and how they change its edges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from anfora.graph.ir import FuncGraph
from anfora.graph.ir.nodes import AnfNode, Graph, ValueNode
from anfora.graph.ir.planned import OperatorCall, finish, has_effect, is_scalar, planned_calls, results_of

__all__ = ["copied", "function_of", "kept_of", "lead_to", "roots_of", "written_of"]


def function_of(
    name: str, calls: Iterable[OperatorCall], inputs: Sequence[AnfNode], results: Sequence[AnfNode]
) -> FuncGraph:
    """Calls of a piece as a function, on nodes of its own.

    Args:
        calls: in their order.
        inputs: what they take from outside.
        results: what is wanted of them.
    """
    graph = FuncGraph(name)
    of: dict[AnfNode, AnfNode] = {node: graph.parameter(node.name, abstract=node.abstract) for node in inputs}
    effects: list[AnfNode] = []
    for call in calls:
        of[call] = made = call.taken_over(graph, of)
        of.update(zip(call.parts or (), made.results))
        if has_effect(made):
            effects.append(made)
    finish(graph, [of.get(node, node) for node in results], effects)
    return graph


def copied(graph: FuncGraph) -> FuncGraph:
    """The graph of a piece once more."""
    return function_of(graph.name, planned_calls(graph), graph.parameters, results_of(graph))


def lead_to(calls: Iterable[OperatorCall], stands_for: Mapping[AnfNode, AnfNode]) -> None:
    """Lead every edge from these calls to a node that another one stands for to that one, of the same layout. The results
    of the piece stay."""
    if stands_for:
        for call in calls:
            if not stands_for.keys().isdisjoint(call.operands):
                call.lead_to(stands_for)


def roots_of(graph: Graph, calls: Sequence[OperatorCall]) -> dict[AnfNode, AnfNode]:
    """For each tensor the node that its memory belongs to: of a view what it is a view of."""
    roots: dict[AnfNode, AnfNode] = {node: node for node in graph.parameters}
    for call in calls:
        roots.update((node, node) for node in call.operands if type(node) is ValueNode and not is_scalar(node))
        for node in call.results:
            roots[node] = roots.get(call.operands[0], node) if call.entry.view is not None else node
    return roots


def kept_of(graph: Graph, calls: Sequence[OperatorCall], roots: Mapping[AnfNode, AnfNode]) -> set[AnfNode]:
    """The nodes whose memory leaves the piece, or is written in place: each is computed by itself."""
    kept = written_of(graph, calls, roots)
    kept.update(roots[node] for node in results_of(graph) if node in roots)
    return {node for node, root in roots.items() if root in kept}


def written_of(graph: Graph, calls: Sequence[OperatorCall], roots: Mapping[AnfNode, AnfNode]) -> set[AnfNode]:
    """The nodes whose memory is written in place. What comes in may share memory: where one is written, so may be all."""
    written = {roots[call.operands[i]] for call in calls for i in call.entry.written if call.operands[i] in roots}
    return written if written.isdisjoint(graph.parameters) else written.union(graph.parameters)
