"""What a recorder says of an object: whether it is the same in each call, all of it is known, it is made of plain values.

These are questions alone: nothing of the program is called for them, and nothing is written down but that a tensor has no
methods of the program's.
"""

from __future__ import annotations

import enum
import types
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from anfora.api import GradientFunction, _Run
from anfora.core.cell import Cell
from anfora.core.tensor import Tensor
from anfora.eager.custom import FunctionContext, custom_vjp
from anfora.eager.tape import no_grad
from anfora.eager.transform import Differentiation, Linearized
from anfora.graph.facts import known
from anfora.graph.facts.arrays import is_array
from anfora.graph.facts.classes import defines
from anfora.graph.facts.collected import KINDS, items_of
from anfora.graph.facts.kinds import is_a, reduced
from anfora.graph.facts.known import SIMPLE
from anfora.graph.facts.looking import held_by
from anfora.graph.facts.operator_classes import is_operator
from anfora.graph.facts.origins import Number, Origin
from anfora.graph.facts.rows.constructed import NAMES, OF_CONTEXT
from anfora.graph.lower.ranges import Counter
from anfora.graph.machine.frames import Frame
from anfora.graph.machine.generators import Generator
from anfora.graph.machine.walks import Walk
from anfora.graph.machine.world import Plain
from anfora.graph.source.code import Code
from anfora.graph.state.images import Imager, NoImage, is_plain_object
from anfora.graph.state.moments import Escaped

__all__ = ["ITERATORS_OVER_ONE", "MOVED", "Objects"]


