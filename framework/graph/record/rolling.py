"""Loops over ranges that stay loops while they are recorded: see `graph/lower/ranges.py`.

A part of the recorder. It goes over a range with a number that varies, as long as the program does not depend on that;
where it does, the loop is unrolled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from anfora.graph.facts.origins import Number, Origin, plain_tuple
from anfora.graph.lower import ranges
from anfora.graph.lower.ranges import Counter
from anfora.graph.machine.frames import Frame
from anfora.graph.machine.machine import Machine

__all__ = ["Rolling"]


class Driver(Protocol):
    """What loops ask of the recorder."""

    keeper: Any
    machine: Machine | None
    piece: Any
    point: Any
    rejoin: tuple | None
    is_unkept: bool

    def guard(self, kind: str, origin: Origin, payload: Any = None) -> None: ...
    def whole(self, machine: Machine) -> Any: ...
    def do(self, machine: Machine, operation: Callable, args: tuple, kwargs: dict | None = None) -> Any: ...


class Rolling:
    """The loops over ranges that are being recorded.

    Args:
        recorder: what they are recorded by.
    """

    def __init__(self, recorder: Driver) -> None:
        self.recorder = recorder
        self._heads: dict[tuple, int] = {}  #: by loop, how many points that start an iteration were made

    def counter(self, machine: Machine, value: range) -> Counter | None:
        """What goes over a range, where that is to stay a loop."""
        frame = machine.frames[-1]
        site = frame.code.python, frame.pc
        is_long = ranges.length(value) >= ranges.ROLLED_FROM
        if is_long and frame.code.opcodes[frame.pc] == "NEXT" and self._may_roll(frame, site):
            return Counter.of(value, site)
        return None

    def _may_roll(self, frame: Frame, site: tuple) -> bool:
        """Whether a loop may stay one: no call is going on that must be one piece, and no generator waits in it."""
        if frame.code.is_generator or site in self.recorder.keeper.unrolled or self.recorder.is_unkept:
            return False
        return self.recorder.machine is None or self.recorder.whole(self.recorder.machine) is None

    def count_up(self, machine: Machine, start: Any, stop: Any, step: Any) -> bool:
        """Let a loop go over a range between numbers that vary."""
        frame = machine.frames[-1]
        site = frame.code.python, frame.pc + 1
        if not ranges.is_in_front_of_loop(frame) or not self._may_roll(frame, site):
            return False
        first, last = plain_tuple((start, stop))
        if any(type(x) is not int for x in (first, last, step)) or not step:
            return False
        if ranges.length(range(first, last, step)) < ranges.ROLLED_FROM:
            return False
        start, stop = (x if type(x) is Number else ranges.constant(x) for x in (start, stop))
        machine.push(Counter(start, stop, step, site))
        return True

    def next(self, machine: Machine, iterator: Counter) -> Any:
        """The next number; raises StopIteration."""
        if iterator.given is not None or iterator.is_rolled:
            self._start_iteration(machine, iterator)
            if self.recorder.rejoin is not None:
                return None
            if machine.frames[-1].stack[-1] is not iterator:  # it is unrolled now
                return self.recorder.do(machine, next, (machine.frames[-1].stack[-1],))
        else:
            iterator.calls = len(self.recorder.piece.calls)
        origin, has_more = iterator.has_more()
        self.recorder.guard("is", origin, has_more)
        if not has_more:
            raise StopIteration
        return iterator.take()

    def _start_iteration(self, machine: Machine, counter: Counter) -> None:
        """End the piece in front of an iteration, and start the next one at the point where all iterations meet."""
        if counter.item.origin.kind == "slot" and ranges.starts_at(self.recorder.point.frames, machine.frames):
            return  # the piece has just started there
        loop = tuple((frame.code.python, frame.pc) for frame in machine.frames)
        if not counter.is_rolled and self._leaves_nodes(counter):
            self._unroll(machine)
            return
        top = machine.frames[-1]
        top.pc -= 1
        keeper = self.recorder.keeper
        settles = self._heads.get(loop, 0) < ranges.MOST_HEADS
        try:
            is_new = keeper.jump(self.recorder, machine, settles and keeper.may_alternate(counter.site))
        finally:
            top.pc += 1
        if is_new is None:
            self._unroll(machine)
        else:
            counter.is_rolled = True
            self._heads[loop] = self._heads.get(loop, 0) + is_new
            if is_new and counter.site in keeper.alternating:
                keeper.heads[counter.site] += 1

    def _leaves_nodes(self, counter: Counter) -> bool:
        """Whether the first iteration has left nodes on a tape, and all of them are few enough to be unrolled."""
        calls = self.recorder.piece.calls[counter.calls :]
        is_short = len(calls) * ranges.length(counter.rest) <= ranges.MOST_TAPED
        return is_short and any(call.mask and not call.is_inner for call in calls)

    def unroll_if_needed(self, origin: Origin, is_truth: bool = False) -> None:
        """The program depends on a number, or on a truth alone: unroll the loops that are running if that may follow from
        one of their counters, and changes often."""
        for machine in self.recorder.machine.chain() if self.recorder.machine is not None else ():
            if not is_truth:
                for number in self.recorder.keeper.widening.narrow(origin, machine.frames):
                    self.recorder.guard("equal", number.origin, number.value)
            for frame in machine.frames:
                for item in frame.stack:
                    if type(item) is Counter and ranges.depends_on_counter(origin, item):
                        if not self._tells_apart(origin, item, is_truth):
                            self._unroll(machine)
                        return

    def _tells_apart(self, origin: Origin, counter: Counter, is_truth: bool) -> bool:
        """Whether a loop stays one where the program depends on a number, or a truth, that may follow from its counter:
        variants tell its values apart."""
        if is_truth and not ranges.goes_to_and_fro(origin, counter):
            return True
        if counter.site in self.recorder.keeper.unrolled or not (is_truth or ranges.has_few_values(origin, counter)):
            return False
        self.recorder.keeper.alternating[counter.site] = ranges.length(counter.rest)
        return True

    def _unroll(self, machine: Machine) -> None:
        """Put Python's iterators in the places of the counters that are alive."""
        plain: dict[int, Any] = {}
        given: list[Number | None] = []
        for frame in machine.frames:
            for item in frame.stack:
                if type(item) is Counter:
                    if not self.recorder.is_unkept:
                        self.recorder.keeper.unrolled.add(item.site)
                    plain[id(item)] = ranges.iterator_of(item)
                    for number in (item.item, item.stop):
                        self.recorder.guard("equal", number.origin, number.value)
                    given.append(item.given)
        for frame in machine.frames:
            frame.stack[:] = [plain.get(id(item), item) for item in frame.stack]
            for name, value in frame.locals.items():
                if type(value) is Number and any(value is number for number in given):
                    self.recorder.guard("equal", value.origin, value.value)
                    frame.locals[name] = value.value
        machine.saved = [plain.get(id(item), item) for item in machine.saved]
