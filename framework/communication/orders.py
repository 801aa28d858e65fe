"""The order in which processes exchange: kept in a file by each, and compared.

Processes whose groups overlap must come to their exchanges in orders that fit together: if one waits in group A before it
goes to group B, and another the other way round, both wait for ever. Each exchange gets a name that all its processes give
it (operator, group, and which one of these it is), and two things are looked for: exchanges that some process of the group
does not have, and circles of "before".

`comm_exec_order_check("start")` lets this process write down what it exchanges, in MindSpore's format and before it waits,
so that the file of a program that hangs tells where. `runtime_execution_order_check` compares such files.
"""

from __future__ import annotations

import csv
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from anfora import log
from anfora.communication import exchange, world
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.settings import get_context

__all__ = [
    "CommExecOrderCheck", "ExecuteOrder", "RankFolderParser", "comm_exec_order_check", "detect_cycle_in_graph",
    "determine_all_rank", "modify_execute_orders", "output_cycle_results", "parse_and_validate",
    "runtime_execution_order_check",
]  # fmt: skip

_COLUMNS = [
    "index", "group", "comm_rank", "primitive", "src_rank", "dest_rank", "root_rank", "input_shape", "input_type",
    "output_shape", "output_type", "input_size", "output_size",
]  # fmt: skip
_FOLDER, _FILE = "execute_order", "comm_execute_order.csv"
_SENDS = ("Send", "DistCommIsend", "InnerCommIsend")
_RECEIVES = ("Receive", "DistCommIrecv", "InnerCommIrecv")


class ExecuteOrder:
    """One exchange of one process: a row of its file.

    Args:
        index: where it stands in the file.
        group: name of the group of processes.
        comm_rank: numbers of the processes of that group, with spaces between.
        primitive: the operator.
        src_rank, dest_rank: who sends to whom, of `Send` and `Receive`; empty for others.
        root_rank: the process from which the data come, of a broadcast; empty for others.
        input_shape, output_shape: what is sent, and what comes.
    Example:
        >>> ExecuteOrder("1", "A", "0 1", "AllReduce").generate_key("0", 2)
        'AllReduce_A_(0,1)_2th'
    """

    def __init__(
        self,
        index: str,
        group: str,
        comm_rank: str,
        primitive: str,
        src_rank: str = "",
        dest_rank: str = "",
        root_rank: str = "",
        input_shape: str = "",
        output_shape: str = "",
    ) -> None:
        self.index, self.group, self.comm_rank, self.primitive = index, group, comm_rank.split(), primitive
        self.src_rank, self.dest_rank, self.root_rank = src_rank, dest_rank, root_rank
        self.input_shape, self.output_shape = input_shape, output_shape

    def generate_base_key(self, rank: str) -> str:
        """What all processes that take part call it, but for which one of several it is.

        Args:
            rank: number of the process whose row this is.
        Example:
            >>> ExecuteOrder("1", "A", "0 1", "Send", dest_rank="1", input_shape="[2]").generate_base_key("0")
            'Send_Receive_A_(0)->(1)_[2]'
        """
        is_between_two = self.src_rank or self.dest_rank or self.root_rank
        if is_between_two and self.primitive in _SENDS:
            return f"Send_Receive_{self.group}_({rank})->({self.dest_rank})_{self.input_shape}"
        if is_between_two and self.primitive in _RECEIVES:
            return f"Send_Receive_{self.group}_({self.src_rank})->({rank})_{self.output_shape}"
        members = ",".join(self.comm_rank)
        if not is_between_two:
            return f"{self.primitive}_{self.group}_({members})"
        ends = (("srcRank", self.src_rank), ("destRank", self.dest_rank), ("rootRank", self.root_rank))
        told = [f"{name}:({value})" for name, value in ends if value]
        return "_".join([self.primitive, self.group, f"commRank:({members})", *told])

    def generate_key(self, rank: str, count: int) -> str:
        """The name of the exchange, which no other one has.

        Args:
            rank: number of the process whose row this is.
            count: how many with this base key it has made, this one included.
        Example:
            >>> ExecuteOrder("1", "A", "0 1", "Broadcast", root_rank="0").generate_key("1", 1)
            'Broadcast_A_commRank:(0,1)_rootRank:(0)_1th'
        """
        return f"{self.generate_base_key(rank)}_{count}th"