class Objects(Plain):
    """Knows the objects of a run by where they come from."""

    keeper: Any
    origins: dict[int, tuple[Any, Origin]]  #: of what has come from outside, by identity
    local_cells: dict[int, Any]
    local_functions: dict[int, Any]
    own: dict[int, Any]
    lines: dict[int, tuple[Linearized, tuple, int]]
    dynamic: dict[int, type]
    settled: dict[int, tuple[Any, Any]]
    imaged: int
    has_methods: Callable[[Tensor], bool]  #: whether operators and functions call methods of the program on a tensor

    def imager(self, slot: Callable[[Any], int | None]) -> Imager:
        """Makes images of what the program has, values in the slots that are said."""
        return Imager(slot, self.is_fixed, self.own, self.settled)

    def is_fixed(self, value: Any) -> bool:
        """Whether an object is the same in each call."""
        self.imaged += 1
        kind = type(value)
        if kind is tuple or kind is frozenset:
            return id(value) in self.keeper.constants
        if kind is types.CellType:
            return id(value) not in self.local_cells
        if kind is types.FunctionType or kind is GradientFunction:
            return id(value) not in self.local_functions
        if id(value) in self.own:
            return False
        if kind is Code or known.is_constant(value):
            return True
        if kind is Linearized and id(value) in self.lines:
            raise Escaped([self.lines[id(value)][1]])
        if kind is Linearized:
            raise NoImage("a tape")  # of a piece before
        if is_a(
            value,
            (
                Tensor, Cell, Counter, Differentiation, Frame, FunctionContext, Generator, Linearized, Walk, _Run,
                custom_vjp, no_grad, BaseException,
            ),
        ):  # fmt: skip
            return False
        return known.is_ours(kind) and not known.holds_state(value)

    def adopt(self, value: Any) -> Any:
        """Something that the program has made: an object of this library's that can be changed, or holds what can, is
        another one in each call, as one of the program's own classes is."""
        kind = type(value)
        if known.is_ours(kind) and (is_a(value, tuple) or is_plain_object(kind)):
            self.own[id(value)] = value
        return value

    def is_outside(self, value: Any) -> bool:
        return id(value) in self.origins and type(value) not in SIMPLE

    def opaque(self, value: Any, depth: int = 0) -> bool:
        """Whether a value is, or holds, something that nothing is known of."""
        kind = type(value)
        if kind in SIMPLE or is_a(value, Tensor) or kind is Number:
            return False
        found = self._is_own_opaque(value, depth) if self.own else None
        if found is not None:
            return found
        if self.dynamic and (id(kind) in self.dynamic or id(value) in self.dynamic):
            return True
        if id(value) in self.origins and _tells_nothing(value):
            return True
        if kind in known.CONTAINERS:
            items = value.values() if kind is dict else value
            return depth > 20 or (not _are_simple(items) and any(self.opaque(item, depth + 1) for item in items))
        if kind in known.VIEWS:
            return self.opaque(known.viewed(value), depth + 1)
        if kind is types.MethodType:
            return self.opaque(value.__self__, depth + 1)
        if kind is slice:
            return any(map(self.opaque, (value.start, value.stop, value.step)))
        return known.is_opaque(value)

    def _is_own_opaque(self, value: Any, depth: int) -> bool | None:
        """The same of what the program has made of types written in C; None if it is none of that."""
        if known.is_bound(value) and id(value.__self__) in self.own:
            return self.opaque(value.__self__, depth + 1)
        if self.owns_array(value) or self.owns_constructed(value):
            return False
        if self.owns_container(value):
            return depth > 20 or any(self.opaque(item, depth + 1) for item in items_of(value))
        return None

    def opaque_to(self, operation: Any, args: tuple, *values: Any) -> bool:
        """The same of values that a function is called with, which may do no more than to move what a list, dict or set of
        the program's holds: that counts for nothing then, however much it is."""
        only_moves = known.only_moves(operation, args)
        return any(not (only_moves and self.is_moved(value)) and self.opaque(value) for value in values)

    def is_moved(self, value: Any) -> bool:
        """Whether it is such a container, a method of one, or an iterator over one."""
        held = value.__self__ if type(value) in known.BOUND else value
        while type(held) in ITERATORS_OVER_ONE and id(held) not in self.origins:
            held = reduced(held)[1][0]
        return type(held) in MOVED and id(held) not in self.origins

    def natural(self, value: Any, depth: int = 0) -> bool:
        """Whether a value is made of numbers, texts, tensors and containers, so that no code of the program is behind
        it."""
        kind = type(value)
        if kind in SIMPLE or kind is Number:
            return True
        if is_a(value, Tensor):
            return not self.has_methods(value)
        if is_a(value, (tuple, enum.Enum, type)) and known.has_methods(value):
            return False
        if known.is_bound(value):
            return not known.is_chain(value) and self.natural(value.__self__, depth)
        if known.is_constant(value):
            return True
        if is_a(value, BaseException):
            return not self.is_outside(value)  # what Python has raised may say something else next time
        if is_a(value, np.generic):
            return self.owns_array(value)
        if kind in NAMES:
            return self.owns_constructed(value) and kind not in OF_CONTEXT
        found = self._is_natural_within(value, kind, depth)
        if found is not None:
            return found
        if known.is_ours(kind) or kind is range:
            return True
        return depth < 20 and (held := held_by(value)) is not None and self.natural(held, depth + 1)

    def _is_natural_within(self, value: Any, kind: type, depth: int) -> bool | None:
        """The same of what holds others, by these; None if it is none of that."""
        if kind in KINDS:
            is_own = depth < 20 and self.owns_container(value)
            return is_own and all(self.natural(item, depth + 1) for item in items_of(value))
        if is_a(value, (tuple, list, set, frozenset)) or kind is dict:
            items = value.values() if kind is dict else value
            return depth < 20 and (_are_simple(items) or all(self.natural(item, depth + 1) for item in items))
        if kind is slice:
            return all(self.natural(part, depth + 1) for part in (value.start, value.stop, value.step))
        if kind in known.VIEWS:
            return self.natural(known.viewed(value), depth + 1)
        return None

    def has_made(self, value: tuple | list | dict) -> bool:
        return not self.is_outside(value)

    def owns_array(self, value: Any) -> bool:
        """Whether it is an array of which all is known: nobody else has it, or the memory that it is a part of."""
        if not is_array(value) or id(value) not in self.own or id(value) in self.origins:
            return False
        base = getattr(value, "base", None)
        return base is None or self.owns_array(base)

    def owns_constructed(self, value: Any) -> bool:
        """Whether it is a date, or a fraction, say, that the program has made of known values."""
        return type(value) in NAMES and id(value) in self.own and id(value) not in self.origins

    def owns_container(self, value: Any) -> bool:
        """Whether it is a deque, or a dict with defaults, say, that the program has made."""
        return type(value) in KINDS and id(value) in self.own and id(value) not in self.origins

    def owns(self, generator: Generator) -> bool:
        return id(generator) not in self.origins


def _tells_nothing(value: Any) -> bool:
    """Whether of something from outside it is not known what it holds."""
    kind = type(value)
    if kind in (set, frozenset):  # to compare it, as a guard would, may be a call of the program
        return not known.are_compared_plainly(value)
    is_iterator = defines(kind, "__next__") and not known.is_object(value)
    return is_iterator or kind in known.VIEWS or is_operator(value)  # of which nobody knows how it was made


def _are_simple(values: Collection[Any]) -> bool:
    """Whether values are numbers, texts and the like, and tuples of such, as far as that can be told without a look at
    each: there may be many."""
    for _ in range(_LEVELS):
        kinds = set(map(type, values))
        if kinds <= SIMPLE:
            return True
        if not kinds <= _SIMPLE_AND_TUPLES:
            return False
        values = [item for value in values if type(value) is tuple for item in value]
    return False


_SIMPLE_AND_TUPLES = SIMPLE | {tuple}
_LEVELS = 4
#: Containers that are not looked into where something only moves what they hold.
MOVED = (list, dict, set)
ITERATORS_OVER_ONE: tuple[type, ...] = (type(iter([])), type(reversed([])))
