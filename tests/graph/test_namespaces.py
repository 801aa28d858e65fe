"""`types.SimpleNamespace`, as programs keep their settings in it: its attributes are read and written like those of other
objects."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import pytest
from outcomes import bits

import anfora as ms
from anfora import Tensor


def shown(value: Any) -> Any:
    if isinstance(value, types.SimpleNamespace):
        return type(value), shown(vars(value))
    if isinstance(value, (tuple, list)):
        return type(value), [shown(item) for item in value]
    return {name: shown(item) for name, item in value.items()} if isinstance(value, dict) else bits(value)


def settings_from_outside() -> Callable:
    settings = types.SimpleNamespace(scale=2.5, count=3, layers=[1, 2], inner=types.SimpleNamespace(shift=1))

    def run(x: Tensor) -> Any:
        found = hasattr(settings, "nothing"), getattr(settings, "more", 7), True if settings else False  # noqa: SIM210
        try:
            settings.nothing  # noqa: B018
        except AttributeError as error:
            text = str(error)
        settings.count += 1
        settings.last = x * settings.count
        return x * settings.scale + settings.inner.shift, len(settings.layers), found, text, settings.last

    return run


def one_that_is_made() -> Callable:
    def run(x: Tensor) -> Any:
        space = types.SimpleNamespace(a=x, b=2)
        space.c = space.a * space.b

        def inner() -> Tensor:
            return space.c + 1

        space.d, space.itself = inner(), None
        del space.b
        return space, space.d, hasattr(space, "b")

    return run


def one_that_lives_on_behind_a_hop() -> Callable:
    def run(x: Tensor) -> Any:
        space = types.SimpleNamespace(a=x)
        print(end="")
        space.b = space.a * 2
        return space

    return run


def one_that_is_compared_and_shown() -> Callable:
    def run(x: Tensor) -> Any:
        space = types.SimpleNamespace(a=1)
        return space == types.SimpleNamespace(a=1), repr(space), vars(space), space

    return run


class Plain:
    def __init__(self, a: Any) -> None:
        self.a = a


def attributes_as_a_dict() -> Callable:
    outside, settings = Plain(2), types.SimpleNamespace(b=3)

    def run(x: Tensor) -> Any:
        made = Plain(x)
        outside.a += 1
        table = vars(made)
        table["more"] = sorted(vars(settings))
        try:
            vars(3)
        except TypeError as error:
            text = str(error)
        return vars(outside), made.more, {**vars(settings)}, table is vars(made), text

    return run


@pytest.mark.parametrize(
    "make, hops",
    [
        (settings_from_outside, 0),
        (one_that_is_made, 0),
        (one_that_lives_on_behind_a_hop, 1),
        (one_that_is_compared_and_shown, 2),
        (attributes_as_a_dict, 2),  # vars(3), and what the exception says
    ],
)
def test_program(make: Callable, hops: int) -> None:
    compiled, function = ms.jit(make()), make()
    for k in range(4):
        x = Tensor([1.0, k])
        assert shown(compiled(x)) == shown(function(x))
    assert compiled.program.native is None
    assert len(ms.explain(compiled)(x).hops) == hops


def test_settings_that_change_are_seen() -> None:
    settings = types.SimpleNamespace(scale=2, name="a")
    compiled = ms.jit(lambda x: x * settings.scale + len(settings.name))
    x = Tensor([1.0, 2.0])
    for scale, name in ((2, "a"), (3, "a"), (3, "abc"), (2.5, "abc"), (2, "a")):
        settings.scale, settings.name = scale, name
        assert compiled(x).tolist() == (x * scale + len(name)).tolist()
    settings = types.SimpleNamespace(scale=9, name="b")
    assert compiled(x).tolist() == (x * 9 + 1).tolist()
