"""The loop nest: what a kernel does, as a tree that is never changed.

A kernel is a sequence of nests. Each computes one tensor from others, never from itself: a name that is assigned again is
a new tensor (`C_1`, then `C`), so old values stay readable and a gradient finds the values that the forward pass saw. Two
forms of nests occur:

    for i in 4, j in 5                        for p in 4                 (after a nest that sets the tensor to 0)
        sum = 0                                   for r in 3
        for k in 3                                    if p + r >= 1 and p + r < 7
            sum += A[i, k] * B[k, j]                      dX[p + r - 1] += dY[p] * W[r]
        C[i, j] = sum

*gather*: every element of the target is assigned once, by an accumulator or at once. *scatter*: elements of the target are
added to. `Term` is one summand of either, with its loops and guards; `terms_of` reads them from a nest.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any, Union

from anfora.tensor_expression.affine import Affine, Box, Condition

__all__ = [
    "Access", "Binary", "Constant", "If", "Index", "Kernel", "Local", "LoopNest", "Move", "Mutator", "Renamed", "Select",
    "Term", "Unary", "Variable", "Visitor", "gather_nest", "is_gather", "reads", "scatter_nest", "target_of", "terms_of",
]  # fmt: skip


# -- values ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Constant:
    """A number of the kernel's type."""

    value: float


@dataclass(frozen=True)
class Access:
    """An element of a tensor; of a scalar if there are no indices."""

    name: str
    indices: tuple[Affine, ...]


@dataclass(frozen=True)
class Local:
    """The accumulator of one element."""

    name: str


@dataclass(frozen=True)
class Binary:
    """`a op b`: + - * / // % max min."""

    op: str
    a: Value
    b: Value


@dataclass(frozen=True)
class Unary:
    """`-a`, or a function: exp log sqrt tanh abs."""

    op: str
    a: Value


@dataclass(frozen=True)
class Select:
    """`yes` where `a compare b` holds, else `no`."""

    compare: str
    a: Value
    b: Value
    yes: Value
    no: Value


Value = Union[Constant, Access, Local, Binary, Unary, Select]


# -- statements --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Index:
    """A loop variable: 0 … extent - 1; spatial if each of its iterations writes elements of its own."""

    name: str
    extent: int
    kind: str  #: "spatial" or "reduce"


