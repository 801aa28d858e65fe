"""Expressions as calls: the part of the parser that makes nodes of them (parser.py has the statements)."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from anfora.core.span import Span
from anfora.graph.ir import PRIMITIVES, AnfNode, CNode, ValueNode
from anfora.graph.ir.blocks import Block
from anfora.graph.ir.primitives import switch
from anfora.graph.ir.structure import graph_of
from anfora.graph.source.operators import OPERATORS
from anfora.graph.source.scopes import every_node, mangle

if TYPE_CHECKING:
    from anfora.graph.ir.parser import _Function, _Program

__all__ = ["Terms", "needs_form"]

#: How comprehensions collect: their names, and the displays and statements in Python that they are short for.
_COLLECTIONS = {
    "ListComp": ("listcomp", "[]", "found.append(item)"),
    "SetComp": ("setcomp", "set()", "found.add(item)"),
    "DictComp": ("dictcomp", "{}", "found[item] = value"),
}


class Terms:
    """Makes nodes of expressions. What it works with is a function's: see `parser._Function`."""

    program: _Program
    function: Any
    private: str
    span: Callable[[Any], Span]
    variable: Callable[[Block, str, ast.AST], AnfNode]
    bind: Callable[[Block, str, AnfNode, ast.AST], None]
    follow: Callable[..., Block]
    inner: Callable[..., _Function]
    part: Callable[..., CNode]

    def mangled(self, name: str) -> str:
        return mangle(name, self.private)

    def expression(self, block: Block, node: ast.expr) -> AnfNode:
        if _binds_on_the_way(node):
            return self.left_as_it_is(block, node, "it binds a variable, if it comes so far")
        method = getattr(self, f"expr_{type(node).__name__}", None)
        if method is None:
            return self.left_as_it_is(block, node, f"the expression {type(node).__name__} has no graph form")
        return method(block, node)

    def left_as_it_is(self, block: Block, node: ast.expr, reason: str) -> AnfNode:
        """An expression that Python computes."""
        result = self.part(block, node, ast.unparse(node), reason)
        return block.graph.apply(PRIMITIVES["getitem"], result, 1, span=result.span)

    def expr_GeneratorExp(self, block: Block, node: ast.GeneratorExp) -> AnfNode:
        """(x for x in y)"""
        return self.left_as_it_is(block, node, "a generator goes on where it has stopped")

    def expr_NamedExpr(self, block: Block, node: ast.NamedExpr) -> AnfNode:
        """(x := value)"""
        value = self.expression(block, node.value)
        self.bind(block, self.mangled(node.target.id), value, node)
        return value

    def expr_Constant(self, block: Block, node: ast.Constant) -> AnfNode:
        """1, "text", None"""
        return ValueNode(node.value)

    def expr_Name(self, block: Block, node: ast.Name) -> AnfNode:
        """x"""
        return self.variable(block, self.mangled(node.id), node)

    def expr_BinOp(self, block: Block, node: ast.BinOp) -> AnfNode:
        """x + y"""
        left, right = self.expression(block, node.left), self.expression(block, node.right)
        return block.call(PRIMITIVES[OPERATORS[type(node.op)]], left, right, span=self.span(node))

    def expr_UnaryOp(self, block: Block, node: ast.UnaryOp) -> AnfNode:
        """-x; a negative number is a constant"""
        operand = self.expression(block, node.operand)
        if isinstance(node.op, ast.USub) and isinstance(operand, ValueNode) and type(operand.value) in (int, float):
            return ValueNode(-operand.value)
        return block.call(PRIMITIVES[OPERATORS[type(node.op)]], operand, span=self.span(node))

    def expr_Compare(self, block: Block, node: ast.Compare) -> AnfNode:
        """x < y < z        is x < y and y < z, with y computed once"""
        left = self.expression(block, node.left)

        def chain(block: Block, left: AnfNode, rest: list[tuple[ast.cmpop, ast.expr]]) -> AnfNode:
            (operator, other), *more = rest
            right = self.expression(block, other)
            value = block.call(PRIMITIVES[OPERATORS[type(operator)]], left, right, span=self.span(node))
            if not more:
                return value
            return self.choose(block, value, lambda inner: chain(inner, right, more), lambda inner: value, node)

        return chain(block, left, list(zip(node.ops, node.comparators)))

    def expr_BoolOp(self, block: Block, node: ast.BoolOp) -> AnfNode:
        """x and y;  x or y"""

        def chain(block: Block, values: list[ast.expr]) -> AnfNode:
            value = self.expression(block, values[0])
            if len(values) == 1:
                return value
            sides = (lambda inner: chain(inner, values[1:])), (lambda inner: value)
            return self.choose(block, value, *(sides if isinstance(node.op, ast.And) else sides[::-1]), node)

        return chain(block, node.values)

    def expr_IfExp(self, block: Block, node: ast.IfExp) -> AnfNode:
        """x if test else y"""
        condition = self.expression(block, node.test)
        return self.choose(
            block, condition, lambda inner: self.expression(inner, node.body),
            lambda inner: self.expression(inner, node.orelse), node,
        )  # fmt: skip

    def choose(
        self,
        block: Block,
        condition: AnfNode,
        first: Callable[[Block], AnfNode],
        second: Callable[[Block], AnfNode],
        node: ast.expr,
    ) -> AnfNode:
        """The value of one of two expressions, each in a function of its own."""
        sides = []
        for mark, make in (("✓", first), ("✗", second)):
            side = self.follow(block, mark, [block]).seal()
            side.graph.output = make(side)
            sides.append(side.graph)
        span = self.span(node)
        return block.call(block.call(switch, condition, *sides, span=span), span=span)

    def expr_Call(self, block: Block, node: ast.Call) -> AnfNode:
        """f(x, *y, name=z, **w)"""
        function, span = self.called(block, node), self.span(node)
        form = ["*" if isinstance(each, ast.Starred) else "" for each in node.args]
        values = [self.expression(block, each.value if isinstance(each, ast.Starred) else each) for each in node.args]
        form += ["**" if each.arg is None else f"{each.arg}=" for each in node.keywords]
        values += [self.expression(block, each.value) for each in node.keywords]
        graph = graph_of(function)
        is_plain = not any(form) and (graph is None or len(graph.parameters) == len(values))
        if graph is not None and not is_plain:  # what does not fit is told in Python's words
            names = tuple(str(parameter.name) for parameter in graph.parameters)
            function = block.call(PRIMITIVES["signed"], function, names, span=span)
        if not is_plain:
            return block.call(PRIMITIVES["apply"], function, tuple(form), *values, span=span)
        return block.call(function, *values, span=span)

    def called(self, block: Block, node: ast.Call) -> AnfNode:
        """What is called: of the functions of the program their graphs."""
        function = self.expression(block, node.func)
        if isinstance(function, ValueNode) and self.program.is_own(function.value):
            graph = ValueNode(self.program.graph(function.value))
            form = self.program.forms[function.value]
            if not needs_form(form):
                return graph
            keywords = function.value.__kwdefaults__ or {}
            named = [keywords[each[:-1]] for each in form if each.endswith("=") and each[:-1] in keywords]
            defaults = (*(function.value.__defaults__ or ()), *named)
            return block.call(PRIMITIVES["signed"], graph, form, *map(ValueNode, defaults), span=self.span(node))
        return function

    def expr_Attribute(self, block: Block, node: ast.Attribute) -> AnfNode:
        """x.name; in a module it is a constant, if it may be one"""
        value, name = self.expression(block, node.value), self.mangled(node.attr)
        if isinstance(value, ValueNode) and isinstance(value.value, types.ModuleType) and hasattr(value.value, name):
            constant = self.program.constant(getattr(value.value, name))
            if constant is not None:
                return constant
        return block.call(PRIMITIVES["getattr"], value, name, span=self.span(node))

    def expr_Subscript(self, block: Block, node: ast.Subscript) -> AnfNode:
        """x[i]"""
        value, index = self.expression(block, node.value), self.expression(block, node.slice)
        return block.call(PRIMITIVES["getitem"], value, index, span=self.span(node))

    def expr_Slice(self, block: Block, node: ast.Slice) -> AnfNode:
        """i:j:k"""
        parts = [
            self.expression(block, part) if part else ValueNode(None) for part in (node.lower, node.upper, node.step)
        ]
        return block.call(PRIMITIVES["make_slice"], *parts, span=self.span(node))

    def expr_Tuple(self, block: Block, node: ast.Tuple | ast.List) -> AnfNode:
        """x, y;  [x, *y]"""
        name, span = "make_tuple" if isinstance(node, ast.Tuple) else "make_list", self.span(node)
        if any(isinstance(item, ast.Starred) for item in node.elts):
            return self.gathered(block, tuple if isinstance(node, ast.Tuple) else list, node.elts, span)
        return block.call(PRIMITIVES[name], *[self.expression(block, item) for item in node.elts], span=span)

    expr_List = expr_Tuple

    def expr_Set(self, block: Block, node: ast.Set) -> AnfNode:
        """{x, *y}"""
        return self.gathered(block, set, node.elts, self.span(node))

    def gathered(self, block: Block, kind: type, items: list[ast.expr], span: Span) -> AnfNode:
        form = tuple("*" if isinstance(item, ast.Starred) else "" for item in items)
        values = [self.expression(block, item.value if isinstance(item, ast.Starred) else item) for item in items]
        return block.call(PRIMITIVES["gather"], kind, form, *values, span=span)

    def expr_Dict(self, block: Block, node: ast.Dict) -> AnfNode:
        """{k: v, **w}"""
        span = self.span(node)
        parts = [
            [self.expression(block, part) for part in (key, value) if part is not None]
            for key, value in zip(node.keys, node.values)
        ]
        if None in node.keys:
            form = tuple("**" if key is None else "" for key in node.keys)
            return block.call(PRIMITIVES["gather"], dict, form, *[each for part in parts for each in part], span=span)
        keys = block.call(PRIMITIVES["make_tuple"], *[key for key, _ in parts], span=span)
        return block.call(PRIMITIVES["make_dict"], keys, *[value for _, value in parts], span=span)

    def expr_JoinedStr(self, block: Block, node: ast.JoinedStr) -> AnfNode:
        """f"x = {x:.3f}\""""
        parts = [self.expression(block, part) for part in node.values]
        return block.call(PRIMITIVES["join"], *parts, span=self.span(node))

    def expr_FormattedValue(self, block: Block, node: ast.FormattedValue) -> AnfNode:
        """{x!r:spec} in a string"""
        value = self.expression(block, node.value)
        spec = ValueNode("") if node.format_spec is None else self.expression(block, node.format_spec)
        conversion = "" if node.conversion < 0 else chr(node.conversion)
        return block.call(PRIMITIVES["format"], value, conversion, spec, span=self.span(node))

    def expr_Lambda(self, block: Block, node: ast.Lambda) -> AnfNode:
        """lambda x, y=default: value"""
        defaults = self.defaults(block, node.args)
        inner = self.inner(block, node)
        inner.parse(node.body)
        return self.with_form(block, ValueNode(inner.entry.graph), inner, defaults, node)

    def defaults(self, block: Block, arguments: ast.arguments) -> list[AnfNode]:
        """The defaults of parameters, which are computed where a function is defined."""
        given = [*arguments.defaults, *(each for each in arguments.kw_defaults if each is not None)]
        return [self.expression(block, each) for each in given]

    def with_form(
        self, block: Block, graph: AnfNode, inner: _Function, defaults: list[AnfNode], node: ast.AST
    ) -> AnfNode:
        """A function with its signature, where it has more to it than places."""
        if not needs_form(inner.form):
            return graph
        return block.call(PRIMITIVES["signed"], graph, inner.form, *defaults, span=self.span(node))

    def expr_ListComp(self, block: Block, node: ast.ListComp | ast.SetComp | ast.DictComp) -> AnfNode:
        """[item for x in items if test]        is a function of its first iterable"""
        if any(generator.is_async for generator in node.generators):
            return self.left_as_it_is(block, node, "what is `async` is left to Python")
        iterable = self.expression(block, node.generators[0].iter)
        definition = self.program.rewritten.get(node)
        if definition is None:
            definition = self.program.rewritten[node] = _as_function(node)
        inner = self.inner(block, definition, is_immediate=True)
        inner.parse(definition.body)
        span = self.span(node)
        items = block.call(PRIMITIVES["iter"], iterable, span=self.span(node.generators[0].iter))
        return block.call(inner.entry.graph, items, span=span)

    expr_SetComp = expr_DictComp = expr_ListComp


