"""What follows from known values alone is computed once."""

from __future__ import annotations

from anfora.core.tensor import Tensor
from anfora.eager import dispatch, tape
from anfora.graph.ir.nodes import AnfNode, Graph, ValueNode
from anfora.graph.ir.planned import operands_from, planned_calls
from anfora.graph.passes.edges import kept_of, lead_to, roots_of

__all__ = ["fold_constants"]

_MOST_BYTES = 1 << 16  #: of a result: what is larger costs more to keep than to make


def fold_constants(graph: Graph) -> None:
    """Compute the calls whose operands are all known.

        z = x + sqrt(c)        z = x + d

    Exact: they are run as PyNative mode runs them. Not those without a tensor among their operands, such as `zeros`: to
    make one costs no more than to copy it; nor what is written in place, or whose error depends on data.

    Args:
        graph: of a piece; it is changed.
    """
    calls = planned_calls(graph)
    if not any(_is_tensor(node) for call in calls for node in call.operands if type(node) is ValueNode):
        return
    kept = kept_of(graph, calls, roots_of(graph, calls))
    stands_for: dict[AnfNode, AnfNode] = {}
    for call in calls:
        operands = [stands_for.get(node, node) for node in call.operands]
        if call.acts or call.entry.view is not None or not any(map(_is_tensor, operands)):
            continue
        if any(type(node) is not ValueNode for node in operands):
            continue
        if not kept.isdisjoint(operands) or not kept.isdisjoint(call.results):
            continue
        if sum(layout.size * layout.dtype.itemsize for layout in call.entry.outputs) > _MOST_BYTES:
            continue
        with tape.recording(False):
            found = dispatch.run_now(call.entry, operands_from({}, operands))
        stands_for.update(zip(call.results, map(ValueNode, found if call.entry.is_tuple else (found,))))
    lead_to(calls, stands_for)


def _is_tensor(node: AnfNode) -> bool:
    return type(node) is ValueNode and isinstance(node.value, Tensor)
