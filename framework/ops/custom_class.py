"""`Custom`: own operators under MindSpore's name.

    @ops.kernel
    def outer(a, b):
        c = output_tensor((a.shape[0], b.shape[0]), a.dtype)
        for i in range(a.shape[0]):
            for j in range(b.shape[0]):
                c[i, j] = a[i] * b[j]
        return c

    ops.Custom(outer)(x, y)

A function of type "hybrid" makes its results by `output_tensor(shape, dtype)`, and room by `allocate`. These lines say the
types of the call and are done when it is planned; numba compiles the rest (`kernel/custom.py`). One of type "pyfunc" is run
as it is, on numpy's arrays.
"""

from __future__ import annotations

import ast
import inspect
import math
import textwrap
from collections.abc import Callable, Sequence
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np

from anfora.core.abstract import TensorType
from anfora.core.dtype import DType, as_dtype
from anfora.core.errors import AnforaError, OpRuntimeError, OpTypeError, OpValueError
from anfora.core.op import Gradient, Op, asked
from anfora.kernel import custom
from anfora.kernel.loops import contiguous
from anfora.kernel.plan import Buffer, Planner
from anfora.ops.custom import described, located
from anfora.ops.families import type_of
from anfora.ops.primitives import Primitive

__all__ = ["Custom", "PyFunc", "kernel", "ms_kernel"]


class Custom(Primitive):
    """An operator of the program's own, MindSpore's way to say `anfora.custom_op`.

    Args:
        func: the function. Of type "hybrid": of arrays; its results are made by `output_tensor(shape, dtype)`, which it
            returns, and room for what lies between by `allocate(shape, dtype)`; `serial`, `parallel`, `vectorize`, `unroll`
            and `reduce` are `range`. Of type "pyfunc": of numpy's arrays to one or a tuple of them.
        out_shape, out_dtype: of "pyfunc", the shape and the element type of the result, lists or tuples of them for
            several; or functions that give them for those of the arguments. Ignored for "hybrid", whose lines say it.
        func_type: "hybrid" or "pyfunc". Types that need files or compilers of others ("aot", "akg", "tbe", "aicpu",
            "julia") are refused.
        bprop: the gradient: a function of the arguments, the result and its gradient to the gradients of the arguments.
        reg_info: accepted for MindSpore programs.
    Raises:
        OpValueError: an unknown type, or one without what it needs.
        OpTypeError: what numba cannot compile, with its line.
    Gradient:
        by `bprop`; without it there is an error where it is asked for.
    Example:
        >>> @ops.kernel
        ... def doubled(a):
        ...     c = output_tensor(a.shape, a.dtype)
        ...     for i in range(a.shape[0]):
        ...         c[i] = a[i] * 2
        ...     return c
        >>> ops.Custom(doubled)(Tensor([1.0, 2.0])).tolist()
        [2.0, 4.0]
    """

    def __init__(
        self, func: Any, out_shape: Any = None, out_dtype: Any = None, func_type: str = "hybrid", bprop: Any = None,
        reg_info: Any = None,
    ) -> None:  # fmt: skip
        given = (func, out_shape, out_dtype, func_type, bprop, reg_info)
        if func_type not in ("hybrid", "pyfunc"):
            raise OpValueError(
                f"Custom: `func_type` must be 'hybrid' or 'pyfunc', but is {func_type!r}",
                arg="func_type", help="other types need compilers or files that are not here.",
            )  # fmt: skip
        if not isinstance(func, FunctionType):
            raise OpTypeError(f"Custom needs a Python function for `func`, but got {func!r}", arg="func")
        if func_type == "pyfunc" and (out_shape is None or out_dtype is None):
            raise OpValueError("Custom: of 'pyfunc', `out_shape` and `out_dtype` must be given", arg="func_type")
        self.name, self.attrs, self._given = "Custom", {}, (given, {})
        made = _Hybrid(func) if func_type == "hybrid" else _PyFunc(func, out_shape, out_dtype)
        made.set_gradient(bprop)
        self.operator = made
        self.__call__ = made


