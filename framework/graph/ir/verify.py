"""The law of the IR: what a well-formed program is, checked.

    verify(root)                       raises a GraphError that says what is wrong, and shows the graph's calls around it

Passes may count on it, and tests run it after each pass. What it says of nodes: inputs are nodes; a constant holds a value
and no node; parameters and calls belong to their graphs; functions can be called and get as many arguments as they take;
`return` ends each graph and stands nowhere else. What it says of the whole: no call waits for itself; what a graph takes
from outside is there wherever the graph is used; an index of users is right.
"""

from __future__ import annotations

import inspect
from typing import Any

from anfora.core.abstract import TensorType
from anfora.core.op import Op, Weak
from anfora.graph.ir.manager import Manager, Use
from anfora.graph.ir.nodes import AnfNode, CNode, Graph, GraphError, Parameter, ValueNode, describe
from anfora.graph.ir.primitives import Monad, Primitive, return_, switch
from anfora.graph.ir.structure import Structure, end_of, every_node

__all__ = ["verify"]


def verify(root: Graph) -> Structure:
    """Check a program.

    Args:
        root: the graph in which it starts.
    Returns:
        the structure of the program, for who goes on with it.
    Raises:
        GraphError: it is not well formed.
    Example:
        >>> from anfora.ir import FuncGraph, verify
        >>> inner, outer = FuncGraph("inner"), FuncGraph("outer")
        >>> inner.output = outer.parameter("x")
        >>> outer.output = outer.apply(inner)
        >>> [str(graph) for graph in verify(outer).graphs] and outer(3)
        3
    """
    graphs: dict[Graph, dict[int, CNode]] = {}
    for node, user in every_node(root, _check_graph):
        _check_node(node, user, graphs)
    structure = Structure(root)
    _check_scopes(structure)
    if root.manager is not None and root.manager.root is root:
        _check_index(root.manager, structure)
    return structure


def _fail(message: str, call: CNode | None = None, help: str | None = None) -> GraphError:
    """The error, with the calls of the graph that come before the faulty one."""
    if call is not None:
        near: list[str] = []
        pending: list[AnfNode] = [call]
        while pending and len(near) < 6:
            node = pending.pop(0)
            line = describe(node)
            if isinstance(node, CNode) and line not in near:
                near.append(line)
                pending += [n for n in node.inputs if isinstance(n, CNode)]
        message += "".join(f"\n    {line}" for line in near[::-1])
    return GraphError(message, help=help)


# -- nodes ------------------------------------------------------------------------------------------------------------


def _check_graph(graph: Graph) -> None:
    end = end_of(graph)
    if end.graph is not graph or not end.calls(return_):
        raise _fail(f"the graph @{graph.name} does not end in a `return` of its own", end)
    for parameter in graph.parameters:
        if not isinstance(parameter, Parameter) or parameter.graph is not graph:
            raise _fail(f"a parameter of @{graph.name} is not its own: {describe(parameter)}")
        _check_known(parameter)
    if len(set(graph.parameters)) < len(graph.parameters):
        raise _fail(f"a parameter of @{graph.name} comes twice")


def _check_node(node: AnfNode, user: CNode | None, graphs: dict[Graph, dict[int, CNode]]) -> None:
    if isinstance(node, ValueNode):
        _check_constant(node.value, user)
        return
    if not isinstance(node.graph, Graph):
        raise _fail(f"a {type(node).__name__} belongs to no graph: {describe(node)}", user)
    _check_known(node)
    if isinstance(node, Parameter):
        if node not in node.graph.parameters:
            raise _fail(f"@{node.graph.name} does not have this parameter: {describe(node)}", user)
    elif isinstance(node, CNode):
        others = graphs.setdefault(node.graph, {})
        if node.order in others:
            raise _fail(f"two calls of @{node.graph.name} have one place in the program, {node.order}", node)
        others[node.order] = node
        _check_call(node)
    else:
        raise _fail(f"{type(node).__name__} is no kind of node", user)


