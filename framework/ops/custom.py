"""Operators of the user's own: a Python function that numba compiles.

    @custom_op
    def decay(x, rate=0.1):                       # of elements: broadcasts, and shares loops with its neighbours
        return x * math.exp(-rate) if x > 0 else 0.0

    @decay.gradient
    def _(x, rate, g):                            # g is the gradient of the result; what is given, those of the arguments
        ...

    @custom_op("(m,n),(n)->(m)")
    def product(a, x, out):                       # a loop over some axes: gets arrays, writes its results
        for i in range(a.shape[0]): ...

They are operators like any other, made of rules for types, kernels, gradients and batches (`core/op.py`), but for the
registry: their names are the program's. How functions become kernels is in `kernel/custom.py`.
"""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
import math
import os
import re
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

from anfora.core.abstract import TensorType
from anfora.core.dtype import DType, as_dtype, float32, promote_scalar
from anfora.core.errors import AnforaError, OpRuntimeError, OpTypeError, OpValueError
from anfora.core.op import Gradient, Weak, common_dtype, registry
from anfora.core.span import Span
from anfora.kernel import custom
from anfora.kernel.irregular import UnknownFunction
from anfora.kernel.loops import contiguous, plan_copy, plan_elementwise
from anfora.kernel.memory import compute_elem
from anfora.kernel.plan import Buffer, Planner, split
from anfora.ops.families import OpWithNumbers, aligned, broadcast_shapes, by_element, own_type, type_of

__all__ = ["CustomOp", "custom_op", "described", "located"]


