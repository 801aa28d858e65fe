"""Softmax and its logarithm along an axis.

Both are row kernels (`kernel/rows.py`), and so are their gradients, which need the result alone.
"""

from __future__ import annotations

from typing import Any

from anfora.core.abstract import TensorType
from anfora.core.dtype import as_dtype
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.op import op
from anfora.core.tensor import Tensor
from anfora.kernel import bodies
from anfora.kernel.plan import Buffer, Planner
from anfora.kernel.rows import Row, plan_rows
from anfora.ops.composite import composite
from anfora.ops.families import along, like, normalize_axis
from anfora.ops.mathematics import exp
from anfora.ops.reduction import reduce_sum

__all__ = ["log_softmax", "softmax", "softmin"]


def _check(name: str, arg: str, x: Any, axis: Any) -> int:
    """The axis, counted from the front, of an argument that must be floating point."""
    if not x.dtype.is_float:
        raise OpTypeError(
            f"{name} needs a floating-point tensor for `{arg}`, but got {x!r}",
            arg=arg,
            help="convert it first, e.g. x.astype(float32).",
        )
    if isinstance(axis, (tuple, list)) and len(axis) == 1:
        [axis] = axis
    axis = normalize_axis(name, axis, x.ndim)
    if x.ndim and x.shape[axis] == 0:
        raise OpValueError(f"{name}: axis {axis} of {x!r} has length 0", arg="axis")
    return axis


def _rows(x: Buffer) -> Buffer:
    """A 0-d buffer as a row of one element."""
    return x if x.ndim else x.reshaped(1)


@op
def softmax(input: Tensor, axis=-1, *, dtype=None):
    """Probabilities from logits: y = exp(x - max x) / sum(exp(x - max x)) along one axis.

    Args:
        input: float tensor (..., n, ...); unnormalised log-probabilities, in nats.
        axis: the axis whose probabilities sum to one; negative counts from the end.
        dtype: element type of the result, in which it is computed; that of `input` when not given.
    Returns:
        float tensor of the shape of `input`. A row that holds NaN or +inf, or nothing but -inf, becomes NaN.
    Raises:
        OpTypeError: `input` or `dtype` is not floating point.
        OpValueError: `axis` is out of range, or has length 0.
    Gradient:
        dx = y (g - sum(g y)). Needs y but not x.
    Source:
        Subtracting the maximum first: Blanchard, Higham & Higham, IMA J. Numer. Anal. 41 (2021).
    Example:
        >>> softmax(Tensor([0., 0., 1e4, 1e4]))
        Tensor(shape=[4], dtype=Float32, value= [ 0.00000000e+00,  0.00000000e+00,  5.00000000e-01,  5.00000000e-01])
    """


softmax.mixed = "single"


@softmax.normalize
def _(input, *, axis, dtype):
    dtype = None if dtype is None else as_dtype(dtype)
    if dtype is not None and not dtype.is_float:
        raise OpTypeError(f"softmax needs a floating-point `dtype`, but got {dtype}", arg="dtype")
    return {"axis": _check("softmax", "input", input, axis), "dtype": dtype}


@softmax.infer
def _(input, *, axis, dtype):
    return TensorType(dtype or input.dtype, input.shape)


def _softmax(row: Row) -> None:
    x, out = row.input(0), row.output(0)
    draft = row.draft(out)
    top = row.max(lambda at: x[at])
    total = row.sum(lambda at: draft.put(at, bodies.exp(x[at] - top)))
    scale = (1.0 / total).to(row.elem)
    row.each(lambda at: out.put(at, draft[at] * scale))


@softmax.kernel
def _(p: Planner, input: Buffer, out: Buffer, *, axis, dtype):
    plan_rows(p, _softmax, [(_rows(input), "row")], [(_rows(out), "row")], axis, 0.5, dtype=dtype)


@softmax.vjp("input")
def _(out, *, axis, g):
    return softmax_gradient(out, g, axis)


@softmax.jvp
def _(t_input, out, out_type, *, axis):
    return softmax_gradient(out, t_input, axis)  # the Jacobian is symmetric


along(softmax, "axis")


@op
def softmax_gradient(output: Tensor, gradient: Tensor, axis):
    """y (g - sum(g y)) along an axis: the gradient of `softmax`, fused."""


softmax_gradient.infer(like())


