"""Arithmetic, comparisons, logic and bits, element by element."""

from __future__ import annotations

import numpy as np

from anfora import ops
from anfora.core import dtype as dt
from anfora.core.dtype import DType
from anfora.core.errors import OpValueError
from anfora.core.tensor import Tensor, current, from_buffer
from anfora.onnx.table import Int, dtype_of, reads, writes
from anfora.onnx.writer import Value, Writer, meeting

_LN2, _LN10 = 0.6931471805599453, 2.302585092994046

#: One tensor in, one out, of the same name in ONNX; what is no bool is computed in the type of the result.
_SAME = {
    "abs": "Abs", "acos": "Acos", "acosh": "Acosh", "asin": "Asin", "asinh": "Asinh", "atan": "Atan", "atanh": "Atanh",
    "bitwise_not": "BitwiseNot", "ceil": "Ceil", "cos": "Cos", "cosh": "Cosh", "erf": "Erf", "exp": "Exp",
    "floor": "Floor", "isnan": "IsNaN", "log": "Log", "logical_not": "Not", "neg": "Neg", "reciprocal": "Reciprocal",
    "relu": "Relu", "rint": "Round", "sigmoid": "Sigmoid", "sign": "Sign", "sin": "Sin", "sinh": "Sinh",
    "softsign": "Softsign", "sqrt": "Sqrt", "tan": "Tan", "tanh": "Tanh",
}  # fmt: skip


def _one_to_one(name: str, kind: str) -> None:
    @writes(name)
    def _(w: Writer, **arguments):
        [x] = arguments.values()
        if kind == "IsNaN":
            return w.node(kind, w.value(x, meeting(x)), dtype=dt.bool_)
        if kind == "BitwiseNot":
            if w.dtype.is_bool:
                return w.node("Not", x)
            if w.opset < 18:
                w.refuse("bits are operated on from version 18 on")
        return w.node(kind, w.cast(x, w.dtype))

    operator = getattr(ops, name)

    @reads(kind)
    def _(input):
        return operator(input)


for _name, _kind in _SAME.items():
    _one_to_one(_name, _kind)


def _two_to_one(name: str, kind: str, result: str = "same") -> None:
    @writes(name)
    def _(w: Writer, **arguments):
        x, y = arguments.values()
        common = w.dtype if result == "same" else dt.bool_ if result == "logic" else meeting(x, y)
        what = kind
        if kind.startswith("Bitwise"):
            if w.dtype.is_bool:
                what = kind.removeprefix("Bitwise")
            elif w.opset < 18:
                w.refuse("bits are operated on from version 18 on")
        return w.node(what, w.value(x, common), w.value(y, common), dtype=w.dtype)

    if kind not in ("Max", "Min"):
        operator = getattr(ops, name)

        @reads(kind)
        def _(A, B, *, axis: Int = None, broadcast=0, version=0):
            if broadcast and axis is not None and version < 7:  # B lies along the axes from `axis` on
                B = ops.reshape(B, (*B.shape, *(1,) * (A.ndim - axis - B.ndim)))
            return operator(A, B)


for _name, _kind in {
    "add": "Add", "sub": "Sub", "mul": "Mul", "bitwise_and": "BitwiseAnd", "bitwise_or": "BitwiseOr",
    "bitwise_xor": "BitwiseXor", "maximum": "Max", "minimum": "Min",
}.items():  # fmt: skip
    _two_to_one(_name, _kind)
for _name, _kind in {
    "equal": "Equal", "greater": "Greater", "greater_equal": "GreaterOrEqual", "less": "Less",
    "less_equal": "LessOrEqual",
}.items():  # fmt: skip
    _two_to_one(_name, _kind, "compared")
for _name, _kind in {"logical_and": "And", "logical_or": "Or", "logical_xor": "Xor"}.items():
    _two_to_one(_name, _kind, "logic")


@writes("not_equal")
def _(w: Writer, input, other):
    common = meeting(input, other)
    return w.node("Not", w.node("Equal", w.value(input, common), w.value(other, common), dtype=dt.bool_))


