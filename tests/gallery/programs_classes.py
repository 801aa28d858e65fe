"""Classes: attributes, properties, special methods, dataclasses, enums, named tuples, context managers."""

# The programs are written as people write them.
# ruff: noqa: B018, PYI024, UP031

from __future__ import annotations

import abc
import collections
import contextlib
import dataclasses
import enum
import types
import typing

from harness import call, factory, program, t

import anfora as ms
from anfora import Tensor, jit_class, ops


class Scale:
    """An ordinary object with state."""

    count = 0

    def __init__(self, factor):
        self.factor = factor
        self.history = []

    def __call__(self, x):
        self.count += 1
        self.history.append(x.shape)
        return x * self.factor


@factory(grad=True)
def object_with_call(jit):
    scale = Scale(3)

    def run(x):
        return scale(x)

    return run


@factory()
def bound_method_is_compiled(jit):
    class Counter:
        def __init__(self):
            self.n = 0

        def step(self, x):
            self.n += 1
            return x * self.n

    return Counter().step


@factory(
    lambda: [call(t(1, 2)), call(t(3, 4))], between=lambda run: setattr(run.__self__, "factor", run.__self__.factor + 1)
)
def attribute_changes_from_outside(jit):
    return Scale(2).__call__


@program(lambda: [call(Scale(2), t(1, 2)), call(Scale(0.5), t(1, 2))])
def object_as_argument(scale, x):
    y = scale(x) + scale.factor
    scale.factor = y
    scale.extra = "new"
    return y


@program(lambda: [call(Scale(2), t(1, 2)), call(None, t(1, 2))], raises=True)
def attribute_of_the_wrong_object(scale, x):
    return x * scale.factor


@program()
def object_made_inside(x):
    scale = Scale(x)
    return scale(x), scale


@factory()
def class_attribute_counts(jit):
    class Counted:
        made = 0

        def __init__(self):
            Counted.made += 1

    def run(x):
        Counted()
        return x * Counted.made

    return run


@factory()
def property_with_setter(jit):
    class Temperature:
        def __init__(self):
            self._celsius = 20.0
            self.reads = 0

        @property
        def fahrenheit(self):
            self.reads += 1
            return self._celsius * 9 / 5 + 32

        @fahrenheit.setter
        def fahrenheit(self, value):
            self._celsius = (value - 32) * 5 / 9

    state = Temperature()

    def run(x):
        state.fahrenheit += 9
        return x * state.fahrenheit, state.reads

    return run


@program()
def classmethod_and_staticmethod(x):
    class Shape:
        sides = 4

        @classmethod
        def describe(cls, v):
            return cls.sides, v * cls.sides

        @staticmethod
        def area(a, b):
            return a * b

    class Triangle(Shape):
        sides = 3

    return Shape.describe(x), Triangle().describe(x), Triangle.area(x, 2)


@program()
def slots_class(x):
    class Pair:
        __slots__ = ("a", "b")

        def __init__(self, a, b):
            self.a, self.b = a, b

    pair = Pair(x, 2)
    pair.b = pair.a * pair.b
    try:
        pair.c = 1
    except AttributeError as error:
        return pair.b, type(error).__name__


@program()
def inheritance_and_super(x):
    class Base:
        def f(self, v):
            return v + 1

    class Middle(Base):
        def f(self, v):
            return super().f(v) * 2

    class Other(Base):
        def f(self, v):
            return super().f(v) * 3

    class Both(Middle, Other):
        pass

    return Both().f(x), [c.__name__ for c in Both.__mro__]


@program()
def abstract_base_class(x):
    class Layer(abc.ABC):
        @abc.abstractmethod
        def forward(self, v): ...

    class Twice(Layer):
        def forward(self, v):
            return v * 2

    try:
        Layer()
    except TypeError as error:
        return Twice().forward(x), type(error).__name__


@program()
def operators_of_a_class(x):
    class Vector:
        def __init__(self, v):
            self.v = v

        def __add__(self, other):
            return Vector(self.v + (other.v if isinstance(other, Vector) else other))

        __radd__ = __add__

        def __matmul__(self, other):
            return (self.v * other.v).sum()

        def __neg__(self):
            return Vector(-self.v)

        def __eq__(self, other):
            return bool((self.v == other.v).all())

        __hash__ = None

        def __lt__(self, other):
            return float(self.v.sum()) < float(other.v.sum())

    a, b = Vector(x), Vector(x * 2)
    return (a + b + 1).v, (2 + -a).v, a @ b, a == Vector(x), a < b, a != b


@program()
def container_protocol(x):
    class Bag:
        def __init__(self):
            self.items = {}

        def __getitem__(self, key):
            return self.items[key]

        def __setitem__(self, key, value):
            self.items[key] = value

        def __delitem__(self, key):
            del self.items[key]

        def __len__(self):
            return len(self.items)

        def __contains__(self, key):
            return key in self.items

        def __iter__(self):
            return iter(self.items)

    bag = Bag()
    bag["a"] = x
    bag["b"] = bag["a"] * 2
    bag["a"] += 1
    del bag["b"]
    return bag["a"], len(bag), "b" in bag, list(bag), bool(Bag())


