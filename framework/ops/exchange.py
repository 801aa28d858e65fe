"""Operators in which several processes take part: each calls them, in the same order, with equal types and shapes.

They are effects: graph mode does each where the program has it, once for each call, whether or not the result is used.
Sums have one order, a binary tree by the number of the process (`communication/exchange.py`); those of float16 and bfloat16
are added in float32 and rounded once. Gradients are those of the sum of what all processes differentiate. With one process
a tensor comes back as it was.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anfora.communication import exchange, world
from anfora.core.abstract import TensorType
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.op import op
from anfora.core.tensor import Tensor, Tensors
from anfora.ops.composite import composite
from anfora.ops.creation import zeros, zeros_like
from anfora.ops.families import normalize_axis
from anfora.ops.joining import concat, split, stack

__all__ = ["ReduceOp", "all_gather", "all_reduce", "all_to_all", "barrier", "broadcast_from", "reduce_scatter"]


class ReduceOp:
    """What `AllReduce` and `ReduceScatter` do with the parts of the processes.

    Example:
        >>> ReduceOp.SUM
        'sum'
    """

    SUM = "sum"
    MAX = "max"
    MIN = "min"
    PROD = "prod"
    AVG = "avg"


_WAYS = (ReduceOp.SUM, ReduceOp.MAX, ReduceOp.MIN, ReduceOp.PROD, ReduceOp.AVG)


def checked_way(who: str, op: Any) -> str:
    """The way to reduce, if there is such a one."""
    if not isinstance(op, str):
        raise OpTypeError(f"{who} needs a string for `op`, but got {op!r}", arg="op")
    if op not in _WAYS:
        raise OpValueError(f"{who}: `op` is one of {', '.join(_WAYS)}, but got {op!r}", arg="op")
    return op


def _check_numbers(who: str, input: Any, way: str) -> None:
    if input.dtype.kind == "b":
        raise OpTypeError(f"{who} needs a tensor of numbers for `input`, but got {input}", arg="input")
    if way == ReduceOp.AVG and not input.dtype.is_float:
        raise OpTypeError(f"{who} needs a floating-point tensor for a mean, but got {input}", arg="input")


def _text(array: np.ndarray, kind: str, *more: Any) -> str:
    """What must be the same in all processes."""
    return ", ".join([f"{kind}{list(array.shape)}", *map(str, more)])


def _wide(array: np.ndarray) -> np.ndarray:
    """A copy, contiguous; of float16 in float32."""
    return np.array(array, np.float32 if array.dtype == np.float16 else array.dtype, order="C")


def _reduced(meeting: Any, wide: np.ndarray, way: str, size: int, run: Callable) -> Any:
    result = run(meeting, wide, exchange.COMBINE["sum" if way == ReduceOp.AVG else way])
    if way == ReduceOp.AVG:
        result = result / result.dtype.type(size)
    return result


# -- reducing ---------------------------------------------------------------------------------------------------------


@op
def reduced_over_all(input: Tensor, way, group, size):
    """`all_reduce` in a group of so many processes."""


reduced_over_all.is_effect = True


@reduced_over_all.infer
def _(input, *, way, group, size):
    _check_numbers("all_reduce", input, way)
    return input


@reduced_over_all.python
def _(input, *, way, group, size):
    found = world.group_of(group, "all_reduce")
    meeting = exchange.meet(found, "all_reduce", _text(input, input.dtype.name, way), sends=(input,))

    def run(meeting: Any, wide: np.ndarray, combine: Callable) -> np.ndarray:
        exchange.all_reduce(meeting, wide.reshape(-1), combine)
        return wide

    return _reduced(meeting, _wide(input), way, size, run)


@reduced_over_all.vjp("input")
def _(input, out, *, way, group, size, g):
    total = reduced_over_all(g, ReduceOp.AVG if way == ReduceOp.AVG else ReduceOp.SUM, group, size)
    if way in (ReduceOp.SUM, ReduceOp.AVG):
        return total
    if way == ReduceOp.PROD:
        return total * _of_the_others(input, group, size)
    return total * (input == out).astype(total.dtype)


def _of_the_others(input: Tensor, group: str, size: int) -> Tensor:
    """The product of the other processes' tensors."""
    rank = world.group_of(group).rank
    parts = gathered(input.reshape((1, *input.shape)), group, size)
    others = [parts[i] for i in range(size) if i != rank]
    product = zeros_like(input) + 1
    for part in others:
        product = product * part
    return product


