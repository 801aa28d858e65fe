"""Arguments that are not there: one answer for constructors and operators.

    unknown    the error: what was given, what there is, and our word for it
    word_for_one_of   our word alone, where the error is another one
    answers    lets the constructor of a class of this package give it, instead of Python's own

A right call pays a tenth of a microsecond: names are looked at when Python has refused the call.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterable
from typing import Any

from anfora.core.errors import OpTypeError
from anfora.core.habits import argument_for
from anfora.core.nearest import nearest

__all__ = ["answers", "help_with", "unknown", "word_for_one_of"]


def help_with(name: str, takes: Iterable[str]) -> str | None:
    """What to write instead of an argument that is not there: by the habits of other libraries, or what comes nearest."""
    takes = list(takes)
    word = argument_for(name, takes)
    if word is not None:
        return word
    near = nearest(name, takes)
    return f"did you mean `{near}`?" if near else None


def unknown(what: str, name: str, takes: Iterable[str]) -> OpTypeError:
    """The error of an argument that `what` does not take."""
    takes = list(takes)
    return OpTypeError(
        f"{what} has no argument `{name}`; it takes {', '.join(takes) or 'none'}", help=help_with(name, takes), arg=name
    )


def answers(cls: type) -> None:
    """Let the constructor that a class of this package has of its own answer for arguments that it does not take."""
    made: Any = vars(cls).get("__init__")
    if made is None or not cls.__module__.startswith("anfora."):
        return

    @functools.wraps(made)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        try:
            made(self, *args, **kwargs)
        except TypeError as error:
            # One that comes from further inside has another frame.
            refused = _unknown_of(self, made, cls, kwargs) if error.__traceback__.tb_next is None else None  # type: ignore[union-attr]
            if refused is None:
                raise
            raise refused from None

    cls.__init__ = __init__  # type: ignore[misc]


def _unknown_of(self: Any, made: Any, cls: type, kwargs: dict[str, Any]) -> OpTypeError | None:
    """The error, if that is what Python has refused."""
    parameters = list(inspect.signature(made).parameters.values())[1:]
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters):
        return None
    takes = [("*" if p.kind is inspect.Parameter.VAR_POSITIONAL else "") + p.name for p in parameters]
    kind = type(self)
    what = kind.__name__ if inspect.unwrap(kind.__init__) is made else cls.__name__
    return next((unknown(what, name, takes) for name in kwargs if name not in takes), None)


def word_for_one_of(names: Iterable[str], takes: Iterable[str]) -> str | None:
    """Our word for the first of the names that a call does not take; None if we have none."""
    takes = list(takes)
    return next((word for name in names if name not in takes and (word := argument_for(name, takes))), None)
