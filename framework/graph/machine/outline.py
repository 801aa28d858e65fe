"""What the machine leaves to Python as a whole: loops, from any of their iterations on (source/outline.py).

Outlined     the function that Python runs
outlined     what is called for a loop in a frame, and with what
land         the frame goes on behind it
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable
from typing import Any

from anfora.graph.machine.signals import holds, leaves
from anfora.graph.source.code import Unsupported
from anfora.graph.source.outline import BREAK, END, RAISED, RETURN, Loop

__all__ = ["Outlined", "land", "outlined"]


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

    def __call__(self, items: Any, result: Any, *values: Any) -> tuple:
        """
        Args:
            items: what it goes over, or the three numbers of a range.
            result: the container that a comprehension fills, None for a new one.
            values: the cells that the code names as free variables, then the variables of the frame.
        Returns:
            how it has ended, the value, and those of variables: see `_ended_of`.
        """
        return self.done_by(_run, items, result, *values)

    @holds
    def done_by(self, run: Callable, items: Any, result: Any, *values: Any) -> tuple:
        """The same, by something that calls the function."""
        call, count = self._call, len(self.code.co_freevars)
        if call is None:
            call = types.FunctionType(self.code, self.scope, None, None, values[:count])
        if type(items) is tuple and len(items) == 4 and items[0] is range:
            items = range(*items[1:])
        if result is None and self.loop.fills:
            result = self.loop.empty()
        return run(call, _ended_of(self.loop.stored), items, result, *values[count:])

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


def outlined(frame: Any, loop: Loop, items: Any, result: Any) -> tuple[Outlined, tuple] | None:
    """What Python is to call to do a loop from here on, and with what; None if it cannot.

    Args:
        items: what it goes over.
        result: the container that it fills.
    """
    if not loop.is_possible:
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
    return function, (items, result, *cells, *[frame.locals.get(name) for name in loop.locals.values()])


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
        raise value
