"""What the machine leaves to Python as a whole: loops, from any of their iterations on (source/outline.py).

Outlined     the function that Python runs
outlined     what is called for a loop in a frame, and with what
move         the frame hands its variables over to it
land         the frame goes on behind it
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable
from typing import Any

from anfora.graph.machine.operations import is_filled
from anfora.graph.machine.signals import holds, leaves
from anfora.graph.source.code import Unsupported
from anfora.graph.source.outline import BREAK, END, RAISED, RETURN, Loop
from anfora.graph.source.tracebacks import INNER, Lines

__all__ = ["Outlined", "land", "move", "outlined"]


class Outlined:
    """A loop as a function of Python's.

    Args:
        loop: which one.
        code: of the function.
        scope: the module's variables.
    """

    __slots__ = ("_call", "code", "loop", "scope")

    def __init__(self, loop: Loop, code: types.CodeType, scope: dict[str, Any]) -> None:
        self.loop, self.code, self.scope = loop, code, scope
        self._call: Callable | None = None if code.co_freevars else types.FunctionType(code, scope)

    def __call__(self, *given: Any) -> tuple:
        return self.done(list(given))

    def done(self, given: list) -> tuple:
        """
        Args:
            given: what it goes over, or the three numbers of a range; the container that a comprehension fills, None for a
                new one; the cells that the code names as free variables; the variables of the frame; those of the
                comprehension. It is emptied: what the loop lets go is held by nobody else then.
        Returns:
            how it has ended, the value, and those of variables: see `_ended_of`.
        """
        return self.done_by(_run, given)

    @holds
    def done_by(self, run: Callable, given: list) -> tuple:
        """The same, by something that calls the function."""
        call, first = self._call, 2 + len(self.code.co_freevars)
        if call is None:
            call = types.FunctionType(self.code, self.scope, None, None, tuple(given[2:first]))
            del given[2:first]
        if type(given[0]) is tuple and len(given[0]) == 4 and given[0][0] is range:
            given[0] = range(*given[0][1:])
        if given[1] is None and self.loop.fills:
            given[1] = self.loop.empty()
        if self.loop.is_dropped:
            given[0] = [given[0]]
        try:  # nothing of what comes is a variable here: tracebacks of the loop keep the frames that have called it
            return self._shown(run(call, _ended_of(self.loop.stored), given))
        except BaseException as error:
            self._show_frames(error)
            if sys.version_info < (3, 11):  # where `raise` alone brings back the traceback that was there before
                raise error
            raise

    def _shown(self, ended: tuple) -> tuple:
        """How it has ended, with an exception that shows comprehensions."""
        if ended[0].startswith(RAISED):
            self._show_frames(ended[1])
        return ended

    def _show_frames(self, error: BaseException) -> None:
        """Have the traceback of what it has raised show each comprehension that this Python has a function for."""
        entry = error.__traceback__ if id(self.code) in INNER else None
        while entry is not None and entry.tb_frame.f_code is not self.code:
            entry = entry.tb_next
        if entry is not None:
            error.__traceback__ = Lines(entry, 1).traceback(entry.tb_next)

    def __repr__(self) -> str:
        return f"<loop of {self.code.co_name}, as a function>"


@leaves
def _run(call: Callable, *args: Any) -> Any:
    return call(*args)


@functools.lru_cache(maxsize=1024)
def _ended_of(stored: tuple[str, ...]) -> Callable:
    """What the function of a loop calls as `.ended`, given the variables that the loop assigns.

    It makes the tuple for LANDED: how the loop has ended and which of them have a value; the value of the whole; theirs.
    """

    @holds
    def ended(how: str, value: Any = None) -> tuple:
        if how == RAISED:
            value = sys.exc_info()[1]
        if not stored:
            return how, value
        found = sys._getframe(1).f_locals
        bound = "".join(["1" if name in found else "0" for name in stored])
        return (f"{how} {bound}", value, *[found.get(name) for name in stored])

    return ended


#: By loop: the functions for modules, unbound variables, and whether exceptions are given back.
_Made = dict[tuple, Outlined]


def outlined(frame: Any, loop: Loop, items: Any, result: Any) -> tuple[Outlined, list] | None:
    """What Python is to call to do a loop from here on, and what it is given; None if it cannot.

    Args:
        items: what it goes over.
        result: the container that it fills.
    """
    if not (loop.is_possible and all(is_filled(frame.cells[name]) for name in loop.to_be_set)):
        return None
    unbound = frozenset(name for name, own in loop.locals.items() if own not in frame.locals)
    is_caught = bool(frame.handlers)
    scope = frame.function.__globals__
    made: _Made = loop.__dict__.setdefault("made", {})
    function = made.get((id(scope), unbound, is_caught))
    if function is None or function.scope is not scope:
        try:
            code = loop.code(unbound, is_caught)
        except Unsupported:
            return None
        function = made[id(scope), unbound, is_caught] = Outlined(loop, code, scope)
    cells = [frame.cells[name] for name in function.code.co_freevars]
    variables = [frame.locals.get(name) for name in loop.locals.values()]
    return function, [items, result, *cells, *variables, *[None] * len(loop.own)]


def move(frame: Any, loop: Loop, given: list) -> None:
    """Have the frame hold nothing any more that the loop may let go: the loop alone does, and `land` gives it back."""
    for name in loop.stored:
        frame.locals.pop(loop.locals[name], None)
    for place, name in enumerate(loop.own.values(), len(given) - len(loop.own)):
        given[place] = frame.locals.pop(name, None)


def land(frame: Any, ended: tuple) -> None:
    """Go on in a frame behind a loop that Python has done."""
    loop = frame.code.arguments[frame.pc - 1]
    told, value, *values = ended
    how, _, bound = told.partition(" ")
    for name, is_bound, held in zip(loop.stored, bound, values):
        own = loop.locals[name]
        if is_bound == "1":
            frame.locals[own] = held
        else:
            frame.locals.pop(own, None)
    if how == END:
        if loop.fills:
            frame.stack[-loop.depth] = value
        frame.pc = loop.otherwise
    elif how == BREAK:
        frame.pc = loop.end
    elif how == RETURN:
        frame.stack.append(value)
        frame.pc = loop.returned
    else:
        try:
            raise value
        finally:  # this frame stands in the traceback: it must hold nothing behind
            frame = ended = value = values = held = None  # type: ignore[assignment]
