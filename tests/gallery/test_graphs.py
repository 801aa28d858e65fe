"""Every program of the gallery, once recorded, is a well-formed graph that reads back, as recorded and as lowered; where
nobody has its objects, as a graph with the same text."""

from __future__ import annotations

import importlib
import pathlib

import pytest
from fallback import compiled, hops
from harness import PROGRAMS

from anfora.graph.ir import text
from anfora.graph.ir.compare import difference
from anfora.graph.ir.reading import read
from anfora.graph.ir.verify import verify
from anfora.graph.tell.typed import typed

for path in sorted(pathlib.Path(__file__).parent.glob("programs_*.py")):
    importlib.import_module(path.stem)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_graph_of_a_program(name):
    program = compiled(PROGRAMS[name])
    assert program is not None and all(reason for _, reason in hops(program))
    for fused in (False, True):
        for made in (*typed(program, fused=fused), *typed(program, fused=fused, lifted=True)):
            verify(made.graph)
            objects: dict = {}
            exact = made.annotated(text.complete(made.graph, objects))
            assert difference(made.graph, read(exact, objects), complete=True) is None
            assert text.complete(read(exact)) == text.complete(made.graph)
            assert str(made).startswith("# IR entry") and made.graph.dot().startswith("digraph")