class CustomOp(OpWithNumbers):
    """An operator made of a Python function; see `custom_op`."""

    def __init__(
        self, function: Callable, loop: str | None = None, dtype: Any = None, differentiable: bool = True,
        cost: float | None = None,
    ) -> None:  # fmt: skip
        function = getattr(function, "py_func", function)  # one that is numba's already
        if not isinstance(function, FunctionType):
            raise OpTypeError(f"custom_op needs a Python function, but got {function!r}", arg="function")
        self.function, self.loop = function, loop
        self.cores, self.results = _axes_of(function, loop)
        names = _parameters(function, None if loop is None else len(self.cores) + len(self.results))
        self.outs = len(self.results) or (
            len(dtype) if isinstance(dtype, (tuple, list)) else getattr(dtype, "count", 1)
        )
        inputs = names if loop is None else names[: len(self.cores)]
        super().__init__(described(function, inputs))
        self.__module__, self.__qualname__ = function.__module__, function.__qualname__
        self.dtypes = _dtypes(dtype, self.outs, function.__name__)
        self.cost = cost
        self.infer_rule, self.kernel_rule, self.batch_rule = self._infer, self._kernel, self._batch
        self.scalar_rule = self._scalars
        if loop is None:
            self.jvp_rule = functools.partial(by_element, self) if self.outs == 1 else None
        if differentiable:  # what flows through without a rule would be lost without a word
            self.gradients = {name: Gradient((name,), self._refuse_gradient, ()) for name in self.tensors}

    def __reduce__(self) -> Any:
        return self.__qualname__

    # -- gradients ----------------------------------------------------------------------------------------------------

    def gradient(self, function: Callable | None = None, *, wrt: Sequence[str] | None = None) -> Any:
        """Set the gradient by a function of the same kind, which is compiled as well.

        Args:
            function: asks by name for what it needs: arguments, `out` (`out0`, … where there are several results), and
                last `g` (`g0`, …), the gradient of the result. Of elements it gives the gradient to each argument in
                `wrt`, a tuple where these are several; before broadcast axes are summed, which is done for it. A loop
                writes them into the arrays behind `g`, one for each argument in `wrt`; they begin as zeros.
            wrt: names of the arguments that gradients flow to; all where it is not given.
        Returns:
            the operator of the gradient, which has a gradient once it is given one in the same way; without `function` a
            decorator.
        Raises:
            OpTypeError: the function asks for what the operator does not have.
        Example:
            >>> @anfora.custom_op
            ... def square(x):
            ...     return x * x
            >>> @square.gradient
            ... def square_gradient(x, g):
            ...     return 2 * x * g
            >>> anfora.grad(lambda x: square(x).sum())(Tensor([1.0, 3.0])).tolist()
            [2.0, 6.0]
        """
        if function is None:
            return functools.partial(self.gradient, wrt=wrt)
        targets = tuple(self.tensors if wrt is None else wrt)
        for name in targets:
            if name not in self.tensors:
                raise OpTypeError(f"{self.name} has no argument {name!r} for a gradient to flow to", arg="wrt")
        outs = ["out"] if self.outs == 1 else [f"out{i}" for i in range(self.outs)]
        gs = ["g"] if self.outs == 1 else [f"g{i}" for i in range(self.outs)]
        code = getattr(function, "py_func", function).__code__
        given = list(code.co_varnames[: code.co_argcount])
        if self.loop is not None:
            given = given[: len(given) - len(targets)]
        for name in given:
            if name not in (*self.tensors, *outs, *gs):
                raise OpTypeError(
                    f"{self.name}: its gradient asks for {name!r}, which it does not have",
                    help=f"it may ask for {', '.join([*self.tensors, *outs, *gs])}"
                    + ("." if self.loop is None else f"; behind them stand the {len(targets)} arrays that it writes."),
                )  # fmt: skip
        axes = dict(zip((*self.tensors, *outs, *gs), (*self.cores, *self.results, *self.results)))
        signature = None
        if self.loop is not None:
            signature = "->".join(",".join(f"({','.join(axes[n])})" for n in names) for names in (given, targets))
        made = CustomOp(function, signature, self._partial_types(given, gs, targets), cost=self.cost)
        self._set_gradient(made, targets, given, gs)
        return made

    def _partial_types(self, given: list[str], gs: list[str], targets: tuple[str, ...]) -> Callable:
        """The element types of gradients: those of what they are of, where that is given and not whole."""

        def types(*abstracts: Any) -> tuple[DType, ...]:
            by_name = dict(zip(given, abstracts))
            g = next((by_name[name].dtype for name in gs if name in by_name), None)
            found = []
            for name in targets:
                own = by_name[name].dtype if name in by_name else g
                found.append(own if own is not None and own.is_float else g or common_dtype(*abstracts))
            return tuple(found)

        types.count = len(targets)  # type: ignore[attr-defined]
        return types

    def _set_gradient(self, made: CustomOp, targets: tuple[str, ...], given: list[str], gs: list[str]) -> None:
        several = self.outs > 1
        kept = [name for name in given if name not in gs]
        kinds = ["out_type"] if not several else [f"out{i}_type" for i in range(self.outs)]

        def rule(*values: Any, g: Any, **named: Any) -> Any:
            known = {**dict(zip(kept, values)), **named, **dict(zip(gs, g if several else (g,)))}
            for name, kind in zip(gs, kinds):
                if known[name] is None:
                    known[name] = registry["full"](known[kind].shape, 0, dtype=known[kind].dtype)
            return made(*(known[name] for name in given))

        keyword = inspect.Parameter.KEYWORD_ONLY
        rule.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in kept]
            + [inspect.Parameter(name, keyword) for name in (*kinds, "g")]
        )
        self.gradients = {name: Gradient(targets, rule, (*kept, *kinds)) for name in targets}
        self.caches.clear()

    def vjp(self, *targets: str) -> Callable[[Callable], Callable]:
        """Set the gradient to some arguments by a sentence in operators: a function that asks by name for what it needs,
        and gets `g`, the gradient of the result, as a keyword. The rules are those of the package's own operators.

        Example:
            >>> @anfora.custom_op
            ... def cube(x):
            ...     return x * x * x
            >>> @cube.vjp("x")
            ... def _(x, *, g):
            ...     return g * 3 * x * x
            >>> anfora.grad(lambda x: cube(x).sum())(Tensor([1.0, 2.0])).tolist()
            [3.0, 12.0]
        """
        self.caches.clear()
        return super().vjp(*targets)

    def _refuse_gradient(self, *, g: Any) -> Any:
        raise OpRuntimeError(
            f"{self.name} has no gradient",
            help=f"give it one by @{self.name}.gradient or @{self.name}.vjp, or make it with differentiable=False.",
        )

    # -- rules --------------------------------------------------------------------------------------------------------

    def _scalars(self, *abstracts: Any) -> tuple[DType, ...]:
        """Numbers take the type of the tensors, within their category; they are given in the type it is computed in."""
        tensors = [a for a in abstracts if not isinstance(a, Weak)]
        found = []
        for abstract in abstracts:
            if isinstance(abstract, Weak) and tensors:
                dtype = promote_scalar(common_dtype(*tensors), abstract.python)
                found.append(_wide(dtype))
            else:
                found.append(own_type(abstract))
        return tuple(found)

    def _result_types(self, abstracts: Sequence[Any]) -> tuple[DType, ...]:
        if callable(self.dtypes):
            return self.dtypes(*abstracts)
        return self.dtypes or (common_dtype(*abstracts),) * self.outs

    def _infer(self, *abstracts: Any) -> Any:
        if self.loop is None:
            shapes = [broadcast_shapes(self, abstracts)] * self.outs
        else:
            lengths = self._lengths(abstracts)
            outer = self._outer(abstracts)
            shapes = [(*outer, *(lengths[axis] for axis in axes)) for axes in self.results]
        types = tuple(map(TensorType, self._result_types(abstracts), shapes))
        return types if self.outs > 1 else types[0]

    def _lengths(self, abstracts: Sequence[Any]) -> dict[str, int]:
        """The axes of the loop; refuses tensors that do not have them."""
        lengths: dict[str, int] = {}
        first: dict[str, str] = {}
        for name, abstract, axes in zip(self.tensors, map(type_of, abstracts), self.cores):
            wanted = f"({', '.join(axes)})"
            if abstract.ndim < len(axes):
                raise OpValueError(
                    f"{self.name}: `{name}` needs the axes {wanted}, but has shape {list(abstract.shape)}", arg=name
                )
            for axis, length in zip(axes, abstract.shape[abstract.ndim - len(axes) :]):
                if lengths.setdefault(axis, length) != length:
                    raise OpValueError(
                        f"{self.name}: the axis {axis} has length {length} in `{name}` of shape {list(abstract.shape)}, "
                        f"but {lengths[axis]} in `{first[axis]}`",
                        arg=name,
                    )
                first.setdefault(axis, name)
        return lengths

    def _outer(self, abstracts: Sequence[Any]) -> tuple[int, ...]:
        """The shape of the axes around the loop's."""
        kinds = [type_of(abstract) for abstract in abstracts]
        parts = [TensorType(kind.dtype, kind.shape[: kind.ndim - len(axes)]) for kind, axes in zip(kinds, self.cores)]
        return broadcast_shapes(self, tuple(parts))

    def _kernel(self, p: Planner, *operands: Buffer) -> None:
        try:
            if self.loop is None:
                self._plan_elements(p, operands)
            else:
                self._plan_loop(p, operands)
        except AnforaError:
            raise
        except Exception as error:
            raise located(self.name, self.function, error) from None

    def _plan_elements(self, p: Planner, operands: tuple[Buffer, ...]) -> None:
        count = len(self.tensors)
        inputs, outs = operands[:count], operands[count:]
        body = custom.Compiled(
            self.function, tuple(b.code for b in inputs), tuple(b.code for b in outs), custom.numba_version()
        )
        typed = [(buffer, compute_elem(buffer.code)) for buffer in operands]
        plan_elementwise(p, body, typed[:count], typed[count:], self.cost or 2.0)

    def _plan_loop(self, p: Planner, operands: tuple[Buffer, ...]) -> None:
        count = len(self.tensors)
        outer = self._outer([TensorType(b.dtype, b.shape) for b in operands[:count]])
        lengths = self._lengths([TensorType(b.dtype, b.shape) for b in operands[:count]])
        items = math.prod(outer)
        buffers, steps, cores, back = [], [], [], []
        for i, (buffer, axes) in enumerate(zip(operands, (*self.cores, *self.results))):
            own = buffer.shape[: buffer.ndim - len(axes)]
            wide = _computed(buffer)
            if i < count:
                steps.append(int(math.prod(own) != 1))
                if steps[-1]:
                    buffer = buffer.broadcast((*outer, *buffer.shape[len(own) :]))
                if wide is not buffer.dtype:
                    copy = p.workspace(wide, *buffer.shape)
                    plan_copy(p, buffer, copy)
                    buffer = copy
                buffers.append(contiguous(p, buffer))
            elif wide is buffer.dtype and buffer.is_contiguous:
                buffers.append(buffer)
            else:
                buffers.append(p.workspace(wide, *buffer.shape))
                back.append((buffers[-1], buffer))
            cores.append(custom.Core(buffers[-1].code, axes))
        if items and all(buffer.size for buffer in buffers[count:]):
            kernel = custom.loop.address(
                self.function, tuple(cores[:count]), tuple(cores[count:]), custom.numba_version()
            )
            order = custom.axes_of(tuple(cores))
            price = self.cost or 1.0 * math.prod(lengths.values())
            p.step(kernel, *buffers, *steps, *(lengths[axis] for axis in order), units=items, grain=split(items, price))
        for source, target in back:
            plan_copy(p, source, target)

    def _batch(self, batched: Sequence[bool], *arguments: Any) -> Any:
        if self.loop is None:
            return self.call(aligned(batched, arguments), {})
        ranks = [
            (x.ndim - b if hasattr(x, "ndim") else 0) - len(axes) for x, b, axes in zip(arguments, batched, self.cores)
        ]
        given = []
        for x, is_batched, rank in zip(arguments, batched, ranks):
            if is_batched and rank < max(ranks):
                x = registry["reshape"](x, (x.shape[0], *(1,) * (max(ranks) - rank), *x.shape[1:]))
            given.append(x)
        return self.call(given, {})


