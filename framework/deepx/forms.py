"""What a row of the table of instructions is made of: places, shapes, meaning, gradients.

    form("mul", "t1 t2->out", shape=same, forward=lambda t1, t2: ops.mul(t1, t2),
         t1=lambda g, t2: ..., t2=lambda g, t1: ...)

Every function asks by name for what it needs: `t1`, `a1`, `v1` for what stands in that place, `out` for the result, `g` for
the result's gradient, `like1` for type and shape of `t1`, `like` for those of the result. So what backward reads is the
parameter list of its rules, and cannot go stale.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from anfora.core.dtype import DType

__all__ = ["FORMS", "Form", "Place", "TensorSpec", "call", "form", "parameters"]


@dataclass(frozen=True)
class TensorSpec:
    """Element type and shape of a tensor.

    Example:
        >>> TensorSpec(float32, (2, 3))
        float32[2, 3]
    """

    dtype: DType
    shape: tuple[int, ...]

    def __repr__(self) -> str:
        return f"{self.dtype.name.rstrip('_')}{list(self.shape)}"


@dataclass(frozen=True)
class Place:
    """A place of a form: `t1`, `t2:mask`, `a1:int`, `v1?`, `t*`.

    Args:
        name: as the functions of the form call it.
        kind: t, a or v.
        role: what element type belongs there. Empty: the instruction's, and integers for a vector; value: the
            instruction's, for a vector; int: any integer type; mask: int8 or bool; any: any.
        optional: whether it may be left out.
        many: whether any number, but one at least, may stand there.
    """

    name: str
    kind: str
    role: str = ""
    optional: bool = False
    many: bool = False


@dataclass(frozen=True)
class Form:
    """An instruction.

    Args:
        name: its name.
        operands, result: its places.
        shape: gives the shapes that the result may have, and refuses operands that do not fit.
        forward: its meaning, in operators.
        gradients: by the place of an operand, what backward adds to the gradient of what stands there.
        kinds: the kinds of element types (DType.kind) that it works on.
        typed_by: the place whose element type is the instruction's.
    """

    name: str
    operands: tuple[Place, ...]
    result: Place | None
    shape: Callable | None
    forward: Callable | None
    gradients: Mapping[str, Callable]
    kinds: str
    typed_by: str

    @property
    def reads(self) -> frozenset[str]:
        """The places that backward reads."""
        return frozenset(name for rule in self.gradients.values() for name in self.reads_for(rule))

    def reads_for(self, rule: Callable) -> list[str]:
        """The places that one rule of backward reads."""
        known = {place.name for place in self.operands} | {"out"}
        return [name for name in parameters(rule) if name in known]

    @property
    def usage(self) -> str:
        """How it is written."""
        words = [_PLACE_TEXTS.get((p.kind, p.many), p.name) for p in self.operands]
        words = [f"[{word}]" if place.optional else word for word, place in zip(words, self.operands)]
        if self.result is None:
            return " ".join([self.name, *words])
        return " ".join([f"{self.name}@T", *words]) + f"->{self.result.kind}"


_PLACE_TEXTS = {("t", True): "t …", ("l", True): "literal …"}

#: The instructions by name.
FORMS: dict[str, Form] = {}

_PLACE = re.compile(r"([a-z]+\d?)(?::(\w+))?(\?|\*)?")


def _places(text: str) -> tuple[Place, ...]:
    found = []
    for word in text.split():
        match = _PLACE.fullmatch(word)
        assert match is not None, word
        name, role, sign = match.groups()
        found.append(Place(name, name[0], role or "", sign == "?", sign == "*"))
    return tuple(found)


def form(
    name: str,
    places: str,
    *,
    shape: Callable | None = None,
    forward: Callable | None = None,
    kinds: str = "fi",
    typed_by: str = "out",
    **gradients: Callable,
) -> None:
    """Add an instruction to the table."""
    left, _, right = places.partition("->")
    operands = _places(left)
    result = None
    if right:
        [given] = _places(right)
        result = Place("out", given.kind, given.role)
    FORMS[name] = Form(name, operands, result, shape, forward, gradients, kinds, typed_by)


def parameters(function: Callable) -> tuple[str, ...]:
    """The names of a function's parameters, but of those that have a default."""
    code = function.__code__
    return code.co_varnames[: code.co_argcount - len(function.__defaults__ or ())]


def call(function: Callable, known: Mapping[str, Any]) -> Any:
    """Call a function with what it asks for."""
    return function(*(known[name] for name in parameters(function)))
