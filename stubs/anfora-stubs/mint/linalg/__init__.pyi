# Made by stubs/make.py from the live package; not to be edited.
import builtins
from collections.abc import Callable, Sequence
from typing import Any

from anfora.core.dtype import DType
from anfora.core.tensor import Tensor
from anfora.core.tensor_methods import TensorLike
from anfora.ops import norm as norm

def inv(input: TensorLike) -> Tensor:
    """The inverses of matrices."""

def matrix_norm(A: TensorLike, ord: Any = 'fro', dim: Any = (-2, -1), keepdim: Any = False, *, dtype: Any = None) -> Tensor:
    """The norm of matrices."""

def qr(A: TensorLike, mode: Any = 'reduced') -> builtins.tuple[Tensor, Tensor]:
    """Matrices as products of one with orthonormal columns and an upper triangle: input = q r."""

def vector_norm(x: TensorLike, ord: Any = 2, dim: Any = None, keepdim: Any = False, *, dtype: Any = None) -> Tensor:
    """The norm of vectors: (sum of |x|ᵖ)^(1/p) over axes."""
