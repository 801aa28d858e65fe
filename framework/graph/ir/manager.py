"""The one door for edits: who uses a node is always known, and always right.

    manager = Manager(root)
    manager.users(x)                   every edge to `x` in the program: (call, position) pairs
    manager.replace(x, y)              lead them to `y`
    manager.set_input(call, 1, y)      lead one of them to `y`
    manager.close()                    another manager may take the graphs

An edge counts when the root needs it. So a new call has no users and is nobody's user until an edge leads to it; one whose
last user is gone leaves the index with all that only it needed; and a graph whose last use is gone leaves with its calls,
though it calls itself. That makes `replace(x, f(x))` safe: the new call's own use of `x` is not among the edges replaced.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from anfora.graph.ir.nodes import AnfNode, CNode, Graph, GraphError, Parameter, as_node, describe
from anfora.graph.ir.structure import end_of, graph_of

__all__ = ["Manager", "Use"]

Use = tuple[CNode, int]  #: an edge: a call, and the position among its inputs


class Manager:
    """The index of users of a program, and the edits that keep it.

    Args:
        root: the graph in which the program starts.
    Raises:
        GraphError: a graph has no output, or belongs to another manager.
    Example:
        >>> from anfora.ir import PRIMITIVES, Manager, parse
        >>> graph = parse(lambda x: x + 1)
        >>> Manager(graph).set_input(graph.output, 0, PRIMITIVES["mul"])
        >>> graph(5)
        5
    """

    def __init__(self, root: Graph) -> None:
        self.root = root
        self._users: dict[AnfNode, dict[Use, None]] = {}
        self._constants: dict[Graph, dict[AnfNode, None]] = {}  # which constants hold a graph
        self._graphs: dict[Graph, None] = {}
        try:
            self._link(self._adopt(root))
        except GraphError:
            self.close()
            raise

    @property
    def graphs(self) -> tuple[Graph, ...]:
        """The graphs of the program, in the order in which they came."""
        return tuple(self._graphs)

    def users(self, node: AnfNode) -> tuple[Use, ...]:
        """The edges of the program that lead to a node, each once, in the order in which they came."""
        return tuple(self._users.get(node, ()))

    def uses(self, graph: Graph) -> tuple[Use, ...]:
        """The edges that lead to constants of a graph: calls of it have position 0."""
        return tuple(use for constant in self._constants.get(graph, ()) for use in self._users[constant])

    # -- edits --------------------------------------------------------------------------------------------------------

    def set_input(self, call: CNode, position: int, value: Any) -> None:
        """Lead one edge elsewhere.

        Args:
            call: the user.
            position: of the input, 0 for the function.
            value: a node, or a value that becomes a constant.
        Raises:
            GraphError: there is no such input, or the new node brings a graph without output or of another manager;
                then nothing has changed.
        """
        if not 0 <= position < len(call.inputs):
            raise GraphError(f"there is no input {position} of {describe(call)}")
        self.set_inputs(call, [*call.inputs[:position], as_node(value), *call.inputs[position + 1 :]])

    def set_inputs(self, call: CNode, inputs: Iterable[Any]) -> None:
        """Give a call other inputs, in any number, the function first.

        Raises:
            GraphError: as `set_input`.
        """
        Graph.edits += 1
        old, new = call.inputs, tuple(map(as_node, inputs))
        if not new:
            raise GraphError(f"a call needs a function: {describe(call)}")
        if self._is_outside(call):
            call._inputs = new  # not part of the program yet
            return
        # The new edges come first: what both have never leaves the index.
        changed = [i for i in range(len(new)) if i >= len(old) or new[i] is not old[i]]
        self._check(new[i] for i in changed)
        call._inputs = new
        gone = [(call, i, old[i]) for i in range(len(old)) if i >= len(new) or new[i] is not old[i]]
        for user, position, node in gone:
            del self._users[node][user, position]
        self._link((call, i, new[i]) for i in changed)
        self._release(node for _, _, node in gone)

    def replace(self, old: AnfNode, new: Any) -> None:
        """Lead every edge of the program that leads to `old` to `new`, a node or a value that becomes a constant.

        Raises:
            GraphError: as `set_input`.
        """
        node = as_node(new)
        self._check([node])
        inputs: dict[CNode, list[AnfNode]] = {}
        for call, position in self.users(old):
            inputs.setdefault(call, list(call.inputs))[position] = node
        for call, changed in inputs.items():
            if not self._is_outside(call):  # it may have left with an earlier one
                self.set_inputs(call, changed)

    def set_parameters(self, graph: Graph, parameters: Iterable[Parameter]) -> None:
        """Give a graph other parameters: its own in another order, or fewer. Calls of it are the caller's business.

        Raises:
            GraphError: one is not of this graph or comes twice, or one that goes is used.
        """
        new = tuple(parameters)
        for parameter in new:
            if parameter.graph is not graph:
                raise GraphError(
                    f"@{graph.name} cannot take the {describe(parameter)}", help="make one with `parameter()`."
                )
        if len(set(new)) < len(new):
            raise GraphError(f"a parameter of @{graph.name} comes twice")
        for parameter in set(graph.parameters) - set(new):
            if parameter in self._users:
                raise GraphError(
                    f"the {describe(parameter)} cannot go: {describe(self.users(parameter)[0][0])} uses it"
                )
        Graph.edits += 1
        graph._parameters = new

    def close(self) -> None:
        """Let the graphs go; the manager knows nothing after it."""
        for graph in self._graphs:
            graph.manager = None
        self._users, self._constants, self._graphs = {}, {}, {}

    # -- the index ----------------------------------------------------------------------------------------------------

    def index(self) -> dict[AnfNode, set[Use]]:
        """The users of every node, in any order."""
        return {node: set(uses) for node, uses in self._users.items()}

    def _is_outside(self, call: CNode) -> bool:
        return call not in self._users and (call.graph not in self._graphs or call.graph.return_ is not call)

    def _adopt(self, graph: Graph) -> list[tuple[CNode, int, AnfNode]]:
        """Take a graph in; its first edges."""
        if graph.manager not in (None, self):
            raise GraphError(
                f"the graph @{graph.name} is being edited through another manager", help="close that first."
            )
        end = end_of(graph)
        graph.manager = self
        self._graphs[graph] = None
        return _edges(end)

    def _link(self, edges: Iterable[tuple[CNode, int, AnfNode]]) -> None:
        """Count edges, and those of what they lead to."""
        pending = list(edges)[::-1]
        while pending:
            call, position, node = pending.pop()
            known = node in self._users
            self._users.setdefault(node, {})[call, position] = None
            if known:
                continue
            more = _edges(node) if isinstance(node, CNode) else []
            graph = graph_of(node)
            if graph is not None:
                self._constants.setdefault(graph, {})[node] = None
                if graph not in self._graphs:
                    more = self._adopt(graph)
            pending += more[::-1]

    def _release(self, nodes: Iterable[AnfNode]) -> None:
        """Forget nodes that nothing uses any more, and what only they needed."""
        pending = list(nodes)
        lost_graph = False
        while pending or lost_graph:
            while pending:
                node = pending.pop()
                if node not in self._users or self._users[node]:
                    continue
                del self._users[node]
                graph = graph_of(node)
                if graph is not None:
                    del self._constants[graph][node]
                    lost_graph = True
                if isinstance(node, CNode):
                    for call, position, used in _edges(node):
                        del self._users[used][call, position]
                        pending.append(used)
            if lost_graph:
                lost_graph = False
                for graph in self._unreachable():
                    del self._graphs[graph]
                    graph.manager = None
                    assert graph.return_ is not None
                    for call, position, used in _edges(graph.return_):
                        del self._users[used][call, position]
                        pending.append(used)

    def _unreachable(self) -> list[Graph]:
        """The graphs that the root does not need any more; they may still use each other."""
        used: dict[Graph, list[Graph]] = {}
        for graph in self._constants:
            for call, _ in self.uses(graph):
                used.setdefault(call.graph, []).append(graph)
        reached = {self.root}
        pending = [self.root]
        while pending:
            for graph in used.get(pending.pop(), ()):
                if graph not in reached:
                    reached.add(graph)
                    pending.append(graph)
        return [graph for graph in self._graphs if graph not in reached]

    def _check(self, nodes: Iterable[AnfNode]) -> None:
        """Refuse what cannot be taken in, before anything changes."""
        seen: set[AnfNode] = set()
        pending = list(nodes)
        while pending:
            node = pending.pop()
            if node in seen or node in self._users:
                continue
            seen.add(node)
            if isinstance(node, CNode):
                pending += node.inputs
            graph = graph_of(node)
            if graph is not None and graph not in self._graphs:
                end = graph.return_
                if graph.manager not in (None, self) or end is None:
                    self._adopt(graph)  # raises
                else:
                    pending.append(end)


def _edges(call: CNode) -> list[tuple[CNode, int, AnfNode]]:
    return [(call, position, node) for position, node in enumerate(call.inputs)]
