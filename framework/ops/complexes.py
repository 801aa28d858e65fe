"""Complex numbers: made of parts, and taken apart.

A complex tensor's real and imaginary parts are views of its memory. Operators take complex numbers in one of three ways:
element by element by a body of their own (`complex=` where they are defined, `kernel/complexes.py`); by moving elements
whatever these hold; or by a sentence in operators on the parts or on complex numbers, which is called in their place
(`complex_rules.py`). All others refuse them, in one text.

**Gradients** are those of PyTorch and MindSpore: with z = x + i y and a real result L the gradient by z is
dL/dx + i dL/dy, so a step against it goes downhill. Where an operator has a complex derivative d, the gradient is
g · conj(d); the tape conjugates there what the operator's rule gives (`eager/entry.py`). A complex result that is
differentiated without a gradient of its own counts as its real part.
"""

from __future__ import annotations

import builtins
from typing import Any

from anfora.core.abstract import Layout, TensorType
from anfora.core.dtype import complex64, complex128, float32, float64
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.op import Op, common_dtype, op
from anfora.core.tensor import Tensor
from anfora.kernel import complexes
from anfora.kernel.loops import plan_elementwise
from anfora.kernel.memory import compute_elem
from anfora.kernel.plan import Buffer, Planner
from anfora.ops.arithmetic import abs, mul
from anfora.ops.composite import composite
from anfora.ops.creation import ones, zeros_like
from anfora.ops.families import aligned, broadcast_shapes, by_element, elementwise, leading, linear, type_of
from anfora.ops.mathematics import cos, sin
from anfora.ops.reduction import quotient_or_zero

__all__ = ["complex", "conj", "imag", "is_complex", "polar", "real", "view_as_complex", "view_as_real"]


# -- parts ------------------------------------------------------------------------------------------------------------


def _part(which: int) -> Op:
    """The operator that gives a part of complex numbers, as a view."""

    def function(input: Tensor): ...

    function.__name__ = ("real_part", "imaginary_part")[which]
    function.__doc__ = f"The {('real', 'imaginary')[which]} part of complex numbers. A view."
    made = op(function)
    made.is_holomorphic = False

    @made.infer
    def infer(input: Any) -> TensorType:
        return TensorType(input.dtype.part, input.shape)

    @made.view
    def view(layout: Layout) -> tuple[Layout, int]:
        kind = TensorType(layout.dtype.part, layout.shape)
        return Layout(kind, layout.strides), which * kind.dtype.itemsize if kind.size else 0

    @made.vjp("input")
    def gradient(*, g: Tensor) -> Tensor:
        return joined(zeros_like(g), g) if which else joined(g, zeros_like(g))

    linear(made, "input")
    leading(made)
    return made


real_part, imaginary_part = _part(0), _part(1)


@op
def joined(real: Tensor, imag: Tensor):
    """real + i imag, element by element; the public form is `complex`."""


@joined.infer
def _(real, imag):
    dtype = common_dtype(real, imag)
    return TensorType(complex128 if dtype is float64 else complex64, broadcast_shapes(joined, (real, imag)))


@joined.scalars
def _(real, imag):
    return float64 if common_dtype(real, imag) is float64 else float32


@joined.kernel
def _(p: Planner, real: Buffer, imag: Buffer, out: Buffer):
    part = compute_elem(out.dtype.part.code)
    plan_elementwise(p, complexes.of_parts, [(real, part), (imag, part)], [(out, out.code)])


@joined.vjp("real")
def _(*, g):
    return real_part(g)


@joined.vjp("imag")
def _(*, g):
    return imaginary_part(g)


linear(joined, ("real", "imag"))


@joined.batch
def _(batched, real, imag):
    return joined(*aligned(batched, (real, imag)))


@elementwise(complexes.conj, takes="", complex=complexes.conj)
def conjugate(input: Tensor):
    """The complex conjugate of complex numbers."""


conjugate.is_holomorphic = False


@conjugate.vjp("input")
def _(*, g):
    return conjugate(g)


linear(conjugate, "input")


