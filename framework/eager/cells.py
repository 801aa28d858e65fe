"""The call of a Cell in PyNative mode: hooks, computing type, a gradient of its own."""

from __future__ import annotations

from typing import Any

from anfora.core import memory
from anfora.core.cell import Cell, Hooks, converted
from anfora.core.dtype import DType
from anfora.core.errors import OpRuntimeError, OpTypeError
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.core.tree import tensors
from anfora.eager import autocast, tape
from anfora.eager.custom import record_python, with_gradient

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
    if dtype is None:
        return _run(cell, args, kwargs)
    before = autocast.enter(dtype.dtype if isinstance(dtype, autocast.Autocast) else None)
    try:
        if isinstance(dtype, autocast.Autocast):
            return _run(cell, args, kwargs)
        with _Lowered(cell, dtype):
            return _run(cell, converted(args, dtype), converted(kwargs, dtype))
    finally:
        autocast.leave(before)


def _run(cell: Cell, args: tuple, kwargs: dict) -> Any:
    if hasattr(cell, "bprop") and tape.is_recording():
        return _with_own_gradient(cell, args, kwargs)
    return cell.construct(*args, **kwargs)


class _Lowered:
    """While a Cell computes in another type (`to_float`), converted tensors stand in the place of its own trainable
    parameters. The conversion is recorded, so the gradients arrive at the parameters, in their type. Parameters that are
    not trained, such as running averages, stay as they are: a Cell writes to them."""

    def __init__(self, cell: Cell, dtype: DType) -> None:
        self.cell, self.dtype = cell, dtype
        self.stands_for: dict[str, tuple[Parameter, Tensor]] = {}

    def __enter__(self) -> None:
        attributes = self.cell.__dict__
        for name, value in list(attributes.items()):
            is_trained = isinstance(value, Parameter) and value.requires_grad and value.dtype.is_float
            if is_trained and value.dtype is not self.dtype:
                attributes[name] = stand_in = value.astype(self.dtype)
                self.stands_for[name] = (value, stand_in)
        self.since = memory.tick()

    def __exit__(self, kind: type[BaseException] | None, *exc: object) -> None:
        attributes = self.cell.__dict__
        for name, (parameter, stand_in) in self.stands_for.items():
            now = attributes.get(name)
            attributes[name] = parameter
            if now is not stand_in:  # construct() has set the attribute
                setattr(self.cell, name, now)
            write = memory.last_write(stand_in._array)
            if kind is None and write is not None and write.tick > self.since:
                raise OpRuntimeError(
                    f"{type(self.cell).__name__} computes in {self.dtype}, and its parameter `{name}` is a converted "
                    f"copy meanwhile, which was written to at {write.place}",
                    help=f"write self.{name} = …, set requires_grad=False, or do not use to_float here.",
                )


# -- Cell.bprop -------------------------------------------------------------------------------------------------------


def _with_own_gradient(cell: Cell, args: tuple, kwargs: dict) -> Any:
    """Run `construct` unrecorded; the gradient is what `bprop(*args, out, dout)` says."""
    if kwargs:
        raise OpTypeError(f"{type(cell).__name__} defines bprop() and takes no keyword arguments")
    return with_gradient(f"{type(cell).__name__}.bprop()", cell.construct, cell.bprop, args)


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
