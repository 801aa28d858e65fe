"""Which tuple something is: what a call makes is new in each; what is written down, or from outside, is the same."""

from __future__ import annotations

import collections
import contextvars
import functools
import io
import itertools
import operator
import queue
import types
from datetime import date

import pytest
from outcomes import bits

from anfora import Tensor, jit
from anfora.graph.ir.evaluate import evaluate
from anfora.graph.tell.typed import typed

PAIR = (1, 2)
TABLE, ITEMS = {"a": (3, 4)}, [(5, 6), ((7, 8), 1)]


class Holding:
    __slots__ = ("slot",)
    of_class = (1, "k")

    def __init__(self):
        self.slot = (9, 9)


HELD = Holding()
ROW = collections.namedtuple("Row", "p q")((1, 2), 3)  # noqa: PYI024


def inner():
    def of_inner():
        return (6, (6, 7))

    return of_inner()


def given(*args):
    return args


OF_PYTHON = {
    "of numbers": lambda x, n: (n, 1),
    "of texts": lambda x, n: (f"{n}", "a"),
    "sum": lambda x, n: (n, *PAIR),
    "added": lambda x, n: (n,) + (1,),  # noqa: RUF005
    "slice": lambda x, n: (n, 1, 2)[1:],
    "whole slice": lambda x, n: PAIR[:],
    "of itself": lambda x, n: tuple(PAIR),
    "of a list": lambda x, n: tuple([n, 2]),  # noqa: C409
    "of items": lambda x, n: tuple(item for item in PAIR),
    "frozen": lambda x, n: frozenset([n, 2]),
    "nested": lambda x, n: ((n, (n, 2)), 1)[0],
    "of a shape": lambda x, n: (x.shape[0], x.ndim),
    "shape": lambda x, n: x.shape,
    "shape of a result": lambda x, n: (x * 2).shape,
    "written down": lambda x, n: (1, (2, 3)),
    "within what is written down": lambda x, n: (1, (2, 3))[1],
    "written down in a function": lambda x, n: inner(),
    "within that of a function": lambda x, n: inner()[1],
    "arguments": lambda x, n: given(1, n),
    "arguments of a tuple": lambda x, n: given(*PAIR),
    "global": lambda x, n: PAIR,
    "item of a dict": lambda x, n: TABLE["a"],
    "item of a list": lambda x, n: ITEMS[0],
    "within an item": lambda x, n: ITEMS[1][0],
    "slot": lambda x, n: HELD.slot,
    "of a class": lambda x, n: HELD.of_class,
    "field": lambda x, n: ROW.p,
    "walked to": lambda x, n: [item for item in ITEMS][0],  # noqa: C416, RUF015
    "sorted": lambda x, n: sorted(ITEMS[:1])[0],
    "either": lambda x, n: PAIR if n % 2 else TABLE["a"],
    "default": lambda x, n, pair=(1, 2): pair,
}


@pytest.mark.parametrize("name", OF_PYTHON)
def test_a_tuple_is_new_where_pythons_is(name):
    make = OF_PYTHON[name]

    def f(x, n):
        made, again = make(x, n), make(x, n)
        return x * 2, made, made is again

    def seen(function):
        before = [PAIR, TABLE["a"], *ITEMS, ITEMS[1][0], HELD.slot, Holding.of_class, ROW.p]
        told = []
        for n in (1, 2, 3, 3, 3, 3):
            found, is_same = function(Tensor([1.0, 2.0]), n)[1:]
            told.append((found, is_same, [found is other for other in before]))
            before.append(found)
        return told

    assert bits(seen(jit(f))) == bits(seen(f))
    assert bits(seen(jit(f, fullgraph=True))) == bits(seen(f))


PAIRS = [("a", 0), ("b", 1.5), ("c", ("d", 2))]
QUEUE: queue.SimpleQueue = queue.SimpleQueue()
CONTEXT: contextvars.ContextVar = contextvars.ContextVar("pair")


@functools.lru_cache
def kept(i):
    return i, float(i)


def through_a_queue(pair):
    QUEUE.put(pair)
    return QUEUE.get


def in_a_context(pair):
    CONTEXT.set(pair)
    return CONTEXT.get


