"""Entry points of graph mode: `jit`, and what programs say to a compiler. None of it changes what a program means."""

from __future__ import annotations

import builtins
import functools
import inspect
import os
import sys
import types
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, overload

from anfora.api import GradientFunction
from anfora.core import slots
from anfora.core.cell import Cell
from anfora.core.errors import OpTypeError, OpValueError
from anfora.core.habits import word_for
from anfora.core.tensor import Tensor
from anfora.core.tree import has_tensors, tensors
from anfora.graph.run.compiled import Compiled
from anfora.graph.source.sources import look_for
from anfora.graph.tell.cells import program_of
from anfora.graph.tell.explain import explained
from anfora.graph.tell.report import Report
from anfora.graph.tell.watched import Watched, kind_of_program, strictness

if TYPE_CHECKING:
    from anfora.graph.tell.analysis import LoweredProgram

__all__ = [
    "JitConfig",
    "constexpr",
    "explain",
    "jit",
    "jit_class",
    "lazy_inline",
    "lower",
    "ms_class",
    "ms_function",
    "mutable",
    "no_inline",
]

_CHOICES: dict[str, tuple] = {
    "capture_mode": ("ast", "bytecode", "trace"),
    "jit_level": ("", "O0", "O1", "O2"),
    "dynamic": (0, 1),
    "fullgraph": (False, True),
    "backend": ("", "ms_backend", "GE"),
    "infer_boost": ("on", "off"),
    "exc_mode": ("auto", "sync", "no_sync"),
    "jit_syntax_level": ("STRICT", "LAX", "COMPATIBLE", ""),
    "debug_level": ("RELEASE", "DEBUG"),
    "exec_order": ("bfs", "dfs", "gpto"),
    "hash_args": (),
    "compile_once": (False, True),
    "input_signature": (),
    "jit_config": (),
    "mode": ("PSJit", "PIJit"),
    "disable_format_transform": (False, True),
    "auto_offload": (),
    "check": (False, True),
}  #: the options of `jit`, with their values where these are few

#: MS_JIT=0 in the environment: `jit` leaves functions to Python.
_IS_OFF = os.environ.get("MS_JIT") == "0"


def _check(owner: str, options: dict[str, Any]) -> None:
    for name, value in options.items():
        if name not in _CHOICES:
            word = word_for(name, "options of jit")
            raise OpTypeError(f"{owner} has no option `{name}`; it has {', '.join(_CHOICES)}", help=word)
        if _CHOICES[name] and value not in _CHOICES[name]:
            shown = ", ".join(map(repr, _CHOICES[name]))
            raise OpValueError(f"{owner}: `{name}` must be one of {shown}, but got {value!r}", arg=name)


F = TypeVar("F", bound=Callable)


@overload
def jit(function: F, **options: Any) -> F: ...
@overload
def jit(function: None = None, **options: Any) -> Callable[[F], F]: ...
def jit(function: Any = None, **options: Any) -> Any:
    """Mark a function or method to be compiled as a whole, or a Cell, whose `construct` is.

    Args:
        function: a function, a method or a Cell; when it is left out a decorator is returned. Older programs name it `fn`.
        fullgraph: raise one error, which lists all there is, where something is left to the interpreter, in branches too
            that this call would not take. All that can be known beforehand (`anfora.ir.lower`) is refused before anything
            is done. Behind what only a run can know it is refused where it comes, before it is done; what stands before
            it has been done then.
        jit_syntax_level: "STRICT" refuses in the same way what MindSpore's strict syntax does not have: functions and
            objects that are neither Python's nor this library's, and changes of what is outside. Branches on tensors,
            `print`, Cells made in the program, optimizers and `vmap` are legal there.
        check: do each call by Python too, in another process, and raise an error that names the place where what there is
            then differs: results, errors, arguments and what they lead to, globals, output, random numbers, gradients.
            Files, sockets and other threads are outside of it. `ANFORA_CHECK=1` in the environment does so for all that is
            compiled. A call takes some 30 ms more.
        options: the others of MindSpore's `jit`: `capture_mode`, `jit_level`, `dynamic`, `backend`, and the older
            `jit_config`, `input_signature`, `hash_args`, `compile_once`. They are checked, and change nothing here.
    Returns:
        a function that does what `function` does.
    Raises:
        OpTypeError: an unknown option, or nothing that can be called.
        OpValueError: an option's value is unknown.
        FallbackError, at a call: see `fullgraph`, `jit_syntax_level`.    CheckError, at a call: see `check`.
    Example:
        >>> @jit
        ... def square(x):
        ...     return x * x
        >>> square(Tensor(3.0)).item()
        9.0
    """
    function = options.pop("fn", function)
    _check("jit", options)
    if function is None:
        return functools.partial(jit, **options)
    if not callable(function):
        raise OpTypeError(f"jit needs a function or a Cell, but got {type(function).__name__}", arg="function")
    if inspect.isclass(function) or isinstance(function, Compiled) or _IS_OFF:
        return function
    if isinstance(function, types.MethodType):
        return types.MethodType(jit(function.__func__, **options), function.__self__)
    if isinstance(function, Cell):
        if options:
            function.set_jit_config(JitConfig(**_with_config(options)))
        slots.compiled_cells.add(function)
        slots.calls_are_special = True
        return function
    if isinstance(function, types.FunctionType):
        return _Jitted(function, options)
    return jit(functools.wraps(function, updated=())(_caller(function)), **options)


