"""Operators that are run one by one, as PyNative mode runs them."""

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

__all__ = ["OneByOne"]


class OneByOne:
    """The operators of a piece, run on tensors, so that the tape sees each.

    Args:
        coming: the values that are given.
        wanted: the values that are asked for behind them; others are held as long as operators need them.
    """

    def __init__(self, piece: Piece, coming: Sequence[AnfNode], wanted: Collection[AnfNode]) -> None:
        self.piece, self.coming, self.idle = piece, coming, piece.idle(wanted)
        last: dict[AnfNode, OperatorCall] = {}
        for call in piece.calls:
            last.update(dict.fromkeys((*call.operands, *call.results), call))
        self._ends: dict[OperatorCall, list[AnfNode]] = {}  #: the values that nobody needs behind a call
        for value, call in last.items():
            if value not in wanted and value not in piece.leaves:
                self._ends.setdefault(call, []).append(value)

    def run(self, given: Sequence[Any]) -> dict[AnfNode, Any]:
        """What is wanted, by value, and perhaps more."""
        values: dict[AnfNode, Any] = dict(zip(self.coming, given))
        for value, tensor in self.piece.constants.items():  # the program gets one of its own
            values[value] = wrap(tensor._array.copy(), tensor._layout)
        watcher = slots.watcher
        place = watcher.place
        start = on = glue.is_recording()
        piece = self.piece
        leaves, before = piece.leaves_after(), None
        used = []
        try:
            for call in piece.calls:
                for value in leaves.get(before, ()):
                    values[value].requires_grad = True
                before = call
                if call in self.idle:
                    continue
                if call.is_taped is not on:
                    glue.set_recording(on := call.is_taped)
                flat = operands_from(values, call.operands)
                watcher.place = call.place
                result = _run_call(call, flat)
                del flat
                if call.is_used:
                    used.append((result[0] if call.entry.is_tuple else result)._node)
                if call.parts is not None:
                    values.update(zip(call.parts, result))
                elif call.results:
                    values[call] = result
                for value in self._ends.get(call, ()):
                    values.pop(value, None)
        finally:
            watcher.place = place
            if on is not start:
                glue.set_recording(start)
        for value in leaves.get(before, ()):
            values[value].requires_grad = True
        for slot in used:
            (slot.node if type(slot) is Output else slot).saved = None
        return values


def _run_call(call: OperatorCall, flat: list) -> Any:
    for x in flat:
        if isinstance(x, Tensor):
            current(x)
    try:
        return dispatch.run_now(call.entry, flat)
    except Exception as error:
        raise placed(error, -1, call) from error.__cause__
