"""Doing things from the program's lines: what Python does for a program is called from frames that stand in the program.

    do_at(place, outer, operation, args, names)

calls an operation from a frame of code that seems to stand at a place of the program, which is called from one at the place
that has called it, and so on: functions that look at the stack (`sys._getframe`, `warnings.warn`, `inspect.stack`) find
the frames of the program without a gap, each with its variables. Behind these stand frames for those that have called the
compiled function, eight at most; only behind all of them the frames of this library, and the callers' own.

Tracebacks do not show what is made only to be seen: the machine says itself which lines an exception has passed.
"""

from __future__ import annotations

import functools
import os
import sys
import types
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from anfora.graph.machine import operations
from anfora.graph.machine.outline import Outlined
from anfora.graph.machine.signals import holds, releases
from anfora.graph.source.code import Position
from anfora.graph.source.tracebacks import BRINGS_BACK, Inner, stub

__all__ = [
    "Location", "Variables", "do_alone", "do_at", "do_late", "left_to_python", "may_look_at_frames", "needs_no_frames",
    "note_looking", "plainly", "shows_frames",
]  # fmt: skip

_LIBRARY = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "")


class Location(NamedTuple):
    """Where a frame of the program stands.

    Attributes:
        code: of the function.
        position: in its source.
        scope: the variables of its module.
        variables: gives the local ones.
    """

    code: types.CodeType
    position: Position
    scope: dict[str, Any]
    variables: Callable[[], Mapping[str, Any]]


class Variables(dict):
    """What `frame.f_locals` is of a frame that is made for a place: the variables of the program there. The call that the
    frame makes lies in the dict itself, where Python finds it soonest, and nobody else looks."""

    __slots__ = ("_held",)

    def __init__(
        self, variables: Callable[[], Mapping[str, Any]], operation: Callable, args: tuple, names: dict
    ) -> None:
        self[".do"], self[".args"], self[".names"] = operation, args, names
        self._held = variables

    def _variables(self) -> Mapping[str, Any]:
        """Those that the program knows: other names with dots than that of what a generator expression goes over are the
        machine's, those of comprehensions among them."""
        held = self._held()
        if not any(name[0] == "." for name in held):
            return held
        found = {name: value for name, value in held.items() if name[0] != "." or name == ".0"}
        if sys.version_info >= (3, 12) and dict.__len__(self):  # it is a loop of its function, and that still runs
            found.update((name.lstrip(".0123456789"), value) for name, value in held.items() if name[0] == ".")
            found.pop("", None)
        return found

    def within(self, inner: Inner) -> Variables:
        """The variables in the frame of a comprehension."""
        return _Within(self, inner)

    def __missing__(self, name: str) -> Any:
        return self._variables()[name]

    def __contains__(self, name: object) -> bool:
        return name in self._variables()

    def __iter__(self) -> Iterator[str]:
        return iter(self._variables())

    def __len__(self) -> int:
        return len(self._variables())

    def __repr__(self) -> str:
        return repr(self._variables())

    def __eq__(self, other: object) -> bool:
        return self._variables() == other

    __hash__ = None  # type: ignore[assignment]

    def get(self, name: str, default: Any = None) -> Any:
        return self._variables().get(name, default)

    def keys(self) -> Any:
        return self._variables().keys()

    def values(self) -> Any:
        return self._variables().values()

    def items(self) -> Any:
        return self._variables().items()

    def copy(self) -> dict[str, Any]:
        return dict(self._variables())


class _Within(Variables):
    """The same of the frame of a comprehension."""

    __slots__ = ("_around",)

    def __init__(self, around: Variables, inner: Inner) -> None:
        self._around = around
        self._held = functools.partial(_within, around._held, inner.variables)

    def within(self, inner: Inner) -> Variables:
        return self._around.within(inner)

    def __missing__(self, name: str) -> Any:
        return dict.__getitem__(self._around, name) if name[0] == "." else self._variables()[name]


