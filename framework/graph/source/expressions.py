"""Expressions as instructions: each leaves its value on the stack; its parts are evaluated in Python's order."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Sequence
from typing import Any

from anfora.graph.source.code import BINARY, COMPARE, UNARY, Unsupported
from anfora.graph.source.constants import NOT_CONSTANT, constant_of, constants_of_set
from anfora.graph.source.scopes import mangle, place_of_attribute, place_of_test
from anfora.graph.source.writer import Label, Writer

__all__ = ["Expressions"]

_OF_VARIABLES = {"GET": "LOAD", "SET": "STORE", "DEL": "DELETE"}
#: How many things stand on the stack at most before a container is made of them, and how many items of a dict become one of
#: their own, as in Python. A dict is looked through where others are merged into it, so of those whose keys can be hashed
#: more do.
_FEW, _RUN, _MANY_PLAIN = 30, 17, 128
CONVERSIONS = {-1: "", ord("s"): "s", ord("r"): "r", ord("a"): "a"}


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
        start, end = len(self.opcodes), Label()
        for operand in node.values[:-1]:
            self.value_or_pop(operand, jumps_on, end, node)
        self.value(node.values[-1])
        self.place(end)
        self.note(start, node)

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
        start, failed, end = len(self.opcodes), Label(), Label()
        self.compare_all_but_last(node, failed, "JUMP_UNLESS_OR_POP")
        if len(node.ops) > 1:
            self.emit("JUMP", end, node)
            self.place(failed)  # middle result -> result
            self.emit("SWAP", 2, node)
            self.emit("POP", None, node)
            self.place(end)
            self.note(start, node)

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
        start, otherwise, end = len(self.opcodes), Label(), Label()
        self.jump_if(node.test, False, otherwise, node)
        self.value(node.body)
        self.emit("JUMP", end, node)
        self.place(otherwise)
        self.value(node.orelse)
        self.place(end)
        self.note(start, node)

    # -- attributes and items ------------------------------------------------------------------------------------------

    def access(self, action: str, target: ast.expr) -> None:
        """Read (GET), assign (SET, the value is on the stack) or delete (DEL) a variable, an attribute or an item."""
        if isinstance(target, ast.Name):
            self.variable(_OF_VARIABLES[action], target.id, target)
        elif isinstance(target, ast.Attribute):
            self.value(target.value)
            self.emit(f"{action}ATTR", mangle(target.attr, self.private), target, place_of_attribute(target, target))
        elif isinstance(target, ast.Subscript):
            self.values((target.value, target.slice))
            self.emit(f"{action}ITEM", None, target)
        else:
            raise Unsupported(f"{type(target).__name__} as a target (line {target.lineno})")

    def Attribute(self, node: ast.Attribute) -> None:
        self.access("GET", node)

    def Subscript(self, node: ast.Subscript) -> None:
        if not self.is_constant(node):
            self.access("GET", node)

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
        if len(nodes) > _FEW or any(isinstance(item, ast.Starred) for item in nodes):
            self.display(nodes, "LIST", "APPEND", "EXTEND", node)
            self.emit("TO_TUPLE", None, node)
        else:
            self.values(nodes)
            self.emit("TUPLE", len(nodes), node)

    def List(self, node: ast.List) -> None:
        self.display(node.elts, "LIST", "APPEND", "EXTEND", node)

    def Set(self, node: ast.Set) -> None:
        constants = constants_of_set(node)
        if (
            constants is not None and len(node.elts) > 2
        ):  # Python copies it; which item comes first may follow from that
            self.emit("SET", 0, node)
            self.emit("CONST", constants, node)
            self.emit("UPDATE", 1, node)
            return
        self.display(node.elts, "SET", "ADD", "UPDATE", node)

    def display(self, nodes: Sequence[ast.expr], make: str, one: str, many: str, node: ast.AST) -> None:
        """A container of what is written down. Many items go into it one by one, as with Python: the stack stays low, which
        is copied at each instruction. A list of nothing but constants takes them from one tuple."""
        if len(nodes) > _FEW and make == "LIST":
            constants = [item.value for item in nodes if isinstance(item, ast.Constant)]
            if len(constants) == len(nodes):
                self.emit(make, 0, node)
                self.emit("CONST", self.constants.the_tuple(constants), node)
                self.emit(many, 1, node)
                return
        first = 0 if len(nodes) > _FEW else len(nodes)
        first = next((i for i, item in enumerate(nodes[:first]) if isinstance(item, ast.Starred)), first)
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
        self.mapping(
            [*zip(node.keys, node.values)], self.value, node, lambda value: self.emit("MERGE", 1, value or node, node)
        )

    def mapping(
        self,
        items: Sequence[tuple[Any, Any]],
        key: Callable[[Any], None],
        node: ast.AST,
        merge: Callable[[ast.expr | None], None],
    ) -> None:
        """A dict of items. Those that follow each other become one at once where they are few or their keys can be hashed,
        and otherwise go into it one by one, as with Python: so what has been done is known where something fails.

        Args:
            items: where the key is None, the value is a mapping.
            key: leaves a key on the stack.
            merge: puts what is on the stack into the dict: such a mapping, or None for a run of items.
        """
        is_plain = all(name is None or isinstance(name, (ast.Constant, ast.keyword)) for name, _ in items)
        most = _MANY_PLAIN if is_plain else _RUN
        is_made = False
        run: list[tuple[Any, Any]] = []
        for name, value in (*items, (None, None)):
            if name is not None:
                run.append((name, value))
                if len(run) < most:
                    continue
            if run or not is_made:
                at_once = is_plain or 2 * len(run) <= _FEW
                if not at_once:
                    self.emit("MAP", 0, node)
                for one, its_value in run:
                    key(one)
                    self.value(its_value)
                    if not at_once:
                        self.emit("PUT", 1, node)
                if at_once:
                    self.emit("MAP", len(run), node)
                if is_made:
                    merge(None)
            is_made, run = True, []
            if name is None and value is not None:
                self.value(value)
                merge(value)

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
        if isinstance(target, (ast.Tuple, ast.List)):
            self.unpack(target.elts, target)
            for part in target.elts:
                self.assign(part.value if isinstance(part, ast.Starred) else part)
        else:
            self.access("SET", target)

    def unpack(self, parts: Sequence[Any], node: ast.AST, starred: type = ast.Starred) -> None:
        star = next((i for i, part in enumerate(parts) if isinstance(part, starred)), None)
        if star is None:
            self.emit("UNPACK", len(parts), node)
        else:
            self.emit("UNPACK_REST", (star, len(parts) - star - 1), node)
