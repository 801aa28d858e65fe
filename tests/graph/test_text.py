"""Text that reads back: random programs, every kind of constant, all details; and what is refused."""

from __future__ import annotations

import math
import re

import graph_programs
import numpy as np
import pytest
from graph_difference import difference
from graph_programs import P
from hypothesis import given, settings
from hypothesis import strategies as st

import anfora as ms
from anfora import GradOperation, Parameter, Tensor, ops
from anfora.core.abstract import TensorType
from anfora.core.op import Weak, registry
from anfora.core.span import Span
from anfora.graph.ir import FuncGraph, GraphError
from anfora.graph.ir.evaluate import evaluate
from anfora.graph.ir.primitives import U
from anfora.graph.ir.reading import read
from anfora.graph.ir.structure import Structure
from anfora.graph.ir.text import complete, readable
from anfora.graph.ir.values import same_value


def round_trip(graph: FuncGraph) -> FuncGraph:
    """Through text and back: an equal program with the same text."""
    objects: dict = {}
    text = complete(graph, objects)
    again = read(text, objects)
    assert difference(graph, again, complete=True) is None
    assert complete(again) == text
    assert difference(graph, read(readable(graph), objects)) is None
    return again


@pytest.mark.parametrize("make", graph_programs.ALL)
def test_programs(make):
    round_trip(make())


_names = st.none() | st.text(max_size=6) | st.sampled_from(
    ["x", "para1", "para2_x", "span", "Return", "call", "a b", "1", "1.5", "inf", "@f", "f~2", "%0", '"', "\\", "#", "✓✗f",
     "(x) ="]
)  # fmt: skip
_files = st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=8)  # no file has a NUL in its name
_lines = st.integers(1, 10**6)
_spans = st.none() | st.builds(Span, _files, _lines, st.text(max_size=8), _lines, st.none() | _lines, _lines)
_abstracts = st.recursive(
    st.none()
    | st.sampled_from([Weak(bool), Weak(int), Weak(float)])
    | st.builds(TensorType, st.sampled_from([ms.float32, ms.bool_, ms.bfloat16]), st.tuples() | st.tuples(_lines, _lines)),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=4,
)  # fmt: skip


@settings(deadline=None, max_examples=80)
@given(graph_programs.random_programs(), st.data())
def test_random_programs_with_all_details(program, data):
    graph, _ = program
    for owner, calls in Structure(graph).schedules.items():
        owner.name, owner.span = data.draw(st.text(max_size=4)), data.draw(_spans)
        for node in (*owner.parameters, *calls):
            if node is not owner.return_:
                node.name = data.draw(_names)
            node.abstract, node.span = data.draw(_abstracts), data.draw(_spans)
    round_trip(graph)


@settings(deadline=None, max_examples=80)
@given(graph_programs.random_programs(), st.integers(-20, 20), st.integers(-20, 20))
def test_the_program_read_means_the_same(program, a, b):
    graph, _ = program
    arguments = (a, b)[: len(graph.parameters)]
    assert evaluate(round_trip(graph), *arguments) == evaluate(graph, *arguments)


_scalars = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.complex_numbers() | st.text() | st.binary(max_size=9)
    | st.sampled_from([
        ..., NotImplemented, U, ms.float32, ms.bfloat16, int, set, frozenset({1, "a"}), slice(None), slice(1, -2, 3),
        range(2, 9, 3),
    ])
)  # fmt: skip


@settings(deadline=None)
@given(st.recursive(_scalars, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=6))
def test_constants(value):
    graph = FuncGraph("f")
    graph.output = value
    again = round_trip(graph).output.value
    assert same_value(again, value) and type(again) is type(value)


CONSTANTS = [
    10**5000, -(1 << 128), -0.0, math.nan, -math.nan, math.inf, "\ud800\u2028\n", (), (((),),), ops.relu, ops.matmul,
    ops.sum, ops.HyperMap(), ops.Map(), GradOperation(get_all=True), P["switch"],
    Tensor(3.0), Tensor(np.zeros((0, 3), np.int8)), Tensor([1.5, -2.0], ms.bfloat16),
    Tensor(np.array([np.nan, -0.0, np.inf, 1e-45], np.float32)), Tensor(np.arange(6).reshape(2, 3).T),
    Tensor([True, False]), frozenset(), frozenset([None, "a", "b", 1.5]), frozenset([(8, 0), frozenset([math.inf])]),
]  # fmt: skip


