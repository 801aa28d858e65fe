"""Pooling: maximum and average over windows, fixed and adaptive, and its inverses.

The kernels are in `kernel/pooling.py`. Averages are linear, so their gradients are each other's; the gradient of a maximum
picks from its own gradient at the positions of the maxima.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from anfora.core.abstract import TensorType
from anfora.core.dtype import float32, int64
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.op import op
from anfora.core.tensor import Tensor
from anfora.kernel.plan import Buffer, Planner
from anfora.kernel.pooling import (
    plan_adaptive_avg_pool2d,
    plan_adaptive_avg_pool2d_gradient,
    plan_adaptive_max_pool2d,
    plan_adaptive_max_pool2d_gradient,
    plan_avg_pool2d,
    plan_avg_pool2d_gradient,
    plan_max_pool2d,
    plan_max_pool2d_gradient,
)
from anfora.ops.composite import composite
from anfora.ops.copying import cast
from anfora.ops.creation import full
from anfora.ops.families import folded, linear
from anfora.ops.indexing import gather_elements
from anfora.ops.scatter import tensor_scatter_elements
from anfora.ops.shape import expand_dims, reshape, squeeze
from anfora.ops.windows import as_images, check_images, each_axis, length, padding_of, same_padding

__all__ = [
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d", "adaptive_max_pool2d",
    "adaptive_max_pool3d", "avg_pool1d", "avg_pool2d", "avg_pool3d", "lp_pool1d", "lp_pool2d", "max_pool1d",
    "max_pool2d", "max_pool3d", "max_unpool1d", "max_unpool2d", "max_unpool3d",
]  # fmt: skip

Pair = tuple[int, int]


def _window(
    name: str, x: Any, kernel_size: Any, stride: Any, padding: Any, dilation: Any
) -> tuple[Pair, Pair, tuple, Pair]:
    """Kernel, stride, padding and dilation as the kernels want them. `stride` None is that of the window; `padding` may
    be "same" or "valid"."""
    kernel: Any = each_axis(name, "kernel_size", kernel_size)
    steps: Any = kernel if stride is None else each_axis(name, "stride", stride)
    spread: Any = each_axis(name, "dilation", dilation)
    if padding == "same":
        sizes = x.shape[-2:]
        ends = tuple(n for i in range(2) for n in same_padding(sizes[i], kernel[i], steps[i], spread[i]))
    else:
        ends = (0, 0, 0, 0) if padding == "valid" else padding_of(name, padding)
        spans = [(kernel[i] - 1) * spread[i] + 1 for i in range(2)]
        if any(end > spans[i // 2] // 2 for i, end in enumerate(ends)):
            raise OpValueError(
                f"{name}: `padding` must be at most half of the window {list(kernel)}, but got {padding!r}",
                arg="padding",
            )
    return kernel, steps, ends, spread


_MOST_OF_A_WINDOW = 1 << 20  #: elements: the place of each is written down when a pooling is planned


def _result_shape(
    name: str, x: Any, kernel: Pair, stride: Pair, padding: tuple, dilation: Pair, ceil_mode: bool
) -> tuple[int, ...]:
    sizes = tuple(
        length(x.shape[i - 2], kernel[i], stride[i], dilation[i], padding[2 * i], padding[2 * i + 1], ceil_mode)
        for i in range(2)
    )
    if kernel[0] * kernel[1] > _MOST_OF_A_WINDOW:
        raise OpValueError(
            f"{name}: a window of {list(kernel)} has more than {_MOST_OF_A_WINDOW} elements; to reduce whole planes there "
            "are `max`, `mean` and `norm`", arg="kernel_size",
        )  # fmt: skip
    if min(sizes) < 1:
        raise OpValueError(
            f"{name}: a window of {list(kernel)} is larger than the plane of {list(x.shape[-2:])}", arg="kernel_size"
        )
    return (*x.shape[:-2], *sizes)


# -- maximum ----------------------------------------------------------------------------------------------------------


@op
def max_pool2d(
    x: Tensor, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False
) -> Any:  # fmt: skip
    """The largest element in each window.

    Args:
        x: tensor (N, C, H, W) or (C, H, W).
        kernel_size: the window, an int or (height, width).
        stride: distance of windows; that of `kernel_size` when not given.
        padding: -inf around each plane, at most half a window: an int, a pair, (top, bottom, left, right), or "same".
        dilation: distance of the elements of a window.
        return_indices: give positions too.
        ceil_mode: a last window may hang over the end.
    Returns:
        tensor (N, C, P, Q) of the type of `x`, P = floor((H + top + bottom - dilation (height - 1) - 1) / stride) + 1
        (rounded up with `ceil_mode`); with `return_indices` also an int64 tensor with the place h·W + w of each maximum.
        Of equal elements the first counts; a NaN is larger than any number.
    Raises:
        OpTypeError: an attribute is no integer.
        OpValueError: shapes or attributes do not fit.
    Gradient:
        To each maximum the sum of the g of its windows.
    Example:
        >>> max_pool2d(Tensor([[[[1., 5.], [7., 3.]]]]), 2).tolist()
        [[[[7.0]]]]
    """


@max_pool2d.normalize
def _(x, *, kernel_size, stride, padding, dilation, return_indices, ceil_mode):
    check_images("max_pool2d", "x", x, (3, 4), floating=False)
    kernel, stride, padding, dilation = _window("max_pool2d", x, kernel_size, stride, padding, dilation)
    return {
        "kernel_size": kernel, "stride": stride, "padding": padding, "dilation": dilation,
        "return_indices": bool(return_indices), "ceil_mode": bool(ceil_mode),
    }  # fmt: skip


@max_pool2d.infer
def _(x, *, kernel_size, stride, padding, dilation, return_indices, ceil_mode):
    if x.dtype.is_bool:
        raise OpTypeError(f"max_pool2d needs numbers for `x`, but got {x!r}", arg="x")
    shape = _result_shape("max_pool2d", x, kernel_size, stride, padding, dilation, ceil_mode)
    out = TensorType(x.dtype, shape)
    return (out, TensorType(int64, shape)) if return_indices else out


@max_pool2d.kernel
def _(
    p: Planner, x: Buffer, out: Buffer, indices: Buffer | None = None,
    *, kernel_size, stride, padding, dilation, return_indices, ceil_mode,
):  # fmt: skip
    plan_max_pool2d(
        p, as_images(x), as_images(out), kernel=kernel_size, stride=stride, padding=padding, dilation=dilation,
        indices=None if indices is None else as_images(indices),
    )  # fmt: skip


@max_pool2d.vjp("x")
def _(x, *, kernel_size, stride, padding, dilation, return_indices, ceil_mode, g):
    g = g[0] if return_indices else g
    return None if g is None else max_pool2d_gradient(x, g, kernel_size, stride, padding, dilation, ceil_mode)


folded(max_pool2d, 4)


@op
def max_pool2d_gradient(input: Tensor, gradient: Tensor, kernel_size, stride, padding, dilation, ceil_mode):
    """The gradient of `max_pool2d`: g at the place of each maximum."""


@max_pool2d_gradient.infer
def _(input, gradient, **attributes):
    return input


@max_pool2d_gradient.kernel
def _(p: Planner, input: Buffer, gradient: Buffer, out: Buffer, *, kernel_size, stride, padding, dilation, ceil_mode):
    plan_max_pool2d_gradient(
        p, as_images(input), as_images(gradient), as_images(out), kernel=kernel_size, stride=stride, padding=padding,
        dilation=dilation,
    )  # fmt: skip


@max_pool2d_gradient.vjp("gradient")
def _(input, *, kernel_size, stride, padding, dilation, ceil_mode, g):
    return _pick(g, max_pool2d(input, kernel_size, stride, padding, dilation, True, ceil_mode)[1])


linear(max_pool2d_gradient, "gradient")
folded(max_pool2d_gradient, 4, count=2)


def _pick(x: Tensor, places: Tensor) -> Tensor:
    """The elements of each plane at some places of it."""
    planes = x.shape[:-2]
    flat = gather_elements(reshape(x, (*planes, -1)), len(planes), reshape(places, (*planes, -1)))
    return reshape(flat, places.shape)


def _one(name: str, arg: str, given: Any, least: int = 1) -> int:
    return each_axis(name, arg, given, 1, least)[0]


@composite
def max_pool1d(
    x: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    return_indices: bool = False,
    ceil_mode: bool = False,
) -> Any:
    """The largest element in each window of sequences (N, C, L) or (C, L): `max_pool2d` of planes one row high.

    Example:
        >>> max_pool1d(Tensor([[1., 3., 7., 5.]]), 2).tolist()
        [[3.0, 7.0]]
    """
    name = "max_pool1d"
    size = _one(name, "kernel_size", kernel_size)
    step = size if stride is None else _one(name, "stride", stride)
    ends = padding if isinstance(padding, str) else (0, 0, *[_one(name, "padding", padding, 0)] * 2)
    result = max_pool2d(
        _as_planes(name, "x", x), (1, size), (1, step), ends, (1, _one(name, "dilation", dilation)), return_indices,
        ceil_mode,
    )  # fmt: skip
    return (squeeze(result[0], -2), squeeze(result[1], -2)) if return_indices else squeeze(result, -2)


def _as_planes(name: str, arg: str, x: Tensor) -> Tensor:
    if x.ndim not in (2, 3):
        raise OpValueError(f"{name} needs (N, C, L) or (C, L) for `{arg}`, but got {x._layout.type!r}", arg=arg)
    return expand_dims(x, -2)


# -- average ----------------------------------------------------------------------------------------------------------


@op
def avg_pool2d(
    input_x: Tensor, kernel_size=1, stride=1, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=0
):  # fmt: skip
    """The mean of each window.

    Args:
        input_x: float tensor (N, C, H, W) or (C, H, W).
        kernel_size: the window, an int or (height, width).
        stride: distance of windows.
        padding: zeros around each plane, at most half a window: an int, a pair, (top, bottom, left, right), or "same",
            which never counts them.
        ceil_mode: a last window may hang over the end.
        count_include_pad: whether zeros around the plane count as elements.
        divisor_override: what sums are divided by, if not 0.
    Returns:
        float tensor (N, C, P, Q) of the type of `input_x`; for P see `max_pool2d`.
    Raises:
        OpTypeError: `input_x` is not floating point, or an attribute is no integer.
        OpValueError: shapes or attributes do not fit.
    Gradient:
        To each element the sum of the shares of the g of its windows.
    Example:
        >>> avg_pool2d(Tensor([[[[1., 5.], [7., 3.]]]]), 2).tolist()
        [[[[4.0]]]]
    """


@avg_pool2d.normalize
def _(input_x, *, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    check_images("avg_pool2d", "input_x", input_x, (3, 4))
    kernel, steps, ends, _ = _window("avg_pool2d", input_x, kernel_size, stride, padding, 1)
    return {
        "kernel_size": kernel, "stride": steps, "padding": ends, "ceil_mode": bool(ceil_mode),
        "count_include_pad": bool(count_include_pad) and padding != "same",
        "divisor_override": _one("avg_pool2d", "divisor_override", divisor_override or 0, 0),
    }  # fmt: skip


@avg_pool2d.infer
def _(input_x, *, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    shape = _result_shape("avg_pool2d", input_x, kernel_size, stride, padding, (1, 1), ceil_mode)
    return TensorType(input_x.dtype, shape)


@avg_pool2d.kernel
def _(
    p: Planner, input_x: Buffer, out: Buffer,
    *, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override,
):  # fmt: skip
    plan_avg_pool2d(
        p, as_images(input_x), as_images(out), kernel=kernel_size, stride=stride, padding=padding,
        count_include_pad=count_include_pad, divisor=divisor_override or None,
    )  # fmt: skip


@avg_pool2d.vjp("input_x")
def _(input_x_type, *, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, g):
    return avg_pool2d_gradient(
        g, input_x_type.shape[-2:], kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
    )


linear(avg_pool2d, "input_x")
folded(avg_pool2d, 4)


@op
def avg_pool2d_gradient(
    gradient: Tensor, size, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override
):  # fmt: skip
    """The gradient of `avg_pool2d` to planes of `size` (H, W)."""


@avg_pool2d_gradient.infer
def _(gradient, *, size, **attributes):
    return TensorType(gradient.dtype, (*gradient.shape[:-2], *size))


@avg_pool2d_gradient.kernel
def _(
    p: Planner, gradient: Buffer, out: Buffer,
    *, size, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override,
):  # fmt: skip
    plan_avg_pool2d_gradient(
        p, as_images(gradient), as_images(out), kernel=kernel_size, stride=stride, padding=padding,
        count_include_pad=count_include_pad, divisor=divisor_override or None,
    )  # fmt: skip


@avg_pool2d_gradient.vjp("gradient")
def _(*, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override, g):
    return avg_pool2d(g, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


linear(avg_pool2d_gradient, "gradient")
folded(avg_pool2d_gradient, 4)


@composite
def avg_pool1d(
    input_x: Tensor,
    kernel_size: Any = 1,
    stride: Any = 1,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """The mean of each window of sequences (N, C, L) or (C, L): `avg_pool2d` of planes one row high.

    Example:
        >>> avg_pool1d(Tensor([[1., 3., 5., 7.]]), 2, 2).tolist()
        [[2.0, 6.0]]
    """
    name = "avg_pool1d"
    size = _one(name, "kernel_size", kernel_size)
    step = size if stride is None else _one(name, "stride", stride)
    ends = padding if isinstance(padding, str) else (0, 0, *[_one(name, "padding", padding, 0)] * 2)
    x = _as_planes(name, "input_x", input_x)
    return squeeze(avg_pool2d(x, (1, size), (1, step), ends, ceil_mode, count_include_pad), -2)


@composite
def lp_pool2d(x: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """The p-norm of each window: (sum of x^p)^(1/p), p = `norm_type`; windows that hang over the end are cut.

    Args:
        x: float tensor (N, C, H, W) or (C, H, W), not negative unless p is an even integer.
        norm_type: p, not 0.
        kernel_size, stride, ceil_mode: as in `max_pool2d`.
    Example:
        >>> lp_pool2d(Tensor([[[[3., 4.]]]]), 2, (1, 2)).tolist()
        [[[[5.0]]]]
    """
    if not norm_type:
        raise OpValueError("lp_pool2d: `norm_type` must not be 0", arg="norm_type")
    stride = kernel_size if stride is None else stride
    return avg_pool2d(x**norm_type, kernel_size, stride, 0, ceil_mode, divisor_override=1) ** (1.0 / norm_type)


@composite
def lp_pool1d(x: Tensor, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """The p-norm of each window of sequences (N, C, L) or (C, L): see `lp_pool2d`.

    Example:
        >>> lp_pool1d(Tensor([[3., 4., 6., 8.]]), 2, 2).tolist()
        [[5.0, 10.0]]
    """
    size = _one("lp_pool1d", "kernel_size", kernel_size)
    step = size if stride is None else _one("lp_pool1d", "stride", stride)
    return squeeze(lp_pool2d(_as_planes("lp_pool1d", "x", x), norm_type, (1, size), (1, step), ceil_mode), -2)


# -- volumes: planes first, then along the depth ----------------------------------------------------------------------


def _check_volumes(name: str, arg: str, x: Tensor) -> None:
    if x.ndim not in (4, 5):
        raise OpValueError(
            f"{name} needs (N, C, D, H, W) or (C, D, H, W) for `{arg}`, but got {x._layout.type!r}", arg=arg
        )


def _in_planes(pool: Callable, x: Tensor) -> Any:
    """Apply a pooling of planes to each slice of volumes."""
    lead, (h, w) = x.shape[:-2], x.shape[-2:]
    return _each(lambda y: reshape(y, (*lead, *y.shape[-2:])), pool(reshape(x, (1, math.prod(lead), h, w))))


def _in_depth(pool: Callable, x: Tensor) -> Any:
    """Apply a pooling of planes to volumes whose slices are seen as rows of a plane."""
    lead, (d, h, w) = x.shape[:-3], x.shape[-3:]
    return _each(lambda y: reshape(y, (*lead, y.shape[-2], h, w)), pool(reshape(x, (1, math.prod(lead), d, h * w))))


def _each(function: Callable, result: Any) -> Any:
    return tuple(map(function, result)) if isinstance(result, tuple) else function(result)


def _maxima(planes: Callable, depth: Callable, x: Tensor, return_indices: bool) -> Any:
    """The maxima of volumes, from poolings of planes and along the depth that take `(planes, return_indices)`."""
    if not return_indices:
        return _in_depth(lambda y: depth(y, False), _in_planes(lambda y: planes(y, False), x))
    inner, places = _in_planes(lambda y: planes(y, True), x)
    out, rows = _in_depth(lambda y: depth(y, True), inner)
    lead, (d, h, w) = x.shape[:-3], x.shape[-3:]
    p, q = inner.shape[-2:]
    count = math.prod(out.shape[-3:])
    rows = reshape(rows, (*lead, count))  # which slice each maximum comes from, and its place in it
    inside = gather_elements(reshape(places, (*lead, d * p * q)), len(lead), rows)
    return out, reshape(rows // max(p * q, 1) * (h * w) + inside, out.shape)


def _cut(name: str, given: Any, kernel: tuple) -> tuple[Any, Any]:
    """Padding of volumes as that of planes and that along the depth."""
    if isinstance(given, str):
        return given, given
    ends = padding_of(name, given, 3)
    if any(end > kernel[i // 2] // 2 for i, end in enumerate(ends)):
        raise OpValueError(
            f"{name}: `padding` must be at most half of the window {list(kernel)}, but got {given!r}", arg="padding"
        )
    return ends[2:], (*ends[:2], 0, 0)


@composite
def max_pool3d(
    x: Tensor,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element in each window of volumes.

    Args:
        x: tensor (N, C, D, H, W) or (C, D, H, W).
        kernel_size: the window, an int or (depth, height, width).
        stride: distance of windows; that of `kernel_size` when not given.
        padding: -inf around each volume, at most half a window: an int, three, (head, tail, top, bottom, left, right),
            or "same".
        dilation, ceil_mode: as in `max_pool2d`.
        return_indices: give the place (d·H + h)·W + w of each maximum too, int64.
    Returns:
        tensor (N, C, E, P, Q) of the type of `x`, or a pair.
    Raises:
        OpTypeError: an attribute is no integer.
        OpValueError: shapes or attributes do not fit.
    Example:
        >>> max_pool3d(Tensor([[[[1., 5.]], [[7., 3.]]]]), (2, 1, 1)).tolist()
        [[[[7.0, 5.0]]]]
    """
    name = "max_pool3d"
    _check_volumes(name, "x", x)
    kernel = each_axis(name, "kernel_size", kernel_size, 3)
    steps = kernel if stride is None else each_axis(name, "stride", stride, 3)
    spread = each_axis(name, "dilation", dilation, 3)
    of_planes, of_depth = _cut(name, padding, tuple((k - 1) * d + 1 for k, d in zip(kernel, spread)))

    def planes(y: Tensor, indices: bool) -> Any:
        return max_pool2d(y, kernel[1:], steps[1:], of_planes, spread[1:], indices, ceil_mode)

    def depth(y: Tensor, indices: bool) -> Any:
        return max_pool2d(y, (kernel[0], 1), (steps[0], 1), of_depth, (spread[0], 1), indices, ceil_mode)

    return _maxima(planes, depth, x, return_indices)


