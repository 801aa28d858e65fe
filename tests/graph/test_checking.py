"""`check=True` sees every kind of difference, names its place, and raises no false alarm."""

from __future__ import annotations

import array
import collections
import dataclasses
import datetime
import decimal
import functools
import io
import itertools
import logging
import operator
import os
import pathlib
import random
import subprocess
import sys
import threading
import time
import types
import warnings
import weakref
from typing import NamedTuple

import numpy as np
import pytest

import anfora as ms
from anfora import Parameter, Tensor, jit, nn, ops
from anfora.graph.run.pieces import Runner
from anfora.graph.tell import twins
from anfora.graph.tell.checking import CheckError
from anfora.graph.tell.watched import Watched
from anfora.kernel import build

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork"),
    pytest.mark.usefixtures("small_heap"),
]

COUNT = 0
SEEN: list = []
SHELF = types.ModuleType("a_module_of_the_program")
SHELF.level = 0
WEIGHT = Parameter(Tensor([3.0, 4.0]), name="weight")


def change_shelf():
    SHELF.level = 1


class Box:
    level = 0

    def __init__(self, **held):
        self.__dict__.update(held)


class Slots:
    __slots__ = ("one", "other")


class Items(list):
    pass


class Hostile:
    """Objects that nobody may ask anything."""

    def __init__(self, value):
        self.value = value

    def _refuse(self, *_):
        raise AssertionError("the program was run")

    __eq__ = __repr__ = __str__ = __len__ = __iter__ = __bool__ = __getattr__ = __getattribute__ = __hash__ = _refuse  # type: ignore[assignment]


@dataclasses.dataclass
class Pair:
    one: object
    other: object


class Named(NamedTuple):
    one: int
    other: int


class Renamed(NamedTuple):
    one: int
    other: int


@pytest.fixture
def told(caplog):
    """What is logged."""
    caplog.set_level(logging.WARNING, "anfora")
    return lambda: [record.getMessage() for record in caplog.records]


@pytest.fixture
def difference(monkeypatch, told):
    """The message of the error that a call raises whose compiled form does something else; None without one."""
    originally = Watched.call

    def find(right, wrong, *args):
        compiled = jit(right, check=True)

        def call(self, args, kwargs):
            return wrong(*args, **kwargs) if self is compiled.program else originally(self, args, kwargs)

        monkeypatch.setattr(Watched, "call", call)
        try:
            compiled(*args)
        except CheckError as error:
            return str(error).split("\n")[0]
        except Exception as error:
            return f"raised {type(error).__name__}"
        assert not told()
        return None

    return find


def gives(value):
    """A function that makes a value anew in each call."""
    return lambda *_: value()


def given(*values):
    return [gives(value) for value in values]


def does(*effects):
    """Functions of an object that do something to it, and give nothing."""

    def doing(effect):
        def do(held):
            effect(held)

        return do

    return [doing(effect) for effect in effects]


def sets_global(value):
    def function():
        global COUNT
        COUNT = value

    return function


def deletes_global():
    global COUNT
    del COUNT


def raises(error, cause=None, note=None, context=None):
    def function():
        raised = error()
        if note:
            raised.__notes__ = [note]
        if context:
            raised.__context__ = context()
        if cause:
            raise raised from cause()
        raise raised

    return function


def two(values):
    made = set()
    for value in values:
        made.add(value)
    return made


def advanced(iterator, steps):
    for _ in range(steps):
        next(iterator)
    return iterator


def counting(n):
    yield n
    yield n + 1


def closing_over(value):
    def function():
        return value

    return function


def tensor_and_view(is_view):
    x = Tensor([1.0, 2.0])
    return x, x[:1] if is_view else x[:1].copy()


def array_and_tensor(is_shared):
    held = np.ones(3, np.float32)
    return held, ms.from_numpy(held) if is_shared else Tensor(held)


