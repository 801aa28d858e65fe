"""What graph mode has recorded of a program is a graph that means the same: evaluated, it gives the same values, gradients
and effects."""

from __future__ import annotations

import dataclasses
import importlib
import pathlib
from collections import Counter

import pytest
from evaluator import check_evaluated
from harness import PROGRAMS
from random_python import program

for path in sorted(pathlib.Path(__file__).parent.glob("programs_*.py")):
    importlib.import_module(path.stem)


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    check_evaluated(PROGRAMS[name])


@pytest.mark.parametrize("first", range(0, 120, 20))
def test_random_programs(first):
    """Nothing is replaced between two calls: what then holds no longer is told by guards, which the executor asks."""
    programs = (program(seed, grad=seed % 5 == 0) for seed in range(first, first + 20))
    found = sum((check_evaluated(dataclasses.replace(each, between=None)) for each in programs), Counter())
    assert found["evaluated"] > 50, found
