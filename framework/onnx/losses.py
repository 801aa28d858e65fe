"""Losses."""

from __future__ import annotations

from anfora import ops
from anfora.core import dtype as dt
from anfora.onnx.table import reads


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