class RankFolderParser:
    """Reads the files of several processes.

    Args:
        folders: a folder or a list of them, by absolute paths: the folder `rank_…` of a process, or one with such folders.
    Attributes:
        folders: the list of folders.
        result_map: what `parse` has found.
    Raises:
        OpValueError: a path is not absolute, or does not exist; a folder has no folder of a process; a process comes twice.
    Example:
        >>> import os, tempfile
        >>> place = tempfile.mkdtemp()
        >>> os.makedirs(os.path.join(place, "rank_0", "execute_order"))
        >>> RankFolderParser(place).parse()  # says in the log that the file is not there
        {}
    """

    REQUIRED_COLUMNS = _COLUMNS

    def __init__(self, folders: str | list[str]) -> None:
        self.folders = [folders] if isinstance(folders, str) else folders
        self.result_map: dict[str, list[ExecuteOrder]] = {}
        names = [os.path.basename(each) for each in self._processes()]
        again = sorted(name for name, count in Counter(names).items() if count > 1)
        if again:
            raise OpValueError(
                f"RankFolderParser: each process has one folder, but {', '.join(again)} come more than once"
            )

    def _processes(self) -> Iterator[str]:
        """The folders of all processes."""
        for folder in self.folders:
            if not os.path.isabs(folder):
                raise OpValueError(f"RankFolderParser needs absolute paths, but got {folder!r}", arg="folders")
            if not os.path.isdir(folder):
                raise OpValueError(f"RankFolderParser: there is no folder {folder!r}", arg="folders")
            if os.path.basename(folder).startswith("rank_"):
                yield folder
                continue
            below = sorted(os.path.join(folder, name) for name in os.listdir(folder) if name.startswith("rank_"))
            below = [each for each in below if os.path.isdir(each)]
            if not below:
                raise OpValueError(
                    f"RankFolderParser: {folder!r} is no folder of a process, and has none",
                    arg="folders",
                    help="such a folder is named rank_0, rank_1, …",
                )
            yield from below

    def parse(self) -> dict[str, list[ExecuteOrder]]:
        """Read the files of all processes; what cannot be read is told in the log.

        Returns:
            dict from the number of a process, a string, to its rows.
        """
        for folder in self._processes():
            rank, orders = self.parse_rank_folder(
                os.path.join(folder, _FOLDER), os.path.basename(folder)[len("rank_") :]
            )
            if orders is not None:
                self.result_map[rank] = orders
        return self.result_map

    def parse_rank_folder(self, rank_folder_path: str, rank_id: str) -> tuple[str, list[ExecuteOrder] | None]:
        """Read the file of one process.

        Args:
            rank_folder_path: the folder with the file `comm_execute_order.csv`.
            rank_id: number of the process.
        Returns:
            (number, rows); None for rows if there is no such file, or with other columns, which is told in the log.
        """
        file = os.path.join(rank_folder_path, _FILE)
        try:
            with open(file, encoding="utf-8", newline="") as source:
                return rank_id, _read(source)
        except OSError as error:
            log.error(f"process {rank_id} has no file {file!r} that could be read: {error}")
        except OpValueError as error:
            log.error(f"process {rank_id}, file {file!r}: {error.message}")
        return rank_id, None


def _read(source: Iterable[str]) -> list[ExecuteOrder]:
    rows = csv.reader(source)
    titles = next(rows, [])
    if titles != _COLUMNS:
        raise OpValueError(
            f"the first line names the columns {','.join(_COLUMNS)}, but here it is {','.join(titles)!r}"
        )
    taken = [_COLUMNS.index(name) for name in _KEPT]
    found = []
    for number, row in enumerate(rows, 2):
        if len(row) != len(_COLUMNS):
            raise OpValueError(f"line {number} has {len(row)} of {len(_COLUMNS)} columns")
        found.append(ExecuteOrder(*[row[i] for i in taken]))
    return found


