"""Operators with their attributes fixed: what layers and the class forms of operators are made of."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from anfora.core import slots
from anfora.core.errors import OpTypeError
from anfora.core.op import Op

__all__ = ["Bound"]


class Bound:
    """An operator with its attributes fixed, as a function of its tensor arguments.

    An operator is called with one value for each of its tensor parameters (None for an absent one): such calls take the
    native path. Numbers among these (the `alpha` of `leaky_relu`) may be fixed too. Copying gives the object itself; it is
    pickled by the operator's name and the attributes.

    Args:
        op: an operator, or a function that is written in operators.
        attributes: what it takes beside tensors, by name.
    Raises:
        OpTypeError: it takes no such attribute.
    Example:
        >>> Bound(ops.reduce_sum, axis=0)(Tensor([[1, 2], [3, 4]])).tolist()
        [4, 6]
    """

    # `__call__` is a slot: a call goes to what stands there, with no Python frame in between. At first that is `_first`,
    # which puts the native function in its place.
    __slots__ = ("__call__", "attributes", "op")

    op: Op | Callable
    attributes: dict[str, Any]

    def __init__(self, op: Op | Callable, **attributes: Any) -> None:
        known = op.signature.parameters if isinstance(op, Op) else inspect.signature(op).parameters
        for name in attributes:
            if name not in known:
                raise OpTypeError(f"{op.__name__} has no attribute `{name}`; it has {', '.join(known) or 'none'}")
        self.op, self.attributes = op, attributes
        self.__call__ = self._first

    def _first(self, *args: Any, **kwargs: Any) -> Any:
        if isinstance(self.op, Op) and not any(name in self.op.tensors for name in self.attributes):
            self.__call__ = slots.bound(self.op, **self.attributes)
        else:
            self.__call__ = functools.partial(self.op, **self.attributes)
        return self.__call__(*args, **kwargs)

    def __repr__(self) -> str:
        return f"{self.op.__name__}({', '.join(f'{name}={value!r}' for name, value in self.attributes.items())})"

    def __copy__(self) -> Bound:
        return self

    def __deepcopy__(self, memo: dict) -> Bound:
        return self

    def __reduce__(self) -> tuple:
        return _rebuild, (self.op, self.attributes)


def _rebuild(op: Op | Callable, attributes: dict[str, Any]) -> Bound:
    return Bound(op, **attributes)