@composite
def avg_pool3d(
    input_x: Tensor,
    kernel_size: Any = 1,
    stride: Any = 1,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int = 0,
) -> Tensor:
    """The mean of each window of volumes.

    Args:
        input_x: float tensor (N, C, D, H, W) or (C, D, H, W).
        kernel_size: the window, an int or (depth, height, width).
        stride: distance of windows.
        padding: zeros around each volume, at most half a window: an int, three, (head, tail, top, bottom, left,
            right), or "same", which never counts them.
        ceil_mode, count_include_pad, divisor_override: as in `avg_pool2d`.
    Returns:
        float tensor (N, C, E, P, Q) of the type of `input_x`.
    Raises:
        OpTypeError: `input_x` is not floating point, or an attribute is no integer.
        OpValueError: shapes or attributes do not fit.
    Example:
        >>> avg_pool3d(Tensor([[[[1., 5.]], [[7., 3.]]]]), (2, 1, 1)).tolist()
        [[[[4.0, 4.0]]]]
    """
    name = "avg_pool3d"
    _check_volumes(name, "input_x", input_x)
    kernel = each_axis(name, "kernel_size", kernel_size, 3)
    steps = each_axis(name, "stride", kernel if stride is None else stride, 3)
    of_planes, of_depth = _cut(name, padding, kernel)
    divisor = _one(name, "divisor_override", divisor_override or 0, 0)

    def planes(y: Tensor) -> Tensor:
        return avg_pool2d(y, kernel[1:], steps[1:], of_planes, ceil_mode, count_include_pad, 1 if divisor else 0)

    def depth(y: Tensor) -> Tensor:
        return avg_pool2d(y, (kernel[0], 1), (steps[0], 1), of_depth, ceil_mode, count_include_pad, divisor)

    return _means(planes, depth, input_x)


