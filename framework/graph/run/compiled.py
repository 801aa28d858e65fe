"""Compiled functions: the pieces that were recorded, and how a call goes through them.

    Compiled   what `jit` gives: a function whose calls find the program of their arguments
    Program    the points (points.py) of one function, or of all inner functions that have one code

A call walks from point to point. Where no variant fits, the machine takes over from the point's pattern, records what
happens, and adds it.
"""

from __future__ import annotations

import functools
import sys
import types
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from anfora.api import GradientFunction
from anfora.core import slots
from anfora.core.cell import Cell
from anfora.core.tensor import Tensor
from anfora.eager import batched, updating
from anfora.eager.tape import transforms
from anfora.graph.facts import known
from anfora.graph.facts.arrays import is_array
from anfora.graph.facts.collected import KINDS
from anfora.graph.facts.known import SIMPLE
from anfora.graph.facts.operator_classes import is_operator
from anfora.graph.facts.origins import Number, Origin, places_read, value_of
from anfora.graph.lower.ranges import MOST_ALTERNATING_HEADS, MOST_ROWS, Jump, places_in, site_of, sites_in
from anfora.graph.machine import signals
from anfora.graph.machine.generators import Generator
from anfora.graph.machine.machine import Machine
from anfora.graph.machine.places import left_to_python, note_looking, shows_frames
from anfora.graph.machine.running import running
from anfora.graph.machine.signals import delivered, held
from anfora.graph.machine.switches import Switches, switches
from anfora.graph.machine.walks import Walk
from anfora.graph.machine.world import Plain
from anfora.graph.polyfill import polyfills
from anfora.graph.polyfill.gradients import leave_behind, outermost
from anfora.graph.record import updates
from anfora.graph.record.notebook import UNKNOWN
from anfora.graph.record.recorder import Recorder
from anfora.graph.record.writes import Written
from anfora.graph.run import control
from anfora.graph.run.crowds import Crowd
from anfora.graph.run.ledger import LOSS, Ledger
from anfora.graph.run.pieces import FAILED, RESTS
from anfora.graph.run.points import Hop, Onward, Place, Point, Return, Same, Variant, arrive
from anfora.graph.run.widening import Widening
from anfora.graph.source.code import Unsupported
from anfora.graph.source.tracebacks import BRINGS_BACK, freed
from anfora.graph.state.images import Image, Imager, NoImage, build, signature
from anfora.graph.state.moments import (
    OVERDRAWN,
    VARYING,
    Escaped,
    Live,
    Outcome,
    State,
    holds_identity,
    is_taken_apart,
    leaves_of,
)

__all__ = ["TOO_MANY", "Compiled", "Program"]

_MOST_POINTS, _MOST_FOR_A_WAY = 250, 20  #: and for each that is compiled because it has come so often
_MOST_VARIANTS = 12  #: of a point, before each has to come often
#: Calls of which Python has done a part that had not come often. That takes ten times as long as a call that is its from
#: the start, which is what each one is from then on.
_MOST_RARE = 1000
_MOST_ENTRIES = 256
_MOST_FAILURES = 3
#: Guards that say of which type something is.
_TELLING = ("type", "number", "is", "equal")
TOO_MANY = "it has gone on in too many ways"
#: Calls of a function, one inside of the other, that make it a recursive one: where the truth of a tensor was asked for in
#: all of them, and where the program goes on in too many ways.
_DEEP, _DEEP_ENOUGH = 12, 4


class _Result(NamedTuple):
    """What a program has returned that has gone on in another way than from piece to piece."""

    value: Any


def _onward(result: Any) -> Onward | _Result:
    """What comes of a recording: see `Program._finish`."""
    return result if type(result) is Onward else _Result(result)


@functools.cache
def _special_functions() -> dict[Any, Callable]:
    """Functions that the recorder calls in a way of its own; the same for all programs."""
    return {**polyfills.table(), updating.take_step: updates.take_step}


