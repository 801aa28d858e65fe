"""Derivatives in given directions: `linearize`, of the first order, and `jet` and `derivative`, of any.

`linearize` runs the function once and carries any number of directions along what the tape has kept.

A function along a curve x(t) is a function of one number. Its derivatives by t are taken one after the other by `jvp`,
so their cost grows exponentially with the order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anfora.api import _pushed_forward, _results, jvp
from anfora.core.dtype import float32
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.tensor import Tensor
from anfora.core.tree import tensors, tree_map
from anfora.eager import transform

__all__ = ["derivative", "jet", "linearize"]


def linearize(fn: Callable, inputs: Any) -> tuple[Any, Callable]:
    """The value of `fn` at `inputs`, and the function from directions to its derivatives in them. `fn` is run once.

    Args:
        fn: a function or Cell.
        inputs: a tensor, or a tuple or list of tensors.
    Raises:
        OpTypeError: other inputs.
    Example:
        >>> value, along = linearize(lambda x: x * x, Tensor(3.0))
        >>> value.item(), along(Tensor(1.0)).item(), along(Tensor(2.0)).item()
        (9.0, 6.0, 12.0)
    """
    if not isinstance(inputs, (Tensor, tuple, list)):
        raise OpTypeError(f"linearize needs a tensor, or a tuple or list of tensors, but got {inputs!r}", arg="inputs")
    points = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    line = transform.linearize(fn, points, {}, tuple(range(len(points))), ())

    def push(*v: Any) -> Any:
        directions = tuple(v[0]) if len(v) == 1 and isinstance(v[0], (tuple, list)) else v
        return _pushed_forward(line, directions, False)[1]

    return _results(line, False)[0], push


def jet(fn: Callable, primals: Any, series: Any) -> tuple[Any, Any]:
    """The value of `fn` at a point, and its derivatives along a curve through it.

    Args:
        fn: a function or Cell, of tensors to a tensor or a tuple of them.
        primals: the point: a tensor, or a tuple of them; integers are converted to float32.
        series: the derivatives of the curve, of the form of `primals`: row i is derivative i + 1.
    Returns:
        the value, and the derivatives of the value, row i the derivative i + 1; lists of them where `fn` gives a tuple.
    Raises:
        OpValueError: the forms or shapes of point and derivatives do not fit.
    Example:
        >>> value, rows = jet(lambda x: x * x, Tensor(3.0), Tensor([1.0, 0.0]))
        >>> value.item(), rows.tolist()
        (9.0, [6.0, 2.0])
    """
    from anfora.ops import stack

    points = [_floating(p) for p in ((primals,) if isinstance(primals, Tensor) else primals)]
    curves = [_floating(s) for s in ((series,) if isinstance(series, Tensor) else series)]
    if len(points) != len(curves) or not points:
        raise OpValueError(f"jet got {len(points)} tensors for `primals`, but {len(curves)} for `series`", arg="series")
    for point, curve in zip(points, curves):
        if curve.ndim != point.ndim + 1 or curve.shape[1:] != point.shape or len(curve) != len(curves[0]):
            raise OpValueError(
                f"jet needs rows of shape {point.shape} in `series`, as many everywhere, but got {curve.shape}",
                arg="series",
            )

    def at(t: Tensor) -> Any:
        moved = []
        for point, curve in zip(points, curves):
            factor: Any = 1.0
            for i in range(len(curve)):
                factor = factor * t / (i + 1)
                point = point + curve[i] * factor
            moved.append(point)
        return fn(*moved)

    start, one = Tensor(0.0), Tensor(1.0)
    value = fn(*points)
    rows, step = [], at
    for _ in range(len(curves[0])):
        step = _along(step, one)
        rows.append(_parts(step(start)))
    found = [stack(row, 0) for row in zip(*rows)]
    if isinstance(value, tuple):
        return list(value), found
    return value, found[0]


def _parts(tree: Any) -> list[Tensor]:
    return list(tensors(tree))


def _along(function: Callable, direction: Tensor) -> Callable:
    return lambda t: jvp(function, t, direction)[1]


def derivative(fn: Callable, primals: Any, order: int) -> tuple[Any, Any]:
    """The value of `fn` at a point, and its derivative of some order in the direction of ones.

    Args:
        fn: a function or Cell, of tensors to a tensor or a tuple of them.
        primals: the point: a tensor, or a tuple of them; integers are converted to float32.
        order: at least 1.
    Raises:
        OpTypeError, OpValueError: `order` is no such number.
    Example:
        >>> value, third = derivative(lambda x: x ** 4, Tensor(2.0), 3)
        >>> value.item(), third.item()
        (16.0, 48.0)
    """
    if isinstance(order, bool) or not isinstance(order, int):
        raise OpTypeError(f"derivative needs an int for `order`, but got {order!r}", arg="order")
    if order < 1:
        raise OpValueError(f"derivative needs an `order` of at least 1, but got {order}", arg="order")

    value, rows = jet(fn, primals, _rays(primals, order))
    return value, [row[-1] for row in rows] if isinstance(rows, list) else rows[-1]


def _rays(points: Any, order: int) -> Any:
    """The derivatives of straight lines through points, in the direction of ones."""
    from anfora.ops import ones_like, stack, zeros_like

    def ray(point: Tensor) -> Tensor:
        point = _floating(point)
        return stack([ones_like(point), *(zeros_like(point) for _ in range(order - 1))], 0)

    return tree_map(ray, points)


def _floating(x: Any) -> Tensor:
    if not isinstance(x, Tensor):
        raise OpTypeError(f"a derivative along a curve needs tensors, but got {x!r}")
    return x if x.dtype.is_float else x.astype(float32)
