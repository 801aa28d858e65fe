"""Checks of arguments, under the names that MindSpore's own layers and programs like them use:

    from anfora import _checkparam as validator
    validator.check_positive_int(size, "size", self.cls_name)

Each gives the value back when it is right. A wrong type is a TypeError, a wrong value a ValueError; both say which
argument of which function it was, where these names are given. This package's own layers have `nn/checks.py`.
"""

from __future__ import annotations

import functools
import inspect
import operator
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from anfora.core.errors import OpTypeError, OpValueError

__all__ = [
    "EQ", "GE", "GT", "IN", "INC_BOTH", "INC_LEFT", "INC_NEITHER", "INC_RIGHT", "LE", "LT", "NE", "NOT_IN",
    "args_type_check", "check", "check_bool", "check_element_type_of_iterable", "check_equal_int",
    "check_file_name_by_regular", "check_float", "check_float_range", "check_hook_fn", "check_input_format", "check_int",
    "check_int_range", "check_is_float", "check_is_int", "check_is_number", "check_isinstance", "check_negative_float",
    "check_negative_int", "check_non_negative_float", "check_non_negative_int", "check_non_negative_int_sequence",
    "check_non_positive_float", "check_non_positive_int", "check_number", "check_number_range", "check_positive_float",
    "check_positive_float_sequence", "check_positive_int", "check_positive_int_sequence",
    "check_scalar_or_tensor_types_same", "check_str_and_none_by_regular", "check_str_by_regular", "check_string",
    "check_subclass", "check_tensor_dtype_valid", "check_tensors_dtypes_same_and_valid", "check_type_name",
    "check_types_same_and_valid", "check_value_type", "is_stub_tensor", "once", "triple", "twice",
]  # fmt: skip

#: Relations of a value to another one, to the ends of a range, and to a set.
EQ, NE, LT, LE, GT, GE = 1, 2, 3, 4, 5, 6
INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH = 7, 8, 9, 10
IN, NOT_IN = 11, 12

_RELATIONS: dict[int, tuple[str, Callable[[Any, Any], bool]]] = {
    EQ: ("=", operator.eq),
    NE: ("!=", operator.ne),
    LT: ("<", operator.lt),
    LE: ("<=", operator.le),
    GT: (">", operator.gt),
    GE: (">=", operator.ge),
    IN: ("in", lambda value, others: value in others),
    NOT_IN: ("not in", lambda value, others: value not in others),
}
#: For each kind of range: its brackets, and the comparisons with its ends.
_RANGES: dict[int, tuple[str, str, Callable, Callable]] = {
    INC_NEITHER: ("(", ")", operator.gt, operator.lt),
    INC_LEFT: ("[", ")", operator.ge, operator.lt),
    INC_RIGHT: ("(", "]", operator.gt, operator.le),
    INC_BOTH: ("[", "]", operator.ge, operator.le),
}


def _what(arg_name: str | None, prim_name: str | None) -> str:
    """The subject of an error's sentence."""
    named = f"the '{arg_name}'" if arg_name else "the input value"
    return f"For '{prim_name}', {named}" if prim_name else named[0].upper() + named[1:]


def _of_type(value: Any, kinds: Any, arg_name: str | None, prim_name: str | None) -> Any:
    """A value of one of some types; a bool is no number."""
    kinds = tuple(kinds) if isinstance(kinds, (tuple, list)) else (kinds,)
    if isinstance(value, kinds) and (type(value) is not bool or bool in kinds or object in kinds):
        return value
    names = " or ".join(f"'{kind.__name__}'" for kind in kinds)
    raise OpTypeError(f"{_what(arg_name, prim_name)} must be of type {names}, but got '{type(value).__name__}'.")


def _related(value: Any, other: Any, rel: int, subject: str, error: type[Exception] = OpValueError) -> Any:
    sign, holds = _RELATIONS[rel]
    if not holds(value, other):
        raise error(f"{subject} must be {sign} {other}, but got {value!r} with type '{type(value).__name__}'.")
    return value


# -- numbers ----------------------------------------------------------------------------------------------------------


def check(
    arg_name: str, arg_value: Any, value_name: str, value: Any, rel: int = EQ, prim_name: str | None = None,
    excp_cls: type[Exception] = OpValueError,
) -> Any:  # fmt: skip
    """A value that is related to another one, which has a name too.

    Example:
        >>> check("len(axis)", 2, "rank", 4, LE)
        2
    """
    sign, holds = _RELATIONS[rel]
    if not holds(arg_value, value):
        raise excp_cls(f"{_what(arg_name, prim_name)} should be {sign} {value_name}: {value}, but got {arg_value!r}.")
    return arg_value


