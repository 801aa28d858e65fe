"""What graph mode does with a program, told to its writer.

    explained(…)           calls a program once, with all its effects: what ran natively, what did not, and why; programs
                           say `ms.explain(f)(*args)`
    what_changed(…)        why a call does not fit what was compiled before: `lr: 0.1 -> 0.2`
    Watched                a program that tells of recompilations, writes the files of `save_graphs`, and with
                           `fullgraph=True` refuses what only the interpreter can do

`ANFORA_LOG=recompiles` in the environment, or INFO as the level of the logger "anfora", shows every recompilation with what
changed; `MS_JIT_DISPLAY_PROGRESS=1` every compilation.
"""

from __future__ import annotations

import os
import threading
import time
import types
import weakref
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from anfora.batching import at_once
from anfora.core.cell import Cell
from anfora.core.errors import AnforaError, OpRuntimeError
from anfora.core.settings import get_context, log, logs
from anfora.core.span import Span
from anfora.core.tensor import Tensor
from anfora.graph.facts.kinds import module_of
from anfora.graph.lower.ranges import Jump
from anfora.graph.machine.machine import Machine
from anfora.graph.polyfill.gradients import STEPS, WALKED_BACK
from anfora.graph.record.recorder import Recorder
from anfora.graph.record.writes import Written
from anfora.graph.run.compiled import Program
from anfora.graph.run.guards import told_apart_at_once
from anfora.graph.run.points import EXCHANGED, NUMBERS, SHAPE, TRUTH, Hop, Point, Return, Variant, looks
from anfora.graph.source.code import Unsupported
from anfora.graph.source.sources import code_of
from anfora.graph.state.moments import OUTLINED, Live, Outcome, State
from anfora.graph.tell.twins import can_fork
from anfora.graph.tell.typed import Typed, lowered, typed
from anfora.graph.tell.wording import (
    Names,
    changed,
    first_failing,
    guard_text,
    hop_span,
    name_of,
    outcome_text,
    position_span,
    span_text,
)

__all__ = [
    "FallbackError",
    "HopReport",
    "Report",
    "Watched",
    "explained",
    "kind_of_program",
    "strictness",
    "what_changed",
]


class FallbackError(AnforaError, RuntimeError):
    """`fullgraph=True`, or STRICT, and something that only the interpreter can do. The message lists what, where, why."""


# -- programs that tell -----------------------------------------------------------------------------------------------


class _Inside(threading.local):
    """What a thread is recording: files are written behind the outermost recording."""

    def __init__(self) -> None:
        self.depth = 0
        #: by program that must not fall back: where it would have to
        self.found: dict[int, list[tuple[Span | None, str]]] = {}


_inside = _Inside()


def _saves_graphs() -> bool:
    """Whether somebody wants files of graphs: see dumps.py."""
    return bool(get_context("save_graphs")) or "MS_DEV_SAVE_GRAPHS" in os.environ


class Watched(Program):
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

    def names_at(self, point: Point) -> Names:
        """The names of what is alive at a point."""
        for key, entry in self.entries.items():
            if entry is point:
                return Names.at_entry(self, key)
        return Names.at(point.frames)

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
        shows = os.environ.get("MS_JIT_DISPLAY_PROGRESS") == "1"
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
                self.entries, self.points, self.native = {}, {}, None
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
    if options.get("check") or os.environ.get("ANFORA_CHECK") == "1":
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
        return _is_of_library(value.__name__)
    if isinstance(value, types.FunctionType):
        return _is_of_library(value.__globals__.get("__name__"))  # whatever `functools.wraps` calls it
    return isinstance(value, Cell) or _is_of_library(module_of(type(value)))


def _is_of_library(module: str | None) -> bool:
    return module is not None and module.startswith("anfora.")


def syntax_level() -> str:
    """The setting `jit_syntax_level`: STRICT, COMPATIBLE or LAX; the environment variable MS_DEV_JIT_SYNTAX_LEVEL wins."""
    given = os.environ.get("MS_DEV_JIT_SYNTAX_LEVEL", "")
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
    return changed(best[1].piece.guards[best[0]], values, program.names_at(point))


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


