"""Kernels as operators of the framework: checked calls, gradients on the tape, and what they print."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from anfora import ops
from anfora.core import dtype as dt
from anfora.core.abstract import TensorType
from anfora.core.op import Gradient, Op, Weak
from anfora.kernel.plan import Buffer, Planner
from anfora.tensor_expression import ir
from anfora.tensor_expression.c_printer import print_c
from anfora.tensor_expression.case import Case
from anfora.tensor_expression.errors import KernelError
from anfora.tensor_expression.gradient import LOWERINGS, differentiate
from anfora.tensor_expression.lower import lower
from anfora.tensor_expression.machine import plan_kernel
from anfora.tensor_expression.printer import print_ir, print_tree

__all__ = ["Kernel", "from_json", "kernel"]

_DTYPES = {"float32": dt.float32, "float64": dt.float64, "int32": dt.int32}


class _Nests(Op):
    """The operator that runs loop nests; its parameters are the inputs."""

    def __init__(self, nests: ir.Kernel, lowering: str, targets: tuple[str, ...]) -> None:
        names = [f"input{i}" for i in range(len(nests.inputs))]
        super().__init__(_function(nests.name, names, "Tensor"))
        dtype = _DTYPES[nests.dtype]

        @self.scalars
        def _(*abstracts: Any) -> Any:
            return dtype

        @self.infer
        def _(*abstracts: Any) -> Any:
            for name, variable, given in zip(names, nests.inputs, abstracts):
                try:
                    _check(nests.name, variable, given, dtype)
                except KernelError as error:
                    error.arg = name  # the caret points at it
                    raise
            types = tuple(TensorType(dtype, variable.shape) for variable in nests.outputs)
            return types if len(types) > 1 else types[0]

        @self.kernel
        def _(p: Planner, *buffers: Buffer) -> None:
            count = len(nests.inputs)
            plan_kernel(p, nests, list(buffers[:count]), list(buffers[count:]))

        self.gradients = _Gradients(nests, lowering, targets)


class Kernel(_Nests):
    """A tensor expression as a differentiable operator; made by `kernel` or `from_json`.

    Call it with the inputs in the order of `ins`, then, where it pleases, with the initial values of results that are
    read before they are written; by name too. It returns a new tensor for every result; nothing is written in place.
    The initial value of a result that is not read may be given as well, by name, or by place when all are given in the
    order of the parameters, `ins` and then `outs`; it must fit, and is ignored.

    Raises:
        KernelError: K-SHAPE or K-TYPE where an argument has another shape or element type than the text says.
        OpTypeError: an argument is missing or unknown.
    Gradient:
        to the inputs in `grad_to`; without it to all inputs of a floating-point kernel.
    """

    def __init__(self, case: Case, lowering: str = "auto") -> None:
        if lowering not in LOWERINGS:
            raise KernelError("K-CASE", f"`lowering` must be one of {', '.join(LOWERINGS)}, not {lowering!r}")
        self.case, self.lowering = case, lowering
        with case.origin.located() if case.origin else nullcontext():
            self.forward = lower(case)  #: the loop nests
        super().__init__(self.forward, lowering, self._targets())
        self._names = [variable.given for variable in self.forward.inputs]
        self._unread = [v for v in self.forward.outputs if v.given not in self._names]

    def _targets(self) -> tuple[str, ...]:
        """The variables that a gradient flows to."""
        forward, wanted = self.forward, self.case.grad_to
        if forward.dtype == "int32":
            return ()
        if wanted is None:
            return tuple(variable.name for variable in forward.inputs)
        names = {variable.given: variable.name for variable in forward.inputs}
        return tuple(names[name] for name in wanted)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if kwargs or len(args) != len(self._names):
            args = self._completed(args, kwargs)
        return super().__call__(*args)

    def _completed(self, args: tuple, kwargs: dict[str, Any]) -> tuple:
        """All arguments in order, initial values that were not given as zeros, those that are not read left out."""
        order = [*self._names, *(variable.given for variable in self._unread)]
        if len(args) > len(self._names):
            order = [*self.case.ins, *(name for name in self.case.outs if name not in self.case.ins)]
        function = inspect.Signature([
            inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in order
        ])  # fmt: skip
        from anfora.core.errors import OpTypeError

        try:
            given = function.bind_partial(*args, **kwargs).arguments
        except TypeError as error:
            raise OpTypeError(
                f"{self.name}: {error}", help=f"its form is {self.name}({', '.join(self._names)})."
            ) from None
        for variable in self._unread:
            if hasattr(given.get(variable.given), "dtype"):
                _check(self.name, variable, given[variable.given], _DTYPES[self.forward.dtype])
        for variable in self.forward.inputs:
            if variable.given not in given:
                if variable.role != "init" or variable.given in self.case.ins:
                    raise OpTypeError(
                        f"{self.name} needs the argument `{variable.given}`",
                        help=f"its form is {self.name}({', '.join(self._names)}).",
                    )
                given[variable.given] = ops.zeros(variable.shape, _DTYPES[self.forward.dtype])
        return tuple(given[name] for name in self._names)

    def __repr__(self) -> str:
        return f"<kernel {self.name}({', '.join(self._names)}): {self.case.kernel}>"

    def __reduce__(self) -> tuple:
        return Kernel, (self.case, self.lowering)

    def __deepcopy__(self, memo: dict) -> Kernel:
        return self

    def gradient(self) -> ir.Kernel:
        """The loop nests of the gradients, to `grad_to` or all inputs.

        Raises KernelError with K-GRAD for a kernel of whole numbers or without inputs.
        """
        if self.forward.dtype == "int32":
            raise KernelError("K-GRAD", "a kernel of whole numbers has no gradient", help="use data_type float.")
        if not self._targets():
            raise KernelError("K-GRAD", "a kernel without inputs has no gradient")
        if len(self.forward.outputs) != 1:
            raise KernelError("K-GRAD", f"the kernel has {len(self.forward.outputs)} results; its gradient needs one")
        return differentiate(self.forward, self._targets(), self.lowering, self.case.gradient_name)

    def ir(self) -> str:
        """The loop nests as text."""
        return print_ir(self.forward)

    def tree(self) -> str:
        """The loop nests as the tree that they are, a line for each node."""
        return print_tree(self.forward)

    def c_source(self, language: str = "c") -> str:
        """The kernel in C99 (`c`, which also compiles as C++), or as C++ with arrays by reference (`c++`)."""
        return print_c(self.forward, language)

    def grad_ir(self) -> str:
        """The loop nests of the gradients as text."""
        return print_ir(self.gradient())

    def grad_tree(self) -> str:
        """The loop nests of the gradients as a tree."""
        return print_tree(self.gradient())

    def grad_c_source(self, language: str = "c") -> str:
        """The gradients in C99 (`c`) or C++ (`c++`)."""
        return print_c(self.gradient(), language)


def kernel(
    source: str | Mapping | Case,
    *,
    name: str = "kernel",
    ins: Sequence[str] | None = None,
    outs: Sequence[str] | None = None,
    data_type: str = "float",
    grad_to: Sequence[str] | None = None,
    temps: Sequence[str] = (),
    ranges: Mapping[str, int] | None = None,
    lowering: str = "auto",
    grad_name: str | None = None,
) -> Kernel:
    """An operator from a text or a case.

    Args:
        source: the text of a kernel; or a case, as a mapping with the keys of the JSON form or a `Case`, which brings
            everything else but `lowering`.
        name: C identifier, the name of the function.
        ins, outs: names of the inputs and results; left out, results are what is assigned and not in `temps`, inputs what
            is only read, in the order of the text.
        data_type: `float` (`float32`), `double` (`float64`) or `int` (`int32`).
        grad_to: the inputs to differentiate to; None for all.
        temps: names that are kept only while the kernel runs.
        ranges: for index names, how many values they take.
        lowering: how gradients are computed: `gather`, `scatter`, or `auto`, which gathers where the equations between
            indices can be solved.
        grad_name: the name of the gradient's function; None for `name` itself where it begins with `grad_`, else for
            `name` with `_grad` behind it.
    Raises:
        KernelError: with a code, the place in the text, and a hint.
    Example:
        >>> matmul = kernel("C<2, 2>[i, j] = A<2, 3>[i, k] * B<3, 2>[k, j];")
        >>> matmul(ops.ones((2, 3)), ops.ones((3, 2))).tolist()
        [[3.0, 3.0], [3.0, 3.0]]
    """
    if isinstance(source, Case):
        return Kernel(source, lowering)
    if isinstance(source, Mapping):
        return Kernel(Case.of(source), lowering)
    case = Case.from_text(
        source, name=name, ins=ins, outs=outs, data_type=data_type, grad_to=grad_to, temps=temps, ranges=ranges,
        grad_name=grad_name,
    )  # fmt: skip
    return Kernel(case, lowering)


def from_json(path: str | Path, lowering: str = "auto") -> Kernel:
    """The operator of the case in a JSON file; see `kernel`."""
    return Kernel(Case.from_json(path), lowering)


kernel.from_json = from_json  # type: ignore[attr-defined]


# -- operators ---------------------------------------------------------------------------------------------------------


def _function(name: str, parameters: list[str], annotation: str) -> Callable:
    """A function that has nothing but a name and a signature."""

    def function() -> None: ...

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    function.__name__ = function.__qualname__ = name
    function.__doc__ = "The operator of a tensor expression."
    function.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(p, kind, annotation=annotation) for p in parameters]
    )
    return function


def _check(name: str, variable: ir.Variable, given: Any, dtype: dt.DType) -> None:
    """Raise K-SHAPE or K-TYPE where an argument is not what the text says."""
    what = f"{dtype}{list(variable.shape)}" if variable.shape else f"one {dtype}"
    if isinstance(given, Weak):
        if given.python is float and dtype is dt.int32:
            raise KernelError("K-TYPE", f"{name} needs {what} for `{variable.given}`, but got a Python float")
        if variable.shape:
            raise KernelError("K-SHAPE", f"{name} needs {what} for `{variable.given}`, but got {given!r}")
        return
    if given.dtype is not dtype:
        raise KernelError(
            "K-TYPE", f"{name} needs {what} for `{variable.given}`, but got {given.dtype}{list(given.shape)}",
            help=f"convert it first, e.g. {variable.given}.astype({dtype}).",
        )  # fmt: skip
    if given.shape != variable.shape and (variable.shape or given.size != 1):
        raise KernelError(
            "K-SHAPE", f"{name} needs {what} for `{variable.given}`, but got {given.dtype}{list(given.shape)}"
        )


class _Gradients(dict):
    """The gradient rules of an operator, made when one is first asked for: a gradient is an operator with gradients too,
    to any order.

    Each input has a rule of its own, so only what is wanted is computed; but where values of the forward pass must be
    computed again, one rule serves all.
    """

    def __init__(self, nests: ir.Kernel, lowering: str, targets: tuple[str, ...]) -> None:
        super().__init__()
        self.nests, self.lowering = nests, lowering
        order = [variable.name for variable in nests.inputs]
        self.targets = {f"input{order.index(name)}": name for name in targets}

    def __contains__(self, name: object) -> bool:
        return name in self.targets

    def get(self, name: str, default: Any = None) -> Any:
        if name not in self.targets:
            return default
        if not dict.__contains__(self, name):
            self._make()
        return self[name]

    def _make(self) -> None:
        together = differentiate(self.nests, tuple(self.targets.values()), self.lowering)
        forward = {variable.name for variable in self.nests.temps} | {v.name for v in self.nests.outputs}
        if forward & {variable.name for variable in together.temps}:
            self.update(dict.fromkeys(self.targets, self._rule(tuple(self.targets), together)))
            return
        for parameter, name in self.targets.items():
            self[parameter] = self._rule((parameter,), differentiate(self.nests, (name,), self.lowering))

    def _rule(self, targets: tuple[str, ...], gradient: ir.Kernel) -> Gradient:
        """The rule that calls the operator of a gradient."""
        order = [variable.name for variable in self.nests.inputs]
        op = _Nests(gradient, self.lowering, tuple(variable.name for variable in gradient.inputs))
        values = [f"input{order.index(v.name)}" for v in gradient.inputs if v.role != "cotangent"]
        results = [TensorType(_DTYPES[gradient.dtype], variable.shape) for variable in self.nests.outputs]
        shaped = tuple(f"{target}_type" for target in targets)

        def rule(*arguments: Any, g: Any, **types: Any) -> Any:
            cotangents = g if len(results) > 1 else (g,)
            cotangents = [ops.zeros(t.shape, t.dtype) if c is None else c for c, t in zip(cotangents, results)]
            computed = op(*arguments, *cotangents)
            computed = computed if isinstance(computed, tuple) else (computed,)
            parts = [
                d if types[name] is None or d.shape == types[name].shape else d.reshape(types[name].shape)
                for d, name in zip(computed, shaped)
            ]
            return parts if len(parts) > 1 else parts[0]

        keyword = inspect.Parameter.KEYWORD_ONLY
        rule.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in values]
            + [inspect.Parameter(name, keyword) for name in (*shaped, "g")]
        )
        return Gradient(targets, rule, (*values, *shaped))


def operator_of(nests: ir.Kernel) -> Callable:
    """Loop nests, such as a gradient's, as a function of tensors for their inputs. It has no gradient."""
    return _Nests(nests, "auto", ())
