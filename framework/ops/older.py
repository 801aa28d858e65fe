"""Functions under the further names that MindSpore's `ops` and `ops.functional` have: `F.scalar_add`, `ops.tensor_expm1`,
`ops.clamp_`. `ops` looks here for what it has not got itself.

Most are a word for something that is there: a method that writes in place as a function (`ops.zero_(x)`), what Python does
with numbers, tuples, lists and dicts (`F.tuple_getitem(t, 0)`). What is done is Python's and ours: nothing is new.

    find      a function by its name
    names     all names
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from anfora import ops
from anfora.core.dtype import as_dtype, float64, int64
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.nearest import MissingName
from anfora.core.tensor import Tensor
from anfora.ops import methods

__all__ = ["find", "names"]

#: Other names of functions of `ops`.
_RENAMED = {
    "deepcopy": "copy", "floordiv": "floor_div", "floormod": "floor_mod", "intopk": "in_top_k", "pows": "pow",
    "reshape_": "reshape", "stop_gradient_": "stop_gradient", "soft_shrink": "softshrink", "tensor_expm1": "expm1",
    "tensor_muls": "mul", "tensor_range": "range", "tensor_slice": "slice",
}  # fmt: skip

#: Python's own operators on numbers, strings and references.
_NUMBERS = {
    "add": "add", "div": "truediv", "eq": "eq", "floordiv": "floordiv", "ge": "ge", "gt": "gt", "le": "le", "lt": "lt",
    "mod": "mod", "mul": "mul", "ne": "ne", "pow": "pow", "sub": "sub", "uadd": "pos", "usub": "neg",
}  # fmt: skip


# -- what Python does -------------------------------------------------------------------------------------------------


def _replaced(items: Any, index: int, value: Any) -> Any:
    """A copy of a list or tuple with another item."""
    new = list(items)
    new[index] = value
    return type(items)(new)


def _reduced(shape: Sequence[int], axes: Any) -> tuple[int, ...]:
    """A shape after a reduction over axes that stay, with one element; all of them where none is named."""
    along = range(len(shape)) if axes in ((), [], None) else (axes,) if isinstance(axes, int) else axes
    reduced = {axis % len(shape) for axis in along}
    return tuple(1 if axis in reduced else n for axis, n in enumerate(shape))


def _has_type(value: Any, kind: Any) -> bool:
    if isinstance(value, Tensor):
        return value.dtype == kind
    return type(value) is kind if isinstance(kind, type) else False


def _cast(input_x: Any, input_y: Any) -> Any:
    """A number as Python's of the type that an element type is of."""
    if isinstance(input_x, Tensor) or not isinstance(input_x, (bool, int, float)):
        raise OpTypeError(f"scalar_cast needs a number, but got {type(input_x).__name__}", arg="input_x")
    return as_dtype(input_y).numpy.type(input_x).item()


_PYTHON: dict[str, Callable] = {
    **{f"scalar_{name}": getattr(operator, python) for name, python in _NUMBERS.items()},
    "scalar_cast": _cast,
    "scalar_log": lambda x: ops.log(Tensor(float(x), float64)).item(),
    "scalar_max": lambda x, y: max(x, y),
    "scalar_min": lambda x, y: min(x, y),
    "bool_and": operator.and_,
    "bool_or": operator.or_,
    "bool_not": operator.not_,
    "bool_eq": operator.eq,
    "string_concat": operator.add,
    "string_eq": operator.eq,
    "is_": operator.is_,
    "is_not": operator.is_not,
    "hastype": _has_type,
    "in_dict": lambda key, mapping: key in mapping,
    "not_in_dict": lambda key, mapping: key not in mapping,
    "make_tuple": lambda *items: items,
    "make_list": lambda *items: list(items),
    "make_dict": lambda keys, values: dict(zip(keys, values)),
    "make_slice": lambda start, stop, step: slice(start, stop, step),
    "dict_getitem": operator.getitem,
    "dict_setitem": lambda mapping, key, value: {**mapping, key: value},
    "tuple_reversed": lambda items: items[::-1],
    "tuple_div": lambda x, y: tuple(map(operator.floordiv, x, y)),
    "reduced_shape": _reduced,
    "shape_mul": math.prod,
    "switch": lambda condition, then, other: then if condition else other,
    **{
        f"{kind}_{word}": function
        for kind in ("tuple", "list")
        for word, function in (
            ("getitem", operator.getitem), ("setitem", _replaced), ("len", len), ("equal", operator.eq),
        )
    },
}  # fmt: skip


