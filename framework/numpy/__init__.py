"""numpy's functions on tensors, by numpy's names and arguments: `import anfora.numpy as np`.

arrays.py        making tensors, their types and shapes, places in them
calculations.py  along axes, with vectors and polynomials, counts and sets
standard.py      names of the array API standard, which the module meets
fft.py           Fourier transforms

These are what differs from `anfora.ops`. The rest are operators of `ops` whose arguments have numpy's names; the tables
below tell which. Numbers and lists are taken where tensors are; made of Python numbers, tensors are of int32 and float32.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy

from anfora import ops
from anfora.core.dtype import (  # noqa: F401
    bool_,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from anfora.core.errors import OpTypeError
from anfora.core.nearest import below
from anfora.core.tensor import Tensor
from anfora.numpy import arrays, calculations, standard
from anfora.numpy.arrays import *  # noqa: F403
from anfora.numpy.arrays import of_type, tensors
from anfora.numpy.calculations import *  # noqa: F403
from anfora.numpy.standard import *  # noqa: F403
from anfora.ops.composite import composite

inf, nan, pi = math.inf, math.nan, math.pi
PINF, NINF = inf, -inf
float_, int_, uint = float32, int32, uint32

#: Functions of elements under numpy's name: of one tensor `x`, or of `x1` and `x2`, and of a `dtype` for the result.
_ELEMENTS = """
    abs absolute acos acosh add arccos arccosh arcsin arcsinh arctan arctan2 arctanh asin asinh atan atan2 atanh
    bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor ceil copysign cos cosh deg2rad
    divide equal exp exp2 expm1 fix float_power floor floor_divide fmod gcd greater greater_equal heaviside hypot invert
    isfinite isinf isnan isneginf isposinf lcm less less_equal log log10 log1p log2 logaddexp logaddexp2 logical_and
    logical_not logical_or logical_xor maximum minimum mod multiply negative nextafter not_equal positive rad2deg
    reciprocal remainder rint sign signbit sin sinh sqrt square subtract tan tanh true_divide trunc
"""
_ELEMENTS_RENAMED = {
    "bitwise_invert": "bitwise_not", "fabs": "abs", "pow": "pow", "power": "pow", "radians": "deg2rad",
}  # fmt: skip

#: Other functions: the names of their arguments in numpy's order, each with that in `ops` where it differs. Where two names
#: stand, the second is the array API standard's.
_ARGUMENTS: dict[str, str] = {
    "argwhere": "a=input", "bincount": "x=input weights minlength", "broadcast_to": "array=input shape",
    "clip": "x=input xmin|min=min xmax|max=max dtype", "column_stack": "tup=tensors",
    "diagonal": "a=input offset axis1=dim1 axis2=dim2",
    "diff": "a=x n axis prepend append", "dot": "a=input b=other", "dsplit": "x=input indices_or_sections",
    "dstack": "tup=tensors",
    "expand_dims": "a=input_x axis", "fliplr": "m=input", "flipud": "m=input",
    "hsplit": "x=input indices_or_sections", "hstack": "tup=tensors", "inner": "a=input b=other",
    "isclose": "a=input b=other rtol atol equal_nan", "kron": "a=input b=other", "matmul": "x1=input x2=other dtype",
    "matrix_power": "a=input n", "moveaxis": "a=x source destination", "norm": "x=A ord axis=dim keepdims=keepdim",
    "ravel": "x=input", "roll": "a=input shift=shifts axis=dims", "rot90": "a|m=input k axes=dims",
    "swapaxes": "x=input axis1=axis0 axis2=axis1", "tile": "a=input reps=dims",
    "trace": "a=input offset axis1 axis2 dtype", "trapz": "y x dx axis=dim", "tril": "m=input k=diagonal",
    "triu": "m=input k=diagonal", "vsplit": "x=input indices_or_sections", "vstack": "tup=inputs",
}  # fmt: skip

#: Those of them that take a sequence of tensors.
_OF_SEQUENCES = ("column_stack", "dstack", "hstack", "vstack")


def _of_elements(name: str) -> Callable:
    function = getattr(ops, _ELEMENTS_RENAMED.get(name, name))
    count = 2 if len([p for p in _signature_of(function).parameters.values() if p.default is p.empty]) == 2 else 1

    def of_one(x: Any, dtype: Any = None) -> Tensor:
        return of_type(function(tensors(x)), dtype)

    def of_two(x1: Any, x2: Any, dtype: Any = None) -> Tensor:
        if not isinstance(x1, Tensor) and not isinstance(x2, Tensor):
            x1, x2 = tensors(x1), tensors(x2)
        one, other = (tensors(x) if isinstance(x, (list, tuple, numpy.ndarray)) else x for x in (x1, x2))
        return of_type(function(one, other), dtype)

    return of_one if count == 1 else of_two


def with_names(name: str, told: str) -> Callable:
    """An operator under numpy's names of arguments, which `told` tells as `_ARGUMENTS` does."""
    return _finished(name, _with_names(name, told))