@writes("real_div")
def _(w: Writer, input, other):
    return w.node("Div", w.value(input, w.dtype), w.value(other, w.dtype))


@writes("truncate_div")
def _(w: Writer, input, other):
    quotient = w.node("Div", w.value(input, w.dtype), w.value(other, w.dtype))
    return _truncated(w, quotient) if w.dtype.is_float else quotient


def _truncated(w: Writer, x: Value) -> Value:
    return w.node("Mul", w.node("Sign", x), w.node("Floor", w.node("Abs", x)))


@writes("floor_div")
def _(w: Writer, input, other):
    x, y = w.value(input, w.dtype), w.value(other, w.dtype)
    if w.dtype.is_float:
        return w.node("Floor", w.node("Div", x, y))
    return w.node("Div", w.node("Sub", x, w.node("Mod", x, y)), y)


@writes("remainder")
def _(w: Writer, input, other):
    x, y = w.value(input, w.dtype), w.value(other, w.dtype)
    if not w.dtype.is_float:
        return w.node("Mod", x, y)
    rest = w.node("Mod", x, y, fmod=1)
    zero = w.constant(0, w.dtype)
    is_other = w.node(
        "Less", w.node("Mul", rest, w.node("Sign", y)), zero, dtype=dt.bool_
    )  # its sign is not that of the divisor
    return w.node("Where", is_other, w.node("Add", rest, y), rest, dtype=w.dtype)


@writes("fmod")
def _(w: Writer, input, other):
    return w.node("Mod", w.value(input, w.dtype), w.value(other, w.dtype), fmod=1)


@writes("pow")
def _(w: Writer, input, exponent):
    return w.node("Pow", w.value(input, w.dtype), w.value(exponent, w.dtype))


@writes("square")
def _(w: Writer, input):
    x = w.cast(input, w.dtype)
    return w.node("Mul", x, x)


@writes("rsqrt")
def _(w: Writer, input):
    return w.node("Reciprocal", w.node("Sqrt", w.cast(input, w.dtype)))


@writes("trunc")
def _(w: Writer, input):
    return _truncated(w, input) if w.dtype.is_float else w.node("Identity", input)


@writes("frac")
def _(w: Writer, input):
    return w.node("Sub", input, _truncated(w, input))


@writes("round")
def _(w: Writer, input, decimals):
    if decimals:
        w.refuse("ONNX rounds to whole numbers")
    return w.node("Round", input) if w.dtype.is_float else w.node("Identity", input)


def _sentence(name: str, write) -> None:
    @writes(name)
    def _(w: Writer, **arguments):
        return write(w, *(w.value(x, w.dtype) for x in arguments.values()))


def _number(w: Writer, value: float) -> Value:
    return w.constant(value, w.dtype)


for _name, _write in {
    "exp2": lambda w, x: w.node("Pow", _number(w, 2), x),
    "expm1": lambda w, x: w.node("Sub", w.node("Exp", x), _number(w, 1)),
    "log1p": lambda w, x: w.node("Log", w.node("Add", x, _number(w, 1))),
    "log2": lambda w, x: w.node("Div", w.node("Log", x), _number(w, _LN2)),
    "log10": lambda w, x: w.node("Div", w.node("Log", x), _number(w, _LN10)),
    "erfc": lambda w, x: w.node("Sub", _number(w, 1), w.node("Erf", x)),
    "hypot": lambda w, x, y: w.node("Sqrt", w.node("Add", w.node("Mul", x, x), w.node("Mul", y, y))),
    "lerp": lambda w, x, y, t: w.node("Add", x, w.node("Mul", t, w.node("Sub", y, x))),
    "addcmul": lambda w, x, y, z, v: w.node("Add", x, w.node("Mul", v, w.node("Mul", y, z))),
    "multiply_add": lambda w, x, y, z: w.node("Add", w.node("Mul", x, y), z),
    "addcdiv": lambda w, x, y, z, v: w.node("Add", x, w.node("Mul", v, w.node("Div", y, z))),
    "positive": lambda w, x: w.node("Identity", x),
}.items():
    _sentence(_name, _write)


