"""Constants as text, and when two are the same.

Numbers, strings and containers are written as Python writes them; an int is an int of any size and no machine integer, and
floats come back to the last bit. Tensors are values here: two with the same type and bits are the same. What text cannot
hold (a Parameter, a Python function, a tensor that takes part in gradients: objects that are known by identity) is written
as `object("conv1.weight")`, by what it is called, and kept in a dict beside the text. Read back without that object it is
`Unresolved`: a name, which raises when it is used.
"""

from __future__ import annotations

import base64
import itertools
import json
import math
import re
import struct
import types
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from anfora.api import GradOperation
from anfora.core.dtype import DType
from anfora.core.op import Op, registry
from anfora.core.tensor import Tensor
from anfora.graph.ir.nodes import GraphError
from anfora.graph.ir.primitives import UNBOUND, Primitive, U
from anfora.graph.machine.set_orders import order_of_making
from anfora.ops import HyperMap, Map
from anfora.ops.methods import functions

__all__ = ["META", "WORDS", "Unresolved", "printable", "same_value", "value_text"]

#: Values that are a word.
WORDS: dict[str, Any] = {
    "None": None, "True": True, "False": False, "Ellipsis": Ellipsis, "NotImplemented": NotImplemented, "U": U,
    "UNBOUND": UNBOUND,
    "bool": bool, "int": int, "float": float, "str": str, "tuple": tuple, "list": list, "dict": dict,
    "set": set,
}  # fmt: skip
_WORD_OF = {id(value): word for word, value in WORDS.items()}

#: Functions that make functions, and the attributes that make them.
META: dict[str, tuple[type, tuple[str, ...]]] = {
    "GradOperation": (GradOperation, ("get_all", "get_by_list", "sens_param")),
    "HyperMap": (HyperMap, ()),
    "Map": (Map, ()),
}


class Unresolved:
    """An object of the program, of which a text knows only what it is called.

    Args:
        name: as the text says.
    """

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise self._refusal()

    def __getitem__(self, key: Any) -> Any:
        raise self._refusal()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        raise self._refusal()

    def __repr__(self) -> str:
        return f"<unresolved {self.name}>"

    def _refusal(self) -> GraphError:
        return GraphError(
            f"{self.name!r} is an object of the program that wrote this graph, and only its name came along",
            help=f"give it to the reader: `read(text, names={{{self.name!r}: …}})`.",
        )


def is_tensor_value(value: Any) -> bool:
    """Whether it is a tensor that is nothing but its elements."""
    return type(value) is Tensor and not value.requires_grad


def value_text(value: Any, objects: dict[str, Any], *, complete: bool) -> str:
    """The text of a constant that is no graph.

    Args:
        value: the constant's value.
        objects: takes what text cannot hold, by what it is called.
        complete: write all elements of a tensor, rather than what one likes to read.
    """
    if id(value) in _WORD_OF:
        return _WORD_OF[id(value)]
    kind = type(value)
    if kind in _PLAIN:
        return _PLAIN[kind](value)
    if kind in _PARTS:
        items = [value_text(item, objects, complete=complete) for item in _PARTS[kind](value)]
        if kind is frozenset:
            return f"frozenset([{', '.join(items)}])"
        if kind is tuple:
            return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
        return f"{kind.__name__}({', '.join(items)})"
    if isinstance(value, Op) and functions.get(value.name) is not value and registry.get(value.name) is value:
        return f"registry.{value.name}"
    name = getattr(value, "__name__", None)
    if isinstance(name, str) and functions.get(name) is value:
        return f"ops.{name}"
    if is_meta(value):
        attributes = META[kind.__name__][1]
        return f"{kind.__name__}({', '.join(str(getattr(value, name)) for name in attributes)})"
    if is_tensor_value(value):
        return _tensor_text(value, complete)
    return f"object({json.dumps(_called(value, objects))})"


def _in_order(items: frozenset) -> list[Any]:
    """In which order the text has them. Numbers have the same hashes in every process, so they are walked over as they are
    here; of all else the hashes are others, and the text shall be the same."""
    if all(isinstance(item, (int, float, complex)) for item in items):
        order = order_of_making(items)
        return [*items] if order is None else order[0]
    return sorted(items, key=lambda item: value_text(item, {}, complete=True))


