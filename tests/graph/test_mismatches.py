"""Programs that once meant something else when they were compiled. Each is named after what was wrong.

A program is a function of `jit` which makes functions, calls them, changes things between the calls, and returns what can
be seen; on the side of Python `jit` is the identity.
"""

# The programs are written as people write them.
# ruff: noqa: B007, E731

from __future__ import annotations

import abc
import functools
import gc
import itertools
import json
import linecache
import os
import pathlib
import sys
import traceback
import types
import typing
import warnings
import weakref

import numpy as np
import pytest

import anfora as ms
from anfora import Parameter, nn, ops

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "gallery"))

from harness import Picture, difference, i, t

PROGRAMS = []


def program(function):
    PROGRAMS.append(function)
    return function


def outcome(function, *args):
    """The result of a call, or its exception."""
    try:
        return function(*args)
    except Exception as error:
        return type(error).__name__, str(error)


@pytest.mark.parametrize("made", PROGRAMS, ids=lambda made: made.__name__)
def test_mismatch(made):
    pictures = []
    for jit in (lambda function: function, ms.jit):
        ms.set_seed(1)
        picture = Picture()
        pictures.append((picture.of(made(jit)), picture.sharing()))
    assert difference(*pictures) is None, difference(*pictures)


# -------------------------------------------------------------------------------------------------------------- iteration


@program
def iterator_of_an_own_list_is_part_of_the_state(jit):
    """The iterator stood for itself in the pattern, so all calls went on with one, and a loop never ended."""

    def f(text):
        groups = Groups()
        for word in text.split():
            groups[len(word)].append(word)
        return dict(groups)

    class Groups(dict):
        def __missing__(self, key):
            self[key] = []
            return self[key]

    compiled = jit(f)
    return [compiled(text) for text in ("the cat and the dog", "", "the cat and the dog", "a bc")]


@program
def iterator_that_is_returned_is_pythons(jit):
    def f(x):
        own = [x, x * 2, 3]
        iterator = iter(own)
        next(iterator)
        return iterator, own

    compiled, seen = jit(f), []
    for k in range(3):
        iterator, own = compiled(t(k))
        own.append(9)
        seen.append((type(iterator).__name__, list(iterator)))
    return seen


@program
def generator_function_is_compiled(jit):
    def f(x):
        yield x
        yield x * 2

    compiled = jit(f)
    return [list(compiled(t(k))) for k in range(3)]


@program
def generator_that_has_begun_is_returned(jit):
    def f(x):
        def g():
            received = yield x
            yield received

        generator = g()
        next(generator)
        return generator

    compiled, seen = jit(f), []
    for k in range(3):
        generator = compiled(t(k))
        seen += [isinstance(generator, types.GeneratorType), generator.gi_frame is None, generator.send(5)]
        seen += [outcome(next, generator), generator.gi_frame is None]
    return seen


@program
def generator_is_kept_outside(jit):
    """It was taken for a constant, and what it had got in one call was looked for in the arguments of the next."""
    state = {}

    def count(x):
        k = 0
        while True:
            step = yield x * k
            k += 1 if step is None else step

    def f(x, is_new, step):
        if is_new:
            state["count"] = count(x)
        if is_new or step is None:
            return next(state["count"])
        return state["count"].send(step)

    def drained(x):
        return [value for _, value in zip(range(3), state["count"])], x

    compiled, rest = jit(f), jit(drained)
    steps = (True, None), (False, None), (False, 5), (False, None), (True, 3), (False, 1), (False, None), (False, 2)
    return [(compiled(t(1, 2), *given), rest(t(k))) for k, given in enumerate(steps)]


@program
def generator_is_closed_when_it_is_dropped(jit):
    log = []

    def f(x):
        def g():
            try:
                for k in range(4):
                    yield x * k
            finally:
                log.append("closed")

        for value in g():
            log.append("item")
            break
        log.append("after")
        return value

    compiled = jit(f)
    return [compiled(t(k)) for k in range(3)], log


@program
def finalizer_runs_when_the_object_is_dropped(jit):
    log = []

    class Noisy:
        def __init__(self, number):
            self.number = number

        def __del__(self):
            log.append(self.number)

    def f(x):
        noisy = Noisy(1)
        log.append("made")
        del noisy
        log.append("dropped")
        return x

    compiled = jit(f)
    return [compiled(t(k)) for k in range(3)], log


@program
def weak_references_see_when_an_object_is_dropped(jit):
    """It lived until the next hop, or longer."""
    told, table = [], weakref.WeakValueDictionary()

    class Node:
        def __init__(self, value):
            self.value = value

    def f(x, kept):
        node = Node(x)
        seen = weakref.ref(node)
        table["last"] = node
        weakref.finalize(node, told.append, kept)
        alive = seen() is node
        if not kept:
            del node
        return alive, seen() is None, "last" in table

    compiled = jit(f)
    return [(compiled(t(k), k % 2), len(table)) for k in range(5)], told


# ------------------------------------------------------------------------------------------------------------- exceptions


@program
def exception_is_made_in_each_call(jit):
    """Those of the first call were returned again."""
    kept = []

    def f(x):
        try:
            raise KeyError("key")
        except KeyError as error:
            kept.append(error)
            error.value = x
            return error, ValueError("new", x), OSError(2, "file")

    compiled = jit(f)
    found = [compiled(t(k)) for k in range(3)]
    return found, kept, len({id(error) for error in kept}), [error.value for error in kept], found[2][2].errno


@program
def exception_that_is_handled_is_seen_by_called_functions(jit):
    def show():
        error = sys.exc_info()[1]
        return type(error).__name__

    def f(x):
        try:
            if x.sum() > 0:
                raise KeyError("key")
            return show()
        except KeyError:
            try:
                int("text")
            except ValueError as error:
                return show(), type(error.__context__).__name__

    compiled = jit(f)
    return [compiled(t(k)) for k in (1, 0, 1, 0)], show()


