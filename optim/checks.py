"""Checks of hyperparameters, and the sentences of their errors."""

from __future__ import annotations

import math
import numbers
from typing import Any

from anfora.core.errors import OpTypeError, OpValueError

__all__ = ["flag", "number", "positive_int", "real"]


def number(
    owner: str,
    name: str,
    value: Any,
    *,
    least: float = -math.inf,
    most: float = math.inf,
    above: float = -math.inf,
    below: float = math.inf,
) -> float:
    """A finite number with least <= value <= most and above < value < below, as a float."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise OpTypeError(f"{owner} needs a number for `{name}`, but got {value!r}", arg=name)
    result = float(value)
    if not (least <= result <= most and above < result < below and math.isfinite(result)):
        raise OpValueError(f"{owner} needs {_range(least, most, above, below)} for `{name}`, but got {value}", arg=name)
    return result


def _range(least: float, most: float, above: float, below: float) -> str:
    lower = f"> {above}" if above > -math.inf else f">= {least}" if least > -math.inf else ""
    upper = f"< {below}" if below < math.inf else f"<= {most}" if most < math.inf else ""
    return "a number " + (" and ".join(part for part in (lower, upper) if part) or "that is finite")


def real(owner: str, name: str, value: Any, **limits: float) -> float:
    """Like `number`, but only a Python float will do (as in MindSpore, for the arguments that say so)."""
    if not isinstance(value, float):
        raise OpTypeError(f"{owner} needs a float for `{name}`, but got {value!r}", arg=name)
    return number(owner, name, value, **limits)


def positive_int(owner: str, name: str, value: Any) -> int:
    """A Python integer above zero."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise OpTypeError(f"{owner} needs an int for `{name}`, but got {value!r}", arg=name)
    if value <= 0:
        raise OpValueError(f"{owner} needs an int > 0 for `{name}`, but got {value}", arg=name)
    return int(value)


def flag(owner: str, name: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        raise OpTypeError(f"{owner} needs True or False for `{name}`, but got {value!r}", arg=name)
    return value