class Program:
    """The pieces of one function, for calls of one form.

    Args:
        function: a Python function.
    """

    options: dict | None = None  #: with which a Cell was compiled
    may_wait = True  #: whether calls may be Python's until they have paid for what they would lower
    is_traced = False  #: whether `note_piece` wants to be told, and every outcome is gone after in the long way
    #: Whether each call brings the function, and with it the cells of its free variables, as its first argument: it is
    #: made by the program, and another object each time.
    brings_function = False

    def __init__(self, function: types.FunctionType) -> None:
        self.function = function
        self.special = _special_functions()
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
        self.called: dict[types.CodeType, Program] = {}  #: compiled functions that were gone into
        self.inner: set[types.CodeType] = set()  #: of functions that it makes itself
        self.recursive: dict[types.CodeType, dict[Any, Compiled]] = {}  #: see `compiled_by_itself`

    def __reduce__(self) -> tuple:
        return type(None), ()  # a copy of what holds it is compiled anew

    # -- a call -------------------------------------------------------------------------------------------------------

    @signals.holds
    def call(self, args: tuple, kwargs: dict) -> Any:
        switch = switches()
        before = running.depth
        running.depth = before + 1
        try:
            is_waiting = self.ledger.owed and not self.recorders and self._waits()
            if self.is_outdated and not is_waiting:
                self.is_outdated = False
                self.forget()
            # What has no hops always pays, and is not counted.
            if self.ledger.hops and self.ledger.does_not_pay() and self.native is None and self.is_patient():
                self.native = LOSS
            # All examples of a `vmap` at once are not compiled.
            if is_waiting or self.native is not None or batched.state.depth:
                return _plainly(self.function, args, kwargs)
            self.ledger.since += 1
            point, values = self._entry(args, kwargs, switch), [*args]
            if kwargs:
                values += kwargs.values()
            point.visits += 1  # as behind each piece, where the switches need no look
            if point.visits >= point.due:
                self._make_engine(point, values)
            return self._run(point, values)
        except BaseException as error:
            leave_behind()
            error.__traceback__ = freed(error.__traceback__)
            if BRINGS_BACK:
                raise error
            raise
        finally:
            running.depth = before
            switch.turn()
            if held:  # as behind any call; no signal is looked for from here on
                signals.deliver()

    def _entry(self, args: tuple, kwargs: dict, switch: Switches) -> Point:
        """Where calls of this form start."""
        cell = id(args[0]) if args and issubclass(type(args[0]), Cell) else 0
        key = (len(args), (*kwargs,) if kwargs else (), switch, transforms.depth > 0, cell)
        point = self.entries.get(key)
        if point is None:
            if len(self.entries) >= _MOST_ENTRIES:
                self.entries.clear()
            point = self.entries[key] = Point(("entry",), switch, (len(args), tuple(kwargs)))
        return point

    def _run(self, point: Point, values: Any, behind: tuple[Any, list] | None = None, calls: list | None = None) -> Any:
        """Go from point to point, as long as what comes has been seen before.

        Args:
            behind: start behind this piece, with what is alive there.
            calls: the calls of the function by itself that are waited for, once there are any; grows.
        """
        live: Any
        # Where the program goes on, or what it has returned, where that takes more than to run pieces.
        found: Any = None
        is_new = False  # whether it goes a way that has come often, and is being compiled
        while True:
            while True:
                stands: Switches | None = None  # how the switches stand behind the piece, if that is known
                if behind:
                    variant, live = behind
                    behind = None
                else:
                    if behind is not None:  # engines have been asked
                        behind = None
                    else:
                        if held and (found := self._interrupt(point, values)) is not None:
                            break
                        if point.engines and (found := self._run_natively(point, values, calls)) is not None:
                            break
                    for variant in point.variants if point.crowd is None else point.crowd.ways(values):
                        try:
                            live = variant.runner.run(values)
                        except variant.caught:
                            live = FAILED
                        if live is not None:
                            break
                    else:
                        live = None
                        was_new, is_new = is_new, is_new | (point.crowd is not None)
                        found = self._go_new_way(point, values, was_new)
                        break
                    if live is FAILED or live is RESTS:  # outside of the handler, so that the error is nobody's context
                        return self._leave(live, variant, point, values)
                    self.ledger.earned += variant.cost
                    if variant.is_quiet:
                        stands = point.switch
                    elif variant.written is not None:
                        variant.written.do(live)
                    if self.is_traced:
                        self.note_piece(point, variant)
                values = None  # what the program has dropped is dropped
                end = variant.end
                kind = type(end)
                if kind is Return:
                    if end.slot is not None:
                        return live[end.slot]
                    return build(end.image, live, is_leaving=True)
                if kind is Jump:
                    point, values = end.point, live
                    if point.switch is not stands:
                        point.switch.turn()
                else:
                    found = self._do_hop(point, variant, live, calls, stands)
                    if type(found) is not tuple:
                        break
                    point, values = found
                    found = None
                point.visits += 1
                if point.visits >= point.due:
                    self._make_engine(point, values)
            live = None
            if type(found) is _Result:
                return found.value
            point, values, behind = found
            found = None

    def _do_hop(self, point: Point, variant: Variant, live: list[Any], calls: list | None, stands: Any) -> Any:
        """Do what comes between a piece and the next one.

        Args:
            stands: how the switches stand behind the piece, if that is known.
        Returns:
            the point behind, and what stands in its slots; an `Onward` or a `_Result` where that had to be recorded, and
            where this was the first call of the function by itself.
        """
        hop: Any = variant.end
        if hop.is_own_call and self.native is None:
            if calls is None:
                start = [point, None, (variant, [*live])]
                live.clear()
                return _Result(self._run_calls([], start))
            point, values = self._call(hop, live, calls)
        else:
            outcome: Outcome | None = None
            edge = None
            # the short way of a branch, and of numbers from tensors
            if hop.read is not None and not self.is_traced:
                tensor = live[hop.read[0]]
                if tensor.__class__ is Tensor and tensor._layout.size == 1:
                    try:
                        number = hop.read[1](tensor)
                    except Exception:
                        pass  # it is raised at its place in the program
                    else:
                        if number.__class__ is bool:
                            key: Any = (bool, number)
                            edge = hop.edges.get(key)
                        else:
                            outcome = Outcome(number)
                            key, edge = hop.edge(live, outcome)
            if edge is None:
                if hop.switch is not stands:
                    hop.switch.turn()
                outcome = self._interpret(hop, live)
                stands = None
                key, edge = hop.edge(live, outcome)
                if edge is None:
                    return _onward(self._redo(hop, live, outcome))
                if outcome.error is not None:
                    hop.show_callers(key, outcome.error)
            if edge[0] is point and not variant.is_decided:
                self._close(variant, point, key)
            if outcome is None:  # a branch has no result: nothing but what was alive comes through it
                point, values = edge[0], list(map(live.__getitem__, edge[1]))
            else:
                point, values = arrive(edge, live, outcome)
        if point.switch is not stands:
            point.switch.turn()
        return point, values

    def _go_new_way(self, point: Point, values: list[Any], is_new: bool) -> Any:
        """Go on from a point in a way that is none of the known ones: an `Onward` or a `_Result`.

        Args:
            is_new: whether what came before in this call is being compiled since it has come often.
        """
        if point.crowd is not None and not self._is_to_be_compiled(point, values, is_new):
            return _Result(self._run_in_python(point, values))
        return _onward(self._record(point, values))

    def _leave(self, why: Any, variant: Variant, point: Point, values: list[Any]) -> Any:
        """A piece has not been run to its end: go on without it, in this call."""
        leave = self._go_on_in_python if why is FAILED else self._leave_at_rest
        return leave(variant, point, values)

    def _go_on_in_python(self, _: Variant, point: Point, values: list[Any]) -> Any:
        """An operator has failed, in a piece that does nothing else than to compute, and the program catches the error: let
        Python do what comes from the start of the piece on, for this call. Where that is often so, such operators are left
        to the interpreter, so that what follows the error is compiled too."""
        self.failures += 1
        if self.failures == _MOST_FAILURES:
            self.leaves_tries = True
            self.forget()
        return self._run_in_python(point, values)

    def _leave_at_rest(self, variant: Variant, point: Point, values: list[Any]) -> Any:
        """Let Python do a call of which the piece gains nothing; but where somebody wants to see that it is run, run it."""
        if self.is_traced:
            variant.runner.wake()
            return self._run(point, values)
        self.ledger.earned += self.ledger.last
        if self.ledger.gains_nothing():
            self.native = LOSS
        return self._run_in_python(point, values)

    def _run_in_python(self, point: Point, values: list[Any]) -> Any:
        """Let Python do the rest of this call, from a point on."""
        point.switch.turn()
        if point.frames[0] == "entry":
            return _plainly(self.function, *point.arguments(values))
        return self._left_at(point, values)

    def _left_at(self, point: Point, values: list[Any], error: BaseException | None = None) -> Any:
        """What the program returns that goes on from a point in Python's world, where an exception is raised if one is
        given."""
        recorder = self.recorder()
        machine = Machine(recorder)
        self._resume(recorder, machine, point.frames, values)
        recorder.leave(machine)
        with _Freed(machine), recorder:
            if error is not None:
                machine.throw(error)
            return _released(machine.run())

    def _interrupt(self, point: Point, values: list[Any]) -> _Result | None:
        """Call the handlers of signals that wait. Where one raises an exception the program gets it where it stands, and
        what that comes to is given."""
        error = delivered() if point.may_stop else None
        if error is None:
            return None
        if point.frames[0] == "entry":
            raise error
        point.switch.turn()
        return _Result(self._left_at(point, values, error))

    # -- calls of the function by itself ------------------------------------------------------------------------------

    def _run_calls(self, calls: list, start: list) -> Any:
        """Go on with calls of the function by itself, until the outermost has returned. They wait in a list: the stack of
        the thread does not grow.

        Args:
            calls: those that are waited for.
            start: point, values and piece, as for `_run`; emptied, so that the caller holds nothing.
        """
        base = running.pending
        outcome: Outcome | None = None  # of the last call that is waited for
        try:
            while True:
                running.pending = base + len(calls)
                try:
                    if outcome is None:
                        outcome = Outcome(self._run(*_taken(start), calls))
                    if not calls:
                        return outcome.value
                    hop, live = calls.pop()
                    running.pending = base + len(calls)
                    hop.switch.turn()
                    key, edge = hop.edge(live, outcome)
                    if edge is None:
                        result = self._redo(hop, live, outcome)
                        if type(result) is Onward:
                            start += result
                            outcome = None
                        else:
                            outcome = Outcome(result)
                        result = None
                    else:
                        if outcome.error is not None:
                            hop.show_callers(key, outcome.error)
                        start += (*arrive(edge, live, outcome), None)
                        outcome = None
                    live = []
                except BaseException as error:
                    while calls and not calls[-1][0].catches:
                        calls.pop()
                    if not calls:
                        raise
                    leave_behind(base + len(calls))
                    outcome = Outcome(error=error)
        finally:
            running.pending = base

    def _call(self, hop: Hop, live: list[Any], calls: list) -> tuple[Point, list[Any]]:
        """Start a call of the function by itself."""
        made: list[Any] = []
        _, args, kwargs, _ = _released(build(hop.call, live, made), made)
        for slot, number in hop.built.items():
            live[slot] = made[number]
        calls.append((hop, live))
        running.pending += 1
        if running.pending >= sys.getrecursionlimit():
            raise RecursionError("maximum recursion depth exceeded")
        point = self._entry(args, kwargs, hop.switch)
        hop.callee = None if transforms.depth else point
        return point, [*args, *kwargs.values()]

    def start_over(self) -> None:
        """Forget what is known, and do not go into calls of this function from now on."""
        self.is_recursive = True
        self.forget()

    def forget(self) -> None:
        self.entries, self.points, self.native = {}, {}, None
        self.ledger.start_anew()

    # -- natively -----------------------------------------------------------------------------------------------------

    def _make_engine(self, point: Point, values: list[Any]) -> None:
        """Python comes by a point so often that an engine is worth its price."""
        point.due *= 2
        if not self.is_traced and not transforms.depth:
            engine = control.engine(point, values)
            if engine is not None:
                point.engines = [*(other for other in point.engines if other.head is not engine.head), engine]
                return
        self._leave_to_python(point)

    def _close(self, variant: Variant, point: Point, key: Any) -> None:
        """A piece leads back to its own point: let it go round natively, unless another one comes next most often."""
        if self.alternating and site_of(point.frames) in self.alternating:
            variant.is_decided = True
        else:
            variant.close(point, key)
            self.closed.append(variant)

    def _leave_to_python(self, point: Point) -> None:
        """No engine is worth its price here: a loop that starts here is better unrolled, if its pieces end only since
        conditions on the counter change often, and if that does not take seconds. One on plain values is Python's."""
        self._note_long_loops(point)
        site = site_of(point.frames) if self.alternating and not self.is_traced else None
        if site in self.alternating and not any(isinstance(variant.end, Hop) for variant in point.variants):
            rows = max(len(variant.piece.rows) for variant in point.variants)
            if self.alternating[site] * rows <= MOST_ROWS:
                self._unroll({site})

    def _note_long_loops(self, point: Point) -> None:
        """The program often comes by a point: if it stands in a loop, this goes on for long."""
        for code, at in places_in(point.frames):
            sites = {(code.python, head) for head, loop in code.loops.items() if head <= at < loop.landing}
            ends = [variant.end for variant in point.variants]
            if not sites <= self.long_loops and any(isinstance(end, Hop) and not end.is_native for end in ends):
                self.long_loops |= sites
                self.is_outdated = True

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

    def _run_natively(self, point: Point, values: list[Any], calls: list | None) -> Any:
        """Let an engine of a point run, if one can: where it has come to, as an `Onward` that is not tried again; a
        `_Result` where calls of the function by itself have begun there."""
        if self.is_traced or transforms.depth:
            return None
        for engine in point.engines:
            if not engine.is_worth_it:
                point.engines = [other for other in point.engines if other is not engine]
                self._leave_to_python(point)
                continue
            before = engine.steps
            moment = engine.run(values, sys.getrecursionlimit() - 1 - running.pending)
            if moment is None:
                continue
            self.ledger.note_steps(engine.steps - before)
            pending, at, now, behind = moment
            if pending and calls is None:
                start = [at, now, behind]
                moment = now = behind = None
                values.clear()
                return _Result(self._run_calls(pending, start))
            if pending:
                calls += pending  # type: ignore[operator]
                running.pending += len(pending)
            return at, now, behind or ()
        return None

    def note_piece(self, point: Point, variant: Variant) -> None:
        """Told, where `is_traced`, of each piece that has been run."""

    def _interpret(self, hop: Hop, live: list[Any]) -> Outcome:
        """Do what a hop does."""
        if hop.is_outlined or not hop.is_native:
            self.ledger.hops += 1
        if hop.make is not None:
            operation, args, kwargs, handled = hop.make(live)
        else:
            made: list[Any] = []
            operation, args, kwargs, handled = _released(build(hop.call, live, made), made)
            for slot, number in hop.built.items():
                live[slot] = made[number]
        try:
            return Outcome(hop.natively(live, operation, args, kwargs, handled))
        except BaseException as error:
            return Outcome(error=error)

    # -- recording ----------------------------------------------------------------------------------------------------

    def _note_varying(self, point: Point, values: list[Any]) -> None:
        """Numbers from outside whose value was known, and has changed since the last recording, are taken as such that vary
        from now on. Guards are gone through as a call does, so that nothing is read from what may be of another type."""
        for variant in point.variants[-2:]:
            for kind, origin, payload in variant.piece.guards:
                if kind not in _TELLING:
                    continue
                try:
                    now = value_of(origin, values)
                except Exception:
                    break
                wanted = type(payload) if kind == "equal" else payload
                if now is not payload if kind == "is" else type(now) is not wanted:
                    break
                if kind == "equal" and wanted in (int, float) and now != payload:
                    self.varying.update(each.path for each in (origin, *(places_read(origin) or ())))

    def _record(self, point: Point, values: list[Any]) -> Any:
        """Record from a point on. The machine has what is alive then, so the list is emptied: what the program drops must
        not be held here."""
        is_entry = point.frames[0] == "entry"
        self.ledger.is_of_new_form = False
        if self._is_overdrawn() or (is_entry and self._is_short(values)):
            self.note_rare()
            if is_entry:
                self.ledger.note_left()
            elif self.ledger.refuse():
                self.native = OVERDRAWN
            return self._run_in_python(point, values)
        self.ledger.forgive()
        self._note_varying(point, values)
        if len(point.variants) >= _MOST_VARIANTS or self._is_full:
            if self._unroll(sites_in(point.frames)):
                point = Point(point.frames, point.switch, point.form)
            elif not self._is_crowded(point):
                self.native = TOO_MANY
        if point.variants:
            self.note_anew(point, values)
        signals.watch()
        recorder = self.recorder()
        machine = Machine(recorder)
        recorder.point = point
        recorder.way = point.crowd.answers(values) if point.crowd is not None else None
        self.recordings += 1
        try:
            if point.frames[0] == "entry":
                given = [self._given(recorder, value, i) for i, value in enumerate(values)]
                self._enter(recorder, machine, *point.arguments(given))
            else:
                self._resume(recorder, machine, point.frames, values)
        except Unsupported as refusal:
            self.native = str(refusal)
            note_looking([self.function.__code__])  # nothing of it has been seen
        if not machine.frames:  # outside of the handler, so that the refusal is nobody's context
            return _plainly(self.function, *point.arguments(values))
        values.clear()
        with _Freed(machine), recorder:
            return self._finish(recorder, machine)

    def _is_short(self, values: list[Any]) -> bool:
        """Whether calls have not paid yet for one more way on from their start."""
        form = tuple(map(_form_of, values))
        is_new = form not in self.forms
        if self._may_be_left() and self.ledger.is_short(is_new):
            return True
        if len(self.forms) < _MOST_ENTRIES:
            self.forms.add(form)
        return False

    def _waits(self) -> bool:
        """Whether a call is Python's until calls have paid for what has been recorded."""
        if self.native is not None and not self.is_outdated:
            return True
        loops = sum(variant.cost * variant.runner.rounds for variant in self.closed)
        return self._may_be_left() and self.ledger.waits(loops)

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

    def _is_crowded(self, point: Point) -> bool:
        """Whether a point may have many ways on."""
        if point.crowd is None and len(point.variants) >= _MOST_VARIANTS:
            crowd = Crowd(point.variants)
            point.crowd = crowd if crowd.is_possible else None
        return point.crowd is not None and not self._is_full

    def _is_to_be_compiled(self, point: Point, values: list[Any], is_new: bool) -> bool:
        """Whether to compile one more way from a point that has many; or to refuse it, where Python must do nothing.

        Args:
            is_new: this call has been compiled up to here.
        """
        assert point.crowd is not None
        is_patient = self.is_patient()
        if not self._is_full and point.crowd.is_worth_it(point.crowd.answers(values), is_patient and not is_new):
            self.ways += 1
            return True
        if is_patient:
            self.note_rare()
            if point.frames[0] == "entry":
                self.ledger.note_left()
            else:
                self.rare += 1
        if not is_patient or self.rare >= _MOST_RARE:
            self.native = TOO_MANY
        return not is_patient

    def is_patient(self) -> bool:
        """Whether Python may do what has not come often."""
        return True

    def note_rare(self) -> None:
        """Told of calls that Python runs since they have not come often."""

    def note_anew(self, point: Point, values: list[Any]) -> None:
        """Told of a point from which the program goes on in a new way, before that is recorded."""

    def _given(self, recorder: Recorder, value: Any, slot: int) -> Any:
        """An argument of a call as the machine sees it."""
        if self.brings_function and not slot:
            recorder.take(value, recorder.origin("slot", slot))
            return value
        return recorder.register(value, recorder.origin("slot", slot))

    def _enter(self, recorder: Recorder, machine: Machine, args: tuple, kwargs: dict) -> None:
        """Put the machine where a call starts."""
        function, args = (args[0], args[1:]) if self.brings_function else (self.function, args)
        recorder.enter(machine, function, args, kwargs)

    def _redo(self, hop: Hop, values: list[Any], outcome: Outcome) -> Any:
        """Record from a hop on whose outcome is new: its instruction is done over, with this outcome. That and
        what is alive is taken over: see `_record`."""
        recorder = self.recorder()
        machine = Machine(recorder)
        self.recordings += 1
        self.ledger.is_of_new_form = False
        recorder.end = hop
        if self._is_full:
            self.native = TOO_MANY
        recorder.live = self._resume(recorder, machine, hop.frames, values)
        recorder.given = outcome.taken()
        values.clear()
        operation = hop.call[1][0]
        recorder.given_operation = operation[1] if operation[0] == "is" else UNKNOWN
        with _Freed(machine), recorder:
            return self._finish(recorder, machine)

    def _resume(self, recorder: Recorder, machine: Machine, frames: Image, values: list[Any]) -> Live:
        """Put the machine into a state."""
        recorder.begin({})
        live = Live(recorder)
        inside: list[Any] = []
        numbers = _numbers(frames)
        recorder.holds = bool(numbers)
        for i, value in enumerate(values):
            origin = recorder.origin("slot", i)
            if i in numbers:
                inside.append(Number(origin, value))
                live.add(inside[-1], origin)
                recorder.guard("type", origin, type(value))
            else:
                inside.append(value)
                live.add(value, origin)
                recorder.take(value, origin)
        made: list[Any] = []
        machine.frames[:] = build(frames, inside, made)
        for frame in machine.frames:
            frame.turns = self.turns.setdefault(frame.code.python, {})
        for value in made:
            kind = type(value)
            if kind is types.CellType:
                recorder.local_cells[id(value)] = value
            elif kind is types.FunctionType or kind is GradientFunction:
                recorder.local_functions[id(value)] = value
            elif kind is Generator:
                value.live_in(recorder)
            elif is_array(value) or kind in KINDS or is_operator(value):
                recorder.own[id(value)] = value
        return live

    def completed(self, result: Any) -> Any:
        """What the program returns, after it has gone on to its end."""
        while type(result) is Onward:
            result = self._run(*result)
        return result

    def _finish(self, recorder: Recorder, machine: Machine) -> Any:
        """Run the machine to the end, and write down the return. Gives what that returns, or an `Onward`."""
        recorder.rejoin = recorder.own_call = None
        recorder.machine = machine
        self.recorders += 1
        try:
            with recorder.watching():
                result = machine.run()
        finally:
            self.recorders -= 1
            recorder.collect_again()
        if recorder.rejoin is not None:
            return Onward(*recorder.rejoin)
        if recorder.own_call is not None:
            [variant] = [variant for variant in recorder.point.variants if variant.end is recorder.end]
            return self._run_calls([], [recorder.point, None, (variant, recorder.own_call)])
        if machine.world is recorder:
            if recorder.is_unkept:
                return recorder.released(result, is_leaving=True)
            try:
                with recorder.with_numbers():
                    live = Live(recorder)
                    written = recorder.written(live)
                    image = live.imager().image(result)
                    if written is not None:
                        written.finish(recorder)
            except Escaped as escaped:
                recorder.refuse_to_divide(machine, recorder.note_escape(escaped))
            except NoImage as trouble:
                self.give_up(f"it returns {trouble}", machine)
            else:
                self._keep(recorder, live, Return(image), written)
            result = recorder.released(result, is_leaving=True)
        return _released(result)

    def recorder(self) -> Recorder:
        """What records a run of it."""
        return Recorder(self)

    # -- what the recorder asks for -----------------------------------------------------------------------------------

    def varies(self, origin: Origin) -> bool:
        """Whether a number from outside is taken as one that varies: an int, or a float that numpy is given."""
        return origin.path in self.varying

    def divide(self, calls: Sequence[tuple]) -> None:
        """These calls, of gradient functions say, cannot be within one piece: see `divided`."""
        self.divided.update(calls)

    def compiled_inside(self, call: tuple) -> Compiled:
        """Calls functions for the interpreter, in a call that is its; they are compiled by themselves."""
        found = self.inside.get(call)
        if found is None:
            found = self.inside.setdefault(call, Compiled(polyfills.call))  # type: ignore[arg-type]
        return found

    def give_up(self, reason: str, machine: Machine) -> None:
        """From now on Python runs the function as it is; or, of what stands in a gradient, this gradient alone."""
        site = outermost(machine)
        if site is None:
            self.native = reason
        else:
            self.undivided[site] = reason
            self.forget()

    def end_with_hop(self, recorder: Recorder, machine: Machine, state: State, reason: str) -> None:
        hop = Hop(state, reason)
        hop.is_own_call = self._is_own_call(hop.call)
        hop.is_call = hop.is_own_call or self.is_twin(hop.call[1][0][1])
        self._keep(recorder, state.live, hop, state.written)
        recorder.end, recorder.live = hop, state.live

    def _keep(self, recorder: Recorder, live: Live, end: Hop | Return | Jump, written: Written | None) -> None:
        """A piece has ended: later calls may go the same way."""
        recorder.guard_sharing()
        variant = Variant(recorder.piece, live, end, written)
        recorder.point.variants.append(variant)
        steps = 0 if recorder.machine is None else recorder.machine.steps
        count = max(0, steps - recorder.counted)
        effort = self.ledger.effort(count, recorder.looks, recorder.imaged)
        variant.cost = self.ledger.cost_of(variant.piece, variant.runner.wanted, count, effort)
        recorder.counted = steps
        recorder.looks = recorder.imaged = 0
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
            gained = sum(each.cost for each in recorder.since_entry)
            if isinstance(variant.end, Return) and self.is_patient() and not self.ledger.gains(gained):
                recorder.since_entry[0].runner.rest()

    def _is_own_call(self, call: Image) -> bool:
        match call:
            case ("tuple", (("is", operation), _, _, ("is", None))):
                return self.is_itself(operation)
        return False

    def is_itself(self, operation: Any) -> bool:
        """Whether it is the function that is compiled here."""
        return isinstance(operation, Compiled) and operation.program.function is self.function

    def starts_over(self, recorder: Recorder, machine: Machine) -> bool:
        """Whether calls of a function are gone into one inside of the other without an end in sight. This is the last time
        then, and no more of it is kept."""
        if self._notes_recursion(machine):
            recorder.stop_keeping(machine, for_good=True)
            return True
        return False

    def _notes_recursion(self, machine: Machine) -> bool:
        most = _DEEP if len(self.points) < _MOST_POINTS and not self._is_overdrawn() else _DEEP_ENOUGH
        if len(machine.frames) >= most:
            counts = Counter(frame.code.python for frame in machine.frames)
            for code, program in self.called.items():
                if counts[code] >= most and not program.is_recursive:
                    program.start_over()
                    self.forget()
                    self.ledger.spent = 0
                    return True
            for frame in machine.frames:
                code = frame.code.python
                is_known = code in self.called or code in self.recursive
                if counts[code] >= most and not is_known and _is_called_plainly(frame):
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
            compiled = found[name] = Compiled(function if is_outside else _applying(function.__code__.co_name))
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

    def twin(self, function: types.FunctionType) -> Program:
        """A program of the same kind for another function."""
        return Program(function)

    def go_on(self, recorder: Recorder, machine: Machine, outcome: Outcome) -> None:
        """The point behind a hop: find it among the known ones, or make it."""
        if self._is_overdrawn():
            if self.starts_over(recorder, machine):
                return
            if self.recordings == 1 or self.ledger.refuse():
                self.give_up(OVERDRAWN, machine)
            recorder.leave(machine)
            return
        hop = recorder.end
        behind = _Behind(recorder, recorder.live, outcome)
        key = behind.note_outcome(hop, machine.frames[-1].stack)
        image = Imager(behind.slot, recorder.is_fixed, recorder.own).image(tuple(machine.frames))
        switch = switches()
        pattern = _key_of(image, behind.live, switch)
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
            hop.kept += [value for _, value in leaves_of(outcome) if known.is_constant(value)]
        self._arrive(recorder, machine, point, behind.live)
        recorder.came = hop, name
        if is_new:
            self._widen(recorder, machine, image)
        elif len(point.variants) == 1:
            _lead_past(hop, name, point.variants[0])

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

    def is_refusing(self) -> bool:
        """Whether the run that is being recorded is to be refused where only the interpreter can do something."""
        return False

    def note_indivisible(self, machine: Machine, place: tuple, reason: str) -> None:
        """Told of calls in which a piece would have to end, and which the interpreter does from now on."""

    def note_unkept(self, machine: Machine, operation: Any, args: tuple, reason: str) -> None:
        """Told of each hop of which nothing is kept, in a program that refuses some."""

    def keep_again(self, recorder: Recorder, machine: Machine) -> None:
        """Go on from a point of the present moment, behind something of which nothing is kept."""
        live = Live(recorder)
        image = live.imager().image(tuple(machine.frames))
        switch = switches()
        key = _key_of(image, live, switch)
        point = self.points.get(key)
        if point is None:
            point = self.points[key] = Point(image, switch)
        self._arrive(recorder, machine, point, live)

    def join(self, recorder: Recorder, machine: Machine) -> None:
        """End the piece at the point of the present moment, whatever it is, and go on from there."""
        if self._join(recorder, machine, True) is None:
            self.give_up(TOO_MANY, machine)
            recorder.leave(machine)

    def _join(self, recorder: Recorder, machine: Machine, may_be_new: bool) -> bool | None:
        with recorder.with_numbers():
            live = Live(recorder)
            written = recorder.written(live)
            image = live.imager().image(tuple(machine.frames))
            switch = switches()
            after = Live(recorder)  # what stands in slots behind the jump; the writes may need more
            for value, origin in zip(live.values, live.origins):
                after.add(value, origin)
            if written is not None:
                written.finish(recorder)
        key = _key_of(image, after, switch)
        point = self.points.get(key)
        is_new = point is None
        if point is None:
            if not may_be_new or self._is_full:
                return None
            point = self.points[key] = Point(image, switch)
        self.end_with_jump(recorder, live, Jump(point, len(after.values), machine.place), written)
        if point is recorder.point:
            self._close(point.variants[-1], point, None)
        if recorder.came is not None and len(recorder.point.variants) == 1:
            hop, name = recorder.came
            _lead_past(hop, name, recorder.point.variants[0])
        self._arrive(recorder, machine, point, after)
        return is_new

    def end_with_jump(self, recorder: Recorder, live: Live, jump: Jump, written: Written | None) -> None:
        self._keep(recorder, live, jump, written)

    def puts_writes_off(self) -> bool:
        """Whether changes of what is outside may be done at the ends of pieces."""
        return True

    def _arrive(self, recorder: Recorder, machine: Machine, point: Point, after: Live) -> None:
        """Go on from a point, with what stands in its slots."""
        recorder.came = None
        if point.variants:  # from here on it may have been seen before
            recorder.rejoin = point, [v.value if type(v) is Number else v for v in after.values]
            machine.frames.clear()
            return
        recorder.begin({})
        recorder.point = point
        for i, value in enumerate(after.values):
            origin = recorder.origin("slot", i)
            if type(value) is Number:
                value.origin = origin
                recorder.guard("type", origin, type(value.value))
            else:
                recorder.local_cells.pop(id(value), None)
                recorder.local_functions.pop(id(value), None)
                recorder.take(value, origin)
        recorder.keep(after)


