"""The machine: runs Code on Python values, call after call, on a stack of frames that can be copied.

What an instruction *does* is asked of a *world*: `Plain` does what Python does; the recorder (recorder.py) does the same
and writes down what happened. The machine itself only moves values and jumps.

Calls of Python functions that the world wants to see into become frames; all others are done by Python. Each thing that
is done by Python is done from a frame with the file, line and columns of the instruction, so errors, tracebacks and
debuggers show the user's program.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import inspect
import operator
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from anfora.core.cell import Cell
from anfora.core.errors import AnforaError
from anfora.core.span import CellCall, locate, shapes_of
from anfora.graph.machine import operations, signals
from anfora.graph.machine.outline import Outlined, land, move, outlined
from anfora.graph.machine.places import Place, Variables, do_alone, do_at, needs_no_frames, plainly
from anfora.graph.machine.room import roomy
from anfora.graph.machine.signals import delivered, held, holds
from anfora.graph.source.code import Code, Position, Unsupported
from anfora.graph.source.sources import code_of
from anfora.graph.source.tracebacks import freed, of_program, stub

__all__ = [
    "Drain",
    "Enter",
    "Frame",
    "Generator",
    "Machine",
    "Original",
    "Pause",
    "Plain",
    "Walk",
    "as_given",
    "bind",
    "for_python",
    "plainly",
    "thrown",
]

_ABSENT = object()
_FEW, _MANY = (
    64,
    4096,
)  #: instructions, before it is worth while to see to room on the stack, and from one look to the next


class Frame:
    """One call of a function: where it stands, and its values."""

    __slots__ = (
        "code",
        "function",
        "pc",
        "stack",
        "locals",
        "cells",
        "handlers",
        "caught",
        "deliver",
        "target",
        "cell",
        "turns",
        "whole",
    )

    code: Code
    function: Any  #: a types.FunctionType
    handlers: list[tuple[int, int]]  #: of `try`: (where to go, height of the stack)
    caught: list[BaseException]  #: being handled, the innermost last
    deliver: (
        str  #: what becomes of the result: value, attribute, drop, truth (of a branch), next (a generator's item), …
    )
    #: For `next` and `step`: where to go at the end; for `object`: what is returned instead; for `attribute`: of what it
    #: is one, and which.
    target: Any
    cell: tuple | None  #: of the call of a Cell: the Cell and its arguments
    turns: dict[int, int]  #: how often a loop has gone into another iteration, by its head
    whole: Any  #: what the recorder calls it, where no piece of program may end inside of this call

    def __init__(self, code: Code, function: types.FunctionType, values: dict[str, Any]) -> None:
        self.code, self.function, self.locals = code, function, values
        self.pc = 0
        self.stack: list[Any] = []
        self.handlers, self.caught = [], []
        self.deliver, self.target, self.cell, self.whole = "value", None, None, None
        self.turns = {}
        self.cells: dict[str, types.CellType] = dict(zip(code.python.co_freevars, function.__closure__ or ()))
        for name in code.cells:
            cell = self.cells[name] = types.CellType()
            if name in values:
                cell.cell_contents = values.pop(name)

    def __repr__(self) -> str:
        return f"<frame of {self.function.__qualname__} at {self.pc}>"

    @property
    def loops(self) -> list[int]:
        """The instructions that iterations start with, of the loops that it stands in, the outermost first."""
        return sorted(head for head, loop in self.code.loops.items() if head < self.pc <= loop.landing)

    def turn(self) -> None:
        """Go to the start of the next iteration of the innermost loop."""
        loops = self.loops
        self.pc = loops[-1]
        del self.stack[sum(self.code.opcodes[head] == "NEXT" for head in loops) :]
        self.handlers, self.caught, self.target = [], [], None

    def twin(self) -> Frame:
        """Another one that stands where this one does, with the same variables in cells."""
        made = Frame(self.code, self.function, dict(self.locals))
        made.cells, made.pc, made.stack = self.cells, self.pc, self.stack[:]
        return made


class Generator:
    """A generator function that was called: its frame, to be continued. Python may iterate over it too."""

    __slots__ = ("call", "frame", "is_running", "kind", "real", "world", "__weakref__")

    def __init__(self, frame: Frame | None, world: Plain, call: tuple | None = None) -> None:
        self.frame = frame
        self.is_running = False
        self.call = call  #: the function and, until it starts, its arguments
        #: What it is in the program: a class written in C (`map`, `filter`) where the function stands for that.
        self.kind = types.GeneratorType if self.original is None else self.original.kind
        self.real: Any = None  #: Python's own, which goes on in its place: see `python`
        self.live_in(world)

    @property
    def original(self) -> Original | None:
        """What it stands for, where that is no generator."""
        return getattr(self.call[0], "original", None) if self.call is not None else None

    def leave(self, frame: Frame) -> None:
        """An exception has come out of its frame: a generator has ended. An iterator that is written in C has not, and
        gives the next item when it is asked again."""
        lasts = self.original is not None and len(frame.loops) >= self.original.least
        self.frame, self.is_running = frame if lasts else None, False
        if lasts:
            frame.turn()

    def again(self) -> Generator:
        """What gives the next item while this one is looking for one, and calls what asks it: an iterator that is written
        in C goes on from where it is then."""
        frame, original = self.frame, self.original
        if frame is None or original is None or original.least > 1 or not frame.loops:
            raise ValueError("generator already executing")
        twin = frame.twin()
        twin.turn()
        return Generator(twin, self.world, self.call)

    def live_in(self, world: Plain) -> None:
        """Be gone on with by a world."""
        self.world = world
        world.note_generator(self)

    def python(self, for_good: bool = False) -> Any:
        """What Python gets for it: the same call, where that has not started yet; where it stands for an iterator that is
        written in C, such a one that goes on where this one is. From then on this one hands on what it is asked.

        Args:
            for_good: it leaves the machine: where it has started, a generator of Python's goes on with it.
        """
        if for_good:
            self.world = Plain()
        if self.real is None:
            self.real = self._as_pythons()
        if self.real is None and for_good:
            over = self.original.over if self.original is not None else None
            self.real = self._driver() if over is None else over(self._driver())
        return self if self.real is None else self.real

    def _as_pythons(self) -> Any:
        """Python's own, in the same state; None where there is no such thing."""
        if self.call is None or self.is_running:
            return None
        function, args, kwargs = self.call
        stands_for = self.original
        frame, made = self.frame, None
        if frame is not None and not frame.pc:
            if stands_for is None:
                made = function(*for_python(args), **kwargs)
            elif stands_for.make is not None:
                made = stands_for.make(*as_given(for_python(args)), **kwargs)
        elif stands_for is not None:
            made = stands_for.rest(frame)
        if made is not None:
            self.frame = None
        return made

    def _driver(self) -> types.GeneratorType:
        """A generator of Python's that goes on with this one, under the name that it has in the program."""
        function = self.call[0] if self.call is not None else self.frame.function if self.frame is not None else _driven
        code = function.__code__
        shown = _driven.__code__.replace(
            co_name=code.co_name, co_filename=code.co_filename, co_firstlineno=code.co_firstlineno
        )
        driven = types.FunctionType(shown, {})
        driven.__name__, driven.__qualname__ = function.__name__, function.__qualname__
        running = driven(self)
        next(running)
        return running

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """What `isinstance` is told."""
        return self.kind

    def __repr__(self) -> str:
        if self.kind is not types.GeneratorType:
            module = "" if self.kind.__module__ == "builtins" else f"{self.kind.__module__}."
            return f"<{module}{self.kind.__name__} object at {id(self):#x}>"
        name = f"{self.call[0].__qualname__} " if self.call is not None else ""
        return f"<generator object {name}at {id(self):#x}>"

    def __reduce_ex__(self, protocol: Any) -> Any:
        if self.kind is types.GeneratorType:
            raise TypeError("cannot pickle 'generator' object")
        return self.python(for_good=True).__reduce_ex__(protocol)

    def __iter__(self) -> Generator:
        return self

    def __next__(self) -> Any:
        return self.send(None)

    # What `inspect` asks of a generator.

    @property
    def gi_running(self) -> bool:
        if self.real is not None:
            return self.real.gi_running
        return self.is_running

    @property
    def gi_suspended(self) -> bool:
        if self.real is not None:
            return inspect.getgeneratorstate(self.real) == inspect.GEN_SUSPENDED
        return self.frame is not None and bool(self.frame.pc) and not self.is_running

    @property
    def gi_frame(self) -> Any:
        frame = self.frame
        if self.real is not None:
            return self.real.gi_frame
        if frame is None:
            return None
        line = frame.code.positions[frame.pc - 1][0] if frame.pc else frame.code.python.co_firstlineno
        return types.SimpleNamespace(
            f_code=frame.code.python, f_lineno=line, f_lasti=frame.pc - 1, f_locals=dict(frame.locals),
            f_globals=frame.function.__globals__,
        )  # fmt: skip

    def send(self, value: Any) -> Any:
        """Continue with a value for the `yield` that it waits at; gives the next item."""
        if self.real is not None:
            return next(self.real) if value is None else self.real.send(value)
        return self.go_on(value)

    def throw(self, kind: Any, value: Any = None, traceback: Any = None) -> Any:
        """Raise an exception at the `yield` that it waits at."""
        if self.real is not None:
            return self.real.throw(thrown(kind, value, traceback))
        return self.go_on(None, thrown(kind, value, traceback))

    def close(self) -> None:
        """Raise GeneratorExit there."""
        if self.real is not None:
            return self.real.close()
        return self.end()

    # The same of the frame itself, which a generator of Python's drives.

    def go_on(self, value: Any, error: BaseException | None = None) -> Any:
        """Go on with a value for the `yield`, or an exception there."""
        return self._continue(lambda machine, generator: machine.resume(generator, value, error))

    def end(self) -> None:
        """End it at the `yield`."""
        if self.frame is None or not self.frame.pc or self.original is not None:
            self.frame = None
            return
        try:
            self.go_on(None, GeneratorExit())
        except (GeneratorExit, StopIteration):
            return
        raise RuntimeError("generator ignored GeneratorExit")

    def _continue(self, start: Callable[[Machine, Generator], None]) -> Any:
        if self.is_running:
            return self.again()._continue(start)
        if self.frame is None:
            raise StopIteration
        self.world.plain((self,))
        self.world = self.world.outside()
        machine = Machine(self.world)
        start(machine, self)
        kind, value = machine.run_generator()
        if kind == "yield":
            return value
        raise StopIteration(*(() if value is None else (value,)))