#: The columns that an `ExecuteOrder` is made of, in the order of its arguments.
_KEPT = [
    "index", "group", "comm_rank", "primitive", "src_rank", "dest_rank", "root_rank", "input_shape", "output_shape",
]  # fmt: skip


def modify_execute_orders(execute_orders_map: dict[str, Any]) -> dict[str, list[str]]:
    """The names of exchanges, in the order in which each process comes to them.

    Args:
        execute_orders_map: dict from the number of a process to its list of `ExecuteOrder`, or None.
    Returns:
        dict from the number of a process to the list of names, among which none comes twice.
    Example:
        >>> row = ExecuteOrder("1", "A", "0 1", "AllReduce")
        >>> modify_execute_orders({"0": [row, row], "1": None})
        {'0': ['AllReduce_A_(0,1)_1th', 'AllReduce_A_(0,1)_2th'], '1': []}
    """
    result: dict[str, list[str]] = {}
    for rank, orders in execute_orders_map.items():
        seen: Counter[str] = Counter()
        result[rank] = names = []
        for order in orders or ():
            base = order.generate_base_key(rank)
            seen[base] += 1
            names.append(order.generate_key(rank, seen[base]))
    return result


def parse_and_validate(data: dict[str, list[str]], all_rank: bool = True) -> None:
    """Tell in the log which exchanges some process does not have that takes part in them.

    Args:
        data: dict from the number of a process to the names of its exchanges. The processes that take part stand in the
            first two pairs of parentheses of a name.
        all_rank: whether these are all processes; otherwise those that are not here are not missed.
    Example:
        >>> parse_and_validate({"0": ["AllReduce_A_(0,1)_1th"], "1": ["AllReduce_A_(0,1)_1th"]})  # nothing to tell
    """
    for complaint in _complaints(data, all_rank):
        log.error(complaint)


def _complaints(data: Any, all_rank: bool) -> Iterator[str]:
    if not isinstance(data, dict):
        yield f"the orders of processes are a dict, but got {type(data).__name__}"
        return
    whole = {
        key: names for key, names in data.items() if isinstance(names, list) and all(isinstance(x, str) for x in names)
    }
    for key in data:
        if key not in whole:
            yield f"process {key}: its exchanges are a list of names, but got {data[key]!r}"
    known = {key: set(names) for key, names in whole.items()}
    for key, names in whole.items():
        for name in names:
            members = _members(name)
            missing = sorted(members - known.keys()) if all_rank else []
            if missing:
                yield f"process {key} has {name!r}, but of process {', '.join(missing)} there is no order"
                continue
            for member in sorted(members & known.keys()):
                if name not in known[member]:
                    yield f"process {key} has {name!r}, but process {member}, which takes part, has not"


def _members(name: str) -> set[str]:
    """The processes that take part in an exchange of this name."""
    return {
        each.strip() for inside in re.findall(r"\(([^()]*)\)", name)[:2] for each in inside.split(",") if each.strip()
    }


