"""What a compiled function asks for its type, shows, or returns is of Python's own types."""

from __future__ import annotations

import collections
import copy
import itertools
import operator
import pickle
import types

import pytest

import anfora as ms
from anfora import Tensor


def increased(item):
    return item + 1


def is_not_one(item):
    return item != 1


def is_one(item):
    return item == 1


class Counting:
    """Counts its calls."""

    def __init__(self):
        self.count = 0

    def __call__(self):
        self.count += 1
        return self.count


class Ending(list):
    """Where it is asked for an iterator, recording ends: only Python knows when a generator is dropped."""

    def __iter__(self):
        waits = ended()
        next(waits)
        return super().__iter__()


def ended():
    try:
        yield
    finally:
        pass


MAKERS = {
    "map where recording ends": lambda: map(max, Ending([1, 5]), [3, 2]),
    "filter where recording ends": lambda: filter(is_not_one, Ending([0, 1, 2])),
    "enumerate where recording ends": lambda: enumerate(Ending("ab")),
    "zip where recording ends": lambda: zip(Ending([1, 2]), [3, 4]),
    "accumulate where recording ends": lambda: itertools.accumulate(Ending([1, 2, 3]), max),
    "combinations where recording ends": lambda: itertools.combinations(Ending("abc"), 2),
    "takewhile where recording ends": lambda: itertools.takewhile(is_not_one, Ending([0, 2, 1, 4])),
    "pairwise where recording ends": lambda: itertools.pairwise(Ending([0, 2, 1, 4])),
    "compress where recording ends": lambda: itertools.compress(Ending("abcd"), [1, 0, 1, 1]),
    "chain where recording ends": lambda: itertools.chain.from_iterable(Ending([[1], [2]])),
    "zip_longest where recording ends": lambda: itertools.zip_longest(Ending([1, 2]), [3]),
    "groupby where recording ends": lambda: itertools.groupby(Ending([1, 1, 2])),
    "map": lambda: map(abs, [1, -2, 3]),
    "map of two": lambda: map(max, [1, 5], [3, 2]),
    "map of a function": lambda: map(increased, [1, 2, 3]),
    "filter": lambda: filter(None, [0, 1, 2]),
    "filter by a function": lambda: filter(is_not_one, [0, 1, 2]),
    "generator": lambda: (item * 2 for item in [1, 2, 3]),
    "keys": lambda: iter({1: 2, 3: 4}),
    "values": lambda: iter({1: 2, 3: 4}.values()),
    "items": lambda: iter({1: 2, 3: 4}.items()),
    "view": lambda: {1: 2, 3: 4}.keys(),
    "list": lambda: iter([1, 2]),
    "zip": lambda: zip([1, 2], [3, 4]),
    "enumerate": lambda: enumerate("ab"),
    "set": lambda: iter({1, 2, 3}),
    "reversed dict": lambda: reversed({1: 2, 3: 4}),
    "reversed items": lambda: reversed({1: 2, 3: 4}.items()),
    "reversed list": lambda: reversed([1, 2, 3]),
    "accumulate": lambda: itertools.accumulate([1, 2, 3]),
    "accumulate from": lambda: itertools.accumulate([1, 2, 3], max, initial=2),
    "accumulate nothing": lambda: itertools.accumulate([None, None, None], operator.is_),
    "combinations": lambda: itertools.combinations("abcd", 2),
    "combinations of nothing": lambda: itertools.combinations("abcd", 0),
    "combinations with replacement": lambda: itertools.combinations_with_replacement("abc", 2),
    "permutations": lambda: itertools.permutations("abc", 2),
    "starmap": lambda: itertools.starmap(pow, [(1, 2), (3, 4)]),
    "takewhile": lambda: itertools.takewhile(is_not_one, [0, 2, 1, 4]),
    "dropwhile": lambda: itertools.dropwhile(is_one, [1, 2, 1, 4]),
    "filterfalse": lambda: itertools.filterfalse(is_one, [1, 2, 1, 4]),
    "compress": lambda: itertools.compress("abcd", [1, 0, 1, 1]),
    "chain": lambda: itertools.chain.from_iterable([[1, 2], [3]]),
    "chain of what is asked": lambda: itertools.chain.from_iterable({(1, 2): 3, (4,): 5}),
    "zip_longest": lambda: itertools.zip_longest([1, 2, 3], (4, 5), "a"),
    "zip_longest of what is asked": lambda: itertools.zip_longest({1: 2}, map(increased, [1, 2]), fillvalue=7),
    "calls": lambda: iter(Counting(), 3),
    "groupby": lambda: itertools.groupby([1, 1, 2, 3, 3]),
    "groupby by a function": lambda: itertools.groupby([1, 1, 2, 3, 3], increased),
    **({"batched": lambda: itertools.batched("abcde", 2)} if hasattr(itertools, "batched") else {}),
}


