"""Inlining of graphs that one call alone goes on in."""

from __future__ import annotations

from collections.abc import Container

from anfora.graph.ir.nodes import AnfNode, CNode, Graph
from anfora.graph.ir.primitives import PRIMITIVES
from anfora.graph.ir.structure import Structure, graph_of

__all__ = ["inline_single_calls"]


def inline_single_calls(root: Graph, among: Container[Graph] | None = None) -> list[tuple[Graph, Graph]]:
    """Move what a graph does into the graph that calls it last of all, where no other edge leads to it.

        f(x): y = x + 1; return g(y)        f(x): y = x + 1; z = y * 2; return z
        g(a): z = a * 2; return z

    Each node is computed as often as before, and in the same order: those of the inner graph come behind all others of the
    outer one, as the call did. So values, effects and the order of gradients stay. Guards and notes come along.

    Args:
        root: the graph in which the program starts; it has no manager, and is changed.
        among: the graphs that may be moved; all if it is not given.
    Returns:
        the pairs (outer, inner), in the order in which they became one.
    Example:
        >>> from anfora.ir import PRIMITIVES, FuncGraph
        >>> f, g = FuncGraph("f"), FuncGraph("g")
        >>> g.output = g.apply(PRIMITIVES["mul"], g.parameter("a"), 2, name="z")
        >>> f.output = f.apply(g, f.apply(PRIMITIVES["add"], f.parameter("x"), 1, name="y"))
        >>> [(outer.name, inner.name) for outer, inner in inline_single_calls(f)]
        [('f', 'g')]
        >>> print(f.anf())
        lambda (x)
            let y = x + 1 in
            let z = y * 2 in
            z end
    """
    structure = Structure(root)
    uses: dict[Graph, int] = {root: 1}
    for calls in structure.schedules.values():
        for call in calls:
            for node in call.inputs:
                inner = graph_of(node)
                if inner is not None:
                    uses[inner] = uses.get(inner, 0) + 1
    stands_for: dict[AnfNode, AnfNode] = {}
    joined: list[tuple[Graph, Graph]] = []
    for outer in structure.graphs:
        last = _last_call(structure, outer)
        while last is not None:
            inner = graph_of(last.fn)
            if inner is None or inner is root or uses[inner] != 1 or len(inner.parameters) != len(last.args):
                break
            if among is not None and inner not in among:
                break
            following = _last_call(structure, inner)
            stands_for.update(zip(inner.parameters, last.args))
            stands_for[last] = inner.output
            for call in structure.schedules[inner][:-1]:
                call.graph, call.order = outer, outer._count
                outer._count += 1
            outer.guards = [*outer.guards, *inner.guards]
            outer.notes = [*outer.notes, *inner.notes]
            joined.append((outer, inner))
            uses[inner] = 0
            last = following
    for calls in structure.schedules.values():
        for call in calls:
            call._inputs = tuple(_resolved(node, stands_for) for node in call.inputs)
    Graph.edits += 1
    return joined


def _last_call(structure: Structure, graph: Graph) -> CNode | None:
    """The call whose result a graph returns, if that is the last thing it does."""
    for call in reversed(structure.schedules[graph][:-1]):
        if not call.calls(PRIMITIVES["depend"]):
            return call if _behind(graph.output) is call else None
    return None


def _behind(node: AnfNode) -> AnfNode:
    """What a node gives, where that only waits for something."""
    while isinstance(node, CNode) and node.calls(PRIMITIVES["depend"]):
        node = node.args[0]
    return node


def _resolved(node: AnfNode, stands_for: dict[AnfNode, AnfNode]) -> AnfNode:
    while node in stands_for:
        node = stands_for[node]
    return node