def with_hook(factor):
    x = Tensor([1.0]).requires_grad_()
    x.register_hook(lambda g: g * factor)
    return x


def cyclic(value):
    held = [1]
    held += [held, value]
    return held


def deep(value):
    for _ in range(20_000):
        value = [value]
    return value


def remembered(count):
    function = functools.lru_cache(lambda n: n)
    for n in range(count):
        function(n)
    return function


def warned_of(text):
    def function():
        warnings.warn(text, stacklevel=1)

    return function


def own_method(value):
    class Own:
        def method(self):
            return value

    return Own()


NAN = float("nan")
OTHER_NAN = np.uint64(0x7FF8000000000001).view(np.float64).item()

RESULTS = {
    "numbers": (lambda: 1, lambda: 2, "result", "1", "2"),
    "kinds of numbers": (lambda: 1, lambda: True, "result", "1", "True"),
    "signs of zero": (lambda: [0.0], lambda: [-0.0], "result[0]", "0.0", "-0.0"),
    "bits of nan": (lambda: NAN, lambda: OTHER_NAN, "result", "nan", "nan"),
    "large integers": (lambda: 10**5000, lambda: 10**5000 + 1, "result", "", ""),
    "complex": (lambda: 1j, lambda: complex(-0.0, 1), "result", "0.0 + 1.0j", "-0.0 + 1.0j"),
    "texts": (lambda: "a", lambda: "b", "result", "'a'", "'b'"),
    "long texts": (lambda: "a" * 999, lambda: "a" * 500 + "b" * 499, "result at character 500", "aaa", "aab"),
    "bytes": (lambda: b"a", lambda: bytearray(b"a"), "result", "b'a'", "a bytearray"),
    "bytearrays": (lambda: bytearray(b"ab"), lambda: bytearray(b"ac"), "result", "'ab'", "'ac'"),
    "arrays": (lambda: array.array("i", [1]), lambda: array.array("i", [2]), "result", "", ""),
    "kinds": (lambda: (1, 2), lambda: [1, 2], "result", "( 1, 2, )", "a list of 2 items"),
    "lengths": (lambda: [1, 2], lambda: [1], "result", "a list of 2 items", "a list of 1 item"),
    "items": (lambda: [1, (2, {"a": 3})], lambda: [1, (2, {"a": 4})], "result[1][1]['a']", "3", "4"),
    "keys": (lambda: {"a": 1}, lambda: {"b": 1}, "result key 0", "'a'", "'b'"),
    "order of dicts": (lambda: {"a": 1, "b": 2}, lambda: {"b": 2, "a": 1}, "result key 0", "'a'", "'b'"),
    "order of sets": (lambda: two([0, 8]), lambda: two([8, 0]), "result item 0", "0", "8"),
    "sets of objects": (lambda: {Box()}, lambda: {Box(), Box()}, "result", "1 item", "2 items"),
    "frozensets": (lambda: frozenset([1]), lambda: frozenset([2]), "result", "1", "2"),
    "ranges": (lambda: range(0, 3, 2), lambda: range(0, 4, 2), "result", "range(0, 3, 2)", "range(0, 4, 2)"),
    "slices": (lambda: slice(1), lambda: slice(2), "result", "slice(None, 1, None)", "slice(None, 2, None)"),
    "ordered dicts": (
        lambda: collections.OrderedDict(a=1, b=2),
        lambda: (lambda d: d.move_to_end("a") or d)(collections.OrderedDict(a=1, b=2)),
        "result key 0", "'a'", "'b'",
    ),
    "defaults of dicts": (
        lambda: collections.defaultdict(list), lambda: collections.defaultdict(set), "result.default_factory",
        "the class list", "the class set",
    ),
    "deques": (lambda: collections.deque([1], 3), lambda: collections.deque([1], 4), "result", "3 at most", "4 at"),
    "named tuples": (lambda: Named(1, 2), lambda: Renamed(1, 2), "result", "Named", "Renamed"),
    "dataclasses": (lambda: Pair(1, 2), lambda: Pair(1, 3), "result.other", "2", "3"),
    "attributes": (lambda: Box(a=1), lambda: Box(a=1, b=2), "result", ".Box with a", "with a, b"),
    "slots": (lambda: Slots(), lambda: (lambda s: setattr(s, "one", 1) or s)(Slots()), "result", "", "with one"),
    "subclasses": (lambda: Items([1]), lambda: [1], "result", ".Items of 1 item", "a list"),
    "enums": (lambda: operator.add, lambda: operator.sub, "result", "the function add", "the function sub"),
    "modules": (lambda: os, lambda: sys, "result", "the module os", "the module sys"),
    "classes": (lambda: int, lambda: bool, "result", "the class int", "the class bool"),
    "functions": (lambda: closing_over(1), lambda: closing_over(2), "variable value of", "1", "2"),
    "defaults": (lambda: lambda n=1: n, lambda: lambda n=2: n, "result", "", ""),
    "partials": (
        lambda: functools.partial(max, 1), lambda: functools.partial(max, 2), "result.args", "( 1, )", "( 2, )",
    ),
    "methods": (lambda: [1].append, lambda: [2].append, "result.__self__[0]", "1", "2"),
    "methods of the program": (lambda: own_method(1), lambda: own_method(2), "variable value of", "1", "2"),
    "lru caches": (lambda: remembered(1), lambda: remembered(2), "result", "", ""),
    "aliases": (
        lambda: (lambda a: [a, a])([]), lambda: [[], []], "result[1]", "the same object as result[0]", "a list of 0",
    ),
    "cycles": (lambda: cyclic(1), lambda: cyclic(2), "result[2]", "1", "2"),
    "depth": (lambda: deep(1), lambda: deep(2), "result[0][0]", "1", "2"),
    "hostile objects": (lambda: Hostile(1), lambda: Hostile(2), "result.value", "1", "2"),
    "dead references": (
        lambda: (lambda b: [b, weakref.ref(b)])(Box()), lambda: [Box(), weakref.ref(Box())], "result[1]",
        "a ReferenceType", "a ReferenceType, dead",
    ),
    "generators": (lambda: counting(1), lambda: counting(2), "result.gi_frame.n", "1", "2"),
    "ended generators": (
        lambda: advanced(counting(1), 1), lambda: (lambda g: list(g) and g)(counting(1)), "result",
        "the generator counting", "a generator at its end",
    ),
    "iterators of lists": (lambda: iter([1, 2]), lambda: advanced(iter([1, 2]), 1), "result", "0", "1"),
    "enumerations": (lambda: enumerate("ab"), lambda: enumerate("ab", 1), "result", "0", "1"),
    "counters": (lambda: itertools.count(1), lambda: itertools.count(2), "result", "1", "2"),
    "maps": (lambda: map(abs, [1]), lambda: map(abs, [2]), "result", "1", "2"),
    "dates": (
        lambda: datetime.date(2000, 1, 2), lambda: datetime.date(2000, 1, 3), "result", "", "",
    ),
    "decimals": (
        lambda: decimal.Decimal("1.0"), lambda: decimal.Decimal("1.00"), "result", "1.0", "1.00",
    ),
    "numbers of numpy": (lambda: np.float32(1), lambda: np.float64(1), "result", "numpy.float32", "numpy.float64"),
    "arrays of numpy": (
        lambda: np.array([[1.0, 2.0]]), lambda: np.array([[1.0, 3.0]]), "result, element [0, 1]", "2.0", "3.0",
    ),
    "element types": (lambda: np.zeros(2, "f4"), lambda: np.zeros(2, "f8"), "result", "<f4[2]", "<f8[2]"),
    "strides": (lambda: np.zeros((2, 2)), lambda: np.zeros((2, 2)).T, "result", "memory 0", "memory 0, strides"),
    "arrays of objects": (
        lambda: np.array([None, 1], object), lambda: np.array([None, 2], object), "result[1]", "1", "2",
    ),
    "tensors": (lambda: Tensor([1.0, 2.0]), lambda: Tensor([1.0, 3.0]), "result, element [1]", "2.0", "3.0"),
    "large tensors": (
        lambda: ops.zeros((50, 50)), lambda: ops.eye(50, 50) * 0 + (ops.arange(50) == 9).astype(ms.float32),
        "result, element [0, 9]", "0.0", "1.0",
    ),
    "halves": (
        lambda: Tensor([1.0], ms.bfloat16), lambda: Tensor([2.0], ms.bfloat16), "result, element [0]", "1.0", "2.0",
    ),
    "nan in tensors": (
        lambda: Tensor(np.array([NAN])), lambda: Tensor(np.array([OTHER_NAN])), "result, element [0]",
        "nan (bits 7ff8000000000000)", "nan (bits 7ff8000000000001)",
    ),
    "types of tensors": (lambda: Tensor([1]), lambda: Tensor([1.0]), "result", "int64[1]", "float32[1]"),
    "views": (
        lambda: tensor_and_view(True), lambda: tensor_and_view(False), "result[1]", "in memory 0", "in memory 1",
    ),
    "memory of numpy": (
        lambda: array_and_tensor(True), lambda: array_and_tensor(False), "result[1]", "in memory 0", "in memory 1",
    ),
    "followed tensors": (
        lambda: Tensor([1.0]), lambda: Tensor([1.0]).requires_grad_(), "result", "float32[1] in", "float32[1], followed",
    ),
    "hooks": (lambda: with_hook(1), lambda: with_hook(2), "variable factor of", "1", "2"),
    "names": (
        lambda: Parameter(Tensor(1.0), name="a"), lambda: Parameter(Tensor(1.0), name="b"), "result._name", "'a'", "'b'",
    ),
    "cells": (lambda: nn.Dropout(0.5), lambda: nn.Dropout(0.25), "result.", "", ""),
    "histories": (lambda: WEIGHT * 2, lambda: (WEIGHT * 2).detach(), "result", "with a history", "in memory"),
    "gradients": (
        lambda: WEIGHT * WEIGHT, lambda: WEIGHT * WEIGHT.detach(), "the gradient of global WEIGHT, element [0]", "", "",
    ),
    "leaves": (
        lambda: WEIGHT * Parameter(1.0), lambda: WEIGHT * Parameter(1.0).detach(), "the gradients", "2", "1",
    ),
    "texts in memory": (lambda: io.StringIO("ab"), lambda: io.StringIO("ac"), "result", "'ab'", "'ac'"),
}  # fmt: skip


