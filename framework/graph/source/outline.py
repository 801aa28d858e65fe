"""Loops as functions of Python's own.

A loop that goes on for long on plain values is left to Python, from any of its iterations on. What Python runs is a
function that is compiled from the syntax of the loop, with the user's file and lines:

    for word in words:                  def f(.ended, .items, .result, word, counts):
        if word in counts:                  for word in .items:
            return word           ->            if word in counts:
        counts[word] = 1                            return .ended("return", word)
                                                counts[word] = 1
                                            else:
                                                return .ended("end")
                                            return .ended("break")

It takes the iterator as it stands; a `while` loop asks its condition again. Variables in cells are shared, the others come
as arguments and go back in what `.ended` makes: a tuple of how the loop has ended, the value of a `return` or the
exception, and the variables that it assigns. The instruction LANDED takes that apart.
"""

from __future__ import annotations

import ast
import copy
import functools
import itertools
import sys
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from anfora.graph.source.code import Unsupported
from anfora.graph.source.scopes import (
    Definition,
    Names,
    code_inside,
    every_node,
    mangle,
    names_of,
    no_arguments,
    no_type_parameters,
    place_of_test,
    place_of_walk,
    position_of,
    private_of,
)  # fmt: skip
from anfora.graph.source.tracebacks import INNER, Inner, named

__all__ = ["BREAK", "END", "RAISED", "RETURN", "Loop", "filling"]

#: How a loop ends: its items, or its condition; `break`; `return`; an exception.
END, BREAK, RETURN, RAISED = "end", "break", "return", "raised"
_METHODS = {ast.ListComp: "append", ast.SetComp: "add", ast.DictComp: "__setitem__"}
_EMPTY: dict[type, Callable] = {ast.ListComp: list, ast.SetComp: set, ast.DictComp: dict}


