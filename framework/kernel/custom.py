"""Kernels from functions of the user's, which numba compiles: of elements, and loops over some axes.

A function of elements becomes a scalar body (`bodies.py`), so the loops around it, and its fusion with neighbours, are
those of every other body: where these hand it vectors, it is called lane by lane in a loop that LLVM vectorises when the
function is inlined there. Lanes beyond the end hold a copy of the first one: no number comes to the function that the user
has not given.

A loop gets arrays over its own axes; the kernel around it walks the others, whose items are independent units.

In a function that has float32 arguments and no float64 ones, numbers of the text are float32, and whole ones adapt to what
they meet, as in operators; numba alone would compute in float64. What the C library would round as it likes are our own
bodies, as in `irregular.py`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from types import CellType, FunctionType
from typing import Any

from anfora.core.records import Record
from anfora.kernel import bodies, special
from anfora.kernel.build import Recipe
from anfora.kernel.emit import I32, I64, PTR, Function, Module, Type, Value
from anfora.kernel.irregular import UnknownFunction, load_numba, with_bodies
from anfora.kernel.loops import HEADER
from anfora.kernel.memory import compute_elem, storage

__all__ = ["Compiled", "Core", "axes_of", "loop", "numba_version"]


#: What takes the place of functions of the C library.
_BODIES: dict[str, Callable[..., Value]] = {
    "acos": special.acos, "acosh": special.acosh, "asin": special.asin, "asinh": special.asinh, "atan": special.atan,
    "atan2": special.atan2, "atanh": special.atanh, "cos": bodies.cos, "cosh": special.cosh, "erf": bodies.erf,
    "erfc": special.erfc, "exp": bodies.exp, "exp2": bodies.exp2, "expm1": bodies.expm1, "hypot": special.hypot,
    "lgamma": special.lgamma, "log": bodies.log, "log10": bodies.log10, "log1p": bodies.log1p, "log2": bodies.log2,
    "pow": bodies.pow, "sin": bodies.sin, "sinh": special.sinh, "tan": special.tan, "tanh": bodies.tanh,
}  # fmt: skip


@functools.cache
def numba_version() -> str:
    """It is a part of the keys of kernels; asked for without loading numba."""
    from importlib.metadata import version

    return version("numba")


class Compiled(Record):
    """A function of elements as a body.

    Args:
        function: of one number for each input; gives one for each output, in a tuple where there are several.
        inputs, outputs: codes of the element types.
        numba: its version.
    """

    function: Callable
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    numba: str

    is_partial = True  #: whether it must not see numbers that are no elements

    def __call__(self, *values: Value) -> tuple[Value, ...]:
        fn = values[0].fn
        lanes = max(value.type.lanes for value in values)
        text, name = _lane(self.function, self.inputs, self.outputs)
        fn.module.link(with_bodies(text, fn.module, _BODIES))
        places = []
        for value in values:
            value = fn.splat(value, lanes) if lanes and not value.type.lanes else value
            places.append((fn.buffer(max(lanes, 1) * value.type.scalar.bytes), value.type.scalar))
            fn.store(value, places[-1][0])
        made = [Type(compute_elem(code)) for code in self.outputs]
        results = [(fn.buffer(max(lanes, 1) * kind.bytes), kind) for kind in made]
        unused = fn.buffer(8, 8)
        fn.widen_vectors()
        with fn.loop(0, max(lanes, 1), vectorize=lanes > 0) as i:
            arguments = [fn.load(place, kind, i) for place, kind in places]
            targets = [fn.element(place, kind, i) for place, kind in results]
            fn.call(I32, f'"{name}"', unused, Value(fn, PTR, "null"), *arguments, *targets)
        return tuple(fn.load(place, Type(kind.elem, lanes)) for place, kind in results)


class Core(Record):
    """An operand of a loop: its element type, and how many of its last axes the loop takes."""

    code: str
    axes: tuple[str, ...]


def _write_loop(function: Callable, inputs: tuple[Core, ...], outputs: tuple[Core, ...], numba: str) -> Module:
    """words: pointers of inputs, outputs | for each input, 1 if its items differ, else 0 | lengths of axes in order"""
    module = Module()
    operands = (*inputs, *outputs)
    text, name = _items(function, inputs, outputs)
    module.link(with_bodies(text, module, _BODIES))
    fn = Function("kernel", [("ptr", "words")], module=module)
    words = [fn.word(0), fn.word(1), *(fn.word(HEADER + i).pointer() for i in range(len(operands)))]
    words += [fn.word(HEADER + len(operands) + i) for i in range(len(inputs) + len(axes_of(operands)))]
    result = fn.buffer(8, 8)
    fn.call(I32, f'"{name}"', result, Value(fn, PTR, "null"), *words)
    fn.ret(fn.load(result, I64))
    return module


loop = Recipe(_write_loop, dict, vectorize=True)


def axes_of(operands: tuple[Core, ...]) -> tuple[str, ...]:
    """The names of all axes, each once."""
    return tuple(dict.fromkeys(axis for core in operands for axis in core.axes))


# -- compiling ----------------------------------------------------------------------------------------------------------


@functools.lru_cache(256)
def _lane(function: Callable, inputs: tuple[str, ...], outputs: tuple[str, ...]) -> tuple[str, str]:
    """The IR of the function of one element, to be inlined, and its name; results go through pointers."""
    names = [f"a{i}" for i in range(len(inputs))]
    given = ", ".join(f"{name} != 0" if code == "b1" else name for name, code in zip(names, inputs))
    lines = [f"def element({', '.join([*names, *(f'o{i}' for i in range(len(outputs)))])}):", f"    r = f({given})"]
    for i, code in enumerate(outputs):
        result = f"r[{i}]" if len(outputs) > 1 else "r"
        lines.append(f"    o{i}[0] = {f'1 if {result} else 0' if code == 'b1' else result}")
    kinds = [compute_elem(code) for code in inputs] + [compute_elem(code) + "*" for code in outputs]
    text, name = _compile(lines, function, kinds, _is_narrow(inputs))
    # Calls stand in loops, which can be vectorised only around what is inlined.
    return re.sub(r"^(define [^{]*?)( #\d+)? \{", r"\1 alwaysinline\2 {", text, flags=re.MULTILINE), name


@functools.lru_cache(256)
def _items(function: Callable, inputs: tuple[Core, ...], outputs: tuple[Core, ...]) -> tuple[str, str]:
    """The IR of the loop over items, and its name."""
    operands = (*inputs, *outputs)
    pointers = [f"p{i}" for i in range(len(operands))]
    steps = [f"s{i}" for i in range(len(inputs))]
    lengths = [f"n_{axis}" for axis in axes_of(operands)]
    lines = [f"def items({', '.join(['lo', 'hi', *pointers, *steps, *lengths])}):"]
    for i, core in enumerate(operands):
        count = f"hi * s{i} + 1" if i < len(inputs) else "hi"
        shape = ", ".join([count, *(f"n_{axis}" for axis in core.axes)])
        lines.append(f"    x{i} = carray(p{i}, ({shape},))")
    lines.append("    for i in range(lo, hi):")
    for i in range(len(inputs), len(operands)):
        lines += [f"        y{i} = x{i}[i{'' if operands[i].axes else ':i + 1'}]", f"        y{i}[:] = 0"]
    given = [f"x{i}[i * s{i}]" for i in range(len(inputs))] + [f"y{i}" for i in range(len(inputs), len(operands))]
    lines += [f"        f({', '.join(given)})", "    return 0"]
    kinds = ["i64", "i64", *(f"{core.code}*" for core in operands), *["i64"] * (len(steps) + len(lengths))]
    return _compile(lines, function, kinds, _is_narrow(tuple(core.code for core in inputs)))


def _is_narrow(codes: tuple[str, ...]) -> bool:
    """Whether numbers of the text are float32."""
    kinds = {compute_elem(code) for code in codes}
    return "f32" in kinds and "f64" not in kinds


def _compile(lines: list[str], function: Callable, kinds: list[str], is_narrow: bool) -> tuple[str, str]:
    """The IR of a function that calls the user's as `f`, and its name."""
    load_numba()
    import numba
    import numba.core.types

    nt: Any = numba.core.types
    options: dict[str, Any] = {
        "error_model": "numpy", "boundscheck": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True,
    }  # fmt: skip
    if is_narrow:
        options["pipeline_class"] = _narrow_pipeline()
    scope: dict[str, Any] = {"f": _jitted(function, options, {}), "carray": numba.carray}
    exec("\n".join(lines), scope)
    outer = next(scope[line[4 : line.index("(")]] for line in lines)
    arguments = [_numba_type(nt, kind) for kind in kinds]
    returns = nt.int64 if lines[-1].endswith("return 0") else nt.void
    compiled = numba.njit(returns(*arguments), nogil=True, **options)(outer)
    [overload] = compiled.overloads.values()
    return _refused(overload.library.get_llvm_str()), overload.fndesc.mangled_name


