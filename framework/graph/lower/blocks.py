"""Memory for the arenas of compiled programs: mapped once, used by one call after the other.

A block that is asked for anew comes from the system in pages that must be cleared, in each call, which takes as long as a
tenth of what a network computes. So blocks are kept between calls. All programs share them, since most run one after the
other: there is one for each thread that is inside of a compiled program, as large as the largest needs. A block goes when
no living program needs one so large, when more than an eighth of the machine's memory would be kept, as in the heap, or
when there is no memory for another.
"""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any

import numpy as np

from anfora.core.process_memory import empty_cache
from anfora.kernel.heap import largest_kept

__all__ = ["LEAST", "Blocks", "blocks"]

LEAST = 1 << 20  #: bytes of the smallest arena that is worth it: the heap keeps smaller ones just as well


class Blocks:
    """The blocks that nobody uses now. Any number of threads may take some and give them back at once."""

    def __init__(self, limit: int | None = None) -> None:
        self._limit = limit
        self._needs: dict[int, int] = {}  #: by living program, the bytes of its arena
        self.begin_anew()

    def begin_anew(self) -> None:
        """Keep nothing, and nobody is at work: so it is in a process that has just been forked."""
        self._idle: list[np.ndarray] = []  #: the smallest first
        self._lock = threading.RLock()  # a program may be dropped at any moment, by whoever has the lock

    @property
    def nbytes(self) -> int:
        """How much is kept."""
        return sum(block.nbytes for block in self._idle)

    def expect(self, program: Any, nbytes: int) -> None:
        """A program needs an arena of so many bytes in each call, as long as it lives."""
        with self._lock:
            self._needs[id(program)] = nbytes
        weakref.finalize(program, self._forget, id(program)).atexit = False
        empty_cache()  # what recording the program has used

    def take(self, nbytes: int) -> np.ndarray:
        """A block of at least so many bytes.

        Raises:
            MemoryError: there is none.
        """
        with self._lock:
            for i, block in enumerate(self._idle):
                if block.nbytes >= nbytes:
                    return self._idle.pop(i)
            self._idle.clear()  # they were too small, and the new one will do for all that they do
        return np.empty(nbytes, np.uint8)

    def put_back(self, block: np.ndarray) -> None:
        """Nobody uses a block any more."""
        limit = largest_kept() if self._limit is None else self._limit
        with self._lock:
            is_wanted = block.nbytes <= max(self._needs.values(), default=0)
            if is_wanted and self.nbytes + block.nbytes <= limit:
                self._idle.append(block)
                self._idle.sort(key=lambda each: each.nbytes)

    def _forget(self, program: int) -> None:
        with self._lock:
            self._needs.pop(program, None)
            largest = max(self._needs.values(), default=0)
            self._idle = [block for block in self._idle if block.nbytes <= largest]


blocks = Blocks()
if hasattr(os, "register_at_fork"):  # a child in which nobody would ever give back the lock could not run
    os.register_at_fork(after_in_child=blocks.begin_anew)
