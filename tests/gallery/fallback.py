"""What of the gallery's programs is left to the interpreter: `python tests/gallery/fallback.py` writes docs/fallback.md."""

from __future__ import annotations

import contextlib
import importlib
import io
import pathlib
import re
import types
from collections import Counter

import harness
from harness import PROGRAMS, Program

import anfora as ms
from anfora import nn
from anfora.graph.run.points import Hop
from anfora.graph.tell.cells import program_of
from anfora.graph.tell.watched import Watched
from anfora.graph.tell.wording import hop_span, span_text

HERE = pathlib.Path(__file__).parent
DOCUMENT = HERE.parents[1] / "docs" / "fallback.md"

HEAD = """\
# What is left to the interpreter

Each program of the gallery (`tests/gallery`), compiled, with all its calls; made by `python tests/gallery/fallback.py`. A
*hop* is something that Python does between two native pieces, in order, each time; everything around it is compiled. Every
program gives the same results, effects and errors with and without `@jit`: hops cost time and nothing else. A look at the
data of a tensor is no hop: a branch by its truth, a number that is taken from it (`x.item()`, `range(n)`), an operator
whose shape depends on it (`x[x > 0]`). That is done between two pieces as well, but nothing of the program is done by
Python. `ms.explain(f)(…)` tells the same of a program of yours.

A hop is *inherent* where the program itself asks for Python: for the value of a tensor as a text or an array, for output,
time or another state of the process, for code that is not Python's (numpy's, say) and what that gives, or for a new class.
All other hops are what a compiler could do without.

"""

#: The kinds of inherent hops, and by what in the reason they are told; whatever fits none of them need not be.
KINDS = {
    "the value of a tensor is asked for": r"the data of a tensor$|.*\bTensor\.(item|tolist|asnumpy|numpy)\b",
    "output, input, or the state of the process": r"a call of (print|input|open|eval|exec|compile|time\.|random\.|Random\.)"
    r"|.*, which remembers its results$"
    r"|.*\b(get_rng_state|set_rng_state|set_seed)\b|.*\b(eval|exec|locals|globals)\(\)|.*StringIO|an import$",
    "a class is made": r".*__build_class__|.*<locals>\.\w+(\.\w+)* of a value|.*<locals>\.[A-Z]\w*, which",
    "code that is not Python's, and what it gives": r"a call of (numpy|fractions|bytearray|memoryview)\b"
    r"|.* of an error$|raising an exception from outside$"
    r"|.* of a value that the compiler does not know$|.* of an array$|.* of arrays, which warns"
    r"|an attribute of a (?!Parameter)\w+$|the truth of a \w+$"
    r"|a call of (_lru_cache_wrapper\.|itertools\.|collections\.)|an attribute of a type$",
    "it is done when something is dropped": r"what .* makes does something when it is dropped",
}


def kind_of(reason: str) -> str | None:
    """Why a hop is inherent; None if it is not."""
    return next((kind for kind, pattern in KINDS.items() if re.match(pattern, reason)), None)


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
            if isinstance(variant.end, Hop) and not variant.end.is_native:
                span = hop_span(variant.end)
                text = span_text(span)
                found[span.file, span.line, text] = (text, variant.end.reason)
    return Counter(found.values())


def table() -> str:
    for path in sorted(HERE.glob("programs_*.py")):
        importlib.import_module(path.stem)
    other, inherent, whole, wholes = [], [], 0, []
    reasons: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    for name, program in PROGRAMS.items():
        made = compiled(program)
        if made is None:
            continue
        if made.native is not None:
            wholes.append(f"| `{name}` | {made.native} | {'yes' if kind_of(made.native) else 'no'} |")
            continue
        needed = hops(made)
        if not needed:
            whole += 1
            continue
        kinds.update({kind_of(reason) for _, reason in needed} - {None})
        others = [each for each in needed if kind_of(each[1]) is None]
        reasons.update({reason for _, reason in others})
        shown = "<br>".join(f"`{_short(text)}`: {reason}" for text, reason in others or needed)
        rows = other if others else inherent
        rows.append(f"| `{name}` | {sum(needed[each] for each in others or needed)} | {shown} |")
    count = whole + len(other) + len(inherent) + len(wholes)
    lines = [
        f"Of {count} programs, {whole} have no hop, {len(inherent)} have hops that are inherent, "
        f"{len(other)} have others too, {len(wholes)} are run by Python as they are.", "",
        "| why hops are inherent | programs |", "| --- | --- |",
        *(f"| {kind} | {kinds[kind]} |" for kind in KINDS if kinds[kind]), "",
        "## Hops that need not be", "", "| the most frequent reasons | programs |", "| --- | --- |",
        *(f"| {reason} | {number} |" for reason, number in reasons.most_common(12)), "",
        "| program | such hops | source and reason |", "| --- | --- | --- |", *other, "",
        "## Run by Python as they are", "", "| program | reason | inherent |", "| --- | --- | --- |", *wholes, "",
        "## Inherent hops", "", "| program | hops | source and reason |", "| --- | --- | --- |", *inherent, "",
    ]  # fmt: skip
    return HEAD + "\n".join(lines)


def _short(text: str) -> str:
    text = text if len(text) <= 50 else f"{text[:47]}..."
    return text.replace("|", "\\|").replace("`", "'")


if __name__ == "__main__":
    DOCUMENT.write_text(table(), encoding="utf-8")
