"""How recordings of a program start and end, and what is not recorded since calls have not paid for it."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from anfora.api import GradientFunction
from anfora.core.tensor import Tensor
from anfora.eager import batched
from anfora.graph.facts.arrays import is_array
from anfora.graph.facts.collected import KINDS
from anfora.graph.facts.constructed import is_constructed
from anfora.graph.facts.known import SIMPLE
from anfora.graph.facts.operator_classes import is_operator
from anfora.graph.facts.origins import Number, places_read, value_of
from anfora.graph.lower.ranges import sites_in
from anfora.graph.machine import signals
from anfora.graph.machine.generators import Generator
from anfora.graph.machine.machine import Machine
from anfora.graph.machine.places import note_looking, shows_frames
from anfora.graph.machine.room import is_short
from anfora.graph.machine.switches import switches
from anfora.graph.record.notebook import UNKNOWN
from anfora.graph.record.recorder import Recorder
from anfora.graph.run.crowds import Crowd
from anfora.graph.run.keeper import TOO_MANY, Keeper
from anfora.graph.run.leaving import Freed, call_plainly, released
from anfora.graph.run.ledger import LOSS, MOST_AT_ONCE, RESTING, UNREAD
from anfora.graph.run.points import Hop, Onward, Point, Return
from anfora.graph.source.code import Unsupported
from anfora.graph.source.sources import length_to_read
from anfora.graph.state.images import Image, NoImage, build, slots_in
from anfora.graph.state.moments import OVERDRAWN, Escaped, Live, Outcome

__all__ = ["MOST_ENTRIES", "Recordings"]

_MOST_VARIANTS = 12  #: of a point, before each has to come often
#: Calls of which Python has done a part that had not come often. That takes ten times as long as a call that is its from
#: the start, which is what each one is from then on.
_MOST_RARE = 1000
MOST_ENTRIES = 256
#: Compiled calls inside of each other, as hops: each takes more of the stack than a call of Python's.
_MOST_INSIDE = 8
_FOR_GOOD = 1 << 30  #: calls that rest where nothing is to be compiled
#: Guards that say of which type something is.
_TELLING = ("type", "number", "is", "equal")


class Recordings(Keeper):
    """What is known of a program, and how more is found out."""

    # What the layer above does.
    _run_in_python: Callable[[Point, list[Any]], Any]  #: let Python do the rest of this call, from a point on
    _run_calls: Callable[
        [list, list], Any
    ]  #: go on with calls of the function by itself, until the outermost has returned

    # -- what is left to Python -----------------------------------------------------------------------------------------

    def is_pythons(self, depth: int) -> bool:
        """The question in front of each call: whether it is Python's as a whole.

        It is where it rests, where calls have not paid yet for what has been recorded, where nothing is to be compiled, and
        deep inside of other calls.

        Args:
            depth: how many compiled calls it stands in.
        """
        if self.native in (RESTING, UNREAD) and self.resting <= 0:  # it is time to look whether calls have another form
            self.compile_again()
        if self.resting > 0 and not (self.is_traced and self.native is None):
            self.resting -= 1  # of a Cell: the calls of a function that rests do not come here, see `Compiled`
            return True
        ledger = self.ledger
        waiting = self._waits() if ledger.owed or self.native is not None else 0
        if self.is_outdated and not waiting:
            self.is_outdated = False
            self.forget()
        # What has no hops always pays, and is not counted.
        if ledger.hops and ledger.does_not_pay() and self.native is None and self.is_patient():
            self.native = LOSS
        if depth >= _MOST_INSIDE and self.is_patient():
            return True
        # All examples of a `vmap` at once are not compiled.
        if not waiting and self.native is None and not batched.state.depth:
            return False
        if self._may_rest():
            self.resting = max(waiting - 1, 0) if self.native is None else _FOR_GOOD
        return True

    def _waits(self) -> int:
        """How many calls from this one on are Python's, until calls have paid for what has been recorded."""
        if self.native is not None and not self.is_outdated:
            return 1
        if not self.ledger.owed or self.recorders:
            return 0
        loops = sum(variant.cost * variant.runner.rounds for variant in self.closed)
        return self.ledger.waits(loops, MOST_AT_ONCE if self._may_rest() else 1) if self._may_be_left() else 0

    def _may_rest(self) -> bool:
        """Whether calls that are Python's need not come here: nobody wants to see graphs, or the frames of callers."""
        return self.may_wait and not shows_frames(self.function.__code__)

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
        if is_short():
            return self._run_in_python(point, values)
        if self._is_overdrawn() or (is_entry and self._is_short(values)):
            self.note_rare()
            if is_entry:
                self.ledger.note_left()
            elif self.ledger.refuse():
                self.native = OVERDRAWN
            return self._run_in_python(point, values)
        if is_entry and not self.recordings and self._is_too_long(values):
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
            return call_plainly(self.function, *point.arguments(values))
        values.clear()
        with Freed(machine), recorder:
            return self._finish(recorder, machine)

    def _is_too_long(self, values: list[Any]) -> bool:
        """Whether calls have not paid yet for reading the function."""
        length = length_to_read(self.function)
        if not length or not self._may_be_left():
            return False
        given = [value for value in values if type(value) is Tensor and value._array is not None]
        elements = max((tensor._layout.size for tensor in given), default=0)
        calls = self.ledger.waits_to_read(length, elements)
        if calls:
            self.native, self.resting = UNREAD, calls - 1
        return bool(calls)

    def _is_short(self, values: list[Any]) -> bool:
        """Whether calls have not paid yet for one more way on from their start."""
        form = tuple(map(_form_of, values))
        is_new = form not in self.forms
        if self._may_be_left() and self.ledger.is_short(is_new):
            return True
        if len(self.forms) < MOST_ENTRIES:
            self.forms.add(form)
        return False

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
        how, what = hop.call[1][0][:2]
        recorder.given_operation = what if how == "is" else values[what] if how == "slot" else UNKNOWN
        values.clear()
        with Freed(machine), recorder:
            return self._finish(recorder, machine)

    def _resume(self, recorder: Recorder, machine: Machine, frames: Image, values: list[Any]) -> Live:
        """Put the machine into a state."""
        recorder.begin({})
        live = Live(recorder)
        inside: list[Any] = []
        numbers = slots_in(frames, ("number",))
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
            elif is_array(value) or is_constructed(value) or kind in KINDS or is_operator(value):
                recorder.own[id(value)] = value
            else:
                recorder.adopt(value)
        return live

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
                    image = live.imager().image(result, is_leaving=True)
                    if written is not None:
                        written.finish(recorder)
            except Escaped as escaped:
                recorder.refuse_to_divide(machine, recorder.note_escape(escaped))
            except NoImage as trouble:
                self.give_up(f"it returns {trouble}", machine)
            else:
                self._keep(recorder, live, Return(image, switches()), written)
            result = recorder.released(result, is_leaving=True)
        return released(result)

    def recorder(self) -> Recorder:
        """What records a run of it."""
        return Recorder(self)


def _form_of(value: Any) -> Any:
    """What can be told of an argument at once."""
    kind = type(value)
    if kind in SIMPLE:
        return kind, hash(value)
    return kind, value._layout if kind is Tensor else None
