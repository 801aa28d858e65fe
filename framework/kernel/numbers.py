"""Arithmetic on Python's numbers in registers: an int is an i64, a float an f64, a truth an i1.

`compute(operation, operands)` gives what Python gives, bit for bit. Where a register cannot tell (an int beyond 64 bits, a
quotient or a comparison of ints beyond 2^53 with floats) and where Python raises, it faults: the caller then leaves the
whole to Python.
"""

from __future__ import annotations

from collections.abc import Sequence

from anfora.kernel import bodies
from anfora.kernel.emit import I1, I64, Function, Type, Value

__all__ = ["compute", "result_elem"]

_EXACT = 1 << 53  #: integers up to here are floating-point numbers too
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
_ARITHMETIC = ("add", "sub", "mul", "floordiv", "mod")


def result_elem(operation: str, elems: Sequence[str]) -> str | None:
    """The machine type of a result: i64, f64 or i1; None for what is not known here.

    Args:
        operation: the name of a function of Python's `operator`; or abs, bool, float, int, max, min; `same`, whether two
            numbers of one type have one `repr`; or the code of a buffer, for a number that an operator takes from there.
        elems: the machine types of the operands.
    """
    if len(elems) > 2:
        return None
    if len(elems) == 2:
        if operation in _COMPARISONS:
            return "i1"
        if operation in ("max", "min"):
            return elems[0] if elems[0] == elems[1] else None
        if operation == "same":
            return "i1" if elems[0] == elems[1] else None
        if operation in _ARITHMETIC:
            return "i64" if all(elem == "i64" for elem in elems) else "f64"
        return "f64" if operation == "truediv" else None
    [elem] = elems
    if operation in ("neg", "pos", "abs"):
        return elem
    if operation in ("f32", "f64"):
        return operation
    if operation in ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"):
        return operation if elem == "i64" else None
    return {"bool": "i1", "float": "f64", "int": "i64"}.get(operation)


def compute(operation: str, operands: Sequence[Value]) -> Value:
    """The result of an operation; see `result_elem`."""
    if len(operands) == 2:
        one, other = operands
        if operation in _COMPARISONS:
            return _compared(operation, one, other)
        if operation in ("max", "min"):
            return bodies.select(other > one if operation == "max" else other < one, other, one)
        if operation == "same":
            nans = (one != one) & (other != other)
            return nans | (one.bitcast("i64") == other.bitcast("i64"))
        if operation == "truediv":
            one.fn.fault(other == 0)
            return _float(one, is_exact=True) / _float(other, is_exact=True)
        if one.type == other.type == I64:
            return _of_integers(operation, one, other)
        return _of_floats(operation, _float(one), _float(other))
    [value] = operands
    if operation == "pos":
        return value
    if operation in ("neg", "abs"):
        if not value.type.is_float:
            value.fn.fault(value == -(1 << 63))
            return -value if operation == "neg" else bodies.select(value < 0, -value, value)
        return -value if operation == "neg" else value.fn.intrinsic("fabs", value)
    if operation == "bool":
        return value != 0
    if operation == "float":
        return _float(value)
    if operation == "int":
        return value if not value.type.is_float else _truncated(value)
    return _converted(value, operation)


def _float(value: Value, is_exact: bool = False) -> Value:
    """A number as a float; rounded to nearest, or a fault where that must not be."""
    if value.type.is_float:
        return value
    if is_exact:
        value.fn.fault((value > _EXACT) | (value < -_EXACT))
    return value.to("f64")


def _compared(operation: str, one: Value, other: Value) -> Value:
    """Python compares ints and floats by what they are, not by what the one is as the other."""
    if one.type != other.type:
        one, other = _float(one, is_exact=True), _float(other, is_exact=True)
    return one._compare(operation, other)


def _of_integers(operation: str, one: Value, other: Value) -> Value:
    fn = one.fn
    if operation in ("floordiv", "mod"):
        fn.fault((other == 0) | ((one == -(1 << 63)) & (other == -1)))
        return (bodies.integer_floor_divide if operation == "floordiv" else bodies.integer_remainder)(one, other)
    return _checked(fn, operation, one, other)


def _checked(fn: Function, operation: str, one: Value, other: Value) -> Value:
    """A sum, difference or product; a fault if it needs more than 64 bits."""
    name = f"llvm.s{operation}.with.overflow.i64"
    fn.module.declare(name, f"declare {{i64, i1}} @{name}(i64, i64)")
    both = fn.emit(Type("i64"), f"call {{i64, i1}} @{name}({one.typed()}, {other.typed()})")
    fn.fault(fn.emit(I1, f"extractvalue {{i64, i1}} {both.text}, 1"))
    return fn.emit(I64, f"extractvalue {{i64, i1}} {both.text}, 0")


def _of_floats(operation: str, one: Value, other: Value) -> Value:
    if operation == "add":
        return one + other
    if operation == "sub":
        return one - other
    if operation == "mul":
        return one * other
    one.fn.fault(other == 0.0)
    return (bodies.floor_divide if operation == "floordiv" else bodies.remainder)(one, other)


def _truncated(value: Value) -> Value:
    fits = (value < 2.0**63) & (value >= -(2.0**63))
    value.fn.fault(~fits)
    return bodies.select(fits, value, 0.0).to("i64")


def _converted(value: Value, code: str) -> Value:
    """As an operand of an operator, see `number_array`: by way of a float, or an integer that must fit."""
    kind = Type(code)
    if kind.is_float:
        return _float(value).to(code)
    if code == "u64":
        value.fn.fault(value < 0)
        return value.to(code)
    if code == "i64":
        return value
    low, high = (0, 1 << kind.bits) if kind.is_unsigned else (-(1 << (kind.bits - 1)), 1 << (kind.bits - 1))
    value.fn.fault((value < low) | (value >= high))
    return value.to(code)
