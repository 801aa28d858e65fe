"""Makers of operators that come in families: what the members share is written once.

@elementwise(bodies.exp, takes="f", lift=True)
def exp(input: Tensor):
    "documentation"
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anfora.core import slots
from anfora.core.abstract import TensorType
from anfora.core.dtype import DType, bool_, float32, float64, int64
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.op import Op, Weak, by_own_names, common_dtype, op, registry
from anfora.kernel.loops import plan_elementwise
from anfora.kernel.memory import compute_elem
from anfora.kernel.plan import Buffer, Planner

__all__ = [
    "ByAttributes", "OpWithNumbers", "affine", "aligned", "along", "broadcast_shapes", "by_element", "elementwise",
    "folded", "later", "leading", "like", "linear", "normalize_axes", "normalize_axis", "own_type", "place_of_fault",
    "spread", "type_of", "with_absent",
]  # fmt: skip

Body = Callable

_KINDS = {"f": "floating point", "i": "signed integers", "u": "unsigned integers", "b": "bool", "c": "complex"}


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
        defaults = {name: self.defaults.get(name) for name in self.tensors}
        self.numbers = {name: value for name, value in defaults.items() if isinstance(value, (int, float))}
        #: By how many tensors are given, the numbers that stand for the others.
        self._rest = {
            count: tuple(self.numbers[name] for name in self.tensors[count:])
            for count in range(len(self.tensors))
            if self.numbers.keys() >= set(self.tensors[count:])
        }

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return slots.dispatch(self, *self._filled(args, by_own_names(self, kwargs) if kwargs else kwargs))

    def bind(self, args: tuple, kwargs: dict) -> tuple[list, dict]:
        return super().bind(*self._filled(args, kwargs))

    def _filled(self, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
        """The arguments of a call with all tensors by position, where nothing is missing."""
        missing = self.tensors[len(args) :]
        if not missing:
            return args, kwargs
        if not kwargs and len(args) in self._rest:
            return (*args, *self._rest[len(args)]), kwargs
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
    pairs: bool = False,
    complex: Body | bool = False,
) -> Callable[[Callable], Op]:
    """Make an operator that applies a scalar body to each element, with broadcasting and promotion.

    Args:
        body: the body, or one for each kind of element type, `{"f": …, "iu": …}`, or what attributes choose.
        takes: kinds that it accepts, of `b`, `i`, `u`, `f`.
        lift: integers and bools are computed as float32, or as this type; or a function of the attributes that says so.
        result: `"bool"` for predicates, `"part"` for the type of the real part; else the result has the promoted type.
        cost: nanoseconds an element, about.
        same: the arguments that are promoted together; all when not given. Others keep their types (a mask, say).
        pairs: in float64 the body is long, since it computes with pairs of numbers (`kernel/double.py`).
        complex: the body for complex numbers (`kernel/complexes.py`), or True where the body serves them too.
    """

    def make(function: Callable) -> Op:
        made = op(function)
        if any(isinstance(made.defaults.get(name), (int, float)) for name in made.tensors):
            made = registry[made.name] = OpWithNumbers(function)
        bodies = {kind: b for kinds, b in body.items() for kind in kinds} if isinstance(body, Mapping) else None
        made.complex_rule = complex is not False or None

        def compute_type(abstracts: tuple, attributes: dict) -> DType:
            chosen = [a for a, name in zip(abstracts, made.tensors) if same is None or name in same]
            dtype = common_dtype(*chosen)
            if dtype.is_complex and complex is not False:
                return dtype
            if not dtype.is_float and (lift(**attributes) if callable(lift) else lift):
                return lift if isinstance(lift, DType) else float32
            if dtype.kind not in takes:
                _refuse(made, abstracts, takes, same)
            return dtype

        @made.infer
        def infer(*abstracts: Any, **attributes: Any) -> TensorType:
            dtype = compute_type(abstracts, attributes)
            shape = broadcast_shapes(made, abstracts)
            return TensorType(bool_ if result == "bool" else dtype.part if result == "part" else dtype, shape)

        @made.scalars
        def scalars(*abstracts: Any, **attributes: Any) -> DType | tuple[DType, ...]:
            dtype = compute_type(abstracts, attributes)
            if isinstance(made, OpWithNumbers) and dtype.is_float and dtype.bits == 16:
                dtype = float32
            if same is None:
                return dtype
            return tuple(dtype if name in same else own_type(a) for a, name in zip(abstracts, made.tensors))

        @made.kernel
        def kernel(p: Planner, *operands: Buffer | None, **attributes: Any) -> None:
            inputs, out = operands[:-1], operands[-1]
            assert out is not None
            dtype = compute_type(inputs, attributes)
            chosen: Body
            if dtype.is_complex:
                chosen = body if complex is True else complex
            elif isinstance(body, ByAttributes):
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
            price = cost if dtype.bits < 64 else 8.0 if pairs else 2 * cost
            plan_elementwise(p, chosen, typed, [(out, compute_elem(out.code))], price)

        @made.batch
        def batch(batched: Sequence[bool], *arguments: Any, **attributes: Any) -> Any:
            return made.call(aligned(batched, arguments), attributes)

        made.jvp_rule = functools.partial(by_element, made)
        return made

    return make


@functools.cache
def with_absent(body: Body, present: tuple[bool, ...]) -> Body:
    """A body that gets None for the arguments that a call leaves out."""

    def adapted(*values: Any) -> Any:
        given = iter(values)
        return body(*(next(given) if here else None for here in present))

    return adapted


def place_of_fault(position: int, *arguments: Any) -> tuple[int, ...]:
    """The index, in the broadcast result, of the element that a kernel refused; for `fault` rules."""
    shape = np.broadcast_shapes(*(np.shape(x) for x in arguments if x is not None))
    return tuple(map(int, np.unravel_index(position, shape)))


def own_type(abstract: Any) -> DType:
    """The element type in which an argument that meets no other is passed: a Python number keeps its value."""
    return _EXACT[abstract.python] if isinstance(abstract, Weak) else abstract.dtype


_EXACT = {bool: bool_, int: int64, float: float64}


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


# -- forward mode -----------------------------------------------------------------------------------------------------


def by_element(made: Op, values: Mapping[str, Any]) -> Any:
    """The `jvp` rule of an operator that works element by element, and may add the results up in the end: what multiplies
    a gradient there multiplies a tangent, so the gradient rules give it, without the sum over what was broadcast."""
    kinds = [values[f"{name}_type"] for name in made.tensors]
    shape = np.broadcast_shapes(*(kind.shape for kind in kinds if kind is not None))
    out = values["out_type"]
    total = None
    for name, gradient in made.gradients.items():
        tangent = values[f"t_{name}"]
        if tangent is None:
            continue
        if tangent.shape != shape:
            tangent = registry["broadcast_to"](tangent, shape)
        if tangent.dtype is not out.dtype:
            tangent = registry["cast"](tangent, out.dtype)
        found = gradient.rule(**{want: values[want] for want in gradient.wants}, g=tangent)
        if len(gradient.targets) > 1:
            found = found[gradient.targets.index(name)]
        if found is not None:
            total = found if total is None else total + found
    return total if total is None or shape == out.shape else registry["reduce_sum"](total)


def linear(made: Op, *groups: str | tuple[str, ...]) -> None:
    """Set the `jvp` rule of an operator that is linear in some arguments: it is the operator itself, on tangents.

    Args:
        made: the operator.
        groups: an argument in which it is linear while the others stand still, as each factor of a product; or a tuple
            of those in which it is linear together, as the summands of a sum.
    """
    together = [(group,) if isinstance(group, str) else group for group in groups]

    def rule(values: Mapping[str, Any]) -> Any:
        attributes = {name: values[name] for name in made.attributes}
        total = None
        for group in together:
            tangents = {name: _filled(values, name) for name in group}
            if all(tangent is None for tangent in tangents.values()):
                continue
            for name, tangent in tangents.items():
                if tangent is None and values[f"{name}_type"] is not None:
                    tangents[name] = _zeros(values[f"{name}_type"])
            moved = made.call([tangents[n] if n in group else values[n] for n in made.tensors], attributes)
            total = moved if total is None else total + moved
        return total

    made.jvp_rule = rule


def _filled(values: Mapping[str, Any], name: str) -> Any:
    """The tangent of an argument; in a sequence zeros for those that do not move."""
    tangent = values[f"t_{name}"]
    if not isinstance(tangent, list) or all(t is None for t in tangent):
        return None if isinstance(tangent, list) else tangent
    kinds = values[f"{name}_type"]
    return [_zeros(kind) if t is None else t for t, kind in zip(tangent, kinds)]


def _zeros(kind: TensorType) -> Any:
    return registry["full"](kind.shape, 0, dtype=kind.dtype)


def affine(made: Op, first: str, trailing: int) -> None:
    """Say of an operator that it is a product of `first` and `weight` to which a `bias` may be added, along the axis of the
    result that has `trailing` others behind it: sets its `jvp` rule, and what mixed precision asks."""

    def rule(values: Mapping[str, Any]) -> Any:
        attributes = {name: values[name] for name in made.attributes}
        moved = None
        bias = values["t_bias"]
        for name, other in ((first, "weight"), ("weight", first)):
            tangent = values[f"t_{name}"]
            if tangent is not None:
                given = {name: tangent, other: values[other], "bias": bias if moved is None else None}
                product = made.call([given[n] for n in made.tensors], attributes)
                moved = product if moved is None else moved + product
        if moved is not None:
            return moved
        return registry["broadcast_to"](
            registry["reshape"](bias, bias.shape + (1,) * trailing), values["out_type"].shape
        )

    made.jvp_rule = rule
    made.behind_bias = trailing


# -- batching ---------------------------------------------------------------------------------------------------------
#
# In a batching rule the axis of the examples is axis 0 of every argument that has one, and of the result. The caller gives
# the result its final shape, so a rule need not take apart again the axes that it put together (`eager/batched.py`).


def aligned(batched: Sequence[bool], arguments: Sequence[Any]) -> list:
    """Arguments that broadcast as their examples do: axes of length 1 stand between the batch axis and the shorter."""
    ranks = [x.ndim - b if hasattr(x, "ndim") else 0 for x, b in zip(arguments, batched)]
    found = []
    for x, is_batched, rank in zip(arguments, batched, ranks):
        if is_batched and rank < max(ranks):
            x = registry["reshape"](x, (x.shape[0], *(1,) * (max(ranks) - rank), *x.shape[1:]))
        found.append(x)
    return found


def spread(batched: Sequence[bool], arguments: Sequence[Any], count: int | None = None) -> list:
    """Arguments that all have the batch axis, of length `count`; repeated along it where they do not have it yet."""
    if count is None:
        count = next(x.shape[0] for x, is_batched in zip(arguments, batched) if is_batched)
    return [
        x if is_batched or x is None else registry["broadcast_to"](x, (count, *x.shape))
        for x, is_batched in zip(arguments, batched)
    ]


def leading(made: Op, count: int = 1) -> None:
    """Set the batching rule of an operator that leaves the first axes of its first `count` arguments alone, however many
    there are: it takes one more. The other arguments must be shared by all examples."""

    @made.batch
    def batch(batched: Sequence[bool], *arguments: Any, **attributes: Any) -> Any:
        if any(batched[count:]) or any(isinstance(x, (int, float)) for x in arguments[:count]):
            return NotImplemented
        first = spread(batched[:count], arguments[:count]) if count != 1 else arguments[:1]
        return made.call([*first, *arguments[len(first) :]], attributes)


def folded(made: Op, rank: int, count: int = 1) -> None:
    """Set the batching rule of an operator that treats each item along the first of `rank` axes of its first `count`
    arguments alike: the items of all examples become one axis. The other arguments must be shared by all examples."""

    @made.batch
    def batch(batched: Sequence[bool], *arguments: Any, **attributes: Any) -> Any:
        if any(batched[count:]):
            return NotImplemented
        first = [
            registry["reshape"](x, (-1 if x.size else x.shape[0] * x.shape[1], *x.shape[2:])) if x.ndim > rank else x
            for x in spread(batched[:count], arguments[:count])
        ]
        return made.call([*first, *arguments[count:]], attributes)


def along(made: Op, *names: str, count: int = 1) -> None:
    """Set the batching rule of an operator that works along axes, named by some attributes, of its first `count` arguments,
    which have one shape. None means all axes as one. The other arguments must be shared by all examples."""

    @made.batch
    def batch(batched: Sequence[bool], *arguments: Any, **attributes: Any) -> Any:
        if any(batched[count:]):
            return NotImplemented
        first = spread(batched[:count], arguments[:count])
        if first[0].ndim == 1:  # examples without axes have the axis 0 nevertheless
            first = [registry["reshape"](x, (*x.shape, 1)) for x in first]
            moved: dict[str, Any] = {name: (1,) if isinstance(attributes[name], tuple) else 1 for name in names}
        elif any(attributes[name] is None for name in names):
            first = [registry["reshape"](x, (x.shape[0], math.prod(x.shape[1:]))) for x in first]
            moved = dict.fromkeys(names, 1)
        else:
            moved = {name: later(attributes[name]) for name in names}
        return made.call([*first, *arguments[count:]], {**attributes, **moved})


def later(axes: Any) -> Any:
    """Axes of an example as axes of the batch."""
    return tuple(axis + 1 for axis in axes) if isinstance(axes, tuple) else axes + 1


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
