"""One family of errors: a code, where in the text, and a sentence that names cells, shapes and types.

E-SHAPE: add: t1 is float32[2, 3] and t2 is float32[3]; all tensors need one shape
  line 7, column 16
    add@float32 t1 t2->t3
                   ^
"""

from __future__ import annotations

from anfora.core.errors import OpValueError

__all__ = ["CODES", "DeepxError", "Fault"]

#: The codes, and what each one means.
CODES = {
    "E-SYNTAX": "the text is not an instruction",
    "E-OP": "there is no such instruction, or an operator has no lowering",
    "E-ARITY": "the number of operands or results is wrong",
    "E-NAME": "the first letter of a name does not fit its place",
    "E-OPERAND": "a literal, vector or tensor stands where another kind is needed",
    "E-DTYPE": "an element type is unknown or does not fit",
    "E-LITERAL": "a literal is not of its element type, or does not fit into it",
    "E-UNDEF": "a cell does not exist, or no longer",
    "E-EXISTS": "a tensor of this name exists",
    "E-SHAPE": "shapes, axes or positions do not fit",
    "E-NOGRAD": "the instruction has no backward",
    "E-GRADNAME": "a gradient name is missing, or stands where none may be",
    "E-INPLACE": "what backward reads was overwritten in place",
    "E-STALE": "what backward reads was overwritten since the forward line",
    "E-ZERODIV": "an integer was divided by zero",
}


class DeepxError(OpValueError):
    """A deepx program, or what it was given, is wrong.

    Args:
        code: one of `CODES`.
        message: what was expected and what came, one sentence.
        line, column: where in the text, counted from 1; None where that is not known.
        source: the line of text.
        help: what to do about it.
        place: of an exported network instead: where in its program.

    Example:
        >>> from anfora.deepx import parse
        >>> try:
        ...     parse("add@float32 t1 t2=t3")
        ... except DeepxError as error:
        ...     print(error)
        E-SYNTAX: unexpected '='
          line 1, column 18
            add@float32 t1 t2=t3
                             ^
          help: did you mean ->
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        line: int | None = None,
        column: int | None = None,
        source: str | None = None,
        help: str | None = None,
        place: str | None = None,
    ) -> None:
        super().__init__(message, help=help)
        self.place = place
        self.code, self.line, self.column, self.source = code, line, column, source

    def __str__(self) -> str:
        lines = [f"{self.code}: {self.message}"]
        if self.line is not None:
            lines.append(f"  line {self.line}" + (f", column {self.column}" if self.column is not None else ""))
        if self.source is not None:
            lines.append("    " + self.source.expandtabs(1))
            if self.column is not None:
                lines.append("    " + " " * (self.column - 1) + "^")
        if self.place:
            lines.append(self.place)
        if self.help:
            lines.append(f"  help: {self.help}")
        return "\n".join(lines)

    def __reduce__(self) -> tuple:
        return _rebuild, (self.code, self.message, self.line, self.column, self.source, self.help, self.place)


def _rebuild(
    code: str, message: str, line: int | None, column: int | None, source: str | None, help: str | None,
    place: str | None,
) -> DeepxError:  # fmt: skip
    return DeepxError(code, message, line=line, column=column, source=source, help=help, place=place)


class Fault(Exception):
    """An error at a place of an instruction, before it is known which line that is.

    Args:
        code, message, help: as in `DeepxError`.
        place: the name of the place in the instruction's form, `t1`; the caret points at what stands there.
    """

    def __init__(self, code: str, message: str, place: str | None = None, help: str | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.place, self.help = code, message, place, help
