"""Class forms of operators, continued: those of images, segments, diagonals and sequences that few programs use.

`primitives.py` tells what a line means. What depends on the values of tensors alone (which boxes stay, which labels are
read) is read from them, and has no gradient.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from anfora import ops
from anfora.core.dtype import as_dtype, float32, int32, int64, uint8
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.core.tensor import Tensor
from anfora.ops.composite import composite
from anfora.ops.families import normalize_axis

__all__ = ["RARE"]


def _number(value: Any) -> Any:
    return value.item() if isinstance(value, Tensor) else value


def _numbers(value: Any) -> tuple:
    return tuple(np.ravel(value.asnumpy() if isinstance(value, Tensor) else value).tolist())


def _one_of(owner: str, name: str, value: Any, known: tuple) -> Any:
    if value not in known:
        raise OpValueError(
            f"{owner}: `{name}` must be one of {', '.join(map(repr, known))}, but got {value!r}", arg=name
        )
    return value


# -- along axes -------------------------------------------------------------------------------------------------------


def _log_sums(exclusive: bool = False, reverse: bool = False) -> Callable:
    @composite
    def call(x: Tensor, axis: Any) -> Tensor:
        along = normalize_axis("CumulativeLogsumexp", int(_number(axis)), x.ndim)
        ordered = ops.flip(x, (along,)) if reverse else x
        sums = ops.logcumsumexp(ordered, along)
        if exclusive:  # what stands before the first element is the least number, as MindSpore has it
            least = float(np.finfo(x.dtype.numpy).min)
            first = ops.full_like(ops.narrow(sums, along, 0, 1), least)
            sums = ops.concat((first, ops.narrow(sums, along, 0, x.shape[along] - 1)), along)
        return ops.flip(sums, (along,)) if reverse else sums

    return call


def _segments(reduce: str) -> Callable[[], Callable]:
    """Rows with the same number in `segment_ids`, which ascend, become one; 0 (1 for products) where there is no row."""

    def make() -> Callable:
        @composite
        def call(input_x: Tensor, segment_ids: Tensor) -> Tensor:
            if segment_ids.ndim != 1 or segment_ids.shape[0] != input_x.shape[0]:
                raise OpValueError(
                    f"Segment{reduce.title()} needs a number for each of {input_x.shape[0]} rows, but got the shape "
                    f"{list(segment_ids.shape)}", arg="segment_ids",
                )  # fmt: skip
            ids = _numbers(segment_ids)
            if any(a > b for a, b in itertools.pairwise(ids)) or (ids and ids[0] < 0):
                raise OpValueError(
                    f"Segment{reduce.title()} needs numbers that ascend and are not negative", arg="segment_ids"
                )
            count = ids[-1] + 1 if ids else 0
            if reduce in ("sum", "prod"):
                return getattr(ops, f"unsorted_segment_{reduce}")(input_x, segment_ids, count)
            rows = np.bincount(ids, minlength=count).reshape(-1, *(1,) * (input_x.ndim - 1))
            if reduce == "mean":
                total = ops.unsorted_segment_sum(input_x, segment_ids, count)
                return total / Tensor(np.maximum(rows, 1).astype(input_x.dtype.numpy))
            found = getattr(ops, f"unsorted_segment_{reduce}")(input_x, segment_ids, count)
            return ops.where(Tensor(rows > 0), found, ops.zeros_like(found))

        return call

    return make


def _pieces(size_splits: Any, split_dim: int, num_split: int) -> Callable:
    """Parts of given lengths; one length may be -1, the rest."""
    if len(size_splits) != num_split:
        raise OpValueError(f"SplitV: {num_split} parts need as many lengths, but got {list(size_splits)}")

    def call(input: Tensor) -> tuple[Tensor, ...]:
        rest = input.shape[split_dim] - sum(n for n in size_splits if n >= 0)
        return ops.split(input, tuple(rest if n < 0 else n for n in size_splits), split_dim)

    return call


# -- counting and numbers ---------------------------------------------------------------------------------------------


def _bins(nbins: int, dtype: Any = "int32") -> Callable:
    """How many elements are in each of `nbins` equal parts of a range; those outside count to the first or last."""
    kind = as_dtype(dtype)

    def call(x: Tensor, range: Tensor) -> Tensor:
        low, high = _numbers(range)
        if not low < high:
            raise OpValueError(f"HistogramFixedWidth needs range[0] < range[1], but got {low} and {high}", arg="range")
        places = ops.floor((x.reshape(-1) - low) * (nbins / (high - low))).clip(0, nbins - 1)
        return ops.bincount(places.astype(int32), minlength=nbins).astype(kind)

    return call


def _bits(input_x: Tensor) -> Tensor:
    """How many bits of each element are set."""
    if not input_x.dtype.is_integer:
        raise OpTypeError(f"PopulationCount needs integers, but got {input_x.dtype}", arg="input_x")
    count = ops.zeros(input_x.shape, uint8)
    for bit in range(8 * input_x.itemsize):
        count = count + (ops.bitwise_right_shift(input_x, bit) & 1).astype(uint8)
    return count


def _unravel(indices: Tensor, dims: Any) -> Tensor:
    """Places in an array of a shape, one row for each axis, of places among all its elements."""
    sizes, rows = _numbers(dims), []
    total = int(np.prod(sizes))
    if any(not 0 <= i < total for i in _numbers(indices)):
        raise OpValueError(f"UnravelIndex: indices must be from 0 to {total - 1}", arg="indices")
    for size in reversed(sizes):
        rows.append(indices % size)
        indices = indices // size
    return ops.stack(tuple(reversed(rows)), 0)


def _ragged_range(Tsplits: Any = int64) -> Callable:
    def call(starts: Tensor, limits: Tensor, deltas: Tensor) -> tuple[Tensor, Tensor]:
        values, kind = [np.atleast_1d(x.asnumpy()) for x in (starts, limits, deltas)], starts.dtype
        rows = [np.arange(*row, dtype=kind.numpy) for row in zip(*np.broadcast_arrays(*values))]
        ends = np.cumsum([0, *map(len, rows)])
        return Tensor(ends, as_dtype(Tsplits)), Tensor(np.concatenate([*rows, np.empty(0, kind.numpy)]), kind)

    return call


def _checked_numbers(x: Tensor) -> Tensor:
    for what, found in (("NaN", ops.isnan(x)), ("infinity", ops.isinf(x))):
        if bool(ops.any(found)):
            raise OpRuntimeError(f"CheckNumerics: the tensor has {what} in it", arg="x")
    return x


def _of_formats(table: str, src_format: str, dst_format: str) -> tuple[int, ...]:
    """Where each axis of the second format is in the first."""
    for name, text in (("src_format", src_format), ("dst_format", dst_format)):
        _one_of(table, name, text, ("NHWC", "NCHW"))
    return tuple(src_format.index(letter) for letter in dst_format)


def _axis_of_format(src_format: str = "NHWC", dst_format: str = "NCHW") -> Callable:
    places = _of_formats("DataFormatDimMap", src_format, dst_format)
    return lambda input_x: ops.gather(Tensor(places, input_x.dtype), input_x % 4, 0)


def _turned_to_format(src_format: str = "NHWC", dst_format: str = "NCHW") -> Callable:
    places = _of_formats("DataFormatVecPermute", src_format, dst_format)
    return lambda input_x: ops.gather(input_x, Tensor(places), 0)


# -- matrices ---------------------------------------------------------------------------------------------------------


def _diagonal_places(rows: int, columns: int, k: Any, align: str) -> tuple[np.ndarray, bool]:
    """(diagonals, length, 2): where the elements of diagonals, the highest first, are in a matrix, -1 beside them; and
    whether there are several."""
    _one_of("MatrixDiag", "align", align, ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"))
    given = _numbers(k)
    low, high = (given[0], given[-1]) if len(given) <= 2 else (1, 0)
    if not -rows < low <= high < max(columns, 1):
        raise OpValueError(f"`k` must name diagonals of a matrix of {rows} rows and {columns} columns, but got {given}")
    above, below = align.split("_")
    found = []
    for d in range(high, low - 1, -1):
        length = min(rows + min(d, 0), columns - max(d, 0))
        found.append((d, [(i - min(d, 0), i + max(d, 0)) for i in range(length)]))
    longest = max(len(places) for _, places in found)
    table = np.full((len(found), longest, 2), -1)
    for row, (d, places) in zip(table, found):
        side = above if d >= 0 else below
        start = longest - len(places) if side == "RIGHT" else 0
        row[start : start + len(places)] = places
    return table, len(found) > 1


def _filled(source: Tensor, places: np.ndarray, otherwise: Any) -> Tensor:
    """The elements of the last axis at places, (…, *places.shape); another value where a place is negative."""
    taken = ops.gather(source, Tensor(np.maximum(places, 0)), source.ndim - 1)
    if (places >= 0).all():
        return taken
    return ops.where(Tensor(places >= 0), taken, otherwise)


def _diag_part(align: str = "RIGHT_LEFT") -> Callable:
    @composite
    def call(x: Tensor, k: Any, padding_value: Any) -> Tensor:
        rows, columns = x.shape[-2:]
        table, several = _diagonal_places(rows, columns, k, align)
        places = np.where(table[..., 0] < 0, -1, table[..., 0] * columns + table[..., 1])
        flat = x.reshape((*x.shape[:-2], rows * columns))
        return _filled(flat, places if several else places[0], _as_element(padding_value, x))

    return call


def _as_element(value: Any, like: Tensor) -> Tensor:
    return value.astype(like.dtype).reshape(()) if isinstance(value, Tensor) else Tensor(value, like.dtype)


def _flat_diagonals(x: Tensor, several: bool) -> Tensor:
    return x.reshape((*x.shape[:-2], x.shape[-2] * x.shape[-1])) if several else x


def _places_in(table: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """For each element of a matrix the place in the diagonals that has it; -1 where none has."""
    places = np.full((rows, columns), -1)
    for place, (row, column) in enumerate(table.reshape(-1, 2)):
        if row >= 0:
            places[row, column] = place
    return places


def _diag(align: str = "RIGHT_LEFT") -> Callable:
    @composite
    def call(x: Tensor, k: Any = 0, num_rows: Any = -1, num_cols: Any = -1, padding_value: Any = 0) -> Tensor:
        given = _numbers(k)
        low, high = given[0], given[-1]
        rows, columns = int(_number(num_rows)), int(_number(num_cols))
        longest = x.shape[-1]
        least = (longest - min(high, 0), longest + max(low, 0))
        if rows < 0 and columns < 0:
            rows = columns = max(least)
        rows, columns = (n if n >= 0 else m for n, m in zip((rows, columns), least))
        table, several = _diagonal_places(rows, columns, k, align)
        if table.shape[1] != longest or (several and x.shape[-2] != len(table)):
            raise OpValueError(
                f"MatrixDiag: a matrix of {rows} rows and {columns} columns has diagonals of shape "
                f"{list(table.shape[not several : 2])} there, but got {list(x.shape)}", arg="x",
            )  # fmt: skip
        flat = _flat_diagonals(x, several)
        return _filled(flat, _places_in(table, rows, columns), _as_element(padding_value, x))

    return call


def _set_diag(align: str = "RIGHT_LEFT") -> Callable:
    @composite
    def call(x: Tensor, diagonal: Tensor, k: Any = 0) -> Tensor:
        rows, columns = x.shape[-2:]
        table, several = _diagonal_places(rows, columns, k, align)
        wanted = (*x.shape[:-2], *table.shape[not several : 2])
        if diagonal.shape != wanted:
            raise OpValueError(
                f"MatrixSetDiag needs diagonals of shape {list(wanted)}, but got {list(diagonal.shape)}", arg="diagonal"
            )
        flat = _flat_diagonals(diagonal, several)
        return _filled(flat, _places_in(table, rows, columns), x)

    return call


def _triangular(lower: bool = True, adjoint: bool = False) -> Callable:
    side = ops.tril if lower else ops.triu
    return lambda matrix, rhs: ops.matrix_solve(side(matrix), rhs, adjoint)


def _least_squares(fast: bool = True, l2_regularizer: float = 0.0) -> Callable:
    """With a weight, by the equations (Aᵀ A + weight) x = Aᵀ b."""

    @composite
    def call(x: Tensor, a: Tensor) -> Tensor:
        if not l2_regularizer:
            return ops.lstsq(x, a)
        turned = ops.transpose(x, (1, 0))
        right = a.reshape((-1, 1)) if a.ndim == 1 else a
        normal = turned @ x + ops.eye(x.shape[1], dtype=x.dtype) * l2_regularizer
        return ops.matrix_solve(normal, turned @ right)

    return call


def _inverse(adjoint: bool = False) -> Callable:
    return lambda x: ops.inverse(ops.conj(ops.swapaxes(x, -1, -2)) if adjoint else x)


def _three_diagonals(superdiag: Tensor, maindiag: Tensor, subdiag: Tensor, rhs: Tensor) -> Tensor:
    """The product of matrices that are given by three diagonals, (…, 1, M) each, with (…, M, N)."""
    after = ops.concat((rhs[..., 1:, :], ops.zeros_like(rhs[..., :1, :])), -2)
    before = ops.concat((ops.zeros_like(rhs[..., :1, :]), rhs[..., :-1, :]), -2)
    upper, main, lower = (ops.swapaxes(d, -1, -2) for d in (superdiag, maindiag, subdiag))
    return upper * after + main * rhs + lower * before


# -- images -----------------------------------------------------------------------------------------------------------


@composite
def _to_hsv(images: Tensor) -> Tensor:
    """Hue, saturation and value, each in [0, 1], of red, green and blue along the last axis."""
    red, green, blue = (images[..., i] for i in range(3))
    value = ops.maximum(ops.maximum(red, green), blue)
    spread = value - ops.minimum(ops.minimum(red, green), blue)
    safe = ops.where(spread == 0, ops.ones_like(spread), spread)
    hue = ops.where(
        value == red,
        (green - blue) / safe,
        ops.where(value == green, 2 + (blue - red) / safe, 4 + (red - green) / safe),
    )
    hue = ops.where(spread == 0, ops.zeros_like(hue), hue) / 6
    hue = ops.where(hue < 0, hue + 1, hue)
    saturation = ops.where(value > 0, spread / ops.where(value > 0, value, ops.ones_like(value)), ops.zeros_like(value))
    return ops.stack((hue, saturation, value), -1)


@composite
def _to_rgb(x: Tensor) -> Tensor:
    """The inverse of `_to_hsv`; hue goes round."""
    hue, saturation, value = (x[..., i] for i in range(3))
    hue = (hue - ops.floor(hue)) * 6
    parts = []
    for shift in (5.0, 3.0, 1.0):
        turned = hue + shift
        turned = turned - ops.floor(turned / 6) * 6
        parts.append(value - value * saturation * ops.minimum(turned, 4 - turned).clip(0, 1))
    return ops.stack(tuple(parts), -1)


def _three_channels(name: str, x: Tensor) -> None:
    if x.ndim < 3 or x.shape[-1] != 3:
        raise OpValueError(f"{name} needs images (…, height, width, 3), but got {list(x.shape)}", arg="images")


def _turned_hue(image: Tensor, delta: Any) -> Tensor:
    _three_channels("AdjustHue", image)
    x = _to_hsv(image)
    return _to_rgb(ops.stack((x[..., 0] + delta, x[..., 1], x[..., 2]), -1))


def _scaled_saturation(image: Tensor, scale: Any) -> Tensor:
    _three_channels("AdjustSaturation", image)
    x = _to_hsv(image)
    return _to_rgb(ops.stack((x[..., 0], (x[..., 1] * scale).clip(0, 1), x[..., 2]), -1))


def _crops(method: str = "bilinear", extrapolation_value: float = 0.0) -> Callable:
    """Boxes (y1, x1, y2, x2), in parts of the images' lengths, cut out of images (N, H, W, C) and brought to one size."""
    _one_of("CropAndResize", "method", method, ("bilinear", "nearest", "bilinear_v2"))

    def positions(low: Any, high: Any, length: int, count: int) -> Tensor:
        if method == "bilinear_v2":
            low, high = ops.floor(low * length), ops.floor(high * length) + 1  # whole pixels
            steps = ops.arange(count).astype(float32).reshape((1, -1))
            return low + (steps + 0.5) * (high - low) / count - 0.5
        if count == 1:
            return (low + high) * (0.5 * (length - 1))
        return low * (length - 1) + ops.arange(count).astype(float32) * ((high - low) * ((length - 1) / (count - 1)))

    @composite
    def call(x: Tensor, boxes: Tensor, box_indices: Tensor, crop_size: Any) -> Tensor:
        if x.ndim != 4 or boxes.ndim != 2 or boxes.shape[1] != 4 or box_indices.shape != boxes.shape[:1]:
            raise OpValueError(
                "CropAndResize needs images (N, H, W, C), boxes (B, 4) and as many indices, but got "
                f"{list(x.shape)}, {list(boxes.shape)} and {list(box_indices.shape)}"
            )
        x, (height, width) = x.astype(float32), x.shape[1:3]
        sizes = tuple(map(int, _numbers(crop_size)))
        ys, xs = (
            positions(boxes[:, i : i + 1], boxes[:, i + 2 : i + 3], n, size)
            for i, n, size in zip((0, 1), (height, width), sizes)
        )
        inside = [
            ops.ones_like(at) > 0 if method == "bilinear_v2" else (at >= 0) & (at <= n - 1)
            for at, n in ((ys, height), (xs, width))
        ]
        pages = box_indices.reshape((-1, 1, 1))

        def read(y: Tensor, z: Tensor) -> Tensor:
            y, z = y.clip(0, height - 1).astype(int32), z.clip(0, width - 1).astype(int32)
            return x[pages, ops.expand_dims(y, 2), ops.expand_dims(z, 1)]

        if method == "nearest":
            found = read(ops.floor(ys + 0.5), ops.floor(xs + 0.5))
        else:
            if method == "bilinear_v2":
                ys, xs = ys.clip(0, height - 1), xs.clip(0, width - 1)
            top, left = ops.floor(ys), ops.floor(xs)
            down, right = ops.expand_dims(ys - top, -1).unsqueeze(-1), ops.expand_dims(xs - left, 1).unsqueeze(-1)
            bottom, beside = ops.ceil(ys), ops.ceil(xs)
            upper = read(top, left) * (1 - right) + read(top, beside) * right
            lower = read(bottom, left) * (1 - right) + read(bottom, beside) * right
            found = upper * (1 - down) + lower * down
        mask = ops.expand_dims(inside[0], 2) & ops.expand_dims(inside[1], 1)
        return ops.where(ops.expand_dims(mask, -1), found, Tensor(float(extrapolation_value)))

    return call


