"""LLVM IR as text, written through values that behave like numbers.

A generator of kernels is a Python function over `Value`s: `a * b + c` appends two instructions and gives back the
result, whether the operands are scalars or vectors. So a scalar body (`bodies.py`) is written once and serves as the
element of a loop, the lane of a vector and the epilogue of a matrix product.

    f = Function("axpy", [("ptr", "words")])
    n, alpha = f.word(3), f.load(f.word(4).pointer(), F32)
    with f.loop(0, n) as i:
        ...
    f.ret(0)

No instruction ever carries a fast-math flag, `contract` included: bodies that are inlined side by side must not merge
(design, law 1). Whoever wants a fused multiply-add says `fma`.
"""

from __future__ import annotations

import math
import platform
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple, Union

from anfora.kernel.target import target

__all__ = ["F32", "F64", "I1", "I8", "I16", "I32", "I64", "PTR", "Function", "Module", "Type", "Value"]


class Type(NamedTuple):
    """An LLVM type that remembers signedness: `Type("u8")`, `Type("f32", 16)`; lanes 0 is a scalar."""

    elem: str
    lanes: int = 0

    @property
    def is_float(self) -> bool:
        return self.elem[0] == "f"

    @property
    def is_unsigned(self) -> bool:
        return self.elem[0] == "u"

    @property
    def bits(self) -> int:
        return 64 if self.elem == "ptr" else int(self.elem[1:])

    @property
    def bytes(self) -> int:
        return max(self.bits // 8, 1)

    @property
    def scalar(self) -> Type:
        return Type(self.elem)

    def vector(self, lanes: int) -> Type:
        """This element type with `lanes` lanes; 0 gives the scalar."""
        return Type(self.elem, lanes)

    def like(self, elem: str) -> Type:
        """The same number of lanes of another element type."""
        return Type(elem, self.lanes)

    def __str__(self) -> str:
        name = {"f32": "float", "f64": "double", "ptr": "ptr"}.get(self.elem) or f"i{self.elem[1:]}"
        return f"<{self.lanes} x {name}>" if self.lanes else name

    @property
    def suffix(self) -> str:
        """How intrinsics spell the type: `v16f32`, `i64`."""
        name = self.elem if self.is_float else f"i{self.bits}"
        return f"v{self.lanes}{name}" if self.lanes else name


I1, I8, I16, I32, I64 = (Type(f"i{bits}") for bits in (1, 8, 16, 32, 64))
F32, F64, PTR = Type("f32"), Type("f64"), Type("ptr")

Operand = Union["Value", int, float, bool]


def literal(value: float | bool, kind: Type) -> str:
    """`value` as an LLVM constant of `kind`, exact to the last bit."""
    if kind.is_float:
        if kind.elem == "f32":
            value = _round_to_f32(value)
        text = f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
    elif kind.elem == "i1":
        text = "true" if value else "false"
    elif kind.elem == "ptr":
        text = "null" if not value else f"inttoptr (i64 {value} to ptr)"
    else:
        text = str(int(value))
    if kind.lanes:
        text = "<" + ", ".join([f"{kind.scalar} {text}"] * kind.lanes) + ">"
    return text


def _round_to_f32(value: float) -> float:
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:  # struct refuses what rounds to infinity
        return math.copysign(math.inf, value)


class Value:
    """An SSA value. Operators append to the function that made it; Python numbers become constants of its type."""

    __slots__ = ("fn", "type", "text")

    def __init__(self, fn: Function, kind: Type, text: str) -> None:
        self.fn, self.type, self.text = fn, kind, text

    def __repr__(self) -> str:
        return f"{self.type} {self.text}"

    def typed(self) -> str:
        return f"{self.type} {self.text}"

    @property
    def known(self) -> int | None:
        """The number of an integer constant, not negative."""
        return int(self.text) if not self.type.is_float and self.text.isdecimal() else None

    # -- arithmetic -----------------------------------------------------------------------------------------------

    def _peer(self, other: Operand) -> Value:
        if not isinstance(other, Value):
            return self.fn.const(other, self.type)
        if other.type.lanes == self.type.lanes:
            return other
        if not other.type.lanes:
            return self.fn.splat(other, self.type.lanes)
        raise TypeError(f"emit: {self.type} meets {other.type}")

    def _binary(self, op: str, other: Operand, swap: bool = False) -> Value:
        other = self._peer(other)
        if not self.type.lanes and other.type.lanes:
            return self.fn.splat(self, other.type.lanes)._binary(op, other, swap)
        if str(self.type) != str(other.type):
            raise TypeError(f"emit: {op} of {self.type} and {other.type}")
        left, right = (other, self) if swap else (self, other)
        return self.fn.emit(self.type, f"{op} {self.type} {left.text}, {right.text}")

    def _pick(self, integer: str, floating: str) -> str:
        return floating if self.type.is_float else integer

    def __add__(self, other: Operand) -> Value:
        if self.type.elem == "ptr":
            return self.fn.offset(self, other)
        return self._binary(self._pick("add", "fadd"), other)

    def __radd__(self, other: Operand) -> Value:
        return self._binary(self._pick("add", "fadd"), other, swap=True)

    def __sub__(self, other: Operand) -> Value:
        return self._binary(self._pick("sub", "fsub"), other)

    def __rsub__(self, other: Operand) -> Value:
        return self._binary(self._pick("sub", "fsub"), other, swap=True)

    def __mul__(self, other: Operand) -> Value:
        return self._binary(self._pick("mul", "fmul"), other)

    def __rmul__(self, other: Operand) -> Value:
        return self._binary(self._pick("mul", "fmul"), other, swap=True)

    def __truediv__(self, other: Operand) -> Value:
        return self._binary("fdiv", other)

    def __rtruediv__(self, other: Operand) -> Value:
        return self._binary("fdiv", other, swap=True)

    def __floordiv__(self, other: Operand) -> Value:
        """Integer division that truncates towards zero, as the hardware's; loops divide non-negative sizes."""
        return self._binary("udiv" if self.type.is_unsigned else "sdiv", other)

    def __mod__(self, other: Operand) -> Value:
        """Remainder of the truncating division."""
        return self._binary("urem" if self.type.is_unsigned else "srem", other)

    def __and__(self, other: Operand) -> Value:
        return self._binary("and", other)

    def __or__(self, other: Operand) -> Value:
        return self._binary("or", other)

    def __xor__(self, other: Operand) -> Value:
        return self._binary("xor", other)

    def __lshift__(self, other: Operand) -> Value:
        return self._binary("shl", other)

    def __rshift__(self, other: Operand) -> Value:
        return self._binary("lshr" if self.type.is_unsigned else "ashr", other)

    def __invert__(self) -> Value:
        return self._binary("xor", True if self.type.elem == "i1" else -1)

    def __neg__(self) -> Value:
        if self.type.is_float:
            return self.fn.emit(self.type, f"fneg {self.type} {self.text}")
        return self._binary("sub", 0, swap=True)

    # -- comparison: false where an operand is NaN, but for != ----------------------------------------------------

    def _compare(self, name: str, other: Operand) -> Value:
        other = self._peer(other)
        if not self.type.lanes and other.type.lanes:
            return self.fn.splat(self, other.type.lanes)._compare(name, other)
        if self.type.is_float:
            op = "fcmp " + ("une" if name == "ne" else f"o{name}")
        elif name in ("eq", "ne"):
            op = f"icmp {name}"
        else:
            op = f"icmp {'u' if self.type.is_unsigned else 's'}{name}"
        return self.fn.emit(self.type.like("i1"), f"{op} {self.type} {self.text}, {other.text}")

    def __lt__(self, other: Operand) -> Value:
        return self._compare("lt", other)

    def __le__(self, other: Operand) -> Value:
        return self._compare("le", other)

    def __gt__(self, other: Operand) -> Value:
        return self._compare("gt", other)

    def __ge__(self, other: Operand) -> Value:
        return self._compare("ge", other)

    def __eq__(self, other: object) -> Value:  # type: ignore[override]
        return self._compare("eq", other)  # type: ignore[arg-type]

    def __ne__(self, other: object) -> Value:  # type: ignore[override]
        return self._compare("ne", other)  # type: ignore[arg-type]

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        raise TypeError("emit: a value has no truth while code is written; use select() or when()")

    # -- change of type -------------------------------------------------------------------------------------------

    def to(self, elem: str) -> Value:
        """Convert the number: rounds to nearest even, truncates towards zero, keeps the low bits of integers."""
        old, new = self.type, self.type.like(elem)
        if old.elem == elem:
            return self
        if old.elem == "ptr" or elem == "ptr":
            raise TypeError("emit: use pointer() and address()")
        if str(old) == str(new):
            return Value(self.fn, new, self.text)
        if old.is_float and new.is_float:
            op = "fpext" if new.bits > old.bits else "fptrunc"
        elif old.is_float:
            op = "fptoui" if new.is_unsigned else "fptosi"
        elif new.is_float:
            op = "uitofp" if old.is_unsigned or old.elem == "i1" else "sitofp"
        elif new.bits < old.bits:
            op = "trunc"
        else:
            op = "zext" if old.is_unsigned or old.elem == "i1" else "sext"
        return self.fn.emit(new, f"{op} {old} {self.text} to {new}")

    def bitcast(self, elem: str) -> Value:
        """The same bits read as another type of the same width."""
        new = self.type.like(elem)
        if str(new) == str(self.type):
            return Value(self.fn, new, self.text)
        return self.fn.emit(new, f"bitcast {self.type} {self.text} to {new}")

    def pointer(self) -> Value:
        """An address, held in an i64, as a pointer."""
        return self.fn.emit(PTR, f"inttoptr i64 {self.text} to ptr")

    def address(self) -> Value:
        return self.fn.emit(I64, f"ptrtoint ptr {self.text} to i64")


class Var:
    """A mutable local. LLVM turns it into registers."""

    __slots__ = ("fn", "type", "slot")

    def __init__(self, fn: Function, init: Value) -> None:
        self.fn, self.type = fn, init.type
        self.slot = fn.alloca(init.type)
        self.set(init)

    @property
    def value(self) -> Value:
        return self.fn.emit(self.type, f"load {self.type}, ptr {self.slot}")

    def set(self, value: Operand) -> None:
        if not isinstance(value, Value):
            value = self.fn.const(value, self.type)
        self.fn.line(f"store {value.typed()}, ptr {self.slot}")

    def add(self, value: Operand) -> None:
        self.set(self.value + value)


class Module:
    """Functions and what they declare; `text()` is the whole translation unit."""

    def __init__(self) -> None:
        self._declared: dict[str, str] = {}
        self._functions: list[Function] = []
        self.linked: list[str] = []
        self.metadata: set[str] = set()

    def declare(self, name: str, signature: str) -> None:
        """Declare an external function once; `signature` is its IR line."""
        self._declared.setdefault(name, signature)

    def external(self, name: str) -> str:
        """An external variable whose address is bound when the object is loaded."""
        self._declared.setdefault(name, f"@{name} = external global i8")
        return f"@{name}"

    def link(self, text: str) -> None:
        """Link another translation unit in; of its names only those that this one calls survive."""
        if text not in self.linked:
            self.linked.append(text)

    def defines(self, name: str) -> bool:
        return any(fn.name == name for fn in self._functions)

    def vectorized(self) -> str:
        """What is added to the jump back of a loop that shall become vectors: else LLVM would unroll it before. (It is not
        told how wide they shall be; then it would tell on stderr of loops that cannot.)"""
        number = 100 + 4 * len(self.metadata)
        self.metadata |= {
            f"!{number} = distinct !{{!{number}, !{number + 1}, !{number + 2}}}",
            f'!{number + 1} = !{{!"llvm.loop.interleave.count", i32 1}}',
            f'!{number + 2} = !{{!"llvm.loop.unroll.disable"}}',
        }
        return f", !llvm.loop !{number}"

    def text(self) -> str:
        own = {fn.name for fn in self._functions}
        declared = [line for name, line in sorted(self._declared.items()) if name not in own]
        functions = [fn.text() for fn in self._functions]
        return "\n".join(declared + functions + sorted(self.metadata)) + "\n"


class Function:
    """One function under construction; kernels take `ptr words` and return an i64 failure code."""

    def __init__(
        self,
        name: str,
        params: list[tuple[str, str]],
        returns: str = "i64",
        module: Module | None = None,
        linkage: str = "",
        attributes: str = '"min-legal-vector-width"="512"',
    ) -> None:
        self.name, self.returns = name, returns
        self.module = module or Module()
        self.module._functions.append(self)
        self._head = f"define {linkage} {returns} @{name}(" + ", ".join(f"{t} %{n}" for t, n in params) + ")"
        self._head = " ".join(self._head.split()) + f" nounwind {attributes}"
        self._allocas: list[str] = []
        self._lines: list[str] = []
        self._count = 0
        self._closed = False
        self.args = [Value(self, _type_named(t), f"%{n}") for t, n in params]
        self.faults: list[Value] = []

    def widen_vectors(self) -> None:
        """Let LLVM make vectors as wide as the target's, where it makes them by itself."""
        attribute = f'"prefer-vector-width"="{8 * target().vector_bytes}"'
        if attribute not in self._head:
            self._head += f" {attribute}"

    # -- plumbing -------------------------------------------------------------------------------------------------

    def text(self) -> str:
        return "\n".join([self._head + " {", "entry:", *self._allocas, *self._lines, "}"])

    def line(self, text: str) -> None:
        if not self._closed:
            self._lines.append("  " + text)

    def emit(self, kind: Type, text: str) -> Value:
        self._count += 1
        name = f"%v{self._count}"
        self.line(f"{name} = {text}")
        return Value(self, kind, name)

    def alloca(self, kind: Type | str, align: int = 0) -> str:
        """Stack space for one `kind`, taken once at entry."""
        self._count += 1
        self._allocas.append(f"  %s{self._count} = alloca {kind}" + (f", align {align}" if align else ""))
        return f"%s{self._count}"

    def buffer(self, nbytes: int, align: int = 64) -> Value:
        """Stack space of `nbytes`, as a pointer."""
        return Value(self, PTR, self.alloca(f"[{nbytes} x i8]", align))

    def array(self, count: Value) -> Value:
        """Stack space for `count` i64 words; lasts until the function returns, so not for loops."""
        return self.emit(PTR, f"alloca i64, i64 {count.text}, align 16")

    def _label(self) -> str:
        self._count += 1
        return f"L{self._count}"

    def _start(self, label: str) -> None:
        self._closed = False
        self._lines.append(f"{label}:")

    def _jump(self, text: str) -> None:
        self.line(text)
        self._closed = True

    # -- constants ------------------------------------------------------------------------------------------------

    def const(self, value: float | bool, kind: Type = I64) -> Value:
        return Value(self, kind, literal(value, kind))

    def constants(self, values: list, elem: str) -> Value:
        """A vector constant with one number a lane."""
        kind = Type(elem, len(values))
        return Value(self, kind, "<" + ", ".join(f"{kind.scalar} {literal(v, kind.scalar)}" for v in values) + ">")

    def symbol(self, name: str) -> Value:
        """The address of an external symbol, bound at load."""
        return Value(self, PTR, self.module.external(name))

    def splat(self, value: Value, lanes: int) -> Value:
        kind = value.type.vector(lanes)
        one = self.emit(kind, f"insertelement {kind} poison, {value.typed()}, i32 0")
        return self.emit(kind, f"shufflevector {kind} {one.text}, {kind} poison, <{lanes} x i32> zeroinitializer")

    # -- control flow ---------------------------------------------------------------------------------------------

    @contextmanager
    def loop(self, start: Operand, stop: Operand, step: Operand = 1, vectorize: bool = False) -> Iterator[Value]:
        """`for i in range(start, stop, step)` with step > 0; yields i (i64). With `vectorize` LLVM makes vectors of
        it, if it can."""
        index = self.var(start)
        head, body, after = self._label(), self._label(), self._label()
        self._jump(f"br label %{head}")
        self._start(head)
        i = index.value
        self._jump(f"br i1 {(i < stop).text}, label %{body}, label %{after}")
        self._start(body)
        yield i
        index.set(i + step)
        self._jump(f"br label %{head}" + (self.module.vectorized() if vectorize else ""))
        self._start(after)

    @contextmanager
    def forever(self) -> Iterator[_Exit]:
        """`while True:`; leave with `exit.when(condition)` or `exit.now()`."""
        body, after = self._label(), self._label()
        self._jump(f"br label %{body}")
        self._start(body)
        yield _Exit(self, after)
        self._jump(f"br label %{body}")
        self._start(after)

    @contextmanager
    def when(self, condition: Value) -> Iterator[None]:
        yes, after = self._label(), self._label()
        self._jump(f"br i1 {condition.text}, label %{yes}, label %{after}")
        self._start(yes)
        yield
        self._jump(f"br label %{after}")
        self._start(after)

    @contextmanager
    def unless(self, condition: Value) -> Iterator[None]:
        with self.when(~condition):
            yield

    # Where the flow is that of data (control.py), blocks are laid down and joined by hand.

    def label(self) -> str:
        """A name for a block that is to come."""
        return self._label()

    def block(self, label: str) -> None:
        """Here a block begins; the one before must have ended."""
        self._start(label)

    def jump(self, label: str) -> None:
        self._jump(f"br label %{label}")

    def branch(self, condition: Value, yes: str, no: str) -> None:
        self._jump(f"br i1 {condition.text}, label %{yes}, label %{no}")

    def switch(self, value: Value, cases: dict[int, str], other: str) -> None:
        """Jump to the block of an integer."""
        table = " ".join(f"{value.type} {number}, label %{label}" for number, label in cases.items())
        self._jump(f"switch {value.typed()}, label %{other} [{table}]")

    def ret(self, value: Operand | None = None) -> None:
        if value is None:
            self._jump("ret void")
        else:
            if not isinstance(value, Value):
                value = self.const(value, _type_named(self.returns))
            self._jump(f"ret {value.typed()}")

    def unreachable(self) -> None:
        self._jump("unreachable")

    # -- memory ---------------------------------------------------------------------------------------------------

    def var(self, init: Operand, kind: Type = I64) -> Var:
        return Var(self, init if isinstance(init, Value) else self.const(init, kind))

    def word(self, index: Operand) -> Value:
        """Word `index` of the kernel's argument block."""
        return self.load(self.args[0], I64, index)

    def offset(self, pointer: Value, nbytes: Operand) -> Value:
        if not isinstance(nbytes, Value):
            if nbytes == 0:
                return pointer
            nbytes = self.const(nbytes)
        return self.emit(PTR, f"getelementptr i8, ptr {pointer.text}, i64 {nbytes.text}")

    def element(self, pointer: Value, kind: Type, index: Operand) -> Value:
        """The address of element `index` of an array of the scalar type of `kind`."""
        if not isinstance(index, Value):
            return self.offset(pointer, index * kind.bytes)
        return self.emit(PTR, f"getelementptr {kind.scalar}, ptr {pointer.text}, i64 {index.text}")

    def load(self, pointer: Value, kind: Type, index: Operand = 0, align: int = 0) -> Value:
        """Element `index`, or the vector that starts there; aligned as one element unless said."""
        address = self.element(pointer, kind, index)
        return self.emit(kind, f"load {kind}, ptr {address.text}, align {align or kind.bytes}")

    def store(self, value: Value, pointer: Value, index: Operand = 0, align: int = 0) -> None:
        address = self.element(pointer, value.type, index)
        self.line(f"store {value.typed()}, ptr {address.text}, align {align or value.type.bytes}")

    def store_streaming(self, value: Value, pointer: Value, index: Operand = 0) -> None:
        """Store past the caches; the address must be a multiple of the vector's size."""
        address = self.element(pointer, value.type, index)
        size = value.type.bytes * max(value.type.lanes, 1)
        self.line(f"store {value.typed()}, ptr {address.text}, align {size}, !nontemporal !0")
        self.module.metadata.add("!0 = !{i32 1}")

    def prefetch(self, pointer: Value, write: bool = False) -> None:
        """Ask for the cache line of an address, whose use is near; any address will do."""
        name = "llvm.prefetch.p0"
        self.module.declare(name, f"declare void @{name}(ptr, i32, i32, i32)")
        self.line(f"call void @{name}(ptr {pointer.text}, i32 {int(write)}, i32 3, i32 1)")

    def mask(self, count: Value, lanes: int) -> Value:
        """Lanes below `count` (i64; may be negative or beyond the vector)."""
        low = self.select(count < 0, 0, self.select(count > lanes, lanes, count)).to("i32")
        return self.constants(list(range(lanes)), "i32") < low

    def masked_load(self, pointer: Value, kind: Type, mask: Value, index: Operand = 0, other: float = 0) -> Value:
        """The vector whose lanes outside `mask` are `other` and are not read."""
        name = f"llvm.masked.load.{kind.suffix}.p0"
        self.module.declare(name, f"declare {kind} @{name}(ptr, i32, <{kind.lanes} x i1>, {kind})")
        address = self.element(pointer, kind, index)
        rest = literal(other, kind)
        return self.emit(
            kind, f"call {kind} @{name}(ptr {address.text}, i32 {kind.bytes}, {mask.typed()}, {kind} {rest})"
        )

    def masked_store(self, value: Value, pointer: Value, mask: Value, index: Operand = 0) -> None:
        kind = value.type
        name = f"llvm.masked.store.{kind.suffix}.p0"
        self.module.declare(name, f"declare void @{name}({kind}, ptr, i32, <{kind.lanes} x i1>)")
        address = self.element(pointer, kind, index)
        self.line(f"call void @{name}({value.typed()}, ptr {address.text}, i32 {kind.bytes}, {mask.typed()})")

    def copy_bytes(self, target: Value, source: Value, nbytes: Operand) -> None:
        name = "llvm.memcpy.p0.p0.i64"
        self.module.declare(name, f"declare void @{name}(ptr, ptr, i64, i1)")
        size = nbytes if isinstance(nbytes, Value) else self.const(nbytes)
        self.line(f"call void @{name}(ptr {target.text}, ptr {source.text}, {size.typed()}, i1 false)")

    def fill_bytes(self, target: Value, byte: int, nbytes: Operand) -> None:
        name = "llvm.memset.p0.i64"
        self.module.declare(name, f"declare void @{name}(ptr, i8, i64, i1)")
        size = nbytes if isinstance(nbytes, Value) else self.const(nbytes)
        self.line(f"call void @{name}(ptr {target.text}, i8 {byte}, {size.typed()}, i1 false)")

    # -- vectors --------------------------------------------------------------------------------------------------

    def shuffle(self, a: Value, b: Value, lanes: list[int]) -> Value:
        """Pick lanes of `a` (0..n-1) and `b` (n..2n-1)."""
        kind = a.type.vector(len(lanes))
        mask = ", ".join(f"i32 {lane}" for lane in lanes)
        return self.emit(kind, f"shufflevector {a.typed()}, {b.typed()}, <{len(lanes)} x i32> <{mask}>")

    def lane(self, vector: Value, index: int) -> Value:
        return self.emit(vector.type.scalar, f"extractelement {vector.typed()}, i32 {index}")

    def insert(self, vector: Value, value: Value, index: int) -> Value:
        return self.emit(vector.type, f"insertelement {vector.typed()}, {value.typed()}, i32 {index}")

    def halves(self, vector: Value) -> tuple[Value, Value]:
        n = vector.type.lanes
        return (
            self.shuffle(vector, vector, list(range(n // 2))),
            self.shuffle(vector, vector, list(range(n // 2, n))),
        )

    def any_lane(self, mask: Value) -> Value:
        """Whether some lane of an i1 vector is set."""
        if not mask.type.lanes:
            return mask
        bits = self.emit(Type(f"i{mask.type.lanes}"), f"bitcast {mask.typed()} to i{mask.type.lanes}")
        return bits != 0

    def first_lane(self, mask: Value) -> Value:
        """The number (i64) of the first lane that is set; for a scalar 0."""
        if not mask.type.lanes:
            return self.const(0)
        bits = self.emit(Type(f"i{mask.type.lanes}"), f"bitcast {mask.typed()} to i{mask.type.lanes}")
        name = f"llvm.cttz.i{mask.type.lanes}"
        self.module.declare(name, f"declare i{mask.type.lanes} @{name}(i{mask.type.lanes}, i1)")
        return self.emit(bits.type, f"call {bits.type} @{name}({bits.typed()}, i1 false)").to("u64").bitcast("i64")

    def fault(self, condition: Value) -> None:
        """A body calls this for elements that it refuses; the loop around it ends the kernel with their position."""
        self.faults.append(condition)

    # -- calls ----------------------------------------------------------------------------------------------------

    def select(self, condition: Value, yes: Operand, no: Operand) -> Value:
        kind = next((v.type for v in (yes, no) if isinstance(v, Value)), I64.vector(condition.type.lanes))
        a, b = (v if isinstance(v, Value) else self.const(v, kind) for v in (yes, no))
        lanes = max(condition.type.lanes, a.type.lanes, b.type.lanes)
        condition, a, b = (self.splat(v, lanes) if lanes and not v.type.lanes else v for v in (condition, a, b))
        return self.emit(a.type, f"select {condition.typed()}, {a.typed()}, {b.typed()}")

    def intrinsic(self, name: str, *args: Value) -> Value:
        """An LLVM intrinsic that is overloaded on the type of its first argument and returns it."""
        kind = args[0].type
        full = f"llvm.{name}.{kind.suffix}"
        self.module.declare(full, f"declare {kind} @{full}({', '.join(str(a.type) for a in args)})")
        return self.emit(kind, f"call {kind} @{full}({', '.join(a.typed() for a in args)})")

    def call(self, returns: Type | None, name: str, *args: Value) -> Value:
        """Call a symbol, external or of this module. One that returns nothing gives a value that nobody may use."""
        result = str(returns) if returns else "void"
        self.module.declare(name, f"declare {result} @{name}({', '.join(str(a.type) for a in args)})")
        text = f"call {result} @{name}({', '.join(a.typed() for a in args)})"
        if returns is None:
            self.line(text)
            return Value(self, I64, "undef")
        return self.emit(returns, text)

    def call_pointer(self, returns: Type | None, pointer: Value, *args: Value) -> Value:
        text = f"call {returns or 'void'} {pointer.text}({', '.join(a.typed() for a in args)})"
        if returns is None:
            self.line(text)
            return Value(self, I64, "undef")
        return self.emit(returns, text)

    def pause(self) -> None:
        """Tell the core that this is a spin loop."""
        machine = platform.machine().lower()
        if machine in ("x86_64", "amd64"):
            self.module.declare("llvm.x86.sse2.pause", "declare void @llvm.x86.sse2.pause()")
            self.line("call void @llvm.x86.sse2.pause()")
        elif machine in ("aarch64", "arm64"):
            self.module.declare("llvm.aarch64.hint", "declare void @llvm.aarch64.hint(i32)")
            self.line("call void @llvm.aarch64.hint(i32 1)")

    def libm(self, name: str, *args: Value) -> Value:
        """A function of the C library on each lane, in double precision; float32 is rounded once at the end."""
        kind = args[0].type
        if not kind.lanes:
            wide = [a.to("f64") for a in args]
            return self.call(F64, name, *wide).to(kind.elem)
        out = Value(self, kind, "poison")
        for index in range(kind.lanes):
            out = self.insert(out, self.libm(name, *(self.lane(a, index) for a in args)), index)
        return out

    # -- atomics --------------------------------------------------------------------------------------------------

    def atomic_add(self, pointer: Value, value: Operand) -> Value:
        """Add to an i64 and give what it held before."""
        value = value if isinstance(value, Value) else self.const(value)
        return self.emit(I64, f"atomicrmw add ptr {pointer.text}, {value.typed()} seq_cst")

    def atomic_min(self, pointer: Value, value: Value) -> Value:
        return self.emit(I64, f"atomicrmw umin ptr {pointer.text}, {value.typed()} seq_cst")

    def atomic_swap(self, pointer: Value, value: Operand) -> Value:
        value = value if isinstance(value, Value) else self.const(value)
        return self.emit(I64, f"atomicrmw xchg ptr {pointer.text}, {value.typed()} seq_cst")

    def atomic_load(self, pointer: Value, kind: Type = I64) -> Value:
        return self.emit(kind, f"load atomic {kind}, ptr {pointer.text} seq_cst, align {kind.bytes}")

    def atomic_store(self, value: Operand, pointer: Value, kind: Type = I64) -> None:
        value = value if isinstance(value, Value) else self.const(value, kind)
        self.line(f"store atomic {value.typed()}, ptr {pointer.text} seq_cst, align {kind.bytes}")


class _Exit:
    """The way out of a `forever` loop."""

    def __init__(self, fn: Function, after: str) -> None:
        self._fn, self._after = fn, after

    def when(self, condition: Value) -> None:
        on = self._fn._label()
        self._fn._jump(f"br i1 {condition.text}, label %{self._after}, label %{on}")
        self._fn._start(on)

    def now(self) -> None:
        self._fn._jump(f"br label %{self._after}")


def _type_named(text: str) -> Type:
    named = {"ptr": PTR, "float": F32, "double": F64, "void": I64}
    return named[text] if text in named else Type(text)
