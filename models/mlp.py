"""Dense layers, one after the other."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from anfora import nn
from anfora.core.errors import OpValueError
from anfora.core.tensor import Tensor

__all__ = ["MLP"]


class MLP(nn.Cell):
    """A multilayer perceptron: dense layers with an activation between them.

    Args:
        sizes: features of the input, of each hidden layer, and of the output.
        activation: a name (see `nn.get_activation`) or a Cell.
        dropout: probability of 0 behind each activation, while training.
    Input, output:
        (N, …) with sizes[0] features in all, (N, sizes[-1]).

    Example:
        >>> MLP([784, 100, 10])(Tensor([[[0.5] * 28] * 28])).shape
        (1, 10)
    """

    def __init__(self, sizes: Sequence[int], activation: Any = "relu", dropout: float = 0.0) -> None:
        super().__init__()
        if len(sizes) < 2:
            raise OpValueError(f"MLP needs at least two sizes, of input and output, but got {list(sizes)}", arg="sizes")
        layers: list[nn.Cell] = [nn.Flatten()]
        for i, (before, after) in enumerate(itertools.pairwise(sizes)):
            if i:
                between: Any = nn.get_activation(activation) if isinstance(activation, str) else activation
                layers.append(between)
                if dropout:
                    layers.append(nn.Dropout(p=dropout))
            layers.append(nn.Dense(before, after))
        self.layers = nn.SequentialCell(layers)

    def construct(self, x: Tensor) -> Tensor:
        return self.layers(x)
