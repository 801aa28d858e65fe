"""Fractional pooling: maxima over windows whose distances vary at random (Graham, arXiv:1412.6071).

The windows of an axis have one length, and begin at places that a random number u in [0, 1) decides:

    start(i) = floor((i + u) a) - floor(u a)    with a = (n - k) / (m - 1), for i < m - 1
    start(m - 1) = n - k

n, m and k are the lengths of the axis, of the result and of the window.
"""

from __future__ import annotations

import math
from typing import Any

from anfora.core.dtype import int64
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.tensor import Tensor
from anfora.ops.arithmetic import floor
from anfora.ops.composite import composite
from anfora.ops.copying import cast
from anfora.ops.creation import arange
from anfora.ops.indexing import gather_elements
from anfora.ops.joining import concat
from anfora.ops.random import rand
from anfora.ops.reduction import argmax
from anfora.ops.shape import broadcast_to, expand_dims, full, reshape
from anfora.ops.windows import each_axis

__all__ = ["fractional_max_pool2d", "fractional_max_pool3d"]


@composite
def fractional_max_pool2d(
    input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:  # fmt: skip
    """The maxima of windows of an image that lie at random distances, so that the result has a given size.

    Args:
        input: float tensor (N, C, H, W) or (C, H, W).
        kernel_size: the lengths of a window: a number for both axes, or two.
        output_size: the lengths of the result: a number for both, or two.
        output_ratio: instead of `output_size`, shares of the input's lengths, in (0, 1); rounded down.
        return_indices: whether the places of the maxima in H × W are given too.
        _random_samples: float tensor (N, C, 2) or (1, C, 2) of numbers in [0, 1), for the axes W and H; drawn when not
            given.
    Returns:
        tensor (N, C, *output_size), without N where `input` has none; with `return_indices` a pair of it and an int64
        tensor of that shape. Of equal maxima the first counts.
    Raises:
        OpTypeError: `input` or the samples are no floating tensors.
        OpValueError: neither size nor ratio is given, a ratio is out of range, or the windows do not fit.
    Gradient:
        goes to the maxima.
    Example:
        >>> x = Tensor([[[1., 2., 3.], [4., 5., 6.], [7., 8., 9.]]])
        >>> fractional_max_pool2d(x, 2, 2, _random_samples=ops.zeros((1, 1, 2))).tolist()
        [[[5.0, 6.0], [8.0, 9.0]]]
    """
    return _pooled("fractional_max_pool2d", 2, input, kernel_size, output_size, output_ratio, return_indices,
                   _random_samples)  # fmt: skip


@composite
def fractional_max_pool3d(
    input: Tensor, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:  # fmt: skip
    """The maxima of windows of a volume that lie at random distances, so that the result has a given size.

    Args:
        input: float tensor (N, C, D, H, W) or (C, D, H, W).
        kernel_size, output_size, output_ratio, return_indices: as in `fractional_max_pool2d`, for three axes.
        _random_samples: float tensor (N, C, 3) or (1, C, 3), for the axes D, H and W; drawn when not given.
    Returns, Raises, Gradient:
        as `fractional_max_pool2d`.
    Example:
        >>> x = ops.arange(8.0).reshape(1, 1, 2, 2, 2)
        >>> y, places = fractional_max_pool3d(x, 1, (1, 1, 2), return_indices=True)
        >>> y.tolist(), places.tolist()
        ([[[[[6.0, 7.0]]]]], [[[[[6, 7]]]]])
    """
    return _pooled("fractional_max_pool3d", 3, input, kernel_size, output_size, output_ratio, return_indices,
                   _random_samples)  # fmt: skip


def _pooled(
    name: str, axes: int, x: Tensor, kernel_size: Any, output_size: Any, output_ratio: Any, return_indices: bool,
    samples: Tensor | None,
) -> Any:  # fmt: skip
    if not x.dtype.is_float or x.ndim not in (axes + 1, axes + 2):
        raise OpTypeError(
            f"{name} needs a floating tensor of {axes + 1} or {axes + 2} axes, but got {x.dtype}{list(x.shape)}",
            arg="input",
        )
    kernel = each_axis(name, "kernel_size", kernel_size, axes)
    batch = x if x.ndim == axes + 2 else expand_dims(x, 0)
    sizes = batch.shape[2:]
    target = _target(name, axes, sizes, output_size, output_ratio)
    if any(m + k - 1 > n for m, k, n in zip(target, kernel, sizes)):
        raise OpValueError(f"{name}: {list(target)} windows of {list(kernel)} do not fit into {list(sizes)}")
    places = _windows(kernel, sizes, target, _samples(name, axes, batch, samples))
    lead = batch.shape[:2]
    flat = reshape(batch, (*lead, math.prod(sizes)))
    found = reshape(gather_elements(flat, 2, reshape(places, (*lead, -1))), places.shape)
    best = gather_elements(places, 3, expand_dims(argmax(found, -1), -1))[..., 0]
    shape = (*lead, *target) if x.ndim == axes + 2 else (lead[1], *target)
    result = reshape(gather_elements(flat, 2, best), shape)
    return (result, reshape(best, shape)) if return_indices else result


def _target(name: str, axes: int, sizes: tuple[int, ...], output_size: Any, ratio: Any) -> tuple[int, ...]:
    """The lengths of the result."""
    if output_size is not None:
        return each_axis(name, "output_size", output_size, axes)
    if ratio is None:
        raise OpValueError(f"{name} needs `output_size` or `output_ratio`")
    shares = tuple(ratio) if isinstance(ratio, (tuple, list)) else (ratio,) * axes
    if len(shares) != axes or not all(isinstance(share, float) and 0.0 < share < 1.0 for share in shares):
        raise OpValueError(
            f"{name} needs {axes} floats in (0, 1) for `output_ratio`, but got {ratio!r}", arg="output_ratio"
        )
    return tuple(int(n * share) for n, share in zip(sizes, shares))


def _samples(name: str, axes: int, x: Tensor, given: Tensor | None) -> Tensor:
    """Random numbers for each plane, (N, C, axes)."""
    shape = (*x.shape[:2], axes)
    if given is None:
        return rand(*shape)
    if not isinstance(given, Tensor) or not given.dtype.is_float:
        raise OpTypeError(f"{name} needs a floating tensor for `_random_samples`", arg="_random_samples")
    if given.shape not in (shape, (1, *shape[1:])):
        raise OpValueError(
            f"{name}: `_random_samples` must be of shape {list(shape)}, but is of {list(given.shape)}",
            arg="_random_samples",
        )
    return broadcast_to(given, shape)


def _windows(kernel: tuple, sizes: tuple, target: tuple, samples: Tensor) -> Tensor:
    """The places in a plane of the elements of all windows, (N, C, windows, elements of a window)."""
    axes = len(sizes)
    flat: Any = 0
    for axis, (k, n, m) in enumerate(zip(kernel, sizes, target)):
        # MindSpore takes the samples of images from the last axis on, and those of volumes from the first.
        u = expand_dims(samples[:, :, axes - 1 - axis if axes == 2 else axis], -1)
        starts = full((*samples.shape[:2], 1), n - k, int64)
        if m > 1:
            step = (n - k) / (m - 1)
            moved = floor((arange(m - 1) + u) * step) - floor(u * step)
            starts = concat([cast(moved, int64), starts], -1)
        places = expand_dims(starts, -1) + arange(k)  # (N, C, windows, elements)
        before, behind = (1,) * axis, (1,) * (axes - 1 - axis)
        shape = (*samples.shape[:2], *before, m, *behind, *before, k, *behind)
        flat = flat * n + reshape(places, shape)
    return reshape(flat, (*samples.shape[:2], math.prod(target), math.prod(kernel)))
