"""A program that nobody has started several times is process 0 of 1, and needs no MPI."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import anfora as ms
from anfora import Tensor, communication, nn, ops, train
from anfora.communication import comm_func, exchange, peers, world
from anfora.communication.exchange import halves
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.train import together


def test_it_is_process_0_of_1():
    communication.init()
    communication.init("mccl")
    assert (communication.get_rank(), communication.get_group_size()) == (0, 1)
    assert (communication.get_local_rank(), communication.get_local_rank_size()) == (0, 1)
    assert communication.get_rank(communication.HCCL_WORLD_COMM_GROUP) == 0
    assert communication.get_process_group_ranks() == [0]
    assert communication.management.get_group_size() == 1
    assert communication.GlobalComm.INITED
    communication.release()


def test_nothing_of_mpi_is_loaded():
    code = (
        "import sys; from anfora import communication, ops, nn, Tensor; communication.init();"
        "ops.AllReduce()(Tensor([1.0]));"
        "nn.DistributedGradReducer([])((Tensor(3.0),)); print('mpi4py' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: communication.init(1), OpTypeError, "needs a string for `backend_name`"),
        (lambda: communication.init("gloo"), OpValueError, "one of hccl, nccl, mccl, mpi"),
        (lambda: communication.get_rank(3), OpTypeError, "needs a string for `group`"),
        (lambda: communication.get_rank("mine"), OpValueError, "there is no group 'mine'"),
        (lambda: communication.create_group("mine", [0, 1]), OpValueError, "none of number 1"),
        (lambda: communication.create_group("mine", 0), OpTypeError, "a list for `rank_ids`"),
        (lambda: communication.create_group("mine", []), OpValueError, "different numbers"),
        (lambda: communication.create_group("hccl_world_group", [0]), OpValueError, "already"),
        (lambda: communication.destroy_group("mccl_world_group"), OpValueError, "stays"),
        (lambda: communication.get_world_rank_from_group_rank("mccl_world_group", 1), OpValueError, "none of number 1"),
        (lambda: ops.AllReduce("mean"), OpValueError, "AllReduce: `op` is one of sum, max, min, prod, avg"),
        (lambda: ops.AllReduce(3), OpTypeError, "AllReduce needs a string for `op`"),
        (lambda: ops.AllReduce(group="mine"), OpValueError, "there is no group 'mine'"),
        (lambda: ops.Broadcast(1), OpValueError, "process 1 is not among"),
        (lambda: ops.AllReduce()(Tensor([True])), OpTypeError, "a tensor of numbers"),
        (lambda: ops.AllReduce("avg")(Tensor([1, 2])), OpTypeError, "floating-point"),
        (lambda: nn.DistributedGradReducer([], degree=0), OpValueError, "positive integer for `degree`"),
        (lambda: nn.DistributedGradReducer([], micro_batches=3), OpValueError, "a power of two"),
        (lambda: nn.DistributedGradReducer([], micro_batches=2.0), OpTypeError, "an integer for `micro_batches`"),
        (lambda: nn.DistributedGradReducer([]).distribute(len), OpTypeError, "a reducer with `micro_batches`"),
        (
            lambda: nn.DistributedGradReducer([], micro_batches=2)(()),
            OpTypeError,
            "2 micro-batches needs the gradients",
        ),
        (lambda: ms.set_auto_parallel_context(device_num=8), OpValueError, "there is one process"),
        (lambda: ms.set_auto_parallel_context(gradients_mean=1), OpTypeError, "`gradients_mean` is True or False"),
    ],
)
def test_what_makes_no_sense_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_what_steps_of_programs_ask_for():
    from anfora.parallel._utils import _get_device_num, _get_global_rank, _get_gradients_mean, _get_parallel_mode

    asked = (_get_device_num, _get_global_rank, _get_parallel_mode, _get_gradients_mean)
    assert [ask() for ask in asked] == [1, 0, "stand_alone", False]
    ms.set_auto_parallel_context(parallel_mode=ms.ParallelMode.DATA_PARALLEL, gradients_mean=True)
    try:
        assert [ask() for ask in asked] == [1, 0, "data_parallel", True]
    finally:
        ms.reset_auto_parallel_context()


def test_a_group_of_one():
    communication.create_group("own", [0])
    assert communication.get_rank("own") == 0 and communication.get_group_size("own") == 1
    assert communication.get_group_rank_from_world_rank(0, "own") == 0
    assert ops.AllReduce(group="own")(Tensor([2.0])).tolist() == [2.0]
    communication.destroy_group("own")
    with pytest.raises(OpValueError, match="there is no group 'own'"):
        communication.get_rank("own")


def test_several_processes_without_mpi4py_are_told_what_to_type(monkeypatch):
    monkeypatch.setattr(world, "_state", world._State())
    monkeypatch.setenv("PMI_SIZE", "2")
    with pytest.raises(OpRuntimeError, match="2 processes were started, and communication has not begun") as error:
        communication.get_rank()
    assert "communication.init()" in str(error.value)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(OpRuntimeError, match="2 processes were started, but mpi4py") as error:
        communication.init()
    assert "pip install anfora[mpi]" in str(error.value)


def test_the_functions_of_comm_func():
    x = Tensor([1.0, 2.0])
    for function in (comm_func.all_reduce, comm_func.all_gather_into_tensor, comm_func.reduce_scatter_tensor):
        result, handle = function(x)
        assert result.tolist() == [1.0, 2.0] and handle is None
    assert comm_func.broadcast(x, 0).tolist() == [1.0, 2.0]
    assert comm_func.barrier() is None


def test_the_distances_of_the_tree():
    assert [halves(n) for n in (1, 2, 3, 4, 5, 8)] == [[], [1], [2, 1], [2, 1], [4, 2, 1], [4, 2, 1]]
    for count in range(1, 20):  # each part is added once
        parts = list(range(count))
        for h in halves(count):
            parts = [parts[i] + (parts[i + h] if i + h < len(parts) else 0) for i in range(min(h, len(parts)))]
        assert parts == [count * (count - 1) // 2]


def test_the_reducer_of_one_process():
    gradients = (Tensor([1.0, 3.0]), Tensor(2.0))
    assert [g.tolist() for g in nn.DistributedGradReducer([])(gradients)] == [[1.0, 3.0], 2.0]
    halved = nn.DistributedGradReducer([], mean=True, degree=2)(gradients)
    assert [g.tolist() for g in halved] == [[0.5, 1.5], 1.0]
    half = Tensor(np.array([1.0, 2.0], np.float16))
    assert nn.DistributedGradReducer([])(half).dtype == ms.float16


def test_strangers_keep_nobody_waiting():
    """One connects and says nothing, one says something else, one goes again; the processes are found behind them."""
    token = bytes(range(16))
    server = socket.create_server(("127.0.0.1", 0))
    place = server.getsockname()
    others = [socket.create_connection(place) for _ in range(5)]
    others[1].sendall(b"GET / HTTP/1.1\r\nHost: somebody\r\n")
    others[2].close()
    others[3].sendall(token + (2).to_bytes(4, "little"))
    others[4].sendall((token + (1).to_bytes(4, "little"))[:7])
    threading.Timer(0.05, others[4].sendall, [(token + (1).to_bytes(4, "little"))[7:]]).start()
    found = peers._greeted(server, token, 2)
    assert sorted(found.values()) == [1, 2]
    for connection in (*found, *others, server):
        connection.close()


def test_who_does_not_come_is_named(monkeypatch):
    monkeypatch.setattr(peers, "_TO_CONNECT", 0.02)
    with socket.create_server(("127.0.0.1", 0)) as server, pytest.raises(RuntimeError, match="of process 1, 2"):
        peers._greeted(server, bytes(16), 2)


def test_processes_with_many_folders_agree(monkeypatch):
    """What they tell each other may be long."""
    monkeypatch.setattr(world, "group_of", lambda *_: SimpleNamespace(size=2, rank=1))
    monkeypatch.setattr(exchange, "meet", lambda *_: None)
    monkeypatch.setattr(exchange, "all_gather", lambda _, array: np.stack([array, array]))
    network = SimpleNamespace(grad_reducer=object.__new__(nn.DistributedGradReducer))
    writers = [object.__new__(train.ModelCheckpoint) for _ in range(400)]
    for number, writer in enumerate(writers):
        writer._directory = Path(f"folder{number}")
    together.agree("train", network, writers, None)
    assert not any(writer.is_writer for writer in writers)  # process 0 has the same folders


def test_the_settings_as_one_object():
    from anfora.parallel._auto_parallel_context import auto_parallel_context

    try:
        auto_parallel_context().set_parallel_mode("data_parallel")
        auto_parallel_context().set_all_reduce_fusion_split_indices([29, 58], "hccl_world_groupsum1")
        mode = ms.get_auto_parallel_context("parallel_mode")
        assert mode == auto_parallel_context().get_parallel_mode() == "data_parallel"
        assert auto_parallel_context().get_device_num() == 1 and not auto_parallel_context().get_device_num_is_set()
        with pytest.raises(OpValueError, match="there is one process"):
            auto_parallel_context().set_device_num(8)
        with pytest.raises(AttributeError, match="did you mean 'get_gradients_mean'"):
            auto_parallel_context().get_gradient_mean()
    finally:
        auto_parallel_context().reset()
    assert ms.get_auto_parallel_context("parallel_mode") == "stand_alone"
