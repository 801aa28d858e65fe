"""Calls of operators as a recorder writes them down: nodes of the graph of a piece.

    piece.graph        FuncGraph
    its parameters     tensors and numbers that come in with each run
    its calls          `OperatorCall`s, in the order in which the program computed them
    ValueNode          an operand that is known: a number, a tensor, or None where an optional operand is absent

The function of such a call is its *entry* (eager/entry.py): the operator with its attributes, planned for the layouts of
its operands, which knows result types, kernels and gradient rules, found once and shared with PyNative mode.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from anfora.core.span import CellCall, Span
from anfora.core.tensor import Tensor
from anfora.eager.entry import Entry
from anfora.graph.ir.nodes import AnfNode, CNode, Graph, ValueNode
from anfora.graph.ir.primitives import PRIMITIVES

__all__ = ["ABSENT", "CellCalls", "OperatorCall", "is_scalar", "operands_from"]


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
        parts: the nodes of its results where it gives a tuple, in the order of `entry.outputs`.
    """

    __slots__ = ("back", "cells", "entry", "is_inner", "mask", "parts", "place")

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
        self._inputs = (ValueNode(entry), *operands)
        self.entry, self.place, self.mask, self.is_inner, self.cells, self.back = (
            entry, place, mask, is_inner, cells, back,
        )  # fmt: skip
        self.parts: tuple[CNode, ...] | None = None
        if entry.is_tuple and entry.op.writes is None:
            self.parts = tuple(
                [graph.apply(_GETITEM, self, i, abstract=layout.type) for i, layout in enumerate(entry.outputs)]
            )

    @property
    def results(self) -> tuple[CNode, ...]:
        """The nodes of what it makes, in the order of `entry.outputs`."""
        if self.parts is not None:
            return self.parts
        return () if self.entry.op.writes is not None else (self,)

    @property
    def acts(self) -> bool:
        """Whether it does something beside its results: it writes in place, or its error depends on data."""
        return self.entry.op.writes is not None or self.entry.may_fail

    @property
    def abstract(self) -> Any:  # type: ignore[override]
        types = tuple([layout.type for layout in self.entry.outputs])
        return types if self.entry.is_tuple else types[0] if types else None

    @property
    def span(self) -> Span | None:  # type: ignore[override]
        code, at = self.place
        return None if code is None else Span.of(code, at)


def is_scalar(operand: AnfNode) -> bool:
    """Whether an operand is a Python number that is known, or absent: it lies in no memory."""
    return type(operand) is ValueNode and not isinstance(operand.value, Tensor)


def operands_from(values: Mapping[AnfNode, Any], operands: Iterable[AnfNode]) -> list[Any]:
    """The operands of a call: what is known, and the others from what the nodes before have given."""
    return [x.value if type(x) is ValueNode and x not in values else values[x] for x in operands]


#: The operand that is not given.
ABSENT = ValueNode(None)
_GETITEM = ValueNode(PRIMITIVES["getitem"])