Generator.__name__ = Generator.__qualname__ = "generator"  # in Python's messages


def _driven(generator: Generator) -> Any:
    """Goes on with a generator, from its second item on: it may be given a value for the `yield` that it waits at."""
    item = error = None
    while True:
        try:
            sent = yield item
        except GeneratorExit:
            generator.end()
            raise
        except BaseException as raised:
            sent, error = None, raised
        try:
            item = generator.go_on(sent, error)
        except StopIteration as stop:
            return stop.value
        finally:
            sent = error = None


class Original(NamedTuple):
    """What a generator function of this library stands for in the program, as its attribute `original`.

    Such an iterator is no generator: an exception does not end it, and it may be asked by what it calls. So each iteration
    of the generator's loops starts from what stands in its variables.

    Attributes:
        make: what makes it in Python; None if only another iterator does.
        kind: its class.
        started: from the variables of the generator's frame, and the iterators of its loops, the outermost first, to the
            iterator that goes on there, or None; None if there never is one.
        ended: makes such a one that has no more items; None if only another iterator does.
        over: makes such a one of another iterator, with the same items.
        least: in how many loops the generator must stand to go on behind an exception.
    """

    make: Callable | None
    kind: type
    started: Callable[[dict[str, Any], list], Any] | None
    ended: Callable[[], Any] | None
    over: Callable[[Iterator], Any] | None = None
    least: int = 1

    def rest(self, frame: Frame | None) -> Any:
        """Python's iterator in the place of a frame; None if there is none."""
        if frame is None:
            return None if self.ended is None else self.ended()
        if self.started is None:
            return None
        variables = Plain().variables(frame)
        held = as_given(for_python(variables.values()))
        return self.started(dict(zip(variables, held)), list(as_given(for_python(frame.stack))))


