"""How much memory the process has, as the system counts it.

Tensors lie in the C library's heap beside everything else, and there is no pool of our own; so these are numbers of the
whole process, its libraries and compiled programs included.
"""

from __future__ import annotations

import ctypes

__all__ = [
    "empty_cache", "max_memory_allocated", "max_memory_reserved", "memory_allocated", "memory_reserved",
    "reset_max_memory_allocated", "reset_max_memory_reserved", "reset_peak_memory_stats",
]  # fmt: skip

_STATUS, _CLEAR = "/proc/self/status", "/proc/self/clear_refs"
_RESET_PEAK = "5"  # what the system takes for it


def _line(name: str) -> int:
    with open(_STATUS, encoding="ascii", errors="replace") as file:
        for line in file:
            if line.startswith(name + ":"):
                return 1024 * int(line.split()[1])
    raise OSError(f"{_STATUS} has no {name}")


def memory_allocated() -> int:
    """Bytes of this process that lie in memory now.

    Example:
        >>> memory_allocated() > 0
        True
    """
    return _line("VmRSS")


def max_memory_allocated() -> int:
    """The most bytes that lay in memory at once since this process began, or since `reset_peak_memory_stats`.

    Example:
        >>> max_memory_allocated() >= memory_allocated()
        True
    """
    return _line("VmHWM")


def reset_peak_memory_stats() -> None:
    """Let `max_memory_allocated` begin anew with what there is now.

    Raises:
        OSError: the system does not allow it.
    Example:
        >>> reset_peak_memory_stats()
    """
    with open(_CLEAR, "w", encoding="ascii") as file:
        file.write(_RESET_PEAK)


def empty_cache() -> None:
    """Give memory that the heap has kept for later back to the system, where it can: after work that will not come again.

    Example:
        >>> empty_cache()
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # of glibc's
    if trim is not None:
        trim(ctypes.c_size_t(0))


memory_reserved, max_memory_reserved = memory_allocated, max_memory_allocated
reset_max_memory_allocated = reset_max_memory_reserved = reset_peak_memory_stats
