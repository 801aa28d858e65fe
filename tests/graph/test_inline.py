"""Inlining: what it changes in a graph, and that it means the same."""

from __future__ import annotations

from anfora.graph.ir import PRIMITIVES, FuncGraph
from anfora.graph.ir.evaluate import evaluate
from anfora.graph.ir.verify import verify
from anfora.graph.passes.inline import inline_single_calls


def chained():
    """first calls second last of all, and that third; both note that they are there."""
    first, second, third = (FuncGraph(name) for name in ("first", "second", "third"))
    seen: list = []

    def note(graph, value):
        return graph.apply(seen.append, value)

    x, a, b = first.parameter("x"), second.parameter("a"), third.parameter("b")
    noted = note(third, b)
    third.output = third.apply(PRIMITIVES["depend"], third.apply(PRIMITIVES["neg"], b), noted)
    y = second.apply(PRIMITIVES["mul"], a, 2)
    inner = FuncGraph("inner")  # a closure, which moves with what it holds
    inner.output = inner.apply(PRIMITIVES["add"], a, y)
    noted = note(second, y)
    second.output = second.apply(PRIMITIVES["depend"], second.apply(third, second.apply(inner)), noted)
    first.output = first.apply(second, first.apply(PRIMITIVES["add"], x, 1))
    return first, seen


def test_what_one_call_goes_on_in_becomes_one_graph():
    graph, seen = chained()
    assert evaluate(graph, 4) == -15 and seen == [10, 15]
    before = evaluate(graph, 7)
    assert [inner.name for _, inner in inline_single_calls(graph)] == ["second", "third"]
    assert [each.name for each in verify(graph).graphs] == ["first", "inner"]
    seen.clear()
    assert evaluate(graph, 7) == before == graph(7) and seen == [16, 24, 16, 24]


def test_what_is_done_behind_the_call_stays_behind_it():
    graph, called, seen = FuncGraph("f"), FuncGraph("g"), []
    called.output = called.apply(seen.append, called.parameter("a"))
    x = graph.parameter("x")
    call = graph.apply(called, x)
    graph.output = graph.apply(PRIMITIVES["depend"], call, graph.apply(seen.append, "behind"))
    assert inline_single_calls(graph) == []
    graph(1)
    assert seen == [1, "behind"]


def test_a_graph_of_two_calls_stays():
    graph, shared = FuncGraph("f"), FuncGraph("shared")
    shared.output = shared.apply(PRIMITIVES["neg"], shared.parameter("a"))
    graph.output = graph.apply(shared, graph.apply(shared, graph.parameter("x")))
    assert inline_single_calls(graph) == [] and graph(3) == 3


def test_a_graph_that_calls_itself_stays():
    loop = FuncGraph("loop")
    loop.output = loop.apply(loop, loop.parameter("x"))
    assert inline_single_calls(loop) == []