def for_python(values: Iterable) -> tuple:
    """Values that Python is given: for iterators of the machine's its own."""
    return tuple([value.python() if type(value) in (Generator, Walk) else value for value in values])


class _Given:
    """An iterator of the program's, for one of Python's that goes on with it: it is not asked for an iterator once more."""

    __slots__ = ("_rest",)

    def __init__(self, rest: Iterator) -> None:
        self._rest = rest

    def __iter__(self) -> _Given:
        return self

    def __next__(self) -> Any:
        return next(self._rest)


def as_given(values: Iterable[Any]) -> tuple:
    """What an iterator has been given: of the iterators among that which the program has written, none is asked again."""
    return tuple([
        _Given(value)
        if isinstance(getattr(type(value), "__next__", None), types.FunctionType) and not callable(value)
        else value
        for value in values
    ])  # fmt: skip


def thrown(kind: Any, value: Any = None, traceback: Any = None) -> BaseException:
    """The exception that `generator.throw(…)` raises."""
    error = value if isinstance(value, BaseException) else kind() if isinstance(kind, type) else kind
    return error if traceback is None else error.with_traceback(traceback)


class Drain(BaseException):
    """Raised in the middle of an instruction that Python would iterate a generator of the program in.

    Args:
        generator: whose items are wanted.
        function: a function of the program from the generator to the list of its items.
        most: how many are taken at most.
    """

    def __init__(self, generator: Generator, function: Any, most: int | None = None) -> None:
        super().__init__()
        self.generator, self.function, self.most = generator, function, most


class Enter(BaseException):
    """Raised in the middle of an instruction that a function of the program does: a special method, most often.

    Args:
        function, args: what is called; its result is what the instruction gives.
        deliver: what becomes of the result, see Frame.
    """

    def __init__(self, function: Any, args: tuple, deliver: str = "value") -> None:
        super().__init__()
        self.function, self.args, self.deliver = function, args, deliver  # type: ignore[misc]
        self.target: Any = None


class Thrown:
    """In the place of what is sent to a `yield from`: an exception, which goes to what it delegates to first."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


class Pause(BaseException):
    """Raised in the middle of an instruction that has done nothing yet, and is to be done over: at the start of a piece."""


class Walk:
    """An iterator over a dict, a view of one, or a deque, which, unlike Python's, tells where it is.

    Args:
        base: what is walked over.
        index: how far it has come; -1 where the deque has changed since.
        is_reversed: whether it goes from the end.
    """

    __slots__ = ("base", "is_reversed", "_index", "_is_lent", "_items", "_rest")

    def __init__(self, base: Any, index: int = 0, is_reversed: bool = False) -> None:
        self.base, self.is_reversed = base, is_reversed
        self._index, self._is_lent = 0, False
        self._items: tuple | None = self._present()
        self._rest = reversed(base) if is_reversed else iter(base)
        if index < 0:
            other = collections.deque((None,))
            self._items, self._rest = None, reversed(other) if is_reversed else iter(other)
            other.append(None)
        while self._index < index:
            next(self, None)

    @property
    def kind(self) -> type:
        """The type of Python's iterator."""
        return type(self._rest)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """What `isinstance` is told."""
        return self.kind

    @property
    def index(self) -> int:
        """How many items it was asked for."""
        if not self._is_lent:
            return self._index
        count, left = len(self._items or ()), operator.length_hint(self._rest)
        return count - left if left else count + 1

    def __repr__(self) -> str:
        return f"<{self.kind.__name__} object at {id(self):#x}>"

    def python(self, for_good: bool = False) -> Any:
        """Python's iterator, which this one goes on with."""
        self._is_lent = True
        return self._rest

    def _present(self) -> tuple:
        """What it goes over now; of a view the keys, as they lie in its dict."""
        if type(self.base) not in operations.VIEWS:
            return tuple(self.base)
        table = operations.viewed(self.base)
        keys = collections.OrderedDict.__iter__ if isinstance(table, collections.OrderedDict) else dict.__iter__
        return tuple(keys(table))

    def __iter__(self) -> Walk:
        return self

    def __next__(self) -> Any:
        self._index += 1
        return next(self._rest)

    def __length_hint__(self) -> int:
        return operator.length_hint(self._rest)

    def __reduce__(self) -> tuple:
        now, items = self._present(), self._items
        if items is not None and len(now) == len(items) and all(a is b for a, b in zip(now, items)):
            return Walk, (self.base, self.index, self.is_reversed)
        if isinstance(self.base, collections.deque):
            return Walk, (self.base, -1, self.is_reversed)
        raise TypeError("where an iterator over a dict is whose keys have changed, only Python knows")


def _variables(world: Plain, frame: Frame) -> Mapping[str, Any]:
    """What the world says when it is asked, which it may be after the recording has ended."""
    return world.variables(frame)


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
        value = function.__globals__.get(name, _ABSENT)
        if value is _ABSENT:
            value = builtins_of(function).get(name, _ABSENT)
            if value is _ABSENT:
                raise NameError(f"name '{name}' is not defined", name=name)
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

    def call(self, machine: Machine, function: Any, args: tuple, kwargs: dict) -> None:
        """Call something: push its result, or a frame."""
        machine.push(self.do(machine, function, args, kwargs))

    def note_generator(self, generator: Generator) -> None:
        """Told of generators that live in this world."""

    def outside(self) -> Plain:
        """The world for a generator that Python's own code goes on with."""
        return self

    def plain(self, values: tuple) -> tuple:
        """Values for native code."""
        return values

    def handed(self, operation: Callable, args: tuple, names: dict) -> tuple[Callable, tuple, dict]:
        """A call of native code, as that sees it."""
        return operation, args, names

    def variables(self, frame: Frame) -> dict[str, Any]:
        """The local variables of a frame, as who looks at the stack sees them: those that live in cells too."""
        if not frame.cells:
            return frame.locals
        found = dict(frame.locals)
        for name, cell in frame.cells.items():
            with contextlib.suppress(ValueError):  # it has no value
                found[name] = cell.cell_contents
        return found

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

    def outlines(self, machine: Machine, frame: Frame, loop: Any, items: Any = _ABSENT) -> bool:
        """A loop goes into another iteration, or is about to start: whether Python does it from here on.

        Args:
            items: what it goes over, where it has not started.
        """
        if items is not _ABSENT:
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


