"""What programs use beside operators: functions mapped over nestings, functions chosen by types, and small helpers."""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from anfora.core import dtype as dtypes
from anfora.core import slots
from anfora.core.cell import Cell, converted
from anfora.core.dtype import DType, as_dtype, pytype_to_dtype
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.tensor import Tensor

__all__ = [
    "HyperMap", "Map", "MultitypeFuncGraph", "add_flags", "control_depend", "core", "depend", "is_sequence_shape_unknown",
    "is_sequence_value_unknown",
    "is_tensor", "isconstant", "mixed_precision_cast", "partial", "print_", "scalar_to_array",
    "scalar_to_tensor", "tuple_to_array", "typeof",
]  # fmt: skip


# -- functions chosen by types ----------------------------------------------------------------------------------------

#: Names under which `MultitypeFuncGraph` knows types.
_TYPES: dict[str, Any] = {
    "Tensor": Tensor,
    "Number": (int, float, np.number),
    "Bool": bool,
    "Int": (int, np.integer),
    "Float": (float, np.floating),
    "String": str,
    "None": type(None),
    "NoneType": type(None),
    "Tuple": tuple,
    "List": list,
    "Dictionary": dict,
    "Dict": dict,
    "Slice": slice,
    "Ellipsis": type(...),
    "Function": Callable,
    "Cell": Cell,
    "Type": DType,
    "TypeType": DType,
    "RowTensor": "RowTensor",
    "COOTensor": "COOTensor",
    "CSRTensor": "CSRTensor",
    **{
        f"{word}{bits}": getattr(dtypes, f"{word.lower()}{bits}")
        for word, sizes in (("Int", (8, 16, 32, 64)), ("UInt", (8, 16, 32, 64)), ("Float", (16, 32, 64)))
        for bits in sizes
    },
}


class MultitypeFuncGraph:
    """A function that chooses among others by the types of its arguments.

    Args:
        name: its name.
        read_value, doc_url: accepted for MindSpore programs; no effect here.
    Raises:
        OpTypeError: it is called with types for which no function is registered.
    Example:
        >>> twice = MultitypeFuncGraph("twice")
        >>> @twice.register("Tensor")
        ... def _(x):
        ...     return x + x
        >>> @twice.register("Number")
        ... def _(x):
        ...     return 2 * x
        >>> twice(Tensor(3)).item(), twice(4)
        (6, 8)
    """

    def __init__(self, name: str, read_value: bool = False, doc_url: str = "") -> None:
        self.name = name
        self.entries: list[tuple[tuple, Callable]] = []

    def register(self, *type_names: Any) -> Callable[[Callable], Callable]:
        """A decorator: the function is for arguments of these types, named as "Tensor", "RowTensor", "COOTensor",
        "CSRTensor", "Number", "Int", "Int64", "Float", "Float32", "Bool", "String", "Tuple", "List", "Dict", "None",
        "Type", "Function" or "Cell", or given as element types, which stand for Python's numbers of their kind."""
        for given in type_names:
            if not isinstance(given, DType) and given not in _TYPES:
                raise OpTypeError(
                    f"{self.name}: {given!r} names no type", help="the names are " + ", ".join(_TYPES) + "."
                )

        def keep(function: Callable) -> Callable:
            self.entries.append((type_names, function))
            return function

        return keep

    def __call__(self, *args: Any) -> Any:
        for types, function in self.entries:
            if len(types) == len(args) and all(map(_is_of, args, types)):
                return function(*args)
        known = "; ".join(", ".join(map(str, types)) for types, _ in self.entries)
        raise OpTypeError(
            f"{self.name} has no function for ({', '.join(type(x).__name__ for x in args)})",
            help=f"there are functions for {known}." if known else None,
        )

    def __repr__(self) -> str:
        return f"MultitypeFuncGraph({self.name!r})"


def _is_of(value: Any, kind: Any) -> bool:
    kind = _TYPES.get(kind, kind) if isinstance(kind, str) else kind
    if isinstance(kind, str):  # a class that stands above this module
        return type(value).__name__ == kind and type(value).__module__ == "anfora.sparse"
    if isinstance(kind, DType):
        return isinstance(value, (bool, int, float)) and pytype_to_dtype(type(value)).kind == kind.kind
    if isinstance(value, bool) and kind in (_TYPES["Int"], _TYPES["Float"]):
        return False
    return isinstance(value, kind)


# -- functions mapped over nestings -----------------------------------------------------------------------------------