@pytest.mark.parametrize("value", CONSTANTS, ids=lambda value: type(value).__name__)
def test_more_constants(value):
    objects: dict = {}
    graph = FuncGraph("f")
    graph.output = value
    text = complete(graph, objects)
    assert not objects
    assert same_value(read(text).output.value, value)


@pytest.mark.parametrize("order", [(8, 0, 16), (7, 15, 23), (23, 15, 7), (0.5, 8, 1 << 64, -2), (True, 9, 17, 2 + 0j)])
def test_sets_of_numbers_are_walked_over_as_they_were(order):
    """Their order follows from what was put in first; not from the process, as that of texts does."""
    graph = FuncGraph("f")
    graph.output = frozenset(order)
    again = read(complete(graph, {})).output.value
    assert [*again] == [*frozenset(order)] and same_value(again, frozenset(order))
    assert not same_value(again, frozenset(order[1:]))


def test_operators_that_have_no_public_name():
    [*hidden] = [op for name, op in registry.items() if ops.methods.functions.get(name) is not op]
    assert hidden
    for op in hidden:
        graph = FuncGraph("f")
        graph.output = op
        assert read(complete(graph)).output.value is op


def test_tensors_are_compared_by_their_bits():
    assert not same_value(Tensor(0.0), Tensor(-0.0))
    assert not same_value(Tensor([1.0]), Tensor(1.0))
    assert not same_value(Tensor(1), Tensor(1.0))
    assert not same_value(1, True) and not same_value(0.0, -0.0)
    assert not same_value(GradOperation(), GradOperation(get_all=True))


def test_objects_are_kept_beside_the_text():
    weight, log = Parameter(Tensor([1.0, 2.0]), name="fc.weight"), []
    graph = FuncGraph("f")
    graph.output = graph.apply(P["make_tuple"], weight, log.append, weight)
    objects: dict = {}
    text = complete(graph, objects)
    assert (
        'make_tuple(object("fc.weight"), object("<built-in method append of list object>"), object("fc.weight"))'
        in text
    )
    assert list(objects.values()) == [weight, log.append] and objects["fc.weight"] is weight
    again = read(text, objects)
    assert again.output.args[0].value is again.output.args[2].value is weight


def test_objects_of_one_name_are_told_apart():
    ones = [Parameter(Tensor(float(i)), name="w") for i in range(3)]
    graph = FuncGraph("f")
    graph.output = graph.apply(P["make_tuple"], *ones)
    objects: dict = {}
    text = complete(graph, objects)
    assert list(objects) == ["w", "w~2", "w~3"]
    assert [node.value for node in read(text, objects).output.args] == ones


def test_what_is_not_given_to_the_reader_stays_a_name():
    graph = FuncGraph("f")
    graph.output = graph.apply(print, graph.apply(P["getattr"], len, "__name__"))
    text = complete(graph)
    again = read(text)
    assert complete(again) == text and difference(read(text), again, complete=True) is None
    assert repr(again.output.fn.value) == "<unresolved builtins.print>"
    part = read(text, {"builtins.print": str.upper})
    for run in (again, part, lambda: evaluate(part)):
        with pytest.raises((GraphError, AttributeError), match=r"builtins\.(print|len)|__name__"):
            run()
    assert read(text, {"builtins.print": str.upper, "builtins.len": len})() == "LEN"
    with pytest.raises(GraphError, match=r"'nobody' is an object of the program that wrote this graph") as error:
        read('subgraph @f() { %0 = object("nobody")(1) Return(%0) }')()
    assert "read(text, names={'nobody': …})" in str(error.value)


def test_spans_are_comments_for_readers():
    graph = FuncGraph("f")
    span = Span(__file__, 1, "f", 1, 3, 7)
    graph.output = graph.apply(P["neg"], graph.parameter("x"), abstract=TensorType(ms.float32, (2, 3)), span=span)
    lines = readable(graph).splitlines()
    assert "  %0 = neg(%para1_x) -> <Tensor[Float32], (2, 3)>" in lines
    assert "      : (<null>) -> (<Tensor[Float32], (2, 3)>)" in complete(graph)
    assert any(re.fullmatch(r' +# .*test_text\.py:1: """Text that .*', line) for line in lines)


