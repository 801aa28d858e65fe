"""Irregular kernels: loops with indices and branches, as Python functions that numba compiles.

    @irregular
    def gather(lo, hi, scratch, table: "T*", index: "I*", out: "T*", rows, width):
        for i in range(lo, hi):
            row = index[i]
            if row < 0 or row >= rows:
                return i + 1
            for j in range(width):
                out[i * width + j] = table[row * width + j]
        return 0

    gather.address(T="f32", I="i64")

The parameters after `lo, hi, scratch` are the words of the step, in order: a pointer where the annotation ends in `*`
(its type is a machine type, or a letter that `address` binds), else an int64. `scratch` may be annotated as a pointer too.
Pointers are indexed without any check, as in C. A kernel that meets bad data returns 1 + its position, else 0.

A kernel may call plain functions of its module, which numba compiles with it. Half-precision buffers are read as 16-bit
integers; who computes with them brings them to another type before.

numba's optimised IR is taken and kept like any other object, keyed by the code of the function and of all it reaches, so
a warm process never imports numba. What the C library would round as it likes are the scalar bodies (`_BODIES`), by name;
a function that has none is refused.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from types import FunctionType
from typing import Any

from anfora.kernel import bodies
from anfora.kernel.build import Recipe
from anfora.kernel.emit import F32, F64, I32, I64, PTR, Function, Module, Value
from anfora.kernel.heap import require
from anfora.kernel.loops import HEADER
from anfora.kernel.memory import storage

__all__ = ["Irregular", "UnknownFunction", "irregular", "load_numba", "with_bodies"]


class Irregular:
    """A Python function as a family of kernels, one for each binding of its type letters."""

    def __init__(self, function: Callable) -> None:
        self.function = function
        self.__doc__ = function.__doc__
        names = function.__code__.co_varnames[: function.__code__.co_argcount]
        if names[:3] != ("lo", "hi", "scratch"):
            raise TypeError(f"{function.__qualname__}: a kernel starts with the parameters lo, hi, scratch")
        # Annotations that are not evaluated are source text: with quotes.
        self._types = tuple(function.__annotations__.get(name, "i64").strip("\"'") for name in names[2:])

    def address(self, **letters: str) -> int:
        """The kernel for element types bound by letter, as codes: `T="f32"`."""
        bound = tuple(_bind(kind, letters) for kind in self._types)
        return _kernel.address(self.function, bound)


def irregular(function: Callable) -> Irregular:
    """Make kernels of a function; see the head of this file."""
    return Irregular(function)


def _bind(kind: str, letters: dict[str, str]) -> str:
    pointer = kind.endswith("*")
    name = kind.rstrip("*")
    return storage(letters.get(name, name)) + "*" * pointer


def _write(function: Callable, types: tuple[str, ...]) -> Module:
    """The IR of one kernel: a wrapper that takes the function's arguments from the words, and what numba made of it."""
    module = Module()
    text, name = _numba_ir(function, types)
    try:
        module.link(with_bodies(text, module, _BODIES))
    except UnknownFunction as unknown:
        raise RuntimeError(f"bug in this library: a kernel of numba calls {unknown} of the C library") from None
    fn = Function("kernel", [("ptr", "words")], module=module)
    arguments: list[Value] = [fn.word(0), fn.word(1)]
    for i, kind in enumerate(types, HEADER - 1):
        word = fn.word(i)
        arguments.append(word.pointer() if kind.endswith("*") else word)
    result = fn.buffer(8, 8)
    error = Value(fn, PTR, "null")
    fn.call(I32, f'"{name}"', result, error, *arguments)
    fn.ret(fn.load(result, I64))
    return module


