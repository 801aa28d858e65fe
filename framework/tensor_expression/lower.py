"""From the tree of a text to checked loop nests: names, shapes, ranges of indices, guards, new tensors for new values."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Iterator, Mapping
from typing import NoReturn

from anfora.tensor_expression import syntax
from anfora.tensor_expression.affine import Affine, Condition, Division, at_least_zero, below, simplified
from anfora.tensor_expression.case import Case
from anfora.tensor_expression.errors import KernelError, KernelWarning
from anfora.tensor_expression.ir import (
    Access,
    Binary,
    Constant,
    Index,
    Kernel,
    LoopNest,
    Select,
    Term,
    Unary,
    Value,
    Variable,
    gather_nest,
)  # fmt: skip

__all__ = ["Names", "lower"]


class Names:
    """Hands out names that nothing else has."""

    def __init__(self, taken: set[str]) -> None:
        self.taken = set(taken)

    def fresh(self, wanted: str) -> str:
        name = wanted
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name


def lower(case: Case) -> Kernel:
    """The checked kernel of a case. Raises KernelError; warns of sums that are rarely meant."""
    try:
        statements = syntax.parse(case.kernel)
        checker = _Checker(case, statements)
        checker.check()
        return _Lowering(case, statements, checker.shapes).kernel()
    except RecursionError:
        raise KernelError(
            "K-SYNTAX", "the kernel is nested too deeply", help="use several statements.", key=("kernel",)
        ) from None


class _Checker:
    """Whether the text and the lists of the case fit each other."""

    def __init__(self, case: Case, statements: list[syntax.Statement]) -> None:
        self.case, self.statements = case, statements
        self.shapes: dict[str, tuple[int, ...]] = {}

    def fail(self, code: str, message: str, at: int, help: str | None = None) -> NoReturn:
        raise KernelError(code, message, position=at, text=self.case.kernel, help=help)

    def check(self) -> None:
        case = self.case
        assigned: set[str] = set()
        used: set[str] = set()
        tensors = {r.name for s in self.statements for r in (s.target, *syntax.references(s.value))}
        for statement in self.statements:
            self._target(statement.target)
            for reference in syntax.references(statement.value):
                self._known(reference)
                if reference.name in case.temps and reference.name not in assigned:
                    self.fail("K-UNDEF", f"`{reference.name}` is read before it is written", reference.at)
                used.add(reference.name)
            for reference in (statement.target, *syntax.references(statement.value)):
                self._shape(reference)
                for position in reference.positions:
                    for name in position.names:
                        if name in tensors:
                            self.fail("K-NAME", f"`{name}` is a tensor and an index", position.at)
            self._constants(statement.value)
            assigned.add(statement.target.name)
        for number, name in enumerate(case.outs):
            if name not in assigned:
                raise KernelError(
                    "K-CASE", f"`{name}` is in `outs`, but nothing is assigned to it", key=("outs", number)
                )
        for number, name in enumerate(case.ins):
            if name not in used and name not in case.outs:
                raise KernelError("K-CASE", f"`{name}` is in `ins`, but is never used", key=("ins", number))
        indices = {n for s in self.statements for r in (s.target, *syntax.references(s.value)) for n in r.names}
        for name in case.ranges:
            if name not in indices:
                raise KernelError(
                    "K-CASE", f"`ranges` names `{name}`, which is no index of the kernel", key=("ranges", name)
                )
        for number, name in enumerate(case.grad_to or ()):
            if name not in case.ins and not _reads_first(self.statements, name):
                raise KernelError(
                    "K-GRAD", f"`grad_to` names `{name}`, which has no initial value", key=("grad_to", number)
                )

    def _target(self, target: syntax.Reference) -> None:
        case = self.case
        if target.name not in case.outs and target.name not in case.temps:
            where = "it is in `ins` only" if target.name in case.ins else "it is in neither list"
            self.fail("K-LHS", f"`{target.name}` is assigned, but not in `outs` or `temps`: {where}", target.at)
        seen: set[str] = set()
        for position in target.positions:
            if not position.is_name:
                self.fail("K-LHS", "an index on the left side is a plain name", position.at)
            if position.names[0] in seen:
                self.fail("K-LHS", f"the index `{position.names[0]}` stands twice on the left side", position.at)
            seen.add(position.names[0])

    def _known(self, reference: syntax.Reference) -> None:
        case = self.case
        names = (*case.ins, *case.outs, *case.temps)
        if reference.name not in names:
            near = difflib.get_close_matches(reference.name, names, 1)
            self.fail(
                "K-UNDEF", f"`{reference.name}` is in neither `ins` nor `outs`", reference.at,
                f"did you mean `{near[0]}`?" if near else None,
            )  # fmt: skip

    def _shape(self, reference: syntax.Reference) -> None:
        known = self.shapes.setdefault(reference.name, reference.shape)
        if known != reference.shape:
            self.fail(
                "K-SHAPE", f"`{reference.name}` has shape {_shape(reference.shape)} here, but {_shape(known)} before",
                reference.at,
            )  # fmt: skip

    def _constants(self, value: syntax.Expression) -> None:
        if self.case.dtype != "int32":
            return
        for node in _all(value):
            if isinstance(node, syntax.Number):
                if node.is_float:
                    self.fail("K-TYPE", "a kernel of whole numbers has no floating-point constants", node.at)
                if node.value >= 2**31:
                    self.fail("K-TYPE", f"{node.value} is too large for int32", node.at)
            if isinstance(node, syntax.Call) and node.name in ("exp", "log", "sqrt", "tanh"):
                self.fail("K-TYPE", f"`{node.name}` needs a floating-point kernel", node.at)


def _reads_first(statements: list[syntax.Statement], name: str) -> bool:
    """Whether a tensor is read before it is written."""
    for statement in statements:
        if any(reference.name == name for reference in syntax.references(statement.value)):
            return True
        if statement.target.name == name:
            return False
    return False


def _all(value: syntax.Expression) -> Iterator[syntax.Expression]:
    yield value
    for part in syntax.parts(value):
        yield from _all(part)


def _shape(shape: tuple[int, ...]) -> str:
    return f"<{', '.join(map(str, shape))}>" if shape else "<1>, a scalar"


class _Lowering:
    """Makes the nests, one for each statement."""

    def __init__(self, case: Case, statements: list[syntax.Statement], shapes: Mapping[str, tuple[int, ...]]) -> None:
        self.case, self.statements, self.shapes = case, statements, shapes
        indices = {n for s in statements for r in (s.target, *syntax.references(s.value)) for n in r.names}
        self.names = Names({*shapes, *indices})
        self.local = self.names.fresh("sum")
        self.current: dict[str, str] = {name: name for name in case.ins}  #: what a name means at this statement
        self.variables: list[Variable] = []

    def kernel(self) -> Kernel:
        case = self.case
        writes: dict[str, list[int]] = {}
        for number, statement in enumerate(self.statements):
            writes.setdefault(statement.target.name, []).append(number)
        initial: list[Variable] = []
        for name in (*case.ins, *(n for n in case.outs if n not in case.ins)):
            if name in case.ins and name not in case.outs:
                initial.append(Variable(name, self.shapes[name], "in", name))
            elif name in case.ins or _reads_first(self.statements, name):
                made = Variable(self.names.fresh(f"{name}_init"), self.shapes[name], "init", name)
                self.current[name] = made.name
                initial.append(made)
        nests, temps, final = [], [], {}
        for number, statement in enumerate(self.statements):
            name = statement.target.name
            turn = writes[name].index(number) + 1
            last = turn == len(writes[name])
            made = Variable(
                name if last else self.names.fresh(f"{name}_{turn}"), self.shapes[name],
                "out" if last and name in case.outs else "temp", name,
            )  # fmt: skip
            nests.append(self._nest(statement, made.name))
            self.current[name] = made.name
            if made.role == "out":
                final[name] = made
            else:
                temps.append(made)
        results = [final[name] for name in case.outs]
        return Kernel(case.name, case.dtype, (*initial, *results), tuple(temps), tuple(nests))

    def _nest(self, statement: syntax.Statement, target: str) -> LoopNest:
        left = statement.target
        spatial = tuple(Index(p.names[0], n, "spatial") for p, n in zip(left.positions, left.shape))
        access = Access(target, tuple(p.value for p in left.positions))
        terms = []
        for sign, part in _split(statement.value, 1):
            term = self._term(access, spatial, part, sign)
            if term is not None:
                terms.append(term)
        return gather_nest(access, spatial, terms, self.local)

    def _term(self, target: Access, spatial: tuple[Index, ...], part: syntax.Expression, sign: int) -> Term | None:
        uses = list(syntax.references(part))
        own = dict.fromkeys(name for use in uses for name in use.names)
        left = {index.name for index in spatial}
        self._warn_of_groups(part, left)
        extents = {index.name: index.extent for index in spatial}
        conditions: list[Condition] = []
        for index in spatial:
            if index.name in self.case.ranges:
                conditions.append(below(Affine.variable(index.name), self.case.ranges[index.name]))
        for name in own:
            if name not in left:
                extents[name] = self._extent(name, uses)
        box = {name: (0, extent - 1) for name, extent in extents.items()}
        if any(extent <= 0 for extent in extents.values()):
            return None
        for use in uses:
            for position, size in zip(use.positions, use.shape):
                conditions += [at_least_zero(position.value), below(position.value, size)]
        guards = simplified([Condition(c.left.reduced(box), c.op) for c in conditions], box)
        if guards is None:
            return None
        loops = (*spatial, *(Index(name, extents[name], "reduce") for name in own if name not in left))
        value = self._value(part, box)
        return Term(target, Unary("-", value) if sign < 0 else value, loops, guards)

    def _extent(self, name: str, uses: list[syntax.Reference]) -> int:
        """How many values a summed index takes at most."""
        if name in self.case.ranges:
            return self.case.ranges[name]
        bounds = []
        at = None
        for use in uses:
            for position, size in zip(use.positions, use.shape):
                if name in position.names:
                    at = position.at if at is None else at
                    bounds += list(_bounds(position.value, size, name))
        if not bounds:
            raise KernelError(
                "K-RANGE", f"nothing bounds the index `{name}`", position=at, text=self.case.kernel,
                help=f'add "ranges": {{"{name}": N}} to the case.',
            )  # fmt: skip
        return min(bounds)

    def _value(self, node: syntax.Expression, box: Mapping[str, tuple[int, int]]) -> Value:
        if isinstance(node, syntax.Number):
            return Constant(node.value if self.case.dtype == "int32" else float(node.value))
        if isinstance(node, syntax.Reference):
            return Access(self.current[node.name], tuple(p.value.reduced(box) for p in node.positions))
        if isinstance(node, syntax.Selection):
            return Select(node.compare, *(self._value(part, box) for part in syntax.parts(node)))
        values = [self._value(part, box) for part in syntax.parts(node)]
        op = node.op if isinstance(node, syntax.Operation) else node.name
        return Unary(op, values[0]) if len(values) == 1 else Binary(op, *values)

    def _warn_of_groups(self, part: syntax.Expression, left: set[str]) -> None:
        for node in _all(part):
            if isinstance(node, syntax.Operation) and node.op in "+-" and node.b is not None:
                sums = [{n for r in syntax.references(x) for n in r.names} - left for x in (node.a, node.b)]
                if sums[0] != sums[1]:
                    only = ", ".join(f"`{name}`" for name in sorted(sums[0] ^ sums[1]))
                    warnings.warn(
                        f"inside a product, the two sides of `{node.op}` are both summed over {only}, which only one of "
                        f"them has; this is rarely meant (position {node.at} in the kernel {self.case.name})",
                        KernelWarning, stacklevel=2,
                    )  # fmt: skip
                    return


def _split(node: syntax.Expression, sign: int) -> Iterator[tuple[int, syntax.Expression]]:
    """The terms of a right side with their signs: what + and - above everything else put together."""
    if isinstance(node, syntax.Operation) and node.op in "+-":
        if node.b is None:
            yield from _split(node.a, -sign)
        else:
            yield from _split(node.a, sign)
            yield from _split(node.b, sign if node.op == "+" else -sign)
    else:
        yield sign, node


def _bounds(value: Affine, size: int, name: str) -> Iterator[int]:
    """How many values `name` can take while 0 <= value < size, all other variables being 0; nothing where a variable
    enters negatively or below a remainder."""
    if any(c < 0 for _, c in value.terms):
        return
    for atom, c in value.terms:
        others = sum(d * _least(other) for other, d in value.terms if other is not atom)
        room = (size - 1 - value.constant - others) // c + 1
        if atom == name:
            yield room
        elif isinstance(atom, Division) and atom.kind == "//":
            yield from _bounds(atom.body, room * atom.by, name)


def _least(atom: str | Division) -> int:
    """The value of an atom where all variables are 0, or less."""
    if isinstance(atom, str) or atom.kind == "%":
        return 0
    return sum((_least(a) * c for a, c in atom.body.terms), atom.body.constant) // atom.by
