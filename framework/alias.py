"""`import mindspore` is this package, in a process that asks for it: `python -m anfora run` does.

A finder in front of all others answers for `mindspore` and what is below it, with the modules of this package: a
MindSpore that is installed is neither loaded nor changed. Processes that multiprocessing starts from such a one have the
finder too: it travels with what they are prepared with, before they load the program.
"""

from __future__ import annotations

import importlib
import importlib.machinery
import importlib.metadata
import importlib.util
import sys
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any

from anfora import paths
from anfora.core.dtype import DType
from anfora.core.nearest import did_you_mean

__all__ = ["VERSION", "install", "is_installed"]

#: The MindSpore whose names and defaults these are; programs ask for it.
VERSION = "2.10.0"
_ROOT = "mindspore"


class _Finder:
    """Finds and loads `mindspore` and its modules; speaks for the distribution of that name."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname == _ROOT:
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)  # type: ignore[arg-type]
        if not fullname.startswith(_ROOT + "."):
            return None
        if _own(fullname) not in sys.modules and importlib.util.find_spec(_own(fullname)) is None:
            raise ModuleNotFoundError(f"anfora has no module '{fullname}'{_nearest_module(fullname)}", name=fullname)
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)  # type: ignore[arg-type]

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        if spec.name != _ROOT:
            module = importlib.import_module(_own(spec.name))
            spec.loader_state = getattr(module, "__spec__", None)
            _keep_names(spec.name, module)
            return module
        root = paths.path(_ROOT, "anfora")
        root.__dict__.update(__version__=VERSION, __path__=[], __file__=sys.modules["anfora"].__file__)
        return root

    def exec_module(self, module: ModuleType) -> None:
        """The module is loaded already; what importing it under this name has written into it is taken back."""
        if module.__name__ != _ROOT and module.__spec__ is not None:
            module.__spec__ = module.__spec__.loader_state

    def find_distributions(self, context: Any = None) -> Iterable[importlib.metadata.Distribution]:
        """What `importlib.metadata.version("mindspore")` asks for."""
        name = getattr(context, "name", None)
        return [_Distribution()] if name is not None and name.lower() == _ROOT else []

    def invalidate_caches(self) -> None:
        """Nothing is kept."""


class _Distribution(importlib.metadata.Distribution):
    def read_text(self, filename: str) -> str | None:
        return f"Metadata-Version: 2.1\nName: {_ROOT}\nVersion: {VERSION}\n" if filename == "METADATA" else None

    def locate_file(self, path: Any) -> Any:
        raise FileNotFoundError(f"{_ROOT} is not installed here: anfora stands in for it")


def _own(fullname: str) -> str:
    return "anfora" + fullname[len(_ROOT) :]


def _keep_names(fullname: str, module: ModuleType) -> None:
    """Let a function of a module stay that has the name of a module below it (`utils.runtime_execution_order_check`):
    import binds what it loads, so it finds such a module loaded."""
    for name in list(vars(module)):
        below = sys.modules.get(f"{_own(fullname)}.{name}")
        if below is not None and not isinstance(vars(module)[name], ModuleType):
            sys.modules.setdefault(f"{fullname}.{name}", below)


def _nearest_module(fullname: str) -> str:
    known = [_ROOT + name[len("anfora") :] for name in sys.modules if name.startswith("anfora.")]
    return did_you_mean(fullname, (name for name in known if name.count(".") == fullname.count(".")))


class _Bringing:
    """Something that installs the finder in the process that unpickles it."""

    def __reduce__(self) -> tuple:
        return install, ()


_finder = _Finder()


def is_installed() -> bool:
    """Whether `import mindspore` gives this package in this process."""
    return _finder in sys.meta_path


def install() -> None:
    """Let `import mindspore` give this package, in this process and in those that it starts by multiprocessing.

    Raises:
        RuntimeError: if another `mindspore` is loaded already.
    """
    if is_installed():
        return
    if _ROOT in sys.modules:
        raise RuntimeError("mindspore is loaded already: anfora cannot take its name any more")
    sys.meta_path.insert(0, _finder)  # type: ignore[arg-type]
    DType.package = _ROOT
    _tell_children()


def _tell_children() -> None:
    from multiprocessing import spawn

    prepare = spawn.get_preparation_data

    def get_preparation_data(name: str) -> dict[str, Any]:
        data = prepare(name)
        if name == "ignore":  # for the server that forks: it would load the program without the finder
            data.pop("main_path", None)
            data.pop("init_main_from_path", None)
            data.pop("init_main_from_name", None)
            return data
        return {"anfora": _Bringing(), **data}

    spawn.get_preparation_data = get_preparation_data
