"""Programs of the gallery that numpy can run are run on its arrays too: same source, other operators, double precision.

Where a program ends there without an error, it says what ours must give, within a tolerance.
"""

from __future__ import annotations

import copy
import functools
import importlib
import pathlib
import random
import types

import numpy as np
import pytest
from harness import PROGRAMS

from anfora import Tensor, jit

for path in sorted(pathlib.Path(__file__).parent.glob("programs_*.py")):
    importlib.import_module(path.stem)


def _softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


#: Operators by what they are in numpy.
OPS = types.SimpleNamespace(
    **{name: getattr(np, name) for name in (
        "abs", "exp", "log", "sqrt", "sin", "cos", "tan", "tanh", "square", "sum", "mean", "maximum", "minimum", "matmul",
        "stack", "where", "clip", "zeros_like", "ones_like", "argmax", "argmin", "cumsum", "floor", "ceil", "sign", "outer",
        "zeros", "ones", "arange", "isnan", "isfinite", "multiply", "add", "subtract", "log1p", "expm1", "logical_and",
        "logical_or", "logical_not", "greater", "less", "equal", "reciprocal", "power", "dot", "tril", "triu", "diag",
    )},
    concat=lambda parts, axis=0: np.concatenate(parts, axis),
    relu=lambda x: np.maximum(x, 0),
    sigmoid=lambda x: 1 / (1 + np.exp(-x)),
    softmax=_softmax,
    neg=np.negative,
    mul=np.multiply,
    sub=np.subtract,
    div=np.divide,
    stop_gradient=lambda x: x,
)  # fmt: skip


#: Programs of which numpy says something else, and why.
ELSE = {
    "float_meets_float32": "they ask for a type", "precision_of_the_argument": "they ask for a type",
    "arguments_that_overlap": "arguments share memory",
    "swap_of_views": "an item of an array is a copy, and of a tensor a view",
}  # fmt: skip


class _Array(np.ndarray):
    """An array of which `x += y` makes another one, as of tensors."""

    __iadd__, __isub__, __imul__ = np.ndarray.__add__, np.ndarray.__sub__, np.ndarray.__mul__
    __itruediv__, __ipow__ = np.ndarray.__truediv__, np.ndarray.__pow__


class _NoArray(Exception):
    """Numpy cannot say anything of it."""


def _as_arrays(value, seen=None):
    """Arguments as numpy's, in double precision; what is one object stays one."""
    seen = {} if seen is None else seen
    if id(value) in seen:
        return seen[id(value)]
    if isinstance(value, Tensor):
        array = value.asnumpy()
        found = (array.astype(np.float64) if array.dtype.kind == "f" else array.copy()).view(_Array)
    elif type(value) in (list, tuple):
        found = type(value)([_as_arrays(item, seen) for item in value])
    elif type(value) is dict:
        found = {key: _as_arrays(item, seen) for key, item in value.items()}
    elif value is None or type(value) in (bool, int, float, str):
        return value
    else:
        raise _NoArray
    seen[id(value)] = found
    return found


def _twin(function):
    """The function with numpy's operators, if it is nothing but a function of its arguments."""
    if type(function) is not types.FunctionType or function.__closure__:
        return None
    scope = {**function.__globals__, "ops": OPS, "Tensor": np.array}
    scope.pop("ms", None)
    scope.pop("nn", None)
    return types.FunctionType(function.__code__, scope, function.__name__, copy.deepcopy(function.__defaults__))


def _is_alike(ours, theirs):
    """Whether a result is that of numpy; texts show tensors in a way of their own."""
    if isinstance(ours, Tensor) or isinstance(theirs, (np.ndarray, np.generic)):
        ours = ours.asnumpy() if isinstance(ours, Tensor) else np.asarray(ours)
        return ours.shape == np.shape(theirs) and np.allclose(ours, theirs, 1e-4, 1e-5, equal_nan=True)
    if type(ours) in (list, tuple):
        return len(ours) == len(theirs) and all(map(_is_alike, ours, theirs))
    if type(ours) is dict:
        return list(ours) == list(theirs) and all(_is_alike(ours[key], theirs[key]) for key in ours)
    if type(ours) is float:
        return np.isclose(ours, theirs, 1e-4, 1e-5, equal_nan=True)
    if type(ours) is str:
        return type(theirs) is str
    if ours is not None and type(ours) not in (bool, int):
        raise _NoArray
    return ours == theirs


def _seed():
    random.seed(1)
    np.random.seed(1)


@functools.cache
def _compared(name):
    """How many calls of a program numpy could say something of."""
    program = PROGRAMS[name]
    function = program.build(lambda each: each)
    twin, compiled = _twin(function), jit(function) if type(function) is types.FunctionType else None
    if twin is None or program.state:
        return 0
    count = 0
    for make in program.all_calls():
        ours, theirs = make(), make()
        try:
            args, kwargs = _as_arrays((theirs.args, theirs.kwargs))
            with np.errstate(all="ignore"):
                _seed()
                expected = twin(*args, **kwargs)
        except Exception:
            continue
        _seed()
        result = compiled(*ours.args, **ours.kwargs)
        try:
            is_alike = _is_alike((result, ours.args, ours.kwargs), (expected, args, kwargs))
        except _NoArray:
            continue
        assert is_alike, (result, expected)
        count += 1
    return count


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in ELSE])
def test_program(name):
    _compared(name)


def test_numpy_can_say_something_of_half_of_them():
    assert sum(_compared(name) > 0 for name in PROGRAMS if name not in ELSE) > 290
