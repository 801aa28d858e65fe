"""Drawings: what Graphviz is told, and that it can draw it."""

from __future__ import annotations

import re
import shutil
import xml.etree.ElementTree as ElementTree

import graph_programs
import pytest
from graph_programs import P

from anfora.core.abstract import TensorType
from anfora.core.dtype import float32
from anfora.graph.ir import FuncGraph, drawing
from anfora.graph.ir.structure import Structure

_ID = r"g\d+(?:[pn]\d+)?"


def labels_and_edges(graph: FuncGraph) -> tuple[dict[str, ElementTree.Element], list[tuple[str, str, str, str, str]]]:
    """The tables of a drawing, parsed as XML, and its edges (from, port, to, port, attributes)."""
    labels, edges, depth = {}, [], 0
    for line in graph.dot().splitlines():
        table = re.fullmatch(rf"({_ID}) \[label=<(<table.*</table>)>\]", line)
        edge = re.fullmatch(rf"({_ID})(?::(\w+))?->({_ID}):(\w+)\[([^\]]*)\]", line)
        if table:
            labels[table[1]] = ElementTree.fromstring(table[2])
        elif edge:
            edges.append(tuple(part or "" for part in edge.groups()))
        else:
            assert re.match(
                r"digraph mindspore \{|subgraph cluster_g\d+ \{|\}|label=\"|compound=|node \[|g\d+ \[shape", line
            )
        depth += line.endswith("{") - (line == "}")
    assert depth == 0
    return labels, edges  # type: ignore[return-value]


@pytest.mark.parametrize("make", graph_programs.ALL)
def test_every_edge_is_drawn_between_ports_that_exist(make):
    graph = make()
    structure = Structure(graph)
    labels, edges = labels_and_edges(graph)
    calls = [call for own in structure.schedules.values() for call in own]
    assert len(labels) == len(calls) + sum(len(g.parameters) for g in structure.graphs)
    inputs = [node for call in calls for node in call.inputs]
    assert len(edges) == sum(node.graph is not None or isinstance(node.value, FuncGraph) for node in inputs)
    for source, out, target, port, _ in edges:
        assert port in {cell.get("port") for cell in labels[target].iter("td")}
        if out:
            assert out in {cell.get("port") for cell in labels[source].iter("td")}


def test_what_a_drawing_shows():
    labels, edges = labels_and_edges(graph_programs.hof())
    texts = {key: " ".join(table.itertext()) for key, table in labels.items()}
    assert texts["g0n0"] == "0 1 2 res = @g 1: @f"
    assert texts["g1n0"] == "0 1 call" and texts["g1n2"] == "0 1 2 mul"
    assert ("g1p0", "core", "g1n0", "0", "arrowhead=vee, style=dashed") in edges
    assert ("g2", "", "g0n0", "1", "arrowhead=vee, style=dotted, ltail=cluster_g2") in edges


def test_texts_are_escaped():
    graph = FuncGraph('a"b\\<c>')
    x = graph.parameter("<&>\0", abstract=TensorType(float32, (2,)))
    graph.output = graph.apply(P["add"], x, "</td>\n", name="]&")
    labels, _ = labels_and_edges(graph)
    texts = [" ".join(table.itertext()) for table in labels.values()]
    assert texts[0] == r'para1_"<&>\u0000" <Tensor[Float32], (2)>'
    assert texts[1] == r'0 1 2 ]& = add 2: "</td>\n"'


@pytest.mark.parametrize("make", graph_programs.ALL)
def test_graphviz_draws_it(make):
    if shutil.which("dot") is None:
        pytest.skip("Graphviz is not installed")
    assert make()._repr_svg_().lstrip().startswith("<?xml")


def test_without_graphviz_notebooks_show_text(monkeypatch):
    monkeypatch.setattr(drawing.shutil, "which", lambda name: None)
    assert graph_programs.hof()._repr_svg_() is None
