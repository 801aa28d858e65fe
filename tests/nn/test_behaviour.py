"""What layers do beside their formulas: training and evaluation, masks, first weights, names."""

from __future__ import annotations

import numpy as np
import pytest

import anfora
from anfora import Parameter, Tensor, nn, ops


def test_dropout_drops_in_training_alone():
    anfora.set_seed(3)
    x = ops.ones((40, 50))
    net = nn.Dropout(p=0.25)
    np.testing.assert_array_equal(net(x).asnumpy(), 1)
    y = net.set_train()(x).asnumpy()
    assert set(np.unique(y)) == {np.float32(0), np.float32(1 / 0.75)}
    assert abs((y == 0).mean() - 0.25) < 0.04
    assert nn.Dropout(keep_prob=1.0).set_train()(x).asnumpy().all()
    for layer, shape in ((nn.Dropout1d, (8, 8, 5)), (nn.Dropout2d, (8, 8, 2, 3)), (nn.Dropout3d, (8, 8, 2, 1, 3))):
        y = layer(0.5).set_train()(ops.ones(shape)).asnumpy().reshape(64, -1)
        assert (y == y[:, :1]).all() and set(np.unique(y)) == {0.0, 2.0}
        np.testing.assert_array_equal(layer(0.5)(ops.ones(shape)).asnumpy(), 1)


