"""Gradients of functions, as users ask for them. The only module that knows both modes."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

from anfora.core import slots
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.parameter import Parameter
from anfora.core.tensor import Tensor
from anfora.core.tree import has_tensors, tensors, tree_map
from anfora.eager import transform
from anfora.eager.forward import along, points_of

if TYPE_CHECKING:
    from typing import Concatenate, ParamSpec, TypeVar

    P = ParamSpec("P")
    A = TypeVar("A", bound=Tensor)
    R = TypeVar("R")

__all__ = ["GradOperation", "GradientFunction", "get_grad", "grad", "jacfwd", "jacrev", "jvp", "value_and_grad", "vjp"]


# For type checkers: by the first argument, by parameters, by both, by anything else.


@overload
def value_and_grad(
    fn: Callable[Concatenate[A, P], R], grad_position: Literal[0] = 0, weights: None = None,
    has_aux: bool = False, return_ids: Literal[False] = False, sens_param: Literal[False] = False,
) -> Callable[Concatenate[A, P], tuple[R, A]]: ...  # fmt: skip
@overload
def value_and_grad(
    fn: Callable[P, R], grad_position: None, weights: Parameter, has_aux: bool = False,
    return_ids: Literal[False] = False, sens_param: Literal[False] = False,
) -> Callable[P, tuple[R, Tensor]]: ...  # fmt: skip
@overload
def value_and_grad(
    fn: Callable[P, R], grad_position: None, weights: Sequence[Parameter], has_aux: bool = False,
    return_ids: Literal[False] = False, sens_param: Literal[False] = False,
) -> Callable[P, tuple[R, tuple[Tensor, ...]]]: ...  # fmt: skip
@overload
def value_and_grad(
    fn: Callable[P, R], grad_position: int | Sequence[int] | None = 0,
    weights: Parameter | Sequence[Parameter] | None = None, has_aux: bool = False, return_ids: bool = False,
    sens_param: Literal[False] = False,
) -> Callable[P, tuple[R, Any]]: ...  # fmt: skip
@overload
def value_and_grad(
    fn: Callable[..., Any], grad_position: int | Sequence[int] | None = 0,
    weights: Parameter | Sequence[Parameter] | None = None, has_aux: bool = False, return_ids: bool = False,
    sens_param: bool = False,
) -> Callable[..., tuple[Any, Any]]: ...  # fmt: skip
def value_and_grad(
    fn: Callable,
    grad_position: int | Sequence[int] | None = 0,
    weights: Parameter | Sequence[Parameter] | None = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Callable:
    """A function that gives the value of `fn` and its gradients.

    Args:
        fn: a function or Cell; where it gives several tensors, their sum is differentiated.
        grad_position: which arguments to differentiate by: an int, or a tuple with one position, gives one gradient, a
            longer tuple a tuple of them, None none. An argument that is a container gets its gradients in the same
            nesting. Positions in a tuple at which the call has None, a string or a bool, which have no gradient, are
            left out. Arguments that the call gives by name count after the others, in the order of the call.
        weights: parameters to differentiate by: one gives one gradient, several a tuple.
        has_aux: only the first result is differentiated; the others are passed on.
        return_ids: give each gradient as a pair of the position, or the parameter's name, and the gradient; see
            `get_grad`.
        sens_param: the last argument of the call is the gradient of the result.
    Returns:
        function: the arguments of `fn` to (value, gradients). Gradients are those of the positions, those of the
        weights, or a pair of both.
    Raises:
        OpValueError: neither positions nor weights are given, or a position is out of range.
        OpTypeError: an argument at a position holds no tensor.
    Example:
        >>> value_and_grad(lambda x: x * x)(Tensor(3.0))
        (Tensor(shape=[], dtype=Float32, value= 9), Tensor(shape=[], dtype=Float32, value= 6))
    """
    return GradientFunction(fn, grad_position, weights, has_aux, return_ids, sens_param)


def _holds_integers(value: Any) -> bool:
    """Whether a value is an integer of Python's, or a nesting of tuples and lists of these."""
    return value.__class__ is int or (
        isinstance(value, (tuple, list)) and bool(value) and all(map(_holds_integers, value))
    )


