"""Tensors from nothing: constants, ranges, grids, the identity, one-hot vectors."""

from __future__ import annotations

import builtins
import math
import operator
from typing import Any

import numpy as np

from anfora.core import slots
from anfora.core.abstract import TensorType
from anfora.core.dtype import DType, as_dtype, float32, float64, int64
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.op import Weak, op
from anfora.core.tensor import Tensor
from anfora.kernel import bodies
from anfora.kernel.emit import Value
from anfora.kernel.loops import plan_copy, plan_elementwise, plan_fill
from anfora.kernel.memory import compute_elem
from anfora.kernel.plan import Buffer, Planner
from anfora.kernel.ramp import plan_ramp
from anfora.ops.composite import composite
from anfora.ops.families import normalize_axis

__all__ = [
    "arange", "empty", "empty_like", "eye", "fill", "fills", "full", "full_like", "linspace", "logspace", "make_range",
    "meshgrid", "one_hot", "ones", "ones_like", "range", "sequence_mask", "zeros", "zeros_like",
]  # fmt: skip


def integers(name: str, given: Any, what: str, wanted: str = "integers") -> tuple[int, ...]:
    """A shape or a list of axes, given as numbers, a tuple, a list or a 1-d integer tensor, as a tuple of ints."""
    if isinstance(given, (Tensor, np.ndarray)):
        given = given.tolist()
    if not isinstance(given, (tuple, list)):
        given = (given,)
    if len(given) == 1 and isinstance(given[0], (tuple, list)):
        given = given[0]
    result = []
    for item in given:
        try:
            if isinstance(item, bool):
                raise TypeError
            result.append(operator.index(item))
        except TypeError:
            raise OpTypeError(f"{name} needs {wanted} for `{what}`, but got {item!r}", arg=what) from None
    return tuple(result)


def integer(name: str, given: Any, what: str) -> int:
    """A single integer, given as a number, as a tuple or list of one, or as a tensor of one element."""
    numbers = integers(name, given, what, "an integer")
    if len(numbers) != 1:
        raise OpTypeError(f"{name} needs an integer for `{what}`, but got {numbers}", arg=what)
    return numbers[0]


def lengths(name: str, given: Any, what: str) -> tuple[int, ...]:
    """The shape of a new tensor."""
    shape = integers(name, given, what)
    if any(n < 0 for n in shape):
        raise OpValueError(f"{name}: lengths must not be negative, but got {shape}", arg=what)
    return shape


# -- constants --------------------------------------------------------------------------------------------------------


@op
def full(size, fill_value: Tensor, dtype=None):
    """A tensor whose elements are all the same.

    Args:
        size: the shape: an int or a sequence of ints.
        fill_value: a number, or a tensor of one element.
        dtype: the element type; that of the value when not given (float32 for a Python float, int64 for an int).
    Returns:
        tensor of shape `size`.
    Raises:
        OpTypeError: `size` is not made of integers, or `fill_value` is complex, and `dtype` is neither that nor bool.
        OpValueError: a length is negative, or `fill_value` has several elements.
    Gradient:
        the sum of g to `fill_value`, where that is a tensor.
    Example:
        >>> full((2, 2), 7.0).tolist()
        [[7.0, 7.0], [7.0, 7.0]]
    """


@full.normalize
def _(fill_value, *, size, dtype):
    return {"size": lengths("full", size, "size"), "dtype": as_dtype(dtype or fill_value.dtype)}


@full.infer
def _(fill_value, *, size, dtype):
    if fill_value.size != 1:
        raise OpValueError(f"full needs one element for `fill_value`, but got {fill_value!r}", arg="fill_value")
    return TensorType(dtype, size)


@full.scalars
def _(fill_value, *, size, dtype):
    # Any number is taken for an integer tensor as numpy takes it: 2.7 becomes 2.
    return dtype if isinstance(fill_value, Weak) else fill_value.dtype


