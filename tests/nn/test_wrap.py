"""Cells around a network: losses, gradients, steps of training, scaled losses."""

from __future__ import annotations

import numpy as np
import pytest

import anfora as ms
from anfora import Parameter, Tensor, nn, ops

X = np.array([[1.0, 2.0], [3.0, -1.0]], np.float32)
Y = np.array([[1.0], [0.5]], np.float32)


def line() -> nn.Dense:
    """y = x w, w = (0.5, -1)."""
    return nn.Dense(2, 1, weight_init=Tensor([[0.5, -1.0]]), has_bias=False)


def gradient(w):
    """That of the mean of squares, in numpy."""
    return 2 * (X @ w.T - Y).T @ X / len(X)


W = np.array([[0.5, -1.0]], np.float32)
LOSS = float(((X @ W.T - Y) ** 2).mean())


def with_loss(net):
    return nn.WithLossCell(net, nn.MSELoss())


def test_with_loss_cell():
    net = line()
    cell = with_loss(net)
    assert cell(Tensor(X), Tensor(Y)).item() == pytest.approx(LOSS)
    assert cell.backbone_network is net
    assert [p.name for p in cell.trainable_params()] == ["weight"]


def test_with_eval_cell():
    loss, output, label = nn.WithEvalCell(line(), nn.MSELoss())(Tensor(X), Tensor(Y))
    assert loss.item() == pytest.approx(LOSS)
    np.testing.assert_allclose(output.asnumpy(), X @ W.T)
    np.testing.assert_array_equal(label.asnumpy(), Y)
    half = nn.WithEvalCell(nn.Identity(), nn.MSELoss(), add_cast_fp32=True)
    assert [x.dtype for x in half(Tensor(X, ms.float16), Tensor(X, ms.float16))] == [ms.float32] * 3


def test_with_grad_cell():
    [found] = nn.WithGradCell(line(), nn.MSELoss())(Tensor(X), Tensor(Y))
    np.testing.assert_allclose(found.asnumpy(), gradient(W), rtol=1e-6)
    [found] = nn.WithGradCell(with_loss(line()), sens=Tensor(2.0))(Tensor(X), Tensor(Y))
    np.testing.assert_allclose(found.asnumpy(), 2 * gradient(W), rtol=1e-6)


def test_forward_value_and_grad():
    net = with_loss(line())
    weights = ms.ParameterTuple(net.trainable_params())
    by_x = 2 * (X @ W.T - Y) @ W / len(X)
    value, found = nn.ForwardValueAndGrad(net)(Tensor(X), Tensor(Y))
    assert value.item() == pytest.approx(LOSS)
    np.testing.assert_allclose(found.asnumpy(), by_x, rtol=1e-6)
    _, [found] = nn.ForwardValueAndGrad(net, weights, get_by_list=True)(Tensor(X), Tensor(Y))
    np.testing.assert_allclose(found.asnumpy(), gradient(W), rtol=1e-6)
    _, (inputs, [found]) = nn.ForwardValueAndGrad(net, weights, True, True)(Tensor(X), Tensor(Y))
    assert [g.shape for g in inputs] == [(2, 2), (2, 1)]
    np.testing.assert_allclose(found.asnumpy(), gradient(W), rtol=1e-6)
    _, found = nn.ForwardValueAndGrad(net, sens_param=True)(Tensor(X), Tensor(Y), Tensor(3.0))
    np.testing.assert_allclose(found.asnumpy(), 3 * by_x, rtol=1e-6)
    with pytest.raises(TypeError, match="Cell or function"):
        nn.ForwardValueAndGrad(3)


@pytest.mark.parametrize("sens", [None, 4.0])
def test_train_one_step_cell_is_a_step_of_descent(sens):
    net = line()
    step = nn.TrainOneStepCell(with_loss(net), nn.SGD(net.trainable_params(), 0.1), sens=sens).set_train()
    w = W
    for _ in range(3):
        expected = float(((X @ w.T - Y) ** 2).mean())
        assert step(Tensor(X), Tensor(Y)).item() == pytest.approx(expected, rel=1e-5)
        w = w - 0.1 * (sens or 1.0) * gradient(w)
        np.testing.assert_allclose(net.weight.asnumpy(), w, rtol=1e-5)


