"""Metrics from tables of what was taken for what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anfora.core.errors import OpTypeError, OpValueError
from anfora.nn.checks import choice, flag, integer, number
from anfora.nn.metrics import Metric, rearrange_inputs

__all__ = ["ConfusionMatrix", "ConfusionMatrixMetric"]


class ConfusionMatrix(Metric):
    """How often each class (a row) was taken for each (a column).

    Args:
        num_classes: C, how many classes there are.
        normalize: "no_norm": counts; "target": shares of a row; "prediction": of a column; "all": of the whole. Shares of
            nothing are 0.
        threshold: with two classes, floating predictions (N, …) from here on are class 1.

    `update(predicted, true)`: predicted are classes (N, …) or scores (N, C, …), true classes (N, …).

    Example:
        >>> ConfusionMatrix(2)(Tensor([0, 1, 1]), Tensor([0, 0, 1])).tolist()
        [[1.0, 1.0], [0.0, 1.0]]
    """

    def __init__(self, num_classes: int, normalize: str = "no_norm", threshold: float = 0.5) -> None:
        super().__init__()
        self.num_classes = integer("ConfusionMatrix", "num_classes", num_classes, least=1)
        kinds = ("no_norm", "target", "prediction", "all")
        self.normalize = choice("ConfusionMatrix", "normalize", normalize, kinds)
        self.threshold = number("ConfusionMatrix", "threshold", threshold)
        self.clear()

    def clear(self) -> None:
        self.confusion_matrix = np.zeros((self.num_classes, self.num_classes))
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        predicted, true = self._two(inputs)
        if predicted.ndim == true.ndim + 1:
            predicted = predicted.argmax(axis=1)
        elif predicted.dtype.kind == "f":
            predicted = (predicted >= self.threshold).astype(np.int64)
        if predicted.shape != true.shape:
            raise OpValueError(
                f"ConfusionMatrix needs as many predicted as true classes, but got {predicted.shape} and {true.shape}"
            )
        for values in (predicted, true):
            if values.size and not 0 <= values.min() <= values.max() < self.num_classes:
                raise OpValueError(
                    f"ConfusionMatrix has {self.num_classes} classes, but got class "
                    f"{values.max() if values.min() >= 0 else values.min()}"
                )
        places = true.ravel().astype(np.int64) * self.num_classes + predicted.ravel().astype(np.int64)
        counts = np.bincount(places, minlength=self.num_classes**2)
        self.confusion_matrix += counts.reshape(self.num_classes, self.num_classes)
        self._is_update = True

    def eval(self) -> np.ndarray:
        self._need(self._is_update)
        if self.normalize == "no_norm":
            return self.confusion_matrix.copy()
        axis = {"target": 1, "prediction": 0, "all": None}[self.normalize]
        total = self.confusion_matrix.sum(axis=axis, keepdims=True)
        return np.divide(self.confusion_matrix, total, out=np.zeros_like(self.confusion_matrix), where=total != 0)


def _share(part: Any, whole: Any) -> np.ndarray:
    """part / whole, NaN where the whole is 0."""
    part, whole = np.broadcast_arrays(np.asarray(part, np.float64), np.asarray(whole, np.float64))
    return np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole != 0)


def _prevalence(tp: Any, fp: Any, tn: Any, fn: Any) -> np.ndarray:
    tpr, tnr = _share(tp, tp + fn), _share(tn, fp + tn)
    return _share(np.sqrt(tpr * (1 - tnr)) + tnr - 1, tpr + tnr - 1)


#: Each measure by its names, from true positives, false positives, true negatives and false negatives.
_MEASURES: tuple[tuple[tuple[str, ...], Callable[[Any, Any, Any, Any], np.ndarray]], ...] = (
    (("sensitivity", "recall", "hit_rate", "true_positive_rate", "tpr"), lambda tp, fp, tn, fn: _share(tp, tp + fn)),
    (("specificity", "selectivity", "true_negative_rate", "tnr"), lambda tp, fp, tn, fn: _share(tn, fp + tn)),
    (("precision", "positive_predictive_value", "ppv"), lambda tp, fp, tn, fn: _share(tp, tp + fp)),
    (("negative_predictive_value", "npv"), lambda tp, fp, tn, fn: _share(tn, tn + fn)),
    (("miss_rate", "false_negative_rate", "fnr"), lambda tp, fp, tn, fn: _share(fn, tp + fn)),
    (("fall_out", "false_positive_rate", "fpr"), lambda tp, fp, tn, fn: _share(fp, fp + tn)),
    (("false_discovery_rate", "fdr"), lambda tp, fp, tn, fn: _share(fp, fp + tp)),
    (("false_omission_rate", "for"), lambda tp, fp, tn, fn: _share(fn, fn + tn)),
    (("prevalence_threshold", "pt"), _prevalence),
    (("threat_score", "critical_success_index", "ts", "csi"), lambda tp, fp, tn, fn: _share(tp, tp + fn + fp)),
    (("accuracy", "acc"), lambda tp, fp, tn, fn: _share(tp + tn, tp + fp + tn + fn)),
    (("balanced_accuracy", "ba"), lambda tp, fp, tn, fn: (_share(tp, tp + fn) + _share(tn, fp + tn)) / 2),
    (("f1_score", "f1"), lambda tp, fp, tn, fn: _share(2 * tp, 2 * tp + fn + fp)),
    (
        ("matthews_correlation_coefficient", "mcc"),
        lambda tp, fp, tn, fn: _share(tp * tn - fp * fn, np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))),
    ),
    (("fowlkes_mallows_index", "fm"), lambda tp, fp, tn, fn: np.sqrt(_share(tp, tp + fp) * _share(tp, tp + fn))),
    (
        ("informedness", "bookmaker_informedness", "bm"),
        lambda tp, fp, tn, fn: _share(tp, tp + fn) + _share(tn, fp + tn) - 1,
    ),
    (("markedness", "deltap", "mk"), lambda tp, fp, tn, fn: _share(tp, tp + fp) + _share(tn, tn + fn) - 1),
)
_BY_NAME = {name: measure for names, measure in _MEASURES for name in names}


class ConfusionMatrixMetric(Metric):
    """A measure from how many samples are rightly and wrongly found and left out.

    Args:
        skip_channel: False leaves the first class out.
        metric_name: "sensitivity", "specificity", "precision", "negative predictive value", "miss rate", "fall out", "false
            discovery rate", "false omission rate", "prevalence threshold", "threat score", "accuracy", "balanced
            accuracy", "f1 score", "matthews correlation coefficient", "fowlkes mallows index", "informedness",
            "markedness", or their usual short forms.
        calculation_method: whether it is computed for each sample and class, then brought together by `decrease`; else all
            are counted together first.
        decrease: "mean" (over classes, then samples), "sum", "mean_batch", "sum_batch", "mean_channel", "sum_channel" or
            "none"; what is not defined does not count.

    `update(predicted, true)`: both (N, C, …), 0 and 1.

    Example:
        >>> x, y = Tensor([[[0], [1]], [[1], [0]]]), Tensor([[[0], [1]], [[0], [1]]])
        >>> ConfusionMatrixMetric(metric_name="tpr")(x, y).tolist()
        [0.5]
    """

    def __init__(
        self,
        skip_channel: bool = True,
        metric_name: str = "sensitivity",
        calculation_method: bool = False,
        decrease: str = "mean",
    ) -> None:
        super().__init__()
        name = "ConfusionMatrixMetric"
        self.skip_channel = flag(name, "skip_channel", skip_channel)
        self.calculation_method = flag(name, "calculation_method", calculation_method)
        ways = ("none", "mean", "sum", "mean_batch", "sum_batch", "mean_channel", "sum_channel")
        self.decrease = choice(name, "decrease", decrease, ways)
        if not isinstance(metric_name, str):
            raise OpTypeError(f"{name} needs a string for `metric_name`, but got {metric_name!r}", arg="metric_name")
        word = metric_name.replace(" ", "_").lower()
        self.metric_name = metric_name
        self._measure = _BY_NAME[choice(name, "metric_name", word, tuple(_BY_NAME))]
        self.clear()

    def clear(self) -> None:
        self._counts = np.zeros(4)
        self._total: Any = 0.0
        self._parts: Any = 0.0
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        predicted, true = self._two(inputs)
        if predicted.ndim < 2 or predicted.shape != true.shape:
            raise OpValueError(
                f"ConfusionMatrixMetric needs two arrays (N, C, …), but got {predicted.shape} and {true.shape}"
            )
        for values in (predicted, true):
            if not np.isin(values, (0, 1)).all():
                raise OpValueError("ConfusionMatrixMetric needs 0 and 1 everywhere")
        if not self.skip_channel and true.shape[1] > 1:
            predicted, true = predicted[:, 1:], true[:, 1:]
        found, wanted = (values.reshape(*true.shape[:2], -1).astype(bool) for values in (predicted, true))
        pairs = (found & wanted, found & ~wanted, ~found & ~wanted, ~found & wanted)
        counts = np.stack([pair.sum(axis=2) for pair in pairs]).astype(np.float64)
        self._is_update = True
        if not self.calculation_method:
            self._counts += counts.sum(axis=(1, 2))
            return
        value, defined = _decreased(self._measure(*counts), self.decrease)
        self._total, self._parts = self._total + value * defined, self._parts + defined

    def eval(self) -> Any:
        self._need(self._is_update)
        if not self.calculation_method:
            return self._measure(*self._counts[:, None])
        self._need(np.any(self._parts))
        result = _share(self._total, self._parts)
        return float(result) if result.ndim == 0 else result


def _decreased(values: np.ndarray, way: str) -> tuple[Any, Any]:
    """Values (N, C) brought together, and of how many they are made."""
    defined = ~np.isnan(values)
    values = np.where(defined, values, 0.0)
    kind, _, over = way.partition("_")
    if kind == "none":
        return values, defined.astype(np.float64)
    if way == "sum":
        return values.sum(), defined.sum()
    if over:
        axis = 0 if over == "batch" else 1
        counts = defined.sum(axis=axis).astype(np.float64)
        total = values.sum(axis=axis)
        return (np.nan_to_num(_share(total, counts)) if kind == "mean" else total), counts
    counts = defined.sum(axis=1)
    means = np.nan_to_num(_share(values.sum(axis=1), counts))
    some = (counts > 0).sum()
    return float(np.nan_to_num(_share(means.sum(), some))), float(some)
