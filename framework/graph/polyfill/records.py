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

from anfora.graph.facts.makers import is_generated

__all__ = ["comparison", "refuses_changes"]


def comparison(function: types.FunctionType, args: tuple) -> tuple[Callable, tuple] | None:
    """What a call of a generated comparison does: a function for the machine, and its first arguments; None if it is no
    such call."""
    if len(args) != 2 or function.__code__.co_filename != "<string>":
        return None
    name = function.__name__
    if name not in _OPERATORS or not is_generated(type(args[0]), name, function):
        return None
    compared = tuple(field.name for field in dataclasses.fields(args[0]) if field.compare)
    if name == "__eq__":
        return equal_, (compared,)
    return order_, (_OPERATORS[name], compared)


def refuses_changes(kind: type, name: str) -> bool:
    """Whether to set or delete an attribute of a frozen record, by a method of this name, is an error and nothing else."""
    function = kind.__dict__.get(name)
    return isinstance(function, types.FunctionType) and is_generated(kind, name, function)


_OPERATORS: dict[str, Any] = {
    "__eq__": operator.eq, "__lt__": operator.lt, "__le__": operator.le, "__gt__": operator.gt, "__ge__": operator.ge,
}  # fmt: skip


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
