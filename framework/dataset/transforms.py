"""Transforms of any kind of field: `anfora.dataset.transforms`, with MindSpore's names.

`c_transforms` and `py_transforms`, in which MindSpore once kept two sets of them, are the same names.
"""

from __future__ import annotations

import enum
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from anfora.core.dtype import DType, as_dtype
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.core.nearest import missing_in
from anfora.core.tensor import Tensor
from anfora.dataset import checks
from anfora.dataset.functions import Transform, is_pure, not_random
from anfora.dataset.gathering import pad_to
from anfora.dataset.seeds import draws

__all__ = [
    "Compose", "Concatenate", "Duplicate", "Fill", "Mask", "OneHot", "PadEnd", "RandomApply", "RandomChoice", "RandomOrder",
    "Relational", "Slice", "TypeCast", "Unique", "not_random",
]  # fmt: skip

c_transforms = py_transforms = sys.modules[__name__]


def _array(value: Any) -> np.ndarray:
    return value.asnumpy() if isinstance(value, Tensor) else np.asarray(value)


def applied(operation: Any, fields: tuple[Any, ...]) -> tuple[Any, ...]:
    """What an operation makes of fields, as a tuple."""
    made = operation(*fields)
    return made if isinstance(made, tuple) else (made,)


def alone(fields: tuple[Any, ...]) -> Any:
    return fields[0] if len(fields) == 1 else fields


def several(transforms: Any) -> list[Any]:
    """A list of callables that is not empty."""
    if not isinstance(transforms, (list, tuple)):
        raise OpTypeError(
            f"Argument transforms list with value {transforms} is not of type [{list}], but got {type(transforms)}."
        )
    if not transforms:
        raise OpValueError("transforms list can not be empty.", arg="transforms")
    for place, transform in enumerate(transforms):
        if not callable(transform):
            raise OpTypeError(f"transforms[{place}] is not callable: {transform!r}", arg="transforms")
    return list(transforms)


class _Choosing(Transform):
    """Base of transforms made of others."""

    one_to_one = False
    random = True

    def __init__(self, transforms: Any) -> None:
        self.transforms = several(transforms)

    @property
    def is_pure(self) -> bool:
        return all(is_pure(transform) for transform in self.transforms)


class Compose(_Choosing):
    """Transforms one after the other, as one.

    Args:
        transforms: a list of callables.
    Example:
        >>> Compose([Fill(1), OneHot(3)])(np.array(5)).tolist()
        [0, 1, 0]
    """

    @property
    def composed(self) -> list[Any]:
        """The parts, of which `map` makes its own list."""
        return self.transforms

    def __call__(self, *fields: Any) -> Any:
        for transform in self.transforms:
            fields = applied(transform, fields)
        return alone(fields)


class RandomApply(_Choosing):
    """All of a list of transforms one after the other, or none.

    Args:
        transforms: a list of callables.
        prob: how probable all are, in [0, 1].
    """

    def __init__(self, transforms: Any, prob: float = 0.5) -> None:
        super().__init__(transforms)
        self.prob = checks.number("prob", prob, 0, 1)

    def __call__(self, *fields: Any) -> Any:
        if draws.stream.random() < self.prob:
            for transform in self.transforms:
                fields = applied(transform, fields)
        return alone(fields)


class RandomChoice(_Choosing):
    """One of a list of transforms.

    Args:
        transforms: a list of callables, equally probable.
    """

    def __call__(self, *fields: Any) -> Any:
        return alone(applied(self.transforms[draws.stream.randrange(len(self.transforms))], fields))


class RandomOrder(_Choosing):
    """All of a list of transforms in random order.

    Args:
        transforms: a list of callables.
    """

    def __call__(self, *fields: Any) -> Any:
        order = list(range(len(self.transforms)))
        draws.stream.shuffle(order)
        for place in order:
            fields = applied(self.transforms[place], fields)
        return alone(fields)


