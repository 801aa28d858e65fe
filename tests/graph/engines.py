"""Compiled functions beside themselves undecorated, for tests of automata."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from outcomes import bits, outcome

from anfora import Tensor, int64, jit
from anfora.core.errors import AnforaError
from anfora.graph.run.compiled import Compiled

ERRORS = (AnforaError, ArithmeticError, IndexError, ValueError)  #: that programs may raise


def same(function: Callable, *calls: tuple, times: int = 4, compiled: Any = None) -> Compiled:
    """Compare a compiled function with itself undecorated, on several argument lists, several times."""
    compiled = compiled or jit(function)
    for _ in range(times):
        for args in calls:
            before = bits(args)
            got = outcome(compiled, *args, errors=ERRORS)
            assert bits(args) == before, "an argument was written to"
            assert got == outcome(function, *args, errors=ERRORS)
    assert compiled.program.native is None
    return compiled


def numbers(*values: Any, dtype: Any = int64) -> tuple:
    return tuple(Tensor(value, dtype) for value in values)


def pairs(*couples: tuple, dtype: Any = int64) -> list[tuple]:
    return [numbers(*couple, dtype=dtype) for couple in couples]
