"""Random Python functions mean the same compiled; the same for other seeds: benchmarks/random_programs.py."""

from __future__ import annotations

import inspect

import pytest
import random_patches
from harness import check
from random_iterators import ITERATORS
from random_python import minimise, mismatch, mismatch_of_signal, program, random_source, text

import anfora as ms

COUNT, GROUP = 300, 20
pytestmark = pytest.mark.usefixtures("small_heap")


@pytest.mark.parametrize("first", range(0, COUNT, GROUP))
def test_random_programs(first):
    for seed in range(first, first + GROUP):
        check(program(seed, grad=seed % 5 == 0))


@pytest.mark.parametrize("first", range(0, 120, GROUP))
def test_random_programs_with_signals(first):
    """A signal that falls anywhere leaves what Python leaves that is ended somewhere."""
    for seed in range(first, first + GROUP):
        found = mismatch_of_signal(seed)
        assert " " not in found, f"seed {seed}: {found}"


def test_signals_fall_into_programs():
    found = [mismatch_of_signal(seed, 1) for seed in range(90)]
    assert found.count("caught") > 10 and found.count("outside") > 10


def test_a_signal_that_leaves_half_of_a_program_is_found():
    """A compiler that does a thing twice where a handler has raised."""

    def careless(function):
        def run(x, y, w, n, r, flag, box, *others):
            result = function(x, y, w, n, r, flag, box, *others)
            box.count += "caught" in box.seen
            return result

        return run

    found = [mismatch_of_signal(seed, jit=careless) for seed in range(60)]
    assert any("what is left is not what Python leaves" in each for each in found)


def test_patches_are_put_back():
    for seed in range(30):
        check(program(seed))
    left = []
    for home, owner in random_patches.owners().items():
        for name, value in vars(owner).items():
            value = value.fget if isinstance(value, property) else value
            if getattr(getattr(value, "__code__", None), "co_filename", "") == random_patches.__file__:
                left.append(f"{home}.{name}")
    assert left == []


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
        "twice",
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


@pytest.mark.parametrize("first", range(0, 100, GROUP))
def test_random_programs_that_go_over_things(first):
    for seed in range(first, first + GROUP):
        check(program(seed, family=ITERATORS))