@pytest.mark.parametrize("name", RESULTS)
def test_a_difference_of_results_is_named(name, difference):
    right, wrong, where, was, came = RESULTS[name]
    message = difference(*given(right, wrong))
    assert message is not None and message.startswith(f"<lambda>, call 1: {where}"), message
    python, compiled = message.split(" differs: Python gives ")[1].split(", compiled it is ")
    assert was in python and came in compiled and python != compiled, message
    assert difference(*given(right, right)) is None


EFFECTS = {
    "items": (lambda x: x.a.append(1), lambda x: x.a.append(2), "argument held.a[0]"),
    "attributes": (lambda x: setattr(x, "b", 1), lambda x: None, "argument held"),
    "attributes deleted": (lambda x: delattr(x, "a"), lambda x: None, "argument held"),
    "class attributes": (lambda x: setattr(Box, "level", 1), lambda x: None, f"class {Box.__module__}.Box.level"),
    "modules": (lambda x: change_shelf(), lambda x: SHELF.level, "global SHELF.level"),
    "lists of modules": (lambda x: SEEN.append(x), lambda x: SEEN, "global SEEN"),
    "data": (lambda x: x.t.add_(1), lambda x: x.t, "argument held.t, element [0]"),
    "arrays": (lambda x: x.n.fill(1), lambda x: x.n, "argument held.n, element [0]"),
    "gradients": (lambda x: (WEIGHT * 2).sum().backward(), lambda x: WEIGHT, "global WEIGHT"),
    "hooks": (lambda x: WEIGHT.register_hook(print), lambda x: WEIGHT, "global WEIGHT"),
    "output": (lambda x: print("a"), lambda x: print("b"), "output to sys.stdout"),
    "errors": (lambda x: print("a", file=sys.stderr), lambda x: print(end="", file=sys.stderr), "output to sys.stderr"),
    "files": (lambda x: os.write(1, b"a"), lambda x: os.write(1, b"b"), "output to"),
    "streams": (lambda x: setattr(sys, "stdout", io.StringIO()), lambda x: sys, "sys.stdout"),
    "our random numbers": (lambda x: ops.rand(1), lambda x: ops, "random numbers"),
    "Python's random numbers": (lambda x: random.random(), lambda x: random, "Python's random numbers"),
    "numpy's random numbers": (lambda x: np.random.rand(), lambda x: np, "numpy's random numbers"),
    "warnings": (lambda x: warnings.warn("a", stacklevel=1), lambda x: warnings.warn("b", stacklevel=1), "warnings"),
    "what is recorded": (lambda x: ms.no_grad().__enter__(), lambda x: ms, "what is recorded"),
    "references": (lambda x: x.__dict__.pop("o"), lambda x: SEEN.append(x.__dict__.pop("o")), "argument held.r"),
    "iterators": (lambda x: next(x.i), lambda x: x, "argument held.i"),
    "generators": (lambda x: next(x.g), lambda x: x, "argument held.g"),
    "functions": (lambda x: setattr(x.f, "n", 1), lambda x: setattr(x.f, "n", 2), "argument held.f.n"),
}


