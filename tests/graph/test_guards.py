"""What a program reads from outside may change between two calls, whatever it is, wherever it stands and however it is
read.

Each case is a pair of values, which take turns, and a way to read them; each is tried in each place from which a program
can read. The undecorated function, run by Python, says what is right.
"""

from __future__ import annotations

import collections
import copy
import dataclasses
import enum
import functools
import math
import os
import types

import numpy as np
import pytest
from outcomes import bits, outcome

import anfora as ms
from anfora import Tensor, jit, nn, ops

X = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))


@dataclasses.dataclass
class Config:
    width: int = 2
    names: tuple = ("a", "b")


class Slotted:
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


class Color(enum.Enum):
    RED = 2
    BLUE = 3


Pair = collections.namedtuple("Pair", "left right")  # noqa: PYI024


def scaled(factor, *, shift=1):
    def function(x):
        return x * factor + shift

    return function


def unpacked(x, v):
    a, b = v
    return x * a + b


def unpacked_with_a_star(x, v):
    a, *b = v
    return x * a + b[-1] * len(b)


def displayed(x, v):
    a, b, c = (*v, 4)
    return x * a + b * c, [*v, x], (lambda *args: x * args[1])(*v)


def nested(x, v):
    (a, b), c = v
    return x * a + b * c


def matched(x, v):
    match v:
        case [a, b]:
            return x * a + b
        case [a, *rest]:
            return x * a + len(rest)
        case {"a": a, **rest}:
            return x * a + len(rest)
        case Config(width=w):
            return x * w
        case int(n):
            return x * n
        case str(s):
            return x * len(s)
    return x


def keywords(x, v):
    def inner(a, b=1, **rest):
        return x * a + b + len(rest)

    return inner(**v)


def spread(x, v):
    return ops.reshape(x, (*v,)) + sum([*v]) + max(*v)


def walked(x, v):
    total = 0
    for k, item in enumerate(v):
        total = total + item * (k + 1)
    return x * total + sum(n * n for n in v)


def zipped(x, v):
    return [x * a + b for a, b in zip(v, reversed(list(v)))]


def shown(x, v):
    return x * len(f"{v}"), f"{v!r:>12}|{v!s}"


def looked_up(x, v):
    return x * v["a"] + v.get("b", 7) + ("c" in v) + len(v)


def items(x, v):
    return [(k, x * n) for k, n in v.items()], list(v), sorted(v), {**v, "z": 1}, sum(v.values())


def keys(x, v):
    return [x * len(k) for k in v], next(iter(v))


def compared(x, v):
    return x * (v == first_of(v)), x * (v != 3), bool(v), v is None


def first_of(v):
    return v


def chosen(x, v):
    if v:
        return x * 2
    return x


def conditional(x, v):
    return x * 2 if v > 2 else x - v


def copied(x, v):
    twin = list(v)
    twin.append(1)
    return x * twin[0] + len(twin), (*tuple(v), 1), twin


def searched(x, v):
    return x * (2 in v) + list(v).count(2), 5 not in v


def folded(x, v):
    return x * functools.reduce(lambda a, b: a * 2 + b, v) + max(v, key=lambda n: -n) + min(v)


def ordered(x, v):
    return list(v), [x * n for n in v], {**dict.fromkeys(v, 1)}, v | {3}


def ends(x, v):
    return x * v.stop, v


def searched_for_itself(x, v):
    return v in [NAN, 1.0], v in (NAN,), v in {NAN: 1}, [1.0, NAN].count(v), x * (v != v)


def is_the_same(x, v):
    return v is SAME[type(v)], x * (v is not SAME[type(v)]), v is x


NAN = float("nan")
SAME = {type(v): v for v in (10**6, "a text", b"bytes", 2.5, 1j, range(7))}


def by_order(*items):
    """A set whose order is that in which equal places of its table were taken."""
    found = set()
    for item in items:
        found.add(item)
    return found


