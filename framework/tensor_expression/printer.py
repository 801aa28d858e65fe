"""The loop nest as text, to read: one line for each statement, indented by loops and conditions."""

from __future__ import annotations

from collections.abc import Iterator

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

__all__ = ["PRECEDENCE", "print_ir"]

PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "//": 2, "%": 2}


def print_ir(kernel: Kernel) -> str:
    """The text of a kernel."""
    lines = [f"kernel {kernel.name}({', '.join(map(_parameter, kernel.parameters))}) {kernel.dtype}"]
    lines += [f"    temp {_shaped(variable)}" for variable in kernel.temps]
    for nest in kernel.body:
        lines += _statement(nest, 1)
    return "\n".join(lines) + "\n"


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
