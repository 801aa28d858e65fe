"""Gradients of operators as classes, as MindSpore programs call them in a `bprop` of their own: `G.ReluGrad()(dy, y)`.

Some are an operator of ours; the others are what the tape gives for the class form of the operator itself, so that a
gradient and what it belongs to cannot differ, and can be differentiated in turn.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from anfora import ops
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.tensor import Tensor
from anfora.ops import activation, special
from anfora.ops.composite import composite
from anfora.ops.families import normalize_axis
from anfora.ops.normalization import channel_norm_gradient

__all__ = ["GRADIENTS"]


def _class(name: str, *given: Any) -> Callable:
    """What a class of an operator gives."""
    return getattr(ops, name)(*given)


def _pull(function: Callable, x: Tensor, gradient: Tensor) -> Tensor:
    """The gradient of a function to its only argument."""
    from anfora.api import vjp

    return vjp(function, x)[1](gradient)[0]


def _pulls(function: Callable, inputs: tuple, gradient: Any) -> tuple[Tensor, ...]:
    """The gradients of a function to all its arguments."""
    from anfora.api import vjp

    return vjp(function, *inputs)[1](gradient)


def _extreme(name: str) -> Callable:
    """The gradients to the larger or the smaller of two. Both are given, whichever are asked for, as MindSpore does."""
    return lambda grad_x=True, grad_y=True: lambda x, y, dout: _pulls(getattr(ops, name), (x, y), dout)


def _distances(p: float = 2.0) -> Callable:
    """The gradient of `cdist` to its first argument, from the distances that are given; 0 where one is 0."""

    @composite
    def call(grad: Tensor, x1: Tensor, x2: Tensor, dist: Tensor) -> Tensor:
        apart = ops.expand_dims(x1, -2) - ops.expand_dims(x2, -3)
        far = ops.expand_dims(dist, -1)
        far, weight = ops.where(far == 0, 1, far), ops.where(far == 0, 0, ops.expand_dims(grad, -1))
        if p == math.inf:
            slope = ops.where(ops.abs(apart) == far, ops.sign(apart), 0)
        elif p == 0:
            slope = ops.zeros_like(apart)
        else:  # of a power 0 < p < 1, what is not apart has no slope
            size = ops.abs(apart)
            slope = ops.where(size == 0, 0, ops.sign(apart) * ops.pow(ops.where(size == 0, 1, size) / far, p - 1))
        return ops.reduce_sum(weight * slope, -2)

    return call


def _of_loss(forward: Callable) -> Callable:
    """The gradient of a loss to its first argument: called with prediction, target, and the gradient of the loss."""
    return lambda prediction, target, dloss: _pull(lambda x: forward(x, target), prediction, dloss)


def _binary_entropy(reduction: str = "mean") -> Callable:
    forward = ops.BinaryCrossEntropy(reduction)
    return lambda x, y, dout, weight=None: _pull(lambda x: forward(x, y, weight), x, dout)


def _layer_norm(begin_norm_axis: int = 1, begin_params_axis: int = 1) -> Callable:
    """Mean and variance are not read: they follow from x."""
    forward = ops.LayerNorm(begin_norm_axis, begin_params_axis)

    def call(x: Tensor, dy: Tensor, variance: Tensor, mean: Tensor, gamma: Tensor) -> tuple[Tensor, ...]:
        return _pulls(lambda x, gamma, beta: forward(x, gamma, beta)[0], (x, gamma, ops.zeros_like(gamma)), dy)

    return call


def _nearest(align_corners: bool = False) -> Callable:
    """The call gives the lengths of the image's last two axes."""

    def call(grads: Tensor, size: Any) -> Tensor:
        start = ops.zeros((*grads.shape[:2], *map(int, size)), grads.dtype)
        return _pull(ops.ResizeNearestNeighbor(grads.shape[-2:], align_corners), start, grads)

    return call


