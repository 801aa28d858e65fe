"""Matrices of which most elements are zero, and some rows of a larger tensor: only what is there is kept.

Values may have gradients: what is computed with them is written in operators. Coordinates are constants, and what follows
from them alone is worked out in numpy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anfora import ops
from anfora.core.dtype import DType, as_dtype
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.tensor import Tensor

__all__ = ["COOTensor", "CSRTensor", "RowTensor"]


class _Sparse:
    """What the kinds have in common: a shape, and the values of what is there."""

    _places: tuple[str, ...]  #: the names of the tensors that say where the values are

    values: Tensor
    shape: tuple[int, ...]

    def _keep(self, places: dict[str, tuple[Any, int]], values: Any, shape: Any) -> None:
        """Check what users gave, and keep it. `places`: what was given for each of these tensors, and how many axes it
        must have."""
        kind = type(self).__name__
        for name, (given, ndim) in places.items():
            if not isinstance(given, Tensor) or not given.dtype.is_integer:
                raise OpTypeError(f"{kind} needs an integer tensor for `{name}`, but got {_said(given)}", arg=name)
            if given.ndim != ndim:
                raise OpValueError(f"{kind} needs {ndim} axes for `{name}`, but got the shape {given.shape}", arg=name)
            setattr(self, name, ops.stop_gradient(given))
        if not isinstance(values, Tensor):
            raise OpTypeError(f"{kind} needs a tensor for `values`, but got {_said(values)}", arg="values")
        if not isinstance(shape, (tuple, list)) or any(type(n) is not int for n in shape):
            raise OpTypeError(f"{kind} needs a tuple of integers for `shape`, but got {shape!r}", arg="shape")
        if any(n <= 0 for n in shape):
            raise OpValueError(f"{kind} needs positive lengths in `shape`, but got {tuple(shape)}", arg="shape")
        count = places["indices"][0].shape[0]
        if values.ndim < 1 or values.shape[0] != count:
            raise OpValueError(f"{kind} has {count} places, but the shape of `values` is {values.shape}", arg="values")
        self.values, self.shape = values, tuple(shape)

    @property
    def dtype(self) -> DType:
        """The element type of the values."""
        return self.values.dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many values there are."""
        return self.values.size

    @property
    def itemsize(self) -> int:
        """Bytes a value."""
        return self.values.itemsize

    def to_tuple(self) -> tuple:
        """The tensors and the shape it was made of."""
        return (*(getattr(self, name) for name in self._places), self.values, self.shape)

    def with_values(self, values: Tensor) -> Any:
        """Other values at the same places."""
        make: Any = type(self)
        return make(*(getattr(self, name) for name in self._places), values, self.shape)

    def astype(self, dtype: Any) -> Any:
        """The values in another element type."""
        return self.with_values(self.values.astype(as_dtype(dtype)))

    def abs(self) -> Any:
        """The values without their signs."""
        return self.with_values(self.values.abs())

    def __neg__(self) -> Any:
        return self.with_values(-self.values)

    def __repr__(self) -> str:
        tensors = ", ".join(f"{name}={getattr(self, name)!r}" for name in (*self._places, "values"))
        return f"{type(self).__name__}(shape={list(self.shape)}, dtype={self.dtype}, {tensors})"


def _said(given: Any) -> str:
    return f"a tensor of {given.dtype}" if isinstance(given, Tensor) else type(given).__name__


def _same_shape(self: _Sparse, other: Any) -> None:
    if other.shape != self.shape:
        raise OpValueError(f"{type(self).__name__}: the shapes differ: {self.shape} and {other.shape}", arg="other")


class _Matrix(_Sparse):
    """Arithmetic of sparse matrices, in the coordinates of their values."""

    def to_coo(self) -> COOTensor:
        """As coordinates."""
        raise NotImplementedError

    def _from_coo(self, coo: COOTensor) -> Any:
        raise NotImplementedError

    def to_dense(self) -> Tensor:
        """As a tensor; values at equal coordinates are added."""
        coo = self.to_coo()
        return ops.tensor_scatter_add(ops.zeros(self.shape, self.dtype), coo.indices, self.values)

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Tensor):
            _same_shape(self, other)
            return ops.tensor_scatter_add(other, self.to_coo().indices, self.values)
        if not isinstance(other, _Matrix):
            return NotImplemented
        _same_shape(self, other)
        one, two = self.to_coo(), other.to_coo()
        both = COOTensor(ops.cat((one.indices, two.indices)), ops.cat((one.values, two.values)), self.shape)
        return self._from_coo(both.coalesce())

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self + -other if isinstance(other, (Tensor, _Matrix)) else NotImplemented

    def __mul__(self, other: Any) -> Any:
        factor = self._beside(other)
        return NotImplemented if factor is None else self.with_values(self.values * factor)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        divisor = self._beside(other)
        return NotImplemented if divisor is None else self.with_values(self.values / divisor)

    def _beside(self, other: Any) -> Any:
        """What stands at the coordinates of the values in a tensor that broadcasts to the shape; numbers as they are."""
        if isinstance(other, Tensor):
            return ops.gather_nd(ops.broadcast_to(other, self.shape), self.to_coo().indices)
        return other if isinstance(other, (int, float)) else None


