"""Rows of the op table: images of another size, channels and pixels, windows."""

import itertools
import math

import numpy as np
from row import Bad, Row, S, integers, normal, uniform, values

from anfora import ops

INF = np.inf


def _along(function, x, axis):
    if not x.size:
        return np.zeros([len(function(np.zeros(n))) if i == axis else n for i, n in enumerate(x.shape)])
    return np.apply_along_axis(function, axis, x)


def _keys(t, a=-0.75):
    t = abs(t)
    if t <= 1:
        return (a + 2) * t**3 - (a + 3) * t**2 + 1
    return a * t**3 - 5 * a * t**2 + 8 * a * t - 4 * a if t < 2 else 0.0


def _axis(line, mode, m, factor, align):
    """One line of numbers with m of them."""
    n = len(line)
    ratio = n / m if factor is None else 1 / factor
    j = np.arange(m)
    if mode == "area":
        return np.array([line[math.floor(i * n / m) : math.ceil((i + 1) * n / m)].mean() for i in range(m)])
    if mode.startswith("nearest"):
        at = (j + (0.5 if mode == "nearest-exact" else 0)) * ratio
        return line[np.minimum(at.astype(int), n - 1)]
    at = j * ((n - 1) / max(m - 1, 1)) if align else (j + 0.5) * ratio - 0.5
    if mode != "bicubic":
        return np.interp(at, np.arange(n), line)
    low = np.floor(at).astype(int)
    return sum(
        np.array([_keys(a - b - k) * line[min(max(b + k, 0), n - 1)] for a, b in zip(at, low)]) for k in range(-1, 3)
    )


def _interpolate(x, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None):
    axes = range(2, x.ndim)
    for axis in axes:
        n = x.shape[axis]
        if size is not None:
            m, factor = (size if isinstance(size, int) else size[axis - 2]), None
        else:
            factor = scale_factor[axis - 2] if isinstance(scale_factor, tuple) else scale_factor
            m = math.floor(n * factor)
            factor = None if recompute_scale_factor or mode == "area" else factor
        x = _along(lambda line, m=m, factor=factor: _axis(line, mode, m, factor, align_corners), x, axis)
    return x


def _resize(x, size, align_corners=False, half_pixel_centers=False):
    for axis, m in zip((2, 3), size):
        n = x.shape[axis]
        j = np.arange(m)
        at = (
            j * (n - 1) / max(m - 1, 1)
            if align_corners
            else (j + 0.5) * n / m - 0.5
            if half_pixel_centers
            else j * n / m
        )
        x = _along(lambda line, at=at, n=n: np.interp(at, np.arange(n), line), x, axis)
    return x


def _resize_nearest(x, size, align_corners=False, half_pixel_centers=False):
    for axis, m in zip((2, 3), size):
        n = x.shape[axis]
        j = np.arange(m)
        if align_corners:
            at = np.floor(j * (n - 1) / max(m - 1, 1) + 0.5)
        else:
            at = np.floor((j + 0.5 * half_pixel_centers) * n / m)
        x = np.take(x, at.astype(int), axis)
    return x


def _shuffle(x, r):
    *lead, c, h, w = x.shape
    out = np.zeros((*lead, c // r**2, h * r, w * r), x.dtype)
    for k in range(c):
        out[..., k // r**2, k % r**2 // r :: r, k % r :: r] = x[..., k, :, :]
    return out


def _unshuffle(x, r):
    return np.concatenate(
        [x[..., k : k + 1, i::r, j::r] for k in range(x.shape[-3]) for i in range(r) for j in range(r)], -3
    )


def _pairs(*items):
    return [(item, item) if isinstance(item, int) else item for item in items]


def _unfold(x, kernel_size, dilation=1, padding=0, stride=1):
    (kh, kw), (dh, dw), (ph, pw), (sh, sw) = _pairs(kernel_size, dilation, padding, stride)
    x = np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)))
    n, _, h, w = x.shape
    rows, columns = (h - (kh - 1) * dh - 1) // sh + 1, (w - (kw - 1) * dw - 1) // sw + 1
    found = [
        x[:, :, p * sh : p * sh + (kh - 1) * dh + 1 : dh, q * sw : q * sw + (kw - 1) * dw + 1 : dw].reshape(n, -1)
        for p in range(rows)
        for q in range(columns)
    ]
    return np.stack(found, 2)