@program
def raise_alone_finds_the_exception_of_the_caller(jit):
    def f():
        raise

    compiled = jit(f)
    seen = [outcome(compiled)]
    try:
        raise KeyError("key")
    except KeyError:
        seen.append(outcome(compiled))
    return seen


@program
def refusal_of_the_compiler_is_nobodys_context(jit):
    def f(x):
        assert not locals(), "message"

    try:
        jit(f)(t(1))
    except AssertionError as error:
        return type(error.__context__), type(error.__cause__)


@program
def error_in_a_later_call_shows_the_users_line(jit):
    def f(x):
        return ms.grad(lambda a, n: a * n, 1)(x, 3)

    compiled = jit(f)
    return [outcome(compiled, t(k)) for k in range(3)]


@program
def variable_without_value_has_no_context(jit):
    def f(x):
        g = lambda: later
        try:
            g()
        except NameError as error:
            later = x
            return str(error), type(error.__context__)
        return later

    compiled = jit(f)
    return [compiled(t(k)) for k in range(2)]


@program
def tracebacks_show_the_lines_of_the_program(jit):
    """There were frames of the machine in the first call, and in later ones the calls up to the handler were not there."""
    told = []

    def tell(what, lines):
        told.append((what, [(line.name, line.lineno) for line in lines if line.filename == __file__]))

    def convert(x, text):
        return x * json.loads(text)

    def checked(x, text):
        if text == "none":
            raise KeyError(text)
        return convert(x, text) + 1

    class Telling:
        def __enter__(self):
            return self

        def __exit__(self, kind, error, lines):
            told.append(lines and lines.tb_lineno)

    def f(x, text):
        try:
            return checked(x, text)
        except KeyError as error:
            tell("key", traceback.extract_tb(error.__traceback__))
        except ValueError as error:
            tell("value", traceback.extract_tb(error.__traceback__))
            told.append(traceback.format_exc().splitlines()[-1])
        return x

    def g(x, text):
        with Telling():
            return checked(x, text)

    compiled, others = jit(f), jit(g)
    texts = "1", "none", "{", "1", "none", "{", "none", "["
    results = [(outcome(compiled, t(1, 2), text), outcome(others, t(1), text)) for text in texts]
    return [one if type(one) is not tuple else one[0] for pair in results for one in pair], told


@program
def exception_keeps_no_tensors_of_the_first_call(jit):
    """The frames in its traceback did, as long as the program lived."""

    def f(x):
        try:
            y = (x * 2).nothing
        except AttributeError as error:
            told.append(str(error))
            told.append(sys.exc_info()[0])
            y = x
        return y

    compiled, told, alive = jit(f), [], []
    for k in range(3):
        x = t(k)
        seen = weakref.ref(x)
        compiled(x)
        del x
        gc.collect()
        alive.append(seen() is not None)
    return alive, told


@program
def exception_ends_a_loop_that_never_ended(jit):
    def f(items):
        for _ in list(items):
            items[-1] = sum([v * 0.5 for v in items])
            if len(items) > 2:
                items.pop()
        return items

    compiled = jit(f)
    return [compiled([t(1), t(2), t(3), t(k)]) for k in range(3)]


# ---------------------------------------------------------------------------------------------- changed between the calls


@program
def function_changes_between_calls(jit):
    def helper(x, n=2):
        return x * n

    def other(x, n):
        return x - n

    def f(x, k=1):
        return helper(x) + k

    compiled = jit(f)
    seen = [compiled(t(1)), compiled(t(1))]
    helper.__defaults__ = (5,)
    seen.append(compiled(t(1)))
    helper.__code__ = other.__code__
    seen.append(compiled(t(1)))
    f.__defaults__ = (100,)
    seen.append(compiled(t(1)))
    return seen


@program
def class_of_an_own_object_changes_between_calls(jit):
    class A:
        def __init__(self, k):
            self.k = k

        def method(self, x):
            return x * self.k

        @property
        def double(self):
            return self.k * 2

        def __call__(self, x):
            return x + 1

        @classmethod
        def of_class(cls, x):
            return x * 3

        @staticmethod
        def static(x):
            return x * 4

    def f(x):
        a = A(3)
        return a.method(x), a.double, a(x), a.of_class(x), a.static(x), A.of_class(x), A.static(x)

    compiled = jit(f)
    seen = [compiled(t(1)), compiled(t(1))]
    changes = {
        "method": lambda self, x: x - 1, "double": property(lambda self: 77), "__call__": lambda self, x: x * 50,
        "of_class": classmethod(lambda cls, x: x * 60), "static": staticmethod(lambda x: x * 61),
        "__init__": lambda self, k: setattr(self, "k", 1000),
    }  # fmt: skip
    for name, value in changes.items():
        setattr(A, name, value)
        seen.append(compiled(t(1)))
    return seen


@program
def special_method_appears(jit):
    """Classes were asked for methods that they had, not for those that they did not have; and where Python had done what a
    method does by now, the machine went into it, and took the outcome for one of something else."""

    class Things:
        def __init__(self, *items):
            self.items = list(items)

        def __getitem__(self, place):
            return self.items[place]

    one, other = Things(1, 2), Things(1, 2)

    def f(x):
        seen = one == other, one != other, one in [other], bool(one)
        for item in one:
            x = x * item
        return x, seen, 2 in one, list(one), sorted(one)

    def change(**methods):
        for name, method in methods.items():
            setattr(Things, name, method) if method else delattr(Things, name)

    compiled, seen = jit(f), []
    for methods in (
        {}, {"__contains__": lambda self, item: False}, {"__bool__": lambda self: False},
        {"__eq__": lambda self, other: True}, {"__iter__": lambda self: iter((7,))}, {"__contains__": None},
        {"__len__": lambda self: 5}, {"__bool__": None}, {"__len__": lambda self: 0}, {"__eq__": None}, {"__iter__": None},
    ):  # fmt: skip
        change(**methods)
        seen += [outcome(compiled, t(k)) for k in range(2)]
    return seen


