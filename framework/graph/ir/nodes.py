"""Nodes and graphs: what a program is made of.

    AnfNode = Parameter     an argument of one graph
            | ValueNode     a value: a number, a tensor, an operator, a graph; belongs to no graph
            | CNode         a call: inputs[0] is the function, the others are its arguments
    Graph = a function: parameters, and the nodes from them to one `return`

Nothing is named or listed beside that. A use is an edge from a CNode to one of its inputs, and what no edge leads to is
not part of the program. A graph that uses nodes of another one is a closure; to choose, to loop and to bind arguments are
calls of functions like any other.

**Order.** A graph computes all its calls, each once. A call waits for its inputs, and, where an input is a graph, for the
nodes which that graph takes from outside, because a closure holds values. Among calls that could go first, the one that
was made first does: `CNode.order` numbers them as the program wrote them, and gradients are summed in that order.

**Edits.** Nodes are made by `Graph.parameter` and `Graph.apply`. Once an edge exists, it is changed through a `Manager`
(manager.py) alone, so its index of users is always right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Union

from anfora.core.abstract import TensorType
from anfora.core.errors import AnforaError
from anfora.core.op import Weak
from anfora.core.tensor import Tensor
from anfora.graph.ir.primitives import return_

if TYPE_CHECKING:
    from anfora.core.span import Span
    from anfora.graph.ir.manager import Manager

__all__ = ["Abstract", "CNode", "ValueNode", "Graph", "GraphError", "AnfNode", "Parameter", "describe", "known_value"]

#: What is known of a node's value without its data; None before inference.
Abstract = Union[TensorType, Weak, tuple, None]


class GraphError(AnforaError, ValueError):
    """A graph that breaks a law of the IR, an edit that would, or a text that is no graph.

    Example:
        >>> from anfora.ir import FuncGraph
        >>> try:
        ...     FuncGraph("f").output
        ... except GraphError as error:
        ...     error.message, error.help
        ('the graph @f has no output yet', 'set `graph.output` to a node or a value.')
    """


class AnfNode:
    """A value in a program: a Parameter, a ValueNode or a CNode.

    Attributes:
        graph: the graph that owns it; None for a ValueNode.
        name: the variable of the program that holds it, if it has one.
        abstract: what is known of the value without its data: a type and shape, the type of a number, a tuple, or None.
        span: where the program says so.
    Example:
        >>> from anfora.ir import FuncGraph
        >>> FuncGraph("f").parameter("x")
        <parameter %x in @f>
    """

    __slots__ = ()

    graph: Graph | None
    name: str | None  #: the program's variable
    abstract: Abstract
    span: Span | None  #: where the program says so

    def __repr__(self) -> str:
        return f"<{describe(self)}>"


class Parameter(AnfNode):
    """An argument of one graph. Made by `FuncGraph.parameter`.

    Example:
        >>> from anfora.ir import FuncGraph
        >>> graph = FuncGraph("f")
        >>> graph.parameter("x"), graph.parameters
        (<parameter %x in @f>, (<parameter %x in @f>,))
    """

    __slots__ = ("graph", "name", "abstract", "span")

    def __init__(self, graph: Graph, name: str | None, abstract: Abstract, span: Span | None) -> None:
        self.graph, self.name, self.abstract, self.span = graph, name, abstract, span


class ValueNode(AnfNode):
    """A value that is known: a number, a string, a type, a tensor, an operator, a graph.

    Args:
        value: the value.
    Example:
        >>> from anfora.ir import ValueNode
        >>> ValueNode(3)
        <constant 3>
    """

    __slots__ = ("value",)

    graph = None
    name = None
    span = None

    def __init__(self, value: Any) -> None:
        self.value = value

    @property
    def abstract(self) -> Abstract:  # type: ignore[override]
        """What `infer` is told of it; None where it is no tensor or number."""
        if isinstance(self.value, Tensor):
            return TensorType(self.value.dtype, self.value.shape)
        return Weak(type(self.value)) if type(self.value) in (bool, int, float) else None


def known_value(node: AnfNode) -> Any:
    """The value of a node that is one: of a ValueNode."""
    assert isinstance(node, ValueNode)
    return node.value


class CNode(AnfNode):
    """A call: the function is its first input. Made by `FuncGraph.apply`.

    Example:
        >>> from anfora.ir import PRIMITIVES, FuncGraph
        >>> graph = FuncGraph("f")
        >>> call = graph.apply(PRIMITIVES["sub"], graph.parameter("x"), 1, name="y")
        >>> call, call.fn, call.args
        (<%y = sub(%x, 1) in @f>, <constant sub>, (<parameter %x in @f>, <constant 1>))
    """

    __slots__ = ("graph", "_inputs", "name", "abstract", "span", "order")

    graph: Graph

    def __init__(
        self,
        graph: Graph,
        inputs: tuple[AnfNode, ...],
        name: str | None,
        abstract: Abstract,
        span: Span | None,
        order: int,
    ) -> None:
        self.graph, self._inputs, self.name, self.abstract, self.span = graph, inputs, name, abstract, span
        self.order = order  #: among the calls of its graph, as the program wrote them

    @property
    def inputs(self) -> tuple[AnfNode, ...]:
        """The function, then its arguments. Changed through a Manager."""
        return self._inputs

    @property
    def fn(self) -> AnfNode:
        return self._inputs[0]

    @property
    def args(self) -> tuple[AnfNode, ...]:
        return self._inputs[1:]

    def calls(self, function: Any) -> bool:
        """Whether the function called is known, and is the given one."""
        return isinstance(self.fn, ValueNode) and self.fn.value is function


class Graph:
    """A function. Programs hold `anfora.graph.ir.FuncGraph`, which also knows how to show itself.

    Args:
        name: the name of the function; several graphs may have the same.
        span: where the program defines it.
    Attributes:
        guards: what must hold where the graph is recorded from a run, so that it is what the program does: in words; of a
            piece, `facts.origins.Guard`s.
        notes: what a text says where the graph begins, of it (None) or of one of its nodes: no part of the program.
    """

    edits: ClassVar[int] = (
        0  #: changes of edges and parameters so far, in any graph: what was derived before may be old
    )

    def __init__(self, name: str, *, span: Span | None = None) -> None:
        self.name, self.span = name, span
        self.guards: list[Any] = []
        self.notes: list[tuple[AnfNode | None, str]] = []
        self.python: Any = None  #: what `python_form.python_function` has made of it
        self._parameters: tuple[Parameter, ...] = ()
        self._return: CNode | None = None
        self._count = 0
        self.manager: Manager | None = None  #: through which its edges are changed, if there is one

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return self._parameters

    @property
    def return_(self) -> CNode | None:
        """The call of `return` that ends the function; None while it is being built."""
        return self._return

    @property
    def output(self) -> AnfNode:
        """The node whose value the function returns.

        Raises:
            GraphError: none has been set.
        """
        if self._return is None:
            raise GraphError(
                f"the graph @{self.name} has no output yet", help="set `graph.output` to a node or a value."
            )
        return self._return.inputs[1]

    @output.setter
    def output(self, value: Any) -> None:
        node = as_node(value)
        Graph.edits += 1
        if self._return is None:
            self._return = self.apply(return_, node)
        elif self.manager is not None:
            self.manager.set_input(self._return, 1, node)
        else:
            self._return._inputs = (self._return.fn, node)

    def parameter(self, name: str | None = None, *, abstract: Abstract = None, span: Span | None = None) -> Parameter:
        """Add a parameter behind the others. Calls of the graph are the caller's business."""
        made = Parameter(self, name, abstract, span)
        Graph.edits += 1
        self._parameters += (made,)
        return made

    def apply(
        self,
        function: Any,
        *arguments: Any,
        name: str | None = None,
        abstract: Abstract = None,
        span: Span | None = None,
    ) -> CNode:
        """A call in this graph. It is part of the program once an edge leads to it.

        Args:
            function: a node, or a value that becomes a constant: a primitive, an operator, a graph, a Python function.
            arguments: nodes, or values that become constants.
            name: the variable that the program binds it to.
            abstract: what is known of the result.
            span: where the program says so.
        """
        return CNode(self, tuple(map(as_node, (function, *arguments))), name, abstract, span, self.next_order())

    def next_order(self) -> int:
        """The number of a call that is made now: see `CNode.order`."""
        self._count += 1
        return self._count - 1

    def __repr__(self) -> str:
        return f"<graph @{self.name}({', '.join(p.name or '_' for p in self._parameters)})>"


def as_node(value: Any) -> AnfNode:
    """The node itself, or a constant of the value."""
    return value if isinstance(value, AnfNode) else ValueNode(value)


def describe(node: AnfNode) -> str:
    """A node in one line, for errors: `%y = sub(%x, 1) in @f`."""
    if isinstance(node, ValueNode):
        return f"constant {_value(node)}"
    if isinstance(node, Parameter):
        return f"parameter {_short(node)} in @{node.graph.name}" if node.graph else f"parameter {_short(node)}"
    assert isinstance(node, CNode)
    function, *arguments = map(_short, node.inputs) if node.inputs else ("nothing",)
    where = f" in @{node.graph.name}" if node.graph else ""
    return f"{_short(node)} = {function}({', '.join(arguments)}){where}"


def _short(node: AnfNode) -> str:
    return _value(node) if isinstance(node, ValueNode) else f"%{node.name or '_'}"


def _value(constant: ValueNode) -> str:
    value = constant.value
    if isinstance(value, Graph):
        return f"@{value.name}"
    name = getattr(value, "name", None)
    text = name if isinstance(name, str) else repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."
