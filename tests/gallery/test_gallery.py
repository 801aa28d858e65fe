"""Every program of the gallery means the same compiled; and the harness sees when it does not."""

from __future__ import annotations

import contextlib
import copy
import importlib
import io
import pathlib

import numpy as np
import pytest
from harness import PROGRAMS, check

from anfora import Tensor, ops

for path in sorted(pathlib.Path(__file__).parent.glob("programs_*.py")):
    importlib.import_module(path.stem)


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    check(PROGRAMS[name])


# ------------------------------------------------------------------------------------------- compilers that are wrong


def caches_results(function):
    """Gives the first result for tensors of the same types."""
    results = {}

    def run(*args, **kwargs):
        key = repr([(type(a), getattr(a, "shape", a)) for a in args])
        if key not in results:
            results[key] = function(*args, **kwargs)
        return results[key]

    return run


def works_on_copies(function):
    """Changes neither its arguments nor the objects that it holds."""

    def run(*args, **kwargs):
        return copy.deepcopy(function)(*copy.deepcopy(args), **copy.deepcopy(kwargs))

    return run


def prints_nothing(function):
    def run(*args, **kwargs):
        with contextlib.redirect_stdout(io.StringIO()):
            return function(*args, **kwargs)

    return run


def forgets_globals(function):
    """Leaves the module as it was."""
    names = getattr(function, "__globals__", {})

    def run(*args, **kwargs):
        kept = {name: value for name, value in names.items() if isinstance(value, (int, float))}
        try:
            return function(*args, **kwargs)
        finally:
            names.update(kept)

    return run


def loses_gradients(function):
    def run(*args, **kwargs):
        result = function(*args, **kwargs)
        return ops.stop_gradient(result) if isinstance(result, Tensor) else result

    return run


def rounds_floats(function):
    """Computes Python's floats in 32 bits."""

    def run(*args, **kwargs):
        return shortened(function(*args, **kwargs))

    def shortened(value):
        if isinstance(value, float):
            return float(np.float32(value))
        return tuple(map(shortened, value)) if type(value) is tuple else value

    return run


def is_off_by_one_bit(function):
    def run(*args, **kwargs):
        result = function(*args, **kwargs)
        return result * 1.0000001 if isinstance(result, Tensor) and result.is_floating_point() else result

    return run


def draws_twice(function):
    """Runs once more to see the types, and moves the stream of random numbers."""

    def run(*args, **kwargs):
        ops.rand(1)
        return function(*args, **kwargs)

    return run


def says_it_otherwise(function):
    def run(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except Exception as error:
            raise type(error)("something went wrong") from None

    return run


def breaks_aliases(function):
    """Gives equal lists and tensors, but not the same."""

    def run(*args, **kwargs):
        return copy.deepcopy(function(*args, **kwargs))

    return run


def returns_lists(function):
    def run(*args, **kwargs):
        result = function(*args, **kwargs)
        return list(result) if type(result) is tuple else result

    return run


def writes_into_copies(function):
    """Views lose their base: a write does not reach the memory of the argument."""

    def run(*args, **kwargs):
        return function(*(a.copy() if type(a) is Tensor else a for a in args), **kwargs)

    return run


def rebinds_in_place(function):
    """Takes `y = x; y += 1` for a write into x."""

    def run(*args, **kwargs):
        result = function(*args, **kwargs)
        for value in args:
            if type(value) is Tensor and value.is_floating_point():
                value.add_(1.0)
        return result

    return run


WRONG = [
    (caches_results, ["branch_on_data", "global_counter", "while_on_data"]),
    (
        works_on_copies,
        ["setitem_on_an_argument", "counter_on_self", "list_argument_is_changed", "dict_argument_is_changed"],
    ),
    (prints_nothing, ["print_in_the_middle", "print_in_construct", "order_of_evaluation"]),
    (forgets_globals, ["global_counter", "helper_changes_a_global"]),
    (loses_gradients, ["branch_on_data", "newton_square_root"]),
    (rounds_floats, ["float_exactness", "float_arguments"]),
    (is_off_by_one_bit, ["while_on_data", "branch_on_data"]),
    (draws_twice, ["dropout_function", "branch_on_data"]),
    (says_it_otherwise, ["raise_on_data", "shape_error_is_located"]),
    (breaks_aliases, ["alias_of_a_list", "reshape_and_transpose_share_memory"]),
    (returns_lists, ["unpack_a_tensor", "swap"]),
    (writes_into_copies, ["write_through_a_view", "setitem_forms"]),
    (rebinds_in_place, ["residual_connection", "augmented_assignment_rebinds"]),
]


@pytest.mark.parametrize("jit, name", [(jit, name) for jit, names in WRONG for name in names])
def test_a_wrong_compiler_is_seen(jit, name):
    check(PROGRAMS[name], jit=lambda function: function)
    with pytest.raises(AssertionError, match=f"^{name}: .*differs at"):
        check(PROGRAMS[name], jit=jit)


def test_a_gallery_of_some_size():
    assert len(PROGRAMS) >= 300