def _check_known(node: AnfNode) -> None:
    def is_abstract(given: Any) -> bool:
        if isinstance(given, tuple):
            return all(map(is_abstract, given))
        return given is None or isinstance(given, (TensorType, Weak))

    if not is_abstract(node.abstract):
        raise _fail(f"{node.abstract!r} is nothing that can be known of a value: {describe(node)}")
    if not (node.name is None or isinstance(node.name, str)):
        raise _fail(f"a name must be a string or None, but is {node.name!r}: {describe(node)}")


def _check_constant(value: Any, user: CNode | None) -> None:
    if isinstance(value, AnfNode):
        raise _fail("a constant holds a node", user, help="use the node itself.")
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, (tuple, list)):
            pending += item
        elif item is not value and isinstance(item, (AnfNode, Graph)):
            raise _fail("a constant holds a node or a graph inside a container", user, help="use make_tuple.")


def _check_call(call: CNode) -> None:
    for item in call.inputs:
        if not isinstance(item, AnfNode):
            raise _fail(f"an input of %{call.name or '_'} in @{call.graph.name} is no node, but {type(item).__name__}",
                        help="a value becomes a ValueNode: `graph.apply` makes one.")  # fmt: skip
    if not call.inputs:
        raise _fail(f"a call has no function: {describe(call)}")
    if call.calls(return_) and call.graph.return_ is not call:
        raise _fail("`return` stands in the middle of a graph", call)
    if not isinstance(call.fn, ValueNode):
        return
    called = call.fn.value
    if not (isinstance(called, (Primitive, Op, Graph)) or callable(called)):
        raise _fail(f"{describe(call.fn)} cannot be called", call)
    least, most = _arity(called)
    count = len(call.args)
    if count < least or (most is not None and count > most):
        takes = str(least) if least == most else f"at least {least}" if most is None else f"{least} to {most}"
        raise _fail(f"{describe(call.fn).removeprefix('constant ')} takes {takes} arguments, but gets {count}", call)
    if called is switch:
        for branch in call.args[1:]:
            if isinstance(branch, ValueNode) and not (
                callable(branch.value) or isinstance(branch.value, (Primitive, Graph))
            ):
                raise _fail(f"switch chooses a function, but a branch is the {describe(branch)}", call,
                            help="for values, choose between graphs that return them.")  # fmt: skip


def _arity(called: Any) -> tuple[int, int | None]:
    """How many arguments a function takes, the state that its effects start from included."""
    if isinstance(called, Primitive):
        return called.least, called.most
    if isinstance(called, Graph):
        return len(called.parameters), len(called.parameters)
    if isinstance(called, Op):
        needed = [p for p in called.signature.parameters.values()
                  if p.default is inspect.Parameter.empty and p.name not in called.optional]  # fmt: skip
        return len(needed), len(called.order) + (1 if called.writes or called.is_random else 0)
    return 0, None


# -- the whole --------------------------------------------------------------------------------------------------------


def _check_scopes(structure: Structure) -> None:
    """What a graph takes from outside must be there where the graph is used; so the root takes nothing."""
    for node in structure.free[structure.root]:
        assert node.graph is not None
        users = [
            call
            for own in structure.schedules.values()
            for call in own
            if node in call.inputs and call.graph is not node.graph
        ]
        inner, outer = users[0].graph.name, node.graph.name
        raise _fail(
            f"@{inner} takes a node of @{outer}, and is used outside of it: {describe(node)}", users[0],
            help=f"use @{inner} in @{outer} only, or pass the value as an argument.",
        )  # fmt: skip
    for call in (call for own in structure.schedules.values() for call in own):
        function = call.fn.value if isinstance(call.fn, ValueNode) else None
        if not (isinstance(function, Primitive) and function.name in ("update_state", "load")):
            continue
        state = call.args[0 if function.name == "update_state" else 1]
        if isinstance(state, ValueNode) and not isinstance(state.value, Monad):
            raise _fail(f"{function.name} needs a state of the world, but gets the {describe(state)}", call)


def _check_index(manager: Manager, structure: Structure) -> None:
    users: dict[AnfNode, set[Use]] = {}
    for call in (call for own in structure.schedules.values() for call in own):
        for position, node in enumerate(call.inputs):
            users.setdefault(node, set()).add((call, position))
    if users != manager.index() or set(structure.graphs) != set(manager.graphs):
        raise _fail(
            "the index of users does not show the edges of the program", help="change edges through the Manager."
        )
