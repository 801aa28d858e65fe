"""Operators in their older form that the program makes: `ops.Concat(1)((x, y))`.

One is what it was made with, and the names that were noted on it. Those with random numbers of their own have a state
beside that, and are left to the interpreter.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from anfora.core.dtype import DType
from anfora.core.op import Op
from anfora.graph.facts.kinds import is_a, module_of
from anfora.ops.bound import Bound
from anfora.ops.primitives import Primitive

__all__ = ["NOTING", "built_operator", "is_operator", "is_stateless", "makes_operator", "operator_image"]

_VALUES = (type(None), bool, int, float, str, DType)


#: Methods that write a name down on an operator.
NOTING = (Primitive.add_prim_attr, Primitive.del_prim_attr, Primitive.init_prim_io_names)


def is_operator(value: Any) -> bool:
    return is_a(value, Primitive)


def makes_operator(recorder: Any, kind: Any, args: tuple, kwargs: dict) -> bool:
    """Whether it makes an operator of this library, of known values."""
    is_ours = is_a(kind, type) and issubclass(kind, Primitive) and kind is not Primitive
    return is_ours and module_of(kind) == "anfora.ops" and all(map(_is_plain, (*args, *kwargs.values())))


def _is_plain(value: Any) -> bool:
    return type(value) in _VALUES or (type(value) in (tuple, list) and all(map(_is_plain, value)))


def is_stateless(function: Any) -> bool:
    """Whether a call of what does the work of an operator leaves nothing behind in it."""
    if is_a(function, Primitive):
        return is_stateless(function.__call__)
    if type(function) is functools.partial:
        return is_stateless(function.func) and all(map(is_stateless, (*function.args, *function.keywords.values())))
    if type(function) is types.FunctionType:
        is_inner = "<locals>" in function.__qualname__
        return not is_inner or all(is_stateless(cell.cell_contents) for cell in function.__closure__ or ())
    if type(function) in (tuple, list, dict):
        return all(map(is_stateless, function.values() if type(function) is dict else function))
    return is_a(function, (*_VALUES, Op, Bound, type, types.BuiltinFunctionType))


def operator_image(value: Primitive, image: Callable[[Any], tuple]) -> tuple:
    args, kwargs = value._given
    return "operator", type(value), image(args), image(kwargs), image(value.__dict__)


def built_operator(image: tuple, build: Callable[[tuple], Any]) -> Primitive:
    """The operator of an image."""
    args, kwargs = build(image[2]), build(image[3])
    made = image[1](*args, **kwargs)
    object.__setattr__(made, "__dict__", build(image[4]))
    return made