def builtins_of(function: types.FunctionType) -> dict[str, Any]:
    """The names behind the global ones, as Python has taken them when it made the function."""
    return function.__builtins__  # type: ignore[attr-defined]


# -- binding arguments ------------------------------------------------------------------------------------------------


def bind(function: types.FunctionType, args: tuple, kwargs: dict) -> dict[str, Any]:
    """The local variables with which a call starts; TypeError, in Python's words, where the arguments do not fit."""
    code = function.__code__
    names = code.co_varnames
    positional, only = code.co_argcount, code.co_kwonlyargcount
    values = dict(zip(names[:positional], args))
    rest = positional + only
    if len(args) > positional and not code.co_flags & 4:
        _refuse(function, args, kwargs)
    if code.co_flags & 4:
        values[names[rest]] = tuple(args[positional:])
        rest += 1
    more: dict[str, Any] | None = {} if code.co_flags & 8 else None
    for name, value in kwargs.items():
        if name in names[code.co_posonlyargcount : positional + only]:
            if name in values:
                _refuse(function, args, kwargs)
            values[name] = value
        elif more is not None:
            more[name] = value
        else:
            _refuse(function, args, kwargs)
    defaults = function.__defaults__ or ()
    for name, value in zip(names[positional - len(defaults) : positional], defaults):
        values.setdefault(name, value)
    for name in names[positional : positional + only]:
        if name not in values and name in (function.__kwdefaults__ or ()):
            values[name] = function.__kwdefaults__[name]  # type: ignore[index]
    if any(name not in values for name in names[: positional + only]):
        _refuse(function, args, kwargs)
    if more is not None:
        values[names[rest]] = more
    return values


