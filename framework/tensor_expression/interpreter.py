"""The meaning of a loop nest: every loop walked in Python, one element at a time. Slow, and what the others must equal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from anfora.tensor_expression.affine import Condition
from anfora.tensor_expression.ir import (
    Access,
    Binary,
    Constant,
    If,
    Kernel,
    Local,
    LoopNest,
    Move,
    Select,
    Statement,
    Unary,
    Value,
)  # fmt: skip

__all__ = ["interpret"]


def interpret(kernel: Kernel, inputs: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Run a kernel.

    Args:
        kernel: the loop nests.
        inputs: arrays by the names of the kernel's input variables.
    Returns:
        new arrays by the names of its results.
    """
    run = _Run(kernel)
    for variable in kernel.inputs:
        run.arrays[variable.name] = np.asarray(inputs[variable.name], kernel.dtype).reshape(variable.shape)
    for variable in (*kernel.outputs, *kernel.temps):
        run.arrays[variable.name] = np.zeros(variable.shape, kernel.dtype)
    with np.errstate(all="ignore"):
        for nest in kernel.body:
            run.statement(nest)
    return {variable.name: run.arrays[variable.name] for variable in kernel.outputs}


class _Run:
    def __init__(self, kernel: Kernel) -> None:
        self.number = np.dtype(kernel.dtype).type
        self.is_float = kernel.dtype != "int32"
        self.arrays: dict[str, np.ndarray] = {}
        self.point: dict[str, int] = {}
        self.locals: dict[str, Any] = {}

    def statement(self, node: Statement) -> None:
        if isinstance(node, LoopNest):
            self.loops(node, 0)
        elif isinstance(node, If):
            if all(self.holds(condition) for condition in node.conditions):
                for inner in node.body:
                    self.statement(inner)
        else:
            self.move(node)

    def loops(self, node: LoopNest, depth: int) -> None:
        if depth == len(node.indices):
            for inner in node.body:
                self.statement(inner)
            return
        index = node.indices[depth]
        for i in range(index.extent):
            self.point[index.name] = i
            self.loops(node, depth + 1)

    def holds(self, condition: Condition) -> bool:
        return condition.holds(self.point)

    def move(self, node: Move) -> None:
        value = self.value(node.value)
        target = node.target
        if isinstance(target, Local):
            self.locals[target.name] = value if node.kind == "=" else self.locals[target.name] + value
        else:
            array, place = self.arrays[target.name], self.place(target)
            array[place] = value if node.kind == "=" else array[place] + value

    def place(self, access: Access) -> tuple[int, ...]:
        place = tuple(index.value(self.point) for index in access.indices)
        shape = self.arrays[access.name].shape
        assert all(0 <= i < n for i, n in zip(place, shape)), f"bug in this library: {access} at {place} of {shape}"
        return place

    def value(self, node: Value) -> Any:
        if isinstance(node, Constant):
            return self.number(node.value)
        if isinstance(node, Access):
            return self.arrays[node.name][self.place(node)]
        if isinstance(node, Local):
            return self.locals[node.name]
        if isinstance(node, Select):
            holds = _COMPARE[node.compare](self.value(node.a), self.value(node.b))
            return self.value(node.yes if holds else node.no)
        a = self.value(node.a)
        if isinstance(node, Unary):
            return -a if node.op == "-" else self.number(_UNARY[node.op](a))
        return self.number(self.binary(node, a, self.value(node.b)))

    def binary(self, node: Binary, a: Any, b: Any) -> Any:
        if node.op in ("/", "//", "%") and not self.is_float:
            return _whole(node.op, int(a), int(b))
        return _BINARY[node.op](a, b)


def _whole(op: str, a: int, b: int) -> Any:
    """Division of whole numbers; by 0 it is 0, and what is too large wraps."""
    if b == 0:
        return np.int32(0)
    quotient = a // b
    if op == "/":
        quotient = -(-a // b) if (a < 0) != (b < 0) else quotient
    result = a - (a // b) * b if op == "%" else quotient
    return np.array(result & 0xFFFFFFFF, np.uint32).view(np.int32)[()]


_COMPARE: dict[str, Callable] = {
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b,
}  # fmt: skip
_UNARY: dict[str, Callable] = {"exp": np.exp, "log": np.log, "sqrt": np.sqrt, "tanh": np.tanh, "abs": abs}
_BINARY: dict[str, Callable] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b,
    "//": np.floor_divide, "%": np.remainder, "max": np.maximum, "min": np.minimum,
}  # fmt: skip
