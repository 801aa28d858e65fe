"""Norms, dropout."""

from __future__ import annotations

import math

import numpy as np

from anfora import ops
from anfora.core import dtype as dt
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.onnx.table import Float, Int, State, dtype_of, reads, writes
from anfora.onnx.writer import Value, Writer

# -- to ONNX ----------------------------------------------------------------------------------------------------------


def _channels(w: Writer, value, like: Value, fill: float) -> Value:
    """A number for each channel."""
    if value is None:
        return w.constant(np.full(like.shape[1], fill), like.dtype)
    return w.cast(value, like.dtype)


@writes("norm_with")
def _(w: Writer, input, mean, variance, weight, bias, eps):
    scale, shift = _channels(w, weight, input, 1.0), _channels(w, bias, input, 0.0)
    return w.node("BatchNormalization", input, scale, shift, mean, variance, epsilon=eps)


@writes("channel_norm")
def _(w: Writer, input, weight, bias, groups, eps):
    out, of_moments, _ = w.out
    moving = w.moving() if groups == 0 else None
    if moving is not None:  # batch norm in training
        mean, variance, keep = moving
        scale, shift = _channels(w, weight, input, 1.0), _channels(w, bias, input, 0.0)
        return w.node(
            "BatchNormalization", input, scale, shift, mean, variance, count=3,
            dtypes=(out.dtype, of_moments.dtype, of_moments.dtype), epsilon=eps, training_mode=1, momentum=keep,
        )  # fmt: skip
    wide = of_moments.dtype
    _, channels, *sizes = input.shape
    x = w.cast(input, wide)
    if groups:
        x = w.node("Reshape", x, w.constant([0, groups, -1]))
        axes: tuple = (2,)
    else:
        axes = (0, *range(2, input.ndim))
    mean = w.reduce("ReduceMean", x, axes, True)
    apart = w.node("Sub", x, mean)
    variance = w.reduce("ReduceMean", w.node("Mul", apart, apart), axes, True)
    root = w.node("Sqrt", w.node("Add", variance, w.constant(eps, wide)))
    y = w.node("Div", apart, root)
    if groups:
        y = w.reshape(y, input.shape)
    each = (channels, *(1 for _ in sizes))
    if weight is not None:
        y = w.node("Mul", y, w.reshape(w.cast(weight, wide), each))
    if bias is not None:
        y = w.node("Add", y, w.reshape(w.cast(bias, wide), each))
    return w.cast(y, out.dtype), w.squeeze(mean, axes), w.squeeze(variance, axes)


@writes("move_average")
def _(w: Writer, average, value, keep, take):
    kept, taken = (
        w.node("Mul", w.value(x, average.dtype), w.value(share, average.dtype))
        for x, share in ((average, keep), (value, take))
    )
    return w.node("Add", kept, taken)


@writes("layer_norm")
def _(w: Writer, input, normalized_shape, weight, bias, eps):
    scale = w.constant(np.ones(normalized_shape), input.dtype) if weight is None else w.cast(weight, input.dtype)
    shift = None if bias is None else w.cast(bias, input.dtype)
    return w.node("LayerNormalization", input, scale, shift, axis=-len(normalized_shape), epsilon=eps)


@writes("rms_norm")
def _(w: Writer, x, gamma, epsilon):
    out, of_root = w.out
    axes = tuple(range(x.ndim - gamma.ndim, x.ndim))
    wide = w.cast(x, of_root.dtype)
    squares = w.reduce("ReduceMean", w.node("Mul", wide, wide), axes, True)
    root = w.node("Reciprocal", w.node("Sqrt", w.node("Add", squares, w.constant(epsilon, wide.dtype))))
    scaled = w.node("Mul", w.node("Mul", wide, root), w.cast(gamma, wide.dtype))
    return w.cast(scaled, out.dtype), root


@writes("drop")
def _(w: Writer, input, seed, offset, kept):
    share = 1.0 - w.one(kept, "the probability of dropout") / 2**32
    return w.node("Dropout", input, w.constant(share, dt.float32), w.constant(True, dt.bool_))


# -- from ONNX --------------------------------------------------------------------------------------------------------


def _each_channel(value, x):
    """A number for each channel, against (N, C, …)."""
    return ops.reshape(value, (-1, *(1 for _ in range(x.ndim - 2))))


@reads("BatchNormalization")
def batch_norm(
    X, scale, B, input_mean: State, input_var: State, *, epsilon=1e-5, momentum=0.9, training_mode=0, spatial=1,
    is_test=None, outputs=1,
):  # fmt: skip
    if X.ndim == 1:
        X = ops.expand_dims(X, 1)
        return ops.squeeze(batch_norm(X, scale, B, input_mean, input_var, epsilon=epsilon), 1)
    if not training_mode:
        wide = input_mean.dtype
        root = ops.sqrt(_each_channel(input_var, X) + epsilon)
        y = (ops.cast(X, wide) - _each_channel(input_mean, X)) / root
        y = y * _each_channel(ops.cast(scale, wide), X) + _each_channel(ops.cast(B, wide), X)
        return ops.cast(y, X.dtype)
    axes = (0, *range(2, X.ndim))
    wide = ops.cast(X, dt.float64 if X.dtype is dt.float64 else dt.float32)
    mean = ops.mean(wide, axes)
    variance = ops.mean(ops.square(wide - _each_channel(mean, X)), axes)
    moved = tuple(
        [ops.cast(ops.stop_gradient(old * momentum + new * (1 - momentum)), old.dtype)
         for old, new in ((input_mean, mean), (input_var, variance))]
    )  # fmt: skip
    for old, new in zip((input_mean, input_var), moved):
        if isinstance(old, Parameter):  # a weight of the network, which its own training moves
            ops.assign(old, new)
    y = (wide - _each_channel(mean, X)) / ops.sqrt(_each_channel(variance, X) + epsilon)
    y = ops.cast(y * _each_channel(scale, X) + _each_channel(B, X), X.dtype)
    return (y, *moved)[:outputs] if outputs > 1 else y


