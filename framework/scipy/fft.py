"""Cosine transforms of the second kind, scaled so that they are rotations: `scipy.fft` with norm="ortho".

They are linear functions in operators, by a Fourier transform of the same length, and have gradients of any order.

Source:
    Makhoul, A Fast Cosine Transform in One and Two Dimensions, IEEE Transactions on Acoustics, Speech and Signal Processing
    28 (1980).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from anfora import ops
from anfora.core import exact
from anfora.core.dtype import complex64, complex128, float32, float64
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.nearest import missing_in
from anfora.core.tensor import Tensor

__all__ = ["dct", "dctn", "idct", "idctn"]


def dct(x: Tensor, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    """The cosine transform along an axis: y_k = c_k Σ_j x_j cos(π k (2j + 1) / 2N), c_0 = √(1/N), others √(2/N).

    Args:
        x: tensor of numbers; computed as float64 or complex128 if it has that type, else as float32 or complex64.
        type: 2.
        n: length of the axis, to which it is cut off or filled with zeros.
        axis: along which.
        norm: "ortho", or None, which means that.
    Raises:
        OpTypeError: `x` is no tensor, `n` or `axis` no integer.
        OpValueError: `type` or `norm` is another one, `n` < 1, or there is no such axis.
    Gradient:
        idct(g).
    Example:
        >>> dct(Tensor([1., 1., 1., 1.])).tolist()
        [2.0, 0.0, 0.0, 0.0]
    """
    return _along("dct", x, type, n, axis, norm, _forward)


def idct(x: Tensor, type: int = 2, n: int | None = None, axis: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of `dct`, which is its transpose; arguments and errors are those of `dct`.

    Example:
        >>> idct(Tensor([2., 0., 0., 0.])).tolist()
        [1.0, 1.0, 1.0, 1.0]
    """
    return _along("idct", x, type, n, axis, norm, _backward)


def dctn(
    x: Tensor,
    type: int = 2,
    s: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
) -> Tensor:
    """`dct` along several axes, one after the other.

    Args:
        x, type, norm: as in `dct`.
        s: the length of each axis, or of the one.
        axes: which, or which one; by default the last ones for `s`, or all.
    Raises:
        as `dct`; OpTypeError: `s` or `axes` are no integers; OpValueError: they differ in length, `s` has more than there
        are axes, or an axis is named twice.
    Example:
        >>> dctn(Tensor([[1., 1.], [1., 1.]])).round(decimals=4).tolist()
        [[2.0, 0.0], [0.0, 0.0]]
    """
    return _each("dctn", dct, x, type, s, axes, norm)


def idctn(
    x: Tensor,
    type: int = 2,
    s: int | Sequence[int] | None = None,
    axes: int | Sequence[int] | None = None,
    norm: str | None = None,
) -> Tensor:
    """The inverse of `dctn`; arguments and errors are the same.

    Example:
        >>> idctn(Tensor([[2., 0.], [0., 0.]])).round(decimals=4).tolist()
        [[1.0, 1.0], [1.0, 1.0]]
    """
    return _each("idctn", idct, x, type, s, axes, norm)


def _each(name: str, one: Callable[..., Tensor], x: Tensor, type: int, s: Any, axes: Any, norm: Any) -> Tensor:
    if not isinstance(x, Tensor):
        raise OpTypeError(f"{name} needs a tensor for `x`, but got {x!r}", arg="x")
    s = None if s is None else _whole_numbers(name, "s", s)
    if axes is None and s is not None and len(s) > x.ndim:
        raise OpValueError(f"{name}: {len(s)} lengths for a tensor of {x.ndim} axes", arg="s")
    if axes is None:
        axes = range(x.ndim) if s is None else range(x.ndim - len(s), x.ndim)
    axes = _whole_numbers(name, "axes", axes)
    if s is not None and len(s) != len(axes):
        raise OpValueError(f"{name} needs a length for each axis, but got {len(s)} for {len(axes)} axes", arg="s")
    if len({axis % max(x.ndim, 1) for axis in axes}) < len(axes):
        raise OpValueError(f"{name} needs each axis once, but got {axes}", arg="axes")
    for place, axis in enumerate(axes):
        x = one(x, type, None if s is None else s[place], axis, norm)
    return x