def _aligned_regions(
    pooled_height: int, pooled_width: int, spatial_scale: float, sample_num: int = 2, roi_end_mode: int = 1
) -> Callable:
    """He, Gkioxari, Dollár & Girshick, Mask R-CNN, ICCV 2017: means of bilinear samples in the parts of regions."""

    def samples(start: Tensor, length: Tensor, parts: int, size: int) -> tuple[Tensor, ...]:
        """(R, parts · samples): the two places of each sample, the share of the second, and whether it is inside."""
        fractions = (np.arange(parts)[:, None] + (np.arange(sample_num) + 0.5) / sample_num).reshape(1, -1) / parts
        at = start + length * Tensor(fractions.astype(np.float32))
        inside = (at >= -1) & (at <= size)
        at = at.clip(0, size - 1)
        low = ops.floor(at)
        return low.astype(int32), (low + 1).clip(None, size - 1).astype(int32), at - low, inside

    @composite
    def call(features: Tensor, rois: Tensor) -> Tensor:
        if features.ndim != 4 or rois.ndim != 2 or rois.shape[1] != 5:
            raise OpValueError(
                f"ROIAlign needs features (N, C, H, W) and regions (R, 5), but got {list(features.shape)} and "
                f"{list(rois.shape)}"
            )
        if sample_num < 1:
            raise NotImplementedError("ROIAlign with a number of samples that depends on the region (sample_num < 1)")
        height, width = features.shape[2:]
        corners = rois[:, 1:] * spatial_scale
        left, top, right, bottom = (corners[:, i : i + 1] for i in range(4))
        sides = ((top, bottom), (left, right))
        if roi_end_mode:  # the last pixel belongs to the region
            tall, wide = (b + spatial_scale - a for a, b in sides)
        else:
            tall, wide = (ops.maximum(b - a, 1.0) for a, b in sides)
        y0, y1, dy, in_y = samples(top, tall, pooled_height, height)
        x0, x1, dx, in_x = samples(left, wide, pooled_width, width)
        pages = rois[:, 0].astype(int32).reshape((-1, 1, 1))
        last = ops.transpose(features, (0, 2, 3, 1))

        def read(y: Tensor, x: Tensor) -> Tensor:
            return last[pages, ops.expand_dims(y, 2), ops.expand_dims(x, 1)]

        dy, dx = dy.unsqueeze(2).unsqueeze(3), dx.unsqueeze(1).unsqueeze(3)
        upper = read(y0, x0) * (1 - dx) + read(y0, x1) * dx
        lower = read(y1, x0) * (1 - dx) + read(y1, x1) * dx
        mask = (in_y.unsqueeze(2) & in_x.unsqueeze(1)).unsqueeze(3).astype(features.dtype)
        found = (upper * (1 - dy) + lower * dy) * mask
        parts = found.reshape((-1, pooled_height, sample_num, pooled_width, sample_num, features.shape[1]))
        return ops.transpose(ops.reduce_mean(parts, (2, 4)), (0, 3, 1, 2))

    return call


