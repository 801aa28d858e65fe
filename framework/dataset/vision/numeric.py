"""Transforms that compute with what pixels hold: gamma, colour spaces, linear maps, rectangles of one value."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from anfora.core import exact
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.core.tensor import Tensor
from anfora.dataset import checks
from anfora.dataset.vision.base import OfArrays, Picture, fill_of
from anfora.dataset.vision.values import Normalize

__all__ = ["AdjustGamma", "Erase", "HsvToRgb", "LinearTransformation", "NormalizePad", "RgbToHsv"]


class AdjustGamma(Picture):
    """gain · 255 · (x / 255) ** gamma.

    Args:
        gamma: above 1 makes shadows darker, below 1 lighter; not negative.
        gain: a factor.
    """

    ranks = ()

    def __init__(self, gamma: float, gain: float = 1) -> None:
        self.gamma = checks.number("gamma", gamma, 0)
        self.gain = checks.number("gain", gain)

    def array(self, image: np.ndarray) -> np.ndarray:
        if image.ndim < 2:
            raise OpRuntimeError(
                f"AdjustGamma: input tensor is not in shape of <...,H,W,C> or <H,W>, got {image.shape}"
            )
        if image.dtype.kind == "f":
            from anfora import ops  # whose bits are the same on all machines

            raised = ops.pow(Tensor(image), self.gamma).asnumpy()
            return np.clip(raised * np.array(self.gain, image.dtype), 0, 1)
        if image.dtype != np.uint8:
            raise OpRuntimeError(f"AdjustGamma: type of input image should be uint8 or float, but got {image.dtype}")
        shares = np.array([exact.power(float(np.float32(level) / np.float32(255)), self.gamma) for level in range(256)])
        levels = shares.astype(np.float32) * np.float32(256 - 1e-3) * np.float32(self.gain)
        return np.floor(np.clip(levels, 0, 255)).astype(np.uint8)[image]

    def picture(self, image: Any) -> Any:
        levels = [int((256 - 1e-3) * self.gain * exact.power(level / 255.0, self.gamma)) for level in range(256)]
        return image.point(levels * len(image.getbands()))


class NormalizePad(Normalize):
    """`Normalize`, and a channel of zeros more.

    Args:
        mean, std: a number for each channel.
        dtype: "float32" or "float16".
        is_hwc: whether the channels are the last axis, or the first.
    """

    def __init__(self, mean: Any, std: Any, dtype: str = "float32", is_hwc: bool = True) -> None:
        super().__init__(mean, std, is_hwc)
        if dtype not in ("float32", "float16"):
            raise OpValueError("dtype is not float32 or float16", arg="dtype")
        self.dtype = dtype

    def array(self, image: np.ndarray) -> np.ndarray:
        return self._padded(super().array(image))

    def many(self, column: Any) -> Any:
        return [self(row) for row in column]

    def _padded(self, made: np.ndarray) -> np.ndarray:
        axis = -1 if self.is_hwc else 0
        if made.ndim != 3:
            raise OpRuntimeError(f"NormalizePad: image shape should be <H,W,C>, but got {made.shape}")
        zeros = np.zeros_like(np.take(made, [0], axis))
        return np.concatenate([made, zeros], axis).astype(self.dtype)


class _Colours(Picture):
    """Base of changes between RGB and HSV, all numbers in [0, 1].

    Args:
        is_hwc: whether the channels are the last axis, (…, H, W, 3), or the third last, (…, 3, H, W).
    """

    ranks = (3, 4)

    def __init__(self, is_hwc: bool = False) -> None:
        self.is_hwc = checks.boolean("is_hwc", is_hwc)

    def array(self, image: np.ndarray) -> np.ndarray:
        axis = -1 if self.is_hwc else -3
        if image.shape[axis] != 3:
            raise OpTypeError(f"{type(self).__name__}: the image should have 3 channels, but has shape {image.shape}")
        first, second, third = np.moveaxis(image.astype(np.float64), axis, 0)
        return np.stack(self.changed(first, second, third), axis)

    @staticmethod
    def changed(first: np.ndarray, second: np.ndarray, third: np.ndarray) -> list[np.ndarray]:
        raise NotImplementedError


class RgbToHsv(_Colours):
    """Red, green and blue as hue, saturation and value, all in [0, 1].

    Args:
        is_hwc: whether the channels are the last axis, or the third last.
    Example:
        >>> RgbToHsv(is_hwc=True)(np.array([[[1.0, 0.5, 0.5]]])).tolist()
        [[[0.0, 0.5, 1.0]]]
    """

    @staticmethod
    def changed(first: np.ndarray, second: np.ndarray, third: np.ndarray) -> list[np.ndarray]:
        red, green, blue = first, second, third
        value, least = np.maximum(np.maximum(red, green), blue), np.minimum(np.minimum(red, green), blue)
        spread = value - least
        with np.errstate(divide="ignore", invalid="ignore"):
            saturation = np.where(spread == 0, 0.0, spread / value)
            from_red, from_green, from_blue = ((value - part) / spread for part in (red, green, blue))
            hue = np.where(
                red == value, from_blue - from_green,
                np.where(green == value, 2.0 + from_red - from_blue, 4.0 + from_green - from_red),
            )  # fmt: skip
            hue = np.where(spread == 0, 0.0, (hue / 6.0) % 1.0)
        return [hue, saturation, value]


class HsvToRgb(_Colours):
    """Hue, saturation and value as red, green and blue, all in [0, 1].

    Args:
        is_hwc: whether the channels are the last axis, or the third last.
    Example:
        >>> HsvToRgb(is_hwc=True)(np.array([[[0.0, 0.5, 1.0]]])).tolist()
        [[[1.0, 0.5, 0.5]]]
    """

    @staticmethod
    def changed(first: np.ndarray, second: np.ndarray, third: np.ndarray) -> list[np.ndarray]:
        hue, saturation, value = first, second, third
        sector = np.trunc(hue * 6.0)
        rest = hue * 6.0 - sector
        low = value * (1.0 - saturation)
        down, up = value * (1.0 - saturation * rest), value * (1.0 - saturation * (1.0 - rest))
        place = sector.astype(np.int64) % 6
        return [
            np.choose(place, [value, down, low, low, up, value]), np.choose(place, [up, value, value, down, low, low]),
            np.choose(place, [low, low, up, value, value, down]),
        ]  # fmt: skip


class LinearTransformation(Picture):
    """An array (C, H, W) as one long row, minus a vector, times a matrix; as for whitening.

    Args:
        transformation_matrix: (C·H·W, C·H·W).
        mean_vector: (C·H·W,).
    """

    ranks = ()

    def __init__(self, transformation_matrix: Any, mean_vector: Any) -> None:
        for name, value, axes in (
            ("transformation_matrix", transformation_matrix, 2), ("mean_vector", mean_vector, 1),
        ):  # fmt: skip
            if not isinstance(value, np.ndarray) or value.ndim != axes:
                raise OpTypeError(f"{name} should be an array with {axes} axes, but got {value!r}", arg=name)
        if transformation_matrix.shape[0] != transformation_matrix.shape[1]:
            raise OpValueError(f"transformation_matrix should be square, but has shape {transformation_matrix.shape}")
        if len(mean_vector) != len(transformation_matrix):
            raise OpValueError(
                f"mean_vector has {len(mean_vector)} numbers for a transformation_matrix of {len(transformation_matrix)}"
            )
        self.matrix, self.mean = transformation_matrix, mean_vector

    def array(self, image: np.ndarray) -> np.ndarray:
        if math.prod(image.shape) != len(self.matrix):
            raise OpValueError(
                f"LinearTransformation: an image of shape {image.shape} does not fit a matrix of {self.matrix.shape}"
            )
        return ((image.reshape(1, -1) - self.mean) @ self.matrix).reshape(image.shape)


class Erase(OfArrays):
    """A rectangle set to a value.

    Args:
        top, left: its first row and column.
        height, width: its size; what is outside of the image does not count.
        value: a number, or one for each of three channels, in [0, 255].
        inplace: without effect: what is given stays as it is.
    """

    def __init__(self, top: int, left: int, height: int, width: int, value: Any = 0.0, inplace: bool = False) -> None:
        self.top, self.left = checks.integer_in("top", top, 0), checks.integer_in("left", left, 0)
        self.height, self.width = checks.integer_in("height", height, 1), checks.integer_in("width", width, 1)
        self.value = fill_of(int(value) if isinstance(value, float) and value.is_integer() else value)
        checks.boolean("inplace", inplace)

    def array(self, image: np.ndarray) -> np.ndarray:
        if self.height > image.shape[0] or self.width > image.shape[1]:
            raise OpRuntimeError(
                f"Erase: the rectangle ({self.height}, {self.width}) is larger than the image, {image.shape[:2]}"
            )
        out = image.copy()
        value = self.value if image.ndim == 3 and image.shape[2] == 3 else self.value[0]
        out[self.top : self.top + self.height, self.left : self.left + self.width] = value
        return out
