"""Operators: one definition each, read by both modes.

    @op
    def exp(input: Tensor):
        "documentation"

    @exp.infer                          # types in, type out; errors are born here, once, for both modes
    def _(input): ...

    @exp.kernel                         # adds steps to a plan; called once for each combination of layouts
    def _(p, input, out): ...

    @exp.vjp("input")                   # the gradient to `input`; asks by name for what the tape must keep
    def _(out, *, g):
        return g * out

The signature says what an argument is: `Tensor`, `Tensor | None`, or `Tensors` (any number of them) by annotation;
every other parameter is an attribute: metadata that is known when a call is planned, such as an axis.

A rule asks for what it needs by parameter name:

    x           a tensor argument (the tape keeps its data)
    x_type      its TensorType (the tape keeps nothing)
    out         the result, or `out0`, `out1` … where there are several
    g           the gradient of the result (a tuple with None for absent ones where there are several results)
    axis, …     attributes, normalised

    t_x         in a `jvp` rule: the tangent of x. Values come as None there when no gradient rule of the arguments that
                move keeps them

What is left out has a default: `jvp` applies the gradient twice, `batch` runs the operator for each example. Families
share makers of both (`ops/families.py`).
Dispatch lives elsewhere (`eager/`, `graph/`): calling an Op goes through the slot `dispatch`, filled by `anfora.eager`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from anfora.core import slots
from anfora.core.abstract import TensorType
from anfora.core.arguments import unknown
from anfora.core.dtype import DType, promote, promote_scalar
from anfora.core.errors import OpTypeError
from anfora.core.own_builtins import undisturbed
from anfora.core.span import is_own_function

__all__ = [
    "Gradient", "Op", "Weak", "asked", "by_own_names", "common_dtype", "defaults_of", "in_own_words", "is_of_program",
    "leaves", "op", "parameter_names", "pass_gradient", "registry",
]  # fmt: skip

registry: dict[str, Op] = {}  #: every operator, by name


@dataclass(frozen=True)
class Weak:
    """The abstract of a Python number: it takes the element type of the tensors it meets, within its category."""

    python: type  #: bool, int or float

    @property
    def dtype(self) -> DType:
        from anfora.core.dtype import as_dtype

        return as_dtype(self.python)

    shape = ()
    ndim = 0
    size = 1

    def __repr__(self) -> str:
        return f"the Python {self.python.__name__}"


@dataclass(frozen=True)
class Gradient:
    """A rule for the gradients to some tensor arguments."""

    targets: tuple[str, ...]
    rule: Callable
    wants: tuple[str, ...]  #: names of the rule's parameters, `g` excluded
    is_of_program: bool = False  #: whether it calls a function of the program, which may do more than to compute


def is_of_program(rule: Any) -> bool:
    """Whether a rule is a function of the program."""
    return getattr(rule, "__code__", None) is not None and not is_own_function(rule)


def asked(rule: Callable) -> Callable:
    """A function of the program that is called for gradients or tangents: a recorder goes into it."""

    @functools.wraps(rule)
    def called(*args: Any, **kwargs: Any) -> Any:
        recorder = slots.watcher.recorder
        return rule(*args, **kwargs) if recorder is None else recorder.call_back(rule, args, kwargs)

    return called


def pass_gradient(*, g: Any) -> Any:
    """The gradient rule of an argument that the result follows one to one."""
    return g


def parameter_names(function: Callable) -> tuple[str, ...]:
    """The names of a Python function's parameters, without `*` and `**`; at import `inspect.signature` would take long."""
    code = function.__code__
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def defaults_of(function: Callable) -> dict[str, Any]:
    """The defaults of a Python function's parameters, by name."""
    given = function.__defaults__ or ()
    code = function.__code__
    found = dict(zip(code.co_varnames[code.co_argcount - len(given) : code.co_argcount], given))
    return {**found, **(function.__kwdefaults__ or {})}


def _parameters(function: Callable) -> tuple[tuple[str, ...], dict[str, Any], dict[str, Any]]:
    """The names of a Python function's parameters, and by name their annotations and defaults."""
    told = getattr(function, "__signature__", None)
    if told is None:
        return parameter_names(function), function.__annotations__, defaults_of(function)
    empty, parameters = inspect.Parameter.empty, told.parameters
    defaults = {name: parameter.default for name, parameter in parameters.items() if parameter.default is not empty}
    return tuple(parameters), {name: parameter.annotation for name, parameter in parameters.items()}, defaults


