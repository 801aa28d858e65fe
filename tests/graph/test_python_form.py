"""Graphs that are called: as Python functions, compiled, differentiated, and edited in between."""

from __future__ import annotations

import re

import pytest

import anfora as ms
from anfora import Tensor, jit, ops
from anfora.graph.ir import PRIMITIVES, FuncGraph, GraphError
from anfora.graph.ir.evaluate import evaluate
from anfora.graph.ir.manager import Manager
from anfora.graph.ir.parser import parse
from anfora.graph.ir.python_form import python_function, python_text


def squares():
    """relu(x) * x, summed; its product can be edited."""
    graph = FuncGraph("squares")
    x = graph.parameter("x")
    product = graph.apply(PRIMITIVES["mul"], graph.apply(ops.relu, x, name="y"), x, name="z")
    graph.output = graph.apply(ops.reduce_sum, product)
    return graph, product


WAYS = {"called": lambda graph: graph, "compiled": jit, "evaluated": lambda graph: lambda *x: evaluate(graph, *x)}


@pytest.mark.parametrize("way", WAYS)
def test_a_graph_is_run(way):
    run = WAYS[way](squares()[0])
    for _ in range(4):
        assert run(Tensor([1.0, -2.0, 3.0])).item() == 10
    with pytest.raises(TypeError, match=re.escape("squares() takes 1 positional argument but 2 were given")):
        run(Tensor([1.0]), 2)


@pytest.mark.parametrize("take", [ms.grad, lambda g: jit(ms.grad(g)), lambda g: ms.grad(jit(g))])
def test_a_graph_has_a_gradient(take):
    assert take(squares()[0])(Tensor([1.0, -2.0, 3.0])).tolist() == [2, 0, 6]


@pytest.mark.parametrize("way", WAYS)
def test_an_edit_is_seen(way):
    graph, product = squares()
    run = WAYS[way](graph)
    assert [run(Tensor([1.0, -2.0, 3.0])).item() for _ in range(2)] == [10, 10]
    Manager(graph).set_input(product, 0, PRIMITIVES["add"])
    assert [run(Tensor([1.0, -2.0, 3.0])).item() for _ in range(2)] == [6, 6]


def test_an_edit_elsewhere_makes_nothing_anew():
    graph, _ = squares()
    before = python_function(graph)
    squares()
    assert python_function(graph) is before


def counted(n):
    total = 0
    while n > 0:
        total, n = total + n, n - 1
    return total


def is_even():
    """Two graphs that call each other."""
    even, odd = FuncGraph("even"), FuncGraph("odd")
    for graph, other, answer in ((even, odd, True), (odd, even, False)):
        n = graph.parameter("n")
        stop, go_on = FuncGraph("stop"), FuncGraph("go_on")
        stop.output = answer
        go_on.output = go_on.apply(other, go_on.apply(PRIMITIVES["sub"], n, 1))
        chosen = graph.apply(PRIMITIVES["switch"], graph.apply(PRIMITIVES["eq"], n, 0), stop, go_on)
        graph.output = graph.apply(chosen)
    return even


@pytest.mark.parametrize("way", WAYS)
def test_calls_in_the_last_place_need_no_stack(way):
    assert WAYS[way](parse(counted))(20_000) == 20_000 * 20_001 // 2
    run = WAYS[way](is_even())
    assert run(4_001) is False and run(5_000) is True


def test_each_closure_holds_its_own_values():
    def scaled():
        found = []
        for rate in (2, 3):
            found.append(lambda x, rate=rate: x * rate + len(found))
        return found

    graph = parse(scaled)
    assert [each(5) for each in graph()] == [each(5) for each in scaled()]


def test_an_error_stands_in_the_text_of_a_graph_without_lines():
    graph = FuncGraph("wrong")
    x = graph.parameter("x")
    graph.output = graph.apply(ops.matmul, x, x, name="p")
    texts = []
    for run in (graph, jit(graph)):
        with pytest.raises(ValueError) as error:
            run(Tensor([[1.0, 2.0]]))
        texts.append(str(error.value))
    assert texts[0] == texts[1]
    assert re.search(r"<graph wrong \d+>:2, in wrong\n +p = matmul\(x, x\)", texts[0])


def test_an_error_stands_at_the_line_of_the_program():
    def product(x):
        y = x + 1
        return ops.matmul(x, y)

    with pytest.raises(ValueError) as error:
        parse(product)(Tensor([[1.0, 2.0]]))
    assert re.search(r"test_python_form\.py:\d+, in .*product\n +return ops\.matmul\(x, y\)", str(error.value))


def test_the_text():
    assert python_text(squares()[0]) == (
        "def squares(x):\n    y = relu(x)\n    z = y * x\n    v = reduce_sum(z)\n    return v"
    )


def test_an_inner_graph_is_not_run_alone():
    outer, inner = FuncGraph("outer"), FuncGraph("inner")
    inner.output = inner.apply(PRIMITIVES["neg"], outer.parameter("x"))
    outer.output = outer.apply(inner)
    with pytest.raises(GraphError, match="takes values from outside"):
        inner()
