"""What kinds of values lists, dicts and sets of the program's hold: known as the program goes on, and not searched.

Who looks up a key depends on all other keys of the dict, of which one may have an `__eq__` of the program's; who compares
a list, on all that it holds. To go through them for each such instruction would take a loop of n turns n² steps. So they
are gone through once, and what is put in behind that is noted at the door to native code (`Held.handed`), by what the
table of facts says of the call. What may have put in something else has the container gone through anew.

Of what the program has made only containers of numbers, texts and tensors, and tuples of such, are known in this way.
Nobody notices if one of these is freed a moment later than Python would, in front of the next call.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable
from typing import Any

from anfora.core.op import Op
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.graph.facts.collected import KINDS
from anfora.graph.facts.kinds import is_a
from anfora.graph.facts.known import SIMPLE
from anfora.graph.facts.origins import Number
from anfora.graph.facts.table import CALLED, DRAINED, KEPT, KEY, MAPPING, WALKED, WHOLE, WRITTEN, resolved

__all__ = ["DEEPER", "FLAT", "UNNOTICED", "Contents", "kinds_in"]

#: Numbers, texts and tuples, of which nothing is to be asked.
FLAT = SIMPLE | {Number, tuple}
#: Types whose objects nobody sees come and go, and that hold nothing else that the program has.
UNNOTICED = FLAT | {Tensor, Parameter}


class DEEPER:
    """In the place of the types of what lies deeper in tuples than is looked."""


def kinds_in(values: Iterable[Any]) -> set[type]:
    """The types of values, and of what tuples among them hold."""
    kinds = set(map(type, values))
    if tuple in kinds:
        within = values
        for _ in range(_LEVELS):
            within = [item for value in within if type(value) is tuple for item in value]
            more = set(map(type, within))
            kinds |= more
            if tuple not in more:
                return kinds
        kinds.add(DEEPER)
    return kinds


class _Known:
    """The types of the keys of a container, and of all that it holds: these at least have been found in it."""

    __slots__ = ("is_outside", "items", "keys", "value")

    def __init__(self, value: Any, keys: set[type], items: set[type], is_outside: bool) -> None:
        self.value, self.keys, self.items, self.is_outside = value, keys, items, is_outside


class Contents:
    """Knows the containers of one piece that were asked about.

    Args:
        is_outside: whether something comes from outside, and is held as long as the piece is recorded.
        note: told how many items have been gone through.
    """

    def __init__(self, is_outside: Callable[[Any], bool], note: Callable[[int], None]) -> None:
        self._is_outside, self._note = is_outside, note
        self._known: dict[int, _Known] = {}

    def kinds(self, value: Collection[Any]) -> set[type]:
        """The types of what a container holds, its keys among them."""
        return self._of(value)[1]

    def kinds_of_keys(self, value: Any) -> set[type]:
        """The types of the keys of a dict; of the items of anything else."""
        found = self._known.get(id(value))
        if found is not None and found.value is value:
            return found.keys
        is_dict = is_a(value, dict)
        if is_dict and len(value) >= _LEAST and not set(map(type, dict.values(value))) <= UNNOTICED:
            return self._kinds_in(dict.keys(value))  # which will have to be gone through again
        return self._of(value)[0]

    def _kinds_in(self, values: Collection[Any]) -> set[type]:
        kinds = kinds_in(values)
        self._note(len(values) // (_AT_ONCE if tuple not in kinds else _TUPLES_AT_ONCE))
        return kinds

    def _of(self, value: Any) -> tuple[set[type], set[type]]:
        found = self._known.get(id(value))
        if found is not None and found.value is value:
            return found.keys, found.items
        is_dict = is_a(value, dict)
        keys = self._kinds_in(dict.keys(value) if is_dict else value)
        items = keys | self._kinds_in(dict.values(value)) if is_dict else keys
        is_outside = self._is_outside(value)
        if len(value) >= _LEAST and (is_outside or items <= UNNOTICED):
            while len(self._known) >= _MOST:
                del self._known[next(iter(self._known))]
            self._known[id(value)] = _Known(value, set(keys), set(items), is_outside)
        return keys, items

    def note_put(self, value: Any, item: Any) -> None:
        """Something is put into a list, where nobody else is told."""
        found = self._known.get(id(value))
        if found is not None:
            self._put(found, (), (item,))

    def note_call(self, operation: Callable, args: tuple, names: dict) -> None:
        """Python is about to do something, which may change what is known, or see that it is there."""
        known = self._known
        if not known:
            return
        for name, each in list(known.items()):
            if sys.getrefcount(each.value) <= _HELD_HERE:  # the program has dropped it
                del known[name]
        if operation is getattr and type(args[0]) in _READ_PLAINLY:
            return
        fact, given = resolved(operation, args)
        if fact is None:
            if not is_a(operation, Op) or not all(type(value) in UNNOTICED for value in (*args, *names.values())):
                known.clear()
            return
        uses = list(fact.uses(given, names))
        if any(use & CALLED for use, _ in uses) or (fact.by_python and not fact.is_of_own):
            known.clear()  # the program may do anything in there
            return
        for place, (use, value) in enumerate(uses):
            if use & WRITTEN and id(value) in known:
                self._note_write(known[id(value)], [*uses[:place], *uses[place + 1 :]])

    def _note_write(self, found: _Known, others: list[tuple[int, Any]]) -> None:
        for use, value in others:
            if use & (DRAINED | WALKED | MAPPING | WHOLE):
                if type(value) not in _TOLD:
                    self._known.pop(id(found.value), None)
                    return
                is_dict = type(value) is dict
                self._put(found, value, value.values() if is_dict else value)
            elif use & KEY:
                self._put(found, (value,), (value,))
            elif use & KEPT:
                self._put(found, (), (value,))

    def _put(self, found: _Known, keys: Iterable[Any], items: Iterable[Any]) -> None:
        if not is_a(found.value, dict):
            keys = items
        found.keys |= kinds_in(keys)
        found.items |= found.keys | kinds_in(items)
        if not found.is_outside and not found.items <= UNNOTICED:
            self._known.pop(id(found.value), None)


_LEVELS = 4  #: of tuples in tuples
_AT_ONCE, _TUPLES_AT_ONCE = 32, 4  #: items that are gone through in the time of one that is looked at by itself
_LEAST = 16  #: items, of which it is as fast to go through them
_MOST = 16  #: containers that are known at a time
_HELD_HERE = 2  #: references to one that nobody else has, where it is counted
#: What tells what it holds without being changed by that.
_TOLD = (list, tuple, dict, set, frozenset)
#: Whose methods are read without a call of the program.
_READ_PLAINLY = frozenset({*_TOLD, *KINDS, *UNNOTICED})
