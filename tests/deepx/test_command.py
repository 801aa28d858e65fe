"""The command line: what it prints and writes, and that bad input ends with status 2 and no file."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from anfora import deepx
from anfora.deepx.__main__ import main

PROGRAM = """\
argset@int32 3->v1        // a shape
argset@float64 2->a1
newtensor@float64 v1->ty
mul_scalar@float64 tx a1 -> ty // id=4
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "program.dx").write_text(PROGRAM)
    np.save(tmp_path / "x.npy", np.array([1.0, 2.0, 3.0]))
    return tmp_path


def call(*arguments) -> int:
    return main([str(argument) for argument in arguments])


def test_check(files, capsys):
    assert call("check", files / "program.dx", "--input", f"tx={files / 'x.npy'}") == 0
    assert capsys.readouterr() == ("", "")


def test_format(files, capsys):
    assert call("format", files / "program.dx") == 0
    assert capsys.readouterr().out == deepx.format(deepx.parse(PROGRAM))
    assert call("format", "--meta", files / "program.dx") == 0
    assert capsys.readouterr().out.endswith("mul_scalar@float64 tx a1->ty //id=4\n")


def test_run(files):
    out = files / "made" / "here"
    assert call("run", files / "program.dx", "--input", f"tx={files / 'x.npy'}", "--output", out) == 0
    assert sorted(path.name for path in out.iterdir()) == ["tx.npy", "ty.npy"]
    assert np.load(out / "ty.npy").tolist() == [2, 4, 6]


def test_grad(files, capsys):
    arguments = ["grad", files / "program.dx", "--input", f"tx={files / 'x.npy'}", "--loss", "ty", "--wrt", "tx"]
    assert call(*arguments) == 0
    text = capsys.readouterr().out
    assert text == deepx.format(deepx.differentiate(PROGRAM, "ty", "tx", {"tx": ("float64", (3,))}))
    assert call(*arguments, "--output", files / "out") == 0
    assert np.load(files / "out" / "tx_grad.npy").tolist() == [2, 2, 2]


def test_print_is_allowed(files, capsys):
    (files / "program.dx").write_text("newtensor@int8 [2]->t1\nprint t1")
    assert call("run", files / "program.dx") == 0
    assert capsys.readouterr().out == "t1: int8[2] [0, 0]\n"


def test_free_names(files):
    (files / "program.dx").write_text("newtensor@int8 [2]->weights")
    assert call("check", files / "program.dx") == 2
    assert call("run", "--free", files / "program.dx", "--output", files / "out") == 0
    assert np.load(files / "out" / "weights.npy").tolist() == [0, 0]


WRONG = [
    ("run", "exp tx=tx", "E-SYNTAX: unexpected '='\n  line 1, column 7\n    exp tx=tx\n          ^\n  help: did"),
    ("run", "exp@float64 tx->ty", "E-UNDEF: exp: the tensor ty does not exist\n  line 1, column 17"),
    ("run", "exp@float64 tx->tx\nmod_scalar@int32 tx 0->tx", "E-DTYPE"),
    ("run", "newtensor@int32 [1]->ti\nmod@int32 ti ti->ti", "E-ZERODIV"),
    ("check", "exp@float32 tx->tx", "E-DTYPE"),
    ("grad", "exp@float64 tx->tx", "E-UNDEF: there is no tensor ty"),
    ("format", "nothing->", "E-OP"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "text", "words"), WRONG)
def test_wrong_programs(command, text, words, files, capsys):
    (files / "program.dx").write_text(text)
    arguments = [command, files / "program.dx"]
    arguments += [] if command == "format" else ["--input", f"tx={files / 'x.npy'}"]
    arguments += ["--output", files / "out"] if command in ("run", "grad") else []
    arguments += ["--loss", "ty", "--wrt", "tx"] if command == "grad" else []
    assert call(*arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"{files / 'program.dx'}: {words}")
    assert not (files / "out").exists()


@pytest.mark.parametrize("given", [
    "tx", "=x.npy", "tx=missing.npy", "tx=program.dx", "tx=empty.npy", "tx=many.npz", "tx=objects.npy", "x=x.npy",
])  # fmt: skip
def test_wrong_inputs(given, files, capsys, monkeypatch):
    monkeypatch.chdir(files)
    (files / "empty.npy").write_bytes(b"")
    np.savez(files / "many.npz", a=np.zeros(1), b=np.zeros(1))
    np.save(files / "objects.npy", np.array([{}], object), allow_pickle=True)
    assert call("run", files / "program.dx", "--input", given, "--output", files / "out") == 2
    assert capsys.readouterr().err
    assert not (files / "out").exists()


def test_a_program_that_cannot_be_read(files, capsys):
    (files / "latin.dx").write_bytes(b"// \xe9\n")
    for name in ("missing.dx", "latin.dx", "."):
        assert call("check", files / name) == 2
        assert "cannot be read" in capsys.readouterr().err


def test_as_a_module(files):
    command = [sys.executable, "-m", "anfora.deepx", "run", "-", "--output", str(files / "out")]
    result = subprocess.run(
        command, input="newtensor@int8 [2]->t1\nexp t1->t1", capture_output=True, text=True, timeout=60
    )
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.splitlines()[0] == "-: E-DTYPE: exp: a floating-point type is needed, but the type is int8"
    assert not (files / "out").exists()


def test_a_note_is_told_once_and_is_no_error(files, capsys):
    (files / "program.dx").write_text(PROGRAM.replace(" -> ", ">"))
    for command in ("check", "format", "run"):
        given = [] if command == "format" else ["--input", f"tx={files / 'x.npy'}"]
        assert call(command, files / "program.dx", *given) == 0
        assert capsys.readouterr().err == "deepx: note: line 4, column 25: read > as ->\n"
