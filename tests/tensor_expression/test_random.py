"""Random small kernels against brute force in plain Python, with both lowerings, and C."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from c_compiler import call, compile_library
from random_cases import random_program

import anfora
from anfora import Tensor
from anfora.tensor_expression import KernelError, KernelWarning, kernel

SEEDS = range(24)


def build(program, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KernelWarning)
        return kernel({**program.case(), **{k: v for k, v in more.items() if k == "name"}},
                      lowering=more.get("lowering", "auto"))  # fmt: skip


def sample(seed: int):
    """A program that has bounds, and its inputs."""
    rng = np.random.default_rng(seed)
    while True:
        program = random_program(rng)
        try:
            build(program)
        except KernelError as error:
            assert error.code == "K-RANGE", program.text()
            continue
        return program, {name: rng.uniform(0.5, 1.5, program.shapes[name]) for name in program.ins}, rng


@pytest.mark.parametrize("seed", SEEDS)
def test_values_and_gradients(seed):
    program, arrays, rng = sample(seed)
    wanted = program.evaluate(arrays)
    d = rng.standard_normal(wanted.shape)
    directions = {name: rng.standard_normal(array.shape) for name, array in arrays.items()}
    h = 1e-6
    up, down = (program.evaluate({n: a + s * h * directions[n] for n, a in arrays.items()}) for s in (1, -1))
    slope = ((up - down) / (2 * h) * d).sum()
    tensors = [Tensor(array) for array in arrays.values()]
    found = {}
    for lowering in ("gather", "scatter"):
        made = build(program, lowering=lowering)
        out, back = anfora.vjp(made, *tensors)
        np.testing.assert_allclose(out.asnumpy(), wanted, rtol=1e-11, atol=1e-11, err_msg=program.text())
        gradients = back(Tensor(d))
        gradients = gradients if isinstance(gradients, tuple) else (gradients,)
        found[lowering] = [g.asnumpy() for g in gradients]
        total = sum((g * directions[n]).sum() for n, g in zip(arrays, found[lowering]))
        np.testing.assert_allclose(total, slope, rtol=1e-5, atol=1e-6, err_msg=program.text())
    for a, b in zip(*found.values()):
        np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-11, err_msg=program.text())


def test_printed(tmp_path):
    """The C text of all of them, compiled together."""
    programs = [sample(seed) for seed in SEEDS]
    made = [build(program, name=f"f{i}") for i, (program, _, _) in enumerate(programs)]
    library = compile_library(tmp_path, "\n".join(k.c_source() for k in made), "c")
    for function, (program, arrays, _) in zip(made, programs):
        wanted = program.evaluate(arrays)
        out = np.zeros(wanted.shape)
        call(library, function.name, [*(a if a.shape else a[()] for a in arrays.values()), out])
        np.testing.assert_allclose(out, wanted, rtol=1e-11, atol=1e-11, err_msg=program.text())
