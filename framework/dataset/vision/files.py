"""Image files: reading, writing, encoding."""

from __future__ import annotations

import enum
import os
from typing import Any

import numpy as np

from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.core.tensor import Tensor
from anfora.dataset import checks
from anfora.dataset.vision.base import cv, decoded, height_width, is_pil

__all__ = [
    "ImageReadMode", "encode_jpeg", "encode_png", "get_image_num_channels", "get_image_size", "read_file", "read_image",
    "write_file", "write_jpeg", "write_png",
]  # fmt: skip


class ImageReadMode(enum.IntEnum):
    """The channels that `read_image` gives: those of the file, one, or three."""

    UNCHANGED = 0
    GRAYSCALE = 1
    COLOR = 2


def _path(filename: Any) -> str:
    if not isinstance(filename, (str, os.PathLike)):
        raise checks.wrong_type("filename", filename, str)
    return os.fspath(filename)


def _pixels(image: Any) -> np.ndarray:
    if isinstance(image, Tensor):
        image = image.asnumpy()
    if not isinstance(image, np.ndarray):
        raise OpTypeError(f"Input image is not of type [numpy.ndarray, Tensor], but got {type(image)}.", arg="image")
    if image.dtype != np.uint8:
        raise OpRuntimeError(f"The type of the image data should be uint8, but got {image.dtype}.")
    if image.ndim not in (2, 3) or (image.ndim == 3 and image.shape[2] not in (1, 3)):
        raise OpRuntimeError(f"The image should have shape <H,W>, <H,W,1> or <H,W,3>, but got {image.shape}.")
    return image


def read_file(filename: str) -> np.ndarray:
    """The bytes of a file, (n,) uint8."""
    path = _path(filename)
    if not os.path.isfile(path):
        raise OpRuntimeError(f"Invalid file path, {path} does not exist.")
    return np.fromfile(path, np.uint8)


def write_file(filename: str, data: Any) -> None:
    """Write bytes, (n,) uint8, into a file."""
    given = data.asnumpy() if isinstance(data, Tensor) else data
    if not isinstance(given, np.ndarray):
        raise checks.wrong_type("data", data, np.ndarray, Tensor)
    if given.ndim != 1 or given.dtype != np.uint8:
        raise OpRuntimeError(f"The data should be one row of uint8, but are {given.dtype} of shape {given.shape}.")
    with open(_path(filename), "wb") as file:
        file.write(given.tobytes())


def read_image(filename: str, mode: ImageReadMode = ImageReadMode.UNCHANGED) -> np.ndarray:
    """The image in a file, (H, W, C) uint8 in the order red, green, blue.

    Args:
        filename: of the file.
        mode: an ImageReadMode: which channels.
    """
    if not isinstance(mode, ImageReadMode):
        raise checks.wrong_type("mode", mode, ImageReadMode)
    library = cv()
    data = read_file(filename)
    flags = {
        ImageReadMode.UNCHANGED: library.IMREAD_UNCHANGED, ImageReadMode.GRAYSCALE: library.IMREAD_GRAYSCALE,
        ImageReadMode.COLOR: library.IMREAD_COLOR,
    }  # fmt: skip
    image = decoded(data, flags[mode])
    if image is None:
        raise OpRuntimeError(f"Failed to read file {filename}: OpenCV knows no image in it.")
    if image.ndim == 2:
        return image[..., None]
    return library.cvtColor(image, library.COLOR_BGR2RGB if image.shape[2] == 3 else library.COLOR_BGRA2RGBA)


def _encoded(image: Any, ending: str, flag: str, value: int) -> np.ndarray:
    library = cv()
    pixels = _pixels(image)
    if pixels.ndim == 3 and pixels.shape[2] == 3:
        pixels = library.cvtColor(pixels, library.COLOR_RGB2BGR)
    return library.imencode(ending, pixels, [getattr(library, flag), value])[1].ravel()


def encode_jpeg(image: Any, quality: int = 75) -> np.ndarray:
    """An image (H, W, C) or (H, W) uint8 as the bytes of a JPEG file, (n,) uint8.

    Args:
        image: an array or tensor.
        quality: in [1, 100].
    """
    return _encoded(image, ".jpg", "IMWRITE_JPEG_QUALITY", checks.integer_in("quality", quality, 1, 100))


def encode_png(image: Any, compression_level: int = 6) -> np.ndarray:
    """An image (H, W, C) or (H, W) uint8 as the bytes of a PNG file, (n,) uint8.

    Args:
        image: an array or tensor.
        compression_level: in [0, 9].
    """
    return _encoded(
        image, ".png", "IMWRITE_PNG_COMPRESSION", checks.integer_in("compression_level", compression_level, 0, 9)
    )


def write_jpeg(filename: str, image: Any, quality: int = 75) -> None:
    """Write an image into a JPEG file; see `encode_jpeg`."""
    write_file(filename, encode_jpeg(image, quality))


def write_png(filename: str, image: Any, compression_level: int = 6) -> None:
    """Write an image into a PNG file; see `encode_png`."""
    write_file(filename, encode_png(image, compression_level))


def get_image_size(image: Any) -> list[int]:
    """[height, width] of an array (…, H, W, C) or (H, W), or of a PIL image."""
    if is_pil(image):
        return list(height_width(image))
    if not isinstance(image, np.ndarray):
        raise OpTypeError(f"Input image is not of type [numpy.ndarray, PIL.Image.Image], but got {type(image)}.")
    if image.ndim < 2:
        raise OpRuntimeError(f"get_image_size: the image should have at least 2 axes, but got {image.ndim}")
    return list(image.shape[:2] if image.ndim == 2 else image.shape[-3:-1])


def get_image_num_channels(image: Any) -> int:
    """How many channels an array (…, H, W, C) or (H, W), or a PIL image has."""
    if is_pil(image):
        return len(image.getbands())
    if not isinstance(image, np.ndarray):
        raise OpTypeError(f"Input image is not of type [numpy.ndarray, PIL.Image.Image], but got {type(image)}.")
    if image.ndim < 2:
        raise OpValueError(f"get_image_num_channels: the image should have at least 2 axes, but got {image.ndim}")
    return 1 if image.ndim == 2 else image.shape[-1]
