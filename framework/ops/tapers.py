"""Weights that a signal is multiplied with before its spectrum is taken. They are the same on every CPU: what enters are
cosines of `core/exact.py`, sums, quotients and roots."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from anfora.core import exact
from anfora.core.abstract import TensorType
from anfora.core.dtype import as_dtype, float32, float64
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.tensor import Tensor

__all__ = ["bartlett_window", "blackman_window", "hamming_window", "hann_window", "kaiser_window"]


def taper(weight: Callable[[float], float], length: int) -> np.ndarray:
    """A weight for each of the places 0 … 1, as many as `length`; of one place, 1.

    Raises:
        OpValueError, MemoryError: there are too many for the memory; this is found before the first is computed.
    """
    weights = np.empty(TensorType(float64, (length,)).shape)
    weights.fill(1.0)  # so that the memory is there
    if length > 1:
        for i in range(length):
            weights[i] = weight(i / (length - 1))
    return weights


def _cosines(*factors: float) -> Callable[[float], float]:
    """Σ factors[k] cos(2 pi k place), folded at the middle, so that both halves are equal."""

    def weight(place: float) -> float:
        angle = 2 * math.pi * min(place, 1 - place)
        return sum(factor * exact.cos(k * angle) for k, factor in enumerate(factors))

    return weight


def _bessel_i0(x: float) -> float:
    """The modified Bessel function of order 0, by its power series."""
    term = total = 1.0
    k = 0
    while term > 1e-18 * total:
        k += 1
        term *= x * x / (4 * k * k)
        total += term
    return total


def _kaiser(beta: float) -> Callable[[float], float]:
    def weight(place: float) -> float:
        return _bessel_i0(beta * math.sqrt(max(0.0, 4 * place * (1 - place)))) / _bessel_i0(beta)

    return weight


#: Weights by place, for those that have no parameters.
WEIGHTS: dict[str, Callable[[float], float]] = {
    "bartlett": lambda place: 2 * min(place, 1 - place),
    "blackman": _cosines(0.42, -0.5, 0.08),
    "hamming": _cosines(0.54, -0.46),
    "hanning": _cosines(0.5, -0.5),
}


def _window(name: str, weight: Callable[[float], float], window_length: Any, periodic: Any, dtype: Any) -> Tensor:
    if isinstance(window_length, Tensor) and window_length.size == 1 and window_length.dtype.is_integer:
        window_length = window_length.item()
    if isinstance(window_length, bool) or not hasattr(window_length, "__index__") or isinstance(window_length, Tensor):
        raise OpTypeError(
            f"{name} needs an integer for `window_length`, but got {window_length!r}", arg="window_length"
        )
    if window_length < 0:
        raise OpValueError(
            f"{name}: `window_length` must not be negative, but got {window_length}", arg="window_length"
        )
    if not isinstance(periodic, bool):
        raise OpTypeError(f"{name} needs True or False for `periodic`, but got {periodic!r}", arg="periodic")
    kind = as_dtype(dtype)
    if not kind.is_float:
        raise OpTypeError(f"{name} needs a floating type for `dtype`, but got {dtype!r}", arg="dtype")
    if window_length == 1:
        return Tensor([1.0], kind)
    return Tensor(taper(weight, window_length + periodic)[:window_length], kind)


def bartlett_window(window_length, periodic=True, *, dtype=None) -> Tensor:
    """The triangle: 1 in the middle, 0 at the ends.

    Args:
        window_length: how many weights, not negative.
        periodic: whether the last end is left out, as for signals that repeat.
        dtype: floating type; float32 when not given.
    Returns:
        tensor (window_length,).
    Raises:
        OpTypeError, OpValueError: an argument is not as said.
    Example:
        >>> bartlett_window(5, False).tolist()
        [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    return _window("bartlett_window", WEIGHTS["bartlett"], window_length, periodic, dtype or float32)


def blackman_window(window_length, periodic=True, *, dtype=None) -> Tensor:
    """Blackman's window, 0.42 - 0.5 cos(2 pi place) + 0.08 cos(4 pi place).

    Args:
        window_length, periodic, dtype: as of `bartlett_window`.
    Returns:
        tensor (window_length,).
    Raises:
        OpTypeError, OpValueError: an argument is not as said.
    Example:
        >>> blackman_window(4).round(decimals=2).tolist()
        [-0.0, 0.3400000035762787, 1.0, 0.3400000035762787]
    """
    return _window("blackman_window", WEIGHTS["blackman"], window_length, periodic, dtype or float32)


def hamming_window(window_length, periodic=True, alpha=0.54, beta=0.46, *, dtype=None) -> Tensor:
    """Hamming's window, alpha - beta cos(2 pi place).

    Args:
        window_length, periodic, dtype: as of `bartlett_window`.
        alpha, beta: the two factors.
    Returns:
        tensor (window_length,).
    Raises:
        OpTypeError, OpValueError: an argument is not as said.
    Example:
        >>> hamming_window(4, alpha=0.5, beta=0.5).tolist()
        [0.0, 0.5, 1.0, 0.5]
    """
    for name, value in (("alpha", alpha), ("beta", beta)):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise OpTypeError(f"hamming_window needs a number for `{name}`, but got {value!r}", arg=name)
    return _window("hamming_window", _cosines(alpha, -beta), window_length, periodic, dtype or float32)


def hann_window(window_length, periodic=True, *, dtype=None) -> Tensor:
    """Hann's window, 0.5 - 0.5 cos(2 pi place).

    Args:
        window_length, periodic: as of `bartlett_window`.
        dtype: floating type; float64 when not given.
    Returns:
        tensor (window_length,).
    Raises:
        OpTypeError, OpValueError: an argument is not as said.
    Example:
        >>> hann_window(4, dtype=float32).tolist()
        [0.0, 0.5, 1.0, 0.5]
    """
    return _window("hann_window", WEIGHTS["hanning"], window_length, periodic, dtype or float64)


def kaiser_window(window_length, periodic=True, beta=12.0, *, dtype=None) -> Tensor:
    """Kaiser's window, of the modified Bessel function of order 0.

    Args:
        window_length, periodic: as of `bartlett_window`.
        beta: how narrow it is, from 0 to 700.
        dtype: floating type; float64 when not given.
    Returns:
        tensor (window_length,).
    Raises:
        OpTypeError, OpValueError: an argument is not as said.
    Example:
        >>> kaiser_window(3, False, 0.0).tolist()
        [1.0, 1.0, 1.0]
    """
    if isinstance(beta, bool) or not isinstance(beta, (int, float)):
        raise OpTypeError(f"kaiser_window needs a number for `beta`, but got {beta!r}", arg="beta")
    if not 0 <= beta <= 700:
        raise OpValueError(f"kaiser_window: `beta` must be from 0 to 700, but got {beta}", arg="beta")
    return _window("kaiser_window", _kaiser(beta), window_length, periodic, dtype or float64)