def _lines(coordinate_transformation_mode: str = "align_corners") -> Callable:
    known = ("align_corners", "half_pixel", "asymmetric")
    mode = _one_of("ResizeLinear1D", "coordinate_transformation_mode", coordinate_transformation_mode, known)
    if mode == "asymmetric":
        raise NotImplementedError('ResizeLinear1D with coordinate_transformation_mode="asymmetric"')
    return lambda x, size: ops.interpolate(x, _numbers(size), mode="linear", align_corners=mode == "align_corners")


def _larger(mode: str, align_corners: bool | None = None) -> Callable:
    def call(x: Tensor, output_size: Any = None, scales: Any = None) -> Tensor:
        if (output_size is None) == (scales is None):
            raise OpValueError("one of `output_size` and `scales` must be given, and not both")
        size = None if output_size is None else tuple(map(int, _numbers(output_size)))
        return ops.interpolate(x, size, None if scales is None else _numbers(scales), mode, align_corners)

    return call


# -- boxes ------------------------------------------------------------------------------------------------------------


def _shares(boxes: np.ndarray) -> np.ndarray:
    """(n, n): what two boxes (y1, x1, y2, x2), of corners in any order, have in common, as a share of both together."""
    low, high = np.minimum(boxes[:, :2], boxes[:, 2:]), np.maximum(boxes[:, :2], boxes[:, 2:])
    sides = np.minimum(high[:, None], high[None]) - np.maximum(low[:, None], low[None])
    common = np.clip(sides, 0, None).prod(-1)
    areas = (high - low).prod(-1)
    together = areas[:, None] + areas[None] - common
    return np.where(common > 0, common / np.where(together > 0, together, 1), 0)


