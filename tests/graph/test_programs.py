"""The programs of the IR's specification, and some more: their text, their let form, their results."""

from __future__ import annotations

import graph_programs
import pytest

import anfora as ms
from anfora import GradOperation, Tensor
from anfora.graph.ir import FuncGraph, Parameter, ValueNode
from anfora.graph.ir.evaluate import evaluate, function
from anfora.graph.ir.structure import Structure
from anfora.graph.ir.verify import verify

TEXTS = {
    "test_f": """\
# IR entry: @test_f
# Total subgraphs: 2
# Total number of cnodes: 7

subgraph @test_f(%para1_x, %para2_y) {
  %0(a) = sub(%para1_x, 1)
  %1(b) = add(%0, %para2_y)
  %2 = call @func(%0, %1)
  %3(c) = mul(%1, %2)
  Return(%3)
}

subgraph @func(%para3_x, %para4_y) {
  %0 = truediv(%para3_x, %para4_y)
  Return(%0)
}""",
    "hof": """\
# IR entry: @hof
# Total subgraphs: 3
# Total number of cnodes: 8

subgraph @hof(%para1_x) {
  %0(res) = call @g(@f, %para1_x)
  Return(%0)
}

subgraph @g(%para2_function, %para3_x) {
  %0 = %para2_function(%para3_x)
  %1 = %para2_function(%para3_x)
  %2 = mul(%0, %1)
  Return(%2)
}

subgraph @f(%para4_x) {
  %0 = add(%para4_x, 3)
  Return(%0)
}""",
    "fibonacci": """\
# IR entry: @fibonacci
# Total subgraphs: 5
# Total number of cnodes: 16

subgraph @fibonacci(%para1_n) {
  %0 = lt(%para1_n, 1)
  %1 = switch(%0, @✓fibonacci, @✗fibonacci)
  %2 = %1()
  Return(%2)
}

subgraph @✓fibonacci() {
  Return(0)
}

subgraph @✗fibonacci parent: [subgraph @fibonacci]() {
  %0 = eq($(@fibonacci:para1_n), 1)
  %1 = switch(%0, @✓✗fibonacci, @✗✗fibonacci)
  %2 = %1()
  Return(%2)
}

subgraph @✓✗fibonacci() {
  Return(1)
}

subgraph @✗✗fibonacci parent: [subgraph @fibonacci]() {
  %0 = sub($(@fibonacci:para1_n), 1)
  %1 = call @fibonacci(%0)
  %2 = sub($(@fibonacci:para1_n), 2)
  %3 = call @fibonacci(%2)
  %4 = add(%1, %3)
  Return(%4)
}""",
    "ms_closure": """\
# IR entry: @ms_closure
# Total subgraphs: 3
# Total number of cnodes: 9

subgraph @ms_closure() {
  %0(closure) = call @func_outer(1, 2)
  %1(out1) = %0(1)
  %2(out2) = %0(2)
  %3 = make_tuple(%1, %2)
  Return(%3)
}

subgraph @func_outer(%para1_a, %para2_b) {
  Return(@func_inner)
}

subgraph @func_inner parent: [subgraph @func_outer](%para3_c) {
  %0 = add($(@func_outer:para1_a), $(@func_outer:para2_b))
  %1 = add(%0, %para3_c)
  Return(%1)
}""",
}


@pytest.mark.parametrize("name", TEXTS)
def test_text(name):
    assert str(getattr(graph_programs, name)()) == TEXTS[name]


#: The let forms with their line breaks as blanks.
LET_FORMS = {
    # As the specification writes it.
    "test_f": "lambda (x, y) let a = x - 1 in let b = a + y in let func = lambda (x, y) let ret = x / y in ret end in "
    "let %1 = func(a, b) in let c = b * %1 in c end",
    "hof": "lambda (x) let g = lambda (function, x) let %1 = function(x) in let %2 = function(x) in let ret = %1 * %2 in "
    "ret end in let f = lambda (x) let ret = x + 3 in ret end in let res = g(f, x) in res end",
    "fibonacci": "letrec fibonacci = lambda (n) let %1 = n < 1 in let ✓fibonacci = lambda () 0 end in let ✗fibonacci = "
    "lambda () let %1 = n == 1 in let ✓✗fibonacci = lambda () 1 end in let ✗✗fibonacci = lambda () let %1 = n - 1 in "
    "let %2 = fibonacci(%1) in let %3 = n - 2 in let %4 = fibonacci(%3) in let ret = %2 + %4 in ret end in let %2 = "
    "switch(%1, ✓✗fibonacci, ✗✗fibonacci) in let ret = %2() in ret end in let %2 = switch(%1, ✓fibonacci, ✗fibonacci) "
    "in let ret = %2() in ret end in fibonacci end",
    "ms_closure": "lambda () let func_outer = lambda (a, b) let func_inner = lambda (c) let %1 = a + b in let ret = "
    "%1 + c in ret end in func_inner end in let closure = func_outer(1, 2) in let out1 = closure(1) in let out2 = "
    "closure(2) in let ret = make_tuple(out1, out2) in ret end",
    "loop": "lambda (n) letrec ↵total = lambda (s, i) let %1 = i < n in let ↻total = lambda () let %1 = s + i in let %2 = "
    "i + 1 in let ret = ↵total(%1, %2) in ret end in let ↓total = lambda () s end in let %2 = switch(%1, ↻total, "
    "↓total) in let ret = %2() in ret end in let ret = ↵total(0, 0) in ret end",
    "even_and_odd": "lambda (n, k) letrec even = lambda (m) let %1 = m == 0 in let stop = lambda () True end in let go = "
    "lambda () let %1 = m - k in let ret = odd(%1) in ret end in let %2 = switch(%1, stop, go) in let ret = %2() in ret "
    "end and odd = lambda (m) let %1 = m == 0 in let stop = lambda () False end in let go = lambda () let %1 = m - k in "
    "let ret = even(%1) in ret end in let %2 = switch(%1, stop, go) in let ret = %2() in ret end in let %1 = even(n) in "
    "let %2 = odd(n) in let ret = make_tuple(%1, %2) in ret end",
}


