"""Element types of tensors, and the rule that says which type a mixture has.

One object a type; they compare by identity and print as MindSpore's (`Float32`). float16 is kept as numpy's float16.
bfloat16 is kept as its 16 bits in a uint16 array and shown to numpy as float32. A complex number is two floating-point
numbers, the real part in front. Floating-point numbers of eight bits (`eight_bits.py`) are kept, shown, viewed and
converted; operators refuse them, and they promote to nothing.

    promote(int32, float16)   -> float16      a tensor's category wins: bool < integer < floating point < complex
    promote(float32, float64) -> float64      within a category the wider type wins
    promote(float16, bfloat16) -> float32     neither holds the other
    promote(uint8, int8)      -> int16        the narrowest signed type that holds both
    promote(complex64, float64) -> complex128  the parts are as wide as those of either
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from anfora.core.errors import OpTypeError

__all__ = [
    "DType", "Int", "Type", "all_types", "as_dtype", "bfloat16", "bool_", "byte", "cdouble", "cfloat", "complex128",
    "complex64", "complex_type", "double", "dtype_to_nptype", "dtype_to_pytype", "float16", "float32", "float64",
    "float8_e4m3fn", "float8_e5m2", "float_", "float_type", "function", "get_py_obj_dtype", "half", "hifloat8", "int16",
    "int32", "int64", "int8", "int_", "int_type", "intc", "intp", "list_", "long", "number", "number_type", "promote",
    "promote_scalar", "pytype_to_dtype", "short", "signed_type", "single", "string", "tensor_type", "tuple_", "type_none",
    "ubyte", "uint16", "uint32", "uint64", "uint8", "uint_type", "uintc", "uintp", "ushort",
]  # fmt: skip


class DType:
    """The type of a tensor's elements. There is one object for each type; compare with `is` or `==`."""

    __slots__ = ("name", "label", "code", "storage", "kind", "bits", "itemsize")

    name: str  #: as users write it, `float32`
    label: str  #: as MindSpore prints it, `Float32`
    code: str  #: as kernels are told, `f32`
    storage: np.dtype  #: what the buffer holds
    kind: str  #: b, i, u, f or c; e: a floating-point number of eight bits
    bits: int
    itemsize: int  #: bytes an element

    def __init__(self, label: str, code: str, storage: str, kind: str, name: str = "") -> None:
        self.name = name or label.lower()
        self.label, self.code, self.kind = label, code, kind
        self.storage = np.dtype(storage)
        self.itemsize = self.storage.itemsize
        self.bits = 8 * self.itemsize

    @property
    def is_float(self) -> bool:
        return self.kind == "f"

    @property
    def is_complex(self) -> bool:
        return self.kind == "c"

    @property
    def is_inexact(self) -> bool:
        """Whether it is floating point or complex."""
        return self.kind in "fc"

    @property
    def lifted(self) -> DType:
        """The type that means, roots and slopes of this one are computed in: itself if inexact, else float32."""
        return self if self.is_inexact else float32

    @property
    def part(self) -> DType:
        """The type of the real part: of a complex type its floating-point type, else the type itself."""
        return _PARTS.get(self, self)

    @property
    def is_integer(self) -> bool:
        """Whether it is a signed or unsigned integer (bool is not)."""
        return self.kind in "iu"

    @property
    def is_bool(self) -> bool:
        return self.kind == "b"

    @property
    def is_eight_bits(self) -> bool:
        """Whether it is a floating-point number of eight bits, which is converted and not computed with."""
        return self.kind == "e"

    @property
    def numpy(self) -> np.dtype:
        """The numpy type that values of this type are handed out as."""
        return np.dtype(np.float32) if self is bfloat16 or self.kind == "e" else self.storage

    def __str__(self) -> str:
        return self.label

    #: What the package is called where types are shown: a program that runs as one of MindSpore sees its own word.
    package = "anfora"

    def __repr__(self) -> str:
        return f"{self.package}.{self.name}"

    def __reduce__(self) -> tuple:
        return as_dtype, (self.name,)

    def __copy__(self) -> DType:
        return self

    def __deepcopy__(self, memo: dict) -> DType:
        return self