def _means(planes: Callable, depth: Callable, x: Tensor) -> Tensor:
    """The means of volumes; those of half precision are rounded once."""
    wide = cast(x, float32) if x.dtype.is_float and x.dtype.bits == 16 else x
    out = _in_depth(depth, _in_planes(planes, wide))
    return cast(out, x.dtype) if wide is not x else out


@composite
def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """The mean of each of E x P x Q windows that cover volumes (N, C, D, H, W) or (C, D, H, W): see
    `adaptive_avg_pool2d`.

    Example:
        >>> adaptive_avg_pool3d(ones((1, 4, 4, 4)), (2, 1, 2)).shape
        (1, 2, 1, 2)
    """
    name = "adaptive_avg_pool3d"
    _check_volumes(name, "input", input)
    size = _target(name, input, output_size, 3)
    return _means(lambda y: adaptive_avg_pool2d(y, size[1:]), lambda y: adaptive_avg_pool2d(y, (size[0], None)), input)


@composite
def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: bool = False) -> Any:
    """The largest element in each of E x P x Q windows that cover volumes (N, C, D, H, W) or (C, D, H, W): see
    `adaptive_max_pool2d`. Places are (d·H + h)·W + w.

    Example:
        >>> adaptive_max_pool3d(ones((1, 4, 4, 4)), (2, 1, 2)).shape
        (1, 2, 1, 2)
    """
    name = "adaptive_max_pool3d"
    _check_volumes(name, "input", input)
    size = _target(name, input, output_size, 3)

    def planes(y: Tensor, indices: bool) -> Any:
        return adaptive_max_pool2d(y, size[1:], indices)

    def depth(y: Tensor, indices: bool) -> Any:
        return adaptive_max_pool2d(y, (size[0], None), indices)

    return _maxima(planes, depth, input, return_indices)


