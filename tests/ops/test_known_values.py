"""Values that torch and MindSpore agree on and that are easily got wrong: fill values of another kind, defaults of the
forms of `mint`, sums of narrow integers, parameters that no distribution has. Each program is run four times, in both
modes: what the first call gives, all give."""

from __future__ import annotations

import math

import numpy as np
import pytest

import anfora as ms
from anfora import Tensor, jit, mint, nn, ops
from anfora.core.errors import OpValueError

F = mint.nn.functional
WHOLE = Tensor(np.arange(4).reshape(1, 2, 2))
ROWS = Tensor(np.arange(6.0, dtype=np.float32).reshape(1, 2, 3))
TINY = Tensor(np.array([[0, 1e-3]], np.float32))
BYTES = Tensor(np.array([100, 120, 17], np.int8))
#: (x - mean) / sqrt(variance + 1e-5) of 0 … 5, and of 0 … 2
OF_SIX = [[[-1.46385, -0.87831, -0.29277], [0.29277, 0.87831, 1.46385]]]
OF_THREE = [[[-1.22474, 0.0, 1.22474]] * 2]


def padded(dtype, value):
    """Three columns of a padded row, by the function and by both layers."""
    x = WHOLE.astype(dtype)
    layers = nn.ConstantPad1d((1, 1), value), mint.nn.ConstantPad1d((1, 1), value)
    return [F.pad(x, (1, 1), "constant", value)[0, 0], *(layer(x)[0, 0] for layer in layers)]


def gradient_of_embedding():
    layer = mint.nn.Embedding(num_embeddings=4, embedding_dim=2, padding_idx=1)
    return ms.grad(lambda i: layer(i).sum(), None, layer.trainable_params())(Tensor([[1, 2], [3, 1]]))[0]


def cross_entropy_of_probabilities():
    return F.cross_entropy(Tensor(np.zeros((2, 3, 2), "f4")), Tensor(np.full((2, 3, 2), 1 / 3, "f4")))


#: (name, program, what it gives)
PROGRAMS = [
    *[
        (f"pad {dtype} {value}", lambda dtype=dtype, value=value: padded(dtype, value), [[fill, 0, 1, fill]] * 3)
        for dtype in (ms.int64, ms.int32, ms.int8, ms.uint8)
        for value, fill in ((3.0, 3), (2, 2), (3.7, 3))
    ],
    ("pad below zero", lambda: padded(ms.int32, -1.0), [[-1, 0, 1, -1]] * 3),
    ("pad bool", lambda: padded(ms.bool_, 3.0), [[1, 0, 1, 1]] * 3),
    ("cross_entropy", cross_entropy_of_probabilities, math.log(3)),  # the mean is over N · d1, as of indices
    ("LayerNorm of two axes", lambda: mint.nn.LayerNorm((2, 3))(ROWS), OF_SIX),
    ("LayerNorm of one axis", lambda: mint.nn.LayerNorm(3)(ROWS), OF_THREE),
    ("LayerNorm eps", lambda: mint.nn.LayerNorm((3,), eps=1e-5)(ROWS), OF_THREE),
    ("LayerNorm default eps", lambda: mint.nn.LayerNorm((2,))(TINY), [[-0.1561738, 0.1561738]]),
    ("GELU", lambda: mint.nn.GELU()(Tensor([1.0, 2.0])), [(1 + math.erf(x / math.sqrt(2))) * x / 2 for x in (1, 2)]),
    ("GELU tanh", lambda: mint.nn.GELU("tanh")(Tensor([1.0, 2.0])), [0.841192, 1.9545977]),
    ("Embedding", gradient_of_embedding, [[0, 0], [0, 0], [1, 1], [1, 1]]),
    ("leaky_relu", lambda: F.leaky_relu(Tensor([-1.0])), [-0.01]),
    ("smooth_l1_loss", lambda: F.smooth_l1_loss(ROWS, ROWS * 0), (0.5 + 1.5 + 2.5 + 3.5 + 4.5) / 6),
    ("avg_pool1d", lambda: F.avg_pool1d(ROWS, 2), [[[0.5], [3.5]]]),
    ("avg_pool3d", lambda: F.avg_pool3d(ops.ones((1, 1, 4, 4, 4)), 2), np.ones((1, 1, 2, 2, 2))),
    ("sums of int8", lambda: [mint.nansum(BYTES), BYTES.sum(), mint.sum(BYTES), mint.cumsum(BYTES, 0)[2]], [237] * 4),
    ("logit of uint8", lambda: ops.logit(Tensor(np.array([2, 3], np.uint8))), [math.nan] * 2),
    ("vector_norm", lambda: mint.linalg.vector_norm(Tensor(np.array([8.5], np.float16)), 6), 8.5),
    ("tensor_split", lambda: ops.tensor_split(Tensor(np.arange(5)), Tensor([3]))[1], [3, 4]),
    ("where", lambda: [ops.where(c, Tensor([1, 2, 3]), -1) for c in (2.5, 0.5)], [[1, 2, 3]] * 2),
    ("random_poisson", lambda: ops.random_poisson((2,), Tensor(1e30)), [1e30, 1e30]),
]


@pytest.mark.parametrize("program, right", [pytest.param(*row[1:], id=row[0]) for row in PROGRAMS])
def test_each_call_gives_what_is_known(program, right):
    for run in (program, jit(program)):
        for _ in range(4):
            given = run()
            found = [np.asarray(part.tolist()) for part in (given if isinstance(given, list) else [given])]
            wanted = [np.asarray(part) for part in (right if isinstance(given, list) else [right])]
            for one, other in zip(found, wanted, strict=True):
                assert one.shape == other.shape
                np.testing.assert_allclose(one.astype(float), other, rtol=2e-6, atol=5e-6)


@pytest.mark.parametrize(
    "alpha, shown", [(math.inf, "inf"), (math.nan, "nan"), (1e300, "inf"), (0.0, "0.0"), (-1.0, "-1.0")]
)
def test_parameters_that_no_distribution_has_are_refused(alpha, shown):
    def program():
        return ops.gamma((2,), Tensor(alpha), Tensor(1.0))

    for run in (program, jit(program)):
        for _ in range(2):
            with pytest.raises(OpValueError, match=f"`alpha` must be positive and finite, but is {shown}"):
                run()
