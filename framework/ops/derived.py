"""Functions that are a sentence in other operators, of no family of their own."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Any

from anfora.core.dtype import float32, int64
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.tensor import Tensor
from anfora.ops.arithmetic import abs as absolute
from anfora.ops.arithmetic import addn, maximum, minimum
from anfora.ops.comparison import equal, isclose
from anfora.ops.composite import composite
from anfora.ops.creation import integer
from anfora.ops.padding import pad
from anfora.ops.reduction import all as all_of
from anfora.ops.reduction import any as any_of
from anfora.ops.reduction import reduce_max, reduce_sum
from anfora.ops.shape import reshape, transpose
from anfora.ops.sorting import topk

__all__ = [
    "accumulate_n", "allclose", "clip_by_global_norm", "clip_by_norm", "depth_to_space", "in_top_k", "isin",
    "padding", "space_to_depth", "top_k",
]  # fmt: skip


# -- sums ---------------------------------------------------------------------------------------------------------


@composite
def accumulate_n(x: Sequence[Tensor]) -> Tensor:
    """The sum of tensors of one shape; see `addn`.

    Example:
        >>> accumulate_n([Tensor([1., 2.]), Tensor([3., 4.])]).tolist()
        [4.0, 6.0]
    """
    return addn(x)


# -- clipping ---------------------------------------------------------------------------------------------------------


def _norm(tensors: Sequence[Tensor], norm_type: float) -> Tensor:
    """The norm of all elements of tensors."""
    if norm_type == float("inf"):
        return functools.reduce(maximum, (reduce_max(absolute(x)) for x in tensors if x.size))
    return functools.reduce(operator.add, (reduce_sum(absolute(x) ** norm_type) for x in tensors)) ** (1 / norm_type)


def _each(name: str, x: Any) -> list[Tensor]:
    tensors = list(x) if isinstance(x, (tuple, list)) else [x]
    if not tensors or not all(isinstance(item, Tensor) for item in tensors):
        raise OpTypeError(f"{name} needs a tensor, or a tuple or list of tensors", arg="x")
    return tensors


@composite
def clip_by_global_norm(x: Any, clip_norm: float = 1.0, use_norm: Any = None) -> tuple[Tensor, ...]:
    """Shrink tensors by one factor so that the norm of all their elements is at most `clip_norm`.

    Each becomes x · clip_norm / max(norm, clip_norm), with norm = √(the sum of all squares).

    Args:
        x: a tuple or list of tensors.
        clip_norm: the greatest norm, positive.
        use_norm: only None.
    Returns:
        tuple of tensors.
    Raises:
        OpTypeError: x holds something else.   OpValueError: `clip_norm` is not positive, or `use_norm` is given.
    Source:
        Pascanu, Mikolov & Bengio, On the difficulty of training recurrent neural networks, ICML 2013.
    Example:
        >>> a, b = clip_by_global_norm((Tensor([3.]), Tensor([4.])), 1.0)
        >>> f"{a.item():.2f}", f"{b.item():.2f}"
        ('0.60', '0.80')
    """
    tensors = _each("clip_by_global_norm", x)
    if use_norm is not None:
        raise OpValueError(f"clip_by_global_norm knows only None for `use_norm`, but got {use_norm!r}", arg="use_norm")
    if not clip_norm > 0:
        raise OpValueError(f"clip_by_global_norm needs a positive `clip_norm`, but got {clip_norm}", arg="clip_norm")
    norm = _norm([item.astype(float32) if item.dtype.bits < 32 else item for item in tensors], 2)
    factor = clip_norm / maximum(norm, clip_norm)
    return tuple((item * factor).astype(item.dtype) for item in tensors)


@composite
def clip_by_norm(x: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False) -> Any:
    """Shrink a tensor, or tensors together, so that the norm of all elements is at most `max_norm`.

    Each becomes x · min(1, max_norm / (norm + 1e-6)).

    Args:
        x: a tensor, or a tuple or list of them.
        max_norm: the greatest norm.
        norm_type: the order of the norm; inf for the largest absolute value.
        error_if_nonfinite: refuse a norm that is infinite or NaN.
    Raises:
        OpValueError: the norm is infinite or NaN.
    Example:
        >>> [f"{v:.2f}" for v in clip_by_norm(Tensor([3., 4.]), 1.0).tolist()]
        ['0.60', '0.80']
    """
    tensors = _each("clip_by_norm", x)
    norm = _norm([item.astype(float32) if item.dtype.bits < 32 else item for item in tensors], float(norm_type))
    if error_if_nonfinite and not abs(norm.item()) < float("inf"):
        raise OpValueError(f"clip_by_norm: the norm is {norm.item()}", arg="x")
    factor = minimum(max_norm / (norm + 1e-6), 1)
    clipped = [(item * factor).astype(item.dtype) for item in tensors]
    return clipped[0] if isinstance(x, Tensor) else type(x)(clipped)


# -- comparisons ------------------------------------------------------------------------------------------------------


@composite
def allclose(input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    """Whether all elements are close: |input - other| ≤ atol + rtol · |other|; see `isclose`.

    Example:
        >>> allclose(Tensor([1.0]), Tensor([1.000001]))
        True
    """
    return bool(all_of(isclose(input, other, rtol, atol, equal_nan)).item())


@composite
def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Tensor:
    """Whether elements are among `test_elements`.

    Args:
        elements, test_elements: tensors or numbers.
        assume_unique: accepted for torch programs; it changes nothing.
        invert: whether they are not.
    Returns:
        bool tensor of the shape of `elements`.
    Example:
        >>> isin(Tensor([1, 2, 3]), Tensor([3, 1])).tolist()
        [True, False, True]
    """
    elements, wanted = (v if isinstance(v, Tensor) else Tensor(v) for v in (elements, test_elements))
    found = any_of(equal(reshape(elements, (*elements.shape, 1)), reshape(wanted, (wanted.size,))), -1)
    return equal(found, False) if invert else found


@composite
def in_top_k(x1: Tensor, x2: Tensor, k: int) -> Tensor:
    """Whether the element that a target names is among the k largest of its row.

    Args:
        x1: predictions, (N, C).
        x2: targets, integers (N,).
        k: how many.
    Returns:
        bool tensor (N,).
    Example:
        >>> in_top_k(Tensor([[1., 8., 5.], [4., 9., 7.]]), Tensor([1, 0]), 2).tolist()
        [True, False]
    """
    if x1.ndim != 2 or x2.ndim != 1 or x1.shape[0] != x2.shape[0]:
        raise OpValueError(f"in_top_k needs (N, C) and (N,), but got the shapes {x1.shape} and {x2.shape}", arg="x1")
    _, places = topk(x1, k)
    return any_of(equal(places.astype(int64), reshape(x2, (-1, 1)).astype(int64)), 1)


@composite
def padding(x: Tensor, pad_dim_size: int = 8) -> Tensor:
    """Zeros behind a last axis of length 1.

    Args:
        x: tensor (..., m, 1).
        pad_dim_size: the new length of the last axis, at least 1.
    Returns:
        tensor (..., m, pad_dim_size).
    Raises:
        OpValueError: x has another form.
    Example:
        >>> padding(Tensor([[5], [6]]), 3).tolist()
        [[5, 0, 0], [6, 0, 0]]
    """
    length = integer("padding", pad_dim_size, "pad_dim_size")
    if x.ndim < 2 or x.shape[-1] != 1:
        raise OpValueError(f"padding needs two axes or more, the last of length 1, but got {list(x.shape)}", arg="x")
    if length < 1:
        raise OpValueError(f"padding needs a positive `pad_dim_size`, but got {length}", arg="pad_dim_size")
    return pad(x, (0, length - 1))


def top_k(input_x: Tensor, k: int, sorted: bool = True) -> tuple[Tensor, Tensor]:
    """The k largest elements of the last axis and their positions; see `topk`.

    Example:
        >>> [x.tolist() for x in top_k(Tensor([1., 8., 5.]), 2)]
        [[8.0, 5.0], [1, 2]]
    """
    return topk(input_x, k, None, True, sorted)


# -- blocks of images -------------------------------------------------------------------------------------------------


@composite
def space_to_depth(x: Tensor, block_size: int) -> Tensor:
    """Move blocks of an image to channels.

    Args:
        x: (N, C, H, W), H and W multiples of `block_size`.
        block_size: the side of a block.
    Returns:
        (N, block_size² · C, H / block_size, W / block_size).
    Example:
        >>> space_to_depth(Tensor([[[[1, 2], [3, 4]]]]), 2).shape
        (1, 4, 1, 1)
    """
    b = _block("space_to_depth", x, block_size)
    batch, channels, height, width = x.shape
    if height % b or width % b:
        raise OpValueError(f"space_to_depth: blocks of {b} do not fit into {height} times {width}", arg="block_size")
    x = reshape(x, (batch, channels, height // b, b, width // b, b))
    return reshape(transpose(x, (0, 3, 5, 1, 2, 4)), (batch, b * b * channels, height // b, width // b))


@composite
def depth_to_space(x: Tensor, block_size: int) -> Tensor:
    """Move channels of an image to blocks; undoes `space_to_depth`.

    Args:
        x: (N, C, H, W), C a multiple of `block_size`².
        block_size: the side of a block.
    Returns:
        (N, C / block_size², H · block_size, W · block_size).
    Example:
        >>> depth_to_space(Tensor([[[[1]], [[2]], [[3]], [[4]]]]), 2).tolist()
        [[[[1, 2], [3, 4]]]]
    """
    b = _block("depth_to_space", x, block_size)
    batch, channels, height, width = x.shape
    if channels % (b * b):
        raise OpValueError(f"depth_to_space: {channels} channels are no blocks of {b} times {b}", arg="block_size")
    x = reshape(x, (batch, b, b, channels // (b * b), height, width))
    return reshape(transpose(x, (0, 3, 4, 1, 5, 2)), (batch, channels // (b * b), height * b, width * b))


def _block(name: str, x: Tensor, block_size: int) -> int:
    b = integer(name, block_size, "block_size")
    if x.ndim != 4 or b < 2:
        raise OpValueError(f"{name} needs (N, C, H, W) and blocks of at least 2, but got {x.shape} and {b}", arg="x")
    return b
