"""The op table: one row an operator, from which `test_table.py` makes all its tests.

    Row(ops.exp, ref=np.exp, samples=[S(normal(3, 5)), S(values(0.0, -0.0, np.inf, np.nan))])

A sample holds the arguments of one call. Arrays among them become tensors; floating ones are cast to each element type
that is tested, so a sample is written once for float16 … float64. `ref` is plain numpy, obviously right, and sees the
same arguments with floating arrays in float64 (of the values that the tensor really holds).
"""

from __future__ import annotations

import functools
import sys
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

__all__ = ["MARKS", "Bad", "Row", "S", "bools", "integers", "normal", "positive", "spread", "uniform", "values"]


@functools.cache
def _stream(name: str) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(name.encode()))


def _random() -> np.random.Generator:
    """The generator of the file that calls: a sample more shifts the data of its own file, and of no other."""
    return _stream(sys._getframe(2).f_globals["__name__"])


def normal(*shape: int) -> np.ndarray:
    """Numbers from the standard normal distribution."""
    return _random().standard_normal(shape)


def uniform(low: float, high: float, *shape: int) -> np.ndarray:
    return _random().uniform(low, high, shape)


def positive(*shape: int) -> np.ndarray:
    """Numbers between 0.5 and 3: the domain of logarithms."""
    return _random().uniform(0.5, 3.0, shape)


def spread(*shape: int) -> np.ndarray:
    """Numbers of which no two are closer than 0.05, nor any to zero: away from ties and kinks."""
    size = int(np.prod(shape))
    return (0.1 * (_random().permutation(size) - size // 2) + 0.05).reshape(shape)


def values(*numbers: float) -> np.ndarray:
    """Just these floating-point numbers."""
    return np.array(numbers, np.float64)


def integers(low: int, high: int, *shape: int, dtype: Any = np.int64) -> np.ndarray:
    """Integers from low to high - 1; integer arrays keep their type."""
    return _random().integers(low, high, shape).astype(dtype)


def bools(*shape: int) -> np.ndarray:
    return _random().random(shape) < 0.5


class S:
    """The arguments of one call. `smooth=False` leaves the sample out of the gradient tests (special values, kinks)."""

    def __init__(self, *args: Any, smooth: bool = True, **kwargs: Any) -> None:
        self.args, self.kwargs, self.smooth = args, kwargs, smooth

    def __repr__(self) -> str:
        parts = [_short(a) for a in self.args] + [f"{k}={_short(v)}" for k, v in self.kwargs.items()]
        return f"({', '.join(parts)})"


def _short(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype.kind}{list(value.shape)}"
    if isinstance(value, (tuple, list)) and any(isinstance(v, np.ndarray) for v in value):
        return f"[{', '.join(map(_short, value))}]"
    return repr(value)


class Bad(S):
    """A call that must be refused: the type of the error and a piece of its text."""

    def __init__(self, *args: Any, error: type[Exception], match: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.error, self.match = error, match


@dataclass
class Row:
    """What is tested of one operator, or of a function that is written in operators."""

    op: Callable
    ref: Callable
    samples: Sequence[S]
    errors: Sequence[Bad] = ()
    dtypes: Sequence[str] = ("float32", "float64")  #: element types that floating arrays are cast to
    grad: bool = True  #: whether first and second gradients are checked by finite differences (in float64)
    second: bool = True
    tol: dict[str, float] = field(default_factory=dict)  #: by element type, relative and absolute
    exact: bool = False  #: compare bit for bit
    strided: bool = True  #: whether strided inputs give the same bits (not for operators that look at strides)
    covers: Sequence[str] = ()  #: further operators that this row tests by calling `op` (internal ones, mostly)
    why: str = ""  #: why something is switched off

    @property
    def name(self) -> str:
        return getattr(self.op, "name", None) or self.op.__name__


#: What rows try though it is hardly meant: losses of two shapes, complex numbers that become real.
MARKS = [
    pytest.mark.filterwarnings("ignore:a loss of outputs:anfora.AnforaWarning"),
    pytest.mark.filterwarnings("ignore:.* imaginary parts are lost:anfora.AnforaWarning"),
]
TOLERANCE = {"float16": 2e-3, "bfloat16": 1.6e-2, "float32": 2e-6, "float64": 1e-12}
