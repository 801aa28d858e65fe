"""The command line: what it writes, and that it writes nothing when something is wrong."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from anfora.tensor_expression import kernel
from anfora.tensor_expression.__main__ import main

CASE = {
    "name": "scaled", "ins": ["A", "s"], "outs": ["C"], "data_type": "float",
    "kernel": "C<2, 3>[i, j] = A<2, 3>[i, j] * s<1> + 1.0;", "grad_to": ["A", "s"],
}  # fmt: skip
A = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "case.json").write_text(json.dumps(CASE))
    np.save(tmp_path / "A.npy", A)
    np.save(tmp_path / "s.npy", np.array([2], np.float32))
    np.save(tmp_path / "dC.npy", np.ones((2, 3), np.float32))
    return tmp_path


def inputs(folder, *names: str) -> list[str]:
    return [word for name in names for word in ("--input", f"{name}={folder / name}.npy")]


@pytest.mark.parametrize(("emit", "method"), [("c", "c_source"), ("c++", "c_source"), ("ir", "ir"), ("tree", "tree")])
@pytest.mark.parametrize("grad", [False, True])
def test_build(folder, capsys, emit, method, grad):
    made = kernel(CASE)
    wanted = getattr(made, f"grad_{method}" if grad else method)(*([emit] if method == "c_source" else []))
    words = ["build", str(folder / "case.json"), "--emit", emit, *(["--grad"] if grad else [])]
    assert main(words) == 0
    assert capsys.readouterr().out == wanted
    assert main([*words, "-o", str(folder / "out.txt")]) == 0
    assert (folder / "out.txt").read_text() == wanted and capsys.readouterr().out == ""


def test_run(folder):
    words = ["run", str(folder / "case.json"), *inputs(folder, "A", "s"), "--output", str(folder / "results")]
    assert main(words) == 0
    np.testing.assert_array_equal(np.load(folder / "results" / "C.npy"), A * 2 + 1)


def test_run_gradient(folder):
    words = ["run", str(folder / "case.json"), "--grad", *inputs(folder, "A", "s", "dC"), "--output", str(folder / "g")]
    assert main(words) == 0
    assert sorted(p.name for p in (folder / "g").iterdir()) == ["dA.npy", "ds.npy"]
    np.testing.assert_array_equal(np.load(folder / "g" / "dA.npy"), np.full((2, 3), 2, np.float32))
    np.testing.assert_array_equal(np.load(folder / "g" / "ds.npy"), [15])


def test_as_a_program(folder):
    (folder / "case.json").write_text(json.dumps({**CASE, "kernel": "C<2, 3>[i, j] = A<2>[i, j] * s<1>;"}))
    words = [sys.executable, "-m", "anfora.tensor_expression", "build", "case.json", "-o", "out.c"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 2 and done.stdout == "" and not (folder / "out.c").exists()
    lines = done.stderr.splitlines()
    assert lines[0].startswith("K-RANK: ") and lines[1].startswith("  case.json, line 1, column ")
    assert lines[2][lines[3].index("^") :].startswith("A<2>[i, j] * s<1>;")


@pytest.mark.parametrize(
    ("code", "change", "given"),
    [
        ("K-CASE", {}, ["A"]),
        ("K-CASE", {}, ["A", "s", "Q"]),
        ("K-CASE", {}, ["A", "s", "A"]),
        ("K-SHAPE", {}, ["A", "s=A"]),
        ("K-SHAPE", {}, ["A=s", "s"]),
        ("K-TYPE", {"data_type": "double"}, ["A", "s"]),
        ("K-CASE", {"outs": []}, ["A", "s"]),
        ("No such file", {}, ["A", "s=missing"]),
        ("K-CASE", {}, ["A", "s=text"]),
    ],
)
def test_wrong(folder, capsys, code, change, given):
    (folder / "case.json").write_text(json.dumps({**CASE, **change}))
    np.save(folder / "Q.npy", A)
    (folder / "text.npy").write_text("no array")
    pairs = [(name.partition("=")[0], name.rpartition("=")[2]) for name in given]
    words = [word for name, file in pairs for word in ("--input", f"{name}={folder / file}.npy")]
    assert main(["run", str(folder / "case.json"), *words, "--output", str(folder / "results")]) == 2
    assert code in capsys.readouterr().err and not (folder / "results").exists()


def test_no_case(folder, capsys):
    assert main(["build", str(folder / "missing.json")]) == 2
    assert "missing.json: No such file" in capsys.readouterr().err
    (folder / "case.json").write_text('{\n  "name": "f",\n  "ins" }')
    assert main(["build", str(folder / "case.json")]) == 2
    assert "K-CASE: not JSON" in (err := capsys.readouterr().err) and "line 3" in err and "^" in err


@pytest.mark.parametrize(
    "words, message",
    [
        (["run", "case.json", "--input", "Q=A.npy"], "K-CASE: there is no input `Q`\n  help: inputs are A, s."),
        (["run", "case.json", "--input", "A=s.npy"], "K-SHAPE: `A` must have shape (2, 3), but has (1,)"),
        (["run", "case.json", "--input", "A=case.json"], "K-CASE: 'case.json' should be an array in numpy's"),
        (["build", "A.npy"], "K-CASE: not text in UTF-8 in A.npy, at byte 0"),
    ],
)
def test_a_users_mistake_has_no_place_in_our_source(folder, words, message):
    """Which is the program when it is run with `-m`."""
    command = [sys.executable, "-m", "anfora.tensor_expression", *words]
    command += ["--output", "out"] if "run" in words else []
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert result.returncode == 2 and result.stdout == "" and result.stderr.startswith(message)
    assert ".py" not in result.stderr and not (folder / "out").exists()
