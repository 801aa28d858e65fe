"""The gradient rules of every operator as graphs: what `ir.grad` writes gives the bits of the tape, in both orders."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from row import Row, S
from test_table import _cases, _flat_inputs

import anfora as ms
from anfora import Tensor, ir
from anfora.graph.ir import FuncGraph
from anfora.graph.ir.planned import planned_calls
from anfora.graph.passes.edges import function_of
from anfora.graph.record.recorder import Recorder


def recorded(function, tensors) -> FuncGraph | None:
    """The operators that a function calls, as a graph; None where it depends on more than types."""
    recorder = Recorder(None)
    for i, tensor in enumerate(tensors):
        recorder.take(tensor, recorder.origin("slot", i))
    try:
        with recorder.watching():
            results = function(*tensors)
            nodes = [recorder.value_of(result) for result in results]
    finally:
        recorder.collect_again()
    piece = recorder.piece
    if recorder.touched is not None or piece.draws or piece.numbers or not nodes:
        return None
    given = {origin.key: node for node, (origin, _) in piece.inputs.items()}
    inputs = [given.get(i) or piece.parameter(tensor._layout.type) for i, tensor in enumerate(tensors)]
    return function_of("f", piece.rows, inputs, nodes)


def smooth(row: Row) -> S:
    """The first sample of which gradients are tested."""
    return next(sample for sample in row.samples if sample.smooth)


def bits(tensor: Any) -> tuple:
    if isinstance(tensor, tuple):
        return tuple(map(bits, tensor))
    array = tensor.asnumpy()
    return tensor.dtype, tensor.shape, np.where(np.isnan(array), np.inf, array).tobytes()


#: Rows of losses also try shapes that are hardly meant.
pytestmark = pytest.mark.filterwarnings("ignore:a loss of outputs:anfora.AnforaWarning")

FIRST = [case for case in _cases(lambda row: row.grad, smooth=True) if case.values[1] is smooth(case.values[0])]


@pytest.mark.parametrize("row, sample", FIRST)
def test_rules_are_those_of_the_tape(row, sample):
    arrays, function = _flat_inputs(row, sample)
    tensors = [Tensor(array) for array in arrays]
    graph = recorded(function, tensors) if arrays else None
    if graph is None:
        return
    positions = tuple(range(len(arrays)))
    if any(call.entry.op.writes for call in planned_calls(graph)):
        with pytest.raises(ir.GraphError, match="written in place"):
            ir.grad(graph, positions)
        return
    first, wanted = ir.grad(graph, positions), ms.grad(function, positions)
    assert bits(first(*tensors)) == bits(wanted(*tensors))
    if row.second:
        assert bits(ir.grad(first, positions)(*tensors)) == bits(ms.grad(wanted, positions)(*tensors))
