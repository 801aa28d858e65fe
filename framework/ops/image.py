"""Images of another size: resampling, channels turned into pixels and back, windows taken out and put back.

Resampling is done axis by axis, from tables of places and weights (`_table`) that are made once for each pair of lengths.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from anfora.core.abstract import TensorType
from anfora.core.dtype import DType, float32, float64
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.op import op
from anfora.core.tensor import Tensor
from anfora.kernel.plan import Buffer, Planner
from anfora.kernel.resize import plan_fold, plan_resample, plan_resample_back, plan_unfold
from anfora.ops.composite import composite
from anfora.ops.copying import cast
from anfora.ops.families import along, linear
from anfora.ops.indexing import gather
from anfora.ops.shape import reshape, transpose
from anfora.ops.windows import each_axis, length

__all__ = [
    "channel_shuffle", "fold", "interpolate", "pixel_shuffle", "pixel_unshuffle",
    "resize_bicubic", "resize_bilinear", "resize_nearest_neighbor", "unfold", "upsample",
]  # fmt: skip

_MODES = {
    "nearest": (3, 4, 5), "nearest-exact": (3, 4, 5), "area": (3, 4, 5), "linear": (3,), "bilinear": (4,),
    "bicubic": (4,), "trilinear": (5,),
}  # fmt: skip
_ALIGNING = ("linear", "bilinear", "bicubic", "trilinear")


# -- tables -----------------------------------------------------------------------------------------------------------


def _source(n: int, m: int, corners: str, ratio: float) -> np.ndarray:
    """Where the m places of the result lie among n places of the input.

    `corners` says what is the same in both: "align": the middles of the first and the last pixels; "half": the outer edges
    of these; "legacy": the middles of the first pixels. `ratio` is the length of a new pixel in old ones.
    """
    j = np.arange(m, dtype=np.float64)
    if corners == "align":
        return j * ((n - 1) / (m - 1) if m > 1 else 0.0)
    return j * ratio if corners == "legacy" else (j + 0.5) * ratio - 0.5


def _nearest(n: int, m: int, rule: str, ratio: float) -> np.ndarray:
    """The nearest places of the input: "floor" of j · ratio, of that plus half a pixel ("exact"), or "round" with the
    corners aligned (halves up)."""
    if rule == "round":
        places = np.floor(_source(n, m, "align", ratio) + 0.5)
    else:
        places = np.floor((np.arange(m) + (0.5 if rule == "exact" else 0.0)) * ratio)
    return np.clip(places, 0, n - 1).astype(np.int64)


def _linear(n: int, m: int, corners: str, ratio: float) -> tuple[np.ndarray, np.ndarray]:
    at = np.clip(_source(n, m, corners, ratio), 0, n - 1)
    low = np.floor(at).astype(np.int64)
    part = at - low
    return np.stack([low, np.minimum(low + 1, n - 1)], 1), np.stack([1 - part, part], 1)


def _cubic(n: int, m: int, corners: str, ratio: float) -> tuple[np.ndarray, np.ndarray]:
    """Keys' cubic convolution with a = -0.75; places outside are those of the edges."""
    at = _source(n, m, corners, ratio)
    low = np.floor(at).astype(np.int64)
    offsets = np.arange(-1, 3)
    distance = np.abs((at - low)[:, None] - offsets)
    a = -0.75
    near = ((a + 2) * distance - (a + 3)) * distance * distance + 1
    far = ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a
    return np.clip(low[:, None] + offsets, 0, n - 1), np.where(distance <= 1, near, np.where(distance < 2, far, 0.0))


def _area(n: int, m: int, corners: str, ratio: float) -> tuple[np.ndarray, np.ndarray]:
    """The mean of the pixels floor(j n / m) to ceil((j + 1) n / m) - 1."""
    j = np.arange(m, dtype=np.int64)
    start, end = j * n // m, -(-(j + 1) * n // m)
    places = start[:, None] + np.arange(int((end - start).max()))
    inside = places < end[:, None]
    return np.where(inside, places, start[:, None]), inside / (end - start)[:, None]


