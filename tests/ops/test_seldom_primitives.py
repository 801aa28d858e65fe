"""Class forms of operators that few programs use: values printed by MindSpore 2.10, or of their definition."""

import math

import numpy as np
import pytest

import anfora as ms
from anfora import Tensor, ops

X = np.arange(12, dtype=np.float32).reshape(3, 4)
VOLUME = np.arange(108, dtype=np.float32).reshape(1, 4, 3, 3, 3)
SCORES = np.array([[[0.3, 0.9, 0.1], [0.2, 0.5, 0.4], [0.8, 0.7, 0.6]]] * 2, np.float32).reshape(1, 1, 2, 3, 3)


def T(values, dtype=None):
    return Tensor(np.array(values), dtype)


LEAST = float(np.finfo(np.float32).min)
EDITS = (
    [[0, 0, 0], [1, 0, 1], [1, 1, 1]], [1, 2, 3], [2, 2, 2],
    [[0, 1, 0], [0, 0, 0], [1, 1, 0], [1, 0, 1]], [1, 2, 1, 2], [2, 2, 2],
)  # fmt: skip
NGRAM = np.zeros((1, 1, 7), np.float32)
NGRAM[0, 0, [1, 5]] = LEAST

#: (class, arguments of the class, of the call, the result or its parts)
FORMS = [
    ("BartlettWindow", (), (T(5, ms.int32),), [0, 0.4, 0.8, 0.8, 0.4]),
    ("BlackmanWindow", (), (T(5, ms.int32),), [0, 0.20077014, 0.8492299, 0.8492299, 0.20077014]),
    ("HammingWindow", (), (T([5], ms.int64),), [0.08, 0.3978522, 0.9121478, 0.9121478, 0.3978522]),
    ("HammingWindow", (False, 0.5, 0.5), (T([3], ms.int64),), [0, 1, 0]),
    ("STFT", (4, 2, 4, False, True, False), (T(range(1, 9), ms.float32), T([1.0] * 4, ms.float32)),
     [[[10, 0], [18, 0], [26, 0]], [[-2, 2]] * 3, [[-2, 0]] * 3]),
    ("CompareAndBitpack", (), (T(np.arange(16).reshape(2, 8), ms.float32), T(4.0, ms.float32)), [[7], [255]]),
    ("DiagPart", (), (T(np.arange(16).reshape(2, 2, 2, 2)),), [[0, 5], [10, 15]]),
    ("Eps", (), (T([1.0], ms.float16),), [2.0**-10]),
    ("Eps", (), (T([1.0], ms.float64),), [2.0**-52]),
    ("Histogram", (3,), (T([1.0, 2, 1, 5], ms.float32),), [3, 0, 1]),
    ("NuclearNorm", (), (T(X),), 24.364635),
    ("NuclearNorm", ((0, 1), True), (T(X),), [[24.364635]]),
    ("PadV3", (), (T([[1.0]]), T([1, 0, 0, 1]), T(9.0)), [[9, 1], [9, 9]]),
    ("PadV3", ("reflect",), (T(X[None, :1]), T([1, 2])), [[[1, 0, 1, 2, 3, 2, 1]]]),
    ("PadV3", ("edge", False), (T([[[[1.0], [2.0]]]]), T([1, 2, 0, 1])), [[[[1, 1], [1, 1], [1, 1], [2, 2], [2, 2]]]]),
    ("ParallelConcat", (), ([T([[1.0]]), T([[2.0]])],), [[1], [2]]),
    ("ResizeArea", (), (T(X[None, ..., None]), T([2, 2])),
     np.array([1.8333334, 3.8333335, 7.166667, 9.166667]).reshape(1, 2, 2, 1)),
    ("ResizeArea", (True,), (T(X[None, ..., None]), T([2, 3])),
     np.array([2.3333335, 3.6666667, 5.0, 8.333334, 9.666667, 11.0]).reshape(1, 2, 3, 1)),
    ("ResizeArea", (), (T([[[[0.0]], [[3.0]]]]), T([3, 1])), np.array([0, 1.5, 3]).reshape(1, 3, 1, 1)),
    ("MaxPool3DWithArgmax", (2, 1, 0), (T(SCORES),), ([[[[[0.9, 0.9], [0.8, 0.7]]]]], [[[[[1, 1], [6, 7]]]]])),
    ("FractionalMaxPoolWithFixedKsize", (2, (2, 2)), (T(X[None, None]), T([[[0.3, 0.7]]], ms.float32)),
     ([[[[5, 7], [9, 11]]]], [[[[5, 7], [9, 11]]]])),
    ("FractionalMaxPool3DWithFixedKsize", (2, (1, 2, 2)), (T(SCORES), T([[[0.3, 0.7, 0.5]]], ms.float32)),
     ([[[[[0.9, 0.9], [0.8, 0.7]]]]], [[[[[1, 1], [6, 7]]]]])),
    ("MatrixSolveLs", (), (T(X[:, :2]), T(X), T(0.5, ms.float64)),
     np.linalg.solve(X[:, :2].T @ X[:, :2] + 0.5 * np.eye(2), X[:, :2].T @ X)),
    ("EditDistance", (False,), tuple(map(T, EDITS)), [[1, 1], [0, 1]]),
    ("EditDistance", (), (T([[0, 0], [0, 1], [0, 2]]), T([1, 2, 3]), T([1, 3]), T([[0, 0], [0, 1]]), T([1, 3]), T([1, 2])),
     [0.5]),
    ("NoRepeatNGram", (3,), (T([[[1, 2, 1, 2, 5, 1, 2]]]), T(np.zeros((1, 1, 7)), ms.float32)), NGRAM),
    ("Coalesce", (), (T([[0, 0, 1], [1, 1, 2]]), T([1.0, 2, 3]), T([3, 3])), ([[0, 1], [1, 2]], [3, 3], [3, 3])),
    ("SparseSlice", (), (T([[0, 1], [1, 2], [1, 3], [2, 4]]), T([1.0, 2, 3, 4]), T([3, 5]), T([0, 1]), T([2, 3])),
     ([[0, 0], [1, 1], [1, 2]], [1, 2, 3], [2, 3])),
    ("SparseTensorDenseAdd", (), (T([[0, 0], [0, 1]]), T([1.0, 1]), T([2, 2]), T(np.ones((2, 2)))), [[2, 2], [1, 1]]),
    ("SparseTensorDenseMatmul", (), (T([[0, 1], [1, 2]]), T([1.0, 2]), (3, 4), T(np.ones((4, 2)))),
     [[1, 1], [2, 2], [0, 0]]),
    ("SparseTensorDenseMatmul", (True, True), (T([[0, 1], [1, 2]]), T([1.0, 2]), (3, 4), T([[1.0, 2, 3]])),
     [[0], [1], [4], [0]]),
    ("LerpScalar", (), (T([1.0]), T([3.0]), 0.5), [2]),
]  # fmt: skip


