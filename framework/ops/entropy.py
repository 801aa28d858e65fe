"""Cross entropy of logits, or of log-probabilities, with class labels or with probabilities: fused row kernels.

With logits x, p = softmax(x), and weights q of the classes, the loss of a row and its gradient are

    loss = -sum(q log p)           dx = p sum(q) - q

For a class label y, class weights w and a smoothing of e over n classes, q = (1 - e) w[y] at y, plus e / n · w everywhere.
The reduced loss is one operator and so is its gradient: what a small network pays for a loss is mostly calls.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anfora.core.abstract import TensorType
from anfora.core.dtype import DType, float32, float64
from anfora.core.errors import OpIndexError, OpTypeError, OpValueError
from anfora.core.op import op
from anfora.core.tensor import Tensor
from anfora.kernel import bodies
from anfora.kernel.emit import Value
from anfora.kernel.loops import plan_elementwise
from anfora.kernel.memory import compute_elem
from anfora.kernel.plan import Buffer, Planner
from anfora.kernel.reduce import plan_reduce
from anfora.kernel.rows import At, Row, plan_rows
from anfora.ops.composite import composite
from anfora.ops.copying import cast
from anfora.ops.families import along, normalize_axis, spread
from anfora.ops.places import pick
from anfora.ops.reduction import reduce_sum
from anfora.ops.shape import expand_dims, full, reshape
from anfora.ops.softmaxes import log_softmax, softmax, softmax_gradient

__all__ = ["cross_entropy", "nll_loss", "softmax_cross_entropy_with_logits"]

REDUCTIONS = ("none", "mean", "sum")


def check_reduction(name: str, reduction: Any, *more: str) -> None:
    """Refuse what is no reduction; a loss may know more of them."""
    known = (*REDUCTIONS, *more)
    if not isinstance(reduction, str) or reduction not in known:
        raise OpValueError(
            f"{name}: `reduction` must be one of {', '.join(map(repr, known))}, but got {reduction!r}",
            arg="reduction",
        )


def _class_axis(ndim: int) -> int:
    return 0 if ndim == 1 else 1


# -- class labels -----------------------------------------------------------------------------------------------------


@op
def class_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None, ignore_index, reduction, label_smoothing, from_logits
):
    """The cross entropy of `input` (N, C, *) or (C,) with class labels (N, *) or (); see `cross_entropy`, `nll_loss`.

    `from_logits` tells whether `input` holds logits or log-probabilities.
    """


class_cross_entropy.mixed = "single"


@class_cross_entropy.infer
def _(input, target, weight, *, ignore_index, reduction, label_smoothing, from_logits):
    name = "cross_entropy" if from_logits else "nll_loss"
    axis = _class_axis(input.ndim)
    if input.ndim == 0 or input.shape[:axis] + input.shape[axis + 1 :] != target.shape:
        raise OpValueError(
            f"{name}: labels of shape {list(target.shape)} do not fit {input!r}, whose classes lie along axis {axis}",
            arg="target",
        )
    if weight is not None and (weight.shape != (input.shape[axis],) or not weight.dtype.is_float):
        raise OpValueError(
            f"{name} needs a floating-point `weight` of shape {[input.shape[axis]]}, but got {weight!r}", arg="weight"
        )
    return TensorType(input.dtype, target.shape if reduction == "none" else ())


@class_cross_entropy.fault
def _(position, input, target, weight, *, from_logits, **attributes):
    row = np.unravel_index(position, target.shape)
    place = ", ".join(str(int(i)) for i in row)
    return OpIndexError(
        f"{'cross_entropy' if from_logits else 'nll_loss'}: the label {target[row]}"
        + (f" of row {place}" if row else "")
        + f" is not one of the {input.shape[_class_axis(input.ndim)]} classes",
        arg="target",
        help="labels count from 0; `ignore_index` marks those to leave out.",
    )


class _Label:
    """What a row body needs of the label of its row: input 1, with the number of the label to ignore as number 0."""

    def __init__(self, row: Row, weighted: bool) -> None:
        label = row.input(1).value
        self.ignored = label == row.parameter(0).to("i64")
        self.outside = (label < 0) | (label >= row.length)
        self.index = row.fn.select(self.outside, 0, label)
        weight = row.input(2).element(self.index) if weighted else row.constant(1.0, row.elem)
        self.weight = row.fn.select(self.ignored, 0.0, weight)


def _loss(weighted: bool, smooth: bool, from_logits: bool, with_weight: bool):
    """The row body of the loss: inputs x, label, [weight]; outputs loss, [weight of the label]."""

    def body(row: Row) -> None:
        x, label = row.input(0), _Label(row, weighted)
        row.refuse(label.outside & ~label.ignored)
        picked = x.element(label.index).to("f64")

        def spread(at: At) -> Value:
            """The share of a class in the smoothed loss, but for a constant."""
            return (x[at] - top) * row.input(2)[at] if weighted else x[at] - top

        if from_logits:
            top = row.max(lambda at: x[at])
            if smooth:
                total, shares = row.sums(2, lambda at: (bodies.exp(x[at] - top), spread(at)))
            else:
                total = row.sum(lambda at: bodies.exp(x[at] - top))
            shift = bodies.log(total)
            loss = shift - (picked - top.to("f64"))
        else:
            top = row.constant(0.0, row.elem)
            shares = row.sum(spread) if smooth else None
            shift = row.constant(0.0)
            loss = -picked
        loss = loss * label.weight.to("f64")
        if smooth:
            part = row.parameter(1)
            all_weights = row.sum(lambda at: row.input(2)[at]) if weighted else row.count
            loss = loss * (1.0 - part) + (shift * all_weights - shares) * (part / row.count)
        row.output(0).set(row.fn.select(label.ignored, 0.0, loss).to(row.elem))
        if with_weight:
            row.output(1).set(label.weight)

    return body


def _weight_of_label(weighted: bool):
    def body(row: Row) -> None:
        row.output(0).set(_Label(row, weighted).weight)

    return body


_SWITCHES = (False, True)
_LOSS = {
    key: _loss(*key)
    for key in ((w, s, x, t) for w in _SWITCHES for s in _SWITCHES for x in _SWITCHES for t in _SWITCHES)
}
_WEIGHT = {w: _weight_of_label(w) for w in _SWITCHES}


def _operands(input: Buffer, target: Buffer, weight: Buffer | None) -> list[tuple[Buffer, str]]:
    return [(input, "row"), (target, "one"), *([] if weight is None else [(weight, "shared")])]


def _wide(dtype: DType) -> DType:
    return float64 if dtype is float64 else float32


@class_cross_entropy.kernel
def _(
    p: Planner, input: Buffer, target: Buffer, weight: Buffer | None, out: Buffer,
    *, ignore_index, reduction, label_smoothing, from_logits,
):  # fmt: skip
    wide = _wide(input.dtype)
    losses = out if reduction == "none" else p.workspace(wide, *target.shape)
    weights = p.workspace(wide, *target.shape) if reduction == "mean" else None
    body = _LOSS[weight is not None, label_smoothing != 0.0, from_logits, weights is not None]
    outputs = [(buffer, "one") for buffer in (losses, weights) if buffer is not None]
    plan_rows(
        p, body, _operands(input, target, weight), outputs, _class_axis(input.ndim), 0.4, integers=(1,),
        numbers=(ignore_index, label_smoothing),
    )  # fmt: skip
    every = tuple(range(target.ndim))
    if reduction == "sum":
        plan_reduce(p, "sum", losses, out, every)
    elif weights is not None:
        total, count = p.workspace(wide), p.workspace(wide)
        plan_reduce(p, "sum", losses, total, every)
        plan_reduce(p, "sum", weights, count, every)
        elem = compute_elem(wide.code)
        plan_elementwise(p, _ratio, [(total, elem), (count, elem)], [(out, elem)])


def _ratio(a: Value, b: Value) -> Value:
    return a / b


@class_cross_entropy.vjp("input")
def _(input, target, weight, *, ignore_index, reduction, label_smoothing, from_logits, g):
    return class_cross_entropy_gradient(input, target, weight, g, ignore_index, reduction, label_smoothing, from_logits)


@class_cross_entropy.vjp("weight")
def _(input, target, weight, out, *, ignore_index, reduction, label_smoothing, from_logits, g):
    axis = _class_axis(input.ndim)
    log_p = log_softmax(input, axis) if from_logits else input
    losses = _class_weights(input, target, None, ignore_index, label_smoothing) * log_p
    if reduction != "mean":
        return _to_weight(losses * (expand_dims(g, axis) if reduction == "none" else g), axis)
    counts = -_class_weights(input, target, None, ignore_index, 0.0)
    return _to_weight(losses - counts * out, axis) * (g / _total_weight(input, target, weight, ignore_index))


@class_cross_entropy.batch
def _(batched, input, target, weight, *, ignore_index, reduction, label_smoothing, from_logits):
    if batched[2] or input.dtype.bits < 32:
        return NotImplemented
    input, target = spread(batched[:2], (input, target))
    count, labels = target.shape[0], target
    if input.ndim > 2:
        input = reshape(input, (count * input.shape[1], *input.shape[2:]))
        labels = reshape(target, (count * target.shape[1], *target.shape[2:]))
    losses = class_cross_entropy(input, labels, weight, ignore_index, "none", label_smoothing, from_logits)
    if reduction == "none":
        return losses
    total = reduce_sum(reshape(losses, (count, target.size // count)), 1)
    if reduction == "sum":
        return total
    shares = cast(target != ignore_index, input.dtype)
    if weight is not None:
        shares = shares * pick(cast(weight, input.dtype), target * cast(shares, target.dtype), "parts")
    return total / reduce_sum(reshape(shares, (count, target.size // count)), 1)


@op
def class_cross_entropy_gradient(
    input: Tensor, target: Tensor, weight: Tensor | None, gradient: Tensor,
    ignore_index, reduction, label_smoothing, from_logits,
):  # fmt: skip
    """The gradient of `class_cross_entropy` to its input, fused."""


@class_cross_entropy_gradient.infer
def _(input, target, weight, gradient, **attributes):
    return input


def _slope(weighted: bool, smooth: bool, from_logits: bool, by_mean: bool):
    """The row body of the gradient: inputs x, label, [weight], gradient, [total weight]; output dx."""

    def body(row: Row) -> None:
        fn, x, out, label = row.fn, row.input(0), row.output(0), _Label(row, weighted)
        gradient = row.input(2 + weighted).value.to("f64")
        if by_mean:
            gradient = gradient / row.input(3 + weighted).value.to("f64")
        ours = label.weight.to("f64")
        part: Any = None
        share: Any = None
        scale: Any = None
        if smooth:
            part = row.parameter(1)
            share = part / row.count
            ours = ours * (1.0 - part)
        if from_logits:
            draft = row.draft(out)
            top = row.max(lambda at: x[at])
            total = row.sum(lambda at: draft.put(at, bodies.exp(x[at] - top)))
            all_weights = ours
            if smooth:
                all_weights = ours + (row.sum(lambda at: row.input(2)[at]) * share if weighted else part)
            scale = (gradient * all_weights / total).to(row.elem)
        picked = (gradient * ours).to(row.elem)
        spread: Any = (gradient * share).to(row.elem) if smooth else None
        index = label.index.to("i32")

        def value(at: At) -> Value:
            d = -fn.select(row.columns(at) == index, picked, 0.0)
            if smooth:
                d = d - (row.input(2)[at] * spread if weighted else spread)
            if from_logits:
                d = draft[at] * scale + d
            return fn.select(label.ignored, 0.0, d)

        row.each(lambda at: out.put(at, value(at)))

    return body


_SLOPE = {
    key: _slope(*key)
    for key in ((w, s, x, m) for w in _SWITCHES for s in _SWITCHES for x in _SWITCHES for m in _SWITCHES)
}


@class_cross_entropy_gradient.kernel
def _(
    p: Planner, input: Buffer, target: Buffer, weight: Buffer | None, gradient: Buffer, out: Buffer,
    *, ignore_index, reduction, label_smoothing, from_logits,
):  # fmt: skip
    axis = _class_axis(input.ndim)
    numbers = (ignore_index, label_smoothing)
    inputs = _operands(input, target, weight)
    by_mean = reduction == "mean"
    body = _SLOPE[weight is not None, label_smoothing != 0.0, from_logits, by_mean]
    last = [(gradient, "one" if reduction == "none" else "single")]
    if by_mean:
        wide = _wide(input.dtype)
        weights, count = p.workspace(wide, *target.shape), p.workspace(wide)
        plan_rows(p, _WEIGHT[weight is not None], inputs, [(weights, "one")], axis, 0.0, integers=(1,), numbers=numbers)
        plan_reduce(p, "sum", weights, count, tuple(range(target.ndim)))
        last.append((count, "single"))
    plan_rows(p, body, [*inputs, *last], [(out, "row")], axis, 0.5, integers=(1,), numbers=numbers)


@class_cross_entropy_gradient.vjp("input", "gradient")
def _(input, target, weight, gradient, *, ignore_index, reduction, label_smoothing, from_logits, g):
    axis = _class_axis(input.ndim)
    shares = -_class_weights(input, target, weight, ignore_index, label_smoothing)
    if reduction == "mean":
        shares = shares / _total_weight(input, target, weight, ignore_index)
    scale = expand_dims(gradient, axis) if reduction == "none" else gradient
    if not from_logits:
        return None, _to_gradient(-shares * g, reduction, axis)
    p = softmax(input, axis)
    total = reduce_sum(shares, axis, True)
    return softmax_gradient(p, g, axis) * (scale * total), _to_gradient((p * total - shares) * g, reduction, axis)


@class_cross_entropy_gradient.vjp("weight")
def _(input, target, weight, gradient, out, *, ignore_index, reduction, label_smoothing, from_logits, g):
    axis = _class_axis(input.ndim)
    spread = reduce_sum(softmax(input, axis) * g, axis, True) - g if from_logits else -g
    scale = expand_dims(gradient, axis) if reduction == "none" else gradient
    of_shares = -_class_weights(input, target, None, ignore_index, label_smoothing) * spread * scale
    if reduction != "mean":
        return _to_weight(of_shares, axis)
    counts = -_class_weights(input, target, None, ignore_index, 0.0)
    of_total = _to_weight(counts, axis) * reduce_sum(g * out)
    return (_to_weight(of_shares, axis) - of_total) / _total_weight(input, target, weight, ignore_index)


def _class_weights(x: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int, smoothing: float) -> Tensor:
    """-q for each row, (N, C, *)."""
    ones = full(target.shape, 1.0, dtype=x.dtype)
    return class_cross_entropy_gradient(x, target, weight, ones, ignore_index, "none", smoothing, False)


def _total_weight(x: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int) -> Tensor:
    """What a mean is divided by."""
    return -reduce_sum(_class_weights(x, target, weight, ignore_index, 0.0))


def _to_weight(x: Tensor, axis: int) -> Tensor:
    """A gradient (N, C, *) summed over the rows."""
    return reduce_sum(x, tuple(i for i in range(x.ndim) if i != axis)) if x.ndim > 1 else x


def _to_gradient(x: Tensor, reduction: str, axis: int) -> Tensor:
    return reduce_sum(x, axis if reduction == "none" else None)


# -- probabilities ----------------------------------------------------------------------------------------------------


@op
def softmax_cross_entropy_with_logits(logits: Tensor, labels: Tensor, axis=-1):
    """The cross entropy of logits with probabilities, for each row: -sum(labels · log_softmax(logits)) along an axis.

    Args:
        logits: float tensor (..., C, ...); unnormalised log-probabilities, in nats.
        labels: tensor of the same shape: probabilities, one-hot rows among them.
        axis: the axis of the classes.
    Returns:
        float tensor of the shape of the other axes, of the type of `logits`.
    Raises:
        OpTypeError: `logits` is not floating point.
        OpValueError: shapes differ, or `axis` is out of range.
    Gradient:
        g (softmax(logits) sum(labels) - labels) to the logits, -g log_softmax(logits) to the labels.
    Example:
        >>> softmax_cross_entropy_with_logits(Tensor([[0., 0.]]), Tensor([[1., 0.]]))
        Tensor(shape=[1], dtype=Float32, value= [ 6.93147182e-01])
    """


softmax_cross_entropy_with_logits.mixed = "single"


@softmax_cross_entropy_with_logits.normalize
def _(logits, labels, *, axis):
    return {"axis": normalize_axis("softmax_cross_entropy_with_logits", axis, logits.ndim)}


@softmax_cross_entropy_with_logits.infer
def _(logits, labels, *, axis):
    name = "softmax_cross_entropy_with_logits"
    if not logits.dtype.is_float:
        raise OpTypeError(f"{name} needs a floating-point tensor for `logits`, but got {logits!r}", arg="logits")
    if labels.shape != logits.shape or logits.ndim == 0:
        raise OpValueError(
            f"{name}: the shapes of {logits!r} and {labels!r} must be equal, and have axes", arg="labels"
        )
    return TensorType(logits.dtype, logits.shape[:axis] + logits.shape[axis + 1 :])


def _soft_loss(row: Row) -> None:
    x, t = row.input(0), row.input(1)
    top = row.max(lambda at: x[at])

    def terms(at: At) -> tuple[Value, ...]:
        # A class that is impossible by both counts adds nothing, as 0 log 0 = 0.
        share = row.fn.select(t[at] == 0.0, 0.0, t[at] * (x[at] - top))
        return bodies.exp(x[at] - top), share, t[at]

    total, shares, weights = row.sums(3, terms)
    row.output(0).set((bodies.log(total) * weights - shares).to(row.elem))


@softmax_cross_entropy_with_logits.kernel
def _(p: Planner, logits: Buffer, labels: Buffer, out: Buffer, *, axis):
    plan_rows(p, _soft_loss, [(logits, "row"), (labels, "row")], [(out, "one")], axis, 0.5)


@softmax_cross_entropy_with_logits.vjp("logits")
def _(logits, labels, *, axis, g):
    return soft_cross_entropy_gradient(logits, labels, g, axis)


@softmax_cross_entropy_with_logits.vjp("labels")
def _(logits, *, axis, g):
    return -(log_softmax(logits, axis) * expand_dims(g, axis))


along(softmax_cross_entropy_with_logits, "axis", count=2)


@op
def soft_cross_entropy_gradient(logits: Tensor, labels: Tensor, gradient: Tensor, axis):
    """g (softmax(logits) sum(labels) - labels): the gradient of `softmax_cross_entropy_with_logits`, fused."""


@soft_cross_entropy_gradient.infer
def _(logits, labels, gradient, *, axis):
    return logits


def _soft_slope(row: Row) -> None:
    x, t, out = row.input(0), row.input(1), row.output(0)
    draft = row.draft(out)
    top = row.max(lambda at: x[at])
    total, weights = row.sums(2, lambda at: (draft.put(at, bodies.exp(x[at] - top)), t[at]))
    scale = (weights / total).to(row.elem)
    gradient = row.input(2).value
    row.each(lambda at: out.put(at, (draft[at] * scale - t[at]) * gradient))


@soft_cross_entropy_gradient.kernel
def _(p: Planner, logits: Buffer, labels: Buffer, gradient: Buffer, out: Buffer, *, axis):
    plan_rows(p, _soft_slope, [(logits, "row"), (labels, "row"), (gradient, "one")], [(out, "row")], axis, 0.6)


@soft_cross_entropy_gradient.vjp("logits", "labels", "gradient")
def _(logits, labels, gradient, *, axis, g):
    scale = expand_dims(gradient, axis)
    p = softmax(logits, axis)
    total = reduce_sum(labels, axis, True)
    to_labels = (reduce_sum(p * g, axis, True) - g) * scale
    return softmax_gradient(p, g, axis) * (total * scale), to_labels, reduce_sum((p * total - labels) * g, axis)


# -- functions --------------------------------------------------------------------------------------------------------


@composite
def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """The cross entropy of logits with class labels or class probabilities.

    For a label y the loss of a row x is -w[y] log softmax(x)[y]; for probabilities t it is -sum(w t log softmax(x)).

    Args:
        input: float tensor (N, C, *) or (C,); unnormalised log-probabilities, in nats.
        target: integer tensor (N, *) or () of labels in [0, C); or a float tensor of the shape of `input`.
        weight: float tensor (C,), the weights w of the classes; ones when not given.
        ignore_index: rows with this label count nothing.
        reduction: "none" gives the loss of each row, "sum" their sum, "mean" the sum divided by the sum of the weights
            w[y] of the rows that count (for probabilities: by N).
        label_smoothing: in [0, 1]; mixes the target with so much of the uniform distribution.
    Returns:
        float tensor of the type of `input`: (N, *) for "none", else ().
    Raises:
        OpTypeError: `input` is not floating point, `target` is bool, or `ignore_index` is no int.
        OpValueError: shapes do not fit; `reduction` or `label_smoothing` are out of range.
        OpIndexError: a label is not in [0, C).
    Source:
        Smoothing: Szegedy et al., arXiv:1512.00567 (2016).
    Example:
        >>> cross_entropy(Tensor([[0., 0.], [9., 0.]]), Tensor([1, -100]))
        Tensor(shape=[], dtype=Float32, value= 0.693147)
    """
    _check_loss("cross_entropy", "input", input, reduction, label_smoothing)
    axis = _class_axis(input.ndim)
    if not target.dtype.is_float:
        return class_cross_entropy(
            input, _labels("cross_entropy", "target", target), weight, _ignored("cross_entropy", ignore_index), reduction,
            float(label_smoothing), True,
        )  # fmt: skip
    if target.shape != input.shape:
        raise OpValueError(
            f"cross_entropy: probabilities of shape {list(target.shape)} do not fit an input of shape {list(input.shape)}",
            arg="target",
            help="class labels must be integers, e.g. target.astype(int32).",
        )
    if label_smoothing:
        target = target * (1.0 - label_smoothing) + label_smoothing / input.shape[axis]
    if weight is not None:
        target = target * reshape(weight, (-1, *(1 for _ in input.shape[axis + 1 :])))
    losses = softmax_cross_entropy_with_logits(input, target, axis)
    if reduction == "none":
        return losses
    total = reduce_sum(losses)
    return total if reduction == "sum" else total / losses.size


@composite
def nll_loss(
    inputs: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """The negative log-likelihood of class labels: for a label y and log-probabilities x, -w[y] x[y].

    The arguments are those of `cross_entropy`, with log-probabilities for logits and class labels only.

    Example:
        >>> nll_loss(Tensor([[-1., -2.], [-3., -4.]]), Tensor([1, 0]), reduction="sum").item()
        5.0
    """
    _check_loss("nll_loss", "inputs", inputs, reduction, label_smoothing)
    return class_cross_entropy(
        inputs, _labels("nll_loss", "target", target), weight, _ignored("nll_loss", ignore_index), reduction,
        float(label_smoothing), False,
    )  # fmt: skip


def _ignored(name: str, ignore_index: Any) -> int:
    """The label that counts nothing."""
    if isinstance(ignore_index, bool) or not isinstance(ignore_index, (int, np.integer)):
        raise OpTypeError(f"{name} needs an int for `ignore_index`, but got {ignore_index!r}", arg="ignore_index")
    return int(ignore_index)


def _check_loss(name: str, arg: str, x: Tensor, reduction: str, label_smoothing: float) -> None:
    if not x.dtype.is_float:
        raise OpTypeError(
            f"{name} needs a floating-point tensor for `{arg}`, but got {x.dtype}{list(x.shape)}",
            arg=arg,
            help="convert it first, e.g. x.astype(float32).",
        )
    check_reduction(name, reduction)
    if not 0.0 <= label_smoothing <= 1.0:
        raise OpValueError(
            f"{name}: `label_smoothing` must be in [0, 1], but got {label_smoothing}", arg="label_smoothing"
        )


def _labels(name: str, arg: str, labels: Tensor) -> Tensor:
    if not labels.dtype.is_integer:
        raise OpTypeError(
            f"{name} needs integer labels for `{arg}`, but got {labels.dtype}{list(labels.shape)}", arg=arg
        )
    return labels
