"""The recorder: a world in which the program is run once, really, and written down as it goes.

What happens is what Python does: operators compute, effects are done, exceptions fly. Beside that the recorder keeps

    calls     of operators, in their order: the part that later calls do natively
    guards    what was read from outside, and how it was: what must be so again for the operators to be right
    hops      what only the interpreter can do: it ends a piece, and is done again in each later call

A value is *known* (it follows from constants and guarded reads), a tensor (its type is known, its data is not), a number
that varies, or *opaque*. Whatever is done with known values and tensors alone needs no trace but operators. Whatever looks
at data, changes something outside, or calls what is not known, is a hop; its outcome decides how the program goes on.

The first run is thus right by being the program itself. Later runs are right because they do the same: pieces whose
guards hold, and hops with the outcomes that were seen; anything new is recorded from there on.
"""

from __future__ import annotations

import types
import weakref
from collections.abc import Callable
from typing import Any

from anfora.graph.facts import known
from anfora.graph.facts.classes import defines
from anfora.graph.facts.kinds import is_a
from anfora.graph.facts.known import SIMPLE
from anfora.graph.facts.origins import Number, Origin, value_of_number
from anfora.graph.lower.ranges import ROLLED_FROM, Counter
from anfora.graph.machine import operations
from anfora.graph.machine.frames import Frame
from anfora.graph.machine.generators import Generator
from anfora.graph.machine.machine import Machine
from anfora.graph.machine.outline import Outlined
from anfora.graph.machine.world import ABSENT, Plain
from anfora.graph.polyfill.polyfills import (
    call,
    items_,
)
from anfora.graph.polyfill.special import truth_of
from anfora.graph.polyfill.traced import Traced
from anfora.graph.record.calls import Calls
from anfora.graph.record.doing import Doing
from anfora.graph.record.rolling import Rolling
from anfora.graph.source.sources import code_of
from anfora.graph.state.moments import LOOP

__all__ = ["Recorder"]


class _Ended:
    """A recorder that has ended, for numbers of its that somebody has kept: they are just numbers; and for frames in
    tracebacks, whose variables are asked for."""

    def variables(self, frame: Frame) -> dict[str, Any]:
        return {name: value_of_number(value) for name, value in Plain().variables(frame).items()}

    def force(self, number: Number) -> Any:
        return number.value

    def decide(self, origin: Origin, value: Any) -> Any:
        return value

    def follow(self, operation: Callable, operands: list[Any]) -> Origin:
        return Origin("number", operation, tuple(operands))

    def note_numpy(self) -> None:
        """Nobody asks any more."""


