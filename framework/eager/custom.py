"""Gradients written in Python: nodes of the tape whose rule is a function of the user's.

What runs the user's forward functions here is a program like the user's: the compiler goes into it, and knows what
`differentiable`, `recorded_function` and `unchanged` do. Gradients are asked for through `tape.ask`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from anfora.core import memory
from anfora.core.abstract import Layout
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.core.span import calling_frame, frame_position
from anfora.core.tensor import Tensor, current
from anfora.core.tree import tensors, tree_map
from anfora.eager import tape
from anfora.eager.tape import Node, Output
from anfora.kernel.glue import is_recording, set_recording

__all__ = [
    "Function", "FunctionContext", "custom_vjp", "differentiable", "record_python", "recorded_function", "unchanged",
    "with_gradient",
]  # fmt: skip


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


def record_python(
    name: str,
    inputs: Sequence[Tensor],
    output: Any,
    back: Callable[[tuple], list],
    handles: Sequence[Tensor] | None = None,
) -> Any:
    """The output, recorded as a function of `inputs` whose gradient is `back`.

    Args:
        name: for messages.
        inputs: the tensors that a gradient may flow to.
        output: tensors, in any nesting, computed without the tape.
        back: from the gradients of the output's tensors (None where there is none) to those of the inputs.
        handles: tensors without history on the memory of the output's, to take their places; new ones when not given. Where
            they are, it is known that a tape follows.
    """
    if handles is None and not (tape.is_recording() and any(t._node is not None for t in inputs)):
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
        number = next(numbers)
        if handles is None:
            return tape.second_handle(tensor, Output(node, number))
        handles[number]._node = Output(node, number)
        return handles[number]

    return tree_map(recorded, output)


def with_gradient(name: str, run: Callable, gradient: Callable, args: tuple) -> Any:
    """`run(*args)`, unrecorded, whose gradient is what `gradient(*args, out, dout)` says.

    Args:
        name: of the pair, for messages: "Net.bprop()".
    """
    before = set_recording(False)
    try:
        output = run(*args)
    finally:
        set_recording(before)
    return differentiable(name, gradient, args, output)


def differentiable(
    name: str, gradient: Callable, args: tuple, output: Any, handles: Sequence[Tensor] | None = None
) -> Any:
    """The output, computed from `args` without the tape, with the gradient that `with_gradient` says.

    Args:
        handles: as for `record_python`.
    """
    followed = [(i, t) for i, t in enumerate(args) if isinstance(t, Tensor)]

    def back(gradients: tuple) -> list:
        several = isinstance(recorded, tuple)
        filled = [g if g is not None else _zeros(t) for g, t in zip(gradients, tensors(recorded))]
        result = tape.ask(gradient, *args, recorded, tuple(filled) if several else filled[0])
        result = result if isinstance(result, tuple) else (result,)
        if len(result) != len(args):
            raise OpTypeError(
                f"{name} must return one gradient for each of the {len(args)} inputs, but returned {len(result)}"
            )
        for i, t in followed:
            g = result[i]
            if isinstance(g, Tensor) and not _may_be_summed(g.shape, t.shape):
                raise OpValueError(f"{name}: the gradient of input {i} must have shape {t.shape}, but has {g.shape}")
        return [result[i] if isinstance(result[i], Tensor) else None for i, _ in followed]

    recorded = record_python(name, [t for _, t in followed], output, back, handles)
    return recorded


def _may_be_summed(given: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    """Whether the one is the shape of the other, or broadcast from it (such a gradient is summed)."""
    tail = given[len(given) - len(wanted) :]
    return len(given) >= len(wanted) and all(n in (1, m) for n, m in zip(wanted, tail))


class custom_vjp:
    """A function with a gradient of its own, which `defbwd` gives.

    Args:
        fn: a function of tensors.
    Raises:
        OpTypeError: it is no function; the gradient is asked for, and none was given.
    Example:
        >>> @custom_vjp
        ... def double(x):
        ...     return 2 * x
        >>> double.defbwd(lambda x, out, dout: (dout * 10,))
        >>> grad(double)(Tensor(1.0)).item()
        10.0
    """

    def __init__(self, fn: Callable) -> None:
        if not callable(fn):
            raise OpTypeError(f"custom_vjp needs a function, but got {fn!r}", arg="fn")
        self.fwd = fn
        self.bwd: Callable | None = None

    def defbwd(self, bwd: Callable) -> None:
        """Give the gradient: `bwd(*args, out, dout)` returns a tuple with the gradient of each argument."""
        self.bwd = bwd

    def __call__(self, *args: Any) -> Any:
        if not is_recording() or not any([isinstance(a, Tensor) and a.requires_grad for a in args]):  # noqa: C419
            return self.fwd(*args)
        if self.bwd is None:
            raise OpTypeError(
                f"{self.fwd.__name__} is a custom_vjp, but has no gradient",
                help=f"give it one: {self.fwd.__name__}.defbwd(function).",
            )
        return with_gradient(f"{self.fwd.__name__}.bwd()", self.fwd, self.bwd, args)


class FunctionContext:
    """Where a Function keeps what its backward pass needs."""

    def __init__(self) -> None:
        self._saved: tuple[Tensor, ...] = ()
        self._since = 0
        self.needs_input_grad: tuple[bool, ...] = ()
        self._non_differentiable: tuple[int, ...] = ()
        self._dirty: tuple[int, ...] = ()
        self._materialize = True

    def save_for_backward(self, *tensors: Tensor) -> None:
        """Keep tensors for `backward`, where they are `ctx.saved_tensors`."""
        self._saved = tensors
        self._since = memory.tick()

    @property
    def saved_tensors(self) -> tuple[Tensor, ...]:
        """What `save_for_backward` has kept.

        Raises OpRuntimeError if one was changed in place since.
        """
        return unchanged(self._saved, self._since) if self._saved else ()

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Say that results have no gradient."""
        self._non_differentiable = tuple(id(t) for t in tensors)

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Say which inputs `forward` changed in place."""
        self._dirty = tuple(id(t) for t in tensors)

    def set_materialize_grads(self, value: bool) -> None:
        """Whether absent gradients come to `backward` as zeros (the default) or as None."""
        self._materialize = bool(value)


def unchanged(saved: tuple[Tensor, ...], since: int) -> tuple[Tensor, ...]:
    """Tensors that were saved for a gradient at a moment, and were not written to since."""
    for tensor in saved:
        write = memory.last_write(tensor._array)
        if write is not None and write.tick > since:
            raise OpRuntimeError(
                f"a tensor that save_for_backward() kept was changed in place at {write.place}",
                help="save a copy: ctx.save_for_backward(x.copy()).",
            )
    return saved


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
        ctx.needs_input_grad = tuple([isinstance(a, Tensor) and a.requires_grad for a in args])
        before = set_recording(False)
        try:
            output = cls.forward(ctx, *args, **kwargs)
        finally:
            set_recording(before)
        return recorded_function(cls, ctx, args, output)


def recorded_function(function: type[Function], ctx: FunctionContext, args: tuple, output: Any) -> Any:
    """What the `forward` of a Function has given, with the gradient that its `backward` says."""
    name = function.__name__
    followed = [i for i, a in enumerate(args) if isinstance(a, Tensor)]

    def back(gradients: tuple) -> list:
        filled = [_zeros(t) if g is None and ctx._materialize else g for g, t in zip(gradients, tensors(output))]
        result = tape.ask(function.backward, ctx, *filled)
        result = result if isinstance(result, tuple) else (result,)
        if len(result) < len(args):
            raise OpTypeError(
                f"{name}.backward() must return one gradient for each of the {len(args)} arguments of forward(), but "
                f"returned {len(result)}"
            )
        for i in followed:
            if result[i] is not None and not isinstance(result[i], Tensor):
                raise OpRuntimeError(
                    f"{name}.backward(): Gradient should be none or tensor, but that of argument {i} is {result[i]!r:.60}"
                )
        return [result[i] for i in followed]

    dirty = _dirty(name, ctx._dirty, args, output)
    recorded = record_python(name, [args[i] for i in followed], output, back)
    if ctx._non_differentiable:
        from anfora.ops import stop_gradient  # of an input that is given as it is, say

        plain = iter(tensors(output))
        dead = ctx._non_differentiable
        recorded = tree_map(lambda t: stop_gradient(p) if id(p := next(plain)) in dead else t, recorded)
    if dirty:
        plain = iter(tensors(output))
        recorded = tree_map(lambda t: _rewritten(p, t) if id(p := next(plain)) in dirty else t, recorded)
    return recorded


def _dirty(name: str, marked: tuple[int, ...], args: tuple, output: Any) -> set[int]:
    """The arguments that `forward` has changed in place, which are results then."""
    given = {id(t) for t in tensors(output)}
    for tensor in tensors(args):
        if id(tensor) in marked:
            if id(tensor) not in given:
                raise OpRuntimeError(
                    f"{name}.forward(): The dirty tensors must all be outputs of the forward function.",
                    help="return what ctx.mark_dirty() got, or do not change it in place.",
                )
            if tape.is_recording() and tensor.requires_grad and tensor.is_leaf:
                raise OpRuntimeError(
                    f"{name}.forward() has changed a leaf tensor that requires a gradient in place: its gradient would "
                    "have no meaning",
                    help="change a copy: x = x.copy().",
                )
    return set(marked)


def _rewritten(tensor: Tensor, result: Tensor) -> Tensor:
    """A tensor that was changed in place, with the history of the result that it is."""
    from anfora.eager.dispatch import new_history

    new_history(tensor, result._node, result._node is not None)
    return tensor


#: The name until MindSpore 2.6.
_Function = Function


def _zeros(tensor: Tensor) -> Tensor:
    from anfora.ops.shape import zeros_of

    return zeros_of(tensor._layout.type)
