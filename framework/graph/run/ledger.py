"""What a compiled function may cost: an account of what its recordings have cost, and of what its calls would have cost
Python.

It is kept in units of about one instruction of Python's, and counted in instructions, rows and elements, never in seconds:
so a program is compiled in the same way on each run and each machine. A recording that would overdraw the account is left
to Python, call by call, until calls have paid for it. A function whose pieces do not pay for their hops is Python's.
"""

from __future__ import annotations

from typing import Any

__all__ = ["LOSS", "Ledger"]

LOSS = "what is compiled of it does not pay for its hops"

_START = 4_000_000  #: what may be spent in advance
_INSTRUCTION, _ROW = 30, 300  #: what it costs to record one, and to lower it
#: What a row costs PyNative mode, and how many elements cost as much as an instruction.
_ROW_OF_PYTHON, _ELEMENTS = 8, 64
#: What a hop, the writes that were put off to the end of a piece, and each of them cost beside what they do.
_HOP, _WRITES, _WRITE = 100, 80, 20
_CALLS = 16  #: after so many it is looked whether they paid
_LEAST = 0  #: a piece that makes up a whole call and gains no more is not lowered: Python does it as fast
_MOST_REFUSED = 16  #: recordings in the middle of a call


class Ledger:
    """The account of one program."""

    def __init__(self) -> None:
        self.earned = self.spent = 0
        self.last = 0  #: what the last piece that was recorded would have cost Python
        self.hops = self.calls = self.refused = self.idle = 0
        self._before = 0  #: earned before the calls that are being looked at

    def cost_of(self, piece: Any, instructions: int) -> int:
        """Note a piece that has been recorded: what it would have cost Python, less what its writes cost here."""
        rows = piece.rows
        self.spent += _INSTRUCTION * instructions + _ROW * len(rows)
        elements = sum(layout.size for row in rows for layout in row.entry.outputs)
        self.last = instructions + _ROW_OF_PYTHON * len(rows) + elements // _ELEMENTS
        return self.last - (_WRITES + _WRITE * len(piece.writes) if piece.writes else 0)

    def gains(self, cost: int) -> bool:
        """Whether it is worth while to lower a piece that makes up a whole call.

        Args:
            cost: as `cost_of` gives it.
        """
        return cost > _LEAST

    def is_overdrawn(self, instructions: int = 0, rows: int = 0) -> bool:
        """Whether the account is overdrawn, or would be by something that is still being recorded."""
        return self.spent + _INSTRUCTION * instructions + _ROW * rows > _START + self.earned

    def refuse(self) -> bool:
        """Note that Python goes on in the middle of a call: whether it is to have the next ones from the start."""
        self.earned += self.last
        self.refused += 1
        return self.refused >= _MOST_REFUSED

    def forgive(self) -> None:
        """Something has been recorded: the calls before say nothing of those that come."""
        self.hops = self.calls = self.idle = 0
        self._before = self.earned

    def gains_nothing(self) -> bool:
        """Note a call that Python has done since a piece gains nothing: whether it is to have all that come."""
        self.idle += 1
        return self.idle >= _CALLS

    def does_not_pay(self) -> bool:
        """Note a call: whether, over some calls, the pieces have gained less than their hops cost."""
        self.calls += 1
        if self.calls < _CALLS:
            return False
        loses = self.hops * _HOP > self.earned - self._before
        self.forgive()
        return loses
