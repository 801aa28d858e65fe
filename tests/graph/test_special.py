"""Objects of the program are seen into: their special methods, attributes by name, and functions that take keys."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import functools
import itertools
import operator
import re
import types

import numpy as np
import pytest
from outcomes import bits, outcome

import anfora as ms
from anfora import Parameter, Tensor, jit, nn, ops
from anfora.modes import explain


class Vector:
    """Has most of the special methods."""

    def __init__(self, *parts):
        self.parts = parts

    def __add__(self, other):
        if not isinstance(other, Vector):
            return NotImplemented
        return Vector(*(a + b for a, b in zip(self.parts, other.parts)))

    def __mul__(self, factor):
        return Vector(*(part * factor for part in self.parts))

    __rmul__ = __mul__

    def __imul__(self, factor):
        self.parts = tuple(part * factor for part in self.parts)
        return self

    def __neg__(self):
        return Vector(*(-part for part in self.parts))

    def __getitem__(self, index):
        return self.parts[index]

    def __setitem__(self, index, value):
        self.parts = (*self.parts[:index], value, *self.parts[index + 1 :])

    def __delitem__(self, index):
        self.parts = (*self.parts[:index], *self.parts[index + 1 :])

    def __len__(self):
        return len(self.parts)

    def __iter__(self):
        return iter(self.parts)

    def __contains__(self, item):
        return item in ("x", "y")

    def __eq__(self, other):
        return isinstance(other, Vector) and len(self) == len(other)

    __hash__ = None

    def __lt__(self, other):
        return len(self) < len(other)


class Named(Vector):
    def __radd__(self, other):
        return "first"  # a subclass that overrides the reflected method is asked first

    def __bool__(self):
        return False


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.n


class Guarded:
    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return len(name)

    @property
    def broken(self):
        raise AttributeError("inside of the property")


@dataclasses.dataclass
class Config:
    width: int = 2
    names: tuple = ("a", "b")


Pair = collections.namedtuple("Pair", "left right")  # noqa: PYI024


def arithmetic(x):
    v = Vector(x, x * 2) + Vector(x, 1)
    v = 3 * -v * 2
    v *= x
    return v[0], v[1]


def items(x):
    v = Vector(x, x + 1, x + 2)
    v[1] = x * 10
    del v[0]
    return v[0] + v[-1] * len(v)


def walking(x):
    v = Vector(x, x * 2, x * 3)
    total = 0
    for part in v:
        total = total + part
    for i, part in enumerate(v):
        total = total + i * part
    for left, right in zip(v, (1, 2)):
        total = total + left * right
    first, *rest = v
    a, b, c = v
    return (
        total,
        first,
        rest,
        a,
        b,
        c,
        list(v),
        (*v, 1),
        [n * 1 for n in Countdown(3)],
        sum(Vector(1, 2)),
        max(Vector(3, 5)),
    )


def truths(x):
    v, empty, named = Vector(x), Vector(), Named(x)
    found = [bool(empty), not v, not named, (empty or "empty"), (v and "v"), 1 if named else 2]
    while empty:
        found.append("never")
    return found, x * 2


def comparing(x):
    one, two = Vector(x), Vector(x, x)
    found = one == Vector(1), one != two, one < two, one > two, "x" in one, "z" not in one, one == 3, one != None  # noqa: E711
    plain = object.__new__(Countdown)
    return found, plain == plain, plain != one, min([two, one], key=len) is one, x * 1


def reflected(x):
    return (Vector(x) + Named(x)), (Named(x, x) * 2)[0]


def refused(x):
    return Vector(x) + 1


def unordered(x):
    return Config() < x.shape


def by_name(x):
    config, seen = Config(), []
    for name in ("width", "height"):
        seen.append((hasattr(config, name), getattr(config, name, 7)))
    guarded = Guarded()
    seen += [guarded.abc, hasattr(guarded, "_no"), getattr(guarded, "_no", 5), hasattr(guarded, "broken")]
    return seen, x * getattr(config, "width"), getattr(x, "shape"), hasattr(x, "nothing"), hasattr(3, "real")  # noqa: B009


def missing_by_name(x):
    return getattr(Config(), "height")  # noqa: B009


def sorting(x):
    pairs = [(3, x), (1, x * 2), (2, x * 3)]
    found = sorted(pairs, key=lambda pair: pair[0], reverse=True)
    best = max(pairs, key=lambda pair: -pair[0]), min(found, key=lambda pair: pair[0])
    return found[0][1] - found[1][1], best[0][1], best[1][1], min([], key=lambda v: v, default=4)


def records(x):
    pair = Pair(x, 2)._replace(right=3)
    config = dataclasses.replace(Config(), width=4)
    return pair.left * pair.right, config.width, pair._asdict()["right"]


def folding(x):
    return functools.reduce(operator.add, [Vector(x), Vector(x * 2), Vector(x * 3)])[0]


def untracked(x):
    with ms.no_grad():
        held = x * 2
        with ms.no_grad():
            held = held + 1
    return held + x


PROGRAMS = [
    arithmetic, items, walking, truths, comparing, reflected, refused, unordered, by_name, missing_by_name, sorting,
    records, folding, untracked,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_objects_mean_what_they_mean_in_python(program):
    compiled = jit(program)
    for data in ([2.0], [3.0], [[4.0, 5.0]], [2.0]):
        assert outcome(compiled, Tensor(data)) == outcome(program, Tensor(data))


@pytest.mark.parametrize("program", [p for p in PROGRAMS if p not in (refused, unordered, missing_by_name)])
def test_nothing_of_it_is_left_to_the_interpreter(program):
    report = explain(program)(Tensor([2.0]))
    assert report.fallback is None and [hop for hop in report.hops if hop.text != "x * 1"] == []


def test_a_special_method_that_is_replaced_is_seen(monkeypatch):
    compiled = jit(items)
    x = Tensor([2.0])
    assert compiled(x).tolist() == items(x).tolist()
    monkeypatch.setattr(Vector, "__len__", lambda self: 100)
    assert compiled(x).tolist() == items(x).tolist() == [20 + 4 * 100]


def test_an_error_in_a_special_method_shows_its_line():
    class Bad:
        def __getitem__(self, index):
            return 1 // 0

    with pytest.raises(ZeroDivisionError) as caught:
        jit(lambda x: Bad()[0] + x)(Tensor(1.0))
    here = [entry.name for entry in caught.traceback if str(entry.path) == __file__]
    assert here[-2:] == ["<lambda>", "__getitem__"]


class Net(nn.Cell):
    """Walks its layers in all the ways that people do."""

    def __init__(self):
        super().__init__()
        self.layers = nn.CellList([nn.Dense(3, 3) for _ in range(3)])
        self.heads = nn.CellDict({"a": nn.Dense(3, 2), "b": nn.Dense(3, 2)})
        self.scale = Parameter(Tensor(np.ones(3, np.float32)), name="scale")

    def construct(self, x):
        for layer in self.layers:
            x = ops.relu(layer(x))
        for i, layer in enumerate(self.layers):
            x = layer(x) * (i + 1)
        for i in range(len(self.layers)):
            x = self.layers[i](x) * self.scale
        for layer in reversed(self.layers):
            x = layer(x)
        heads = {name: head(x) for name, head in self.heads.items()}
        if "a" in self.heads:
            heads["a"] = self.heads["a"](x)
        if hasattr(self, "scale") and not hasattr(self, "extra"):
            heads["a"] = heads["a"] * getattr(self, "factor", 2.0)
        penalty = sum((p * p).sum() for p in self.trainable_params())
        return heads["a"] + heads["b"] + penalty


def test_a_network_that_walks_its_layers_has_no_hop():
    net = Net()
    x = Tensor(np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3))
    expected = net(x).asnumpy()
    gradients = ms.grad(lambda x: net(x).sum(), 0, net.trainable_params())(x)
    with ms.context(mode=ms.GRAPH_MODE):
        for _ in range(2):
            report = explain(net)(x)
            assert report.hops == [] and report.result.asnumpy().tobytes() == expected.tobytes()
        again = ms.grad(lambda x: net(x).sum(), 0, net.trainable_params())(x)
    assert bits([again[0], list(again[1])]) == bits([gradients[0], list(gradients[1])])
    net.layers.append(nn.Dense(3, 3))
    net.factor = 3.0
    with ms.context(mode=ms.GRAPH_MODE):
        result = net(x)
    assert result.asnumpy().tobytes() == net(x).asnumpy().tobytes()


@pytest.mark.parametrize("order", [(0, 1), (1, 0), (0, 0), (0, 1)])
def test_objects_as_keys(order):
    class Key:
        pass

    @jit
    def f(x, one, two):
        table = {one: x, two: x * 2}
        return table[one], len(table), one in table, table.get(two)

    keys = Key(), Key()
    for _ in range(2):
        for one, two in ((0, 1), order):
            given = Tensor([1.0]), keys[one], keys[two]
            assert bits(f(*given)) == bits(f.__wrapped__(*given))
    assert explain(f)(Tensor([1.0]), *keys).hops == []


def test_keys_with_a_hash_of_their_own_are_left_to_python():
    class Key:
        def __init__(self, n):
            self.n = n

        def __hash__(self):
            return 1

        def __eq__(self, other):
            return self.n == other.n

    @jit
    def f(x, one, two):
        return x * {one: 1, two: 2}[one]

    for pair in ((1, 2), (1, 1), (1, 2)):
        given = Tensor([1.0]), *map(Key, pair)
        assert f(*given).item() == f.__wrapped__(*given).item()


def test_native_methods_of_a_class_that_the_program_has_changed(monkeypatch):
    """Calls are the interpreter's then. A native method is called as its operator, not as the attribute that gives it."""
    x = Tensor([1.0, 2.0])
    for method in (x.detach, x.positive):
        method()
    x.__rsub__(3.0), x.multiply(2.0), x.__rtruediv__(2.0)  # native from here on
    monkeypatch.setattr(Tensor, "relu", lambda self: self)

    def program(x):
        return [y.tolist() for y in (x.detach() * 2, x.__rsub__(3.0), x.multiply(2.0), x.__rtruediv__(2.0), x.relu())]

    compiled = jit(program)
    assert [compiled(x) for _ in range(4)] == [program(x)] * 4