# -- adaptive ---------------------------------------------------------------------------------------------------------


def _target(name: str, x: Any, given: Any, axes: int = 2) -> tuple[int, ...]:
    """The size of the result; None keeps a length."""
    items = tuple(given) if isinstance(given, (tuple, list)) else (given,) * axes
    if len(items) != axes:
        raise OpValueError(
            f"{name} needs one integer or {axes} for `output_size`, but got {given!r}", arg="output_size"
        )
    lengths = x.shape[-axes:]
    return tuple(lengths[i] if item is None else _one(name, "output_size", item, 0) for i, item in enumerate(items))


@op
def adaptive_avg_pool2d(input: Tensor, output_size):
    """The mean of each of P x Q windows that cover the plane: window p has the rows floor(p H / P) to
    ceil((p + 1) H / P) - 1.

    Args:
        input: float tensor (N, C, H, W) or (C, H, W).
        output_size: (P, Q), or one int for both; None keeps the length of the input.
    Returns:
        float tensor (N, C, P, Q) of the type of `input`.
    Raises:
        OpTypeError: `input` is not floating point.
        OpValueError: shapes or attributes do not fit.
    Example:
        >>> adaptive_avg_pool2d(Tensor([[[[1., 3., 5.]]]]), (1, 2)).tolist()
        [[[[2.0, 4.0]]]]
    """


