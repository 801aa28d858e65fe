"""Checks of the hyperparameters of layers, and the sentences of their errors."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

from anfora.core.errors import OpTypeError, OpValueError
from anfora.optim.checks import flag, number, positive_int

__all__ = ["choice", "flag", "integer", "integers", "number", "positive_int", "positive_ints", "probability"]


def integer(owner: str, name: str, value: Any, *, least: int | None = None) -> int:
    """An integer, not less than `least`."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise OpTypeError(f"{owner} needs an int for `{name}`, but got {value!r}", arg=name)
    if least is not None and value < least:
        raise OpValueError(f"{owner} needs an int >= {least} for `{name}`, but got {value}", arg=name)
    return int(value)


def integers(
    owner: str, name: str, value: Any, count: int | tuple[int, ...], *, least: int | None = None
) -> tuple[int, ...]:
    """So many integers (`count` may name several numbers), not less than `least`; a single one is meant for all."""
    counts = (count,) if isinstance(count, int) else count
    if not isinstance(value, (tuple, list)):
        return (integer(owner, name, value, least=least),) * counts[0]
    if len(value) not in counts:
        raise OpValueError(
            f"{owner} needs {' or '.join(map(str, counts))} integers for `{name}`, but got {value!r}", arg=name
        )
    return tuple(integer(owner, name, item, least=least) for item in value)


def positive_ints(owner: str, name: str, value: Any, count: int) -> tuple[int, ...]:
    """So many integers above zero; a single one is meant for all."""
    return integers(owner, name, value, count, least=1)


def probability(owner: str, name: str, value: Any) -> float:
    """A number in [0, 1]."""
    return number(owner, name, value, least=0.0, most=1.0)


def choice(owner: str, name: str, value: Any, known: Sequence[str]) -> str:
    """One of some words."""
    if not isinstance(value, str):
        raise OpTypeError(f"{owner} needs a string for `{name}`, but got {value!r}", arg=name)
    if value not in known:
        words = ", ".join(map(repr, known))
        raise OpValueError(f"{owner}: `{name}` must be one of {words}, but got {value!r}", arg=name)
    return value
