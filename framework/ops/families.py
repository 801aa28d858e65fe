"""Makers of operators that come in families: what the members share is written once.

@elementwise(bodies.exp, takes="f", lift=True)
def exp(input: Tensor):
    "documentation"
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anfora.core import slots
from anfora.core.abstract import TensorType
from anfora.core.dtype import DType, bool_, float32
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.op import Op, Weak, common_dtype, op, registry
from anfora.kernel.loops import plan_elementwise
from anfora.kernel.memory import compute_elem
from anfora.kernel.plan import Buffer, Planner

__all__ = [
    "ByAttributes", "OpWithNumbers", "broadcast_shapes", "elementwise", "like", "normalize_axes", "normalize_axis",
    "place_of_fault", "type_of", "with_absent",
]  # fmt: skip

Body = Callable

_KINDS = {"f": "floating point", "i": "signed integers", "u": "unsigned integers", "b": "bool"}


@dataclass(frozen=True)
class ByAttributes:
    """The body of an operator that has attributes: `choose(kind, **attributes)` gives it, for the kind `b`, `i`, `u` or
    `f` of the elements. The same attributes must give the same function object, by which kernels are found again."""

    choose: Callable[..., Body]


class OpWithNumbers(Op):
    """An operator whose last tensor arguments are numbers when they are not given: `leaky_relu(input, alpha=0.2)`.

    Such a number is an operand, not an attribute: another value needs no other kernel. It is passed in the type in
    which the kernel computes, so that 0.2 is not rounded to float16 first.
    """

    def __init__(self, function: Callable) -> None:
        super().__init__(function)
        defaults = {name: self.signature.parameters[name].default for name in self.tensors}
        self.numbers = {name: value for name, value in defaults.items() if isinstance(value, (int, float))}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return slots.dispatch(self, *self._filled(args, kwargs))

    def bind(self, args: tuple, kwargs: dict) -> tuple[list, dict]:
        return super().bind(*self._filled(args, kwargs))

    def _filled(self, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
        """The arguments of a call with all tensors by position, where nothing is missing."""
        missing = self.tensors[len(args) :]
        if not missing:
            return args, kwargs
        rest = dict(kwargs)
        values = [rest.pop(name, self.numbers.get(name, self)) for name in missing]
        return (args, kwargs) if self in values else ((*args, *values), rest)


def elementwise(
    body: Body | Mapping[str, Body] | ByAttributes,
    *,
    takes: str = "biuf",
    lift: bool | DType | Callable[..., bool] = False,
    result: str | None = None,
    cost: float = 0.15,
    same: tuple[str, ...] | None = None,
    libm: bool = False,
) -> Callable[[Callable], Op]:
    """Make an operator that applies a scalar body to each element, with broadcasting and promotion.

    Args:
        body: the body, or one for each kind of element type, `{"f": …, "iu": …}`, or what attributes choose.
        takes: kinds that it accepts, of `b`, `i`, `u`, `f`.
        lift: integers and bools are computed as float32, or as this type; or a function of the attributes that says so.
        result: `"bool"` for predicates; else the result has the promoted type.
        cost: nanoseconds an element, about.
        same: the arguments that are promoted together; all when not given. Others keep their types (a mask, say).
        libm: in float64 the body calls the C library for each element.
    """

    def make(function: Callable) -> Op:
        made = op(function)
        if any(isinstance(made.signature.parameters[name].default, (int, float)) for name in made.tensors):
            made = registry[made.name] = OpWithNumbers(function)
        bodies = {kind: b for kinds, b in body.items() for kind in kinds} if isinstance(body, Mapping) else None

        def compute_type(abstracts: tuple, attributes: dict) -> DType:
            chosen = [a for a, name in zip(abstracts, made.tensors) if same is None or name in same]
            dtype = common_dtype(*chosen)
            if not dtype.is_float and (lift(**attributes) if callable(lift) else lift):
                return lift if isinstance(lift, DType) else float32
            if dtype.kind not in takes:
                _refuse(made, abstracts, takes, same)
            return dtype

        @made.infer
        def infer(*abstracts: Any, **attributes: Any) -> TensorType:
            dtype = compute_type(abstracts, attributes)
            shape = broadcast_shapes(made, abstracts)
            return TensorType(bool_ if result == "bool" else dtype, shape)

        @made.scalars
        def scalars(*abstracts: Any, **attributes: Any) -> DType:
            dtype = compute_type(abstracts, attributes)
            return float32 if isinstance(made, OpWithNumbers) and dtype.is_float and dtype.bits == 16 else dtype

        @made.kernel
        def kernel(p: Planner, *operands: Buffer | None, **attributes: Any) -> None:
            inputs, out = operands[:-1], operands[-1]
            assert out is not None
            dtype = compute_type(inputs, attributes)
            if isinstance(body, ByAttributes):
                chosen = body.choose(dtype.kind, **attributes)
            else:
                chosen = bodies[dtype.kind] if bodies is not None else body
            if None in inputs:
                chosen = with_absent(chosen, tuple(x is not None for x in inputs))
            typed = [
                (x, compute_elem(dtype.code if same is None or name in same else x.code))
                for x, name in zip(inputs, made.tensors)
                if x is not None
            ]
            price = cost if dtype.bits < 64 else 12.0 if libm else 2 * cost
            plan_elementwise(p, chosen, typed, [(out, compute_elem(out.code))], price)

        @made.batch
        def batch(axes: Sequence[int | None], *arguments: Any, **attributes: Any) -> tuple[Any, int]:
            return made(*_aligned(axes, arguments), **attributes), 0

        return made

    return make


@functools.cache
def with_absent(body: Body, present: tuple[bool, ...]) -> Body:
    """A body that gets None for the arguments that a call leaves out."""

    def adapted(*values: Any) -> Any:
        given = iter(values)
        return body(*(next(given) if here else None for here in present))

    return adapted


def _aligned(axes: Sequence[int | None], arguments: Sequence[Any]) -> list:
    """Arguments of which some have a batch axis, with it in front, and axes of length 1 where broadcasting needs them."""
    rank = max((x.ndim - (axis is not None) for x, axis in zip(arguments, axes) if hasattr(x, "ndim")), default=0)
    aligned = []
    for x, axis in zip(arguments, axes):
        if axis is not None:
            order = (axis, *(i for i in range(x.ndim) if i != axis))
            x = registry["transpose"](x, order) if axis else x
            x = registry["reshape"](x, (x.shape[0], *(1,) * (rank - x.ndim + 1), *x.shape[1:]))
        aligned.append(x)
    return aligned


def place_of_fault(position: int, *arguments: Any) -> tuple[int, ...]:
    """The index, in the broadcast result, of the element that a kernel refused; for `fault` rules."""
    shape = np.broadcast_shapes(*(np.shape(x) for x in arguments if x is not None))
    return tuple(map(int, np.unravel_index(position, shape)))


def _refuse(made: Op, abstracts: tuple, takes: str, same: tuple[str, ...] | None) -> None:
    """Raise the error for the first argument of a kind that is not taken."""
    accepted = " or ".join(_KINDS[kind] for kind in takes)
    for name, abstract in zip(made.tensors, abstracts):
        if abstract is not None and (same is None or name in same) and abstract.dtype.kind not in takes:
            helps = "convert it first, e.g. x.astype(float32)." if "f" in takes else None
            raise OpTypeError(f"{made.name} needs {accepted} for `{name}`, but got {abstract!r}", arg=name, help=helps)
    raise OpTypeError(f"{made.name} needs {accepted}, but the arguments promote to {common_dtype(*abstracts)}")


def broadcast_shapes(made: Op, abstracts: tuple) -> tuple[int, ...]:
    """The shape to which all arguments are stretched; axes are matched from the last to the first."""
    shape: tuple[int, ...] = ()
    for name, abstract in zip(made.tensors, abstracts):
        other = () if abstract is None else abstract.shape
        if other == shape:
            continue
        longer, shorter = (shape, other) if len(shape) >= len(other) else (other, shape)
        lead = len(longer) - len(shorter)
        merged = list(longer)
        for axis, length in enumerate(shorter, lead):
            if length != longer[axis]:
                if longer[axis] == 1:
                    merged[axis] = length
                elif length != 1:
                    tensors = [f"{n} {list(a.shape)}" for n, a in zip(made.tensors, abstracts) if a and a.shape]
                    raise OpValueError(
                        f"{made.name}: the shapes {' and '.join(tensors)} cannot be broadcast: "
                        f"{longer[axis]} != {length}",
                        arg=name,
                    )
        shape = tuple(merged)
    return shape


def like(*names: str) -> Callable:
    """An infer rule: the result has the type of the first argument."""

    def infer(first: Any, *rest: Any, **attributes: Any) -> TensorType:
        return first if isinstance(first, TensorType) else TensorType(first.dtype, ())

    return infer


# -- axes -------------------------------------------------------------------------------------------------------------


def normalize_axis(made: Op | str, axis: Any, ndim: int, name: str = "axis") -> int:
    """An axis counted from the front; negative ones count from the end. A 0-d tensor has the axes 0 and -1."""
    label = made if isinstance(made, str) else made.name
    if isinstance(axis, bool) or not hasattr(axis, "__index__"):
        raise OpTypeError(f"{label} needs an integer for `{name}`, but got {axis!r}", arg=name)
    axis = axis.__index__()
    limit = max(ndim, 1)
    if not -limit <= axis < limit:
        raise OpValueError(
            f"{label}: `{name}` must be in [{-limit}, {limit - 1}] for a tensor of {ndim} axes, but got {axis}",
            arg=name,
        )
    return axis % limit


def normalize_axes(made: Op | str, axes: Any, ndim: int, name: str = "axis") -> tuple[int, ...]:
    """Axes in increasing order; None and () mean all. Each may be named once."""
    if axes is None or (isinstance(axes, (tuple, list)) and not axes):
        return tuple(range(ndim))
    if not isinstance(axes, (tuple, list)):
        axes = (axes,)
    found = [normalize_axis(made, axis, ndim, name) for axis in axes]
    if len(set(found)) != len(found):
        label = made if isinstance(made, str) else made.name
        raise OpValueError(f"{label}: `{name}` names an axis twice: {tuple(axes)}", arg=name)
    return tuple(sorted(found)) if ndim else ()


def type_of(abstract: Any) -> TensorType:
    """The type of an argument; a Python number counts as a 0-d tensor."""
    return TensorType(abstract.dtype, ()) if isinstance(abstract, Weak) else abstract