def _refused(text: str) -> str:
    """The IR, if it needs nothing of numba or Python while it runs: no memory, no objects."""
    for name in re.findall(r"^declare [^@\n]*@([\w.]+)\(", text, re.MULTILINE):
        known = name.startswith("llvm.") or name in ("NRT_MemInfo_call_dtor", "memset", "memcpy", "memmove")
        if not known and not re.search(rf"^declare [^@\n]*\b(float|double) @{name}\(", text, re.MULTILINE):
            raise UnknownFunction(name)
    return text


def _numba_type(nt: Any, kind: str) -> Any:
    if kind.endswith("*"):
        return nt.CPointer(_numba_type(nt, kind[:-1]))
    if kind == "b1":
        return nt.boolean
    word = {"f": "float", "i": "int", "u": "uint"}[kind[0]]
    return getattr(nt, f"{word}{storage(kind)[1:]}")


def _jitted(function: Callable, options: dict[str, Any], known: dict[Any, Any]) -> Any:
    """The function as numba's, and so the plain functions that it reaches."""
    import numba

    function = getattr(function, "py_func", function)  # numba's already: with other options
    if function not in known:
        known[function] = None  # while its own are made: one that calls itself finds itself by its name

        def made(value: Any) -> Any:
            value = getattr(value, "py_func", value)
            if not isinstance(value, FunctionType):
                return value
            return _jitted(value, options, known) or value

        assert isinstance(function, FunctionType)
        scope = dict(function.__globals__)
        scope.update({name: made(scope[name]) for name in function.__code__.co_names if name in scope})
        cells = tuple(CellType(made(cell.cell_contents)) for cell in function.__closure__ or ())
        twin = FunctionType(function.__code__, scope, function.__name__, function.__defaults__, cells)
        twin.__kwdefaults__, twin.__qualname__ = function.__kwdefaults__, function.__qualname__
        twin.__module__ = function.__module__
        known[function] = scope[function.__name__] = numba.njit(**options)(twin)
    return known[function]


