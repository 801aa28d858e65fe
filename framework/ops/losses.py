"""Losses other than cross entropy: how far outputs are from labels.

`reduction` says what is made of the losses of the elements: "mean", "sum", or "none" for all of them. Those that nets are
made of are one operator with their reduction, and one with their gradient; the reduced loss of halves is added up in
float32 and rounded once. The others are functions that are written in operators.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anfora.core import advice
from anfora.core.abstract import TensorType
from anfora.core.dtype import DType, float32, float64
from anfora.core.errors import OpTypeError, OpValueError, no_complex
from anfora.core.exact import LN_TAU
from anfora.core.op import Op, common_dtype, op, registry
from anfora.core.tensor import Tensor
from anfora.kernel import bodies
from anfora.kernel.bodies import absolute, select
from anfora.kernel.emit import Value
from anfora.kernel.loops import plan_elementwise
from anfora.kernel.memory import compute_elem
from anfora.kernel.plan import Buffer, Planner
from anfora.kernel.reduce import plan_reduce
from anfora.ops.activation import relu, sigmoid, softplus
from anfora.ops.arithmetic import abs, maximum, minimum
from anfora.ops.comparison import where
from anfora.ops.composite import composite
from anfora.ops.copying import cast
from anfora.ops.creation import arange
from anfora.ops.entropy import check_reduction
from anfora.ops.families import (
    OpWithNumbers,
    aligned,
    broadcast_shapes,
    by_element,
    elementwise,
    place_of_fault,
    with_absent,
)
from anfora.ops.indexing import gather, gather_elements
from anfora.ops.mathematics import exp, log, sqrt
from anfora.ops.reduction import euclidean_norm, reduce_max, reduce_mean, reduce_sum
from anfora.ops.scan import cumprod
from anfora.ops.shape import broadcast_to, expand_dims

__all__ = [
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cosine_embedding_loss", "cosine_similarity",
    "gaussian_nll_loss", "hinge_embedding_loss", "huber_loss", "kl_div", "l1_loss", "margin_ranking_loss", "mse_loss",
    "multi_margin_loss", "multilabel_margin_loss", "multilabel_soft_margin_loss", "poisson_nll_loss", "smooth_l1_loss",
    "soft_margin_loss", "triplet_margin_loss",
]  # fmt: skip


# -- what they share --------------------------------------------------------------------------------------------------


def _reduced(body: Callable, cost: float = 0.2) -> Callable[[Callable], Op]:
    """Make an operator (tensors and numbers, reduction) of the loss of one element."""

    def make(function: Callable) -> Op:
        made = op(function)
        if any(isinstance(made.defaults.get(name), (int, float)) for name in made.tensors):
            made = registry[made.name] = OpWithNumbers(function)

        def compute_type(abstracts: Any) -> DType:
            return common_dtype(*abstracts).lifted

        @made.normalize
        def normalize(*abstracts: Any, reduction: Any) -> dict:
            check_reduction(made.name, reduction)
            return {"reduction": reduction}

        @made.infer
        def infer(*abstracts: Any, reduction: str) -> TensorType:
            shape = broadcast_shapes(made, abstracts)
            return TensorType(compute_type(abstracts), shape if reduction == "none" else ())

        @made.advice
        def advice_of(*abstracts: Any, reduction: str) -> str | None:
            return _spread_apart(*(x.shape if isinstance(x, TensorType) else () for x in abstracts[:2]))

        @made.scalars
        def scalars(*abstracts: Any, reduction: str) -> DType:
            return float64 if compute_type(abstracts) is float64 else float32

        @made.kernel
        def kernel(p: Planner, *operands: Buffer | None, reduction: str) -> None:
            *inputs, out = operands
            assert out is not None
            present = [x for x in inputs if x is not None]
            chosen = body if len(present) == len(inputs) else with_absent(body, tuple(x is not None for x in inputs))
            wide = float64 if out.dtype is float64 else float32
            elem = compute_elem(wide.code)
            shape = np.broadcast_shapes(*(x.shape for x in present))
            losses = out if reduction == "none" else p.workspace(wide, *shape)
            plan_elementwise(p, chosen, [(x, elem) for x in present], [(losses, elem)], cost)
            if reduction != "none":
                plan_reduce(p, reduction, losses, out, tuple(range(len(shape))))

        made.jvp_rule = functools.partial(by_element, made)

        @made.batch
        def batch(batched: Sequence[bool], *arguments: Any, reduction: str) -> Any:
            losses = made(*aligned(batched, arguments), reduction="none")
            if reduction == "none" or losses.ndim == 1:
                return losses
            if losses.dtype.bits < 32:  # they are added up before they are rounded
                return NotImplemented
            reduce = reduce_mean if reduction == "mean" else reduce_sum
            return reduce(losses, tuple(range(1, losses.ndim)))

        return made

    return make


def _spread_apart(first: tuple[int, ...], second: tuple[int, ...]) -> str | None:
    """What the caller is warned of where outputs and labels meet in a shape that neither has: each output is compared with
    each label."""
    if first == second:
        return None
    try:
        meeting = np.broadcast_shapes(first, second)
    except ValueError:  # the operator refuses them, in its words
        return None
    if meeting in (first, second):
        return None
    return (
        f"a loss of outputs of the shape {first} and labels of the shape {second} broadcasts them to {meeting}, so that "
        "each is compared with many: reshape one of them, if they belong together one by one"
    )


def _meet(first: Tensor, second: Tensor) -> None:
    """The same for losses that are written in operators."""
    if first.shape != second.shape:
        told = _spread_apart(first.shape, second.shape)
        if told is not None:
            advice.warn(told)


def _share(reduction: str, *types: Any) -> float:
    """What an element's loss counts in the result."""
    if reduction != "mean":
        return 1.0
    return 1.0 / max(math.prod(np.broadcast_shapes(*(t.shape for t in types if t is not None))), 1)


