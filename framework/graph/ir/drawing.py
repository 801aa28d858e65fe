"""Programs as pictures: Graphviz's language, and SVG, which needs no other program (layout.py).

One box a graph. A call says what it calls and the constants among its arguments; in Graphviz's language it has a port for
each input. Edges lead from a node to the place that it comes in by; those that bring the function are dashed, and a dotted
one leads from a graph that is used as a value.
"""

from __future__ import annotations

import html

from anfora.graph.ir.layout import Box, Edge, Plot, picture
from anfora.graph.ir.nodes import AnfNode, CNode, Graph, Parameter, ValueNode
from anfora.graph.ir.structure import Structure, graph_of
from anfora.graph.ir.text import Labels, abstract_text
from anfora.graph.ir.values import printable, value_text

__all__ = ["dot", "svg"]


def dot(root: Graph) -> str:
    """The drawing of a program in Graphviz's language."""
    structure = Structure(root)
    labels = Labels(structure)
    keys: dict[AnfNode, str] = {}
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


def svg(root: Graph) -> str:
    """The drawing of a program as SVG."""
    structure = Structure(root)
    labels = Labels(structure)
    boxes: dict[AnfNode, Box] = {}
    frames: dict[Graph, Plot] = {}
    for graph in structure.graphs:
        for parameter in graph.parameters:
            boxes[parameter] = Box(_parameter_lines(parameter, labels), "paleturquoise")
        for call in structure.schedules[graph]:
            inputs = [boxes[node] for node in call.inputs if node in boxes and node.graph is graph]
            boxes[call] = Box(_call_lines(call, labels), "cornsilk", inputs)
        own = [*graph.parameters, *structure.schedules[graph]]
        frames[graph] = Plot(printable(labels.graphs[graph]), [boxes[node] for node in own])
    edges = []
    for call in (call for graph in structure.graphs for call in structure.schedules[graph]):
        for position, node in enumerate(call.inputs):
            place = (position + 0.5) / len(call.inputs)
            value = graph_of(node)
            if node in boxes:
                edges.append(Edge(boxes[node], boxes[call], place, "" if position else "5 3"))
            elif value is not None:
                edges.append(Edge(frames[value], boxes[call], place, "1 3"))
    return picture([*frames.values()], edges)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _table(*rows: str) -> str:
    return f'<<table border="0" cellborder="1" cellspacing="0">{"".join(f"<tr>{row}</tr>" for row in rows)}</table>>'


def _parameter_lines(parameter: Parameter, labels: Labels) -> list[str]:
    """What a parameter says, in characters that XML holds."""
    known = [] if parameter.abstract is None else [printable(abstract_text(parameter.abstract))]
    return [printable(labels.parameters[parameter]), *known]


def _call_lines(call: CNode, labels: Labels) -> list[str]:
    """What a call says: its name and what it calls, constants among its arguments, what is known of its value."""
    name = "" if call.name is None else f"{call.name} = "
    known = [f"{position}: {text}" for position, node in enumerate(call.args, 1) if (text := _constant(node, labels))]
    kind = [] if call.abstract is None else [abstract_text(call.abstract)]
    return [printable(line) for line in (f"{name}{_constant(call.fn, labels) or 'call'}", *known, *kind)]


def _parameter(parameter: Parameter, labels: Labels) -> str:
    text = "<br/>".join(map(html.escape, _parameter_lines(parameter, labels)))
    return _table(f'<td port="core" bgcolor="paleturquoise">{text}</td>')


def _call(call: CNode, labels: Labels) -> str:
    count = len(call.inputs)
    ports = "".join(f'<td port="{position}">{position}</td>' for position in range(count))
    name, *known = map(html.escape, _call_lines(call, labels))
    rows = [ports, f'<td port="core" bgcolor="cornsilk" colspan="{count}">{name}</td>']
    if known:
        rows.append(f'<td colspan="{count}">{"<br/>".join(known)}</td>')
    return _table(*rows)


def _constant(node: AnfNode, labels: Labels) -> str | None:
    if not isinstance(node, ValueNode):
        return None
    graph = graph_of(node)
    text = labels.graphs[graph] if graph else value_text(node.value, {}, complete=False)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _edges(call: CNode, keys: dict[AnfNode, str], names: dict[Graph, str]) -> list[str]:
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
