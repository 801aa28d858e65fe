"""The text of a program, in the form of MindSpore's dumps.

    # IR entry: @test_f
    # Total subgraphs: 2

    subgraph @test_f(%para1_x, %para2_y) {
      # net.py:5: a = x - 1
      %0(a) = sub(%para1_x, 1)
      # net.py:6: b = a + y
      %1(b) = add(%0, %para2_y)
      %2 = call @func(%0, %1)
      %3(c) = mul(%1, %2)
      Return(%3)
    }

Calls are numbered in the order in which they are computed, with the program's variable in parentheses; parameters are
numbered through all graphs. `$(@outer:para1_a)` is a node of another graph, a free variable. `switch`, `sub` … are
primitives, `ops.matmul` is a function of anfora.ops, `call @f` calls a known graph and `%2(…)` what a node gives. What is
known of a result stands behind the call, as in `-> <Tensor[Float32], (2, 3)>`.

There are two forms. `readable` is for eyes: a call a line, the line of the program in front of the calls that come from it,
no elements of large tensors. `complete` leaves nothing out and reads back (reading.py) to an equal program: types of the
operands too, below a call, as in `: (<Tensor[Float32], (2, 3)>, <Int, NoShape>) -> (<null>)`, and spans. Names that are no
plain word are quoted; where several graphs have one name, `~2` and so on are added. Lines that start with `#` are comments
in both.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from anfora.core.abstract import TensorType
from anfora.core.op import Weak
from anfora.core.span import Span
from anfora.graph.ir.nodes import Abstract, AnfNode, CNode, Graph, GraphError, Parameter, ValueNode
from anfora.graph.ir.primitives import return_
from anfora.graph.ir.structure import Structure, graph_of
from anfora.graph.ir.values import printable, value_text

__all__ = ["PLAIN", "abstract_text", "complete", "readable"]

#: Names that need no quotes: words with the marks of branches (✓✗), loops (↵↻↓), parameters of blocks and gradients.
PLAIN = r"[\w✓✗↵↻↓⤾∇⥁.]+"
_PLAIN = re.compile(PLAIN)


def readable(root: Graph, guards: str | None = "`guards` of the graph") -> str:
    """The program as one likes to read it.

    Args:
        guards: where those of a graph can be found, of which the number is told; None lists them here.
    """
    return _Writer(root, False, {}, guards).text()


def complete(root: Graph, objects: dict[str, Any] | None = None) -> str:
    """The program with all there is to know, for `reading.read`.

    Args:
        root: the graph in which the program starts.
        objects: takes the constants that text cannot hold, by what they are called there; `read` takes them back.
    """
    return _Writer(root, True, {} if objects is None else objects, None).text()


class Labels:
    """The names under which texts and drawings show nodes and graphs; all different."""

    def __init__(self, structure: Structure) -> None:
        self.graphs: dict[Graph, str] = {}
        self.parameters: dict[AnfNode, str] = {}
        self.calls: dict[AnfNode, str] = {}
        taken: dict[str, int] = {}
        for graph in structure.graphs:
            count = taken[graph.name] = taken.get(graph.name, 0) + 1
            self.graphs[graph] = "@" + plain(graph.name) + (f"~{count}" if count > 1 else "")
            for parameter in graph.parameters:
                name = "" if parameter.name is None else f"_{plain(parameter.name)}"
                self.parameters[parameter] = f"para{len(self.parameters) + 1}{name}"
            for number, call in enumerate(structure.schedules[graph]):
                self.calls[call] = str(number)

    def of(self, node: AnfNode, seen_from: Graph) -> str:
        """A parameter or call, as another node of `seen_from` names it."""
        label = self.parameters.get(node)
        if label is None:
            label = self.calls.get(node)
        if label is None:
            raise GraphError(
                f"{node!r} is used, and is not among the parameters of its graph", help="verify the graph first."
            )
        if node.graph is seen_from:
            return f"%{label}"
        assert node.graph is not None
        inner = label if isinstance(node, Parameter) else f"%{label}"
        return f"$({self.graphs[node.graph]}:{inner})"


def plain(name: str) -> str:
    """A name, quoted where it must be."""
    return name if _PLAIN.fullmatch(name) else json.dumps(name)


def abstract_text(abstract: Abstract) -> str:
    """What is known of a value: `<Tensor[Float32], (2, 3)>`, `<Int, NoShape>` for a Python number, `<null>`."""
    if abstract is None:
        return "<null>"
    if isinstance(abstract, TensorType):
        return f"<Tensor[{abstract.dtype}], {_tuple(map(str, abstract.shape))}>"
    if isinstance(abstract, Weak):
        return f"<{abstract.python.__name__.capitalize()}, NoShape>"
    if isinstance(abstract, tuple):
        return f"<Tuple[{', '.join(map(abstract_text, abstract))}]>"
    raise GraphError(f"{abstract!r} is nothing that can be known of a value")


def _tuple(items) -> str:
    return f"({', '.join(items)})"


def span_text(span: Span) -> str:
    parts = (span.file, span.line, span.end_line, span.column, span.end_column, span.function)
    return f"span({', '.join(json.dumps(part) if isinstance(part, str) else str(part) for part in parts)})"


class _Writer:
    """One text.

    Args:
        root: the program.
        complete: whether it must read back.
        objects: takes what text cannot hold.
        guards: where those of a graph can be found; None where all are written.
    """

    def __init__(self, root: Graph, complete: bool, objects: dict[str, Any], guards: str | None) -> None:
        self.structure = Structure(root)
        self.labels = Labels(self.structure)
        self.complete, self.objects, self.guards = complete, objects, guards

    def text(self) -> str:
        structure, labels = self.structure, self.labels
        calls = sum(map(len, structure.schedules.values()))
        lines = [
            f"# IR entry: {labels.graphs[structure.root]}",
            f"# Total subgraphs: {len(structure.graphs)}",
            f"# Total number of cnodes: {calls}",
        ]
        for graph in structure.graphs:
            lines += ["", *self._graph(graph)]
        return "\n".join(lines) + "\n"

    def _graph(self, graph: Graph) -> list[str]:
        parent = self.structure.parent(graph)
        inside = f" parent: [subgraph {self.labels.graphs[parent]}]" if parent else ""
        head = f"subgraph {self.labels.graphs[graph]}{inside}("
        parameters = list(map(self._parameter, graph.parameters))
        if self.complete:
            span = "" if graph.span is None else f" {span_text(graph.span)}"
            lines = [f"{head}{', '.join(parameters)}){span} {{"]
        else:
            lines = [*_source(graph.span, ""), *_wrapped(head, parameters, ") {"), *self._notes(graph)]
        lines += self._guards(graph.guards)
        told = graph.span
        for call in self.structure.schedules[graph]:
            is_same_line = told and call.span and (told.file, told.line) == (call.span.file, call.span.line)
            if not self.complete and call.span is not None and not is_same_line:
                told = call.span
                lines += _source(told, "  ")
            lines += self._call(call)
        return [*lines, "}"]

    def _notes(self, graph: Graph) -> list[str]:
        shown = {None, *self.labels.parameters, *self.labels.calls}
        notes = [(node, printable(note)) for node, note in graph.notes if node in shown]
        return [f"  # {note}" if node is None else f"  # {self.labels.of(node, graph)}: {note}" for node, note in notes]

    def _guards(self, guards: Sequence[str]) -> list[str]:
        if self.complete:
            return [f"  guard({json.dumps(guard)})" for guard in guards]
        if self.guards is None:
            return [f"  # guard: {printable(guard)}" for guard in guards]
        return [f"  # {len(guards)} guard{'s' * (len(guards) > 1)}: see {self.guards}"] if guards else []

    def _parameter(self, parameter: Parameter) -> str:
        text = f"%{self.labels.parameters[parameter]}"
        if parameter.abstract is not None:
            text += f": {abstract_text(parameter.abstract)}"
        if self.complete and parameter.span is not None:
            text += f" {span_text(parameter.span)}"
        return text

    def _call(self, call: CNode) -> list[str]:
        function, *arguments = (self._input(node, call.graph) for node in call.inputs)
        if graph_of(call.fn):
            function = f"call {function}"
        if call.calls(return_) and call is call.graph.return_:
            head = "Return"
        else:
            name = "" if call.name is None else f"({plain(call.name)})"
            head = f"%{self.labels.calls[call]}{name} = {function}"
        if not self.complete:
            result = "" if call.abstract is None or head == "Return" else f" -> {abstract_text(call.abstract)}"
            return _wrapped(f"  {head}(", arguments, f"){result}")
        lines = [f"  {head}{_tuple(arguments)}"]
        abstracts = [node.abstract for node in call.args]
        if call.abstract is not None or (any(a is not None for n, a in zip(call.args, abstracts) if n.graph)):
            lines.append(f"      : {_tuple(map(abstract_text, abstracts))} -> ({abstract_text(call.abstract)})")
        return lines if call.span is None else [*lines, f"      {span_text(call.span)}"]

    def _input(self, node: AnfNode, seen_from: Graph) -> str:
        if not isinstance(node, ValueNode):
            return self.labels.of(node, seen_from)
        if isinstance(node.value, Graph):
            return self.labels.graphs[node.value]
        return value_text(node.value, self.objects, complete=self.complete)


def _source(span: Span | None, indent: str) -> list[str]:
    """The line of the program."""
    if span is None:
        return []
    text = span.text.strip()
    line = indent + printable(f"# {span.short_file}:{span.line}{': ' if text else ''}{text}")
    return [line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"]


def _wrapped(head: str, items: list[str], tail: str) -> list[str]:
    """Items between brackets, in as few lines as hold them; a long tail is parted as well."""
    parts = [f"{item}, " for item in items]
    if parts:
        parts[-1] = items[-1]
    parts += re.split(r"(?<=, )(?=<)|(?<=\) )(?=->)", tail)
    lines = [head]
    indent = " " * (len(head) - len(head.lstrip()) + 6)
    for part in parts:
        if len(lines[-1]) + len(part.rstrip()) > _WIDTH and lines[-1] != indent:
            lines.append(indent)
        lines[-1] += part
    return [line.rstrip() for line in lines]


_WIDTH = 120