def _strided(**masks: int) -> Callable:
    forward = ops.StridedSlice(**masks)
    return lambda dy, shapex, begin, end, strides: _pull(
        lambda x: forward(x, begin, end, strides), ops.zeros(tuple(map(int, shapex)), dy.dtype), dy
    )


def _mirrored(mode: str = "REFLECT") -> Callable:
    forward = ops.MirrorPad(mode)

    def call(dy: Tensor, paddings: Any) -> Tensor:
        ends = paddings.tolist() if isinstance(paddings, Tensor) else paddings
        start = ops.zeros(tuple(n - low - high for n, (low, high) in zip(dy.shape, ends)), dy.dtype)
        return _pull(lambda x: forward(x, paddings), start, dy)

    return call


def _of(name: str) -> Callable:
    """The gradient of a class of one argument: called with the argument, the result, and its gradient."""

    def make(**given: Any) -> Callable:
        forward = getattr(ops, name)(**given)
        return lambda x, out, dout: _pull(forward, x, dout)

    return make


def _pooling(name: str) -> Callable:
    def make(kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "valid", data_format: str = "NCHW") -> Callable:
        return _of(name)(kernel_size=kernel_size, strides=strides, pad_mode=pad_mode, data_format=data_format)

    return make


def _pooling_with_positions(kernel_size: Any = 1, strides: Any = 1, pad_mode: str = "valid") -> Callable:
    """`argmax` is not read: the gradient goes to the first greatest element, which is where it points."""
    forward = ops.MaxPool(kernel_size, strides, pad_mode)
    return lambda x, grad, argmax: _pull(forward, x, grad)


def _convolution_gradient(wanted: str) -> Callable:
    """The class of the gradient of `Conv2D` to its input or its weight, which the call gives the shape of."""

    def make(
        out_channel: int,
        kernel_size: Any,
        pad_mode: str = "valid",
        pad: Any = 0,
        pad_list: Any = None,
        mode: int = 1,
        stride: Any = 1,
        dilation: Any = 1,
        group: int = 1,
        data_format: str = "NCHW",
    ) -> Callable:
        padding = pad if pad_list is None else pad_list
        convolve = ops.Conv2D(out_channel, kernel_size, mode, pad_mode, padding, stride, dilation, group, data_format)

        def to_input(out_backprop: Tensor, filter: Tensor, input_size: Any) -> Tensor:
            start = ops.zeros(tuple(input_size), out_backprop.dtype)
            return _pull(lambda x: convolve(x, filter), start, out_backprop)

        def to_weight(out_backprop: Tensor, input: Tensor, filter_size: Any) -> Tensor:
            start = ops.zeros(tuple(filter_size), out_backprop.dtype)
            return _pull(lambda w: convolve(input, w), start, out_backprop)

        return composite(to_input if wanted == "input" else to_weight)

    return make


def _batch_norm(is_training: bool = False, epsilon: float = 1e-5, data_format: str = "NCHW") -> Callable:
    """`reserve_2` is what `BatchNorm` gives there: the variance."""

    @composite
    def call(
        y_backprop: Tensor, x: Tensor, scale: Tensor, reserve_1: Tensor, reserve_2: Tensor, reserve: Any = None
    ) -> tuple[Tensor, Tensor, Tensor]:
        if is_training:
            return channel_norm_gradient(x, reserve_1, reserve_2, scale, y_backprop, 0, float(epsilon))
        kept = (scale.shape[0], *(1 for _ in x.shape[2:]))
        axes = (0, *range(2, x.ndim))
        rate = ops.rsqrt(reserve_2 + epsilon)
        of_scale = ops.reduce_sum(y_backprop * (x - reserve_1.reshape(kept)), axes) * rate
        return y_backprop * (rate * scale).reshape(kept), of_scale, ops.reduce_sum(y_backprop, axes)

    return call


