"""Models: they learn, have as many parameters as their papers say, and keep their promises."""

from __future__ import annotations

import numpy as np
import pytest

import anfora as ms
from anfora import Tensor, models, nn, ops
from anfora.models.resnet import BasicBlock, Bottleneck

RANDOM = np.random.default_rng(11)


def images(*shape):
    return Tensor(RANDOM.standard_normal(shape).astype(np.float32))


LABELS = Tensor([0, 1, 2, 1])
TOKENS = Tensor(RANDOM.integers(1, 20, (4, 7)))

NETS = {
    "mlp": (lambda: models.MLP([12, 16, 3], "tanh"), (images(4, 3, 4),), LABELS, (4, 3)),
    "lenet": (lambda: models.LeNet5(3), (images(4, 1, 32, 32),), LABELS, (4, 3)),
    "resnet": (lambda: models.ResNet(BasicBlock, [1, 1, 1, 1], 3, 1, 4), (images(4, 1, 32, 32),), LABELS, (4, 3)),
    "bottleneck": (lambda: models.ResNet(Bottleneck, [1, 2, 1, 1], 3, 3, 4), (images(4, 3, 32, 32),), LABELS, (4, 3)),
    "small resnet": (lambda: models.SmallResNet(1, 3, 1, 4), (images(4, 1, 16, 16),), LABELS, (4, 3)),
    "vgg": (
        lambda: models.VGG([1, 2], 3, 1, width=4, features=8, dropout=0.0),
        (images(4, 1, 28, 28),),
        LABELS,
        (4, 3),
    ),
    "lstm": (lambda: models.LSTMClassifier(20, 3, 8, 6, 2), (TOKENS, Tensor([7, 2, 5, 1])), LABELS, (4, 3)),
    "gpt": (lambda: models.GPT(20, 8, 16, 2, 2), (TOKENS,), TOKENS, (4, 7, 20)),
}


def loss_of(logits, labels):
    return ops.cross_entropy(ops.reshape(logits, (-1, logits.shape[-1])), ops.reshape(labels, (-1,)))


@pytest.mark.parametrize("name", NETS)
def test_it_learns_what_it_is_shown(name):
    make, inputs, labels, shape = NETS[name]
    ms.set_seed(1)
    net = make().set_train()
    assert net(*inputs).shape == shape
    optimizer = nn.Adam(net.trainable_params(), learning_rate=0.01)
    step = ms.value_and_grad(lambda *args: loss_of(net(*args), labels), None, optimizer.parameters)
    losses = []
    for _ in range(5):
        loss, gradients = step(*inputs)
        assert all(np.isfinite(g.asnumpy()).all() for g in gradients)
        assert any(g.asnumpy().any() for g in gradients)
        optimizer(gradients)
        losses.append(loss.item())
    assert losses[-1] < losses[0]
    net.check_names()


@pytest.mark.parametrize("name", NETS)
def test_the_same_seed_gives_the_same_network(name):
    make, inputs, _, _ = NETS[name]
    results = []
    for _ in range(2):
        ms.set_seed(5)
        results.append(make()(*inputs).asnumpy())
    np.testing.assert_array_equal(*results)


@pytest.mark.parametrize(
    "make, count",
    [(models.LeNet5, 61_684), (models.resnet18, 11_689_512), (models.resnet20, 272_474), (models.resnet34, 21_797_672)],
)
def test_the_number_of_parameters_is_the_known_one(make, count):
    assert sum(p.size for p in make().trainable_params()) == count


def test_parameters_are_called_by_their_place():
    names = [p.name for p in models.ResNet(BasicBlock, [1, 1, 1, 1], 2, 3, 4).trainable_params()]
    assert names[:3] == ["conv1.weight", "bn1.gamma", "bn1.beta"]
    assert "layer2.0.down_sample.0.weight" in names
    assert names[-1] == "end_point.bias"


def test_gpt_does_not_look_ahead():
    net = models.GPT(20, 8, 16, 2, 2)
    changed = TOKENS.asnumpy().copy()
    changed[:, 4] = 0
    before, after = net(TOKENS).asnumpy(), net(Tensor(changed)).asnumpy()
    np.testing.assert_allclose(before[:, :4], after[:, :4], rtol=1e-5, atol=1e-6)
    assert np.abs(before[:, 4:] - after[:, 4:]).max() > 1e-4


def test_gpt_writes_on():
    net = models.GPT(20, 8, 16, 2, 2)
    written = net.generate(TOKENS, 5)
    assert written.shape == (4, 12)
    np.testing.assert_array_equal(written.asnumpy()[:, :7], TOKENS.asnumpy())
    first = net(TOKENS).asnumpy()[:, -1].argmax(1)
    np.testing.assert_array_equal(written.asnumpy()[:, 7], first)
    drawn = [net.generate(TOKENS, 5, temperature=1.0, seed=3).tolist() for _ in range(2)]
    assert drawn[0] == drawn[1]
    with pytest.raises(ValueError, match="sees 8 tokens"):
        net(Tensor([list(range(9))]))
    with pytest.raises(ValueError, match="do not divide"):
        models.GPT(20, 8, 16, 2, 3)


def test_what_fills_a_text_up_does_not_count():
    net = models.LSTMClassifier(20, 3, 8, 6)
    tokens = TOKENS.asnumpy().copy()
    tokens[0, 3:] = 0
    other = tokens.copy()
    other[0, 3:] = 9
    lengths = Tensor([3, 7, 7, 7])
    np.testing.assert_array_equal(net(Tensor(tokens), lengths).asnumpy(), net(Tensor(other), lengths).asnumpy())


def test_mlp_needs_two_sizes():
    with pytest.raises(ValueError, match="at least two sizes"):
        models.MLP([3])
