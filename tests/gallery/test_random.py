"""Random Python functions mean the same compiled; the same for other seeds: benchmarks/random_programs.py."""

from __future__ import annotations

import inspect

import pytest
from harness import check
from random_python import minimise, mismatch, program, random_source, text

import anfora as ms

COUNT, GROUP = 500, 20


@pytest.mark.parametrize("first", range(0, COUNT, GROUP))
def test_random_programs(first):
    for seed in range(first, first + GROUP):
        check(program(seed, grad=seed % 5 == 0))


def test_a_seed_gives_one_source_and_it_can_be_inspected():
    written = text(random_source(3))
    assert written == text(random_source(3)) != text(random_source(4))
    assert inspect.getsource(program(3).build(ms.jit)).strip() == written[written.index("def f") :].strip()


def test_programs_vary():
    """Enough of them come to their end, write, branch on tensors, and leave by another way."""
    texts = [text(random_source(seed)) for seed in range(200)]
    for part in (
        "while",
        "else:",
        "nonlocal",
        "except",
        "finally",
        ".append(",
        "box.",
        "break",
        "print(",
        "] = ",
        "is ",
    ):
        assert sum(part in written for written in texts) > 20, part


def test_a_mismatch_is_found_and_made_small():
    """A compiler that loses what is appended to the list argument."""

    def forgetful(function):
        def run(x, y, w, n, r, flag, box, items, *others):
            return function(x, y, w, n, r, flag, box, list(items), *others)

        return run

    seed = next(
        seed for seed in range(100) if "items.append(" in text(random_source(seed)) and mismatch(seed, jit=forgetful)
    )
    small = text(minimise(seed, jit=forgetful))
    assert "items" in small and len(small.splitlines()) < min(12, len(text(random_source(seed)).splitlines()))
