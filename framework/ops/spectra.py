"""Discrete Fourier transforms, their frequencies, and the order of these.

Transforms are numpy's (pocketfft), in single precision for complex64. The transpose of one is the transform in the other
direction, and rounding apart that is its gradient; transforms of real numbers are those of complex ones of which half is
not written down.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from anfora.core.abstract import TensorType
from anfora.core.dtype import as_dtype, complex64, complex128, float32
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.op import op
from anfora.core.tensor import Tensor
from anfora.ops.complexes import conj, real_part, view_as_real
from anfora.ops.composite import composite
from anfora.ops.creation import arange, ones
from anfora.ops.families import along, linear, normalize_axes, normalize_axis, type_of
from anfora.ops.indexing import gather
from anfora.ops.joining import concat, roll
from anfora.ops.padding import pad_constant
from anfora.ops.shape import index_view, swapaxes, whole

__all__ = [
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "hfft2", "hfftn", "ifft", "ifft2", "ifftn", "ifftshift", "ihfft",
    "ihfft2", "ihfftn", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn", "stft",
]  # fmt: skip


# -- along one axis ---------------------------------------------------------------------------------------------------

#: Of a norm, that of the transform back whose matrix is the transpose: what one divides by, the other does not.
_TURNED = {"backward": "forward", "forward": "backward", "ortho": "ortho"}


@op
def transform(input: Tensor, kind, n, dim, norm):
    """A transform along one axis, brought to n elements (of the result, for "irfft") with zeros or by cutting off:
    "fft", "ifft", "rfft" or "irfft"."""


transform.complex_rule = True
transform.is_holomorphic = False


@transform.normalize
def _(input, *, kind, n, dim, norm):
    return {"kind": kind, "n": n, "dim": dim, "norm": norm}


@transform.infer
def _(input, *, kind, n, dim, norm):
    dtype = complex128 if input.dtype.part.bits == 64 and input.dtype.is_inexact else complex64
    length = n // 2 + 1 if kind == "rfft" else n
    return TensorType(dtype.part if kind == "irfft" else dtype, (*input.shape[:dim], length, *input.shape[dim + 1 :]))


@transform.python
def _(input, *, kind, n, dim, norm):
    if input.dtype == np.float16 or input.dtype.kind in "biu":
        input = input.astype(np.float32)
    if not input.size:
        shape = (*input.shape[:dim], n // 2 + 1 if kind == "rfft" else n, *input.shape[dim + 1 :])
        return np.zeros(shape, input.dtype)
    return getattr(np.fft, kind)(input, n, dim, norm)


@transform.vjp("input")
def _(input_type, *, kind, n, dim, norm, g):
    count, back = input_type.shape[dim], _TURNED[norm]
    if kind == "irfft":
        half = n // 2 + 1
        found = transform(g, "rfft", n, dim, back)
        shape = [1] * found.ndim
        shape[dim] = half
        twice = np.full(half, 2.0)
        twice[0] = 1.0
        if n % 2 == 0:
            twice[-1] = 1.0
        return _resized(found * Tensor(twice.reshape(shape), found.dtype.part), dim, count)
    if kind == "rfft":
        found = real_part(transform(g, "ifft", n, dim, back))
    else:
        found = transform(g, "ifft" if kind == "fft" else "fft", n, dim, back)
    return _resized(found, dim, count)


linear(transform, "input")
along(transform, "dim")


def _resized(x: Tensor, axis: int, count: int) -> Tensor:
    """The first elements along an axis, or all and zeros behind them."""
    length = x.shape[axis]
    if length > count:
        items = tuple((0, count, 1) if i == axis else whole(n) for i, n in enumerate(x.shape))
        return index_view(x, items)
    if length < count:
        none = (0,) * x.ndim
        return pad_constant(x, 0, before=none, after=(*none[:axis], count - length, *none[axis + 1 :]))
    return x


def _checked(name: str, input: Any, norm: Any, is_real: bool = False) -> str:
    """The norm of a transform, as numpy spells it."""
    if not isinstance(input, Tensor):
        raise OpTypeError(f"{name} needs a tensor for `input`, but got {input!r}", arg="input")
    if not input.ndim:
        raise OpValueError(f"{name} needs a tensor with axes, but got {type_of(input)!r}", arg="input")
    if is_real and input.dtype.is_complex:
        raise OpTypeError(f"{name} needs a real tensor, but got {type_of(input)!r}", arg="input")
    if norm not in (None, *_TURNED):
        raise OpValueError(f'{name} needs "backward", "forward" or "ortho" for `norm`, but got {norm!r}', arg="norm")
    return norm or "backward"


def _length(name: str, n: Any, arg: str) -> int:
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise OpTypeError(f"{name} needs integers for `{arg}`, but got {n!r}", arg=arg)
    if n.__index__() < 1:
        raise OpValueError(f"{name} needs lengths of 1 and more in `{arg}`, but got {n}", arg=arg)
    return n.__index__()


def _along(name: str, kind: str, input: Tensor, n: Any, dim: Any, norm: Any) -> Tensor:
    norm = _checked(name, input, norm, kind == "rfft")
    axis = normalize_axis(name, dim, input.ndim, "dim")
    length = input.shape[axis]
    count = (2 * (length - 1) if kind == "irfft" else length) if n is None else n
    if n is None and count < 1:
        raise OpValueError(f"{name}: axis {dim} of {type_of(input)!r} is too short to be transformed", arg="dim")
    return transform(input, kind, _length(name, count, "n"), axis, norm)


@composite
def fft(input: Tensor, n=None, dim=-1, norm=None) -> Tensor:
    """The discrete Fourier transform along an axis: y_k = Σ_j x_j e^(-2πi jk/n).

    Args:
        input: tensor of at least one axis; integers and halves are computed as float32.
        n: how many elements are transformed: zeros are added, or elements cut off; all when not given.
        dim: the axis.
        norm: what the sum is divided by: "backward" or None: 1, "ortho": √n, "forward": n.
    Returns:
        tensor of n elements along `dim`: complex128 for float64 and complex128, else complex64.
    Raises:
        OpTypeError, OpValueError: an argument has another type, or is out of range.
    Gradient:
        the transform of g in the other direction; its real part where the input is real.
    Source:
        Cooley & Tukey, Math. Comput. 19 (1965); numpy's pocketfft.
    Example:
        >>> fft(Tensor([1., 2., 3., 4.])).tolist()
        [(10+0j), (-2+2j), (-2+0j), (-2-2j)]
    """
    return _along("fft", "fft", input, n, dim, norm)


@composite
def ifft(input: Tensor, n=None, dim=-1, norm=None) -> Tensor:
    """The inverse of `fft`: x_j = Σ_k y_k e^(2πi jk/n) / n.

    Args:
        input, n, dim: see `fft`.
        norm: what the sum is divided by: "backward" or None: n, "ortho": √n, "forward": 1.
    Returns, Raises, Gradient:
        as there.
    Example:
        >>> ifft(Tensor([4., 0., 0., 0.])).tolist()
        [(1+0j), (1+0j), (1+0j), (1+0j)]
    """
    return _along("ifft", "ifft", input, n, dim, norm)


@composite
def rfft(input: Tensor, n=None, dim=-1, norm=None) -> Tensor:
    """The discrete Fourier transform of real numbers: that of `fft` up to the middle, the rest being its conjugate.

    Args:
        input: real tensor of at least one axis.
        n, dim, norm: see `fft`.
    Returns:
        complex tensor of n // 2 + 1 elements along `dim`.
    Raises:
        OpTypeError: the tensor is complex.   OpValueError: an argument is out of range.
    Gradient:
        the real part of the transform of g, with zeros behind it, in the other direction.
    Example:
        >>> rfft(Tensor([1., 2., 3., 4.])).tolist()
        [(10+0j), (-2+2j), (-2+0j)]
    """
    return _along("rfft", "rfft", input, n, dim, norm)


@composite
def irfft(input: Tensor, n=None, dim=-1, norm=None) -> Tensor:
    """The inverse of `rfft`: real numbers.

    Args:
        input: tensor of at least one axis.
        n: elements of the result along `dim`; an even number, 2 · (length - 1), when not given.
        dim, norm: see `ifft`.
    Returns:
        real tensor of n elements along `dim`: float64 for float64 and complex128, else float32.
    Raises:
        OpTypeError, OpValueError: an argument has another type, or is out of range.
    Gradient:
        `rfft` of g, twice but for the first element and, if n is even, the last.
    Example:
        >>> irfft(Tensor([10 + 0j, -2 + 2j, -2 + 0j])).tolist()
        [1.0, 2.0, 3.0, 4.0]
    """
    return _along("irfft", "irfft", input, n, dim, norm)


def _turned(name: str, input: Any, norm: Any) -> str:
    return _TURNED[_checked(name, input, norm)]


@composite
def hfft(input: Tensor, n=None, dim=-1, norm=None) -> Tensor:
    """The discrete Fourier transform of numbers whose second half is the conjugate of the first, and not given: real.

    Args:
        input, n, dim: see `irfft`.
        norm: see `fft`.
    Returns:
        real tensor of n elements along `dim`.
    Gradient:
        as `irfft`.
    Example:
        >>> hfft(Tensor([2.5 + 0j, -0.5 - 0.5j, -0.5 + 0j])).tolist()
        [1.0, 2.0, 3.0, 4.0]
    """
    norm = _turned("hfft", input, norm)
    return _along("hfft", "irfft", conj(input), n, dim, norm)


@composite
def ihfft(input: Tensor, n=None, dim=-1, norm=None) -> Tensor:
    """The inverse of `hfft`: the first half of the inverse transform of real numbers.

    Args:
        input, n, dim: see `rfft`.
        norm: see `ifft`.
    Returns:
        complex tensor of n // 2 + 1 elements along `dim`.
    Gradient:
        as `rfft`.
    Example:
        >>> ihfft(Tensor([1., 2., 3., 4.])).tolist()
        [(2.5-0j), (-0.5-0.5j), (-0.5-0j)]
    """
    norm = _turned("ihfft", input, norm)
    return conj(_along("ihfft", "rfft", input, n, dim, norm))


# -- along several axes -----------------------------------------------------------------------------------------------


def _axes(name: str, input: Tensor, s: Any, dim: Any) -> list[tuple[int, int | None]]:
    """The axes of a transform in their order, each with the length that is asked for."""
    if s is not None and not isinstance(s, (tuple, list)):
        s = (s,)
    if dim is None:
        count = input.ndim if s is None else len(s)
        if count > input.ndim:
            raise OpValueError(f"{name}: `s` has {count} lengths, but the tensor {input.ndim} axes", arg="s")
        dim = tuple(range(input.ndim - count, input.ndim))
    dims = dim if isinstance(dim, (tuple, list)) else (dim,)
    axes = [normalize_axis(name, axis, input.ndim, "dim") for axis in dims]
    if len(set(axes)) != len(axes) or not axes:
        raise OpValueError(f"{name}: `dim` must name axes, and each once, but is {tuple(dims)}", arg="dim")
    if s is not None and len(s) != len(axes):
        raise OpValueError(f"{name}: `s` has {len(s)} lengths for {len(axes)} axes", arg="s")
    return [(axis, None if s is None else _length(name, s[i], "s")) for i, axis in enumerate(axes)]


def _each(kind: str, x: Tensor, axes: list, norm: str) -> Tensor:
    return functools.reduce(lambda x, item: transform(x, kind, item[1] or x.shape[item[0]], item[0], norm), axes, x)


def _several(name: str, kind: str, input: Any, s: Any, dim: Any, norm: Any) -> Tensor:
    norm = _checked(name, input, norm, kind == "rfft")
    axes = _axes(name, input, s, dim)
    if any(not (n or input.shape[axis]) for axis, n in axes):
        raise OpValueError(f"{name}: {type_of(input)!r} has no element along an axis", arg="input")
    if kind in ("fft", "ifft"):
        return _each(kind, input, axes[::-1], norm)
    *others, (last, n) = axes
    if kind == "rfft":
        return _each("fft", transform(input, kind, n or input.shape[last], last, norm), others[::-1], norm)
    x = _each("ifft", input, others[::-1], norm)
    return _along(name, kind, x, n, last, norm)


@composite
def fftn(input: Tensor, s=None, dim=None, norm=None) -> Tensor:
    """The discrete Fourier transform along several axes, see `fft`.

    Args:
        input: tensor of at least one axis.
        s: how many elements are transformed along each axis; all when not given.
        dim: the axes; when not given the last ones, as many as `s` has, or all.
        norm: see `fft`; the root, and n, are those of all elements.
    Returns:
        complex tensor.
    Raises:
        OpTypeError, OpValueError: an argument has another type, or is out of range.
    Gradient:
        the transform of g in the other direction.
    Example:
        >>> fftn(Tensor([[1., 2.], [3., 4.]])).tolist()
        [[(10+0j), (-2+0j)], [(-4+0j), 0j]]
    """
    return _several("fftn", "fft", input, s, dim, norm)


@composite
def ifftn(input: Tensor, s=None, dim=None, norm=None) -> Tensor:
    """The inverse of `fftn`; see there, and `ifft` for `norm`.

    Example:
        >>> ifftn(Tensor([[4., 0.], [0., 0.]])).tolist()
        [[(1+0j), (1+0j)], [(1+0j), (1+0j)]]
    """
    return _several("ifftn", "ifft", input, s, dim, norm)


@composite
def rfftn(input: Tensor, s=None, dim=None, norm=None) -> Tensor:
    """`fftn` of real numbers, up to the middle of the last of the axes.

    Args:
        input: real tensor.
        s, dim, norm: see `fftn`.
    Example:
        >>> rfftn(Tensor([[1., 2.], [3., 4.]])).tolist()
        [[(10+0j), (-2+0j)], [(-4+0j), 0j]]
    """
    return _several("rfftn", "rfft", input, s, dim, norm)


@composite
def irfftn(input: Tensor, s=None, dim=None, norm=None) -> Tensor:
    """The inverse of `rfftn`: real numbers.

    Args:
        input: tensor of at least one axis.
        s: elements of the result along each axis; along the last an even number, 2 · (length - 1), when not given.
        dim, norm: see `ifftn`.
    Example:
        >>> irfftn(Tensor([[10 + 0j, -2 + 0j], [-4 + 0j, 0j]])).tolist()
        [[1.0, 2.0], [3.0, 4.0]]
    """
    return _several("irfftn", "irfft", input, s, dim, norm)


@composite
def hfftn(input: Tensor, s=None, dim=None, norm=None) -> Tensor:
    """`fftn` of numbers of which the second half along the last axis is the conjugate of the first, and not given: real.

    Args:
        input, s, dim: see `irfftn`.
        norm: see `fftn`.
    Example:
        >>> hfftn(Tensor([[2.5 + 0j, -0.5 + 0j], [-1 + 0j, 0j]])).tolist()
        [[1.0, 2.0], [3.0, 4.0]]
    """
    norm = _turned("hfftn", input, norm)
    return _several("hfftn", "irfft", conj(input), s, dim, norm)


@composite
def ihfftn(input: Tensor, s=None, dim=None, norm=None) -> Tensor:
    """The inverse of `hfftn`, of real numbers.

    Args:
        input, s, dim: see `rfftn`.
        norm: see `ifftn`.
    Example:
        >>> ihfftn(Tensor([[1., 2.], [3., 4.]])).tolist()
        [[(2.5-0j), (-0.5-0j)], [(-1-0j), -0j]]
    """
    norm = _turned("ihfftn", input, norm)
    return conj(_several("ihfftn", "rfft", input, s, dim, norm))


@composite
def fft2(input: Tensor, s=None, dim=(-2, -1), norm=None) -> Tensor:
    """`fftn` along the last two axes, unless others are named.

    Example:
        >>> fft2(ones((2, 2))).tolist()
        [[(4+0j), 0j], [0j, 0j]]
    """
    return fftn(input, s, dim, norm)


@composite
def ifft2(input: Tensor, s=None, dim=(-2, -1), norm=None) -> Tensor:
    """`ifftn` along the last two axes, unless others are named.

    Example:
        >>> ifft2(ones((2, 2))).tolist()
        [[(1+0j), 0j], [0j, 0j]]
    """
    return ifftn(input, s, dim, norm)


@composite
def rfft2(input: Tensor, s=None, dim=(-2, -1), norm=None) -> Tensor:
    """`rfftn` along the last two axes, unless others are named.

    Example:
        >>> rfft2(ones((2, 2))).tolist()
        [[(4+0j), 0j], [0j, 0j]]
    """
    return rfftn(input, s, dim, norm)


@composite
def irfft2(input: Tensor, s=None, dim=(-2, -1), norm=None) -> Tensor:
    """`irfftn` along the last two axes, unless others are named.

    Example:
        >>> irfft2(ones((2, 2))).shape
        (2, 2)
    """
    return irfftn(input, s, dim, norm)


@composite
def hfft2(input: Tensor, s=None, dim=(-2, -1), norm=None) -> Tensor:
    """`hfftn` along the last two axes, unless others are named.

    Example:
        >>> hfft2(ones((2, 2))).shape
        (2, 2)
    """
    return hfftn(input, s, dim, norm)


@composite
def ihfft2(input: Tensor, s=None, dim=(-2, -1), norm=None) -> Tensor:
    """`ihfftn` along the last two axes, unless others are named.

    Example:
        >>> ihfft2(ones((2, 2))).shape
        (2, 2)
    """
    return ihfftn(input, s, dim, norm)


# -- short times ------------------------------------------------------------------------------------------------------

#: What stands around a signal, as numpy says it.
_AROUND: dict[str, Any] = {"REFLECT": "reflect", "REPLICATE": "edge", "CIRCULAR": "wrap"}


def _continued(x: Tensor, size: int, around: int, pad_mode: str) -> tuple[Tensor, np.ndarray]:
    """A signal, and where in it lies what it is continued to by so many elements at both ends."""
    mode = str(pad_mode).upper()
    if mode not in (*_AROUND, "CONSTANT"):
        known = ", ".join((*_AROUND, "CONSTANT"))
        raise OpValueError(f"stft: `pad_mode` must be one of {known}, but got {pad_mode!r}", arg="pad_mode")
    length = x.shape[-1]
    if length + 2 * around < size or (around and length <= around):
        raise OpValueError(f"stft: {length} elements are too few for parts of {size}", arg="x")
    if mode == "CONSTANT":
        none = (0,) * (x.ndim - 1)
        return pad_constant(x, 0, before=(*none, around), after=(*none, around)), np.arange(length + 2 * around)
    return x, np.pad(np.arange(length), around, _AROUND[mode])


@composite
def stft(
    x: Tensor,
    n_fft: int,
    hop_length: Any = None,
    win_length: Any = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "REFLECT",
    normalized: bool = False,
    onesided: Any = None,
    return_complex: Any = None,
) -> Tensor:
    """The Fourier transforms of the parts of signals that a window shows as it moves along.

    Args:
        x: tensor (L,) or (B, L).
        n_fft: elements of a part.
        hop_length: how far the window moves; n_fft // 4 when not given.
        win_length: elements of the window, at most `n_fft`, which is taken when it is not given. Zeros stand around it.
        window: what a part is multiplied with, (win_length,); ones when not given.
        center: let the parts stand around the places of the signal, which is continued by n_fft // 2 elements at both ends.
        pad_mode: how it is continued: "REFLECT", "REPLICATE", "CIRCULAR", or with zeros, "CONSTANT".
        normalized: divide by √n_fft.
        onesided: give the first half of the frequencies; so for real numbers when not given.
        return_complex: give complex numbers, else their parts along a last axis; so for complex numbers when not given.
    Returns:
        tensor (…, N, T) of N frequencies and T parts, with N = n_fft // 2 + 1 or n_fft; or (…, N, T, 2).
    Raises:
        OpTypeError, OpValueError: an argument has another type, or is out of range.
    Gradient:
        that of the transforms, added up where parts overlap.
    Example:
        >>> stft(Tensor([1., 1., 1., 1.]), 2, 2, center=False, return_complex=True).tolist()
        [[(2+0j), (2+0j)], [0j, 0j]]
    """
    if not isinstance(x, Tensor) or x.ndim not in (1, 2):
        raise OpValueError(f"stft needs a tensor (L,) or (B, L) for `x`, but got {x!r:.60}", arg="x")
    size = _length("stft", n_fft, "n_fft")
    hop = max(size // 4, 1) if hop_length is None else _length("stft", hop_length, "hop_length")
    width = size if win_length is None else _length("stft", win_length, "win_length")
    if width > size or (window is not None and window.shape != (width,)):
        shown = "" if window is None else f" and a window of shape {list(window.shape)}"
        raise OpValueError(f"stft: {width} elements of the window{shown} do not fit n_fft={size}", arg="win_length")
    is_complex = x.dtype.is_complex or (window is not None and window.dtype.is_complex)
    half = not is_complex if onesided is None else bool(onesided)
    if half and is_complex:
        raise OpValueError("stft of complex numbers has no half of frequencies to give", arg="onesided")
    x, places = _continued(x, size, size // 2 if center else 0, pad_mode)
    starts = np.arange(0, len(places) - size + 1, hop)
    parts = gather(x, Tensor(places[starts[:, None] + np.arange(size)]), -1)
    if window is not None or width < size:
        shape = ones((width,), parts.dtype.part) if window is None else window
        left = (size - width) // 2
        parts = parts * pad_constant(shape, 0, before=(left,), after=(size - width - left,))
    found = transform(parts, "rfft" if half else "fft", size, parts.ndim - 1, "ortho" if normalized else "backward")
    found = swapaxes(found, -1, -2)
    return found if (is_complex if return_complex is None else return_complex) else view_as_real(found)


# -- frequencies ------------------------------------------------------------------------------------------------------


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
