"""Activations, softmaxes."""

from __future__ import annotations

import math

from anfora import ops
from anfora.core import dtype as dt
from anfora.onnx.table import reads, writes
from anfora.onnx.writer import Value, Writer

# -- to ONNX ----------------------------------------------------------------------------------------------------------


def _limited(w: Writer, x: Value, low: float, high: float) -> Value:
    return w.node("Clip", x, w.constant(low, x.dtype), w.constant(high, x.dtype))


def _times(w: Writer, x: Value, number: float) -> Value:
    return w.node("Mul", x, w.constant(number, x.dtype))


def _plus(w: Writer, x: Value, number: float) -> Value:
    return w.node("Add", x, w.constant(number, x.dtype))


@writes("relu6")
def _(w: Writer, x):
    return _limited(w, w.cast(x, w.dtype), 0, 6)


@writes("hardtanh")
def _(w: Writer, input, min_val, max_val):
    return w.node("Clip", w.cast(input, w.dtype), w.value(min_val, w.dtype), w.value(max_val, w.dtype))


@writes("hardsigmoid")
def _(w: Writer, input):
    return _times(w, _limited(w, _plus(w, w.cast(input, w.dtype), 3.0), 0, 6), 1 / 6)


@writes("hardswish")
def _(w: Writer, input):
    x = w.cast(input, w.dtype)
    return _times(w, w.node("Mul", x, _limited(w, _plus(w, x, 3.0), 0, 6)), 1 / 6)


@writes("leaky_relu")
def _(w: Writer, input, alpha):
    if isinstance(alpha, Value):
        return w.node("PRelu", w.cast(input, w.dtype), w.cast(alpha, w.dtype))
    return w.node("LeakyRelu", w.cast(input, w.dtype), alpha=float(alpha))


@writes("elu")
def _(w: Writer, input_x, alpha):
    return w.node("Elu", w.cast(input_x, w.dtype), alpha=w.one(alpha, "the factor of elu"))


@writes("celu")
def _(w: Writer, x, alpha):
    x = w.cast(x, w.dtype)
    a = w.value(alpha, w.dtype)
    zero = w.constant(0, w.dtype)
    grown = w.node("Mul", a, w.node("Sub", w.node("Exp", w.node("Div", x, a)), w.constant(1, w.dtype)))
    return w.node("Add", w.node("Max", x, zero), w.node("Min", grown, zero))


@writes("selu")
def _(w: Writer, input_x):
    return w.node("Selu", w.cast(input_x, w.dtype))


@writes("silu")
def _(w: Writer, input):
    x = w.cast(input, w.dtype)
    return w.node("Mul", x, w.node("Sigmoid", x))


@writes("mish")
def _(w: Writer, x):
    x = w.cast(x, w.dtype)
    return w.node("Mul", x, w.node("Tanh", w.node("Softplus", x)))


@writes("logsigmoid")
def _(w: Writer, x):
    return w.node("Neg", w.node("Softplus", w.node("Neg", w.cast(x, w.dtype))))


@writes("softplus")
def _(w: Writer, input, beta, threshold):
    x, b = w.cast(input, w.dtype), w.value(beta, w.dtype)
    scaled = w.node("Mul", x, b)
    is_large = w.node("Greater", scaled, w.value(threshold, w.dtype), dtype=dt.bool_)
    return w.node("Where", is_large, x, w.node("Div", w.node("Softplus", scaled), b), dtype=w.dtype)


@writes("tanhshrink")
def _(w: Writer, input):
    x = w.cast(input, w.dtype)
    return w.node("Sub", x, w.node("Tanh", x))


def _gelu(w: Writer, x: Value, approximate: str) -> Value:
    if w.opset >= 20:
        return w.node("Gelu", x, approximate=approximate)
    if approximate == "tanh":
        cubed = w.node("Mul", w.node("Mul", x, x), x)
        inside = w.node("Tanh", _times(w, w.node("Add", x, _times(w, cubed, 0.044715)), math.sqrt(2 / math.pi)))
    else:
        inside = w.node("Erf", _times(w, x, math.sqrt(0.5)))
    return w.node("Mul", _times(w, x, 0.5), _plus(w, inside, 1.0))


@writes("gelu")
def _(w: Writer, input, approximate):
    return _gelu(w, w.cast(input, w.dtype), approximate)


@writes("fast_gelu")
def _(w: Writer, x):
    x = w.cast(x, w.dtype)
    return w.node("Mul", x, w.node("Sigmoid", _times(w, x, 1.702)))


