"""What Python asks of items while it takes them: each is asked before the next is taken, and some may be left.

The items come from an iterator of the program; each special method that is called is noted, by Python and compiled."""

from __future__ import annotations

import collections
import functools
import heapq
import itertools
import math
import operator

import pytest
from outcomes import bits

from anfora import Tensor, jit

NOTED: list[str] = []


def noting(name, value):
    def method(self, *args):
        NOTED.append(name)
        return value

    return method


class Asked:
    """Notes what is asked of it; it is equal to all, and less than none."""

    __hash__ = noting("hash", 1)
    __eq__ = noting("eq", True)  # type: ignore[assignment]
    __lt__ = noting("lt", False)
    __gt__ = noting("gt", False)
    __bool__ = noting("bool", True)
    __float__ = noting("float", 1.0)
    __index__ = noting("index", 1)
    __str__ = noting("str", "s")

    def __add__(self, other):
        NOTED.append("add")
        return self

    __mul__ = __rmul__ = __radd__ = __add__


class Items:
    """Gives three of what is made by a function, and notes when."""

    def __init__(self, make=Asked):
        self.make, self.left = make, 3

    def __iter__(self):
        return self

    def __next__(self):
        NOTED.append("next")
        if not self.left:
            raise StopIteration
        self.left -= 1
        return self.make()


def Generated(make=Asked):
    yield from Items(make)


def pairs(items):
    return items(lambda: (Asked(), 1))


TAKEN = {
    "min": lambda items: min(items()),
    "max": lambda items: max(items()),
    "max by key": lambda items: max(items(), key=str),
    "min or default": lambda items: min(items(), default=None),
    "any": lambda items: any(items()),
    "all": lambda items: all(items()),
    "sum": lambda items: sum(items(), Asked()),
    "prod": lambda items: math.prod(items(), start=Asked()),
    "fsum": lambda items: math.fsum(items()),
    "set": lambda items: set(items()),
    "frozenset": lambda items: frozenset(items()),
    "display": lambda items: {*items()},
    "set comprehension": lambda items: {item for item in items()},  # noqa: C416
    "dict": lambda items: dict(pairs(items)),
    "dict and names": lambda items: dict(pairs(items), a=1),
    "dict comprehension": lambda items: {key: value for key, value in pairs(items)},  # noqa: C416
    "fromkeys": lambda items: dict.fromkeys(items(), 2),
    "dict.update": lambda items: {}.update(pairs(items)),
    "OrderedDict": lambda items: collections.OrderedDict(pairs(items)),
    "defaultdict": lambda items: collections.defaultdict(int, pairs(items)),
    "Counter": lambda items: collections.Counter(items()),
    "deque": lambda items: collections.deque(items()),
    "list": lambda items: list(items()),
    "tuple": lambda items: tuple(items()),
    "sorted": lambda items: sorted(items()),
    "sorted by key": lambda items: sorted(items(), key=str),
    "join": lambda items: "".join(map(str, items())),
    "extend": lambda items: [].extend(items()),
    "in": lambda items: Asked() in items(),
    "contains": lambda items: operator.contains(items(), Asked()),
    "countOf": lambda items: operator.countOf(items(), Asked()),
    "indexOf": lambda items: operator.indexOf(items(), Asked()),
    "bytes": lambda items: bytes(items()),
    "reduce": lambda items: functools.reduce(operator.add, items()),
    "accumulate": lambda items: list(itertools.accumulate(items())),
    "groupby": lambda items: [key for key, _ in itertools.groupby(items())],
    "takewhile": lambda items: list(itertools.takewhile(bool, items())),
    "compress": lambda items: list(itertools.compress(items(), items())),
    "filter": lambda items: list(filter(None, items())),
    "zip": lambda items: list(zip(items(), items())),
    "nsmallest": lambda items: heapq.nsmallest(2, items()),
    "merge": lambda items: list(heapq.merge(items(), items())),
    "unpack": lambda items: (lambda a, b, c: a)(*items()),
    **{
        f"set.{name}": functools.partial(lambda name, items: getattr({1}, name)(items()), name)
        for name in (
            "update", "union", "intersection", "difference", "symmetric_difference", "isdisjoint", "issubset", "issuperset",
            "intersection_update", "difference_update", "symmetric_difference_update",
        )
    },
}  # fmt: skip


