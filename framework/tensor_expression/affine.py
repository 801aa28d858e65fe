"""Index arithmetic: sums of index variables with integer coefficients, and floored quotients and remainders of such.

Everything that is known of an index expression follows from this form: which values it takes in a box of variables,
whether it is inside a tensor, how it changes along a loop, and how it is solved for a variable.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Union

__all__ = ["Affine", "Atom", "Box", "Condition", "Division", "at_least_zero", "below", "equal_to", "simplified"]

Box = Mapping[str, tuple[int, int]]  #: for each variable its least and its largest value


@dataclass(frozen=True)
class Division:
    """The floored quotient or the remainder of an index expression by a positive constant."""

    kind: str  #: "//" or "%"
    body: Affine
    by: int

    def __str__(self) -> str:
        text = str(self.body)
        return f"{text if text.isidentifier() else f'({text})'} {self.kind} {self.by}"


Atom = Union[str, Division]


@dataclass(frozen=True)
class Affine:
    """`constant + Σ coefficient · atom`. Equal expressions in this form are equal objects."""

    terms: tuple[tuple[Atom, int], ...] = ()
    constant: int = 0

    @classmethod
    def of(cls, coefficients: Mapping[Atom, int], constant: int = 0) -> Affine:
        kept = [(atom, c) for atom, c in coefficients.items() if c]
        kept.sort(key=lambda item: (isinstance(item[0], Division), str(item[0])))
        return cls(tuple(kept), constant)

    @classmethod
    def variable(cls, name: str) -> Affine:
        return cls(((name, 1),))

    @classmethod
    def number(cls, value: int) -> Affine:
        return cls((), value)

    # -- arithmetic ------------------------------------------------------------------------------------------------

    def plus(self, other: Affine, factor: int = 1) -> Affine:
        """self + factor · other."""
        coefficients = dict(self.terms)
        for atom, c in other.terms:
            coefficients[atom] = coefficients.get(atom, 0) + factor * c
        return Affine.of(coefficients, self.constant + factor * other.constant)

    def __add__(self, other: Affine | int) -> Affine:
        return self.plus(other if isinstance(other, Affine) else Affine.number(other))

    def __sub__(self, other: Affine | int) -> Affine:
        return self.plus(other if isinstance(other, Affine) else Affine.number(other), -1)

    def __mul__(self, factor: int) -> Affine:
        return Affine.of({atom: c * factor for atom, c in self.terms}, self.constant * factor)

    def __neg__(self) -> Affine:
        return self * -1

    def __floordiv__(self, by: int) -> Affine:
        inside = {atom: c // by for atom, c in self.terms if c % by == 0}
        rest = Affine.of({atom: c for atom, c in self.terms if c % by}, self.constant % by)
        whole = Affine.of(inside, self.constant // by)
        return whole + Affine.of({Division("//", rest, by): 1}) if rest.terms else whole

    def __mod__(self, by: int) -> Affine:
        rest = Affine.of({atom: c for atom, c in self.terms if c % by}, self.constant % by)
        if not rest.terms:
            return Affine.number(rest.constant)
        # What is printed and solved is what was written, where no multiple of `by` was dropped from it.
        body = self if len(rest.terms) == len(self.terms) else rest
        return Affine.of({Division("%", body, by): 1})

    # -- questions -------------------------------------------------------------------------------------------------

    @property
    def plain(self) -> str | None:
        """The variable, if the expression is nothing but one."""
        if self.constant == 0 and len(self.terms) == 1 and self.terms[0][1] == 1 and isinstance(self.terms[0][0], str):
            return self.terms[0][0]
        return None

    def names(self) -> Iterator[str]:
        """The variables, in divisions too; with repeats."""
        for atom, _ in self.terms:
            if isinstance(atom, str):
                yield atom
            else:
                yield from atom.body.names()

    def divisions(self) -> Iterator[Division]:
        for atom, _ in self.terms:
            if isinstance(atom, Division):
                yield atom
                yield from atom.body.divisions()

    def coefficient(self, name: str) -> int | None:
        """How the value changes with a variable: 0 if it does not, None if that depends (a division holds it)."""
        if any(name in d.body.names() for d in self.divisions()):
            return None
        return dict(self.terms).get(name, 0)

    def interval(self, box: Box) -> tuple[int, int]:
        """Bounds of the value; exact where no variable occurs twice."""
        low = high = self.constant
        for atom, c in self.terms:
            a, b = box[atom] if isinstance(atom, str) else _division_interval(atom, box)
            low += min(c * a, c * b)
            high += max(c * a, c * b)
        return low, high

    def substitute(self, values: Mapping[str, Affine]) -> Affine:
        """The expression with other expressions for some variables."""
        if not any(name in values for name in self.names()):
            return self
        result = Affine.number(self.constant)
        for atom, c in self.terms:
            if isinstance(atom, str):
                part = values.get(atom, Affine.variable(atom))
            else:
                body = atom.body.substitute(values)
                part = body // atom.by if atom.kind == "//" else body % atom.by
            result = result.plus(part, c)
        return result

    def reduced(self, box: Box) -> Affine:
        """The same in a box: divisions whose quotient is the same everywhere there disappear."""
        if not any(isinstance(atom, Division) for atom, _ in self.terms):
            return self
        result = Affine.number(self.constant)
        for atom, c in self.terms:
            part = Affine.of({atom: 1})
            if isinstance(atom, Division):
                body = atom.body.reduced(box)
                low, high = body.interval(box)
                if low // atom.by == high // atom.by:
                    quotient = Affine.number(low // atom.by)
                    part = quotient if atom.kind == "//" else body.plus(quotient, -atom.by)
                else:
                    part = body // atom.by if atom.kind == "//" else body % atom.by
            result = result.plus(part, c)
        return result

    def value(self, point: Mapping[str, int]) -> int:
        """The value at a point."""
        total = self.constant
        for atom, c in self.terms:
            if isinstance(atom, str):
                total += c * point[atom]
            else:
                body = atom.body.value(point)
                total += c * (body // atom.by if atom.kind == "//" else body % atom.by)
        return total

    def __str__(self) -> str:
        return written(self, _infix)


def _infix(atom: Atom) -> str:
    return str(atom)


def written(affine: Affine, atom_text) -> str:
    """The expression as text, atoms written by `atom_text`; positive terms first."""
    ordered = sorted(affine.terms, key=lambda item: item[1] < 0)
    text = ""
    for atom, c in ordered:
        word = atom_text(atom)
        if isinstance(atom, Division) and (text or c != 1):
            word = f"({word})"
        if abs(c) != 1:
            word = f"{abs(c)} * {word}"
        text += f"{' - ' if c < 0 else ' + '}{word}" if text else (f"-{word}" if c < 0 else word)
    if not text:
        return str(affine.constant)
    if affine.constant:
        text += f" {'-' if affine.constant < 0 else '+'} {abs(affine.constant)}"
    return text


def _division_interval(division: Division, box: Box) -> tuple[int, int]:
    low, high = division.body.interval(box)
    by = division.by
    if division.kind == "//":
        return low // by, high // by
    return (low % by, high % by) if low // by == high // by else (0, by - 1)


# -- conditions --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Condition:
    """`left >= 0`, or `left == 0`."""

    left: Affine
    op: str  #: ">=" or "=="

    def names(self) -> set[str]:
        return set(self.left.names())

    def substitute(self, values: Mapping[str, Affine]) -> Condition:
        return Condition(self.left.substitute(values), self.op)

    def holds(self, point: Mapping[str, int]) -> bool:
        value = self.left.value(point)
        return value == 0 if self.op == "==" else value >= 0

    def known(self, box: Box) -> bool | None:
        """Whether it holds everywhere in a box, or nowhere; None if neither can be shown."""
        low, high = self.left.interval(box)
        if self.op == "==":
            return True if low == high == 0 else False if low > 0 or high < 0 else None
        return True if low >= 0 else False if high < 0 else None

    def sides(self) -> tuple[Affine, str, Affine]:
        """Left side, sign, right side, as one would write it: `p + r < 6`."""
        variables = Affine(self.left.terms)
        constant = self.left.constant
        if self.op == "==":
            return (variables, "==", Affine.number(-constant)) if len(variables.terms) != 2 else self._difference("==")
        if all(c < 0 for _, c in variables.terms) or (variables.terms and constant > 0):
            return -variables, "<", Affine.number(constant + 1)
        return variables, ">=", Affine.number(-constant)

    def _difference(self, op: str) -> tuple[Affine, str, Affine]:
        (a, ca), (b, cb) = self.left.terms
        if ca * cb < 0 and self.left.constant == 0:
            return Affine.of({a: abs(ca)}), op, Affine.of({b: abs(cb)})
        return Affine(self.left.terms), op, Affine.number(-self.left.constant)

    def __str__(self) -> str:
        left, op, right = self.sides()
        return f"{left} {op} {right}"


def at_least_zero(value: Affine) -> Condition:
    return Condition(value, ">=")


def below(value: Affine, size: int) -> Condition:
    """value < size."""
    return Condition(-value + (size - 1), ">=")


def equal_to(value: Affine, other: Affine) -> Condition:
    return Condition(value - other, "==")


def simplified(conditions: list[Condition], box: Box) -> tuple[Condition, ...] | None:
    """The conditions that are not certain in a box, each once, the sharpest of several alike; None if they can never
    hold together as far as intervals show."""
    sharpest: dict[tuple, Condition] = {}
    for condition in conditions:
        known = condition.known(box)
        if known is False:
            return None
        if known:
            continue
        key = (condition.left.terms, condition.op, condition.left.constant if condition.op == "==" else 0)
        other = sharpest.get(key)
        if other is None or condition.left.constant < other.left.constant:
            sharpest[key] = condition
    return tuple(sharpest.values())
