"""The loop nest as C99 or C++: one self-contained function.

C, also readable as C++           void name(const float *restrict A, float s, float *restrict C)
C++, arrays with their shapes     void name(float (&A)[4][16], float s, float (&C)[4][16])

Scalars that are read come by value. An in-out is one array that is read and then overwritten. What a kernel keeps while it
runs is allocated; if there is no memory the function aborts. `//` and `%` are floored, of indices too where they can be
negative. Dividing a whole number by 0 gives 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from anfora.tensor_expression.affine import Affine, Atom, Condition, written
from anfora.tensor_expression.case import C_WORDS
from anfora.tensor_expression.ir import (
    Access,
    Constant,
    If,
    Kernel,
    Local,
    LoopNest,
    Move,
    Select,
    Statement,
    Unary,
    Value,
    Variable,
    is_gather,
    reads,
    target_of,
)  # fmt: skip
from anfora.tensor_expression.lower import Names
from anfora.tensor_expression.printer import PRECEDENCE

__all__ = ["print_c"]

_TYPES = {"float32": "float", "float64": "double", "int32": "int"}

#: Words that are no names in C++, and names of the C library and of macros.
_RESERVED = C_WORDS | frozenset(
    """alignas alignof and and_eq asm bitand bitor bool catch class compl concept const_cast constexpr decltype delete
    dynamic_cast explicit export false friend mutable namespace new noexcept not not_eq nullptr operator or or_eq private
    protected public reinterpret_cast requires static_assert static_cast template this thread_local throw true try typeid
    typename using virtual wchar_t xor xor_eq linux unix main
    exp expf log logf sqrt sqrtf tanh tanhf fabs fabsf fmod fmodf floor floorf malloc free abort abs div labs rand exit
    pow sin cos tan ceil round trunc remainder fma fmax fmin hypot gamma lgamma tgamma index y0 y1 yn j0 j1 jn signgam
    NAN INFINITY NULL RAND_MAX EXIT_SUCCESS EXIT_FAILURE""".split()  # noqa: SIM905
)

#: Functions that C lacks, by name: {T} is the type, {f} the suffix of its functions.
_HELPERS = {
    "floor_div_index": "static long {n}(long a, long b) {{ return a / b - (a % b < 0); }}",
    "mod_index": "static long {n}(long a, long b) {{ return a % b + (a % b < 0 ? b : 0); }}",
    "div_int": "static int {n}(int a, int b) {{ return b == 0 ? 0 : b == -1 ? (int)(0u - (unsigned)a) : a / b; }}",
    "floor_div_int": "static int {n}(int a, int b) {{\n    if (b == 0) return 0;\n"
    "    if (b == -1) return (int)(0u - (unsigned)a);\n"
    "    return a / b - (a % b != 0 && (a % b < 0) != (b < 0));\n}}",
    "mod_int": "static int {n}(int a, int b) {{\n    if (b == 0 || b == -1) return 0;\n"
    "    return a % b + (a % b != 0 && (a % b < 0) != (b < 0) ? b : 0);\n}}",
    "abs_int": "static int {n}(int a) {{ return a < 0 ? -a : a; }}",
    "mod": "static {T} {n}({T} a, {T} b) {{\n    {T} r = fmod{f}(a, b);\n"
    "    return r != 0 && (r < 0) != (b < 0) ? r + b : r;\n}}",
    "floor_div": "static {T} {n}({T} a, {T} b) {{\n    {T} r = fmod{f}(a, b), q, w;\n    if (b == 0) return a / b;\n"
    "    if (r != 0 && (r < 0) != (b < 0)) r += b;\n    q = (a - r) / b;\n    w = floor{f}(q);\n"
    "    return q - w > ({T})0.5 ? w + 1 : w;\n}}",
    "max_int": "static int {n}(int a, int b) {{ return a > b ? a : b; }}",
    "min_int": "static int {n}(int a, int b) {{ return a < b ? a : b; }}",
    "max": "static {T} {n}({T} a, {T} b) {{ return a > b || a != a ? a : b; }}",
    "min": "static {T} {n}({T} a, {T} b) {{ return a < b || a != a ? a : b; }}",
}


def print_c(kernel: Kernel, language: str = "c") -> str:
    """The text of a kernel in C (`c`) or C++ (`c++`)."""
    if language not in ("c", "c++"):
        raise ValueError(f"print_c knows the languages c and c++, but got {language!r}")
    return _Printer(kernel, language).text()


class _Printer:
    def __init__(self, kernel: Kernel, language: str) -> None:
        self.kernel, self.cpp = kernel, language == "c++"
        self.type = _TYPES[kernel.dtype]
        self.box: dict[str, tuple[int, int]] = {}
        self.helpers: list[str] = []
        names = Names({*_RESERVED})
        self.function = names.fresh(kernel.name)
        everything = sorted(kernel.names())
        names.taken |= {f"{self.function}_{helper}" for helper in _HELPERS}
        self.renamed = {name: names.fresh(name) for name in everything}
        axes = range(max(len(v.shape) for v in kernel.parameters))
        self.renamed |= {f"copy {axis}": names.fresh(f"e{axis}") for axis in axes}
        self.in_place = self._in_place()

    def _in_place(self) -> dict[str, str]:
        """In-outs: for each initial value, the result whose array it is in."""
        outs = {v.given: v.name for v in self.kernel.outputs}
        return {v.name: outs[v.given] for v in self.kernel.inputs if v.role == "init"}

    def _needs_copy(self, initial: str) -> bool:
        """Whether a value of an in-out is read where it may have been overwritten."""
        final = self.in_place[initial]
        is_written = False
        for nest in self.kernel.body:
            target = target_of(nest)
            here = [access for access in reads(nest) if access.name == initial]
            if here and is_written:
                return True
            if target.name == final:
                is_written = True
                if any(access.indices != target.indices for access in here) or not is_gather(nest):
                    return True
        return False

    # -- the function ----------------------------------------------------------------------------------------------

    def text(self) -> str:
        kernel = self.kernel
        copies = [v for v in kernel.inputs if v.role == "init" and self._needs_copy(v.name)]
        self.copied = {v.name for v in copies}
        body: list[str] = []
        used = {access.name for nest in kernel.body for access in (*reads(nest), target_of(nest))}
        kept = [v for v in kernel.temps if v.name in used] + copies
        for variable in kept:
            body += self._allocate(variable)
        for variable in copies:
            body += self._copy(variable)
        parameters = [v for v in kernel.parameters if not (v.role == "out" and v.name in self.in_place.values())]
        for variable in parameters:
            if variable.name not in used and self.in_place.get(variable.name) not in used:
                body.append(f"    (void){self.renamed[variable.name]};")
        for nest in kernel.body:
            body += self.statement(nest, 1)
        body += [f"    free({self.renamed[v.name]});" for v in reversed(kept) if v.shape]
        head = f"void {self.function}({', '.join(map(self._parameter, parameters))}) {{"
        code = "\n".join([head, *body, "}"]) + "\n"
        suffix = "f" if self.type == "float" else ""
        helpers = "".join(
            _HELPERS[name].format(n=f"{self.function}_{name}", T=self.type, f=suffix) + "\n\n" for name in self.helpers
        )
        return self._preamble(helpers + code) + helpers + code

    def _preamble(self, code: str) -> str:
        lines = []
        if re.search(r"\b(?:exp|log|sqrt|tanh|fabs|fmod|floor)f?\(", code):
            lines.append("#include <math.h>")
        if "malloc(" in code:
            lines.append("#include <stdlib.h>")
        if "restrict" in code:
            lines += ["#ifdef __cplusplus", "#define restrict __restrict", "#endif"]
        return "\n".join(lines) + "\n\n" if lines else ""

    def _parameter(self, variable: Variable) -> str:
        is_read = variable.role in ("in", "cotangent")
        name = self.renamed[self.in_place.get(variable.name, variable.name)]
        if not variable.shape:
            return f"{self.type} {name}" if is_read else f"{self.type} {'&' if self.cpp else '*'}{name}"
        if self.cpp:
            return f"{self.type} (&{name}){''.join(f'[{n}]' for n in variable.shape)}"
        return f"{'const ' if is_read else ''}{self.type} *restrict {name}"

    def _allocate(self, variable: Variable) -> Iterator[str]:
        name = self.renamed[variable.name]
        if not variable.shape:
            yield f"    {self.type} {name} = 0;"
            return
        yield f"    {self.type} *{name} = ({self.type} *)malloc({variable.size} * sizeof({self.type}));"
        yield f"    if (!{name}) abort();"

    def _copy(self, variable: Variable) -> list[str]:
        indices = tuple(Affine.variable(f"copy {axis}") for axis in range(len(variable.shape)))
        lines, pad = [], "    "
        for index, n in zip(indices, variable.shape):
            lines.append(f"{pad}for (long {self.index(index)} = 0; {self.index(index)} < {n}; {self.index(index)}++)")
            pad += "    "
        source = self.element(self.in_place[variable.name], indices)
        return [*lines, f"{pad}{self.element(variable.name, indices, True)} = {source};"]

    # -- statements ------------------------------------------------------------------------------------------------

    def statement(self, node: Statement, depth: int) -> Iterator[str]:
        pad = "    " * depth
        if isinstance(node, LoopNest):
            for level, index in enumerate(node.indices):
                name = self.renamed[index.name]
                self.box[index.name] = (0, index.extent - 1)
                inner = "    " * (depth + level)
                yield f"{inner}for (long {name} = 0; {name} < {index.extent}; {name}++) {{"
            count = len(node.indices)
            has_local = any(isinstance(part, Move) and isinstance(part.target, Local) for part in node.body)
            if has_local and not count:
                yield f"{pad}{{"
            for part in node.body:
                yield from self.statement(part, depth + count + (has_local and not count))
            for level in reversed(range(count)):
                yield "    " * (depth + level) + "}"
            if has_local and not count:
                yield f"{pad}}}"
        elif isinstance(node, If):
            yield f"{pad}if ({' && '.join(map(self.condition, node.conditions))}) {{"
            for part in node.body:
                yield from self.statement(part, depth + 1)
            yield f"{pad}}}"
        elif isinstance(node.target, Local) and node.kind == "=":
            yield f"{pad}{self.type} {self.renamed[node.target.name]} = {self.value(node.value)};"
        else:
            yield f"{pad}{self.value(node.target)} {node.kind} {self.value(node.value)};"

    def condition(self, condition: Condition) -> str:
        left, op, right = condition.sides()
        return f"{self.index(left)} {op} {self.index(right)}"

    # -- values ----------------------------------------------------------------------------------------------------

    def value(self, node: Value, above: int = 0) -> str:
        if isinstance(node, Constant):
            return self.constant(node.value)
        if isinstance(node, Access):
            return self.element(node.name, node.indices)
        if isinstance(node, Local):
            return self.renamed[node.name]
        if isinstance(node, Select):
            text = f"{self.value(node.a, 1)} {node.compare} {self.value(node.b, 1)}"
            return f"({text} ? {self.value(node.yes, 1)} : {self.value(node.no, 1)})"
        if isinstance(node, Unary):
            return self.unary(node)
        is_float = self.type != "int"
        special = {"//": "floor_div", "%": "mod", "max": "max", "min": "min"}.get(node.op)
        if node.op == "/" and not is_float:
            special = "div"
        if special:
            name = special if is_float else f"{special}_int"
            return f"{self.helper(name)}({self.value(node.a)}, {self.value(node.b)})"
        own = PRECEDENCE[node.op]
        text = f"{self.value(node.a, own)} {node.op} {self.value(node.b, own + 1)}"
        return f"({text})" if own < above else text

    def unary(self, node: Unary) -> str:
        if node.op == "-":
            return f"-{self.value(node.a, 3)}" if not isinstance(node.a, Unary) else f"-({self.value(node.a)})"
        if node.op == "abs":
            name = self.helper("abs_int") if self.type == "int" else "fabs" + ("f" if self.type == "float" else "")
        else:
            name = node.op + ("f" if self.type == "float" else "")
        return f"{name}({self.value(node.a)})"

    def constant(self, value: float) -> str:
        if self.type == "int":
            return str(int(value))
        text = f"{value:.9g}" if self.type == "float" else repr(float(value))
        if not any(c in text for c in ".en"):
            text += ".0"
        return text + ("f" if self.type == "float" else "")

    def helper(self, name: str) -> str:
        if name not in self.helpers:
            self.helpers.append(name)
        return f"{self.function}_{name}"

    def element(self, name: str, indices: tuple[Affine, ...], is_copy: bool = False) -> str:
        variable = self.kernel.variables[name]
        if name in self.in_place and name not in self.copied and not is_copy:
            name = self.in_place[name]
        text = self.renamed[name]
        is_parameter = any(v.name == name for v in self.kernel.parameters) and name not in self.copied
        if not variable.shape:
            is_pointer = is_parameter and self.kernel.variables[name].role in ("out", "init")
            return f"*{text}" if is_pointer and not self.cpp else text
        if self.cpp and is_parameter:
            return text + "".join(f"[{self.index(index)}]" for index in indices)
        return f"{text}[{self.index(variable.flat(indices))}]"

    def index(self, affine: Affine) -> str:
        return written(affine, self.atom)

    def atom(self, atom: Atom) -> str:
        if isinstance(atom, str):
            return self.renamed[atom]
        low, _ = atom.body.interval(self.box)
        if low >= 0:
            text = self.index(atom.body)
            return f"{text if text.isidentifier() else f'({text})'} {'/' if atom.kind == '//' else '%'} {atom.by}"
        name = self.helper("floor_div_index" if atom.kind == "//" else "mod_index")
        return f"{name}({self.index(atom.body)}, {atom.by})"