@program()
def old_sequence_protocol(x):
    class Squares:
        def __getitem__(self, k):
            if k >= 3:
                raise IndexError
            return x * k * k

    return list(Squares()), sum(Squares())


@program()
def getattr_fallback(x):
    class Lazy:
        def __init__(self):
            self.asked = []

        def __getattr__(self, name):
            self.asked.append(name)
            return x * len(name)

    lazy = Lazy()
    return lazy.ab, lazy.abc, lazy.asked


@program()
def setattr_hook(x):
    class Logged:
        def __setattr__(self, name, value):
            print("set", name)
            object.__setattr__(self, name, value)

    logged = Logged()
    logged.a = x
    logged.b = logged.a + 1
    return vars(logged)


@program()
def descriptor(x):
    class Positive:
        def __set_name__(self, owner, name):
            self.name = "_" + name

        def __get__(self, owner, cls):
            return getattr(owner, self.name)

        def __set__(self, owner, value):
            if value <= 0:
                raise ValueError(f"{self.name} must be positive")
            setattr(owner, self.name, value)

    class Config:
        rate = Positive()

    config = Config()
    config.rate = 0.5
    try:
        config.rate = -1
    except ValueError as error:
        return x * config.rate, str(error)


@program()
def iterator_class(x):
    class Countdown:
        def __init__(self, n):
            self.n = n

        def __iter__(self):
            return self

        def __next__(self):
            if self.n == 0:
                raise StopIteration
            self.n -= 1
            return x * self.n

    return list(Countdown(3)), next(Countdown(1)), next(Countdown(0), "end")


@dataclasses.dataclass
class Config:
    width: int = 4
    rate: float = 0.1
    names: list = dataclasses.field(default_factory=list)


@program(
    lambda: [call(t(1, 2), Config()), call(t(1, 2), Config(rate=0.5, names=["a"])), call(t(1, 2), Config(width=8))]
)
def dataclass_config(x, config):
    config.names.append("seen")
    return x * config.rate + config.width, dataclasses.replace(config, width=1), config == Config()


@dataclasses.dataclass(frozen=True)
class Point:
    x: Tensor
    y: Tensor

    @property
    def norm(self):
        return ops.sqrt((self.x * self.x + self.y * self.y).sum())


@program(lambda: [call(Point(t(3), t(4))), call(Point(t(1, 2), t(3, 4)))])
def frozen_dataclass(point):
    try:
        point.x = 1
    except dataclasses.FrozenInstanceError as error:
        return point.norm, str(error), dataclasses.astuple(Point(1, 2))


State = collections.namedtuple("State", ["hidden", "step"])


class Typed(typing.NamedTuple):
    value: Tensor
    weight: float = 0.5

    def scaled(self):
        return self.value * self.weight


@program(lambda: [call(State(t(1, 2), 0)), call(State(t(3, 4), 5))])
def namedtuple_state(state):
    new = state._replace(hidden=state.hidden * 2, step=state.step + 1)
    hidden, step = new
    return new, hidden, step, new._fields, isinstance(new, tuple)


@program(grad=True)
def typed_namedtuple(x):
    item = Typed(x)
    return item.scaled() + item[0], item


class Color(enum.Enum):
    RED = 1
    GREEN = 2

    @property
    def weight(self):
        return self.value * 10


class Phase(enum.IntFlag):
    TRAIN = 1
    EVAL = 2


@program(lambda: [call(t(1, 2), Color.RED), call(t(1, 2), Color.GREEN)])
def enum_argument(x, color):
    if color is Color.RED:
        return x * color.weight, color.name
    return x, Color(2), [c.name for c in Color], Color["RED"] == color


@program(lambda: [call(t(1, 2), Phase.TRAIN), call(t(1, 2), Phase.TRAIN | Phase.EVAL)])
def flag_argument(x, phase):
    return x * int(phase), bool(phase & Phase.EVAL), phase | Phase.EVAL


@jit_class
class Accumulator:
    def __init__(self, start):
        self.total = start

    def add(self, v):
        self.total = self.total + v
        return self


@program()
def jit_class_object(x):
    return Accumulator(x).add(1).add(x).total


@program(lambda: [call(types.SimpleNamespace(a=1, b=t(1, 2))), call(types.SimpleNamespace(a=2.5, b=t(1, 2)))])
def simple_namespace(options):
    options.c = options.b * options.a
    return vars(options).keys() >= {"c"}


# ------------------------------------------------------------------------------------------------------ context managers


class Recorder:
    def __init__(self, log, swallow=False):
        self.log, self.swallow = log, swallow

    def __enter__(self):
        self.log.append("enter")
        return self

    def __exit__(self, kind, error, trace):
        self.log.append(kind and kind.__name__)
        return self.swallow