def custom_op(
    function: Any = None, *, dtype: Any = None, differentiable: bool = True, cost: float | None = None
) -> Any:
    """Make an operator of a Python function that numba compiles.

    A function of numbers works element by element: its arguments broadcast, and in graph mode it shares loops with its
    neighbours. With a signature of axes, `"(m,n),(n)->(m)"`, it gets arrays with these axes, and behind them the arrays of
    results, zeros that it writes; all other axes are broadcast, and shared by the threads. In both it is compiled for the
    element types of a call, once, and kept on disk; both modes give the same bits.

    Args:
        function: the function, or a signature of axes for the function that is decorated. It may use what numba compiles:
            numbers, branches, loops, `math`, other functions; in a loop arrays, of which it makes none. Float16 and
            bfloat16 come as float32. Beside float32 arguments, numbers in its text are float32, as in operators.
        dtype: the element type of the result; a tuple of them for several results, which a function of elements gives as
            a tuple. None for the type in which the arguments meet.
        differentiable: False for an operator that no gradient flows through. Else one that has none given, by `gradient` or
            `vjp`, raises an error when it is asked for.
        cost: nanoseconds an element (for a loop, an item), about; decides how work is dealt to threads.
    Returns:
        CustomOp: the operator; without a function a decorator.
    Raises:
        OpTypeError: no function, or one with parameters that are not plain; at the first call with new element types, what
            numba cannot compile, with its line in the function.
        OpValueError: a signature that is none, or does not fit the function; at calls, shapes that do not fit.
    Gradient:
        as given.
    Example:
        >>> import math
        >>> @anfora.custom_op
        ... def softclip(x, limit=1.0):
        ...     return limit * math.tanh(x / limit) if x > 0 else 0.0
        >>> softclip(Tensor([-1.0, 0.0, 50.0])).tolist()
        [0.0, 0.0, 1.0]
        >>> @anfora.custom_op("(n)->()")
        ... def longest_run(x, out):
        ...     run = 0
        ...     for value in x:
        ...         run = run + 1 if value > 0 else 0
        ...         out[0] = max(out[0], run)
        >>> longest_run(Tensor([[1, 1, 0, 1], [0, 0, 1, 0]])).tolist()
        [2, 1]
    """
    if function is None:
        return functools.partial(custom_op, dtype=dtype, differentiable=differentiable, cost=cost)
    if isinstance(function, str):
        signature = function
        _parsed(signature)  # a signature that is wrong is told where it stands
        return lambda decorated: CustomOp(decorated, signature, dtype, differentiable, cost)
    return CustomOp(function, None, dtype, differentiable, cost)