CASES = [
    *[
        (ordered, one, other)
        for one, other in [
            (by_order(0, 8), by_order(8, 0)), (frozenset([0, 8]), frozenset([8, 0])),
            ({0, 8}, by_order(*range(40)) - set(range(1, 8)) - set(range(9, 40))),
        ]
    ],
    (ends, range(0, 3, 2), range(0, 4, 2)),
    *[(searched_for_itself, NAN, other) for other in (float("nan"), 1.0)],
    *[
        (is_the_same, SAME[type(other)], other)
        for other in (
            int("1000000"), "".join(["a ", "text"]), bytes(bytearray(b"bytes")), float("2.5"), complex("1j"), range(7),
        )
    ],
    *[
        (way, one, other)
        for way in (unpacked, unpacked_with_a_star, walked, zipped, copied, searched, folded, matched, displayed)
        for one, other in [
            ((2, 3), (3, 5)), ([2, 3], [3, 5]), ([2.5, 3.0], [1.5, 4.0]), (Pair(2, 3), Pair(3, 2)),
            (collections.deque([2, 3]), collections.deque([3, 2])), (np.array([2, 3]), np.array([5, 2])),
            ({2: 1, 3: 2}.keys(), {5: 1, 3: 2}.keys()),
        ]
    ],
    *[(way, [2, 3], [2, 3, 4]) for way in (unpacked_with_a_star, walked, zipped, copied, searched, folded, matched)],
    *[(way, {2, 3}, {2, 5}) for way in (searched, lambda x, v: x * len(v), lambda x, v: x * sum(sorted(v)))],
    *[(way, range(2, 4), range(2, 8, 3)) for way in (unpacked, walked, copied, folded)],
    (nested, ((2, 3), 4), ((3, 2), 4)),
    (nested, [[2, 3], 4], [[2, 3], 5]),
    (matched, Config(2), Config(5)),
    (matched, 2, 5),
    (matched, "ab", "abc"),
    (matched, {"a": 2}, {"a": 2, "b": 3}),
    (spread, (3, 2), (6, 1)),
    (spread, [3, 2], [1, 6]),
    *[(keywords, one, other) for one, other in [({"a": 2}, {"a": 3}), ({"a": 2, "b": 3}, {"a": 2, "c": 3})]],
    *[
        (way, one, other)
        for way in (looked_up, items, keys)
        for one, other in [
            ({"a": 2, "b": 3}, {"a": 2, "b": 4}), ({"a": 2, "c": 3}, {"a": 2, "b": 3}),
            ({"a": 2, "b": 3}, {"b": 3, "a": 2}), ({"a": 2}, {"a": 2, "d": 1}),
            (collections.OrderedDict(a=2, b=1), collections.OrderedDict(b=1, a=2)),
            (collections.defaultdict(int, a=2), collections.defaultdict(int, a=5)),
        ]
    ],
    *[
        (way, one, other)
        for way in (shown, compared, chosen)
        for one, other in [
            (2, 3), (0, 1), (2.5, -0.0), (0.0, -0.0), (True, False), (None, 1), ("ab", "cd"), ("", "a"), ((), (1,)),
            (1, True), ([1], []), (b"a", b""), (1 + 2j, 0j), (2, 2.0), (1, "1"), (float("nan"), 1.0),
        ]
    ],
    *[
        (way, one, other)
        for way in (conditional, lambda x, v: x * v - v, lambda x, v: x[v % 2] * -v, lambda x, v: x**v)
        for one, other in [(2, 3), (3, 4), (1, True)]
    ],
    *[(way, 2.0, 3.5) for way in (conditional, lambda x, v: x * v - v, lambda x, v: x * math.floor(v) + int(v))],
    (lambda x, v: x[v], 0, 1),
    (lambda x, v: x[v], (0, slice(1, 3)), (1, slice(0, 2))),
    (lambda x, v: x[:, v], slice(0, 2), slice(1, None)),
    (lambda x, v: x[v], [0, 1], [1, 1]),
    (lambda x, v: x.reshape(v), (3, 2), (1, 6)),
    (lambda x, v: x.reshape(*v), (3, 2), (1, 6)),
    (lambda x, v: ops.transpose(x, v), (0, 1), (1, 0)),
    (lambda x, v: x.astype(v), ms.float16, ms.int32),
    (lambda x, v: x.sum(**v), {"axis": 0}, {"axis": 1}),
    (lambda x, v: ops.concat(v, 1), (X, X * 2), [X, X, X]),
    (lambda x, v: sum(t.sum() for t in v) + x, [X, X * 2], [X]),
    (lambda x, v: x + v, Tensor([1.0, 2.0, 3.0]), Tensor(2.0)),
    (lambda x, v: x + v["w"], {"w": X}, {"w": X * 3}),
    (lambda x, v: x * v.width + len(v.names), Config(), Config(3)),
    (lambda x, v: x * v.width + len(v.names), Config(), Config(2, ("a",))),
    (lambda x, v: x * v.width, Config(2.5), Config(3.5)),
    (lambda x, v: x * dataclasses.replace(v, names=()).width, Config(2), Config(3)),
    (lambda x, v: (x, v == Config(3), v != Config(3)), Config(2), Config(3)),
    (lambda x, v: x * v.value, Slotted(2), Slotted(3)),
    (lambda x, v: x * v.value + (v is Color.RED), Color.RED, Color.BLUE),
    (lambda x, v: x * (2 if v == Color.RED else 3), Color.RED, Color.BLUE),
    (lambda x, v: x * v.a, types.SimpleNamespace(a=2), types.SimpleNamespace(a=3)),
    (lambda x, v: x * v["a"], types.MappingProxyType({"a": 2}), types.MappingProxyType({"a": 3})),
    (lambda x, v: x * v[0] + len(v), collections.deque([2, 3]), collections.deque([3])),
    (lambda x, v: v(x), scaled(2), scaled(3)),
    (lambda x, v: v(x), scaled(2), scaled(2, shift=5)),
    (lambda x, v: v(x), ops.relu, ops.neg),
    (lambda x, v: v(x), abs, ops.exp),
    (lambda x, v: v(x), functools.partial(ops.clamp, max=2), functools.partial(ops.clamp, max=4)),
    (lambda x, v: v(x), functools.partial(ops.add, other=2), functools.partial(ops.sub, other=2)),
    (lambda x, v: v(), X.sum, X.mean),
    (lambda x, v: x * v(), Config(2).__getattribute__("__repr__").__self__.names.__len__, [1, 2, 3].__len__),
    (lambda x, v: x * isinstance(v, int) + callable(v), 1, abs),
    (lambda x, v: getattr(x, v)(), "sum", "max"),
    (lambda x, v: x * len(v.split(",")), "a,b", "a,b,c"),
    (lambda x, v: x * ",".join(v).count("b"), ["a", "b"], ["b", "b"]),
    (lambda x, v: x * float(v) + np.float32(v), np.float32(2), np.float32(3)),
    (lambda x, v: x * int(v), np.int64(2), np.int64(3)),
    (lambda x, v: x + Tensor(v), np.ones(3, np.float32), np.zeros(3, np.float32)),
    (lambda x, v: x * len(v) + type(v).__name__.count("l"), [1], (1,)),
    (lambda x, v: (x, v), {"a": [1, (2, "b")]}, {"a": [1, (2, "c")]}),
    (lambda x, v: (x, v, v), [1, 2], [3]),
]  # fmt: skip


