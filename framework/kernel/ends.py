"""What follows a product or a convolution element by element, done with each sum while it is in a register.

A program computes `relu(x @ w + b)`. PyNative mode runs three operators, with memory between them. Graph mode hands the
last two to the product as its `End`: they get the sum as memory would have kept it, narrowed to the type of the output,
so the bits are those of three operators.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from anfora.core.records import Record
from anfora.kernel.compose import Composed, Given, Made, Member
from anfora.kernel.emit import Value
from anfora.kernel.memory import compute_elem
from anfora.kernel.plan import Buffer

__all__ = ["End", "epilogue", "follows"]


class End(NamedTuple):
    """What is done with a sum."""

    body: Composed  #: of the sum and an element of each operand; gives one value, of the type of the sum
    operands: tuple[Buffer, ...]  #: in the shape of the output; each as `follows` has it


def follows(out: Buffer, strides: tuple[int, ...], axis: int) -> bool:
    """Whether an operand of an `End` lies so that kernels find its elements: as the output does, or such that it varies
    along one axis of the output at most.

    Args:
        strides: of the operand, in the shape of the output.
        axis: that one.
    """
    axis %= len(strides)
    varying = [i for i, length in enumerate(out.shape) if length > 1]
    return all(strides[i] == out.strides[i] for i in varying) or all(strides[i] == 0 for i in varying if i != axis)


def epilogue(
    out: Buffer, bias: Buffer | None, end: End | None, axis: int, kinds: tuple[str, str]
) -> tuple[Callable | None, tuple[tuple[Buffer, str], ...]]:
    """The `epilogue` of `plan_matmul`, `plan_conv2d` and their like, and its `operands`.

    Args:
        out: the output as the plan takes it: that of the operator, contiguous, perhaps with other axes.
        bias: one value for each place along the axis, or one for all.
        axis: of the output, both of the operator and of the plan.
        kinds: what the plan calls an operand along this axis, and one like the output.
    """
    along, full = kinds
    operands = [] if bias is None else [(bias.broadcast((out.shape[axis],)), along)]
    if end is None:
        return (None if bias is None else _add), tuple(operands)
    for buffer in end.operands:
        if buffer.is_contiguous:
            operands.append((buffer.reshaped(*out.shape), full))
        else:
            operands.append((replace(buffer, shape=out.shape[axis:][:1], strides=buffer.strides[axis:][:1]), along))
    body = end.body
    if bias is not None:
        elem = compute_elem(out.code)
        rest = (Given(2 + i) for i in range(len(end.operands)))
        stored = Made(0, 0, out.code, out.code, elem)
        body = Composed((Member(_add, (Given(0), Given(1))), Member(_Only(body), (stored, *rest))), ((1, 0),))
    return _Only(body), tuple(operands)


def _add(total: Value, bias: Value) -> Value:
    return total + bias


class _Only(Record):
    """A body that gives the one value of another."""

    body: Composed

    def __call__(self, *values: Value) -> Value:
        [value] = self.body(*values)
        return value
