"""A call of a program that leaves a trace of what ran natively, what did not, and why: `ms.explain(f)(*args)`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from anfora.core.tensor import Tensor
from anfora.graph.lower.ranges import Jump
from anfora.graph.machine.machine import Machine
from anfora.graph.record.recorder import Recorder
from anfora.graph.record.writes import Written
from anfora.graph.run.points import Hop, Point, Return, Variant
from anfora.graph.state.moments import Live, Outcome, State
from anfora.graph.tell.report import Report, Step, tell_steps
from anfora.graph.tell.watched import Watched, what_changed
from anfora.graph.tell.wording import hop_span, outcome_text, span_text

__all__ = ["explained"]

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
    tell_steps(report, trace.steps)
    return report


class _Trace(Watched):
    """A program, sharing all it knows, whose calls leave a trace.

    Args:
        program: the one to be watched.
    """

    __slots__ = (
        "_since", "has_divided", "is_rare", "lowering_seconds", "native_seconds", "python_seconds", "recompiles",
        "recorded", "steps",
    )  # fmt: skip

    is_traced = True

    def __init__(self, program: Watched) -> None:
        self.__dict__ = program.__dict__
        self.steps: list[Step] = []
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
        self.steps.append(Step(point, variant))

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
        self._recorded(recorder.point)

    def end_with_jump(self, recorder: Recorder, live: Live, jump: Jump, written: Written | None) -> None:
        super().end_with_jump(recorder, live, jump, written)
        self._recorded(recorder.point)

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
        self.steps.append(Step(point, point.variants[-1]))


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
