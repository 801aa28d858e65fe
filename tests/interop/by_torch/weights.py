"""Numbers for weights that follow from a name and a shape: the same wherever they are made, so that nobody keeps them."""

from __future__ import annotations

import math
import zlib

import numpy as np


def uniform(name: str, shape: tuple[int, ...]) -> np.ndarray:
    """float32 numbers in [-1, 1)."""
    x = np.arange(math.prod(shape), dtype=np.uint32) * np.uint32(2654435761) + np.uint32(zlib.crc32(name.encode()))
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):  # so that neighbours differ in all bits
        x ^= x >> np.uint32(shift)
        x *= np.uint32(factor)
    x ^= x >> np.uint32(16)
    return (x.astype(np.float64) / 2**31 - 1).astype(np.float32).reshape(shape)


def weight(name: str, shape: tuple[int, ...]) -> np.ndarray:
    """A weight by torch's name: as large as keeps signals as large as they are."""
    if name.endswith("num_batches_tracked"):
        return np.zeros(shape, np.int64)
    x = uniform(name, shape)
    if name.endswith("running_var"):
        return x * np.float32(0.25) + 1
    if len(shape) < 2:
        return x * np.float32(0.25) + (1 if name.endswith("weight") else 0)
    return x * np.float32(math.sqrt(3 / math.prod(shape[1:])))
