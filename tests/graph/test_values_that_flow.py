"""Values that change from call to call, through what programs keep them in: classes of the program's own, iterators,
exceptions, functions and their attributes. A compiled call gives what Python gives, does what Python does, and shows the
program nothing of the compiler's; and so it is in programs made by chance."""

from __future__ import annotations

import collections
import enum
import functools
import io
import itertools
import types
from contextlib import redirect_stdout
from typing import Any, NamedTuple

import pytest
from chance import Writer, loaded
from outcomes import bits, hops

from anfora import Tensor, jit
from anfora.graph.facts.origins import Number

VALUES = [0.5, 1.5, 0.25, 0.5, 2, 3, 1, True, 1.0, "a", None, 2.75, 4, -0.0, 0]
LOG: list[Any] = []
STORE = types.SimpleNamespace()
SEEN: collections.deque = collections.deque(maxlen=3)
keep = SEEN.append  #: of which nothing is known


def shown(value, depth=0):
    """What can be told of a value: bits, types, what objects and functions hold, which of them are the same."""
    assert type(value) is not Number
    if depth > 9:
        return "deep"
    more = [(name, shown(part, depth + 1)) for name, part in sorted(getattr(value, "__dict__", {}).items())]
    if isinstance(value, Tensor) or value is None or type(value) in (bool, int, float, complex, str):
        return bits(value)
    if isinstance(value, enum.Enum):
        return str(value)
    if isinstance(value, (tuple, list, collections.deque)):
        return type(value).__name__, [shown(item, depth + 1) for item in value], more
    if isinstance(value, dict):
        items = [(shown(key, depth + 1), shown(item, depth + 1)) for key, item in value.items()]
        return type(value).__name__, items, shown(getattr(value, "default_factory", None), depth + 1)
    if isinstance(value, BaseException):
        parts = value.args, value.__cause__, value.__context__, value.__suppress_context__
        return type(value).__name__, str(value), [shown(part, depth + 1) for part in parts], more
    if isinstance(value, types.FunctionType):
        held = [cell.cell_contents for cell in value.__closure__ or ()]
        parts = held, value.__defaults__, value.__kwdefaults__, value.__doc__, value.__annotations__
        return value.__name__, value.__qualname__, [shown(part, depth + 1) for part in parts], more
    if hasattr(type(value), "__next__"):
        return "items", [shown(item, depth + 1) for item in itertools.islice(value, 4)]
    return type(value).__name__, more


def told(function, *args):
    """What a call gives and leaves behind, and what it prints."""
    LOG.clear()
    text = io.StringIO()
    try:
        with redirect_stdout(text):
            result = "gives", function(*args)
    except Exception as error:
        result = "raises", error
    return shown(result), shown(LOG), shown(STORE), text.getvalue()


def same(function, values=VALUES):
    compiled = jit(function)
    for i, value in enumerate(values):
        x = Tensor([1.0 + i, -2.0, 0.5])
        assert told(compiled, x, value) == told(function, x, value), (i, value)
    return compiled


# -- tuples, members and classes with methods of the program's ----------------------------------------------------------


class Pair(NamedTuple):
    first: Any
    second: Any = 2.0

    @property
    def both(self):
        LOG.append("both")
        print(self.first)
        return self.first, self.second

    def __add__(self, other):
        LOG.append("add")
        return Pair(self.second, other)

    def __rmul__(self, factor):
        print(factor)
        return Pair(self.first, (factor, self.second))

    def __neg__(self):
        LOG.append(self.first)
        return self.second

    def __bool__(self):
        LOG.append("bool")
        return self.second is None


class Turned(collections.namedtuple("Turned", "p q")):  # noqa: PYI024
    def __iter__(self):
        LOG.append("iter")
        return iter((self.q, self.p))

    def __getitem__(self, index):
        LOG.append(index)
        return self.p

    def __eq__(self, other):
        LOG.append("eq")
        return self.p == other

    __hash__ = None


class Row(tuple):
    scale = 1.5

    @functools.cached_property
    def twice(self):
        LOG.append("twice")
        return 2 * self[0]

    def __getattr__(self, name):
        LOG.append(name)
        return name, len(self)


