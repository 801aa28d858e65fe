"""Operators for tests: what a Python function does on tensors in PyNative mode, call by call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import anfora
from anfora import bfloat16
from anfora.core import memory
from anfora.core.abstract import Layout
from anfora.core.errors import AnforaError
from anfora.core.span import calling_frame, frame_position
from anfora.core.tensor import Tensor, bfloat16_to_numpy, wrap
from anfora.eager import dispatch
from anfora.eager.entry import Entry
from anfora.graph.ir.nodes import AnfNode, Graph, ValueNode
from anfora.graph.ir.planned import OperatorCall
from anfora.graph.lower.lower import Segment
from anfora.graph.passes.edges import function_of
from anfora.kernel import glue

__all__ = ["Recording", "as_tensor", "bits", "check"]


class Recording:
    """The operators of one run of a function, the error it ended with, and what it gave."""

    def __init__(self, function: Callable, tensors: Sequence[Tensor]) -> None:
        self.graph = Graph("recorded")
        self.calls: list[OperatorCall] = []
        self.constants: dict[AnfNode, np.ndarray] = {}
        self.error: AnforaError | None = None
        self.results: list[Tensor] = []
        self._kept: list[Tensor] = []  # so that no id is used twice
        self._values: dict[int, AnfNode] = {}
        self._run = dispatch.run
        self.layouts = [x._layout for x in tensors]
        for x in tensors:
            self._new(x, self.graph.parameter())
        python_path = glue.state[1]
        dispatch.run, glue.state[1] = self._record, 1
        try:
            with anfora.no_grad():
                results = function(*tensors)
            self.results = list(results) if isinstance(results, (tuple, list)) else [results]
        except AnforaError as error:
            self.error = error
        finally:
            dispatch.run, glue.state[1] = self._run, python_path
        self.outputs = [self._value(x) for x in self.results]

    def segment(self) -> Segment:
        return Segment(function_of("recorded", self.calls, self.graph.parameters, self.outputs), self.layouts)

    def _new(self, x: Tensor, node: AnfNode) -> AnfNode:
        self._kept.append(x)
        self._values[id(x)] = node
        return node

    def _value(self, x: Tensor) -> AnfNode:
        known = self._values.get(id(x))
        if known is not None:
            return known
        for other in self._kept:
            if other._array is x._array:
                return self._values[id(other)]
        twin = memory.twin(x._array)
        value = self._new(x, ValueNode(wrap(twin, x._layout)))
        self.constants[value] = twin
        return value

    def _record(self, entry: Entry, flat: list) -> Any:
        operands = tuple(self._value(x) if isinstance(x, Tensor) else ValueNode(x) for x in flat)
        call = OperatorCall(self.graph, entry, operands, frame_position(calling_frame(2)))
        self.calls.append(call)
        result = self._run(entry, flat)
        for tensor, node in zip(result if entry.is_tuple else (result,), call.results):
            self._new(tensor, node)
        return result


def as_tensor(array: np.ndarray, layout: Layout) -> Tensor:
    """A tensor on a copy of an array, with its strides."""
    return wrap(memory.twin(array), layout)


def bits(array: np.ndarray) -> np.ndarray:
    """An array as integers: NaN is equal to itself, and zeros have signs."""
    return np.ascontiguousarray(array).reshape(array.shape).view(f"u{array.itemsize}")


def _without_nan(array: np.ndarray, is_bfloat16: bool) -> np.ndarray:
    """An array with one NaN for all."""
    array = bfloat16_to_numpy(array) if is_bfloat16 else array
    return np.where(np.isnan(array), np.array(np.nan, array.dtype), array) if array.dtype.kind == "f" else array


def check(function: Callable, *tensors: Tensor, fails: bool = False, any_nan: bool = False) -> Segment:
    """Run a function in PyNative mode and as a segment, and compare results, effects on the inputs, and the error that
    it ends with if it `fails`. `any_nan`: a NaN may have any sign and payload; when two different ones meet, LLVM is free
    to choose, and does not choose alike in all loops around one body."""
    eager = [as_tensor(x._array, x._layout) for x in tensors]
    recorded = Recording(function, eager)
    assert fails == (recorded.error is not None), recorded.error
    segment = recorded.segment()
    constants = {value: array.copy() for value, array in recorded.constants.items()}
    for _ in range(2):
        arrays = [as_tensor(x._array, x._layout)._array for x in tensors]
        if recorded.error is not None:
            try:
                segment.run(arrays)
            except AnforaError as error:
                assert type(error) is type(recorded.error) and str(error) == str(recorded.error), str(error)
                assert segment.calls[error.index].recorded is recorded.calls[-1]  # type: ignore[attr-defined]
            else:
                raise AssertionError(f"no error, but PyNative mode raises {recorded.error}")
        else:
            results = segment.run(arrays)
            assert len(results) == len(recorded.results)
            for got, want in zip(results, recorded.results):
                assert got.dtype == want._array.dtype and got.shape == want.shape and got.flags.writeable
                if any_nan:
                    got, expected = (_without_nan(x, want.dtype is bfloat16) for x in (got, want._array))
                    np.testing.assert_array_equal(bits(got), bits(expected))
                    continue
                np.testing.assert_array_equal(bits(got), bits(want._array))
                if want.size:
                    assert Layout(want._layout.type, got.strides) is want._layout
        for got, tensor in zip(arrays, eager):
            np.testing.assert_array_equal(bits(got), bits(tensor._array))
        for value, array in recorded.constants.items():
            np.testing.assert_array_equal(bits(array), bits(constants[value]))
    return segment
