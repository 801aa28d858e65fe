"""Random valid programs: text goes round, and values are those of plain numpy."""

from __future__ import annotations

import numpy as np
import pytest
from plain import interpret
from random_programs import disarray, random_program

from anfora import deepx

GROUPS = 8
SEEDS = 15


@pytest.mark.parametrize("group", range(GROUPS))
def test_text_goes_round(group):
    for seed in range(group * SEEDS, (group + 1) * SEEDS):
        text = random_program(seed)
        program = deepx.parse(text)
        assert deepx.format(program) == text, seed
        untidy = deepx.parse(disarray(text, seed))
        assert untidy == program, seed
        assert deepx.parse(deepx.format(untidy, meta=True)) == program, seed


@pytest.mark.parametrize("group", range(GROUPS))
def test_values_are_those_of_plain_numpy(group):
    for seed in range(group * SEEDS, (group + 1) * SEEDS):
        text = random_program(seed)
        expected = interpret(text)
        specs = deepx.check(text).specs
        memory = deepx.run(text)
        tensors = {name: value for name, value in expected.items() if name[0] == "t"}
        assert memory.tensors.keys() == tensors.keys() == specs.keys()
        for name, value in tensors.items():
            found = memory[name].asnumpy()
            assert (
                (found.shape, found.dtype) == (value.shape, value.dtype) == (specs[name].shape, specs[name].dtype.numpy)
            )
            tolerance = {"float32": 2e-4, "float64": 1e-9}.get(value.dtype.name, 0)
            np.testing.assert_allclose(found, value, tolerance, tolerance, err_msg=f"seed {seed}, {name}\n{text}")
        for name in expected.keys() - tensors.keys():
            assert memory[name] == (expected[name] if name[0] == "a" else tuple(expected[name]))
