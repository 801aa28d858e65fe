"""`python -m anfora run SCRIPT …`: a program that says `import mindspore`, as it is.

The program finds what it finds under `python SCRIPT …`: its arguments, its folder first among the places of modules, a
main module of its own, exit codes, signals, processes that multiprocessing starts. What it raises is told without the
frames in front of it. A name that this package lacks is told in one line, with the nearest that it has.
"""

from __future__ import annotations

import builtins
import io
import os
import pkgutil
import re
import runpy
import sys
import traceback
from importlib.machinery import SourceFileLoader
from types import ModuleType, TracebackType
from typing import Any

import anfora
from anfora import alias
from anfora.core.nearest import MissingName, suggested

__all__ = ["main"]

_USAGE = """\
usage: python -m anfora run SCRIPT [ARGUMENT …]
       python -m anfora run -m MODULE [ARGUMENT …]

Run a program that says `import mindspore`, as it is: in its process, anfora answers to that name. A MindSpore
that is installed is neither loaded nor changed.

  SCRIPT      a file, or a folder or zip file that has a __main__.py
  -m MODULE   a module, as in python -m MODULE
  ARGUMENT …  what the program finds in sys.argv

Names that anfora lacks are told in one line; with ANFORA_TRACEBACK=full in the environment, as a whole traceback."""


def main(arguments: list[str]) -> int:
    """Run the program; it ends the process as it would by itself."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(_USAGE, file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    alias.install()
    if arguments[0] == "-m":
        if len(arguments) < 2:
            print("python -m anfora run: -m needs the name of a module", file=sys.stderr)
            return 2
        sys.argv[:] = arguments[1:]
        _put_main()
        _guarded(runpy._run_module_as_main, arguments[1])  # type: ignore[attr-defined]
        return 0
    script = arguments[0]
    sys.argv[:] = arguments
    if not os.path.isfile(script) and not os.path.isdir(script):
        print(f"python -m anfora run: can't open file {script!r}: there is no such file", file=sys.stderr)
        return 2
    if os.path.isdir(script) or pkgutil.get_importer(script) is not None:  # a folder, a zip file
        _lead_path_with(os.path.abspath(script))
        _put_main()
        _guarded(runpy._run_module_as_main, "__main__", False)  # type: ignore[attr-defined]
        return 0
    file = os.path.abspath(script)
    _lead_path_with(os.path.dirname(os.path.realpath(script)))
    names = _put_main()
    names.update(__file__=file, __loader__=SourceFileLoader("__main__", file), __cached__=None)
    _guarded(_execute, file, names)
    return 0


def _put_main() -> dict[str, Any]:
    """Make a main module as the interpreter makes it, in which nothing is of this one; gives its names."""
    _kept.append(sys.modules["__main__"])
    module = sys.modules["__main__"] = ModuleType("__main__")
    names = module.__dict__
    names["__builtins__"] = builtins
    if sys.version_info < (3, 14):
        names["__annotations__"] = {}
    return names


_kept: list[ModuleType] = []  #: main modules that others have taken the place of


def _lead_path_with(folder: str) -> None:
    if getattr(sys.flags, "safe_path", False):  # Python has put nothing there either
        return
    sys.path[0] = folder


def _execute(file: str, names: dict[str, Any]) -> None:
    with io.open_code(file) as opened:
        source = opened.read()
    exec(compile(source, file, "exec", dont_inherit=True), names)


def _guarded(function: Any, *arguments: Any) -> None:
    """Call what runs a program; an error goes on to the interpreter, which ends the process by it, as it does by any."""
    try:
        function(*arguments)
    except BaseException:
        _tell_without_us()
        raise


def _tell_without_us() -> None:
    """Let the hook that tells of the error that ends the program, Python's or the program's own, see it alone."""
    hook = sys.excepthook

    def tell(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        full = os.environ.get("ANFORA_TRACEBACK") == "full"
        if not full:
            trace = _of_program(trace)
            error.__traceback__ = trace
            sys.last_traceback = trace
        line = None if full else _one_line(error, trace)
        if line is None:
            hook(kind, error, trace)
        else:
            print(line, file=sys.stderr)

    sys.excepthook = tell


def _of_program(trace: TracebackType | None) -> TracebackType | None:
    """The part of a traceback behind the frames that have started the program."""
    while trace is not None and _has_started_it(trace.tb_frame.f_globals):
        trace = trace.tb_next
    return trace


def _has_started_it(names: dict[str, Any]) -> bool:
    return names.get("__name__") in ("runpy", "anfora.commands", __name__) or any(names is vars(m) for m in _kept)


# -- names that are missing -------------------------------------------------------------------------------------------

_IMPORT = re.compile(r"cannot import name '([^']+)'")
_MODULE = re.compile(r"module '([\w.]+)' has no attribute '([^']+)'")


def _one_line(error: BaseException, trace: TracebackType | None) -> str | None:
    """Where the program asks for a name that this package lacks, and the nearest that it has; None for other errors."""
    missing = _missing(error)
    if missing is None:
        return None
    owner, name = missing
    frames = [frame for frame in traceback.extract_tb(trace) if not frame.filename.startswith(_PACKAGE)]
    place = f"{_short(frames[-1].filename)}:{frames[-1].lineno}: " if frames else ""
    found = suggested(_own(owner), name)
    better = f"; did you mean '{_as_written(found if '.' in found else f'{owner}.{found}')}'?" if found else ""
    return f"{place}anfora has no '{_as_written(owner)}.{name}'{better}"


_PACKAGE = os.path.join(os.path.dirname(anfora.__file__), "")


def _missing(error: BaseException) -> tuple[str, str] | None:
    """The module of this package that was asked for a name, and the name."""
    if isinstance(error, MissingName):
        return error.module, error.missing
    if isinstance(error, ModuleNotFoundError):
        owner, _, name = (error.name or "").rpartition(".")
        return (owner, name) if _is_ours(owner) else None
    if isinstance(error, ImportError):
        found = _IMPORT.search(str(error))
        return (error.name, found[1]) if found and error.name and _is_ours(error.name) else None
    if isinstance(error, AttributeError):
        found = _MODULE.match(str(error))
        return (found[1], found[2]) if found and _is_ours(found[1]) else None
    return None


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in ("anfora", "mindspore")


def _as_written(name: str) -> str:
    return re.sub(r"^anfora\b", "mindspore", name)


def _own(module: str) -> str:
    return re.sub(r"^mindspore\b", "anfora", module)


def _short(file: str) -> str:
    relative = os.path.relpath(file)
    return file if relative.startswith("..") else relative