@adaptive_avg_pool2d.normalize
def _(input, *, output_size):
    check_images("adaptive_avg_pool2d", "input", input, (3, 4))
    return {"output_size": _target("adaptive_avg_pool2d", input, output_size)}


@adaptive_avg_pool2d.infer
def _(input, *, output_size):
    return TensorType(input.dtype, (*input.shape[:-2], *output_size))


@adaptive_avg_pool2d.kernel
def _(p: Planner, input: Buffer, out: Buffer, *, output_size):
    plan_adaptive_avg_pool2d(p, as_images(input), as_images(out))


@adaptive_avg_pool2d.vjp("input")
def _(input_type, *, g):
    return adaptive_avg_pool2d_gradient(g, input_type.shape[-2:])


linear(adaptive_avg_pool2d, "input")
folded(adaptive_avg_pool2d, 4)


@op
def adaptive_avg_pool2d_gradient(gradient: Tensor, size):
    """The gradient of `adaptive_avg_pool2d` to planes of `size` (H, W)."""


@adaptive_avg_pool2d_gradient.infer
def _(gradient, *, size):
    return TensorType(gradient.dtype, (*gradient.shape[:-2], *size))


@adaptive_avg_pool2d_gradient.kernel
def _(p: Planner, gradient: Buffer, out: Buffer, *, size):
    plan_adaptive_avg_pool2d_gradient(p, as_images(gradient), as_images(out))


