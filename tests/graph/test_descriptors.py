"""What lies in a class under a name decides what that name means in its objects, as long as its own class says so.

Descriptors get and lose `__get__`, `__set__` and `__delete__` between calls; attributes of classes come and go."""

from __future__ import annotations

import itertools

import pytest
from outcomes import bits

from anfora import Tensor
from anfora.modes import jit


def get(descriptor, owner, kind=None):
    descriptor.log.append("get")
    return 7


def get_another(descriptor, owner, kind=None):
    descriptor.log.append("another")
    return 9


def put(descriptor, owner, value):
    descriptor.log.append(("set", value))


def delete(descriptor, owner):
    descriptor.log.append("delete")


METHODS = {"__get__": get, "__set__": put, "__delete__": delete}
LATER = {**METHODS, "__get__": get_another}
STARTS = [names for length in range(4) for names in itertools.combinations(METHODS, length)]


def read(owner, n):
    return owner.d


def write(owner, n):
    owner.d = n


def remove(owner, n):
    del owner.d


def write_and_read(owner, n):
    owner.d = n
    return owner.d


def ask(owner, n):
    return hasattr(owner, "d"), getattr(owner, "d", None) is None


def read_of_one_made_inside(owner, n):
    other = type(owner)()
    other.__dict__["d"] = 4
    return other.d


def told(value, descriptor):
    return "the descriptor" if value is descriptor else bits(value)


def seen(work, start, own, change, wrap, is_inherited):
    """What each of five calls gives, and what the descriptor has noted; before two of them something is changed."""
    log = []
    described = type("Described", (), {name: METHODS[name] for name in start})
    descriptor = described()
    descriptor.log = log
    kind = type(
        "Kind",
        (type("Base", (), {"d": descriptor}),) if is_inherited else (),
        {} if is_inherited else {"d": descriptor},
    )
    owner = kind()
    compiled = wrap(lambda x, n: (work(owner, n), x + 1))
    calls = []
    for n in range(5):
        if own is not None:
            owner.__dict__.setdefault("d", own)
        if change == "class" and n == 2:
            kind.d = property(lambda self: 11)
        elif change == "class" and n == 4:
            del kind.d
        elif n in (2, 4) and change in vars(described):
            delattr(described, change)
        elif n in (2, 4) and change != "class":
            setattr(described, change, LATER[change])
        try:
            value, y = compiled(Tensor([1.0]), n)
            given = told(value, descriptor), bits(y)
        except AttributeError as error:
            given = str(error)
        calls.append((given, list(log), [(name, bits(each)) for name, each in vars(owner).items()]))
    return calls


@pytest.mark.parametrize("start", STARTS, ids="-".join)
@pytest.mark.parametrize("work", [read, write, remove, write_and_read, ask, read_of_one_made_inside])
def test_a_descriptor_is_what_its_class_makes_of_it_now(work, start):
    for own, change in itertools.product((3, Tensor([2.0]), None), (*METHODS, "class")):
        for is_inherited in (False,) if change == "class" else (False, True):
            expected = seen(work, start, own, change, lambda function: function, is_inherited)
            assert seen(work, start, own, change, jit, is_inherited) == expected, (own, change, is_inherited)
