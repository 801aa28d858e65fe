"""anfora in graph mode: the same programs, each as one compiled function."""

from __future__ import annotations

import numpy as np
from anfora_eager import lenet, lenet_inference, perceptron, unrecorded
from data import ELEMENTS, normal
from large_anfora import workloads

import anfora as ms
from anfora import Tensor, ops


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
    **{f"lenet_train_b{n}": (lambda n=n: lenet(n, ms.jit)) for n in (32, 64, 256)},
    **{f"lenet_infer_b{n}": (lambda n=n: lenet_inference(n, ms.jit)) for n in (1, 256)},
    "mlp_train_b128": lambda: perceptron(ms.jit),
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
    **workloads(ms.jit),
}
