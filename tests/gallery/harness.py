"""One program, run by Python and run compiled, and everything that can be seen of both compared bit for bit.

A program is a function with a way to make its arguments. Each side gets a world of its own, made anew: the same seeds, new
arguments, new objects, the module's globals as they were. The function is called several times in its world, with equal
data, with other data and with the first data again, so that what was compiled for one call is used for another.

    @program(lambda: [call(t(1, 2), 3), call(t(4, 5, 6), 2)], grad=True)    a plain function
    def scaled(x, n): ...

    @factory(lambda: [call(t(1, 2))])                                       what makes the function: a closure, a Cell
    def counter(jit): ...                                                    `jit` is the identity on the side of Python

`check(program)` raises AssertionError at the first difference, and says which call it is and where in it.
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import enum
import functools
import inspect
import io
import itertools
import random
import signal
import threading
import types
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any

import numpy as np

import anfora as ms
from anfora import Parameter, Tensor, nn
from anfora.graph.machine.switches import switches

__all__ = [
    "PROGRAMS", "Call", "Program", "call", "check", "check_rounds", "check_inner", "difference", "factory", "graph_mode",
    "i", "program", "s", "t", "vectors", "ways",
]  # fmt: skip

PROGRAMS: dict[str, Program] = {}  #: the gallery by name, in order of definition

Jit = Callable[[Any], Any]

LIMIT = 20.0  #: seconds for the calls of a program on one side


# --------------------------------------------------------------------------------------------------------------- programs


@dataclasses.dataclass
class Call:
    """The arguments of one call."""

    args: tuple
    kwargs: dict[str, Any]


def call(*args: Any, **kwargs: Any) -> Call:
    return Call(args, kwargs)


def s(number: float, dtype: Any = ms.float32) -> Tensor:
    """A tensor without axes."""
    return Tensor(number, dtype)


def t(*numbers: Any, dtype: Any = ms.float32) -> Tensor:
    """A float tensor: t(1, 2) has two elements, t([[1, 2]]) is a matrix."""
    data = numbers[0] if len(numbers) == 1 and isinstance(numbers[0], list) else list(numbers)
    return Tensor(np.array(data), dtype)


def i(*numbers: Any) -> Tensor:
    """An int32 tensor."""
    return t(*numbers, dtype=ms.int32)


def vectors(count: int) -> Callable[[], list[Call]]:
    """Calls with `count` float tensors: vectors, other vectors of that length, matrices of another size."""

    def make() -> list[Call]:
        numbers = np.random.default_rng(count)
        shapes = [(3,), (3,), (2, 4)]
        return [
            Call(tuple(Tensor(numbers.uniform(-2, 2, shape).astype(np.float32)) for _ in range(count)), {})
            for shape in shapes
        ]

    return make


@dataclasses.dataclass
class Program:
    """A program and what it wants compared.

    Args:
        name: of the program.
        build: from `jit` to the function, newly made.
        calls: makes the calls, with new arguments each time.
        grad: whether its gradients are compared too, to the float tensors among the arguments and the weights it holds.
        order: up to which order.
        raises: whether some call ends with an exception; None when that is not known.
        state: names of globals of its module that it uses: they start equal on both sides, and are compared.
        between: called with the function between two calls: what happens outside of the program.
        namespace: the globals of its module.
        around: entered for all calls of a side, and left behind them.
    """

    name: str
    build: Callable[[Jit], Any]
    calls: Callable[[], list[Call]]
    grad: bool = False
    order: int = 1
    raises: bool | None = False
    state: tuple[str, ...] = ()
    between: Callable[[Any], None] | None = None
    namespace: dict[str, Any] = dataclasses.field(default_factory=dict)
    around: contextlib.AbstractContextManager = dataclasses.field(default_factory=contextlib.nullcontext)

    def all_calls(self) -> list[Callable[[], Call]]:
        """The first call twice, the others, the first again. Arguments are made just before each."""
        count = len(self.calls())
        return [functools.partial(lambda n: self.calls()[n], n) for n in (0, 0, *range(1, count), 0)]


def _register(made: Program) -> None:
    assert made.name not in PROGRAMS, f"two programs are called {made.name}"
    PROGRAMS[made.name] = made


def program(calls: Callable[[], list[Call]] | None = None, state: str = "", **options: Any) -> Callable:
    """Enter a plain function. Without `calls` each parameter is a float tensor (see `vectors`)."""

    def enter(function: Callable) -> Callable:
        made = calls or vectors(len(inspect.signature(function).parameters))

        def build(_jit: Jit) -> Callable:
            return function

        _register(
            Program(
                function.__name__, build, made, state=tuple(state.split()), namespace=function.__globals__, **options
            )
        )
        return function

    return enter


def factory(calls: Callable[[], list[Call]] | None = None, state: str = "", **options: Any) -> Callable:
    """Enter a function of `jit` that makes the function of the program. Without `calls` it takes one float tensor."""

    def enter(build: Callable) -> Callable:
        _register(
            Program(
                build.__name__, build, calls or vectors(1), state=tuple(state.split()), namespace=build.__globals__,
                **options,
            )
        )  # fmt: skip
        return build

    return enter


# ------------------------------------------------------------------------------------------------------------ observations


class Bits:
    """An array by its bits; all NaNs are one."""

    def __init__(self, array: np.ndarray) -> None:
        array = np.array(array)
        if array.dtype.kind in "fc":
            array[np.isnan(array)] = np.nan
        self.array = array
        self.key = (array.dtype.str, array.shape, array.tobytes())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bits) and self.key == other.key

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{self.array.dtype}{list(self.array.shape)} {self.array.tolist()}"


_OF_EVERY_CELL = frozenset(name for name in vars(nn.Cell()) if name.startswith("_"))


class Picture:
    """Values as nested tuples that can be compared, with identity: what was seen before is named by its number."""

    def __init__(self) -> None:
        self.seen: dict[int, int] = {}
        self.kept: list[Any] = []  # so that no id is used twice
        self.tensors: list[Tensor] = []

    def of(self, value: Any) -> Any:
        while type(value).__module__.startswith("anfora.") and hasattr(value, "__wrapped__"):
            value = value.__wrapped__  # what is compiled, not how
        kind = type(value)
        if value is None or kind in (bool, int, str, bytes, type(...), type(NotImplemented)):
            return (kind.__name__, value)
        if kind in (float, complex):
            return (kind.__name__, Bits(np.array(value)))
        if isinstance(value, np.generic):
            return ("numpy scalar", Bits(np.asarray(value)))
        if isinstance(value, (enum.Enum, types.ModuleType, type, types.BuiltinFunctionType, range, slice)):
            return (kind.__name__, repr(value))
        if kind is tuple and _is_plain(value):  # that two equal ones are the same object means nothing
            return ("tuple", *map(self.of, value))
        if id(value) in self.seen:
            return ("the same as", self.seen[id(value)])
        number = self.seen[id(value)] = len(self.seen)
        self.kept.append(value)
        return (f"{kind.__module__}.{kind.__qualname__}", number, *self.parts(value))

    def parts(self, value: Any) -> Iterator[Any]:
        if isinstance(value, Tensor):
            self.tensors.append(value)
            yield str(value.dtype)
            yield Bits(value.asnumpy())
            yield ("requires_grad", value.requires_grad)
            if isinstance(value, Parameter):
                yield ("name", value.name)
            if value.requires_grad and value.grad is not None:
                yield ("grad", self.of(value.grad))
        elif isinstance(value, np.ndarray):
            yield Bits(value)
        elif isinstance(value, (list, tuple)):
            yield from map(self.of, value)
        elif isinstance(value, (set, frozenset)):
            yield from sorted(map(self.of, value), key=repr)
        elif isinstance(value, dict):
            for key, entry in value.items():
                yield (self.of(key), self.of(entry))
        elif isinstance(value, types.FunctionType):
            function = inspect.unwrap(value)
            yield function.__qualname__
            yield ("defaults", self.of(function.__defaults__))
            for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
                with contextlib.suppress(ValueError):  # not assigned yet
                    yield (name, self.of(cell.cell_contents))
            for name, attribute in vars(function).items():
                yield (name, self.of(attribute))
        elif isinstance(value, types.MethodType):
            yield (value.__name__, self.of(value.__self__))
        elif isinstance(value, functools.partial):
            yield from map(self.of, (value.func, value.args, value.keywords))
        elif isinstance(value, BaseException):
            yield str(value)
        elif kind_of_iterator(value):
            yield from map(self.of, begun(value))
            return
        if isinstance(value, nn.Cell):
            yield ("training", value.training)
            if type(value).__module__.startswith("anfora"):  # layers and optimizers: what they hold, not how
                for name, parameter in value.parameters_and_names():
                    yield (name, self.of(parameter))
                return
        elif type(value).__module__.startswith("anfora"):
            return
        for name in _attributes(value):
            yield (name, self.of(getattr(value, name)))

    def sharing(self) -> tuple[tuple[int, int], ...]:
        """Which of the tensors seen, by order, overlap in memory."""
        arrays = [tensor.asnumpy() for tensor in self.tensors]
        return tuple(
            (one, two) for (one, a), (two, b) in itertools.combinations(enumerate(arrays), 2) if np.shares_memory(a, b)
        )


def kind_of_iterator(value: Any) -> bool:
    """Whether it is an iterator of Python's, a generator among them."""
    return hasattr(type(value), "__next__") and type(value).__module__ in (
        "builtins",
        "itertools",
        "collections",
        "_collections",
    )


