"""Expressions as instructions: each leaves its value on the stack, and what it consists of is evaluated in Python's order.

A variable is first taken to be in the frame; when the function is done and it is known what its inner functions use, the
variables that must be in cells get the opcodes for cells (`Writer.code`).

Names of the frame that start with a dot are the compiler's own: `.0` is the iterable that a generator expression is
called with, `.1x` the variable `x` of a comprehension that is a loop in the function it stands in, other ones hold
values for some instructions. What follows dots and digits is the name in the source.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import inspect
import sys
import types
from collections.abc import Sequence
from typing import Any

from anfora.core.span import is_internal
from anfora.graph.source.code import Code, Position, Unsupported
from anfora.graph.source.constants import NOT_CONSTANT, Pool, constant_of
from anfora.graph.source.outline import Loop
from anfora.graph.source.scopes import (
    Definition,
    Level,
    Path,
    calls_method,
    compiled,
    compiled_as_function,
    define,
    inside_of,
    mangle,
    names_of,
    no_arguments,
    no_type_parameters,
    place_of_attribute,
    place_of_item,
    place_of_test,
    place_of_walk,
    position_of,
    private_of,
    qualified_name,
    seen_at,
)
from anfora.graph.source.tracebacks import INNER, Inner

__all__ = ["Expressions", "Label"]

UNARY = {ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert", ast.Not: "not"}
BINARY = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.MatMult: "matmul", ast.LShift: "lshift", ast.RShift: "rshift", ast.BitAnd: "bitand",
    ast.BitOr: "bitor", ast.BitXor: "bitxor",
}  # fmt: skip
COMPARE = {
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Is: "is",
    ast.IsNot: "is_not", ast.In: "in", ast.NotIn: "not_in",
}  # fmt: skip
CONVERSIONS = {-1: "", ord("s"): "s", ord("r"): "r", ord("a"): "a"}


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

    def emit(self, opcode: str, argument: Any, node: ast.AST, seen: ast.AST | None = None) -> None:
        """Write an instruction.

        Args:
            node: what it is about.
            seen: where Python says that it stands; None for there.
        """
        self.opcodes.append(opcode)
        self.arguments.append(self.constants.the(argument) if opcode == "CONST" else argument)
        self.positions.append(position_of(node) if seen is None else seen_at(node, seen))

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
            INNER[id(self.python)] = self.python, tuple(self.inner_frames)
        return Code(
            self.python,
            self.opcodes,
            self.arguments,
            self.positions,
            tuple(sorted(cells)),
            self.python.co_freevars,
            bool(self.python.co_flags & inspect.CO_GENERATOR),
            is_internal(self.python),
            is_internal(self.python) and any(map(_puts_back, ast.walk(self.definition.node))),
            {loop.head: loop for loop in self.loops},
            {loop.iter: loop for loop in self.loops if loop.iter is not None},
        )

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
        variables = sorted(self.names.bound | self.free)
        code = define(node, path, self.definition.module_names, self.python, variables, self.names.declared_global)
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


class Expressions(Writer):
    """Instructions for expressions; for a node of class X the method X."""

    def value(self, node: ast.expr) -> None:
        """Leave the value of an expression on the stack."""
        method = getattr(self, type(node).__name__, None)
        if method is None:
            raise Unsupported(f"{type(node).__name__} (line {node.lineno})")
        method(node)

    def values(self, nodes: Sequence[ast.expr]) -> None:
        for node in nodes:
            self.value(node)

    def Name(self, node: ast.Name) -> None:
        if node.id == "__debug__":
            self.emit("CONST", __debug__, node)
        else:
            self.variable("LOAD", node.id, node)

    def Constant(self, node: ast.Constant) -> None:
        self.emit("CONST", node.value, node)

    def NamedExpr(self, node: ast.NamedExpr) -> None:
        self.value(node.value)
        self.emit("COPY", 1, node)
        assert isinstance(node.target, ast.Name)
        self.function_variable("STORE", mangle(node.target.id, self.private), node.target)

    # -- operators -----------------------------------------------------------------------------------------------------

    def UnaryOp(self, node: ast.UnaryOp) -> None:
        if not self.is_constant(node):
            self.value(node.operand)
            self.emit("UNARY", UNARY[type(node.op)], node)

    def is_constant(self, node: ast.expr) -> bool:
        """Leave the value of an expression on the stack that Python has worked out: whether it has."""
        constant = constant_of(node)
        if constant is not NOT_CONSTANT:
            self.emit("CONST", constant, node)
        return constant is not NOT_CONSTANT

    def BinOp(self, node: ast.BinOp) -> None:
        if self.is_constant(node):
            return
        self.value(node.left)
        self.value(node.right)
        self.emit("BINARY", BINARY[type(node.op)], node)

    def BoolOp(self, node: ast.BoolOp) -> None:
        jumps_on = isinstance(node.op, ast.Or)
        end = Label()
        for operand in node.values[:-1]:
            self.value_or_pop(operand, jumps_on, end, node)
        self.value(node.values[-1])
        self.place(end)

    def value_or_pop(self, node: ast.expr, jumps_on: bool, target: Label, around: ast.BoolOp) -> None:
        """Jump with the value if bool(value) is `jumps_on`, else go on without it; `around` is what asks.

        Of `(a and b) or c` Python 3.12 and later ask bool(a) a second time where it is false, those before do not.
        """
        if sys.version_info >= (3, 12) or not isinstance(node, ast.BoolOp):
            self.value(node)
            self.emit("JUMP_IF_OR_POP" if jumps_on else "JUMP_UNLESS_OR_POP", target, node, around)
        elif isinstance(node.op, ast.Or) is jumps_on:
            for operand in node.values[:-1]:
                self.value_or_pop(operand, jumps_on, target, node)
            self.value_or_pop(node.values[-1], jumps_on, target, around)
        else:
            after = Label()
            for operand in node.values[:-1]:
                self.jump_if(operand, not jumps_on, after, node)
            self.value_or_pop(node.values[-1], jumps_on, target, around)
            self.place(after)

    def jump_if(self, node: ast.expr, jumps_on: bool, target: Label, around: ast.AST) -> None:
        """Jump if bool of the expression is `jumps_on`, else go on; leaves nothing on the stack. `around` is the statement
        or expression that branches."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self.jump_if(node.operand, not jumps_on, target, around)
        elif isinstance(node, ast.BoolOp):
            if isinstance(node.op, ast.Or) is jumps_on:
                for operand in node.values:
                    self.jump_if(operand, jumps_on, target, around)
            else:
                after = Label()
                for operand in node.values[:-1]:
                    self.jump_if(operand, not jumps_on, after, around)
                self.jump_if(node.values[-1], jumps_on, target, around)
                self.place(after)
        elif isinstance(node, ast.IfExp):
            otherwise, end = Label(), Label()
            self.jump_if(node.test, False, otherwise, around)
            self.jump_if(node.body, jumps_on, target, around)
            self.emit("JUMP", end, node)
            self.place(otherwise)
            self.jump_if(node.orelse, jumps_on, target, around)
            self.place(end)
        elif isinstance(node, ast.Compare) and len(node.ops) > 1:
            failed, end = Label(), Label()
            self.compare_all_but_last(node, failed, "JUMP_UNLESS")
            self.emit("JUMP_IF" if jumps_on else "JUMP_UNLESS", target, node)
            self.emit("JUMP", end, node)
            self.place(failed)
            self.emit("POP", None, node)
            if not jumps_on:
                self.emit("JUMP", target, node)
            self.place(end)
        else:
            self.value(node)
            self.emit("JUMP_IF" if jumps_on else "JUMP_UNLESS", target, node, place_of_test(node, around))

    def Compare(self, node: ast.Compare) -> None:
        failed, end = Label(), Label()
        self.compare_all_but_last(node, failed, "JUMP_UNLESS_OR_POP")
        if len(node.ops) > 1:
            self.emit("JUMP", end, node)
            self.place(failed)  # middle result -> result
            self.emit("SWAP", 2, node)
            self.emit("POP", None, node)
            self.place(end)

    def compare_all_but_last(self, node: ast.Compare, failed: Label, jump: str) -> None:
        """A chain of comparisons; where one but the last is false it jumps, with the middle operand on the stack."""
        self.value(node.left)
        last = len(node.ops) - 1
        for i, (operator, right) in enumerate(zip(node.ops, node.comparators)):
            self.value(right)
            if i < last:
                self.emit("COPY", 1, node)
                self.emit("ROTATE", 3, node)
            self.emit("COMPARE", COMPARE[type(operator)], node)
            if i < last:
                self.emit(jump, failed, node)

    def IfExp(self, node: ast.IfExp) -> None:
        otherwise, end = Label(), Label()
        self.jump_if(node.test, False, otherwise, node)
        self.value(node.body)
        self.emit("JUMP", end, node)
        self.place(otherwise)
        self.value(node.orelse)
        self.place(end)

    # -- attributes and items ------------------------------------------------------------------------------------------

    def Attribute(self, node: ast.Attribute) -> None:
        self.value(node.value)
        self.emit("GETATTR", mangle(node.attr, self.private), node, place_of_attribute(node, node))

    def Subscript(self, node: ast.Subscript) -> None:
        if self.is_constant(node):
            return
        self.value(node.value)
        self.value(node.slice)
        self.emit("GETITEM", None, node)

    def Slice(self, node: ast.Slice) -> None:
        for part in (node.lower, node.upper, node.step):
            if part is None:
                self.emit("CONST", None, node)
            else:
                self.value(part)
        self.emit("SLICE", None, node)

    # -- displays ------------------------------------------------------------------------------------------------------

    def Tuple(self, node: ast.Tuple) -> None:
        if not self.is_constant(node):
            self.tuple_of(node.elts, node)

    def tuple_of(self, nodes: Sequence[ast.expr], node: ast.AST) -> None:
        if any(isinstance(item, ast.Starred) for item in nodes):
            self.display(nodes, "LIST", "APPEND", "EXTEND", node)
            self.emit("TO_TUPLE", None, node)
        else:
            self.values(nodes)
            self.emit("TUPLE", len(nodes), node)

    def List(self, node: ast.List) -> None:
        self.display(node.elts, "LIST", "APPEND", "EXTEND", node)

    def Set(self, node: ast.Set) -> None:
        self.display(node.elts, "SET", "ADD", "UPDATE", node)

    def display(self, nodes: Sequence[ast.expr], make: str, one: str, many: str, node: ast.AST) -> None:
        first = next((i for i, item in enumerate(nodes) if isinstance(item, ast.Starred)), len(nodes))
        self.values(nodes[:first])
        self.emit(make, first, node)
        for item in nodes[first:]:
            if isinstance(item, ast.Starred):
                self.value(item.value)
                self.emit(many, 1, item, node)
            else:
                self.value(item)
                self.emit(one, 1, item)

    def Dict(self, node: ast.Dict) -> None:
        # Runs of items are made at once, as Python does: then their keys are hashed.
        is_made, count = False, 0

        def finish() -> None:
            nonlocal is_made, count
            if count or not is_made:
                self.emit("MAP", count, node)
                if is_made:
                    self.emit("MERGE", 1, node)
            is_made, count = True, 0

        for key, value in zip(node.keys, node.values):
            if key is None:
                finish()
                self.value(value)
                self.emit("MERGE", 1, value, node)
            else:
                self.value(key)
                self.value(value)
                count += 1
        finish()

    # -- texts ---------------------------------------------------------------------------------------------------------

    def JoinedStr(self, node: ast.JoinedStr) -> None:
        if not node.values:
            self.emit("CONST", "", node)
            return
        self.values(node.values)
        if len(node.values) > 1:
            self.emit("JOIN", len(node.values), node)

    def FormattedValue(self, node: ast.FormattedValue) -> None:
        self.value(node.value)
        conversion = CONVERSIONS[node.conversion]
        if node.format_spec is not None:
            if conversion and sys.version_info >= (3, 13):  # which converts before it asks how long the text is to be
                self.emit("FORMAT", (f"to {conversion}", False), node)
                conversion = ""
            self.value(node.format_spec)
        self.emit("FORMAT", (conversion, node.format_spec is not None), node)

    # -- calls ---------------------------------------------------------------------------------------------------------

    def Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args and not node.keywords:
            self.plain_super(node)
            return
        self.value(node.func)
        self.arguments_and_call(node.args, node.keywords, node)

    def arguments_and_call(
        self, positional: Sequence[ast.expr], keywords: Sequence[ast.keyword], node: ast.AST, before: int = 0
    ) -> None:
        """The arguments of a call, and the call; the function is on the stack, and `before` arguments above it."""
        if not any(isinstance(a, ast.Starred) for a in positional) and all(k.arg is not None for k in keywords):
            self.values(positional)
            for keyword in keywords:
                self.value(keyword.value)
            names = tuple(k.arg for k in keywords if k.arg is not None)  # these Python does not mangle
            place = node
            if isinstance(node, ast.Call) and calls_method(node, self.definition.module_names):
                place = place_of_attribute(node, node.func)
            self.emit("CALL", (before + len(positional) + len(names), names), node, place)
            return
        if before == 0 and len(positional) == 1 and isinstance(positional[0], ast.Starred):
            # Python makes it a tuple after the keyword arguments have been evaluated.
            self.value(positional[0].value)
            is_late = True
        else:
            is_late = False
            first = next((i for i, a in enumerate(positional) if isinstance(a, ast.Starred)), len(positional))
            self.values(positional[:first])
            self.emit("LIST", before + first, node)
            for argument in positional[first:]:
                if isinstance(argument, ast.Starred):
                    self.value(argument.value)
                    self.emit("EXTEND", 1, node)
                else:
                    self.value(argument)
                    self.emit("APPEND", 1, node)
            self.emit("TO_TUPLE", None, node)
        is_made, count = False, 0

        def finish() -> None:
            nonlocal is_made, count
            if count or not is_made:
                self.emit("MAP", count, node)
                if is_made:
                    self.emit("MERGE_KEYWORDS", None, node)
            is_made, count = True, 0

        for keyword in keywords:
            if keyword.arg is None:
                finish()
                self.value(keyword.value)
                self.emit("MERGE_KEYWORDS", None, node)
            else:
                self.emit("CONST", keyword.arg, keyword)
                self.value(keyword.value)
                count += 1
        finish()
        if any(keyword.arg is None for keyword in keywords):
            self.emit("TO_DICT", None, node)
        if is_late:
            self.emit("SPREAD", None, node)
        self.emit("CALL_SPREAD", None, node)

    def plain_super(self, node: ast.Call) -> None:
        """`super()` is super(__class__, the first argument), unless `super` is something else here."""
        self.value(node.func)
        if self.opcodes[-1] == "LOAD_GLOBAL":
            if self.python.co_name.startswith("<") and not isinstance(self.definition.node, ast.Lambda):
                raise Unsupported("super() without arguments in a comprehension")
            if self.comprehensions and sys.version_info < (3, 12):
                raise Unsupported("super() without arguments in a comprehension")
            if "__class__" not in self.free or not self.python.co_argcount:
                raise Unsupported("super() without arguments outside of a method")
            other, end = Label(), Label()
            self.emit("COPY", 1, node)
            self.emit("CONST", builtins.super, node)
            self.emit("COMPARE", "is", node)
            self.emit("JUMP_UNLESS", other, node)
            self.emit("LOAD_CELL", "__class__", node)
            self.emit("LOAD", self.python.co_varnames[0], node)
            self.emit("CALL", (2, ()), node)
            self.emit("JUMP", end, node)
            self.place(other)
            self.emit("CALL", (0, ()), node)
            self.place(end)
        else:
            self.emit("CALL", (0, ()), node)

    # -- functions -----------------------------------------------------------------------------------------------------

    def Lambda(self, node: ast.Lambda) -> None:
        has = self.defaults(node.args)
        self.make_function(node, self.inner(node, "<lambda>"), has)

    def defaults(self, arguments: ast.arguments) -> tuple[str, ...]:
        """The default values of a function; which kinds of them are on the stack then."""
        has: list[str] = []
        if arguments.defaults:
            constants = [constant_of(default) for default in arguments.defaults]
            if NOT_CONSTANT in constants:
                self.values(arguments.defaults)
                self.emit("TUPLE", len(constants), arguments.defaults[0])
            else:
                self.emit("CONST", tuple(constants), arguments.defaults[0])
            has.append("defaults")
        given = [
            (argument, default) for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults) if default
        ]
        for argument, default in given:
            self.emit("CONST", mangle(argument.arg, self.private), argument)
            self.value(default)
        if given:
            self.emit("MAP", len(given), given[0][0])
            has.append("kwdefaults")
        return tuple(has)

    def annotations(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[str, ...]:
        """The annotations of a function, in the order in which Python evaluates them."""
        arguments = node.args
        annotated = [
            (argument.arg, argument.annotation)
            for argument in (
                *arguments.args,
                *arguments.posonlyargs,
                arguments.vararg,
                *arguments.kwonlyargs,
                arguments.kwarg,
            )
            if argument is not None and argument.annotation is not None
        ]
        if node.returns is not None:
            annotated.append(("return", node.returns))
        for name, annotation in annotated:
            self.emit("CONST", mangle(name, self.private), annotation)
            if self.python.co_flags & __future__.annotations.compiler_flag:
                self.emit("CONST", self.text_of(annotation), annotation)
            elif isinstance(annotation, ast.Starred):  # *args: *Ts
                self.value(annotation.value)
                self.emit("UNPACK", 1, annotation)
            else:
                self.value(annotation)
        if not annotated:
            return ()
        self.emit("MAP", len(annotated), node)
        return ("annotations",)

    def text_of(self, annotation: ast.expr) -> str:
        """An annotation as the text that Python makes of it under `from __future__ import annotations`."""
        target = ast.copy_location(ast.Name("x", ast.Store()), annotation)
        statement = ast.copy_location(ast.AnnAssign(target, annotation, None, 1), annotation)
        tree = ast.Module([statement], [])
        return compiled(tree, self.python.co_filename, self.python.co_flags).co_consts[0]

    def GeneratorExp(self, node: ast.GeneratorExp) -> None:
        _refuse_async(node)
        self.make_function(node, self.inner(node, "<genexpr>"))
        self.iterator(node.generators[0].iter, node)
        self.emit("CALL", (1, ()), node)

    # -- comprehensions ------------------------------------------------------------------------------------------------

    def ListComp(self, node: ast.ListComp) -> None:
        self.comprehension(node, "<listcomp>", "LIST", "APPEND")

    def SetComp(self, node: ast.SetComp) -> None:
        self.comprehension(node, "<setcomp>", "SET", "ADD")

    def DictComp(self, node: ast.DictComp) -> None:
        self.comprehension(node, "<dictcomp>", "MAP", "PUT")

    def comprehension(self, node: Any, name: str, make: str, add: str) -> None:
        _refuse_async(node)
        if compiled_as_function(node):
            if any(isinstance(n, ast.Name) and n.id == "super" for part in inside_of(node) for n in ast.walk(part)):
                raise Unsupported("super() without arguments in a comprehension")
            function = _as_function(node, name, self.names.declared_global, self.private)
            self.make_function(node, self.inner(function, name))
            self.value(node.generators[0].iter)
            self.emit("CALL", (1, ()), node)
            return
        at_iter = self.iterator(node.generators[0].iter, node)
        self.emit(make, 0, node)
        self.emit("SWAP", 2, node)
        targets = [n for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)]
        stored = {mangle(n.id, self.private) for n in targets if isinstance(n.ctx, ast.Store)}
        renamed = {variable: self.own_name(variable) for variable in sorted(stored)}
        self.comprehensions.append(renamed)
        if sys.version_info < (3, 12):
            self.levels.append(Level(name))
            self.note_frame(node, name)

        def finish(depth: int) -> None:
            if add == "PUT":
                self.value(node.key)
                self.value(node.value)
            else:
                self.value(node.elt)
            self.emit(add, depth + 1, node, place_of_item(node))

        self.generators(node.generators, finish, node, at_iter)
        self.comprehensions.pop()
        del self.levels[-1:]
        for variable in renamed.values():
            self.forget(variable, node)

    def iterator(self, walked: ast.expr, around: ast.AST) -> int:
        """Leave the iterator over what a loop goes over on the stack. Gives the number of the instruction that makes it."""
        self.value(walked)
        self.emit("ITER", None, walked, place_of_walk(walked, around))
        return len(self.opcodes) - 1

    def note_frame(self, node: Any, name: str) -> None:
        """A comprehension that is a loop here, and has a frame in this Python: see `Inner`."""
        outside = set(ast.walk(node.generators[0].iter))
        mentioned = {mangle(n.id, self.private) for n in ast.walk(node) if isinstance(n, ast.Name) and n not in outside}
        renamed = {variable: own for variables in self.comprehensions for variable, own in variables.items()}
        variables = tuple([(variable, renamed.get(variable, variable)) for variable in sorted(mentioned)])
        called = qualified_name((*self.path, *self.levels))
        place, first = position_of(node), position_of(node.generators[0].iter)
        self.inner_frames.append(Inner(place, first, name, called, variables))

    def generators(
        self, generators: Sequence[ast.comprehension], finish: Any, node: Any, at_iter: int | None, depth: int = 1
    ) -> None:
        """The loops of a comprehension, around what `finish` writes; the iterator of the first is on the stack."""
        generator, *rest = generators
        loop, end = Label(), Label()
        self.place(loop)
        self.emit("NEXT", end, place_of_walk(generator.iter, node))
        self.assign(generator.target)
        for test in generator.ifs:
            self.jump_if(test, False, loop, node)
        if rest:
            inner = self.iterator(rest[0].iter, node)
            self.generators(rest, finish, node, inner, depth + 1)
        else:
            finish(depth)
        self.emit("JUMP", loop, generator.target)
        if not isinstance(node, ast.GeneratorExp):
            self.note_loop(Loop(node, depth), loop.index, at_iter)
        self.place(end)

    def note_loop(self, loop: Loop, head: int, at_iter: int | None = None) -> None:
        """A loop that is behind this place may be left to Python from any iteration on, and lands here."""
        loop.definition, loop.names, loop.renamed = self.definition, self.names, {}
        for variables in self.comprehensions:
            loop.renamed.update(variables)
        loop.head, loop.iter, loop.landing = head, at_iter, len(self.opcodes)
        self.emit("LANDED", loop, loop.node)
        loop.otherwise = loop.end = len(self.opcodes)
        self.loops.append(loop)

    # -- generators ----------------------------------------------------------------------------------------------------

    def Yield(self, node: ast.Yield) -> None:
        if node.value is None:
            self.emit("CONST", None, node)
        else:
            self.value(node.value)
        self.emit("YIELD", None, node)

    def YieldFrom(self, node: ast.YieldFrom) -> None:
        self.value(node.value)
        self.emit("ITER", None, node)
        self.emit("CONST", None, node)
        self.emit("YIELD_FROM", None, node)

    # -- targets -------------------------------------------------------------------------------------------------------

    def assign(self, target: ast.expr) -> None:
        """Take the value from the stack and assign it."""
        if isinstance(target, ast.Name):
            self.variable("STORE", target.id, target)
        elif isinstance(target, ast.Attribute):
            self.value(target.value)
            self.emit("SETATTR", mangle(target.attr, self.private), target, place_of_attribute(target, target))
        elif isinstance(target, ast.Subscript):
            self.value(target.value)
            self.value(target.slice)
            self.emit("SETITEM", None, target)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self.unpack(target.elts, target)
            for part in target.elts:
                self.assign(part.value if isinstance(part, ast.Starred) else part)
        else:
            raise Unsupported(f"{type(target).__name__} as a target (line {target.lineno})")

    def unpack(self, parts: Sequence[Any], node: ast.AST, starred: type = ast.Starred) -> None:
        star = next((i for i, part in enumerate(parts) if isinstance(part, starred)), None)
        if star is None:
            self.emit("UNPACK", len(parts), node)
        else:
            self.emit("UNPACK_REST", (star, len(parts) - star - 1), node)