def by_own_names(function: Any, kwargs: dict) -> dict:
    """The arguments of a call by the names that an operator, or a function like one, has for them: of `former_names`."""
    return in_own_words(function.__name__, function.former_names, kwargs)


def in_own_words(what: str, own_names: Mapping[str, str], kwargs: dict) -> dict:
    """The arguments of a call by the names that a function has for them; refuses what is given by two names.

    Args:
        what: the function, for the error.
        own_names: its names, by others that mean the same.
        kwargs: what is given by name.
    """
    if own_names.keys().isdisjoint(kwargs):
        return kwargs
    given: dict[str, str] = {}
    for name in kwargs:
        other = given.setdefault(own_names.get(name, name), name)
        if other is not name:
            raise OpTypeError(f"{what} got both `{other}` and `{name}`, which mean the same")
    return {own: kwargs[name] for own, name in given.items()}


class Op:
    """An operator. Call it with tensors and attributes; see the head of this file for its rules.

    An operator that is called often gets a class of its own, in which the builtin that knows its calls stands in the place
    of `__call__`: see `called_through`.
    """

    is_basic: ClassVar[bool] = True  #: whether it is of no further kind

    def __init_subclass__(cls, is_basic: bool = False) -> None:
        cls.is_basic = is_basic

    def __init__(self, function: Callable) -> None:
        self.name = function.__name__
        self.__name__ = self.__qualname__ = self.name
        self.__doc__ = function.__doc__
        self.__module__ = function.__module__
        self._described = function
        self.tensors: tuple[str, ...] = ()  #: names of tensor parameters
        self.optional: frozenset[str] = frozenset()  #: those that may be None
        self.variadic: frozenset[str] = frozenset()  #: those that take a sequence of tensors
        self.attributes: dict[str, Any] = {}  #: other parameters and their defaults (`Parameter.empty` if required)
        self.order, annotations, self.defaults = _parameters(function)
        for name in self.order:
            kind = str(annotations.get(name))
            if kind in ("Tensor", "Tensor | None", "Tensors"):
                self.tensors += (name,)
                if kind == "Tensor | None":
                    self.optional |= {name}
                if kind == "Tensors":
                    self.variadic |= {name}
            else:
                self.attributes[name] = self.defaults.get(name, inspect.Parameter.empty)
        self.former_names: dict[str, str] = {}  #: further names of arguments, with their own (`ops/former.py`)
        #: Whether calls are tensors, then attributes: such calls find their way by a key of the attributes.
        self.is_quick = bool(self.tensors) and not self.variadic and self.order[: len(self.tensors)] == self.tensors
        self.infer_rule: Callable | None = None
        self.normalize_rule: Callable | None = None
        self.kernel_rule: Callable | None = None
        self.end_rule: Callable | None = None
        self.python_rule: Callable | None = None
        self.view_rule: Callable | None = None
        self.fault_rule: Callable | None = None
        self.faults_are_of_integers = False  #: whether floating-point numbers never fail
        self.advice_rule: Callable | None = None
        self.part_rule: Callable | None = None
        self.scalar_rule: Callable = _common_dtype
        self.jvp_rule: Callable | None = None  #: from a mapping of what it may ask for (`eager/forward.py`)
        self.batch_rule: Callable | None = None
        #: What complex arguments mean to it: None, they are refused; True, its rules serve them; or a function of the same
        #: arguments, written in operators on complex numbers, that is called in its place.
        self.complex_rule: Callable | bool | None = None
        #: Whether it only moves elements, to where they may meet another type: it refuses to lose imaginary parts there.
        self.keeps_parts = False
        #: What floating-point numbers of eight bits mean to it: None, they are refused, but where it gives a view;
        #: True, its rules serve them; or a function of the same arguments that is called in its place.
        self.eight_bits_rule: Callable | bool | None = None
        #: Whether its derivative by complex arguments is a complex number, by which gradients are multiplied.
        self.is_holomorphic = True
        self.gradients: dict[str, Gradient] = {}
        self.writes: str | None = None  #: the argument, or sequence, that is written in place and returned
        self.is_untaped = False  #: writes as under `no_grad`, whatever the tape follows
        self.is_random = False  #: draws random numbers: takes `seed` and `offset` from the program's generator
        self.mixed = ""  #: under mixed precision: "half", it takes halves; "single", float32 for them; "", what comes
        #: A product to which a `bias` may be added: how many axes of the result stand behind that of the bias.
        self.behind_bias: int | None = None
        self.is_effect = False  #: does something outside, so each call is done in its place, needed or not
        self.caches: dict = {}  #: what the modes keep for it

    @functools.cached_property
    @undisturbed
    def signature(self) -> inspect.Signature:
        """How it is called. Made when somebody asks: that of all operators is a tenth of what the import takes."""
        return inspect.signature(self._described)

    @property
    def __signature__(self) -> inspect.Signature:  # for `help` and editors
        return self.signature

    def __repr__(self) -> str:
        return f"<operator {self.name}{self.signature}>"

    def __reduce__(self) -> tuple:
        return _find, (self.name,)

    def __copy__(self) -> Op:
        return self

    def __deepcopy__(self, memo: dict) -> Op:
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return slots.dispatch(self, args, by_own_names(self, kwargs) if kwargs else kwargs)

    def called_through(self, function: Callable) -> None:
        """Let a builtin function be what is called."""
        own = type("Op", (Op,), {"__call__": staticmethod(function), "__doc__": Op.__doc__}, is_basic=True)
        own.__module__, own.__qualname__ = Op.__module__, Op.__qualname__
        self.__class__ = own

    # -- rules --------------------------------------------------------------------------------------------------------

    def infer(self, rule: Callable) -> Callable:
        """Set the rule from abstract arguments and attributes to the TensorType, or tuple of them, of the result."""
        self.infer_rule = rule
        return rule

    def normalize(self, rule: Callable) -> Callable:
        """Set the rule that brings attributes into one form (axes counted from the front, pairs for numbers); it gets
        abstract arguments and attributes and returns the attributes."""
        self.normalize_rule = rule
        return rule

    def kernel(self, rule: Callable) -> Callable:
        """Set the rule that plans kernels: `(planner, *inputs, *outputs, **attributes)` on buffers."""
        self.kernel_rule = rule
        return rule

    def ends(self, rule: Callable) -> Callable:
        """Set the rule that says whether kernels can do more with each element of the one output, whose plan gets it as
        the keyword `end` (kernel/ends.py): `(*inputs, **attributes)` on types -> the axis of the output along which
        operands of that may vary alone, or None."""
        self.end_rule = rule
        return rule

    def python(self, rule: Callable) -> Callable:
        """Set the rule of an operator that runs in Python and has no kernel: from numpy arrays (bfloat16 as float32, None
        for what is absent) and attributes to the array, or tuple of arrays, of the result. These are converted to the
        inferred types. The rule may raise errors that depend on the data."""
        self.python_rule = rule
        return rule

    def view(self, rule: Callable) -> Callable:
        """Set the rule of an operator whose result shares the memory of its first argument: from its layout and the
        attributes to (layout, offset in bytes), or None where only a copy can do; then the kernel makes it."""
        self.view_rule = rule
        return rule

    def part(self, rule: Callable) -> Callable:
        """Set the rule of a view whose gradient is zero but for a part: from the layout of the argument and the attributes
        to (shape of the whole, items of index_view), or None where it is all. The tape may then put several together."""
        self.part_rule = rule
        return rule

    def fault(self, rule: Callable) -> Callable:
        """Set the rule that turns a kernel's failure, the position of the bad element, into an error."""
        self.fault_rule = rule
        return rule

    def advice(self, rule: Callable) -> Callable:
        """Set the rule from abstract arguments and attributes to what the caller is warned of, or None."""
        self.advice_rule = rule
        return rule

    def scalars(self, rule: Callable) -> Callable:
        """Set the rule that gives the element type in which Python numbers are passed: one for all, or a tuple of one for
        each tensor parameter."""
        self.scalar_rule = rule
        return rule

    def vjp(self, *targets: str) -> Callable[[Callable], Callable]:
        """Set the rule for the gradients to the named arguments; None means that no gradient flows there."""

        def keep(rule: Callable) -> Callable:
            wants = tuple(name for name in parameter_names(rule) if name != "g")
            known = {*self.tensors, *(f"{t}_type" for t in self.tensors), *self.attributes, "out", "out_type"}
            for name in wants:
                if name not in known and not (name.startswith("out") and name[3:].removesuffix("_type").isdecimal()):
                    raise TypeError(f"{self.name}: its gradient asks for {name!r}, which it does not have")
            called = asked(rule) if is_of_program(rule) else rule
            for target in targets:
                if target not in self.tensors:
                    raise TypeError(f"{self.name}: gradient to {target!r}, which is no tensor argument")
                self.gradients[target] = Gradient(targets, called, wants, called is not rule)
            return rule

        return keep

    def complex(self, rule: Callable) -> Callable:
        """Set what is called in place of the operator where tensors, or the result, are complex: a function of the same
        arguments that is written in operators on complex numbers."""
        self.complex_rule = rule
        return rule

    def jvp(self, rule: Callable) -> Callable:
        """Set the rule for the tangent of the result, a tuple of them where there are several; None where nothing moves.
        It asks for `t_x`, the tangent of x, None where x does not move, and for what a gradient rule may ask for."""
        names = parameter_names(rule)
        known = {
            *self.tensors,
            *(f"t_{t}" for t in self.tensors),
            *(f"{t}_type" for t in self.tensors),
            *self.attributes,
        }
        for name in names:
            if name not in known and not name.startswith("out"):
                raise TypeError(f"{self.name}: its forward rule asks for {name!r}, which it does not have")
        called = asked(rule) if is_of_program(rule) else rule
        self.jvp_rule = lambda values: called(**{name: values[name] for name in names})
        return rule

    def batch(self, rule: Callable) -> Callable:
        """Set the batching rule: `(batched, *arguments, **attributes)` to the result, or the tuple of them.

        `batched` tells for each argument (a tuple for a sequence of tensors) whether it has an axis of examples, which
        is axis 0 then, and of the result in any case. Attributes are normalised for a single example."""
        self.batch_rule = rule
        return rule

    # -- calls --------------------------------------------------------------------------------------------------------

    def bind(self, args: tuple, kwargs: dict) -> tuple[list, dict]:
        """Sort the arguments of a call into tensors (in order) and given attributes."""
        if len(args) > len(self.order):
            some = "1 argument" if len(self.order) == 1 else f"{len(self.order)} arguments"
            raise OpTypeError(f"{self.name} takes {some}, but got {len(args)}")
        given = dict(zip(self.order, args))
        for name, value in kwargs.items():
            if name in given:
                raise OpTypeError(f"{self.name} got two values for `{name}`")
            if name not in self.order:
                raise unknown(self.name, name, self.order)
            given[name] = value
        inputs = []
        for name in self.tensors:
            if name in given:
                inputs.append(given.pop(name))
            elif name in self.optional:
                inputs.append(None)
            else:
                raise OpTypeError(f"{self.name} needs the argument `{name}`", help=f"its form is {self.form}.")
        for name, default in self.attributes.items():
            if name not in given and default is inspect.Parameter.empty:
                raise OpTypeError(f"{self.name} needs the argument `{name}`", help=f"its form is {self.form}.")
        return inputs, given

    def call(self, tensors: Sequence, attributes: dict) -> Any:
        """Call it with one value for each tensor parameter, wherever these stand, and attributes by name."""
        if self.order[: len(self.tensors)] == self.tensors:
            return self(*tensors, **attributes)
        return self(**dict(zip(self.tensors, tensors)), **attributes)

    @property
    def form(self) -> str:
        """How to call it: `softmax(input, axis=-1)`."""
        parts = []
        for name in self.order:
            parts.append(f"{name}={self.defaults[name]!r}" if name in self.defaults else name)
        return f"{self.name}({', '.join(parts)})"

    def complete(self, abstracts: list, attributes: dict) -> dict:
        """The attributes of a call: defaults filled in, normalised."""
        full = {name: attributes.get(name, default) for name, default in self.attributes.items()}
        return self.normalize_rule(*abstracts, **full) if self.normalize_rule else full


def op(function: Callable) -> Op:
    """Register an operator under the name of the function, whose signature and docstring it takes."""
    made = Op(function)
    if made.name in registry:
        raise TypeError(f"the operator {made.name} is registered already, in {registry[made.name].__module__}")
    registry[made.name] = made
    return made


def _find(name: str) -> Op:
    import anfora.ops  # noqa: F401  (fills the registry)

    return registry[name]


def leaves(abstracts: Any) -> Iterator[TensorType | Weak]:
    """The tensors and numbers among abstract arguments, sequences opened."""
    for item in abstracts:
        if isinstance(item, (tuple, list)):
            yield from leaves(item)
        elif item is not None:
            yield item


def _common_dtype(*abstracts: Any, **attributes: Any) -> DType:
    """The element type in which all arguments meet."""
    dtype = None
    weak = []
    for item in leaves(abstracts):
        if isinstance(item, Weak):
            weak.append(item)
        else:
            dtype = item.dtype if dtype is None else promote(dtype, item.dtype)
    for item in weak:
        dtype = item.dtype if dtype is None else promote_scalar(dtype, item.python)
    assert dtype is not None
    return dtype


common_dtype = _common_dtype
