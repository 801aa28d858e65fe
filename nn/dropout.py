"""Dropout: random zeros while training.

Outside training (`cell.training` is False until `set_train()`) these layers give their input.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anfora import ops
from anfora.core.cell import Cell
from anfora.core.dtype import float32
from anfora.core.tensor import Tensor
from anfora.nn.checks import number, probability
from anfora.ops.bound import Bound
from anfora.ops.unsaid import unsaid

__all__ = ["Dropout", "Dropout1d", "Dropout2d", "Dropout3d"]


class _Dropping(Cell):
    """What all share: an operator in training, and the input as it is otherwise."""

    def __init__(self, op: Callable, p: float) -> None:
        super().__init__()
        self._dropout, self._does_nothing = Bound(op, p=p), p == 0

    def construct(self, x: Tensor) -> Tensor:
        if self.training:
            return self._dropout(x)
        return x if self._training_is_said or self._does_nothing else unsaid(x, type(self).__name__)


class Dropout(_Dropping):
    """Each element becomes 0 with probability p, and is divided by 1 - p otherwise.

    Args:
        keep_prob: 1 - p, in (0, 1]; counts only when `p` is None.
        p: the probability of 0, in [0, 1).
        dtype: accepted for MindSpore programs; the result has the type of the input.
    Source:
        Srivastava et al., JMLR 15 (2014).
    Example:
        >>> Dropout(p=0.5)(Tensor([1., 2.])).tolist()  # not training
        [1.0, 2.0]
    """

    def __init__(self, keep_prob: float = 0.5, p: float | None = None, dtype: Any = float32) -> None:
        given = None if p is None else number("Dropout", "p", p, least=0.0, below=1.0)
        keep_prob = number("Dropout", "keep_prob", keep_prob, above=0.0, most=1.0)
        super().__init__(ops.dropout, 1.0 - keep_prob if given is None else given)
        self.p, self.keep_prob = given, keep_prob

    def extend_repr(self) -> str:
        return f"keep_prob={self.keep_prob}" if self.p is None else f"p={self.p}"


class _ChannelDropout(_Dropping):
    """What the forms for channels share: whole channels become 0."""

    def __init__(self, op: Callable, p: float) -> None:
        p = probability(type(self).__name__, "p", p)
        super().__init__(op, p)
        self.p = p

    def extend_repr(self) -> str:
        return f"p={self.p}"


class Dropout1d(_ChannelDropout):
    """Each channel of (N, C, L) or (C, L) becomes 0 with probability p in [0, 1]; the others are divided by 1 - p.

    Example:
        >>> Dropout1d(p=0.5).set_train(False)(Tensor([[1., 2.]])).tolist()
        [[1.0, 2.0]]
    """

    def __init__(self, p: float = 0.5) -> None:
        super().__init__(ops.dropout1d, p)


class Dropout2d(_ChannelDropout):
    """Each channel of (N, C, H, W) becomes 0 with probability p in [0, 1]; the others are divided by 1 - p.

    Example:
        >>> Dropout2d(p=0.5).set_train(False)(ops.ones((1, 1, 1, 2))).tolist()
        [[[[1.0, 1.0]]]]
    """

    def __init__(self, p: float = 0.5) -> None:
        super().__init__(ops.dropout2d, p)


class Dropout3d(_ChannelDropout):
    """Each channel of (N, C, D, H, W) becomes 0 with probability p in [0, 1]; the others are divided by 1 - p.

    Example:
        >>> Dropout3d(p=0.5).set_train(False)(ops.ones((1, 1, 1, 1, 2))).tolist()
        [[[[[1.0, 1.0]]]]]
    """

    def __init__(self, p: float = 0.5) -> None:
        super().__init__(ops.dropout3d, p)
