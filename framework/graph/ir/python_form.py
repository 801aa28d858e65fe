"""A program as Python functions: what runs when a graph is called, and what the machine goes into where one is compiled.

    def f(x, y):                        a graph; its calls are statements, in the order of its schedule
        a = x - 1
        return a * y

A graph that takes values from outside is made by a function of these values, so each closure holds its own. A call in the
last place of a graph, `switch` between known graphs included, goes on in the same Python function: graphs that do so are
states of one loop, or, where only one place leads to them, stand there. So loops, which are such calls, run in constant
space. Other calls are Python's.

Statements stand where the program says so, line and column, so errors and tracebacks show the program. A graph that knows
no lines has a text of its own, `<graph f>`, for the same purpose.
"""

from __future__ import annotations

import ast
import builtins
import itertools
import keyword
import linecache
import math
import re
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from anfora.core.op import Op
from anfora.core.span import Span
from anfora.graph.ir.nodes import AnfNode, CNode, Graph, ValueNode
from anfora.graph.ir.primitives import PRIMITIVES, Primitive, switch
from anfora.graph.ir.primitives import partial as partial_
from anfora.graph.ir.structure import Structure, graph_of, is_state
from anfora.graph.ir.values import same_value
from anfora.graph.source.code import BINARY, COMPARE, UNARY
from anfora.graph.source.quiet import quietly
from anfora.graph.source.scopes import DEFINITIONS, Definition, Level, no_type_parameters
from anfora.graph.source.tracebacks import named

__all__ = ["python_function", "python_text"]

_numbers = itertools.count(1)
_BUILTINS = {"iter": iter, "slice": slice}  #: that expressions name
_DEPEND = PRIMITIVES["depend"]
_DEEPEST = 20  #: a graph that would stand in more branches is a state of the loop


def python_function(graph: Graph) -> types.FunctionType:
    """A closed graph as a Python function: the same one until the program is edited.

    Raises:
        GraphError: the program is not well formed, or takes values from outside.
    """
    known: tuple[int, _Program, types.FunctionType] | None = graph.python
    if known is not None and known[0] == Graph.edits:
        return known[2]
    program = _Program(graph)
    if known is not None and known[1].is_same(program):
        program, function = known[1:]
    else:
        function = program.load()
    graph.python = (Graph.edits, program, function)
    return function


def python_text(graph: Graph) -> str:
    """The functions as text, to look at."""
    return ast.unparse(_Program(graph).module)


class _Tail(NamedTuple):
    """How a graph goes on in another one."""

    graph: Graph
    arguments: tuple[AnfNode, ...]


class _Choice(NamedTuple):
    """How it goes on in one of two."""

    condition: AnfNode
    first: _Tail
    second: _Tail


