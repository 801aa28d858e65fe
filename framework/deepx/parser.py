"""Text to a program.

A line is cut into tokens, then read from left to right: operation, type, operands, arrow, results. The first arrow decides
the direction. Names and numbers need a blank between them; signs, brackets and arrows do not.

Two ways of writing that the language's first texts have are read too, and told on stderr: `>` for `->`, and a row with `<-`
in which no tensor has a gradient name; each gradient is then the tensor's name with `_grad` behind it.
"""

from __future__ import annotations

import dataclasses
import re
import sys
from typing import Any, NamedTuple

from anfora.deepx.errors import DeepxError
from anfora.deepx.program import BARE, Instruction, Operand, Program
from anfora.deepx.rules import assigned, converted_literals, form_of, verify, verify_gradients

__all__ = ["parse", "read"]

_TOKEN = re.compile(
    r"(?P<blank>[ \t\r\f\v]+)"
    r"|(?P<arrow>->|<-|>)"
    r"|(?P<number>[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_.]*)"
    r"|(?P<sign>[@()\[\]])"
)
_HINTS = {"<": "did you mean <-", "-": "did you mean ->", "=": "did you mean ->"}
_WORDS = ("number", "name")


class Token(NamedTuple):
    kind: str
    text: str
    column: int
    touches: bool  #: no blank between it and the token before


def parse(text: str, naming: str = "strict") -> Program:
    """Read a program.

    Args:
        text: lines of instructions; `//` starts a comment.
        naming: "strict": the first letter of a name is its kind, t(ensor), a(rgument) or v(ector). "free": any name may
            stand anywhere, its place says what it is.
    Returns:
        the program, in which every line is right as far as the line alone can tell. `>` was read as `->`, and a row with
        `<-` and no gradient names has got them, `t1(t1_grad)`; each is told on stderr.
    Raises:
        DeepxError: with code, line and column of the first line that is wrong.

    Example:
        >>> program = parse('''
        ... argset@int32 2 3->v1     // a shape
        ... newtensor@float32 v1->t1
        ... ''')
        >>> len(program), program.instructions[1].op
        (2, 'newtensor')
    """
    program = read(text, naming)
    for instruction in program:
        verify_gradients(instruction)
    return program


def read(text: str, naming: str = "strict") -> Program:
    """`parse` without the rules of gradient names, which come after those of existence, types and shapes."""
    if naming not in ("strict", "free"):
        raise ValueError(f"naming must be 'strict' or 'free', but is {naming!r}")
    lines = text.replace("\r\n", "\n").split("\n")
    found = (_read_line(line.rstrip("\r"), number, naming) for number, line in enumerate(lines, 1))
    return Program([instruction for instruction in found if instruction is not None], naming)


def _read_line(line: str, number: int, naming: str) -> Instruction | None:
    code, slashes, trailer = line.partition("//")
    reader = _Reader(code, line, number)
    if not reader.tokens:
        return None
    instruction = reader.instruction(_meta(trailer) if slashes else {})
    verify(instruction, naming)
    return converted_literals(_with_gradients(instruction))


def _with_gradients(instruction: Instruction) -> Instruction:
    """A backward row in which no gradient is named, with the names that gradients have by default. Where some are named,
    one that is missing has been forgotten."""
    if not instruction.backward or any(o.grad is not None for o in (*instruction.operands, *instruction.results)):
        return instruction
    form = form_of(instruction)
    operands = tuple(
        operand if place.kind != "t"
        else dataclasses.replace(operand, grad=f"{operand.value}_grad" if place.name in form.gradients else "_")
        for place, operand in assigned(form, instruction)
    )  # fmt: skip
    [result] = instruction.results
    named = dataclasses.replace(
        instruction, operands=operands, results=(dataclasses.replace(result, grad=f"{result.value}_grad"),)
    )
    _note(instruction.line, instruction.column, f"no gradient has a name; read as `{named}`")
    return named


def _note(line: int | None, column: int | None, message: str) -> None:
    """Tell how a line was read that could have been written otherwise."""
    print(f"deepx: note: line {line}, column {column}: {message}", file=sys.stderr)


def _meta(trailer: str) -> dict[str, Any]:
    """What a trailer says in the form key=value; other words are comment."""
    meta: dict[str, Any] = {}
    for word in trailer.split():
        key, equals, value = word.partition("=")
        if equals and key:
            meta[key] = value
            if key in ("id", "created_at", "sent_at"):
                try:
                    meta[key] = (int if key == "id" else float)(value)
                except ValueError:  # the deepx front end writes None
                    pass
    return meta