@full.kernel
def _(p: Planner, fill_value: Buffer, out: Buffer, *, size, dtype):
    plan_copy(p, fill_value.reshaped() if fill_value.ndim else fill_value, out)


@full.vjp("fill_value")
def _(fill_value_type, *, g):
    return g.sum().reshape(fill_value_type.shape)


def _constant(shape: Any, value: Any, dtype: Any) -> Tensor:
    """`full`, where the like has been asked for before without a look at the arguments."""
    if type(shape) is not tuple:
        if type(shape) is not int:
            return full(shape, value, dtype)
        shape = (shape,)
    for length in shape:
        if type(length) is not int:  # not its `__class__`: numbers that say where they come from are no keys
            return full(shape, value, dtype)
    if type(dtype) is not DType:
        return full(shape, value, dtype)
    function = _constants.get((shape, dtype))
    if function is None:
        if len(_constants) >= _MOST_CONSTANTS:
            _constants.clear()
        function = _constants[shape, dtype] = slots.bound(full, size=shape, dtype=dtype)
    return function(value)


_constants: dict[tuple, Any] = {}  #: `full` of a shape and a type, as a function of the value
_MOST_CONSTANTS = 1024


def zeros_of(kind: TensorType) -> Tensor:
    """Zeros of a type."""
    return _constant(kind.shape, 0, kind.dtype)


def zeros(size, dtype=None) -> Tensor:
    """A tensor of zeros.

    Args:
        size: the shape: an int or a sequence of ints.
        dtype: the element type; float32 when not given.
    Raises:
        OpTypeError: `size` is not made of integers.
        OpValueError: a length is negative.
    Example:
        >>> zeros((2, 3)).shape
        (2, 3)
    """
    return _constant(size, 0, float32 if dtype is None else dtype)


def ones(shape, dtype=None) -> Tensor:
    """A tensor of ones.

    Args:
        shape: an int or a sequence of ints.
        dtype: the element type; float32 when not given.
    Raises:
        OpTypeError: `shape` is not made of integers.
        OpValueError: a length is negative.
    Example:
        >>> ones(3).tolist()
        [1.0, 1.0, 1.0]
    """
    return _constant(shape, 1, float32 if dtype is None else dtype)


@composite
def zeros_like(input: Tensor, *, dtype=None) -> Tensor:
    """Zeros of the shape, and the type unless another is given, of a tensor.

    Example:
        >>> zeros_like(Tensor([1, 2])).tolist()
        [0, 0]
    """
    return _constant(input.shape, 0, input.dtype if dtype is None else dtype)


@composite
def ones_like(input: Tensor, *, dtype=None) -> Tensor:
    """Ones of the shape, and the type unless another is given, of a tensor.

    Example:
        >>> ones_like(Tensor([1., 2.])).tolist()
        [1.0, 1.0]
    """
    return _constant(input.shape, 1, input.dtype if dtype is None else dtype)


@composite
def full_like(input: Tensor, fill_value, *, dtype=None) -> Tensor:
    """A constant tensor of the shape, and the type unless another is given, of a tensor.

    Example:
        >>> full_like(Tensor([1., 2.]), 5).tolist()
        [5.0, 5.0]
    """
    return _constant(input.shape, fill_value, input.dtype if dtype is None else dtype)


def fill(type, shape, value) -> Tensor:
    """A constant tensor: `full` with its arguments in another order.

    Example:
        >>> fill(float32, (2,), 1).tolist()
        [1.0, 1.0]
    """
    return full(shape, value, type)


@composite
def fills(x: Tensor, value) -> Tensor:
    """A constant tensor of the shape and type of a tensor: `full_like`.

    Example:
        >>> fills(Tensor([1., 2.]), 5).tolist()
        [5.0, 5.0]
    """
    return full(x.shape, value, x.dtype)