COUNT = [0]


class Level(enum.Enum):
    LOW = 1
    HIGH = 2

    @property
    def count(self):
        return COUNT[0]

    def __lt__(self, other):
        LOG.append("lt")
        return self.value < other.value + COUNT[0]

    def __add__(self, other):
        COUNT[0] += 1
        return other, COUNT[0]

    def __bool__(self):
        LOG.append("bool")
        return COUNT[0] > 3


class Told(type):
    @property
    def count(cls):
        LOG.append("count")
        return COUNT[0]

    def __getitem__(cls, key):
        LOG.append(key)
        return cls.__name__, key, COUNT[0]

    def __contains__(cls, key):
        LOG.append(("in", key))
        return key == COUNT[0]

    def __add__(cls, other):
        COUNT[0] += 1
        return other


class Kind(metaclass=Told):
    pass


def a_property_of_a_named_tuple(x, b):
    return x * 2, Pair(b).both, Pair(1.0, b).both


def operators_of_a_named_tuple(x, b):
    pair = Pair(b) + b
    return x + 1, pair, 2 * pair, -pair, 1 if pair else 0, Pair(x, b) + x


def a_tuple_that_is_walked_in_another_way(x, b):
    turned = Turned(b, 3)
    first, second = turned
    return x * 2, first, second, list(turned), turned[7], turned == b, [turned] == [b]


def attributes_of_a_tuple(x, b):
    row = Row((b if isinstance(b, float) else 1.0, b))
    return x * row.scale, row.twice, row.twice, row.other


def attributes_behind_a_hop(x, b):
    row = Row((b, 1))
    row.extra = b
    print(b)
    return x * 2, row.extra, row


def members(x, b):
    low, high = Level.LOW, Level.HIGH
    return x * 2, low + b, low.count, low < high, high < low, 1 if high else 0, low.count


def classes_of_classes(x, b):
    found = Kind[b], Kind.count, Kind + b, b in Kind, Kind[1]
    return x * 2, found, Kind.count


@pytest.mark.parametrize("function", [
    a_property_of_a_named_tuple, operators_of_a_named_tuple, a_tuple_that_is_walked_in_another_way, attributes_of_a_tuple,
    attributes_behind_a_hop,
])  # fmt: skip
def test_tuples_of_the_program(function):
    same(function)


@pytest.mark.parametrize("function", [members, classes_of_classes])
def test_members_and_classes_with_methods(function):
    compiled = jit(function)
    for value in VALUES:
        found = []
        for called in (compiled, function):
            COUNT[0] = 0 if value is None else 2
            found.append((told(called, Tensor([1.0, 2.0]), value), COUNT[0]))
        assert found[0] == found[1], value


def test_a_constant_of_a_named_tuple_may_change(monkeypatch):
    def function(x, b):
        return x * Row((b,)).scale

    compiled = jit(function)
    for scale in (1.5, 2.5, 0.5):
        monkeypatch.setattr(Row, "scale", scale)
        assert bits(compiled(Tensor([1.0]), 1)) == bits(function(Tensor([1.0]), 1))


class Plain(NamedTuple):
    a: float
    b: float = 2.0

    @property
    def total(self):
        return self.a + self.b

    def __add__(self, other):
        return Plain(self.a + other.a, self.b)


def test_named_tuples_are_no_hops():
    def function(x, b):
        pair = Plain(b) + Plain(b, 1.0)
        return x * pair.total + pair.a, pair

    assert not hops(same(function, [0.5, 1.5, 2.5, 0.5]))


# -- mappings ---------------------------------------------------------------------------------------------------------


class Keyed:
    def __init__(self, value):
        self.value = value

    def keys(self):
        LOG.append("keys")
        return ["p", "q"]

    def __getitem__(self, key):
        LOG.append(key)
        return key, self.value


class Walked(Keyed):
    def __iter__(self):
        LOG.append("iter")
        return iter(["ab", "cd"])


