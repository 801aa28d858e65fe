"""Every program of the gallery is a well-formed graph that reads back, as its source says it, as recorded and as lowered;
in another process, where nobody has its objects, as a graph with the same text."""

from __future__ import annotations

import contextlib
import importlib
import json
import pathlib
import subprocess
import sys

import pytest
from fallback import compiled, hops
from graph_difference import difference
from harness import PROGRAMS

from anfora.graph.ir import text
from anfora.graph.ir.parser import parse
from anfora.graph.ir.reading import read
from anfora.graph.ir.verify import verify
from anfora.graph.tell.typed import typed

for path in sorted(pathlib.Path(__file__).parent.glob("programs_*.py")):
    importlib.import_module(path.stem)


ELSEWHERE = """
import json, sys
from anfora import ir
for name, text in json.load(open(sys.argv[1], encoding="utf-8")):
    graph = ir.read(text)
    ir.verify(graph)
    assert ir.complete(graph) == text, name
"""


@pytest.fixture(scope="module")
def read_elsewhere(tmp_path_factory):
    """Takes names and texts, all of which another process reads in the end."""
    texts: list[tuple[str, str]] = []
    yield texts
    file = tmp_path_factory.mktemp("graphs") / "texts.json"
    file.write_text(json.dumps(texts), encoding="utf-8")
    subprocess.run([sys.executable, "-c", ELSEWHERE, str(file)], check=True, cwd=file.parent)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_graph_of_a_program(name, read_elsewhere):
    program = compiled(PROGRAMS[name])
    assert program is not None and all(reason for _, reason in hops(program))
    with contextlib.suppress(NotImplementedError):  # it is made without a source, say
        read_elsewhere.append((name, text.complete(parse(program.function))))
    for fused in (False, True):
        for made in (*typed(program, fused=fused), *typed(program, fused=fused, lifted=True)):
            verify(made.graph)
            objects: dict = {}
            exact = text.complete(made.graph, objects)
            assert difference(made.graph, read(exact, objects), complete=True) is None
            read_elsewhere.append((name, text.complete(made.graph)))
            assert str(made).startswith("# IR entry") and made.graph.dot().startswith("digraph")
