"""Automatic mixed precision: for a while, a type for each operator.

While it is on in a thread, operators that are sums of products get their operands in half precision, and those that
need range or digits (exponentials, norms, losses, long sums) get halves as float32: `Op.mixed` says which they are. A
bias is added to a product in float32. All others compute in the type that comes. The conversions are ordinary calls, so
they are recorded: gradients arrive in the types of the operands, and graph mode sees them like all others. Operands of
float64 are left alone, with all that stand beside them.
"""

from __future__ import annotations

import threading
from typing import Any

from anfora.core.dtype import DType, bfloat16, float16, float32
from anfora.core.op import Op
from anfora.core.tensor import Tensor
from anfora.kernel import glue

__all__ = ["Autocast", "Suspended", "convert", "enter", "leave", "state", "take_bias", "with_bias"]

_HALVES = (float16, bfloat16)


class _State(threading.local):
    """Which type operands are lowered to in this thread; None while it is off."""

    dtype: DType | None = None


state = _State()


def enter(dtype: DType | None) -> DType | None:
    """Lower operands to a type from now on; None turns it off. Gives what it was, for `leave`."""
    before, state.dtype = state.dtype, dtype
    glue.watch((threading.get_ident(), "autocast"), dtype is not None)
    return before


leave = enter


class Suspended:
    """A time without it: gradient rules compute in the types in which the operators did."""

    __slots__ = ("before",)

    def __enter__(self) -> None:
        self.before = state.dtype
        if self.before is not None:
            enter(None)

    def __exit__(self, *exc: object) -> None:
        if self.before is not None:
            leave(self.before)


class Autocast:
    """The computing type of a Cell whose operators choose by themselves.

    Args:
        dtype: what operands are lowered to.
    """

    def __init__(self, dtype: DType) -> None:
        self.dtype = dtype

    def __repr__(self) -> str:
        return f"Autocast({self.dtype!r})"


def convert(op: Op, inputs: list) -> list:
    """The arguments of an operator in the type it shall compute in."""
    half = state.dtype
    if half is None or op.writes is not None:
        return inputs
    if not op.mixed:
        return inputs
    wanted = half if op.mixed == "half" else float32
    if any(_is_float(value) and value.dtype not in (*_HALVES, float32) for value in inputs):
        return inputs
    return [value.astype(wanted) if _is_float(value) and value.dtype is not wanted else value for value in inputs]


def take_bias(op: Op, inputs: list) -> tuple[list, Tensor] | None:
    """Of a product with a bias the arguments without it, and the bias, which is to be added in float32; None where the
    operator computes as it is."""
    if op.behind_bias is None or any(_is_float(value) and value.dtype not in (*_HALVES, float32) for value in inputs):
        return None
    at = op.tensors.index("bias")
    bias, others = inputs[at], [*inputs[:at], None, *inputs[at + 1 :]]
    return (others, bias) if _is_float(bias) and any(map(_is_float, others)) else None


def with_bias(op: Op, product: Tensor, bias: Tensor) -> Tensor | None:
    """The sum of a product and a bias, in float32; None where these do not fit: the operator tells."""
    behind = op.behind_bias or 0
    channels = product.shape[: product.ndim - behind][-1:]
    if bias.ndim and bias.shape != channels:
        return None
    return product.astype(float32) + bias.astype(float32).reshape(*bias.shape, *(1,) * behind)


def _is_float(value: Any) -> bool:
    return isinstance(value, Tensor) and value.dtype.is_float