# -- explain ----------------------------------------------------------------------------------------------------------


class HopReport:
    """Something that the interpreter did, or a branch.

    Attributes:
        span: where the program says so.
        text: the source of it.
        reason: why it is left to the interpreter.
        is_branch: whether it only looks whether a tensor is true.
        outcomes: what came out, in words, and how often.
    """

    def __init__(self, hop: Hop) -> None:
        self.span, self.reason, self.is_branch = hop_span(hop), hop.reason, hop.is_branch
        self.text = span_text(self.span)
        self.outcomes: Counter[str] = Counter()

    @property
    def place(self) -> str:
        return f"{self.span.short_file}:{self.span.line}"

    @property
    def seen(self) -> str:
        """The outcomes, for reading."""
        return ", ".join(text if n == 1 else f"{text} ({n} times)" for text, n in self.outcomes.items())

    def __repr__(self) -> str:
        return f"<hop {self.place}: {self.text}: {self.reason}>"


class Report:
    """What one call did.

    Attributes:
        name: of the function or Cell.
        result: what the call gave.
        fallback: why Python runs it as it is; None if it does not.
        hops: what the interpreter did, in order, each place once.
        branches: where the truth of a tensor has decided how to go on, which takes no interpreter.
        gradients: that were taken in several pieces, since there are branches or hops in them: where a tape was started or
            walked back between two pieces, which takes no interpreter either.
        reads: where numbers are taken from tensors, which takes no interpreter either.
        shapes: operators whose results have a shape that depends on data, as `x[x > 0]` has: they run between two pieces.
        exchanges: operators that other processes take part in: they run between two pieces, each in its place.
        calls: of the function by itself, where it is a recursive one.
        given_back: loops and calls that go on for long on plain values alone: Python does them, which is no fallback.
        writes: changes of what is outside, which are done behind the native operators of their pieces.
        varying: numbers that may differ from call to call without a compilation.
        baked: numbers that the compiled program contains; another value compiles anew.
        guards: what is checked in such a call, in words.
        recompiles: what changed, where this call did not fit what was compiled.
        rows: operators that ran natively, by line of the program and name.
        is_to_be_continued: whether the recording ended where it met a gradient with branches or hops in it, as it does in a
            first call; the next one takes it in pieces.
        pieces, recorded: pieces of program that the call went through, and how many of them it compiled.
        groups: loops over elements that do the work of several operators, and how many each.
        loops: the places where the program goes round natively: conditions of loops, and of branches and calls in them.
        taped: operators that ran one by one, because the tape follows them.
        arena, constants: bytes of memory for what lies between operators, and of constants.
        seconds: of the whole call; native, python: in native pieces, and in the interpreter's parts; lowering: in pieces
            that were run natively for the first time, and lowered for it.
        graphs: the program as typed MindIR, one graph for each form of call.
    """

    def __init__(self, program: Watched) -> None:
        self.program = program
        self.name = program.name
        self.result: Any = None
        self.fallback: str | None = None
        self.hops: list[HopReport] = []
        self.branches: list[HopReport] = []
        self.reads: list[HopReport] = []
        self.shapes: list[HopReport] = []
        self.exchanges: list[HopReport] = []
        self.calls: list[HopReport] = []
        self.gradients: list[HopReport] = []
        self.given_back: list[HopReport] = []
        self.writes: list[str] = []
        self.varying: list[str] = []
        self.baked: list[str] = []
        self.guards: list[str] = []
        self.recompiles: list[str] = []
        self.rows: dict[str, Counter[str]] = {}
        self.pieces = self.recorded = self.taped = self.arena = self.constants = 0
        self.groups: list[int] = []
        self.loops: list[str] = []
        self.is_to_be_continued = False
        self.seconds = self.native = self.python = self.lowering = 0.0

    @property
    def graphs(self) -> list[Typed]:
        return typed(self.program)

    def table_of(self, end: Hop) -> list[HopReport]:
        """Where the end of a piece is told of."""
        if end.is_step:
            return self.gradients
        if end.looks is not None:
            tables = {TRUTH: self.branches, NUMBERS: self.reads, SHAPE: self.shapes, EXCHANGED: self.exchanges}
            return tables[end.looks]
        if end.is_outlined:
            return self.given_back
        return self.calls if end.is_call else self.hops

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        lines = [f"{self.name}: {self._summary()}"]
        parts = [("native", self.native), ("in the interpreter", self.python), ("lowering", self.lowering)]
        shown = "".join(f", {what} {_time(seconds)}" for what, seconds in parts if seconds)
        lines.append(f"  time: {_time(self.seconds)}{shown}")
        lines.append(f"  memory: {_bytes(self.arena)} between operators, {_bytes(self.constants)} of constants")
        if self.fallback:
            lines.append(f"  run by Python as it is: {self.fallback}")
        lines += self._section("compiled anew because", self.recompiles)
        for title, table in (("left to the interpreter", self.hops), ("given back to Python", self.given_back)):
            hops = []
            for hop in table:
                hops += [f"{hop.place}  {hop.text}", f"    {hop.reason}" + (f"; gave {hop.seen}" if hop.seen else "")]
            lines += self._section(title, hops, len(table))
        for title, looked in (
            ("branches by the truth of a tensor", self.branches),
            ("numbers taken from tensors", self.reads),
            ("operators whose shapes depend on data", self.shapes),
            ("exchanges with other processes", self.exchanges),
        ):
            seen = [f"{hop.place}  {hop.text}" + (f": {hop.seen}" if hop.seen else "") for hop in looked]
            lines += self._section(title, seen)
        calls = [f"{hop.place}  {hop.text}" for hop in self.calls]
        lines += self._section("calls of functions that call themselves", calls)
        gradients = [f"{hop.place}  {hop.text}" for hop in self.gradients if hop.reason == WALKED_BACK]
        lines += self._section("gradients in several pieces, walked back on a tape", gradients)
        lines += self._section("changes of what is outside", self.writes)
        lines += self._section("loops that go round natively", self.loops)
        lines += self._section("numbers that vary", self.varying)
        lines += self._section("numbers baked in", self.baked)
        rows = [f"{place}  {_counted(names)}" for place, names in self.rows.items()]
        lines += self._section(
            "native operators by line", rows, sum(sum(names.values()) for names in self.rows.values())
        )
        if self.groups:
            lines.append(f"  fused: {sum(self.groups)} operators in {_plural(len(self.groups), 'loop')}")
        if self.taped:
            lines.append(f"  one by one, for the tape: {_plural(self.taped, 'operator')}")
        lines += self._section("guards", self.guards)
        return "\n".join(lines)

    def _summary(self) -> str:
        if self.fallback and not self.pieces:
            return "not compiled"
        summary = f"{_plural(self.pieces, 'piece')}, {self.recorded} compiled in this call"
        if self.is_to_be_continued:
            summary += "; the rest of it will be in the next one"
        return summary

    @staticmethod
    def _section(title: str, items: Sequence[str], count: int | None = None) -> list[str]:
        if not items:
            return []
        return [f"  {title} ({len(items) if count is None else count}):", *(f"    {item}" for item in items)]


