"""Freed memory is kept for the next tensor.

The C library gives large blocks back to the system as soon as they are freed, and every page that is asked for again comes
back as a fault that clears it: half the time of a LeNet step in PyNative mode. So glibc is told to keep blocks of up to
32 MiB (its own limit), and a heap of up to an eighth of the machine's memory. Who sets glibc's own variables
(`MALLOC_TRIM_THRESHOLD_`, `MALLOC_MMAP_THRESHOLD_`, `GLIBC_TUNABLES`) keeps what they say.

`require` is asked before somebody goes to work who ends the process where an allocation fails, as LLVM does.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import os

__all__ = ["keep_freed_memory", "largest_kept", "require"]

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # <malloc.h>
_LARGEST = 32 << 20


@functools.cache
def keep_freed_memory() -> None:
    """Set glibc's thresholds; does nothing with another C library."""
    if any(name.startswith(("MALLOC_TRIM", "MALLOC_MMAP")) for name in os.environ) or "GLIBC_TUNABLES" in os.environ:
        return
    try:
        configure = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError):
        return
    configure.argtypes, configure.restype = [ctypes.c_int, ctypes.c_int], ctypes.c_int
    configure(_TRIM_THRESHOLD, largest_kept())
    configure(_MMAP_THRESHOLD, _LARGEST)


@functools.cache
def largest_kept() -> int:
    """How many bytes of freed memory are kept at most."""
    try:
        return min(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 8, 2**31 - 1)
    except (AttributeError, OSError, ValueError):
        return 1 << 30


def require(nbytes: int, purpose: str, *, is_library: bool = False) -> None:
    """Make sure that so much memory could be had now; for a library, whose pages are those of its file, room for it.

    Raises:
        MemoryError: it could not.
    """
    try:
        mmap.mmap(-1, nbytes, **(_ROOM if is_library else _PRIVATE)).close()
    except OSError as error:
        raise MemoryError(f"there is no memory for {purpose}") from error


_PRIVATE: dict = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}
_ROOM: dict = {**_PRIVATE, "prot": mmap.PROT_READ} if _PRIVATE else {}