@program
def method_of_a_base_class_changes(jit):
    """What `super()` finds was taken for granted in later calls."""

    class Base:
        def scaled(self, x):
            return x * 2

        @classmethod
        def called(cls):
            return cls.__name__

    class Thing(Base):
        def scaled(self, x):
            return super().scaled(x) + 1

        @classmethod
        def called(cls):
            return super().called() + "!"

    thing = Thing()

    def f(x):
        return thing.scaled(x), Thing().scaled(x), Thing.called()

    compiled, seen = jit(f), []
    for name, what in (
        ("other", 1), ("scaled", lambda self, x: x * 10), ("called", classmethod(lambda cls: "another")),
        ("scaled", lambda self, x: x - 1),
    ):  # fmt: skip
        setattr(Base, name, what)
        seen += [compiled(t(k)) for k in range(2)]
    return seen


@program
def context_manager_becomes_another(jit):
    class Manager:
        def __enter__(self):
            return 2

        def __exit__(self, *error):
            return True

    manager = Manager()

    def f(x):
        with manager as factor:
            x = x * factor
            if factor > 2:
                raise ValueError(factor)
        return x

    compiled, seen = jit(f), []
    for name, method in (
        ("__enter__", lambda self: 2), ("__enter__", lambda self: 3), ("__exit__", lambda self, *error: False),
        ("__enter__", lambda self: 1),
    ):  # fmt: skip
        setattr(Manager, name, method)
        seen += [outcome(compiled, t(k)) for k in range(2)]
    return seen


@program
def assignment_becomes_a_call(jit):
    class Thing:
        pass

    thing = Thing()
    thing.value = 1

    def f(x):
        thing.value = thing.value + 1
        made = Thing()
        made.value = x
        return x * thing.value, made.__dict__

    compiled, seen = jit(f), []
    for name, what in (
        ("other", 1), ("__setattr__", lambda self, name, value: self.__dict__.__setitem__(name, 10 * value)),
        ("__setattr__", object.__setattr__),
        ("value", property(lambda self: 3, lambda self, value: self.__dict__.__setitem__("set", value))), ("value", 5),
    ):  # fmt: skip
        setattr(Thing, name, what)
        seen += [outcome(compiled, t(k)) for k in range(2)]
    return seen, thing.__dict__


@program
def attribute_is_set_by_a_method_of_the_dict(jit):
    """The method was called with the dict as one more argument."""

    class Thing:
        value = 1

    thing = Thing()

    def f(x, value):
        thing.__dict__.__setitem__("value", value)
        return x * thing.value

    compiled = jit(f)
    return [outcome(compiled, t(1, 2), value) for value in (2, 3, 3, 0.5)], thing.__dict__


@program
def class_is_registered_with_another(jit):
    """That an object is none of an abstract class, or of a protocol, was taken for granted in later calls."""

    class Sized(abc.ABC):  # noqa: B024
        pass

    @typing.runtime_checkable
    class Named(typing.Protocol):
        name: str

    class Thing:
        pass

    one, other = Thing(), Thing()
    other.name = "other"

    def f(x, thing):
        found = isinstance(thing, Sized), isinstance(Thing(), (int, Sized)), issubclass(Thing, Sized)
        return x, found, isinstance(thing, Named)

    compiled = jit(f)
    seen = [compiled(t(1), thing) for thing in (one, one, other, one)]
    Sized.register(Thing)
    return [*seen, *(compiled(t(1), thing) for thing in (one, other, one))]


@program
def attribute_comes_before_a_descriptor(jit):
    class Constant:
        def __init__(self, value):
            self.value = value

        def __get__(self, owner, kind):
            return self.value

    class Scale:
        factor = Constant(2)

    scale = Scale()

    def f(x):
        return x * scale.factor

    compiled = jit(f)
    seen = [compiled(t(1)), compiled(t(2))]
    scale.__dict__["factor"] = 9
    seen += [compiled(t(1)), compiled(t(2))]
    del scale.__dict__["factor"]
    return [*seen, compiled(t(1))]


@program
def equal_keys_of_another_type(jit):
    """1, 1.0 and True are equal."""
    table, parts, place = {1: 2}, {1, 2}, [slice(1, 2)]

    def f(x):
        kinds = [type(part).__name__ for part in parts]
        return x * table[1], list(table), kinds, [*range(3)][place[0]]

    compiled = jit(f)
    seen = [compiled(t(1)), compiled(t(2))]
    for key in (True, 1.0, 1):
        table.clear()
        table[key] = 2
        parts.clear()
        parts.update((key, 2))
        place[0] = slice(key, 2)
        seen += [outcome(compiled, t(1)), outcome(compiled, t(2))]
    return seen


@program
def missing_attribute_appears(jit):
    class A:
        pass

    class Slots:
        __slots__ = ("k",)

    a, b, module = A(), Slots(), types.ModuleType("module")

    def read(owner):
        try:
            return owner.k
        except AttributeError:
            return -1

    def f(x):
        return x * read(a), x * read(b), x * read(module)

    compiled, seen = jit(f), []
    for step in range(8):
        if step in (2, 6):
            a.k = b.k = module.k = step
        if step == 4:
            del a.k, b.k, module.k
        seen.append(compiled(t(1)))
    A.__getattr__ = lambda self, name: 77
    del a.k
    return [*seen, compiled(t(1))]


@program
def builtin_is_replaced(jit):
    import builtins

    def f(x):
        return abs(x)

    compiled = jit(f)
    seen, kept = [compiled(t(-1)), compiled(t(-1))], builtins.abs
    try:
        builtins.abs = lambda value: 99
        seen.append(compiled(t(-1)))
    finally:
        builtins.abs = kept
    return [*seen, compiled(t(-1))]