class PyFunc(Primitive):
    """A function of numpy's arrays as an operator, in its older form.

    Args:
        fn: takes as many arrays as `in_types` has items, and gives one array or number, or a tuple of them. It is called
            each time, in its place, in both modes.
        in_types, in_shapes: element types and shapes of the arguments.
        out_types, out_shapes: those of the results.
        stateful: accepted: a function is never left out, nor called more often than the program does.
    Returns:
        of a call with a tuple of tensors, a tuple of tensors.
    Raises:
        OpTypeError: `fn` cannot be called, or a tensor is of another type.
        OpValueError: there are types without a shape, or a tensor has another shape, or there are more or fewer tensors.
    Gradient:
        none; asking for it is an error.
    Example:
        >>> total = ops.PyFunc(lambda x, y: x + y, [float32, float32], [(2,), (2,)], [float32], [(2,)])
        >>> total((Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))[0].tolist()
        [4.0, 6.0]
    """

    def __init__(
        self, fn: Callable, in_types: Sequence, in_shapes: Sequence, out_types: Sequence, out_shapes: Sequence,
        stateful: bool = True,
    ) -> None:  # fmt: skip
        if not callable(fn):
            raise OpTypeError(f"PyFunc needs a function for `fn`, but got {fn!r}", arg="fn")
        taken, given = _types("in", in_types, in_shapes), _types("out", out_types, out_shapes)
        names = [f"x{i}" for i in range(len(taken))]
        source = f"lambda {', '.join(names)}: fn({', '.join(names)})"
        operator = _PyFunc(eval(source, {"fn": fn}), given[0].shape, given[0].dtype)
        if len(given) > 1:
            operator.shape, operator.dtype = [t.shape for t in given], [t.dtype for t in given]
        operator.set_gradient(None)
        self.name, self.attrs = "PyFunc", {}
        self._given = ((fn, in_types, in_shapes, out_types, out_shapes, stateful), {})

        def call(input_x: Sequence[Any]) -> tuple:
            if len(input_x) != len(taken):
                raise OpValueError(f"PyFunc takes {len(taken)} tensors, but got {len(input_x)}", arg="input_x")
            for i, (x, wanted) in enumerate(zip(input_x, taken)):
                came = TensorType(x.dtype, x.shape)
                if came is not wanted:
                    kind = OpTypeError if x.dtype is not wanted.dtype else OpValueError
                    raise kind(f"PyFunc: tensor {i} must be {wanted!r}, but is {came!r}", arg="input_x")
            found = operator(*input_x)
            return found if isinstance(found, tuple) else (found,)

        self.operator = operator
        self.__call__ = call


def _types(name: str, types: Sequence, shapes: Sequence) -> list[TensorType]:
    if len(types) != len(shapes):
        raise OpValueError(
            f"PyFunc needs as many `{name}_types` as `{name}_shapes`, but got {len(types)} and {len(shapes)}",
            arg=f"{name}_shapes",
        )
    return [TensorType(as_dtype(dtype), tuple(shape)) for dtype, shape in zip(types, shapes)]


def kernel(fn: Callable | None = None, reg_info: Any = None, compile_attrs: Any = None) -> Any:
    """Mark a function for `Custom`; it stays as it is. With arguments, which are accepted for MindSpore programs, a
    decorator.

    Example:
        >>> ops.kernel(len) is len
        True
    """
    return (lambda function: function) if fn is None else fn


ms_kernel = kernel


