"""The one table from which Tensor takes its operators, methods and properties, in both modes.

An entry is an operator, or a Python function of the tensor and further arguments that is written in operators. Nothing
else gives Tensor behaviour that computes; what a tensor *is* stands in `core/tensor.py`.

    OPERATORS     Python's operators            REFLECTED   those with the tensor on the right
    METHODS       methods: functions of the same name, other names for functions, and the forms of `forms.py`
    PROPERTIES    properties
"""

from __future__ import annotations

import collections
import functools
import inspect
import types
from collections.abc import Callable
from importlib import import_module
from typing import Any

from anfora.core import slots, tensor_classes
from anfora.core.op import Op, parameter_names
from anfora.core.own_builtins import undisturbed
from anfora.core.tensor import Tensor, is_operand
from anfora.ops.composite import composite, is_door, with_doors
from anfora.ops.former import former_names
from anfora.ops.forms import DIRECT, FORMS, TURNED, in_place, spelled, standing_for
from anfora.ops.random_forms import RANDOM_FORMS

__all__ = ["METHODS", "MODULES", "OPERATORS", "PROPERTIES", "REFLECTED", "functions", "install"]

#: The modules whose public names are the functions of `anfora.ops`.
MODULES = (
    "activation", "arithmetic", "attention", "boxes", "comparison", "complexes", "convolution", "copying", "creation",
    "ctc", "derived", "diagonals", "entropy", "factors", "grids", "image", "indexing", "joining", "linalg", "linear",
    "losses", "mathematics", "normalization", "padding", "pooling", "programs", "random", "recurrent", "reduction", "scan",
    "scatter", "shape", "softmaxes", "sorting", "special", "spectra", "tapers",
)  # fmt: skip


def _functions() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for module in map(import_module, (f"anfora.ops.{name}" for name in MODULES)):
        found.update((name, getattr(module, name)) for name in module.__all__)
        if module.__name__ != "anfora.ops.programs":  # which graph mode goes into
            found.update(with_doors(found, module.__all__))
    for name, function in found.items():
        if is_door(function):
            takes = function.order if isinstance(function, Op) else parameter_names(inspect.unwrap(function))
            function.former_names = former_names(name, takes)
    return found


#: Every function of `anfora.ops`, by name.
functions = _functions()

#: Python's operators, by the functions behind them.
_ONE_OPERAND = {"__neg__": "neg", "__pos__": "positive", "__abs__": "abs", "__invert__": "bitwise_not"}
_COMPARISONS = {
    "__eq__": "equal", "__ne__": "not_equal", "__lt__": "less", "__le__": "less_equal", "__gt__": "greater",
    "__ge__": "greater_equal",
}  # fmt: skip
_TWO_OPERANDS = {
    "__add__": "add", "__sub__": "sub", "__mul__": "mul", "__truediv__": "true_divide", "__floordiv__": "floor_div",
    "__mod__": "floor_mod", "__pow__": "pow", "__matmul__": "matmul", "__and__": "bitwise_and", "__or__": "bitwise_or",
    "__xor__": "bitwise_xor", "__lshift__": "bitwise_left_shift", "__rshift__": "bitwise_right_shift",
}  # fmt: skip

#: Python's operators. There is no `__iadd__`: `x += y` makes a new tensor, as Python does for numbers.
OPERATORS: dict[str, Callable] = {
    name: functions[function] for name, function in {**_ONE_OPERAND, **_COMPARISONS, **_TWO_OPERANDS}.items()
}

#: Python's operators with the tensor on the right: called with (tensor, other), compute `other op tensor`.
REFLECTED: dict[str, Callable] = {f"__r{name[2:]}": functions[function] for name, function in _TWO_OPERANDS.items()}

#: Methods that are the function of the same name, with the tensor as its first argument.
_SAME = """
    abs absolute addcdiv addcmul div divide floor_div floor_divide floor_mod fmod mod mul multiply neg negative
    positive pow reciprocal remainder true_divide lerp maximum minimum fmax fmin hypot gcd lcm ceil floor
    round trunc fix frac sign sgn sqrt rsqrt square clamp clip nan_to_num copysign nextafter ldexp xlogy xdivy acos
    acosh arccos arccosh arcsin arcsinh arctan arctan2 arctanh asin asinh atan atan2 atanh cos cosh sin sinc sinh tan
    tanh exp exp2 expm1 log log10 log1p log2 logaddexp logaddexp2 logit erf erfc erfinv lgamma digamma polygamma
    igamma igammac mvlgamma deg2rad rad2deg angle truncate_div truncate_mod inv real imag conj is_complex

    equal eq ne not_equal greater gt greater_equal ge less lt less_equal le isclose isfinite isinf isnan isneginf
    isposinf isreal signbit heaviside logical_and logical_not logical_or logical_xor bitwise_and bitwise_not
    bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift invert masked_fill allclose

    all any amax amin aminmax argmin argmax argmax_with_value argmin_with_value count_nonzero logsumexp mean nanmean
    nansum prod median nanmedian norm quantile nanquantile cumprod cummax cummin logcumsumexp diff trapz sort
    argsort topk kthvalue msort unique_consecutive bincount histc bucketize

    matmul mm bmm mv dot inner outer ger kron cross addmm addmv addbmm baddbmm addr det logdet slogdet
    log_matrix_determinant matrix_determinant inverse pinv cholesky cholesky_inverse qr svd matrix_power matrix_exp
    cdist dist cov eigvals geqrf orgqr trace tril triu diag diagflat diag_embed renorm

    relu relu6 sigmoid softmax log_softmax softmin softplus softsign logsigmoid gelu elu selu celu leaky_relu
    hardshrink hardsigmoid hardswish hardtanh softshrink silu mish prelu

    bernoulli multinomial random_categorical top_k i0 lstsq lu_solve pad unfold fold unique unique_with_pad reverse_sequence
    unsorted_segment_max unsorted_segment_min unsorted_segment_prod cholesky_solve
"""

