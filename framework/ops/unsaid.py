"""What layers say of themselves on the way, which is no operator: graph mode passes it by, as the operators' functions."""

from __future__ import annotations

from anfora.core import advice
from anfora.core.tensor import Tensor

__all__ = ["unsaid"]


def unsaid(result: Tensor, layer: str) -> Tensor:
    """The result of a layer that behaves as outside of training though nobody has said so."""
    return advice.unsaid(layer, result)
