"""Transforms that change what pixels hold: numbers, channels, colours."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.dataset import checks
from anfora.dataset.seeds import draws
from anfora.dataset.transforms import TypeCast
from anfora.dataset.vision.base import OfArrays, Picture, Sometimes, cv, enum_of, is_pil, like, pil, probability
from anfora.dataset.vision.enums import ConvertMode

__all__ = [
    "AdjustBrightness", "AdjustContrast", "AdjustHue", "AdjustSaturation", "AdjustSharpness", "AutoContrast",
    "ConvertColor", "CutOut",
    "Equalize", "GaussianBlur", "Grayscale", "Invert", "Normalize", "Posterize", "RandomColor", "RandomColorAdjust",
    "RandomErasing", "RandomGrayscale", "RandomInvert", "RandomSharpness", "Rescale", "Solarize", "ToNumpy", "ToPIL",
    "ToTensor", "ToType",
]  # fmt: skip


class Rescale(Picture):
    """x · rescale + shift, as float32.

    Args:
        rescale, shift: numbers.
    """

    ranks = ()

    def __init__(self, rescale: float, shift: float) -> None:
        for name, value in (("rescale", rescale), ("shift", shift)):
            if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
                raise OpTypeError(
                    f"Argument {name} with value {value} is not of type [<class 'numbers.Number'>], but got {type(value)}.",
                    arg=name,
                )
        # Products are rounded only once the shift is added, as the fused instruction does it that MindSpore uses.
        self.rescale, self.shift = float(np.float32(rescale)), float(np.float32(shift))
        self._of_bytes = (np.arange(256) * self.rescale + self.shift).astype(np.float32)

    def array(self, image: np.ndarray) -> np.ndarray:
        if image.dtype == np.uint8:
            return self._of_bytes[image]
        # numpy would keep to float32, of an array with a number
        return (np.multiply(image, self.rescale, dtype=np.float64) + self.shift).astype(np.float32)

    def many(self, column: Any) -> Any:
        return self.array(column) if isinstance(column, np.ndarray) else [self(row) for row in column]


class Normalize(Picture):
    """(x − mean) / std, channel by channel, as float32.

    Args:
        mean, std: a number for each channel, or one for all; in [0, 255], std not 0.
        is_hwc: whether the channels are the last axis; else they are the first.
    """

    def __init__(self, mean: Any, std: Any, is_hwc: bool = True) -> None:
        for name, value in (("mean", mean), ("std", std)):
            if not isinstance(value, (list, tuple)):
                raise checks.wrong_type(name, value, list, tuple)
        if len(mean) != len(std):
            raise OpValueError("Length of mean and std must be equal.")
        for name, value in (("mean", mean), ("std", std)):
            for place, item in enumerate(value):
                checks.number(f"{name}[{place}]", item)
                if name == "std" and not 0 < item <= 255:
                    raise OpValueError(
                        f"Input std[{place}] is not within the required interval of (0, 255].", arg="std"
                    )
                if name == "mean" and not 0 <= item <= 255:
                    raise OpValueError(
                        f"Input mean[{place}] is not within the required interval of [0, 255].", arg="mean"
                    )
        self.mean, self.std = np.array(mean, np.float32), np.array(std, np.float32)
        self.is_hwc = checks.boolean("is_hwc", is_hwc)

    def array(self, image: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(self._normal(image, image.ndim == 3))

    def _normal(self, images: np.ndarray, channels: bool, planes: Any = None) -> np.ndarray:
        """The images; in `planes`, with channels in front of rows, if it is given and can be used."""
        mean, std = self.mean, self.std
        count = (images.shape[-1] if self.is_hwc else images.shape[-3]) if channels else 1
        if len(mean) not in (1, count):
            raise OpRuntimeError(f"Normalize: number of channels does not match the size of mean and std vectors, got"
                                 f" channels: {count}, size of mean: {len(mean)}")  # fmt: skip
        if self.is_hwc and channels and count in (2, 3, 4):
            # Channel by channel, in memory where channels come first: then HWC2CHW, which mostly follows, costs nothing.
            if planes is None:
                planes = np.empty((*images.shape[:-3], count, *images.shape[-3:-1]), np.float32)
            if images.dtype == np.uint8:
                from anfora.kernel.pixels import normal_planes

                shape = (math.prod(images.shape[:-3]), *images.shape[-3:])
                means, stds = (np.broadcast_to(value, count).copy() for value in (mean, std))
                normal_planes(np.ascontiguousarray(images).reshape(shape), means, stds, planes)
                return np.moveaxis(planes, -3, -1)
            for channel in range(count):
                plane = planes[..., channel, :, :]
                place = channel if len(mean) > 1 else 0
                np.subtract(images[..., channel], mean[place], out=plane, dtype=np.float32, casting="unsafe")
                plane /= std[place]
            return np.moveaxis(planes, -3, -1)
        if len(mean) > 1 and not self.is_hwc:
            mean, std = mean[:, None, None], std[:, None, None]
        out = np.subtract(images, mean, dtype=np.float32, casting="unsafe")
        out /= std
        return out

    def many(self, column: Any) -> Any:
        if isinstance(column, np.ndarray) and column.ndim in (3, 4):
            return self._normal(column, column.ndim == 4)
        return [self(row) for row in column]

    def write_into(self, column: Any, place: np.ndarray) -> bool:
        if not (isinstance(column, np.ndarray) and column.ndim == 4 and self.is_hwc and column.shape[-1] in (2, 3, 4)):
            return False
        planes = np.moveaxis(place, -1, -3)
        if place.shape != column.shape or place.dtype != np.float32 or not planes.flags.c_contiguous:
            return False
        self._normal(column, True, planes)
        return True


class ToTensor(Picture):
    """Channels as first axis, and values divided by 255.

    Args:
        output_type: the element type of the result.
    Takes a PIL image or an array (H, W) or (H, W, C); gives (C, H, W).
    """

    def __init__(self, output_type: Any = np.float32) -> None:
        self._cast = TypeCast(output_type)

    def array(self, image: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(self.many(image[None])[0])

    def many(self, column: Any) -> Any:
        if not isinstance(column, np.ndarray) or column.ndim not in (3, 4):
            return [self(row) for row in column]
        if column.ndim == 3:
            column = column[..., None]
        wide = (
            np.float32 if column.dtype == np.float32 or column.itemsize < 4 else np.float64
        )  # the type of the product
        shares = np.multiply(column, wide(np.float32(1 / 255)), dtype=wide).astype(np.float32, copy=False)
        return self._cast.many(shares).transpose(0, 3, 1, 2)

    def picture(self, image: Any) -> np.ndarray:
        values = np.asarray(image)
        planes = np.atleast_3d(values).transpose(2, 0, 1)
        return np.ascontiguousarray(self._cast.many(planes / 255))


class ToPIL(Picture):
    """An array (H, W) or (H, W, C) as a PIL image."""

    def array(self, image: np.ndarray) -> Any:
        if image.ndim == 3 and image.shape[2] == 1:
            image = image[..., 0]
        return pil().Image.fromarray(image)

    def picture(self, image: Any) -> Any:
        return image


class ToNumpy(Picture):
    """A PIL image as an array."""

    ranks = ()

    def array(self, image: np.ndarray) -> np.ndarray:
        return image

    def picture(self, image: Any) -> np.ndarray:
        return np.array(image)


class ToType(TypeCast):
    """Another element type.

    Args:
        data_type: a type of anfora or numpy.
    """


class Invert(Picture):
    """255 − x."""

    def array(self, image: np.ndarray) -> np.ndarray:
        _three(self, image)
        return 255 - image

    def picture(self, image: Any) -> Any:
        return pil().ImageOps.invert(image)


def _three(transform: Any, image: np.ndarray) -> None:
    if image.ndim != 3 or image.shape[2] != 3:
        raise OpRuntimeError(
            f"{type(transform).__name__}: image shape is incorrect, expected num of channels: 3, but got {image.shape}"
        )


class RandomInvert(OfArrays, Sometimes, Invert):
    """255 − x, sometimes.

    Args:
        prob: how probably.
    """


class Equalize(Picture):
    """Grey levels spread so that all are about equally frequent, channel by channel."""

    def array(self, image: np.ndarray) -> np.ndarray:
        if image.dtype != np.uint8:
            raise OpRuntimeError(f"Equalize: type of input image should be uint8, but got {image.dtype}")
        planes = image[..., None] if image.ndim == 2 else image
        equal = [cv().equalizeHist(np.ascontiguousarray(planes[..., c])) for c in range(planes.shape[2])]
        return np.stack(equal, axis=2).reshape(image.shape)

    def picture(self, image: Any) -> Any:
        return pil().ImageOps.equalize(image)


class AutoContrast(Picture):
    """The darkest pixel 0, the lightest 255, channel by channel.

    Args:
        cutoff: per cent of the pixels that are left out at both ends.
        ignore: values that do not count.
    """

    def __init__(self, cutoff: float = 0.0, ignore: Any = None) -> None:
        self.cutoff = checks.number("cutoff", cutoff, 0, 50)
        self.ignore = ignore

    def array(self, image: np.ndarray) -> np.ndarray:
        if image.dtype != np.uint8:
            raise OpRuntimeError(f"AutoContrast: type of input image should be uint8, but got {image.dtype}")
        planes = image[..., None] if image.ndim == 2 else image
        found = [self._table(planes[..., channel])[planes[..., channel]] for channel in range(planes.shape[2])]
        return np.stack(found, axis=2).reshape(image.shape)

    def _table(self, plane: np.ndarray) -> np.ndarray:
        """What each value of a channel becomes."""
        counts = np.bincount(plane.ravel(), minlength=256)
        if self.ignore is not None:
            counts[np.atleast_1d(np.asarray(self.ignore, np.int64))] = 0
        cut = int(counts.sum() * self.cutoff // 100)
        below, above = np.cumsum(counts), np.cumsum(counts[::-1])
        low = int(np.argmax(below > cut))
        high = 255 - int(np.argmax(above > cut))
        levels = np.arange(256)
        if high > low and below[-1] > cut:
            scale = np.float32(255) / np.float32(high - low)
            offset = np.float32(-low) * scale
            levels = np.clip((levels.astype(np.float32) * scale + offset).astype(np.int64), 0, 255)
        return levels.astype(np.uint8)

    def picture(self, image: Any) -> Any:
        ignore = self.ignore[0] if isinstance(self.ignore, (list, tuple)) and len(self.ignore) == 1 else self.ignore
        return pil().ImageOps.autocontrast(image, self.cutoff, ignore)


class Posterize(OfArrays):
    """Only the highest bits of each value.

    Args:
        bits: how many, in [0, 8].
    """

    def __init__(self, bits: int) -> None:
        self.bits = checks.integer_in("bits", bits, 0, 8)

    def array(self, image: np.ndarray) -> np.ndarray:
        return image & np.uint8(0xFF & ~(2 ** (8 - self.bits) - 1))


class Solarize(OfArrays):
    """255 − x where x lies between two thresholds.

    Args:
        threshold: (least, most), or one number for the least, as two equal ones are.
    """

    def __init__(self, threshold: Any) -> None:
        given = (threshold, threshold) if checks.is_integer(threshold) else threshold
        low, high = checks.numbers("threshold", given, 2)
        if low > high:
            raise OpValueError("threshold should be in (min,max) format. Got (max,min).", arg="threshold")
        self.threshold = low, high

    def array(self, image: np.ndarray) -> np.ndarray:
        low, high = self.threshold
        chosen = image >= low if low == high else (image >= low) & (image <= high)
        return np.where(chosen, 255 - image, image)


class ConvertColor(Picture):
    """Other channels.

    Args:
        convert_mode: a ConvertMode.
    """

    def __init__(self, convert_mode: ConvertMode) -> None:
        self.mode = enum_of("convert_mode", convert_mode, ConvertMode)

    def array(self, image: np.ndarray) -> np.ndarray:
        try:
            return cv().cvtColor(image, int(self.mode))
        except cv().error as error:
            raise OpRuntimeError(
                f"ConvertColor: {self.mode!r} cannot be done to an image of shape {image.shape}"
            ) from error


class Grayscale(Picture):
    """A PIL image in grey.

    Args:
        num_output_channels: 1, or 3 equal ones.
    """

    def __init__(self, num_output_channels: int = 1) -> None:
        if num_output_channels not in (1, 3):
            raise OpValueError("Number of channels of the output grayscale image should be either 1 or 3.")
        self.channels = num_output_channels

    def array(self, image: np.ndarray) -> Any:
        raise OpTypeError(
            f"img should be PIL image. Got {type(image)}. Use Decode() for encoded data or ToPIL() for decoded data."
        )

    def picture(self, image: Any) -> Any:
        grey = image.convert("L")
        return grey if self.channels == 1 else grey.convert("RGB")


class RandomGrayscale(Picture):
    """A PIL image in grey, sometimes, with as many channels as before.

    Args:
        prob: how probably.
    """

    random = True

    def __init__(self, prob: float = 0.1) -> None:
        self.prob = probability(prob)

    def array(self, image: np.ndarray) -> Any:
        return Grayscale().array(image)

    def picture(self, image: Any) -> Any:
        if draws.stream.random() >= self.prob:
            return image
        return Grayscale(1 if len(image.getbands()) == 1 else 3).picture(image)


class GaussianBlur(OfArrays):
    """Blurred by a bell curve.

    Args:
        kernel_size: (width, height) of the curve's window, odd, or one number for both.
        sigma: its widths in pixels, one number or two; 0.3 · ((width − 1) / 2 − 1) + 0.8 by default.
    """

    def __init__(self, kernel_size: Any, sigma: Any = None) -> None:
        kernel = (kernel_size,) * 2 if checks.is_integer(kernel_size) else tuple(kernel_size)
        for number in kernel:
            if checks.integer_in("kernel_size", number, 1) % 2 == 0:
                raise OpValueError("Input kernel_size is not an odd value.", arg="kernel_size")
        self.kernel = kernel
        if sigma is None:
            sigma = 0.3 * ((kernel[0] - 1) * 0.5 - 1) + 0.8
        self.sigma = (sigma,) * 2 if isinstance(sigma, (int, float)) else tuple(sigma)

    def array(self, image: np.ndarray) -> np.ndarray:
        made = cv().GaussianBlur(image, self.kernel, sigmaX=self.sigma[0], sigmaY=self.sigma[1])
        return like(image, made)


def _mixed(image: np.ndarray, other: np.ndarray, factor: float) -> np.ndarray:
    """image · factor + other · (1 − factor), rounded and kept in the range of the type; in the order that gives
    MindSpore's bits."""
    share = float(np.float32(factor))
    return cv().addWeighted(other, 1 - share, image, share, 0)


