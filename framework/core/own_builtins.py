"""The builtins of the framework's own code.

A program may put another `len` or `isinstance` into Python's builtins, to count calls or to test itself. Python's own
code, which is written in C, does not notice, and neither may ours: what a compiler does around a program is nothing that
the program could see, and it must not go wrong by what the program has put there. So the modules that run a program, or
compile it, find their builtins in a copy that nobody else has. The others find those of everybody: they print, and open
files, and programs that replace `print` or `open` mean them too.
"""

from __future__ import annotations

import builtins
import sys
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType
from typing import Any

__all__ = ["BUILTINS"]

#: Python's builtins as they were when the framework was loaded.
BUILTINS: dict[str, Any] = dict(vars(builtins))

_PACKAGES = ("anfora.core", "anfora.kernel", "anfora.ops", "anfora.eager", "anfora.graph")


class _Loader(SourceFileLoader):
    """Runs a module among these builtins: its functions keep them, as Python has it."""

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["__builtins__"] = BUILTINS
        super().exec_module(module)


class _Finder:
    """Finds our modules where Python does."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if not name.startswith(_PACKAGES):
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


sys.meta_path.insert(0, _Finder)  # type: ignore[arg-type]
