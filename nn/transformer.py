"""Attention and the layers of the Transformer.

Sequences are (L, N, E): length, batch, features; (N, L, E) with `batch_first`; (L, E) without a batch. A mask is True
where something must not be seen, or a floating-point tensor that is added to the scores.

Source:
    Vaswani et al., NIPS 2017.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

from anfora import ops
from anfora.core.cell import Cell
from anfora.core.dtype import float32
from anfora.core.errors import OpValueError
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.nn import initial
from anfora.nn.activation import activation_of
from anfora.nn.basic import Dense
from anfora.nn.checks import flag, number, positive_int
from anfora.nn.containers import CellList
from anfora.nn.dropout import Dropout
from anfora.nn.normalization import LayerNorm
from anfora.ops.initializer import XavierNormal, XavierUniform, initializer

__all__ = [
    "MultiheadAttention", "Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder",
    "TransformerEncoderLayer",
]  # fmt: skip


class MultiheadAttention(Cell):
    """softmax(Q Kᵀ / √d) V for each of several heads of d features, projected before and after.

    Args:
        embed_dim: features E of queries and results; num_heads divides it, d = embed_dim / num_heads.
        num_heads: number of heads.
        dropout: probability that a weight becomes 0 while training.
        has_bias: whether the projections have biases.
        add_bias_kv: whether a trained key and value are appended to all others.
        add_zero_attn: whether a key and value of zeros are.
        kdim, vdim: features of keys and values; embed_dim when None.
        batch_first: see the head of this module.
        dtype: of the parameters.
    Parameters:
        in_proj_weight (3E, E), or q_proj_weight (E, E), k_proj_weight (E, kdim), v_proj_weight (E, vdim) where these
        differ; in_proj_bias (3E,); bias_k, bias_v (1, 1, E); out_proj.weight (E, E), out_proj.bias (E,).

    Example:
        >>> x = ops.ones((5, 2, 8)); y, weights = MultiheadAttention(8, 2)(x, x, x)
        >>> y.shape, weights.shape
        ((5, 2, 8), (2, 5, 5))
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        has_bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        dtype: Any = float32,
    ) -> None:
        super().__init__()
        name = "MultiheadAttention"
        self.embed_dim = positive_int(name, "embed_dim", embed_dim)
        self.num_heads = positive_int(name, "num_heads", num_heads)
        if embed_dim % num_heads:
            raise OpValueError(f"{name}: {num_heads} heads do not divide {embed_dim} features", arg="num_heads")
        self.head_dim = embed_dim // num_heads
        self.kdim = embed_dim if kdim is None else positive_int(name, "kdim", kdim)
        self.vdim = embed_dim if vdim is None else positive_int(name, "vdim", vdim)
        self.dropout = number(name, "dropout", dropout, least=0.0, below=1.0)
        self.batch_first = flag(name, "batch_first", batch_first)
        self.add_zero_attn = flag(name, "add_zero_attn", add_zero_attn)

        def parameter(init: Any, *shape: int) -> Parameter:
            return initial.parameter(name, "init", init, shape, dtype)

        self.is_one = self.kdim == self.vdim == embed_dim  # one matrix for queries, keys and values
        if self.is_one:
            self.in_proj_weight = parameter(XavierUniform(), 3 * embed_dim, embed_dim)
        else:
            self.q_proj_weight = parameter(XavierUniform(), embed_dim, embed_dim)
            self.k_proj_weight = parameter(XavierUniform(), embed_dim, self.kdim)
            self.v_proj_weight = parameter(XavierUniform(), embed_dim, self.vdim)
        self.in_proj_bias = parameter("zeros", 3 * embed_dim) if flag(name, "has_bias", has_bias) else None
        self.out_proj = Dense(embed_dim, embed_dim, has_bias=has_bias, dtype=dtype)
        add_bias_kv = flag(name, "add_bias_kv", add_bias_kv)
        self.bias_k = parameter(XavierNormal(), 1, 1, embed_dim) if add_bias_kv else None
        self.bias_v = parameter(XavierNormal(), 1, 1, embed_dim) if add_bias_kv else None

    def construct(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
    ) -> tuple[Tensor, ...]:
        """Attend.

        Args:
            query: (L, N, E).   key: (S, N, kdim).   value: (S, N, vdim).
            key_padding_mask: keys that must not be seen, (N, S), or (S,) without a batch.
            need_weights: whether the weights are given too.
            attn_mask: what must not be seen, (L, S), or (N · num_heads, L, S).
            average_attn_weights: whether the weights are averaged over the heads.
        Returns:
            (y,) or (y, weights): y (L, N, E); weights (N, L, S), or (N, num_heads, L, S).
        """
        has_batch = query.ndim == 3
        if not has_batch:
            query, key, value = (ops.expand_dims(x, 0) for x in (query, key, value))
            if key_padding_mask is not None:
                key_padding_mask = ops.expand_dims(key_padding_mask, 0)
        elif not self.batch_first:
            query, key, value = self._swapped(query, key, value)
        q, k, v = self._projected(query, key, value)
        k, v, grown = self._extended(k, v)
        q, k, v = self._heads(q), self._heads(k), self._heads(v)
        mask = self._mask(attn_mask, key_padding_mask, q, k.shape[2], grown)
        scores = ops.matmul(q * (1.0 / math.sqrt(self.head_dim)), ops.swapaxes(k, -1, -2))
        weights = ops.softmax(scores if mask is None else scores + mask, -1)
        if self.training and self.dropout:
            weights = ops.dropout(weights, self.dropout)
        y = ops.transpose(ops.matmul(weights, v), (0, 2, 1, 3))
        y = self.out_proj(y.reshape((*y.shape[:2], self.embed_dim)))
        if not has_batch:
            y = ops.squeeze(y, 0)
        elif not self.batch_first:
            y = ops.swapaxes(y, 0, 1)
        if not need_weights:
            return (y,)
        if average_attn_weights:
            weights = ops.reduce_mean(weights, 1)
        return y, weights if has_batch else ops.squeeze(weights, 0)

    @staticmethod
    def _swapped(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Batch first; the same tensors stay the same, so that they are projected together."""
        q = ops.swapaxes(query, 0, 1)
        k = q if key is query else ops.swapaxes(key, 0, 1)
        return q, k, q if value is query else k if value is key else ops.swapaxes(value, 0, 1)

    def _projected(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, ...]:
        e, bias = self.embed_dim, self.in_proj_bias
        if self.is_one and query is key is value:
            joint = ops.dense(query, self.in_proj_weight, bias)
            return tuple(ops.narrow(joint, 2, i * e, e) for i in range(3))
        if self.is_one:
            weights = tuple(ops.narrow(self.in_proj_weight, 0, i * e, e) for i in range(3))
        else:
            weights = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        biases = (None,) * 3 if bias is None else tuple(ops.narrow(bias, 0, i * e, e) for i in range(3))
        return tuple(ops.dense(x, w, b) for x, w, b in zip((query, key, value), weights, biases))

    def _extended(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor, int]:
        """Keys and values with the appended ones, and how many these are."""
        grown, batch = 0, k.shape[0]
        if self.bias_k is not None:
            k = ops.concat((k, ops.broadcast_to(self.bias_k, (batch, 1, self.embed_dim))), 1)
            v = ops.concat((v, ops.broadcast_to(self.bias_v, (batch, 1, self.embed_dim))), 1)
            grown += 1
        if self.add_zero_attn:
            zero = ops.zeros((batch, 1, self.embed_dim), k.dtype)
            k, v = ops.concat((k, zero), 1), ops.concat((v, zero), 1)
            grown += 1
        return k, v, grown

    def _heads(self, x: Tensor) -> Tensor:
        """(N, L, E) as (N, num_heads, L, d)."""
        return ops.transpose(x.reshape((*x.shape[:2], self.num_heads, self.head_dim)), (0, 2, 1, 3))

    def _mask(self, attn: Tensor | None, padding: Tensor | None, q: Tensor, keys: int, grown: int) -> Tensor | None:
        """What is added to the scores (N, num_heads, L, S)."""
        batch, heads, length, _ = q.shape
        given = keys - grown
        total = None
        if attn is not None:
            if attn.shape not in ((length, given), (batch * heads, length, given)):
                raise OpValueError(
                    f"MultiheadAttention needs an `attn_mask` of shape ({length}, {given}) or "
                    f"({batch * heads}, {length}, {given}), but got {attn.shape}",
                    arg="attn_mask",
                )
            total = _added(attn, q.dtype)
            total = total.reshape((batch, heads, length, given) if attn.ndim == 3 else (1, 1, length, given))
        if padding is not None:
            if padding.shape != (batch, given):
                raise OpValueError(
                    f"MultiheadAttention needs a `key_padding_mask` of shape ({batch}, {given}), but got {padding.shape}",
                    arg="key_padding_mask",
                )
            own = _added(padding, q.dtype).reshape((batch, 1, 1, given))
            total = own if total is None else total + own
        if total is not None and grown:
            total = ops.pad(total, (0, grown))
        return total

    def extend_repr(self) -> str:
        return f"embed_dim={self.embed_dim}, num_heads={self.num_heads}"


def _added(mask: Tensor, dtype: Any) -> Tensor:
    """A mask in the form that is added to scores."""
    return mask.astype(dtype) if mask.dtype.is_float else ops.where(mask.astype("bool"), -math.inf, 0.0).astype(dtype)


class _Layer(Cell):
    """What the layers of encoder and decoder share: the feed-forward part, and how parts are put together."""

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int, dropout: float, activation: Any, layer_norm_eps: float,
        batch_first: bool, norm_first: bool, dtype: Any, cross: bool,
    ) -> None:  # fmt: skip
        super().__init__()
        self.self_attn = MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, dtype=dtype)
        if cross:
            self.multihead_attn = MultiheadAttention(d_model, nhead, dropout, batch_first=batch_first, dtype=dtype)
        self.dense1 = Dense(d_model, dim_feedforward, dtype=dtype)
        self.dropout = Dropout(p=dropout)
        self.dense2 = Dense(dim_feedforward, d_model, dtype=dtype)
        self.norm_first = flag(type(self).__name__, "norm_first", norm_first)
        self.norm1 = LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
        self.norm2 = LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
        if cross:
            self.norm3 = LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
        self.dropout1 = Dropout(p=dropout)
        self.dropout2 = Dropout(p=dropout)
        if cross:
            self.dropout3 = Dropout(p=dropout)
        self.activation = activation_of(type(self).__name__, activation)

    def _added(self, x: Tensor, norm: Cell, part: Callable[[Tensor], Tensor]) -> Tensor:
        """A part with its shortcut; the normalisation stands before the part, or behind the sum."""
        return x + part(norm(x)) if self.norm_first else norm(x + part(x))

    def _attend_self(self, x: Tensor, mask: Tensor | None, padding: Tensor | None) -> Tensor:
        return self.dropout1(self.self_attn(x, x, x, padding, False, mask)[0])

    def _feed_forward(self, x: Tensor) -> Tensor:
        x = self.dense1(x)
        return self.dense2(self.dropout(x if self.activation is None else self.activation(x)))


class TransformerEncoderLayer(_Layer):
    """Self-attention and a feed-forward network, each with a shortcut and layer normalisation.

    Args:
        d_model: features of a sequence.
        nhead: heads of the attention.
        dim_feedforward: features between the two dense layers.
        dropout: probability of 0 while training.
        activation: between the dense layers; a name, a Cell or a function.
        layer_norm_eps: see LayerNorm.epsilon.
        batch_first: see the head of this module.
        norm_first: whether the normalisation stands before the attention and the network, or behind their shortcuts.
        dtype: of the parameters.

    Example:
        >>> TransformerEncoderLayer(8, 2, dim_feedforward=16)(ops.ones((5, 2, 8))).shape
        (5, 2, 8)
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        dtype: Any = float32,
    ) -> None:
        super().__init__(
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, dtype, False
        )

    def construct(
        self, src: Tensor, src_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None
    ) -> Tensor:
        src = self._added(src, self.norm1, lambda x: self._attend_self(x, src_mask, src_key_padding_mask))
        return self._added(src, self.norm2, lambda x: self.dropout2(self._feed_forward(x)))


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to the encoder's result, and a feed-forward network.

    Args:
        d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, dtype: see
            TransformerEncoderLayer.

    Example:
        >>> layer = TransformerDecoderLayer(8, 2, dim_feedforward=16)
        >>> layer(ops.ones((3, 2, 8)), ops.ones((5, 2, 8))).shape
        (3, 2, 8)
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        dtype: Any = float32,
    ) -> None:
        super().__init__(
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, dtype, True
        )

    def construct(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
    ) -> Tensor:
        def attend(x: Tensor) -> Tensor:
            found = self.multihead_attn(x, memory, memory, memory_key_padding_mask, False, memory_mask)
            return self.dropout2(found[0])

        tgt = self._added(tgt, self.norm1, lambda x: self._attend_self(x, tgt_mask, tgt_key_padding_mask))
        tgt = self._added(tgt, self.norm2, attend)
        return self._added(tgt, self.norm3, lambda x: self.dropout3(self._feed_forward(x)))


