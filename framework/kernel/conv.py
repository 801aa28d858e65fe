"""Convolution of images, forward and its two gradients, in plain NCHW.

    forward           y[n, k, p, q]  = sum over c, r, s of  w[k, c, r, s] · x[n, c, p·stride + r·dilation - padding, …]
    input gradient    dx[n, c, h, w] = sum over k, r, s of  w[k, c, r, s] · g[n, k, (h + padding - r·dilation)/stride, …]
    weight gradient   dw[k, c, r, s] = sum over n, p, q of  g[n, k, p, q] · x[n, c, p·stride + r·dilation - padding, …]

The input gradient is also the forward of the transposed convolution. Layers of one dimension have H = 1.

**Laws.** The bits of an element depend on types, shapes, attributes and values alone.

- Forward and input gradient: one chain of fused multiply-adds from +0 (in float32 for half precision), then the epilogue,
  then one rounding. Order of the chain: source channel; tap row; tap column. The input gradient takes the taps from last to
  first, so that it too walks its source, g, from the top left. Its chain has only the taps that hit an element of g or
  its padding; positions outside the source, x or g, count as zeros that are multiplied (an infinite weight times
  padding is NaN). A sum that is zero is +0.
- Weight gradient: chains over pieces of the pixels, added in an order that follows from the shape (`conv_weights`,
  `conv_weights_pixels`, `conv_weights_planes`). Padding counts as zeros that are multiplied.

**Ways.** Three kernels make the same chains for forward and input gradient: vectors over output channels
(`conv_channels`), over output columns (`conv_pixels`), and for single planes over output columns with rows that share
their source (`conv_planes`); whichever is estimated to be fastest is taken. The weight
gradient takes its way by the numbers of channels and taps alone, since the order of its sums differs.
Nothing of a shape is in the machine code (but the window, in those of planes): tables of tap distances, in the words of a
step, stand for im2col.

Files, in the order to read them: conv_geometry, conv_layout, conv_units, conv_channels, conv_pixels, conv_planes,
conv_weights, conv_weights_pixels, conv_weights_planes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anfora.core.dtype import DType, bfloat16, float16, float32
from anfora.kernel import conv_channels, conv_pixels, conv_planes
from anfora.kernel.conv_channels import plan_channel_tiles
from anfora.kernel.conv_geometry import Axis, Sum, adjoint_axis, forward_axis
from anfora.kernel.conv_layout import columns_together
from anfora.kernel.conv_pixels import plan_pixel_tiles
from anfora.kernel.conv_planes import plan_plane_tiles
from anfora.kernel.conv_weights import plan_channel_weights
from anfora.kernel.conv_weights_pixels import plan_pixel_weights
from anfora.kernel.conv_weights_planes import is_of_planes, plan_plane_weights
from anfora.kernel.loops import contiguous, plan_copy, plan_fill
from anfora.kernel.plan import Buffer, Planner

__all__ = ["plan_conv2d", "plan_conv2d_input_gradient", "plan_conv2d_weight_gradient"]

Pair = tuple[int, int]
Padding = tuple[int, int, int, int]
Operands = Sequence[tuple[Buffer, str]]


def plan_conv2d(
    p: Planner, x: Buffer, w: Buffer, out: Buffer, *, stride: Pair, padding: Padding, dilation: Pair, groups: int,
    epilogue: Callable | None = None, operands: Operands = (),
) -> None:  # fmt: skip
    """Add the steps of the forward convolution.

    Args:
        x: (N, C, H, W); w: (K, C / groups, R, S); out: (N, K, P, Q), contiguous.
        padding: top, bottom, left, right.
        epilogue: scalar body `epilogue(sum, *values)` on each finished sum.
        operands: where its values come from: (buffer, kind), kind `k`, one value for each output channel, or `full`, of
            out's shape. They must not share memory with out.
    """
    rows, columns = (
        forward_axis(x.shape[i], out.shape[i], w.shape[i], stride[i - 2], padding[2 * i - 4], dilation[i - 2])
        for i in (2, 3)
    )
    taps = w.shape[2] * w.shape[3]
    sizes = w.shape[1], w.shape[0] // groups, w.shape[1] * taps, taps
    _plan_sum(p, x, w, out, groups, sizes, rows, columns, epilogue, operands)


def plan_conv2d_input_gradient(
    p: Planner, g: Buffer, w: Buffer, out: Buffer, *, stride: Pair, padding: Padding, dilation: Pair, groups: int,
    epilogue: Callable | None = None, operands: Operands = (),
) -> None:  # fmt: skip
    """Add the steps of the gradient for the input, or of a transposed convolution of g.

    Args:
        g: (N, K, P, Q); w: (K, C / groups, R, S); out: (N, C, H, W), contiguous.
        epilogue, operands: as in `plan_conv2d`; kind `k` has one value for each channel of out.
    """
    rows, columns = (
        adjoint_axis(g.shape[i], out.shape[i], w.shape[i], stride[i - 2], padding[2 * i - 4], dilation[i - 2])
        for i in (2, 3)
    )
    taps = w.shape[2] * w.shape[3]
    sizes = w.shape[0] // groups, w.shape[1], taps, w.shape[1] * taps
    _plan_sum(p, g, w, out, groups, sizes, rows, columns, epilogue, operands)


def plan_conv2d_weight_gradient(
    p: Planner, x: Buffer, g: Buffer, out: Buffer, *, stride: Pair, padding: Padding, dilation: Pair, groups: int
) -> None:
    """Add the steps of the gradient for the weights: x (N, C, H, W), g (N, K, P, Q), out (K, C / groups, R, S)."""
    compute = _compute_type(x)
    if out.size == 0:
        return
    if x.size == 0 or g.size == 0:
        plan_fill(p, out, 0.0)
        return
    rows, columns = (
        forward_axis(x.shape[i], g.shape[i], out.shape[i], stride[i - 2], padding[2 * i - 4], dilation[i - 2])
        for i in (2, 3)
    )
    outputs, taps = out.shape[0] // groups, out.shape[2] * out.shape[3]
    sizes = out.shape[1], outputs, out.shape[1] * taps, taps
    s = Sum(
        columns_together(p, x),
        out,
        contiguous(p, g),
        groups,
        *sizes,
        (out.shape[2], out.shape[3]),
        rows,
        columns,
        compute,
    )
    # By the shape alone: this decides the order of the sums.
    if is_of_planes(s):
        plan_plane_weights(p, s, out)
    elif outputs < 12:
        plan_pixel_weights(p, s, out)
    else:
        plan_channel_weights(p, s, out)


def _plan_sum(
    p: Planner, source: Buffer, w: Buffer, out: Buffer, groups: int, sizes: tuple[int, int, int, int], rows: Axis,
    columns: Axis, epilogue: Callable | None, operands: Operands,
) -> None:  # fmt: skip
    compute = _compute_type(source)
    if out.size == 0:
        return
    source = columns_together(p, source)
    weights = contiguous(p, w)
    if w.dtype is not compute:
        weights = p.workspace(compute, *w.shape)
        plan_copy(p, w, weights)
    packed = tuple((contiguous(p, buffer), kind) for buffer, kind in operands)
    window = w.shape[2], w.shape[3]
    s = Sum(source, weights, out, groups, *sizes, window, rows, columns, compute, epilogue, packed).simplified()
    if conv_channels.cycles(s) < min(conv_planes.cycles(s), conv_pixels.cycles(s)):
        plan_channel_tiles(p, s)
    elif conv_planes.cycles(s) < conv_pixels.cycles(s):
        plan_plane_tiles(p, s)
    else:
        plan_pixel_tiles(p, s)


def _compute_type(source: Buffer) -> DType:
    """The type in which sums are formed."""
    if not source.dtype.is_float:
        raise NotImplementedError(f"convolution of {source.dtype}")
    return float32 if source.dtype in (float16, bfloat16) else source.dtype