@dataclass(frozen=True)
class LoopNest:
    """Loops inside each other, the first outermost."""

    indices: tuple[Index, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class If:
    """The body, where all conditions hold."""

    conditions: tuple[Condition, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True)
class Move:
    """`target = value`, or `target += value`."""

    target: Access | Local
    value: Value
    kind: str  #: "=" or "+="


Statement = Union[LoopNest, If, Move]


@dataclass(frozen=True)
class Variable:
    """A tensor: a parameter of the kernel, or kept while it runs.

    Roles: `in`; `init`, the initial value of an in-out; `out`; `cotangent`, the gradient of an out; `temp`.
    """

    name: str  #: in the IR
    shape: tuple[int, ...]
    role: str
    given: str  #: its name for users: that of the text, or `d` before it for gradients

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def strides(self) -> tuple[int, ...]:
        """How far neighbours are from each other, in elements."""
        return tuple(math.prod(self.shape[axis + 1 :]) for axis in range(len(self.shape)))

    def flat(self, indices: tuple[Affine, ...]) -> Affine:
        """The position of an element."""
        total = Affine()
        for index, stride in zip(indices, self.strides):
            total = total.plus(index, stride)
        return total


@dataclass(frozen=True)
class Kernel:
    """Nests that run one after the other. Parameters are inputs, then results."""

    name: str
    dtype: str  #: float32, float64 or int32
    parameters: tuple[Variable, ...]
    temps: tuple[Variable, ...]
    body: tuple[LoopNest, ...]

    @functools.cached_property
    def variables(self) -> dict[str, Variable]:
        return {v.name: v for v in (*self.parameters, *self.temps)}

    @property
    def inputs(self) -> tuple[Variable, ...]:
        return tuple(v for v in self.parameters if v.role != "out")

    @property
    def outputs(self) -> tuple[Variable, ...]:
        return tuple(v for v in self.parameters if v.role == "out")

    def names(self) -> set[str]:
        """Every name of a tensor, index or accumulator."""
        return {*self.variables, *_Names().of(self.body)}


# -- walking -----------------------------------------------------------------------------------------------------------


class Visitor:
    """Walks a tree; a subclass defines `visit_Access(node)` and its like, and calls `walk(node)` to go on below."""

    def visit(self, node: Any) -> None:
        method = getattr(self, f"visit_{type(node).__name__}", None)
        if method is None:
            self.walk(node)
        else:
            method(node)

    def walk(self, node: Any) -> None:
        """Visit what is below a node."""
        if isinstance(node, tuple):
            for item in node:
                self.visit(item)
        elif isinstance(node, _NODES):
            for field in fields(node):
                self.visit(getattr(node, field.name))


class Mutator:
    """Makes a new tree from an old one, which stays as it is; a subclass defines `mutate_Access(node)` and its like, which
    return what stands in place of the node. Parts that do not change are shared."""

    def mutate(self, node: Any) -> Any:
        method = getattr(self, f"mutate_{type(node).__name__}", None)
        return self.rebuild(node) if method is None else method(node)

    def rebuild(self, node: Any) -> Any:
        """The node, with what is below it mutated."""
        if isinstance(node, tuple):
            items = tuple(self.mutate(item) for item in node)
            return node if all(a is b for a, b in zip(items, node)) else items
        if not isinstance(node, _NODES):
            return node
        changed = {}
        for field in fields(node):
            old = getattr(node, field.name)
            new = self.mutate(old)
            if new is not old:
                changed[field.name] = new
        return replace(node, **changed) if changed else node


class Renamed(Mutator):
    """Other names for some index variables."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names
        self.values = {old: Affine.variable(new) for old, new in names.items()}

    def mutate_Index(self, node: Index) -> Index:
        return replace(node, name=self.names[node.name]) if node.name in self.names else node

    def mutate_Access(self, node: Access) -> Access:
        return Access(node.name, tuple(index.substitute(self.values) for index in node.indices))

    def mutate_Condition(self, node: Condition) -> Condition:
        return node.substitute(self.values)


_NODES = (Constant, Access, Local, Binary, Unary, Select, Index, LoopNest, If, Move, Condition)


class _Names(Visitor):
    def __init__(self) -> None:
        self.found: set[str] = set()

    def of(self, tree: Any) -> set[str]:
        self.visit(tree)
        return self.found

    def visit_Access(self, node: Access) -> None:
        self.found.add(node.name)

    def visit_Local(self, node: Local) -> None:
        self.found.add(node.name)

    def visit_Index(self, node: Index) -> None:
        self.found.add(node.name)


class _Reads(Visitor):
    def __init__(self) -> None:
        self.found: list[Access] = []

    def visit_Access(self, node: Access) -> None:
        self.found.append(node)

    def visit_Move(self, node: Move) -> None:
        self.visit(node.value)


def reads(tree: Any) -> list[Access]:
    """The accesses whose values a value or statement reads."""
    reader = _Reads()
    reader.visit(tree)
    return reader.found


# -- nests and terms ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Term:
    """One summand of a tensor: `target += value` at all points of `loops` where the guards hold."""

    target: Access
    value: Value
    loops: tuple[Index, ...]  #: all of them; in a gather the spatial ones first
    guards: tuple[Condition, ...] = ()

    @property
    def box(self) -> Box:
        return {loop.name: (0, loop.extent - 1) for loop in self.loops}

    @property
    def extents(self) -> dict[str, int]:
        return {loop.name: loop.extent for loop in self.loops}


def gather_nest(target: Access, spatial: tuple[Index, ...], terms: Iterable[Term], local: str) -> LoopNest:
    """The nest in which each element of the target is the sum of the terms. An empty sum is 0."""
    terms = tuple(terms)
    if terms and not any(term.guards or len(term.loops) > len(spatial) for term in terms):
        value = terms[0].value
        for term in terms[1:]:
            negative = isinstance(term.value, Unary) and term.value.op == "-"
            value = Binary("-", value, term.value.a) if negative else Binary("+", value, term.value)  # type: ignore
        return LoopNest(spatial, (Move(target, value, "="),))
    if not terms:
        return LoopNest(spatial, (Move(target, Constant(0), "="),))
    accumulator = Local(local)
    body: list[Statement] = [Move(accumulator, Constant(0), "=")]
    for term in terms:
        body += _loops(term.loops[len(spatial) :], term.guards, Move(accumulator, term.value, "+="))
    body.append(Move(target, accumulator, "="))
    return LoopNest(spatial, tuple(body))


def scatter_nest(term: Term) -> LoopNest:
    """The nest that adds a term to elements of its target."""
    [nest] = _loops(term.loops, term.guards, Move(term.target, term.value, "+="))
    return nest if isinstance(nest, LoopNest) else LoopNest((), (nest,))


def _loops(loops: tuple[Index, ...], guards: tuple[Condition, ...], move: Move) -> list[Statement]:
    """Loops around a move; each guard as far out as its variables allow."""
    names = [loop.name for loop in loops]

    def depth(guard: Condition) -> int:
        return max((names.index(name) + 1 for name in guard.names() if name in names), default=0)

    body: Statement = move
    end = len(loops)
    for level in range(len(loops), -1, -1):
        here = tuple(guard for guard in guards if depth(guard) == level)
        if here or level == 0:
            if end > level and level < len(loops):
                body = LoopNest(loops[level:end], (body,))
                end = level
            if here:
                body = If(here, (body,))
    return [body]


class _Terms(Visitor):
    """Reads the terms of a nest."""

    def __init__(self) -> None:
        self.loops: tuple[Index, ...] = ()
        self.guards: tuple[Condition, ...] = ()
        self.found: list[tuple[Move, tuple[Index, ...], tuple[Condition, ...]]] = []

    def visit_LoopNest(self, node: LoopNest) -> None:
        outer = self.loops
        self.loops = (*outer, *node.indices)
        self.walk(node.body)
        self.loops = outer

    def visit_If(self, node: If) -> None:
        outer = self.guards
        self.guards = (*outer, *node.conditions)
        self.walk(node.body)
        self.guards = outer

    def visit_Move(self, node: Move) -> None:
        self.found.append((node, self.loops, self.guards))


def target_of(nest: LoopNest) -> Access:
    """What a nest assigns or adds to."""
    reader = _Terms()
    reader.visit(nest)
    return next(move.target for move, _, _ in reversed(reader.found) if isinstance(move.target, Access))


def terms_of(nest: LoopNest) -> list[Term]:
    """The summands of a nest; a nest that only sets its target to 0 has none."""
    reader = _Terms()
    reader.visit(nest)
    target = target_of(nest)
    return [
        Term(target, move.value, loops, guards)
        for move, loops, guards in reader.found
        if not isinstance(move.value, Local) and move.value != Constant(0)
    ]


def is_gather(nest: LoopNest) -> bool:
    """Whether the nest assigns every element of its target; else it adds to some."""
    reader = _Terms()
    reader.visit(nest)
    return any(move.kind == "=" and isinstance(move.target, Access) for move, _, _ in reader.found)