@elementwise(complexes.angle, takes="", complex=complexes.angle, result="part", cost=1.0)
def argument(input: Tensor):
    """The angles of complex numbers, from -pi to pi."""


@argument.vjp("input")
def _(input, *, g):
    size = abs(input)
    turned = joined(-imaginary_part(input), real_part(input))
    return mul(turned, quotient_or_zero(quotient_or_zero(g, size), size))


@elementwise(complexes.sign, takes="", complex=complexes.sign, cost=1.0)
def direction(input: Tensor):
    """z / |z| of complex numbers, 0 at 0."""


direction.is_holomorphic = False


def _across(step: Tensor, input: Tensor, out: Tensor) -> Tensor:
    """How the direction turns when the number takes a step; this map is its own adjoint."""
    size = abs(input)
    along = real_part(conjugate(out) * step)
    return mul(step - out * along, quotient_or_zero(ones(size.shape, size.dtype), size))


@direction.vjp("input")
def _(input, out, *, g):
    return _across(g, input, out)


@direction.jvp
def _(t_input, input, out):
    return _across(t_input, input, out)


def _real_valued(made: Op) -> None:
    """Set the rules of an operator that gives a real number for a complex one: by those of its gradient."""
    made.is_holomorphic = False
    gradient = made.gradients["input"]

    def tangent(values: Any) -> Any:
        if not values["input_type"].dtype.is_complex:
            return by_element(made, values)
        kind = values["out_type"]
        steepest = gradient.rule(**{want: values[want] for want in gradient.wants}, g=ones(kind.shape, kind.dtype))
        return real_part(conjugate(steepest) * values["t_input"])

    made.jvp_rule = tangent


_real_valued(abs)
_real_valued(argument)


def has_parts(x: Any) -> bool:
    """Whether something is a complex tensor."""
    return isinstance(x, Tensor) and x.dtype.is_complex


def _tensor(name: str, x: Any, arg: str = "input") -> None:
    if not isinstance(x, Tensor):
        raise OpTypeError(f"{name} needs a tensor for `{arg}`, but got {x!r}", arg=arg)


@composite
def real(input: Tensor) -> Tensor:
    """The real part. Of a complex tensor a view: what is written to it is written to the tensor.

    Args:
        input: tensor of any shape and type.
    Returns:
        tensor of the shape of `input`; the input itself if it is real.
    Gradient:
        g, as a complex number.
    Example:
        >>> real(Tensor([1 + 2j, 3j])).tolist()
        [1.0, 0.0]
    """
    _tensor("real", input)
    return real_part(input) if input.dtype.is_complex else input


@composite
def imag(input: Tensor) -> Tensor:
    """The imaginary part. Of a complex tensor a view; of a real one zeros.

    Args:
        input: tensor of any shape and type.
    Returns:
        tensor of the shape of `input`.
    Gradient:
        i g.
    Example:
        >>> imag(Tensor([1 + 2j, 3j])).tolist()
        [2.0, 3.0]
    """
    _tensor("imag", input)
    return imaginary_part(input) if input.dtype.is_complex else zeros_like(input)


@composite
def conj(input: Tensor) -> Tensor:
    """The complex conjugate, element by element.

    Args:
        input: tensor of any shape and type.
    Returns:
        tensor of the shape and type of `input`; the input itself if it is real.
    Gradient:
        conj(g).
    Example:
        >>> conj(Tensor([1 + 2j])).tolist()
        [(1-2j)]
    """
    _tensor("conj", input)
    return conjugate(input) if input.dtype.is_complex else input


@composite
def complex(real: Tensor, imag: Tensor) -> Tensor:
    """real + i imag, element by element.

    Args:
        real, imag: real tensors or numbers whose shapes broadcast.
    Returns:
        complex128 tensor of the broadcast shape if either is float64, else complex64.
    Raises:
        OpTypeError: a part is complex.
        OpValueError: the shapes cannot be broadcast.
    Gradient:
        the real and the imaginary part of g.
    Example:
        >>> complex(Tensor([1., 2.]), Tensor([0., -1.])).tolist()
        [(1+0j), (2-1j)]
    """
    _refuse_complex("complex", real=real, imag=imag)
    return joined(real, imag)


