"""Rows: the typed straight-line program of a segment, in the order in which the program computed it.

A *value* is a number: a buffer that a row reads or writes. Rows know the entry of their operator (eager/entry.py): its
result types, kernels and gradient rules, found once and shared with PyNative mode.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Union

from anfora.eager.entry import Entry

__all__ = ["Number", "Row"]


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
    """

    entry: Entry
    inputs: tuple[Operand, ...]
    outputs: tuple[int, ...]
    place: tuple[Any, int] = (None, 0)
    mask: int = 0