@program
def gradient_by_a_number_that_changes(jit):
    """The walk back had the factor of the first call."""
    state = types.SimpleNamespace(factor=2.5, shift=1.0)
    compiled = jit(lambda x: ms.value_and_grad(lambda v: ((v + state.shift) * state.factor).sum())(x))
    seen = []
    for state.factor, state.shift in ((2.5, 1.0), (2.5, 1.0), (0.5, 1.0), (0.5, 2.0), (0.25, 3.0)):
        seen.append(compiled(t(1, 2)))
    return seen


@program
def numpy_writes_to_memory_that_a_gradient_keeps(jit):
    """The first call, which is recorded, kept the memory itself."""
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    x = ms.from_numpy(array)

    def product(w):
        y = (x * w).sum()
        array[...] -= 1
        return y

    writing = jit(lambda w: ms.grad(product)(w))
    plain = jit(lambda w: ms.grad(lambda v: (x * v).sum())(w))
    seen = []
    for _ in range(3):
        seen += writing(t([[1, 2, 3]])), plain(t([[1, 2, 3]])), array.copy()
    return seen


# ----------------------------------------------------------------------------------- what the interpreter gives and takes


@program
def functions_from_a_library_differ(jit):
    """What the library gave was called as the one of the first call."""

    class A:
        def __init__(self, k):
            self.k = k

        def method(self, x):
            return x * self.k

    functions = [
        lambda x: x + 1, lambda x: x * 10, lambda x, k=3: x - k, lambda x, k=4: x - k, A(2).method, A(3).method,
        functools.partial(max, 1), functools.partial(max, 7), jit(lambda x: x * 70), jit(lambda x: x * 80),
    ]  # fmt: skip
    pick = functools.lru_cache(None)(lambda number: functions[number])

    def f(x, number):
        return pick(number)(x)

    compiled = jit(f)
    return [compiled(2, number) for number in (*range(len(functions)), *range(len(functions)))]


@program
def super_in_a_class_made_in_each_call(jit):
    def f(x):
        class Base:
            def method(self, v):
                return v + 1

        class Derived(Base):
            def method(self, v):
                return super().method(v) * 2

        return Derived().method(x)

    compiled = jit(f)
    return [compiled(t(k)) for k in range(4)]


@program
def view_beside_another_handle_on_the_same_elements(jit):
    """After a write, views were told apart by where they lie, which is the same for both arguments."""

    def f(x, y):
        v = x.reshape(-1)
        y.mul_(2)
        return v * y, v

    compiled, seen = jit(f), []
    for k in range(3):
        whole = t(1, 2, k)
        seen.append((compiled(whole[:2], whole[:2]), compiled(whole[:2], whole[1:]), compiled(whole, whole)))
    return seen


@program
def tensors_as_keys(jit):
    def f(x, y):
        table = {x: 1}
        table[y] = 2
        return table[x], len(table), len({x, y}), OUTER.get(x)

    a, b = t(1), t(2)
    OUTER.clear()
    OUTER.update({a: "a", b: "b"})
    compiled = jit(f)
    return [compiled(*pair) for pair in ((a, b), (a, a), (b, a), (b, b), (a, b))]


OUTER: dict = {}


@program
def a_value_saved_in_a_comprehension(jit):
    """The error named the comprehension, which compiled code, and Python since 3.12, runs as a part of the function."""

    def f(x, y):
        products = [v * u for v, u in zip([x * 1.5, x], [x, y])]
        y[1] = 5.0
        return (products[0] * products[1]).sum()

    return outcome(ms.grad(jit(f), (0, 1)), t(1, 2, 3), t(1, 2, 3))


@program
def one_object_as_two_arguments(jit):
    class A:
        pass

    def f(a, b):
        a.v = 1
        b.v = b.v + 1 if hasattr(b, "v") else 5
        return a.v, b.v, a is b

    compiled, x, y = jit(f), A(), A()
    return [compiled(*pair) for pair in ((x, y), (x, y), (x, x), (y, y), (y, x))]


@program
def breakpoint_shows_the_frame_in_every_call(jit):
    stops = []

    def hook():
        frame = sys._getframe(1)
        stops.append((frame.f_code.co_name, frame.f_lineno, frame.f_locals["y"].tolist()))

    def f(x):
        y = x * 2
        breakpoint()
        return y + 1

    compiled, kept = jit(f), sys.breakpointhook
    sys.breakpointhook = hook
    try:
        return [compiled(t(k)) for k in range(3)], stops
    finally:
        sys.breakpointhook = kept


@program
def warning_shows_the_users_line(jit):
    def f(x):
        warnings.warn("careful", stacklevel=1)
        return x

    compiled, seen = jit(f), []
    for k in range(3):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            compiled(t(k))
        seen += [(one.filename, one.lineno) for one in caught]
    return seen


# ---------------------------------------------------------------------------------------------------------------- tensors


@program
def argument_is_a_view_in_one_call(jit):
    """Views of the argument belonged to a copy of what it was a view of."""

    def f(x):
        a, b = x[:2], x[1:]
        a.mul_(10)
        b.add_(1)
        return a, b, x, a.sum()

    compiled, seen = jit(f), []
    for cut in (slice(None), slice(None), slice(1, None), slice(0, 3), slice(None)):
        whole = t(1, 2, 3, 4)
        seen.append((compiled(whole[cut] if cut.start is not None else whole), whole))
    return seen


@program
def view_of_a_view_is_returned(jit):
    def f(x, y):
        v = x.reshape(-1)
        y[0] = 9.0
        return v + y, v

    compiled, seen = jit(f), [jit(f)(t(1, 2), t(3, 4))]
    for k in range(3):
        whole = t(1, 2, k)
        seen.append((compiled(whole[:2], whole[:2]), compiled(whole[1:], whole[:2]), whole))
    return seen


