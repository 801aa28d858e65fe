"""A list or tuple of tensors that stands where an operator takes a tensor is their stack, and gradients come through it."""

from __future__ import annotations

import numpy as np
import pytest

import anfora as ms
from anfora import Tensor, ops
from anfora.core.errors import OpRuntimeError, OpValueError

A, B = np.array([1.5, 2.5, -0.5]), np.array([0.25, 4.0, 3.0])

#: The program, and the same for arrays of numpy's.
PROGRAMS = {
    "on the left": (lambda a, b: (a, b) - b, lambda a, b: np.stack([a, b]) - b),
    "on the right": (lambda a, b: a * [a, b], lambda a, b: a * np.stack([a, b])),
    "nested": (lambda a, b: [[a, b], (b, a)] / b, lambda a, b: np.array([[a, b], [b, a]]) / b),
    "a function": (lambda a, b: ops.sub([a, b], b), lambda a, b: np.stack([a, b]) - b),
    "of one tensor": (lambda a, b: ops.tanh((a, b)), lambda a, b: np.tanh(np.stack([a, b]))),
    "both": (lambda a, b: ops.maximum([a, b], (b, b)), lambda a, b: np.maximum([a, b], [b, b])),
    "a product": (lambda a, b: ops.matmul([a, b], b), lambda a, b: np.matmul([a, b], b)),
    "where": (lambda a, b: ops.where(a > 0, [a, b], b), lambda a, b: np.where(a > 0, [a, b], b)),
    "among several": (lambda a, b: ops.cat([[a, b], (b, a)]), lambda a, b: np.concatenate([[a, b], [b, a]])),
    "sums of tuples": (lambda a, b: ops.operations.ReduceSum()((a, b) - a, 0), lambda a, b: b - a),
}  # fmt: skip


def differences(f, a, b):
    """The gradients of the sum of squares of what f gives, by differences of fourth order."""
    found, h = [], 1e-3
    for which in (0, 1):
        gradient = np.zeros(3)
        for i in range(3):
            step = np.zeros(3)
            step[i] = h
            values = []
            for times in (-2, -1, 1, 2):
                args = [a, b]
                args[which] = args[which] + times * step
                values.append((f(*args) ** 2).sum())
            gradient[i] = (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * h)
        found.append(gradient)
    return found


@pytest.mark.parametrize("compiled", [False, True], ids=["pynative", "graph"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_values_and_gradients_are_those_of_the_stack(name, compiled):
    f, numpy_f = PROGRAMS[name]
    run = ms.jit(f) if compiled else f
    for _ in range(3):
        result = run(Tensor(A), Tensor(B))
        assert result.dtype is ms.float64
        np.testing.assert_allclose(result.asnumpy(), numpy_f(A, B), rtol=1e-15, atol=0)
        gradients = ms.grad(lambda a, b: (run(a, b) ** 2).sum(), (0, 1))(Tensor(A), Tensor(B))
        for gradient, expected in zip(gradients, differences(numpy_f, A, B)):
            np.testing.assert_allclose(gradient.asnumpy(), expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name", PROGRAMS)
def test_under_vmap(name):
    f, numpy_f = PROGRAMS[name]
    result = ms.vmap(f)(Tensor(np.stack([A, B])), Tensor(np.stack([B, A])))
    np.testing.assert_allclose(result.asnumpy(), np.stack([numpy_f(A, B), numpy_f(B, A)]), rtol=1e-15, atol=0)


def test_tensors_keep_their_type():
    half = Tensor([1.0, 2.0], ms.bfloat16)
    assert ([half, half] * half).dtype is ms.bfloat16
    assert ((half, half) * Tensor(2.0)).dtype is ms.float32


def test_a_list_is_equal_to_no_tensor():
    x = Tensor([1.0, 2.0])
    assert (x == [x, x]) is False and x in ([x, x], x)


def test_what_is_refused():
    a, b = Tensor([1.0, 2.0]), Tensor([1.0, 2.0, 3.0])
    with pytest.raises(OpValueError, match="stack"):
        a * [a, b]
    with pytest.raises(OpRuntimeError, match=r"ops\.stack keeps the gradient"):
        ms.grad(lambda x: (x * [x, 1.0]).sum())(Tensor(2.0))
    with pytest.raises(OpRuntimeError, match=r"ops\.stack keeps the gradient"):
        ms.grad(lambda x: Tensor([x, x]).sum())(Tensor(2.0))
