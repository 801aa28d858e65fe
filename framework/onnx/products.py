"""Products of matrices, convolutions, pooling."""

from __future__ import annotations

import numpy as np

from anfora.onnx.table import writes
from anfora.onnx.writer import Value, Writer

# -- to ONNX ----------------------------------------------------------------------------------------------------------


def _turned(w: Writer, x: Value, is_turned: bool) -> Value:
    if not is_turned or x.ndim < 2:
        return x
    return w.transpose(x, [*range(x.ndim - 2), x.ndim - 1, x.ndim - 2])


@writes("matmul")
def _(w: Writer, input, other, transpose_a, transpose_b):
    x, y = w.cast(input, w.dtype), w.cast(other, w.dtype)
    return w.node("MatMul", _turned(w, x, transpose_a), _turned(w, y, transpose_b))


@writes("dense")
def _(w: Writer, input, weight, bias):
    x, y = w.cast(input, w.dtype), w.cast(weight, w.dtype)
    b = None if bias is None else w.cast(bias, w.dtype)
    if input.ndim == 2 and weight.ndim == 2 and (bias is None or bias.ndim <= 1):
        return w.node("Gemm", x, y, b, transB=1)
    made = w.node("MatMul", x, _turned(w, y, True))
    return made if b is None else w.node("Add", made, b)


@writes("conv2d")
def _(w: Writer, input, weight, bias, stride, pad_mode, padding, dilation, groups):
    top, bottom, left, right = padding
    x, k, b = (None if v is None else w.cast(v, w.dtype) for v in (input, weight, bias))
    return w.node(
        "Conv", x, k, b, strides=list(stride), pads=[top, left, bottom, right], dilations=list(dilation), group=groups,
        kernel_shape=list(weight.shape[2:]),
    )  # fmt: skip


@writes("conv2d_input_gradient")
def _(w: Writer, gradient, weight, bias, size, stride, padding, dilation, groups):
    top, bottom, left, right = padding
    x, k, b = (None if v is None else w.cast(v, w.dtype) for v in (gradient, weight, bias))
    rest = []
    for n, m, step, kernel, spread, ends in zip(
        size, gradient.shape[2:], stride, weight.shape[2:], dilation, ((top, bottom), (left, right))
    ):
        rest.append(n - ((m - 1) * step + spread * (kernel - 1) + 1 - sum(ends)))
    return w.node(
        "ConvTranspose", x, k, b, strides=list(stride), pads=[top, left, bottom, right], dilations=list(dilation),
        group=groups, output_padding=rest, kernel_shape=list(weight.shape[2:]),
    )  # fmt: skip


@writes("max_pool2d")
def _(w: Writer, x, kernel_size, stride, padding, dilation, return_indices, ceil_mode):
    if return_indices:
        w.refuse("the places of maxima, which ONNX counts through the whole tensor")
    top, bottom, left, right = padding
    x, flat = _images(w, x)
    made = w.node(
        "MaxPool", x, kernel_shape=list(kernel_size), strides=list(stride), pads=[top, left, bottom, right],
        dilations=list(dilation), ceil_mode=int(ceil_mode),
    )  # fmt: skip
    return w.squeeze(made, (0,)) if flat else made


def _images(w: Writer, x: Value) -> tuple[Value, bool]:
    """Images (N, C, H, W), and whether there was one without an axis for it."""
    return (w.unsqueeze(x, (0,)), True) if x.ndim == 3 else (x, False)


@writes("avg_pool2d")
def _(w: Writer, input_x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
    if divisor_override:
        w.refuse("a mean with a divisor of its own")
    top, bottom, left, right = padding
    x, flat = _images(w, input_x)
    made = w.node(
        "AveragePool", x, kernel_shape=list(kernel_size), strides=list(stride), pads=[top, left, bottom, right],
        ceil_mode=int(ceil_mode), count_include_pad=int(count_include_pad),
    )  # fmt: skip
    return w.squeeze(made, (0,)) if flat else made


def _windows(n: int, m: int) -> list[tuple[int, int]]:
    """From where to where the windows reach that m results take the mean of, or the largest, of n elements."""
    return [(i * n // m, -(-(i + 1) * n // m)) for i in range(m)]


@writes("adaptive_avg_pool2d")
def _(w: Writer, input, output_size):
    x, flat = _images(w, input)
    if tuple(output_size) == (1, 1):
        made = w.node("GlobalAveragePool", x)
        return w.squeeze(made, (0,)) if flat else made
    x = input  # a mean over windows of each axis is a product with a matrix
    for axis, (n, m) in enumerate(zip(input.shape[-2:], output_size)):
        if not isinstance(n, int):
            w.refuse("the mean over windows of a free length")
        shares = np.zeros((m, n))
        for i, (start, end) in enumerate(_windows(n, m)):
            shares[i, start:end] = 1 / (end - start)
        x = (
            w.node("MatMul", x, w.constant(shares.T, w.dtype))
            if axis
            else w.node("MatMul", w.constant(shares, w.dtype), x)
        )
    return x


@writes("adaptive_max_pool2d")
def _(w: Writer, input, output_size, return_indices):
    if return_indices:
        w.refuse("the places of maxima, which ONNX counts through the whole tensor")
    x, rank = input, input.ndim
    for axis, (n, m) in enumerate(zip(input.shape[-2:], output_size), rank - 2):
        if not isinstance(n, int):
            w.refuse("the largest of windows of a free length")
        parts = [
            w.reduce("ReduceMax", w.slice(x, {axis: (start, end, 1)}), (axis,), True) for start, end in _windows(n, m)
        ]
        x = w.node("Concat", *parts, axis=axis)
    return x


@writes("det")
def _(w: Writer, input):
    return w.node("Det", input)
