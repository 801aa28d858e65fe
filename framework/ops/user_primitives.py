"""Operators that programs define themselves as classes, as MindSpore's programs do:

    class Scale(PrimitiveWithInfer):
        @prim_attr_register
        def __init__(self, factor):  # self.factor is kept
            ...

        def vm_impl(self, x):
            return x * self.factor

What such a class says of shapes and types (`infer_shape`, `infer_dtype`, `check_shape`) is not asked: results tell.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from anfora.core.errors import OpTypeError
from anfora.ops.primitives import Primitive

__all__ = ["PrimitiveWithCheck", "PrimitiveWithInfer", "prim_attr_register"]


class PrimitiveWithInfer(Primitive):
    """Base of a program's own operators.

    Args:
        name: the name of the operator; see `Primitive`.
    Example:
        >>> class Scale(ops.PrimitiveWithInfer):
        ...     @ops.prim_attr_register
        ...     def __init__(self, factor):
        ...         pass
        ...     def vm_impl(self, x):
        ...         return x * self.factor
        >>> Scale(3)(Tensor(2)).item()
        6
    """


class PrimitiveWithCheck(Primitive):
    """Base of a program's own operators, as `PrimitiveWithInfer`.

    Example:
        >>> isinstance(ops.PrimitiveWithCheck("Add"), ops.Primitive)
        True
    """


def prim_attr_register(fn: Callable) -> Callable:
    """A decorator for the `__init__` of a class derived from `Primitive`: the operator is named as its class, and the
    arguments of `__init__` are kept under their names, as attributes and in `attrs`, before it runs.

    Raises:
        OpTypeError: at a call, when the arguments do not fit.
    Example:
        >>> class Power(ops.Primitive):
        ...     @ops.prim_attr_register
        ...     def __init__(self, exponent=2):
        ...         pass
        >>> Power().exponent, Power(3).attrs
        (2, {'exponent': 3})
    """
    signature = inspect.signature(fn)

    @functools.wraps(fn)
    def initialise(self: Primitive, *args: Any, **kwargs: Any) -> None:
        try:
            bound = signature.bind(self, *args, **kwargs)
        except TypeError as error:
            raise OpTypeError(f"{type(self).__name__}: {error}") from None
        bound.apply_defaults()
        given = dict(list(bound.arguments.items())[1:])
        self.name, self.attrs, self._given = type(self).__name__, dict(given), (args, kwargs)
        self.__call__ = self._unknown
        self.__dict__.update(given)
        fn(self, *args, **kwargs)
        self.attrs, self._given = {**given, **self.attrs}, (args, kwargs)  # a base's __init__ may have begun anew
        self._become()

    return initialise
