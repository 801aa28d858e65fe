"""Losses."""

from __future__ import annotations

from typing import Any

from anfora import ops
from anfora.core import dtype as dt
from anfora.onnx.table import reads, writes
from anfora.onnx.writer import Value, Writer

# -- to ONNX ----------------------------------------------------------------------------------------------------------


def _reduced(w: Writer, x: Value, reduction: str) -> Value:
    if reduction == "none":
        return x
    kind = "ReduceMean" if reduction == "mean" else "ReduceSum"
    return w.node(kind, x, keepdims=0)


@writes("mse_loss")
def _(w: Writer, input, target, reduction):
    apart = w.node("Sub", w.value(input, w.dtype), w.value(target, w.dtype))
    return _reduced(w, w.node("Mul", apart, apart), reduction)


@writes("l1_loss")
def _(w: Writer, input, target, reduction):
    return _reduced(w, w.node("Abs", w.node("Sub", w.value(input, w.dtype), w.value(target, w.dtype))), reduction)


@writes("bounded_loss")
def _(w: Writer, input, target, bound, scale, reduction):
    bound, scale, half = (w.value(x, w.dtype) for x in (bound, scale, 0.5))
    size = w.node("Abs", w.node("Sub", w.value(input, w.dtype), w.value(target, w.dtype)))
    inside = w.node("Div", w.node("Mul", half, w.node("Mul", size, size)), scale)
    outside = w.node("Div", w.node("Mul", bound, w.node("Sub", size, w.node("Mul", half, bound))), scale)
    is_small = w.node("Less", size, bound, dtype=dt.bool_)
    return _reduced(w, w.node("Where", is_small, inside, outside, dtype=w.dtype), reduction)


def _weighted(w: Writer, x: Value, weight: Any) -> Value:
    return x if weight is None else w.node("Mul", x, w.value(weight, w.dtype))


@writes("binary_cross_entropy")
def _(w: Writer, logits, labels, weight, reduction):
    p, t, one = (w.value(x, w.dtype) for x in (logits, labels, 1))
    least = w.constant(-100, w.dtype)
    yes, no = (w.node("Max", w.node("Log", x), least) for x in (p, w.node("Sub", one, p)))
    loss = w.node("Neg", w.node("Add", w.node("Mul", t, yes), w.node("Mul", w.node("Sub", one, t), no)))
    return _reduced(w, _weighted(w, loss, weight), reduction)


@writes("binary_cross_entropy_with_logits")
def _(w: Writer, input, target, weight, pos_weight, reduction):
    x, t, one = (w.value(v, w.dtype) for v in (input, target, 1))
    yes, no = w.node("Softplus", w.node("Neg", x)), w.node("Softplus", x)
    yes = w.node("Mul", _weighted(w, t, pos_weight), yes)
    loss = w.node("Add", yes, w.node("Mul", w.node("Sub", one, t), no))
    return _reduced(w, _weighted(w, loss, weight), reduction)


@writes("divergence")
def _(w: Writer, logits, labels, reduction):
    x, t, one = (w.value(v, w.dtype) for v in (logits, labels, 1))
    zero = w.constant(0, w.dtype)
    is_there = w.node("Greater", t, zero, dtype=dt.bool_)
    safe = w.node("Where", is_there, t, one, dtype=w.dtype)
    loss = w.node("Mul", t, w.node("Sub", w.node("Log", safe), x))
    return _reduced(w, w.node("Where", is_there, loss, zero, dtype=w.dtype), reduction)


@writes("softmax_cross_entropy_with_logits")
def _(w: Writer, logits, labels, axis):
    chances = w.node("LogSoftmax", w.cast(logits, w.dtype), axis=axis)
    return w.node("Neg", w.reduce("ReduceSum", w.node("Mul", w.cast(labels, w.dtype), chances), (axis,), False))


@writes("class_cross_entropy")
def _(w: Writer, input, target, weight, ignore_index, reduction, label_smoothing, from_logits):
    if label_smoothing or input.ndim < 2:
        w.refuse("smoothed labels, and a loss of one example without an axis for it")
    index = target if target.dtype in (dt.int32, dt.int64) else w.cast(target, dt.int64)
    weights = None if weight is None else w.cast(weight, input.dtype)
    kind = "SoftmaxCrossEntropyLoss" if from_logits else "NegativeLogLikelihoodLoss"
    made = w.node(kind, input, index, weights, ignore_index=ignore_index, reduction=reduction)
    return w.cast(made, w.dtype)


# -- from ONNX --------------------------------------------------------------------------------------------------------


@reads("NegativeLogLikelihoodLoss")
def nll_loss(input, target, weight=None, *, ignore_index=None, reduction="mean"):
    """For (N, C, …) log probabilities those of the classes (N, …), weighted by class."""
    places = ops.cast(target, dt.int64)
    ignored = None if ignore_index is None else places == ignore_index
    if ignored is not None:
        places = ops.where(ignored, ops.zeros_like(places), places)
    picked = -ops.squeeze(ops.gather_elements(input, 1, ops.expand_dims(places, 1)), 1)
    shares = ops.ones(places.shape, input.dtype) if weight is None else ops.gather(weight, places, 0)
    if ignored is not None:
        shares = ops.where(ignored, ops.zeros_like(shares), shares)
    loss = picked * shares
    if ignored is not None:
        loss = ops.where(ignored, ops.zeros_like(loss), loss)
    if reduction == "none":
        return loss
    total = ops.reduce_sum(loss)
    return total if reduction == "sum" else total / ops.reduce_sum(shares)


@reads("SoftmaxCrossEntropyLoss")
def softmax_cross_entropy(scores, labels, weights=None, *, ignore_index=None, reduction="mean", outputs):
    chances = ops.log_softmax(scores, 1)
    loss = nll_loss(chances, labels, weights, ignore_index=ignore_index, reduction=reduction)
    return (loss, chances) if outputs > 1 else loss
