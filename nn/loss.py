"""Losses: how far outputs are from labels.

`reduction` says what is made of the losses of the elements, or of the examples: "mean", "sum", or "none" for all of them.
The formulas stand with the operators of the same names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from anfora import ops
from anfora.core.cell import Cell
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.nearest import missing_in
from anfora.core.tensor import Tensor
from anfora.nn.activation import activation_of
from anfora.nn.checks import flag, integer, number, probability
from anfora.ops.bound import Bound

__all__ = [
    "BCELoss", "BCEWithLogitsLoss", "CTCLoss", "CosineEmbeddingLoss", "CrossEntropyLoss", "DiceLoss", "FocalLoss",
    "GaussianNLLLoss", "HingeEmbeddingLoss", "HuberLoss", "KLDivLoss", "L1Loss", "LossBase", "MAELoss", "MSELoss",
    "MarginRankingLoss", "MultiClassDiceLoss", "MultiLabelSoftMarginLoss", "MultiMarginLoss", "MultilabelMarginLoss",
    "NLLLoss", "PoissonNLLLoss", "RMSELoss", "SmoothL1Loss", "SoftMarginLoss", "SoftmaxCrossEntropyWithLogits",
    "TripletMarginLoss", "TripletMarginWithDistanceLoss",
]  # fmt: skip

_REDUCTIONS = ("mean", "sum", "none")


class LossBase(Cell):
    """Base of losses. A subclass computes the losses of the elements and gives `self.get_loss(them)`.

    Args:
        reduction: "mean", "sum" or "none".
    Attributes:
        reduce, average: whether something is reduced, and to the mean.

    Example:
        >>> class Cubic(LossBase):
        ...     def construct(self, logits, labels):
        ...         return self.get_loss(abs(logits - labels) ** 3)
        >>> Cubic()(Tensor([1., 2.]), Tensor([1., 0.])).item()
        4.0
    """

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        if reduction not in _REDUCTIONS:
            raise OpValueError(
                f"{type(self).__name__}: `reduction` must be one of {', '.join(_REDUCTIONS)}, but got {reduction!r}",
                arg="reduction",
            )
        self.reduction = reduction
        self.reduce = reduction != "none"
        self.average = reduction != "sum"

    def get_axis(self, x: Tensor) -> tuple[int, ...]:
        """All axes of x."""
        return tuple(range(x.ndim))

    def get_loss(self, x: Tensor, weights: Any = 1.0) -> Tensor:
        """The losses of the elements, multiplied by weights and reduced."""
        if not (isinstance(weights, (int, float)) and weights == 1.0):
            x = x * weights
        if not self.reduce:
            return x
        return ops.reduce_mean(x) if self.average else ops.reduce_sum(x)

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no construct(logits, labels)")

    def extend_repr(self) -> str:
        return f"reduction={self.reduction}"


class _Loss(LossBase):
    """A loss that is one operator of two tensors."""

    def __init__(self, op: Callable, reduction: str, **attributes: Any) -> None:
        super().__init__(reduction)
        self._op = Bound(op, reduction=reduction, **attributes)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return self._op(logits, labels)

    def extend_repr(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in self._op.attributes.items())


# -- distances --------------------------------------------------------------------------------------------------------


class L1Loss(_Loss):
    """|logits - labels|.

    Args:
        reduction: "mean", "sum" or "none".

    Example:
        >>> L1Loss("sum")(Tensor([1., 3.]), Tensor([1., 1.])).item()
        2.0
    """

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__(ops.l1_loss, reduction)


class MSELoss(_Loss):
    """(logits - labels)².

    Args:
        reduction: "mean", "sum" or "none".

    Example:
        >>> MSELoss()(Tensor([1., 3.]), Tensor([1., 1.])).item()
        2.0
    """

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__(ops.mse_loss, reduction)


class SmoothL1Loss(_Loss):
    """d² / (2 beta) where d = |logits - labels| < beta, else d - beta / 2.

    Args:
        beta: number >= 0; 0 gives |logits - labels|.
        reduction: "none" (the default), "mean" or "sum".

    Example:
        >>> SmoothL1Loss()(Tensor([1., 3.]), Tensor([0., 0.])).tolist()
        [0.5, 2.5]
    """

    def __init__(self, beta: float = 1.0, reduction: str = "none") -> None:
        super().__init__(ops.smooth_l1_loss, reduction, beta=number("SmoothL1Loss", "beta", beta, least=0.0))


class HuberLoss(_Loss):
    """d² / 2 where d = |logits - labels| <= delta, else delta (d - delta / 2).

    Args:
        reduction: "mean", "sum" or "none".
        delta: number > 0.

    Example:
        >>> HuberLoss()(Tensor([1., 3.]), Tensor([0., 0.])).item()
        1.5
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(ops.huber_loss, reduction, delta=number("HuberLoss", "delta", delta, above=0.0))


