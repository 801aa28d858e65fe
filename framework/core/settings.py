"""Settings of the process: `set_context`, `get_context`, and MindSpore's newer single functions.

Three kinds of keys: those that act, those that MindSpore programs set and that have no meaning on a CPU (accepted, noted
once in the log), and unknown ones, which are an error with the nearest name.
"""

from __future__ import annotations

import logging
import os
from typing import Any

from anfora.core.environment import variable
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.nearest import nearest
from anfora.core.process_memory import (
    empty_cache,
    max_memory_allocated,
    max_memory_reserved,
    memory_allocated,
    memory_reserved,
    reset_max_memory_allocated,
    reset_max_memory_reserved,
    reset_peak_memory_stats,
)
from anfora.core.processes import (
    ParallelMode,
    get_auto_parallel_context,
    reset_auto_parallel_context,
    set_auto_parallel_context,
)

__all__ = [
    "COMPATIBLE", "GRAPH_MODE", "LAX", "PYNATIVE_MODE", "STRICT", "context", "dispatch_threads_num", "empty_cache",
    "get_context", "launch_blocking", "max_memory_allocated", "max_memory_reserved", "memory_allocated",
    "memory_reserved", "reset_max_memory_allocated", "reset_max_memory_reserved", "reset_peak_memory_stats",
    "set_context", "set_deterministic", "set_device", "set_recursion_limit", "synchronize", "threads_num",
]  # fmt: skip

GRAPH_MODE = 0
PYNATIVE_MODE = 1
STRICT, COMPATIBLE, LAX = 0, 1, 2  #: values of `jit_syntax_level`

log = logging.getLogger("anfora")

#: What ANFORA_LOG may name.
LOG_WORDS = ("passes", "recompiles")

#: Keys that act, with their defaults.
_ACTING: dict[str, Any] = {
    "mode": PYNATIVE_MODE,
    "device_target": "CPU",
    "save_graphs": 0,
    "save_graphs_path": ".",
    "pynative_synchronize": False,
    "deterministic": "OFF",
    "max_call_depth": 1000,
    "jit_syntax_level": "LAX",
    "jit_config": {},
    "jit_level": "",
    "enable_compile_cache": False,
    "compile_cache_path": "",
    "runtime_num_threads": 0,
    "inter_op_parallel_num": 0,
    "debug_level": 0,
    "check_bprop": False,
}

#: Keys of MindSpore that mean nothing on a CPU.
_WITHOUT_MEANING = frozenset(
    {
        "device_id", "enable_graph_kernel", "graph_kernel_flags", "ascend_config", "gpu_config",
        "memory_optimize_level", "max_device_memory", "mempool_block_size", "variable_memory_max_size", "op_timeout",
        "aoe_tune_mode", "aoe_config", "print_file_path", "env_config_path", "reserve_class_name_in_scope",
        "enable_reduce_precision", "support_binary", "exec_order", "disable_format_transform", "enable_dump",
        "save_dump_path", "enable_profiling", "profiling_options", "memory_offload", "grad_for_scalar",
        "auto_tune_mode", "enable_sparse", "enable_mem_reuse", "enable_auto_mixed_precision",
        "precompile_only", "host_scheduling_max_threshold", "compute_communicate_fusion_level", "pynative_sync",
    }
)  # fmt: skip

_values = dict(_ACTING)
_noted: set[str] = set()


def logs(word: str) -> bool:
    """Whether ANFORA_LOG, words that are parted by commas, names one of `LOG_WORDS`. One that is none is told once."""
    given = variable("ANFORA_LOG")
    if not given:
        return False
    words = [each.strip() for each in given.split(",") if each.strip()]
    for each in words:
        if each not in LOG_WORDS:
            note_once(
                f"ANFORA_LOG {each}", f"ANFORA_LOG names {each!r}; there are {', '.join(LOG_WORDS)}", logging.WARNING
            )
    return word in words


