"""Calls and results that leave graph mode for Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anfora.graph.machine import signals
from anfora.graph.machine.generators import Generator
from anfora.graph.machine.machine import Machine
from anfora.graph.machine.places import left_to_python, shows_frames
from anfora.graph.machine.walks import Walk
from anfora.graph.machine.world import Plain

__all__ = ["Freed", "call_plainly", "released"]


@signals.leaves
def call_plainly(function: Callable, args: tuple, kwargs: dict) -> Any:
    """Let Python do a call from its start."""
    if shows_frames(function.__code__):  # type: ignore[attr-defined]
        return left_to_python(function, args, kwargs)
    return function(*args, **kwargs)


def released(value: Any, made: list[Any] | None = None) -> Any:
    """A result for the program outside: generators among it go on in Python's world."""
    if type(value) in (Generator, Walk):
        return value.python(for_good=True)
    for item in made or ():
        if type(item) is Generator:
            item.world = Plain()
    return value


class Freed:
    """At its end a machine holds nothing: it and its world hold each other, and would wait for the garbage collector."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self.machine.__dict__.clear()