#: Methods whose function has another name.
_RENAMED = {"pinverse": "pinv"}

#: Methods that compute the function of the same name without the underscore, and write the result into the tensor.
_IN_PLACE = """
    abs add addcdiv addcmul ceil clamp cos div erf exp floor floor_div floor_divide log log2 masked_fill mul neg pow
    reciprocal relu remainder round rsqrt sigmoid sign erfinv addmm sin sqrt square sub subtract tanh trunc logical_and
    logical_or logical_not logical_xor bitwise_and bitwise_or bitwise_xor bitwise_not masked_scatter
"""

#: Methods whose arguments have other names than those of the function of the same name.
_SPELLED = {
    "approximate_equal": {"other": "y"}, "float_power": {"other": "exponent"},
    "ormqr": {"input2": "tau", "input3": "other"},
}  # fmt: skip

METHODS: dict[str, Callable] = {
    **{name: functions[function] for name, function in _RENAMED.items()},
    **{name: functions[name] for name in _SAME.split()},
    **{name: spelled(functions[name], **names) for name, names in _SPELLED.items()},
    **FORMS,
    **RANDOM_FORMS,
}
METHODS |= {name: composite(function) for name, function in METHODS.items() if name not in DIRECT}
METHODS |= {f"{name}_": in_place(f"{name}_", METHODS[name]) for name in _IN_PLACE.split()}

PROPERTIES: dict[str, Callable] = {**TURNED}


def _name_methods() -> None:
    """Call methods by their own names for `help` and in errors: those that are no functions of `anfora.ops`, nor of two
    names."""
    others = [*map(id, functions.values())]
    shared = collections.Counter([*others, *others, *map(id, METHODS.values())])
    for name, function in METHODS.items():
        inner: Any = function if shared[id(function)] == 1 else None
        while type(inner) is types.FunctionType:
            inner.__name__, inner.__qualname__ = name, f"Tensor.{name}"
            inner = getattr(inner, "__wrapped__", None)


_name_methods()


def install() -> None:
    """Give Tensor its methods. Those that run natively are made at their first call."""
    if slots.method_table:
        return
    slots.method_table = True
    for name, function in OPERATORS.items():
        setattr(Tensor, name, _method(name, function, None))
    for name, function in METHODS.items():
        setattr(Tensor, name, _method(name, function, None))
    for name, function in REFLECTED.items():
        setattr(Tensor, name, _method(name, function, (1, 0)))
    for name, function in PROPERTIES.items():
        setattr(Tensor, name, property(function, doc=function.__doc__))
    tensor_classes.note_all()


def _method(name: str, function: Callable, order: tuple[int, ...] | None) -> Callable:
    """A function as a method; a plain operator is replaced by its native form when it is first called."""
    is_operator = name in OPERATORS or name in REFLECTED
    if hasattr(function, "change"):
        return _made_at_first_call(name, function, lambda: slots.native_change(function.change, function, name=name))
    if not isinstance(function, Op):
        return _python_operator(function, order) if is_operator else spelled(function)
    if function.variadic or function.writes or (function.attributes and not is_operator):
        return spelled(function)

    return _made_at_first_call(name, function, lambda: slots.native_method(function, order, is_operator))


def _made_at_first_call(name: str, function: Callable, make: Callable[[], Any]) -> Callable:
    """A method that is replaced by its native form when it is first called."""
    # A program may put this back in the place of the native form, again and again.
    native = functools.cache(undisturbed(make))

    def method(self: Tensor, *args: Any, **kwargs: Any) -> Any:
        tensor_classes.replace(name, method, native())
        return native()(self, *args, **kwargs)

    return standing_for(method, function, name)


def _python_operator(function: Callable, order: tuple[int, ...] | None) -> Callable:
    """A function of two operands as one of Python's operators."""

    def method(self: Tensor, other: Any) -> Any:
        if not is_operand(other):
            return NotImplemented
        return function(self, other) if order is None else function(other, self)

    return method


install()