@adaptive_avg_pool2d_gradient.vjp("gradient")
def _(gradient_type, *, g):
    return adaptive_avg_pool2d(g, gradient_type.shape[-2:])


linear(adaptive_avg_pool2d_gradient, "gradient")
folded(adaptive_avg_pool2d_gradient, 4)


@composite
def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """The mean of each of Q windows of sequences (N, C, L) or (C, L): see `adaptive_avg_pool2d`.

    Example:
        >>> adaptive_avg_pool1d(Tensor([[1., 3., 5., 7.]]), 2).tolist()
        [[2.0, 6.0]]
    """
    size = _one("adaptive_avg_pool1d", "output_size", output_size)
    return squeeze(adaptive_avg_pool2d(_as_planes("adaptive_avg_pool1d", "input", input), (1, size)), -2)


@op
def adaptive_max_pool2d(input: Tensor, output_size, return_indices=False) -> Any:
    """The largest element in each of P x Q windows that cover the plane.

    Args:
        input: tensor (N, C, H, W) or (C, H, W).
        output_size: as in `adaptive_avg_pool2d`, where the windows are described.
        return_indices: give the places h·W + w too, int64.
    Returns:
        tensor (N, C, P, Q) of the type of `input`, or a pair.
    Raises:
        OpValueError: shapes or attributes do not fit.
    Example:
        >>> adaptive_max_pool2d(Tensor([[[[1., 3., 5.]]]]), (1, 2)).tolist()
        [[[[3.0, 5.0]]]]
    """


