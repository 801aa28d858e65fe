"""Images looked at in places that a tensor gives: what lies there is a sum over the pixels around, the taps of a place.

Places and weights of the taps are sentences in operators, through which gradients go to the grid; the sums are three
operators, each of which is made of the others' gradients (`kernel/taps.py`).
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from typing import Any

import numpy as np

from anfora.core.abstract import TensorType
from anfora.core.dtype import float32, float64, int64
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.op import op
from anfora.core.tensor import Tensor
from anfora.kernel.plan import Buffer, Planner
from anfora.kernel.taps import plan_tap_products, plan_tap_sums, plan_tap_sums_back
from anfora.ops.arithmetic import abs as absolute
from anfora.ops.arithmetic import clamp, floor, rint
from anfora.ops.comparison import where
from anfora.ops.composite import composite
from anfora.ops.copying import cast
from anfora.ops.creation import full
from anfora.ops.families import folded, linear
from anfora.ops.joining import stack
from anfora.ops.linear import matmul
from anfora.ops.shape import reshape, swapaxes
from anfora.ops.windows import each_axis

__all__ = ["affine_grid", "grid_sample"]


# -- sums over taps ---------------------------------------------------------------------------------------------------


@op
def tap_sums(input: Tensor, weights: Tensor, places: Tensor):
    """Sums over the taps of each place: y[n, c, p] = sum over t of input[n, c, places[n, t, p]] · weights[n, t, p]."""


@tap_sums.infer
def _(input, weights, places):
    return TensorType(input.dtype, (*input.shape[:2], places.shape[2]))


@tap_sums.kernel
def _(p: Planner, input: Buffer, weights: Buffer, places: Buffer, out: Buffer):
    plan_tap_sums(p, input, weights, places, out)


@tap_sums.vjp("input")
def _(input_type, weights, places, *, g):
    return tap_sums_back(g, weights, places, input_type.shape[2])


@tap_sums.vjp("weights")
def _(input, places, *, g):
    return tap_products(input, g, places)


linear(tap_sums, "input", "weights")
folded(tap_sums, 3, 3)


@op
def tap_sums_back(gradient: Tensor, weights: Tensor, places: Tensor, size):
    """The gradient of `tap_sums` to an input with `size` elements a channel."""


@tap_sums_back.infer
def _(gradient, weights, places, *, size):
    return TensorType(gradient.dtype, (*gradient.shape[:2], size))


@tap_sums_back.kernel
def _(p: Planner, gradient: Buffer, weights: Buffer, places: Buffer, out: Buffer, *, size):
    plan_tap_sums_back(p, gradient, weights, places, out)


@tap_sums_back.vjp("gradient")
def _(weights, places, *, g):
    return tap_sums(g, weights, places)


@tap_sums_back.vjp("weights")
def _(gradient, places, *, g):
    return tap_products(g, gradient, places)


linear(tap_sums_back, "gradient", "weights")
folded(tap_sums_back, 3, 3)


@op
def tap_products(input: Tensor, gradient: Tensor, places: Tensor):
    """The gradient of `tap_sums` to its weights."""


@tap_products.infer
def _(input, gradient, places):
    return TensorType(input.dtype, places.shape)


@tap_products.kernel
def _(p: Planner, input: Buffer, gradient: Buffer, places: Buffer, out: Buffer):
    plan_tap_products(p, input, gradient, places, out)


@tap_products.vjp("input")
def _(input_type, gradient, places, *, g):
    return tap_sums_back(gradient, g, places, input_type.shape[2])


@tap_products.vjp("gradient")
def _(input, places, *, g):
    return tap_sums(input, g, places)


linear(tap_products, "input", "gradient")
folded(tap_products, 3, 3)


# -- grids ------------------------------------------------------------------------------------------------------------


@composite
def affine_grid(theta: Tensor, size: Any, align_corners: bool = False) -> Tensor:
    """Where the pixels of an image come from under affine maps: a grid for `grid_sample`.

    Args:
        theta: float tensor (N, 2, 3), or (N, 3, 4) for volumes: from (x, y, 1) in the result to (x, y) in the input.
        size: the shape (N, C, H, W) or (N, C, D, H, W) of the result.
        align_corners: whether -1 and 1 are the middles of the corner pixels, or the outer edges of these.
    Returns:
        tensor (N, H, W, 2) or (N, D, H, W, 3).
    Raises:
        OpTypeError: `theta` is not floating point.
        OpValueError: shapes do not fit.
    Example:
        >>> affine_grid(Tensor([[[1., 0., 0.], [0., 1., 0.]]]), (1, 1, 1, 2)).tolist()
        [[[[-0.5, 0.0], [0.5, 0.0]]]]
    """
    kind = theta._layout.type
    if not kind.dtype.is_float:
        raise OpTypeError(f"affine_grid needs a floating-point tensor for `theta`, but got {kind!r}", arg="theta")
    axes = len(size) - 2
    if axes not in (2, 3) or kind.shape != (size[0], axes, axes + 1):
        raise OpValueError(
            f"affine_grid needs `theta` (N, 2, 3) with `size` (N, C, H, W), or (N, 3, 4) with (N, C, D, H, W), but got "
            f"{kind!r} and {tuple(size)}",
            arg="theta",
        )
    lengths = each_axis("affine_grid", "size", tuple(size)[2:], axes)
    lines = [
        np.linspace(-1, 1, n) if align_corners and n > 1 else (2 * np.arange(n) + 1) / n - 1 for n in reversed(lengths)
    ]
    places = np.meshgrid(*reversed(lines), indexing="ij")[::-1]
    points = np.stack([*places, np.ones(lengths)], -1).reshape(-1, axes + 1)
    grid = matmul(Tensor(points, kind.dtype), swapaxes(theta, 1, 2))
    return reshape(grid, (size[0], *lengths, axes))


def _in_pixels(x: Tensor, n: int, align_corners: bool) -> Tensor:
    """Places in [-1, 1] as places in [0, n - 1]."""
    return (x + 1.0) * ((n - 1) / 2) if align_corners else ((x + 1.0) * n - 1.0) * 0.5


def _inside(x: Tensor, n: int, padding_mode: str, align_corners: bool) -> Tensor:
    """Places brought into [0, n - 1], but for the padding with zeros."""
    if padding_mode == "reflection":
        low, span = (0.0, n - 1.0) if align_corners else (-0.5, float(n))
        if not span:
            return x * 0.0
        x = absolute(x - low)
        turns = floor(x / span)
        rest = x - turns * span
        odd = turns - 2.0 * floor(turns * 0.5)
        x = where(odd == 0.0, rest, span - rest) + low
    return clamp(x, 0.0, n - 1.0) if padding_mode != "zeros" else x


def _cubic_weights(t: Tensor) -> list[Tensor]:
    """The weights of the four pixels around a place that is t behind the second of them; Keys with a = -0.75."""
    a = -0.75

    def far(d: Tensor) -> Tensor:
        return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a

    def near(d: Tensor) -> Tensor:
        return ((a + 2) * d - (a + 3)) * d * d + 1.0

    return [far(t + 1.0), near(t), near(1.0 - t), far(2.0 - t)]


def _taps(x: Tensor, n: int, mode: str, padding_mode: str, align_corners: bool) -> list[tuple[Tensor, Tensor]]:
    """The pixels along an axis of which a place is made, and their weights."""
    if mode == "nearest":
        x = _inside(x, n, padding_mode, align_corners)
        return [(rint(x), full(x.shape, 1, dtype=x.dtype))]
    if mode == "bilinear":
        x = _inside(x, n, padding_mode, align_corners)
        low = floor(x)
        part = x - low
        return [(low, 1.0 - part), (low + 1.0, part)]
    low = floor(x)
    return [
        (_inside(low + float(k), n, padding_mode, align_corners), weight)
        for k, weight in enumerate(_cubic_weights(x - low), -1)
    ]


_OUTSIDE = -(2**40)  #: a place of pixels outside, also with the other axes added to it


def _along_axis(place: Tensor, n: int, stride: int) -> Tensor:
    """What a place along one axis adds to the place in the image, whose next element lies `stride` further."""
    inside = clamp(place, 0.0, n - 1.0)
    at = cast(inside, int64)
    return where(inside == place, at if stride == 1 else at * stride, _OUTSIDE)


def _check_grid(kind: TensorType, given: TensorType, mode: str, padding_mode: str) -> None:
    """Refuse what `grid_sample` does not take."""
    name = "grid_sample"
    for arg, x in (("input", kind), ("grid", given)):
        if not x.dtype.is_float:
            raise OpTypeError(f"{name} needs a floating-point tensor for `{arg}`, but got {x!r}", arg=arg)
    axes = kind.ndim - 2
    if axes not in (2, 3):
        raise OpValueError(f"{name} needs (N, C, H, W) or (N, C, D, H, W), but got {kind!r}", arg="input")
    if given.ndim != kind.ndim or given.shape[-1] != axes or given.shape[0] != kind.shape[0]:
        raise OpValueError(
            f"{name} needs a grid of {axes} coordinates a place for {kind!r}, but got {given!r}", arg="grid"
        )
    for arg, word, known in (
        ("mode", mode, ("bilinear", "nearest", "bicubic")),
        ("padding_mode", padding_mode, ("zeros", "border", "reflection")),
    ):
        if word not in known:
            raise OpValueError(f"{name}: `{arg}` must be one of {', '.join(known)}, but got {word!r}", arg=arg)
    if mode == "bicubic" and axes == 3:
        raise OpValueError(f"{name}: mode 'bicubic' is for images, but got {kind!r}", arg="mode")
    if 0 in kind.shape[2:]:
        raise OpValueError(f"{name}: the images of {kind!r} are empty", arg="input")


@composite
def grid_sample(
    input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool = False
) -> Tensor:
    """Images looked at in given places.

    Args:
        input: float tensor (N, C, H, W), or (N, C, D, H, W).
        grid: float tensor (N, P, Q, 2) of places (x, y), or (N, O, P, Q, 3) of (x, y, z): x goes from -1 at the left to 1
            at the right, y from -1 at the top to 1 at the bottom, z likewise along D.
        mode: "bilinear" (between the nearest pixels), "nearest", or "bicubic" (images alone).
        padding_mode: what is seen outside: "zeros", "border" (the nearest pixel of the edge), or "reflection".
        align_corners: whether -1 and 1 are the middles of the corner pixels, or the outer edges of these.
    Returns:
        tensor (N, C, P, Q), or (N, C, O, P, Q), of the type of `input`.
    Raises:
        OpTypeError: an argument is not floating point.
        OpValueError: shapes do not fit, or a mode is unknown.
    Gradient:
        to the pixels, and but for "nearest" to the places.
    Source:
        Jaderberg et al., arXiv:1506.02025 (2015).
    Example:
        >>> grid_sample(Tensor([[[[1., 3.]]]]), Tensor([[[[0., 0.], [-0.5, 0.]]]])).tolist()
        [[[[2.0, 1.0]]]]
    """
    kind, given = input._layout.type, grid._layout.type
    _check_grid(kind, given, mode, padding_mode)
    n, c, *rest = kind.shape
    sizes, axes = tuple(rest), len(rest)
    wide = float64 if float64 in (kind.dtype, given.dtype) else float32
    flat = reshape(cast(input, wide), (n, c, -1))
    points = reshape(cast(grid, wide), (n, -1, axes))
    options = []
    for axis, size in enumerate(sizes):
        x = _in_pixels(points[:, :, axes - 1 - axis], size, align_corners)
        taps = _taps(x, size, mode, padding_mode, align_corners)
        stride = math.prod(sizes[axis + 1 :])
        options.append([(_along_axis(place, size, stride), weight) for place, weight in taps])
    places: list[Tensor] = []
    weights: list[Tensor] = []
    for corner in itertools.product(*options):
        places.append(functools.reduce(operator.add, [place for place, _ in corner]))
        weights.append(functools.reduce(operator.mul, [weight for _, weight in corner]))
    total = tap_sums(flat, stack(weights, 1), stack(places, 1))
    return cast(reshape(total, (n, c, *given.shape[1:-1])), kind.dtype)
