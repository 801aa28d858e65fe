"""The doors from `core` to what stands above it.

Core defines what tensors, operators and Cells *are*; how a call is carried out depends on the mode and is defined by
packages that import core. They put their functions here when they are imported, and the first use of a public name
imports them.
"""

from __future__ import annotations

import threading
import weakref
from typing import Any

__all__ = [
    "assign", "backward", "bound", "call_cell", "call_compiled", "calls_are_special", "compiled_cells", "dispatch",
    "is_followed", "is_followed_by_itself", "is_trained", "kept_calls", "method_table", "native_change", "native_method",
    "need_examples", "set_num_threads", "watch", "watcher",
]  # fmt: skip


def dispatch(op: Any, args: tuple, kwargs: dict) -> Any:
    """Run an operator."""
    return _filled("dispatch")(op, args, kwargs)


def native_method(op: Any, order: tuple[int, ...] | None, is_python: bool) -> Any:
    """An operator as a method of Tensor, native where that is possible; `order` permutes the arguments of a reflected
    one. One of Python's operators leaves foreign objects to their own class."""
    return _filled("native_method")(op, order, is_python)


def bound(op: Any, count: int | None = None, /, **attributes: Any) -> Any:
    """An operator with its attributes fixed, as a function of one value for each tensor parameter; native where that is
    possible. One of a sequence of tensors is made a function of `count` of them."""
    return _filled("bound")(op, count, **attributes)


def native_change(op: Any, in_python: Any, untaped: int = 0, name: str | None = None) -> Any:
    """A function that computes an operator (None: zeros; "item": `x[key] = value`) and writes the result into its first
    argument, native where that is possible. `in_python` is that function; `untaped` says where it is an effect that no
    tape follows, see kernel/change.py. With a name it is that method of Tensor."""
    return _filled("native_change")(op, in_python, untaped, name)


def kept_calls(function: Any) -> Any:
    """A function that does what one does that is written in operators, and knows earlier calls of it."""
    return _filled("kept_calls")(function)


def call_cell(cell: Any, args: tuple, kwargs: dict) -> Any:
    """Run a Cell that has hooks, a computing type or a gradient of its own."""
    return _filled("call_cell")(cell, args, kwargs)


def call_compiled(cell: Any, args: tuple, kwargs: dict) -> Any:
    """Run a Cell in GRAPH_MODE."""
    import anfora.graph.tell.cells  # noqa: F401  (puts its own function here)

    return globals()["call_compiled"](cell, args, kwargs)


def assign(parameter: Any, value: Any) -> None:
    """Write a tensor into a parameter."""
    _filled("assign")(parameter, value)


def backward(tensor: Any, gradient: Any, retain_graph: bool | None, create_graph: bool) -> None:
    """Walk back from a tensor to the leaves."""
    _filled("backward")(tensor, gradient, retain_graph, create_graph)


def is_followed(tensor: Any) -> bool:
    """Whether what is computed from a tensor now has a gradient to it."""
    return _filled("is_followed")(tensor)


def is_trained(tensor: Any) -> bool:
    """Whether a tensor is a Parameter that is trained, or lies in one: it stays a leaf whatever is written to it."""
    return _filled("is_trained")(tensor)


def is_followed_by_itself(tensor: Any) -> bool:
    """Whether a tensor has a history beside that of what it is a view of."""
    return _filled("is_followed_by_itself")(tensor)


def set_num_threads(threads: int) -> None:
    """Use so many threads for large operators."""
    _filled("set_num_threads")(threads)


def need_examples() -> None:
    """Said before an effect that no tensor shows, such as a draw of random numbers: where `vmap` runs a function on all
    examples at once, it has to be called for each."""
    _filled("need_examples")()


class Watcher(threading.local):
    """Who, in this thread, sees every operator that is called and is told when somebody looks at data: the recorder of
    graph mode, or None. `place` is where the program stands, when that is not where Python's frames say."""

    recorder: Any = None
    place: Any = None
    planned: list | None = None  #: the calls of operators, where these are only planned (eager/ahead.py)
    #: Whether the program has asked PyNative mode what only a compiler knows (ops/programs.py); or in words what else it
    #: did that cannot be done twice.
    has_asked: bool | str = False
    has_warned: bool = False  #: whether there was something to warn of, told or not


watcher = Watcher()


def watch(recorder: Any) -> None:
    """Let a recorder see what this thread does; None lets nobody."""
    _filled("watch")(recorder)


#: The Cells that `jit` was asked for.
compiled_cells: weakref.WeakSet[Any] = weakref.WeakSet()

#: Whether calls of Cells go through `call_compiled`: in GRAPH_MODE, and where there are `compiled_cells`.
calls_are_special: bool = False

#: Whether `anfora.ops.methods` has given Tensor its operators and methods.
method_table: bool = False


def _filled(name: str) -> Any:
    import anfora.eager  # noqa: F401  (puts its own functions here)

    return globals()[name]
