"""What a call of a class does: `__new__`, `__init__`, defaults, factories, setters, and classes of classes, as they are in
each call."""

from __future__ import annotations

import collections
import dataclasses
import typing

import pytest

import anfora as ms
from anfora import Tensor

seen: list = []


def noticed(value):
    seen.append(value)
    return value


class Watched:
    """A descriptor that counts."""

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, owner, kind=None):
        return 5 if owner is None else owner.__dict__[self.name]

    def __set__(self, owner, value):
        seen.append("set")
        owner.__dict__[self.name] = value


def plain():
    class Made:
        def __init__(self, a, b=1):
            self.a, self.b = a, b

    return Made


def bare():
    class Made:
        pass

    return Made


def record(**options):
    @dataclasses.dataclass(**options)
    class Made:
        a: object
        b: object = 1

    return Made


def record_of_factories(factory, **options):
    @dataclasses.dataclass(**options)
    class Made:
        a: object
        b: object = dataclasses.field(default_factory=factory)

    return Made


def record_of_descriptors():
    @dataclasses.dataclass
    class Made:
        a: object
        b: object = Watched()

    return Made


def record_after_init():
    @dataclasses.dataclass
    class Made:
        a: object
        b: object = 1
        c: dataclasses.InitVar[int] = 2

        def __post_init__(self, c):
            seen.append(c)

    return Made


def record_of_a_text():
    """Its `__init__` is not the one that `dataclasses` writes, though it stands in no file either."""
    made = record()
    scope = {"seen": seen}
    exec("def __init__(self, a):\n    seen.append(len(seen))\n    self.a, self.b = a, len(seen)", scope)
    made.__init__ = scope["__init__"]
    return made


def row():
    return collections.namedtuple("Made", "a b", defaults=(1,))  # noqa: PYI024


def typed_row():
    class Made(typing.NamedTuple):
        a: object
        b: object = 1

    return Made


def row_with_new():
    class Made(typed_row()):  # type: ignore[misc]
        def __new__(cls, a):
            seen.append("new")
            return super().__new__(cls, a, len(seen))

    return Made


def of_a_class():
    class Kind(type):
        def __call__(cls, *args):
            seen.append(cls.__name__)
            return super().__call__(*args)

    class Made(metaclass=Kind):
        def __init__(self, a, b=1):
            self.a, self.b = a, b

    return Made


def of_items():
    class Made:
        def __class_getitem__(cls, item):
            seen.append(item)
            return item

    return Made


def other_init():
    def init(self, a, b=7):
        seen.append("init")
        self.__dict__["a"] = a
        self.b = b

    return init


def other_new(cls, *args):
    seen.append("new")
    return object.__new__(cls)


def noisy(self, name, value):
    seen.append(name)
    object.__setattr__(self, name, value)


def changes(kind):
    """What may be done to a class between two calls."""
    if issubclass(kind, tuple):
        return [lambda: setattr(kind, "__new__", lambda cls, a: tuple.__new__(cls, (a, 9)))]
    return [
        lambda: setattr(kind, "__init__", other_init()),
        lambda: setattr(kind.__init__, "__defaults__", (3,)),
        lambda: setattr(kind, "__setattr__", noisy),
        lambda: setattr(kind, "__new__", other_new),
        lambda: setattr(kind, "__init__", other_init()),
    ]


KINDS = {
    "plain": plain, "record": record, "frozen record": lambda: record(frozen=True),
    "record with slots": lambda: record(slots=True), "record by name": lambda: record(kw_only=False, order=True),
    "factory of the program's": lambda: record_of_factories(lambda: [noticed(len(seen))]),
    "frozen factory": lambda: record_of_factories(lambda: [noticed(len(seen))], frozen=True, slots=True),
    "factory of Python's": lambda: record_of_factories(list), "descriptors": record_of_descriptors,
    "after init": record_after_init, "text": record_of_a_text, "row": row, "typed row": typed_row,
    "row with new": row_with_new, "class of a class": of_a_class,
}  # fmt: skip


