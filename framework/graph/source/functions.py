"""Calls, functions and comprehensions as instructions.

A comprehension is a loop in the function that it stands in; or a function, where `compiled_as_function` says so.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import sys
from collections.abc import Sequence
from typing import Any

from anfora.graph.source.code import Unsupported
from anfora.graph.source.constants import NOT_CONSTANT, constant_of, constants_of_set
from anfora.graph.source.expressions import Expressions
from anfora.graph.source.outline import Loop, filling
from anfora.graph.source.scopes import (
    Level,
    calls_method,
    compiled,
    compiled_as_function,
    every_node,
    in_scope,
    inside_of,
    mangle,
    no_arguments,
    no_type_parameters,
    place_of_attribute,
    place_of_item,
    place_of_walk,
    position_of,
    qualified_name,
)
from anfora.graph.source.tracebacks import Inner
from anfora.graph.source.writer import Label

__all__ = ["Functions"]


class Functions(Expressions):
    """Instructions for calls, functions and comprehensions."""

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
        self.mapping(
            [(keyword if keyword.arg is not None else None, keyword.value) for keyword in keywords],
            lambda keyword: self.emit("CONST", keyword.arg, keyword),
            node,
            lambda _: self.emit("MERGE_KEYWORDS", None, node),
        )
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
        start = len(self.opcodes)
        self.make_function(node, self.inner(node, "<genexpr>"))
        self.iterator(node.generators[0].iter, node)
        self.emit("CALL", (1, ()), node)
        self.note(start, node)

    # -- comprehensions ------------------------------------------------------------------------------------------------

    def ListComp(self, node: Any) -> None:
        _refuse_async(node)
        name, make, add = _CONTAINERS[type(node)]
        if compiled_as_function(node):
            if any(isinstance(n, ast.Name) and n.id == "super" for part in inside_of(node) for n in every_node(part)):
                raise Unsupported("super() without arguments in a comprehension")
            function = _as_function(node, name, self.names.declared_global, self.private)
            self.make_function(node, self.inner(function, name))
            self.value(node.generators[0].iter)
            self.emit("CALL", (1, ()), node)
            return
        at_iter = self.iterator(node.generators[0].iter, node)
        self.emit(make, 0, node)
        self.emit("SWAP", 2, node)
        targets = [n for g in node.generators for n in every_node(g.target) if isinstance(n, ast.Name)]
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
        self.note(at_iter + 1, node)

    SetComp = DictComp = ListComp

    def iterator(self, walked: ast.expr, around: ast.AST) -> int:
        """Leave the iterator over what a loop goes over on the stack. Gives the number of the instruction that makes it."""
        constants = constants_of_set(walked)
        if constants is None:
            self.value(walked)
        else:
            self.emit("CONST", constants, walked)
        self.emit("ITER", None, walked, place_of_walk(walked, around))
        return len(self.opcodes) - 1

    def note_frame(self, node: Any, name: str) -> None:
        """A comprehension that is a loop here, and has a frame in this Python: see `Inner`."""
        outside = set(every_node(node.generators[0].iter))
        mentioned = {
            mangle(n.id, self.private) for n in every_node(node) if isinstance(n, ast.Name) and n not in outside
        }
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


#: By kind of comprehension, its name, and the instructions that make its container and fill it.
_CONTAINERS = {
    ast.ListComp: ("<listcomp>", "LIST", "APPEND"), ast.SetComp: ("<setcomp>", "SET", "ADD"),
    ast.DictComp: ("<dictcomp>", "MAP", "PUT"),
}  # fmt: skip


def _refuse_async(node: Any) -> None:
    if any(generator.is_async for generator in node.generators):
        raise Unsupported("async")


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

    def at(new: Any) -> Any:
        return ast.copy_location(new, node)

    load, store = ast.Load(), ast.Store()
    empty: Any = ast.Dict([], []) if isinstance(node, ast.DictComp) else ast.List([], load)
    if isinstance(node, ast.SetComp):
        empty = ast.Set([at(ast.Starred(at(ast.Tuple([], load)), load))])
    walruses = {each.target.id for each in in_scope(inside_of(node)) if isinstance(each, ast.NamedExpr)}
    statements: list[ast.stmt] = []
    for statement, is_global in ((ast.Global, True), (ast.Nonlocal, False)):
        chosen = sorted(w for w in walruses if (mangle(w, private) in declared_global) is is_global)
        if chosen:
            statements.append(at(statement(chosen)))
    statements.append(at(ast.Assign([at(ast.Name(".made", store))], at(empty), None)))
    items = ast.copy_location(ast.Name(".0", load), node.generators[0].iter)
    statements.append(filling(node, node.generators, ".made", items))
    statements.append(at(ast.Return(at(ast.Name(".made", load)))))
    arguments = no_arguments()
    arguments.args = [at(ast.arg(".0", None))]
    return at(ast.FunctionDef(name, arguments, statements, [], **no_type_parameters()))
