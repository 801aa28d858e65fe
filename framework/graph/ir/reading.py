"""From the complete text of a program back to its graphs.

    program  ::= graph+                                             the first is the entry
    graph    ::= "subgraph" NAME ["parent" ":" "[" "subgraph" NAME "]"] "(" parameter,* ")" [span] "{" guard* call* "}"
    guard    ::= "guard" "(" STRING ")"
    parameter::= "%paraN_name" [":" abstract] [span]
    call     ::= ("%N" ["(" name ")"] "=" ["call"] input | "Return") "(" input,* ")" [types] [span]
    types    ::= ":" "(" abstract,* ")" "->" "(" abstract ")" | "->" abstract
    input    ::= "%paraN_name" | "%N" | "$(" NAME ":" ("paraN_name" | "%N") ")" | NAME | constant

Parents and the abstracts of inputs are written for the reader: they follow from the rest, and are not believed.
"""

from __future__ import annotations

import base64
import functools
import json
import math
import re
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from anfora.core.abstract import TensorType
from anfora.core.dtype import ALL, DType
from anfora.core.op import Weak, registry
from anfora.core.span import Span
from anfora.core.tensor import from_buffer
from anfora.graph.ir import Abstract, AnfNode, CNode, FuncGraph, GraphError, Parameter, ValueNode
from anfora.graph.ir.primitives import PRIMITIVES
from anfora.graph.ir.text import PLAIN
from anfora.graph.ir.values import META, WORDS, Unresolved
from anfora.ops.methods import functions

__all__ = ["read"]

#: Constants that are written as calls, beside META and `object`.
_MAKERS: dict[str, Callable] = {
    "complex": complex, "slice": slice, "range": range, "bytes": bytes.fromhex,
    "frozenset": frozenset,
    "nan_bits": lambda bits: struct.unpack(">d", bytes.fromhex(bits))[0],
}  # fmt: skip
_DTYPES = {dtype.label: dtype for dtype in ALL}
_QUOTED = r'"(?:[^"\\]|\\.)*"'
_NAME = rf"(?:{PLAIN}|{_QUOTED})"
_BLANK = re.compile(r"(?:\s|\#[^\n]*(?:\n|\Z))*")  # there is one way to match a text: no comment is tried in parts
_TOKEN = re.compile(
    rf"""(?:
        (?P<graph>@{_NAME}(?:~\d+)?)
      | (?P<parameter>%?para\d+(?:_{_NAME})?(?!{PLAIN}))
      | (?P<call>%\d+)
      | (?P<string>{_QUOTED})
      | (?P<number>-?(?:0x[\da-f]+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|inf|nan)(?![\w.]))
      | (?P<arrow>->)
      | (?P<word>{PLAIN})
      | (?P<sign>[()\[\]{{}},:=$<>])
      | (?P<end>\Z)
    )""",
    re.VERBOSE,
)
_NAMED = re.compile(rf"\s*{_NAME}\s*\)\s*=")


def read(text: str, names: Mapping[str, Any] | None = None) -> FuncGraph:
    """The program that a text tells of.

    Args:
        text: what `text.complete` wrote.
        names: objects of the program that the text calls by name. No other name is looked up anywhere: it stays
            unresolved, and raises when it is used.
    Returns:
        the graph in which the program starts.
    Raises:
        GraphError: the text is not of this form; it says at which line.
    Example:
        >>> graph = read("subgraph @f(%para1_x) { %0(y) = mul(%para1_x, 2) Return(%0) }")
        >>> print(graph.anf())
        lambda (x)
            let y = x * 2 in
            y end
    """
    reader = _Reader(text, names or {})
    try:
        return reader.program()
    except RecursionError:
        raise reader.error("brackets stand in too many brackets") from None


