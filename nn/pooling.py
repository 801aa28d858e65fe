"""Pooling as layers. `anfora.ops.pooling` has the formulas.

`pad_mode` is "valid": no padding; "same": as much around the plane as gives ceil(H / stride) rows; "pad": `padding`.
Padding never counts as an element: it is -inf for maxima, and left out of averages where `count_include_pad` says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anfora import ops
from anfora.core.cell import Cell
from anfora.core.errors import OpValueError
from anfora.core.tensor import Tensor
from anfora.nn.checks import choice, flag, integers, number, positive_ints
from anfora.ops.bound import Bound

__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d", "FractionalMaxPool2d", "FractionalMaxPool3d",
    "LPPool1d", "LPPool2d", "MaxPool1d", "MaxPool2d", "MaxPool3d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d",
]  # fmt: skip


def _single(numbers: tuple[int, ...]) -> Any:
    """A number that is meant for all axes as itself, as the user wrote it."""
    return numbers[0] if len(set(numbers)) == 1 else numbers


class _Pool(Cell):
    """What maxima and averages share: the window, its steps and the padding."""

    axes = 2  #: axes of a window

    def __init__(self, kernel_size: Any, stride: Any, pad_mode: str, padding: Any) -> None:
        super().__init__()
        name = type(self).__name__
        self.kernel_size = _single(positive_ints(name, "kernel_size", kernel_size, self.axes))
        self.stride = _single(positive_ints(name, "stride", stride, self.axes))
        self.pad_mode = choice(name, "pad_mode", pad_mode.lower() if isinstance(pad_mode, str) else pad_mode, _MODES)
        numbers = integers(name, "padding", padding, self.axes, least=0)
        if any(numbers) and self.pad_mode != "pad":
            raise OpValueError(
                f"{name}: `padding` must be 0 when `pad_mode` is {pad_mode!r}, but got {padding!r}",
                arg="padding",
                help="pad_mode='pad' pads by a given number.",
            )
        self.padding = _single(numbers)

    @property
    def _ends(self) -> Any:
        """Padding as the operators take it."""
        return self.padding if self.pad_mode == "pad" else self.pad_mode

    def extend_repr(self) -> str:
        text = f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}"
        return f"{text}, padding={self.padding}" if self.pad_mode == "pad" else text


_MODES = ("valid", "same", "pad")


def _check_format(owner: str, data_format: str) -> None:
    if choice(owner, "data_format", data_format, ("NCHW", "NHWC")) != "NCHW":
        raise NotImplementedError(f"{owner}: there are no kernels for the layout NHWC; use NCHW")


class MaxPool2d(_Pool):
    """The largest element in each window of (N, C, H, W) or (C, H, W).

    Args:
        kernel_size: the window, an integer or (height, width).
        stride: distance of windows, an integer or (vertical, horizontal).
        pad_mode: see the head of this module.
        padding: an integer or (vertical, horizontal), at most half a window.
        dilation: distance of the elements of a window.
        return_indices: whether the place h·W + w of each maximum is given too.
        ceil_mode: whether a last window may hang over the end.
        data_format: "NCHW".

    Example:
        >>> MaxPool2d(2, 2)(Tensor([[[[1., 5.], [7., 3.]]]])).tolist()
        [[[[7.0]]]]
    """

    def __init__(
        self,
        kernel_size: Any = 1,
        stride: Any = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, padding)
        _check_format("MaxPool2d", data_format)
        self.dilation = _single(positive_ints("MaxPool2d", "dilation", dilation, 2))
        self.return_indices = flag("MaxPool2d", "return_indices", return_indices)
        self.ceil_mode = flag("MaxPool2d", "ceil_mode", ceil_mode)
        self._pool = Bound(
            ops.max_pool2d, kernel_size=self.kernel_size, stride=self.stride, padding=self._ends, dilation=self.dilation,
            return_indices=return_indices, ceil_mode=ceil_mode,
        )  # fmt: skip

    def construct(self, x: Tensor) -> Any:
        return self._pool(x)


class MaxPool1d(_Pool):
    """The largest element in each window of (N, C, L) or (C, L).

    Args:
        kernel_size, stride, padding, dilation: integers.
        pad_mode, return_indices, ceil_mode: see MaxPool2d.

    Example:
        >>> MaxPool1d(2, 2)(Tensor([[1., 3., 7., 5.]])).tolist()
        [[3.0, 7.0]]
    """

    axes = 1

    def __init__(
        self,
        kernel_size: int = 1,
        stride: int = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        dilation: int = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, padding)
        self.dilation = _single(positive_ints("MaxPool1d", "dilation", dilation, 1))
        self.return_indices = flag("MaxPool1d", "return_indices", return_indices)
        self.ceil_mode = flag("MaxPool1d", "ceil_mode", ceil_mode)
        self._pool = Bound(
            ops.max_pool1d, kernel_size=self.kernel_size, stride=self.stride, padding=self._ends, dilation=self.dilation,
            return_indices=return_indices, ceil_mode=ceil_mode,
        )  # fmt: skip

    def construct(self, x: Tensor) -> Any:
        return self._pool(x)


class MaxPool3d(_Pool):
    """The largest element in each window of (N, C, D, H, W) or (C, D, H, W).

    Args:
        kernel_size, stride, padding, dilation: an integer, or three.
        pad_mode, return_indices, ceil_mode: see MaxPool2d; places are (d·H + h)·W + w.

    Example:
        >>> MaxPool3d(2, 2)(ops.ones((1, 4, 4, 4))).shape
        (1, 2, 2, 2)
    """

    axes = 3

    def __init__(
        self,
        kernel_size: Any = 1,
        stride: Any = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, padding)
        self.dilation = _single(positive_ints("MaxPool3d", "dilation", dilation, 3))
        self.return_indices = flag("MaxPool3d", "return_indices", return_indices)
        self.ceil_mode = flag("MaxPool3d", "ceil_mode", ceil_mode)
        self._pool = Bound(
            ops.max_pool3d, kernel_size=self.kernel_size, stride=self.stride, padding=self._ends, dilation=self.dilation,
            return_indices=return_indices, ceil_mode=ceil_mode,
        )  # fmt: skip

    def construct(self, x: Tensor) -> Any:
        return self._pool(x)


class AvgPool2d(_Pool):
    """The mean of each window of (N, C, H, W) or (C, H, W).

    Args:
        kernel_size, stride, pad_mode, padding, ceil_mode, data_format: see MaxPool2d.
        count_include_pad: whether zeros around the plane count as elements.
        divisor_override: what sums are divided by, instead of the number of elements.

    Example:
        >>> AvgPool2d(2, 2)(Tensor([[[[1., 5.], [7., 3.]]]])).tolist()
        [[[[4.0]]]]
    """

    def __init__(
        self,
        kernel_size: Any = 1,
        stride: Any = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, padding)
        _check_format("AvgPool2d", data_format)
        self.ceil_mode = flag("AvgPool2d", "ceil_mode", ceil_mode)
        self.count_include_pad = flag("AvgPool2d", "count_include_pad", count_include_pad)
        self.divisor_override = divisor_override
        if divisor_override is not None:
            positive_ints("AvgPool2d", "divisor_override", divisor_override, 1)
        self._pool = Bound(
            ops.avg_pool2d, kernel_size=self.kernel_size, stride=self.stride, padding=self._ends, ceil_mode=ceil_mode,
            count_include_pad=count_include_pad, divisor_override=divisor_override or 0,
        )  # fmt: skip

    def construct(self, x: Tensor) -> Tensor:
        return self._pool(x)


class AvgPool1d(_Pool):
    """The mean of each window of (N, C, L) or (C, L).

    Args:
        kernel_size, stride, padding: integers.
        pad_mode, ceil_mode, count_include_pad: see AvgPool2d.

    Example:
        >>> AvgPool1d(2, 2)(Tensor([[1., 3., 5., 7.]])).tolist()
        [[2.0, 6.0]]
    """

    axes = 1

    def __init__(
        self,
        kernel_size: int = 1,
        stride: int = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, padding)
        self.ceil_mode = flag("AvgPool1d", "ceil_mode", ceil_mode)
        self.count_include_pad = flag("AvgPool1d", "count_include_pad", count_include_pad)
        self._pool = Bound(
            ops.avg_pool1d, kernel_size=self.kernel_size, stride=self.stride, padding=self._ends, ceil_mode=ceil_mode,
            count_include_pad=count_include_pad,
        )  # fmt: skip

    def construct(self, x: Tensor) -> Tensor:
        return self._pool(x)


class AvgPool3d(_Pool):
    """The mean of each window of (N, C, D, H, W) or (C, D, H, W).

    Args:
        kernel_size, stride, padding: an integer, or three.
        pad_mode, ceil_mode, count_include_pad, divisor_override: see AvgPool2d.

    Example:
        >>> AvgPool3d(2, 2)(ops.ones((1, 4, 4, 4))).shape
        (1, 2, 2, 2)
    """

    axes = 3

    def __init__(
        self,
        kernel_size: Any = 1,
        stride: Any = 1,
        pad_mode: str = "valid",
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__(kernel_size, stride, pad_mode, padding)
        self.ceil_mode = flag("AvgPool3d", "ceil_mode", ceil_mode)
        self.count_include_pad = flag("AvgPool3d", "count_include_pad", count_include_pad)
        self.divisor_override = divisor_override
        if divisor_override is not None:
            positive_ints("AvgPool3d", "divisor_override", divisor_override, 1)
        self._pool = Bound(
            ops.avg_pool3d, kernel_size=self.kernel_size, stride=self.stride, padding=self._ends, ceil_mode=ceil_mode,
            count_include_pad=count_include_pad, divisor_override=divisor_override or 0,
        )  # fmt: skip

    def construct(self, x: Tensor) -> Tensor:
        return self._pool(x)


class _Adaptive(Cell):
    """What the adaptive forms share: the size of the result."""

    def __init__(self, op: Any, output_size: Any, **attributes: Any) -> None:
        super().__init__()
        self.output_size = tuple(output_size) if isinstance(output_size, list) else output_size
        self._pool = Bound(op, output_size=self.output_size, **attributes)

    def construct(self, input: Tensor) -> Any:
        return self._pool(input)

    def extend_repr(self) -> str:
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_Adaptive):
    """The mean of each of `output_size` windows that cover a sequence (N, C, L) or (C, L).

    Example:
        >>> AdaptiveAvgPool1d(2)(Tensor([[1., 3., 5., 7.]])).tolist()
        [[2.0, 6.0]]
    """

    def __init__(self, output_size: int) -> None:
        super().__init__(ops.adaptive_avg_pool1d, output_size)


class AdaptiveAvgPool2d(_Adaptive):
    """The mean of each of P x Q windows that cover a plane of (N, C, H, W) or (C, H, W).

    Args:
        output_size: (P, Q), or an integer for both; None keeps the length of the input.

    Example:
        >>> AdaptiveAvgPool2d(1)(ops.ones((2, 3, 5, 7))).shape
        (2, 3, 1, 1)
    """

    def __init__(self, output_size: Any) -> None:
        super().__init__(ops.adaptive_avg_pool2d, output_size)


class AdaptiveAvgPool3d(_Adaptive):
    """The mean of each of O x P x Q windows that cover a volume of (N, C, D, H, W) or (C, D, H, W).

    Args:
        output_size: (O, P, Q), or an integer for all; None keeps the length of the input.

    Example:
        >>> AdaptiveAvgPool3d((2, 1, 2))(ops.ones((1, 4, 4, 4))).shape
        (1, 2, 1, 2)
    """

    def __init__(self, output_size: Any) -> None:
        super().__init__(ops.adaptive_avg_pool3d, output_size)


class AdaptiveMaxPool1d(_Adaptive):
    """The largest element in each of `output_size` windows that cover a sequence (N, C, L) or (C, L).

    Example:
        >>> AdaptiveMaxPool1d(2)(Tensor([[1., 3., 5., 7.]])).tolist()
        [[3.0, 7.0]]
    """

    def __init__(self, output_size: int) -> None:
        super().__init__(ops.adaptive_max_pool1d, output_size)


class AdaptiveMaxPool2d(_Adaptive):
    """The largest element in each of P x Q windows that cover a plane of (N, C, H, W) or (C, H, W).

    Args:
        output_size: see AdaptiveAvgPool2d.
        return_indices: whether the place h·W + w of each maximum is given too.

    Example:
        >>> AdaptiveMaxPool2d((1, 2))(Tensor([[[1., 2.], [3., 0.]]])).tolist()
        [[[3.0, 2.0]]]
    """

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        flag("AdaptiveMaxPool2d", "return_indices", return_indices)
        super().__init__(ops.adaptive_max_pool2d, output_size, return_indices=return_indices)


class AdaptiveMaxPool3d(_Adaptive):
    """The largest element in each of O x P x Q windows that cover a volume of (N, C, D, H, W) or (C, D, H, W).

    Args:
        output_size: see AdaptiveAvgPool3d.
        return_indices: whether the place (d·H + h)·W + w of each maximum is given too.

    Example:
        >>> AdaptiveMaxPool3d((2, 1, 2))(ops.ones((1, 4, 4, 4))).shape
        (1, 2, 1, 2)
    """

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        flag("AdaptiveMaxPool3d", "return_indices", return_indices)
        super().__init__(ops.adaptive_max_pool3d, output_size, return_indices=return_indices)


class _Fractional(Cell):
    """What both forms share: sizes and samples."""

    _axes: int
    _pool: Callable

    def __init__(
        self, kernel_size: Any, output_size: Any = None, output_ratio: Any = None, return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        name = type(self).__name__
        self.kernel_size = _single(positive_ints(name, "kernel_size", kernel_size, self._axes))
        if output_size is None and output_ratio is None:
            raise OpValueError(f"{name} needs `output_size` or `output_ratio`")
        self.output_size = None if output_size is None else positive_ints(name, "output_size", output_size, self._axes)
        self.output_ratio = output_ratio
        self.return_indices = flag(name, "return_indices", return_indices)
        self._random_samples = _random_samples

    def construct(self, input: Tensor) -> Any:
        pool = type(self)._pool
        return pool(
            input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices, self._random_samples
        )

    def extend_repr(self) -> str:
        size = f"output_size={self.output_size}" if self.output_size else f"output_ratio={self.output_ratio}"
        return f"kernel_size={self.kernel_size}, {size}"


class FractionalMaxPool2d(_Fractional):
    """The maxima of windows at random distances in planes of (N, C, H, W) or (C, H, W).

    Args:
        kernel_size: (kH, kW), or an integer for both.
        output_size: (P, Q), or an integer for both.
        output_ratio: instead of a size, shares of (H, W) in (0, 1).
        return_indices: whether the places of the maxima are given too, counted in H * W.
        _random_samples: tensor (N, C, 2) of numbers in [0, 1); drawn at each call when not given.
    Example:
        >>> FractionalMaxPool2d(2, output_size=2)(Tensor([[[1., 2., 3.], [4., 5., 6.], [7., 8., 9.]]])).tolist()
        [[[5.0, 6.0], [8.0, 9.0]]]
    """

    _axes, _pool = 2, staticmethod(ops.fractional_max_pool2d)


class FractionalMaxPool3d(_Fractional):
    """The maxima of windows at random distances in volumes of (N, C, D, H, W) or (C, D, H, W).

    Args:
        kernel_size, output_size, output_ratio, return_indices, _random_samples: as in FractionalMaxPool2d, for three axes.
    Example:
        >>> FractionalMaxPool3d(1, output_size=(1, 1, 2))(ops.arange(8.0).reshape(1, 2, 2, 2)).tolist()
        [[[[6.0, 7.0]]]]
    """

    _axes, _pool = 3, staticmethod(ops.fractional_max_pool3d)


class _LPPool(Cell):
    """What the p-norms of windows share."""

    axes = 2

    def __init__(self, op: Any, norm_type: float, kernel_size: Any, stride: Any, ceil_mode: bool) -> None:
        super().__init__()
        name = type(self).__name__
        self.norm_type = number(name, "norm_type", norm_type)
        self.kernel_size = _single(positive_ints(name, "kernel_size", kernel_size, self.axes))
        self.stride = None if stride is None else _single(positive_ints(name, "stride", stride, self.axes))
        self.ceil_mode = flag(name, "ceil_mode", ceil_mode)
        self._pool = Bound(
            op, norm_type=self.norm_type, kernel_size=self.kernel_size, stride=self.stride, ceil_mode=ceil_mode
        )

    def construct(self, x: Tensor) -> Tensor:
        return self._pool(x)

    def extend_repr(self) -> str:
        text = f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, stride={self.stride}"
        return f"{text}, ceil_mode={self.ceil_mode}"


class LPPool1d(_LPPool):
    """The p-norm (sum of x^p)^(1/p) of each window of (N, C, L) or (C, L).

    Args:
        norm_type: p, not 0.
        kernel_size: the window, an integer.
        stride: distance of windows; that of the window when None.
        ceil_mode: whether a last window may hang over the end.

    Example:
        >>> LPPool1d(2, 2)(Tensor([[3., 4., 6., 8.]])).tolist()
        [[5.0, 10.0]]
    """

    axes = 1

    def __init__(self, norm_type: float, kernel_size: int, stride: int | None = None, ceil_mode: bool = False) -> None:
        super().__init__(ops.lp_pool1d, norm_type, kernel_size, stride, ceil_mode)


class LPPool2d(_LPPool):
    """The p-norm (sum of x^p)^(1/p) of each window of (N, C, H, W) or (C, H, W).

    Args:
        norm_type, kernel_size, stride, ceil_mode: see LPPool1d; a pair for (vertical, horizontal).

    Example:
        >>> LPPool2d(2, (1, 2))(Tensor([[[3., 4.], [6., 8.]]])).tolist()
        [[[5.0], [10.0]]]
    """

    def __init__(self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> None:
        super().__init__(ops.lp_pool2d, norm_type, kernel_size, stride, ceil_mode)


class _Unpool(Cell):
    """What the inverses of maxima share: zeros, in which each maximum stands where it came from."""

    axes = 2

    def __init__(self, op: Any, kernel_size: Any, stride: Any, padding: Any) -> None:
        super().__init__()
        name = type(self).__name__
        self.kernel_size = _single(positive_ints(name, "kernel_size", kernel_size, self.axes))
        self.stride = None if stride is None else _single(positive_ints(name, "stride", stride, self.axes))
        self.padding = _single(integers(name, "padding", padding, self.axes, least=0))
        self._op = op

    def construct(self, x: Tensor, indices: Tensor, output_size: Any = None) -> Tensor:
        return self._op(x, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extend_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_Unpool):
    """Zeros in which each maximum of a MaxPool1d stands where it came from: `construct(x, indices, output_size=None)`.

    Args:
        kernel_size, stride, padding: those of the pooling.

    Example:
        >>> y, indices = nn.MaxPool1d(2, 2, return_indices=True)(Tensor([[1., 3., 7., 5.]]))
        >>> MaxUnpool1d(2)(y, indices).tolist()
        [[0.0, 3.0, 7.0, 0.0]]
    """

    axes = 1

    def __init__(self, kernel_size: int, stride: int | None = None, padding: int = 0) -> None:
        super().__init__(ops.max_unpool1d, kernel_size, stride, padding)


class MaxUnpool2d(_Unpool):
    """Zeros in which each maximum of a MaxPool2d stands where it came from: `construct(x, indices, output_size=None)`.

    Args:
        kernel_size, stride, padding: those of the pooling.

    Example:
        >>> y, indices = nn.MaxPool2d(2, 2, return_indices=True)(Tensor([[[1., 3.], [7., 5.]]]))
        >>> MaxUnpool2d(2)(y, indices).tolist()
        [[[0.0, 0.0], [7.0, 0.0]]]
    """

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__(ops.max_unpool2d, kernel_size, stride, padding)


class MaxUnpool3d(_Unpool):
    """Zeros in which each maximum of a MaxPool3d stands where it came from: `construct(x, indices, output_size=None)`.

    Args:
        kernel_size, stride, padding: those of the pooling.

    Example:
        >>> y, indices = nn.MaxPool3d(2, 2, return_indices=True)(ops.ones((1, 2, 2, 2)))
        >>> MaxUnpool3d(2)(y, indices).tolist()
        [[[[1.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]]]]
    """

    axes = 3

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__(ops.max_unpool3d, kernel_size, stride, padding)
