"""Metrics, against values of MindSpore 2.10 for the same data, and by hand where that is short."""

from __future__ import annotations

import numpy as np
import pytest

from anfora import Tensor, nn
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.train import auc, get_metric_fn, names

random = np.random.RandomState(0)
SCORES = random.rand(6, 3).astype(np.float32)
CLASSES = np.array([0, 2, 1, 2, 2, 0])
HOT = np.eye(3)[CLASSES]
SCORES4, CLASSES4 = random.rand(2, 3, 4).astype(np.float32), random.randint(0, 3, (2, 4))
LABELS, TRUE = ((random.rand(4, 3) > 0.5).astype(np.int64) for _ in range(2))
TRUE[:, 0] = 1
LABELS3, TRUE3 = ((random.rand(2, 3, 4) > 0.5).astype(np.int64) for _ in range(2))
TRUE3[:, 0] = 1
SHARES = SCORES / SCORES.sum(1, keepdims=True)
MULTI = {"eval_type": "multilabel"}

#: name, arguments, predicted, true, MindSpore's value
VALUES = [
    ("accuracy", {}, SCORES, CLASSES, 1 / 6),
    ("acc", {}, SCORES, HOT, 1 / 6),
    ("acc", {}, SCORES4, CLASSES4, 0.125),
    ("acc", MULTI, LABELS, TRUE, 0.5),
    ("acc", MULTI, LABELS3, TRUE3, 0.0),
    ("precision", {}, SCORES, CLASSES, [0, 0, 1 / 3]),
    ("precision", {}, SCORES4, CLASSES4, [0, 0, 0.5]),
    ("precision", MULTI, LABELS, TRUE, [1, 1, 1, 1]),
    ("precision", MULTI, LABELS3, TRUE3, [1, 0, 0, 0.5, 0.5, 0.5, 1, 1]),
    ("recall", {}, SCORES, HOT, [0, 0, 1 / 3]),
    ("recall", {}, SCORES4, CLASSES4, [0, 0, 0.25]),
    ("recall", MULTI, LABELS, TRUE, [0.5, 1, 1, 1 / 3]),
    ("recall", MULTI, LABELS3, TRUE3, [2 / 3, 0, 0, 0.5, 1, 0.5, 0.5, 2 / 3]),
    ("F1", {}, SCORES, CLASSES, [0, 0, 1 / 3]),
    ("mae", {}, SCORES, SCORES[::-1], 1.025145),
    ("mse", {}, SCORES, SCORES[::-1], 0.511293),
    ("topk", {"k": 2}, SCORES, CLASSES, 2 / 3),
    ("top_1_accuracy", {}, SCORES, HOT, 1 / 6),
    ("top_5_accuracy", {}, SCORES, CLASSES, 1.0),
    ("perplexity", {}, SHARES, CLASSES, 5.057642),
    ("perplexity", {"ignore_label": 2}, SHARES, CLASSES, 4.552563),
    ("dice", {}, LABELS, TRUE, 0.210526),
]


@pytest.mark.parametrize("name, given, predicted, true, expected", VALUES)
def test_values_are_mindspores(name, given, predicted, true, expected):
    metric = get_metric_fn(name, **given)
    np.testing.assert_allclose(metric(Tensor(predicted.copy()), Tensor(true.copy())), expected, rtol=2e-6, atol=1e-6)
    np.testing.assert_allclose(metric(predicted, true), expected, rtol=2e-6, atol=1e-6)  # arrays; a call clears


def test_batches_add_up():
    recall = nn.Recall("multilabel")
    for _ in range(2):
        recall.update(LABELS, TRUE)
    np.testing.assert_allclose(recall.eval(), [0.5, 1, 1, 1 / 3] * 2)
    assert recall.eval(average=True) == pytest.approx(0.708333, rel=1e-5)
    precision = nn.Precision()
    precision.update(SCORES, CLASSES)
    precision.update(SCORES[:2], CLASSES[:2])
    assert precision.eval(True) == pytest.approx(1 / 6)
    fbeta = nn.Fbeta(2.0)
    fbeta.update(np.array([[0.9, 0.1], [0.8, 0.2]]), np.array([0, 1]))
    fbeta.update(np.array([[0.1, 0.9]]), np.array([1]))
    # class 0: precision 1/2, recall 1; class 1: precision 1, recall 1/2
    np.testing.assert_allclose(fbeta.eval(), [5 * 0.5 / (4 * 0.5 + 1), 5 * 0.5 / (4 + 0.5)])
    loss = nn.Loss()
    for value in (1.0, 2.0, 6.0):
        loss.update(Tensor(value))
    assert loss.eval() == 3.0


