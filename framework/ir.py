"""Programs as graphs, to be built, read, edited, run and drawn: MindIR (docs/mindir.md).

    graph = FuncGraph("f")
    x = graph.parameter("x")
    graph.output = graph.apply(ops.relu, graph.apply(PRIMITIVES["mul"], x, 2, name="y"))
    graph(Tensor([1.0, -1.0]))            run; `jit(graph)` compiles it, `grad(graph)` is its gradient

A graph is a function of Python's to all who call it. Edges that exist are changed through a `Manager`; whoever runs the
graph sees the change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anfora.core.nearest import missing_in
from anfora.graph.gradient.transform import gradient_graph
from anfora.graph.ir import (
    PRIMITIVES,
    AnfNode,
    CNode,
    FuncGraph,
    GraphError,
    Parameter,
    Primitive,
    ValueNode,
    drawing,
    reading,
    text,
)
from anfora.graph.ir.evaluate import evaluate
from anfora.graph.ir.manager import Manager
from anfora.graph.ir.parser import parse
from anfora.graph.ir.structure import Structure
from anfora.graph.ir.verify import verify
from anfora.graph.passes.pipeline import LOWERING, PASSES, register_pass, without_passes
from anfora.graph.tell import dumps
from anfora.graph.tell.analysis import LoweredProgram
from anfora.modes import lower

__all__ = [
    "LOWERING", "PASSES", "PRIMITIVES", "AnfNode", "CNode", "FuncGraph", "GraphError", "LoweredProgram", "Manager",
    "Parameter", "Primitive", "ValueNode", "calls_of", "complete", "draw", "evaluate", "grad", "is_call", "lower", "parse",
    "read", "register_pass", "value_and_grad", "verify", "without_passes",
]  # fmt: skip


def complete(graph: FuncGraph, names: dict[str, Any] | None = None) -> str:
    """The text of a program with all there is to know; `print(graph)` shows what one likes to read.

    Args:
        graph: the graph in which the program starts.
        names: takes the objects that the text only names, by these names, for `read`.
    Returns:
        a text that `read` reads back to an equal program.
    Example:
        >>> graph = parse(lambda x: x + 1)
        >>> complete(read(complete(graph))) == complete(graph)
        True
    """
    return text.complete(graph, names)


def read(source: str | Path, names: Mapping[str, Any] | None = None) -> FuncGraph:
    """A program from its text.

    Args:
        source: a text, as `complete` gives it, or the path (a `Path`) of a `.dat` file of `save_graphs`.
        names: objects that the text calls by name. Nothing else is looked up: another name stays a name, which raises a
            GraphError when it is used.
    Returns:
        the graph in which the program starts.
    Raises:
        GraphError: it is no such text; the error tells the line.
    Example:
        >>> graph = read('subgraph @f(%para1_x) { %0 = object("scale")(%para1_x) Return(%0) }', {"scale": lambda x: x * 3})
        >>> graph(2)
        6
    """
    return dumps.read(source, names) if isinstance(source, Path) else reading.read(source, names)


def draw(graph: FuncGraph, file: str | Path | None = None) -> str:
    """The picture of a program; a notebook shows it when a graph is the value of a cell.

    Args:
        graph: the graph in which the program starts.
        file: where to write it: as SVG, or, where the name ends in `.dot`, in Graphviz's language.
    Returns:
        what was written, or the SVG.
    Example:
        >>> draw(parse(lambda x: x + 1)).startswith("<svg")
        True
    """
    is_dot = file is not None and Path(file).suffix == ".dot"
    picture = drawing.dot(graph) if is_dot else drawing.svg(graph)
    if file is not None:
        Path(file).write_text(picture, encoding="utf-8")
    return picture


def calls_of(graph: FuncGraph, function: Any = None) -> list[CNode]:
    """The calls of a graph, in the order in which it computes them.

    Args:
        graph: the graph; those that it uses are not looked into.
        function: what they call: an operator, a primitive, a graph, any function. All calls if it is None.
    Example:
        >>> graph = parse(lambda x: x + 1 + x)
        >>> [call.args[1] for call in calls_of(graph, PRIMITIVES["add"])]
        [<constant 1>, <parameter %x in @lambda>]
    """
    return [call for call in Structure(graph).schedules[graph] if function is None or is_call(call, function)]


def is_call(node: AnfNode, function: Any) -> bool:
    """Whether a node is a call of a known function.

    Args:
        node: any node.
        function: an operator, a primitive, a graph, any function.
    Example:
        >>> graph = parse(lambda x: x + 1)
        >>> is_call(graph.output, PRIMITIVES["add"]), is_call(graph.parameters[0], PRIMITIVES["add"])
        (True, False)
    """
    return isinstance(node, CNode) and node.calls(function)


def grad(graph: FuncGraph, grad_position: int | str | Sequence[int | str] = 0) -> FuncGraph:
    """The gradient of a graph, as a graph: of the same parameters, and made of the same kinds of nodes, so its gradient can
    be taken again.

    What runs is what the tape of PyNative mode would do, in the same order, so the bits are those of `anfora.grad`. A
    program without branches and calls becomes one graph of operators. Else each graph becomes one that gives the ways back
    over what it has done too. Where something computes that is no operator of known types (an `interpret` node, a
    function of the program, Python's `+` on what is not known yet), or writes in place on the way, the gradient is one
    call, `differentiated`, which runs the program with the tape on; see `docs/mindir.md`.

    Args:
        graph: any program. Of operators on tensors of known types are `ir.lower(f, x).graph`, and one that is built so.
        grad_position: by which parameters, by number or name; several give a tuple of gradients.
    Returns:
        a graph that gives the gradients of the sum of all tensors that `graph` gives; zeros by what it does not depend on.
    Raises:
        GraphError: there is no such parameter; the program is not well formed; an operator refuses the types that it gets.
    Example:
        >>> square = lower(lambda x: x * x, Tensor([1.0, 2.0])).graph
        >>> grad(square)(Tensor([3.0, 4.0])).tolist(), grad(grad(square))(Tensor([3.0, 4.0])).tolist()
        ([6.0, 8.0], [2.0, 2.0])
    """
    return _gradient(graph, grad_position, gives_value=False)


def value_and_grad(graph: FuncGraph, grad_position: int | str | Sequence[int | str] = 0) -> FuncGraph:
    """The same as `grad`, with the value in front: a graph that gives (value, gradients).

    Args:
        graph, grad_position: see `grad`.
    Raises:
        GraphError: as `grad`.
    Example:
        >>> square = lower(lambda x: x * x, Tensor([1.0, 2.0])).graph
        >>> [t.tolist() for t in value_and_grad(square)(Tensor([3.0, 4.0]))]
        [[9.0, 16.0], [6.0, 8.0]]
    """
    return _gradient(graph, grad_position, gives_value=True)


def _gradient(graph: FuncGraph, position: int | str | Sequence[int | str], gives_value: bool) -> FuncGraph:
    positions = (position,) if isinstance(position, (int, str)) else tuple(position)
    return gradient_graph(graph, [_parameter(graph, each) for each in positions], gives_value)


def _parameter(graph: FuncGraph, wanted: int | str) -> Parameter:
    """A parameter by number or name."""
    parameters = graph.parameters
    if isinstance(wanted, int) and -len(parameters) <= wanted < len(parameters):
        return parameters[wanted]
    found = [parameter for parameter in parameters if parameter.name == wanted]
    if not found:
        names = ", ".join(str(parameter.name) for parameter in parameters) or "none"
        raise GraphError(f"@{graph.name} has no parameter {wanted!r}", help=f"it has {len(parameters)}: {names}.")
    return found[0]


if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)
