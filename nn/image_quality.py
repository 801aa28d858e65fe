"""How alike two images are: the noise between them, and their structure seen through a window that slides over them."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from anfora import ops
from anfora.core import exact
from anfora.core.cell import Cell
from anfora.core.dtype import float32
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.tensor import Tensor
from anfora.nn.checks import number, positive_int
from anfora.optim.checks import real

__all__ = ["MSSSIM", "PSNR", "SSIM"]


class ImagesError(OpTypeError, OpValueError):
    """Images whose shapes do not fit; MindSpore raises a TypeError for some of them, a ValueError for others."""


def _images(owner: str, img1: Tensor, img2: Tensor) -> None:
    """Refuse what is no pair of batches of images of one shape."""
    for name, image in (("img1", img1), ("img2", img2)):
        if not isinstance(image, Tensor):
            raise OpTypeError(f"{owner} needs a tensor for `{name}`, but got {type(image).__name__}", arg=name)
        if image.ndim != 4:
            raise ImagesError(f"{owner} needs images (N, C, H, W) for `{name}`, but got {list(image.shape)}", arg=name)
    if img1.shape != img2.shape:
        raise ImagesError(f"{owner} needs images of one shape, but got {list(img1.shape)} and {list(img2.shape)}")
    if img1.dtype is not img2.dtype:
        raise OpTypeError(f"{owner} needs images of one type, but got {img1.dtype} and {img2.dtype}")


class PSNR(Cell):
    """The peak signal-to-noise ratio of two batches of images, in decibels: 10 log10(max_val² / mean((x - y)²)).

    Args:
        max_val: the range of the values, > 0: 255 for images of bytes.
    Returns of `construct(img1, img2)`, images (N, C, H, W):
        float32 tensor (N,); infinite where both are the same.
    Example:
        >>> ratio = PSNR(255)(Tensor([[[[1, 2], [3, 4]]]]), Tensor([[[[3, 4], [5, 6]]]]))
        >>> round(ratio.item(), 3)
        42.11
    """

    def __init__(self, max_val: float = 1.0) -> None:
        super().__init__()
        self.max_val = number("PSNR", "max_val", max_val, above=0.0)

    def construct(self, img1: Tensor, img2: Tensor) -> Tensor:
        _images("PSNR", img1, img2)
        difference = img1.astype(float32) - img2.astype(float32)
        return ops.log10(self.max_val * self.max_val / (difference * difference).mean((1, 2, 3))) * 10.0


class _Structural(Cell):
    """What both measures share: means, variances and covariance under a window of Gaussian weights."""

    filter_size: int
    _c1: float
    _c2: float
    _weights: np.ndarray

    def __init__(self, max_val: float, filter_size: int, filter_sigma: float, k1: float, k2: float) -> None:
        super().__init__()
        owner = type(self).__name__
        if isinstance(max_val, bool) or not isinstance(max_val, numbers.Real):
            raise OpTypeError(f"{owner} needs a number for `max_val`, but got {max_val!r}", arg="max_val")
        self.max_val = number(owner, "max_val", max_val, above=0.0)
        self.filter_size = positive_int(owner, "filter_size", filter_size)
        self.filter_sigma = real(owner, "filter_sigma", filter_sigma, above=0.0)
        self.k1, self.k2 = (real(owner, name, k, above=0.0) for name, k in (("k1", k1), ("k2", k2)))
        self._c1, self._c2 = ((k * self.max_val) * (k * self.max_val) for k in (self.k1, self.k2))
        places = [place - (filter_size - 1) / 2 for place in range(filter_size)]
        weights = np.array([exact.exp(-(x * x) / (2 * filter_sigma * filter_sigma)) for x in places])
        total = weights.sum()
        self._weights = np.outer(weights, weights) / (total * total)

    def _compared(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """For each channel the mean over all windows of the whole measure, and of its contrast and structure alone."""
        window = Tensor(self._weights, x.dtype).reshape(1, 1, self.filter_size, self.filter_size)

        def means(images: Tensor) -> Tensor:
            planes = images.reshape(-1, 1, *images.shape[2:])
            found = ops.conv2d(planes, window)
            return found.reshape(*images.shape[:2], *found.shape[2:])

        mean_x, mean_y = means(x), means(y)
        luminance = (2 * mean_x * mean_y + self._c1) / (mean_x * mean_x + mean_y * mean_y + self._c1)
        covariance = 2 * (means(x * y) - mean_x * mean_y)
        variances = means(x * x + y * y) - (mean_x * mean_x + mean_y * mean_y)
        structure = (covariance + self._c2) / (variances + self._c2)
        return (luminance * structure).mean((2, 3)), structure.mean((2, 3))

    def _checked(self, img1: Tensor, img2: Tensor, times: int = 1) -> tuple[Tensor, Tensor]:
        owner = type(self).__name__
        _images(owner, img1, img2)
        least = min(img1.shape[2:]) // times
        if least < self.filter_size:
            raise OpValueError(
                f"{owner}: a window of {self.filter_size} does not fit into images {list(img1.shape)}"
                + (f" at 1/{times} of their size" if times > 1 else "")
            )
        if not img1.dtype.is_float:
            return img1.astype(float32), img2.astype(float32)
        return img1, img2


class SSIM(_Structural):
    """The structural similarity of two batches of images: 1 where they are the same.

    With means m, variances v and covariance c under a window, c1 = (k1 max_val)² and c2 = (k2 max_val)², it is the mean
    over windows and channels of (2 m_x m_y + c1) (2 c + c2) / ((m_x² + m_y² + c1) (v_x + v_y + c2)).

    Args:
        max_val: the range of the values, > 0.
        filter_size: the length of the window, > 0.
        filter_sigma: the standard deviation of its Gaussian weights, > 0.
        k1, k2: small numbers > 0.
    Returns of `construct(img1, img2)`, images (N, C, H, W):
        tensor (N,).
    Source:
        Wang, Bovik, Sheikh & Simoncelli, IEEE Trans. Image Process. 13 (2004).
    Example:
        >>> image = ops.arange(256.0).reshape(1, 1, 16, 16) / 255
        >>> round(SSIM()(image, image).item(), 5), SSIM()(image, 1 - image).item() < 0.2
        (1.0, True)
    """

    def __init__(
        self, max_val: float = 1.0, filter_size: int = 11, filter_sigma: float = 1.5, k1: float = 0.01, k2: float = 0.03
    ) -> None:
        super().__init__(max_val, filter_size, filter_sigma, k1, k2)

    def construct(self, img1: Tensor, img2: Tensor) -> Tensor:
        return self._compared(*self._checked(img1, img2))[0].mean(-1)


class MSSSIM(_Structural):
    """The structural similarity of two batches of images at several scales, each half as large as the one before.

    It is the mean over channels of the product of contrast and structure at each scale, and of the whole measure at the
    last, each (or 0 where it is negative) to its power.

    Args:
        max_val, filter_size, filter_sigma, k1, k2: see `SSIM`.
        power_factors: the powers, one for each scale.
    Returns of `construct(img1, img2)`, images (N, C, H, W):
        tensor (N,).
    Source:
        Wang, Simoncelli & Bovik, Asilomar Conf. Signals, Systems & Computers (2003).
    Example:
        >>> image = ops.arange(1024.0).reshape(1, 1, 32, 32) / 1023
        >>> round(MSSSIM(power_factors=(0.5, 0.5))(image, image).item(), 5)
        1.0
    """

    def __init__(
        self, max_val: float = 1.0, power_factors: Sequence[float] = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
        filter_size: int = 11, filter_sigma: float = 1.5, k1: float = 0.01, k2: float = 0.03,
    ) -> None:  # fmt: skip
        super().__init__(max_val, filter_size, filter_sigma, k1, k2)
        if not isinstance(power_factors, (tuple, list)) or not power_factors:
            raise OpTypeError(
                f"MSSSIM needs a tuple or list for `power_factors`, but got {power_factors!r}", arg="power_factors"
            )
        self.power_factors = tuple(number("MSSSIM", "power_factors", power) for power in power_factors)

    def construct(self, img1: Tensor, img2: Tensor) -> Tensor:
        x, y = self._checked(img1, img2, 2 ** (len(self.power_factors) - 1))
        result: Any = 1.0
        for scale, power in enumerate(self.power_factors):
            if scale:
                x, y = ops.avg_pool2d(x, 2, 2), ops.avg_pool2d(y, 2, 2)
            whole, structure = self._compared(x, y)
            last = scale == len(self.power_factors) - 1
            result = result * ops.relu(whole if last else structure) ** power
        return result.mean(-1)

    def extend_repr(self) -> str:
        return f"scales={len(self.power_factors)}, smallest=1/{2 ** (len(self.power_factors) - 1)}"