bool_ = DType("Bool", "b1", "bool", "b", "bool_")
int8 = DType("Int8", "i8", "int8", "i")
int16 = DType("Int16", "i16", "int16", "i")
int32 = DType("Int32", "i32", "int32", "i")
int64 = DType("Int64", "i64", "int64", "i")
uint8 = DType("UInt8", "u8", "uint8", "u")
uint16 = DType("UInt16", "u16", "uint16", "u")
uint32 = DType("UInt32", "u32", "uint32", "u")
uint64 = DType("UInt64", "u64", "uint64", "u")
float16 = DType("Float16", "f16", "float16", "f")
bfloat16 = DType("BFloat16", "bf16", "uint16", "f")
float32 = DType("Float32", "f32", "float32", "f")
float64 = DType("Float64", "f64", "float64", "f")
complex64 = DType("Complex64", "c64", "complex64", "c")
complex128 = DType("Complex128", "c128", "complex128", "c")
float8_e4m3fn = DType("Float8E4M3FN", "f8e4m3fn", "uint8", "e", "float8_e4m3fn")
float8_e5m2 = DType("Float8E5M2", "f8e5m2", "uint8", "e", "float8_e5m2")
hifloat8 = DType("HiFloat8", "hif8", "uint8", "e")

#: The types that operators take.
ALL = (
    bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, bfloat16, float32, float64, complex64,
    complex128,
)  # fmt: skip
EIGHT_BITS = (float8_e4m3fn, float8_e5m2, hifloat8)
_PARTS = {complex64: float32, complex128: float64}
_BY_NAME = {name: dtype for dtype in (*ALL, *EIGHT_BITS) for name in (dtype.name, dtype.label)}
_BY_NAME |= {"bool": bool_, "int": int64, "float": float32, "half": float16, "double": float64}
_BY_NUMPY = {dtype.storage: dtype for dtype in ALL if dtype is not bfloat16}
FOREIGN = ("bfloat16", "float8_e4m3fn", "float8_e5m2")  #: as other packages register them with numpy
_BY_PYTHON = {bool: bool_, int: int64, float: float32, complex: complex128}


class _KindOfType(type):
    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, DType) and value.kind == "i"


class Int(metaclass=_KindOfType):
    """The types of signed integers, as MindSpore's programs name them.

    Args:
        bits: 8, 16, 32 or 64; the kind, which `MultitypeFuncGraph.register` knows, where they are not given.
    Raises:
        OpTypeError: there is no such type.
    Example:
        >>> Int(32), isinstance(int64, Int), isinstance(float32, Int)
        (anfora.int32, True, False)
    """

    def __new__(cls, bits: int | None = None) -> Any:
        return int_ if bits is None else as_dtype(f"int{bits}")


Type = DType
half, single, double = float16, float32, float64
byte, short, intc, long, intp = int8, int16, int32, int64, int64
ubyte, ushort, uintc, uintp = uint8, uint16, uint32, uint64
cfloat, cdouble = complex64, complex128

#: Kinds of values, by the names under which `MultitypeFuncGraph.register` knows them.
number, int_, float_, tensor_type, string = "Number", "Int", "Float", "Tensor", "String"
type_none, tuple_, list_, function = "None", "Tuple", "List", "Function"
#: Groups of element types, as MindSpore's checks of operands name them.
int_type, uint_type, float_type, complex_type = (
    tuple(dtype for dtype in (*ALL, *EIGHT_BITS) if dtype.kind in kinds) for kinds in ("i", "u", "fe", "c")
)
number_type = (*int_type, *uint_type, *float_type, *complex_type)
signed_type = (*int_type, *float_type, *complex_type)
all_types = (bool_, *number_type)

_VALUES: dict[str, type] = {string: str, type_none: type(None), tuple_: tuple, list_: list}