class HyperMap:
    """Call a function with the leaves of nested tuples and lists that stand at the same place.

    Args:
        ops: the function; without it the first argument of the call.
        reverse: accepted for MindSpore programs; the order of the results is the same.
    Raises:
        OpValueError: nestings do not match.
    Example:
        >>> HyperMap(lambda x, y: x + y)((1, (2, 3)), (10, (20, 30)))
        (11, (22, 33))
        >>> HyperMap()(lambda x: 2 * x, [1, 2])
        [2, 4]
    """

    _levels = 1000

    def __init__(self, ops: Callable | None = None, reverse: bool = False) -> None:
        self.ops = ops

    def __call__(self, *args: Any) -> Any:
        function, *nests = args if self.ops is None else (self.ops, *args)
        if not nests:
            raise OpTypeError(f"{type(self).__name__} needs something to map over")
        return _mapped(function, nests, self._levels, type(self).__name__)


class Map(HyperMap):
    """Call a function with the elements of tuples and lists that stand at the same place, as `HyperMap` does, one level
    deep.

    Example:
        >>> Map(lambda x, y: x + y)(((1, 2), 3), ((4,), 5))
        ((1, 2, 4), 8)
    """

    _levels = 1


def _mapped(function: Callable, nests: list, levels: int, name: str) -> Any:
    if not levels or not isinstance(nests[0], (tuple, list)):
        return function(*nests)
    if not all(isinstance(nest, (tuple, list)) for nest in nests):
        raise OpValueError(f"{name}: the nestings do not match: {', '.join(map(_form, nests))}")
    if len({*map(len, nests)}) > 1:
        kind = f"{type(nests[0]).__name__}s" if len({*map(type, nests)}) == 1 else "nestings"
        raise OpValueError(
            f"The {kind} in {name} should have the same length, but there is a {', a '.join(map(_form, nests))}"
        )
    parts = [_mapped(function, list(row), levels - 1, name) for row in zip(*nests)]
    return parts if isinstance(nests[0], list) else tuple(parts)


def _form(nest: Any) -> str:
    return f"{type(nest).__name__} of {len(nest)}" if isinstance(nest, (tuple, list)) else type(nest).__name__


# -- helpers ----------------------------------------------------------------------------------------------------------


def partial(func: Callable, *args: Any, **kwargs: Any) -> Callable:
    """A function with its first arguments fixed, and those given by name.

    Example:
        >>> partial(lambda x, y: x - y, 10)(3), partial(lambda x, y: x - y, y=1)(3)
        (7, 2)
    """
    return functools.partial(func, *args, **kwargs)


def add_flags(fn: Any = None, **flags: bool) -> Any:
    """Accepted for MindSpore programs, which say with it how a function or Cell is compiled: the flags are kept in
    `_func_graph_flags`, without effect; gives the function. Without one it is a decorator.

    Raises:
        OpTypeError: `fn` is no function, class or Cell, or one that takes no attributes.
    Example:
        >>> @add_flags(has_effect=True)
        ... def twice(x):
        ...     return 2 * x
        >>> twice(3), twice._func_graph_flags
        (6, {'has_effect': True})
    """
    if fn is None:
        return functools.partial(add_flags, **flags)
    if not callable(fn):
        raise OpTypeError(f"add_flags takes a function or a Cell, but got {fn!r}", arg="fn")
    try:
        fn._func_graph_flags = {**getattr(fn, "_func_graph_flags", {}), **flags}
    except (AttributeError, TypeError) as error:  # it is written in C
        raise OpTypeError(f"add_flags takes what may have attributes, but got {fn!r}", arg="fn") from error
    return fn


def core(fn: Any = None, **flags: bool) -> Any:
    """`add_flags` with the flag `core`.

    Raises:
        OpTypeError: as for `add_flags`.
    Example:
        >>> core(lambda x: x)._func_graph_flags
        {'core': True}
    """
    return add_flags(fn, core=True, **flags)


def mixed_precision_cast(dst_type: DType, x: Any) -> Any:
    """The floating tensors of a nesting of tuples, lists and dicts in another floating type; all else as it is.

    Args:
        dst_type: a floating type, float16 or float32 say.
    Example:
        >>> x, labels = mixed_precision_cast(float16, (Tensor([1.0]), Tensor([1])))
        >>> x.dtype, labels.dtype
        (anfora.float16, anfora.int64)
    """
    return converted(x, as_dtype(dst_type))


def depend(value: Any, expr: Any) -> Any:
    """The value; what made `expr` has been done before.

    Example:
        >>> depend(Tensor(1), Tensor(2)).item()
        1
    """
    return value


def control_depend(src: Any, dst: Any, depend_mode: int = 0) -> Any:
    """Accepted for programs of MindSpore 1, which say by it that `src` is done before `dst`: it is, since the order of the
    program holds.

    Args:
        src, dst: results of operators, or operators.
        depend_mode: 0 or 1, which MindSpore read for parameters.
    Returns:
        `src`.
    Raises:
        OpValueError: another `depend_mode`.
    Example:
        >>> control_depend(Tensor(1), Tensor(2)).item()
        1
    """
    if depend_mode not in (0, 1):
        raise OpValueError(f"`depend_mode` must be 0 or 1, but got {depend_mode!r}", arg="depend_mode")
    return src


