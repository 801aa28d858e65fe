"""Settings of all pipelines: `anfora.dataset.config`, with MindSpore's names.

Seed and number of workers are what pipelines follow; times and switches of MindSpore's own machinery are kept and given
back. A pipeline takes the seed when it begins to be iterated, so set it before.
"""

from __future__ import annotations

import enum
import inspect
import json
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from anfora.core import random as streams
from anfora.core.arguments import unknown
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.core.nearest import missing_in

__all__ = [
    "ErrorSamplesMode",
    "effective_seed", "get_auto_num_workers", "get_auto_offload", "get_autotune_interval", "get_callback_timeout",
    "get_debug_mode", "get_dynamic_shape", "get_enable_autotune", "get_enable_shared_mem", "get_enable_watchdog",
    "get_error_samples_mode", "get_fast_recovery", "get_monitor_sampling_interval", "get_multiprocessing_start_method",
    "get_multiprocessing_timeout_interval", "get_num_parallel_workers", "get_numa_enable", "get_prefetch_size", "get_seed",
    "load",
    "set_auto_num_workers", "set_auto_offload", "set_autotune_interval", "set_callback_timeout", "set_debug_mode",
    "set_dynamic_shape", "set_enable_autotune", "set_enable_shared_mem", "set_enable_watchdog", "set_error_samples_mode",
    "set_fast_recovery", "set_monitor_sampling_interval", "set_multiprocessing_start_method",
    "set_multiprocessing_timeout_interval", "set_num_parallel_workers", "set_numa_enable", "set_prefetch_size", "set_seed",
]  # fmt: skip

#: What a pipeline's random choices start from where no seed was ever set but all processes must agree.
DEFAULT_SEED = 5489

_seed: int | None = None
_times = 0  # how often anfora.set_seed had been called when `set_seed` here was: the later call counts
_workers: int | None = None


def set_seed(seed: int) -> None:
    """The seed of every order and random choice in pipelines that begin from now on; `anfora.set_seed` sets it too.

    Args:
        seed: an integer in [0, 2 ** 32).
    Example:
        >>> set_seed(3)
        >>> get_seed()
        3
    """
    global _seed, _times
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise OpTypeError("seed isn't of type int.", arg="seed")
    if not 0 <= seed < 2**32:
        raise OpValueError("seed given is not within the required range [0, UINT32_MAX(4294967295)].", arg="seed")
    _seed, _times = seed, streams.times_seeded()


def effective_seed() -> int | None:
    """The seed that was set, here or by `anfora.set_seed`, whichever was later; None if neither was."""
    return _seed if _seed is not None and streams.times_seeded() == _times else streams.get_seed()


def get_seed() -> int:
    """The seed; 5489, MindSpore's, if none was set: then each pipeline takes one from the system.

    Example:
        >>> set_seed(3)
        >>> get_seed()
        3
    """
    seed = effective_seed()
    return DEFAULT_SEED if seed is None else seed


def set_num_parallel_workers(num: int) -> None:
    """How many workers sources, `map` and `batch` use that do not say it themselves; see `Dataset.map` on what they are.

    Args:
        num: a positive integer.
    """
    global _workers
    if not isinstance(num, int) or isinstance(num, bool):
        raise OpTypeError("num isn't of type int.", arg="num")
    if not 0 < num < 2**31:
        raise OpValueError(
            "Number of parallel workers given is not within the required range (0, INT32_MAX(2147483647)].", arg="num"
        )
    _workers = num


def get_num_parallel_workers() -> int:
    """How many workers were set; min(8, cores) if none were."""
    return _workers if _workers is not None else min(8, os.cpu_count() or 1)


def chosen_workers() -> int | None:
    """What the program set, None if nothing."""
    return _workers


