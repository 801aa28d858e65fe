"""What a line says about named cells: which exist, of which type and shape, and when they were last written.

Everything but the data of tensors is known from the text, so `check` and the machine go through the same `resolve`: it
finds every error that can be found without data, and gives what execution needs. Nothing changes until `commit`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anfora.core.dtype import DType
from anfora.core.tensor import Tensor
from anfora.deepx.errors import DeepxError, Fault
from anfora.deepx.forms import Form, Place, TensorSpec, call
from anfora.deepx.parser import parse, read
from anfora.deepx.program import DTYPES, Instruction, Operand, Program
from anfora.deepx.rules import assigned, fail, fit, form_of, verify, verify_gradients

__all__ = ["Cells", "Numbers", "Resolved", "TensorCell", "TensorSpec", "check", "spec_of"]

_NAMES = {dtype: name for name, dtype in DTYPES.items()}


@dataclass
class TensorCell:
    """A tensor's cell.

    Args:
        spec: element type and shape.
        written: when it was last written, on the clock of its `Cells`; no two writes have one time.
        tensor: the data, None in a check.
    """

    spec: TensorSpec
    written: int
    tensor: Tensor | None = None

    def __repr__(self) -> str:
        return repr(self.spec)


@dataclass(frozen=True)
class Numbers:
    """What an argument or a vector holds."""

    dtype: DType
    values: tuple[int | float, ...]


@dataclass
class Resolved:
    """An instruction with all that is known about its operands.

    Args:
        known: for the functions of the form: numbers by place; specs as `like…`; tensors where there is data.
        tensors: place, name and cell of each operand that is a tensor.
        out: name and cell of the result.
        gradients: for each operand whose gradient is wanted its place, its position among those of the place, and the
            names of the tensor and the gradient.
        g: the name of the result's gradient.
        cells: names with the cells that they had. While they have these, the same instruction resolves to the same.
    """

    instruction: Instruction
    form: Form
    dtype: DType | None = None
    known: dict[str, Any] = field(default_factory=dict)
    tensors: list[tuple[Place, str, TensorCell]] = field(default_factory=list)
    out: tuple[str, TensorCell] | None = None
    gradients: list[tuple[str, int, str, str]] = field(default_factory=list)
    g: str = ""
    cells: list[tuple[str, TensorCell | Numbers]] = field(default_factory=list)

    @property
    def read(self) -> list[str]:
        """The places that this backward line reads for the gradients that are wanted."""
        rules = {place: self.form.gradients[place] for place, *_ in self.gradients}
        return sorted({name for rule in rules.values() for name in self.form.reads_for(rule)})


class Cells:
    """The cells of one memory, without the data of tensors.

    Args:
        inputs: what the caller binds: by name a tensor, an array, a TensorSpec or a pair (dtype, shape).
        naming: see `parse`.
        check_stale: whether a backward line whose operands were overwritten since the forward line is an error.
    """

    def __init__(
        self, inputs: Mapping[str, Any] | None = None, *, naming: str = "strict", check_stale: bool = False
    ) -> None:
        self.naming, self.check_stale = naming, check_stale
        self.table: dict[str, TensorCell | Numbers] = {}
        self.clock = 0
        self._forwards: dict[tuple, dict[str, Any]] = {}
        self._resolved: dict[int, Resolved] = {}  # by identity: equal instructions may stand in different lines
        for name, given in (inputs or {}).items():
            if not name or (naming == "strict" and name[0] != "t"):
                raise DeepxError("E-NAME", f"only tensors can be bound, and their names start with t, not {name!r}")
            self.table[name] = TensorCell(spec_of(name, given), self.tick())

    def __contains__(self, name: object) -> bool:
        return name in self.table

    def tick(self) -> int:
        self.clock += 1
        return self.clock

    @property
    def specs(self) -> dict[str, TensorSpec]:
        """The tensors that exist."""
        return {name: cell.spec for name, cell in self.table.items() if isinstance(cell, TensorCell)}

    # -- finding everything a line needs --------------------------------------------------------------------------

    def resolve(self, instruction: Instruction) -> Resolved:
        """What a line needs, from these cells, which stay as they are.

        Raises:
            DeepxError: the line cannot run on these cells.
        """
        resolved = self._resolved.get(id(instruction))
        if (
            resolved is None
            or resolved.instruction is not instruction
            or any(self.table.get(name) is not cell for name, cell in resolved.cells)
        ):
            resolved = self._resolve(instruction)
            if resolved.out is not None:  # a loop comes here again
                if len(self._resolved) >= _MOST_RESOLVED:
                    self._resolved.clear()
                self._resolved[id(instruction)] = resolved
        if instruction.backward and self.check_stale:
            self._check_stale(resolved)
        return resolved

    def _resolve(self, instruction: Instruction) -> Resolved:
        verify(instruction, self.naming)
        resolved = Resolved(instruction, form_of(instruction))
        pairs = assigned(resolved.form, instruction)
        if resolved.form.result is not None:
            pairs.append((resolved.form.result, instruction.results[0]))
        cells = self._find(instruction, pairs)
        self._find_dtype(resolved, pairs, cells)
        self._fill(resolved, pairs, cells)
        self._check_shape(resolved)
        verify_gradients(instruction)
        if instruction.backward:
            self._find_gradients(resolved, pairs)
        names = [operand.value for _, operand in pairs if operand.is_name]
        names += [operand.grad for _, operand in pairs if operand.grad is not None and operand.grad != "_"]
        resolved.cells = [(name, self.table[name]) for name in names if name in self.table]
        return resolved

    def _find(self, instruction: Instruction, pairs: list) -> list[TensorCell | Numbers | None]:
        """The cells that operands and result name; None for literals and for what is yet to be made."""
        found: list[TensorCell | Numbers | None] = []
        for place, operand in pairs:
            creates = place.name == "out" and instruction.op in ("argset", "newtensor")
            cell = self.table.get(operand.value) if operand.is_name else None
            if creates:
                if isinstance(cell, TensorCell) or (cell is not None and instruction.op == "newtensor"):
                    raise fail(instruction, "E-EXISTS", f"{operand.value} exists already: {cell}", operand)
                cell = None
            elif operand.is_name:
                if cell is None:
                    what = "the tensor" if place.kind == "t" else "the argument or vector"
                    help = "newtensor makes it" if place.kind == "t" else "argset makes it"
                    raise fail(instruction, "E-UNDEF", f"{what} {operand.value} does not exist", operand, help)
                is_tensor = isinstance(cell, TensorCell)
                if is_tensor != (place.kind == "t"):
                    raise fail(instruction, "E-OPERAND", f"{operand.value} is no {_WHAT[place.kind]}", operand)
                if isinstance(cell, Numbers) and place.kind == "a" and len(cell.values) != 1:
                    raise fail(
                        instruction, "E-OPERAND", f"{operand.value} holds {len(cell.values)} numbers, not one", operand
                    )
            found.append(cell)
        return found

    def _find_dtype(self, resolved: Resolved, pairs: list, cells: list) -> None:
        """The element type of the line, and whether what it names fits."""
        instruction, form = resolved.instruction, resolved.form
        if instruction.dtype is not None:
            resolved.dtype = DTYPES[instruction.dtype]
        else:
            for (place, _), cell in zip(pairs, cells):
                if cell is not None and (place.name == form.typed_by or form.result is None):
                    resolved.dtype = cell.spec.dtype if isinstance(cell, TensorCell) else cell.dtype
        dtype = resolved.dtype
        assert dtype is not None
        for (place, operand), cell in zip(pairs, cells):
            if isinstance(cell, TensorCell):
                found = cell.spec.dtype
                fits, wanted = {
                    "": (found is dtype, _NAMES[dtype]),
                    "int": (found.is_integer, "an integer type"),
                    "mask": (found is DTYPES["int8"] or found.is_bool, "int8 or bool"),
                    "any": (True, ""),
                }[place.role]
                if not fits:
                    raise fail(
                        instruction, "E-DTYPE", f"{operand.value} is {cell.spec}, but {wanted} is needed", operand
                    )
            elif isinstance(cell, Numbers) and form.result is None and cell.dtype is not dtype:
                raise fail(
                    instruction, "E-DTYPE", f"{operand.value} is {_NAMES[cell.dtype]}, not {_NAMES[dtype]}", operand
                )
        if dtype.kind not in form.kinds:
            wanted = " or ".join({"f": "a floating-point", "i": "an integer", "b": "the bool"}[k] for k in form.kinds)
            raise fail(instruction, "E-DTYPE", f"{wanted} type is needed, but the type is {_NAMES[dtype]}")
        if instruction.backward and not dtype.is_float:
            raise fail(instruction, "E-DTYPE", f"backward needs a floating-point type, but the type is {_NAMES[dtype]}")

    def _fill(self, resolved: Resolved, pairs: list, cells: list) -> None:
        """What the functions of the form may ask for."""
        instruction, known = resolved.instruction, resolved.known
        for place in resolved.form.operands:
            known[place.name] = [] if place.many else None
        for (place, operand), cell in zip(pairs, cells):
            if isinstance(cell, TensorCell):
                if place.name == "out":
                    resolved.out = (operand.value, cell)
                    known["like"] = cell.spec
                else:
                    resolved.tensors.append((place, operand.value, cell))
                    if place.many:
                        known.setdefault("likes", []).append(cell.spec)
                    else:
                        known["like" + place.name[1:]] = cell.spec
            elif place.kind in "av" and place.name != "out" and resolved.form.result is not None:
                try:
                    known[place.name] = self._numbers(resolved, place, operand, cell)
                except Fault as fault:
                    raise fail(instruction, fault.code, fault.message, operand, fault.help) from None

    def _numbers(self, resolved: Resolved, place: Place, operand: Operand, cell: Numbers | None) -> Any:
        """An argument as a number, a vector as a tuple, in the type that the place needs."""
        if cell is not None:
            values, source, code = cell.values, cell.dtype, "E-DTYPE"
        else:
            given = operand.value
            values = given if isinstance(given, tuple) else (given,)  # type: ignore[assignment]
            source, code = None, "E-LITERAL"
        whole = place.role == "int" or (place.kind == "v" and place.role == "")
        wanted = DTYPES["int64"] if whole else resolved.dtype
        assert wanted is not None
        if source is not None and source.is_float and not wanted.is_float:
            raise Fault(
                code, f"{operand.value} is {_NAMES[source]}, but {'an integer' if whole else _NAMES[wanted]} is needed"
            )
        converted = tuple(fit(value, wanted, code) for value in values)
        return converted if place.kind == "v" else converted[0]

    def _check_shape(self, resolved: Resolved) -> None:
        instruction, form = resolved.instruction, resolved.form
        try:
            if instruction.op == "newtensor":
                _check_size(resolved.known["v1"], resolved.dtype)
            if instruction.op in ("mod", "mod_scalar", "pow_scalar") and resolved.dtype and resolved.dtype.is_integer:
                _check_integers(instruction.op, resolved.known.get("a1"))
            if instruction.op == "todtype" and instruction.backward and not resolved.known["like1"].dtype.is_float:
                raise Fault(
                    "E-DTYPE", f"backward needs floating-point types, but t1 is {resolved.known['like1']}", "t1"
                )
            if form.shape is None:
                return
            shapes = call(form.shape, resolved.known)
        except Fault as fault:
            raise self._located(resolved, fault) from None
        assert resolved.out is not None
        name, cell = resolved.out
        if cell.spec.shape not in shapes:
            wanted = " or ".join(str(list(shape)) for shape in dict.fromkeys(shapes))
            given = ", ".join(f"{name} is {cell.spec}" for _, name, cell in resolved.tensors)
            message = f"the result {name} is {cell.spec}, but its shape must be {wanted}" + (given and f": {given}")
            raise fail(instruction, "E-SHAPE", message, instruction.results[0])

    def _located(self, resolved: Resolved, fault: Fault) -> DeepxError:
        pairs = assigned(resolved.form, resolved.instruction)
        at = next((operand for place, operand in pairs if place.name == fault.place), None)
        return fail(resolved.instruction, fault.code, fault.message, at, fault.help)

    def _find_gradients(self, resolved: Resolved, pairs: list) -> None:
        instruction = resolved.instruction
        counts: dict[str, int] = {}
        for place, operand in pairs:
            if place.kind != "t":
                continue
            position = counts.get(place.name, 0)
            counts[place.name] = position + 1
            if operand.grad == "_":
                continue
            cell = self.table.get(operand.grad)
            if cell is None:
                raise fail(
                    instruction, "E-UNDEF", f"the gradient {operand.grad} of {operand.value} does not exist", operand,
                    "newtensor makes it, filled with zeros",
                )  # fmt: skip
            if not isinstance(cell, TensorCell):
                raise fail(instruction, "E-OPERAND", f"the gradient {operand.grad} is no tensor", operand)
            spec = self.table[operand.value].spec  # type: ignore[union-attr]
            if cell.spec != spec:
                code = "E-DTYPE" if cell.spec.dtype is not spec.dtype else "E-SHAPE"
                message = f"the gradient {operand.grad} is {cell.spec}, but {operand.value} is {spec}"
                raise fail(instruction, code, message, operand)
            if place.name == "out":
                resolved.g = operand.grad
            else:
                resolved.gradients.append((place.name, position, operand.value, operand.grad))

    # -- what was overwritten -------------------------------------------------------------------------------------

    def _key(self, resolved: Resolved) -> tuple:
        line = resolved.instruction
        return line.op, tuple(o.value for o in line.operands), tuple(o.value for o in line.results)

    def _state(self, resolved: Resolved) -> dict[str, Any]:
        """Times of tensors and contents of numbers, by place."""
        state = {name: value for name, value in resolved.known.items() if name[0] in "av"}
        state |= {place.name: cell.written for place, _, cell in resolved.tensors}
        if resolved.out is not None:
            state["out"] = resolved.out[1].written
        return state

    def _check_stale(self, resolved: Resolved) -> None:
        before = self._forwards.get(self._key(resolved))
        if before is None:  # no forward line has run on these cells: its results were bound
            return
        now, line = self._state(resolved), resolved.instruction
        for name in resolved.read:
            if now[name] != before[name]:
                [operand] = (
                    line.results
                    if name == "out"
                    else [o for place, o in assigned(resolved.form, line) if place.name == name]
                )
                raise fail(
                    line, "E-STALE",
                    f"{operand.value} was overwritten since the forward line" + _at_line(before["line"]), operand,
                    "let later lines write to another tensor",
                )  # fmt: skip

    # -- what a line changes --------------------------------------------------------------------------------------

    def commit(self, resolved: Resolved, make: Callable[[TensorSpec], Tensor | None] = lambda spec: None) -> None:
        """Note what the line has changed. `make` gives the data of a new tensor."""
        line = resolved.instruction
        if line.op == "argset":
            assert resolved.dtype is not None
            values = tuple(operand.value for operand in line.operands)
            self.table[str(line.results[0].value)] = Numbers(resolved.dtype, values)  # type: ignore[arg-type]
        elif line.op in ("argdel", "deltensor"):
            del self.table[str(line.operands[0].value)]
        elif line.op == "newtensor":
            assert resolved.dtype is not None
            spec = TensorSpec(resolved.dtype, resolved.known["v1"])
            self.table[str(line.results[0].value)] = TensorCell(spec, self.tick(), make(spec))
        elif line.op == "load":
            resolved.tensors[0][2].written = self.tick()
        elif line.backward:
            for *_, grad in resolved.gradients:
                self.table[grad].written = self.tick()  # type: ignore[union-attr]
        elif resolved.out is not None:
            before = self._state(resolved)
            resolved.out[1].written = self.tick()
            if resolved.form.gradients:
                self._forwards[self._key(resolved)] = before | {"out": self.clock, "line": line.line}


_MOST_RESOLVED = 10_000

_WHAT = {"t": "tensor", "a": "argument", "v": "vector", "x": "argument or vector"}


def _at_line(number: int | None) -> str:
    return f" {number}" if number is not None else ""


def _check_size(shape: tuple[int, ...], dtype: DType | None) -> None:
    if any(n < 0 for n in shape):
        raise Fault("E-SHAPE", f"{list(shape)} is no shape: lengths are not negative", "v1")
    if len(shape) > 32:
        raise Fault("E-SHAPE", f"{len(shape)} axes are too many, a tensor has at most 32", "v1")
    assert dtype is not None
    if math.prod(max(n, 1) for n in shape) * dtype.itemsize >= 2**63:
        raise Fault("E-SHAPE", f"a tensor of shape {list(shape)} is larger than any memory", "v1")


def _check_integers(op: str, a1: Any) -> None:
    if op == "mod_scalar" and a1 == 0:
        raise Fault("E-ZERODIV", "integers have no remainder modulo 0", "a1")
    if op == "pow_scalar" and a1 < 0:
        raise Fault("E-DTYPE", f"integers to the power of {a1} are no integers: a float type is needed", "a1")


def spec_of(name: str, given: Any) -> TensorSpec:
    """Type and shape of what a caller binds."""
    if isinstance(given, (TensorSpec, Tensor)):
        dtype, shape = given.dtype, given.shape
    elif isinstance(given, tuple) and len(given) == 2 and not isinstance(given[0], (int, float)):
        kind, shape = given
        dtype = DTYPES.get(kind) if isinstance(kind, str) else kind  # type: ignore[assignment]
    else:
        array = np.asarray(given)
        dtype, shape = DTYPES.get(array.dtype.name), array.shape  # type: ignore[assignment]
    if dtype not in _NAMES:
        raise DeepxError("E-DTYPE", f"{name} cannot be bound: element types are {' '.join(DTYPES)}, not {_type(given)}")
    return TensorSpec(dtype, tuple(shape))


def _type(given: Any) -> str:
    if isinstance(given, tuple):
        return str(given[0])
    return str(given.dtype) if hasattr(given, "dtype") else type(given).__name__


def check(
    program: Program | str,
    inputs: Mapping[str, Any] | None = None,
    *,
    naming: str = "strict",
    check_stale: bool = False,
) -> Cells:
    """Find every error of a program that can be found without running it.

    Args:
        program: a program or its text.
        inputs: what is bound before a run: by name a tensor, an array, a `TensorSpec` or a pair (dtype, shape).
        naming: see `parse`; a program brings its own.
        check_stale: whether a backward line whose operands were overwritten since its forward line is an error.
    Returns:
        the cells at the end: `.specs` has type and shape of each tensor.
    Raises:
        DeepxError: with code, line and column.

    Example:
        >>> check("argset@int32 2 3->v1\\nnewtensor@float32 v1->t1").specs
        {'t1': float32[2, 3]}
        >>> check("exp@float32 tx->tx", {"tx": ("float32", (4,))}).specs
        {'tx': float32[4]}
    """
    # Of a line's gradient names a text is judged after its tensors, as a line that runs is.
    lines = read(program, naming) if isinstance(program, str) else program
    cells = Cells(inputs, naming=lines.naming, check_stale=check_stale)
    for instruction in lines:
        cells.commit(cells.resolve(instruction))
    return cells


def as_program(program: Program | str, naming: str = "strict") -> Program:
    """A program, read if it is text."""
    return parse(program, naming) if isinstance(program, str) else program
