"""`vmap`: a function of one example as a function of many."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

from anfora.core.cell import Cell
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.op import Op
from anfora.core.tensor import Tensor
from anfora.ops import moveaxis, stack

__all__ = ["vmap"]


def vmap(fn: Any, in_axes: Any = 0, out_axes: Any = 0, chunk_size: int | None = None) -> Callable:
    """Map a function over an axis of its arguments.

    The function is called once for each example, in order, and the results are stacked: whatever it does is done for each
    example, including branches on values, and random numbers differ between examples. An operator that has a batching
    rule is called once.

    Args:
        fn: a function or Cell of single examples; or a CellList, whose Cells get one example each.
        in_axes: the axis of the examples in each argument; None for an argument that all of them share. One number is for
            all arguments, a tuple or list has one entry an argument, nested like an argument that is a container.
        out_axes: where the axis of the examples comes to lie in each result; None for a result that is the same for all.
        chunk_size: accepted for programs of other frameworks: how many examples are worked on at once.
    Returns:
        function: from arguments with an axis of examples to results with one.
    Raises:
        OpTypeError: axes that are no integers, or nested otherwise than the arguments.
        OpValueError: no argument has an axis of examples, their numbers differ or are zero, an axis is out of range, or a
            result with out axis None is not the same for all examples.
    Gradient:
        through the calls.
    Example:
        >>> vmap(lambda x, y: (x * y).sum())(Tensor([[1., 2.], [3., 4.]]), Tensor([[1., 1.], [2., 2.]])).tolist()
        [3.0, 14.0]
    """
    cells = list(fn) if not callable(fn) or type(fn).__name__ == "CellList" else None
    if cells is not None and not (cells and all(isinstance(cell, Cell) for cell in cells)):
        raise OpTypeError(f"vmap needs a function, a Cell or a CellList, but got {type(fn).__name__}", arg="fn")
    if chunk_size is not None and (isinstance(chunk_size, bool) or not isinstance(chunk_size, int) or chunk_size < 1):
        raise OpValueError(f"vmap: `chunk_size` must be a positive integer, but got {chunk_size!r}", arg="chunk_size")

    def mapped(*args: Any, **kwargs: Any) -> Any:
        if isinstance(in_axes, (tuple, list)) and len(in_axes) != len(args):
            raise OpValueError(f"vmap: `in_axes` has {len(in_axes)} entries for {len(args)} arguments", arg="in_axes")
        axes = tuple(in_axes) if isinstance(in_axes, (tuple, list)) else (in_axes,) * len(args)
        count = _count(list(_axes_of(args, axes)))
        if (
            isinstance(fn, Op)
            and fn.batch_rule is not None
            and isinstance(out_axes, int)
            and _are_plain(fn, args, axes)
        ):
            result, axis = fn.batch_rule([a if a is None else a % x.ndim for x, a in zip(args, axes)], *args, **kwargs)
            return moveaxis(result, axis, out_axes)
        if cells is not None and len(cells) != count:
            raise OpValueError(f"vmap: {len(cells)} Cells cannot share {count} examples", arg="fn")
        results = []
        for i in range(count):
            function = fn if cells is None else cells[i]
            results.append(function(*(_example(x, axis, i) for x, axis in zip(args, axes)), **kwargs))
        return _stack(results, out_axes)

    return functools.wraps(fn, updated=())(mapped) if hasattr(fn, "__name__") else mapped


def _are_plain(op: Op, args: tuple, axes: tuple) -> bool:
    """Whether the arguments are what a batching rule takes: tensors and numbers, no attributes, each with one axis."""
    return len(args) <= len(op.tensors) and all(
        isinstance(x, Tensor) if axis is not None else isinstance(x, (Tensor, int, float))
        for x, axis in zip(args, axes)
    )


def _axes_of(tree: Any, axes: Any) -> Iterator[tuple[Tensor, int]]:
    """The tensors that have an axis of examples, with it."""
    if axes is None:
        return
    if isinstance(tree, (tuple, list)):
        each = axes if isinstance(axes, (tuple, list)) else (axes,) * len(tree)
        if len(each) != len(tree):
            raise OpValueError(f"vmap: an argument has {len(tree)} parts, but its axes {len(each)}", arg="in_axes")
        for item, axis in zip(tree, each):
            yield from _axes_of(item, axis)
        return
    if isinstance(axes, bool) or not isinstance(axes, int):
        raise OpTypeError(f"vmap: an axis must be an integer or None, but got {axes!r}", arg="in_axes")
    if not isinstance(tree, Tensor):
        raise OpTypeError(
            f"vmap: an argument of type {type(tree).__name__} has no axis of examples", arg="in_axes",
            help="give None as its axis.",
        )  # fmt: skip
    if not -tree.ndim <= axes < tree.ndim:
        raise OpValueError(f"vmap: axis {axes} is out of range for a tensor of shape {tree.shape}", arg="in_axes")
    yield tree, axes


def _count(found: list[tuple[Tensor, int]]) -> int:
    counts = {tensor.shape[axis] for tensor, axis in found}
    if not counts:
        raise OpValueError("vmap: no argument has an axis of examples", arg="in_axes")
    if len(counts) > 1:
        raise OpValueError(f"vmap: the arguments have different numbers of examples: {sorted(counts)}", arg="in_axes")
    [count] = counts
    if not count:
        raise OpValueError("vmap needs at least one example, but the axis has length 0", arg="in_axes")
    return count


def _example(tree: Any, axes: Any, i: int) -> Any:
    if axes is None:
        return tree
    if isinstance(tree, (tuple, list)):
        each = axes if isinstance(axes, (tuple, list)) else (axes,) * len(tree)
        return type(tree)([_example(item, axis, i) for item, axis in zip(tree, each)])
    return tree[(*(slice(None),) * (axes % tree.ndim), i)]


def _stack(results: list, axes: Any) -> Any:
    first = results[0]
    if isinstance(first, (tuple, list)):
        each = axes if isinstance(axes, (tuple, list)) else (axes,) * len(first)
        if len(each) != len(first):
            raise OpValueError(f"vmap: there are {len(first)} results, but {len(each)} axes", arg="out_axes")
        return type(first)([_stack([r[k] for r in results], axis) for k, axis in enumerate(each)])
    if isinstance(axes, (tuple, list)) and len(axes) == 1:
        axes = axes[0]
    if axes is None:
        if any(_differs(first, other) for other in results[1:]):
            raise OpValueError("vmap: a result with out axis None is not the same for all examples", arg="out_axes")
        return first
    return stack([r if isinstance(r, Tensor) else Tensor(r) for r in results], axes)


def _differs(one: Any, other: Any) -> bool:
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        return one.asnumpy().tobytes() != other.asnumpy().tobytes()
    return one is not other and bool(one != other)
