"""The networks of `models/` with inputs, for tests that write and read them."""

from __future__ import annotations

import numpy as np

from anfora import Tensor
from anfora.models import GPT, MLP, VGG, LeNet5, LSTMClassifier, resnet18, resnet20, resnet34, resnet50

RNG = np.random.default_rng(0)


def floats(*shape):
    return Tensor(RNG.standard_normal(shape).astype(np.float32))


def words(*shape):
    return Tensor(RNG.integers(0, 20, shape).astype(np.int32))


#: Every network of `models/`, with inputs.
NETWORKS = {
    "lenet": lambda: (LeNet5(10, 1), floats(2, 1, 32, 32)),
    "mlp": lambda: (MLP([8, 16, 4], "gelu"), floats(3, 8)),
    "resnet18": lambda: (resnet18(10), floats(1, 3, 32, 32)),
    "resnet20": lambda: (resnet20(10), floats(2, 3, 16, 16)),
    "resnet34": lambda: (resnet34(10), floats(1, 3, 32, 32)),
    "resnet50": lambda: (resnet50(10), floats(2, 3, 32, 32)),
    "gpt": lambda: (GPT(20, 8, width=16, layers=2, heads=2), words(2, 8)),
    "lstm": lambda: (LSTMClassifier(20, 3, 8, 8, num_layers=2), words(2, 5)),
    "lstm with lengths": lambda: (LSTMClassifier(20, 3, 8, 8), words(2, 5), Tensor([5, 3])),
    "vgg": lambda: (VGG([1, 1, 1, 1, 1], 10, width=4, features=8), floats(1, 3, 32, 32)),
}


def more(x: Tensor, count: int) -> Tensor:
    """So many examples."""
    return Tensor(np.resize(x.asnumpy(), (count, *x.shape[1:])))
