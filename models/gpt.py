"""A small GPT: a Transformer that guesses the next token from those before it.

Source:
    Radford et al., Language Models are Unsupervised Multitask Learners (2019).
"""

from __future__ import annotations

import numpy as np

from anfora import nn, ops
from anfora.core.dtype import int64
from anfora.core.errors import OpValueError
from anfora.core.tensor import Tensor
from anfora.ops.initializer import Normal

__all__ = ["GPT"]


class Attention(nn.Cell):
    """Self-attention in which no token sees a later one.

    Args:
        width: features E.
        heads: divides E.
        dropout: probability of 0 while training.
    """

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.qkv = nn.Dense(width, 3 * width, weight_init=Normal(0.02), bias_init="zeros")
        self.project = nn.Dense(width, width, weight_init=Normal(0.02), bias_init="zeros")

    def construct(self, x: Tensor) -> Tensor:
        n, length, width = x.shape
        parts = ops.reshape(self.qkv(x), (n, length, 3, self.heads, width // self.heads))
        q, k, v = ops.unbind(ops.transpose(parts, (2, 0, 3, 1, 4)))
        dropout = self.dropout if self.training else 0.0
        y = ops.scaled_dot_product_attention(q, k, v, dropout_p=dropout, is_causal=True)
        return self.project(ops.reshape(ops.transpose(y, (0, 2, 1, 3)), (n, length, width)))


class Block(nn.Cell):
    """Attention and a feed-forward network, each normalised before and added to its input."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm((width,), epsilon=1e-5)
        self.attention = Attention(width, heads, dropout)
        self.norm2 = nn.LayerNorm((width,), epsilon=1e-5)
        self.expand = nn.Dense(width, 4 * width, weight_init=Normal(0.02), bias_init="zeros")
        self.gelu = nn.GELU()
        self.reduce = nn.Dense(4 * width, width, weight_init=Normal(0.02), bias_init="zeros")
        self.dropout = nn.Dropout(p=dropout)

    def construct(self, x: Tensor) -> Tensor:
        x = x + self.dropout(self.attention(self.norm1(x)))
        return x + self.dropout(self.reduce(self.gelu(self.expand(self.norm2(x)))))


class GPT(nn.Cell):
    """Embeddings of tokens and places, blocks, and the table of tokens once more to give logits.

    Args:
        vocab_size: tokens.
        context: the longest sequence.
        width: features; `heads` divides it.
        layers: blocks.
        heads: heads of the attention.
        dropout: probability of 0 while training.
    Input, output:
        tokens (N, L), integers in [0, vocab_size), L <= context; logits (N, L, vocab_size) of the token that follows each.

    Example:
        >>> net = GPT(vocab_size=50, context=16, width=32, layers=2, heads=4)
        >>> net(Tensor([[1, 2, 3]])).shape, net.generate(Tensor([[1, 2, 3]]), 5).shape
        ((1, 3, 50), (1, 8))
    """

    def __init__(
        self, vocab_size: int, context: int, width: int = 128, layers: int = 4, heads: int = 4, dropout: float = 0.0
    ) -> None:
        super().__init__()
        if width % heads:
            raise OpValueError(f"GPT: {heads} heads do not divide {width} features", arg="heads")
        self.context = context
        self.tokens = nn.Embedding(vocab_size, width, embedding_table=Normal(0.02))
        self.places = nn.Embedding(context, width, embedding_table=Normal(0.02))
        self.dropout = nn.Dropout(p=dropout)
        self.blocks = nn.CellList([Block(width, heads, dropout) for _ in range(layers)])
        self.norm = nn.LayerNorm((width,), epsilon=1e-5)

    def construct(self, tokens: Tensor) -> Tensor:
        length = tokens.shape[1]
        if length > self.context:
            raise OpValueError(f"GPT sees {self.context} tokens, but got {length}", arg="tokens")
        x = self.dropout(self.tokens(tokens) + self.places(ops.arange(length)))
        for block in self.blocks:
            x = block(x)
        return ops.dense(self.norm(x), self.tokens.embedding_table)

    def generate(self, tokens: Tensor, count: int, temperature: float = 0.0, seed: int | None = None) -> Tensor:
        """Sequences (N, L) with `count` more tokens.

        Args:
            tokens: the beginning, integers (N, L).
            count: how many tokens to add.
            temperature: 0 takes the likeliest token; above, tokens are drawn with probabilities softmax(logits / it).
            seed: of the draws.
        """
        random = np.random.default_rng(seed)
        found = tokens.asnumpy().astype(np.int64)
        for _ in range(count):
            logits = self(Tensor(found[:, -self.context :], int64)).asnumpy()[:, -1]
            if temperature:
                logits = logits / temperature + random.gumbel(size=logits.shape)
            found = np.concatenate([found, logits.argmax(1)[:, None]], 1)
        return Tensor(found, int64)