def empty(*size, dtype=None, device=None) -> Tensor:
    """A tensor that is to be written to. It holds zeros; do not count on it.

    Args:
        size: the lengths of the axes.
        dtype: the element type; float32 when not given.
        device: accepted for MindSpore programs; has no effect here.
    Example:
        >>> empty(2, 3).shape
        (2, 3)
    """
    if len(size) == 1 and type(size[0]) is tuple:
        size = size[0]
    return _constant(size, 0, float32 if dtype is None else dtype)


@composite
def empty_like(input: Tensor, *, dtype=None, device=None) -> Tensor:
    """A tensor of the shape, and the type unless another is given, of a tensor, that is to be written to; see `empty`.

    Example:
        >>> empty_like(Tensor([1, 2])).shape
        (2,)
    """
    return _constant(input.shape, 0, input.dtype if dtype is None else dtype)


# -- ranges -----------------------------------------------------------------------------------------------------------


@op
def arange(start=0, end=None, step=1, *, dtype=None):
    """Numbers at equal distances: start, start + step, … up to, but without, `end`.

    Args:
        start, end, step: numbers, or tensors of one element; a single one is `end`, and counting begins at 0.
        dtype: the element type; int64 when not given and all are integers, else float32.
    Returns:
        tensor of ceil((end - start) / step) elements, at least none. Element i is start + i · step, formed in float64 (in
        int64 for integers) and rounded once.
    Raises:
        OpTypeError: an argument is no number.
        OpValueError: `step` is zero, or a bound is not finite.
    Example:
        >>> arange(2, 8, 3).tolist(), arange(0, 1, 0.5).tolist()
        ([2, 5], [0.0, 0.5])
    """


def _number(name: str, value: Any, arg: str) -> Any:
    """A Python number that is given as such, by numpy or as a tensor of one element."""
    if isinstance(value, (Tensor, np.ndarray, np.generic)):
        value = value.item()
    if not isinstance(value, (int, float)):
        raise OpTypeError(f"{name} needs a number for `{arg}`, but got {value!r}", arg=arg)
    return int(value) if isinstance(value, bool) else value


def _bounds(name: str, start: Any, end: Any, step: Any) -> tuple[Any, Any, Any]:
    """What an arithmetic sequence goes by, as Python's numbers."""
    start, end, step = (_number(name, v, a) for v, a in ((start, "start"), (end, "end"), (step, "step")))
    if step == 0:
        raise OpValueError(f"{name}: `step` must not be zero", arg="step")
    if not all(map(math.isfinite, (start, end, step))):
        raise OpValueError(f"{name} needs finite numbers, but got {start}, {end}, {step}", arg="end")
    return start, end, step


