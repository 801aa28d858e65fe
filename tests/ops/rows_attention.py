"""Rows of the op table: attention."""

import numpy as np
from row import Bad, Row, S, integers, normal

from anfora import ops


def _attention(q, k, v, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None):
    scores = q @ np.swapaxes(k, -1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        attn_mask = np.arange(k.shape[-2]) <= np.arange(q.shape[-2])[:, None]
    if attn_mask is not None:
        scores = np.where(attn_mask, scores, -np.inf) if attn_mask.dtype == bool else scores + attn_mask
    e = np.exp(scores - scores.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ v


SEEN = np.array([[True, False, True, True], [False, True, False, False]])

ROWS = [
    Row(
        ops.scaled_dot_product_attention,
        ref=_attention,
        samples=[
            S(normal(2, 3), normal(4, 3), normal(4, 2)),
            S(normal(2, 1, 2, 3), normal(2, 2, 4, 3), normal(2, 2, 4, 3), SEEN),
            S(normal(1, 2, 3), normal(1, 4, 3), normal(1, 4, 3), normal(2, 4)),
            S(normal(2, 3, 4), normal(2, 3, 4), normal(2, 3, 4), is_causal=True, scale=0.5),
            S(normal(0, 2, 3), normal(0, 4, 3), normal(0, 4, 3)),
        ],
        errors=[
            Bad(integers(0, 3, 2, 3), normal(4, 3), normal(4, 3), error=TypeError, match="floating-point"),
            Bad(normal(3), normal(4, 3), normal(4, 3), error=ValueError, match="at least two axes"),
            Bad(normal(2, 3), normal(4, 2), normal(4, 3), error=ValueError, match="queries have 3 features"),
            Bad(normal(2, 3), normal(4, 3), normal(5, 3), error=ValueError, match="4 keys, but 5 values"),
            Bad(normal(2, 3), normal(4, 3), normal(4, 3), SEEN, is_causal=True, error=ValueError, match="either"),
            Bad(normal(2, 3), normal(4, 3), normal(4, 3), SEEN.astype(int), error=TypeError, match="attn_mask"),
            Bad(normal(2, 3), normal(4, 3), normal(4, 3), dropout_p=2.0, error=ValueError, match="probability"),
        ],
    ),
]
