"""Loss layers: each is its operator with the hyperparameters of the layer, or a formula."""

import copy
import pickle

import numpy as np
import pytest

import anfora
from anfora import Tensor, nn, ops

RNG = np.random.default_rng(1)
X, Y = (RNG.standard_normal((3, 4)).astype(np.float32) for _ in range(2))
P = RNG.uniform(0.1, 0.9, (3, 4)).astype(np.float32)
Q = (P / P.sum(1, keepdims=True)).astype(np.float32)
LABELS = np.array([3, 0, 2], np.int32)
SIGNS = np.array([1, -1, 1], np.int32)
W = Tensor(np.array([0.5, 1.0, 2.0, 0.25], np.float32))

LAYERS = [
    (nn.L1Loss("sum"), (X, Y), lambda x, y: ops.l1_loss(x, y, "sum")),
    (nn.MSELoss(), (X, Y), ops.mse_loss),
    (nn.SmoothL1Loss(0.5), (X, Y), lambda x, y: ops.smooth_l1_loss(x, y, 0.5)),
    (nn.HuberLoss("none", 0.5), (X, Y), lambda x, y: ops.huber_loss(x, y, "none", 0.5)),
    (nn.RMSELoss(), (X, Y), lambda x, y: ops.sqrt(ops.mse_loss(x, y))),
    (nn.MAELoss(), (X, Y), ops.l1_loss),
    (nn.MAELoss("none"), (X, Y), lambda x, y: ops.l1_loss(x, y, "none")),
    (nn.CrossEntropyLoss(), (X, LABELS), ops.cross_entropy),
    (nn.CrossEntropyLoss(W, 2, "sum", 0.1), (X, LABELS), lambda x, y: ops.cross_entropy(x, y, W, 2, "sum", 0.1)),
    (nn.CrossEntropyLoss(), (X, Q), ops.cross_entropy),
    (nn.NLLLoss(W, reduction="none"), (X, LABELS), lambda x, y: ops.nll_loss(x, y, W, reduction="none")),
    (nn.SoftmaxCrossEntropyWithLogits(True), (X, LABELS), lambda x, y: ops.cross_entropy(x, y, reduction="none")),
    (nn.SoftmaxCrossEntropyWithLogits(reduction="mean"), (X, Q), ops.cross_entropy),
    (nn.BCELoss(W, "sum"), (P, Q), lambda x, y: ops.binary_cross_entropy(x, y, W, "sum")),
    (nn.BCELoss(), (P, Q), ops.binary_cross_entropy),
    (nn.BCEWithLogitsLoss("none", W, W), (X, Q), lambda x, y: ops.binary_cross_entropy_with_logits(x, y, W, W, "none")),
    (nn.BCEWithLogitsLoss(), (X, Q), ops.binary_cross_entropy_with_logits),
    (nn.KLDivLoss("batchmean"), (X, Q), lambda x, y: ops.kl_div(x, y, "batchmean")),
    (nn.PoissonNLLLoss(), (X, P), ops.poisson_nll_loss),
    (
        nn.PoissonNLLLoss(False, True, 0.5, "sum"),
        (P, P),
        lambda x, y: ops.poisson_nll_loss(x, y, False, True, 0.5, "sum"),
    ),
    (nn.GaussianNLLLoss(full=True), (X, Y, P), lambda x, y, v: ops.gaussian_nll_loss(x, y, v, True)),
    (nn.SoftMarginLoss(), (X, Y), ops.soft_margin_loss),
    (nn.HingeEmbeddingLoss(0.5), (X[0, :3], SIGNS), lambda x, y: ops.hinge_embedding_loss(x, y, 0.5)),
    (
        nn.MarginRankingLoss(0.5, "sum"),
        (X[:, 0], Y[:, 0], SIGNS),
        lambda x, y, t: ops.margin_ranking_loss(x, y, t, 0.5, "sum"),
    ),
    (nn.CosineEmbeddingLoss(0.1), (X, Y, SIGNS), lambda x, y, t: ops.cosine_embedding_loss(x, y, t, 0.1)),
    (nn.MultiMarginLoss(2, 0.5, weight=W), (X, LABELS), lambda x, y: ops.multi_margin_loss(x, y, 2, 0.5, W)),
    (nn.MultilabelMarginLoss(), (X, np.array([[0, 3, -1, 1]] * 3)), ops.multilabel_margin_loss),
    (nn.MultiLabelSoftMarginLoss(W), (X, Q), lambda x, y: ops.multilabel_soft_margin_loss(x, y, W)),
    (
        nn.TripletMarginLoss(1, True, margin=2.0),
        (X, Y, P),
        lambda x, y, z: ops.triplet_margin_loss(x, y, z, 2.0, 1, swap=True),
    ),
    (nn.TripletMarginWithDistanceLoss(), (X, Y, P), lambda x, y, z: ops.triplet_margin_loss(x, y, z, eps=0.0)),
]