def print_(*input_x: Any) -> int:
    """Print the arguments line by line, tensors with shape and type; gives 1, as MindSpore's operator.

    Example:
        >>> print_("loss", 0.5, Tensor(2.0))
        loss
        0.5
        Tensor(shape=[], dtype=Float32, value= 2)
        1
    """
    builtins.print(*[repr(x) if isinstance(x, Tensor) else x for x in input_x], sep="\n")
    return 1


def is_tensor(obj: Any) -> bool:
    """Whether an object is a Tensor.

    Example:
        >>> is_tensor(Tensor(1)), is_tensor(1)
        (True, False)
    """
    return isinstance(obj, Tensor)


# -- what a compiler knows --------------------------------------------------------------------------------------------


def isconstant(x: Any) -> bool:
    """Whether a compiler knows a value from the program alone. In PyNative mode all values are known.

    In a compiled function the answer follows from its source: tensors that come as arguments, Parameters and what
    `mutable` marks are unknown, and so is what is computed of them; shapes, types, literals and what is outside of the
    function are known. (What `mutable` marks before it comes as an argument is known, unless it holds tensors.)

    Example:
        >>> @jit
        ... def f(x):
        ...     n = mutable(2)
        ...     return ops.isconstant(x), ops.isconstant(x.shape), ops.isconstant(n + 1), ops.isconstant(2 + 1)
        >>> f(Tensor([1.0])), ops.isconstant(Tensor([1.0]))
        ((False, True, False, True), True)
    """
    slots.watcher.has_asked = True
    return True


def is_sequence_value_unknown(x: Any) -> bool:
    """Whether a compiler does not know all items of a tuple or list, see `isconstant`. In PyNative mode it does.

    Raises:
        OpTypeError: it is no tuple or list.
    Example:
        >>> @jit
        ... def f(x):
        ...     return ops.is_sequence_value_unknown([x, 1]), ops.is_sequence_value_unknown([2, 1])
        >>> f(Tensor([1.0]))
        (True, False)
    """
    return _of_sequence("is_sequence_value_unknown", x)


def is_sequence_shape_unknown(x: Any) -> bool:
    """Whether a compiler does not know how long a tuple or list is. In PyNative mode it does.

    In a compiled function the length is unknown of what `mutable(…, dynamic_len=True)` marks, and where an unknown number
    decides it, as in `items[:n]`; see `isconstant`.

    Raises:
        OpTypeError: it is no tuple or list.
    Example:
        >>> @jit
        ... def f(n):
        ...     n = mutable(n)
        ...     return ops.is_sequence_shape_unknown((1, 2, 3)[:n]), ops.is_sequence_shape_unknown((n, n))
        >>> f(2)
        (True, False)
    """
    return _of_sequence("is_sequence_shape_unknown", x)


def _of_sequence(name: str, x: Any) -> bool:
    if not isinstance(x, (tuple, list, range)):
        raise OpTypeError(f"{name} needs a tuple or list, but got {type(x).__name__}", arg="x")
    slots.watcher.has_asked = True
    return False


def typeof(x: Any) -> Any:
    """The element type of a tensor, or the class of another object.

    Example:
        >>> print(typeof(Tensor(1.0)))
        Float32
    """
    return x.dtype if isinstance(x, Tensor) else type(x)


def tuple_to_array(input_x: Any) -> Tensor:
    """A tensor of a tuple of numbers of one type: int32 or float32.

    Raises:
        OpTypeError: it is no tuple of numbers of one type.
    Example:
        >>> tuple_to_array((1, 2, 3)).dtype
        anfora.int32
    """
    kinds = set(_kinds(input_x)) if isinstance(input_x, tuple) else set()
    if len(kinds) > 1 or not isinstance(input_x, tuple):
        raise OpTypeError(f"tuple_to_array needs a tuple of numbers of one type, but got {input_x!r}", arg="input_x")
    return Tensor(input_x, "int32" if kinds == {int} else None)


def _kinds(numbers: tuple) -> Iterator[type]:
    for item in numbers:
        if isinstance(item, tuple):
            yield from _kinds(item)
        else:
            yield type(item)


def scalar_to_array(input_x: Any) -> Tensor:
    """A number as a 0-d tensor.

    Example:
        >>> scalar_to_array(2.5).item()
        2.5
    """
    return scalar_to_tensor(input_x, None)


def scalar_to_tensor(input_x: Any, dtype: Any = "float32") -> Tensor:
    """A number as a 0-d tensor of an element type.

    Raises:
        OpTypeError: it is no number.
    Example:
        >>> scalar_to_tensor(2)
        Tensor(shape=[], dtype=Float32, value= 2)
    """
    if not isinstance(input_x, (bool, int, float)):
        raise OpTypeError(f"scalar_to_tensor needs a number, but got {type(input_x).__name__}", arg="input_x")
    return Tensor(input_x, None if dtype is None else as_dtype(dtype))
