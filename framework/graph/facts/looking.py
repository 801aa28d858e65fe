"""Whether what a function looks at is plain: to the depth that its row in the table of facts says, and no deeper.

Two questions, since special methods of the program are gone into, and the data of tensors is waited for:

    asks        what is looked at may be an object of the program, whose methods would be called in there
    is_plain    nothing is: neither an object of the program nor the data of a tensor
"""

from __future__ import annotations

import itertools
import operator
import sys
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.graph.facts import known
from anfora.graph.facts.classes import defines
from anfora.graph.facts.kinds import module_of, reduced
from anfora.graph.facts.known import SIMPLE
from anfora.graph.facts.origins import Number
from anfora.graph.facts.table import (
    ARRANGES,
    CALLED,
    DRAINED,
    EQUAL,
    EQUALS,
    INDEX,
    KEY,
    KEYS,
    LENGTH,
    LOOKS,
    MAPPING,
    ORDER,
    ORDERS,
    TRUTH,
    TRUTHS,
    WALKED,
    WHOLE,
    WRITTEN,
    Fact,
)
from anfora.graph.machine.operations import is_of_python

__all__ = [
    "GOING_OVER", "asks", "changes_unplainly", "held_by", "is_hashed_plainly", "is_iterator", "is_plain", "keys_of",
    "looks_into", "may_warn", "parts_of", "sources_of", "warns",
]  # fmt: skip

_DEEPEST = 20
#: Uses that ask a value for something, and those of which it must be made of numbers and texts.
_ASKING = LOOKS | LENGTH | WALKED | DRAINED
_VALUES = EQUAL | ORDER | WHOLE | EQUALS | ORDERS | TRUTHS
_ITEMS = (tuple, list, set, frozenset)
_CHANGEABLE = frozenset({list, dict, set, deque, defaultdict, OrderedDict, Counter})
_ARRANGED = frozenset({list, tuple, dict, set, frozenset, *known.VIEWS, *SIMPLE})


def is_iterator(value: Any) -> bool:
    """Whether to take items of it leaves it with fewer."""
    return defines(type(value), "__next__")


def parts_of(value: Any) -> tuple:
    """What a place in a sequence is made of."""
    return (value.start, value.stop, value.step) if type(value) is slice else (value,)


def asks(use: int, value: Any) -> bool:
    """Whether what is done with an argument asks it for a method, to be walked over, counted or taken as a place."""
    return bool(use & (INDEX | LENGTH | WALKED | DRAINED)) and any(map(known.has_methods, parts_of(value)))


def looks_into(use: int, value: Any) -> bool:
    """Whether what is done with an argument looks into it, beyond its arrangement: a list is true by its length."""
    return bool(use & ~ARRANGES) and not (use & ~ARRANGES == TRUTH and type(value) in _ARRANGED)


def is_hashed_plainly(value: Any, depth: int = 0) -> bool:
    """Whether to hash a value, and to compare it with what has the same hash, looks at nothing but which object it is, or
    at numbers and texts."""
    kind = type(value)
    if kind in SIMPLE or kind is Tensor or kind is Parameter or kind is Number:
        return True
    if kind is tuple or kind is frozenset:
        return depth < _DEEPEST and all(is_hashed_plainly(item, depth + 1) for item in value)
    return known.has_identity(kind) and not is_of_python(type(kind))


def is_plain(use: int, value: Any) -> bool:
    """Whether what is done with an argument calls nothing of the program, and looks at no data."""
    kind = type(value)
    if kind in SIMPLE or kind is Number or not use & _ASKING:
        return True
    if use & CALLED:
        return False
    if use & INDEX and not (use & KEY and is_hashed_plainly(value)):
        if kind is not slice or not all(type(part) in SIMPLE or type(part) is Number for part in parts_of(value)):
            return False
    elif use & KEY and not is_hashed_plainly(value):
        return False
    if use & TRUTH and kind not in _ARRANGED:
        return False
    if use & _VALUES and not _is_value(value):
        return False
    if use & KEYS and use & DRAINED and kind is not dict:
        keys = _items(keys_of(use, value))
        if keys is None or not all(map(is_hashed_plainly, keys)):
            return False
    return not (use & (LENGTH | WALKED | DRAINED) and known.has_methods(value))


def may_warn(operation: Callable, args: tuple) -> bool:
    """Whether it has to be looked at more closely whether Python warns of what is done: see `warns`."""
    return operation is operator.invert or type(NotImplemented) in map(type, args)