# -- tensors ----------------------------------------------------------------------------------------------------------


def _number(input: Tensor) -> bool:
    if input.size != 1:
        raise OpValueError(f"is_nonzero needs one element, but got the shape {input.shape}", arg="input")
    return bool(input)


_TENSORS: dict[str, Callable] = {
    "batch_to_space_nd": lambda input_x, block_shape, crops: ops.BatchToSpaceND(block_shape, crops)(input_x),
    "col2im": lambda input_x, output_size, kernel_size, dilation, padding_value, stride: ops.Col2Im(
        kernel_size, dilation, padding_value, stride
    )(input_x, output_size),
    "coalesce": lambda x_indices, x_values, x_shape: ops.Coalesce()(x_indices, x_values, x_shape),
    "crop_and_resize": lambda image, boxes, box_indices, crop_size, method="bilinear", extrapolation_value=0.0: (
        ops.CropAndResize(method, extrapolation_value)(image, boxes, box_indices, crop_size)
    ),
    "dyn_shape": lambda input_x: Tensor(input_x.shape, int64),
    "eps": lambda x: ops.Eps()(x),
    "inplace_sigmoid": lambda input: input.sigmoid_(),
    "is_floating_point": lambda input: input.dtype.is_float,
    "is_nonzero": _number,
    "log_uniform_candidate_sampler": lambda true_classes, num_true=1, num_sampled=5, unique=True, range_max=5, seed=0: (
        ops.LogUniformCandidateSampler(num_true, num_sampled, unique, range_max, seed)(true_classes)
    ),
    "matrix_diag": lambda x, k=0, num_rows=-1, num_cols=-1, padding_value=0, align="RIGHT_LEFT": ops.MatrixDiagV3(
        align
    )(x, k, num_rows, num_cols, padding_value),
    "matrix_diag_part": lambda x, k, padding_value, align="RIGHT_LEFT": ops.MatrixDiagPartV3(align)(
        x, k, padding_value
    ),
    "matrix_set_diag": lambda x, diagonal, k=0, align="RIGHT_LEFT": ops.MatrixSetDiagV3(align)(x, diagonal, k),
    "mirror_pad": lambda input_x, paddings, mode: ops.MirrorPad(mode)(input_x, paddings),
    "population_count": lambda input_x: ops.PopulationCount()(input_x),
    "shape_": lambda input_x: input_x.shape,
    "space_to_batch_nd": lambda input_x, block_size, paddings: ops.SpaceToBatchND(block_size, paddings)(input_x),
    "t": lambda input: input.t(),
    "uniform_candidate_sampler": (
        lambda true_classes, num_true, num_sampled, unique, range_max, seed=0, remove_accidental_hits=False: (
            ops.UniformCandidateSampler(num_true, num_sampled, unique, range_max, seed)(true_classes)
        )
    ),
    "type_as": lambda input, other: input.astype(other.dtype),
}

_ALL = {**_PYTHON, **_TENSORS}


def _in_place() -> list[str]:
    """The methods that write into their tensor: MindSpore has each as a function too."""
    return [name for name in methods.METHODS if name.endswith("_") and not name.startswith("_")]


def names() -> list[str]:
    """All names, in order."""
    return sorted({*_ALL, *_RENAMED, *_in_place()})


def find(name: str) -> Callable:
    """The function of this name.

    Raises:
        MissingName: there is none.
    Example:
        >>> find("tuple_setitem")((1, 2, 3), 0, 5)
        (5, 2, 3)
    """
    if name in _ALL:
        return _ALL[name]
    if name in _RENAMED:
        return methods.functions[_RENAMED[name]]
    if name.endswith("_") and name in methods.METHODS:
        return methods.METHODS[name]
    raise MissingName("anfora.ops", name)
