"""What is known of a program, and what a recorder asks of it.

A `Keeper` holds the points of one function and the ways between them. The recorder gives it each piece where that ends
(`end_with_hop`, `jump`, `join`), and is told what comes behind: a new point, or one that was seen before. The keeper also
notes what recordings have found out: which loops are to be unrolled, which calls have no end in sight, what is left to
Python. The calls themselves, and how a recording starts, are in compiled.py.
"""

from __future__ import annotations

import functools
import types
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from anfora.eager import updating
from anfora.graph.facts import known
from anfora.graph.facts.origins import Number, Origin
from anfora.graph.lower.ranges import MOST_ALTERNATING_HEADS, Jump, places_in, site_of
from anfora.graph.machine.machine import Machine
from anfora.graph.machine.room import is_short
from anfora.graph.machine.switches import switches
from anfora.graph.polyfill import polyfills
from anfora.graph.polyfill.gradients import outermost
from anfora.graph.record import updates
from anfora.graph.record.recorder import Recorder
from anfora.graph.record.writes import Written
from anfora.graph.run.behind import Behind, key_of, lead_past
from anfora.graph.run.ledger import Ledger
from anfora.graph.run.points import Hop, Point, Return, Same, Variant
from anfora.graph.run.widening import Widening
from anfora.graph.source.sources import amount_read
from anfora.graph.state.images import Image, Imager, NoImage
from anfora.graph.state.moments import OVERDRAWN, Escaped, Live, Outcome, State, holds_identity, leaves_of

if TYPE_CHECKING:
    from anfora.graph.run.compiled import Compiled, RecordedProgram

__all__ = ["TOO_MANY", "Keeper"]

_MOST_POINTS, _MOST_FOR_A_WAY = 250, 20  #: and for each that is compiled because it has come so often
TOO_MANY = "it has gone on in too many ways"
#: Calls of a function, one inside of the other, that make it a recursive one, where the truth of a tensor was asked for.
_DEEP = 4


@functools.cache
def _special_functions() -> dict[Any, Callable]:
    """Functions that the recorder calls in a way of its own; the same for all programs."""
    return {**polyfills.table(), updating.take_step: updates.take_step}