@reads("InstanceNormalization")
def instance_norm(input, scale, B, *, epsilon=1e-5):
    return _normed(input, tuple(range(2, input.ndim)), epsilon) * _each_channel(scale, input) + _each_channel(B, input)


def _normed(x, axes, epsilon):
    apart = x - ops.mean(x, axes, True)
    return apart / ops.sqrt(ops.mean(ops.square(apart), axes, True) + epsilon)


@reads("GroupNormalization")
def group_norm(X, scale, bias, *, num_groups, epsilon=1e-5, stash_type=1, version):
    n, channels = X.shape[:2]
    wide = dtype_of(stash_type)
    x = ops.reshape(ops.cast(X, wide), (n, num_groups, -1))
    y = ops.reshape(_normed(x, (2,), epsilon), X.shape)
    if version < 21:  # one number for each group
        scale, bias = (
            ops.reshape(ops.broadcast_to(ops.expand_dims(v, 1), (num_groups, channels // num_groups)), (-1,))
            for v in (scale, bias)
        )
    y = y * _each_channel(ops.cast(scale, wide), X) + _each_channel(ops.cast(bias, wide), X)
    return ops.cast(y, X.dtype)


@reads("LayerNormalization")
def layer_norm(X, Scale, B=None, *, axis=-1, epsilon=1e-5, stash_type=1, outputs):
    axis = axis % X.ndim
    if outputs == 1 and Scale.shape == X.shape[axis:] and (B is None or B.shape == Scale.shape):
        return ops.layer_norm(X, X.shape[axis:], Scale, B, epsilon)
    axes = tuple(range(axis, X.ndim))
    x = ops.cast(X, dtype_of(stash_type))
    mean = ops.mean(x, axes, True)
    apart = x - mean
    root = ops.rsqrt(ops.mean(ops.square(apart), axes, True) + epsilon)
    y = ops.cast(apart * root, X.dtype) * Scale
    y = y if B is None else y + B
    return (y, mean, root)[:outputs] if outputs > 1 else y


@reads("RMSNormalization")
def rms_norm(X, scale, *, axis=-1, epsilon=1e-5, stash_type=1):
    axes = tuple(range(axis % X.ndim, X.ndim))
    x = ops.cast(X, dtype_of(stash_type))
    root = ops.sqrt(ops.mean(ops.square(x), axes, True) + epsilon)
    return ops.cast(x / root, X.dtype) * scale


@reads("LRN")
def lrn(X, *, alpha=1e-4, beta=0.75, bias=1.0, size):
    """Divided by a power of the sum of squares over neighbouring channels."""
    channels = X.shape[1]
    places = np.arange(channels)
    apart = places[None] - places[:, None]
    near = ((apart >= -((size - 1) // 2)) & (apart <= size - 1 - (size - 1) // 2)).astype(np.float64)
    squares = ops.reshape(ops.square(X), (X.shape[0], channels, -1))
    sums = ops.reshape(ops.matmul(Tensor(near, X.dtype), squares), X.shape)
    return X / ops.pow(bias + alpha / size * sums, beta)


@reads("LpNormalization")
def lp_norm(input, *, axis=-1, p=2):
    size = (
        ops.reduce_sum(ops.abs(input), axis, True)
        if p == 1
        else ops.sqrt(ops.reduce_sum(ops.square(input), axis, True))
    )
    return ops.where(size == 0, ops.zeros_like(input), input / size)


@reads("MeanVarianceNormalization")
def mean_variance(X, *, axes=(0, 2, 3)):
    apart = X - ops.mean(X, axes, True)
    return apart / (ops.sqrt(ops.mean(ops.square(apart), axes, True)) + 1e-9)


@reads("Dropout")
def dropout(data, ratio: Float = 0.5, training_mode: Int = 0, *, seed=None, is_test=None, outputs=1):
    if not training_mode or ratio == 0:
        return (data, ops.ones(data.shape, dt.bool_)) if outputs > 1 else data
    if seed is None:
        kept = ops.rand(*data.shape) >= ratio
    else:  # the numbers of onnx's own reference, so a seed means the same there and here
        kept = Tensor(np.random.RandomState(seed).uniform(0, 1.0, data.shape) >= ratio)
    scale = 1 / (1 - ratio) if ratio < 1 else math.inf
    y = ops.where(kept, data * scale, ops.zeros_like(data)) if ratio < 1 else ops.zeros_like(data)
    return (y, kept) if outputs > 1 else y