@program
def gradient_beside_a_detached_handle(jit):
    """Two handles on one memory, of which the tape follows one: operators took the other."""

    def f(x, r):
        ops.stop_gradient(x)
        if x[1] < r:
            return x / 0.7
        return x

    compiled = jit(f)
    return [ms.value_and_grad(compiled, 0)(t(1, 2, k), r) for k in range(3) for r in (5.0, 0.0)]


@program
def weight_is_written_between_calls(jit):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(t(1, 2), name="w")
            self.k = 1

        def construct(self, x):
            return x * self.w + self.k

    net = Net()
    compiled = jit(net)
    seen = [compiled(t(1, 1)), compiled(t(1, 1))]
    net.w.set_data(t(5, 6))
    seen.append(compiled(t(1, 1)))
    net.w = Parameter(t(8, 9), name="w")
    for k in (1, True, 1.0, -0.0, 2.5, i(3)):
        net.k = k
        seen.append(compiled(t(1, 1)))
    return seen


@program
def guard_looks_at_a_view_before_the_program_does(jit):
    """Gradients of views of what was written were added up in the order in which the guards behind a hop saw them."""

    def f(x, word):
        views = [x[:], x[:], x[:]]
        x.mul_(2.0)
        print(word, end="")
        return (ops.sin(views[2]) * 0.3 + ops.exp(views[0]) * 0.77 + views[1] * views[1] * 0.123).sum()

    compiled = jit(f)
    return [ms.grad(compiled)(t(0.3, 0.7 * k, 1.1, -0.9), "") for k in range(4)]


@program
def guard_looks_at_a_view_that_a_gradient_leaves_behind(jit):
    """After a gradient the view of what was written kept the history that the guard had given it."""

    class Box:
        pass

    def f(x, box, items):
        x[1:] = x[:2] * 0.5
        y = [2.0, *items]
        box.extra = items
        raise ValueError(len(y))

    compiled, seen = jit(f), []
    for k in range(3):
        x, box = t(1, 2, k), Box()
        seen.append((outcome(ms.grad(compiled, (0, 2)), x, box, [x, t(1)]), box.extra))
    return seen


@program
def results_of_a_gradient_hand_out_memory_of_their_own(jit):
    """Two results that were one tensor inside a gradient shared what `asnumpy` gives; results that were made outside,
    too."""

    def f(x, c):
        def inner(x):
            y = x * 2
            z = x + 1
            z[0] = 3.0
            return y, y, z, z[:1], c, c

        return ms.value_and_grad(inner)(x)

    compiled, seen = jit(f), []
    for k in range(3):
        c = t(1, k)
        c.requires_grad = bool(k)
        c = c * 2
        seen.append((compiled(t(1, 2), c), c))
    return seen


@program
def tensor_leaves_a_gradient_with_its_history(jit):
    def f(x, n):
        kept = []

        def inner(x):
            y = x * 2
            if n:
                kept.append(y)
            return y

        value, gradient = ms.value_and_grad(inner)(x)
        return kept, value, gradient, n and kept[0].requires_grad

    compiled = jit(f)
    return [compiled(t(1, k), n) for n in (0, 1, 2) for k in range(3)]


@program
def gradient_function_is_made_in_each_call(jit):
    """One that was alive at a hop was taken for the same object in every call, with what its function had captured."""

    def with_hop_inside(x):
        scale = x * 3

        def inner(a):
            print(end="")
            return (a * scale).sum()

        return ms.grad(inner)(x), ms.ops.GradOperation(get_all=True)(inner)(x)

    def with_hop_before(x):
        scale = x * 3
        gradient = ms.value_and_grad(lambda a: a * scale)
        second = ms.grad(lambda a: gradient(a)[0].sum())
        each = ms.vmap(ms.grad(lambda a: a * scale.sum()))
        print(end="")
        return gradient(x), second(x), each(x)

    def with_another_position(x):
        def make(position):
            print(end="")
            return ms.grad(lambda a, b: (a * 2 + b * x).sum(), position)

        makers = [make]
        print(end="", sep=str(makers)[:0])
        return [made(x, x) for made in map(makers[0], (int(x[1]), 0))]

    functions = [jit(function) for function in (with_hop_inside, with_hop_before, with_another_position)]
    return [function(t(1, k)) for function in functions for k in (0, 1, 0, 1)]


@program
def hop_gives_an_object_that_was_there_before(jit):
    """What it gave then stood for both: in another call, where it was another object, the one from before was lost."""

    def smaller(x, y):
        z = -y
        return min([z, x], key=lambda v: float(v.sum())), z, x

    def both(x, y):
        first, second = sorted([x, y], key=lambda v: float(v.sum()))[:: 1 if x[0] > 0 else -1]
        pair = chosen(x, y)
        return pair, first, second, x, y, pair[0] is pair[1]

    def chosen(x, y):
        return functools.reduce(lambda a, b: (b, b) if x[1] > 0 else (b, y), [x], None)

    def caught(x, y):
        kept = KeyError("kept")
        try:
            print(end="")
            raise_one(kept if x[0] > 0 else KeyError("new"))
        except KeyError as error:
            return error is kept, str(error), str(kept)

    def raise_one(error):
        try:
            [][error.args[0] == 0]
        except IndexError:
            raise error from None

    values = [(t(2, 1), t(1, 1)), (t(-2, 1), t(1, 1)), (t(1, -3), t(0, 0)), (t(-5, -1), t(3, 2))]
    same = t(1, 2)
    values += [(same, same), *values]
    seen = []
    for function in (smaller, both, caught):
        compiled = jit(function)
        seen.append([compiled(*pair) for pair in values])
    return seen


