"""`mint`: operators and layers by the names and forms that PyTorch has.

    from anfora import mint
    mint.max(x, dim=1)          values and positions

A name is a line of the table in signatures.py, or a short function here where that is longer. `mint.nn` has layers,
`mint.nn.functional` their functions, `mint.optim` optimizers. Signatures, defaults and element types are those that
MindSpore documents.

signatures.py                          the table
linalg.py, special.py, optim.py, nn/   the parts of those names
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from anfora import ops
from anfora.core.dtype import int64
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.nearest import MissingName
from anfora.core.tensor import Tensor
from anfora.mint.signatures import FUNCTIONS, made
from anfora.ops.composite import composite, with_doors

#: Modules below, and where their names are.
_MODULES = ("linalg", "nn", "optim", "special")


_MADE = made(FUNCTIONS, "anfora.mint")


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"anfora.mint.{name}")
    if name == "conv2d":
        found = importlib.import_module("anfora.mint.nn.functional").conv2d
    elif name in _MADE:
        found = _MADE[name]()
    else:
        raise MissingName("anfora.mint", name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return [*__all__, *_MODULES]


# -- arithmetic -------------------------------------------------------------------------------------------------------


def add(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """input + alpha · other, element by element.

    Example:
        >>> add(Tensor([1., 2.]), Tensor([1., 1.]), alpha=2).tolist()
        [3.0, 4.0]
    """
    return ops.add(input, other if alpha == 1 else other * alpha)


def sub(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """input - alpha · other, element by element.

    Example:
        >>> sub(Tensor([1., 2.]), Tensor([1., 1.]), alpha=2).tolist()
        [-1.0, 0.0]
    """
    return ops.sub(input, other if alpha == 1 else other * alpha)


# -- along axes -------------------------------------------------------------------------------------------------------


def _extreme(name: str, word: str) -> Callable:
    alone, pair, of_two = getattr(ops, f"a{name}"), getattr(ops, name), getattr(ops, f"{name}imum")

    @composite
    def function(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
        if isinstance(dim, Tensor):
            dim, other = None, dim
        if other is not None:
            return of_two(input, other)
        return alone(input) if dim is None else pair(input, dim, keepdim)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""The {word} element; with `dim` values and positions along an axis, with a tensor `other` the
    {word} of two, element by element.

    Example:
        >>> x = Tensor([[1, 4], [3, 2]])
        >>> {name}(x).item(), [y.tolist() for y in {name}(x, 0)]
        {"(4, [[3, 4], [1, 0]])" if name == "max" else "(1, [[1, 2], [0, 1]])"}
    """
    return function


max = _extreme("max", "largest")
min = _extreme("min", "smallest")


@composite
def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The median of all elements; with `dim` medians and positions along an axis. See `ops.median`.

    Example:
        >>> median(Tensor([3., 1., 2.])).item()
        2.0
    """
    return ops.median(input.reshape(-1))[0] if dim is None else ops.median(input, dim, keepdim)


def mean(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The mean along axes, of all elements without one; computed in `dtype`, if given.

    Example:
        >>> mean(Tensor([[1., 2.], [3., 4.]]), 0).tolist()
        [2.0, 3.0]
    """
    return ops.mean(input if dtype is None else input.astype(dtype), dim, keepdim)


