"""The border to numpy: what its functions get of a tensor.

numpy computes with numbers. Of a tensor that no tape follows they are the array that it shares. A tensor that a tape
follows has a history too, which numpy would drop without a word: `w * numpy.exp(w)` would have half a gradient. So numpy's
functions refuse it, and the error names the operator that keeps the gradient. Who wants numbers alone says so with
`asnumpy()`, `item()`, `tolist()` or `float()`. What follows from shape and type may always be asked.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anfora.core import slots
from anfora.core.errors import OpRuntimeError

__all__ = ["NumpyBorder", "refuse_followed"]


class NumpyBorder:
    """What numpy calls of a tensor."""

    __slots__ = ()

    def asnumpy(self) -> np.ndarray:
        """The tensor as an array that shares its memory."""
        raise NotImplementedError

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        refuse_followed(self, "numpy", _ANY)
        array = self.asnumpy()
        if dtype is not None and np.dtype(dtype) != array.dtype:
            if copy is False:
                raise ValueError(f"a tensor of {array.dtype} cannot be seen as {np.dtype(dtype)} without a copy")
            return array.astype(dtype)
        return array.copy() if copy else array

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """numpy functions see arrays; numpy operators with a tensor on the right leave the work to the tensor."""
        name = _OPERATORS.get(ufunc.__name__)
        is_call = method == "__call__"
        if name and is_call and len(inputs) == 2 and not kwargs and not isinstance(inputs[0], NumpyBorder):
            return getattr(inputs[1], name)(inputs[0])
        what = ufunc.__name__ if is_call else f"{ufunc.__name__}.{method}"
        ours = ufunc.__name__ if is_call else _OF_METHODS.get(what)
        arrays, named = _as_arrays((inputs, kwargs), f"numpy.{what}", ours)
        result = getattr(ufunc, method)(*arrays, **named)
        out = kwargs.get("out")  # numpy writes into the memory of tensors, and gives what it was given
        return result if out is None else out[0] if len(out) == 1 else out

    def __array_function__(self, function: Any, types: Any, args: tuple, kwargs: dict) -> Any:
        """numpy's functions of arrays, `numpy.all`, `numpy.concatenate`, see arrays too, and give them."""
        what = f"{function.__module__}.{function.__name__}"
        free = _OF_SHAPES.get(function.__name__, 0) if function.__module__ == "numpy" else 0
        seen = [x._plain() if isinstance(x, NumpyBorder) else x for x in args[:free]]  # type: ignore[attr-defined]
        rest = _as_arrays(args[free:], what, function.__name__)
        return function(*seen, *rest, **_as_arrays(kwargs, what, function.__name__))

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0  # the CPU


def refuse_followed(tensor: Any, what: str, name: str | None) -> None:
    """Raise an error if a tape follows a tensor whose numbers would go on without their history.

    Args:
        what: takes them.
        name: of the function of numpy, for which ours is looked up; `_ANY` where it is not known.
    """
    if (tensor._node is not None or tensor._base is not None) and slots.is_followed(tensor):
        raise OpRuntimeError(
            f"{what} would take the numbers of {tensor._layout.type}, which a tape follows: its gradient would be lost",
            help=f"{_ours(name)} keeps the gradient; x.asnumpy() gives the numbers alone, as an array.",
        )


_ANY = ""


def _ours(name: str | None) -> str:
    """The operator that does what a function of numpy does."""
    import anfora.numpy
    from anfora import ops

    known = _NAMES.get(name, name) if name else None
    if known and hasattr(ops, known):
        return f"ops.{known}"
    if known and hasattr(anfora.numpy, known):
        return f"anfora.numpy.{known}"
    return "an operator of anfora.ops (ops.exp for numpy.exp)"


def _as_arrays(value: Any, what: str, name: str | None) -> Any:
    """Nested sequences and dicts with an array in the place of each tensor."""
    if isinstance(value, NumpyBorder):
        refuse_followed(value, what, name)
        return value.asnumpy()
    if type(value) in (list, tuple):
        return type(value)([_as_arrays(item, what, name) for item in value])
    return {key: _as_arrays(item, what, name) for key, item in value.items()} if type(value) is dict else value


_OPERATORS = {
    "add": "__radd__", "subtract": "__rsub__", "multiply": "__rmul__", "divide": "__rtruediv__",
    "true_divide": "__rtruediv__", "floor_divide": "__rfloordiv__", "remainder": "__rmod__", "power": "__rpow__",
    "matmul": "__rmatmul__", "bitwise_and": "__rand__", "bitwise_or": "__ror__", "bitwise_xor": "__rxor__",
    "left_shift": "__rlshift__", "right_shift": "__rrshift__",
    "less": "__gt__", "less_equal": "__ge__", "greater": "__lt__", "greater_equal": "__le__", "equal": "__eq__",
    "not_equal": "__ne__",
}  # fmt: skip

#: Functions that ask for shape and type alone, with the number of such arguments.
_OF_SHAPES = {
    "shape": 1, "ndim": 1, "size": 1, "iscomplexobj": 1, "isrealobj": 1, "zeros_like": 1, "ones_like": 1, "empty_like": 1,
    "full_like": 1, "result_type": 32, "common_type": 32, "can_cast": 1, "may_share_memory": 2, "shares_memory": 2,
}  # fmt: skip

#: Ours by numpy's names, where they differ.
_NAMES = {
    "concatenate": "concat", "power": "pow", "around": "round", "degrees": "rad2deg", "radians": "deg2rad", "fabs": "abs",
    "permute_dims": "permute", "tensordot": "tensor_dot", "inv": "inverse",
}  # fmt: skip

#: Ours for methods of numpy's operators.
_OF_METHODS = {
    "add.reduce": "sum", "multiply.reduce": "prod", "maximum.reduce": "amax", "minimum.reduce": "amin",
    "logical_and.reduce": "all", "logical_or.reduce": "any", "add.accumulate": "cumsum", "multiply.accumulate": "cumprod",
    "multiply.outer": "outer",
}  # fmt: skip