def check_number(arg_name: str, arg_value: Any, value: Any, rel: int, prim_name: str | None = None) -> Any:
    """A number that is related to another one.

    Example:
        >>> check_number("p", 0.5, 1, LE, "Dropout")
        0.5
    """
    return _related(arg_value, value, rel, _what(arg_name, prim_name))


def check_is_number(arg_value: Any, arg_type: type, arg_name: str | None = None, prim_name: str | None = None) -> Any:
    """A finite number of a type; a bool is none.

    Example:
        >>> check_is_number(3.5, float, "scale")
        3.5
    """
    _of_type(arg_value, arg_type, arg_name, prim_name)
    if isinstance(arg_value, float) and arg_value - arg_value != 0:
        raise OpValueError(f"{_what(arg_name, prim_name)} must be a finite number, but got {arg_value}.")
    return arg_value


def _number_check(kind: type) -> Callable[..., Any]:
    def related(arg_value: Any, value: Any, rel: int, arg_name: str | None = None, prim_name: str | None = None) -> Any:
        check_is_number(arg_value, kind, arg_name, prim_name)
        return _related(arg_value, value, rel, f"{_what(arg_name, prim_name)} must be {kind.__name__} and")

    related.__doc__ = f"A finite {kind.__name__} that is related to another one."
    return related


check_int = _number_check(int)
check_float = _number_check(float)


def _sign_check(kind: type, rel: int) -> Callable[..., Any]:
    def signed(arg_value: Any, arg_name: str | None = None, prim_name: str | None = None) -> Any:
        check_is_number(arg_value, kind, arg_name, prim_name)
        return _related(arg_value, kind(0), rel, f"{_what(arg_name, prim_name)} must be {kind.__name__} and")

    signed.__doc__ = f"A finite {kind.__name__} {_RELATIONS[rel][0]} 0."
    return signed


check_positive_int, check_positive_float = _sign_check(int, GT), _sign_check(float, GT)
check_negative_int, check_negative_float = _sign_check(int, LT), _sign_check(float, LT)
check_non_positive_int, check_non_positive_float = _sign_check(int, LE), _sign_check(float, LE)
check_non_negative_int, check_non_negative_float = _sign_check(int, GE), _sign_check(float, GE)


def _sequence_check(single: Callable[..., Any]) -> Callable[..., Any]:
    def each(sequence: Sequence, arg_name: str | None = None, prim_name: str | None = None) -> Sequence:
        for i, item in enumerate(sequence):
            single(item, f"{arg_name or 'sequence'}[{i}]", prim_name)
        return sequence

    each.__doc__ = f"A sequence of which each item is: {single.__doc__}"
    return each


check_positive_int_sequence = _sequence_check(check_positive_int)
check_non_negative_int_sequence = _sequence_check(check_non_negative_int)
check_positive_float_sequence = _sequence_check(check_positive_float)


def check_is_int(arg_value: Any, arg_name: str | None = None, prim_name: str | None = None) -> Any:
    """An int; a bool is none.

    Example:
        >>> check_is_int(3)
        3
    """
    return check_is_number(arg_value, int, arg_name, prim_name)


def check_is_float(arg_value: Any, arg_name: str | None = None, prim_name: str | None = None) -> Any:
    """A finite float.

    Example:
        >>> check_is_float(0.5)
        0.5
    """
    return check_is_number(arg_value, float, arg_name, prim_name)


def check_equal_int(arg_value: Any, value: int, arg_name: str | None = None, prim_name: str | None = None) -> Any:
    """An int that is equal to another one.

    Example:
        >>> check_equal_int(3, 3)
        3
    """
    return check_int(arg_value, value, EQ, arg_name, prim_name)


def check_number_range(
    arg_value: Any, lower_limit: Any, upper_limit: Any, rel: int, value_type: Any, arg_name: str | None = None,
    prim_name: str | None = None,
) -> Any:  # fmt: skip
    """A number of one of some types between two limits; `rel` says which of them belong to the range.

    Example:
        >>> check_number_range(0.5, 0, 1, INC_LEFT, (int, float))
        0.5
    """
    _of_type(arg_value, value_type, arg_name, prim_name)
    left, right, above, below = _RANGES[rel]
    if not (above(arg_value, lower_limit) and below(arg_value, upper_limit)):
        raise OpValueError(
            f"{_what(arg_name, prim_name)} must be in range of {left}{lower_limit}, {upper_limit}{right}, but got "
            f"{arg_value!r} with type '{type(arg_value).__name__}'."
        )
    return arg_value


