"""Pooling, and what puts windows together again."""

from __future__ import annotations

import itertools
import math

import numpy as np

from anfora import ops
from anfora.core.op import registry
from anfora.core.tensor import Tensor
from anfora.onnx.reductions import least
from anfora.onnx.table import Ints, reads
from anfora.onnx.windows import counts_of, padded, pads_of, taps


class _Windows:
    """The windows of a pooling: the input with its padding, and how many there are."""

    def __init__(self, X, auto_pad, ceil_mode, dilations, kernel_shape, pads, strides, fill):
        rank = X.ndim - 2
        self.kernel = kernel_shape
        self.dilations, self.strides = dilations or (1,) * rank, strides or (1,) * rank
        reach = [(k - 1) * d + 1 for k, d in zip(kernel_shape, self.dilations)]
        self.sizes = X.shape[2:]
        self.before, self.after = pads_of(self.sizes, reach, self.strides, auto_pad, pads)
        self.counts = counts_of(self.sizes, reach, self.strides, self.before, self.after, ceil_mode)
        behind = [
            (count - 1) * s + r - n - b
            for n, r, s, b, count in zip(self.sizes, reach, self.strides, self.before, self.counts)
        ]
        self.x = padded(X, self.before, behind, fill)
        self.is_plain = rank == 2 and set(self.dilations) == {1}

    def taps(self, x):
        return taps(x, self.kernel, self.dilations, self.strides, self.counts)

    def how_many(self, is_padding_counted):
        """How many elements of the input, or of it with its padding, each window has."""
        marked = [
            np.arange(-b, count * s + k * d + n)
            for b, n, s, k, d, count in zip(
                self.before, self.sizes, self.strides, self.kernel, self.dilations, self.counts
            )
        ]
        total = np.ones((), np.float64)
        for axis, places in enumerate(marked):
            n, b, a = self.sizes[axis], self.before[axis], self.after[axis]
            inside = (places >= -b) & (places < n + a) if is_padding_counted else (places >= 0) & (places < n)
            starts = np.arange(self.counts[axis]) * self.strides[axis]
            each = sum(inside[starts + i * self.dilations[axis]].astype(np.float64) for i in range(self.kernel[axis]))
            total = total[..., None] * each
        return total


@reads("MaxPool")
def max_pool(
    X, *, auto_pad="NOTSET", ceil_mode=0, dilations=None, kernel_shape, pads=None, storage_order=0, strides=None, outputs=1
):  # fmt: skip
    windows = _Windows(X, auto_pad, ceil_mode, dilations, kernel_shape, pads, strides, least(X.dtype, True))
    if outputs < 2:
        if windows.is_plain:
            return ops.max_pool2d(windows.x, windows.kernel, tuple(windows.strides))
        made = None
        for tap in windows.taps(windows.x):
            made = tap if made is None else ops.maximum(made, tap)
        return made
    values = ops.stack(tuple(windows.taps(windows.x)), 0)
    which = ops.argmax(values, 0)
    order = [math.prod(windows.sizes[axis + 1 :]) for axis in range(len(windows.sizes))]
    if storage_order:
        order = [math.prod(windows.sizes[:axis]) for axis in range(len(windows.sizes))]
    places = []
    for place in itertools.product(*map(range, windows.kernel)):
        total = np.zeros((), np.int64)
        for axis, i in enumerate(place):
            at = (
                np.arange(windows.counts[axis]) * windows.strides[axis]
                - windows.before[axis]
                + i * windows.dilations[axis]
            )
            total = total[..., None] + at * order[axis]
        places.append(total)
    n, c = X.shape[:2]
    table = Tensor(np.stack(places).reshape(len(places), 1, 1, *windows.counts))
    table = ops.broadcast_to(table, (len(places), n, c, *windows.counts))
    index = ops.squeeze(ops.gather_elements(table, 0, ops.expand_dims(which, 0)), 0)
    planes = ops.reshape(ops.arange(n * c), (n, c, *(1 for _ in windows.sizes))) * math.prod(windows.sizes)
    return ops.reduce_max(values, 0), index + planes


@reads("AveragePool")
def average_pool(
    X, *, auto_pad="NOTSET", ceil_mode=0, count_include_pad=0, dilations=None, kernel_shape, pads=None, strides=None
):  # fmt: skip
    windows = _Windows(X, auto_pad, ceil_mode, dilations, kernel_shape, pads, strides, 0)
    area = math.prod(kernel_shape)
    count = windows.how_many(bool(count_include_pad))
    if windows.is_plain:
        made = ops.avg_pool2d(windows.x, windows.kernel, tuple(windows.strides))
    else:
        made = None
        for tap in windows.taps(windows.x):
            made = tap if made is None else made + tap
        made = made / area
    return made if (count == area).all() else ops.cast(made * Tensor(area / count, X.dtype), X.dtype)


@reads("LpPool")
def lp_pool(
    X, *, auto_pad="NOTSET", ceil_mode=0, dilations=None, kernel_shape, p=2, pads=None, strides=None
):  # fmt: skip
    windows = _Windows(X, auto_pad, ceil_mode, dilations, kernel_shape, pads, strides, 0)
    made = None
    for tap in windows.taps(ops.pow(ops.abs(windows.x), p)):
        made = tap if made is None else made + tap
    return ops.pow(made, 1 / p)


def _planes(X):
    return tuple(range(2, X.ndim))


@reads("GlobalAveragePool")
def global_average_pool(X):
    return ops.mean(X, _planes(X), True)


@reads("GlobalMaxPool")
def global_max_pool(X):
    return ops.reduce_max(X, _planes(X), True)


