"""Compiled functions: the pieces that were recorded, and how a call goes through them.

    Compiled           what `jit` gives: a function whose calls find the program of their arguments
    RecordedProgram    one function, or all inner functions that have one code; what is known of it is kept in keeper.py

A call walks from point to point. Where no variant fits, the machine takes over from the point's pattern, records what
happens, and adds it.
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable
from sys import gettrace
from typing import Any, NamedTuple

from anfora.core import slots
from anfora.core.cell import Cell
from anfora.core.tensor import Tensor
from anfora.eager.tape import transforms
from anfora.graph.lower.ranges import MOST_CALLS, site_of
from anfora.graph.machine import signals
from anfora.graph.machine.machine import Machine
from anfora.graph.machine.running import running
from anfora.graph.machine.signals import delivered, held
from anfora.graph.machine.switches import Switches, switches
from anfora.graph.polyfill.gradients import leave_behind
from anfora.graph.run import control
from anfora.graph.run.leaving import Freed, call_plainly, released
from anfora.graph.run.ledger import LOOK_AGAIN, LOSS, RESTING, UNREAD
from anfora.graph.run.pieces import FAILED
from anfora.graph.run.points import Hop, Onward, Point, Return, Variant, arrive
from anfora.graph.run.recordings import MOST_ENTRIES, Recordings
from anfora.graph.source.tracebacks import BRINGS_BACK, freed
from anfora.graph.state.images import build
from anfora.graph.state.moments import (
    Outcome,
)

__all__ = ["Compiled", "RecordedProgram"]

_MOST_FAILURES = 3


class _Result(NamedTuple):
    """What a program has returned that has gone on in another way than from piece to piece."""

    value: Any


def _onward(result: Any) -> Onward | _Result:
    """What comes of a recording: see `RecordedProgram._finish`."""
    return result if type(result) is Onward else _Result(result)


class RecordedProgram(Recordings):
    """One function as calls run it: from point to point, as far as these are known, and recording from there on.

    Args:
        function: a Python function.
    """

    def compiled(self, function: types.FunctionType) -> Compiled:
        return Compiled(function)

    def twin(self, function: types.FunctionType) -> RecordedProgram:
        return RecordedProgram(function)

    # -- a call -------------------------------------------------------------------------------------------------------

    @signals.holds
    def call(self, args: tuple, kwargs: dict) -> Any:
        before = running.depth
        running.depth = before + 1
        try:
            if self.is_pythons(before):
                return call_plainly(self.function, args, kwargs)
            self.ledger.since += 1
            point, values = self._entry(args, kwargs, switches()), [*args]
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
            if held:  # as behind any call; no signal is looked for from here on
                signals.deliver()

    def _entry(self, args: tuple, kwargs: dict, switch: Switches) -> Point:
        """Where calls of this form start."""
        cell = id(args[0]) if args and issubclass(type(args[0]), Cell) else 0
        key = (len(args), (*kwargs,) if kwargs else (), switch, transforms.depth > 0, cell)
        point = self.entries.get(key)
        if point is None:
            if len(self.entries) >= MOST_ENTRIES:
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
                    if type(live) is not list:  # FAILED or RESTS; outside of the handler: the error is nobody's context
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
                if kind is Hop:
                    found = self._do_hop(point, variant, live, calls, stands)
                    if type(found) is not tuple:
                        break
                    point, values = found
                    found = None
                else:
                    if end.switch is not stands:
                        end.switch.turn()
                    if kind is Return:
                        return build(end.image, live, is_leaving=True) if end.slot is None else live[end.slot]
                    point, values = end.point, live
                point.visits += 1
                if point.visits >= point.due and self._make_engine(point, values):
                    found = _Result(self._leave_loop(point, values))
                    break
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
        if self.is_traced or not self.may_wait:
            variant.runner.wake()
            return self._run(point, values)
        self.ledger.earned += self.ledger.last
        if self.ledger.gains_nothing():
            self.native, self.resting = RESTING, LOOK_AGAIN
        return self._run_in_python(point, values)

    def _run_in_python(self, point: Point, values: list[Any]) -> Any:
        """Let Python do the rest of this call, from a point on."""
        point.switch.turn()
        if point.frames[0] == "entry":
            return call_plainly(self.function, *point.arguments(values))
        return self._left_at(point, values)

    def _left_at(self, point: Point, values: list[Any], error: BaseException | None = None) -> Any:
        """What the program returns that goes on from a point in Python's world, where an exception is raised if one is
        given."""
        recorder = self.recorder()
        machine = Machine(recorder)
        self._resume(recorder, machine, point.frames, values)
        recorder.leave(machine)
        with Freed(machine), recorder:
            if error is not None:
                machine.throw(error)
            return released(machine.run())

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
                    if type(outcome.value) is tuple:
                        outcome.note_held()
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
        _, args, kwargs, _ = released(build(hop.call, live, made, bool(hop.built)), made)
        for slot, number in hop.built.items():
            live[slot] = made[number]
        calls.append((hop, live))
        running.pending += 1
        if running.pending >= sys.getrecursionlimit():
            raise RecursionError("maximum recursion depth exceeded")
        point = self._entry(args, kwargs, hop.switch)
        hop.callee = None if transforms.depth else point
        return point, [*args, *kwargs.values()]

    def completed(self, result: Any) -> Any:
        """What the program returns, after it has gone on to its end."""
        while type(result) is Onward:
            result = self._run(*result)
        return result

    # -- natively -----------------------------------------------------------------------------------------------------

    def _make_engine(self, point: Point, values: list[Any]) -> bool:
        """Python comes by a point so often that an engine is worth its price.

        Returns:
            whether there is none, and what calls come by, this one too, gains less than its hops cost.
        """
        point.due *= 2
        if not self.is_traced and not transforms.depth:
            engine = control.engine(point, values)
            if engine is not None:
                point.engines = [*(other for other in point.engines if other.head is not engine.head), engine]
                return False
        self._leave_to_python(point)
        return self.ledger.loses_by_loops() and self.native is None and self.is_patient()

    def _leave_loop(self, point: Point, values: list[Any]) -> Any:
        """Let Python go on with a loop that goes round through the interpreter again and again, and do all later calls."""
        self.native = LOSS
        return self._run_in_python(point, values)

    def _leave_to_python(self, point: Point) -> None:
        """No engine is worth its price here: a loop that starts here is better unrolled, if its pieces end only since
        conditions on the counter change often, and if that does not take seconds. One on plain values is Python's."""
        self._note_long_loops(point)
        site = site_of(point.frames) if self.alternating and not self.is_traced else None
        if site in self.alternating and not any(isinstance(variant.end, Hop) for variant in point.variants):
            calls = max(len(variant.piece.calls) for variant in point.variants)
            if self.alternating[site] * calls <= MOST_CALLS:
                self._unroll({site})

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
            if pending:
                if calls is None:
                    start = [at, now, behind]
                    moment = now = behind = None
                    values.clear()
                    return _Result(self._run_calls(pending, start))
                calls += pending
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
            operation, args, kwargs, handled = released(build(hop.call, live, made, bool(hop.built)), made)
            for slot, number in hop.built.items():
                live[slot] = made[number]
        try:
            outcome = Outcome(hop.natively(live, operation, args, kwargs, handled))
            if type(outcome.value) is tuple and not hop.is_step:
                outcome.note_held()
            return outcome
        except BaseException as error:
            return Outcome(error=error)
        finally:
            # A frame of the program that lives on, in a traceback, knows that this one has called it.
            outcome = None  # type: ignore[assignment]