class _Own(Op):
    """What the two types have in common."""

    def __init__(self, function: FunctionType) -> None:
        self.function = function
        code = function.__code__
        super().__init__(described(function, list(code.co_varnames[: code.co_argcount])))
        self.infer_rule = self._infer

    def __reduce__(self) -> Any:
        raise TypeError(f"{self.name} is an operator of the program's own and cannot be pickled")

    def _infer(self, *abstracts: Any) -> Any:
        raise NotImplementedError

    def set_gradient(self, bprop: Callable | None) -> None:
        targets = self.tensors
        called = None if bprop is None else asked(bprop)

        def rule(*values: Any, out: Any, g: Any) -> Any:
            if called is None:
                raise OpRuntimeError(f"{self.name} has no gradient", help="give Custom a `bprop`.")
            found = called(*values, out, g)
            found = tuple(found) if isinstance(found, (tuple, list)) else (found,)
            if len(found) != len(targets):
                raise OpValueError(
                    f"{self.name}: `bprop` gave {len(found)} gradients for {len(targets)} arguments", arg="bprop"
                )
            return found if len(targets) > 1 else found[0]

        keyword = inspect.Parameter.KEYWORD_ONLY
        rule.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in targets]
            + [inspect.Parameter(name, keyword) for name in ("out", "g")]
        )
        self.gradients = {name: Gradient(targets, rule, (*targets, "out"), bprop is not None) for name in targets}


class _PyFunc(_Own):
    """A function of numpy's arrays, run as it is, whatever else it does."""

    def __init__(self, function: FunctionType, shape: Any, dtype: Any) -> None:
        super().__init__(function)
        self.is_effect = True
        self.shape, self.dtype = shape, dtype
        self.python_rule = function

    def _infer(self, *abstracts: Any) -> Any:
        kinds = [type_of(a) for a in abstracts]
        shape = self.shape(*(list(k.shape) for k in kinds)) if callable(self.shape) else self.shape
        dtype = self.dtype(*(k.dtype for k in kinds)) if _is_function(self.dtype) else self.dtype
        several = isinstance(shape, (tuple, list)) and any(isinstance(part, (tuple, list)) for part in shape)
        if not several:
            return TensorType(as_dtype(dtype), tuple(shape))
        types = dtype if isinstance(dtype, (tuple, list)) else (dtype,) * len(shape)
        return tuple(TensorType(as_dtype(t), tuple(s)) for t, s in zip(types, shape))


def _is_function(value: Any) -> bool:
    return callable(value) and not isinstance(value, (type, DType))


# -- hybrid -------------------------------------------------------------------------------------------------------------


def _rsqrt(x: Any) -> Any:
    return 1 / math.sqrt(x)


def _power(x: Any, y: Any) -> Any:
    return x**y


#: What a hybrid function may call beside Python's own.
_WORDS: dict[str, Any] = {
    **dict.fromkeys(("serial", "parallel", "vectorize", "unroll", "reduce"), range),
    **{name: getattr(math, name) for name in ("exp", "log", "sqrt", "sin", "cos", "tan", "tanh", "erf", "floor", "ceil")},
    **{name: getattr(math, name) for name in ("isnan", "isinf", "isfinite", "atan", "atan2", "asin", "acos", "trunc")},
    "rsqrt": _rsqrt, "power": _power, "np": np, "math": math,
    **{name: getattr(np, name) for name in ("float16", "float32", "float64", "int8", "int16", "int32", "int64")},
}  # fmt: skip


