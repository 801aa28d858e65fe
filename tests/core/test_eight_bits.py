"""Floating-point numbers of eight bits: every code, the nearest code, and what is done with tensors of them."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import anfora as ms
from anfora import Tensor, ops
from anfora.core.dtype import EIGHT_BITS
from anfora.core.eight_bits import decode, encode
from anfora.core.errors import OpBufferError, OpTypeError

CODES = np.arange(256, dtype=np.uint8)
NUMPYS = [ms.float8_e4m3fn, ms.float8_e5m2]


def _numbers() -> np.ndarray:
    random = np.random.default_rng(0)
    wide = random.normal(size=5000) * 10.0 ** random.integers(-8, 7, 5000)
    edges = [464, 464.01, 61440, 61439, 40960, 40959, np.inf, np.nan, 0.0]
    return np.concatenate([wide, np.arange(-500, 500, 0.25), edges, -np.array(edges)])


@pytest.mark.parametrize("dtype", NUMPYS, ids=str)
def test_codes_are_those_of_ml_dtypes(dtype):
    others = getattr(pytest.importorskip("ml_dtypes"), dtype.name)
    np.testing.assert_array_equal(decode(CODES, dtype), CODES.view(others).astype(np.float32))
    with np.errstate(all="ignore"):
        wanted = _numbers().astype(others).view(np.uint8)
    np.testing.assert_array_equal(encode(_numbers(), dtype), wanted)
    assert ms.Tensor(np.ones(2, others)).dtype is dtype


@pytest.mark.parametrize("dtype", EIGHT_BITS, ids=str)
def test_each_number_goes_to_the_nearest(dtype):
    numbers = decode(CODES, dtype)
    back = decode(encode(numbers, dtype), dtype)
    np.testing.assert_array_equal(back, numbers)
    finite = np.unique(numbers[np.isfinite(numbers)])
    values = _numbers()
    values = values[np.abs(values) <= finite[-1]]
    distance = np.abs(decode(encode(values, dtype), dtype) - values)
    np.testing.assert_array_equal(distance, np.abs(values[:, None] - finite).min(1))


def test_hifloat8_is_what_its_authors_say():
    """Rows of the table of the format: (code, number)."""
    table = {
        0x00: 0.0, 0x01: 2.0**-22, 0x07: 2.0**-16, 0x08: 1.0, 0x0F: 1.875, 0x10: 2.0, 0x17: 3.75, 0x18: 0.5, 0x20: 4.0,
        0x28: 8.0, 0x2F: 15.0, 0x30: 0.25, 0x38: 0.125, 0x40: 16.0, 0x43: 28.0, 0x5C: 2.0**-7, 0x60: 256.0, 0x61: 384.0,
        0x6E: 32768.0, 0x6F: np.inf, 0x7E: 2.0**-15, 0x7F: 1.5 * 2.0**-15, 0x80: np.nan, 0xEF: -np.inf, 0x88: -1.0,
    }  # fmt: skip
    np.testing.assert_array_equal(decode(np.array([*table], np.uint8), ms.hifloat8), [*table.values()])
    halfway = Tensor([17.0, 18.0, 22.0, -22.0, 320.0, 40960.0, -1e-9], ms.hifloat8)
    assert halfway.tolist() == [16.0, 20.0, 24.0, -24.0, 384.0, np.inf, 0.0]


@pytest.mark.parametrize("dtype", EIGHT_BITS, ids=str)
def test_a_tensor_is_kept_shown_and_converted(dtype, tmp_path):
    x = Tensor([[1.0, 2.3], [-0.5, 1e9]], dtype)
    largest = "nan" if dtype is ms.float8_e4m3fn else "inf"
    second = "2.5" if dtype is ms.float8_e5m2 else "2.25"
    assert str(dtype) in repr(x) and second in repr(x) and largest in repr(x)
    assert x.dtype is dtype and x.itemsize == 1 and x.nbytes == 4 and x.asnumpy().dtype == np.float32
    assert x.T.shape == (2, 2) and x[1, 0].item() == -0.5 and x.reshape(4)[2].item() == -0.5
    for twin in (x.copy(), copy.deepcopy(x), pickle.loads(pickle.dumps(x)), Tensor(x), ms.jit(lambda t: t)(x)):
        assert twin.dtype is dtype
        np.testing.assert_array_equal(twin.asnumpy(), x.asnumpy())
    ms.save_checkpoint({"x": x}, tmp_path / "x.ckpt")
    assert ms.load_checkpoint(tmp_path / "x.ckpt")["x"].dtype is dtype
    if dtype is ms.hifloat8:
        with pytest.raises(OpTypeError, match="safetensors files do not hold"):
            ms.save_checkpoint({"x": x}, tmp_path / "x.safetensors")
    else:
        ms.save_checkpoint({"x": x}, tmp_path / "x.safetensors")
        loaded = ms.load_checkpoint(tmp_path / "x.safetensors")["x"]
        assert loaded.dtype is dtype
        np.testing.assert_array_equal(loaded.asnumpy(), x.asnumpy())


@pytest.mark.parametrize("dtype", EIGHT_BITS, ids=str)
@pytest.mark.parametrize("wide", [ms.float32, ms.bfloat16, ms.float64, ms.int32], ids=str)
def test_conversion_is_the_same_in_both_modes(dtype, wide):
    x = Tensor([1.1, -3.3, 100.0], wide)
    there = x.astype(dtype)
    np.testing.assert_array_equal(there.asnumpy(), decode(encode(x.asnumpy(), dtype), dtype))
    back = there.astype(wide)
    np.testing.assert_array_equal(back.asnumpy(), there.asnumpy().astype(back.asnumpy().dtype))
    compiled = ms.jit(lambda t: ops.cast(ops.cast(t, dtype), wide) + 1)
    np.testing.assert_array_equal(compiled(x).asnumpy(), (back + 1).asnumpy())


@pytest.mark.parametrize("call", [
    lambda x: x + x, lambda x: x + 1, lambda x: x.sum(), lambda x: -x, lambda x: ops.matmul(x, x), lambda x: x == x,
    lambda x: ops.concat((x, x)), lambda x: ops.zeros(2, x.dtype), lambda x: ops.assign(x, 1.0),
    lambda x: x.T.reshape(4), lambda x: ms.numpy.add(x, x),
])  # fmt: skip
def test_operators_refuse_them_alike_in_both_modes(call):
    x = Tensor([[1.0, 2.0], [3.0, 4.0]], ms.float8_e5m2)
    texts = []
    for function in (call, ms.jit(call)):
        with pytest.raises(OpTypeError, match="takes no floating-point numbers of eight bits") as error:
            function(x)
        texts.append(error.value.message)
    assert texts[0] == texts[1] and x.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_they_meet_no_other_type_and_leave_by_conversion():
    from anfora.core.dtype import promote

    with pytest.raises(OpTypeError, match="no common type"):
        promote(ms.float8_e5m2, ms.float32)
    with pytest.raises(OpBufferError, match="DLPack"):
        np.from_dlpack(Tensor([1.0], ms.float8_e5m2))
