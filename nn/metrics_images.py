"""Metrics of images: how far outlines are apart, and which parts of an image a network looks at."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from anfora.core.cell import Cell
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.tensor import Tensor
from anfora.eager.tape import no_grad
from anfora.nn.checks import choice, flag, integer, integers, number
from anfora.nn.metrics import Metric, rearrange_inputs

__all__ = ["HausdorffDistance", "MeanSurfaceDistance", "OcclusionSensitivity", "RootMeanSquareDistance"]


def _edge(mask: np.ndarray) -> np.ndarray:
    """The elements of a set that have a neighbour outside of it along an axis; around the array lies nothing of the set."""
    inner = mask.copy()
    padded = np.pad(mask, 1)
    for axis in range(mask.ndim):
        for step in (0, 2):
            place = [slice(1, -1)] * mask.ndim
            place[axis] = slice(step, step + mask.shape[axis])
            inner &= padded[tuple(place)]
    return mask & ~inner


#: How the distance along one more axis is joined to what is known, by the kind of distance; and what is done at the end.
_JOINED: dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any], Any]]] = {
    "euclidean": (lambda known, step: known + step * step, np.sqrt),
    "taxicab": (lambda known, step: known + step, lambda known: known),
    "chessboard": (np.maximum, lambda known: known),
}


def _distances(edge: np.ndarray, kind: str) -> np.ndarray:
    """The distance of each element of an array to the nearest one of a set that is not empty.

    Axis by axis: the nearest one within a line follows from what is known of each element of the line.
    """
    join, finish = _JOINED[kind]
    known = np.where(edge, 0.0, np.inf)
    for axis in range(edge.ndim):
        lines = np.moveaxis(known, axis, 0)
        nearest = lines.copy()
        for step in range(1, len(lines)):
            np.minimum(nearest[step:], join(lines[:-step], step), out=nearest[step:])
            np.minimum(nearest[:-step], join(lines[step:], step), out=nearest[:-step])
        known = np.moveaxis(nearest, 0, axis)
    return finish(known)


class _Outlines(Metric):
    """What metrics of two outlines share.

    Args:
        distance_metric: "euclidean"; "taxicab", steps along axes; or "chessboard", the most along one axis.

    `update(predicted, true, label)`: two arrays of one shape, and which element belongs to the sets.
    """

    def __init__(self, distance_metric: str) -> None:
        super().__init__()
        self.distance_metric = choice(type(self).__name__, "distance_metric", distance_metric, tuple(_JOINED))
        self.clear()

    def clear(self) -> None:
        self._edges: tuple[np.ndarray, np.ndarray] | None = None

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Take two arrays and a label; what came before is replaced, as in MindSpore."""
        name = type(self).__name__
        if len(inputs) != 3:
            raise OpValueError(f"{name}.update needs 3 inputs, predicted, true and a label, but got {len(inputs)}")
        predicted, true = self._two(inputs[:2])
        label = inputs[2]
        if isinstance(label, bool) or not isinstance(label, (int, float)):
            raise OpTypeError(f"{name}.update needs a number as label, but got {label!r}")
        if predicted.size == 0 or predicted.shape != true.shape:
            raise OpValueError(f"{name} needs two arrays of one shape, but got {predicted.shape} and {true.shape}")
        if label not in predicted and label not in true:
            raise OpValueError(f"{name}: the label {label} is in neither array")
        self._edges = self._outlined(*(v if v.dtype == bool else v == label for v in (predicted, true)))

    def _outlined(self, predicted: np.ndarray, true: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return _edge(predicted), _edge(true)

    def _both(self) -> tuple[np.ndarray, np.ndarray]:
        self._need(self._edges is not None)
        assert self._edges is not None
        return self._edges

    def _apart(self, here: np.ndarray, there: np.ndarray) -> np.ndarray:
        """The distance of each element of an outline to the other outline."""
        if not there.any():
            return np.full(int(here.sum()), np.inf)
        return _distances(there, self.distance_metric)[here] if here.any() else np.zeros(0)


class HausdorffDistance(_Outlines):
    """How far two outlines are apart at most: the greatest distance of an element of one to the other.

    Args:
        distance_metric: "euclidean", "taxicab" or "chessboard".
        percentile: this percentile of the distances, in [0, 100], instead of the greatest.
        directed: only from the predicted to the true outline; else the greater of both ways.
        crop: whether the arrays are cut to the box that holds both sets first.

    `update(predicted, true, label)`: two arrays of one shape, and which element belongs to the sets. Infinite where a set
    is empty.

    Example:
        >>> x, y = np.zeros((4, 4)), np.zeros((4, 4)); x[0, 0] = y[0, 3] = 1
        >>> HausdorffDistance()(x, y, 1)
        3.0
    """

    def __init__(
        self,
        distance_metric: str = "euclidean",
        percentile: float | None = None,
        directed: bool = False,
        crop: bool = True,
    ) -> None:
        name = "HausdorffDistance"
        self.percentile = None if percentile is None else number(name, "percentile", percentile, least=0.0, most=100.0)
        self.directed, self.crop = flag(name, "directed", directed), flag(name, "crop", crop)
        super().__init__(distance_metric)

    def _outlined(self, predicted: np.ndarray, true: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        either = predicted | true
        if self.crop and either.any():
            box = tuple(slice(int(places.min()), int(places.max()) + 1) for places in np.nonzero(either))
            predicted, true = np.squeeze(predicted[box]), np.squeeze(true[box])
        return super()._outlined(predicted, true)

    def _most(self, here: np.ndarray, there: np.ndarray) -> float:
        apart = self._apart(here, there)
        if not apart.size:
            return math.inf
        return float(np.percentile(apart, self.percentile) if self.percentile else apart.max())

    def eval(self) -> float:
        predicted, true = self._both()
        there = self._most(predicted, true)
        return there if self.directed else max(there, self._most(true, predicted))


class MeanSurfaceDistance(_Outlines):
    """The mean distance of an outline's elements to another outline.

    Args:
        symmetric: whether the mean of both ways is taken; else from the predicted to the true outline.
        distance_metric: "euclidean", "taxicab" or "chessboard".

    `update(predicted, true, label)`: two arrays of one shape, and which element belongs to the sets. Infinite where a set
    is empty.

    Example:
        >>> x, y = np.zeros((4, 4)), np.zeros((4, 4)); x[0, :2] = y[0, 3] = 1
        >>> MeanSurfaceDistance()(x, y, 1)
        2.5
    """

    def __init__(self, symmetric: bool = False, distance_metric: str = "euclidean") -> None:
        self.symmetric = flag(type(self).__name__, "symmetric", symmetric)
        super().__init__(distance_metric)

    def _mean(self, here: np.ndarray, there: np.ndarray) -> float:
        apart = self._apart(here, there)
        return float(apart.mean()) if apart.size else math.inf

    def eval(self) -> float:
        predicted, true = self._both()
        there = self._mean(predicted, true)
        return (there + self._mean(true, predicted)) / 2 if self.symmetric else there


class RootMeanSquareDistance(MeanSurfaceDistance):
    """The root of the mean square distance of an outline's elements to another outline.

    Args:
        symmetric: whether the mean is that of both ways; else from the predicted to the true outline (of which MindSpore
            gives the mean square, without the root).
        distance_metric: "euclidean", "taxicab" or "chessboard".

    `update(predicted, true, label)`: two arrays of one shape, and which element belongs to the sets. Infinite where a set
    is empty.

    Example:
        >>> x, y = np.zeros((4, 8)), np.zeros((4, 8)); x[0, 0] = x[0, 6] = y[0, 7] = 1
        >>> RootMeanSquareDistance()(x, y, 1)
        5.0
    """

    def _mean(self, here: np.ndarray, there: np.ndarray) -> float:
        apart = self._apart(here, there)
        return float((apart**2).mean()) if apart.size else math.inf

    def eval(self) -> float:
        return math.sqrt(super().eval())


class OcclusionSensitivity(Metric):
    """How much the score of a class falls when a part of an image is hidden: (…), one number for each place in the image.

    Args:
        pad_val: what the hidden part becomes.
        margin: how far it reaches before and behind the place; a number, or one for each axis.
        n_batch: how many images the network gets at once.
        b_box: [least, greatest, …] for each axis: only these places, both ends included; -1 for the last. All when None.

    `update(model, image, label)`: a Cell from images (N, …) to scores (N, C), an image (1, …), and the number of a class.

    Example:
        >>> net = nn.Dense(4, 2, weight_init="ones", bias_init="zeros")
        >>> OcclusionSensitivity(margin=1)(net, Tensor([[1., 2., 4., 8.]]), Tensor(1)).tolist()
        [1.0, 3.0, 6.0, 12.0]
    """

    def __init__(
        self, pad_val: float = 0.0, margin: int | list[int] = 2, n_batch: int = 128, b_box: list[int] | None = None
    ) -> None:
        super().__init__()
        name = "OcclusionSensitivity"
        self.pad_val = number(name, "pad_val", pad_val)
        given = list(margin) if isinstance(margin, (list, tuple)) else margin
        self.margin = (
            [integer(name, "margin", m, least=0) for m in given]
            if isinstance(given, list)
            else integer(name, "margin", given, least=0)
        )
        self.n_batch = integer(name, "n_batch", n_batch, least=1)
        self.b_box = None if b_box is None else list(integers(name, "b_box", b_box, len(b_box)))
        self.clear()

    def clear(self) -> None:
        self._result: np.ndarray | None = None

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        name = "OcclusionSensitivity"
        if len(inputs) != 3:
            raise OpValueError(f"{name}.update needs 3 inputs, a network, an image and a class, but got {len(inputs)}")
        network, image = inputs[0], self._convert_data(inputs[1])
        label = np.asarray(inputs[2].asnumpy() if isinstance(inputs[2], Tensor) else inputs[2])
        if not isinstance(network, Cell):
            raise OpTypeError(f"{name} needs a Cell, but got {type(network).__name__}")
        if image.ndim < 2 or image.shape[0] != 1 or label.size != 1:
            raise OpValueError(f"{name} needs an image (1, …) and a class, but got {image.shape} and {label.shape}")
        shape = image.shape[1:]
        low, high = self._box(shape)
        margins = self.margin if isinstance(self.margin, list) else [self.margin] * len(shape)
        if len(margins) != len(shape):
            raise OpValueError(f"{name} has {len(margins)} margins, but an image has {len(shape)} axes")
        which = int(label.ravel()[0])
        with no_grad():
            base = network(Tensor(image.copy())).asnumpy()[0, which]
            scores: list[np.ndarray] = []
            hidden: list[np.ndarray] = []
            places = list(np.ndindex(*(h - a + 1 for a, h in zip(low, high))))
            for number_, place in enumerate(places):
                at = [p + a for p, a in zip(place, low)]
                part = tuple(slice(max(0, p - m), min(n, p + m)) for p, m, n in zip(at, margins, shape))
                hidden.append(image[0].copy())
                hidden[-1][part] = self.pad_val
                if len(hidden) == self.n_batch or number_ == len(places) - 1:
                    scores.append(network(Tensor(np.stack(hidden))).asnumpy()[:, which])
                    hidden = []
        sizes = [h - a + 1 for a, h in zip(low, high)]
        self._result = np.squeeze(base - np.concatenate(scores).reshape(sizes))

    def _box(self, shape: tuple[int, ...]) -> tuple[list[int], list[int]]:
        """The first and the last place along each axis."""
        if self.b_box is None:
            return [0] * len(shape), [n - 1 for n in shape]
        if len(self.b_box) != 2 * len(shape):
            raise OpValueError(f"`b_box` needs {2 * len(shape)} numbers for {len(shape)} axes, but got {self.b_box}")
        low = [max(0, a) for a in self.b_box[::2]]
        high = [n - 1 if a < 0 else a for a, n in zip(self.b_box[1::2], shape)]
        if any(not a <= h < n for a, h, n in zip(low, high, shape)):
            raise OpValueError(f"`b_box` {self.b_box} is not within an image of shape {shape}")
        return low, high

    def eval(self) -> np.ndarray:
        self._need(self._result is not None)
        assert self._result is not None
        return self._result