class RMSELoss(LossBase):
    """The root of the mean of (logits - label)².

    Example:
        >>> RMSELoss()(Tensor([3., 3.]), Tensor([0., 0.])).item()
        3.0
    """

    def __init__(self) -> None:
        super().__init__()

    def construct(self, logits: Tensor, label: Tensor) -> Tensor:
        return ops.sqrt(ops.mse_loss(logits, label))

    def extend_repr(self) -> str:
        return ""


class MAELoss(LossBase):
    """|logits - label|.

    Args:
        reduction: "mean", "sum" or "none".

    Example:
        >>> MAELoss()(Tensor([1., 3.]), Tensor([0., 0.])).item()
        2.0
    """

    def construct(self, logits: Tensor, label: Tensor) -> Tensor:
        return ops.l1_loss(logits, label, self.reduction)


# -- classes ----------------------------------------------------------------------------------------------------------


class CrossEntropyLoss(LossBase):
    """-log softmax(logits)[label]: for numbers of classes, or for the probabilities of all.

    Args:
        weight: of the classes, a tensor (C,), or None.
        ignore_index: a label whose examples do not count.
        reduction: "mean" divides by the sum of the weights of the labels.
        label_smoothing: how much of the probability is spread over all classes, in [0, 1].
    Input, output:
        logits (C,), (N, C) or (N, C, *); labels (), (N,) or (N, *) integers, or of the shape of the logits.

    Example:
        >>> loss = CrossEntropyLoss()
        >>> f"{loss(Tensor([[2., 0.], [0., 0.]]), Tensor([0, 1])).item():.4f}"
        '0.4100'
    """

    def __init__(
        self, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:  # fmt: skip
        super().__init__(reduction)
        self.weight = _optional_tensor("CrossEntropyLoss", "weight", weight)
        self.ignore_index = integer("CrossEntropyLoss", "ignore_index", ignore_index)
        self.label_smoothing = probability("CrossEntropyLoss", "label_smoothing", label_smoothing)
        self._op = Bound(
            ops.cross_entropy, ignore_index=ignore_index, reduction=reduction, label_smoothing=self.label_smoothing
        )

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return self._op(logits, labels, self.weight)

    def extend_repr(self) -> str:
        return (
            f"weight={self.weight}, ignore_index={self.ignore_index}, reduction={self.reduction}, "
            f"label_smoothing={self.label_smoothing}"
        )


class NLLLoss(LossBase):
    """-logits[label], of logits that are logarithms of probabilities.

    Args:
        weight, ignore_index, reduction: see CrossEntropyLoss.

    Example:
        >>> NLLLoss()(Tensor([[-0.5, -1.5]]), Tensor([1], int32)).item()
        1.5
    """

    def __init__(self, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight = _optional_tensor("NLLLoss", "weight", weight)
        self.ignore_index = integer("NLLLoss", "ignore_index", ignore_index)
        self._op = Bound(ops.nll_loss, ignore_index=ignore_index, reduction=reduction)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return self._op(logits, labels, self.weight)

    def extend_repr(self) -> str:
        return f"weight={self.weight}, ignore_index={self.ignore_index}, reduction={self.reduction}"


class SoftmaxCrossEntropyWithLogits(LossBase):
    """-sum(labels · log softmax(logits)) for each example.

    Args:
        sparse: whether labels are numbers of classes (N,), else probabilities (N, C).
        reduction: "none" (the default), "mean" or "sum".

    Example:
        >>> loss = SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        >>> f"{loss(Tensor([[2., 0.]]), Tensor([0])).item():.4f}"
        '0.1269'
    """

    def __init__(self, sparse: bool = False, reduction: str = "none") -> None:
        super().__init__(reduction)
        self.sparse = flag("SoftmaxCrossEntropyWithLogits", "sparse", sparse)
        self._op = Bound(ops.cross_entropy, reduction=reduction)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        if self.sparse == labels.dtype.is_float:
            need = "integer labels of shape (N,)" if self.sparse else "probabilities of shape (N, C) as labels"
            raise OpTypeError(
                f"SoftmaxCrossEntropyWithLogits(sparse={self.sparse}) needs {need}, but got {labels.dtype}",
                arg="labels",
            )
        return self._op(logits, labels, None)

    def extend_repr(self) -> str:
        return f"sparse={self.sparse}, reduction={self.reduction}"


class BCELoss(LossBase):
    """-(labels · log(logits) + (1 - labels) · log(1 - logits)), of logits that are probabilities.

    Args:
        weight: a tensor that broadcasts to the losses, or None.
        reduction: "mean", "sum" or "none".

    Example:
        >>> BCELoss()(Tensor([0.5, 0.5]), Tensor([1., 0.]))
        Tensor(shape=[], dtype=Float32, value= 0.693147)
    """

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight = _optional_tensor("BCELoss", "weight", weight)
        self._op = Bound(ops.binary_cross_entropy, reduction=reduction)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return self._op(logits, labels, self.weight)


class BCEWithLogitsLoss(LossBase):
    """The binary cross entropy of sigmoid(input).

    Args:
        reduction: "mean", "sum" or "none".
        weight: a tensor that broadcasts to the losses, or None.
        pos_weight: by how much the positive class counts more, a tensor that broadcasts, or None.

    Example:
        >>> f"{BCEWithLogitsLoss()(Tensor([0., 1e4]), Tensor([1., 1.])).item():.4f}"
        '0.3466'
    """

    def __init__(self, reduction: str = "mean", weight: Tensor | None = None, pos_weight: Tensor | None = None) -> None:
        super().__init__(reduction)
        self.weight = _optional_tensor("BCEWithLogitsLoss", "weight", weight)
        self.pos_weight = _optional_tensor("BCEWithLogitsLoss", "pos_weight", pos_weight)
        self._op = Bound(ops.binary_cross_entropy_with_logits, reduction=reduction)

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        return self._op(input, target, self.weight, self.pos_weight)


class FocalLoss(LossBase):
    """-(1 - p)^gamma · log(p), p = softmax(logits)[label]: easy examples count less.

    Args:
        weight: of the classes, a tensor (C,), or None.
        gamma: >= 0; 0 gives the cross entropy.
        reduction: "mean", "sum", or "none".
    Input, output:
        logits (N, C) or (N, C, *); labels integers (N, 1) or (N, 1, *), or 0 and 1 for all classes, of the shape of the
        logits. The losses are averaged over the axes behind C first.
    Source:
        Lin, Goyal, Girshick, He & Dollár, ICCV 2017.

    Example:
        >>> FocalLoss()(ops.zeros((1, 2)), Tensor([[1]]))
        Tensor(shape=[], dtype=Float32, value= 0.173287)
    """

    def __init__(self, weight: Tensor | None = None, gamma: float = 2.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight = _optional_tensor("FocalLoss", "weight", weight)
        if self.weight is not None and self.weight.ndim != 1:
            raise OpValueError(f"FocalLoss needs a `weight` of one axis, but got {self.weight.shape}", arg="weight")
        self.gamma = number("FocalLoss", "gamma", gamma, least=0.0)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        if labels.ndim != logits.ndim or logits.ndim not in (2, 3, 4):
            raise OpValueError(
                f"FocalLoss needs logits and labels of 2 to 4 axes, equally many, but got {logits.shape} and {labels.shape}"
            )
        classes = logits.shape[1]
        if labels.shape != logits.shape and labels.shape != (logits.shape[0], 1, *logits.shape[2:]):
            raise OpValueError(f"FocalLoss: labels of shape {labels.shape} do not fit logits of shape {logits.shape}")
        log_p = ops.log_softmax(logits.reshape((logits.shape[0], classes, -1)), 1)
        labels = labels.reshape((labels.shape[0], labels.shape[1], -1))
        by_number = labels.shape[1] == 1 < classes
        if by_number:
            log_p = ops.gather_elements(log_p, 1, labels)
        loss = -((1.0 - ops.exp(log_p)) ** self.gamma) * log_p
        if not by_number:
            loss = loss * labels
        if self.weight is not None:
            weight = self.weight.reshape((1, classes, 1))
            loss = loss * (ops.gather(self.weight, labels, 0) if by_number else weight)
        loss = ops.reduce_mean(loss, -1)
        return self.get_loss(loss.reshape((-1,)) if by_number else loss)

    def extend_repr(self) -> str:
        return f"weight={self.weight}, gamma={self.gamma}, reduction={self.reduction}"


class MultiMarginLoss(LossBase):
    """sum over other classes of max(0, margin - x[label] + x[i])^p / C.

    Args:
        p: 1 or 2.
        margin: a number.
        reduction: "mean", "sum" or "none".
        weight: of the classes, a tensor (C,), or None.

    Example:
        >>> MultiMarginLoss()(Tensor([[1., 2.]]), Tensor([0])).item()
        1.0
    """

    def __init__(self, p: int = 1, margin: float = 1.0, reduction: str = "mean", weight: Tensor | None = None) -> None:
        super().__init__(reduction)
        self.weight = _optional_tensor("MultiMarginLoss", "weight", weight)
        if isinstance(p, bool) or p not in (1, 2):
            raise OpValueError(f"MultiMarginLoss: `p` must be 1 or 2, but got {p!r}", arg="p")
        self.p, self.margin = p, number("MultiMarginLoss", "margin", margin)

    def construct(self, x: Tensor, target: Tensor, weight: Tensor | None = None) -> Tensor:
        weight = self.weight if weight is None else weight
        return ops.multi_margin_loss(x, target, self.p, self.margin, weight, self.reduction)

    def extend_repr(self) -> str:
        return f"p={self.p}, margin={self.margin}, reduction={self.reduction}, weight={self.weight}"


class MultilabelMarginLoss(_Loss):
    """sum over labels j and other classes i of max(0, 1 - x[j] + x[i]) / C; labels of an example end at the first -1.

    Example:
        >>> MultilabelMarginLoss()(Tensor([[1., 2.]]), Tensor([[0, -1]], int32)).item()
        1.0
    """

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__(ops.multilabel_margin_loss, reduction)

    def construct(self, x: Tensor, target: Tensor) -> Tensor:
        return self._op(x, target)


class MultiLabelSoftMarginLoss(LossBase):
    """The mean over classes of the binary cross entropy of sigmoid(x).

    Args:
        weight: of the classes, a tensor (C,), or None.
        reduction: "mean", "sum" or "none".

    Example:
        >>> MultiLabelSoftMarginLoss()(Tensor([[0., 0.]]), Tensor([[1., 0.]]))
        Tensor(shape=[], dtype=Float32, value= 0.693147)
    """

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight = _optional_tensor("MultiLabelSoftMarginLoss", "weight", weight)

    def construct(self, x: Tensor, target: Tensor) -> Tensor:
        return ops.multilabel_soft_margin_loss(x, target, self.weight, self.reduction)


class CTCLoss(LossBase):
    """The negative logarithm of the probability of a sequence of labels, over all ways to place it in time.

    Args:
        blank: the class that stands for no label.
        reduction: "mean" divides each by the length of its labels first.
        zero_infinity: whether infinite losses become 0.
    Source:
        Graves, Fernández, Gomez & Schmidhuber, ICML 2006.

    Example:
        >>> CTCLoss()(ops.log_softmax(ops.zeros((2, 1, 2))), Tensor([[1]]), Tensor([2]), Tensor([1]))
        Tensor(shape=[], dtype=Float32, value= 0.287682)
    """

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction)
        self.blank = integer("CTCLoss", "blank", blank, least=0)
        self.zero_infinity = flag("CTCLoss", "zero_infinity", zero_infinity)

    def construct(self, log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any) -> Tensor:
        loss, _ = ops.ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity
        )
        return loss

    def extend_repr(self) -> str:
        return f"blank={self.blank}, reduction={self.reduction}, zero_infinity={self.zero_infinity}"


# -- distributions ----------------------------------------------------------------------------------------------------


class KLDivLoss(LossBase):
    """labels · (log(labels) - logits): the divergence of exp(logits) from labels.

    Args:
        reduction: "mean", "sum", "none", or "batchmean", which divides the sum by the length of the first axis.

    Example:
        >>> KLDivLoss(reduction="sum")(ops.log(Tensor([0.25, 0.75])), Tensor([1., 0.]))
        Tensor(shape=[], dtype=Float32, value= 1.38629)
    """

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__("mean" if reduction == "batchmean" else reduction)
        self.reduction = reduction
        self._op = Bound(ops.kl_div, reduction=reduction)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        return self._op(logits, labels)


class PoissonNLLLoss(LossBase):
    """The negative logarithm of the Poisson distribution: exp(x) - target · x.

    Args:
        log_input: whether x is the logarithm of the mean; else x - target · log(x + eps).
        full: whether Stirling's approximation of log(target!) is added where target > 1.
        eps: > 0.
        reduction: "mean", "sum" or "none".

    Example:
        >>> PoissonNLLLoss()(Tensor([0., 0.]), Tensor([2., 3.])).item()
        1.0
    """

    def __init__(self, log_input: bool = True, full: bool = False, eps: float = 1e-8, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.log_input = flag("PoissonNLLLoss", "log_input", log_input)
        self.full = flag("PoissonNLLLoss", "full", full)
        self.eps = number("PoissonNLLLoss", "eps", eps, above=0.0)

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        return ops.poisson_nll_loss(input, target, self.log_input, self.full, self.eps, self.reduction)

    def extend_repr(self) -> str:
        return f"log_input={self.log_input}, full={self.full}, eps={self.eps}, reduction={self.reduction}"


class GaussianNLLLoss(LossBase):
    """The negative logarithm of the normal distribution: (log(v) + (logits - labels)² / v) / 2, v = max(var, eps).

    Args:
        full: whether log(2π) / 2 is added.
        eps: > 0.
        reduction: "mean", "sum" or "none".

    Example:
        >>> GaussianNLLLoss()(Tensor([1., 2.]), Tensor([2., 2.]), Tensor([1., 1.])).item()
        0.25
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.full = flag("GaussianNLLLoss", "full", full)
        self.eps = number("GaussianNLLLoss", "eps", eps, above=0.0)

    def construct(self, logits: Tensor, labels: Tensor, var: Tensor) -> Tensor:
        return ops.gaussian_nll_loss(logits, labels, var, self.full, self.eps, self.reduction)

    def extend_repr(self) -> str:
        return f"full={self.full}, eps={self.eps}, reduction={self.reduction}"


# -- pairs and triples ------------------------------------------------------------------------------------------------


class CosineEmbeddingLoss(LossBase):
    """1 - cos(x1, x2) where the label is 1, max(0, cos(x1, x2) - margin) where it is -1.

    Args:
        margin: number in [-1, 1].
        reduction: "mean", "sum" or "none".

    Example:
        >>> CosineEmbeddingLoss()(Tensor([[1., 0.]]), Tensor([[0., 1.]]), Tensor([1])).item()
        1.0
    """

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = number("CosineEmbeddingLoss", "margin", margin, least=-1.0, most=1.0)

    def construct(self, logits_x1: Tensor, logits_x2: Tensor, labels: Tensor) -> Tensor:
        return ops.cosine_embedding_loss(logits_x1, logits_x2, labels, self.margin, self.reduction)

    def extend_repr(self) -> str:
        return f"margin={self.margin}, reduction={self.reduction}"


class MarginRankingLoss(LossBase):
    """max(0, -target · (input1 - input2) + margin): target 1 asks that input1 is greater, -1 that input2 is.

    Args:
        margin: number.
        reduction: "mean", "sum" or "none".

    Example:
        >>> MarginRankingLoss()(Tensor([1., 3.]), Tensor([2., 2.]), Tensor([1., 1.])).item()
        0.5
    """

    def __init__(self, margin: float = 0.0, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.margin = number("MarginRankingLoss", "margin", margin)

    def construct(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return ops.margin_ranking_loss(input1, input2, target, self.margin, self.reduction)

    def extend_repr(self) -> str:
        return f"margin={self.margin}, reduction={self.reduction}"


class HingeEmbeddingLoss(_Loss):
    """x where the label is 1, max(0, margin - x) where it is -1.

    Args:
        margin: number.
        reduction: "mean", "sum" or "none".

    Example:
        >>> HingeEmbeddingLoss()(Tensor([2., 0.5]), Tensor([1, -1])).item()
        1.25
    """

    def __init__(self, margin: float = 1.0, reduction: str = "mean") -> None:
        super().__init__(ops.hinge_embedding_loss, reduction, margin=number("HingeEmbeddingLoss", "margin", margin))


class SoftMarginLoss(_Loss):
    """log(1 + exp(-labels · logits)), labels 1 and -1.

    Example:
        >>> SoftMarginLoss()(Tensor([0., 0.]), Tensor([1., -1.]))
        Tensor(shape=[], dtype=Float32, value= 0.693147)
    """

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__(ops.soft_margin_loss, reduction)


class TripletMarginLoss(LossBase):
    """max(0, d(x, positive) - d(x, negative) + margin), d(a, b) = |a - b + eps|_p along the last axis.

    Args:
        p: of the norm.
        swap: whether the smaller of d(x, negative) and d(positive, negative) counts.
        eps: added to the differences.
        reduction: "mean", "sum" or "none".
        margin: >= 0.

    Example:
        >>> TripletMarginLoss()(Tensor([[0., 0.]]), Tensor([[0., 3.]]), Tensor([[0., 2.]]))
        Tensor(shape=[], dtype=Float32, value= 2)
    """

    def __init__(
        self, p: int = 2, swap: bool = False, eps: float = 1e-6, reduction: str = "mean", margin: float = 1.0
    ) -> None:
        super().__init__(reduction)
        self.p, self.eps = number("TripletMarginLoss", "p", p, above=0.0), number("TripletMarginLoss", "eps", eps)
        self.swap = flag("TripletMarginLoss", "swap", swap)
        self.margin = number("TripletMarginLoss", "margin", margin)

    def construct(self, x: Tensor, positive: Tensor, negative: Tensor, margin: float | None = None) -> Tensor:
        margin = self.margin if margin is None else margin
        return ops.triplet_margin_loss(x, positive, negative, margin, self.p, self.eps, self.swap, self.reduction)

    def extend_repr(self) -> str:
        return f"p={self.p}, swap={self.swap}, eps={self.eps}, reduction={self.reduction}, margin={self.margin}"


class TripletMarginWithDistanceLoss(LossBase):
    """max(0, d(x, positive) - d(x, negative) + margin), with a distance of the user's.

    Args:
        distance_function: from two tensors to their distances; the Euclidean distance along axis 1 when None.
        swap, reduction, margin: see TripletMarginLoss.

    Example:
        >>> loss = TripletMarginWithDistanceLoss(lambda a, b: ops.abs(a - b).sum(-1))
        >>> loss(Tensor([[0., 0.]]), Tensor([[0., 3.]]), Tensor([[0., 2.]])).item()
        2.0
    """

    def __init__(
        self, distance_function: Callable | None = None, swap: bool = False, reduction: str = "mean",
        margin: float = 1.0,
    ) -> None:  # fmt: skip
        super().__init__(reduction)
        self.distance_function = distance_function
        self.swap = flag("TripletMarginWithDistanceLoss", "swap", swap)
        self.margin = number("TripletMarginWithDistanceLoss", "margin", margin)

    def construct(self, x: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        distance = self.distance_function or _euclidean
        far = distance(x, negative)
        if self.swap:
            far = ops.minimum(far, distance(positive, negative))
        return self.get_loss(ops.relu(distance(x, positive) - far + self.margin))

    def extend_repr(self) -> str:
        return f"swap={self.swap}, reduction={self.reduction}, margin={self.margin}"


def _euclidean(a: Tensor, b: Tensor) -> Tensor:
    return ops.euclidean_norm(a - b, 1 if a.ndim > 1 else 0)


# -- overlap ----------------------------------------------------------------------------------------------------------


class DiceLoss(LossBase):
    """1 - 2 sum(x y) / (sum(x²) + sum(y²) + smooth).

    Args:
        smooth: number > 0.
    Input, output:
        logits and label of one shape, probabilities mostly; a number.
    Source:
        Milletari, Navab & Ahmadi, 3DV 2016.

    Example:
        >>> DiceLoss(smooth=0.5)(Tensor([[1., 1.]]), Tensor([[1., 0.]])).item()
        0.4285714030265808
    """

    def __init__(self, smooth: float = 1e-5) -> None:
        super().__init__()
        self.smooth = number("DiceLoss", "smooth", smooth, above=0.0)

    def construct(self, logits: Tensor, label: Tensor) -> Tensor:
        if logits.shape != label.shape:
            raise OpValueError(f"DiceLoss needs equal shapes, but got {logits.shape} and {label.shape}", arg="label")
        label = label.astype(logits.dtype)
        both = ops.reduce_sum(logits * label)
        squares = ops.reduce_sum(logits * logits) + ops.reduce_sum(label * label)
        return 1.0 - 2.0 * both / (squares + self.smooth)

    def extend_repr(self) -> str:
        return f"smooth={self.smooth}"


class MultiClassDiceLoss(LossBase):
    """The mean of the DiceLosses of the channels (axis 1) of activation(logits).

    Args:
        weights: of the channels, a tensor with as many elements, or None.
        ignore_indiex: a channel whose loss is left out of the sum.
        activation: a name, a Cell or a function; see `get_activation`.

    Example:
        >>> x = Tensor([[1., 0.], [0., 1.]])
        >>> MultiClassDiceLoss(activation=None)(x, x).item() < 1e-4
        True
    """

    def __init__(
        self, weights: Tensor | None = None, ignore_indiex: int | None = None, activation: Any = "softmax"
    ) -> None:
        super().__init__()
        self.weights = _optional_tensor("MultiClassDiceLoss", "weights", weights)
        if ignore_indiex is not None:
            integer("MultiClassDiceLoss", "ignore_indiex", ignore_indiex)
        self.ignore_indiex = ignore_indiex
        self.binarydiceloss = DiceLoss()
        self.activation = activation_of("MultiClassDiceLoss", activation)

    def construct(self, logits: Tensor, label: Tensor) -> Tensor:
        if self.activation is not None:
            logits = self.activation(logits)
        channels = label.shape[1]
        if self.weights is not None and self.weights.size != channels:
            raise OpValueError(f"MultiClassDiceLoss has {self.weights.size} weights, but got {channels} channels")
        total: Any = 0.0
        for i in range(channels):
            if i != self.ignore_indiex:
                loss = self.binarydiceloss(logits[:, i], label[:, i])
                total = total + (loss if self.weights is None else loss * self.weights.reshape((-1,))[i])
        return total / channels


def _optional_tensor(owner: str, name: str, value: Any) -> Tensor | None:
    if value is not None and not isinstance(value, Tensor):
        raise OpTypeError(f"{owner} needs a tensor or None for `{name}`, but got {type(value).__name__}", arg=name)
    return value


if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)