# -- what is given ------------------------------------------------------------------------------------------------------

_CORE = re.compile(r"\(\s*(?:[A-Za-z_]\w*\s*(?:,\s*[A-Za-z_]\w*\s*)*)?\)")


def _parsed(signature: str) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """The axes of inputs and of results."""
    sides = signature.split("->")
    found: list[list[tuple[str, ...]]] = []
    for side in sides:
        groups = _CORE.findall(side)
        if not groups or re.sub(r"\s", "", _CORE.sub("", side)) != "," * (len(groups) - 1):
            break
        found.append([tuple(re.findall(r"\w+", group)) for group in groups])
    if len(sides) != 2 or len(found) != 2:
        raise OpValueError(
            f"custom_op: {signature!r} is no signature of axes", help='one is written "(m,n),(n)->(m)".', arg="function"
        )
    known = {axis for axes in found[0] for axis in axes}
    for axes in found[1]:
        for axis in axes:
            if axis not in known:
                raise OpValueError(
                    f"custom_op: the axis {axis} of a result in {signature!r} is in no input, so its length is not known",
                    arg="function",
                )
    return found[0], found[1]


def _axes_of(function: FunctionType, loop: str | None) -> tuple[tuple, tuple]:
    if loop is None:
        return (), ()
    inputs, results = _parsed(loop)
    wanted, count = len(inputs) + len(results), function.__code__.co_argcount
    if wanted != count:
        raise OpValueError(
            f"custom_op: {loop!r} needs a function of {wanted} arrays, {len(inputs)} inputs and then {len(results)} "
            f"results, but {function.__name__} takes {count}",
            arg="function",
        )
    return tuple(inputs), tuple(results)