def _within(held: Callable[[], Mapping[str, Any]], names: Iterable[tuple[str, str]]) -> Mapping[str, Any]:
    variables = held()
    return {name: variables[own] for name, own in names if own in variables}


#: Functions written in C that look at the stack.
_LOOKING = frozenset([sys._getframe, sys._current_frames, warnings.warn, getattr(sys, "_getframemodulename", None)])


#: The code of functions of the program that have called what may look at frames, by identity, each with a weak reference.
_seen: dict[int, weakref.ref[types.CodeType]] = {}


def shows_frames(code: types.CodeType) -> bool:
    """Whether a function of the program has called something that may look at frames. What is left to Python as a whole is
    called from the frames of those that have called it then: to make them takes longer than many a function does."""
    return id(code) in _seen


def note_looking(codes: Iterable[types.CodeType]) -> None:
    """Write down that functions of the program call something that may look at frames."""
    for code in codes:
        key = id(code)
        if key not in _seen:
            _seen[key] = weakref.ref(code, functools.partial(_forget, key))


def _forget(key: int, _: object) -> None:
    _seen.pop(key, None)


def plainly(function: Callable, *args: Any, **kwargs: Any) -> Any:
    """Call a function: what stands for a call of the program's that is left to Python as a whole."""
    return function(*args, **kwargs)


#: What calls a function that it holds.
_OF_FUNCTIONS = (types.MethodType, staticmethod, classmethod)


def may_look_at_frames(operation: Any) -> bool:
    """Whether a function may look at the frames of its callers: what is written in Python may, unless it is ours; what is
    written in C is known to, or does not."""
    if type(operation) is types.BuiltinFunctionType:
        return operation in _LOOKING
    function = operation.__func__ if type(operation) in _OF_FUNCTIONS else operation
    if type(function) is types.FunctionType:
        return not function.__code__.co_filename.startswith(_LIBRARY)
    return type(function) is types.BuiltinFunctionType and function in _LOOKING


def needs_no_frames(operation: Any) -> bool:
    """Whether nobody can see, while it is done, from which frame it is called, but in a traceback."""
    return not (type(operation) is Outlined or operation is plainly or may_look_at_frames(operation))


#: Frames that are made for callers: each needs room on the stack, and time.
_MOST_CALLERS = 8


def _callers() -> list[Location]:
    """Where the nearest callers of the innermost compiled call stand, the outermost first."""
    found: list[Location] = []
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None and len(found) < _MOST_CALLERS:
        if not frame.f_code.co_filename.startswith(_LIBRARY):
            line = frame.f_lineno
            found.append(Location(frame.f_code, (line, line, 0, 0), frame.f_globals, _variables_of(frame)))
        elif frame.f_code is _do_from.__code__:
            break  # from here on the frames of this stand in front of those that have called it
        frame = frame.f_back
    found.reverse()
    return found


def _variables_of(frame: types.FrameType) -> Callable[[], Mapping[str, Any]]:
    return lambda: frame.f_locals


def do_at(
    place: Location, outer: Callable[[], Sequence[Location]], operation: Callable, args: Any, names: dict,
    handled: BaseException | None = None,
) -> Any:  # fmt: skip
    """Do something by Python, from a place in the program, while an exception is being handled there.

    Args:
        outer: gives the places of the frames that have called the one of `place`, the outermost first.
        args: a tuple; for an outlined loop it may be a list, which is emptied.
    """
    if type(operation) is Outlined:  # brings such a frame itself
        given = list(args)
        if type(args) is list:
            args.clear()  # so that only who does the loop holds what it may let go
        if hasattr(type(given[0]), "python"):  # an iterator of the machine's
            given[0] = given[0].python()
        places: list[Location] = []
        if shows_frames(place.code):
            inner = operation.loop.inner
            places = [*_callers(), *outer()]
            if inner is not None:  # it is the frame of a comprehension, which is called from that of the function
                places.append(place._replace(position=inner.caller))
        return _do_outlined(operation, given, handled, places)
    is_whole = operation is plainly
    if is_whole:
        operation, args = args[0], args[1:]
    if shows_frames(place.code) if is_whole else may_look_at_frames(operation):
        places = [*outer(), place]
        note_looking([each.code for each in places])
        return _do_from([*_callers(), *places], operation, args, names, handled)
    code, position, scope, variables = place
    return do_alone(stub(code, position), scope, Variables(variables, operation, args, names), handled)