@program(grad=True)
def with_on_a_plain_class(x):
    log = []
    with Recorder(log) as r:
        y = x * 2
        r.log.append("body")
    return y, log


@program(raises=True)
def with_lets_an_exception_through(x):
    with Recorder([]):
        raise KeyError("inside")


@program()
def with_swallows_an_exception(x):
    log = []
    with Recorder(log, swallow=True):
        log.append(x.shape)
        x[100]
    return log


@program()
def return_inside_with(x):
    log = []

    def inner():
        for k in range(3):
            with Recorder(log):
                if k == 1:
                    return k

    return inner(), log


@program()
def contextmanager_decorator(x):
    log = []

    @contextlib.contextmanager
    def scope(name):
        log.append(f"open {name}")
        try:
            yield name.upper()
        finally:
            log.append(f"close {name}")

    with scope("a") as a, scope("b") as b:
        y = x * len(a + b)
    return y, log


@program()
def suppress_and_exit_stack(x):
    log = []
    with contextlib.suppress(ZeroDivisionError):
        1 / 0
    with contextlib.ExitStack() as stack:
        for k in range(3):
            stack.callback(log.append, k)
        log.append("body")
    return log, x


@factory()
def context_manager_changes_state_for_a_while(jit):
    settings = {"scale": 1}

    @contextlib.contextmanager
    def scale(value):
        old, settings["scale"] = settings["scale"], value
        try:
            yield
        finally:
            settings["scale"] = old

    def run(x):
        with scale(10):
            y = x * settings["scale"]
        return y, x * settings["scale"]

    return run


@program()
def no_grad_block(x):
    with ms.no_grad():
        y = x * 2
    return y + x, y.requires_grad


@program()
def metaclass_registers_classes(x):
    registry = {}

    class Meta(type):
        def __new__(mcs, name, bases, body):
            cls = super().__new__(mcs, name, bases, body)
            registry[name] = cls
            return cls

    class A(metaclass=Meta):
        def f(self, v):
            return v + 1

    return registry["A"]().f(x), list(registry)


@program()
def type_with_three_arguments(x):
    Made = type("Made", (object,), {"scale": 3, "f": lambda self, v: v * self.scale})
    return Made().f(x), Made.__name__


@program()
def subclass_of_list_and_dict(x):
    class Stack(list):
        def push(self, v):
            self.append(v)
            return self

    class Default(dict):
        def __missing__(self, key):
            self[key] = x * len(key)
            return self[key]

    return Stack().push(x).push(2), Default()["abc"], isinstance(Stack(), list)


@program()
def bool_and_len_of_an_object(x):
    class Flag:
        def __init__(self, on):
            self.on = on

        def __bool__(self):
            print("asked")
            return self.on

    return [x * 2 if Flag(k) else x for k in (True, False)], Flag(True) and 5


@program()
def format_and_repr_of_an_object(x):
    class Named:
        def __repr__(self):
            return f"Named({x.shape})"

        def __format__(self, spec):
            return f"<{spec}>"

    named = Named()
    return f"{named:abc} {named!r}", str(named), "%s" % named


@program()
def objects_refer_to_each_other(x):
    class Node:
        def __init__(self, value):
            self.value, self.next = value, None

    a, b = Node(x), Node(x * 2)
    a.next, b.next = b, a
    return a.next.next.value, a.next.next is a, a


@program()
def linked_list_is_reversed(x):
    class Node:
        def __init__(self, value, after):
            self.value, self.after = value, after

    head = Node(x, Node(x * 2, Node(x * 3, None)))
    before = None
    while head:
        head.after, before, head = before, head, head.after
    out = []
    while before:
        out.append(before.value)
        before = before.after
    return out


@factory()
def singleton_with_lazy_state(jit):
    class Cache:
        _instance = None

        def __new__(cls):
            if cls._instance is None:
                cls._instance = super().__new__(cls)
                cls._instance.hits = 0
            return cls._instance

    def run(x):
        Cache().hits += 1
        return x * Cache().hits, Cache() is Cache()

    return run


@factory()
def callback_list_of_objects(jit):
    log = []

    class Callback:
        def __init__(self, name):
            self.name = name

        def on_step(self, step, value):
            log.append((self.name, step, value))

    callbacks = [Callback("a"), Callback("b")]

    def run(x):
        for step in range(2):
            x = x * 0.5
            for callback in callbacks:
                callback.on_step(step, x.sum())
        return x

    return run


@program()
def private_names_are_mangled(x):
    class Box:
        def __init__(self, v):
            self.__v = v

        def get(self):
            return self.__v

    return Box(x).get(), list(vars(Box(1)))


@factory(between=lambda run: run.__self__.rates.append(0.5))
def list_of_self_grows_from_outside(jit):
    class Runner:
        def __init__(self):
            self.rates = [1.0]

        def run(self, x):
            return x * sum(self.rates), len(self.rates)

    return Runner().run
