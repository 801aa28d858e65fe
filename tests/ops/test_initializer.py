"""Initial values: closed forms, moments, errors, and that a seed decides."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest
import scipy.stats as stats

import anfora
from anfora import Parameter, Tensor
from anfora.ops.initializer import (
    Constant,
    Dirac,
    HeNormal,
    HeUniform,
    Identity,
    Initializer,
    Normal,
    One,
    Orthogonal,
    Sparse,
    TruncatedNormal,
    Uniform,
    VarianceScaling,
    XavierNormal,
    XavierUniform,
    Zero,
    initializer,
)

SHAPE = (40, 20, 5, 5)  # fan_in 500, fan_out 1000
CUT = 0.8796256610342398  # standard deviation of a standard normal cut at ±2

DISTRIBUTIONS = [
    (Uniform(0.5), stats.uniform(-0.5, 1.0)),
    (Normal(0.3, 2.0), stats.norm(2.0, 0.3)),
    (TruncatedNormal(1.0, 0.5, -1.0, 1.0), stats.truncnorm(-1.5, 0.5, 0.5, 1.0)),
    (TruncatedNormal(1.0, 0.0, 3.0, 9.0), stats.truncnorm(3.0, 9.0)),
    (TruncatedNormal(0.02), stats.norm(0, 0.02)),
    (XavierUniform(2.0), stats.uniform(-2 * math.sqrt(6 / 1500), 4 * math.sqrt(6 / 1500))),
    (XavierNormal(), stats.norm(0, math.sqrt(2 / 1500))),
    (HeUniform(), stats.uniform(-math.sqrt(6 / 500), 2 * math.sqrt(6 / 500))),
    (HeUniform(math.sqrt(5)), stats.uniform(-1 / math.sqrt(500), 2 / math.sqrt(500))),
    (HeNormal(mode="fan_out", nonlinearity="relu"), stats.norm(0, math.sqrt(2 / 1000))),
    (HeNormal(nonlinearity="tanh"), stats.norm(0, 5 / 3 / math.sqrt(500))),
    (VarianceScaling(), stats.truncnorm(-2, 2, 0, math.sqrt(1 / 500) / CUT)),
    (VarianceScaling(3.0, "fan_avg", "uniform"), stats.uniform(-math.sqrt(9 / 750), 2 * math.sqrt(9 / 750))),
    (VarianceScaling(2.0, "fan_out", "untruncated_normal"), stats.norm(0, math.sqrt(2 / 1000))),
]


@pytest.mark.parametrize("init, wanted", DISTRIBUTIONS, ids=lambda value: repr(value)[:60])
def test_distribution(init, wanted):
    anfora.set_seed(3)
    x = initializer(init, SHAPE).asnumpy().astype(np.float64).ravel()
    assert stats.kstest(x, wanted.cdf).pvalue > 1e-3


@pytest.mark.parametrize("init", [init for init, _ in DISTRIBUTIONS[:4]] + [Orthogonal(), Sparse(0.3)], ids=repr)
def test_seed_decides(init):
    anfora.set_seed(1)
    first, second = (initializer(init, (6, 5)).asnumpy() for _ in range(2))
    anfora.set_seed(1)
    np.testing.assert_array_equal(initializer(init, (6, 5)).asnumpy(), first)
    assert not np.array_equal(first, second)


@pytest.mark.parametrize("shape, fans", [((6, 4), (4, 6)), ((6, 4, 3), (12, 18)), ((6, 4, 3, 2), (24, 36))])
def test_fans(shape, fans):
    for mode, fan in zip(("fan_in", "fan_out"), fans):
        bound = math.sqrt(6 / fan)
        x = np.abs(initializer(HeUniform(mode=mode), (shape[0], shape[1], *shape[2:])).asnumpy())
        assert x.max() <= bound and x.max() > 0.7 * bound


@pytest.mark.parametrize(
    "name, kind",
    [
        ("zeros", Zero),
        ("ZERO", Zero),
        ("ones", One),
        ("normal", Normal),
        ("xavier_uniform", XavierUniform),
        ("XavierNormal", XavierNormal),
        ("he_uniform", HeUniform),
        ("HeNormal", HeNormal),
        ("truncatedNormal", TruncatedNormal),
        ("orthogonal", Orthogonal),
        ("variance_scaling", VarianceScaling),
        ("uniform", Uniform),
    ],
)
def test_names(name, kind):
    anfora.set_seed(2)
    by_name = initializer(name, (3, 4)).asnumpy()
    anfora.set_seed(2)
    np.testing.assert_array_equal(by_name, initializer(kind(), (3, 4)).asnumpy())


@pytest.mark.parametrize(
    "init, shape, wanted",
    [
        (Zero(), (2, 2), np.zeros((2, 2))),
        (One(), 3, np.ones(3)),
        (0.5, (2,), [0.5, 0.5]),
        (Constant(np.array([1.0, 2.0])), (2, 2), [[1, 2], [1, 2]]),
        (Constant(Tensor(3.0)), (), 3),
        (Identity(), (2, 3), np.eye(2, 3)),
        (Dirac(), (2, 3, 3), np.stack([np.eye(3)[:2] * (i == 1) for i in range(3)], 2)),
        (Zero(), (0, 3), np.zeros((0, 3))),
    ],
)
def test_constants(init, shape, wanted):
    np.testing.assert_array_equal(initializer(init, shape).asnumpy(), wanted)


def test_dirac_passes_channels_on_in_groups():
    weights = initializer(Dirac(2), (4, 2, 3, 3)).asnumpy()
    wanted = np.zeros((4, 2, 3, 3))
    wanted[[0, 1, 2, 3], [0, 1, 0, 1], 1, 1] = 1
    np.testing.assert_array_equal(weights, wanted)


@pytest.mark.parametrize("shape", [(4, 9), (9, 4), (4, 3, 3), (5, 5)])
def test_orthogonal(shape):
    q = initializer(Orthogonal(2.0), shape, anfora.float64).asnumpy().reshape(shape[0], -1)
    product = q @ q.T if q.shape[0] <= q.shape[1] else q.T @ q
    np.testing.assert_allclose(product, 4 * np.eye(min(q.shape)), atol=1e-12)


def test_sparse():
    x = initializer(Sparse(0.33, 0.5), (10, 60)).asnumpy()
    assert ((x == 0).sum(0) == 4).all()
    assert abs(x[x != 0].std() - 0.5) < 0.1


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64", "int32"])
def test_dtypes(dtype):
    x = initializer("ones", (2, 3), getattr(anfora, dtype))
    assert x.dtype is getattr(anfora, dtype) and x.tolist() == [[1, 1, 1]] * 2
    anfora.set_seed(4)
    assert abs(initializer(Normal(2.0), (4000,), getattr(anfora, dtype)).asnumpy().astype(float).std() - 2) < 0.5


def test_ways_to_use_one():
    class Ramp(Initializer):
        def _initialize(self, arr):
            arr[...] = np.arange(arr.size).reshape(arr.shape)

    assert initializer(Ramp(), (2, 2)).tolist() == [[0, 1], [2, 3]]
    assert Tensor(shape=(2,), dtype=anfora.float32, init=One()).tolist() == [1, 1]
    assert Parameter(initializer("zeros", (2,)), name="w").tolist() == [0, 0]
    given = Tensor([1.0, 2.0])
    assert initializer(given, (2,)) is given
    array = np.zeros((2, 3), np.float32)
    One()(array)
    assert array.sum() == 6
    assert repr(Normal(0.5)) == "Normal(sigma=0.5, mean=0.0)"
    for twin in (copy.deepcopy(HeUniform(0.1)), pickle.loads(pickle.dumps(HeUniform(0.1)))):
        assert repr(twin) == repr(HeUniform(0.1))


@pytest.mark.parametrize(
    "call, error, match",
    [
        (lambda: initializer("nothing", (2,)), ValueError, "names are"),
        (lambda: initializer(Normal, (2,)), TypeError, "object of the class"),
        (lambda: initializer([1.0], (1,)), TypeError, "needs an Initializer"),
        (lambda: initializer("ones"), ValueError, "needs a `shape`"),
        (lambda: initializer("ones", (-1,)), ValueError, "negative"),
        (lambda: initializer("ones", (1.5,)), TypeError, "integers"),
        (lambda: initializer(Tensor([1.0]), (2,)), ValueError, "has shape"),
        (lambda: initializer("he_uniform", (3,)), ValueError, "two axes"),
        (lambda: initializer(Identity(), (3,)), ValueError, "2 axes"),
        (lambda: initializer(Dirac(), (3, 3)), ValueError, "3 to 5"),
        (lambda: initializer(Dirac(2), (3, 3, 3)), ValueError, "do not divide"),
        (lambda: initializer(Orthogonal(), (3,)), ValueError, "at least 2"),
        (lambda: Dirac(0), ValueError, "positive"),
        (lambda: HeUniform(mode="fan"), ValueError, "fan_in"),
        (lambda: HeNormal(nonlinearity="selfish"), ValueError, "must be one of"),
        (lambda: TruncatedNormal(1.0, 0.0, 2.0, 1.0), ValueError, "a < b"),
        (lambda: VarianceScaling(-1.0), ValueError, "positive"),
        (lambda: VarianceScaling(mode="fan"), ValueError, "fan_avg"),
        (lambda: VarianceScaling(distribution="normal"), ValueError, "untruncated_normal"),
    ],
)
def test_bad_calls_are_refused(call, error, match):
    with pytest.raises(error, match=match):
        call()