class _Adjust(Picture):
    """Base of adjustments by a factor; 1 changes nothing."""

    factor: float
    least = 0.0

    def check(self, name: str, value: Any) -> None:
        self.factor = checks.number(name, value, self.least)

    def array(self, image: np.ndarray) -> np.ndarray:
        return self.adjusted(image, self.factor)

    def picture(self, image: Any) -> Any:
        return self.adjusted_picture(image, self.factor)

    @staticmethod
    def adjusted(image: np.ndarray, factor: float) -> np.ndarray:
        raise NotImplementedError

    @staticmethod
    def adjusted_picture(image: Any, factor: float) -> Any:
        raise NotImplementedError


class AdjustBrightness(_Adjust):
    """Every value times a factor.

    Args:
        brightness_factor: not negative.
    """

    def __init__(self, brightness_factor: float) -> None:
        self.check("brightness_factor", brightness_factor)

    @staticmethod
    def adjusted(image: np.ndarray, factor: float) -> np.ndarray:
        made = image * (np.float32(factor) if image.dtype.itemsize < 4 else float(np.float32(factor)))
        if image.dtype.kind == "f":
            return made.astype(image.dtype)
        limits = np.iinfo(image.dtype)
        return np.clip(np.rint(made), limits.min, limits.max).astype(image.dtype)

    @staticmethod
    def adjusted_picture(image: Any, factor: float) -> Any:
        return pil().ImageEnhance.Brightness(image).enhance(factor)


