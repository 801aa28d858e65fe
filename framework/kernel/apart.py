"""Work that no handler of a signal may break off: done in another thread, and never in the middle of a fork.

Python calls the handlers of signals in the main thread, between any two instructions. An exception that one raises, for
Ctrl-C or a timeout, leaves what that thread is doing: in the middle of llvmlite or numba, a lock that nobody gives back, on
which the next thread that compiles waits for ever, or a library that is half linked. So the main thread does no such work.
It hands it to another thread, which no handler meets, and waits; an exception ends the waiting alone. What was begun is
done to its end, and serves whoever asks next. The other thread stays for a moment: a program needs its kernels one by one,
and on a busy machine it takes a millisecond until a new thread has its turn.

A forked process has none of the other threads, but the locks that they held. So who forks waits until nobody is at work.
"""

from __future__ import annotations

import _thread
import atexit
import os
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from anfora.core.own_builtins import undisturbed
from anfora.kernel.heap import require

__all__ = ["apart", "apart_together"]

_T = TypeVar("_T")

_PATIENCE = 1.0  #: seconds that a thread waits for more work
_TO_START = 256 << 20  #: bytes of address space for a thread: its stack, and the room that glibc keeps for each


@undisturbed
def apart(work: Callable[[], _T]) -> _T:
    """What a function gives, or raises. For the main thread another one calls it.

    llvmlite and numba find Python's own builtins meanwhile, whatever the program has put there.
    Where no thread can be made, for want of memory say, the main thread does it after all.
    """
    if threading.get_ident() != threading.main_thread().ident:
        return _at_work(work)
    task = _begun(work)
    return _at_work(work) if task is None else task.result()


@undisturbed
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

    def end(self) -> None:
        """Let who waits go on."""
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


class _Worker:
    """A thread that works off tasks, until none has come for a while.

    `threading` does not know it: the program sees its own threads alone.
    """

    def __init__(self, task: _Task) -> None:
        self._task: _Task | None = task
        self._has_task = _thread.allocate_lock()
        self._has_task.acquire()
        require(_TO_START, "a thread")
        _thread.start_new_thread(self._run, ())

    def give(self, task: _Task) -> None:
        """Give it a task; for who has taken it from the idle ones."""
        self._task = task
        self._has_task.release()

    def _run(self) -> None:
        while True:
            task, self._task = self._task, None
            assert task is not None
            task.run()
            _idle.append(self)  # who waits for this task finds it idle
            task.end()
            del task
            if not self._has_task.acquire(timeout=_PATIENCE):
                try:
                    _idle.remove(self)
                except ValueError:  # somebody has taken it just now
                    self._has_task.acquire()
                else:
                    return


_idle: list[_Worker] = []


def _begun(work: Callable[[], _T]) -> _Task[_T] | None:
    """The work, as something that another thread does from now on; None where there is none to be had."""
    task = _Task(work)
    try:
        _idle.pop().give(task)
    except IndexError:
        try:
            _Worker(task)
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
    _idle.clear()
    _forking.release()


def _wait() -> None:
    """Python waits for no such thread at its end, and one in the middle of LLVM would find its memory gone."""
    with _forking:
        pass


atexit.register(_wait)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_forking.acquire, after_in_parent=_forking.release, after_in_child=_begin_anew)
