"""The example, as its head says to start it."""

from __future__ import annotations

import os
import re
import subprocess
import sys

from ranks import mpiexec


def _told(count: int, folder, *options: str) -> tuple[str, str]:
    command = [sys.executable, "-m", "anfora.examples.data_parallel", "--epochs", "2", *options]
    command = [*mpiexec(), "-n", str(count), *command] if count else command
    env = {**os.environ, "ANFORA_NUM_THREADS": "1"}
    out = subprocess.run(command, capture_output=True, text=True, timeout=120, env=env, cwd=folder, check=False)
    assert out.returncode == 0, out.stderr
    assert f"processes: {count or 1}, epochs: 2;" in out.stdout
    return re.search(r"weights: (\w{64})", out.stdout)[1], re.search(r"([\d.]+)%", out.stdout)[1]


def test_two_processes_train_what_one_does(tmp_path):
    digest, accuracy = _told(2, tmp_path, "--save", "saved")
    assert _told(0, tmp_path, "--mode", "graph") == (digest, accuracy)
    assert float(accuracy) > 60
    assert len(list((tmp_path / "saved").iterdir())) == 2
