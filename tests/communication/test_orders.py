"""The order in which processes exchange: what is written down, and whether it fits together."""

from __future__ import annotations

import csv
import itertools
import logging
import random

import pytest
from ranks import run, start, told

import anfora as ms
from anfora import Tensor, ops
from anfora.communication import orders
from anfora.communication.orders import ExecuteOrder, RankFolderParser, detect_cycle_in_graph, modify_execute_orders
from anfora.core.errors import OpTypeError, OpValueError

TITLES = (
    "index,group,comm_rank,primitive,src_rank,dest_rank,root_rank,"
    "input_shape,input_type,output_shape,output_type,input_size,output_size"
)


def folder_of(place, rank, rows):
    """The folder of a process with these rows: (group, processes, operator, source, destination, root)."""
    folder = place / f"rank_{rank}" / "execute_order"
    folder.mkdir(parents=True)
    lines = [f"{i},{','.join(map(str, row))},[2],float32,[2],float32,8,8" for i, row in enumerate(rows)]
    (folder / "comm_execute_order.csv").write_text("\n".join([TITLES, *lines]) + "\n")
    return str(folder.parent)


def errors(caplog):
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]


@pytest.fixture
def journal(tmp_path):
    """A folder for what this process writes."""
    with ms.context(save_graphs_path=str(tmp_path)):
        yield tmp_path


@pytest.mark.parametrize(
    "fields, rank, expected",
    [
        (("AllGather", "", "", ""), "3", "AllGather_g_(0,1,2)"),
        (("Send", "0", "1", ""), "0", "Send_Receive_g_(0)->(1)_[2]"),
        (("InnerCommIsend", "0", "2", ""), "0", "Send_Receive_g_(0)->(2)_[2]"),
        (("Receive", "0", "1", ""), "1", "Send_Receive_g_(0)->(1)_[4]"),
        (("DistCommIrecv", "1", "2", ""), "2", "Send_Receive_g_(1)->(2)_[4]"),
        (("Broadcast", "", "", "0"), "1", "Broadcast_g_commRank:(0,1,2)_rootRank:(0)"),
        (("Move", "1", "2", "0"), "1", "Move_g_commRank:(0,1,2)_srcRank:(1)_destRank:(2)_rootRank:(0)"),
        (("Send", "", "", ""), "0", "Send_g_(0,1,2)"),
    ],
)
def test_an_exchange_has_one_name_in_all_processes(fields, rank, expected):
    primitive, source, destination, root = fields
    order = ExecuteOrder("5", "g", "0 1 2", primitive, source, destination, root, "[2]", "[4]")
    assert order.generate_base_key(rank) == expected
    assert order.generate_key(rank, 7) == expected + "_7th"
    assert modify_execute_orders({rank: [order, order]}) == {rank: [expected + "_1th", expected + "_2th"]}


GATHER, OTHER = ("A", "0 1", "AllGather", "", "", ""), ("B", "0 1", "AllReduce", "", "", "")
MISSING = "process 0 has 'AllReduce_B_(0,1)_1th', but process 1, which takes part, has not"
CIRCLE = (
    "processes wait for each other in a circle: AllGather_A_(0,1)_1th -> AllReduce_B_(0,1)_1th -> AllGather_A_(0,1)_1th"
)
STEPS = [
    "process 0 AllGather_A_(0,1)_1th -> AllReduce_B_(0,1)_1th",
    "process 1 AllReduce_B_(0,1)_1th -> AllGather_A_(0,1)_1th",
]


@pytest.mark.parametrize(
    "files, expected",
    [
        (([GATHER, OTHER], [GATHER, OTHER]), []),
        (([GATHER, OTHER], [GATHER]), [MISSING]),
        (([GATHER, OTHER], [OTHER, GATHER]), [CIRCLE, *STEPS]),
        (([GATHER], []), ["process 1 has exchanged nothing"]),
        (([GATHER],), ["process 0 has 'AllGather_A_(0,1)_1th', but of process 1 there is no order"]),
        (
            ([("A", "0 1", "Send", 0, 1, "")], [("A", "0 1", "Receive", 0, 1, "")]),
            [],
        ),
        (
            ([("A", "0 1", "Send", 0, 1, "")] * 2, [("A", "0 1", "Receive", 0, 1, "")]),
            ["process 0 has 'Send_Receive_A_(0)->(1)_[2]_2th', but process 1, which takes part, has not"],
        ),
    ],
)
def test_files_that_fit_and_files_that_do_not(tmp_path, caplog, files, expected):
    single = [folder_of(tmp_path, rank, rows) for rank, rows in enumerate(files)]
    ms.utils.runtime_execution_order_check(str(tmp_path))
    assert errors(caplog) == expected
    caplog.clear()
    ms.utils.runtime_execution_order_check(single, all_rank=True)
    assert errors(caplog) == expected


