"""Metrics of tables and images: against scipy, plain loops and closed forms, and values of MindSpore 2.10."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import ndimage

from anfora import Tensor, nn, train
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError

random = np.random.RandomState(3)
ROWS = random.rand(4, 3).astype(np.float32)
FLAT = random.randint(0, 3, (7, 9)), random.randint(0, 3, (7, 9))
SOLID = tuple((random.rand(5, 6, 4) > 0.6).astype(int) for _ in range(2))
SCORES, CLASSES = random.rand(8, 3).astype(np.float32), random.randint(0, 3, 8)
FOUND, WANTED = ((random.rand(3, 4, 5) > 0.5).astype(int) for _ in range(2))


def test_all_metrics_of_mindspore_have_their_names():
    assert train.names() == [
        "F1", "acc", "accuracy", "auc", "bleu_score", "confusion_matrix", "confusion_matrix_metric", "cosine_similarity",
        "dice", "hausdorff_distance", "loss", "mae", "mean_surface_distance", "mse", "occlusion_sensitivity",
        "perplexity", "precision", "recall", "roc", "root_mean_square_distance", "top_1_accuracy", "top_5_accuracy", "topk",
    ]  # fmt: skip
    assert isinstance(train.get_metric_fn("confusion_matrix", 3), nn.ConfusionMatrix)


@pytest.mark.parametrize("similarity", ["cosine", "dot"])
@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
@pytest.mark.parametrize("zero_diagonal", [True, False])
def test_cosine_similarity(similarity, reduction, zero_diagonal):
    expected = np.zeros((4, 4))
    for i, j in itertools.product(range(4), repeat=2):
        scale = np.sqrt((ROWS[i] ** 2).sum() * (ROWS[j] ** 2).sum()) if similarity == "cosine" else 1.0
        expected[i, j] = 0 if zero_diagonal and i == j else (ROWS[i] * ROWS[j]).sum() / scale
    if reduction != "none":
        expected = getattr(expected, reduction)(axis=1)
    found = nn.CosineSimilarity(similarity, reduction, zero_diagonal)(Tensor(ROWS))
    np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize("normalize", ["no_norm", "target", "prediction", "all"])
def test_confusion_matrix(normalize):
    counts = np.zeros((3, 3))
    metric = nn.ConfusionMatrix(3, normalize)
    for predicted, given in ((SCORES.argmax(1), SCORES), (CLASSES[::-1], CLASSES[::-1].copy())):
        metric.update(Tensor(given), Tensor(CLASSES))
        for true, taken in zip(CLASSES, predicted):
            counts[true, taken] += 1
    whole = {"no_norm": 1, "target": counts.sum(1)[:, None], "prediction": counts.sum(0)[None], "all": counts.sum()}
    np.testing.assert_allclose(metric.eval(), counts / whole[normalize])


def test_confusion_of_two_classes_by_a_threshold():
    assert nn.ConfusionMatrix(2, threshold=0.25)([0.2, 0.3, 0.9], [0, 0, 1]).tolist() == [[1, 1], [0, 1]]
    assert nn.ConfusionMatrix(2, "target")([1, 1], [1, 1]).tolist() == [[0, 0], [0, 1]]  # shares of nothing are 0


#: A measure of tp, fp, tn, fn, in plain Python
MEASURES = {
    "sensitivity": lambda tp, fp, tn, fn: tp / (tp + fn),
    "Specificity": lambda tp, fp, tn, fn: tn / (tn + fp),
    "precision": lambda tp, fp, tn, fn: tp / (tp + fp),
    "negative predictive value": lambda tp, fp, tn, fn: tn / (tn + fn),
    "miss rate": lambda tp, fp, tn, fn: fn / (fn + tp),
    "fall out": lambda tp, fp, tn, fn: fp / (fp + tn),
    "fdr": lambda tp, fp, tn, fn: fp / (fp + tp),
    "for": lambda tp, fp, tn, fn: fn / (fn + tn),
    "prevalence threshold": lambda tp, fp, tn, fn: (
        (fp / (fp + tn)) ** 0.5 / ((tp / (tp + fn)) ** 0.5 + (fp / (fp + tn)) ** 0.5)
    ),
    "threat score": lambda tp, fp, tn, fn: tp / (tp + fp + fn),
    "accuracy": lambda tp, fp, tn, fn: (tp + tn) / (tp + fp + tn + fn),
    "balanced accuracy": lambda tp, fp, tn, fn: (tp / (tp + fn) + tn / (tn + fp)) / 2,
    "f1 score": lambda tp, fp, tn, fn: 2 * tp / (2 * tp + fp + fn),
    "mcc": lambda tp, fp, tn, fn: (tp * tn - fp * fn) / ((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)) ** 0.5,
    "fowlkes mallows index": lambda tp, fp, tn, fn: (tp / (tp + fp) * tp / (tp + fn)) ** 0.5,
    "informedness": lambda tp, fp, tn, fn: tp / (tp + fn) + tn / (tn + fp) - 1,
    "markedness": lambda tp, fp, tn, fn: tp / (tp + fp) + tn / (tn + fn) - 1,
}


def counted(found, wanted):
    pairs = list(zip(found.ravel().tolist(), wanted.ravel().tolist()))
    return [pairs.count(pair) for pair in ((1, 1), (1, 0), (0, 0), (0, 1))]


@pytest.mark.parametrize("name", MEASURES)
def test_measures(name):
    metric = nn.ConfusionMatrixMetric(metric_name=name)
    metric.update(Tensor(FOUND), Tensor(WANTED))
    metric.update(WANTED, FOUND[::-1])
    both = np.add(counted(FOUND, WANTED), counted(WANTED, FOUND[::-1]))
    [value] = metric.eval()
    assert value == pytest.approx(MEASURES[name](*both.tolist()))


def test_measures_of_each_sample():
    """The mean over classes, then samples, of what is defined."""
    means = []
    for found, wanted in zip(FOUND, WANTED):
        each = []
        for f, w in zip(found[1:], wanted[1:]):
            tp, _, _, fn = counted(f, w)
            each += [tp / (tp + fn)] if tp + fn else []
        means += [np.mean(each)] if each else []
    metric = nn.ConfusionMatrixMetric(False, "recall", True)
    assert metric(FOUND, WANTED) == pytest.approx(np.mean(means))
    shares = (FOUND == WANTED).mean(axis=2)
    for way, expected in (("sum_batch", shares.sum(0)), ("mean_channel", shares.mean(1)), ("none", shares)):
        np.testing.assert_allclose(nn.ConfusionMatrixMetric(True, "acc", True, way)(FOUND, WANTED), expected)
    #: as MindSpore 2.10 gives them
    assert nn.ConfusionMatrixMetric(True, "acc", True, "sum")(FOUND, WANTED) == pytest.approx(shares.sum())


def outlined(found, wanted, crop=False):
    sets = [found == 1, wanted == 1]
    if crop:
        box = ndimage.find_objects((sets[0] | sets[1]).astype(int))[0]
        sets = [np.squeeze(s[box]) for s in sets]
    return [s & ~ndimage.binary_erosion(s) for s in sets]


def apart(here, there, kind):
    """From each element of one set to the nearest of the other, by going over all pairs."""
    length = {
        "euclidean": np.linalg.norm,
        "taxicab": lambda d: np.abs(d).sum(),
        "chessboard": lambda d: np.abs(d).max(),
    }
    places = [np.argwhere(edge) for edge in (here, there)]
    return np.array([min(length[kind](a - b) for b in places[1]) for a in places[0]])


@pytest.mark.parametrize("kind", ["euclidean", "taxicab", "chessboard"])
@pytest.mark.parametrize("found, wanted", [FLAT, SOLID], ids=["flat", "solid"])
def test_outlines(kind, found, wanted):
    one, other = outlined(found, wanted)
    there, back = apart(one, other, kind), apart(other, one, kind)
    given = Tensor(found), Tensor(wanted), 1
    assert nn.HausdorffDistance(kind)(*given) == pytest.approx(max(there.max(), back.max()))
    assert nn.HausdorffDistance(kind, directed=True)(*given) == pytest.approx(there.max())
    part = max(np.percentile(there, 90), np.percentile(back, 90))
    assert nn.HausdorffDistance(kind, 90.0)(*given) == pytest.approx(part)
    assert nn.MeanSurfaceDistance(False, kind)(*given) == pytest.approx(there.mean())
    assert nn.MeanSurfaceDistance(True, kind)(*given) == pytest.approx((there.mean() + back.mean()) / 2)
    assert nn.RootMeanSquareDistance(False, kind)(*given) == pytest.approx(np.sqrt((there**2).mean()))
    both = np.sqrt(((there**2).mean() + (back**2).mean()) / 2)
    assert nn.RootMeanSquareDistance(True, kind)(*given) == pytest.approx(both)


def test_outlines_of_what_is_flat_in_its_box():
    line, part = np.zeros((5, 5), int), np.zeros((5, 5), int)
    line[2], part[2, 1:3] = 1, 1
    one, other = outlined(line, part, crop=True)
    expected = max(apart(one, other, "euclidean").max(), apart(other, one, "euclidean").max())
    assert nn.HausdorffDistance()(line, part, 1) == expected == 2.0
    assert nn.MeanSurfaceDistance()(line, np.zeros((5, 5)), 1) == np.inf
    assert nn.HausdorffDistance()(np.zeros((5, 5)), line, 1) == np.inf


class Weighted(nn.Cell):
    def __init__(self):
        super().__init__()
        weight = np.arange(24, dtype=np.float32).reshape(2, 12)
        self.flat, self.dense = nn.Flatten(), nn.Dense(12, 2, weight_init=Tensor(weight), bias_init="zeros")

    def construct(self, x):
        return self.dense(self.flat(x))


def test_occlusion_sensitivity():
    image = np.arange(12, dtype=np.float32).reshape(1, 3, 4) % 5
    weight = np.arange(12, 24, dtype=np.float32).reshape(3, 4)
    expected = np.zeros((3, 4))
    for i, j in np.ndindex(3, 4):
        part = (slice(max(0, i - 1), i + 1), slice(max(0, j - 1), j + 1))
        expected[i, j] = (image[0] * weight)[part].sum()
    net = Weighted()
    np.testing.assert_allclose(nn.OcclusionSensitivity(margin=1, n_batch=5)(net, image, np.array(1)), expected)
    boxed = nn.OcclusionSensitivity(margin=[1, 1], b_box=[0, 1, 1, -1])(net, Tensor(image), Tensor(1))
    np.testing.assert_allclose(boxed, expected[0:2, 1:])
    assert nn.OcclusionSensitivity(0.5)(net, image, np.array(0)).shape == (3, 4)


REFUSED = [
    (lambda: nn.CosineSimilarity("sine"), OpValueError, "'cosine', 'dot'"),
    (lambda: nn.CosineSimilarity()(np.zeros(3)), OpValueError, r"an array \(N, M\)"),
    (lambda: nn.CosineSimilarity().eval(), OpRuntimeError, "no samples yet"),
    (lambda: nn.ConfusionMatrix(0), OpValueError, "`num_classes`"),
    (lambda: nn.ConfusionMatrix(2)([2], [1]), OpValueError, "has 2 classes, but got class 2"),
    (lambda: nn.ConfusionMatrix(2)([1, 1], [1]), OpValueError, "as many predicted as true classes"),
    (lambda: nn.ConfusionMatrix(2).eval(), OpRuntimeError, "no samples yet"),
    (lambda: nn.ConfusionMatrixMetric(metric_name="luck"), OpValueError, "`metric_name` must be one of 'sensitivity'"),
    (lambda: nn.ConfusionMatrixMetric()([[2]], [[1]]), OpValueError, "0 and 1 everywhere"),
    (lambda: nn.ConfusionMatrixMetric()([1], [1]), OpValueError, r"two arrays \(N, C, …\)"),
    (lambda: nn.HausdorffDistance("miles"), OpValueError, "'euclidean'"),
    (lambda: nn.HausdorffDistance(percentile=101.0), OpValueError, "`percentile`"),
    (lambda: nn.HausdorffDistance()(*FLAT), OpValueError, "needs 3 inputs"),
    (lambda: nn.HausdorffDistance()(*FLAT, "x"), OpTypeError, "a number as label"),
    (lambda: nn.HausdorffDistance()(*FLAT, 9), OpValueError, "label 9 is in neither array"),
    (lambda: nn.MeanSurfaceDistance()(FLAT[0], FLAT[1][:2], 1), OpValueError, "two arrays of one shape"),
    (lambda: nn.RootMeanSquareDistance().eval(), OpRuntimeError, "no samples yet"),
    (lambda: nn.OcclusionSensitivity()(3, np.zeros((1, 2)), 0), OpTypeError, "needs a Cell"),
    (lambda: nn.OcclusionSensitivity()(Weighted(), np.zeros((2, 3)), 0), OpValueError, r"an image \(1, …\)"),
    (
        lambda: nn.OcclusionSensitivity(b_box=[0, 5])(Weighted(), np.zeros((1, 3), np.float32), 0),
        OpValueError,
        "not within",
    ),
]


@pytest.mark.parametrize("index", range(len(REFUSED)))
def test_refused(index):
    run, kind, text = REFUSED[index]
    with pytest.raises(kind, match=text):
        run()
