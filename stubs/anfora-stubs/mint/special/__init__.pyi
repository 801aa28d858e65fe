# Made by stubs/make.py from the live package; not to be edited.
import builtins
from collections.abc import Callable, Sequence
from typing import Any

from anfora.core.dtype import DType
from anfora.core.tensor import Tensor
from anfora.core.tensor_methods import TensorLike

def erfc(input: TensorLike) -> Tensor:
    """1 - erf(input), accurate where that is small, element by element."""

def exp2(input: TensorLike) -> Tensor:
    """2 to the power of the element."""

def expm1(input: TensorLike) -> Tensor:
    """e to the power of the element, minus 1, accurate near 0."""

def log1p(input: TensorLike) -> Tensor:
    """log(1 + input), accurate near 0, element by element."""

def log_softmax(input: TensorLike, dim: builtins.int | None = None, *, dtype: Any = None) -> Tensor:
    """The logarithm of `softmax`."""

def round(input: TensorLike) -> Tensor:
    """The nearest number with so many decimals; halves go to the even one."""

def sinc(input: TensorLike) -> Tensor:
    """sin(pi · input) / (pi · input), and 1 at 0, element by element."""

__all__ = [
    "erfc", "exp2", "expm1", "log1p", "log_softmax", "round", "sinc",
]
