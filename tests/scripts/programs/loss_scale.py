"""Half precision with scaled losses: by hand, by a Cell that does it, and by Model."""

import mindspore as ms
import numpy as np
from mindspore import Tensor, amp, nn
from mindspore.dataset import NumpySlicesDataset
from mindspore.train import LossMonitor, Model

random = np.random.default_rng(2)
x = random.standard_normal((64, 8)).astype(np.float32)
y = (x @ random.standard_normal((8, 1))).astype(np.float32)


def network():
    net = nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, 1))
    start = np.random.default_rng(9)
    for parameter in net.get_parameters():
        parameter.set_data(Tensor((start.standard_normal(parameter.shape) * 0.3).astype(np.float32)))
    return net


# by hand
net = amp.auto_mixed_precision(network(), "O3")
loss_fn = nn.MSELoss()
optimizer = nn.SGD(net.trainable_params(), 0.02)
scaler = amp.DynamicLossScaler(scale_value=2.0**20, scale_factor=2, scale_window=4)


def forward(data, label):
    value = loss_fn(net(data).astype(ms.float32), label)
    return scaler.scale(value)


grad_fn = ms.value_and_grad(forward, None, net.trainable_params())
for step in range(12):
    at = step % 4 * 16
    loss, gradients = grad_fn(Tensor(x[at : at + 16]).astype(ms.float16), Tensor(y[at : at + 16]))
    loss = scaler.unscale(loss)
    finite = amp.all_finite(gradients)
    if finite:
        gradients = scaler.unscale(gradients)
        optimizer(gradients)
    scaler.adjust(finite)
    print(step, bool(finite), float(scaler.scale_value.asnumpy()), f"{float(loss.asnumpy()):.2f}")
print({str(p.dtype) for p in net.trainable_params()})


def plain(batches):
    """The losses of a training without scales."""
    net = network()
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), nn.Momentum(net.trainable_params(), 0.02, 0.9))
    return [float(step(Tensor(data), Tensor(label)).asnumpy()) for data, label in batches], net


# by a Cell: a step with infinite gradients is left out
net = network()
optimizer = nn.Momentum(net.trainable_params(), 0.02, 0.9)
manager = nn.DynamicLossScaleUpdateCell(loss_scale_value=2**12, scale_factor=2, scale_window=3)
train = nn.TrainOneStepWithLossScaleCell(nn.WithLossCell(net, loss_fn), optimizer, scale_sense=manager)
train.set_train()
losses = []
for step in range(5):
    loss, overflow, scale = train(Tensor(x), Tensor(y if step != 1 else y * np.inf))
    print(step, bool(overflow), float(scale.asnumpy()))
    losses.append(float(loss.asnumpy()))
expected, _ = plain([(x, y)] * 4)
print(np.allclose(losses[:1] + losses[2:], expected, rtol=1e-5))

# by Model
net = network()
optimizer = nn.Momentum(net.trainable_params(), 0.02, 0.9, loss_scale=1024.0)
model = Model(
    net,
    loss_fn,
    optimizer,
    loss_scale_manager=ms.FixedLossScaleManager(1024.0, drop_overflow_update=False),
    amp_level="O0",
)
dataset = NumpySlicesDataset({"x": x, "y": y}, shuffle=False).batch(16)
model.train(2, dataset, callbacks=LossMonitor(100), dataset_sink_mode=False)
_, other = plain([(x[at : at + 16], y[at : at + 16]) for _ in range(2) for at in range(0, 64, 16)])
print(
    all(np.allclose(a.asnumpy(), b.asnumpy(), rtol=1e-5) for a, b in zip(net.get_parameters(), other.get_parameters()))
)
