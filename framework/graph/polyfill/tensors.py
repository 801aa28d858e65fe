"""Tensors that the program makes of tensors and numbers, and what is asked of their items."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anfora.core.dtype import bfloat16, float32, int64
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor, tensor
from anfora.eager import transform
from anfora.graph.facts.origins import Number
from anfora.graph.machine.operations import OPERATIONS
from anfora.kernel import glue
from anfora.ops import copy, ones, stack, stop_gradient

__all__ = ["SEARCHES", "TENSORS", "tensor_of_tensor"]


def tensor_contains(tensor, value):
    return True if (tensor == value).any() else False  # noqa: SIM210  (`bool` would ask Python)


def tensor_contains_not(tensor, value):
    return False if (tensor == value).any() else True  # noqa: SIM211


SEARCHES: dict[Any, Callable] = {OPERATIONS["in"]: tensor_contains, OPERATIONS["not_in"]: tensor_contains_not}


def tensor_of_tensor(value):
    return copy(stop_gradient(value))


def tensor_of_tensors(values):
    return stop_gradient(stack([stop_gradient(value) for value in values]))


def tensor_of_number(value, dtype):
    return ones((), dtype) * value  # which keeps the sign of zero


def _tensor_of(recorder: Any, machine: Any, args: tuple, kwargs: dict) -> bool:
    """`Tensor(x)` of a tensor, of tensors, or of a number that varies."""
    if len(args) != 1 or kwargs:
        return False
    [value] = args
    if type(value) is Number and type(value.value) in (int, float):
        if type(value.value) is int and not -(1 << 63) <= value.value < 1 << 63:
            return False  # an error, and so is the row of another call
        recorder.enter(machine, tensor_of_number, (value, int64 if type(value.value) is int else float32), {})
    elif type(value) in (Tensor, Parameter) and value._array is not None:
        recorder.enter(machine, tensor_of_tensor, args, {})
    elif _are_alike(value) and not recorder.opaque(value):
        recorder.look(value)
        if any([_is_followed(recorder, each) for each in value]):  # noqa: C419  (each is guarded)
            return False  # an error
        recorder.enter(machine, tensor_of_tensors, args, {})
    else:
        return False
    return True


def _is_followed(recorder: Any, tensor: Tensor) -> bool:
    """Whether numbers of a tensor must not be taken without its history, which later calls look at too."""
    is_followed = transform.is_followed(tensor)
    if glue.is_recording() and not is_followed and (recorder.is_outside(tensor) or isinstance(tensor, Parameter)):
        recorder.guard("is", recorder.derive(transform.is_followed, recorder.origin_of(tensor)), False)
    recorder.note_asked(tensor)
    return is_followed


def _are_alike(values: Any) -> bool:
    """Whether it is a list or tuple of tensors of one type and shape."""
    if type(values) not in (list, tuple) or not values:
        return False
    if not all(type(value) in (Tensor, Parameter) and value._array is not None for value in values):
        return False
    first = values[0]
    return first.dtype is not bfloat16 and all(
        value.dtype is first.dtype and value.shape == first.shape for value in values
    )


#: What to do instead, by function: (recorder, machine, args, kwargs) -> whether it was done.
TENSORS: dict[Any, Callable] = {Tensor: _tensor_of, tensor: _tensor_of}
