"""The gradient rules of every operator as graphs: what `ir.grad` writes gives the bits of the tape, in both orders; so does
the way back of a compiled call."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from row import MARKS, Row, S
from test_table import _cases, _flat_inputs

import anfora as ms
from anfora import Tensor, ir, ops
from anfora.core.tree import tensors
from anfora.graph.gradient import rules
from anfora.graph.ir import FuncGraph
from anfora.graph.ir.planned import planned_calls
from anfora.graph.passes.edges import function_of
from anfora.graph.record.recorder import Recorder


def recorded(function, inputs) -> FuncGraph | None:
    """The operators that a function calls, as a graph; None where it depends on more than types."""
    recorder = Recorder(None)
    for i, tensor in enumerate(inputs):
        recorder.take(tensor, recorder.origin("slot", i))
    try:
        with recorder.watching():
            results = function(*inputs)
            nodes = [recorder.value_of(result) for result in results]
    finally:
        recorder.collect_again()
    piece = recorder.piece
    if recorder.touched is not None or piece.draws or piece.numbers or not nodes:
        return None
    given = {node.origin.key: node for node in piece.inputs.values()}
    slots = [given.get(i) or piece.input(recorder.origin("slot", i), tensor._layout) for i, tensor in enumerate(inputs)]
    return function_of("f", piece.calls, slots, nodes)


def smooth(row: Row) -> S:
    """The first sample of which gradients are tested."""
    return next(sample for sample in row.samples if sample.smooth)


def bits(tensor: Any) -> tuple:
    if isinstance(tensor, tuple):
        return tuple(map(bits, tensor))
    array = tensor.asnumpy()
    return tensor.dtype, tensor.shape, np.where(np.isnan(array), np.inf, array).tobytes()


pytestmark = MARKS

FIRST = [case for case in _cases(lambda row: row.grad, smooth=True) if case.values[1] is smooth(case.values[0])]


@pytest.mark.parametrize("row, sample", FIRST)
def test_rules_are_those_of_the_tape(row, sample):
    arrays, function = _flat_inputs(row, sample)
    inputs = [Tensor(array) for array in arrays]
    graph = recorded(function, inputs) if arrays else None
    if graph is None:
        return
    positions = tuple(range(len(arrays)))
    first, wanted = ir.grad(graph, positions), ms.grad(function, positions)
    assert bits(first(*inputs)) == bits(wanted(*inputs))
    if row.second:
        assert bits(ir.grad(first, positions)(*inputs)) == bits(ms.grad(wanted, positions)(*inputs))


@pytest.mark.parametrize("row, sample", FIRST)
def test_way_back_of_a_compiled_call(row, sample):
    """A tape outside sees a block: its way back is gone row by row when it is written, and natively from then on."""
    arrays, function = _flat_inputs(row, sample)
    compiled = ms.jit(function)
    for count in range(3 if arrays else 0):
        found = []
        for f in (function, compiled):
            ms.set_seed(count)
            inputs = [Tensor(array) for array in arrays]
            for tensor in inputs:
                tensor.requires_grad = True
            results = [each for each in tensors(f(*inputs)) if each.requires_grad]
            if results:
                sum((each * (i + 2)).sum() for i, each in enumerate(results)).backward()
            found.append([None if tensor.grad is None else bits(tensor.grad) for tensor in inputs])
        assert found[0] == found[1], f"call {count}"


def test_a_rule_that_asks_for_the_value_of_a_number(monkeypatch):
    """There is none among our operators. It would be no graph, and a compiled call would be walked back node by node."""
    monkeypatch.setattr(
        rules, "_TYPES", frozenset()
    )  # what asks for the type of a number counts as if it asked for more
    rules._recorded.cache_clear()
    try:

        @ms.jit
        def scaled(x, n):
            return ops.pow(x, n) * n

        for n in (2.0, 3.0, 3.5):
            x = Tensor([1.5, 2.0]).requires_grad_()
            scaled(x, n).sum().backward()
            assert np.array_equal(x.grad.asnumpy(), ms.grad(lambda x, n=n: (ops.pow(x, n) * n).sum())(x).asnumpy())
        [call] = planned_calls(recorded(lambda x: [ops.pow(x, 2.0)], [Tensor([1.5])]))
        entry = call.entry
        with pytest.raises(ir.GraphError, match="depends on more than types: the value of a number"):
            rules.rule_of(entry, 1, (Tensor, float), entry.outputs)
    finally:
        rules._recorded.cache_clear()
