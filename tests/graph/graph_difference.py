"""Whether two programs of MindIR are the same, and where they first differ.

The same graphs in the same order of use, the same parameters, the same calls in the same order with the same inputs, and
constants that are equal to the last bit. Names, types, spans and guards count on demand.
"""

from __future__ import annotations

from anfora.core.span import Span
from anfora.graph.ir.nodes import AnfNode, Graph, ValueNode, describe
from anfora.graph.ir.structure import Structure
from anfora.graph.ir.values import same_value

__all__ = ["difference"]


def difference(a: Graph, b: Graph, *, complete: bool = False) -> str | None:
    """The first difference of two programs, in words.

    Args:
        a: one program, by the graph in which it starts.
        b: the other.
        complete: names, types, spans and guards count too.
    Returns:
        None where they are the same.
    """
    first, second = Structure(a), Structure(b)
    if len(first.graphs) != len(second.graphs):
        return f"{len(first.graphs)} graphs and {len(second.graphs)}"
    same: dict[AnfNode | Graph | None, AnfNode | Graph | None] = {None: None}
    for g, h in zip(first.graphs, second.graphs):
        same[g] = h
        if len(g.parameters) != len(h.parameters):
            return f"@{g.name} has {len(g.parameters)} parameters, and @{h.name} {len(h.parameters)}"
        if len(first.schedules[g]) != len(second.schedules[h]):
            return f"@{g.name} has {len(first.schedules[g])} calls, and @{h.name} {len(second.schedules[h])}"
        same.update(zip(g.parameters, h.parameters))
        same.update(zip(first.schedules[g], second.schedules[h]))
    for g, h in zip(first.graphs, second.graphs):
        if complete and (g.name != h.name or _place(g.span) != _place(h.span)):
            return f"@{g.name} and @{h.name} have other names or spans"
        if complete and g.guards != h.guards:
            return f"@{g.name} and @{h.name} have other guards"
        for a_parameter, b_parameter in zip(g.parameters, h.parameters):
            if complete and _details(a_parameter) != _details(b_parameter):
                return f"{describe(a_parameter)} and {describe(b_parameter)} have other names, types or spans"
        for a_call, b_call in zip(first.schedules[g], second.schedules[h]):
            pairs = zip(a_call.inputs, b_call.inputs)
            if len(a_call.inputs) != len(b_call.inputs) or not all(_same(x, y, same) for x, y in pairs):
                return f"{describe(a_call)}, and {describe(b_call)}"
            if complete and _details(a_call) != _details(b_call):
                return f"{describe(a_call)} and {describe(b_call)} have other names, types or spans"
    return None


def _same(a: AnfNode, b: AnfNode, same: dict) -> bool:
    if not isinstance(a, ValueNode) or not isinstance(b, ValueNode):
        return same.get(a) is b
    if isinstance(a.value, Graph):
        return same[a.value] is b.value
    return same_value(a.value, b.value)


def _details(node: AnfNode) -> tuple:
    return node.name, node.abstract, _place(node.span)


def _place(span: Span | None) -> tuple | None:
    return None if span is None else (span.file, span.line, span.end_line, span.column, span.end_column, span.function)