def note_once(key: str, message: str, level: int = logging.INFO) -> None:
    """Write a line to the log the first time that something is worth it."""
    if key not in _noted:
        _noted.add(key)
        log.log(level, message)


def _tell_mode() -> None:
    """Let calls of Cells know the mode."""
    from anfora.core import slots

    slots.calls_are_special = _values["mode"] == GRAPH_MODE or bool(slots.compiled_cells)


def set_context(**kwargs: Any) -> None:
    """Change settings of the process.

    Args:
        mode: PYNATIVE_MODE or GRAPH_MODE.
        device_target: "CPU"; "GPU" and "Ascend" run on the CPU too.
        runtime_num_threads: threads for large operators; 0 leaves the number as it is.
        deterministic: accepted: results never depend on the number of threads here.
        save_graphs, save_graphs_path, jit_config, jit_syntax_level, max_call_depth, …: read by graph mode.

    Raises:
        ValueError: an unknown key, or a value out of range; nothing has changed then.

    Example:
        >>> set_context(mode=PYNATIVE_MODE); get_context("mode") == PYNATIVE_MODE
        True
    """
    checked = {key: _checked(key, value) for key, value in kwargs.items() if key not in _WITHOUT_MEANING}
    for key in kwargs:
        if key in _WITHOUT_MEANING:
            note_once(key, f"set_context: {key} has no meaning on a CPU and is ignored")
    if checked.get("runtime_num_threads"):
        from anfora.core import slots

        slots.set_num_threads(checked["runtime_num_threads"])  # which refuses what cannot be
    _values.update(checked)
    _tell_mode()


def _checked(key: str, value: Any) -> Any:
    if key not in _ACTING:
        near = nearest(str(key), [*_ACTING, *_WITHOUT_MEANING])
        raise OpValueError(
            f"For 'context.set_context', the keyword argument {key} is not recognized!",
            help=f"did you mean `{near}`?" if near else None,
        )
    if key == "mode":
        if value not in (GRAPH_MODE, PYNATIVE_MODE) or isinstance(value, bool):
            raise OpValueError(
                "For 'context.set_context', the argument 'mode' should be context.GRAPH_MODE (0) or "
                f"context.PYNATIVE_MODE (1), but got {value!r}."
            )
    elif key == "device_target":
        if value not in ("CPU", "GPU", "Ascend", "Davinci"):
            raise OpValueError(
                "For 'context.set_context', the argument 'device_target' must be one of "
                f"['CPU', 'GPU', 'Ascend', 'Davinci'], but got {value!r}."
            )
        if value != "CPU":
            from anfora.core import advice

            advice.warn(f"there is no {value} here: programs run on the CPU, whatever `device_target` says")
        value = "CPU"
    elif key == "save_graphs":
        value = {False: 0, True: 2}[value] if isinstance(value, bool) else value
        if value not in (0, 1, 2, 3):
            raise OpValueError(f"For 'context.set_context', 'save_graphs' must be a bool or 0 … 3, but got {value!r}")
    elif key in ("max_call_depth", "runtime_num_threads", "inter_op_parallel_num"):
        if isinstance(value, bool) or not isinstance(value, int):
            raise OpTypeError(f"For 'context.set_context', '{key}' must be an int, but got {value!r}")
        if value < (1 if key == "max_call_depth" else 0):
            raise OpValueError(f"For 'context.set_context', '{key}' must not be less than that, but got {value}")
    elif key == "deterministic" and value not in ("ON", "OFF"):
        raise OpValueError(f"For 'context.set_context', 'deterministic' must be 'ON' or 'OFF', but got {value!r}")
    elif key == "jit_syntax_level":
        value = {0: "STRICT", 1: "COMPATIBLE", 2: "LAX"}.get(value, value)
        if value not in ("STRICT", "COMPATIBLE", "LAX"):
            raise OpValueError(f"For 'context.set_context', 'jit_syntax_level' is unknown: {value!r}")
    return value