def _softmax_gradient(row: Row) -> None:
    y, g, out = row.input(0), row.input(1), row.output(0)
    total = row.sum(lambda at: y[at] * g[at]).to(row.elem)
    row.each(lambda at: out.put(at, y[at] * (g[at] - total)))


@softmax_gradient.kernel
def _(p: Planner, output: Buffer, gradient: Buffer, out: Buffer, *, axis):
    plan_rows(
        p, _softmax_gradient, [(_rows(output), "row"), (_rows(gradient), "row")], [(_rows(out), "row")], axis, 0.2
    )


@softmax_gradient.vjp("output")
def _(output, gradient, *, axis, g):
    total = reduce_sum(output * gradient, axis, True)
    return g * (gradient - total) - gradient * reduce_sum(output * g, axis, True)


@softmax_gradient.vjp("gradient")
def _(output, *, axis, g):
    return softmax_gradient(output, g, axis)


along(softmax_gradient, "axis", count=2)


@op
def log_softmax(logits: Tensor, axis=-1):
    """Logarithm of the softmax along one axis: y = x - max x - log(sum(exp(x - max x))).

    Args:
        logits: float tensor (..., n, ...); unnormalised log-probabilities, in nats.
        axis: the axis whose probabilities exp(y) sum to one; negative counts from the end.
    Returns:
        float tensor of the type of `logits`.
    Raises:
        OpTypeError: `logits` is not floating point.
        OpValueError: `axis` is out of range, or has length 0.
    Gradient:
        dx = g - exp(y) sum(g). Needs y but not x.
    Example:
        >>> log_softmax(Tensor([1e4, -1e4]))
        Tensor(shape=[2], dtype=Float32, value= [ 0.00000000e+00, -2.00000000e+04])
    """


log_softmax.mixed = "single"


@log_softmax.normalize
def _(logits, *, axis):
    return {"axis": _check("log_softmax", "logits", logits, axis)}


log_softmax.infer(like())


def _log_softmax(row: Row) -> None:
    x, out = row.input(0), row.output(0)
    top = row.max(lambda at: x[at])
    total = row.sum(lambda at: bodies.exp(x[at] - top))
    shift = bodies.log(total).to(row.elem)
    row.each(lambda at: out.put(at, x[at] - top - shift))


@log_softmax.kernel
def _(p: Planner, logits: Buffer, out: Buffer, *, axis):
    plan_rows(p, _log_softmax, [(_rows(logits), "row")], [(_rows(out), "row")], axis, 0.5)


@log_softmax.vjp("logits")
def _(out, *, axis, g):
    return log_softmax_gradient(out, g, axis)


@log_softmax.jvp
def _(t_logits, out, *, axis):
    return t_logits - reduce_sum(exp(out) * t_logits, axis, True)


along(log_softmax, "axis")


@op
def log_softmax_gradient(output: Tensor, gradient: Tensor, axis):
    """g - exp(y) sum(g) along an axis: the gradient of `log_softmax`, fused."""


log_softmax_gradient.infer(like())


def _log_softmax_gradient(row: Row) -> None:
    y, g, out = row.input(0), row.input(1), row.output(0)
    total = row.sum(lambda at: g[at]).to(row.elem)
    row.each(lambda at: out.put(at, g[at] - bodies.exp(y[at]) * total))


@log_softmax_gradient.kernel
def _(p: Planner, output: Buffer, gradient: Buffer, out: Buffer, *, axis):
    inputs = [(_rows(output), "row"), (_rows(gradient), "row")]
    plan_rows(p, _log_softmax_gradient, inputs, [(_rows(out), "row")], axis, 0.4)


@log_softmax_gradient.vjp("output")
def _(output, gradient, *, axis, g):
    return -(g * exp(output) * reduce_sum(gradient, axis, True))


@log_softmax_gradient.vjp("gradient")
def _(output, *, axis, g):
    return g - reduce_sum(exp(output) * g, axis, True)


along(log_softmax_gradient, "axis", count=2)


@composite
def softmin(x: Tensor, axis=-1, *, dtype=None) -> Tensor:
    """`softmax` of -x: the smallest gets the largest probability.

    The arguments are those of `softmax`.

    Example:
        >>> softmin(Tensor([0., 1e4])).tolist()
        [1.0, 0.0]
    """
    return softmax(-x, axis, dtype=dtype)
