"""The gradient rules of an operator as calls of operators: what the tape does at one node, recorded.

    rule = rule_of(entry, mask, known, present)
    rule.write(graph, values, gradients)       what is to be added to the gradients of its operands, in the tape's order

The walk over the tape is done once over a single node, on memory that nobody looks at and without kernels, for the types
of a call; a recorder sees which operators that takes. So what a rule does, and in which order, is said in one place, and
a rule that is written for PyNative mode is one of graphs.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from anfora.core import slots
from anfora.core.span import Span
from anfora.core.tensor import Tensor, wrap
from anfora.eager import autocast, tape
from anfora.eager.entry import Entry, freeze, thaw
from anfora.eager.tape import Node
from anfora.graph.facts.origins import Number, Origin
from anfora.graph.ir.nodes import AnfNode, Graph, GraphError, ValueNode, as_node
from anfora.graph.ir.planned import arguments_of, is_scalar
from anfora.graph.ir.primitives import PRIMITIVES
from anfora.graph.polyfill.traced import Traced
from anfora.graph.record.recorder import Recorder

__all__ = ["VARIES", "Rule", "known_of", "rule_of"]


class _Varies:
    """Stands for an operand that is not known."""

    def __repr__(self) -> str:
        return "VARIES"


VARIES: Any = _Varies()
#: A number whose value a rule must not depend on, by its type.
_SAMPLES: dict[type, Any] = {bool: True, int: 3, float: 1.5}
_TYPES = frozenset(["number", "type"])  #: guards on a number that ask for its type alone


def known_of(operands: Iterable[AnfNode]) -> tuple[Any, ...]:
    """What is known of the operands of a call: numbers, and what is absent."""
    return tuple([freeze(x.value) if isinstance(x, ValueNode) and is_scalar(x) else VARIES for x in operands])


class Rule:
    """What the tape does at a node, as calls of operators.

    Args:
        entry: of the call that has left it.
        piece: the operators of its rules, recorded.
        added: the operands of the call that get a gradient, each with the node of that in the piece, in the tape's order.
    """

    def __init__(self, entry: Entry, piece: Any, added: list[tuple[int, AnfNode]]) -> None:
        self._entry, self._piece, self._added = entry, piece, added

    def write(
        self, graph: Graph, values: Sequence[AnfNode], gradients: Sequence[AnfNode | None], span: Span | None = None
    ) -> list[tuple[int, AnfNode]]:
        """Write the calls into a graph.

        Args:
            values: the operands of the call, and behind them its results.
            gradients: those that have come to its results; None where none has.
            span: of the call.
        Returns:
            pairs of an operand and what is to be added to its gradient, in this order.
        """
        incoming = [*values, *gradients]
        of: dict[AnfNode, AnfNode] = {}

        def number(origin: Any) -> Any:
            if not isinstance(origin, Origin):
                return origin
            if origin.kind == "slot":
                return incoming[origin.key]
            return graph.apply(_as_primitive(origin.key), *map(number, origin.base))

        for node, (origin, _) in self._piece.inputs.items():
            of[node] = number(origin)
        for node, (origin, _, _) in self._piece.numbers.items():
            of[node] = as_node(number(origin))
        for row in self._piece.rows:
            function, *arguments = arguments_of(graph, row.entry, [of.get(x, x) for x in row.operands])
            call = of[row] = graph.apply(function, *arguments, abstract=row.abstract, span=span)
            for i, part in enumerate(row.parts or ()):
                of[part] = graph.apply(PRIMITIVES["getitem"], call, i, abstract=part.abstract)
        return [(i, of.get(node, node)) for i, node in self._added]


def _as_primitive(function: Any) -> Any:
    """The function of the IR that does what one of Python's does, if there is one."""
    return next((each for each in PRIMITIVES.values() if each.function is function), function)


@functools.lru_cache(4096)
def rule_of(entry: Entry, mask: int, known: tuple[Any, ...], present: tuple[bool, ...]) -> Rule:
    """What the tape does at the node of a call.

    Args:
        entry: the planned call.
        mask: which operands are followed.
        known: of its operands, see `known_of`.
        present: of its results, whether a gradient has come.
    Raises:
        GraphError: it depends on more than types: on data, on random numbers, on the value of a number that varies.
    """
    recorder = Recorder(None)
    count = len(entry.inputs)

    def tensor(slot: int, layout: Any) -> Tensor:
        made = wrap(np.zeros(layout.shape, layout.dtype.storage), layout.type.contiguous)
        recorder.take(made, recorder.origin("slot", slot))
        return made

    def saved(slot: int) -> Any:
        if slot < count and known[slot] is not VARIES:
            return thaw(known[slot])
        layout = (*entry.inputs, *entry.outputs)[slot]
        assert layout is not None
        if slot not in entry.numbers:
            return tensor(slot, layout)._array
        kind = float if layout.dtype.is_inexact else bool if layout.dtype.is_bool else int
        return Traced(Number(recorder.origin("slot", slot), _SAMPLES[kind]), recorder)

    node = Node.__new__(Node)
    node.recipe, node.hooks, node.tick, node.code, node.at = entry.recipe(mask), None, 0, None, 0
    operands = {i: object() for i in range(count) if mask >> i & 1}
    node.parents = tuple([operands.get(i) for i in range(count)])
    first = count + len(entry.outputs)
    pending: dict[Any, Any] = {
        (node if node.recipe.results == 1 else (node, i)): tensor(first + i, layout)
        for i, layout in enumerate(entry.outputs) if present[i]
    }  # fmt: skip
    held = tuple(pending.values())
    node.saved = tuple(map(saved, node.recipe.saves))
    try:
        with recorder.watching(), _planning(), tape.recording(False), autocast.Suspended():
            tape.walk([node], pending, {}, set(), None, create_graph=False, retain_graph=True)
            number_of = {parent: i for i, parent in operands.items()}
            added = [(number_of[parent], recorder.value_of(gradient)) for parent, gradient in pending.items()]
    finally:
        recorder.collect_again()
    del held
    piece = recorder.piece
    numbers = entry.numbers
    asked = [kind for kind, origin, _ in piece.guards if kind not in _TYPES and numbers & set(_slots_in(origin))]
    if recorder.touched is not None or piece.draws or piece.writes or asked:
        raise GraphError(f"the gradient of {entry.op.name} depends on more than types: {recorder.touched or asked}",
                         help="the tape takes it: `ms.grad` of the function.")  # fmt: skip
    return Rule(entry, piece, added)


def _slots_in(origin: Any) -> Iterator[int]:
    """The slots that an origin starts from."""
    if isinstance(origin, Origin):
        if origin.kind == "slot":
            yield origin.key
        for base in origin.base if origin.kind == "number" else (origin.base,):
            yield from _slots_in(base)


class _planning:
    """Operators of this thread give zeros, and no kernel runs."""

    def __enter__(self) -> None:
        self._before, slots.watcher.planned = slots.watcher.planned, []

    def __exit__(self, *_: object) -> None:
        slots.watcher.planned = self._before
