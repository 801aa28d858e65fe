"""Which tuple something is: what a call makes is new in each; what is written down, or from outside, is the same."""

from __future__ import annotations

import collections

import pytest
from outcomes import bits

from anfora import Tensor, jit

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
