"""Bodies put together from bodies: what a fused loop computes for each element.

A `Composed` is a body like any other. It calls its members in order, and hands a value from one to the next as memory
would: narrowed to the type that the first would store, widened as the second would load it. So it gives the bits of the
members' own loops. One thing LLVM leaves open, for single loops too: which of two different NaNs that meet in a body comes
out of it, since it may exchange the operands of a sum.

It is plain data, so kernels made of equal ones are found again, in memory and on disk.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from anfora.core.records import Record
from anfora.kernel import memory
from anfora.kernel.emit import Type, Value

__all__ = ["Composed", "Given", "Made", "Member"]


class Given(NamedTuple):
    """An operand of a member that is an input of the whole."""

    number: int


class Made(NamedTuple):
    """An operand of a member that an earlier member makes."""

    member: int
    result: int
    stored: str  #: the code of the buffer it would be stored in
    loaded: str  #: the code as which it would be loaded; raw copies load bits
    elem: str  #: the machine type in which the member wants it


class Member(NamedTuple):
    """A body and its operands."""

    body: Callable
    operands: tuple[Given | Made, ...]


class Composed(Record):
    """A body made of others."""

    members: tuple[Member, ...]
    results: tuple[tuple[int, int], ...]  #: which result of which member

    def __post_init__(self) -> None:
        """Keep the hash: kernels are found by it, and it goes through all members."""
        object.__setattr__(self, "_hash", hash((self.members, self.results)))

    def __hash__(self) -> int:
        return self._hash  # type: ignore[attr-defined]

    @property
    def is_partial(self) -> bool:
        """Whether a member must not see numbers that are no elements."""
        return any(getattr(member.body, "is_partial", False) for member in self.members)

    @property
    def widest(self) -> int:
        """Bytes of the widest value between members."""
        made = [x for member in self.members for x in member.operands if isinstance(x, Made)]
        return max((max(Type(x.elem).bytes, memory.code_bytes(x.stored)) for x in made), default=1)

    def __call__(self, *values: Value) -> tuple[Value, ...]:
        made: list[tuple[Value, ...]] = []
        for member in self.members:
            results = member.body(*(_fenced(_operand(x, values, made)) for x in member.operands))
            made.append(results if isinstance(results, tuple) else (results,))
        return tuple(made[member][result] for member, result in self.results)


def _fenced(value: Value) -> Value:
    """The value, which LLVM does not look behind: across bodies it would turn 0 + (-x) into 0 - x, which for NaN has
    another sign."""
    return value.fn.intrinsic("arithmetic.fence", value) if value.type.is_float else value


def _operand(operand: Given | Made, values: tuple[Value, ...], made: list[tuple[Value, ...]]) -> Value:
    if isinstance(operand, Given):
        return values[operand.number]
    raw = memory.narrow(made[operand.member][operand.result], operand.stored)
    return memory.widen(raw.bitcast(memory.storage(operand.loaded)), operand.loaded, operand.elem)
