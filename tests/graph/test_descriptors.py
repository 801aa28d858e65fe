"""What lies in a class under a name decides what that name means in its objects, as long as its own class says so.

Descriptors get and lose `__get__`, `__set__` and `__delete__` between calls; attributes of classes come and go."""

from __future__ import annotations

import array
import collections
import datetime
import decimal
import functools
import hashlib
import inspect
import io
import itertools
import queue
import random
import re
import struct
import types
import zlib

import pytest
from outcomes import bits, outcome

from anfora import Tensor
from anfora.graph.facts.known import bound_to, descriptor_of, is_bound
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


class _AsksForAll:
    """Each attribute is a call of the program; those of the object lie in its dict."""

    def __init__(self, value):
        object.__setattr__(self, "value", value)

    def __getattribute__(self, name):
        print("asked for", name)
        return object.__getattribute__(self, name)


class _GivesAnother:
    """The same attribute, whatever is asked for."""

    def __init__(self, value):
        object.__setattr__(self, "value", value)

    def __getattribute__(self, name):
        return object.__getattribute__(self, "value")


class _HasNoDict:
    """There is a method for what an object lacks, and it lacks a dict."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def __getattr__(self, name):
        print("missing", name)
        return 3


class _ShowsAnotherDict:
    """What looks like its dict is not."""

    def __init__(self, value):
        self.value = value

    @property
    def __dict__(self):
        print("asked for its dict")
        return {}


@pytest.mark.parametrize("kind", [_AsksForAll, _GivesAnother, _HasNoDict, _ShowsAnotherDict])
def test_what_graph_mode_asks_for_itself_calls_nothing_of_the_program(kind, capsys):
    """An object is written down at each hop, built again, and looked at in guards."""

    def f(made, x):
        here = kind(x)
        print("a hop")
        both = [here, made, here]
        print("another")
        return both[0].value + both[1].value, both[0] is both[2]

    def run(function):
        told = []
        for n in (1.0, 2.0, 3.0, 4.0):
            total, same = function(kind(Tensor(n)), Tensor([n, 1.0]))
            told.append((total.tolist(), same, capsys.readouterr().out))
        return told

    assert run(jit(f)) == run(f)


class _Data:
    def __get__(self, owner, kind=None):
        return 50

    def __set__(self, owner, value):
        raise AttributeError("it cannot be set")


def _for_missing(self, name):
    if name == "here":
        return 70
    raise AttributeError(name)


def _for_all(self, name):
    return 80 if name == "here" else object.__getattribute__(self, name)


#: What a class may have under a name, and what it may have that is asked for names.
HELD = {
    "nothing": None,
    "value": 10,
    "property": property(lambda owner: 20),
    "method": lambda owner: 30,
    "data": _Data(),
}
ASKED = {"nothing": None, "__getattr__": _for_missing, "__getattribute__": _for_all}


def _put(kind, held, asked):
    for name in ("here", "__getattr__", "__getattribute__"):
        if name in vars(kind):
            delattr(kind, name)
    if HELD[held] is not None:
        kind.here = HELD[held]
    if ASKED[asked] is not None:
        setattr(kind, asked, ASKED[asked])


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize("held, asked", list(itertools.product(HELD, ASKED)))
def test_what_a_class_says_of_an_attribute_changes_between_calls(held, asked, inside, own):
    """Of objects that are made inside as of those from outside; be there one of this name in the object's dict, or not."""
    for later in itertools.product(HELD, ASKED):
        base = type("Base", (), {})
        kind = type("Kind", (base,), {"__init__": lambda self: self.__dict__.update({"here": 5} if own else {})})

        def f(x, made, kind=kind):
            made = kind() if inside else made
            try:
                found = made.here
                return found() if callable(found) else found, x
            except AttributeError as error:
                return str(error), x

        compiled = jit(f)
        for now in ((held, asked), (held, asked), later, later, (held, asked)):
            _put(base, *now)
            x, made = Tensor([1.0]), kind()
            assert compiled(x, made)[0] == f(x, made)[0], (later, now)


class Making:
    """Makes an attribute up where the object has none, and counts."""

    def __get__(self, owner, kind=None):
        return self if owner is None else owner.count("get")


