"""A network as a program.

One call is recorded as graph mode records it (`graph/record/recorder.py`): rows of operators with types and attributes, for
these types of inputs and this way through the program. The lowerings of `operators.py` turn rows into instructions.
"""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Mapping
from types import CodeType, FunctionType
from typing import Any, NoReturn

import numpy as np

from anfora.core.cell import Cell
from anfora.core.dtype import float16, float32
from anfora.core.errors import OpTypeError
from anfora.core.parameter import Parameter
from anfora.core.random import get_rng_state, set_rng_state
from anfora.core.span import Span, is_internal
from anfora.core.tensor import Tensor
from anfora.deepx.cells import TensorSpec
from anfora.deepx.errors import DeepxError
from anfora.deepx.lifetimes import delete_unused, reuse_cells
from anfora.deepx.lowering import Writer
from anfora.deepx.operators import NoLowering, lowering_of
from anfora.deepx.program import DTYPES, Program
from anfora.eager import dispatch, tape
from anfora.graph.facts.origins import Origin, value_of
from anfora.graph.ir.nodes import AnfNode
from anfora.graph.ir.planned import OperatorCall, is_scalar, operands_from
from anfora.graph.machine.machine import Machine
from anfora.graph.polyfill.polyfills import call
from anfora.graph.record.recorder import Recorder
from anfora.graph.run import compiled, points
from anfora.graph.source.code import Unsupported
from anfora.graph.source.sources import code_of
from anfora.graph.state.images import Image

__all__ = ["export"]


def export(
    network: Callable, inputs: Any, *, base_only: bool = False, delete: bool = False, reuse: bool = False
) -> tuple[Program, dict[str, Tensor]]:
    """A network or function as a program.

    It is called once with these inputs. Results have the names `tout`, or `tout0`, `tout1`, … where there
    are several. With `differentiate`, the program gives the gradients too.

    Args:
        network: a Cell or a function, whose results are tensors.
        inputs: what it is called with: a tensor, a tuple of arguments, or a mapping of arguments by name. What is no tensor
            is part of the program.
        base_only: whether to do without the extension table: products, reshaping and indexing have no lowering then.
        delete: delete each intermediate behind its last use.
        reuse: let results take the cells of intermediates that are not needed any more.
    Returns:
        the program, and what to bind before it runs, by name: the inputs, named as the parameters of the function are; the
        parameters of the network, named as they are; other tensors that it reads; and constants. Names are made of
        letters, digits and `_`, and start with `t`: `conv1.weight` is `tconv1_weight`. One that is taken gets a number.
        Tensors and parameters are the network's own, so `copy=False` lets a program work on them.
        Behind each instruction stands, printed with `meta=True`, which operator it is of, and in which line of the network;
        `ties=half`, `ties=shared` or `ties=ends` where gradients differ from the operator's: at bounds, where several
        elements are the largest, at probabilities of 0 and 1.
    Raises:
        DeepxError: E-OP where an operator has no lowering; where the network depends on data in a way that only Python can
            follow, writes to a tensor in place, or does something outside. Nothing has been changed then. E-DTYPE
            for element types that programs do not have.
    Example:
        >>> program, bindings = export(nn.ReLU(), ops.zeros((2,)))
        >>> print(program)
        argset@int64 2->v1
        newtensor@float32 v1->tout
        argset@float32 0.0->a1
        max_scalar@float32 tx a1->tout
        >>> list(bindings)
        ['tx']
    """
    if not callable(network):
        raise OpTypeError(f"export needs a Cell or a function, but got {type(network).__name__}", arg="network")
    args, kwargs = _arguments(inputs)
    numbers = get_rng_state()
    try:
        recording = _Recording(network)
        with tape.recording(True):  # so that parts without the tape can be told
            recording.call((network, *args), kwargs)
        recording.check_tape()
        exporter = _Exporter(recording.variant, [network, *args, *kwargs.values()], base_only)
        names = exporter.write(_names_of_arguments(network, len(args), list(kwargs)))
    except DeepxError:
        set_rng_state(numbers)
        raise
    program = exporter.writer.program
    if reuse:
        program = reuse_cells(program, names)
    if delete:
        program = delete_unused(program, names)
    return program, exporter.bindings


