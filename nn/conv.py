"""Convolutions as layers. `anfora.ops.convolution` has the formulas.

Weights begin uniform within ± 1 / √fan_in, as do biases; fan_in is the product of the axes of the weight behind the first.
Those of one-dimensional layers have an axis of length 1 more, as MindSpore's checkpoints have it; `weight_init` comes
without.
"""

from __future__ import annotations

import math
from typing import Any

from anfora import ops
from anfora.core.cell import Cell
from anfora.core.dtype import float32
from anfora.core.errors import OpValueError
from anfora.core.tensor import Tensor
from anfora.nn import initial
from anfora.nn.checks import choice, flag, integers, positive_int, positive_ints
from anfora.ops.bound import Bound
from anfora.ops.windows import same_padding

__all__ = ["Conv1d", "Conv1dTranspose", "Conv2d", "Conv2dTranspose", "Conv3d", "Conv3dTranspose"]


class _Conv(Cell):
    """What all convolutions share, those of programs too: hyperparameters and their checks, weight and bias."""

    axes = 2  #: axes of a window
    is_transposed = False

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any,
        pad_mode: str,
        padding: Any,
        dilation: Any,
        group: int,
        has_bias: bool,
        weight_init: Any,
        bias_init: Any,
        data_format: str = "",
        transposed: bool = False,
        dtype: Any = float32,
    ) -> None:
        super().__init__()
        name, axes = type(self).__name__, self.axes
        self.in_channels = positive_int(name, "in_channels", in_channels)
        self.out_channels = positive_int(name, "out_channels", out_channels)
        self.kernel_size = positive_ints(name, "kernel_size", kernel_size, axes)
        self.stride = positive_ints(name, "stride", stride, axes)
        self.dilation = positive_ints(name, "dilation", dilation, axes)
        self.pad_mode = choice(name, "pad_mode", pad_mode, ("same", "valid", "pad"))
        numbers = integers(name, "padding", padding, (axes, 2 * axes), least=0)
        self.padding = padding if isinstance(padding, int) else numbers
        if any(numbers) and pad_mode != "pad":
            raise OpValueError(
                f"{name}: `padding` must be 0 when `pad_mode` is {pad_mode!r}, but got {padding!r}",
                arg="padding",
                help="pad_mode='pad' pads by a given number.",
            )
        self.group = positive_int(name, "group", group)
        if in_channels % group or out_channels % group:
            raise OpValueError(
                f"{name}: `group` must divide the {in_channels} input and {out_channels} output channels, but got {group}",
                arg="group",
            )
        if data_format and choice(name, "data_format", data_format, _FORMATS[axes]) != _FORMATS[axes][0]:
            raise NotImplementedError(
                f"{name}: there are no kernels for the layout {data_format}; use {_FORMATS[axes][0]}"
            )
        self.has_bias = flag(name, "has_bias", has_bias)
        first, second = (in_channels, out_channels) if self.is_transposed or transposed else (out_channels, in_channels)
        shape = (first, second // group, *((1,) if axes == 1 else ()), *self.kernel_size)
        if axes == 1 and isinstance(weight_init, Tensor) and weight_init.shape == (*shape[:2], *shape[3:]):
            weight_init = weight_init.expand_dims(2)
        self.weight = initial.weight(name, weight_init, shape, dtype)
        fan_in = math.prod(shape[1:])
        self.bias = initial.bias(name, bias_init, out_channels, fan_in, dtype) if has_bias else None

    def extend_repr(self) -> str:
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, kernel_size={self.kernel_size}, "
            f"stride={self.stride}, pad_mode={self.pad_mode}, padding={self.padding}, dilation={self.dilation}, "
            f"group={self.group}, has_bias={self.has_bias}"
        )