@pytest.mark.parametrize("mode", ["plain", "compiled"])
@pytest.mark.parametrize(
    ("name", "made", "called", "expected"), FORMS, ids=[f"{n}-{i}" for i, (n, *_) in enumerate(FORMS)]
)
def test_value(name, made, called, expected, mode):
    form = getattr(ops, name)(*made)
    run = ms.jit(lambda *given: form(*given)) if mode == "compiled" else form
    results = run(*called)
    parts = expected if isinstance(expected, tuple) else (expected,)
    for result, wanted in zip(results if isinstance(results, tuple) else (results,), parts, strict=True):
        np.testing.assert_allclose(result.asnumpy(), wanted, rtol=1e-5, atol=1e-5)


def test_volumes():
    patches = ops.ExtractVolumePatches([1, 1, 2, 2, 2], [1, 1, 1, 1, 1], "VALID")(T(VOLUME)).asnumpy()
    for at in np.ndindex(2, 2, 2):
        window = VOLUME[0][(slice(None), *(slice(a, a + 2) for a in at))]
        np.testing.assert_array_equal(patches[(0, slice(None), *at)], window.reshape(4, 8).T.ravel())
    padded = ops.ExtractVolumePatches([1, 1, 2, 2, 2], [1, 1, 2, 2, 2], "SAME")(T(VOLUME)).asnumpy()
    assert padded.shape == (1, 32, 2, 2, 2)
    np.testing.assert_array_equal(padded[0, :, 1, 1, 1], [26, 53, 80, 107, *[0] * 28])


def test_assert():
    assert ops.Assert()(T(True), [T(X)]).shape == ()
    with pytest.raises(ms.AnforaError, match=r"Assert: the condition is false\ninput data: \[0\. 1\.\]"):
        ops.Assert(2)(T(False), [T(X)])


def test_inplace_index_add():
    var = ms.Parameter(T(X))
    ops.InplaceIndexAdd(0)(var, T([0, 1]), T(X[:2]))
    np.testing.assert_array_equal(var.asnumpy(), X + np.vstack([X[:2], 0 * X[:1]]))


def test_steps():
    var, total, squares = (ms.Parameter(T(v, ms.float32)) for v in ([1, 2], [1, 1], [1, 1]))
    ops.ApplyAdagradDA()(var, total, squares, T([0.5, 0.5], ms.float32), 0.1, 0.1, 0.1, 2)
    np.testing.assert_allclose(var.asnumpy(), [-0.114232086] * 2, rtol=1e-6)  # as MindSpore has it
    var, m, v = (ms.Parameter(T(each, ms.float32)) for each in ([1, 2], [1, 1], [1, 1]))
    ops.AdamWeightDecay()(var, m, v, 0.1, 0.9, 0.99, 1e-8, 0.1, T([0.5, 0.5], ms.float32))
    step = 0.95 / math.sqrt(0.99 + 0.01 * 0.25)
    np.testing.assert_allclose(var.asnumpy(), [1 - 0.1 * (step + 0.1), 2 - 0.1 * (step + 0.2)], rtol=1e-6)


