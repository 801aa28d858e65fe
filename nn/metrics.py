"""Metrics: how good predictions are, gathered batch by batch: `clear()`, `update(predicted, true)`, `eval()`.

They compute in numpy and float64, outside any tape. Their names are found in `anfora.train` as well.
"""

from __future__ import annotations

import functools
import sys
from abc import ABCMeta, abstractmethod
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from anfora import ops
from anfora.core import exact
from anfora.core.arguments import answers
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.core.nearest import missing_in
from anfora.core.tensor import Tensor
from anfora.nn.checks import choice, flag, integer, number

__all__ = [
    "F1", "MAE", "MSE", "ROC", "Accuracy", "BleuScore", "CosineSimilarity", "Dice", "Fbeta", "Loss", "Metric",
    "Perplexity", "Precision", "Recall", "Top1CategoricalAccuracy",
    "Top5CategoricalAccuracy", "TopKCategoricalAccuracy", "auc", "get_metric_fn",
    "get_metrics", "names", "rearrange_inputs",
]  # fmt: skip

_LEAST = sys.float_info.min  #: makes 0 of 0 / 0


def rearrange_inputs(func: Callable) -> Callable:
    """A decorator of `update`: it is given the inputs that `set_indexes` has chosen, in that order.

    Example:
        >>> class Last(Metric):
        ...     def clear(self): self.seen = None
        ...     def eval(self): return self.seen
        ...     @rearrange_inputs
        ...     def update(self, *inputs): self.seen = inputs
        >>> Last().set_indexes([2, 0])("a", "b", "c")
        ('c', 'a')
    """

    @functools.wraps(func)
    def wrapper(self: Any, *inputs: Any) -> Any:
        chosen = self.indexes
        return func(self, *([inputs[i] for i in chosen] if chosen else inputs))

    return wrapper