@pytest.mark.parametrize("name", EFFECTS)
def test_a_difference_of_effects_is_named(name, difference, monkeypatch, capfd):
    right, wrong, where = EFFECTS[name]

    def held():
        other = Box()
        return Box(
            a=[], t=Tensor([1.0]), n=np.zeros(1), o=other, r=weakref.ref(other), i=iter([1]), g=counting(1), f=lambda: 0
        )

    monkeypatch.setattr(Box, "level", 0)
    monkeypatch.setattr(SHELF, "level", 0)
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    before = WEIGHT.grad
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        message = difference(*does(right, wrong), held())
    WEIGHT.grad = before
    SEEN.clear()
    assert message is not None and f"call 1: {where}" in message, message


def test_a_global_variable_that_is_set_deleted_or_not(difference, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "COUNT", 0)
    assert "global COUNT differs: Python gives 1, compiled it is 2" in difference(sets_global(1), sets_global(2))
    assert "global COUNT differs: Python gives nothing, compiled it is 2" in difference(deletes_global, sets_global(2))
    monkeypatch.setattr(sys.modules[__name__], "COUNT", 0, raising=False)


def errors_of(text):
    def function():
        return later  # noqa: F821

    def other():
        raise NameError("name 'later' is not defined")

    return {"function": function, "other": other}[text]


