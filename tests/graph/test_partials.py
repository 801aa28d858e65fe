"""Partial functions of partial functions from outside, which hold what those hold at that moment. Each program is run by
Python and compiled, with changes in between."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest
from outcomes import outcome

import anfora as ms
from anfora import Tensor


def called(*args: Any, **kwargs: Any) -> Any:
    return args, kwargs


class Held:
    """A partial function, and what changes it."""

    def __init__(self, is_asked: bool) -> None:
        self.function = functools.partial(called, 1, z=2)
        if is_asked:
            _ = self.function.__dict__  # from now on it is not taken apart

    def change(self, k: int) -> None:
        if k % 2:
            self.function.keywords["z"] = k
        else:
            self.function.__setstate__((called, (k,), {"z": k}, None if k == 2 else {}))  # type: ignore[attr-defined]


def parts(held: Held, x: Tensor, k: int) -> Any:
    made = functools.partial(held.function, x, k=k)
    return made.args, made.keywords, made.func is called, made.func is held.function


def parts_of_two(held: Held, x: Tensor, k: int) -> Any:
    made = functools.partial(functools.partial(held.function, k), x)
    return made.args, made.keywords, made(3)


def behind_a_write(held: Held, x: Tensor, k: int) -> Any:
    held.function.keywords["z"] = k
    made = functools.partial(held.function, 4)
    return x * k, made.keywords, made(x), held.function(k)


def behind_a_write_by_another_name(held: Held, x: Tensor, k: int) -> Any:
    words = held.function.keywords
    words["y"] = k
    made = functools.partial(held.function, w=x)
    words["y"] = 0
    return made.keywords, made()


def in_front_of_a_hop(held: Held, x: Tensor, k: int) -> Any:
    made = functools.partial(held.function, x)
    print(end="")
    return made.args, made.keywords, made(k)


@pytest.mark.parametrize("is_asked", [False, True])
@pytest.mark.parametrize(
    "use", [parts, parts_of_two, behind_a_write, behind_a_write_by_another_name, in_front_of_a_hop]
)
def test_a_partial_function_of_another(use: Callable, is_asked: bool) -> None:
    compiled = ms.jit(use)
    ours, pythons = Held(is_asked), Held(is_asked)
    for k in (1, 1, 2, 3, 4, 5, 5, 7, 2, 2):
        got, wanted = (outcome(f, held, Tensor([2.0]), k) for f, held in ((compiled, ours), (use, pythons)))
        assert got == wanted
        for held in (ours, pythons):
            held.change(k)
