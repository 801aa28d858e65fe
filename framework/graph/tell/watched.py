"""Programs that tell what becomes of them, and refuse what only the interpreter can do where they are to.

`ANFORA_LOG=recompiles` in the environment, or INFO as the level of the logger "anfora", shows every recompilation with what
changed; `MS_JIT_DISPLAY_PROGRESS=1` every compilation. `save_graphs` writes files of each, see dumps.py.
"""

from __future__ import annotations

import threading
import time
import types
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from anfora.batching import at_once
from anfora.core.cell import Cell
from anfora.core.environment import variable
from anfora.core.errors import AnforaError, OpRuntimeError
from anfora.core.settings import get_context, log, logs
from anfora.core.span import Span
from anfora.graph.facts.kinds import module_of, name_of_module
from anfora.graph.machine.machine import Machine
from anfora.graph.polyfill.gradients import STEPS
from anfora.graph.record.recorder import Recorder
from anfora.graph.run.compiled import RecordedProgram
from anfora.graph.run.points import Hop, Point, Variant, looks
from anfora.graph.source.code import Unsupported
from anfora.graph.source.sources import code_of
from anfora.graph.state.moments import OUTLINED, Outcome, State
from anfora.graph.tell.twins import can_fork
from anfora.graph.tell.wording import (
    Names,
    changed,
    first_failing,
    hop_span,
    name_of,
    outcome_text,
    position_span,
    span_text,
)

__all__ = ["FallbackError", "Watched", "is_legal", "kind_of_program", "strictness", "what_changed"]


class FallbackError(AnforaError, RuntimeError):
    """`fullgraph=True`, or STRICT, and something that only the interpreter can do. The message lists what, where, why."""


class _Inside(threading.local):
    """What a thread is recording: files are written behind the outermost recording."""

    def __init__(self) -> None:
        self.depth = 0
        #: by program that must not fall back: where it would have to
        self.found: dict[int, list[tuple[Span | None, str]]] = {}


_inside = _Inside()


def _saves_graphs() -> bool:
    """Whether somebody wants files of graphs: see dumps.py."""
    return bool(get_context("save_graphs")) or variable("MS_DEV_SAVE_GRAPHS") != ""


