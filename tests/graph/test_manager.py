"""The index of users stays right whatever is edited, and edits do what they say."""

from __future__ import annotations

import graph_programs
import pytest
from graph_difference import difference
from graph_programs import P
from hypothesis import given, settings
from hypothesis import strategies as st

from anfora.graph.ir import FuncGraph, GraphError
from anfora.graph.ir.evaluate import evaluate
from anfora.graph.ir.manager import Manager
from anfora.graph.ir.structure import Structure
from anfora.graph.ir.verify import verify


def edges_of(root: FuncGraph) -> dict:
    """Who uses what, counted anew."""
    users: dict = {}
    for calls in Structure(root).schedules.values():
        for call in calls:
            for position, node in enumerate(call.inputs):
                users.setdefault(node, set()).add((call, position))
    return users


@settings(deadline=None, max_examples=150)
@given(graph_programs.random_programs(), st.data())
def test_the_index_is_right_after_any_edit(program, data):
    root, _ = program
    manager = Manager(root)
    for _ in range(data.draw(st.integers(1, 6))):
        structure = Structure(root)
        graph = data.draw(st.sampled_from(structure.graphs))
        calls = structure.schedules[graph]
        call = data.draw(st.sampled_from(calls))
        # What has a name is a number; to put a number in the place of a function or pair would be another program's fault.
        before = [node for node in (*graph.parameters, *calls[: calls.index(call)]) if node.name]
        positions = [i for i, node in enumerate(call.inputs) if node.name and i]
        kind = data.draw(st.sampled_from(["input", "replace", "wrap", "output", "constant", "graph"]))
        if not before:
            continue
        if kind == "constant":
            manager.replace(data.draw(st.sampled_from(before)), data.draw(st.integers(0, 3)))
        elif kind == "input" and positions:
            manager.set_input(call, data.draw(st.sampled_from(positions)), data.draw(st.sampled_from(before)))
        elif kind == "replace" and call.name:
            manager.replace(call, data.draw(st.sampled_from(before)))
        elif kind == "wrap":
            old = data.draw(st.sampled_from(before))
            manager.replace(old, graph.apply(P["neg"], old))
        elif kind == "output":
            graph.output = data.draw(st.sampled_from(before))
        elif kind == "graph":
            inner = FuncGraph("inner")
            inner.output = inner.apply(P["pos"], data.draw(st.sampled_from(before)))
            graph.output = graph.apply(P["depend"], graph.output, graph.apply(inner))
        assert manager.index() == edges_of(root)
        assert set(manager.graphs) == set(Structure(root).graphs)
        assert all(graph.manager is manager for graph in manager.graphs)
        verify(root)
    manager.close()
    assert manager.index() == {} and root.manager is None


def test_users():
    graph = graph_programs.test_f()
    manager = Manager(graph)
    a, b, called, c, _ = Structure(graph).schedules[graph]
    assert sorted(manager.users(b), key=lambda use: use[0].order) == [(called, 2), (c, 1)]
    assert sorted(manager.users(a), key=lambda use: use[0].order) == [(b, 1), (called, 1)]
    func = called.fn.value
    assert manager.uses(func) == ((called, 0),)
    assert manager.uses(graph) == () and manager.users(graph.return_) == ()


def test_replace_by_a_call_of_the_old_node():
    graph = graph_programs.test_f()
    manager = Manager(graph)
    x = graph.parameters[0]
    doubled = graph.apply(P["mul"], x, 2)
    assert manager.users(doubled) == ()
    manager.replace(x, doubled)
    assert manager.users(x) == ((doubled, 1),)
    assert evaluate(graph, 2, 1) == (2 * 2 - 1 + 1) * 3 / 4


def test_what_nothing_uses_leaves_the_index():
    graph = graph_programs.test_f()
    manager = Manager(graph)
    a, b, called, _, _ = Structure(graph).schedules[graph]
    func = called.fn.value
    graph.output = a
    assert manager.users(b) == manager.users(called) == manager.users(graph.parameters[1]) == ()
    assert manager.graphs == (graph,) and func.manager is None
    Manager(func)  # another may take it


def test_graphs_that_only_use_each_other_leave():
    graph = graph_programs.even_and_odd()
    manager = Manager(graph)
    assert len(manager.graphs) == 7
    graph.output = 0
    assert manager.graphs == (graph,)
    assert manager.index() == edges_of(graph)


def test_a_new_call_is_edited_like_any_other():
    graph = graph_programs.test_f()
    manager = Manager(graph)
    new = graph.apply(P["neg"], graph.parameters[0])
    manager.set_input(new, 1, graph.parameters[1])
    assert new.args == (graph.parameters[1],) and manager.index() == edges_of(graph)
    manager.set_inputs(new, [P["sub"], 1, graph.parameters[1]])
    graph.output = new
    assert evaluate(graph, 5, 3) == -2 and manager.index() == edges_of(graph)


def test_a_graph_that_comes_in_is_counted():
    graph = graph_programs.test_f()
    manager = Manager(graph)
    loop = graph_programs.loop()
    graph.output = graph.apply(loop, graph.parameters[0])
    assert len(manager.graphs) == 5 and loop.manager is manager
    assert evaluate(graph, 5, 0) == 10


def test_parameters():
    graph = FuncGraph("f")
    x, y = graph.parameter("x"), graph.parameter("y")
    graph.output = graph.apply(P["neg"], x)
    manager = Manager(graph)
    manager.set_parameters(graph, [y, x])
    assert evaluate(graph, 1, 2) == -2
    manager.set_parameters(graph, [x])
    assert evaluate(graph, 1) == -1
    with pytest.raises(GraphError, match=r"parameter %x in @f cannot go: %_ = neg\(%x\) in @f uses it"):
        manager.set_parameters(graph, [])
    with pytest.raises(GraphError, match="@f cannot take the parameter %p in @other"):
        manager.set_parameters(graph, [x, FuncGraph("other").parameter("p")])
    with pytest.raises(GraphError, match="a parameter of @f comes twice"):
        manager.set_parameters(graph, [x, x])


def test_a_refused_edit_changes_nothing():
    graph, taken, unfinished = graph_programs.test_f(), graph_programs.loop(), FuncGraph("unfinished")
    Manager(taken)
    manager = Manager(graph)
    before = manager.index()
    for value, message in (
        (taken, "@total is being edited through another manager"),
        (unfinished, "@unfinished has no output"),
        (graph.apply(P["partial"], unfinished), "@unfinished has no output"),
    ):
        with pytest.raises(GraphError, match=message):
            graph.output = value
        with pytest.raises(GraphError, match=message):
            manager.replace(graph.parameters[0], value)
    with pytest.raises(GraphError, match="there is no input 7"):
        manager.set_input(graph.output, 7, 1)
    with pytest.raises(GraphError, match="a call needs a function"):
        manager.set_inputs(graph.output, [])
    assert manager.index() == before == edges_of(graph)
    assert difference(graph, graph_programs.test_f()) is None


def test_a_refused_program_is_left_free():
    graph = FuncGraph("f")
    graph.output = graph.apply(FuncGraph("unfinished"))
    with pytest.raises(GraphError, match="@unfinished has no output"):
        Manager(graph)
    assert graph.manager is None
    with pytest.raises(GraphError, match="the graph @g has no output yet"):
        FuncGraph("g").output  # noqa: B018