@program
def hop_gives_a_method_of_a_tensor(jit):
    """The tensor that a method was bound to was taken for a constant, with the data of the first call, and no history."""

    def f(x, name):
        made = getattr(x * 2, name)
        kept = getattr([x], "copy" if name else "index")
        views = [getattr({"a": x}, name)() for name in ("values", "items")]
        return made(), kept(), [list(view) for view in views]

    compiled, seen = jit(f), []
    for k in range(4):
        x = t(1, k)
        x.requires_grad = k % 2 == 1
        seen.append((compiled(x, "sin"), compiled(x, "cos" if k else "sin")))
    return seen


@program
def special_methods_are_called_while_arguments_are_arranged(jit):
    """Functions that only arrange things called them in the first call, and never again: f(*bag) got the first bag."""
    told = []

    class Bag:
        def __init__(self, parts):
            self.parts = parts

        def __len__(self):
            told.append("len")
            return len(self.parts)

        def __iter__(self):
            told.append("iter")
            yield from self.parts

        def keys(self):
            told.append("keys")
            return ["a"]

        def __getitem__(self, key):
            told.append(key)
            return self.parts[0]

        def __index__(self):
            told.append("index")
            return len(self.parts)

        def __hash__(self):
            told.append("hash")
            return 1

        __eq__ = object.__eq__

    def given(*args, **kwargs):
        return args, kwargs

    functions = [
        lambda bag: given(*bag),
        lambda bag: given(1, *bag),
        lambda bag: given(**bag),
        lambda bag: {"q": 1, **bag},
        lambda bag: [0, *bag],
        lambda bag: list(zip([1, 2, 3], bag)),
        lambda bag: list(itertools.chain([1], bag)),
        lambda bag: [1, 2, 3][bag:],
        lambda bag: list(range(1, bag)),
        lambda bag: list(itertools.islice([1, 2, 3], bag)),
        lambda bag: list(enumerate([5], bag)),
        lambda bag: list(itertools.repeat(1, bag)),
        lambda bag: {bag: 1}[bag],
        lambda bag: [rest for _, *rest in [bag]],
    ]
    seen = []
    for function in functions:
        compiled = jit(function)
        for k in (1, 1, 2, 2):
            seen.append(compiled(Bag([t(1, k), t(2, k)][:k])))
            seen.append(list(told))
            told.clear()
    return seen


@program
def hop_with_spread_arguments_gives_something_new(jit):
    """The instruction was done over with the outcome of the call, and spreading the arguments got it."""

    def spread(x):
        return os.environ.get(*["ANFORA_TEST_SPREAD", "no"]), x * 2

    def merged(x):
        given = {"default": "no"}
        return os.environ.get("ANFORA_TEST_SPREAD", **given), x * 2

    seen = []
    for function in (spread, merged):
        compiled = jit(function)
        for text in ("", "", "a", "b", "a"):
            os.environ["ANFORA_TEST_SPREAD"] = text
            seen.append(compiled(t(1, 2)))
    del os.environ["ANFORA_TEST_SPREAD"]
    return seen


@program
def comprehension_reads_a_variable_without_a_value(jit):
    """A comprehension is a function where Python has one for it: the error is a NameError, of a free variable."""

    def read(x, *, sets):
        if sets:
            v = x
        return [v * k for k in [1, 2]]

    def captured(x, *, sets):
        if sets:
            v = x

        def inner():
            return v

        return {k: v for k in [1, 2] if inner is not None}

    def in_the_first_iterable(x, *, sets):
        if sets:
            v = [x]
        return [k * 2 for k in v]

    seen = []
    for function in (read, captured, in_the_first_iterable):
        compiled = jit(function)
        for sets in (True, False, False):
            try:
                seen.append(compiled(t(1.0), sets=sets))
            except NameError as error:
                seen.append((type(error).__name__, str(error)))
    return seen


@program
def run_that_is_recorded_in_many_parts(jit):
    """Each part was recorded from within the one before, so that Python's stack was too small for some hundred."""

    def f(x):
        for k in range(200):
            x = x * 0.5 + len(os.environ.get(f"ANFORA_TEST_PART{k}", "12"))
        return x

    def inside(depth):  # where not much of the stack is left
        return compiled(t(1.0, 2.0)) if not depth else inside(depth - 1)

    compiled = jit(f)
    seen = [inside(700)]
    for k in range(0, 200, 2):
        os.environ[f"ANFORA_TEST_PART{k}"] = "123"
    seen += [inside(700), inside(700)]
    for k in range(0, 200, 2):
        del os.environ[f"ANFORA_TEST_PART{k}"]
    return seen


@program
def generators_that_see_what_they_are_put_into(jit):
    """The items were taken first, and put into the list when there were all."""

    def f(x, items, table):
        def sums():
            for _ in range(3):
                yield sum(items, x)

        def pairs():
            for name in "abc":
                yield name, x * len(table)

        items.extend(sums())
        items += (x * len(items) for _ in range(2))
        table.update(pairs())
        return items, table

    compiled = jit(f)
    return [compiled(t(float(i)), [t(1.0), t(2.0)], {"first": t(0.0)}) for i in range(4)]


@program
def arithmetic_on_numbers_that_vary_is_deep(jit):
    """What a number follows from was read by functions that call themselves."""

    def f(x, n):
        for _ in range(n):
            x = ((x + 1.0) * 0.5 - 2.0) * 0.25
        return x

    compiled = jit(f)
    return [compiled(x, 200) for x in (1.0, 2.0, 3.0)]


@program
def gradient_by_a_number_that_varies(jit):
    """What the tape keeps of an operator came back as the number of the first call."""

    class Scaled:
        factor = 2.0

    def step(held, x, power):
        value, g = ms.value_and_grad(lambda v: ((v * held.factor) ** power).sum())(x)
        return value, g, g / held.factor

    held, compiled, seen = Scaled(), jit(step), []
    for factor, power in ((2.0, 2.0), (2.0, 2.0), (3.0, 2.0), (3.0, 1.5), (-1.0, 3.0), (2.0, 2.0)):
        held.factor = factor
        seen.append(compiled(held, t(1, 2), power))
    return seen


