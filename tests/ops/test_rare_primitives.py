"""Class forms of images, segments, diagonals and sequences: values of numpy, closed forms or loops, in both modes."""

from __future__ import annotations

import colorsys

import numpy as np
import pytest

import anfora
from anfora import Tensor, ops
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.ops.rare_primitives import RARE

random = np.random.default_rng(11)
f4 = np.float32
X = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], f4)
ROWS = np.array([[1, 2], [3, 4], [5, 6], [7, 8]], f4)
IDS = np.array([0, 0, 2, 2], np.int32)
COLOURS = random.uniform(0, 1, (3, 4, 3)).astype(f4)
M34 = np.arange(12, dtype=f4).reshape(3, 4)
VOLUME = np.arange(8, dtype=f4).reshape(1, 1, 2, 2, 2)
LOGITS = random.standard_normal((4, 2, 3)).astype(f4)
REGION = np.arange(16, dtype=f4).reshape(1, 1, 4, 4)
LEAST = np.finfo(f4).min


def log_sums(x):
    return np.log(np.cumsum(np.exp(x.astype(float)), 1))


def colours(convert, images):
    return np.apply_along_axis(lambda c: convert(*c), -1, images.astype(float)).astype(f4)


def turned(images, hue=0.0, scale=1.0):
    hsv = colours(colorsys.rgb_to_hsv, images)
    hsv[..., 0] = (hsv[..., 0] + hue) % 1
    hsv[..., 1] = (hsv[..., 1] * scale).clip(0, 1)
    return colours(colorsys.hsv_to_rgb, hsv)


def plane(ys, xs):
    """The values of `10 y + x`, which bilinear reading gives exactly, as an image's cut."""
    return (10 * np.array(ys, f4)[:, None] + np.array(xs, f4)[None])[None, :, :, None]


def lstm(x, w, b, h, c, forget_bias):
    """All states, cells and gates of an LSTM, whose gates stand as input, new, forget, output."""
    steps = []
    for row in x:
        i, j, f, o = np.split(np.hstack([row, h]) @ w + b, 4, axis=1)
        i, f, o = (1 / (1 + np.exp(-gate)) for gate in (i, f + forget_bias, o))
        c = f * c + i * np.tanh(j)
        h = o * np.tanh(c)
        steps.append((h, h, c, i, np.tanh(j), f, o, np.tanh(c)))
    return tuple(np.stack(each) for each in zip(*steps))


PLANE = plane(range(4), range(5))
BOXES = np.array([[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 2, 1, 3]], f4)
SCORES = np.array([0.8, 0.9, 0.3], f4)

GATES = [random.standard_normal(shape).astype(f4) for shape in ((3, 2, 4), (9, 20), (20,), (2, 5), (2, 5))]