def _plural(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def _counted(names: Counter[str]) -> str:
    return ", ".join(name if n == 1 else f"{n} × {name}" for name, n in names.items())


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.2f} ms" if seconds >= 1e-4 else f"{seconds * 1e6:.0f} µs"


def _bytes(count: int) -> str:
    return (
        f"{count} bytes"
        if count < 10_000
        else f"{count / 1024:.0f} KiB"
        if count < 10_000_000
        else f"{count >> 20} MiB"
    )


#: Why Python runs a call that goes another way than those that are compiled.
_RARE = "it goes on in many ways, and is compiled for one more when that has come often"


def explained(program: Watched, args: tuple, kwargs: dict) -> Report:
    """Call a program, and tell what it did."""
    program = program.lenient
    report = Report(program)
    trace = _Trace(program)
    began = time.perf_counter()
    report.result = trace.call(args, kwargs)
    report.seconds = time.perf_counter() - began
    report.fallback = _RARE if trace.is_rare else program.native
    report.recompiles, report.native, report.python = trace.recompiles, trace.native_seconds, trace.python_seconds
    report.lowering, report.recorded = trace.lowering_seconds, trace.recorded
    report.is_to_be_continued = trace.has_divided
    _tell_steps(report, trace.steps)
    return report


class _Step:
    """A piece that a call went through."""

    def __init__(self, point: Point, variant: Variant) -> None:
        self.point, self.variant = point, variant
        self.outcome: str | None = None  #: what its hop gave, in a word; the object itself is the program's


