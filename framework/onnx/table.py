"""The table of operators: a row for each of our primitives, how ONNX says it, and one for each of ONNX's, how we do.

    @writes("softmax")
    def _(w, input, axis, dtype):               # the primitive's tensors and attributes, as MindIR has them
        return w.node("Softmax", w.cast(input, w.dtype), axis=axis)

    @reads("Softmax")
    def softmax(input, *, axis=-1):             # ONNX's inputs, then its attributes
        return ops.softmax(input, axis)

The rows stand in the other files of this package, both ways of one operator next to each other; a new operator is a row,
and nothing else. A row that writes gets the `Writer` (writer.py) and values with names, types and shapes; numbers of Python
and lists of tensors come as they are. A row that reads is a plain Python function on tensors: the graph that is read calls
it, so it runs, is compiled, and has gradients as any program does.

What a row that reads asks for beside tensors stands in its annotations:

    Ints, Floats        a tensor whose numbers are needed in Python; a tuple comes, or None
    Int, Float, Text    the same for one number
    State               a tensor that training changes without a gradient (moving averages)
    version             keyword: the version of the operators
    outputs             keyword: how many of the results somebody uses

An attribute may also fill the place of an input of that name: in older versions many inputs were attributes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeAlias

from anfora.core import dtype as dt
from anfora.core.dtype import DType
from anfora.core.errors import OpTypeError, OpValueError

__all__ = ["DTYPES", "Float", "Floats", "Int", "Ints", "Read", "READS", "State", "WRITES", "code_of", "dtype_of", "reads",
           "writes"]  # fmt: skip

Ints: TypeAlias = Any
Floats: TypeAlias = Any
Int: TypeAlias = Any
Float: TypeAlias = Any
State: TypeAlias = Any

#: Element types, by ONNX's number.
DTYPES: dict[int, DType] = {
    1: dt.float32, 2: dt.uint8, 3: dt.int8, 4: dt.uint16, 5: dt.int16, 6: dt.int32, 7: dt.int64, 9: dt.bool_,
    10: dt.float16, 11: dt.float64, 12: dt.uint32, 13: dt.uint64, 16: dt.bfloat16,
}  # fmt: skip
_CODES = {dtype: code for code, dtype in DTYPES.items()}
_LACKING = {
    8: "texts", 14: "complex numbers", 15: "complex numbers", 17: "float8", 18: "float8", 19: "float8", 20: "float8",
    21: "uint4", 22: "int4", 23: "float4", 24: "float8", 25: "uint2", 26: "int2",
}  # fmt: skip

#: How our primitives are written, by their names.
WRITES: dict[str, Callable] = {}


class Read:
    """A row that reads: the function, and what its signature says.

    Attributes:
        function: the row.
        inputs: parameters that inputs fill in order; `rest` takes any number of further ones.
        kinds: of the parameters that want something else than a tensor, the annotation.
        names: all parameters.
    """

    def __init__(self, function: Callable) -> None:
        self.function = function
        self.inputs: list[str] = []
        self.rest = False
        self.kinds: dict[str, str] = {}
        self.names: set[str] = set()
        self.needed: list[str] = []
        for name, parameter in inspect.signature(function).parameters.items():
            if parameter.kind is parameter.VAR_POSITIONAL:
                self.rest = True
                continue
            self.names.add(name)
            if parameter.kind is not parameter.KEYWORD_ONLY:
                self.inputs.append(name)
            if parameter.default is parameter.empty:
                self.needed.append(name)
            kind = str(parameter.annotation).split(" ")[0]
            if kind in ("Ints", "Floats", "Int", "Float", "State"):
                self.kinds[name] = kind


#: How ONNX's operators are read, by their names.
READS: dict[str, Read] = {}


def writes(*names: str) -> Callable[[Callable], Callable]:
    """Make a function the row that writes these primitives."""

    def keep(rule: Callable) -> Callable:
        for name in names:
            assert name not in WRITES, name
            WRITES[name] = rule
        return rule

    return keep


def reads(*names: str) -> Callable[[Callable], Callable]:
    """Make a function the row that reads these operators of ONNX."""

    def keep(function: Callable) -> Callable:
        row = Read(function)
        for name in names:
            assert name not in READS, name
            READS[name] = row
        return function

    return keep


def dtype_of(code: int) -> DType:
    """The element type with a number of ONNX's.

    Raises:
        OpValueError: tensors have no such type.
    """
    if code not in DTYPES:
        raise OpValueError(f"anfora has no tensors of ONNX's element type {code} ({_LACKING.get(code, 'unknown')})")
    return DTYPES[code]


def code_of(dtype: DType) -> int:
    """ONNX's number of an element type.

    Raises:
        OpTypeError: it is complex.
    """
    if dtype not in _CODES:
        raise OpTypeError(f"{dtype.name} tensors are not written as ONNX, whose operators do not take them")
    return _CODES[dtype]
