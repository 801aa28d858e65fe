"""A small GPT: a Transformer that guesses the next token from those before it.

**Writing token by token.** What a token hands to later ones are its keys and values, so these are kept, and a further token
costs a row instead of a whole pass. The bits are those of the whole pass: there, too, a row depends on its own sequence
alone, up to its own place, and what a mask hides adds exact zeros at the end of each sum. One thing remains: a product of a
single row is summed in another order than one of several (kernel/gemm.py), and a wide network has products whose order
depends on how many rows there are while they are few. So a step always computes as many rows as it takes for that order to
stay, the new token's and those of the tokens before it: two in most networks.

Source:
    Radford et al., Language Models are Unsupervised Multitask Learners (2019).
"""

from __future__ import annotations

import numpy as np

from anfora import nn, ops
from anfora.core.dtype import int64
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.tensor import Tensor
from anfora.eager.tape import no_grad
from anfora.kernel.gemm import rows_in_one_order
from anfora.nn.checks import integer, number
from anfora.ops.initializer import Normal

__all__ = ["GPT"]

_ROOM = 64  # tokens that a cache has room for at first; it doubles when it is full


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

    def construct(self, x: Tensor, kept: tuple | None = None, at: Tensor | None = None) -> Tensor:
        n, length, width = x.shape
        parts = ops.reshape(self.qkv(x), (n, length, 3, self.heads, width // self.heads))
        q, k, v = ops.unbind(ops.transpose(parts, (2, 0, 3, 1, 4)))
        if kept is None:
            dropout = self.dropout if self.training else 0.0
            y = ops.scaled_dot_product_attention(q, k, v, dropout_p=dropout, is_causal=True)
        else:
            keys, values = kept
            keys[:, :, at] = k
            values[:, :, at] = v
            seen = ops.arange(keys.shape[2]) <= ops.expand_dims(at, 1)
            y = ops.scaled_dot_product_attention(q, keys, values, attn_mask=seen)
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

    def construct(self, x: Tensor, kept: tuple | None = None, at: Tensor | None = None) -> Tensor:
        x = x + self.dropout(self.attention(self.norm1(x), kept, at))
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
        With a `cache` and the places `at` of the tokens, integers (L,), these follow on tokens whose keys and values are in
        it already, and theirs are written to it; see `generate`.

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
        self.context, self.heads = context, heads
        self.tokens = nn.Embedding(vocab_size, width, embedding_table=Normal(0.02))
        self.places = nn.Embedding(context, width, embedding_table=Normal(0.02))
        self.dropout = nn.Dropout(p=dropout)
        self.blocks = nn.CellList([Block(width, heads, dropout) for _ in range(layers)])
        self.norm = nn.LayerNorm((width,), epsilon=1e-5)

    def construct(self, tokens: Tensor, cache: list | None = None, at: Tensor | None = None) -> Tensor:
        length = tokens.shape[1]
        if length > self.context:
            raise OpValueError(f"GPT sees {self.context} tokens, but got {length}", arg="tokens")
        x = self.dropout(self.tokens(tokens) + self.places(ops.arange(length) if at is None else at))
        for i, block in enumerate(self.blocks):
            x = block(x, None if cache is None else cache[i], at)
        return ops.dense(self.norm(x), self.tokens.embedding_table)

    @property
    def rows_of_a_step(self) -> int:
        """How many tokens a step with a cache computes at least, for its bits to be those of a pass without."""
        vocabulary, width = self.tokens.embedding_table.shape
        head = width // self.heads
        products = [  # (columns, terms of a sum)
            (3 * width, width), (width, width), (4 * width, width), (width, 4 * width), (vocabulary, width),
            (2, head), (head, self.context),
        ]  # fmt: skip
        return max(rows_in_one_order(columns, terms) for columns, terms in products)

    def generate(
        self,
        tokens: Tensor,
        count: int,
        temperature: float = 0.0,
        seed: int | None = None,
        top_k: int | None = None,
        cached: bool = True,
    ) -> Tensor:
        """Sequences (N, L) with `count` more tokens, each found from the `context` tokens in front of it.

        Dropout is off. The numbers drawn follow from the seed alone, on any machine.

        Args:
            tokens: the beginning, integers (N, L), L >= 1.
            count: how many tokens to add, 0 or more.
            temperature: 0 takes the likeliest token; above, tokens are drawn with probabilities softmax(logits / it).
            seed: of the draws; another one each time when None.
            top_k: draw from so many likeliest tokens alone; from all when None.
            cached: keep keys and values, which takes a row a token where a whole pass is computed otherwise; the logits
                are the same bits. Where a sequence is longer than the context, the place of each token changes with each
                step, so from there on there is a whole pass each time.
        Returns:
            int64 (N, L + count).
        Raises:
            OpTypeError, OpValueError: an argument has another type, shape or is out of range.
        Example:
            >>> net = GPT(vocab_size=50, context=16, width=32, layers=1, heads=4)
            >>> start = Tensor([[1, 2, 3]])
            >>> (net.generate(start, 5) == net.generate(start, 5, cached=False)).all().item()
            True
        """
        name = "GPT.generate"
        if not isinstance(tokens, Tensor):
            raise OpTypeError(f"{name} needs a tensor for `tokens`, but got {tokens!r}", arg="tokens")
        if tokens.ndim != 2 or not tokens.shape[1]:
            raise OpValueError(f"{name} needs tokens (N, L) with L >= 1, but got {tokens.shape}", arg="tokens")
        integer(name, "count", count, least=0)
        number(name, "temperature", temperature, least=0)
        if top_k is not None:
            integer(name, "top_k", top_k, least=1)
        random = np.random.default_rng(seed)
        was_training = self.training
        if was_training:
            self.set_train(False)
        found = tokens.asnumpy().astype(np.int64)
        cache: list = []
        try:
            with no_grad():
                for _ in range(count):
                    logits = self._last_logits(found, cache) if cached else self._whole(found)
                    chosen = _likeliest(logits) if not temperature else _drawn(logits, temperature, top_k, random)
                    found = np.concatenate([found, chosen[:, None]], 1)
        finally:
            if was_training:
                self.set_train(True)
        return Tensor(found, int64)

    def _whole(self, found: np.ndarray) -> Tensor:
        """Logits (N, vocab_size) of the token that comes next, by a pass over all that the network sees."""
        return self(Tensor(found[:, -self.context :], int64))[:, -1]

    def _last_logits(self, found: np.ndarray, cache: list) -> Tensor:
        """The same, with the keys and values of the tokens before; `cache` is brought up to date."""
        n, length = found.shape
        rows = self.rows_of_a_step
        if length > self.context:
            return self._whole(found)
        if not cache or length <= rows:  # all tokens at once
            rows = length
        self._make_room(cache, n, length)
        at = np.arange(length - rows, length)
        return self(Tensor(found[:, -rows:], int64), cache, Tensor(at, int64))[:, -1]

    def _make_room(self, cache: list, n: int, length: int) -> None:
        """Let a cache have room for so many tokens: for each block keys and values (N, heads, room, width // heads)."""
        old = cache[0][0].shape[2] if cache else 0
        if length <= old:
            return
        room = _ROOM
        while room < length:
            room *= 2
        room = min(room, self.context)
        table = self.tokens.embedding_table
        empty = [ops.zeros((n, self.heads, room - old, table.shape[1] // self.heads), table.dtype) for _ in "kv"]
        if cache:
            cache[:] = [tuple(ops.concat(parts, 2) for parts in zip(pair, empty)) for pair in cache]
        else:
            cache[:] = [tuple(part.copy() for part in empty) for _ in self.blocks]


def _likeliest(logits: Tensor) -> np.ndarray:
    return logits.asnumpy().argmax(1)


def _drawn(logits: Tensor, temperature: float, top_k: int | None, random: np.random.Generator) -> np.ndarray:
    """A token for each row: the first one up to which the probabilities sum to more than a random number."""
    chances = ops.softmax(logits / temperature, -1).asnumpy().astype(np.float64)
    if top_k is not None and top_k < chances.shape[1]:
        unlikely = np.argsort(-chances, axis=1, kind="stable")[:, top_k:]
        np.put_along_axis(chances, unlikely, 0.0, 1)
    sums = chances.cumsum(1)
    return (sums > random.random((len(sums), 1)) * sums[:, -1:]).argmax(1)
