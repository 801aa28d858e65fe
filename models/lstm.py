"""A classifier of texts: tokens, an LSTM in both directions, and a dense layer."""

from __future__ import annotations

from typing import Any

from anfora import nn, ops
from anfora.core.tensor import Tensor

__all__ = ["LSTMClassifier"]


class LSTMClassifier(nn.Cell):
    """Embeddings, an LSTM, and the class from its last states in both directions.

    Args:
        vocab_size: tokens; token 0 fills short texts up.
        num_classes: classes.
        embedding_size, hidden_size, num_layers: of the embedding and the LSTM.
        dropout: probability of 0 between layers and before the dense one, while training.
    Input, output:
        tokens (N, L), integers in [0, vocab_size), and lengths (N,), or None where all texts have L tokens; logits
        (N, num_classes).

    Example:
        >>> net = LSTMClassifier(vocab_size=100, num_classes=2)
        >>> net(Tensor([[5, 7, 9], [3, 0, 0]]), Tensor([3, 1])).shape
        (2, 2)
    """

    def __init__(
        self,
        vocab_size: int,
        num_classes: int,
        embedding_size: int = 64,
        hidden_size: int = 64,
        num_layers: int = 1,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embedding_size, padding_idx=0)
        self.lstm = nn.LSTM(
            embedding_size, hidden_size, num_layers, batch_first=True, bidirectional=True,
            dropout=dropout if num_layers > 1 else 0.0,
        )  # fmt: skip
        self.dropout = nn.Dropout(p=dropout)
        self.classify = nn.Dense(2 * hidden_size, num_classes)

    def construct(self, tokens: Tensor, lengths: Any = None) -> Tensor:
        _, (h, _) = self.lstm(self.embedding(tokens), seq_length=lengths)
        return self.classify(self.dropout(ops.concat((h[-2], h[-1]), 1)))