def _kept(shares: np.ndarray, scores: np.ndarray, most: int, overlap: float, least: float) -> list[int]:
    """The boxes that stay, the best first: none shares more with a better one that stays."""
    kept: list[int] = []
    for box in np.argsort(-scores, kind="stable").tolist():
        if len(kept) >= most or scores[box] <= least:
            break
        if all(shares[box, other] <= overlap for other in kept):
            kept.append(box)
    return kept


def _suppressed(
    boxes: Tensor, scores: Tensor, max_output_size: Any, iou_threshold: Any, score_threshold: Any
) -> Tensor:
    values = boxes.asnumpy().astype(np.float32)
    given = (int(_number(max_output_size)), float(_number(iou_threshold)), float(_number(score_threshold)))
    return Tensor(np.array(_kept(_shares(values), scores.asnumpy(), *given), np.int32))


def _suppressed_by_shares(
    overlaps: Tensor, scores: Tensor, max_output_size: Any, overlap_threshold: Any, score_threshold: Any
) -> Tensor:
    given = (int(_number(max_output_size)), float(_number(overlap_threshold)), float(_number(score_threshold)))
    return Tensor(np.array(_kept(overlaps.asnumpy(), scores.asnumpy(), *given), np.int32))


def _combined(pad_per_class: bool = False, clip_boxes: bool = True) -> Callable:
    """Of each image the best boxes of all classes, each class by itself without those that overlap."""

    def call(
        boxes: Tensor, scores: Tensor, max_output_size_per_class: Any, max_total_size: Any, iou_threshold: Any,
        score_threshold: Any,
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:  # fmt: skip
        each, total = int(_number(max_output_size_per_class)), int(_number(max_total_size))
        overlap, least = float(_number(iou_threshold)), float(_number(score_threshold))
        places, values = boxes.asnumpy(), scores.asnumpy()
        images, _, kinds, _ = places.shape
        classes = values.shape[2]
        count = min(total, each * classes) if pad_per_class else total
        out = np.zeros((images, count, 4), np.float32)
        best, labels = (np.zeros((images, count), np.float32) for _ in range(2))
        valid = np.zeros(images, np.int32)
        for image in range(images):
            found = []
            for label in range(classes):
                own = places[image, :, label if kinds > 1 else 0]
                for box in _kept(_shares(own), values[image, :, label], each, overlap, least):
                    found.append((-values[image, box, label], label, box))
            for row, (score, label, box) in enumerate(sorted(found, key=lambda entry: entry[0])[:count]):
                own = places[image, box, label if kinds > 1 else 0]
                out[image, row] = np.clip(own, 0, 1) if clip_boxes else own
                best[image, row], labels[image, row] = -score, label
            valid[image] = min(len(found), count)
        return Tensor(out), Tensor(best), Tensor(labels), Tensor(valid)

    return call


# -- sequences --------------------------------------------------------------------------------------------------------


def _labels_loss(
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
) -> Callable:
    """The loss of `ops.ctc_loss`, and its gradient; labels come as a sparse matrix, and the last class is no label."""
    if preprocess_collapse_repeated or not ctc_merge_repeated:
        raise NotImplementedError("CTCLoss with repeated labels that are merged before, or not at all")

    def call(x: Tensor, labels_indices: Tensor, labels_values: Tensor, sequence_length: Any) -> tuple[Tensor, Tensor]:
        _, batch, classes = x.shape
        rows: list[list[int]] = [[] for _ in range(batch)]
        for (row, _), label in zip(labels_indices.tolist(), labels_values.tolist()):
            rows[row].append(label)
        lengths = _numbers(sequence_length)
        widest = max(1, *map(len, rows))
        targets = Tensor([row + [0] * (widest - len(row)) for row in rows], int32)
        if not ignore_longer_outputs_than_inputs and any(len(r) > n for r, n in zip(rows, lengths)):
            raise OpValueError("CTCLoss: there are more labels than times", arg="labels_values")

        def loss(x: Tensor) -> Tensor:
            given = (targets, lengths, tuple(map(len, rows)), classes - 1, "none", ignore_longer_outputs_than_inputs)
            return ops.ctc_loss(ops.log_softmax(x, -1), *given)[0]

        value, back = ops.vjp(loss, x)
        return value, ops.stop_gradient(back(ops.ones_like(value))[0])

    return call


def _alignment_loss(blank: int = 0, reduction: str = "none", zero_infinity: bool = False) -> Callable:
    return lambda log_probs, targets, input_lengths, target_lengths: ops.ctc_loss(
        log_probs, targets, input_lengths, target_lengths, blank, reduction, zero_infinity
    )


def _order(max_length: int = 1, pad: int = -1, dtype: Any = int32) -> Callable:
    kind = as_dtype(dtype)

    def call(n: Any) -> Tensor:
        (count,) = _numbers(n)
        if not 0 <= count <= max_length:
            raise OpValueError(f"Randperm needs 0 <= n <= max_length = {max_length}, but got {count}", arg="n")
        return ops.concat((ops.randperm(count).astype(kind), ops.full((max_length - count,), pad, dtype=kind)))

    return call


def _descent(dampening: float = 0.0, weight_decay: float = 0.0, nesterov: bool = False) -> Callable:
    """A step of gradient descent with momentum; `stat` is 1 where there was none before."""

    def call(
        parameters: Tensor, gradient: Tensor, learning_rate: Any, accum: Tensor, momentum: Any, stat: Tensor
    ) -> Tensor:
        gradient = gradient + parameters * weight_decay if weight_decay else gradient
        speed = ops.where(stat > 0, gradient, accum * momentum + gradient * (1 - dampening))
        speed = ops.assign(accum, speed)
        ops.assign(stat, ops.zeros_like(stat))
        return ops.assign(parameters, parameters - learning_rate * (gradient + speed * momentum if nesterov else speed))

    return call


def _unrolled_lstm(
    cell_type: str = "LSTM", direction: str = "UNIDIRECTIONAL", cell_depth: int = 1, use_peephole: bool = False,
    keep_prob: float = 1.0, cell_clip: float = -1.0, num_proj: int = 0, time_major: bool = True, activation: str = "tanh",
    forget_bias: float = 0.0, is_training: bool = True,
) -> Callable:  # fmt: skip
    """An LSTM over the first axis of x (T, N, I). One matrix (I + H, 4 H) has the weights of x and of the state, and the
    gates stand in it as input, new, forget, output. All of (T, N, H) are given back: the states, again the states, the
    cells, and the gates in their order, with the tanh of the cells at last."""
    for name, value, only in (
        ("cell_type", cell_type, "LSTM"), ("direction", direction, "UNIDIRECTIONAL"), ("cell_depth", cell_depth, 1),
        ("use_peephole", use_peephole, False), ("keep_prob", keep_prob, 1.0), ("cell_clip", cell_clip, -1.0),
        ("num_proj", num_proj, 0), ("time_major", time_major, True), ("activation", activation, "tanh"),
    ):  # fmt: skip
        _one_of("DynamicRNN", name, value, (only,))

    def call(x: Tensor, w: Tensor, b: Tensor, seq_length: Any, init_h: Tensor, init_c: Tensor) -> tuple[Tensor, ...]:
        if seq_length is not None:
            raise OpValueError("DynamicRNN takes None for `seq_length`: all sequences are whole", arg="seq_length")
        inner, h, c = ops.matmul(x, w[: x.shape[2]]) + b, init_h[0], init_c[0]
        steps = []
        for gates in inner:
            i, j, f, o = ops.split(gates + ops.matmul(h, w[x.shape[2] :]), h.shape[1], axis=1)
            i, j, f, o = ops.sigmoid(i), ops.tanh(j), ops.sigmoid(f + forget_bias), ops.sigmoid(o)
            c = c * f + i * j
            bent = ops.tanh(c)
            h = o * bent
            steps.append((h, h, c, i, j, f, o, bent))
        return tuple(ops.stack(each) for each in zip(*steps))

    return call


#: Classes: functions from their arguments to the function of the call.
RARE: dict[str, Callable] = {
    # along axes
    "CumulativeLogsumexp": _log_sums,
    "SegmentSum": _segments("sum"),
    "SegmentMean": _segments("mean"),
    "SegmentMax": _segments("max"),
    "SegmentMin": _segments("min"),
    "SegmentProd": _segments("prod"),
    "SplitV": _pieces,
    "DynamicRNN": _unrolled_lstm,
    # counting and numbers
    "HistogramFixedWidth": _bins,
    "PopulationCount": lambda: _bits,
    "UnravelIndex": lambda: _unravel,
    "RaggedRange": _ragged_range,
    "CheckNumerics": lambda: _checked_numbers,
    "DataFormatDimMap": _axis_of_format,
    "DataFormatVecPermute": _turned_to_format,
    "LogSpace": lambda steps=10, base=10, dtype=float32: (
        lambda start, end: ops.logspace(start, end, steps, base, dtype=as_dtype(dtype))
    ),
    "TensorShape": lambda: lambda x: Tensor(x.shape, int64),
    "IdentityN": lambda: lambda x: tuple(map(ops.copy, x)),
    "Fills": lambda: lambda x, value: ops.full_like(x, _number(value)),
    "FillDiagonal": lambda fill_value, wrap=False: lambda input_x: input_x.fill_diagonal(fill_value, wrap),
    "MaskedScatter": lambda: lambda x, mask, updates: x.masked_scatter(mask, updates),
    # matrices
    "Cdist": lambda p=2.0: lambda input_x, input_y: ops.cdist(input_x, input_y, float(p)),
    "Cross": lambda dim=-65530: lambda input, other: ops.cross(input, other, None if dim == -65530 else dim),
    "MatrixInverse": _inverse,
    "MatrixPower": lambda n: lambda x: ops.matrix_power(x, n),
    "MatrixDiagV3": _diag,
    "MatrixDiagPartV3": _diag_part,
    "MatrixSetDiagV3": _set_diag,
    "MatrixTriangularSolve": _triangular,
    "Lstsq": _least_squares,
    "LuSolve": lambda: ops.lu_solve,
    "LuUnpack": lambda unpack_data=True, unpack_pivots=True: (
        lambda LU_data, LU_pivots: ops.lu_unpack(LU_data, LU_pivots, unpack_data, unpack_pivots)
    ),
    "ConjugateTranspose": lambda: lambda x, perm: ops.conj(ops.transpose(x, tuple(map(int, _numbers(perm))))),
    "TridiagonalMatMul": lambda: _three_diagonals,
    # images
    "RGBToHSV": lambda: _to_hsv,
    "HSVToRGB": lambda: _to_rgb,
    "AdjustHue": lambda: _turned_hue,
    "AdjustSaturation": lambda: _scaled_saturation,
    "CropAndResize": _crops,
    "ROIAlign": _aligned_regions,
    "ResizeLinear1D": _lines,
    "UpsampleNearest3D": lambda: _larger("nearest"),
    "UpsampleTrilinear3D": lambda align_corners=False: _larger("trilinear", align_corners),
    "GridSampler3D": lambda interpolation_mode="bilinear", padding_mode="zeros", align_corners=False: (
        lambda input_x, grid: ops.grid_sample(input_x, grid, interpolation_mode, padding_mode, align_corners)
    ),
    # boxes
    "NonMaxSuppressionV3": lambda: _suppressed,
    "NonMaxSuppressionWithOverlaps": lambda: _suppressed_by_shares,
    "CombinedNonMaxSuppression": _combined,
    # sequences
    "CTCGreedyDecoder": lambda merge_repeated=True: (
        lambda inputs, sequence_length: ops.ctc_greedy_decoder(inputs, sequence_length, merge_repeated)
    ),
    "CTCLoss": _labels_loss,
    "CTCLossV2": _alignment_loss,
    # losses, steps, random numbers
    "MultilabelMarginLoss": lambda reduction="mean": lambda x, target: ops.multilabel_margin_loss(x, target, reduction),
    "SGD": _descent,
    "Randperm": _order,
    "RandomGamma": lambda seed=0, seed2=0: (
        lambda shape, alpha: ops.random_gamma(_numbers(shape), alpha, seed or seed2 or None)
    ),
    "RandomPoisson": lambda seed=0, seed2=0, dtype=int64: (
        lambda shape, rate: ops.random_poisson(_numbers(shape), rate, seed or seed2 or None, as_dtype(dtype))
    ),
}
