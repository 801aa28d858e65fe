"""The program of the README: it learns, saves, goes on where it stopped, and says what is wrong in one line."""

from __future__ import annotations

import gzip
import os
import select
import signal
import struct
import subprocess
import sys
import time

import numpy as np
import pytest

import anfora as ms
from anfora.examples import lenet


def run(*arguments: str) -> int:
    return lenet.main([str(a) for a in arguments])


def parameters(file) -> dict[str, np.ndarray]:
    return {name: value.asnumpy() for name, value in ms.load_checkpoint(str(file)).items() if hasattr(value, "asnumpy")}


def test_it_learns_real_digits(tmp_path, capsys):
    assert run("--epochs", 8, "--out", tmp_path) == 0
    text = capsys.readouterr().out
    accuracy = float(text.split("accuracy on images it never saw: ")[1].split("%")[0])
    assert accuracy >= 95
    assert "LeNet5" in text and "taken for" in text and "img/s" not in text  # the bar goes to stderr
    assert (tmp_path / "lenet.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert (tmp_path / "lenet.safetensors").exists()


def test_going_on_is_the_same_as_never_having_stopped(tmp_path, monkeypatch, capsys):
    """Parameters and the optimizer's state are bit-equal after a stop in the middle and a new start."""
    options = ("--epochs", 3, "--no-plot")
    assert run(*options, "--out", tmp_path / "whole") == 0
    whole, seen = parameters(tmp_path / "whole" / "lenet.safetensors"), []

    def interrupt_second_epoch(trainer, images, labels, step=lenet.Trainer.step):
        seen.append(len(images))
        if trainer.epoch == 1:
            raise KeyboardInterrupt
        return step(trainer, images, labels)

    with monkeypatch.context() as patch:
        patch.setattr(lenet.Trainer, "step", interrupt_second_epoch)
        assert run(*options, "--out", tmp_path / "half") == 130
    assert run(*options, "--out", tmp_path / "rest", "--resume", tmp_path / "half" / "lenet.safetensors") == 0
    rest = parameters(tmp_path / "rest" / "lenet.safetensors")
    assert whole.keys() == rest.keys() and len(whole) > 18  # parameters, their momenta, the numbers of the optimizer
    for name, value in whole.items():
        np.testing.assert_array_equal(rest[name], value, err_msg=name)


@pytest.mark.parametrize("threads", [2, 3, 8])
def test_threads_change_no_bit(threads, tmp_path):
    before = ms.get_num_threads()
    try:
        for count in (1, threads):
            assert run("--epochs", 1, "--no-plot", "--threads", count, "--out", tmp_path / str(count)) == 0
    finally:
        ms.set_num_threads(before)
    one, other = (parameters(tmp_path / str(count) / "lenet.safetensors") for count in (1, threads))
    for name, value in one.items():
        np.testing.assert_array_equal(other[name], value, err_msg=name)


def test_the_three_modes_train_the_same_network(tmp_path):
    """PyNative mode, graph mode and a mixture end with the same bits."""
    try:
        for mode in ("pynative", "graph", "mixed"):
            assert run("--epochs", 1, "--no-plot", "--batch", 128, "--mode", mode, "--out", tmp_path / mode) == 0
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    plain, *others = (parameters(tmp_path / mode / "lenet.safetensors") for mode in ("pynative", "graph", "mixed"))
    for other in others:
        assert other.keys() == plain.keys()
        for name, value in plain.items():
            np.testing.assert_array_equal(other[name], value, err_msg=name)


def test_control_c_saves_and_stops(tmp_path):
    # A background job of a shell inherits that the signal is ignored; a terminal's does not.
    program = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    program += "from anfora.__main__ import main; sys.exit(main(sys.argv[1:]))"
    child = subprocess.Popen(
        [sys.executable, "-c", program, "lenet", "--no-plot", "--epochs", "5000", "--out", str(tmp_path)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert child.stderr is not None
    seen, until = "", time.monotonic() + 120
    while "epoch  2/" not in seen and time.monotonic() < until:
        if select.select([child.stderr], [], [], 0.1)[0]:
            seen += os.read(child.stderr.fileno(), 1 << 16).decode()
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=60)
    assert child.returncode == 130, errors
    assert "Traceback" not in errors and "--resume" in errors
    assert "conv1.weight" in " ".join(parameters(tmp_path / "lenet.safetensors"))


# -- files of the MNIST family ----------------------------------------------------------------------------------------


def idx(array: np.ndarray) -> bytes:
    return struct.pack(f">BBBB{array.ndim}I", 0, 0, 8, array.ndim, *array.shape) + array.tobytes()


def write_folder(folder, zipped: bool = False) -> None:
    random = np.random.default_rng(3)
    for part, count in (("train", 64), ("t10k", 20)):
        for kind, array in (
            ("images-idx3", random.integers(0, 256, (count, 28, 28), dtype=np.uint8)),
            ("labels-idx1", (np.arange(count) % 10).astype(np.uint8)),
        ):
            data = idx(array)
            name = f"{part}-{kind}-ubyte"
            if zipped:
                (folder / f"{name}.gz").write_bytes(gzip.compress(data))
            else:
                (folder / name).write_bytes(data)


@pytest.mark.parametrize("zipped", [False, True])
def test_a_folder_of_idx_files(zipped, tmp_path, capsys):
    write_folder(tmp_path, zipped)
    assert run("--data", tmp_path, "--epochs", 1, "--no-plot", "--out", tmp_path / "out") == 0
    assert "64 images to learn from, 20 that it never sees" in capsys.readouterr().out


def cut(data: bytes) -> bytes:
    return data[:-7]


def other_magic(data: bytes) -> bytes:
    return b"PK" + data[2:]


@pytest.mark.parametrize("damage", [cut, other_magic, lambda data: b""])
def test_a_damaged_file_gives_one_clear_line(damage, tmp_path, capsys):
    write_folder(tmp_path)
    file = tmp_path / "train-images-idx3-ubyte"
    file.write_bytes(damage(file.read_bytes()))
    assert run("--data", tmp_path, "--out", tmp_path / "out") == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith("lenet: ") and file.name in lines[0]


def test_a_folder_without_images(tmp_path, capsys):
    assert run("--data", tmp_path / "nowhere", "--out", tmp_path / "out") == 2
    [line] = capsys.readouterr().err.strip().splitlines()
    assert "nowhere" in line


def test_a_damaged_checkpoint(tmp_path, capsys):
    (tmp_path / "bad.safetensors").write_bytes(b"\x10")
    assert run("--epochs", 1, "--resume", tmp_path / "bad.safetensors", "--out", tmp_path / "out") == 2
    [line] = capsys.readouterr().err.strip().splitlines()
    assert "bad.safetensors" in line
