"""Gradients written in Python: nodes of the tape whose rule is a function of the user's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from anfora.core import memory
from anfora.core.abstract import Layout
from anfora.core.errors import OpRuntimeError, OpTypeError
from anfora.core.span import calling_frame, frame_position
from anfora.core.tensor import Tensor, current, wrap
from anfora.core.tree import tensors, tree_map
from anfora.eager import tape
from anfora.eager.tape import Node, Output

__all__ = ["Function", "record_python"]


class _PythonCall:
    """The gradient rule of a Python node, in the form in which the tape knows rules (`entry.Call`)."""

    __slots__ = ("back", "is_tuple", "passes", "targets")

    def __init__(self, back: Callable[[tuple], list], layouts: Sequence[Layout]) -> None:
        self.back = back
        self.passes = False
        self.is_tuple = True
        self.targets = tuple(enumerate(layouts))

    def run(self, saved: tuple, g: tuple) -> list:
        return self.back(g)

    def run_with_history(self, node: Node, saved: tuple, g: tuple) -> list:
        return self.back(g)


class _PythonRecipe:
    """What a node knows of its call (`entry.Recipe`)."""

    __slots__ = ("calls", "entry", "results", "saves")

    def __init__(self, name: str, call: _PythonCall, results: int) -> None:
        self.calls = (call,)
        self.results = results + 1  # never 1: gradients always come as a tuple
        self.saves = ()
        self.entry = _Named(name)


class _Named:
    """Stands for an entry where a message needs the name of the operator."""

    def __init__(self, name: str) -> None:
        self.op = self
        self.name = name


def record_python(name: str, inputs: Sequence[Tensor], output: Any, back: Callable[[tuple], list]) -> Any:
    """The output, recorded as a function of `inputs` whose gradient is `back`.

    Args:
        name: for messages.
        inputs: the tensors that a gradient may flow to.
        output: tensors, in any nesting, computed without the tape.
        back: from the gradients of the output's tensors (None where there is none) to those of the inputs.
    """
    if not (tape.is_recording() and any(t._node is not None for t in inputs)):
        return output
    results = list(tensors(output))
    count = len(results)
    call = _PythonCall(lambda g: back(g[:count]), [current(t)._layout for t in inputs])
    node = Node.__new__(Node)
    node.recipe = _PythonRecipe(name, call, count)  # type: ignore[assignment]
    node.hooks = None
    node.code, node.at = frame_position(calling_frame(2))
    node.parents = tuple(t._node for t in inputs)
    node.saved = ()
    node.tick = memory.tick()
    numbers = iter(range(count))

    def recorded(tensor: Tensor) -> Tensor:
        tensor = current(tensor)
        twin = wrap(tensor._array, tensor._layout, Output(node, next(numbers)))
        base = tensor if tensor._base is None else tensor._base
        twin._mark = base._mark
        return twin

    return tree_map(recorded, output)


class FunctionContext:
    """Where a Function keeps what its backward pass needs."""

    def __init__(self) -> None:
        self._saved: tuple[Tensor, ...] = ()
        self.needs_input_grad: tuple[bool, ...] = ()
        self._non_differentiable: tuple[int, ...] = ()
        self._dirty: tuple[int, ...] = ()
        self._materialize = True

    def save_for_backward(self, *tensors: Tensor) -> None:
        """Keep tensors for `backward`, where they are `ctx.saved_tensors`."""
        self._saved = tensors
        self._ticks = [memory.tick() for _ in tensors[:1]]

    @property
    def saved_tensors(self) -> tuple[Tensor, ...]:
        """What `save_for_backward` has kept.

        Raises OpRuntimeError if one was changed in place since.
        """
        for tensor in self._saved:
            write = memory.last_write(tensor._array)
            if write is not None and write.tick > self._ticks[0]:
                raise OpRuntimeError(
                    f"a tensor that save_for_backward() kept was changed in place at {write.place}",
                    help="save a copy: ctx.save_for_backward(x.copy()).",
                )
        return self._saved

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Say that results have no gradient."""
        self._non_differentiable = tuple(id(t) for t in tensors)

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Say which inputs `forward` changed in place."""
        self._dirty = tuple(id(t) for t in tensors)

    def set_materialize_grads(self, value: bool) -> None:
        """Whether absent gradients come to `backward` as zeros (the default) or as None."""
        self._materialize = bool(value)


class Function:
    """An operation with a gradient of its own. Subclass it with two static methods and call `apply`.

    Example:
        >>> class Square(Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         return x * x
        ...     @staticmethod
        ...     def backward(ctx, dy):
        ...         x, = ctx.saved_tensors
        ...         return 2 * x * dy
        >>> grad(Square.apply)(Tensor(3.0)).item()
        6.0
    """

    @staticmethod
    def forward(ctx: FunctionContext, *args: Any, **kwargs: Any) -> Any:
        """Compute the result from tensors and other arguments; keep in `ctx` what `backward` needs."""
        raise NotImplementedError("a Function needs forward(ctx, ...)")

    @staticmethod
    def backward(ctx: FunctionContext, *grad_outputs: Any) -> Any:
        """From the gradients of the results those of the arguments of `forward` (None where there is none)."""
        raise NotImplementedError("a Function needs backward(ctx, ...)")

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run it."""
        ctx = FunctionContext()
        ctx.needs_input_grad = tuple(isinstance(a, Tensor) and a.requires_grad for a in args)
        with tape.recording(False):
            output = cls.forward(ctx, *args, **kwargs)
        followed = [i for i, a in enumerate(args) if isinstance(a, Tensor)]

        def back(gradients: tuple) -> list:
            filled = [_zeros(t) if g is None and ctx._materialize else g for g, t in zip(gradients, tensors(output))]
            result = cls.backward(ctx, *filled)
            result = result if isinstance(result, tuple) else (result,)
            if len(result) < len(args):
                raise OpTypeError(
                    f"{cls.__name__}.backward() must return one gradient for each of the {len(args)} arguments of "
                    f"forward(), but returned {len(result)}"
                )
            return [result[i] for i in followed]

        recorded = record_python(cls.__name__, [args[i] for i in followed], output, back)
        if ctx._non_differentiable:
            plain = iter(tensors(output))
            dead = ctx._non_differentiable
            recorded = tree_map(lambda t: p if id(p := next(plain)) in dead else t, recorded)
        return recorded


def _zeros(tensor: Tensor) -> Tensor:
    from anfora.ops.shape import zeros_of

    return zeros_of(tensor._layout.type)
