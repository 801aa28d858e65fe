"""Norms, dropout."""

from __future__ import annotations

import numpy as np

from anfora.core import dtype as dt
from anfora.onnx.table import writes
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
    return None  # batch norm in training does it


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