def _parameters(function: FunctionType, count: int | None) -> list[str]:
    """The names of a function's parameters, which must be plain."""
    code = function.__code__
    if code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS) or code.co_kwonlyargcount or not code.co_argcount:
        raise OpTypeError(
            f"custom_op: {function.__name__} needs parameters, all of them plain: no *, no **, none that is keyword-only",
            arg="function",
        )
    defaults = function.__defaults__ or ()
    if not all(isinstance(value, (bool, int, float)) for value in defaults) or (defaults and count is not None):
        what = "defaults that are numbers" if count is None else "no defaults: its arguments are arrays"
        raise OpTypeError(f"custom_op: {function.__name__} may have {what}", arg="function")
    return list(code.co_varnames[: code.co_argcount])


def described(function: FunctionType, inputs: list[str]) -> Callable:
    """What an Op is made of: a name, a documentation, and a signature that says what is a tensor."""

    def described() -> None: ...

    described.__name__ = function.__name__
    described.__doc__, described.__module__ = function.__doc__, function.__module__
    own = inspect.signature(function).parameters
    described.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [own[name].replace(kind=inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation="Tensor") for name in inputs]
    )
    return described


def _dtypes(dtype: Any, count: int, name: str) -> Any:
    if dtype is None or callable(dtype):
        return dtype
    found = tuple(map(as_dtype, dtype)) if isinstance(dtype, (tuple, list)) else (as_dtype(dtype),) * count
    if len(found) != count:
        raise OpValueError(f"custom_op: {name} has {count} results, but `dtype` names {len(found)} types", arg="dtype")
    return found


