"""What a compiled function asks for its type, shows, or returns is of Python's own types."""

from __future__ import annotations

import copy
import pickle
import types

import pytest

import anfora as ms
from anfora import Tensor


def increased(item):
    return item + 1


def is_not_one(item):
    return item != 1


MAKERS = {
    "map": lambda: map(abs, [1, -2, 3]),
    "map of two": lambda: map(max, [1, 5], [3, 2]),
    "map of a function": lambda: map(increased, [1, 2, 3]),
    "filter": lambda: filter(None, [0, 1, 2]),
    "filter by a function": lambda: filter(is_not_one, [0, 1, 2]),
    "generator": lambda: (item * 2 for item in [1, 2, 3]),
    "keys": lambda: iter({1: 2, 3: 4}),
    "values": lambda: iter({1: 2, 3: 4}.values()),
    "items": lambda: iter({1: 2, 3: 4}.items()),
    "view": lambda: {1: 2, 3: 4}.keys(),
    "list": lambda: iter([1, 2]),
    "zip": lambda: zip([1, 2], [3, 4]),
    "enumerate": lambda: enumerate("ab"),
}


def named(make, x):
    return type(make()).__name__, repr(make()).split(" at ")[0], isinstance(make(), types.GeneratorType), x


def compared(make, x):
    kinds = (map, filter, zip, enumerate, types.GeneratorType, type(iter({})))
    return [type(make()) is kind for kind in kinds], [isinstance(make(), kind) for kind in kinds], x


def returned(make, x):
    return make()


def returned_inside(make, x):
    return {"list": [make(), (make(),)], "x": x}


def returned_in_the_middle(make, x):
    made = make()
    if hasattr(made, "__next__"):
        next(made)
    return [made, x]


def copied(make, x):
    try:
        return list(copy.copy(make())), x
    except TypeError as error:
        return str(error), x


PROGRAMS = [named, compared, returned, returned_inside, returned_in_the_middle, copied]


def seen(value):
    """A value with the types of all that it holds; iterators with what they give."""
    if isinstance(value, Tensor):
        return value.tolist()
    if type(value) is dict:
        return {key: seen(item) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(map(seen, value))
    if hasattr(value, "__next__") or type(value).__name__.startswith("dict_"):
        return type(value), list(value)
    return value


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_kinds(program, maker):
    make = MAKERS[maker]
    compiled = ms.jit(program)
    for number in (1.0, 2.0, 3.0):
        x = Tensor([number])
        assert seen(compiled(make, x)) == seen(program(make, x))


def test_generators_cannot_be_pickled():
    def program(x):
        try:
            pickle.dumps(item for item in [1])
        except TypeError as error:
            return str(error), x

    compiled = ms.jit(program)
    for _ in range(3):
        assert compiled(Tensor(1.0))[0] == "cannot pickle 'generator' object"


def test_a_generator_that_is_returned_is_pythons():
    def program(x):
        def steps(first):
            got = yield first
            try:
                yield got
            except KeyError:
                yield "caught"
            return "end"

        running = steps(x)
        next(running)
        return running

    for function in (program, ms.jit(program), ms.jit(program)):
        for _ in range(3):
            running = function(Tensor(1.0))
            assert type(running) is types.GeneratorType
            assert running.__name__ == "steps"
            assert running.__qualname__.endswith("program.<locals>.steps")
            assert running.send("sent") == "sent"
            assert running.throw(KeyError()) == "caught"
            with pytest.raises(StopIteration) as stop:
                next(running)
            assert stop.value.value == "end"