def warns(operation: Callable, use: int, value: Any) -> bool:
    """Whether Python warns of what a function does with an argument: each call has to hear it, or to get the error that
    some filter makes of it."""
    if use & TRUTH and value is NotImplemented:
        return True
    if use & TRUTHS and any(item is NotImplemented for item in _items(value) or ()):
        return True
    return operation is operator.invert and type(value) is bool and sys.version_info >= (3, 12)


def changes_unplainly(fact: Fact, args: tuple, kwargs: dict) -> bool:
    """Whether something that the program has made is changed, or an iterator used up, by what looks at more than numbers
    and texts on the way: should that be the data of a tensor, the state in front of it is needed."""
    uses = list(fact.uses(args, kwargs))
    return any(_is_changed(use, value) for use, value in uses) and not all(is_plain(use, value) for use, value in uses)


def _is_changed(use: int, value: Any) -> bool:
    if use & WRITTEN:
        return type(value) in _CHANGEABLE
    return bool(use & (WALKED | DRAINED)) and is_iterator(value)


def keys_of(use: int, value: Any) -> Any:
    """What of an argument becomes keys: of an iterator of Python's, its items, or the first parts of these where a dict is
    made of pairs, as far as that can be seen. Other arguments are it themselves."""
    kind = type(value)
    if kind not in known.ITERATORS or not use & KEYS:
        return value
    are_pairs = bool(use & MAPPING)
    if kind is zip:
        parts = reduced(value)[1] if len(reduced(value)) > 1 else ()
        found = [_items(keys_of(KEYS, part)) for part in (parts[:1] if are_pairs else parts)]
        return value if any(keys is None for keys in found) else [key for keys in found for key in keys]
    if kind is enumerate:
        return () if are_pairs else keys_of(KEYS, reduced(value)[1][0])
    items = reduced(value)[1][0] if kind in (reversed, type(reversed([]))) else _items(value)
    if items is None or not are_pairs:
        return value if items is None else items
    return [item[0] if type(item) in (tuple, list) and item else item for item in items]


def held_by(value: Any) -> tuple | None:
    """What an iterator of Python's goes over, as it tells it; None where it does not, or is none."""
    kind = type(value)
    if module_of(kind) not in ("builtins", "itertools") or not is_iterator(value):
        return None
    try:
        return tuple(reduced(value)[1:])
    except TypeError:
        return None


def sources_of(value: Any) -> list[Any]:
    """What one of the iterators `GOING_OVER` takes its items from, now and later; none where it does not tell.

    Example:
        >>> import itertools
        >>> [x for x in sources_of(itertools.chain([1], [2])) if type(x) is list]
        [[1], [2]]
    """
    found: list[Any] = []
    for part in held_by(value) or ():
        for source in part if type(part) is tuple else (part,):
            found.append(source)
            if type(source) is _OVER_TUPLES:  # behind one of a chain's comes the next
                found += _items(source)
    return found


def _items(value: Any) -> Any:
    """What is still to come of something that is walked over; None where that cannot be seen."""
    kind = type(value)
    if kind in _ARRANGED:
        return value
    if kind in _ITERATORS:
        parts = reduced(value)
        return parts[1][0][parts[2] :] if len(parts) > 2 else ()
    if kind in _OF_NUMBERS:
        return ()
    return None


def _is_value(value: Any, depth: int = 0) -> bool:
    """Whether it is made of numbers and texts alone."""
    kind = type(value)
    if kind in SIMPLE or kind is Number:
        return True
    if kind in _ITEMS or kind in _ITERATORS:
        return depth < _DEEPEST and all(_is_value(item, depth + 1) for item in _items(value))
    if kind is dict:
        return depth < _DEEPEST and all(_is_value(item, depth + 1) for pair in value.items() for item in pair)
    return kind is slice or kind is type


#: Iterators that tell what they go over, and where they are.
_OVER_TUPLES: type = type(iter(()))
#: Iterators that go over something else, as they tell. (Those over sets and dicts tell what is still to come, as a list
#: that is made for it: where these are is a part of each state anyway.)
GOING_OVER: frozenset[type] = frozenset(
    {*known.ITERATORS, map, filter, *(kind for kind in vars(itertools).values() if isinstance(kind, type))}
)
_ITERATORS: frozenset[type] = frozenset({type(iter([])), _OVER_TUPLES})
#: What goes over numbers and texts alone.
_OF_NUMBERS: frozenset[type] = frozenset({range, type(iter(range(0))), type(iter("")), type(iter(b""))})
