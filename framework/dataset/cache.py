"""Rows that are kept once they have been computed: `cache=DatasetCache(…)` of a source or of `map`.

A row is kept by the sample it is made of, so it is found again in another epoch, order or part. Rows lie in a file without
a name that is memory, and those that find no room there, if the program asks for it, in one on disk. Worker processes have
both with the program: what one of them has computed the others read. Nobody waits for anybody: a row is appended, which the
system does as a whole, and only then its place is written into a table, as one word.
"""

from __future__ import annotations

import logging
import mmap
import os
import pickle
import struct
import tempfile
import threading
import weakref
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from anfora.core.arguments import answers
from anfora.core.errors import OpRuntimeError
from anfora.dataset import checks
from anfora.dataset.blocks import Block
from anfora.dataset.functions import named
from anfora.dataset.mapping import Map
from anfora.dataset.node import Node, Run, Through, descendants

__all__ = ["Cached", "CacheStatistics", "DatasetCache", "with_cache"]

_log = logging.getLogger("anfora.dataset")
_HEAD = struct.Struct("<qq")  # the sample's number, the length of what follows
_MIB = 1 << 20


class CacheStatistics(NamedTuple):
    """What a cache holds: bytes of a row on average, rows in memory, rows on disk."""

    avg_cache_sz: int
    num_mem_cached: int
    num_disk_cached: int


