"""The files of `set_context(save_graphs=…, save_graphs_path=…)`: what a program is at each stage of its compilation.

    00_parse_0000       what the function says: MindIR, with `interpret` nodes for what has no graph form
    01_specialise_0001  what was recorded: typed MindIR, a file for each form of call, with its guards
    02_lower_0003       the same with operators that share a loop as functions of their own; in `.ir` also what each pass
                        did, and where values lie

The last number counts all files of the process; `.ir` is for eyes and `.dat` complete: it reads back to an equal graph
(`read`). At level 3 `.dot` is the drawing, with a number of its own: `dot -Tsvg FILE`. Files are written behind a call in
which something was compiled. `MS_DEV_SAVE_GRAPHS` and `MS_DEV_SAVE_GRAPHS_PATH` in the environment do the same.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anfora.core.cell import Cell
from anfora.core.environment import variable
from anfora.core.settings import get_context, log
from anfora.graph.ir import FuncGraph, GraphError, reading
from anfora.graph.ir.parser import parse
from anfora.graph.ir.text import complete, readable
from anfora.graph.run.compiled import RecordedProgram
from anfora.graph.tell.typed import typed
from anfora.graph.tell.wording import owner_of

__all__ = ["level", "read", "write"]

_numbers = itertools.count()


def level() -> int:
    """How much is wanted: 0 nothing, 1 and 2 texts, 3 drawings too."""
    given = variable("MS_DEV_SAVE_GRAPHS")
    return int(given) if given in ("0", "1", "2", "3") else get_context("save_graphs")


def folder() -> Path:
    return Path(variable("MS_DEV_SAVE_GRAPHS_PATH") or get_context("save_graphs_path"))


def write(program: RecordedProgram) -> list[Path]:
    """Write the files of a program, if they are wanted.

    Returns:
        the files. What goes wrong is told in the log, and never stops the program.
    """
    wanted = level()
    if not wanted:
        return []
    try:
        return _Writer(program, folder(), wanted).write()
    except OSError as error:
        log.error("save_graphs: %s", error)
    except Exception as error:  # a bug in this library is no reason to stop the user's program
        log.error("save_graphs: the graphs of %s cannot be shown: %r", program.function.__qualname__, error)
    return []


def read(file: Path | str, names: Mapping[str, Any] | None = None) -> FuncGraph:
    """The graph of a `.dat` file.

    Args:
        file: its path.
        names: as of `reading.read`.
    Raises:
        GraphError: the file cannot be read, or is none of these.
    """
    try:
        return reading.read(Path(file).read_text(encoding="utf-8"), names)
    except OSError as error:
        raise GraphError(f"{str(file)!r} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise GraphError(f"{str(file)!r} is not text in UTF-8, at byte {error.start}") from None
    except GraphError as error:
        raise GraphError(f"{str(file)!r}: {error.message}", help=error.help) from None


class _Writer:
    """Writes the stages of one program."""

    def __init__(self, program: RecordedProgram, into: Path, wanted: int) -> None:
        self.program, self.into, self.wanted = program, into, wanted
        self.written: list[Path] = []

    def write(self) -> list[Path]:
        self.into.mkdir(parents=True, exist_ok=True)
        self._parse()
        for stage, fused in (("01_specialise", False), ("02_lower", True)):
            for program in typed(self.program, fused=fused, lifted=True):
                self._graph(stage, program.graph)
        return self.written

    def _parse(self) -> None:
        owner = owner_of(self.program)
        function: Any = (
            self.program.function if owner is None else owner.construct if isinstance(owner, Cell) else owner.fn
        )
        if isinstance(function, Cell):  # its gradient is compiled
            function = function.construct
        function = inspect.unwrap(getattr(function, "__func__", function))
        try:
            self._graph("00_parse", parse(function))
        except NotImplementedError as reason:
            self._file("00_parse", next(_numbers), "ir", f"# it has no graph: {_line(reason)}\n")

    def _graph(self, stage: str, graph: FuncGraph) -> None:
        number = next(_numbers)
        self._file(stage, number, "ir", readable(graph, f"{stage}_{number:04}.dat"))
        self._file(stage, number, "dat", complete(graph))
        if self.wanted == 3:
            self._file(stage, next(_numbers), "dot", graph.dot())

    def _file(self, stage: str, number: int, ending: str, text: str) -> None:
        file = self.into / f"{stage}_{number:04}.{ending}"
        file.write_text(text, encoding="utf-8")
        self.written.append(file)


def _line(value: Any) -> str:
    """What something looks like, on one line."""
    text = " ".join((str(value) if isinstance(value, Exception) else repr(value)).split())
    return text if len(text) <= 100 else f"{text[:97]}..."