ERRORS = {
    "results": (lambda: None, raises(ValueError), "what it does", "a result", "an error, ValueError"),
    "kinds": (raises(KeyError), raises(ValueError), "what it does", "an error, KeyError", "an error, ValueError"),
    "arguments": (
        raises(lambda: ValueError("a")), raises(lambda: ValueError("b")), "error.args[0]", "'a'", "'b'",
    ),
    "causes": (raises(ValueError, KeyError), raises(ValueError), "error", "", ""),
    "contexts": (raises(ValueError, context=KeyError), raises(ValueError), "error.__context__", "a KeyError", "None"),
    "notes": (raises(ValueError, note="a"), raises(ValueError, note="b"), "error.__notes__[0]", "'a'", "'b'"),
    "names": (errors_of("function"), errors_of("other"), "error.name", "'later'", "None"),
    "exits": (raises(lambda: SystemExit(1)), raises(lambda: SystemExit(2)), "error", "", ""),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_a_difference_of_errors_is_named(name, difference):
    right, wrong, where, was, came = ERRORS[name]
    message = difference(right, wrong)
    assert f", call 1: {where}" in message, message
    python, compiled = message.split(" differs: Python gives ")[1].split(", compiled it is ")
    assert was in python and came in compiled, message


def test_a_piece_that_computes_something_else(monkeypatch):
    compile_ = Runner._compile

    def wrong(self):
        right = compile_(self)

        def run(values):
            live = right(values)
            return live and [value + 1 if isinstance(value, Tensor) else value for value in live]

        return run

    monkeypatch.setattr(Runner, "_compile", wrong)
    run = jit(lambda x: x * 2, check=True)
    run(Tensor([1.0, 2.0]))  # recorded: right by being the program itself
    with pytest.raises(
        CheckError, match=r"call 2: result, element \[0\] differs: Python gives 2.0, compiled it is 3.0"
    ):
        run(Tensor([1.0, 2.0]))


# -- no false alarms --------------------------------------------------------------------------------------------------


def trains():
    net, optimizer = nn.Dense(2, 2), None
    optimizer = nn.Adam(net.trainable_params(), 0.1)
    step = ms.value_and_grad(lambda x: (net(x) ** 2).sum(), None, optimizer.parameters)
    x = ops.ones((3, 2))

    def run():
        loss, gradients = step(x)
        optimizer(gradients)
        return loss

    return run


def writes_about():
    log, table = [], {}

    def run():
        global COUNT
        COUNT += 1
        log.append(COUNT)
        table[f"at {COUNT}"] = Box(n=COUNT, all=log)
        print("line", COUNT, Box(), file=sys.stdout)
        return table, log, {Box(), Box()}, object()

    return run


def differentiates():
    inner = jit(lambda x: (x * WEIGHT).sum())

    def run():
        (inner(Tensor([1.0, 2.0])) * 2).backward()
        return ms.grad(inner)(Tensor([1.0, 2.0])), WEIGHT.grad

    return run


def fails():
    def run():
        try:
            {}["a"]
        except KeyError as error:
            raise ValueError(f"at {object()}") from error

    return run


def exits():
    return lambda: sys.exit(3)


def draws():
    return lambda: (ops.rand(2), random.random(), np.random.rand(2), ops.dropout(ops.ones(5), 0.5, training=True))


def recurses():
    def run(n=50):
        return 0 if n == 0 else run(n - 1) + 1

    return run


def iterates():
    def run():
        items = (x * 2 for x in range(5))
        next(items)
        pairs = zip([1, 2], itertools.count())
        return items, pairs, iter([1]), enumerate([5]), weakref.ref(items)

    return run


@pytest.mark.parametrize("make", [trains, writes_about, differentiates, fails, exits, draws, recurses, iterates])
def test_no_false_alarm(make, told, monkeypatch, capsys):
    monkeypatch.setattr(sys.modules[__name__], "COUNT", 0)
    before = WEIGHT.grad
    run = jit(make(), check=True)
    for _ in range(3):
        try:
            run()
        except CheckError:
            raise
        except (ValueError, SystemExit):
            assert make in (fails, exits)
    WEIGHT.grad = before
    assert told() == []


def reads_a_variable_that_is_not_there():
    def inner():
        return later

    inner()
    later = 1


def fails_while_it_handles():
    try:
        {}["a"]
    except KeyError:
        [][0]


def fails_at_last():
    try:
        {}["a"]
    finally:
        [][0]


class Endless:
    def __iter__(self):
        raise TypeError("not today")


def imports_a_name():
    from math import no_such_name  # type: ignore[attr-defined]  # noqa: F401


def unpacks(value):
    def function():
        _one, _other = value

    return function


def unpacks_rest(value):
    def function():
        _one, *_other = value

    return function


FAILING = [
    reads_a_variable_that_is_not_there, fails_while_it_handles, fails_at_last, imports_a_name, unpacks(5), unpacks([1]),
    unpacks(Endless()), unpacks_rest(5), unpacks_rest([]), unpacks_rest(Endless()), raises(ValueError), fails(), exits(),
    lambda: None.nope, lambda: ops.nope, lambda: SHELF.nope, lambda: Box().nope, lambda: Slots().one, lambda: {}[1],
    lambda: [][1], lambda: max(), lambda: 5 < "a", lambda: int("z"), lambda: 1 // 0, lambda: nope,  # noqa: F821
    lambda: ops.matmul(ops.ones((2, 3)), ops.ones((2, 3))), lambda: bool(ops.ones(3)), lambda: next(iter([])),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(FAILING)))
