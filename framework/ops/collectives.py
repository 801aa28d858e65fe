"""The operators of `exchange.py` in their older form, as classes: `ops.AllReduce(op, group)(x)`.

`COLLECTIVES` is taken up by `primitives.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anfora.communication.world import MCCL_WORLD_COMM_GROUP, group_of
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.tensor import Tensor
from anfora.ops import exchange
from anfora.ops.exchange import ReduceOp

__all__ = ["COLLECTIVES"]


def _tensor(name: str, value: Any) -> Tensor:
    if not isinstance(value, Tensor):
        raise OpTypeError(f"{name} needs a tensor, but got {type(value).__name__}", arg="input_x")
    return value


def _reducing(name: str, function: Callable) -> Callable:
    def make(op: str = ReduceOp.SUM, group: str = MCCL_WORLD_COMM_GROUP) -> Callable:
        group_of(group, name)
        exchange.checked_way(name, op)
        return lambda input_x: function(_tensor(name, input_x), op, group)

    return make


def _all_gather(group: str = MCCL_WORLD_COMM_GROUP) -> Callable:
    group_of(group, "AllGather")
    return lambda input_x: exchange.all_gather(_tensor("AllGather", input_x), group)


def _broadcast(root_rank: int, group: str = MCCL_WORLD_COMM_GROUP) -> Callable:
    exchange.checked_root("Broadcast", root_rank, group_of(group, "Broadcast"))

    def call(input_x: Any) -> Any:
        if isinstance(input_x, tuple):
            return tuple([exchange.broadcast_from(_tensor("Broadcast", x), root_rank, group) for x in input_x])
        return exchange.broadcast_from(_tensor("Broadcast", input_x), root_rank, group)

    return call


def _all_to_all(split_count: int, split_dim: int, concat_dim: int, group: str = MCCL_WORLD_COMM_GROUP) -> Callable:
    size = group_of(group, "AlltoAll").size
    if split_count != size:
        raise OpValueError(
            f"AlltoAll: `split_count` must be the number of processes, {size}, but got {split_count!r}",
            arg="split_count",
        )
    return lambda input_x: exchange.all_to_all(_tensor("AlltoAll", input_x), split_dim, concat_dim, group)


def _barrier(group: str = MCCL_WORLD_COMM_GROUP) -> Callable:
    group_of(group, "Barrier")
    return lambda: exchange.barrier(group)


COLLECTIVES: dict[str, Callable] = {
    "AllReduce": _reducing("AllReduce", exchange.all_reduce),
    "ReduceScatter": _reducing("ReduceScatter", exchange.reduce_scatter),
    "AllGather": _all_gather,
    "Broadcast": _broadcast,
    "AlltoAll": _all_to_all,
    "Barrier": _barrier,
}