@signals.leaves
def _plainly(function: Callable, args: tuple, kwargs: dict) -> Any:
    """Let Python do a call from its start."""
    if shows_frames(function.__code__):  # type: ignore[attr-defined]
        return left_to_python(function, args, kwargs)
    return function(*args, **kwargs)


def _form_of(value: Any) -> Any:
    """What can be told of an argument at once."""
    kind = type(value)
    if kind in SIMPLE:
        return kind, hash(value)
    return kind, value._layout if kind is Tensor else None


def _lead_past(hop: Hop, name: Any, variant: Variant) -> None:
    """Let an outcome of a hop lead to behind the piece that comes next, if that hands on what is alive, and no more."""
    end, origins, piece = variant.end, variant.runner.origins, variant.piece
    if (
        isinstance(end, Jump)
        and not (piece.rows or piece.draws or piece.writes or piece.numbers or piece.is_making or piece.leaves)
        and all(origin.kind == "slot" for origin in origins)
        and all(_is_asked_again(kind, origin) for kind, origin, _ in piece.guards)
    ):
        _, places = hop.edges[name]
        hop.edges[name] = end.point, [places[origin.key] for origin in origins[: end.count]]


def _is_asked_again(kind: str, origin: Origin) -> bool:
    """Whether a guard says what stands in a slot, whatever is done with it: each piece that takes it asks that."""
    if origin.kind == "number":
        return origin.key is known.overrides
    return origin.kind == "slot" and kind in ("type", "layout", "history")


