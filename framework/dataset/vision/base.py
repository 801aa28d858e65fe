"""What vision transforms share: which library does what, and checks of images and arguments.

Arrays (H, W, C) or (H, W) are worked on by OpenCV, as in MindSpore, and PIL images by Pillow. Both come with the extra
`data`, and are imported when an image is first worked on.
"""

from __future__ import annotations

import functools
import sys
import threading
from typing import Any

import numpy as np

from anfora.core.errors import AnforaError, OpRuntimeError, OpTypeError, OpValueError
from anfora.core.tensor import Tensor
from anfora.dataset import checks
from anfora.dataset.functions import Transform
from anfora.dataset.seeds import draws
from anfora.dataset.vision.enums import Border, Inter

__all__ = [
    "OfArrays",
    "Picture",
    "Sometimes",
    "border_of",
    "cv",
    "decoded",
    "cv_if_there",
    "enum_of",
    "fill_of",
    "height_width",
    "inter_of",
    "is_pil",
    "mirrored",
    "pil",
    "probability",
    "size_of",
]


def cv() -> Any:
    """OpenCV, without the parts of it whose bits depend on whose processor it is."""
    library = _cv()
    if not hasattr(_told, "ipp"):  # of Intel's; each thread has a switch of its own
        _told.ipp = library.ipp.setUseIPP(False)
    return library


_told = threading.local()


def _errors() -> tuple[type[Exception], ...]:
    """What numpy raises of arrays that it does not take, and OpenCV, where it has been imported."""
    library = sys.modules.get("cv2")
    return (TypeError, ValueError, OverflowError, *(() if library is None else (library.error,)))


@functools.cache
def _cv() -> Any:
    try:
        import cv2
    except ImportError as error:
        raise OpRuntimeError(
            "this transform works on arrays with OpenCV, which is not installed",
            help="pip install anfora[data], or give it a PIL image.",
        ) from error
    # Several images at a time are what workers are for; and those that are forked would wait for its threads.
    cv2.setNumThreads(1)
    return cv2


def decoded(data: np.ndarray, flags: int) -> np.ndarray | None:
    """The image in some bytes, as OpenCV reads it; None where it knows none.

    A part of a damaged PNG file may say that it is gigabytes long, and OpenCV takes the memory for it before it looks
    whether it is there.
    """
    if not data.size or _asks_for_much(data):
        return None
    return cv().imdecode(data, flags)


def _asks_for_much(data: np.ndarray) -> bool:
    """Whether a part of a PNG file is said to be far longer than the file."""
    if data[:8].tobytes() != b"\x89PNG\r\n\x1a\n":
        return False
    start = 8
    while start + 4 <= data.size:
        length = int.from_bytes(data[start : start + 4].tobytes(), "big")
        if length > 16 * data.size + (1 << 20):
            return True
        start += length + 12
    return False


def cv_if_there() -> Any:
    """OpenCV, None where it is not installed: for what numpy does too, more slowly."""
    try:
        return cv()
    except OpRuntimeError:
        return None


@functools.cache
def pil() -> Any:
    """Pillow's package with its modules loaded."""
    try:
        import PIL
        from PIL import Image, ImageEnhance, ImageFilter, ImageOps  # noqa: F401
    except ImportError as error:
        raise OpRuntimeError(
            "this transform works on PIL images with Pillow, which is not installed", help="pip install anfora[data]"
        ) from error
    return PIL


def is_pil(image: Any) -> bool:
    """Whether it is a PIL image, without importing Pillow for the question."""
    return any(kind.__name__ == "Image" and kind.__module__ == "PIL.Image" for kind in type(image).__mro__)


def pil_resampling(inter: Inter) -> int:
    """Pillow's number for a way to interpolate."""
    return {
        Inter.NEAREST: 0,
        Inter.ANTIALIAS: 1,
        Inter.BILINEAR: 2,
        Inter.BICUBIC: 3,
        Inter.PILCUBIC: 3,
        Inter.AREA: 4,
    }[inter]


