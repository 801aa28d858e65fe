"""Fashion-MNIST as batches of normalised images."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import anfora.dataset as ds
from anfora.data.fetched import fashion_mnist
from anfora.examples.recipes.recipe import Recipe

__all__ = ["FashionRecipe", "flipped", "normalised"]


class FashionRecipe(Recipe):
    """Pictures of clothes, 28 x 28 pixels in grey, of ten kinds."""

    margin = 0  #: pixels that are put around an image
    shift = 0  #: by how many pixels an image to learn from is moved at most, to any side

    def load(self, folder: Path | None) -> None:
        parts = fashion_mnist(folder)
        self.arrays = {
            f"{part} {what}": array
            for part, pair in parts.items()
            for what, array in zip(("images", "labels"), pair)
        }  # fmt: skip

    def _rows(self, part: str) -> dict[str, np.ndarray]:
        return {"image": self.arrays[f"{part} images"], "label": self.arrays[f"{part} labels"].astype(np.int32)}

    def learn(self) -> ds.Dataset:
        rows = ds.NumpySlicesDataset(self._rows("train"), shuffle=True).batch(self.batch, drop_remainder=True)
        return rows.map([flipped, self._moved, self._network_sees], ["image"])

    def look(self) -> ds.Dataset:
        return ds.NumpySlicesDataset(self._rows("test"), shuffle=False).batch(250).map(self._network_sees, ["image"])

    def _moved(self, images: np.ndarray) -> np.ndarray:
        return moved(images, self.shift) if self.shift else images

    def _network_sees(self, images: np.ndarray) -> np.ndarray:
        """Bytes (N, H, W) as the network takes them: float32 (N, 1, H, W)."""
        margin = ((0, 0), (self.margin, self.margin), (self.margin, self.margin))
        return normalised(np.pad(images, margin))[:, None]


def normalised(images: np.ndarray) -> np.ndarray:
    """Bytes as float32, of mean 0 and deviation 1 over the images to learn from."""
    return (images.astype(np.float32) / np.float32(255) - np.float32(0.286)) / np.float32(0.353)


# The pipeline seeds numpy for each batch from its own seed, the epoch and the batch's number, so these draws are the same
# for any number of workers, and when a training is resumed.


def flipped(images: np.ndarray) -> np.ndarray:
    """Every other image, by chance, with left and right exchanged."""
    chosen = np.random.random(len(images)) < 0.5
    return np.where(chosen[:, None, None], images[:, :, ::-1], images)


def moved(images: np.ndarray, most: int) -> np.ndarray:
    """Images moved by up to so many pixels, up or down and left or right, by chance."""
    n, height, width = images.shape
    padded = np.pad(images, ((0, 0), (most, most), (most, most)))
    down, right = np.random.randint(0, 2 * most + 1, (2, n, 1))
    rows, columns = np.arange(height) + down, np.arange(width) + right
    return padded[np.arange(n)[:, None, None], rows[:, :, None], columns[:, None, :]]