def test_of_some_processes_the_others_are_not_missed(tmp_path, caplog):
    row = ("A", "0 1 2", "AllGather", "", "", "")
    some = [folder_of(tmp_path, rank, [row]) for rank in range(2)]
    ms.utils.runtime_execution_order_check(some)
    assert not errors(caplog)
    ms.utils.runtime_execution_order_check(str(tmp_path))
    assert len(errors(caplog)) == 2


def test_files_that_cannot_be_read_are_told(tmp_path, caplog):
    folder_of(tmp_path, 0, [GATHER])
    file = tmp_path / "rank_0" / "execute_order" / "comm_execute_order.csv"
    parser = RankFolderParser(str(tmp_path))
    assert [(rank, [order.comm_rank for order in rows]) for rank, rows in parser.parse().items()] == [
        ("0", [["0", "1"]])
    ]
    (tmp_path / "rank_1").mkdir()
    assert list(RankFolderParser([str(tmp_path)]).parse()) == ["0"]
    assert len(errors(caplog)) == 1 and "process 1 has no file" in errors(caplog)[0]
    for text, words in (("a,b\n", "names the columns index,group"), (TITLES + "\n1,A\n", "line 2 has 2 of 13 columns")):
        caplog.clear()
        file.write_text(text)
        assert parser.parse_rank_folder(str(file.parent), "0") == ("0", None)
        assert words in errors(caplog)[0]
    caplog.clear()
    ms.utils.runtime_execution_order_check(str(tmp_path))
    assert errors(caplog)[-1] == "no process has an order that could be read"
    caplog.clear()
    ms.utils.runtime_execution_order_check([])
    assert "needs a folder or a list of folders" in errors(caplog)[0]


def test_folders_that_make_no_sense_are_refused(tmp_path):
    folder_of(tmp_path / "a", 0, [])
    folder_of(tmp_path / "b", 0, [])
    (tmp_path / "c").mkdir()
    (tmp_path / "file").write_text("")
    for folders, words in (
        ("rank_0", "absolute paths"),
        (str(tmp_path / "none"), "there is no folder"),
        (str(tmp_path / "file"), "there is no folder"),
        (str(tmp_path / "c"), "is no folder of a process, and has none"),
        ([str(tmp_path / "a"), str(tmp_path / "b" / "rank_0")], "rank_0 come more than once"),
    ):
        with pytest.raises(OpValueError, match=words):
            RankFolderParser(folders)


def test_names_without_an_order_are_told(caplog):
    orders.parse_and_validate(["x"])
    orders.parse_and_validate({"0": ["x_(0)_1th"], "1": "x", "2": [1]})
    assert errors(caplog) == [
        "the orders of processes are a dict, but got list",
        "process 1: its exchanges are a list of names, but got 'x'",
        "process 2: its exchanges are a list of names, but got [1]",
    ]


def has_circle(ranks):
    """By trying: whether no arrangement of the names keeps all orders."""
    names = sorted({name for row in ranks.values() for name in row})
    for arrangement in itertools.permutations(names):
        place = {name: i for i, name in enumerate(arrangement)}
        if all(place[a] < place[b] for row in ranks.values() for a, b in itertools.pairwise(row)):
            return False
    return True


def test_circles_are_found_where_no_arrangement_keeps_all_orders():
    draw = random.Random(5)
    found = 0
    for _ in range(300):
        ranks = {str(r): draw.sample("ABCDE", draw.randint(0, 4)) for r in range(draw.randint(1, 3))}
        path, steps = detect_cycle_in_graph(ranks)
        assert (path is not None) == has_circle(ranks), ranks
        if path is not None:
            found += 1
            assert path[0] == path[-1] and len(set(path)) == len(path) - 1
            pairs = [(step.split(" ", 1)[0], *step.split(" ", 1)[1].split(" -> ")) for step in steps]
            assert [(a, b) for _, a, b in pairs] == list(itertools.pairwise(path))
            assert all((a, b) in itertools.pairwise(ranks[rank]) for rank, a, b in pairs)
    assert 40 < found < 260