def prod(input: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The product along an axis, of all elements without one.

    Example:
        >>> prod(Tensor([[1., 2.], [3., 4.]]), 0).tolist()
        [3.0, 8.0]
    """
    return ops.prod(input, dim, keepdim, dtype)


def _spread(name: str) -> Callable:
    compute = getattr(ops, name)

    def function(input: Tensor, dim: Any = None, *, correction: Any = 1, keepdim: bool = False) -> Any:
        return compute(input, dim, correction, keepdim)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""`ops.{name}` that divides by the number of elements less `correction`, 1 when not given.

    Example:
        >>> x = {name}(Tensor([1., 3.]))
    """
    return function


std, var, std_mean, var_mean = map(_spread, ("std", "var", "std_mean", "var_mean"))


def cumsum(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """The running sum along an axis, in `dtype`; when that is not given int64 for integers and bools.

    Example:
        >>> cumsum(Tensor([1, 2, 3]), 0).tolist()
        [1, 3, 6]
    """
    if dtype is None and isinstance(input, Tensor) and not input.dtype.is_inexact:
        dtype = int64
    return ops.cumsum(input, dim, dtype)


def sort(input: Tensor, *, dim: int = -1, descending: bool = False, stable: bool = False) -> tuple[Tensor, Tensor]:
    """The elements in order along an axis, and where they stood. Equal ones always keep their order.

    Example:
        >>> [x.tolist() for x in sort(Tensor([3, 1, 2]))]
        [[1, 2, 3], [1, 2, 0]]
    """
    values, positions = ops.sort(input, dim, descending)
    return values, positions.astype(int64)


def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """Where the elements stand that come first, second … in order. Equal ones always keep their order.

    Example:
        >>> argsort(Tensor([3, 1, 2])).tolist()
        [1, 2, 0]
    """
    return ops.argsort(input, dim, descending).astype(int64)


@composite
def unique(
    input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: Any = None
) -> Any:
    """The different elements in order; if asked for, also which of them each element is, and how often each occurs.

    Args:
        input: tensor of any shape.
        sorted: accepted for programs of other frameworks: they always come in order.
        return_inverse, return_counts: what to give beside.
        dim: only None.
    Returns:
        1-d tensor, or a tuple of it, the int64 numbers of the elements in the shape of `input`, and the int64 counts.
    Example:
        >>> [x.tolist() for x in unique(Tensor([3, 1, 3]), return_inverse=True, return_counts=True)]
        [[1, 3], [1, 0, 1], [1, 2]]
    """
    if dim is not None:
        raise NotImplementedError("unique along an axis: `dim` of mint.unique")
    values, order = ops.sort(input.reshape(-1))
    different = ops.unique_consecutive(values, return_inverse, return_counts)
    found: list[Tensor] = [different] if isinstance(different, Tensor) else list(different)
    if return_inverse:
        inverse = ops.tensor_scatter_elements(ops.zeros_like(found[1]), order, found[1])
        found[1] = inverse.reshape(input.shape)
    found[1:] = [numbers.astype(int64) for numbers in found[1:]]
    return found[0] if len(found) == 1 else tuple(found)


# -- shapes and places ------------------------------------------------------------------------------------------------


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Several axes, all when not given, as one.

    Example:
        >>> flatten(Tensor([[1, 2], [3, 4]])).tolist()
        [1, 2, 3, 4]
    """
    return ops.flatten(input, start_dim=start_dim, end_dim=end_dim)


def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Coordinates of a grid; see `ops.meshgrid`. `indexing` is "ij" when not given.

    Example:
        >>> [x.tolist() for x in meshgrid(Tensor([1, 2]), Tensor([3]))]
        [[[1], [2]], [[3], [3]]]
    """
    listed = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors
    return ops.meshgrid(*listed, indexing=indexing or "ij")


def trace(input: Tensor) -> Tensor:
    """The sum of the main diagonal of a matrix, of integers and bools as int64.

    Example:
        >>> trace(Tensor([[1, 2], [3, 4]])).item()
        5
    """
    is_whole = isinstance(input, Tensor) and not input.dtype.is_inexact
    return ops.trace(input, dtype=int64) if is_whole else ops.trace(input)


def zeros(*size: Any, dtype: Any = None) -> Tensor:
    """Zeros: `zeros(2, 3)` or `zeros((2, 3))`.

    Example:
        >>> zeros(2).tolist()
        [0.0, 0.0]
    """
    return ops.zeros(size[0] if len(size) == 1 else size, dtype)


def ones(*size: Any, dtype: Any = None) -> Tensor:
    """Ones: `ones(2, 3)` or `ones((2, 3))`.

    Example:
        >>> ones(2).tolist()
        [1.0, 1.0]
    """
    return ops.ones(size[0] if len(size) == 1 else size, dtype)


def linspace(start: Any, end: Any, steps: int, *, dtype: Any = None) -> Tensor:
    """Numbers at equal distances, both ends included.

    Example:
        >>> linspace(0, 1, 3).tolist()
        [0.0, 0.5, 1.0]
    """
    made = ops.linspace(start, end, steps)
    return made if dtype is None else made.astype(dtype)


@composite
def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """`input` where a condition holds, else `other`; without both the places where it holds, one tensor for each axis.

    Example:
        >>> where(Tensor([True, False]), 1, 2).tolist(), where(Tensor([0, 5]))[0].tolist()
        ([1, 2], [1])
    """
    if input is None and other is None:
        return ops.nonzero(condition, as_tuple=True)
    return ops.where(condition, input, other)


def norm(input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The norm of the elements along axes, of all without any.

    Args:
        p: "fro", the root of the sum of squares; "nuc", the sum of the singular values of matrices; or the p of the
            p-th root of the sum of p-th powers, which may be infinite.
        dtype: to compute in.
    Example:
        >>> norm(Tensor([[3., 4.], [0., 0.]])).item(), norm(Tensor([[3., 4.], [0., 1.]]), 1, 0).tolist()
        (5.0, [3.0, 5.0])
    """
    input = input if dtype is None else input.astype(dtype)
    if p == "nuc":
        return ops.matrix_norm(input, "nuc", (-2, -1) if dim is None else dim, keepdim)
    return ops.vector_norm(input, 2 if p == "fro" else p, dim, keepdim)


@composite
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """The matrix with a vector on a diagonal, or a diagonal of a matrix.

    Raises:
        OpValueError: the tensor has other than one or two axes.
    Example:
        >>> diag(Tensor([1, 2])).tolist(), diag(Tensor([[1, 2], [3, 4]])).tolist()
        ([[1, 0], [0, 2]], [1, 4])
    """
    if input.ndim not in (1, 2):
        raise OpValueError(f"diag needs a vector or a matrix, but got {list(input.shape)}", arg="input")
    return ops.diag_embed(input, diagonal) if input.ndim == 1 else ops.diagonal(input, diagonal)


def triangular_solve(
    b: Tensor, A: Tensor, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> tuple[Tensor, Tensor]:
    """Solve linear equations whose matrices are triangular: X with A X = b, or Aᵀ X = b.

    Args:
        b: float tensor (…, M, K).
        A: tensor (…, M, M) of the same type, of which one triangle is looked at.
        upper: whether that is the upper one.
        transpose: whether A is transposed in the equations.
        unitriangular: whether the diagonal counts as ones.
    Returns:
        X, of the shape of `b`, and A.
    Raises:
        OpTypeError: the types are others.   OpValueError: shapes do not fit, or there is a zero on the diagonal.
    Example:
        >>> triangular_solve(Tensor([[4.], [6.]]), Tensor([[1., 1.], [9., 3.]]))[0].tolist()
        [[2.0], [2.0]]
    """
    inside = (ops.triu if upper else ops.tril)(A, (1 if upper else -1) if unitriangular else 0)
    matrix = inside + ops.eye(A.shape[-1], dtype=A.dtype) if unitriangular else inside
    return ops.matrix_solve(matrix, b, transpose), A


# -- random numbers ---------------------------------------------------------------------------------------------------


def rand(*size: Any, generator: Any = None, dtype: Any = None, device: Any = None) -> Tensor:
    """Random numbers from 0 to 1.

    Example:
        >>> rand(2, 3).shape
        (2, 3)
    """
    return ops.rand(*size, dtype=dtype, seed=generator)


def randn(*size: Any, generator: Any = None, dtype: Any = None, device: Any = None) -> Tensor:
    """Random numbers of the standard normal distribution.

    Example:
        >>> randn(2, 3).shape
        (2, 3)
    """
    return ops.randn(*size, dtype=dtype, seed=generator)


def rand_like(input: Tensor, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Random numbers from 0 to 1, in the shape of a tensor.

    Example:
        >>> rand_like(Tensor([1., 2.])).shape
        (2,)
    """
    return ops.rand_like(input, dtype=dtype)


def randn_like(input: Tensor, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Random numbers of the standard normal distribution, in the shape of a tensor.

    Example:
        >>> randn_like(Tensor([1., 2.])).shape
        (2,)
    """
    return ops.randn_like(input, dtype=dtype)


def randint(*args: Any, generator: Any = None, dtype: Any = None, device: Any = None) -> Tensor:
    """Random integers: `randint(high, size)` or `randint(low, high, size)`, below `high`.

    Example:
        >>> randint(10, (2, 3)).shape
        (2, 3)
    """
    if len(args) not in (2, 3):
        raise OpTypeError(f"randint needs (high, size) or (low, high, size), but got {len(args)} arguments")
    low, high, size = args if len(args) == 3 else (0, *args)
    return ops.randint(low, high, size, seed=generator, dtype=dtype or int64)


def randint_like(input: Tensor, *bounds: int, dtype: Any = None, device: Any = None) -> Tensor:
    """Random integers below the last bound, from the first of two or 0, in the shape and type of a tensor.

    Example:
        >>> randint_like(Tensor([1, 2]), 10).shape
        (2,)
    """
    if len(bounds) not in (1, 2):
        raise OpTypeError(f"randint_like needs one bound or two behind the tensor, but got {len(bounds)}")
    low, high = bounds if len(bounds) == 2 else (0, *bounds)
    return ops.randint_like(input, low, high, dtype=dtype or input.dtype)


def randperm(n: int, *, generator: Any = None, dtype: Any = int64) -> Tensor:
    """The integers from 0 to n - 1 in random order.

    Example:
        >>> randperm(3).sum().item()
        3
    """
    given = {} if generator is None else {"seed": generator}
    return ops.randperm(n, dtype=dtype, **given)


def bernoulli(input: Tensor, *, generator: Any = None) -> Tensor:
    """Ones with the probabilities that the elements are, and zeros.

    Example:
        >>> bernoulli(Tensor([0., 1.])).tolist()
        [0.0, 1.0]
    """
    return ops.bernoulli(ops.zeros_like(input), input, generator).astype(input.dtype)


def multinomial(input: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None) -> Tensor:
    """Positions drawn with probabilities in proportion to the elements; see `ops.multinomial`.

    Example:
        >>> multinomial(Tensor([0., 1.]), 1).tolist()
        [1]
    """
    return ops.multinomial(input, num_samples, replacement, generator)


def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, generator: Any = None) -> Tensor:
    """Random numbers of normal distributions whose means and deviations are numbers or tensors.

    Example:
        >>> normal(Tensor([0., 10.]), 0.0).tolist()
        [0.0, 10.0]
    """
    if size is None:
        size = np.broadcast_shapes(*(x.shape for x in (mean, std) if isinstance(x, Tensor)))
    return ops.randn(*size, seed=generator) * std + mean


_FORMS = (
    "add", "argsort", "bernoulli", "cumsum", "diag", "flatten", "linspace", "max", "mean", "median", "meshgrid",
    "min", "multinomial", "norm", "normal", "ones", "prod", "rand", "rand_like", "randint", "randint_like", "randn",
    "randn_like", "randperm", "sort", "std", "std_mean", "sub", "trace", "triangular_solve", "unique", "var",
    "var_mean", "where", "zeros",
)  # fmt: skip
globals().update(with_doors(globals(), _FORMS))
__all__ = sorted(["conv2d", *_MADE, *_FORMS])