class TypeCast(Transform):
    """Another element type; values are converted as C does it.

    Args:
        data_type: a type of anfora or numpy.
    Example:
        >>> TypeCast(np.int32)(np.array([1.7, -1.7])).tolist()
        [1, -1]
    """

    def __init__(self, data_type: Any) -> None:
        self.data_type = data_type
        try:
            found = as_dtype(data_type)
            self._numpy = found.numpy if isinstance(found, DType) else np.dtype(found)
        except Exception:
            try:
                self._numpy = np.dtype(data_type)
            except TypeError:
                raise OpTypeError(
                    f"data_type should be a type of anfora or numpy, or the name of one, but got {data_type!r}",
                    arg="data_type",
                ) from None

    def __call__(self, *fields: Any) -> Any:
        [field] = fields
        return self.many(_array(field))

    def many(self, column: Any) -> Any:
        if isinstance(column, list):
            return [self(row) for row in column]
        if column.dtype.kind == "f" and self._numpy.kind in "iu" and self._numpy.itemsize < 8:
            with np.errstate(invalid="ignore"):  # by way of int64, as C compilers do it
                return column.astype(np.int64).astype(self._numpy)
        return column.astype(self._numpy)


class OneHot(Transform):
    """Numbers of classes as rows with a one in their place.

    Args:
        num_classes: how many classes there are.
        smoothing_rate: in [0, 1]; rows have 1 − rate at their place, and share the rate with all classes.
    Takes integers of any shape (...), in [0, num_classes); gives (..., num_classes) of their type, with smoothing float64.
    """

    def __init__(self, num_classes: int, smoothing_rate: float = 0.0) -> None:
        if checks.integer("num_classes", num_classes) < 1:
            raise OpValueError("Input must be greater than 0.", arg="num_classes")
        self.num_classes = num_classes
        self.smoothing_rate = checks.number("smoothing_rate", smoothing_rate, 0.0, 1.0)

    def __call__(self, *fields: Any) -> Any:
        [field] = fields
        return self.many(_array(field))

    def many(self, column: Any) -> Any:
        if isinstance(column, list):
            return [self(row) for row in column]
        if column.dtype.kind not in "iu":
            raise OpRuntimeError(f"OneHot: OneHot only supports input of int type, but got {column.dtype}")
        if column.size and not 0 <= int(column.min()) <= int(column.max()) < self.num_classes:
            raise OpRuntimeError(
                f"OneHot: OneHot index values must be in [0, {self.num_classes - 1}], but got {int(column.min())} to"
                f" {int(column.max())}"
            )
        kind = np.float64 if self.smoothing_rate else column.dtype
        out = np.full((*column.shape, self.num_classes), self.smoothing_rate / self.num_classes, kind)
        place = column.astype(np.int64)[..., None]
        top = 1 - self.smoothing_rate + self.smoothing_rate / self.num_classes if self.smoothing_rate else 1
        np.put_along_axis(out, place, top, axis=-1)
        return out


class PadEnd(Transform):
    """Filled up at the ends of its axes, or cut off, to a shape.

    Args:
        pad_shape: a list of lengths; None keeps the length of the axis.
        pad_value: what to fill with; zero, or the empty word.
    Example:
        >>> PadEnd([4], 9)(np.array([1, 2])).tolist()
        [1, 2, 9, 9]
    """

    def __init__(self, pad_shape: Sequence[int | None], pad_value: Any = None) -> None:
        if not isinstance(pad_shape, (list, tuple)):
            raise checks.wrong_type("pad_end", pad_shape, list)
        for length in pad_shape:
            if length is not None and not checks.is_integer(length):
                raise OpTypeError("a value in the list is not an integer.", arg="pad_shape")
        self.pad_shape, self.pad_value = list(pad_shape), pad_value

    def __call__(self, *fields: Any) -> Any:
        [field] = fields
        array = _array(field)
        if len(self.pad_shape) != array.ndim:
            raise OpRuntimeError(
                f"PadEnd: the pad_shape {self.pad_shape} has {len(self.pad_shape)} axes, the field has {array.ndim}"
            )
        shape = [have if want is None else want for have, want in zip(array.shape, self.pad_shape)]
        return pad_to(array, shape, self.pad_value)


