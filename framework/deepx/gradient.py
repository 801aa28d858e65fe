"""`differentiate`: a forward program becomes one that also computes gradients.

Cells are mutable, so what is followed is not a name but a *version*: what a name holds from one write to the next. A walk
forward finds for each line which versions it reads and writes, and which of them depend on `wrt`. A walk backward from the
loss writes the backward lines. Backward lines read cells as they are at the end, so each version that they need must be the
last of its name; where it is not, the program is refused, or (`rename=True`) that version moves to a cell of its own.

Every version has a gradient cell of its own. So no gradient has to be cleared on the way, and none is overwritten.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from anfora.deepx.cells import Cells, Numbers, Resolved, TensorCell, TensorSpec, as_program
from anfora.deepx.errors import DeepxError
from anfora.deepx.program import DTYPES, Instruction, Operand, Program
from anfora.deepx.rules import assigned, fail

__all__ = ["differentiate"]

_NAMES = {dtype: name for name, dtype in DTYPES.items()}


@dataclass(eq=False)
class Version:
    """What a name holds from one write to the next.

    Args:
        name: of the cell.
        spec: its type and shape.
        made: the index of the line that wrote it, -1 for what is bound.
        ended: the index of the line that overwrote it, or None; `deleted` tells whether that was `deltensor`.
        reach: whether it depends on what is differentiated for.
        cell: the name under which it lives when it was moved to a cell of its own.
        grad: the name of its gradient, once it has one.
    """

    name: str
    spec: TensorSpec
    made: int
    ended: int | None = None
    deleted: bool = False
    replaced: int | None = None  # for a deleted cell, the line that makes another of the same name
    reach: bool = False
    cell: str | None = None
    grad: str | None = None


@dataclass(eq=False)
class Line:
    """A line with the versions and numbers it works on."""

    instruction: Instruction
    resolved: Resolved
    result: Version | None = None  # of a line with <-, what its result holds
    reads: list[Version] = field(default_factory=list)  # in the order of the operands that are tensors
    writes: Version | None = None
    numbers: dict[str, Numbers] = field(default_factory=dict)  # what arguments and vectors hold


def differentiate(
    program: Program | str,
    loss: str,
    wrt: str | Sequence[str],
    inputs: Mapping[str, Any] | None = None,
    *,
    rename: bool = False,
    naming: str = "strict",
) -> Program:
    """A program that runs another and then computes gradients.

    Args:
        program: a program or its text, of which lines with `<-` are kept and not differentiated.
        loss: the tensor whose elements' sum is differentiated; what it holds at the end.
        wrt: the tensors to differentiate for: what was bound, and of a tensor that the program makes, what it holds where
            it is first read.
        inputs: what is bound before a run, see `check`.
        rename: give a value that backward needs and the program overwrites a cell of its own, instead of refusing.
        naming: see `parse`.
    Returns:
        the forward lines; new cells for gradients, `<name>_grad` for each name in `wrt` (with a suffix where that name is
        taken); 1 into the gradient of the loss; the backward lines. A `deltensor` of what backward needs stands behind its
        last use.
    Raises:
        DeepxError: what `check` finds; E-UNDEF, there is no tensor `loss` or of a name in `wrt`; E-DTYPE, it is not of
            floating point; E-INPLACE, a value that backward needs is overwritten (both lines are named).

    Example:
        >>> text = "argset@int32 3->v1\\nnewtensor@float64 v1->ty\\nmul@float64 tx tx->ty"
        >>> print(differentiate(text, "ty", "tx", {"tx": ("float64", (3,))}))
        argset@int32 3->v1
        newtensor@float64 v1->ty
        mul@float64 tx tx->ty
        argset@int64 3->vgrad_3
        newtensor@float64 vgrad_3->tx_grad
        newtensor@float64 vgrad_3->ty_grad
        argset@float64 1.0->agrad_1
        constant@float64 agrad_1->ty_grad
        mul@float64 tx(tx_grad) tx(tx_grad)<-ty(ty_grad)
    """
    lines = as_program(program, naming)
    return _Differentiation(lines, loss, [wrt] if isinstance(wrt, str) else list(wrt), inputs or {}, rename).result()


class _Differentiation:
    def __init__(self, program: Program, loss: str, wrt: list[str], inputs: Mapping[str, Any], rename: bool) -> None:
        self.program, self.rename = program, rename
        self.lines: list[Line] = []
        self.taken = {name for line in program for o in (*line.operands, *line.results) for name in (o.value, o.grad)}
        self.taken |= set(inputs)
        self.made: list[Version] = []
        self.named: dict[str, list[Version]] = {}  # the versions of each name
        self.accumulated: set[str] = set()  # gradients of lines with <-
        self.copies: dict[tuple[str, Numbers], str] = {}
        self._walk_forward(inputs)
        self.wrt = {name: self._found(name, "first") for name in wrt}
        self.loss = self._found(loss, "last")
        self._mark_reached()
        self.backward = self._lines_on_path()

    # -- forward ----------------------------------------------------------------------------------------------------

    def _walk_forward(self, inputs: Mapping[str, Any]) -> None:
        cells = Cells(inputs, naming=self.program.naming)
        now: dict[str, Version] = {name: self._new(name, spec, -1) for name, spec in cells.specs.items()}
        for index, instruction in enumerate(self.program):
            resolved = cells.resolve(instruction)
            line = Line(instruction, resolved)
            if instruction.op != "load":
                line.reads = [now[name] for _, name, _ in resolved.tensors]
            for _, operand in assigned(resolved.form, instruction):
                held = cells.table.get(operand.value) if operand.is_name else None  # type: ignore[arg-type]
                if isinstance(held, Numbers):
                    line.numbers[str(operand.value)] = held
            if instruction.op == "deltensor":
                version = now.pop(line.reads[0].name)
                version.ended, version.deleted = index, True
                line.reads = []
            if instruction.backward and resolved.out is not None:
                line.result = now[resolved.out[0]]
                self.accumulated.update(_written(resolved))
            cells.commit(resolved)
            for name in _written(resolved):
                cell = cells.table[name]
                assert isinstance(cell, TensorCell)
                version = self._new(name, cell.spec, index)
                if name in now:
                    now[name].ended = index
                elif len(self.named[name]) > 1:
                    self.named[name][-2].replaced = index
                now[name] = version
                if not instruction.backward:
                    line.writes = version
            self.lines.append(line)
        self.end = cells.table

    def _new(self, name: str, spec: TensorSpec, index: int) -> Version:
        version = Version(name, spec, index)
        self.made.append(version)
        self.named.setdefault(name, []).append(version)
        return version

    def _found(self, name: str, which: str) -> Version:
        """What a name holds first (where it is bound, or else first read) or at the end."""
        versions = self.named.get(name)
        if not versions:
            raise DeepxError("E-UNDEF", f"there is no tensor {name} in the program")
        if not versions[-1].spec.dtype.is_float:
            raise DeepxError("E-DTYPE", f"gradients need floating-point tensors, but {name} is {versions[-1].spec}")
        if which == "first" and versions[0].made < 0:
            return versions[0]
        if which == "first":
            for line in self.lines:
                for version in line.reads:
                    if version.name == name and not line.instruction.backward and line.resolved.form.gradients:
                        return version
        return versions[-1]

    def _mark_reached(self) -> None:
        for version in self.wrt.values():
            version.reach = True
        for line in self.lines:
            if line.writes is not None and any(self._flows(line)):
                line.writes.reach = True

    def _flows(self, line: Line) -> list[bool]:
        """For each tensor operand, whether a gradient can flow to it through this line, and is wanted there."""
        if line.writes is None or not line.writes.spec.dtype.is_float:
            return [False] * len(line.reads)
        rules = line.resolved.form.gradients
        return [
            place.name in rules and version.reach and version.spec.dtype.is_float
            for (place, _, _), version in zip(line.resolved.tensors, line.reads)
        ]

    # -- which lines need a backward line -----------------------------------------------------------------------------

    def _lines_on_path(self) -> list[Line]:
        """The lines on a path from `wrt` to the loss, last first. Gradients get names, and what is needed is secured."""
        for name, version in self.wrt.items():
            version.grad = version.grad or self._fresh(f"{name}_grad")
        self.loss.grad = self.loss.grad or self._fresh(f"{self.loss.name}_grad")
        wanted, found = {self.loss}, []
        for line in reversed(self.lines):
            if line.writes in wanted and line.writes is not None and line.writes.reach:
                flows = self._flows(line)
                if any(flows):
                    found.append(line)
                    wanted.update(version for version, flow in zip(line.reads, flows) if flow)
        for line in found:
            assert line.writes is not None
            for version in (line.writes, *(v for v, flow in zip(line.reads, self._flows(line)) if flow)):
                if version.grad is None:
                    version.grad = self._fresh(f"{version.name}_grad")
        for line in found:
            self._secure(line)
        return found

    def _fresh(self, name: str) -> str:
        number, candidate = 0, name
        while candidate in self.taken:
            number += 1
            candidate = f"{name}_{number}"
        self.taken.add(candidate)
        return candidate

    def _secure(self, line: Line) -> None:
        """See that what the backward of a line reads is there at the end, and that its cells have their shapes."""
        form = line.resolved.form
        rules = [
            form.gradients[place.name] for (place, _, _), flow in zip(line.resolved.tensors, self._flows(line)) if flow
        ]
        read = {name for rule in rules for name in form.reads_for(rule)}
        assert line.writes is not None
        needs = [(version, place.name) for (place, _, _), version in zip(line.resolved.tensors, line.reads)]
        for version, place in [*needs, (line.writes, "out")]:
            # Overwritten: its numbers are gone. Made anew: its shape may be another.
            ender = version.ended if not version.deleted else None
            in_place = ender is not None and self.lines[ender] is line and place in form.reads
            if ender is not None and (place in read or in_place):
                self._move(version, line, ender)
            elif (replaced := self._replaced(version)) is not None:
                self._move(version, line, replaced)

    def _replaced(self, version: Version) -> int | None:
        """The line that makes another cell of the same name."""
        later = (v.replaced for v in self.named[version.name] if v.made >= version.made)
        return next((index for index in later if index is not None), None)

    def _move(self, version: Version, line: Line, culprit: int) -> None:
        """Give a version a cell of its own, or refuse."""
        if version.cell is not None:
            return
        over = self.lines[culprit].instruction
        # Lines with <- add to what a gradient holds: moving what it held would leave them another start.
        if not self.rename or version.name in self.accumulated:
            raise fail(
                over, "E-INPLACE",
                f"line {self._number(self.lines[culprit])} overwrites {version.name}, which the backward of line "
                f"{self._number(line)} needs ({line.instruction})",
                next(iter(over.results), None),
                help="write to another tensor" + ("" if self.rename else ", or let differentiate rename"),
            )  # fmt: skip
        version.cell = self._fresh(version.name)

    def _number(self, line: Line) -> int:
        return line.instruction.line or self.lines.index(line) + 1

    # -- the new program ----------------------------------------------------------------------------------------------

    def result(self) -> Program:
        self.out: list[Instruction] = []
        self.shapes: dict[tuple[int, ...], str] = {}
        late: dict[str, Instruction] = {}
        needed = {
            v.name for line in self.backward for v in (*line.reads, line.writes) if v is not None and v.cell is None
        }
        for version in self.made:
            if version.made < 0 and version.cell is not None:  # bound: a copy keeps it
                self._make(version.spec, version.cell)
                self._emit("copytensor", version.spec, [version.name], version.cell)
        for index, line in enumerate(self.lines):
            instruction = line.instruction
            if instruction.op == "deltensor":
                name = str(instruction.operands[0].value)
                # Of several cells of one name backward can need the last one only; the others were moved.
                if name in needed and not any(v.replaced is not None and v.ended == index for v in self.named[name]):
                    late[name] = instruction
                    continue
            self._forward(line)
        grads = dict.fromkeys(self.wrt.values()) | {self.loss: None}
        grads |= dict.fromkeys(v for line in self.backward for v in (line.writes, *line.reads) if v is not None)
        for version in grads:
            if version.grad is not None:
                self._make(version.spec, version.grad)
        seed = self._fresh("agrad_1")
        dtype = _NAMES[self.loss.spec.dtype]
        self.out.append(Instruction("argset", (Operand(1.0),), (Operand(seed),), dtype))
        self._emit("constant", self.loss.spec, [seed], str(self.loss.grad))
        last = {v.name: line for line in self.backward for v in (*line.reads, line.writes) if v is not None}
        for line in self.backward:
            self.out.append(self._backward(line))
            for name in [name for name in late if last[name] is line]:
                self.out.append(late.pop(name))
        return Program(self.out, self.program.naming)

    def _emit(self, op: str, spec: TensorSpec, operands: list[str], result: str) -> None:
        names = tuple(Operand(name) for name in operands)
        self.out.append(Instruction(op, names, (Operand(result),), _NAMES[spec.dtype]))

    def _make(self, spec: TensorSpec, name: str) -> None:
        """Lines that make a tensor of zeros."""
        vector = self.shapes.get(spec.shape)
        if vector is None:
            vector = self.shapes[spec.shape] = self._fresh("_".join(["vgrad", *map(str, spec.shape)]))
            lengths = tuple(Operand(n) for n in spec.shape)
            self.out.append(Instruction("argset", lengths, (Operand(vector),), "int64"))
        self._emit("newtensor", spec, [vector], name)

    def _forward(self, line: Line) -> None:
        """The line, with versions that were moved under their new names."""
        instruction, made = line.instruction, line.writes
        operands = _renamed(line, instruction.operands)
        if made is not None and made.cell is not None:
            if instruction.op == "newtensor":
                self.out.append(instruction)
                self._make(made.spec, made.cell)
                return
            self._make(made.spec, made.cell)
            if instruction.op == "load":
                self.out += [instruction]
                self._emit("copytensor", made.spec, [made.name], made.cell)
                return
            result = dataclasses.replace(instruction.results[0], value=made.cell)
            instruction = dataclasses.replace(instruction, operands=operands, results=(result,))
        elif operands != instruction.operands or (line.result is not None and line.result.cell is not None):
            results = instruction.results
            if line.result is not None and line.result.cell is not None:
                results = (dataclasses.replace(results[0], value=line.result.cell),)
            instruction = dataclasses.replace(instruction, operands=operands, results=results)
        self.out.append(instruction)

    def _backward(self, line: Line) -> Instruction:
        flows = iter(zip(line.reads, self._flows(line)))
        operands = []
        for place, operand in assigned(line.resolved.form, line.instruction):
            if place.kind == "t":
                version, flow = next(flows)
                operands.append(Operand(version.cell or version.name, version.grad if flow else "_"))
            else:
                operands.append(Operand(self._held(line, operand)))  # type: ignore[arg-type]
        assert line.writes is not None
        result = Operand(line.writes.cell or line.writes.name, line.writes.grad)
        dtype = line.instruction.dtype or _NAMES[line.writes.spec.dtype]
        return Instruction(line.instruction.op, tuple(operands), (result,), dtype, backward=True)

    def _held(self, line: Line, operand: Operand) -> Any:
        """An argument or vector as it was at the forward line: its name, or that of a new one where it has changed."""
        before = line.numbers.get(str(operand.value)) if operand.is_name else None
        if before is None or self.end.get(str(operand.value)) == before:
            return operand.value
        if (str(operand.value), before) in self.copies:
            return self.copies[str(operand.value), before]
        name = self.copies[str(operand.value), before] = self._fresh(str(operand.value))
        numbers = tuple(Operand(value) for value in before.values)
        self.out.append(Instruction("argset", numbers, (Operand(name),), _NAMES[before.dtype]))
        return name


def _written(resolved: Resolved) -> list[str]:
    """The tensors that a line writes."""
    line = resolved.instruction
    if line.backward:
        return list(dict.fromkeys(grad for *_, grad in resolved.gradients))
    if line.op == "newtensor":
        return [str(line.results[0].value)]
    if line.op == "load":
        return [resolved.tensors[0][1]]
    return [resolved.out[0]] if resolved.out is not None else []


def _renamed(line: Line, operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
    """Operands under the names at which their versions live."""
    versions = iter(line.reads)
    changed = []
    for place, operand in assigned(line.resolved.form, line.instruction):
        if place.kind == "t" and line.reads:
            version = next(versions)
            operand = dataclasses.replace(operand, value=version.cell) if version.cell is not None else operand
        changed.append(operand)
    return tuple(changed)
