"""MindIR: the public names of the IR.

    graph = FuncGraph("f")
    x = graph.parameter("x")
    graph.output = graph.apply(PRIMITIVES["mul"], x, 2, name="y")
    print(graph)                        the text, see text.py
    print(graph.anf())                  the same with `let`
    evaluate(graph, 3)                  6, see evaluate.py

nodes.py         nodes and graphs, and in which order a graph computes; structure.py, what follows from their edges
planned.py       calls of operators as a recorder writes them down: what is lowered and run
primitives.py    functions of the IR that are no tensor operators
manager.py       the one door for edits, and who uses what
verify.py        what a well-formed program is, checked
evaluate.py      the meaning of a program: run it, slowly
python_form.py   the same as Python functions, which run, and which the machine goes into
values.py        constants as text, and when two are the same
text.py          programs as text; reading.py, and back
let_form.py      the same with `let`; drawing.py, as a picture; layout.py, which node stands where in it
parser.py        from the source of a function to its graph; instructions.py, what each instruction computes; control.py,
                 where control goes; blocks.py, how variables become values; interpreted.py, what has no graph form

How it is done, and why so

*Parser* (`parser.py`, `instructions.py`). What a source says by itself, before anything is known of values, is MindIR
too. It is read from the instructions that the machine runs, so Python's syntax is walked once: the values on the stack
are nodes, a jump is a call, and pieces of the syntax that are noted beside the instructions (`Code.parts`) keep their
form. Blocks are functions, comprehensions as well, variables that inner functions use and that change live in cells. What
has no graph form (`try`, `with`, `match`, classes, imports, generators) is an `interpret` node with its source, the
variables that it uses, and the reason (`interpreted.py`). The evaluator runs every program of the gallery from its
parsed graph; of 602, 524 have no such node. Recording does not need these graphs: they are for reading
(`save_graphs`), and for programs that work on programs. A graph can be called, compiled and differentiated like a
function: it is written as Python functions (`python_form.py`), in which calls in the last place are loops, and these
are run, or recorded like any others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anfora.graph.ir import drawing, let_form, python_form, text
from anfora.graph.ir.nodes import Abstract, AnfNode, CNode, Graph, GraphError, Parameter, ValueNode
from anfora.graph.ir.primitives import PRIMITIVES, Primitive

if TYPE_CHECKING:
    from anfora.core.parameter import Parameter as Weight
    from anfora.core.span import Span

__all__ = [
    "PRIMITIVES", "Abstract", "CNode", "ValueNode", "FuncGraph", "GraphError", "AnfNode", "Parameter", "Primitive",
]  # fmt: skip


class FuncGraph(Graph):
    """A function: parameters, and the nodes from them to one `return`. It prints as text, and notebooks draw it.

    Args:
        name: the name of the function; several graphs may have the same.
        span: where the program defines it.
    Attributes:
        guards: what must hold for the graph to be what the program does, in words, where it comes from a program: a
            compiled call asks that in front of it. Whoever calls the graph himself is not asked.
        notes: what `print` tells where the graph begins, of it or of one of its nodes: pairs of a node, or None, and words.
        weights: Parameters that stand behind the arguments of a call, by the names of the parameters that they are given
            to: those of a graph that `anfora.load` has read. `nn.GraphCell` calls a graph with them.
    Example:
        >>> graph = FuncGraph("double")
        >>> graph.output = graph.apply(PRIMITIVES["add"], graph.parameter("x"), 1, name="y")
        >>> print(graph)
        # IR entry: @double
        # Total subgraphs: 1
        # Total number of cnodes: 2
        <BLANKLINE>
        subgraph @double(%para1_x) {
          %0(y) = add(%para1_x, 1)
          Return(%0)
        }
    """

    def __init__(self, name: str, *, span: Span | None = None) -> None:
        super().__init__(name, span=span)
        self.weights: dict[str, Weight] = {}

    def __call__(self, *arguments: Any) -> Any:
        """Run the graph, which must take no values from outside.

        Args:
            arguments: one value for each parameter.
        Returns:
            the value of its output; a graph among the results is a Python function.
        Raises:
            GraphError: the program is not well formed.
            TypeError: the number of arguments is wrong.
            Exception: what the program raises. Errors of operators name the line of the program, if it is known.
        Example:
            >>> graph = FuncGraph("double")
            >>> graph.output = graph.apply(PRIMITIVES["mul"], graph.parameter("x"), 2)
            >>> graph(21)
            42
        """
        return python_form.python_function(self)(*arguments)

    @property
    def __name__(self) -> str:
        return self.name

    def __str__(self) -> str:
        return text.readable(self).rstrip("\n")

    def anf(self) -> str:
        """The program in administrative normal form: one `let` a line, functions where they are first used.

        Example:
            >>> graph = FuncGraph("f")
            >>> graph.output = graph.apply(PRIMITIVES["add"], graph.parameter("x"), 1, name="y")
            >>> print(graph.anf())
            lambda (x)
                let y = x + 1 in
                y end
        """
        return let_form.anf(self)

    def dot(self) -> str:
        """The drawing of the program, in Graphviz's language."""
        return drawing.dot(self)

    def _repr_svg_(self) -> str:
        """The drawing, for notebooks."""
        return drawing.svg(self)
