"""Frequencies and their order: numpy's values."""

from __future__ import annotations

import numpy as np
import pytest

import anfora as ms
from anfora import Tensor, ops


@pytest.mark.parametrize("n, d", [(1, 1.0), (2, 0.5), (5, 1.0), (8, 0.1), (9, -2)])
def test_frequencies_are_numpys(n, d):
    for name in ("fftfreq", "rfftfreq"):
        wanted = getattr(np.fft, name)(n, d)
        found = getattr(ops, name)(n, d)
        assert found.dtype is ms.float32 and found.shape == wanted.shape
        np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-6)
        np.testing.assert_allclose(getattr(ops, name)(n, d, ms.float64).asnumpy(), wanted, rtol=1e-15)


@pytest.mark.parametrize("dim", [None, 0, -1, (0, 2)])
@pytest.mark.parametrize("name", ["fftshift", "ifftshift"])
def test_shifts_are_numpys(name, dim):
    x = np.arange(60, dtype=np.int32).reshape(3, 4, 5)
    found = getattr(ops, name)(Tensor(x), dim)
    assert found.dtype is ms.int32 and found.tolist() == getattr(np.fft, name)(x, dim).tolist()
    compiled = ms.jit(getattr(ops, name))
    assert [compiled(Tensor(x), dim).tolist() for _ in range(2)] == [found.tolist()] * 2


def test_gradients_go_back():
    weights = np.arange(5.0, dtype=np.float32)
    slope = ms.grad(lambda x: (ops.fftshift(x) * Tensor(weights)).sum())(Tensor(weights))
    assert slope.tolist() == np.fft.ifftshift(weights).tolist()


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: ops.fftfreq(0), ValueError, "n >= 1"),
        (lambda: ops.fftfreq(2.5), TypeError, "integer"),
        (lambda: ops.rfftfreq(True), TypeError, "integer"),
        (lambda: ops.fftfreq(3, 0), ValueError, "not 0"),
        (lambda: ops.fftfreq(3, "1"), TypeError, "number"),
        (lambda: ops.rfftfreq(3, 1.0, ms.int32), TypeError, "floating"),
        (lambda: ops.fftshift(Tensor([1.0]), 1), ValueError, "axis|dim"),
    ],
)
def test_what_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()
