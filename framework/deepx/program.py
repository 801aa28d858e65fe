"""Instructions and programs as data, and their canonical text.

An instruction is an operation, an element type, what stands on either side of the arrow, and a direction. Where it stood in
a text is kept for messages and takes no part in comparisons, as does what the text says about who sent it when (`meta`).
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Union

import numpy as np

from anfora.core import dtype as dt

__all__ = ["DTYPES", "Instruction", "Operand", "Program", "format", "literal_text"]

#: Element types by the names they have in programs.
DTYPES = {
    "float32": dt.float32, "float64": dt.float64, "int64": dt.int64, "int32": dt.int32, "int16": dt.int16,
    "int8": dt.int8, "float16": dt.float16, "bool": dt.bool_,
}  # fmt: skip

#: Instructions that may stand without an arrow, and are printed so.
BARE = ("argdel", "deltensor", "print", "save", "load")

Literal = Union[int, float]


@dataclass(frozen=True)
class Operand:
    """What stands in one place of an instruction.

    Args:
        value: a name, a number, or a tuple of numbers (a list in brackets).
        grad: the name of the gradient, `_` when none is wanted, None when the text has none.
        column: where it stands in its line, from 1.
    """

    value: str | Literal | tuple[Literal, ...]
    grad: str | None = None
    column: int | None = field(default=None, compare=False, repr=False)

    @property
    def is_name(self) -> bool:
        return isinstance(self.value, str)

    def __str__(self) -> str:
        if isinstance(self.value, tuple):
            return "[" + " ".join(literal_text(number) for number in self.value) + "]"
        if isinstance(self.value, str):
            return self.value if self.grad is None else f"{self.value}({self.grad})"
        return literal_text(self.value)


@dataclass(frozen=True)
class Instruction:
    """One line of a program.

    Args:
        op: the operation.
        operands: what stands left of the arrow.
        results: what stands right of it.
        dtype: the element type, None where the text has none.
        backward: whether the arrow is `<-`.
        meta: what the text says after `//`: `id`, `author`, `created_at`, `sent_at` and others.
        line, column, source: where it stands, and the line of text.
    """

    op: str
    operands: tuple[Operand, ...] = ()
    results: tuple[Operand, ...] = ()
    dtype: str | None = None
    backward: bool = False
    meta: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)
    line: int | None = field(default=None, compare=False, repr=False)
    column: int | None = field(default=None, compare=False, repr=False)
    source: str | None = field(default=None, compare=False, repr=False)

    def text(self, meta: bool = False) -> str:
        """The canonical text; with `meta`, what is known of it behind `//`."""
        words = [self.op + (f"@{self.dtype}" if self.dtype else "")]
        if self.op == "argset":
            words += [literal_text(operand.value, self.dtype) for operand in self.operands]
        else:
            words += [str(operand) for operand in self.operands]
        line = " ".join(words)
        if self.op not in BARE:
            line += "<-" if self.backward else "->"
            line += " ".join(str(operand) for operand in self.results)
        if meta and self.meta:
            line += " //" + " ".join(f"{key}={value}" for key, value in self.meta.items())
        return line

    __str__ = text


@dataclass(frozen=True)
class Program:
    """Instructions in the order in which they run. Programs can be joined with `+` and repeated with `*`.

    Args:
        instructions: the lines.
        naming: "strict" when the first letter of a name is its kind, "free" when its place is.

    Example:
        >>> from anfora.deepx import parse
        >>> print(parse(" argset@float32   1 -> a1 // set by hand") * 2)
        argset@float32 1.0->a1
        argset@float32 1.0->a1
    """

    instructions: tuple[Instruction, ...]
    naming: str = field(default="strict", compare=False)

    def __init__(self, instructions: Iterable[Instruction] = (), naming: str = "strict") -> None:
        object.__setattr__(self, "instructions", tuple(instructions))
        object.__setattr__(self, "naming", naming)

    def __iter__(self) -> Iterator[Instruction]:
        return iter(self.instructions)

    def __len__(self) -> int:
        return len(self.instructions)

    def __add__(self, other: Program) -> Program:
        if not isinstance(other, Program):
            return NotImplemented
        return Program(self.instructions + other.instructions, self.naming)

    def __mul__(self, times: int) -> Program:
        return Program(self.instructions * times, self.naming)

    def __str__(self) -> str:
        return "\n".join(instruction.text() for instruction in self.instructions)


def format(program: Program, meta: bool = False) -> str:
    """The canonical text of a program, a line for each instruction.

    Args:
        program: what `parse` gives.
        meta: whether to print, behind `//`, what the text said of each line's origin.
    Returns:
        text that `parse` reads back to an equal program. Comments are not part of a program, and are not printed.

    Example:
        >>> from anfora.deepx import parse
        >>> format(parse("add @ float32 t1   t2 -> t3"))
        'add@float32 t1 t2->t3\\n'
    """
    return "".join(instruction.text(meta) + "\n" for instruction in program)


def literal_text(value: Any, dtype: str | None = None) -> str:
    """A number as it stands in a program: shortest text that reads back, floats with a point or an exponent."""
    if isinstance(value, str):  # a name where a literal should be: shown as it is
        return value
    if dtype is not None and dtype in DTYPES and DTYPES[dtype].is_float:
        # The shortest digits of the narrow type, in Python's notation: numpy's differs between versions.
        return repr(float(str(DTYPES[dtype].numpy.type(value))))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    return builtins.format(int(value), "d")