def test_batch_norm_follows_its_batches():
    x = np.random.default_rng(1).standard_normal((6, 2, 3, 3)).astype(np.float32)
    net = nn.BatchNorm2d(2, momentum=0.8).set_train()
    net(Tensor(x))
    mean, var = x.mean((0, 2, 3)), x.var((0, 2, 3), ddof=1)
    np.testing.assert_allclose(net.moving_mean.asnumpy(), 0.2 * mean, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(net.moving_variance.asnumpy(), 0.8 + 0.2 * var, rtol=1e-5)
    net.set_train(False)(Tensor(x))
    np.testing.assert_allclose(net.moving_mean.asnumpy(), 0.2 * mean, rtol=1e-5, atol=1e-7)


def test_the_names_of_mindspore_are_there():
    for name in (
        "Cell", "Adam", "SGD", "Momentum", "AdamWeightDecay", "Lamb", "cosine_decay_lr", "piecewise_constant_lr",
        "LearningRateSchedule", "WarmUpLR", "Conv2dBnAct", "DistributedGradReducer", "get_activation", "Range",
    ):  # fmt: skip
        assert hasattr(nn, name) and name in nn.__all__
    assert len(set(nn.__all__)) == len(nn.__all__)
    from anfora.nn.learning_rate_schedule import LearningRateSchedule

    assert LearningRateSchedule is nn.LearningRateSchedule


def test_a_combined_layer_is_its_parts():
    x = Tensor(np.random.default_rng(2).standard_normal((2, 3, 4, 4)).astype(np.float32))
    net = nn.Conv2dBnAct(3, 4, 3, has_bn=True, activation="leakyrelu", alpha=0.3)
    y = net.batchnorm(net.conv(x)).asnumpy()
    np.testing.assert_allclose(net(x).asnumpy(), np.where(y > 0, y, 0.3 * y), rtol=1e-6)
    flat = nn.DenseBnAct(3, 2, has_bn=True, activation="relu")
    y = flat.batchnorm(flat.dense(x[0, :, :, 0].T)).asnumpy()
    np.testing.assert_allclose(flat(x[0, :, :, 0].T).asnumpy(), np.maximum(y, 0), rtol=1e-6)
    assert [p.name for p in net.trainable_params()] == ["conv.weight", "batchnorm.gamma", "batchnorm.beta"]


def test_masked_attention_sees_no_later_token():
    x = np.random.default_rng(4).standard_normal((5, 2, 4)).astype(np.float32)
    net = nn.TransformerEncoderLayer(4, 2, 6, dropout=0.0)
    later = Tensor(np.triu(np.ones((5, 5), bool), 1))
    changed = x.copy()
    changed[3:] += 1.0
    one, two = net(Tensor(x), later).asnumpy(), net(Tensor(changed), later).asnumpy()
    np.testing.assert_allclose(one[:3], two[:3], rtol=1e-5, atol=1e-6)
    added = Tensor(np.triu(np.full((5, 5), -np.inf, np.float32), 1))
    np.testing.assert_allclose(net(Tensor(x), added).asnumpy(), one, rtol=1e-6, atol=1e-7)


def test_attention_weights_are_means():
    x = ops.ones((3, 4))
    y, weights = nn.MultiheadAttention(4, 2, add_bias_kv=True, add_zero_attn=True)(x, x, x)
    assert (y.shape, weights.shape) == ((3, 4), (3, 5))
    np.testing.assert_allclose(weights.asnumpy().sum(-1), 1, rtol=1e-6)
    single = nn.MultiheadAttention(4, 2)
    assert len(single(x, x, x, need_weights=False)) == 1
    assert single(x, x, x, average_attn_weights=False)[1].shape == (2, 3, 3)


@pytest.mark.parametrize(
    "make, bounds",
    [
        (lambda: nn.Dense(64, 40), {"weight": 1 / 8, "bias": 1 / 8}),
        (lambda: nn.Conv2d(16, 30, 2, has_bias=True), {"weight": 1 / 8, "bias": 1 / 8}),
        (lambda: nn.Conv2d(16, 32, (4, 1), group=4, has_bias=True), {"weight": 1 / 4, "bias": 1 / 4}),
        (lambda: nn.Conv2dTranspose(30, 16, 2), {"weight": 1 / 8}),
        (lambda: nn.BiDense(64, 3, 9), {"weight": 1 / 8, "bias": 1 / 8}),
        (lambda: nn.LSTM(3, 64), dict.fromkeys(["weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"], 1 / 8)),
        (lambda: nn.GRUCell(3, 64), dict.fromkeys(["weight_ih", "weight_hh", "bias_ih", "bias_hh"], 1 / 8)),
    ],
)
def test_weights_begin_uniform_within_their_bounds(make, bounds):
    anfora.set_seed(4)
    for name, parameter in make().parameters_dict().items():
        value = np.abs(parameter.asnumpy())
        assert value.max() <= bounds[name]
        assert value.max() > 0.8 * bounds[name] and abs(value.mean() / bounds[name] - 0.5) < 0.2


def test_first_weights_may_be_given():
    net = nn.Dense(2, 1, Tensor([[1.0, 2.0]]), "ones")
    assert (net.weight.tolist(), net.bias.tolist()) == ([[1.0, 2.0]], [1.0])
    assert nn.Dense(2, 1, weight_init=0.5).weight.tolist() == [[0.5, 0.5]]
    given = Tensor(np.arange(18, dtype=np.float32).reshape(3, 2, 3))
    for layer in (nn.Conv1d(2, 3, 3, weight_init=given), nn.Conv1dTranspose(3, 2, 3, weight_init=given)):
        assert layer.weight.shape == (3, 2, 1, 3) and layer.weight.asnumpy().ravel().tolist() == list(range(18))
    with pytest.raises(ValueError, match=r"`weight_init`, but got \(3, 2, 3\)"):
        nn.Conv1d(2, 3, 4, weight_init=given)


@pytest.mark.parametrize(
    "make, shape, name",
    [
        (lambda p: nn.Dense(3, 2, weight_init=p), (2, 3), "weight"),
        (lambda p: nn.Dense(3, 2, bias_init=p), (2,), "bias"),
        (lambda p: nn.Conv1d(3, 2, 5, weight_init=p), (2, 3, 5), "weight"),
        (lambda p: nn.Conv2d(3, 2, 5, weight_init=p), (2, 3, 5, 5), "weight"),
        (lambda p: nn.Embedding(2, 3, embedding_table=p), (2, 3), "embedding_table"),
        (lambda p: nn.BatchNorm2d(3, gamma_init=p), (3,), "gamma"),
    ],
)
def test_a_parameter_to_begin_with_gives_its_values_alone(make, shape, name):
    """The layer's own is named by its place, as in checkpoints of MindSpore, and does not follow the one given."""
    given = Parameter(np.arange(np.prod(shape), dtype=np.float32).reshape(shape), name="mine")
    layer = make(given)
    assert "mine" not in layer.parameters_dict()
    own = layer.parameters_dict()[name]
    assert own.asnumpy().ravel().tolist() == given.asnumpy().ravel().tolist()
    own.set_data(own * 0 - 1)
    assert given.name == "mine" and (given >= 0).all()
    assert nn.Embedding(4, 3, padding_idx=1).embedding_table.asnumpy()[1].tolist() == [0.0] * 3
    for layer in (nn.BatchNorm2d(2), nn.InstanceNorm2d(2)):
        assert [p.asnumpy().tolist() for p in layer.get_parameters()] == [[0, 0], [1, 1], [1, 1], [0, 0]]
    assert [p.name for p in nn.BatchNorm2d(2).trainable_params()] == ["gamma", "beta"]
    assert nn.BatchNorm2d(2, affine=False).trainable_params() == []


def test_dropout_between_layers_acts_in_training_alone():
    anfora.set_seed(6)
    x = ops.ones((4, 2, 3))
    net = nn.GRU(3, 8, 2, dropout=0.5)
    np.testing.assert_array_equal(net(x)[0].asnumpy(), net(x)[0].asnumpy())
    net.set_train()
    assert np.abs(net(x)[0].asnumpy() - net(x)[0].asnumpy()).max() > 0


def test_half_precision_layers_give_half_precision():
    half = anfora.float16
    x = ops.ones((5, 2, 3), half)
    assert nn.LSTM(3, 4, dtype=half)(x)[0].dtype is half
    assert nn.Dense(3, 4, dtype=half)(x).dtype is half
    assert nn.MultiheadAttention(4, 2, dtype=half)(*[ops.ones((5, 2, 4), half)] * 3)[0].dtype is half
    assert nn.Upsample(scale_factor=2.0, mode="bilinear")(ops.ones((1, 1, 2, 2), half)).dtype is half


@pytest.mark.parametrize("kind", [nn.RNN, nn.GRU, nn.LSTM, nn.RNNCell, nn.GRUCell, nn.LSTMCell])
def test_recurrent_layers_take_whole_numbers_as_dense_layers_do(kind):
    net, is_cell = kind(3, 4), kind.__name__.endswith("Cell")
    x = Tensor(np.arange(12, dtype=np.int32).reshape((4, 3) if is_cell else (2, 2, 3)))
    got, wanted = (net(each) if is_cell else net(each)[0] for each in (x, x.astype(anfora.float32)))
    for one, other in zip(*((each if isinstance(each, tuple) else (each,)) for each in (got, wanted))):
        assert one.dtype is anfora.float32
        np.testing.assert_array_equal(one.asnumpy(), other.asnumpy())


def test_pooling_gives_places_where_asked():
    x = Tensor([[[[1.0, 5.0], [7.0, 3.0]]]])
    best, places = nn.MaxPool2d(2, 2, return_indices=True)(x)
    assert (best.item(), places.item()) == (7.0, 2)
    back = nn.MaxUnpool2d(2)(best, places)
    assert back.tolist() == [[[[0.0, 0.0], [7.0, 0.0]]]]
    best, places = nn.AdaptiveMaxPool2d(1, return_indices=True)(x)
    assert (best.item(), places.item()) == (7.0, 2)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("mode", [anfora.PYNATIVE_MODE, anfora.GRAPH_MODE])
def test_running_moments_are_counted_and_not_learned(mode, training):
    """Also where a program lets all parameters of a network require gradients, to train on from a frozen one."""
    x = np.array([[[[1.0, 3.0]], [[-2.0, 0.0]]]], np.float32)
    net = nn.BatchNorm2d(2, momentum=0.9).set_train(training)
    for parameter in net.get_parameters():
        parameter.requires_grad = True
    assert len(net.trainable_params()) == 4
    anfora.set_context(mode=mode)
    try:
        step = anfora.value_and_grad(lambda x: (net(x) * x).sum(), None, net.trainable_params())
        _, (mean, variance, gamma, beta) = step(Tensor(x))
    finally:
        anfora.set_context(mode=anfora.PYNATIVE_MODE)
    assert mean.tolist() == variance.tolist() == [0.0, 0.0]
    assert beta.tolist() == [4.0, -2.0] and (gamma.asnumpy() > 0).all()
    moved = [0.2, -0.1] if training else [0.0, 0.0]
    np.testing.assert_allclose(net.moving_mean.asnumpy(), moved, rtol=1e-6)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("kind", [nn.RNN, nn.GRU, nn.LSTM])
@pytest.mark.parametrize("steps", [1, 2])
def test_recurrent_layers_have_gradients_for_any_number_of_steps(kind, steps, compiled):
    """A decoder goes one step at a time. Against differences of the loss along a direction."""
    draw = np.random.default_rng(5)
    net = kind(3, 2, num_layers=2)
    for weight in net.trainable_params():
        weight.set_data(Tensor(draw.normal(size=weight.shape).astype(np.float32)))
    x = Tensor(draw.normal(size=(steps, 2, 3)).astype(np.float32))

    def loss():
        return net(x)[0].sum()

    taken = anfora.value_and_grad(loss, None, net.trainable_params())
    _, gradients = (anfora.jit(lambda: taken()) if compiled else taken)()
    for weight, gradient in zip(net.trainable_params(), gradients):
        at, way = weight.asnumpy().copy(), draw.normal(size=weight.shape).astype(np.float32)
        around = []
        for sign in (1, -1):
            weight.set_data(Tensor(at + np.float32(sign * 0.01) * way))
            around.append(loss().item())
        weight.set_data(Tensor(at))
        slope = (around[0] - around[1]) / 0.02
        np.testing.assert_allclose((gradient.asnumpy() * way).sum(), slope, rtol=2e-2, atol=2e-3, err_msg=weight.name)
