"""Calls of operators as a recorder writes them down: nodes of the graph of a piece.

    its parameters     tensors and numbers that come in with each run
    its calls          `OperatorCall`s, in the order in which the program computed them
    ValueNode          an operand that is known: a number, a tensor, or None where an optional operand is absent

A call of an operator that is planned for the layouts of its operands has an *entry* (eager/entry.py), which knows result
types, kernels and gradient rules, and was found once and shared with PyNative mode. Its *operands* are the tensors and
numbers that kernels take, in a row; as a node of MindIR it is the operator with all its arguments, attributes too.
"""

from __future__ import annotations

import operator
import weakref
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from anfora.core.errors import OpValueError
from anfora.core.span import CellCall, Span
from anfora.core.tensor import Tensor
from anfora.eager import dispatch
from anfora.eager.entry import Entry
from anfora.graph.ir.nodes import AnfNode, CNode, Graph, ValueNode, as_node
from anfora.graph.ir.primitives import PRIMITIVES

__all__ = [
    "ABSENT", "NO_CALLS", "CellCalls", "OperatorCall", "arguments_of", "call_behind", "calls_in_order", "effects_of",
    "finish", "has_effect", "is_inner", "is_scalar", "operands_from", "operands_of", "planned_calls", "recorded",
    "results_of",
]  # fmt: skip


class CellCalls:
    """Calls of Cells, for messages; it does not hold the Cells."""

    __slots__ = ("_calls",)

    def __init__(self, calls: Sequence[CellCall]) -> None:
        self._calls = [(weakref.ref(cell), shapes) for cell, shapes in calls]

    def are(self, calls: Sequence[CellCall]) -> bool:
        """Whether they are these."""
        if not calls or len(calls) != len(self._calls):
            return len(calls) == len(self._calls)
        return all(
            cell is reference() and shapes == known for (cell, shapes), (reference, known) in zip(calls, self._calls)
        )

    def cell_calls(self) -> list[CellCall]:
        """Those that are still there, the outermost first."""
        return [(cell, shapes) for reference, shapes in self._calls if (cell := reference()) is not None]


NO_CALLS = CellCalls(())