def named(make, x):
    return type(make()).__name__, repr(make()).split(" at ")[0], isinstance(make(), types.GeneratorType), x


def compared(make, x):
    kinds = (map, filter, zip, enumerate, types.GeneratorType, type(iter({})))
    return [type(make()) is kind for kind in kinds], [isinstance(make(), kind) for kind in kinds], x


def returned(make, x):
    return make()


def returned_inside(make, x):
    return {"list": [make(), (make(),)], "x": x}


def returned_in_the_middle(make, x):
    made = make()
    if hasattr(made, "__next__"):
        next(made)
    return [made, x]


def copied(make, x):
    try:
        return list(copy.copy(make())), x
    except TypeError as error:
        return str(error), x


def pickled(make, x):
    made, found = make(), []
    try:
        for _ in range(3):
            found.append(list(pickle.loads(pickle.dumps(made))))
            next(made, None)
        return found, list(made), x
    except TypeError as error:
        return str(error), found, x


def in_pythons_hands(make, x):
    made = make()
    if not hasattr(made, "__next__"):
        return x
    found = [next(made)]
    for _ in range(4):
        found += collections.deque([made]).pop() is made, [next(each, "end") for each in collections.deque([made])]
    return found, x


def returned_twice(make, x):
    made = make()
    if hasattr(made, "__next__"):
        next(made)
    return made is [made][0], [made, (made,)]


#: What no iterator can do; of views `len` alone is one of these.
REFUSED = [
    operator.neg, abs, float, int, complex, chr, ord, hex, range, len, round, operator.index,
    lambda it: it + 1, lambda it: "a" + it, lambda it: operator.add([1], it), lambda it: it @ 2, lambda it: [1] * it,
    lambda it: it[0], lambda it: [1, 2][it], lambda it: (1, 2)[it], lambda it: it < 1, lambda it: operator.mod("%d", it),
    lambda it: format(it, "d"), lambda it: pow(it, 1), lambda it: divmod(1, it), lambda it: 1 << it, lambda it: it & {1},
    lambda it: it(), lambda it: {**it}, lambda it: ",".join([it]), lambda it: "".join(("a", it)),
    lambda it: operator.mod("%d%d", (1, it)),
]  # fmt: skip


def refused(make, x):
    texts = []
    for way in REFUSED:
        made = make()
        try:
            way(made)
        except (TypeError, AttributeError) as error:
            texts.append(str(error))
    return texts, x


def groups_in_the_middle(make, x):
    made = make()
    first = next(made, None) if hasattr(made, "__next__") else None
    if not isinstance(made, itertools.groupby):
        first = first, iter([1, 2])
    NOTED.append(made)
    found = next(first[-1])
    NOTED.append(first[-1])
    return found, first, made, x