@reads("GlobalLpPool")
def global_lp_pool(X, *, p=2):
    return ops.pow(ops.reduce_sum(ops.pow(ops.abs(X), p), _planes(X), True), 1 / p)


@reads("MaxUnpool")
def max_unpool(X, I, output_shape: Ints = None, *, kernel_shape, pads=None, strides=None):  # noqa: E741
    rank = X.ndim - 2
    strides = strides or (1,) * rank
    before, after = pads_of(X.shape[2:], kernel_shape, strides, "NOTSET", pads)
    own = (
        *X.shape[:2],
        *((n - 1) * s - b - a + k for n, s, b, a, k in zip(X.shape[2:], strides, before, after, kernel_shape)),
    )
    flat = registry["set_at"](
        ops.zeros((math.prod(own),), X.dtype), (ops.reshape(I, (-1,)),), ops.reshape(X, (-1,)), form=("along", 0)
    )
    made = ops.reshape(flat, own)
    if output_shape is None:
        return made
    return padded(made, [0] * rank, [n - m for n, m in zip(output_shape[2:], own[2:])], 0)


@reads("Col2Im")
def col2im(input, image_shape: Ints, block_shape: Ints, *, dilations=None, pads=None, strides=None):
    rank = len(image_shape)
    dilations, strides = dilations or (1,) * rank, strides or (1,) * rank
    pads = pads or (0,) * (2 * rank)
    full = [n + pads[i] + pads[i + rank] for i, n in enumerate(image_shape)]
    counts = [(n - ((k - 1) * d + 1)) // s + 1 for n, k, d, s in zip(full, block_shape, dilations, strides)]
    area = math.prod(block_shape)
    n, rows, _ = input.shape
    channels = rows // area
    columns = ops.reshape(input, (n * channels, -1))
    places = np.zeros((area, *counts), np.int64)
    for tap, place in enumerate(itertools.product(*map(range, block_shape))):
        for axis, i in enumerate(place):
            at = np.arange(counts[axis]) * strides[axis] + i * dilations[axis]
            line = [1] * rank
            line[axis] = counts[axis]
            places[tap] += at.reshape(line) * math.prod(full[axis + 1 :])
    index = ops.broadcast_to(Tensor(places.reshape(1, -1)), columns.shape)
    made = registry["add_at"](
        ops.zeros((n * channels, math.prod(full)), input.dtype), (index,), columns, form=("along", 1)
    )
    made = ops.reshape(made, (n, channels, *full))
    return padded(made, [-p for p in pads[:rank]], [-p for p in pads[rank:]], 0)


@reads("RoiAlign")
def roi_align(
    X, rois, batch_indices, *, coordinate_transformation_mode="half_pixel", mode="avg", output_height=1, output_width=1,
    sampling_ratio=0, spatial_scale=1.0,
):  # fmt: skip
    """The mean or the largest of points between the elements, in each cell of a grid over each region."""
    moved = 0.5 if coordinate_transformation_mode == "half_pixel" else 0.0
    corners = rois.asnumpy().astype(np.float64) * spatial_scale - moved
    images = batch_indices.asnumpy()
    height, width = X.shape[2:]
    made = []
    for (x0, y0, x1, y1), image in zip(corners, images):
        wide, high = x1 - x0, y1 - y0
        if not moved:
            wide, high = max(wide, 1.0), max(high, 1.0)
        axes = []
        for start, length, cells, n in ((y0, high, output_height, height), (x0, wide, output_width, width)):
            size = length / cells
            samples = sampling_ratio if sampling_ratio > 0 else max(math.ceil(size), 1)
            at = start + (np.arange(cells)[:, None] + (np.arange(samples)[None] + 0.5) / samples) * size
            axes.append((at.reshape(-1), samples, n))
        tables = [_line_table(at, n) for at, _, n in axes]
        plane = X[int(image)]  # (C, H, W)
        in_row, in_column = axes[0][1], axes[1][1]
        if mode == "max":  # the largest of the four neighbours' shares
            made.append(_largest_shares(plane, tables, output_height, in_row, output_width, in_column))
            continue
        points = ops.matmul(
            ops.matmul(Tensor(tables[0], X.dtype), plane), Tensor(np.ascontiguousarray(tables[1].T), X.dtype)
        )
        points = ops.reshape(points, (plane.shape[0], output_height, in_row, output_width, in_column))
        made.append(ops.mean(points, (2, 4)))
    return ops.stack(tuple(made), 0)


def _line_table(at, n):
    """For each place along an axis of n elements the shares of its neighbours; nothing where it lies outside."""
    table = np.zeros((len(at), n))
    for row, place in zip(table, at):
        if place < -1.0 or place > n:
            continue
        place = max(place, 0.0)
        low = int(place)
        if low >= n - 1:
            row[n - 1] = 1.0
            continue
        row[low], row[low + 1] = 1.0 - (place - low), place - low
    return table


def _largest_shares(plane, tables, rows, in_row, columns, in_column):
    lead = []
    for table in tables:
        low = np.array([int(np.flatnonzero(row)[0]) if row.any() else 0 for row in table])
        high = np.minimum(low + 1, table.shape[1] - 1)
        count = np.arange(len(table))
        second = np.where(high > low, table[count, high], 0.0)
        lead.append(((low, table[count, low]), (high, second)))
    best = None
    for (r, share_r), (c, share_c) in itertools.product(*lead):
        part = ops.gather(ops.gather(plane, Tensor(r.astype(np.int64)), 1), Tensor(c.astype(np.int64)), 2)
        part = part * Tensor(np.outer(share_r, share_c), plane.dtype)
        best = part if best is None else ops.maximum(best, part)
    best = ops.reshape(best, (plane.shape[0], rows, in_row, columns, in_column))
    return ops.reduce_max(best, (2, 4))
