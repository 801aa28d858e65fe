"""What `help`, Jupyter and editors show of a call: the names and defaults of its arguments, not `(*args, **kwargs)`."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import anfora
from anfora import Tensor, mint, nn, ops
from anfora import numpy as anp

PLACES = [anfora, ops, mint, mint.nn, mint.nn.functional, mint.linalg, mint.special, anp, nn, Tensor]

#: Those that take any arguments, and those that have several forms, told in their documentation.
FREE = {
    "Identity", "gather", "index_add", "index_add_", "scatter", "scatter_", "scatter_add", "scatter_add_", "select", "to",
    "transpose",
}  # fmt: skip


def names_of(place) -> list[str]:
    return [name for name in dir(place) if not name.startswith("_") and name not in FREE]


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
def test_a_signature_tells_the_arguments(place):
    untold = []
    for name in names_of(place):
        found = inspect.getattr_static(place, name) if isinstance(place, type) else getattr(place, name)
        if not callable(found) or found is Any or (isinstance(found, type) and issubclass(found, Exception)):
            continue
        kinds = [each.kind for each in inspect.signature(found).parameters.values() if each.name != "self"]
        if kinds == [inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD]:
            untold.append(name)
    assert untold == []


@pytest.mark.parametrize(
    "function, told",
    [
        (ops.relu, "(input: 'Tensor')"),
        (ops.matmul, "(input: 'Tensor', other: 'Tensor', *, transpose_a=False, transpose_b=False)"),
        (mint.permute, "(input: 'Tensor', dims)"),
        (anp.expand_dims, "(a: 'Tensor', axis)"),
        (ops.Concat, "(axis=0)"),
    ],
    ids=["relu", "matmul", "mint.permute", "numpy.expand_dims", "Concat"],
)
def test_by_the_names_that_are_taken(function, told):
    assert str(inspect.signature(function)).partition(" ->")[0] == told


def test_names_that_are_told_are_taken():
    x = Tensor(np.ones((2, 3), np.float32))
    assert mint.permute(input=x, dims=(1, 0)).shape == (3, 2)
    assert anp.expand_dims(a=x, axis=0).shape == (1, 2, 3)
