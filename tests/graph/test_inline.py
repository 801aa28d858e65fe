"""Inlining, and functions that are made of calls: what they change in a graph, and that it means the same."""

from __future__ import annotations

from anfora.graph.ir import PRIMITIVES, FuncGraph
from anfora.graph.ir.evaluate import evaluate
from anfora.graph.ir.verify import verify
from anfora.graph.passes.extract import extract_functions
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


def test_guards_and_notes_come_along():
    graph, _ = chained()
    inner = graph.output.fn.value
    graph.guards, inner.guards = ["a"], ["b"]
    graph.notes, inner.notes = [(None, "one")], [(None, "other")]
    inline_single_calls(graph)
    assert graph.guards == ["a", "b"] and graph.notes == [(None, "one"), (None, "other")]


# -- the opposite -----------------------------------------------------------------------------------------------------


def arithmetic():
    """y = x + 1; z = y * 2; w = z + y; v = w * x; the result is v - z, behind a note of y and one of w."""
    graph, seen = FuncGraph("f"), []
    x = graph.parameter("x")
    y = graph.apply(PRIMITIVES["add"], x, 1, name="y")
    z = graph.apply(PRIMITIVES["mul"], y, 2, name="z")
    first = graph.apply(seen.append, y)
    w = graph.apply(PRIMITIVES["add"], z, y, name="w")
    v = graph.apply(PRIMITIVES["mul"], w, x, name="v")
    second = graph.apply(seen.append, w)
    result = graph.apply(PRIMITIVES["sub"], v, z)
    graph.output = graph.apply(PRIMITIVES["depend"], result, first, second)
    return graph, {"y": y, "z": z, "w": w, "v": v, "first": first, "second": second, "result": result}, seen


def shape(graph):
    """Of each function its name, what it takes, how many calls it has, and how many values it gives."""
    structure = verify(graph)
    found = []
    for each in structure.graphs:
        output = each.output
        output = output.args[0] if output.calls(PRIMITIVES["depend"]) else output
        count = len(output.args) if output.calls(PRIMITIVES["make_tuple"]) else 1
        found.append((each.name, [p.name for p in each.parameters], len(structure.schedules[each]) - 1, count))
    return found


def test_calls_become_a_function_of_what_they_need_that_gives_what_others_read():
    cases = [
        ([("y", "z")], ("g", ["x"], 3, 2)),
        ([("y", "z", "first", "w", "v", "second", "result")], ("g", ["x"], 8, 1)),
        ([("w", "v")], ("g", ["z", "y", "x"], 3, 2)),
        ([("y", "w")], ("g", ["x"], 4, 3)),  # z lies between
        ([("z", "first")], ("g", ["y"], 3, 1)),  # which is waited for alone
        ([("v", "result")], ("g", ["w", "x", "z"], 2, 1)),
    ]
    for groups, expected in cases:
        graph, calls, seen = arithmetic()
        stands_for = extract_functions(graph, [("g", [calls[name] for name in names]) for names in groups])
        assert shape(graph)[1] == expected, groups
        assert graph(3) == evaluate(graph, 3) == 28 and seen == [4, 12, 4, 12]
        assert all(call.graph is not graph for name in groups[0] if (call := calls[name]))
        assert all(node.graph is graph for node in stands_for.values())


def test_several_functions_may_need_each_other():
    graph, calls, seen = arithmetic()
    groups = [("first", ["y", "z"]), ("second", ["w", "v"]), ("none", [])]
    extract_functions(graph, [(name, [calls[each] for each in names]) for name, names in groups])
    assert [name for name, *_ in shape(graph)] == ["f", "first", "second"]
    assert evaluate(graph, 3) == 28 and seen == [4, 12]


def test_effects_stay_in_their_order():
    graph, calls, seen = arithmetic()
    extract_functions(graph, [("g", [calls["y"], calls["z"]])])
    graph(5)
    assert seen == [6, 18]
    graph, seen = FuncGraph("f"), []
    x = graph.parameter("x")
    one = graph.apply(PRIMITIVES["mul"], x, 2)
    noted = [graph.apply(seen.append, each) for each in (x, graph.apply(PRIMITIVES["neg"], one), 7)]
    other = graph.apply(PRIMITIVES["add"], one, 1)
    noted.append(graph.apply(seen.append, other))
    graph.output = graph.apply(PRIMITIVES["depend"], other, *noted)
    extract_functions(graph, [("g", [one, noted[1].args[0]])])
    assert evaluate(graph, 3) == 7 and seen == [3, -6, 7, 7]


def test_what_nobody_needs_is_no_function():
    graph = FuncGraph("f")
    x = graph.parameter("x")
    unused = graph.apply(PRIMITIVES["neg"], graph.apply(PRIMITIVES["neg"], x))
    graph.output = graph.apply(PRIMITIVES["add"], x, 1)
    assert extract_functions(graph, [("g", [unused, unused.args[0]])]) == {}
    assert [each.name for each in verify(graph).graphs] == ["f"]