def test_a_long_order_takes_no_stack():
    names = [str(i) for i in range(20_000)]
    assert detect_cycle_in_graph({"0": names}) == (None, None)
    assert detect_cycle_in_graph({"0": names, "1": [names[-1], names[0]]})[0] == [*names, names[0]]


def test_one_process_writes_down_what_it_exchanges(journal, caplog):
    check = ms.utils.comm_exec_order_check
    check("end")
    check("start")
    check("start")
    ops.AllReduce()(Tensor([[1.0, 2.0]]))
    ms.jit(lambda x: ops.Broadcast(0)((x,))[0])(Tensor([1, 2, 3], ms.int8))
    check("end")
    ops.Barrier()()
    assert [message.split(":")[1] for message in errors(caplog)] == [
        " 'end' without a 'start' in front of it", " 'start' again, without an 'end' in between",
    ]  # fmt: skip
    with open(journal / "rank_0" / "execute_order" / "comm_execute_order.csv", newline="") as file:
        rows = list(csv.reader(file))
    assert rows == [
        TITLES.split(","),
        ["0", "mccl_world_group", "0", "all_reduce", "", "", "", "[1, 2]", "float32", "[1, 2]", "float32", "8", "8"],
        ["1", "mccl_world_group", "0", "broadcast", "", "", "0", "[3]", "int8", "[3]", "int8", "3", "3"],
    ]


def test_what_is_no_action_is_refused():
    with pytest.raises(OpTypeError, match="needs a string for `action`"):
        ms.utils.comm_exec_order_check(1)
    with pytest.raises(OpValueError, match="'start' or 'end', but got 'stop'"):
        ms.utils.comm_exec_order_check("stop")


PROGRAM = """
import logging, sys
import anfora as ms
from anfora import Tensor, communication, ops
from anfora.communication import orders

logging.getLogger("anfora").addHandler(logging.StreamHandler(sys.stdout))
communication.init()
rank, size = communication.get_rank(), communication.get_group_size()
for name in "ab":
    communication.create_group(name, [0, 1])
ms.set_context(save_graphs_path="kept")
ms.utils.comm_exec_order_check("start")
ops.AllGather()(Tensor([1.0]))
ops.ReduceScatter(group="a")(Tensor([1.0, 2.0]))
if sys.argv[1] == "more" and rank == 0:
    orders.exchange.watcher.note(communication.world.group_of("b"), "all_gather", (), (), None)
ms.utils.comm_exec_order_check("end")
print(f"[[{rank} ended]]")
"""


def test_two_processes_compare_what_they_have_exchanged(tmp_path):
    out = run(2, PROGRAM, "equal", folder=tmp_path)
    assert told(out) == {"0 ended", "1 ended"} and "process" not in out
    names = modify_execute_orders(RankFolderParser(str(tmp_path / "kept")).parse())
    assert names == {rank: ["all_gather_mccl_world_group_(0,1)_1th", "reduce_scatter_a_(0,1)_1th"] for rank in "01"}
    with open(tmp_path / "kept" / "rank_1" / "execute_order" / "comm_execute_order.csv", newline="") as file:
        assert [row[7:] for row in csv.reader(file)][1:] == [
            ["[1]", "float32", "[2]", "float32", "4", "8"], ["[2]", "float32", "[1]", "float32", "8", "4"],
        ]  # fmt: skip
    out = run(2, PROGRAM, "more", folder=tmp_path)
    assert out.count("process 0 has 'all_gather_b_(0,1)_1th', but process 1, which takes part, has not") == 1


HANGS = """
import sys
import anfora as ms
from anfora import Tensor, communication, ops

communication.init()
for name in "ab":
    communication.create_group(name, [0, 1])
ms.set_context(save_graphs_path="kept")
ms.utils.comm_exec_order_check("start")
for name in "ab" if communication.get_rank() else "ba":
    ops.AllGather(group=name)(Tensor([1.0]))
"""


def test_a_program_that_hangs_has_written_down_where(tmp_path, caplog):
    code, _, _ = start(2, HANGS, folder=tmp_path, ANFORA_COMM_TIMEOUT="2")
    assert code
    ms.utils.runtime_execution_order_check(str(tmp_path / "kept"))
    assert sorted(errors(caplog)) == [
        "process 0 has 'all_gather_b_(0,1)_1th', but process 1, which takes part, has not",
        "process 1 has 'all_gather_a_(0,1)_1th', but process 0, which takes part, has not",
    ]
