"""What follows from the edges of a program: which graphs it has, what each takes from outside, in which order it computes.

A node is *free* in a graph that needs it and does not own it, by its own edges or through a graph that it uses: to make
that closure, its values must be there. The graph that owns free nodes, or the innermost of several, is the *parent*. A
closed program has no free nodes at its root; then the owners of a graph's free nodes stand one inside the other.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator

from anfora.graph.ir.nodes import AnfNode, CNode, Graph, GraphError, ValueNode, describe
from anfora.graph.ir.primitives import PRIMITIVES, U

__all__ = ["Structure", "end_of", "every_node", "graph_of", "is_state", "needed_by"]


def graph_of(node: AnfNode) -> Graph | None:
    """The graph that a constant holds, if it does."""
    return node.value if isinstance(node, ValueNode) and isinstance(node.value, Graph) else None


def is_state(node: AnfNode) -> bool:
    """Whether it is a state of the world, which functions are called without."""
    if isinstance(node, ValueNode):
        return node.value is U
    return isinstance(node, CNode) and node.calls(PRIMITIVES["update_state"])


class Structure:
    """The graphs of a program, at the moment it is asked for; edits are not followed.

    Args:
        root: the graph in which the program starts.
    Raises:
        GraphError: a graph has no output, or a call waits for itself.
    """

    graphs: list[Graph]  #: the root, then each graph behind the one that uses it first
    schedules: dict[Graph, list[CNode]]  #: the calls of a graph in the order in which they are computed
    used: dict[Graph, list[Graph]]  #: the graphs that a graph's own calls take as constants
    free: dict[Graph, dict[AnfNode, None]]  #: what a graph needs from outside

    def __init__(self, root: Graph) -> None:
        self.root = root
        calls = _reachable(root)
        self.free = _free(calls, {graph: _used(own) for graph, own in calls.items()})
        self.schedules = {graph: self._schedule(graph, own) for graph, own in calls.items()}
        self.used = {graph: _used(own) for graph, own in self.schedules.items()}
        # A graph that is not used, and yet owns a node that is, comes last: `verify` refuses it.
        self.graphs = list(dict.fromkeys([*self._walk(root), *calls]))

    def see_closed(self) -> None:
        """Refuse a program that takes values from outside.

        Raises:
            GraphError: it does.
        """
        if self.free[self.root]:
            free = next(iter(self.free[self.root]))
            raise GraphError(f"the graph @{self.root.name} takes values from outside: {free!r}",
                             help="run the graph that it is made in.")  # fmt: skip

    def parent(self, graph: Graph) -> Graph | None:
        """The innermost graph that a graph takes nodes from."""
        owners = self.owners(graph)
        return max(owners, key=lambda owner: len(self.owners(owner)), default=None)

    def owners(self, graph: Graph) -> list[Graph]:
        """The graphs that a graph takes nodes from."""
        return list(dict.fromkeys(node.graph for node in self.free[graph] if node.graph is not None))

    def needs(self, call: CNode) -> Iterator[AnfNode]:
        """What must be there before a call is computed: its inputs, and what closures among them hold."""
        for node in call.inputs:
            graph = graph_of(node)
            if graph is None:
                yield node
            else:
                yield from self.free[graph]

    def _schedule(self, graph: Graph, calls: list[CNode]) -> list[CNode]:
        """The calls of one graph: each behind what it needs, and otherwise as the program wrote them."""
        waits: dict[CNode, int] = {}
        unlocks: dict[CNode, list[CNode]] = {call: [] for call in calls}
        for call in calls:
            before = {node for node in self.needs(call) if isinstance(node, CNode) and node.graph is graph}
            waits[call] = len(before)
            for node in before:
                unlocks[node].append(call)
        numbered = {call.order: call for call in calls}
        ready = [call.order for call in calls if not waits[call]]
        heapq.heapify(ready)
        schedule = []
        while ready:
            call = numbered[heapq.heappop(ready)]
            schedule.append(call)
            for later in unlocks[call]:
                waits[later] -= 1
                if not waits[later]:
                    heapq.heappush(ready, later.order)
        if len(schedule) < len(calls):
            stuck = sorted((call for call in calls if waits[call]), key=lambda call: call.order)
            lines = "".join(f"\n    {describe(call)}" for call in stuck[:10])
            raise GraphError(f"in the graph @{graph.name} calls wait for each other:{lines}")
        return schedule

    def _walk(self, root: Graph) -> Iterator[Graph]:
        """The graphs, depth first, in the order of use."""
        seen: set[Graph] = set()
        pending = [iter([root])]
        while pending:
            graph = next((graph for graph in pending[-1] if graph not in seen), None)
            if graph is None:
                pending.pop()
                continue
            seen.add(graph)
            yield graph
            pending.append(iter(self.used[graph]))


def needed_by(node: AnfNode) -> set[CNode]:
    """The calls that a node needs, itself among them, as far as edges lead: graphs that are constants are not gone into."""
    found: set[CNode] = set()
    pending = [node]
    while pending:
        call = pending.pop()
        if isinstance(call, CNode) and call not in found:
            found.add(call)
            pending += call.inputs
    return found


def _used(calls: list[CNode]) -> list[Graph]:
    """The graphs that calls take as constants, in the order of the calls."""
    return list(dict.fromkeys(graph for call in calls for graph in map(graph_of, call.inputs) if graph))


def end_of(graph: Graph) -> CNode:
    """The call of `return` that ends a graph.

    Raises:
        GraphError: it has none.
    """
    if graph.return_ is None:
        raise GraphError(f"the graph @{graph.name} has no output", help="set `graph.output` to a node or a value.")
    return graph.return_


def every_node(
    root: Graph, enter: Callable[[Graph], None] = lambda graph: None
) -> Iterator[tuple[AnfNode, CNode | None]]:
    """Every node that the program needs, with one user of it.

    Args:
        enter: told of each graph, before anything that is in it.
    """
    entered: set[Graph] = set()
    seen: set[AnfNode] = set()
    pending: list[tuple[AnfNode, CNode | None]] = [(ValueNode(root), None)]
    while pending:
        node, user = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        yield node, user
        if isinstance(node, CNode):
            pending += [(item, node) for item in node.inputs]
        for graph in (node.graph, graph_of(node)):
            if graph is not None and graph not in entered:
                entered.add(graph)
                enter(graph)
                pending.append((end_of(graph), None))


def _reachable(root: Graph) -> dict[Graph, list[CNode]]:
    """Every call that the program needs, by owner."""
    calls: dict[Graph, list[CNode]] = {}
    for node, _ in every_node(root):
        if isinstance(node, CNode):
            calls.setdefault(node.graph, []).append(node)
    return calls


def _free(calls: dict[Graph, list[CNode]], used: dict[Graph, list[Graph]]) -> dict[Graph, dict[AnfNode, None]]:
    """What each graph needs from outside, grown until nothing changes (graphs may use each other)."""
    free: dict[Graph, dict[AnfNode, None]] = {}
    for graph, own in calls.items():
        outside = (
            n for call in sorted(own, key=lambda call: call.order) for n in call.inputs if n.graph not in (None, graph)
        )
        free[graph] = dict.fromkeys(outside)
    users: dict[Graph, list[Graph]] = {graph: [] for graph in calls}
    for graph, inner in used.items():
        for g in inner:
            users[g].append(graph)
    pending = dict.fromkeys(calls)
    while pending:
        inner_graph = next(iter(pending))
        del pending[inner_graph]
        for graph in users[inner_graph]:
            new = [n for n in free[inner_graph] if n.graph is not graph and n not in free[graph]]
            if new:
                free[graph].update(dict.fromkeys(new))
                pending[graph] = None
    return free