@pytest.mark.parametrize("items", [Items, Generated], ids=["object", "generator"])
@pytest.mark.parametrize("name", TAKEN)
def test_items_are_asked_in_turn(name, items):
    def f(x, n):
        try:
            TAKEN[name](items)
        except TypeError as error:
            NOTED.append(str(error))
        return x * n

    compiled = jit(f)
    for n in range(4):
        notes = []
        for function in (f, compiled):
            NOTED.clear()
            function(Tensor([1.0]), n)
            notes.append(list(NOTED))
        assert notes[1] == notes[0], n


def plain():
    yield from (16, 1, 2, 3, 4, 8, 2, 32, 5, 17)


class Plain:
    def __init__(self):
        self.left = [1, 17, 2, 16, 3, 2]

    def __iter__(self):
        return self

    def __next__(self):
        if not self.left:
            raise StopIteration
        return self.left.pop()


#: What takes plain items, and is compiled with the function that gives them.
COMPILED = {
    "set": lambda items: set(items()),
    "frozenset": lambda items: frozenset(items()),
    "display": lambda items: {7, *items(), 9},
    "display of map": lambda items: {*map(abs, items())},
    "dict": lambda items: dict((item, 1) for item in items()),  # noqa: C402
    "OrderedDict": lambda items: collections.OrderedDict((item, 1) for item in items()),
    "defaultdict": lambda items: collections.defaultdict(int, ((item, 1) for item in items())),
    "dict.update": lambda items: changed({1: 2}, lambda own: own.update(((item, 1) for item in items()), a=3)),
    "dict |=": lambda items: operator.ior({1: 2}, ((item, 1) for item in items())),
    "fromkeys": lambda items: dict.fromkeys(items()),
    "Counter": lambda items: collections.Counter(items()),
    "Counter.update": lambda items: changed(collections.Counter({2: 5}), lambda own: own.update(items())),
    "deque": lambda items: collections.deque(items(), maxlen=3),
    "deque.extend": lambda items: changed(collections.deque([1], 4), lambda own: own.extend(items())),
    "deque.extendleft": lambda items: changed(collections.deque([1]), lambda own: own.extendleft(items())),
    "list.extend": lambda items: changed([1], lambda own: own.extend(items())),
    "fsum": lambda items: math.fsum(items()),
    "prod": lambda items: math.prod(items()),
    "in": lambda items: 3 in items(),
    "not in": lambda items: 3 not in items(),
    "contains": lambda items: operator.contains(items(), 2),
    "countOf": lambda items: operator.countOf(items(), 2),
    "indexOf": lambda items: operator.indexOf(items(), 16),
    **{
        f"set.{name}": functools.partial(lambda name, items: getattr({1, 2, 9, 33}, name)(items()), name)
        for name in ("union", "intersection", "difference", "symmetric_difference", "isdisjoint", "issubset", "issuperset")
    },
    **{
        f"frozenset.{name}": functools.partial(lambda name, items: getattr(frozenset((1, 2, 33)), name)(items()), name)
        for name in ("union", "intersection", "difference", "symmetric_difference", "isdisjoint", "issubset", "issuperset")
    },
    "set.union of several": lambda items: {1, 2, 9}.union(items(), [5, 64], items()),
    "set.difference of several": lambda items: {1, 2, 9, 33}.difference(items(), [9]),
    "set.intersection of several": lambda items: {1, 2, 9, 33}.intersection(items(), [2, 3]),
    **{
        f"set.{name}": functools.partial(
            lambda name, items: changed({1, 2, 9, 33}, lambda own: getattr(own, name)(items())), name
        )
        for name in ("update", "intersection_update", "difference_update", "symmetric_difference_update")
    },
}  # fmt: skip


def changed(own, change):
    change(own)
    return own


@pytest.mark.parametrize("items", [plain, Plain], ids=["generator", "object"])
@pytest.mark.parametrize("name", COMPILED)
def test_plain_items_are_taken_within_the_compiled_function(name, items):
    """It has no hop, and sets have their items in the order that Python's have."""

    def f(x):
        found = COMPILED[name](items)
        return x * 2, type(found), list(found) if isinstance(found, (set, frozenset)) else found

    compiled = jit(f, fullgraph=True)
    for _ in range(3):
        assert bits(compiled(Tensor([1.0]))) == bits(f(Tensor([1.0])))


class Watching:
    """Notes how long a container is whenever it is asked for an item."""

    def __init__(self, own, lengths):
        self.own, self.lengths, self.left = own, lengths, 3

    def __iter__(self):
        return self

    def __next__(self):
        self.lengths.append(len(self.own))
        if not self.left:
            raise StopIteration
        self.left -= 1
        return self.left


