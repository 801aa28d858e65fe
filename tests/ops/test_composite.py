"""What functions that are written in operators take, and how they refuse the rest."""

from __future__ import annotations

import types

import numpy as np
import pytest

import anfora.numpy
from anfora import Tensor, mint, ops
from anfora.core.errors import AnforaError
from anfora.core.op import Op
from anfora.ops import forms, programs
from anfora.ops.composite import composite, is_door
from anfora.ops.methods import METHODS


@pytest.mark.parametrize(
    "call, wanted",
    [
        (lambda: ops.gather([5, 6, 7], [2, 0], 0), [7, 5]),
        (lambda: ops.flip(np.array([1, 2]), 0), [2, 1]),
        (lambda: ops.flip(dims=0, input=[1, 2]), [2, 1]),
        (lambda: ops.nonzero([0, 3]), [[1]]),
        (lambda: ops.squeeze(3), 3),
        (lambda: ops.expand_dims(2.5, 0), [2.5]),
        (lambda: ops.concat(Tensor([[1], [2]])), [1, 2]),
        (lambda: ops.stack(Tensor([1, 2])), [1, 2]),
        (lambda: ops.cartesian_prod([1], [2]), [[1, 2]]),
    ],
)
def test_arrays_lists_and_numbers_are_tensors(call, wanted):
    assert call().tolist() == wanted


@pytest.mark.parametrize("value", [None, "text", 3.0, object()])
def test_what_is_no_tensor_is_refused_in_words(value):
    with pytest.raises(TypeError, match="dropout needs a tensor for `input`"):
        ops.dropout(value)


def test_an_error_of_the_function_itself_stays():
    @composite
    def broken(x: Tensor) -> Tensor:
        return x.nothing

    with pytest.raises(AttributeError, match="nothing"):
        broken(Tensor(1))


def of_this_package(function):
    """The function as if it stood in a file of the package."""
    function.__code__ = function.__code__.replace(co_filename=forms.__file__)
    return function


@composite
@of_this_package
def raising(kind: type[Exception], words: str, *others: int) -> None:
    """Raises what it is given."""
    raise kind(words)


@pytest.mark.parametrize("kind", [IndexError, KeyError, OverflowError, TypeError, ValueError, ZeroDivisionError])
def test_an_error_of_an_inner_function_tells_the_arguments(kind):
    with pytest.raises(AnforaError) as caught:
        raising(kind, "deep inside", 5)
    assert isinstance(caught.value, kind if kind not in (KeyError, OverflowError) else (TypeError, ValueError))
    told = "raising cannot take these arguments: kind = " + f"{kind!r}, words = 'deep inside', others = 5"
    assert caught.value.message.startswith(told) and "deep inside" in caught.value.message.removeprefix(told)
    assert "raising(kind," in str(caught.value) and isinstance(caught.value.__cause__, kind)


def test_what_an_argument_lacks_names_the_argument():
    @composite
    @of_this_package
    def first(values, place: int):
        return values[place].nothing

    with pytest.raises(TypeError, match="first cannot take 'text' for `values`"):
        first([2, "text"], 1)
    with pytest.raises(TypeError, match="first needs an integer for `place`, but got 'a'"):
        first([2, "text"], "a")


def test_a_call_of_another_form_tells_the_form():
    with pytest.raises(TypeError, match="missing 1 required") as caught:
        mint.mean()
    assert "its form is mean(input, dim=None, keepdim=False, *, dtype=None)." in str(caught.value)


MODULES = (ops, mint, mint.nn.functional, mint.linalg, mint.special, anfora.numpy)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_public_functions_have_doors(module):
    functions = {
        name: getattr(module, name) for name in module.__all__ if module is not ops or not hasattr(programs, name)
    }
    assert [name for name, f in functions.items() if isinstance(f, types.FunctionType) and not is_door(f)] == []


def test_methods_have_doors():
    assert {name for name, function in METHODS.items() if not is_door(function)} <= forms.DIRECT


def calls():
    """Each public function and method, and what belongs in front of the argument that is tried."""
    for module in MODULES:
        for name in module.__all__:
            function = getattr(module, name)
            if isinstance(function, (Op, types.FunctionType)) and not (module is ops and hasattr(programs, name)):
                yield f"{module.__name__}.{name}", function
    for name in METHODS:
        if not name.startswith("__"):
            yield f"Tensor.{name}", getattr(Tensor, name)


ODD = (None, "text", -(2**70), 1.5, (), object(), Tensor([[True]]), {"a": 1})


def test_odd_arguments_are_refused_in_words():
    """Whatever stands first, and behind a tensor: a result, or an error of this package's."""
    x, wrong = Tensor([[1.0, 2.0], [3.0, 4.0]]), []
    for name, function in calls():
        for odd in ODD:
            for given in ((odd,), (x, odd)) if not name.startswith("Tensor.") else ((x, odd),):
                try:
                    function(*given)
                except (AnforaError, NotImplementedError):
                    pass
                except Exception as error:
                    if isinstance(error, TypeError) and error.__traceback__.tb_next is None:
                        continue  # what Python says of a call with too many arguments
                    wrong.append(f"{name}({', '.join(map(repr, given))}): {error!r}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: ops.diff(x, 2**40),
        lambda x: ops.lrn(ops.reshape(x, (1, 2, 1, 2)), 2**40),
        lambda x: ops.matrix_power(ops.eye(2), 2**40),
    ],
)
def test_counts_beyond_all_bounds_end(call):
    assert call(Tensor([[1.0, 2.0], [3.0, 4.0]])).ndim >= 2


def test_a_sum_of_too_many_terms_is_refused():
    with pytest.raises(ValueError, match="at most 4096"):
        ops.mvlgamma(Tensor([5.0]), 2**70)