class _Program:
    """The functions of a program.

    Attributes:
        module: their definitions.
        scope: their global variables, by name.
    """

    def __init__(self, root: Graph) -> None:
        self.structure = Structure(root)
        self.structure.see_closed()
        self.root = root
        self.scope: dict[str, Any] = {"__name__": "<graph>", "__builtins__": builtins}
        self.scope.update(_BUILTINS)
        #: What variables of functions are called, without numbers behind.
        inner = (_identifier(graph.name) for graph in self.structure.graphs if self.structure.free[graph])
        self._taken = {*keyword.kwlist, *_BUILTINS, "at", *map(_wish_of, self._nodes()), *inner}
        self._values: list[tuple[Any, str]] = []
        self._ends = {graph: self._end(graph) for graph in self.structure.graphs}
        self._heads: dict[Graph, str] = {}  #: graphs that are functions: those that are made by one under its name
        self._waiting: list[Graph] = []
        self.head(root)
        body: list[ast.stmt] = []
        while self._waiting:
            body.append(_Writer(self, self._waiting.pop(0)).definition())
        self.module = ast.fix_missing_locations(ast.Module(body, []))

    def is_same(self, other: _Program) -> bool:
        return (
            ast.dump(self.module, include_attributes=True) == ast.dump(other.module, include_attributes=True)
            and [name for _, name in self._values] == [name for _, name in other._values]
            and all(same_value(one, two) for (one, _), (two, _) in zip(self._values, other._values))
        )

    # -- names --------------------------------------------------------------------------------------------------------

    def global_name(self, wish: str) -> str:
        """A name for a global variable, which no function has as a local one."""
        base = _identifier(wish)
        tries = itertools.chain([base], (f"{base}_{number}_" for number in itertools.count()))
        name = next(name for name in tries if name not in self.scope and name not in self._taken)
        self._taken.add(name)
        return name

    def value(self, value: Any) -> ast.expr:
        """An expression for a value that is no graph."""
        if type(value) in (bool, int, str, bytes, types.EllipsisType, types.NoneType) or (
            type(value) is float and math.isfinite(value)
        ):
            return ast.Constant(value)
        name = next((name for known, name in self._values if known is value), None)
        if name is None:
            name = self.global_name(_wish(value))
            self._values.append((value, name))
            self.scope[name] = value.function if isinstance(value, Primitive) else value
        return _load(name)

    def head(self, graph: Graph) -> str:
        """The name of the function that a graph is, or that makes it of what it takes from outside."""
        name = self._heads.get(graph)
        if name is None:
            name = self._heads[graph] = self.global_name(graph.name)
            self._waiting.append(graph)
        return name

    def _nodes(self) -> Iterator[AnfNode]:
        for graph in self.structure.graphs:
            yield from graph.parameters
            yield from self.structure.schedules[graph]

    # -- ends ---------------------------------------------------------------------------------------------------------

    def end(self, graph: Graph) -> _Tail | _Choice | None:
        return self._ends[graph]

    def _end(self, graph: Graph) -> _Tail | _Choice | None:
        """How a graph goes on in others; None where it returns a value."""
        *before, _ = self.structure.schedules[graph]
        last = graph.output
        if not before or before[-1] is not last or not isinstance(last, CNode):
            return None
        before.pop()
        while before and _is_pure(before[-1]):
            before.pop()
        tail = _tail(last.fn, last.args)
        chosen = _behind(last.fn)
        if tail is not None or not before or before[-1] is not chosen or not before[-1].calls(switch):
            return tail
        condition, *ways = before[-1].args
        tails = [tail for tail in (_tail(way, last.args) for way in ways) if tail is not None]
        return _Choice(condition, *tails) if len(tails) == len(ways) else None

    def load(self) -> types.FunctionType:
        """Make the functions; gives that of the root."""
        spans = {graph.span.file for graph in self._heads if graph.span is not None}
        module = self.module
        if len(spans) == 1 and all(graph.span is not None for graph in self._heads):
            [file] = spans
        else:
            file = f"<graph {self.root.name} {next(_numbers)}>"
            text = ast.unparse(module) + "\n"
            linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
            module = quietly(ast.parse, text)
        code = quietly(compile, module, file, "exec", dont_inherit=True)
        codes = {each.co_name: each for each in code.co_consts if isinstance(each, types.CodeType)}
        for node, (graph, name) in zip(module.body, self._heads.items()):
            assert isinstance(node, ast.FunctionDef)
            made = _called(codes[name], graph)
            self.scope[name] = types.FunctionType(made, self.scope)
            self.scope[name].__qualname__ = _qualified_name(graph)
            DEFINITIONS[id(made)] = Definition(node, made, (Level(name),), frozenset())
            for own in node.body:
                if isinstance(own, ast.FunctionDef):
                    own.names = graph.name, _qualified_name(graph)  # type: ignore[attr-defined]
                    [inner] = [each for each in made.co_consts if isinstance(each, types.CodeType)]
                    DEFINITIONS[id(inner)] = Definition(own, inner, (Level(name), Level(own.name)), frozenset())
        return self.scope[self._heads[self.root]]


def _called(code: types.CodeType, graph: Graph) -> types.CodeType:
    """The code of a function, and of one in it, under the name that it has in the program."""
    name = _qualified_name(graph)
    constants = tuple(
        _called(each, graph) if isinstance(each, types.CodeType)
        else name if isinstance(each, str) and ".<locals>." in each and sys.version_info < (3, 11)
        else each
        for each in code.co_consts
    )  # fmt: skip
    return named(code.replace(co_consts=constants), graph.name, name)


def _qualified_name(graph: Graph) -> str:
    return graph.span.function if graph.span is not None else graph.name