def _arguments(inputs: Any) -> tuple[tuple, dict[str, Any]]:
    def known(value: Any) -> Any:
        return Tensor(value) if isinstance(value, np.ndarray) else value

    if isinstance(inputs, Mapping):
        return (), {name: known(value) for name, value in inputs.items()}
    if isinstance(inputs, (tuple, list)):
        return tuple(map(known, inputs)), {}
    return (known(inputs),), {}


def _names_of_arguments(network: Callable, count: int, keywords: list[str]) -> list[str]:
    """What the function calls its arguments."""
    parameters = list(
        inspect.signature(network.construct if isinstance(network, Cell) else network).parameters.values()
    )
    positional = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    rest = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), "input")
    named = [positional[i] if i < len(positional) else f"{rest}{i - len(positional)}" for i in range(count)]
    return [*named, *keywords]


# -- recording --------------------------------------------------------------------------------------------------------


class _Recording(compiled.RecordedProgram):
    """A program that refuses, before it is done, what cannot be written as instructions."""

    def __init__(self, network: Callable) -> None:
        super().__init__(call)  # type: ignore[arg-type]
        self.network = getattr(network, "__qualname__", None) or type(network).__name__

    def puts_writes_off(self) -> bool:
        return False

    @property
    def variant(self) -> points.Variant:
        """The one way in which the call went."""
        [point] = self.entries.values()
        [variant] = point.variants
        return variant

    def check_tape(self) -> None:
        """Refuse a network that is followed by the tape in some parts and not in others."""
        rows = self.variant.piece.calls
        untaped = [row for row in rows if not row.is_taped]
        if untaped and (len(untaped) < len(rows) or any(row.is_inner for row in rows)):
            span = _span_of(untaped[0])
            reason = "instructions have no way to stop a gradient, as `no_grad` does"
            place = None if span is None else span.told()
            raise DeepxError("E-OP", f"{self.network} cannot be exported: {reason}", place=place)

    def _finish(self, recorder: Recorder, machine: Machine) -> Any:
        run = recorder.run

        def interpret(machine: Machine, operation: Any, args: tuple, kwargs: dict, reason: str) -> NoReturn:
            if isinstance(operation, FunctionType):
                try:
                    code_of(operation)
                except Unsupported as why:
                    reason = str(why)
            self._refuse(reason, machine)

        def run_unless_it_writes(entry: Any, flat: list) -> Any:
            if entry.op.writes is not None:
                self._refuse(f"{entry.op.name} writes to a tensor in place", machine)
            return run(entry, flat)

        recorder.interpret = interpret  # type: ignore[method-assign]
        recorder.run = run_unless_it_writes  # type: ignore[method-assign]
        return super()._finish(recorder, machine)

    def end_with_hop(self, recorder: Recorder, machine: Machine, state: Any, reason: str) -> NoReturn:
        self._refuse(reason, machine)

    def give_up(self, reason: str, machine: Machine) -> NoReturn:
        self._refuse(reason, machine)

    def _refuse(self, reason: str, machine: Machine) -> NoReturn:
        code, (line, end_line, column, end_column), _ = machine.place
        span = Span(code.co_filename, line, getattr(code, "co_qualname", code.co_name), end_line, column, end_column)
        machine.frames.clear()  # no handler of the program is asked
        place = None if is_internal(code) else span.told()
        raise DeepxError("E-OP", f"{self.network} cannot be exported: {reason}", place=place)


def _span_of(row: OperatorCall) -> Span | None:
    code, at = row.place
    return Span.of(code, at) if isinstance(code, CodeType) else None


# -- writing ----------------------------------------------------------------------------------------------------------


