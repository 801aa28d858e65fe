"""Programs made by chance: a writer of their lines, and how they become a module."""

from __future__ import annotations

import importlib.util
import pathlib
from types import ModuleType
from typing import Any

import numpy as np


class Writer:
    """Writes a function; subclasses say of what."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.lines: list[str] = []
        self.loops = 0

    def pick(self, *choices: Any) -> Any:
        return choices[self.rng.integers(len(choices))]

    def write(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def function(self) -> str:
        """The text."""
        raise NotImplementedError


def loaded(text: str, folder: pathlib.Path) -> ModuleType:
    """A module of the text, made anew each time; it knows `Tensor` and `ops`."""
    file = folder / "made.py"
    file.write_text(f"from anfora import Tensor, ops\n\n{text}\n")
    spec = importlib.util.spec_from_file_location("made", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
