"""Images of another size, and what lies at given places of images."""

from __future__ import annotations

import io
import itertools
import math
from collections.abc import Sequence

import numpy as np

from anfora import ops
from anfora.core import dtype as dt
from anfora.core.errors import OpRuntimeError, OpValueError
from anfora.core.tensor import Tensor
from anfora.onnx.table import Floats, Ints, reads, writes
from anfora.onnx.writer import Writer

# -- to ONNX ----------------------------------------------------------------------------------------------------------


@writes("resample")
def _(w: Writer, input, places, weights, axis):
    n, at, shares = input.shape[axis], w.known(places), w.known(weights)
    if not isinstance(n, int) or at is None or shares is None:
        w.refuse("another size of an axis of a free length")
    table = np.zeros((n, len(at)))
    for column in range(at.shape[1]):
        np.add.at(table, (at[:, column], np.arange(len(at))), shares[:, column])
    order = [*(a for a in range(input.ndim) if a != axis), axis]
    made = w.node("MatMul", w.transpose(input, order), w.constant(table, w.dtype))
    return w.transpose(made, [order.index(a) for a in range(input.ndim)])


@writes("unfold_windows")
def _(w: Writer, input, window, counts, steps):
    """The windows as one product: a Gather of places, and zeros where they lie outside."""
    _, height, width = input.shape
    down, across, spread_down, spread_across, top, left = steps
    line = [np.arange(n) for n in (*window, *counts)]
    rows = line[0][:, None, None, None] * spread_down + line[2][None, None, :, None] * down - top
    columns = line[1][None, :, None, None] * spread_across + line[3][None, None, None, :] * across - left
    if not isinstance(height, int) or not isinstance(width, int):
        w.refuse("windows of an image of a free length")
    inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    places = np.where(inside, rows * width + columns, height * width).reshape(-1)
    flat = w.reshape(input, (*input.shape[:1], height * width))
    zero = w.constant(0, w.dtype)
    flat = w.node("Pad", flat, w.constant([0, 0, 0, 1]), zero)
    found = w.node("Gather", flat, w.constant(places), axis=1)
    return w.reshape(found, w.out.shape)


@writes("tap_sums")
def _(w: Writer, input, weights, places):
    """What lies at the places, of which -1 is a zero behind the last element, and sums over the taps."""
    n, c, _ = input.shape
    _, taps, count = places.shape
    flat = w.node("Pad", input, w.constant([0, 0, 0, 0, 0, 1]), w.constant(0, w.dtype))
    index = w.reshape(w.node("Max", places, w.constant(-1)), (n, 1, taps * count))
    found = w.node("GatherElements", flat, w.expand(index, (n, c, taps * count)), axis=2)
    parts = w.node("Mul", w.reshape(found, (n, c, taps, count)), w.unsqueeze(weights, (1,)))
    return w.reduce("ReduceSum", parts, (2,), False)


# -- from ONNX --------------------------------------------------------------------------------------------------------


def _places(n, m, scale, mode, roi, size):
    """Where the m elements of a result lie among n elements, by ONNX's names."""
    i = np.arange(m, dtype=np.float64)
    if mode == "half_pixel":
        return (i + 0.5) / scale - 0.5
    if mode == "half_pixel_symmetric":  # the middle stays the middle where the result is rounded
        moved = m / (n * scale)
        return n / 2 * (1 - moved) + (i + 0.5) / scale - 0.5
    if mode == "pytorch_half_pixel":
        return (i + 0.5) / scale - 0.5 if size > 1 else np.zeros(m)
    if mode == "align_corners":
        last = n * scale - 1  # which is m - 1 where a size was asked for
        return i * (n - 1) / last if m > 1 else np.zeros(m)
    if mode == "asymmetric":
        return i / scale
    if mode == "tf_half_pixel_for_nn":
        return (i + 0.5) / scale
    if mode == "tf_crop_and_resize":
        start, end = roi
        if m > 1:
            return start * (n - 1) + i * (end - start) * (n - 1) / (m - 1)
        return np.full(m, 0.5 * (start + end) * (n - 1))
    raise OpValueError(f"Resize: the places {mode!r} are not known")


def _nearest(places, n, rounding):
    if rounding == "round_prefer_floor":
        found = np.ceil(places - 0.5)
    elif rounding == "round_prefer_ceil":
        found = np.floor(places + 0.5)
    elif rounding == "floor":
        found = np.floor(places)
    else:
        found = np.ceil(places)
    return found.astype(np.int64).clip(0, n - 1)


