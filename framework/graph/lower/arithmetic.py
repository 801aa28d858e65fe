"""Numbers that vary, as steps of a native state: what follows from slots and from numbers that are fixed.

    i + 1 < n      Step("add", slot 3, 1), Step("lt", step 0, slot 4), Check(step 1, True)

The order is that of the program. Of numbers that a state cannot compute nothing is written down: `NotNative`.
"""

from __future__ import annotations

import operator
import struct
import sys
from collections.abc import Callable
from typing import Any

from anfora.graph.facts.origins import Origin
from anfora.kernel.control import Check, Source, Step, Term
from anfora.kernel.numbers import result_elem

__all__ = ["ELEMS", "Arithmetic", "NotNative"]

#: The machine types of Python's numbers.
ELEMS = {int: "i64", float: "f64", bool: "i1"}
#: Buffers that a number goes into as it does by way of numpy.
_CODES = frozenset({"f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"})
_NAMES: dict[Any, str] = {
    operator.add: "add", operator.iadd: "add", operator.sub: "sub", operator.isub: "sub", operator.mul: "mul",
    operator.imul: "mul", operator.truediv: "truediv", operator.itruediv: "truediv", operator.floordiv: "floordiv",
    operator.ifloordiv: "floordiv", operator.mod: "mod", operator.imod: "mod", operator.neg: "neg", operator.pos: "pos",
    operator.eq: "eq", operator.ne: "ne", operator.lt: "lt", operator.le: "le", operator.gt: "gt", operator.ge: "ge",
    abs: "abs", bool: "bool", float: "float", int: "int", max: "max", min: "min",
}  # fmt: skip


class NotNative(Exception):
    """A number that Python must compute."""


class Arithmetic:
    """The numbers of a state.

    Args:
        leaf: where a number is that is no arithmetic, and its machine type; may raise `NotNative`.
    """

    def __init__(self, leaf: Callable[[Origin], Term]) -> None:
        self.steps: list[Step | Check] = []
        self._leaf = leaf
        self._terms: dict[int, Term] = {}  #: by the identity of an origin, which lives as long as its piece

    def term(self, origin: Any) -> Term:
        """Where a number is found, or a constant."""
        if not isinstance(origin, Origin):
            return constant(origin)
        found = self._terms.get(id(origin))
        if found is None:
            if origin.kind == "number":
                try:
                    name = _NAMES.get(origin.key)
                except TypeError:
                    name = None
                if name is None:
                    raise NotNative
                found = self._step(name, *map(self.term, origin.base))
            else:
                found = self._leaf(origin)
            self._terms[id(origin)] = found
        return found

    def converted(self, origin: Origin, code: str) -> Source:
        """A number as what an operator takes from a buffer."""
        if code not in _CODES:
            raise NotNative
        return self._step(code, self.term(origin)).source

    def check(self, kind: str, origin: Origin, payload: Any) -> None:
        """A guard on numbers."""
        found = self.term(origin)
        if kind in ("type", "number"):
            if ELEMS.get(payload) != found.elem:
                raise NotNative
        elif kind in ("is", "equal") and type(payload) is bool and found.elem == "i1":
            self._check(found, payload)
        elif kind == "equal" and type(payload) in (int, float) and ELEMS[type(payload)] == found.elem:
            self._check(self._step("same", found, constant(payload)), True)
        else:
            raise NotNative

    def _check(self, truth: Term, wanted: bool) -> None:
        self.steps.append(Check(truth.source.number, wanted))

    def _step(self, name: str, *terms: Term) -> Term:
        elem = result_elem(name, [term.elem for term in terms])
        if elem is None or any(term.elem == "i1" for term in terms):
            raise NotNative
        self.steps.append(Step(name, terms, elem))
        return Term(Source("step", len(self.steps) - 1), elem)


def constant(value: Any) -> Term:
    """A number that is known."""
    if type(value) is int and -(1 << 63) <= value < 1 << 63:
        return Term(Source("bits", value & ((1 << 64) - 1)), "i64")
    if type(value) is float:
        return Term(Source("bits", int.from_bytes(struct.pack("=d", value), sys.byteorder)), "f64")
    raise NotNative
