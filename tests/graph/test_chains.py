"""What goes deep: chains of objects, containers and methods, longer than Python's stack, and what has nothing behind it."""

from __future__ import annotations

import types

import pytest

from anfora import Tensor, jit

_LONG = 3000


class Link:
    def __init__(self, value, rest):
        self.value, self.rest = value, rest


def chain_of_objects():
    head = None
    for i in range(_LONG):
        head = Link(i, head)

    def total(n):
        link, found = head, n
        while link is not None:
            found, link = found + link.value, link.rest
        print(end="")  # Python's, behind the walk
        return found

    return total


def chain_of_tensors():
    head = None
    for i in range(250):
        head = Link(Tensor(float(i)), head)

    def total(n):
        link, found = head, Tensor(float(n))
        while link is not None:
            found, link = found + link.value, link.rest
        return found.item()

    return total


def list_in_lists():
    items = []
    for _ in range(_LONG):
        items = [items]

    def look(n):
        return len(sorted(items)), len(items.copy()), items.index(items[0]), bool(items), n

    return look


def method_of_methods():
    made = [None]

    def look(n):
        method = lambda: n  # noqa: E731
        for _ in range(_LONG):
            method = method.__call__
        made[0] = method
        method = None
        return made[0] is None, n

    return look


def method_of_methods_from_outside():
    method = "abc".upper
    for _ in range(_LONG):
        method = method.__call__

    def look(n):
        held = [method, n]
        print(end="")
        return method is None, held[0] is method, n

    return look


def module_without_name(n):
    module = types.ModuleType.__new__(types.ModuleType)
    module.number = n
    return str(module), hasattr(module, "__name__"), vars(module)


def import_from_one(n):
    import sys

    sys.modules["nameless"] = types.ModuleType.__new__(types.ModuleType)
    sys.modules["nameless"].number = n
    try:
        from nameless import nothing, number  # noqa: F401
    except ImportError as error:
        return str(error), error.name, error.path
    finally:
        del sys.modules["nameless"]


PROGRAMS = [
    chain_of_objects(), chain_of_tensors(), list_in_lists(), method_of_methods(), method_of_methods_from_outside(),
    module_without_name, import_from_one,
]  # fmt: skip


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__qualname__.split(".")[0])
def test_chains(function):
    compiled = jit(function)
    for n in (1, 2, 3, 2):
        assert compiled(n) == function(n)
