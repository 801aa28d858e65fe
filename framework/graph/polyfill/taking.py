"""What takes the items of something one by one, and asks each before it takes the next: sets, dicts, searches.

Where the program gives the items (a generator of its, or an object of one of its classes) it may see when each is taken,
and those behind an item that is refused, or that ends the search, are there still. So the machine goes into the loop that
Python has in C. There are two kinds:

    one by one   each item is put or looked for by itself: `set.update` is `add`, item by item
    collected    what is done at once with a list of plain items, which nobody sees being asked; from the first item on
                 that is not plain, Python takes the rest itself, in one hop
"""

from __future__ import annotations

import collections
import gc
import math
import operator
import sys
import types
from collections.abc import Callable
from typing import Any

from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.graph.facts import known
from anfora.graph.facts.classes import defines
from anfora.graph.facts.known import SIMPLE
from anfora.graph.machine import operations
from anfora.graph.machine.generators import Generator
from anfora.graph.machine.requests import Enter
from anfora.graph.polyfill.iterators import given_iterators, gone_into

__all__ = ["ask_length", "is_of_program", "may_be_mapping", "may_see", "taken_in_turn", "taking"]


# -- one by one -------------------------------------------------------------------------------------------------------


def set_of(items):
    found = set()
    for item in items:
        found.add(item)
    return found


def add_each(own, items):
    for item in items:
        own.add(item)


def discard_each(own, items):
    for item in items:
        own.discard(item)
    own.difference_update(())  # Python looks whether to make it smaller when it has done so, which shows in the order


def for_each(name, own, more):
    for items in more:
        getattr(own, name)(items)


def set_update(own, *more):
    for_each("update", own, more)


def set_difference_update(own, *more):
    for_each("difference_update", own, more)


def set_union(own, first, *more):
    found = own.union(first)
    for_each("update", found, more)
    return found


def set_difference(own, first, *more):
    found = own.difference(first)
    for_each("difference_update", found, more)
    return found


def set_intersection(own, *more):
    for items in more:
        own = own.intersection(items)
    return own


def isdisjoint_(own, items):
    for item in items:  # noqa: SIM110
        if item in own:
            return False
    return True


def issuperset_(own, items):
    for item in items:  # noqa: SIM110
        if item not in own:
            return False
    return True


def issuperset_of_set(own, items):
    return own.issuperset(set_of(items))


def issubset_(own, items):
    return len(own.intersection(items)) == len(own)


def issubset_of_set(own, items):
    return own.issubset(set_of(items))


def dict_of_pairs(items, **more):
    return with_pairs({}, items, more)


def ordered_dict_of_pairs(items, **more):
    return with_pairs(collections.OrderedDict(), items, more)


def defaultdict_of_pairs(factory, items, **more):
    return with_pairs(collections.defaultdict(factory), items, more)


def dict_update(own, items, **more):
    with_pairs(own, items, more)


def with_pairs(found, items, more={}):  # noqa: B006  (it is only read)
    for number, item in enumerate(items):
        key, value = item if type(item) is tuple and len(item) == 2 else pair_of(item, number)
        found[key] = value
    for name, value in more.items():
        found[name] = value
    return found


def pair_of(item, number):
    """A key and a value, of an item that is no tuple of two."""
    try:
        pair = [*item]
    except TypeError:
        raise TypeError(f"cannot convert dictionary update sequence element #{number} to a sequence") from None
    if len(pair) != 2:
        raise ValueError(f"dictionary update sequence element #{number} has length {len(pair)}; 2 is required")
    return pair


def dict_from_keys(items, value=None):
    found = {}
    for item in items:
        found[item] = value
    return found


def prod_(items, *, start=1):
    for item in items:
        start = start * item
    return start


