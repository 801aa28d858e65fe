"""`vmap`: a function of one example as a function of many."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from anfora.core.cell import Cell
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.handlers import is_of_handler
from anfora.core.tensor import Tensor
from anfora.eager.batched import Batched, NeedsExamples, begin_level, end_level, next_level
from anfora.ops import copy, moveaxis, stack

if TYPE_CHECKING:
    from typing import ParamSpec, TypeVar

    P = ParamSpec("P")
    R = TypeVar("R")

__all__ = ["vmap"]


def vmap(fn: Callable[P, R], in_axes: Any = 0, out_axes: Any = 0, chunk_size: int | None = None) -> Callable[P, R]:
    """Map a function over an axis of its arguments.

    The function is called once, with tensors that look like one example and hold all of them, and each operator in it works
    on all examples at once. Where that cannot be, it is called again, once for each example, in order, and the results are
    stacked: where it looks at numbers (a branch on values, `item()`, printing), takes a gradient, writes into a tensor,
    draws random numbers (they differ between examples), or fails. What the function does to other Python objects, as
    appending to a list, happens at each call, also at the one that was given up.

    Args:
        fn: a function or Cell of single examples; or a CellList, whose Cells get one example each.
        in_axes: the axis of the examples in each argument; None for an argument that all of them share (for a CellList
            every one may be). One number is for all arguments, a tuple or list has one entry an argument, nested like an
            argument that is a container.
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
    given: Any = fn
    cells = list(given) if not callable(given) or type(given).__name__ == "CellList" else None
    if cells is not None and not (cells and all(isinstance(cell, Cell) for cell in cells)):
        raise OpTypeError(f"vmap needs a function, a Cell or a CellList, but got {type(fn).__name__}", arg="fn")
    if chunk_size is not None and (isinstance(chunk_size, bool) or not isinstance(chunk_size, int) or chunk_size < 1):
        raise OpValueError(f"vmap: `chunk_size` must be a positive integer, but got {chunk_size!r}", arg="chunk_size")

    def mapped(*args: Any, **kwargs: Any) -> Any:
        axes, count = plan(in_axes, args, None if cells is None else len(cells))
        if cells is None:
            found = at_once(fn, args, kwargs, axes, out_axes, count)
            if found is not NotImplemented:
                return found
        return one_by_one(fn, cells, args, kwargs, axes, out_axes, count)

    return _named_like(fn, mapped)


def _named_like(fn: Any, mapped: Callable) -> Callable:
    return functools.wraps(fn, updated=())(mapped) if hasattr(fn, "__name__") else mapped


def plan(in_axes: Any, args: tuple, cells: int | None) -> tuple[tuple, int]:
    """The axis of the examples in each argument, and how many examples there are."""
    if isinstance(in_axes, (tuple, list)) and len(in_axes) != len(args):
        raise OpValueError(f"vmap: `in_axes` has {len(in_axes)} entries for {len(args)} arguments", arg="in_axes")
    axes = tuple(in_axes) if isinstance(in_axes, (tuple, list)) else (in_axes,) * len(args)
    found = list(_axes_of(args, axes))
    count = cells if cells is not None and not found else _count(found)
    if cells is not None and cells != count:
        raise OpValueError(f"vmap: {cells} Cells cannot share {count} examples", arg="fn")
    return axes, count


# Two ways to call the function. The compiler goes into them as into the program.


def at_once(fn: Callable, args: tuple, kwargs: dict, axes: tuple, out_axes: Any, count: int) -> Any:
    """The result of one call with all examples; NotImplemented where the function has to be called for each."""
    level = next_level()
    try:
        results = _called_at_once(fn, args, kwargs, axes)
        return _collected(results, args, axes, out_axes, level, count)
    except NeedsExamples as needs:
        if needs.level < level:
            raise
    except BaseException as error:  # an error the loop meets too, at the example that it belongs to
        end_level(level)  # the handler of a signal may raise anywhere
        if not isinstance(error, Exception) or is_of_handler(error):
            raise
    return NotImplemented


def _called_at_once(fn: Callable, args: tuple, kwargs: dict, axes: tuple) -> Any:
    level = next_level()
    try:
        begin_level(level)
        return fn(*_all_examples(args, axes, level), **kwargs)
    finally:
        end_level(level)


def one_by_one(
    fn: Callable, cells: list[Cell] | None, args: tuple, kwargs: dict, axes: tuple, out_axes: Any, count: int
) -> Any:
    """The results of calls with each of the examples, stacked."""
    results = []
    for i in range(count):
        function = fn if cells is None else cells[i]
        results.append(function(*_one_example(args, axes, i), **kwargs))
    return _stack(results, out_axes)


def _all_examples(args: tuple, axes: tuple, level: int) -> tuple:
    return tuple(_batch(x, axis, level) for x, axis in zip(args, axes))


def _collected(results: Any, args: tuple, axes: tuple, out_axes: Any, level: int, count: int) -> Any:
    return _collect(results, out_axes, level, count, {id(x) for x, _ in _axes_of(args, axes)})


def _one_example(args: tuple, axes: tuple, i: int) -> tuple:
    return tuple(_example(x, axis, i) for x, axis in zip(args, axes))


def _batch(tree: Any, axes: Any, level: int) -> Any:
    """An argument with Batched tensors in the place of those that have an axis of examples."""
    if axes is None:
        return tree
    if isinstance(tree, (tuple, list)):
        each = axes if isinstance(axes, (tuple, list)) else (axes,) * len(tree)
        return type(tree)([_batch(item, axis, level) for item, axis in zip(tree, each)])
    return Batched(moveaxis(tree, axes, 0) if axes % tree.ndim else tree, level)


def _collect(result: Any, axes: Any, level: int, count: int, owners: set[int]) -> Any:
    """What `_stack` makes of the results of all examples, from that of one call."""
    if isinstance(result, (tuple, list)):
        each = _each_axis(result, axes)
        return type(result)([_collect(part, axis, level, count, owners) for part, axis in zip(result, each)])
    if isinstance(axes, (tuple, list)) and len(axes) == 1:
        axes = axes[0]
    if result.__class__ is not Batched or result.level != level:
        return result if axes is None else _stack([result] * count, axes)
    if axes is None:
        return _stack([result.value[i] for i in range(count)], None)
    found = result.value if axes == 0 else moveaxis(result.value, 0, axes)
    if found.__class__ is not Batched and (found._base is not None or id(found) in owners):
        found = copy(found)  # somebody else has this memory
    owners.add(id(found))
    return found


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
        each = _each_axis(first, axes)
        return type(first)([_stack([r[k] for r in results], axis) for k, axis in enumerate(each)])
    if isinstance(axes, (tuple, list)) and len(axes) == 1:
        axes = axes[0]
    if axes is None:
        if any(_differs(first, other) for other in results[1:]):
            raise OpValueError("vmap: a result with out axis None is not the same for all examples", arg="out_axes")
        return first
    return stack([r if isinstance(r, Tensor) else Tensor(r) for r in results], axes)


def _each_axis(results: Any, axes: Any) -> Any:
    """The out axis of each of several results."""
    each = axes if isinstance(axes, (tuple, list)) else (axes,) * len(results)
    if len(each) != len(results):
        raise OpValueError(f"vmap: there are {len(results)} results, but {len(each)} axes", arg="out_axes")
    return each


def _differs(one: Any, other: Any) -> bool:
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        return one.asnumpy().tobytes() != other.asnumpy().tobytes()
    return one is not other and bool(one != other)
