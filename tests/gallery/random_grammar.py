"""What programs made by chance consist of, and how they are made smaller.

    statement = Line | Compound           Line: one line of source        Compound: clauses, each a header with its body

A `Family` makes programs of one kind.
"""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Iterator
from typing import Any

from harness import Call

__all__ = ["Body", "Compound", "Family", "Line", "Names", "Source", "smaller", "text"]


@dataclasses.dataclass
class Line:
    """One line. A line that bounds a loop is never dropped from it."""

    source: str
    fixed: bool = False


@dataclasses.dataclass
class Compound:
    """Clauses that belong together, such as if, elif and else. One that bounds a recursion is never dropped from it."""

    clauses: list[tuple[str, Body]]
    fixed: bool = False


Body = list["Line | Compound"]


@dataclasses.dataclass
class Source:
    """A function: its statements, its last line, and its parameters."""

    body: Body
    result: str
    parameters: str


@dataclasses.dataclass(frozen=True)
class Family:
    """Programs of one kind.

    Args:
        source: the function of a seed.
        calls: the arguments of its calls, made anew each time.
        namespace: what stands in its module.
        state: names there that are compared.
        is_patched: whether functions and methods are replaced between its calls.
    """

    source: Callable[[int], Source]
    calls: Callable[[int], list[Call]]
    namespace: dict[str, Any]
    state: tuple[str, ...]
    is_patched: bool = False


class Names:
    """The variables in sight by kind, and what is drawn of a seed."""

    def __init__(self, seed: int, names: dict[str, list[str]]) -> None:
        self.random, self.names, self.count = random.Random(seed), names, 0

    def fresh(self, kind: str) -> str:
        self.count += 1
        return f"{kind}{self.count}"

    def pick(self, kind: str) -> str:
        return self.random.choice(self.names[kind])

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability


def _render(body: Body, depth: int) -> Iterator[str]:
    indent = "    " * depth
    for statement in body:
        if isinstance(statement, Line):
            yield indent + statement.source
        else:
            for header, inner in statement.clauses:
                yield indent + header
                yield from _render(inner, depth + 1) if inner else [f"{indent}    pass"]


def text(source: Source) -> str:
    lines = ["TOTAL = 0", "", "", f"def f({source.parameters}):"]
    return "\n".join([*lines, *_render(source.body, 1), f"    {source.result}", ""])


def smaller(body: Body) -> Iterator[Body]:
    """The body with one statement less, or with one compound in parts."""
    for place, statement in enumerate(body):
        before, after = body[:place], body[place + 1 :]
        if statement.fixed:
            continue
        yield before + after
        if isinstance(statement, Line):
            continue
        clauses = statement.clauses
        for _, inner in clauses:
            yield before + inner + after
        for number, (header, inner) in enumerate(clauses):
            others = clauses[:number], clauses[number + 1 :]
            if number:
                yield [*before, Compound([*others[0], *others[1]]), *after]
            for less in smaller(inner):
                yield [*before, Compound([*others[0], (header, less), *others[1]]), *after]