def _spread(slope: Tensor, g: Tensor, reduction: str, *types: Any) -> Tensor:
    """The gradient of an argument from the losses' derivative to it: of the shape of the losses."""
    shape = np.broadcast_shapes(*(t.shape for t in types if t is not None))
    return broadcast_to(slope, shape) * (g * _share(reduction, *types))


def _widened(name: str, **tensors: Any) -> tuple[DType, list]:
    """The type in which tensors meet, and the tensors; halves and integers as float32. None stays."""
    for arg, x in tensors.items():
        if x is not None and not isinstance(x, Tensor):
            raise OpTypeError(f"{name} needs a tensor for `{arg}`, but got {type(x).__name__}", arg=arg)
        if x is not None and x.dtype.is_complex:
            raise no_complex(name, TensorType(x.dtype, x.shape), arg)
    dtype = common_dtype(*(x for x in tensors.values() if x is not None)).lifted
    wide = float64 if dtype is float64 else float32
    return dtype, [x if x is None or x.dtype is wide else cast(x, wide) for x in tensors.values()]


def _finish(name: str, losses: Tensor, reduction: str, dtype: DType) -> Tensor:
    """The losses of the elements, reduced, in the type of the result."""
    check_reduction(name, reduction)
    if reduction != "none":
        losses = reduce_mean(losses) if reduction == "mean" else reduce_sum(losses)
    return losses if losses.dtype is dtype else cast(losses, dtype)


