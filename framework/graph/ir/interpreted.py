"""Parts of a program that have no graph form, as Python functions: what `interpret` nodes call.

    with lock:                  function(lock, y)  ->  what it does next, a value, and the variables that it has bound
        y = f(y)
        if y > 3:
            return y

A part is compiled from its own source, in its place in the file. It gets the variables that it uses as arguments, and gives
those back that it may bind. Variables that live in cells, since inner functions use them and they are bound more than once,
are variables around it. A jump out of the part (`return`, `break` or `continue` of a loop around it) is told by a number.
"""

from __future__ import annotations

import ast
import copy
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from anfora.graph.ir.primitives import UNBOUND
from anfora.graph.source.scopes import mangle

__all__ = ["BREAK", "CONTINUE", "RETURN", "function_of", "jumps_out_of", "names_of", "signature_form", "variables_in"]

#: What a part does next, where it does not just end.
RETURN, BREAK, CONTINUE = 1, 2, 3

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.GeneratorExp)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp)
_LOOPS = (ast.For, ast.While, ast.AsyncFor)
_WAY, _VALUE, _LOCALS, _UNBOUND = ".way", ".value", ".locals", ".unbound"  # no names that a program can have


def signature_form(arguments: ast.arguments) -> tuple[str, ...]:
    """The parameters of a function as texts: `x`, `y=`, `*rest`, `key=`, `**more`; `/` and `*` stand between them."""
    plain = [*arguments.posonlyargs, *arguments.args]
    first_default = len(plain) - len(arguments.defaults)
    form = [f"{each.arg}=" if k >= first_default else each.arg for k, each in enumerate(plain)]
    if arguments.posonlyargs:
        form.insert(len(arguments.posonlyargs), "/")
    if arguments.vararg:
        form.append(f"*{arguments.vararg.arg}")
    elif arguments.kwonlyargs:
        form.append("*")
    form += [f"{each.arg}=" if value else each.arg for each, value in zip(arguments.kwonlyargs, arguments.kw_defaults)]
    return (*form, f"**{arguments.kwarg.arg}") if arguments.kwarg else tuple(form)


def variables_in(nodes: Sequence[ast.AST], private: str) -> dict[str, bool]:
    """The variables that a part uses, in the order of the source: whether it may bind or delete them itself."""
    found: dict[str, bool] = {}

    def visit(node: ast.AST, is_inner: bool) -> None:
        for name, binds in names_of(node):
            name = mangle(name, private)
            found[name] = found.get(name, False) or (binds and not is_inner)
        for child in ast.iter_child_nodes(node):
            visit(child, is_inner or isinstance(node, (*_FUNCTIONS, ast.ClassDef, *_COMPREHENSIONS)))

    for node in nodes:
        visit(node, False)
    return found


def names_of(node: ast.AST) -> Iterator[tuple[str, bool]]:
    """The variables that a node itself names, and whether it binds or deletes them."""
    if isinstance(node, ast.Name):
        yield node.id, not isinstance(node.ctx, ast.Load)
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name, True
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).partition(".")[0], True
    elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
        yield node.name, True
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest, True


def jumps_out_of(statements: Sequence[ast.stmt]) -> set[int]:
    """The ways in which a part may be left, but for its end and exceptions."""
    found: set[int] = set()

    def visit(node: ast.AST, in_loop: bool) -> None:
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            return
        if isinstance(node, ast.Return):
            found.add(RETURN)
        elif isinstance(node, (ast.Break, ast.Continue)) and not in_loop:
            found.add(BREAK if isinstance(node, ast.Break) else CONTINUE)
        for child in ast.iter_child_nodes(node):
            is_body = isinstance(node, _LOOPS) and child not in node.orelse
            visit(child, in_loop or is_body)

    for statement in statements:
        visit(statement, False)
    return found


class _Jumps(ast.NodeTransformer):
    """Writes the jumps out of a part as returns of it, or as jumps out of the loop that is put around it."""

    def visit_FunctionDef(self, node: Any) -> Any:
        return node

    visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = visit_GeneratorExp = visit_FunctionDef

    def visit_For(self, node: Any) -> Any:
        node.orelse = [found for each in node.orelse for found in _as_list(self.visit(each))]
        node.body = [found for each in node.body for found in _as_list(_Returns().visit(each))]
        return node

    visit_While = visit_For

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        none = _at(node, ast.Constant(None))
        parts = [_at(node, ast.Constant(RETURN)), node.value or none, none]
        return _at(node, ast.Return(_at(node, ast.Tuple(parts, ast.Load()))))

    def visit_Break(self, node: Any) -> list[ast.stmt]:
        way = BREAK if isinstance(node, ast.Break) else CONTINUE
        target = _at(node, ast.Name(_WAY, ast.Store()))
        return [_at(node, ast.Assign([target], _at(node, ast.Constant(way)))), _at(node, ast.Break())]

    visit_Continue = visit_Break


class _Returns(_Jumps):
    """The same within a loop of the part: `break` and `continue` are that loop's."""

    def visit_Break(self, node: Any) -> Any:
        return node

    visit_Continue = visit_Break

    def visit_For(self, node: Any) -> Any:
        return self.generic_visit(node)

    visit_While = visit_For