class Watched(RecordedProgram):
    """A program that tells of what it records.

    Where nothing at all is left to the interpreter (`fullgraph=True`), all ways of a call are followed before it is done
    (analysis.py), and the error lists what is found on them. What comes behind something of which nothing is known then is
    refused where it comes: what is only looked at (elements of a tensor) is collected on the way, and the first thing that
    could have an effect is refused before it is done. Nothing is kept of such a run, so that the next one is refused too.

    `jit_syntax_level="STRICT"` refuses what MindSpore's compiler has no syntax for: functions and objects that are
    neither Python's nor this library's, and changes of what is outside. A branch on a tensor, `print`, a Cell that is
    made in the program, an optimizer or `vmap` are legal there, also where the interpreter helps.

    Args:
        function: what it does.
        owner: the Cell, or the function made by `grad`, where it is the calls of one.
        strictness: "fullgraph", "STRICT" or ""; the setting `jit_syntax_level` says STRICT for all programs.
    """

    def __init__(self, function: Callable, owner: Any = None, strictness: str = "") -> None:
        super().__init__(function)  # type: ignore[arg-type]
        self.owner = None if owner is None else weakref.ref(owner)
        self.strictness = strictness
        self._lenient: Watched | None = None

    @property
    def lenient(self) -> Watched:
        """The same for reports: a strict program keeps nothing that has hops, which reports are about."""
        if not self.strictness:
            return self
        if self._lenient is None:
            self._lenient = Watched(self.function, None if self.owner is None else self.owner())
        return self._lenient

    @property
    def name(self) -> str:
        """What messages call it."""
        return name_of(self)

    def twin(self, function: types.FunctionType) -> Watched:
        return Watched(function, strictness=self.strictness)

    @property
    def may_wait(self) -> bool:  # type: ignore[override]
        return not _saves_graphs()  # who wants to see graphs wants those that are run

    def _record(self, point: Point, values: list[Any]) -> Any:
        if self._refuses() and point.frames[0] == "entry" and id(self) not in _inside.found:
            self._refuse_beforehand(*point.arguments(values))
        return self._recording(super()._record, point, values)

    def _refuse_beforehand(self, args: tuple, kwargs: dict) -> None:
        """Refuse a call of which some way needs the interpreter, before anything of it is done."""
        from anfora.graph.tell import analysis  # which is made of this

        if not can_fork():
            return
        try:
            lowered = analysis.lower(self, args, kwargs, compiles=False)
        except OpRuntimeError:  # it is refused where it comes to
            return
        if lowered.unsupported:
            raise _refusal(self.name, [(place.span, place.reason) for place in lowered.unsupported])

    def note_anew(self, point: Point, values: list[Any]) -> None:
        if tells_recompiles():
            log.log(_level(), "%s is compiled anew: %s", self.name, what_changed(self, point, values))

    def _redo(self, hop: Hop, values: list[Any], outcome: Outcome) -> Any:
        if tells_recompiles():
            span = hop_span(hop)
            seen = outcome_text(hop.key_of(outcome))
            log.log(_level(), "%s goes on in a new way: %s:%d: %s gives %s", self.name, span.short_file, span.line,
                    span_text(span), seen)  # fmt: skip
        return self._recording(super()._redo, hop, values, outcome)

    def _recording(self, record: Callable, *args: Any) -> Any:
        """Record, and then write the files that are wanted and tell of it."""
        before = time.perf_counter()
        shows = variable("MS_JIT_DISPLAY_PROGRESS") == "1"
        saves = _saves_graphs()
        _inside.depth += 1
        try:
            if self._refuses():
                return self._recording_strictly(record, *args)
            result = record(*args)
            return self.completed(result) if shows or saves else result
        finally:
            _inside.depth -= 1
            if not _inside.depth:
                if shows:
                    took = (time.perf_counter() - before) * 1e3
                    log.warning("%s was compiled while it ran, in %.1f ms", self.name, took)
                if saves:
                    from anfora.graph.tell import dumps  # with parser and texts, which are seldom wanted

                    dumps.write(self)

    # -- without the interpreter --------------------------------------------------------------------------------------

    def _refuses(self) -> str:
        """What the program refuses: see `strictness`."""
        return self.strictness or ("STRICT" if syntax_level() == "STRICT" else "")

    def _recording_strictly(self, record: Callable, *args: Any) -> Any:
        if id(self) in _inside.found:  # a part of a run whose end will raise
            return record(*args)
        found = _inside.found[id(self)] = []
        try:
            try:
                code_of(self.function)
            except Unsupported as reason:
                raise _refusal(self.name, [(None, str(reason))]) from None
            result = self.completed(record(*args))
            if self.native is not None and self._refuses() == "fullgraph":
                found.append((None, self.native))
        finally:
            del _inside.found[id(self)]
            if found:
                self.entries, self.points = {}, {}
                self.compile_again()
        if found:
            raise _refusal(self.name, found)
        return result

    def end_with_hop(self, recorder: Recorder, machine: Machine, state: State, reason: str) -> None:
        super().end_with_hop(recorder, machine, state, reason)
        end = recorder.end  # other threads may have gone on from the point by now
        if id(self) in _inside.found and self._refuses() == "fullgraph" and not end.is_native:
            _inside.found[id(self)].append((hop_span(end), reason))

    def is_refusing(self) -> bool:
        return id(self) in _inside.found

    def note_indivisible(self, machine: Machine, place: tuple, reason: str) -> None:
        found = _inside.found.get(id(self))
        if found is not None and self._refuses() == "fullgraph":
            self._refuse(found, position_span(*place[:2]), reason, machine)

    def note_unkept(self, machine: Machine, operation: Any, args: tuple, reason: str) -> None:
        is_call = self.is_itself(operation) or self.is_twin(operation)
        is_native = looks(operation, args, reason) is not None or reason in (*STEPS, *OUTLINED) or is_call
        if self._refuses() == "fullgraph" and not is_native:
            _inside.found[id(self)].append((position_span(*machine.place[:2]), reason))

    def is_patient(self) -> bool:
        return not self._refuses()

    def puts_writes_off(self) -> bool:
        return self._refuses() != "STRICT"

    def give_up(self, reason: str, machine: Machine) -> None:
        found = _inside.found.get(id(self))
        if found is None or self._refuses() != "fullgraph":
            super().give_up(reason, machine)
        else:
            self._refuse(found, None, reason, machine)

    def _finish(self, recorder: Recorder, machine: Machine) -> Any:
        found = _inside.found.get(id(self))
        if found is not None:

            def interpret(machine: Machine, operation: Any, args: tuple, kwargs: dict, reason: str) -> Any:
                if recorder.given is not None:
                    return recorder.redo()
                if self.is_twin(operation) or (self._refuses() == "STRICT" and is_legal(operation, args)):
                    return Recorder.interpret(recorder, machine, operation, args, kwargs, reason)
                return self._refuse(found, position_span(*machine.place[:2]), reason, machine)

            recorder.interpret = interpret  # type: ignore[method-assign]
        return super()._finish(recorder, machine)

    def _refuse(self, found: list, span: Span | None, reason: str, machine: Machine) -> None:
        found.append((span, reason))
        for each in machine.chain():
            for frame in each.frames:
                if not frame.code.is_internal or frame.function is at_once:  # no handler of the program is asked
                    frame.handlers.clear()
        raise _refusal(self.name, found)


