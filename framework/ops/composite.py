"""Functions that are written in operators.

An operator gives the errors it raises their place in the user's program. A function that checks its own arguments gets
the same by this decorator, and its errors point at its own arguments. As operators do, it takes arrays and nested lists
where a `Tensor` is asked for.

Every public function has such a door, or is an operator: the modules of names (`ops/methods.py`, `mint`, `numpy`) give it
to all they have (`with_doors`), so that none can be forgotten.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import types
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import numpy as np

from anfora.core import slots
from anfora.core.arguments import word_for_one_of
from anfora.core.errors import AnforaError, OpTypeError
from anfora.core.nearest import below
from anfora.core.op import Op, by_own_names, defaults_of, parameter_names
from anfora.core.refusal import INNER, refusal
from anfora.core.span import locate
from anfora.core.tensor import Tensor
from anfora.core.tracebacks import last_frame

__all__ = ["composite", "is_door", "with_doors"]

F = TypeVar("F", bound=Callable)


def composite(function: F) -> F:
    """Mark a public function that is written in operators; one that is marked, and an operator, stay what they are.

    Which operators it calls follows from the layouts of its tensors and the values of its other arguments, unless it looks
    at data: so PyNative mode keeps its calls (`eager/kept.py`), and graph mode records them.
    """
    if is_door(function):
        return function
    order = parameter_names(function)
    code = function.__code__
    rest = code.co_varnames[len(order)] if code.co_flags & inspect.CO_VARARGS else ""
    count = code.co_argcount
    kinds = {name: function.__annotations__.get(name) for name in order}
    tensors = {name for name, kind in kinds.items() if kind in ("Tensor", "Tensor | None")}
    optional = {name for name, kind in kinds.items() if kind == "Tensor | None"} | tensors.intersection(
        defaults_of(function)  # None when not given, whatever the annotation says
    )
    places = tuple(i for i, name in enumerate(order) if name in tensors)

    def plainly(*args: Any, **kwargs: Any) -> Any:
        for i in places:
            if i < len(args) and args[i].__class__ in _ARRAYS:
                args = (*args[:i], Tensor(args[i]), *args[i + 1 :])
        if kwargs:
            kwargs = by_own_names(wrapped, kwargs)
            kwargs = {k: Tensor(v) if k in tensors and v.__class__ in _ARRAYS else v for k, v in kwargs.items()}
        return function(*args, **kwargs)

    kept: Callable | None = None

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        nonlocal kept
        if kept is None:
            kept = slots.kept_calls(plainly)
        try:
            return kept(*args, **kwargs)
        except AnforaError as error:
            if error.place is None:
                error.place = locate(error.arg, order)
            raise
        except INNER as error:  # of something that is no tensor?
            name, signature = wrapped.__name__, lambda: inspect.signature(function)
            found: AnforaError | None
            last = last_frame(error)
            if isinstance(error, TypeError) and last is not None and last.f_code is plainly.__code__:
                word = word_for_one_of(kwargs, signature().parameters)  # it is of the call itself
                found = OpTypeError(str(error), help=word or f"its form is {name}{_shown(signature())}.")
            else:
                given = [*zip(order[:count], args), *((rest, value) for value in args[count:]), *kwargs.items()]
                found = refusal(name, given, tensors, optional, signature, error)
            if found is None:
                raise
            found.place = locate(found.arg, order)
            raise found from found.__cause__

    wrapped.is_door = True  # type: ignore[attr-defined]
    wrapped.former_names = {}  # type: ignore[attr-defined]
    return wrapped  # type: ignore[return-value]


def is_door(function: Any) -> bool:
    """Whether what inner functions raise at wrong arguments is told as the mistake of who has called this function."""
    return isinstance(function, Op) or getattr(function, "is_door", False)


def with_doors(scope: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """The functions of these names, each with a door; what is no function of Python's is left out."""
    found = {name: scope[name] for name in names if type(scope.get(name)) is types.FunctionType}
    for name, function in found.items():
        if function.__name__ not in scope:  # one that a function has made
            function.__name__ = function.__qualname__ = name
    return {name: composite(function) for name, function in found.items()}


def _shown(signature: inspect.Signature) -> str:
    """A signature without annotations."""
    parameters = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return str(signature.replace(parameters=parameters, return_annotation=signature.empty))


_ARRAYS = {list, tuple, np.ndarray, *np.sctypeDict.values()}  #: what is made a tensor


def __getattr__(name: str) -> Any:
    """MindSpore's `ops.composite` has functions for programs, which are those of `anfora.ops` here."""
    if not name.startswith("__"):
        ops = importlib.import_module("anfora.ops")
        if name in dir(ops):
            return getattr(ops, name)
    return below("anfora.ops.composite", name)
