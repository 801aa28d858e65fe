"""Tests see the package as users do: installed, or from an editable checkout."""

from __future__ import annotations

import pathlib
import sys

HERE = pathlib.Path(__file__).parent
for folder in (HERE, HERE / "graph", HERE / "nn", HERE / "ops", HERE / "project"):
    sys.path.insert(0, str(folder))