class Metric(metaclass=ABCMeta):
    """Base of metrics. Subclasses write `clear`, `update` and `eval`; a call does the three in a row.

    Example:
        >>> class Largest(nn.Metric):
        ...     def clear(self):
        ...         self.value = float("-inf")
        ...     def update(self, values):
        ...         self.value = max(self.value, values.max().item())
        ...     def eval(self):
        ...         return self.value
        >>> Largest()(Tensor([1., 3., 2.]))
        3.0
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        answers(cls)

    def __init__(self) -> None:
        self._indexes: list[int] | None = None

    def _convert_data(self, data: Any) -> np.ndarray:
        """A tensor, list or array as an array."""
        if not isinstance(data, (Tensor, list, np.ndarray)):
            raise OpTypeError(f"{type(self).__name__} needs tensors, lists or arrays, but got {type(data).__name__}")
        return data.asnumpy() if isinstance(data, Tensor) else np.asarray(data)

    def _two(self, inputs: tuple) -> tuple[np.ndarray, np.ndarray]:
        if len(inputs) != 2:
            raise OpValueError(
                f"{type(self).__name__}.update needs 2 inputs, predicted and true, but got {len(inputs)}"
            )
        return self._convert_data(inputs[0]), self._convert_data(inputs[1])

    def _need(self, count: Any) -> None:
        if not count:
            raise OpRuntimeError(f"{type(self).__name__} has no samples yet", help="call update() before eval().")

    @property
    def indexes(self) -> list[int] | None:
        """What `set_indexes` has chosen."""
        return getattr(self, "_indexes", None)

    def set_indexes(self, indexes: list[int]) -> Metric:
        """Choose which inputs `update` gets, by their numbers; gives the metric."""
        if not isinstance(indexes, list) or not all(isinstance(i, int) for i in indexes):
            raise OpValueError(f"set_indexes needs a list of integers, but got {indexes!r}", arg="indexes")
        self._indexes = indexes
        return self

    def __call__(self, *inputs: Any) -> Any:
        self.clear()
        self.update(*inputs)
        return self.eval()

    @abstractmethod
    def clear(self) -> None:
        """Forget all samples."""

    @abstractmethod
    def update(self, *inputs: Any) -> None:
        """Add a batch."""

    @abstractmethod
    def eval(self) -> Any:
        """The metric of all samples since `clear`."""


def _is_one_hot(y: np.ndarray) -> bool:
    return y.ndim > 1 and bool(np.all(y * y == y) and np.all(y.sum(axis=1) == 1))


class _Classes(Metric):
    """What metrics of classes share: the checks, and how many classes there are.

    Args:
        eval_type: "classification": predicted (N, C, …) are scores, true (N, …) are numbers of classes, or (N, C, …) 0 and
            1 with one 1; "multilabel": both (N, C, …) are 0 and 1.
    """

    def __init__(self, eval_type: str = "classification") -> None:
        super().__init__()
        if eval_type not in ("classification", "multilabel"):
            raise OpTypeError(
                f"{type(self).__name__}: `eval_type` must be 'classification' or 'multilabel', but got {eval_type!r}",
                arg="eval_type",
            )
        self._type = eval_type
        self.clear()

    def clear(self) -> None:
        self._class_num = 0

    def _checked(self, inputs: tuple) -> tuple[np.ndarray, np.ndarray]:
        name = type(self).__name__
        predicted, true = self._two(inputs)
        if self._type == "classification":
            if predicted.ndim == true.ndim and _is_one_hot(true):
                true = true.argmax(axis=1)
            if predicted.ndim < 2 or true.shape != (predicted.shape[0], *predicted.shape[2:]):
                raise OpValueError(
                    f"{name} needs scores (N, C, …) and classes (N, …), but got {predicted.shape} and {true.shape}"
                )
            if true.size and not 0 <= true.min() <= true.max() < predicted.shape[1]:
                raise OpValueError(
                    f"{name}: there are scores of {predicted.shape[1]} classes, but a true class is "
                    f"{true.max() if true.min() >= 0 else true.min()}"
                )
        else:
            if predicted.ndim < 2 or predicted.shape != true.shape:
                raise OpValueError(f"{name} needs two arrays (N, C, …), but got {predicted.shape} and {true.shape}")
            if not (np.all(predicted * predicted == predicted) and np.all(true * true == true)):
                raise OpValueError(f"{name} needs 0 and 1 everywhere with eval_type='multilabel'")
        if self._class_num not in (0, predicted.shape[1]):
            raise OpValueError(f"{name} had {self._class_num} classes before, but now got {predicted.shape[1]}")
        self._class_num = predicted.shape[1]
        return predicted, true


class Accuracy(_Classes):
    """The share of samples whose class is predicted (with "multilabel" all of whose labels are).

    Example:
        >>> Accuracy()(Tensor([[0.2, 0.8], [0.7, 0.3]]), Tensor([1, 1]))
        0.5
    """

    def clear(self) -> None:
        super().clear()
        self._correct_num = self._total_num = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        predicted, true = self._checked(inputs)
        if self._type == "classification":
            right = predicted.argmax(axis=1) == true
        else:
            right = (predicted == true).all(axis=1)
        self._correct_num += int(right.sum())
        self._total_num += right.size

    def eval(self) -> float:
        self._need(self._total_num)
        return self._correct_num / self._total_num


class _Shares(_Classes):
    """Right ones among some, by class; with "multilabel" by sample."""

    def clear(self) -> None:
        super().clear()
        self._right: Any = None
        self._among: Any = None

    def _counts(self, inputs: tuple) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """How many are right, predicted, true."""
        predicted, true = self._checked(inputs)
        classes = self._class_num
        if self._type == "classification":
            predicted, true = np.eye(classes)[predicted.argmax(axis=1).ravel()], np.eye(classes)[true.ravel()]
        else:
            predicted, true = (x.swapaxes(1, 0).reshape(classes, -1) for x in (predicted, true))
        return (predicted * true).sum(axis=0), predicted.sum(axis=0), true.sum(axis=0)

    def _add(self, right: np.ndarray, among: np.ndarray) -> None:
        first = self._right is None
        if self._type == "classification":
            self._right = right if first else self._right + right
            self._among = among if first else self._among + among
        else:
            self._right = right if first else np.append(self._right, right)
            self._among = among if first else np.append(self._among, among)

    def eval(self, average: bool = False) -> Any:
        """The shares as an array, or with `average` their mean."""
        self._need(self._class_num)
        if not isinstance(average, bool):
            raise OpTypeError(f"{type(self).__name__}.eval needs a bool for `average`, but got {average!r}")
        shares = self._right / (self._among + _LEAST)
        return shares.mean() if average else shares


class Precision(_Shares):
    """Of what was predicted to be of a class, the share that is.

    Example:
        >>> Precision()(Tensor([[0.2, 0.8], [0.3, 0.7], [0.7, 0.3]]), Tensor([1, 0, 0])).tolist()
        [1.0, 0.5]
    """

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        right, predicted, _ = self._counts(inputs)
        self._add(right, predicted)


class Recall(_Shares):
    """Of what is of a class, the share that was predicted to be.

    Example:
        >>> Recall()(Tensor([[0.2, 0.8], [0.3, 0.7], [0.7, 0.3]]), Tensor([1, 0, 0])).tolist()
        [0.5, 1.0]
    """

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        right, _, true = self._counts(inputs)
        self._add(right, true)


class Fbeta(_Shares):
    """The weighted harmonic mean of precision p and recall r by class: (1 + beta²) p r / (beta² p + r).

    Args:
        beta: how much more recall counts, > 0.
    Example:
        >>> Fbeta(1.0)(Tensor([[0.2, 0.8], [0.3, 0.7], [0.7, 0.3]]), Tensor([1, 1, 1])).tolist()
        [0.0, 0.8]
    """

    def __init__(self, beta: float) -> None:
        self.beta = number("Fbeta", "beta", beta, above=0.0)
        super().__init__()

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        right, predicted, true = self._counts(inputs)
        self._add((1 + self.beta * self.beta) * right, self.beta * self.beta * true + predicted)


class F1(Fbeta):
    """The harmonic mean of precision and recall by class.

    Example:
        >>> F1()(Tensor([[0.75, 0.25], [0.25, 0.75]]), Tensor([0, 1])).tolist()
        [1.0, 1.0]
    """

    def __init__(self) -> None:
        super().__init__(1.0)


class _Mean(Metric):
    """A sum over samples, divided by their number."""

    def __init__(self) -> None:
        super().__init__()
        self.clear()

    def clear(self) -> None:
        self._sum, self._count = 0.0, 0

    def eval(self) -> float:
        self._need(self._count)
        return self._sum / self._count


class MAE(_Mean):
    """The sum of |predicted - true|, divided by the number of samples (the length of the first axis).

    Example:
        >>> MAE()(Tensor([1., 2., 4.]), Tensor([1., 3., 6.]))
        1.0
    """

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        predicted, true = self._two(inputs)
        self._sum += float(np.abs(_like(true, predicted) - predicted).sum())
        self._count += true.shape[0]


class MSE(_Mean):
    """The sum of (predicted - true)², divided by the number of samples (the length of the first axis).

    Example:
        >>> MSE()(Tensor([1., 2.]), Tensor([1., 4.]))
        2.0
    """

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        predicted, true = self._two(inputs)
        self._sum += float(((_like(true, predicted) - predicted) ** 2).sum())
        self._count += true.shape[0]


def _like(true: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    if true.size != predicted.size:
        raise OpValueError(
            f"predicted and true values must be as many, but there are {predicted.shape} and {true.shape}"
        )
    return true.reshape(predicted.shape)


class Loss(_Mean):
    """The mean of losses, one a batch.

    Example:
        >>> metric = Loss()
        >>> metric.update(Tensor(1.0)); metric.update(Tensor(2.0)); metric.eval()
        1.5
    """

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        if len(inputs) != 1:
            raise OpValueError(f"Loss.update needs 1 input, the loss, but got {len(inputs)}")
        loss = self._convert_data(inputs[0])
        if loss.ndim > 1:
            raise OpValueError(f"Loss.update needs a number or a row of them, but got an array of shape {loss.shape}")
        self._sum += float(loss.mean())
        self._count += 1


class TopKCategoricalAccuracy(_Mean):
    """The share of samples whose class is among the k of the greatest scores; of equal scores the earlier class is greater.

    Args:
        k: at least 1.
    Example:
        >>> TopKCategoricalAccuracy(2)(Tensor([[0.1, 0.5, 0.4], [0.6, 0.3, 0.1]]), Tensor([2, 2]))
        0.5
    """

    def __init__(self, k: int) -> None:
        self.k = integer("TopKCategoricalAccuracy", "k", k, least=1)
        super().__init__()

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        predicted, true = self._two(inputs)
        if predicted.ndim == true.ndim and _is_one_hot(true):
            true = true.argmax(axis=1)
        best = np.argsort(-predicted, axis=1, kind="stable")[:, : self.k]
        self._sum += float((best == true.reshape(-1, 1)).sum())
        self._count += true.size


class Top1CategoricalAccuracy(TopKCategoricalAccuracy):
    """The share of samples whose class has the greatest score.

    Example:
        >>> Top1CategoricalAccuracy()(Tensor([[0.25, 0.75], [0.75, 0.25]]), Tensor([1, 1]))
        0.5
    """

    def __init__(self) -> None:
        super().__init__(1)


class Top5CategoricalAccuracy(TopKCategoricalAccuracy):
    """The share of samples whose class is among the five of the greatest scores.

    Example:
        >>> scores = ops.arange(6.0).reshape(1, 6)
        >>> Top5CategoricalAccuracy()(scores, Tensor([1])), Top5CategoricalAccuracy()(scores, Tensor([0]))
        (1.0, 0.0)
    """

    def __init__(self) -> None:
        super().__init__(5)


class Perplexity(_Mean):
    """e to the mean negative logarithm of the probability of the true class.

    Args:
        ignore_label: samples of this class are left out.
    Example:
        >>> round(Perplexity()(Tensor([[0.25, 0.75], [0.5, 0.5]]), Tensor([0, 1])) ** 2, 6)
        8.0
    """

    def __init__(self, ignore_label: int | None = None) -> None:
        self.ignore_label = None if ignore_label is None else integer("Perplexity", "ignore_label", ignore_label)
        super().__init__()

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        predicted, true = self._two(inputs)
        if predicted.ndim < 1 or true.size * predicted.shape[-1] != predicted.size:
            raise OpRuntimeError(
                f"Perplexity needs probabilities (…, C) and classes (…), but got {predicted.shape} and {true.shape}"
            )
        classes = true.astype(np.int64).ravel()
        counted = classes != self.ignore_label
        found = predicted.reshape(classes.size, -1)[counted, classes[counted]].astype(np.float64)
        self._sum -= float(ops.log(Tensor(np.maximum(found, 1e-10))).asnumpy().sum())
        self._count += found.size

    def eval(self) -> float:
        return exact.exp(super().eval())


class Dice(Metric):
    """How much two sets x and y overlap, 2 x·y / (x·x + y·y + smooth), summed over batches and divided by the samples.

    Args:
        smooth: > 0.
    Example:
        >>> round(float(Dice()(Tensor([[1., 0.]]), Tensor([[1., 1.]]))), 4)
        0.6667
    """

    def __init__(self, smooth: float = 1e-5) -> None:
        super().__init__()
        self.smooth = number("Dice", "smooth", smooth, above=0.0)
        self.clear()

    def clear(self) -> None:
        self._sum, self._count = 0.0, 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        predicted, true = self._two(inputs)
        if predicted.shape != true.shape:
            raise OpValueError(f"Dice needs two arrays of one shape, but got {predicted.shape} and {true.shape}")
        x, y = predicted.ravel().astype(np.float64), true.ravel().astype(np.float64)
        self._sum += 2 * float(x @ y) / float(x @ x + y @ y + self.smooth)
        self._count += true.shape[0]

    def eval(self) -> float:
        self._need(self._count)
        return self._sum / self._count


class ROC(Metric):
    """The receiver operating characteristic: false and true positive rates at falling thresholds.

    Args:
        class_num: None for scores of one class, of the shape of the true values; C for scores (N, C, …).
        pos_label: the true value that counts as positive, 1 if not given; not with `class_num`.
    Returns of `eval()`:
        (false positive rates, true positive rates, thresholds); with `class_num` lists of them, one a class. The first
        threshold is the greatest score plus one.
    Example:
        >>> false, true, at = ROC()(Tensor([3, 2, 1]), Tensor([1, 0, 1]))
        >>> false.tolist(), true.tolist(), at.tolist()
        ([0.0, 0.0, 1.0, 1.0], [0.0, 0.5, 0.5, 1.0], [4, 3, 2, 1])
    """

    def __init__(self, class_num: int | None = None, pos_label: int | None = None) -> None:
        super().__init__()
        self.class_num = None if class_num is None else integer("ROC", "class_num", class_num, least=1)
        self.pos_label = None if pos_label is None else integer("ROC", "pos_label", pos_label)
        self.clear()

    def clear(self) -> None:
        self._data: tuple[np.ndarray, np.ndarray] | None = None

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Take a batch; one that came before is replaced, as in MindSpore."""
        predicted, true = self._two(inputs)
        if predicted.shape == true.shape:
            if self.class_num not in (None, 1):
                raise OpValueError(
                    f"ROC: `class_num` is {self.class_num}, but the scores have the shape of the true values"
                )
        elif predicted.ndim == true.ndim + 1 and true.shape == (predicted.shape[0], *predicted.shape[2:]):
            if self.pos_label is not None:
                raise OpValueError("ROC: `pos_label` must not be given for scores of several classes", arg="pos_label")
            if self.class_num != predicted.shape[1]:
                raise OpValueError(f"ROC: `class_num` is {self.class_num}, but there are {predicted.shape[1]} classes")
        else:
            raise OpValueError(f"ROC: scores {predicted.shape} and true values {true.shape} do not fit")
        self._data = predicted, true

    def eval(self) -> tuple:
        self._need(self._data is not None)
        assert self._data is not None
        predicted, true = self._data
        if predicted.shape == true.shape:
            return _rates(predicted.ravel(), true.ravel() == (1 if self.pos_label is None else self.pos_label))
        each = [_rates(predicted[:, c].ravel(), true.ravel() == c) for c in range(predicted.shape[1])]
        return tuple(map(list, zip(*each)))


