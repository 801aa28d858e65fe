"""The doors from `core` to what stands above it.

Core defines what tensors, operators and Cells *are*; how a call is carried out depends on the mode and is defined by
packages that import core. They put their functions here when they are imported, and the first use of a public name
imports them.
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "assign", "backward", "bound", "call_cell", "calls_are_special", "dispatch", "method_table", "native_method",
    "set_num_threads",
]  # fmt: skip


def dispatch(op: Any, args: tuple, kwargs: dict) -> Any:
    """Run an operator."""
    return _filled("dispatch")(op, args, kwargs)


def native_method(op: Any, order: tuple[int, ...] | None, is_python: bool) -> Any:
    """An operator as a method of Tensor, native where that is possible; `order` permutes the arguments of a reflected
    one. One of Python's operators leaves foreign objects to their own class."""
    return _filled("native_method")(op, order, is_python)


def bound(op: Any, **attributes: Any) -> Any:
    """An operator with its attributes fixed, as a function of one value for each tensor parameter; native where that is
    possible."""
    return _filled("bound")(op, **attributes)


def call_cell(cell: Any, args: tuple, kwargs: dict) -> Any:
    """Run a Cell that has hooks, a computing type or a gradient of its own, or whose call is compiled."""
    return _filled("call_cell")(cell, args, kwargs)


def assign(parameter: Any, value: Any) -> None:
    """Write a tensor into a parameter."""
    _filled("assign")(parameter, value)


def backward(tensor: Any, gradient: Any, retain_graph: bool | None, create_graph: bool) -> None:
    """Walk back from a tensor to the leaves."""
    _filled("backward")(tensor, gradient, retain_graph, create_graph)


def set_num_threads(threads: int) -> None:
    """Use so many threads for large operators."""
    _filled("set_num_threads")(threads)


#: Whether calls of Cells go through `call_cell` always: in GRAPH_MODE.
calls_are_special: bool = False

#: Whether `anfora.ops.methods` has given Tensor its operators and methods.
method_table: bool = False


def _filled(name: str) -> Any:
    import anfora.eager  # noqa: F401  (puts its own functions here)

    return globals()[name]