@pytest.mark.parametrize("kind", [Keyed, Walked])
@pytest.mark.parametrize("make", [
    dict, lambda m: {**m}, lambda m: (lambda **names: names)(**m), lambda m: {"a": 1} | dict(m), collections.OrderedDict,
    lambda m: dict(m, z=1),
])  # fmt: skip
def test_dicts_of_mappings(kind, make):
    same(lambda x, b: (x * 2, make(kind(b))))


def test_chained_maps():
    def function(x, b):
        chained = collections.ChainMap({"a": b}, {"a": 1, "b": b}).new_child({"c": b})
        return x * 2, dict(chained), dict(collections.UserDict(a=b))

    same(function)


# -- hops that change what they are given -------------------------------------------------------------------------------


class Once:
    def __init__(self, value):
        self.value = value

    @functools.cached_property
    def twice(self):
        LOG.append("twice")
        return self.value * 2

    def doubled(self):
        return self.value, self.value

    def __getattr__(self, name):
        LOG.append(name)
        raise AttributeError(name)


def test_a_cached_property_of_ints_that_differ():
    def function(x, b):
        once = Once(b)
        y = x * once.twice
        return y, once.twice

    same(function, [1, 2, 3, 4, 5, 6, 0.5, 1.5, 3])


def test_the_identity_of_what_a_hop_was_given():
    def function(x, b):
        once = Once(b)
        mark = id(once) == id(once), keep(once)
        return x * 2, mark, once

    same(function)


# -- functions, factories and iterators that hold numbers ---------------------------------------------------------------


def attributes_of_a_function(x, b):
    def inner(v):
        return v

    inner.__name__, inner.__qualname__ = f"n{b}", f"q{b}"
    inner.__doc__, inner.tag = b, b
    inner.__annotations__ = {"v": b}
    inner.__annotations__["w"] = b
    keep(inner)
    return inner(x), inner, inner.__doc__, inner.__name__, inner.tag


def a_factory(x, b):
    table = collections.defaultdict(lambda: b)
    table["k"]
    return x * 2, table, table["a"]


def calls_until(x, b):
    items = [b, 2.5, 1]
    return (
        x * 2,
        list(iter(lambda: items.pop(0) if items else None, b)),
        [*iter(lambda: items.pop() if items else b, b)],
    )


def tuples_behind_a_hop(x, b):
    pair = (b, x)
    other, held, named, fixed = pair, [pair], Plain(b, x), frozenset([1, 2])
    again, method = fixed, [].append
    print(b)
    return pair is other, held[0] is pair, (b, x) is pair, [named][0] is named, fixed is again, method is held


def a_partial_function(x, b):
    partial = functools.partial(lambda v, w: (v, w), b)
    partial.tag = b
    print(1)
    return x * 2, partial(b), partial.tag


def iterators_outside(x, b):
    pair = iter((b, x))
    held = [pair]
    STORE.pair, STORE.both = pair, [zip((b, b), (1, x))]
    return next(pair), STORE.pair is pair, held[0] is pair, next(STORE.both[0])


def generators_in_results(x, b):
    items = (item for item in [b, x])
    found = filter(None, [b, 1])
    if x.sum() > 0:
        b = 2
    return [items, (found,)]


@pytest.mark.parametrize("function", [
    attributes_of_a_function, a_factory, calls_until, tuples_behind_a_hop, a_partial_function, iterators_outside,
    generators_in_results,
])  # fmt: skip
def test_what_holds_numbers(function):
    same(function)
    same(function, [1, 2, 3, 4, 5, 0.5, 2.5, 1, 0.25])


# -- exceptions -------------------------------------------------------------------------------------------------------


class Named(Exception):
    def __getattr__(self, name):
        LOG.append(name)
        return self.args

    @property
    def code(self):
        LOG.append("code")
        return self.args[0]

    @code.setter
    def code(self, value):
        self.args = (value,)


def raised_again(x, b):
    error = ValueError(b)
    error.extra = b
    print(b)
    try:
        raise error from KeyError(b)
    except ValueError as caught:
        assert caught is error
    try:
        raise TypeError(b)
    except TypeError:
        try:
            raise error
        except ValueError as caught:
            return x * 2, caught, caught.__context__.args


