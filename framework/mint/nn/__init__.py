"""`mint.nn`: layers by the names and forms that PyTorch has; functional.py, the functions behind them.

A layer is that of `anfora.nn`, whose arguments are told in PyTorch's way. Those that have the same form in both are taken
as they are.
"""

from __future__ import annotations

import inspect
import math
from typing import TYPE_CHECKING, Any

from anfora import nn as layers
from anfora import ops
from anfora.core.cell import Cell
from anfora.core.dtype import float32, int64
from anfora.core.errors import OpValueError
from anfora.core.nearest import missing_in
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.mint.nn import functional as functional
from anfora.mint.nn.functional import sides, softmax_axis, written
from anfora.nn import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveAvgPool3d,
    AdaptiveMaxPool2d,
    ConstantPad1d,
    ConstantPad2d,
    ConstantPad3d,
    Flatten,
    Fold,
    Identity,
    L1Loss,
    Linear,
    LogSigmoid,
    MaxUnpool2d,
    PixelShuffle,
    ReflectionPad1d,
    ReflectionPad2d,
    ReflectionPad3d,
    ReplicationPad1d,
    ReplicationPad2d,
    ReplicationPad3d,
    Sigmoid,
    SoftMarginLoss,
    Tanh,
    Upsample,
    ZeroPad2d,
)
from anfora.nn import HShrink as Hardshrink
from anfora.nn import HSigmoid as Hardsigmoid
from anfora.nn import HSwish as Hardswish
from anfora.nn import SeLU as SELU
from anfora.nn import SoftShrink as Softshrink
from anfora.nn.checks import integer, number, positive_int, probability
from anfora.nn.initial import parameter
from anfora.ops.initializer import Normal, Uniform
from anfora.ops.unsaid import unsaid

__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "AvgPool1d",
    "AvgPool2d", "AvgPool3d", "BCELoss", "BCEWithLogitsLoss", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "Cell",
    "ConstantPad1d", "ConstantPad2d", "ConstantPad3d", "Conv1d", "Conv2d", "Conv3d", "ConvTranspose2d",
    "CosineEmbeddingLoss", "CrossEntropyLoss", "Dropout", "Dropout2d", "ELU", "Embedding", "Flatten", "Fold", "GELU",
    "GroupNorm", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh", "Identity", "KLDivLoss", "L1Loss", "LayerNorm",
    "Linear", "LogSigmoid", "LogSoftmax", "MSELoss", "MaxPool2d", "MaxUnpool2d", "Mish", "NLLLoss", "PReLU",
    "PixelShuffle", "ReLU", "ReLU6", "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d",
    "ReplicationPad2d", "ReplicationPad3d", "SELU", "SiLU", "Sigmoid", "SmoothL1Loss", "SoftMarginLoss", "Softmax",
    "Softshrink", "Tanh", "Threshold", "Unfold", "Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d", "ZeroPad1d",
    "ZeroPad2d", "ZeroPad3d", "functional",
]  # fmt: skip


# -- convolutions -----------------------------------------------------------------------------------------------------


def _convolution(base: Any) -> type:
    class Convolution(base):
        def __init__(
            self,
            in_channels: int,
            out_channels: int,
            kernel_size: Any,
            stride: Any = 1,
            padding: Any = 0,
            dilation: Any = 1,
            groups: int = 1,
            bias: bool = True,
            padding_mode: str = "zeros",
            dtype: Any = None,
        ) -> None:
            if padding_mode != "zeros":
                raise NotImplementedError(f'{base.__name__} with padding_mode={padding_mode!r}; "zeros" is there')
            super().__init__(
                in_channels, out_channels, kernel_size, stride, dilation=dilation, group=groups, has_bias=bias,
                dtype=dtype or float32, **sides(padding),
            )  # fmt: skip

    Convolution.__name__ = Convolution.__qualname__ = base.__name__
    Convolution.__doc__ = f"""`nn.{base.__name__}` in PyTorch's form; it has a bias, and pads by zeros as many as told.

    Args:
        in_channels, out_channels, kernel_size, stride, dilation: as there.
        padding: a number, one for each axis, "same" or "valid".
        groups: `group` there.
        bias: `has_bias` there.
        padding_mode: "zeros".
        dtype: of the parameters; float32 when not given.
    """
    return Convolution