def check_int_range(
    arg_value: Any, lower_limit: int, upper_limit: int, rel: int, arg_name: str | None = None,
    prim_name: str | None = None,
) -> Any:  # fmt: skip
    """An int between two limits.

    Example:
        >>> check_int_range(2, 0, 2, INC_RIGHT)
        2
    """
    return check_number_range(arg_value, lower_limit, upper_limit, rel, int, arg_name, prim_name)


def check_float_range(
    arg_value: Any, lower_limit: float, upper_limit: float, rel: int, arg_name: str | None = None,
    prim_name: str | None = None,
) -> Any:  # fmt: skip
    """A float between two limits.

    Example:
        >>> check_float_range(0.1, 0.0, 1.0, INC_LEFT, "momentum", "BatchNorm2d")
        0.1
    """
    return check_number_range(arg_value, lower_limit, upper_limit, rel, float, arg_name, prim_name)


def _expand_tuple(n_dimensions: int) -> Callable[[Any], tuple[int, ...]]:
    """A function that makes one int a tuple of so many, and gives a tuple of so many back."""

    def expand(m: Any) -> tuple[int, ...]:
        if not isinstance(m, tuple):
            return (_of_type(m, int, None, None),) * n_dimensions
        if len(m) != n_dimensions:
            raise OpTypeError(f"A tuple of {n_dimensions} ints is needed, but got {m}.")
        for item in m:
            _of_type(item, int, None, None)
        return m

    expand.__doc__ = f"{n_dimensions} ints: one that is meant for all, or a tuple."
    return expand


once, twice, triple = _expand_tuple(1), _expand_tuple(2), _expand_tuple(3)


# -- types ------------------------------------------------------------------------------------------------------------


def check_bool(arg_value: Any, arg_name: str | None = None, prim_name: str | None = None) -> bool:
    """True or False.

    Example:
        >>> check_bool(False)
        False
    """
    return _of_type(arg_value, bool, arg_name, prim_name)


def check_value_type(arg_name: str, arg_value: Any, valid_types: Any, prim_name: str | None = None) -> Any:
    """A value of one of some types; a bool is an int only where bool is among them.

    Example:
        >>> check_value_type("axis", 1, (int, tuple), "ReduceSum")
        1
    """
    return _of_type(arg_value, valid_types, arg_name, prim_name)


def check_isinstance(arg_name: str, arg_value: Any, classes: Any) -> Any:
    """An object of a class, or of one of some.

    Example:
        >>> check_isinstance("name", "fc", str)
        'fc'
    """
    if not isinstance(arg_value, classes):
        raise OpValueError(f"The parameter '{arg_name}' must be isinstance of {classes}, but got {arg_value!r}.")
    return arg_value


def check_element_type_of_iterable(
    arg_name: str, arg_value: Iterable, valid_types: Any, prim_name: str | None = None
) -> Any:
    """A container whose items are of one of some types.

    Example:
        >>> check_element_type_of_iterable("shape", [2, 3], [int])
        [2, 3]
    """
    for i, item in enumerate(arg_value):
        _of_type(item, valid_types, f"{arg_name}[{i}]", prim_name)
    return arg_value


def _is_type(value: Any, valid: Sequence) -> bool:
    """Whether a class or an element type is among some; a class is also what it is derived from."""
    return any(
        value == kind or (isinstance(value, type) and isinstance(kind, type) and issubclass(value, kind))
        for kind in valid
    )


def check_type_name(arg_name: str, arg_type: Any, valid_types: Any, prim_name: str | None = None) -> Any:
    """A type, or element type, that is among some.

    Example:
        >>> print(check_type_name("dtype", ms.float16, [ms.float16, ms.float32], "Cast"))
        Float16
    """
    valid = tuple(valid_types) if isinstance(valid_types, Iterable) else (valid_types,)
    if not _is_type(arg_type, valid):
        shown = ", ".join(map(str, valid))
        raise OpTypeError(f"{_what(arg_name, prim_name)} should be one of {shown}, but got {arg_type}.")
    return arg_type


check_subclass = check_tensor_dtype_valid = check_type_name  #: the same question, asked of types here