class COOTensor(_Matrix):
    """A tensor of which only some elements are kept, by their coordinates.

    Args:
        indices: integer tensor (N, D): the coordinates of each value.
        values: tensor (N,).
        shape: the D lengths of the axes.
        coo_tensor: another COOTensor, to be taken over, in the place of the others.
    Raises:
        OpTypeError: what is given is no tensor, or indices are no integers.
        OpValueError: shapes do not fit, or coordinates are out of range.
    Example:
        >>> x = COOTensor(Tensor([[0, 1], [1, 2]]), Tensor([1., 2.]), (2, 3))
        >>> x.to_dense().tolist(), (x * 2 - x).values.tolist()
        ([[0.0, 1.0, 0.0], [0.0, 0.0, 2.0]], [1.0, 2.0])
    """

    _places = ("indices",)

    indices: Tensor

    def __init__(self, indices: Any = None, values: Any = None, shape: Any = None, coo_tensor: Any = None) -> None:
        if coo_tensor is not None:
            if not isinstance(coo_tensor, COOTensor) or (indices, values, shape) != (None, None, None):
                raise OpTypeError("COOTensor takes a COOTensor alone, or indices, values and shape", arg="coo_tensor")
            indices, values, shape = coo_tensor.to_tuple()
        self._keep({"indices": (indices, 2)}, values, shape)
        if values.ndim != 1 or indices.shape[1] != len(self.shape):
            raise OpValueError(
                f"COOTensor needs values of one axis and a column of indices for each of the {len(self.shape)} axes, but "
                f"the shapes are {values.shape} and {indices.shape}",
                arg="indices",
            )
        places = self.indices.asnumpy()
        if ((places < 0) | (places >= np.array(self.shape))).any():
            raise OpValueError(f"COOTensor: there are indices outside the shape {self.shape}", arg="indices")

    def to_coo(self) -> COOTensor:
        return self

    def _from_coo(self, coo: COOTensor) -> COOTensor:
        return coo

    def coalesce(self) -> COOTensor:
        """In the order of coordinates, with values at equal coordinates added."""
        flat = np.ravel_multi_index(tuple(self.indices.asnumpy().T), self.shape)
        kept, target = np.unique(flat, return_inverse=True)
        indices = np.stack(np.unravel_index(kept, self.shape), 1).astype(self.indices.dtype.storage)
        total = ops.tensor_scatter_add(
            ops.zeros(len(kept), self.dtype), Tensor(target.reshape(-1, 1).astype(np.int64)), self.values
        )
        return COOTensor(Tensor(indices), total, self.shape)

    def to_csr(self) -> CSRTensor:
        """As a matrix by rows, in the order of coordinates.

        Raises:
            OpValueError: it is no matrix.
        """
        if self.ndim != 2:
            raise OpValueError(f"to_csr needs a matrix, but the shape is {self.shape}", arg="self")
        places = self.indices.asnumpy()
        order = np.lexsort((places[:, 1], places[:, 0]))
        starts = np.searchsorted(places[order, 0], np.arange(self.shape[0] + 1)).astype(places.dtype)
        return CSRTensor(Tensor(starts), Tensor(places[order, 1]), self.values[Tensor(order)], self.shape)

    def add(self, other: COOTensor, thresh: Any = 0) -> COOTensor:
        """The sum with another one, without the values that are nearer to zero than `thresh`."""
        total = self + other
        kept = np.flatnonzero(np.abs(total.values.asnumpy()) >= float(thresh))
        return COOTensor(total.indices[Tensor(kept)], total.values[Tensor(kept)], self.shape)


