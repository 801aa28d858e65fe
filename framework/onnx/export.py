"""Networks as files of ONNX."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from anfora.core.cell import Cell
from anfora.core.errors import AnforaWarning, OpTypeError, OpValueError
from anfora.core.tensor import Tensor, current
from anfora.graph.tell.watched import FallbackError
from anfora.graph_files import graph_of, names_of_inputs
from anfora.onnx.library import library
from anfora.onnx.program import Length, Program, merged, program_of
from anfora.onnx.table import code_of
from anfora.onnx.writer import Value, Writer

__all__ = ["LEAST", "export"]

LEAST = 17  #: the oldest version of ONNX's operators that is written
_LIMIT = (
    1_900_000_000  #: bytes of weights in a file; larger ones stand in a file next to it, since protobuf ends at 2 GiB
)


def export(
    net: Cell | Callable,
    inputs: tuple,
    file: Path,
    *,
    opset_version: int = 21,
    dynamic_axes: Mapping[str, Any] | None = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
) -> None:
    """See `anfora.export`."""
    onnx = library()
    newest = onnx.defs.onnx_opset_version()
    if type(opset_version) is not int or not LEAST <= opset_version <= newest:
        raise OpValueError(
            f"export: `opset_version` must be an integer from {LEAST} to {newest}, but got {opset_version!r}",
            arg="opset_version",
        )
    names = _names("input_names", input_names, len(inputs), names_of_inputs(net, len(inputs)))
    unknown = {
        (name, axis): f"{name}_{axis}" if axis else "batch"
        for name, x in zip(names, inputs)
        for axis, length in enumerate(x.shape)
        if length == -1
    }
    inputs = tuple(_filled(x) if -1 in x.shape else x for x in inputs)
    made = _Recorded(net, inputs, names)
    if dynamic_axes is not None:
        axes = _axes(dynamic_axes, inputs, names)
    else:
        axes = unknown or _batch(inputs, names)
    writer = None
    if axes and dynamic_axes is None and not unknown:
        try:
            writer = made.write(axes, opset_version)
        except (OpValueError, OpTypeError, FallbackError) as error:
            why = error.place or f"  {error.message}"
            advice = AnforaWarning(
                f"{made.name} is written for inputs of these shapes alone: the number of examples is not free in it\n"
                f"{why}\n  help: dynamic_axes={{}} says that this is meant."
            )
            axes = {}
            writer = made.write(axes, opset_version)
            warnings.warn(advice, stacklevel=3)
    else:
        writer = made.write(axes, opset_version)
    _save(onnx, writer, made, names, output_names, opset_version, file)


class _Recorded:
    """A network and its inputs, to be recorded with other lengths."""

    def __init__(self, net: Any, inputs: tuple, names: Sequence[str]) -> None:
        self.net, self.inputs, self.names = net, inputs, names
        self.name = type(net).__name__ if isinstance(net, Cell) else getattr(net, "__name__", "function").strip("<>")
        self.weights: dict[str, Tensor] = {}
        self.results: list[Value] = []

    def program(self, inputs: tuple) -> Program:
        graph, self.weights = graph_of(self.net, inputs)
        if len(graph.parameters) != len(inputs) + len(self.weights):
            raise OpTypeError("export to ONNX takes tensors as inputs, not containers of them", arg="inputs")
        program = program_of(graph)
        program.inputs[: len(inputs)] = [(name, abstract) for name, (_, abstract) in zip(self.names, program.inputs)]
        return program

    def write(self, axes: Mapping[tuple[str, int], str], opset: int) -> Writer:
        """Write it with some axes free."""
        if not axes:
            program = self.program(self.inputs)
        else:
            given: dict[str, int] = {}
            for (name, axis), length in axes.items():
                n = self.inputs[self.names.index(name)].shape[axis]
                if given.setdefault(length, n) != n:
                    raise OpValueError(
                        f"export: axes of the length {length!r} must be equally long, but have {given[length]} and {n}",
                        arg="dynamic_axes",
                    )

            def record(lengths: Mapping[str, int]) -> Program:
                inputs = tuple(
                    _resized(x, {axis: lengths[length] for (n, axis), length in axes.items() if n == name})
                    for name, x in zip(self.names, self.inputs)
                )
                return self.program(inputs)

            program = merged(record, {name: max(n, 2) for name, n in given.items()}, given)
        sources: dict[str, tuple[str, int]] = {}
        for place, length in axes.items():
            sources.setdefault(length, place)
        writer = Writer(program, self.weights, opset, sources)
        self.results = writer.run()
        return writer


def _filled(x: Tensor) -> Tensor:
    """A tensor for one whose lengths are not known, each of them 2."""
    return Tensor(np.zeros([2 if n == -1 else n for n in x.shape]), x.dtype)


def _resized(x: Tensor, lengths: Mapping[int, int]) -> Tensor:
    """A tensor with other lengths of some axes, filled with what it holds, again and again; with zeros if it is empty."""
    if not lengths:
        return x
    array = current(x)._array
    for axis, n in lengths.items():
        if not array.shape[axis]:
            array = np.zeros((*array.shape[:axis], 1, *array.shape[axis + 1 :]), array.dtype)
        array = np.take(array, np.arange(n) % array.shape[axis], axis)
    from anfora.core.tensor import from_buffer

    return from_buffer(np.ascontiguousarray(array), x.dtype)


# -- names and axes ---------------------------------------------------------------------------------------------------


def _names(option: str, given: Sequence[str] | None, count: int, otherwise: list[str]) -> list[str]:
    if given is None:
        return otherwise
    names = list(given)
    if len(names) != count or len(set(names)) != count or not all(isinstance(name, str) and name for name in names):
        raise OpValueError(f"export: `{option}` must be {count} different names, but got {given!r}", arg=option)
    return names


def _batch(inputs: tuple, names: Sequence[str]) -> dict[tuple[str, int], str]:
    """The first axis of each input that is as long as that of the first input."""
    if not inputs or not inputs[0].ndim:
        return {}
    return {(name, 0): "batch" for name, x in zip(names, inputs) if x.ndim and x.shape[0] == inputs[0].shape[0]}


def _axes(given: Mapping[str, Any], inputs: tuple, names: Sequence[str]) -> dict[tuple[str, int], str]:
    found = {}
    for name, axes in given.items():
        if name not in names:
            raise OpValueError(
                f"export: `dynamic_axes` names {name!r}, but the inputs are {', '.join(names)}", arg="dynamic_axes"
            )
        x = inputs[list(names).index(name)]
        named = axes if isinstance(axes, Mapping) else {axis: f"{name}_{axis}" for axis in axes}
        for axis, length in named.items():
            if type(axis) is not int or not -x.ndim <= axis < x.ndim or not isinstance(length, str):
                raise OpValueError(
                    f"export: `dynamic_axes` says {axis!r}: {length!r} of {name}, which has {x.ndim} axes",
                    arg="dynamic_axes",
                )
            found[name, axis % x.ndim] = length
    return found


# -- the file ---------------------------------------------------------------------------------------------------------


def _needed(nodes: list[Any], wanted: set[str]) -> list[Any]:
    """Those nodes of a model that something behind them uses, or that give what is wanted."""
    used, kept = set(wanted), []
    for node in reversed(nodes):
        if not used.isdisjoint(node.output):
            kept.append(node)
            used.update(_read_by(node))
    return kept[::-1]


def _read_by(node: Any) -> Iterator[str]:
    """The names that a node, and the graphs inside of it, read."""
    yield from node.input
    for attribute in node.attribute:
        for graph in (attribute.g, *attribute.graphs):
            yield from (value.name for value in graph.output)
            for inner in graph.node:
                yield from _read_by(inner)


def _save(
    onnx: Any,
    writer: Writer,
    made: _Recorded,
    names: Sequence[str],
    output_names: Sequence[str] | None,
    opset: int,
    file: Path,
) -> None:
    import anfora

    results = made.results
    count = len(results)
    wanted = _names(
        "output_names", output_names, count, ["output"] if count == 1 else [f"output{i}" for i in range(count)]
    )
    taken = {value.name for value in writer.inputs}
    outputs = []
    for name, value in zip(wanted, results):
        while name in taken:
            if output_names is not None:
                raise OpValueError(f"export: {name!r} is the name of an input or a weight already", arg="output_names")
            name += "_"
        taken.add(name)
        writer.nodes.append(onnx.helper.make_node("Identity", [value.name], [name], name=name))
        outputs.append(_described(onnx, name, value))
    inputs = [_described(onnx, value.name, value) for value in writer.inputs if value.name not in made.weights]
    nodes = _needed(writer.nodes, {value.name for value in outputs})
    graph = onnx.helper.make_graph(nodes, made.name, inputs, outputs, initializer=writer.initializers)
    opsets = [onnx.helper.make_opsetid("", opset)]
    model = onnx.helper.make_model(
        graph, opset_imports=opsets, producer_name="anfora", producer_version=anfora.__version__,
        ir_version=onnx.helper.find_min_ir_version_for(opsets),
    )  # fmt: skip
    trainable = [name for name, tensor in made.weights.items() if tensor.requires_grad]
    onnx.helper.set_model_props(model, {"anfora.trainable": json.dumps(trainable)})
    large = sum(len(tensor.raw_data) for tensor in writer.initializers) > _LIMIT
    if not large:
        onnx.checker.check_model(model, full_check=True)
    temporary = file.with_name(f".{file.name}.part")
    try:
        if large:
            onnx.save_model(model, str(file), save_as_external_data=True, location=f"{file.name}.data")
        else:
            temporary.write_bytes(model.SerializeToString())
            temporary.replace(file)
    except OSError as error:
        raise OpValueError(f"{str(file)!r} cannot be written: {error.strerror}") from error
    finally:
        temporary.unlink(missing_ok=True)


def _described(onnx: Any, name: str, value: Value) -> Any:
    shape = [length if isinstance(length, int) else _called(length) for length in value.shape]
    return onnx.helper.make_tensor_value_info(name, code_of(value.dtype), shape)


def _called(length: Any) -> str | None:
    return str(length) if isinstance(length, Length) else None