class OperatorCall(CNode):
    """A call of an operator that has been planned for its operands.

    Args:
        graph: of the piece.
        entry: the planned call. `entry.view` says that the result is a view of the first operand; `entry.written` which
            operands are written in place (such a call has no results); `entry.op.python_rule` that it is computed in
            Python.
        operands: the flat operands, in the order of `entry.inputs`.
        place: of the program, (code object, position), for errors; see `core.span.place_of`.
        mask: which operands the tape followed.
        is_inner: whether it belongs to a gradient that the program takes: no tape outside follows it.
        cells: the calls of Cells that it stands in, the outermost first; see `CellCalls`.
        back: on the way back of a gradient, the place and the Cells of the call whose gradient it is of.
    Attributes:
        is_edited: whether its inputs were changed since: it has to be planned anew.
        recorded: the call that was recorded, of which this one is a copy; itself if it is none. What follows is known of
            that one alone.
        is_taped: whether a tape outside of the piece was on, which sees it.
        is_untaped: whether the program had switched the tape off there, in a gradient that it takes too.
        is_used: whether `backward()` has taken its gradient in the piece, so that the tape keeps nothing.
        is_keeping: whether it keeps what was there before a write, for a tape that may need it.
        parts: the nodes of its results where it gives a tuple, in the order of `entry.outputs`.
    """

    __slots__ = (
        "_written_out", "back", "cells", "entry", "is_edited", "is_inner", "is_keeping", "is_taped", "is_untaped",
        "is_used", "mask", "operands", "parts", "place", "recorded",
    )  # fmt: skip

    entry: Entry
    operands: tuple[AnfNode, ...]

    def __init__(
        self,
        graph: Graph,
        entry: Entry,
        operands: tuple[AnfNode, ...],
        place: tuple[Any, int] = (None, 0),
        mask: int = 0,
        is_inner: bool = False,
        cells: CellCalls | None = None,
        back: tuple[tuple[Any, int], CellCalls | None] | None = None,
    ) -> None:
        self.graph, self.order, self.name = graph, graph.next_order(), None
        self.entry, self.operands, self.place, self.mask = entry, operands, place, mask
        self.is_inner, self.cells, self.back = is_inner, cells, back
        self._written_out: tuple[AnfNode, ...] | None = None
        self.is_edited = self.is_taped = self.is_untaped = self.is_used = self.is_keeping = False
        self.recorded = self
        self.parts: tuple[CNode, ...] | None = None
        if entry.is_tuple and entry.op.writes is None:
            self.parts = tuple(
                [graph.apply(_GETITEM, self, i, abstract=layout.type) for i, layout in enumerate(entry.outputs)]
            )

    def taken_over(self, graph: Graph, of: Mapping[AnfNode, AnfNode]) -> OperatorCall:
        """The same call in another graph, on what stands there for its operands."""
        operands = tuple([of.get(node, node) for node in self.operands])
        made = OperatorCall(graph, self.entry, operands, self.place, self.mask, self.is_inner, self.cells, self.back)
        made.recorded = self.recorded
        return made

    def write_out(self) -> None:
        """Make the nodes of sequences among its arguments now, so that they stand where it stands."""
        self._written_out = self._inputs

    def call_through(self, function: Any) -> None:
        """Give the operator and its arguments to another function."""
        self._inputs = (as_node(function), *self._inputs)

    def lead_to(self, stands_for: Mapping[AnfNode, AnfNode]) -> None:
        """Take what other nodes of the same layout stand for."""
        self.operands = tuple([stands_for.get(node, node) for node in self.operands])
        self._written_out = None

    def calls(self, function: Any) -> bool:
        return super().calls(function) if self.is_edited else self.entry.op is function

    @property
    def results(self) -> tuple[CNode, ...]:
        """The nodes of what it makes, in the order of `entry.outputs`."""
        if self.parts is not None:
            return self.parts
        return () if self.entry.op.writes is not None else (self,)

    def index_of(self, node: AnfNode) -> int:
        """Which of its results a node is."""
        return next(index for index, result in enumerate(self.results) if result is node)

    @property
    def acts(self) -> bool:
        """Whether it does something beside its results: it writes in place, or its error depends on data."""
        return self.entry.op.writes is not None or self.entry.may_fail

    @property
    def _inputs(self) -> tuple[AnfNode, ...]:  # type: ignore[override]
        if self._written_out is None:
            self._written_out = tuple(map(as_node, arguments_of(self.graph, self.entry, self.operands)))
        return self._written_out

    @_inputs.setter
    def _inputs(self, inputs: tuple[AnfNode, ...]) -> None:
        self._written_out, self.is_edited = inputs, True

    @property
    def abstract(self) -> Any:  # type: ignore[override]
        types = tuple([layout.type for layout in self.entry.outputs])
        return types if self.entry.is_tuple else types[0] if types else None

    @property
    def span(self) -> Span | None:  # type: ignore[override]
        code, at = self.place
        return None if code is None else Span.of(code, at)


def recorded(node: AnfNode) -> AnfNode:
    """Of a node of a call that is a copy, that of the call which was recorded."""
    call = call_behind(node)
    if not isinstance(call, OperatorCall):
        return node
    return call.recorded if call is node else call.recorded.results[call.index_of(node)]


def is_inner(node: AnfNode) -> bool:
    """Whether a node belongs to a gradient that the program takes."""
    call = call_behind(node)
    return isinstance(call, OperatorCall) and call.is_inner


def arguments_of(graph: Graph, entry: Entry, operands: Sequence[Any]) -> list[Any]:
    """A planned call as the program would write it: the operator, then its arguments in the order of its signature.

    Args:
        graph: gets the nodes of sequences of tensors.
        operands: nodes or values, in the order of `entry.inputs`.
    """
    given: dict[str, Any] = dict(entry.attributes)
    for name, group in zip(entry.op.tensors, entry.groups):
        if isinstance(group, slice):
            given[name] = graph.apply(_MAKE_TUPLE, *operands[group])
        else:
            given[name] = operands[group]
    return [entry.op, *(given[name] for name in entry.op.order)]