_KINDS = {"linear": _linear, "cubic": _cubic, "area": _area}


@functools.lru_cache(maxsize=256)
def _table(kind: str, n: int, m: int, corners: str, ratio: float, dtype: DType) -> tuple[Tensor, Tensor]:
    """For each of m places of the result some places of the n of the input, and their weights, both (m, taps)."""
    places, weights = _KINDS[kind](n, m, corners, ratio)
    return Tensor(places), Tensor(weights, dtype)


# -- resampling -------------------------------------------------------------------------------------------------------


@op
def resample(input: Tensor, places: Tensor, weights: Tensor, axis):
    """Weighted sums of places along an axis: y[…, j, …] = sum over k of weights[j, k] x[…, places[j, k], …]."""


@resample.infer
def _(input, places, weights, *, axis):
    return TensorType(input.dtype, (*input.shape[:axis], places.shape[0], *input.shape[axis + 1 :]))


@resample.kernel
def _(p: Planner, input: Buffer, places: Buffer, weights: Buffer, out: Buffer, *, axis):
    plan_resample(p, input, places, weights, out, axis=axis)


@resample.vjp("input")
def _(input_type, places, weights, *, axis, g):
    return resample_back(g, places, weights, axis, input_type.shape[axis])


linear(resample, "input")
along(resample, "axis")


@op
def resample_back(gradient: Tensor, places: Tensor, weights: Tensor, axis, size):
    """The transpose of `resample`: its gradient to an input of length `size` along the axis."""


@resample_back.infer
def _(gradient, places, weights, *, axis, size):
    return TensorType(gradient.dtype, (*gradient.shape[:axis], size, *gradient.shape[axis + 1 :]))


@resample_back.kernel
def _(p: Planner, gradient: Buffer, places: Buffer, weights: Buffer, out: Buffer, *, axis, size):
    plan_resample_back(p, gradient, places, weights, out, axis=axis)


@resample_back.vjp("gradient")
def _(places, weights, *, axis, g):
    return resample(g, places, weights, axis)


linear(resample_back, "gradient")
along(resample_back, "axis")


def _resampled(
    name: str, x: Tensor, kind: str, sizes: Sequence[int], corners: str, ratios: Sequence[float]
) -> Tensor:  # fmt: skip
    """The last axes of x with other lengths."""
    if not x.dtype.is_float:
        raise OpTypeError(
            f"{name} needs a floating-point tensor for `input`, but got {x._layout.type!r}",
            arg="input",
            help="convert it first, e.g. x.astype(float32).",
        )
    wide = float64 if x.dtype is float64 else float32
    y = cast(x, wide)
    for axis, (size, ratio) in enumerate(zip(sizes, ratios), x.ndim - len(sizes)):
        n = x.shape[axis]
        if (n, ratio) != (size, 1.0):
            y = resample(y, *_table(kind, n, size, corners, ratio, wide), axis)
    return cast(y, x.dtype)


def _picked(x: Tensor, sizes: Sequence[int], rule: str, ratios: Sequence[float]) -> Tensor:
    """The nearest elements along the last axes."""
    for axis, (size, ratio) in enumerate(zip(sizes, ratios), x.ndim - len(sizes)):
        n = x.shape[axis]
        if (n, ratio) != (size, 1.0):
            x = gather(x, Tensor(_nearest(n, size, rule, ratio)), axis)
    return x


def _factors(name: str, given: Any, axes: int) -> tuple[float, ...]:
    items = tuple(given) if isinstance(given, (tuple, list)) else (given,) * axes
    if any(isinstance(item, bool) or not isinstance(item, (int, float)) for item in items):
        raise OpTypeError(f"{name} needs numbers for `scale_factor`, but got {given!r}", arg="scale_factor")
    if len(items) != axes or not all(0 < item < math.inf for item in items):
        raise OpValueError(
            f"{name} needs a number above 0 or {axes} of them for `scale_factor`, but got {given!r}", arg="scale_factor"
        )
    return tuple(map(float, items))


