"""Operators between processes, of which there is one: what it sends to all comes back to itself.

Each gives its input as a new tensor, with the gradient as it comes. `COLLECTIVES` is taken up by `primitives.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.processes import HCCL_WORLD_COMM_GROUP, get_group_size
from anfora.core.tensor import Tensor
from anfora.ops.copying import copy

__all__ = ["COLLECTIVES", "ReduceOp"]


class ReduceOp:
    """Names of ways to make one value of those that all processes have.

    Example:
        >>> ops.ReduceOp.SUM
        'sum'
    """

    SUM = "sum"
    MAX = "max"
    MIN = "min"
    PROD = "prod"


_WAYS = (ReduceOp.SUM, ReduceOp.MAX, ReduceOp.MIN, ReduceOp.PROD)


def _check(name: str, group: Any, op: Any = ReduceOp.SUM) -> None:
    if not isinstance(group, str):
        raise OpTypeError(f"{name} needs the name of a group for `group`, but got {group!r}", arg="group")
    if not isinstance(op, str):
        raise OpTypeError(f"{name} needs a string for `op`, but got {op!r}", arg="op")
    if op not in _WAYS:
        raise OpValueError(f"{name}: `op` is one of {', '.join(_WAYS)}, but got {op!r}", arg="op")


def _own(name: str) -> Callable[[Any], Any]:
    def call(input_x: Any) -> Any:
        if not isinstance(input_x, Tensor):
            raise OpTypeError(f"{name} needs a tensor, but got {type(input_x).__name__}", arg="input_x")
        return copy(input_x)

    return call


def _reducing(name: str) -> Callable:
    def make(op: str = ReduceOp.SUM, group: str = HCCL_WORLD_COMM_GROUP) -> Callable:
        _check(name, group, op)
        return _own(name)

    return make


def _all_gather(group: str = HCCL_WORLD_COMM_GROUP) -> Callable:
    _check("AllGather", group)
    return _own("AllGather")


def _broadcast(root_rank: int, group: str = HCCL_WORLD_COMM_GROUP) -> Callable:
    _check("Broadcast", group)
    if isinstance(root_rank, bool) or not isinstance(root_rank, int):
        raise OpTypeError(f"Broadcast needs an integer for `root_rank`, but got {root_rank!r}", arg="root_rank")
    if not 0 <= root_rank < get_group_size(group):
        raise OpValueError(f"Broadcast: there is no process {root_rank}", arg="root_rank")
    one = _own("Broadcast")
    return lambda input_x: tuple(map(one, input_x)) if isinstance(input_x, tuple) else one(input_x)


def _all_to_all(split_count: int, split_dim: int, concat_dim: int, group: str = HCCL_WORLD_COMM_GROUP) -> Callable:
    _check("AlltoAll", group)
    if split_count != get_group_size(group):
        raise OpValueError(
            f"AlltoAll: `split_count` must be the number of processes, {get_group_size(group)}, but got {split_count!r}",
            arg="split_count",
        )
    return _own("AlltoAll")


COLLECTIVES: dict[str, Callable] = {
    "AllReduce": _reducing("AllReduce"),
    "ReduceScatter": _reducing("ReduceScatter"),
    "AllGather": _all_gather,
    "Broadcast": _broadcast,
    "AlltoAll": _all_to_all,
}
