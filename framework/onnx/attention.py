"""Attention, and what comes with it."""

from __future__ import annotations

import numpy as np

from anfora import ops
from anfora.core import dtype as dt
from anfora.onnx.table import dtype_of, reads


def _heads(x, count):
    """(N, L, heads · E) as (N, heads, L, E)."""
    n, length, width = x.shape
    return ops.transpose(ops.reshape(x, (n, length, count, width // count)), (0, 2, 1, 3))


def _repeated(x, times):
    """Each head so many times."""
    if times == 1:
        return x
    n, heads, *rest = x.shape
    x = ops.broadcast_to(ops.expand_dims(x, 2), (n, heads, times, *rest))
    return ops.reshape(x, (n, heads * times, *rest))


@reads("Attention")
def attention(
    Q, K, V, attn_mask=None, past_key=None, past_value=None, nonpad_kv_seqlen=None, *, is_causal=0, kv_num_heads=None,
    q_num_heads=None, qk_matmul_output_mode=0, scale=None, softcap=0.0, softmax_precision=None, left_window_size=-1,
    right_window_size=-1, outputs,
):  # fmt: skip
    is_flat = Q.ndim == 3
    if is_flat:
        q, k, v = _heads(Q, q_num_heads), _heads(K, kv_num_heads), _heads(V, kv_num_heads)
    else:
        q, k, v = Q, K, V
    past = 0 if past_key is None else past_key.shape[2]
    if past_key is not None:
        k, v = ops.concat((past_key, k), 2), ops.concat((past_value, v), 2)
    present = k, v
    n, heads, length, width = q.shape
    times = heads // k.shape[1]
    k, v = _repeated(k, times), _repeated(v, times)
    total = k.shape[2]
    share = 1 / np.sqrt(width) if scale is None else scale
    root = float(np.sqrt(share))
    scores = ops.matmul(q * root, ops.swapaxes(k, 2, 3) * root)
    shown = [scores]

    hidden = None  # places that no query sees
    rows = ops.reshape(ops.arange(length), (1, 1, length, 1))
    columns = ops.reshape(ops.arange(total), (1, 1, 1, total))
    offset = past
    if nonpad_kv_seqlen is not None:
        filled = ops.reshape(nonpad_kv_seqlen, (n, 1, 1, 1))
        hidden = columns >= filled
        if past_key is None:
            offset = filled - length
    at = rows + offset
    for is_bound, outside in (
        (is_causal, lambda: columns > at),
        (left_window_size >= 0, lambda: columns < at - left_window_size),
        (right_window_size >= 0, lambda: columns > at + right_window_size),
    ):
        if is_bound:
            hidden = outside() if hidden is None else ops.logical_or(hidden, outside())
    bias = None
    if attn_mask is not None:
        mask = attn_mask
        if mask.shape[-1] < total:  # what it does not reach is hidden
            missing = total - mask.shape[-1]
            fill = ops.full(
                (*mask.shape[:-1], missing), False if mask.dtype.is_bool else float("-inf"), dtype=mask.dtype
            )
            mask = ops.concat((mask, fill), -1)
        if mask.dtype.is_bool:
            unseen = ops.logical_not(mask)
            hidden = unseen if hidden is None else ops.logical_or(hidden, unseen)
        else:
            bias = mask
    if softcap:
        scores = softcap * ops.tanh(scores / softcap)
    capped = scores
    if bias is not None:
        scores = scores + bias
    if hidden is not None:
        scores = ops.where(hidden, ops.full_like(scores, float("-inf")), scores)
    masked = scores
    shown += [capped, masked]
    wide = scores if softmax_precision is None else ops.cast(scores, dtype_of(softmax_precision))
    chances = ops.softmax(wide, -1)
    if hidden is not None or bias is not None:  # who sees nothing gets nothing
        chances = ops.where(ops.isnan(chances), ops.zeros_like(chances), chances)
    chances = ops.cast(chances, Q.dtype)
    shown.append(chances)
    y = ops.matmul(ops.cast(chances, v.dtype), v)
    if is_flat:
        y = ops.reshape(ops.transpose(y, (0, 2, 1, 3)), (n, length, -1))
    y = ops.cast(y, Q.dtype)
    found = (y, *present, shown[qk_matmul_output_mode])
    return found[:outputs] if outputs > 1 else y


@reads("RotaryEmbedding")
def rotary_embedding(
    X, cos_cache, sin_cache, position_ids=None, *, interleaved=0, num_heads=0, rotary_embedding_dim=0
):  # fmt: skip
    shape = X.shape
    x = ops.transpose(X, (0, 2, 1, 3)) if X.ndim == 4 else ops.reshape(X, (*shape[:2], num_heads, -1))
    turned = rotary_embedding_dim or x.shape[-1]
    rest = x[..., turned:]
    cos, sin = cos_cache, sin_cache
    if position_ids is not None:
        cos, sin = ops.gather(cos, position_ids, 0), ops.gather(sin, position_ids, 0)
    cos, sin = ops.expand_dims(cos, 2), ops.expand_dims(sin, 2)
    half = turned // 2
    if interleaved:
        pairs = ops.reshape(x[..., :turned], (*x.shape[:-1], half, 2))
        a, b = pairs[..., 0], pairs[..., 1]
    else:
        a, b = x[..., :half], x[..., half:turned]
    real, imaginary = cos * a - sin * b, sin * a + cos * b
    if interleaved:
        y = ops.reshape(ops.stack((real, imaginary), -1), (*x.shape[:-1], turned))
    else:
        y = ops.concat((real, imaginary), -1)
    y = ops.concat((y, rest), -1)
    return ops.transpose(y, (0, 2, 1, 3)) if X.ndim == 4 else ops.reshape(y, shape)


@reads("LinearAttention")
def linear_attention(
    query, key, value, past_state=None, decay=None, beta=None, *, q_num_heads, kv_num_heads, scale=0.0, chunk_size=64,
    update_rule="gated_delta",
):  # fmt: skip
    """A state for each head that each token changes; see ONNX's operator for the rules."""
    q, k, v = _heads(query, q_num_heads), _heads(key, kv_num_heads), _heads(value, kv_num_heads)
    n, heads, length, width = k.shape
    wide = dt.float64 if query.dtype is dt.float64 else dt.float32
    q, k, v = (ops.cast(x, wide) for x in (q, k, v))
    share = scale or 1 / float(np.sqrt(width))
    state = ops.zeros((n, heads, width, v.shape[-1]), wide) if past_state is None else ops.cast(past_state, wide)
    kept = None
    if decay is not None and update_rule in ("gated", "gated_delta"):
        kept = ops.exp(ops.cast(_heads(decay, heads), wide))  # (N, heads, L, width or 1)
    rate = None
    if beta is not None and update_rule in ("delta", "gated_delta"):
        b = beta if beta.shape[-1] == heads else ops.broadcast_to(beta, (*beta.shape[:-1], heads))
        rate = ops.cast(_heads(b, heads), wide)
    times = q_num_heads // heads
    made = []
    for t in range(length):
        k_t, v_t = k[:, :, t], v[:, :, t]
        if kept is not None:
            state = ops.expand_dims(kept[:, :, t], -1) * state
        new = v_t
        if update_rule in ("delta", "gated_delta"):
            new = v_t - ops.squeeze(ops.matmul(ops.expand_dims(k_t, 2), state), 2)
            if rate is not None:
                new = rate[:, :, t] * new
        state = state + ops.expand_dims(k_t, 3) * ops.expand_dims(new, 2)
        made.append(ops.squeeze(ops.matmul(ops.expand_dims(q[:, :, t], 2), _repeated(state, times)), 2) * share)
    y = ops.stack(tuple(made), 1)  # (N, L, heads, width)
    y = ops.reshape(y, (n, length, -1))
    return ops.cast(y, query.dtype), ops.cast(state, query.dtype if past_state is None else past_state.dtype)
