"""How many multiplications with an addition an operator does, from the layouts of its arguments and results.

Products, convolutions and layers of recurrent cells alone are in the table; attention, einsum and their like are written in
them.
What is not here counts none: sums, elements, norms, pooling, factors of matrices. Zeros around an image count as its
elements do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anfora.core.abstract import Layout

__all__ = ["MULTIPLY_ADDS", "multiply_adds"]


def _matmul(out: Layout, input: Layout, other: Layout, *, transpose_a: bool, **_: Any) -> int:
    return out.size * input.shape[-2 if transpose_a and len(input.shape) > 1 else -1]


def _dense(out: Layout, input: Layout, weight: Layout, bias: Layout | None) -> int:
    return out.size * weight.shape[-1]


def _layer(out: Layout, shares: Layout, weight: Layout, *_: Any, **__: Any) -> int:
    steps, examples, _ = shares.shape
    return steps * examples * weight.size


def _layer_gradient(shares: Layout, weight: Layout, *_: Any, **__: Any) -> int:
    return _layer(shares, shares, weight)


def _window(weight: Layout) -> int:
    """The products behind each element of a convolution's result."""
    return weight.size // max(weight.shape[0], 1)


def _conv2d(out: Layout, input: Layout, weight: Layout, bias: Layout | None, **_: Any) -> int:
    return out.size * _window(weight)


def _conv2d_input_gradient(out: Layout, gradient: Layout, weight: Layout, bias: Layout | None, **_: Any) -> int:
    return gradient.size * _window(weight)


def _conv2d_weight_gradient(out: Layout, input: Layout, gradient: Layout, **_: Any) -> int:
    return gradient.size * _window(out)


#: By the name of an operator, from the layouts of its result and its arguments, and its attributes.
MULTIPLY_ADDS: dict[str, Callable[..., int]] = {
    "matmul": _matmul,
    "dense": _dense,
    "conv2d": _conv2d,
    "conv2d_input_gradient": _conv2d_input_gradient,
    "conv2d_weight_gradient": _conv2d_weight_gradient,
    "lstm_layer": _layer,
    "lstm_layer_gradient": _layer_gradient,
    "gru_layer": _layer,
    "gru_layer_gradient": _layer_gradient,
    "rnn_layer": _layer,
    "rnn_layer_gradient": _layer_gradient,
}


def multiply_adds(name: str, out: Layout, inputs: tuple, attributes: dict[str, Any]) -> int:
    """What a call of an operator counts."""
    rule = MULTIPLY_ADDS.get(name)
    return 0 if rule is None else rule(out, *inputs, **attributes)
