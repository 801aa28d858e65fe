"""Constants of a function: the very objects that Python's own code has, so that `is` says the same of them.

constant_of(node)       the value of an expression that Python works out when it compiles
constants_of_set(node)  the same of a set that is written down, of which Python's code has a frozen one
Pool(code).the(value)   the object that a code object holds for such a value
"""

from __future__ import annotations

import ast
import dis
import functools
import types
from collections.abc import Iterable
from typing import Any

from anfora.graph.source.quiet import quietly

__all__ = ["NOT_CONSTANT", "Pool", "constant_of", "constants_of_set"]

NOT_CONSTANT = object()

_GIVING = frozenset(["RESUME", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST", "LOAD_SMALL_INT"])


def constant_of(node: ast.expr) -> Any:
    """The value of an expression, if Python's code has it as a constant; else NOT_CONSTANT."""
    if isinstance(node, ast.Constant):
        return node.value
    if not _may_be_folded(node):
        return NOT_CONSTANT
    try:
        code = quietly(compile, ast.Expression(node), "", "eval")
    except (SyntaxError, ValueError):
        return NOT_CONSTANT
    if all(instruction.opname in _GIVING for instruction in dis.get_instructions(code)):
        return eval(code)
    return NOT_CONSTANT


def _may_be_folded(node: Any) -> bool:
    """Whether an expression is made of what Python works out when it compiles, if it can."""
    kind = type(node)
    if kind is ast.BinOp:
        return _may_be_folded(node.left) and _may_be_folded(node.right)
    if kind is ast.UnaryOp:
        return _may_be_folded(node.operand)
    if kind is ast.Tuple:
        return all(map(_may_be_folded, node.elts))
    if kind is ast.Subscript:
        return _may_be_folded(node.value) and _may_be_folded(node.slice)
    return kind is ast.Constant


def constants_of_set(node: ast.expr) -> frozenset | None:
    """What Python's code has for a set that is written down with constants alone; None for anything else."""
    values = [constant_of(item) for item in node.elts] if isinstance(node, ast.Set) else [NOT_CONSTANT]
    return None if NOT_CONSTANT in values else frozenset(values)


class Pool:
    """The constants of a code object, and of those in it.

    Args:
        code: of the user's function.
    """

    def __init__(self, code: types.CodeType) -> None:
        self._code = code

    def the(self, value: Any) -> Any:
        """The object that the code has for a value; the value itself where it has none."""
        return self._objects.get(_key(value), value)

    def the_tuple(self, values: Iterable[Any]) -> tuple:
        """The same of a tuple; where the code has none, one of the objects that it has."""
        given = tuple(values)
        found = self.the(given)
        return found if found is not given else tuple(map(self.the, given))

    @functools.cached_property
    def _objects(self) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        pending = [self._code]
        for code in pending:
            for constant in code.co_consts:
                if type(constant) is types.CodeType:
                    pending.append(constant)
                else:
                    found.setdefault(_key(constant), constant)
        return found


def _key(value: Any) -> Any:
    """What is equal only for constants that Python takes for the same."""
    if type(value) is tuple:
        return tuple, tuple(map(_key, value))
    if type(value) is frozenset:
        return frozenset, frozenset(map(_key, value))
    return type(value), repr(value) if type(value) in (float, complex) else value
