"""Programs as pictures: Graphviz's language, and SVG where Graphviz is installed.

One box a graph. A call is a table: a row of ports for its inputs, a row with what it calls, a row with constants among its
arguments. Edges lead from a node to the port that it comes in by; those that bring the function are dashed, and a dotted
one leads from a graph that is used as a value.
"""

from __future__ import annotations

import html
import shutil
import subprocess

from anfora.graph.ir.nodes import Apply, Constant, Graph, GraphError, Node, Parameter
from anfora.graph.ir.structure import Structure, graph_of
from anfora.graph.ir.text import Labels, abstract_text
from anfora.graph.ir.values import printable, value_text

__all__ = ["dot", "svg"]


def dot(root: Graph) -> str:
    """The drawing of a program in Graphviz's language."""
    structure = Structure(root)
    labels = Labels(structure)
    keys: dict[Node, str] = {}
    for number, graph in enumerate(structure.graphs):
        for index, parameter in enumerate(graph.parameters):
            keys[parameter] = f"g{number}p{index}"
        for index, call in enumerate(structure.schedules[graph]):
            keys[call] = f"g{number}n{index}"
    names = {graph: f"g{number}" for number, graph in enumerate(structure.graphs)}
    lines = ["digraph mindspore {", "compound=true", 'node [shape=plaintext, fontname="Courier New"]']
    edges: list[str] = []
    for graph in structure.graphs:
        lines += [
            f"subgraph cluster_{names[graph]} {{",
            f'label={_quoted(labels.graphs[graph])} fontname="Courier New"',
        ]
        # Where edges to the graph as a whole begin.
        lines.append(f'{names[graph]} [shape=point, style=invis, label=""]')
        for parameter in graph.parameters:
            lines.append(f"{keys[parameter]} [label={_parameter(parameter, labels)}]")
        for call in structure.schedules[graph]:
            lines.append(f"{keys[call]} [label={_call(call, labels)}]")
            edges += _edges(call, keys, names)
        lines.append("}")
    return "\n".join([*lines, *edges, "}"]) + "\n"


def svg(root: Graph) -> str | None:
    """The drawing of a program as SVG; None where Graphviz is not installed.

    Raises:
        GraphError: Graphviz could not draw it.
    """
    program = shutil.which("dot")
    if program is None:
        return None
    result = subprocess.run(
        [program, "-Tsvg"], input=dot(root), capture_output=True, text=True, timeout=60, encoding="utf-8"
    )
    if result.returncode:
        raise GraphError(f"Graphviz could not draw @{root.name}: {result.stderr.strip()}")
    return result.stdout


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _table(*rows: str) -> str:
    return f'<<table border="0" cellborder="1" cellspacing="0">{"".join(f"<tr>{row}</tr>" for row in rows)}</table>>'


def _parameter(parameter: Parameter, labels: Labels) -> str:
    known = "" if parameter.abstract is None else f"<br/>{_text(abstract_text(parameter.abstract))}"
    return _table(f'<td port="core" bgcolor="paleturquoise">{_text(labels.parameters[parameter])}{known}</td>')


def _call(call: Apply, labels: Labels) -> str:
    count = len(call.inputs)
    ports = "".join(f'<td port="{position}">{position}</td>' for position in range(count))
    name = "" if call.name is None else f"{_text(call.name)} = "
    rows = [
        ports,
        f'<td port="core" bgcolor="cornsilk" colspan="{count}">{name}{_text(_constant(call.fn, labels) or "call")}</td>',
    ]
    known = [f"{position}: {text}" for position, node in enumerate(call.args, 1) if (text := _constant(node, labels))]
    if call.abstract is not None:
        known.append(abstract_text(call.abstract))
    if known:
        rows.append(f'<td colspan="{count}">{"<br/>".join(map(_text, known))}</td>')
    return _table(*rows)


def _constant(node: Node, labels: Labels) -> str | None:
    if not isinstance(node, Constant):
        return None
    graph = graph_of(node)
    text = labels.graphs[graph] if graph else value_text(node.value, [], complete=False)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _edges(call: Apply, keys: dict[Node, str], names: dict[Graph, str]) -> list[str]:
    edges = []
    for position, node in enumerate(call.inputs):
        graph = graph_of(node)
        target = f"{keys[call]}:{position}"
        if node in keys:
            style = ", style=dashed" if position == 0 else ""
            edges.append(f"{keys[node]}:core->{target}[arrowhead=vee{style}]")
        elif graph is not None:
            tail = "" if call.graph is graph else f", ltail=cluster_{names[graph]}"  # Graphviz refuses it from inside
            edges.append(f"{names[graph]}->{target}[arrowhead=vee, style=dotted{tail}]")
    return edges


def _text(text: str) -> str:
    """A text inside a table; XML does not hold every character."""
    return html.escape(printable(text))
