"""Functions of sparse tensors under MindSpore's names: `ops.csr_tanh(x)`, `ops.coo_concat([x, y])`.

`sparse.py` has the tensors; an operator on their values leaves their places as they are.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anfora import ops
from anfora.core.dtype import as_dtype
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.tensor import Tensor
from anfora.sparse import COOTensor, CSRTensor, RowTensor

__all__ = ["FUNCTIONS"]

#: What is done with the values of a sparse tensor, one by one: those operators that leave zeros out, and those that
#: MindSpore applies to what is there alone.
_OF_VALUES = """
    abs acos acosh asin asinh atan atanh ceil cos cosh exp expm1 floor inv isfinite isinf isnan log log1p neg relu relu6
    round sigmoid sin sinh softsign sqrt square tan tanh
"""


def _sparse(name: str, kind: type, given: Any) -> Any:
    if not isinstance(given, kind):
        raise OpTypeError(f"{name} needs a {kind.__name__}, but got {type(given).__name__}", arg="x")
    return given


def _of_values(name: str, kind: type, function: Callable) -> Callable:
    def call(x: Any) -> Any:
        matrix = _sparse(name, kind, x)
        return matrix.with_values(function(matrix.values))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"`ops.{function.__name__}` of the values of a {kind.__name__}; its places stay."
    return call


def _of_matrix(name: str, kind: type, function: Callable) -> Callable:
    def call(x: Any, *args: Any, **kwargs: Any) -> Any:
        return function(_sparse(name, kind, x), *args, **kwargs)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"A {kind.__name__} as `{name}` names it."
    return call


def _to_coo(tensor: Tensor) -> COOTensor:
    """What of a matrix is no zero, with its places."""
    if tensor.ndim != 2:
        raise OpValueError(f"a matrix is needed, but the shape is {tensor.shape}", arg="tensor")
    places = np.argwhere(tensor.asnumpy() != 0).astype(np.int32)
    return COOTensor(Tensor(places), ops.gather_nd(tensor, Tensor(places)), tensor.shape)


def _joined(sp_input: Sequence[COOTensor], concat_dim: int = 0) -> COOTensor:
    """Matrices one behind the other along an axis."""
    axis, before, places = concat_dim % sp_input[0].ndim, 0, []
    for each in sp_input:
        shift = [before if n == axis else 0 for n in range(each.ndim)]
        places.append(each.indices + Tensor(shift, each.indices.dtype))
        before += each.shape[axis]
    shape = tuple(before if n == axis else length for n, length in enumerate(sp_input[0].shape))
    return COOTensor(ops.concat(places), ops.concat([each.values for each in sp_input]), shape)


def _soft(logits: CSRTensor, dtype: Any) -> CSRTensor:
    """A softmax of each row's values."""
    rows = logits.to_coo().indices[:, 0]
    highest = ops.unsorted_segment_max(logits.values, rows, logits.shape[0])
    powers = ops.exp(logits.values - ops.gather(highest, rows, 0))
    sums = ops.unsorted_segment_sum(powers, rows, logits.shape[0])
    return logits.with_values((powers / ops.gather(sums, rows, 0)).astype(as_dtype(dtype)))


def _at_places(csr_tensor_indptr: Tensor, indices: Tensor, dense: Tensor, *shape: Any) -> Tensor:
    """The elements of a dense matrix at the places of a CSRTensor."""
    lengths = csr_tensor_indptr[1:] - csr_tensor_indptr[:-1]
    rows = Tensor(np.repeat(np.arange(lengths.size), lengths.asnumpy()), indices.dtype)
    return ops.gather_nd(dense, ops.stack((rows, indices), -1))


FUNCTIONS: dict[str, Callable] = {
    **{
        f"{short}_{name}": _of_values(f"{short}_{name}", kind, getattr(ops, name))
        for short, kind in (("coo", COOTensor), ("csr", CSRTensor))
        for name in _OF_VALUES.split()
    },
    **{
        f"{short}_tensor_get_{name}": _of_matrix(f"{short}_tensor_get_{name}", kind, operator.attrgetter(attribute))
        for short, kind, places in (
            ("coo", COOTensor, ("indices",)), ("csr", CSRTensor, ("indices", "indptr")), ("row", RowTensor, ("indices",)),
        )
        for name, attribute in (*((each, each) for each in places), ("values", "values"), ("dense_shape", "shape"))
    },
    "coo_add": _of_matrix("coo_add", COOTensor, COOTensor.add),
    "coo_concat": _joined,
    "csr_add": _of_matrix("csr_add", CSRTensor, CSRTensor.add),
    "csr_div": _of_matrix("csr_div", CSRTensor, operator.truediv),
    "csr_gather": _at_places,
    "csr_mul": _of_matrix("csr_mul", CSRTensor, operator.mul),
    "csr_mv": _of_matrix("csr_mv", CSRTensor, CSRTensor.mv),
    "csr_reduce_sum": _of_matrix("csr_reduce_sum", CSRTensor, CSRTensor.sum),
    "csr_softmax": _soft,
    "csr_to_coo": _of_matrix("csr_to_coo", CSRTensor, CSRTensor.to_coo),
    "csr_to_dense": _of_matrix("csr_to_dense", CSRTensor, CSRTensor.to_dense),
    "dense_to_sparse_coo": _to_coo,
    "dense_to_sparse_csr": lambda tensor: _to_coo(tensor).to_csr(),
    "make_coo_tensor": COOTensor,
    "make_csr_tensor": CSRTensor,
    "make_row_tensor": RowTensor,
    "make_row_tensor_inner": RowTensor,
    "make_sparse_tensor": COOTensor,
    "row_tensor_add": lambda x, y: RowTensor(
        ops.concat((x.indices, y.indices)), ops.concat((x.values, y.values)), x.dense_shape
    ),
}  # fmt: skip
