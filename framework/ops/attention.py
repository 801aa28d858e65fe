"""Scaled dot-product attention, written in matrix products and a softmax."""

from __future__ import annotations

import math
from typing import Any

from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.tensor import Tensor
from anfora.ops.comparison import where
from anfora.ops.composite import composite
from anfora.ops.creation import ones
from anfora.ops.diagonals import tril
from anfora.ops.linear import matmul
from anfora.ops.random import dropout
from anfora.ops.shape import swapaxes
from anfora.ops.softmaxes import softmax

__all__ = ["scaled_dot_product_attention"]


@composite
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
) -> Tensor:
    """Averages of values, weighted by how well keys fit queries: softmax(scale · Q Kᵀ + mask) V.

    Args:
        query: float tensor (…, L, E).
        key, value: float tensors (…, S, E) and (…, S, V); the axes in front of the last two broadcast.
        attn_mask: tensor that broadcasts to (…, L, S): bool, True where a key may be seen, or floating point, which is
            added to the scores.
        dropout_p: probability that a weight becomes 0, in [0, 1); 0 outside training.
        is_causal: whether query i sees the keys 0 … i alone.
        scale: factor of the scores; 1 / √E when not given.
    Returns:
        tensor (…, L, V). A query that may see no key gives NaN.
    Raises:
        OpTypeError: an argument is not floating point, or `attn_mask` neither that nor bool.
        OpValueError: shapes do not fit, or both `attn_mask` and `is_causal` are given.
    Source:
        Vaswani et al., NIPS 2017.
    Example:
        >>> q = Tensor([[0., 0.]])
        >>> scaled_dot_product_attention(q, Tensor([[1., 0.], [0., 1.]]), Tensor([[2.], [4.]])).tolist()
        [[3.0]]
    """
    name = "scaled_dot_product_attention"
    for arg, x in (("query", query), ("key", key), ("value", value)):
        kind = x._layout.type
        if not kind.dtype.is_float:
            raise OpTypeError(f"{name} needs a floating-point tensor for `{arg}`, but got {kind!r}", arg=arg)
        if kind.ndim < 2:
            raise OpValueError(f"{name} needs at least two axes for `{arg}`, but got {kind!r}", arg=arg)
    if query.shape[-1] != key.shape[-1]:
        raise OpValueError(f"{name}: queries have {query.shape[-1]} features, but keys {key.shape[-1]}", arg="key")
    if key.shape[-2] != value.shape[-2]:
        raise OpValueError(f"{name}: there are {key.shape[-2]} keys, but {value.shape[-2]} values", arg="value")
    factor = 1.0 / math.sqrt(max(query.shape[-1], 1)) if scale is None else scale
    scores = matmul(query * factor, swapaxes(key, -1, -2))
    if is_causal:
        if attn_mask is not None:
            raise OpValueError(f"{name} takes either `attn_mask` or `is_causal`", arg="attn_mask")
        attn_mask = causal_mask(*scores.shape[-2:])
    if attn_mask is not None:
        scores = masked(name, scores, attn_mask)
    weights = softmax(scores, -1)
    if dropout_p:
        weights = dropout(weights, dropout_p)
    return matmul(weights, value)


def causal_mask(queries: int, keys: int) -> Tensor:
    """True where key j may be seen by query i: j <= i."""
    return tril(ones((queries, keys), "bool"))


def masked(name: str, scores: Tensor, mask: Any) -> Tensor:
    """Scores of which some are -inf, where a bool mask is False, or to which a floating-point one is added."""
    if not isinstance(mask, Tensor) or not (mask.dtype.is_bool or mask.dtype.is_float):
        raise OpTypeError(
            f"{name} needs a bool or floating-point tensor for `attn_mask`, but got {mask!r}", arg="attn_mask"
        )
    return where(mask, scores, -math.inf) if mask.dtype.is_bool else scores + mask