def is_scalar(operand: AnfNode) -> bool:
    """Whether an operand is a Python number that is known, or absent: it lies in no memory."""
    return type(operand) is ValueNode and not isinstance(operand.value, Tensor)


def operands_from(values: Mapping[AnfNode, Any], operands: Iterable[AnfNode]) -> list[Any]:
    """The operands of a call: what is known, and the others from what the nodes before have given."""
    return [x.value if type(x) is ValueNode and x not in values else values[x] for x in operands]


#: The operand that is not given.
ABSENT = ValueNode(None)
_MAKE_TUPLE, _DEPEND = PRIMITIVES["make_tuple"], PRIMITIVES["depend"]
_GETITEM = ValueNode(PRIMITIVES["getitem"])


def call_behind(node: AnfNode | None) -> CNode | None:
    """The call of an operator that a node is the result of, or a part of; None if it is none."""
    if isinstance(node, CNode) and node.calls(_GETITEM.value):
        node = node.args[0]
    return node if isinstance(node, CNode) else None


def operands_of(call: CNode) -> tuple[AnfNode, ...]:
    """The nodes that must be there before a call."""
    if isinstance(call, OperatorCall) and not call.is_edited:
        return call.operands
    found: list[AnfNode] = []
    for node in call.args:
        found += node.args if isinstance(node, CNode) and node.calls(_MAKE_TUPLE) else (node,)
    return tuple(found)


def has_effect(call: OperatorCall) -> bool:
    """Whether a call is done although nobody wants what it makes: it writes, or can fail, or is sure to."""
    entry = call.entry
    if call.acts and entry.view is None:
        return True
    for i in entry.numbers:
        operand, layout = call.operands[i], entry.inputs[i]
        if type(operand) is ValueNode and isinstance(operand.value, int) and layout is not None:
            try:
                dispatch.number_array(operand.value, layout.dtype, entry.op)
            except OpValueError:
                return True
    return False


def finish(graph: Graph, results: Sequence[AnfNode], effects: Sequence[AnfNode]) -> None:
    """Let the graph of a piece end in its results, behind all that acts."""
    made = graph.apply(_MAKE_TUPLE, *results)
    graph.output = graph.apply(_DEPEND, made, *effects) if effects else made


def effects_of(graph: Graph) -> tuple[AnfNode, ...]:
    """What is done in a piece whether or not its result is wanted."""
    output = graph.output
    return output.args[1:] if isinstance(output, CNode) and output.calls(_DEPEND) else ()


def results_of(graph: Graph) -> tuple[AnfNode, ...]:
    """What the graph of a piece gives."""
    output = graph.output
    assert isinstance(output, CNode)
    made = output.args[0] if output.calls(_DEPEND) else output
    assert isinstance(made, CNode)
    return made.args


def calls_in_order(graph: Graph) -> list[CNode]:
    """The calls of operators that the output of a piece needs, as they are done: in the order in which they were made. What
    a pass has made stands right in front of the first call that needs it."""
    needed: set[CNode] = set()
    is_in_order = True
    pending: list[AnfNode | None] = [*results_of(graph), *effects_of(graph)]
    while pending:
        call = pending.pop()
        if type(call) is not OperatorCall:
            call = call_behind(call)
        if call is None or call in needed:
            continue
        needed.add(call)
        for node in operands_of(call) if type(call) is not OperatorCall or call.is_edited else call.operands:
            if isinstance(node, CNode):
                is_in_order = is_in_order and node.order < call.order
                pending.append(node)
    calls = sorted(needed, key=_order)
    return calls if is_in_order else _behind_what_they_need(calls)


def _behind_what_they_need(calls: Sequence[CNode]) -> list[CNode]:
    found: dict[CNode, None] = {}
    for first in calls:
        waiting = [first]
        while waiting:
            last = waiting[-1]
            before = map(call_behind, operands_of(last)) if last not in found else ()
            missing = [call for call in before if call is not None and call not in found]
            if missing:
                waiting += reversed(missing)
            else:
                found[waiting.pop()] = None
    return list(found)


_order = operator.attrgetter("order")


def planned_calls(graph: Graph) -> list[OperatorCall]:
    """The same, where all are planned."""
    return calls_in_order(graph)  # type: ignore[return-value]