def _refuse(function: types.FunctionType, args: tuple, kwargs: dict) -> None:
    """Let Python raise the error: call a function with the same parameters, and no body."""
    code = function.__code__
    names = code.co_varnames
    positional, only = code.co_argcount, code.co_kwonlyargcount
    rest = positional + only
    parameters = [
        *names[: code.co_posonlyargcount], *(["/"] if code.co_posonlyargcount else []),
        *names[code.co_posonlyargcount : positional],
    ]  # fmt: skip
    if code.co_flags & 4:
        parameters.append("*" + names[rest])
        rest += 1
    elif only:
        parameters.append("*")
    parameters += names[positional : positional + only]
    if code.co_flags & 8:
        parameters.append("**" + names[rest])
    # Defaults are given afterwards, so the text needs none; keyword-only ones may stand in any order.
    scope: dict[str, Any] = {}
    exec(f"def bare({', '.join(parameters)}): pass", scope)
    bare = scope["bare"]
    bare.__defaults__, bare.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    bare.__name__, bare.__qualname__ = function.__name__, function.__qualname__
    bare(*args, **kwargs)
    raise TypeError(f"{function.__qualname__}() got arguments that do not fit")


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
        self._done: Any = None
        self._left: tuple | None = None  #: the Cell that an exception has just left
        self._raised = 0  #: the identity of the exception that Python has raised last

    # -- running ------------------------------------------------------------------------------------------------------

    def enter(self, function: types.FunctionType, args: tuple, kwargs: dict, deliver: str = "value") -> None:
        """Push the frame of a call; of a generator function, what it returns."""
        code = code_of(function)
        if code.is_generator and not self.frames:
            raise Unsupported("a generator function, called from outside")
        frame = Frame(code, function, bind(function, args, kwargs))
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
        return self._done

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
                    _TABLE[code.opcodes[pc]](self, frame, code.arguments[pc])
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
            self.natively(_raise, (error,), {})
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
            is_new = id(error) != self._raised  # what Python has raised has the context that it wants
            if is_new and context is not None and error.__context__ is None and context is not error:
                error.__context__ = context
            if is_new and error.__traceback__ is None:  # the machine's own: an argument is missing, a name is unknown
                error = self._with_line(error)
            self._raised = 0
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
                if frame.cell is not None and self.frames and isinstance(error, AnforaError) and error.place is None:
                    self._left = frame.cell
                    self.natively(_locate, (error, frame.cell[0]), {})
                    self._left = None
                if self._is_end(frame, error):
                    return
                error = _left_by(frame, error)
                # What a layer of ours does itself stands at the line already; and what has started this machine stands at
                # one of the machine below.
                if not frame.code.is_internal and not all(each.code.is_internal for each in self.frames):
                    try:  # a line of the caller in the traceback
                        do_at(self._place_of(self._shown()), lambda: self.places()[:-1], _raise, (error,), {})
                    except BaseException as same:
                        error = same
            raise error
        finally:
            # The frames that show lines of the program know that this one has called them: it must hold nothing behind.
            error = frame = context = None  # type: ignore[assignment]

    def _is_end(self, frame: Frame, error: BaseException) -> bool:
        """Whether an exception that has left a frame only says that there are no more items: its caller goes on."""
        if frame.deliver not in _ENDING or not isinstance(error, StopIteration):
            return False
        target = frame.target
        if frame.deliver in ("next", "from"):
            generator, target = frame.target
            if generator.original is None:
                return False
            generator.leave(frame)
        caller = self.frames[-1]
        if frame.deliver in ("step", "next"):  # this time there is no item
            caller.stack.pop()
            caller.pc = target
        else:
            caller.stack[-1] = error.value
        return True

    def handled(self) -> BaseException | None:
        """The exception that is being handled."""
        for frame in reversed(self.frames):
            if frame.caught:
                return frame.caught[-1]
        return None if self.below is None else self.below.handled()

    def natively(self, operation: Callable, args: Any, names: dict) -> Any:
        """Do something by Python, from a frame that shows the present instruction."""
        operation, args, names = self.world.handed(operation, args, names)
        shown = self.frames[-1]
        if shown.code.is_internal:
            shown = self._shown()
        try:
            if not needs_no_frames(operation):
                args = for_python(args) if operation is plainly else args  # iterators of the machine's are Python's own
                return do_at(self._place_of(shown), lambda: self.places()[:-1], operation, args, names, self.handled())
            code, variables = shown.code, functools.partial(_variables, self.world, shown)
            made = stub(code.python, code.positions[shown.pc - 1])
            call = Variables(variables, operation, args, names)
            return do_alone(made, shown.function.__globals__, call, self.handled())
        except BaseException as error:
            self._raised = id(error)
            raise

    def note_raised(self, error: BaseException) -> None:
        """An exception comes that has been raised before: its context is what it is."""
        self._raised = id(error)

    def _place_of(self, frame: Frame) -> Place:
        code, variables = frame.code, functools.partial(_variables, self.world, frame)
        return Place(code.python, code.positions[frame.pc - 1], frame.function.__globals__, variables)

    def places(self) -> list[Place]:
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
        self._done = None
        frames = self.frames
        while frames:
            try:
                while frames:
                    if held and frames[-1].code.may_stop(frames[-1].pc):
                        self._interrupt()
                    frame = frames[-1]
                    pc = frame.pc
                    frame.pc = pc + 1
                    _TABLE[frame.code.opcodes[pc]](self, frame, frame.code.arguments[pc])
            except BaseException as error:
                self.unwind(error)
        return self._done

    # -- instructions: each gets its frame and argument ---------------------------------------------------------------

    def op_CONST(self, frame: Frame, value: Any) -> None:
        frame.stack.append(value)

    def op_LOAD(self, frame: Frame, name: str) -> None:
        value = frame.locals.get(name, _ABSENT)
        if value is _ABSENT:
            self.natively(_raise, (operations.unbound(name),), {})
        frame.stack.append(value)

    def op_LOAD_OUTER(self, frame: Frame, name: str) -> None:
        value = frame.locals.get(name, _ABSENT)
        if value is _ABSENT:
            self.natively(_raise, (operations.unbound_outside(name),), {})
        frame.stack.append(value)

    def op_LOAD_OUTER_CELL(self, frame: Frame, name: str) -> None:
        try:
            self.op_LOAD_CELL(frame, name)
            return
        except UnboundLocalError:
            pass  # the error is raised outside, so that this one is not its context
        raise operations.unbound_outside(name)

    def op_STORE(self, frame: Frame, name: str) -> None:
        frame.locals[name] = frame.stack.pop()

    def op_DELETE(self, frame: Frame, name: str) -> None:
        if name not in frame.locals:
            self.natively(_raise, (operations.unbound(name),), {})
        del frame.locals[name]

    def op_LOAD_CELL(self, frame: Frame, name: str) -> None:
        frame.stack.append(self.world.load_cell(self, frame.cells[name], name))

    def op_STORE_CELL(self, frame: Frame, name: str) -> None:
        self.world.do(self, operations.fill_cell, (frame.cells[name], frame.stack.pop()))

    def op_DELETE_CELL(self, frame: Frame, name: str) -> None:
        self.world.load_cell(self, frame.cells[name], name)
        self.world.do(self, operations.empty_cell, (frame.cells[name],))

    def op_LOAD_GLOBAL(self, frame: Frame, name: str) -> None:
        frame.stack.append(self.world.load_global(self, name))

    def op_STORE_GLOBAL(self, frame: Frame, name: str) -> None:
        self.world.do(self, operations.set_global, (frame.function, name, frame.stack.pop()))

    def op_DELETE_GLOBAL(self, frame: Frame, name: str) -> None:
        if not self.world.has_global(self, name):
            raise NameError(f"name '{name}' is not defined", name=name)
        self.world.do(self, operations.delete_global, (frame.function, name))

    def op_POP(self, frame: Frame, _: None) -> None:
        frame.stack.pop()

    def op_COPY(self, frame: Frame, n: int) -> None:
        frame.stack.append(frame.stack[-n])

    def op_SWAP(self, frame: Frame, n: int) -> None:
        stack = frame.stack
        stack[-1], stack[-n] = stack[-n], stack[-1]

    def op_ROTATE(self, frame: Frame, n: int) -> None:
        frame.stack.insert(len(frame.stack) - n, frame.stack.pop())

    def op_UNARY(self, frame: Frame, name: str) -> None:
        if name == "not":
            self._branch(frame, self.world.truth(self, frame.stack[-1]))
        else:
            frame.stack.append(self.world.do(self, operations.OPERATIONS[name], (frame.stack.pop(),)))

    def op_BINARY(self, frame: Frame, name: str) -> None:
        right = frame.stack.pop()
        left = frame.stack.pop()
        frame.stack.append(self.world.do(self, operations.OPERATIONS[name], (left, right)))

    op_COMPARE = op_BINARY

    def op_INPLACE(self, frame: Frame, name: str) -> None:
        right = frame.stack.pop()
        left = frame.stack.pop()
        frame.stack.append(self.world.do(self, operations.IN_PLACE[name], (left, right)))

    def op_GETITEM(self, frame: Frame, _: None) -> None:
        index = frame.stack.pop()
        value = frame.stack.pop()
        frame.stack.append(self.world.do(self, operator.getitem, (value, index)))

    def _do(self, operation: Callable, args: tuple) -> None:
        """Do something whose result nobody wants."""
        try:
            self.world.do(self, operation, args)
        except Enter as call:
            call.deliver = "drop"
            raise

    def op_SETITEM(self, frame: Frame, _: None) -> None:
        index = frame.stack.pop()
        owner = frame.stack.pop()
        self._do(operator.setitem, (owner, index, frame.stack.pop()))

    def op_DELITEM(self, frame: Frame, _: None) -> None:
        index = frame.stack.pop()
        self._do(operator.delitem, (frame.stack.pop(), index))

    def op_GETATTR(self, frame: Frame, name: str) -> None:
        owner = frame.stack.pop()
        value = self.world.getattr(self, owner, name)
        if value is not ENTERED:
            frame.stack.append(value)
        else:
            self.note_attribute(frame, owner, name)

    def note_attribute(self, frame: Frame, owner: Any, name: str) -> None:
        """A call that gives an attribute has been entered from a frame: an AttributeError that leaves it names that."""
        entered = self.frames[-1]
        if entered is not frame and entered.deliver == "value":
            entered.deliver, entered.target = "attribute", (owner, name)

    def op_SETATTR(self, frame: Frame, name: str) -> None:
        owner = frame.stack.pop()
        self._do(setattr, (owner, name, frame.stack.pop()))

    def op_DELATTR(self, frame: Frame, name: str) -> None:
        self._do(delattr, (frame.stack.pop(), name))

    def op_SPECIAL(self, frame: Frame, name: str) -> None:
        frame.stack.append(self.world.do(self, operations.special_method, (frame.stack.pop(), name)))

    def op_TUPLE(self, frame: Frame, n: int) -> None:
        self._build(frame, tuple, n)

    def op_LIST(self, frame: Frame, n: int) -> None:
        self._build(frame, list, n)

    def op_SET(self, frame: Frame, n: int) -> None:
        stack = frame.stack
        items = self.world.plain(tuple(stack[len(stack) - n :]))
        del stack[len(stack) - n :]
        stack.append(self.world.do(self, operations.make_set, (items,)) if n else set())

    def _build(self, frame: Frame, kind: Callable, n: int) -> None:
        stack = frame.stack
        items = stack[len(stack) - n :]
        del stack[len(stack) - n :]
        stack.append(kind(self.world.held(items)))

    def op_MAP(self, frame: Frame, n: int) -> None:
        stack = frame.stack
        items = self.world.held(stack[len(stack) - 2 * n :])
        items[::2] = self.world.plain(tuple(items[::2]))
        del stack[len(stack) - 2 * n :]
        stack.append(self.world.do(self, operations.make_dict, (items,)) if n else {})

    def op_SLICE(self, frame: Frame, _: None) -> None:
        step = frame.stack.pop()
        stop = frame.stack.pop()
        frame.stack.append(slice(*self.world.plain((frame.stack.pop(), stop, step))))

    def op_FORMAT(self, frame: Frame, how: tuple[str, bool]) -> None:
        conversion, has_spec = how
        spec = frame.stack.pop() if has_spec else ""
        frame.stack.append(self.world.do(self, operations.FORMATS[conversion], (frame.stack.pop(), spec)))

    def op_JOIN(self, frame: Frame, n: int) -> None:
        stack = frame.stack
        parts = tuple(stack[len(stack) - n :])
        del stack[len(stack) - n :]
        stack.append(self.world.do(self, operations.join, parts))

    def op_APPEND(self, frame: Frame, n: int) -> None:
        value = frame.stack.pop()
        items = frame.stack[-n]
        if self.world.has_made(items):
            items += self.world.held((value,))
        else:  # the interpreter has put something into it
            self.world.do(self, list.append, (items, value))

    def op_ADD(self, frame: Frame, n: int) -> None:
        value = frame.stack.pop()
        self.world.do(self, set.add, (frame.stack[-n], value))

    def op_PUT(self, frame: Frame, n: int) -> None:
        value = frame.stack.pop()
        key = frame.stack.pop()
        self.world.do(self, dict.__setitem__, (frame.stack[-n], key, value))

    def op_EXTEND(self, frame: Frame, n: int) -> None:
        value = frame.stack.pop()
        self.world.do(self, operations.extend, (frame.stack[-n], value))

    def op_UPDATE(self, frame: Frame, n: int) -> None:
        value = frame.stack.pop()
        self.world.do(self, set.update, (frame.stack[-n], value))

    def op_MERGE(self, frame: Frame, n: int) -> None:
        value = frame.stack.pop()
        self.world.do(self, operations.merge, (frame.stack[-n], value))

    def op_MERGE_KEYWORDS(self, frame: Frame, _: None) -> None:
        value = frame.stack.pop()
        function, _items, keywords = frame.stack[-3:]
        self.world.do(self, operations.merge_keywords, (keywords, value, function))

    def op_TO_TUPLE(self, frame: Frame, _: None) -> None:
        items = frame.stack.pop()
        frame.stack.append(tuple(items) if self.world.has_made(items) else self.world.do(self, tuple, (items,)))

    # jumps

    def op_JUMP(self, frame: Frame, target: int) -> None:
        if target < frame.pc:
            loop = frame.code.loops.get(target)
            if loop is not None and self.world.outlines(self, frame, loop):
                return
        frame.pc = target

    def _op_branch(self, frame: Frame, _: int) -> None:
        self._branch(frame, self.world.truth(self, frame.stack[-1]))

    op_JUMP_IF = op_JUMP_UNLESS = op_JUMP_IF_OR_POP = op_JUMP_UNLESS_OR_POP = _op_branch

    def _branch(self, frame: Frame, truth: bool) -> None:
        """Go on, at an instruction that asks for the truth of what is on the stack, when this is known."""
        opcode = frame.code.opcodes[frame.pc - 1]
        if opcode == "UNARY":
            frame.stack[-1] = not truth
            return
        jumps_on, keeps = _BRANCHES[opcode]
        jumps = truth is jumps_on
        if not (jumps and keeps):
            frame.stack.pop()
        if jumps:
            frame.pc = frame.code.arguments[frame.pc - 1]

    def op_JUMP_IF_NONE(self, frame: Frame, target: int) -> None:
        if frame.stack.pop() is None:
            frame.pc = target

    def op_ITER(self, frame: Frame, _: None) -> None:
        loop = frame.code.walks.get(frame.pc - 1)
        if loop is not None and self.world.outlines(self, frame, loop, frame.stack[-1]):
            return
        value = frame.stack.pop()
        if type(value) is Generator:
            frame.stack.append(value)
        else:
            frame.stack.append(self.world.iterate(self, value))

    def op_NEXT(self, frame: Frame, target: int) -> None:
        iterator = frame.stack[-1]
        if type(iterator) is Generator and self.world.owns(iterator):
            if iterator.frame is None:
                frame.stack.pop()
                frame.pc = target
            else:
                self.resume(iterator.again() if iterator.is_running else iterator, None, deliver="next", target=target)
            return
        try:
            item = self.world.next(self, iterator)
        except StopIteration as stop:
            self._raised = 0
            stop.__traceback__ = None  # its frames may hold it
            frame.stack.pop()
            frame.pc = target
            return
        except Enter as call:
            call.deliver, call.target = "step", target
            raise
        frame.stack.append(item)

    def op_LOOP(self, frame: Frame, loop: Any) -> None:
        self.world.outlines(self, frame, loop, None)

    def op_LANDED(self, frame: Frame, _: Any) -> None:
        land(frame, frame.stack.pop())

    def op_UNPACK(self, frame: Frame, n: int) -> None:
        value = frame.stack.pop()
        if not (type(value) is tuple and len(value) == n and self.world.has_made(value)):
            value = self.world.do(self, operations.unpack, (value, n))
        frame.stack.extend(reversed(value))

    def op_UNPACK_REST(self, frame: Frame, counts: tuple[int, int]) -> None:
        items = self.world.do(self, operations.unpack_rest, (frame.stack.pop(), *counts))
        frame.stack.extend(reversed(items))

    # calls

    def op_CALL(self, frame: Frame, shape: tuple[int, tuple[str, ...]]) -> None:
        n, names = shape
        stack = frame.stack
        first = len(stack) - n
        args = stack[first : len(stack) - len(names)]
        kwargs = dict(zip(names, stack[len(stack) - len(names) :])) if names else {}
        function = stack[first - 1]
        del stack[first - 1 :]
        self.world.call(self, function, tuple(args), kwargs)

    def op_SPREAD(self, frame: Frame, _: None) -> None:
        function, items, _kwargs = frame.stack[-3:]
        if not (type(items) is tuple and self.world.has_made(items)):
            frame.stack[-2] = self.world.do(self, operations.spread, (function, items))

    def op_TO_DICT(self, frame: Frame, _: None) -> None:
        frame.stack.append(self.world.do(self, dict, (frame.stack.pop(),)))

    def op_CALL_SPREAD(self, frame: Frame, _: None) -> None:
        kwargs = frame.stack.pop()
        args = frame.stack.pop()
        self.world.call(self, frame.stack.pop(), args, dict(kwargs))

    def op_FUNCTION(self, frame: Frame, what: tuple[types.CodeType, tuple[str, ...]]) -> None:
        code, has = what
        given = {name: frame.stack.pop() for name in reversed(has)}
        closure = tuple(frame.cells[name] for name in code.co_freevars)
        made = types.FunctionType(
            code, frame.function.__globals__, code.co_name, given.get("defaults"), closure or None
        )
        if "kwdefaults" in given:
            made.__kwdefaults__ = given["kwdefaults"]
        if "annotations" in given:
            made.__annotations__ = given["annotations"]
        self.world.made(made)
        frame.stack.append(made)

    def op_RETURN(self, frame: Frame, _: None) -> None:
        self.deliver(frame, frame.stack.pop())

    def deliver(self, frame: Frame, value: Any) -> None:
        """End a frame with a value."""
        self.frames.pop()
        if frame.deliver in ("value", "step", "attribute"):
            if self.frames:
                self.frames[-1].stack.append(value)
            else:
                self._done = value
        elif frame.deliver == "truth":
            self._branch(self.frames[-1], value)
        elif frame.deliver == "delegate":
            self._yield_on(self.frames[-1], value)
        elif frame.deliver == "drained":
            self.frames[-1].pc -= 1
            stack = self.frames[-1].stack  # further down it may wait to be used as what it is
            stack[max(i for i, item in enumerate(stack) if item is frame.target)] = value
        elif frame.deliver == "object":
            if value is not None:
                [value] = self.world.plain((value,))
                raise TypeError(f"__init__() should return None, not '{type(value).__name__}'")
            self.frames[-1].stack.append(frame.target)
        elif frame.deliver != "drop":
            generator, target = frame.target
            generator.frame, generator.is_running = None, False
            if frame.deliver == "generator":
                self._done = ("return", value)
            elif frame.deliver == "item":
                self.natively(_raise, (StopIteration(*(() if value is None else (value,))),), {})
            elif frame.deliver == "next":
                self.frames[-1].stack.pop()
                self.frames[-1].pc = target
            elif frame.deliver == "from":
                caller = self.frames[-1]
                caller.stack[-1] = value

    def op_YIELD(self, frame: Frame, _: None) -> None:
        value = frame.stack.pop()
        self.frames.pop()
        generator, _ = frame.target
        frame.target = None  # a cycle, else, while it waits
        generator.is_running = False
        if frame.deliver == "generator":
            self._done = ("yield", value)
        elif frame.deliver in ("next", "item"):
            self.frames[-1].stack.append(value)
        elif frame.deliver == "from":
            self._yield_on(self.frames[-1], value)

    def op_YIELD_FROM(self, frame: Frame, _: None) -> None:
        sent = frame.stack.pop()
        iterator = frame.stack[-1]
        is_thrown = type(sent) is Thrown
        if type(iterator) is Generator and self.world.owns(iterator) and not is_thrown:
            if iterator.frame is None:
                frame.stack[-1] = None
            else:
                self.resume(iterator.again() if iterator.is_running else iterator, sent, deliver="from")
            return
        try:
            if is_thrown:
                value = self.world.do(self, operations.throw_into, (iterator, sent.error))
            elif sent is None:
                value = self.world.do(self, next, (iterator,))
            else:
                value = self.world.do(self, operations.send, (iterator, sent))
        except StopIteration as stop:
            self._raised = 0
            stop.__traceback__ = None
            frame.stack[-1] = stop.value
            return
        except Enter as call:
            call.deliver = "delegate"
            raise
        self._yield_on(frame, value)

    def _yield_on(self, frame: Frame, value: Any) -> None:
        """What an iterator gives to a `yield from` goes to whoever has asked the generator, which then asks it again."""
        frame.pc -= 1
        frame.stack.append(value)
        self.op_YIELD(frame, None)

    # exceptions

    def op_HANDLER(self, frame: Frame, target: int) -> None:
        frame.handlers.append((target, len(frame.stack)))

    def op_POP_HANDLER(self, frame: Frame, _: None) -> None:
        frame.handlers.pop()

    def op_CAUGHT(self, frame: Frame, _: None) -> None:
        frame.caught.append(frame.stack[-1])

    def op_END_CAUGHT(self, frame: Frame, _: None) -> None:
        frame.caught.pop()

    def op_MATCHES(self, frame: Frame, _: None) -> None:
        kind = frame.stack.pop()
        frame.stack.append(operations.matches(frame.stack[-1], kind))

    def op_RAISE(self, frame: Frame, n: int) -> None:
        cause = frame.stack.pop() if n == 2 else _ABSENT
        if n == 0:
            error = self.handled() or sys.exc_info()[1]
            if error is None:
                error = RuntimeError("No active exception to reraise")
            else:
                self.note_raised(error)
            raise error
        error = frame.stack.pop()
        self.world.raise_(self, error, *(() if cause is _ABSENT else (cause,)))

    def op_RERAISE(self, frame: Frame, _: None) -> None:
        self.note_raised(frame.stack[-1])
        raise frame.stack.pop()

    # modules

    def op_IMPORT(self, frame: Frame, what: tuple[str, tuple | None, int]) -> None:
        name, names, level = what
        scope = frame.function.__globals__
        here = {key: scope[key] for key in ("__name__", "__package__", "__path__") if key in scope}  # for relative ones
        frame.stack.append(self.world.do(self, __import__, (name, here, None, names, level)))

    def op_IMPORT_FROM(self, frame: Frame, name: str) -> None:
        frame.stack.append(self.world.do(self, operations.import_from, (frame.stack[-1], name)))

    def op_IMPORT_AS(self, frame: Frame, path: tuple[str, ...]) -> None:
        module = frame.stack.pop()
        for name in path:
            module = self.world.do(self, operations.import_from, (module, name))
        frame.stack.append(module)

    # patterns

    def op_MATCH_SEQUENCE(self, frame: Frame, _: None) -> None:
        frame.stack.append(operations.is_sequence(frame.stack[-1]))

    def op_MATCH_MAPPING(self, frame: Frame, _: None) -> None:
        frame.stack.append(operations.is_mapping(frame.stack[-1]))

    def op_LENGTH(self, frame: Frame, _: None) -> None:
        frame.stack.append(self.world.do(self, len, (frame.stack[-1],)))

    def op_MATCH_KEYS(self, frame: Frame, _: None) -> None:
        keys = frame.stack[-1]
        frame.stack.append(self.world.do(self, operations.values_of_keys, (frame.stack[-2], keys)))

    def op_MATCH_CLASS(self, frame: Frame, what: tuple[int, tuple[str, ...]]) -> None:
        kind = frame.stack.pop()
        value = frame.stack.pop()
        frame.stack.append(self.world.do(self, operations.attributes_of_class, (value, kind, *what)))

    def op_REST_OF_MAPPING(self, frame: Frame, _: None) -> None:
        keys = frame.stack.pop()
        frame.stack.append(self.world.do(self, operations.rest_of_mapping, (frame.stack.pop(), keys)))

    # -- for messages -------------------------------------------------------------------------------------------------

    @property
    def is_in_cells(self) -> bool:
        """Whether any Cells are being called."""
        for frame in self.frames:
            if frame.cell is not None:
                return True
        return self._left is not None

    def cell_calls(self) -> list[CellCall]:
        """The Cells that are being called, the outermost first."""
        found = [frame.cell for frame in self.frames if frame.cell is not None]
        if self._left is not None:
            found.append(self._left)
        return [(cell, shapes_of(args)) for cell, args in found]


