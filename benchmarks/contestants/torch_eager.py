"""PyTorch, as it is installed."""

from __future__ import annotations

import large_torch
import torch
import torch.nn.functional as F
from data import CONVOLUTIONS, ELEMENTS, labels, normal
from torch import nn

COMPILED = False
CHANNELS_LAST = False

torch.set_num_threads(2)


def prepare(function):
    return torch.compile(function) if COMPILED else function


def images(array):
    tensor = torch.from_numpy(array)
    return tensor.contiguous(memory_format=torch.channels_last) if CHANNELS_LAST else tensor


def lenet_model():
    net = nn.Sequential(
        nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10),
    )  # fmt: skip
    return net.to(memory_format=torch.channels_last) if CHANNELS_LAST else net


def training(net, optimizer, x, y):
    forward = prepare(lambda x, y: F.cross_entropy(net(x), y))

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = forward(x, y)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def lenet(batch):
    net = lenet_model()
    optimizer = torch.optim.SGD(net.parameters(), 0.01, 0.9, fused=not COMPILED)
    return training(net, optimizer, images(normal(batch, 1, 32, 32)), torch.from_numpy(labels(batch, 10)).long())


def lenet_inference(batch):
    net = prepare(lenet_model().eval())
    x = images(normal(batch, 1, 32, 32))

    def step():
        with torch.no_grad():
            return net(x)

    return step


def perceptron():
    net = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))
    optimizer = torch.optim.Adam(net.parameters(), 1e-3, fused=not COMPILED)
    return training(net, optimizer, torch.from_numpy(normal(128, 784)), torch.from_numpy(labels(128, 10)).long())


def chain(backward):
    x, y = torch.ones(8, 8, requires_grad=True), torch.full((8, 8), 1e-3, requires_grad=True)

    def forward():
        z = x
        for _ in range(500):
            z = z * 1.0001
            z = z + y
        return z

    return (lambda: torch.autograd.grad(forward().sum(), [x, y])) if backward else forward


def convolution(name, backward):
    shape, channels, kernel, stride, padding = CONVOLUTIONS[name]
    x, w = images(normal(*shape)), images(normal(channels, shape[1], kernel, kernel))
    f = prepare(lambda x, w: F.conv2d(x, w, stride=stride, padding=padding))
    if not backward:
        return lambda: f(x, w)
    x.requires_grad_()
    w.requires_grad_()
    g = torch.ones_like(f(x, w))
    return lambda: torch.autograd.grad(f(x, w), [x, w], g)


def unrecorded(function, *arrays):
    tensors = [torch.from_numpy(a) for a in arrays]
    f = prepare(function)

    def step():
        with torch.no_grad():
            return f(*tensors)

    return step


def large(name):
    return large_torch.workloads(prepare, CHANNELS_LAST, COMPILED)[name]()


WORKLOADS = {
    **{f"lenet_train_b{n}": (lambda n=n: lenet(n)) for n in (32, 64, 256)},
    **{f"lenet_infer_b{n}": (lambda n=n: lenet_inference(n)) for n in (1, 256)},
    "mlp_train_b128": perceptron,
    "eager_chain_fwd": lambda: chain(False),
    "eager_chain_fwdbwd": lambda: chain(True),
    **{f"matmul_{n}": (lambda n=n: unrecorded(torch.matmul, normal(n, n), normal(n, n))) for n in (512, 1024)},
    **{f"{name}_fwd": (lambda name=name: convolution(name, False)) for name in CONVOLUTIONS},
    **{f"{name}_fwdbwd": (lambda name=name: convolution(name, True)) for name in CONVOLUTIONS},
    "softmax": lambda: unrecorded(lambda x: F.softmax(x, -1), normal(1024, 1000)),
    "layernorm": lambda: unrecorded(
        lambda x, w, b: F.layer_norm(x, (768,), w, b), normal(4096, 768), normal(768), normal(768)
    ),
    "gelu": lambda: unrecorded(F.gelu, normal(ELEMENTS)),
    "fused_chain": lambda: unrecorded(
        lambda a, b, c, d: torch.tanh(a * b + c) * torch.sigmoid(d), *(normal(ELEMENTS) for _ in range(4))
    ),
    "sum_16m": lambda: unrecorded(lambda x: x.sum(), normal(16 << 20)),
    "maxpool": lambda: unrecorded(lambda x: F.max_pool2d(x, 2, 2), normal(32, 64, 56, 56)),
    "batchnorm_train": lambda: unrecorded(
        lambda x, m, v, w, b: F.batch_norm(x, m, v, w, b, training=True),
        normal(32, 64, 56, 56), normal(64) * 0, normal(64) * 0 + 1, normal(64), normal(64),
    ),
    "embedding": lambda: unrecorded(F.embedding, labels(4096, 30000), normal(30000, 256)),
    "topk": lambda: unrecorded(lambda x: torch.topk(x, 10), normal(1024, 1000)),
    **{name: (lambda name=name: large(name)) for name in large_torch.workloads(prepare, False, False)},
}  # fmt: skip
