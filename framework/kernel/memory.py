"""How the elements of a buffer become values to compute with, and back.

A *code* names the type of a buffer: `b1` (one byte, 0 or 1), `i8` … `u64`, `f16`, `bf16`, `f32`, `f64`. Half-precision
numbers are stored as 16 bits and computed as float32; every store rounds once to nearest even, whether the kernel holds
one operation or ten, so fusing cannot change a bit.
"""

from __future__ import annotations

from anfora.kernel import bodies
from anfora.kernel.emit import Function, Type, Value

__all__ = ["code_bytes", "compute_elem", "load", "load_masked", "store", "store_masked", "storage", "widen", "narrow"]

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


def widen(raw: Value, code: str, elem: str) -> Value:
    """A loaded element as a value of machine type `elem`."""
    if code == "f16":
        raw = bodies.f16_to_f32(raw)
    elif code == "bf16":
        raw = bodies.bf16_to_f32(raw)
    if elem == "i1":
        return raw != 0
    return convert(raw, elem)


def narrow(value: Value, code: str) -> Value:
    """A computed value as what is stored in a buffer of type `code`."""
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


def load(fn: Function, pointer: Value, code: str, elem: str, lanes: int, index: Value | int = 0) -> Value:
    return widen(fn.load(pointer, Type(storage(code), lanes), index), code, elem)


def load_masked(
    fn: Function, pointer: Value, code: str, elem: str, mask: Value, index: Value | int = 0, other: float = 0
) -> Value:
    """Lanes outside the mask are not read and hold `other` (0 or 1; it is converted like a stored bit pattern)."""
    return widen(fn.masked_load(pointer, Type(storage(code), mask.type.lanes), mask, index, other), code, elem)


def store(fn: Function, value: Value, pointer: Value, code: str, index: Value | int = 0) -> None:
    fn.store(narrow(value, code), pointer, index)


def store_masked(fn: Function, value: Value, pointer: Value, code: str, mask: Value, index: Value | int = 0) -> None:
    fn.masked_store(narrow(value, code), pointer, mask, index)
