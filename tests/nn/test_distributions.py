"""Probability distributions, beside scipy's; divergences and moments beside integrals."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.integrate
import scipy.stats as st

import anfora as ms
from anfora import Parameter, Tensor, nn
from anfora.core.errors import OpTypeError, OpValueError
from anfora.nn.probability import distribution as msd

#: kind: scipy's of the same parameters, parameters of a and of b, values in and out of the support.
ROWS = {
    "Normal": (lambda m, s: st.norm(m, s), (0.5, 1.5), (-0.25, 2.0), (-3.0, 0.5, 2.0)),
    "LogNormal": (lambda m, s: st.lognorm(s, scale=np.exp(m)), (0.25, 0.5), (0.5, 0.75), (-1.0, 0.0, 0.5, 2.0)),
    "HalfNormal": (lambda m, s: st.halfnorm(m, s), (0.5, 1.5), None, (0.25, 0.75, 3.0)),
    "Laplace": (lambda m, s: st.laplace(m, s), (0.5, 1.5), (-0.25, 2.0), (-3.0, 0.25, 2.0)),
    "Logistic": (lambda m, s: st.logistic(m, s), (0.5, 1.5), None, (-30.0, 0.5, 2.0)),
    "Gumbel": (lambda m, s: st.gumbel_r(m, s), (0.5, 1.5), (-0.25, 2.0), (-2.0, 0.5, 2.0)),
    "Cauchy": (lambda m, s: st.cauchy(m, s), (0.5, 1.5), (-0.25, 2.0), (-3.0, 0.5, 20.0)),
    "StudentT": (lambda d, m, s: st.t(d, m, s), (4.5, 0.5, 1.5), None, (-3.0, 0.5, 2.0)),
    "Uniform": (lambda a, b: st.uniform(a, b - a), (0.5, 2.0), (0.25, 2.5), (0.25, 0.5, 1.5, 3.0)),
    "Exponential": (lambda r: st.expon(scale=1 / r), (1.5,), (0.5,), (-1.0, 0.0, 0.75)),
    "Gamma": (lambda c, r: st.gamma(c, scale=1 / r), (2.5, 1.5), (1.5, 0.75), (-1.0, 0.5, 4.0)),
    "Beta": (lambda a, b: st.beta(a, b), (2.5, 1.5), (1.25, 3.0), (-0.5, 0.25, 0.75, 1.5)),
    "Bernoulli": (lambda p: st.bernoulli(p), (0.75,), (0.5,), (0.0, 1.0)),
    "Geometric": (lambda p: st.geom(p, -1), (0.75,), (0.25,), (-1.0, 0.0, 1.0, 4.0)),
    "Poisson": (lambda r: st.poisson(r), (2.5,), (1.5,), (-1.0, 0.0, 2.0, 7.0)),
}  # fmt: skip
DISCRETE = ("Bernoulli", "Geometric", "Poisson")
MODES = {
    "Normal": 0.5, "LogNormal": 1.0, "HalfNormal": 0.5, "Laplace": 0.5, "Logistic": 0.5, "Gumbel": 0.5, "Cauchy": 0.5,
    "StudentT": 0.5, "Uniform": 1.25, "Exponential": 0.0, "Gamma": 1.0, "Beta": 0.75, "Bernoulli": 1, "Geometric": 0,
    "Poisson": 2.0,
}  # fmt: skip


def made(name, *parameters, **options):
    return getattr(msd, name)(*parameters, dtype=ms.float64, **options)


def close(result, expected, rtol=1e-9):
    assert result.dtype is ms.float64
    np.testing.assert_allclose(result.asnumpy(), expected, rtol=rtol, atol=1e-12)


@pytest.mark.parametrize("compiled", [False, True], ids=["pynative", "graph"])
@pytest.mark.parametrize("name", ROWS)
def test_densities_and_moments_are_scipys(name, compiled):
    peer, parameters, _, values = ROWS[name]
    ours, theirs, x = made(name, *parameters), peer(*parameters), np.array(values)
    density = theirs.pmf if name in DISCRETE else theirs.pdf
    call = ms.jit(lambda what, *args: ours(what, *args)) if compiled else ours
    for _ in range(2):
        close(call("prob", Tensor(x)), density(x))
        with np.errstate(divide="ignore"):
            close(call("log_prob", Tensor(x)), np.log(density(x)))
            close(call("cdf", Tensor(x)), theirs.cdf(x))
            close(call("survival_function", Tensor(x)), 1 - theirs.cdf(x))
            close(call("log_cdf", Tensor(x)), np.log(theirs.cdf(x)))
            close(call("log_survival", Tensor(x)), np.log1p(-theirs.cdf(x)))
        close(call("mode"), MODES[name])
        if name != "Cauchy":
            close(call("mean"), theirs.mean())
            close(call("var"), theirs.var())
            close(call("sd"), theirs.std())
        if name != "Poisson":
            close(call("entropy"), theirs.entropy(), rtol=1e-7)


def divergence(name, a, b):
    if name in DISCRETE:
        k = np.arange(int(max(a.support()[0], b.support()[0])), min(200, a.support()[1] + 1))
        return (a.pmf(k) * (a.logpmf(k) - b.logpmf(k))).sum()

    def integrand(u):  # over the quantiles of a
        x = a.ppf(u)
        return a.logpdf(x) - b.logpdf(x)

    return scipy.integrate.quad(integrand, 0, 1, limit=500, epsabs=1e-10)[0]


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row[2]])
def test_divergences_are_the_integrals(name):
    peer, of_a, of_b, _ = ROWS[name]
    a = made(name, *of_a)
    expected = divergence(name, peer(*of_a), peer(*of_b))
    close(a.kl_loss(name, *of_b), expected, rtol=1e-6)
    close(made(name).kl_loss(name, *of_b, *of_a), expected, rtol=1e-6)
    by_name = {f"{each}_b": value for each, value in zip(a.names, of_b)}
    close(made(name).kl_loss(name, **by_name, **dict(zip(a.names, of_a))), expected, rtol=1e-6)
    close(a.kl_loss(name, *of_a), 0.0)
    if name != "Poisson":
        close(a.cross_entropy(name, *of_b), expected + float(peer(*of_a).entropy()), rtol=1e-6)


@pytest.mark.parametrize("name", ROWS)
def test_random_numbers_are_of_the_distribution(name):
    peer, parameters, _, _ = ROWS[name]
    ours, count = made(name, *parameters, seed=7), 20_000
    numbers = ours.sample((count,)).asnumpy()
    if name in DISCRETE:
        seen = np.bincount(numbers.astype(int), minlength=30)[:30] / count
        assert np.abs(seen - peer(*parameters).pmf(np.arange(30))).max() < 0.015
    else:
        assert st.kstest(numbers, peer(*parameters).cdf).pvalue > 1e-4
    assert ours.sample((count,)).tolist() != numbers.tolist()  # the stream goes on
    assert made(name, *parameters, seed=7).sample((count,)).tolist() == numbers.tolist()
    batch = getattr(msd, name)(*[np.full((3, 1), p, np.float32) for p in parameters[:1]], *parameters[1:])
    assert batch.sample((2, 4)).shape == (2, 4, 3, 1) and batch.sample().dtype is batch.dtype


@pytest.mark.parametrize("name", ROWS)
def test_gradients_are_differences(name):
    peer, parameters, _, values = ROWS[name]
    ours, h = made(name), 1e-5
    x = np.array([v for v in values if np.isfinite(peer(*parameters).logpmf(v) if name in DISCRETE else
                                                   peer(*parameters).logpdf(v))])  # fmt: skip
    if name == "Uniform":
        x = x[x > parameters[0]]
    positions = tuple(range(len(parameters)))
    found = ms.grad(lambda *p: ours.log_prob(Tensor(x), *p).sum(), positions)(*map(Tensor, map(np.float64, parameters)))
    found = found if isinstance(found, tuple) else (found,)
    for i, gradient in enumerate(found):
        ends = []
        for step in (-h, h):
            moved = list(parameters)
            moved[i] += step
            law = peer(*moved)
            ends.append((law.logpmf(x) if name in DISCRETE else law.logpdf(x)).sum())
        np.testing.assert_allclose(gradient.asnumpy(), (ends[1] - ends[0]) / (2 * h), rtol=1e-5, atol=1e-6)


def test_categorical():
    probs = np.array([[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]])
    ours = made("Categorical", probs, seed=3)
    logs, places = np.log(probs), np.arange(3)
    close(ours.log_prob(Tensor([1, 2])), [logs[0, 1], logs[1, 2]])
    close(ours.prob(Tensor([[0], [2]])), probs[:, [0, 2]].T)
    close(ours.prob(1, Tensor([2.0, 6.0])), 0.75)  # of parts that are no probabilities yet
    close(ours.cdf(Tensor([0.5, 1.0])), [0.2, 0.2])
    mean = (probs * places).sum(-1)
    close(ours.mean(), mean)
    close(ours.var(), (probs * places**2).sum(-1) - mean**2)
    assert ours.mode().tolist() == [1, 2]
    close(ours.entropy(), -(probs * logs).sum(-1))
    other = np.array([0.5, 0.25, 0.25])
    close(ours.kl_loss("Categorical", other), (probs * (logs - np.log(other))).sum(-1))
    drawn = ours.sample((20_000,)).asnumpy()
    assert drawn.shape == (20_000, 2)
    for column, expected in zip(drawn.T, probs):
        assert np.abs(np.bincount(column.astype(int)) / 20_000 - expected).max() < 0.015
    assert msd.Categorical([0.5, 0.5]).sample((2,)).dtype is ms.int32


def test_random_numbers_carry_gradients_to_what_moves_and_scales_them():
    def mean_of_squares(mean, sd):
        return (msd.Normal(seed=5).sample((1000,), mean, sd) ** 2).mean()

    by_mean, by_sd = ms.grad(mean_of_squares, (0, 1))(Tensor(2.0), Tensor(3.0))
    z = (msd.Normal(0.0, 1.0, seed=5).sample((1000,))).asnumpy().astype(np.float64)
    np.testing.assert_allclose(by_mean.item(), (2 * (2 + 3 * z)).mean(), rtol=1e-5)
    np.testing.assert_allclose(by_sd.item(), (2 * (2 + 3 * z) * z).mean(), rtol=1e-5)


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def test_a_network_learns_its_parameters(mode):
    class Fit(nn.Cell):
        def __init__(self):
            super().__init__()
            self.mean = Parameter(Tensor(0.0), name="mean")
            self.log_sd = Parameter(Tensor(0.0), name="log_sd")
            self.law = msd.Normal()

        def construct(self, x):
            return -self.law.log_prob(x, self.mean, self.log_sd.exp()).mean()

    with ms.context(mode=mode):
        x = np.random.default_rng(1).normal(1.5, 0.5, 1000).astype(np.float32)
        net = Fit()
        step = nn.TrainOneStepCell(net, nn.Adam(net.trainable_params(), 0.1))
        for _ in range(150):
            step(Tensor(x))
    np.testing.assert_allclose([net.mean.item(), math.exp(net.log_sd.item())], [x.mean(), x.std()], atol=0.01)


def test_a_parameter_of_the_network_may_be_that_of_the_distribution():
    rate = Parameter(Tensor(2.0), name="rate")
    law = msd.Exponential(rate)
    assert [p.name for p in law.trainable_params()] == ["rate"]
    assert ms.grad(lambda: law.log_prob(3.0), None, law.trainable_params())()[0].item() == 0.5 - 3.0


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: msd.Normal(0.0, -1.0), OpValueError, "Normal needs `sd` between 0 and inf"),
        (lambda: msd.Bernoulli([0.5, 1.0]), OpValueError, "Bernoulli needs `probs` between 0 and 1"),
        (lambda: msd.Uniform(2.0, 1.0), OpValueError, "low < high"),
        (lambda: msd.Normal(dtype=ms.int32), OpTypeError, "a floating-point type"),
        (lambda: msd.Poisson(dtype=ms.bool_), OpTypeError, "a type of numbers"),
        (lambda: msd.Normal(seed="1"), OpTypeError, "an int for `seed`"),
        (lambda: msd.Normal(0.0).prob(1.0), OpTypeError, "needs `sd`, which is given neither here nor"),
        (lambda: msd.Normal(0.0, 1.0).prob(1.0, 2.0, 3.0, 4.0), OpTypeError, "2 parameters"),
        (lambda: msd.Normal(0.0, 1.0).prob(1.0, rate=2.0), OpTypeError, "the parameters mean, sd, but got `rate`"),
        (lambda: msd.Normal(0.0, 1.0).kl_loss("Gamma", 1.0, 1.0), OpValueError, "its own kind, but got 'Gamma'"),
        (lambda: msd.Normal(0.0, 1.0).kl_loss("Normal", 1.0), OpTypeError, "needs `sd_b`"),
        (lambda: msd.Normal(0.0, 1.0)("median"), OpValueError, "the methods prob, log_prob"),
        (lambda: msd.Cauchy(0.0, 1.0).mean(), NotImplementedError, "Cauchy has no mean"),
        (lambda: msd.Poisson(1.0).entropy(), NotImplementedError, "no entropy by a formula"),
    ],
)
def test_what_makes_no_sense_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_what_a_distribution_tells():
    law = msd.Gamma(2.0, [1.0, 3.0])
    assert law.get_dist_type() == "Gamma" and [p.tolist() for p in law.get_dist_args()] == [2.0, [1.0, 3.0]]
    assert law.rate.tolist() == [1.0, 3.0] and law.get_dist_args(rate=5.0)[1].item() == 5.0