class Keeper:
    """The points of one function, for calls of one form, and what is known of it.

    Args:
        function: a Python function.
    """

    # What the layers above do.
    compiled: Callable[[types.FunctionType], Compiled]  #: another function, compiled by itself
    twin: Callable[[types.FunctionType], RecordedProgram]  #: a program of the same kind for another function

    options: dict | None = None  #: with which a Cell was compiled
    may_wait = True  #: whether calls may be Python's until they have paid for what they would lower
    is_traced = False  #: whether `note_piece` wants to be told, and every outcome is gone after in the long way
    #: Whether each call brings the function, and with it the cells of its free variables, as its first argument: it is
    #: made by the program, and another object each time.
    brings_function = False

    def __init__(self, function: types.FunctionType) -> None:
        self.function = function
        self.special = _special_functions()
        self.constants: dict[int, Any] = {}  #: tuples in the code of functions that it has called, by identity
        self.entries: dict[Any, Point] = {}
        self.points: dict[Any, Point] = {}
        self.varying: set[str] = set()
        #: Calls in which a piece has to end: of gradient functions, by (code, instruction), which are taken in pieces
        #: (gradients.py), and others that the interpreter does from end to end.
        self.divided: set[tuple] = set()
        self.inside: dict[tuple, Compiled] = {}  #: see `compiled_inside`
        self.undivided: dict[tuple, str] = {}  #: those of the former that Python runs as they are, and why
        #: Loops over ranges that are unrolled: (code, instruction). And those in which conditions on the counter change
        #: often, with how many items there were: they are to go natively, or to be unrolled.
        self.unrolled: set[tuple] = set()
        self.alternating: dict[tuple, int] = {}
        #: Loops on plain values that have turned out to go on for long: (code, instruction).
        self.long_loops: set[tuple] = set()
        self.plain_calls: set[types.CodeType] = set()  #: functions on plain values that call themselves
        self.is_outdated = False  #: whether, with what is known now, other pieces would be recorded
        self.turns: dict[types.CodeType, dict[int, int]] = {}  #: of loops in frames that were rebuilt: see Frame.turns
        self.heads: Counter[tuple] = Counter()  #: of the latter, how many points start an iteration
        self.walks_back = False  #: whether it calls `backward()` on what some of its pieces have computed
        self.widening = Widening()
        self.native: str | None = None  #: why Python runs it as it is
        self.resting = 0  #: calls that are to come of which Python does all, without a look at what they are
        self.recordings = 0
        self.recorders = 0  #: at work now: calls of it inside of such a call are parts of that
        self.ledger = Ledger()
        self.closed: list[Variant] = []  #: those that go round natively
        self.forms: set[tuple] = set()  #: of calls that were recorded: what can be told of arguments at once
        self.ways = 0  #: that were compiled because they had come often: see crowds.py
        self.rare = 0  #: calls that Python has gone on with since they had not
        self.failures = 0  #: of operators in a `try` that were taken for ones that do not fail
        self.leaves_tries = False
        #: Whether calls of it are not gone into, since it would not end: each starts from the entry again.
        self.is_recursive = False
        self.called: dict[types.CodeType, Keeper] = {}  #: compiled functions that were gone into
        self.inner: set[types.CodeType] = set()  #: of functions that it makes itself
        self.recursive: dict[types.CodeType, dict[Any, Compiled]] = {}  #: see `compiled_by_itself`

    def __reduce__(self) -> tuple:
        return type(None), ()  # a copy of what holds it is compiled anew

    # -- what the program is like, for recorder and compiler --------------------------------------------------------------

    def varies(self, origin: Origin) -> bool:
        """Whether a number from outside is taken as one that varies: an int, or a float that numpy is given."""
        return origin.path in self.varying

    def divide(self, calls: Sequence[tuple]) -> None:
        """These calls, of gradient functions say, cannot be within one piece: see `divided`."""
        self.divided.update(calls)

    def puts_writes_off(self) -> bool:
        """Whether changes of what is outside may be done at the ends of pieces."""
        return True

    def is_refusing(self) -> bool:
        """Whether the run that is being recorded is to be refused where only the interpreter can do something."""
        return False

    def note_indivisible(self, machine: Machine, place: tuple, reason: str) -> None:
        """Told of calls in which a piece would have to end, and which the interpreter does from now on."""

    def note_unkept(self, machine: Machine, operation: Any, args: tuple, reason: str) -> None:
        """Told of each hop of which nothing is kept, in a program that refuses some."""

    def give_up(self, reason: str, machine: Machine) -> None:
        """From now on Python runs the function as it is; or, of what stands in a gradient, this gradient alone."""
        site = outermost(machine)
        if site is None:
            self.native = reason
            self.entries, self.points = {}, {}  # what was recorded holds what the program may drop
        else:
            self.undivided[site] = reason
            self.forget()

    # -- whether it pays --------------------------------------------------------------------------------------------------

    def _may_be_left(self) -> bool:
        """Whether Python may do calls of it that have not paid for being compiled."""
        return not self.is_traced and self.is_patient() and self.may_wait

    def _is_overdrawn(self) -> bool:
        """Whether what comes is to be left to Python, since recordings have cost more than calls have paid for."""
        return self.recordings > 0 and self.is_patient() and self.ledger.is_overdrawn()

    @property
    def _is_full(self) -> bool:
        """Whether there are enough points."""
        return len(self.points) >= _MOST_POINTS + _MOST_FOR_A_WAY * self.ways

    def is_patient(self) -> bool:
        """Whether Python may do what has not come often."""
        return True

    def note_rare(self) -> None:
        """Told of calls that Python runs since they have not come often."""

    # -- loops ------------------------------------------------------------------------------------------------------------

    def _close(self, variant: Variant, point: Point, key: Any) -> None:
        """A piece leads back to its own point: let it go round natively, unless another one comes next most often."""
        if self.alternating and site_of(point.frames) in self.alternating:
            variant.is_decided = True
        else:
            variant.close(point, key)
            self.closed.append(variant)

    def may_alternate(self, site: tuple) -> bool:
        """Whether another point may start an iteration of a loop. There are many where the state is another each time that
        a condition on the counter holds: the loop is unrolled then."""
        return self.heads[site] < MOST_ALTERNATING_HEADS or not self._unroll({site})

    def _unroll(self, sites: set[tuple]) -> bool:
        """Unroll those among some loops in which conditions on the counter change often, from the next recording on.
        Whether there are any."""
        found = {site for site in sites if site in self.alternating} - self.unrolled
        if found:
            self.unrolled |= found
            self.forget()
        return bool(found)

    def _note_long_loops(self, point: Point) -> None:
        """The program often comes by a point: if it stands in a loop, this goes on for long."""
        for code, at in places_in(point.frames):
            sites = {(code.python, head) for head, loop in code.loops.items() if head <= at < loop.landing}
            ends = [variant.end for variant in point.variants]
            if not sites <= self.long_loops and any(isinstance(end, Hop) and not end.is_native for end in ends):
                self.long_loops |= sites
                self.is_outdated = True

    # -- calls of itself, and of functions that call themselves -----------------------------------------------------------

    def start_over(self) -> None:
        """Forget what is known, and do not go into calls of this function from now on."""
        self.is_recursive = True
        self.forget()

    def forget(self) -> None:
        self.entries, self.points = {}, {}
        self.compile_again()
        self.ledger.start_anew()

    def compile_again(self) -> None:
        """From now on calls are no longer Python's as they are."""
        self.native, self.resting = None, 0

    def starts_over(self, recorder: Recorder, machine: Machine) -> bool:
        """Whether calls of a function are gone into one inside of the other without an end in sight. This is the last time
        then, and no more of it is kept."""
        if self._notes_recursion(machine):
            recorder.stop_keeping(machine, for_good=True)
            return True
        return False

    def _notes_recursion(self, machine: Machine) -> bool:
        if len(machine.frames) >= _DEEP:
            counts = Counter(frame.code.python for frame in machine.frames)
            for code, program in self.called.items():
                if counts[code] >= _DEEP and not program.is_recursive:
                    program.start_over()
                    self.forget()
                    self.ledger.spent = 0
                    return True
            for frame in machine.frames:
                code = frame.code.python
                is_known = code in self.called or code in self.recursive
                if counts[code] >= _DEEP and not is_known and _is_called_plainly(frame):
                    self.recursive[code] = {}
                    self.forget()
                    self.ledger.spent = 0
                    return True
        return False

    def compiled_by_itself(self, function: types.FunctionType, is_outside: bool) -> Compiled | None:
        """A function of the program, not marked to be compiled, that calls itself without an end in sight, as if it were
        marked; None if it does not.

        Args:
            is_outside: whether it is the same object in each call. If not, one compiled function serves all that have
                its code, and gets the function itself as its first argument.
        """
        found = self.recursive.get(function.__code__)
        if found is None:
            return None
        name = function if is_outside else None
        compiled = found.get(name)
        if compiled is None:
            compiled = found[name] = self.compiled(function if is_outside else _applying(function.__code__.co_name))
            program = compiled.program = self.twin(compiled.program.function)
            program.brings_function = not is_outside
            program.ledger.outer = self.ledger
            program.is_recursive = True
            program.recursive, program.inner = self.recursive, self.inner
        return compiled

    def is_twin(self, operation: Any) -> bool:
        """Whether it is a function that is compiled by itself, as this one is."""
        return any(
            operation is compiled for table in list(self.recursive.values()) for compiled in list(table.values())
        )

    def is_itself(self, operation: Any) -> bool:
        """Whether it is the function that is compiled here."""
        return known.is_compiled(operation) and operation.program.function is self.function

    def _is_own_call(self, call: Image) -> bool:
        match call:
            case ("tuple", (("is", operation), _, _, ("is", None))):
                return self.is_itself(operation)
        return False

    def compiled_inside(self, call: tuple) -> Compiled:
        """Calls functions for the interpreter, in a call that is its; they are compiled by themselves."""
        found = self.inside.get(call)
        if found is None:
            found = self.inside.setdefault(call, self.compiled(polyfills.call))  # type: ignore[arg-type]
        return found

    # -- where pieces end, and what comes behind --------------------------------------------------------------------------

    def end_with_hop(self, recorder: Recorder, machine: Machine, state: State, reason: str) -> None:
        hop = Hop(state, reason)
        hop.is_own_call = self._is_own_call(hop.call)
        hop.is_call = hop.is_own_call or self.is_twin(hop.call[1][0][1])
        self._keep(recorder, state.live, hop, state.written)
        recorder.end, recorder.live = hop, state.live

    def end_with_jump(self, recorder: Recorder, live: Live, jump: Jump, written: Written | None) -> None:
        self._keep(recorder, live, jump, written)

    def _keep(self, recorder: Recorder, live: Live, end: Hop | Return | Jump, written: Written | None) -> None:
        """A piece has ended: later calls may go the same way."""
        recorder.guard_sharing()
        variant = Variant(recorder.piece, live, end, written)
        recorder.point.variants.append(variant)
        steps = 0 if recorder.machine is None else recorder.machine.steps
        count = max(0, steps - recorder.counted)
        effort = self.ledger.effort(count, recorder.looks, recorder.items, recorder.imaged, recorder.length)
        variant.cost = self.ledger.cost_of(variant.piece, variant.runner.wanted, count, effort)
        recorder.counted = steps
        recorder.looks = recorder.items = recorder.imaged = 0
        recorder.had_read = amount_read()
        self._look_at_whole(recorder, variant)
        if recorder.point.crowd is not None:
            recorder.point.crowd.add(recorder.way, variant)
        if not variant.is_possible:
            self.divide([cut.site for cut in variant.piece.cuts])

    def _look_at_whole(self, recorder: Recorder, variant: Variant) -> None:
        """Where pieces that follow from each other make up a whole call, and gain nothing, let the first of them rest."""
        if recorder.point.frames[0] == "entry":
            recorder.since_entry = []
        if isinstance(variant.end, Hop):
            recorder.since_entry = None
        if recorder.since_entry is not None:
            recorder.since_entry.append(variant)
            gain = sum(self.ledger.gain_of(each.piece, each.runner.wanted, each.cost) for each in recorder.since_entry)
            if isinstance(variant.end, Return) and self.is_patient() and not self.ledger.pays(gain):
                recorder.since_entry[0].runner.rest()

    def go_on(self, recorder: Recorder, machine: Machine, outcome: Outcome) -> None:
        """The point behind a hop: find it among the known ones, or make it."""
        if is_short():  # the program has changed the limit
            recorder.leave(machine)
            return
        if self._is_overdrawn():
            if self.starts_over(recorder, machine):
                return
            if self.recordings == 1 or self.ledger.refuse():
                self.give_up(OVERDRAWN, machine)
            recorder.leave(machine)
            return
        hop = recorder.end
        behind = Behind(recorder, recorder.live, outcome)
        key = behind.note_outcome(hop, machine.frames[-1].stack)
        imager = recorder.imager(behind.slot)
        image = imager.image(tuple(machine.frames))
        switch = switches()
        pattern = key_of(image, behind.live, switch)
        point = self.points.get(pattern)
        is_new = point is None
        if point is None:
            if self.starts_over(recorder, machine):
                return
            if self._is_full:
                self.give_up(TOO_MANY, machine)
                recorder.leave(machine)
                return
            point = self.points[pattern] = Point(image, switch)
        name = Same(key, tuple(behind.same)) if behind.same else key
        hop.edges[name] = (point, behind.places)
        if outcome.error is not None:
            hop.note_callers(name, outcome)
        if point is recorder.point and not behind.same:
            self._close(next(each for each in point.variants if each.end is hop), point, key)
        if holds_identity(key):
            hop.hold(name, [value for _, value in leaves_of(outcome) if known.is_constant(value)])
        self._arrive(recorder, machine, point, behind.live, imager)
        recorder.came = hop, name
        if is_new:
            self._widen(recorder, machine, image)
        elif len(point.variants) == 1:
            lead_past(hop, name, point.variants[0])

    def _widen(self, recorder: Recorder, machine: Machine, image: Image) -> None:
        """Where a moment comes again and again with other numbers in its variables, take them as numbers that vary."""
        before = self.widening.widen(image, machine.frames)
        if before and self.jump(recorder, machine, True) is None:
            for table, name, value in before:
                table[name] = value

    def jump(self, recorder: Recorder, machine: Machine, may_be_new: bool) -> bool | None:
        """End the piece at the point of the present moment, and go on from there.

        Returns:
            whether the point is a new one; None, and nothing has been done, if it would be and must not, or if there is
            no image of it. False as well, and no more is recorded, where a tape would have to be put down.
        """
        if recorder.is_unkept:
            return None
        try:
            return self._join(recorder, machine, may_be_new)
        except NoImage:
            return None
        except Escaped as escaped:
            recorder.stop_keeping(machine, recorder.note_escape(escaped))
            return False

    def join(self, recorder: Recorder, machine: Machine) -> None:
        """End the piece at the point of the present moment, whatever it is, and go on from there."""
        if self._join(recorder, machine, True) is None:
            self.give_up(TOO_MANY, machine)
            recorder.leave(machine)

    def _join(self, recorder: Recorder, machine: Machine, may_be_new: bool) -> bool | None:
        with recorder.with_numbers():
            live = Live(recorder)
            written = recorder.written(live)
            imager = live.imager()
            image = imager.image(tuple(machine.frames))
            switch = switches()
            after = Live(recorder)  # what stands in slots behind the jump; the writes may need more
            for value, origin in zip(live.values, live.origins):
                after.add(value, origin)
            if written is not None:
                written.finish(recorder)
        key = key_of(image, after, switch)
        point = self.points.get(key)
        is_new = point is None
        if point is None:
            if not may_be_new or self._is_full:
                return None
            point = self.points[key] = Point(image, switch)
        self.end_with_jump(recorder, live, Jump(point, len(after.values), machine.place), written)
        recorder.settle_moved(after.values)
        if point is recorder.point:
            self._close(point.variants[-1], point, None)
        if recorder.came is not None and len(recorder.point.variants) == 1:
            hop, name = recorder.came
            lead_past(hop, name, recorder.point.variants[0])
        self._arrive(recorder, machine, point, after, imager)
        return is_new

    def keep_again(self, recorder: Recorder, machine: Machine) -> None:
        """Go on from a point of the present moment, behind something of which nothing is kept."""
        live = Live(recorder)
        imager = live.imager()
        image = imager.image(tuple(machine.frames))
        switch = switches()
        key = key_of(image, live, switch)
        point = self.points.get(key)
        if point is None:
            point = self.points[key] = Point(image, switch)
        self._arrive(recorder, machine, point, live, imager)

    def _arrive(self, recorder: Recorder, machine: Machine, point: Point, after: Live, imager: Imager) -> None:
        """Go on from a point, with what stands in its slots.

        Args:
            imager: what has made the image of it: nothing else is the program's own from here on.
        """
        recorder.came = None
        if point.variants:  # from here on it may have been seen before
            recorder.rejoin = point, [v.value if type(v) is Number else v for v in after.values]
            machine.frames.clear()
            return
        recorder.begin({})
        recorder.keep_own({*map(id, imager.made)})
        recorder.point = point
        for i, value in enumerate(after.values):
            origin = recorder.origin("slot", i)
            if type(value) is Number:
                value.origin = origin
                recorder.guard("type", origin, type(value.value))
            else:
                recorder.take(value, origin)
        recorder.keep(after)


def _applying(name: str) -> types.FunctionType:
    """A function that calls its first argument, an object of its own."""
    return types.FunctionType(polyfills.call.__code__, polyfills.call.__globals__, name)


def _is_called_plainly(frame: Any) -> bool:
    """Whether a frame is that of a call in the program, of a function that ends before the program goes on."""
    code = frame.code
    return not (code.is_internal or code.is_generator or frame.cell_call or frame.deliver != "value")
