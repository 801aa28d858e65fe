"""Batch norm in inference, written out: arithmetic on channels, and two operators element by element."""

from __future__ import annotations

from typing import Any

from anfora.core.abstract import Layout
from anfora.core.dtype import float32, float64
from anfora.eager.entry import entry_for, freeze
from anfora.graph.ir.nodes import AnfNode, Graph, ValueNode
from anfora.graph.ir.planned import OperatorCall, planned_calls
from anfora.graph.passes.edges import kept_of, lead_to, roots_of, written_of
from anfora.ops import add, cast, mul, reciprocal, reshape, sqrt, sub
from anfora.ops.arithmetic import multiply_add
from anfora.ops.normalization import norm_with

__all__ = ["write_out_norms"]


def write_out_norms(graph: Graph) -> None:
    """Let a convolution or a loop do what `norm_with` does, who hands nothing on in registers.

        y = norm_with(x, m, v, w, b, eps)        s = cast(cast(w, float64) * (1 / sqrt(cast(v, float64) + eps)), float32)
                                                 y = multiply_add(x - m, s, b)

    Exact: these are the operations of its kernel, with its roundings. Not for halves, for which it rounds once at the end.
    Norms of what is written in place stay: the new calls stand where their results are wanted, which may be behind a write.

    Args:
        graph: of a piece; it is changed.
    """
    calls = planned_calls(graph)
    norms = [call for call in calls if call.entry.op is norm_with]
    if not norms:
        return
    roots = roots_of(graph, calls)
    kept, written = kept_of(graph, calls, roots), written_of(graph, calls, roots)
    stands_for: dict[AnfNode, AnfNode] = {}
    for call in norms:
        kinds = {layout.dtype for layout in call.entry.inputs if layout is not None}
        is_apart = call not in kept and written.isdisjoint(roots.get(node, node) for node in call.operands)
        if is_apart and kinds in ({float32}, {float64}):
            stands_for[call] = _written_out(_Writer(graph, call))
    lead_to(calls, stands_for)


Found = tuple[AnfNode, Layout]  #: a node, and how its tensor lies


class _Writer:
    """Makes calls where another one stands."""

    def __init__(self, graph: Graph, call: OperatorCall) -> None:
        self.graph, self.call = graph, call

    @property
    def operands(self) -> list[Found | None]:
        """Those of that call."""
        of = zip(self.call.operands, self.call.entry.inputs)
        return [None if layout is None else (node, layout) for node, layout in of]

    def __call__(self, op: Any, *operands: Found | float, **attributes: Any) -> Found:
        keys = tuple(type(each) if isinstance(each, float) else each[1] for each in operands)
        nodes = tuple(ValueNode(each) if isinstance(each, float) else each[0] for each in operands)
        entry = entry_for(op, keys, tuple((name, freeze(value)) for name, value in attributes.items()))
        call = self.call
        made = OperatorCall(self.graph, entry, nodes, call.place, 0, call.is_inner, call.cells, call.back)
        return made, entry.outputs[0]


def _written_out(do: _Writer) -> AnfNode:
    x, mean, variance, weight, bias = do.operands
    assert x is not None and mean is not None and variance is not None
    kind, eps = x[1].dtype, do.call.entry.attributes["eps"]
    factor = do(reciprocal, do(sqrt, do(add, do(cast, variance, dtype=float64), eps)))
    if weight is not None:
        factor = do(mul, do(cast, weight, dtype=float64), factor)
    across = (mean[1].shape[0], *(1 for _ in x[1].shape[2:]))
    factor, mean = (do(reshape, each, shape=across) for each in (do(cast, factor, dtype=kind), mean))
    shift = 0.0 if bias is None else do(reshape, bias, shape=across)
    return do(multiply_add, do(sub, x, mean), factor, shift)[0]
