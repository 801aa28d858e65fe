"""Transforms of an image together with the boxes of what is to be found in it, and images in pieces.

Boxes are (n, 4) float32 or more columns: left, top, width and height in pixels, and what else is told of each. Images and
boxes that come in stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anfora.core.errors import OpRuntimeError, OpTypeError
from anfora.dataset import checks
from anfora.dataset.seeds import draws
from anfora.dataset.vision.base import OfArrays, both_sides, enum_of, inter_of, mirrored, probability
from anfora.dataset.vision.enums import Border, Inter, SliceMode
from anfora.dataset.vision.geometry import RandomCrop, RandomResize, Resize, _cut, _rectangle, _scale_and_ratio, resized

__all__ = [
    "BoundingBoxAugment", "RandomCropWithBBox", "RandomHorizontalFlipWithBBox", "RandomResizeWithBBox",
    "RandomResizedCropWithBBox", "RandomVerticalFlipWithBBox", "ResizeWithBBox", "SlicePatches",
]  # fmt: skip


class WithBoxes(OfArrays):
    """Base of transforms of two fields, an image and its boxes; `both` gets a copy of the boxes.

    Raises:
        OpRuntimeError: there are not two fields, boxes are not float32 (n, 4 or more), or do not lie in the image.
    """

    one_to_one = False
    random = True

    def __call__(self, *fields: Any) -> Any:
        name = type(self).__name__
        if len(fields) != 2:
            raise OpRuntimeError(f"{name}: size of input should be 2, an image and its boxes, but got {len(fields)}")
        image, boxes = self.taken(fields)
        if not isinstance(image, np.ndarray) or image.ndim != 3:
            raise OpRuntimeError(f"{name}: the first input should be an image <H,W,C>, but got {_shape(image)}")
        if not isinstance(boxes, np.ndarray) or boxes.ndim != 2 or boxes.shape[1] < 4:
            raise OpRuntimeError(
                f"{name}: BoundingBox: bounding boxes should have to be two-dimensional matrix at least, with 4 columns"
                f" or more, but got {_shape(boxes)}"
            )
        if boxes.dtype != np.float32:
            raise OpRuntimeError(f"{name}: BoundingBox: boxes should be float32, but are {boxes.dtype}")
        height, width = image.shape[:2]
        for left, top, wide, high in boxes[:, :4].tolist():
            if left < 0 or top < 0:
                raise OpRuntimeError(
                    f"{name}: BoundingBox: the coordinates of the bounding boxes has negative value, got: ({left},{top})"
                )
            if left + wide > width or top + high > height:
                raise OpRuntimeError(
                    f"{name}: BoundingBox: bounding boxes is out of bounds of the image, as image width: {width}, bbox"
                    f" width coordinate: {left + wide}, and image height: {height}, bbox height coordinate: {top + high}"
                )
        return self.both(image, boxes.copy())

    def both(self, image: np.ndarray, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        raise NotImplementedError


def _shape(value: Any) -> str:
    return f"an array {value.shape}" if isinstance(value, np.ndarray) else f"{type(value)}"


def _scaled(boxes: np.ndarray, before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Boxes of an image that got another size."""
    high, wide = (np.float32(new) / np.float32(old) for new, old in zip(after.shape[:2], before.shape[:2]))
    boxes[:, :4] *= np.array([wide, high, wide, high], np.float32)
    return boxes


def _within(boxes: np.ndarray, top: int, left: int, height: int, width: int) -> np.ndarray:
    """What a rectangle leaves of boxes; those of which nothing is left go."""
    corner, size = np.array([left, top], np.float32), np.array([width, height], np.float32)
    begin = np.maximum(boxes[:, :2] - corner, 0)
    end = np.minimum(boxes[:, :2] + boxes[:, 2:4] - corner, size)
    boxes[:, :2], boxes[:, 2:4] = begin, end - begin
    return boxes[(end > begin).all(1)]


