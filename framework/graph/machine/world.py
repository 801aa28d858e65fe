"""Worlds: who says what an instruction does. This is Python's; the recorder (`graph/record/recorder.py`) is another one."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

from anfora.graph.machine import operations
from anfora.graph.machine.frames import Frame, builtins_of
from anfora.graph.machine.generators import Generator, Original
from anfora.graph.machine.machine import Machine
from anfora.graph.machine.outline import Outlined, move, outlined

__all__ = ["ABSENT", "Plain"]

ABSENT = object()  #: in the place of what is not there


class Plain:
    """The world as Python has it: everything is done at once, and calls are left to Python."""

    pending = False  #: whether `settle` wants to be called between two instructions

    def settle(self, machine: Machine) -> None:
        """Called between two instructions when `pending`."""

    def note_steps(self, machine: Machine) -> None:
        """Told now and then, between two instructions, of a machine that has done many."""

    def pause(self, machine: Machine) -> None:
        """The instruction that comes starts a piece."""

    def interrupt(self, machine: Machine) -> None:
        """Told when the handler of a signal raises an exception between two instructions."""

    def enters(self, function: types.FunctionType) -> bool:
        """Whether calls of a function become frames."""
        return False

    def enter(self, machine: Machine, function: Any, args: tuple, kwargs: dict, deliver: str = "value") -> None:
        """Push the frame of a call."""
        machine.enter(function, args, kwargs, deliver)

    def do(self, machine: Machine, operation: Callable, args: tuple, kwargs: dict | None = None) -> Any:
        """Do something by Python, at the present instruction."""
        return machine.natively(operation, args, kwargs or {})

    def truth(self, machine: Machine, value: Any) -> bool:
        return machine.natively(bool, (value,), {})

    def load_global(self, machine: Machine, name: str) -> Any:
        function = machine.frames[-1].function
        value = function.__globals__.get(name, ABSENT)
        if value is ABSENT:
            value = builtins_of(function).get(name, ABSENT)
            if value is ABSENT:
                raise NameError(f"name '{name}' is not defined", name=name)
        return value

    def load_builtin(self, machine: Machine, name: str) -> Any:
        """What Python calls for a statement: a program may have put something else there."""
        value = builtins_of(machine.frames[-1].function).get(name, ABSENT)
        if value is ABSENT:
            raise (ImportError if name == "__import__" else NameError)(f"{name} not found")
        return value

    def has_global(self, machine: Machine, name: str) -> bool:
        """Whether the module has a variable, which can be deleted."""
        return name in machine.frames[-1].function.__globals__

    def load_cell(self, machine: Machine, cell: types.CellType, name: str) -> Any:
        try:
            return cell.cell_contents
        except ValueError:
            pass  # the error is raised outside, so that this one is not its context
        raise operations.unbound_outside(name) if name in machine.frames[-1].code.free else operations.unbound(name)

    def getattr(self, machine: Machine, value: Any, name: str) -> Any:
        return machine.natively(getattr, (value, name), {})

    def raise_(self, machine: Machine, error: Any, *cause: Any) -> None:
        """Raise an exception, from a cause if one is given."""
        machine.natively(operations.raise_, (error, *cause), {})

    def reraise(self, machine: Machine, error: BaseException) -> None:
        """Go on with an exception that has been raised before."""
        machine.note_raised(error)
        raise error

    def call(self, machine: Machine, function: Any, args: tuple, kwargs: dict) -> None:
        """Call something: push its result, or a frame."""
        machine.push(self.do(machine, Original.of(function), args, kwargs))

    def note_constants(self, constants: dict[int, Any]) -> None:
        """Told of the tuples in the code of each function that is called."""

    def note_generator(self, generator: Generator) -> None:
        """Told of generators that live in this world."""

    def outside(self) -> Plain:
        """The world for a generator that Python's own code goes on with."""
        return self

    def go_on(self, generator: Generator, value: Any, error: BaseException | None) -> tuple[str, Any]:
        """Go on with a generator, see `Machine.resume`: whether it yields or returns, and what."""
        machine = Machine(self)
        machine.resume(generator, value, error)
        return machine.run_generator()

    def plain(self, values: tuple) -> tuple:
        """Values for native code."""
        return values

    def handed(self, operation: Callable, args: tuple, names: dict) -> tuple[Callable, tuple, dict]:
        """A call of native code, as that sees it."""
        return operation, args, names

    def variables(self, frame: Frame) -> dict[str, Any]:
        """The local variables of a frame, as who looks at the stack sees them: those that live in cells too."""
        return frame.variables()

    def held(self, values: Any) -> Any:
        """Values that go into a container of the program."""
        return values

    def has_made(self, value: tuple | list | dict) -> bool:
        """Whether a container is the program's own, so that it is known what it holds."""
        return True

    def owns(self, generator: Generator) -> bool:
        """Whether the machine may go into a generator: it is not in other hands too."""
        return True

    def made(self, function: types.FunctionType) -> None:
        """Told of each inner function that is made."""

    def outlines(self, machine: Machine, frame: Frame, loop: Any, items: Any = ABSENT) -> bool:
        """A loop goes into another iteration, or is about to start: whether Python does it from here on.

        Args:
            items: what it goes over, where it has not started.
        """
        if items is not ABSENT:
            return False
        return self.leave_loop(machine, frame, loop, frame.stack[-1] if loop.is_walk else None, False)

    def leave_loop(self, machine: Machine, frame: Frame, loop: Any, items: Any, is_new: bool) -> bool:
        """Let Python do a loop from here on, if it can.

        Args:
            items: what it goes over; None for `while`.
            is_new: whether it has not started: a comprehension makes its container.
        """
        starts = is_new and loop.depth == 1
        call = outlined(frame, loop, items, frame.stack[-1 - loop.depth] if loop.fills and not starts else None)
        if call is None:
            return False
        items = None  # tracebacks of the loop keep this frame
        self.land(machine, frame, loop, self.do_outlined(machine, frame, *call), starts)
        return True

    def land(self, machine: Machine, frame: Frame, loop: Any, ended: tuple, starts: bool) -> None:
        """Go on where a loop lands that Python has done: with the tuple of how it has ended on the stack, and the place of
        the container below."""
        if loop.is_walk:
            frame.stack.pop()
        if starts:
            frame.stack.append(None)
        elif loop.fills:
            frame.stack[-loop.depth] = None
        frame.stack.append(ended)
        frame.pc = loop.landing

    def do_outlined(self, machine: Machine, frame: Frame, operation: Outlined, given: list) -> tuple:
        """Do what is outlined."""
        move(frame, operation.loop, given)
        return machine.natively(operation, given, {})

    def iterate(self, machine: Machine, value: Any) -> Any:
        """The iterator of a loop over something."""
        return self.do(machine, iter, (value,))

    def next(self, machine: Machine, iterator: Any) -> Any:
        """The next item; raises StopIteration."""
        return machine.natively(next, (iterator,), {})


Generator.outer = Plain()