def _puts_back(node: ast.AST) -> bool:
    """Whether it is a `try` that something comes out of in no other way: with `finally`, or an `except` for all."""
    if not isinstance(node, ast.Try):
        return False
    caught = [handler.type.id for handler in node.handlers if isinstance(handler.type, ast.Name)]
    return bool(node.finalbody) or "BaseException" in caught


def _refuse_async(node: Any) -> None:
    if any(generator.is_async for generator in node.generators):
        raise Unsupported("async")


def _walruses(nodes: Sequence[ast.AST]) -> set[str]:
    """Names that `:=` binds in expressions, but for those in functions in them."""
    names: set[str] = set()
    todo = list(nodes)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.NamedExpr):
            names.add(node.target.id)
        if isinstance(node, ast.Lambda):
            todo += [default for default in (*node.args.defaults, *node.args.kw_defaults) if default]
        else:
            todo += ast.iter_child_nodes(node)
    return names


def _as_function(node: Any, name: str, declared_global: set[str], private: str) -> ast.FunctionDef:
    """A comprehension as a function of the first iterable: `[f(x) for x in .0 if x]` is

        def <listcomp>(.0):
            .made = []
            for x in .0:
                if x:
                    .made.append(f(x))
            return .made

    Names that `:=` binds in it belong to the function around it.
    """

    def at(new: Any, like: Any = node) -> Any:
        return ast.copy_location(new, like)

    load, store = ast.Load(), ast.Store()
    empty: Any
    if isinstance(node, ast.DictComp):
        empty, method, values = ast.Dict([], []), "__setitem__", [node.key, node.value]
    elif isinstance(node, ast.SetComp):
        empty, method, values = ast.Set([at(ast.Starred(at(ast.Tuple([], load)), load))]), "add", [node.elt]
    else:
        empty, method, values = ast.List([], load), "append", [node.elt]
    add = at(ast.Attribute(at(ast.Name(".made", load)), method, load))
    body: ast.stmt = at(ast.Expr(at(ast.Call(add, values, []))))
    for i, generator in reversed(list(enumerate(node.generators))):
        for test in reversed(generator.ifs):
            body = at(ast.If(test, [body], []), place_of_test(test, node))
        iterable = generator.iter if i else at(ast.Name(".0", load), generator.iter)
        body = at(ast.For(generator.target, iterable, [body], [], None), place_of_walk(generator.iter, node))
    walruses = _walruses(inside_of(node))
    statements: list[ast.stmt] = []
    for statement, is_global in ((ast.Global, True), (ast.Nonlocal, False)):
        chosen = sorted(w for w in walruses if (mangle(w, private) in declared_global) is is_global)
        if chosen:
            statements.append(at(statement(chosen)))
    statements.append(at(ast.Assign([at(ast.Name(".made", store))], at(empty), None)))
    statements.append(body)
    statements.append(at(ast.Return(at(ast.Name(".made", load)))))
    arguments = no_arguments()
    arguments.args = [at(ast.arg(".0", None))]
    return at(ast.FunctionDef(name, arguments, statements, [], **no_type_parameters()))
