"""The machine: runs Code on Python values, call after call, on a stack of frames that can be copied.

What an instruction (instructions.py) *does* is asked of a *world*: Python's (world.py) does what Python does; the recorder
does the same and writes down what happened. The machine itself only moves values and jumps.

Calls of Python functions that the world wants to see into become frames; all others are done by Python. Each thing that
is done by Python is done from a frame with the file, line and columns of the instruction, so errors, tracebacks and
debuggers show the user's program.
"""

from __future__ import annotations

import functools
import inspect
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from anfora.core.cell import Cell
from anfora.core.errors import AnforaError
from anfora.core.span import CellCall, locate, shapes_of
from anfora.graph.machine import operations, signals
from anfora.graph.machine.frames import Frame, bind
from anfora.graph.machine.generators import Generator, Thrown, for_python, named
from anfora.graph.machine.instructions import INSTRUCTIONS, no_more
from anfora.graph.machine.places import Location, Variables, do_alone, do_at, needs_no_frames, plainly
from anfora.graph.machine.requests import Drain, Enter, Pause
from anfora.graph.machine.room import roomy
from anfora.graph.machine.signals import delivered, held, holds
from anfora.graph.source.code import Position, Unsupported
from anfora.graph.source.sources import code_of
from anfora.graph.source.tracebacks import freed, of_program, stub

if TYPE_CHECKING:
    from anfora.graph.machine.world import Plain

__all__ = ["Machine"]

#: Instructions, before it is worth while to see to room on the stack, and from one look to the next.
_FEW, _MANY = 64, 4096


