"""Copies and conversions, writes into memory, and how views are put back into what they are views of."""

from __future__ import annotations

from typing import Any

from anfora.core.abstract import Layout, TensorType
from anfora.core.dtype import DType, as_dtype
from anfora.core.errors import OpValueError, lost_parts
from anfora.core.op import op, pass_gradient, registry
from anfora.core.tensor import Tensor, Tensors
from anfora.kernel.emit import Value
from anfora.kernel.loops import plan_copy, plan_elementwise, plan_fill
from anfora.kernel.memory import compute_elem
from anfora.kernel.plan import Buffer, Planner
from anfora.ops import layouts
from anfora.ops.creation import lengths, zeros_of
from anfora.ops.families import broadcast_shapes, leading, like, linear

__all__ = ["alias", "assemble", "cast", "copy", "copy_to", "identity", "place", "stop_gradient", "write_back"]


# -- copies and conversions -------------------------------------------------------------------------------------------


@op
def copy(input: Tensor):
    """A copy in memory of its own, contiguous.

    Gradient:
        g.
    Example:
        >>> copy(Tensor([1, 2])).tolist()
        [1, 2]
    """


copy.infer(like())


@copy.kernel
def _(p: Planner, input: Buffer, out: Buffer):
    plan_copy(p, input, out)


copy.vjp("input")(pass_gradient)


linear(copy, "input")
leading(copy)


@op
def copy_to(input: Tensor, value: Tensor):
    """Write `value`, broadcast and converted, into the memory of `input`; gives `input`.

    Raises:
        OpTypeError: the value is complex, and the input is neither that nor bool.
        OpValueError: the value cannot be broadcast to the shape of the input.
    Gradient:
        g to `value`, summed over stretched axes; none to the old values of `input`.
    Example:
        >>> x = Tensor([1, 2])
        >>> copy_to(x, 7) is x, x.tolist()
        (True, [7, 7])
    """


copy_to.writes = "input"


@copy_to.infer
def _(input, value):
    if broadcast_shapes(copy_to, (input, value)) != input.shape:
        raise OpValueError(f"a value of shape {list(value.shape)} does not fit into {input!r}", arg="value")
    return input


@copy_to.scalars
def _(input, value):
    return input.dtype


@copy_to.kernel
def _(p: Planner, input: Buffer, value: Buffer, out: Buffer):
    plan_copy(p, value, out)


copy_to.vjp("value")(pass_gradient)


@copy_to.jvp
def _(t_value, out_type):
    return registry["broadcast_to"](t_value, out_type.shape)


@op
def cast(input: Tensor, dtype):
    """The values in another element type.

    Floating point is rounded to nearest even, floats become integers by cutting off the fraction, and numbers that do
    not fit wrap as numpy's `astype` does on this machine. Complex numbers become real ones with a warning: the real parts.

    Args:
        input: tensor or number.
        dtype: the element type.
    Returns:
        tensor of the shape of `input`, in memory of its own.
    Raises:
        OpTypeError: `dtype` is no element type.
    Gradient:
        g, converted back; the gradient of an integer tensor stays floating where it is.
    Example:
        >>> cast(Tensor([1.7, -1.7]), int32).tolist()
        [1, -1]
    """


@cast.normalize
def _(input, *, dtype):
    return {"dtype": as_dtype(dtype)}


@cast.infer
def _(input, *, dtype: DType):
    return TensorType(dtype, input.shape)


@cast.kernel
def _(p: Planner, input: Buffer, out: Buffer, *, dtype):
    plan_copy(p, input, out)


cast.vjp("input")(pass_gradient)


@cast.jvp
def _(t_input):
    return t_input  # the tape converts it


leading(cast)


def converted(value: Tensor, dtype: DType) -> Tensor:
    """A value in the type of what it is about to become a part of: unlike `cast`, for which a program asks, it keeps
    imaginary parts, or refuses."""
    if value.dtype.is_complex and not (dtype.is_complex or dtype.is_bool):
        raise lost_parts(dtype, None, value.dtype.name)
    return value if value.dtype is dtype else cast(value, dtype)


