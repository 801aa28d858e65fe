"""One process: answers to what MindSpore programs ask about several.

A program that can run on many devices runs here on one: it is the only process, number 0 of a group of 1, and whatever
it sends to all comes back to itself. Settings of parallel training are kept and have no effect.
"""

from __future__ import annotations

import difflib
import logging
from typing import Any

from anfora.core.errors import OpTypeError, OpValueError

__all__ = [
    "HCCL_WORLD_COMM_GROUP", "NCCL_WORLD_COMM_GROUP", "ParallelMode", "get_auto_parallel_context", "get_group_size",
    "get_local_rank", "get_local_rank_size", "get_rank", "init", "release", "reset_auto_parallel_context",
    "set_auto_parallel_context",
]  # fmt: skip

HCCL_WORLD_COMM_GROUP = "hccl_world_group"
NCCL_WORLD_COMM_GROUP = "nccl_world_group"


class ParallelMode:
    """Names of ways to train on many devices; on one they come to the same.

    Example:
        >>> ParallelMode.STAND_ALONE
        'stand_alone'
    """

    STAND_ALONE = "stand_alone"
    DATA_PARALLEL = "data_parallel"
    HYBRID_PARALLEL = "hybrid_parallel"
    SEMI_AUTO_PARALLEL = "semi_auto_parallel"
    AUTO_PARALLEL = "auto_parallel"
    MODE_LIST = (STAND_ALONE, DATA_PARALLEL, HYBRID_PARALLEL, SEMI_AUTO_PARALLEL, AUTO_PARALLEL)


_DEFAULTS: dict[str, Any] = {
    "device_num": 1,
    "global_rank": 0,
    "parallel_mode": ParallelMode.STAND_ALONE,
    "gradients_mean": False,
    "gradient_fp32_sync": True,
    "auto_parallel_search_mode": "recursive_programming",
    "search_mode": "recursive_programming",
    "parameter_broadcast": False,
    "strategy_ckpt_load_file": "",
    "strategy_ckpt_save_file": "",
    "strategy_ckpt_config": {},
    "full_batch": False,
    "dataset_strategy": "data_parallel",
    "enable_parallel_optimizer": False,
    "parallel_optimizer_config": {},
    "enable_alltoall": False,
    "all_reduce_fusion_config": [],
    "pipeline_stages": 1,
    "pipeline_config": {},
    "grad_accumulation_step": 1,
    "comm_fusion": {},
    "loss_repeated_mean": True,
    "communi_parallel_mode": "all_group_parallel",
    "optimizer_weight_shard_size": -1,
    "optimizer_weight_shard_aggregated_save": False,
    "sharding_propagation": False,
    "group_ckpt_save_file": "",
    "auto_pipeline": False,
}
_values = dict(_DEFAULTS)


def set_auto_parallel_context(**kwargs: Any) -> None:
    """Settings of training on many devices: kept, without effect on one.

    Args:
        kwargs: MindSpore's, such as `parallel_mode`, `gradients_mean`, `device_num`.
    Raises:
        OpValueError: an unknown setting, or an unknown `parallel_mode`; more than one device.
    Example:
        >>> set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL, gradients_mean=True)
        >>> get_auto_parallel_context("parallel_mode")
        'data_parallel'
        >>> reset_auto_parallel_context()
    """
    for key, value in kwargs.items():
        _check_key("set_auto_parallel_context", key)
        if key == "parallel_mode" and value not in ParallelMode.MODE_LIST:
            raise OpValueError(f"`parallel_mode` must be one of {list(ParallelMode.MODE_LIST)}, but got {value!r}")
        if key == "device_num" and value != 1:
            raise OpValueError(
                f"there is one process, and `device_num` is 1, but got {value!r}",
                help="get_group_size() gives the number of processes.",
            )
    if kwargs.get("parallel_mode", ParallelMode.STAND_ALONE) != ParallelMode.STAND_ALONE:
        logging.getLogger("anfora").info(
            "set_auto_parallel_context: there is one process; the program runs in it alone"
        )
    _values.update(kwargs)


def get_auto_parallel_context(attr_key: str) -> Any:
    """A setting of training on many devices.

    Raises:
        OpValueError: it is unknown.
    Example:
        >>> get_auto_parallel_context("device_num")
        1
    """
    _check_key("get_auto_parallel_context", attr_key)
    return _values[attr_key]


def reset_auto_parallel_context() -> None:
    """Give all settings of training on many devices their defaults.

    Example:
        >>> set_auto_parallel_context(gradients_mean=True)
        >>> reset_auto_parallel_context()
        >>> get_auto_parallel_context("gradients_mean")
        False
    """
    _values.clear()
    _values.update(_DEFAULTS)


def _check_key(name: str, key: str) -> None:
    if key not in _DEFAULTS:
        near = difflib.get_close_matches(str(key), _DEFAULTS, 1)
        raise OpValueError(f"{name} has no setting `{key}`", help=f"did you mean `{near[0]}`?" if near else None)


# -- communication ----------------------------------------------------------------------------------------------------


def init(backend_name: str | None = None) -> None:
    """Begin to communicate: nothing is to be done.

    Raises:
        OpTypeError: the name of the backend is no string.
    Example:
        >>> init("hccl")
        >>> get_rank(), get_group_size()
        (0, 1)
    """
    if backend_name is not None and not isinstance(backend_name, str):
        raise OpTypeError(f"init needs a string for `backend_name`, but got {backend_name!r}", arg="backend_name")


def release() -> None:
    """Stop communicating: nothing is to be done."""


def get_rank(group: str | None = None) -> int:
    """The number of this process: 0."""
    return 0


def get_local_rank(group: str | None = None) -> int:
    """The number of this process on this machine: 0."""
    return 0


def get_group_size(group: str | None = None) -> int:
    """How many processes there are: 1."""
    return 1


def get_local_rank_size(group: str | None = None) -> int:
    """How many processes there are on this machine: 1."""
    return 1