def _bounds(value: Any) -> tuple[Any, Any, Any]:
    return value.start, value.stop, value.step


#: By kind, the text of what holds nothing, and what those that hold something hold.
_PLAIN: dict[type, Callable[[Any], str]] = {
    int: lambda value: repr(value) if abs(value) < 1 << 128 else hex(value),  # Python limits how long a decimal may be
    float: lambda value: float_text(value),
    complex: lambda value: f"complex({float_text(value.real)}, {float_text(value.imag)})",
    str: json.dumps,
    bytes: lambda value: f'bytes("{value.hex()}")',
    DType: lambda value: value.label,
    Primitive: lambda value: value.name,
}
_PARTS: dict[type, Callable[[Any], Iterable[Any]]] = {tuple: iter, frozenset: _in_order, slice: _bounds, range: _bounds}


def _called(value: Any, objects: dict[str, Any]) -> str:
    """What an object is called; where several would have one name, `~2` and so on are added."""
    if isinstance(value, Unresolved):
        return value.name
    wish = _description(value)
    for count in itertools.count(1):
        name = wish if count == 1 else f"{wish}~{count}"
        if objects.setdefault(name, value) is value:
            return name
    raise AssertionError


def _description(value: Any) -> str:
    if isinstance(value, Tensor):
        return getattr(value, "name", None) or type(value).__name__
    if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)) and value.__module__:
        return f"{value.__module__}.{value.__qualname__}"
    looks = re.sub(r" at 0x[0-9a-f]+", "", " ".join(repr(value).split()))
    return looks if len(looks) <= 60 else f"{looks[:57]}..."


def printable(text: str) -> str:
    """A text on one line; what cannot be seen is shown as an escape."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def float_text(value: float) -> str:
    """A float as Python writes it; a NaN by its bits, unless it is the plain one."""
    bits = struct.pack(">d", value).hex()
    return f'nan_bits("{bits}")' if math.isnan(value) and bits != _PLAIN_NAN else repr(value)


_PLAIN_NAN = struct.pack(">d", math.nan).hex()


def is_meta(value: Any) -> bool:
    """Whether it is a function of functions that is known by its attributes."""
    known = META.get(type(value).__name__)
    return known is not None and type(value) is known[0] and getattr(value, "ops", None) is None


def _tensor_text(value: Tensor, complete: bool) -> str:
    shape = f"Tensor(shape={list(value.shape)}, dtype={value.dtype}"
    if complete:
        return f'{shape}, data="{base64.b64encode(elements(value)).decode()}")'
    elements_text = str(value.tolist() if value.ndim else value.item()) if value.size <= 8 else "..."
    return f"{shape}, value={elements_text})"


def elements(value: Tensor) -> bytes:
    """The elements as they lie in memory, in row-major order."""
    return np.ascontiguousarray(value._array).tobytes()


def same_value(a: Any, b: Any) -> bool:
    """Whether two constants, no graphs, are the same to the last bit."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if type(a) in (int, str, bytes, range):
        return a == b
    if type(a) is float:
        return struct.pack("<d", a) == struct.pack("<d", b)
    if type(a) is complex:
        return same_value(a.real, b.real) and same_value(a.imag, b.imag)
    if type(a) is tuple:
        return len(a) == len(b) and all(map(same_value, a, b))
    if type(a) is frozenset:  # equal numbers may be of several kinds
        return len(a) == len(b) and all(any(same_value(one, other) for other in b) for one in a)
    if type(a) is slice:
        return same_value((a.start, a.stop, a.step), (b.start, b.stop, b.step))
    if is_meta(a) and is_meta(b):
        return all(getattr(a, name) == getattr(b, name) for name in META[type(a).__name__][1])
    if type(a) is Unresolved:
        return a.name == b.name
    if is_tensor_value(a) and is_tensor_value(b):
        return a.dtype is b.dtype and a.shape == b.shape and elements(a) == elements(b)
    return False
