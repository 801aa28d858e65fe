"""Drawings: what Graphviz is told, and that it can draw it; pictures without it."""

from __future__ import annotations

import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

import graph_programs
import pytest
from graph_programs import P

from anfora.core.abstract import TensorType
from anfora.core.dtype import float32
from anfora.graph.ir import FuncGraph
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
    drawing = subprocess.run(["dot", "-Tsvg"], input=make().dot(), capture_output=True, text=True, encoding="utf-8")
    assert drawing.returncode == 0 and drawing.stdout.lstrip().startswith("<?xml")


SVG = "{http://www.w3.org/2000/svg}"


def drawn(graph: FuncGraph) -> tuple[list[tuple[list[str], tuple[float, ...]]], list[ElementTree.Element]]:
    """The texts of the boxes of a picture, with their sides (left, top, right, bottom), and its edges with an arrow."""
    root = ElementTree.fromstring(graph._repr_svg_())
    boxes: list[tuple[list[str], tuple[float, ...]]] = []
    for element in root:
        if element.tag == SVG + "rect" and element.get("fill") in ("paleturquoise", "cornsilk"):
            x, y, width, height = (float(element.get(key)) for key in ("x", "y", "width", "height"))
            boxes.append(([], (x, y, x + width, y + height)))
        elif element.tag == SVG + "text" and boxes:
            boxes[-1][0].append(element.text)
    return boxes, [element for element in root.iter(SVG + "path") if element.get("marker-end")]


@pytest.mark.parametrize("make", graph_programs.ALL)
def test_a_picture_needs_no_other_program(make):
    graph = make()
    structure = Structure(graph)
    calls = [call for own in structure.schedules.values() for call in own]
    boxes, arrows = drawn(graph)
    assert len(boxes) == len(calls) + sum(len(g.parameters) for g in structure.graphs)
    inputs = [node for call in calls for node in call.inputs]
    assert len(arrows) == sum(node.graph is not None or isinstance(node.value, FuncGraph) for node in inputs)
    for i, (_, one) in enumerate(boxes):
        for _, other in boxes[:i]:
            assert one[0] > other[2] or other[0] > one[2] or one[1] > other[3] or other[1] > one[3], "two overlap"
    for arrow in arrows:  # ends at the upper side of a box
        x, y = map(float, arrow.get("d").split()[-2:])
        assert any(abs(y - box[1]) < 0.2 and box[0] <= x <= box[2] for _, box in boxes)
    assert make()._repr_svg_() == graph._repr_svg_()


def test_calls_stand_below_their_arguments():
    graph = FuncGraph("f")
    x = graph.parameter("x", abstract=TensorType(float32, (2,)))
    y = graph.apply(P["add"], x, 2, name="y")
    graph.output = graph.apply(P["mul"], graph.apply(P["sub"], y, x), x)
    boxes, arrows = drawn(graph)
    tops = {texts[0]: sides[1] for texts, sides in boxes}
    assert [texts for texts, _ in boxes][:2] == [["para1_x", "<Tensor[Float32], (2)>"], ["y = add", "2: 2"]]
    assert tops["para1_x"] < tops["y = add"] < tops["sub"] < tops["mul"] < tops["return"]
    assert len(arrows) == 6


def test_texts_of_a_picture_are_escaped():
    graph = FuncGraph("<svg>")
    graph.output = graph.apply(P["add"], graph.parameter("&\0"), "</text>", name="a  b")
    boxes, _ = drawn(graph)
    assert boxes[0][0] == ['para1_"&\\u0000"'] and boxes[1][0][0] == "a  b = add"


def test_long_programs_are_drawn_in_linear_space():
    """All calls use the same parameter: the edges share their way."""
    graph = FuncGraph("long")
    x = value = graph.parameter("x")
    for _ in range(400):
        value = graph.apply(P["add"], value, x)
    graph.output = value
    boxes, arrows = drawn(graph)
    assert len(boxes) == 402 and len(arrows) == 801 and len(graph._repr_svg_()) < 800_000
