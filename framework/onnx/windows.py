"""Windows that go over the last axes of a tensor: where they begin, what they reach, how many there are."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from anfora import ops
from anfora.core.op import registry
from anfora.core.tensor import Tensor

__all__ = ["counts_of", "padded", "pads_of", "taps"]


def pads_of(
    sizes: Sequence[int], reach: Sequence[int], strides: Sequence[int], auto_pad: str, pads: Sequence[int] | None
) -> tuple[list[int], list[int]]:
    """How much is added in front of each axis and behind it."""
    rank = len(sizes)
    if auto_pad in ("SAME_UPPER", "SAME_LOWER"):
        total = [max((-(-n // s) - 1) * s + r - n, 0) for n, r, s in zip(sizes, reach, strides)]
        small = [t // 2 for t in total]
        large = [t - s for t, s in zip(total, small)]
        return (small, large) if auto_pad == "SAME_UPPER" else (large, small)
    if pads is None or auto_pad == "VALID":
        return [0] * rank, [0] * rank
    return list(pads[:rank]), list(pads[rank:])


def padded(x: Any, before: Sequence[int], after: Sequence[int], value: Any) -> Any:
    """With so many elements around its last axes; negative numbers cut."""
    lead = x.ndim - len(before)
    for axis, (b, a) in enumerate(zip(before, after), lead):
        if b < 0 or a < 0:
            start = max(-b, 0)
            x = ops.narrow(x, axis, start, x.shape[axis] - start - max(-a, 0))
    front, back = [max(b, 0) for b in before], [max(a, 0) for a in after]
    if not any(front) and not any(back):
        return x
    zeros = (0,) * lead
    return registry["pad_constant"](x, Tensor(value, x.dtype), before=(*zeros, *front), after=(*zeros, *back))


def counts_of(
    sizes: Sequence[int], reach: Sequence[int], strides: Sequence[int], before: Sequence[int], after: Sequence[int],
    is_ceil: int,
) -> list[int]:  # fmt: skip
    """How many windows there are along each axis."""
    found = []
    for n, r, s, b, a in zip(sizes, reach, strides, before, after):
        rest = n + b + a - r
        count = (-(-rest // s) if is_ceil else rest // s) + 1
        if is_ceil and (count - 1) * s >= n + b:  # it would begin behind the input
            count -= 1
        found.append(count)
    return found


def taps(
    x: Any, kernel: Sequence[int], dilations: Sequence[int], strides: Sequence[int], counts: Sequence[int]
) -> Iterator:
    """For each place of the window, in row-major order, what the windows have there."""
    lead = [slice(None)] * (x.ndim - len(kernel))
    for place in itertools.product(*map(range, kernel)):
        parts = [
            slice(i * d, i * d + (count - 1) * s + 1, s) for i, d, s, count in zip(place, dilations, strides, counts)
        ]
        yield x[tuple(lead + parts)]