@program
def dict_changes_while_its_items_are_looped_over(jit):
    """Values came as they were at the start of the loop, and keys that had changed were no error."""

    def values_change(x, table, hop):
        seen = []
        for key, value in table.items():
            table["b"] = x * len(seen)
            if hop:
                seen.append(float(x.sum()))
            seen.append((key, value))
        for value in table.values():
            table["c"] = 7
            seen.append(value)
        return seen

    def keys_change(x, table, hop):
        seen = []
        for key in table:
            if hop:
                seen.append(float(x.sum()))
            del table[key]
            table[key + "a"] = x
            seen.append(key)
            if len(seen) > 9:
                break
        return seen

    def made_inside(x, table, hop):
        return values_change(x, dict(table), hop), outcome(keys_change, x, {"a": 1}, hop)

    seen = []
    for function in (values_change, keys_change, made_inside):
        for hop in (False, True):
            compiled = jit(function)
            for n in (1, 2, 2):
                seen.append(outcome(compiled, t(n, 1), {"a": 1, "b": 2, "c": 3}, hop))
                seen.append(outcome(compiled, t(n, 1), {"a": 1}, hop))
    return seen


@program
def set_of_objects_that_compare_themselves(jit):
    """A guard that compared two sets called the program's `__eq__`."""
    told = []

    class Key:
        def __init__(self, name):
            self.name = name

        def __hash__(self):
            return 1

        def __eq__(self, other):
            told.append((self.name, other.name))
            return self.name == other.name

    def f(x, keys):
        return x * len(keys), x * 2 if keys else x

    compiled, seen = jit(f), []
    for names in ("a", "ab", "ab", "a"):
        keys = {Key(name) for name in names}
        told.clear()
        seen.append((compiled(t(1, 2), keys), list(told)))
    return seen


@program
def function_shows_which_it_is(jit):
    """Hash and text of a function that the program makes were those of the first call's."""

    def f(x):
        def inner(y):
            return y

        return inner, hash(inner), repr(inner), f"{inner}", x * 2

    compiled, seen = jit(f), []
    for _ in range(4):
        inner, number, text, shown, _ = compiled(t(1.0))
        seen.append((number == hash(inner), text == repr(inner), shown == str(inner)))
    return seen


@program
def outcomes_that_differ_deep_inside(jit):
    """What the interpreter gave was told apart by the types of what is nested more than four deep, and zeros of complex
    numbers were one."""
    given = iter([(((((1,),),),),), (((((2,),),),),), complex(0, -0.0), 0j, complex(0, -0.0)])
    source = types.SimpleNamespace(pop=functools.partial(next, given))

    def f(x):
        found = source.pop()
        return x * 2, found

    compiled = jit(f)
    return [(repr(compiled(t(1.0))[1])) for _ in range(5)]


@program
def class_that_says_what_its_objects_are(jit):
    """`isinstance` asked the class of the class in the first call only."""
    told = []

    class Meta(type):
        def __instancecheck__(cls, value):
            told.append(("instance", value))
            return len(told) % 2 == 0

        def __subclasscheck__(cls, kind):
            told.append(("subclass", kind))
            return True

    class Kind(metaclass=Meta):
        pass

    def f(x):
        return x * 2 if isinstance(3, Kind) else x, issubclass(int, (str, Kind))

    compiled = jit(f)
    return [(compiled(t(1.0)), len(told)) for _ in range(4)]


@program
def callable_that_says_what_it_is_equal_to(jit):
    """It was compared with functions that are known, and hashed: methods of the program were called."""
    told = []

    class Scale:
        def __init__(self, factor):
            self.factor = factor

        def __call__(self, x):
            return x * self.factor

        def __eq__(self, other):
            told.append("eq")
            raise ValueError("not comparable")

        def __hash__(self):
            told.append("hash")
            return 1

    scale = Scale(2)

    def f(x, function):
        return function(x), Scale(3)(x), sorted([3, 1, 2], key=Scale(-1)), functools.partial(scale, x)()

    compiled = jit(f)
    functions = scale, Scale(4), types.MethodType(Scale(5), 2), scale
    return [outcome(compiled, t(k), function) for k, function in enumerate(functions)], told


@program
def sorted_by_a_function_that_compares(jit):
    """The keys refuse to be compared with anything else."""
    down = functools.cmp_to_key(lambda a, b: b - a)

    def f(x, items):
        same = functools.cmp_to_key(lambda a, b: a - b)
        return x * sorted(items, key=down)[0], max(items, key=same), down(items[0]) < down(items[1])

    compiled = jit(f)
    return [outcome(compiled, t(1, 2), items) for items in ([3, 1, 2], [3, 1, 2], [1.5, 2.5], [4, 5])]


@program
def error_of_an_operator_names_the_class_as_python_does(jit):
    space = types.SimpleNamespace(a=1)

    def f(x, function):
        return function(x)

    compiled = jit(f)
    functions = (lambda x: x * space), (lambda x: space + 1), (lambda x: space < 2), (lambda x: space <= 2)
    return [outcome(compiled, t(1), function) for function in functions for _ in range(2)]


@program
def error_about_starred_arguments_names_the_function(jit):
    class Scale:
        def __call__(self, a=1):
            return a

        def __str__(self):
            return "a scale"

    functions = (lambda a=1, **more: a), print, [].append, str.join, dict, Scale(), Scale().__call__, nn.ReLU()

    def starred(function, value):
        return function(*value)

    def named(function, value):
        return function(a=1, **value)

    def twice(function, value):
        return function(a=2, **value)

    compiled = [jit(f) for f in (starred, named, twice)]
    return [outcome(f, function, value) for function in functions for f in compiled for value in (5, {"a": 1}, 5)]


