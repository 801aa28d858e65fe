"""The builtins of the framework's own code.

A program may put another `len` or `isinstance` into Python's builtins, to count calls or to test itself. Python's own
code, which is written in C, does not notice, and neither may ours: what a compiler does around a program is nothing that
the program could see, and it must not go wrong by what the program has put there. So the modules that run a program, or
compile it, find their builtins in a copy that nobody else has. The others find those of everybody: they print, and open
files, and programs that replace `print` or `open` mean them too. Python's library, llvmlite and numba find those of
everybody as well: what is made once, at its first use, with their help is made by functions that are `undisturbed`.
"""

from __future__ import annotations

import builtins
import functools
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType
from typing import Any, TypeVar

__all__ = ["BUILTINS", "undisturbed"]

#: Python's builtins as they were when the framework was loaded.
BUILTINS: dict[str, Any] = dict(vars(builtins))

_GONE = object()  #: for a builtin that the program has deleted
_T = TypeVar("_T")


def undisturbed(function: Callable[..., _T]) -> Callable[..., _T]:
    """A function during which Python's own builtins stand where a program has replaced or deleted some.

    Other threads see them meanwhile. What one puts there stays, and so does what the program has put there where two of
    its threads come here at once and the first is done: it may disturb the second.
    """

    @functools.wraps(function)
    def among_own(*args: Any, **kwargs: Any) -> _T:
        there = builtins.__dict__  # `vars` could be one of them
        replaced: dict[str, Any] = {}
        try:
            for name, own in BUILTINS.items():
                value = there.get(name, _GONE)
                if value is not own:
                    replaced[name] = value  # noted first: the handler of a signal may raise anywhere
                    there[name] = own
            return function(*args, **kwargs)
        finally:
            for name, value in replaced.items():
                if there.get(name) is BUILTINS[name]:
                    if value is _GONE:
                        del there[name]
                    else:
                        there[name] = value

    return among_own


_PACKAGES = ("anfora.core", "anfora.kernel", "anfora.ops", "anfora.eager", "anfora.graph", "anfora.api")


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
