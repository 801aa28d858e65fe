"""Every law of the IR, seen broken."""

from __future__ import annotations

import re

import graph_programs
import pytest
from graph_programs import P

from anfora import ops
from anfora.graph.ir import CNode, FuncGraph, GraphError, ValueNode
from anfora.graph.ir.evaluate import evaluate
from anfora.graph.ir.manager import Manager
from anfora.graph.ir.structure import Structure
from anfora.graph.ir.verify import verify


def graph_with(*call, parameters: int = 1) -> FuncGraph:
    """A graph that returns one call; numbers among the inputs named by `...` are its first parameter."""
    graph = FuncGraph("f")
    made = [graph.parameter(f"p{i}") for i in range(parameters)]
    graph.output = graph.apply(*(made[0] if item is ... else item for item in call))
    return graph


def put(call: CNode, *inputs) -> None:
    """Set the inputs of a call past every door."""
    call._inputs = inputs


def broken(change) -> FuncGraph:
    graph = graph_programs.test_f()
    change(graph, Structure(graph).schedules[graph])
    return graph


def _escaped() -> FuncGraph:
    """A closure that is used where its values are not."""
    inner = Structure(graph_programs.func_outer()).graphs[1]
    graph = FuncGraph("f")
    graph.output = graph.apply(inner, 1)
    return graph


def _stolen() -> FuncGraph:
    """Two closures side by side, one using a node of the other."""
    graph, one, two = FuncGraph("f"), FuncGraph("one"), FuncGraph("two")
    inside = one.apply(P["neg"], graph.parameter("x"), name="inside")
    one.output = inside
    two.output = two.apply(P["pos"], inside)
    graph.output = graph.apply(P["make_tuple"], one, two)
    return graph


def _closure_of_itself() -> FuncGraph:
    """A node that needs a closure which holds that node."""
    graph, inner = FuncGraph("f"), FuncGraph("g")
    node = graph.apply(inner, name="node")
    inner.output = inner.apply(P["neg"], node)
    graph.output = node
    return graph


def _other_return() -> FuncGraph:
    graph = FuncGraph("f")
    graph._return = graph.apply(P["neg"], 1)
    return graph


def _foreign_return() -> FuncGraph:
    graph = FuncGraph("f")
    graph._return = FuncGraph("g").apply(P["return"], 1)
    return graph


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: FuncGraph("f"), "the graph @f has no output"),
        (lambda: graph_with(FuncGraph("g"), parameters=0), "the graph @g has no output"),
        (_other_return, "the graph @f does not end in a `return` of its own"),
        (_foreign_return, "the graph @f does not end in a `return` of its own"),
        (lambda: graph_with(P["neg"], FuncGraph("g").apply(P["return"], 1)), "`return` stands in the middle of a graph"),
        (lambda: broken(lambda g, calls: put(calls[0], calls[0].fn, 1)), "an input of %a in @test_f is no node, but int"),
        (lambda: broken(lambda g, calls: put(calls[0])), "a call has no function: %a = nothing() in @test_f"),
        (lambda: broken(lambda g, c: setattr(c[0], "graph", None)), "a CNode belongs to no graph"),
        (lambda: broken(lambda g, c: setattr(g, "_parameters", g.parameters[:1])), "does not have this parameter"),
        (lambda: broken(lambda g, c: setattr(g, "_parameters", g.parameters * 2)), "a parameter of @test_f comes twice"),
        (
            lambda: broken(lambda g, calls: setattr(g, "_parameters", (FuncGraph("h").parameter("z"),))),
            "a parameter of @test_f is not its own: parameter %z in @h",
        ),
        (lambda: broken(lambda g, c: setattr(c[1], "order", c[0].order)), "have one place in the program, 0"),
        (lambda: broken(lambda g, c: setattr(c[1], "abstract", "float32")), "'float32' is nothing that can"),
        (lambda: broken(lambda g, c: setattr(c[1], "abstract", (None, 1))), "(None, 1) is nothing that can"),
        (lambda: broken(lambda g, c: setattr(c[1], "name", 3)), "a name must be a string or None, but is 3"),
        (lambda: broken(lambda g, c: setattr(g.parameters[1], "abstract", 7)), "7 is nothing that can be known"),
        (lambda: graph_with(P["neg"], ValueNode(ValueNode(1))), "a constant holds a node"),
        (lambda: graph_with(P["neg"], (1, [FuncGraph("g")])), "a constant holds a node or a graph inside a container"),
        (lambda: graph_with(3, ...), "constant 3 cannot be called"),
        (lambda: graph_with(P["sub"], ...), "sub takes 2 arguments, but gets 1"),
        (lambda: graph_with(P["partial"]), "partial takes at least 1 arguments, but gets 0"),
        (lambda: graph_with(P["setitem"], ..., 1), "setitem takes 3 to 4 arguments, but gets 2"),
        (lambda: graph_with(graph_programs.loop(), ..., ...), "@total takes 1 arguments, but gets 2"),
        (lambda: graph_with(ops.matmul, ...), "matmul takes 2 to 4 arguments, but gets 1"),
        (lambda: graph_with(ops.exp, ..., 1), "exp takes 1 arguments, but gets 2"),
        (lambda: graph_with(P["switch"], ..., graph_programs.loop(), 0), "switch chooses a function, but a branch is the"),
        (lambda: graph_with(P["update_state"], 1, ...), "update_state needs a state of the world, but gets the constant 1"),
        (lambda: graph_with(P["load"], ..., None), "load needs a state of the world, but gets the constant None"),
        (lambda: broken(lambda g, calls: put(calls[0], *calls[0].inputs[:2], calls[3])), "calls wait for each other"),
        (_closure_of_itself, "in the graph @f calls wait for each other:\n    %node = @g() in @f"),
        (_escaped, "@func_inner takes a node of @func_outer, and is used outside of it: parameter %a in @func_outer"),
        (_stolen, "@two takes a node of @one, and is used outside of it: %inside = neg(%x) in @one"),
    ],
)  # fmt: skip
def test_refusals(make, message):
    graph = make()
    with pytest.raises(GraphError) as caught:
        verify(graph)
    assert message in str(caught.value)


def test_a_call_of_another_kind_of_node():
    class Strange(ValueNode.__base__):
        graph = FuncGraph("g")
        name = abstract = span = None

    Strange.graph.output = 1
    graph = graph_with(P["neg"], 1)
    graph.output._inputs = (graph.output.fn, Strange())
    with pytest.raises(GraphError, match="Strange is no kind of node"):
        verify(graph)


def test_an_edge_changed_behind_the_manager():
    graph = graph_programs.test_f()
    Manager(graph)
    verify(graph)
    call = graph.output
    assert isinstance(call, CNode)
    call._inputs = (call.fn, call.args[1], call.args[1])
    with pytest.raises(GraphError, match="the index of users does not show the edges of the program"):
        verify(graph)


def test_an_error_shows_the_calls_before_it():
    graph = FuncGraph("f")
    a = graph.apply(P["neg"], graph.parameter("x"), name="a")
    graph.output = graph.apply(P["sub"], a, name="b")
    expected = "sub takes 2 arguments, but gets 1\n    %a = neg(%x) in @f\n    %b = sub(%a) in @f"
    with pytest.raises(GraphError, match=f"^{re.escape(expected)}"):
        verify(graph)


def test_a_program_that_runs_may_be_verified_first():
    graph = graph_programs.even_and_odd()
    assert verify(graph).root is graph
    assert evaluate(graph, 4, 2) == (True, False)
