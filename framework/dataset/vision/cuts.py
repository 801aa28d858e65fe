"""Several pieces of one image, and images seen from elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np

from anfora.core.errors import OpTypeError, OpValueError
from anfora.dataset import checks
from anfora.dataset.seeds import draws
from anfora.dataset.vision.base import (
    Picture,
    both_sides,
    cv,
    height_width,
    inter_of,
    is_pil,
    pil_resampling,
    probability,
)
from anfora.dataset.vision.enums import Inter
from anfora.dataset.vision.geometry import CenterCrop, RandomHorizontalFlip, RandomVerticalFlip, _cut, warped

__all__ = ["FiveCrop", "Perspective", "RandomPerspective", "TenCrop"]


class FiveCrop(Picture):
    """The four corners and the middle of an image, as five fields.

    Args:
        size: (height, width), or one number for both.
    """

    one_to_one = False

    def __init__(self, size: Any) -> None:
        self.size = both_sides(size)

    def array(self, image: np.ndarray) -> Any:
        return self._pieces(image)

    def picture(self, image: Any) -> Any:
        return self._pieces(image)

    def _pieces(self, image: Any) -> tuple[Any, ...]:
        (height, width), (high, wide) = height_width(image), self.size
        if high > height or wide > width:
            raise OpValueError(f"Crop size {self.size} is larger than input image size {(height, width)}.")
        corners = [(top, left) for top in (0, height - high) for left in (0, width - wide)]
        middle = CenterCrop(self.size)
        return (*(_cut(image, top, left, high, wide) for top, left in corners), middle(image))


class TenCrop(FiveCrop):
    """The pieces of `FiveCrop` of an image and of its mirror image, as ten fields.

    Args:
        size: (height, width), or one number for both.
        use_vertical_flip: whether it is mirrored upside down.
    """

    def __init__(self, size: Any, use_vertical_flip: bool = False) -> None:
        super().__init__(size)
        upside_down = checks.boolean("use_vertical_flip", use_vertical_flip)
        self.mirror = RandomVerticalFlip(1.0) if upside_down else RandomHorizontalFlip(1.0)

    def _pieces(self, image: Any) -> tuple[Any, ...]:
        return super()._pieces(image) + super()._pieces(self.mirror(image))


def _points(name: str, value: Any) -> np.ndarray:
    points = np.array(value, np.float64) if isinstance(value, (list, tuple)) else None
    if points is None or points.shape != (4, 2):
        raise OpTypeError(f"{name} should be a list or tuple of four points (x, y), but got {value!r}", arg=name)
    return points


def _seen(image: Any, start: np.ndarray, end: np.ndarray, inter: Inter) -> Any:
    """An image of which four points have gone elsewhere."""
    if is_pil(image):
        rows, sides = [], []
        for (x, y), (old_x, old_y) in zip(end, start):
            rows += [[x, y, 1, 0, 0, 0, -old_x * x, -old_x * y], [0, 0, 0, x, y, 1, -old_y * x, -old_y * y]]
            sides += [old_x, old_y]
        numbers = np.linalg.lstsq(np.array(rows), np.array(sides), rcond=None)[0]
        return image.transform(image.size, 2, numbers.tolist(), pil_resampling(inter))
    library = cv()
    matrix = library.getPerspectiveTransform(start.astype(np.float32), end.astype(np.float32), library.DECOMP_LU)
    return warped(image, matrix, (image.shape[1], image.shape[0]), inter, (0, 0, 0))


class Perspective(Picture):
    """Seen from elsewhere.

    Args:
        start_points: the corners (x, y) of what is seen, from the upper left one on, in the order of the clock.
        end_points: where they go.
        interpolation: how values between pixels are found.
    """

    def __init__(self, start_points: Any, end_points: Any, interpolation: Inter = Inter.BILINEAR) -> None:
        self.start, self.end = _points("start_points", start_points), _points("end_points", end_points)
        self.interpolation = inter_of("interpolation", interpolation)

    def array(self, image: np.ndarray) -> Any:
        return _seen(image, self.start, self.end, self.interpolation)

    def picture(self, image: Any) -> Any:
        return _seen(image, self.start, self.end, self.interpolation)


class RandomPerspective(Picture):
    """Seen from a random place, sometimes.

    Args:
        distortion_scale: how far corners go, in [0, 1].
        prob: how probably.
        interpolation: how values between pixels are found.
    """

    random = True

    def __init__(self, distortion_scale: float = 0.5, prob: float = 0.5, interpolation: Inter = Inter.BICUBIC) -> None:
        self.scale = checks.number("distortion_scale", distortion_scale, 0, 1)
        self.prob = probability(prob)
        self.interpolation = inter_of("interpolation", interpolation)

    def _changed(self, image: Any) -> Any:
        stream = draws.stream
        if stream.random() >= self.prob:
            return image
        height, width = height_width(image)
        across, down = int(width / 2 * self.scale), int(height / 2 * self.scale)

        def near(far: bool, length: int, reach: int) -> int:
            way = stream.randint(0, reach)
            return max(0, length - 1 - way) if far else way

        corners = [(False, False), (True, False), (True, True), (False, True)]
        start = np.array([((width - 1) * x, (height - 1) * y) for x, y in corners], np.float64)
        end = np.array([(near(x, width, across), near(y, height, down)) for x, y in corners], np.float64)
        return _seen(image, start, end, self.interpolation)

    def array(self, image: np.ndarray) -> Any:
        return self._changed(image)

    def picture(self, image: Any) -> Any:
        return self._changed(image)
