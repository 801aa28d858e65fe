"""The initial weights and biases of layers: what the user says, or MindSpore's default."""

from __future__ import annotations

import math
from typing import Any

from anfora.core.errors import OpValueError
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.ops.initializer import HeUniform, Uniform, initializer

__all__ = ["bias", "parameter", "weight"]


def parameter(owner: str, argument: str, init: Any, shape: tuple[int, ...], dtype: Any, **options: Any) -> Parameter:
    """A parameter as `init`, an argument of its owner, says: an initializer, its name, a number, or a tensor of that
    shape."""
    if isinstance(init, Tensor) and init.shape != shape:
        raise OpValueError(
            f"{owner} needs a tensor of shape {shape} for `{argument}`, but got {init.shape}", arg=argument
        )
    if isinstance(init, Parameter):
        init = Tensor(init)  # its values alone: a layer's parameter is named by its place
    return Parameter(initializer(init, shape, dtype), **options)


def weight(owner: str, init: Any, shape: tuple[int, ...], dtype: Any) -> Parameter:
    """Weights (out, in, *kernel); uniform within ± 1 / √fan_in when `init` is None."""
    return parameter(owner, "weight_init", HeUniform(math.sqrt(5)) if init is None else init, shape, dtype)


def bias(owner: str, init: Any, size: int, fan_in: int, dtype: Any) -> Parameter:
    """A bias; uniform within ± 1 / √fan_in when `init` is None."""
    return parameter(owner, "bias_init", Uniform(1 / math.sqrt(fan_in)) if init is None else init, (size,), dtype)