class Picture(Transform):
    """Base of transforms of one image: `array` for arrays, `picture` for PIL images, of which the pixels are taken."""

    #: How many axes an array may have.
    ranks: tuple[int, ...] = (2, 3)
    #: Whether a PIL image is taken as an array, and an array comes out, whether or not something was done to it.
    of_arrays = False

    def taken(self, fields: tuple) -> tuple:
        return tuple(np.array(field) if is_pil(field) else field for field in fields) if self.of_arrays else fields

    def __call__(self, *fields: Any) -> Any:
        fields = self.taken(fields)
        if len(fields) > 1:
            return tuple(self(field) for field in fields)
        [image] = fields
        if is_pil(image):
            return self.picture(image)
        if isinstance(image, Tensor):
            image = image.asnumpy()
        if not isinstance(image, np.ndarray):
            raise OpTypeError(f"Input should be NumPy or PIL image, got {type(image)}.")
        if self.ranks and image.ndim not in self.ranks:
            raise OpRuntimeError(
                f"{type(self).__name__}: input tensor is not in shape of <H,W> or <H,W,C>, but got rank: {image.ndim}"
            )
        try:
            return self.array(image)
        except AnforaError:
            raise
        except _errors() as error:
            raise OpRuntimeError(
                f"{type(self).__name__} does not go with an array of type {image.dtype} and shape {image.shape}",
                help="astype makes it uint8 or float32, which all transforms take; images have 1, 3 or 4 channels.",
            ) from error

    def array(self, image: np.ndarray) -> Any:
        raise NotImplementedError

    def picture(self, image: Any) -> Any:
        return self.array(np.asarray(image))


class OfArrays(Picture):
    """Base of transforms that MindSpore has for arrays alone."""

    of_arrays = True


class Sometimes(Picture):
    """Base of transforms that are done with a probability, to all fields or to none."""

    random = True

    def __init__(self, prob: float = 0.5) -> None:
        self.prob = probability(prob)

    def __call__(self, *fields: Any) -> Any:
        if draws.stream.random() < self.prob:
            return super().__call__(*fields)
        fields = self.taken(fields)
        return fields[0] if len(fields) == 1 else fields


def height_width(image: Any) -> tuple[int, int]:
    if is_pil(image):
        return image.size[1], image.size[0]
    return image.shape[0], image.shape[1]


def mirrored(image: np.ndarray, axis: int) -> np.ndarray:
    """An array with the order of its rows, axis 0, or columns, axis 1, turned round."""
    library = cv_if_there()
    if library is not None and image.size and image.dtype.name in _FLIPPED and (image.ndim == 2 or image.shape[2] <= 4):
        return like(image, library.flip(image, axis))
    return np.ascontiguousarray(np.flip(image, axis))


#: Element types that OpenCV turns round; it does so many times faster than numpy.
_FLIPPED = ("uint8", "int8", "uint16", "int16", "int32", "float32", "float64")


def like(image: np.ndarray, made: np.ndarray) -> np.ndarray:
    """OpenCV drops a single channel; the result has as many axes as the image."""
    return made[..., None] if made.ndim < image.ndim else made


def both_sides(size: Any) -> tuple[int, int]:
    """(height, width) of a size in which one number stands for both."""
    height, width = (size_of(size) * 2)[:2]
    return height, width


def size_of(size: Any) -> tuple[int, ...]:
    """A size: one number, or height and width."""
    given = [size] if checks.is_integer(size) else size
    if not isinstance(given, (list, tuple)) or len(given) not in (1, 2) or not all(map(checks.is_integer, given)):
        raise OpTypeError("Size should be a single integer or a list/tuple (h, w) of length 2.", arg="size")
    if (checks.is_integer(size) or len(given) == 2) and all(1 <= number <= 16777216 for number in given):
        return tuple(int(number) for number in given)
    raise OpValueError("Input is not within the required interval of [1, 16777216].", arg="size")


def enum_of(name: str, value: Any, kind: Any) -> Any:
    if not isinstance(value, kind):
        raise OpTypeError(
            f"Argument {name} with value {value} is not of type [{kind}], but got {type(value)}.", arg=name
        )
    return value


def inter_of(name: str, value: Any) -> Inter:
    return enum_of(name, value, Inter)


def border_of(value: Any) -> Border:
    return enum_of("padding_mode", value, Border)


def probability(value: Any) -> float:
    return checks.number("prob", value, 0.0, 1.0)


def fill_of(value: Any) -> tuple[int, int, int]:
    """A value for each of three channels, from one number or three."""
    given = (value,) * 3 if checks.is_integer(value) else value
    if not isinstance(given, tuple) or len(given) != 3 or not all(map(checks.is_integer, given)):
        raise OpTypeError("fill_value should be a single integer or a 3-tuple.", arg="fill_value")
    if not all(0 <= number <= 255 for number in given):
        raise OpValueError("Input fill_value is not within the required interval of [0, 255].", arg="fill_value")
    return tuple(int(number) for number in given)  # type: ignore[return-value]