def methods(make, x):
    """What methods are bound to it, before and behind its first item."""
    made, found = make(), []
    for name in ("__next__", "__iter__", "send", "close", "throw", "__length_hint__"):
        if not hasattr(made, name):
            continue
        method = getattr(made, name)
        found += [
            (type(method).__name__, isinstance(method, types.MethodType), isinstance(method, types.BuiltinMethodType)),
            (method.__name__, method.__qualname__, method.__class__.__name__, hasattr(method, "__func__")),
            (method == getattr(made, name), callable(method), method.__self__ is made, repr(method).split(" at ")[0]),
        ]
        if name == "__next__":
            found.append(next(method.__self__))
    return found, [getattr(made, name, None) for name in ("__next__", "send")], x


NOTED: list = []
PROGRAMS = [
    methods,
    groups_in_the_middle,
    refused,
    pickled,
    in_pythons_hands,
    returned_twice,
    named,
    compared,
    returned,
    returned_inside,
    returned_in_the_middle,
    copied,
]


def seen(value):
    """A value with the types of all that it holds; iterators with what they give."""
    if isinstance(value, Tensor):
        return value.tolist()
    if type(value) is dict:
        return {key: seen(item) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(map(seen, value))
    if type(value) in (types.MethodWrapperType, types.BuiltinMethodType, types.MethodType):
        return type(value), value.__name__, seen(value.__self__)
    if hasattr(value, "__next__") or type(value).__name__.startswith("dict_"):
        return type(value), [seen(item) for item in value]
    return value


@pytest.mark.filterwarnings("ignore:Pickle, copy, and deepcopy support:DeprecationWarning")
@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_kinds(program, maker):
    make = MAKERS[maker]
    compiled = ms.jit(program)
    for number in (1.0, 2.0, 3.0):
        x = Tensor([number])
        assert seen(compiled(make, x)) == seen(program(make, x))


def test_generators_cannot_be_pickled():
    def program(x):
        try:
            pickle.dumps(item for item in [1])
        except TypeError as error:
            return str(error), x

    compiled = ms.jit(program)
    for _ in range(3):
        assert compiled(Tensor(1.0))[0] == "cannot pickle 'generator' object"


def test_a_generator_that_is_returned_is_pythons():
    def program(x):
        def steps(first):
            got = yield first
            try:
                yield got
            except KeyError:
                yield "caught"
            return "end"

        running = steps(x)
        next(running)
        return running

    for function in (program, ms.jit(program), ms.jit(program)):
        for _ in range(3):
            running = function(Tensor(1.0))
            assert type(running) is types.GeneratorType
            assert running.__name__ == "steps"
            assert running.__qualname__.endswith("program.<locals>.steps")
            assert running.send("sent") == "sent"
            assert running.throw(KeyError()) == "caught"
            with pytest.raises(StopIteration) as stop:
                next(running)
            assert stop.value.value == "end"


class OfNoModule(type):
    @property
    def __module__(cls):
        raise LookupError("nobody is to ask")


def _of_odd_modules():
    class Plain:
        __module__ = 5

    class Asked(metaclass=OfNoModule):
        pass

    class Items(list):
        __module__ = None

    class Amount(int):
        __module__ = b"m"

    class Failure(Exception):
        __module__ = ()

    return Plain, Asked, Items, Amount, Failure


def test_where_a_class_or_function_says_it_is_from_may_be_anything():
    plain, asked, items, amount, failure = _of_odd_modules()

    def helped(x):
        return x + 1

    helped.__module__ = 7

    def program(x, k):
        one, two, held = plain(), asked(), items([k, 1])
        one.n = two.n = amount(k)
        held.append(helped(k))
        try:
            if k == 2:
                raise failure(k)
        except failure as error:
            return error.args, helped(x), {one: 1}[one]
        return sum(held), x * one.n + two.n, type(held).__name__, isinstance(one, plain), [two].index(two)

    compiled = ms.jit(program)
    for k in (1, 2, 1, 3):
        want, got = program(Tensor(2.0), k), compiled(Tensor(2.0), k)
        assert list(map(str, got)) == list(map(str, want))