class Holder:
    pass


def as_argument(read, compile_it):
    return compile_it(lambda x, v: read(x, v))


def as_keyword(read, compile_it):
    function = compile_it(lambda x, *, v: read(x, v))
    return lambda x, v: function(x, v=v)


def on_self(read, compile_it):
    class Owner:
        held: object

        @compile_it
        def run(self, x):
            return read(x, self.held)

    owner = Owner()

    def call(x, v):
        owner.held = v
        return owner.run(x)

    return call


def in_a_cell(read, compile_it):
    held = None
    function = compile_it(lambda x: read(x, held))

    def call(x, v):
        nonlocal held
        held = v
        return function(x)

    return call


HELD: object = None


def in_a_global(read, compile_it):
    function = compile_it(lambda x: read(x, HELD))

    def call(x, v):
        global HELD
        HELD = v
        return function(x)

    return call


def in_a_list(read, compile_it):
    table: list = [None]
    function = compile_it(lambda x, table: read(x, table[0]))

    def call(x, v):
        table[0] = v
        return function(x, table)

    return call


def in_a_dict_of_an_object(read, compile_it):
    holder = Holder()
    holder.table = {"here": None}
    function = compile_it(lambda x: read(x, holder.table["here"]))

    def call(x, v):
        holder.table["here"] = v
        return function(x)

    return call