class _Reader:
    def __init__(self, text: str, names: Mapping[str, Any]) -> None:
        self.text, self.names = text, names
        self.at = 0
        self.kind = self.token = ""
        self.graphs: dict[str, FuncGraph] = {}
        self.parameters: dict[str, Parameter] = {}
        self.calls: dict[tuple[str, str], CNode] = {}
        self.next()

    # -- tokens -------------------------------------------------------------------------------------------------------

    def next(self) -> str:
        """The current token; steps to the one behind it."""
        token = self.token
        blank = _BLANK.match(self.text, self.at)
        assert blank is not None
        match = _TOKEN.match(self.text, blank.end())
        if match is None:
            self.at, self.token = blank.end(), ""
            raise self.error(f"unreadable: {self.text[self.at : self.at + 20]!r}")
        assert match.lastgroup is not None
        self.kind, self.token, self.at = match.lastgroup, match[match.lastgroup], match.end()
        return token

    def error(self, message: str, help: str | None = None) -> GraphError:
        line = self.text.count("\n", 0, max(self.at - len(self.token), 0)) + 1
        return GraphError(f"the text of a graph, line {line}: {message}", help=help)

    def expect(self, token: str) -> None:
        if self.token != token:
            raise self.error(f"expected `{token}`, but got `{self.token or 'the end'}`")
        self.next()

    def take(self, kind: str, what: str) -> str:
        if self.kind != kind:
            raise self.error(f"expected {what}, but got `{self.token or 'the end'}`")
        return self.next()

    def accept(self, token: str) -> bool:
        found = self.token == token
        if found:
            self.next()
        return found

    def sequence(self, item: Callable[[], Any], opening: str = "(", closing: str = ")") -> list:
        """Items between brackets, with commas between them."""
        self.expect(opening)
        items = []
        while self.token != closing:
            items.append(item())
            if self.token != closing:
                self.expect(",")
        self.next()
        return items

    def string(self) -> str:
        return self.unquoted(self.take("string", "a string"))

    def unquoted(self, name: str) -> str:
        """What a name, or a string, says."""
        if not name.startswith('"'):
            return name
        try:
            return json.loads(name)
        except ValueError:
            raise self.error(f"{name[:60]} is no string") from None

    # -- graphs -------------------------------------------------------------------------------------------------------

    def program(self) -> FuncGraph:
        start = self.at, self.kind, self.token
        self.outline()
        self.at, self.kind, self.token = start
        while self.kind != "end":
            self.graph()
        return next(iter(self.graphs.values()))

    def outline(self) -> None:
        """Make every graph, parameter and call, since inputs may name what stands further down."""
        while self.kind != "end":
            self.expect("subgraph")
            label = self.take("graph", "the name of a graph")
            if label in self.graphs:
                raise self.error(f"the graph {label} comes twice")
            graph = self.graphs[label] = FuncGraph(self.unquoted(re.sub(r"~\d+$", "", label)[1:]))
            self.parents()
            self.sequence(functools.partial(self.parameter, graph))
            graph.span = self.span()
            self.expect("{")
            while self.token != "}":
                if self.kind == "end":
                    raise self.error(f"the graph {label} has no end")
                kind, token = self.kind, self.next()
                if kind == "call" and self.token in ("=", "(") and self.is_definition():
                    if (label, token) in self.calls:
                        raise self.error(f"{token} of {label} comes twice")
                    self.calls[label, token] = graph.apply(None)
            self.next()
        if not self.graphs:
            raise self.error("there is no graph")

    def is_definition(self) -> bool:
        """Whether the number just read is being defined: `%0 =` or `%0(name) =`, and no call of what a node gives."""
        return self.token == "=" or _NAMED.match(self.text, self.at) is not None

    def parameter(self, graph: FuncGraph) -> None:
        label = self.take("parameter", "a parameter").removeprefix("%")
        number, _, name = label.partition("_")
        made = graph.parameter(self.unquoted(name) if name else None)
        if number in self.parameters:
            raise self.error(f"%{number} comes twice")
        self.parameters[number] = made
        if self.accept(":"):
            made.abstract = self.abstract()
        made.span = self.span()

    def graph(self) -> None:
        """Read the calls of a graph that the outline has made."""
        self.expect("subgraph")
        label = self.next()
        graph = self.graphs[label]
        self.parents()
        known = graph.parameters
        self.sequence(lambda: (self.next(), self.accept(":") and self.abstract(), self.span()))
        assert graph.parameters == known
        self.span()
        self.expect("{")
        while self.accept("guard"):
            graph.guards += self.sequence(self.string)
        while not self.accept("}"):
            if graph.return_ is not None:
                raise self.error(f"a call stands behind the Return of {label}")
            if self.accept("Return"):
                inputs = self.sequence(lambda: self.input(label))
                if len(inputs) != 1:
                    raise self.error(f"Return takes one value, but got {len(inputs)}")
                graph.output = inputs[0]
                assert graph.return_ is not None
                self.details(graph.return_)
                continue
            number = self.take("call", "a call")
            if (label, number) not in self.calls:
                raise self.error(f"expected `{number} = …`")
            call = self.calls[label, number]
            if self.accept("("):
                call.name = self.string() if self.kind == "string" else self.next()
                self.expect(")")
            self.expect("=")
            self.accept("call")
            function = self.input(label)
            call._inputs = (function, *self.sequence(lambda: self.input(label)))
            self.details(call)
        if graph.return_ is None:
            raise self.error(f"the graph {label} has no Return")

    def parents(self) -> None:
        if self.accept("parent"):
            self.expect(":")
            self.sequence(self.parent, "[", "]")

    def parent(self) -> None:
        self.expect("subgraph")
        self.take("graph", "the name of a graph")

    def details(self, call: CNode) -> None:
        """What may stand behind a call: abstracts and span."""
        if self.accept(":"):
            self.sequence(self.abstract)
            self.take("arrow", "`->`")
            results = self.sequence(self.abstract)
            if len(results) > 1:
                raise self.error(f"a call gives one value, but here are {len(results)}")
            [call.abstract] = results or [None]
        elif self.accept("->"):
            call.abstract = self.abstract()
        call.span = self.span()

    def span(self) -> Span | None:
        if not self.accept("span"):
            return None
        parts = self.sequence(self.value)
        if len(parts) != 6:
            raise self.error("a span has a file, two lines, two columns and a function")
        file, line, end_line, column, end_column, function = parts
        places = (line, end_line, column, end_column)
        are_places = all(place is None or _is_size(place) for place in places)
        if not isinstance(file, str) or not isinstance(function, str) or not are_places:
            raise self.error(f"a span has a file, two lines, two columns and a function, but this is {tuple(parts)}")
        return Span(file, line, function, end_line, column, end_column)

    def abstract(self) -> Abstract:
        self.expect("<")
        word = self.next()
        result: Abstract = None
        if word == "Tensor":
            kinds = self.sequence(self.value, "[", "]")
            self.expect(",")
            shape = tuple(self.sequence(self.value))
            if len(kinds) != 1 or not isinstance(kinds[0], DType) or not _is_shape(shape):
                raise self.error(f"a tensor has an element type and a shape, but here are {kinds} and {shape}")
            result = TensorType(kinds[0], shape)
        elif word == "Tuple":
            result = tuple(self.sequence(self.abstract, "[", "]"))
        elif word in ("Bool", "Int", "Float"):
            self.expect(",")
            self.expect("NoShape")
            result = Weak({"Bool": bool, "Int": int, "Float": float}[word])
        elif word != "null":
            raise self.error(f"unknown type `{word}`")
        self.expect(">")
        return result

    # -- inputs -------------------------------------------------------------------------------------------------------

    def input(self, label: str) -> AnfNode:
        if self.accept("$"):
            self.expect("(")
            owner = self.take("graph", "the name of a graph")
            self.expect(":")
            node = self.node(owner)
            self.expect(")")
            return node
        if self.kind in ("parameter", "call"):
            return self.node(label)
        if self.kind == "graph":
            name = self.next()
            if name not in self.graphs:
                raise self.error(f"there is no graph {name}")
            return ValueNode(self.graphs[name])
        return ValueNode(self.value())

    def node(self, label: str) -> AnfNode:
        kind, token = self.kind, self.next()
        number = token.removeprefix("%").partition("_")[0]
        node = self.parameters.get(number) if kind == "parameter" else self.calls.get((label, token))
        if node is None or node.graph is not self.graphs.get(label):
            raise self.error(f"there is no {token} in {label}")
        return node

    def value(self) -> Any:
        """A constant."""
        if self.kind == "number":
            text = self.next()
            if not re.fullmatch(r"-?(0x[\da-f]+|\d+)", text):
                return float(text)
            try:
                return int(text, 16 if "x" in text else 10)
            except ValueError:
                raise self.error(f"a number of {len(text)} digits is written with 0x") from None
        if self.kind == "string":
            return self.string()
        if self.token == "(":
            return tuple(self.sequence(self.value))
        if self.token == "[":
            return self.sequence(self.value, "[", "]")
        word = self.take("word", "a value")
        if word in WORDS:
            return WORDS[word]
        if word in PRIMITIVES:
            return PRIMITIVES[word]
        if word in _DTYPES:
            return _DTYPES[word]
        family, _, name = word.partition(".")
        if family == "ops" and name in functions:
            return functions[name]
        if family == "registry" and name in registry:
            return registry[name]
        if word == "Tensor":
            return self.tensor()
        if word not in META and word not in _MAKERS and word != "object":
            raise self.error(f"unknown value `{word}`")
        arguments = self.sequence(self.value)
        maker = META[word][0] if word in META else _MAKERS.get(word, self.object)
        try:
            return maker(*arguments)
        except GraphError:
            raise
        except (TypeError, ValueError, ArithmeticError, struct.error) as error:
            raise self.error(f"{word}{tuple(arguments)} is no value: {error}") from None

    def object(self, name: str) -> Any:
        if type(name) is not str:
            raise TypeError(f"the name of an object is a text, not {name!r}")
        return self.names[name] if name in self.names else Unresolved(name)

    def tensor(self) -> Any:
        fields: dict[str, Any] = {}

        def field() -> None:
            name = self.take("word", "shape, dtype or data")
            self.expect("=")
            if name == "value":
                raise self.error("the elements of tensors are shortened here", help="read the complete text.")
            fields[name] = self.value()

        self.sequence(field)
        try:
            dtype, shape = fields["dtype"], fields["shape"]
            data = base64.b64decode(fields["data"], validate=True)
            if not isinstance(dtype, DType) or not isinstance(shape, (tuple, list)) or not _is_shape(shape):
                raise ValueError(f"an element type and a shape are needed, but here are {dtype} and {shape}")
            if len(data) != math.prod(shape) * dtype.itemsize:
                raise ValueError(f"{len(data)} bytes")
            return from_buffer(np.frombuffer(data, dtype.storage).reshape(shape).copy(), dtype)
        except KeyError as error:
            raise self.error(f"this is no tensor: it has no {error.args[0]}") from None
        except (TypeError, ValueError) as error:
            raise self.error(f"this is no tensor: {error}") from None


def _is_shape(lengths: Sequence) -> bool:
    return all(map(_is_size, lengths))


def _is_size(number: Any) -> bool:
    return type(number) is int and 0 <= number < 1 << 63
