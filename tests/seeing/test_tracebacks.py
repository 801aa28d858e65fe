"""Tracebacks in consoles: the frames of the program, in order, and none of this package's; nothing else is changed."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import traceback

import numpy as np
import pytest

import anfora  # which puts its hooks
from anfora import Tensor, nn, ops, value_and_grad
from anfora.core import tracebacks
from anfora.eager import dispatch

PROGRAM = """
import numpy as np
import anfora as ms
from anfora import Tensor, nn

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.head = nn.SequentialCell(nn.Dense(6, 5), nn.Dense(4, 2))

    def construct(self, x):
        return self.head(x)

net = Net()
ms.set_context(mode=MODE)

def loss(x):
    return net(x).sum()

def main():
    try:
        ms.value_and_grad(loss, None, net.trainable_params())(Tensor(np.ones((3, 6), "float32")))
    except ms.AnforaError as error:
        raise RuntimeError("no step") from error

main()
"""
FUNCTIONS = ["main", "loss", "construct", "<module>", "main"]  # as Python shows them: first what was the cause


def shown_by(command: list[str], text: str, **environment: str) -> str:
    ran = subprocess.run(
        [sys.executable, *command], input=text, capture_output=True, text=True, env={**os.environ, **environment}
    )
    return ran.stdout + ran.stderr


@pytest.mark.parametrize("mode", [0, 1], ids=["graph", "PyNative"])
def test_the_console_shows_the_program_alone(mode, tmp_path):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM.replace("MODE", str(mode)))
    text = shown_by([str(file)], "")
    lines = [line for line in text.splitlines() if line.startswith("  File ")]
    assert [line.rpartition(" in ")[2] for line in lines] == FUNCTIONS
    assert all(str(file) in line for line in lines)
    assert text.count(tracebacks._NOTE) == 1 and "Net.head.1: Dense" in text and text.count("no step") == 2
    full = shown_by([str(file)], "", ANFORA_TRACEBACK="full")
    assert "dispatch.py" in full and tracebacks._NOTE not in full


def test_arguments_that_are_not_there_are_told_below(tmp_path):
    file = tmp_path / "program.py"
    file.write_text("import anfora as ms\nms.load_checkpoint('x', strict=True)\n")
    lines = shown_by([str(file)], "").splitlines()
    assert lines[-3].startswith("TypeError: load_checkpoint() got an unexpected keyword argument 'strict'")
    assert (
        lines[-2].startswith("  it takes ckpt_file_name, net, ") and lines[-1] == "  help: did you mean `strict_load`?"
    )


def test_notebooks_show_the_program_alone():
    code = "import IPython; IPython.start_ipython(['--no-banner', '--colors=NoColor', '--no-confirm-exit'])"
    text = shown_by(["-c", code], f"exec('''{PROGRAM.replace('MODE', '1')}''')\n")
    assert "RuntimeError: no step" in text and "do not fit" in text
    assert "cell.py" not in text and "dispatch.py" not in text and tracebacks._NOTE in text


def fails():
    net = nn.Dense(3, 2)
    value_and_grad(lambda x: net(ops.relu(x)).sum())(Tensor(np.ones((2, 5), np.float32)))


def failure() -> BaseException:
    with pytest.raises(ValueError) as found:
        fails()
    return found.value


def test_a_hook_sees_less_and_everybody_else_all(monkeypatch, capsys):
    error = failure()
    whole = traceback.extract_tb(error.__traceback__)
    seen = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, error, trace: seen.append((error, trace)))
    monkeypatch.setattr(tracebacks, "_has_told", False)
    monkeypatch.setattr(threading, "excepthook", lambda args: seen.append((args.exc_value, args.exc_traceback)))
    tracebacks.install()
    sys.excepthook(type(error), error, error.__traceback__)
    thread = threading.Thread(target=fails)
    thread.start()
    thread.join()
    for found, trace in seen:
        names = [frame.name for frame in traceback.extract_tb(trace)]
        assert names[-2:] == ["fails", "<lambda>"], found
    assert seen[0][0] is error and traceback.extract_tb(error.__traceback__) == whole
    assert capsys.readouterr().err == tracebacks._NOTE + "\n"  # once


def names_shown(function) -> list[str]:
    with pytest.raises(Exception) as found:
        function()
    return [frame.name for frame in traceback.extract_tb(tracebacks.shown(found.value, found.value.__traceback__))]


def test_what_may_be_a_bug_of_this_package_is_shown():
    scope: dict = {}
    source = "def breaks(): divides()\ndef divides(): 1 / 0\ndef calls(function): function()\n"
    exec(compile(source, dispatch.__file__, "exec"), scope)  # as if it stood there
    names = names_shown(lambda: scope["calls"](lambda: scope["breaks"]()))
    assert names == ["names_shown", "<lambda>", "<lambda>", "breaks", "divides"]


@pytest.mark.parametrize(
    ("call", "functions"),
    [
        (lambda: ops.LayerNorm(0, 1)(*[Tensor(np.ones((2, 2), np.float32))] * 3), ["<lambda>"]),
        (lambda: nn.Cell()(Tensor([1.0])), ["<lambda>"]),
        (lambda: anfora.save_checkpoint(nn.Dense(1, 1), "nowhere.ckpt", enc_key=b"key"), ["<lambda>"]),
    ],
    ids=["an operator", "a Cell", "a file"],
)
def test_what_is_not_there_is_no_bug(call, functions):
    with pytest.raises(NotImplementedError) as caught:
        call()
    entries = traceback.extract_tb(tracebacks.shown(caught.value, caught.value.__traceback__))
    assert [entry.name for entry in entries][1:] == functions


def test_an_argument_that_is_missing_is_no_bug():
    net = nn.Dense(3, 2)
    assert names_shown(lambda: net()) == ["names_shown", "<lambda>"]


def test_without_frames_of_this_package_nothing_is_done():
    try:
        1 / 0  # noqa: B018
    except ZeroDivisionError as error:
        assert tracebacks.shown(error, error.__traceback__) is error.__traceback__
        assert tracebacks.shown(error, None) is None
