"""Generators of the program: what they delegate to hears of exceptions from outside, and a variable may hold them while
they run. Each program is run by Python and compiled, call after call."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from outcomes import outcome

import anfora as ms
from anfora import Tensor, nn

LOG: list[Any] = []


class Counting:
    """Counts down."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __iter__(self) -> Counting:
        return self

    def __next__(self) -> int:
        self.n -= 1
        if self.n < 0:
            raise StopIteration
        return self.n


class Closed(Counting):
    def close(self) -> None:
        LOG.append("closed")


class Told(Closed):
    """Has all that a generator has."""

    def send(self, value: Any) -> Any:
        LOG.append(value)
        return value

    def throw(self, error: BaseException) -> Any:
        LOG.append(repr(error))
        if isinstance(error, LookupError):
            raise StopIteration("found")
        if isinstance(error, ArithmeticError):
            raise error
        return -5


def catching() -> Iterator[int]:
    try:
        yield 1
    except ValueError as error:
        LOG.append(repr(error))
        yield 2
    yield 3


def plain() -> Iterator[int]:
    yield 1
    yield 2


def through() -> Iterator[int]:
    yield from catching()


DELEGATES: dict[str, Callable[[], Any]] = {
    "iterator": lambda: Counting(3),
    "with close": lambda: Closed(3),
    "with all": lambda: Told(3),
    "generator": plain,
    "generator that catches": catching,
    "generator that delegates": through,
    "list": lambda: [1, 2, 3],
}


def outer(items: Any) -> Iterator[Any]:
    found = yield from items
    yield "found", found
    yield "last"


def throw(items: Any, error: BaseException, x: Tensor) -> Any:
    given = outer(items)
    first = next(given)
    try:
        second = given.throw(error)
    except (ValueError, LookupError, ArithmeticError) as raised:
        second = repr(raised), raised is error
    return x * first, second, list(given)


def close(items: Any, error: BaseException, x: Tensor) -> Any:
    given = outer(items)
    first = next(given)
    given.close()
    return x * first, list(given)


def throw_exit(items: Any, error: BaseException, x: Tensor) -> Any:
    given = outer(items)
    next(given)
    try:
        given.throw(GeneratorExit)
    except GeneratorExit:
        return x, list(given)


@pytest.mark.parametrize("use", [throw, close, throw_exit])
@pytest.mark.parametrize("error", [ValueError("v"), KeyError("k"), ZeroDivisionError("z")], ids=repr)
@pytest.mark.parametrize("delegate", DELEGATES)
def test_exceptions_go_to_what_a_generator_delegates_to(delegate: str, error: Exception, use: Callable) -> None:
    compiled = ms.jit(use)
    for _ in range(3):
        told = []
        for function in (use, compiled):
            LOG.clear()
            told.append((outcome(function, DELEGATES[delegate](), type(error)(*error.args), Tensor([1.0])), [*LOG]))
        assert told[0] == told[1]


def held(x: Tensor, n: int) -> Any:
    items = Counting(n)
    for item in items:
        x = x + item
    return x, sum(2 * item for item in Counting(n)), [*map(int, Counting(n))], items.n


def held_generator(x: Tensor, n: int) -> Any:
    items = (item * 2 for item in Counting(n))
    for item in items:
        x = x + item
        print(end="")
    return x, n