class Fill(Transform):
    """Every element replaced by a value.

    Args:
        fill_value: a number, word or bytes.
    """

    def __init__(self, fill_value: Any) -> None:
        self.fill_value = _array(fill_value)[()]

    def __call__(self, *fields: Any) -> Any:
        [field] = fields
        array = _array(field)
        if array.dtype.kind in "US":
            return np.full(array.shape, self.fill_value)
        return np.full(array.shape, self.fill_value).astype(array.dtype)


class Duplicate(Transform):
    """The field twice: two output columns."""

    one_to_one = False

    def __call__(self, *fields: Any) -> Any:
        [field] = fields
        return field, field


class Unique(Transform):
    """The different elements of a field in the order in which they come, where each element of the field stands among
    them, and how often each comes: three output columns."""

    one_to_one = False

    def __call__(self, *fields: Any) -> Any:
        [field] = fields
        array = _array(field).ravel()
        _, first, inverse, counts = np.unique(array, return_index=True, return_inverse=True, return_counts=True)
        order = np.argsort(first, kind="stable")
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        return array[first[order]], place[inverse.ravel()].astype(np.int32), counts[order].astype(np.int32)


class Relational(enum.IntEnum):
    """Comparisons of `Mask`."""

    EQ = 0
    NE = 1
    GT = 2
    GE = 3
    LT = 4
    LE = 5


class Mask(Transform):
    """Where a comparison with a constant holds.

    Args:
        operator: a Relational.
        constant: a number or word.
        dtype: the type of the result, bool by default.
    Example:
        >>> Mask(Relational.GE, 2)(np.array([1, 2, 3])).tolist()
        [False, True, True]
    """

    def __init__(self, operator: Relational, constant: Any, dtype: Any = np.bool_) -> None:
        if not isinstance(operator, Relational):
            raise checks.wrong_type("operator", operator, Relational)
        self.operator, self.constant, self._cast = operator, constant, TypeCast(dtype)

    def __call__(self, *fields: Any) -> Any:
        [field] = fields
        compare = (np.equal, np.not_equal, np.greater, np.greater_equal, np.less, np.less_equal)[self.operator]
        return self._cast(compare(_array(field), self.constant))


class Concatenate(Transform):
    """Fields one after the other along their first axis.

    Args:
        axis: 0 or −1.
        prepend, append: arrays that come in front and at the end.
    """

    one_to_one = False

    def __init__(self, axis: int = 0, prepend: Any = None, append: Any = None) -> None:
        if checks.integer("axis", axis) not in (0, -1):
            raise OpValueError("only 1D concatenation supported.", arg="axis")
        self.axis = axis
        self.prepend, self.append = ([] if part is None else [_array(part)] for part in (prepend, append))

    def __call__(self, *fields: Any) -> Any:
        return np.concatenate([*self.prepend, *map(_array, fields), *self.append], axis=self.axis)


class Slice(Transform):
    """A part of a field.

    Args:
        slices: for each axis an int, a list of ints, a slice, None or Ellipsis (all). Every axis stays.
    Example:
        >>> Slice(slice(0, 2), 1)(np.arange(6).reshape(3, 2)).tolist()
        [[1], [3]]
    """

    def __init__(self, *slices: Any) -> None:
        for part in slices:
            if not (part is None or part is Ellipsis or checks.is_integer(part) or isinstance(part, (list, slice))):
                raise OpTypeError(
                    f"slices should be int, list, slice, None or Ellipsis, but got {part!r}", arg="slices"
                )
        self.slices = slices

    def __call__(self, *fields: Any) -> Any:
        [array] = map(_array, fields)
        if len(self.slices) > array.ndim:
            raise OpRuntimeError(f"Slice: {len(self.slices)} slices for a field with {array.ndim} axes")
        for axis, part in enumerate(self.slices):
            if part is None or part is Ellipsis:
                continue
            if checks.is_integer(part):
                part = [int(part)]
            array = array[(slice(None),) * axis + (part,)]
        return np.ascontiguousarray(array)


if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)