def _infinite(name: str, signs: tuple[int, int]) -> None:

    @writes(name)
    def _(w: Writer, input):
        if not input.dtype.is_float:
            return w.node("Less", input, input, dtype=dt.bool_)  # never
        return w.node("IsInf", input, dtype=dt.bool_, detect_positive=signs[0], detect_negative=signs[1])


for _name, _signs in {"isinf": (1, 1), "isposinf": (1, 0), "isneginf": (0, 1)}.items():
    _infinite(_name, _signs)


@writes("isfinite")
def _(w: Writer, input):
    if not input.dtype.is_float:
        return w.node("Equal", input, input, dtype=dt.bool_)
    bad = w.node("Or", w.node("IsInf", input, dtype=dt.bool_), w.node("IsNaN", input, dtype=dt.bool_))
    return w.node("Not", bad)


def _is_negative(w: Writer, x: Value) -> Value:
    """Whether the sign bit is set, that of -0 too; what a NaN has is left open."""
    zero = w.constant(0, x.dtype)
    less = w.node("Less", x, zero, dtype=dt.bool_)
    if not x.dtype.is_float:
        return less
    is_zero = w.node("Equal", x, zero, dtype=dt.bool_)
    below = w.node("Less", w.node("Reciprocal", x), zero, dtype=dt.bool_)
    return w.node("Or", less, w.node("And", is_zero, below))


@writes("signbit")
def _(w: Writer, input):
    return _is_negative(w, input)


@writes("copysign")
def _(w: Writer, input, other):
    x, y = (w.value(v, w.dtype) for v in (input, other))
    size = w.node("Abs", x)
    return w.node("Where", _is_negative(w, y), w.node("Neg", size), size, dtype=w.dtype)


def _unless_zero(name: str, which: int, write) -> None:
    """A function that is 0 where one of its arguments is, whatever the other one."""

    @writes(name)
    def _(w: Writer, **arguments):
        values = [w.value(x, w.dtype) for x in arguments.values()]
        zero = w.constant(0, w.dtype)
        none = w.node("Equal", values[which], zero, dtype=dt.bool_)
        return w.node("Where", none, zero, write(w, *values), dtype=w.dtype)


_unless_zero("mul_no_nan", 1, lambda w, x, y: w.node("Mul", x, y))
_unless_zero("div_no_nan", 1, lambda w, x, y: w.node("Div", x, y))
_unless_zero("xlogy", 0, lambda w, x, y: w.node("Mul", x, w.node("Log", y)))
_unless_zero("xdivy", 0, lambda w, x, y: w.node("Div", x, y))


def _without_nan(name: str, kind: str) -> None:
    @writes(name)
    def _(w: Writer, input, other):
        x, y = (w.value(v, w.dtype) for v in (input, other))
        made = w.node(kind, x, y)
        if not w.dtype.is_float:
            return made
        for this, that in ((x, y), (y, x)):
            made = w.node("Where", w.node("IsNaN", this, dtype=dt.bool_), that, made, dtype=w.dtype)
        return made


_without_nan("fmax", "Max")
_without_nan("fmin", "Min")


@writes("logaddexp2")
def _(w: Writer, input, other):
    scale = _number(w, _LN2)
    x, y = (w.node("Mul", w.value(v, w.dtype), scale) for v in (input, other))
    return w.node("Div", _log_of_sum(w, x, y), scale)


@writes("logaddexp")
def _(w: Writer, input, other):
    return _log_of_sum(w, *(w.value(v, w.dtype) for v in (input, other)))


def _log_of_sum(w: Writer, x: Value, y: Value) -> Value:
    """log(exp(x) + exp(y)), the larger one taken out."""
    apart = w.node("Softplus", w.node("Neg", w.node("Abs", w.node("Sub", x, y))))
    alike = w.node("Equal", x, y, dtype=dt.bool_)  # infinities too
    apart = w.node("Where", alike, _number(w, _LN2), apart, dtype=w.dtype)
    return w.node("Add", w.node("Max", x, y), apart)


