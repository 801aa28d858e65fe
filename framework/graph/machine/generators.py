"""Generators: frames that wait at a `yield`.

    Generator   what a call of a generator function gives; the machine goes on with its frame, and so may Python
    Original    an iterator that is written in C, for which a generator function of this library stands

Python gets the same iterator as the program would have without the machine: one of its own where that can go on from where
the frame stands, and else one that asks the machine for each item.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from anfora.graph.machine.frames import ORIGINALS, Frame
from anfora.graph.machine.walks import Walk, name_of, raise_missing

if TYPE_CHECKING:
    from anfora.graph.machine.world import Plain

__all__ = [
    "Generator", "Original", "Thrown", "as_given", "bound", "driven_by", "for_python", "is_left", "is_method", "named",
    "thrown",
]  # fmt: skip


class Generator:
    """A generator function that was called: its frame, to be continued. Python may iterate over it too."""

    __slots__ = ("call", "frame", "is_running", "kind", "real", "world", "__weakref__")

    outer: ClassVar[Plain]  #: Python's world (world.py), where one goes on that has left the machine

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
        return ORIGINALS.get(self.call[0]) if self.call is not None else None

    def leave(self, frame: Frame) -> None:
        """An exception has come out of its frame: a generator has ended. An iterator that is written in C has not, and
        gives the next item when it is asked again."""
        original = self.original
        restarts = original is not None and original.restarts
        lasts = restarts or (original is not None and len(frame.loops) >= original.least)
        self.frame, self.is_running = frame if lasts else None, False
        if restarts:
            frame.restart()
        elif lasts:
            frame.turn()

    def again(self) -> Generator:
        """What gives the next item while this one is looking for one, and calls what asks it: an iterator that is written
        in C goes on from where it is then."""
        frame, original = self.frame, self.original
        restarts = original is not None and original.restarts
        if frame is None or original is None or not (restarts or (original.least == 1 and frame.loops)):
            raise ValueError("generator already executing")
        twin = frame.twin()
        if restarts:
            twin.restart()
        else:
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
            self.world = self.outer
        if self.real is None:
            self.real = self._as_pythons()
        if self.real is None and for_good:
            over = self.original.over if self.original is not None else None
            self.real = self._driver() if over is None else over(_Rest(self))
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
        function = self.function
        code = function.__code__
        shown = _driven.__code__.replace(
            co_name=code.co_name, co_filename=code.co_filename, co_firstlineno=code.co_firstlineno
        )
        driven = types.FunctionType(shown, {})
        driven.__name__, driven.__qualname__ = function.__name__, function.__qualname__
        running = driven(self)
        next(running)
        return running

    def of_its_kind(self) -> Any:
        """An iterator of Python's of the same class, for a message about that."""
        original = self.original
        if original is None:
            return self
        return original.ended() if original.ended is not None else original.over and original.over(iter(()))

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """What `isinstance` is told."""
        return self.kind

    def __repr__(self) -> str:
        if self.kind is not types.GeneratorType:
            return f"<{name_of(self.kind)} object at {id(self):#x}>"
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

    def __getattr__(self, name: str) -> Any:
        if name in ("__name__", "__qualname__"):  # which a class cannot have for its objects
            return getattr(self.function, name)
        raise_missing(self, name)

    @property
    def function(self) -> Any:
        """Which has made it."""
        if self.call is not None:
            return self.call[0]
        return _driven if self.frame is None else self.frame.function

    @property
    def gi_code(self) -> types.CodeType:
        return self.function.__code__

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
        if frame is None:
            return None if self.real is None else self.real.gi_frame
        line = frame.code.positions[frame.pc - 1][0] if frame.pc else frame.code.python.co_firstlineno
        return types.SimpleNamespace(
            f_code=frame.code.python, f_lineno=line, f_lasti=frame.pc - 1, f_locals=dict(frame.variables()),
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
        if self.is_running:
            return self.again().go_on(value, error)
        if self.frame is None:
            raise StopIteration if error is None else error
        self.world.plain((self,))
        self.world = self.world.outside()
        kind, value = self.world.go_on(self, value, error)
        if kind == "yield":
            return value
        raise StopIteration(*(() if value is None else (value,)))

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


Generator.__name__ = Generator.__qualname__ = "generator"  # in Python's messages


class _Rest:
    """What is still to come of one that stands for an iterator written in C: it may be asked by what it calls."""

    __slots__ = ("_generator",)

    def __init__(self, generator: Generator) -> None:
        self._generator = generator

    def __iter__(self) -> _Rest:
        return self

    def __next__(self) -> Any:
        return self._generator.go_on(None)


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


def driven_by(value: types.GeneratorType) -> Generator | None:
    """The generator that one of Python's goes on with; None if it is one by itself."""
    frame = value.gi_frame
    if frame is None or frame.f_code.co_code != _driven.__code__.co_code:
        return None
    return frame.f_locals["generator"]  # type: ignore[no-any-return]


class Original(NamedTuple):
    """What a generator function of this library stands for in the program, see `ORIGINALS`.

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
        asks_again: whether it asks what it goes over for more when it is asked behind its end.
        restarts: whether all that it knows stands in what it has been given, so that it goes on from its beginning.
    """

    make: Callable | None
    kind: type
    started: Callable[[dict[str, Any], list], Any] | None
    ended: Callable[[], Any] | None
    over: Callable[[Iterator], Any] | None = None
    least: int = 1
    asks_again: bool = True
    restarts: bool = False

    @staticmethod
    def of(function: Any) -> Any:
        """What Python calls for a function: where that stands for another one, that."""
        original = ORIGINALS.get(function) if type(function) is types.FunctionType else None
        return function if original is None or original.make is None else original.make

    def rest(self, frame: Frame | None) -> Any:
        """Python's iterator in the place of a frame; None if there is none."""
        if frame is None:
            return None if self.ended is None else self.ended()
        if self.started is None:
            return None
        variables = frame.variables()
        held = as_given(for_python(variables.values()))
        return self.started(dict(zip(variables, held)), list(as_given(for_python(frame.stack))))


def for_python(values: Iterable) -> tuple:
    """Values that Python is given: for iterators of the machine's its own."""
    return tuple([value.python() if type(value) in (Generator, Walk) else value for value in values])


def named(args: Any, error: TypeError) -> tuple | None:
    """What an operation was given that Python has refused in words about its classes, or those of what it holds, with
    iterators of the classes that they have in the program in the places of the machine's; None if it is not about these."""
    held = [item for value in args for item in (value, *(value if type(value) in (list, tuple) else ()))]
    if not any(type(value) in (Generator, Walk) and type(value).__name__ in str(error) for value in held):
        return None
    return tuple([type(value)(map(_named, value)) if type(value) in (list, tuple) else _named(value) for value in args])


def _named(value: Any) -> Any:
    return value.of_its_kind() if type(value) in (Generator, Walk) else value


def is_method(value: Any) -> bool:
    """Whether it is a method of an iterator of the machine's: Python's has one that is written in C."""
    return type(value) is types.MethodType and type(value.__self__) in (Generator, Walk)


def bound(function: Callable, owner: Any) -> Any:
    """A method of an object. Where Python's iterator stands in the place of one of the machine's, it has one of its own."""
    if id(function) in _METHODS and type(owner) not in (Generator, Walk):
        return getattr(owner, function.__name__)  # type: ignore[attr-defined]
    return types.MethodType(function, owner)


#: By identity, the methods of the machine's iterators.
_METHODS = {id(method): method for kind in (Generator, Walk) for method in vars(kind).values()}


def is_left(value: Any) -> bool:
    """Whether it is an iterator of the machine's that can be Python's from now on: one that runs cannot, since the machine
    has its frame."""
    return type(value) is Walk or (type(value) is Generator and not value.is_running)


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


class Thrown:
    """In the place of what is sent to a `yield from`: an exception, which goes to what it delegates to first."""

    def __init__(self, error: BaseException) -> None:
        self.error = error