def needs_form(form: tuple[str, ...]) -> bool:
    return any(not each.isidentifier() for each in form)


def _binds_on_the_way(node: ast.AST) -> bool:
    """Whether an expression binds a variable (`:=`) in a part of it that is not always computed."""
    sometimes: list[ast.AST] = []
    if isinstance(node, ast.BoolOp):
        sometimes = [*node.values[1:]]
    elif isinstance(node, ast.IfExp):
        sometimes = [node.body, node.orelse]
    elif isinstance(node, ast.Compare):
        sometimes = [*node.comparators[1:]]
    elif isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp)):
        sometimes = [node]
    if any(isinstance(each, ast.NamedExpr) for part in sometimes for each in every_node(part)):
        return True
    is_inner = isinstance(node, (ast.Lambda, ast.GeneratorExp))
    return not is_inner and any(_binds_on_the_way(part) for part in ast.iter_child_nodes(node))


def _as_function(node: Any) -> ast.FunctionDef:
    """A comprehension as the function that it is short for."""
    name, empty, collect = _COLLECTIONS[type(node).__name__]
    [definition] = ast.parse(f"def {name}(items):\n found = {empty}\n {collect}\n return found").body
    assert isinstance(definition, ast.FunctionDef)
    for each in every_node(definition):
        ast.copy_location(each, node)
    renamed = {"items": ".0", "found": ".found"}  # no names that a program can have
    parts = {"item": node.key, "value": node.value} if isinstance(node, ast.DictComp) else {"item": node.elt}

    class Filled(ast.NodeTransformer):
        def visit_Name(self, each: ast.Name) -> ast.expr:
            if each.id in parts:
                return parts[each.id]
            return ast.copy_location(ast.Name(renamed.get(each.id, each.id), each.ctx), node)

    definition.args.args[0].arg = renamed["items"]
    start, inside, end = (Filled().visit(statement) for statement in definition.body)
    if isinstance(node, ast.DictComp):  # the key comes first
        key = ast.copy_location(ast.Assign([_name(".key", node, ast.Store())], node.key), node)
        inside.targets[0].slice = _name(".key", node)
        value = ast.copy_location(ast.Assign([_name(".value", node, ast.Store())], node.value), node)
        inside.value = _name(".value", node)
        body: list[ast.stmt] = [key, value, inside]
    else:
        body = [inside]
    for position, generator in reversed(list(enumerate(node.generators))):
        for test in reversed(generator.ifs):
            body = [ast.copy_location(ast.If(test, body, []), node)]
        items = generator.iter if position else _name(".0", node)
        body = [ast.copy_location(ast.For(generator.target, items, body, []), node)]
    definition.body = [start, *body, end]
    return definition


def _name(text: str, node: ast.AST, context: ast.expr_context | None = None) -> ast.Name:
    return ast.copy_location(ast.Name(text, context or ast.Load()), node)
