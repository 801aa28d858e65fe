"""Diagonals and triangles of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from anfora.core.abstract import TensorType
from anfora.core.dtype import int64
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.op import Op, op
from anfora.core.tensor import Tensor
from anfora.kernel import bodies
from anfora.kernel.emit import Value
from anfora.kernel.loops import plan_elementwise, raw
from anfora.kernel.plan import Buffer, Planner
from anfora.kernel.ramp import plan_ramp
from anfora.ops.comparison import logical_and, logical_or, where
from anfora.ops.composite import composite
from anfora.ops.copying import place
from anfora.ops.creation import arange, integer, lengths, zeros_like
from anfora.ops.families import leading, linear, normalize_axis
from anfora.ops.shape import reshape

__all__ = [
    "block_diag", "diag", "diag_embed", "diagflat", "matrix_band_part", "tril", "tril_indices", "triu", "triu_indices",
]  # fmt: skip


# -- triangles --------------------------------------------------------------------------------------------------------


@op
def tril(input: Tensor, diagonal=0):
    """The lower triangle of matrices: zero where column - row > diagonal.

    Args:
        input: tensor (…, rows, columns).
        diagonal: the last diagonal that is kept; 0 is the main one, positive ones lie above it.
    Returns:
        tensor of the shape and type of `input`.
    Raises:
        OpTypeError: `diagonal` is no integer.
        OpValueError: the tensor has fewer than two axes.
    Gradient:
        the triangle of g.
    Example:
        >>> tril(Tensor([[1, 2], [3, 4]])).tolist()
        [[1, 0], [3, 4]]
    """


@op
def triu(input: Tensor, diagonal=0):
    """The upper triangle of matrices: zero where column - row < diagonal.

    Args:
        input: tensor (…, rows, columns).
        diagonal: the first diagonal that is kept; 0 is the main one, positive ones lie above it.
    Returns:
        tensor of the shape and type of `input`.
    Raises:
        OpTypeError: `diagonal` is no integer.
        OpValueError: the tensor has fewer than two axes.
    Gradient:
        the triangle of g.
    Example:
        >>> triu(Tensor([[1, 2], [3, 4]])).tolist()
        [[1, 2], [0, 4]]
    """


def _lower(x: Value, column: Value, last: Value) -> Value:
    return bodies.select(column <= last, x, 0)


def _upper(x: Value, column: Value, first: Value) -> Value:
    return bodies.select(column >= first, x, 0)


def _define_triangle(made: Op, body: Any) -> None:
    """The rules that both triangles share."""

    @made.normalize
    def normalize(input: Any, *, diagonal: Any) -> dict:
        if input.ndim < 2:
            raise OpValueError(f"{made.name} needs a tensor of at least two axes, but got {input!r}", arg="input")
        number = integer(made.name, diagonal, "diagonal")
        return {"diagonal": max(-(2**62), min(2**62, number))}

    @made.infer
    def infer(input: Any, *, diagonal: int) -> TensorType:
        return input

    @made.kernel
    def kernel(p: Planner, input: Buffer, out: Buffer, *, diagonal: int) -> None:
        rows, columns = out.shape[-2:]
        bounds, numbers = p.workspace(int64, rows), p.workspace(int64, columns)
        plan_ramp(p, bounds, diagonal, 1)
        plan_ramp(p, numbers, 0, 1)
        input, out = raw(input), raw(out)
        operands = [(input, out.code), (numbers, "i64"), (bounds.reshaped(rows, 1), "i64")]
        plan_elementwise(p, body, operands, [(out, out.code)], 0.5)

    @made.vjp("input")
    def gradient(*, diagonal: int, g: Tensor) -> Tensor:
        return made(g, diagonal)

    linear(made, "input")
    leading(made)


_define_triangle(tril, _lower)
_define_triangle(triu, _upper)


@composite
def matrix_band_part(x: Tensor, lower: Any, upper: Any) -> Tensor:
    """The diagonals of matrices around the main one; zero elsewhere.

    Args:
        x: tensor (…, rows, columns).
        lower, upper: how many diagonals are kept below and above the main one, all if negative: an integer, or an integer
            tensor of one for each matrix, which broadcasts to the leading axes.
    Returns:
        tensor of the shape and type of `x`.
    Raises:
        OpTypeError: a number is no integer.   OpValueError: the tensor has fewer than two axes.
    Gradient:
        the same diagonals of g.
    Example:
        >>> matrix_band_part(ones((3, 3)), 0, 1).tolist()
        [[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]]
    """
    if x.ndim < 2:
        raise OpValueError(f"matrix_band_part needs a tensor of at least two axes, but got {x!r}", arg="x")
    distance = arange(x.shape[-1]) - reshape(arange(x.shape[-2]), (-1, 1))
    below, above = (_of_matrices(name, n) for name, n in (("lower", lower), ("upper", upper)))
    is_below_kept = logical_or(below < 0, distance >= -below)
    return where(logical_and(is_below_kept, logical_or(above < 0, distance <= above)), x, zeros_like(x))


def _of_matrices(arg: str, number: Any) -> Tensor:
    """An integer for each matrix, to be compared with the elements of matrices."""
    number = number if isinstance(number, Tensor) else Tensor(integer("matrix_band_part", number, arg))
    if not number.dtype.is_integer:
        raise OpTypeError(f"matrix_band_part needs integers for `{arg}`, but got {number.dtype}", arg=arg)
    return reshape(number.astype(int64), (*number.shape, 1, 1))


@composite
def tril_indices(row, col, offset=0, *, dtype=int64) -> Tensor:
    """The coordinates of the lower triangle of a matrix, in row-major order.

    Args:
        row, col: the lengths of the axes.
        offset: the last diagonal that counts, see `tril`.
        dtype: element type.
    Returns:
        tensor (2, count): the rows, and the columns.
    Example:
        >>> tril_indices(2, 2).tolist()
        [[0, 1, 1], [0, 0, 1]]
    """
    n, m = lengths("tril_indices", (row, col), "row")
    offset = integer("tril_indices", offset, "offset")
    return Tensor(np.stack(np.tril_indices(n, offset, m)), dtype)


@composite
def triu_indices(row, col, offset=0, *, dtype=int64) -> Tensor:
    """The coordinates of the upper triangle of a matrix, in row-major order.

    Args:
        row, col: the lengths of the axes.
        offset: the first diagonal that counts, see `triu`.
        dtype: element type.
    Returns:
        tensor (2, count): the rows, and the columns.
    Example:
        >>> triu_indices(2, 2).tolist()
        [[0, 0, 1], [0, 1, 1]]
    """
    n, m = lengths("triu_indices", (row, col), "row")
    offset = integer("triu_indices", offset, "offset")
    return Tensor(np.stack(np.triu_indices(n, offset, m)), dtype)


# -- matrices from diagonals ------------------------------------------------------------------------------------------


@composite
def diag_embed(input: Tensor, offset=0, dim1=-2, dim2=-1) -> Tensor:
    """Matrices that are zero outside of a diagonal, which holds the last axis of the input.

    Args:
        input: tensor (…, n).
        offset: how far the diagonal lies above (below, if negative) the main one.
        dim1, dim2: where the axes of rows and columns, of length n + |offset|, stand in the result.
    Raises:
        OpTypeError: the axes, or `offset`, are no integers.
        OpValueError: the input is 0-d, an axis is out of range, or both are the same.
    Gradient:
        the diagonal of g.
    Example:
        >>> diag_embed(Tensor([1, 2])).tolist(), diag_embed(Tensor([3]), 1).tolist()
        ([[1, 0], [0, 2]], [[0, 3], [0, 0]])
    """
    if not input.ndim:
        raise OpValueError("diag_embed needs a tensor of at least one axis, but got a 0-d one", arg="input")
    rows = normalize_axis("diag_embed", dim1, input.ndim + 1, "dim1")
    columns = normalize_axis("diag_embed", dim2, input.ndim + 1, "dim2")
    if rows == columns:
        raise OpValueError(f"diag_embed: `dim1` and `dim2` are the same axis {rows}", arg="dim2")
    offset = integer("diag_embed", offset, "offset")
    side = input.shape[-1] + abs(offset)
    rest = iter(input.shape[:-1])
    shape = tuple(side if axis in (rows, columns) else next(rest) for axis in range(input.ndim + 1))
    return place(input, shape, (("diagonal", (("offset", offset), ("dim1", rows), ("dim2", columns))),))


@composite
def diag(input: Tensor) -> Tensor:
    """A tensor with twice the axes, zero but for the elements whose two halves of coordinates are equal.

    Args:
        input: tensor of at least one axis; of a vector the result is the matrix with this diagonal.
    Raises:
        OpValueError: the input is 0-d.
    Example:
        >>> diag(Tensor([1, 2])).tolist()
        [[1, 0], [0, 2]]
    """
    if not input.ndim:
        raise OpValueError("diag needs a tensor of at least one axis, but got a 0-d one", arg="input")
    return reshape(diag_embed(reshape(input, (input.size,))), input.shape * 2)


@composite
def diagflat(input: Tensor, offset=0) -> Tensor:
    """The matrix that is zero outside of a diagonal, which holds all elements of the input.

    Args:
        input: tensor of any shape.
        offset: how far the diagonal lies above (below, if negative) the main one.
    Example:
        >>> diagflat(Tensor([[1], [2]])).tolist()
        [[1, 0], [0, 2]]
    """
    return diag_embed(reshape(input, (input.size,)), offset)


@composite
def block_diag(*inputs: Tensor) -> Tensor:
    """The matrix that is zero but for matrices along its diagonal.

    Args:
        inputs: tensors of at most two axes; vectors are rows.
    Raises:
        OpTypeError: there are none, or one is no tensor.   OpValueError: one has more than two axes.
    Example:
        >>> block_diag(Tensor([[1, 2]]), Tensor(3)).tolist()
        [[1, 2, 0], [0, 0, 3]]
    """
    if not inputs or not all(isinstance(x, Tensor) for x in inputs):
        raise OpTypeError("block_diag needs tensors", arg="inputs")
    if any(x.ndim > 2 for x in inputs):
        raise OpValueError(
            f"block_diag needs tensors of at most two axes, but got {[x.shape for x in inputs]}", arg="inputs"
        )
    blocks = [reshape(x, (1,) * (2 - x.ndim) + x.shape) for x in inputs]
    shape = tuple(sum(x.shape[axis] for x in blocks) for axis in (0, 1))
    total, row, column = None, 0, 0
    for x in blocks:
        items = ((row, x.shape[0], 1), (column, x.shape[1], 1))
        part = place(x, shape, (("index_view", (("items", items),)),))
        total = part if total is None else total + part
        row, column = row + x.shape[0], column + x.shape[1]
    assert total is not None
    return total