class CSRTensor(_Matrix):
    """A matrix of which only some elements are kept, row by row.

    Args:
        indptr: integer tensor (M + 1,): the values of row i are those from indptr[i] to indptr[i + 1].
        indices: integer tensor (N,): the column of each value.
        values: tensor (N,).
        shape: (M, K).
        csr_tensor: another CSRTensor, to be taken over, in the place of the others.
    Raises:
        OpTypeError: what is given is no tensor, or indices are no integers.
        OpValueError: shapes do not fit, or rows or columns are out of range.
    Example:
        >>> x = CSRTensor(Tensor([0, 1, 2]), Tensor([0, 1]), Tensor([1., 2.]), (2, 4))
        >>> x.to_dense().tolist(), x.mv(ones((4, 1))).tolist()
        ([[1.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0]], [[1.0], [2.0]])
    """

    _places = ("indptr", "indices")

    indptr: Tensor
    indices: Tensor

    def __init__(
        self, indptr: Any = None, indices: Any = None, values: Any = None, shape: Any = None, csr_tensor: Any = None
    ) -> None:
        if csr_tensor is not None:
            if not isinstance(csr_tensor, CSRTensor) or (indptr, indices, values, shape) != (None,) * 4:
                raise OpTypeError(
                    "CSRTensor takes a CSRTensor alone, or indptr, indices, values and shape", arg="csr_tensor"
                )
            indptr, indices, values, shape = csr_tensor.to_tuple()
        self._keep({"indptr": (indptr, 1), "indices": (indices, 1)}, values, shape)
        if self.ndim != 2 or values.ndim != 1:
            raise OpValueError(
                f"CSRTensor is a matrix with values of one axis, but the shapes are {self.shape} and {values.shape}",
                arg="shape",
            )
        starts, columns = self.indptr.asnumpy(), self.indices.asnumpy()
        ends = (starts[0], starts[-1]) if starts.size else ()
        if starts.shape != (self.shape[0] + 1,) or ends != (0, len(columns)) or (np.diff(starts) < 0).any():
            raise OpValueError(
                f"CSRTensor: `indptr` must have {self.shape[0] + 1} numbers that rise from 0 to {len(columns)}",
                arg="indptr",
            )
        if ((columns < 0) | (columns >= self.shape[1])).any():
            raise OpValueError(f"CSRTensor: there are columns outside the shape {self.shape}", arg="indices")

    def to_coo(self) -> COOTensor:
        """As coordinates."""
        columns = self.indices.asnumpy()
        rows = np.repeat(np.arange(self.shape[0], dtype=columns.dtype), np.diff(self.indptr.asnumpy()))
        return COOTensor(Tensor(np.stack((rows, columns), 1)), self.values, self.shape)

    def _from_coo(self, coo: COOTensor) -> CSRTensor:
        return coo.to_csr()

    def mm(self, matrix: Tensor) -> Tensor:
        """The product with a matrix (K, L).

        Raises:
            NotImplementedError: the other matrix is sparse too.
        """
        if isinstance(matrix, _Matrix):
            raise NotImplementedError("the product of two sparse matrices; x.mm(y.to_dense()) gives it as a tensor")
        if matrix.ndim != 2 or matrix.shape[0] != self.shape[1]:
            raise OpValueError(
                f"CSRTensor: a matrix {self.shape} cannot be multiplied with one of shape {matrix.shape}", arg="matrix"
            )
        rows = self.to_coo().indices[:, :1]
        parts = self.values.expand_dims(1) * matrix[self.indices]
        return ops.tensor_scatter_add(ops.zeros((self.shape[0], matrix.shape[1]), parts.dtype), rows, parts)

    def mv(self, dense_vector: Tensor) -> Tensor:
        """The product with a column (K, 1)."""
        return self.mm(dense_vector)

    def sum(self, axis: int) -> Tensor:
        """The sums of rows (axis 1, of shape (M, 1)) or columns (axis 0, of shape (1, K))."""
        return self.to_dense().sum(axis, keepdims=True)

    def add(self, b: CSRTensor, alpha: Any = 1, beta: Any = 1) -> CSRTensor:
        """alpha · x + beta · b."""
        return self.with_values(self.values * alpha) + b.with_values(b.values * beta)


class RowTensor(_Sparse):
    """Some rows of a larger tensor.

    Args:
        indices: integer tensor (N,): which rows.
        values: tensor (N, …): their values.
        shape: the shape of the whole.
        row_tensor: another RowTensor, to be taken over, in the place of the others.
    Raises:
        OpTypeError: what is given is no tensor, or indices are no integers.
        OpValueError: shapes do not fit.
    Example:
        >>> RowTensor(Tensor([1]), Tensor([[3., 4.]]), (2, 2)).to_dense().tolist()
        [[0.0, 0.0], [3.0, 4.0]]
    """

    _places = ("indices",)

    indices: Tensor

    def __init__(self, indices: Any = None, values: Any = None, shape: Any = None, row_tensor: Any = None) -> None:
        if row_tensor is not None:
            if not isinstance(row_tensor, RowTensor) or (indices, values, shape) != (None, None, None):
                raise OpTypeError("RowTensor takes a RowTensor alone, or indices, values and shape", arg="row_tensor")
            indices, values, shape = row_tensor.to_tuple()
        self._keep({"indices": (indices, 1)}, values, shape)
        if values.shape[1:] != self.shape[1:]:
            raise OpValueError(
                f"RowTensor: rows of {self.shape} cannot have the shape {values.shape[1:]}", arg="values"
            )

    @property
    def dense_shape(self) -> tuple[int, ...]:
        """The shape of the whole."""
        return self.shape

    def to_dense(self) -> Tensor:
        """As a tensor; rows that are there twice are added."""
        return ops.tensor_scatter_add(ops.zeros(self.shape, self.dtype), self.indices.expand_dims(1), self.values)


RowTensorInner = RowTensor  #: the name of the base class of RowTensor in MindSpore, which programs test objects for
