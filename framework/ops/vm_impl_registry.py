"""Implementations of operators in Python: what a `Primitive` does that is none of the classes of `anfora.ops`.

MindSpore programs register them by the name or the class of an operator:

    @vm_impl_registry.register("Clip3")
    def clip3(primitive):
        def run(x):
            return ops.clamp(x, -3, 3)
        return run

An operator that this package has keeps its kernel, whatever is registered for it: one operator has one meaning.
"""

from __future__ import annotations

from collections import UserDict
from collections.abc import Callable
from typing import Any

from anfora.core.errors import OpTypeError

__all__ = ["Registry", "vm_impl_registry"]


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


vm_impl_registry = Registry()
