"""Classes and functions that Python's library has a hand in: records, setters, generic functions, comparisons that follow
from others."""

from __future__ import annotations

import copy
import dataclasses
import functools

import pytest
from outcomes import bits
from worlds import Box, check, hops, run_all, shape, x_of

from anfora import Tensor, jit, nn


@dataclasses.dataclass
class Config:
    width: int = 4
    rate: float = 0.5
    names: list = dataclasses.field(default_factory=list)
    note: str = dataclasses.field(default="", compare=False)


@dataclasses.dataclass
class Wide(Config):
    depth: int = 2


class Inherits(Config):
    pass


@dataclasses.dataclass(frozen=True, order=True)
class Version:
    major: int
    minor: int = 0


@dataclasses.dataclass
class Own:
    width: int

    def __eq__(self, other):
        return "own"


@dataclasses.dataclass
class Held:
    value: object


# -- records ----------------------------------------------------------------------------------------------------------


def compares(config, other, x):
    same = config == other, config != other, config == Config(), other == 3
    return same, x * config.rate


def compares_versions(config, other, x):
    a, b = Version(config.width), Version(4, other.width)
    told = [a < b, a >= b, a == b, a <= Version(config.width, 1), Version(1) == Version(1)]
    try:
        told.append(a < config)
    except TypeError as error:
        told.append(str(error))
    return told, x * a.major


def is_frozen(config, other, x):
    version = Version(config.width, other.width)
    told = []
    for name in ("minor", "more"):
        try:
            setattr(version, name, x)
        except dataclasses.FrozenInstanceError as error:
            told.append(str(error))
    try:
        del version.minor
    except AttributeError as error:
        told.append(str(error))
    object.__setattr__(version, "minor", 7)
    return told, version.minor, dataclasses.replace(version, major=x.shape[0]).major, dataclasses.astuple(version)


@pytest.mark.parametrize("function", [compares, compares_versions, is_frozen])
def test_records(function):
    def make():
        return [Config(), Config(rate=0.25, names=["a"]), Config(note="other"), Config(width=8)]

    orders = [(0, 1), (0, 2), (0, 0), (3, 1), (2, 2), (0, 1)]
    told = []
    for each in (function, compiled := jit(function)):
        configs = make()
        told.append([bits(each(configs[i], configs[j], x_of())) for i, j in orders])
    assert told[0] == told[1] and not hops(compiled) and compiled.program.native is None


def test_records_of_many_kinds():
    def f(a, b):
        return a == b, b == a, a != b

    values = [
        Config(), Wide(), Inherits(), Own(4), Version(4), Config(names=[1]), Held(3), Held(Own(1)),
        None, Held(float("nan")), Held(Version(1)), Held([Version(1)]), Inherits(), Inherits(width=1),
    ]  # fmt: skip
    for one in values:
        for other in (one, copy.deepcopy(one), *values):
            compiled = jit(f)
            for _ in range(2):
                assert bits(compiled(one, other)) == bits(f(one, other)), (one, other)


def test_a_record_of_tensors_is_compared_as_python_does():
    def f(a, b):
        try:
            return a == b
        except ValueError as error:
            return str(error).partition("\n")[0]

    one, other = Held(x_of(1)), Held(x_of(1))
    for pair in (
        (one, other),
        (one, Held(x_of(1, 3.0))),
        (one, one),
        (Held(x_of()), Held(x_of())),
        (one, Held(one.value)),
    ):
        compiled = jit(f)
        for _ in range(2):
            assert bits(compiled(*pair)) == bits(f(*pair))


def test_the_comparison_of_a_class_is_another_one_later():
    @dataclasses.dataclass
    class Later:
        n: int

    @jit
    def f(a, b):
        return a == b

    assert [f(Later(1), Later(1)), f(Later(1), Later(2))] == [True, False]
    Later.__eq__ = lambda self, other: "changed"
    assert [f(Later(1), Later(1)), f(Later(1), Later(2))] == ["changed"] * 2


# -- setters ----------------------------------------------------------------------------------------------------------


