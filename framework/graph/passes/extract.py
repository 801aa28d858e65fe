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
    extraction = _Extraction(graph)
    for name, calls in groups:
        extraction.extract(name, calls)
    return extraction.finish()


class _Extraction:
    """Moves calls of a graph."""

    def __init__(self, graph: FuncGraph) -> None:
        assert graph.return_ is not None
        self.graph = graph
        calls = [call for call in needed_by(graph.return_) if call.graph is graph]
        #: By call, who takes it, and whether that only waits for it.
        self.users: dict[AnfNode, list[tuple[CNode, bool]]] = {}
        for call in calls:
            for position, node in enumerate(call.inputs):
                self.users.setdefault(node, []).append((call, call.calls(_DEPEND) and position > 1))
        self.behind = {call: (call.order, 0) for call in calls}  #: where each call stands
        self.stands_for: dict[AnfNode, AnfNode] = {}

    def extract(self, name: str, calls: Iterable[CNode]) -> None:
        members = _with_what_lies_between(self.behind.keys() & set(calls), self.graph)
        uses = {call: {waits for user, waits in self.users[call] if user not in members} for call in members}
        read = [call for call in members if False in uses[call]]
        awaited = [call for call in members if uses[call] == {True}]
        if not read and not awaited:
            return
        last = members[-1].order
        inner, given = self._moved(name, members)
        kinds = tuple([call.abstract for call in read])
        result = read[0] if len(read) == 1 else inner.apply(_MAKE_TUPLE, *read, abstract=kinds)
        inner.output = inner.apply(_DEPEND, result, *awaited, abstract=result.abstract) if awaited else result
        made = self.graph.apply(inner, *given, abstract=result.abstract)
        self.behind[made] = last, 0
        self.stands_for.update(dict.fromkeys(awaited, made))
        if len(read) == 1:
            made.name = result.name
            self.stands_for[result] = made
            return
        for i, call in enumerate(read):
            part = self.graph.apply(_GETITEM, made, i, name=call.name, abstract=call.abstract)
            self.stands_for[call], self.behind[part] = part, (last, i + 1)

    def _moved(self, name: str, members: Sequence[CNode]) -> tuple[FuncGraph, list[AnfNode]]:
        """A function with these calls, and what it takes."""
        inner, given = FuncGraph(name), dict[AnfNode, AnfNode]()
        for call in members:
            inputs = [self.stands_for.get(node, node) for node in call.inputs]
            for node in inputs:
                if not isinstance(node, ValueNode) and node not in members and node not in given:
                    given[node] = inner.parameter(node.name, abstract=node.abstract)
            del self.behind[call]
            call._inputs = tuple([given.get(node, node) for node in inputs])
            call.graph, call.order = inner, inner.next_order()
        return inner, list(given)

    def finish(self) -> dict[AnfNode, AnfNode]:
        """Number the calls that have stayed, and lead their edges to the functions."""
        for number, call in enumerate(sorted(self.behind, key=self.behind.__getitem__)):
            call.order = number
            if not self.stands_for.keys().isdisjoint(call.inputs):
                call._inputs = tuple([self.stands_for.get(node, node) for node in call.inputs])
        self.graph._count = len(self.behind)
        Graph.edits += 1
        return self.stands_for


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
