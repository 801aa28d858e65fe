"""The Python numbers of a loop that runs natively, some iterations ahead.

What the program computes with numbers alone needs no tensor: it is computed before the native loop starts, for as many
iterations as the guards on numbers hold. What operators take of it lies in arrays, an element for each iteration.

Two ways give the same numbers. Where all follows from a counter by arithmetic that is the same in Python and in numpy
(integers below 2^53, sums, products, quotients), arrays are computed at once. Else Python does it, iteration by iteration.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from anfora.core.abstract import Layout
from anfora.core.dtype import DType, bfloat16
from anfora.core.errors import AnforaError
from anfora.core.op import Op
from anfora.core.tensor import numpy_to_bfloat16
from anfora.eager.dispatch import number_array
from anfora.graph.facts.origins import Origin, value_of
from anfora.graph.lower.ranges import length

__all__ = ["Ahead", "Column", "Span"]

#: Iterations that are computed ahead, at most.
MOST = 1 << 14
#: And where they take no time.
_MANY = 1 << 62
#: Integers up to here are floating-point numbers too.
_EXACT = 1 << 53


class Column(NamedTuple):
    """A number that operators take: another one in each iteration."""

    argument: int  #: of the native program
    origin: Origin
    layout: Layout  #: of the operand
    op: Op


class Span(NamedTuple):
    """Some iterations."""

    iterations: int
    columns: list[np.ndarray]
    at: Callable[[int], dict[int, Any]]  #: iteration -> what the slots hold at its start


class Ahead:
    """The numbers of a loop.

    Args:
        numbers: for each slot that holds a number and changes, what it gets at the end of an iteration.
        guards: those on numbers that change.
        columns: the numbers that operators take.
        step: the same in Python: from slots, what they hold in the next iteration, and then the numbers that operators
            take; None where a guard does not hold.
    """

    def __init__(
        self, numbers: dict[int, Origin], guards: Sequence[tuple], columns: Sequence[Column],
        step: Callable[[list[Any]], tuple | None],
    ) -> None:  # fmt: skip
        self.numbers, self.columns, self.step = numbers, tuple(columns), step
        self._tests: list[tuple[int, int, Any]] = []  #: a slot that goes up, what is added to it, how far it may go
        self._divisions: list[Origin] = []
        self._is_plain = self._understands(guards)

    def run(self, slots: Sequence[Any], most: int) -> Span:
        """The iterations that follow, at most so many; there is none if another thread has changed something."""
        if self._is_plain:
            try:
                return self._at_once(slots, most)
            except _NotPlain:
                pass
        return self._one_by_one(slots, min(most, MOST))

    def last(self, slots: Sequence[Any], wanted: Sequence[int]) -> tuple:
        """What some slots hold at the start of the last of the iterations that follow."""
        count, _, at = self.run(slots, _MANY)
        held = at(count - 1) if count else dict(enumerate(slots))
        return tuple([held[slot] for slot in wanted])

    # -- one by one ---------------------------------------------------------------------------------------------------

    def _one_by_one(self, slots: Sequence[Any], most: int) -> Span:
        now = list(slots)
        order = list(self.numbers)
        held: list[tuple] = []
        taken: list[tuple] = []
        while len(held) < most:
            found = self.step(now)
            if found is None:
                break
            held.append(tuple([now[slot] for slot in order]))
            taken.append(found[len(order) :])
            for slot, value in zip(order, found):
                now[slot] = value
        values = list(zip(*taken)) if self.columns else []
        arrays = [_array(column, of) for column, of in zip(self.columns, values)]
        count = min([len(held), *map(len, arrays)])
        return Span(count, arrays, lambda iteration: dict(zip(order, held[iteration])))

    # -- at once ------------------------------------------------------------------------------------------------------

    def _understands(self, guards: Sequence[tuple]) -> bool:
        """Whether slots go up by constants, or follow others that do; and guards ask no more than how far."""
        for slot, origin in self.numbers.items():
            if origin.kind == "slot":
                if origin.key == slot or (origin.key not in self.numbers and not self._is_fixed(origin)):
                    return False
            elif not self._goes_up(slot, origin):
                return False
        if any(self._root(slot) is None for slot in self.numbers):
            return False
        for kind, origin, payload in guards:
            if kind in ("type", "number"):
                # It holds in the first iteration. All slots that change hold integers from then on, so it goes on to hold
                # where types follow from types.
                if not (payload is int if origin.kind == "slot" else _keeps_types(origin)):
                    return False
                if _divides(origin):
                    self._divisions.append(origin)
                continue
            is_test = kind == "is" and payload is True and origin.kind == "number" and len(origin.base) == 2
            if not is_test or origin.key not in (operator.lt, operator.gt):
                return False
            one, other = origin.base
            slot, added = _from_slot(one)
            if slot < 0 or not self._goes_up(slot, self.numbers.get(slot)):
                return False
            if not self._is_fixed(other) or (self.numbers[slot].base[1] > 0) is not (origin.key is operator.lt):
                return False
            self._tests.append((slot, added, other))
        return True

    def _goes_up(self, slot: int, origin: Any) -> bool:
        """Whether a slot gets `itself + a constant`."""
        found, added = _from_slot(origin)
        return found == slot and added != 0

    def _root(self, slot: int) -> int | None:
        """The slot that goes up which one follows in the end, or that never changes; None if they go round in a circle."""
        seen = set()
        while slot in self.numbers and self.numbers[slot].kind == "slot":
            if slot in seen:
                return None
            seen.add(slot)
            slot = self.numbers[slot].key
        return slot

    def _is_fixed(self, origin: Any) -> bool:
        if not isinstance(origin, Origin):
            return True
        if origin.kind == "slot":
            return origin.key not in self.numbers
        return origin.kind == "known" or (origin.kind == "number" and all(map(self._is_fixed, origin.base)))

    def _at_once(self, slots: Sequence[Any], most: int) -> Span:
        count = most
        for slot, added, end in self._tests:
            start, stop = slots[slot], value_of(end, slots)
            if type(start) is not int or type(stop) is not int:
                raise _NotPlain
            count = min(count, length(range(start + added, stop, self.numbers[slot].base[1])))
        if self.columns or self._divisions:
            count = min(count, MOST)
        made: dict[int, _Values] = {}
        for origin in self._divisions:
            self._values(origin, slots, count, made)
        arrays = [self._column(column, slots, count, made) for column in self.columns]
        return Span(
            count, arrays, lambda iteration: {slot: self._held(slot, iteration, slots) for slot in self.numbers}
        )

    def _held(self, slot: int, iteration: int, slots: Sequence[Any]) -> Any:
        """What a slot holds at the start of an iteration."""
        while iteration and slot in self.numbers:
            source = self.numbers[slot]
            if source.kind != "slot":
                return slots[slot] + iteration * source.base[1]
            slot, iteration = source.key, iteration - 1
        return slots[slot]

    def _column(self, column: Column, slots: Sequence[Any], count: int, made: dict[int, _Values]) -> np.ndarray:
        values = self._values(column.origin, slots, count, made)
        dtype = column.layout.dtype
        if values.low is None or values.high is None or not dtype.is_integer:
            return _converted(values.array, dtype)
        bounds = np.iinfo(dtype.storage)
        if not bounds.min <= values.low <= values.high <= bounds.max:
            raise _NotPlain
        return values.array.astype(dtype.storage)

    def _values(self, origin: Any, slots: Sequence[Any], count: int, made: dict[int, _Values]) -> _Values:
        """What an origin gives in each of some iterations."""
        if self._is_fixed(origin):
            value = value_of(origin, slots)
            if type(value) is int and -_EXACT <= value <= _EXACT:
                return _Values(np.array(value), value, value)
            if type(value) is float:
                return _Values(np.array(value), None, None)
            raise _NotPlain
        found = made.get(id(origin))
        if found is None:
            found = made[id(origin)] = (
                self._slot(origin.key, slots, count)
                if origin.kind == "slot"
                else _computed(origin.key, [self._values(part, slots, count, made) for part in origin.base])
            )
        return found

    def _slot(self, slot: int, slots: Sequence[Any], count: int) -> _Values:
        first, last = (self._held(slot, i, slots) for i in (0, count - 1))
        held = [self._held(slot, i, slots) for i in range(min(count, len(self.numbers) + 1))]  # then it goes up
        root = self._root(slot)
        if any(type(value) is not int for value in held) or root not in self.numbers:
            raise _NotPlain
        low, high = min(*held, first, last), max(*held, first, last)
        if low < -_EXACT or high > _EXACT:
            raise _NotPlain
        array = np.empty(count, np.int64)
        array[: len(held)] = held
        step = self.numbers[root].base[1]
        array[len(held) :] = held[-1] + step * np.arange(1, count - len(held) + 1)
        return _Values(array, low, high)


class _NotPlain(Exception):
    """Numbers that Python must compute."""


class _Values(NamedTuple):
    """A number in each of some iterations, or in all the same; integers between bounds, or floating-point numbers."""

    array: np.ndarray
    low: int | None
    high: int | None

    @property
    def floats(self) -> np.ndarray:
        return self.array if self.low is None else self.array.astype(np.float64)


def _computed(operation: Any, given: list[_Values]) -> _Values:
    """Arithmetic as Python does it."""
    is_integer = all(value.low is not None for value in given)
    with np.errstate(all="ignore"):
        if operation in (operator.neg, operator.pos) and is_integer:
            [value] = given
            if operation is operator.pos:
                return value
            assert value.low is not None and value.high is not None
            return _Values(-value.array, -value.high, -value.low)
        if operation is float or operation is operator.neg:
            return _Values(given[0].floats if operation is float else -given[0].floats, None, None)
        if len(given) != 2:
            raise _NotPlain
        one, other = given
        if operation in (operator.truediv, operator.itruediv):
            if not other.array.all():
                raise _NotPlain
            return _Values(one.floats / other.floats, None, None)
        plain = _PLAIN.get(operation)
        if plain is None:
            raise _NotPlain
        if not is_integer:
            return _Values(plain(one.floats, other.floats), None, None)
        ends = [plain(a, b) for a in (one.low, one.high) for b in (other.low, other.high)]
        low, high = min(ends), max(ends)
        if low < -_EXACT or high > _EXACT:
            raise _NotPlain
        return _Values(plain(one.array, other.array), low, high)


_PLAIN: dict[Any, Callable] = {
    operator.add: operator.add, operator.iadd: operator.add, operator.sub: operator.sub, operator.isub: operator.sub,
    operator.mul: operator.mul, operator.imul: operator.mul,
}  # fmt: skip


def _from_slot(origin: Any) -> tuple[int, int]:
    """The slot that a number is, with a known int added to it; -1 for another one."""
    if not isinstance(origin, Origin):
        return -1, 0
    if origin.kind == "slot":
        return origin.key, 0
    if origin.kind == "number" and origin.key in (operator.add, operator.iadd):
        one, other = origin.base
        if isinstance(one, Origin) and one.kind == "slot" and type(other) is int:
            return one.key, other
    return -1, 0


def _keeps_types(origin: Any) -> bool:
    """Whether the type of a result follows from those of the operands, in all of an origin."""
    if not isinstance(origin, Origin) or origin.kind != "number":
        return True
    is_division = origin.key in (operator.truediv, operator.itruediv)
    is_known = origin.key in _PLAIN or is_division or origin.key in (operator.neg, operator.pos, float)
    return is_known and all(map(_keeps_types, origin.base))


def _divides(origin: Any) -> bool:
    if not isinstance(origin, Origin) or origin.kind != "number":
        return False
    return origin.key in (operator.truediv, operator.itruediv) or any(map(_divides, origin.base))


def _array(column: Column, values: Sequence[Any]) -> np.ndarray:
    """Python numbers as operators take them, up to the first that does not fit."""
    dtype = column.layout.dtype
    if all(type(value) is float for value in values):
        return _converted(np.array(values, np.float64), dtype)
    found = []
    for value in values:
        try:
            found.append(number_array(value, dtype, column.op))
        except AnforaError:
            break
    return np.array(found, dtype.storage)


def _converted(values: np.ndarray, dtype: DType) -> np.ndarray:
    if dtype is bfloat16:
        return numpy_to_bfloat16(values)
    with np.errstate(all="ignore"):
        return values.astype(dtype.storage)
