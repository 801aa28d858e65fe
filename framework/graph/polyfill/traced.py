"""Python numbers that the tape keeps, and what gradient rules compute with them.

`x * rate` saves the number `rate` for the gradient by `x`. The rules are Python functions that get it back and write
`g * rate`, or `g * (rate - 1)`. So that a compiled program takes the rate of the present call, a number whose value varies
is recorded as one that says where it comes from: arithmetic gives another such number, operators take it as an operand.
A comparison makes the program depend on how it ends; whoever asks for the value (a conversion) makes it depend on that.

For all code that looks at `__class__`, as the dispatch of operators does, it is an ordinary float or int. It is no subclass
of theirs, since Python would then compute `1.5 + number` by itself, and `math.log(number)` as well. To numpy it says that
Python's own number is wanted: whether one is among the operands decides about the type of a result there.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from anfora.eager.tape import Node, Output
from anfora.graph.facts.origins import Number, Origin

__all__ = ["Traced", "keep_traced", "keep_traced_in"]


class Traced:
    """A number that the tape may keep.

    Attributes:
        number: the value, and where it comes from.
        recorder: is told when the program depends on the value.
    """

    __slots__ = ("number", "recorder")

    def __init__(self, number: Number, recorder: Any) -> None:
        self.number, self.recorder = number, recorder

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return type(self.number.value)

    def __getattr__(self, name: str) -> Any:
        if not hasattr(self.number.value, name):  # for all values
            raise AttributeError(name)
        return getattr(self.recorder.force(self.number), name)

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        self.recorder.note_numpy()
        return np.asarray(self.recorder.force(self.number), dtype)


def keep_traced(result: Any, inputs: Sequence[Any]) -> None:
    """Let the node of an operator's result keep the numbers among its inputs as they came to the recorder."""
    slot = (result[0] if type(result) is tuple else result)._node
    if slot is None or not any(isinstance(x, Traced) for x in inputs):
        return
    keep_traced_in(slot.node if type(slot) is Output else slot, inputs)


def keep_traced_in(node: Node, inputs: Sequence[Any]) -> None:
    """The same for a node of which the inputs of the operator are known."""
    assert node.saved is not None
    node.saved = tuple(
        inputs[i] if i < len(inputs) and isinstance(inputs[i], Traced) else kept
        for i, kept in zip(node.recipe.saves, node.saved)
    )


def _plain(value: Any) -> Any:
    return value.number.value if isinstance(value, Traced) else value


def _origin(value: Any) -> Any:
    return value.number.origin if isinstance(value, Traced) else value


def _arithmetic(operation: Callable, is_reflected: bool) -> Callable:
    def method(self: Any, *others: Any) -> Any:
        if not all(isinstance(other, (int, float)) for other in others):
            return NotImplemented  # a tensor's
        operands = (*others, self) if is_reflected else (self, *others)
        value = operation(*map(_plain, operands))
        if type(value) not in (float, int):
            self.recorder.force(self.number)  # a complex number, say, whose origin is not followed
            return value
        origin = self.recorder.follow(operation, [*map(_origin, operands)])
        return Traced(Number(origin, value), self.recorder)

    return method


def _comparison(operation: Callable) -> Callable:
    def method(self: Any, other: Any) -> Any:
        if not isinstance(other, (int, float)):
            return NotImplemented  # and something else than a number is asked next
        value = operation(self.number.value, _plain(other))
        return self.recorder.decide(self.recorder.follow(operation, [self.number.origin, _origin(other)]), value)

    return method


def _truth(self: Any) -> bool:
    return self.recorder.decide(Origin("number", bool, (self.number.origin,)), bool(self.number.value))


def _known(value: Any) -> Any:
    return value.recorder.force(value.number) if isinstance(value, Traced) else value


def _looked_at(function: Callable) -> Callable:
    def method(self: Any, *others: Any) -> Any:
        return function(*map(_known, (self, *others)))

    return method


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    setattr(Traced, f"__{_name}__", _arithmetic(getattr(operator, _name), False))
    setattr(Traced, f"__r{_name}__", _arithmetic(getattr(operator, _name), True))
for _name in ("neg", "pos", "abs"):
    setattr(Traced, f"__{_name}__", _arithmetic(getattr(operator, _name), False))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(Traced, f"__{_name}__", _comparison(getattr(operator, _name)))
Traced.__bool__ = _truth  # type: ignore[attr-defined]
for _name in ("index", "invert"):
    setattr(Traced, f"__{_name}__", _looked_at(getattr(operator, _name)))
for _name in ("and", "or", "xor", "lshift", "rshift"):
    for _method in (f"__{_name}__", f"__r{_name}__"):
        setattr(Traced, _method, _looked_at(getattr(int, _method)))
for _function in (int, float, complex, round, divmod, hash, repr, str, format, math.trunc, math.floor, math.ceil):
    setattr(Traced, f"__{_function.__name__}__", _looked_at(_function))