#: (class, arguments of the class, arguments of the call, result)
FORMS = [
    (
        "DynamicRNN", {"forget_bias": 0.5}, (*GATES[:3], None, GATES[3][None], GATES[4][None]),
        lstm(*GATES, 0.5),
    ),
    ("CumulativeLogsumexp", {}, (X, 1), log_sums(X)),
    ("CumulativeLogsumexp", {"reverse": True}, (X, 1), log_sums(X[:, ::-1])[:, ::-1]),
    ("CumulativeLogsumexp", {"exclusive": True}, (X, 1), np.hstack([np.full((2, 1), LEAST), log_sums(X)[:, :2]])),
    ("SegmentSum", {}, (ROWS, IDS), np.array([[4, 6], [0, 0], [12, 14]], f4)),
    ("SegmentMean", {}, (ROWS, IDS), np.array([[2, 3], [0, 0], [6, 7]], f4)),
    ("SegmentMax", {}, (ROWS, IDS), np.array([[3, 4], [0, 0], [7, 8]], f4)),
    ("SegmentMin", {}, (ROWS, IDS), np.array([[1, 2], [0, 0], [5, 6]], f4)),
    ("SegmentProd", {}, (ROWS, IDS), np.array([[3, 8], [1, 1], [35, 48]], f4)),
    ("SplitV", {"size_splits": [1, -1], "split_dim": 1, "num_split": 2}, (X,), (X[:, :1], X[:, 1:])),
    ("HistogramFixedWidth", {"nbins": 5}, (np.array([-1, 0, 1.5, 2, 5, 15], f4), np.array([0, 5], f4)), [2, 1, 1, 0, 2]),
    ("PopulationCount", {}, (np.array([0, 1, 3, -1], np.int16),), np.array([0, 1, 2, 16], np.uint8)),
    ("UnravelIndex", {}, (np.array([2, 5]), np.array([2, 3])), np.stack(np.unravel_index([2, 5], (2, 3)))),
    (
        "RaggedRange", {}, (np.array([2, 5, 8]), np.array([3, 5, 12]), np.array([1, 1, 2])),
        (np.array([0, 1, 1, 3]), np.array([2, 8, 10])),
    ),
    ("CheckNumerics", {}, (X,), X),
    ("DataFormatDimMap", {}, (np.array([0, 1, 2, 3, -1]),), [0, 3, 1, 2, 2]),
    ("DataFormatVecPermute", {}, (np.array([1, 2, 3, 4]),), [1, 4, 2, 3]),
    ("LogSpace", {"steps": 3, "base": 2}, (Tensor(0.0), Tensor(2.0)), np.array([1, 2, 4], f4)),
    ("TensorShape", {}, (X,), np.array([2, 3])),
    ("IdentityN", {}, ((X, ROWS),), (X, ROWS)),
    ("Fills", {}, (X, 2.0), np.full_like(X, 2)),
    ("FillDiagonal", {"fill_value": 9.0}, (X,), X * (1 - np.eye(2, 3, dtype=f4)) + 9 * np.eye(2, 3, dtype=f4)),
    ("MaskedScatter", {}, (X, np.array([True, False, True]), ROWS), np.array([[1, 2, 2], [3, 5, 4]], f4)),
    ("Cdist", {"p": 1.0}, (X, X + 1), np.array([[3, 12], [6, 3]], f4)),
    ("Cross", {"dim": 1}, (X, X[::-1] ** 2), np.cross(X, X[::-1] ** 2)),
    ("MatrixInverse", {"adjoint": True}, (ROWS[:2],), np.linalg.inv(ROWS[:2].T)),
    ("MatrixPower", {"n": 3}, (ROWS[None, :2],), np.linalg.matrix_power(ROWS[None, :2], 3)),
    ("MatrixDiagV3", {}, (X[:, :2], 0, -1, -1, 0), np.stack([np.diag(row) for row in X[:, :2]])),
    ("MatrixDiagV3", {}, (X[0], -1, -1, -1, 7), np.where(np.eye(4, k=-1), np.diag(X[0], -1), 7)),
    ("MatrixDiagPartV3", {}, (M34, (-1, 1), 9), np.array([[1, 6, 11], [0, 5, 10], [4, 9, 9]], f4)),
    ("MatrixDiagPartV3", {"align": "LEFT_RIGHT"}, (M34, (2, 3), 9), np.array([[3, 9], [2, 7]], f4)),
    ("MatrixDiagPartV3", {}, (M34, 1, 0), np.diagonal(M34, 1)),
    (
        "MatrixSetDiagV3", {}, (M34, np.array([[0, 1, 2], [3, 4, 5]], f4)[:, :3], (0, 1)),
        np.array([[3, 0, 2, 3], [4, 4, 1, 7], [8, 9, 5, 2]], f4),
    ),
    ("MatrixTriangularSolve", {}, (ROWS[:2], X[:, :1]), np.linalg.solve(np.tril(ROWS[:2]), X[:, :1])),
    (
        "MatrixTriangularSolve", {"lower": False, "adjoint": True}, (ROWS[:2], X[:, :1]),
        np.linalg.solve(np.triu(ROWS[:2]).T, X[:, :1]),
    ),
    ("Lstsq", {}, (X.T, X[0]), np.linalg.lstsq(X.T, X[:1].T, rcond=None)[0]),
    ("Lstsq", {"l2_regularizer": 0.5}, (X.T, X[0]), np.linalg.solve(X @ X.T + np.eye(2) / 2, X @ X[:1].T)),
    ("LuSolve", {}, (np.array([[4.0], [6.0]], f4), np.array([[4, 2], [0.5, 1]], f4), np.array([2, 2])), [[1.0], [1.0]]),
    ("ConjugateTranspose", {}, (X + 2j * X, (1, 0)), (X - 2j * X).T),
    (
        "TridiagonalMatMul", {},
        (np.array([[1, 2, 9]], f4), np.array([[4, 5, 6]], f4), np.array([[9, 8, 7]], f4), ROWS[:3]),
        np.array([[4, 1, 0], [8, 5, 2], [0, 7, 6]], f4) @ ROWS[:3],
    ),
    ("RGBToHSV", {}, (COLOURS,), colours(colorsys.rgb_to_hsv, COLOURS)),
    ("HSVToRGB", {}, (COLOURS,), colours(colorsys.hsv_to_rgb, COLOURS)),
    ("AdjustHue", {}, (COLOURS, 0.3), turned(COLOURS, hue=0.3)),
    ("AdjustSaturation", {}, (COLOURS, 0.5), turned(COLOURS, scale=0.5)),
    ("CropAndResize", {}, (PLANE, np.array([[0, 0.25, 1, 0.75]], f4), np.array([0]), (2, 3)), plane([0, 3], [1, 2, 3])),
    ("CropAndResize", {}, (PLANE, np.array([[0.5, 0, 0.5, 1]], f4), np.array([0]), (1, 1)), plane([1.5], [2])),
    (
        "CropAndResize", {"method": "nearest", "extrapolation_value": 7.0},
        (PLANE, np.array([[0, 0, 2, 1]], f4), np.array([0]), (2, 2)), np.array([[0, 4], [7, 7]], f4)[None, :, :, None],
    ),
    (
        "CropAndResize", {"method": "bilinear_v2"}, (PLANE, np.array([[0, 0, 0.9, 0.9]], f4), np.array([0]), (2, 5)),
        plane([0.5, 2.5], range(5)),
    ),
    # means of the samples of `4 y + x` in each quarter of a region are its values in the middle
    ("ROIAlign", {"pooled_height": 2, "pooled_width": 2, "spatial_scale": 0.5, "roi_end_mode": 0},
     (REGION, np.array([[0, 2, 0, 6, 4]], f4)), np.array([[[[3.5, 4.5], [7.5, 8.5]]]], f4)),
    ("ROIAlign", {"pooled_height": 1, "pooled_width": 1, "spatial_scale": 1.0, "sample_num": 4},
     (REGION, np.array([[0, 0, 0, 1, 1]], f4)), np.array([[[[5.0]]]], f4)),
    ("ResizeLinear1D", {"coordinate_transformation_mode": "half_pixel"}, (X[None], np.array([6])),
     np.stack([np.interp((np.arange(6) + 0.5) / 2 - 0.5, range(3), row) for row in X])[None]),
    ("UpsampleNearest3D", {}, (VOLUME, (4, 2, 2), None), VOLUME.repeat(2, 2)),
    ("UpsampleTrilinear3D", {"align_corners": True}, (VOLUME, (3, 2, 2), None),
     np.stack([VOLUME[0, 0, 0], VOLUME[0, 0].mean(0), VOLUME[0, 0, 1]])[None, None]),
    ("NonMaxSuppressionV3", {}, (BOXES, SCORES, 3, 0.5, 0.0), np.array([1, 2], np.int32)),
    ("NonMaxSuppressionV3", {}, (BOXES, SCORES, 1, 0.5, 0.0), np.array([1], np.int32)),
    ("NonMaxSuppressionV3", {}, (BOXES[:, [2, 3, 0, 1]], SCORES, 3, 0.9, 0.5), np.array([1, 0], np.int32)),
    (
        "NonMaxSuppressionWithOverlaps", {},
        (np.array([[1, 0.6, 0.3], [0.6, 1, 0.2], [0.3, 0.2, 1]], f4), SCORES, 3, 0.5, 0.0), np.array([1, 2], np.int32),
    ),
    (
        "CombinedNonMaxSuppression", {}, (BOXES[None, :, None], np.stack([SCORES, SCORES[::-1]], 1)[None], 2, 3, 0.5, 0.2),
        (
            np.array([[[0, 0.1, 1, 1], [0, 0.1, 1, 1], [0, 1, 1, 1]]], f4), np.array([[0.9, 0.9, 0.8]], f4),
            np.array([[0, 1, 1]], f4), np.array([3], np.int32),
        ),
    ),
    (
        "CTCGreedyDecoder", {}, (np.eye(3, dtype=f4)[[[0, 2], [0, 1], [2, 1], [0, 0]]], np.array([4, 3])),
        (np.array([[0, 0], [0, 1], [1, 0]]), np.array([0, 0, 1]), np.array([2, 2]), np.array([[-4], [-3]], f4)),
    ),
    (
        "CTCGreedyDecoder", {"merge_repeated": False},
        (np.eye(3, dtype=f4)[[[0, 2], [0, 1], [2, 1], [0, 0]]], np.array([4, 3])),
        (
            np.array([[0, 0], [0, 1], [0, 2], [1, 0], [1, 1]]), np.array([0, 0, 0, 1, 1]), np.array([2, 3]),
            np.array([[-4], [-3]], f4),
        ),
    ),
    ("MultilabelMarginLoss", {"reduction": "none"},
     (np.array([[0.1, 0.2, 0.4, 0.8]], f4), np.array([[3, 0, -1, 1]])), np.array([0.85], f4)),
]  # fmt: skip