def _rates(scores: np.ndarray, positive: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    if positive.all() or not positive.any():
        there = "positive" if positive.any() else "negative"
        raise OpValueError(f"ROC needs positive and negative samples, but there are only {there} ones")
    order = np.argsort(-scores, kind="stable")
    scores, positive = scores[order], positive[order]
    last = np.append(np.flatnonzero(np.diff(scores)), scores.size - 1)  # of equal scores
    hits = np.cumsum(positive)[last]
    misses = last + 1 - hits
    return (
        np.append(0, misses) / misses[-1], np.append(0, hits) / hits[-1], np.append(scores[0] + 1, scores[last])
    )  # fmt: skip


def auc(x: np.ndarray, y: np.ndarray, reorder: bool = False) -> float:
    """The area under a curve through points (x, y), by the trapezoidal rule.

    Args:
        x, y: arrays of the same length of at least 2; x does not fall, or does not rise.
        reorder: sort the points by x first.
    Raises:
        OpTypeError: these are no arrays.   OpValueError: their lengths do not fit, or x rises and falls.
    Example:
        >>> float(auc(np.array([0.0, 0.5, 1.0]), np.array([0.0, 1.0, 1.0])))
        0.75
    """
    if not isinstance(x, np.ndarray) or not isinstance(y, np.ndarray):
        raise OpTypeError(f"auc needs two numpy arrays, but got {type(x).__name__} and {type(y).__name__}")
    x, y = x.ravel(), y.ravel()
    if x.size != y.size or x.size < 2:
        raise OpValueError(f"auc needs two arrays of the same length of at least 2, but got {x.size} and {y.size}")
    if reorder:
        order = np.lexsort((y, x))
        x, y = x[order], y[order]
    steps = np.diff(x)
    if np.any(steps < 0) and np.any(steps > 0):
        raise OpValueError("auc needs an `x` that rises or falls", arg="x", help="reorder=True sorts the points.")
    area = float((steps * (y[1:] + y[:-1]) / 2).sum())
    return -area if np.any(steps < 0) else area


class BleuScore(Metric):
    """How alike sentences are to reference sentences: the geometric mean of the shares of runs of 1 … n words that occur in
    a reference, lowered for what is shorter than the references.

    Args:
        n_gram: n, 1 … 4.
        smooth: add one to all counts.
    Source:
        Papineni et al., BLEU (ACL 2002).
    Example:
        >>> round(float(BleuScore(2)([["a", "b", "c"]], [[["a", "b", "d"]]])), 4)
        0.5774
    """

    def __init__(self, n_gram: int = 4, smooth: bool = False) -> None:
        super().__init__()
        self.n_gram = integer("BleuScore", "n_gram", n_gram, least=1)
        if self.n_gram > 4:
            raise OpValueError(f"BleuScore: `n_gram` must be 1 … 4, but got {n_gram}", arg="n_gram")
        if not isinstance(smooth, bool):
            raise OpTypeError(f"BleuScore needs a bool for `smooth`, but got {smooth!r}", arg="smooth")
        self.smooth = smooth
        self.clear()

    def clear(self) -> None:
        self._found, self._counted = np.zeros(self.n_gram), np.zeros(self.n_gram)
        self._length = self._wanted = 0

    def _runs(self, words: Any) -> Counter:
        return Counter(tuple(words[i : i + n]) for n in range(1, self.n_gram + 1) for i in range(len(words) - n + 1))

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Add sentences, lists of words, each with a list of its references."""
        if len(inputs) != 2 or len(inputs[0]) != len(inputs[1]):
            raise OpValueError("BleuScore.update needs sentences and as many lists of references")
        for sentence, references in zip(*inputs):
            self._length += len(sentence)
            self._wanted += min((len(r) for r in references), key=lambda n: abs(n - len(sentence)))
            known: Counter = functools.reduce(lambda a, b: a | b, map(self._runs, references))
            runs = self._runs(sentence)
            for run, count in runs.items():
                self._counted[len(run) - 1] += count
                self._found[len(run) - 1] += min(count, known[run])

    def eval(self) -> float:
        self._need(self._length)
        if self._found.min() == 0:
            return 0.0
        shares = (self._found + self.smooth) / (self._counted + self.smooth)
        short = 1.0 if self._length > self._wanted else exact.exp(1 - self._wanted / self._length)
        return short * exact.exp(float(np.mean([exact.log(share) for share in shares])))


class CosineSimilarity(Metric):
    """How alike rows are: a matrix (N, N) of the cosines of the angles between them.

    Args:
        similarity: "cosine"; or "dot", products without regard to lengths.
        reduction: "none"; or "sum" or "mean" over each row of the matrix.
        zero_diagonal: whether a row's likeness to itself counts as 0.

    `update(rows)`: an array (N, M); one that came before is replaced, as in MindSpore.

    Example:
        >>> CosineSimilarity()(Tensor([[1., 0.], [1., 0.], [0., 2.]])).tolist()
        [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """

    def __init__(self, similarity: str = "cosine", reduction: str = "none", zero_diagonal: bool = True) -> None:
        super().__init__()
        self.similarity = choice("CosineSimilarity", "similarity", similarity, ("cosine", "dot"))
        self.reduction = choice("CosineSimilarity", "reduction", reduction, ("none", "sum", "mean"))
        self.zero_diagonal = flag("CosineSimilarity", "zero_diagonal", zero_diagonal)
        self.clear()

    def clear(self) -> None:
        self._products: np.ndarray | None = None

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        if len(inputs) != 1:
            raise OpValueError(f"CosineSimilarity.update needs 1 input, an array of rows, but got {len(inputs)}")
        rows = self._convert_data(inputs[0])
        if rows.ndim != 2:
            raise OpValueError(f"CosineSimilarity needs an array (N, M), but got {rows.shape}")
        if self.similarity == "cosine":
            rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        self._products = rows @ rows.T

    def eval(self) -> np.ndarray:
        self._need(self._products is not None)
        assert self._products is not None
        found = self._products.copy()
        if self.zero_diagonal:
            np.fill_diagonal(found, 0)
        if self.reduction == "none":
            return found
        return found.mean(axis=-1) if self.reduction == "mean" else found.sum(axis=-1)


#: Classes by the names of metrics; those of other modules by their own names.
_BY_NAME: dict[str, Any] = {
    "accuracy": Accuracy, "acc": Accuracy, "precision": Precision, "recall": Recall, "F1": F1, "dice": Dice, "roc": ROC,
    "auc": auc, "bleu_score": BleuScore, "topk": TopKCategoricalAccuracy, "top_1_accuracy": Top1CategoricalAccuracy,
    "top_5_accuracy": Top5CategoricalAccuracy, "mae": MAE, "mse": MSE, "loss": Loss, "perplexity": Perplexity,
    "cosine_similarity": CosineSimilarity, "confusion_matrix": "ConfusionMatrix",
    "confusion_matrix_metric": "ConfusionMatrixMetric", "hausdorff_distance": "HausdorffDistance",
    "mean_surface_distance": "MeanSurfaceDistance", "occlusion_sensitivity": "OcclusionSensitivity",
    "root_mean_square_distance": "RootMeanSquareDistance",
}  # fmt: skip


def names() -> list[str]:
    """The names that `get_metric_fn` knows.

    Example:
        >>> "top_5_accuracy" in names()
        True
    """
    return sorted(_BY_NAME)


def get_metric_fn(name: str, *args: Any, **kwargs: Any) -> Any:
    """The metric of a name, made with the arguments that its class takes.

    Raises:
        UnknownMetric: there is none; it is an OpValueError, and a KeyError.
    Example:
        >>> get_metric_fn("topk", 3).k
        3
    """
    if name not in _BY_NAME:
        raise UnknownMetric(f"there is no metric {name!r}; there are {', '.join(names())}", arg="name")
    made = _BY_NAME[name]
    if isinstance(made, str):
        made = getattr(import_module("anfora.nn"), made)
    return made(*args, **kwargs)


class UnknownMetric(OpValueError, KeyError):
    """A name that is none of a metric's."""


def get_metrics(metrics: dict[str, Metric] | set[str] | None) -> dict[str, Metric]:
    """The metrics of an evaluation by their names.

    Args:
        metrics: a dict of names to metrics; or a set of names that `get_metric_fn` knows.
    Raises:
        OpTypeError: they are something else.   UnknownMetric: a name is none of a metric's.
    Example:
        >>> sorted(get_metrics({"acc", "loss"}))
        ['acc', 'loss']
    """
    if metrics is None:
        return {}
    if isinstance(metrics, (set, frozenset)):
        found = {name: get_metric_fn(name) for name in sorted(metrics, key=str)}
    elif isinstance(metrics, dict):
        found = metrics
    else:
        raise OpTypeError(
            f"`metrics` must be a dict of names to metrics or a set of names, but got {metrics!r}", arg="metrics"
        )
    for name, metric in found.items():
        if not isinstance(name, str) or not isinstance(metric, Metric):
            hint = f"make one: {metric.__name__}()." if isinstance(metric, type) else None
            raise OpTypeError(
                f"`metrics` must hold names with metrics, but got {name!r}: {metric!r}", help=hint, arg="metrics"
            )
    return found


if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__, "anfora.nn")
