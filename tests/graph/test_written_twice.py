"""What a program reads of its own writes is what it has written last, be it through another name: whether two names stand
for one object may be otherwise in each call."""

from __future__ import annotations

import sys

import pytest

from anfora import Parameter, Tensor, jit


class Box:
    def __init__(self):
        self.k = 0


class Slotted:
    __slots__ = ("k",)


def attributes(a, b, x):
    a.k = 1
    b.k = 2
    return a.k, b.k


def deleted_attributes(a, b, x):
    a.k = 1
    b.k = 2
    first = a.k
    b.k = x * 3
    again = a.k
    del b.k
    return first, again, hasattr(a, "k")


def by_the_dict(a, b, x):
    a.k = 1
    b.__dict__["k"] = 2
    first = a.k
    a.__dict__["k"] = 3
    return first, b.k, vars(a)["k"]


def by_a_function(a, b, x):
    a.k = 1
    object.__setattr__(b, "k", 2)
    return a.k


def items(a, b, x):
    a["k"] = 1
    b["k"] = 2
    return a["k"], b["k"]


def many_items(a, b, x):
    a["k"] = 1
    b.update(k=2, j=3)
    return a["k"], a.get("j"), len(a)


def cleared(a, b, x):
    a["k"] = 1
    b.clear()
    return a.get("k"), "k" in a, len(b)


def popped(a, b, x):
    a["k"] = 1
    b.pop("k", None)
    return a.get("k"), b.setdefault("k", 7), a["k"]


def items_of_lists(a, b, x):
    a[0] = 1
    b[0] = 2
    b.append(3)
    return a[0], a[-1], len(a)


def members(a, b, x):
    a.add(5)
    b.discard(5)
    return 5 in a, len(b)


def items_of_tensors(a, b, x):
    a[0] = 1.0
    b[0] = 2.0
    return a[0] + 0, b[0] * 1


def in_place(a, b, x):
    a.add_(1.0)
    b.mul_(2.0)
    return a + 0


def data(a, b, x):
    a.set_data(x)
    b.set_data(x * 2)
    return a + 0


class Shared:
    """Its objects have one dict, some of them."""

    def __init__(self, table):
        self.__dict__ = table


def attributes_in_one_dict(a, b, x):
    a.k = 1
    first = b.k if hasattr(b, "k") else None
    b.k = 2
    second = a.k
    a.j = x
    third = getattr(b, "j", None) is x
    del b.k
    return first, second, third, hasattr(a, "k"), sorted(vars(b))


def a_global_and_an_item(a, b, x):
    global SHARED
    SHARED = 5
    first = b.get("SHARED")
    b["SHARED"] = 6
    second = SHARED
    b.update(SHARED=7)
    third = SHARED
    SHARED = 8
    return first, second, third, b["SHARED"]


def table():
    return {"k": 0, "q": 1}


TABLE = [
    (attributes, Box), (attributes, Slotted), (deleted_attributes, Box), (by_the_dict, Box), (by_a_function, Box),
    (by_a_function, Slotted), (items, table), (many_items, table), (cleared, table), (popped, table),
    (items_of_lists, lambda: [3, 4, 5]), (members, lambda: {1, 2}), (items_of_tensors, lambda: Tensor([1.0, 2.0])),
    (attributes_in_one_dict, lambda: Shared({})), (in_place, lambda: Tensor([1.0, 2.0])),
    (data, lambda: Parameter(Tensor([3.0]))),
    (a_global_and_an_item, lambda: sys.modules[__name__].__dict__),
]  # fmt: skip


def told(function, make, order):
    found = []
    table = {}
    for are_same in order:
        globals().pop("SHARED", None)
        a = make()
        b = a if are_same else ({} if a is globals() else make())
        if type(a) is Shared:
            a, b = Shared(table), Shared(table if are_same else {})
            table.clear()
        found.append(str(function(a, b, Tensor([1.0]))))
    return found


@pytest.mark.parametrize(("program", "make"), TABLE, ids=lambda each: getattr(each, "__name__", ""))
def test_what_was_written_last_is_read(program, make):
    for order in ([0, 0, 1, 0, 1, 1], [1, 1, 0, 1, 0, 0]):
        assert told(jit(program), make, order) == told(program, make, order)
