"""Frequencies of discrete Fourier transforms, and their order. The transforms themselves have complex results, which no
tensor holds."""

from __future__ import annotations

from typing import Any

from anfora.core.dtype import as_dtype, float32
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.tensor import Tensor
from anfora.ops.composite import composite
from anfora.ops.creation import arange
from anfora.ops.families import normalize_axes
from anfora.ops.joining import concat, roll

__all__ = ["fftfreq", "fftshift", "ifftshift", "rfftfreq"]


def _spacing(name: str, n: Any, d: Any) -> float:
    """The distance of neighbouring frequencies."""
    if isinstance(n, bool) or not isinstance(n, int):
        raise OpTypeError(f"{name} needs an integer for `n`, but got {n!r}", arg="n")
    if isinstance(d, bool) or not isinstance(d, (int, float)):
        raise OpTypeError(f"{name} needs a number for `d`, but got {d!r}", arg="d")
    if n < 1 or d == 0:
        raise OpValueError(
            f"{name} needs n >= 1 and a `d` that is not 0, but got {n} and {d}", arg="n" if n < 1 else "d"
        )
    return n * d


def _kind(name: str, dtype: Any) -> Any:
    kind = float32 if dtype is None else as_dtype(dtype)
    if not kind.is_float:
        raise OpTypeError(f"{name} needs a floating-point `dtype`, but got {kind}", arg="dtype")
    return kind


@composite
def fftfreq(n: int, d: float = 1.0, dtype: Any = None) -> Tensor:
    """The frequencies of a discrete Fourier transform of n samples, in its order: those from 0 on, then the negative ones.

    Args:
        n: samples, 1 or more.
        d: time between samples.
        dtype: a floating-point type, float32 when not given.
    Returns:
        (n,): cycles in a unit of time.
    Raises:
        OpTypeError, OpValueError: an argument has another type, or is out of range.
    Example:
        >>> fftfreq(4, 0.5).tolist()
        [0.0, 0.5, -1.0, -0.5]
    """
    span, kind = _spacing("fftfreq", n, d), _kind("fftfreq", dtype)
    return concat([arange(0, (n + 1) // 2), arange(-(n // 2), 0)], 0).astype(kind) / span


@composite
def rfftfreq(n: int, d: float = 1.0, dtype: Any = None) -> Tensor:
    """The frequencies of a discrete Fourier transform of n real samples, none of them negative.

    Args:
        n, d, dtype: see `fftfreq`.
    Returns:
        (n // 2 + 1,).
    Example:
        >>> rfftfreq(4, 0.5).tolist()
        [0.0, 0.5, 1.0]
    """
    span, kind = _spacing("rfftfreq", n, d), _kind("rfftfreq", dtype)
    return arange(0, n // 2 + 1).astype(kind) / span


def _shifted(name: str, input: Tensor, dim: Any, back: bool) -> Tensor:
    axes = normalize_axes(name, dim, input.ndim, "dim")
    if not axes:
        return input
    steps = [input.shape[axis] // 2 for axis in axes]
    return roll(input, tuple(-step if back else step for step in steps), tuple(axes))


@composite
def fftshift(input: Tensor, dim: Any = None) -> Tensor:
    """The halves of axes exchanged, so that the frequency 0 stands in the middle.

    Args:
        input: tensor of any shape and type.
        dim: one axis or several; all when not given.
    Returns:
        tensor of the shape and type of `input`.
    Raises:
        OpValueError: an axis is out of range.
    Gradient:
        g, moved back.
    Example:
        >>> fftshift(Tensor([0, 1, 2, -2, -1])).tolist()
        [-2, -1, 0, 1, 2]
    """
    return _shifted("fftshift", input, dim, False)


@composite
def ifftshift(input: Tensor, dim: Any = None) -> Tensor:
    """What `fftshift` does, undone.

    Args:
        input, dim: as there.
    Example:
        >>> ifftshift(Tensor([-2, -1, 0, 1, 2])).tolist()
        [0, 1, 2, -2, -1]
    """
    return _shifted("ifftshift", input, dim, True)