Conv2d, Conv3d = map(_convolution, (layers.Conv2d, layers.Conv3d))


class Conv1d(Cell):
    """Correlate sequences with windows; see `functional.conv1d`.

    Args:
        in_channels, out_channels: channels of the input and of the output; `groups` divides both.
        kernel_size, stride, dilation: as there, numbers.
        padding: a number, "same" or "valid".
        groups: so many parts of the channels are computed apart.
        bias: whether there is one.
        padding_mode: "zeros".
        dtype: of the parameters; float32 when not given.
    Parameters:
        weight (out_channels, in_channels / groups, kernel_size), bias (out_channels,).
    Example:
        >>> conv = Conv1d(2, 3, 3)
        >>> conv.weight.shape, conv(ops.ones((1, 2, 5))).shape
        ((3, 2, 3), (1, 3, 3))
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if padding_mode != "zeros":
            raise NotImplementedError(f'Conv1d with padding_mode={padding_mode!r}; "zeros" is there')
        length = kernel_size[0] if isinstance(kernel_size, (tuple, list)) and len(kernel_size) == 1 else kernel_size
        told = (
            ("in_channels", in_channels),
            ("out_channels", out_channels),
            ("kernel_size", length),
            ("groups", groups),
        )
        inputs, outputs, length, parts = (positive_int("Conv1d", name, n) for name, n in told)
        if inputs % parts or outputs % parts:
            raise OpValueError(f"Conv1d: {parts} groups do not divide {inputs} and {outputs} channels", arg="groups")
        bound = 1 / math.sqrt(inputs // parts * length)
        shape, kind = (outputs, inputs // parts, length), dtype or float32
        self.weight = parameter("Conv1d", "weight", Uniform(bound), shape, kind)
        self.bias = parameter("Conv1d", "bias", Uniform(bound), (outputs,), kind) if bias else None
        self.given = {"stride": stride, "padding": padding, "dilation": dilation, "groups": parts}

    def construct(self, input: Tensor) -> Tensor:
        return functional.conv1d(input, self.weight, self.bias, **self.given)

    def extend_repr(self) -> str:
        return ", ".join([str(self.weight.shape), *(f"{name}={value!r}" for name, value in self.given.items())])


class ConvTranspose2d(layers.Conv2dTranspose):
    """`nn.Conv2dTranspose` in PyTorch's form; it has a bias.

    Args:
        in_channels, out_channels, kernel_size, stride, output_padding, dilation: as there.
        padding: rows and columns that are cut off: a number or (vertical, horizontal).
        groups, bias: `group` and `has_bias` there.
        padding_mode: "zeros".
        dtype: of the parameters; float32 when not given.
    Example:
        >>> ConvTranspose2d(1, 2, 3, stride=2)(ops.ones((1, 1, 2, 2))).shape
        (1, 2, 5, 5)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        dtype: Any = None,
    ) -> None:
        if padding_mode != "zeros":
            raise NotImplementedError(f'ConvTranspose2d with padding_mode={padding_mode!r}; "zeros" is there')
        super().__init__(
            in_channels, out_channels, kernel_size, stride, output_padding=output_padding, dilation=dilation, group=groups,
            has_bias=bias, dtype=dtype or float32, **sides(padding),
        )  # fmt: skip


# -- normalisation ----------------------------------------------------------------------------------------------------