#: Functions of numba's IR that this package computes by itself, from a float64.
_BODIES: dict[str, Callable[..., Value]] = {
    "exp": bodies.exp, "log": bodies.log, "cos": lambda x: bodies.sine_and_cosine(x)[1],
}  # fmt: skip
#: Functions that are exact wherever they come from.
_EXACT = {
    "abs", "ceil", "copysign", "fabs", "floor", "fma", "fmod", "maximum", "maximumnum", "maxnum", "minimum", "minimumnum",
    "minnum", "nearbyint", "rint", "round", "roundeven", "sqrt", "trunc",
}  # fmt: skip
_CALLED = re.compile(r"^declare [^\n@]*\b(float|double) @(llvm\.)?([a-z]\w*?)(\.f32|\.f64)?\(([^)]*)\)", re.MULTILINE)


def with_bodies(text: str, module: Module, own: dict[str, Callable[..., Value]]) -> str:
    """IR that calls our bodies, which are in `own`, where it called the C library; the module gets them."""
    for kind, prefix, name, suffix, parameters in _CALLED.findall(text):
        plain = name[:-1] if kind == "float" and not prefix and name.endswith("f") and name != "erf" else name
        if plain in _EXACT:
            continue
        if plain not in own:
            raise UnknownFunction(plain)
        ours, count = f"anfora_{plain}_{kind}", parameters.count(",") + 1
        if not module.defines(ours):
            fn = Function(ours, [(kind, f"x{i}") for i in range(count)], kind, module, attributes=_INLINED)
            given = [Value(fn, F64 if kind == "double" else F32, f"%x{i}") for i in range(count)]
            fn.ret(own[plain](*given))
        text = re.sub(rf"^declare [^\n@]*@{re.escape(prefix + name + suffix)}\(.*\n", "", text, flags=re.MULTILINE)
        text = text.replace(f"@{prefix}{name}{suffix}(", f"@{ours}(")
        text += f"declare {kind} @{ours}({', '.join([kind] * count)})\n"
    return text


class UnknownFunction(Exception):
    """A function of the C library that we have no body for; what is said is its name."""


_INLINED = 'alwaysinline "min-legal-vector-width"="512"'

_kernel = Recipe(_write, dict, vectorize=False)  # numba has done it


@functools.cache
def load_numba() -> None:
    """Where numba finds no memory while it loads, its parts wait for ever, or send signals."""
    require(_TO_LOAD, "numba", is_library=True)


_TO_LOAD = 320 << 20  #: bytes of address space; it was seen to take 237 MiB with its first function


def _numba_ir(function: Callable, types: tuple[str, ...]) -> tuple[str, str]:
    """The optimised IR of `function` and of all it calls, and its name there."""
    load_numba()
    import numba
    import numba.core.types

    nt: Any = numba.core.types  # what it defines is not all declared
    by_name = {
        "i8": nt.int8, "i16": nt.int16, "i32": nt.int32, "i64": nt.int64, "u8": nt.uint8, "u16": nt.uint16,
        "u32": nt.uint32, "u64": nt.uint64, "f32": nt.float32, "f64": nt.float64,
    }  # fmt: skip
    arguments: list[Any] = [nt.int64] * 2
    for kind in types:
        plain = by_name[kind.rstrip("*")]
        arguments.append(nt.CPointer(plain) if kind.endswith("*") else plain)
    options = {"error_model": "numpy", "boundscheck": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}

    def with_helpers(function: Callable) -> Callable:
        """The function, with the plain functions it calls as numba's."""
        known = function.__globals__
        reached = {
            name: known[name] for name in function.__code__.co_names if isinstance(known.get(name), FunctionType)
        }
        if not reached:
            return function
        helpers = {name: numba.njit(**options)(with_helpers(helper)) for name, helper in reached.items()}
        return FunctionType(function.__code__, {**known, **helpers}, function.__name__)

    compiled = numba.njit(nt.int64(*arguments), nogil=True, **options)(with_helpers(function))
    [overload] = compiled.overloads.values()
    return overload.library.get_llvm_str(), overload.fndesc.mangled_name
