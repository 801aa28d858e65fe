"""In which order items are put into a set so that it is walked over as another one is.

The order of a set is that of the slots of its table: that of its hash, or where this is taken, the next free one of a
sequence that follows from the hash (`Objects/setobject.c`). So it depends on what was there first: to put the items in as
they come out may give another order. From the order and the size of the table follows in which slots they lie; an item that
is not in its first one comes behind those that are in the ones before. Whether that is so is seen by doing it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

__all__ = ["fill", "order_of_making"]

_EMPTY, _ENTRY, _LEAST = sys.getsizeof(set()), 16, 8  #: bytes of an empty set and of a slot; slots of a small set
_NEIGHBOURS, _SHIFT = 9, 5  #: slots behind one that are looked at too; how fast the other bits of a hash come in
_MOST_SLOTS, _MOST_STEPS = 40, 4000  #: of one item that are tried, and of all


def order_of_making(items: set | frozenset) -> tuple[list[Any], int] | None:
    """The order for a set of numbers, texts and the like, and for how many items `fill` makes room at once; None
    where none has been found: it has lost items around which others lie, most likely.

    Example:
        >>> found = set([7, 15])
        >>> [*found], order_of_making(found)
        ([15, 7], ([7, 15], 0))
    """
    wanted, size = [*items], sys.getsizeof(items)
    rooms = [0, len(wanted)]
    if type(items) is set and size > _EMPTY:  # which may have lost some
        rooms.append((size - _EMPTY) // _ENTRY // 2 - 1)
    for room in rooms:
        if sys.getsizeof(fill(set(), wanted, room)) == size:
            for order in _orders(wanted, size):
                found = fill(set(), order, room)
                if all(one is other for one, other in zip(found, wanted, strict=True)):
                    return order, room
    return None


def fill(found: set, order: list[Any], room: int) -> set:
    """Put items into an empty set, one by one or with room for more at once, as in a copy or one that has lost some."""
    if not room:
        found.update(order)
        return found
    more = [object() for _ in range(room - len(order))]
    found.update(dict.fromkeys([*order, *more]))
    found.difference_update(more)
    return found


def _orders(wanted: list[Any], size: int) -> Iterator[list[Any]]:
    """Those that come into question."""
    yield wanted
    last = ((size - _EMPTY) // _ENTRY or _LEAST) - 1
    for slots in _slots(wanted, last):
        places = {slot: number for number, slot in enumerate(slots)}
        before = [_in_front(item, slot, places, last) for item, slot in zip(wanted, slots)]
        order = _sorted([each for each in before if each is not None])
        if len(order) == len(wanted):  # none has gone, and none had to be there before itself
            yield [wanted[number] for number in order]


def _slots(wanted: list[Any], last: int) -> Iterator[list[int]]:
    """In which slots the items may lie: each behind the one before it."""
    slots: list[int] = []
    tried: list[Iterator[int]] = []
    for _ in range(_MOST_STEPS):
        if len(tried) == len(slots):
            if len(slots) == len(wanted):
                yield slots
            else:
                least = slots[-1] + 1 if slots else 0
                most = last - (len(wanted) - len(slots) - 1)
                tried.append(_possible(wanted[len(slots)], last, least, most))
        if len(tried) == len(slots):  # all have one: this one is tried elsewhere
            slots.pop()
        found = next(tried[-1], None)
        if found is not None:
            slots.append(found)
            continue
        tried.pop()
        if not tried:
            return
        slots.pop()


def _possible(item: Any, last: int, least: int, most: int) -> Iterator[int]:
    for _, slot in zip(range(_MOST_SLOTS), _probes(item, last)):
        if least <= slot <= most:
            yield slot


def _probes(item: Any, last: int) -> Iterator[int]:
    """The slots that are looked at for an item, in their order."""
    rest = hash(item) & (2 * sys.maxsize + 1)
    slot = rest & last
    while True:
        yield slot
        if slot + _NEIGHBOURS <= last:
            yield from range(slot + 1, slot + _NEIGHBOURS + 1)
        rest >>= _SHIFT
        slot = (slot * 5 + 1 + rest) & last


def _in_front(item: Any, slot: int, places: dict[int, int], last: int) -> set[int] | None:
    """The numbers of the items that were there before an item which lies in a slot; None where one has gone."""
    found: set[int] = set()
    for looked in _probes(item, last):
        if looked == slot:
            return found
        if looked not in places:
            return None
        found.add(places[looked])
    raise AssertionError("bug in this library: the slots of a hash end")


def _sorted(before: list[set[int]]) -> list[int]:
    """Numbers, each behind those that are before it; first those that are behind none. A circle is left away."""
    order = [number for number, numbers in enumerate(before) if not numbers]
    done, waiting = set(order), [number for number, numbers in enumerate(before) if numbers]
    while ready := [number for number in waiting if before[number] <= done]:
        order += ready
        done.update(ready)
        waiting = [number for number in waiting if number not in done]
    return order