@functools.cache
def _narrow_pipeline() -> type:
    """numba's compiler, with numbers of the text as float32."""
    import operator

    import numpy as np
    from numba.core import ir
    from numba.core.compiler import CompilerBase, DefaultPassBuilder
    from numba.core.compiler_machinery import FunctionPass, register_pass
    from numba.core.untyped_passes import IRProcessing

    weak = {
        *(operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod),
        *(operator.iadd, operator.isub, operator.imul, operator.itruediv, operator.ifloordiv, operator.imod),
        *(operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne),
    }

    @register_pass(mutates_CFG=False, analysis_only=False)
    class Narrow(FunctionPass):
        _name = "anfora_narrow"

        def __init__(self) -> None:
            FunctionPass.__init__(self)

        def run_pass(self, state: Any) -> bool:
            blocks = state.func_ir.blocks.values()
            assignments = [line for block in blocks for line in block.body if isinstance(line, ir.Assign)]
            numbers = {}  # names of variables that hold a number of the text, or a constant of the program
            for line in assignments:
                found = line.value
                if isinstance(found, ir.Expr) and found.op == "getattr":
                    found = self._member(state, found)
                if isinstance(found, (ir.Const, ir.Global, ir.FreeVar)):
                    if type(found.value) is float:
                        if found is not line.value:
                            line.value = found
                        found.value = np.float32(found.value)
                    elif type(found.value) is int and abs(found.value) < 2**15:
                        numbers[line.target.name] = found
            for line in assignments:
                value = line.value
                if isinstance(value, ir.Expr) and value.op in ("binop", "inplace_binop") and value.fn in weak:
                    for operand in (value.lhs, value.rhs):
                        # int16 is the narrowest type that numba takes to float32, and not to float64, beside one
                        if operand.name in numbers:
                            numbers[operand.name].value = np.int16(numbers[operand.name].value)
            return True

        def _member(self, state: Any, found: Any) -> Any:
            """`math.pi`, as a constant."""
            holder = [
                line.value for block in state.func_ir.blocks.values() for line in block.body
                if isinstance(line, ir.Assign) and line.target.name == found.value.name
            ]  # fmt: skip
            if len(holder) == 1 and isinstance(holder[0], ir.Global) and hasattr(holder[0].value, "__name__"):
                value = getattr(holder[0].value, found.attr, None)
                if type(value) is float:
                    return ir.Const(value, found.loc)
            return None

    class Narrowed(CompilerBase):
        def define_pipelines(self) -> list:
            manager = DefaultPassBuilder.define_nopython_pipeline(self.state)
            manager.add_pass_after(Narrow, IRProcessing)
            manager.finalize()
            return [manager]

    return Narrowed
