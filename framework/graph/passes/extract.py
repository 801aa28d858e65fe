"""Calls of a graph that become functions: the opposite of inlining."""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable, Sequence

from anfora.graph.ir import FuncGraph
from anfora.graph.ir.nodes import AnfNode, CNode, Graph, ValueNode
from anfora.graph.ir.primitives import PRIMITIVES
from anfora.graph.ir.structure import needed_by

__all__ = ["extract_functions"]

_DEPEND, _MAKE_TUPLE, _GETITEM = PRIMITIVES["depend"], PRIMITIVES["make_tuple"], PRIMITIVES["getitem"]
_order = operator.attrgetter("order")


def extract_functions(graph: FuncGraph, groups: Iterable[tuple[str, Sequence[CNode]]]) -> dict[AnfNode, AnfNode]:
    """Move calls of a graph into functions, each of which is called where the last of its calls stood.

        f(x): y = x + 1; z = y * 2; return z - x        f(x): z = g(x); return z - x
                                                        g(x): y = x + 1; z = y * 2; return z

    A function takes what its calls need, gives what others read, a tuple if that is several, and does what others only wait
    for. Its calls are done together, and so later than before: who chooses them sees to it that this means the same.

    Args:
        graph: it has no manager, and is changed; no other graph takes its calls from outside.
        groups: for each function its name, and its calls. What lies between them comes along.
    Returns:
        for each call that others read, or wait for, what stands for it now.
    Example:
        >>> from anfora.ir import FuncGraph, parse
        >>> graph = parse(lambda x: (x + 1) * 2 - x)
        >>> product = graph.output.args[0]
        >>> _ = extract_functions(graph, [("g", [product, product.args[0]])])
        >>> print(graph.anf())
        lambda (x)
            let g = lambda (x)
                let %1 = x + 1 in
                let ret = %1 * 2 in
                ret end in
            let %1 = g(x) in
            let ret = %1 - x in
            ret end
    """
    assert graph.return_ is not None
    calls = sorted((call for call in needed_by(graph.return_) if call.graph is graph), key=_order)
    users: dict[AnfNode, list[tuple[CNode, bool]]] = {}
    for call in calls:
        for position, node in enumerate(call.inputs):
            users.setdefault(node, []).append((call, call.calls(_DEPEND) and position > 1))
    behind = {call: (call.order, 0) for call in calls}  #: where each call stands
    stands_for: dict[AnfNode, AnfNode] = {}
    for name, group in groups:
        members = _with_what_lies_between(behind.keys() & set(group), graph)
        outside = {call: {waits for user, waits in users[call] if user not in members} for call in members}
        read, awaited = ([call for call in members if waits in outside[call]] for waits in (False, True))
        if not read and not awaited:
            continue
        inner, given = FuncGraph(name), {}
        last = members[-1].order
        for call in members:
            inputs = [stands_for.get(node, node) for node in call.inputs]
            for node in inputs:
                if not isinstance(node, ValueNode) and node not in members and node not in given:
                    given[node] = inner.parameter(node.name, abstract=node.abstract)
            del behind[call]
            call._inputs = tuple([given.get(node, node) for node in inputs])
            call.graph, call.order = inner, inner.next_order()
        types = tuple([call.abstract for call in read])
        result = read[0] if len(read) == 1 else inner.apply(_MAKE_TUPLE, *read, abstract=types)
        effects = [call for call in awaited if call not in read]
        inner.output = inner.apply(_DEPEND, result, *effects, abstract=result.abstract) if effects else result
        made = graph.apply(inner, *given, abstract=result.abstract)
        behind[made] = last, 0
        stands_for.update(dict.fromkeys(effects, made))
        if len(read) == 1:
            made.name = result.name
            stands_for[result] = made
            continue
        for i, call in enumerate(read):
            part = stands_for[call] = graph.apply(_GETITEM, made, i, name=call.name, abstract=call.abstract)
            behind[part] = last, i + 1
    for number, call in enumerate(sorted(behind, key=behind.__getitem__)):
        call.order = number
        if not stands_for.keys().isdisjoint(call.inputs):
            call._inputs = tuple([stands_for.get(node, node) for node in call.inputs])
    graph._count = len(behind)
    Graph.edits += 1
    return stands_for


def _with_what_lies_between(calls: Collection[CNode], graph: Graph) -> list[CNode]:
    """Calls, and those that need one of them and that another one needs, as they were made."""
    first = min(map(_order, calls), default=0)
    needed: set[CNode] = set()
    pending = [*calls]
    while pending:
        for node in pending.pop().inputs:
            if isinstance(node, CNode) and node.graph is graph and node.order > first and node not in needed:
                needed.add(node)
                pending.append(node)
    found = set(calls)
    while more := {call for call in needed - found if not found.isdisjoint(call.inputs)}:
        found |= more
    return sorted(found, key=_order)
