"""The gradients that have come so far, as a value of the language: which tensors they belong to, and what has come.

    gradient_of(sums, x)              what has come for the tensor x; None if nothing has
    with_gradient(sums, x, g)         the same sums, but g for x
    without_gradient(sums, x)         the same sums, and nothing for x
    ones_for(value)                   ones for each tensor in a value, where the walk back begins
    part(value, i)                    item `i` of a container, which must be no tensor: that would be an operator

A tensor is known by its identity, as on the tape. So what is one tensor under several names, in a container or in a
closure, has one sum, to which is added in one order. That nothing has come is not the same as zero: the first gradient is
taken as it is.
"""

from __future__ import annotations

from typing import Any

from anfora.core.tensor import Tensor
from anfora.core.tree import tensors
from anfora.graph.ir.nodes import GraphError
from anfora.graph.ir.primitives import PRIMITIVES, Primitive
from anfora.ops import full

__all__ = ["GRADIENT_OF", "ONES_FOR", "PART", "WITHOUT_GRADIENT", "WITH_GRADIENT", "Sums"]

Sums = tuple[tuple[Tensor, Tensor], ...]


def _gradient_of(sums: Sums, x: Tensor) -> Tensor | None:
    for tensor, gradient in sums:
        if tensor is x:
            return gradient
    return None


def _with_gradient(sums: Sums, x: Tensor, gradient: Tensor) -> Sums:
    return (*_without_gradient(sums, x), (x, gradient))


def _without_gradient(sums: Sums, x: Tensor) -> Sums:
    return tuple([pair for pair in sums if pair[0] is not x])


def _ones_for(value: Any) -> Sums:
    sums: Sums = ()
    for x in tensors(value):
        ones, before = full(x.shape, 1, dtype=x.dtype), _gradient_of(sums, x)
        sums = _with_gradient(sums, x, ones if before is None else before + ones)
    return sums


def _part(value: Any, key: Any) -> Any:
    if isinstance(value, Tensor):
        raise GraphError("an item of a tensor is taken where its type was not known, so its gradient would be lost",
                         help="`ir.lower(graph, x).graph` has the types.")  # fmt: skip
    return value[key]


GRADIENT_OF = Primitive("gradient_of", _gradient_of, 2, 2)
WITH_GRADIENT = Primitive("with_gradient", _with_gradient, 3, 3)
WITHOUT_GRADIENT = Primitive("without_gradient", _without_gradient, 2, 2)
ONES_FOR = Primitive("ones_for", _ones_for, 1, 1)
PART = Primitive("part", _part, 2, 2)
PRIMITIVES.update({each.name: each for each in (GRADIENT_OF, WITH_GRADIENT, WITHOUT_GRADIENT, ONES_FOR, PART)})