def _natural(name: str) -> Callable[[Any], int]:
    def check(value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            raise OpTypeError(f"{name} isn't of type int.", arg=name)
        if not 0 < value < 2**31:
            raise OpValueError(f"{name} is not within the required range (0, INT32_MAX(2147483647)].", arg=name)
        return value

    return check


def _flag(name: str) -> Callable[[Any], bool]:
    def check(value: Any) -> bool:
        if not isinstance(value, bool):
            raise OpTypeError(f"{name} must be of type bool.", arg=name)
        return value

    return check


def _same(value: Any) -> Any:
    return value


class ErrorSamplesMode(enum.IntEnum):
    """What `map` does with a sample whose function fails: `RETURN` raises the error, `SKIP` leaves the sample out,
    `REPLACE` puts others at the end of the epoch, from the first on those that did not fail. Sizes are told as if none
    had failed."""

    RETURN = 0
    REPLACE = 1
    SKIP = 2


def _mode(value: Any) -> ErrorSamplesMode:
    if not isinstance(value, ErrorSamplesMode):
        raise OpTypeError(
            f"error_samples_mode should be an ErrorSamplesMode, but got {value!r}",
            arg="error_samples_mode",
            help="for example anfora.dataset.config.ErrorSamplesMode.SKIP.",
        )
    return value


def _setting(
    name: str,
    argument: str,
    default: Any,
    check: Callable[[Any], Any],
    about: str,
    given: Any = inspect.Parameter.empty,
) -> tuple[Any, Any]:
    kept = [default]
    parameter = inspect.Parameter(argument, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=given)
    signature = inspect.Signature([parameter])

    def put(*args: Any, **kwargs: Any) -> None:
        for other in kwargs:
            if other != argument:
                raise unknown(put.__name__, other, [argument])
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        kept[0] = check(bound.arguments[argument])

    def give() -> Any:
        return kept[0]

    put.__name__ = put.__qualname__ = f"set_{name}"
    give.__name__ = give.__qualname__ = f"get_{name}"
    put.__signature__ = signature  # type: ignore[attr-defined]
    put.__doc__, give.__doc__ = f"Set {about}.", f"Give {about}."
    return put, give


set_prefetch_size, get_prefetch_size = _setting(
    "prefetch_size", "size", 16, _natural("size"), "how many rows at the end of a pipeline workers may be ahead"
)
set_multiprocessing_timeout_interval, get_multiprocessing_timeout_interval = _setting(
    "multiprocessing_timeout_interval", "interval", 300, _natural("interval"),
    "after how many seconds a worker process that has not finished its piece of work is taken to hang",
)  # fmt: skip
set_callback_timeout, get_callback_timeout = _setting(
    "callback_timeout", "timeout", 60, _natural("timeout"), "seconds that callbacks may take; kept, without effect"
)
set_monitor_sampling_interval, get_monitor_sampling_interval = _setting(
    "monitor_sampling_interval", "interval", 1000, _natural("interval"), "milliseconds; kept, without effect"
)
set_autotune_interval, get_autotune_interval = _setting(
    "autotune_interval", "interval", 0, _natural("interval"), "steps between tunings; kept, without effect"
)
set_auto_num_workers, get_auto_num_workers = _setting(
    "auto_num_workers", "enable", False, _flag("enable"), "a switch; kept, without effect"
)
set_auto_offload, get_auto_offload = _setting(
    "auto_offload", "offload", False, _flag("offload"), "a switch; kept, without effect"
)
set_enable_shared_mem, get_enable_shared_mem = _setting(
    "enable_shared_mem", "enable", True, _flag("enable"), "a switch; kept: workers always answer in shared memory"
)
set_enable_watchdog, get_enable_watchdog = _setting(
    "enable_watchdog", "enable", True, _flag("enable"), "a switch; kept: workers are always watched"
)
set_fast_recovery, get_fast_recovery = _setting(
    "fast_recovery", "fast_recovery", True, _flag("fast_recovery"), "a switch; kept, without effect"
)
set_numa_enable, get_numa_enable = _setting(
    "numa_enable", "numa_enable", False, _flag("numa_enable"), "a switch; kept, without effect"
)
set_dynamic_shape, get_dynamic_shape = _setting(
    "dynamic_shape", "is_dynamic", False, _flag("is_dynamic"), "a switch; kept, without effect"
)
set_error_samples_mode, get_error_samples_mode = _setting(
    "error_samples_mode", "error_samples_mode", ErrorSamplesMode.RETURN, _mode,
    "what each `map` that is called from now on does with samples whose functions fail, an ErrorSamplesMode",
)  # fmt: skip
set_multiprocessing_start_method, get_multiprocessing_start_method = _setting(
    "multiprocessing_start_method",
    "start_method",
    "fork",
    _same,
    "how workers start; kept: they are always forked",
    "fork",
)
_debug = [False]
_autotune = [False]


def set_debug_mode(debug_mode_flag: bool, debug_hook_list: list | None = None) -> None:
    """With True every pipeline runs in this process and thread, so that a debugger stops in its functions."""
    _debug[0] = _flag("debug_mode_flag")(debug_mode_flag)


def get_debug_mode() -> bool:
    """Whether every pipeline runs in this process and thread."""
    return _debug[0]


def load(file: str) -> None:
    """Take settings from a JSON file.

    Args:
        file: with any of "seed", "numParallelWorkers" and "prefetchSize"; those of MindSpore's own machinery are read over.
    Raises:
        OpTypeError: it is no path, or a setting has another type.   OpValueError: a setting is out of range.
        OpRuntimeError: the file cannot be read, or holds no JSON object.
    """
    if not isinstance(file, (str, os.PathLike)):
        raise OpTypeError(f"file should be a str, but got {file!r}", arg="file")
    try:
        with open(file, encoding="utf-8") as opened:
            found = json.load(opened)
        if not isinstance(found, dict):
            raise ValueError("it holds no object")
    except (OSError, ValueError, RecursionError) as error:
        raise OpRuntimeError(f"Invalid file, {file} cannot be read as JSON ({error})") from error
    for name, put in (
        ("seed", set_seed), ("numParallelWorkers", set_num_parallel_workers), ("prefetchSize", set_prefetch_size),
    ):  # fmt: skip
        if name in found:
            put(found[name])


def set_enable_autotune(enable: bool, filepath_prefix: str | None = None) -> None:
    """A switch; kept, without effect."""
    _autotune[0] = _flag("enable")(enable)


def get_enable_autotune() -> bool:
    """A switch; kept, without effect."""
    return _autotune[0]


if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)