def detect_cycle_in_graph(ranks_map: dict[str, list[str]]) -> tuple[list[str], list[str]] | tuple[None, None]:
    """A circle of exchanges each of which waits for the next one.

    Args:
        ranks_map: dict from a process to the names of its exchanges, in order.
    Returns:
        (names, the first again at the end; which process does each after which), or (None, None) if there is no circle.
    Example:
        >>> detect_cycle_in_graph({"0": ["A", "B"], "1": ["B", "A"]})
        (['A', 'B', 'A'], ['0 A -> B', '1 B -> A'])
        >>> detect_cycle_in_graph({"0": ["A", "B"], "1": ["A", "B"]})
        (None, None)
    """
    ranks: dict[tuple[str, str], str] = {}
    behind: dict[str, list[str]] = {}
    for rank, names in ranks_map.items():
        for first, second in pairwise(names):
            if (first, second) not in ranks:
                ranks[first, second] = rank
                behind.setdefault(first, []).append(second)
    done: set[str] = set()
    for start in behind:
        path: list[str] = []  # names that are walked through, and for each what is still to be looked at
        places: dict[str, int] = {}
        open_: list[Iterator[str]] = [iter((start,))]
        while open_:
            name = next(open_[-1], None)
            if name is None:
                open_.pop()
                if path:
                    done.add(path[-1])
                    del places[path.pop()]
            elif name in places:
                circle = [*path[places[name] :], name]
                return circle, [f"{ranks[a, b]} {a} -> {b}" for a, b in pairwise(circle)]
            elif name not in done:
                places[name] = len(path)
                path.append(name)
                open_.append(iter(behind.get(name, ())))
    return None, None


def determine_all_rank(folders_: str | list[str]) -> bool | None:
    """Whether these folders are taken for those of all processes: one is, several are not.

    Args:
        folders_: a folder or a list of them.
    Returns:
        bool; None if there is no folder at all.
    Example:
        >>> determine_all_rank("/runs"), determine_all_rank(["/runs/rank_0", "/runs/rank_1"]), determine_all_rank([])
        (True, False, None)
    """
    count = 1 if isinstance(folders_, str) and folders_ else len(folders_) if isinstance(folders_, list) else 0
    return None if count == 0 else count == 1


def output_cycle_results(cycle_path: list[str] | None, cycle_ranks: list[str] | None) -> None:
    """Tell in the log what `detect_cycle_in_graph` has found.

    Args:
        cycle_path, cycle_ranks: its two results.
    Example:
        >>> output_cycle_results(None, None)
    """
    if not cycle_path:
        log.info("the orders of all processes fit together")
        return
    log.error("processes wait for each other in a circle: " + " -> ".join(cycle_path))
    for step in cycle_ranks or ():
        log.error("process " + step)


def runtime_execution_order_check(folders_: str | list[str], all_rank: bool | None = None) -> None:
    """Tell in the log (errors of `anfora.log`) where processes exchange in orders that do not fit together.

    The files are those that `comm_exec_order_check("start")` has let each process write; that of a program which hangs ends
    with the exchange in which it waits.

    Args:
        folders_: a folder or a list of them, by absolute paths: the folder `rank_…` of a process, or one with such folders.
        all_rank: whether these are all processes; otherwise those that are not here are not missed. None: if it is one
            folder.
    Raises:
        OpValueError: a path is not absolute, or does not exist; a folder has no folder of a process; a process comes twice.
    Example:
        >>> import os, tempfile
        >>> place = tempfile.mkdtemp()
        >>> with ms.context(save_graphs_path=place):
        ...     comm_exec_order_check("start")
        ...     ops.Barrier()()
        ...     comm_exec_order_check("end")
        >>> runtime_execution_order_check(place)  # says nothing: one process fits
    """
    if all_rank is None:
        all_rank = determine_all_rank(folders_)
    if all_rank is None:
        log.error(f"runtime_execution_order_check needs a folder or a list of folders, but got {folders_!r}")
        return
    _check(RankFolderParser(folders_).parse(), all_rank)


def _check(found: dict[str, list[ExecuteOrder]], all_rank: bool) -> None:
    if not found:
        log.error("no process has an order that could be read")
    empty = [rank for rank, orders in found.items() if not orders]
    for rank in empty:
        log.error(f"process {rank} has exchanged nothing")
    if not found or empty:
        return
    names = modify_execute_orders(found)
    parse_and_validate(names, all_rank)
    output_cycle_results(*detect_cycle_in_graph(names))


# -- what a process keeps ---------------------------------------------------------------------------------------------