def tree(value, make):
    if isinstance(value, tuple):
        return tuple(tree(item, make) for item in value)
    return make(value) if isinstance(value, np.ndarray) else value


def flat(value):
    return [x for item in value for x in flat(item)] if isinstance(value, tuple) else [value]


@pytest.mark.parametrize("name, given, args, wanted", FORMS, ids=[f"{i}-{form[0]}" for i, form in enumerate(FORMS)])
def test_value(name, given, args, wanted):
    form = getattr(ops, name)(**given)
    eager = flat(form(*tree(args, Tensor)))
    compiled = anfora.jit(lambda *args: form(*args))
    for found in (eager, *(flat(compiled(*tree(args, Tensor))) for _ in range(2))):
        assert len(found) == len(flat(wanted))
        for one, plain, other in zip(found, eager, flat(wanted)):
            assert one.shape == np.shape(other) and one.dtype is plain.dtype
            np.testing.assert_allclose(one.asnumpy(), other, rtol=3e-6, atol=3e-6)
            np.testing.assert_array_equal(one.asnumpy(), plain.asnumpy())


def test_diagonals_come_back():
    """What is taken out of a matrix goes back where it was, however diagonals are aligned."""
    x = ops.randn(2, 3, 5)
    for align in ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"):
        for k in ((-2, 4), (-1, 1), (1, 3), (-2, -1), (0, 0)):
            diagonals = ops.MatrixDiagPartV3(align)(x, k, 0.0)
            put = ops.MatrixSetDiagV3(align)(ops.zeros_like(x), diagonals, k)
            wanted = np.triu(np.tril(x.asnumpy(), k[1]), k[0])
            np.testing.assert_array_equal(put.asnumpy(), wanted)
            made = ops.MatrixDiagV3(align)(diagonals, k, 3, 5, 0.0)
            np.testing.assert_array_equal(made.asnumpy(), wanted)


