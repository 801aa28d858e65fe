"""Settings of training in several processes.

`parallel_mode`, `gradients_mean`, `parameter_broadcast` and `full_batch` have a meaning here, which `nn/reducer.py` gives
them; the others are kept, and have no effect. What the processes are is found by `anfora.communication`.

The functions with an underscore are what programs import from `mindspore.parallel._utils`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.nearest import nearest

__all__ = [
    "ParallelMode", "get_auto_parallel_context", "know_world", "reset_auto_parallel_context", "set_auto_parallel_context",
]  # fmt: skip


class ParallelMode:
    """Names of ways to train in several processes. With DATA_PARALLEL each has its part of a batch, and gradients are
    summed over all; the others, which divide networks, are not to be had.

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


def know_world(rank: int, size: int) -> None:
    """What `communication.init` has found: which process this is, of how many."""
    for known in (_DEFAULTS, _values):
        known.update(global_rank=rank, device_num=size)


def set_auto_parallel_context(**kwargs: Any) -> None:
    """Settings of training in several processes.

    Args:
        kwargs: MindSpore's. Of effect are `parallel_mode`: with "data_parallel" training Cells and `Model` sum gradients
            over all processes; `gradients_mean`: whether they take the mean; `parameter_broadcast`: whether process 0
            gives its parameters to the others before the first step; `full_batch`: whether each process brings the
            whole batch, of which micro-batches are its part.
    Raises:
        OpValueError: an unknown setting, or an unknown `parallel_mode`; a `device_num` or `global_rank` that is not so;
            a `parallel_mode` that divides networks, where there are several processes.
        OpTypeError: one of the settings of effect is no bool.
    Example:
        >>> set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL, gradients_mean=True)
        >>> get_auto_parallel_context("parallel_mode")
        'data_parallel'
        >>> reset_auto_parallel_context()
    """
    for key, value in kwargs.items():
        _check_key("set_auto_parallel_context", key)
        if key == "parallel_mode":
            _check_mode(value)
        if key in ("gradients_mean", "parameter_broadcast", "full_batch") and not isinstance(value, bool):
            raise OpTypeError(f"`{key}` is True or False, but got {value!r}", arg=key)
        if key in ("device_num", "global_rank") and value != _DEFAULTS[key]:
            count = _DEFAULTS["device_num"]
            there = "there is one process" if count == 1 else f"there are {count} processes"
            raise OpValueError(
                f"{there}, and `{key}` is {_DEFAULTS[key]}, but got {value!r}",
                help="communication.init() finds them; leave it out, or take get_group_size() and get_rank().",
            )
    _values.update(kwargs)


def _check_mode(mode: Any) -> None:
    if mode not in ParallelMode.MODE_LIST:
        raise OpValueError(f"`parallel_mode` must be one of {list(ParallelMode.MODE_LIST)}, but got {mode!r}")
    if mode in (ParallelMode.SEMI_AUTO_PARALLEL, ParallelMode.AUTO_PARALLEL) and _DEFAULTS["device_num"] > 1:
        raise OpValueError(
            f"`parallel_mode` {mode!r} would divide the network among {_DEFAULTS['device_num']} processes, which is not to "
            "be had",
            help="with ParallelMode.DATA_PARALLEL each process has the whole network, and its part of the batch.",
        )


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
        near = nearest(str(key), _DEFAULTS)
        raise OpValueError(f"{name} has no setting `{key}`", help=f"did you mean `{near}`?" if near else None)


# -- what steps of training of the program's own ask for ---------------------------------------------------------------


def _get_parallel_mode() -> str:
    return _values["parallel_mode"]


def _is_in_data_parallel_mode() -> bool:
    return _values["parallel_mode"] == ParallelMode.DATA_PARALLEL


def _get_gradients_mean() -> bool:
    return _values["gradients_mean"]


def _get_device_num() -> int:
    """The number of processes that train together."""
    return 1 if _values["parallel_mode"] == ParallelMode.STAND_ALONE else _values["device_num"]


def _get_global_rank() -> int:
    return 0 if _values["parallel_mode"] == ParallelMode.STAND_ALONE else _values["global_rank"]


def _get_stage_device_num() -> int:
    return _get_device_num() // _values["pipeline_stages"]


def _get_pipeline_stages() -> int:
    return _values["pipeline_stages"]


def _get_parameter_broadcast() -> bool:
    return _values["parameter_broadcast"]


def _get_full_batch() -> bool:
    return _values["full_batch"]


def _get_enable_parallel_optimizer() -> bool:
    return _values["enable_parallel_optimizer"]


class _Settings:
    """The same settings as methods, `get_device_num()` and `set_device_num(4)`, as programs take them from MindSpore's
    `parallel._auto_parallel_context`."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        verb, _, key = name.partition("_")
        if verb == "get" and key in _DEFAULTS:
            return lambda: _values[key]
        if verb == "set" and key in _DEFAULTS:
            return lambda value: set_auto_parallel_context(**{key: value})
        near = nearest(key, _DEFAULTS)
        raise AttributeError(
            f"auto_parallel_context() has no {name!r}" + (f"; did you mean '{verb}_{near}'?" if near else "")
        )

    def get_device_num_is_set(self) -> bool:
        """Whether there are several processes."""
        return _values["device_num"] > 1

    def get_global_rank_is_set(self) -> bool:
        return _values["device_num"] > 1

    def set_all_reduce_fusion_split_indices(self, indices: Any, group: str = "") -> None:
        """Without effect: gradients are exchanged in pieces that do not depend on it."""

    def set_all_reduce_fusion_split_sizes(self, sizes: Any, group: str = "") -> None:
        """Without effect, as above."""

    def reset(self) -> None:
        reset_auto_parallel_context()


_settings = _Settings()


def auto_parallel_context() -> _Settings:
    """All settings of training in several processes as one object.

    Example:
        >>> auto_parallel_context().get_parallel_mode()
        'stand_alone'
    """
    return _settings
