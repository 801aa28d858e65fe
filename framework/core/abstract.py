"""What is known of a value without its data.

`TensorType` is an element type and a shape: what `infer` rules take and give, in both modes. `Layout` adds where the
elements lie in memory: what a tensor carries and what kernels are planned for. Both are interned, so that equal ones are
the same object and the caches of operators compare by identity.
"""

from __future__ import annotations

import math
import weakref
from typing import Any

from anfora.core.dtype import DType
from anfora.core.errors import OpValueError

__all__ = ["Layout", "TensorType", "contiguous_strides"]


class TensorType:
    """An element type and a shape, interned: `TensorType(float32, (2, 3)) is TensorType(float32, (2, 3))`."""

    __slots__ = ("dtype", "shape", "size", "contiguous", "__weakref__")

    dtype: DType
    shape: tuple[int, ...]
    size: int  #: number of elements
    contiguous: Layout  #: the layout in row-major order without gaps

    def __new__(cls, dtype: DType, shape: tuple[int, ...]) -> TensorType:
        known = _types.get((dtype, shape))
        if known is not None:
            return known
        self = object.__new__(cls)
        self.dtype, self.shape = dtype, shape
        self.size = math.prod(shape)
        if self.size * dtype.itemsize >= _MOST_BYTES:
            raise OpValueError(f"a tensor of {dtype} and the shape {list(shape)} would be larger than any memory")
        self.contiguous = Layout._make(self, contiguous_strides(shape, dtype.itemsize))
        return _types.setdefault((dtype, shape), self)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __repr__(self) -> str:
        return f"{self.dtype.name.rstrip('_')}[{', '.join(map(str, self.shape))}]"

    def __reduce__(self) -> tuple:
        return TensorType, (self.dtype, self.shape)


class Layout:
    """A TensorType and the strides (bytes) at which its elements lie, interned.

    Strides of axes of length 1, and all strides of an empty tensor, are normalised, so that whatever is contiguous is
    `type.contiguous`.
    """

    __slots__ = ("type", "dtype", "shape", "size", "strides", "is_contiguous", "native", "__weakref__")

    type: TensorType
    dtype: DType
    shape: tuple[int, ...]
    size: int
    strides: tuple[int, ...]
    is_contiguous: bool
    native: Any  #: what the native call path keeps of it, see kernel/glue

    def __new__(cls, type: TensorType, strides: tuple[int, ...]) -> Layout:
        normal = contiguous_strides(type.shape, type.dtype.itemsize)
        if type.size == 0 or strides == normal:
            return type.contiguous
        strides = tuple(n if length == 1 else s for length, s, n in zip(type.shape, strides, normal))
        if strides == normal:
            return type.contiguous
        known = _layouts.get((type, strides))
        return known if known is not None else _layouts.setdefault((type, strides), cls._make(type, strides))

    @classmethod
    def _make(cls, type: TensorType, strides: tuple[int, ...]) -> Layout:
        self = object.__new__(cls)
        self.type, self.dtype, self.shape, self.size = type, type.dtype, type.shape, type.size
        self.strides = strides
        self.is_contiguous = strides == contiguous_strides(type.shape, type.dtype.itemsize)
        self.native = None
        return self

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def extent(self) -> tuple[int, int]:
        """Where in memory the elements lie: the first byte and the end, counted from the data."""
        if not self.size:
            return 0, 0
        steps = [(n - 1) * step for n, step in zip(self.shape, self.strides)]
        return sum(step for step in steps if step < 0), sum(step for step in steps if step > 0) + self.dtype.itemsize

    def __repr__(self) -> str:
        return repr(self.type) if self.is_contiguous else f"{self.type!r} with strides {self.strides}"


def contiguous_strides(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """The strides, in bytes, of a row-major array without gaps."""
    strides = []
    step = itemsize
    for length in reversed(shape):
        strides.append(step)
        step *= max(length, 1)
    return tuple(reversed(strides))


_MOST_BYTES = 1 << 62

_types: weakref.WeakValueDictionary = weakref.WeakValueDictionary()
_layouts: weakref.WeakValueDictionary = weakref.WeakValueDictionary()
