"""A layer, its normalisation and its activation as one Cell."""

from __future__ import annotations

from typing import Any

from anfora import ops
from anfora.core.cell import Cell
from anfora.core.dtype import float32
from anfora.core.errors import OpTypeError
from anfora.core.tensor import Tensor
from anfora.nn.activation import LeakyReLU, activation_of
from anfora.nn.basic import Dense
from anfora.nn.checks import flag
from anfora.nn.conv import Conv2d
from anfora.nn.normalization import BatchNorm1d, BatchNorm2d

__all__ = ["Conv2dBnAct", "DenseBnAct", "TimeDistributed"]


def _activation(owner: str, activation: Any, alpha: float) -> Any:
    return LeakyReLU(alpha) if activation == "leakyrelu" else activation_of(owner, activation)


class Conv2dBnAct(Cell):
    """Convolution, batch normalisation and activation, of which the last two may be absent.

    Args:
        in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias, weight_init,
            bias_init: see Conv2d.
        has_bn: whether there is a batch normalisation.
        momentum, eps: see BatchNorm2d.
        activation: a name, a Cell or a function; `alpha` is the slope of "leakyrelu".
        after_fake: accepted for MindSpore programs; no effect here.
    Children:
        conv, batchnorm, activation.

    Example:
        >>> Conv2dBnAct(3, 8, 3, has_bn=True, activation="relu")(ops.ones((1, 3, 16, 16))).shape
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
        dilation: Any = 1,
        group: int = 1,
        has_bias: bool = False,
        weight_init: Any = "normal",
        bias_init: Any = "zeros",
        has_bn: bool = False,
        momentum: float = 0.997,
        eps: float = 1e-5,
        activation: Any = None,
        alpha: float = 0.2,
        after_fake: bool = True,
    ) -> None:
        super().__init__()
        self.conv = Conv2d(
            in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias, weight_init,
            bias_init,
        )  # fmt: skip
        self.has_bn = flag("Conv2dBnAct", "has_bn", has_bn)
        self.batchnorm = BatchNorm2d(out_channels, eps, momentum) if has_bn else None
        self.activation = _activation("Conv2dBnAct", activation, alpha)

    def construct(self, x: Tensor) -> Tensor:
        x = self.conv(x)
        if self.batchnorm is not None:
            x = self.batchnorm(x)
        return x if self.activation is None else self.activation(x)


class DenseBnAct(Cell):
    """A dense layer, batch normalisation and activation, of which the last two may be absent.

    Args:
        in_channels, out_channels, weight_init, bias_init, has_bias: see Dense.
        has_bn: whether there is a batch normalisation.
        momentum, eps: see BatchNorm1d.
        activation: a name, a Cell or a function; `alpha` is the slope of "leakyrelu".
        after_fake: accepted for MindSpore programs; no effect here.
    Children:
        dense, batchnorm, activation.

    Example:
        >>> DenseBnAct(3, 4, activation="relu")(ops.ones((2, 3))).shape
        (2, 4)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        weight_init: Any = "normal",
        bias_init: Any = "zeros",
        has_bias: bool = True,
        has_bn: bool = False,
        momentum: float = 0.9,
        eps: float = 1e-5,
        activation: Any = None,
        alpha: float = 0.2,
        after_fake: bool = True,
    ) -> None:
        super().__init__()
        self.dense = Dense(in_channels, out_channels, weight_init, bias_init, has_bias, dtype=float32)
        self.has_bn = flag("DenseBnAct", "has_bn", has_bn)
        self.batchnorm = BatchNorm1d(out_channels, eps, momentum) if has_bn else None
        self.activation = _activation("DenseBnAct", activation, alpha)

    def construct(self, x: Tensor) -> Tensor:
        x = self.dense(x)
        if self.batchnorm is not None:
            x = self.batchnorm(x)
        return x if self.activation is None else self.activation(x)


class TimeDistributed(Cell):
    """A layer applied to every step of a sequence.

    Args:
        layer: a Cell or function from (N, …) to (N, …).
        time_axis: the axis of the steps.
        reshape_with_axis: accepted for MindSpore programs: steps are made examples, which gives the same.
    Input, output:
        (N, …) with steps along `time_axis`, before and after.

    Example:
        >>> TimeDistributed(nn.Dense(3, 5), 1)(ops.ones((4, 7, 3))).shape
        (4, 7, 5)
    """

    def __init__(self, layer: Any, time_axis: int, reshape_with_axis: int | None = None) -> None:
        super().__init__()
        if not callable(layer):
            raise OpTypeError(f"TimeDistributed needs a Cell or function, but got {type(layer).__name__}", arg="layer")
        self.layer = layer
        self.time_axis = time_axis

    def construct(self, inputs: Tensor) -> Tensor:
        x = ops.moveaxis(inputs, self.time_axis, 0)
        y = self.layer(x.reshape((x.shape[0] * x.shape[1], *x.shape[2:])))
        return ops.moveaxis(y.reshape((*x.shape[:2], *y.shape[1:])), 0, self.time_axis)
