"""The evaluator beside plain Python: random programs, effects in order, tensors, errors at their lines."""

from __future__ import annotations

import functools
import re
import sys

import graph_programs
import numpy as np
import pytest
from graph_programs import P
from hypothesis import given, settings
from hypothesis import strategies as st

import anfora as ms
from anfora import Tensor, ops
from anfora.core.errors import OpTypeError
from anfora.core.span import Span
from anfora.graph.ir import FuncGraph, GraphError
from anfora.graph.ir.evaluate import evaluate, function
from anfora.graph.ir.primitives import U
from anfora.graph.ir.verify import verify


@settings(deadline=None, max_examples=200)
@given(graph_programs.random_programs(), st.integers(-20, 20), st.integers(-20, 20))
def test_random_programs(program, a, b):
    graph, source = program
    verify(graph)
    names: dict = {}
    exec(source, names)
    arguments = (a, b)[: len(graph.parameters)]
    got, expected = evaluate(graph, *arguments), names[graph.name](*arguments)
    assert got == expected
    assert list(map(type, got)) == list(map(type, expected))
    assert graph.anf() and graph.dot()  # any program can be shown


def one_call(name: str, *arguments) -> object:
    graph = FuncGraph("f")
    graph.output = graph.apply(P[name], *(graph.parameter() for _ in arguments))
    verify(graph)
    return evaluate(graph, *arguments)


#: What Python itself says.
@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("add", (2, 3), 5), ("sub", (2, 3), -1), ("mul", (2, 3), 6), ("truediv", (1, 4), 0.25), ("floordiv", (-7, 2), -4),
        ("mod", (-7, 3), 2), ("pow", (3, 50), 717897987691852588770249), ("lshift", (1, 70), 1180591620717411303424),
        ("rshift", (-5, 1), -3), ("bitand", (6, 3), 2), ("bitor", (6, 3), 7), ("bitxor", (6, 3), 5), ("eq", (1, 1.0), True),
        ("ne", ("a", "b"), True), ("lt", (1, 2), True), ("le", (2, 2), True), ("gt", (1, 2), False), ("ge", (1, 2), False),
        ("is", (None, None), True), ("is_not", (None, 1), True), ("in", (1, (1, 2)), True), ("not_in", (1, (1, 2)), False),
        ("neg", (3,), -3), ("pos", (True,), 1), ("invert", (5,), -6), ("not", ((),), True), ("getitem", ("abc", 1), "b"),
        ("getattr", (1 + 2j, "imag"), 2.0), ("make_tuple", (), ()), ("make_tuple", (1, 2), (1, 2)),
        ("make_list", (1,), [1]),
        ("make_dict", (("a", "b"), 1, 2), {"a": 1, "b": 2}), ("make_slice", (1, None, 2), slice(1, None, 2)),
        ("depend", (1, 2), 1), ("switch", ([], 1, 2), 2), ("load", (7, U), 7),
    ],
)  # fmt: skip
def test_primitives(name, arguments, expected):
    got = one_call(name, *arguments)
    assert got == expected and type(got) is type(expected)


def test_matrix_product():
    a, b = np.arange(6.0, dtype=np.float32).reshape(2, 3), np.ones((3, 2), np.float32)
    np.testing.assert_array_equal(one_call("matmul", Tensor(a), Tensor(b)).asnumpy(), a @ b)


def test_operators_run_as_in_pynative_mode():
    graph = FuncGraph("layer")
    x, w = graph.parameter("x"), graph.parameter("w")
    graph.output = graph.apply(ops.sum, graph.apply(ops.relu, graph.apply(ops.matmul, x, w)), 1)
    verify(graph)
    generator = np.random.default_rng(0)
    x_, w_ = (Tensor(generator.normal(size=shape).astype(np.float32)) for shape in ((4, 5), (5, 3)))
    expected = ops.sum(ops.relu(ops.matmul(x_, w_)), 1)
    np.testing.assert_array_equal(evaluate(graph, x_, w_).asnumpy(), expected.asnumpy())
    got = ms.grad(function(graph), (0, 1))(x_, w_)
    wanted = ms.grad(lambda x, w: ops.sum(ops.relu(ops.matmul(x, w)), 1), (0, 1))(x_, w_)
    for g, w in zip(got, wanted):
        np.testing.assert_array_equal(g.asnumpy(), w.asnumpy())


def test_maps_over_containers_call_graphs():
    graph = FuncGraph("f")
    double = FuncGraph("double")
    double.output = double.apply(P["mul"], double.parameter("x"), graph.parameter("k"))
    graph.output = graph.apply(ops.HyperMap(), double, graph.parameter("items"))
    assert evaluate(graph, 3, (1, (2, 3))) == (3, (6, 9))