@pytest.mark.parametrize("name", LET_FORMS)
def test_let_form(name):
    assert " ".join(getattr(graph_programs, name)().anf().split()) == LET_FORMS[name]


def test_let_form_is_one_let_a_line():
    lines = graph_programs.test_f().anf().splitlines()
    assert lines[1:4] == ["    let a = x - 1 in", "    let b = a + y in", "    let func = lambda (x, y)"]
    assert all(line.count("let ") == 1 for line in lines if "let " in line)


def test_let_form_gives_other_names_where_one_would_hide_another():
    """def f(x):  x = x + 1;  def g(y): x = y * 2; return x - <the x of f>"""
    P = graph_programs.P
    graph = FuncGraph("f")
    x = graph.apply(P["add"], graph.parameter("x"), 1, name="x")
    inner = FuncGraph("g")
    inner.output = inner.apply(P["sub"], inner.apply(P["mul"], inner.parameter("y"), 2, name="x"), x)
    graph.output = graph.apply(inner, x)
    assert graph.anf().splitlines() == [
        "lambda (x)",
        "    let x_2 = x + 1 in",
        "    let g = lambda (y)",
        "        let x = y * 2 in",
        "        let ret = x - x_2 in",
        "        ret end in",
        "    let ret = g(x_2) in",
        "    ret end",
    ]


# -- results ----------------------------------------------------------------------------------------------------------


def test_test_f():
    graph = graph_programs.test_f()
    assert evaluate(graph, Tensor(3.0), Tensor(4.0)).item() == 6 * (2 / 6)
    schedule = Structure(graph).schedules[graph]
    assert [getattr(call.fn.value, "name", None) for call in schedule] == ["sub", "add", "func", "mul", "return"]


def test_hof():
    graph = graph_programs.hof()
    assert evaluate(graph, Tensor(2.0)).item() == 25
    assert ms.grad(function(graph))(Tensor(2.0)).item() == 10
    outer = FuncGraph("gradient")
    outer.output = outer.apply(outer.apply(GradOperation(), graph), outer.parameter("x"))
    assert evaluate(outer, Tensor(2.0)).item() == 10
    [call] = [call for call in Structure(graph).schedules[graph] if call.name == "res"]
    assert isinstance(call.args[0], ValueNode) and call.args[0].value.name == "f"
    g = call.fn.value
    assert all(isinstance(call.fn, Parameter) for call in Structure(graph).schedules[g][:2])


def test_fibonacci():
    run = function(graph_programs.fibonacci())
    expected = [0, 1, 1, 2, 3, 5, 8, 13]
    for make in (int, lambda n: Tensor(n, ms.int64)):
        values = [run(make(n)) for n in range(8)]
        assert values == expected
        assert all(type(value) is int for value in values)
    assert run(16) == 987


def test_fibonacci_of_twenty():
    assert evaluate(graph_programs.fibonacci(), 20) == 6765


def test_closures():
    graph = graph_programs.ms_closure()
    assert evaluate(graph) == (4, 5)
    structure = Structure(graph)
    outer, inner = structure.graphs[1:]
    assert structure.parent(inner) is outer
    assert tuple(structure.free[inner]) == outer.parameters
    closure = evaluate(graph_programs.func_outer(), 1, 2)
    assert (closure(1), closure(2)) == (4, 5)


def test_a_loop_needs_no_depth():
    assert evaluate(graph_programs.loop(), 5000) == sum(range(5000))


@pytest.mark.parametrize("n", (0, 3, 10))
def test_functions_that_call_each_other(n):
    assert evaluate(graph_programs.even_and_odd(), n, 1) == (n % 2 == 0, n % 2 == 1)


@pytest.mark.parametrize("make", graph_programs.ALL)
def test_well_formed(make):
    verify(make())
