"""What is asked of a definition before it is parsed: which variables are bound how often, and which inner functions use."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator

from anfora.graph.ir import interpreted
from anfora.graph.source.code import Unsupported
from anfora.graph.source.scopes import every_node, names_of

__all__ = ["FUNCTIONS", "own_nodes", "stored", "used_inside", "why_whole"]

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.GeneratorExp)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp)


def why_whole(definition: ast.AST) -> str | None:
    """Why a function has no graph form as a whole, or None."""
    for node in own_nodes(definition):
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return "a generator goes on where it has stopped"
    for node in every_node(definition):
        is_super = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"
        if (is_super and not node.args) or (isinstance(node, ast.Name) and node.id == "__class__"):  # type: ignore[attr-defined]
            return "it asks for the class that it is defined in"
        if isinstance(node, (ast.Await, ast.AsyncFor, ast.AsyncWith)):
            return "what is `async` is left to Python"
        if isinstance(node, FUNCTIONS):
            try:
                names_of(node, "")  # type: ignore[arg-type]
            except Unsupported as reason:  # it looks at its frame, which a graph does not have
                return str(reason)
    return None


def own_nodes(definition: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function without those of inner ones."""
    pending = list(ast.iter_child_nodes(definition))
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            pending += ast.iter_child_nodes(node)


def stored(statements: Iterable[ast.AST], weight: int = 1) -> Counter[str]:
    """How often statements bind variables; in a loop counts as more than once."""
    counts: Counter[str] = Counter()
    for node in statements:
        for name, binds in interpreted.names_of(node):
            if binds:
                counts[name] += weight + isinstance(getattr(node, "ctx", None), ast.Del)
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            continue
        if isinstance(node, _COMPREHENSIONS):
            inside = (each for each in every_node(node) if isinstance(each, ast.NamedExpr))
            counts += Counter({each.target.id: 2 for each in inside if isinstance(each.target, ast.Name)})
            continue
        more = 2 if isinstance(node, (ast.While, ast.For)) else weight
        counts += stored(ast.iter_child_nodes(node), more)
    return counts


def used_inside(definition: ast.AST) -> set[str]:
    """The variables that inner functions use, of which a program may still have one when they have changed."""
    found: set[str] = set()
    for node in own_nodes(definition):
        inner = [node] if isinstance(node, FUNCTIONS) else []
        if isinstance(node, ast.ClassDef):
            inner = [each for each in every_node(node) if isinstance(each, FUNCTIONS)]
        for function in inner:
            arguments = getattr(function, "args", None)
            own = {each.arg for each in every_node(arguments) if isinstance(each, ast.arg)} if arguments else set()
            names = {each.id for each in every_node(function) if isinstance(each, ast.Name)}
            outer = {each for node in every_node(function) if isinstance(node, ast.Nonlocal) for each in node.names}
            found |= (names - own) | outer
    return found