def as_a_default(read, compile_it):
    def inner(x, v=None):
        return read(x, v)

    function = compile_it(lambda x: inner(x))

    def call(x, v):
        inner.__defaults__ = (v,)
        return function(x)

    return call


def changed_in_place(read, compile_it):
    """The same object each time, with the contents of the value."""
    held: dict = {}
    function = compile_it(lambda x, v: read(x, v))

    def call(x, v):
        kind = type(v)
        if kind not in (list, dict, set, Config, Holder):
            return function(x, v)
        twin = held.setdefault(kind, copy.copy(v))
        if kind is list:
            twin[:] = v
        elif kind is Config:
            twin.__dict__.update(v.__dict__)
        else:
            twin.clear()
            twin.update(v)
        return function(x, twin)

    return call


PLACES = [
    as_argument, as_keyword, on_self, in_a_cell, in_a_global, in_a_list, in_a_dict_of_an_object, as_a_default,
    changed_in_place,
]  # fmt: skip


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
@pytest.mark.parametrize("number", range(len(CASES)))
def test_a_change_outside_is_seen(number, place):
    read, one, other = CASES[number]
    compiled, by_python = place(read, jit), place(read, lambda function: function)
    for v in (one, other, one, other, other):
        expected = outcome(by_python, X, v)
        assert outcome(compiled, X, v) == expected, (read.__name__, v)


@pytest.mark.parametrize("name", ["def", "None", "\ufb01x", "two words", "1st", "", "__private", "__code__"])
def test_an_attribute_may_have_any_name(name):
    holder = Holder()
    scale = jit(lambda x: x * getattr(holder, name))
    for value in (2, 2, 2, 3):
        setattr(holder, name, value)
        assert scale(X).tolist() == (X.asnumpy() * value).tolist()
    assert scale.program.recordings == 2


def test_the_text_of_an_error_that_depends_on_data_is_read_in_each_call():
    def f(place):
        try:
            return ops.gather(ops.ones((4, 2)), place, 0)
        except IndexError as error:
            return str(error), f"{error}", repr(error)

    compiled = jit(f)
    for place in (9, -9, 1, 7):
        place = Tensor(np.array([place], np.int32))
        assert outcome(compiled, place) == outcome(f, place)


def test_what_has_changed_is_found_out_without_running_code_of_the_program():
    """An object comes in the place of lists whose lengths were looked at."""
    asked = []

    class Odd:
        def __len__(self):
            asked.append("length")
            return 3

    filled = ms.jit(lambda items: "a" * len(items))
    assert [filled([0] * n) for n in range(3)] == ["", "a", "aa"]
    assert filled(Odd()) == "aaa" and asked == ["length"]


def sums_an_argument(jit_it):
    f = jit_it(lambda x: x.sum() * 2)
    return X, lambda: f(X)


def asks_for_its_axes(jit_it):
    f = jit_it(lambda x: x + x.dim())
    return X, lambda: f(X)


def reads_a_global(jit_it):
    f = jit_it(lambda x: x + HIDING.reshape(-1)[0])
    return HIDING, lambda: f(X)


def reads_a_parameter(jit_it):
    net = nn.Dense(2, 2, weight_init="ones")
    f = jit_it(lambda x: x + net.weight.mean())
    return net.weight, lambda: f(X)