#: Of the instructions that look whether a value is true: whether they jump if it is, and whether it stays on the stack.
_BRANCHES = {
    "JUMP_IF": (True, False), "JUMP_UNLESS": (False, False), "JUMP_IF_OR_POP": (True, True),
    "JUMP_UNLESS_OR_POP": (False, True),
}  # fmt: skip

ENTERED = object()  #: what `getattr` gives when it has pushed a frame, of a property

_TABLE: dict[str, Callable] = {name[3:]: getattr(Machine, name) for name in dir(Machine) if name.startswith("op_")}


# -- what instructions do ---------------------------------------------------------------------------------------------


def _raise(error: BaseException) -> None:
    raise error


#: Frames whose callers go on behind their end.
_ENDING = ("step", "next", "delegate", "from")


def _left_by(frame: Frame, error: BaseException) -> BaseException:
    """What an exception that leaves a frame is for its caller."""
    if frame.deliver in ("generator", "next", "from", "item"):
        generator, _ = frame.target
        generator.leave(frame)
        if isinstance(error, StopIteration) and generator.original is None:
            replaced = RuntimeError("generator raised StopIteration")
            replaced.__cause__ = error
            return replaced
    if frame.deliver == "attribute" and isinstance(error, AttributeError) and error.name is error.obj is None:
        error.obj, error.name = frame.target
    return error


def _locate(error: AnforaError, cell: Cell) -> None:
    """A layer has refused its input: say where, as `Cell.__call__` does."""
    error.place = locate(error.arg, tuple(inspect.signature(cell.construct).parameters))
