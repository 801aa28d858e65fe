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
_NUMBER = re.compile(r"-?\d+\.\d+(?:e[+-]?\d+)?")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda file: file.stem)
def test_a_program_of_mindspore(program, tmp_path):
    started = [*mpiexec(), "-n", "2"] if program.stem == "several_processes" else []
    done = subprocess.run(
        [*started, sys.executable, "-W", "error", "-m", "anfora", "run", program, tmp_path / "files"],
        cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    expected = program.with_suffix(".txt").read_text()
    assert _NUMBER.sub("#", done.stdout) == _NUMBER.sub("#", expected)
    got, wanted = (list(map(float, _NUMBER.findall(text))) for text in (done.stdout, expected))
    assert got == pytest.approx(wanted, rel=2e-4, abs=2e-4)
