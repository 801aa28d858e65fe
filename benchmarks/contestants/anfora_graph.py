"""anfora in graph mode: the same programs, each as one compiled function."""

from __future__ import annotations

import numpy as np
from anfora_eager import unrecorded
from data import ELEMENTS, labels, normal

import anfora as ms
from anfora import Tensor, nn, ops
from anfora.models import LeNet5


def trained(net, optimizer, x, y):
    loss_fn = nn.CrossEntropyLoss()
    gradients = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)

    @ms.jit
    def step(x, y):
        loss, found = gradients(x, y)
        optimizer(found)
        return loss

    return lambda: step(x, y).item()


def lenet(batch):
    net = LeNet5(num_class=10, num_channel=1)
    net.set_train()
    optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    return trained(net, optimizer, Tensor(normal(batch, 1, 32, 32)), Tensor(labels(batch, 10)))


def lenet_inference(batch):
    net = ms.jit(LeNet5(num_class=10, num_channel=1))
    x = Tensor(normal(batch, 1, 32, 32))

    def step():
        with ms.no_grad():
            return net(x)

    return step


def perceptron():
    net = nn.SequentialCell(nn.Dense(784, 512), nn.ReLU(), nn.Dense(512, 512), nn.ReLU(), nn.Dense(512, 10))
    optimizer = nn.Adam(net.trainable_params(), 1e-3)
    return trained(net, optimizer, Tensor(normal(128, 784)), Tensor(labels(128, 10)))


def chain():
    x, y = Tensor(np.ones((8, 8), np.float32)), Tensor(np.full((8, 8), 1e-3, np.float32))

    @ms.jit
    def forward(x, y):
        z = x
        for _ in range(500):
            z = z * 1.0001
            z = z + y
        return z

    return lambda: forward(x, y)


def compiled(function, *arrays):
    return unrecorded(ms.jit(function), *arrays)


WORKLOADS = {
    **{f"lenet_train_b{n}": (lambda n=n: lenet(n)) for n in (32, 64, 256)},
    **{f"lenet_infer_b{n}": (lambda n=n: lenet_inference(n)) for n in (1, 256)},
    "mlp_train_b128": perceptron,
    "eager_chain_fwd": chain,
    "softmax": lambda: compiled(lambda x: ops.softmax(x, -1), normal(1024, 1000)),
    "layernorm": lambda: compiled(
        lambda x, w, b: ops.layer_norm(x, (768,), w, b), normal(4096, 768), normal(768), normal(768)
    ),
    "gelu": lambda: compiled(ops.gelu, normal(ELEMENTS)),
    "fused_chain": lambda: compiled(
        lambda a, b, c, d: ops.tanh(a * b + c) * ops.sigmoid(d), *(normal(ELEMENTS) for _ in range(4))
    ),
    "sum_16m": lambda: compiled(lambda x: x.sum(), normal(16 << 20)),
}
