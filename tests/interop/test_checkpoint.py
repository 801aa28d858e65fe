"""Checkpoints: both formats, damage, partial loading, and that the old file survives a failed write."""

from __future__ import annotations

import fcntl
import os
import struct
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from safetensors.numpy import load_file

import anfora
from anfora import Cell, Parameter, Tensor, load_checkpoint, load_param_into_net, nn, save_checkpoint


class Net(Cell):
    def __init__(self, seed=0):
        super().__init__()
        random = np.random.default_rng(seed)
        self.w = Parameter(random.standard_normal((3, 4)).astype(np.float32), name="w")
        self.half = Parameter(Tensor(random.standard_normal(5), anfora.bfloat16), name="half")
        self.count = Parameter(Tensor([7], anfora.int32), name="count", requires_grad=False)
        self.empty = Parameter(Tensor(np.zeros((0, 2), np.float32)), name="empty")


def same(one: Cell, other: Cell) -> bool:
    pairs = zip(one.get_parameters(), other.get_parameters())
    return all(a.dtype is b.dtype and np.array_equal(a.asnumpy(), b.asnumpy()) for a, b in pairs)


@pytest.mark.parametrize("ending", ["ckpt", "safetensors"])
def test_round_trip(tmp_path, ending):
    net, other = Net(0), Net(1)
    file = tmp_path / f"net.{ending}"
    save_checkpoint(net, str(file), append_dict={"epoch": 3, "rate": 0.5, "done": True, "name": "größe"})
    assert list(tmp_path.iterdir()) == [file]
    found = load_checkpoint(file)
    assert [int(found["epoch"]), float(found["rate"]), bool(found["done"]), found["name"]] == [3, 0.5, True, "größe"]
    assert load_param_into_net(other, found) == ([], ["epoch", "rate", "done", "name"])
    assert same(net, other)


def test_the_ending_may_be_left_to_the_format(tmp_path):
    save_checkpoint(Net(), tmp_path / "a")
    save_checkpoint(Net(), tmp_path / "b", format="safetensors")
    assert sorted(f.name for f in tmp_path.iterdir()) == ["a.ckpt", "b.safetensors"]
    assert "w" in load_checkpoint(tmp_path / "a.ckpt") and "w" in load_checkpoint(tmp_path / "b", format="safetensors")


def test_safetensors_reads_what_we_write(tmp_path):
    net = Net()
    save_checkpoint(net, tmp_path / "net.safetensors", choice_func=lambda name: name != "half")
    found = load_file(tmp_path / "net.safetensors")
    assert sorted(found) == ["count", "empty", "w"]
    np.testing.assert_array_equal(found["w"], net.w.asnumpy())


def test_the_bytes_of_a_ckpt_are_mindspores(tmp_path):
    """One float32 tensor, byte by byte as the format says (and as MindSpore 2.10 writes it)."""
    save_checkpoint({"w": Tensor([[1.0, 2.0]])}, tmp_path / "w.ckpt")
    content = struct.pack("<2f", 1, 2)
    tensor = b"\x08\x01\x08\x02" + b"\x12\x07Float32" + b"\x1a\x08" + content
    value = b"\x0a\x01w" + b"\x12" + bytes([len(tensor)]) + tensor
    assert (tmp_path / "w.ckpt").read_bytes() == b"\x0a" + bytes([len(value)]) + value


def test_tensors_in_several_pieces_are_joined(tmp_path, monkeypatch):
    from anfora.interop import ckpt

    monkeypatch.setattr(ckpt, "_SLICE", 16)
    save_checkpoint({"w": Tensor(np.arange(10, dtype=np.float32)), "v": Tensor([1])}, tmp_path / "w.ckpt")
    found = load_checkpoint(tmp_path / "w.ckpt")
    assert found["w"].tolist() == list(range(10)) and found["v"].tolist() == [1]


