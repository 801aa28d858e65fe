"""Integers that stand for real numbers: scaled, rounded, with a zero somewhere."""

from __future__ import annotations

from anfora import ops
from anfora.core import dtype as dt
from anfora.core.errors import OpValueError
from anfora.onnx.products import conv, matmul
from anfora.onnx.table import dtype_of, reads


def _spread(value, x, axis, block_size):
    """A number for all, for each place of an axis, or for each block of it, against the tensor."""
    if value.ndim == 0 or (value.size == 1 and not block_size):
        return ops.reshape(value, ())
    if block_size:
        axis = axis % x.ndim
        times = [1] * x.ndim
        times[axis] = block_size
        big = ops.repeat_interleave(value, block_size, axis)
        return ops.narrow(big, axis, 0, x.shape[axis])
    line = [1] * x.ndim
    line[axis] = value.shape[0]
    return ops.reshape(value, tuple(line))


def _limits(dtype):
    if not dtype.is_integer:
        raise OpValueError(f"QuantizeLinear to {dtype}")
    return (-(2 ** (dtype.bits - 1)), 2 ** (dtype.bits - 1) - 1) if dtype.kind == "i" else (0, 2**dtype.bits - 1)


def _quantized(x, scale, zero, dtype):
    low, high = _limits(dtype)
    y = ops.rint(x / scale)
    y = y if zero is None else y + ops.cast(zero, y.dtype)
    return ops.cast(ops.clamp(y, low, high), dtype)


@reads("QuantizeLinear")
def quantize(
    x, y_scale, y_zero_point=None, *, axis=1, block_size=0, output_dtype=0, precision=0, saturate=1
):  # fmt: skip
    dtype = y_zero_point.dtype if y_zero_point is not None else dtype_of(output_dtype) if output_dtype else dt.uint8
    scale = _spread(y_scale, x, axis, block_size)
    zero = None if y_zero_point is None else _spread(y_zero_point, x, axis, block_size)
    if not x.dtype.is_float:
        x = ops.cast(x, dt.float32)
    return _quantized(x, ops.cast(scale, x.dtype), zero, dtype)


@reads("DequantizeLinear")
def dequantize(x, x_scale, x_zero_point=None, *, axis=1, block_size=0, output_dtype=0):
    scale = _spread(x_scale, x, axis, block_size)
    dtype = dtype_of(output_dtype) if output_dtype else x_scale.dtype
    y = ops.cast(x, dt.float32)
    if x_zero_point is not None:
        y = y - ops.cast(_spread(x_zero_point, x, axis, block_size), dt.float32)
    return ops.cast(y * ops.cast(scale, dt.float32), dtype)


@reads("DynamicQuantizeLinear")
def dynamic_quantize(x):
    low, high = ops.minimum(ops.reduce_min(x), 0.0), ops.maximum(ops.reduce_max(x), 0.0)
    scale = (high - low) / 255
    scale = ops.where(scale == 0, ops.ones_like(scale), scale)
    zero = ops.cast(ops.clamp(ops.rint(-low / scale), 0, 255), dt.uint8)
    return _quantized(x, scale, zero, dt.uint8), scale, zero


def _moved(x, zero, axis=None):
    """The integers with their zero at zero, as int32."""
    x = ops.cast(x, dt.int32)
    if zero is None:
        return x
    zero = ops.cast(zero, dt.int32)
    if zero.ndim == 1 and zero.size > 1 and axis is not None:
        line = [1] * x.ndim
        line[axis] = zero.size
        zero = ops.reshape(zero, tuple(line))
    elif zero.size == 1:
        zero = ops.reshape(zero, ())
    return x - zero


@reads("MatMulInteger")
def matmul_integer(A, B, a_zero_point=None, b_zero_point=None):
    return matmul(_moved(A, a_zero_point, A.ndim - 2), _moved(B, b_zero_point, B.ndim - 1))


@reads("ConvInteger")
def conv_integer(
    x, w, x_zero_point=None, w_zero_point=None, *, auto_pad="NOTSET", dilations=None, group=1, kernel_shape=None,
    pads=None, strides=None,
):  # fmt: skip
    a, b = (ops.cast(v, dt.float64) for v in (_moved(x, x_zero_point), _moved(w, w_zero_point, 0)))
    made = conv(a, b, auto_pad=auto_pad, dilations=dilations, group=group, pads=pads, strides=strides)
    return ops.cast(ops.rint(made), dt.int32)


@reads("QLinearMatMul")
def qlinear_matmul(a, a_scale, a_zero_point, b, b_scale, b_zero_point, y_scale, y_zero_point):
    whole = matmul(_moved(a, a_zero_point, a.ndim - 2), _moved(b, b_zero_point, b.ndim - 1))
    scale = ops.cast(a_scale, dt.float32) * ops.cast(b_scale, dt.float32) / ops.cast(y_scale, dt.float32)
    return _quantized(ops.cast(whole, dt.float32) * scale, 1.0, y_zero_point, y_zero_point.dtype)


@reads("QLinearConv")
def qlinear_conv(
    x, x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale, y_zero_point, B=None, *, auto_pad="NOTSET",
    dilations=None, group=1, kernel_shape=None, pads=None, strides=None,
):  # fmt: skip
    whole = conv(
        ops.cast(_moved(x, x_zero_point), dt.float64), ops.cast(_moved(w, w_zero_point, 0), dt.float64),
        None if B is None else ops.cast(B, dt.float64), auto_pad=auto_pad, dilations=dilations, group=group, pads=pads,
        strides=strides,
    )  # fmt: skip
    scale = x_scale * w_scale / y_scale
    if scale.size > 1:
        scale = ops.reshape(scale, (-1, *(1 for _ in x.shape[2:])))
    return _quantized(ops.cast(whole, dt.float32) * scale, 1.0, y_zero_point, y_zero_point.dtype)
