"""Several processes that train one network: `mpiexec -n 4 python program`, and in it `communication.init()`.

world.py      how processes find each other: MPI by mpi4py; groups of them
exchange.py   what they exchange: meeting, gathering, broadcasting, and reducing in one written order
peers.py      whether the others live; who fails, leaves or is waited for too long ends all, with words
comm_func.py  the operators of `ops`, as MindSpore's functions
orders.py     in which order processes exchange: files, and whether they fit together
redundancy.py which processes hold the same part of a parameter

A program that nobody has started several times is one process, number 0 of 1, and needs nothing of this: neither mpi4py
nor an MPI is loaded. docs/several_processes.md says how to use it, and which order sums have.
"""

from __future__ import annotations

import importlib
from typing import Any

from anfora.communication.world import (
    HCCL_WORLD_COMM_GROUP,
    MCCL_WORLD_COMM_GROUP,
    NCCL_WORLD_COMM_GROUP,
    GlobalComm,
    create_group,
    destroy_group,
    get_comm_name,
    get_group_rank_from_world_rank,
    get_group_size,
    get_local_rank,
    get_local_rank_size,
    get_process_group_ranks,
    get_rank,
    get_world_rank_from_group_rank,
    init,
    release,
)
from anfora.core.nearest import MissingName

__all__ = [
    "GlobalComm", "HCCL_WORLD_COMM_GROUP", "MCCL_WORLD_COMM_GROUP", "NCCL_WORLD_COMM_GROUP", "create_group",
    "destroy_group", "get_comm_name", "get_group_rank_from_world_rank", "get_group_size", "get_local_rank",
    "get_local_rank_size", "get_process_group_ranks", "get_rank", "get_world_rank_from_group_rank", "init", "release",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in ("comm_func", "management"):  # modules, which programs name without importing them
        return importlib.import_module(f"anfora.communication.{name}")
    raise MissingName(__name__, name)