@writes("replace_special")
def _(w: Writer, input, nan, posinf, neginf):
    made = input
    for value, is_it in (
        (nan, w.node("IsNaN", input, dtype=dt.bool_)),
        (posinf, w.node("IsInf", input, dtype=dt.bool_, detect_negative=0)),
        (neginf, w.node("IsInf", input, dtype=dt.bool_, detect_positive=0)),
    ):
        made = w.node("Where", is_it, w.value(value, w.dtype), made, dtype=w.dtype)
    return made


@writes("ldexp")
def _(w: Writer, x, other):
    return w.node("Mul", w.value(x, w.dtype), w.node("Pow", _number(w, 2), w.value(other, w.dtype)))


@writes("isclose")
def _(w: Writer, input, other, rtol, atol, equal_nan):
    common = meeting(input, other)
    if not common.is_float:
        common = dt.float64
    x, y = (w.value(v, common) for v in (input, other))
    bound = w.node("Add", w.constant(atol, common), w.node("Mul", w.constant(rtol, common), w.node("Abs", y)))
    bound = w.node("Where", w.node("IsInf", y, dtype=dt.bool_), w.constant(0, common), bound, dtype=common)
    near = w.node("LessOrEqual", w.node("Abs", w.node("Sub", x, y)), bound, dtype=dt.bool_)
    made = w.node("Or", near, w.node("Equal", x, y, dtype=dt.bool_))
    if equal_nan:
        both = w.node("And", w.node("IsNaN", x, dtype=dt.bool_), w.node("IsNaN", y, dtype=dt.bool_))
        made = w.node("Or", made, both)
    return made


@writes("heaviside")
def _(w: Writer, input, values):
    x, at_zero = (w.value(v, w.dtype) for v in (input, values))
    zero = w.constant(0, w.dtype)
    sign = w.node("Div", w.node("Add", w.node("Sign", x), _number(w, 1)), _number(w, 2))
    return w.node("Where", w.node("Equal", x, zero, dtype=dt.bool_), at_zero, sign, dtype=w.dtype)


@writes("sinc")
def _(w: Writer, input):
    x = w.node("Mul", w.cast(input, w.dtype), _number(w, 3.141592653589793))
    at_zero = w.node("Equal", x, _number(w, 0), dtype=dt.bool_)
    return w.node("Where", at_zero, _number(w, 1), w.node("Div", w.node("Sin", x), x), dtype=w.dtype)


@writes("atan2")
def _(w: Writer, input, other):
    y, x = (w.value(v, w.dtype) for v in (input, other))
    pi, zero = 3.141592653589793, _number(w, 0)
    base = w.node("Atan", w.node("Div", y, x))
    up, down = _number(w, pi), _number(w, -pi)
    turned = w.node("Where", _is_negative(w, y), down, up, dtype=w.dtype)
    made = w.node("Where", _is_negative(w, x), w.node("Add", base, turned), base, dtype=w.dtype)
    still = w.node("And", w.node("Equal", x, zero, dtype=dt.bool_), w.node("Equal", y, zero, dtype=dt.bool_))  # 0 / 0
    at_origin = w.node("Where", _is_negative(w, x), turned, y, dtype=w.dtype)
    return w.node("Where", still, at_origin, made, dtype=w.dtype)


@writes("abs_power")
def _(w: Writer, input, exponent, signed):
    made = w.node("Pow", w.node("Abs", input), _number(w, exponent))
    return w.node("Mul", made, w.node("Sign", input)) if signed else made


@writes("where")
def _(w: Writer, condition, input, other):
    return w.node(
        "Where", w.value(condition, dt.bool_), w.value(input, w.dtype), w.value(other, w.dtype), dtype=w.dtype
    )


