"""The call of a Cell in PyNative mode: hooks, computing type, a gradient of its own."""

from __future__ import annotations

from typing import Any

from anfora.core.cell import Cell, Hooks, converted
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.tensor import Tensor
from anfora.core.tree import tensors
from anfora.eager import tape
from anfora.eager.custom import record_python

__all__ = ["call_cell"]


def call_cell(cell: Cell, args: tuple, kwargs: dict) -> Any:
    """Run a Cell with all that surrounds its `construct`."""
    hooks: Hooks | None = cell.__dict__["_hooks"]
    if not hooks:
        return _construct(cell, args, kwargs)
    for hook, with_kwargs in list(hooks.forward_pre.values()):
        result = hook(cell, args, kwargs) if with_kwargs else hook(cell, args)
        if result is None:
            continue
        if with_kwargs:
            if not (isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], dict)):
                raise OpTypeError("a forward pre hook with kwargs must return a tuple of arguments and a dict, or None")
            args, kwargs = result
        else:
            args = result if isinstance(result, tuple) else (result,)
    watched = _Watched(cell, hooks) if hooks.backward or hooks.backward_pre else None
    if watched is not None and tape.is_recording():
        args = watched.enter(args)
    try:
        output = _construct(cell, args, kwargs)
    except Exception:
        for hook, with_kwargs, always in list(hooks.forward.values()):
            if always:
                hook(cell, args, kwargs, None) if with_kwargs else hook(cell, args, None)
        raise
    for hook, with_kwargs, _ in list(hooks.forward.values()):
        result = hook(cell, args, kwargs, output) if with_kwargs else hook(cell, args, output)
        if result is not None:
            output = result
    if watched is not None and tape.is_recording():
        output = watched.leave(output)
    return output


def _construct(cell: Cell, args: tuple, kwargs: dict) -> Any:
    dtype = cell.__dict__["_compute_type"]
    if dtype is not None:
        args, kwargs = converted(args, dtype), converted(kwargs, dtype)
    if hasattr(cell, "bprop") and tape.is_recording():
        return _with_own_gradient(cell, args, kwargs)
    return cell.construct(*args, **kwargs)


# -- Cell.bprop -------------------------------------------------------------------------------------------------------


def _with_own_gradient(cell: Cell, args: tuple, kwargs: dict) -> Any:
    """Run `construct` unrecorded; the gradient is what `bprop(*args, out, dout)` says."""
    if kwargs:
        raise OpTypeError(f"{type(cell).__name__} defines bprop() and takes no keyword arguments")
    with tape.recording(False):
        output = cell.construct(*args)
    followed = [(i, t) for i, t in enumerate(args) if isinstance(t, Tensor)]

    def back(gradients: tuple) -> list:
        several = isinstance(output_now, tuple)
        filled = [g if g is not None else _zeros(t) for g, t in zip(gradients, tensors(output_now))]
        result = cell.bprop(*args, output_now, tuple(filled) if several else filled[0])
        result = result if isinstance(result, tuple) else (result,)
        if len(result) != len(args):
            raise OpTypeError(
                f"{type(cell).__name__}.bprop() must return one gradient for each of the {len(args)} inputs of "
                f"construct(), but returned {len(result)}"
            )
        for (i, t), g in ((pair, result[pair[0]]) for pair in followed):
            if isinstance(g, Tensor) and g.shape != t.shape:
                raise OpValueError(
                    f"{type(cell).__name__}.bprop(): the gradient of input {i} must have shape {t.shape}, "
                    f"but has {g.shape}"
                )
        return [result[i] if isinstance(result[i], Tensor) else None for i, _ in followed]

    output_now = record_python(f"{type(cell).__name__}.bprop", [t for _, t in followed], output, back)
    return output_now


def _zeros(tensor: Tensor) -> Tensor:
    from anfora.ops.shape import zeros_of

    return zeros_of(tensor._layout.type)


# -- backward hooks ---------------------------------------------------------------------------------------------------


class _Watched:
    """Two identities around a Cell: on the way back the first sees the gradients of the outputs, the second those of the
    inputs."""

    def __init__(self, cell: Cell, hooks: Hooks) -> None:
        self.cell, self.hooks = cell, hooks
        self.grad_output: Any = None

    def enter(self, args: tuple) -> tuple:
        inputs = [t for t in args if isinstance(t, Tensor)]

        def back(gradients: tuple) -> list:
            current: Any = gradients
            for hook in list(self.hooks.backward.values()):
                result = hook(self.cell, current, self.grad_output)
                if result is not None:
                    current = result if isinstance(result, tuple) else (result,)
            return list(current)

        if not any(t._node is not None for t in inputs):
            return args
        passed = iter(record_python("backward_hook", inputs, tuple(inputs), back))
        return tuple(next(passed) if isinstance(t, Tensor) else t for t in args)

    def leave(self, output: Any) -> Any:
        def back(gradients: tuple) -> list:
            for hook in list(self.hooks.backward_pre.values()):
                result = hook(self.cell, gradients)
                if result is not None:
                    gradients = result if isinstance(result, tuple) else (result,)
            self.grad_output = gradients
            return list(gradients)

        results = list(tensors(output))
        if not any(t._node is not None for t in results):
            return output
        return record_python("backward_pre_hook", results, output, back)
