"""The same call twice is done once."""

from __future__ import annotations

from anfora.eager.entry import freeze
from anfora.graph.ir.nodes import AnfNode, Graph, ValueNode
from anfora.graph.ir.planned import OperatorCall, is_scalar, planned_calls
from anfora.graph.passes.edges import kept_of, lead_to, roots_of

__all__ = ["merge_same_calls"]


def merge_same_calls(graph: Graph) -> None:
    """Let who reads the second of two equal calls read the first.

        y = exp(x); z = y * exp(x)        y = exp(x); z = y * y

    Exact: the same kernel on the same memory gives the same bits. Calls stay apart where somebody could tell: what they
    make leaves the piece, is written in place or made of such memory, or an error of theirs depends on data.

    Args:
        graph: of a piece; it is changed.
    """
    calls = planned_calls(graph)
    kept = kept_of(graph, calls, roots_of(graph, calls))
    first: dict[tuple, OperatorCall] = {}
    stands_for: dict[AnfNode, AnfNode] = {}
    for call in calls:
        if call.acts or not kept.isdisjoint(call.operands) or not kept.isdisjoint(call.results):
            continue
        operands = [stands_for.get(node, node) for node in call.operands]
        key = call.entry, *[_exact(node) if is_scalar(node) else node for node in operands]
        other = first.setdefault(key, call)
        if other is not call:
            stands_for.update(zip(call.results, other.results))
    lead_to(calls, stands_for)


def _exact(node: AnfNode) -> tuple:
    """A number that is known, as it is told apart from others."""
    assert isinstance(node, ValueNode)
    return type(node.value), freeze(node.value)
