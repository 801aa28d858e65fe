"""The lowerings of operators: for each operator of a recorded call, what it is in instructions.

    @lowers("square")
    def _(w, input, *, out):
        return w.square(input)

A lowering gets a `Writer`, the operands (names of tensors, Python numbers, None where an optional one is absent, lists
where there is any number of them), `out`, the type and shape of the result (a tuple where there are several), and the
operator's attributes. It gives the name of the result, or a tuple of them, None for one that it has no lowering of.

float32 logarithms of sums near 1 lose digits that the kernels keep, since these sum in float64: `wide` computes in float64
what needs it. float16 is computed in float32 by the caller, as the kernels do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Union

import numpy as np

from anfora.core import dtype as dt
from anfora.core import exact
from anfora.core.dtype import promote, promote_scalar
from anfora.core.exact import LN2, LN10
from anfora.deepx.cells import TensorSpec
from anfora.deepx.lowering import Writer

__all__ = ["LOWERINGS", "NoLowering", "lowering_of"]

Value = Union[str, bool, int, float]

#: The lowerings by the name of the operator.
LOWERINGS: dict[str, Callable] = {}


class NoLowering(Exception):
    """A call of an operator has no lowering; the argument says why."""


def lowers(*names: str) -> Callable[[Callable], Callable]:
    """Set the lowering of operators."""

    def keep(function: Callable) -> Callable:
        LOWERINGS.update(dict.fromkeys(names, function))
        return function

    return keep


# -- values -----------------------------------------------------------------------------------------------------------


def is_number(x: Any) -> bool:
    """Whether an operand is a Python number that a program can spell."""
    return isinstance(x, (bool, int, float)) and math.isfinite(x)


def tensor(w: Writer, x: Value, spec: TensorSpec) -> str:
    """An operand as a tensor of a type and shape."""
    if isinstance(x, str):
        return w.broadcast(w.cast(x, spec.dtype), spec.shape)
    if is_number(x):
        return w.emit("constant", x, shape=spec.shape, dtype=spec.dtype)
    return w.broadcast(w.bind(np.array(x, spec.dtype.storage)), spec.shape)


def wide(w: Writer, x: str) -> str:
    """x in float64, where the extension table is there to convert it."""
    return x if w.base_only else w.cast(x, dt.float64)


def meeting(w: Writer, *operands: Value) -> TensorSpec:
    """The type in which operands meet, and the shape that they broadcast to."""
    dtype = None
    specs = [w.spec(x) for x in operands if isinstance(x, str)]
    for spec in specs:
        dtype = spec.dtype if dtype is None else promote(dtype, spec.dtype)
    assert dtype is not None
    for x in operands:
        if not isinstance(x, str):
            dtype = promote_scalar(dtype, type(x))
    return TensorSpec(dtype, np.broadcast_shapes(*(spec.shape for spec in specs)))


def channels(w: Writer, x: str, shape: Sequence[int]) -> str:
    """(C,) stretched to (N, C, *)."""
    return w.broadcast(w.reshape(x, (shape[1], *(1 for _ in shape[2:]))), shape)


# -- arithmetic -------------------------------------------------------------------------------------------------------


def _binary(name: str, instruction: str, with_number: Callable | None, of_number: Callable | None = None) -> None:
    """The lowering of an operator on two operands, either of which may be a number."""

    @lowers(name)
    def _(w: Writer, input: Value, other: Value, *, out: TensorSpec) -> str:
        if with_number is not None and isinstance(input, str) and is_number(other):
            return with_number(w, tensor(w, input, out), other)
        if of_number is not None and isinstance(other, str) and is_number(input):
            return of_number(w, input, tensor(w, other, out))
        return w.emit(instruction, tensor(w, input, out), tensor(w, other, out))


def _scalar(instruction: str) -> Callable:
    return lambda w, x, c: w.emit(instruction, x, c)


def _reflected(instruction: str) -> Callable:
    return lambda w, c, x: w.emit(instruction, x, c)


_binary("add", "add", _scalar("add_scalar"), _reflected("add_scalar"))
_binary("sub", "sub", Writer.sub_constant, Writer.constant_sub)
_binary("mul", "mul", _scalar("mul_scalar"), _reflected("mul_scalar"))
_binary("real_div", "div", _scalar("div_scalar"), Writer.constant_div)
_binary("maximum", "max", _scalar("max_scalar"), _reflected("max_scalar"))
_binary("minimum", "min", _scalar("min_scalar"), _reflected("min_scalar"))
_binary("remainder", "mod", _scalar("mod_scalar"))
_binary("pow", "pow", lambda w, x, c: _power(w, x, c))


def _power(w: Writer, x: str, exponent: float) -> str:
    if w.base_only and float(exponent).is_integer() and 1 <= exponent <= 16:
        return w.power(x, int(exponent))
    return w.emit("pow_scalar", x, exponent)


def _unary(name: str, function: Callable[[Writer, str], str]) -> None:
    """The lowering of an operator on one tensor, in the type of its result."""

    @lowers(name)
    def _(w: Writer, *operands: str, out: TensorSpec) -> str:
        return function(w, w.cast(operands[0], out.dtype))


for _name in ("exp", "sqrt", "log", "sin", "cos"):
    _unary(_name, lambda w, x, name=_name: w.emit(name, x))  # type: ignore[misc]


def _in_float64(function: Callable[[Writer, str], str]) -> Callable[[Writer, str], str]:
    """A formula that loses digits in float32."""
    return lambda w, x: w.cast(function(w, wide(w, x)), w.spec(x).dtype) if not w.base_only else function(w, x)


def _sigmoid(w: Writer, x: str) -> str:
    """Below the bound e^-x is too large for the type, and its gradient not a number."""
    bound = -700 if w.spec(x).dtype is dt.float64 else -80
    return w.sigmoid(w.emit("max_scalar", x, bound))


def _tanh(w: Writer, x: str) -> str:
    return w.tanh(x) if w.base_only else w.emit("tanh", x)


def _log1p(w: Writer, x: str) -> str:
    return w.emit("log", w.emit("add_scalar", x, 1))


def _expm1(w: Writer, x: str) -> str:
    return w.emit("add_scalar", w.emit("exp", x), -1)


def _softplus(w: Writer, x: str) -> str:
    """log(1 + e^x) = max(x, 0) + log(1 + e^-|x|)."""
    return w.emit("add", w.relu(x), _log1p(w, w.emit("exp", w.neg(w.abs(x)))))


_unary("neg", Writer.neg)
_unary("positive", lambda w, x: x)
_unary("square", Writer.square)
_unary("abs", Writer.abs)
_unary("reciprocal", lambda w, x: w.constant_div(1, x))
_unary("rsqrt", lambda w, x: w.constant_div(1, w.emit("sqrt", x)))
_unary("tan", lambda w, x: w.emit("div", w.emit("sin", x), w.emit("cos", x)))
_unary("exp2", _in_float64(lambda w, x: w.emit("exp", w.emit("mul_scalar", x, LN2))))
_unary("expm1", _in_float64(_expm1))
_unary("log1p", _in_float64(_log1p))
_unary("log2", lambda w, x: w.emit("div_scalar", w.emit("log", x), LN2))
_unary("log10", lambda w, x: w.emit("div_scalar", w.emit("log", x), LN10))


@lowers("sign")
def _(w: Writer, input: str, *, out: TensorSpec) -> str:
    above, below = (w.cast(w.emit(name, input, 0), out.dtype) for name in ("greater_scalar", "less_scalar"))
    return w.emit("sub", above, below)


@lowers("clamp", "hardtanh")
def _(w: Writer, input: str, *bounds: Value | None, out: TensorSpec) -> str:
    w.meta["ties"] = "half"
    x = tensor(w, input, out)
    low, high = bounds
    if low is not None:
        x = w.emit("max_scalar", x, low) if is_number(low) else w.emit("max", x, tensor(w, low, out))
    if high is not None:
        x = w.emit("min_scalar", x, high) if is_number(high) else w.emit("min", x, tensor(w, high, out))
    return x


# -- comparison -------------------------------------------------------------------------------------------------------
# Masks are int8 while they are worked on, and bool as results of operators.


def _mask(w: Writer, name: str, input: Value, other: Value) -> str:
    if isinstance(input, str) and is_number(other):
        spec = meeting(w, input, other)
        return w.emit(f"{name}_scalar", w.cast(input, spec.dtype), other)
    if not isinstance(input, str) and is_number(input):
        turned = {"less": "greater", "greater": "less", "equal": "equal"}[name]
        return _mask(w, turned, other, input)
    spec = meeting(w, input, other)
    return w.emit(name, tensor(w, input, spec), tensor(w, other, spec))


def _not(w: Writer, mask: str) -> str:
    return w.emit("equal_scalar", mask, 0)


def _truth(w: Writer, x: str) -> str:
    """Where x is not 0."""
    if w.spec(x).dtype is dt.bool_:
        return w.cast(x, dt.int8)
    return _not(w, w.emit("equal_scalar", x, 0))


def _comparison(name: str, mask: Callable[[Writer, Value, Value], str]) -> None:
    @lowers(name)
    def _(w: Writer, input: Value, other: Value, *, out: TensorSpec) -> str:
        return w.cast(mask(w, input, other), out.dtype)


for _name in ("equal", "less", "greater"):
    _comparison(_name, lambda w, a, b, name=_name: _mask(w, name, a, b))  # type: ignore[misc]
_comparison("not_equal", lambda w, a, b: _not(w, _mask(w, "equal", a, b)))
_comparison("less_equal", lambda w, a, b: w.emit("max", _mask(w, "less", a, b), _mask(w, "equal", a, b)))
_comparison("greater_equal", lambda w, a, b: w.emit("max", _mask(w, "greater", a, b), _mask(w, "equal", a, b)))


def _logical(name: str, instruction: str) -> None:
    """Of truth values; the operators on bits are the same ones there."""

    @lowers(f"logical_{name}", f"bitwise_{name}")
    def _(w: Writer, input: str, other: str, *, out: TensorSpec) -> str:
        if out.dtype is not dt.bool_:
            raise NoLowering("there are no operations on the bits of integers")
        left, right = (w.broadcast(_truth(w, x), out.shape) for x in (input, other))
        return w.cast(w.emit(instruction, left, right), out.dtype)


_logical("and", "mul")
_logical("or", "max")


@lowers("logical_not")
def _(w: Writer, input: str, *, out: TensorSpec) -> str:
    return w.cast(_not(w, _truth(w, input)), out.dtype)


@lowers("where")
def _(w: Writer, condition: str, input: Value, other: Value, *, out: TensorSpec) -> str:
    mask = condition if w.spec(condition).dtype is dt.bool_ else _truth(w, condition)
    return w.emit("where", w.broadcast(mask, out.shape), tensor(w, input, out), tensor(w, other, out))


@lowers("masked_fill")
def _(w: Writer, input_x: str, mask: str, value: Value, *, out: TensorSpec) -> str:
    return LOWERINGS["where"](w, mask, value, input_x, out=out)


def _triangle(name: str, part: Callable) -> None:
    @lowers(name)
    def _(w: Writer, input: str, *, out: TensorSpec, diagonal: int) -> str:
        mask = w.bind(part(np.ones(out.shape[-2:], np.int8), diagonal))
        return w.emit("where", w.broadcast(mask, out.shape), input, w.new(out))


_triangle("tril", np.tril)
_triangle("triu", np.triu)


# -- activations ------------------------------------------------------------------------------------------------------


def _positive_or(w: Writer, x: str, other: str, bound: float = 0) -> str:
    """x where it is greater than a bound, else the other."""
    return w.emit("where", w.emit("greater_scalar", x, bound), x, other)


def _halved(function: Callable) -> Callable:
    """A formula whose gradient at a bound is half of what arrives."""

    def formula(w: Writer, x: str) -> str:
        w.meta["ties"] = "half"
        return function(w, x)

    return formula


def _hardsigmoid(w: Writer, x: str) -> str:
    return w.clip(w.emit("add_scalar", w.emit("div_scalar", x, 6), 0.5), 0, 1)


def _gelu_tanh(w: Writer, x: str) -> str:
    cube = w.emit("mul_scalar", w.power(x, 3), 0.044715)
    inner = w.emit("mul_scalar", w.emit("add", x, cube), math.sqrt(2 / math.pi))
    return w.emit("mul", w.emit("mul_scalar", x, 0.5), w.emit("add_scalar", _tanh(w, inner), 1))


def _elu(w: Writer, x: str, alpha: float) -> str:
    """alpha (e^x - 1) where x is not positive; elsewhere e^x, which may be too large, is not taken."""
    mask = w.emit("greater_scalar", x, 0)
    below = w.emit("where", mask, w.new(w.spec(x)), x)
    return w.emit("where", mask, x, w.emit("mul_scalar", _expm1(w, below), alpha))


_unary("relu", _halved(Writer.relu))
_unary("relu6", _halved(lambda w, x: w.clip(x, 0, 6)))
_unary("sigmoid", _sigmoid)
_unary("tanh", _tanh)
_unary("silu", lambda w, x: w.emit("mul", x, _sigmoid(w, x)))
_unary("fast_gelu", lambda w, x: w.emit("mul", x, _sigmoid(w, w.emit("mul_scalar", x, 1.702))))
_unary("hardsigmoid", _halved(_hardsigmoid))
_unary("hardswish", _halved(lambda w, x: w.emit("mul", x, _hardsigmoid(w, x))))
_unary("logsigmoid", _in_float64(lambda w, x: w.neg(_softplus(w, w.neg(x)))))
_unary("mish", _in_float64(lambda w, x: w.emit("mul", x, _tanh(w, _softplus(w, x)))))
_unary("softsign", lambda w, x: w.emit("div", x, w.emit("add_scalar", w.abs(x), 1)))
_unary("tanhshrink", lambda w, x: w.emit("sub", x, _tanh(w, x)))
_SELU_SCALE, _SELU_ALPHA = 1.0507009873554805, 1.6732632423543772
_unary("selu", _in_float64(lambda w, x: w.emit("mul_scalar", _elu(w, x, _SELU_ALPHA), _SELU_SCALE)))


@lowers("gelu")
def _(w: Writer, input: str, *, out: TensorSpec, approximate: str) -> str:
    if approximate != "tanh":
        raise NoLowering("there is no error function; `approximate='tanh'` has a lowering")
    return _gelu_tanh(w, w.cast(input, out.dtype))


def _number(name: str, x: Any) -> float:
    if not is_number(x):
        raise NoLowering(f"`{name}` must be a number that is known")
    return x


@lowers("leaky_relu")
def _(w: Writer, input: str, alpha: Value, *, out: TensorSpec) -> str:
    x = w.cast(input, out.dtype)
    return _positive_or(w, x, w.emit("mul_scalar", x, _number("alpha", alpha)))


@lowers("elu")
def _(w: Writer, input_x: str, alpha: Value, *, out: TensorSpec) -> str:
    factor = _number("alpha", alpha)
    return _in_float64(lambda w, x: _elu(w, x, factor))(w, w.cast(input_x, out.dtype))


@lowers("threshold")
def _(w: Writer, input: str, thr: Value, value: Value, *, out: TensorSpec) -> str:
    x = w.cast(input, out.dtype)
    return _positive_or(w, x, tensor(w, value, out), _number("thr", thr))


@lowers("softplus")
def _(w: Writer, input: str, beta: Value, threshold: Value, *, out: TensorSpec) -> str:
    x, factor, bound = w.cast(input, out.dtype), _number("beta", beta), _number("threshold", threshold)

    def formula(w: Writer, x: str) -> str:
        return w.emit("div_scalar", _softplus(w, w.emit("mul_scalar", x, factor)), factor)

    return _positive_or(w, x, _in_float64(formula)(w, x), bound / factor)


# -- shapes -----------------------------------------------------------------------------------------------------------


@lowers("reshape", "expand_dims", "squeeze")
def _(w: Writer, input: str, *, out: TensorSpec, **attributes: Any) -> str:
    return w.reshape(input, out.shape)


@lowers("alias", "copy")
def _(w: Writer, input: str, *, out: TensorSpec) -> str:
    return input


@lowers("stop_gradient")
def _(w: Writer, value: str, *, out: TensorSpec) -> str:
    raise NoLowering("instructions have no way to stop a gradient")


@lowers("transpose")
def _(w: Writer, input: str, *, out: TensorSpec, input_perm: tuple[int, ...]) -> str:
    return w.emit("transpose", input, list(input_perm))


@lowers("broadcast_to")
def _(w: Writer, input: str, *, out: TensorSpec, **attributes: Any) -> str:
    return w.broadcast(input, out.shape)


@lowers("cast")
def _(w: Writer, input: Value, *, out: TensorSpec, dtype: Any) -> str:
    return tensor(w, input, out)


@lowers("full")
def _(w: Writer, fill_value: Value, *, out: TensorSpec, **attributes: Any) -> str:
    return tensor(w, fill_value, out)


@lowers("concat")
def _(w: Writer, tensors: list[str], *, out: TensorSpec, axis: int) -> str:
    return w.emit("concat", *(w.cast(x, out.dtype) for x in tensors), axis)


@lowers("stack")
def _(w: Writer, tensors: list[str], *, out: TensorSpec, axis: int) -> str:
    part = (*out.shape[:axis], 1, *out.shape[axis + 1 :])
    return w.emit("concat", *(w.reshape(w.cast(x, out.dtype), part) for x in tensors), axis)


@lowers("index_view")
def _(w: Writer, input: str, *, out: TensorSpec, items: tuple) -> str:
    x, axis = input, 0
    for item in items:
        if item is None:
            continue
        start, count, step = (item, 1, 1) if isinstance(item, int) else item
        if (start, count, step) != (0, w.spec(x).shape[axis], 1):
            x = w.emit("indexselect", x, w.bind(start + step * np.arange(count)), axis)
        axis += 1
    return w.reshape(x, out.shape)


@lowers("pick")
def _(w: Writer, input: str, index: str, *, out: TensorSpec, kind: str, axis: int) -> str:
    if kind != "parts":
        raise NoLowering(f"indexselect takes whole parts along an axis, and this takes {kind!r}")
    return w.emit("indexselect", input, index, axis)


@lowers("lookup")
def _(w: Writer, input: str, weight: str, *, out: TensorSpec, padding_idx: int | None,
      scale_grad_by_freq: bool) -> str:  # fmt: skip
    if padding_idx is not None or scale_grad_by_freq:
        raise NoLowering("indexselect adds the gradient of every row as it comes, `padding_idx` and frequencies do not")
    return w.emit("indexselect", weight, input, 0)


@lowers("pad_constant")
def _(w: Writer, input: str, value: Value, *, out: TensorSpec, before: tuple[int, ...], after: tuple[int, ...]) -> str:
    x = input
    for axis, ends in enumerate(zip(before, after)):
        if min(ends) < 0:
            raise NoLowering("a negative number of elements is cut off")
        shape = w.spec(x).shape
        parts = [x if n is None else tensor(w, w.reshape(value, ()) if isinstance(value, str) else value,
                 TensorSpec(out.dtype, (*shape[:axis], n, *shape[axis + 1 :])))
                 for n in (ends[0], None, ends[1]) if n != 0]  # fmt: skip
        x = w.emit("concat", *parts, axis) if len(parts) > 1 else x
    return x


@lowers("_one_hot")
def _(w: Writer, indices: str, on_value: Value, off_value: Value, *, out: TensorSpec, depth: int, axis: int) -> str:
    mask = _is_class(w, indices, axis, out.shape)
    on, off = (w.reshape(x, ()) if isinstance(x, str) else x for x in (on_value, off_value))
    return w.emit("where", mask, tensor(w, on, out), tensor(w, off, out))


def _is_class(w: Writer, labels: str, axis: int, shape: Sequence[int]) -> str:
    """A mask of a shape: where the number along an axis is the label."""
    dtype = w.spec(labels).dtype
    numbers = np.arange(shape[axis], dtype=dtype.storage).reshape([-1 if i == axis else 1 for i in range(len(shape))])
    spread = w.reshape(labels, [1 if i == axis else n for i, n in enumerate(shape)])
    return w.emit("equal", w.broadcast(spread, shape), w.broadcast(w.bind(numbers), shape))


# -- reductions -------------------------------------------------------------------------------------------------------


def _reduced_to(w: Writer, instruction: str, x: str, axis: tuple[int, ...], shape: Sequence[int]) -> str:
    if not axis and w.spec(x).shape:  # no axes are all axes to an instruction
        return w.reshape(x, shape)
    return w.emit(instruction, x, list(axis), shape=tuple(shape))


def _reduction(name: str, instruction: str) -> None:
    @lowers(name)
    def _(w: Writer, x: str, *, out: TensorSpec, axis: tuple[int, ...], **attributes: Any) -> str:
        if instruction.startswith("reduce"):
            w.meta["ties"] = "shared"
        return _reduced_to(w, instruction, w.cast(x, out.dtype), axis, out.shape)


_reduction("reduce_sum", "sum")
_reduction("prod", "prod")
_reduction("reduce_max", "reducemax")
_reduction("reduce_min", "reducemin")


def _count(w: Writer, x: str, axis: Sequence[int]) -> int:
    shape = w.spec(x).shape
    return math.prod(shape[i] for i in axis)


def _mean(w: Writer, x: str, axis: tuple[int, ...], shape: Sequence[int]) -> str:
    count = _count(w, x, axis)
    return w.emit("div_scalar", _reduced_to(w, "sum", x, axis, shape), count)


@lowers("mean")
def _(w: Writer, x: str, *, out: TensorSpec, axis: tuple[int, ...], keep_dims: bool) -> str:
    return _mean(w, w.cast(x, out.dtype), axis, out.shape)


@lowers("euclidean_norm")
def _(w: Writer, x: str, *, out: TensorSpec, axis: tuple[int, ...], keep_dims: bool) -> str:
    return w.emit("sqrt", _reduced_to(w, "sum", w.square(w.cast(x, out.dtype)), axis, out.shape))


@lowers("logsumexp")
def _(w: Writer, input: str, *, out: TensorSpec, dim: Any, keepdim: bool) -> str:
    x = wide(w, w.cast(input, out.dtype))
    shape = w.spec(x).shape
    axis = tuple(range(len(shape))) if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    column = tuple(1 if i in axis else n for i, n in enumerate(shape))
    largest = _reduced_to(w, "reducemax", x, axis, column)
    total = _reduced_to(w, "sum", w.emit("exp", w.emit("sub", x, w.broadcast(largest, shape))), axis, column)
    return w.reshape(w.cast(w.emit("add", w.emit("log", total), largest), out.dtype), out.shape)


def _centred(w: Writer, x: str, axis: tuple[int, ...], ddof: int = 0) -> tuple[str, str, str]:
    """x minus its mean over axes; the variance and the mean, with these axes of length 1."""
    shape = w.spec(x).shape
    column = tuple(1 if i in axis else n for i, n in enumerate(shape))
    mean = _mean(w, x, axis, column)
    rest = w.emit("sub", x, w.broadcast(mean, shape))
    total = _reduced_to(w, "sum", w.square(rest), axis, column)
    return rest, w.emit("div_scalar", total, _count(w, x, axis) - ddof), mean


@lowers("moments")
def _(w: Writer, input: str, *, out: tuple, axis: tuple[int, ...], ddof: int, keep_dims: bool,
      root: bool) -> tuple:  # fmt: skip
    _, variance, mean = _centred(w, w.cast(input, out[0].dtype), axis, ddof)
    spread = w.emit("sqrt", variance) if root else variance
    return w.reshape(spread, out[0].shape), w.reshape(mean, out[1].shape)


# -- products ---------------------------------------------------------------------------------------------------------


@lowers("matmul")
def _(w: Writer, input: str, other: str, *, out: TensorSpec, transpose_a: bool, transpose_b: bool) -> str:
    left, right = (w.cast(x, out.dtype) for x in (input, other))
    left, right = _turned(w, left, transpose_a), _turned(w, right, transpose_b)
    if len(w.spec(left).shape) == 1:
        left = w.reshape(left, (1, *w.spec(left).shape))
    if len(w.spec(right).shape) == 1:
        right = w.reshape(right, (*w.spec(right).shape, 1))
    a, b = w.spec(left).shape, w.spec(right).shape
    batch = np.broadcast_shapes(a[:-2], b[:-2])
    product = w.emit("matmul", w.broadcast(left, (*batch, *a[-2:])), w.broadcast(right, (*batch, *b[-2:])))
    return w.reshape(product, out.shape)


def _turned(w: Writer, x: str, is_turned: bool) -> str:
    rank = len(w.spec(x).shape)
    return w.emit("transpose", x, [*range(rank - 2), rank - 1, rank - 2]) if is_turned and rank > 1 else x


@lowers("dense")
def _(w: Writer, input: str, weight: str, bias: str | None, *, out: TensorSpec) -> str:
    rows = w.reshape(input, (math.prod(out.shape[:-1]), w.spec(input).shape[-1]))
    kernel = w.spec(weight).shape
    weight = w.reshape(weight, (math.prod(kernel[:-1]), kernel[-1]))
    if bias is not None:
        bias = w.reshape(bias, (math.prod(w.spec(bias).shape),))
    return w.reshape(w.dense(rows, weight, bias), out.shape)


def _as_images(w: Writer, x: str) -> str:
    """(C, H, W) as (1, C, H, W)."""
    shape = w.spec(x).shape
    return x if len(shape) == 4 else w.reshape(x, (1, *shape))


@lowers("conv2d")
def _(w: Writer, input: str, weight: str, bias: str | None, *, out: TensorSpec, stride: tuple, pad_mode: str,
      padding: tuple, dilation: tuple, groups: int) -> str:  # fmt: skip
    images = _as_images(w, input)
    return w.reshape(w.conv2d(images, weight, bias, stride, padding, dilation, groups), out.shape)


@lowers("max_pool2d")
def _(w: Writer, x: str, *, out: TensorSpec, kernel_size: tuple, stride: tuple, padding: tuple, dilation: tuple,
      return_indices: bool, ceil_mode: bool) -> Any:  # fmt: skip
    w.meta["ties"] = "shared"
    spec = out[0] if return_indices else out  # type: ignore[index]
    pooled = w.max_pool2d(_as_images(w, x), kernel_size, stride, padding, dilation, ceil_mode)
    return (w.reshape(pooled, spec.shape), None) if return_indices else w.reshape(pooled, spec.shape)


@lowers("avg_pool2d")
def _(w: Writer, input_x: str, *, out: TensorSpec, kernel_size: tuple, stride: tuple, padding: tuple, ceil_mode: bool,
      count_include_pad: bool, divisor_override: int) -> str:  # fmt: skip
    images = _as_images(w, input_x)
    divisor = divisor_override or None
    pooled = w.avg_pool2d(images, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor)
    return w.reshape(pooled, out.shape)


@lowers("adaptive_avg_pool2d")
def _(w: Writer, input: str, *, out: TensorSpec, output_size: tuple) -> str:
    (height, width), (down, across) = w.spec(input).shape[-2:], out.shape[-2:]
    if height % down or width % across:
        raise NoLowering(f"windows of one size are needed, and {height}×{width} does not divide into {down}×{across}")
    size = height // down, width // across
    return w.reshape(w.avg_pool2d(_as_images(w, input), size), out.shape)


# -- normalisation ----------------------------------------------------------------------------------------------------


def _divided_by_root(w: Writer, x: str, variance: str, eps: float) -> str:
    root = w.emit("sqrt", w.emit("add_scalar", variance, eps))
    return w.emit("div", x, w.broadcast(root, w.spec(x).shape))


def _affine(w: Writer, x: str, weight: str | None, bias: str | None) -> str:
    """x · weight + bias, both of the shape of x."""
    x = x if weight is None else w.emit("mul", x, weight)
    return x if bias is None else w.emit("add", x, bias)


@lowers("layer_norm")
def _(w: Writer, input: str, weight: str | None, bias: str | None, *, out: TensorSpec, normalized_shape: tuple,
      eps: float) -> str:  # fmt: skip
    rank = len(out.shape)
    rest, variance, _ = _centred(w, input, tuple(range(rank - len(normalized_shape), rank)))
    weight, bias = (b if b is None else tensor(w, b, out) for b in (weight, bias))
    return _affine(w, _divided_by_root(w, rest, variance, eps), weight, bias)


@lowers("rms_norm")
def _(w: Writer, x: str, gamma: str, *, out: tuple, epsilon: float) -> tuple:
    shape, last = out[0].shape, len(w.spec(gamma).shape)
    axis = tuple(range(len(shape) - last, len(shape)))
    mean = _mean(w, w.square(x), axis, out[1].shape)
    inverse = w.constant_div(1, w.emit("sqrt", w.emit("add_scalar", mean, epsilon)))
    return _affine(w, w.emit("mul", x, w.broadcast(inverse, shape)), tensor(w, gamma, out[0]), None), inverse


@lowers("norm_with")
def _(w: Writer, input: str, mean: str, variance: str, weight: str | None, bias: str | None, *, out: TensorSpec,
      eps: float) -> str:  # fmt: skip
    rest = w.emit("sub", input, channels(w, w.cast(mean, out.dtype), out.shape))
    root = w.emit("sqrt", w.emit("add_scalar", w.cast(variance, out.dtype), eps))
    weight, bias = (b if b is None else channels(w, w.cast(b, out.dtype), out.shape) for b in (weight, bias))
    return _affine(w, w.emit("div", rest, channels(w, root, out.shape)), weight, bias)


@lowers("channel_norm")
def _(w: Writer, input: str, weight: str | None, bias: str | None, *, out: tuple, groups: int,
      eps: float) -> tuple:  # fmt: skip
    shape = out[0].shape
    x = w.reshape(input, (shape[0], groups, math.prod(shape[1:]) // groups)) if groups else input
    axis = (2,) if groups else (0, *range(2, len(shape)))
    rest, variance, mean = _centred(w, x, axis)
    y = w.reshape(_divided_by_root(w, rest, variance, eps), shape)
    weight, bias = (b if b is None else channels(w, w.cast(b, out[0].dtype), shape) for b in (weight, bias))
    return _affine(w, y, weight, bias), w.reshape(mean, out[1].shape), w.reshape(variance, out[2].shape)


# -- softmax and losses -----------------------------------------------------------------------------------------------


@lowers("softmax")
def _(w: Writer, input: str, *, out: TensorSpec, axis: int, dtype: Any) -> str:
    return w.softmax(w.cast(input, out.dtype), axis)


@lowers("log_softmax")
def _(w: Writer, logits: str, *, out: TensorSpec, axis: int) -> str:
    return _in_float64(lambda w, x: w.log_softmax(x, axis))(w, w.cast(logits, out.dtype))


@lowers("class_cross_entropy")
def _(w: Writer, input: str, target: str, weight: str | None, *, out: TensorSpec, ignore_index: int, reduction: str,
      label_smoothing: float, from_logits: bool) -> str:  # fmt: skip
    axis = 0 if len(w.spec(input).shape) == 1 else 1
    x = wide(w, input)
    spec = w.spec(x)
    scores = w.neg(w.log_softmax(x, axis) if from_logits else x)
    mask = _is_class(w, target, axis, spec.shape)
    if 0 <= ignore_index < spec.shape[axis]:
        labels = w.reshape(target, [1 if i == axis else n for i, n in enumerate(spec.shape)])
        kept = w.broadcast(_not(w, w.emit("equal_scalar", labels, ignore_index)), spec.shape)
        mask = w.emit("mul", mask, kept)
    weights = None
    if weight is not None:
        column = w.reshape(w.cast(weight, spec.dtype), [n if i == axis else 1 for i, n in enumerate(spec.shape)])
        weights = w.broadcast(column, spec.shape)
        scores = w.emit("mul", scores, weights)
    rows = tuple(n for i, n in enumerate(spec.shape) if i != axis)
    zeros = w.new(spec)
    losses = w.emit("sum", w.emit("where", mask, scores, zeros), [axis], shape=rows)
    if label_smoothing:
        share = label_smoothing / spec.shape[axis]
        is_kept = w.emit("sum", w.cast(mask, spec.dtype), [axis], shape=rows)
        smooth = w.emit("mul", w.emit("sum", scores, [axis], shape=rows), is_kept)
        losses = w.emit("mul_scalar", losses, 1 - label_smoothing)
        losses = w.emit("add", losses, w.emit("mul_scalar", smooth, share))
    if reduction == "none":
        return w.cast(losses, out.dtype)
    total = w.emit("sum", losses, [])
    if reduction == "mean":
        ones = w.cast(mask, spec.dtype)
        counted = ones if weights is None else w.emit("mul", ones, weights)
        total = w.emit("div", total, w.emit("sum", counted, []))
    return w.cast(total, out.dtype)


@lowers("softmax_cross_entropy_with_logits")
def _(w: Writer, logits: str, labels: str, *, out: TensorSpec, axis: int) -> str:
    x = wide(w, logits)
    picked = w.emit("mul", w.neg(w.log_softmax(x, axis)), tensor(w, labels, w.spec(x)))
    return w.cast(w.emit("sum", picked, [axis], shape=out.shape), out.dtype)


def _loss(name: str, function: Callable[..., str]) -> None:
    """The lowering of a loss of elements: `function` gives these, from tensors of one shape."""

    @lowers(name)
    def _(w: Writer, *operands: Any, out: TensorSpec, reduction: str) -> str:
        spec = TensorSpec(out.dtype, meeting(w, *(x for x in operands if isinstance(x, str))).shape)
        given = [tensor(w, x, spec) if isinstance(x, str) else x for x in operands]
        losses = function(w, *given)
        if reduction == "none":
            return losses
        total = w.emit("sum", losses, [])
        return w.emit("div_scalar", total, math.prod(spec.shape)) if reduction == "mean" else total


def _bounded(w: Writer, x: str, target: str, bound: Value, scale: Value) -> str:
    """d² / 2 below the bound, else bound · (d - bound / 2)."""
    limit, by = _number("bound", bound), _number("scale", scale)
    d = w.abs(w.emit("sub", x, target))
    near = w.emit("mul_scalar", w.square(d), 0.5)
    far = w.emit("mul_scalar", w.emit("add_scalar", d, -limit / 2), limit)
    return w.emit("div_scalar", w.emit("where", w.emit("less_scalar", d, limit), near, far), by)


def _with_logits(w: Writer, x: str, target: str, weight: str | None, pos_weight: str | None) -> str:
    """softplus(x) - x · target, for one weight of the positive class."""
    if pos_weight is not None:
        raise NoLowering("`pos_weight` is given")
    losses = w.emit("sub", _in_float64(_softplus)(w, x), w.emit("mul", x, target))
    return losses if weight is None else w.emit("mul", losses, weight)


def _binary_loss(w: Writer, x: str, target: str, weight: str | None) -> str:
    """-(t log x + (1 - t) log(1 - x)), with logarithms of at least -100. Gradients differ at probabilities of 0 and 1,
    where those of the operator are made finite."""
    w.meta["ties"] = "ends"

    def log(p: str) -> str:
        return _in_float64(lambda w, p: w.emit("log", w.emit("max_scalar", p, exact.exp(-100.0))))(w, p)

    near = w.emit("mul", target, log(x))
    far = w.emit("mul", w.constant_sub(1, target), log(w.constant_sub(1, x)))
    losses = w.neg(w.emit("add", near, far))
    return losses if weight is None else w.emit("mul", losses, weight)


_loss("mse_loss", lambda w, x, t: w.square(w.emit("sub", x, t)))
_loss("l1_loss", lambda w, x, t: w.abs(w.emit("sub", x, t)))
_loss("bounded_loss", _bounded)
_loss("binary_cross_entropy", _binary_loss)
_loss("binary_cross_entropy_with_logits", _with_logits)


def lowering_of(name: str) -> Callable:
    """The lowering of an operator."""
    found = LOWERINGS.get(name)
    if found is None:
        raise NoLowering("")
    return found