def begun(value: Any) -> Iterator[Any]:
    """What an iterator gives next: two items, which are gone from it then on both sides."""
    for _ in range(2):
        try:
            yield next(value)
        except StopIteration:
            yield "no more"
            return
        except Exception as error:
            yield error


def _is_plain(value: Any) -> bool:
    if type(value) is tuple:
        return all(map(_is_plain, value))
    return value is None or isinstance(value, (bool, int, float, str))


def _attributes(value: Any) -> list[str]:
    if isinstance(value, (Tensor, np.ndarray, types.FunctionType, functools.partial)):
        return []
    names = [name for name in getattr(value, "__dict__", {}) if name not in _OF_EVERY_CELL]
    for cls in type(value).__mro__:
        slots = cls.__dict__.get("__slots__", ())
        names += [name for name in ((slots,) if isinstance(slots, str) else slots) if hasattr(value, name)]
    return [name for name in names if name not in ("__dict__", "__weakref__")]


def difference(one: Any, two: Any, path: str = "") -> str | None:
    """Where two pictures differ first; None when they are equal."""
    if isinstance(one, tuple) and isinstance(two, tuple):
        for number, (a, b) in enumerate(zip(one, two)):
            label = a[0] if isinstance(a, tuple) and a and isinstance(a[0], str) else number
            found = difference(a, b, f"{path}/{label}")
            if found:
                return found
        if len(one) == len(two):
            return None
    elif type(one) is type(two) and one == two:
        return None
    return f"{path}:\n    Python:   {one!r}\n    compiled: {two!r}"


