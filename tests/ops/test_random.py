"""Random numbers: the generator, the distributions, the functions of users, and that threads change nothing."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats as stats
from rows_random import philox, ref_sample

import anfora
from anfora import Tensor, ops
from anfora.core import random as streams
from anfora.core.op import registry
from anfora.ops.random import sample

N = 100_000
ONES = 2**32 - 1


@pytest.mark.parametrize(
    "counter, key, words",
    [
        ([0] * 4, [0] * 2, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ([ONES] * 4, [ONES] * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        (
            [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
            [0xA4093822, 0x299F31D0],
            "d16cfe09 94fdcceb 5001e420 24126ea1",
        ),
    ],
)
def test_reference_is_philox(counter, key, words):
    """The known answers of Random123; the op table compares the kernels with this reference."""
    assert [f"{int(word):08x}" for word in philox(counter, key)] == words.split()


@pytest.mark.parametrize(
    "kind, tol", [("uniform", 3e-7), ("normal", 3e-6), ("truncated", 3e-6), ("laplace", 3e-6), ("exponential", 3e-6)]
)
@pytest.mark.parametrize("dtype, factor", [("float32", 1), ("float64", 1e-8)])
def test_numbers_are_the_references(kind, tol, dtype, factor):
    found = sample(99, 32, kind, (500,), 1.0, 2.0, dtype).asnumpy()
    np.testing.assert_allclose(
        found, ref_sample(99, 32, kind, (500,), 1.0, 2.0, dtype), atol=tol * factor, rtol=tol * factor
    )


DISTRIBUTIONS = {
    "uniform": (lambda: ops.uniform((N,), -1.0, 3.0, seed=1), stats.uniform(-1, 4)),
    "rand": (lambda: ops.rand(N, seed=2, dtype=anfora.float64), stats.uniform()),
    "normal": (lambda: ops.normal((N,), 2.0, 3.0, seed=3), stats.norm(2, 3)),
    "randn": (lambda: ops.randn(N, seed=4, dtype=anfora.float64), stats.norm()),
    "truncated": (lambda: ops.truncated_normal(N, 1.0, 2.0, seed=5), stats.truncnorm(-2, 2, 1, 2)),
    "exponential": (lambda: ops.exponential(N, 2.0, seed=6), stats.expon(scale=0.5)),
    "laplace": (lambda: ops.laplace((N,), 1.0, 2.0, seed=7), stats.laplace(1, 2)),
    "laplace64": (lambda: ops.laplace((N,), Tensor(1.0, anfora.float64), 2.0, seed=7), stats.laplace(1, 2)),
    "gamma-small": (lambda: ops.gamma((N,), 0.3, 2.0, seed=8), stats.gamma(0.3, scale=0.5)),
    "gamma": (lambda: ops.gamma((N,), 7.5, 1.0, seed=9), stats.gamma(7.5)),
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_distribution(name):
    draw, wanted = DISTRIBUTIONS[name]
    x = draw().asnumpy().astype(np.float64)
    assert stats.kstest(x, wanted.cdf).pvalue > 1e-3
    assert abs(x.mean() - wanted.mean()) < 4 * wanted.std() / np.sqrt(N)


@pytest.mark.parametrize(
    "counts, weights",
    [
        (lambda: ops.randint(-3, 7, (N,), seed=1).asnumpy() + 3, np.ones(10)),
        (lambda: ops.uniform((N,), 0, 5, seed=1, dtype=anfora.int32).asnumpy(), np.ones(5)),
        (lambda: ops.multinomial(Tensor([1.0, 0.0, 3.0, 4.0]), N, seed=2).asnumpy(), np.array([1, 0, 3, 4])),
        (
            lambda: ops.multinomial(ops.broadcast_to(Tensor([1.0, 2.0, 3.0]), (N, 3)), 1, False, 3).asnumpy()[:, 0],
            np.array([1, 2, 3]),
        ),
        (lambda: ops.random_categorical(Tensor([[0.0, 1.0, -1.0]]), N, 4).asnumpy()[0], np.exp([0, 1, -1])),
        (lambda: ops.bernoulli(ops.zeros(N), 0.3, seed=5).asnumpy().astype(int), np.array([0.7, 0.3])),
        (lambda: np.array([[0, 0, 1, 2, 0, 3, 0, 4, 5][int(c)] for c in _first_of_permutations()]), np.ones(6)),
    ],
)
def test_frequencies(counts, weights):
    found = np.bincount(counts(), minlength=len(weights))
    assert found[weights == 0].sum() == 0
    found, weights = found[weights > 0], weights[weights > 0]
    assert stats.chisquare(found, found.sum() * weights / weights.sum()).pvalue > 1e-3


def _first_of_permutations():
    """Each of the six orders of three things as a number from 2 to 8 … by its place in base 3."""
    orders = [ops.randperm(3, seed=i + 1).tolist() for i in range(600)]
    known = {(0, 1, 2): 1, (0, 2, 1): 2, (1, 0, 2): 3, (1, 2, 0): 5, (2, 0, 1): 7, (2, 1, 0): 8}
    return [known[tuple(order)] for order in orders]


@pytest.mark.parametrize("mean", [0.2, 9.9, 10.0, 80.0, 4000.0])
def test_poisson(mean):
    x = ops.poisson((N,), mean, seed=11).asnumpy().astype(int)
    numbers = np.arange(x.max() + 2)
    expected = stats.poisson(mean).pmf(numbers) * N
    common = expected > 20
    found = np.bincount(x, minlength=len(numbers))
    observed = [*found[common], found[~common].sum()]
    assert stats.chisquare(observed, [*expected[common], N - expected[common].sum()]).pvalue > 1e-3


@pytest.mark.parametrize("code, bound", [("float16", 1.0), ("bfloat16", 1.0), ("float32", 1.0)])
def test_half_open_interval_stays_open(code, bound):
    x = ops.rand(N, dtype=code, seed=3).asnumpy()
    assert x.min() >= 0 and x.max() < bound
    close = ops.uniform((1000,), 1.0, np.nextafter(np.float32(1), np.float32(2)).item(), seed=1).asnumpy()
    assert (close == 1).all()


CALLS = {
    "uniform": lambda: ops.uniform((70, 3), 0, 1),
    "normal": lambda: ops.normal((3,), Tensor([1.0, 2.0, 3.0]), 1.0),
    "rand": lambda: ops.rand(3, 70),
    "rand_like": lambda: ops.rand_like(ops.zeros((5,))),
    "randn": lambda: ops.randn(3, 70),
    "randn_like": lambda: ops.randn_like(ops.zeros((5,), anfora.float64)),
    "standard_normal": lambda: ops.standard_normal((4, 5)),
    "standard_laplace": lambda: ops.standard_laplace((4, 5)),
    "randint": lambda: ops.randint(0, 1000, (9,)),
    "randint_like": lambda: ops.randint_like(ops.zeros(9, anfora.int32), 0, 1000),
    "randperm": lambda: ops.randperm(30),
    "shuffle": lambda: ops.shuffle(ops.arange(30)),
    "multinomial": lambda: ops.multinomial(ops.ones(30), 20, False),
    "random_gamma": lambda: ops.random_gamma((4,), Tensor([1.0, 2.0])),
    "random_poisson": lambda: ops.random_poisson((40,), Tensor([1.0, 20.0])),
    "random_categorical": lambda: ops.random_categorical(ops.zeros((2, 50)), 20),
    "choice_with_mask": lambda: ops.choice_with_mask(ops.ones((9, 9), anfora.bool_), 20)[0],
    "bernoulli": lambda: ops.bernoulli(ops.zeros(99)),
    "dropout": lambda: ops.dropout(ops.ones(99)),
    "dropout2d": lambda: ops.dropout2d(ops.ones((4, 9, 2, 2))),
}


@pytest.mark.parametrize("name", CALLS)
def test_seed_decides(name):
    call = CALLS[name]
    anfora.set_seed(5)
    first, second = call().asnumpy(), call().asnumpy()
    anfora.set_seed(5)
    again = call().asnumpy()
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, second)  # the generator has moved on


def test_a_seed_given_to_a_function_leaves_the_generator_alone():
    before = streams.default_generator.get_state().tolist()
    np.testing.assert_array_equal(ops.rand(5, seed=3).asnumpy(), ops.rand(5, seed=3).asnumpy())
    assert streams.default_generator.get_state().tolist() == before
    assert ops.rand(2, seed=2**64 - 1).shape == (2,)


def test_two_draws_are_two_parts_of_one_stream():
    one = streams.Generator().manual_seed(9)
    parts = np.concatenate([ops.rand(64, seed=one).asnumpy(), ops.rand(64, seed=one).asnumpy()])
    np.testing.assert_array_equal(parts, ops.rand(128, seed=9).asnumpy())


@pytest.mark.parametrize(
    "call",
    [
        lambda: ops.rand(300_000, seed=1),
        lambda: ops.randn(300_000, seed=1, dtype=anfora.float64),
        lambda: ops.gamma((20_000,), 0.7, 1.0, seed=1),
        lambda: ops.dropout(ops.ones(300_000), seed=1),
        lambda: ops.multinomial(ops.ones((2000, 5)), 2, False, seed=1),
    ],
)
def test_threads_change_no_bit(call):
    results = []
    for threads in (1, 2, 5):
        anfora.set_num_threads(threads)
        results.append(call().asnumpy())
    anfora.set_num_threads(2)
    for other in results[1:]:
        np.testing.assert_array_equal(results[0], other)


def test_results_have_the_shapes_of_mindspore():
    assert ops.normal((3, 1, 2), Tensor([[3.0, 4.0], [5.0, 6.0]]), 1.0).shape == (3, 2, 2)
    assert ops.uniform((3, 1, 2), Tensor([[3.0], [5.0]]), 7.0).shape == (3, 2, 2)
    assert ops.gamma((3, 1, 2), Tensor([[3.0, 4.0], [5.0, 6.0]]), Tensor([1.0])).shape == (3, 2, 2)
    assert ops.random_gamma((2,), Tensor([[3.0, 4.0]])).shape == (2, 1, 2)
    assert ops.rand((2, 3)).shape == ops.rand(2, 3).shape == (2, 3) and ops.rand().shape == ()
    assert ops.rand(0, 3).shape == (0, 3) and ops.randperm(0).shape == (0,)
    assert ops.uniform((2,), Tensor([1, 5]), Tensor([2, 6]), dtype=anfora.int32).tolist() == [1, 5]
    assert ops.bernoulli(ops.zeros((2, 2)), Tensor([0.0, 1.0])).tolist() == [[0.0, 1.0], [0.0, 1.0]]


def test_place_and_width_have_gradients():
    mean, deviation = Tensor([1.0, 2.0]), Tensor(3.0)
    g_mean, g_deviation = anfora.grad(lambda m, s: ops.normal((4, 2), m, s, seed=1).sum(), (0, 1))(mean, deviation)
    assert g_mean.tolist() == [4.0, 4.0]
    np.testing.assert_allclose(g_deviation.item(), ops.standard_normal((4, 2), seed=1).asnumpy().sum(), rtol=1e-5)


def test_channels_drop_together():
    x = ops.dropout2d(ops.ones((8, 16, 3, 3)), 0.25).asnumpy()
    assert set(np.unique(x)) <= {0.0, np.float32(1 / 0.75)}
    assert (x == x[:, :, :1, :1]).all() and 0 < (x == 0).mean() < 1
    assert ops.dropout1d(ops.ones((3, 4)), 1.0).asnumpy().sum() == ops.dropout3d(ops.ones((1,) * 5), 1.0).item() == 0


def test_choice_with_mask():
    mask = np.zeros((4, 5), bool)
    mask[[0, 1, 3], [2, 4, 0]] = True
    index, chosen = (t.asnumpy() for t in ops.choice_with_mask(Tensor(mask), 5))
    assert chosen.tolist() == [True, True, True, False, False] and index.dtype == np.int32
    assert {tuple(i) for i in index[:3].tolist()} == {(0, 2), (1, 4), (3, 0)} and not index[3:].any()
    assert ops.choice_with_mask(Tensor(mask), 2)[0].shape == (2, 2)
    assert ops.choice_with_mask(Tensor(np.zeros((2, 2), bool)), 2)[1].tolist() == [False, False]


def test_random_operators_say_so():
    assert {name for name, found in registry.items() if found.is_random} >= {
        "sample", "drop", "shuffled", "choose", "sample_gamma", "sample_poisson",
    }  # fmt: skip


@pytest.mark.parametrize(
    "call, error, match",
    [
        (lambda: ops.rand(-1), ValueError, "negative"),
        (lambda: ops.rand(2.5), TypeError, "integers"),
        (lambda: ops.rand(2, dtype="int32"), TypeError, "floating-point"),
        (lambda: ops.randint(3, 3, (2,)), ValueError, "low < high"),
        (lambda: ops.randint(0, 300, (2,), dtype="uint8"), ValueError, "do not fit"),
        (lambda: ops.randint(0, 3, (2,), dtype="float32"), TypeError, "integer type"),
        (lambda: ops.normal((2,), Tensor([1.0, 2.0, 3.0]), 1.0), ValueError, "broadcast"),
        (lambda: ops.normal((2,), "a", 1.0), TypeError, "number or tensor"),
        (lambda: ops.randperm(300, dtype="uint8"), ValueError, "do not fit"),
        (lambda: ops.rand(2, seed=-1), ValueError, "seed"),
        (lambda: ops.rand(2, seed=0.5), TypeError, "seed"),
        (lambda: ops.multinomial(ops.ones((2, 2, 2)), 1), ValueError, "rows"),
        (lambda: ops.multinomial(ops.arange(3), 1), TypeError, "floating-point"),
        (lambda: ops.bernoulli(ops.zeros(2), 2.0), ValueError, r"\[0, 1\]"),
        (lambda: ops.exponential((2,), 0.0), ValueError, "positive"),
        (lambda: ops.choice_with_mask(ops.ones(2)), TypeError, "bool"),
        (lambda: ops.dropout2d(ops.ones((2, 2))), ValueError, "4 axes"),
        (lambda: ops.gamma((2,), -1.0, 1.0), ValueError, "positive"),
    ],
)
def test_bad_calls_are_refused(call, error, match):
    with pytest.raises(error, match=match):
        call()