def test_errors_are_pythons_with_all_that_they_hold(number, told):
    """Names, contexts and causes too, which no message shows."""
    run = jit(FAILING[number], check=True)
    for _ in range(2):
        with pytest.raises((Exception, SystemExit)) as caught:
            run()
        assert not isinstance(caught.value, CheckError), caught.value
    assert told() == []


def test_effects_are_done_once(capfd):
    log: list[int] = []

    @jit(check=True)
    def program(x, log):
        log.append(len(log))
        print("once", ops.rand(1).shape)
        os.write(2, b"twice? no\n")
        x[0] = 7.0
        return x + ops.rand(2)

    ms.set_seed(3)
    x = Tensor([1.0, 2.0])
    checked = program(x, log)
    ms.set_seed(3)
    plain = program.__wrapped__(y := Tensor([1.0, 2.0]), [])
    assert checked.tolist() == plain.tolist() and x.tolist() == y.tolist() and log == [0]
    assert capfd.readouterr() == ("once (1,)\n" * 2, "twice? no\n" * 2)


def test_what_this_library_tells_is_no_output_of_the_program(monkeypatch, capfd):
    monkeypatch.setattr(build.Progress, "PATIENCE", -1.0)
    caught = twins.Caught()
    caught.start()
    with build.progress:
        print("of the program")
    texts = caught.texts()
    caught.stop(True)
    caught.close()
    assert b"".join(texts.values()) == b"of the program\n"
    assert "kernels compiled" in capfd.readouterr().err


