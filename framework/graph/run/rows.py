"""Rows that are run one by one, as PyNative mode runs them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from anfora.core import slots
from anfora.core.tensor import Tensor, current, wrap
from anfora.eager import dispatch
from anfora.eager.tape import Output
from anfora.graph.ir.nodes import AnfNode
from anfora.graph.ir.planned import OperatorCall, operands_from
from anfora.graph.lower.lower import placed
from anfora.graph.state.moments import Piece
from anfora.kernel import glue

__all__ = ["Rows"]


class Rows:
    """The rows of a piece, run on tensors, so that the tape sees each.

    Args:
        coming: the values that are given.
        wanted: the values that are asked for behind them; others are held as long as rows need them.
    """

    def __init__(self, piece: Piece, coming: Sequence[AnfNode], wanted: Collection[AnfNode]) -> None:
        self.piece, self.coming, self.idle = piece, coming, piece.idle(wanted)
        last: dict[AnfNode, int] = {}
        for index, row in enumerate(piece.rows):
            last.update(dict.fromkeys((*row.operands, *row.results), index))
        self._ends: dict[int, list[AnfNode]] = {}  #: by row, the values that nobody needs behind it
        for value, index in last.items():
            if value not in wanted and value not in piece.leaves:
                self._ends.setdefault(index, []).append(value)

    def run(self, given: Sequence[Any]) -> dict[AnfNode, Any]:
        """What is wanted, by value, and perhaps more."""
        values: dict[AnfNode, Any] = dict(zip(self.coming, given))
        for value, tensor in self.piece.constants.items():  # the program gets one of its own
            values[value] = wrap(tensor._array.copy(), tensor._layout)
        watcher = slots.watcher
        before = watcher.place
        start = on = glue.is_recording()
        piece = self.piece
        leaves: dict[int, list[AnfNode]] = {}
        for value, (index, _) in piece.leaves.items():
            leaves.setdefault(index, []).append(value)
        used = []
        try:
            for index, row in enumerate(piece.rows):
                for value in leaves.get(index, ()):
                    values[value].requires_grad = True
                if row in self.idle:
                    continue
                if row.is_taped is not on:
                    glue.set_recording(on := row.is_taped)
                flat = operands_from(values, row.operands)
                watcher.place = row.place
                result = _run_row(row, flat)
                del flat
                if row.is_used:
                    used.append((result[0] if row.entry.is_tuple else result)._node)
                if row.parts is not None:
                    values.update(zip(row.parts, result))
                elif row.results:
                    values[row] = result
                for value in self._ends.get(index, ()):
                    values.pop(value, None)
        finally:
            watcher.place = before
            if on is not start:
                glue.set_recording(start)
        for value in leaves.get(len(piece.rows), ()):
            values[value].requires_grad = True
        for slot in used:
            (slot.node if type(slot) is Output else slot).saved = None
        return values


def _run_row(row: OperatorCall, flat: list) -> Any:
    for x in flat:
        if isinstance(x, Tensor):
            current(x)
    try:
        return dispatch.run_now(row.entry, flat)
    except Exception as error:
        raise placed(error, -1, row) from error.__cause__
