"""Starts a program several times, as `mpiexec` does it for users."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

#: How many processes tests use: four where there are as many cores.
COUNTS = [1, 2, 4] if (os.cpu_count() or 1) >= 4 else [1, 2]


def mpiexec() -> list[str]:
    """The launcher: the one beside this Python, or the system's."""
    beside = shutil.which("mpiexec", path=os.path.dirname(sys.executable))
    found = beside or shutil.which("mpiexec")
    assert found, "there is no mpiexec: python -m pip install mpich"
    told = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout
    return [found, *(["--allow-run-as-root", "--oversubscribe"] if "Open MPI" in told or "prte" in told else [])]


def start(
    count: int, program: str | pathlib.Path, *args: object, folder: pathlib.Path, timeout: float = 120, **env: str
):
    """Run a program, text or file, in so many processes; (exit code, what it wrote, what it wrote to stderr)."""
    file = program
    if isinstance(program, str):
        file = folder / "program.py"
        file.write_text(textwrap.dedent(program))
    command = [*mpiexec(), "-n", str(count), sys.executable, "-W", "error", str(file), *map(str, args)]
    around = {**os.environ, "ANFORA_NUM_THREADS": "1", "PYTHONFAULTHANDLER": "1", **env}
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, cwd=folder, env=around, check=False)
    return done.returncode, done.stdout, done.stderr


def run(count: int, program: str | pathlib.Path, *args: object, folder: pathlib.Path, **env: str) -> str:
    """The same of a program that must succeed: what it wrote."""
    code, out, err = start(count, program, *args, folder=folder, **env)
    assert code == 0, f"{out}\n{err}"
    return out


def told(text: str) -> set[str]:
    """What programs have told by `[[…]]`, which may stand anywhere, since all processes write to one place."""
    return set(re.findall(r"\[\[(.*?)\]\]", text))