class Normal(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.normal = nn.BatchNorm1d(3)

    def construct(self, x: Tensor) -> Tensor:
        return self.normal(x)


def trained() -> Callable:
    net = Normal()

    def set_and_run(x: Tensor, n: int) -> Any:
        net.set_train(n > 1)
        y = net(x)
        net.set_train(False)
        return y, net.normal.training

    return set_and_run


@pytest.mark.parametrize("make", [lambda: held, lambda: held_generator, trained], ids=["items", "generator", "Cell"])
def test_a_variable_holds_what_runs(make: Callable, counts: Any) -> None:
    python, compiled = make(), ms.jit(make())
    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    for n in [1, 2, 3, 4, 0, 7, 5, 1, 2, 3, 4, 0] * 2:
        assert outcome(compiled, x, n) == outcome(python, x, n)


def test_the_frame_of_a_generator_shows_the_variables_around_it():
    kept = []

    @ms.jit(check=True)
    def f(x, n):
        def g():
            own = n
            yield x
            yield own, (lambda: own)

        generator = g()
        first = next(generator)
        kept.append(generator)
        return first, generator.send(x)[0]

    assert [f(Tensor([1.0]), n)[1] for n in range(4)] == [0, 1, 2, 3]


class Rows:
    """Something to go over, by `__getitem__` alone."""

    def __init__(self, ending, count):
        self.ending, self.count = ending, count

    def __getitem__(self, place):
        self.ending()
        return (1, 2, 1.5)[: self.count][place]


def own_generator(ending):
    for item in (1, 2, 3):
        ending()
        yield item


def delegating(ending):
    yield from own_generator(ending)


#: Iterators that call code of the program for their first item.
RUNNING = {
    "generator": lambda ending: own_generator(ending),
    "generator expression": lambda ending: (ending() or item for item in (1, 2)),
    "delegating": lambda ending: delegating(ending),
    "map": lambda ending: map(lambda item, other: ending() or item + other, (1, 2), (3, 4)),
    "filter": lambda ending: filter(lambda item: ending() or item, (1, 2)),
    "chain": lambda ending: itertools.chain.from_iterable([Rows(ending, 3), (4,)]),
    "takewhile": lambda ending: itertools.takewhile(lambda item: ending() or item < 3, (1, 2, 3)),
    "dropwhile": lambda ending: itertools.dropwhile(lambda item: ending() or item < 2, (1, 2, 3)),
    "starmap": lambda ending: itertools.starmap(lambda a, b: ending() or a + b, ((1, 2), (3, 4))),
    "accumulate": lambda ending: itertools.accumulate(own_generator(ending)),
    "pairwise": lambda ending: itertools.pairwise(own_generator(ending)),
    "groupby": lambda ending: itertools.groupby((1, 1, 2), lambda item: ending() or item),
    "compress": lambda ending: itertools.compress(own_generator(ending), (1, 1, 0)),
}


@pytest.mark.parametrize("maker", RUNNING)
def test_one_that_runs_when_recording_ends_is_pythons_when_it_waits(maker):
    """What it iterates over has changed, and only Python knows where it is."""
    make = RUNNING[maker]

    def program(x, table):
        lost = iter(table)
        table.pop("a", None)

        def ending():
            ms.get_context("mode")
            lost.__length_hint__()
            x.asnumpy()

        made = make(ending)
        first = next(made)
        return made, [made, {"it": made}], x * 2, first if not isinstance(made, itertools.groupby) else first[0]

    compiled = ms.jit(program)
    for count in range(3):
        came, (again, held), _, first = compiled(Tensor([1.0 + count]), {"a": 1, "b": 2})
        right, _, _, one = program(Tensor([1.0 + count]), {"a": 1, "b": 2})
        assert type(came) is type(right)
        assert came is again is held["it"]
        assert first == one
        if maker != "groupby":
            assert list(came) == list(right)


def test_attributes_of_the_programs_generators_are_its_own():
    """Of any name, also one by which this library once told its own generators."""
    said = []

    def told(n):
        try:
            yield from range(n)
        finally:
            said.append("ended")

    told.original = told.is_given_iterators = "the program's"

    def program(x, n):
        for i in told(n):
            if i == 1:
                break
        said.append("behind")
        return x * i, type(told(n)).__name__

    def run(way):
        found = []
        for n in (3, 4, 5):
            found.append(way(Tensor([1.0]), n)[1])
            found.append(list(said))
            said.clear()
        return found

    assert run(ms.jit(program)) == run(program)