@releases
def _do_outlined(operation: Outlined, given: list, handled: BaseException | None, callers: Sequence[Location]) -> Any:
    if callers:
        return operation.done_by(lambda call, *given: _do_from(callers, call, given, {}, handled, True), given)
    return operation.done(given) if handled is None else while_handling(handled, operation.done, (given,))


def left_to_python(function: Callable, args: tuple, kwargs: dict) -> Any:
    """Let Python do a call of the program from its start, from the frames of those that have called it."""
    callers = _callers()
    return _do_from(callers, function, args, kwargs, None, True) if callers else function(*args, **kwargs)


def while_handling(handled: BaseException, operation: Callable, args: tuple) -> Any:
    """Do something while an exception is being handled, which stays as it is."""
    before = handled.__traceback__, handled.__context__
    try:
        raise handled
    except BaseException:
        handled.__traceback__, handled.__context__ = before
        return operation(*args)


@releases
def do_alone(made: types.CodeType, scope: dict[str, Any], call: Variables, handled: BaseException | None) -> Any:
    """Do what no frame but one is needed for: see `needs_no_frames`.

    Args:
        made: code that seems to stand there.
        scope: the variables of its module.
        call: the local ones, and what is done.
    """
    if call[".do"] is operations.reraise:  # it has its line
        operations.reraise(*call[".args"])
    try:
        if handled is None:
            return eval(made, scope, call)
        return while_handling(handled, eval, (made, scope, call))
    finally:
        dict.clear(call)  # the frame may live on, in a traceback
        handled = None


@holds
def do_late(place: Location, operation: Callable, args: tuple) -> None:
    """Do a change that the program has made some time before: handlers of signals wait, since what they would see, and
    what they raise, belongs to a moment in the midst of changes that stay."""
    code, position, scope, variables = place
    call = Variables(variables, operation, args, {})
    try:
        eval(stub(code, position), scope, call)
    finally:
        dict.clear(call)


def _is_of(frame: types.FrameType, made: types.CodeType, call: Variables) -> bool:
    """Whether a frame is the one of some code with these variables. Nothing else is asked for its variables: a frame keeps
    a dict of them from then on, and one of ours would hold the exception that holds the frame."""
    return frame.f_code is made and frame.f_locals is call


def _do_from(
    places: Sequence[Location], operation: Callable, args: tuple, names: dict, handled: BaseException | None,
    is_whole: bool = False,
) -> Any:  # fmt: skip
    """The same, with frames for all of the places.

    Args:
        is_whole: whether what is done has a frame of the program's itself, with which tracebacks begin.
    """
    called: list[Variables] = []
    for code, position, scope, variables in reversed(places):
        called.append(Variables(variables, operation, args, names))
        made = stub(code, position)
        operation, args, names = eval, (made, scope, called[-1]), {}
    last = stub(places[-1].code, places[-1].position)
    try:
        return do_alone(made, scope, called[-1], handled)
    except BaseException as error:
        entry = error.__traceback__
        while entry is not None and not _is_of(entry.tb_frame, last, called[0]):  # up to the frame of the last place
            entry = entry.tb_next
        error.__traceback__ = entry.tb_next if is_whole and entry is not None else entry
        if BRINGS_BACK:
            raise error
        raise
    finally:
        for values in called:
            dict.clear(values)
        # The frames that show lines of the program know that this one has called them: it must hold nothing behind.
        operation = args = names = places = scope = variables = called = values = handled = entry = None  # type: ignore
