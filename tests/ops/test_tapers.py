"""Weights of windows in time: SciPy's values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import windows

import anfora as ms
from anfora import Tensor, ops
from anfora.core.errors import OpTypeError, OpValueError

PLAIN = {"bartlett": windows.bartlett, "blackman": windows.blackman, "hamming": windows.hamming, "hann": windows.hann}


@pytest.mark.parametrize("length", [0, 1, 2, 7, 64])
@pytest.mark.parametrize("periodic", [True, False])
@pytest.mark.parametrize("name", [*PLAIN, "kaiser"])
def test_weights_are_scipys(name, periodic, length):
    make = getattr(ops, f"{name}_window")
    scipys = PLAIN.get(name) or (lambda n, sym: windows.kaiser(n, 12.0, sym))
    for dtype, within in ((None, 1e-7), (ms.float64, 4e-15), (ms.float16, 1e-3)):
        found = make(length, periodic, dtype=dtype)
        assert found.dtype is (dtype or (ms.float64 if name in ("hann", "kaiser") else ms.float32))
        np.testing.assert_allclose(found.asnumpy(), scipys(length, not periodic), rtol=within, atol=within)


def test_parameters_of_windows():
    np.testing.assert_allclose(
        ops.hamming_window(9, False, 0.7, 0.3).asnumpy(), windows.general_hamming(9, 0.7), rtol=1e-6
    )
    np.testing.assert_allclose(ops.kaiser_window(9, False, 5.0).asnumpy(), windows.kaiser(9, 5.0), rtol=1e-14)
    assert ops.bartlett_window(Tensor(5), False).tolist() == [0.0, 0.5, 1.0, 0.5, 0.0]
    assert ms.jit(lambda x: x * ops.hann_window(4, dtype=ms.float32))(Tensor([1.0] * 4)).tolist() == [
        0.0,
        0.5,
        1.0,
        0.5,
    ]


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: ops.hann_window(2.5), OpTypeError, "an integer for `window_length`"),
        (lambda: ops.hann_window(-1), OpValueError, "must not be negative"),
        (lambda: ops.hann_window(1 << 70), OpValueError, "larger than any memory"),
        (lambda: ops.kaiser_window(1 << 45), MemoryError, "Unable to allocate"),
        (lambda: ops.bartlett_window(4, 1), OpTypeError, "True or False for `periodic`"),
        (lambda: ops.blackman_window(4, dtype=ms.int32), OpTypeError, "a floating type for `dtype`"),
        (lambda: ops.hamming_window(4, alpha="a"), OpTypeError, "a number for `alpha`"),
        (lambda: ops.kaiser_window(4, beta=None), OpTypeError, "a number for `beta`"),
        (lambda: ops.kaiser_window(4, beta=-1.0), OpValueError, "from 0 to 700"),
    ],
)
def test_windows_refuse(call, error, words):
    with pytest.raises(error, match=words):
        call()