def _as_list(found: Any) -> list:
    return found if isinstance(found, list) else [found]


def _at(place: Any, made: Any) -> Any:
    return ast.copy_location(made, place)


class _Mangled(ast.NodeTransformer):
    """Names as they are kept in the class that a part stands in."""

    def __init__(self, private: str) -> None:
        self.private = private

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = mangle(node.id, self.private)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        node.attr = mangle(node.attr, self.private)
        return self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:  # names in it are those of this class
        return node


def function_of(
    part: Sequence[ast.stmt] | ast.expr, function: types.FunctionType, private: str,
    reads: Sequence[str], cells: Sequence[str], writes: Sequence[str], declared: Sequence[str],
) -> Callable[..., tuple]:  # fmt: skip
    """A part as a function of the variables that it reads, and of the cells that it uses, by their names.

    Args:
        part: its source.
        function: in whose module, and file, it stands.
        private: what private names in it start with.
        reads, cells, writes: names of variables.
        declared: those that are declared global.
    Returns:
        a function that gives what is done next (0 for nothing but what follows), the value that is returned, or that of an
        expression, and then the variables that are written; UNBOUND for one that has no value.
    """
    module = _source(copy.deepcopy(part), private, reads, cells, declared)
    outer = _only_code(compile(module, function.__code__.co_filename, "exec", dont_inherit=True))
    code = _named(_only_code(outer), function.__qualname__).replace(co_name=function.__code__.co_name)

    def run(**values: Any) -> tuple:
        closure = tuple([values[name] for name in code.co_freevars])
        made = types.FunctionType(code, function.__globals__, code.co_name, (locals, UNBOUND), closure)
        way, value, variables = made(*[values[name] for name in reads])
        return (way, value, *[(variables or {}).get(name, UNBOUND) for name in writes])

    run.__name__ = run.__qualname__ = f"part of {function.__qualname__}"
    return run


def _named(code: types.CodeType, name: str) -> types.CodeType:
    """The same with names of functions and classes in it as they are in the function."""
    parts = [
        _named(each, name) if isinstance(each, types.CodeType)
        else each.replace(_PART, name, 1) if isinstance(each, str) and each.startswith(_PART) else each
        for each in code.co_consts
    ]  # fmt: skip
    if sys.version_info < (3, 11):
        return code.replace(co_consts=tuple(parts))
    return code.replace(co_consts=tuple(parts), co_qualname=code.co_qualname.replace(_PART, name, 1))


_PART = "around.<locals>.part"


def _only_code(value: types.CodeType) -> types.CodeType:
    [found] = [each for each in value.co_consts if isinstance(each, types.CodeType)]
    return found


def _source(part: Any, private: str, reads: Sequence[str], cells: Sequence[str], declared: Sequence[str]) -> ast.Module:
    """`def around(cell, …): def part(variable, …): …`"""
    first = part if isinstance(part, ast.expr) else part[0]

    def at(made: Any) -> Any:
        return ast.copy_location(made, first)

    def name(text: str) -> ast.expr:
        return at(ast.Name(text, ast.Load()))

    def assign(text: str, value: ast.expr) -> ast.stmt:
        return at(ast.Assign([at(ast.Name(text, ast.Store()))], value))

    body: list[ast.stmt] = [assign(_WAY, at(ast.Constant(0))), assign(_VALUE, at(ast.Constant(None)))]
    if declared:
        body.insert(0, at(ast.Global(list(declared))))
    if cells:
        body.insert(0, at(ast.Nonlocal(list(cells))))
    for each in reads:
        test = at(ast.Compare(name(each), [ast.Is()], [name(_UNBOUND)]))
        body.append(at(ast.If(test, [at(ast.Delete([at(ast.Name(each, ast.Del()))]))], [])))
    if isinstance(part, ast.expr):
        body.append(assign(_VALUE, part))
    else:
        leaves_loop = jumps_out_of(part) & {BREAK, CONTINUE}
        moved = [found for each in part for found in _as_list(_Jumps().visit(each))]
        if leaves_loop:
            moved = [at(ast.While(at(ast.Constant(True)), [*moved, at(ast.Break())], []))]
        body += moved
    values = at(ast.Tuple([name(_WAY), name(_VALUE), at(ast.Call(name(_LOCALS), [], []))], ast.Load()))
    body.append(at(ast.Return(values)))
    inner = at(_definition("part", [*reads, _LOCALS, _UNBOUND], body))
    outer = at(_definition("around", cells, [inner, at(ast.Return(name("part")))]))
    module = ast.Module([outer], [])
    return ast.fix_missing_locations(_Mangled(private).visit(module) if private else module)


def _definition(name: str, parameters: Sequence[str], body: list[ast.stmt]) -> ast.FunctionDef:
    plain = ast.parse("def f(): pass").body[0]
    assert isinstance(plain, ast.FunctionDef)
    plain.name, plain.body = name, body
    plain.args.args = [ast.arg(each) for each in parameters]
    return plain
