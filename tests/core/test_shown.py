"""How tensors look in `repr`: texts that MindSpore 2.10 gave."""

from __future__ import annotations

import zlib

import numpy as np
import pytest

import anfora as ms
from anfora import Tensor


def steps(*shape):
    return Tensor((np.arange(np.prod(shape)).reshape(shape) * 1.25 - 3).astype(np.float32))


def integers(*shape):
    return Tensor(np.arange(np.prod(shape)).reshape(shape) * 7 - 20)


def thirds(kind, *shape):
    return Tensor((np.arange(np.prod(shape)) % 3).reshape(shape), kind)


TEXTS = [
    (steps(1), "Float32, value= [-3.00000000e+00])"),
    (steps(2, 1, 1), "Float32, value=\n[[[-3.00000000e+00]],\n [[-1.75000000e+00]]])"),
    (integers(2, 7), "Int64, value=\n[[-20, -13,  -6 ...   8,  15,  22],\n [ 29,  36,  43 ...  57,  64,  71]])"),
    (integers(7, 2), "[[-20, -13],\n [ -6,   1],\n [  8,  15],\n ...\n [ 36,  43],\n [ 50,  57],\n [ 64,  71]])"),
    (integers(1001), "Int64, value= [ -20,  -13,   -6 ... 6966, 6973, 6980])"),
    (integers(0), "Tensor(shape=[0], dtype=Int64, value= )"),
    (integers(3, 0), "Tensor(shape=[3, 0], dtype=Int64, value=\n)"),
    (thirds(ms.float16, 2), "Float16, value= [ 0.0000e+00,  1.0000e+00])"),
    (thirds(ms.bfloat16, 5), "BFloat16, value= [0, 1, 2, 0, 1])"),
    (thirds(ms.bool_, 13), "[False,  True,  True, False" + ",  True,  True, False" * 2 + ",  True,  True, \n False])"),
    (thirds(ms.uint8, 25), "[" + "0, 1, 2, " * 8 + "\n 0])"),
    (thirds(ms.uint8, 24), "[" + "0, 1, 2, " * 7 + "0, 1, 2\n ])"),
    (Tensor([np.nan, np.inf, -np.inf, 1.0]), "[            nan,             inf,            -inf,  1.00000000e+00])"),
    (Tensor(np.array([1e300, -1e-300])), "Float64, value= [1.00000000e+300, -1.00000000e-300])"),
    (Tensor(123456789.0), "Tensor(shape=[], dtype=Float32, value= 1.23457e+08)"),
    (Tensor(np.float64(0.1)), "Tensor(shape=[], dtype=Float64, value= 0.1)"),
    (Tensor(-3), "Tensor(shape=[], dtype=Int64, value= -3)"),
    (Tensor(True), "Tensor(shape=[], dtype=Bool, value= True)"),
]

#: Checksums of longer ones.
CHECKSUMS = [
    (steps(24), 1223518519),
    (steps(49), 2443383420),
    (steps(1000), 621782161),
    (steps(7, 2, 7), 3104642717),
    (steps(2, 2, 2, 2), 2439506962),
    (steps(3, 500), 450004469),
    (integers(49), 925760974),
    (integers(1000), 2105557887),
    (integers(7, 2, 7), 4253563785),
    (integers(2, 2, 2, 2), 1595001454),
    (integers(3, 500), 20780225),
]


@pytest.mark.parametrize(("tensor", "end"), TEXTS, ids=range(len(TEXTS)))
def test_texts(tensor, end):
    assert repr(tensor).endswith(end)


@pytest.mark.parametrize(("tensor", "expected"), CHECKSUMS, ids=range(len(CHECKSUMS)))
def test_long_texts(tensor, expected):
    assert zlib.crc32(repr(tensor).encode()) == expected