#: What never has a gradient; a number might have been meant as a tensor.
_WITHOUT_GRADIENT = (type(None), str, bool)


class GradientFunction:
    """What `value_and_grad` and `grad` give: a function, and which of its gradients are wanted."""

    def __init__(
        self,
        fn: Callable,
        grad_position: Any,
        weights: Any,
        has_aux: bool,
        return_ids: bool,
        sens_param: bool,
        gives_value: bool = True,
    ) -> None:
        self.positions, self.parameters = _request(fn, grad_position, weights)
        functools.update_wrapper(self, fn, updated=())
        self.fn, self.weights = fn, weights
        self.has_aux, self.return_ids, self.sens_param, self.gives_value = has_aux, return_ids, sens_param, gives_value

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if slots.calls_are_special:
            return slots.call_compiled(self, args, kwargs)
        return self.call_plainly(args, kwargs)

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        return self if owner is None else types.MethodType(self, owner)

    def call_plainly(self, args: tuple, kwargs: dict) -> Any:
        """The call in PyNative mode."""
        run = self.start(args, kwargs)
        try:
            return run.finish(self.fn(*run.args, **run.kwargs))
        except BaseException:  # of the function, of the walk back, or of a signal in between
            run.leave()
            raise

    # The steps of a call that only arrange things.

    def taken_apart(self, args: tuple, kwargs: dict) -> tuple[tuple, dict, tuple[int, ...], Any]:
        """The arguments of a call: those of the function, which of them gradients are wanted for, and the gradient of the
        result."""
        sens = None
        if self.sens_param:
            kwargs = dict(kwargs)
            if "sens" in kwargs:
                sens = kwargs.pop("sens")
            elif args:
                *rest, sens = args
                args = tuple(rest)
            else:
                raise OpTypeError("a gradient with sens_param needs the gradient of the result as last argument")
        given = (*args, *kwargs.values())
        positions = self.positions
        present = tuple(
            i
            for i in positions
            if len(positions) == 1 or i >= len(given) or not isinstance(given[i], _WITHOUT_GRADIENT)
        )
        return args, kwargs, present, sens

    def counted(self, output: Any) -> Any:
        """The part of what the function returned that is differentiated.

        Integers, as of `shape` or `argmax`, move by nothing, be they tensors or Python's; a Python float is what a tensor
        was read out as, and might have moved."""
        counted = _counted(output, self.has_aux)
        if not has_tensors(counted) and not _holds_integers(counted):
            raise OpTypeError(
                f"a gradient needs a function that returns a tensor, but it returned {type(counted).__name__}"
            )
        return counted

    @property
    def gives_results(self) -> bool:
        """Whether what the function returned is a part of what the call gives."""
        return self.gives_value or self.has_aux

    def arranged(self, value: Any, by_input: list, by_weight: list, present: tuple[int, ...]) -> Any:
        """What the call gives.

        Args:
            value: what the function returned, if it `gives_results`.
            by_input, by_weight: the gradients.
            present: the positions that gradients are wanted for.
        """
        gradients = _arrange(by_input, by_weight, present, self.weights, self.parameters, self.return_ids)
        if self.gives_value:
            return value, gradients
        return (gradients, tuple(value[1:])) if self.has_aux else gradients

    def start(self, args: tuple, kwargs: dict) -> _Run:
        """Turn on the tape; `args` and `kwargs` of what comes are those to call the function with."""
        return _Run(self, args, kwargs)


class _Run:
    """One call of a GradientFunction: between `start` and `finish`, or `leave`, the tape is on."""

    def __init__(self, gradient: GradientFunction, args: tuple, kwargs: dict) -> None:
        self.gradient = gradient
        args, kwargs, self.present, self.sens = gradient.taken_apart(args, kwargs)
        self._tape = transform.Differentiation(args, kwargs, self.present, gradient.parameters)
        self.args, self.kwargs = self._tape.args, self._tape.kwargs
        self._tape.__enter__()

    @property
    def create_graph(self) -> bool:
        """Whether the walk back is recorded, for a transform around this one."""
        return self._tape.create_graph

    def leave(self) -> None:
        """The function has raised an exception."""
        self._tape.__exit__()
        transform.forget_touched_at_the_end()

    def finish(self, output: Any) -> Any:
        """The function has returned: walk back."""
        self._tape.__exit__()
        gradient = self.gradient
        line = self._tape.done(output)
        output = line.output
        try:
            by_input, by_weight = line.gradients(self.sens, gradient.counted(output))
        finally:
            transform.forget_touched_at_the_end()
        value = transform.released(output) if gradient.gives_results else None
        return gradient.arranged(value, by_input, by_weight, self.present)


