"""The call of a Cell: hooks, computing type, a gradient of its own.

`call_cell` is a program like the user's: the compiler goes into it, and knows what `lower`, `put_back`, `watch_inputs`
and `watch_output` do.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anfora.core.cell import Cell, converted, hooks_of
from anfora.core.dtype import DType
from anfora.core.errors import OpTypeError
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.core.tree import tensors
from anfora.eager import autocast, tape
from anfora.eager.custom import record_python, with_gradient
from anfora.eager.recompute import recomputed
from anfora.kernel.glue import is_recording

__all__ = ["Lowered", "call_cell", "compute", "lower", "names_to_lower", "watch_inputs", "watch_output"]


def call_cell(cell: Cell, args: tuple, kwargs: dict) -> Any:
    """Run a Cell with all that surrounds its `construct`."""
    if cell._hooks is None:
        return compute(cell, args, kwargs)
    for hook, with_kwargs in hooks_of(cell, "forward_pre"):
        result = hook(cell, args, kwargs) if with_kwargs else hook(cell, args)
        if result is None:
            continue
        if with_kwargs:
            if not (isinstance(result, tuple) and len(result) == 2 and isinstance(result[1], dict)):
                raise OpTypeError("a forward pre hook with kwargs must return a tuple of arguments and a dict, or None")
            args, kwargs = result
        else:
            args = result if isinstance(result, tuple) else (result,)
    is_watched = bool(hooks_of(cell, "backward") or hooks_of(cell, "backward_pre"))
    seen: list = []
    if is_watched and is_recording():
        args = watch_inputs(cell, args, seen)
    try:
        if cell._is_recomputed:
            output = recomputed(cell, args, kwargs, compute, cell._contexts)
        else:
            output = compute(cell, args, kwargs)
    except Exception:
        for hook, with_kwargs, always in hooks_of(cell, "forward"):
            if always:
                hook(cell, args, kwargs, None) if with_kwargs else hook(cell, args, None)
        raise
    for hook, with_kwargs, _ in hooks_of(cell, "forward"):
        result = hook(cell, args, kwargs, output) if with_kwargs else hook(cell, args, output)
        if result is not None:
            output = result
    if is_watched and is_recording():
        output = watch_output(cell, output, seen)
    return output


def compute(cell: Cell, args: tuple, kwargs: dict) -> Any:
    """Run `construct` in the computing type of the Cell."""
    dtype = cell._compute_type
    if dtype is None:
        return _run(cell, args, kwargs)
    if isinstance(dtype, autocast.Autocast):
        before = autocast.enter(dtype.dtype)
        try:
            return _run(cell, args, kwargs)
        finally:
            autocast.leave(before)
    before = autocast.enter(None)
    try:
        lowered = lower(cell, dtype)
        try:
            return _run(cell, converted(args, dtype), converted(kwargs, dtype))
        finally:
            lowered.put_back()
    finally:
        autocast.leave(before)


def _run(cell: Cell, args: tuple, kwargs: dict) -> Any:
    if hasattr(cell, "bprop") and is_recording():
        if kwargs:
            raise OpTypeError(f"{type(cell).__name__} defines bprop() and takes no keyword arguments")
        return with_gradient(f"{type(cell).__name__}.bprop()", cell.construct, cell.bprop, args)
    return cell.construct(*args, **kwargs)


# -- another computing type -------------------------------------------------------------------------------------------


class Lowered:
    """While a Cell computes in another type (`to_float`), converted tensors stand in the place of its own trainable
    parameters. The conversion is recorded, so the gradients arrive at the parameters, in their type. Nothing can be written
    to a stand-in, since it would be lost. Parameters that are not trained, such as running averages, stay as they are: a
    Cell writes to them."""

    def __init__(self, cell: Cell, dtype: DType) -> None:
        self.cell, self.dtype = cell, dtype
        self.stands_for: dict[str, tuple[Parameter, Tensor]] = {}
        attributes = cell.__dict__
        for name in names_to_lower(cell, dtype):
            value = attributes[name]
            attributes[name] = stand_in = value.astype(dtype)
            stand_in._array.flags.writeable = False
            stand_in.__dict__["_stands_for"] = type(cell).__name__, name
            self.stands_for[name] = (value, stand_in)

    def put_back(self) -> None:
        """The Cell has returned, or raised an exception."""
        attributes = self.cell.__dict__
        for name, (parameter, stand_in) in self.stands_for.items():
            now = attributes.get(name)
            attributes[name] = parameter
            if now is not stand_in:  # construct() has set the attribute
                setattr(self.cell, name, now)


def lower(cell: Cell, dtype: DType) -> Lowered:
    """Put converted tensors in the place of the parameters of a Cell, until `put_back`."""
    return Lowered(cell, dtype)


def names_to_lower(cell: Cell, dtype: DType) -> tuple[str, ...]:
    """The attributes of a Cell that are trainable parameters of another floating type."""
    return tuple([
        name
        for name, value in cell.__dict__.items()
        if isinstance(value, Parameter) and value.requires_grad and value.dtype.is_float and value.dtype is not dtype
    ])  # fmt: skip


# -- backward hooks ---------------------------------------------------------------------------------------------------
# Two identities around a Cell: on the way back the one at its end sees the gradients of the outputs, the one at its
# start those of the inputs.


def watch_inputs(cell: Cell, args: tuple, seen: list, handles: Sequence[Tensor] | None = None) -> tuple:
    """The arguments of a Cell, whose gradients its backward hooks will see.

    Args:
        seen: will hold the gradients of the output then.
        handles: as for `record_python`.
    """
    inputs = [t for t in args if isinstance(t, Tensor)]

    def back(gradients: tuple, *_: list) -> list:
        current: Any = gradients
        for hook in hooks_of(cell, "backward"):
            result = tape.ask(hook, cell, current, seen[0] if seen else None)
            if result is not None:
                current = result if isinstance(result, tuple) else (result,)
        return list(current)

    if not any(t._node is not None for t in inputs):
        return args
    passed = iter(record_python("backward_hook", inputs, tuple(inputs), back, handles))
    return tuple(next(passed) if isinstance(t, Tensor) else t for t in args)


def watch_output(cell: Cell, output: Any, seen: list, handles: Sequence[Tensor] | None = None) -> Any:
    """What a Cell gives; on the way back its gradients go to the backward pre hooks, and into `seen`."""

    def back(gradients: tuple, *_: list) -> list:
        for hook in hooks_of(cell, "backward_pre"):
            result = tape.ask(hook, cell, gradients)
            if result is not None:
                gradients = result if isinstance(result, tuple) else (result,)
        seen[:] = [gradients]
        return list(gradients)

    results = list(tensors(output))
    if not any(t._node is not None for t in results):
        return output
    return record_python("backward_pre_hook", results, output, back, handles)