def _identifier(text: str) -> str:
    """A name of Python's for one of a graph: `✓f` is `_f`."""
    name = re.sub(r"\W", "_", text) or "v"
    return f"v{name}" if name[0].isdigit() or keyword.iskeyword(name) else name


def _wish_of(node: AnfNode) -> str:
    return re.sub(r"_\d+$", "", _identifier(node.name)) or "v" if node.name else "v"


def _wish(value: Any) -> str:
    """How a value may be called."""
    name = getattr(value, "name", None) if isinstance(value, (Op, Primitive)) else getattr(value, "__name__", None)
    return name if isinstance(name, str) else type(value).__name__.lower()


def _tail(function: AnfNode, arguments: Sequence[AnfNode]) -> _Tail | None:
    """The call of a function as the way on into a known graph."""
    function = _behind(function)
    if isinstance(function, CNode) and function.calls(partial_):
        return _tail(function.args[0], (*function.args[1:], *arguments))
    graph = graph_of(function)
    if graph is None or len(graph.parameters) != len(arguments):
        return None
    return _Tail(graph, tuple(arguments))


def _is_pure(call: CNode) -> bool:
    return call.calls(partial_) or call.calls(_DEPEND)


def _behind(node: AnfNode) -> AnfNode:
    """What a node gives, where that only waits for something."""
    while isinstance(node, CNode) and node.calls(_DEPEND):
        node = node.args[0]
    return node


