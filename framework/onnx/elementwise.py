"""Arithmetic, comparisons, logic and bits, element by element."""

from __future__ import annotations

from anfora import ops
from anfora.core import dtype as dt
from anfora.onnx.table import Int, reads, writes
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
        if kind == "BitwiseNot" and w.opset < 18:
            w.refuse("bits are operated on from version 18 on")
        return w.node(kind, w.cast(x, w.dtype))

    @reads(kind)
    def _(input):
        return getattr(ops, name)(input)


for _name, _kind in _SAME.items():
    _one_to_one(_name, _kind)


def _two_to_one(name: str, kind: str, result: str = "same") -> None:
    @writes(name)
    def _(w: Writer, **arguments):
        x, y = arguments.values()
        common = w.dtype if result == "same" else dt.bool_ if result == "logic" else meeting(x, y)
        if kind.startswith("Bitwise") and w.opset < 18:
            w.refuse("bits are operated on from version 18 on")
        return w.node(kind, w.value(x, common), w.value(y, common), dtype=w.dtype)

    if kind not in ("Max", "Min", "Pow"):

        @reads(kind)
        def _(A, B, *, axis: Int = None, broadcast=0, version=0):
            if broadcast and axis is not None and version < 7:  # B lies along the axes from `axis` on
                B = ops.reshape(B, (*B.shape, *(1,) * (A.ndim - axis - B.ndim)))
            return getattr(ops, name)(A, B)


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
    "addcdiv": lambda w, x, y, z, v: w.node("Add", x, w.node("Mul", v, w.node("Div", y, z))),
    "positive": lambda w, x: w.node("Identity", x),
}.items():
    _sentence(_name, _write)


@writes("div_no_nan")
def _(w: Writer, input, other):
    x, y = w.value(input, w.dtype), w.value(other, w.dtype)
    none = w.node("Equal", y, w.constant(0, w.dtype), dtype=dt.bool_)
    return w.node("Where", none, w.constant(0, w.dtype), w.node("Div", x, y), dtype=w.dtype)


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


@writes("copy", "alias", "stop_gradient")
def _(w: Writer, **arguments):
    [x] = arguments.values()
    return w.node("Identity", w.value(x, w.dtype))
