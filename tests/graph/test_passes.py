"""The list of passes: what each does to the graph of a piece, and that no bit, gradient or effect changes."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from outcomes import bits

import anfora as ms
from anfora import Tensor, ir, jit, nn, ops
from anfora.core.errors import OpTypeError
from anfora.graph.ir.planned import planned_calls


def normal(*shape, seed=0):
    return Tensor(np.random.default_rng(seed).standard_normal(shape).astype(np.float32))


@contextlib.contextmanager
def registered(*passes: Callable) -> Iterator[None]:
    for each in passes:
        ir.register_pass(each)
    try:
        yield
    finally:
        for each in passes:
            del ir.PASSES[each.__name__]


def operators(compiled) -> list[str]:
    """What is run of the first piece, behind all passes."""
    [point] = compiled.program.entries.values()
    segment, _ = point.variants[0].runner.segment()
    return [call.entry.op.name for call in planned_calls(segment.graph)]


def same(function, *inputs, times=3):
    """Run a function compiled, often enough that what was lowered runs, and compare each call with PyNative mode."""
    compiled = jit(function)
    for _ in range(times):
        given = [Tensor(x.asnumpy().copy()) for x in inputs]
        others = [Tensor(x.asnumpy().copy()) for x in inputs]
        assert bits(compiled(*given)) == bits(function(*others))
        assert bits(given) == bits(others)
    return compiled


# -- the passes of this library ---------------------------------------------------------------------------------------


def test_the_same_call_is_done_once():
    compiled = same(lambda x: ops.exp(x) * ops.exp(x) + ops.exp(x).sum() * ops.exp(x).sum(), normal(3, 4))
    assert operators(compiled) == ["exp", "mul", "reduce_sum", "mul", "add"]


def test_equal_calls_stay_apart_where_somebody_can_tell():
    def both(x):
        return ops.exp(x), ops.exp(x)

    compiled = jit(both)
    for _ in range(3):
        one, other = compiled(normal(3))
        one.add_(1)
        np.testing.assert_array_equal(one.asnumpy(), other.asnumpy() + 1)

    def written(x):
        first = ops.exp(x)
        x.add_(1)
        second = ops.exp(x)
        kept = ops.sin(first)
        again = ops.sin(first)
        again.mul_(2)
        return first * second + kept * again

    same(written, normal(3))
    same(lambda x: (ops.clamp(x, 0.0), ops.clamp(x, -0.0)), normal(3) * 0)
    same(lambda x: (x + 1) / (x + 1.0) / (x + True), normal(3))


def test_what_is_known_is_computed_once():
    table = Tensor([4.0, 9.0, 16.0])
    compiled = same(lambda x: ops.sqrt(Tensor([4.0, 9.0, 16.0])) * x, table)
    assert operators(compiled) == ["mul"]
    same(lambda x: ops.split(Tensor([4.0, 9.0]), 1)[1] * x + Tensor([1.0, 2.0]).max(), normal(3))

    def changed(x):
        root = ops.sqrt(Tensor([4.0, 9.0, 16.0]))
        root.add_(x)
        return root

    same(changed, table)

    def known_and_changed(x):
        table = Tensor([4.0, 9.0, 16.0])
        before = ops.sqrt(table)
        table.add_(x)
        return before + ops.sqrt(table)

    same(known_and_changed, table)


def test_what_comes_in_may_share_memory():
    def program(x, y):
        before = ops.exp(x)
        y.add_(1)
        return before * ops.exp(x)

    compiled = jit(program)
    for _ in range(4):
        shared, other = normal(3), normal(3)
        assert bits(compiled(shared, shared)) == bits(program(other, other))
        same_memory, as_well = normal(4), normal(4)
        assert bits(compiled(same_memory[1:], same_memory[:3])) == bits(program(as_well[1:], as_well[:3]))


def test_passes_can_be_left_out():
    def program(x):
        return ops.exp(x) * ops.exp(x) + ops.sqrt(Tensor([4.0, 9.0]))

    x = normal(2)
    whole = jit(program)
    wanted = [bits(whole(x)) for _ in range(3)]
    for names in ((), *((name,) for name in (*ir.PASSES, *ir.LOWERING))):
        with ir.without_passes(*names):
            assert [bits(jit(program)(x)) for _ in range(3)] == wanted
            assert [bits(same(program, x)(x)) for _ in range(3)] == wanted
    with ir.without_passes():
        assert operators(same(program, x)) == ["exp", "exp", "mul", "sqrt", "add"]
    with pytest.raises(ir.GraphError, match="no pass 'merge'"), ir.without_passes("merge"):
        pass


def layers(x):
    for _ in range(4):
        x = ops.softmax(ops.exp(x @ x) * 0.01 + x, -1)
    return x


def rounds(x):
    for _ in range(2000):
        x = ops.tanh(x * 1.01 + 0.1)
    return x


def branches(x):
    n, count = x.sum().astype(ms.int32) * 0 + 97, 0
    while count < 3000:
        n, count = (n // 2 if n % 2 == 0 else 3 * n + 1), count + 1
    return n


@pytest.mark.parametrize(
    ("name", "program", "told"),
    [
        ("fuse_loops", layers, r"20 loops → \d+ in @layers"),
        ("share_memory", layers, r"[\d,]+ bytes → \d+ in @layers"),
        ("native_loops", rounds, "goes round natively in @rounds"),
        ("native_control", branches, r"an automaton of \d+ states in @branches"),
    ],
)
def test_a_decision_of_lowering_is_told_and_can_be_left_out(name, program, told, monkeypatch, caplog):
    x = normal(3, 3)
    wanted = bits(program(x))
    monkeypatch.setenv("ANFORA_LOG", "passes")
    compiled = jit(program)
    assert [bits(compiled(x)) for _ in range(3)] == [wanted] * 3
    with_it = re.findall(f"pass {name}: {told}", caplog.text)
    assert with_it, caplog.text
    caplog.clear()
    with ir.without_passes(name):
        compiled = jit(program)
        assert [bits(compiled(x)) for _ in range(3)] == [wanted] * 3
    assert re.findall(f"pass {name}: {told}", caplog.text) != with_it


# -- own ones ---------------------------------------------------------------------------------------------------------


def double_negation(graph):
    edits = ir.Manager(graph)
    for call in ir.calls_of(graph, ops.neg):
        if ir.is_call(call.args[0], ops.neg):
            edits.replace(call, call.args[0].args[0])


def double_by_a_sum(graph):
    edits = ir.Manager(graph)
    for call in ir.calls_of(graph, ops.mul):
        if isinstance(call.args[1], ir.ValueNode) and call.args[1].value == 2:
            edits.replace(call, graph.apply(ops.add, call.args[0], call.args[0]))


def through_text(graph):
    """Each call is planned anew."""
    names: dict = {}
    return ir.read(ir.complete(graph, names), names)


def test_a_pass_of_ones_own_changes_what_runs():
    with registered(double_negation, double_by_a_sum):
        assert operators(same(lambda x: ops.exp(ops.neg(-x)) * 2, normal(4))) == ["exp", "add"]


def test_what_a_pass_gives_has_memory_of_its_own():
    with registered(double_negation):
        twice = jit(lambda x: ops.neg(-x))
        for _ in range(3):
            x = normal(2, 3)
            y = twice(x)
            y.add_(1)
            np.testing.assert_array_equal(y.asnumpy(), x.asnumpy() + 1)
            turned = twice(normal(3, 2).T)
            assert turned.is_contiguous() and bits(turned) == bits(normal(3, 2).T.copy())
        pair = jit(lambda x: (ops.neg(-ops.exp(x)), ops.exp(x)))
        for _ in range(3):
            one, other = pair(normal(3))
            one.add_(1)
            np.testing.assert_array_equal(one.asnumpy(), other.asnumpy() + 1)


def test_a_pass_is_left_out_where_memory_is_written_behind_it():
    def program(x):
        before = ops.neg(-x)
        x.add_(1)
        return before * 1.5

    def inside(x):
        total = x * 1
        kept = ops.neg(-total)
        total.add_(x)
        return kept + total

    with registered(double_negation):
        assert operators(same(program, normal(3))).count("neg") == 2
        assert operators(same(inside, normal(3))).count("neg") == 2


def test_gradients_are_those_of_the_program():
    def loss(x):
        return (ops.exp(ops.neg(-x)) * 2 + ops.exp(x)).sum()

    x = normal(5)
    wanted = bits(ms.grad(loss)(x))
    with registered(double_negation, double_by_a_sum, through_text):
        inner, outer = jit(ms.grad(loss)), ms.grad(jit(loss))
        for _ in range(3):
            assert bits(inner(x)) == bits(outer(x)) == wanted


PROGRAMS = {
    "reductions": lambda x: x.sum(1) + x.max(1)[0] if isinstance(x.max(1), tuple) else x.sum(1) + x.max(1),
    "several results": lambda x: ops.split(x, 2, 1)[1] * 2 + ops.topk(x, 2)[0].sum(),
    "sequences": lambda x: ops.concat([x, x * 2, x], 1).sum(0),
    "views": lambda x: x[1:, ::2].T @ x[1:] + x.T[0, 1],
    "types": lambda x: (x > 0).astype(ms.int32).cumsum(0) + x.astype(ms.float16),
    "numbers": lambda x: ops.where(x > 0, x, 2.5).clip(None, 0.3) - 1 + True,
    "absent operands": lambda x: ops.layer_norm(x, (6,)) + ops.softmax(x, -1),
    "known tensors": lambda x: x * Tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
    "indices": lambda x: x[Tensor([2, 0]), 1:] + ops.gather(x, Tensor([1, 3]), 1)[:2, :1],
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_calls_are_planned_anew_to_the_same_bits(program):
    with registered(through_text):
        same(program, normal(4, 6))


def test_a_network_is_planned_anew_to_the_same_bits():
    net = nn.SequentialCell(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Dense(4 * 36, 3))
    x = normal(2, 1, 6, 6)
    wanted = bits(net(x))
    with registered(through_text):
        compiled = jit(net)
        assert [bits(compiled(x)) for _ in range(3)] == [wanted] * 3


def wrong_type(graph):
    edits = ir.Manager(graph)
    for call in ir.calls_of(graph, ops.neg):
        edits.replace(call, graph.apply(ops.equal, call.args[0], 0))


def no_operator(graph):
    ir.Manager(graph).replace(ir.calls_of(graph, ops.neg)[0], graph.apply(abs, graph.parameters[0]))


def wrong_operands(graph):
    edits = ir.Manager(graph)
    edits.replace(ir.calls_of(graph, ops.neg)[0], graph.apply(ops.matmul, graph.parameters[0], Tensor([[1.0]])))


def more_parameters(graph):
    graph.parameter("y")


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (wrong_type, "the pass 'wrong_type' has changed the types"),
        (no_operator, "the pass 'no_operator' has made .*none of an operator"),
        (wrong_operands, "the pass 'wrong_operands' has made .*do not fit"),
        (more_parameters, "the pass 'more_parameters' has changed the parameters"),
    ],
)
def test_what_no_pass_may_do_is_an_error_that_names_it(wrong, told):
    compiled = jit(lambda x: -ops.exp(x))
    with registered(wrong), pytest.raises(ir.GraphError, match=told):
        for _ in range(3):
            compiled(normal(3))
    assert bits(compiled(normal(3))) == bits(-ops.exp(normal(3)))


def test_a_pass_is_a_function():
    with pytest.raises(OpTypeError, match="a pass is a function of a graph, and not a int"):
        ir.register_pass(3)


def test_what_passes_leave_is_told(monkeypatch, caplog):
    monkeypatch.setenv("ANFORA_LOG", "recompiles,passes")
    same(lambda x: ops.exp(x) + ops.exp(x), normal(3))
    assert "pass merge_same_calls: 3 calls → 2" in caplog.text


def test_a_pass_of_the_library_is_not_replaced():
    for name in (*ir.PASSES, *ir.LOWERING):
        with pytest.raises(ir.GraphError, match=f"a pass of this library is called '{name}'"):
            ir.register_pass(double_negation, name=name)


def test_an_error_in_a_pass_names_it():
    def asks_a_parameter(graph):
        return graph.parameters[0].calls

    told = pytest.raises(ir.GraphError, match="the pass 'asks_a_parameter' has raised AttributeError")
    with registered(asks_a_parameter), told:
        same(lambda x: ops.exp(x) + 1, normal(2))


def test_a_pass_that_joins_the_list_is_checked_until_it_is_trusted(monkeypatch):
    """What the docs show hands an argument on as a result, which has memory of its own."""
    monkeypatch.setitem(ir.PASSES, "cancel_negations", double_negation)
    compiled = jit(lambda x: ops.neg(-x))
    for _ in range(4):
        x = normal(3)
        before = bits(x)
        compiled(x).add_(1)
        assert bits(x) == before
    assert operators(compiled) == ["copy"]


def test_words_of_the_log_that_are_none_are_told(monkeypatch, caplog):
    monkeypatch.setenv("ANFORA_LOG", "passes,zzz")
    for _ in range(2):
        same(lambda x: ops.exp(x) + 1, normal(2))
    assert caplog.text.count("ANFORA_LOG names 'zzz'; there are passes, recompiles") == 1
