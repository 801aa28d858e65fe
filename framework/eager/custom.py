"""Gradients written in Python: nodes of the tape whose rule is a function of the user's.

What runs the user's forward functions here is a program like the user's: the compiler goes into it, and knows what
`differentiable`, `recorded_function` and `unchanged` do. Gradients are asked for through `tape.ask`.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

from anfora.core import memory
from anfora.core.abstract import Layout, TensorType
from anfora.core.errors import OpRuntimeError, OpTypeError, OpValueError
from anfora.core.span import calling_frame, frame_position
from anfora.core.tensor import Tensor, current, wrap
from anfora.core.tree import tensors, tree_map
from anfora.eager import operators, tape
from anfora.eager.tape import Node, Output
from anfora.kernel.glue import is_recording, set_recording

__all__ = [
    "Function", "FunctionContext", "Kept", "custom_vjp", "differentiable", "given_back", "keep", "record_python",
    "recorded_function", "with_gradient",
]  # fmt: skip


class Kept:
    """A tensor as it is now, for a function of the program that will be called on the way back."""

    __slots__ = ("_tensor", "array", "layout", "node")

    def __init__(self, tensor: Tensor) -> None:
        tensor = current(tensor)
        self._tensor, self.layout, self.node = tensor, tensor._layout, tensor._node
        self.array = tape.keep(tensor)

    def tensor(self) -> Tensor:
        """The tensor itself; where that has been written to since, another one with what it was."""
        tensor = current(self._tensor)
        if tensor._array is self.array and tensor._node is self.node:
            return tensor
        return wrap(self.array, self.layout, self.node)

    def detached(self) -> Tensor:
        """What it held, without a history."""
        return wrap(self.array, self.layout)


class _KeptResult:
    """The same of a result of the node that keeps it: the node must not hold the tensor, which holds the node."""

    __slots__ = ("_array", "_epoch", "_layout", "_tensor")

    def __init__(self, tensor: Tensor) -> None:
        self._array, self._layout, self._epoch = tape.keep(tensor), tensor._layout, tensor._epoch
        self._tensor = weakref.ref(tensor)

    def tensor(self, slot: Output | None) -> Tensor:
        tensor = self._tensor()
        if tensor is not None and tensor._array is self._array and tensor._epoch is self._epoch:
            return tensor
        return wrap(self._array, self._layout, slot)


class _PythonCall:
    """The gradient rule of a Python node, in the form in which the tape knows rules (`entry.Call`).

    Args:
        back: from the gradients of the results, what the node has kept, and the results if those were kept, to the
            gradients of the inputs.
    """

    __slots__ = ("back", "is_tuple", "part", "passes", "targets")

    def __init__(self, back: Callable[[tuple, list, list], list], layouts: Sequence[Layout]) -> None:
        self.back = back
        self.passes = False
        self.part = None
        self.is_tuple = True
        self.targets = tuple(enumerate(layouts))

    def run(self, saved: tuple, g: tuple) -> list:
        return self.run_with_history(None, saved, g)

    def run_with_history(self, node: Node | None, saved: tuple, g: tuple) -> list:
        given, results = saved
        out = [kept.tensor(None if node is None else Output(node, i)) for i, kept in enumerate(results)]
        return self.back(g, [kept.tensor() for kept in given], out)


class _PythonRecipe:
    """What a node knows of its call (`entry.Recipe`)."""

    __slots__ = ("calls", "entry", "is_tuple", "results", "saves")

    def __init__(self, name: str, call: _PythonCall, results: int) -> None:
        self.calls = (call,)
        self.is_tuple, self.results = True, results
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
    back: Callable[[tuple, list, list], list],
    handles: Sequence[Tensor] | None = None,
    keeps: Sequence[Tensor] | None = None,
) -> Any:
    """The output, recorded as a function of `inputs` whose gradient is `back`.

    Args:
        name: for messages.
        inputs: the tensors that a gradient may flow to.
        output: tensors, in any nesting, computed without the tape.
        back: from the gradients of the output's tensors (None where there is none), the tensors in `keeps`, and those of
            the output if there are `keeps`, to the gradients of the inputs.
        handles: tensors without history on the memory of the output's, to take their places; new ones when not given. Where
            they are, it is known that a tape follows.
        keeps: what `back` gets as it is now, whatever is written to it later.
    """
    if handles is None and not (tape.is_recording() and any(t._node is not None for t in inputs)):
        return output
    results = list(tensors(output))
    count = len(results)
    call = _PythonCall(back, [current(t)._layout for t in inputs])
    node = Node.__new__(Node)
    node.recipe = _PythonRecipe(name, call, count)  # type: ignore[assignment]
    node.hooks = None
    node.code, node.at = frame_position(calling_frame(2))
    node.parents = tuple(t._node for t in inputs)
    given = tuple(map(Kept, keeps or ()))
    node.saved = given, ()
    node.tick = memory.tick()
    made = list(handles) if handles is not None else [tape.second_handle(tensor, None) for tensor in results]
    for number, handle in enumerate(made):
        handle._node = Output(node, number)
    if keeps is not None:
        node.saved = given, tuple(map(_KeptResult, made))
    handle_of = iter(made)
    return tree_map(lambda _: next(handle_of), output)


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
    followed = [(i, t._layout.shape) for i, t in enumerate(args) if isinstance(t, Tensor)]
    several = isinstance(output, tuple)

    def back(gradients: tuple, given: list, results: list) -> list:
        filled = [g if g is not None else _zeros(t._layout.type) for g, t in zip(gradients, results)]
        out = _filled_in(output, results)
        result = tape.ask(gradient, *_filled_in(args, given), out, tuple(filled) if several else filled[0])
        result = result if isinstance(result, tuple) else (result,)
        if len(result) != len(args):
            raise OpTypeError(
                f"{name} must return one gradient for each of the {len(args)} inputs, but returned {len(result)}"
            )
        for i, shape in followed:
            g = result[i]
            if isinstance(g, Tensor) and not _may_be_summed(g.shape, shape):
                raise OpValueError(f"{name}: the gradient of input {i} must have shape {shape}, but has {g.shape}")
        return [result[i] if isinstance(result[i], Tensor) else None for i, _ in followed]

    return record_python(name, [args[i] for i, _ in followed], output, back, handles, list(tensors(args)))


def _filled_in(tree: Any, values: list[Tensor]) -> Any:
    """A nesting with other tensors; itself where these are the ones that it has."""
    now = list(tensors(tree))
    if len(now) != len(values) or all(a is b for a, b in zip(now, values)):
        return tree
    value_of = iter(values)
    return tree_map(lambda _: next(value_of), tree)


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
        self._saved: tuple = ()
        self.needs_input_grad: tuple[bool, ...] = ()
        self._non_differentiable: tuple[int, ...] = ()
        self._dirty: tuple[int, ...] = ()
        self._materialize = True

    def save_for_backward(self, *tensors: Tensor) -> None:
        """Keep tensors for `backward`, where they are `ctx.saved_tensors` with their values of now."""
        self._saved = keep(tensors)

    @property
    def saved_tensors(self) -> tuple[Tensor, ...]:
        """What `save_for_backward` has kept."""
        return given_back(self._saved) if self._saved else ()

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Say that results have no gradient."""
        self._non_differentiable = tuple(id(t) for t in tensors)

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Say which inputs `forward` changed in place."""
        self._dirty = tuple(id(t) for t in tensors)

    def set_materialize_grads(self, value: bool) -> None:
        """Whether absent gradients come to `backward` as zeros (the default) or as None."""
        self._materialize = bool(value)


def keep(values: tuple) -> tuple:
    """What a gradient will need, as it is now."""
    return tuple([Kept(value) if isinstance(value, Tensor) else value for value in values])


def given_back(kept: tuple) -> tuple:
    """What `keep` was given."""
    return tuple([value.tensor() if type(value) is Kept else value for value in kept])


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

    kinds = [t._layout.type for t in tensors(output)]

    def back(gradients: tuple, given: list, results: list) -> list:
        filled = [_zeros(kind) if g is None and ctx._materialize else g for g, kind in zip(gradients, kinds)]
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
        plain = iter(tensors(output))
        dead = ctx._non_differentiable
        recorded = tree_map(lambda t: operators.stop_gradient(p) if id(p := next(plain)) in dead else t, recorded)
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


def _zeros(kind: TensorType) -> Tensor:
    return operators.zeros_of(kind)
