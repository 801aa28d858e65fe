# Made by stubs/make.py from the live package; not to be edited.
import builtins
from collections.abc import Callable, Sequence
from typing import Any

from anfora.core.dtype import DType
from anfora.core.tensor import Tensor
from anfora.core.tensor_methods import TensorLike
from anfora.ops import erfc as erfc
from anfora.ops import exp2 as exp2
from anfora.ops import expm1 as expm1
from anfora.ops import log1p as log1p
from anfora.ops import sinc as sinc

def log_softmax(input: TensorLike, dim: builtins.int | None = None, *, dtype: Any = None) -> Tensor:
    """The logarithm of `softmax`."""

def round(input: TensorLike) -> Tensor:
    """The nearest number with so many decimals; halves go to the even one."""
