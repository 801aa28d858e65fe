"""Transforms that mix the images of a batch, and their labels with them."""

from __future__ import annotations

from typing import Any

import numpy as np

from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.core.tensor import Tensor
from anfora.dataset import checks
from anfora.dataset.functions import Transform
from anfora.dataset.seeds import draws
from anfora.dataset.vision.base import enum_of, probability
from anfora.dataset.vision.enums import ImageBatchFormat

__all__ = ["CutMixBatch", "MixUp", "MixUpBatch"]


def _both(what: str, fields: tuple[Any, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Images and labels of a batch."""
    if len(fields) != 2:
        raise OpRuntimeError(f"{what}: both image and label columns are required, but got {len(fields)} columns")
    images, labels = (field.asnumpy() if isinstance(field, Tensor) else np.asarray(field) for field in fields)
    if images.ndim != 4 or labels.ndim not in (2, 3) or len(images) != len(labels):
        raise OpRuntimeError(
            f"{what}: images should be a batch of shape <N,H,W,C> or <N,C,H,W> and labels one-hot, of shape <N,classes> or"
            f" <N,L,classes>, but got {images.shape} and {labels.shape}"
        )
    return images, labels


def _positive(name: str, value: Any) -> float:
    if checks.number(name, value) <= 0:
        raise OpValueError(f"Input {name} must be greater than 0, but got {value}.", arg=name)
    return value


def _share(alpha: float) -> float:
    return draws.stream.betavariate(alpha, alpha)


def _mixed(share: float, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return share * first + (1 - share) * second


class MixUpBatch(Transform):
    """Each image mixed with another one of its batch, with random shares; the labels too.

    Args:
        alpha: the shares are those of the beta distribution (alpha, alpha).
    Takes images (N, …) and one-hot labels, gives images of the same type and labels float32.
    """

    random = True
    one_to_one = False

    def __init__(self, alpha: float = 1.0) -> None:
        self.alpha = _positive("alpha", alpha)

    def __call__(self, *fields: Any) -> Any:
        images, labels = _both("MixUpBatch", fields)
        others = list(range(len(images)))
        draws.stream.shuffle(others)
        share = _share(self.alpha)
        mixed = _mixed(share, images.astype(np.float32), images[others].astype(np.float32))
        labels = labels.astype(np.float32)
        return mixed.astype(images.dtype), _mixed(share, labels, labels[others]).astype(np.float32)


class CutMixBatch(Transform):
    """A random rectangle of each image from another one of its batch; the labels mixed by the areas.

    Args:
        image_batch_format: an ImageBatchFormat: NHWC or NCHW.
        alpha: the areas are those of the beta distribution (alpha, alpha).
        prob: how probably an image is changed.
    """

    random = True
    one_to_one = False

    def __init__(self, image_batch_format: ImageBatchFormat, alpha: float = 1.0, prob: float = 1.0) -> None:
        self.format = enum_of("image_batch_format", image_batch_format, ImageBatchFormat)
        self.alpha, self.prob = _positive("alpha", alpha), probability(prob)

    def __call__(self, *fields: Any) -> Any:
        images, labels = _both("CutMixBatch", fields)
        last = self.format is ImageBatchFormat.NHWC
        if images.shape[3 if last else 1] not in (1, 3):
            raise OpRuntimeError(f"CutMixBatch: image doesn't match the {self.format.name} format, got {images.shape}.")
        if labels.dtype.kind not in "iub":
            raise OpTypeError(f"CutMixBatch: labels should be integers, but got {labels.dtype}")
        stream = draws.stream
        others = list(range(len(images)))
        stream.shuffle(others)
        out, mixed = images.copy(), labels.astype(np.float32)
        height, width = images.shape[1:3] if last else images.shape[2:4]
        for number, other in enumerate(others):
            share, wanted = _share(self.alpha), stream.random() < self.prob
            middle_y, middle_x = stream.randint(0, height), stream.randint(0, width)
            if not wanted:
                continue
            high, wide = int(height * (1 - share)), int(width * (1 - share))
            top, bottom = (min(max(y, 0), height) for y in (middle_y - high // 2, middle_y + high // 2))
            left, right = (min(max(x, 0), width) for x in (middle_x - wide // 2, middle_x + wide // 2))
            part = slice(top, bottom), slice(left, right)
            place: tuple[slice, ...] = (*part, slice(None)) if last else (slice(None), *part)
            out[number][place] = images[other][place]
            kept = 1 - (bottom - top) * (right - left) / (height * width)
            mixed[number] = _mixed(kept, labels[number], labels[other])
        return out, mixed


class MixUp(Transform):
    """Images mixed with those after them in their batch, or with those of the batch before, each by its own share.

    Args:
        batch_size: of the batches.
        alpha: the shares are those of the beta distribution (alpha, alpha).
        is_single: whether images of one batch are mixed; else with the batch before, which needs one worker.
    Takes images (N, …) and one-hot labels (N, classes); gives both float64.
    """

    random = True
    one_to_one = False

    def __init__(self, batch_size: int, alpha: float, is_single: bool = True) -> None:
        self.batch_size = checks.integer_in("batch_size", batch_size, 1)
        self.alpha = _positive("alpha", alpha)
        self.is_single = checks.boolean("is_single", is_single)
        self.before: tuple[np.ndarray, np.ndarray] | None = None

    @property
    def is_pure(self) -> bool:
        return self.is_single

    def __call__(self, *fields: Any) -> Any:
        images, labels = _both("MixUp", fields)
        if len(images) != self.batch_size:
            raise OpRuntimeError(f"MixUp: batches should have {self.batch_size} images, but got {len(images)}")
        shares = np.array([_share(self.alpha) for _ in images])
        if self.is_single:
            others = np.roll(images, -1, 0), np.roll(labels, -1, 0)
        elif self.before is None:
            shares[:], others = 1, (images, labels)
        else:
            others = self.before

        def mixed(first: np.ndarray, second: np.ndarray) -> np.ndarray:
            part = shares.reshape(-1, *[1] * (first.ndim - 1))
            return part * first + (1 - part) * second

        made = mixed(images, others[0]), mixed(labels, others[1])
        if not self.is_single:
            self.before = made
        return made