@composite
def interpolate(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Tensor:
    """Images, sequences or volumes of another size.

    Args:
        input: tensor (N, C, L), (N, C, H, W) or (N, C, D, H, W); floating point, but for the nearest modes.
        size: lengths of the last axes of the result: an int, or one for each.
        scale_factor: how many times as long the axes become, instead of `size`: a number, or one for each.
        mode: "nearest" (the pixel at floor(j / factor)), "nearest-exact" (the pixel whose middle is nearest), "area" (the
            mean of the pixels that a new one covers), "linear" (sequences), "bilinear" and "bicubic" (images) or
            "trilinear" (volumes).
        align_corners: for the modes with "linear" or "cubic": whether the middles of the corner pixels are the same in
            both; else their outer corners are.
        recompute_scale_factor: whether the distance of new pixels follows from the lengths, and not from `scale_factor`.
    Returns:
        tensor of the type of `input`; with `scale_factor` an axis has floor(n · factor) elements.
    Raises:
        OpTypeError: `input` is not floating point, or `size` and `scale_factor` are no numbers.
        OpValueError: the mode is unknown or not for so many axes; both or none of `size` and `scale_factor` are given.
    Gradient:
        g goes back to the pixels with the weights with which they were added.
    Source:
        Bicubic: Keys, IEEE Trans. ASSP 29 (1981), with a = -0.75.
    Example:
        >>> interpolate(Tensor([[[1., 3.]]]), size=4, mode="linear").tolist()
        [[[1.0, 1.5, 2.5, 3.0]]]
    """
    name = "interpolate"
    if not isinstance(mode, str) or mode not in _MODES:
        raise OpValueError(f"{name}: `mode` must be one of {', '.join(_MODES)}, but got {mode!r}", arg="mode")
    if input.ndim not in _MODES[mode]:
        need = " or ".join(map(str, _MODES[mode]))
        raise OpValueError(f"{name} needs {need} axes for mode {mode!r}, but got {input._layout.type!r}", arg="input")
    if align_corners is not None and mode not in _ALIGNING:
        raise OpValueError(f"{name}: `align_corners` does not go with mode {mode!r}", arg="align_corners")
    if (size is None) == (scale_factor is None):
        raise OpValueError(f"{name} needs either `size` or `scale_factor`", arg="size")
    lengths = input.shape[2:]
    axes = len(lengths)
    if size is not None:
        if recompute_scale_factor:
            raise OpValueError(f"{name}: `recompute_scale_factor` needs `scale_factor`", arg="recompute_scale_factor")
        sizes = each_axis(name, "size", size, axes)
        ratios = tuple(n / m for n, m in zip(lengths, sizes))
    else:
        factors = _factors(name, scale_factor, axes)
        sizes = tuple(math.floor(n * factor) for n, factor in zip(lengths, factors))
        exact = bool(recompute_scale_factor) or mode == "area"
        ratios = tuple(n / m if exact and m else 1 / factor for n, m, factor in zip(lengths, sizes, factors))
    if min((*lengths, *sizes)) < 1:
        raise OpValueError(f"{name}: {input._layout.type!r} cannot become {list(sizes)}: an axis is empty", arg="size")
    if mode.startswith("nearest"):
        return _picked(input, sizes, "exact" if mode == "nearest-exact" else "floor", ratios)
    kind = {"area": "area", "bicubic": "cubic"}.get(mode, "linear")
    return _resampled(name, input, kind, sizes, "align" if align_corners else "half", ratios)


def upsample(
    input: Tensor,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Tensor:
    """`interpolate` under the name that older programs use.

    Example:
        >>> upsample(Tensor([[[1., 2.]]]), size=4).tolist()
        [[[1.0, 1.0, 2.0, 2.0]]]
    """
    return interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor)


def _resize_sizes(name: str, x: Tensor, size: Any, align_corners: bool, half_pixel_centers: bool) -> tuple[int, ...]:
    """The (height, width) that a resize asks for."""
    if x.ndim != 4:
        raise OpValueError(f"{name} needs images (N, C, H, W), but got {x._layout.type!r}", arg="input")
    if align_corners and half_pixel_centers:
        raise OpValueError(f"{name}: `align_corners` and `half_pixel_centers` exclude each other", arg="align_corners")
    sizes = each_axis(name, "size", size)
    if 0 in x.shape[2:]:
        raise OpValueError(f"{name}: the images of {x._layout.type!r} are empty", arg="input")
    return sizes


def _resize(name: str, kind: str, x: Tensor, size: Any, align_corners: bool, half_pixel_centers: bool) -> Tensor:
    sizes = _resize_sizes(name, x, size, align_corners, half_pixel_centers)
    corners = "align" if align_corners else "half" if half_pixel_centers else "legacy"
    return _resampled(name, x, kind, sizes, corners, [n / m for n, m in zip(x.shape[2:], sizes)])


@composite
def resize_bilinear(
    input: Tensor, size: Any, align_corners: bool = False, half_pixel_centers: bool = False
) -> Tensor:  # fmt: skip
    """Images (N, C, H, W) of another size, by linear interpolation along both axes.

    Args:
        input: float tensor (N, C, H, W).
        size: (height, width) of the result.
        align_corners: whether the middles of the corner pixels stay where they are.
        half_pixel_centers: whether the outer corners do, as in `interpolate`; if neither, the new pixel (i, j) is taken at
            (i H / height, j W / width).
    Returns:
        tensor (N, C, height, width) of the type of `input`.
    Raises:
        OpTypeError: `input` is not floating point.
        OpValueError: shapes or attributes do not fit.
    Example:
        >>> resize_bilinear(Tensor([[[[1., 3.]]]]), (1, 4)).tolist()
        [[[[1.0, 2.0, 3.0, 3.0]]]]
    """
    return _resize("resize_bilinear", "linear", input, size, align_corners, half_pixel_centers)


@composite
def resize_bicubic(
    input: Tensor, size: Any, align_corners: bool = False, half_pixel_centers: bool = False
) -> Tensor:  # fmt: skip
    """Images (N, C, H, W) of another size, by cubic interpolation along both axes; arguments as in `resize_bilinear`.

    Source:
        Keys, IEEE Trans. ASSP 29 (1981), with a = -0.75.
    Example:
        >>> resize_bicubic(Tensor([[[[1., 1., 1.]]]]), (1, 2)).tolist()
        [[[[1.0, 1.0]]]]
    """
    return _resize("resize_bicubic", "cubic", input, size, align_corners, half_pixel_centers)


@composite
def resize_nearest_neighbor(
    input: Tensor, size: Any, align_corners: bool = False, half_pixel_centers: bool = False
) -> Tensor:  # fmt: skip
    """Images (N, C, H, W) of another size, made of the nearest pixels; arguments as in `resize_bilinear`.

    Args:
        input: tensor (N, C, H, W) of any type.
        size, align_corners, half_pixel_centers: as in `resize_bilinear`; if neither holds, the new pixel (i, j) is the one
            at (floor(i H / height), floor(j W / width)).
    Example:
        >>> resize_nearest_neighbor(Tensor([[[[1, 3]]]]), (1, 4)).tolist()
        [[[[1, 1, 3, 3]]]]
    """
    sizes = _resize_sizes("resize_nearest_neighbor", input, size, align_corners, half_pixel_centers)
    rule = "round" if align_corners else "exact" if half_pixel_centers else "floor"
    return _picked(input, sizes, rule, [n / m for n, m in zip(input.shape[2:], sizes)])


# -- channels and pixels ----------------------------------------------------------------------------------------------


def _factor(name: str, arg: str, given: Any, x: Tensor, least: int = 3) -> int:
    [factor] = each_axis(name, arg, given, 1)
    if x.ndim < least:
        raise OpValueError(f"{name} needs at least {least} axes, but got {x._layout.type!r}", arg="input")
    return factor


@composite
def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """Channels turned into pixels: (*, C r², H, W) to (*, C, H r, W r).

    Args:
        input: tensor (*, C r², H, W); channel c r² + i r + j gives the pixels (h r + i, w r + j) of channel c.
        upscale_factor: r.
    Returns:
        tensor of the type of `input`.
    Raises:
        OpValueError: r² does not divide the channels.
    Source:
        Shi et al., arXiv:1609.05158 (2016).
    Example:
        >>> pixel_shuffle(Tensor([[[1]], [[2]], [[3]], [[4]]]), 2).tolist()
        [[[1, 2], [3, 4]]]
    """
    r = _factor("pixel_shuffle", "upscale_factor", upscale_factor, input)
    *lead, c, h, w = input.shape
    if c % (r * r):
        raise OpValueError(
            f"pixel_shuffle: {r}² does not divide the {c} channels of {input._layout.type!r}", arg="input"
        )
    k = len(lead)
    x = reshape(input, (*lead, c // (r * r), r, r, h, w))
    x = transpose(x, (*range(k), k, k + 3, k + 1, k + 4, k + 2))
    return reshape(x, (*lead, c // (r * r), h * r, w * r))


@composite
def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """Pixels turned into channels: (*, C, H r, W r) to (*, C r², H, W); the inverse of `pixel_shuffle`.

    Args:
        input: tensor (*, C, H r, W r).
        downscale_factor: r.
    Returns:
        tensor of the type of `input`.
    Raises:
        OpValueError: r does not divide height and width.
    Example:
        >>> pixel_unshuffle(Tensor([[[1, 2], [3, 4]]]), 2).tolist()
        [[[1]], [[2]], [[3]], [[4]]]
    """
    r = _factor("pixel_unshuffle", "downscale_factor", downscale_factor, input)
    *lead, c, h, w = input.shape
    if h % r or w % r:
        raise OpValueError(
            f"pixel_unshuffle: {r} does not divide height and width of {input._layout.type!r}", arg="input"
        )
    k = len(lead)
    x = reshape(input, (*lead, c, h // r, r, w // r, r))
    x = transpose(x, (*range(k), k, k + 2, k + 4, k + 1, k + 3))
    return reshape(x, (*lead, c * r * r, h // r, w // r))


@composite
def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """The channels of (N, C, *) in another order: the first of each group, then the second of each, …

    Args:
        input: tensor (N, C, *).
        groups: how many groups of neighbouring channels there are.
    Returns:
        tensor of the type of `input`.
    Raises:
        OpValueError: `groups` does not divide the channels.
    Example:
        >>> channel_shuffle(Tensor([[[1], [2], [3], [4]]]), 2).tolist()
        [[[1], [3], [2], [4]]]
    """
    count = _factor("channel_shuffle", "groups", groups, input)
    n, c, *rest = input.shape
    if c % count:
        raise OpValueError(f"channel_shuffle: {count} groups do not divide {c} channels", arg="groups")
    x = reshape(input, (n, count, c // count, *rest))
    return reshape(transpose(x, (0, 2, 1, *range(3, x.ndim))), input.shape)


# -- windows ----------------------------------------------------------------------------------------------------------


def _windows(
    name: str, sizes: Sequence[int], kernel_size: Any, dilation: Any, padding: Any, stride: Any
) -> tuple[tuple, tuple, tuple]:  # fmt: skip
    """The window, how many there are, and the other numbers as the kernels want them."""
    window = each_axis(name, "kernel_size", kernel_size)
    steps, spread = each_axis(name, "stride", stride), each_axis(name, "dilation", dilation)
    ends = each_axis(name, "padding", padding, 2, 0)
    counts = tuple(length(n, k, s, d, e, e) for n, k, s, d, e in zip(sizes, window, steps, spread, ends))
    if min(counts) < 1:
        raise OpValueError(
            f"{name}: a window of {list(window)} is larger than the plane of {list(sizes)}", arg="kernel_size"
        )
    return window, counts, (*steps, *spread, *ends)


@composite
def unfold(input: Tensor, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """The windows of images as columns.

    Args:
        input: tensor (N, C, H, W).
        kernel_size, dilation, stride: of the window, an int or (vertical, horizontal).
        padding: zeros around the image, an int or (vertical, horizontal).
    Returns:
        tensor (N, C · rows · columns of the window, windows), the windows in row-major order.
    Raises:
        OpValueError: shapes or attributes do not fit.
    Gradient:
        `fold` of g.
    Example:
        >>> unfold(Tensor([[[[1., 2., 3.]]]]), (1, 2)).tolist()
        [[[1.0, 2.0], [2.0, 3.0]]]
    """
    if input.ndim != 4:
        raise OpValueError(f"unfold needs images (N, C, H, W), but got {input._layout.type!r}", arg="input")
    n, c, h, w = input.shape
    numbers = _windows("unfold", (h, w), kernel_size, dilation, padding, stride)
    columns = unfold_windows(reshape(input, (n * c, h, w)), *numbers)
    return reshape(columns, (n, c * math.prod(numbers[0]), math.prod(numbers[1])))


@composite
def fold(
    input: Tensor, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:  # fmt: skip
    """Images from columns: the sum of all windows, each where `unfold` took it from.

    Args:
        input: float tensor (N, C · rows · columns of the window, windows).
        output_size: (height, width) of the result.
        kernel_size, dilation, padding, stride: as in `unfold`.
    Returns:
        tensor (N, C, height, width).
    Raises:
        OpTypeError: `input` is not floating point.
        OpValueError: shapes or attributes do not fit.
    Gradient:
        `unfold` of g.
    Example:
        >>> fold(Tensor([[[1., 2.], [2., 3.]]]), (1, 3), (1, 2)).tolist()
        [[[[1.0, 4.0, 3.0]]]]
    """
    if not input.dtype.is_float:
        raise OpTypeError(
            f"fold needs a floating-point tensor for `input`, but got {input._layout.type!r}", arg="input"
        )
    sizes = each_axis("fold", "output_size", output_size)
    numbers = _windows("fold", sizes, kernel_size, dilation, padding, stride)
    area, windows = math.prod(numbers[0]), math.prod(numbers[1])
    if input.ndim != 3 or input.shape[1] % area or input.shape[2] != windows:
        raise OpValueError(
            f"fold needs (N, C · {area}, {windows}) for these windows, but got {input._layout.type!r}", arg="input"
        )
    n, c = input.shape[0], input.shape[1] // area
    wide = float64 if input.dtype is float64 else float32
    images = fold_windows(reshape(cast(input, wide), (n * c * area, windows)), sizes, *numbers)
    return cast(reshape(images, (n, c, *sizes)), input.dtype)


@op
def unfold_windows(input: Tensor, window, counts, steps):
    """The windows of planes (P, H, W) as (P · area of the window, windows)."""


@unfold_windows.infer
def _(input, *, window, counts, steps):
    return TensorType(input.dtype, (input.shape[0] * math.prod(window), math.prod(counts)))


@unfold_windows.kernel
def _(p: Planner, input: Buffer, out: Buffer, *, window, counts, steps):
    plan_unfold(p, input, out, window=window, counts=counts, steps=steps)


@unfold_windows.vjp("input")
def _(input_type, *, window, counts, steps, g):
    wide = float64 if g.dtype is float64 else float32
    return cast(fold_windows(cast(g, wide), input_type.shape[1:], window, counts, steps), g.dtype)


linear(unfold_windows, "input")


@op
def fold_windows(input: Tensor, sizes, window, counts, steps):
    """The sums of windows (P · area of the window, windows) in planes (P, *sizes): the transpose of `unfold_windows`."""


@fold_windows.infer
def _(input, *, sizes, window, counts, steps):
    return TensorType(input.dtype, (input.shape[0] // math.prod(window), *sizes))


@fold_windows.kernel
def _(p: Planner, input: Buffer, out: Buffer, *, sizes, window, counts, steps):
    plan_fold(p, input, out, window=window, counts=counts, steps=steps)


@fold_windows.vjp("input")
def _(*, window, counts, steps, g):
    return unfold_windows(g, window, counts, steps)


linear(fold_windows, "input")
