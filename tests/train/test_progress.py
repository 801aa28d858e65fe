"""The bar of progress: where it is shown, and what stands in it on narrow and wide terminals."""

from __future__ import annotations

import io
import os
import re
import struct
import sys

import pytest
from small import data, model

import anfora as ms
from anfora import train
from anfora.train.callback.monitors import progress_bar, someone_looks_on


def on_terminal(columns: int, run) -> list[str]:
    """What stands on a terminal of so many columns, line by line, after all that was overwritten."""
    fcntl, pty, termios = (pytest.importorskip(name) for name in ("fcntl", "pty", "termios"))
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with open(theirs, "w") as file:
        run(file)
        file.flush()
        os.set_blocking(ours, False)
        written = b""
        while True:
            try:
                written += os.read(ours, 65536)
            except BlockingIOError:
                break
    os.close(ours)
    lines = written.decode().replace("\r\n", "\n").split("\n")
    return [line.rstrip("\r").rsplit("\r", 1)[-1].rstrip() for line in lines if line.strip()]


@pytest.mark.parametrize("columns", [60, 120])
def test_loss_and_metrics_are_seen(columns):
    lines = on_terminal(columns, lambda file: model().fit(2, data(), data(8), callbacks=train.Progress(True, file)))
    assert len(lines) == 2
    for number, line in enumerate(lines, 1):
        assert len(line) <= columns
        found = re.fullmatch(r"epoch (\d)/2 3/3, loss ([\d.]+) acc ([\d.]+) \|(█*)\| [\d:]+<[\d:]+", line)
        assert found and int(found[1]) == number, line
        assert len(found[4]) >= (5 if columns == 60 else 60)


@pytest.mark.parametrize(
    "columns, end",
    [(80, r" \|.{15}\| 00:00<\?"), (66, r" \|.{3}\| 00:00"), (60, r" \|.{3}\|"), (55, ""), (50, "")],
)
def test_the_numbers_are_the_last_to_give_way(columns, end):
    def run(file):
        bar = progress_bar("epoch 10/200", 12345, 12345, file)
        bar.set_postfix_str("loss 0.4813 accuracy 0.8922")
        bar.close()

    [line] = on_terminal(columns, run)
    text = "epoch 10/200 12345/12345, loss 0.4813 accuracy 0.8922"
    assert re.fullmatch(re.escape(text[: columns - 1]) + end, line), line


def test_it_goes_on_in_the_middle_of_an_epoch(tmp_path):
    class Break(train.Callback):
        def on_train_step_end(self, run_context):
            if run_context.original_args().cur_step_num == 2:
                raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        model().train(1, data(), [train.ModelCheckpoint("net", tmp_path), Break()])
    out = io.StringIO()
    model().train(1, data(), [train.ModelCheckpoint("net", tmp_path), train.Progress(True, out)], resume=tmp_path)
    assert re.fullmatch(r"epoch 1/1 3/3, loss [\d.]+ .*\n", out.getvalue())


def test_a_file_gets_one_line_for_each_epoch():
    out = io.StringIO()
    model().fit(2, data(), data(8), callbacks=train.Progress(True, out))
    first, second = out.getvalue().splitlines()
    assert re.fullmatch(r"epoch 1/2 3/3, loss [\d.]+ acc [\d.]+ \|[█#]+\| [\d:]+<[\d:]+", first)
    assert second.startswith("epoch 2/2 3/3, loss ") and "\r" not in out.getvalue()


def test_it_is_on_where_a_person_looks_on(monkeypatch, capsys):
    assert not someone_looks_on()

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    for callbacks, shown in (([], True), ([train.LossMonitor(0)], False), ([train.Progress(show=False)], False)):
        terminal = Terminal()
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stderr", terminal)
            model().train(1, data(), callbacks)
        assert ("epoch 1/1" in terminal.getvalue()) is shown
    model().train(1, data())
    assert capsys.readouterr() == ("", "")
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stderr", None)
        model().train(1, data())


def test_an_error_closes_it():
    out = io.StringIO()
    note = train.LambdaCallback(on_train_step_end=lambda context: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        model().train(1, data(), [train.Progress(True, out), note])
    assert out.getvalue().endswith("\n")


def test_it_is_light():
    """tqdm is loaded where a bar is shown, and nowhere else."""
    import subprocess

    program = "import sys; from anfora.train import Progress, Model; Progress(); print('tqdm' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
    assert ms.Progress is train.Progress