@composite
def all_reduce(input: Tensor, op: str = ReduceOp.SUM, group: Any = None) -> Tensor:
    """The sum (or product, maximum, minimum, mean) of the tensors of all processes, in each of them.

    Args:
        input: tensor of numbers, of any shape, the same in all processes.
        op: a `ReduceOp`: "sum", "prod", "max", "min", "avg".
        group: name of a group of processes; None for all.
    Returns:
        tensor of the shape and type of the input; the same bits in all processes.
    Raises:
        OpTypeError: `input` is of bools; a mean is asked for of integers.
        OpValueError: `op` is no such way; there is no such group.
        OpRuntimeError: the processes do not do the same; one of them fails, or does not come in time.
    Gradient:
        of the sum of all processes' values: for sums all_reduce(g); for products times the others' product; for extremes
        to each process whose element is the extreme.
    Example:
        >>> all_reduce(Tensor([1., 2.])).tolist()  # of one process
        [1.0, 2.0]
    """
    found = world.group_of(group, "all_reduce")
    return reduced_over_all(input, checked_way("all_reduce", op), found.name, found.size)


@op
def scattered(input: Tensor, way, group, size):
    """`reduce_scatter` in a group of so many processes."""


scattered.is_effect = True


@scattered.infer
def _(input, *, way, group, size):
    _check_numbers("reduce_scatter", input, way)
    if not input.shape or input.shape[0] % size:
        raise OpValueError(
            f"reduce_scatter divides axis 0 among {size} processes, but got the shape {list(input.shape)}", arg="input"
        )
    return TensorType(input.dtype, (input.shape[0] // size, *input.shape[1:]))


@scattered.python
def _(input, *, way, group, size):
    found = world.group_of(group, "reduce_scatter")
    part = (input.shape[0] // size, *input.shape[1:])
    meeting = exchange.meet(found, "reduce_scatter", _text(input, input.dtype.name, way), sends=(input,), gives=(part,))
    return _reduced(meeting, _wide(input), way, size, exchange.reduce_scatter)


@scattered.vjp("input")
def _(input, out, *, way, group, size, g):
    every = gathered(g, group, size)
    if way == ReduceOp.SUM:
        return every
    if way == ReduceOp.AVG:
        return every / size
    if way == ReduceOp.PROD:
        return every * _of_the_others(input, group, size)
    return every * (input == gathered(out, group, size)).astype(every.dtype)


@composite
def reduce_scatter(input: Tensor, op: str = ReduceOp.SUM, group: Any = None) -> Tensor:
    """The sum (or product, maximum, minimum, mean) of the tensors of all processes, of which each gets its part.

    Args:
        input: tensor of numbers (n · size, …), of the same shape in all processes.
        op: a `ReduceOp`.
        group: name of a group of processes; None for all.
    Returns:
        tensor (n, …): process i has the rows i · n to (i + 1) · n of the sum.
    Raises:
        OpTypeError, OpValueError, OpRuntimeError: as for `all_reduce`; axis 0 cannot be divided.
    Gradient:
        of the sum of all processes' values: for sums all_gather(g).
    Example:
        >>> reduce_scatter(Tensor([1., 2.])).tolist()  # of one process
        [1.0, 2.0]
    """
    found = world.group_of(group, "reduce_scatter")
    return scattered(input, checked_way("reduce_scatter", op), found.name, found.size)


@op
def summed_gradients(gradients: Tensors, scale, group, size):
    """The sums of tensors over all processes of a group, multiplied by a number; in float32, or float64 where they are.

    A tuple of tensors, or one tensor if there is one."""


summed_gradients.is_effect = True


@summed_gradients.infer
def _(gradients, *, scale, group, size):
    for gradient in gradients:
        if not gradient.dtype.is_float:
            raise OpTypeError(f"gradients are of floating point, but got {gradient}", arg="gradients")
    return tuple(gradients) if len(gradients) > 1 else gradients[0]


@summed_gradients.python
def _(gradients, *, scale, group, size):
    found = world.group_of(group, "DistributedGradReducer")
    if size == 1:
        alone = tuple([g * g.dtype.type(scale) if scale != 1.0 else g.copy() for g in gradients])
        return alone if len(alone) > 1 else alone[0]
    told = ", ".join(f"{g.dtype.name}{list(g.shape)}" for g in gradients)
    meeting = exchange.meet(found, "DistributedGradReducer", f"{len(gradients)} gradients: {told}", sends=gradients)
    kinds = [np.dtype(np.float64) if g.dtype == np.float64 else np.dtype(np.float32) for g in gradients]
    results = [None] * len(gradients)
    for kind in sorted(set(kinds), key=str):
        chosen = [i for i, each in enumerate(kinds) if each == kind]
        flat = np.concatenate([gradients[i].reshape(-1).astype(kind) for i in chosen])
        exchange.all_reduce(meeting, flat, exchange.COMBINE["sum"])
        start = 0
        for i in chosen:
            part = flat[start : start + gradients[i].size]
            results[i] = (part * kind.type(scale) if scale != 1.0 else part.copy()).reshape(gradients[i].shape)
            start += gradients[i].size
    return tuple(results) if len(results) > 1 else results[0]


@summed_gradients.vjp("gradients")
def _(gradients_type, *, scale, group, size, g):
    came = g if isinstance(g, tuple) else (g,)
    filled = [zeros(kind.shape, kind.dtype) if each is None else each for each, kind in zip(came, gradients_type)]
    sums = summed_gradients(filled, scale, group, size)
    return sums if len(filled) > 1 else (sums,)


# -- moving -----------------------------------------------------------------------------------------------------------


@op
def gathered(input: Tensor, group, size):
    """`all_gather` in a group of so many processes."""


gathered.is_effect = True


@gathered.infer
def _(input, *, group, size):
    if not input.shape:
        raise OpValueError("all_gather needs a tensor of at least one axis, but got a number", arg="input")
    return TensorType(input.dtype, (size * input.shape[0], *input.shape[1:]))


@gathered.python
def _(input, *, group, size):
    found, whole = world.group_of(group, "all_gather"), (size * input.shape[0], *input.shape[1:])
    meeting = exchange.meet(found, "all_gather", _text(input, input.dtype.name), sends=(input,), gives=(whole,))
    return exchange.all_gather(meeting, np.ascontiguousarray(input)).reshape(whole)


@gathered.vjp("input")
def _(*, group, size, g):
    return scattered(g, ReduceOp.SUM, group, size)


@composite
def all_gather(input: Tensor, group: Any = None) -> Tensor:
    """The tensors of all processes, one behind the other along axis 0, in each of them.

    Args:
        input: tensor (n, …), of the same shape in all processes.
        group: name of a group of processes; None for all.
    Returns:
        tensor (size · n, …).
    Raises:
        OpValueError: `input` has no axis; there is no such group.
        OpRuntimeError: the processes do not do the same; one of them fails, or does not come in time.
    Gradient:
        of the sum of all processes' values: reduce_scatter(g).
    Example:
        >>> all_gather(Tensor([1., 2.])).tolist()  # of one process
        [1.0, 2.0]
    """
    found = world.group_of(group, "all_gather")
    return gathered(input, found.name, found.size)


@op
def from_one(input: Tensor, root_rank, group, size):
    """`broadcast_from` in a group of so many processes."""


from_one.is_effect = True


@from_one.infer
def _(input, *, root_rank, group, size):
    return input


@from_one.python
def _(input, *, root_rank, group, size):
    found = world.group_of(group, "broadcast")
    what = _text(input, input.dtype.name, f"from {root_rank}")
    meeting = exchange.meet(found, "broadcast", what, sends=(input,), root=root_rank)
    array = np.array(input, order="C")
    exchange.broadcast(meeting, array, found.ranks.index(root_rank))
    return array


@from_one.vjp("input")
def _(*, root_rank, group, size, g):
    total = reduced_over_all(g, ReduceOp.SUM, group, size)
    found = world.group_of(group)
    return total if found.rank is not None and found.ranks[found.rank] == root_rank else zeros_like(total)


@composite
def broadcast_from(input: Tensor, root_rank: int, group: Any = None) -> Tensor:
    """The tensor of one process, in all of them.

    Args:
        input: tensor, of the same shape and type in all processes.
        root_rank: the number, among all, of the process whose tensor it is.
        group: name of a group of processes; None for all.
    Returns:
        tensor of the shape and type of the input.
    Raises:
        OpTypeError: `root_rank` is no integer.   OpValueError: that process is not in the group.
        OpRuntimeError: the processes do not do the same; one of them fails, or does not come in time.
    Gradient:
        of the sum of all processes' values: all_reduce(g) to that process, zero to the others.
    Example:
        >>> broadcast_from(Tensor([1., 2.]), 0).tolist()  # of one process
        [1.0, 2.0]
    """
    found = world.group_of(group, "broadcast")
    return from_one(input, checked_root("broadcast", root_rank, found), found.name, found.size)


def checked_root(who: str, root_rank: Any, group: Any) -> int:
    """The number of a process of the group."""
    if isinstance(root_rank, bool) or not isinstance(root_rank, int):
        raise OpTypeError(f"{who} needs an integer for `root_rank`, but got {root_rank!r}", arg="root_rank")
    if root_rank not in group.ranks:
        raise OpValueError(f"{who}: process {root_rank} is not among {list(group.ranks)}", arg="root_rank")
    return root_rank


@composite
def all_to_all(input: Tensor, split_dim: int, concat_dim: int, group: Any = None) -> Tensor:
    """Each process cuts its tensor along one axis and sends a part to each; what it gets it joins along another.

    Args:
        input: tensor, of the same shape in all processes.
        split_dim: the axis that is cut into as many equal parts as there are processes.
        concat_dim: the axis along which parts are joined, in the order of the processes.
        group: name of a group of processes; None for all.
    Returns:
        tensor with that axis divided, and the other multiplied, by the number of processes.
    Raises:
        OpValueError: the axis cannot be divided; there is no such group.
        OpRuntimeError: the processes do not do the same; one of them fails, or does not come in time.
    Gradient:
        of the sum of all processes' values: all_to_all(g) with the axes exchanged.
    Example:
        >>> all_to_all(Tensor([[1., 2.]]), 0, 1).tolist()  # of one process
        [[1.0, 2.0]]
    """
    found = world.group_of(group, "all_to_all")
    axis = normalize_axis("all_to_all", split_dim, input.ndim, "split_dim")
    if input.shape[axis] % found.size:
        raise OpValueError(
            f"all_to_all divides axis {axis} among {found.size} processes, but got the shape {list(input.shape)}",
            arg="input",
        )
    parts = stack(split(input, input.shape[axis] // found.size, axis))
    every = gathered(parts, found.name, found.size).reshape((found.size, *parts.shape))
    return concat([every[i, found.rank] for i in range(found.size)], concat_dim)


@composite
def barrier(group: Any = None) -> None:
    """Wait until all processes have come here.

    Args:
        group: name of a group of processes; None for all.
    Example:
        >>> barrier()  # of one process
    """
    found = world.group_of(group, "barrier")
    gathered(zeros_like(Tensor([0])), found.name, found.size)