class TransformerEncoder(Cell):
    """Copies of an encoder layer, one after the other.

    Args:
        encoder_layer: the layer; the copies begin with its weights.
        num_layers: how many.
        norm: a Cell for the result, or None.

    Example:
        >>> layer = nn.TransformerEncoderLayer(8, 2, dim_feedforward=16)
        >>> TransformerEncoder(layer, 2)(ops.ones((5, 2, 8))).shape
        (5, 2, 8)
    """

    def __init__(self, encoder_layer: Cell, num_layers: int, norm: Cell | None = None) -> None:
        super().__init__()
        self.num_layers = positive_int("TransformerEncoder", "num_layers", num_layers)
        self.layers = CellList([copy.deepcopy(encoder_layer) for _ in range(num_layers)])
        self.norm = norm

    def construct(
        self, src: Tensor, src_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None
    ) -> Tensor:
        for layer in self.layers:
            src = layer(src, src_mask, src_key_padding_mask)
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(Cell):
    """Copies of a decoder layer, one after the other.

    Args:
        decoder_layer: the layer; the copies begin with its weights.
        num_layers: how many.
        norm: a Cell for the result, or None.

    Example:
        >>> layer = nn.TransformerDecoderLayer(8, 2, dim_feedforward=16)
        >>> TransformerDecoder(layer, 2)(ops.ones((3, 2, 8)), ops.ones((5, 2, 8))).shape
        (3, 2, 8)
    """

    def __init__(self, decoder_layer: Cell, num_layers: int, norm: Cell | None = None) -> None:
        super().__init__()
        self.num_layers = positive_int("TransformerDecoder", "num_layers", num_layers)
        self.layers = CellList([copy.deepcopy(decoder_layer) for _ in range(num_layers)])
        self.norm = norm

    def construct(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
    ) -> Tensor:
        for layer in self.layers:
            tgt = layer(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Cell):
    """Encoder and decoder.

    Args:
        d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, dtype: see
            TransformerEncoderLayer.
        num_encoder_layers, num_decoder_layers: how many layers.
        custom_encoder, custom_decoder: Cells to be used instead.
    Parameters:
        matrices begin with XavierUniform.

    Example:
        >>> net = Transformer(8, 2, 1, 1, dim_feedforward=16)
        >>> net(ops.ones((5, 2, 8)), ops.ones((3, 2, 8))).shape
        (3, 2, 8)
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        custom_encoder: Cell | None = None,
        custom_decoder: Cell | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        dtype: Any = float32,
    ) -> None:
        super().__init__()
        settings = (
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, dtype
        )  # fmt: skip

        def norm() -> LayerNorm:
            return LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)

        if custom_encoder is None:
            custom_encoder = TransformerEncoder(TransformerEncoderLayer(*settings), num_encoder_layers, norm())
        if custom_decoder is None:
            custom_decoder = TransformerDecoder(TransformerDecoderLayer(*settings), num_decoder_layers, norm())
        self.encoder, self.decoder = custom_encoder, custom_decoder
        for parameter in self.get_parameters():
            if parameter.ndim > 1:
                parameter.set_data(initializer(XavierUniform(), parameter.shape, parameter.dtype))
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def construct(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
    ) -> Tensor:
        batch = 0 if self.batch_first else 1
        if src.ndim == tgt.ndim == 3 and src.shape[batch] != tgt.shape[batch]:
            raise OpValueError(f"Transformer needs batches of one size, but got {src.shape} and {tgt.shape}")
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise OpValueError(f"Transformer needs {self.d_model} features, but got {src.shape} and {tgt.shape}")
        memory = self.encoder(src, src_mask, src_key_padding_mask)
        return self.decoder(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask)