class _Reader:
    """The tokens of one line, and a position among them."""

    def __init__(self, code: str, line: str, number: int) -> None:
        self.line, self.number = line, number
        self.tokens: list[Token] = []
        self.at = 0
        position, touches = 0, False
        while position < len(code):
            match = _TOKEN.match(code, position)
            if match is None:
                character = code[position]
                raise self.error(f"unexpected {character!r}", position + 1, help=_HINTS.get(character))
            if match.lastgroup == "blank":
                touches = False
            else:
                token = Token(str(match.lastgroup), match.group(), position + 1, touches)
                if touches and token.kind in _WORDS and self.tokens[-1].kind in _WORDS:
                    raise self.error(f"a blank is missing before {token.text!r}", token.column)
                self.tokens.append(token)
                touches = True
            position = match.end()

    def error(self, message: str, column: int, help: str | None = None) -> DeepxError:
        return DeepxError("E-SYNTAX", message, line=self.number, column=column, source=self.line, help=help)

    def peek(self, *wanted: str) -> bool:
        """Whether the next token is of a kind, or is a sign."""
        if self.at == len(self.tokens):
            return False
        token = self.tokens[self.at]
        return token.kind in wanted or (token.kind == "sign" and token.text in wanted)

    def take(self, wanted: str, what: str) -> Token:
        if not self.peek(wanted):
            raise self.unexpected(what)
        self.at += 1
        return self.tokens[self.at - 1]

    def unexpected(self, what: str) -> DeepxError:
        if self.at == len(self.tokens):
            last = self.tokens[-1]
            return self.error(f"the line ends where {what} is needed", last.column + len(last.text))
        token = self.tokens[self.at]
        return self.error(f"unexpected {token.text!r} where {what} is needed", token.column)

    def instruction(self, meta: dict[str, Any]) -> Instruction:
        op = self.take("name", "the name of an instruction")
        if "." in op.text or op.text.startswith("_"):
            raise self.error(f"{op.text!r} cannot name an instruction: letters, digits and _ can", op.column)
        dtype = None
        if self.peek("@"):
            self.at += 1
            dtype = self.take("name", "an element type").text
        operands = self.operands()
        backward = False
        results: tuple[Operand, ...] = ()
        if self.peek("arrow"):
            arrow = self.tokens[self.at]
            backward = arrow.text == "<-"
            if arrow.text == ">":
                _note(self.number, arrow.column, "read > as ->")
            self.at += 1
            results = self.operands()
        elif op.text not in BARE and self.at == len(self.tokens):
            end = len(self.line.partition("//")[0].rstrip())
            raise self.error(f"{op.text}: the arrow is missing", end + 1, help=f"write {op.text} operands->results")
        if self.at < len(self.tokens):
            raise self.unexpected("a name or a number")
        for operand in (*operands, *results):
            if operand.grad is not None and not backward:
                assert operand.column is not None
                raise self.error(
                    f"{operand} has a gradient name on a line with ->", operand.column, help="gradients need <-"
                )
        return Instruction(op.text, operands, results, dtype, backward, meta, self.number, op.column, self.line)

    def operands(self) -> tuple[Operand, ...]:
        found = []
        while self.peek("name", "number", "["):
            token = self.tokens[self.at]
            self.at += 1
            if token.kind == "name":
                found.append(Operand(token.text, self.gradient(token), token.column))
            elif token.kind == "number":
                found.append(Operand(_number(token.text), column=token.column))
            else:
                numbers = []
                while self.peek("number"):
                    numbers.append(_number(self.tokens[self.at].text))
                    self.at += 1
                if not self.peek("]"):
                    if self.at == len(self.tokens):
                        raise self.error("the [ is never closed", token.column)
                    raise self.unexpected("a number or ]")
                self.at += 1
                found.append(Operand(tuple(numbers), column=token.column))
        return tuple(found)

    def gradient(self, name: Token) -> str | None:
        if not self.peek("("):
            return None
        opened = self.tokens[self.at]
        self.at += 1
        token = self.take("name", "the name of a gradient")
        if not self.peek(")"):
            if self.at == len(self.tokens):
                raise self.error(f"the ( after {name.text} is never closed", opened.column)
            raise self.unexpected(")")
        self.at += 1
        return token.text


def _number(text: str) -> int | float:
    if any(mark in text for mark in ".eE") or len(text) > 400:  # Python refuses to read very long integers
        return float(text)
    return int(text)