# For type checkers: by the first argument, by parameters, by both, by anything else.


@overload
def grad(
    fn: Callable[Concatenate[A, P], R], grad_position: Literal[0] = 0, weights: None = None,
    has_aux: Literal[False] = False, return_ids: Literal[False] = False, sens_param: Literal[False] = False,
) -> Callable[Concatenate[A, P], A]: ...  # fmt: skip
@overload
def grad(
    fn: Callable[P, R], grad_position: None, weights: Parameter, has_aux: Literal[False] = False,
    return_ids: Literal[False] = False, sens_param: Literal[False] = False,
) -> Callable[P, Tensor]: ...  # fmt: skip
@overload
def grad(
    fn: Callable[P, R], grad_position: None, weights: Sequence[Parameter], has_aux: Literal[False] = False,
    return_ids: Literal[False] = False, sens_param: Literal[False] = False,
) -> Callable[P, tuple[Tensor, ...]]: ...  # fmt: skip
@overload
def grad(
    fn: Callable[P, R], grad_position: int | Sequence[int] | None = 0,
    weights: Parameter | Sequence[Parameter] | None = None, has_aux: Literal[False] = False, return_ids: bool = False,
    sens_param: Literal[False] = False,
) -> Callable[P, Any]: ...  # fmt: skip
@overload
def grad(
    fn: Callable[..., Any], grad_position: int | Sequence[int] | None = 0,
    weights: Parameter | Sequence[Parameter] | None = None, has_aux: bool = False, return_ids: bool = False,
    sens_param: bool = False,
) -> Callable[..., Any]: ...  # fmt: skip
def grad(
    fn: Callable,
    grad_position: int | Sequence[int] | None = 0,
    weights: Parameter | Sequence[Parameter] | None = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Callable:
    """A function that gives the gradients of `fn`: what `value_and_grad` gives, without the value.

    With `has_aux` it gives the gradients and what the function returned beside its value.

    Example:
        >>> grad(lambda x: x * x * x)(Tensor(2.0))
        Tensor(shape=[], dtype=Float32, value= 12)
        >>> grad(grad(lambda x: x * x * x))(Tensor(2.0))
        Tensor(shape=[], dtype=Float32, value= 12)
    """
    return GradientFunction(fn, grad_position, weights, has_aux, return_ids, sens_param, gives_value=False)


def _request(fn: Any, grad_position: Any, weights: Any) -> tuple[tuple[int, ...], tuple[Parameter, ...]]:
    """The positions and parameters that are meant."""
    if not callable(fn):
        raise OpTypeError(f"a gradient needs a function or Cell, but got {type(fn).__name__}")
    if grad_position is None and weights is None:
        raise OpValueError("`grad_position` and `weight` can not be None at the same time.")
    if grad_position is None:
        positions: tuple[int, ...] = ()
    elif isinstance(grad_position, (tuple, list)):
        positions = tuple(grad_position)
    else:
        positions = (grad_position,)
    for position in positions:
        if isinstance(position, bool) or not isinstance(position, int):
            raise OpTypeError(f"`grad_position` must be an integer or a tuple of integers, but got {grad_position!r}")
        if position < 0:
            raise OpValueError(f"`grad_position` must not be negative, but got {position}")
    if len(set(positions)) != len(positions):
        raise OpValueError(f"`grad_position` names a position twice: {positions}")
    if weights is None:
        return positions, ()
    parameters = (weights,) if isinstance(weights, Parameter) else tuple(weights)
    for parameter in parameters:
        if not isinstance(parameter, Parameter):
            raise OpTypeError(f"`weights` must be Parameters, but got {type(parameter).__name__}")
    return positions, parameters


def _arrange(
    by_input: list, by_weight: list, positions: tuple, weights: Any, parameters: tuple, return_ids: bool
) -> Any:
    if return_ids:
        by_input = [(position, gradient) for position, gradient in zip(positions, by_input)]
        by_weight = [(parameter.name, gradient) for parameter, gradient in zip(parameters, by_weight)]
    inputs = by_input[0] if len(by_input) == 1 else tuple(by_input)
    if weights is None:
        return inputs
    own = by_weight[0] if isinstance(weights, Parameter) else tuple(by_weight)
    return (inputs, own) if positions else own


def get_grad(gradients: Any, identifier: int | Parameter) -> Tensor:
    """The gradient of a position or parameter among gradients that were taken with `return_ids=True`.

    Raises:
        OpValueError: it is not among them.
    Example:
        >>> gradients = grad(lambda x, y: x * y, (0, 1), return_ids=True)(Tensor(3.0), Tensor(4.0))
        >>> get_grad(gradients, 1).item()
        3.0
    """
    wanted = identifier.name if isinstance(identifier, Parameter) else identifier

    def search(tree: Any) -> Tensor | None:
        if isinstance(tree, tuple):
            if len(tree) == 2 and not isinstance(tree[0], (tuple, Tensor)) and isinstance(tree[0], (int, str)):
                return tree[1] if tree[0] == wanted and type(tree[0]) is type(wanted) else None
            for item in tree:
                found = search(item)
                if found is not None:
                    return found
        return None

    found = search(gradients)
    if found is None:
        raise OpValueError(f"there is no gradient of {wanted!r}", help="take the gradients with return_ids=True.")
    return found


class GradOperation:
    """MindSpore's older way to ask for gradients: `GradOperation(get_all, get_by_list, sens_param)(net, params)(x)`.

    Args:
        get_all: by all arguments that are or hold tensors, as a tuple; else by the first.
        get_by_list: by parameters: those given in the second place, or all trainable ones of the Cell.
        sens_param: the last argument of the call is the gradient of the result.

    Example:
        >>> GradOperation(get_all=True)(lambda x, y: x * y)(Tensor(2.0), Tensor(3.0))
        (Tensor(shape=[], dtype=Float32, value= 3), Tensor(shape=[], dtype=Float32, value= 2))
    """

    def __init__(self, get_all: bool = False, get_by_list: bool = False, sens_param: bool = False) -> None:
        for name, value in (("get_all", get_all), ("get_by_list", get_by_list), ("sens_param", sens_param)):
            if not isinstance(value, bool):
                raise OpTypeError(f"GradOperation: `{name}` must be a bool, but got {value!r}")
        self.get_all, self.get_by_list, self.sens_param = get_all, get_by_list, sens_param

    def __call__(self, fn: Callable, weights: Any = None) -> Callable:
        if self.get_by_list and weights is None:
            weights = tuple(fn.trainable_params())  # type: ignore[attr-defined]

        @functools.wraps(fn, updated=())
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            count = len(args) - (self.sens_param and "sens" not in kwargs)
            named = {name: value for name, value in kwargs.items() if not self.sens_param or name != "sens"}
            inputs = (*args[:count], *named.values())
            if self.get_all:
                positions = _positions_of_tensors(inputs)
            else:
                positions = (0,) if inputs and not self.get_by_list else ()
            own = weights if self.get_by_list else None
            by_input: Any = ()
            by_weight: Any = ()
            if positions or (self.get_by_list and (not self.get_all or isinstance(own, Parameter) or own)):
                differentiate = value_and_grad(fn, positions or None, own, sens_param=self.sens_param)
                found = differentiate(*args, **kwargs)[1]
                if positions:
                    by_input, by_weight = found if self.get_by_list else (found, ())
                else:
                    by_weight = found
                if self.get_all and len(positions) == 1:  # a lone gradient comes without its tuple
                    by_input = (by_input,)
            else:  # there is nothing to differentiate by
                fn(*args[:count], **named)
            if self.get_all and self.get_by_list:
                return by_input, by_weight
            return by_weight if self.get_by_list else by_input

        return wrapped


def _positions_of_tensors(inputs: tuple) -> tuple[int, ...]:
    """Which arguments are or hold tensors."""
    return tuple(i for i, given in enumerate(inputs) if has_tensors(given))


def vjp(fn: Callable, *inputs: Any, weights: Any = None, has_aux: bool = False) -> tuple:
    """The value of `fn` at `inputs`, and the function from gradients of the value to gradients of the inputs.

    Returns:
        (value, vjp_fn), with `has_aux` (value, vjp_fn, aux). `vjp_fn` gives the gradients of all inputs as a tuple, and
        with `weights` a pair of these and the gradients of the weights.
    Raises:
        OpTypeError: there is no tensor among the inputs, and no weight.
    Example:
        >>> value, pull = vjp(lambda x: x * x, Tensor(3.0))
        >>> pull(Tensor(1.0))
        (Tensor(shape=[], dtype=Float32, value= 6),)
    """
    positions = _positions_of_tensors(inputs)
    parameters = () if weights is None else (weights,) if isinstance(weights, Parameter) else tuple(weights)
    if not positions and not parameters:
        kinds = ", ".join([type(x).__name__ for x in inputs]) or "nothing"
        raise OpTypeError(f"vjp needs tensors to differentiate by, but got {kinds}", arg="inputs")
    line = transform.linearize(fn, inputs, {}, positions, parameters)
    value, *aux = _results(line, has_aux)

    def pull(*sens: Any) -> Any:
        by_input, by_weight = _pulled_back(line, sens, has_aux)
        if weights is None:
            return tuple(by_input)
        return tuple(by_input), by_weight[0] if isinstance(weights, Parameter) else tuple(by_weight)

    return (value, pull, *aux)


# What is done with a function that was run with the tape on. Each is a step that the compiler does not look into.


def _results(line: transform.Linearized, has_aux: bool) -> tuple:
    """The value of a function, and with `has_aux` what it gave beside it, for the caller."""
    value = transform.released(_counted(line.output, has_aux))
    return (value, _aux(line.output)) if has_aux else (value,)


def _pulled_back(line: transform.Linearized, sens: tuple, has_aux: bool) -> tuple[list, list]:
    """The gradients to inputs and weights for gradients of the value."""
    return line.gradients(sens[0] if len(sens) == 1 else sens, _counted(line.output, has_aux))


def _counted(output: Any, has_aux: bool) -> Any:
    """The part of what a function returned that is differentiated."""
    if not has_aux:
        return output
    if not isinstance(output, (tuple, list)) or len(output) < 2:
        raise OpValueError("with has_aux the function must return its value and something beside it")
    return output[0]


def _aux(output: Any) -> Any:
    """What a function returned beside its value: one thing, or a tuple of them."""
    rest = transform.released(output[1:])
    return rest[0] if len(rest) == 1 else rest


def jvp(fn: Callable, inputs: Any, v: Any, has_aux: bool = False) -> tuple:
    """The value of `fn` at `inputs`, and its derivative in the direction `v`.

    `fn` is run once, and each operator in it gives the tangent of its result by its forward rule (`Op.jvp`), or by its
    gradient applied twice where it has none.

    Args:
        inputs, v: a tensor, or a tuple of tensors, and a direction of the same form.
    Raises:
        OpTypeError: an input or a direction is neither a tensor nor a tuple or list of them.
        OpValueError: the numbers of tensors differ, or a direction cannot be broadcast to the shape of its input.
    Example:
        >>> jvp(lambda x: x * x, Tensor(3.0), Tensor(1.0))
        (Tensor(shape=[], dtype=Float32, value= 9), Tensor(shape=[], dtype=Float32, value= 6))
    """
    points, directions = _points_and_directions(inputs, v)
    line = transform.linearize(fn, points, {}, tuple(range(len(points))), ())
    return _pushed_forward(line, directions, has_aux)


def _points_and_directions(inputs: Any, v: Any) -> tuple[tuple, tuple]:
    """What `jvp` is asked for, checked."""
    for name, given in (("inputs", inputs), ("v", v)):
        if not isinstance(given, (Tensor, tuple, list)) or not has_tensors(given):
            raise OpTypeError(f"jvp needs a tensor or a tuple of tensors for `{name}`, but got {given!r:.60}", arg=name)
    points = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    directions = (v,) if isinstance(v, Tensor) else tuple(v)
    if len(points) != len(directions):
        raise OpValueError(f"jvp got {len(points)} inputs, but {len(directions)} directions")
    return points, directions


def _pushed_forward(line: transform.Linearized, directions: tuple, has_aux: bool) -> tuple:
    """What `jvp` gives for a function that was run."""
    counted = _counted(line.output, has_aux)
    tangent = transform.released(along(line, tuple(tensors(directions)), counted))
    value = transform.released(counted)
    return (value, tangent, _aux(line.output)) if has_aux else (value, tangent)


def jacrev(fn: Callable, grad_position: int | Sequence[int] = 0, has_aux: bool = False) -> Callable:
    """The Jacobian of `fn`, row by row: for a result of shape R and an argument of shape A a tensor of shape R + A.

    Where `fn` gives several tensors there is a Jacobian for each; with several positions a tuple of them for each.

    Example:
        >>> jacrev(lambda x: x * x)(Tensor([1., 2.])).tolist()
        [[2.0, 0.0], [0.0, 4.0]]
    """
    positions = tuple(grad_position) if isinstance(grad_position, (tuple, list)) else (grad_position,)
    several = isinstance(grad_position, (tuple, list))

    def jacobian(*args: Any, **kwargs: Any) -> Any:
        line = transform.linearize(fn, args, kwargs, positions, ())
        return _row_by_row(line, tuple([args[i] for i in positions]), several, has_aux)

    return jacobian


def _row_by_row(line: transform.Linearized, points: tuple, several: bool, has_aux: bool) -> Any:
    """What `jacrev` gives for a function that was run."""
    from anfora.ops import stack

    def rows(output: Tensor) -> Any:
        """The Jacobians of one result."""
        found: list[list] = [[] for _ in points]
        for index in range(output.size):
            one = transform.zeros_like(output).reshape((-1,))
            one[index] = 1
            for row, gradient in zip(found, line.gradients(one.reshape(output.shape), output)[0]):
                row.append(gradient)
        full = [stack(row, 0).reshape((*output.shape, *point.shape)) for row, point in zip(found, points)]
        return tuple(full) if several else full[0]

    result = tree_map(rows, _counted(line.output, has_aux))
    return (result, _aux(line.output)) if has_aux else result


def jacfwd(fn: Callable, grad_position: int | Sequence[int] = 0, has_aux: bool = False) -> Callable:
    """The Jacobian of `fn`, column by column; the same as `jacrev`, cheaper for few inputs and many results.

    Example:
        >>> jacfwd(lambda x: x * x)(Tensor([1., 2.])).tolist()
        [[2.0, 0.0], [0.0, 4.0]]
    """
    positions = tuple(grad_position) if isinstance(grad_position, (tuple, list)) else (grad_position,)
    several = isinstance(grad_position, (tuple, list))

    def jacobian(*args: Any, **kwargs: Any) -> Any:
        line = transform.linearize(fn, args, kwargs, positions, ())
        return _column_by_column(line, len(positions), several, has_aux)

    return jacobian


def _column_by_column(line: transform.Linearized, count: int, several: bool, has_aux: bool) -> Any:
    """What `jacfwd` gives for a function that was run, by `count` arguments."""
    from anfora.ops import stack

    points = points_of(line)
    counted = _counted(line.output, has_aux)
    found: list[list] = []  # for each position those of all results
    for position in range(count):
        point = points[position]
        columns = []
        for index in range(point.size):
            one = transform.zeros_like(point).reshape((-1,))
            one[index] = 1
            directions: list[Tensor | None] = [None] * count
            directions[position] = one.reshape(point.shape)
            columns.append(list(tensors(along(line, directions, counted))))
        full = [(stack(column, -1), column[0].shape) for column in zip(*columns)]
        found.append([x.reshape((*shape, *point.shape)) for x, shape in full])
    each = iter(tuple(of) if several else of[0] for of in zip(*found))
    result = transform.released(tree_map(lambda _: next(each), counted))
    return (result, _aux(line.output)) if has_aux else result
