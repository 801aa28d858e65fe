"""Mappings of distributions: against closed forms, their own slopes by the tape, and scipy's distributions."""

import math

import numpy as np
import pytest
import scipy.stats

import anfora as ms
from anfora import Tensor, ops
from anfora.core.errors import OpTypeError, OpValueError
from anfora.nn.probability import bijector as msb
from anfora.nn.probability import distribution as msd

X = np.array([-0.6, 0.2, 1.5])

#: A mapping, and its formula.
MAPPINGS = {
    "affine": (lambda: msb.ScalarAffine(Tensor(np.array(2.0)), Tensor(np.array(1.0))), lambda x: 2 * x + 1),
    "falling": (lambda: msb.ScalarAffine(-0.5, 3.0), lambda x: -0.5 * x + 3),
    "many": (lambda: msb.ScalarAffine([1.0, 2.0, 3.0], 0.5), lambda x: np.array([1, 2, 3]) * x + 0.5),
    "exp": (msb.Exp, np.exp),
    "power": (lambda: msb.PowerTransform(0.5), lambda x: (1 + 0.5 * x) ** 2),
    "powers": (
        lambda: msb.PowerTransform([0.5, 0.0, 2.0]),
        lambda x: np.array([(1 + 0.5 * x[0]) ** 2, np.exp(x[1]), np.sqrt(1 + 2 * x[2])]),
    ),
    "softplus": (lambda: msb.Softplus(2.0), lambda x: np.log1p(np.exp(2 * x)) / 2),
    "gumbel": (lambda: msb.GumbelCDF(0.5, 2.0), lambda x: np.exp(-np.exp((0.5 - x) / 2))),
    "inverted": (lambda: msb.Invert(msb.Softplus(1.0)), lambda x: np.log(np.expm1(np.abs(x)))),
}


@pytest.mark.parametrize("name", MAPPINGS)
def test_mappings_are_their_formulas(name):
    make, formula = MAPPINGS[name]
    mapping = make()
    x = Tensor(np.abs(X) if name == "inverted" else X)
    y = mapping.forward(x)
    np.testing.assert_allclose(y.asnumpy(), formula(x.asnumpy()), 1e-6)
    np.testing.assert_allclose(mapping.inverse(y).asnumpy(), x.asnumpy(), 1e-6, 1e-7)
    slope = ms.grad(lambda x: mapping.forward(x).sum())(x).asnumpy()
    back = ms.grad(lambda y: mapping.inverse(y).sum())(y).asnumpy()
    log_slope = mapping.forward_log_jacobian(x).asnumpy() + np.zeros(3)
    np.testing.assert_allclose(log_slope, np.log(np.abs(slope)), 1e-6, 1e-7)
    log_back = mapping.inverse_log_jacobian(y).asnumpy() + np.zeros(3)
    np.testing.assert_allclose(log_back, np.log(np.abs(back)), 1e-6, 1e-7)
    for method in ("forward", "inverse", "forward_log_jacobian", "inverse_log_jacobian"):
        given = x if method.startswith("forward") else y
        assert (mapping(method, given) == getattr(mapping, method)(given)).all()
        assert (ms.jit(mapping)(method, given) == mapping(method, given)).all()


def test_parameters_have_gradients():
    def total(k):
        return msb.Softplus(k).forward(Tensor(X)).sum()

    k, step = np.array(2.0), 1e-6
    expected = (total(Tensor(k + step)).item() - total(Tensor(k - step)).item()) / (2 * step)
    np.testing.assert_allclose(ms.grad(total)(Tensor(k)).item(), expected, 1e-6)
    assert ms.jit(ms.grad(total))(Tensor(k)).item() == ms.grad(total)(Tensor(k)).item()


