"""What a call of a compiled function did, as `ms.explain(f)(*args)` shows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from anfora.graph.lower.ranges import Jump
from anfora.graph.polyfill.gradients import WALKED_BACK
from anfora.graph.run.guards import told_apart_at_once
from anfora.graph.run.points import EXCHANGED, NUMBERS, SHAPE, TRUTH, Hop, Point, Variant
from anfora.graph.tell.typed import Typed, typed
from anfora.graph.tell.watched import Watched
from anfora.graph.tell.wording import Names, guard_text, hop_span, place_text, position_span, span_text

__all__ = ["HopReport", "Report", "Step", "tell_steps"]


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
        self.key = self.span.file, self.span.line, self.text, self.reason
        self.outcomes: Counter[str] = Counter()

    @property
    def place(self) -> str:
        return place_text(self.span)

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
        operators: operators that ran natively, by line of the program and name.
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
        self.operators: dict[str, Counter[str]] = {}
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
        operators = [f"{place}  {_counted(names)}" for place, names in self.operators.items()]
        lines += self._section(
            "native operators by line", operators, sum(sum(names.values()) for names in self.operators.values())
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
    if count < 10_000:
        return f"{count} bytes"
    return f"{count / 1024:.0f} KiB" if count < 10_000_000 else f"{count >> 20} MiB"


class Step:
    """A piece that a call went through."""

    def __init__(self, point: Point, variant: Variant) -> None:
        self.point, self.variant = point, variant
        self.outcome: str | None = None  #: what its hop gave, in a word; the object itself is the program's


def tell_steps(report: Report, steps: Sequence[Step]) -> None:
    """What the pieces of a call say, each once."""
    report.pieces = len(steps)
    places: dict[int, HopReport] = {}
    told: set[int] = set()
    repeated = {variant for step in steps for engine in step.point.engines for variant in engine.repeated}
    for step in steps:
        variant, end = step.variant, step.variant.end
        if isinstance(end, Hop):
            hop = places.get(id(end))
            if hop is None:
                hop = places[id(end)] = _told(report.table_of(end), HopReport(end))
            if step.outcome is not None:
                hop.outcomes[step.outcome] += 1
        if isinstance(end, (Hop, Jump)) and (variant.runner.is_loop or variant in repeated):
            report.loops.append(place_text(hop_span(end)))
        _tell_operators(report, variant)
        for write in variant.piece.writes:
            if not write.is_node:
                span = position_span(*write.place[:2])
                report.writes.append(f"{place_text(span)}  {span_text(span)}: {write.reason}")
        if id(variant) not in told:
            told.add(id(variant))
            _tell_piece(report, variant, Names.at(report.program, step.point))
    for lines in (report.loops, report.writes, report.varying, report.baked, report.guards):
        lines[:] = dict.fromkeys(lines)


def _told(table: list[HopReport], hop: HopReport) -> HopReport:
    """What is told of a hop in a table: what stands in the same place, for the same reason, once."""
    same = [each for each in table if each.key == hop.key]
    if not same:
        table.append(hop)
    return same[0] if same else hop


def _tell_operators(report: Report, variant: Variant) -> None:
    idle = variant.piece.idle(variant.runner.wanted)
    for index, call in enumerate(variant.piece.calls):
        if index in idle:
            continue
        span = call.span
        place = "elsewhere" if span is None else place_text(span)
        report.operators.setdefault(place, Counter())[call.entry.op.name] += 1


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
    report.constants += sum(tensor._array.nbytes for tensor in piece.constants.values())
    if variant.runner.is_one_by_one:
        report.taped += len(piece.calls) - len(piece.idle(variant.runner.wanted))
        return
    if piece.calls:
        segment, _ = variant.runner.segment()
        report.groups += [len(calls) for calls in segment.loops if len(calls) > 1]
        report.arena = max(report.arena, segment.arena)