def _shares(distance, kind, a):
    """How much an element counts that lies so far away."""
    d = np.abs(distance)
    if kind == "linear":
        return np.maximum(1 - d, 0)
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((d - 5) * d + 8) * d * a - 4 * a
    return np.where(d <= 1, near, np.where(d < 2, far, 0))


def _matrix(n, places, kind, a, stretch, exclude_outside):
    """The shares of n elements in each place."""
    reach = 1 if kind == "linear" else 2
    wide = max(1.0, stretch)
    low = np.floor(places - reach * wide).astype(np.int64)
    made = np.zeros((len(places), n))
    steps = math.ceil(2 * reach * wide) + 2
    for step in range(steps):
        at = low + step
        share = _shares((at - places) / wide, kind, a)
        if exclude_outside:
            share = np.where((at < 0) | (at >= n), 0, share)
        made[np.arange(len(places)), at.clip(0, n - 1)] += share
    sums = made.sum(1, keepdims=True)
    return made / np.where(sums == 0, 1, sums) if wide > 1 or exclude_outside else made


def _sizes_and_scales(
    lengths: list[int], sizes: Sequence[int] | None, scales: Sequence[float] | None, policy: str
) -> tuple[Sequence[int], Sequence[float]]:
    """How long axes become, and how many times as long as they are."""
    if not sizes:
        scales = list(scales or ())
        return [math.floor(n * scale) for n, scale in zip(lengths, scales)], scales
    scales = [m / n for m, n in zip(sizes, lengths)]
    if policy == "stretch":
        return sizes, scales
    scale = min(scales) if policy == "not_larger" else max(scales)
    return [math.floor(n * scale + 0.5) for n in lengths], [scale] * len(lengths)


@reads("Resize")
def resize(
    X, roi: Floats = None, scales: Floats = None, sizes: Ints = None, *, antialias=0, axes=None,
    coordinate_transformation_mode="half_pixel", cubic_coeff_a=-0.75, exclude_outside=0, extrapolation_value=0.0,
    keep_aspect_ratio_policy="stretch", mode="nearest", nearest_mode="round_prefer_floor", version=0,
):  # fmt: skip
    if version == 10:  # Resize-10 has scales in the second place
        scales, roi, coordinate_transformation_mode, nearest_mode = roi, None, "asymmetric", "floor"
    rank = X.ndim
    axes = tuple(range(rank)) if axes is None else tuple([a % rank for a in axes])
    sizes, scales = _sizes_and_scales([X.shape[axis] for axis in axes], sizes, scales, keep_aspect_ratio_policy)
    x, dtype = X, X.dtype
    outside = None
    if mode != "nearest" and not dtype.is_float:
        x = ops.cast(x, dt.float32)
    for i, (axis, m, scale) in enumerate(zip(axes, sizes, scales)):
        n = X.shape[axis]
        cut = (roi[i], roi[i + len(axes)]) if roi else (0.0, 1.0)
        is_cut = coordinate_transformation_mode == "tf_crop_and_resize"
        if m == n and scale == 1 and (not is_cut or cut == (0.0, 1.0)):
            continue
        places = _places(n, m, scale, coordinate_transformation_mode, cut, m)
        if is_cut:
            out = (places < 0) | (places > n - 1)
            line = [1] * rank
            line[axis] = m
            out = out.reshape(line)
            outside = out if outside is None else outside | out
        if mode == "nearest":
            x = ops.gather(x, Tensor(_nearest(places, n, nearest_mode)), axis)
            continue
        stretch = 1 / scale if antialias and scale < 1 else 1.0
        shares = _matrix(n, places, mode, cubic_coeff_a, stretch, exclude_outside)
        x = ops.swapaxes(ops.matmul(ops.swapaxes(x, axis, rank - 1), Tensor(shares.T.copy(), x.dtype)), axis, rank - 1)
    if outside is not None and outside.any():
        outside = np.broadcast_to(outside, x.shape).copy()
        x = ops.where(Tensor(outside), ops.full_like(x, extrapolation_value), x)
    return x if x.dtype is dtype else ops.cast(ops.rint(x), dtype)


@reads("Upsample")
def upsample(X, scales: Floats, *, mode="nearest"):
    return resize(X, None, scales, coordinate_transformation_mode="asymmetric", mode=mode, nearest_mode="floor")


@reads("AffineGrid")
def affine_grid(theta, size: Ints, *, align_corners=0):
    """The places of the points of images of a size, moved by matrices (N, rank, rank + 1)."""
    lines = []
    for n in size[2:]:
        line = np.arange(n, dtype=np.float64)
        lines.append(line * 2 / max(n - 1, 1) - 1 if align_corners else (line * 2 + 1) / n - 1)
    grid = np.stack([*reversed(np.meshgrid(*lines, indexing="ij")), np.ones(size[2:])], -1)
    points = Tensor(grid.reshape(1, -1, grid.shape[-1]), theta.dtype)
    return ops.reshape(ops.matmul(points, ops.swapaxes(theta, 1, 2)), (size[0], *size[2:], len(size) - 2))


