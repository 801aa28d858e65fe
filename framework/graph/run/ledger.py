"""What a compiled function may cost: an account of what its recordings have cost, and of what its calls would have cost
Python.

It is kept in units of about one instruction of Python's, and counted in instructions, operators and elements, never in
seconds: so a program is compiled in the same way on each run and each machine. A recording that would overdraw the account
is left to Python, call by call, until calls have paid for it. A function whose pieces do not pay for their hops is
Python's.

The first call records, and has credit for that. What it has recorded is lowered when it is run first, and that takes as
long as hundreds of calls of a program that does little. Who rents before he buys never pays much more than the best price:
calls are Python's, until they have cost some times what it takes to lower what has been recorded. Where a few calls are
worth that, as in a step of training, nothing waits.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Sequence
from typing import Any

__all__ = ["LOOK_AGAIN", "LOSS", "MOST_AT_ONCE", "RESTING", "UNREAD", "Ledger"]

#: Why Python runs a function as it is.
LOSS = "what is compiled of it does not pay for its hops"
RESTING = "it does so little that Python is as fast"
UNREAD = "it is so long that calls have to pay for reading it first"

_START, _TIMES = 4_500_000, 10  #: what the first call may spend in advance, and how many times what it is worth
#: What it costs to record a piece, an instruction, an operator, a look at what else an instruction does, an item of a
#: container that it reads as a whole, and a value in an image.
_BEGUN, _INSTRUCTION, _CALL, _LOOK, _ITEM, _VALUE = 10_000, 30, 600, 1_400, 30, 300
#: What it costs to read a unit of a function's code, or a constant, and to record that once; and how many units of code an
#: operator is written in.
_READ, _RECORDED, _WRITTEN_IN = 110, 140, 8
#: What it costs to lower a piece, and for each of its guards, of its operators that are run, and of their kinds.
_PIECE, _GUARD, _LOWERED, _KIND = 6_000, 500, 400, 1_500
#: What an operator costs PyNative mode, and one that is walked back; how many elements cost as much as a unit, and how many
#: instructions of the machine's, which are smaller than Python's.
_CALL_OF_PYTHON, _CALL_WALKED, _ELEMENTS, _INSTRUCTIONS = 4, 250, 64, 5
_CALL_FOLLOWED = 4  #: what the tape adds to an operator of Python's
#: What later calls may spend: what so many of them are worth, or this part of what all have been worth; and this beside it.
_ADVANCE, _SHARE, _FREE = 16, 0.25, 14_000
MOST_AT_ONCE = 64  #: calls that wait, before it is looked again how much has been paid
#: The same for calls of a form that has not come before.
_SHARE_OF_FORMS, _FREE_FOR_FORMS = 1, 2_500_000
#: What a hop, the writes that were put off to the end of a piece, and each of them cost beside what they do.
_HOP, _WRITES, _WRITE = 100, 80, 20
_STEP = 16  #: what a piece is worth that an engine goes through
_CALLS = 16  #: after so many it is looked whether they paid
_MOST_HOPS = 500  #: and after so many hops in a loop, in the midst of a call; or after half as many, in front of one
#: A call that gains no more rests: Python does it as fast as it is found out that what was recorded fits, and run.
_LEAST = 45
LOOK_AGAIN = 100  #: calls that rest, before it is looked again whether they still have the form that gains nothing
_MOST_REFUSED = 16  #: recordings in the middle of a call


class Ledger:
    """The account of one program."""

    def __init__(self) -> None:
        self.earned = self.spent = 0
        self.last = 0  #: what the last piece that was recorded would have cost Python
        self.hops = self.calls = self.refused = self.idle = 0
        self._before = 0  #: earned before the calls that are being looked at
        self.outer: Ledger | None = None  #: of the program whose calls make those of this one
        self.since = 0  #: calls since it was looked what one is worth
        self.owed = 0  #: what it takes to lower what has been recorded since then
        self._recorded = self._waited = 0  #: what calls were worth that were recorded, and that waited
        self._seen = self._each = 0  #: what all calls were worth when it was looked, and one of the last
        self._form = self._forms = 0  #: what it has taken to record and lower all of the last call that was recorded
        self.is_of_new_form = False  #: whether what is recorded is a call of another form than those before
        self._for_forms = 0  #: what was spent for such
        self._later: int | None = None  #: what was spent behind the first call

    def cost_of(self, piece: Any, wanted: Any, instructions: int, effort: int) -> int:
        """Note a piece that has been recorded: what it would have cost Python, less what its writes cost here.

        Args:
            wanted: the values that are wanted at its end.
            effort: what it has cost to record it, beside the operators, as `effort` gives it.
        """
        calls = piece.calls
        spent = effort + _CALL * len(calls)
        run = _needed(calls, wanted)
        kinds = len({id(call.entry) for call in run})
        lowering = _PIECE + _GUARD * len(piece.guards) + _LOWERED * len(run) + _KIND * kinds
        self.spent += spent
        self._forms += spent + lowering
        if self.is_of_new_form:
            self._for_forms += spent + lowering
        else:
            self.owed += lowering
            if self._later is not None:
                self._later += spent
        elements = sum(layout.size for call in calls for layout in call.entry.outputs)
        walked = sum(call.is_inner for call in calls)
        call_of_python = _CALL_OF_PYTHON + _CALL_FOLLOWED * piece.is_taped
        self.last = (
            instructions // _INSTRUCTIONS + call_of_python * len(calls) + _CALL_WALKED * walked + elements // _ELEMENTS
        )
        self._recorded += self.last
        return self.last - (_WRITES + _WRITE * len(piece.writes) if piece.writes else 0)

    def waits(self, loops: int, most: int) -> int:
        """How many calls, the one that starts among them, are Python's, since what it would lower has not been paid for.

        Args:
            loops: what the iterations of native loops were worth.
            most: calls that are made before this is asked again.
        """
        worth = self._worth + loops
        if self.since:
            self._each = (worth - self._seen) // self.since
            self.since = 0
        self._later = self._later or 0
        self._seen = worth
        lacking = self.owed + self._later - self._credit()
        if lacking <= 0:
            self._later += self.owed
            self.owed = 0
            return 0
        calls = 1 if self._each <= 0 else min(most, math.ceil(lacking / (_SHARE * self._each)))
        self._waited += calls * self._each
        self._seen += calls * self._each
        return calls

    def is_short(self, is_new: bool) -> bool:
        """Whether one more way on from the start of a call is not to be recorded yet.

        Args:
            is_new: whether it is a call of a form that has not come before.
        """
        if self._later is None:  # it is the first call
            return False
        if self._forms:
            self._form, self._forms = self._forms, 0
        self.is_of_new_form = is_new
        if is_new:
            return self._for_forms + self._form > _SHARE_OF_FORMS * self._worth + _FREE_FOR_FORMS
        return (self._later or 0) + self.owed + self._form > self._credit()

    @property
    def _worth(self) -> int:
        """What all calls were worth, as far as it is known without a look at loops."""
        return self.earned + self._recorded + self._waited

    def waits_to_read(self, length: int, elements: int) -> int:
        """How many calls, the one that starts among them, are Python's, since to read a function, and to record it, would
        cost more than the first call may.

        Nothing is known yet of what a call is worth but that it goes through the function, with operators on what it is
        given.

        Args:
            length: how much there is to read, in units of code.
            elements: of the largest tensor among the arguments.
        """
        lacking = (_READ + _RECORDED) * length - _START
        worth = length + length // _WRITTEN_IN * (elements // _ELEMENTS)
        if lacking <= _TIMES * worth + self._waited:
            return 0
        calls = math.ceil(lacking / (_SHARE * worth))
        self._waited += lacking
        return calls

    def start_anew(self) -> None:
        """What has been recorded is forgotten, since more is known now: the next call is like the first."""
        self.owed = self._forms = 0
        self._later = None

    def note_steps(self, steps: int) -> None:
        """Note pieces that an engine has gone through."""
        self.earned += _STEP * steps
        if self.outer is not None:
            self.outer.note_steps(steps)

    def note_left(self) -> None:
        """Note a call that is Python's from its start, since it has another form than those that were recorded."""
        self._waited += self._each
        self._seen += self._each
        self.since -= 1

    def _credit(self) -> float:
        """What may be spent behind the first call."""
        return max(_ADVANCE * self._each, _SHARE * self._seen) + _FREE

    @staticmethod
    def pays(gain: int) -> bool:
        """Whether it is worth while to lower pieces that make up a whole call.

        Args:
            gain: of all of them, as `gain_of` gives it.
        """
        return gain > _LEAST

    @staticmethod
    def gain_of(piece: Any, wanted: Container[Any], cost: int) -> int:
        """What of the cost of a piece can be saved: what is wanted at its end is written in any case."""
        written = sum(layout.size for call in piece.calls if _is_among(call, wanted) for layout in call.entry.outputs)
        return cost - written // _ELEMENTS

    @staticmethod
    def effort(instructions: int, looks: int, items: int, values: int, read: int) -> int:
        """What it costs to record so many instructions of a piece, with so many looks at what is done, at items of
        containers, and at values where a state is written down, and to read so much of functions."""
        looked = _LOOK * looks + _ITEM * items + _VALUE * values
        return _BEGUN + _INSTRUCTION * instructions + looked + _READ * read

    def is_overdrawn(self, effort: int = 0, calls: int = 0) -> bool:
        """Whether the account is overdrawn, or would be by something that is still being recorded."""
        credit = _START + self.earned + self._waited + _TIMES * (self._recorded + _CALL_OF_PYTHON * calls)
        return self.spent + effort + _CALL * calls > credit

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
        """Note a call that Python has done since a piece gains nothing: whether it is to have the next ones."""
        self.idle += 1
        return self.idle >= _CALLS

    def does_not_pay(self) -> bool:
        """Note a call: whether, over some calls or many hops, the pieces have gained less than their hops cost."""
        self.calls += 1
        if self.calls < _CALLS and self.hops < _MOST_HOPS // 2:
            return False
        loses = self._loses()
        self.forgive()
        return loses

    def loses_by_loops(self) -> bool:
        """The same within a call, which has done very many hops."""
        return self.hops >= _MOST_HOPS and self._loses()

    def _loses(self) -> bool:
        return self.hops * _HOP > self.earned - self._before


def _is_among(call: Any, values: Container[Any]) -> bool:
    """Whether a result of an operator is one of these."""
    return call in values if call.parts is None else any(part in values for part in call.parts)


def _needed(calls: Sequence[Any], wanted: Iterable[int]) -> list[Any]:
    """The operators that something wanted follows from, and those with effects."""
    needed = set(wanted)
    found = []
    for call in reversed(calls):
        if call.acts or _is_among(call, needed):
            found.append(call)
            needed.update(call.operands)
    return found
