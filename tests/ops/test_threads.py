"""The same bits for 1, 2, 3 and 8 threads: large inputs, of which every thread gets a share. Small ones are cut by force
in `test_guarded.py`."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import anfora
from anfora import Tensor, ops

MANY = 1_000_003


@functools.cache
def array(*shape, kind="f"):
    random = np.random.default_rng(sum(shape))
    if kind == "i":
        return Tensor(random.integers(0, 1000, shape))
    return Tensor(random.standard_normal(shape).astype(np.float32))


def weights(*shape):
    return array(*shape) * 0.1


def indices(count, below):
    return Tensor(np.random.default_rng(count).integers(0, below, count))


# Each case: a function of its float32 arguments, and these. The gradient to them is taken too.
CASES = {
    "add": (lambda a, b: a + b, lambda: (array(MANY), array(MANY + 0))),
    "broadcast": (lambda a, b: a * b, lambda: (array(1001, 1003), array(1003))),
    "gelu": (ops.gelu, lambda: (array(MANY),)),
    "exp": (ops.exp, lambda: (array(MANY),)),
    "where": (lambda a, b: ops.where(a > b, a, b), lambda: (array(MANY), array(1))),
    "cast": (lambda a: a.astype(anfora.float16).astype(anfora.float32), lambda: (array(MANY),)),
    "transpose": (lambda a: a.T * 1.0, lambda: (array(1001, 1003),)),
    "permute": (lambda a: a.transpose(2, 0, 1) * 1.0, lambda: (array(101, 103, 97),)),
    "strided": (lambda a: a[::2, 1::3] * 2.0, lambda: (array(1001, 2003),)),
    "sum": (lambda a: a.sum(), lambda: (array(MANY),)),
    "sum of rows": (lambda a: a.sum(1), lambda: (array(997, 1009),)),
    "sum of columns": (lambda a: a.sum(0), lambda: (array(997, 1009),)),
    "sum of the middle": (lambda a: a.sum(1), lambda: (array(31, 997, 33),)),
    "sum of few": (lambda a: a.sum(0), lambda: (array(3, 333_337),)),
    "mean of outer axes": (lambda a: a.mean((0, 2)), lambda: (array(33, 31, 997),)),
    "prod": (lambda a: (a * 0.01 + 1.0).prod(1), lambda: (array(997, 1009),)),
    "var": (lambda a: ops.var(a, 0), lambda: (array(997, 1009),)),
    "std": (lambda a: ops.std(a), lambda: (array(MANY),)),
    "norm": (lambda a: ops.norm(a), lambda: (array(MANY),)),
    "max": (lambda a: a.max(), lambda: (array(MANY),)),
    "max of columns": (lambda a: ops.amax(a, 0), lambda: (array(997, 1009),)),
    "logsumexp": (lambda a: ops.logsumexp(a, 0), lambda: (array(997, 1009),)),
    "cumsum": (lambda a: ops.cumsum(a, 1), lambda: (array(301, 3001),)),
    "cumsum of one row": (lambda a: ops.cumsum(a, 0), lambda: (array(MANY),)),
    "softmax": (lambda a: ops.softmax(a, -1), lambda: (array(997, 1009),)),
    "softmax of columns": (lambda a: ops.softmax(a, 0), lambda: (array(997, 1009),)),
    "log_softmax": (lambda a: ops.log_softmax(a, -1), lambda: (array(997, 1009),)),
    "cross_entropy": (lambda a: ops.cross_entropy(a, indices(3001, 101)), lambda: (array(3001, 101),)),
    "layer_norm": (
        lambda a, w, b: ops.layer_norm(a, (1009,), w, b),
        lambda: (array(499, 1009), array(1009), array(1009) * 2.0),
    ),
    "group_norm": (lambda a: ops.group_norm(a, 3), lambda: (array(7, 33, 61, 37),)),
    "batch_norm": (
        lambda a, w, b: ops.batch_norm(a, ops.zeros(31), ops.ones(31), w, b, training=True),
        lambda: (array(13, 31, 37, 41), array(31), array(31) * 2.0),
    ),
    "matmul": (lambda a, b: a @ b, lambda: (array(257, 301), array(301, 263))),
    "matmul, long": (lambda a, b: a @ b, lambda: (array(17, 20_011), array(20_011, 19))),
    "matmul, a vector": (lambda a, b: a @ b, lambda: (array(1009, 997), array(997))),
    "matmul, batched": (lambda a, b: a @ b, lambda: (array(33, 47, 61), array(33, 61, 53))),
    "dense": (lambda x, w, b: ops.dense(x, w, b), lambda: (array(211, 301), weights(307, 301), array(307))),
    "conv2d": (
        lambda x, w: ops.conv2d(x, w, pad_mode="pad", padding=1),
        lambda: (array(5, 17, 41, 43), weights(23, 17, 3, 3)),
    ),
    "conv2d, strided": (
        lambda x, w: ops.conv2d(x, w, stride=2),
        lambda: (array(3, 3, 97, 101), weights(33, 3, 7, 7)),
    ),
    "conv2d, 1 by 1": (lambda x, w: ops.conv2d(x, w), lambda: (array(5, 64, 31, 29), weights(67, 64, 1, 1))),
    "conv2d, groups": (
        lambda x, w: ops.conv2d(x, w, groups=32, pad_mode="pad", padding=1),
        lambda: (array(5, 32, 41, 43), weights(32, 1, 3, 3)),
    ),
    "max_pool2d": (lambda a: ops.max_pool2d(a, 3, 2), lambda: (array(7, 31, 61, 63),)),
    "avg_pool2d": (lambda a: ops.avg_pool2d(a, 3, 2), lambda: (array(7, 31, 61, 63),)),
    "sort": (lambda a: ops.sort(a)[0], lambda: (array(100_003),)),
    "sort of rows": (lambda a: ops.sort(a)[0], lambda: (array(101, 1009),)),
    "topk": (lambda a: ops.topk(a, 37)[0], lambda: (array(301, 1009),)),
    "gather": (lambda a: a[indices(30_011, 1009)], lambda: (array(1009, 33),)),
    "embedding": (lambda a: ops.gather(a, indices(30_011, 7), 0), lambda: (array(7, 33),)),
    "scatter": (
        lambda a, b: ops.tensor_scatter_add(a, indices(300_007, 101).reshape((-1, 1)), b),
        lambda: (array(101), array(300_007)),
    ),
    "pad": (lambda a: ops.pad(a, (1, 2, 3, 4)), lambda: (array(1001, 1003),)),
    "concat": (lambda a, b: ops.concat((a, b), 1), lambda: (array(1001, 503), array(1001, 517))),
    "dropout": (lambda a: ops.dropout(a, p=0.3), lambda: (array(MANY),)),
    "randn": (lambda a: ops.randn(MANY) * a, lambda: (array(1),)),
}


@pytest.fixture(autouse=True)
def threads_as_before():
    before = anfora.get_num_threads()
    yield
    anfora.set_num_threads(before)


@pytest.mark.parametrize("name", CASES)
def test_threads_change_no_bit(name):
    function, make = CASES[name]
    args = make()

    def outcome(threads):
        anfora.set_num_threads(threads)
        anfora.set_seed(3)
        value, pull = anfora.vjp(function, *args)
        return [t.asnumpy().view(np.uint32) for t in (value, *pull(ops.cos(value)))]

    expected = outcome(1)
    assert any(len(np.unique(result)) > 1 for result in expected) or expected[0].size == 1
    for threads in (2, 3, 8):
        for wanted, found in zip(expected, outcome(threads)):
            np.testing.assert_array_equal(found, wanted)