@op
def recode(input: Tensor, dtype):
    """The values in another element type, where one of both types has eight bits; `cast` and `copy` call it.

    Args:
        input: tensor or number.
        dtype: the element type.
    Returns:
        tensor of the shape of `input`, in memory of its own. The nearest number of `dtype`: halfway between two the even
        one, for hifloat8 the larger one. What is too large is infinite, NaN for float8_e4m3fn, which has no infinity.
    Gradient:
        none.
    Source: hifloat8 by Luo et al., "Ascend HiFloat8 Format for Deep Learning", arXiv:2409.16626.
    Example:
        >>> recode(Tensor([1.1, -500.0]), "float8_e5m2")
        Tensor(shape=[2], dtype=Float8E5M2, value= [   1, -512])
    """


@recode.normalize
def _(input, *, dtype):
    return {"dtype": as_dtype(dtype)}


@recode.infer
def _(input, *, dtype: DType):
    return TensorType(dtype, input.shape)


@recode.python
def _(input, *, dtype):
    return input  # what comes is converted


leading(recode)
recode.eight_bits_rule = True
cast.eight_bits_rule = recode
copy.eight_bits_rule = lambda input: recode(input, input.dtype)


# -- the same memory --------------------------------------------------------------------------------------------------


@op
def alias(input: Tensor):
    """The same memory as another tensor with a history of its own. A view.

    Example:
        >>> x = Tensor([1., 2.])
        >>> y = alias(x)
        >>> y[0] = 5
        >>> x.tolist()
        [5.0, 2.0]
    """


alias.infer(like())


@alias.view
def _(layout):
    return layout, 0


alias.vjp("input")(pass_gradient)


linear(alias, "input")
leading(alias)


@op
def standing_for(input: Tensor, value: Tensor | None = None):
    """The same memory as `input`, which holds what `value` holds, if that is given, with the history of both. A view.

    It is what `assign_add` gives: of a Parameter, which is a leaf whatever is written to it, and of what was written.

    Raises:
        OpValueError: the two differ in shape or element type.
    Gradient:
        g to `input`, and g to `value`.
    Example:
        >>> x = Tensor([1., 2.])
        >>> y = standing_for(x, Tensor([1., 2.]))
        >>> x[0] = 5
        >>> y.tolist()
        [5.0, 2.0]
    """


@standing_for.infer
def _(input, value):
    if value is not None and value != input:
        raise OpValueError(f"standing_for: {value!r} cannot stand for {input!r}", arg="value")
    return input


@standing_for.view
def _(layout):
    return layout, 0


standing_for.vjp("input")(pass_gradient)
standing_for.vjp("value")(pass_gradient)


@standing_for.jvp
def _(t_input, t_value):
    if t_input is None or t_value is None:
        return t_value if t_input is None else t_input
    return t_input + t_value


leading(standing_for)


@op
def stop_gradient(value: Tensor):
    """The same values, through which no gradient flows. A view.

    Example:
        >>> grad(lambda x: x * stop_gradient(x))(Tensor(3.0)).item()
        3.0
    """


stop_gradient.infer(like())


@stop_gradient.view
def _(layout):
    return layout, 0


leading(stop_gradient)


def identity(x: Tensor) -> Tensor:
    """The tensor itself.

    Example:
        >>> identity(Tensor(1)).item()
        1
    """
    return x


# -- putting views back -----------------------------------------------------------------------------------------------


def _plan_write(p: Planner, value: Buffer, out: Buffer, path: tuple) -> None:
    """Write `value` into the part of the contiguous buffer `out` that lies behind a path of views."""
    plan_copy(p, value, _behind(out, path))


def _behind(out: Buffer, path: tuple) -> Buffer:
    """The part of a contiguous buffer that lies behind a path of views."""
    found = layouts.through(out.layout, path)
    assert found is not None
    layout, offset = found
    return Buffer(out.index, layout.dtype, layout.shape, layout.strides, out.offset + offset)


def _fits(name: str, value: TensorType, whole: TensorType, path: Any) -> None:
    """Refuse a value that has another shape than the view behind a path."""
    try:
        found = layouts.through(whole.contiguous, path)
    except (AssertionError, AttributeError, KeyError, TypeError, ValueError):
        found = None
    if found is None or not _is_inside(whole, *found):
        raise OpValueError(f"{name}: there is no view of {whole!r} behind {path!r:.80}", arg="path")
    if found[0].shape != value.shape:
        raise OpValueError(
            f"{name}: {value!r} does not fit the view behind `path`, which is {found[0].type!r}", arg="path"
        )