def test_train_one_step_cell_gives_the_gradients():
    net = line()
    step = nn.TrainOneStepCell(with_loss(net), nn.SGD(net.trainable_params(), 0.1), return_grad=True)
    loss, gradients = step(Tensor(X), Tensor(Y))
    assert loss.item() == pytest.approx(LOSS)
    np.testing.assert_allclose(gradients["weight"].asnumpy(), gradient(W), rtol=1e-6)


def test_a_subclass_may_write_its_own_step():
    class Clipped(nn.TrainOneStepCell):
        def construct(self, x, y):
            loss = self.network(x, y)
            gradients = self.grad(self.network, self.weights)(x, y, ops.full_like(loss, self.sens))
            gradients = tuple(ops.clip_by_value(g, -0.5, 0.5) for g in self.grad_reducer(gradients))
            self.optimizer(gradients)
            return loss

    net = line()
    Clipped(with_loss(net), nn.SGD(net.trainable_params(), 1.0))(Tensor(X), Tensor(Y))
    np.testing.assert_allclose(net.weight.asnumpy(), W - np.clip(gradient(W), -0.5, 0.5), rtol=1e-6)


def test_parameter_update():
    parameter = Parameter(Tensor([1.0, 2.0]), name="p")
    nn.ParameterUpdate(parameter)(Tensor([3.0, 4.0]))
    assert parameter.tolist() == [3.0, 4.0]
    with pytest.raises(TypeError, match="needs a Parameter"):
        nn.ParameterUpdate(Tensor(1.0))


# -- scaled losses ----------------------------------------------------------------------------------------------------


def test_a_dynamic_scale_falls_after_overflows_and_rises_after_calm():
    update = nn.DynamicLossScaleUpdateCell(8.0, 2, 3)
    assert update.get_loss_scale() == 8.0
    scale = Parameter(Tensor(update.get_loss_scale()), name="scale")
    seen = []
    for overflow in [False, False, False, True, True, False, False, False, False]:
        assert bool(update(scale, Tensor(overflow))) == overflow
        seen.append(scale.item())
    assert seen == [8.0, 8.0, 16.0, 8.0, 4.0, 4.0, 4.0, 8.0, 8.0]
    low = Parameter(Tensor(1.5), name="low")
    update(low, Tensor(True))
    assert low.item() == 1.0
    with pytest.raises(ValueError, match="scale_factor"):
        nn.DynamicLossScaleUpdateCell(8.0, 1, 3)


def test_a_fixed_scale_stays():
    update = nn.FixedLossScaleUpdateCell(8.0)
    assert update.get_loss_scale() == 8.0
    assert update(None, True) is True


@pytest.mark.parametrize(
    "scale", [Tensor(64.0), nn.FixedLossScaleUpdateCell(64.0), nn.DynamicLossScaleUpdateCell(64.0, 2, 10)]
)
def test_a_scaled_step_is_a_step(scale):
    net = line()
    step = nn.TrainOneStepWithLossScaleCell(with_loss(net), nn.SGD(net.trainable_params(), 0.1), scale)
    loss, overflow, used = step(Tensor(X), Tensor(Y))
    assert (loss.item(), bool(overflow), used.item()) == (pytest.approx(LOSS), False, 64.0)
    np.testing.assert_allclose(net.weight.asnumpy(), W - 0.1 * gradient(W), rtol=1e-6)


def test_an_overflow_leaves_the_weights_alone():
    net = line()
    manager = nn.DynamicLossScaleUpdateCell(64.0, 2, 10)
    step = nn.TrainOneStepWithLossScaleCell(with_loss(net), nn.SGD(net.trainable_params(), 0.1), manager)
    _, overflow, used = step(Tensor(X * np.inf), Tensor(Y))
    assert bool(overflow) and used.item() == 64.0
    np.testing.assert_array_equal(net.weight.asnumpy(), W)
    assert step(Tensor(X), Tensor(Y))[2].item() == 32.0
    step.set_sense_scale(Tensor(4.0))
    assert step(Tensor(X), Tensor(Y))[2].item() == 4.0
    with pytest.raises(TypeError, match="needs a tensor"):
        step.set_sense_scale(4.0)
    with pytest.raises(TypeError, match="scale_sense"):
        nn.TrainOneStepWithLossScaleCell(with_loss(net), nn.SGD(net.trainable_params(), 0.1), 4.0)