def as_dtype(given: Any) -> DType:
    """The element type that is meant by a DType, a numpy type, a Python type (`int` is int64, `float` is float32, `complex`
    is complex128) or a name."""
    if isinstance(given, DType):
        return given
    if isinstance(given, np.dtype):
        known = _BY_NUMPY.get(given)
        if known is not None:
            return known
    if isinstance(given, str) and given in _BY_NAME:
        return _BY_NAME[given]
    if isinstance(given, type) and given in _BY_PYTHON:
        return _BY_PYTHON[given]
    try:
        dtype = np.dtype(given)
    except (TypeError, ValueError):
        dtype = None
    if dtype is not None:
        if dtype.name in FOREIGN:
            return _BY_NAME[dtype.name]
        native = dtype.newbyteorder("=")
        if native in _BY_NUMPY:
            return _BY_NUMPY[native]
    raise OpTypeError(
        f"{given!r} is no element type of tensors",
        help="the types are " + ", ".join(dtype.name for dtype in (*ALL, *EIGHT_BITS)) + ".",
    )


def dtype_to_nptype(type_: Any) -> type:
    """The numpy type of an element type; float32 for bfloat16 and what has eight bits, which numpy lacks.

    Example:
        >>> dtype_to_nptype(int32)
        <class 'numpy.int32'>
    """
    return as_dtype(type_).numpy.type


def dtype_to_pytype(type_: Any) -> type:
    """The Python type of the elements, bool, int, float or complex; of a kind of values (`list_`, `tuple_`, `string`,
    `type_none`) that of the values.

    Example:
        >>> dtype_to_pytype(float16)
        <class 'float'>
    """
    if isinstance(type_, str) and type_ in _VALUES:
        return _VALUES[type_]
    return {"b": bool, "i": int, "u": int, "f": float, "e": float, "c": complex}[as_dtype(type_).kind]


def pytype_to_dtype(obj: Any) -> DType:
    """The element type of Python or numpy numbers: int64 for int, float64 for float, complex128 for complex.

    Raises:
        OpTypeError: there is none.
    Example:
        >>> pytype_to_dtype(int)
        anfora.int64
    """
    return float64 if obj is float else as_dtype(obj)


def get_py_obj_dtype(obj: Any) -> DType | str:
    """The type of a value of a program: int64, float64, bool_ or complex128 of a number of Python, or of its type; else
    what kind of value it is (`tensor_type`, `list_`, `tuple_`, `string`, `type_none`, `function`).

    Raises:
        OpTypeError: it is of no such kind.
    Example:
        >>> get_py_obj_dtype(1)
        anfora.int64
    """
    if isinstance(getattr(obj, "dtype", None), DType) and hasattr(obj, "shape"):
        return tensor_type
    if callable(obj) and not isinstance(obj, type):
        return function
    kind = obj if isinstance(obj, type) else type(obj)
    for name, values in _VALUES.items():
        if issubclass(kind, values):
            return name
    return float64 if kind is float else as_dtype(kind)


_SIGNED = {8: int8, 16: int16, 32: int32, 64: int64}


@functools.cache
def promote(a: DType, b: DType) -> DType:
    """The type of the result when tensors of types `a` and `b` meet.

    Raises OpTypeError for uint64 with a signed integer: no integer type holds both; and for eight-bit floats with others.
    """
    if a is b:
        return a
    if "e" in (a.kind, b.kind):
        raise OpTypeError(f"{a} and {b} have no common type", help="convert one of them first, e.g. x.astype(float32).")
    ranks = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}
    if "c" in (a.kind, b.kind):
        return complex128 if float64 in (a.part, b.part) else complex64
    if ranks[a.kind] != ranks[b.kind]:
        return a if ranks[a.kind] > ranks[b.kind] else b
    if a.kind == "f" and a.bits == b.bits:
        return float32  # float16 with bfloat16
    if a.kind == b.kind:
        return a if a.bits > b.bits else b
    signed, unsigned = (a, b) if a.kind == "i" else (b, a)
    if signed.bits > unsigned.bits:
        return signed
    if unsigned.bits < 64:
        return _SIGNED[2 * unsigned.bits]
    raise OpTypeError(
        f"{a} and {b} have no common type: no integer type holds the values of both",
        help="convert one of them first, e.g. x.astype(int64).",
    )


def promote_scalar(dtype: DType, scalar: type) -> DType:
    """The type of the result when a tensor meets a Python number: the number is weak and only lifts the category."""
    if scalar is float and not (dtype.is_float or dtype.is_complex):
        return float32
    if scalar is complex and not dtype.is_complex:
        return promote(complex64, dtype)
    if scalar is int and dtype.is_bool:
        return int64
    return dtype