@pytest.mark.parametrize("ending", ["ckpt", "safetensors"])
@pytest.mark.parametrize("damage", ["cut", "empty", "noise", "missing", "folder"])
def test_damaged_files_give_one_clear_line(tmp_path, ending, damage):
    file = tmp_path / f"net.{ending}"
    save_checkpoint(Net(), file)
    data = file.read_bytes()
    if damage == "cut":
        file.write_bytes(data[: len(data) // 2])
    elif damage == "empty":
        file.write_bytes(b"")
    elif damage == "noise":
        file.write_bytes(np.random.default_rng(0).bytes(500))
    else:
        file.unlink()
        if damage == "folder":
            file.mkdir()
    with pytest.raises(ValueError) as error:
        load_checkpoint(file)
    assert str(file) in str(error.value) and "\n" not in error.value.message


def test_a_checksum_is_verified_when_asked_for(tmp_path):
    file = tmp_path / "net.ckpt"
    save_checkpoint(Net(), file, crc_check=True)
    load_checkpoint(file, crc_check=True)
    data = bytearray(file.read_bytes())
    data[len(data) // 3] ^= 1
    file.write_bytes(data)
    with pytest.raises(ValueError, match="CRC"):
        load_checkpoint(file, crc_check=True)


def test_loading_is_all_or_nothing(tmp_path):
    net = Net()
    before = net.w.asnumpy().copy()
    with pytest.raises(ValueError, match="shape"):
        load_param_into_net(net, {"w": Tensor(np.zeros((3, 4), np.float32)), "count": Tensor([1, 2])})
    np.testing.assert_array_equal(net.w.asnumpy(), before)
    with pytest.raises(TypeError, match="Float64"):
        load_param_into_net(net, {"w": Tensor(np.zeros((3, 4)))}, strict_load=True)
    with pytest.warns(anfora.AnforaWarning, match="fits no parameter.* it has other, but Net has w, half, count, …"):
        assert load_param_into_net(net, {"other": Tensor(1.0)}) == (["w", "half", "count", "empty"], ["other"])


#: For the names of a dict that holds 1, 2, …: what the four parameters of two layers hold then, which are not loaded, and
#: the prefixes that are told. As MindSpore 2.10 has it.
BEHIND = [
    (["g.0.weight", "g.0.bias", "g.1.weight", "g.1.bias"], [1, 2, 3, 4], [], ["g."]),
    (["a.0.weight", "b.0.bias", "1.weight", "a.c.1.bias"], [1, 2, 3, 4], [], ["a.", "b.", "a.c."]),
    (["x0.weight", "x0.bias", "zz1.bias"], [1, 2, 0, 3], ["1.weight"], ["x", "zz"]),
    (["a.b.0.weight", "b.0.weight", "b.0.bias"], [1, 3, 0, 0], ["1.weight", "1.bias"], ["a.b.", "b."]),
    (["0.weight", "q.0.weight", "q.1.bias"], [1, 0, 0, 3], ["0.bias", "1.weight"], ["q."]),
    (["7.weight", "weight"], [0, 0, 0, 0], ["0.weight", "0.bias", "1.weight", "1.bias"], []),
]


@pytest.mark.parametrize("names, values, missing, prefixes", BEHIND)
def test_a_name_behind_a_prefix_serves(names, values, missing, prefixes, recwarn):
    shapes = {"0.weight": (3, 2), "0.bias": (3,), "1.weight": (1, 3), "1.bias": (1,)}
    held = {
        name: Tensor(np.full(next((s for own, s in shapes.items() if name.endswith(own)), ()), i + 1.0, np.float32))
        for i, name in enumerate(names)
    }

    def loaded(**options):
        net = nn.SequentialCell(nn.Dense(2, 3), nn.Dense(3, 1))
        for parameter in net.get_parameters():
            parameter.set_data(Tensor(np.zeros(parameter.shape, np.float32)))
        recwarn.clear()
        lists = load_param_into_net(net, held, **options)
        return [float(parameter.asnumpy().flat[0]) for parameter in net.get_parameters()], lists

    found, (left, unused) = loaded()
    assert (found, left) == (values, missing)
    assert sorted(unused) == sorted(set(names) - {names[int(value) - 1] for value in values if value})
    assert [repr(prefix) in str(told.message) for told, prefix in zip(recwarn.list, prefixes)] == [True] * len(prefixes)
    exact = {own: i + 1.0 for i, name in enumerate(names) for own in shapes if own == name}
    for options in ({"strict_load": True}, {"rename": {"^never$": ""}}):
        found, (left, unused) = loaded(**options)
        assert found == [exact.get(own, 0.0) for own in shapes] and left == [own for own in shapes if own not in exact]
        assert unused == [name for name in names if name not in exact]


def test_what_stands_behind_a_prefix_must_fit():
    net = nn.Dense(1, 1)
    before = net.weight.tolist()
    with pytest.raises(ValueError, match=r"weight has shape \(1, 1\), but the checkpoint's a.weight has \(2,\)"):
        load_param_into_net(net, {"bias": Tensor([7.0]), "a.weight": Tensor([1.0, 2.0])})
    assert net.weight.tolist() == before and net.bias.tolist() != [7.0]
    with pytest.raises(TypeError, match="among its keys is 3"):
        load_param_into_net(net, {3: Tensor([7.0])})


def test_prefixes_choose(tmp_path):
    save_checkpoint({"a.w": Tensor(1.0), "a.v": Tensor(2.0), "b.w": Tensor(3.0)}, tmp_path / "x.ckpt")
    assert sorted(load_checkpoint(tmp_path / "x.ckpt", filter_prefix="a.")) == ["b.w"]
    assert sorted(load_checkpoint(tmp_path / "x.ckpt", specify_prefix=["a.v"])) == ["a.v"]
    with pytest.raises(ValueError, match="nothing"):
        load_checkpoint(tmp_path / "x.ckpt", specify_prefix="c")


def test_an_old_file_survives_a_failed_write(tmp_path, monkeypatch):
    file = tmp_path / "net.safetensors"
    save_checkpoint({"w": Tensor([1.0])}, file)

    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="space"):
        save_checkpoint({"w": Tensor([2.0])}, file)
    assert load_checkpoint(file)["w"].tolist() == [1.0]
    assert list(tmp_path.iterdir()) == [file]


def test_what_cannot_be_saved(tmp_path):
    with pytest.raises(TypeError, match="append_dict"):
        save_checkpoint({"w": 3}, tmp_path / "x")
    with pytest.raises(TypeError, match="Cell"):
        save_checkpoint(3, tmp_path / "x")
    with pytest.raises(NotImplementedError, match="encrypted"):
        save_checkpoint(Net(), tmp_path / "x", enc_key=b"key")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("ending", ["ckpt", "safetensors"])
def test_equal_checkpoints_are_equal_files(tmp_path, ending):
    extra = {f"key{i}": i for i in range(5)}
    for number in range(8):  # in a file of each its own, so that there is chance to differ
        save_checkpoint(Net(), tmp_path / f"{number}.{ending}", append_dict=extra)
    assert len({file.read_bytes() for file in tmp_path.iterdir()}) == 1


def test_what_killed_saves_have_left_is_cleared_away_by_the_next_one(tmp_path):
    program = f"""
        import os, signal
        from anfora import Tensor, save_checkpoint
        os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)
        save_checkpoint({{"w": Tensor([1.0])}}, {str(tmp_path / "w.ckpt")!r})
    """
    killed = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], timeout=120)
    assert killed.returncode == -9 and len(list(tmp_path.iterdir())) == 1
    with open(tmp_path / ".anfora-of-another.new", "wb") as another:  # a process that is still writing
        fcntl.flock(another, fcntl.LOCK_EX)
        save_checkpoint({"w": Tensor([2.0])}, tmp_path / "w.ckpt")
        assert sorted(file.name for file in tmp_path.iterdir()) == [".anfora-of-another.new", "w.ckpt"]
    save_checkpoint({"w": Tensor([2.0])}, tmp_path / "w.ckpt")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["w.ckpt"]


def test_a_new_file_has_the_permissions_that_the_process_gives(tmp_path):
    before = os.umask(0o027)
    try:
        save_checkpoint({"w": Tensor([1.0])}, tmp_path / "w.ckpt")
    finally:
        os.umask(before)
    assert (tmp_path / "w.ckpt").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("ending", ["ckpt", "safetensors"])
def test_integers_that_a_checkpoint_cannot_hold(tmp_path, ending):
    with pytest.raises(ValueError, match="64 bits"):
        save_checkpoint({}, tmp_path / f"x.{ending}", append_dict={"big": 2**63})
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["", "a\0b", "."])
def test_names_that_are_none_of_a_file(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="name of a checkpoint"):
        save_checkpoint({}, name)
    with pytest.raises(ValueError, match="name of a checkpoint"):
        load_checkpoint(name)