@writes("hardshrink")
def _(w: Writer, input, lambd):
    x, bound = w.cast(input, w.dtype), w.value(lambd, w.dtype)
    inside = w.node("LessOrEqual", w.node("Abs", x), bound, dtype=dt.bool_)
    return w.node("Where", inside, w.constant(0, w.dtype), x, dtype=w.dtype)


@writes("softshrink")
def _(w: Writer, input, lambd):
    x, bound = w.cast(input, w.dtype), w.value(lambd, w.dtype)
    rest = w.node("Relu", w.node("Sub", w.node("Abs", x), bound))
    return w.node("Mul", w.node("Sign", x), rest)


@writes("threshold")
def _(w: Writer, input, thr, value):
    x = w.cast(input, w.dtype)
    is_more = w.node("Greater", x, w.value(thr, w.dtype), dtype=dt.bool_)
    return w.node("Where", is_more, x, w.value(value, w.dtype), dtype=w.dtype)


@writes("softmax")
def _(w: Writer, input, axis, dtype):
    return w.node("Softmax", w.cast(input, w.dtype), axis=axis)


@writes("log_softmax")
def _(w: Writer, logits, axis):
    return w.node("LogSoftmax", w.cast(logits, w.dtype), axis=axis)


# -- from ONNX --------------------------------------------------------------------------------------------------------


@reads("LeakyRelu")
def leaky_relu(X, *, alpha=0.01):
    return ops.leaky_relu(X, alpha)


@reads("PRelu")
def prelu(X, slope):
    return ops.where(X < 0, X * slope, X)


@reads("Elu")
def elu(X, *, alpha=1.0):
    return ops.elu(X, alpha)


@reads("Celu")
def celu(X, *, alpha=1.0):
    return ops.celu(X, alpha)


@reads("Selu")
def selu(X, *, alpha=1.67326319217681884765625, gamma=1.05070102214813232421875):
    return ops.where(X > 0, gamma * X, gamma * alpha * ops.expm1(ops.minimum(X, 0)))


@reads("ThresholdedRelu")
def thresholded_relu(X, *, alpha=1.0):
    return ops.where(alpha < X, X, ops.zeros_like(X))


@reads("HardSigmoid")
def hard_sigmoid(X, *, alpha=0.2, beta=0.5):
    return ops.clamp(alpha * X + beta, 0, 1)


@reads("HardSwish")
def hard_swish(X):
    return ops.hardswish(X)


@reads("Softplus")
def softplus(X):
    return ops.logaddexp(X, ops.zeros_like(X))


@reads("Mish")
def mish(X):
    return ops.mish(X)


@reads("Gelu")
def gelu(X, *, approximate="none"):
    return ops.gelu(X, approximate)


@reads("Swish")
def swish(X, *, alpha=1.0):
    return X * ops.sigmoid(alpha * X)


@reads("SwiGLU")
def swiglu(A, B, *, alpha=1.0):
    return swish(A, alpha=alpha) * B


@reads("Shrink")
def shrink(input, *, lambd=0.5, bias=0.0):
    x = input
    zero = ops.zeros_like(x)
    if not x.dtype.is_float:
        wide = ops.cast(x, dt.float32)
        return ops.cast(shrink(wide, lambd=lambd, bias=bias), x.dtype)
    return ops.where(x < -lambd, x + bias, ops.where(x > lambd, x - bias, zero))


def _along(function, x, axis, version):
    """On one axis; in versions before 13 on all from it on."""
    if version >= 13:
        return function(x, -1 if axis is None else axis)
    axis = 1 if axis is None else axis
    shape = x.shape
    rows = 1
    for n in shape[: axis % max(len(shape), 1)]:
        rows *= n
    return ops.reshape(function(ops.reshape(x, (rows, -1)), 1), shape)


@reads("Softmax")
def softmax(input, *, axis=None, version):
    return _along(ops.softmax, input, axis, version)


@reads("LogSoftmax")
def log_softmax(input, *, axis=None, version):
    return _along(ops.log_softmax, input, axis, version)


@reads("Hardmax")
def hardmax(input, *, axis=None, version):
    return _along(_hardmax, input, axis, version)


def _hardmax(x, axis):
    places = ops.expand_dims(ops.argmax(x, axis), axis)
    line = [1] * x.ndim
    line[axis] = x.shape[axis]
    return ops.cast(places == ops.reshape(ops.arange(x.shape[axis]), tuple(line)), x.dtype)
