"""Statements as instructions.

Between statements the stack holds what the statements around them need: the iterator of each `for`, the `__exit__` of
each `with`, the exception of each `except`. `return`, `break` and `continue` leave these (`leave`): they drop what is
theirs, write the `finally` again where they pass it, and call `__exit__`.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from anfora.graph.source.code import BINARY, Code, Unsupported
from anfora.graph.source.outline import Loop
from anfora.graph.source.patterns import Patterns
from anfora.graph.source.scopes import (
    DEFINITIONS,
    Definition,
    mangle,
    no_arguments,
    no_type_parameters,
    place_of_assertion,
    place_of_attribute,
    place_of_walk,
    renamed,
)
from anfora.graph.source.writer import Label

__all__ = ["compile_function"]


def compile_function(definition: Definition) -> Code:
    """The instructions of a function.

    Raises:
        Unsupported: it has something that there are no instructions for.
    """
    return Statements(definition).function()


@dataclass
class Block:
    """A statement that is being compiled, around the one that is next.

    Attributes:
        leave: writes what is done when it is left; its argument says whether a value is on the stack that is kept.
        break_, continue_: of a loop.
    """

    leave: Callable[[bool], None]
    break_: Label | None = None
    continue_: Label | None = None


class Statements(Patterns):
    """Instructions for statements; for a node of class X the method X."""

    def __init__(self, definition: Definition) -> None:
        super().__init__(definition)
        self.blocks: list[Block] = []

    def function(self) -> Code:
        node = self.definition.node
        if isinstance(node, ast.Lambda):
            self.value(node.body)
            if self.python.co_flags & inspect.CO_GENERATOR:  # the value of a generator that is a lambda is dropped
                self.emit("POP", None, node)
                self.emit("CONST", None, node)
            self.emit("RETURN", None, node)
            return self.code()
        if isinstance(node, ast.GeneratorExp):
            self.emit("LOAD", ".0", node)
            self.generators(node.generators, lambda depth: self.yield_element(node), node, None)
        else:
            self.body(node.body)
        self.emit("CONST", None, node)
        self.emit("RETURN", None, node)
        return self.code()

    def yield_element(self, node: ast.GeneratorExp) -> None:
        self.value(node.elt)
        self.emit("YIELD", None, node)
        self.emit("POP", None, node)

    def body(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            method = getattr(self, type(statement).__name__, None)
            if method is None:
                raise Unsupported(f"{type(statement).__name__} (line {statement.lineno})")
            start = len(self.opcodes)
            method(statement)
            if type(statement).__name__ in _PARTS:
                self.note(start, statement)

    # -- simple statements ---------------------------------------------------------------------------------------------

    def Pass(self, node: ast.Pass) -> None:
        pass

    Global = Nonlocal = Pass

    def Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self.value(node.value)
            self.emit("POP", None, node)

    def Assign(self, node: ast.Assign) -> None:
        self.value(node.value)
        for target in node.targets[:-1]:
            self.emit("COPY", 1, node)
            self.assign(target)
        self.assign(node.targets[-1])

    def AugAssign(self, node: ast.AugAssign) -> None:
        target, operator = node.target, BINARY[type(node.op)]
        if isinstance(target, ast.Name):
            self.variable("LOAD", target.id, target)
            self.value(node.value)
            self.emit("INPLACE", operator, node)
            self.assign(target)
        elif isinstance(target, ast.Attribute):
            name = mangle(target.attr, self.private)
            self.value(target.value)
            self.emit("COPY", 1, target)
            self.emit("GETATTR", name, target, place_of_attribute(target, target))
            self.value(node.value)
            self.emit("INPLACE", operator, node)
            self.emit("SWAP", 2, target)
            self.emit("SETATTR", name, target, place_of_attribute(target, target))
        else:
            self.value(target.value)
            self.value(target.slice)
            self.emit("COPY", 2, target)
            self.emit("COPY", 2, target)
            self.emit("GETITEM", None, target)
            self.value(node.value)
            self.emit("INPLACE", operator, node)
            self.emit("ROTATE", 3, target)
            self.emit("SETITEM", None, target)

    def AnnAssign(self, node: ast.AnnAssign) -> None:
        target = node.target
        if node.value is not None:
            self.value(node.value)
            self.assign(target)
        elif isinstance(target, (ast.Attribute, ast.Subscript)):  # what it belongs to is evaluated all the same
            parts: list[ast.expr | None] = [target.value]
            if isinstance(target, ast.Subscript):
                indices = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
                for index in indices:
                    parts += (index.lower, index.upper, index.step) if isinstance(index, ast.Slice) else (index,)
            for part in parts:
                if part is not None:
                    self.value(part)
                    self.emit("POP", None, part)

    def Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            self.delete(target)

    def delete(self, target: ast.expr) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            for part in target.elts:
                self.delete(part)
        else:
            self.access("DEL", target)

    def Assert(self, node: ast.Assert) -> None:
        if not __debug__:
            return
        end = Label()
        self.jump_if(node.test, True, end, node)
        self.emit("CONST", AssertionError, node)
        if node.msg is not None:
            self.value(node.msg)
            self.emit("CALL", (1, ()), node)
        self.emit("RAISE", 1, node, place_of_assertion(node))
        self.place(end)

    def Raise(self, node: ast.Raise) -> None:
        parts = [part for part in (node.exc, node.cause) if part is not None]
        self.values(parts)
        self.emit("RAISE", len(parts), node)

    def Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self.emit("IMPORT", (alias.name, None, 0), node)
            first, *rest = alias.name.split(".")
            if alias.asname is not None and rest:
                self.emit("IMPORT_AS", tuple(rest), node)
            self.variable("STORE", alias.asname or first, node)

    def ImportFrom(self, node: ast.ImportFrom) -> None:
        self.emit("IMPORT", (node.module or "", tuple(alias.name for alias in node.names), node.level), node)
        for alias in node.names:
            self.emit("IMPORT_FROM", alias.name, node)
            self.variable("STORE", alias.asname or alias.name, node)
        self.emit("POP", None, node)

    # -- definitions ---------------------------------------------------------------------------------------------------

    def FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        if getattr(node, "type_params", None):
            self.generic(node, node.name)
            return
        self.values(node.decorator_list)
        has = (*self.defaults(node.args), *self.annotations(node))
        self.make_function(node, self.inner(node, node.name), has)
        self.decorate(node)

    AsyncFunctionDef = FunctionDef

    def ClassDef(self, node: ast.ClassDef) -> None:
        if getattr(node, "type_params", None):
            self.generic(node, node.name)
            return
        self.values(node.decorator_list)
        self.emit("LOAD_BUILTIN", "__build_class__", node)
        self.emit("FUNCTION", (self.inner(node, node.name), ()), node)
        self.emit("CONST", node.name, node)
        self.arguments_and_call(node.bases, node.keywords, node, before=2)
        self.decorate(node)

    def decorate(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        for decorator in reversed(node.decorator_list):
            self.emit("CALL", (1, ()), decorator)
        self.variable("STORE", node.name, node)

    def TypeAlias(self, node: Any) -> None:
        self.generic(node, node.name.id)

    def generic(self, node: ast.stmt, name: str) -> None:
        """A definition with type parameters, or of a type: done by an inner function, which Python runs."""
        place = {attribute: getattr(node, attribute) for attribute in node._attributes}
        answer = ast.Return(ast.Name(name, ast.Load(), **place), **place)
        level = f"<generic parameters of {name}>"
        around: Any = ast.FunctionDef(level, no_arguments(), [node, answer], [], **no_type_parameters(), **place)
        code = self.inner(around, level)
        del DEFINITIONS[id(code)]
        self.make_function(node, renamed(code, f"{level}.<locals>.", ""))
        self.emit("CALL", (0, ()), node)
        self.variable("STORE", name, node)

    # -- branches and loops --------------------------------------------------------------------------------------------

    def If(self, node: ast.If) -> None:
        otherwise, end = Label(), Label()
        self.jump_if(node.test, False, otherwise, node)
        self.body(node.body)
        if node.orelse:
            self.emit("JUMP", end, node)
        self.place(otherwise)
        self.body(node.orelse)
        self.place(end)

    def While(self, node: ast.While) -> None:
        loop, otherwise, end = Label(), Label(), Label()
        noted = Loop(node)
        self.emit("LOOP", noted, node)
        self.place(loop)
        if not (isinstance(node.test, ast.Constant) and node.test.value):
            self.jump_if(node.test, False, otherwise, node)
        self.blocks.append(Block(lambda has_value: None, end, loop))
        self.body(node.body)
        self.blocks.pop()
        self.emit("JUMP", loop, node)
        self.finish_loop(noted, loop.index, None, otherwise, end)

    def For(self, node: ast.For) -> None:
        loop, otherwise, end = Label(), Label(), Label()
        at_iter = self.iterator(node.iter, node)
        self.place(loop)
        self.emit("NEXT", otherwise, node.iter, place_of_walk(node.iter, node))
        self.assign(node.target)
        self.blocks.append(Block(lambda has_value: self.drop(has_value, node), end, loop))
        self.body(node.body)
        self.blocks.pop()
        self.emit("JUMP", loop, node)
        self.finish_loop(Loop(node), loop.index, at_iter, otherwise, end)

    def finish_loop(self, loop: Loop, head: int, at_iter: int | None, otherwise: Label, end: Label) -> None:
        """What comes behind the body of a loop: the ways to go on where Python has done the loop, and `else`."""
        node = loop.node
        self.note_loop(loop, head, at_iter)
        if "RETURN" in self.opcodes[head : loop.landing]:
            loop.returned = len(self.opcodes)
            self.leave(0, has_value=True)
            self.emit("RETURN", None, node)
        self.place(otherwise)
        loop.otherwise = otherwise.index
        self.body(node.orelse)
        self.place(end)
        loop.end = end.index

    def drop(self, below_value: bool, node: ast.AST) -> None:
        """Drop the top of the stack, or what is below it."""
        if below_value:
            self.emit("SWAP", 2, node)
        self.emit("POP", None, node)

    def Break(self, node: ast.Break | ast.Continue) -> None:
        loop = next(i for i in reversed(range(len(self.blocks))) if self.blocks[i].break_ is not None)
        block, is_break = self.blocks[loop], isinstance(node, ast.Break)
        self.leave(loop if is_break else loop + 1, has_value=False)
        self.emit("JUMP", block.break_ if is_break else block.continue_, node)

    Continue = Break

    def Return(self, node: ast.Return) -> None:
        if node.value is None:
            self.emit("CONST", None, node)
        else:
            self.value(node.value)
        if any(block.break_ is None for block in self.blocks):  # loops alone leave nothing that matters
            self.leave(0, has_value=True)
        self.emit("RETURN", None, node)

    def leave(self, down_to: int, has_value: bool) -> None:
        """Leave the innermost blocks, until `down_to` are left."""
        blocks = self.blocks
        while len(self.blocks) > down_to:
            block = self.blocks[-1]
            self.blocks = self.blocks[:-1]
            block.leave(has_value)
        self.blocks = blocks

    # -- exceptions ----------------------------------------------------------------------------------------------------

    def protected(self, body: Callable[[], None], leave: Callable[[bool], None], handler: Label, node: ast.AST) -> None:
        """A body whose exceptions go to the handler; `leave` says what else is done when it is left."""

        def leave_all(has_value: bool) -> None:
            self.emit("POP_HANDLER", None, node)
            leave(has_value)

        self.emit("HANDLER", handler, node)
        self.blocks.append(Block(leave_all))
        body()
        self.blocks.pop()
        self.emit("POP_HANDLER", None, node)

    def caught(self, body: Callable[[], None], node: ast.AST) -> None:
        """What is done with the exception on top of the stack; when it comes to the end the exception goes on."""
        failed = Label()

        def leave(has_value: bool) -> None:
            self.emit("END_CAUGHT", None, node)
            self.drop(has_value, node)

        self.emit("CAUGHT", None, node)
        self.protected(body, leave, failed, node)
        self.emit("END_CAUGHT", None, node)
        self.emit("RERAISE", None, node)
        self.place(failed)  # with an exception of its own
        self.emit("END_CAUGHT", None, node)
        self.emit("RERAISE", None, node)

    def Try(self, node: ast.Try) -> None:
        if node.finalbody:
            self.try_finally(node)
        else:
            self.try_except(node)

    def TryStar(self, node: Any) -> None:
        raise Unsupported("except*")

    def try_finally(self, node: ast.Try) -> None:
        handler, end = Label(), Label()

        def leave(has_value: bool) -> None:
            if has_value:  # `finally` may leave too, and then drops the value
                self.blocks = [*self.blocks, Block(lambda has_other: self.drop(has_other, node))]
            self.body(node.finalbody)
            if has_value:
                self.blocks = self.blocks[:-1]

        def body() -> None:
            if node.handlers:
                self.try_except(node)
            else:
                self.body(node.body)

        self.protected(body, leave, handler, node)
        self.body(node.finalbody)
        self.emit("JUMP", end, node)
        self.place(handler)
        self.caught(lambda: self.body(node.finalbody), node)
        self.place(end)

    def try_except(self, node: ast.Try) -> None:
        handler, end = Label(), Label()
        self.protected(lambda: self.body(node.body), lambda has_value: None, handler, node)
        self.body(node.orelse)
        self.emit("JUMP", end, node)
        self.place(handler)
        self.caught(lambda: self.handlers(node.handlers, end), node)
        self.place(end)

    def handlers(self, handlers: Sequence[ast.ExceptHandler], end: Label) -> None:
        for handler in handlers:
            next_handler = Label()
            if handler.type is not None:
                self.value(handler.type)
                self.emit("MATCHES", None, handler.type, handler)
                self.emit("JUMP_UNLESS", next_handler, handler.type)
            if handler.name is None:
                self.body(handler.body)
            else:
                self.named_handler(handler, handler.name)
            self.leave(len(self.blocks) - 1, has_value=False)
            self.emit("JUMP", end, handler)
            self.place(next_handler)

    def named_handler(self, handler: ast.ExceptHandler, name: str) -> None:
        """`except ... as name`: at its end, however that comes, the variable is deleted."""

        def forget(has_value: bool) -> None:
            self.emit("CONST", None, handler)
            self.variable("STORE", name, handler)
            self.variable("DELETE", name, handler)

        failed, done = Label(), Label()
        self.emit("COPY", 1, handler)
        self.variable("STORE", name, handler)
        self.protected(lambda: self.body(handler.body), forget, failed, handler)
        forget(False)
        self.emit("JUMP", done, handler)
        self.place(failed)
        forget(False)
        self.emit("RERAISE", None, handler)
        self.place(done)

    def With(self, node: ast.With) -> None:
        self.with_items(node.items, node)

    def with_items(self, items: Sequence[ast.withitem], node: ast.With) -> None:
        if not items:
            self.body(node.body)
            return
        item, *rest = items
        at = item.context_expr
        seen = place_of_walk(at, node)
        self.value(at)
        self.emit_all(_ENTER, at, seen)
        own_name = self.own_name()
        if item.optional_vars is None:
            self.emit("POP", None, at, seen)
        else:  # it is assigned where exceptions are already handled, from a stack as high as that of the handler
            self.emit("STORE", own_name, at, seen)

        def body() -> None:
            if item.optional_vars is not None:
                self.emit("LOAD", own_name, at, seen)
                self.emit("DELETE", own_name, at, seen)
                self.assign(item.optional_vars)
            self.with_items(rest, node)

        def leave(has_value: bool) -> None:
            if has_value:
                self.emit("SWAP", 2, at, seen)
            self.emit_all(_EXIT, at, seen)

        def ask_exit() -> None:
            goes_on = Label()
            self.emit_all(_ASK_EXIT, at, seen)
            self.emit("JUMP_UNLESS", goes_on, at, seen)
            self.leave(len(self.blocks) - 1, has_value=False)
            self.emit("POP", None, at, seen)
            self.emit("JUMP", end, at, seen)
            self.place(goes_on)

        handler, end = Label(), Label()
        self.protected(body, leave, handler, at)
        leave(False)
        self.emit("JUMP", end, at, seen)
        self.place(handler)
        self.caught(ask_exit, at)
        self.place(end)

    # -- match ---------------------------------------------------------------------------------------------------------

    def Match(self, node: ast.Match) -> None:
        end = Label()
        self.value(node.subject)
        for case in node.cases:
            next_case = Label()
            self.case(case, next_case)
            self.emit("POP", None, case.pattern)
            self.body(case.body)
            self.emit("JUMP", end, case.pattern)
            self.place(next_case)
        self.emit("POP", None, node)
        self.place(end)


#: x -> x.__exit__, what x.__enter__() gives
_ENTER = (("COPY", 1), ("SPECIAL", "__enter__"), ("SWAP", 2), ("SPECIAL", "__exit__"), ("SWAP", 2), ("CALL", (0, ())))
#: exit ->, when it has been called without an exception
_EXIT = (*[("CONST", None)] * 3, ("CALL", (3, ())), ("POP", None))
#: exit exception -> exit exception, and what exit(type(exception), exception, exception.__traceback__) gives
_ASK_EXIT = (
    *[("COPY", 2), ("CONST", type), ("COPY", 3), ("CALL", (1, ()))],
    *[("COPY", 3), ("COPY", 1), ("GETATTR", "__traceback__"), ("CALL", (3, ()))],
)

#: Statements that are parts of their own.
_PARTS = frozenset([
    "FunctionDef", "AsyncFunctionDef", "ClassDef", "TypeAlias", "Import", "ImportFrom", "Raise", "Try", "With", "Match",
])  # fmt: skip