def test_rates_and_the_area_below():
    false, true, at = nn.ROC()(np.array([0.1, 0.4, 0.35, 0.8, 0.4]), np.array([0, 1, 1, 1, 0]))
    assert false.tolist() == [0, 0, 0.5, 0.5, 1] and at.tolist() == [1.8, 0.8, 0.4, 0.35, 0.1]
    np.testing.assert_allclose(true, [0, 1 / 3, 2 / 3, 1, 1])
    assert auc(false, true) == pytest.approx(0.75)
    assert auc(false[::-1], true[::-1]) == pytest.approx(0.75)
    assert auc(np.array([0.2, 0.0, 1.0]), np.array([0.5, 0.0, 1.0]), reorder=True) == pytest.approx(0.65)
    # several classes: each against the others. (MindSpore's takes scores and classes of different samples there.)
    false, true, at = nn.ROC(class_num=3)(SCORES, CLASSES)
    for c in range(3):
        np.testing.assert_allclose(at[c], np.append(SCORES[:, c].max() + 1, np.sort(SCORES[:, c])[::-1]))
        for f, t, threshold in zip(false[c], true[c], at[c]):
            above = SCORES[:, c] >= threshold
            assert f == (above & (c != CLASSES)).sum() / (c != CLASSES).sum()
            assert t == (above & (c == CLASSES)).sum() / (c == CLASSES).sum()


def test_bleu():
    said = [["i", "have", "a", "pen", "on", "my", "desk"], ["a", "b", "c", "d", "e"]]
    references = [
        [["i", "have", "a", "pen", "in", "my", "desk"], ["there", "is", "a", "pen", "on", "the", "desk"]],
        [["a", "b", "c", "d", "x", "y"], ["a", "b"]],
    ]
    assert nn.BleuScore()(said, references) == pytest.approx(0.575207, rel=1e-5)
    assert nn.BleuScore(3, smooth=True)(said, references) == pytest.approx(0.731938, rel=1e-5)
    assert nn.BleuScore()([["q", "r"]], [[["x", "y"]]]) == 0.0


REFUSED = [
    (lambda: nn.Accuracy("test"), OpTypeError, "'classification' or 'multilabel', but got 'test'"),
    (lambda: nn.Accuracy().eval(), OpRuntimeError, "no samples yet"),
    (lambda: nn.Recall().eval(), OpRuntimeError, "no samples yet"),
    (lambda: nn.Accuracy().update(SCORES), OpValueError, "2 inputs"),
    (lambda: nn.Accuracy().update(SCORES, CLASSES[:3]), OpValueError, r"but got \(6, 3\) and \(3,\)"),
    (lambda: nn.Accuracy().update(SCORES, CLASSES + 1), OpValueError, "3 classes, but a true class is 3"),
    (lambda: nn.Accuracy("multilabel").update(LABELS, TRUE[0]), OpValueError, "two arrays"),
    (lambda: nn.Accuracy("multilabel").update(SCORES, HOT), OpValueError, "0 and 1"),
    (lambda: nn.Accuracy().update("text", CLASSES), OpTypeError, "but got str"),
    (lambda: nn.Precision()(SCORES, CLASSES) is nn.Precision().eval(1), OpRuntimeError, "no samples"),
    (lambda: nn.Fbeta(0.0), OpValueError, "beta"),
    (lambda: nn.MAE().update(SCORES, CLASSES), OpValueError, "as many"),
    (lambda: nn.Loss().update(SCORES), OpValueError, "a row"),
    (lambda: nn.TopKCategoricalAccuracy(0), OpValueError, "k"),
    (lambda: nn.Perplexity().update(SCORES, CLASSES[:2]), OpRuntimeError, "probabilities"),
    (lambda: nn.Dice().update(SCORES, CLASSES), OpValueError, "one shape"),
    (lambda: nn.ROC()(SCORES[:, 0], np.zeros(6)), OpValueError, "only negative"),
    (lambda: nn.ROC(pos_label=1).update(SCORES, CLASSES), OpValueError, "pos_label"),
    (lambda: nn.ROC(class_num=2).update(SCORES, CLASSES), OpValueError, "`class_num` is 2"),
    (lambda: auc([0, 1], [0, 1]), OpTypeError, "numpy arrays"),
    (lambda: auc(np.array([0, 2, 1]), np.array([0, 1, 2])), OpValueError, "rises or falls"),
    (lambda: nn.BleuScore(5), OpValueError, "1 … 4"),
    (lambda: get_metric_fn("speed"), OpValueError, "there is no metric 'speed'; there are F1, acc"),
    (lambda: nn.MSE().set_indexes((0, 1)), OpValueError, "a list of integers"),
]


@pytest.mark.parametrize("call, error, match", REFUSED)
def test_what_is_refused(call, error, match):
    with pytest.raises(error, match=match):
        call()


def test_the_number_of_classes_stays():
    metric = nn.Accuracy()
    metric.update(SCORES, CLASSES)
    with pytest.raises(OpValueError, match="3 classes before, but now got 2"):
        metric.update(SCORES[:, :2], np.zeros(6, int))
    metric.clear()
    metric.update(SCORES[:, :2], np.zeros(6, int))


def test_inputs_are_chosen():
    metric = nn.MSE().set_indexes([2, 0])
    assert metric.indexes == [2, 0]
    metric.update(Tensor([1.0]), "not used", Tensor([3.0]))
    assert metric.eval() == 4.0 and "mse" in names()
