"""Rows: the typed straight-line program of a segment, in the order in which the program computed it.

A *value* is a number: a buffer that a row reads or writes. Rows know the entry of their operator (eager/entry.py): its
result types, kernels and gradient rules, found once and shared with PyNative mode.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Union

from anfora.core.span import CellCall
from anfora.eager.entry import Entry

__all__ = ["Calls", "Number", "Row"]


class Calls:
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


@dataclass(frozen=True)
class Number:
    """A Python number as an operand, known when the program was specialised."""

    value: bool | int | float


#: An operand: the index of a value, a number, or None where an optional operand is absent.
Operand = Union[int, Number, None]


@dataclass(slots=True)
class Row:
    """One call of an operator.

    Attributes:
        entry: the planned call. `entry.view` says that the result is a view of the first operand; `entry.written` which
            operands are written in place (such a row has no outputs); `entry.op.python_rule` that it is computed in
            Python.
        inputs: the flat operands, in the order of `entry.inputs`.
        outputs: the values it makes, in the order of `entry.outputs`.
        place: of the program, (code object, position), for errors; see `core.span.place_of`.
        mask: which inputs the tape followed.
        is_inner: whether it belongs to a gradient that the program takes: no tape outside follows it.
        cells: the calls of Cells that it stands in, the outermost first; see `Calls`.
        back: on the way back of a gradient, the place and the Cells of the call whose gradient it is of.
    """

    entry: Entry
    inputs: tuple[Operand, ...]
    outputs: tuple[int, ...]
    place: tuple[Any, int] = (None, 0)
    mask: int = 0
    is_inner: bool = False
    cells: Calls | None = None
    back: tuple[tuple[Any, int], Calls | None] | None = None
