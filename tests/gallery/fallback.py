"""What of the gallery's programs is left to the interpreter: `python tests/gallery/fallback.py` writes docs/fallback.md."""

from __future__ import annotations

import contextlib
import importlib
import io
import pathlib
import types
from collections import Counter

import harness
from harness import PROGRAMS, Program

import anfora as ms
from anfora import nn
from anfora.graph.cells import program_of
from anfora.graph.compiled import Hop
from anfora.graph.explain import Watched
from anfora.graph.typed import hop_span, span_text

HERE = pathlib.Path(__file__).parent
DOCUMENT = HERE.parents[1] / "docs" / "fallback.md"

HEAD = """\
# What is left to the interpreter

Each program of the gallery (`tests/gallery`), compiled, with all its calls; made by `python tests/gallery/fallback.py`. A
*hop* is something that Python does between two native pieces, in order, each time; everything around it is compiled. Every
program gives the same results, effects and errors with and without `@jit`: hops cost time and nothing else. A branch by the
truth of a tensor is no hop: the value is looked at between two pieces, and nothing of the program is done by Python.
`ms.explain(f)(…)` tells the same of a program of yours.

"""


def compiled(program: Program) -> Watched | None:
    """Compile a program and make all its calls; None where it is no function or Cell."""
    target = program.build(ms.jit)
    function = ms.jit(target)
    with contextlib.redirect_stdout(io.StringIO()), harness._world(program), harness.graph_mode():
        for number, make in enumerate(program.all_calls()):
            if number and program.between:
                program.between(target)
            harness._outcome(function, make())
    if isinstance(function, nn.Cell):
        return program_of(function)
    while isinstance(function, types.MethodType):
        function = function.__func__
    return getattr(function, "program", None)


def hops(program: Watched) -> Counter[tuple[str, str]]:
    """The places where the interpreter is needed, and why."""
    found: dict[tuple, tuple[str, str]] = {}
    for point in (*program.entries.values(), *program.points.values()):
        for variant in point.variants:
            if isinstance(variant.end, Hop) and not (variant.end.is_branch or variant.end.is_own_call):
                span = hop_span(variant.end)
                text = span_text(span)
                found[span.file, span.line, text] = (text, variant.end.reason)
    return Counter(found.values())


def table() -> str:
    for path in sorted(HERE.glob("programs_*.py")):
        importlib.import_module(path.stem)
    rows, whole, wholes = [], 0, []
    reasons: Counter[str] = Counter()
    for name, program in PROGRAMS.items():
        made = compiled(program)
        if made is None:
            continue
        if made.native is not None:
            wholes.append(f"| `{name}` | {made.native} |")
            continue
        needed = hops(made)
        if not needed:
            whole += 1
            continue
        reasons.update({reason for _, reason in needed})
        shown = "<br>".join(f"`{_short(text)}`: {reason}" for text, reason in needed)
        rows.append(f"| `{name}` | {sum(needed.values())} | {shown} |")
    count = whole + len(rows) + len(wholes)
    lines = [
        f"Of {count} programs, {whole} have no hop, {len(rows)} have some, {len(wholes)} are run by Python as they are.",
        "", "| the most frequent reasons | programs |", "| --- | --- |",
        *(f"| {reason} | {number} |" for reason, number in reasons.most_common(12)), "",
        "| program | hops | source and reason |", "| --- | --- | --- |", *rows, "",
        "## Run by Python as they are", "", "| program | reason |", "| --- | --- |", *wholes, "",
    ]  # fmt: skip
    return HEAD + "\n".join(lines)


def _short(text: str) -> str:
    text = text if len(text) <= 50 else f"{text[:47]}..."
    return text.replace("|", "\\|").replace("`", "'")


if __name__ == "__main__":
    DOCUMENT.write_text(table(), encoding="utf-8")
