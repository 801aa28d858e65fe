"""deepx IR: a line-oriented text language for tensor programs, run by this package's operators.

program.py      instructions and programs as data, and their canonical text
parser.py       text to a program                      errors.py     one error family: code, line, column, caret
table.py        every instruction: places, shapes, meaning, gradients; forms.py, what a row is made of
rules.py        what one line says about itself        cells.py      what a line says about named cells: `check`
suggestions.py  what to write for a name that is none
machine.py      memory with data: `run`                gradient.py   `differentiate`
lowering.py     a writer of programs, and layers in instructions
export.py       `export`: a network as a program; operators.py, operators in instructions
lifetimes.py    fewer cells: `deltensor`, and cells that are used again
__main__.py     python -m anfora.deepx check|format|run|grad FILE
"""

from typing import TYPE_CHECKING

from anfora.core.nearest import missing_in
from anfora.deepx.cells import Cells, TensorSpec, check
from anfora.deepx.errors import DeepxError
from anfora.deepx.export import export
from anfora.deepx.gradient import differentiate
from anfora.deepx.lowering import Writer
from anfora.deepx.machine import Machine, run
from anfora.deepx.parser import parse
from anfora.deepx.program import Instruction, Operand, Program, format

__all__ = [
    "Cells", "DeepxError", "Instruction", "Machine", "Operand", "Program", "TensorSpec", "Writer", "check",
    "differentiate", "export", "format", "parse", "run",
]  # fmt: skip


if not TYPE_CHECKING:  # type checkers report names that are missing by themselves
    __getattr__ = missing_in(__name__)