class RandomHorizontalFlipWithBBox(WithBoxes):
    """Left and right changed, sometimes.

    Args:
        prob: how probably.
    Example:
        >>> image, boxes = np.zeros((4, 6, 3), np.uint8), np.array([[1, 0, 2, 3]], np.float32)
        >>> RandomHorizontalFlipWithBBox(1.0)(image, boxes)[1].tolist()
        [[3.0, 0.0, 2.0, 3.0]]
    """

    axis = 1

    def __init__(self, prob: float = 0.5) -> None:
        self.prob = probability(prob)

    def both(self, image: np.ndarray, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if draws.stream.random() >= self.prob:
            return image, boxes
        place = 1 - self.axis
        boxes[:, place] = image.shape[self.axis] - boxes[:, place] - boxes[:, place + 2]
        return mirrored(image, self.axis), boxes


class RandomVerticalFlipWithBBox(RandomHorizontalFlipWithBBox):
    """Upside down, sometimes.

    Args:
        prob: how probably.
    """

    axis = 0


class ResizeWithBBox(WithBoxes):
    """Another size.

    Args:
        size, interpolation: as for `Resize`.
    """

    random = False

    def __init__(self, size: Any, interpolation: Inter = Inter.LINEAR) -> None:
        self.resize: Callable[[np.ndarray], Any] = Resize(size, interpolation)

    def both(self, image: np.ndarray, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        made = self.resize(image)
        return made, _scaled(boxes, image, made)


class RandomResizeWithBBox(ResizeWithBBox):
    """Another size, by a random way to find values between pixels.

    Args:
        size: as for `Resize`.
    """

    random = True

    def __init__(self, size: Any) -> None:
        self.resize = RandomResize(size)


class RandomCropWithBBox(WithBoxes):
    """A rectangle at a random place; what is left of the boxes.

    Args:
        size, padding, pad_if_needed, fill_value, padding_mode: as for `RandomCrop`.
    """

    def __init__(
        self, size: Any, padding: Any = None, pad_if_needed: bool = False, fill_value: Any = 0,
        padding_mode: Border = Border.CONSTANT,
    ) -> None:  # fmt: skip
        self.crop = RandomCrop(size, padding, pad_if_needed, fill_value, padding_mode)

    def both(self, image: np.ndarray, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        padded, (above, beside), top, left = self.crop.chosen(image)
        made = _cut(padded, top, left, *self.crop.size)
        return made, _within(boxes, top - above, left - beside, *self.crop.size)


class RandomResizedCropWithBBox(WithBoxes):
    """A rectangle of random size and place, made to another size; what is left of the boxes.

    Args:
        size, scale, ratio, interpolation, max_attempts: as for `RandomResizedCrop`.
    """

    def __init__(
        self, size: Any, scale: Any = (0.08, 1.0), ratio: Any = (3.0 / 4.0, 4.0 / 3.0),
        interpolation: Inter = Inter.BILINEAR, max_attempts: int = 10,
    ) -> None:  # fmt: skip
        self.size, (self.scale, self.ratio) = both_sides(size), _scale_and_ratio(scale, ratio)
        self.interpolation = inter_of("interpolation", interpolation)
        self.attempts = checks.integer_in("max_attempts", max_attempts, 1)

    def both(self, image: np.ndarray, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        place = _rectangle(image, self.scale, self.ratio, self.attempts)
        part = _cut(image, *place)
        made = resized(part, *self.size, self.interpolation)
        return made, _scaled(_within(boxes, *place), part, made)


class BoundingBoxAugment(WithBoxes):
    """A transform of what lies in some of the boxes.

    Args:
        transform: a transform of an image that keeps its shape.
        ratio: of which share of the boxes, rounded to a whole number.
    """

    def __init__(self, transform: Any, ratio: float = 0.3) -> None:
        if not callable(transform):
            raise OpTypeError(f"transform should be a transform of an image, but got {transform!r}", arg="transform")
        self.transform, self.ratio = transform, checks.number("ratio", ratio, 0.0, 1.0)

    def both(self, image: np.ndarray, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        made = image.copy()
        count = int(len(boxes) * self.ratio + 0.5)
        for number in sorted(draws.stream.sample(range(len(boxes)), count)):
            left, top, wide, high = (int(side) for side in boxes[number, :4])
            part = np.ascontiguousarray(made[top : top + high, left : left + wide])
            new = np.asarray(self.transform(part)) if part.size else part
            if new.shape != part.shape:
                raise OpRuntimeError(
                    f"BoundingBoxAugment: the transform made {new.shape} of what lies in a box, {part.shape};"
                    " it should keep its shape"
                )
            made[top : top + high, left : left + wide] = new
        return made, boxes


class SlicePatches(OfArrays):
    """An image in pieces of one size, row by row, as several fields.

    Args:
        num_height, num_width: how many pieces there are one below the other, and side by side.
        slice_mode: where sides do not divide: SliceMode.PAD fills up on the right and below, DROP leaves out.
        fill_value: what it is filled up with.
    Example:
        >>> [piece.shape for piece in SlicePatches(1, 2)(np.zeros((4, 5, 3), np.uint8))]
        [(4, 3, 3), (4, 3, 3)]
    """

    one_to_one = False

    def __init__(
        self, num_height: int = 1, num_width: int = 1, slice_mode: SliceMode = SliceMode.PAD, fill_value: int = 0
    ) -> None:
        self.counts = checks.integer_in("num_height", num_height, 1), checks.integer_in("num_width", num_width, 1)
        self.mode = enum_of("slice_mode", slice_mode, SliceMode)
        self.fill = checks.integer_in("fill_value", fill_value, 0, 255)

    def array(self, image: np.ndarray) -> Any:
        if any(count > side for count, side in zip(self.counts, image.shape)):
            raise OpRuntimeError(f"SlicePatches: {self.counts} pieces of an image of {image.shape[:2]} pixels")
        if self.mode is SliceMode.PAD:
            more = [(0, -side % count) for side, count in zip(image.shape, self.counts)]
            more += [(0, 0)] * (image.ndim - 2)
            image = np.pad(image, more, constant_values=self.fill)
        (high, wide) = (side // count for side, count in zip(image.shape, self.counts))
        return tuple(
            np.ascontiguousarray(image[row * high : (row + 1) * high, column * wide : (column + 1) * wide])
            for row in range(self.counts[0])
            for column in range(self.counts[1])
        )