@adaptive_max_pool2d.normalize
def _(input, *, output_size, return_indices):
    check_images("adaptive_max_pool2d", "input", input, (3, 4), floating=False)
    size = _target("adaptive_max_pool2d", input, output_size)
    return {"output_size": size, "return_indices": bool(return_indices)}


@adaptive_max_pool2d.infer
def _(input, *, output_size, return_indices):
    shape = (*input.shape[:-2], *output_size)
    if input.dtype.is_bool:
        raise OpTypeError(f"adaptive_max_pool2d needs numbers for `input`, but got {input!r}", arg="input")
    if 0 in input.shape[-2:] and 0 not in shape:
        raise OpValueError(f"adaptive_max_pool2d: the planes of {input!r} are empty", arg="input")
    out = TensorType(input.dtype, shape)
    return (out, TensorType(int64, shape)) if return_indices else out


@adaptive_max_pool2d.kernel
def _(p: Planner, input: Buffer, out: Buffer, indices: Buffer | None = None, *, output_size, return_indices):
    places = None if indices is None else as_images(indices)
    plan_adaptive_max_pool2d(p, as_images(input), as_images(out), indices=places)


@adaptive_max_pool2d.vjp("input")
def _(input, *, return_indices, g):
    g = g[0] if return_indices else g
    return None if g is None else adaptive_max_pool2d_gradient(input, g)


folded(adaptive_max_pool2d, 4)


@op
def adaptive_max_pool2d_gradient(input: Tensor, gradient: Tensor):
    """The gradient of `adaptive_max_pool2d`: g at the place of each maximum."""


@adaptive_max_pool2d_gradient.infer
def _(input, gradient):
    return input


@adaptive_max_pool2d_gradient.kernel
def _(p: Planner, input: Buffer, gradient: Buffer, out: Buffer):
    plan_adaptive_max_pool2d_gradient(p, as_images(input), as_images(gradient), as_images(out))


@adaptive_max_pool2d_gradient.vjp("gradient")
def _(input, gradient_type, *, g):
    return _pick(g, adaptive_max_pool2d(input, gradient_type.shape[-2:], True)[1])


folded(adaptive_max_pool2d_gradient, 4, count=2)