def _outcome(function: Callable, made: Call) -> tuple[Any, BaseException | None]:
    try:
        return function(*made.args, **made.kwargs), None
    except Exception as error:  # what a program raises is a part of its result
        return None, _without_frames(error)


def _without_frames(error: Exception) -> Exception:
    """The same error, which keeps nothing of the program alive: how long a frame lives is not the program's meaning."""
    pending: list[BaseException | None] = [error]
    while pending:
        one = pending.pop()
        if one is not None and one.__traceback__ is not None:
            one.__traceback__ = None
            pending += [one.__cause__, one.__context__]
    return error


def _observe(function: Callable, target: Any, program: Program, made: Call) -> Any:
    """Call once, and all that can be seen of it then."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        result, error = _outcome(function, made)
    picture = Picture()
    causes = []
    cause = error and (error.__cause__ or error.__context__)
    while cause:
        causes.append(type(cause).__name__)
        cause = cause.__cause__ or cause.__context__
    seen = (
        ("printed", printed.getvalue()),
        ("raised", error and (type(error).__name__, str(error), *causes)),
        ("result", picture.of(result)),
        ("arguments", picture.of(list(made.args)), picture.of(made.kwargs)),
        ("program", picture.of(target)),
        ("globals", *((name, picture.of(program.namespace[name])) for name in program.state)),
    )
    kind, keys, *rest = np.random.get_state()
    return (
        *seen,
        ("shared memory", picture.sharing()),
        ("random state", ms.get_rng_state().asnumpy().tobytes(), kind, keys.tobytes(), *rest, random.getstate()),
    )


@contextlib.contextmanager
def _world(program: Program) -> Iterator[None]:
    """Seeds and globals as at the start; the globals are put back after, and so is the tape, which a program that is ended
    inside of `with no_grad()` may leave off."""
    switch = switches()
    kept = {name: program.namespace[name] for name in program.state}
    program.namespace.update(copy.deepcopy(kept))
    ms.set_seed(1)
    np.random.seed(1)
    random.seed(1)
    try:
        with program.around:
            yield
    finally:
        program.namespace.update(kept)
        switch.turn()


_in_graph_mode: list[None] = []  #: one for each block, of any thread, that is in it: the mode is the process's
_entering = threading.Lock()


@contextlib.contextmanager
def graph_mode() -> Iterator[None]:
    with _entering:
        _in_graph_mode.append(None)
        ms.set_context(mode=ms.GRAPH_MODE)
    try:
        yield
    finally:
        with _entering:
            _in_graph_mode.pop()
            if not _in_graph_mode:
                ms.set_context(mode=ms.PYNATIVE_MODE)


# -------------------------------------------------------------------------------------------------------------- comparing


def _plain(function: Any) -> Any:
    return function


def _weights(target: Any) -> list[Parameter]:
    """The parameters that a function holds: those of a Cell, of a method's Cell, of a closure."""
    if isinstance(target, types.MethodType):
        return _weights(target.__self__)
    if isinstance(target, nn.Cell):
        return target.trainable_params()
    if isinstance(target, Parameter):
        return [target]
    held: list[Parameter] = []
    if isinstance(target, types.FunctionType):
        for cell in inspect.unwrap(target).__closure__ or ():
            if isinstance(cell.cell_contents, (nn.Cell, Parameter)):
                held += _weights(cell.cell_contents)
    return held


