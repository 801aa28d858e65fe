"""MindSpore's `communication.comm_func`: the operators of several processes as functions.

Those that may be asynchronous in MindSpore give (result, None): here all are done when they return.
"""

from __future__ import annotations

from typing import Any

__all__ = ["all_gather_into_tensor", "all_reduce", "barrier", "broadcast", "reduce_scatter_tensor"]


def all_reduce(tensor: Any, op: str = "sum", group: Any = None, async_op: bool = False) -> tuple[Any, None]:
    """`ops.all_reduce`, and None for the handle.

    Args:
        tensor, op, group: as for `ops.all_reduce`.
        async_op: accepted for MindSpore programs.
    Example:
        >>> all_reduce(Tensor([1.0, 2.0]))[0].tolist()  # of one process
        [1.0, 2.0]
    """
    from anfora import ops

    return ops.all_reduce(tensor, op, group), None


def all_gather_into_tensor(tensor: Any, group: Any = None, async_op: bool = False) -> tuple[Any, None]:
    """`ops.all_gather`, and None for the handle.

    Args:
        tensor, group: as for `ops.all_gather`.
        async_op: accepted for MindSpore programs.
    Example:
        >>> all_gather_into_tensor(Tensor([1.0, 2.0]))[0].tolist()  # of one process
        [1.0, 2.0]
    """
    from anfora import ops

    return ops.all_gather(tensor, group), None


def reduce_scatter_tensor(tensor: Any, op: str = "sum", group: Any = None, async_op: bool = False) -> tuple[Any, None]:
    """`ops.reduce_scatter`, and None for the handle.

    Args:
        tensor, op, group: as for `ops.reduce_scatter`.
        async_op: accepted for MindSpore programs.
    Example:
        >>> reduce_scatter_tensor(Tensor([1.0, 2.0]))[0].tolist()  # of one process
        [1.0, 2.0]
    """
    from anfora import ops

    return ops.reduce_scatter(tensor, op, group), None


def broadcast(tensor: Any, src: int = 0, group: Any = None) -> Any:
    """`ops.broadcast_from`.

    Args:
        tensor, src, group: as for `ops.broadcast_from`.
    Example:
        >>> broadcast(Tensor([1.0, 2.0])).tolist()  # of one process
        [1.0, 2.0]
    """
    from anfora import ops

    return ops.broadcast_from(tensor, src, group)


def barrier(group: Any = None) -> None:
    """`ops.barrier`.

    Args:
        group: as for `ops.barrier`.
    Example:
        >>> barrier()  # of one process
    """
    from anfora import ops

    ops.barrier(group)