def test_a_class_of_ones_own_needs_one_of_the_slopes():
    class Cube(msb.Bijector):
        def _forward(self, value):
            return value**3

        def _inverse(self, value):
            return ops.sign(value) * ops.abs(value) ** (1 / 3)

        def _forward_log_jacobian(self, value):
            return math.log(3) + 2 * ops.log(ops.abs(value))

    y = Cube(name="cube")("forward", Tensor(X))
    np.testing.assert_allclose(Cube().inverse_log_jacobian(y).asnumpy(), -np.log(3 * X**2), 1e-6)
    with pytest.raises(NotImplementedError, match="does not tell its slope"):
        msb.Bijector().forward_log_jacobian(Tensor(X))
    with pytest.raises(NotImplementedError, match="no forward mapping"):
        msb.Bijector()("forward", Tensor(X))


#: A distribution made by a mapping, and scipy's.
MADE = {
    "log-normal": (lambda: msb.Exp()(msd.Normal(0.3, 0.7)), scipy.stats.lognorm(0.7, scale=math.exp(0.3))),
    "moved": (lambda: msb.ScalarAffine(2.0, 1.0)(msd.Normal(0.5, 1.5)), scipy.stats.norm(2.0, 3.0)),
    "gumbel": (
        lambda: msd.TransformedDistribution(msb.Invert(msb.GumbelCDF(0.5, 2.0)), msd.Uniform(0.0, 1.0)),
        scipy.stats.gumbel_r(0.5, 2.0),
    ),
}


@pytest.mark.parametrize("name", MADE)
def test_mapped_distributions_are_scipys(name):
    make, known = MADE[name]
    made = make()
    values = np.array([0.2, 1.0, 2.5], np.float32)
    y = Tensor(values)
    for ours, theirs in (
        ("prob", known.pdf), ("log_prob", known.logpdf), ("cdf", known.cdf), ("survival_function", known.sf),
        ("log_cdf", known.logcdf), ("log_survival", known.logsf),
    ):  # fmt: skip
        np.testing.assert_allclose(made(ours, y).asnumpy(), theirs(values), 2e-5, 1e-6)
    drawn = made.sample((4000,)).asnumpy()
    assert drawn.shape == (4000,)
    assert scipy.stats.kstest(drawn, known.cdf).statistic < 0.03


def test_of_a_line_the_mean_is_known_and_parameters_may_be_given():
    made = msd.TransformedDistribution(msb.ScalarAffine(2.0, 1.0), msd.Normal(dtype=ms.float32))
    assert made.mean(0.5, 1.0).item() == 2.0
    np.testing.assert_allclose(
        made.log_prob(Tensor([1.0]), 0.5, 1.0).asnumpy(), scipy.stats.norm(2.0, 2.0).logpdf([1.0]), 1e-6
    )
    assert made.sample((3,), Tensor([0.0, 1.0]), 1.0).shape == (3, 2)
    with pytest.raises(NotImplementedError, match="no mean by a formula"):
        msb.Exp()(msd.Normal(0.0, 1.0)).mean()


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: msb.Softplus(0.0), OpValueError, "positive numbers for `sharpness`"),
        (lambda: msb.PowerTransform(-1.0), OpValueError, "not negative for `power`"),
        (lambda: msb.ScalarAffine(1), OpTypeError, "floating-point type"),
        (lambda: msb.ScalarAffine(None), OpTypeError, "needs numbers for `scale`"),
        (lambda: msb.ScalarAffine(Tensor(np.array(1.0)), Tensor(1.0)), OpTypeError, "one floating-point type"),
        (lambda: msb.Exp().forward(Tensor([1])), OpTypeError, "needs a floating-point tensor"),
        (lambda: msb.Exp().forward(1.0), OpTypeError, "needs a floating-point tensor"),
        (lambda: msb.Exp()("backward", Tensor([1.0])), OpValueError, "has the methods"),
        (lambda: msb.Invert(3), OpTypeError, "needs a Bijector"),
        (lambda: msb.Bijector(is_injective=1), OpTypeError, "bool"),
        (lambda: msb.Bijector(dtype=ms.int32), OpTypeError, "floating-point `dtype`"),
        (lambda: msd.TransformedDistribution(msb.Exp(), 3), OpTypeError, "needs a Distribution"),
    ],
)
def test_refusals(call, error, words):
    with pytest.raises(error, match=words):
        call()