class _Exporter:
    """Writes the rows of a call as instructions.

    Args:
        variant: the call.
        slots: the network, and its arguments.
        base_only: see `export`.
    """

    def __init__(self, variant: points.Variant, slots: list[Any], base_only: bool) -> None:
        self.variant, self.slots = variant, slots
        self.writer = Writer(base_only=base_only)
        self.given: dict[str, Tensor] = {}  #: tensors from outside, by name
        self._names: dict[int, str] = {}  #: their names, by identity
        self._values: dict[AnfNode, Any] = {}  #: the operands that the values of the rows are
        self._taken: set[str] = set()

    @property
    def bindings(self) -> dict[str, Tensor]:
        constants = {name: Tensor(array) for name, array in self.writer.bindings.items() if name not in self.given}
        return self.given | constants

    def write(self, names: list[str]) -> list[str]:
        """Write all rows; gives the names of the results."""
        results = self._results()
        outputs = ["tout"] if len(results) == 1 else [f"tout{i}" for i in range(len(results))]
        self._taken.update(outputs)
        for name, argument in zip(names, self.slots[1:]):
            self._take(name, argument)
        for origin in [each.origin for each in self.variant.piece.inputs.values()]:
            if not _is_drawn(origin):
                self._outside(origin)
        for row in self.variant.piece.calls:
            self._lower(row)
        self.writer.meta = {}
        made: set[str] = set()
        for name, origin in zip(outputs, results):
            try:
                found = self._operand(origin.key[0]) if origin.kind == "made" else self._outside(origin)
            except NoLowering:
                raise DeepxError("E-OP", f"the result {name} has no lowering to deepx IR") from None
            if found in made or found in self.given or found in self.writer.bindings:
                found = self.writer.emit("mul_scalar", found, 1) if self.writer.base_only else self._copy(found)
            self.writer.rename(found, name)
            made.add(name)
            self._values = {v: name if x == found else x for v, x in self._values.items()}
        return outputs

    def _copy(self, x: str) -> str:
        return self.writer.emit("copytensor", x)

    def _results(self) -> list[Origin]:
        """The origins of the tensors in the result."""
        end, origins = self.variant.end, self.variant.runner.origins
        assert isinstance(end, points.Return)
        found: list[Origin] = []

        def walk(image: Image) -> None:
            kind = image[0]
            if kind == "slot":
                found.append(origins[image[1]])
            elif kind in ("tuple", "list"):
                for part in image[1]:
                    walk(part)
            elif kind == "tuple of":
                for part in image[2]:
                    walk(part)
            elif kind == "dict":
                for _, part in image[1]:
                    walk(part)
            else:
                what = repr(image[1]) if kind == "is" else f"a {kind}"
                raise DeepxError("E-OPERAND", f"the results of a network must be tensors, but one is {what}")

        walk(end.image)
        return found

    # -- tensors from outside -----------------------------------------------------------------------------------------

    def _name(self, text: str) -> str:
        name = "t" + re.sub(r"[^A-Za-z0-9_]", "_", text)
        free, number = name, 1
        while free in self._taken:
            number += 1
            free = f"{name}_{number}"
        self._taken.add(free)
        return free

    def _take(self, name: str, value: Any) -> None:
        """Name the tensors in an argument."""
        if isinstance(value, Tensor):
            self._bind(name, value)
        elif isinstance(value, Mapping):
            for key, item in value.items():
                self._take(f"{name}_{key}", item)
        elif isinstance(value, (tuple, list)):
            for i, item in enumerate(value):
                self._take(f"{name}_{i}", item)

    def _bind(self, text: str, tensor: Tensor) -> str:
        name = self._names.get(id(tensor))
        if name is None:
            name = self._names[id(tensor)] = self._name(text)
            self._check(tensor._layout.dtype, name)
            self.writer.know(name, tensor)
            self.given[name] = tensor
        return name

    @staticmethod
    def _check(dtype: Any, what: str) -> None:
        if dtype not in DTYPES.values():
            raise DeepxError("E-DTYPE", f"{what} is {dtype}; programs have {', '.join(DTYPES)}")

    def _outside(self, origin: Origin) -> str:
        """The name of a tensor that the call has read."""
        tensor = value_of(origin, self.slots)
        if isinstance(tensor, Parameter) and tensor.name:
            return self._bind(tensor.name, tensor)
        is_known = id(tensor) in self._names
        name = self._bind(_last_name(origin), tensor)
        if self.writer.base_only and not is_known:  # a constant, which may be bound once more in another shape
            self.writer.bindings[name] = tensor.asnumpy()
        return name

    # -- rows ---------------------------------------------------------------------------------------------------------

    def _operand(self, value: AnfNode) -> Any:
        """What a value of the rows is: the name of a tensor, or a number."""
        if value not in self._values:
            piece = self.variant.piece
            if value in piece.numbers:
                self._values[value] = value_of(piece.numbers[value].origin, self.slots)
            elif value in piece.inputs:
                self._values[value] = self._outside(piece.inputs[value].origin)
            else:
                constant = piece.constants[value]
                self._check(constant.dtype, "a constant")
                self._values[value] = self.writer.bind(np.ascontiguousarray(constant._array))
        if self._values[value] is None:
            raise NoLowering("what it takes has no lowering")
        return self._values[value]

    def _lower(self, row: OperatorCall) -> None:
        entry, span = row.entry, _span_of(row)
        name = entry.op.name
        writer = self.writer
        writer.meta = {"operator": name}
        if span is not None:
            writer.meta["at"] = f"{os.path.basename(span.file)}:{span.line}".replace(" ", "_")
        try:
            results = self._results_of(row)
        except NoLowering as reason:
            message = f"{name} has no lowering to deepx IR"
            if str(reason):
                message += f": {reason}"
            raise DeepxError("E-OP", message, place=None if span is None else span.told()) from None
        except DeepxError as error:
            place = None if span is None else span.told()
            raise DeepxError(error.code, f"{name}: {error.message}", help=error.help, place=place) from None
        self._values.update(zip(row.results, results))

    def _results_of(self, row: OperatorCall) -> tuple:
        entry, writer = row.entry, self.writer
        if entry.op.name != "full" and all(map(is_scalar, row.operands)):
            return self._constant(row)
        lower = lowering_of(entry.op.name)
        taken = {x: self._float32(self._operand(x)) for x in row.operands if not is_scalar(x)}
        flat = operands_from(taken, row.operands)
        operands = [flat[group] for group in entry.groups]
        specs = tuple(TensorSpec(layout.dtype, layout.shape) for layout in entry.outputs)
        for spec in specs:
            self._check(spec.dtype, f"the result of {entry.op.name}")
        computed = tuple(TensorSpec(float32, s.shape) if s.dtype is float16 else s for s in specs)
        results = lower(writer, *operands, out=computed if entry.is_tuple else computed[0], **entry.attributes)
        results = results if entry.is_tuple else (results,)
        return tuple(None if x is None else writer.cast(x, spec.dtype) for x, spec in zip(results, specs))

    def _float32(self, x: Any) -> Any:
        """float16 is computed in float32."""
        is_narrow = isinstance(x, str) and self.writer.spec(x).dtype is float16
        return self.writer.cast(x, float32) if is_narrow else x

    def _constant(self, row: OperatorCall) -> tuple:
        """What follows from numbers alone is bound."""
        results = dispatch.run_now(row.entry, operands_from({}, row.operands))
        results = results if row.entry.is_tuple else (results,)
        for result in results:
            self._check(result._layout.dtype, f"the result of {row.entry.op.name}")
        return tuple(self.writer.bind(result.asnumpy()) for result in results)


def _is_drawn(origin: Any) -> bool:
    """Whether it is of a draw of random numbers."""
    return isinstance(origin, Origin) and (origin.kind == "draw" or _is_drawn(origin.base))


def _last_name(origin: Origin) -> str:
    """What the program calls a tensor that is no parameter: the last name or number on the way to it."""
    if origin.kind in ("attr", "item") and origin.key != "cell_contents" and isinstance(origin.key, (str, int)):
        return str(origin.key)
    return "constant" if origin.base is None or origin.kind == "number" else _last_name(origin.base)
