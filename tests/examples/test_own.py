"""The examples of own operators: their values are numpy's, their gradients slopes, and they say what they took."""

from __future__ import annotations

import numpy as np
import pytest

import anfora as ms
from anfora import Tensor
from anfora.examples import own_activation, own_physics


def test_physics():
    arrays = own_physics.cluster(20)
    tensors = tuple(map(Tensor, arrays))
    wanted = own_physics.step_in_numpy(*arrays)
    for step in (own_physics.step, own_physics.step_in_operators, ms.jit(own_physics.step)):
        for found, array in zip(step(*tensors), wanted):
            np.testing.assert_allclose(found.asnumpy(), array, rtol=1e-12, atol=1e-14)


def test_activation():
    arrays = own_activation.activations(9, 33)
    arrays[0][0, :3] = 19, 21, 90
    tensors = tuple(map(Tensor, arrays))
    wanted = own_activation.gated_in_numpy(*arrays)
    for function in (own_activation.gated, own_activation.gated_in_operators, ms.jit(own_activation.gated)):
        np.testing.assert_allclose(function(*tensors).asnumpy(), wanted, rtol=3e-6, atol=1e-6)


@pytest.mark.parametrize(
    ("own", "same", "arrays"),
    [
        (lambda x, s, m: own_physics.step(x, s, m)[1], lambda x, s, m: own_physics.step_in_operators(x, s, m)[1],
         own_physics.cluster(7)),
        (own_activation.gated, own_activation.gated_in_operators,
         tuple(a.astype(np.float64) for a in own_activation.activations(4, 5))),
    ],
    ids=["physics", "activation"],
)  # fmt: skip
def test_gradients_are_those_of_operators(own, same, arrays):
    tensors = tuple(map(Tensor, arrays))
    found, wanted = (ms.grad(lambda *t, f=f: (f(*t) ** 2).sum(), (0, 1, 2))(*tensors) for f in (own, same))
    for a, b in zip(found, wanted):
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("example", [own_physics, own_activation])
def test_what_is_told(example, capsys):
    assert example.main(8, *([8] if example is own_activation else [])) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (
        len(lines) == 5
        and "numpy" in lines[1]
        and "own" in lines[4]
        and all(line.endswith(" ms") for line in lines[1:])
    )
