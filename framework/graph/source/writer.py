"""Instructions, as they are written one after the other: labels, variables, inner functions.

A variable is first taken to be in the frame; when the function is done and it is known what its inner functions use, the
variables that must be in cells get the opcodes for cells (`Writer.code`).

Names of the frame that start with a dot are the compiler's own: `.0` is the iterable that a generator expression is
called with, `.1x` the variable `x` of a comprehension that is a loop in the function it stands in, other ones hold
values for some instructions. What follows dots and digits is the name in the source.
"""

from __future__ import annotations

import ast
import inspect
import sys
import types
from collections.abc import Iterable
from typing import Any

from anfora.core.span import between, is_internal
from anfora.graph.source.code import Code, Part, Position
from anfora.graph.source.constants import Pool
from anfora.graph.source.outline import Loop
from anfora.graph.source.scopes import (
    Definition,
    Level,
    Path,
    define,
    every_node,
    mangle,
    names_of,
    position_of,
    private_of,
    qualified_name,
    seen_at,
)
from anfora.graph.source.tracebacks import INNER, Inner

__all__ = ["Label", "Writer"]


class Label:
    """A place in the instructions that is jumped to."""

    __slots__ = ("index",)

    def __init__(self) -> None:
        self.index = -1


class Writer:
    """Instructions of one function, as they are written.

    Args:
        definition: the function.
    """

    def __init__(self, definition: Definition) -> None:
        self.definition = definition
        self.python = definition.python
        self.constants = Pool(definition.python)
        self.path: Path = definition.path
        self.private = private_of(definition.path)
        self.names = names_of(definition.node, self.private)
        self.free = frozenset(self.python.co_freevars)
        self.opcodes: list[str] = []
        self.arguments: list[Any] = []
        self.positions: list[Position] = []
        self.captured: set[str] = set()
        self.comprehensions: list[dict[str, str]] = []  # those that this place is in: their variables, renamed
        self.levels: list[Level] = []  # these comprehensions, where Python has functions for them
        self.inner_frames: list[Inner] = []
        self.own_names = 0
        self.loops: list[Loop] = []
        self.noted: list[Part] = []

    def emit(self, opcode: str, argument: Any, node: ast.AST, seen: ast.AST | None = None) -> None:
        """Write an instruction.

        Args:
            node: what it is about.
            seen: where Python says that it stands; None for there.
        """
        self.opcodes.append(opcode)
        self.arguments.append(self.constants.the(argument) if opcode == "CONST" else argument)
        self.positions.append(position_of(node) if seen is None else seen_at(node, seen))

    def emit_all(self, instructions: Iterable[tuple[str, Any]], node: ast.AST, seen: ast.AST | None = None) -> None:
        """Write several, with their arguments."""
        for opcode, argument in instructions:
            self.emit(opcode, argument, node, seen)

    def note(self, start: int, node: ast.AST) -> None:
        """The instructions from `start` on are a piece of syntax."""
        self.noted.append(Part(start, len(self.opcodes), node))

    def place(self, label: Label) -> None:
        """The label stands for the next instruction."""
        label.index = len(self.opcodes)

    def code(self) -> Code:
        """What has been written."""
        cells = self.captured & self.names.bound
        for i, (opcode, argument) in enumerate(zip(self.opcodes, self.arguments)):
            if type(argument) is Label:
                self.arguments[i] = argument.index
            elif opcode in ("LOAD", "LOAD_OUTER", "STORE", "DELETE") and argument in cells:
                self.opcodes[i] = opcode + "_CELL"
        for loop in self.loops:
            loop.settle(cells, self.free)
        if self.inner_frames:
            INNER[id(self.python)] = self.python, tuple(self.inner_frames), self.python
        is_ours = is_internal(self.python) and not any(self.python is code for code in between)
        return Code(
            self.python, self.opcodes, self.arguments, self.positions, tuple(sorted(cells)), self.python.co_freevars,
            is_generator=bool(self.python.co_flags & inspect.CO_GENERATOR),
            is_internal=is_ours,
            puts_back=is_ours and any(map(_puts_back, every_node(self.definition.node))),
            loops={loop.head: loop for loop in self.loops},
            walks={loop.iter: loop for loop in self.loops if loop.iter is not None},
            parts=self.noted,
        )  # fmt: skip

    # -- variables -----------------------------------------------------------------------------------------------------

    def variable(self, action: str, name: str, node: ast.AST) -> None:
        """LOAD, STORE or DELETE a variable of the source."""
        name = mangle(name, self.private)
        for renamed in reversed(self.comprehensions):
            if name in renamed:
                self.emit(action, renamed[name], node)
                return
        self.function_variable(action, name, node)

    def function_variable(self, action: str, name: str, node: ast.AST) -> None:
        """The same of the function itself, seen through comprehensions; the name is mangled."""
        if name in self.names.bound:
            is_seen_through = action == "LOAD" and bool(self.levels)
            self.emit("LOAD_OUTER" if is_seen_through else action, name, node)
        elif name in self.free and name not in self.names.declared_global:
            self.emit(f"{action}_CELL", name, node)
        else:
            self.emit(f"{action}_GLOBAL", name, node)

    def own_name(self, name: str = "") -> str:
        """A new name for a variable of the frame that is not in the source."""
        self.own_names += 1
        return f".{self.own_names}{name}"

    def forget(self, name: str, node: ast.AST) -> None:
        """The variable of the frame has no value any more, if it had one."""
        self.emit("CONST", None, node)
        self.emit("STORE", name, node)
        self.emit("DELETE", name, node)

    # -- inner functions -----------------------------------------------------------------------------------------------

    def inner(self, node: Any, name: str) -> types.CodeType:
        """The code object of a definition inside this function."""
        path = self.path_of(name, isinstance(node, ast.ClassDef))
        variables, declared = sorted(self.names.bound | self.free), self.names.declared_global
        code = define(node, path, self.definition.module_names, self.python, variables, declared, self.constants.the)
        self.captured.update(code.co_freevars)
        return code

    def path_of(self, name: str, is_class: bool = False) -> Path:
        is_global = mangle(name, self.private) in self.names.declared_global
        return (*self.path, *self.levels, Level(name, is_class, is_global))

    def make_function(self, node: Any, code: types.CodeType, has: tuple[str, ...] = ()) -> None:
        self.emit("FUNCTION", (code, has), node)
        if sys.version_info < (3, 11):  # code objects do not know their qualified names
            self.emit("CONST", qualified_name(self.path_of(code.co_name)), node)
            self.emit("COPY", 2, node)
            self.emit("SETATTR", "__qualname__", node)


def _puts_back(node: ast.AST) -> bool:
    """Whether it is a `try` that something comes out of in no other way: with `finally`, or an `except` for all."""
    if not isinstance(node, ast.Try):
        return False
    caught = [handler.type.id for handler in node.handlers if isinstance(handler.type, ast.Name)]
    return bool(node.finalbody) or "BaseException" in caught