def watched(own, lengths):
    yield from Watching(own, lengths)


GROWING = {
    "list.extend": (list, lambda own, items: own.extend(items)),
    "list.extend by map": (list, lambda own, items: own.extend(map(abs, items))),
    "list +=": (list, operator.iadd),
    "slice": (list, lambda own, items: own.__setitem__(slice(None), items)),
    "deque.extend": (collections.deque, lambda own, items: own.extend(items)),
    "deque.extendleft": (collections.deque, lambda own, items: own.extendleft(items)),
    "set.update": (set, lambda own, items: own.update(items)),
    **{
        f"set.{name}": (
            lambda: {0, 1, 2, 9},
            functools.partial(lambda name, own, items: getattr(own, name)(items), name),
        )
        for name in ("union", "difference", "intersection_update", "difference_update", "symmetric_difference_update")
    },
    "dict.update": (dict, lambda own, items: own.update((item, 1) for item in items)),
    "Counter.update": (collections.Counter, lambda own, items: own.update(items)),
    "Counter.subtract": (collections.Counter, lambda own, items: own.subtract(items)),
}


@pytest.mark.parametrize("items", [Watching, watched], ids=["object", "generator"])
@pytest.mark.parametrize("name", GROWING)
def test_what_gives_items_sees_where_they_go(name, items):
    make, change = GROWING[name]

    def f(x):
        own, lengths = make(), []
        change(own, items(own, lengths))
        return x * 2, lengths, own

    compiled = jit(f)
    for _ in range(3):
        assert bits(compiled(Tensor([1.0]))) == bits(f(Tensor([1.0])))


def test_sets_that_are_written_down_have_the_order_of_pythons():
    """Python copies a constant; where it goes over one, it takes that."""

    def f(x):
        made = {17, 9, 1, 2}, {17, 9}, {17, 9, -1, 1 + 1}, {33, 17, 1, 65, 9, "a" + "b"}
        return x * 2, [*map(list, made)], [i for i in {17, 9, 1, 2}], [i for i in {9, 1}]  # noqa: C416

    assert bits(jit(f)(Tensor([1.0]))) == bits(f(Tensor([1.0])))


def numbers():
    yield from (0, 1, 2, 3, "four", 5.0, [6], 7)


LEFT = {
    "indexOf": lambda items: operator.indexOf(items, 2),
    "countOf": lambda items: operator.countOf(items, 2),
    "isdisjoint": lambda items: {1}.isdisjoint(items),
    "issubset": lambda items: {1}.issubset(items),
    "issuperset": lambda items: {1}.issuperset(items),
    "intersection": lambda items: {1}.intersection(items),
    "intersection of two": lambda items: {1, 3}.intersection(items),
    "intersection_update": lambda items: {1, 2}.intersection_update(items),
    "difference": lambda items: {1, 2}.difference(items),
    "difference_update": lambda items: {1, 2}.difference_update(items),
    "symmetric_difference": lambda items: {1, 2}.symmetric_difference(items),
    "deque.extend": lambda items: collections.deque().extend(items),
    "set": set,
    "frozenset": frozenset,
    "fromkeys": dict.fromkeys,
    "dict": dict,
    "dict of lists": lambda items: dict([item, 1] for item in items),
    "dict of triples": lambda items: dict((item,) * (2 + (item == 2)) for item in items),
    "max": max,
    "min": min,
    "sum": sum,
    "prod": math.prod,
    "fsum": math.fsum,
    "Counter": collections.Counter,
    "bytes": bytes,
    "join": lambda items: "".join(items),
    "in": lambda items: 3 in items,
    "any": any,
    "all": all,
    "set.update": lambda items: {9}.update(items),
    "dict.update": lambda items: {}.update((item, 1) for item in items),
    "list": list,
}


@pytest.mark.parametrize("name", LEFT)
def test_what_is_not_taken_is_left(name):
    """Where what has been found is enough, or an item is refused, those behind it are there still."""

    def f(x):
        items = numbers()
        try:
            found = LEFT[name](items)
        except (TypeError, ValueError) as error:
            found = type(error), str(error)
        return x * 2, found, next(items, "none")

    compiled = jit(f)
    for _ in range(3):
        assert bits(compiled(Tensor([1.0]))) == bits(f(Tensor([1.0])))
