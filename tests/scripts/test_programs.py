"""Whole programs in the style of MindSpore's tutorials, run as they are: they print what MindSpore prints.

The text beside each program is what MindSpore 2.10 printed for it, on a CPU; for `several_processes.py` process 0 of two.
Of `loss_scale.py` it has the first part only, up to the element types, since MindSpore has no kernel for the Cell that
follows; the rest compares the program with itself.
"""

from __future__ import annotations

import pathlib
import re
import subprocess
import sys

import pytest
from ranks import mpiexec

PROGRAMS = sorted((pathlib.Path(__file__).parent / "programs").glob("*.py"))
#: Programs that take the mode from their arguments run in both.
RUNS = [
    (program, *mode) for program in PROGRAMS for mode in ((), ("graph",))[: 1 + ('"graph" in' in program.read_text())]
]
_NUMBER = re.compile(r"-?\d+\.\d+(?:e[+-]?\d+)?")


@pytest.mark.parametrize("run", RUNS, ids=lambda run: "-".join([run[0].stem, *run[1:]]))
def test_a_program_of_mindspore(run, tmp_path):
    program, *mode = run
    started = [*mpiexec(), "-n", "2"] if program.stem == "several_processes" else []
    done = subprocess.run(
        [*started, sys.executable, "-W", "error", "-m", "anfora", "run", program, tmp_path / "files", *mode],
        cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    expected = program.with_suffix(".txt").read_text()
    assert _NUMBER.sub("#", done.stdout) == _NUMBER.sub("#", expected)
    got, wanted = (list(map(float, _NUMBER.findall(text))) for text in (done.stdout, expected))
    assert got == pytest.approx(wanted, rel=2e-4, abs=2e-4)
