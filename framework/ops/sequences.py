"""Class forms of what Python does with lists and tuples, under MindSpore's path `ops.operations._sequence_ops`.

    SequenceAdd()((1, 2), (3,))  # (1, 2, 3)

A line of the table makes a class, as in `primitives.py`. What is done is Python's: equality is `==`, what is not found is a
ValueError, and nothing is changed in place: new lists are given.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

from anfora import ops
from anfora.core.dtype import float32
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.nearest import MissingName
from anfora.core.tensor import Tensor
from anfora.ops.primitives import Primitive, class_of

__all__ = ["SEQUENCES"]


def _inserted(input_data: list, index: int, target: Any) -> list:
    return [*input_data[:index], target, *input_data[index:]]


def _popped(input_data: list, index: int) -> tuple[list, Any]:
    rest = list(input_data)
    item = rest.pop(index)
    return rest, item


def _with_slice(seq: Any, target: Sequence, start: int, stop: int, step: int) -> Any:
    items = list(seq)
    items[start:stop:step] = target
    return type(seq)(items)


def _zeros(sequence: Any) -> Any:
    if isinstance(sequence, (list, tuple)):
        return type(sequence)([_zeros(item) for item in sequence])
    return ops.zeros_like(sequence) if isinstance(sequence, Tensor) else type(sequence)(0)


def _numbers_of(kind: type) -> Callable[[], Callable]:
    def call(input_tensor: Tensor) -> Any:
        if not isinstance(input_tensor, Tensor):
            raise OpTypeError(f"a tensor is needed, but got {type(input_tensor).__name__}", arg="input_tensor")
        if input_tensor.ndim != 1:
            raise OpValueError(f"a tensor of one axis is needed, but it has {input_tensor.ndim}", arg="input_tensor")
        return kind(input_tensor.tolist())

    return lambda: call


def _tensor_of(kind: type) -> Callable[[], Callable]:
    def call(input_sequence: Any, dtype: Any = float32) -> Tensor:
        if not isinstance(input_sequence, kind):
            raise OpTypeError(
                f"a {kind.__name__} is needed, but got {type(input_sequence).__name__}", arg="input_sequence"
            )
        return Tensor(input_sequence, dtype)

    return lambda: call


def _comparison(compare: Callable[[Any, Any], bool]) -> Callable[[], Callable]:
    return lambda: lambda x, y: compare(x, y)


#: Classes: functions from their arguments to the function of the call.
SEQUENCES: dict[str, Callable] = {
    "ListAppend": lambda: lambda input_data, target: [*input_data, target],
    "ListInsert": lambda: _inserted,
    "ListAppendAndInsertGrad": lambda: _popped,
    "SequenceAdd": lambda: lambda input_0, input_1: input_0 + input_1,
    "SequenceAddOffset": lambda: lambda input_0, input_1: (0, len(input_0)),
    "SequenceMul": lambda: lambda sequence, scalar: sequence * scalar,
    "SequenceSlice": lambda: lambda seq, start, stop, step: seq[start:stop:step],
    "SequenceSliceSetItem": lambda: _with_slice,
    "SequenceCount": lambda: lambda sequence, target: sequence.count(target),
    "SequenceIndex": lambda: lambda sequence, target, start=0, end=2**63 - 1: sequence.index(target, start, end),
    "InSequence": lambda: lambda element, input_data: element in input_data,
    "SequenceMax": lambda: lambda input_data: max(input_data),
    "SequenceMin": lambda: lambda input_data: min(input_data),
    "SequenceZerosLike": lambda: _zeros,
    "SequenceAddN": lambda: lambda input_x: ops.addn(input_x),
    "SequenceStack": lambda axis=0: lambda input_x: ops.stack(input_x, axis),
    "SequenceUnstack": lambda axis=0, num=None: lambda input_x: ops.unstack(input_x, axis),
    "sequence_len": lambda: lambda sequence: len(sequence),
    "shape_mul": lambda: lambda shape: math.prod(shape),
    "make_range": lambda: lambda start, limit, delta=1: tuple(range(start, limit, delta)),
    "TensorToTuple": _numbers_of(tuple),
    "TensorToList": _numbers_of(list),
    "TensorToScalar": lambda: lambda input_tensor: input_tensor.item(),
    "TupleToTensor": _tensor_of(tuple),
    "ListToTensor": _tensor_of(list),
    **{
        f"{kind}_{word}": _comparison(compare)
        for kind in ("tuple", "list")
        for word, compare in (
            ("equal", operator.eq), ("greater_than", operator.gt), ("greater_equal", operator.ge), ("lt", operator.lt),
            ("le", operator.le),
        )
    },
}  # fmt: skip


def __getattr__(name: str) -> type[Primitive]:
    if name not in SEQUENCES:
        raise MissingName(__name__, name)
    made = class_of(name, SEQUENCES[name], f"What Python does with sequences as a class: {name}.", __name__)
    globals()[name] = made
    return made


def __dir__() -> list[str]:
    return [*SEQUENCES, "SEQUENCES"]
