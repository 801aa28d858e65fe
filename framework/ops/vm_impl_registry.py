"""Implementations of operators in Python: what a `Primitive` does that is none of the classes of `anfora.ops`, and what its
gradient is.

MindSpore programs register them by the name or the class of an operator:

    @vm_impl_registry.register("Clip3")
    def clip3(primitive):
        def run(x):
            return Tensor(np.clip(x.asnumpy(), -3, 3))
        return run

    @bprop_getters.register("Clip3")
    def clip3_gradient(primitive):
        def bprop(x, out, dout):
            return (dout * (x == out),)
        return bprop

Without a gradient the operators that an implementation calls tell it. An operator that this package has keeps its kernel
and its gradient, whatever is registered for it: one operator has one meaning.
"""

from __future__ import annotations

import functools
import inspect
import weakref
from collections import UserDict
from collections.abc import Callable
from typing import Any

from anfora.core.errors import OpTypeError

__all__ = ["Gradients", "Registry", "bprop_getters", "vm_impl_registry"]


class Registry(UserDict):
    """From the names and classes of operators to functions that take the operator and give its implementation."""

    def register(self, prim: str | type) -> Callable[[Callable], Callable]:
        """A decorator that keeps a function under the name or the class of an operator.

        Args:
            prim: a name, or a class derived from `Primitive`.
        Raises:
            OpTypeError: it is neither.
        Example:
            >>> registry = Registry()
            >>> @registry.register("Twice")
            ... def twice(primitive):
            ...     return lambda x: x + x
            >>> registry["Twice"] is twice
            True
        """
        if not isinstance(prim, (str, type)):
            raise OpTypeError(f"register needs the name or the class of an operator, but got {prim!r}", arg="prim")

        def keep(function: Callable) -> Callable:
            self.data[prim] = function
            return function

        return keep

    def implementation(self, primitive: Any) -> Callable | None:
        """The function that is registered for an operator, by its class or its name; None if there is none."""
        for kind in type(primitive).__mro__:
            if kind in self.data:
                return self.data[kind]
        return self.data.get(primitive.name)


class Gradients(Registry):
    """From the names and classes of operators to functions that take the operator and give its gradient: a function of the
    arguments, the result and its gradient, that returns one gradient for each argument."""

    def __init__(self) -> None:
        super().__init__()
        self._followed: weakref.WeakSet[type] = weakref.WeakSet()  #: classes whose calls ask here

    def register(self, prim: str | type) -> Callable[[Callable], Callable]:
        """A decorator that keeps a function under the name or the class of an operator; a class that is called by a
        `__call__` of its own has the gradient as well.

        Args:
            prim: a name, or a class derived from `Primitive`.
        Raises:
            OpTypeError: it is neither.
        """
        if isinstance(prim, type):
            own = next((kind for kind in prim.__mro__ if "__call__" in vars(kind)), None)
            if own is not None and inspect.isfunction(vars(own)["__call__"]) and own not in self._followed:
                self._followed.add(own)
                _follow_calls(own)
        return super().register(prim)

    def run(self, primitive: Any, function: Callable, args: tuple) -> Any:
        """`function(*args)`, with the gradient that is registered for an operator, if there is one."""
        make = self.implementation(primitive)
        if make is None:
            return function(*args)
        from anfora.eager.custom import with_gradient

        return with_gradient(primitive.name, function, make(primitive), args)


def _follow_calls(kind: type) -> None:
    """Let calls of a class of operators have the gradient that is registered."""
    call = vars(kind)["__call__"]

    @functools.wraps(call)
    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        return bprop_getters.run(self, functools.partial(call, self, **kwargs), args)

    kind.__call__ = called  # type: ignore[operator]


vm_impl_registry = Registry()
bprop_getters = Gradients()