def test_labels_have_the_loss_of_their_function():
    x, lengths = Tensor(LOGITS), Tensor([4, 3])
    places, labels = Tensor([[0, 0], [0, 1], [1, 0]]), Tensor([1, 0, 1])
    loss, gradient = ops.CTCLoss()(x, places, labels, lengths)

    def plain(x):
        return ops.ctc_loss(ops.log_softmax(x, -1), Tensor([[1, 0], [1, 0]]), (4, 3), (2, 1), 2, "none")[0]

    np.testing.assert_array_equal(loss.asnumpy(), plain(x).asnumpy())
    wanted = anfora.grad(lambda x: plain(x).sum())(x)
    np.testing.assert_allclose(gradient.asnumpy(), wanted.asnumpy(), rtol=1e-6, atol=1e-7)
    loss, table = ops.CTCLossV2(blank=2)(
        ops.log_softmax(x, -1), Tensor([[1, 0], [1, 0]]), Tensor([4, 3]), Tensor([2, 1])
    )
    np.testing.assert_array_equal(loss.asnumpy(), plain(x).asnumpy())
    assert table.shape == (2, 4, 5)


@pytest.mark.parametrize("nesterov", [False, True])
def test_a_step_of_descent(nesterov):
    w, speed, stat = Tensor(X), Tensor(np.zeros_like(X)), Tensor(np.ones_like(X))
    step = ops.SGD(dampening=0.25, weight_decay=0.5, nesterov=nesterov)
    plain, v = X.astype(float), None
    for _ in range(3):
        step(w, Tensor(X / 10), 0.5, speed, 0.75, stat)
        g = X / 10 + plain * 0.5
        v = g if v is None else 0.75 * v + 0.75 * g
        plain = plain - 0.5 * (g + 0.75 * v if nesterov else v)
        np.testing.assert_allclose(w.asnumpy(), plain, rtol=1e-5)
    assert stat.sum().item() == 0


def test_random_numbers_come_in_shape():
    order = ops.Randperm(6)(Tensor([4]))
    assert sorted(order.tolist()) == [-1, -1, 0, 1, 2, 3] and order.dtype is anfora.int32
    assert ops.RandomGamma(3)(Tensor([2, 3]), Tensor([1.0, 2.0])).shape == (2, 3, 2)
    assert ops.RandomPoisson(3)(Tensor([5]), Tensor([2.0])).dtype is anfora.int64


