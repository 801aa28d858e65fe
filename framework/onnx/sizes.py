"""Operators of ONNX on lengths, which are numbers of Python here: an int without axes, a tuple for one axis."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from anfora.core.dtype import int64
from anfora.core.tensor import Tensor

__all__ = ["SIZES", "Size", "as_tensor"]


def as_tensor(value: Any) -> Tensor:
    """Lengths as a tensor."""
    return Tensor(value, int64)


class Size:
    """A row for an operator.

    Attributes:
        function: on ints and tuples.
        rank: from the ranks of the arguments, the attributes, the arguments and the version, what it gives: 0 or 1 axes,
            None where it is none of these and is read as on any tensors.
        starts: whether it begins with a tensor.
    """

    def __init__(self, function: Callable, rank: Callable[..., int | None], starts: bool = False) -> None:
        self.function, self.rank, self.starts = function, rank, starts


def _shape(x: Any, start: int = 0, end: int | None = None) -> tuple[int, ...]:
    return x.shape[start:end]


def _size(x: Any) -> int:
    return math.prod(x.shape)


def _gather(values: tuple, places: Any, axis: int = 0) -> Any:
    return values[places] if isinstance(places, int) else tuple([values[place] for place in places])


def _concat(*parts: tuple, axis: int = 0) -> tuple:
    joined: list = []
    for part in parts:
        joined += part
    return tuple(joined)


def _unsqueeze(value: int, *axes: Any, **attributes: Any) -> tuple[int]:
    return (value,)


def _squeeze(value: tuple, *axes: Any, **attributes: Any) -> int:
    [number] = value
    return number


def _slice(values: tuple, starts: Any, ends: Any, axes: Any = (0,), steps: Any = (1,)) -> tuple:
    [start], [end], [step] = starts, ends, steps
    n = len(values)
    if step < 0 and end < -n:
        return values[start::step]
    return values[start:end:step]


def _cast(value: Any, to: int, saturate: int = 1, round_mode: str = "up") -> Any:
    return value


def _reshape(value: Any, shape: Any, allowzero: int = 0) -> Any:
    values = (value,) if isinstance(value, int) else value
    return values if len(shape) else values[0]


def _product(values: tuple, axes: Any = None, keepdims: int = 1, noop_with_empty_axes: int = 0) -> Any:
    found = math.prod(values)
    return (found,) if keepdims else found


def _divided(a: int, b: int) -> int:
    return a // b if (a < 0) == (b < 0) else -(-a // b)


def _each(function: Callable) -> Callable:
    def applied(a: Any, b: Any) -> Any:
        if isinstance(a, int) and isinstance(b, int):
            return function(a, b)
        n = max(len(x) for x in (a, b) if isinstance(x, tuple))
        left, right = ((x,) * n if isinstance(x, int) else x * n if len(x) == 1 else x for x in (a, b))
        return tuple([function(x, y) for x, y in zip(left, right)])

    return applied


def _widest(ranks: tuple, given: dict, arguments: list, version: int) -> int | None:
    return max(ranks) if not given else None


SIZES: dict[str, Size] = {
    "Shape": Size(_shape, lambda ranks, given, arguments, version: 1, starts=True),
    "Size": Size(_size, lambda ranks, given, arguments, version: 0, starts=True),
    "Gather": Size(_gather, lambda ranks, given, arguments, version: ranks[1] if ranks[0] == 1 else None),
    "Concat": Size(_concat, lambda ranks, given, arguments, version: 1 if set(ranks) == {1} else None),
    "Unsqueeze": Size(_unsqueeze, lambda ranks, given, arguments, version: 1 if ranks[0] == 0 else None),
    "Squeeze": Size(
        _squeeze,
        lambda ranks, given, arguments, version: 0 if ranks[0] == 1 and (len(ranks) == 2 or "axes" in given) else None,
    ),
    "Slice": Size(
        _slice,
        lambda ranks, given, arguments, version: 1 if ranks[0] == 1 and len(ranks) >= 3 and set(ranks) == {1} else None,
    ),
    "Cast": Size(_cast, lambda ranks, given, arguments, version: ranks[0] if given.get("to") == 7 else None),
    "Identity": Size(lambda value: value, lambda ranks, given, arguments, version: ranks[0]),
    "ReduceProd": Size(
        _product, lambda ranks, given, arguments, version: given.get("keepdims", 1) if ranks[0] == 1 else None
    ),
    "Add": Size(_each(operator.add), _widest),
    "Sub": Size(_each(operator.sub), _widest),
    "Mul": Size(_each(operator.mul), _widest),
    "Div": Size(_each(_divided), _widest),
}