@pytest.mark.parametrize("layer, arguments, function", LAYERS, ids=lambda x: repr(x) if isinstance(x, nn.Cell) else "")
def test_a_layer_is_its_operator(layer, arguments, function):
    tensors = [Tensor(a) for a in arguments]
    for other in (layer, copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        np.testing.assert_array_equal(other(*tensors).asnumpy(), function(*tensors).asnumpy())
    gradient, wanted = (anfora.grad(lambda x, f=f: f(x, *tensors[1:]).sum())(tensors[0]) for f in (layer, function))
    np.testing.assert_array_equal(gradient.asnumpy(), wanted.asnumpy())
    assert np.abs(gradient.asnumpy()).max() > 0


def test_a_loss_of_ones_own():
    class Weighted(nn.LossBase):
        def construct(self, logits, labels):
            return self.get_loss(ops.abs(logits - labels), Tensor([1.0, 2.0]))

    x, y = Tensor([[1.0, 2.0], [3.0, 5.0]]), Tensor([[0.0, 0.0], [0.0, 0.0]])
    assert Weighted()(x, y).item() == 4.5 and Weighted("sum")(x, y).item() == 18.0
    assert Weighted("none")(x, y).tolist() == [[1.0, 4.0], [3.0, 10.0]]
    with pytest.raises(ValueError, match="Weighted: `reduction` must be one of"):
        Weighted("avg")
    with pytest.raises(NotImplementedError, match="construct"):
        nn.LossBase()(x, y)


def _log_softmax(x):
    x = x - x.max(1, keepdims=True)
    return x - np.log(np.exp(x).sum(1, keepdims=True))


@pytest.mark.parametrize("gamma", [0.0, 2.0])
def test_focal_loss(gamma):
    x = RNG.standard_normal((2, 3, 5))
    labels = RNG.integers(0, 3, (2, 1, 5))
    weight = np.array([0.5, 1.0, 2.0])
    log_p = _log_softmax(x)
    losses = -((1 - np.exp(log_p)) ** gamma) * log_p * weight.reshape(1, 3, 1)
    by_number = np.take_along_axis(losses, labels, 1).mean(2)[:, 0]
    layer = nn.FocalLoss(Tensor(weight), gamma, "none")
    np.testing.assert_allclose(layer(Tensor(x), Tensor(labels)).asnumpy(), by_number, rtol=1e-12)
    np.testing.assert_allclose(
        nn.FocalLoss(Tensor(weight), gamma)(Tensor(x), Tensor(labels)).asnumpy(), by_number.mean(), rtol=1e-12
    )
    hot = (labels == np.arange(3).reshape(1, 3, 1)).astype(np.float64)
    np.testing.assert_allclose(layer(Tensor(x), Tensor(hot)).asnumpy(), (losses * hot).mean(2), rtol=1e-12)
    for bad in (RNG.integers(0, 3, (2, 5)), RNG.integers(0, 2, (2, 2, 5))):
        with pytest.raises(ValueError, match="FocalLoss"):
            layer(Tensor(x), Tensor(bad))


def test_focal_loss_without_focus_is_cross_entropy():
    loss = nn.FocalLoss(gamma=0.0)(Tensor(X), Tensor(LABELS[:, None]))
    np.testing.assert_allclose(loss.asnumpy(), ops.cross_entropy(Tensor(X), Tensor(LABELS)).asnumpy(), rtol=1e-6)


def _dice(x, y, smooth=1e-5):
    return 1 - 2 * (x * y).sum() / ((x * x).sum() + (y * y).sum() + smooth)


def test_dice_losses():
    x = RNG.uniform(0, 1, (2, 3, 4))
    y = (RNG.uniform(0, 1, (2, 3, 4)) > 0.5).astype(np.float64)
    np.testing.assert_allclose(nn.DiceLoss()(Tensor(x), Tensor(y)).asnumpy(), _dice(x, y), rtol=1e-12)
    np.testing.assert_allclose(nn.DiceLoss(0.5)(Tensor(x), Tensor(y)).asnumpy(), _dice(x, y, 0.5), rtol=1e-12)
    p = np.exp(x) / np.exp(x).sum(-1, keepdims=True)
    each = np.array([_dice(p[:, i], y[:, i]) for i in range(3)])
    np.testing.assert_allclose(nn.MultiClassDiceLoss()(Tensor(x), Tensor(y)).asnumpy(), each.mean(), rtol=1e-12)
    weights = np.array([[1.0], [2.0], [0.5]])
    layer = nn.MultiClassDiceLoss(Tensor(weights), 1, "sigmoid")
    each = np.array([_dice(1 / (1 + np.exp(-x[:, i])), y[:, i]) for i in range(3)])
    np.testing.assert_allclose(layer(Tensor(x), Tensor(y)).asnumpy(), (each[0] + 0.5 * each[2]) / 3, rtol=1e-12)
    with pytest.raises(ValueError, match="equal shapes"):
        nn.DiceLoss()(Tensor(x), Tensor(y[:1]))
    with pytest.raises(ValueError, match="3 weights"):
        layer(Tensor(x[:, :2]), Tensor(y[:, :2]))


def test_ctc():
    x = Tensor(_log_softmax(RNG.standard_normal((5, 3, 2)).transpose(0, 2, 1)).transpose(0, 2, 1))
    targets, times, counts = Tensor([[1, 1], [1, 0], [1, 0]]), Tensor([5, 4, 3]), Tensor([2, 1, 0])
    losses, sums = ops.ctc_loss(x, targets, times, counts, 0, "none")
    ends = [
        sum(np.exp(row[t - 1, max(2 * c - 1, 0) : 2 * c + 1]))
        for row, t, c in zip(sums.asnumpy(), (5, 4, 3), (2, 1, 0))
    ]
    np.testing.assert_allclose(np.exp(-losses.asnumpy()), ends, rtol=1e-12)
    for layer in (nn.CTCLoss(), nn.CTCLoss(reduction="sum")):
        wanted = ops.ctc_loss(x, targets, times, counts, 0, layer.reduction)[0]
        assert layer(x, targets, times, counts).asnumpy() == wanted.asnumpy()
    with pytest.raises(NotImplementedError, match="second derivative of ctc_loss"):
        anfora.grad(lambda x: anfora.grad(lambda y: ops.ctc_loss(y, targets, times, counts)[0])(x).sum())(x)
    with pytest.raises(NotImplementedError, match="log_alpha"):
        anfora.grad(lambda x: ops.ctc_loss(x, targets, times, counts)[1][0, 0, 0])(x)


def test_triplets_with_a_distance_of_ones_own():
    layer = nn.TripletMarginWithDistanceLoss(lambda a, b: ops.reduce_sum(ops.abs(a - b), -1), True, "none", 2.0)
    wanted = ops.triplet_margin_loss(Tensor(X), Tensor(Y), Tensor(P), 2.0, 1, 0.0, True, "none")
    np.testing.assert_array_equal(layer(Tensor(X), Tensor(Y), Tensor(P)).asnumpy(), wanted.asnumpy())


@pytest.mark.parametrize(
    "call, error, match",
    [
        (lambda: nn.MSELoss("avg"), ValueError, "MSELoss: `reduction`"),
        (lambda: nn.KLDivLoss("avg"), ValueError, "`reduction`"),
        (lambda: nn.SmoothL1Loss(-1.0), ValueError, "`beta`"),
        (lambda: nn.HuberLoss(delta=0.0), ValueError, "`delta`"),
        (lambda: nn.CrossEntropyLoss([1.0]), TypeError, "`weight`"),
        (lambda: nn.CrossEntropyLoss(label_smoothing=2.0), ValueError, "`label_smoothing`"),
        (lambda: nn.CrossEntropyLoss(ignore_index=0.5), TypeError, "`ignore_index`"),
        (lambda: nn.SoftmaxCrossEntropyWithLogits(True)(Tensor(X), Tensor(Q)), TypeError, "needs integer labels"),
        (lambda: nn.SoftmaxCrossEntropyWithLogits()(Tensor(X), Tensor(LABELS)), TypeError, "needs probabilities"),
        (lambda: nn.FocalLoss(Tensor(X)), ValueError, "one axis"),
        (lambda: nn.MultiMarginLoss(3), ValueError, "`p` must be 1 or 2"),
        (lambda: nn.CosineEmbeddingLoss(2.0), ValueError, "`margin`"),
        (lambda: nn.TripletMarginLoss(p=0), ValueError, "`p`"),
        (lambda: nn.DiceLoss(0.0), ValueError, "`smooth`"),
        (lambda: nn.MultiClassDiceLoss(activation="softmix"), KeyError, "did you mean"),
        (lambda: nn.MultiClassDiceLoss(activation=3), TypeError, "`activation`"),
    ],
)
def test_bad_calls_are_refused(call, error, match):
    with pytest.raises(error, match=match):
        call()


def test_losses_say_what_they_are():
    assert repr(nn.MSELoss()) == "MSELoss(reduction=mean)"
    assert repr(nn.HuberLoss("sum", 2)) == "HuberLoss(reduction=sum, delta=2.0)"
    assert repr(nn.BCELoss()) == "BCELoss(reduction=mean)"
