"""Tables of vectors that are looked up by number."""

from __future__ import annotations

from typing import Any

from anfora import ops
from anfora.core.cell import Cell
from anfora.core.dtype import as_dtype, float32
from anfora.core.errors import OpValueError
from anfora.core.tensor import Tensor
from anfora.nn import initial
from anfora.nn.checks import flag, integer, number, positive_int
from anfora.ops.bound import Bound

__all__ = ["Embedding", "EmbeddingLookup", "OneHot"]


class Embedding(Cell):
    """Rows of a table: y[…] = table[ids[…]].

    Args:
        vocab_size, embedding_size: numbers of rows and columns.
        use_one_hot: multiply one-hot vectors with the table instead; the same rows, and zeros for ids out of range.
        embedding_table: initial values; see `initializer`.
        dtype: of the table.
        padding_idx: a row that begins with zeros.
    Parameters:
        embedding_table (vocab_size, embedding_size).
    Input, output:
        ids (*), integers in [0, vocab_size); y (*, embedding_size).

    Example:
        >>> Embedding(100, 8)(Tensor([[1, 2, 3]])).shape
        (1, 3, 8)
    """

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        use_one_hot: bool = False,
        embedding_table: Any = "normal",
        dtype: Any = float32,
        padding_idx: int | None = None,
    ) -> None:
        super().__init__()
        self.vocab_size = positive_int("Embedding", "vocab_size", vocab_size)
        self.embedding_size = positive_int("Embedding", "embedding_size", embedding_size)
        self.use_one_hot = flag("Embedding", "use_one_hot", use_one_hot)
        self.dtype = as_dtype(dtype)
        shape = (vocab_size, embedding_size)
        self.embedding_table = initial.parameter("Embedding", "embedding_table", embedding_table, shape, dtype)
        self.padding_idx = padding_idx
        if padding_idx is not None:
            if not 0 <= integer("Embedding", "padding_idx", padding_idx) < vocab_size:
                raise OpValueError(f"Embedding: `padding_idx` must be in [0, {vocab_size}), but got {padding_idx}")
            self.embedding_table.asnumpy()[padding_idx] = 0
        self._gather = Bound(ops.gather, axis=0)

    def construct(self, ids: Tensor) -> Tensor:
        if self.use_one_hot:
            one = ops.ones((), self.dtype)
            return ops.matmul(ops.one_hot(ids, self.vocab_size, one, one - one), self.embedding_table)
        return self._gather(self.embedding_table, ids)

    def extend_repr(self) -> str:
        return (
            f"vocab_size={self.vocab_size}, embedding_size={self.embedding_size}, use_one_hot={self.use_one_hot}, "
            f"dtype={self.dtype}, padding_idx={self.padding_idx}"
        )


class EmbeddingLookup(Cell):
    """Rows of a table, made shorter where they are longer than `max_norm`.

    Args:
        vocab_size, embedding_size: numbers of rows and columns.
        param_init: initial values; see `initializer`.
        target, slice_mode, manual_shapes, sparse: accepted for MindSpore programs; no effect here.
        max_norm: longest Euclidean norm of a row that comes out; None for no limit.
        dtype: of the table.
    Parameters:
        embedding_table (vocab_size, embedding_size).

    Example:
        >>> EmbeddingLookup(10, 4)(Tensor([[1, 2, 3]])).shape
        (1, 3, 4)
    """

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        param_init: Any = "normal",
        target: str = "CPU",
        slice_mode: str = "batch_slice",
        manual_shapes: Any = None,
        max_norm: float | None = None,
        sparse: bool = True,
        dtype: Any = float32,
    ) -> None:
        super().__init__()
        self.vocab_size = positive_int("EmbeddingLookup", "vocab_size", vocab_size)
        self.embedding_size = positive_int("EmbeddingLookup", "embedding_size", embedding_size)
        shape = (vocab_size, embedding_size)
        self.embedding_table = initial.parameter("EmbeddingLookup", "param_init", param_init, shape, dtype)
        self.max_norm = None if max_norm is None else number("EmbeddingLookup", "max_norm", max_norm, above=0.0)
        self._gather = Bound(ops.gather, axis=0)

    def construct(self, indices: Tensor) -> Tensor:
        rows = self._gather(self.embedding_table, indices)
        if self.max_norm is None:
            return rows
        norm = ops.sqrt(ops.reduce_sum(rows * rows, -1, True))
        return rows * self.max_norm / ops.maximum(norm, self.max_norm)

    def extend_repr(self) -> str:
        return f"vocab_size={self.vocab_size}, embedding_size={self.embedding_size}, max_norm={self.max_norm}"


class OneHot(Cell):
    """A new axis that is `on_value` at the place of the index and `off_value` elsewhere (everywhere for an index out of
    range).

    Args:
        axis: where the new axis stands.
        depth: its length.
        on_value, off_value: see above.
        dtype: of the result.

    Example:
        >>> OneHot(depth=3)(Tensor([0, 2])).tolist()
        [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """

    def __init__(
        self, axis: int = -1, depth: int = 1, on_value: float = 1.0, off_value: float = 0.0, dtype: Any = float32
    ) -> None:
        super().__init__()
        self.axis = integer("OneHot", "axis", axis)
        self.depth = integer("OneHot", "depth", depth, least=0)
        self.dtype = as_dtype(dtype)
        self.on_value, self.off_value = Tensor(on_value, dtype), Tensor(off_value, dtype)

    def construct(self, indices: Tensor) -> Tensor:
        return ops.one_hot(indices, self.depth, self.on_value, self.off_value, self.axis)

    def extend_repr(self) -> str:
        return f"axis={self.axis}, depth={self.depth}, dtype={self.dtype}"