def ask_length(items):
    """What Python asks of what it makes a list of, to make room: `operator.length_hint(items)`."""
    kind = type(items)
    if hasattr(kind, "__len__"):
        try:
            len(items)
        except TypeError:
            pass
        else:
            return
    if not hasattr(kind, "__length_hint__"):
        return
    try:
        hint = kind.__length_hint__(items)
    except TypeError:
        return
    if hint is NotImplemented:
        return
    if not isinstance(hint, int):
        raise TypeError(f"__length_hint__ must be an integer, not {type(hint).__name__}")
    if hint < 0:
        raise ValueError("__length_hint__() should return >= 0")


def extend_(own, items):
    _extend(own, items, iter(items))


@given_iterators
def _extend(own, items, rest):
    ask_length(items)
    for item in rest:
        own.append(item)


def append_each(own, items):
    for item in items:
        own.append(item)


def appendleft_each(own, items):
    for item in items:
        own.appendleft(item)


def deque_(iterable, maxlen=None):
    found = collections.deque(maxlen=maxlen)
    for item in iterable:
        found.append(item)
    return found


def contains_(items, value):
    for item in items:  # noqa: SIM110
        if item is value or item == value:
            return True
    return False


def is_in(value, items):
    return contains_(items, value)


def is_not_in(value, items):
    return not contains_(items, value)


def count_of(items, value):
    count = 0
    for item in items:
        if item is value or item == value:
            count = count + 1
    return count


def index_of(items, value):
    for number, item in enumerate(items):
        if item is value or item == value:
            return number
    raise ValueError("sequence.index(x): x not in sequence")


# -- collected --------------------------------------------------------------------------------------------------------


def collected(is_plain, function, args, items):
    return _collected(is_plain, function, args, iter(items))


@given_iterators
def _collected(is_plain, function, args, rest):
    found = []
    for item in rest:
        if not is_plain(item):
            found.append(item)
            return operations.go_on_with(function, args, found, rest)
        found.append(item)
    return function(*args, found)


def is_key(item):
    """Whether nobody sees it when an item is hashed, and compared with others."""
    kind = type(item)
    if kind in _KEYS:
        return True
    if kind is not tuple:
        return kind.__hash__ is object.__hash__ and kind.__eq__ is object.__eq__
    for part in item:  # noqa: SIM110
        if not is_key(part):
            return False
    return True


def is_summand(item):
    """Whether `fsum` takes an item, however many there are."""
    return type(item) in _NUMBERS and -1e300 < item < 1e300


def is_byte(item):
    return type(item) is int and 0 <= item < 256


#: Whether sets take no more items once they have found all of theirs; else, and in `issubset`, a set is made of all items.
_ENDS_EARLY = sys.version_info >= (3, 11)
_KEYS = SIMPLE | {Tensor, Parameter}
_NUMBERS = frozenset([int, float, bool])


def frozenset_(items):
    return collected(is_key, frozenset, (), items)


def counter_(items=(), /, **more):
    found = collected(is_key, collections.Counter, (), items)
    if more:
        found.update(more)
    return found


def counter_update(own, items):
    _counted(own, iter(items))


@given_iterators
def _counted(own, rest):
    for item in rest:
        if not is_key(item):
            operations.go_on_with(own.update, (), [item], rest)
            return
        own[item] = own.get(item, 0) + 1


def union_of(own, items):
    return collected(is_key, own.union, (), items)


def difference_of(own, items):
    return collected(is_key, own.difference, (), items)


def intersection_of(own, items):
    return _common(own, own.intersection, iter(items))


def intersection_update_of(own, items):
    _common(own, own.intersection_update, iter(items))


@given_iterators
def _common(own, function, rest):
    taken = []
    found = set()
    for item in rest:
        taken.append(item)
        if not is_key(item):
            return operations.go_on_with(function, (), taken, rest)
        if _ENDS_EARLY and item in own:
            found.add(item)
            if len(found) == len(own):  # there are no more to find
                break
    return function(taken)


def symmetric_difference_of(own, items):
    return collected(is_key, own.symmetric_difference, (), items)


def symmetric_difference_update_of(own, items):
    collected(is_key, own.symmetric_difference_update, (), items)


def exact_sum(items):
    return collected(is_summand, math.fsum, (), items)


