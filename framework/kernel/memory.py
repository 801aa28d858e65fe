"""How the elements of a buffer become values to compute with, and back.

A *code* names the type of a buffer: `b1` (one byte, 0 or 1), `i8` … `u64`, `f16`, `bf16`, `f32`, `f64`, `c64`, `c128`.
Half-precision numbers are stored as 16 bits and computed as float32; every store rounds once to nearest even, whether the
kernel holds one operation or ten, so fusing cannot change a bit. Complex numbers are pairs of floats, and in a body a
`Complex` of two values. No load and no store makes a real number of one: imaginary parts are lost where a body says so.
"""

from __future__ import annotations

from typing import Any

from anfora.kernel import bodies
from anfora.kernel.complexes import PARTS, Complex
from anfora.kernel.emit import Function, Type, Value

__all__ = [
    "code_bytes", "compute_elem", "load", "load_masked", "narrow", "splat", "storage", "store", "store_masked",
    "turned", "widen",
]  # fmt: skip

Number = Any  #: a Value; of complex numbers a Complex

_STORAGE = {"b1": "u8", "f16": "u16", "bf16": "u16"}
_COMPUTE = {"b1": "u8", "f16": "f32", "bf16": "f32"}


def storage(code: str) -> str:
    """The machine type that holds one element."""
    return _STORAGE.get(code, code)


def compute_elem(code: str) -> str:
    """The machine type in which an element is computed."""
    return _COMPUTE.get(code, code)


def code_bytes(code: str) -> int:
    return Type(storage(code)).bytes


def widen(raw: Number, code: str, elem: str) -> Number:
    """A loaded element as a value of machine type `elem`."""
    if isinstance(raw, Complex):
        if elem == "i1":
            return raw != 0
        assert elem in PARTS, f"bug in this library: an imaginary part would be lost on the way to {elem}"
        return raw.to(elem)
    if elem in PARTS:
        re = widen(raw, code, PARTS[elem])
        return Complex(re, re.fn.const(0.0, re.type))
    if code == "f16":
        raw = bodies.f16_to_f32(raw)
    elif code == "bf16":
        raw = bodies.bf16_to_f32(raw)
    if elem == "i1":
        return raw != 0
    return convert(raw, elem)


def narrow(value: Number, code: str) -> Number:
    """A computed value as what is stored in a buffer of type `code`."""
    if code in PARTS:
        return widen(value, "", code)
    if isinstance(value, Complex):
        assert code == "b1", f"bug in this library: an imaginary part would be lost on the way to {code}"
        value = value != 0
    if code == "b1":
        return value.to("u8") if value.type.elem == "i1" else (value != 0).to("u8")
    if code in ("f16", "bf16"):
        value = convert(value, "f32")
        return bodies.f32_to_f16(value) if code == "f16" else bodies.f32_to_bf16(value)
    return convert(value, code)


def convert(value: Value, elem: str) -> Value:
    """Convert as numpy's `astype` on x86-64: a float that no integer of the target holds gives the smallest int64 or
    int32, cut to size, instead of LLVM's undefined value."""
    if not value.type.is_float or elem[0] == "f":
        return value.to(elem)
    bits = int(elem[1:])
    if bits == 64 and elem[0] == "u":
        big = value >= 2.0**63
        high = (bodies.select(big, value - 2.0**63, 0.0)).to("i64") ^ -(2**63)
        return bodies.select(big & (value < 2.0**64), high, convert(value, "i64")).to("u64")
    work = "i64" if bits == 64 or elem == "u32" else "i32"
    limit = 2.0**63 if work == "i64" else 2.0**31
    fits = (value < limit) & (value >= -limit)
    whole = bodies.select(fits, value, 0.0).to(work)
    return bodies.select(fits, whole, -(2 ** (63 if work == "i64" else 31))).to(elem)


def splat(fn: Function, value: Number, lanes: int) -> Number:
    """A vector of one number."""
    if isinstance(value, Complex):
        return Complex(fn.splat(value.re, lanes), fn.splat(value.im, lanes))
    return fn.splat(value, lanes)


def turned(fn: Function, value: Number) -> Number:
    """The lanes in reverse order."""
    if isinstance(value, Complex):
        return Complex(turned(fn, value.re), turned(fn, value.im))
    return fn.shuffle(value, value, list(range(value.type.lanes))[::-1])


def _apart(fn: Function, pairs: Value) -> Complex:
    """The parts of pairs that lie side by side."""
    count = pairs.type.lanes
    even, odd = (fn.shuffle(pairs, pairs, list(range(start, count, 2))) for start in (0, 1))
    return Complex(even, odd)


def _together(fn: Function, value: Complex) -> Value:
    """Pairs that lie side by side, of their parts."""
    lanes = value.re.type.lanes
    return fn.shuffle(value.re, value.im, [i + part * lanes for i in range(lanes) for part in (0, 1)])


def _twice(fn: Function, mask: Value) -> Value:
    """The mask of the parts of pairs."""
    return fn.shuffle(mask, mask, [i for i in range(mask.type.lanes) for _ in range(2)])


def load(fn: Function, pointer: Value, code: str, elem: str, lanes: int, index: Value | int = 0) -> Number:
    if code not in PARTS:
        return widen(fn.load(pointer, Type(storage(code), lanes), index), code, elem)
    pointer = fn.element(pointer, Type(f"u{8 * code_bytes(code)}"), index)
    kind = Type(PARTS[code], 2 * lanes)
    if lanes:
        return widen(_apart(fn, fn.load(pointer, kind)), code, elem)
    return widen(Complex(fn.load(pointer, kind), fn.load(pointer, kind, 1)), code, elem)


def load_masked(
    fn: Function, pointer: Value, code: str, elem: str, mask: Value, index: Value | int = 0, other: float = 0
) -> Number:
    """Lanes outside the mask are not read and hold `other` (0 or 1; it is converted like a stored bit pattern)."""
    if code not in PARTS:
        return widen(fn.masked_load(pointer, Type(storage(code), mask.type.lanes), mask, index, other), code, elem)
    pointer = fn.element(pointer, Type(f"u{8 * code_bytes(code)}"), index)
    kind = Type(PARTS[code], 2 * mask.type.lanes)
    return widen(_apart(fn, fn.masked_load(pointer, kind, _twice(fn, mask), 0, other)), code, elem)


def store(fn: Function, value: Number, pointer: Value, code: str, index: Value | int = 0) -> None:
    value = narrow(value, code)
    if not isinstance(value, Complex):
        fn.store(value, pointer, index)
        return
    pointer = fn.element(pointer, Type(f"u{8 * code_bytes(code)}"), index)
    if value.re.type.lanes:
        fn.store(_together(fn, value), pointer)
    else:
        fn.store(value.re, pointer)
        fn.store(value.im, pointer, 1)


def store_masked(fn: Function, value: Number, pointer: Value, code: str, mask: Value, index: Value | int = 0) -> None:
    value = narrow(value, code)
    if isinstance(value, Complex):
        pointer = fn.element(pointer, Type(f"u{8 * code_bytes(code)}"), index)
        fn.masked_store(_together(fn, value), pointer, _twice(fn, mask))
    else:
        fn.masked_store(value, pointer, mask, index)
