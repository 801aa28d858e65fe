"""Files of the MNIST family: images and labels in the IDX format, plain or gzipped.

An IDX file is two zero bytes, the type of its elements (8 for bytes, 12 for int32), the number of axes, their lengths
as 32-bit big-endian numbers, and the elements in row-major order (LeCun, Cortes & Burges, "The MNIST database", 1998).
"""

from __future__ import annotations

import gzip
import math
import struct
import zlib
from pathlib import Path
from typing import IO, cast

import numpy as np

__all__ = ["DataError", "read_idx", "read_idx_folder", "read_raw_folder"]

_MOST_AXES = 8
_KINDS = {0x8: "u1", 0xC: ">i4"}
_PARTS = {"train": ("train",), "test": ("t10k", "test")}


class DataError(Exception):
    """A data file is missing, damaged, or not what it should be; the message is one line that names it."""


def read_idx(file: Path) -> np.ndarray:
    """The array in an IDX file, plain or gzipped: of bytes, uint8, or of numbers, int32.

    Raises:
        DataError: it cannot be read, or is cut off, damaged or no IDX file of these.
    """
    try:
        with open(file, "rb") as raw:
            is_zipped = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            return _read_idx(file, cast(IO[bytes], gzip.GzipFile(fileobj=raw) if is_zipped else raw))
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{file}: cannot be read ({error})") from error


def _read_idx(file: Path, content: IO[bytes]) -> np.ndarray:
    """No more is unpacked than what the header speaks of."""
    head = content.read(4)
    if len(head) < 4 or head[:2] != b"\0\0":
        raise DataError(f"{file}: is no IDX file")
    kind, axes = head[2], head[3]
    if kind not in _KINDS:
        raise DataError(f"{file}: holds elements of type {kind:#x}, neither bytes nor int32")
    element = np.dtype(_KINDS[kind])
    if not 1 <= axes <= _MOST_AXES:
        raise DataError(f"{file}: should have 1 to {_MOST_AXES} axes, but has {axes}")
    lengths = content.read(4 * axes)
    if len(lengths) < 4 * axes:
        raise DataError(f"{file}: is cut off in its header")
    shape = struct.unpack(f">{axes}I", lengths)
    size = math.prod(shape) * element.itemsize
    data = bytearray()
    while len(data) <= size:
        part = content.read(min(size + 1 - len(data), 1 << 24))
        if not part:
            break
        data += part
    if len(data) != size:
        raise DataError(
            f"{file}: should hold {size} bytes of data, but has {len(data) if len(data) < size else 'more'}"
        )
    if size == 0 and math.prod(n for n in shape if n) >= 1 << 63:
        raise DataError(f"{file}: has the shape {shape}, which no array can have")
    return np.frombuffer(bytes(data), element).reshape(shape).astype(element.newbyteorder("="), copy=False)


def read_idx_folder(folder: str | Path) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The images and labels in a folder with files named as MNIST's, `train-images-idx3-ubyte` and so on (`.gz` too).

    Returns:
        {"train": (images, labels), "test": (images, labels)}: images (N, 1, 32, 32) float32 in [0, 1] (those of 28 pixels
        get a margin of 2, as LeNet wants), labels (N,) int32.
    Raises:
        DataError: a file is missing or damaged, or images and labels do not belong together.
    """
    return {
        part: (_padded(images), labels.astype(np.int32)) for part, (images, labels) in read_raw_folder(folder).items()
    }


def _padded(images: np.ndarray) -> np.ndarray:
    margin = 32 - images.shape[1]
    before = margin // 2
    padded = np.pad(images, ((0, 0), (before, margin - before), (before, margin - before)))
    return padded[:, None].astype(np.float32) / 255


def read_raw_folder(folder: str | Path) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The same as bytes, as they stand in the files: images (N, H, H) uint8 of at most 32 pixels, labels (N,) uint8."""
    folder = Path(folder)
    if not folder.is_dir():
        raise DataError(f"{folder}: is no folder")
    return {part: _read_part(folder, names) for part, names in _PARTS.items()}


def _read_part(folder: Path, names: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    images_file = _find(folder, names, "images", 3)
    labels_file = _find(folder, names, "labels", 1)
    images, labels = read_idx(images_file), read_idx(labels_file)
    if images.ndim != 3 or images.shape[1] != images.shape[2] or images.shape[1] > 32:
        raise DataError(f"{images_file}: should hold square images of at most 32 pixels, but has shape {images.shape}")
    if labels.ndim != 1 or len(labels) != len(images):
        raise DataError(f"{labels_file}: holds {labels.shape} labels for {len(images)} images")
    if labels.size and labels.max() > 9:
        raise DataError(f"{labels_file}: holds the label {labels.max()}; labels are 0 to 9")
    return images, labels


def _find(folder: Path, names: tuple[str, ...], what: str, axes: int) -> Path:
    wanted = [f"{name}-{what}{sign}idx{axes}-ubyte{end}" for name in names for sign in "-." for end in ("", ".gz")]
    for name in wanted:
        if (folder / name).is_file():
            return folder / name
    raise DataError(f"{folder}: has no file {wanted[0]} (or {wanted[1]})")