#: From the tuples of which somebody knows, one after the other: what gives them, which the compiler cannot look into.
GIVING = {
    "iterator over a list": lambda pairs: iter(pairs).__next__,
    "over a set": lambda pairs: iter(set(pairs)).__next__,
    "over keys": lambda pairs: iter(dict.fromkeys(pairs)).__next__,
    "generator": lambda pairs: (pair for pair in pairs).__next__,
    "cycle": lambda pairs: itertools.cycle(pairs).__next__,
    "within what is new": lambda pairs: enumerate(pairs).__next__,
    "twice": lambda pairs: zip(pairs, pairs).__next__,
    "queue": lambda pairs: through_a_queue(pairs[0]),
    "context": lambda pairs: in_a_context(pairs[-1]),
    "item": lambda pairs: functools.partial(operator.itemgetter(1), pairs),
    "what is kept": lambda pairs: functools.partial(kept, 3),
    "empty": lambda pairs: iter([()]).__next__,
    "pair of a stack": lambda pairs: pairs.copy().pop,
}


@pytest.mark.parametrize("name", GIVING)
def test_a_tuple_that_somebody_holds_stays_that_one(name):
    """A hop gives it, or one that is equal: what comes behind it must not make another one."""

    def f(give, others, x):
        found = give()
        print(end="")
        inner = found[1] if type(found[1:]) is tuple and len(found) > 1 else None
        return x * 2, [found is other for other in others], [inner is other for other in others], found, inner

    def told(function):
        found = []
        for i in range(6):
            equal = [(*pair, 0)[:-1] for pair in PAIRS]
            others = [*(PAIRS, equal)[i // 2 % 2], kept(3)]
            give = GIVING[name]([*(PAIRS, equal)[i % 2]])
            *_, outside, inside, whole, inner = function(give, others, Tensor([float(i)]))
            same = [(whole is other, inner is other) for other in others]
            found.append((outside, inside, same, repr(whole)))
        return found

    assert bits(told(jit(f))) == bits(told(f))


@pytest.mark.parametrize("over", [list, iter, set, enumerate, lambda pairs: zip(pairs, pairs[:1] * 3), reversed])
@pytest.mark.parametrize("is_hop_inside", [False, True])
def test_tuples_of_a_loop_stay_those_that_they_are(over, is_hop_inside):
    def f(items, other, x):
        found = []
        for item in items:
            if is_hop_inside:
                print(end="")
            if item is not other:
                found.append(item)
        print(end="")
        return x, found

    def told(function):
        return [
            [
                [item is pair or item[1] is pair for pair in PAIRS]
                for item in function(over(PAIRS), other, Tensor(0.0))[1]
            ]
            for other in (*PAIRS, *PAIRS)
        ]

    assert told(jit(f)) == told(f)


def test_a_tuple_that_comes_back_through_calls_of_a_function_by_itself():
    def told(jit):
        @jit
        def f(n, pair, x):
            if n == 0:
                return pair if x.sum() > 0 else (pair[0], pair[1])
            found = f(n - 1, pair, x * 1)
            same.append(found is pair)
            return found

        same: list[bool] = []
        for value in (1, 1, -1, 1, -1):
            n = Tensor(3)
            same.append(f(n, PAIRS[0], Tensor([value])) is PAIRS[0])
        return same

    assert told(jit) == told(lambda f: f)


def test_a_new_tuple_is_taken_apart():
    """Numbers in it vary, and of what comes behind it nothing else is asked."""

    def fresh(value):
        yield ("a" * 2, int(value) * 0), value

    def f(give, x):
        (name, number), other = give()
        return x * other + len(name), number

    compiled = jit(f)
    x = Tensor([1.0, 2.0])
    for value in (0.5, 1.5, 2.5, 3.5):
        assert bits(compiled(fresh(value).__next__, x)) == bits(f(fresh(value).__next__, x))
    points = [*compiled.program.entries.values(), *compiled.program.points.values()]
    (places,) = [edge[1] for point in points for v in point.variants for edge in getattr(v.end, "edges", {}).values()]
    assert [place for place in places if type(place) is tuple] == [(1,)]


class Adding:
    def __init__(self, x):
        self.x = x

    def more(self, y):
        return self.x + y


def named(x):
    return Row(x, 2)


Row = collections.namedtuple("Row", "p q")  # noqa: PYI024

#: What is made of its parts, and does not change.
MADE = {
    "tuple": lambda x: (x, 1.5),
    "of texts": lambda x: (x.dtype, f"{x.ndim}a"),
    "nested": lambda x: (([x], 1), {"a": x}),
    "named": named,
    "frozen": lambda x: frozenset([x.ndim, 7]),
    "slice": lambda x: slice(1, x.shape[0], None),
    "method": lambda x: Adding(x).more,
    "method of a function": lambda x: types.MethodType(named, x),
    "number": lambda x: (float(x.sum()), "a"),
    "numbers within": lambda x: (x, (float(x.sum()) * 2, [float(x.mean())])),
    "named number": lambda x: named(float(x.sum())),
    "error": lambda x: ValueError((float(x.sum()), 1)).args[0],
    "method of one with a number": lambda x: Adding(float(x.sum())).more,
    "method of a tuple": lambda x: types.MethodType(named, (float(x.sum()), 1)),
    "method of C": lambda x: [x].append,
    "method of C of a tuple": lambda x: (float(x.sum()), 1).count,
    "view": lambda x: {"a": x, "b": float(x.sum())}.items(),
    "method from outside": lambda _: OUTSIDE.more,
    "method of C from outside": lambda _: LATER.append,
    "view from outside": lambda _: SEEN.keys(),
}
OUTSIDE, SEEN = Adding(1), {"a": 1}
LOG: list = []
TAKEN = types.SimpleNamespace()
LATER: collections.deque = collections.deque()


def into_a_queue(made):
    LOG.append(made)
    QUEUE.put(made)
    assert QUEUE.get() is made


def as_attribute(made):
    TAKEN.made = made
    LOG.append(made)


def within_others(made):
    LOG.append([1, {"a": (2, made)}])
    LOG.append(made)


def in_a_partial_function(made):
    LOG.append(functools.partial(named, made))
    assert LOG[-1].args[0] is made
    LOG.append(made)


PUT = {
    "list": lambda made: LOG.append(made),
    "within": lambda made: LOG.extend([0, made]),
    "queue": into_a_queue,
    "attribute": as_attribute,
    "others": within_others,
    "with what is shown": lambda made: (print(made, file=io.StringIO()), LOG.append(made)),
    "by what is called later": lambda made: LATER.append(functools.partial(LOG.append, made)),
    "by Python": lambda made: list(map(LOG.append, iter([made]))),
    "by a part": lambda made: LOG.append((made, made)[1]),
    "within a partial function": in_a_partial_function,
}


def only_returned(make, keep, x):
    made = make(x)
    keep(made)
    return x * 2, made


def behind_hops(make, keep, x):
    made = make(x)
    keep(made)
    print(end="")
    other, y = made, x * 2 if x.sum() > 0 else x
    print(end="")
    return y, made, other is made


def in_a_loop(make, keep, x):
    made = None
    for _ in range(3):
        last = made
        made = make(x)
        keep(made)
        x = x * 1 if x.sum() > 0 else x
        print(end="")
    return x, made, last is made


def looked_at(make, keep, x):
    made = make(x)
    keep(made)
    y = x * 2 if x.sum() > 0 else x
    print(end="")
    return y, made, made == made, repr(made)[:3], type(made)


def read_back(make, keep, x):
    made = make(x)
    keep(made)
    within = [made, {"a": made}]
    same = [any(each is made for each in LOG), within[0] is made]
    y = x * 2 if x.sum() > 0 else x
    print(end="")
    return y, made, *same, [any(each is made for each in LOG), within[0] is made, within[1]["a"] is made]


def read_once_more(make, keep, x):
    made = make(x)
    KEPT.made = made
    LOG.append(KEPT.made)
    keep(KEPT.made)
    y = x * 2 if x.sum() > 0 else x
    LOG.append(KEPT.made)
    return y, made, KEPT.made is made, KEPT.made is LOG[0]


KEPT = types.SimpleNamespace()


@pytest.mark.parametrize("program", [only_returned, behind_hops, in_a_loop, looked_at, read_back, read_once_more])
@pytest.mark.parametrize("put", PUT)
@pytest.mark.parametrize("name", MADE)
def test_what_is_put_outside_is_what_the_program_has(name, put, program):
    make, keep = MADE[name], PUT[put]

    def f(x):
        return program(make, keep, x)

    def told(function):
        found = []
        for i in (1, 2, 3, -1, 4):
            LOG.clear()
            LATER.clear()
            y, made, *same = function(Tensor([float(i), 2.0]))
            while LATER:
                LATER.pop()()
            found.append((y, LOG[-1] is made, *same))
        return found

    assert bits(told(jit(f))) == bits(told(f))


def changed_item(held, day):
    held[day] = 1


def added(held, day):
    seen = set()
    seen.add(day)
    held["seen"] = len(seen)


def sorted_in_place(held, day):
    days = [day, date(2020, 1, 2)]
    days.sort()
    held["days"] = days


@pytest.mark.parametrize("change", [changed_item, added, sorted_in_place])
def test_what_may_look_at_data_and_does_not_leaves_numbers_to_vary(change):
    def f(n):
        day = date(2020, 1, 2)
        held, shown = {day: (day, n)}, [n]
        LOG.append(held[day])
        LOG.append(shown)
        change(held, date(2020, 1, 3))
        return held, shown, held[day] is LOG[0], shown is LOG[1]

    def told(function):
        found = []
        for n in range(5):
            LOG.clear()
            found.append((*function(n), list(LOG)))
        return found

    assert told(jit(f)) == told(f)


def as_key_of_item(made):
    held = {}
    held[made] = 1
    return next(iter(held))


BECOMES = {
    "a key": lambda made: next(iter({made: 1})),
    "the key of an item": as_key_of_item,
    "an item of a set": lambda made: {made}.pop(),
    "what an error is made of": lambda made: ValueError(made).args[0],
    "what ends an iterator": lambda made: StopIteration(made).value,
}


@pytest.mark.parametrize("keep", BECOMES.values(), ids=BECOMES)
def test_a_tuple_of_numbers_stays_one_object_where_these_are_looked_at(keep):
    def f(n):
        made = (n, "a")
        held = keep(made)
        LOG.append(held)
        same = held is made
        print(end="")
        return same, held is made, LOG[-1] is made, made

    compiled = jit(f)
    assert [compiled(n) for n in range(5)] == [f(n) for n in range(5)]


# -- what the state of a program is written down as --------------------------------------------------------------------


def functions_called_so(x, held):
    def number():
        return 2

    def slot():
        return 3

    total = held.get() + held.get()
    return x * total, number() * slot()


LIKE_IMAGES = {
    "a slot": lambda x, held: ((kind := ("slot", 0)), x * (held.get() + held.get()), kind)[1:],
    "a number": lambda x, held: ((kind := ("number", 0)), x * (held.get() + held.get()), kind)[1:],
    "a constant": lambda x, held: ((kind := ("is", ("number", 0))), x * (held.get() + held.get()), kind)[1:],
    "one met before": lambda x, held: ((kind := ("again", 0)), x * (held.get() + held.get()), kind)[1:],
    "a counter": lambda x, held: ((kind := ("counter", 0, 3, 1, (2, 4))), x * (held.get() + held.get()), kind)[1:],
    "a frame": lambda x, held: ((kind := ("frame", 0, (1,), 0, 0, ())), x * (held.get() + held.get()), kind)[1:],
    "in a loop": lambda x, held: ([x := x * 2 + held.get() for i in range(3)], (kind := ("number", 1)), kind)[1:],
    "names": functions_called_so,
}


@pytest.mark.parametrize("function", LIKE_IMAGES.values(), ids=LIKE_IMAGES)
def test_a_constant_is_not_taken_for_what_the_state_is_written_down_as(function):
    def held(n):
        made: queue.SimpleQueue = queue.SimpleQueue()
        for i in range(4):
            made.put(n + i)
        return made

    compiled = jit(function)
    for n in (1, 2, 7, 8, 9, 10, 11):
        assert bits(compiled(Tensor([1.0]), held(n))) == bits(function(Tensor([1.0]), held(n)))
    for fused in (False, True):
        for made in typed(compiled.program, fused=fused):
            assert bits(evaluate(made.graph, Tensor([1.0]), held(11))) == bits(function(Tensor([1.0]), held(11)))
