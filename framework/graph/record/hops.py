"""What ends a piece: hops, which the interpreter does between two pieces, and runs of which no more is kept."""

from __future__ import annotations

import copy
import sys
import types
import weakref
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from anfora.core import slots
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor, current
from anfora.graph.facts import known
from anfora.graph.facts.drops import is_finished, is_noticed
from anfora.graph.facts.kinds import is_a
from anfora.graph.facts.known import SIMPLE, is_ours
from anfora.graph.facts.origins import Origin, plain_dict, plain_tuple, value_of_number
from anfora.graph.machine.generators import Generator, for_python, is_left
from anfora.graph.machine.machine import Machine
from anfora.graph.machine.world import Plain
from anfora.graph.record.operators import Operators
from anfora.graph.record.unwrapping import Unwrapping
from anfora.graph.source.code import Unsupported
from anfora.graph.source.sources import code_of
from anfora.graph.state.images import NoImage, build
from anfora.graph.state.moments import CALL, Escaped, Outcome, State, leaves_of

__all__ = ["Hops"]

Moved = dict[int, tuple[Any, Any]]  #: by identity, what stood somewhere, and what stands there now


class _Left(Plain):
    """Python's world, from the instruction on in which recording has ended: no numbers that vary are left behind it.

    Args:
        unwrapping: makes what puts their values in their places, given what has been put there.
        running: by identity, the generators that run: they stay the machine's until they wait again.
    """

    pending = True

    def __init__(self, unwrapping: Callable[[Moved], Unwrapping], running: Moved, moved: Moved) -> None:
        self._unwrapping, self._running = unwrapping, running
        #: What stands in other places, for all that looks there until the next instruction: an iterator made twice would
        #: be two, of which the one does not know what the other has taken.
        self._moved = moved

    def release(self, machine: Machine) -> None:
        unwrapped = self._unwrapping(self._moved)
        for frame in machine.frames:
            unwrapped(frame)
        unwrapped(machine.saved)
        self._moved.update(unwrapped.moved())
        for value in unwrapped.changed.values():
            if type(value) is Generator:
                value.world = Plain()

    def settle(self, machine: Machine) -> None:
        self.release(machine)
        machine.world = _Waiting(self._running) if self._running else _Behind()

    def handed(self, operation: Callable, args: tuple, names: dict) -> tuple[Callable, tuple, dict]:
        unwrapped = self._unwrapping(self._moved)
        call = unwrapped((operation, args, names))
        self._moved.update(unwrapped.moved())
        return call


class _Behind(Plain):
    """Python's world behind a recording. A function that may drop what it is given, so that somebody notices, is gone into:
    who calls one by Python has a tuple of its arguments, and with it all of them until it returns."""

    def call(self, machine: Machine, function: Any, args: tuple, kwargs: dict) -> None:
        called, given = function, args
        if isinstance(function, types.MethodType):
            called, given = function.__func__, (function.__self__, *args)
        is_entered = type(called) is types.FunctionType and any(map(is_noticed, (*given, *kwargs.values())))
        if is_entered and _hands_over(machine) and known.enters(called) and _is_followed(called):
            machine.enter(called, given, kwargs)
        else:
            super().call(machine, function, args, kwargs)


def _hands_over(machine: Machine) -> bool:
    """Whether Python, too, holds no argument of a call while it runs: before 3.11 the caller does, before 3.12 that of
    `f(*args)`."""
    frame = machine.frames[-1]
    return sys.version_info >= (3, 12 if frame.code.opcodes[frame.pc - 1] == "CALL_SPREAD" else 11)


def _is_followed(function: types.FunctionType) -> bool:
    try:
        return not code_of(function).is_generator
    except Unsupported:
        return False


class _Waiting(_Behind):
    """The same as long as generators run that are still the machine's. One that waits at a `yield` becomes Python's, in all
    places where it stands. What is the program's nobody knows by then, so all is gone through that it can reach."""

    def __init__(self, running: Moved) -> None:
        self._running = running

    @property
    def pending(self) -> bool:  # type: ignore[override]
        return any(not generator.is_running for generator, _ in self._running.values())

    def settle(self, machine: Machine) -> None:
        for key, (generator, _) in list(self._running.items()):
            if not generator.is_running:
                del self._running[key]
        left = _Left(
            lambda moved: Unwrapping(_holds_none, value_of_number, dict(self._running), is_leaving=True, moved=moved),
            self._running,
            {},
        )
        for each in machine.chain():
            left.settle(each)