def calls_of(make, jit):
    """What is made and seen in calls between which the class is changed."""
    kind = make()
    function = jit(lambda x: kind(x))
    seen.clear()
    found = []
    is_closed = "__slots__" in vars(kind) or getattr(vars(kind).get("__dataclass_params__"), "frozen", False)
    for change in [None, None, None, *changes(kind), None]:
        if change is not None and not is_closed:
            change()
        for _ in range(2):
            made = function(Tensor([1.0]))
            found.append((made.a.tolist(), made.b if not isinstance(made.b, list) else list(made.b), list(seen)))
    return found


@pytest.mark.parametrize("name", KINDS)
def test_a_class_is_called_as_it_is(name):
    assert calls_of(KINDS[name], ms.jit) == calls_of(KINDS[name], lambda f: f)


def test_a_class_that_gets_an_init():
    def calls(jit):
        kind = bare()
        function = jit(lambda x: (kind(), x * len(seen)))
        seen.clear()
        found = []
        for turn in range(4):
            if turn == 2:
                kind.__init__ = lambda self: seen.append("init")
            made, x = function(Tensor([1.0]))
            found.append((type(made) is kind, x.tolist(), list(seen)))
        return found

    assert calls(ms.jit) == calls(lambda f: f)


def test_an_item_of_a_class():
    kind = of_items()
    function = ms.jit(lambda x, n: x * kind[n])
    seen.clear()
    assert [function(Tensor([1.0]), n).item() for n in (2, 2, 3)] == [2.0, 2.0, 3.0]
    assert seen == [2, 2, 3]


@pytest.mark.parametrize("name", ["plain", "record", "frozen record", "factory of Python's", "row", "typed row"])
def test_what_only_stores_is_no_hop(name):
    kind = KINDS[name]()
    function = ms.jit(lambda x: kind(x).a + 1, fullgraph=True)
    assert [function(Tensor([1.0])).item() for _ in range(3)] == [2.0] * 3


def test_the_truth_of_a_class_is_asked_of_its_class():
    class Kind(type):
        def __bool__(cls):
            seen.append("truth")
            return False

        def __len__(cls):
            return 3

    class Made(metaclass=Kind):
        pass

    function = ms.jit(lambda x: (len(Made), 1 if Made else 2, not Made, bool(Made), Made and 1, x))
    seen.clear()
    for turn in range(3):
        assert function(Tensor([1.0]))[:5] == (3, 2, True, False, Made)
        assert seen == ["truth"] * 4 * (turn + 1)


class Named(Tensor):
    def __init__(self, data, name="none"):
        super().__init__(data)
        self.label = name

    def more(self, n):
        return type(self)(self.asnumpy() + n, name=f"{self.label}{n}")


class NamedByNew(Named):
    def __new__(cls, data, name="none"):
        made = super().__new__(cls)
        made.made_by = "new"
        return made


class NamedWeight(ms.Parameter):
    def __init__(self, data, name="none"):
        super().__init__(data, name=name)
        self.label = name


OF_TENSORS = {
    "of a list": lambda kind, x, n: kind([1.0, n]),
    "of a tensor": lambda kind, x, n: kind(x * n, f"a{n}"),
    "of an array": lambda kind, x, n: kind(x.asnumpy(), name="b"),
    "kept": lambda kind, x, n: KEPT.append(kind(x)) or KEPT[-1],
    "by a method": lambda kind, x, n: Named(x, "c").more(n),
    "in a function that is differentiated": lambda kind, x, n: ms.grad(lambda v: (v * v * kind(x)).sum())(x),
    "an error": lambda kind, x, n: kind(),
}
KEPT: list = []


@pytest.mark.parametrize("kind", [Named, NamedByNew, NamedWeight])
@pytest.mark.parametrize("name", OF_TENSORS)
def test_a_class_of_tensors_may_have_an_init(name, kind):
    def told(function):
        found = []
        for n in range(4):
            try:
                made = function(Tensor([1.0, 2.0]), n)
            except TypeError as error:
                found.append(str(error))
            else:
                found.append((type(made), made.tolist(), vars(made).get("label"), vars(made).get("made_by")))
        return found

    def f(x, n):
        return OF_TENSORS[name](kind, x, n)

    assert told(ms.jit(f)) == told(f)
