"""Statements as calls and jumps between blocks: the part of the parser between expressions (terms.py) and variables
(parser.py). The method of a statement returns the block in which what follows it is parsed; None where nothing does."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from anfora.graph.ir import PRIMITIVES, AnfNode, ValueNode
from anfora.graph.ir.blocks import Block
from anfora.graph.ir.scan import stored
from anfora.graph.ir.terms import Terms
from anfora.graph.source.operators import OPERATORS

__all__ = ["Statements", "at"]


class Statements(Terms):
    """Makes calls and jumps of statements. What it works with is a function's: see `parser._Function`."""

    unbind: Callable[[Block, str, ast.AST], None]
    left_to_python: Callable[..., Block | None]
    is_builtin: Callable[[str, Any], bool]
    loops: list[tuple[Block, list[Block]]]  #: where `continue` goes, and the blocks that end in `break`

    def statements(self, block: Block, statements: Sequence[ast.stmt]) -> Block | None:
        following: Block | None = block
        for statement in statements:
            if following is None:
                return None  # never reached
            method = getattr(self, f"stmt_{type(statement).__name__}", None)
            if method is None:
                what = _WHAT.get(type(statement).__name__, f"the statement {type(statement).__name__}")
                following = self.left_to_python(following, [statement], f"{what} has no graph form")
            else:
                following = method(following, statement)
        return following

    def stmt_Pass(self, block: Block, node: ast.stmt) -> Block:
        """pass;  global x"""
        return block

    stmt_Global = stmt_Nonlocal = stmt_Pass

    def stmt_Expr(self, block: Block, node: ast.Expr) -> Block:
        """f(x)"""
        self.expression(block, node.value)
        return block

    def stmt_Return(self, block: Block, node: ast.Return) -> None:
        """return x"""
        block.graph.output = None if node.value is None else self.expression(block, node.value)

    def stmt_Assign(self, block: Block, node: ast.Assign) -> Block:
        """x = y = value;  x, *y = value;  x.y = z[i] = value"""
        value = self.expression(block, node.value)
        for target in node.targets:
            self.assign(block, target, value)
        return block

    def stmt_AnnAssign(self, block: Block, node: ast.AnnAssign) -> Block:
        """x: type = value"""
        if node.value is not None:
            self.assign(block, node.target, self.expression(block, node.value))
        elif not isinstance(node.target, ast.Name):  # what it is an attribute or item of is computed
            self.expression(block, node.target.value)
        return block

    def assign(self, block: Block, target: ast.expr, value: AnfNode) -> None:
        span = self.span(target)
        if isinstance(target, ast.Name):
            self.bind(block, self.mangled(target.id), value, target)
        elif isinstance(target, ast.Attribute):
            owner = self.expression(block, target.value)
            block.call(PRIMITIVES["setattr"], owner, self.mangled(target.attr), value, span=span)
        elif isinstance(target, ast.Subscript):
            owner, index = self.expression(block, target.value), self.expression(block, target.slice)
            block.call(PRIMITIVES["setitem"], owner, index, value, span=span)
        elif isinstance(target, (ast.Tuple, ast.List)):
            count = len(target.elts)
            starred = [k for k, each in enumerate(target.elts) if isinstance(each, ast.Starred)]
            if starred:
                items = block.call(PRIMITIVES["unpack_rest"], value, starred[0], count - starred[0] - 1, span=span)
            else:
                items = block.call(PRIMITIVES["unpack"], value, count, span=span)
            for position, each in enumerate(target.elts):
                item = block.call(PRIMITIVES["getitem"], items, position, span=span)
                self.assign(block, each.value if isinstance(each, ast.Starred) else each, item)

    def stmt_AugAssign(self, block: Block, node: ast.AugAssign) -> Block:
        """x += y;  x.y += z;  x[i] += y"""
        primitive, span = PRIMITIVES[f"i{OPERATORS[type(node.op)]}"], self.span(node)
        target = node.target
        if isinstance(target, ast.Name):
            name = self.mangled(target.id)
            old, value = self.variable(block, name, target), self.expression(block, node.value)
            self.bind(block, name, block.call(primitive, old, value, span=span), node)
            return block
        owner = self.expression(block, target.value)
        is_item = isinstance(target, ast.Subscript)
        key = self.expression(block, target.slice) if is_item else ValueNode(self.mangled(target.attr))  # type: ignore[union-attr]
        read, write = ("getitem", "setitem") if is_item else ("getattr", "setattr")
        old = block.call(PRIMITIVES[read], owner, key, span=self.span(target))
        new = block.call(primitive, old, self.expression(block, node.value), span=span)
        block.call(PRIMITIVES[write], owner, key, new, span=span)
        return block

    def stmt_Delete(self, block: Block, node: ast.Delete) -> Block:
        """del x, y.z, a[i]"""
        pending: list[ast.expr] = list(node.targets)
        while pending:
            target = pending.pop(0)
            if isinstance(target, ast.Name):
                self.unbind(block, self.mangled(target.id), target)
            elif isinstance(target, (ast.Tuple, ast.List)):
                pending[:0] = target.elts
            elif isinstance(target, ast.Attribute):
                owner = self.expression(block, target.value)
                block.call(PRIMITIVES["delattr"], owner, self.mangled(target.attr), span=self.span(target))
            elif isinstance(target, ast.Subscript):
                owner, index = self.expression(block, target.value), self.expression(block, target.slice)
                block.call(PRIMITIVES["delitem"], owner, index, span=self.span(target))
        return block

    def stmt_Raise(self, block: Block, node: ast.Raise) -> Block | None:
        """raise error from cause"""
        if node.exc is None:
            return self.left_to_python(block, [node], "it raises what is being handled")
        parts = [self.expression(block, part) for part in (node.exc, node.cause) if part is not None]
        block.graph.output = block.call(PRIMITIVES["raise"], *parts, span=self.span(node))
        return None

    def stmt_Assert(self, block: Block, node: ast.Assert) -> Block | None:
        """assert test, message"""
        if not __debug__:
            return block
        error: ast.expr = ast.copy_location(ast.Name("AssertionError", ast.Load()), node)
        if node.msg is not None:
            error = ast.copy_location(ast.Call(error, [node.msg], []), node)
        test = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)
        return self.stmt_If(block, at(node, ast.If(test, [at(node, ast.Raise(error, None))], [])))

    def stmt_If(self, block: Block, node: ast.If) -> Block | None:
        """if test: body else: orelse"""
        condition = self.expression(block, node.test)
        first = self.follow(block, "✓", [block]).seal()
        second = self.follow(block, "✗", [block]).seal()
        block.branch(condition, first, second, self.span(node.test))
        ends = [self.statements(first, node.body), self.statements(second, node.orelse)]
        return self.join(block, [end for end in ends if end], self.stored([*node.body, *node.orelse]))

    def stored(self, nodes: Sequence[ast.AST]) -> Counter[str]:
        return Counter({self.mangled(name): count for name, count in stored(nodes).items()})

    def join(self, block: Block, ends: list[Block], may_change: Iterable[str]) -> Block | None:
        """Where the ends of several paths meet; with one path left it just goes on."""
        if len(ends) < 2:
            return ends[0] if ends else None
        after = self.follow(block, "↓", [], may_change)
        for end in ends:
            end.jump(after)
        return after.seal()

    def stmt_While(self, block: Block, node: ast.While) -> Block | None:
        """while test: body else: orelse        block → header → body → header, header → after"""
        header = self.follow(block, "↵", [], self.stored([*node.body, node.test]))
        block.jump(header)
        return self.loop(block, header, self.expression(header, node.test), node)

    def stmt_For(self, block: Block, node: ast.For) -> Block | None:
        """for target in items: body else: orelse

        The state of the loop is an iterator; over `range(…)` it is the rest of the range: while there is one, take its
        first number.
        """
        rest = f"⤾{node.lineno}.{node.col_offset}"  # no name that a program can have
        is_named = isinstance(node.iter, ast.Call) and isinstance(node.iter.func, ast.Name) and not node.iter.keywords
        is_plain = is_named and not any(isinstance(each, ast.Starred) for each in node.iter.args)  # type: ignore[attr-defined]
        span = self.span(node.iter)
        if is_plain and self.is_builtin(node.iter.func.id, range):  # type: ignore[attr-defined]
            block.bound[rest] = self.expression(block, node.iter)
            header = self.follow(block, "↵", [], [*self.stored([*node.body, node.target]), rest])
            block.jump(header)
            return self.loop(block, header, header.read(rest), node, rest)
        items = block.call(PRIMITIVES["iter"], self.expression(block, node.iter), span=span)
        header = self.follow(block, "↵", [], self.stored([*node.body, node.target]))
        block.jump(header)
        return self.loop(block, header, header.call(PRIMITIVES["following"], items, span=span), node)

    def loop(
        self, block: Block, header: Block, condition: AnfNode, node: ast.While | ast.For, rest: str | None = None
    ) -> Block | None:
        body = self.follow(block, "↻", [header]).seal()
        after = self.follow(block, "↓", [header]).seal()
        header.branch(condition, body, after, self.span(node.test if isinstance(node, ast.While) else node.iter))
        if isinstance(node, ast.For):
            span = self.span(node.iter)
            item = body.call(PRIMITIVES["getitem"], condition, 0, span=span)
            if rest is not None:
                body.bound[rest] = body.call(PRIMITIVES["getitem"], condition, slice(1, None), span=span)
            self.assign(body, node.target, item)
        self.loops.append((header, []))
        end = self.statements(body, node.body)
        if end is not None:
            end.jump(header)
        header.seal()
        _, breaks = self.loops.pop()
        last = self.statements(after, node.orelse)
        return self.join(after, [*([last] if last else []), *breaks], self.stored([node]))

    def stmt_Break(self, block: Block, node: ast.Break) -> None:
        """break"""
        self.loops[-1][1].append(block)

    def stmt_Continue(self, block: Block, node: ast.Continue) -> None:
        """continue"""
        block.jump(self.loops[-1][0])


def at(place: Any, made: Any) -> Any:
    return ast.copy_location(made, place)


_WHAT = {
    "Try": "`try`", "TryStar": "`try`", "With": "`with`", "Match": "`match`", "ClassDef": "a class", "Import": "an import",
    "ImportFrom": "an import",
}  # fmt: skip
