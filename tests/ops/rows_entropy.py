"""Rows of the op table: cross entropy."""

import numpy as np
from row import Bad, Row, S, integers, normal, positive, uniform

from anfora import ops


def _log_softmax(x, axis):
    shifted = x - x.max(axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))


def _by_label(log_p, target, weight, ignore, reduction, smoothing):
    """The loss of log-probabilities, row by row."""
    if log_p.ndim == 1:
        log_p, target = log_p[None], np.asarray(target)[None]
        if reduction == "none":
            return _by_label(log_p, target, weight, ignore, reduction, smoothing)[0]
    classes = log_p.shape[1]
    weight = np.ones(classes) if weight is None else weight
    rows = np.moveaxis(log_p, 1, -1).reshape(-1, classes)
    losses, weights = [], []
    for row, label in zip(rows, target.reshape(-1)):
        counts = label != ignore
        w = weight[label] if counts else 0.0
        smooth = -(weight * row).sum() / classes if counts else 0.0
        losses.append((-(1 - smoothing) * w * row[label] if counts else 0.0) + smoothing * smooth)
        weights.append(w)
    losses = np.array(losses).reshape(target.shape)
    return {"none": losses, "sum": losses.sum(), "mean": losses.sum() / np.sum(weights)}[reduction]


def _nll(x, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    return _by_label(x, target, weight, ignore_index, reduction, label_smoothing)


def _cross_entropy(x, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    axis = 0 if x.ndim == 1 else 1
    log_p = _log_softmax(x, axis)
    if target.dtype.kind != "f":
        return _by_label(log_p, target, weight, ignore_index, reduction, label_smoothing)
    target = target * (1 - label_smoothing) + label_smoothing / x.shape[axis]
    weight = 1.0 if weight is None else weight.reshape(-1, *(1,) * (x.ndim - axis - 1))
    losses = -(target * weight * log_p).sum(axis)
    return {"none": losses, "sum": losses.sum(), "mean": losses.sum() / (x.shape[0] if axis else 1)}[reduction]


LABELS = [
    S(normal(4, 3), integers(0, 3, 4)),
    S(normal(4, 3), integers(0, 3, 4, dtype=np.int32), reduction="none"),
    S(normal(4, 3), integers(0, 3, 4, dtype=np.uint8), reduction="sum"),
    S(normal(4, 3), np.array([0, -100, 2, -100]), positive(3)),
    S(normal(4, 3), np.array([0, 1, 2, 1]), positive(3), ignore_index=1, reduction="none"),
    S(normal(4, 3), np.array([0, 1, 2, 1]), ignore_index=1, label_smoothing=0.2),
    S(normal(4, 3), np.array([0, 1, 2, 1]), positive(3), label_smoothing=0.2, reduction="sum"),
    S(normal(2, 3, 2), integers(0, 3, 2, 2), positive(3)),  # rows that are copied together
    S(normal(2, 3, 3, 3), integers(0, 3, 2, 3, 3), reduction="none"),  # rows side by side
    S(normal(2, 3, 3, 3), integers(0, 3, 2, 3, 3), positive(3), label_smoothing=0.1),
    S(normal(0, 3), integers(0, 3, 0), reduction="none"),
    S(normal(2, 3), np.array([-100, -100]), smooth=False),  # 0 / 0
    S(np.array([[1e4, -1e4, 0.0]]), np.array([1]), smooth=False),
    S(np.array([[np.nan, 1.0], [0.0, 1.0]]), np.array([-100, 1]), smooth=False),
    S(normal(40, 70), integers(0, 70, 40), smooth=False),
]
ERRORS = [
    Bad(normal(4, 3), np.array([0, 1, 3, 2]), error=IndexError, match=r"label 3 of row 2 is not one of the 3 classes"),
    Bad(normal(4, 3), np.array([0, -1, 3, 2]), error=IndexError, match=r"label -1 of row 1"),
    Bad(normal(2, 3, 9), np.full((2, 9), 7), error=IndexError, match=r"label 7 of row 0, 0"),
    Bad(normal(3), np.array(-5), error=IndexError, match=r"label -5 is not"),
    Bad(normal(4, 3), integers(0, 3, 5), error=ValueError, match="do not fit"),
    Bad(normal(4, 3), integers(0, 3, 4), ignore_index="1", error=TypeError, match="an int for `ignore_index`"),
    Bad(normal(4, 3), integers(0, 3, 4), ignore_index=1.0, error=TypeError, match="an int for `ignore_index`"),
    Bad(normal(4, 3), integers(0, 3, 4), normal(4), error=ValueError, match="`weight` of shape"),
    Bad(normal(4, 3), integers(0, 3, 4), reduction="avg", error=ValueError, match="'mean'"),
    Bad(normal(4, 3), integers(0, 3, 4), label_smoothing=2.0, error=ValueError, match="in .0, 1."),
    Bad(integers(0, 3, 4, 3), integers(0, 3, 4), error=TypeError, match="floating-point"),
    Bad(normal(4, 3), np.array([True, False, True, True]), error=TypeError, match="integer labels"),
]
HALVES = ("float32", "float64", "float16", "bfloat16")

ROWS = [
    Row(
        ops.cross_entropy,
        ref=_cross_entropy,
        samples=[
            *LABELS,
            S(normal(4, 3), uniform(0, 1, 4, 3)),
            S(normal(4, 3), uniform(0, 1, 4, 3), positive(3), reduction="none"),
            S(normal(2, 3, 2), uniform(0, 1, 2, 3, 2), positive(3), label_smoothing=0.3, reduction="sum"),
            S(normal(3), uniform(0, 1, 3)),
        ],
        errors=[*ERRORS, Bad(normal(4, 3), normal(4), error=ValueError, match="probabilities of shape")],
        dtypes=HALVES,
        tol={"float16": 4e-3, "bfloat16": 3e-2},
        covers=["class_cross_entropy", "class_cross_entropy_gradient"],
    ),
    Row(ops.nll_loss, ref=_nll, samples=LABELS, errors=ERRORS, dtypes=HALVES, tol={"float16": 4e-3, "bfloat16": 3e-2}),
    Row(
        ops.softmax_cross_entropy_with_logits,
        ref=lambda x, t, axis=-1: -(t * _log_softmax(x, axis)).sum(axis),
        samples=[
            S(normal(4, 3), uniform(0, 1, 4, 3)),
            S(normal(2, 3, 9), uniform(0, 1, 2, 3, 9), axis=1),
            S(normal(2, 3, 2), uniform(0, 1, 2, 3, 2), axis=1),
            S(normal(3), uniform(0, 1, 3)),
            S(normal(0, 3), uniform(0, 1, 0, 3)),
            S(normal(5, 3), np.eye(3)[[0, 2, 1, 1, 0]]),
        ],
        errors=[
            Bad(normal(4, 3), normal(4), error=ValueError, match="must be equal"),
            Bad(integers(0, 3, 4), integers(0, 3, 4), error=TypeError, match="floating-point"),
        ],
        dtypes=HALVES,
        tol={"float16": 4e-3, "bfloat16": 3e-2},
        covers=["soft_cross_entropy_gradient"],
    ),
]
