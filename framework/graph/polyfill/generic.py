"""Generic functions, as `functools.singledispatch` makes them: the class of the first argument chooses what is called.

Python remembers the choice, and forgets it when somebody registers another function; later calls ask for it again.
"""

from __future__ import annotations

import functools
import types
import weakref
from collections.abc import Callable
from typing import Any

from anfora.graph.facts import known
from anfora.graph.facts.classes import class_attribute
from anfora.graph.facts.contexts import place_of
from anfora.graph.facts.origins import Number
from anfora.graph.machine.generators import Generator

__all__ = ["implementation"]

#: What `@singledispatch` makes of a function.
_GENERIC = {place_of(each) for each in functools.singledispatch.__code__.co_consts if isinstance(each, types.CodeType)}


def implementation(recorder: Any, function: types.FunctionType, args: tuple) -> Callable | None:
    """What a generic function calls for these arguments, now and in later calls; None if it is none, or not known."""
    if place_of(function.__code__) not in _GENERIC or "dispatch" not in function.__dict__:
        return None
    if not args or recorder.opaque(args[0]) or type(args[0]) is Generator or id(function) in recorder.local_functions:
        return None
    if not _remembers_plainly(function):
        return None
    kind = type(args[0].value if type(args[0]) is Number else args[0])
    if class_attribute(kind, "__class__") is not object.__dict__["__class__"]:
        return None
    found = chosen(function, kind)
    if not known.is_constant(found):
        return None
    recorder.guard("is", recorder.derive(chosen, recorder.origin("known", function), kind), found)
    return found


def _remembers_plainly(function: Any) -> bool:
    """Whether nobody sees it when a choice is looked up, and remembered."""
    dispatch = function.dispatch
    if type(dispatch) is not types.FunctionType or place_of(dispatch.__code__) not in _GENERIC:
        return False
    held = dict(zip(dispatch.__code__.co_freevars, dispatch.__closure__ or ()))
    return "dispatch_cache" in held and type(held["dispatch_cache"].cell_contents) is weakref.WeakKeyDictionary


def chosen(function: Any, kind: type) -> Callable:
    """What a generic function calls for objects of a class."""
    return function.dispatch(kind)
