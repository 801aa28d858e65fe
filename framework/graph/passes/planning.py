"""Calls that a pass has made, or changed, get their entries: they are planned for the layouts of their operands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from anfora.core.abstract import Layout
from anfora.core.op import Op, Weak
from anfora.core.tensor import Tensor
from anfora.eager.entry import entry_for, freeze
from anfora.graph.ir.nodes import AnfNode, CNode, Graph, GraphError, ValueNode, describe
from anfora.graph.ir.planned import OperatorCall, call_behind, calls_in_order, effects_of, finish, results_of
from anfora.graph.ir.primitives import PRIMITIVES

__all__ = ["layout_of", "operands_of", "plan"]


def layout_of(node: AnfNode, layouts: Mapping[AnfNode, Layout]) -> Layout | None:
    """How a tensor lies in memory; None for what is no tensor.

    Args:
        layouts: of the parameters.
    """
    if isinstance(node, ValueNode):
        return node.value._layout if isinstance(node.value, Tensor) else None
    found = layouts.get(node)
    if found is None:
        call = call_behind(node)
        if isinstance(call, OperatorCall):
            found = call.entry.outputs[0 if call is node else call.index_of(node)]
    return found


def plan(graph: Graph, layouts: Mapping[AnfNode, Layout]) -> None:
    """Plan what has no entry, or one for other layouts, and let the graph end in what came of it.

    Args:
        graph: of a piece, that no manager has; it is changed.
        layouts: of its parameters.
    Raises:
        GraphError: a call is no call of an operator.
        OpError: its arguments are nothing for the operator.
    """
    stands_for: dict[AnfNode, AnfNode] = {}

    def now(node: AnfNode) -> AnfNode:
        if isinstance(node, CNode) and node.calls(_GETITEM) and node.args[0] in stands_for:
            call, index = stands_for[node.args[0]], node.args[1]
            assert isinstance(call, OperatorCall) and isinstance(index, ValueNode)
            return call.results[index.value]
        return stands_for.get(node, node)

    for call in calls_in_order(graph):
        if isinstance(call, OperatorCall) and not call.is_edited:
            operands = tuple(map(now, call.operands))
            if all(layout_of(node, layouts) in (None, of) for node, of in zip(operands, call.entry.inputs)):
                call.operands = operands
                continue
        stands_for[call] = _planned(graph, call, now, layouts)
    results = tuple(map(now, results_of(graph)))
    finish(graph, results, tuple(map(now, effects_of(graph))))


def _planned(
    graph: Graph, call: CNode, now: Callable[[AnfNode], AnfNode], layouts: Mapping[AnfNode, Layout]
) -> OperatorCall:
    """A call of an operator, planned for what its operands are now."""
    function = call.fn
    op = function.value if isinstance(function, ValueNode) else None
    if not isinstance(op, Op):
        raise GraphError(
            f"a call is none of an operator: {describe(call)}",
            help="functions of `anfora.ops` that are operators can stand there.",
        )
    inputs, attributes = op.bind(tuple([_given(node, now) for node in call.args]), {})
    keys, operands = operands_of(op, inputs, layouts)
    entry = entry_for(op, keys, tuple((name, freeze(value)) for name, value in attributes.items()))
    if isinstance(call, OperatorCall):
        made = OperatorCall(graph, entry, operands, call.place, call.mask, call.is_inner, call.cells, call.back)
        made.order = call.order
    else:
        made = OperatorCall(graph, entry, operands)
    return made


def operands_of(
    op: Op, inputs: Sequence[Any], layouts: Mapping[AnfNode, Layout]
) -> tuple[tuple[Any, ...], tuple[AnfNode, ...]]:
    """By what the entry of a call is found, and its flat operands.

    Args:
        inputs: for each tensor parameter a node of a tensor, a number, None, or a sequence of these.
        layouts: of the nodes.
    """
    keys: list[Any] = []
    operands: list[AnfNode] = []
    for name, value in zip(op.tensors, inputs):
        items = value if name in op.variadic else (value,)
        found = [_key(item, layouts) for item in items]
        keys.append(tuple(found) if name in op.variadic else found[0])
        operands += [item if isinstance(item, AnfNode) else ValueNode(item) for item in items]
    return tuple(keys), tuple(operands)


def _given(node: AnfNode, now: Callable[[AnfNode], AnfNode]) -> Any:
    """An argument: a node of a tensor, a sequence of such, or a value."""
    node = now(node)
    if isinstance(node, ValueNode):
        return node if isinstance(node.value, Tensor) else node.value
    if isinstance(node, CNode) and node.calls(_MAKE_TUPLE):
        return [_given(item, now) for item in node.args]
    return node


def _key(item: Any, layouts: Mapping[AnfNode, Layout]) -> Layout | type | None:
    """What an entry is found by, of an operand."""
    if isinstance(item, AnfNode):
        return item.abstract.python if isinstance(item.abstract, Weak) else layout_of(item, layouts)
    return None if item is None else type(item)


_GETITEM, _MAKE_TUPLE = PRIMITIVES["getitem"], PRIMITIVES["make_tuple"]
