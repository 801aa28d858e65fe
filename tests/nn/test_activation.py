"""Activation layers, and what the op table cannot say of their operators."""

import copy
import pickle

import numpy as np
import pytest

import anfora
from anfora import Tensor, nn, ops

X = np.array([[-8.0, -1.5, -0.25, 0.0], [0.25, 0.5, 1.5, 8.0]], np.float32)

LAYERS = [
    (nn.ReLU(), lambda x: ops.relu(x)),
    (nn.ReLU6(), lambda x: ops.relu6(x)),
    (nn.LeakyReLU(), lambda x: ops.leaky_relu(x, 0.2)),
    (nn.LeakyReLU(0.01), lambda x: ops.leaky_relu(x, 0.01)),
    (nn.ELU(), lambda x: ops.elu(x, 1.0)),
    (nn.CELU(2), lambda x: ops.celu(x, 2.0)),
    (nn.SeLU(), lambda x: ops.selu(x)),
    (nn.GELU(), lambda x: ops.gelu(x, "tanh")),
    (nn.GELU(False), lambda x: ops.gelu(x)),
    (nn.FastGelu(), lambda x: ops.fast_gelu(x)),
    (nn.SiLU(), lambda x: ops.silu(x)),
    (nn.Mish(), lambda x: ops.mish(x)),
    (nn.Sigmoid(), lambda x: ops.sigmoid(x)),
    (nn.LogSigmoid(), lambda x: ops.logsigmoid(x)),
    (nn.Tanh(), lambda x: ops.tanh(x)),
    (nn.Tanhshrink(), lambda x: ops.tanhshrink(x)),
    (nn.Softplus(2, 10), lambda x: ops.softplus(x, 2, 10)),
    (nn.Softsign(), lambda x: ops.softsign(x)),
    (nn.Hardtanh(-0.5, 2), lambda x: ops.hardtanh(x, -0.5, 2)),
    (nn.HSigmoid(), lambda x: ops.hardsigmoid(x)),
    (nn.HSwish(), lambda x: ops.hardswish(x)),
    (nn.HShrink(), lambda x: ops.hardshrink(x, 0.5)),
    (nn.SoftShrink(0.3), lambda x: ops.softshrink(x, 0.3)),
    (nn.Threshold(0.25, 20), lambda x: ops.threshold(x, 0.25, 20)),
    (nn.Softmax(), lambda x: ops.softmax(x, -1)),
    (nn.LogSoftmax(0), lambda x: ops.log_softmax(x, 0)),
    (nn.Softmin(0), lambda x: ops.softmax(-x, 0)),
    (nn.GLU(), lambda x: x[:, :2] * ops.sigmoid(x[:, 2:])),
    (nn.PReLU(), lambda x: ops.leaky_relu(x, 0.25)),
]


