"""The handwritten digits that come with the package."""

from __future__ import annotations

from pathlib import Path

import numpy as np

__all__ = ["digits", "enlarge"]


def digits(size: int = 32) -> tuple[np.ndarray, np.ndarray]:
    """The 1,797 digits of the UCI set, enlarged.

    Args:
        size: pixels of a side; the originals have 8.
    Returns:
        images (1797, 1, size, size) float32 in [0, 1], labels (1797,) int32.
    """
    with np.load(Path(__file__).with_name("digits.npz")) as file:
        # pixel by pixel they lie in the file, which so is smaller in the wheel
        images = np.ascontiguousarray(file["images"].transpose(2, 0, 1), np.float32) / 16
        labels = file["labels"].astype(np.int32)
    return enlarge(images, size)[:, None], labels


def enlarge(images: np.ndarray, size: int) -> np.ndarray:
    """Square images (N, H, H) at another size (N, size, size), bilinear between pixel centres."""
    side = images.shape[-1]
    if side == size:
        return images
    weights = np.zeros((size, side), np.float32)
    at = np.clip((np.arange(size) + 0.5) * side / size - 0.5, 0, side - 1)
    low = np.minimum(at.astype(int), side - 2)
    weights[np.arange(size), low] = 1 - (at - low)
    weights[np.arange(size), low + 1] = at - low
    return np.ascontiguousarray(weights @ images @ weights.T)