def _fold(x, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """What gives sum(fold(x) * y) = sum(x * unfold(y)) for every y."""
    area = math.prod(_pairs(kernel_size)[0])
    n, c = x.shape[0], x.shape[1] // area
    out = np.zeros((n, c, *output_size))
    for index in np.ndindex(*out.shape[1:]):
        unit = np.zeros((1, *out.shape[1:]))
        unit[(0, *index)] = 1
        out[(slice(None), *index)] = (x * _unfold(unit, kernel_size, dilation, padding, stride)).sum((1, 2))
    return out


def _affine(theta, size, align_corners=False):
    out = np.zeros((len(theta), *size[2:], len(size) - 2))
    for place in np.ndindex(*size[2:]):
        at = [
            (2 * i / (n - 1) - 1 if n > 1 else 0.0) if align_corners else (2 * i + 1) / n - 1
            for i, n in zip(place, size[2:])
        ]
        out[(slice(None), *place)] = theta @ np.array([*at[::-1], 1.0])
    return out


def _reflect(x, low, high):
    if high <= low:
        return 0.0
    while not low <= x <= high:
        x = 2 * low - x if x < low else 2 * high - x
    return x


def _sample(x, grid, mode="bilinear", padding_mode="zeros", align_corners=False):
    """One output pixel after the other, as the formulas of the documentation say it."""
    n, c, *sizes = x.shape
    out = np.zeros((n, c, *grid.shape[1:-1]))

    def bring(at, size):
        if padding_mode == "reflection":
            at = _reflect(at, *((0, size - 1) if align_corners else (-0.5, size - 0.5)))
        return at if padding_mode == "zeros" else min(max(at, 0), size - 1)

    def pixel(i, places):
        if all(0 <= p < size for p, size in zip(places, sizes)):
            return x[(i, slice(None), *(int(p) for p in places))]
        return np.zeros(c)

    for i, *place in np.ndindex(n, *grid.shape[1:-1]):
        at = [
            (g + 1) / 2 * (size - 1) if align_corners else ((g + 1) * size - 1) / 2
            for g, size in zip(grid[(i, *place)][::-1], sizes)
        ]
        if mode != "bicubic":
            at = [bring(a, size) for a, size in zip(at, sizes)]
        if mode == "nearest":
            value = pixel(i, np.rint(at))
        else:
            value, low = 0, np.floor(at)
            reach = range(-1, 3) if mode == "bicubic" else range(2)
            for offsets in itertools.product(reach, repeat=len(sizes)):
                where = [a + k for a, k in zip(low, offsets)]
                weights = [_keys(a - b) if mode == "bicubic" else 1 - abs(a - b) for a, b in zip(at, where)]
                if mode == "bicubic":
                    where = [bring(a, size) for a, size in zip(where, sizes)]
                value = value + math.prod(weights) * pixel(i, where)
        out[(i, slice(None), *place)] = value
    return out


HALVES = ("float16", "float32", "float64")
IMAGE = Bad(normal(2, 3, 4), size=(2, 2), error=ValueError, match="N, C, H, W")
CORNERS = Bad(normal(1, 1, 2, 2), (2, 2), True, True, error=ValueError, match="exclude each other")

ROWS = [
    Row(
        ops.interpolate,
        ref=_interpolate,
        samples=[
            S(normal(1, 2, 3, 4), scale_factor=2),
            S(normal(1, 2, 5), size=3),
            S(integers(0, 9, 1, 1, 3, 3), size=(5, 2), smooth=False),
            S(normal(1, 1, 3, 2, 2), scale_factor=(2, 1, 1.5), mode="nearest-exact"),
            S(normal(2, 1, 4), size=7, mode="linear"),
            S(normal(1, 2, 3, 4), size=(5, 6), mode="bilinear"),
            S(normal(1, 1, 5, 4), size=(2, 7), mode="bilinear", align_corners=True),
            S(normal(1, 1, 3, 5), scale_factor=1.5, mode="bilinear"),
            S(normal(1, 1, 3, 5), scale_factor=1.5, mode="bilinear", recompute_scale_factor=True),
            S(normal(1, 1, 1, 3), size=(1, 1), mode="bilinear", align_corners=True),
            S(normal(1, 1, 3, 4), size=(5, 3), mode="bicubic"),
            S(normal(1, 1, 4, 3), scale_factor=2.5, mode="bicubic", align_corners=True),
            S(normal(1, 1, 2, 3, 2), size=(3, 2, 4), mode="trilinear"),
            S(normal(1, 2, 5, 7), size=(2, 3), mode="area"),
            S(normal(1, 1, 3), scale_factor=2.5, mode="area"),
            S(normal(1, 1, 2, 2), size=(2, 2), mode="bilinear"),
            S(normal(0, 1, 2, 2), size=(3, 3), mode="bilinear"),
        ],
        errors=[
            Bad(normal(1, 1, 2), size=3, mode="bilinear", error=ValueError, match="needs 4 axes"),
            Bad(normal(1, 1, 2), size=3, mode="sinc", error=ValueError, match="must be one of"),
            Bad(normal(1, 1, 2), error=ValueError, match="either `size` or `scale_factor`"),
            Bad(normal(1, 1, 2), 2, 2, error=ValueError, match="either `size` or `scale_factor`"),
            Bad(normal(1, 1, 2), 2, align_corners=True, error=ValueError, match="align_corners"),
            Bad(normal(1, 1, 2), scale_factor=0, error=ValueError, match="above 0"),
            Bad(normal(1, 1, 2), scale_factor="2", error=TypeError, match="numbers"),
            Bad(normal(1, 1, 2), size=(2, 2), error=ValueError, match="one integer or 1"),
            Bad(integers(0, 3, 1, 1, 2), size=3, mode="linear", error=TypeError, match="floating-point"),
            Bad(normal(1, 1, 2), scale_factor=0.25, error=ValueError, match="an axis is empty"),
            Bad(normal(1, 1, 2), size=2, recompute_scale_factor=True, error=ValueError, match="needs `scale_factor`"),
        ],
        dtypes=HALVES,
        covers=("resample", "resample_back"),
    ),
    Row(
        ops.upsample,
        ref=_interpolate,
        samples=[S(normal(1, 1, 2, 3), size=(3, 4), mode="bilinear")],
    ),
    Row(
        ops.resize_bilinear,
        ref=_resize,
        samples=[
            S(normal(1, 2, 3, 4), (5, 7)),
            S(normal(1, 1, 4, 3), (2, 5), True),
            S(normal(1, 1, 4, 3), (3, 6), half_pixel_centers=True),
            S(values(1.0, INF, 2.0).reshape(1, 1, 1, 3), (1, 2), True, smooth=False),
        ],
        errors=[
            IMAGE, CORNERS,
            Bad(integers(0, 3, 1, 1, 2, 2), (2, 2), error=TypeError, match="floating-point"),
            Bad(normal(1, 1, 0, 2), (2, 2), error=ValueError, match="empty"),
        ],
    ),
    Row(
        ops.resize_bicubic,
        ref=lambda x, size, align_corners=False, half_pixel_centers=True: _interpolate(
            x, size, None, "bicubic", align_corners
        ),
        samples=[
            S(normal(1, 1, 4, 3), (5, 2), half_pixel_centers=True),
            S(normal(1, 1, 4, 3), (3, 6), True),
        ],
        errors=[IMAGE, CORNERS],
    ),
    Row(
        ops.resize_nearest_neighbor,
        ref=_resize_nearest,
        samples=[
            S(normal(1, 2, 3, 4), (5, 7)),
            S(normal(1, 1, 4, 3), (2, 5), True),
            S(normal(1, 1, 4, 3), (3, 6), half_pixel_centers=True),
            S(integers(0, 99, 1, 1, 2, 3), (3, 2), smooth=False),
        ],
        errors=[IMAGE, CORNERS],
        exact=True,
    ),
    Row(
        ops.pixel_shuffle,
        ref=_shuffle,
        samples=[
            S(normal(2, 8, 2, 3), 2), S(normal(9, 1, 2), 3), S(integers(0, 9, 1, 4, 1, 1), 2), S(normal(0, 4, 2, 2), 2),
        ],
        errors=[
            Bad(normal(1, 6, 2, 2), 2, error=ValueError, match="does not divide"),
            Bad(normal(4, 2), 2, error=ValueError, match="at least 3 axes"),
            Bad(normal(4, 2, 2), 0, error=ValueError, match="at least 1"),
        ],
        exact=True,
    ),
    Row(
        ops.pixel_unshuffle,
        ref=_unshuffle,
        samples=[S(normal(2, 2, 4, 6), 2), S(normal(1, 3, 6), 3), S(integers(0, 9, 1, 1, 2, 2), 2)],
        errors=[Bad(normal(1, 6, 3, 2), 2, error=ValueError, match="does not divide")],
        exact=True,
    ),
    Row(
        ops.channel_shuffle,
        ref=lambda x, groups: np.concatenate([x[:, i :: x.shape[1] // groups] for i in range(x.shape[1] // groups)], 1),
        samples=[S(normal(2, 6, 2, 2), 3), S(integers(0, 9, 1, 4, 3), 2)],
        errors=[Bad(normal(1, 6, 2), 4, error=ValueError, match="do not divide")],
        exact=True,
    ),
    Row(
        ops.unfold,
        ref=_unfold,
        samples=[
            S(normal(2, 2, 4, 5), (2, 3)),
            S(normal(1, 2, 5, 5), 2, dilation=2, padding=1, stride=(2, 1)),
            S(integers(0, 9, 1, 1, 3, 3), 2),
        ],
        errors=[
            Bad(normal(2, 4, 5), 2, error=ValueError, match="N, C, H, W"),
            Bad(normal(1, 1, 2, 2), 3, error=ValueError, match="larger than the plane"),
            Bad(normal(1, 1, 2, 2), 1, padding=-1, error=ValueError, match="at least 0"),
        ],
        dtypes=HALVES,
        exact=True,
        covers=("unfold_windows",),
    ),
    Row(
        ops.fold,
        ref=_fold,
        samples=[
            S(normal(2, 12, 9), (4, 5), (2, 3)),
            S(normal(1, 8, 15), (5, 5), 2, dilation=2, padding=1, stride=(2, 1)),
        ],
        errors=[
            Bad(normal(2, 12, 8), (4, 5), (2, 3), error=ValueError, match="for these windows"),
            Bad(integers(0, 9, 2, 12, 9), (4, 5), (2, 3), error=TypeError, match="floating-point"),
        ],
        dtypes=HALVES,
        covers=("fold_windows",),
    ),
    Row(
        ops.affine_grid,
        ref=_affine,
        samples=[
            S(normal(2, 2, 3), (2, 1, 3, 4)),
            S(normal(1, 2, 3), (1, 1, 2, 3), True),
            S(normal(1, 3, 4), (1, 1, 2, 1, 3)),
        ],
        errors=[
            Bad(normal(2, 2, 2), (2, 1, 3, 4), error=ValueError, match="needs `theta`"),
            Bad(integers(0, 3, 2, 2, 3), (2, 1, 3, 4), error=TypeError, match="floating-point"),
        ],
    ),
    Row(
        ops.grid_sample,
        ref=_sample,
        samples=[
            S(normal(2, 2, 3, 4), uniform(-1.4, 1.4, 2, 2, 3, 2)),
            S(normal(1, 2, 3, 4), uniform(-1.9, 1.9, 1, 3, 2, 2), "bilinear", "border", True),
            S(normal(1, 1, 4, 3), uniform(-2.9, 2.9, 1, 3, 3, 2), "bilinear", "reflection"),
            S(normal(1, 1, 4, 3), uniform(-2.9, 2.9, 1, 3, 3, 2), "bilinear", "reflection", True),
            S(normal(1, 2, 3, 4), uniform(-1.4, 1.4, 1, 3, 3, 2), "nearest"),
            S(normal(1, 2, 4, 4), uniform(-1.2, 1.2, 1, 2, 2, 2), "bicubic"),
            S(normal(1, 1, 4, 4), uniform(-1.2, 1.2, 1, 2, 2, 2), "bicubic", "reflection", True),
            S(normal(1, 1, 3, 2, 3), uniform(-1.2, 1.2, 1, 2, 1, 2, 3)),
            S(normal(1, 1, 1, 1), uniform(-1.2, 1.2, 1, 1, 2, 2), "bilinear", "reflection", True, smooth=False),
            S(normal(1, 1, 2, 2), normal(1, 0, 3, 2)),
        ],
        errors=[
            Bad(normal(1, 1, 2), normal(1, 2, 2), error=ValueError, match="needs \\(N, C, H, W\\)"),
            Bad(normal(1, 1, 2, 2), normal(1, 2, 2, 3), error=ValueError, match="2 coordinates"),
            Bad(normal(1, 1, 2, 2), normal(1, 2, 2, 2), "cubic", error=ValueError, match="`mode`"),
            Bad(normal(1, 1, 2, 2), normal(1, 2, 2, 2), "nearest", "wrap", error=ValueError, match="`padding_mode`"),
            Bad(normal(1, 1, 2, 2, 2), normal(1, 2, 2, 2, 3), "bicubic", error=ValueError, match="for images"),
            Bad(normal(1, 1, 0, 2), normal(1, 2, 2, 2), error=ValueError, match="empty"),
            Bad(integers(0, 3, 1, 1, 2, 2), normal(1, 2, 2, 2), error=TypeError, match="floating-point"),
        ],
        tol={"float32": 2e-5},
        why="places are multiplied by lengths, whose rounding the weights show",
        covers=("tap_sums", "tap_sums_back", "tap_products"),
    ),
]  # fmt: skip