def bytes_(items):
    return collected(is_byte, bytes, (), items)


# -- which of them is gone into ---------------------------------------------------------------------------------------


def is_of_program(recorder: Any, items: Any) -> bool:
    """Whether items come from a generator of the program, or an object of one of its classes."""
    return recorder.is_own_generator(items) or (known.is_object(items) and recorder.is_walked(items))


def _in_turn(
    replacement: Callable,
    place: int = 0,
    most: int = 1,
    named: frozenset[str] | None = frozenset(),
    is_many: bool = False,
) -> Callable:
    """Use the replacement where the program gives the items.

    Args:
        place: of the items among the arguments.
        most: how many arguments there may be.
        named: the names of others; None for any. What has any may take a mapping as well, which this is not for.
        is_many: whether all arguments from the place on have items.
    """
    is_given = is_of_program if named is not None else _is_no_mapping

    def fits(recorder: Any, args: tuple, kwargs: dict) -> bool:
        if len(args) <= place or (len(args) > most and not is_many):
            return False
        if named is not None and not kwargs.keys() <= named:
            return False
        taken = args[place:] if is_many else args[place : place + 1]
        return any([is_given(recorder, each) for each in taken])  # noqa: C419  (each is guarded)

    return gone_into(replacement, fits)


def may_see(items: Any, changed: Any) -> bool:
    """Whether what the program iterates with may look, between two of its items, at what these are put into one by one."""
    pending, seen = [items], set[int]()
    while pending:
        value = pending.pop()
        if value is changed or len(seen) > _MOST_SEEN:
            return True
        if id(value) in seen or isinstance(value, _SHOWING_NOTHING):
            continue
        seen.add(id(value))
        if type(value) is Generator:
            pending += _held_by(value)
        elif type(value) is types.FunctionType:  # not all of its module
            pending += [value.__closure__, value.__defaults__, value.__kwdefaults__, value.__dict__]
        else:
            pending += gc.get_referents(value)
    return False


def _held_by(generator: Generator) -> list[Any]:
    """What the frame of a generator reads from."""
    frame = generator.frame
    if frame is None:
        return []
    function = frame.function
    names = [function.__globals__[name] for name in function.__code__.co_names if name in function.__globals__]
    return [frame.locals, frame.cells, frame.stack, function.__closure__, function.__defaults__, *names]


_MOST_SEEN = 1000  #: objects that are looked through
#: What no way leads through to a container of the program's that does not start elsewhere too.
_SHOWING_NOTHING = (types.ModuleType, type, types.CodeType, types.BuiltinFunctionType, Tensor, str, bytes, int, float)


def _may_see_growing(recorder: Any, args: tuple, kwargs: dict) -> bool:
    """Whether what a list is extended by may see how it grows; else a list is made of the items first."""
    if kwargs or len(args) != 2 or not is_of_program(recorder, args[1]):
        return False
    return not recorder.is_own_generator(args[1]) or may_see(args[1], args[0])


def _is_no_mapping(recorder: Any, items: Any) -> bool:
    """The same for what a dict or counter is made of, which may be a mapping too."""
    if not is_of_program(recorder, items):
        return False
    if not recorder.is_own_generator(items):
        if may_be_mapping(items):
            return False
        recorder.guard_without(type(items), "keys")
    return True


def may_be_mapping(value: Any) -> bool:
    """Whether a dict that is made of an object of the program asks it for its keys, and does not walk over it."""
    kind = type(value)
    if not known.is_object(value):
        return False
    makes_up = defines(kind, "__getattr__") or kind.__getattribute__ is not object.__getattribute__
    return makes_up or defines(kind, "keys") or "keys" in (operations.dict_of(value) or ())