def _differentiable(value: Any) -> bool:
    if isinstance(value, Tensor):
        return value.is_floating_point()
    if isinstance(value, (list, tuple)):
        return any(map(_differentiable, value))
    return isinstance(value, dict) and any(map(_differentiable, value.values()))


def _gradient(order: int) -> Callable[[Any, Any, Jit], Callable]:
    """How to make the function that gives value and gradients: of `target`, called as `function`."""

    def make(function: Any, target: Any, jit: Jit) -> Callable:
        def gradients(*args: Any, **kwargs: Any) -> Any:
            positions = tuple(number for number, value in enumerate(args) if _differentiable(value)) or None
            weights = _weights(target) or None
            inner: Callable = function
            for _ in range(order - 1):
                inner = ms.grad(inner, positions, weights if positions is None else None)
            return ms.value_and_grad(inner, positions, weights)(*args, **kwargs)

        return jit(gradients)

    return make


Round = Callable[[], contextlib.AbstractContextManager]


def _run(
    program: Program, jit: Jit, wrap: Callable[[Any, Any, Jit], Callable], inner: Jit, outer: Jit,
    rounds: tuple[Round, ...] = (contextlib.nullcontext,),
) -> Generator[tuple[str, Any], None, None]:  # fmt: skip
    """Every call of a program in a world of its own, as often as there are rounds: its number, and what was seen. To be
    closed: the world ends when this does, and with what was replaced in it."""
    with _world(program):
        target = program.build(jit)
        function = wrap(inner(target), target, outer)
        for number, (during, make) in enumerate(itertools.product(rounds, program.all_calls())):
            if number and program.between:
                program.between(target)
            with during():
                seen = _observe(function, target, program, make())
            yield f"call {number + 1}", seen


def _call_it(function: Any, _target: Any, _jit: Jit) -> Callable:
    return function


def check(program: Program, jit: Jit = ms.jit) -> None:
    """Compare a program that Python runs with the compiled one: calls, then gradients, then GRAPH_MODE for a Cell.

    Raises:
        AssertionError: at the first difference.
    """
    is_cell = isinstance(program.build(_plain), nn.Cell)
    for what, wrap, ways in _kinds(program, jit):
        expected = _expected(program, what, wrap)
        raised = [seen[1][1] for _, seen in expected if seen[1][1]]
        assert program.raises in (None, bool(raised)), f"{program.name}: {what}: Python raises {raised or 'nothing'}"
        for way, inner, outer in ways:
            with contextlib.closing(_run(program, jit, wrap, inner, outer)) as found:
                _compare(program, f"{what}, {way}", expected, found)
        if is_cell:
            with graph_mode(), contextlib.closing(_run(program, _plain, wrap, _plain, _plain)) as found:
                _compare(program, f"{what}, GRAPH_MODE", expected, found)


