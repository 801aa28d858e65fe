"""Parts of a program that have no graph form, as Python functions: what `interpret` nodes call.

    with lock:                  function(lock, y)  ->  what it does next, a value, and the variables that it has bound
        y = f(y)
        if y > 3:
            return y

A part is compiled from its own source, in its place in the file. It gets the variables that it uses as arguments, and gives
those back that it may bind. Variables that live in cells, since inner functions use them and they change, are variables
around it. A jump out of the part (`return`, `break` or `continue` of a loop around it) is told by a number.
"""

from __future__ import annotations

import ast
import copy
import functools
import types
from collections.abc import Callable, Sequence
from typing import Any

from anfora.graph.ir.primitives import UNBOUND
from anfora.graph.source.scopes import Definition, code_inside, no_arguments, no_type_parameters

__all__ = ["BREAK", "CONTINUE", "RETURN", "function_of"]

#: What a part does next, where it does not just end.
RETURN, BREAK, CONTINUE = 1, 2, 3

_WAY, _VALUE, _LOCALS, _UNBOUND = ".way", ".value", ".locals", ".unbound"  # no names that a program can have


class _Jumps(ast.NodeTransformer):
    """Writes the jumps out of a part as returns of it, or as jumps out of the loop that is put around it."""

    in_loop = False  #: of the part itself

    def visit_FunctionDef(self, node: Any) -> Any:
        return node

    visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = visit_GeneratorExp = visit_FunctionDef

    def visit_For(self, node: Any) -> Any:
        around, self.in_loop = self.in_loop, True
        node.body = self.visit_all(node.body)
        self.in_loop = around
        node.orelse = self.visit_all(node.orelse)
        return node

    visit_While = visit_For

    def visit_all(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        module = ast.Module([*statements], [])
        self.generic_visit(module)
        return module.body

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        at = functools.partial(ast.copy_location, old_node=node)
        parts = [at(ast.Constant(RETURN)), node.value or at(ast.Constant(None)), at(ast.Constant(None))]
        return at(ast.Return(at(ast.Tuple(parts, ast.Load()))))

    def visit_Break(self, node: ast.Break | ast.Continue) -> Any:
        if self.in_loop:
            return node
        at = functools.partial(ast.copy_location, old_node=node)
        way = at(ast.Constant(BREAK if isinstance(node, ast.Break) else CONTINUE))
        return [at(ast.Assign([at(ast.Name(_WAY, ast.Store()))], way)), at(ast.Break())]

    visit_Continue = visit_Break


def function_of(
    part: ast.AST, definition: Definition, function: types.FunctionType,
    reads: Sequence[str], cells: Sequence[str], writes: Sequence[str], declared: Sequence[str],
) -> Callable[..., tuple]:  # fmt: skip
    """A part as a function of the variables that it reads, and of the cells that it uses, by their names.

    Args:
        part: a statement or an expression.
        definition: where it stands.
        function: in whose module.
        reads, cells, writes: names of variables.
        declared: those of the module that it assigns.
    Returns:
        a function that gives what is done next (0 for nothing but what follows), the value that is returned, or that of an
        expression, and then the variables that are written; UNBOUND for one that has no value.
    """
    made = _definition(copy.deepcopy(part), definition.path[-1].name, reads, cells, declared)
    code = code_inside(definition, made, cells)

    def run(**values: Any) -> tuple:
        closure = tuple([values[name] for name in code.co_freevars])
        made = types.FunctionType(code, function.__globals__, code.co_name, None, closure)
        way, value, variables = made(locals, UNBOUND, *[values[name] for name in reads])
        return (way, value, *[(variables or {}).get(name, UNBOUND) for name in writes])

    run.__name__ = run.__qualname__ = f"part of {function.__qualname__}"
    return run


def _definition(
    part: Any, name: str, reads: Sequence[str], cells: Sequence[str], declared: Sequence[str]
) -> ast.FunctionDef:
    def at(made: Any) -> Any:
        return ast.copy_location(made, part)

    def load(text: str) -> ast.expr:
        return at(ast.Name(text, ast.Load()))

    def assign(text: str, value: ast.expr) -> ast.stmt:
        return at(ast.Assign([at(ast.Name(text, ast.Store()))], value))

    body: list[ast.stmt] = [assign(_WAY, at(ast.Constant(0))), assign(_VALUE, at(ast.Constant(None)))]
    if declared:
        body.insert(0, at(ast.Global([*declared])))
    if cells:
        body.insert(0, at(ast.Nonlocal([*cells])))
    for each in reads:
        has_none = at(ast.Compare(load(each), [ast.Is()], [load(_UNBOUND)]))
        body.append(at(ast.If(has_none, [at(ast.Delete([at(ast.Name(each, ast.Del()))]))], [])))
    if isinstance(part, ast.expr):
        body.append(assign(_VALUE, part))
    else:
        body.append(at(ast.While(at(ast.Constant(True)), [*_Jumps().visit_all([part]), at(ast.Break())], [])))
    values = at(ast.Tuple([load(_WAY), load(_VALUE), at(ast.Call(load(_LOCALS), [], []))], ast.Load()))
    body.append(at(ast.Return(values)))
    arguments = no_arguments()
    arguments.args = [at(ast.arg(each, None)) for each in (_LOCALS, _UNBOUND, *reads)]
    return at(ast.FunctionDef(name, arguments, body, [], None, **no_type_parameters()))
