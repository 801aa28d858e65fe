"""Equations between indices: from `dX[e(v)] += g` to `dX[h] += g'` with `h` plain.

A contribution visits points v and adds to the element e(v). To visit the elements h instead, e(v) = h is solved for as
many loop variables as possible; their loops disappear, and that they were loops becomes guards. So each element is
written by one iteration, whatever runs beside it. The rules, applied until none does:

1. `v = h`                    v := h; if v was solved before, what is left is a guard, h0 == h1.
2. `±r + rest = h`            r := ±(h - rest), for the r with the longest loop.
3. `c·v + rest = h`           v := (h - rest) // c, guarded by (h - rest) % c == 0.
4. `q // c = h`, `q % c = h'` q = c·h + h', guarded by h' < c. `//` alone: q = c·h + u with a new loop u in 0 … c - 1;
                              `%` alone: q = c·t + h with a new loop t over the values of q // c.
5. anything else stays as a guard e(v) == h: right, and slow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from anfora.tensor_expression.affine import (
    Affine,
    Condition,
    Division,
    at_least_zero,
    below,
    equal_to,
    simplified,
)  # fmt: skip
from anfora.tensor_expression.ir import Access, Index, Mutator, Term, Value

__all__ = ["substitute", "to_gather"]


class _Substitute(Mutator):
    def __init__(self, values: dict[str, Affine], box: dict[str, tuple[int, int]]) -> None:
        self.values, self.box = values, box

    def mutate_Access(self, node: Access) -> Access:
        return Access(node.name, tuple(index.substitute(self.values).reduced(self.box) for index in node.indices))


def substitute(value: Value, values: dict[str, Affine], box: dict[str, tuple[int, int]]) -> Value:
    """The value with index expressions in place of index variables, simplified for a box."""
    return _Substitute(values, box).mutate(value)


@dataclass
class _System:
    """Equations `left = right`: on the left loop variables, on the right elements' coordinates."""

    extents: dict[str, int]  #: of the loop variables that are left
    equations: list[tuple[Affine, Affine]]
    fresh: Callable[[str], str]
    heads: dict[str, int]  #: the coordinates of the element and their lengths
    solved: dict[str, Affine] = field(default_factory=dict)
    guards: list[Condition] = field(default_factory=list)
    is_exact: bool = True  #: whether rules 1 to 4 were enough

    @property
    def box(self) -> dict[str, tuple[int, int]]:
        return {name: (0, n - 1) for name, n in (*self.extents.items(), *self.heads.items())}

    def run(self) -> None:
        while self.equations:
            if not (self._settled() or self._pair() or self._coordinate() or self._unit() or self._single_division()
                    or self._multiple()):  # fmt: skip
                self.is_exact = False
                self.guards += [equal_to(left, right) for left, right in self.equations]
                self.equations.clear()

    def assign(self, name: str, value: Affine) -> None:
        """`name` has this value: its loop becomes guards."""
        extent = self.extents.pop(name)
        one = {name: value}
        self.solved = {n: v.substitute(one) for n, v in self.solved.items()}
        self.solved[name] = value
        self.guards = [guard.substitute(one) for guard in self.guards]
        self.guards += [at_least_zero(value), below(value, extent)]
        moved = []
        for left, right in self.equations:
            difference = left.substitute(one) - right.substitute(one)
            moved.append(self._sorted(difference))
        self.equations = moved

    def _sorted(self, difference: Affine) -> tuple[Affine, Affine]:
        """`difference = 0` with what has loop variables on the left."""
        left = {a: c for a, c in difference.terms if any(n in self.extents for n in Affine.of({a: 1}).names())}
        right = {a: c for a, c in difference.terms if a not in left}
        return Affine.of(left), -Affine.of(right, difference.constant)

    def _take(self, number: int) -> tuple[Affine, Affine]:
        return self.equations.pop(number)

    def _settled(self) -> bool:
        for number, (left, right) in enumerate(self.equations):
            if not any(name in self.extents for name in left.names()):
                self._take(number)
                if left != right:
                    self.guards.append(equal_to(left, right))
                return True
        return False

    def _coordinate(self) -> bool:
        for number, (left, right) in enumerate(self.equations):
            if left.plain is not None:
                self._take(number)
                self.assign(left.plain, right)
                return True
        return False

    def _unit(self) -> bool:
        return self._solve(lambda c: abs(c) == 1)

    def _multiple(self) -> bool:
        return self._solve(lambda c: True)

    def _solve(self, fits: Callable[[int], bool]) -> bool:
        """Solve the first equation that can be for the variable with the longest loop."""
        for number, (left, right) in enumerate(self.equations):
            found = [
                (self.extents[atom], -place, atom, c)
                for place, (atom, c) in enumerate(left.terms)
                if isinstance(atom, str) and fits(c) and left.coefficient(atom) is not None
            ]
            if found:
                _, _, name, c = max(found)
                self._take(number)
                value = right - left.plus(Affine.variable(name), -c)
                value = value if c > 0 else -value
                if abs(c) > 1:
                    self.guards.append(Condition(value % abs(c), "=="))
                    value = value // abs(c)
                self.assign(name, value)
                return True
        return False

    def _alone(self, kind: str) -> list[tuple[int, Division, Affine]]:
        """Equations whose left side is one division: number, division, right side."""
        return [
            (number, left.terms[0][0], right - left.constant)
            for number, (left, right) in enumerate(self.equations)
            if len(left.terms) == 1 and left.terms[0][1] == 1
            and isinstance(left.terms[0][0], Division) and left.terms[0][0].kind == kind
        ]  # fmt: skip

    def _pair(self) -> bool:
        for i, quotient, high in self._alone("//"):
            for j, remainder, low in self._alone("%"):
                apart = quotient.body - remainder.body
                if quotient.by == remainder.by and not apart.terms and apart.constant % quotient.by == 0:
                    for number in sorted((i, j), reverse=True):
                        self._take(number)
                    self._is_remainder(low, quotient.by)
                    self.equations.append(self._sorted(quotient.body - (high * quotient.by + low)))
                    return True
        return False

    def _single_division(self) -> bool:
        for number, division, right in (*self._alone("//"), *self._alone("%")):
            self._take(number)
            if division.kind == "//":
                rest = self.fresh("u")
                self.extents[rest] = division.by
                value = right * division.by + Affine.variable(rest)
            else:
                self._is_remainder(right, division.by)
                low, high = (bound // division.by for bound in division.body.interval(self.box))
                turn = self.fresh("t")
                self.extents[turn] = high - low + 1
                value = (Affine.variable(turn) + low) * division.by + right
                if high == low:
                    value = value.substitute({turn: Affine.number(0)})
                    del self.extents[turn]
            # The new variable stands on the right: what is solved is the body.
            known = set(self.extents) - set(division.body.names())
            difference = division.body - value
            left = {a: c for a, c in difference.terms if not set(Affine.of({a: 1}).names()) <= known | set(self.heads)}
            rest_terms = {a: c for a, c in difference.terms if a not in left}
            self.equations.append((Affine.of(left), -Affine.of(rest_terms, difference.constant)))
            return True
        return False

    def _is_remainder(self, value: Affine, by: int) -> None:
        self.guards += [at_least_zero(value), below(value, by)]


def to_gather(
    term: Term, heads: tuple[Index, ...], target: str, fresh: Callable[[str], str]
) -> tuple[Term | None, bool]:
    """The contribution with a plain left side, and whether rules 1 to 4 were enough. None if it adds nothing anywhere.

    Args:
        term: `target[e(v)] += value`.
        heads: loops over the coordinates of the target.
        target: its name.
        fresh: makes names of new loop variables.
    """
    lengths = {head.name: head.extent for head in heads}
    equations = [(e, Affine.variable(head.name)) for e, head in zip(term.target.indices, heads)]
    system = _System(term.extents, equations, fresh, lengths, guards=list(term.guards))
    system.equations = [system._sorted(left - right) for left, right in equations]
    system.run()
    box = system.box
    guards = simplified([Condition(g.left.reduced(box), g.op) for g in system.guards], box)
    if guards is None:
        return None, system.is_exact
    order = [loop.name for loop in term.loops if loop.name in system.extents]
    order += [name for name in system.extents if name not in order]
    loops = (*heads, *(Index(name, system.extents[name], "reduce") for name in order))
    access = Access(target, tuple(Affine.variable(head.name) for head in heads))
    return Term(access, substitute(term.value, system.solved, box), loops, guards), system.is_exact