def check_types_same_and_valid(args: dict[str, Any], valid_values: Any, prim_name: str | None = None) -> None:
    """Types, by the names of the arguments that have them, that are among some and all the same.

    Example:
        >>> check_types_same_and_valid({"x": ms.int32, "y": ms.int32}, [ms.int32], "Add")
    """
    names = list(args)
    for name in names:
        check_type_name(name, args[name], valid_values, prim_name)
        if args[name] != args[names[0]]:
            raise OpTypeError(
                f"{_what(name, prim_name)} should have the type of '{names[0]}', {args[names[0]]}, but got {args[name]}."
            )


check_tensors_dtypes_same_and_valid = check_types_same_and_valid


def check_scalar_or_tensor_types_same(
    args: dict[str, Any], valid_values: Any, prim_name: str | None = None, allow_mix: bool = False
) -> None:
    """As `check_types_same_and_valid`; with `allow_mix` a number's type and a tensor's may stand side by side, which are
    the same types here.

    Example:
        >>> check_scalar_or_tensor_types_same({"x": ms.int32, "y": ms.int32}, [ms.int32], "Add")
    """
    check_types_same_and_valid(args, valid_values, prim_name)


def check_hook_fn(hook_fn: Any) -> bool:
    """Something that can be called.

    Example:
        >>> check_hook_fn(print)
        True
    """
    if not callable(hook_fn):
        raise OpTypeError(f"A hook must be a function, but got {type(hook_fn).__name__}.")
    return True


def is_stub_tensor(tensor: Any) -> bool:
    """Whether a tensor's values are still to come, which no tensor's are.

    Example:
        >>> is_stub_tensor(Tensor(1))
        False
    """
    return False


def args_type_check(*type_args: Any, **type_kwargs: Any) -> Callable[[Callable], Callable]:
    """A decorator that checks the types of arguments at each call; None is always taken.

    Example:
        >>> @args_type_check(size=int)
        ... def resize(size):
        ...     return size
        >>> resize(3)
        3
    """

    def decorate(function: Callable) -> Callable:
        signature = inspect.signature(function)
        kinds = signature.bind_partial(*type_args, **type_kwargs).arguments

        @functools.wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            for name, value in signature.bind(*args, **kwargs).arguments.items():
                if name in kinds and value is not None:
                    _of_type(value, kinds[name], name, function.__name__)
            return function(*args, **kwargs)

        return checked

    return decorate


# -- texts ------------------------------------------------------------------------------------------------------------


def check_string(
    arg_value: Any, valid_values: Sequence[str], arg_name: str | None = None, prim_name: str | None = None
) -> str:
    """A string that is among some.

    Example:
        >>> check_string("same", ["same", "valid"], "pad_mode", "Conv2d")
        'same'
    """
    if not isinstance(arg_value, str) or arg_value not in valid_values:
        raise OpValueError(
            f"{_what(arg_name or 'parameter', prim_name)} must be str and must be in '{list(valid_values)}', but got "
            f"'{arg_value}'."
        )
    return arg_value


def check_str_by_regular(
    target: str, reg: str | None = None, flag: int = re.ASCII, prim_name: str | None = None
) -> bool:
    r"""A string that a regular expression matches: without one, a name of letters, digits, `_` and `.`.

    Example:
        >>> check_str_by_regular("conv1.weight")
        True
    """
    return _matched(target, reg or r"^\w+[0-9a-zA-Z_.]*$", flag, prim_name)


def check_str_and_none_by_regular(
    target: str | None, reg: str | None = None, flag: int = re.ASCII, prim_name: str | None = None
) -> bool:
    """As `check_str_by_regular`; the empty string is taken too.

    Example:
        >>> check_str_and_none_by_regular("")
        True
    """
    return _matched(target, reg or r"^\w*[0-9a-zA-Z_.]*$", flag, prim_name)


def check_file_name_by_regular(target: str, reg: str | None = None, prim_name: str | None = None) -> bool:
    """A string that can name a file.

    Example:
        >>> check_file_name_by_regular("out/net-1.ckpt")
        True
    """
    return _matched(target, reg or r"^[0-9a-zA-Z@_\-.:/\\]+$", re.ASCII, prim_name)


def _matched(target: Any, pattern: str, flag: int, prim_name: str | None) -> bool:
    _of_type(target, str, None, prim_name)
    if re.match(pattern, target, flag) is None:
        raise OpValueError(f"{_what(None, prim_name)} {target!r} is illegal, it must match {pattern!r}.")
    return True


def check_input_format(input_param: str) -> str:
    """The order of the axes of images, which is "NCHW".

    Example:
        >>> check_input_format("NCHW")
        'NCHW'
    """
    if input_param != "NCHW":
        raise OpValueError(f"The data format must be NCHW, but got {input_param}.")
    return input_param