class Denying:
    """Says of all that it might be asked that it is none of that."""

    __iter__ = __hash__ = __add__ = __radd__ = __len__ = __bool__ = __lt__ = __contains__ = None  # type: ignore[assignment]


def unpacked(v):
    a, b = v
    return a, b


def unpacked_with_a_star(v):
    a, *b = v
    return a, b


def entered(v):
    with v:
        return 1


def delegated(v):
    def items():
        yield from v

    return list(items())


#: What many values refuse, in words that name their type.
REFUSED = [
    lambda v, w: [*v],
    lambda v, w: [1, *v],
    lambda v, w: (1, *v),
    lambda v, w: {*v},
    lambda v, w: unpacked(*v),
    lambda v, w: print(*v, end=""),
    lambda v, w: {**v},
    lambda v, w: unpacked(**v),
    lambda v, w: unpacked(v),
    lambda v, w: unpacked_with_a_star(v),
    lambda v, w: entered(v),
    lambda v, w: delegated(v),
    lambda v, w: [i for i in v],  # noqa: C416
    lambda v, w: list(zip(v, [1])),
    lambda v, w: zip([1], v) and 1,
    lambda v, w: enumerate(v) and 1,
    lambda v, w: enumerate([1], v) and 1,
    lambda v, w: map(abs, v) and 1,
    lambda v, w: map(max, [1], v) and 1,
    lambda v, w: filter(None, v) and 1,
    lambda v, w: functools.reduce(max, v),
    lambda v, w: functools.reduce(max, v, 1),
    lambda v, w: itertools.accumulate(v) and 1,
    lambda v, w: itertools.takewhile(abs, v) and 1,
    lambda v, w: itertools.compress([1], v) and 1,
    lambda v, w: itertools.groupby(v) and 1,
    lambda v, w: itertools.chain.from_iterable(v) and 1,
    lambda v, w: list(itertools.chain([1], v)),
    lambda v, w: v + w,
    lambda v, w: w + v,
    lambda v, w: v < w,
    lambda v, w: w in v,
    lambda v, w: -v,
    lambda v, w: v(),
    lambda v, w: v[0],
    lambda v, w: len(v),
    lambda v, w: bool(v),
    lambda v, w: {v: 1},
    lambda v, w: [1, 2][v],
    lambda v, w: Tensor([1.0]) + v,
    lambda v, w: v + Tensor([1.0]),
]
REFUSING = [
    3, None, ..., 2.5, np.int32(3), np.float64(2), np.bool_(True), np.array(3), datetime.date(2020, 1, 1), re.compile("a"),
    decimal.Decimal(1), types.SimpleNamespace(a=1), collections.deque([1]), Denying(), Vector(1), len, Tensor(1.0),
    collections.OrderedDict(a=1), Denying,
]  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused_is_refused_in_pythons_words(what):
    def told(function, value, other):
        return re.sub(r" at 0x\w+", "", repr(outcome(function, value, other)))

    for value in REFUSING:
        compiled = jit(what)
        for other in (value, 1, value):
            assert told(compiled, value, other) == told(what, value, other), value


def test_a_key_is_not_asked_for_its_text():
    """Where a number lies is told by the key that it lies under: only for keys whose text is no call of the program."""
    asked = []

    class Key:
        def __init__(self, n):
            self.n = n

        def __hash__(self):
            return self.n

        def __eq__(self, other):
            return self.n == other.n

        def __repr__(self):
            asked.append(self.n)
            return 3

    table = {Key(1): 1, Key(2): 2.5, (Key(3), "a"): 4}

    def program(x, k):
        made = {Key(5): k, (Key(6), 1): 7}
        return x + k, made[Key(5)], table[Key(k)], {Key(k): k}[Key(k)], sum(table.values())

    compiled = jit(program)
    for k in (1, 2, 1, 2):
        assert outcome(compiled, Tensor([1.0]), k) == outcome(program, Tensor([1.0]), k)
    assert not asked