def test_the_programs_own_error_comes_through():
    @jit(check=True)
    def failing(x):
        raise ValueError(f"bad {x.shape}")

    with pytest.raises(ValueError, match=r"bad \(1,\)"):
        failing(Tensor([1.0]))


def test_calls_inside_are_a_part_of_the_call(monkeypatch):
    made = []
    monkeypatch.setattr(twins.Twin, "__init__", lambda *args, init=twins.Twin.__init__: made.append(1) or init(*args))
    inner = jit(lambda x: x + 1, check=True)
    outer = jit(lambda x: inner(x) * 2, check=True)
    assert outer(Tensor(1.0)).item() == 4 and len(made) == 1


# -- no verdict -------------------------------------------------------------------------------------------------------


def test_what_python_does_not_decide_has_no_verdict(told):
    run = jit(lambda x: (x, time.perf_counter_ns()), check=True)
    run(Tensor([1.0]))
    assert told() == [
        "<lambda>, call 1, is not checked: Python itself gives something else each time: result[1]",
    ]


def test_what_only_a_compiler_knows_has_no_verdict(told):
    run = jit(lambda x: ops.isconstant(x), check=True)
    assert run(Tensor([1.0])) is False
    assert told() == ["<lambda>, call 1, is not checked: Python's run asks what only a compiler knows"]


