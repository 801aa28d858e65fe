"""Connectionist temporal classification, sequences of labels without their places in time: the loss, and what is read."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from anfora.core.abstract import TensorType
from anfora.core.dtype import bool_, int64
from anfora.core.errors import OpIndexError, OpTypeError, OpValueError
from anfora.core.op import op
from anfora.core.tensor import Tensor
from anfora.kernel.ctc import plan_ctc, plan_ctc_gradient
from anfora.kernel.plan import Planner
from anfora.ops.arithmetic import maximum
from anfora.ops.comparison import where
from anfora.ops.composite import composite
from anfora.ops.copying import cast
from anfora.ops.creation import arange, full, ones
from anfora.ops.entropy import check_reduction
from anfora.ops.indexing import argwhere, getitem
from anfora.ops.joining import concat, stack
from anfora.ops.reduction import argmax_with_value, reduce_max, reduce_mean, reduce_sum
from anfora.ops.scan import cumsum
from anfora.ops.shape import expand_dims, transpose

__all__ = ["ctc_greedy_decoder", "ctc_loss"]


@op
def ctc_sums(log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor, blank):
    """The losses (N,) and the table of forward sums (N, T, 2 S + 1) of `ctc_loss`; see `kernel/ctc.py`."""


@ctc_sums.infer
def _(log_probs, targets, input_lengths, target_lengths, *, blank):
    if not log_probs.dtype.is_float or log_probs.ndim != 3:
        raise OpTypeError(
            f"ctc_loss needs a float tensor (T, N, C) for `log_probs`, but got {log_probs!r}", arg="log_probs"
        )
    steps, batch, classes = log_probs.shape
    if not targets.dtype.is_integer or targets.ndim != 2 or targets.shape[0] != batch:
        raise OpValueError(
            f"ctc_loss needs integers of shape ({batch}, S) for `targets`, but got {targets!r}", arg="targets"
        )
    for name, x in (("input_lengths", input_lengths), ("target_lengths", target_lengths)):
        if not x.dtype.is_integer or x.shape != (batch,):
            raise OpValueError(f"ctc_loss needs {batch} integers for `{name}`, but got {x!r}", arg=name)
    if not 0 <= blank < classes:
        raise OpValueError(f"ctc_loss: `blank` must be in [0, {classes - 1}], but got {blank}", arg="blank")
    return TensorType(log_probs.dtype, (batch,)), TensorType(log_probs.dtype, (batch, steps, 2 * targets.shape[1] + 1))


@ctc_sums.kernel
def _(p: Planner, log_probs, targets, input_lengths, target_lengths, loss, alpha, *, blank):
    plan_ctc(p, log_probs, targets, input_lengths, target_lengths, loss, alpha, blank)


@ctc_sums.fault
def _(position, log_probs, targets, input_lengths, target_lengths, *, blank):
    steps, _, classes = log_probs.shape
    for name, lengths, most in (
        ("input_lengths", input_lengths, steps), ("target_lengths", target_lengths, targets.shape[1]),
    ):  # fmt: skip
        if not 0 <= lengths[position] <= most:
            return OpValueError(
                f"ctc_loss: the length {lengths[position]} of example {position} is not in [0, {most}]", arg=name
            )
    labels = targets[position][: target_lengths[position]]
    bad = labels[(labels < 0) | (labels >= classes) | (labels == blank)][0]
    what = "the blank" if bad == blank else f"not one of the {classes} classes"
    return OpIndexError(f"ctc_loss: the label {bad} of example {position} is {what}", arg="targets")


@ctc_sums.vjp("log_probs")
def _(log_probs, targets, input_lengths, target_lengths, *, blank, g):
    to_loss, to_alpha = g
    if to_alpha is not None:
        raise NotImplementedError("the gradient of the second result of ctc_loss, log_alpha")
    return ctc_gradient(to_loss, log_probs, targets, input_lengths, target_lengths, blank)


@op
def ctc_gradient(
    gradient: Tensor, log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor, blank
):
    """The gradient of the losses of `ctc_sums`: -g times the probability that the class is read at that time."""


@ctc_gradient.infer
def _(gradient, log_probs, targets, input_lengths, target_lengths, *, blank):
    return log_probs


@ctc_gradient.kernel
def _(p: Planner, gradient, log_probs, targets, input_lengths, target_lengths, out, *, blank):
    plan_ctc_gradient(p, gradient, log_probs, targets, input_lengths, target_lengths, out, blank)


@ctc_gradient.vjp("gradient", "log_probs")
def _(*, g):
    raise NotImplementedError("the second derivative of ctc_loss")


@composite
def ctc_loss(
    log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: int = 0, reduction: str = "mean",
    zero_infinity: bool = False,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The negative logarithm of the probability of sequences of labels, over all ways to place them in time.

    Args:
        log_probs: float tensor (T, N, C), or (T, C) for one sequence: logarithms of the probabilities of classes at times.
        targets: integer tensor (N, S) of labels in [0, C), or (S,) for one sequence.
        input_lengths: how many times of each example count, (N,): integers, as a tensor or a tuple.
        target_lengths: how many labels each example has, (N,).
        blank: the class that stands for no label.
        reduction: "none", "sum", or "mean", for which each loss is divided by the length of its labels first.
        zero_infinity: whether infinite losses (there are too few times for the labels) become 0, without a gradient.
    Returns:
        tuple of the loss, (N,), or () for one sequence, for "none", else (), and the table of forward sums, logarithms,
        (N, T, 2 S + 1).
    Raises:
        OpIndexError: a label is not in [0, C), or is the blank.
        OpValueError: shapes do not fit, or a length is out of range.
    Gradient:
        of the loss, to log_probs; the second derivative is missing.
    Source:
        Graves, Fernández, Gomez & Schmidhuber, ICML 2006.
    Example:
        >>> p = log(Tensor([[[0.5, 0.5]], [[0.25, 0.75]]]))
        >>> loss, _ = ctc_loss(p, Tensor([[1]]), (2,), (1,))
        >>> f"{exp(-loss).item():.4f}"
        '0.8750'
    """
    check_reduction("ctc_loss", reduction)
    lengths = [x if isinstance(x, Tensor) else Tensor(np.asarray(x, np.int64)) for x in (input_lengths, target_lengths)]
    single = log_probs.ndim == 2
    if single:
        log_probs, targets = expand_dims(log_probs, 1), expand_dims(targets, 0)
        lengths = [x.reshape((-1,)) for x in lengths]
    losses, sums = ctc_sums(log_probs, targets, *lengths, int(blank))
    if zero_infinity:
        losses = where(losses == math.inf, 0.0, losses)
    if reduction == "mean":
        losses = reduce_mean(losses / cast(maximum(lengths[1], 1), losses.dtype))
    elif reduction == "sum":
        losses = reduce_sum(losses)
    elif single:
        losses = losses.reshape(())
    return losses, sums