def _with_config(options: dict[str, Any]) -> dict[str, Any]:
    """Options, those of a `jit_config` among them put beside the others, which win."""
    config = options.get("jit_config")
    held = config.jit_config_dict if isinstance(config, JitConfig) else config if isinstance(config, dict) else {}
    return {**held, **{name: value for name, value in options.items() if name != "jit_config"}}


class _Jitted(Compiled):
    """A compiled function with its options."""

    program: Watched

    def __init__(self, function: Callable, options: dict[str, Any]) -> None:
        super().__init__(function, options)  # type: ignore[arg-type]
        look_for(function)  # type: ignore[arg-type]
        self.program = kind_of_program(options)(function, None, strictness(_with_config(options)))
        jitted[self.__code__] = self

    def lower(self, *args: Any, **kwargs: Any) -> LoweredProgram:
        """What a call would do, found out before any: see `anfora.ir.lower`. Of a method, the object comes first."""
        return lower(self, *args, **kwargs)

    def __reduce__(self) -> Any:
        found: Any = sys.modules.get(self.__module__)
        for name in self.__qualname__.split("."):  # type: ignore[attr-defined]
            found = getattr(found, name, None)
        if found is self:  # by its name, as functions are pickled
            return self.__qualname__  # type: ignore[attr-defined]
        return _again, (self.__wrapped__, self.options)  # type: ignore[attr-defined]


#: The latest compiled function of each code, as long as the program has it.
jitted: weakref.WeakValueDictionary[types.CodeType, _Jitted] = weakref.WeakValueDictionary()


def _again(function: Callable, options: dict[str, Any]) -> Callable:
    return jit(function, **options)