@writes("masked_fill")
def _(w: Writer, input_x, mask, value):
    return w.node("Where", mask, w.value(value, w.dtype), input_x, dtype=w.dtype)


@writes("clamp")
def _(w: Writer, input, min, max):
    x = w.value(input, w.dtype)
    if any(isinstance(bound, Value) and bound.ndim for bound in (min, max)):
        if min is not None:
            x = w.node("Max", x, w.value(min, w.dtype))
        return x if max is None else w.node("Min", x, w.value(max, w.dtype))
    low, high = (None if bound is None else w.value(bound, w.dtype) for bound in (min, max))
    return w.node("Clip", x, low, high)


@writes("cast")
def _(w: Writer, input, dtype):
    return w.node("Identity", input) if input.dtype is dtype else w.cast(input, dtype)


@writes("copy", "alias", "stop_gradient", "standing_for")
def _(w: Writer, **arguments):
    x = next(iter(arguments.values()))
    return w.node("Identity", w.value(x, w.dtype))


# -- from ONNX --------------------------------------------------------------------------------------------------------


@reads("Div")
def divide(A, B, *, axis: Int = None, broadcast=0):
    return ops.real_div(A, B) if A.dtype.is_float else ops.truncate_div(A, B)


@reads("Mod")
def mod(A, B, *, fmod=0):
    return ops.fmod(A, B) if fmod else ops.remainder(A, B)


@reads("Pow")
def power(X, Y, *, axis: Int = None, broadcast=0):
    if X.dtype is Y.dtype:
        return ops.pow(X, Y)
    wide = dt.float64 if X.dtype.is_integer and Y.dtype.is_float else X.dtype
    return ops.cast(ops.pow(ops.cast(X, wide), ops.cast(Y, wide)), X.dtype)


def _folded(function):
    def fold(*inputs):
        total = inputs[0]
        for x in inputs[1:]:
            total = function(total, x)
        return total

    return fold


largest = reads("Max")(_folded(ops.maximum))
smallest = reads("Min")(_folded(ops.minimum))
total = reads("Sum")(_folded(ops.add))


@reads("Mean")
def mean(*inputs):
    return total(*inputs) / len(inputs)


@reads("Where")
def where(condition, X, Y):
    return ops.where(condition, X, Y)


@reads("Clip")
def clip(input, min=None, max=None):
    if min is not None:
        input = ops.maximum(input, min)
    return input if max is None else ops.cast(ops.minimum(input, max), input.dtype)


@reads("IsInf")
def is_infinite(X, *, detect_negative=1, detect_positive=1):
    if detect_negative and detect_positive:
        return ops.isinf(X)
    if detect_positive:
        return ops.isposinf(X)
    return ops.isneginf(X) if detect_negative else ops.zeros(X.shape, dt.bool_)


@reads("BitShift")
def bit_shift(X, Y, *, direction):
    last = ops.minimum(Y, X.dtype.bits - 1)
    if direction == "RIGHT" and X.dtype.kind == "i":  # the sign stays
        return ops.bitwise_right_shift(X, last)
    shift = ops.bitwise_left_shift if direction == "LEFT" else ops.bitwise_right_shift
    return ops.where(X.dtype.bits > Y, shift(X, last), ops.zeros_like(X))


@reads("Cast")
def cast(input, *, to, saturate=1, round_mode="up"):
    return ops.cast(input, dtype_of(to))


@reads("CastLike")
def cast_like(input, target_type, *, saturate=1, round_mode="up"):
    return ops.cast(input, target_type.dtype)


def reinterpreted(x: Tensor, dtype: DType) -> Tensor:
    """The same bits as numbers of another type."""
    return from_buffer(np.array(current(x)._array, order="C").view(dtype.storage), dtype)


@reads("BitCast")
def bit_cast(input, *, to):
    dtype = dtype_of(to)
    if dtype.bits != input.dtype.bits:
        raise OpValueError(f"BitCast of {input.dtype} to {dtype}, which have not as many bits")
    return reinterpreted(input, dtype)