class Recorder(Doing):
    """Records one run: does what the program does, and writes it down.

    Args:
        keeper: takes finished pieces and states, see `graph/run/keeper.py`.
    """

    is_before_run = False  #: whether it follows a program that is not run, see abstract.py

    def __init__(self, keeper: Any) -> None:
        super().__init__(keeper)
        self.rolling = Rolling(self)
        self.calls = Calls(self)

    def note_numpy(self) -> None:
        """Told when numpy is given a number that says where it comes from."""
        self.numeric.note_numpy()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        """The recording has ended: it holds nothing, and generators of the program are Python's."""
        for reference in self.generators:
            generator = reference()
            if generator is not None and generator.world is self:
                self.released((generator,))
                generator.world = Plain()
        self.__dict__.clear()
        self.__class__ = _Ended  # type: ignore[assignment]

    def note_constants(self, constants: dict[int, Any]) -> None:
        self.keeper.constants.update(constants)

    def note_generator(self, generator: Generator) -> None:
        self.generators.append(weakref.ref(generator))

    def outside(self) -> Plain:
        self.abandoned = True  # Python goes on with a generator in the middle of something: see `_traced`
        return Plain()

    # -- the world of the machine -------------------------------------------------------------------------------------

    def enter(self, machine: Machine, function: Any, args: tuple, kwargs: dict, deliver: str = "value") -> None:
        if id(function) in self.origins and function.__closure__:
            closure = self.origin("attr", "__closure__", self.origins[id(function)][1])
            for i, cell in enumerate(function.__closure__):
                self.origins.setdefault(id(cell), (cell, self.origin("item", i, closure)))
        if id(function) not in self.local_functions and not code_of(function).is_internal:
            self.read_function(function)
        machine.enter(function, args, kwargs, deliver)
        frame: Frame | None = machine.frames[-1]
        if machine.frames[-1].stack and type(machine.frames[-1].stack[-1]) is Generator:
            generator = machine.frames[-1].stack[-1]
            frame = generator.frame if generator.frame is not None and not generator.frame.pc else None
        if frame is not None:
            self.held((*args, *kwargs.values()))  # by `*args`, `**kwargs` and variables of inner functions
            for name in frame.code.cells:
                cell = frame.cells[name]
                self.local_cells[id(cell)] = cell

    def read_function(self, function: types.FunctionType) -> None:
        """What a call reads from a function that is from outside: its code, and defaults."""
        base = self.origin_of_value(function)
        self.guard("is", self.origin("attr", "__code__", base), function.__code__)
        if base.kind != "known":
            self.guard("is", self.origin("attr", "__globals__", base), function.__globals__)
        defaults = self.origin("attr", "__defaults__", base)
        if function.__defaults__ is None or base.kind == "known":
            self.guard("is", defaults, function.__defaults__)
        else:
            self.guard("length", defaults, len(function.__defaults__))
        for i, value in enumerate(function.__defaults__ or ()):
            if type(value) not in SIMPLE or base.kind != "known":
                self.force(self.register(value, self.origin("item", i, defaults)))
        if function.__kwdefaults__:
            defaults = self.origin("attr", "__kwdefaults__", base)
            self.guard("keys", defaults, tuple(function.__kwdefaults__))
            for name, value in function.__kwdefaults__.items():
                self.force(self.register(value, self.origin("item", name, defaults)))

    # loops

    def iterate(self, machine: Machine, value: Any) -> Any:
        if type(value) is Counter:
            return value
        if type(value) is range:
            counter = self.rolling.counter(machine, value)
            if counter is not None:
                return counter
        if (
            type(value) is list
            and self.is_outside(value)
            and id(value) not in self.looked
            and any(type(item) is float for item in value[:ROLLED_FROM])
        ):
            return self._walking(items_, value)
        return super().iterate(machine, value)

    def next(self, machine: Machine, iterator: Any) -> Any:
        if type(iterator) is Counter:
            return self.rolling.next(machine, iterator)
        if type(iterator) in _RANGE_ITERATORS and id(iterator) not in self.origins:
            return next(iterator)
        return self.do(machine, next, (iterator,))

    def outlines(self, machine: Machine, frame: Frame, loop: Any, items: Any = ABSENT) -> bool:
        return self.outlining.outlines(machine, frame, loop, items)

    def do_outlined(self, machine: Machine, frame: Frame, operation: Outlined, given: list) -> tuple:
        return self.do_between(machine, operation, tuple(given), {}, LOOP)

    def note_steps(self, machine: Machine) -> None:
        """Give the function back to Python where what is recorded costs too much, whatever it is."""
        self.outlining.note_steps(machine)

    # exceptions and truth

    def raise_(self, machine: Machine, error: Any, *cause: Any) -> None:
        if self.is_outside(error) and is_a(error, BaseException):  # it is changed: its context, cause, traceback
            self.interpret(machine, operations.raise_, (error, *cause), {}, "raising an exception from outside")
        super().raise_(machine, error, *cause)

    def reraise(self, machine: Machine, error: BaseException) -> None:
        if self.is_outside(error) and machine.is_left_for_a_handler():  # lines of callers come into its traceback
            self.interpret(machine, operations.reraise, (error,), {}, "going on with an exception from outside")
        super().reraise(machine, error)

    def truth(self, machine: Machine, value: Any) -> bool:
        kind = type(value)
        if kind is bool:
            return value
        if kind is Number:
            return self.decide(Origin("number", bool, (value.origin,)), bool(value.value))
        if known.has_methods(value):
            if self.given is not None:
                return self.redo()
            call = None if self.opaque(value) else truth_of(self, value)
            if not defines(kind, "__bool__") and not defines(kind, "__len__"):
                return True
            if call is not None:
                raise call
            return self.interpret(machine, bool, (value,), {}, f"the truth of a {kind.__name__}")
        return self.do(machine, bool, (value,))

    # calls

    def call(self, machine: Machine, function: Any, args: tuple, kwargs: dict) -> None:
        self.calls.call(machine, function, args, kwargs)

    def call_recursive(self, machine: Machine, function: Any, args: tuple, kwargs: dict) -> None:
        """A call that is not gone into, since calls inside of it would have no end. One of the very function that is
        compiled ends the run of the machine: the keeper starts it from the entry, and goes on here with its result."""
        reason = f"a call of {function.__name__}, which calls itself"
        is_own = function.program.function is self.keeper.function and machine.handled() is None
        if not is_own or self.given is not None:
            machine.push(self.interpret(machine, function, args, kwargs, reason))
            return
        state = self.state(machine, function, args, kwargs)
        if state is None:  # no more is recorded
            if self.is_unkept:
                args, kwargs = self.released((args, kwargs))
            with self.unwatched():
                machine.push(machine.natively(function, args, kwargs))
            return
        self.keeper.end_with_hop(self, machine, state, reason)
        self.own_call = list(self.released(tuple(state.live.values), is_leaving=True))
        machine.frames.clear()

    def call_back(self, function: Callable, args: tuple, kwargs: dict | None = None) -> Any:
        """Call a function of the program, which the library wants called in the middle of a walk back: another machine goes
        into it."""
        below, self.machine = self.machine, Machine(self, self.machine)
        try:
            named = {name: _as_number(value) for name, value in (kwargs or {}).items()}
            self.enter(self.machine, call, (function, *map(_as_number, args)), named)
            return self.known(self.machine.run())
        finally:
            self.machine = below


def _as_number(value: Any) -> Any:
    """A number that the tape has kept, as the machine has it."""
    return value.number if type(value) is Traced else value


_RANGE_ITERATORS = (type(iter(range(0))), type(iter(range(1 << 70))))
