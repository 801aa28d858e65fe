"""Functions that are written in operators.

An operator gives the errors it raises their place in the user's program. A function that checks its own arguments gets
the same by this decorator, and its errors point at its own arguments. As operators do, it takes arrays and nested lists
where a `Tensor` is asked for.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from anfora.core.errors import AnforaError
from anfora.core.nearest import MissingName
from anfora.core.op import parameter_names
from anfora.core.refusal import INNER, refusal
from anfora.core.span import locate
from anfora.core.tensor import Tensor

__all__ = ["composite"]

F = TypeVar("F", bound=Callable)


def composite(function: F) -> F:
    """Mark a public function that is written in operators."""
    order = parameter_names(function)
    kinds = {name: function.__annotations__.get(name) for name in order}
    tensors = {name for name, kind in kinds.items() if kind in ("Tensor", "Tensor | None")}
    optional = {name for name, kind in kinds.items() if kind == "Tensor | None"} | _optional(function, tensors)
    places = tuple(i for i, name in enumerate(order) if name in tensors)

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        try:
            for i in places:
                if i < len(args) and args[i].__class__ in _ARRAYS:
                    args = (*args[:i], Tensor(args[i]), *args[i + 1 :])
            if kwargs:
                kwargs = {k: Tensor(v) if k in tensors and v.__class__ in _ARRAYS else v for k, v in kwargs.items()}
            return function(*args, **kwargs)
        except AnforaError as error:
            if error.place is None:
                error.place = locate(error.arg, order)
            raise
        except INNER as error:  # of something that is no tensor?
            given = (*zip(order, args), *kwargs.items())
            found = refusal(function.__name__, given, tensors, optional, lambda: inspect.signature(function), error)
            if found is None:
                raise
            found.place = locate(found.arg, order)
            raise found from None

    return wrapped  # type: ignore[return-value]


def _optional(function: Callable, tensors: set[str]) -> set[str]:
    """The parameters for tensors that are None when not given, whatever their annotation says."""
    defaults = function.__defaults__ or ()
    code = function.__code__
    named = dict(zip(code.co_varnames[code.co_argcount - len(defaults) : code.co_argcount], defaults))
    named.update(function.__kwdefaults__ or {})
    return {name for name in tensors if name in named}


_ARRAYS = {list, tuple, np.ndarray, *np.sctypeDict.values()}  #: what is made a tensor


def __getattr__(name: str) -> Any:
    """MindSpore's `ops.composite` has functions for programs, which are those of `anfora.ops` here."""
    if not name.startswith("__"):
        ops = importlib.import_module("anfora.ops")
        if name in dir(ops):
            return getattr(ops, name)
    raise MissingName("anfora.ops.composite", name)