def _computed(buffer: Buffer) -> DType:
    """The element type in which a loop gets a buffer."""
    return _wide(buffer.dtype)


def _wide(dtype: DType) -> DType:
    """The type itself, or float32 for the two of 16 bits."""
    return float32 if dtype.is_float and dtype.bits == 16 else dtype


# -- errors in the function ---------------------------------------------------------------------------------------------


def located(name: str, function: FunctionType, error: Exception) -> AnforaError:
    """What numba, or the search for bodies, has against the function, with the place there."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    help = None
    if isinstance(error, UnknownFunction):
        message = f"it calls `{text}`, which has no body in this package"
        if text.startswith("NRT_"):
            message = "it makes an array, a list or another object that needs memory"
            help = "give the operator one more result, and use that."
        elif text.startswith(("numba_gil", "Py")):
            message = "it needs Python while it runs: it prints, or makes objects"
    else:
        message = _reason(text)
    made = OpTypeError(f"{name} cannot be compiled: {message}", help=help)
    made.place = _place(function, text, message)
    return made


#: What a line has, where nothing else tells which one an error is of.
_HINTS = {
    "it makes an array": ["zeros", "empty", "ones", "full", "copy", "array", "zeros_like", "empty_like"],
    "it needs Python": ["print"],
    "Cannot cast": ["return"],
}  # fmt: skip

_TELLING = re.compile(
    r"(Unknown|Undefined|NameError|No implementation|Invalid|Cannot|Can't|Use of|Untyped|Variable|The use of|module )",
    re.IGNORECASE,
)


def _reason(text: str) -> str:
    """The part of numba's text that says what is wrong, with the types where it was called with the wrong ones."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    told = [i for i, line in enumerate(lines) if _TELLING.match(line)]
    first = told[-1] if told else 1 if len(lines) > 1 and lines[0].startswith("Failed in") else 0
    message = lines[first]
    if message.endswith("for signature:") and len(lines) > first + 1:
        message = f"{message} {lines[first + 1].removeprefix('>>> ')}"
    return message.split(": %")[0].removesuffix(":")


def _place(function: FunctionType, text: str, message: str) -> str:
    """Where numba stopped: file and line, the line, and a caret under what the message names, else under the statement."""
    own = function.__code__.co_filename
    first = function.__code__.co_firstlineno
    last = max((line for *_, line in function.__code__.co_lines() if line is not None), default=first)
    found = re.findall(r'File "([^"]+)", line (\d+)', text) + re.findall(r"at (\S+) \((\d+)\)", text)
    lines = [int(line) for file, line in found if os.path.abspath(file) == os.path.abspath(own) and int(line) > first]
    words = re.findall(r"['`]([A-Za-z_]\w*)['`]|built-in function (\w+)", message)
    names = [(a or b).removeprefix("numba_") for a, b in words][::-1]
    names += next((hints for start, hints in _HINTS.items() if message.startswith(start)), [])
    if not lines:  # an error without a place: it is where the name is
        lines = [
            line for name in names for line in range(first + 1, last + 1)
            if re.search(rf"\b{name}\b", linecache.getline(own, line))
        ]  # fmt: skip
    line = lines[0] if lines else first
    source = linecache.getline(own, line)
    span = Span(own, line, function.__qualname__)
    if source.strip() and source.isascii():  # a program that is typed or piped in has no lines to show
        span.column, span.end_column = _columns(source, names)
    return span.told()


def _columns(source: str, names: list[str]) -> tuple[int, int]:
    """Of a line, the part that bears one of the names; else the value of the statement, or all of it."""
    for name in names:
        match = re.search(rf"\b{name}\b", source)
        if match:
            return match.span()
    start = len(source) - len(source.lstrip())
    text = source.strip()
    try:
        statement: Any = ast.parse(f"{text} pass" if text.endswith(":") else text).body[0]
    except SyntaxError:
        statement = None
    value = getattr(statement, "value", None) or getattr(statement, "test", None)
    if value is None:
        return start, start + len(text)
    return start + value.col_offset, start + (value.end_col_offset or len(text))
