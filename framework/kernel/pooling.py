"""Pooling of planes: maximum and average, fixed and adaptive windows, with gradients, in plain NCHW.

**Laws.** The bits of an element depend on types, shapes, attributes and values alone.

- Maximum: the first one in scan order, where a NaN is larger than any number; padding counts as -inf but is never
  chosen while there is an element. Its index is h · W + w in the plane, -1 for a window of padding only.
- Average: +0, plus the elements in scan order, padding as zeros; then one division (by the elements of the padded plane
  in the window, by those of the plane, or by a given divisor). If a window spans whole rows and nothing is padded, as in
  pooling over the whole plane, the sum is that of adaptive pooling, which keeps many sums side by side.
- Gradients: +0, plus the shares of the windows in scan order. The gradient of a maximum goes to the first one.

Half precision is computed in float32 and rounded once. Integers: maximum only.

Files, in the order to read them: pooling_pairs (2 x 2), pooling_windows, pooling_adaptive.
"""

from __future__ import annotations

from anfora.kernel.conv_layout import columns_together
from anfora.kernel.loops import contiguous, plan_fill
from anfora.kernel.plan import Buffer, Planner
from anfora.kernel.pooling_adaptive import (
    plan_adaptive_average,
    plan_adaptive_average_gradient,
    plan_adaptive_maximum,
    plan_adaptive_maximum_gradient,
)  # fmt: skip
from anfora.kernel.pooling_pairs import plan_pairs, plan_pairs_gradient
from anfora.kernel.pooling_windows import (
    Window,
    plan_average,
    plan_average_gradient,
    plan_maximum,
    plan_maximum_gradient,
)  # fmt: skip

__all__ = [
    "plan_adaptive_avg_pool2d", "plan_adaptive_avg_pool2d_gradient", "plan_adaptive_max_pool2d",
    "plan_adaptive_max_pool2d_gradient", "plan_avg_pool2d", "plan_avg_pool2d_gradient", "plan_max_pool2d",
    "plan_max_pool2d_gradient",
]  # fmt: skip

Pair = tuple[int, int]
Padding = tuple[int, int, int, int]


def plan_max_pool2d(
    p: Planner, x: Buffer, out: Buffer, *, kernel: Pair, stride: Pair, padding: Padding, dilation: Pair,
    indices: Buffer | None = None,
) -> None:  # fmt: skip
    """Add the steps of the maximum of windows of x (N, C, H, W).

    Args:
        out: (N, C, P, Q), contiguous. Windows may hang over the end of the padded plane (ceil mode); they are cut.
        padding: top, bottom, left, right.
        indices: int64, contiguous, of out's shape.
    """
    if out.size == 0:
        return
    x, window = columns_together(p, x), Window(kernel, stride, padding, dilation)
    if _is_pairs(x.shape, out.shape, window):
        plan_pairs(p, x, out, indices)
    else:
        plan_maximum(p, x, out, indices, window)


def plan_max_pool2d_gradient(
    p: Planner, x: Buffer, g: Buffer, out: Buffer, *, kernel: Pair, stride: Pair, padding: Padding, dilation: Pair
) -> None:
    """Add the steps of the gradient `out` (contiguous, of x's shape) from x, where the maxima are looked for again, and
    g (N, C, P, Q)."""
    if out.size == 0:
        return
    if g.size == 0:
        plan_fill(p, out, 0.0)
        return
    x, g, window = columns_together(p, x), contiguous(p, g), Window(kernel, stride, padding, dilation)
    if _is_pairs(x.shape, g.shape, window):
        plan_pairs_gradient(p, x, g, out)
    else:
        plan_maximum_gradient(p, x, g, out, window)


def _is_pairs(x: tuple[int, ...], out: tuple[int, ...], window: Window) -> bool:
    """Whether windows are squares of two by two, side by side, none of which hangs over the end."""
    squares = Window((2, 2), (2, 2), (0, 0, 0, 0), (1, 1))
    return window == squares and out[2:] == (x[2] // 2, x[3] // 2)


def plan_avg_pool2d(
    p: Planner, x: Buffer, out: Buffer, *, kernel: Pair, stride: Pair, padding: Padding, count_include_pad: bool,
    divisor: int | None = None,
) -> None:  # fmt: skip
    """Add the steps of the average of windows of x (N, C, H, W) to out (N, C, P, Q), contiguous.

    A window is divided by the number of its elements in the padded plane or, without `count_include_pad`, in the plane;
    or by `divisor`."""
    _only_floats(x)
    if out.size == 0:
        return
    if _is_whole(x.shape, out.shape, kernel, padding):
        plan_adaptive_average(p, contiguous(p, x), out, divisor or 0)
    else:
        window = Window(kernel, stride, padding)
        plan_average(p, columns_together(p, x), out, window, count_include_pad, divisor)


def plan_avg_pool2d_gradient(
    p: Planner, g: Buffer, out: Buffer, *, kernel: Pair, stride: Pair, padding: Padding, count_include_pad: bool,
    divisor: int | None = None,
) -> None:  # fmt: skip
    """Add the steps of the gradient `out` of the input (N, C, H, W), contiguous, from g (N, C, P, Q)."""
    _only_floats(g)
    if out.size == 0:
        return
    if g.size == 0:
        plan_fill(p, out, 0.0)
    elif _is_whole(out.shape, g.shape, kernel, padding):
        plan_adaptive_average_gradient(p, contiguous(p, g), out, divisor or 0)
    else:
        plan_average_gradient(p, contiguous(p, g), out, Window(kernel, stride, padding), count_include_pad, divisor)


def _is_whole(x: tuple[int, ...], out: tuple[int, ...], kernel: Pair, padding: Padding) -> bool:
    """Whether the only window is the whole plane."""
    return out[2:] == (1, 1) and kernel == x[2:] and not any(padding)


def plan_adaptive_avg_pool2d(p: Planner, x: Buffer, out: Buffer) -> None:
    """Add the steps of the average of x (N, C, H, W) over P x Q windows to out (N, C, P, Q), contiguous."""
    _only_floats(x)
    if out.size:
        whole_rows = out.shape[3] == 1
        plan_adaptive_average(p, contiguous(p, x) if whole_rows else columns_together(p, x), out)


def plan_adaptive_avg_pool2d_gradient(p: Planner, g: Buffer, out: Buffer) -> None:
    """Add the steps of the gradient `out` of the input, contiguous, from g (N, C, P, Q)."""
    _only_floats(g)
    if out.size:
        plan_adaptive_average_gradient(p, contiguous(p, g), out)


def plan_adaptive_max_pool2d(p: Planner, x: Buffer, out: Buffer, *, indices: Buffer | None = None) -> None:
    """Add the steps of the maximum of x (N, C, H, W) over P x Q windows to out and indices (int64), contiguous."""
    if out.size:
        plan_adaptive_maximum(p, columns_together(p, x), out, indices)


def plan_adaptive_max_pool2d_gradient(p: Planner, x: Buffer, g: Buffer, out: Buffer) -> None:
    """Add the steps of the gradient `out` of x, contiguous, from g (N, C, P, Q)."""
    if out.size:
        plan_adaptive_maximum_gradient(p, columns_together(p, x), contiguous(p, g), out)


def _only_floats(x: Buffer) -> None:
    if not x.dtype.is_float:
        raise NotImplementedError(f"average pooling of {x.dtype}")