def _count(start: Any, end: Any, step: Any) -> int:
    """How many numbers it has."""
    whole = all(isinstance(v, int) for v in (start, end, step))
    return max(-((start - end) // step) if whole else math.ceil((end - start) / step), 0)


@arange.normalize
def _(*, start, end, step, dtype):
    if end is None:
        start, end = 0, start
    start, end, step = _bounds("arange", start, end, step)
    whole = all(isinstance(v, int) for v in (start, end, step))
    return {"start": start, "end": end, "step": step, "dtype": as_dtype(dtype or (int64 if whole else float32))}


@arange.infer
def _(*, start, end, step, dtype):
    return TensorType(dtype, (_count(start, end, step),))


@arange.kernel
def _(p: Planner, out: Buffer, *, start, end, step, dtype):
    plan_ramp(p, out, start, step)


@composite
def range(start, end, step=1, maxlen=1000000) -> Tensor:
    """Numbers at equal distances, as `arange`.

    Args:
        start, end, step: numbers, or tensors of one element.
        maxlen: the most elements there may be.
    Raises:
        OpTypeError: an argument is no number.
        OpValueError: there would be more than `maxlen`, `step` is zero, or a bound is not finite.
    Example:
        >>> range(0, 6, 2).tolist()
        [0, 2, 4]
    """
    start, end, step = _bounds("range", start, end, step)
    count = _count(start, end, step)
    if count > integer("range", maxlen, "maxlen"):
        raise OpValueError(f"range: {count} elements are more than `maxlen`, {maxlen}", arg="maxlen")
    return arange(start, end, step)


@composite
def make_range(*args) -> tuple[int, ...]:
    """Python's `range` as a tuple: `make_range(end)`, `make_range(start, end)`, `make_range(start, end, step)`.

    Raises:
        OpTypeError: a number is no integer.   OpValueError: the step is zero.
    Example:
        >>> make_range(0, 6, 2)
        (0, 2, 4)
    """
    numbers = integers("make_range", args, "args")
    if not 1 <= len(numbers) <= 3 or numbers[2:] == (0,):
        raise OpValueError(f"make_range takes one to three integers, the last not zero, but got {numbers}", arg="args")
    return tuple(builtins.range(*numbers))


@op
def linspace(start: Tensor, end: Tensor, steps):
    """`steps` numbers at equal distances, from `start` to `end`, both included.

    Args:
        start, end: numbers, or tensors of one element.
        steps: how many; at least one.
    Returns:
        1-d tensor: float64 if a bound is, else float32. Element i is start + (end - start) · i / (steps - 1), formed in
        float64 and rounded once; a single element is `start`.
    Raises:
        OpTypeError: `steps` is no integer.
        OpValueError: `steps` is not positive, or a bound has several elements.
    Gradient:
        the sum of g · (1 - t) to `start` and of g · t to `end`, where t goes from 0 to 1.
    Example:
        >>> linspace(0, 1, 5).tolist()
        [0.0, 0.25, 0.5, 0.75, 1.0]
    """


@linspace.normalize
def _(start, end, *, steps):
    steps = integer("linspace", steps, "steps")
    if steps < 1:
        raise OpValueError(f"linspace: `steps` must be positive, but got {steps}", arg="steps")
    return {"steps": steps}


def _linspace_type(start: Any, end: Any) -> DType:
    return float64 if float64 in (start.dtype, end.dtype) else float32


@linspace.infer
def _(start, end, *, steps):
    for name, bound in (("start", start), ("end", end)):
        if bound.size != 1:
            raise OpValueError(f"linspace needs one element for `{name}`, but got {bound!r}", arg=name)
    return TensorType(_linspace_type(start, end), (steps,))


@linspace.scalars
def _(start, end, *, steps):
    return float64


def _between(start: Value, end: Value, t: Value) -> Value:
    """start (1 - t) + end t, exact at both ends."""
    inside = bodies.fma(end - start, t, start)
    return bodies.select(t == 1.0, end, bodies.select(t == 0.0, start, inside))


@linspace.kernel
def _(p: Planner, start: Buffer, end: Buffer, out: Buffer, *, steps):
    t = p.workspace(float64, steps)
    plan_ramp(p, t, 0.0, 1.0, max(steps - 1, 1))
    bounds = [(b.reshaped() if b.ndim else b, "f64") for b in (start, end)]
    plan_elementwise(p, _between, [*bounds, (t, "f64")], [(out, "f64")])


@linspace.vjp("start", "end")
def _(start_type, end_type, *, steps, g):
    t = linspace(0, 1, steps)
    return (g * (1 - t)).sum().reshape(start_type.shape), (g * t).sum().reshape(end_type.shape)


def logspace(start, end, steps, base=10, *, dtype=float32) -> Tensor:
    """base ** t for `steps` numbers t at equal distances from `start` to `end`, both included.

    Args:
        start, end: numbers, or tensors of one element.
        steps: how many; at least one.
        base: a number.
        dtype: the element type.
    Example:
        >>> logspace(0, 2, 3).tolist()
        [1.0, 10.0, 100.0]
    """
    exponents = linspace(start, end, steps).astype(float64)
    return (full((), base, float64) ** exponents).astype(dtype)


# -- grids ------------------------------------------------------------------------------------------------------------


@op
def eye(n, m=None, dtype=None):
    """Ones on the diagonal, zeros elsewhere.

    Args:
        n: rows.
        m: columns; `n` when not given.
        dtype: the element type; float32 when not given.
    Raises:
        OpValueError: a length is negative.
    Example:
        >>> eye(2).tolist()
        [[1.0, 0.0], [0.0, 1.0]]
    """


@eye.normalize
def _(*, n, m, dtype):
    n, m = lengths("eye", (n, n if m is None else m), "n")
    return {"n": n, "m": m, "dtype": as_dtype(dtype or float32)}


@eye.infer
def _(*, n, m, dtype):
    return TensorType(dtype, (n, m))


@eye.kernel
def _(p: Planner, out: Buffer, *, n, m, dtype):
    plan_fill(p, out, 0)
    size = out.dtype.itemsize
    plan_ramp(p, Buffer(out.index, out.dtype, (min(n, m),), ((m + 1) * size,), out.offset), 1, 0)


@composite
def meshgrid(*inputs: Tensor, indexing: str = "xy") -> tuple[Tensor, ...]:
    """Coordinates of a grid, one tensor for each axis.

    Args:
        inputs: the coordinates along each axis: 1-d tensors of lengths n1, n2, …, or 0-d ones; or one sequence of them.
        indexing: "ij": all results have the shape (n1, n2, …); "xy": the first two axes are exchanged.
    Returns:
        tensors that repeat their coordinates along the other axes; they are views and cannot be written to.
    Raises:
        OpValueError: `indexing` is neither, or an input has more than one axis.
    Example:
        >>> x, y = meshgrid(Tensor([1, 2, 3]), Tensor([4, 5]))
        >>> x.tolist(), y.tolist()
        ([[1, 2, 3], [1, 2, 3]], [[4, 4, 4], [5, 5, 5]])
    """
    if len(inputs) == 1 and isinstance(inputs[0], (tuple, list)):
        inputs = tuple(inputs[0])
    if indexing not in ("xy", "ij"):
        raise OpValueError(f'meshgrid: `indexing` must be "xy" or "ij", but got {indexing!r}', arg="indexing")
    inputs = tuple(x if isinstance(x, Tensor) else Tensor(x) for x in inputs)
    for x in inputs:
        if x.ndim > 1:
            raise OpValueError(f"meshgrid needs tensors of one axis, but got {x.shape}", arg="inputs")
    count = len(inputs)
    axes = list(builtins.range(count))
    if indexing == "xy" and count > 1:
        axes[:2] = 1, 0
    shape = [1] * count
    for x, axis in zip(inputs, axes):
        shape[axis] = x.size
    results = []
    for x, axis in zip(inputs, axes):
        own = [1] * count
        own[axis] = x.size
        results.append(x.reshape(tuple(own)).broadcast_to(tuple(shape)))
    return tuple(results)


# -- one-hot ----------------------------------------------------------------------------------------------------------


@op
def _one_hot(indices: Tensor, on_value: Tensor, off_value: Tensor, depth, axis):
    """See `one_hot`."""


@_one_hot.normalize
def _(indices, on_value, off_value, *, depth, axis):
    [depth] = lengths("one_hot", depth, "depth")
    return {"depth": depth, "axis": normalize_axis("one_hot", axis, indices.ndim + 1)}


@_one_hot.infer
def _(indices, on_value, off_value, *, depth, axis):
    if not indices.dtype.is_integer:
        raise OpTypeError(f"one_hot needs integers for `indices`, but got {indices!r}", arg="indices")
    for name, value in (("on_value", on_value), ("off_value", off_value)):
        if value.size != 1:
            raise OpValueError(f"one_hot needs one element for `{name}`, but got {value!r}", arg=name)
    if on_value.dtype is not off_value.dtype:
        raise OpTypeError(
            f"one_hot: `on_value` is {on_value!r}, but `off_value` is {off_value!r}: their types must be equal",
            arg="off_value",
        )
    return TensorType(on_value.dtype, (*indices.shape[:axis], depth, *indices.shape[axis:]))


@_one_hot.scalars
def _(indices, on_value, off_value, *, depth, axis):
    return on_value.dtype


def _is_hot(index: Value, number: Value, on: Value, off: Value) -> Value:
    return bodies.select(index == number, on, off)


@_one_hot.kernel
def _(p: Planner, indices: Buffer, on_value: Buffer, off_value: Buffer, out: Buffer, *, depth, axis):
    numbers = p.workspace(int64, depth)
    plan_ramp(p, numbers, 0, 1)
    shape, strides = list(indices.shape), list(indices.strides)
    shape.insert(axis, 1)
    strides.insert(axis, 0)
    spread = Buffer(indices.index, indices.dtype, tuple(shape), tuple(strides), indices.offset)
    column = numbers.reshaped(depth, *[1] * (indices.ndim - axis))
    elem = compute_elem(out.code)
    values = [(v.reshaped() if v.ndim else v, elem) for v in (on_value, off_value)]
    plan_elementwise(p, _is_hot, [(spread, "i64"), (column, "i64"), *values], [(out, elem)])


@_one_hot.batch
def _(batched, indices, on_value, off_value, *, depth, axis):
    return NotImplemented if batched[1] or batched[2] else _one_hot(indices, on_value, off_value, depth, axis + 1)


@composite
def one_hot(indices: Tensor, depth, on_value=1, off_value=0, axis=-1) -> Tensor:
    """Vectors in which one element, that of an index, has another value than all others.

    Args:
        indices: integer tensor of any shape.
        depth: the length of the vectors.
        on_value, off_value: numbers, or tensors of one element and one type, for the element of the index and the others.
        axis: where in the result the new axis stands; -1 is last.
    Returns:
        tensor of the shape of `indices` with the axis added, of the type of the values (int64 for Python ints, float32
        for floats). A vector whose index is not in [0, depth) holds `off_value` only.
    Raises:
        OpTypeError: `indices` are no integers, or the values have different types.
        OpValueError: `depth` is negative or `axis` out of range.
    Example:
        >>> one_hot(Tensor([0, 2]), 3).tolist()
        [[1, 0, 0], [0, 0, 1]]
    """
    are_numbers = not isinstance(on_value, Tensor) and not isinstance(off_value, Tensor)
    if are_numbers and on_value.__class__ is not off_value.__class__:
        on_value, off_value = float(on_value), float(off_value)
    if not isinstance(on_value, Tensor) and isinstance(off_value, Tensor):
        on_value = Tensor(on_value, off_value.dtype)
    elif isinstance(on_value, Tensor) and not isinstance(off_value, Tensor):
        off_value = Tensor(off_value, on_value.dtype)
    return _one_hot(indices, on_value, off_value, depth, axis)


@composite
def sequence_mask(lengths: Tensor, maxlen=None) -> Tensor:
    """Masks that are true for as many elements as lengths say.

    Args:
        lengths: integer tensor of any shape.
        maxlen: the length of the masks; the largest of the lengths when not given.
    Returns:
        bool tensor of shape lengths.shape + (maxlen,).
    Raises:
        OpTypeError: the lengths are no integers.
        OpValueError: `maxlen` is negative, or missing and there are no lengths.
    Example:
        >>> sequence_mask(Tensor([1, 3])).tolist()
        [[True, False, False], [True, True, True]]
    """
    if not lengths.dtype.is_integer:
        raise OpTypeError(f"sequence_mask needs integers for `lengths`, but got {lengths.dtype}", arg="lengths")
    if maxlen is None:
        if not lengths.size:
            raise OpValueError("sequence_mask needs `maxlen` where there are no lengths", arg="maxlen")
        maxlen = max(int(lengths.max()), 0)
    count = integer("sequence_mask", maxlen, "maxlen")
    if count < 0:
        raise OpValueError(f"sequence_mask: `maxlen` must not be negative, but got {count}", arg="maxlen")
    return arange(count) < lengths.reshape((*lengths.shape, 1))
