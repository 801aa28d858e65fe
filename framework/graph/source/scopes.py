"""Scopes: which names a function binds, and the code objects of the functions in it.

A code object of an inner function is not taken from the function around it: they are hard to tell apart there, and the
same definition may stand in it twice (`finally`). Python compiles the definition once more, inside scopes of the same
names as those around it in the file; so free variables, qualified names and the names of private attributes come out as
they are there:

    class Net:                          class Net:
        def construct(self, x):             def construct(x, y):      <- the variables that are visible
            y = x + 1            ->             def inner(z): return y + z
            def inner(z): return y + z
"""

from __future__ import annotations
import __future__

import ast
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Union

from anfora.graph.source.code import Position, Unsupported
from anfora.graph.source.quiet import quietly
from anfora.graph.source.tracebacks import named

__all__ = [
    "Definition", "DEFINITIONS", "Level", "Path", "Names", "define", "code_inside", "code_object", "compiled", "renamed",
    "no_arguments", "no_type_parameters", "first_line", "position_of", "seen_at", "calls_method", "place_of_assertion",
    "place_of_attribute", "place_of_item", "place_of_test",
    "place_of_walk", "private_of", "mangle", "qualified_name", "every_node", "names_of", "in_scope", "inside_of",
    "compiled_as_function",
]  # fmt: skip


class Level(NamedTuple):
    """A function or class among those around a definition."""

    name: str
    is_class: bool = False
    is_global: bool = False  # its name is declared global in the scope it stands in


#: The scopes around a definition, the outermost first; the last one is its own.
Path = tuple[Level, ...]

Function = Union[ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.GeneratorExp]
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)

#: Of a function's flags, those that `from __future__` sets.
_FUTURE = 0
for _name in __future__.all_feature_names:
    _FUTURE |= getattr(__future__, _name).compiler_flag
_FUTURE &= ~__future__.nested_scopes.compiler_flag  # means something else since it is no longer needed


#: What comprehensions are in qualified names of functions in them; since 3.12 those of lists, sets and dicts are inlined.
_LOOP = "{}." if sys.version_info < (3, 12) else ""
IN_QUALIFIED_NAMES = {name: _LOOP.format(name) for name in ("<listcomp>", "<setcomp>", "<dictcomp>")}
IN_QUALIFIED_NAMES["<genexpr>"] = "<genexpr>."


@dataclass(eq=False)
class Definition:
    """A function in the source.

    Attributes:
        node: where it is defined; a generator expression is a function too.
        python: its code object.
        path: the scopes around it.
        module_names: names that the module has imported, and `super` if it is another there: calls of methods are
            compiled another way where the object bears such a name.
    """

    node: Function
    python: types.CodeType
    path: Path
    module_names: frozenset[str]


#: The inner functions of what has been compiled, by the identity of their code objects: equal ones may be of two files.
DEFINITIONS: dict[int, Definition] = {}


def define(
    node: Function | ast.ClassDef,
    path: Path,
    module_names: frozenset[str],
    outer: types.CodeType,
    variables: Iterable[str],
    declared_global: Iterable[str],
    the: Callable[[Any], Any],
) -> types.CodeType:
    """The code object of a definition inside a function; that of a function is remembered in DEFINITIONS.

    Args:
        node: a function, a generator expression or a class, whose body is a function too.
        path: the scopes around it, and its own.
        module_names: as of Definition.
        outer: the function around it.
        variables: those of the functions around it.
        declared_global: variables that `outer` declares global.
        the: gives the object that `outer` has for a constant: see constants.py.
    """
    code = _with_constants(code_object(node, path, module_names, outer, variables, declared_global), the)
    if hasattr(node, "names"):  # the function stands for one that has others in the program
        code = named(code, *node.names)
    if not isinstance(node, ast.ClassDef):
        DEFINITIONS[id(code)] = Definition(node, code, path, module_names)
    return code


def _with_constants(code: types.CodeType, the: Callable[[Any], Any]) -> types.CodeType:
    constants = tuple(
        _with_constants(constant, the) if isinstance(constant, types.CodeType) else the(constant)
        for constant in code.co_consts
    )
    is_same = all(one is other for one, other in zip(constants, code.co_consts))
    return code if is_same else code.replace(co_consts=constants)