def _grey(image: np.ndarray) -> np.ndarray:
    return cv().cvtColor(image, int(ConvertMode.COLOR_RGB2GRAY))


class AdjustContrast(_Adjust):
    """Farther from, or nearer to, the mean grey.

    Args:
        contrast_factor: not negative.
    """

    def __init__(self, contrast_factor: float) -> None:
        self.check("contrast_factor", contrast_factor)

    def array(self, image: np.ndarray) -> np.ndarray:
        _three(self, image)
        return self.adjusted(image, self.factor)

    @staticmethod
    def adjusted(image: np.ndarray, factor: float) -> np.ndarray:
        grey = cv().mean(_grey(image))[0]
        return _mixed(image, np.full_like(image, grey if image.dtype.kind == "f" else int(grey + 0.5)), factor)

    @staticmethod
    def adjusted_picture(image: Any, factor: float) -> Any:
        return pil().ImageEnhance.Contrast(image).enhance(factor)


class AdjustSaturation(_Adjust):
    """Farther from, or nearer to, grey.

    Args:
        saturation_factor: not negative.
    """

    def __init__(self, saturation_factor: float) -> None:
        self.check("saturation_factor", saturation_factor)

    def array(self, image: np.ndarray) -> np.ndarray:
        _three(self, image)
        return self.adjusted(image, self.factor)

    @staticmethod
    def adjusted(image: np.ndarray, factor: float) -> np.ndarray:
        return _mixed(image, cv().cvtColor(_grey(image), int(ConvertMode.COLOR_GRAY2RGB)), factor)

    @staticmethod
    def adjusted_picture(image: Any, factor: float) -> Any:
        return pil().ImageEnhance.Color(image).enhance(factor)