def _with_names(name: str, told: str) -> Callable:
    function = getattr(ops, name)
    listed = [(names.split("|"), own) for names, _, own in (item.partition("=") for item in told.split())]
    pairs = [(names[0], own or names[0]) for names, own in listed]
    known = {key: own or names[0] for names, own in listed for key in names}

    def call(*args: Any, **kwargs: Any) -> Any:
        if len(args) > len(pairs):
            raise OpTypeError(f"{name} takes {len(pairs)} arguments, but got {len(args)}")
        given = {own: value for (_, own), value in zip(pairs, args)}
        for key, value in kwargs.items():
            if key not in known or known[key] in given:
                raise OpTypeError(f"{name} got `{key}`; its arguments are {', '.join(known)}, each once")
            given[known[key]] = value
        for _, own in pairs[: 2 if name in ("dot", "inner", "isclose", "kron", "matmul") else 1]:
            if own in given:
                taken = given[own]
                given[own] = tuple(map(tensors, taken)) if name in _OF_SEQUENCES else tensors(taken)
        dtype = None if "dtype" in known_there else given.pop("dtype", None)
        return of_type(function(**given), dtype)

    there = _signature_of(function)
    known_there = there.parameters
    parameters = [
        known_there[own].replace(name=key, kind=_EITHER) if own in known_there else _DTYPE for key, own in pairs
    ]
    signature = inspect.Signature(parameters, return_annotation=there.return_annotation)
    call.__signature__ = signature  # type: ignore[attr-defined]
    return call


_EITHER = inspect.Parameter.POSITIONAL_OR_KEYWORD
_DTYPE = inspect.Parameter("dtype", _EITHER, default=None)  # of the result, where the function has none


def _signature_of(function: Any) -> inspect.Signature:
    return function.signature if hasattr(function, "signature") else inspect.signature(function)


def __getattr__(name: str) -> Any:
    if name in _ELEMENTS.split() or name in _ELEMENTS_RENAMED:
        found = _finished(name, _of_elements(name))
    elif name in _ARGUMENTS:
        found = with_names(name, _ARGUMENTS[name])
    elif name == "fft":
        return import_module("anfora.numpy.fft")
    else:
        return below("anfora.numpy", name)
    globals()[name] = found
    return found


def _finished(name: str, function: Callable) -> Callable:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"numpy's `{name}`, which is `ops.{_ELEMENTS_RENAMED.get(name, name)}`."
    return composite(function)


def __dir__() -> list[str]:
    return __all__


_TYPES = (
    "NINF", "PINF", "bool_", "float16", "float32", "float64", "float_", "inf", "int16", "int32", "int64", "int8", "int_",
    "nan", "pi", "uint", "uint16", "uint32", "uint64", "uint8",
)  # fmt: skip
_MODULES = (arrays, calculations, standard)
__all__ = sorted({*_ELEMENTS.split(), *_ELEMENTS_RENAMED, *_ARGUMENTS, *_TYPES}.union(*(m.__all__ for m in _MODULES)))