class _Trace(Watched):
    """A program, sharing all it knows, whose calls leave a trace.

    Args:
        program: the one to be watched.
    """

    __slots__ = (
        "_since",
        "has_divided",
        "is_rare",
        "lowering_seconds",
        "native_seconds",
        "python_seconds",
        "recompiles",
        "recorded",
        "steps",
    )

    is_traced = True

    def __init__(self, program: Watched) -> None:
        self.__dict__ = program.__dict__
        self.steps: list[_Step] = []
        self.recompiles: list[str] = []
        self.recorded = 0
        self.has_divided = self.is_rare = False
        self.native_seconds = self.python_seconds = self.lowering_seconds = 0.0

    def call(self, args: tuple, kwargs: dict) -> Any:
        self._since = time.perf_counter()
        return super().call(args, kwargs)

    def note_piece(self, point: Point, variant: Variant) -> None:
        now = time.perf_counter()
        if variant.runner.lowered_at >= self._since:
            self.lowering_seconds += now - self._since
        else:
            self.native_seconds += now - self._since
        self._since = now
        self.steps.append(_Step(point, variant))

    def _interpret(self, hop: Hop, live: list[Any]) -> Outcome:
        began = time.perf_counter()
        outcome = super()._interpret(hop, live)
        self.steps[-1].outcome = _outcome_of(outcome)
        self._since = time.perf_counter()
        if hop.is_step:
            self.native_seconds += self._since - began
        else:
            self.python_seconds += self._since - began
        return outcome

    def note_anew(self, point: Point, values: list[Any]) -> None:
        super().note_anew(point, values)
        self.recompiles.append(what_changed(self, point, values))

    def note_rare(self) -> None:
        self.is_rare = True

    def _redo(self, hop: Hop, values: list[Any], outcome: Outcome) -> Any:
        span = hop_span(hop)
        seen = outcome_text(hop.key_of(outcome))
        self.recompiles.append(f"{span.short_file}:{span.line}  {span_text(span)} gives {seen}, for the first time")
        return super()._redo(hop, values, outcome)

    def end_with_hop(self, recorder: Recorder, machine: Machine, state: State, reason: str) -> None:
        super().end_with_hop(recorder, machine, state, reason)
        self._recorded(recorder.point)  # type: ignore[attr-defined]

    def end_with_jump(self, recorder: Recorder, live: Live, jump: Jump, written: Written | None) -> None:
        super().end_with_jump(recorder, live, jump, written)
        self._recorded(recorder.point)  # type: ignore[attr-defined]

    def go_on(self, recorder: Recorder, machine: Machine, outcome: Outcome) -> None:
        if self.steps and self.steps[-1].variant.end is recorder.end:
            self.steps[-1].outcome = _outcome_of(outcome)
        super().go_on(recorder, machine, outcome)
        self._since = time.perf_counter()

    def _finish(self, recorder: Recorder, machine: Machine) -> Any:
        result = super()._finish(recorder, machine)
        point: Point | None = getattr(recorder, "point", None)
        if point is not None and point.variants:
            last = point.variants[-1]
            if isinstance(last.end, Return) and last.piece is recorder.piece:
                self._recorded(point)
        return result

    def _refuses(self) -> str:
        return ""

    def divide(self, calls: Sequence[tuple]) -> None:
        super().divide(calls)
        self.has_divided = True

    def _recorded(self, point: Point) -> None:
        self.recorded += 1
        self.steps.append(_Step(point, point.variants[-1]))