class _Behind:
    """What is alive behind a hop, and from where it comes: a slot of what was alive before, or a path in the outcome.

    Attributes:
        live: what is alive.
        places: of each of it the place where it comes from.
        same: pairs of places where one object stands, in this call.
    """

    def __init__(self, recorder: Recorder, before: Live, outcome: Outcome) -> None:
        self._recorder, self._outcome = recorder, outcome
        self.live = Live(recorder)
        self.places: list[Place] = []
        self.same: list[tuple[Place, Place]] = []
        self._found: dict[int, list[Place]] = {}  #: where an object stands: two places may hold one
        for path, value in leaves_of(outcome):
            self._found.setdefault(id(value), []).append(path)
        for number, value in enumerate(before.values):
            self._found.setdefault(id(value), []).append(number)

    def note_outcome(self, hop: Hop, stack: list[Any]) -> Any:
        """The key of the outcome. Numbers in what stands on the stack of it are ones that vary from here on."""
        outcome = self._outcome
        hop.note(outcome)
        value = outcome.value
        is_there = outcome.error is None and not hop.is_step and bool(stack) and stack[-1] is value
        hop.items_vary = hop.items_vary or (is_there and type(value) is tuple)
        key = hop.key_of(outcome)
        kinds = VARYING if hop.is_outlined else (float,)
        if is_there and (type(value) is tuple or key in kinds or key in hop.varying):
            numbers: list[tuple[Number, tuple]] = []
            stack[-1] = _with_numbers(value, (), numbers, kinds)
            self._found.update((id(number), [path]) for number, path in numbers)
            self._recorder.holds = self._recorder.holds or bool(numbers)
        return key

    def slot(self, value: Any) -> int | None:
        """The slot of a value, a new one if it needs one; None if it comes from neither."""
        known = self.live.index.get(id(value))
        if known is not None:
            return known
        found = self._found.get(id(value))
        if found is None:
            return None
        place, *others = found
        self.same.extend((place, other) for other in others)
        self.places.append(place)
        return self.live.add(value, Origin("slot", len(self.live.values)))