@program
def least_of_objects_with_items(jit):
    """The first of several arguments was walked over, as if it were the only one, and a function with items before it was
    called."""

    class Vector:
        def __init__(self, *items):
            self.items = items

        def __iter__(self):
            return iter(self.items)

        def __lt__(self, other):
            return sum(self) < sum(other)

        def __gt__(self, other):
            return sum(self) > sum(other)

        def __call__(self, *args, **more):
            return args, more

    def count(n):
        yield from range(n)

    def f(x, a, b, items):
        return x * sum(min(a, b)), max(a, b, Vector(2, 2)) is b, min(a), max(*b), a(*items), a(*b), b(*b, *items)

    def g(x, n):
        return max(count(n), default=x), min(count(n), 3)

    compiled, others = jit(f), jit(g)
    pairs = ((1, 2), (3, 4)), ((5, 1), (2, 2)), ((1, 1), (1, 1)), ((1.5,), (2, 3, 4))
    return [outcome(compiled, t(1, 2), Vector(*a), Vector(*b), [1]) for a, b in pairs], [
        outcome(others, t(k), k) for k in range(3)
    ]


@program
def object_beside_its_items(jit):
    """A list of the items stood in the place of the object too."""

    class Vector:
        def __init__(self, *items):
            self.items = items

        def __iter__(self):
            return iter(self.items)

    def f(x, vector):
        numbers = (x * k for k in vector)
        pair = numbers, list(numbers)
        first, (a, *rest) = vector, vector
        return (vector, list(vector)), [vector, *vector, vector], pair[1], next(pair[0], "over"), first, a, rest

    compiled = jit(f)
    return [compiled(t(k), Vector(*range(1, k + 2))) for k in (1, 1, 2)]


@program
def class_without_a_method_takes_no_arguments(jit):
    """Those that were given by name were dropped."""

    class Empty:
        pass

    def f(x, names):
        return x, type(Empty(**names)).__name__

    compiled = jit(f)
    return [outcome(compiled, t(1), names) for names in ({}, {"a": 1}, {}, {"a": 2})]


@program
def equal_functions_of_two_files(jit):
    """An error in the second named the file of the first."""
    source = "def f(x):\n    return x + ms.Tensor([1.0, 2.0])\n"
    told = []
    for file in ("<the first>", "<the second>"):
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        scope = {"ms": ms}
        exec(compile(source, file, "exec"), scope)
        try:
            jit(scope["f"])(t(1, 2, 3))
        except ValueError as error:
            told.append(str(error))
    return told


@program
def error_of_an_operator_whose_result_nobody_reads(jit):
    """One that computes in Python was not run, so what it refuses was taken, where nothing else was wanted."""

    def f(x):
        ops.inverse(x)
        return 3

    compiled, told = jit(f), []
    for x in (t([[1, 0], [0, 1]]), t([[1, 0], [0, 1]]), t([[0, 0], [0, 0]]), t([[1, 0], [0, 1]])):
        try:
            told.append(compiled(x))
        except ValueError as error:
            told.append(str(error))
    return told


@program
def error_of_a_method_in_a_later_call(jit):
    """The caret stood under the whole call, since what it was recorded from knew of no variables, and a hop of none."""

    def natively(x, y):
        z = x * 2
        return z.pow(y)

    def by_a_hop(x, y):
        return x.repeat_interleave(y)

    def in_place(x, y):
        x.mul_(y)
        return x

    weight = Parameter(t(1, 2), name="weight")

    def in_a_comprehension(x, y):
        return [z.pow(y) for z in (x, x * 2)]

    powers = ((1, 2), (1, 2), (-3, 1), (1, 2))
    called = [(f, i(2, 3), i(*y)) for f in map(jit, (natively, by_a_hop, in_a_comprehension)) for y in powers]
    called += [(f, x, t(1, 2)) for f in [jit(in_place)] for x in (weight * 2, weight * 3, weight, weight * 4)]
    return [outcome(*call) for call in called]


@program
def error_of_a_method_of_a_variable_around(jit):
    """The caret stood under the whole call, not under the tensor, which was not found among the variables."""
    weight = Parameter(t(1, 2, 3), name="weight")

    def f(x):
        shown = x * 2

        def g(y):
            return shown.add(y)

        weight.add_(1) if x.size == 3 else g(t(1, 2, 3))

    return [outcome(jit(f), x) for x in (t(1, 2, 3), t(1, 2), t(1, 2, 3), t(1, 2))]


@program
def weight_that_is_read_first_without_the_tape(jit):
    """Whether it has a history was asked where it was read first, and there nothing is followed."""
    weight, seen = Parameter(t(1, 2), name="weight"), []

    def f(x):
        with ms.no_grad():
            before = weight * 2
        return (weight * x + before).sum()

    compiled = jit(f)
    for k in range(8):
        weight.requires_grad = k % 4 > 1
        loss = compiled(t(1, k))
        seen += [loss, loss.requires_grad]
        if loss.requires_grad:
            loss.backward()
            seen.append(weight.grad)
            weight.grad = None
    return seen


@program
def parameter_is_made_behind_a_write(jit):
    """The compiler failed on what was asked of it."""

    class Box:
        kept = None
        weight = Parameter(t(1, 2), name="weight")

    def f(box, x):
        box.kept = x
        box.weight = Parameter(box.weight * 0.5, name="weight")
        return box.weight * x

    box, compiled = Box(), jit(f)
    return [(compiled(box, t(1, k)), box.weight) for k in range(4)]


@program
def write_that_is_refused_behind_a_change_of_an_attribute(jit):
    """Of a leaf, where the first call had brought a result: the attribute was not changed any more."""

    class Box:
        kept = None

    def f(box, x, y):
        box.kept = y * 2
        x.add_(y)
        return x * y

    leaf, compiled, seen = t(1, 2), jit(f), []
    leaf.requires_grad = True
    for x in (leaf * 2, leaf * 3, leaf, leaf * 1, leaf):
        box = Box()
        seen.append((outcome(compiled, box, x, t(3, len(seen))), box.kept))
    return seen