class _BatchNorm(Cell):
    axes: tuple[int, ...] = ()  #: how many axes an input may have

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        shape, kind = (positive_int(name, "num_features", num_features),), dtype or float32
        self.num_features, self.eps = num_features, number(name, "eps", eps)
        self.momentum = None if momentum is None else probability(name, "momentum", momentum)
        self.affine, self.track_running_stats = affine, track_running_stats
        self.weight = self.bias = self.running_mean = self.running_var = self.num_batches_tracked = None
        if affine:
            self.weight = parameter(name, "weight", "ones", shape, kind)
            self.bias = parameter(name, "bias", "zeros", shape, kind)
        if track_running_stats:
            self.running_mean = parameter(name, "running_mean", "zeros", shape, kind, requires_grad=False)
            self.running_var = parameter(name, "running_var", "ones", shape, kind, requires_grad=False)
            self.num_batches_tracked = Parameter(Tensor(0, int64), name="num_batches_tracked", requires_grad=False)

    def construct(self, input: Tensor) -> Tensor:
        if input.ndim not in self.axes:
            need = " or ".join(map(str, self.axes))
            raise OpValueError(f"{type(self).__name__} needs a tensor of {need} axes, but got the shape {input.shape}")
        momentum = self.momentum
        if self.training and self.num_batches_tracked is not None:
            ops.assign_add(self.num_batches_tracked, 1)
            if momentum is None:  # the mean of all batches
                momentum = 1.0 / self.num_batches_tracked.item()
        training = self.training or self.running_mean is None
        y = ops.batch_norm(
            input, self.running_mean, self.running_var, self.weight, self.bias, training,
            0.0 if momentum is None else momentum, self.eps,
        )  # fmt: skip
        return y if training or self._training_is_said else unsaid(y, type(self).__name__)

    def extend_repr(self) -> str:
        return f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}"


def _batch_norm(name: str, axes: tuple[int, ...], what: str) -> type:
    class BatchNorm(_BatchNorm):
        pass

    BatchNorm.axes, BatchNorm.__name__, BatchNorm.__qualname__ = axes, name, name
    BatchNorm.__doc__ = f"""Each channel of {what} is normalised over all examples; see `functional.batch_norm`.

    Args:
        num_features: the number C of channels.
        eps: is added to the variance.
        momentum: how far the running moments move, in [0, 1]; None: they are the means over all batches.
        affine: whether there are a weight and a bias.
        track_running_stats: without it the moments of each batch are used, in inference too.
        dtype: of the parameters; float32 when not given.
    Parameters:
        weight, bias (C,); running_mean, running_var (C,) and num_batches_tracked, an int64, which are not trained.
    """
    return BatchNorm


BatchNorm1d = _batch_norm("BatchNorm1d", (2, 3), "(N, C) or (N, C, L)")
BatchNorm2d = _batch_norm("BatchNorm2d", (4,), "(N, C, H, W)")
BatchNorm3d = _batch_norm("BatchNorm3d", (5,), "(N, C, D, H, W)")


class GroupNorm(Cell):
    """Groups of neighbouring channels are normalised in each example; see `functional.group_norm`.

    Args:
        num_groups: divides `num_channels`, the number C of channels.
        eps: is added to the variance.
        affine: whether weight and bias are trained.
        dtype: of the parameters; float32 when not given.
    Parameters:
        weight, bias (C,).
    Example:
        >>> GroupNorm(2, 4)(ops.ones((1, 4, 3))).shape
        (1, 4, 3)
    """

    def __init__(
        self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True, dtype: Any = None
    ) -> None:
        super().__init__()
        groups = positive_int("GroupNorm", "num_groups", num_groups)
        if positive_int("GroupNorm", "num_channels", num_channels) % groups:
            raise OpValueError(f"GroupNorm: {groups} groups do not divide {num_channels} channels", arg="num_groups")
        self.num_groups, self.eps, self.affine = groups, number("GroupNorm", "eps", eps), affine
        shape, kind = (num_channels,), dtype or float32
        self.weight = parameter("GroupNorm", "weight", "ones", shape, kind, requires_grad=affine)
        self.bias = parameter("GroupNorm", "bias", "zeros", shape, kind, requires_grad=affine)

    def construct(self, input: Tensor) -> Tensor:
        return ops.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extend_repr(self) -> str:
        return f"{self.num_groups}, {self.weight.shape[0]}, eps={self.eps}, affine={self.affine}"