class _Writer:
    """Writes one function."""

    def __init__(self, program: _Program, graph: Graph) -> None:
        self.program, self.graph = program, graph
        self.structure = program.structure
        self._names: dict[AnfNode | str, str] = {}
        self._taken = set(keyword.kwlist)
        for parameter in graph.parameters:
            self.name(parameter)
        self.states = self._states()
        self.at = self._new_name("at", "at")

    def name(self, node: AnfNode) -> str:
        """The variable that holds the value of a node."""
        found = self._names.get(node)
        return self._new_name(node, _wish_of(node)) if found is None else found

    def _new_name(self, item: AnfNode | str, wish: str) -> str:
        tries = itertools.chain([wish], (f"{wish}_{number}" for number in itertools.count(2)))
        name = self._names[item] = next(name for name in tries if name not in self._taken)
        self._taken.add(name)
        return name

    def _states(self) -> dict[Graph, int]:
        """The graphs that are states of a loop, with their numbers: several places lead to them."""
        count: dict[Graph, int] = {self.graph: 1}
        depth = {self.graph: 0}
        pending = [self.graph]
        for graph in pending:
            for tail in _tails(self.program.end(graph)):
                if tail.graph not in count:
                    count[tail.graph] = 0
                    depth[tail.graph] = depth[graph] + 1
                    if depth[tail.graph] > _DEEPEST:
                        depth[tail.graph], count[tail.graph] = 0, 1
                    pending.append(tail.graph)
                count[tail.graph] += 1
        several = [graph for graph in pending if count[graph] > 1]
        if not several:
            return {}
        return {graph: i for i, graph in enumerate(dict.fromkeys([self.graph, *several]))}

    def definition(self) -> ast.FunctionDef:
        program, graph = self.program, self.graph
        name = program._heads[graph]
        if not self.states:
            body = self.body(graph)
        else:
            chain: list[ast.stmt] = []
            for state, number in reversed(self.states.items()):
                is_here = ast.Compare(_load(self.at), [ast.Eq()], [ast.Constant(number)])
                chain = [_at(state.span, ast.If(is_here, self.body(state), chain))] if chain else self.body(state)
            start = ast.Assign([_store(self.at)], ast.Constant(0))
            body = [start, ast.While(ast.Constant(True), chain, [])]
        free = self.structure.free[graph]
        own = list(map(self.name, graph.parameters))
        if not free:
            return self._function(name, own, body)
        outer = list(map(self.name, free))
        inner = self._function(self._new_name("", _identifier(graph.name)), own, body)
        return self._function(name, outer, [inner, ast.Return(_load(inner.name))])

    def _function(self, name: str, parameters: Iterable[str], body: list[ast.stmt]) -> ast.FunctionDef:
        arguments = ast.arguments([], [ast.arg(each) for each in parameters], None, [], [], None, [])
        return _at(self.graph.span, ast.FunctionDef(name, arguments, body, [], None, **no_type_parameters()))

    def body(self, graph: Graph) -> list[ast.stmt]:
        """The statements of a graph, and of those that it alone goes on in."""
        end = self.program.end(graph)
        calls = self.structure.schedules[graph]
        ways: set[AnfNode] = set()
        if end is not None:
            last = calls[-2]
            uses = [node for call in calls[:-2] for node in call.inputs]
            ways = {last, *_ways(last, uses)}
        lines: list[ast.stmt] = []
        for call in calls[:-1]:
            if call not in ways:
                lines += [_at(call.span, line) for line in self.statements(call)]
        if end is None:
            lines.append(_at(calls[-1].span, ast.Return(self.expression(graph.output))))
        elif isinstance(end, _Tail):
            lines += self.go_on(end, calls[-2].span)
        else:
            span = calls[-2].span
            test = self.expression(end.condition)
            lines.append(_at(span, ast.If(test, self.go_on(end.first, span), self.go_on(end.second, span))))
        return lines

    def go_on(self, tail: _Tail, span: Span | None) -> list[ast.stmt]:
        lines: list[ast.stmt] = []
        pairs = [
            (self.name(parameter), self.expression(value))
            for parameter, value in zip(tail.graph.parameters, tail.arguments)
        ]
        pairs = [(name, value) for name, value in pairs if not (isinstance(value, ast.Name) and value.id == name)]
        if len(pairs) == 1:
            lines.append(ast.Assign([_store(pairs[0][0])], pairs[0][1]))
        elif pairs:
            names = ast.Tuple([_store(name) for name, _ in pairs], ast.Store())
            lines.append(ast.Assign([names], ast.Tuple([value for _, value in pairs], ast.Load())))
        if tail.graph in self.states:
            lines.append(ast.Assign([_store(self.at)], ast.Constant(self.states[tail.graph])))
            return [_at(span, line) for line in lines]
        return [*(_at(span, line) for line in lines), *self.body(tail.graph)]

    # -- calls --------------------------------------------------------------------------------------------------------

    def expression(self, node: AnfNode) -> ast.expr:
        if not isinstance(node, ValueNode):
            return _load(self.name(node))
        graph = graph_of(node)
        if graph is None:
            return self.program.value(node.value)
        made = _load(self.program.head(graph))
        free = self.structure.free[graph]
        return _call(made, [_load(self.name(each)) for each in free]) if free else made

    def statements(self, call: CNode) -> list[ast.stmt]:
        """What gives a call's value to its variable."""
        function = call.fn.value if isinstance(call.fn, ValueNode) else None
        name = self.name(call)
        if isinstance(function, Primitive):
            args = [self.expression(arg) for arg in call.args if function.handles_states or not is_state(arg)]
            write = _STATEMENTS.get(function.name)
            if write is not None:
                return [*write(*args), ast.Assign([_store(name)], ast.Constant(None))]
            if function.name in _IN_PLACE:
                first = ast.Assign([_store(name)], args[0])
                return [first, ast.AugAssign(_store(name), _IN_PLACE[function.name](), args[1])]
            value = self._primitive(function, args, call)
        else:
            goes_into = graph_of(call.fn) is not None
            args = [self.expression(arg) for arg in call.args if goes_into or not is_state(arg)]
            value = _call(self.expression(call.fn), args)
        return [ast.Assign([_store(name)], value)]

    def _primitive(self, function: Primitive, args: list[ast.expr], call: CNode) -> ast.expr:
        name = function.name
        if name in _EXPRESSIONS:
            made = _EXPRESSIONS[name](*args)
            if made is not None:
                return made
        known = [arg.value if isinstance(arg, ValueNode) else None for arg in call.args]
        if name == "interpret" and type(known[2]) is tuple and all(map(_is_name, known[2])):
            first = len(args) - len(known[2])
            keywords = [ast.keyword(word, value) for word, value in zip(known[2], args[first:])]
            return _call(args[3], args[4:first], keywords)
        if name == "apply" and type(known[1]) is tuple and all(_is_name(w.strip("*=")) or w in _WAYS for w in known[1]):
            return _applied(args[0], known[1], args[2:])
        if name == "make_dict" and type(known[0]) is tuple:
            return ast.Dict([self.program.value(key) for key in known[0]], args[1:])
        return _call(self.program.value(function), args)