def _applying(name: str) -> types.FunctionType:
    """A function that calls its first argument, an object of its own."""
    return types.FunctionType(polyfills.call.__code__, polyfills.call.__globals__, name)


def _is_called_plainly(frame: Any) -> bool:
    """Whether a frame is that of a call in the program, of a function that ends before the program goes on."""
    code = frame.code
    return not (code.is_internal or code.is_generator or frame.cell or frame.deliver != "value")


def _key_of(image: Image, live: Live, switch: Switches) -> tuple:
    """What moments have in common that are one point."""
    return signature(image), tuple(type(value) for value in live.values), switch


def _numbers(image: Any) -> set[int]:
    """The slots of an image that are numbers which vary."""
    if type(image) is tuple:
        if len(image) == 2 and image[0] == "number":
            return {image[1]}
        found: set[int] = set()
        for part in image:
            if type(part) is tuple:
                found |= _numbers(part)
        return found
    return set()


def _with_numbers(value: Any, path: tuple, numbers: list[tuple[Number, tuple]], kinds: tuple[type, ...]) -> Any:
    """What a hop gave, with numbers that vary in the places of numbers (not of how a loop has ended), which are noted, each
    with the path to it."""
    if type(value) is tuple:
        if not is_taken_apart(value, len(path)):
            return value
        items = [
            _with_numbers(x, (*path, i), numbers, kinds)
            if type(x) is tuple or (type(x) in kinds and (i or path or type(x) is not str))
            else x
            for i, x in enumerate(value)
        ]
        return value if all(new is old for new, old in zip(items, value)) else tuple(items)
    numbers.append((Number(Origin("result", path), value), path))
    return numbers[-1][0]


