"""Frames: calls of functions, as lists of values that can be copied; and how arguments become variables."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable
from typing import Any

from anfora.graph.source.code import Code

__all__ = ["ORIGINALS", "Frame", "bind", "builtins_of"]

#: By generator function of this library that stands for an iterator of Python's, its `Original` (generators.py). It is no
#: attribute: functions of the program have such of any name.
ORIGINALS: dict[Callable, Any] = {}


class Frame:
    """One call of a function: where it stands, and its values."""

    __slots__ = (
        "code", "function", "pc", "stack", "locals", "cells", "handlers", "caught", "deliver", "target", "cell_call",
        "turns", "whole",
    )  # fmt: skip

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
    cell_call: tuple | None  #: of the call of a Cell: the Cell and its arguments
    turns: dict[int, int]  #: how often a loop has gone into another iteration, by its head
    whole: Any  #: what the recorder calls it, where no piece of program may end inside of this call

    def __init__(self, code: Code, function: types.FunctionType, values: dict[str, Any]) -> None:
        self.code, self.function, self.locals = code, function, values
        self.pc = 0
        self.stack: list[Any] = []
        self.handlers, self.caught = [], []
        self.deliver, self.target, self.cell_call, self.whole = "value", None, None, None
        self.turns = {}
        self.cells: dict[str, types.CellType] = dict(zip(code.python.co_freevars, function.__closure__ or ()))
        for name in code.cells:
            cell = self.cells[name] = types.CellType()
            if name in values:
                cell.cell_contents = values.pop(name)

    def variables(self) -> dict[str, Any]:
        """The local variables: those that live in cells too."""
        if not self.cells:
            return self.locals
        found = dict(self.locals)
        for name, cell in self.cells.items():
            with contextlib.suppress(ValueError):  # it has no value
                found[name] = cell.cell_contents
        return found

    def __repr__(self) -> str:
        return f"<frame of {self.function.__qualname__} at {self.pc}>"

    @property
    def loops(self) -> list[int]:
        """The instructions that iterations start with, of the loops that it stands in and gives items in, the outermost
        first."""
        opcodes = self.code.opcodes
        return sorted(
            head
            for head, loop in self.code.loops.items()
            if head < self.pc <= loop.landing and "YIELD" in opcodes[head : loop.landing]
        )

    def asks_again(self) -> bool:
        """Whether it stands for an iterator that asks again what it has just asked, in a loop: see `Original`."""
        original = ORIGINALS.get(self.function)
        return original is not None and original.asks_again and self.loops == [self.pc - 1]

    def turn(self) -> None:
        """Go to the start of the next iteration of the innermost loop."""
        loops = self.loops
        self.pc = loops[-1]
        del self.stack[sum(self.code.opcodes[head] == "NEXT" for head in loops) :]
        self.handlers, self.caught, self.target = [], [], None

    def restart(self) -> None:
        """Go to the first instruction."""
        self.pc, self.stack = 0, []
        self.handlers, self.caught, self.target = [], [], None

    def twin(self) -> Frame:
        """Another one that stands where this one does, with the same variables in cells."""
        made = Frame(self.code, self.function, dict(self.locals))
        made.cells, made.pc, made.stack = self.cells, self.pc, self.stack[:]
        return made


def builtins_of(function: types.FunctionType) -> dict[str, Any]:
    """The names behind the global ones, as Python has taken them when it made the function."""
    return function.__builtins__  # type: ignore[attr-defined]


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
        values[names[rest]] = (*args[positional:],)  # a new one, of `f(*args)` too
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
    named = function.__kwdefaults__ or {}
    for name in names[positional : positional + only]:
        if name not in values and name in named:
            values[name] = named[name]
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
