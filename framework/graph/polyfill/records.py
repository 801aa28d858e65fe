"""Methods that `dataclasses` generates. They have no source to go into, but what they do is known: it is written here once
more, for the machine. Whether a method is one of them is seen from its code: it is that of the same method of a class
with the same fields.
"""

from __future__ import annotations

import dataclasses
import operator
import sys
import types
from collections.abc import Callable
from typing import Any

__all__ = ["comparison", "refuses_changes"]


def comparison(function: types.FunctionType, args: tuple) -> tuple[Callable, tuple] | None:
    """What a call of a generated comparison does: a function for the machine, and its first arguments; None if it is no
    such call."""
    if len(args) != 2 or function.__code__.co_filename != "<string>":
        return None
    name = function.__name__
    if name not in _OPERATORS or not _is_generated(type(args[0]), name, function):
        return None
    compared = tuple(field.name for field in dataclasses.fields(args[0]) if field.compare)
    if name == "__eq__":
        return equal_, (compared,)
    return order_, (_OPERATORS[name], compared)


def refuses_changes(kind: type, name: str) -> bool:
    """Whether to set or delete an attribute of a frozen record, by a method of this name, is an error and nothing else."""
    function = kind.__dict__.get(name)
    return isinstance(function, types.FunctionType) and _is_generated(kind, name, function)


def _is_generated(kind: type, name: str, function: types.FunctionType) -> bool:
    """Whether a method of a class is what `dataclasses` would generate for it."""
    parameters = kind.__dict__.get("__dataclass_params__")
    if parameters is None or kind.__dict__.get(name) is not function:
        return False
    shown = [(field.name, object, dataclasses.field(compare=field.compare)) for field in dataclasses.fields(kind)]
    options = {option: getattr(parameters, option) for option in ("eq", "order", "frozen")}
    reference = getattr(dataclasses.make_dataclass("Reference", shown, **options), name, None)
    code = getattr(reference, "__code__", None)
    return code is not None and all(getattr(code, part) == getattr(function.__code__, part) for part in _PARTS)


_OPERATORS: dict[str, Any] = {
    "__eq__": operator.eq, "__lt__": operator.lt, "__le__": operator.le, "__gt__": operator.gt, "__ge__": operator.ge,
}  # fmt: skip
_PARTS = ("co_code", "co_consts", "co_names", "co_varnames", "co_freevars", "co_flags", "co_argcount")


# -- for the machine --------------------------------------------------------------------------------------------------


def equal_one_by_one(names, one, other):
    if one is other:
        return True
    if other.__class__ is one.__class__:
        for name in names[:-1]:
            result = getattr(one, name) == getattr(other, name)
            if not result:
                return result
        return getattr(one, names[-1]) == getattr(other, names[-1]) if names else True
    return NotImplemented


def order_(compare, names, one, other):
    if other.__class__ is one.__class__:
        left = tuple([getattr(one, name) for name in names])
        return compare(left, tuple([getattr(other, name) for name in names]))
    return NotImplemented


def equal_at_once(names, one, other):
    return order_(operator.eq, names, one, other)


equal_ = equal_one_by_one if sys.version_info >= (3, 13) else equal_at_once