def _of_sets(one: Callable, several: Callable | None = None) -> Callable:
    """A method of sets that takes one argument with items, or any number: one after the other, each by itself."""
    of_one = _in_turn(one, 1, 2)
    of_several = None if several is None else _in_turn(several, 1, is_many=True)

    def special(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
        way = of_one if len(args) == 2 else of_several
        return way is not None and way(recorder, machine, args, kwargs)

    return special


def _bytes(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    """`bytes(items)` of a generator: of an object it asks for more."""
    return len(args) == 1 and recorder.is_own_generator(args[0]) and _in_turn(bytes_)(recorder, machine, args, kwargs)


def taken_in_turn(recorder: Any, operation: Any, args: tuple) -> Enter | None:
    """The call that an instruction is which takes the items of the program's one by one; None if it is none."""
    found = _INSTRUCTIONS.get(operation) if known.is_among(operation, _INSTRUCTIONS) else None
    if found is None or recorder.opaque(args[0]) or recorder.opaque(args[1]):
        return None
    replacement, deliver, owner = found
    if owner is not None and type(args[0]) is not owner:
        return None
    items = args[1]
    is_given = _is_no_mapping if owner is dict else is_of_program
    searches_itself = owner is None and defines(type(items), "__contains__")
    if not is_given(recorder, items) or searches_itself:
        return None
    return Enter(replacement, args, deliver)


#: What instructions do that is no call: what is called instead, what becomes of its result, and the class of the first
#: operand, if that matters.
_INSTRUCTIONS: dict[Any, tuple[Callable, str, type | None]] = {
    operations.OPERATIONS["in"]: (is_in, "value", None),
    operations.OPERATIONS["not_in"]: (is_not_in, "value", None),
    operations.IN_PLACE["bitor"]: (with_pairs, "value", dict),
    operations.update: (add_each, "drop", set),
}


def taking() -> dict[Any, Callable]:
    """What to do instead, by function: (recorder, machine, args, kwargs) -> whether it was done."""
    table: dict[Any, Callable] = {
        set: _in_turn(set_of),
        frozenset: _in_turn(frozenset_),
        dict: _in_turn(dict_of_pairs, named=None),
        collections.OrderedDict: _in_turn(ordered_dict_of_pairs, named=None),
        collections.defaultdict: _in_turn(defaultdict_of_pairs, 1, 2, named=None),
        collections.Counter: _in_turn(counter_, named=None),
        collections.deque: _in_turn(deque_, most=2, named=frozenset(["maxlen"])),
        list.extend: gone_into(extend_, _may_see_growing),
        collections.deque.extend: _in_turn(append_each, 1, 2),
        collections.deque.extendleft: _in_turn(appendleft_each, 1, 2),
        dict.fromkeys: _in_turn(dict_from_keys, most=2),
        math.prod: _in_turn(prod_, named=frozenset(["start"])),
        math.fsum: _in_turn(exact_sum),
        bytes: _bytes,
    }
    kind: Any
    for kind in (dict, collections.OrderedDict, collections.defaultdict):
        table[kind.update] = _in_turn(dict_update, 1, 2, named=None)
    for kind in (set, frozenset):
        is_set = kind is set
        table.update({
            kind.union: _of_sets(union_of, set_union if is_set else None),
            kind.difference: _of_sets(difference_of, set_difference if is_set else None),
            kind.intersection: _of_sets(intersection_of, set_intersection),
            kind.symmetric_difference: _of_sets(symmetric_difference_of),
            kind.isdisjoint: _of_sets(isdisjoint_),
            kind.issubset: _of_sets(issubset_ if sys.version_info >= (3, 12) else issubset_of_set),
            kind.issuperset: _of_sets(issuperset_ if _ENDS_EARLY else issuperset_of_set),
        })  # fmt: skip
    return {
        **table,
        set.update: _of_sets(add_each, set_update),
        set.difference_update: _of_sets(discard_each, set_difference_update),
        set.intersection_update: _of_sets(intersection_update_of),
        set.symmetric_difference_update: _of_sets(symmetric_difference_update_of),
        collections.Counter.update: _in_turn(counter_update, 1, 2),
        operator.contains: _in_turn(contains_, most=2),
        operator.countOf: _in_turn(count_of, most=2),
        operator.indexOf: _in_turn(index_of, most=2),
    }
