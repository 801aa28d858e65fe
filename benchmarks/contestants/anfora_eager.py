"""anfora in PyNative mode."""

from __future__ import annotations

import numpy as np
from data import CONVOLUTIONS, ELEMENTS, labels, normal
from large_anfora import workloads

import anfora as ms
from anfora import Tensor, nn, ops
from anfora.models import LeNet5


def as_it_is(function):
    return function


def trained(net, optimizer, x, y, compiled):
    """Steps of training; `compiled` may be `jit`."""
    loss_fn = nn.CrossEntropyLoss()
    gradients = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)

    @compiled
    def step(x, y):
        loss, found = gradients(x, y)
        optimizer(found)
        return loss

    return lambda: step(x, y).item()


def lenet(batch, compiled=as_it_is):
    net = LeNet5(num_class=10, num_channel=1)
    net.set_train()
    optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    return trained(net, optimizer, Tensor(normal(batch, 1, 32, 32)), Tensor(labels(batch, 10)), compiled)


def lenet_inference(batch, compiled=as_it_is):
    net = compiled(LeNet5(num_class=10, num_channel=1))
    x = Tensor(normal(batch, 1, 32, 32))

    def step():
        with ms.no_grad():
            return net(x)

    return step


def perceptron(compiled=as_it_is):
    net = nn.SequentialCell(nn.Dense(784, 512), nn.ReLU(), nn.Dense(512, 512), nn.ReLU(), nn.Dense(512, 10))
    optimizer = nn.Adam(net.trainable_params(), 1e-3)
    return trained(net, optimizer, Tensor(normal(128, 784)), Tensor(labels(128, 10)), compiled)


def chain(backward):
    x, y = Tensor(np.ones((8, 8), np.float32)), Tensor(np.full((8, 8), 1e-3, np.float32))
    x.requires_grad = y.requires_grad = True

    def forward():
        z = x
        for _ in range(500):
            z = z * 1.0001
            z = z + y
        return z

    def both():
        forward().sum().backward()
        x.grad = y.grad = None

    return both if backward else forward


def convolution(name, backward):
    shape, channels, kernel, stride, padding = CONVOLUTIONS[name]
    x, w = Tensor(normal(*shape)), Tensor(normal(channels, shape[1], kernel, kernel))

    def f(x, w):
        return ops.conv2d(x, w, stride=stride, pad_mode="pad", padding=padding)

    out = f(x, w)
    g = Tensor(np.ones(out.shape, np.float32))
    gradients = ms.grad(f, (0, 1), sens_param=True)
    return (lambda: gradients(x, w, g)) if backward else (lambda: f(x, w))


def unrecorded(function, *arrays):
    tensors = [Tensor(a) for a in arrays]
    return lambda: function(*tensors)


WORKLOADS = {
    **{f"lenet_train_b{n}": (lambda n=n: lenet(n)) for n in (32, 64, 256)},
    **{f"lenet_infer_b{n}": (lambda n=n: lenet_inference(n)) for n in (1, 256)},
    "mlp_train_b128": perceptron,
    "eager_chain_fwd": lambda: chain(False),
    "eager_chain_fwdbwd": lambda: chain(True),
    **{f"matmul_{n}": (lambda n=n: unrecorded(ops.matmul, normal(n, n), normal(n, n))) for n in (512, 1024)},
    **{f"{name}_fwd": (lambda name=name: convolution(name, False)) for name in CONVOLUTIONS},
    **{f"{name}_fwdbwd": (lambda name=name: convolution(name, True)) for name in CONVOLUTIONS},
    "softmax": lambda: unrecorded(lambda x: ops.softmax(x, -1), normal(1024, 1000)),
    "layernorm": lambda: unrecorded(
        lambda x, w, b: ops.layer_norm(x, (768,), w, b), normal(4096, 768), normal(768), normal(768)
    ),
    "gelu": lambda: unrecorded(ops.gelu, normal(ELEMENTS)),
    "fused_chain": lambda: unrecorded(
        lambda a, b, c, d: ops.tanh(a * b + c) * ops.sigmoid(d), *(normal(ELEMENTS) for _ in range(4))
    ),
    "sum_16m": lambda: unrecorded(lambda x: x.sum(), normal(16 << 20)),
    "maxpool": lambda: unrecorded(lambda x: ops.max_pool2d(x, 2, 2), normal(32, 64, 56, 56)),
    "batchnorm_train": lambda: unrecorded(
        lambda x, m, v, w, b: ops.batch_norm(x, m, v, w, b, training=True),
        normal(32, 64, 56, 56), np.zeros(64, np.float32), np.ones(64, np.float32), normal(64), normal(64),
    ),
    "embedding": lambda: unrecorded(lambda i, t: ops.embedding(i, t), labels(4096, 30000), normal(30000, 256)),
    "topk": lambda: unrecorded(lambda x: ops.topk(x, 10), normal(1024, 1000)),
    **workloads(as_it_is),
}  # fmt: skip