@pytest.mark.parametrize("name", ["LogUniformCandidateSampler", "UniformCandidateSampler"])
def test_candidates(name):
    true = T([[1, 7], [0, 2]])
    drawn, of_true, _ = getattr(ops, name)(2, 8, True, 8, 3)(true)
    assert sorted(drawn.tolist()) == list(range(8)) and of_true.shape == (2, 2)
    again, *_ = getattr(ops, name)(2, 8, True, 8, 3)(true)
    assert again.tolist() == drawn.tolist()
    _, expected, _ = getattr(ops, name)(2, 4, False, 8)(true)
    classes = true.asnumpy()
    share = np.log((classes + 2) / (classes + 1)) / np.log(9) if name[0] == "L" else np.full((2, 2), 1 / 8)
    np.testing.assert_allclose(expected.asnumpy(), 4 * share, rtol=1e-5)
    with pytest.raises(ms.AnforaError, match="8 classes have no 9 different ones"):
        getattr(ops, name)(2, 9, True, 8)


def test_log_uniform_candidates_have_their_distribution():
    drawn, _, _ = ops.LogUniformCandidateSampler(1, 20000, False, 8, 5)(T([[0]]))
    shares = np.bincount(drawn.asnumpy(), minlength=8) / 20000
    np.testing.assert_allclose(shares, np.log(np.arange(2, 10) / np.arange(1, 9)) / np.log(9), atol=0.015)


def test_random_numbers():
    ms.set_seed(1)
    drawn = ops.ParameterizedTruncatedNormal(1)(
        T([2, 4000]), *(T(v, ms.float32) for v in ([0, 5], [1, 2], [-1, 5], [1, 9]))
    )
    low, high = drawn.asnumpy()
    assert low.min() >= -1 and low.max() <= 1 and abs(low.mean()) < 0.05
    assert high.min() >= 5 and high.max() <= 9 and 6 < high.mean() < 7
    assert sorted(ops.RandpermV2()(6).tolist()) == list(range(6))
    assert ops.NonDeterministicInts()(T([2, 3])).shape == (2, 3)
    assert sorted(ops.MultinomialWithReplacement(3)(T([1.0, 1, 1]), T(1), T(0)).tolist()) == [0, 1, 2]
    median = np.median(ops.Cauchy([4001], 2.0, 0.5)().asnumpy())
    assert abs(median - 2) < 0.05
    logs = np.log(ops.LogNormalReverse(1.0, 2.0)(T(np.zeros(4000), ms.float32)).asnumpy())
    assert abs(logs.mean() - 1) < 0.15 and abs(logs.std() - 2) < 0.15


def test_the_logarithm_of_matrices():
    def logarithm(x):
        return ops.MatrixLogarithm()(Tensor(np.asarray(x, np.complex128))).asnumpy()

    # as MindSpore has them
    np.testing.assert_allclose(
        logarithm([[1, 0.1], [0.2, 2]]),
        [[-0.006169049535072784, 0.06954349437765897], [0.13908698875531794, 0.6892658942415171]], rtol=1e-12,
    )  # fmt: skip
    np.testing.assert_allclose(logarithm([[0, 1], [-1, 0]]), np.pi / 2 * np.array([[0, 1], [-1, 0]]), atol=1e-14)
    # Jordan's blocks, which have no basis of eigenvectors: log λ, 1 / λ, -1 / (2 λ²)
    for value in (1.0, -1.0, 1j, -2.0 - 1e-3j, 1e8):
        block = np.diag([value] * 3) + np.diag([1.0, 1.0], 1)
        expected = np.diag([np.log(complex(value))] * 3) + np.diag([1 / value] * 2, 1) + np.diag([-0.5 / value**2], 2)
        np.testing.assert_allclose(logarithm(block), expected, rtol=1e-12, atol=1e-12)
    # the angles of numbers on the negative half of the axis are π, beside it as they are
    for angles in ([np.pi, -3.1, 0.5, 2.0], [np.pi, np.pi, -1.0, 1.0], [-3.0, 3.0, 0.0, 1.5]):
        values = np.exp(1j * np.array(angles)) * [1, 2, 3, 4]
        values = np.where(np.array(angles) == np.pi, values.real, values)
        v = np.random.default_rng(0).standard_normal((4, 4))
        x = (v * values) @ np.linalg.inv(v)
        expected = (v * (np.log([1, 2, 3, 4]) + 1j * np.array(angles))) @ np.linalg.inv(v)
        np.testing.assert_allclose(logarithm(x), expected, rtol=1e-9, atol=1e-9)
    assert logarithm(np.zeros((2, 0, 0))).shape == (2, 0, 0)
    for wrong, error, words in (
        (np.zeros((2, 2), complex), ValueError, "eigenvalue of zero"),
        (np.ones((2, 3), complex), ValueError, "square"),
        (np.full((2, 2), np.nan + 0j), ValueError, "finite"),
        (np.ones((2, 2)), TypeError, "complex"),
    ):
        with pytest.raises(error, match=words):
            ops.MatrixLogarithm()(Tensor(wrong))
