"""Compiled functions that the program makes: `jit(f)` inside of one.

One is the function that it compiles, with options and attributes. What has been recorded of it is its own: another one,
made in the next call, starts anew, as it does where Python makes it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anfora.graph.facts.classes import defines
from anfora.graph.machine import operations

__all__ = ["built_compiled", "compiled_image", "is_compiled"]

_MADE = ("__wrapped__", "options", "program")  #: attributes that follow from what it is made with


def is_compiled(value: Any) -> bool:
    """Whether it is a compiled function, which may have attributes as other functions have."""
    return defines(type(value), "_is_compiled")


def compiled_image(value: Any, image: Callable[[Any], tuple]) -> tuple:
    table = operations.dict_of(value)
    attributes = {name: held for name, held in table.items() if name not in _MADE}
    return "compiled", type(value), image(table["__wrapped__"]), image(table["options"]), image(attributes)


def built_compiled(image: tuple, build: Callable[[tuple], Any]) -> Any:
    """The compiled function of an image."""
    made = image[1](build(image[2]), build(image[3]))
    operations.dict_of(made).update(build(image[4]))
    return made