def raised_from(x, b):
    error = ValueError(b)
    error.extra = b
    try:
        raise error
    except ValueError as caught:
        extra = caught.extra
    keep(1)
    try:
        raise error from KeyError(b)
    except ValueError as caught:
        return x, extra, caught is error, caught.__cause__


def asked_for_names(x, b):
    error = Named(b)
    found = error.code, error.other
    error.code = (b, 1)
    return x * 2, found, error.args


@pytest.mark.parametrize("function", [raised_again, raised_from, asked_for_names])
def test_exceptions(function):
    same(function)


# -- programs made by chance ------------------------------------------------------------------------------------------

PREAMBLE = """
import collections, copy, dataclasses, functools, itertools, operator, types
from typing import Any, NamedTuple
from anfora import grad, value_and_grad

class Pair(NamedTuple):
    a: Any
    b: Any = 2.0
    @property
    def last(self):
        LOG.append("last")
        return self.b
    def __add__(self, other):
        print("add", self.a)
        return Pair(other, self.b)

@dataclasses.dataclass
class Box:
    v: Any
    w: Any = 1.5

@dataclasses.dataclass(frozen=True, order=True)
class Fixed:
    v: Any

class Old:
    __slots__ = ("v", "__dict__")
    def __init__(self, v):
        self.v = v
    @functools.cached_property
    def kept(self):
        LOG.append("kept")
        return self.v, 1
    @property
    def p(self):
        return self.v
    @p.setter
    def p(self, v):
        LOG.append(v)
        self.v = v

class Wrong(Exception):
    def __init__(self, v, w):
        super().__init__(v)
        self.w = w

@functools.singledispatch
def kind(v):
    return "object"

kind.register(int, lambda v: "int")
kind.register(float, lambda v: "float")
"""