def check_rounds(program: Program, rounds: tuple[Round, ...]) -> None:
    """Compare a program as `check` does, with its calls made once in each round, one after the other in one world. Errors
    are compared by their first lines, since what surrounds the calls may be named as the place.

    Args:
        program: to be compared.
        rounds: what is entered for each call of a round on the side of the compiled program.
    """
    for what, wrap, ways in _kinds(program, ms.jit):
        expected = _expected(program, what, wrap, (contextlib.nullcontext,) * len(rounds))
        for way, inner, outer in ways:
            with contextlib.closing(_run(program, ms.jit, wrap, inner, outer, rounds)) as found:
                _compare(program, f"{what}, {way}", _without_places(expected), _without_places(found))


def check_inner(program: Program, jit: Jit, inner: Jit) -> None:
    """Compare a program that Python runs with what `inner` makes of it, with `jit` given to what builds it: calls, then
    gradients; errors by their first lines."""
    for what, wrap, _ in _kinds(program, jit):
        expected = _without_places(_expected(program, what, wrap))
        with contextlib.closing(_run(program, jit, wrap, inner, _plain)) as found:
            _compare(program, what, expected, _without_places(found))


def _kinds(program: Program, jit: Jit) -> Iterator[tuple[str, Callable, list[tuple[str, Jit, Jit]]]]:
    """What is compared: a name of it, what makes it of the function, and the ways in which it is compiled."""
    yield "value", _call_it, [("jit", jit, _plain)]
    for order in range(1, program.order + 1) if program.grad else ():
        ways = [("gradient of jit", jit, _plain), ("jit of gradient", _plain, jit)]
        yield f"gradient of order {order}", _gradient(order), ways


def _without_places(seen: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """The same, of errors the first lines."""
    for number, (printed, (_, raised), *rest) in seen:
        if raised:
            kind, text, *causes = raised
            raised = (kind, text.split("\n")[0], *causes)
        yield number, (printed, ("raised", raised), *rest)


class _Endless(BaseException):
    """Not an Exception, so that neither a program nor the harness takes it for a result."""


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    """A program that does not come to its end is a difference too: it is given some seconds of the processor, and many on
    the clock, since others may need the machine. Other threads run without the limit."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: Any) -> None:
        raise _Endless

    before = {each: signal.signal(each, stop) for each in (signal.SIGPROF, signal.SIGALRM)}
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    signal.setitimer(signal.ITIMER_REAL, 10 * LIMIT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for each, handler in before.items():
            signal.signal(each, handler)


def _expected(
    program: Program, what: str, wrap: Callable[[Any, Any, Jit], Callable],
    rounds: tuple[Round, ...] = (contextlib.nullcontext,),
) -> list[tuple[str, Any]]:  # fmt: skip
    """What Python does."""
    try:
        with _limited():
            return list(_run(program, _plain, wrap, _plain, _plain, rounds))
    except _Endless:
        raise AssertionError(f"{program.name}: {what}: does not end in Python") from None


def _compare(
    program: Program, what: str, expected: Iterable[tuple[str, Any]], found: Iterator[tuple[str, Any]]
) -> None:
    number = "call 0"
    try:
        with _limited():
            for (number, one), (_, two) in zip(expected, found):
                differing = difference(one, two)
                assert differing is None, f"{program.name}: {what}, {number} differs at {differing}"
    except _Endless:
        raise AssertionError(f"{program.name}: {what}: does not end after {number}") from None


def ways() -> dict[str, Callable[[Callable], Callable]]:
    """How a function may be run, by name: by Python, under jit, and called by a Cell in GRAPH_MODE."""

    class Caller(nn.Cell):
        def __init__(self, function: Callable) -> None:
            super().__init__()
            self.function = function

        def construct(self, *args: Any, **kwargs: Any) -> Any:
            return self.function(*args, **kwargs)

    def in_graph_mode(function: Callable) -> Callable:
        cell = function if isinstance(function, nn.Cell) else Caller(function)

        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            with graph_mode():
                return cell(*args, **kwargs)

        return called

    return {"Python": _plain, "jit": ms.jit, "GRAPH_MODE": in_graph_mode}
