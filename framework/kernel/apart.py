"""Work that no handler of a signal may break off: done in another thread, and never in the middle of a fork.

Python calls the handlers of signals in the main thread, between any two instructions. An exception that one raises, for
Ctrl-C or a timeout, leaves what that thread is doing: in the middle of llvmlite or numba, a lock that nobody gives back, on
which the next thread that compiles waits for ever, or a library that is half linked. So the main thread does no such work.
It hands it to another thread, which no handler meets, and waits; an exception ends the waiting alone. What was begun is
done to its end, and serves whoever asks next.

A forked process has none of the other threads, but the locks that they held. So who forks waits until nobody is at work.
"""

from __future__ import annotations

import _thread
import atexit
import os
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from anfora.kernel.heap import require

__all__ = ["apart", "apart_together"]

_T = TypeVar("_T")

_TO_START = 256 << 20  #: bytes of address space for a thread: its stack, and the room that glibc keeps for each


def apart(work: Callable[[], _T]) -> _T:
    """What a function gives, or raises. For the main thread another one calls it.

    Where no thread can be made, for want of memory say, the main thread does it after all.
    """
    if threading.get_ident() != threading.main_thread().ident:
        return _at_work(work)
    task = _begun(work)
    return _at_work(work) if task is None else task.result()


def apart_together(work: Callable[[], None], threads: int) -> None:
    """Let so many threads call a function, or as many as can be made, and wait for all. What it raises is not told."""
    for task in [_begun(work) for _ in range(threads)]:
        if task is not None:
            task.wait()


class _Task(Generic[_T]):
    """Work for a thread that is made for it. All that it shares with who waits is a lock which that one may let go of."""

    _value: _T

    def __init__(self, work: Callable[[], _T]) -> None:
        self._work = work
        self._error: BaseException | None = None
        self._is_running = _thread.allocate_lock()
        self._is_running.acquire()

    def run(self) -> None:
        try:
            self._value = _at_work(self._work)
        except BaseException as error:
            self._error = error
        finally:
            self._is_running.release()

    def wait(self) -> None:
        self._is_running.acquire()

    def result(self) -> _T:
        """What came of the work."""
        self.wait()
        error, self._error = self._error, None
        if error is not None:
            raise error
        return self._value


def _begun(work: Callable[[], _T]) -> _Task[_T] | None:
    """The work, as something that another thread does from now on; None where there is none to be had.

    It is a thread that `threading` does not know: the program sees its own alone.
    """
    task = _Task(work)
    try:
        require(_TO_START, "a thread")
        _thread.start_new_thread(task.run, ())
    except (MemoryError, RuntimeError):
        return None
    return task


# -- forks ------------------------------------------------------------------------------------------------------------

_forking = _thread.allocate_lock()  #: held while somebody is at work, or forks
_counting = _thread.allocate_lock()
_count = 0  #: of threads at work
_own = threading.local()


def _at_work(work: Callable[[], _T]) -> _T:
    """What a function gives, while nobody forks."""
    global _count
    if getattr(_own, "is_at_work", False):
        return work()
    with _counting:
        if _count == 0:
            _forking.acquire()
        _count += 1
    _own.is_at_work = True
    try:
        return work()
    finally:
        _own.is_at_work = False
        with _counting:
            _count -= 1
            if _count == 0:
                _forking.release()


def _begin_anew() -> None:
    """In a child of a fork, where the other threads are not."""
    global _count
    _count = 0
    _forking.release()


def _wait() -> None:
    """Python waits for no such thread at its end, and one in the middle of LLVM would find its memory gone."""
    with _forking:
        pass


atexit.register(_wait)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_forking.acquire, after_in_parent=_forking.release, after_in_child=_begin_anew)
