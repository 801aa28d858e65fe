"""Random numbers: our generator's, or those of a seed."""

from __future__ import annotations

import numpy as np

from anfora import ops
from anfora.core import dtype as dt
from anfora.core.tensor import Tensor
from anfora.onnx.table import dtype_of, reads


def _uniform(shape, seed):
    return (
        ops.rand(*shape) if seed is None else Tensor(np.random.RandomState(int(seed)).uniform(0, 1, shape), dt.float32)
    )


def _normal(shape, seed):
    if seed is None:
        return ops.randn(*shape)
    return Tensor(np.random.RandomState(int(seed)).standard_normal(shape), dt.float32)


@reads("RandomUniform")
def random_uniform(*, shape, dtype=1, high=1.0, low=0.0, seed=None):
    return ops.cast(_uniform(shape, seed) * (high - low) + low, dtype_of(dtype))


@reads("RandomUniformLike")
def random_uniform_like(input, *, dtype=None, high=1.0, low=0.0, seed=None):
    kind = input.dtype if dtype is None else dtype_of(dtype)
    return ops.cast(_uniform(input.shape, seed) * (high - low) + low, kind)


@reads("RandomNormal")
def random_normal(*, shape, dtype=1, mean=0.0, scale=1.0, seed=None):
    return ops.cast(_normal(shape, seed) * scale + mean, dtype_of(dtype))


@reads("RandomNormalLike")
def random_normal_like(input, *, dtype=None, mean=0.0, scale=1.0, seed=None):
    kind = input.dtype if dtype is None else dtype_of(dtype)
    return ops.cast(_normal(input.shape, seed) * scale + mean, kind)


@reads("Bernoulli")
def bernoulli(input, *, dtype=None, seed=None):
    kind = input.dtype if dtype is None else dtype_of(dtype)
    return ops.cast(_uniform(input.shape, seed) < ops.cast(input, dt.float32), kind)


@reads("Multinomial")
def multinomial(input, *, dtype=6, sample_size=1, seed=None):
    chances = ops.softmax(ops.cast(input, dt.float64), -1)
    upto = ops.expand_dims(ops.cumsum(chances, -1), 1)  # (N, 1, classes)
    drawn = ops.expand_dims(ops.cast(_uniform((input.shape[0], sample_size), seed), dt.float64), 2)
    place = ops.reduce_sum(ops.cast(drawn > upto, dt.int64), -1)
    return ops.cast(ops.minimum(place, input.shape[1] - 1), dtype_of(dtype))