class Loop:
    """A loop of a function: a statement, or one of those in a comprehension.

    Args:
        node: the statement, or the comprehension.
        depth: which of the loops of a comprehension it is, from 1.
    """

    definition: Definition
    names: Names  #: of the function
    renamed: dict[str, str]  #: variables of comprehensions, and what the frame calls them
    head: int  #: the instruction that an iteration starts with
    iter: int | None  #: the one that makes the iterator
    landing: int  #: LANDED
    otherwise: int  #: where it goes on at the end,
    end: int  #: after `break`,
    returned: int | None = None  #: and with the value of a `return`

    def __init__(self, node: Any, depth: int = 0) -> None:
        self.node, self.depth = node, depth

    def settle(self, cells: Iterable[str], free: Iterable[str]) -> None:
        """Told, when the function is done, which variables of it are in cells, and which are of functions around it."""
        self._cells, self._free = frozenset(cells), frozenset(free) - self.names.declared_global

    @functools.cached_property
    def is_possible(self) -> bool:
        """Whether Python can do it alone: it does not wait in the middle for who uses a generator."""
        for node in every_node(self._tail):
            if isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await, ast.AsyncFor, ast.AsyncWith)):
                return False
            if isinstance(node, ast.Name) and node.id in ("super", "__class__"):
                return False
            if self._own_cells.intersection(_taken_away(node)):
                return False
        try:
            self.code(frozenset(), False)
        except Unsupported:
            return False
        return True

    @functools.cached_property
    def _own_cells(self) -> frozenset[str]:
        """The variables in cells of the function itself. To its loop they are ones from around: where one has no value,
        Python says so in other words, and raises something else."""
        return self._cells - self._free - set(self.renamed)

    @functools.cached_property
    def to_be_set(self) -> frozenset[str]:
        """Those among them that must have a value when the loop goes on: it does not set them before all else."""
        node, surely = self.node, set[str]()
        if isinstance(node, (ast.For, ast.While)):
            start = [node.target] if isinstance(node, ast.For) else [node.test]
            for part in (*start, *itertools.takewhile(lambda each: isinstance(each, ast.Assign), node.body)):
                names = [each for each in every_node(part) if isinstance(each, ast.Name)]
                if not surely.issuperset(each.id for each in names if type(each.ctx) is ast.Load):
                    break
                surely.update(each.id for each in names)
        return self._own_cells & self._mentioned - {mangle(name, self._private) for name in surely}

    @property
    def is_walk(self) -> bool:
        """Whether it goes over something."""
        return self.iter is not None

    @property
    def fills(self) -> bool:
        """Whether it fills a container, that of a comprehension."""
        return self.depth > 0

    @property
    def inner(self) -> Inner | None:
        """The comprehension that it is a loop of, where this Python has a function for that."""
        _, found, _ = INNER.get(id(self.definition.python), (None, (), None))
        return next((each for each in found if each.position == position_of(self.node)), None) if self.fills else None

    def empty(self) -> Any:
        """The container of a comprehension, at the start."""
        return _EMPTY[type(self.node)]()

    @functools.cached_property
    def _tail(self) -> ast.stmt:
        """What is left of the loop once it goes on, as a statement."""
        node = self.node
        if isinstance(node, ast.While):
            return _at(node, ast.While(node.test, node.body, []))
        if isinstance(node, ast.For):
            return _at(node, ast.For(node.target, self._items(node.iter), node.body, [], None))
        generators = node.generators[self.depth - 1 :]
        return filling(node, generators, ".result", self._items(generators[0].iter))

    @property
    def is_dropped(self) -> bool:
        """Whether an exception that leaves the loop drops what it goes over, which stands on Python's stack and in no
        variable. (A function of a comprehension has it as an argument.)"""
        is_argument = self.fills and self.depth == 1 and sys.version_info < (3, 12)
        return not isinstance(self.node, ast.While) and not is_argument

    def _items(self, like: ast.AST) -> ast.expr:
        """What it goes over; where that is dropped, it is taken out of a list."""
        at = functools.partial(_at, like)
        items = at(ast.Name(".items", ast.Load()))
        return at(ast.Call(at(ast.Attribute(items, "pop", ast.Load())), [], [])) if self.is_dropped else items

    @functools.cached_property
    def _private(self) -> str:
        return private_of(self.definition.path)

    @functools.cached_property
    def _bound(self) -> set[str]:
        """The variables that it assigns or deletes, its own ones of a comprehension among them."""
        like = _function(self.definition, "bound", [], [self._tail])
        names = names_of(like, self._private)
        return names.bound | names.declared_global | names.declared_nonlocal

    @functools.cached_property
    def _mentioned(self) -> set[str]:
        """All variables that it names."""
        named = {n.id for n in every_node(self._tail) if isinstance(n, ast.Name) and n.id not in (".items", ".result")}
        return {mangle(name, self._private) for name in named} | self._bound

    @functools.cached_property
    def read(self) -> tuple[str, ...]:
        """The names that it may read, as they stand in the source."""
        return tuple(sorted(self._mentioned))

    @functools.cached_property
    def cells(self) -> tuple[str, ...]:
        """The variables in cells that it uses."""
        return tuple(sorted(self.code(frozenset(), False).co_freevars))

    @functools.cached_property
    def locals(self) -> dict[str, str]:
        """The variables of the frame that it uses: the name in the source, and that in the frame."""
        own = self._own if self.depth else set()
        found = {name: self.renamed[name] for name in self._mentioned if name in self.renamed and name not in own}
        for name in self._mentioned - set(self.renamed):
            if name in self.names.bound and name not in self._cells:
                found[name] = name
        return dict(sorted(found.items()))

    @functools.cached_property
    def _own(self) -> set[str]:
        """Variables of a comprehension that have no value before an iteration."""
        targets = [n for g in self.node.generators[self.depth - 1 :] for n in every_node(g.target)]
        return {mangle(n.id, self._private) for n in targets if isinstance(n, ast.Name) and type(n.ctx) is ast.Store}

    @functools.cached_property
    def own(self) -> dict[str, str]:
        """The variables of a comprehension, named likewise: they hold what the last iteration has left, up to the next."""
        return {name: self.renamed[name] for name in sorted(self._own if self.depth else ()) if name in self.renamed}

    @functools.cached_property
    def stored(self) -> tuple[str, ...]:
        """Those among them that it assigns or deletes, as they stand in the source."""
        return tuple(name for name in self.locals if name in self._bound)

    def scope_of(self, name: str) -> str:
        """Where a variable lives: in the frame, in a cell, or in the module."""
        if name in self.locals:
            return "frame"
        if name in self._free or (name in self._cells and name not in self.renamed):
            return "cell"
        return "module"

    @functools.cached_property
    def _codes(self) -> dict[tuple, types.CodeType]:
        return {}

    def code(self, unbound: frozenset[str], is_caught: bool) -> types.CodeType:
        """The function.

        Args:
            unbound: the variables that have no value at the start.
            is_caught: whether an exception is to be given back, with the variables as they are then.
        Raises:
            Unsupported: Python does not compile it so.
        """
        found = self._codes.get((unbound, is_caught))
        if found is None:
            found = self._codes[unbound, is_caught] = self._compiled(unbound, is_caught)
        return found

    def _compiled(self, unbound: frozenset[str], is_caught: bool) -> types.CodeType:
        definition, names = self.definition, self.names
        loop = _Returns().visit(copy.deepcopy(self._tail))
        at = functools.partial(_at, self.node)
        filled = at(ast.Name(".result", ast.Load())) if self.fills else None
        loop.orelse = [at(ast.Return(_ended(self.node, END, filled)))]
        body: list[ast.stmt] = [loop, at(ast.Return(_ended(self.node, BREAK)))]
        here, stores = _start_of(definition), ast.Store()
        given = ast.Name(".given", ast.Load(), **here)
        emptied = ast.Expr(ast.Call(ast.Attribute(given, "clear", ast.Load(), **here), [], [], **here), **here)
        body.insert(0, emptied)
        if is_caught:  # Python 3.11 looks for a signal at the end of an iteration as if it stood in front of the loop
            handler = at(ast.ExceptHandler(None, None, [at(ast.Return(_ended(self.node, RAISED)))]))
            body = [at(ast.Try(body, [handler], [], []))]
        if unbound:
            body.insert(0, at(ast.Delete([at(ast.Name(name, ast.Del())) for name in sorted(unbound)])))
        variables = self._cells | self._free
        shared = sorted((self._bound & variables) - set(self.renamed))
        if shared:
            body.insert(0, at(ast.Nonlocal(shared)))
        in_module = sorted(self._mentioned & names.declared_global)
        if in_module:
            body.insert(0, at(ast.Global(in_module)))
        taken: list[ast.expr] = [
            ast.Name(name, stores, **here) for name in (".items", ".result", *self.locals, *self.own)
        ]
        body.insert(0, ast.Assign([ast.Tuple(taken, stores, **here)], given, **here))
        made = _function(definition, definition.path[-1].name, [".ended", ".given"], body)
        code = code_inside(definition, made, variables)
        if set(code.co_freevars) - variables:
            raise Unsupported("a loop with variables that are not its function's")
        if self.inner is not None:
            code = named(code, self.inner.name, self.inner.qualified_name)
            place = position_of(self.node)
            shown = [each for each in INNER[id(definition.python)][1] if each.is_around(place)]
            INNER[id(code)] = code, tuple([each._replace(is_all=True) for each in shown]), definition.python
        return code