def _positive(name: str, arg: str, value: Any, least: float | None = None) -> None:
    """A number above 0, or not below `least`."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise OpTypeError(f"{name} needs a number for `{arg}`, but got {value!r}", arg=arg)
    if not (value > 0 if least is None else value >= least):
        need = "> 0" if least is None else f">= {least:g}"
        raise OpValueError(f"{name} needs a number {need} for `{arg}`, but got {value!r}", arg=arg)


# -- functions of the difference --------------------------------------------------------------------------------------


def _square(x: Value, t: Value) -> Value:
    d = x - t
    return d * d


@_reduced(_square)
def mse_loss(input: Tensor, target: Tensor, reduction="mean"):
    """(input - target)², reduced.

    Args:
        input, target: tensors whose shapes broadcast; integers are computed as float32.
        reduction: "none", "mean" or "sum".
    Returns:
        tensor of the promoted type: of the broadcast shape for "none", else ().
    Raises:
        OpValueError: shapes cannot be broadcast, or `reduction` is something else.
    Gradient:
        2 g (input - target), divided by the number of elements for "mean".
    Example:
        >>> mse_loss(Tensor([1., 3.]), Tensor([1., 1.])).item()
        2.0
    """


mse_loss.mixed = "single"


@elementwise(lambda g, x, t, share: g * ((x - t) * (share + share)), takes="f", lift=True, cost=0.2)
def mse_loss_gradient(gradient: Tensor, input: Tensor, target: Tensor, share: Tensor = 1.0):
    """2 share g (input - target): the gradient of `mse_loss`, fused."""


@mse_loss.vjp("input")
def _(input, target, *, reduction, g):
    return mse_loss_gradient(g, input, target, _share(reduction, input, target))


@mse_loss.vjp("target")
def _(input, target, *, reduction, g):
    return mse_loss_gradient(g, target, input, _share(reduction, input, target))


@mse_loss_gradient.vjp("gradient")
def _(input, target, share, *, g):
    return mse_loss_gradient(g, input, target, share)


@mse_loss_gradient.vjp("input")
def _(gradient, share, *, g):
    return g * gradient * (2.0 * share)


@mse_loss_gradient.vjp("target")
def _(gradient, share, *, g):
    return g * gradient * (-2.0 * share)


def _sign(x: Value) -> Value:
    return select(x > 0.0, 1.0, select(x < 0.0, -1.0, x))


@_reduced(lambda x, t: absolute(x - t))
def l1_loss(input: Tensor, target: Tensor, reduction="mean"):
    """|input - target|, reduced.

    Args:
        input, target: tensors whose shapes broadcast; integers are computed as float32.
        reduction: "none", "mean" or "sum".
    Returns:
        tensor of the promoted type: of the broadcast shape for "none", else ().
    Gradient:
        g sign(input - target), divided by the number of elements for "mean".
    Example:
        >>> l1_loss(Tensor([1., 3.]), Tensor([1., 1.])).item()
        1.0
    """


l1_loss.mixed = "single"


@elementwise(lambda g, x, t, share: g * (_sign(x - t) * share), takes="f", lift=True, cost=0.2)
def l1_loss_gradient(gradient: Tensor, input: Tensor, target: Tensor, share: Tensor = 1.0):
    """share g sign(input - target): the gradient of `l1_loss`, fused."""


@l1_loss.vjp("input")
def _(input, target, *, reduction, g):
    return l1_loss_gradient(g, input, target, _share(reduction, input, target))


@l1_loss.vjp("target")
def _(input, target, *, reduction, g):
    return l1_loss_gradient(g, target, input, _share(reduction, input, target))


@l1_loss_gradient.vjp("gradient")
def _(input, target, share, *, g):
    return l1_loss_gradient(g, input, target, share)


def _huber(x: Value, t: Value, bound: Value, scale: Value) -> Value:
    d = absolute(x - t)
    return select(d < bound, d * d * 0.5 / scale, (d - bound * 0.5) * (bound / scale))


@_reduced(_huber)
def bounded_loss(input: Tensor, target: Tensor, bound: Tensor = 1.0, scale: Tensor = 1.0, reduction="mean"):
    """d² / 2 where d = |input - target| is below the bound, else bound (d - bound / 2); both over a scale, and reduced."""


bounded_loss.mixed = "single"


def _huber_slope(g: Value, x: Value, t: Value, bound: Value, scale: Value, share: Value) -> Value:
    d = x - t
    return g * (select(absolute(d) < bound, d / scale, _sign(d) * (bound / scale)) * share)


@elementwise(_huber_slope, takes="f", lift=True, cost=0.2)
def bounded_loss_gradient(
    gradient: Tensor, input: Tensor, target: Tensor, bound: Tensor = 1.0, scale: Tensor = 1.0, share: Tensor = 1.0
):
    """The gradient of `bounded_loss`, fused."""


@bounded_loss.vjp("input")
def _(input, target, bound, scale, *, reduction, g):
    return bounded_loss_gradient(g, input, target, bound, scale, _share(reduction, input, target))


@bounded_loss.vjp("target")
def _(input, target, bound, scale, *, reduction, g):
    return bounded_loss_gradient(g, target, input, bound, scale, _share(reduction, input, target))


@bounded_loss_gradient.vjp("gradient")
def _(input, target, bound, scale, share, *, g):
    return bounded_loss_gradient(g, input, target, bound, scale, share)


@bounded_loss_gradient.vjp("input", "target")
def _(gradient, input, target, bound, scale, share, *, g):
    bend = where(abs(input - target) < bound, g * gradient * (share / scale), 0.0)
    return bend, -bend


@composite
def smooth_l1_loss(input: Tensor, target: Tensor, beta: float = 1.0, reduction: str = "none") -> Tensor:
    """d² / (2 beta) where d = |input - target| < beta, else d - beta / 2; reduced.

    Args:
        input, target: tensors whose shapes broadcast; integers are computed as float32.
        beta: number >= 0; 0 gives `l1_loss`.
        reduction: "none", "mean" or "sum".
    Returns:
        tensor of the promoted type: of the broadcast shape for "none", else ().
    Source:
        Girshick, Fast R-CNN, ICCV 2015.
    Example:
        >>> smooth_l1_loss(Tensor([1., 3.]), Tensor([0.5, 1.])).tolist()
        [0.125, 1.5]
    """
    _positive("smooth_l1_loss", "beta", beta, 0.0)
    if beta == 0:
        return l1_loss(input, target, reduction)
    return bounded_loss(input, target, float(beta), float(beta), reduction)


@composite
def huber_loss(input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0) -> Tensor:
    """d² / 2 where d = |input - target| <= delta, else delta (d - delta / 2); reduced.

    Args:
        input, target: tensors whose shapes broadcast; integers are computed as float32.
        reduction: "none", "mean" or "sum".
        delta: number > 0.
    Returns:
        tensor of the promoted type: of the broadcast shape for "none", else ().
    Source:
        Huber, Annals of Mathematical Statistics 35 (1964).
    Example:
        >>> huber_loss(Tensor([1., 3.]), Tensor([0.5, 1.]), "none").tolist()
        [0.125, 1.5]
    """
    _positive("huber_loss", "delta", delta)
    return bounded_loss(input, target, float(delta), 1.0, reduction)


# -- two classes ------------------------------------------------------------------------------------------------------


def _floor_log(x: Value) -> Value:
    y = bodies.log(x)
    return select(y < -100.0, -100.0, y)


def _floor_log1p(x: Value) -> Value:
    y = bodies.log1p(x)
    return select(y < -100.0, -100.0, y)


def _binary(x: Value, t: Value, weight: Value | None) -> Value:
    x.fn.fault((x < 0.0) | (x > 1.0))
    loss = (t - 1.0) * _floor_log1p(-x) - t * _floor_log(x)
    return loss if weight is None else loss * weight


@_reduced(_binary, cost=1.0)
def binary_cross_entropy(logits: Tensor, labels: Tensor, weight: Tensor | None = None, reduction="mean"):
    """-weight (labels log(logits) + (1 - labels) log(1 - logits)) of probabilities, reduced.

    Args:
        logits: float tensor of probabilities, in [0, 1]. (For logits see `binary_cross_entropy_with_logits`.)
        labels: tensor of probabilities, 0 and 1 among them; shapes broadcast.
        weight: tensor that broadcasts to the losses; ones when not given.
        reduction: "none", "mean" (over all elements, whatever the weights) or "sum".
    Returns:
        tensor of the promoted type: of the broadcast shape for "none", else (). Logarithms count as -100 at least, so that
        a loss is finite.
    Raises:
        OpValueError: an element of `logits` is less than 0 or greater than 1.
    Gradient:
        g weight (logits - labels) / max(logits (1 - logits), 1e-12) to the logits.
    Example:
        >>> binary_cross_entropy(Tensor([0.5, 0.5]), Tensor([1., 0.]))
        Tensor(shape=[], dtype=Float32, value= 0.693147)
    """


@binary_cross_entropy.fault
def _(position, logits, labels, weight, *, reduction):
    place = place_of_fault(position, logits, labels, weight)
    value = np.broadcast_to(
        logits, np.broadcast_shapes(*(np.shape(x) for x in (logits, labels, weight) if x is not None))
    )
    return OpValueError(
        f"binary_cross_entropy needs probabilities in [0, 1] for `logits`, but got {value[place]} at {list(place)}",
        arg="logits",
        help="apply sigmoid first, or use binary_cross_entropy_with_logits.",
    )


def _binary_slope(g: Value, x: Value, t: Value, weight: Value | None, share: Value) -> Value:
    spread = x * (1.0 - x)
    slope = (x - t) / select(spread < 1e-12, 1e-12, spread) * share
    return g * (slope if weight is None else slope * weight)


@elementwise(_binary_slope, takes="f", lift=True, cost=0.5)
def binary_cross_entropy_gradient(
    gradient: Tensor, logits: Tensor, labels: Tensor, weight: Tensor | None, share: Tensor = 1.0
):
    """The gradient of `binary_cross_entropy` to its logits, fused."""


@binary_cross_entropy.vjp("logits")
def _(logits, labels, weight, *, reduction, g):
    return binary_cross_entropy_gradient(g, logits, labels, weight, _share(reduction, logits, labels, weight))


@binary_cross_entropy.vjp("labels")
def _(logits, labels, weight, *, reduction, g):
    slope = maximum(log(1.0 - logits), -100.0) - maximum(log(logits), -100.0)
    return _spread(_weighted(slope, weight), g, reduction, logits, labels, weight)


@binary_cross_entropy.vjp("weight")
def _(logits, labels, weight, *, reduction, g):
    losses = binary_cross_entropy(logits, labels, None, "none")
    return _spread(losses, g, reduction, logits, labels, weight)


@binary_cross_entropy_gradient.vjp("gradient")
def _(logits, labels, weight, share, *, g):
    return binary_cross_entropy_gradient(g, logits, labels, weight, share)


@binary_cross_entropy_gradient.vjp("logits")
def _(gradient, logits, labels, weight, share, *, g):
    rest = 1.0 - logits
    bend = labels / (logits * logits) + (1.0 - labels) / (rest * rest)
    return _weighted(bend, weight) * (g * gradient * share)


@binary_cross_entropy_gradient.vjp("labels")
def _(gradient, logits, weight, share, *, g):
    slope = _weighted(-1.0 / maximum(logits * (1.0 - logits), 1e-12), weight)
    return slope * (g * gradient * share)


@binary_cross_entropy_gradient.vjp("weight")
def _(gradient, logits, labels, share, *, g):
    return binary_cross_entropy_gradient(g * gradient, logits, labels, None, share)


def _weighted(x: Tensor, weight: Tensor | None) -> Tensor:
    return x if weight is None else x * weight


def _logistic(x: Value, t: Value, weight: Value | None, positive: Value | None) -> Value:
    falling = bodies.relu(-x) + bodies.log1p_unit(bodies.exp_negative(-absolute(x)))  # log(1 + e ** -x)
    if positive is not None:
        falling = falling * bodies.fma(positive - 1.0, t, 1.0)
    loss = (1.0 - t) * x + falling
    return loss if weight is None else loss * weight


@_reduced(_logistic, cost=0.6)
def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None, pos_weight: Tensor | None = None, reduction="mean"
):
    """The binary cross entropy of p = sigmoid(input): -weight (pos_weight target log p + (1 - target) log(1 - p)), reduced.

    Args:
        input: float tensor of logits.
        target: tensor of probabilities, 0 and 1 among them; shapes broadcast.
        weight: tensor that broadcasts to the losses; ones when not given.
        pos_weight: tensor that broadcasts to the losses, by how much the positive class counts more.
        reduction: "none", "mean" (over all elements, whatever the weights) or "sum".
    Returns:
        tensor of the promoted type: of the broadcast shape for "none", else ().
    Gradient:
        g weight (p (1 - target) - pos_weight target (1 - p)) to the input.
    Example:
        >>> binary_cross_entropy_with_logits(Tensor([0., 1e4]), Tensor([1., 1.]), reduction="none").tolist()
        [0.6931471824645996, 0.0]
    """


binary_cross_entropy_with_logits.mixed = "single"


def _logistic_slope(
    g: Value, x: Value, t: Value, weight: Value | None, positive: Value | None, share: Value
) -> Value:  # fmt: skip
    e = bodies.exp_negative(-absolute(x))
    left, total = x < 0.0, e + 1.0
    p, rest = select(left, e, 1.0) / total, select(left, 1.0, e) / total
    ours = t if positive is None else t * positive
    slope = (p * (1.0 - t) - ours * rest) * share
    return g * (slope if weight is None else slope * weight)


@elementwise(_logistic_slope, takes="f", lift=True, cost=0.5)
def logistic_loss_gradient(
    gradient: Tensor,
    input: Tensor,
    target: Tensor,
    weight: Tensor | None,
    pos_weight: Tensor | None,
    share: Tensor = 1.0,
):
    """The gradient of `binary_cross_entropy_with_logits` to its input, fused."""


@binary_cross_entropy_with_logits.vjp("input")
def _(input, target, weight, pos_weight, *, reduction, g):
    share = _share(reduction, input, target, weight, pos_weight)
    return logistic_loss_gradient(g, input, target, weight, pos_weight, share)


@binary_cross_entropy_with_logits.vjp("target")
def _(input, target, weight, pos_weight, *, reduction, g):
    slope = -input if pos_weight is None else (pos_weight - 1.0) * softplus(-input, 1, math.inf) - input
    return _spread(_weighted(slope, weight), g, reduction, input, target, weight, pos_weight)


@binary_cross_entropy_with_logits.vjp("weight")
def _(input, target, weight, pos_weight, *, reduction, g):
    losses = binary_cross_entropy_with_logits(input, target, None, pos_weight, "none")
    return _spread(losses, g, reduction, input, target, weight, pos_weight)


@binary_cross_entropy_with_logits.vjp("pos_weight")
def _(input, target, weight, pos_weight, *, reduction, g):
    slope = _weighted(target * softplus(-input, 1, math.inf), weight)
    return _spread(slope, g, reduction, input, target, weight, pos_weight)


@logistic_loss_gradient.vjp("gradient")
def _(input, target, weight, pos_weight, share, *, g):
    return logistic_loss_gradient(g, input, target, weight, pos_weight, share)


@logistic_loss_gradient.vjp("input", "target", "weight", "pos_weight")
def _(gradient, input, target, weight, pos_weight, share, *, g):
    p = sigmoid(input)
    rest = sigmoid(-input)
    flow = g * gradient * share
    ours = target if pos_weight is None else target * pos_weight
    weighted = _weighted(flow, weight)
    to_input = weighted * (p * rest) * (1.0 - target + ours)
    to_target = -(weighted * (p + _weighted(rest, pos_weight)))
    to_weight = None if weight is None else flow * (p * (1.0 - target) - ours * rest)
    to_positive = None if pos_weight is None else -(weighted * target * rest)
    return to_input, to_target, to_weight, to_positive


# -- distributions ----------------------------------------------------------------------------------------------------


def _divergence(x: Value, t: Value) -> Value:
    return select(t == 0.0, 0.0, t * (bodies.log(t) - x))


@_reduced(_divergence, cost=0.5)
def divergence(logits: Tensor, labels: Tensor, reduction="mean"):
    """labels (log(labels) - logits), reduced; see `kl_div`."""


divergence.mixed = "single"


@divergence.vjp("logits")
def _(logits_type, labels, *, reduction, g):
    return _spread(-labels, g, reduction, logits_type, labels)


@divergence.vjp("labels")
def _(logits, labels, *, reduction, g):
    slope = where(labels > 0.0, log(where(labels > 0.0, labels, 1.0)) + 1.0 - logits, 0.0)
    return _spread(slope, g, reduction, logits, labels)


@composite
def kl_div(logits: Tensor, labels: Tensor, reduction: str = "mean") -> Tensor:
    """labels (log(labels) - logits), reduced: the Kullback-Leibler divergence of exp(logits) from labels.

    Args:
        logits: float tensor of logarithms of probabilities.
        labels: tensor of probabilities; shapes broadcast. Where they are 0 the loss is 0.
        reduction: "none", "mean" (over all elements), "sum", or "batchmean", the sum over the length of the first axis.
    Returns:
        tensor of the promoted type: of the broadcast shape for "none", else ().
    Gradient:
        -g labels to the logits, g (log(labels) + 1 - logits) to the labels.
    Example:
        >>> kl_div(log(Tensor([[0.5, 0.5]])), Tensor([[1., 0.]]), "batchmean")
        Tensor(shape=[], dtype=Float32, value= 0.693147)
    """
    if reduction != "batchmean":
        check_reduction("kl_div", reduction, "batchmean")
        return divergence(logits, labels, reduction)
    if not logits.ndim:
        raise OpValueError("kl_div: 'batchmean' needs logits with a first axis", arg="reduction")
    return divergence(logits, labels, "sum") / logits.shape[0]


@composite
def gaussian_nll_loss(
    x: Tensor, target: Tensor, var: Tensor, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Tensor:
    """The negative logarithm of the normal density: (log v + (x - target)² / v) / 2 with v = max(var, eps); reduced.

    Args:
        x: tensor (N, *), the means.
        target: tensor whose shape broadcasts with that of x.
        var: tensor of variances: of the shape of x, or without its last axis, or with length 1 there.
        full: whether log(2π) / 2 is added.
        eps: number > 0.
        reduction: "none", "mean" or "sum".
    Returns:
        tensor of the promoted type: of the broadcast shape for "none", else ().
    Raises:
        OpTypeError: `full` is no bool.
        OpValueError: `var` has another shape.
    Source:
        Nix & Weigend, IEEE ICNN 1994.
    Example:
        >>> gaussian_nll_loss(Tensor([1., 2.]), Tensor([1., 0.]), Tensor([1., 2.]), reduction="sum")
        Tensor(shape=[], dtype=Float32, value= 1.34657)
    """
    _positive("gaussian_nll_loss", "eps", eps)
    if not isinstance(full, bool):
        raise OpTypeError(f"gaussian_nll_loss needs True or False for `full`, but got {full!r}", arg="full")
    dtype, (x, target, var) = _widened("gaussian_nll_loss", x=x, target=target, var=var)
    if x.ndim and var.shape == x.shape[:-1]:
        var = expand_dims(var, -1)
    elif var.shape != x.shape and var.shape != (*x.shape[:-1], 1):
        raise OpValueError(
            f"gaussian_nll_loss: `var` of shape {list(var.shape)} does not fit x of shape {list(x.shape)}", arg="var"
        )
    var = maximum(var, eps)
    _meet(x, target)
    d = x - target
    losses = 0.5 * (log(var) + d * d / var)
    return _finish("gaussian_nll_loss", losses + 0.5 * LN_TAU if full else losses, reduction, dtype)


@composite
def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    eps: float = 1e-8,
    reduction: str = "mean",
) -> Tensor:
    """The negative logarithm of the Poisson distribution, up to log(target!): exp(input) - target · input; reduced.

    Args:
        input: tensor, the logarithms of the means.
        target: tensor of counts; shapes broadcast.
        log_input: if false `input` holds the means, and the loss is input - target · log(input + eps).
        full: whether Stirling's formula for log(target!) is added where target > 1.
        eps: number > 0.
        reduction: "none", "mean" or "sum".
    Returns:
        tensor of the promoted type: of the broadcast shape for "none", else ().
    Example:
        >>> poisson_nll_loss(Tensor([0., 0.]), Tensor([1., 2.])).item()
        1.0
    """
    _positive("poisson_nll_loss", "eps", eps)
    dtype, (input, target) = _widened("poisson_nll_loss", input=input, target=target)
    _meet(input, target)
    losses = exp(input) - target * input if log_input else input - target * log(input + eps)
    if full:
        safe = maximum(target, 1.0)
        stirling = safe * log(safe) - safe + 0.5 * log(safe * (2 * math.pi))
        losses = losses + where(target > 1.0, stirling, 0.0)
    return _finish("poisson_nll_loss", losses, reduction, dtype)


# -- margins ----------------------------------------------------------------------------------------------------------


@composite
def soft_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """log(1 + exp(-target · input)), reduced.

    Args:
        input: float tensor.
        target: tensor of 1 and -1; shapes broadcast.
        reduction: "none", "mean" or "sum".
    Returns:
        tensor of the promoted type: of the broadcast shape for "none", else ().
    Example:
        >>> soft_margin_loss(Tensor([0., 1e4]), Tensor([1, -1]), "none").tolist()
        [0.6931471824645996, 10000.0]
    """
    dtype, (input, target) = _widened("soft_margin_loss", input=input, target=target)
    _meet(input, target)
    return _finish("soft_margin_loss", softplus(-(target * input), 1, math.inf), reduction, dtype)


@composite
def hinge_embedding_loss(inputs: Tensor, targets: Tensor, margin: float = 1.0, reduction: str = "mean") -> Tensor:
    """The input where the target is 1, max(0, margin - input) where it is -1; reduced.

    Args:
        inputs: float tensor, distances mostly.
        targets: tensor of 1 and -1; shapes broadcast.
        margin: number.
        reduction: "none", "mean" or "sum".
    Returns:
        tensor of the promoted type: of the broadcast shape for "none", else ().
    Example:
        >>> hinge_embedding_loss(Tensor([0.25, 0.25]), Tensor([1, -1]), reduction="none").tolist()
        [0.25, 0.75]
    """
    dtype, (x, targets) = _widened("hinge_embedding_loss", inputs=inputs, targets=targets)
    _meet(x, targets)
    losses = where(targets == -1.0, relu(margin - x), x)
    return _finish("hinge_embedding_loss", losses, reduction, dtype)


@composite
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """max(0, -target (input1 - input2) + margin), reduced.

    Args:
        input1, input2: float tensors.
        target: tensor of 1, where input1 should be the greater one, and -1; shapes broadcast.
        margin: number.
        reduction: "none", "mean" or "sum".
    Returns:
        tensor of the promoted type: of the broadcast shape for "none", else ().
    Example:
        >>> margin_ranking_loss(Tensor([1., 1.]), Tensor([3., 0.]), Tensor([1, 1]), reduction="none").tolist()
        [2.0, 0.0]
    """
    dtype, (a, b, target) = _widened("margin_ranking_loss", input1=input1, input2=input2, target=target)
    _meet(a, b)
    return _finish("margin_ranking_loss", relu(target * (b - a) + margin), reduction, dtype)


def _class_rows(name: str, input: Tensor, target: Tensor, shape: tuple[int, ...]) -> None:
    """Check an input (N, C) or (C,), and integer labels of the given shape."""
    if input.ndim not in (1, 2) or input.size == 0:
        raise OpValueError(f"{name} needs an input of shape (N, C) or (C,), but got {list(input.shape)}", arg="input")
    if not target.dtype.is_integer:
        raise OpTypeError(f"{name} needs integer labels for `target`, but got {target.dtype}", arg="target")
    if target.shape != shape:
        raise OpValueError(
            f"{name}: labels of shape {list(target.shape)} do not fit an input of shape {list(input.shape)}",
            arg="target",
        )


@composite
def multi_margin_loss(
    input: Tensor, target: Tensor, p: int = 1, margin: float = 1, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """The sum over the other classes i of max(0, weight[y] (margin - x[y] + x[i]))^p / C for a label y; reduced.

    Args:
        input: float tensor (N, C) or (C,).
        target: integer tensor (N,) or () of labels in [0, C).
        p: 1 or 2.
        margin: number.
        weight: float tensor (C,); ones when not given. With p = 2 the weight is not squared.
        reduction: "none", "mean" or "sum".
    Returns:
        tensor of the type of `input`: (N,) or () for "none", else ().
    Raises:
        OpIndexError: a label is not in [0, C).
    Example:
        >>> multi_margin_loss(Tensor([[0.25, 0.5, 1.0]]), Tensor([2])).item()
        0.25
    """
    name = "multi_margin_loss"
    dtype, (x, weight) = _widened(name, input=input, weight=weight)
    _class_rows(name, x, target, x.shape[:-1])
    if isinstance(p, bool) or p not in (1, 2):
        raise OpValueError(f"{name}: `p` must be 1 or 2, but got {p!r}", arg="p")
    classes = x.shape[-1]
    if weight is not None and weight.shape != (classes,):
        raise OpValueError(f"{name} needs a `weight` of shape [{classes}], but got {list(weight.shape)}", arg="weight")
    label = expand_dims(target, -1)
    gap = relu(margin - gather_elements(x, -1, label) + x)
    losses = gap if p == 1 else gap * gap
    if weight is not None:
        losses = losses * gather(weight, label, 0)
    losses = where(arange(classes) == label, 0.0, losses)
    return _finish(name, reduce_sum(losses, -1) / classes, reduction, dtype)


@composite
def multilabel_margin_loss(input: Tensor, target: Tensor, reduction: str = "mean") -> Tensor:
    """The sum over labels j and classes i that are none of max(0, 1 - x[j] + x[i]) / C; reduced.

    Args:
        input: float tensor (N, C) or (C,).
        target: integer tensor of the same shape: labels in [0, C), up to the first -1 of a row.
        reduction: "none", "mean" or "sum".
    Returns:
        tensor of the type of `input`: (N,) or () for "none", else ().
    Raises:
        OpIndexError: a label is not in [-1, C).
    Example:
        >>> multilabel_margin_loss(Tensor([0.0, 1.0, 0.5]), Tensor([1, -1, 0])).item()
        0.1666666716337204
    """
    name = "multilabel_margin_loss"
    dtype, (x,) = _widened(name, input=input)
    _class_rows(name, x, target, x.shape)
    counts = cumprod(cast(target != -1, x.dtype), -1)
    labels = where(counts > 0, target, 0)
    here = expand_dims(labels, -1) == arange(x.shape[-1], dtype=labels.dtype)
    others = 1.0 - reduce_max(cast(here, x.dtype) * expand_dims(counts, -1), -2)
    gap = relu(1.0 - expand_dims(gather_elements(x, -1, labels), -1) + expand_dims(x, -2))
    losses = reduce_sum(gap * expand_dims(counts, -1) * expand_dims(others, -2), (-2, -1)) / x.shape[-1]
    return _finish(name, losses, reduction, dtype)


@composite
def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: str = "mean"
) -> Tensor:
    """The mean over classes of the binary cross entropy of sigmoid(input); reduced.

    Args:
        input: float tensor (N, C).
        target: tensor of the same shape, of 0 and 1.
        weight: tensor (C,); ones when not given.
        reduction: "none", "mean" or "sum".
    Returns:
        tensor of the promoted type: of the shape of the input without its last axis for "none", else ().
    Example:
        >>> multilabel_soft_margin_loss(Tensor([[0., 0.]]), Tensor([[1, 0]]), reduction="none").tolist()
        [0.6931471824645996]
    """
    dtype, (x, target, weight) = _widened("multilabel_soft_margin_loss", input=input, target=target, weight=weight)
    if x.shape != target.shape or not x.ndim:
        raise OpValueError(
            f"multilabel_soft_margin_loss needs an input and a target of one shape, with axes, but got {list(x.shape)} and "
            f"{list(target.shape)}",
            arg="target",
        )
    losses = binary_cross_entropy_with_logits(x, target, weight, None, "none")
    return _finish("multilabel_soft_margin_loss", reduce_mean(losses, -1), reduction, dtype)


# -- vectors ----------------------------------------------------------------------------------------------------------


@composite
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors: sum(x1 · x2) / max(|x1| |x2|, eps) along an axis.

    Args:
        x1, x2: tensors whose shapes broadcast.
        dim: the axis of the vectors, which the result does not have.
        eps: number > 0.
    Returns:
        tensor of the promoted type.
    Example:
        >>> cosine_similarity(Tensor([[3., 0.]]), Tensor([[3., 4.]])).tolist()
        [0.6000000238418579]
    """
    _positive("cosine_similarity", "eps", eps)
    dtype, (a, b) = _widened("cosine_similarity", x1=x1, x2=x2)
    lengths = euclidean_norm(a, dim, True) * euclidean_norm(b, dim, True)
    return _finish("cosine_similarity", reduce_sum(a * b / maximum(lengths, eps), dim), "none", dtype)


