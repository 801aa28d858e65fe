"""The gradient rules of an operator as calls of operators: what the tape does at one node, recorded.

    rule = rule_of(entry, mask, known, layouts)
    rule.write(into, values, gradients)        what is to be added to the gradients of its operands, in the tape's order

The walk over the tape is done once over a single node, on memory that nobody looks at and without kernels, for the types
of a call; a recorder sees which operators that takes. So what a rule does, and in which order, is said in one place, and
a rule that is written for PyNative mode is one of graphs. Where it is written to is a `Target`: a graph of the language
(transform.py), or a piece (back.py).
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np

from anfora.core import slots
from anfora.core.abstract import Layout
from anfora.core.op import Weak
from anfora.core.tensor import Tensor, wrap
from anfora.eager import autocast, tape
from anfora.eager.entry import Entry, freeze, thaw
from anfora.eager.tape import Node
from anfora.graph.facts.known import overrides
from anfora.graph.facts.origins import Number, Origin
from anfora.graph.ir.nodes import AnfNode, GraphError, ValueNode
from anfora.graph.ir.planned import is_scalar
from anfora.graph.polyfill.traced import Traced
from anfora.graph.record.recorder import Recorder
from anfora.graph.state.moments import IncomingNumber, Piece

__all__ = ["OnlyARunCanTell", "Rule", "Target", "known_of", "rule_of", "varies"]

#: A number whose value a rule must not depend on, by its type.
_SAMPLES: dict[type, Any] = {bool: True, int: 3, float: 1.5}
_TYPES = frozenset(["number", "type"])  #: guards on a number that ask for its type alone


class OnlyARunCanTell(GraphError):
    """What a gradient goes through does not follow from the graph and its types: that is left to a run with the tape on."""


def known_of(operands: Iterable[AnfNode]) -> tuple[Any, ...]:
    """What is known of the operands of a call: numbers, and what is absent; of what varies, the type."""
    return tuple(map(_known, operands))


def _known(operand: AnfNode) -> Any:
    if isinstance(operand, ValueNode) and is_scalar(operand):
        return freeze(operand.value)
    return operand.abstract.python if isinstance(operand.abstract, Weak) else Tensor


def varies(known: Any) -> bool:
    """Whether an operand is one of which the type is known alone."""
    return isinstance(known, type)


class Target(Protocol):
    """Where the calls of a rule are written."""

    def call(self, entry: Entry, operands: Sequence[AnfNode]) -> Sequence[AnfNode]:
        """Write a planned call; gives its results."""
        ...

    def number(self, number: IncomingNumber, values: Sequence[Any]) -> AnfNode:
        """A number that follows from operands of the call; its origin tells from which slots of `values`, and how."""
        ...


class Rule:
    """What the tape does at a node, as calls of operators.

    Args:
        piece: the operators of its rules, recorded.
        added: the operands of the call that get a gradient, each with the node of that in the piece, in the tape's order.
    Attributes:
        guards: what it depends on beside the types of tensors: on the types of numbers, and on what the program has put
            into `Tensor`.
    """

    def __init__(self, piece: Piece, added: list[tuple[int, AnfNode]]) -> None:
        self._piece, self._added = piece, added
        self.guards = piece.guards

    def write(
        self, into: Target, values: Sequence[Any], gradients: Sequence[AnfNode | None]
    ) -> list[tuple[int, AnfNode]]:
        """Write the calls.

        Args:
            values: the operands of the call, and behind them its results; those that it asks for alone must be there.
            gradients: those that have come to its results; None where none has.
        Returns:
            pairs of an operand and what is to be added to its gradient, in this order.
        """
        incoming = [*values, *gradients]
        of: dict[AnfNode, AnfNode] = {}
        for node in self._piece.inputs.values():
            of[node] = incoming[node.origin.key]
        for node in self._piece.numbers.values():
            of[node] = into.number(node, incoming)
        for call in self._piece.calls:
            of.update(zip(call.results, into.call(call.entry, [of.get(x, x) for x in call.operands])))
        return [(i, of.get(node, node)) for i, node in self._added]


def rule_of(entry: Entry, mask: int, known: tuple[Any, ...], layouts: tuple[Layout | None, ...]) -> Rule:
    """What the tape does at the node of a call.

    Args:
        entry: the planned call.
        mask: which operands are followed.
        known: of its operands, see `known_of`.
        layouts: of the gradients that have come to its results; None where none has.
    Raises:
        OnlyARunCanTell: it depends on data, on the value of a number that varies, or on random numbers.
    """
    return _recorded(entry, mask, known, layouts, overrides(Tensor))


@functools.lru_cache(4096)
def _recorded(entry: Entry, mask: int, known: tuple[Any, ...], layouts: tuple[Layout | None, ...], _: Any) -> Rule:
    if any(call.is_of_program for call in entry.recipe(mask).calls):
        raise OnlyARunCanTell(f"the gradient of {entry.op.name} is a function of the program")
    recorder = Recorder(None)
    count = len(entry.inputs)

    def tensor(slot: int, layout: Layout) -> Tensor:
        made = wrap(_memory(layout), layout)
        recorder.bring(made, Origin("slot", slot))
        return made

    def saved(slot: int) -> Any:
        if slot >= count or known[slot] is Tensor:
            layout = (*entry.inputs, *entry.outputs)[slot]
            assert layout is not None
            return tensor(slot, layout)._array
        if not varies(known[slot]):
            return thaw(known[slot])
        return Traced(Number(recorder.origin("slot", slot), _SAMPLES[known[slot]]), recorder)

    node = Node.__new__(Node)
    node.recipe, node.hooks, node.tick, node.code, node.at = entry.recipe(mask), None, 0, None, 0
    operands = {i: object() for i in range(count) if mask >> i & 1}
    node.parents = tuple([operands.get(i) for i in range(count)])
    first = count + len(entry.outputs)
    pending: dict[Any, Any] = {
        ((node, i) if node.recipe.is_tuple else node): tensor(first + i, layout)
        for i, layout in enumerate(layouts) if layout is not None
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
    asks = any(kind not in _TYPES and any(_slots_in(origin)) for kind, origin, _ in piece.guards)
    if asks or recorder.touched is not None or piece.draws or piece.writes:
        told = "the value of a number" if asks else recorder.touched
        raise OnlyARunCanTell(f"the gradient of {entry.op.name} depends on more than types: {told}")
    return Rule(piece, added)


def _memory(layout: Layout) -> np.ndarray:
    """Memory of that layout, of zeros."""
    if layout.is_contiguous:
        return np.zeros(layout.shape, layout.dtype.storage)
    low, high = layout.extent
    return np.ndarray(layout.shape, layout.dtype.storage, np.zeros(high - low, np.uint8), -low, layout.strides)


def _slots_in(origin: Any) -> Iterator[Origin]:
    """The slots that an origin starts from."""
    if isinstance(origin, Origin):
        if origin.kind == "slot":
            yield origin
        for part in origin.parts:
            yield from _slots_in(part)


class _planning:
    """Operators of this thread give zeros, no kernel runs, and they stand nowhere in a program."""

    def __enter__(self) -> None:
        watcher = slots.watcher
        self._before = watcher.planned, watcher.place
        watcher.planned, watcher.place = [], (None, 0)

    def __exit__(self, *_: object) -> None:
        slots.watcher.planned, slots.watcher.place = self._before