def _whole_numbers(name: str, arg: str, value: Any) -> tuple[int, ...]:
    numbers = (value,) if isinstance(value, int) else tuple(value) if isinstance(value, Sequence) else (None,)
    if not all(isinstance(number, int) for number in numbers):
        raise OpTypeError(f"{name} needs integers for `{arg}`, but got {value!r}", arg=arg)
    return numbers


def _along(name: str, x: Tensor, type: Any, n: Any, axis: Any, norm: Any, transform: Callable[..., Tensor]) -> Tensor:
    if not isinstance(x, Tensor):
        raise OpTypeError(f"{name} needs a tensor for `x`, but got {x!r}", arg="x")
    if type != 2:
        raise OpValueError(f"{name} has the transform of type 2, but got {type!r}", arg="type")
    if norm not in (None, "ortho"):
        raise OpValueError(f'{name} has norm="ortho", but got {norm!r}', arg="norm")
    for arg, value in (("axis", axis), ("n", n)):
        if not isinstance(value, int) and (arg, value) != ("n", None):
            raise OpTypeError(f"{name} needs an integer for `{arg}`, but got {value!r}", arg=arg)
    if not -x.ndim <= axis < x.ndim:
        raise OpValueError(f"{name}: `axis` {axis} is out of range for a tensor of {x.ndim} axes", arg="axis")
    if n is not None and n < 1:
        raise OpValueError(f"{name} needs a positive `n`, but got {n}", arg="n")
    if x.dtype not in (float64, complex64, complex128):
        x = x.astype(float32)
    x = ops.swapaxes(x, axis, -1)
    length = x.shape[-1] if n is None else n
    if length == 0:
        raise OpValueError(f"{name} needs elements along its axis, but got the shape {list(x.shape)}", arg="x")
    x = x[..., :length]
    if x.shape[-1] < length:
        x = ops.concat([x, ops.zeros((*x.shape[:-1], length - x.shape[-1]), x.dtype)], -1)
    if x.dtype.is_complex:
        x = ops.complex(transform(ops.real(x)), transform(ops.imag(x)))
    else:
        x = transform(x)
    return ops.swapaxes(x, axis, -1)


def _turns(x: Tensor) -> tuple[Tensor, Tensor]:
    """Cosines and sines of π k / 2N for k < N, with the scale of each element of the result."""
    n = x.shape[-1]
    scale = [math.sqrt((2 if k else 1) / n) for k in range(n)]
    angles = [0.5 * math.pi * k / n for k in range(n)]
    cosines = np.array([exact.cos(a) * c for a, c in zip(angles, scale)])
    sines = np.array([exact.sin(a) * c for a, c in zip(angles, scale)])
    return Tensor(cosines, x.dtype), Tensor(sines, x.dtype)


def _forward(x: Tensor) -> Tensor:
    """The even elements, and behind them the odd ones backwards, are transformed; a turn brings the result into place."""
    cosines, sines = _turns(x)
    order = [*range(0, x.shape[-1], 2), *[*range(1, x.shape[-1], 2)][::-1]]
    found = ops.fft(ops.gather(x, Tensor(order), -1))
    return ops.real(found) * cosines + ops.imag(found) * sines


def _backward(x: Tensor) -> Tensor:
    """The transpose of `_forward`, each of its steps transposed."""
    cosines, sines = _turns(x)
    n = x.shape[-1]
    found = ops.ifft(ops.complex(x * cosines, x * sines), norm="forward")
    place = [j // 2 if j % 2 == 0 else n - 1 - j // 2 for j in range(n)]
    return ops.gather(ops.real(found), Tensor(place), -1)


if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)