class _Journal:
    """The file of this process, while it is written."""

    def __init__(self, rank: int) -> None:
        folder = Path(get_context("save_graphs_path")) / f"rank_{rank}" / _FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        self.place = folder / _FILE
        self.file: TextIO = open(self.place, "w", encoding="utf-8", newline="")  # noqa: SIM115 (until `end`)
        self.writer = csv.writer(self.file)
        self.writer.writerow(_COLUMNS)
        self.count = 0

    def write(
        self, group: Any, who: str, sends: Sequence[np.ndarray], gives: Sequence[tuple], root: int | None
    ) -> None:
        """Note an exchange, before it begins."""
        shapes = [array.shape for array in sends], gives
        kinds = [array.dtype for array in sends]
        told = [column for side in shapes for column in (_list(map(list, side)), _list(kind.name for kind in kinds))]
        sizes = [sum(_size(shape) * kind.itemsize for shape, kind in zip(side, kinds)) for side in shapes]
        ranks = " ".join(map(str, group.ranks))
        self.writer.writerow([self.count, group.name, ranks, who, "", "", "" if root is None else root, *told, *sizes])
        self.file.flush()
        self.count += 1


def _list(values: Iterable[Any]) -> str:
    return ";".join(map(str, values))


def _size(shape: tuple) -> int:
    return int(np.prod(shape, dtype=np.int64))


class CommExecOrderCheck:
    """What `comm_exec_order_check` calls: there is one for the process.

    Attributes:
        is_collecting: whether exchanges are written down now.
    Example:
        >>> CommExecOrderCheck() is CommExecOrderCheck()
        True
    """

    _instance: CommExecOrderCheck | None = None
    journal: _Journal | None = None

    def __new__(cls) -> CommExecOrderCheck:
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    @property
    def is_collecting(self) -> bool:
        return self.journal is not None

    def __call__(self, action: str) -> None:
        if action == "start":
            self.start_function()
        elif action == "end":
            self.end_function()
        else:
            raise OpValueError(f"comm_exec_order_check: `action` is 'start' or 'end', but got {action!r}", arg="action")

    def start_function(self) -> None:
        """Begin to write down what this process exchanges."""
        if self.is_collecting:
            log.error("comm_exec_order_check: 'start' again, without an 'end' in between")
            return
        self.journal = _Journal(world.get_rank())
        exchange.watcher.note = self.journal.write

    def end_function(self) -> None:
        """End the file, and compare it with those of the other processes."""
        if self.journal is None:
            log.error("comm_exec_order_check: 'end' without a 'start' in front of it")
            return
        journal, self.journal, exchange.watcher.note = self.journal, None, None
        journal.file.close()
        group = world.group_of(None, "comm_exec_order_check")
        texts = exchange.gather_bytes(group, "comm_exec_order_check", "end", journal.place.read_bytes())
        found = {str(rank): _read(text.decode().splitlines()) for rank, text in zip(group.ranks, texts)}
        if group.rank == 0 and any(found.values()):
            _check(found, True)


def comm_exec_order_check(action: str) -> None:
    """Write down the order in which this process exchanges with others, and compare it with theirs.

    "start" begins the file `rank_…/execute_order/comm_execute_order.csv` in the folder that
    `set_context(save_graphs_path=…)` names; each exchange is written into it before it begins. "end" ends it, waits until
    all processes have come here, and tells in the log of process 0 where the orders do not fit together. The files of a
    program that hangs are read by `runtime_execution_order_check`.

    Args:
        action: "start" or "end". "start" twice, and "end" without "start", are errors in the log and nothing else.
    Raises:
        OpTypeError: `action` is no string.   OpValueError: it is another word.
        OpRuntimeError: at "end", if a process fails or does not come in time.
    Example:
        >>> import tempfile
        >>> with ms.context(save_graphs_path=tempfile.mkdtemp()):
        ...     comm_exec_order_check("start")
        ...     ops.Barrier()()
        ...     comm_exec_order_check("end")
    """
    if not isinstance(action, str):
        raise OpTypeError(f"comm_exec_order_check needs a string for `action`, but got {action!r}", arg="action")
    CommExecOrderCheck()(action)