def _refuse_complex(function: str, /, **given: Any) -> None:
    for name, x in given.items():
        if isinstance(x, builtins.complex) or has_parts(x):
            raise OpTypeError(f"{function} needs real numbers for `{name}`, but got {x!r:.60}", arg=name)


@composite
def polar(abs: Tensor, angle: Tensor) -> Tensor:
    """The complex numbers of these sizes and angles: abs · (cos angle + i sin angle).

    Args:
        abs, angle: real tensors whose shapes broadcast.
    Returns:
        complex tensor; see `complex`.
    Raises:
        OpTypeError: an argument is complex.
    Gradient:
        to `abs` the part of g along the number, to `angle` that across it times `abs`.
    Example:
        >>> polar(Tensor([2.]), Tensor([0.])).tolist()
        [(2+0j)]
    """
    _refuse_complex("polar", abs=abs, angle=angle)
    return joined(mul(cos(angle), abs), mul(sin(angle), abs))


@composite
def is_complex(input: Tensor) -> bool:
    """Whether the element type is complex.

    Example:
        >>> is_complex(Tensor([1j]))
        True
    """
    _tensor("is_complex", input)
    return input.dtype.is_complex


# -- as real tensors --------------------------------------------------------------------------------------------------


@op
def view_as_real(input: Tensor):
    """Complex numbers as real ones, the parts along a new last axis. A view.

    Args:
        input: complex tensor.
    Returns:
        real tensor (…, 2).
    Raises:
        OpTypeError: the tensor is not complex.
    Gradient:
        g as complex numbers.
    Example:
        >>> view_as_real(Tensor([1 + 2j])).tolist()
        [[1.0, 2.0]]
    """


view_as_real.is_holomorphic = False


@view_as_real.infer
def _(input):
    if not input.dtype.is_complex:
        raise OpTypeError(f"view_as_real needs a complex tensor, but got {type_of(input)!r}", arg="input")
    return TensorType(input.dtype.part, (*input.shape, 2))


@view_as_real.view
def _(layout):
    kind = TensorType(layout.dtype.part, (*layout.shape, 2))
    return Layout(kind, (*layout.strides, kind.dtype.itemsize)), 0


@view_as_real.vjp("input")
def _(*, g):
    return view_as_complex(g)


linear(view_as_real, "input")
leading(view_as_real)


@op
def view_as_complex(input: Tensor):
    """Pairs of real numbers along the last axis as complex ones. A view where the parts of each lie side by side.

    Args:
        input: float32 or float64 tensor (…, 2).
    Returns:
        complex tensor.
    Raises:
        OpTypeError: the tensor has another type.   OpValueError: the last axis has another length.
    Gradient:
        g as real numbers.
    Example:
        >>> view_as_complex(Tensor([[1., 2.]])).tolist()
        [(1+2j)]
    """


_WHOLES = {float32: complex64, float64: complex128}


@view_as_complex.infer
def _(input):
    if input.dtype not in _WHOLES:
        raise OpTypeError(f"view_as_complex needs a float32 or float64 tensor, but got {type_of(input)!r}", arg="input")
    if not input.ndim or input.shape[-1] != 2:
        raise OpValueError(f"view_as_complex needs a last axis of length 2, but got {type_of(input)!r}", arg="input")
    return TensorType(_WHOLES[input.dtype], input.shape[:-1])


@view_as_complex.view
def _(layout):
    kind = TensorType(_WHOLES[layout.dtype], layout.shape[:-1])
    return (Layout(kind, layout.strides[:-1]), 0) if layout.strides[-1] == layout.dtype.itemsize else None


@view_as_complex.kernel
def _(p: Planner, input: Buffer, out: Buffer):
    parts = [
        Buffer(input.index, input.dtype, out.shape, input.strides[:-1], input.offset + i * input.strides[-1])
        for i in (0, 1)
    ]
    plan_elementwise(p, complexes.of_parts, [(part, input.code) for part in parts], [(out, out.code)])


@view_as_complex.vjp("input")
def _(*, g):
    return view_as_real(g)


linear(view_as_complex, "input")
leading(view_as_complex)