@pytest.mark.parametrize(
    "name, args",
    [
        ("ROIAlign", (1, 1, 1.0)), ("CropAndResize", ()), ("SegmentMax", ()), ("RGBToHSV", ()),
        ("TridiagonalMatMul", ()), ("MatrixDiagPartV3", ()),
    ],
)  # fmt: skip
def test_gradients_are_slopes(name, args):
    rest = {
        "ROIAlign": (np.array([[0, 0.3, 0.2, 2.2, 2.6]]),), "SegmentMax": (np.array([0, 0, 1]),),
        "CropAndResize": (np.array([[0, 0.1, 0.9, 0.9]]), np.array([0]), (2, 3)), "RGBToHSV": (),
        "TridiagonalMatMul": (*random.standard_normal((2, 1, 3)), random.standard_normal((3, 2))),
        "MatrixDiagPartV3": ((-1, 1), 0.0),
    }[name]  # fmt: skip
    shape = {"RGBToHSV": (1, 2, 3), "SegmentMax": (3, 2), "TridiagonalMatMul": (1, 3), "MatrixDiagPartV3": (3, 4)}
    x = random.uniform(0.1, 1, shape.get(name, (1, 4, 4, 1) if name == "CropAndResize" else (1, 1, 4, 4)))
    if name == "CropAndResize":
        x = x.astype(f4)
    form = getattr(ops, name)(*args)
    weights = random.standard_normal(form(Tensor(x), *tree(rest, Tensor)).shape).astype(x.dtype)

    def value(x):
        return (form(x, *tree(rest, Tensor)) * Tensor(weights)).sum()

    gradient = anfora.grad(value)(Tensor(x)).asnumpy()
    step = 1e-2 if x.dtype == f4 else 1e-6
    for place in list(np.ndindex(x.shape))[:8]:
        more, less = x.copy(), x.copy()
        more[place] += step
        less[place] -= step
        slope = (value(Tensor(more)).item() - value(Tensor(less)).item()) / (2 * step)
        assert gradient[place] == pytest.approx(slope, rel=2e-3, abs=2e-3)


@pytest.mark.parametrize(
    "call, error, told",
    [
        (lambda: ops.SegmentSum()(Tensor(ROWS), Tensor([1, 0, 2, 2])), OpValueError, "ascend"),
        (lambda: ops.SegmentSum()(Tensor(ROWS), Tensor([0, 1])), OpValueError, "a number for each of 4 rows"),
        (lambda: ops.CheckNumerics()(Tensor([1.0, np.nan])), OpRuntimeError, "has NaN in it"),
        (lambda: ops.PopulationCount()(Tensor(X)), OpTypeError, "needs integers"),
        (lambda: ops.UnravelIndex()(Tensor([6]), Tensor([2, 3])), OpValueError, "from 0 to 5"),
        (lambda: ops.DataFormatDimMap("NHCW"), OpValueError, "must be one of 'NHWC', 'NCHW'"),
        (lambda: ops.MatrixDiagPartV3()(Tensor(X), (3, 4), 0), OpValueError, "must name diagonals"),
        (lambda: ops.MatrixDiagPartV3("LEFT")(Tensor(X), 0, 0), OpValueError, "must be one of"),
        (lambda: ops.MatrixSetDiagV3()(Tensor(X), Tensor([1.0]), 0), OpValueError, r"shape \[2\], but got \[1\]"),
        (lambda: ops.MatrixDiagV3()(Tensor(X), 0, 2, 2, 0), OpValueError, "MatrixDiag"),
        (lambda: ops.AdjustHue()(Tensor(X), 0.1), OpValueError, "AdjustHue needs images"),
        (lambda: ops.CropAndResize("cubic"), OpValueError, "must be one of"),
        (lambda: ops.ROIAlign(1, 1, 1.0)(Tensor(X), Tensor(X)), OpValueError, "ROIAlign needs features"),
        (lambda: ops.HistogramFixedWidth(3)(Tensor(X), Tensor([5.0, 5.0])), OpValueError, "range"),
        (lambda: ops.UpsampleNearest3D()(Tensor(VOLUME)), OpValueError, "and not both"),
        (lambda: ops.Randperm(2)(Tensor([3])), OpValueError, "max_length = 2"),
        (lambda: ops.SplitV([1, 2], 1, 3), OpValueError, "3 parts"),
    ],
)
def test_errors(call, error, told):
    with pytest.raises(error, match=told):
        call()


def test_no_name_stands_twice():
    from anfora.ops import primitives

    assert all(primitives.CLASSES.get(name) is make for name, make in RARE.items())
    assert not set(RARE) & set(primitives.PLAIN)