def _bias_add(data_format: str = "NCHW") -> Callable:
    def call(dout: Tensor) -> Tensor:
        channel = dout.ndim - 1 if data_format == "NHWC" else 1
        return ops.reduce_sum(dout, tuple(i for i in range(dout.ndim) if i != channel))

    return composite(call)


def _concat_offset(N: int = 2, axis: int = 0) -> Callable:
    """Where the parts of a concatenation begin in it: a row for each part."""

    def call(*parts: Tensor) -> Tensor:
        if len(parts) != N:
            raise OpValueError(f"ConcatOffset: {N} tensors are expected, but got {len(parts)}")
        along = normalize_axis("ConcatOffset", axis, parts[0].ndim)
        begin, found = 0, []
        for part in parts:
            found.append([begin if i == along else 0 for i in range(part.ndim)])
            begin += part.shape[along]
        return Tensor(found)

    return call


def _resized(align_corners: bool = False, half_pixel_centers: bool = False) -> Callable:
    @composite
    def call(grads: Tensor, image: Tensor) -> Tensor:
        return _pull(ops.ResizeBilinear(grads.shape[-2:], align_corners, half_pixel_centers), image, grads)

    return call


def _on_gradient(name: str) -> Callable:
    """A class of a function that is called with the gradient of what the call gives, which is its argument unchanged;
    what it returns replaces the gradient. `HookBackward` takes several arguments, and always gives it a tuple."""

    def make(f: Callable) -> Callable:
        if not callable(f):
            raise OpTypeError(f"{name} needs a function of a gradient, but got {f!r}", arg="f")

        def gradient(*values: Any) -> Any:
            *_, dout = values
            given = dout if isinstance(dout, tuple) or name == "InsertGradientOf" else (dout,)
            replaced = f(given)
            return given if replaced is None else replaced

        def call(*args: Tensor) -> Any:
            from anfora.eager.custom import with_gradient

            def run(*args: Tensor) -> Any:
                copies = tuple(map(ops.copy, args))
                return copies[0] if len(copies) == 1 else copies

            return with_gradient(name, run, gradient, args)

        return call

    return make