class Doubles:
    """Doubles numbers, refuses texts, and notes what is set."""

    def __init__(self, **held):
        object.__setattr__(self, "told", [])
        for name, value in held.items():
            setattr(self, name, value)

    def __setattr__(self, name, value):
        if type(value) is str:
            raise TypeError(f"no text for {name}")
        self.told.append(name)
        super().__setattr__(name, value * 2)

    @property
    def half(self):
        return self.n / 2

    @half.setter
    def half(self, value):
        self.__dict__["n"] = value * 2


def test_a_class_that_sees_to_its_attributes():
    def f(box, x, value):
        box.n = value
        box.n += 1
        made = Doubles(a=x, n=3)
        made.n = box.n
        made.b = x
        return box.n, made.a, made.n, list(made.told), x * box.n

    told = []
    for function in (f, compiled := jit(f)):
        box = Doubles(n=0)
        for value in (1, 1, 5, "text", 2.5, x_of()):
            try:
                told.append(bits(function(box, x_of(), value)))
            except TypeError as error:
                told.append(str(error))
            told.append((bits(box.n), list(box.told)))
    assert told[:12] == told[12:] and not hops(compiled)


def test_setattr_of_a_property():
    class Scale:
        @property
        def degrees(self):
            return self.held

        @degrees.setter
        def degrees(self, value):
            self.held = value + 1
            return "nobody sees this"

    def f(scale, x):
        told = [setattr(scale, "degrees", 3), scale.degrees]
        scale.degrees = 5
        return told, scale.degrees, x

    for _ in range(3):
        assert bits(jit(f)(Scale(), x_of())) == bits(f(Scale(), x_of()))


class Positive:
    """A descriptor, which counts how often it is asked."""

    def __init__(self, name, start):
        self.name, self.start, self.asked = name, start, 0

    def __get__(self, instance, owner):
        self.asked += 1
        return self.start if instance is None else instance.__dict__.get(self.name, self.start)

    def __set__(self, instance, value):
        if type(value) is int and value <= 0:
            raise ValueError(f"{self.name} must be positive")
        setattr(instance, self.name, value)


class ReadOnly:
    """A descriptor that gives way to an attribute of the object."""

    def __get__(self, instance, owner):
        return owner.__name__ if instance is None else instance.rate


def make_described():
    class Described:
        rate = Positive("_rate", 3)
        told = ReadOnly()

        def __init__(self, rate):
            self.rate = rate

    class Further(Described):
        rate = Positive("_other", 5)

    return Described, Further


def test_descriptors_of_the_program():
    def f(owner, kinds, value, x):
        made = kinds[0](value)
        owner.rate = made.rate
        before = owner.told
        made.told = x
        try:
            owner.rate = -1
        except ValueError as error:
            return before, str(error), made.told, x * owner.rate, sorted(vars(made))
        return None

    told = []
    for function in (f, compiled := jit(f)):
        first, further = make_described()
        for kind, value in ((first, 2), (first, 2), (further, 4), (first, 9), (further, 4), (first, x_of())):
            told.append(bits(function(kind(1), (first, further), value, x_of())))
            told.append((vars(first)["rate"].asked, vars(further)["rate"].asked))
        vars(first)["rate"].name = "_new"
        told.append(bits(function(further(1), (further, first), 7, x_of())[:2]))
        vars(further)["rate"].start = 11
        first.rate = Positive("_third", 1)  # on the class: another descriptor
        owner = further(2)
        told.append(bits(function(owner, (further, first), 7, x_of())[:2]))
        told.append(sorted(vars(owner)))
    assert told[:15] == told[15:]
    assert not any("descriptor" in reason or "setter" in reason for reason in hops(compiled))


def test_a_descriptor_that_is_asked_by_its_class():
    def f(kind, x):
        return kind.rate, kind.told, x * kind.rate

    told = []
    for function in (f, jit(f)):
        first, further = make_described()
        for kind in (first, first, further):
            told.append((bits(function(kind, x_of())), vars(first)["rate"].asked, vars(further)["rate"].asked))
    assert told[:3] == told[3:]


