"""The notebook runs, and shows what stands in it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

NOTEBOOK = Path(__file__).parents[2] / "examples" / "digits.ipynb"


def test_the_notebook_shows_what_stands_in_it():
    ran = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("notebook.py")), str(NOTEBOOK)], capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    stored = [cell["outputs"] for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]
    assert json.loads(ran.stdout.splitlines()[-1]) == stored
    assert any("right: 1" in "".join(output.get("text", "")) for outputs in stored for output in outputs)
