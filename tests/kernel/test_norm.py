"""The laws of normalisation's kernels: bits do not depend on who computes what, and nothing outside is touched."""

from __future__ import annotations

import numpy as np
import planes
import pytest
from guarded import guarded
from planes import same_bits, stored

import anfora
from anfora import Tensor, ops
from anfora.core.dtype import as_dtype, float32
from anfora.ops import normalization


def _rows(n, length):
    row, weight = (n, length), (length,)
    return [
        (normalization.layer_norm, [row, weight, weight], [row], {"normalized_shape": weight, "eps": 1e-5}),
        (
            normalization.layer_norm_gradient,
            [row, weight, row],
            [row, weight, weight],
            {"trailing": 1, "eps": 1e-5, "affine": True},
        ),
        (normalization.rms_norm, [row, weight], [row, (n, 1)], {"epsilon": 1e-6}),
        (normalization.rms_norm_gradient, [row, weight, row], [row, weight], {"eps": 1e-6}),
    ]


def _channels(shape, groups):
    c = shape[1:2]
    moments = (shape[0], groups) if groups else c
    attributes = {"groups": groups, "eps": 1e-5}
    return [
        (normalization.channel_norm, [shape, c, c], [shape, moments, moments], attributes),
        (normalization.channel_norm_gradient, [shape, moments, moments, c, shape], [shape, c, c], attributes),
    ]


CASES = [
    *_rows(5, 3),
    *_rows(200, 67),
    *_rows(2, 5000),
    *_channels((70, 9), 0),  # channels that are columns
    *_channels((6, 10, 5), 0),  # short runs
    *_channels((3, 9, 7, 7), 0),
    *_channels((4, 2, 5001), 0),  # few channels: blocks are dealt
    *_channels((2, 12, 9), 3),
    *_channels((1, 4, 20001), 2),
    (normalization.norm_with, [(3, 5, 33), (5,), (5,), (5,), (5,)], [(3, 5, 33)], {"eps": 1e-5}),
]
each_case = pytest.mark.parametrize("op, inputs, outputs, attributes", CASES, ids=lambda v: getattr(v, "name", None))


def _given(shapes, dtype):
    random = np.random.default_rng(1)
    return [stored(random.uniform(0.5, 2.0, shape), dtype) for shape in shapes]


def _empty(shapes, dtype):
    return [np.full(shape, 77, dtype.storage) for shape in shapes]


def _run(op, given, results, attributes, dtype, deal=None):
    plan, addresses = planes.planned(op.kernel_rule, given, results, dtype, **attributes)
    if deal is None:
        assert planes.plain.run(plan, addresses) == 0
    else:
        planes.shuffled(plan, addresses, *deal)
    return results


@each_case
def test_dealing_does_not_matter(op, inputs, outputs, attributes):
    given = _given(inputs, float32)
    want = _run(op, given, _empty(outputs, float32), attributes, float32)
    for seed, grain in enumerate((None, 1, 3, 10**6)):
        got = _run(op, given, _empty(outputs, float32), attributes, float32, (seed, grain))
        assert all(same_bits(a, b) for a, b in zip(want, got))


@each_case
@pytest.mark.parametrize("at_end", [True, False], ids=["end", "begin"])
def test_nothing_outside_is_touched(op, inputs, outputs, attributes, at_end):
    for dtype in ("float32", "float64"):
        kind = as_dtype(dtype)
        given = _given(inputs, kind)
        want = _run(op, given, _empty(outputs, kind), attributes, kind)
        results = [guarded(a, at_end) for a in _empty(outputs, kind)]
        _run(op, [guarded(a, at_end) for a in given], results, attributes, kind)
        assert all(same_bits(a, b) for a, b in zip(want, results))


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_threads_give_the_same_bits(threads):
    """Through the executor, forward and gradients."""
    random = np.random.default_rng(2)
    x, w = (Tensor(random.standard_normal(shape).astype(np.float32)) for shape in ((16, 24, 40, 9), (24,)))
    rows, v = (Tensor(random.standard_normal(shape).astype(np.float32)) for shape in ((700, 130), (130,)))
    kernel = Tensor(random.standard_normal((24, 1, 3, 3)).astype(np.float32))

    def everything(x, w, rows, v, kernel):
        y = ops.batch_norm(ops.conv2d(x, kernel, groups=24, pad_mode="same"), None, None, w, w, True)
        y = ops.avg_pool2d(ops.max_pool2d(ops.group_norm(y, 6, w), 2), 3, 2)
        return (y * y).sum() + (ops.layer_norm(rows, (130,), v, v) * ops.rms_norm(rows, v)[0]).sum()

    def results():
        value, gradients = anfora.value_and_grad(everything, (0, 1, 2, 3, 4))(x, w, rows, v, kernel)
        return [np.ascontiguousarray(t.asnumpy()) for t in (value, *gradients)]

    before = anfora.kernel.executor.get_num_threads()
    try:
        anfora.kernel.executor.set_num_threads(1)
        want = results()
        anfora.kernel.executor.set_num_threads(threads)
        assert all(same_bits(a, b) for a, b in zip(want, results()))
    finally:
        anfora.kernel.executor.set_num_threads(before)


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
@pytest.mark.parametrize("shape", [(4, 3), (4, 3, 5), (6, 3, 4, 7)], ids=str)
def test_running_moments_follow_those_of_the_batch(shape, dtype):
    random = np.random.default_rng(3)
    x = random.normal(2, 3, shape)
    kind = getattr(anfora, dtype)
    own = anfora.float64 if dtype == "float64" else anfora.float32
    mean, variance = Tensor(np.array([1.0, 2.0, 3.0]), own), Tensor(np.array([1.0, 0.5, 2.0]), own)
    held = Tensor(x, kind)
    out = ops.batch_norm(held, mean, variance, None, None, training=True, momentum=0.25)
    seen, axes = held.asnumpy().astype(np.float64), (0, *range(2, len(shape)))
    tol = 1e-12 if dtype == "float64" else 2e-6
    want = 0.75 * np.array([1.0, 2.0, 3.0]) + 0.25 * seen.mean(axes)
    np.testing.assert_allclose(mean.asnumpy(), want, rtol=tol, atol=tol)
    want = 0.75 * np.array([1.0, 0.5, 2.0]) + 0.25 * seen.var(axes, ddof=1)
    np.testing.assert_allclose(variance.asnumpy(), want, rtol=tol, atol=tol)
    assert out.dtype is kind
    before = mean.asnumpy().copy()
    ops.batch_norm(held, mean, variance, None, None)
    np.testing.assert_array_equal(mean.asnumpy(), before)


def test_moments_are_exact_where_the_mean_is_large():
    """A variance from a difference of large sums would be lost here."""
    x = (1e4 + np.random.default_rng(4).standard_normal((8, 3, 700))).astype(np.float32)
    _, mean, variance = normalization.channel_norm(Tensor(x), None, None, 0, 1e-5)
    np.testing.assert_allclose(mean.asnumpy(), x.astype(np.float64).mean((0, 2)), rtol=1e-7)
    np.testing.assert_allclose(variance.asnumpy(), x.astype(np.float64).var((0, 2)), rtol=1e-6)
