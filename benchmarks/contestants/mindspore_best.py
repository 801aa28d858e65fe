"""MindSpore with the settings that are best for it on a CPU: one thread an operator, oneDNN capped at AVX2 (without the
cap it takes slow reference kernels for LeNet's convolutions on AVX-512 machines)."""

from __future__ import annotations

import mindspore as ms
from data import labels, normal
from mindspore import Tensor, nn

ms.set_context(mode=ms.GRAPH_MODE, device_target="CPU")
ms.device_context.cpu.op_tuning.threads_num(1)


class LeNet5(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid", has_bias=True)
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid", has_bias=True)
        self.fc1, self.fc2, self.fc3 = nn.Dense(400, 120), nn.Dense(120, 84), nn.Dense(84, 10)
        self.relu, self.pool, self.flatten = nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten()

    def construct(self, x):
        x = self.pool(self.relu(self.conv1(x)))
        x = self.pool(self.relu(self.conv2(x)))
        x = self.relu(self.fc1(self.flatten(x)))
        return self.fc3(self.relu(self.fc2(x)))


def training(net, optimizer, x, y):
    step_cell = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer)
    step_cell.set_train()
    return lambda: float(step_cell(x, y).asnumpy())


def lenet(batch):
    net = LeNet5()
    optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    return training(net, optimizer, Tensor(normal(batch, 1, 32, 32)), Tensor(labels(batch, 10)))


def lenet_inference(batch):
    net, x = LeNet5(), Tensor(normal(batch, 1, 32, 32))
    return lambda: net(x).asnumpy()


def perceptron():
    net = nn.SequentialCell(nn.Dense(784, 512), nn.ReLU(), nn.Dense(512, 512), nn.ReLU(), nn.Dense(512, 10))
    optimizer = nn.Adam(net.trainable_params(), 1e-3)
    return training(net, optimizer, Tensor(normal(128, 784)), Tensor(labels(128, 10)))


WORKLOADS = {
    **{f"lenet_train_b{n}": (lambda n=n: lenet(n)) for n in (32, 64, 256)},
    **{f"lenet_infer_b{n}": (lambda n=n: lenet_inference(n)) for n in (1, 256)},
    "mlp_train_b128": perceptron,
}
