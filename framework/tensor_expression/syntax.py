"""From the text of a kernel to a tree whose nodes know their place in the text.

    kernel  = stmt { stmt } ;                       stmt    = ( tref | sref ) "=" expr ";" ;
    expr    = term { ( "+" | "-" ) term } ;         term    = unary { ( "*" | "/" | "//" | "%" ) unary } ;
    unary   = [ "-" ] unary | factor ;
    factor  = "(" expr ")" | tref | sref | FLOAT | INT | call ;
    call    = ( "exp" | "log" | "sqrt" | "tanh" | "abs" ) "(" expr ")" | ( "max" | "min" ) "(" expr "," expr ")"
            | "select" "(" expr compare expr "," expr "," expr ")" ;
    tref    = ID "<" INT { "," INT } ">" "[" index { "," index } "]" ;      sref = ID "<" "1" ">" ;
    index   = iterm { ( "+" | "-" ) iterm } ;       iterm   = ifactor { ( "*" | "//" | "%" ) ifactor } ;
    ifactor = "(" index ")" | ID | INT ;

Index expressions become `Affine` at once; what that form cannot hold is an error here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn, Union

from anfora.tensor_expression.affine import Affine
from anfora.tensor_expression.errors import KernelError

__all__ = ["Call", "Expression", "Number", "Operation", "Position", "Reference", "Selection", "Statement", "parse"]

FUNCTIONS = {"exp": 1, "log": 1, "sqrt": 1, "tanh": 1, "abs": 1, "max": 2, "min": 2}
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


@dataclass(frozen=True)
class Position:
    """One index of a reference: its value, and what of its spelling matters."""

    value: Affine
    names: tuple[str, ...]  #: in the order of the text, also those that cancel
    is_name: bool  #: nothing but a name
    at: int


@dataclass(frozen=True)
class Reference:
    """A use of a tensor; of a scalar if it has no positions."""

    name: str
    shape: tuple[int, ...]
    positions: tuple[Position, ...]
    at: int

    @property
    def names(self) -> list[str]:
        return [name for position in self.positions for name in position.names]


@dataclass(frozen=True)
class Number:
    value: float
    is_float: bool
    at: int


@dataclass(frozen=True)
class Operation:
    """`a op b`; a negation has no `b`."""

    op: str
    a: Expression
    b: Expression | None
    at: int


@dataclass(frozen=True)
class Call:
    name: str
    arguments: tuple[Expression, ...]
    at: int


@dataclass(frozen=True)
class Selection:
    """`select(a compare b, yes, no)`."""

    compare: str
    a: Expression
    b: Expression
    yes: Expression
    no: Expression
    at: int


Expression = Union[Reference, Number, Operation, Call, Selection]


@dataclass(frozen=True)
class Statement:
    target: Reference
    value: Expression
    at: int


def references(expression: Expression) -> Iterator[Reference]:
    """The uses of tensors, from left to right."""
    if isinstance(expression, Reference):
        yield expression
    for part in parts(expression):
        yield from references(part)


def parts(expression: Expression) -> tuple[Expression, ...]:
    """What an expression is made of."""
    if isinstance(expression, Operation):
        return (expression.a,) if expression.b is None else (expression.a, expression.b)
    if isinstance(expression, Call):
        return expression.arguments
    if isinstance(expression, Selection):
        return expression.a, expression.b, expression.yes, expression.no
    return ()


_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<float>(?:\d+\.\d*|\.\d+)(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)|(?P<int>\d+)"
    r"|(?P<id>[A-Za-z_][A-Za-z_0-9]*)|(?P<sign>//|<=|>=|==|!=|[-+*/%=;,()<>\[\]])",
    re.ASCII,
)


_DIGITS = 100  #: of a whole number; what it means, and whether it fits, is looked at later


@dataclass(frozen=True)
class _Token:
    kind: str  #: float, int, id, sign, end
    text: str
    at: int


def parse(text: str) -> list[Statement]:
    """The statements of a kernel. Raises KernelError with K-SYNTAX, K-RANK or K-INDEX."""
    reader = _Reader(text)
    statements = []
    try:
        while reader.token.kind != "end":
            statements.append(reader.statement())
    except RecursionError:
        reader.fail("the kernel is nested too deeply", help="use several statements.")
    if not statements:
        reader.fail("a kernel needs at least one statement", help='write one, e.g. "C<4>[i] = A<4>[i] + 1.0;".')
    return statements


@dataclass
class _Reader:
    """Recursive descent: one method for each rule of the grammar."""

    text: str
    tokens: list[_Token] = field(init=False)
    here: int = 0

    def __post_init__(self) -> None:
        self.tokens = []
        at = 0
        while at < len(self.text):
            match = _TOKEN.match(self.text, at)
            if match is None:
                raise KernelError(
                    "K-SYNTAX", f"the character {self.text[at]!r} has no meaning here", position=at, text=self.text
                )
            if match.lastgroup != "space":
                self.tokens.append(_Token(match.lastgroup or "", match.group(), at))
            at = match.end()
        self.tokens.append(_Token("end", "the end of the text", len(self.text)))

    @property
    def token(self) -> _Token:
        return self.tokens[self.here]

    def fail(self, message: str, *, code: str = "K-SYNTAX", at: int | None = None, help: str | None = None) -> NoReturn:
        raise KernelError(code, message, position=self.token.at if at is None else at, text=self.text, help=help)

    def take(self) -> _Token:
        token = self.token
        self.here += 1
        return token

    def sees(self, *signs: str) -> bool:
        return self.token.kind == "sign" and self.token.text in signs

    def expect(self, sign: str, help: str | None = None) -> _Token:
        if not self.sees(sign):
            got = self.token.text if self.token.kind == "end" else f"`{self.token.text}`"
            self.fail(f"expected `{sign}`, but found {got}", help=help)
        return self.take()

    def statement(self) -> Statement:
        if self.token.kind != "id":
            self.fail(f"a statement begins with a tensor, not with `{self.token.text}`")
        at = self.token.at
        target = self.reference()
        self.expect("=")
        value = self.expression()
        self.expect(";", help="every statement ends with a semicolon.")
        return Statement(target, value, at)

    # -- values ----------------------------------------------------------------------------------------------------

    def expression(self) -> Expression:
        left = self.term()
        while self.sees("+", "-"):
            sign = self.take()
            left = Operation(sign.text, left, self.term(), sign.at)
        return left

    def term(self) -> Expression:
        left = self.unary()
        while self.sees("*", "/", "//", "%"):
            sign = self.take()
            right = self.unary()
            if sign.text != "*" and isinstance(right, Number) and right.value == 0:
                self.fail("division by the constant 0", at=right.at)
            left = Operation(sign.text, left, right, sign.at)
        return left

    def unary(self) -> Expression:
        if self.sees("-"):
            sign = self.take()
            return Operation("-", self.unary(), None, sign.at)
        return self.factor()

    def factor(self) -> Expression:
        token = self.token
        if self.sees("("):
            self.take()
            inside = self.expression()
            self.expect(")")
            return inside
        if token.kind in ("int", "float"):
            self.take()
            return Number(
                float(token.text) if token.kind == "float" else self.whole(token), token.kind == "float", token.at
            )
        if token.kind == "id":
            following = self.tokens[self.here + 1]
            return self.call() if following.text == "(" else self.reference()
        got = token.text if token.kind == "end" else f"`{token.text}`"
        self.fail(f"expected a tensor, a number or `(`, but found {got}")

    def call(self) -> Expression:
        name = self.take()
        if name.text != "select" and name.text not in FUNCTIONS:
            self.fail(
                f"there is no function `{name.text}`", at=name.at, help=f"there are {', '.join(FUNCTIONS)} and select."
            )
        self.expect("(")
        if name.text == "select":
            a = self.expression()
            if not self.sees(*COMPARISONS):
                self.fail("the condition of select needs a comparison", help=f"one of {' '.join(COMPARISONS)}.")
            compare = self.take().text
            b = self.expression()
            self.expect(",")
            yes = self.expression()
            self.expect(",")
            no = self.expression()
            self.expect(")")
            return Selection(compare, a, b, yes, no, name.at)
        arguments = [self.expression()]
        for _ in range(FUNCTIONS[name.text] - 1):
            self.expect(",")
            arguments.append(self.expression())
        self.expect(")")
        return Call(name.text, tuple(arguments), name.at)

    # -- references ------------------------------------------------------------------------------------------------

    def reference(self) -> Reference:
        name = self.take()
        self.expect("<", help=f"the shape is spelled at every use: {name.text}<4, 16>[i, j], or {name.text}<1>.")
        shape = [self.size()]
        while self.sees(","):
            self.take()
            shape.append(self.size())
        self.expect(">")
        if not self.sees("["):
            if shape == [1]:
                return Reference(name.text, (), (), name.at)
            self.fail(
                f"`{name.text}` has {len(shape)} {_axes(len(shape))} and no indices",
                code="K-RANK", at=name.at,
                help=f"write {name.text}<{', '.join(map(str, shape))}>[…]; only <1> is a scalar.",
            )  # fmt: skip
        self.take()
        positions = [self.position()]
        while self.sees(","):
            self.take()
            positions.append(self.position())
        self.expect("]")
        if len(positions) != len(shape):
            self.fail(
                f"`{name.text}` has {len(shape)} {_axes(len(shape))}, but {len(positions)} "
                f"{'index' if len(positions) == 1 else 'indices'}",
                code="K-RANK", at=name.at,
            )  # fmt: skip
        return Reference(name.text, tuple(shape), tuple(positions), name.at)

    def size(self) -> int:
        if self.token.kind != "int":
            self.fail(f"a size is a whole number, not `{self.token.text}`")
        token = self.take()
        size = self.whole(token)
        if size < 1:
            self.fail("a size is at least 1, but this is 0", at=token.at)
        return size

    def whole(self, token: _Token) -> int:
        if len(token.text) > _DIGITS:
            self.fail(f"a whole number has at most {_DIGITS} digits, but this has {len(token.text)}", at=token.at)
        return int(token.text)

    def position(self) -> Position:
        start = self.here
        value = self.index()
        used = self.tokens[start : self.here]
        names = tuple(token.text for token in used if token.kind == "id")
        return Position(value, names, len(used) == 1 and used[0].kind == "id", used[0].at)

    def index(self) -> Affine:
        left = self.index_term()
        while self.sees("+", "-"):
            sign = self.take()
            left = left.plus(self.index_term(), 1 if sign.text == "+" else -1)
        return left

    def index_term(self) -> Affine:
        left = self.index_factor()
        while self.sees("*", "//", "%", "/"):
            sign = self.take()
            right = self.index_factor()
            if sign.text == "/":
                self.fail("an index has no `/`", code="K-INDEX", at=sign.at, help="use the floored `//`.")
            if sign.text == "*" and right.terms and not left.terms:
                left, right = right, left
            if right.terms:
                what = "product of indices" if sign.text == "*" else f"`{sign.text}` by an index"
                self.fail(
                    f"an index has no {what}", code="K-INDEX", at=sign.at, help="one side must be a positive constant."
                )
            by = right.constant
            if by <= 0:
                self.fail(f"`{sign.text}` in an index needs a positive constant, not {by}", code="K-INDEX", at=sign.at)
            left = left * by if sign.text == "*" else left // by if sign.text == "//" else left % by
        return left

    def index_factor(self) -> Affine:
        token = self.token
        if self.sees("("):
            self.take()
            inside = self.index()
            self.expect(")")
            return inside
        if token.kind == "id":
            self.take()
            if self.sees("<", "[", "("):
                self.fail(f"an index is made of names and constants; `{token.text}` is used as a tensor",
                          code="K-INDEX", at=token.at)  # fmt: skip
            return Affine.variable(token.text)
        if token.kind == "int":
            self.take()
            return Affine.number(self.whole(token))
        if token.kind == "float":
            self.fail(f"an index is made of whole numbers, not {token.text}", code="K-INDEX")
        got = token.text if token.kind == "end" else f"`{token.text}`"
        self.fail(f"expected an index, but found {got}")


def _axes(count: int) -> str:
    return "axis" if count == 1 else "axes"