def get_context(attr_key: str) -> Any:
    """The value of a setting.

    Raises:
        ValueError: an unknown key.
    Example:
        >>> get_context("device_target")
        'CPU'
    """
    if attr_key in _values:
        return _values[attr_key]
    if attr_key in _WITHOUT_MEANING:
        return None
    near = nearest(str(attr_key), [*_ACTING, *_WITHOUT_MEANING])
    raise OpValueError(
        f"For 'context.get_context', the argument {attr_key} is not recognized!",
        help=f"did you mean `{near}`?" if near else None,
    )


class context:
    """Settings for the time of a block: `with context(mode=GRAPH_MODE): …`.

    Example:
        >>> with context(save_graphs=2):
        ...     get_context("save_graphs")
        2
        >>> get_context("save_graphs")
        0
    """

    GRAPH_MODE, PYNATIVE_MODE = GRAPH_MODE, PYNATIVE_MODE
    STRICT, COMPATIBLE, LAX = STRICT, COMPATIBLE, LAX
    ParallelMode = ParallelMode
    set_auto_parallel_context = staticmethod(set_auto_parallel_context)
    get_auto_parallel_context = staticmethod(get_auto_parallel_context)
    reset_auto_parallel_context = staticmethod(reset_auto_parallel_context)
    set_context, get_context = staticmethod(set_context), staticmethod(get_context)

    def __init__(self, **kwargs: Any) -> None:
        self._wanted = kwargs

    def __enter__(self) -> None:
        self._before = {key: _values[key] for key in self._wanted if key in _values}
        set_context(**self._wanted)

    def __exit__(self, *exc: object) -> None:
        _values.update(self._before)
        _tell_mode()


def set_device(device_target: str, device_id: int | None = None) -> None:
    """MindSpore's newer way to choose the device; everything runs on the CPU.

    Example:
        >>> set_device("CPU")
    """
    set_context(device_target=device_target)


def set_recursion_limit(recursion_limit: int = 1000) -> None:
    """How deep calls may nest in graph mode.

    Example:
        >>> set_recursion_limit(500)
        >>> set_recursion_limit()
    """
    set_context(max_call_depth=recursion_limit)


def set_deterministic(deterministic: bool) -> None:
    """Accepted: results never depend on the number of threads here. Programs that this process starts find in their
    environment what MindSpore tells its libraries by it: `HCCL_DETERMINISTIC` ("strict" stays) and `TE_PARALLEL_COMPILER`.

    Example:
        >>> set_deterministic(True)
    """
    set_context(deterministic="ON" if deterministic else "OFF")
    told = {"HCCL_DETERMINISTIC": "true", "TE_PARALLEL_COMPILER": "1"}
    if not deterministic:
        for name in told:
            os.environ.pop(name, None)
    elif os.environ.get("HCCL_DETERMINISTIC") == "strict":
        os.environ["TE_PARALLEL_COMPILER"] = "1"
    else:
        os.environ.update(told)


def threads_num(threads_num: int) -> None:
    """MindSpore's `device_context.cpu.op_tuning.threads_num`: threads for large operators."""
    set_context(runtime_num_threads=threads_num)


def dispatch_threads_num(threads_num: int) -> None:
    """MindSpore's `runtime.dispatch_threads_num`: threads for large operators.

    Example:
        >>> before = get_context("runtime_num_threads")
        >>> dispatch_threads_num(2)
        >>> get_context("runtime_num_threads")
        2
        >>> dispatch_threads_num(before)
    """
    set_context(runtime_num_threads=threads_num)


def launch_blocking() -> None:
    """MindSpore's `runtime.launch_blocking`: operators are done when their call returns, always.

    Example:
        >>> launch_blocking()
    """
    set_context(pynative_synchronize=True)


def synchronize() -> None:
    """MindSpore's `runtime.synchronize`: wait for operators. They are done when their call returns.

    Example:
        >>> synchronize()
    """


class _Executor:
    """What older programs wait for operators with: `_pynative_executor.sync()`."""

    sync = staticmethod(synchronize)


_pynative_executor = _Executor()