@pytest.mark.parametrize(
    "what, patience, reason",
    [
        (lambda: os._exit(3), 20, "Python's run ended with status 3"),
        (lambda: os.kill(os.getpid(), 9), 20, "Python's run was ended by SIGKILL"),
        (lambda: time.sleep(60), 0.3, "Python's run took longer than"),
    ],
)
def test_a_run_without_an_end_has_no_verdict(what, patience, reason, told, monkeypatch):
    monkeypatch.setattr(twins, "PATIENCE", patience)
    here = os.getpid()
    run = jit(lambda x: what() if os.getpid() != here else x, check=True)
    start = time.monotonic()
    run(Tensor([1.0]))
    assert time.monotonic() - start < 30
    assert len(told()) == 1 and f"<lambda>, call 1, is not checked: {reason}" in told()[0]


def test_a_process_without_forks(told, monkeypatch):
    monkeypatch.setattr(twins, "can_fork", lambda: False)
    assert jit(lambda x: x + 1, check=True)(Tensor(1.0)).item() == 2
    assert "is not checked: there is no other process" in told()[0]


def test_nothing_is_left_behind():
    run = jit(lambda x: x + 1, check=True)
    run(Tensor(1.0))
    before = set(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else set()
    for _ in range(3):
        run(Tensor(1.0))
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
    assert not before or set(os.listdir("/proc/self/fd")) == before


def test_threads_are_checked_too():
    run, wrong = jit(lambda x: x * 2, check=True), []

    def work(number):
        wrong.extend(1 for _ in range(2) if run(Tensor([float(number)]))[0].item() != 2 * number)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_the_environment_checks_all():
    program = (
        "import anfora as ms\n"
        "from anfora import Tensor, jit, nn\n"
        "from anfora.graph.tell.checking import Checked\n"
        "f = jit(lambda x: x + 1)\n"
        "net = nn.ReLU()\n"
        "ms.set_context(mode=ms.GRAPH_MODE)\n"
        "print(f(Tensor(1.0)), net(Tensor(1.0)), type(f.program) is Checked, type(net._program) is Checked,\n"
        "      f.program.calls, net._program.calls)\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False,
        env={**os.environ, "ANFORA_CHECK": "1"},
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("2.0 1.0 True True 1 1\n", "")


PROGRAMS = """
def counts(jit):
    seen = []

    @jit
    def f(x, n):
        seen.append(n)
        print("call", n)
        return x * len(seen)

    return lambda n: f(Tensor([1.0]), n)

def is_compiled(jit):
    f = jit(lambda x: x)
    return lambda n: n > 0 and hasattr(f, "program")

def crashes(jit):
    import os
    f = jit(lambda x: x)
    return lambda n: os._exit(3) if hasattr(f, "program") else n
"""


def test_the_tool_that_compares_processes(tmp_path):
    (tmp_path / "programs.py").write_text(PROGRAMS)
    tool = pathlib.Path(__file__).parents[2] / "benchmarks" / "differing.py"
    done = subprocess.run(
        [sys.executable, tool, tmp_path / "programs.py", "--calls", "2", "--jobs", "2"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.stdout.splitlines(), done.returncode) == (
        [
            "ok      counts",
            "DIFFERS is_compiled: call 1: result: Python gives False, compiled it is True",
            "DIFFERS crashes: call 0: Python ends, compiled it ends with 3: ",
            "3 programs, 2 differ",
        ],
        2,
    ), done.stderr


def test_who_does_not_check_does_not_load_it():
    program = "import sys; from anfora import jit; jit(lambda: 1)(); print('anfora.graph.tell.checking' in sys.modules)"
    environment = {name: value for name, value in os.environ.items() if name != "ANFORA_CHECK"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, env=environment
    )  # fmt: skip
    assert done.stdout == "False\n", done.stderr
