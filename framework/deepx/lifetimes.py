"""How long cells live: `deltensor` behind the last use, and cells that are used again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from anfora.deepx.program import Instruction, Operand, Program

__all__ = ["delete_unused", "reuse_cells"]


def _tensors(operands: Iterable[Operand]) -> Iterator[str]:
    for operand in operands:
        if isinstance(operand.value, str) and operand.value.startswith("t"):
            yield operand.value


def _last_uses(program: Program) -> dict[str, int]:
    """For each tensor the last instruction that names it."""
    last: dict[str, int] = {}
    for i, line in enumerate(program):
        for name in (*_tensors(line.operands), *_tensors(line.results)):
            last[name] = i
    return last


def delete_unused(program: Program, keep: Iterable[str]) -> Program:
    """Delete each tensor that a forward program makes behind its last use, but for those to keep."""
    last, kept = _last_uses(program), set(keep)
    made = {line.results[0].value for line in program if line.op == "newtensor"} - kept
    lines: list[Instruction] = []
    for i, line in enumerate(program):
        lines.append(line)
        gone = dict.fromkeys(name for name in (*_tensors(line.operands), *_tensors(line.results)) if last[name] == i)
        lines += [Instruction("deltensor", (Operand(name),)) for name in gone if name in made]
    return Program(lines, program.naming)


def reuse_cells(program: Program, keep: Iterable[str]) -> Program:
    """Let a result take the cell of a tensor of its type and shape that is not needed any more, an operand's too.

    The program must be a forward program in which each tensor has one `newtensor` and one line that writes it, and
    vectors are never set again: what a `Writer` writes. Backward lines may need what is overwritten then; `differentiate`
    says so, and `rename=True` gives it cells of its own.
    """
    last, kept = _last_uses(program), set(keep)
    lines = list(program)
    writes = {line.results[0].value: i for i, line in enumerate(lines) if line.op not in ("newtensor", "argset")}
    kinds: dict[str, tuple] = {}  #: of the tensors that the program makes: element type, and the name of the shape
    cells: dict[str, str] = {}  #: where they live
    free: dict[tuple, list[str]] = {}
    taken: set[str] = set()  #: tensors whose cell went to the result of the line that uses them last
    result: list[Instruction] = []

    def moved(operands: tuple[Operand, ...]) -> tuple[Operand, ...]:
        return tuple(replace(x, value=cells.get(x.value, x.value)) if x.is_name else x for x in operands)  # type: ignore[arg-type, call-overload]

    for i, line in enumerate(lines):
        if line.op == "newtensor":
            name, kind = str(line.results[0].value), (line.dtype, line.operands[0].value)
            kinds[name], cells[name] = kind, name
            written = writes.get(name)
            if written is not None and name not in kept:  # else its zeros are wanted, or its name is
                ending = [x for x in _tensors(lines[written].operands) if last[x] == written and kinds.get(x) == kind]
                ending = [x for x in ending if x not in kept | taken]
                if ending:
                    taken.add(ending[0])
                    cells[name] = cells[ending[0]]
                    continue
                if free.get(kind):
                    cells[name] = free[kind].pop()
                    continue
            result.append(line)
            continue
        result.append(replace(line, operands=moved(line.operands), results=moved(line.results)))
        for name in dict.fromkeys((*_tensors(line.operands), *_tensors(line.results))):
            if last[name] == i and name in kinds and name not in kept | taken:
                free.setdefault(kinds[name], []).append(cells[name])
    return Program(result, program.naming)
