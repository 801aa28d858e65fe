"""Loops over ranges that stay loops while they are recorded: see ranges.py."""

from __future__ import annotations

from typing import Any

from anfora.graph.facts.origins import Number, Origin, plain_tuple
from anfora.graph.lower import ranges
from anfora.graph.lower.ranges import Counter
from anfora.graph.machine.frames import Frame
from anfora.graph.machine.generators import Generator
from anfora.graph.machine.machine import Machine
from anfora.graph.polyfill.polyfills import items_
from anfora.graph.record.hops import Hops
from anfora.graph.source.sources import code_of

__all__ = ["Rolling"]


class Rolling(Hops):
    """Goes over ranges with numbers that vary, as long as the program does not depend on these."""

    def iterate(self, machine: Machine, value: Any) -> Any:
        if type(value) is Counter:
            return value
        if type(value) is range:
            frame = machine.frames[-1]
            site = frame.code.python, frame.pc
            is_long = ranges.length(value) >= ranges.ROLLED_FROM
            if is_long and frame.code.opcodes[frame.pc] == "NEXT" and self._may_roll(frame, site):
                return Counter.of(value, site)
        if (
            type(value) is list
            and self.is_outside(value)
            and id(value) not in self.looked
            and any(type(item) is float for item in value[: ranges.ROLLED_FROM])
        ):
            return self._walking(items_, value)
        return super().iterate(machine, value)

    def _walking(self, function: Any, value: Any) -> Generator:
        """What goes over a value one by one, as a generator of the program does."""
        [name] = code_of(function).python.co_varnames[: code_of(function).python.co_argcount]
        return Generator(Frame(code_of(function), function, {name: value}), self, (function, (value,), {}))

    def _may_roll(self, frame: Frame, site: tuple) -> bool:
        """Whether a loop may stay one: no call is going on that must be one piece, and no generator waits in it."""
        if frame.code.is_generator or site in self.keeper.unrolled or self.is_unkept:
            return False
        return self.machine is None or self.whole(self.machine) is None

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

    def next(self, machine: Machine, iterator: Any) -> Any:
        if type(iterator) is not Counter:
            if type(iterator) in _RANGE_ITERATORS and id(iterator) not in self.origins:
                return next(iterator)
            return self.do(machine, next, (iterator,))
        if iterator.given is not None or iterator.is_rolled:
            self._start_iteration(machine, iterator)
            if self.rejoin is not None:
                return None
            if machine.frames[-1].stack[-1] is not iterator:  # it is unrolled now
                return self.do(machine, next, (machine.frames[-1].stack[-1],))
        origin, has_more = iterator.has_more()
        self.guard("is", origin, has_more)
        if not has_more:
            raise StopIteration
        return iterator.take()

    def _start_iteration(self, machine: Machine, counter: Counter) -> None:
        """End the piece in front of an iteration, and start the next one at the point where all iterations meet."""
        if counter.item.origin.kind == "slot" and ranges.starts_at(self.point.frames, machine.frames):
            return  # the piece has just started there
        loop = tuple((frame.code.python, frame.pc) for frame in machine.frames)
        top = machine.frames[-1]
        top.pc -= 1
        settles = self.heads.get(loop, 0) < ranges.MOST_HEADS
        try:
            is_new = self.keeper.jump(self, machine, settles and self.keeper.may_alternate(counter.site))
        finally:
            top.pc += 1
        if is_new is None:
            self._unroll(machine)
        else:
            counter.is_rolled = True
            self.heads[loop] = self.heads.get(loop, 0) + is_new
            if is_new and counter.site in self.keeper.alternating:
                self.keeper.heads[counter.site] += 1

    def _unroll_if_needed(self, origin: Origin, is_truth: bool = False) -> None:
        """The program depends on a number, or on a truth alone: unroll the loops that are running if that may follow from
        one of their counters, and changes often."""
        for machine in self.machine.chain() if self.machine is not None else ():
            if not is_truth:
                for number in self.keeper.widening.narrow(origin, machine.frames):
                    self.guard("equal", number.origin, number.value)
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
        if counter.site in self.keeper.unrolled or not (is_truth or ranges.has_few_values(origin, counter)):
            return False
        self.keeper.alternating[counter.site] = ranges.length(counter.rest)
        return True

    def _unroll(self, machine: Machine) -> None:
        """Put Python's iterators in the places of the counters that are alive."""
        plain: dict[int, Any] = {}
        given: list[Number | None] = []
        for frame in machine.frames:
            for item in frame.stack:
                if type(item) is Counter:
                    if not self.is_unkept:
                        self.keeper.unrolled.add(item.site)
                    plain[id(item)] = ranges.iterator_of(item)
                    for number in (item.item, item.stop):
                        self.guard("equal", number.origin, number.value)
                    given.append(item.given)
        for frame in machine.frames:
            frame.stack[:] = [plain.get(id(item), item) for item in frame.stack]
            for name, value in frame.locals.items():
                if type(value) is Number and any(value is number for number in given):
                    self.guard("equal", value.origin, value.value)
                    frame.locals[name] = value.value
        machine.saved = [plain.get(id(item), item) for item in machine.saved]


_RANGE_ITERATORS = (type(iter(range(0))), type(iter(range(1 << 70))))
