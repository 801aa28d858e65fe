"""How alike images are, against formulas written out in numpy."""

from __future__ import annotations

import numpy as np
import pytest

import anfora
from anfora import Tensor, nn

RANDOM = np.random.default_rng(0)
X = RANDOM.random((2, 3, 24, 26))
Y = np.clip(X + 0.2 * RANDOM.standard_normal(X.shape), 0, 1)


def _compared(x, y, top, size, sigma, k1, k2):
    """SSIM, and its contrast and structure alone, of one plane: window by window, with weighted moments."""
    c1, c2 = (k1 * top) ** 2, (k2 * top) ** 2
    at = np.arange(size) - (size - 1) / 2
    w = np.exp(-(at[:, None] ** 2 + at**2) / (2 * sigma**2))
    w /= w.sum()
    whole, structure = [], []
    for i in range(x.shape[0] - size + 1):
        for j in range(x.shape[1] - size + 1):
            a, b = x[i : i + size, j : j + size], y[i : i + size, j : j + size]
            ma, mb = (w * a).sum(), (w * b).sum()
            va, vb, c = (w * (a - ma) ** 2).sum(), (w * (b - mb) ** 2).sum(), (w * (a - ma) * (b - mb)).sum()
            structure.append((2 * c + c2) / (va + vb + c2))
            whole.append(structure[-1] * (2 * ma * mb + c1) / (ma**2 + mb**2 + c1))
    return np.mean(whole), np.mean(structure)


def _each(x, y, *numbers):
    return np.array([[_compared(a, b, *numbers) for a, b in zip(p, q)] for p, q in zip(x, y)])


def test_noise():
    expected = 10 * np.log10(4.0 / ((X - Y) ** 2).mean((1, 2, 3)))
    result = nn.PSNR(2)(Tensor(X), Tensor(Y))
    assert result.dtype is anfora.float32 and np.allclose(result.asnumpy(), expected, rtol=1e-5)
    assert np.isinf(nn.PSNR()(Tensor(X), Tensor(X)).asnumpy()).all()


def test_structure():
    numbers = {"max_val": 1.5, "filter_size": 7, "filter_sigma": 1.2, "k1": 0.02, "k2": 0.04}
    result = nn.SSIM(**numbers)(Tensor(X), Tensor(Y))
    assert np.allclose(result.asnumpy(), _each(X, Y, *numbers.values())[..., 0].mean(-1), rtol=1e-8)
    assert np.allclose(nn.SSIM()(Tensor(X), Tensor(X)).asnumpy(), 1)
    by_x = anfora.grad(lambda x: nn.SSIM()(x, Tensor(Y)).sum())(Tensor(X))
    assert np.isfinite(by_x.asnumpy()).all() and by_x.shape == X.shape


def test_structure_at_several_scales():
    numbers = {"max_val": 1.0, "filter_size": 5, "filter_sigma": 1.5, "k1": 0.01, "k2": 0.03}
    powers = (0.3, 0.5, 0.2)
    expected, x, y = 1.0, X, Y
    for scale, power in enumerate(powers):
        if scale:
            x, y = (i[..., : i.shape[-2] // 2 * 2, : i.shape[-1] // 2 * 2] for i in (x, y))
            x, y = (i.reshape(*i.shape[:2], i.shape[2] // 2, 2, i.shape[3] // 2, 2).mean((3, 5)) for i in (x, y))
        both = _each(x, y, *numbers.values())
        expected = expected * np.maximum(both[..., 0 if scale == 2 else 1], 0) ** power
    result = nn.MSSSIM(power_factors=powers, **numbers)(Tensor(X), Tensor(Y))
    assert np.allclose(result.asnumpy(), expected.mean(-1), rtol=1e-8)


@pytest.mark.parametrize("fraction, shape", [(0.5, (5, 5)), (0.3, (3, 3)), (0.73, (7, 7)), (1.0, (7, 9))])
def test_the_middle(fraction, shape):
    x = np.arange(126.0).reshape(2, 1, 7, 9)
    top, left = ((n - m) // 2 for n, m in zip((7, 9), shape))
    expected = x[..., top : top + shape[0], left : left + shape[1]]
    assert np.array_equal(nn.CentralCrop(fraction)(Tensor(x)).asnumpy(), expected)
    assert np.array_equal(nn.CentralCrop(fraction)(Tensor(x[0])).asnumpy(), expected[0])


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: nn.PSNR(True), TypeError),
        (lambda: nn.PSNR(0), ValueError),
        (lambda: nn.PSNR()(Tensor(X), Tensor(X[:, :, 1:])), ValueError),
        (lambda: nn.PSNR()(Tensor(X[0]), Tensor(X[0])), ValueError),
        (lambda: nn.SSIM()(Tensor(X), Tensor(X[..., None])), TypeError),
        (lambda: nn.SSIM()(Tensor(X), Tensor(Y, anfora.float32)), TypeError),
        (lambda: nn.SSIM(filter_size=30)(Tensor(X), Tensor(Y)), ValueError),
        (lambda: nn.SSIM(filter_size=1.1), TypeError),
        (lambda: nn.SSIM(filter_size=0), ValueError),
        (lambda: nn.SSIM(filter_sigma=0.0), ValueError),
        (lambda: nn.SSIM(k1=True), TypeError),
        (lambda: nn.SSIM(max_val="1"), TypeError),
        (lambda: nn.MSSSIM(power_factors=1), TypeError),
        (lambda: nn.MSSSIM()(Tensor(X), Tensor(Y)), ValueError),
        (lambda: nn.CentralCrop(True), TypeError),
        (lambda: nn.CentralCrop(0.0), ValueError),
        (lambda: nn.CentralCrop(1.5), ValueError),
        (lambda: nn.CentralCrop(0.5)(Tensor(X[0, 0])), ValueError),
    ],
)
def test_what_is_refused(call, error):
    with pytest.raises(error):
        call()