def code_object(
    node: Function | ast.ClassDef,
    path: Path,
    module_names: frozenset[str],
    like: types.CodeType,
    variables: Iterable[str],
    declared_global: Iterable[str] = (),
) -> types.CodeType:
    """The code object that Python makes for a definition.

    Args:
        node, path, module_names, variables, declared_global: as of `define`.
        like: the code of the definition, or of a function around it: tells the name of the file, what is imported from
            `__future__`, and which names there are at all.
    """
    here: dict[str, Any] = {"lineno": 1, "end_lineno": 1, "col_offset": 0, "end_col_offset": 0}
    body: list[ast.stmt] = [_bare(node)]
    parameters, declared = sorted(variables), sorted(declared_global)
    for parent, level in zip(path[-2::-1], path[:0:-1]):
        if level.is_global and level.name not in declared:
            body.insert(0, ast.Global([level.name], **here))
        if parent.is_class:
            body = [ast.ClassDef(parent.name, [], [], body, [], **no_type_parameters(), **here)]
            continue
        if declared:
            body.insert(0, ast.Global(declared, **here))
            declared = []
        arguments = no_arguments()
        arguments.args = [ast.arg(name, None, **here) for name in parameters]
        parameters = []
        body = [ast.FunctionDef(parent.name, arguments, body, [], **no_type_parameters(), **here)]
    imported = sorted(module_names & _names_in(like))
    if imported:
        body.append(ast.Import([ast.alias(name, None, **here) for name in imported], **here))
    code = compiled(ast.Module(body, []), like.co_filename, like.co_flags)
    for _ in path:
        code = next(constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    for level in path if isinstance(node, ast.FunctionDef) else path[:-1]:
        if level.name in IN_QUALIFIED_NAMES:
            code = renamed(code, f"{level.name}.<locals>.", IN_QUALIFIED_NAMES[level.name])
    return code


def code_inside(definition: Definition, node: ast.FunctionDef, variables: Iterable[str]) -> types.CodeType:
    """The code object of a function that stands inside of another one, and is called as that is.

    Args:
        node: it has the name of that one.
        variables: of that one and those around it.
    """
    path = definition.path
    around = (*path[:-1], Level(node.name, False, path[-1].is_global), Level(node.name))
    code = code_object(node, around, definition.module_names, definition.python, variables)
    return renamed(code, qualified_name(around), qualified_name(path))


def _names_in(code: types.CodeType) -> set[str]:
    """The names that a function, and those in it, has anything to do with. Python asks what the module calls so whatever
    they are, variables of the function too."""
    inner = [_names_in(constant) for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return {*code.co_names, *code.co_varnames, *code.co_cellvars, *code.co_freevars}.union(*inner)


def compiled(tree: ast.Module, filename: str, flags: int) -> types.CodeType:
    """A module, compiled as the file was."""
    try:
        return quietly(compile, tree, filename, "exec", flags=flags & _FUTURE, dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise Unsupported(f"Python does not compile it: {error}") from None


def _bare(node: Function | ast.ClassDef) -> ast.stmt:
    """A definition as a statement, without what is evaluated outside its body: that could hold functions too."""
    place = {name: getattr(node, name) for name in node._attributes}
    if isinstance(node, ast.GeneratorExp):
        first = node.generators[0]
        outside = ast.copy_location(ast.Tuple([], ast.Load()), first.iter)
        generators = [ast.comprehension(first.target, outside, first.ifs, first.is_async), *node.generators[1:]]
        return ast.Expr(ast.GeneratorExp(node.elt, generators, **place), **place)
    if isinstance(node, ast.Lambda):
        return ast.Expr(ast.Lambda(_without_defaults(node.args), node.body, **place), **place)
    # Its first line is that of the first decorator.
    decorators: list[ast.expr] = [ast.copy_location(ast.Constant(None), d) for d in node.decorator_list[:1]]
    if isinstance(node, ast.ClassDef):
        return ast.ClassDef(node.name, [], [], node.body, decorators, **no_type_parameters(), **place)
    arguments = _without_defaults(node.args)
    return type(node)(node.name, arguments, node.body, decorators, **no_type_parameters(), **place)


def no_arguments() -> ast.arguments:
    return ast.arguments(posonlyargs=[], args=[], vararg=None, kwonlyargs=[], kw_defaults=[], kwarg=None, defaults=[])


def _without_defaults(arguments: ast.arguments) -> ast.arguments:
    def bare(argument: Any) -> Any:
        return argument and ast.copy_location(ast.arg(argument.arg, None), argument)

    return ast.arguments(
        posonlyargs=[bare(a) for a in arguments.posonlyargs],
        args=[bare(a) for a in arguments.args],
        vararg=bare(arguments.vararg),
        kwonlyargs=[bare(a) for a in arguments.kwonlyargs],
        kw_defaults=[None] * len(arguments.kwonlyargs),
        kwarg=bare(arguments.kwarg),
        defaults=[],
    )


def no_type_parameters() -> dict[str, Any]:
    return {"type_params": []} if "type_params" in ast.FunctionDef._fields else {}


def renamed(code: types.CodeType, old: str, new: str) -> types.CodeType:
    """The code object with other qualified names of the functions in it; before 3.11 these are constants."""
    constants = tuple(
        renamed(constant, old, new)
        if isinstance(constant, types.CodeType)
        else constant.replace(old, new)
        if isinstance(constant, str)
        else constant
        for constant in code.co_consts
    )
    if sys.version_info < (3, 11):
        return code.replace(co_consts=constants)
    return code.replace(co_consts=constants, co_qualname=code.co_qualname.replace(old, new))


def first_line(node: ast.AST) -> int:
    """The line where Python says that a definition starts."""
    decorators = getattr(node, "decorator_list", None)
    return (decorators[0] if decorators else node).lineno  # type: ignore[union-attr]


def position_of(node: ast.AST) -> Position:
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset  # type: ignore[attr-defined]


def seen_at(node: ast.AST, seen: ast.AST) -> Position:
    """The position of an instruction about a node, of which Python says that it stands at another one."""
    where, what = position_of(seen), position_of(node)
    return where if where == what else (*where, what)


def place_of_test(test: Any, around: Any) -> Any:
    """Where Python says that it stands when it asks an expression for its truth, to branch: up to 3.11 that is the
    statement or expression which branches, but for comparisons."""
    return test if _TESTS_STAND_ALONE or isinstance(test, ast.Compare) else around


def place_of_attribute(around: Any, attribute: Any) -> Any:
    """The same where it reads or sets an attribute, or calls a method: where that begins in a line above the name of the
    attribute, that is this name, and what is behind it."""
    if around.lineno == attribute.end_lineno:
        return around
    line, column = attribute.end_lineno, attribute.end_col_offset - len(attribute.attr)
    end = {"end_lineno": around.end_lineno, "end_col_offset": around.end_col_offset}
    return ast.Name(attribute.attr, ast.Load(), lineno=line, col_offset=column, **end)


def calls_method(node: ast.Call, module_names: frozenset[str]) -> bool:
    """Whether Python has an instruction for the call, as one of a method; all arguments are plain ones."""
    if (
        not isinstance(node.func, ast.Attribute)
        or (bool(node.keywords) and sys.version_info < (3, 11))
        or len(node.args) + len(node.keywords) + bool(node.keywords) >= _MOST_TAKEN
    ):
        return False
    owner = node.func.value
    return sys.version_info < (3, 12) or not (isinstance(owner, ast.Name) and owner.id in module_names)


_MOST_TAKEN = 30


def place_of_item(node: Any) -> Any:
    """The same where a comprehension puts something into its container: up to 3.11 that is the whole of it."""
    if sys.version_info < (3, 12):
        return node
    if not isinstance(node, ast.DictComp):
        return node.elt
    end = {"end_lineno": node.value.end_lineno, "end_col_offset": node.value.end_col_offset}
    return ast.Name("", ast.Load(), lineno=node.key.lineno, col_offset=node.key.col_offset, **end)


def place_of_assertion(node: ast.Assert) -> Any:
    """The same where it raises what an `assert` raises: in 3.11 that is the last comparison on which it has branched, since
    3.13 the test."""
    if sys.version_info >= (3, 13):
        return node.test
    if sys.version_info[:2] == (3, 11):
        return next((test for test in _branched_on(node.test) if isinstance(test, ast.Compare)), node)
    return node


def _branched_on(test: ast.expr) -> Iterator[ast.expr]:
    """The expressions whose truth is asked, the last first."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        parts = [test.operand]
    elif isinstance(test, ast.BoolOp):
        parts = test.values[::-1]
    elif isinstance(test, ast.IfExp):
        parts = [test.orelse, test.body, test.test]
    else:
        yield test
        return
    for part in parts:
        yield from _branched_on(part)


def place_of_walk(walked: Any, around: Any) -> Any:
    """The same where it makes an iterator and asks it for an item, or enters a context and leaves it: up to 3.12 that is
    the whole statement or comprehension."""
    return walked if _WALKS_STAND_ALONE else around


_TESTS_STAND_ALONE, _WALKS_STAND_ALONE = sys.version_info >= (3, 12), sys.version_info >= (3, 13)


def private_of(path: Path) -> str:
    """What private names start with in a definition: the class around it, or nothing."""
    for level in reversed(path[:-1]):
        if level.is_class:
            return level.name.lstrip("_")
    return ""


def mangle(name: str, private: str) -> str:
    """A name as Python keeps it: `__x` in the class Net is `_Net__x`."""
    if private and name.startswith("__") and not name.endswith("__") and "." not in name:
        return f"_{private}{name}"
    return name


def qualified_name(path: Path) -> str:
    name = ""
    for level in path:
        name = level.name if level.is_global else name + level.name
        if level is not path[-1]:
            name += "." if level.is_class or level.name in IN_QUALIFIED_NAMES else ".<locals>."
    return name


# ----------------------------------------------------------------------------------------------------------------------
# What a function binds


@dataclass
class Names:
    """The names of a function: those it binds, and those it declares to be of a scope around it."""

    bound: set[str] = field(default_factory=set)
    declared_global: set[str] = field(default_factory=set)
    declared_nonlocal: set[str] = field(default_factory=set)


#: Builtins that look at the frame they are called from, with the number of arguments from which on they do not.
_ASK_THE_FRAME = {"locals": 9, "globals": 9, "eval": 9, "exec": 9, "dir": 1, "vars": 1, "breakpoint": 99}
#: Functions of modules that do.
_SHOW_THE_FRAME = frozenset({"set_trace", "_getframe", "currentframe"})


def _arguments_of(node: Any) -> list[str]:
    """The names of what a function is given."""
    if isinstance(node, ast.GeneratorExp):
        return [".0"]
    given = node.args
    arguments = (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg)
    return [argument.arg for argument in arguments if argument is not None]


def _body_of(node: Any) -> list[ast.AST]:
    """The parts of a function in which it may bind names of its own."""
    if isinstance(node, ast.GeneratorExp):
        return [generator.target for generator in node.generators]
    return [node.body] if isinstance(node, ast.Lambda) else node.body


#: What a part of a function binds, by its kind; None stands for nothing.
_BINDING: dict[type, Callable[[Any], Iterable[str | None]]] = {
    **dict.fromkeys(
        (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar),
        lambda node: [node.name],
    ),
    ast.MatchMapping: lambda node: [node.rest],
    ast.NamedExpr: lambda node: [node.target.id],
    ast.Import: lambda node: [alias.asname or alias.name.partition(".")[0] for alias in node.names],
    ast.ImportFrom: lambda node: [alias.asname or alias.name for alias in node.names],
}


def _defaults_of(node: Any) -> list[ast.AST]:
    return [default for default in (*node.args.defaults, *node.args.kw_defaults) if default]


#: The parts of what has a scope of its own that are outside of it.
_PARTS_OUTSIDE: dict[type, Callable[[Any], Iterable[ast.AST]]] = {
    ast.Lambda: _defaults_of,
    **dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef), lambda node: [*node.decorator_list, *_defaults_of(node)]),
    ast.ClassDef: lambda node: [*node.decorator_list, *node.bases, *node.keywords],
    ast.NamedExpr: lambda node: [node.value],
}


def children_of(node: ast.AST) -> list[Any]:
    """The parts of a piece of syntax that have parts themselves: signs, such as that of an addition, have none."""
    found: list[Any] = []
    for name in node._fields:
        child = getattr(node, name, None)
        if isinstance(child, list):
            found += [item for item in child if isinstance(item, ast.AST) and item._fields]
        elif isinstance(child, ast.AST) and child._fields:
            found.append(child)
    return found


def _asked_by(call: ast.Call) -> str | None:
    """The builtin that would look at the frame it is called from, if this is what the call names.

    Raises:
        Unsupported: the call is one of another function that does.
    """
    function = call.func
    name = getattr(function, "attr", getattr(function, "id", None))
    if name in _SHOW_THE_FRAME or any(keyword.arg == "stacklevel" for keyword in call.keywords):
        raise Unsupported(f"{name}() looks at the frame it is called from")
    return name if type(function) is ast.Name and len(call.args) < _ASK_THE_FRAME.get(function.id, 0) else None


def names_of(node: Function, private: str) -> Names:
    """The names of a function.

    Raises:
        Unsupported: it calls something that looks at its frame.
    """
    bound: set[str | None] = {*_arguments_of(node)}
    declared: dict[type, set[str | None]] = {ast.Global: set(), ast.Nonlocal: set()}
    asked: set[str | None] = set()
    todo = [(part, False) for part in _body_of(node)]  # and whether it is in a comprehension, whose targets are its own
    while todo:
        here, inside = todo.pop()
        kind: type = type(here)
        if isinstance(here, ast.Name):
            if type(here.ctx) is not ast.Load and not inside:
                bound.add(here.id)
            continue
        if kind is ast.Constant:
            continue
        if isinstance(here, ast.Call):
            asked.add(_asked_by(here))
        elif kind in _BINDING:
            bound.update(_BINDING[kind](here))
        elif kind in _COMPREHENSIONS:
            inside = True
        elif isinstance(here, (ast.Global, ast.Nonlocal)):
            declared[kind].update(here.names)
        todo += [(part, inside) for part in _PARTS_OUTSIDE.get(kind, children_of)(here)]
    found = [{mangle(name, private) for name in names if name} for names in (bound, *declared.values())]
    names = Names(found[0] - found[1] - found[2], *found[1:])
    for name in sorted(each for each in asked if each and each not in names.bound):
        raise Unsupported(f"{name}() looks at the frame it is called from")
    return names


def names_in(nodes: Iterable[ast.AST]) -> set[str]:
    """All variables that are named in expressions."""
    return {name.id for node in nodes for name in every_node(node) if isinstance(name, ast.Name)}


def inside_of(node: Any) -> list[ast.AST]:
    """The parts of a comprehension that are evaluated in its own scope: all but the first iterable."""
    first, *rest = node.generators
    values = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    return [*values, first.target, *first.ifs, *rest]


def every_node(tree: ast.AST) -> Iterator[ast.AST]:
    """A piece of syntax and all that is in it, what lies higher first. (`ast.walk` imports something each time, which the
    program may just have put something else in the place of.)"""
    found = [tree]
    for node in found:
        found += ast.iter_child_nodes(node)
        yield node


def in_scope(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Expressions and all that is in them, but for what is in functions in them."""
    todo = list(nodes)
    while todo:
        node = todo.pop()
        yield node
        todo += _defaults_of(node) if isinstance(node, ast.Lambda) else ast.iter_child_nodes(node)


def captured(nodes: Iterable[ast.AST]) -> set[str]:
    """Names that inner functions in expressions use, or may: `compiled_as_function` comprehensions are functions too."""
    names: set[str] = set()
    todo = list(nodes)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Lambda):
            names |= names_in([node.body])
            todo += _defaults_of(node)
        elif isinstance(node, ast.GeneratorExp) or (isinstance(node, _COMPREHENSIONS) and compiled_as_function(node)):
            names |= names_in(inside_of(node))
            todo.append(node.generators[0].iter)
        else:
            todo += ast.iter_child_nodes(node)
    return names


def compiled_as_function(node: Any) -> bool:
    """Whether the variables of a list, set or dict comprehension live in cells.

    Then each execution needs new ones, so it is compiled as the function that Python 3.11 makes of it. Otherwise it is
    a loop in the function that it stands in.
    """
    functions = captured(inside_of(node))
    return bool(functions) and not functions.isdisjoint(names_in(generator.target for generator in node.generators))