def _caller(function: Callable) -> Callable:
    """A Python function that calls something else that can be called."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return call


def _as_function(cell: Cell) -> types.FunctionType:
    """A function that calls a Cell, which it knows as a global variable."""
    scope = {"cell": cell, "__name__": __name__, "__builtins__": builtins}
    call = types.FunctionType(_call_cell.__code__, scope, type(cell).__name__)
    call.__wrapped__ = cell.construct  # type: ignore[attr-defined]
    return call


def _call_cell(*args: Any, **kwargs: Any) -> Any:
    return cell(*args, **kwargs)  # type: ignore[name-defined]  # noqa: F821


def explain(function: Callable) -> Callable[..., Report]:
    """A function that calls `function` once, with all its effects, and tells what graph mode did.

    Args:
        function: a compiled function, a Cell, or any function, which is compiled for it.
    Returns:
        a function of the same arguments that gives a `Report`: print it, or read its attributes. `.result` is what the
        call gave.
    Raises:
        OpTypeError: it cannot be called. And whatever the call raises.
    Example:
        >>> @jit
        ... def f(x, rate):
        ...     return x - rate * x
        >>> report = explain(f)(Tensor([1.0, 2.0]), 0.5)
        >>> report.result.tolist(), report.varying, report.hops
        ([0.5, 1.0], ['rate'], [])
    """
    if not callable(function):
        raise OpTypeError(f"explain needs a function or a Cell, but got {type(function).__name__}", arg="function")

    @functools.wraps(function, updated=())
    def call(*args: Any, **kwargs: Any) -> Report:
        program, before = _program_of(function)
        return explained(program, (*before, *args), kwargs)

    return call


def lower(function: Callable, *args: Any, **kwargs: Any) -> LoweredProgram:
    """Find out what a call would do, and have it compiled, without doing it.

    Nothing of the program changes, nothing is written or printed and no kernel runs: another process follows all ways
    that the call may go. Where it branches on a tensor both ways are followed. So what is unsupported is found wherever it
    stands. The kernels of all ways are in the cache then.

    Args:
        function: a compiled function, a Cell, or any function.
        args, kwargs: what it would be called with. Of tensors the shapes and types count, not what lies in them:
            `Tensor(shape=(32, 10), dtype=float32)` will do.
    Returns:
        a `LoweredProgram`: `unsupported`, what is left to the interpreter, place by place; `unknown`, the places behind
        which only a run knows more; `error`, what every such call raises; `graph`; and `text`, which `print` shows.
    Raises:
        OpTypeError: it cannot be called.    OpRuntimeError: this system cannot fork.
    Example:
        >>> @jit
        ... def step(x):
        ...     if x.sum() > 100:
        ...         print("large")
        ...     return x * 2
        >>> lowered = lower(step, Tensor([1.0, 2.0]))
        >>> [place.reason for place in lowered.unsupported]
        ['a call of print, which the compiler cannot look into']
    """
    if not callable(function):
        raise OpTypeError(f"lower needs a function or a Cell, but got {type(function).__name__}", arg="function")
    from anfora.graph.tell import analysis  # which few programs ask for

    if isinstance(function, Cell):  # known beforehand, with its weights, which are inputs of the graph by their names
        program, before = (
            Watched(_as_function(function), None, strictness(function.__dict__.get("_jit_options", {}))),
            (),
        )
    else:
        program, before = _program_of(function)
    return analysis.lower(program, (*before, *args), kwargs)


def _program_of(function: Any) -> tuple[Watched, tuple]:
    """The program of a function, and what stands before its arguments."""
    if isinstance(function, GradientFunction) or (
        isinstance(function, Cell) and type(function).__call__ is Cell.__call__
    ):
        return program_of(function), (function,)
    if isinstance(function, types.MethodType):
        program, before = _program_of(function.__func__)
        return program, (*before, function.__self__)
    compiled = function
    if not isinstance(function, Compiled):
        compiled = _Jitted(function if isinstance(function, types.FunctionType) else _caller(function), {})
    return compiled.program, ()


@overload
def ms_function(fn: F, **options: Any) -> F: ...
@overload
def ms_function(fn: None = None, **options: Any) -> Callable[[F], F]: ...
def ms_function(fn: Any = None, **options: Any) -> Any:
    """The name that `jit` had in MindSpore 1.

    Example:
        >>> ms_function(lambda x: x + 1)(Tensor(1.0)).item()
        2.0
    """
    return jit(fn, **options)


class JitConfig:
    """Options of `jit`, to be handed around: `Cell.set_jit_config(JitConfig(jit_level="O1"))`.

    Args:
        jit_level: "", "O0" or "O1".
        exc_mode: "auto", "sync" or "no_sync".
        jit_syntax_level: "STRICT" or "LAX".
        options: the other options of `jit`.
    Raises:
        OpTypeError, OpValueError: as `jit`.
    Example:
        >>> JitConfig(jit_level="O1").jit_config_dict["jit_level"]
        'O1'
    """

    def __init__(
        self, jit_level: str = "", exc_mode: str = "auto", jit_syntax_level: str = "", debug_level: str = "RELEASE",
        infer_boost: str = "off", **options: Any,
    ) -> None:  # fmt: skip
        chosen = {
            "jit_level": jit_level, "exc_mode": exc_mode, "jit_syntax_level": jit_syntax_level,
            "debug_level": debug_level, "infer_boost": infer_boost, **options,
        }  # fmt: skip
        _check("JitConfig", chosen)
        self.jit_config_dict = chosen

    def __repr__(self) -> str:
        return f"JitConfig({', '.join(f'{name}={value!r}' for name, value in self.jit_config_dict.items())})"


def jit_class(cls: type) -> type:
    """Mark a class whose objects may be used in compiled functions. Any class may: the mark is not needed here.

    Raises:
        OpTypeError: what is marked is no class, or a Cell.
    Example:
        >>> @jit_class
        ... class Scale:
        ...     factor = 2
        >>> Scale().factor
        2
    """
    if not inspect.isclass(cls):
        raise OpTypeError(f"Decorator jit_class can only be used for class type, but got {cls}.", arg="cls")
    if issubclass(cls, Cell):
        raise OpTypeError(
            f"Decorator jit_class is used for user-defined classes and cannot be used for nn.Cell: {cls}."
        )
    cls.__ms_class__ = True  # type: ignore[attr-defined]
    return cls


ms_class = jit_class  #: its name in older versions of MindSpore


def mutable(input_data: Any, dynamic_len: bool = False) -> Any:
    """Mark numbers and containers as inputs of a compiled function rather than constants of it.

    Args:
        input_data: a number, a tensor, or a tuple, list or dict of them.
        dynamic_len: whether the length of a tuple or list may vary.
    Returns:
        the data; tensors in it are no constants any more (`const_arg`).
    Raises:
        OpTypeError: other data, or `dynamic_len` for what has no length.
    Example:
        >>> mutable((1, 2))
        (1, 2)
    """
    if not _is_data(input_data):
        raise OpTypeError(
            "For 'mutable', the 'input_data' should be one of (bool, int, float, Tensor, tuple, list, dict) or their "
            f"nested structures, but got {input_data!r}.",
            arg="input_data",
        )
    if not isinstance(dynamic_len, bool):
        raise OpTypeError(
            f"For 'mutable', the second input should be bool, but got: {dynamic_len!r}", arg="dynamic_len"
        )
    if dynamic_len and not isinstance(input_data, (tuple, list)):
        raise OpTypeError(
            "For mutable, when the variable_len is True, the first input should be list or tuple, but got: "
            f"{input_data!r}",
            arg="dynamic_len",
        )
    for tensor in tensors(input_data):
        if tensor.const_arg:
            tensor.set_const_arg(False)
    return input_data


def _is_data(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return all(map(_is_data, value))
    if isinstance(value, dict):
        return all(map(_is_data, value.values()))
    return isinstance(value, (bool, int, float, Tensor))


def constexpr(
    fn: Callable | None = None, get_instance: bool = True, name: str | None = None, reuse_result: bool = True,
    check: bool = True,
) -> Callable:  # fmt: skip
    """Mark a function of constants, which a compiler may call while it compiles.

    Args:
        fn: a function of values that are no tensors.
        get_instance, name, reuse_result: accepted for MindSpore programs.
        check: refuse tensors among the arguments.
    Returns:
        the function; when `fn` is left out, a decorator.
    Raises:
        OpTypeError: at a call, when an argument is a tensor.
    Example:
        >>> @constexpr
        ... def double(n):
        ...     return 2 * n
        >>> double(4)
        8
    """
    if fn is None:
        return functools.partial(
            constexpr, get_instance=get_instance, name=name, reuse_result=reuse_result, check=check
        )

    @functools.wraps(fn)
    def constant(*args: Any, **kwargs: Any) -> Any:
        if check and has_tensors((args, kwargs)):
            raise OpTypeError(
                f"{name or fn.__name__} is a constexpr: its arguments must be constants, but one is a tensor",
                help="call a function that is not marked, or give tensor.item().",
            )
        return fn(*args, **kwargs)

    return constant


_primexpr = functools.partial(constexpr, check=False)  #: MindSpore's name of a constexpr that takes tensors too


def lazy_inline(fn: Callable | None = None, attrs: Any = None, policy: str | None = None) -> Callable:
    """Mark the `__init__` of a Cell that a compiler shall compile once for all its instances. Changes no result.

    Example:
        >>> class Block(nn.Cell):
        ...     @lazy_inline
        ...     def __init__(self):
        ...         super().__init__()
        >>> isinstance(Block(), nn.Cell)
        True
    """
    return fn if fn is not None else functools.partial(lazy_inline, attrs=attrs, policy=policy)


def no_inline(fn: Callable | None = None) -> Callable:
    """Mark a function that a compiler shall not unfold. Changes no result.

    Example:
        >>> no_inline(abs)(-1)
        1
    """
    return fn if fn is not None else no_inline