@composite
def adaptive_max_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """The largest element in each of Q windows of sequences (N, C, L) or (C, L): see `adaptive_avg_pool2d`.

    Example:
        >>> adaptive_max_pool1d(Tensor([[1., 3., 5., 7.]]), 2).tolist()
        [[3.0, 7.0]]
    """
    size = _one("adaptive_max_pool1d", "output_size", output_size)
    return squeeze(adaptive_max_pool2d(_as_planes("adaptive_max_pool1d", "input", input), (1, size)), -2)


# -- back from maxima -------------------------------------------------------------------------------------------------


@composite
def max_unpool2d(
    x: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Tensor:
    """Zeros in which each maximum of a `max_pool2d` stands where it came from.

    Args:
        x: tensor (N, C, P, Q) or (C, P, Q).
        indices: integer tensor of the shape of `x`, as `max_pool2d` gives with `return_indices`.
        kernel_size, stride, padding: those of the pooling.
        output_size: the shape of the planes, or of the whole result; worked out from the pooling when not given.
    Returns:
        tensor (N, C, H, W). Where a place is named twice, the last one counts.
    Raises:
        OpValueError: shapes do not fit.   OpIndexError: a place is outside the plane.
    Example:
        >>> max_unpool2d(Tensor([[[[7.]]]]), Tensor([[[[2]]]]), 2).tolist()
        [[[[0.0, 0.0], [7.0, 0.0]]]]
    """
    check_images("max_unpool2d", "x", x._layout.type, (3, 4), floating=False)
    return _unpool("max_unpool2d", 2, x, indices, kernel_size, stride, padding, output_size)


def _unpool(
    name: str, axes: int, x: Tensor, indices: Tensor, kernel_size: Any, stride: Any, padding: Any, output_size: Any
) -> Tensor:
    if indices.shape != x.shape:
        raise OpValueError(
            f"{name}: `indices` must have the shape {list(x.shape)}, but got {list(indices.shape)}", arg="indices"
        )
    kernel = each_axis(name, "kernel_size", kernel_size, axes)
    steps = kernel if stride is None else each_axis(name, "stride", stride, axes)
    ends = each_axis(name, "padding", padding, axes, 0)
    size = tuple((n - 1) * s - 2 * e + k for n, s, e, k in zip(x.shape[-axes:], steps, ends, kernel))
    if output_size is not None:
        size = each_axis(name, "output_size", tuple(output_size)[-axes:], axes)
    if min(size) < 1:
        raise OpValueError(f"{name}: the result would have the size {list(size)}", arg="padding")
    planes = x.shape[:-axes]
    zeros = full((*planes, math.prod(size)), 0, dtype=x.dtype)
    places, values = (reshape(t, (*planes, math.prod(x.shape[-axes:]))) for t in (indices, x))
    return reshape(tensor_scatter_elements(zeros, places, values, axis=len(planes)), (*planes, *size))


@composite
def max_unpool3d(
    x: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Tensor:
    """Zeros in which each maximum of a `max_pool3d` stands where it came from: see `max_unpool2d`.

    Example:
        >>> y, indices = max_pool3d(ones((1, 1, 2, 2, 2)), 2, return_indices=True)
        >>> max_unpool3d(y, indices, 2).tolist()
        [[[[[1.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]]]]
    """
    _check_volumes("max_unpool3d", "x", x)
    return _unpool("max_unpool3d", 3, x, indices, kernel_size, stride, padding, output_size)


@composite
def max_unpool1d(
    x: Tensor, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Tensor:
    """Zeros in which each maximum of a `max_pool1d` stands where it came from: see `max_unpool2d`.

    Example:
        >>> y, indices = max_pool1d(Tensor([[1., 3., 7., 5.]]), 2, return_indices=True)
        >>> max_unpool1d(y, indices, 2).tolist()
        [[0.0, 3.0, 7.0, 0.0]]
    """
    name = "max_unpool1d"
    size = _one(name, "kernel_size", kernel_size)
    step = size if stride is None else _one(name, "stride", stride)
    target = None if output_size is None else (1, tuple(output_size)[-1])
    planes = _as_planes(name, "x", x), _as_planes(name, "indices", indices)
    return squeeze(max_unpool2d(*planes, (1, size), (1, step), (0, _one(name, "padding", padding, 0)), target), -2)