def _holds_none(value: Any) -> bool:
    """Whether nothing that a program has made can be in an object."""
    return known.is_constant(value) and type(value) is not types.FunctionType


class Hops(Operators):
    """Ends pieces, and stops to write down what happens."""

    def interpret(self, machine: Machine, operation: Callable, args: tuple, kwargs: dict, reason: str) -> Any:
        """Leave something to the interpreter: the piece ends here."""
        return self.do_between(machine, operation, args, kwargs, reason)

    def do_between(self, machine: Machine, operation: Callable, args: tuple, kwargs: dict, reason: str) -> Any:
        """Do something between two pieces: what the interpreter does, or a step of a gradient in pieces."""
        if self.given is not None:
            return self.redo()
        state = self.state(machine, operation, args, kwargs)
        if state is not None:
            operation, args, kwargs = self._given(machine, state, operation, args, kwargs)
        elif self.is_unkept:
            operation, args, kwargs = self.released((operation, args, kwargs))
        for value in state.built if state is not None else ():
            if type(value) is Generator:
                value.world = Plain()
        watches = 0 if state is None else _watches(state)
        if state is not None:
            if self.holds:
                self.released(tuple(state.built))
            self.keeper.end_with_hop(self, machine, state, reason)
            self.let_go(state)
        with self.unwatched():
            try:
                outcome = Outcome(machine.natively(operation, for_python(args), kwargs))
            except BaseException as error:
                outcome = Outcome(error=error)
        if state is not None and type(outcome.value) is tuple and not self.end.is_step:
            outcome.note_held()
        is_taken = sys.getrefcount(outcome.value) <= _HELD_ONCE and is_finished(outcome.value)
        if state is not None and (_watches(state) > watches or is_taken):  # it would live longer here
            self.keeper.give_up("somebody sees when an object is dropped, and only Python knows when", machine)
            self.leave(machine)
            state = None
        try:
            if state is not None:
                return self._begin_behind(outcome)
            return self._hopped(machine, None, reason, outcome, operation, args)
        finally:  # a frame of the program that lives on, in a traceback, knows that this one has called it
            outcome = state = args = kwargs = value = None  # type: ignore[assignment]

    def let_go(self, state: State) -> None:
        """A piece is written down: of what it was written from nothing is held that the program itself has dropped."""
        live, lines = state.live.index, self.lines
        self.keep_own(state.made | live.keys())
        dynamic = {key: kind for key, kind in self.dynamic.items() if key in live}
        self.begin({key: found for key, found in self.origins.items() if key in live})
        self.lines, self.dynamic = lines, dynamic
        self.kept = state.live

    def keep_own(self, made: AbstractSet[int]) -> None:
        """Of what the program has made, only so much is its own from now on: all else is gone, or stands outside.

        Args:
            made: their identities.
        """
        for table in (self.local_cells, self.local_functions, self.own):
            for key in table.keys() - made:
                del table[key]

    def _given(
        self, machine: Machine, state: State, operation: Callable, args: tuple, kwargs: dict
    ) -> tuple[Callable, tuple, dict]:
        """What the interpreter is given for a call: the objects that it may keep are the program's, and hold numbers no
        longer; others are made for it, as in later calls."""
        if not self.holds and not any(map(is_left, state.built)):
            return operation, plain_tuple(args), plain_dict(kwargs)
        if state.is_kept:
            return self._handed_over(machine, state, (operation, args, kwargs))
        made: list[Any] = []
        operation, args, kwargs, _ = build(state.call, [value_of_number(value) for value in state.live.values], made)
        for value in made:
            if type(value) is Generator:
                value.world = Plain()
        return operation, args, kwargs

    def _handed_over(self, machine: Machine, state: State, call: tuple) -> tuple[Callable, tuple, dict]:
        """A call without numbers that vary, and with Python's iterators in the places of the machine's. Iterators are other
        ones now for the program as well."""
        call = self.shown_as_values(call, is_leaving=True)
        self.settle_moved(state.live.values, state.built)
        return call

    def state(self, machine: Machine, operation: Callable, args: tuple, kwargs: dict) -> State | None:
        """What is alive before the present instruction, which ends the piece, and what it does; None, and no more is
        recorded, if that cannot be written down."""
        state = self.snapshot(machine, operation, args, kwargs)
        if state is not None:
            self.settle_outside(state)
        return state

    def snapshot(self, machine: Machine, operation: Callable, args: tuple, kwargs: dict) -> State | None:
        """The same where the piece may still go on: if it ends, `settle_outside` comes next."""
        self.collect_again()
        if self.is_unkept:
            return None
        if self.pending and not self.ends_behind:  # a hop is settled between two instructions, so there is one in each
            self.keeper.give_up("the interpreter is needed twice in one instruction", machine)
            self.leave(machine)
            return None
        with self.with_numbers():
            state = self.put_down(machine, lambda: State(self, machine, operation, args, kwargs))
        if state is None:
            self.lent = []
        return state

    def settle_outside(self, state: State) -> None:
        """The piece ends: from now on the program has what the outside sees."""
        self.lent = []
        self.settle_moved(state.live.values, state.built)

    def _hopped(
        self, machine: Machine, state: State | None, reason: str, outcome: Outcome, operation: Any, args: tuple
    ) -> Any:
        if state is not None:
            if self.holds:
                self.released(tuple(state.built))
            self.keeper.end_with_hop(self, machine, state, reason)
            return self._begin_behind(outcome)
        self.hops += 1
        if self.is_unkept:
            self.keeper.note_unkept(machine, operation, args, reason)
            self._begin_unkept(outcome)
        if outcome.error is not None:
            raise outcome.error
        return outcome.value

    def end_behind(
        self, machine: Machine, operation: Callable, args: tuple, kwargs: dict, outcome: Outcome, reason: str = CALL
    ) -> Any:
        """End the piece with something that has been done, and begin another one behind it."""
        state = self.state(machine, operation, args, kwargs)
        return self._hopped(machine, state, reason, outcome, operation, args)

    def _begin_behind(self, outcome: Outcome) -> Any:
        """A piece has ended with a hop, which has given this: the program goes on behind it."""
        self.hops += 1
        if self.holds:
            outcome.value = self.released(outcome.value)
        self.hop = outcome
        self.pending = True
        if outcome.error is not None:
            raise outcome.error
        return outcome.value

    def redo(self) -> Any:
        """Give the present instruction the outcome that it had."""
        assert self.given is not None
        self.hop, self.given = self.given, None
        self.pending = True
        if self.hop.error is not None:
            if self.machine is not None:
                self.machine.note_raised(self.hop.error)
            raise self.hop.error
        return self.hop.value

    def leave_to_a_tape_outside(self, machine: Machine) -> None:
        """A tape outside follows a gradient: what it needs is the history that the interpreter leaves, call by call."""
        self.keeper.divide(self.region[:1])
        self.stop_keeping(machine)

    def stop_keeping(self, machine: Machine, calls: Sequence[tuple] = (), for_good: bool = False) -> None:
        """Nothing is kept of what comes, since it cannot be written down: the run goes on as Python's would. Where the
        program refuses what only the interpreter can do it is watched all the same, and kept again, unless this is for
        good, behind the calls that were to be one piece."""
        if not self.keeper.is_refusing():
            self.leave(machine)
            return
        self.refuse_to_divide(machine, calls)
        self.is_unkept, self.keeps_again = True, not for_good
        self._begin_unkept()

    def refuse_to_divide(self, machine: Machine, calls: Sequence[tuple]) -> None:
        """Let the keeper know of calls that cannot be one piece, if the interpreter does them from now on."""
        for name in calls:
            if name in self.indivisible:
                self.keeper.note_indivisible(machine, *self.indivisible[name])

    def _begin_unkept(self, outcome: Outcome | None = None) -> None:
        """Start a piece of which nothing is kept. Its tensors are ones from outside, and so is what a hop has given."""
        origins, lines, fresh, dynamic = self.origins, self.lines, self.fresh, self.dynamic
        self.settle_moved()
        for tensor, _ in self.memory.tensors.values():
            origins.setdefault(id(tensor), (tensor, _OF_UNKEPT))
        self.begin(origins)
        self.lines, self.fresh, self.dynamic = lines, fresh, dynamic
        for name, (value, origin) in list(origins.items()):
            if origin is _OF_UNKEPT and sys.getrefcount(value) <= _HELD_HERE:
                del origins[name]  # a long run would hold all that it has ever made
        for _, value in () if outcome is None else leaves_of(outcome):
            if type(value) not in SIMPLE:
                self.take(value, _OF_UNKEPT)
        self.pending = True  # `settle` finds out whether it can be kept again

    def _keep_again(self, machine: Machine) -> None:
        """Go on at a point, if the state can be written down by now."""
        if not self.keeps_again or machine.below is not None or self.whole(machine) is not None:
            return
        self.keeps_again = False
        try:
            self.keeper.keep_again(self, machine)
        except (Escaped, NoImage):
            return  # it is watched to the end
        self.is_unkept = self.pending = False

    def look_at_histories(self, machine: Machine, weights: Sequence[Parameter]) -> None:
        """A gradient was taken by weights. Tensors from outside may have been computed from these too, in another way each
        time, and what was saved for that may have been written to: only a real tape knows."""
        if not weights or not self.region:
            return
        taken = {id(each.origin) for each in self.piece.inputs.values()}
        for value, origin in list(self.origins.values()):
            if id(origin) not in taken or not is_a(value, Tensor):
                continue
            tensor = current(value)
            if not tensor.is_leaf:
                self.leave_to_a_tape_outside(machine)
                return
            if not is_a(tensor, Parameter):  # weights are leaves as long as the gradient is taken
                self.guard("leaf", origin, tensor._node is not None)

    def leave(self, machine: Machine) -> None:
        """Record no more: the run goes on as Python's would."""
        slots.watch(None)
        others = dict(self.moved)
        before = copy.copy(self)  # knows what was made by the program until all is put right, and holds it no longer
        found = [generator for reference in self.generators if (generator := reference()) is not None]
        running = {id(generator): (generator, generator) for generator in found if generator.is_running}
        for generator, _ in running.values():
            generator.world = Plain()

        def unwrapping(moved: Moved) -> Unwrapping:
            """Other iterators are Python's from now on, of the types that the program knows."""
            return Unwrapping(
                lambda value: id(value) in before.origins or before.is_fixed(value),
                value_of_number,
                dict(running),
                is_leaving=True,
                moved=moved,
            )

        for each in machine.chain():
            left = each.world = _Left(unwrapping, running, others)
            left.release(each)
        self.begin({})  # what it holds may be dropped
        self.local_cells, self.local_functions, self.own = {}, {}, {}
        self.is_unkept = False
        self.kept = self.end = self.live = self.point = self.came = None

    def interrupt(self, machine: Machine) -> None:
        self.leave(machine)  # another run would not come by here

    def settle(self, machine: Machine) -> None:
        if self.is_unkept:
            self._keep_again(machine)
            return
        if self.is_too_deep:
            self.is_too_deep = self.pending = False
            self.keeper.give_up("it follows a chain of objects further than can be written down", machine)
            self.leave(machine)
            return
        if self.hop is None:  # a write has dropped what somebody may notice: it is done before anything else is
            self.ends_behind = self.pending = False
            self.put_down(machine, lambda: self.keeper.join(self, machine))
            return
        outcome, self.hop, self.pending = self.hop, None, False
        try:
            self.keeper.go_on(self, machine, outcome)
        except NoImage as trouble:
            self.keeper.give_up(f"{trouble} is alive behind a part of the interpreter's", machine)
            self.leave(machine)


def _watches(state: State) -> int:
    """How many weak references there are to what is alive at a call, and to what was made for it. This library refers
    weakly to its own, and a class is known to its bases in that way: the garbage collector alone frees it."""
    return sum(
        weakref.getweakrefcount(value)
        for value in (*state.built, *state.live.values)
        if not is_a(value, type) and not is_ours(type(value))
    )


_OF_UNKEPT = Origin("slot", 0)  #: of what a piece of which nothing is kept has brought
_HELD_ONCE = 2  #: references to what nobody has but its outcome
_HELD_HERE = 4  #: references to a value that is held by the table of origins alone, while it is walked over