class Flowing(Writer):
    """Functions in which each statement takes values out of one holder, and puts them into another."""

    #: Each as a place to read from and the text that makes it of a value.
    HOLDERS = (
        ("{h}[0]", "[{v}, {w}]"), ("{h}['k']", "{{'k': {v}, 'm': {w}}}"), ("{h}.a", "Pair({v}, {w})"),
        ("{h}.last", "Pair({v}, {w})"), ("{h}.v", "Box({v}, {w})"), ("{h}.v", "Fixed({v})"), ("{h}.v", "Old({v})"),
        ("{h}.kept[0]", "Old({v})"), ("{h}.p", "Old({v})"), ("{h}()", "lambda: {v}"), ("{h}()", "lambda d={v}: d"),
        ("{h}()", "functools.partial(lambda d, e=1: d, {v}, e={w})"), ("{h}['z']", "collections.defaultdict(lambda: {v})"),
        ("{h}[-1]", "collections.deque([{w}, {v}], 3)"), ("{h}['k']", "collections.OrderedDict(m={w}, k={v})"),
        ("{h}['k']", "collections.ChainMap({{'m': {w}}}, {{'k': {v}}})"), ("{h}.v", "types.SimpleNamespace(v={v}, w={w})"),
        ("{h}.args[0]", "ValueError({v}, {w})"), ("{h}.w", "Wrong({w}, {v})"), ("{h}[1]", "({w}, {v})"),
        ("next(iter({h}))", "[{v}, {w}]"), ("[*{h}][0]", "(d for d in [{v}, {w}])"), ("next({h})", "iter(({v}, {w}))"),
        ("next({h})", "zip([{v}, {w}], itertools.count())"), ("next({h}, 0)", "filter(None, [{v}, {w}])"),
        ("next({h})", "map(lambda d: (d, {w}), [{v}, {w}])"), ("({h} + {w}).a", "Pair({w}, {v})"),
        ("copy.deepcopy({h})[0]", "[{v}, [{w}]]"), ("{h}[0]", "sorted([({v}, 1), ({w}, 0)], key=lambda d: d[1])[1]"),
        ("functools.reduce(lambda d, e: (d, e), {h})", "[{v}, {w}]"), ("f'{{{h}!r:>5}}'", "str({v})"),
    )  # fmt: skip
    TAKEN = ("a", "b", "c", "u", "t", "x.shape[0]", "0.5", "3", "True", "float(x[0])", "x[1].item()", "int(x[2])")

    def value(self):
        taken = self.pick(*self.TAKEN)
        return self.pick(
            taken, taken, taken, f"({taken}, {self.pick(*self.TAKEN)})", f"kind({taken})", f"[{taken}]", f"(not {taken})",
            f"{taken} if x[0] > 0 else {self.pick('b', 'c')}", f"type({taken}).__name__", f"str({taken})",
        )  # fmt: skip

    def hold(self, depth, budget):
        name = f"h{len(self.lines)}"
        read, make = self.pick(*self.HOLDERS)
        self.write(depth, f"{name} = {make.format(v=self.value(), w=self.value())}")
        self.between(depth, budget, name)
        self.write(depth, f"{self.pick('t', 'u', 'c')} = {read.format(h=name, w=self.value())}")

    def between(self, depth, budget, name):
        """What happens while a value is held."""
        kind = self.pick("hop", "branch", "loop", "outside", "gradient", "error", "none", "none")
        if kind == "hop":
            self.write(depth, self.pick("print(c)", "SEEN(x)", f"SEEN({self.value()})", "x = Tensor(x.asnumpy() + 1)"))
        elif kind == "branch":
            self.write(depth, "if x.sum() > 0:")
            self.write(depth + 1, self.pick("x = x - 1", f"c = {self.value()}", f"u, t = t, {self.value()}"))
        elif kind == "loop" and budget:
            self.write(depth, self.pick("for i in range(3):", "for c in (a, b):", "for i, u in enumerate([b, c]):"))
            self.hold(depth + 1, 0)
        elif kind == "loop":
            self.write(depth, "while x[0] < 2:")
            self.write(depth + 1, "x = x + 1")
        elif kind == "outside":
            self.write(
                depth, self.pick(f"LOG.append({self.value()})", f"STORE.v = {self.value()}", f"STORE.h = {name}")
            )
        elif kind == "gradient":
            self.write(depth, "if isinstance(a, (int, float)):")
            self.write(depth + 1, "x = x + grad(lambda v: (v * v * a).sum() + v[0])(x)")
        elif kind == "error":
            self.write(depth, "try:")
            self.write(depth + 1, f"raise Wrong({self.value()}, {self.value()})")
            self.write(depth, "except Wrong as error:")
            self.write(depth + 1, "t = error.w")

    def function(self):
        self.write(0, PREAMBLE)
        self.write(0, "def f(x, a, b):")
        self.write(1, "c, u, t = b, a, (a, b)")
        for _ in range(6):
            self.hold(1, 1)
        names = [line.split()[0] for line in self.lines if line.startswith("    h")]
        self.write(1, f"return x, c, u, t, {', '.join(name for name in names if name.startswith('h'))},")
        return "\n".join(self.lines)


def test_the_writer_reads_what_it_writes(tmp_path):
    for read, make in Flowing.HOLDERS:
        text = f"{PREAMBLE}\ndef f(v, w):\n    h = {make.format(v='v', w='w')}\n    return {read.format(h='h', w='w')}"
        module = loaded(text, tmp_path)
        module.LOG = []
        module.f(0.5, 1.5)


@pytest.mark.parametrize("seed", range(60))
def test_programs_made_by_chance(seed, tmp_path):
    text = Flowing(seed).function()
    plain, module = loaded(text, tmp_path), loaded(text, tmp_path)
    compiled = jit(module.f)
    couples = [
        (0.5, 2.0),
        (1.5, -1.0),
        (1, 2),
        (0.5, 2.0),
        (2, 3),
        (3, 0.5),
        (True, 1),
        ("a", 1.5),
        (-0.0, 0),
        (None, 4),
        (4, 5),
    ]
    for i, (a, b) in enumerate(couples):
        found = []
        for called, made in ((compiled, module), (plain.f, plain)):
            made.LOG, made.STORE, made.SEEN = LOG, types.SimpleNamespace(), keep
            result = told(called, Tensor([1.0 - i % 3, -2.0 + i, 0.5]), a, b)
            found.append((result, shown(made.STORE)))
        assert found[0] == found[1], text
