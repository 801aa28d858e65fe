"""Names that arguments had in other versions of MindSpore mean what they meant: in both modes, beside today's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import anfora as ms
from anfora import Tensor, ops
from anfora.core.op import Op
from anfora.ops.composite import is_door
from anfora.ops.former import FORMER
from anfora.ops.methods import functions

X = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.5]], np.float32)
Y = np.array([[2.0, 2.0, 2.0], [-1.0, 4.0, 0.0]], np.float32)
RUNS = np.array([1, 1, 2, 2, 2, 1])
EXP = np.exp(X - X.max(-1, keepdims=True))
SIGMOID = 1 / (1 + np.exp(-X))

#: (call by former names, by numpy)
CALLS = {
    "logsumexp": (lambda x, y: ops.logsumexp(x, axis=1, keep_dims=True), np.log(np.exp(X).sum(1, keepdims=True))),
    "logsumexp x": (lambda x, y: ops.logsumexp(x=x, axis=0), np.log(np.exp(X).sum(0))),
    "where": (lambda x, y: ops.where(x > 0, x=x, y=y), np.where(X > 0, X, Y)),
    "select": (lambda x, y: ops.select(cond=x > 0, x=x, y=y), np.where(X > 0, X, Y)),
    "softmax": (lambda x, y: ops.softmax(logits=x), EXP / EXP.sum(-1, keepdims=True)),
    "tile": (lambda x, y: ops.tile(x, multiples=(2, 1)), np.tile(X, (2, 1))),
    "maximum": (lambda x, y: ops.maximum(x=x, y=y), np.maximum(X, Y)),
    "minimum": (lambda x, y: ops.minimum(y=y, x=x), np.minimum(X, Y)),
    "true_divide": (lambda x, y: ops.true_divide(dividend=y, divisor=x), Y / X),
    "isclose": (lambda x, y: ops.isclose(x1=x, x2=y), np.isclose(X, Y)),
    "hardshrink": (lambda x, y: ops.hardshrink(x=x, lambd=1.2), np.where(abs(X) > 1.2, X, 0)),
    "argmax": (lambda x, y: ops.argmax(x, axis=1), X.argmax(1)),
    "entropy": (
        lambda x, y: ops.binary_cross_entropy_with_logits(logits=x, label=ops.sigmoid(y), weight=ops.ones_like(y)),
        -(np.log(SIGMOID) / (1 + np.exp(-Y)) + np.log(1 - SIGMOID) * (1 - 1 / (1 + np.exp(-Y)))).mean(),
    ),
    "repeat": (lambda x, y: x.repeat(2, axis=1), X.repeat(2, 1)),
    "repeat each": (lambda x, y: x.repeat([1, 2], axis=0), X.repeat([1, 2], 0)),
    "pad": (lambda x, y: ops.pad(x, paddings=((0, 1), (2, 0))), np.pad(X, ((0, 1), (2, 0)))),
    "repeat all": (lambda x, y: x.repeat(2, axis=None), X.repeat(2)),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_former_names_mean_what_they_meant(name):
    call, want = CALLS[name]
    x, y = Tensor(X), Tensor(Y)
    got = call(x, y)
    np.testing.assert_allclose(got.asnumpy(), want, rtol=1e-5, atol=1e-6)
    again = ms.jit(call)(x, y)
    assert again.asnumpy().tobytes() == got.asnumpy().tobytes()


def test_runs_of_equal_elements():
    values, places = ops.unique_consecutive(Tensor(RUNS), return_idx=True, axis=0)
    assert values.tolist() == [1, 2, 1] and places.tolist() == [0, 0, 1, 1, 1, 2]


def test_a_number_that_varies_is_not_compiled_in():
    @ms.jit
    def step(x, n):
        return ops.maximum(x=x, y=n)

    for n in (0.5, 1.5, 2.5, 3.5):
        assert step(Tensor(X), n).tolist() == np.maximum(X, np.float32(n)).tolist()
    told = str(ms.explain(step)(Tensor(X), 4.5))
    assert "numbers baked in" not in told


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda x: ops.maximum(x, y=x, other=x), "got both `y` and `other`, which mean the same"),
        (lambda x: ops.maximum(x=x, y=x, other=x), "got both `y` and `other`, which mean the same"),
        (lambda x: x.mean(keepdims=True, keepdim=True), "got both `keepdims` and `keepdim`, which mean the same"),
        (lambda x: x.mean(dim=0, axis=0), "got both `dim` and `axis`, which mean the same"),
        (lambda x: ops.relu(x, x=x), "got two values for `input`"),
        (lambda x: ops.tile(x, multiples=2, dims=2), "got both `multiples` and `dims`"),
        (lambda x: ops.softmax(x, dim=1), "what PyTorch calls dim is axis here"),
        (lambda x: x.repeat(2, 3, axis=1), "with `axis` takes one number, or a list of them, but got 2"),
    ],
)
def test_what_is_refused(call, words):
    for mode in (call, ms.jit(call)):
        with pytest.raises(TypeError) as refused:
            mode(Tensor(X))
        error: Any = refused.value  # its text has the line of the call as well, in which the words stand
        assert words in f"{error.message}; {error.help}"


def test_the_table_names_functions_and_arguments_that_there_are():
    for name, names in FORMER.items():
        function = functions[name]
        assert is_door(function) and set(names) <= set(function.former_names), name
        takes = function.order if isinstance(function, Op) else ()
        assert not set(takes) & set(names), name
