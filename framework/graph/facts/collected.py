"""What the program makes of `collections`: deques, dicts with defaults, with an order, and counters.

They are written in C, so the recorder does not go into them; but what their methods do to them is known, as it is of lists
and dicts. Those that the program has made are objects of its own: nothing of them is outside, and images hold what is in
them. One from elsewhere is left to the interpreter, and so is one whose keys have a `__hash__` of their own.
"""

from __future__ import annotations

import operator
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

from anfora.graph.facts import known
from anfora.graph.facts.kinds import is_a
from anfora.graph.facts.known import is_plain_key
from anfora.graph.facts.table import DRAINED, INDEX, KEY, KEYS, LOOKS, TRUTH, resolved
from anfora.graph.machine import operations

__all__ = [
    "KINDS", "METHODS_OF_COUNTERS", "built_container", "calls_default", "changes_or_makes", "container_image", "items_of",
]  # fmt: skip

KINDS = (deque, defaultdict, OrderedDict, Counter)


def items_of(value: Any) -> tuple:
    """What a container holds."""
    return tuple(value) if type(value) is deque else (*dict.keys(value), *dict.values(value))


def changes_or_makes(recorder: Any, operation: Any, args: tuple, kwargs: dict) -> bool:
    """Whether it makes such a container, or is a method of one that the program has made, and does nothing else."""
    values = (*args, *kwargs.values())
    if any(map(recorder.opaque, values)):
        return False
    if known.is_among(operation, KINDS):
        return _may_be_made(operation, args, kwargs)
    if not known.is_bound(operation) or not recorder.owns_container(operation.__self__):
        return False
    fact, given = resolved(operation, args)
    return fact is not None and all(_is_taken_plainly(use, value) for use, value in fact.uses(given, kwargs))


def _is_taken_plainly(use: int, value: Any) -> bool:
    """Whether what a method of such a container does with an argument calls nothing, and does the same each time."""
    if use & DRAINED:
        return _is_walked_plainly(value) and not (use & KEYS and not (is_a(value, dict) and _has_plain_keys(value)))
    if use & LOOKS & ~(KEY | KEYS | INDEX | TRUTH):
        return False
    return not use & (KEY | INDEX | TRUTH) or is_plain_key(value)


def calls_default(recorder: Any, operation: Any, args: tuple) -> bool:
    """Whether an item is asked for that is not there, so that it is made by a function."""
    if operation is not operator.getitem or len(args) != 2 or type(args[0]) is not defaultdict:
        return False
    table, key = args
    return (
        recorder.owns_container(table) and table.default_factory is not None and is_plain_key(key) and key not in table
    )


def _may_be_made(kind: Any, args: tuple, kwargs: dict) -> bool:
    if kind is deque:
        return all(_is_walked_plainly(items) for items in args[:1])
    if kind is defaultdict:
        args = args[1:]
    if kind is Counter:
        return len(args) < 2 and _is_counted(args)
    return len(args) < 2 and all(_has_plain_keys(x) if is_a(x, dict) else _are_pairs(x) for x in args)


def _is_counted(args: tuple) -> bool:
    """Whether all of it can be counted: numbers and texts, or how many there are of each."""
    return all(_is_walked_plainly(items) and (is_a(items, str) or all(map(is_plain_key, items))) for items in args)


def _are_pairs(values: Any) -> bool:
    is_row = type(values) in (list, tuple)
    return is_row and all(type(x) in (list, tuple) and len(x) == 2 and is_plain_key(x[0]) for x in values)


def _is_walked_plainly(items: Any) -> bool:
    return type(items) in (*known.ITERABLES, *KINDS)


def _has_plain_keys(table: dict) -> bool:
    return all(map(is_plain_key, table))


def _counting(function: Callable) -> Callable:
    """A method of counters, which is written in Python, on one that the program has made: it counts numbers and texts."""

    def special(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
        if not args or type(args[0]) is not Counter or not recorder.owns_container(args[0]):
            return False
        args = tuple(map(recorder.force, args))
        if kwargs or not all(is_plain_key(value) for value in items_of(args[0])):
            return False
        counted = args[1:] if function in (Counter.update, Counter.subtract) else ()
        if any(map(recorder.opaque, args)) or not _is_counted(counted):
            return False
        if any(is_a(table, dict) and not all(map(is_plain_key, table.values())) for table in counted):
            return False
        machine.push(recorder.compute(machine, function, args, kwargs))
        return True

    return special


#: What to do instead, by function: (recorder, machine, args, kwargs) -> whether it was done.
METHODS_OF_COUNTERS: dict[Any, Callable] = {
    function: _counting(function) for function in (Counter.update, Counter.subtract, Counter.most_common, Counter.copy)
}


# -- images -----------------------------------------------------------------------------------------------------------


def container_image(value: Any, image: Callable[[Any], tuple]) -> tuple | None:
    """The image of a container; None if it has attributes beside what it holds, or is an OrderedDict that has been changed
    as a dict, so that its order names keys that it has no more."""
    if operations.dict_of(value):
        return None
    if type(value) is deque:
        return "deque", value.maxlen, tuple(map(image, value))
    factory = image(value.default_factory if type(value) is defaultdict else None)
    try:
        items = list(value.items())
    except KeyError:
        return None
    return "dict of", type(value), factory, tuple((image(key), image(item)) for key, item in items)


def built_container(image: tuple, build: Callable[[tuple], Any], keep: Callable[[Any], None]) -> None:
    """Build the container of an image.

    Args:
        keep: told of it before what it holds is built, which may hold it in turn.
    """
    if image[0] == "deque":
        items: deque = deque(maxlen=image[1])
        keep(items)
        items.extend([build(item) for item in image[2]])
        return
    table = image[1]()
    keep(table)
    factory = build(image[2])
    if image[1] is defaultdict:
        table.default_factory = factory
    for key, item in image[3]:
        built = build(key)
        table[built] = build(item)