class AdjustHue(_Adjust):
    """Colours moved along the circle of colours.

    Args:
        hue_factor: in [−0.5, 0.5], in turns of the circle.
    """

    def __init__(self, hue_factor: float) -> None:
        self.factor = checks.number("hue_factor", hue_factor, -0.5, 0.5)

    def array(self, image: np.ndarray) -> np.ndarray:
        _three(self, image)
        return self.adjusted(image, self.factor)

    @staticmethod
    def adjusted(image: np.ndarray, factor: float) -> np.ndarray:
        library = cv()
        hsv = library.cvtColor(image, library.COLOR_RGB2HSV_FULL)
        hsv[..., 0] += np.uint8(int(factor * 255) % 256)
        return library.cvtColor(hsv, library.COLOR_HSV2RGB_FULL)

    @staticmethod
    def adjusted_picture(image: Any, factor: float) -> Any:
        hue, saturation, value = image.convert("HSV").split()
        moved = np.array(hue) + np.uint8(int(factor * 255) % 256)
        return pil().Image.merge("HSV", (pil().Image.fromarray(moved), saturation, value)).convert(image.mode)


def _interval(name: str, value: Any, middle: float, least: float, most: float) -> tuple[float, float]:
    """An interval around `middle`, of one number or two."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if value < 0:
            raise OpValueError(f"The input value of {name} cannot be negative.", arg=name)
        low, high = max(middle - value, least), middle + value
    else:
        low, high = checks.numbers(name, value, 2)
        if low > high:
            raise OpValueError(f"{name} should be in (min,max) format. Got (max,min).", arg=name)
    if not (least <= low and high <= most):
        raise OpValueError(f"Input is not within the required interval of [{least:g}, {most:g}].", arg=name)
    return low, high


class RandomColorAdjust(Picture):
    """Brightness, contrast, saturation and hue changed by random factors, in this order.

    Args:
        brightness, contrast, saturation: (least, most) factor, or one number for [1 − number, 1 + number].
        hue: (least, most) turn of the circle of colours, in [−0.5, 0.5], or one number for [−number, number].
    """

    random = True

    def __init__(
        self, brightness: Any = (1, 1), contrast: Any = (1, 1), saturation: Any = (1, 1), hue: Any = (0, 0)
    ) -> None:
        self.parts = [
            (AdjustBrightness, _interval("brightness", brightness, 1, 0, 16777216), 1),
            (AdjustContrast, _interval("contrast", contrast, 1, 0, 16777216), 1),
            (AdjustSaturation, _interval("saturation", saturation, 1, 0, 16777216), 1),
            (AdjustHue, _interval("hue", hue, 0, -0.5, 0.5), 0),
        ]

    def array(self, image: np.ndarray) -> np.ndarray:
        _three(self, image)
        for kind, interval, none in self.parts:
            factor = draws.stream.uniform(*interval)
            if factor != none:
                image = kind.adjusted(image, factor)
        return image

    def picture(self, image: Any) -> Any:
        for kind, interval, none in self.parts:
            factor = draws.stream.uniform(*interval)
            if factor != none:
                image = kind.adjusted_picture(image, factor)
        return image


class RandomColor(Picture):
    """Saturation changed by a random factor.

    Args:
        degrees: (least, most), not negative.
    """

    random = True

    def __init__(self, degrees: Any = (0.1, 1.9)) -> None:
        self.interval = _interval("degrees", tuple(checks.numbers("degrees", degrees, 2)), 1, 0, 16777216)

    def array(self, image: np.ndarray) -> np.ndarray:
        _three(self, image)
        share = draws.stream.uniform(*self.interval)
        grey = cv().cvtColor(_grey(image), int(ConvertMode.COLOR_GRAY2RGB))
        return cv().addWeighted(image, share, grey, 1 - share, 0)  # not in the order of `_mixed`, as MindSpore does it

    def picture(self, image: Any) -> Any:
        return AdjustSaturation.adjusted_picture(image, draws.stream.uniform(*self.interval))


class RandomSharpness(Picture):
    """Sharpness changed by a random factor: 0 blurs, 1 changes nothing.

    Args:
        degrees: (least, most), not negative.
    """

    random = True

    def __init__(self, degrees: Any = (0.1, 1.9)) -> None:
        self.interval = _interval("degrees", tuple(checks.numbers("degrees", degrees, 2)), 1, 0, 16777216)

    def array(self, image: np.ndarray) -> np.ndarray:
        return AdjustSharpness.adjusted(image, draws.stream.uniform(*self.interval))

    def picture(self, image: Any) -> Any:
        return pil().ImageEnhance.Sharpness(image).enhance(draws.stream.uniform(*self.interval))


class AdjustSharpness(OfArrays, _Adjust):
    """Blurred by a factor below 1, sharpened by one above.

    Args:
        sharpness_factor: not negative.
    """

    def __init__(self, sharpness_factor: float) -> None:
        self.check("sharpness_factor", sharpness_factor)

    @staticmethod
    def adjusted(image: np.ndarray, factor: float) -> np.ndarray:
        """A mix with means of 3 × 3 pixels in which the middle counts five times; the pixels at the edge stay."""
        weights = np.array([[1, 1, 1], [1, 5, 1], [1, 1, 1]], np.float32) / 13
        blurred = image.copy()
        blurred[1:-1, 1:-1] = like(image, cv().filter2D(image, -1, weights))[1:-1, 1:-1]
        share = float(np.float32(factor))  # in this order, other than `_mixed`, MindSpore's bits come of it
        return like(image, cv().addWeighted(image, share, blurred, 1 - share, 0))


class CutOut(Picture):
    """Squares at random places set to zero.

    Args:
        length: of a side, in pixels.
        num_patches: how many.
        is_hwc: whether the channels are the last axis.
    """

    random = True

    def __init__(self, length: int, num_patches: int = 1, is_hwc: bool = True) -> None:
        self.length = checks.integer_in("length", length, 1)
        self.patches = checks.integer_in("num_patches", num_patches, 1)
        self.is_hwc = checks.boolean("is_hwc", is_hwc)

    def array(self, image: np.ndarray) -> np.ndarray:
        if is_pil(image):
            raise OpTypeError("CutOut works on arrays")
        out = image.copy()
        view = out if self.is_hwc or out.ndim == 2 else out.transpose(1, 2, 0)
        for _ in range(self.patches):
            y, x = draws.stream.randrange(view.shape[0]), draws.stream.randrange(view.shape[1])
            top, left = max(0, y - self.length // 2), max(0, x - self.length // 2)
            view[top : y + self.length // 2, left : x + self.length // 2] = 0
        return out


class RandomErasing(Picture):
    """A random rectangle of an array (C, H, W) or (H, W, C) set to a value, sometimes.

    Args:
        prob: how probably.
        scale: the share of the area that it has, (least, most).
        ratio: its height over its width, (least, most).
        value: a number, one for each channel, or "random".
        inplace: without effect.
        max_attempts: so many rectangles are tried.
    """

    random = True

    def __init__(
        self, prob: float = 0.5, scale: Any = (0.02, 0.33), ratio: Any = (0.3, 3.3), value: Any = 0, inplace: bool = False,
        max_attempts: int = 10,
    ) -> None:  # fmt: skip
        self.prob = probability(prob)
        self.scale, self.ratio = checks.numbers("scale", scale, 2), checks.numbers("ratio", ratio, 2)
        self.value, self.attempts = value, checks.integer_in("max_attempts", max_attempts, 1)

    def array(self, image: np.ndarray) -> np.ndarray:
        stream = draws.stream
        if stream.random() >= self.prob:
            return image
        first = image.ndim == 3 and image.shape[0] in (1, 3) and image.shape[2] not in (1, 3)
        out = image.copy()
        view = out.transpose(1, 2, 0) if first else out
        height, width = view.shape[:2]
        for _ in range(self.attempts):
            area = stream.uniform(*self.scale) * height * width
            aspect = stream.uniform(*self.ratio)
            high, wide = round(math.sqrt(area * aspect)), round(math.sqrt(area / aspect))
            if 0 < high < height and 0 < wide < width:
                top, left = stream.randint(0, height - high), stream.randint(0, width - wide)
                patch = view[top : top + high, left : left + wide]
                if self.value == "random":
                    values = [stream.gauss(0, 1) for _ in range(patch.size)]
                    patch[...] = np.array(values).reshape(patch.shape).astype(image.dtype)
                else:
                    patch[...] = self.value
                break
        return out