class LayerNorm(Cell):
    """Each example is normalised over its last axes, those of `normalized_shape`.

    Args:
        normalized_shape: the lengths of these axes: a tuple, a list, or an integer for the last axis alone.
        eps: is added to the variance.
        elementwise_affine: whether there are a weight and a bias.
        bias: whether there is a bias beside the weight.
        dtype: of the parameters; float32 when not given.
    Parameters:
        weight, bias (*normalized_shape).
    Example:
        >>> LayerNorm(2, elementwise_affine=False)(Tensor([[1., 3.]])).asnumpy().round(3).tolist()
        [[-1.0, 1.0]]
    """

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        given = normalized_shape if isinstance(normalized_shape, (tuple, list)) else (normalized_shape,)
        self.normalized_shape = tuple(positive_int("LayerNorm", "normalized_shape", n) for n in given)
        self.eps, self.elementwise_affine = number("LayerNorm", "eps", eps), elementwise_affine
        kind = dtype or float32
        self.weight = self.bias = None
        if elementwise_affine:
            self.weight = parameter("LayerNorm", "weight", "ones", self.normalized_shape, kind)
            if bias:
                self.bias = parameter("LayerNorm", "bias", "zeros", self.normalized_shape, kind)

    def construct(self, input: Tensor) -> Tensor:
        return ops.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extend_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


# -- embeddings -------------------------------------------------------------------------------------------------------