class _Hybrid(_Own):
    """A function that says, in its lines, what its results are."""

    def __init__(self, function: FunctionType) -> None:
        super().__init__(function)
        self.kernel_rule = self._kernel
        self.made, self.results, self.compiled = _taken_apart(function)

    def _made(self, kinds: Sequence[TensorType]) -> list[TensorType]:
        """What `output_tensor` and `allocate` make for arguments of these types."""
        known: dict[str, Any] = {**_WORDS, **self.function.__globals__}
        known.update(inspect.getclosurevars(self.function).nonlocals)
        for name, kind in zip(self.tensors, kinds):
            known[name] = SimpleNamespace(shape=kind.shape, dtype=kind.dtype, ndim=kind.ndim)
        found = []
        for name, shape, dtype in self.made:
            lengths = eval(shape, known)
            lengths = tuple(int(n) for n in (lengths if isinstance(lengths, (tuple, list)) else (lengths,)))
            found.append(TensorType(as_dtype(eval(dtype, known)), lengths))
            known[name] = SimpleNamespace(shape=lengths, dtype=found[-1].dtype, ndim=len(lengths))
        return found

    def _infer(self, *abstracts: Any) -> Any:
        types = self._made([type_of(a) for a in abstracts])
        by_name = {name: kind for (name, *_), kind in zip(self.made, types)}
        found = tuple(by_name[name] for name in self.results)
        return found if len(found) > 1 else found[0]

    def _kernel(self, p: Planner, *operands: Buffer) -> None:
        count = len(self.tensors)
        inputs = [contiguous(p, buffer) for buffer in operands[:count]]
        results = dict(zip(self.results, operands[count:]))
        made = self._made([TensorType(b.dtype, b.shape) for b in inputs])
        rooms = [
            results[name] if name in results else p.workspace(kind.dtype, *kind.shape)
            for (name, *_), kind in zip(self.made, made)
        ]
        buffers = [*inputs, *rooms]
        cores = [custom.Core(b.code, tuple(f"{i}_{axis}" for axis in range(b.ndim))) for i, b in enumerate(buffers)]
        half = [b.code for b in buffers if b.code in ("f16", "bf16")]
        if half:
            raise OpTypeError(f"{self.name}: a hybrid function takes no {half[0]}", help="convert it to float32 first.")
        try:
            address = custom.loop.address(
                self.compiled, tuple(cores[:count]), tuple(cores[count:]), custom.numba_version()
            )
        except AnforaError:
            raise
        except Exception as error:
            raise located(self.name, self.function, error) from None
        lengths = [length for buffer in buffers for length in buffer.shape]
        p.step(address, *buffers, *(0,) * count, *lengths, units=1, grain=None)


def _taken_apart(function: FunctionType) -> tuple[list[tuple[str, Any, Any]], list[str], FunctionType]:
    """What a hybrid function makes (name, shape, type), what it returns, and the function of arrays that is left."""
    try:
        lines, first = inspect.getsourcelines(function)
    except OSError:
        raise OpTypeError(f"Custom: the source of {function.__name__} cannot be read", arg="func") from None
    tree = ast.parse(textwrap.dedent("".join(lines)))
    ast.increment_lineno(tree, first - 1)
    [definition] = tree.body
    if not isinstance(definition, ast.FunctionDef):
        raise OpTypeError("Custom: a hybrid function is made by `def`", arg="func")
    definition.decorator_list = []
    made: list[tuple[str, Any, Any]] = []
    results: list[str] = []
    body: list[ast.stmt] = []
    for statement in definition.body:
        call = statement.value if isinstance(statement, ast.Assign) else None
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") in ("output_tensor", "allocate"):
            target = statement.targets[0]  # type: ignore[attr-defined]
            if len(call.args) != 2 or not isinstance(target, ast.Name):
                raise _wrong(function, statement, f"{ast.unparse(call.func)} takes a shape and a type, for one name")
            shape, dtype = (
                compile(ast.Expression(argument), function.__code__.co_filename, "eval") for argument in call.args
            )
            made.append((target.id, shape, dtype))
        elif isinstance(statement, ast.Return):
            value = statement.value
            results = [getattr(v, "id", "") for v in (value.elts if isinstance(value, ast.Tuple) else [value])]
        else:
            body.append(statement)
    names = [name for name, *_ in made]
    if not results or any(name not in names for name in results):
        raise _wrong(function, definition, "a hybrid function returns, in the end, what `output_tensor` gave")
    definition.args.args += [ast.arg(name, lineno=first, col_offset=0) for name in names]
    definition.body = [*body, ast.Return(None, lineno=definition.end_lineno or first, col_offset=0)]
    scope = {**_WORDS, **function.__globals__, **inspect.getclosurevars(function).nonlocals}
    exec(compile(ast.fix_missing_locations(tree), function.__code__.co_filename, "exec"), scope)
    return made, results, scope[function.__name__]


def _wrong(function: FunctionType, node: Any, message: str) -> AnforaError:
    from anfora.core.span import Span

    error = OpTypeError(f"{function.__name__}: {message}", arg="func")
    span = Span(function.__code__.co_filename, node.lineno, function.__qualname__)
    error.place = span.told()
    return error