@composite
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: str = "mean"
) -> Tensor:
    """1 - cos(input1, input2) where the target is 1, max(0, cos(input1, input2) - margin) where it is -1; reduced.

    Args:
        input1, input2: tensors (N, D, *), or (D,), of the same shape.
        target: tensor (N, *), or (), of 1 and -1.
        margin: number in [-1, 1].
        reduction: "none", "mean" or "sum".
    Returns:
        tensor of the promoted type of the inputs: of the shape of the target for "none", else ().
    Example:
        >>> cosine_embedding_loss(Tensor([[1., 0.]]), Tensor([[0., 1.]]), Tensor([1])).item()
        1.0
    """
    name = "cosine_embedding_loss"
    dtype, (a, b) = _widened(name, input1=input1, input2=input2)
    if a.shape != b.shape or not a.ndim:
        raise OpValueError(
            f"{name} needs inputs of one shape, with axes, but got {list(a.shape)} and {list(b.shape)}", arg="input2"
        )
    _positive(name, "margin", margin, -1.0)
    if margin > 1:
        raise OpValueError(f"{name} needs a number in [-1, 1] for `margin`, but got {margin}", arg="margin")
    axis = 1 if a.ndim > 1 else 0
    squares = (reduce_sum(a * a, axis) + 1e-12) * (reduce_sum(b * b, axis) + 1e-12)
    cosine = reduce_sum(a * b, axis) / sqrt(squares)
    return _finish(name, where(target == -1, relu(cosine - margin), 1.0 - cosine), reduction, dtype)