@composite
def ctc_greedy_decoder(
    inputs: Tensor, sequence_length: Tensor, merge_repeated: bool = True
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """What is read where each time has its best class, the first of equal ones; the last class stands for no label.

    Args:
        inputs: float tensor (T, N, C): what speaks for classes at times.
        sequence_length: how many times of each example count, (N,): integers.
        merge_repeated: whether a class that is best at several times in a row is read once.
    Returns:
        the labels as a sparse matrix, of which a row is an example, and the sum of what speaks for the best classes,
        negated: places (K, 2) and labels (K,), row by row; (N, the greatest number of labels), int64 as they are; and
        (N, 1), of the type of `inputs`.
    Raises:
        OpTypeError: `merge_repeated` is not a bool, or an element type is wrong.
        OpValueError: shapes do not fit, or a length is out of range.
    Gradient:
        of the last result: -g to the best classes.
    Example:
        >>> x = Tensor([[[0.6, 0.4, 0.2]], [[0.0, 0.6, 0.0]], [[0.1, 0.2, 0.3]]])
        >>> places, labels, shape, score = ctc_greedy_decoder(x, Tensor([3]))
        >>> places.tolist(), labels.tolist(), shape.tolist(), f"{score.item():.1f}"
        ([[0, 0], [0, 1]], [0, 1], [1, 2], '-1.5')
    """
    if not isinstance(merge_repeated, bool):
        raise OpTypeError(
            f"ctc_greedy_decoder needs a bool for `merge_repeated`, but got {merge_repeated!r}", arg="merge_repeated"
        )
    if not inputs.dtype.is_float:
        raise OpTypeError(f"ctc_greedy_decoder needs a float tensor, but got {inputs.dtype}", arg="inputs")
    if inputs.ndim != 3 or not inputs.shape[2]:
        raise OpValueError(f"ctc_greedy_decoder needs a tensor (T, N, C), but got {inputs.shape}", arg="inputs")
    steps, batch, classes = inputs.shape
    if not sequence_length.dtype.is_integer or sequence_length.shape != (batch,):
        raise OpValueError(
            f"ctc_greedy_decoder needs {batch} integers for `sequence_length`, but got {sequence_length.dtype} of shape "
            f"{sequence_length.shape}",
            arg="sequence_length",
        )
    wrong = argwhere((sequence_length < 0) | (sequence_length > steps))
    if wrong.shape[0]:
        example = int(wrong[0, 0])
        raise OpValueError(
            f"ctc_greedy_decoder: the length {int(sequence_length[example])} of example {example} is not in [0, {steps}]",
            arg="sequence_length",
        )
    best, path = argmax_with_value(transpose(inputs, (1, 0, 2)), 2)
    counts = arange(steps) < expand_dims(sequence_length, 1)
    read = counts & (path != classes - 1)
    if merge_repeated and steps > 1:
        read = read & concat((ones((batch, 1), bool_), path[:, 1:] != path[:, :-1]), 1)
    order = cumsum(cast(read, int64), 1)
    places = stack((argwhere(read)[:, 0], getitem(order, read) - 1), 1)
    widest = reduce_max(concat((full((1,), 0, dtype=int64), reduce_sum(cast(read, int64), 1)), 0))
    shape = stack((full((), batch, dtype=int64), widest), 0)
    score = reduce_sum(where(counts, -best, 0.0), 1, keep_dims=True)
    return places, getitem(path, read), shape, score