@pytest.mark.parametrize("layer, function", LAYERS, ids=lambda x: repr(x) if isinstance(x, nn.Cell) else "")
def test_a_layer_is_its_operator(layer, function):
    for other in (layer, copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        np.testing.assert_array_equal(other(Tensor(X)).asnumpy(), function(Tensor(X)).asnumpy())
    gradient, wanted = (anfora.grad(lambda x, f=f: (f(x) * 2.0).sum())(Tensor(X)) for f in (layer, function))
    np.testing.assert_array_equal(gradient.asnumpy(), wanted.asnumpy())


def test_softmax2d_is_over_channels():
    x = np.random.default_rng(1).standard_normal((2, 3, 4, 5))
    np.testing.assert_allclose(nn.Softmax2d()(Tensor(x)).asnumpy().sum(1), np.ones((2, 4, 5)))
    np.testing.assert_allclose(nn.Softmax2d()(Tensor(x[0])).asnumpy().sum(0), np.ones((4, 5)))


@pytest.mark.parametrize(
    "function",
    [
        ops.sigmoid,
        ops.tanh,
        ops.gelu,
        ops.silu,
        ops.elu,
        ops.softplus,
        ops.hardswish,
        ops.leaky_relu,
        ops.softsign,
        ops.mish,
    ],
)
def test_integers_are_computed_as_float32(function):
    result = function(Tensor(np.array([-2, 0, 3])))
    assert result.dtype is anfora.float32
    np.testing.assert_array_equal(result.asnumpy(), function(Tensor(np.array([-2, 0, 3], np.float32))).asnumpy())


@pytest.mark.parametrize("dtype", [anfora.float16, anfora.bfloat16])
def test_a_number_is_not_rounded_to_a_half(dtype):
    x = Tensor(np.full(3, -1000.0), dtype)
    wanted = Tensor(np.full(3, -1000.0 * np.float32(0.01)), dtype)
    np.testing.assert_array_equal(ops.leaky_relu(x, 0.01).asnumpy(), wanted.asnumpy())


def test_prelu_learns_its_slopes():
    layer = nn.PReLU(3, 0.5)
    assert layer.a.shape == (3,) and [p.name for p in layer.trainable_params()] == ["a"]
    x = np.random.default_rng(2).standard_normal((4, 3, 2))
    (gradient,) = anfora.grad(lambda t: layer(t).sum(), None, layer.trainable_params())(Tensor(x, anfora.float32))
    np.testing.assert_allclose(gradient.asnumpy(), np.minimum(x, 0).sum((0, 2)), rtol=1e-5)
    assert nn.PReLU(2, Tensor([0.1, 0.2])).a.asnumpy().tolist() == [np.float32(0.1), np.float32(0.2)]


def test_rrelu_draws_its_slopes():
    anfora.set_seed(3)
    x = -np.ones((200, 100), np.float32)
    slopes = -nn.RReLU(0.1, 0.3)(Tensor(x)).asnumpy()
    assert 0.1 <= slopes.min() < 0.11 and 0.29 < slopes.max() < 0.3 and abs(slopes.mean() - 0.2) < 0.002
    anfora.set_seed(3)
    np.testing.assert_array_equal(nn.RReLU(0.1, 0.3)(Tensor(x)).asnumpy(), -slopes)
    np.testing.assert_array_equal(nn.RReLU()(Tensor(-x)).asnumpy(), -x)
    anfora.set_seed(3)
    gradient = anfora.grad(lambda t: ops.rrelu(t, 0.1, 0.3).sum())(Tensor(x))
    np.testing.assert_array_equal(gradient.asnumpy(), slopes)


def test_gumbel_softmax_draws_from_the_softmax():
    anfora.set_seed(4)
    logits = np.log([0.5, 0.3, 0.2])
    draws = ops.gumbel_softmax(Tensor(np.tile(logits, (20_000, 1))), 0.5, hard=True).asnumpy()
    assert set(np.unique(draws)) == {0.0, 1.0} and (draws.sum(1) == 1).all()
    np.testing.assert_allclose(draws.mean(0), [0.5, 0.3, 0.2], atol=0.015)
    soft = ops.gumbel_softmax(Tensor(np.tile(logits, (50, 1)).T), dim=0).asnumpy()
    np.testing.assert_allclose(soft.sum(0), np.ones(50))


def test_a_hard_gumbel_softmax_has_the_gradient_of_the_soft_one():
    x = Tensor(np.random.default_rng(5).standard_normal((4, 3)))
    weight = Tensor(np.random.default_rng(6).standard_normal((4, 3)))
    gradients = []
    for hard in (False, True):
        anfora.set_seed(7)
        gradients.append(anfora.grad(lambda t, h=hard: (ops.gumbel_softmax(t, hard=h) * weight).sum())(x).asnumpy())
    np.testing.assert_allclose(gradients[0], gradients[1], rtol=1e-12)
    assert np.abs(gradients[0]).max() > 0.01


@pytest.mark.parametrize(
    "call, error, match",
    [
        (lambda: ops.rrelu(Tensor([1, 2])), TypeError, "floating-point"),
        (lambda: ops.rrelu(Tensor([1.0]), 0.5, 0.25), ValueError, "must not exceed"),
        (lambda: ops.gumbel_softmax(Tensor([1, 2])), TypeError, "floating-point"),
        (lambda: ops.gumbel_softmax(Tensor([1.0]), 0.0), ValueError, "> 0 for `tau`"),
        (lambda: ops.gumbel_softmax(Tensor([1.0]), dim=1), ValueError, "`dim` must be in"),
        (lambda: nn.LeakyReLU("a"), TypeError, "`alpha`"),
        (lambda: nn.SoftShrink(-1.0), ValueError, "`lambd`"),
        (lambda: nn.GELU("tanh"), TypeError, "`approximate`"),
        (lambda: nn.PReLU(0), ValueError, "`channel`"),
        (lambda: nn.PReLU(1, "a"), TypeError, "`w`"),
        (lambda: nn.RReLU(0.5, 0.1), ValueError, "`upper`"),
        (lambda: nn.get_activation("rleu"), KeyError, "did you mean 'relu'"),
        (lambda: nn.MultiClassDiceLoss(activation="www"), ValueError, "no activation 'www'"),
        (lambda: nn.Softmax(0.5), TypeError, "`axis`"),
    ],
)
def test_bad_calls_are_refused(call, error, match):
    with pytest.raises(error, match=match):
        call()


def test_activations_have_names():
    assert nn.get_activation(None) is None
    for name, kind in {
        "relu": nn.ReLU,
        "leakyrelu": nn.LeakyReLU,
        "fast_gelu": nn.FastGelu,
        "softmax": nn.Softmax,
    }.items():
        assert type(nn.get_activation(name)) is kind
    assert repr(nn.LeakyReLU(0.1)) == "LeakyReLU(alpha=0.1)"