@composite
def triplet_margin_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2, eps: float = 1e-6,
    swap: bool = False, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """max(0, d(anchor, positive) - d(anchor, negative) + margin) with d(a, b) = |a - b + eps|_p; reduced.

    Args:
        anchor, positive, negative: tensors (N, D) or (D,), or of more axes, whose last one is that of the vectors.
        margin: number or tensor.
        p: of the norm, > 0; infinity gives the maximum.
        eps: number, added to the differences.
        swap: whether the smaller of d(anchor, negative) and d(positive, negative) counts.
        reduction: "none", "mean" or "sum".
    Returns:
        tensor of the promoted type: of the shape of the other axes for "none", else ().
    Source:
        Balntas et al., BMVC 2016.
    Example:
        >>> triplet_margin_loss(Tensor([[0., 0.]]), Tensor([[3., 4.]]), Tensor([[0., 2.]]), eps=0.0).item()
        4.0
    """
    name = "triplet_margin_loss"
    _positive(name, "p", p)
    dtype, (a, b, c) = _widened(name, anchor=anchor, positive=positive, negative=negative)
    far = _distance(a, c, p, eps)
    if swap:
        far = minimum(far, _distance(b, c, p, eps))
    return _finish(name, relu(_distance(a, b, p, eps) - far + margin), reduction, dtype)


def _distance(a: Tensor, b: Tensor, p: float, eps: float) -> Tensor:
    """The p-norm of a - b + eps along the last axis."""
    d = a - b + eps
    if p == 2:
        return euclidean_norm(d, -1)
    d = abs(d)
    if p == 1:
        return reduce_sum(d, -1)
    return reduce_max(d, -1) if p == math.inf else reduce_sum(d**p, -1) ** (1.0 / p)