_FORMATS = {2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


class Conv2d(_Conv):
    """Convolution of images (N, C, H, W).

    Args:
        in_channels, out_channels: numbers of channels.
        kernel_size, stride, dilation: an integer, or (vertical, horizontal).
        pad_mode: "same": zeros around the image so that the result has ceil(H / stride) rows; "valid": none; "pad":
            `padding`.
        padding: zeros around the image: an integer, (vertical, horizontal), or (top, bottom, left, right).
        group: the channels are cut into so many parts, each of which sees its own part of the input.
        has_bias: whether there is a bias.
        weight_init, bias_init: see `initializer`; the head of this module has the default.
        data_format: "NCHW".
        dtype: of the parameters.
    Parameters:
        weight (out_channels, in_channels / group, *kernel_size), bias (out_channels,).

    Example:
        >>> x = ops.zeros((1, 3, 32, 32))
        >>> Conv2d(3, 8, 3)(x).shape, Conv2d(3, 8, 5, pad_mode="valid")(x).shape
        ((1, 8, 32, 32), (1, 8, 28, 28))
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        pad_mode: str = "same",
        padding: Any = 0,
        dilation: Any = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        data_format: str = "NCHW",
        dtype: Any = float32,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias, weight_init,
            bias_init, data_format, dtype=dtype,
        )  # fmt: skip
        self._conv = Bound(
            ops.conv2d,
            stride=self.stride,
            pad_mode=pad_mode,
            padding=self.padding,
            dilation=self.dilation,
            groups=group,
        )

    def construct(self, x: Tensor) -> Tensor:
        return self._conv(x, self.weight, self.bias)


class Conv1d(_Conv):
    """Convolution of sequences (N, C, L).

    Args:
        in_channels, out_channels: numbers of channels.
        kernel_size, stride, dilation: integers.
        padding: zeros at both ends, an integer or (in front, behind), with pad_mode "pad".
        pad_mode, group, has_bias, weight_init, bias_init, dtype: see Conv2d.
    Parameters:
        weight (out_channels, in_channels / group, 1, kernel_size), bias (out_channels,).

    Example:
        >>> Conv1d(3, 8, 3)(ops.ones((2, 3, 16))).shape
        (2, 8, 16)
    """

    axes = 1

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int,
        stride: int = 1,
        pad_mode: str = "same",
        padding: Any = 0,
        dilation: int = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        dtype: Any = float32,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias, weight_init,
            bias_init, dtype=dtype,
        )  # fmt: skip
        self._conv = Bound(
            ops.conv2d,
            stride=(1, *self.stride),
            pad_mode=pad_mode,
            padding=(0, 0, *_ends(self.padding)),
            dilation=(1, *self.dilation),
            groups=group,
        )

    def construct(self, x: Tensor) -> Tensor:
        _check_sequence("Conv1d", x)
        return ops.squeeze(self._conv(ops.expand_dims(x, 2), self.weight, self.bias), 2)


def _ends(padding: Any) -> tuple[int, int]:
    """Padding in front and behind."""
    items = (padding,) if isinstance(padding, int) else padding
    return (*items, *items)[:2]


def _check_sequence(owner: str, x: Tensor) -> None:
    if x.ndim != 3:
        raise OpValueError(f"{owner} needs sequences (N, C, L), but got a tensor of shape {x.shape}")


class Conv3d(_Conv):
    """Convolution of volumes (N, C, D, H, W).

    Args:
        in_channels, out_channels: numbers of channels.
        kernel_size, stride, dilation: an integer, or three.
        padding: an integer, three, or (head, tail, top, bottom, left, right), with pad_mode "pad".
        data_format: "NCDHW".
        pad_mode, group, has_bias, weight_init, bias_init, dtype: see Conv2d.
    Parameters:
        weight (out_channels, in_channels / group, *kernel_size), bias (out_channels,).

    Example:
        >>> Conv3d(3, 8, 3)(ops.ones((1, 3, 4, 8, 8))).shape
        (1, 8, 4, 8, 8)
    """

    axes = 3

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        pad_mode: str = "same",
        padding: Any = 0,
        dilation: Any = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        data_format: str = "NCDHW",
        dtype: Any = float32,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias, weight_init,
            bias_init, data_format, dtype=dtype,
        )  # fmt: skip
        self._conv = Bound(
            ops.conv3d,
            stride=self.stride,
            pad_mode=pad_mode,
            padding=self.padding,
            dilation=self.dilation,
            groups=group,
        )

    def construct(self, x: Tensor) -> Tensor:
        return self._conv(x, self.weight, self.bias)


# -- transposed -------------------------------------------------------------------------------------------------------


class _Transposed(_Conv):
    """What transposed convolutions share: the padding that `pad_mode` stands for."""

    is_transposed = True
    output_padding: tuple[int, ...]

    def _read_output_padding(self, given: Any) -> None:
        name = type(self).__name__
        self.output_padding = integers(name, "output_padding", given, self.axes, least=0)
        if any(self.output_padding) and self.pad_mode != "pad":
            raise OpValueError(f"{name}: `output_padding` needs pad_mode='pad', but got {self.pad_mode!r}")

    def _fit(self, sizes: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Padding in front of and behind each axis, and output padding, for images of these sizes."""
        axes = self.axes
        if self.pad_mode == "pad":
            given = (self.padding,) * axes if isinstance(self.padding, int) else self.padding
            return given if len(given) == 2 * axes else tuple(n for n in given for _ in range(2)), self.output_padding
        padding: list[int] = []
        extra: list[int] = []
        for size, window, stride, dilation in zip(sizes, self.kernel_size, self.stride, self.dilation):
            ends = same_padding(size * stride, window, stride, dilation) if self.pad_mode == "same" else (0, 0)
            reach = dilation * (window - 1) + 1
            padding += ends
            extra.append(max(stride - reach, 0))  # the result has stride · size rows at least
        return tuple(padding), tuple(extra)


class Conv2dTranspose(_Transposed):
    """Transposed convolution of images: the gradient of Conv2d to its input, applied to (N, C, H, W).

    Args:
        in_channels, out_channels: numbers of channels.
        kernel_size, stride, dilation: an integer, or (vertical, horizontal).
        pad_mode: "same": stride · H rows; "valid": all, dilation (kernel - 1) + 1 + (H - 1) stride rows, and at least
            stride · H; "pad": fewer by `padding`, more by `output_padding`.
        padding: rows and columns that are cut off: an integer, (vertical, horizontal), or (top, bottom, left, right).
        output_padding: rows and columns that are added at the end, less than `stride`.
        group, has_bias, weight_init, bias_init, dtype: see Conv2d.
    Parameters:
        weight (in_channels, out_channels / group, *kernel_size), bias (out_channels,).

    Example:
        >>> Conv2dTranspose(3, 8, 4, stride=2)(ops.ones((1, 3, 8, 8))).shape
        (1, 8, 16, 16)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        pad_mode: str = "same",
        padding: Any = 0,
        output_padding: Any = 0,
        dilation: Any = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        dtype: Any = float32,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias, weight_init,
            bias_init, dtype=dtype,
        )  # fmt: skip
        self._read_output_padding(output_padding)

    def construct(self, x: Tensor) -> Tensor:
        padding, extra = self._fit(x.shape[2:])
        return ops.conv_transpose2d(x, self.weight, self.bias, self.stride, padding, extra, self.group, self.dilation)


class Conv1dTranspose(_Transposed):
    """Transposed convolution of sequences (N, C, L).

    Args:
        in_channels, out_channels: numbers of channels.
        kernel_size, stride, dilation: integers.
        pad_mode, padding: see Conv2dTranspose; padding is an integer or (in front, behind).
        group, has_bias, weight_init, bias_init, dtype: see Conv2d.
    Parameters:
        weight (in_channels, out_channels / group, 1, kernel_size), bias (out_channels,).

    Example:
        >>> Conv1dTranspose(3, 8, 4, stride=2)(ops.ones((2, 3, 16))).shape
        (2, 8, 32)
    """

    axes = 1

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int,
        stride: int = 1,
        pad_mode: str = "same",
        padding: Any = 0,
        dilation: int = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        dtype: Any = float32,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias, weight_init,
            bias_init, dtype=dtype,
        )  # fmt: skip
        self._read_output_padding(0)

    def construct(self, x: Tensor) -> Tensor:
        _check_sequence("Conv1dTranspose", x)
        padding, extra = self._fit(x.shape[2:])
        y = ops.conv_transpose2d(
            ops.expand_dims(x, 2), self.weight, self.bias, (1, *self.stride), (0, 0, *padding), (0, *extra), self.group,
            (1, *self.dilation),
        )  # fmt: skip
        return ops.squeeze(y, 2)


class Conv3dTranspose(_Transposed):
    """Transposed convolution of volumes (N, C, D, H, W).

    It is a convolution of the volume with zeros between its elements, by the windows turned round.

    Args:
        in_channels, out_channels: numbers of channels.
        kernel_size, stride, dilation: an integer, or three.
        pad_mode, padding, output_padding: see Conv2dTranspose; padding is an integer, three, or (head, tail, top, bottom,
            left, right).
        group, has_bias, weight_init, bias_init, data_format, dtype: see Conv3d.
    Parameters:
        weight (in_channels, out_channels / group, *kernel_size), bias (out_channels,).

    Example:
        >>> Conv3dTranspose(3, 8, 4, stride=2)(ops.ones((1, 3, 2, 4, 4))).shape
        (1, 8, 4, 8, 8)
    """

    axes = 3

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        pad_mode: str = "same",
        padding: Any = 0,
        dilation: Any = 1,
        group: int = 1,
        output_padding: Any = 0,
        has_bias: bool = False,
        weight_init: Any = None,
        bias_init: Any = None,
        data_format: str = "NCDHW",
        dtype: Any = float32,
    ) -> None:
        super().__init__(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias, weight_init,
            bias_init, data_format, dtype=dtype,
        )  # fmt: skip
        self._read_output_padding(output_padding)

    def construct(self, x: Tensor) -> Tensor:
        if x.ndim != 5 or x.shape[1] != self.in_channels:
            raise OpValueError(
                f"Conv3dTranspose needs volumes (N, {self.in_channels}, D, H, W), but got a tensor of shape {x.shape}"
            )
        padding, extra = self._fit(x.shape[2:])
        for axis, step in enumerate(self.stride, 2):
            if step > 1:
                x = _spread(x, axis, step)
        around = []
        for i, (window, spread) in enumerate(zip(self.kernel_size, self.dilation)):
            reach = spread * (window - 1)
            around.append((reach - padding[2 * i], reach - padding[2 * i + 1] + extra[i]))
        x = ops.pad(x, [n for ends in reversed(around) for n in ends])
        groups, first, second = self.group, self.in_channels // self.group, self.out_channels // self.group
        turned = ops.flip(self.weight, (2, 3, 4)).reshape((groups, first, second, *self.kernel_size))
        weight = ops.swapaxes(turned, 1, 2).reshape((self.out_channels, first, *self.kernel_size))
        return ops.conv3d(x, weight, self.bias, 1, "valid", 0, self.dilation, groups)


def _spread(x: Tensor, axis: int, step: int) -> Tensor:
    """The tensor with step - 1 zeros between neighbours along an axis."""
    shape = x.shape
    x = ops.pad(ops.expand_dims(x, axis + 1), (0, 0) * (x.ndim - axis - 1) + (0, step - 1))
    x = x.reshape((*shape[:axis], shape[axis] * step, *shape[axis + 1 :]))
    return ops.narrow(x, axis, 0, (shape[axis] - 1) * step + 1)
