"""Functions as layers: values printed by MindSpore 2.10, closed forms, and numpy."""

import math

import numpy as np
import pytest

import anfora as ms
from anfora import Tensor, nn

A = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]], np.float32)
SHARES = tuple(Tensor(np.array(v, np.float32)) for v in ([[0.5]] * 3, [0.5] * 4))
DRAWN = (Tensor([0, 1, 2, 3]), *SHARES)


@pytest.fixture(params=["plain", "compiled"])
def run(request):
    return (lambda layer: layer) if request.param == "plain" else (lambda layer: ms.jit(lambda *given: layer(*given)))


def test_numbers(run):
    def close(result, expected):
        np.testing.assert_allclose(result.asnumpy(), expected, rtol=1e-5, atol=1e-6)

    close(run(nn.DiGamma())(Tensor([1.0, 2.0, -0.5])), [-0.57721566, 0.42278434, 0.03648998])
    close(run(nn.LGamma())(Tensor([1.0, 2.0, -0.5, 3.5])), [math.lgamma(v) for v in (1, 2, -0.5, 3.5)])
    close(run(nn.IGamma())(Tensor([2.0, 4.0, 6.0]), Tensor([2.0, 3.0, 4.0])), [0.5939942, 0.35276812, 0.21486953])
    beta = [math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b) for a, b in ((2, 2), (4, 14))]
    close(run(nn.LBeta())(Tensor([2.0, 4.0]), Tensor([2.0, 14.0])), beta)


def test_image_gradients(run):
    images = np.random.default_rng(0).random((2, 3, 4, 5), np.float32)
    down, right = run(nn.ImageGradients())(Tensor(images))
    np.testing.assert_array_equal(down.asnumpy(), np.pad(np.diff(images, axis=2), [(0, 0), (0, 0), (0, 1), (0, 0)]))
    np.testing.assert_array_equal(right.asnumpy(), np.pad(np.diff(images, axis=3), [(0, 0), (0, 0), (0, 0), (0, 1)]))
    with pytest.raises(ms.AnforaError, match=r"needs images \(N, C, H, W\), but got \[2, 3\]"):
        nn.ImageGradients()(Tensor(A))


def test_sparse(run):
    coo = ms.COOTensor(Tensor([[0, 1], [1, 2]]), Tensor([1.0, 2.0]), (3, 4))
    assert nn.SparseToDense()(coo).tolist() == [[0, 1, 0, 0], [0, 0, 2, 0], [0, 0, 0, 0]]
    product = run(nn.SparseTensorDenseMatmul())(coo.indices, coo.values, (3, 4), Tensor(np.ones((4, 2), np.float32)))
    assert product.tolist() == [[1, 1], [2, 2], [0, 0]]


@pytest.mark.parametrize(
    ("remove", "expected"),
    [(True, [2.1272209, 0.5545927, 0.09466225]), (False, [2.127221, 0.55459285, 0.09466225])],
)
def test_sampled_softmax_loss(run, remove, expected):
    given = (
        Tensor(np.arange(70).reshape(7, 10) / 70, ms.float32), Tensor(np.arange(7) / 7, ms.float32),
        Tensor([[0], [4], [5]]), Tensor(np.arange(30).reshape(3, 10) / 30, ms.float32),
    )  # fmt: skip
    made = nn.SampledSoftmaxLoss(4, 7, sampled_values=DRAWN, remove_accidental_hits=remove)
    weights, biases, labels, logits = (x.asnumpy().astype(float) for x in given)
    scores = logits @ weights.T + biases - math.log(0.5)
    for row, label in enumerate(labels[:, 0].astype(int)):
        others = [scores[row, c] for c in range(4) if not (remove and c == label)]
        expected = [
            *expected[:row],
            np.logaddexp.reduce([scores[row, label], *others]) - scores[row, label],
            *expected[row + 1 :],
        ]
    np.testing.assert_allclose(run(made)(*given).asnumpy(), expected, rtol=1e-5)
    mean = nn.SampledSoftmaxLoss(4, 7, sampled_values=DRAWN, remove_accidental_hits=remove, reduction="mean")
    np.testing.assert_allclose(mean(*given).asnumpy(), np.mean(expected), rtol=1e-5)
    anew = nn.SampledSoftmaxLoss(3, 7, seed=2, reduction="sum")
    assert np.isfinite(anew(*given).asnumpy())
