"""The loop nest as text, to read: one line for each statement, indented by loops and conditions; or as the tree that it is,
one line for each node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from anfora.tensor_expression.affine import Condition
from anfora.tensor_expression.ir import (
    Access,
    Binary,
    Constant,
    If,
    Index,
    Kernel,
    Local,
    LoopNest,
    Select,
    Statement,
    Unary,
    Value,
    Variable,
)  # fmt: skip

__all__ = ["PRECEDENCE", "print_ir", "print_tree"]

PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "//": 2, "%": 2}


def print_ir(kernel: Kernel) -> str:
    """The text of a kernel."""
    lines = [f"kernel {kernel.name}({', '.join(map(_parameter, kernel.parameters))}) {kernel.dtype}"]
    lines += [f"    temp {_shaped(variable)}" for variable in kernel.temps]
    for nest in kernel.body:
        lines += _statement(nest, 1)
    return "\n".join(lines) + "\n"


def print_tree(kernel: Kernel) -> str:
    """The nodes of a kernel, each on a line, below it what it is made of."""
    lines = [f"Kernel {kernel.name} {kernel.dtype}"]
    lines += [f"    Variable {_parameter(variable)}" for variable in (*kernel.parameters, *kernel.temps)]
    for nest in kernel.body:
        lines += _node(nest, 1)
    return "\n".join(lines) + "\n"


def _node(node: Any, depth: int) -> Iterator[str]:
    pad = "    " * depth
    if isinstance(node, (Access, Local, Constant)):
        yield f"{pad}{type(node).__name__} {_value(node)}"
    elif isinstance(node, Index):
        yield f"{pad}Index {_loop(node)}"
    elif isinstance(node, Condition):
        yield f"{pad}Condition {node}"
    else:
        values = [getattr(node, field.name) for field in fields(node)]
        words = [value for value in values if isinstance(value, str)]
        yield " ".join([pad + type(node).__name__, *words])
        for value in values:
            for part in value if isinstance(value, tuple) else () if isinstance(value, str) else (value,):
                yield from _node(part, depth + 1)


def _parameter(variable: Variable) -> str:
    return f"{variable.role} {_shaped(variable)}"


def _shaped(variable: Variable) -> str:
    return f"{variable.name}<{', '.join(map(str, variable.shape)) or '1'}>"


def _statement(node: Statement, depth: int) -> Iterator[str]:
    pad = "    " * depth
    if isinstance(node, LoopNest):
        if node.indices:
            yield f"{pad}for {', '.join(map(_loop, node.indices))}"
        for inner in node.body:
            yield from _statement(inner, depth + bool(node.indices))
    elif isinstance(node, If):
        yield f"{pad}if {' and '.join(map(str, node.conditions))}"
        for inner in node.body:
            yield from _statement(inner, depth + 1)
    else:
        yield f"{pad}{_value(node.target)} {node.kind} {_value(node.value)}"


def _loop(index: Index) -> str:
    return f"{index.kind} {index.name} in {index.extent}"


def _value(node: Value, above: int = 0) -> str:
    if isinstance(node, Constant):
        return repr(node.value)
    if isinstance(node, Access):
        return f"{node.name}[{', '.join(map(str, node.indices))}]" if node.indices else node.name
    if isinstance(node, Local):
        return node.name
    if isinstance(node, Select):
        return f"select({_value(node.a)} {node.compare} {_value(node.b)}, {_value(node.yes)}, {_value(node.no)})"
    if isinstance(node, Unary):
        return f"-{_value(node.a, 3)}" if node.op == "-" else f"{node.op}({_value(node.a)})"
    if isinstance(node, Binary) and node.op in PRECEDENCE:
        own = PRECEDENCE[node.op]
        text = f"{_value(node.a, own)} {node.op} {_value(node.b, own + 1)}"
        return f"({text})" if own < above else text
    return f"{node.op}({_value(node.a)}, {_value(node.b)})"
