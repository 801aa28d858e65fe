"""What a call has left, as a list of tokens that another process can compare with its own.

A walk starts at named roots (the result, the arguments, the function) and comes to all that can be reached. Each thing
gives one token: its type, and of numbers and texts the value, of arrays the bits, of objects that were met before the
number of that meeting. So two lists are equal if and only if the values have the same structure, the same aliases among
them, and no bit differs. Nothing of the program is run: attributes are read from dictionaries and slots, never by name.

    Walk().tokens(roots)    the tokens, one by one; the walk needs no stack of Python's, however deep a list is nested

Of functions their code counts, what their free variables hold, and the globals that they read; of classes of the program
their attributes; modules are names, of which the attributes count that a function names. Classes and functions of the
standard library, of installed packages and of this library are names. An order is a part of a value wherever the program
can see it, so of sets too, but for those whose order follows from addresses.
"""

from __future__ import annotations

import dis
import functools
import gc
import itertools
import types
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from anfora.core import memory
from anfora.core.own_builtins import undisturbed
from anfora.core.tensor import Tensor
from anfora.graph.facts.kinds import dict_of_module, name_of_module
from anfora.graph.tell.kinds import WITHOUT_IDENTITY, Plan, is_of_a_library
from anfora.graph.tell.tokens import Children, Path, Token, Word, atom, long_text

__all__ = ["Walk"]

MOST = 2_000_000  #: tokens of a walk
_NOTHING = Word("nothing")


class Walk:
    """A walk over values. Everything that was met is kept alive as long as the walk, so that no address is used twice."""

    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}
        self.met: list[Any] = []
        self.paths: list[Path] = []
        self.followed: list[tuple[Path, Tensor]] = []  #: tensors with a history, in the order in which they were met
        self.is_cut = False  #: whether there was more than `MOST`
        self._plans: dict[type, Plan] = {}
        self._owners: dict[int, int] = {}
        self._globals: set[tuple[int, str]] = set()
        self._is_collected = False

    def tokens(self, roots: Iterable[tuple[Path, Any]]) -> Iterator[Token]:
        """The tokens of values with their paths, and of all that they lead to."""
        stack = [iter(roots)]
        count = 0
        while stack:
            for path, value in stack[-1]:
                count += 1
                if count > MOST:
                    self.is_cut = True
                    return
                token, children = self._look(path, value)
                yield token
                if children is not None:
                    stack.append(iter(children))
                    break
            else:
                stack.pop()

    def _look(self, path: Path, value: Any) -> tuple[Token, Children | None]:
        text = atom(value)
        if text is not None:
            return Token(path, text), None
        kind = type(value)
        if kind is str or kind is bytes:
            return long_text(path, value), None
        if kind not in WITHOUT_IDENTITY:
            number = self.numbers.get(id(value))
            if number is not None:
                return Token(path, f"\0{number}"), None
            self.numbers[id(value)] = len(self.met)
            self.met.append(value)
            self.paths.append(path)
        plan = self._plans.get(kind)
        if plan is None:
            plan = self._plans[kind] = Plan(kind)
        text, blob, parts = plan.title, None, ()
        if plan.payload is not None:
            text, blob, parts = plan.payload(self, path, value, plan.title)
        names, attributes = plan.attributes(path, value)
        return Token(path, text + names, blob), itertools.chain(parts, attributes) if parts or attributes else None

    def owner(self, buffer: np.ndarray) -> int:
        """The number of the memory that an array lies in."""
        owner = memory.root(buffer)
        number = self._owners.get(id(owner))
        if number is None:
            self.met.append(owner)
            self.paths.append(None)
            number = self._owners[id(owner)] = len(self._owners)
        return number

    def collect(self) -> None:
        """Before weak references are asked: cycles that nobody reaches are gone at some time, so let them be gone now."""
        if not self._is_collected:
            self._is_collected = True
            gc.collect()

    def globals_of(self, function: types.FunctionType, code: types.CodeType) -> Children:
        """The globals that a function reads or sets, and the attributes of modules among them that it names."""
        namespace = function.__globals__
        module = namespace.get("__name__")
        if not (type(module) is str and is_of_a_library(module)):
            for name in _globals_read(code):
                key = id(namespace), name
                where = None, f"/global {name}"
                value = namespace.get(name, _NOTHING)
                if key not in self._globals:
                    self._globals.add(key)
                    yield where, value
                if type(value) is types.ModuleType and not is_of_a_library(name_of_module(value)):
                    names = dict_of_module(value)
                    for attribute in _all_names(code):
                        key = id(names), attribute
                        if attribute in names and key not in self._globals:
                            self._globals.add(key)
                            yield (where, f".{attribute}"), names[attribute]


def _code_in(code: types.CodeType) -> Iterator[types.CodeType]:
    """A code object, and those in it."""
    yield code
    for constant in code.co_consts:
        if type(constant) is types.CodeType:
            yield from _code_in(constant)


@functools.lru_cache(4096)
@undisturbed
def _globals_read(code: types.CodeType) -> tuple[str, ...]:
    """The names of the globals that a code object reads or sets, and those in it, in order."""
    instructions = itertools.chain.from_iterable(map(dis.get_instructions, _code_in(code)))
    found = [each.argval for each in instructions if each.opname.endswith(("_GLOBAL", "_NAME"))]
    return tuple(dict.fromkeys(name for name in found if type(name) is str))


@functools.lru_cache(4096)
def _all_names(code: types.CodeType) -> tuple[str, ...]:
    """All names that a code object and those in it use, in order."""
    return tuple(dict.fromkeys(name for each in _code_in(code) for name in each.co_names))