def test_the_order_of_calls_is_kept():
    """Two calls that do not need each other: the one made first comes first, though the second is used first."""
    graph = FuncGraph("f")
    x = graph.parameter("x")
    first, second = graph.apply(P["neg"], x, name="first"), graph.apply(P["pos"], x, name="second")
    graph.output = graph.apply(P["sub"], second, first)
    again = round_trip(graph)
    assert [call.name for call in Structure(again).schedules[again]] == ["first", "second", None, None]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: there is no graph"),
        ("graph @f() { Return(1) }", "line 1: expected `subgraph`, but got `graph`"),
        ("subgraph @f() { Return(1)", "line 1: the graph @f has no end"),
        ("subgraph @f() {\n}", "line 2: the graph @f has no Return"),
        ("subgraph @f() { Return(1, 2) }", "Return takes one value, but got 2"),
        ("subgraph @f() { Return(1) Return(2) }", "a call stands behind the Return of @f"),
        ("subgraph @f() { Return(%0) }", "there is no %0 in @f"),
        ("subgraph @f() { Return(%para1_x) }", "there is no %para1_x in @f"),
        ("subgraph @f() { Return(@g) }", "there is no graph @g"),
        ("subgraph @f() { Return($(@g:para1)) }", "there is no para1 in @g"),
        ("subgraph @f() { Return(1) } subgraph @f() { Return(1) }", "the graph @f comes twice"),
        ("subgraph @f(%para1, %para1) { Return(1) }", "%para1 comes twice"),
        ("subgraph @f() { %0 = neg(1) %0 = neg(1) Return(%0) }", "%0 of @f comes twice"),
        ("subgraph @f() {\n  Return(unknown) }", "line 2: unknown value `unknown`"),
        ("subgraph @f() { Return(range(1, 2, 0)) }", "is no value: range"),
        ('subgraph @f() { Return(bytes("x")) }', "is no value"),
        (
            "subgraph @f() { Return(Tensor(shape=[2], dtype=Float32, value=[1, 2])) }",
            "elements of tensors are shortened",
        ),
        ('subgraph @f() { Return(Tensor(shape=[2], dtype=Float32, data="AAAA")) }', "this is no tensor: 3 bytes"),
        ("subgraph @f() { Return(Tensor(shape=[2])) }", "this is no tensor"),
        ("subgraph @f(%para1: <Tensr>) { Return(1) }", "unknown type `Tensr`"),
        ("subgraph @f() { Return(1) span(1, 2) }", "a span has a file"),
        ("subgraph @f() { Return(;) }", "unreadable: ';) }'"),
        ("subgraph @f() { Return(1 2) }", "expected `,`, but got `2`"),
        ("subgraph @f() { %0 neg(1) Return(1) }", "expected `%0 = …`"),
    ],
)
def test_refused_texts(text, message):
    with pytest.raises(GraphError, match=re.escape(message)):
        read(text)


def _changed(change) -> FuncGraph:
    graph = graph_programs.test_f()
    calls = Structure(graph).schedules[graph]
    change(graph, calls)
    return graph


@pytest.mark.parametrize(
    "change",
    [
        lambda graph, calls: graph.parameter("z"),
        lambda graph, calls: setattr(calls[0], "_inputs", (*calls[0].inputs[:2], graph.apply(1).fn.__class__(2))),
        lambda graph, calls: setattr(calls[0], "_inputs", calls[0].inputs[:2]),
        lambda graph, calls: setattr(calls[1], "_inputs", (calls[0].fn, *calls[1].args)),
        lambda graph, calls: setattr(calls[3], "_inputs", (calls[3].fn, calls[3].args[1], calls[3].args[0])),
        lambda graph, calls: setattr(graph, "output", calls[0]),
    ],
)
def test_differences_are_seen(change):
    assert difference(graph_programs.test_f(), _changed(change)) is not None


def test_names_are_compared_on_demand():
    other = _changed(lambda graph, calls: setattr(calls[0], "name", "other"))
    assert difference(graph_programs.test_f(), other) is None
    assert "other names" in difference(graph_programs.test_f(), other, complete=True)
