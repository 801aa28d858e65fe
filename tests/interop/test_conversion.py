"""Checkpoints in the other format hold the same tensors."""

import numpy as np
import pytest

import anfora as ms
from anfora import Tensor

WEIGHTS = {"w": Tensor(np.arange(6, dtype=np.float32).reshape(2, 3)), "n": Tensor([1, 2], ms.int64)}


def same(file, names=("w", "n")):
    found = ms.load_checkpoint(file)
    for name, (old, value) in zip(names, WEIGHTS.items()):
        assert found[name].dtype == value.dtype, old
        np.testing.assert_array_equal(found[name].asnumpy(), value.asnumpy())
    return found


@pytest.mark.parametrize("old, new, convert", [
    ("ckpt", "safetensors", ms.ckpt_to_safetensors), ("safetensors", "ckpt", ms.safetensors_to_ckpt),
])  # fmt: skip
def test_there_and_back(tmp_path, old, new, convert):
    folder = tmp_path / "in" / "deep"
    file = folder / f"a.{old}"
    ms.save_checkpoint(WEIGHTS, file, append_dict={"epoch": 3, "note": "x"})
    convert(file)
    assert int(same(folder / f"a.{new}")["epoch"]) == 3 and same(folder / f"a.{new}")["note"] == "x"
    ms.save_checkpoint(WEIGHTS, folder / f"b.{old}")
    convert(tmp_path / "in", tmp_path / "out", {"w": "v"}, "^b")
    same(tmp_path / "out" / "deep" / f"b.{new}", ("v", "n"))
    assert sorted(p.name for p in (tmp_path / "out").rglob("*.*")) == [f"b.{new}"]
    with pytest.raises(ms.AnforaError, match="two parameters would be named 'n'"):
        convert(file, tmp_path / "no", {"w": "n"})
    assert not (tmp_path / "no").exists()
    for nothing in (tmp_path / f"none.{old}", tmp_path / "out"):
        with pytest.raises(ms.AnforaError, match=f"is no .{old} file, and no folder that holds one"):
            convert(nothing)


def test_reading_beside_the_program(tmp_path):
    ms.save_checkpoint(WEIGHTS, tmp_path / "a.ckpt")
    reading = ms.load_checkpoint_async(tmp_path / "a.ckpt", filter_prefix="n")
    assert list(reading.result()) == ["w"] and ms.async_ckpt_thread_status() is False
    with pytest.raises(ms.AnforaError, match=r"none\.ckpt"):
        ms.load_checkpoint_async(tmp_path / "none.ckpt").result()
