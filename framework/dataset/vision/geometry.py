"""Transforms that move pixels: decode, resize, crop, flip, pad, turn."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from anfora.core import exact
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.core.files import DAMAGE
from anfora.core.tensor import Tensor
from anfora.dataset import checks
from anfora.dataset.seeds import draws
from anfora.dataset.vision.base import (
    OfArrays,
    Picture,
    Sometimes,
    border_of,
    both_sides,
    cv,
    decoded,
    fill_of,
    height_width,
    inter_of,
    is_pil,
    like,
    mirrored,
    pil,
    pil_resampling,
    size_of,
)  # fmt: skip
from anfora.dataset.vision.enums import Border, Inter

__all__ = [
    "Affine", "CenterCrop", "Crop", "Decode", "HWC2CHW", "HorizontalFlip", "Pad", "PadToSize", "RandomAffine", "RandomCrop",
    "RandomCropDecodeResize", "RandomHorizontalFlip", "RandomResize", "RandomResizedCrop", "RandomRotation",
    "RandomVerticalFlip", "Resize", "ResizedCrop", "Rotate", "VerticalFlip", "warped",
]  # fmt: skip


def resized(image: np.ndarray, height: int, width: int, inter: Inter) -> np.ndarray:
    """An array at another size."""
    if inter in (Inter.PILCUBIC, Inter.ANTIALIAS):
        if image.ndim == 3 and image.shape[2] == 1:
            return resized(image[..., 0], height, width, inter)[..., None]
        if image.dtype != np.uint8:
            raise OpRuntimeError(f"{inter!r} is a way of Pillow, for arrays of uint8 only, but got {image.dtype}")
        picture = pil().Image.fromarray(image)
        return np.asarray(picture.resize((width, height), pil_resampling(inter)))
    if image.shape[:2] == (height, width):
        return image.copy()
    if image.dtype == np.bool_:
        return resized(image.view(np.uint8), height, width, inter) != 0
    flags = {Inter.NEAREST: 0, Inter.BILINEAR: 1, Inter.BICUBIC: 2, Inter.AREA: 3}
    return like(image, cv().resize(image, (width, height), interpolation=flags[inter]))


class Decode(Picture):
    """The image in the bytes of a JPEG, PNG or other file.

    Args:
        to_pil: whether a PIL image is given instead of an array (H, W, 3) uint8.
    """

    def __init__(self, to_pil: bool = False) -> None:
        self.to_pil = checks.boolean("to_pil", to_pil)

    def __call__(self, *fields: Any) -> Any:
        [data] = fields
        if isinstance(data, Tensor):
            data = data.asnumpy()
        if isinstance(data, (bytes, bytearray)):
            data = np.frombuffer(data, np.uint8)
        if not isinstance(data, np.ndarray):
            raise OpTypeError(f"The type of the encoded image should be {np.ndarray}, but got {type(data)}.")
        if data.ndim != 1:
            raise OpTypeError(f"The number of array dimensions of the encoded image should be 1, but got {data.ndim}.")
        if data.dtype.kind == "S":
            data = np.frombuffer(data.tobytes(), np.uint8)
        if self.to_pil:
            try:
                return pil().Image.open(io.BytesIO(data.tobytes())).convert("RGB")
            except DAMAGE as error:
                raise OpRuntimeError(f"Decode: these {data.size} bytes are no image that Pillow knows") from error
        library = cv()
        in_order = getattr(library, "IMREAD_COLOR_RGB", None)  # what OpenCV from 4.11 on can do by itself
        how = library.IMREAD_COLOR if in_order is None else in_order
        image = decoded(data, how | library.IMREAD_IGNORE_ORIENTATION)
        if image is None:
            raise OpRuntimeError(f"Decode: image decode failed: these {data.size} bytes are no image that OpenCV knows")
        return library.cvtColor(image, library.COLOR_BGR2RGB, dst=image) if in_order is None else image


#: Element types that OpenCV resizes in all ways.
_RESIZED = ("uint8", "uint16", "int16", "float32", "float64")


class Resize(Picture):
    """Another size.

    Args:
        size: (height, width), or the length of the shorter side: the other one keeps the proportions.
        interpolation: how values between pixels are found.
    Arrays get the bits that MindSpore computes, for NEAREST and BILINEAR.
    """

    def __init__(self, size: Any, interpolation: Inter = Inter.BILINEAR) -> None:
        self.size = size_of(size)
        self.interpolation = inter_of("interpolation", interpolation)

    def goal(self, height: int, width: int) -> tuple[int, int]:
        if len(self.size) == 2:
            return self.size[0], self.size[1]
        [side] = self.size
        return (side, int(width * side / height)) if height < width else (int(height * side / width), side)

    def array(self, image: np.ndarray) -> np.ndarray:
        return resized(image, *self.goal(*image.shape[:2]), self.interpolation)

    def picture(self, image: Any) -> Any:
        height, width = self.goal(image.size[1], image.size[0])
        return image.resize((width, height), pil_resampling(self.interpolation))

    def many(self, column: Any) -> Any:
        first = column[0]
        if not isinstance(first, np.ndarray) or first.ndim not in (2, 3) or first.dtype.name not in _RESIZED:
            return [self(row) for row in column]
        flags = {Inter.NEAREST: 0, Inter.BILINEAR: 1, Inter.BICUBIC: 2}
        if self.interpolation not in flags:
            return [self(row) for row in column]
        goal = self.goal(*first.shape[:2])
        for row in column:
            if row.ndim != first.ndim or row.dtype != first.dtype or row.shape[2:] != first.shape[2:]:
                return [self(row) for row in column]
            if len(self.size) == 1 and self.goal(*row.shape[:2]) != goal:
                return [self(row) for row in column]
        out = np.empty((len(column), *goal, *first.shape[2:]), first.dtype)
        resize, flag, size = cv().resize, flags[self.interpolation], goal[::-1]
        for place, row in enumerate(column):
            if row.shape[:2] == goal:
                out[place] = row
            else:
                resize(row, size, dst=out[place], interpolation=flag)
        return out


class HWC2CHW(Picture):
    """The channels as first axis instead of the last; (H, W) stays as it is."""

    def array(self, image: np.ndarray) -> np.ndarray:
        return image if image.ndim == 2 else np.ascontiguousarray(image.transpose(2, 0, 1))

    def many(self, column: Any) -> Any:
        if isinstance(column, np.ndarray) and column.ndim == 4:
            return column.transpose(0, 3, 1, 2)
        return [self(row) for row in column]

    def place_before(self, place: np.ndarray) -> np.ndarray | None:
        return place.transpose(0, 2, 3, 1) if place.ndim == 4 else None


def _cut(image: Any, top: int, left: int, height: int, width: int) -> Any:
    if is_pil(image):
        return image.crop((left, top, left + width, top + height))
    return np.ascontiguousarray(image[top : top + height, left : left + width])


def padded(image: Any, sides: tuple[int, int, int, int], fill: tuple[int, int, int], mode: Border) -> Any:
    """An image with margins; sides are left, top, right, bottom."""
    left, top, right, bottom = sides
    if is_pil(image):
        if mode is Border.CONSTANT:
            value: Any = (
                fill[0] if image.mode in ("L", "I", "F", "1", "P") else fill + (255,) * (len(image.getbands()) - 3)
            )
            return pil().ImageOps.expand(image, border=sides, fill=value)
        return pil().Image.fromarray(padded(np.asarray(image), sides, fill, mode))
    margins = [(top, bottom), (left, right), (0, 0)][: image.ndim]
    if mode is not Border.CONSTANT:
        words = {Border.EDGE: "edge", Border.REFLECT: "reflect", Border.SYMMETRIC: "symmetric"}
        return np.pad(image, margins, words[mode])  # type: ignore[call-overload]
    out = np.empty([have + sum(more) for have, more in zip(image.shape, margins)], image.dtype)
    out[...] = fill[: image.shape[2]] if image.ndim == 3 and image.shape[2] in (2, 3) else fill[0]
    out[top : top + image.shape[0], left : left + image.shape[1]] = image
    return out


def _sides(padding: Any) -> tuple[int, int, int, int]:
    """Margins left, top, right, bottom, of one number, of (left/right, top/bottom), or of four numbers."""
    given = (padding,) if checks.is_integer(padding) else padding
    if not isinstance(given, (tuple, list)) or len(given) not in (1, 2, 4) or not all(map(checks.is_integer, given)):
        raise OpTypeError("padding should be an integer, or a list or tuple of 2 or 4 of them.", arg="padding")
    for number in given:
        checks.integer_in("padding", number, 0)
    if len(given) == 1:
        given = (given[0],) * 4
    elif len(given) == 2:
        given = (given[0], given[1], given[0], given[1])
    return tuple(int(number) for number in given)  # type: ignore[return-value]


class Pad(Picture):
    """Margins around an image.

    Args:
        padding: pixels on all sides; (left and right, top and bottom); or (left, top, right, bottom).
        fill_value: what the margins hold with Border.CONSTANT: a number, or one for each of 3 channels.
        padding_mode: what the margins show.
    """

    def __init__(self, padding: Any, fill_value: Any = 0, padding_mode: Border = Border.CONSTANT) -> None:
        self.sides, self.fill, self.mode = _sides(padding), fill_of(fill_value), border_of(padding_mode)

    def array(self, image: np.ndarray) -> np.ndarray:
        return padded(image, self.sides, self.fill, self.mode)

    def picture(self, image: Any) -> Any:
        return padded(image, self.sides, self.fill, self.mode)


class PadToSize(OfArrays):
    """Margins up to a size.

    Args:
        size: (height, width), or one number for both.
        offset: where the image stands, (top, left); in the middle by default.
        fill_value, padding_mode: as for Pad.
    """

    def __init__(
        self, size: Any, offset: Any = None, fill_value: Any = 0, padding_mode: Border = Border.CONSTANT
    ) -> None:
        height, width = both_sides(size)
        self.size = height, width
        if offset is not None:
            offset = (offset, offset) if checks.is_integer(offset) else tuple(offset) or None
        self.offset, self.fill, self.mode = offset, fill_of(fill_value), border_of(padding_mode)

    def array(self, image: np.ndarray) -> np.ndarray:
        height, width = image.shape[:2]
        if height > self.size[0] or width > self.size[1]:
            raise OpRuntimeError(f"PadToSize: the image, {height} x {width}, is larger than {self.size}")
        more_high, more_wide = self.size[0] - height, self.size[1] - width
        top, left = self.offset if self.offset is not None else (more_high // 2, more_wide // 2)
        if top > more_high or left > more_wide:
            raise OpRuntimeError(f"PadToSize: with the offset {self.offset} the image does not fit into {self.size}")
        return padded(image, (left, top, more_wide - left, more_high - top), self.fill, self.mode)


class CenterCrop(Picture):
    """The middle of an image; what is missing is filled up with zeros.

    Args:
        size: (height, width), or one number for both.
    """

    def __init__(self, size: Any) -> None:
        height, width = both_sides(size)
        self.size = height, width

    def array(self, image: np.ndarray) -> np.ndarray:
        height, width = image.shape[:2]
        high, wide = self.size
        if high > height or wide > width:
            down, across = max(0, high - height), max(0, wide - width)
            sides = (across - across // 2, down - down // 2, across // 2, down // 2)
            image = padded(image, sides, (0, 0, 0), Border.CONSTANT)
            height, width = image.shape[:2]
        return _cut(image, (height - high) // 2, (width - wide) // 2, high, wide)

    def picture(self, image: Any) -> Any:
        return middle_of(image, *self.size)


def middle_of(picture: Any, height: int, width: int) -> Any:
    """The middle of a PIL image; halves of pixels go to the even side. What is missing is zero."""
    top, left = round((picture.size[1] - height) / 2), round((picture.size[0] - width) / 2)
    return _cut(picture, top, left, height, width)


class Crop(OfArrays):
    """A rectangle of an image.

    Args:
        coordinates: (top, left), not negative.
        size: (height, width), or one number for both.
    """

    def __init__(self, coordinates: Any, size: Any) -> None:
        if not isinstance(coordinates, (list, tuple)) or len(coordinates) != 2:
            raise OpTypeError("coordinates should be a list or tuple (top, left) of length 2.", arg="coordinates")
        self.top, self.left = (checks.integer_in("coordinates", number, 0) for number in coordinates)
        self.size = both_sides(size)

    def array(self, image: np.ndarray) -> np.ndarray:
        height, width = image.shape[:2]
        if self.top + self.size[0] > height or self.left + self.size[1] > width:
            raise OpRuntimeError(
                f"Crop: invalid coordinates: the rectangle at {(self.top, self.left)} of size {self.size} is not inside"
                f" of {height} x {width}"
            )
        return _cut(image, self.top, self.left, *self.size)


class HorizontalFlip(OfArrays):
    """Left and right exchanged."""

    def array(self, image: np.ndarray) -> np.ndarray:
        return mirrored(image, 1)


class VerticalFlip(OfArrays):
    """Top and bottom exchanged."""

    def array(self, image: np.ndarray) -> np.ndarray:
        return mirrored(image, 0)


class RandomHorizontalFlip(Sometimes):
    """Left and right exchanged, sometimes.

    Args:
        prob: how probably.
    """

    def array(self, image: np.ndarray) -> np.ndarray:
        return mirrored(image, 1)

    def picture(self, image: Any) -> Any:
        return pil().ImageOps.mirror(image)


class RandomVerticalFlip(Sometimes):
    """Top and bottom exchanged, sometimes.

    Args:
        prob: how probably.
    """

    def array(self, image: np.ndarray) -> np.ndarray:
        return mirrored(image, 0)

    def picture(self, image: Any) -> Any:
        return pil().ImageOps.flip(image)


class _OneForAll(Picture):
    """Base of random transforms that do the same to several fields of a row: image and mask."""

    random = True

    def __call__(self, *fields: Any) -> Any:
        if len(fields) == 1:
            return super().__call__(*fields)
        sizes = {height_width(field) for field in fields if is_pil(field) or getattr(field, "ndim", 0) > 1}
        if len(sizes) > 1:
            raise OpRuntimeError(
                f"{type(self).__name__}: images of one row must have the same size, but got {sorted(sizes)}"
            )
        state = draws.stream.getstate()
        made = []
        for field in fields:
            draws.stream.setstate(state)
            made.append(super().__call__(field))
        return tuple(made)


class RandomCrop(_OneForAll):
    """A rectangle at a random place.

    Args:
        size: (height, width), or one number for both.
        padding: margins that the image gets first, as for Pad.
        pad_if_needed: whether an image that is too small gets margins.
        fill_value, padding_mode: as for Pad.
    """

    def __init__(
        self, size: Any, padding: Any = None, pad_if_needed: bool = False, fill_value: Any = 0,
        padding_mode: Border = Border.CONSTANT,
    ) -> None:  # fmt: skip
        self.size = both_sides(size)
        self.sides = None if padding is None else _sides(padding)
        self.pad_if_needed = checks.boolean("pad_if_needed", pad_if_needed)
        self.fill, self.mode = fill_of(fill_value), border_of(padding_mode)

    def array(self, image: np.ndarray) -> np.ndarray:
        return self.picture(image)

    def picture(self, image: Any) -> Any:
        image, _, top, left = self.chosen(image)
        return _cut(image, top, left, *self.size)

    def chosen(self, image: Any) -> tuple[Any, tuple[int, int], int, int]:
        """The image with its margins, how wide they are above and on the left, and where the rectangle begins."""
        margins = (0, 0)
        if self.sides is not None:
            image = padded(image, self.sides, self.fill, self.mode)
            margins = self.sides[1], self.sides[0]
        high, wide = self.size
        height, width = height_width(image)
        if self.pad_if_needed:
            more_high, more_wide = max(0, high - height), max(0, wide - width)
            if more_high or more_wide:
                image = padded(image, (more_wide, more_high, more_wide, more_high), self.fill, self.mode)
                height, width = height_width(image)
                margins = margins[0] + more_high, margins[1] + more_wide
        if height < high or width < wide:
            raise OpRuntimeError(
                f"RandomCrop: invalid crop size: Shape is incorrect: the image is {height} x {width}, smaller than the"
                f" rectangle {high} x {wide}",
                help="pad_if_needed=True, or padding, makes it larger.",
            )
        stream = draws.stream
        return image, margins, stream.randint(0, height - high), stream.randint(0, width - wide)


def _scale_and_ratio(scale: Any, ratio: Any) -> tuple[tuple[float, ...], tuple[float, ...]]:
    for name, value in (("scale", scale), ("ratio", ratio)):
        low, high = checks.numbers(name, value, 2)
        if low > high:
            raise OpValueError(f"{name} should be in (min,max) format. Got (max,min).", arg=name)
        if low < 0 or high <= 0:
            raise OpValueError(f"{name} should be positive.", arg=name)
    return tuple(scale), tuple(ratio)


def _rectangle(
    image: Any, scale: tuple[float, ...], ratio: tuple[float, ...], attempts: int
) -> tuple[int, int, int, int]:
    """A rectangle of a random share of an image, with random proportions: top, left, height, width."""
    height, width = height_width(image)
    stream = draws.stream
    for _ in range(attempts):
        area = stream.uniform(*scale) * height * width
        aspect = exact.exp(stream.uniform(exact.log(ratio[0]), exact.log(ratio[1])))
        wide, high = round(math.sqrt(area * aspect)), round(math.sqrt(area / aspect))
        if 0 < wide <= width and 0 < high <= height:
            return stream.randint(0, height - high), stream.randint(0, width - wide), high, wide
    aspect = width / height
    if aspect < ratio[0]:
        high, wide = round(width / ratio[0]), width
    elif aspect > ratio[1]:
        high, wide = height, round(height * ratio[1])
    else:
        high, wide = height, width
    odd = 0 if is_pil(image) else 1  # the middle of arrays is farther down and to the right by half a pixel
    return (height - high + odd) // 2, (width - wide + odd) // 2, high, wide


class RandomResizedCrop(_OneForAll):
    """A random rectangle, at a given size.

    Args:
        size: (height, width), or one number for both.
        scale: the share of the area that the rectangle has, (least, most).
        ratio: its width over its height, (least, most).
        interpolation: how values between pixels are found.
        max_attempts: after so many rectangles that do not fit the middle of the image is taken.
    """

    def __init__(
        self, size: Any, scale: Any = (0.08, 1.0), ratio: Any = (3 / 4, 4 / 3), interpolation: Inter = Inter.BILINEAR,
        max_attempts: int = 10,
    ) -> None:  # fmt: skip
        self.size = both_sides(size)
        self.scale, self.ratio = _scale_and_ratio(scale, ratio)
        self.interpolation = inter_of("interpolation", interpolation)
        self.max_attempts = checks.integer_in("max_attempts", max_attempts, 1)

    def array(self, image: np.ndarray) -> np.ndarray:
        place = _rectangle(image, self.scale, self.ratio, self.max_attempts)
        return resized(_cut(image, *place), self.size[0], self.size[1], self.interpolation)

    def picture(self, image: Any) -> Any:
        place = _rectangle(image, self.scale, self.ratio, self.max_attempts)
        return _cut(image, *place).resize(self.size[::-1], pil_resampling(self.interpolation))


class RandomCropDecodeResize(RandomResizedCrop):
    """The image in the bytes of a file, a random rectangle of it, at a given size; arguments are those of
    `RandomResizedCrop`."""

    ranks = (1,)

    def array(self, image: np.ndarray) -> np.ndarray:
        return super().array(Decode()(image))


class ResizedCrop(OfArrays):
    """A rectangle, at a given size.

    Args:
        top, left, height, width: the rectangle, in pixels.
        size: (height, width), or the length of the shorter side.
        interpolation: how values between pixels are found.
    """

    def __init__(
        self, top: int, left: int, height: int, width: int, size: Any, interpolation: Inter = Inter.BILINEAR
    ) -> None:
        self.place = (
            checks.integer_in("top", top, 0), checks.integer_in("left", left, 0),
            checks.integer_in("height", height, 1), checks.integer_in("width", width, 1),
        )  # fmt: skip
        self.resize = Resize(size, interpolation)

    def array(self, image: np.ndarray) -> np.ndarray:
        top, left, high, wide = self.place
        height, width = image.shape[:2]
        if top + high > height or left + wide > width:
            raise OpRuntimeError(f"ResizedCrop: the rectangle {self.place} does not lie inside of {height} x {width}")
        return self.resize(_cut(image, *self.place))


class RandomResize(OfArrays):
    """Another size, with a random way to find values between pixels.

    Args:
        size: as for Resize.
    """

    random = True

    def __init__(self, size: Any) -> None:
        self.ways = [Resize(size, way) for way in (Inter.NEAREST, Inter.BILINEAR, Inter.BICUBIC, Inter.AREA)]

    def array(self, image: np.ndarray) -> Any:
        return draws.stream.choice(self.ways)(image)


def _turned(
    image: np.ndarray, degrees: float, inter: Inter, expand: bool, center: Any, fill: tuple[int, int, int]
) -> np.ndarray:
    """An array turned against the clock."""
    library = cv()
    height, width = image.shape[:2]
    middle = ((width - 1) / 2, (height - 1) / 2) if center is None else center
    matrix = library.getRotationMatrix2D(middle, degrees, 1.0)
    size = (width, height)
    if expand:  # the rectangle around the turned image, whose size is rounded only at the end
        turn = np.abs(matrix[:, :2]).astype(np.float32) @ np.array([width, height], np.float32)
        size = (round(float(turn[0])), round(float(turn[1])))
        matrix[0, 2] += float(turn[0]) / 2 - width / 2
        matrix[1, 2] += float(turn[1]) / 2 - height / 2
    return warped(image, matrix, size, inter, fill)


def warped(image: np.ndarray, matrix: np.ndarray, size: tuple[int, int], inter: Inter, fill: Any) -> np.ndarray:
    """An array whose pixels are taken from where a matrix says, (2, 3) or, for a perspective, (3, 3)."""
    flags = {Inter.NEAREST: 0, Inter.BILINEAR: 1, Inter.BICUBIC: 2, Inter.AREA: 3}
    if inter not in flags:
        raise OpRuntimeError(f"{inter!r} is a way of Pillow, for PIL images only")
    if image.dtype == np.bool_:
        return warped(image.view(np.uint8), matrix, size, inter, fill) != 0
    if image.dtype == np.float32 and image.size == image.shape[0] * image.shape[1]:
        # One channel of floats has a way of its own in later versions of OpenCV, with other bits than MindSpore's.
        plane = image.reshape(image.shape[:2])
        return warped(np.dstack((plane, plane)), matrix, size, inter, fill[:1] * 2)[..., :1].reshape(
            *size[::-1], *image.shape[2:]
        )
    how = cv().warpAffine if len(matrix) == 2 else cv().warpPerspective
    value = fill if image.ndim == 3 else fill[:1]
    return like(image, how(image, matrix, size, flags=flags[inter], borderMode=0, borderValue=value))


def affine_matrix(
    height: int, width: int, degrees: float, way: Sequence[float], scale: float, shear: Sequence[float]
) -> np.ndarray:
    """Where pixels go that are sheared across and down, scaled, turned around the middle, and moved by shares of the size,
    (2, 3) float32."""
    single = np.float32
    angle, across, down = (np.deg2rad(single(number)) for number in (degrees, shear[0], -shear[1]))
    cos, sin, tan = (lambda x, f=f: single(f(float(x))) for f in (exact.cos, exact.sin, exact.tan))
    factor, narrow, skew = single(scale), cos(down), tan(across)
    cosine, sine = cos(angle + down), sin(angle + down)
    matrix = np.empty((2, 3), single)
    matrix[0, :2] = factor * cosine / narrow, factor * (-cosine * skew / narrow - sin(angle))
    matrix[1, :2] = factor * sine / narrow, factor * (-sine * skew / narrow + cos(angle))
    x, y, one = single((width - 1) / 2), single((height - 1) / 2), single(1)
    matrix[0, 2] = (one - matrix[0, 0]) * x - matrix[0, 1] * y + single(way[0]) * single(width)
    matrix[1, 2] = (one - matrix[1, 1]) * y - matrix[1, 0] * x + single(way[1]) * single(height)
    return matrix


def moved(image: Any, matrix: np.ndarray, inter: Inter, fill: tuple[int, int, int]) -> Any:
    """An image of the same size, whose pixels went where a matrix, (2, 3), says."""
    if not is_pil(image):
        return warped(image, matrix, (image.shape[1], image.shape[0]), inter, fill)
    # Pillow counts from the corners of pixels, the matrix from their middles.
    corners = matrix.copy()
    corners[:, 2] += 0.5 - matrix[:, :2] @ (0.5, 0.5)
    back = np.linalg.inv(np.vstack([corners, [0, 0, 1]]))[:2].ravel().tolist()
    value: Any = fill if len(image.getbands()) == 3 else fill[0]
    return image.transform(image.size, 0, back, pil_resampling(inter), fillcolor=value)


def _degrees(degrees: Any) -> tuple[float, float]:
    """An interval of angles, of one number or two."""
    if isinstance(degrees, (int, float)) and not isinstance(degrees, bool):
        if degrees < 0:
            raise OpValueError("If degrees is a single number, it cannot be negative.", arg="degrees")
        return -degrees, degrees
    if not isinstance(degrees, (list, tuple)):
        raise checks.wrong_type("degrees", degrees, int, float, list, tuple)
    if len(degrees) != 2:
        raise OpTypeError("If degrees is a sequence, the length must be 2.", arg="degrees")
    low, high = checks.numbers("degrees", degrees, 2)
    if low > high:
        raise OpValueError("degrees should be in (min,max) format. Got (max,min).", arg="degrees")
    return low, high


class Rotate(OfArrays):
    """Turned against the clock.

    Args:
        degrees: the angle.
        resample: how values between pixels are found.
        expand: whether the result is as large as the turned image needs.
        center: (x, y); the middle by default.
        fill_value: what is seen where there was no image.
    """

    def __init__(
        self, degrees: float, resample: Inter = Inter.NEAREST, expand: bool = False, center: Any = None,
        fill_value: Any = 0,
    ) -> None:  # fmt: skip
        self.degrees = checks.number("degrees", degrees)
        self.resample, self.expand = inter_of("resample", resample), checks.boolean("expand", expand)
        self.center = None if center is None else checks.numbers("center", center, 2)
        self.fill = fill_of(fill_value)

    def angle(self) -> float:
        return self.degrees

    def array(self, image: np.ndarray) -> np.ndarray:
        return _turned(image, self.angle(), self.resample, self.expand, self.center, self.fill)


class RandomRotation(Rotate):
    """Turned by a random angle.

    Args:
        degrees: (least, most), or one number for (−degrees, degrees).
        resample, expand, center, fill_value: as for Rotate.
    """

    random = True
    of_arrays = False

    def __init__(
        self,
        degrees: Any,
        resample: Inter = Inter.NEAREST,
        expand: bool = False,
        center: Any = None,
        fill_value: Any = 0,
    ) -> None:
        self.interval = _degrees(degrees)
        super().__init__(0, resample, expand, center, fill_value)

    def angle(self) -> float:
        return draws.stream.uniform(*self.interval)

    def picture(self, image: Any) -> Any:
        value: Any = self.fill if len(image.getbands()) in (3, 4) else self.fill[0]
        way = pil_resampling(self.resample)
        return image.rotate(self.angle(), way, self.expand, self.center, fillcolor=value)


class Affine(OfArrays):
    """Turned, moved, scaled and sheared.

    Args:
        degrees: the angle.
        translate: how far it is moved, (across, down), in shares of width and height, in [−1, 1].
        scale: a factor.
        shear: angles (across, down), or one for across.
        resample, fill_value: as for Rotate.
    """

    def __init__(
        self,
        degrees: float,
        translate: Any,
        scale: float,
        shear: Any,
        resample: Inter = Inter.NEAREST,
        fill_value: Any = 0,
    ) -> None:
        self.degrees = checks.number("degrees", degrees)
        self.translate = checks.numbers("translate", translate, 2)
        if not all(-1 <= share <= 1 for share in self.translate):
            raise OpValueError("Input translate is not within the required interval of [-1.0, 1.0].", arg="translate")
        self.scale = checks.number("scale", scale)
        if scale <= 0:
            raise OpValueError(f"Input scale must be greater than 0, but got {scale}.", arg="scale")
        given = (shear, 0.0) if isinstance(shear, (int, float)) else shear
        self.shear = checks.numbers("shear", given, 2)
        self.resample, self.fill = inter_of("resample", resample), fill_of(fill_value)

    def array(self, image: np.ndarray) -> np.ndarray:
        height, width = image.shape[:2]
        matrix = affine_matrix(height, width, self.degrees, self.translate, self.scale, self.shear)
        return moved(image, matrix, self.resample, self.fill)


class RandomAffine(Picture):
    """Randomly turned, moved, scaled and sheared.

    Args:
        degrees: angles, (least, most) or one number for (−degrees, degrees).
        translate: how far it is moved, in shares of width and height: (least, most across) or (least, most across, least,
            most down), each in [−1, 1].
        scale: factors, (least, most).
        shear: angles, one number, (least, most across) or (least, most across, least, most down).
        resample, fill_value: as for Rotate.
    """

    random = True

    def __init__(
        self, degrees: Any, translate: Any = None, scale: Any = None, shear: Any = None, resample: Inter = Inter.NEAREST,
        fill_value: Any = 0,
    ) -> None:  # fmt: skip
        self.degrees = _degrees(degrees)
        moved = (0, 0, 0, 0) if translate is None else checks.numbers("translate", translate, 2, 4)
        self.translate = (*moved, 0, 0)[:4]
        if not all(-1 <= share <= 1 for share in self.translate):
            raise OpValueError("Input translate is not within the required interval of [-1.0, 1.0].", arg="translate")
        self.scale = (1.0, 1.0) if scale is None else checks.numbers("scale", scale, 2)
        if self.scale[0] > self.scale[1] or self.scale[0] <= 0:
            raise OpValueError("scale should be in (min,max) format, positive.", arg="scale")
        if shear is None:
            self.shear: tuple[float, ...] = (0, 0, 0, 0)
        elif isinstance(shear, (int, float)):
            self.shear = (-checks.number("shear", shear, 0), shear, 0, 0)
        else:
            self.shear = (*checks.numbers("shear", shear, 2, 4), 0, 0)[:4]
        self.resample, self.fill = inter_of("resample", resample), fill_of(fill_value)

    def _matrix(self, height: int, width: int) -> np.ndarray:
        """Where each pixel of the image goes, (2, 3)."""
        stream = draws.stream
        angle = stream.uniform(*self.degrees)
        way = stream.uniform(*self.translate[:2]), stream.uniform(*self.translate[2:])
        scale = stream.uniform(*self.scale)
        shear = stream.uniform(*self.shear[:2]), stream.uniform(*self.shear[2:])
        return affine_matrix(height, width, angle, way, scale, shear)

    def array(self, image: np.ndarray) -> np.ndarray:
        return moved(image, self._matrix(*image.shape[:2]), self.resample, self.fill)

    def picture(self, image: Any) -> Any:
        return moved(image, self._matrix(image.size[1], image.size[0]), self.resample, self.fill)