class Machine:
    """A stack of frames, and what moves it.

    Args:
        world: what is asked to do things.
        below: the machine that does, by Python, what calls this one.
    """

    def __init__(self, world: Plain, below: Machine | None = None) -> None:
        self.world, self.below = world, below
        self.frames: list[Frame] = []
        self.saved: list[Any] = []  #: the stack before the present instruction
        self.steps = 0  #: instructions that were done
        self.result: Any = None  #: of the first frame, or the item of a generator
        self._left: tuple | None = None  #: the Cell that an exception has just left
        self.raised = 0  #: the identity of the exception that Python has raised last

    # -- running ------------------------------------------------------------------------------------------------------

    def enter(self, function: types.FunctionType, args: tuple, kwargs: dict, deliver: str = "value") -> None:
        """Push the frame of a call; of a generator function, what it returns."""
        code = code_of(function)
        if code.is_generator and not self.frames:
            raise Unsupported("a generator function, called from outside")
        frame = Frame(code, function, bind(function, args, kwargs))
        if code.constants:
            self.world.note_constants(code.constants)
        if code.is_generator:
            self.push(Generator(frame, self.world, (function, args, kwargs)))
            return
        if len(self.frames) >= sys.getrecursionlimit():
            raise RecursionError("maximum recursion depth exceeded")
        frame.deliver = deliver
        self.frames.append(frame)

    def push(self, value: Any) -> None:
        """The result of the present instruction."""
        self.frames[-1].stack.append(value)

    def run(self) -> Any:
        """Run until the first frame returns; its value."""
        self._go(self.steps + _FEW)
        while self.frames:
            self._go_far(self.steps + _MANY)
            if self.frames:
                self.world.note_steps(self)
        return self.result

    def _go(self, most: float) -> None:
        """Run until the first frame has returned, or so many instructions are done."""
        frames, calls = self.frames, signals.calls
        while frames and self.steps < most:
            try:
                while frames and self.steps < most:
                    if self.world.pending:
                        self.world.settle(self)
                        if not frames:
                            break
                    if held and frames[-1].code.may_stop(frames[-1].pc):
                        self._interrupt()
                    frame = frames[-1]
                    pc = frame.pc
                    frame.pc = pc + 1
                    code = frame.code
                    self.saved = frame.stack[:]
                    self.steps += 1
                    INSTRUCTIONS[code.opcodes[pc]](self, frame, code.arguments[pc])
            except Exception as error:
                calls = self._note_signals(calls)
                self.unwind(error)
            except Drain as drain:
                self._drain(drain.with_traceback(None))
            except Enter as call:  # its traceback would keep the frames that have it as a variable, and all of theirs
                self._enter(call.with_traceback(None))
            except Pause:
                self._pause()
            except BaseException as error:  # the program may have handlers for these too
                calls = self._note_signals(calls)
                self.unwind(error)
        frame = code = None  # type: ignore[assignment]  # which an exception that is kept may hold; see `unwind`

    _go_far = roomy(_go)

    def _interrupt(self) -> None:
        """Call the handlers of signals that wait, between two instructions."""
        error = delivered()
        if error is not None:
            self.world.interrupt(self)
            self.throw(error)

    def _note_signals(self, calls: int) -> int:
        """An instruction has raised an exception: of the handler of a signal, if one was called since there were so many
        calls. How many there are now."""
        if calls != signals.calls:
            self.world.interrupt(self)
        return signals.calls

    def throw(self, error: BaseException) -> None:
        """Raise an exception where the program stands."""
        frame = self.frames[-1]
        frame.pc = max(frame.pc, 1)  # in front of the first instruction there is no line
        try:
            self.unwind(self._with_line(error))
        finally:
            del error  # see `unwind`

    def _with_line(self, error: BaseException) -> BaseException:
        """An exception with the line in its traceback where the program stands."""
        try:
            self.natively(operations.raise_, (error,), {})
        except BaseException as same:
            return same
        finally:
            del error  # see `unwind`
        raise AssertionError("it is raised")

    def _enter(self, call: Enter) -> None:
        try:
            self.world.enter(self, call.function, call.args, {}, call.deliver)
        except Exception as error:
            self.unwind(error)
        except Pause:
            self._pause()
        else:
            self.frames[-1].target = call.target

    def _pause(self) -> None:
        """Do the present instruction over, in a piece of its own."""
        frame = self.frames[-1]
        frame.stack[:] = self.saved
        frame.pc -= 1
        self.world.pause(self)

    def _drain(self, drain: Drain) -> None:
        """Take the items of a generator first, and do the present instruction over with a list in its place."""
        frame = self.frames[-1]
        frame.stack[:] = self.saved
        args = (drain.generator,) if drain.most is None else (drain.generator, drain.most)
        self.enter(drain.function, args, {}, "drained")
        self.frames[-1].target = drain.generator

    def unwind(self, error: BaseException) -> None:
        """Go to the innermost handler; with none left the exception leaves the machine."""
        frame = context = None
        try:
            error.__traceback__ = freed(error.__traceback__)
            context = self.handled()
            is_new = id(error) != self.raised  # what Python has raised has the context that it wants
            if is_new and context is not None and error.__context__ is None and context is not error:
                error.__context__ = context
            if is_new and error.__traceback__ is None:  # the machine's own: an argument is missing, a name is unknown
                error = self._with_line(error)
            self.raised = 0
            below = False  # whether a line of the program has been left
            while self.frames:
                frame = self.frames[-1]
                if frame.handlers:
                    target, height = frame.handlers.pop()
                    del frame.stack[height:]
                    error.__traceback__ = of_program(freed(error.__traceback__))  # with lines of callers
                    frame.stack.append(error)
                    frame.pc = target
                    return
                self.frames.pop()
                below = below or not frame.code.is_internal
                if (
                    frame.cell_call is not None
                    and self.frames
                    and isinstance(error, AnforaError)
                    and error.place is None
                ):
                    self._left = frame.cell_call
                    self.natively(_locate, (error, frame.cell_call[0], below), {})
                    self._left = None
                if self._is_end(frame, error):
                    return
                generator = frame.target[0] if frame.deliver in _OF_GENERATORS else None
                error = _left_by(frame, error)
                if generator is None or generator.frame is not frame:
                    frame.stack.clear()  # a traceback keeps its variables, and nothing else
                # What a layer of ours does itself stands at the line already; and what has started this machine stands at
                # one of the machine below.
                if not frame.code.is_internal and not all(each.code.is_internal for each in self.frames):
                    try:  # a line of the caller in the traceback
                        do_at(
                            self._place_of(self._shown()), lambda: self.places()[:-1], operations.raise_, (error,), {}
                        )
                    except BaseException as same:
                        error = same
            raise error
        finally:
            # The frames that show lines of the program know that this one has called them: it must hold nothing behind.
            error = frame = context = generator = None  # type: ignore[assignment]

    def _is_end(self, frame: Frame, error: BaseException) -> bool:
        """Whether an exception that has left a frame only says that there are no more items: its caller goes on."""
        if frame.deliver not in _ENDING or not isinstance(error, StopIteration):
            return False
        target, caller = frame.target, self.frames[-1]
        is_loop = frame.deliver in ("step", "next")
        if is_loop and caller.asks_again():
            return False
        if frame.deliver in ("next", "from"):
            generator, target = frame.target
            if generator.original is None:
                return False
            generator.leave(frame)
        if is_loop:  # this time there is no item
            no_more(caller, target)
        else:
            caller.stack[-1] = error.value
        return True

    def handled(self) -> BaseException | None:
        """The exception that is being handled."""
        for frame in reversed(self.frames):
            if frame.caught:
                return frame.caught[-1]
        return None if self.below is None else self.below.handled()

    def is_left_for_a_handler(self) -> bool:
        """Whether an exception that is raised now comes out of a frame of the program before a handler of the program gets
        it: what this package catches for itself shows nobody a traceback."""
        is_left = False
        for frame in reversed(self.frames):
            if frame.handlers and not frame.code.is_internal:
                return is_left
            is_left = is_left or not frame.code.is_internal
        return False

    def natively(self, operation: Callable, args: Any, names: dict) -> Any:
        """Do something by Python, from a frame that shows the present instruction."""
        operation, args, names = self.world.handed(operation, args, names)
        refused: BaseException | None = None
        try:
            try:
                return self._natively(operation, args, names)
            except TypeError as error:
                shown = named(args, error)
                if shown is None:
                    raise
                refused = error
            self._natively(operation, shown, names)
            raise refused
        except BaseException as error:
            self.raised = id(error)
            raise
        finally:
            refused = None

    def _natively(self, operation: Callable, args: Any, names: dict) -> Any:
        shown = self.frames[-1]
        if shown.code.is_internal:
            shown = self._shown()
        if not needs_no_frames(operation):
            args = for_python(args) if operation is plainly else args  # iterators of the machine's are Python's own
            return do_at(self._place_of(shown), lambda: self.places()[:-1], operation, args, names, self.handled())
        code, variables = shown.code, functools.partial(_variables, self.world, shown)
        made = stub(code.python, code.positions[shown.pc - 1])
        call = Variables(variables, operation, args, names)
        return do_alone(made, shown.function.__globals__, call, self.handled())

    def note_raised(self, error: BaseException) -> None:
        """An exception comes that has been raised before: its context is what it is."""
        self.raised = id(error)

    def _place_of(self, frame: Frame) -> Location:
        code, variables = frame.code, functools.partial(_variables, self.world, frame)
        return Location(code.python, code.positions[frame.pc - 1], frame.function.__globals__, variables)

    def places(self) -> list[Location]:
        """Where the frames of the program stand, the outermost first."""
        machines = reversed(list(self.chain()))
        return [
            machine._place_of(frame) for machine in machines for frame in machine.frames if not frame.code.is_internal
        ]

    def _shown(self) -> Frame:
        """The frame that stands in the program: from a layer of this package it is the one that calls it."""
        frame = self.frames[-1]
        if frame.code.is_internal:
            for machine in self.chain():
                for other in reversed(machine.frames):
                    if not other.code.is_internal:
                        return other
        return frame

    def chain(self) -> Iterator[Machine]:
        """This machine, and those below it."""
        machine: Machine | None = self
        while machine is not None:
            yield machine
            machine = machine.below

    @property
    def place(self) -> tuple[types.CodeType, Position, dict[str, Any]]:
        """Where the program stands: the code, lines and columns, and the module's variables."""
        frame = self._shown()
        return frame.code.python, frame.code.positions[frame.pc - 1], frame.function.__globals__

    # -- generators ---------------------------------------------------------------------------------------------------

    def resume(self, generator: Generator, value: Any, error: BaseException | None = None, deliver: str = "generator",
               target: Any = None) -> None:  # fmt: skip
        """Push the frame of a generator, to go on behind its `yield` with a value, or an exception there."""
        frame = generator.frame
        assert frame is not None
        waits = frame.pc and frame.pc not in frame.code.loops  # at a `yield`
        if waits:
            frame.stack.append(value)
        elif value is not None:
            raise TypeError("can't send non-None value to a just-started generator")
        elif generator.call is not None:
            generator.call = generator.call[0], (), {}  # what it was given is in its variables, where it can be dropped
        generator.is_running = True
        frame.deliver, frame.target = deliver, (generator, target)
        self.frames.append(frame)
        if error is not None:
            if waits and frame.code.opcodes[frame.pc] == "YIELD_FROM":
                frame.stack[-1] = Thrown(error)
            elif waits:
                frame.stack.pop()
                self.throw(error)  # there
            else:
                self.unwind(error)

    @holds
    def run_generator(self) -> tuple[str, Any]:
        """Run a resumed generator until it yields or returns."""
        self.result = None
        frames = self.frames
        while frames:
            try:
                while frames:
                    if held and frames[-1].code.may_stop(frames[-1].pc):
                        self._interrupt()
                    frame = frames[-1]
                    pc = frame.pc
                    frame.pc = pc + 1
                    INSTRUCTIONS[frame.code.opcodes[pc]](self, frame, frame.code.arguments[pc])
            except BaseException as error:
                self.unwind(error)
        return self.result

    # -- for messages -----------------------------------------------------------------------------------------------------

    def note_attribute(self, frame: Frame, owner: Any, name: str) -> None:
        """A call that gives an attribute has been entered from a frame: an AttributeError that leaves it names that."""
        entered = self.frames[-1]
        if entered is not frame and entered.deliver == "value":
            entered.deliver, entered.target = "attribute", (owner, name)

    @property
    def is_in_cells(self) -> bool:
        """Whether any Cells are being called."""
        for frame in self.frames:
            if frame.cell_call is not None:
                return True
        return self._left is not None

    def cell_calls(self) -> list[CellCall]:
        """The Cells that are being called, the outermost first."""
        found = [frame.cell_call for frame in self.frames if frame.cell_call is not None]
        if self._left is not None:
            found.append(self._left)
        return [(cell, shapes_of(args)) for cell, args in found]


def _variables(world: Plain, frame: Frame) -> Mapping[str, Any]:
    """What the world says when it is asked, which it may be after the recording has ended."""
    return world.variables(frame)


#: Frames whose callers go on behind their end.
_ENDING = ("step", "next", "delegate", "from")


#: Frames of generators: their targets are these, and what they deliver to.
_OF_GENERATORS = ("generator", "next", "from", "item")


def _left_by(frame: Frame, error: BaseException) -> BaseException:
    """What an exception that leaves a frame is for its caller."""
    if frame.deliver in _OF_GENERATORS:
        generator, _ = frame.target
        generator.leave(frame)
        if isinstance(error, StopIteration) and generator.original is None:
            replaced = RuntimeError("generator raised StopIteration")
            replaced.__cause__ = error
            return replaced
    if frame.deliver == "attribute" and isinstance(error, AttributeError) and error.name is error.obj is None:
        error.obj, error.name = frame.target
    return error


def _locate(error: AnforaError, cell: Cell, below: bool) -> None:
    """A line of the program was refused below a Cell, or its input: say where, as `Cell.__call__` does."""
    order = tuple(inspect.signature(cell.construct).parameters)
    error.place = locate(error.arg, order, error.__traceback__ if below else None)