def _tails(end: _Tail | _Choice | None) -> tuple[_Tail, ...]:
    return () if end is None else (end,) if isinstance(end, _Tail) else (end.first, end.second)


def _ways(last: CNode, uses: list[AnfNode]) -> list[AnfNode]:
    """The calls of `switch` and `partial` that choose where a graph goes on, and which nothing else needs."""
    found: list[AnfNode] = []
    pending = [last.fn]
    while pending:
        node = pending.pop()
        if isinstance(node, CNode) and (node.calls(switch) or _is_pure(node)):
            if sum(use is node for use in uses) <= sum(node in way.inputs for way in found if isinstance(way, CNode)):
                found.append(node)
            pending += node.args if node.calls(switch) else node.args[:1]
    return found


def _is_name(text: Any) -> bool:
    return type(text) is str and text.isidentifier() and not keyword.iskeyword(text)


_WAYS = ("", "*", "**")


def _applied(function: ast.expr, form: Sequence[str], values: list[ast.expr]) -> ast.expr:
    args: list[ast.expr] = []
    keywords: list[ast.keyword] = []
    for way, value in zip(form, values):
        if way == "":
            args.append(value)
        elif way == "*":
            args.append(ast.Starred(value, ast.Load()))
        else:
            keywords.append(ast.keyword(None if way == "**" else way[:-1], value))
    return _call(function, args, keywords)


# -- pieces of syntax -------------------------------------------------------------------------------------------------


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _store(name: str) -> ast.Name:
    return ast.Name(name, ast.Store())


def _call(function: ast.expr, args: Sequence[ast.expr], keywords: Sequence[ast.keyword] = ()) -> ast.Call:
    return ast.Call(function, list(args), list(keywords))


def _at(span: Span | None, node: Any) -> Any:
    """A statement where the program says so."""
    if span is not None and not hasattr(node, "lineno"):
        column = span.column or 0
        node.lineno, node.end_lineno, node.col_offset = span.line, span.end_line, column
        node.end_col_offset = column if span.end_column is None else span.end_column
    return node


def _binary(kind: type[ast.operator]) -> Callable[[ast.expr, ast.expr], ast.expr]:
    return lambda x, y: ast.BinOp(x, kind(), y)


def _unary(kind: type[ast.unaryop]) -> Callable[[ast.expr], ast.expr]:
    return lambda x: ast.UnaryOp(kind(), x)


def _comparison(kind: type[ast.cmpop]) -> Callable[[ast.expr, ast.expr], ast.expr]:
    return lambda x, y: ast.Compare(x, [kind()], [y])


def _attribute(x: ast.expr, name: ast.expr) -> ast.expr | None:
    word = name.value if isinstance(name, ast.Constant) else None
    is_private = isinstance(word, str) and word.startswith("__") and not word.endswith("__")
    return ast.Attribute(x, str(word), ast.Load()) if _is_name(word) and not is_private else None


_IN_PLACE = {f"i{name}": kind for kind, name in BINARY.items()}

#: The expression of a primitive, from those of its arguments; None where these have no such form.
_EXPRESSIONS: dict[str, Callable[..., ast.expr | None]] = {
    **{name: _binary(kind) for kind, name in BINARY.items()},
    **{name: _comparison(kind) for kind, name in COMPARE.items()},
    **{name: _unary(kind) for kind, name in UNARY.items()},
    "getitem": lambda x, i: ast.Subscript(x, i, ast.Load()),
    "getattr": _attribute,
    "make_tuple": lambda *items: ast.Tuple(list(items), ast.Load()),
    "make_list": lambda *items: ast.List(list(items), ast.Load()),
    "make_slice": lambda *parts: _call(_load("slice"), parts),
    "iter": lambda x: _call(_load("iter"), [x]),
    "switch": lambda c, x, y: ast.IfExp(c, x, y),
    "depend": lambda x, *before: x,
    "update_state": lambda state, *after: state,
}
#: The statement of a primitive that gives None.
_STATEMENTS: dict[str, Callable[..., list[ast.stmt]]] = {
    "setitem": lambda x, i, value: [ast.Assign([ast.Subscript(x, i, ast.Store())], value)],
    "delitem": lambda x, i: [ast.Delete([ast.Subscript(x, i, ast.Del())])],
}