def kind_of_program(options: dict[str, Any]) -> type[Watched]:
    """What a function with these options of `jit` is compiled to."""
    if options.get("check") or variable("ANFORA_CHECK") == "1":
        from anfora.graph.tell.checking import Checked  # with what looks at values, which is seldom wanted

        return Checked
    return Watched


def strictness(options: dict[str, Any]) -> str:
    """What a program with these options refuses: see `Watched`."""
    if options.get("fullgraph"):
        return "fullgraph"
    return "STRICT" if options.get("jit_syntax_level") == "STRICT" else ""


def is_legal(operation: Any, args: tuple) -> bool:
    """Whether a strict program may have the interpreter do something: what this library has its own way for (a Cell is
    made or called, an optimizer, `vmap`, a method or attribute of a tensor), names of modules, and `print`."""
    if operation is print:
        return True
    if operation is getattr:  # a module may look its names up, which is no syntax of the program's
        return issubclass(type(args[0]), types.ModuleType) or _is_ours(args[0])
    return _is_ours(getattr(operation, "__self__", None)) or _is_ours(operation)


def _is_ours(value: Any) -> bool:
    """Whether something is of this library, or a Cell, or a class of Cells."""
    if isinstance(value, type):
        return issubclass(value, Cell) or _is_of_library(module_of(value))
    if isinstance(value, types.ModuleType):
        return _is_of_library(name_of_module(value))
    if isinstance(value, types.FunctionType):
        return _is_of_library(value.__globals__.get("__name__"))  # whatever `functools.wraps` calls it
    return isinstance(value, Cell) or _is_of_library(module_of(type(value)))


def _is_of_library(module: str | None) -> bool:
    return module is not None and module.startswith("anfora.")


def syntax_level() -> str:
    """The setting `jit_syntax_level`: STRICT, COMPATIBLE or LAX; the environment variable MS_DEV_JIT_SYNTAX_LEVEL wins."""
    given = variable("MS_DEV_JIT_SYNTAX_LEVEL")
    return {"0": "STRICT", "1": "COMPATIBLE", "2": "LAX"}.get(given) or get_context("jit_syntax_level")


def tells_recompiles() -> bool:
    return logs("recompiles") or log.isEnabledFor(20)


def _level() -> int:
    """Messages that were asked for through the environment are shown, whatever the level."""
    return 30 if logs("recompiles") else 20


def what_changed(program: Watched, point: Point, values: Sequence[Any]) -> str:
    """What is other than in the variant that fits a moment best."""
    best: tuple[int, Variant] | None = None
    for variant in point.variants:
        failing = first_failing(variant.piece.guards, values)
        if failing is not None and (best is None or failing >= best[0]):
            best = failing, variant
    if best is None:
        return "nothing that is guarded"
    return changed(best[1].piece.guards[best[0]], values, Names.at(program, point))


def _refusal(name: str, found: Sequence[tuple[Span | None, str]]) -> FallbackError:
    lines: dict[str, None] = {}  # each place once: a loop comes by it often
    for span, reason in found:
        lines[f"  {reason}" if span is None else span.told(reason)] = None
    many = "one thing needs" if len(lines) == 1 else f"{len(lines)} things need"
    error = FallbackError(
        f"{name} must be compiled as a whole (fullgraph=True, or STRICT), but {many} the interpreter",
        help="without that it runs, and all other parts are compiled.",
    )
    error.place = "\n".join(lines)
    return error
