"""Data and sizes of the workloads, the same for every framework."""

from __future__ import annotations

import numpy as np

random = np.random.default_rng(0)


def normal(*shape: int) -> np.ndarray:
    return random.standard_normal(shape).astype(np.float32)


def labels(count: int, classes: int) -> np.ndarray:
    return random.integers(0, classes, count).astype(np.int32)


#: id: (shape of x, output channels, kernel, stride, padding)
CONVOLUTIONS = {
    "conv_a": ((32, 3, 32, 32), 32, 3, 1, 1),
    "conv_b": ((32, 64, 56, 56), 64, 3, 1, 1),
    "conv_c": ((32, 16, 16, 16), 32, 3, 2, 1),
    "conv_l1": ((64, 1, 32, 32), 6, 5, 1, 0),
    "conv_l2": ((64, 6, 14, 14), 16, 5, 1, 0),
}
ELEMENTS = 4 << 20
GPT = (1000, 128, 256, 4, 4)  #: vocabulary, length, width, layers, heads
BERT = (8000, 128, 256, 4, 4)
VIT = (224, 16, 384, 12, 6)  #: size of an image, of a patch, width, layers, heads
LSTM = (32, 64, 128, 256)  #: batch, length, inputs, hidden
LANGUAGE = (10000, 20, 35, 200, 200)  #: vocabulary, batch, length, width, hidden