def _taken_away(node: ast.AST) -> list[str]:
    """The variables that lose their values behind a piece of syntax."""
    if isinstance(node, ast.ExceptHandler) and node.name is not None:
        return [node.name]
    return [node.id] if isinstance(node, ast.Name) and type(node.ctx) is ast.Del else []


def _at(like: ast.AST, made: Any) -> Any:
    return ast.copy_location(made, like)


def filling(node: Any, generators: Sequence[ast.comprehension], container: str, items: ast.expr) -> ast.stmt:
    """Loops of a comprehension as a statement.

    Args:
        generators: these loops.
        container: the variable that they fill.
        items: what the outermost goes over.
    """
    at, load = functools.partial(_at, node), ast.Load()
    add = at(ast.Attribute(at(ast.Name(container, load)), _METHODS[type(node)], load))
    values = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    body: ast.stmt = at(ast.Expr(at(ast.Call(add, values, []))))
    for i, generator in reversed(list(enumerate(generators))):
        for test in reversed(generator.ifs):
            body = _at(place_of_test(test, node), ast.If(test, [body], []))
        iterable = generator.iter if i else items
        body = _at(place_of_walk(generator.iter, node), ast.For(generator.target, iterable, [body], [], None))
    return body


def _ended(like: ast.AST, how: str, value: ast.expr | None = None) -> ast.expr:
    at = functools.partial(_at, like)
    given = [at(ast.Constant(how)), *([] if value is None else [value])]
    return at(ast.Call(at(ast.Name(".ended", ast.Load())), given, []))


def _start_of(definition: Definition) -> dict[str, Any]:
    """Where a function starts."""
    line = definition.python.co_firstlineno
    return {"lineno": line, "end_lineno": line, "col_offset": 0, "end_col_offset": 0}


def _function(definition: Definition, name: str, parameters: list[str], body: list[ast.stmt]) -> ast.FunctionDef:
    """A function where another one stands."""
    here, arguments = _start_of(definition), no_arguments()
    arguments.args = [ast.arg(parameter, None, **here) for parameter in parameters]
    return ast.FunctionDef(name, arguments, body, [], **no_type_parameters(), **here)


class _Returns(ast.NodeTransformer):
    """Has `return` tell how the loop has ended."""

    def visit_Return(self, node: ast.Return) -> ast.Return:
        value = node.value or ast.copy_location(ast.Constant(None), node)
        return ast.copy_location(ast.Return(_ended(node, RETURN, value)), node)

    def visit_FunctionDef(self, node: Any) -> Any:
        return node

    visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = visit_FunctionDef
