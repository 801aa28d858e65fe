"""Arguments that are not there: one answer for constructors, methods and operators.

    unknown    the error: what was given, what there is, and our word for it
    word_for_one_of   our word alone, where the error is another one
    answers    lets the constructor of a class of this package give it, or its methods too, instead of Python's own
    told_of    the same words for an error of Python's own, of any function of this package, when it is shown; and of
               `x.size(0)`, which calls a number

A right call pays a tenth of a microsecond for `answers`, nothing for `told_of`: names are looked at when Python has refused
the call.
"""

from __future__ import annotations

import functools
import gc
import inspect
import linecache
import re
import traceback
import types
from collections.abc import Iterable
from typing import Any, TypeVar

from anfora.core.errors import OpTypeError
from anfora.core.habits import argument_for
from anfora.core.nearest import nearest
from anfora.core.tracebacks import last_frame

__all__ = ["answers", "help_with", "told_of", "unknown", "word_for_one_of"]

C = TypeVar("C", bound=type)

#: How Python says it.
_REFUSED = re.compile(r"(?P<function>[\w.<>]+)\(\) got an unexpected keyword argument '(?P<name>\w+)'")


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


def answers(cls: C, *, methods: bool = False) -> C:
    """Let the constructor that a class of this package has of its own answer for arguments that it does not take; with
    `methods` the public methods too, which must not be those that a step calls."""
    if not cls.__module__.startswith("anfora."):
        return cls
    for name, found in [*vars(cls).items()]:
        if name != "__init__" and (name.startswith("_") or not methods):
            continue
        if type(found) is types.FunctionType:
            setattr(cls, name, _answering(found, cls))
        elif type(found) in (classmethod, staticmethod):
            setattr(cls, name, type(found)(_answering(found.__func__, cls)))
    return cls


def _answering(made: Any, cls: type) -> Any:
    """A function of a class that answers itself."""

    @functools.wraps(made)
    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            return made(*args, **kwargs)
        except TypeError as error:
            # One that comes from further inside has another frame.
            refused = _unknown_of(made, cls, args, kwargs) if error.__traceback__.tb_next is None else None  # type: ignore[union-attr]
            if refused is None:
                raise
            raise refused from None

    return called


def _unknown_of(made: Any, cls: type, args: tuple, kwargs: dict[str, Any]) -> OpTypeError | None:
    """The error, if that is what Python has refused."""
    takes = _taken(made)
    if takes is None:
        return None
    what = made.__name__
    if what == "__init__":
        kind = type(args[0])
        what = kind.__name__ if inspect.unwrap(kind.__init__) is made else cls.__name__
    return next((unknown(what, name, takes) for name in kwargs if name not in takes), None)


def _taken(function: Any) -> list[str] | None:
    """The names of the arguments that a call of a function is given; None where it takes any."""
    parameters = [*inspect.signature(function).parameters.values()]
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters):
        return None
    if parameters and parameters[0].name in ("self", "cls"):
        del parameters[0]
    return [("*" if p.kind is inspect.Parameter.VAR_POSITIONAL else "") + p.name for p in parameters]


def told_of(error: BaseException) -> str | None:
    """What to say beside Python's own error of an argument that a function of this package does not take.

    Python names the function and no more; where another one has that name too, nothing is said.
    """
    if type(error) is TypeError and str(error) == "'int' object is not callable":
        return _SIZE if ".size(" in _line_of(error) else None
    refused = _REFUSED.match(str(error)) if type(error) is TypeError else None
    if refused is None:
        return None
    asked = [
        function for function in gc.get_objects()
        if type(function) is types.FunctionType and function.__qualname__ == refused["function"]
    ]  # fmt: skip
    known = _known_by_name(error, refused["function"])
    if not all(map(_is_ours, (*asked, *known))):
        return None
    meant = [function for function in asked if function in known] or asked
    ways = {
        tuple(takes) for function in meant if (takes := _taken(function)) is not None and refused["name"] not in takes
    }
    if len(ways) != 1:
        return None
    (way,) = ways
    word = help_with(refused["name"], way)
    return f"  it takes {', '.join(way) or 'no arguments'}" + (f"\n  help: {word}" if word else "")


_SIZE = "  help: what PyTorch calls size() is shape here, x.shape[0] say; x.size is the number of elements."


def _line_of(error: BaseException) -> str:
    """The line of the program that has raised an error."""
    *_, last = [("", 0), *((frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__))]
    return linecache.getline(*last)


def _is_ours(function: Any) -> bool:
    return str(getattr(function, "__module__", None)).startswith("anfora.")


def _known_by_name(error: BaseException, name: str) -> list[Any]:
    """What the frame that an error comes from can call by a name: of its own, of Python's, or of a module that it has
    imported."""
    frame = last_frame(error)
    if frame is None:
        return []
    modules = [
        vars(value)
        for value in (*frame.f_globals.values(), *frame.f_locals.values())
        if type(value) is types.ModuleType
    ]
    places = [frame.f_builtins, frame.f_globals, frame.f_locals, *modules]
    return [found for place in places if callable(found := place.get(name))]


def word_for_one_of(names: Iterable[str], takes: Iterable[str]) -> str | None:
    """Our word for the first of the names that a call does not take; None if we have none."""
    takes = list(takes)
    return next((word for name in names if name not in takes and (word := argument_for(name, takes))), None)