def _taken(items: list) -> tuple[Any, Any, Any]:
    """What a list of three holds, which is empty from now on."""
    first, second, third = items
    items.clear()
    return first, second, third


def _released(value: Any, made: list[Any] | None = None) -> Any:
    """A result for the program outside: generators among it go on in Python's world."""
    if type(value) in (Generator, Walk):
        return value.python(for_good=True)
    for item in made or ():
        if type(item) is Generator:
            item.world = Plain()
    return value


class _Freed:
    """At its end a machine holds nothing: it and its world hold each other, and would wait for the garbage collector."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self.machine.__dict__.clear()


def _of_function(name: str) -> property:
    """An attribute that a compiled function shares with the function that it was made of."""

    def get(self: Any) -> Any:
        return getattr(self.__wrapped__, name)

    def set_(self: Any, value: Any) -> None:
        setattr(self.__wrapped__, name, value)

    return property(get, set_)


class Compiled:
    """A function that is compiled when it is called.

    Args:
        function: what it does: a Python function.
    """

    _is_compiled = True
    # By these `inspect` and the like know what a function takes and is; who sets them changes what is called.
    __code__, __defaults__, __kwdefaults__ = map(_of_function, ("__code__", "__defaults__", "__kwdefaults__"))
    __closure__, __globals__ = map(_of_function, ("__closure__", "__globals__"))

    def __init__(self, function: types.FunctionType, options: dict | None = None) -> None:
        functools.update_wrapper(self, function)
        self.options = options or {}
        self.program = Program(function)

    @property
    def __call__(self) -> Callable:
        """What Python calls: where the call is its own, the function itself, so that no frame of ours is in between."""
        if running.depth and (
            running.is_plain or self.program.native is not None or slots.watcher.recorder is not None
        ):
            return self.__wrapped__  # type: ignore[attr-defined]
        return self._compiled

    def _compiled(self, *args: Any, **kwargs: Any) -> Any:
        return self.program.call(args, kwargs)

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        return self if owner is None else types.MethodType(self, owner)

    def __repr__(self) -> str:
        return f"<compiled {self.__wrapped__!r}>"  # type: ignore[attr-defined]

    def __reduce__(self) -> Any:
        return _again, (self.__wrapped__, self.options)  # type: ignore[attr-defined]

    def __deepcopy__(self, memo: dict) -> Compiled:
        return self


def _again(function: Any, options: dict) -> Compiled:
    return function if isinstance(function, Compiled) else Compiled(function, options)