class Made:
    """Has attributes that lie in it at times only, and are made else."""

    described = Making()

    def __init__(self):
        self.counted = 0

    def count(self, name):
        self.counted += 1
        return self.counted

    @functools.cached_property
    def cached(self):
        return self.count("cached")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self.count(name)


@pytest.mark.parametrize("how", ["between", "inside"])
@pytest.mark.parametrize("name", ["described", "cached", "fallback"])
def test_guards_make_no_attribute(name, how):
    def program(made, x, k):
        if how == "inside" and k == 3:
            made.__dict__.pop(name, None)
        if how == "inside" and k == 2:
            setattr(made, name, 100)
        return x * getattr(made, name), made.counted

    compiled, ours, pythons = jit(program), Made(), Made()
    for k in (1, 2, 2, 3, 3, 1, 2, 1, 3, 2, 3, 1, 1, 2, 3):
        if how == "between":
            for made in (ours, pythons):
                if k == 2:
                    made.__dict__[name] = 100
                elif k == 3:
                    made.__dict__.pop(name, None)
        assert outcome(compiled, ours, Tensor([1.0]), k) == outcome(program, pythons, Tensor([1.0]), k)


#: Objects of C; some of their methods want to know the class that defines them.
WRITTEN_IN_C = [
    re.compile("(a)"), re.match("(a)", "a"), io.BytesIO(b"a"), io.StringIO("a"), zlib.compressobj(), array.array("i", [1]),
    struct.Struct("i"), random.Random(1), collections.deque([1]), hashlib.md5(b"a"), decimal.Decimal(1), iter([1]), {},
    datetime.date(2024, 1, 1), itertools.count(), "a", b"a", 1, 1.0, {1}, [1], queue.SimpleQueue(), memoryview(b"a"),
    functools.lru_cache(abs),
]  # fmt: skip


@pytest.mark.parametrize("owner", WRITTEN_IN_C, ids=lambda owner: type(owner).__name__)
def test_bound_methods_of_c_live_on_over_what_the_interpreter_does(owner):
    """Each of them is written down, before a hop, as what lies in the class and the object that it is bound to."""
    kinds = types.MethodDescriptorType, types.WrapperDescriptorType
    names = [name for name in dir(owner) if type(inspect.getattr_static(type(owner), name, None)) in kinds]
    methods = [method for method in (getattr(owner, name) for name in names) if is_bound(method)]
    for method in methods:
        made_by = descriptor_of(method)
        assert made_by is not None and bound_to(owner, made_by) == method
    assert methods


def test_methods_that_want_their_class_over_hops():
    pattern = re.compile("a+")

    def f(x, text):
        match, search = pattern.match, pattern.search
        print(end="")
        return x * len(match(text)[0]), search(text).span()

    texts = ["a", "aab", "aaa", "a"]
    assert [bits(jit(f)(Tensor([1.0]), text)) for text in texts] == [bits(f(Tensor([1.0]), text)) for text in texts]


def class_that_hides(name):
    Hiding = type("Hiding", (type,), {name: property(lambda cls: None)})

    class Thing(metaclass=Hiding):
        kind = "thing"

        def __init__(self, n):
            self.n = n

        def __add__(self, other):
            return self.n + other

        def __enter__(self):
            return self.n

        def __exit__(self, *error):
            return True

        def __len__(self):
            return self.n

        def __call__(self, other):
            return self.n * other

    class Below(Thing):
        def __getattr__(self, name):
            return name

    return Thing, Below


@pytest.mark.parametrize("name", ["__dict__", "__mro__", "__bases__", "__flags__", "__module__"])
def test_what_a_class_hides_from_who_asks_it_is_found_without_a_question(name):
    thing, below = class_that_hides(name)

    def used(n):
        found = []
        for kind in (thing, below):
            each = kind(n)
            each.more = [n]
            with each as entered:
                found.append(
                    (entered, each + 1, len(each), each(2), each.kind, getattr(each, "other", "none"), each.more)
                )
            found.append((getattr(kind, name, "nothing") is None, isinstance(each, thing), hasattr(each, "absent")))
            print(each.n, file=io.StringIO())
            found.append(each.__class__ is kind)
        return found

    compiled = jit(used)
    for n in (1, 2, 3, 2):
        assert compiled(n) == used(n)
