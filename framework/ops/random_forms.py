"""Methods of Tensor that fill it with random numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.tensor import Tensor
from anfora.ops import random
from anfora.ops.comparison import less
from anfora.ops.composite import composite
from anfora.ops.copying import copy_to
from anfora.ops.mathematics import log1p

__all__ = ["RANDOM_FORMS"]


def _units(name: str, x: Tensor, generator: Any) -> Tensor:
    """Random numbers from 0 to 1 in the shape of a tensor, which must be able to hold them."""
    if not x.dtype.is_float:
        raise OpTypeError(
            f"{name} needs a floating-point tensor, but got {x.dtype}",
            arg="self",
            help="convert it: x.astype(float32).",
        )
    return random.rand(*x.shape, dtype=x.dtype, seed=generator)


def _scaled(x: Tensor, factor: Any, shift: Any) -> Tensor:
    """x · factor + shift; what changes nothing is left out."""
    x = x if factor.__class__ in (int, float) and factor == 1 else x * factor
    return x if shift.__class__ in (int, float) and shift == 0 else x + shift


@composite
def uniform_in_place(self: Tensor, from_: Any = 0.0, to: Any = 1.0, *, generator: Any = None) -> Tensor:
    """Fill the tensor with random numbers from `from_` to `to`.

    Args:
        from_, to: numbers.
        generator: where random numbers come from; the default one when not given.
    Raises:
        OpTypeError: the tensor is of integers.   OpValueError: `from_` is more than `to`.
    Example:
        >>> Tensor([0., 0.]).uniform_(3, 3).tolist()
        [3.0, 3.0]
    """
    if from_ > to:
        raise OpValueError(f"uniform_ needs from_ <= to, but got {from_} and {to}", arg="from_")
    return copy_to(self, _scaled(_units("uniform_", self, generator), to - from_, from_))


@composite
def uniform(self: Tensor, from_: Any = 0.0, to: Any = 1.0, generator: Any = None) -> Tensor:
    """Random numbers from `from_` to `to`, in the shape and type of the tensor.

    Example:
        >>> Tensor([0., 0.]).uniform(3, 3).tolist()
        [3.0, 3.0]
    """
    return _scaled(_units("uniform", self, generator), to - from_, from_)


@composite
def normal_in_place(self: Tensor, mean: Any = 0.0, std: Any = 1.0, *, generator: Any = None) -> Tensor:
    """Fill the tensor with random numbers of a normal distribution.

    Raises:
        OpTypeError: the tensor is of integers.   OpValueError: `std` is negative.
    Example:
        >>> Tensor([0., 0.]).normal_(5.0, 0.0).tolist()
        [5.0, 5.0]
    """
    if not self.dtype.is_float:
        raise OpTypeError(f"normal_ needs a floating-point tensor, but got {self.dtype}", arg="self")
    if not std >= 0:
        raise OpValueError(f"normal_ needs a deviation that is not negative, but got {std}", arg="std")
    return copy_to(self, _scaled(random.randn(*self.shape, dtype=self.dtype, seed=generator), std, mean))


@composite
def exponential_in_place(self: Tensor, lambd: float = 1.0, *, generator: Any = None) -> Tensor:
    """Fill the tensor with random numbers of the exponential distribution of mean 1 / lambd.

    Raises:
        OpTypeError: the tensor is of integers.   OpValueError: `lambd` is not positive.
    Example:
        >>> (Tensor([0., 0.]).exponential_() >= 0).tolist()
        [True, True]
    """
    if not lambd > 0:
        raise OpValueError(f"exponential_ needs a positive `lambd`, but got {lambd}", arg="lambd")
    return copy_to(self, log1p(-_units("exponential_", self, generator)) * (-1.0 / lambd))


@composite
def bernoulli_in_place(self: Tensor, p: Any = 0.5, *, generator: Any = None) -> Tensor:
    """Fill the tensor with ones, with probability p (a number, or a tensor of them), and zeros.

    Example:
        >>> Tensor([5, 6]).bernoulli_(1.0).tolist()
        [1, 1]
    """
    return copy_to(self, less(random.rand(*self.shape, seed=generator), p))


@composite
def random_in_place(self: Tensor, from_: int = 0, to: int | None = None, *, generator: Any = None) -> Tensor:
    """Fill the tensor with random integers from `from_` to below `to`; `random_(n)` is from 0 to below n.

    Raises:
        OpValueError: there is no such integer.
    Example:
        >>> Tensor([5, 6]).random_(3, 4).tolist()
        [3, 3]
    """
    low, high = (0, from_) if to is None else (from_, to)
    if low >= high:
        raise OpValueError(f"random_: there is no integer from {low} to below {high}", arg="from_")
    return copy_to(self, random.randint(low, high, self.shape, seed=generator))


#: Methods by name.
RANDOM_FORMS: dict[str, Callable] = {
    "bernoulli_": bernoulli_in_place,
    "exponential_": exponential_in_place,
    "normal_": normal_in_place,
    "random_": random_in_place,
    "uniform": uniform,
    "uniform_": uniform_in_place,
}