def _is_inside(whole: TensorType, layout: Layout, offset: int) -> bool:
    """Whether a view lies in what it is a view of: attributes of views are checked where they are called, and not here."""
    ends = [(length - 1) * step for length, step in zip(layout.shape, layout.strides)]
    first, last = (offset + sum(edge(0, end) for end in ends) for edge in (min, max))
    return not layout.size or (first >= 0 and last + whole.dtype.itemsize <= whole.size * whole.dtype.itemsize)


@op
def place(input: Tensor, shape, path):
    """Zeros of `shape` in which the view behind `path` holds the input.

    A path is a tuple of view operators, each with its attributes: `((name, ((attribute, value), …)), …)`.
    Raises:
        OpValueError: there is no view behind `path`, or it has another shape than the input.
    Example:
        >>> place(Tensor([7, 8]), (2, 2), (("index_view", (("items", (1,)),)),)).tolist()
        [[0, 0], [7, 8]]
    """


@place.infer
def _(input, *, shape, path):
    whole = TensorType(input.dtype, lengths("place", shape, "shape"))
    _fits("place", input, whole, path)
    return whole


@place.kernel
def _(p: Planner, input: Buffer, out: Buffer, *, shape, path):
    if input.size < out.size:
        plan_fill(p, out, 0)
    _plan_write(p, input, out, path)


@place.vjp("input")
def _(*, path, g):
    return _follow(g, path)


linear(place, "input")


@op
def assemble(parts: Tensors, shape, paths):
    """Zeros of `shape` to which each part is added, in the view behind its path. No two of these views meet, so each
    element is written once: a part's plus zero, which makes zero of -0.

    Raises:
        OpValueError: there is no view behind a path, or it has another shape than its part.
    Example:
        >>> rows = [(("index_view", (("items", (i,)),)),) for i in (2, 0)]
        >>> assemble((Tensor([5., 6.]), Tensor([7., 8.])), (3, 2), rows).tolist()
        [[7.0, 8.0], [0.0, 0.0], [5.0, 6.0]]
    """


@assemble.infer
def _(parts, *, shape, paths):
    whole = TensorType(parts[0].dtype, lengths("assemble", shape, "shape"))
    if not isinstance(paths, (tuple, list)) or len(paths) != len(parts):
        raise OpValueError(f"assemble needs a path for each of {len(parts)} parts, but got {paths!r:.80}", arg="paths")
    for part, path in zip(parts, paths):
        _fits("assemble", part, whole, path)
    return whole


@assemble.kernel
def _(p: Planner, parts: list[Buffer], out: Buffer, *, shape, paths):
    if sum(part.size for part in parts) < out.size:
        plan_fill(p, out, 0)
    elem = compute_elem(out.code)
    for part, path in zip(parts, paths):
        plan_elementwise(p, _plus_zero, [(part, elem)], [(_behind(out, path), elem)])


def _plus_zero(x: Value) -> Value:
    return x + 0


@assemble.vjp("parts")
def _(*, paths, g):
    return [_follow(g, path) for path in paths]


linear(assemble, "parts")


@op
def write_back(input: Tensor, value: Tensor, path):
    """The input with `value` in the view behind `path`: what an in-place write to a view makes of its base.

    Raises:
        OpValueError: there is no view behind `path`, or it has another shape than `value`.
    Example:
        >>> write_back(ones((2, 2)), Tensor([7., 8.]), (("index_view", (("items", (1,)),)),)).tolist()
        [[1.0, 1.0], [7.0, 8.0]]
    """


@write_back.infer
def _(input, value, *, path):
    _fits("write_back", value, input, path)
    return TensorType(input.dtype, input.shape)


@write_back.kernel
def _(p: Planner, input: Buffer, value: Buffer, out: Buffer, *, path):
    plan_copy(p, input, out)
    _plan_write(p, value, out, path)


@write_back.vjp("input")
def _(value_type, *, path, g):
    return write_back(g, zeros_of(value_type), path)


@write_back.vjp("value")
def _(*, path, g):
    return _follow(g, path)


linear(write_back, ("input", "value"))


def _follow(x: Tensor, path: tuple) -> Tensor:
    """The view of a tensor behind a path."""
    for name, attributes in path:
        x = registry[name](x, **dict(attributes))
    return x