def _taken(items: list) -> tuple[Any, Any, Any]:
    """What a list of three holds, which is empty from now on."""
    first, second, third = items
    items.clear()
    return first, second, third


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
    __wrapped__: types.FunctionType
    # By these `inspect` and the like know what a function takes and is; who sets them changes what is called.
    __code__, __defaults__, __kwdefaults__ = map(_of_function, ("__code__", "__defaults__", "__kwdefaults__"))
    __closure__, __globals__ = map(_of_function, ("__closure__", "__globals__"))

    def __init__(self, function: types.FunctionType, options: dict | None = None) -> None:
        functools.update_wrapper(self, function)
        self.options = options or {}
        self.program = RecordedProgram(function)

    @property
    def __call__(self) -> Callable:
        """What Python calls: where the call is its own, the function itself, so that nothing of ours is in between. It is
        too where a debugger, or what counts lines, follows each line of the program."""
        program = self.program
        if program.resting > 0:
            program.resting -= 1
            return self.__wrapped__
        if gettrace() is not None:
            return self.__wrapped__
        is_left = program.native not in (None, RESTING, UNREAD)  # of which the last two have rested by now
        if running.depth and (running.is_plain or is_left or slots.watcher.recorder is not None):
            return self.__wrapped__
        return self._compiled

    def _compiled(self, *args: Any, **kwargs: Any) -> Any:
        return self.program.call(args, kwargs)

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        return self if owner is None else types.MethodType(self, owner)

    def __repr__(self) -> str:
        return f"<compiled {self.__wrapped__!r}>"

    def __reduce__(self) -> Any:
        return _again, (self.__wrapped__, self.options)

    def __deepcopy__(self, memo: dict) -> Compiled:
        return self


def _again(function: Any, options: dict) -> Compiled:
    return function if isinstance(function, Compiled) else Compiled(function, options)