def test_the_plain_setter_of_an_object_from_outside():
    def f(box, other, x):
        object.__setattr__(box, "n", x.shape[0])
        object.__setattr__(box, "y", x * box.n)
        before = other.n
        object.__delattr__(box, "n")
        return before, box.y, hasattr(box, "n"), hasattr(other, "n")

    def make():
        return [Box(n=1), Box(n=2)]

    calls = [lambda s, i=i: [setattr(s[1], "n", 5), (s[0], s[i], x_of())][1] for i in (1, 1, 0, 1)]
    compiled = jit(f)
    assert run_all(compiled, make, calls) == run_all(f, make, calls)
    assert not hops(compiled)


def test_a_cell_sees_to_its_attributes_itself():
    class Net(nn.Cell):
        def construct(self, x):
            super().__setattr__("steps", x.shape[0])
            self.kept = x * self.steps
            return self.kept

    for _ in range(2):
        net = Net()
        compiled = jit(net)
        assert [shape(compiled(x_of(n))) for n in (2, 2, 3)] == [shape(x_of(n) * n) for n in (2, 2, 3)]
        assert net.steps == 3


# -- functools --------------------------------------------------------------------------------------------------------


def make_generic():
    @functools.singledispatch
    def kind(value, more=1):
        return "object", more

    @kind.register
    def _(value: int, more=1):
        return value + more

    @kind.register(Tensor)
    def _(value, more=1):
        return value * more

    return kind


def test_generic_functions():
    kind, other = make_generic(), make_generic()

    def f(value, x):
        return kind(value), kind(x, more=2), kind(value, 3)

    def g(value, x):
        return other(value), other(x, more=2), other(value, 3)

    compiled = jit(g)
    values = [1, x_of(), [1], True, 2, None, 1.5, x_of(3)]
    for value in values:
        assert bits(compiled(value, x_of())) == bits(f(value, x_of()))
    for generic in (kind, other):
        generic.register(bool, lambda value, more=1: "bool")
        generic.register(list, lambda value, more=1: "list")
    for value in values:
        assert bits(compiled(value, x_of())) == bits(f(value, x_of()))
    assert not hops(compiled)
    with pytest.raises(TypeError, match="requires at least 1 positional argument"):
        jit(lambda: other())()


@functools.total_ordering
class Ordered:
    def __init__(self, n):
        self.n = n

    def __eq__(self, other):
        return self.n == other.n

    def __lt__(self, other):
        return NotImplemented if other is None else self.n < other.n


def test_comparisons_that_follow_from_others():
    def f(box, x):
        a, b = Ordered(box.n), Ordered(2)
        told = [a < b, a <= b, a > b, a >= b, [each.n for each in sorted([b, a], key=lambda each: -each.n)]]
        try:
            a >= None  # noqa: B015
        except TypeError as error:
            told.append(str(error))
        return told, x

    calls = [lambda box, n=n: [setattr(box, "n", n), (box, x_of())][1] for n in (1, 2, 3, 1)]
    check(f, lambda: Box(n=0), calls)


def test_a_function_that_remembers_is_asked_each_time():
    computed = []

    @functools.lru_cache(maxsize=2)
    def slow(n):
        computed.append(n)
        return n * n

    @jit
    def f(n, x):
        return x * slow(n), list(computed)

    for n, expected in ((2, [2]), (2, [2]), (3, [2, 3]), (2, [2, 3])):
        result, seen = f(n, x_of())
        assert result[0].item() == n * n and seen == expected
    slow.cache_clear()
    assert f(2, x_of())[1] == [2, 3, 2]
    assert any("which remembers its results" in reason for reason in hops(f))


def test_copies_of_what_is_its_own_copy():
    def f(n, x):
        return copy.deepcopy(n), copy.deepcopy("a"), copy.deepcopy(x) * copy.deepcopy(2)

    for n in (1, 1, 2.5, None, -0.0):
        compiled = jit(f)
        assert bits(compiled(n, x_of())) == bits(f(n, x_of()))
        assert not hops(compiled)
