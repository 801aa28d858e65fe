"""Transforms that are done sometimes, or with a random strength."""

from __future__ import annotations

from typing import Any

import numpy as np

from anfora.core.errors import OpTypeError, OpValueError
from anfora.dataset import checks
from anfora.dataset.seeds import draws
from anfora.dataset.vision.base import OfArrays, Picture, Sometimes, pil
from anfora.dataset.vision.values import AdjustSharpness, AutoContrast, Equalize, Posterize, Solarize

__all__ = [
    "RandomAdjustSharpness", "RandomAutoContrast", "RandomEqualize", "RandomLighting", "RandomPosterize", "RandomSolarize",
]  # fmt: skip


class RandomAutoContrast(OfArrays, Sometimes, AutoContrast):
    """`AutoContrast`, sometimes.

    Args:
        cutoff, ignore: as for AutoContrast.
        prob: how probably.
    """

    def __init__(self, cutoff: float = 0.0, ignore: Any = None, prob: float = 0.5) -> None:
        AutoContrast.__init__(self, cutoff, ignore)
        Sometimes.__init__(self, prob)


class RandomEqualize(OfArrays, Sometimes, Equalize):
    """`Equalize`, sometimes.

    Args:
        prob: how probably.
    """


class RandomAdjustSharpness(Sometimes, AdjustSharpness):
    """`AdjustSharpness`, sometimes.

    Args:
        degree: the factor.
        prob: how probably.
    """

    def __init__(self, degree: float, prob: float = 0.5) -> None:
        self.check("degree", degree)
        Sometimes.__init__(self, prob)


class RandomPosterize(OfArrays):
    """`Posterize` with a random number of bits.

    Args:
        bits: (least, most), or one number, in [1, 8].
    """

    random = True

    def __init__(self, bits: Any = (8, 8)) -> None:
        given = (bits, bits) if checks.is_integer(bits) else bits
        if not isinstance(given, (list, tuple)) or len(given) != 2:
            raise OpTypeError(f"bits should be an integer or two, but got {bits!r}", arg="bits")
        low, high = (checks.integer_in("bits", number, 1, 8) for number in given)
        if low > high:
            raise OpValueError(
                "Input bits range is not valid: should be in (min,max) format. Got (max,min).", arg="bits"
            )
        self.bits = low, high

    def array(self, image: np.ndarray) -> Any:
        return Posterize(draws.stream.randint(*self.bits))(image)


class RandomSolarize(OfArrays):
    """`Solarize` between random thresholds.

    Args:
        threshold: (least, most) of both, in [0, 255].
    """

    random = True

    def __init__(self, threshold: Any = (0, 255)) -> None:
        if not isinstance(threshold, tuple) or len(threshold) != 2:
            raise OpTypeError(f"threshold should be a tuple of two integers, but got {threshold!r}", arg="threshold")
        low, high = (checks.integer_in("threshold", number, 0, 255) for number in threshold)
        if low > high:
            raise OpValueError("threshold should be in (min,max) format. Got (max,min).", arg="threshold")
        self.threshold = low, high

    def array(self, image: np.ndarray) -> Any:
        return Solarize(tuple(sorted(draws.stream.randint(*self.threshold) for _ in range(2))))(image)


#: Principal components of the colours of ImageNet, times the roots of their variances (Krizhevsky et al., NeurIPS 2012).
_LIGHT = np.array([[-0.5675, 0.7192, 0.4009], [-0.5808, -0.0045, -0.8140], [-0.5836, -0.6948, 0.4203]]) * [
    55.46, 4.794, 1.148
]  # fmt: skip


class RandomLighting(Picture):
    """The colours of all pixels moved by one random amount, along the directions in which those of photographs vary.

    Args:
        alpha: the standard deviation of the amounts.
    Takes images with three channels, in [0, 255].
    """

    random = True

    def __init__(self, alpha: float = 0.05) -> None:
        self.alpha = checks.number("alpha", alpha, 0)

    def array(self, image: np.ndarray) -> np.ndarray:
        if image.ndim != 3 or image.shape[2] != 3:
            raise OpTypeError(f"RandomLighting: the image should be of shape <H,W,3>, but got {image.shape}")
        amounts = [draws.stream.gauss(0, self.alpha) for _ in range(3)]
        return np.clip(image + _LIGHT @ amounts, 0, 255).astype(image.dtype)

    def picture(self, image: Any) -> Any:
        return pil().Image.fromarray(self.array(np.asarray(image if image.mode == "RGB" else image.convert("RGB"))))