class Embedding(Cell):
    """Rows of a table that indices name; see `functional.embedding`.

    Args:
        num_embeddings, embedding_dim: numbers of rows and columns.
        padding_idx: a row, also counted from the end, that begins with zeros and gets no gradient.
        max_norm, norm_type, scale_grad_by_freq: see `functional.embedding`.
        sparse: only False.
        dtype: of the table; float32 when not given.
    Parameters:
        weight (num_embeddings, embedding_dim), normally distributed.
    Example:
        >>> Embedding(10, 3)(Tensor([[1, 2]])).shape
        (1, 2, 3)
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if sparse:
            raise NotImplementedError("Embedding with sparse=True: gradients of tables are dense")
        shape = tuple(
            positive_int("Embedding", name, n)
            for name, n in (("num_embeddings", num_embeddings), ("embedding_dim", embedding_dim))
        )
        self.weight = parameter("Embedding", "weight", Normal(1.0), shape, dtype or float32)
        if padding_idx is not None:
            if not -num_embeddings <= integer("Embedding", "padding_idx", padding_idx) < num_embeddings:
                raise OpValueError(
                    f"Embedding: `padding_idx` must be in [{-num_embeddings}, {num_embeddings}), but got {padding_idx}",
                    arg="padding_idx",
                )
            padding_idx %= num_embeddings
            self.weight.asnumpy()[padding_idx] = 0
        self.given = {
            "padding_idx": padding_idx, "max_norm": max_norm, "norm_type": norm_type,
            "scale_grad_by_freq": scale_grad_by_freq,
        }  # fmt: skip

    def construct(self, input: Tensor) -> Tensor:
        return ops.embedding(input, self.weight, **self.given)

    def extend_repr(self) -> str:
        return f"{', '.join(map(str, self.weight.shape))}, padding_idx={self.given['padding_idx']}"


# -- pooling ----------------------------------------------------------------------------------------------------------


class _Function(Cell):
    """A layer without parameters: a function and what it is called with beside the input."""

    def __init__(self, function: Any, **given: Any) -> None:
        super().__init__()
        self.function, self.given = function, given

    def construct(self, input: Tensor) -> Any:
        return self.function(input, **self.given)

    def extend_repr(self) -> str:
        return ", ".join(f"{name}={value!r}" for name, value in self.given.items())


class MaxPool2d(_Function):
    """The largest element in each window; see `functional.max_pool2d`."""

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__(
            functional.max_pool2d, kernel_size=kernel_size, stride=stride, padding=padding, dilation=dilation,
            ceil_mode=ceil_mode, return_indices=return_indices,
        )  # fmt: skip


class AvgPool1d(_Function):
    """The mean in each window of sequences; see `ops.avg_pool1d`."""

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__(
            ops.avg_pool1d, kernel_size=kernel_size, stride=kernel_size if stride is None else stride, padding=padding,
            ceil_mode=ceil_mode, count_include_pad=count_include_pad,
        )  # fmt: skip


def _avg_pool(function: Any, name: str, what: str) -> type:
    class AvgPool(_Function):
        def __init__(
            self,
            kernel_size: Any,
            stride: Any = None,
            padding: Any = 0,
            ceil_mode: bool = False,
            count_include_pad: bool = True,
            divisor_override: int | None = None,
        ) -> None:
            super().__init__(
                function, kernel_size=kernel_size, stride=kernel_size if stride is None else stride, padding=padding,
                ceil_mode=ceil_mode, count_include_pad=count_include_pad, divisor_override=divisor_override or 0,
            )  # fmt: skip

    AvgPool.__name__ = AvgPool.__qualname__ = name
    AvgPool.__doc__ = f"The mean in each window of {what}; see `ops.{function.__name__}`."
    return AvgPool


AvgPool2d = _avg_pool(ops.avg_pool2d, "AvgPool2d", "images")
AvgPool3d = _avg_pool(ops.avg_pool3d, "AvgPool3d", "volumes")


class AdaptiveMaxPool1d(_Function):
    """The largest element in each of some parts of sequences; see `functional.adaptive_max_pool1d`."""

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(functional.adaptive_max_pool1d, output_size=output_size, return_indices=return_indices)


# -- activations ------------------------------------------------------------------------------------------------------


def _activation(name: str, function: Any, **defaults: Any) -> type:
    """A layer whose arguments are those of a function, and `inplace`."""
    order = tuple(defaults)

    class Layer(_Function):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            given = {**defaults, **dict(zip(order, args)), **kwargs}
            inplace = given.pop("inplace", False)
            super().__init__(function, **given)
            self.inplace = inplace

        def construct(self, input: Tensor) -> Tensor:
            return written(input, self.function(input, **self.given), self.inplace)

    Layer.__name__ = Layer.__qualname__ = name
    form = ", ".join(f"{key}={value!r}" for key, value in defaults.items())
    Layer.__doc__ = f"`ops.{function.__name__}` as a layer: {name}({form})."
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(key, kind, default=value) for key, value in defaults.items()]
    Layer.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return Layer


ReLU = _activation("ReLU", ops.relu)
ReLU6 = _activation("ReLU6", ops.relu6, inplace=False)
SiLU = _activation("SiLU", ops.silu, inplace=False)
Mish = _activation("Mish", ops.mish)
ELU = _activation("ELU", ops.elu, alpha=1.0, inplace=False)
Hardtanh = _activation("Hardtanh", ops.hardtanh, min_val=-1.0, max_val=1.0, inplace=False)


class Threshold(_Function):
    """The elements above a threshold, and a value in the place of others; see `functional.threshold`."""

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__(functional.threshold, threshold=threshold, value=value, inplace=inplace)


class GELU(_Function):
    """x Φ(x), with Φ the distribution function of the normal distribution; see `functional.gelu`.

    Args:
        approximate: "none", or "tanh" for a form of it by tanh.
    Example:
        >>> GELU()(Tensor([0., 1.])).tolist()
        [0.0, 0.8413447141647339]
    """

    def __init__(self, approximate: str = "none") -> None:
        if approximate not in ("none", "tanh"):
            raise OpValueError(
                f'GELU needs "none" or "tanh" for `approximate`, but got {approximate!r}', arg="approximate"
            )
        super().__init__(ops.gelu, approximate=approximate)


class Softmax(Cell):
    """Positive numbers that sum to one along `dim`; see `functional.softmax`."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def construct(self, input: Tensor) -> Tensor:
        return ops.softmax(input, softmax_axis(input, self.dim))


class LogSoftmax(Softmax):
    """The logarithm of `Softmax`."""

    def construct(self, input: Tensor) -> Tensor:
        return ops.log_softmax(input, softmax_axis(input, self.dim))