def reads_an_item(jit_it):
    held = [Tensor([1.0, 2.0])]
    f = jit_it(lambda x: x + held[0].max())
    return held[0], lambda: f(X)


def goes_round(jit_it):
    x = Tensor([1.0, 3.0])

    def f(y):
        while y.sum() < 40:
            y = y + y.abs()
        return y

    f = jit_it(f)
    return x, lambda: f(x)


HIDING = Tensor([1.0, 2.0])
HIDDEN = {
    sums_an_argument: "sum", asks_for_its_axes: "dim", reads_a_global: "reshape", reads_a_parameter: "mean",
    reads_an_item: "max", goes_round: "abs",
}  # fmt: skip


@pytest.mark.parametrize("before", [2, 40])
@pytest.mark.parametrize("make", HIDDEN, ids=lambda make: make.__name__)
def test_an_attribute_that_hides_a_method_is_seen(make, before):
    """`x.sum = …` on a tensor, put on and taken off between calls; after 40 calls loops run natively."""

    def run(jit_it):
        tensor, call = make(jit_it)
        found = [bits(call()) for _ in range(before)]
        for hiding in (lambda *_: Tensor([5.0]), lambda *_: Tensor([7.0])):
            setattr(tensor, HIDDEN[make], hiding)
            found += [bits(call()) for _ in range(2)]
            delattr(tensor, HIDDEN[make])
            found += [bits(call()) for _ in range(2)]
        return found

    assert run(jit) == run(lambda function: function)


LIBRARY = """
class Library:
    @property
    def given(self):
        return filter(None, self.values)

    @property
    def source(self):
        return b"abc"

    def note(self, *noted):
        self.noted.append(noted)
"""


@pytest.mark.parametrize("values", [(bytes, bytearray), (bytearray, bytes), (math.sqrt, math.sin, float)], ids=str)
def test_what_a_hop_gives_is_no_global_of_the_same_value(values):
    scope = {}
    exec(compile(LIBRARY, os.path.join(os.path.dirname(os.__file__), "library.py"), "exec"), scope)
    library = scope["Library"]
    library.__module__ = "library"

    def noted(lib):
        for given in lib.given:
            given(lib.source) if isinstance(given, type) and given is not float else given(0.25)
            lib.note(b"", bytes, bytearray, math.sqrt, math.sin)
        return lib.noted

    def made():
        lib = library()
        lib.values, lib.noted = values, []
        return lib

    compiled = jit(noted)
    for _ in range(3):
        assert compiled(made()) == noted(made())


class Place:
    """A place in a sequence, which is equal to all, and tells when it is asked."""

    def __init__(self, at, told):
        self.at, self.told = at, told

    def __index__(self):
        self.told.append(self.at)
        return self.at

    def __eq__(self, other):
        self.told.append("equal")
        return True


PARTS = {
    "numbers": lambda told: [(0, 2), (0, 2), (1, None), (None, -1), (True, 3)],
    "tensors": lambda told: [(Tensor(0), Tensor(2)), (Tensor(1), Tensor(2)), (Tensor(1), None)],
    "numbers of numpy": lambda told: [(np.int64(0), None), (np.int64(1), None), (np.int64(1), np.int8(2))],
    "objects": lambda told: [(Place(0, told), 2), (Place(1, told), 2), (Place(1, told), Place(3, told))],
    "wrong ones": lambda told: [(1.5, None), ("a", None), ([], None), (None, [])],
}


@pytest.mark.parametrize("parts", PARTS)
def test_slices_are_known_by_their_parts(parts):
    def taken(x, place):
        try:
            return [0, 1, 2, 3][place], x[place].tolist(), type(place.start), place.stop is None
        except TypeError as error:
            return str(error)

    def run(function):
        told: list = []
        return [
            function(Tensor([1.0, 2.0, 3.0, 4.0]), slice(*pair)) for _ in range(2) for pair in PARTS[parts](told)
        ], told

    assert run(jit(taken)) == run(taken)