#: Classes: functions from their arguments to the function of the call.
GRADIENTS: dict[str, Callable] = {
    # activations: of the result's gradient, and of the result or the argument
    "ReluGrad": lambda: lambda y_backprop, x: activation.relu_gradient(y_backprop, x),
    "SigmoidGrad": lambda: lambda y, dy: activation.sigmoid_gradient(dy, y),
    "TanhGrad": lambda: lambda y, dy: activation.tanh_gradient(dy, y),
    "GeLUGrad": lambda: lambda dy, x, y=None: activation.gelu_gradient(dy, x, "tanh"),
    "SiLUGrad": lambda: lambda dout, x: activation.silu_gradient(dout, x),
    "HSwishGrad": lambda: lambda y_grad, x: activation.hardswish_gradient(y_grad, x),
    "SoftplusGrad": lambda: lambda gradients, features: activation.softplus_gradient(gradients, features),
    "ReLU6Grad": lambda: lambda y_grad, x: _pull(ops.relu6, x, y_grad),
    "HSigmoidGrad": lambda: lambda grads, input_x: _pull(ops.hardsigmoid, input_x, grads),
    "EluGrad": lambda: lambda y_backprop, x: ops.where(x > 0, y_backprop, y_backprop * (x + 1)),
    "FastGeLUGrad": lambda: lambda dy, x: _pull(ops.fast_gelu, x, dy),
    "HShrinkGrad": lambda lambd=0.5: lambda gradients, features: _pull(_class("HShrink", lambd), features, gradients),
    "SoftShrinkGrad": lambda lambd=0.5: (
        lambda input_grad, input_x: _pull(_class("SoftShrink", lambd), input_x, input_grad)
    ),
    "PReLUGrad": lambda: lambda dy, x, weight: _pulls(ops.prelu, (x, weight), dy),
    "SoftmaxGrad": lambda axis=-1: lambda y, dy: y * (dy - ops.reduce_sum(y * dy, axis, True)),
    "LogSoftmaxGrad": lambda axis=-1: lambda y, dy: dy - ops.exp(y) * ops.reduce_sum(dy, axis, True),
    # mathematics: of the result or the argument, and of the result's gradient
    "AbsGrad": lambda: lambda x, dout: dout * ops.sign(x),
    "SqrtGrad": lambda: lambda y, dy: dy / (2 * y),
    "RsqrtGrad": lambda: lambda y, dy: dy * y * y * y * -0.5,
    "ReciprocalGrad": lambda: lambda y, dy: -dy * y * y,
    "InvGrad": lambda: lambda y, grad: -grad * y * y,
    "ACosGrad": lambda: lambda y, dy: _pull(ops.acos, y, dy),
    "AsinGrad": lambda: lambda y, dy: _pull(ops.asin, y, dy),
    "AtanGrad": lambda: lambda y, dy: _pull(ops.atan, y, dy),
    "AcoshGrad": lambda: lambda y, dy: dy / ops.sinh(y),
    "AsinhGrad": lambda: lambda y, dy: dy / ops.cosh(y),
    "LogitGrad": lambda eps=-1.0: lambda grad, input: _pull(_class("Logit", eps), input, grad),
    "MaximumGrad": _extreme("maximum"),
    "MinimumGrad": _extreme("minimum"),
    "CdistGrad": _distances,
    "IgammaGradA": lambda: lambda a, x: special.igamma_by_shape(a, x),
    "PdistGrad": lambda p=2.0: lambda grad, x, pdist: _pull(lambda x: ops.pdist(x, p), x, grad),
    "L2NormalizeGrad": lambda axis=0, epsilon=1e-4: (
        lambda x, out, dout: _pull(_class("L2Normalize", axis, epsilon), x, dout)
    ),
    # losses and layers
    "SmoothL1LossGrad": lambda beta=1.0, reduction="none": _of_loss(_class("SmoothL1Loss", beta, reduction)),
    "SoftMarginLossGrad": lambda reduction="mean": _of_loss(_class("SoftMarginLoss", reduction)),
    "SigmoidCrossEntropyWithLogitsGrad": lambda: _of_loss(_class("SigmoidCrossEntropyWithLogits")),
    "BinaryCrossEntropyGrad": _binary_entropy,
    "LayerNormGrad": _layer_norm,
    "DropoutGrad": lambda keep_prob=0.5: lambda dy, mask: dy * mask / keep_prob,
    # shapes
    "SliceGrad": lambda: lambda dy, x, begin, size: _pull(lambda x: ops.slice(x, begin, size), x, dy),
    "StridedSliceGrad": _strided,
    "MirrorPadGrad": _mirrored,
    "MaskedSelectGrad": lambda: lambda x, mask, grad: _pull(lambda x: ops.masked_select(x, mask), x, grad),
    "FlattenGrad": lambda: lambda dout, x_shape: ops.reshape(dout, x_shape),
    "BiasAddGrad": _bias_add,
    "ConcatOffset": _concat_offset,
    # functions of gradients
    "InsertGradientOf": _on_gradient("InsertGradientOf"),
    "HookBackward": _on_gradient("HookBackward"),
    # images
    "Conv2DBackpropInput": _convolution_gradient("input"),
    "Conv2DBackpropFilter": _convolution_gradient("weight"),
    "Conv2DTranspose": _convolution_gradient("input"),
    "ResizeNearestNeighborGrad": _nearest,
    "MaxPoolGrad": _pooling("MaxPool"),
    "AvgPoolGrad": _pooling("AvgPool"),
    "MaxPoolGradWithArgmax": _pooling_with_positions,
    "ResizeBilinearGrad": _resized,
    "BatchNormGrad": _batch_norm,
}