class PReLU(Cell):
    """x where it is positive, weight · x elsewhere; see `functional.prelu`.

    Args:
        num_parameters: slopes, one for all channels or one for each.
        init: what they begin at.
        dtype: of the slopes; float32 when not given.
    Parameters:
        weight (num_parameters,).
    Example:
        >>> PReLU()(Tensor([-4., 2.])).tolist()
        [-1.0, 2.0]
    """

    def __init__(self, num_parameters: int = 1, init: float = 0.25, dtype: Any = None) -> None:
        super().__init__()
        shape = (positive_int("PReLU", "num_parameters", num_parameters),)
        self.weight = parameter("PReLU", "weight", number("PReLU", "init", init), shape, dtype or float32)

    def construct(self, input: Tensor) -> Tensor:
        return ops.prelu(input, self.weight)

    def extend_repr(self) -> str:
        return f"num_parameters={self.weight.shape[0]}"


# -- others -----------------------------------------------------------------------------------------------------------


class Dropout(_Function):
    """Zeros in random places while it is trained, the rest larger in proportion."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__(functional.dropout, p=p, inplace=inplace)

    def construct(self, input: Tensor) -> Tensor:
        return self.function(input, training=self.training, **self.given)


class Dropout2d(Dropout):
    """Zeros for random channels while it is trained, the rest larger in proportion."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__(p, inplace)
        self.function = functional.dropout2d


class Unfold(_Function):
    """Windows of images as columns; see `ops.unfold`."""

    def __init__(self, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> None:
        super().__init__(ops.unfold, kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)


class UpsamplingNearest2d(_Function):
    """Images enlarged by repetition; see `ops.interpolate`."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(ops.interpolate, size=size, scale_factor=scale_factor, mode="nearest")


class UpsamplingBilinear2d(_Function):
    """Images enlarged by lines between pixels, whose corners stay where they are; see `ops.interpolate`."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(ops.interpolate, size=size, scale_factor=scale_factor, mode="bilinear", align_corners=True)


class _ZeroPad(_Function):
    _axes = 1

    def __init__(self, padding: Any) -> None:
        numbers = [padding] * (2 * self._axes) if isinstance(padding, int) else list(padding)
        super().__init__(ops.pad, padding=numbers)


class ZeroPad1d(_ZeroPad):
    """Zeros around sequences: a number, or (left, right)."""


class ZeroPad3d(_ZeroPad):
    """Zeros around volumes: a number, or (left, right, top, bottom, front, back)."""

    _axes = 3


def _named(base: Any) -> type:
    """A loss of `anfora.nn`, whose call names its tensors `input` and `target`."""

    class Loss(base):
        def construct(self, input: Tensor, target: Tensor) -> Tensor:
            return super().construct(input, target)

    Loss.__name__ = Loss.__qualname__ = base.__name__
    Loss.__doc__ = base.__doc__
    return Loss


BCELoss, CrossEntropyLoss = _named(layers.BCELoss), _named(layers.CrossEntropyLoss)
MSELoss, NLLLoss = _named(layers.MSELoss), _named(layers.NLLLoss)


class CosineEmbeddingLoss(layers.CosineEmbeddingLoss):
    """`nn.CosineEmbeddingLoss`, whose call names its tensors `input1`, `input2` and `target`."""

    def construct(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return super().construct(input1, input2, target)


class _Loss(Cell):
    """A function of input and target, and what it is called with beside."""

    def __init__(self, function: Any, **given: Any) -> None:
        super().__init__()
        self.function, self.given = function, given

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        return self.function(input, target, **self.given)


class BCEWithLogitsLoss(_Loss):
    """The cross entropy of targets and sigmoid(input); see `functional.binary_cross_entropy_with_logits`."""

    def __init__(self, weight: Any = None, reduction: str = "mean", pos_weight: Any = None) -> None:
        super().__init__(
            functional.binary_cross_entropy_with_logits, weight=weight, reduction=reduction, pos_weight=pos_weight
        )


class KLDivLoss(_Loss):
    """The divergence of distributions; see `functional.kl_div`."""

    def __init__(self, reduction: str = "mean", log_target: bool = False) -> None:
        super().__init__(functional.kl_div, reduction=reduction, log_target=log_target)


class SmoothL1Loss(_Loss):
    """Squares of small differences, magnitudes of large ones; see `ops.smooth_l1_loss`."""

    def __init__(self, reduction: str = "mean", beta: float = 1.0) -> None:
        super().__init__(ops.smooth_l1_loss, beta=beta, reduction=reduction)


if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)