def _tell_steps(report: Report, steps: Sequence[_Step]) -> None:
    """What the pieces of a call say, each once."""
    report.pieces = len(steps)
    places: dict[int, HopReport] = {}
    told: set[int] = set()
    repeated = {variant for step in steps for engine in step.point.engines for variant in engine.repeated}
    for step in steps:
        variant = step.variant
        end = variant.end
        if isinstance(end, Hop):
            hop = places.get(id(end))
            if hop is None:
                span = hop_span(end)
                table = report.table_of(end)
                same = [h for h in table if (h.span.file, h.span.line, h.text, h.reason)
                        == (span.file, span.line, span_text(span), end.reason)]  # fmt: skip
                hop = places[id(end)] = same[0] if same else HopReport(end)
                if not same:
                    table.append(hop)
            goes_round = getattr(variant.runner, "_loop", None) is not None or variant in repeated
            if goes_round and hop.place not in report.loops:
                report.loops.append(hop.place)
            if step.outcome is not None:
                hop.outcomes[step.outcome] += 1
        elif isinstance(end, Jump) and (getattr(variant.runner, "_loop", None) is not None or variant in repeated):
            span = hop_span(end)
            place = f"{span.short_file}:{span.line}"
            if place not in report.loops:
                report.loops.append(place)
        _tell_rows(report, variant)
        for write in variant.piece.writes:
            if write.is_node:
                continue
            span = position_span(*write.place[:2])
            line = f"{span.short_file}:{span.line}  {span_text(span)}: {write.reason}"
            if line not in report.writes:
                report.writes.append(line)
        if id(variant) not in told:
            told.add(id(variant))
            _tell_piece(report, variant, report.program.names_at(step.point))
    report.varying = sorted(set(report.varying), key=report.varying.index)
    report.baked = sorted(set(report.baked), key=report.baked.index)
    report.guards = sorted(set(report.guards), key=report.guards.index)


def _outcome_of(outcome: Outcome) -> str:
    value = outcome.value
    if outcome.error is not None:
        return f"raised {type(outcome.error).__name__}"
    if value is None or isinstance(value, (bool, int, float, str)):
        text = repr(value)
        return text if len(text) <= 40 else f"{text[:37]}..."
    if isinstance(value, Tensor):
        return f"a tensor {value._layout!r}"
    return f"a {type(value).__name__}"


def _tell_rows(report: Report, variant: Variant) -> None:
    idle = variant.piece.idle(variant.runner.wanted)
    for index, row in enumerate(variant.piece.rows):
        if index in idle:
            continue
        span = row.span
        place = "elsewhere" if span is None else f"{span.short_file}:{span.line}"
        report.rows.setdefault(place, Counter())[row.entry.op.name] += 1


def _tell_piece(report: Report, variant: Variant, names: Names) -> None:
    piece = variant.piece
    known = {id(origin) for kind, origin, _ in piece.guards if kind == "equal"}
    for kind, origin, payload in told_apart_at_once(piece.guards):
        if kind == "equal" and type(payload) in (int, float):
            report.baked.append(f"{names.path(origin)} = {payload!r}")
        elif (
            kind in ("type", "number")
            and payload in (int, float)
            and origin.kind != "number"
            and id(origin) not in known
        ):
            report.varying.append(names.path(origin))
        report.guards.append(guard_text((kind, origin, payload), names))
    report.constants += sum(array.nbytes for array in piece.constants.values())
    if variant.runner.is_one_by_one:
        report.taped += len(piece.rows) - len(piece.idle(variant.runner.wanted))
        return
    shape = lowered(variant)
    if shape is not None:
        report.groups += map(len, shape.groups)
        report.arena = max(report.arena, shape.arena)