@answers
class DatasetCache:
    """Memory for rows, so that a later epoch does not compute them again. Given as `cache` to a source or to `map`.

    Rows are the same with and without it. They are kept for as long as the dataset is there, and are found by all its
    iterators and workers; what finds no room is computed each time, and that is told once.

    Args:
        session_id: 1 to 2³² - 1; kept: there is no server, and nothing to start.
        size: how much memory, in MiB, all its rows together may take. 0 for half of what the machine, or the group of
            processes that this one belongs to, has available when the first row is kept.
        spilling: whether further rows go to a file in the folder for temporary files, up to half of what is free there.
            It has no name: it is gone when the dataset is, or the process.
        hostname, port, num_connections, prefetch_size: MindSpore's; kept, without effect.
    A `map` with a cache, and what lies below, must make the same of a sample each time: random transforms are refused. A
    function of the program is taken to do so. Sources that already are in memory keep nothing twice; below a generator,
    a filter or batches rows are no samples, so none are kept, which is told.
    Raises:
        OpTypeError, OpValueError: an argument has another type or is out of range.
        OpRuntimeError: by `map` or the source: what would be kept is random.
    Example:
        >>> from anfora.dataset import DatasetCache, NumpySlicesDataset
        >>> cache = DatasetCache(session_id=1, size=16)
        >>> rows = NumpySlicesDataset([1, 2, 3]).map(lambda x: x * 2, cache=cache)
        >>> len(list(rows)), cache.get_stat().num_mem_cached
        (3, 3)
    """

    def __init__(
        self, session_id: int, size: int = 0, spilling: bool = False, hostname: str | None = None,
        port: int | None = None, num_connections: int | None = None, prefetch_size: int | None = None,
    ) -> None:  # fmt: skip
        self.session_id = checks.integer_in("session_id", session_id, 1, 2**32 - 1)
        self.size = checks.integer_in("size", size, 0, 2**44)
        self.spilling = checks.boolean("spilling", spilling)
        if hostname is not None and not isinstance(hostname, str):
            raise checks.wrong_type("hostname", hostname, str)
        self.hostname = hostname
        self.port = None if port is None else checks.integer_in("port", port, 1025, 65535)
        self.num_connections, self.prefetch_size = (
            None if value is None else checks.integer_in(name, value, 1)
            for name, value in (("num_connections", num_connections), ("prefetch_size", prefetch_size))
        )
        self._stores: weakref.WeakSet[_Store] = weakref.WeakSet()
        self._limits: tuple[int, int] | None = None

    def get_stat(self) -> CacheStatistics:
        """What it holds now."""
        memory, disk, size = 0, 0, 0
        for store in list(self._stores):
            memory += int((store.places > 0).sum())
            disk += int((store.places < 0).sum())
            size += sum(store.sizes())
        return CacheStatistics(size // max(1, memory + disk), memory, disk)

    def limits(self) -> tuple[int, int]:
        """How many bytes may lie in memory, and on disk."""
        if self._limits is None:
            disk = 0
            if self.spilling:
                free = os.statvfs(tempfile.gettempdir())
                disk = free.f_bavail * free.f_frsize // 2
            self._limits = self.size * _MIB if self.size else _available() // 2, disk
        return self._limits

    def used(self) -> tuple[int, int]:
        """How many do."""
        sizes = [store.sizes() for store in list(self._stores)]
        return sum(memory for memory, _ in sizes), sum(disk for _, disk in sizes)

    def __deepcopy__(self, memo: dict) -> DatasetCache:
        return self


def _available() -> int:
    """The bytes of memory that nobody needs: of the machine, and of the group of processes if that has a limit."""
    found = []
    with open("/proc/meminfo", encoding="ascii") as lines:
        found += [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
    try:
        with open("/sys/fs/cgroup/memory.max", encoding="ascii") as most:
            limit = most.read().strip()
        with open("/sys/fs/cgroup/memory.current", encoding="ascii") as now:
            if limit != "max":
                found.append(max(0, int(limit) - int(now.read())))
    except OSError:
        pass  # no such group
    return min(found, default=1 << 30)


class _Store:
    """The rows of one node.

    Args:
        cache: whose limits it keeps.
        total: how many samples there are.
    """

    def __init__(self, cache: DatasetCache, total: int) -> None:
        self.cache = cache
        # For each sample the byte behind which it begins: from 1 on in memory, from -1 on, downwards, on disk. Behind them
        # one word that says whether it has been told that there is no room.
        self._table = np.frombuffer(mmap.mmap(-1, 8 * (total + 1)), np.int64)
        self.places = self._table[:total]
        self._files = [os.memfd_create("anfora-cache")]
        if cache.spilling:
            with tempfile.TemporaryFile() as file:
                self._files.append(os.dup(file.fileno()))
        self._mine: tuple[int, list[int], threading.Lock] | None = None
        weakref.finalize(self, _close, self._files)
        cache._stores.add(self)

    def sizes(self) -> tuple[int, int]:
        """The bytes in memory and on disk."""
        memory, *disk = (os.fstat(file).st_size for file in self._files)
        return memory, sum(disk)

    def _own(self) -> tuple[list[int], threading.Lock]:
        """The files, with places to append at that are this process's own."""
        if self._mine is None or self._mine[0] != os.getpid():
            own = [os.open(f"/proc/self/fd/{file}", os.O_RDWR | os.O_APPEND | os.O_CLOEXEC) for file in self._files]
            weakref.finalize(self, _close, own)
            self._mine = os.getpid(), own, threading.Lock()
        return self._mine[1:]

    def get(self, sample: int) -> list[Any] | None:
        """The row of a sample; None if it is not there."""
        place = int(self.places[sample])
        if not place:
            return None
        file, begin = (self._files[0], place - 1) if place > 0 else (self._files[1], -place - 1)
        number, length = _HEAD.unpack(os.pread(file, _HEAD.size, begin))
        assert number == sample
        row: list[Any] = pickle.loads(os.pread(file, length, begin + _HEAD.size))
        return row

    def put(self, sample: int, row: Sequence[Any]) -> None:
        """Keep a row, if there is room."""
        if self.places[sample] or self._table[-1]:
            return
        data = pickle.dumps(list(row), protocol=pickle.HIGHEST_PROTOCOL)
        record = _HEAD.pack(sample, len(data)) + data
        files, lock = self._own()
        for sign, file, used, limit in zip((1, -1), files, self.cache.used(), self.cache.limits()):
            if used + len(record) > limit:
                continue
            with lock:  # between appending and asking where that was
                try:
                    if os.write(file, record) != len(record):
                        continue
                except OSError:
                    continue
                end = os.lseek(file, 0, os.SEEK_CUR)
            self.places[sample] = sign * (end - len(record) + 1)
            return
        self._table[-1] = 1
        kept = int((self.places != 0).sum())
        _log.warning(
            "the cache is full with %d of %d rows (%s MiB): the others are computed each time",
            kept, len(self.places), ", ".join(f"{used / _MIB:.1f}" for used in self.cache.used()[: len(files)]),
        )  # fmt: skip


def _close(files: list[int]) -> None:
    for file in files:
        os.close(file)


class Cached(Through):
    """Rows that are computed once.

    Args:
        child: what computes them.
        cache: where they are kept.
    """

    def __init__(self, child: Node, cache: DatasetCache) -> None:
        super().__init__(child)
        for node in descendants(child):
            for operation in node.operations if isinstance(node, Map) else ():
                if getattr(operation, "random", False) is True:
                    raise OpRuntimeError(
                        f"a cache keeps what is the same in each epoch, but {named(operation)} below it is random",
                        help="give the cache to the source or to a map before; random transforms come in a map behind.",
                        arg="cache",
                    )
        self.labels = child.labels
        total = child.sample_count
        self._store = None if total is None else _Store(cache, total)
        if total is None:
            _log.warning(
                "the cache keeps nothing: rows here are not made of one sample each of a source with random access"
            )

    def rows(self, run: Run, epoch: int, positions: np.ndarray) -> Block:
        store = self._store
        if store is None:
            return self.child.rows(run, epoch, positions)
        samples = self.child.samples(run, epoch, positions).tolist()
        found = [store.get(sample) for sample in samples]
        missing = [number for number, row in enumerate(found) if row is None]
        if not missing:
            return Block.of_rows(found)  # type: ignore[arg-type]
        made = self.child.rows(run, epoch, positions[missing])
        for place, number in enumerate(missing):
            store.put(samples[number], made.row(place))
        if len(missing) == len(found):
            return made
        for place, number in enumerate(missing):
            found[number] = made.row(place)
        return Block.of_rows(found, made.borrowed)  # type: ignore[arg-type]

    def stream(self, run: Run, epoch: int, start: int) -> Any:
        return run.stream(self.child, epoch, start)


def with_cache(node: Node, cache: Any, in_memory: bool = False) -> Node:
    """A node under the cache that a program asks for, if it does; nothing is kept that already is `in_memory`."""
    if cache is None:
        return node
    if not isinstance(cache, DatasetCache):
        raise checks.wrong_type("cache", cache, DatasetCache)
    return node if in_memory else Cached(node, cache)