def test_a_closure_holds_values():
    """A node that only a closure needs is computed when the closure is made, before what follows."""
    log: list = []
    graph = FuncGraph("f")
    held = graph.apply(lambda: log.append("held") or 1, name="held")
    inner = FuncGraph("g")
    inner.output = inner.apply(P["add"], held, 1)
    pair = graph.apply(P["make_tuple"], inner, graph.apply(lambda: log.append("after")))
    graph.output = graph.apply(P["getitem"], pair, 0)
    closure = evaluate(graph)
    assert log == ["held", "after"]
    assert closure() == closure() == 2
    assert log == ["held", "after"]


def test_effects_follow_their_states():
    """Made in the wrong order; the states put them right, and no function sees a state."""
    log: list = []
    graph = FuncGraph("f")
    later = graph.apply(log.append, "second", U, name="later")
    first = graph.apply(P["update_state"], U, graph.apply(log.append, "first", U))
    later._inputs = (*later.inputs[:2], first)
    graph.output = graph.apply(P["depend"], 7, graph.apply(P["update_state"], first, later))
    verify(graph)
    assert evaluate(graph) == 7
    assert log == ["first", "second"]


def test_a_state_that_partial_binds_is_no_argument():
    log: list = []
    graph = FuncGraph("f")
    graph.output = graph.apply(graph.apply(P["partial"], log.append, "x"), U)
    assert evaluate(graph) is None
    assert log == ["x"]


def test_what_is_loaded_does_not_change():
    graph = FuncGraph("f")
    x = graph.parameter("x")
    before = graph.apply(P["load"], x, U)
    write = graph.apply(P["setitem"], x, 0, 9.0, graph.apply(P["update_state"], U, before))
    graph.output = graph.apply(P["make_tuple"], before, graph.apply(P["depend"], x, write))
    verify(graph)
    old, new = evaluate(graph, Tensor([1.0, 2.0]))
    assert (old.tolist(), new.tolist()) == ([1.0, 2.0], [9.0, 2.0])


def test_partial_of_partial():
    graph = FuncGraph("f")
    inner = FuncGraph("g")
    a, b, c = (inner.parameter(name) for name in "abc")
    inner.output = inner.apply(P["make_tuple"], a, b, c)
    graph.output = graph.apply(P["partial"], graph.apply(P["partial"], inner, 1), 2)
    bound = evaluate(graph)
    assert isinstance(bound, functools.partial) and bound(3) == (1, 2, 3)


def test_recursion_without_end_is_pythons_error():
    graph = FuncGraph("f")
    graph.output = graph.apply(P["add"], graph.apply(graph, graph.parameter("x")), 1)
    with pytest.raises(RecursionError):
        evaluate(graph, 1)


def test_recursion_as_deep_as_pythons():
    graph = FuncGraph("f")
    n = graph.parameter("n")
    stop, more = FuncGraph("stop"), FuncGraph("more")
    stop.output = 0
    more.output = more.apply(P["add"], more.apply(graph, more.apply(P["sub"], n, 1)), 1)
    graph.output = graph.apply(graph.apply(P["switch"], n, more, stop))
    depth = sys.getrecursionlimit() - 10
    assert evaluate(graph, depth) == depth


def test_exceptions_fly():
    with pytest.raises(ZeroDivisionError):
        one_call("truediv", 1, 0)
    with pytest.raises(IndexError):
        one_call("getitem", (1,), 3)


@pytest.mark.parametrize("given", [(), (1, 2)])
def test_the_number_of_arguments(given):
    graph = FuncGraph("f")
    graph.output = graph.parameter("x")
    with pytest.raises(TypeError, match=re.escape(f"f() takes 1 positional argument but {len(given)} were given")):
        evaluate(graph, *given)


def test_a_closure_is_not_run_without_its_values():
    inner = evaluate(graph_programs.func_outer(), 1, 2).graph
    with pytest.raises(GraphError, match="@func_inner takes values from outside: <parameter %a in @func_outer>"):
        function(inner)


def test_an_error_names_the_line_of_the_program(tmp_path):
    file = tmp_path / "net.py"
    file.write_text("def f(x):\n    return bitwise_not(x)\n")
    graph = FuncGraph("f")
    span = Span(str(file), 2, "f", 2, 11, 25)
    graph.output = graph.apply(ops.bitwise_not, graph.parameter("x"), span=span)
    with pytest.raises(OpTypeError) as caught:
        evaluate(graph, Tensor(1.5))
    text = str(caught.value)
    assert text.splitlines()[1:] == [f"  {file}:2, in f", "      return bitwise_not(x)", "                         ^"]
