"""What is left to Python as a whole, since it works on plain values alone and goes on for long: see machine/outline.py.

A loop is, from an iteration on, once it has come to a few dozen, or where it starts if it is known that it will. It is one
call between two pieces; what follows is compiled again. This is a part of the recorder.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any, Protocol

from anfora.core.tensor import Tensor
from anfora.eager.cells import Lowered
from anfora.graph.facts import known
from anfora.graph.facts.origins import Origin
from anfora.graph.facts.plain import COUNTED, Plainness, count_of
from anfora.graph.facts.table import ALL, DRAINED, INDEX, WALKED, resolved
from anfora.graph.lower import ranges
from anfora.graph.lower.ranges import Counter
from anfora.graph.machine.frames import ORIGINALS, Frame
from anfora.graph.machine.generators import Generator, Original
from anfora.graph.machine.machine import Machine
from anfora.graph.machine.outline import Outlined
from anfora.graph.machine.places import note_looking, plainly
from anfora.graph.machine.world import ABSENT
from anfora.graph.source.sources import code_of
from anfora.graph.state.moments import CALL, OVERDRAWN, Outcome, Piece

__all__ = ["MANY", "Outlining"]

#: From so many iterations on.
_LONG = 36
#: And where a piece had to be divided for it: inside of a gradient.
_LONG_INSIDE = 500
_CHECKED_FROM = 256  #: iterations of a loop that is unrolled, from which on it is looked what it costs


class Driver(Protocol):
    """What is asked of the recorder."""

    keeper: Any
    given: Outcome | None
    given_operation: Any
    piece: Piece
    region: list[tuple]
    lowered: list[Lowered]
    origins: dict[int, tuple[Any, Origin]]
    looked: dict[int, Any]
    is_unkept: bool
    pending: bool
    hops: int
    counted: int
    looks: int
    items: int
    imaged: int

    @property
    def length(self) -> int: ...

    def enters(self, function: types.FunctionType) -> bool: ...
    def owns(self, generator: Generator) -> bool: ...
    def is_outside(self, value: Any) -> bool: ...
    def redo(self) -> Any: ...
    def land(self, machine: Machine, frame: Frame, loop: Any, ended: tuple, starts: bool) -> None: ...
    def leave_loop(self, machine: Machine, frame: Frame, loop: Any, items: Any, is_new: bool) -> bool: ...
    def do_between(self, machine: Machine, operation: Callable, args: tuple, kwargs: dict, reason: str) -> Any: ...
    def end_behind(self, machine: Machine, operation: Callable, args: tuple, kwargs: dict, outcome: Outcome) -> Any: ...
    def leave(self, machine: Machine) -> None: ...


class Outlining:
    """Leaves to Python what only Python would gain by.

    Args:
        recorder: what records the rest.
    """

    def __init__(self, recorder: Driver) -> None:
        self.recorder = recorder

    # -- loops --------------------------------------------------------------------------------------------------------

    def outlines(self, machine: Machine, frame: Frame, loop: Any, items: Any) -> bool:
        """Whether Python does a loop from here on: see `Plain.outlines`."""
        if self.recorder.given is not None:
            if type(self.recorder.given_operation) is not Outlined:
                return False
            self.recorder.land(machine, frame, loop, self.recorder.redo(), items is not ABSENT and loop.depth == 1)
            return True
        if frame.code.is_internal:
            return False
        is_new = items is not ABSENT
        turns, head = frame.turns, loop.head
        if not is_new:
            count = _turned(turns, head)
            if count < turns.get(~head, 0):  # it is looked at again, at ever greater distances
                return False
        least = _LONG_INSIDE if self.recorder.region or self.recorder.lowered or machine.below is not None else _LONG
        is_known = (frame.code.python, head) in self.recorder.keeper.long_loops and not self.recorder.region
        if is_new:
            turns.pop(head, None)
            count = self._to_come(loop, items, least, is_known)
        else:
            items = frame.stack[-1] if loop.is_walk else None
            count = max(count, least) if is_known else count
            turns[~head] = max(least, 2 * count)
        if count < least:
            return False
        if not self._is_plain_loop(frame, loop, items) or not loop.is_possible:
            return not is_new and count >= _CHECKED_FROM and self._overdraws(machine, frame, loop)
        given = (range, items.item, items.stop, items.step) if type(items) is Counter else items
        if not self.recorder.leave_loop(machine, frame, loop, given, is_new):
            return False
        if not is_new:
            self._note_long(frame.code.python, head)
        for around, other in frame.code.loops.items():
            if around < head < other.landing:
                turns[around] = turns.get(around, 0) + least // 3
        return True

    def _to_come(self, loop: Any, items: Any, least: int, is_known: bool) -> int:
        """How many iterations come of a loop that starts; `least`, from which on it is long, where it is known to be."""
        if is_known and not (loop.is_walk and type(items) in COUNTED):
            return least
        if type(items) is Generator and items.frame is not None and not items.frame.pc and items.frame.code.loops:
            return least  # nothing tells how many items come, and later it could not be Python's
        return self._count(items) if loop.is_walk else 0

    def _note_long(self, code: types.CodeType, head: int) -> None:
        """A loop has turned out to be long: the next recording leaves it to Python where it starts."""
        if (code, head) not in self.recorder.keeper.long_loops:
            self.recorder.keeper.long_loops.add((code, head))
            self.recorder.keeper.is_outdated = self.recorder.keeper.is_outdated or self.recorder.hops > 1

    def _overdraws(self, machine: Machine, frame: Frame, loop: Any) -> bool:
        """Give the function back to Python where a loop that is unrolled costs too much."""
        return self._leaves_overdrawn(machine) and machine.world.outlines(machine, frame, loop)

    def note_steps(self, machine: Machine) -> None:
        """Give the function back to Python where what is recorded costs too much, whatever it is."""
        if not self.recorder.pending and self.recorder.given is None:
            self._leaves_overdrawn(machine)

    def _leaves_overdrawn(self, machine: Machine) -> bool:
        recorder, keeper = self.recorder, self.recorder.keeper
        if recorder.is_unkept or recorder.region or machine.below is not None or not keeper.is_patient():
            return False
        steps = machine.steps - recorder.counted
        effort = keeper.ledger.effort(steps, recorder.looks, recorder.items, recorder.imaged, recorder.length)
        if not keeper.ledger.is_overdrawn(effort, len(recorder.piece.calls)):
            return False
        if keeper.starts_over(recorder, machine):
            return False
        keeper.give_up(OVERDRAWN, machine)
        recorder.leave(machine)
        return True

    def _is_plain_loop(self, frame: Frame, loop: Any, items: Any) -> bool:
        """Whether what a loop goes over, and all that it names, is plain."""
        code, held = frame.code, frame.locals
        for opcode, name in zip(code.opcodes[loop.head : loop.landing], code.arguments[loop.head : loop.landing]):
            if opcode == "LOAD" and type(held.get(name)) is Tensor:  # most are told by this, without their syntax
                return False
        is_plain = Plainness()
        if not self._names_plainly(is_plain, frame, loop, items):
            return False
        self._note_looking(is_plain, [frame])
        return True

    def _note_looking(self, is_plain: Plainness, frames: list[Frame]) -> None:
        """What is left to Python finds frames for all that the program has called, where it may look at them."""
        if is_plain.may_look:
            note_looking([frame.code.python for frame in frames if not frame.code.is_internal])

    def _names_plainly(self, is_plain: Plainness, frame: Frame, loop: Any, items: Any) -> bool:
        for name in loop.read:
            where = loop.scope_of(name)
            if where == "frame":
                if not is_plain(frame.locals.get(loop.locals[name])):
                    return False
            elif where == "cell":
                if name in frame.cells and not is_plain.cell(frame.cells[name]):
                    return False
            elif not is_plain.named(name, frame.function):
                return False
        return type(items) is Counter or items is ABSENT or self._is_plain(is_plain, items)

    # -- calls --------------------------------------------------------------------------------------------------------

    def calls_plainly(self, machine: Machine, function: Any, args: tuple, kwargs: dict) -> bool:
        """Leave a call to Python that takes many plain values, or that goes on to call itself with plain values: whether
        this was one."""
        if self.recorder.given is not None:
            if self.recorder.given_operation is plainly:
                machine.push(self.recorder.redo())
                return True
            return False
        if not self._takes_many(function, args) and not self._calls_itself(machine, function):
            return False
        if machine.frames[-1].code.is_internal or (self.recorder.region and not self._takes_many(function, args)):
            return False
        is_plain = Plainness()
        if not all(self._is_plain(is_plain, value) for value in (function, *args, *kwargs.values())):
            return False
        if type(function) is types.FunctionType and function.__code__ not in self.recorder.keeper.plain_calls:
            self.recorder.keeper.plain_calls.add(function.__code__)
            self.recorder.keeper.is_outdated = True
        self._note_looking(is_plain, machine.frames)
        machine.push(self.recorder.do_between(machine, plainly, (function, *args), kwargs, CALL))
        return True

    def _takes_many(self, function: Any, args: tuple) -> bool:
        """Whether a function of Python's goes through many items."""
        fact, given = resolved(function, args)
        if fact is None or fact.hands_later:
            return False
        gone_through = [value for use, value in fact.uses(given) if use & (DRAINED | ALL)]
        if fact.writes:  # what is put into something is; what is changed as a whole is Python's
            gone_through = gone_through[:1] if fact.takes[0] & ALL else []
        return any(self._count(value) >= MANY for value in gone_through)

    def _count(self, value: Any) -> int:
        """How many items come of something."""
        if type(value) is Generator:
            frame = value.frame
            if frame is not None and frame.code.is_internal:
                # What it goes over stands in its variables, or in lists of them.
                held = [*frame.locals.values(), *frame.stack]
                held += [item for value in held if type(value) in (list, tuple) for item in value[:_FEW]]
                return max(map(self._count, held), default=0)
            start = frame.locals.get(".0") if frame is not None and not frame.pc else None
            return 0 if start is None else self._count(start)
        return ranges.length(value.rest) if type(value) is Counter else count_of(value)

    def _calls_itself(self, machine: Machine, function: Any) -> bool:
        if (
            type(function) is not types.FunctionType
            or not self.recorder.enters(function)
            or code_of(function).is_generator
        ):
            return False
        if function.__code__ in self.recorder.keeper.plain_calls:
            return True
        return sum(frame.code.python is function.__code__ for frame in machine.frames) >= _DEEP

    def _is_plain(self, is_plain: Plainness, value: Any) -> bool:
        if type(value) is not Generator:
            return is_plain(value)
        frame = value.frame
        if frame is None or value.call is None or not self.recorder.owns(value):
            return False
        function, args, kwargs = value.call  # one that has not started is its call
        original: Original | None = ORIGINALS.get(function)
        if frame.pc:  # what stands for an iterator of Python's is one that goes on there
            if original is None or original.started is None or value.is_running:
                return False
            return all(self._is_plain(is_plain, part) for part in (*frame.locals.values(), *frame.stack))
        if original is None and not is_plain(function):
            return False
        return all(self._is_plain(is_plain, part) for part in (*args, *kwargs.values()))

    def is_plain_call(self, operation: Callable, args: tuple, kwargs: dict) -> bool:
        """Whether one of Python's functions takes what is left in an iterator, of plain values."""
        fact, given = resolved(operation, args)
        if fact is None or fact.hands_later or type(fact.function) is types.FunctionType:  # or the machine's own
            return False
        is_next = fact.writes and bool(fact.takes[0] & WALKED) and fact.owner is None
        if not is_next and (fact.writes or not any(use & (DRAINED | ALL) for use, _ in fact.uses(given))):
            return False
        return any(map(self.recorder.is_outside, args)) and all(map(Plainness(), (*given, *kwargs.values())))

    def holds_many(self, machine: Machine, operation: Callable, args: tuple, kwargs: dict) -> bool:
        """Whether something goes through a large container from outside: each item would be guarded."""
        values = [operation, *args, *kwargs.values()]
        least = _LONG_INSIDE if self.recorder.region else _LONG
        if not any(self._is_large(value, least) for value in values):  # as mostly
            return False
        fact, given = resolved(operation, args)
        if fact is not None and not (operation is reversed and self.walks_on(machine, operation, args)):
            uses = list(fact.uses(given, kwargs))
            if not any(use & INDEX and type(value) is slice for use, value in uses):  # which is a part of it
                values = [value for use, value in uses if fact.goes_through(use)]
        if not any(self._is_large(value, least) for value in values):
            return False
        return all(map(Plainness(), (operation, *args, *kwargs.values())))

    def _is_large(self, value: Any, least: int) -> bool:
        kind = type(value)
        if kind in known.BOUND:
            return not known.is_chain(value) and self._is_large(value.__self__, least)
        if kind in known.VIEWS:
            return self._is_large(known.viewed(value), least)
        if kind not in known.CONTAINERS:
            return False
        return len(value) >= least and id(value) in self.recorder.origins and id(value) not in self.recorder.looked

    def gives_many(self, machine: Machine, operation: Callable, args: tuple, kwargs: dict, result: Any) -> Any:
        """The result of something that has computed a large container of plain values. From here on it is one from outside,
        so that nothing goes through it where the state is written down."""
        if type(result) not in _LARGE or len(result) < MANY:
            return result
        if self.recorder.given is not None or not Plainness()(result):
            return result
        return self.recorder.end_behind(machine, operation, args, kwargs, Outcome(result))

    def walks_on(self, machine: Machine, operation: Callable, args: tuple) -> bool:
        """Whether an operation makes what a plain loop goes over next, which is Python's if it is long."""
        frame = machine.frames[-1]
        loop = frame.code.walks.get(frame.pc)
        if loop is None or self.recorder.given is not None:
            return False
        fact, given = resolved(operation, args)
        if fact is None or fact.by_python or fact.hands_on is None or operation is iter:
            return False
        if not any(self._is_large(value, _LONG) for value in given):
            return False
        if fact.hands_on([self._count(value) for use, value in fact.uses(given) if use & WALKED]) < _LONG:
            return False  # then it is unrolled, item by item
        return all(map(Plainness(), args)) and self._is_plain_loop(frame, loop, ABSENT) and loop.is_possible


def _turned(turns: dict[int, int], head: int) -> int:
    """Count a turn of a loop; loops inside of it start anew. How many there were."""
    if turns and max(turns) > head:
        for inner in [inner for inner in turns if inner > head]:
            del turns[inner]
    count = turns[head] = turns.get(head, 0) + 1
    return count


#: From so many items on, what is done with all of them is Python's.
MANY = 256
_FEW = 16  #: of the items of a list that are looked at, if they are iterators of many
#: Calls of a function one inside of the other.
_DEEP = 3
_LARGE = (list, tuple, dict, set, frozenset)
