"""Patterns of `match` as instructions.

A pattern takes the value on top of the stack. Where it fails it jumps to one of a row of labels that stand before the
next case, one for each number of values that are to be dropped from the stack. What it captures waits in names of the
compiler's own until the whole pattern has matched, so a pattern that fails binds nothing.
"""

from __future__ import annotations

import ast
from typing import Any

from anfora.graph.source.code import Unsupported
from anfora.graph.source.functions import Functions
from anfora.graph.source.writer import Label

__all__ = ["Patterns"]


class Failure:
    """Where to go when a pattern fails.

    Attributes:
        height: how many values of the pattern are on the stack, beside the one that is being matched.
        labels: by the number of values to drop.
    """

    def __init__(self) -> None:
        self.height = 0
        self.labels: list[Label] = [Label()]

    def label(self, more: int = 0) -> Label:
        """For a jump that leaves `more` values on the stack above `height`."""
        while len(self.labels) <= self.height + more:
            self.labels.append(Label())
        return self.labels[self.height + more]


class Patterns(Functions):
    """Instructions for patterns; for a pattern of class MatchX the method MatchX."""

    captures: dict[str, str]  # of the case that is being compiled: variables, and the names in which their values wait

    def case(self, case: Any, next_case: Label) -> None:
        """Match the value on top of the stack, which stays there; go on with the variables bound, or jump."""
        self.captures = {}
        failure = Failure()
        self.emit("COPY", 1, case.pattern)
        self.pattern(case.pattern, failure)
        for variable, name in self.captures.items():
            self.emit("LOAD", name, case.pattern)
            self.variable("STORE", variable, case.pattern)
            self.emit("DELETE", name, case.pattern)
        if case.guard is not None:
            self.jump_if(case.guard, False, failure.label(), _last_within(case.pattern))
        matched = Label()
        self.emit("JUMP", matched, case.pattern)
        self.failed(failure, case.pattern)
        self.emit("JUMP", next_case, case.pattern)
        self.place(matched)

    def failed(self, failure: Failure, node: ast.AST) -> None:
        """The labels of a pattern: each drops one value and goes on to the one below."""
        for label in reversed(failure.labels[1:]):
            self.place(label)
            self.emit("POP", None, node)
        self.place(failure.labels[0])

    def pattern(self, node: Any, failure: Failure) -> None:
        method = getattr(self, type(node).__name__, None)
        if method is None:
            raise Unsupported(f"{type(node).__name__} (line {node.lineno})")
        method(node, failure)

    def capture(self, variable: str | None, node: ast.AST) -> None:
        if variable is None:
            self.emit("POP", None, node)
        else:
            if variable not in self.captures:
                self.captures[variable] = self.own_name(variable)
            self.emit("STORE", self.captures[variable], node)

    def MatchValue(self, node: ast.MatchValue, failure: Failure) -> None:
        self.value(node.value)
        self.emit("COMPARE", "eq", node)
        self.emit("JUMP_UNLESS", failure.label(), node)

    def MatchSingleton(self, node: ast.MatchSingleton, failure: Failure) -> None:
        self.emit("CONST", node.value, node)
        self.emit("COMPARE", "is", node)
        self.emit("JUMP_UNLESS", failure.label(), node)

    def MatchAs(self, node: ast.MatchAs, failure: Failure) -> None:
        if node.pattern is not None:
            self.emit("COPY", 1, node)
            failure.height += 1
            self.pattern(node.pattern, failure)
            failure.height -= 1
        self.capture(node.name, node)

    def MatchStar(self, node: ast.MatchStar, failure: Failure) -> None:
        self.capture(node.name, node)

    def MatchSequence(self, node: ast.MatchSequence, failure: Failure) -> None:
        parts = node.patterns
        star = next((i for i, part in enumerate(parts) if isinstance(part, ast.MatchStar)), None)
        self.emit("MATCH_SEQUENCE", None, node)
        self.emit("JUMP_UNLESS", failure.label(1), node)
        if star is None or len(parts) > 1:
            self.emit("LENGTH", None, node)
            self.emit("CONST", len(parts) - (star is not None), node)
            self.emit("COMPARE", "eq" if star is None else "ge", node)
            self.emit("JUMP_UNLESS", failure.label(1), node)
        if all(_is_wildcard(part) for part in parts):
            self.emit("POP", None, node)
        elif star is not None and _is_wildcard(parts[star]):
            self.items(parts, star, node, failure)
        else:
            self.unpack(parts, node, ast.MatchStar)
            self.parts(parts, failure)

    def items(self, parts: list[Any], star: int, node: ast.AST, failure: Failure) -> None:
        """Items of a sequence of which a part is not looked at: by their indices, as Python does."""
        failure.height += 1
        for i, part in enumerate(parts):
            if _is_wildcard(part):
                continue
            self.emit("COPY", 1, part)
            if i < star:
                self.emit("CONST", i, part)
            else:
                self.emit("LENGTH", None, part)
                self.emit("CONST", len(parts) - i, part)
                self.emit("BINARY", "sub", part)
            self.emit("GETITEM", None, part)
            self.pattern(part, failure)
        failure.height -= 1
        self.emit("POP", None, node)

    def parts(self, parts: list[Any], failure: Failure) -> None:
        """Match values that have been put on the stack, the first on top."""
        failure.height += len(parts)
        for part in parts:
            failure.height -= 1
            self.pattern(part, failure)

    def MatchMapping(self, node: ast.MatchMapping, failure: Failure) -> None:
        count = len(node.keys)
        self.emit("MATCH_MAPPING", None, node)
        self.emit("JUMP_UNLESS", failure.label(1), node)
        if not count and node.rest is None:
            self.emit("POP", None, node)
            return
        if count:
            self.emit("LENGTH", None, node)
            self.emit("CONST", count, node)
            self.emit("COMPARE", "ge", node)
            self.emit("JUMP_UNLESS", failure.label(1), node)
        self.tuple_of(node.keys, node)
        self.emit("MATCH_KEYS", None, node)
        self.emit("COPY", 1, node)
        self.emit("JUMP_IF_NONE", failure.label(3), node)
        self.emit("UNPACK", count, node)
        failure.height += 2
        self.parts(node.patterns, failure)
        failure.height -= 2
        if node.rest is None:
            self.emit("POP", None, node)
            self.emit("POP", None, node)
        else:
            self.emit("REST_OF_MAPPING", None, node)
            self.capture(node.rest, node)

    def MatchClass(self, node: ast.MatchClass, failure: Failure) -> None:
        self.value(node.cls)
        names = tuple(node.kwd_attrs)
        self.emit("MATCH_CLASS", (len(node.patterns), names), node)
        self.emit("COPY", 1, node)
        self.emit("JUMP_IF_NONE", failure.label(1), node)
        parts = [*node.patterns, *node.kwd_patterns]
        self.emit("UNPACK", len(parts), node)
        self.parts(parts, failure)

    def MatchOr(self, node: ast.MatchOr, failure: Failure) -> None:
        matched = Label()
        for alternative in node.patterns:
            inner = Failure()
            self.emit("COPY", 1, alternative)
            self.pattern(alternative, inner)
            self.emit("JUMP", matched, alternative)
            self.failed(inner, alternative)
        self.emit("JUMP", failure.label(1), node)
        self.place(matched)
        self.emit("POP", None, node)


def _last_within(pattern: Any) -> Any:
    """The last of the patterns that one is made of, which Python stands at when it has matched."""
    parts = [part for part in ast.iter_child_nodes(pattern) if isinstance(part, ast.pattern)]
    return _last_within(parts[-1]) if parts else pattern


def _is_wildcard(pattern: Any) -> bool:
    return (
        isinstance(pattern, (ast.MatchAs, ast.MatchStar))
        and pattern.name is None
        and (isinstance(pattern, ast.MatchStar) or pattern.pattern is None)
    )