def _reflected(x, low, high):
    """Places thrown back at two walls until they lie between them."""
    if high <= low:
        return ops.zeros_like(x)
    away = ops.abs(x - low)
    length = high - low
    rounds = ops.floor(away / length)
    rest = away - rounds * length
    return ops.where(ops.remainder(rounds, 2) == 0, rest + low, high - rest)


@reads("GridSample")
def grid_sample(X, grid, *, align_corners=0, mode="linear", padding_mode="zeros"):
    """What lies at places (N, *, rank) of images (N, C, *), from -1 to 1; the last axis comes first in a place."""
    mode = {"bilinear": "linear", "bicubic": "cubic"}.get(mode, mode)
    sizes = X.shape[2:]
    rank = len(sizes)
    places = []
    for axis, n in enumerate(sizes):
        g = grid[..., rank - 1 - axis]
        at = (g + 1) / 2 * (n - 1) if align_corners else ((g + 1) * n - 1) / 2
        if mode != "cubic":
            at = _walled(at, n, padding_mode, align_corners)
        if mode == "nearest":
            at = ops.rint(at)
        places.append(at)
    n, c = X.shape[:2]
    flat = ops.reshape(X, (n, c, -1))
    if mode == "nearest":
        return _picked(flat, places, sizes, padding_mode, align_corners)
    reach = {"linear": (0, 1), "cubic": (-1, 0, 1, 2)}[mode]
    total = None
    for steps in itertools.product(reach, repeat=rank):
        share, corner = None, []
        for at, step in zip(places, steps):
            base = ops.floor(at)
            distance = ops.abs(at - base - step)
            part = 1 - distance if mode == "linear" else _cubic(distance)
            share = part if share is None else share * part
            corner.append(base + step)
        value = _picked(flat, corner, sizes, padding_mode, align_corners) * ops.expand_dims(share, 1)
        total = value if total is None else total + value
    return total


def _cubic(d, a=-0.75):
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    return ops.where(d <= 1, near, ((d - 5) * d + 8) * d * a - 4 * a)


def _walled(at, n, padding_mode, align_corners):
    if padding_mode == "border":
        return ops.clamp(at, 0, n - 1)
    if padding_mode == "reflection":
        low, high = (0, n - 1) if align_corners else (-0.5, n - 0.5)
        return ops.clamp(_reflected(at, low, high), 0, n - 1)
    return at


def _picked(flat, places, sizes, padding_mode, align_corners):
    """The elements at whole places, zero outside or the ones that the walls lead to: (N, C, *)."""
    index, inside = None, None
    for at, n in zip(places, sizes):
        at = _walled(at, n, padding_mode, align_corners)
        here = ops.logical_and(at >= 0, at <= n - 1)
        inside = here if inside is None else ops.logical_and(inside, here)
        whole = ops.cast(ops.rint(ops.clamp(ops.where(ops.isfinite(at), at, ops.zeros_like(at)), 0, n - 1)), dt.int64)
        index = whole if index is None else index * n + whole
    n, c, _ = flat.shape
    spread = ops.broadcast_to(ops.reshape(index, (n, 1, -1)), (n, c, math.prod(index.shape[1:])))
    found = ops.reshape(ops.gather_elements(flat, 2, spread), (n, c, *index.shape[1:]))
    return ops.where(ops.expand_dims(inside, 1), found, ops.zeros_like(found))


@reads("ImageDecoder")
def image_decoder(encoded_stream, *, pixel_format="RGB"):
    """The pixels of an encoded image (H, W, channels), by Pillow."""
    try:
        from PIL import Image
    except ImportError:
        raise OpRuntimeError(
            "ImageDecoder needs Pillow, which is not installed", help="pip install anfora[data]"
        ) from None
    try:
        image = Image.open(io.BytesIO(encoded_stream.asnumpy().tobytes()))
        pixels = np.array(image.convert("L" if pixel_format == "Grayscale" else "RGB"))
    except (OSError, ValueError, SyntaxError) as error:
        raise OpValueError(f"ImageDecoder: no image that Pillow knows ({error})") from None
    if pixel_format == "Grayscale":
        return Tensor(pixels[:, :, None].copy())
    return Tensor(np.ascontiguousarray(pixels[:, :, ::-1] if pixel_format == "BGR" else pixels))
