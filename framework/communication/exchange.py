"""What processes exchange: each function is called by all processes of a group, in the same order.

Before anything is exchanged, all meet: each tells what it is about to do, with which types and shapes, and at which line.
Where these differ all raise the same error, which says so of each of them. What is reduced is reduced in one order,

    for h = the largest power of two below n, h/2, …, 1:   x[i] = x[i] + x[i + h]   for i < h, where i + h < n

a binary tree by the number i of the process, whichever way the parts travel. MPI moves bytes and adds nothing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anfora.communication import world
from anfora.communication.world import Group
from anfora.core.errors import OpRuntimeError, OpValueError
from anfora.core.span import calling_frame

__all__ = [
    "COMBINE", "all_gather", "all_reduce", "broadcast", "gather_bytes", "halves", "inside", "meet", "reduce_scatter",
    "refuse_inside", "watcher",
]  # fmt: skip

_TICKET = 512  #: bytes in which a process tells what it is about to do
_SPIN = 200e-6  #: seconds that are spent looking, before the process sleeps between looks
_LONGEST_SLEEP = 1e-3
_SHORT = 1 << 15  #: bytes up to which whole buffers are exchanged, since the number of messages counts more

#: How two parts become one. Both operands are arrays of one type; the result is written into the first.
COMBINE: dict[str, Callable[[np.ndarray, np.ndarray], Any]] = {
    "sum": lambda a, b: np.add(a, b, out=a),
    "prod": lambda a, b: np.multiply(a, b, out=a),
    "max": lambda a, b: np.maximum(a, b, out=a),
    "min": lambda a, b: np.minimum(a, b, out=a),
}


def halves(count: int) -> list[int]:
    """The distances of the tree of so many parts, the largest first.

    Example:
        >>> halves(4), halves(6), halves(1)
        ([2, 1], [4, 2, 1], [])
    """
    return [1 << level for level in reversed(range(max(0, count - 1).bit_length()))]


def _timeout() -> float:
    """Seconds that a process waits for the others: `ANFORA_COMM_TIMEOUT`, 0 for ever."""
    named = os.environ.get("ANFORA_COMM_TIMEOUT", "")
    try:
        return float(named) if named else 1800.0
    except ValueError:
        raise OpValueError(f"ANFORA_COMM_TIMEOUT is a number of seconds, but it is {named!r}") from None


class _Meeting:
    """One operator that all processes of a group take part in."""

    def __init__(self, group: Group, who: str) -> None:
        self.group, self.who = group, who
        group.meetings += 1
        self.number = group.meetings
        frame = calling_frame()
        self.place = "" if frame is None else f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"
        peers = world.peers()
        if peers is not None:
            peers.meetings[group.name] = self.number

    def wait(self, requests: Sequence[Any]) -> None:
        """Until MPI has done what was asked of it."""
        from mpi4py import MPI

        test = MPI.Request.Testall
        requests = list(requests)
        if test(requests):
            return
        start = time.monotonic()
        while time.monotonic() - start < _SPIN:
            if test(requests):
                return
        self._sleep_until(lambda: test(requests), start)

    def _sleep_until(self, is_done: Callable[[], bool], start: float) -> None:
        peers, limit, pause = world.peers(), _timeout(), 2e-5
        peers.waiting = f"{self.who} at {self.place}"
        try:
            while not is_done():
                if peers.trouble is not None or peers.left:
                    if is_done():  # what another process has sent before it left
                        return
                    peers.check(self.who, self.group.ranks, self.group.name, self.number)
                if limit and time.monotonic() - start > limit:
                    self._give_up(peers, limit)
                time.sleep(pause)
                pause = min(_LONGEST_SLEEP, 1.5 * pause)
        finally:
            peers.waiting = None

    def _give_up(self, peers: Any, limit: float) -> None:
        told = [f"process {rank} {place}" for rank, place in sorted(peers.places(self.group.ranks).items())]
        raise OpRuntimeError(
            f"{self.who}: process {peers.rank} has waited {limit:g} s for the others: {'; '.join(told)}",
            help="ANFORA_COMM_TIMEOUT sets another number of seconds, 0 for ever.",
        )


class _Inside:
    """Where the program is: in a micro-batch, it must not exchange anything, as results would depend on who computes it."""

    micro_batch: int | None = None


inside = _Inside()


class _Watcher:
    """Who wants to know of each exchange before it begins: group, operator, arrays, shapes of what comes, its source."""

    note: Callable[..., None] | None = None


watcher = _Watcher()


def refuse_inside(who: str) -> None:
    """Raise an error inside of a micro-batch."""
    if inside.micro_batch is not None:
        raise OpRuntimeError(
            f"{who} in micro-batch {inside.micro_batch}: the result would depend on how many processes there are",
            help="call it outside of the function that is distributed.",
        )


def meet(
    group: Group,
    who: str,
    what: str,
    *,
    sends: Sequence[np.ndarray] = (),
    gives: Sequence[tuple[int, ...]] | None = None,
    root: int | None = None,
) -> _Meeting:
    """All processes of a group come together, and say what they are about to do.

    Args:
        who: the operator, for messages.
        what: everything that must be the same in all of them.
        sends, gives, root: for the file of what is exchanged (`orders.py`): the arrays; the shapes of what comes, None if
            they are the same; the process from which it comes.
    Raises:
        OpRuntimeError: it is not the same; a process does not come.
    """
    refuse_inside(who)
    if watcher.note is not None:
        watcher.note(group, who, sends, [array.shape for array in sends] if gives is None else gives, root)
    meeting = _Meeting(group, who)
    if group.size == 1:
        return meeting
    if group.rank is None:
        raise OpValueError(f"{who}: this process is not in the group {group.name!r}, which is {list(group.ranks)}")
    mine = f"{who}({what})\0{meeting.place}".encode()[:_TICKET]
    tickets = np.zeros((group.size, _TICKET), np.uint8)
    ticket = np.zeros(_TICKET, np.uint8)
    ticket[: len(mine)] = np.frombuffer(mine, np.uint8)
    meeting.wait([group.comm.Iallgather(ticket, tickets)])
    if (tickets == tickets[0]).all():
        return meeting
    told = [bytes(each).rstrip(b"\0").decode(errors="replace").partition("\0") for each in tickets]
    if len({what for what, _, _ in told}) > 1:
        lines = [f"    process {rank}: {what} at {place}" for rank, (what, _, place) in zip(group.ranks, told)]
        raise OpRuntimeError(
            "the processes do not do the same:\n" + "\n".join(lines),
            help="all processes must call the same operators, in the same order, with equal types and shapes.",
        )
    return meeting


def _bytes(array: np.ndarray) -> Any:
    return array.reshape(-1).view(np.uint8)


def _swap(meeting: _Meeting, other: int, mine: np.ndarray, theirs: np.ndarray) -> None:
    """Send an array to a process of the group while its own comes."""
    comm = meeting.group.comm
    meeting.wait([comm.Irecv(_bytes(theirs), other, 7), comm.Isend(_bytes(mine), other, 7)])


def all_reduce(meeting: _Meeting, array: np.ndarray, combine: Callable) -> None:
    """Reduce an array, contiguous and of one axis, over the processes, in place, in the order that is written above."""
    group = meeting.group
    if group.size == 1 or array.size == 0:
        return
    assert group.rank is not None
    distances = halves(group.size)
    if group.size != 2 * distances[0] or array.nbytes <= _SHORT:
        _by_whole(meeting, array, combine, distances)
    else:
        _by_parts(meeting, array, combine, distances)


def _by_whole(meeting: _Meeting, array: np.ndarray, combine: Callable, distances: list[int]) -> None:
    """The tree, with whole arrays. Where the number of processes is no power of two, the last ones only send theirs, and
    get the result."""
    group = meeting.group
    rank, comm, first = group.rank, group.comm, distances[0]
    assert rank is not None
    theirs = np.empty_like(array)
    if group.size != 2 * first:
        if rank >= first:
            meeting.wait([comm.Isend(_bytes(array), rank - first, 7)])
            meeting.wait([comm.Irecv(_bytes(array), rank - first, 7)])
            return
        if rank + first < group.size:
            meeting.wait([comm.Irecv(_bytes(theirs), rank + first, 7)])
            combine(array, theirs)
        distances = distances[1:]
    for distance in distances:
        other = rank ^ distance
        _swap(meeting, other, array, theirs)
        if rank < other:
            combine(array, theirs)
        else:
            combine(theirs, array)
            array[:] = theirs
    if group.size != 2 * first and rank + first < group.size:
        meeting.wait([comm.Isend(_bytes(array), rank + first, 7)])


def _by_parts(meeting: _Meeting, array: np.ndarray, combine: Callable, distances: list[int]) -> None:
    """The tree, where each process reduces the part that stays with it, and the parts are gathered then: each byte travels
    half as far."""
    rank = meeting.group.rank
    assert rank is not None
    steps = []
    low, high = 0, array.size
    for distance in distances:
        middle = (low + high) // 2
        is_lower = not rank & distance
        kept, sent = (
            (slice(low, middle), slice(middle, high)) if is_lower else (slice(middle, high), slice(low, middle))
        )
        theirs = np.empty(kept.stop - kept.start, array.dtype)
        _swap(meeting, rank ^ distance, array[sent], theirs)
        if is_lower:
            combine(array[kept], theirs)
        else:
            combine(theirs, array[kept])
            array[kept] = theirs
        steps.append((distance, kept, sent))
        low, high = kept.start, kept.stop
    for distance, kept, sent in reversed(steps):
        _swap(meeting, rank ^ distance, array[kept], array[sent])


def reduce_scatter(meeting: _Meeting, array: np.ndarray, combine: Callable) -> np.ndarray:
    """The part of this process of the reduced array, whose first axis is cut into equal parts; the array is used up."""
    group = meeting.group
    all_reduce(meeting, array.reshape(-1), combine)
    length = len(array) // group.size
    start = (group.rank or 0) * length
    return array[start : start + length]


def all_gather(meeting: _Meeting, array: np.ndarray) -> np.ndarray:
    """The contiguous arrays of all processes, on a new first axis."""
    group = meeting.group
    found = np.empty((group.size, *array.shape), array.dtype)
    if group.size == 1 or array.size == 0:
        found[...] = array
    else:
        meeting.wait([group.comm.Iallgather(_bytes(array), _bytes(found))])
    return found


def gather_bytes(group: Group, who: str, what: str, message: bytes) -> list[bytes]:
    """What each process of the group says, of any length.

    Args:
        who, what: as for `meet`.
    """
    lengths = [int(length) for [length] in all_gather(meet(group, who, what), np.array([len(message)]))]
    ticket = np.zeros(max(lengths), np.uint8)
    ticket[: len(message)] = np.frombuffer(message, np.uint8)
    every = all_gather(meet(group, who, what), ticket)
    return [bytes(each[:length]) for each, length in zip(every, lengths)]


def broadcast(meeting: _Meeting, array: np.ndarray, root: int) -> None:
    """Give all processes the contiguous array of one, in place.

    Args:
        root: its number in the group.
    """
    if meeting.group.size > 1 and array.size:
        meeting.wait([meeting.group.comm.Ibcast(_bytes(array), root)])
